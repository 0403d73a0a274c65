package install

import (
	"path"
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/spec"
)

// What npm, pnpm, Yarn and Bun have in common.
const (
	nodePlain = "--save --save-dev --save-exact --save-optional --save-peer --save-prod --save-bundle --dev --exact --optional --peer --production --prod " +
		"--global --force --legacy-peer-deps --strict-peer-deps --ignore-scripts --audit --fund --silent --verbose --quiet --yes --prefer-offline " +
		"--offline --dry-run --json --foreground-scripts --engine-strict --package-lock --package-lock-only --prefer-dedupe --progress --workspaces " +
		"--include-workspace-root --bin-links --install-links --global-style --ignore-workspace-root-check --workspace-root --frozen-lockfile --immutable " +
		"--recursive --parallel --shamefully-hoist --save-catalog --allow-build --lockfile-only --tilde --caret --interactive --cached --trust " +
		"--prefer-online --long --parseable --flat --non-interactive --check-files --audit --bun --ignore-engines --ignore-platform --development"
	npmValues = "--registry --prefix -C -w --workspace --tag --cache --userconfig --globalconfig --loglevel --omit --include --scope --otp --before " +
		"--min-release-age --install-strategy --save-prefix --cpu --os --libc --script-shell --fetch-retries --fetch-retry-factor --fetch-retry-mintimeout " +
		"--fetch-retry-maxtimeout --fetch-timeout --proxy --https-proxy --noproxy --cafile --ca --cert --key --maxsockets --node-options --access --only --depth --location --audit-level --shell"
	pnpmValues = "-C --dir -F --filter --filter-prod --registry --store-dir --virtual-store-dir --lockfile-dir --modules-dir --reporter --package --save-catalog-name " +
		"--loglevel --network-concurrency --child-concurrency --cpu --os --libc --config-dir --global-dir --global-bin-dir --test-pattern --resume-from --hoist-pattern --allow-build-list --workspace-concurrency --stream-prefix --save-prefix --use-node-version --fetch-timeout --cache-dir --tag --node-linker"
	yarnValues = "--registry --cwd --modules-folder --cache-folder --mutex --network-timeout --network-concurrency --proxy --https-proxy --preferred-cache-folder --global-folder --link-folder --use-yarnrc --prefix --mode --otp --tag --scope --update-checksums-in -p --package"
	bunValues  = "--cwd --registry -c --config --backend --cache-dir --omit --filter -F -p --package --ca --cafile --network-concurrency --concurrent-scripts --link-native-bins --cpu --os --linker --minimum-release-age --env-file --save-text-lockfile-path"
)

// node is what the flags of a Node tool said.
type node struct {
	registry string   // --registry
	scopes   []string // scopes with a registry of their own
	dev      bool
	skip     bool // from the lockfile, or never from the network
	packages []arg
	call     bool
	global   bool
	sibling  bool // pnpm add --workspace: only what the workspace has
}

// flag notes one flag; -w has a value only for some tools, so it is not here.
func (r *reader) nodeFlag(n *node) func(flag) {
	return func(f flag) {
		switch f.name {
		case "--registry":
			if f.value != nil {
				n.registry = f.value.text
			}
		case "--prefix", "-C", "--dir", "--cwd":
			if f.value != nil {
				r.into(f.value)
			}
		case "--save-dev", "-D", "--dev", "-d", "--development":
			n.dev = true
		case "--no-install", "--no":
			n.skip = true
		case "--frozen-lockfile", "--immutable":
			n.skip = n.skip || f.value == nil || f.value.text != "false"
		case "--package", "-p":
			if f.value != nil {
				n.packages = append(n.packages, *f.value)
			}
		case "-c", "--call":
			n.call = true
		case "-g", "--global":
			n.global = true
		case "--workspace":
			n.sibling = f.value == nil
		default:
			if scope, ok := strings.CutSuffix(f.name, ":registry"); ok && f.value != nil && !spec.PublicRegistry(f.value.text) {
				n.scopes = append(n.scopes, strings.TrimPrefix(scope, "--"))
			}
		}
	}
}

// npmOne reads a spec under the registry settings of n.
func (r *reader) npmOne(n *node) func(string) (coord.Package, string) {
	registry := n.registry
	if registry == "" {
		registry = r.env("npm_config_registry", "NPM_CONFIG_REGISTRY", "YARN_NPM_REGISTRY_SERVER", "YARN_REGISTRY", "BUN_CONFIG_REGISTRY")
	}
	custom := registry != "" && !spec.PublicRegistry(registry)
	return func(text string) (coord.Package, string) {
		p, why := spec.NPM(text)
		return r.npmElsewhere(n, custom, p, why)
	}
}

