package install

import (
	"path"
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/spec"
)

const (
	pipValues = "-r --requirement -c --constraint -e --editable -i --index-url --pypi-url --extra-index-url -f --find-links -t --target --platform --python-version " +
		"--implementation --abi --root --prefix --src --upgrade-strategy --no-binary --only-binary --report --config-settings --config-setting -C --proxy --timeout " +
		"--retries --cert --client-cert --trusted-host --log --cache-dir --python --group --progress-bar -d --dest --destination-directory -w --wheel-dir " +
		"--exists-action --global-option --build-option --install-option --use-feature --use-deprecated --keyring-provider --build-constraint --root-user-action -b --build"
	pipPlain = "--upgrade --user --pre --force-reinstall --ignore-installed --ignore-requires-python --quiet --verbose --isolated --no-index --no-deps --compile " +
		"--break-system-packages --require-hashes --prefer-binary --dry-run --disable-pip-version-check --yes --require-virtualenv --no-input --no-color " +
		"--no-build-isolation --use-pep517 --check-build-dependencies --system --dev --debug"
	uvValues = pipValues + " --extra --optional --script --package --index --default-index -p --project --directory --exclude-newer --rev --tag --branch " +
		"--marker --env-file --with --with-editable --with-requirements --from --module --override --overrides --exclude --build-constraints --refresh-package --reinstall-package " +
		"--upgrade-package -P --link-mode --resolution --prerelease --fork-strategy --index-strategy --no-group --only-group --only-extra --no-extra --bounds --config-file " +
		"--python-platform --torch-backend --color --no-build-package --no-binary-package --allow-insecure-host --lfs --no-build-isolation-package --constraints -o --executables --with-executables-from --no-emit-package"
	uvPlain = pipPlain + " --dev --locked --frozen --isolated --raw-sources --editable --active --exact --inexact --reinstall --refresh --offline --native-tls --managed-python --strict --workspace --force --preview --show-settings --gui-script --all-extras --all-groups --all-packages"
)

// index is what flags and the environment say about where names come from.
type index struct {
	replaced bool   // the public index is not asked
	public   bool   // a flag says that it is
	extra    string // it is asked beside this one
	hashes   bool
	files    []arg // -r
	edits    []arg // -e
	dev      bool
}

func (r *reader) pipIndex() *index {
	x := &index{}
	url := r.env("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIPENV_PYPI_MIRROR")
	x.replaced = url != "" && !publicIndex(url) || r.env("PIP_NO_INDEX") != ""
	x.extra = r.env("PIP_EXTRA_INDEX_URL", "UV_INDEX", "UV_EXTRA_INDEX_URL")
	return x
}

// publicIndex reads name=URL too.
func publicIndex(v string) bool {
	if name, url, ok := strings.Cut(v, "="); ok && !strings.Contains(name, "/") {
		v = url
	}
	return spec.PublicRegistry(v)
}

// flag notes one flag of pip or of a tool like it.
func (r *reader) pipFlag(x *index) func(flag) {
	return func(f flag) {
		switch f.name {
		case "-i", "--index-url", "--pypi-url", "--default-index", "--pypi-mirror":
			if f.value != nil {
				x.public = publicIndex(f.value.text)
				x.replaced = !x.public
			}
		case "--extra-index-url", "--index":
			if f.value != nil && !publicIndex(f.value.text) {
				x.extra = f.value.text
			}
		case "--no-index":
			x.replaced = true
		case "--require-hashes":
			x.hashes = true
		case "-r", "--requirement", "--with-requirements", "--requirements":
			if f.value != nil {
				x.files = append(x.files, *f.value)
			}
		case "-e", "--editable", "--with-editable":
			if f.value != nil {
				x.edits = append(x.edits, *f.value)
			}
		case "--project", "--directory":
			if f.value != nil {
				r.into(f.value)
			}
		case "--dev", "-d":
			x.dev = x.dev || f.value == nil
		}
	}
}

