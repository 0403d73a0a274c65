package registry

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/gate"
)

// ErrNoAddress is wrapped by errors that say that the user's tool names no
// registry that can be asked.
var ErrNoAddress = errors.New("no registry address")

// toolTimeout bounds one question to a tool.
const toolTimeout = 1500 * time.Millisecond

// Address asks the user's own tool which registry it installs from. The tool
// is run from home, so that a project's settings do not count: those are read,
// and reported as a custom registry, by whoever parses the command.
func Address(ctx context.Context, env gate.Env, e coord.Ecosystem) (string, error) {
	if e == coord.Crates {
		return crateIndex(env)
	}
	var argv []string
	var find func(out string) string
	switch e {
	case coord.NPM:
		argv, find = []string{"npm", "config", "get", "registry"}, firstAddress
	case coord.PyPI:
		// The tool has no command that tells its default; its help does.
		argv, find = []string{"pip", "install", "--help"}, helpAddress
	case coord.Go:
		argv, find = []string{"go", "env", "GOPROXY"}, proxyAddress
	case coord.RubyGems:
		argv, find = []string{"gem", "sources", "--list"}, firstAddress
	case coord.Packagist:
		argv, find = []string{"composer", "config", "--global", "--list", "--no-interaction"}, composerAddress
	case coord.NuGet:
		argv, find = []string{"dotnet", "nuget", "list", "source", "--format", "short"}, firstAddress
	case coord.Maven, coord.Crates, coord.Conda, coord.None:
		return "", ErrNoAddress
	}
	if env.Proc == nil {
		return "", gate.ErrHandOver
	}
	tools := [][]string{argv}
	if argv[0] == "pip" {
		tools = append(tools, append([]string{"pip3"}, argv[1:]...), append([]string{"python3", "-m", "pip"}, argv[1:]...))
	}
	for _, argv := range tools {
		out, err := env.Proc.Run(ctx, gate.Command{
			Argv: argv, Dir: env.Home, MaxOutput: 256 << 10, Timeout: toolTimeout,
			Env: []string{"NO_COLOR=1", "NO_UPDATE_NOTIFIER=1", "DOTNET_CLI_TELEMETRY_OPTOUT=1", "DOTNET_NOLOGO=1"},
		})
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return "", err
		case out.Code != 0:
			continue
		}
		if a := find(string(out.Stdout)); a != "" {
			return strings.TrimRight(a, "/"), nil
		}
	}
	return "", ErrNoAddress
}

// Same reports whether two addresses are of one registry.
func Same(a, b string) bool {
	plain := func(s string) string {
		s = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(s, "sparse+"), "https://"), "http://")
		return strings.TrimSuffix(strings.TrimRight(strings.ToLower(s), "/"), "/simple")
	}
	return a != "" && plain(a) == plain(b)
}

// firstAddress returns the first word that is a usable address.
func firstAddress(out string) string {
	for w := range strings.FieldsSeq(out) {
		if Usable(w) {
			return w
		}
	}
	return ""
}

// helpAddress finds the default in the help text of --index-url.
func helpAddress(out string) string {
	_, rest, ok := strings.Cut(out, "--index-url")
	if !ok {
		return ""
	}
	if _, rest, ok = strings.Cut(rest, "(default"); !ok {
		return ""
	}
	inner, _, _ := strings.Cut(rest, ")")
	// The help is wrapped to the terminal's width.
	return firstAddress(strings.Join(strings.Fields(strings.TrimLeft(inner, ": ")), ""))
}

// proxyAddress returns the first proxy of a list that may say direct or off.
func proxyAddress(out string) string {
	for _, p := range strings.FieldsFunc(strings.TrimSpace(out), func(r rune) bool { return r == ',' || r == '|' }) {
		if p == "off" || p == "direct" {
			return ""
		}
		if Usable(p) {
			return p
		}
	}
	return ""
}

// composerAddress finds the one repository in the tool's settings.
func composerAddress(out string) string {
	for line := range strings.Lines(out) {
		key, v, ok := strings.Cut(strings.TrimSpace(line), "] ")
		if v = strings.TrimSpace(v); ok && strings.HasPrefix(key, "[repositories.") && strings.HasSuffix(key, ".url") && Usable(v) {
			return v
		}
	}
	return ""
}

// crateIndex finds the index that cargo has used before: it keeps a folder named
// after the index's host.
func crateIndex(env gate.Env) (string, error) {
	home := ""
	if env.Getenv != nil {
		home = env.Getenv("CARGO_HOME")
	}
	if home == "" && env.Home != "" {
		home = filepath.Join(env.Home, ".cargo")
	}
	if home == "" || env.FS == nil {
		return "", ErrNoAddress
	}
	entries, err := env.FS.ReadDir(filepath.Join(home, "registry", "index"))
	if err != nil {
		return "", ErrNoAddress
	}
	found := ""
	for _, entry := range entries {
		i := strings.LastIndexByte(entry.Name(), '-')
		if !entry.IsDir() || i < 1 || len(entry.Name())-i != 17 || !strings.HasPrefix(entry.Name(), "index.") {
			continue // a clone of an index by git, which cannot be asked
		}
		if found != "" {
			return "", ErrNoAddress // which of them is the public one cannot be said
		}
		found = "https://" + entry.Name()[:i]
	}
	if !Usable(found) {
		return "", ErrNoAddress
	}
	return found, nil
}