func (r *reader) npmElsewhere(n *node, custom bool, p coord.Package, why string) (coord.Package, string) {
	if why != "" || p.Name == "" {
		return p, why
	}
	if custom {
		return p, coord.CustomRegistry
	}
	if scope, _, ok := strings.Cut(p.Name, "/"); ok {
		for _, s := range n.scopes {
			if strings.EqualFold(s, scope) {
				return p, coord.CustomRegistry
			}
		}
	}
	p.Dev = n.dev
	p.Public = n.registry != ""
	return p, ""
}

// create reads X of create X.
func (r *reader) create(args []arg, n *node, g grammar, kept bool) {
	words, _ := g.walk(args, 1, r.nodeFlag(n))
	one := r.npmOne(n)
	r.read(words, "", func(text string) (coord.Package, string) {
		p, why := spec.NPMCreate(text, kept)
		if why != "" || p.Name == "" {
			return p, why
		}
		q, why := one(p.Name)
		if why != "" {
			return q, why
		}
		return p, ""
	}, runs)
}

func (r *reader) npm(args []arg) {
	var n node
	g := grammar{values: npmValues, plain: nodePlain}
	verb, rest := g.verb(args, r.nodeFlag(&n))
	switch verb {
	case "install", "i", "in", "ins", "inst", "insta", "instal", "isnt", "isnta", "isntal", "isntall", "add", "install-test", "it", "link", "ln":
		words := g.all(rest, r.nodeFlag(&n))
		if verb == "link" || verb == "ln" {
			words = names(words)
		} else if len(words) == 0 && !n.skip && !n.global {
			r.bare(coord.NPM, "npm")
		}
		r.read(words, "", r.npmOne(&n))
	case "exec", "x":
		r.npx(rest, &n)
	case "init", "create", "innit":
		r.create(rest, &n, g, false)
	case "pkg":
		r.npmPkg(rest)
	case "cache":
		if sub, rest := g.verb(rest, r.nodeFlag(&n)); sub == "add" {
			r.read(g.all(rest, r.nodeFlag(&n)), "", r.npmOne(&n))
		}
	}
}

// names drops the words that are paths: npm link ../x links a folder.
func names(words []arg) []arg {
	var out []arg
	for _, w := range words {
		if _, why := spec.NPM(w.text); why != coord.Path {
			out = append(out, w)
		}
	}
	return out
}

// npmPkg reads npm pkg set dependencies.x=1.
func (r *reader) npmPkg(args []arg) {
	g := grammar{values: npmValues, plain: nodePlain}
	words := g.all(args, nothing)
	if len(words) == 0 || words[0].text != "set" {
		return
	}
	for _, w := range words[1:] {
		key, value, ok := strings.Cut(w.text, "=")
		section, name, dotted := strings.Cut(key, ".")
		if !ok || !dotted || w.why != "" {
			continue
		}
		switch section {
		case "dependencies", "devDependencies", "peerDependencies", "optionalDependencies":
			name = strings.Trim(name, `[]"'`)
			p, why := spec.NPMValue(name, strings.Trim(value, `"'`))
			r.add(name, p, why)
		}
	}
}

const npxValues = npmValues + " -p --package -c --call -n --node-arg"

// npx reads what npx would fetch: the packages named by -p, else the first
// word.
func (r *reader) npx(args []arg, n *node) {
	g := grammar{values: npxValues, plain: nodePlain}
	words, _ := g.walk(args, 1, r.nodeFlag(n))
	r.run(words, n)
}

// run reads the packages of a runner: those given by flags, else the first word.
func (r *reader) run(words []arg, n *node) {
	if n.skip {
		return
	}
	if len(n.packages) > 0 {
		words = n.packages
	} else if n.call {
		return
	}
	r.read(words, "", r.npmOne(n), runs)
}

func (r *reader) dlx(args []arg) { r.dlxWith(args, &node{}) }

func (r *reader) pnpm(args []arg) {
	var n node
	g := grammar{values: pnpmValues, plain: nodePlain}
	verb, rest := g.verb(args, r.nodeFlag(&n))
	switch verb {
	case "add", "install", "i":
		words := g.all(rest, r.nodeFlag(&n))
		elsewhere := ""
		if n.sibling {
			elsewhere = coord.Workspace
		}
		if !n.skip {
			r.read(words, elsewhere, r.npmOne(&n))
			if len(words) == 0 && verb != "add" {
				r.bare(coord.NPM, "pnpm")
			}
		}
	case "dlx":
		r.dlxWith(rest, &n)
	case "create":
		r.create(rest, &n, g, true)
	case "pkg":
		r.npmPkg(rest)
	default:
		if i := g.first(args, nothing); i < len(args) && !pnpmVerb(verb) {
			r.pnpmBare(g.all(args, nothing), &n)
		}
	}
}