// pipRead reads requirements, requirements files and editable folders.
func (r *reader) pipRead(words []arg, x *index, change ...func(*coord.Package)) {
	r.indexes(x)
	elsewhere := ""
	if x.replaced {
		elsewhere = coord.CustomRegistry
	}
	r.source = x.extra
	if x.dev {
		change = append(change, dev)
	}
	if x.public {
		change = append(change, func(p *coord.Package) { p.Public = true })
	}
	for i := range words {
		// One quoted word may hold several requirements only for a shell that
		// splits it; a blank inside is part of one requirement.
		words[i].text = strings.TrimSpace(words[i].text)
	}
	r.read(words, elsewhere, spec.Python, change...)
	r.read(x.edits, elsewhere, spec.Python, change...)
	for _, f := range x.files {
		if x.hashes {
			continue
		}
		r.requirements(f, x, map[string]bool{}, change...)
	}
}

// indexes notes the indexes that requirements files name: they count for the
// whole command.
func (r *reader) indexes(x *index) {
	if x.hashes {
		return // the files are not read at all
	}
	for i := range x.files {
		name, why := x.files[i].known()
		data, ok := r.file(name)
		if why != "" || !ok {
			continue
		}
		q := spec.Requirements(string(data))
		if q.Index != "" {
			x.public = publicIndex(q.Index)
			x.replaced = !x.public
		}
		if q.NoIndex {
			x.replaced = true
		}
		if x.extra == "" && q.ExtraIndex != "" && !publicIndex(q.ExtraIndex) {
			x.extra = q.ExtraIndex
		}
	}
}

// requirements reads the packages of a requirements file and of those that it
// names, each once.
func (r *reader) requirements(f arg, x *index, seen map[string]bool, change ...func(*coord.Package)) {
	text, why := f.known()
	seen[text] = true
	data, ok := []byte(nil), false
	if why == "" {
		if text == "-" || text == "/dev/stdin" || text == "/dev/fd/0" {
			data, ok = []byte(r.c.Stdin.Text), r.c.Stdin.Known
		} else {
			data, ok = r.file(text)
		}
	}
	if ext := path.Ext(text); ok && (ext == ".toml" || ext == ".py" || ext == ".cfg" || ext == ".lock") {
		ok = false // uv reads them too; they are checked when they are edited
	}
	if !ok || len(seen) > 64 {
		r.not("-r "+text, coord.RequirementsIn)
		return
	}
	q := spec.Requirements(string(data))
	elsewhere := ""
	if x.replaced || q.Index != "" && !spec.PublicRegistry(q.Index) || q.NoIndex {
		elsewhere = coord.CustomRegistry
	}
	old := r.source
	if q.ExtraIndex != "" && !spec.PublicRegistry(q.ExtraIndex) {
		r.source = q.ExtraIndex
	}
	from := func(p *coord.Package) { p.File = text }
	for _, line := range q.Lines {
		r.read([]arg{word(line)}, elsewhere, spec.Python, append([]func(*coord.Package){from}, change...)...)
	}
	for _, in := range q.Files {
		if !path.IsAbs(in) {
			in = path.Join(path.Dir(text), in)
		}
		if !seen[in] {
			r.requirements(word(in), x, seen, change...)
		}
	}
	r.source = old
}

func (r *reader) pip(args []arg) {
	x := r.pipIndex()
	g := grammar{values: pipValues, plain: pipPlain}
	verb, rest := g.verb(args, r.pipFlag(x))
	switch verb {
	case "install", "download", "wheel":
		r.pipRead(g.all(rest, r.pipFlag(x)), x)
	}
}

func (r *reader) pipNames(args []arg) {
	x := r.pipIndex()
	g := grammar{values: pipValues, plain: pipPlain}
	r.pipRead(g.all(args, r.pipFlag(x)), x)
}

// python -m pip, and other modules that install.
func (r *reader) python(args []arg) {
	for i := range args {
		t := args[i].text
		switch {
		case t == "-m" && i+1 < len(args):
			r.module(args[i+1].text, args[i+2:])
			return
		case strings.HasPrefix(t, "-m") && len(t) > 2:
			r.module(t[2:], args[i+1:])
			return
		case t == "-X" || t == "-W":
			continue
		case strings.HasPrefix(t, "-") && !strings.HasPrefix(t, "--") && strings.HasSuffix(t, "m") && !strings.ContainsAny(t, "cXW") && i+1 < len(args):
			r.module(args[i+1].text, args[i+2:]) // -Im, -sm
			return
		case strings.HasPrefix(t, "-"):
			if strings.Contains(t, "c") && !strings.HasPrefix(t, "--") {
				return
			}
		case i > 0 && (args[i-1].text == "-X" || args[i-1].text == "-W"):
		default:
			// A path to pip itself, or to its zip application.
			if base := path.Base(t); versioned(strings.TrimSuffix(base, ".pyz"), "pip") {
				r.pip(args[i+1:])
			}
			return
		}
	}
}

