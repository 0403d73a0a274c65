package install

import (
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/spec"
)

func (r *reader) cargo(args []arg) {
	if len(args) > 0 && strings.HasPrefix(args[0].text, "+") {
		args = args[1:] // the toolchain
	}
	global := grammar{values: "-C --config -Z --color --explain", plain: "--verbose --quiet --offline --locked --frozen"}
	verb, rest := global.verb(args, func(f flag) {
		if f.name == "-C" && f.value != nil {
			r.into(f.value)
		}
	})
	g := grammar{
		plain: "--dev --build --optional --no-optional --default-features --no-default-features --public --dry-run --quiet --verbose --offline --locked --frozen " +
			"--force --debug --bins --examples --all-features --list --ignore-rust-version --no-track --no-confirm --secure --dry",
	}
	switch verb {
	case "add":
		g.values = "-F --features --rename -p --package --manifest-path --path --git --branch --tag --rev --registry --index --base --target --target-dir --color --config -Z --lockfile-path"
	case "install", "binstall", "quickinstall":
		g.values = "--version --vers --git --branch --tag --rev --path --root --index --registry --bin --example --features -F -j --jobs --target --target-dir --profile --color --config -Z " +
			"--strategies --disable-strategies --install-path --targets --log-level --pkg-url --pkg-fmt --bin-dir --rate-limit --min-tls-version --github-token --maximum-resolution-timeout --message-format"
	case "build", "b", "check", "c", "test", "t", "run", "r", "bench", "doc", "fetch", "update", "clippy", "generate-lockfile", "fix", "rustc":
		if !flagged(args, "--locked --frozen --offline") {
			r.bare(coord.Crates, "cargo")
		}
		return
	default:
		return
	}
	version, where, elsewhere := "", "", ""
	isDev := false
	words := g.all(rest, func(f flag) {
		value := ""
		if f.value != nil {
			value = f.value.text
		}
		switch f.name {
		case "--path":
			where, elsewhere = value, coord.Path
		case "--git":
			where, elsewhere = value, coord.Git
		case "--registry":
			if value != "crates-io" {
				elsewhere = coord.CustomRegistry
			}
		case "--index":
			if !spec.PublicRegistry(strings.TrimPrefix(value, "sparse+")) {
				elsewhere = coord.CustomRegistry
			}
		case "--version", "--vers":
			if f.value != nil && f.value.why == "" {
				version = value
			}
		case "--dev", "--build":
			isDev = true
		}
	})
	if len(words) == 0 && where != "" {
		r.not(where, elsewhere)
		return
	}
	if v := r.env("CARGO_REGISTRY_DEFAULT"); v != "" && v != "crates-io" && elsewhere == "" {
		elsewhere = coord.CustomRegistry
	}
	r.read(words, elsewhere, func(text string) (coord.Package, string) {
		if version != "" && !strings.Contains(text, "@") {
			text += "@" + version
		}
		p, why := spec.Cargo(text, verb != "add")
		p.Dev = isDev
		return p, why
	})
}