func (r *reader) dlxWith(args []arg, n *node) {
	g := grammar{values: pnpmValues + " -p --allow-build", plain: nodePlain}
	words, _ := g.walk(args, 1, r.nodeFlag(n))
	n.call = false
	r.run(words, n)
}

// pnpmBare reads pnpm WORD… without a verb that pnpm knows. It runs a script or
// a program of the project; where there is no project, the words are taken for
// packages whose "add" was forgotten.
func (r *reader) pnpmBare(words []arg, n *node) {
	if strings.Contains(words[0].text, ":") && !strings.Contains(words[0].text, "@") && !strings.Contains(words[0].text, "//") {
		return // test:unit
	}
	for dir := r.dir; dir != ""; dir = path.Dir(dir) {
		if r.o.ReadFile == nil {
			break
		}
		if _, err := r.o.ReadFile(path.Join(dir, "package.json")); err == nil {
			return
		}
		if dir == path.Dir(dir) {
			break
		}
	}
	r.read(words, "", r.npmOne(n), uncertain)
}

// pnpmVerb reports whether pnpm itself knows the verb, or scripts are commonly
// called so.
func pnpmVerb(v string) bool {
	return has("add install i update up upgrade remove rm uninstall un link ln unlink import rebuild rb prune fetch dedupe audit list ls la ll outdated why licenses "+
		"test t tst start stop restart run run-script exec dlx create init publish pack server store root bin setup config c get set env patch patch-commit patch-remove doctor "+
		"deploy pkg cache cat-file cat-index find-hash self-update approve-builds ignored-builds install-test it help login logout whoami version view info search docs home recursive m multi "+
		"build dev develop lint lint-fix format fmt typecheck type-check types tsc check clean coverage serve preview release watch prepare generate gen codegen storybook docs e2e unit ci bench bundle compile "+
		"migrate seed db cli site www web api app server client "+
		"vitest jest mocha ava tap eslint prettier tsx ts-node vite next nuxt astro nx turbo playwright cypress rimraf husky lerna changeset biome tsup rollup webpack esbuild prisma drizzle-kit wrangler svelte-kit svelte-check", v)
}

func (r *reader) yarn(args []arg) {
	var n node
	g := grammar{values: yarnValues, plain: nodePlain}
	verb, rest := g.verb(args, r.nodeFlag(&n))
	if verb == "workspace" && len(rest) > 1 {
		rest = rest[1:]
		verb, rest = g.verb(rest, r.nodeFlag(&n))
	}
	if verb == "workspaces" && len(rest) > 0 && rest[0].text == "foreach" {
		each := grammar{values: "--from --include --exclude -j --jobs"}
		verb, rest = each.verb(rest[1:], nothing)
	}
	if verb == "global" && len(rest) > 0 {
		verb, rest = g.verb(rest, r.nodeFlag(&n))
		if verb != "add" {
			return
		}
	}
	switch verb {
	case "", "install":
		if len(g.all(rest, r.nodeFlag(&n))) == 0 && !n.skip && (verb != "" || g.first(args, nothing) == len(args) && !asks(args)) {
			r.bare(coord.NPM, "yarn")
		}
	case "add":
		r.read(g.all(rest, r.nodeFlag(&n)), "", r.npmOne(&n))
	case "dlx":
		words, _ := g.walk(rest, 1, r.nodeFlag(&n))
		r.run(words, &n)
	case "create", "init":
		if verb == "create" {
			r.create(rest, &n, g, false)
		}
	}
}

// asks reports whether arguments ask for the version or for help.
func asks(args []arg) bool {
	for i := range args {
		switch args[i].text {
		case "--version", "-v", "-V", "--help", "-h":
			return true
		}
	}
	return false
}

// flagged reports whether one of some flags, between blanks, is among the
// arguments.
func flagged(args []arg, flags string) bool {
	for i := range args {
		if args[i].text == "--" {
			return false
		}
		if strings.HasPrefix(args[i].text, "-") && has(flags, args[i].text) {
			return true
		}
	}
	return false
}