func (r *reader) module(name string, args []arg) {
	switch name {
	case "pip", "pip.__main__":
		r.pip(args)
	case "pipx", "uv", "poetry", "pdm", "pipenv", "conda", "mamba":
		r.command(name, args)
	case "easy_install":
		r.pipNames(args)
	}
}

func (r *reader) pipx(args []arg) {
	x := r.pipIndex()
	var specs, more []arg
	see := func(f flag) {
		switch {
		case f.name == "--spec" && f.value != nil:
			specs = append(specs, *f.value)
		case f.name == "--preinstall" && f.value != nil, f.name == "--with" && f.value != nil:
			more = append(more, *f.value)
		case f.name == "--pip-args" && f.value != nil:
			var words []arg
			for w := range strings.FieldsSeq(f.value.text) {
				words = append(words, word(w))
			}
			p := grammar{values: pipValues, plain: pipPlain}
			p.all(words, r.pipFlag(x))
		default:
			r.pipFlag(x)(f)
		}
	}
	g := grammar{
		values: "--spec --python -i --index-url --pip-args --suffix --preinstall --with --backend --fetch-missing-python-from -r --requirement",
		plain:  "--force --include-deps --verbose --quiet --system-site-packages --global --include-apps --editable --fetch-missing-python --pypackages --no-cache --with-suffix --force",
	}
	verb, rest := g.verb(args, see)
	switch verb {
	case "install", "install-all":
		words := g.all(rest, see)
		r.pipRead(append(more, override(specs, words)...), x)
	case "inject":
		words := g.all(rest, see)
		if len(words) > 0 {
			r.pipRead(words[1:], x)
		}
	case "run":
		words, _ := g.walk(rest, 1, see)
		r.pipRead(append(more, override(specs, words)...), x, runs)
	case "runpip":
		if i := g.first(rest, see); i < len(rest) {
			r.pip(rest[i+1:])
		}
	}
}

// override is words, or specs if there are any.
func override(specs, words []arg) []arg {
	if len(specs) > 0 {
		return specs
	}
	return words
}

func (r *reader) uv(args []arg) {
	x := r.pipIndex()
	// -e and --editable take a value for uv pip only.
	g := grammar{values: strings.ReplaceAll(uvValues, " -e --editable", ""), plain: uvPlain}
	verb, rest := g.verb(args, r.pipFlag(x))
	switch verb {
	case "add":
		r.pipRead(g.all(rest, r.pipFlag(x)), x)
	case "pip":
		g.values = uvValues
		sub, rest := g.verb(rest, r.pipFlag(x))
		if sub == "install" {
			r.pipRead(g.all(rest, r.pipFlag(x)), x)
		}
	case "tool":
		sub, rest := g.verb(rest, r.pipFlag(x))
		switch sub {
		case "install":
			r.uvTool(rest, x, false)
		case "run":
			r.uvTool(rest, x, true)
		}
	case "x":
		r.uvTool(rest, x, true)
	case "sync", "lock":
		g.all(rest, r.pipFlag(x)) // --project
		r.locks(args, "uv")
	case "run":
		r.uvRun(rest, x)
		r.locks(args, "uv")
	}
}

func (r *reader) uvx(args []arg) { r.uvTool(args, r.pipIndex(), true) }

// uvTool reads uvx X and uv tool install X with their --from and --with.
func (r *reader) uvTool(args []arg, x *index, run bool) {
	var from, with []arg
	see := func(f flag) {
		switch {
		case f.value == nil:
			r.pipFlag(x)(f)
		case f.name == "--from":
			from = append(from, *f.value)
		case f.name == "--with", f.name == "-w", f.name == "--with-executables-from":
			with = append(with, list(*f.value)...)
		default:
			r.pipFlag(x)(f)
		}
	}
	g := grammar{values: strings.ReplaceAll(uvValues, " -e --editable", ""), plain: uvPlain}
	var words []arg
	var change []func(*coord.Package)
	if run {
		words, _ = g.walk(args, 1, see)
		change = append(change, runs)
	} else {
		words = g.all(args, see)
	}
	if len(from) > 0 {
		words = from
	}
	if len(words) == 1 && run && versioned(head(words[0].text), "python") {
		words = nil // the interpreter itself
	}
	r.pipRead(append(words, with...), x, change...)
}

// head is a word up to its version.
func head(text string) string {
	text, _, _ = strings.Cut(text, "@")
	return text
}

// list splits the value of a flag that takes several at commas. A comma may
// also stand in a version: then what follows is no name.
func list(a arg) []arg {
	if a.why != "" || !strings.Contains(a.text, ",") {
		return []arg{a}
	}
	var out []arg
	for part := range strings.SplitSeq(a.text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		if len(out) > 0 && strings.ContainsAny(part[:1], "<>=!~") || len(out) > 0 && strings.Count(out[len(out)-1].text, "[") > strings.Count(out[len(out)-1].text, "]") {
			out[len(out)-1].text += "," + part
			continue
		}
		b := a
		b.text = part
		out = append(out, b)
	}
	return out
}

// uvRun reads the --with of uv run; the command itself is read on its own.
func (r *reader) uvRun(args []arg, x *index) {
	var with []arg
	g := grammar{values: strings.ReplaceAll(uvValues, " -e --editable", "") + " -m", plain: uvPlain}
	g.walk(args, 1, func(f flag) {
		if (f.name == "--with" || f.name == "-w") && f.value != nil {
			with = append(with, list(*f.value)...)
			return
		}
		r.pipFlag(x)(f)
	})
	r.pipRead(with, x, runs)
}

func (r *reader) poetry(args []arg) {
	x := r.pipIndex()
	source := ""
	see := func(f flag) {
		switch f.name {
		case "--source":
			if f.value != nil && !strings.EqualFold(f.value.text, "pypi") {
				source = f.value.text
			}
		case "-D":
			x.dev = true
		case "-C", "--directory", "-P", "--project":
			if f.value != nil {
				r.into(f.value)
			}
		case "-G", "--group":
			x.dev = x.dev || f.value != nil && f.value.text == "dev"
		default:
			if f.value == nil {
				r.pipFlag(x)(f)
			}
		}
	}
	g := grammar{
		values: "-G --group --source -E --extras --python --platform --markers -C --directory -P --project --optional=",
		plain:  "--dev --editable --optional --allow-prereleases --dry-run --lock --quiet --verbose --ansi --no-ansi --no-interaction",
	}
	verb, rest := g.verb(args, see)
	if verb == "self" {
		verb, rest = g.verb(rest, see)
	}
	if verb != "add" {
		if verb == "lock" || verb == "update" && len(g.all(rest, see)) == 0 {
			r.locks(args, "poetry")
		}
		return
	}
	words := g.all(rest, see)
	if source != "" {
		x.replaced = true
	}
	r.pipRead(words, x)
}

func (r *reader) pdm(args []arg) {
	x := r.pipIndex()
	g := grammar{
		values: "-G --group -p --project -L --lockfile -e --editable -c --config --venv -k --skip --override --update-strategy",
		plain:  "--dev --no-sync --save-compatible --save-wildcard --save-exact --save-minimum --update-reuse --update-eager --prerelease --unconstrained --no-self --frozen-lockfile --global --quiet --verbose --dry-run",
	}
	verb, rest := g.verb(args, r.pipFlag(x))
	if verb == "self" {
		verb, rest = g.verb(rest, r.pipFlag(x))
	}
	switch verb {
	case "add":
		r.pipRead(g.all(rest, r.pipFlag(x)), x)
	case "install", "lock":
		r.locks(args, "pdm")
	}
}

// locks tells of a command that brings the lockfile up to what the manifest
// says, unless a flag keeps it from that.
func (r *reader) locks(args []arg, tool string) {
	if !flagged(args, "--frozen --locked --no-sync --no-project --isolated --frozen-lockfile --check --no-lock --ignore-pipfile --deploy") {
		r.bare(coord.PyPI, tool)
	}
}