func (r *reader) bun(args []arg) {
	var n node
	g := grammar{values: bunValues, plain: nodePlain}
	verb, rest := g.verb(args, r.nodeFlag(&n))
	switch verb {
	case "add", "a", "install", "i":
		words := g.all(rest, r.nodeFlag(&n))
		n.call = false
		if !n.skip {
			r.read(words, "", r.npmOne(&n))
			if len(words) == 0 && !n.global && verb[0] == 'i' {
				r.bare(coord.NPM, "bun")
			}
		}
	case "x":
		r.bunx(rest)
	case "create", "c":
		r.create(rest, &n, g, true)
	}
}

func (r *reader) bunx(args []arg) {
	var n node
	g := grammar{values: "-p --package", plain: nodePlain}
	words, _ := g.walk(args, 1, r.nodeFlag(&n))
	r.run(words, &n)
}

// deno: npm: names are of the npm registry, the others of JSR or of nobody.
func (r *reader) deno(args []arg) {
	g := grammar{
		values: "-c --config --cert --import-map --lock -n --name --root -L --log-level --node-modules-dir --location --seed --ext --env-file -A=x --minimum-dependency-age",
		plain:  "--allow-all --dev --global --force --quiet --reload --npm --jsr --no-check --unstable --cached-only",
	}
	verb, rest := g.verb(args, nothing)
	implied := ""
	see := func(f flag) {
		if f.name == "--npm" {
			implied = "npm:"
		}
	}
	one := func(text string) (coord.Package, string) {
		if !strings.Contains(text, ":") && text[0] != '.' && text[0] != '/' {
			text = implied + text
		}
		switch {
		case strings.HasPrefix(text, "npm:"):
			// A runner may name a program of it behind the version: npm:x@1/bin.
			text = strings.TrimPrefix(strings.TrimPrefix(text, "npm:"), "/")
			return r.npmOne(&node{})(denoPackage(text))
		case strings.HasPrefix(text, "http:"), strings.HasPrefix(text, "https:"):
			return coord.Package{}, coord.URL
		case strings.HasPrefix(text, "jsr:"):
			return coord.Package{}, coord.OtherRegistry
		case strings.HasPrefix(text, "."), strings.HasPrefix(text, "/"), strings.HasPrefix(text, "file:"):
			return coord.Package{}, coord.Path
		}
		return coord.Package{}, coord.OtherRegistry
	}
	some := func(text string) (coord.Package, string) {
		if !strings.Contains(text, ":") {
			return coord.Package{}, "" // a file of the project
		}
		return one(text)
	}
	switch verb {
	case "add":
		r.read(nonEmpty(g.all(rest, see)), "", one)
	case "install", "i", "cache":
		r.read(nonEmpty(g.all(rest, see)), "", some)
	case "run", "serve", "x", "create", "compile":
		words, _ := g.walk(rest, 1, see)
		r.read(nonEmpty(words), "", some, runs)
	}
}

// denoPackage is x@1 of x@1/bin.
func denoPackage(text string) string {
	from := 0
	if strings.HasPrefix(text, "@") {
		if i := strings.IndexByte(text, '/'); i > 0 {
			from = i + 1
		}
	}
	if i := strings.IndexByte(text[from:], '/'); i >= 0 {
		return text[:from+i]
	}
	return text
}

func nonEmpty(words []arg) []arg {
	var out []arg
	for _, w := range words {
		if w.text != "" {
			out = append(out, w)
		}
	}
	return out
}

// rush add -p NAME.
func (r *reader) rush(args []arg) {
	var n node
	g := grammar{values: "-p --package --variant", plain: "--dev --exact --caret --make-consistent --all --skip-update --peer"}
	words := g.all(args, r.nodeFlag(&n))
	if len(words) > 0 && words[0].text != "add" {
		return // remove
	}
	r.read(n.packages, "", r.npmOne(&n))
}

// nodeAdd reads the add verb of tools that call a package manager.
func (r *reader) nodeAdd(name string, args []arg) {
	var n node
	g := grammar{values: npmValues + " --project -p --skip-confirmation --defaults -c --configuration", plain: nodePlain + " --skip-confirmation --defaults --interactive"}
	verb, rest := g.verb(args, nothing)
	switch {
	case verb == "add", name == "expo" && verb == "install":
		words := g.all(rest, r.nodeFlag(&n))
		if name != "expo" && len(words) > 1 {
			words = words[:1]
		}
		r.read(words, "", r.npmOne(&n))
	}
}

// ni NAME… installs with the package manager of the project.
func (r *reader) ni(args []arg) {
	var n node
	g := grammar{values: npmValues, plain: nodePlain}
	r.read(g.all(args, r.nodeFlag(&n)), "", r.npmOne(&n))
}