func (r *reader) pipenv(args []arg) {
	x := r.pipIndex()
	g := grammar{
		values: "-e --editable -r --requirements --requirementstxt -i --index --pypi-mirror --categories --python --extra-index-url --extra-pip-args",
		plain:  "--dev --system --deploy --ignore-pipfile --skip-lock --pre --verbose --quiet --clear --keep-outdated --selective-upgrade --site-packages --three",
	}
	see := func(f flag) {
		if (f.name == "-i" || f.name == "--index") && f.value != nil && !spec.PublicRegistry(f.value.text) && f.value.text != "pypi" {
			x.replaced = true
			return
		}
		r.pipFlag(x)(f)
	}
	verb, rest := g.verb(args, see)
	words := g.all(rest, see)
	switch {
	case verb == "install" && len(words)+len(x.files)+len(x.edits) == 0, verb == "lock", verb == "update" && len(words) == 0:
		r.locks(args, "pipenv")
	case verb == "install", verb == "upgrade" && len(words) > 0:
		r.pipRead(words, x)
	}
}

func (r *reader) rye(args []arg) {
	x := r.pipIndex()
	g := grammar{values: "--path --git --url --tag --branch --rev --features --optional --source", plain: "--dev --absolute --excluded --sync --pin --pre --quiet --verbose"}
	elsewhere := ""
	see := func(f flag) {
		switch f.name {
		case "--path":
			elsewhere = coord.Path
		case "--git":
			elsewhere = coord.Git
		case "--url":
			elsewhere = coord.URL
		default:
			r.pipFlag(x)(f)
		}
	}
	verb, rest := g.verb(args, see)
	if verb != "add" && verb != "install" {
		return
	}
	words := g.all(rest, see)
	if elsewhere != "" {
		r.read(words, elsewhere, spec.Python)
		return
	}
	r.pipRead(words, x)
}

const condaValues = "-n --name -p --prefix -c --channel --file -f --solver --subdir --platform --repodata-fn --revision --experimental --clone -r --root-prefix --rc-file"

func (r *reader) conda(args []arg) {
	var files []arg
	see := func(f flag) {
		if (f.name == "--file" || f.name == "-f") && f.value != nil {
			v := *f.value
			v.text = f.name + " " + v.text
			files = append(files, v)
		}
	}
	g := grammar{
		values: condaValues,
		plain:  "--yes --quiet --json --override-channels --update-all --freeze-installed --no-deps --only-deps --force-reinstall --strict-channel-priority --offline --dry-run --download-only --dev --use-local --copy --mkdir --update-deps --all",
	}
	verb, rest := g.verb(args, see)
	if verb == "env" {
		verb, rest = g.verb(rest, see)
		if verb != "create" && verb != "update" {
			return
		}
		g.all(rest, see)
		for _, f := range files {
			r.not(f.text, coord.RequirementsIn)
		}
		return
	}
	if verb != "install" && verb != "create" {
		return
	}
	words := g.all(rest, see)
	r.read(words, "", spec.Conda)
	for _, f := range files {
		r.not(f.text, coord.RequirementsIn)
	}
}

func (r *reader) pixi(args []arg) {
	pypi, elsewhere := false, ""
	see := func(f flag) {
		switch f.name {
		case "--pypi":
			pypi = true
		case "--git":
			elsewhere = coord.Git
		case "--path":
			elsewhere = coord.Path
		}
	}
	g := grammar{
		values: "--manifest-path --git --path --branch --tag --rev --subdir --platform -p --feature -f --environment -e --channel -c --with --expose",
		plain:  "--pypi --host --build --editable --frozen --locked --global --no-lockfile-update",
	}
	verb, rest := g.verb(args, see)
	if verb == "global" {
		verb, rest = g.verb(rest, see)
	}
	if verb != "add" && verb != "install" || verb == "install" && len(rest) == 0 {
		return
	}
	words := g.all(rest, see)
	if pypi {
		r.read(words, elsewhere, spec.Python)
		return
	}
	r.read(words, elsewhere, spec.Conda)
}
