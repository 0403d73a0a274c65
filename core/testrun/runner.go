package testrun

import (
	"path"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// A run is one command that runs tests.
type run struct {
	name string  // plain name of the runner
	read readers // forms that its output may have

	nothing string // the flag with which it runs no test
	watch   string // the flag with which it does not end
	masks   string // the flag with which it hides failures
	vague   bool   // green without a count proves nothing (go test -exec, -bench)
	counts  bool   // it was told to print tests, so a green line without them proves nothing
	many    bool   // it runs several runners, one below the other: workspaces, targets
	scoped  bool
	rewrite bool

	// A tool that runs runners: its script or target may be read, and perhaps
	// says that only the text tells whether it ran tests at all.
	tool    tool
	targets []string
	dir     string // its own flag for a directory
	perhaps bool   // by its name it may run tests: a summary tells
	unnamed bool   // nothing in its name says so: only its file tells

	packages []string
}

// tool is a program that runs what a file of the project says.
type tool uint8

const (
	noTool tool = iota
	npmTool
	makeTool
	otherTool
)

// argv is a command's words as text; what is known at run time only holds
// shellcmd.Unknown.
type argv []string

func (a argv) has(flags ...string) bool {
	for _, w := range a {
		for _, f := range flags {
			if w == f || len(w) > len(f) && w[:len(f)] == f && w[len(f)] == '=' {
				return true
			}
		}
	}
	return false
}

// on is has, less what is switched off: --watch=false.
func (a argv) on(flags ...string) string {
	for i, w := range a {
		for _, f := range flags {
			if w == f && !(i+1 < len(a) && a[i+1] == "false") || strings.HasPrefix(w, f+"=") && w != f+"=false" {
				return f
			}
		}
	}
	return ""
}

// value returns the value of an option, in the same word or the next.
func (a argv) value(flags ...string) (string, bool) {
	for i, w := range a {
		for _, f := range flags {
			if w == f && i+1 < len(a) {
				return a[i+1], true
			}
			if v, ok := strings.CutPrefix(w, f+"="); ok {
				return v, true
			}
		}
	}
	return "", false
}

// operands are the words that are no options. Those of the options in valued
// take the next word with them.
func (a argv) operands(valued ...string) []string {
	var out []string
	for i := 0; i < len(a); i++ {
		w := a[i]
		switch {
		case w == "--":
		case strings.HasPrefix(w, "-") && w != "-":
			if slices.Contains(valued, w) {
				i++
			}
		default:
			out = append(out, w)
		}
	}
	return out
}

// until cuts a at the first word that is end.
func (a argv) until(end string) argv {
	if i := slices.Index(a, end); i >= 0 {
		return a[:i]
	}
	return a
}

// after is what follows the first word that is end.
func (a argv) after(end string) argv {
	if i := slices.Index(a, end); i >= 0 {
		return a[i+1:]
	}
	return nil
}

// sub skips options before a subcommand.
func (a argv) sub(valued ...string) argv {
	for len(a) > 0 && strings.HasPrefix(a[0], "-") {
		if slices.Contains(valued, a[0]) && len(a) > 1 {
			a = a[1:]
		}
		a = a[1:]
	}
	return a
}

func wordsOf(c *shellcmd.Command) argv {
	out := make(argv, len(c.Argv))
	for i := range c.Argv {
		out[i] = c.Argv[i].Text
	}
	return out
}

// runnerOf says what a command runs, if it runs tests.
func runnerOf(c *shellcmd.Command) (run, bool) {
	if c.Program == "" || len(c.Argv) == 0 {
		return run{}, false
	}
	r, ok := classify(c.Program, wordsOf(c)[1:], 0)
	if !ok {
		return run{}, false
	}
	environment(c, &r)
	return r, true
}

// environment adds what variables add to a runner's flags.
func environment(c *shellcmd.Command, r *run) {
	add := func(name, program string, head ...string) {
		w, ok := c.Getenv(name)
		if !ok || w.Text == "" {
			return
		}
		flags := strings.Fields(w.Text)
		if name == "MAKEFLAGS" && len(flags) > 0 && !strings.ContainsAny(flags[0], "-=") {
			flags[0] = "-" + flags[0] // its first word needs no dash
		}
		more, ok := classify(program, append(head, flags...), 0)
		if !ok {
			return
		}
		if r.nothing == "" && more.nothing != "" {
			r.nothing = name
		}
		if r.masks == "" && more.masks != "" {
			r.masks = name
		}
		r.scoped = r.scoped || more.scoped
	}
	switch r.name {
	case "go test", "gotestsum":
		add("GOFLAGS", "go", "test")
	case "pytest":
		add("PYTEST_ADDOPTS", "pytest")
	case "make":
		add("MAKEFLAGS", "make", "test")
	case "mvn":
		add("MAVEN_ARGS", "mvn", "test")
	case "rspec":
		add("SPEC_OPTS", "rspec")
	}
}

const maxHops = 4 // runners inside runners: nyc node --test, coverage run -m pytest

// programOf is the plain name of a program or script: no directory, no .exe,
// no .js.
func programOf(s string) string {
	if i := strings.LastIndexAny(s, `/\`); i >= 0 {
		s = s[i+1:]
	}
	s = strings.ToLower(s)
	for _, ext := range [...]string{".exe", ".cmd", ".bat", ".js", ".mjs", ".cjs", ".phar", ".ps1"} {
		s = strings.TrimSuffix(s, ext)
	}
	return s
}

// classify says what program with args runs. The list of runners is the list of
// cases.
func classify(program string, a argv, hops int) (run, bool) {
	if hops > maxHops {
		return run{}, false
	}
	switch program {
	case "go", "go.test", "gotip":
		return goRun(a, hops)
	case "gotest", "richgo", "gow":
		if program != "gotest" && len(a) > 0 && a[0] == "test" {
			a = a[1:]
		}
		r := goFlags(a)
		return r, true
	case "gotestsum":
		return gotestsumRun(a)
	case "ginkgo":
		if len(a) > 0 && slices.Contains([]string{"version", "help", "build", "generate", "bootstrap", "nodot", "labels", "outline", "unfocus", "watch"}, a[0]) {
			return run{name: "ginkgo", read: readsGinkgo | readsGo, watch: a[0]}, a[0] == "watch"
		}
		r := run{name: "ginkgo", read: readsGinkgo | readsGo, scoped: a.has("--focus", "-focus", "--skip", "-skip", "--label-filter")}
		r.nothing = first(a, "--dry-run", "-dry-run", "--dryRun", "--help", "-h")
		return r, true
	case "cargo", "cross":
		return cargoRun(a, hops)
	case "cargo-nextest":
		return cargoRun(a, hops)
	case "python", "pypy", "py", "pythonw", "ipython", "coverage", "uv-run":
		return pythonRun(program, a, hops)
	case "pytest", "py.test", "pytest-3", "pytest3":
		return pytestRun(a), true
	case "ptw", "pytest-watch", "pytest-watcher":
		return run{name: "pytest", read: readsPytest, watch: program}, true
	case "nosetests", "nosetests3", "nose2", "nose2-3", "trial", "trial3", "green", "stestr", "unit2", "zope-testrunner":
		return unittestRun(a), true
	case "django-admin":
		if len(a) > 0 && a[0] == "test" {
			return unittestRun(a[1:]), true
		}
	case "behave", "cucumber", "cucumber-js":
		r := run{name: program, read: readsCucumber, scoped: a.has("--tags", "-t", "--name", "-n")}
		r.nothing = first(a, "--dry-run", "-d", "--help")
		return r, true
	case "tox", "nox":
		r := other(program, a)
		r.nothing = first(a, "-l", "--list", "-a", "--listenvs", "--notest", "--install-only", "--help", "--version", "--showconfig")
		return r, true
	case "node", "nodejs", "tsx", "ts-node", "electron-mocha-node":
		return nodeRun(program, a, hops)
	case "c8", "nyc", "istanbul", "dotenv-flow", "env-cmd", "cross-env", "react-app-rewired", "electron", "xvfb-maybe":
		rest := a.sub("--reporter", "-r", "--reports-dir", "--include", "-n", "--exclude", "-x", "--temp-directory", "--report-dir", "-f")
		if len(rest) > 0 && rest[0] == "cover" {
			rest = rest[1:].sub()
		}
		if len(rest) > 0 {
			return classify(programOf(rest[0]), rest[1:], hops+1)
		}
	case "jest", "react-scripts", "craco", "razzle", "rescripts", "jest-cli":
		return jestRun(program, a)
	case "vitest":
		return vitestRun(a)
	case "mocha", "_mocha", "electron-mocha", "mochapack", "lab":
		return mochaRun(a)
	case "ava":
		r := run{name: "ava", read: readsAva | readsTAP, watch: a.on("-w", "--watch"), scoped: a.has("-m", "--match") || len(a.operands("-m", "--match", "-c", "--concurrency", "-T", "--timeout")) > 0}
		r.nothing = first(a, "--help", "--version", "reset-cache", "debug")
		return r, true
	case "jasmine", "jasmine-node", "jasmine-ts":
		r := run{name: "jasmine", read: readsRSpec | readsTAP, scoped: a.has("--filter")}
		r.nothing = first(a, "init", "examples", "help", "version", "enumerate")
		return r, true
	case "karma", "ng", "wdio", "testem", "wtr", "web-test-runner", "testcafe", "nightwatch", "lerna-test", "vue-cli-service":
		return browserRun(program, a)
	case "playwright":
		if len(a) == 0 || a[0] != "test" {
			return run{}, false
		}
		r := run{name: "playwright", read: readsPlaywright | readsTAP | readsXML, scoped: a.has("-g", "--grep", "--project", "--last-failed") || len(a.operands()) > 1}
		r.nothing = first(a, "--list", "--help")
		r.watch = a.on("--ui", "--debug")
		r.rewrite = a.has("-u", "--update-snapshots")
		return r, true
	case "cypress":
		if len(a) > 0 && a[0] == "run" {
			return run{name: "cypress", read: readsMocha, scoped: a.has("--spec", "-s")}, true
		}
		return run{name: "cypress", read: readsMocha, watch: "open"}, len(a) > 0 && a[0] == "open"
	case "tap", "tape", "tapx", "uvu", "zora", "borp", "brittle", "qunit", "bats", "shellspec", "faucet":
		r := run{name: program, read: readsTAP | readsMinitest | readsXML | readsRSpec | readsMocha | readsNative, scoped: a.has("-f", "--filter", "--filter-tags", "-g", "--grep")}
		r.nothing = first(a, "--count", "-c", "--version", "-v", "--help", "-h")
		if r.nothing == "-v" || r.nothing == "-c" && program != "bats" {
			r.nothing = ""
		}
		r.watch = a.on("--watch", "-w")
		return r, true
	case "prove":
		r := run{name: "prove", read: readsTAP | readsSmall}
		r.nothing = first(a, "-D", "--dry", "--help", "--version")
		if !a.has("-v", "--verbose", "-r", "-rv", "-lv", "-vr") {
			r.read = readsSmall
		}
		return r, true
	case "bun":
		return bunRun(a, hops)
	case "deno":
		return denoRun(a)
	case "npm", "pnpm", "yarn", "yarnpkg", "cnpm", "berry":
		return npmRun(program, a, hops)
	case "npm-run-all", "npm-run-all2", "run-s", "run-p", "concurrently", "turbo", "nx", "lerna", "wsrun", "moon", "rush", "wireit", "lage", "ultra", "grunt", "gulp", "just", "task", "go-task",
		"invoke", "inv", "mage", "earthly", "dagger", "cargo-make", "makers", "rake", "composer", "lein", "sbt", "mill", "pants", "buck", "buck2", "please", "plz", "hatch-test", "doit", "tsdx", "aegir", "xo-test":
		return targetRun(program, a)
	case "bazel", "bazelisk":
		if sub := a.sub(); len(sub) > 0 && (sub[0] == "test" || sub[0] == "coverage") {
			r := other("bazel", a)
			r.scoped = a.has("--test_filter", "--test_tag_filters")
			return r, true
		}
	case "rails", "spring", "bin/rails":
		return railsRun(a, hops)
	case "rspec", "parallel_rspec", "turbo_tests", "crystal":
		if program == "crystal" {
			if len(a) == 0 || a[0] != "spec" {
				return run{}, false
			}
			a = a[1:]
		}
		r := run{name: program, read: readsRSpec | readsJSON | readsXML}
		r.nothing = first(a, "--dry-run", "--help", "-h", "--version", "-v", "--init", "--bisect")
		r.packages = a.operands("-f", "--format", "-e", "--example", "-t", "--tag", "-r", "--require", "-o", "--out", "--seed", "-P", "--pattern", "-E", "-I")
		r.scoped = len(r.packages) > 0 || a.has("-e", "--example", "-t", "--tag", "-E", "--only-failures", "-n", "--next-failure")
		return r, true
	case "ruby", "jruby", "truffleruby", "m", "minitest", "mtest":
		return rubyRun(program, a, hops)
	case "phpunit", "pest", "paratest", "simple-phpunit", "codecept", "phpspec", "kahlan":
		return phpunitRun(program, a)
	case "php":
		rest := a.sub("-d", "-c")
		if len(rest) > 0 {
			if rest[0] == "artisan" || strings.HasSuffix(rest[0], "/artisan") {
				if len(rest) > 1 && (rest[1] == "test" || rest[1] == "dusk") {
					return phpunitRun("pest", rest[2:])
				}
				return run{}, false
			}
			return classify(programOf(rest[0]), rest[1:], hops+1)
		}
	case "ctest", "ctest3":
		r := run{name: "ctest", read: readsCTest | readsXML, scoped: a.has("-R", "--tests-regex", "-E", "-L", "-I", "--rerun-failed", "--label-regex", "--exclude-regex")}
		r.nothing = first(a, "-N", "--show-only", "--print-labels", "--help", "--version")
		r.packages = nil
		return r, true
	case "cmake":
		if t, ok := a.value("--target", "-t"); ok && a.has("--build") && (t == "test" || t == "check" || t == "RUN_TESTS") {
			return run{name: "ctest", read: readsAll, tool: otherTool}, true
		}
		return run{}, false
	case "meson":
		if len(a) > 0 && a[0] == "test" {
			return run{name: "meson test", read: readsSmall | readsTAP, nothing: first(a, "--list")}, true
		}
	case "mvn", "mvnw", "mvnd":
		return mavenRun(a)
	case "gradle", "gradlew":
		return gradleRun(a)
	case "dotnet", "vstest.console":
		if program == "dotnet" && (len(a) == 0 || a[0] != "test" && a[0] != "vstest") {
			return run{}, false
		}
		return run{name: "dotnet test", read: readsDotnet, nothing: first(a, "-t", "--list-tests", "--help"), scoped: a.has("--filter")}, true
	case "swift":
		if len(a) > 0 && a[0] == "test" {
			return run{name: "swift test", read: readsSwift, nothing: first(a, "list", "-l", "--list-tests", "--help"), scoped: a.has("--filter", "--skip", "-s")}, true
		}
	case "xcodebuild":
		if slices.Contains(a, "test") || slices.Contains(a, "test-without-building") {
			return run{name: "xcodebuild test", read: readsSwift, scoped: slices.ContainsFunc(a, func(w string) bool { return strings.HasPrefix(w, "-only-testing") })}, true
		}
	case "mix":
		if len(a) > 0 && (a[0] == "test" || a[0] == "coveralls" || a[0] == "espec") {
			rest := a[1:]
			r := run{name: "mix test", read: readsMinitest | readsRSpec, scoped: rest.has("--only", "--exclude", "--stale", "--failed") || len(rest.operands("--only", "--exclude", "--include", "--seed")) > 0}
			r.watch = rest.on("--listen-on-stdin")
			return r, true
		}
	case "elixir":
		return run{}, false
	case "flutter", "dart":
		if len(a) > 0 && a[0] == "test" {
			return run{name: program + " test", read: readsSmall, scoped: a.has("--name", "-n", "--plain-name", "--tags", "-t") || len(a.operands()) > 1}, true
		}
	case "zig":
		if len(a) > 0 && (a[0] == "test" || a[0] == "build" && slices.Contains(a, "test")) {
			return run{name: "zig test", read: readsSmall}, true
		}
	case "busted":
		return run{name: "busted", read: readsSmall | readsTAP | readsNative | readsXML, nothing: first(a, "--list", "-l", "--help"), scoped: a.has("--filter", "-t", "--tags")}, true
	case "forge":
		if len(a) > 0 && (a[0] == "test" || a[0] == "coverage") {
			return run{name: "forge test", read: readsSmall | readsCargo, nothing: first(a, "-l", "--list"), watch: a.on("-w", "--watch"), scoped: a.has("--match-test", "--mt", "--match-contract", "--mc", "--match-path")}, true
		}
	case "hardhat", "truffle", "anchor", "aiken", "nargo", "sui", "aptos", "stack", "cabal", "dune", "julia", "nimble", "gleam", "elm-test", "alire", "alr", "fpm", "opam", "rebar3", "scarb", "snforge", "clj", "clojure", "ocaml", "racket", "raco", "bb", "lake":
		if slices.Contains(a, "test") || program == "elm-test" || slices.ContainsFunc(a, func(w string) bool { return cljTest(program, w) || program == "julia" && juliaTest(w) }) || slices.Contains(a, "eunit") || slices.Contains(a, "ct") || program == "dune" && slices.Contains(a, "runtest") {
			return other(program, a), true
		}
	case "kaocha", "invoke-pester":
		return other(program, a), true
	case "r", "rscript":
		if slices.ContainsFunc(a, func(w string) bool {
			return strings.Contains(w, "devtools::test(") || strings.Contains(w, "testthat::test") || strings.Contains(w, "tinytest::") || strings.Contains(w, "test_dir(") || strings.Contains(w, "test_local(")
		}) {
			return other(program, a), true
		}
	case "mise", "rtx":
		if len(a) > 1 && (a[0] == "run" || a[0] == "r") && testName(a[1]) == yes {
			r := other(program, a)
			return r, true
		}
	case "hatch", "rye", "pdm", "poetry", "uv", "pixi", "poe", "pipenv", "taskipy", "conda", "devbox":
		// what they run as a child is a command of its own; these are their own verbs
		if len(a) > 0 && (a[0] == "test" || a[0] == "cov" || a[0] == "run" && len(a) > 1 && testName(a[1]) == yes) {
			r := other(program, a)
			r.perhaps = a[0] == "run"
			return r, true
		}
	case "make", "gmake", "bmake", "nmake", "mingw32-make", "ninja", "samu":
		return makeRun(program, a)
	case "sh", "bash", "zsh", "dash", "ksh", "pwsh", "powershell", "source", ".":
		return scriptRun(a)
	default:
		if strings.HasPrefix(program, "python") || strings.HasPrefix(program, "pypy") {
			return pythonRun("python", a, hops)
		}
		if strings.HasPrefix(program, "phpunit") || strings.HasPrefix(program, "pytest-") {
			if program[1] == 'h' {
				return phpunitRun("phpunit", a)
			}
			return pytestRun(a), true
		}
		return namedScript(program)
	}
	return run{}, false
}

// cljTest reports whether a word of clj runs an alias or task of tests.
func cljTest(program, w string) bool {
	return (program == "clj" || program == "clojure") && len(w) > 2 && w[0] == '-' && strings.Contains("XMTA", w[1:2]) && strings.HasSuffix(w, "test")
}

func juliaTest(w string) bool {
	return strings.Contains(w, "Pkg.test(") || strings.HasSuffix(w, "runtests.jl")
}

// runsTasks reports whether what a program runs may be a task of the project's own
// rather than a program.
func runsTasks(program string) bool {
	switch program {
	case "hatch", "rye", "pdm", "poetry", "uv", "pixi", "pipenv", "devbox":
		return true
	}
	return false
}

// first returns the first of flags that stands in a, as a word or with "=".
func first(a argv, flags ...string) string {
	for _, f := range flags {
		if a.has(f) {
			return f
		}
	}
	return ""
}

// other is a tool whose output has the form of whatever it runs.
func other(name string, a argv) run {
	return run{name: name, read: readsAll, tool: otherTool, targets: a.operands()}
}

func goRun(a argv, hops int) (run, bool) {
	a = a.sub("-C")
	if len(a) == 0 {
		return run{}, false
	}
	switch a[0] {
	case "test":
		return goFlags(a[1:]), true
	case "tool", "run":
		rest := a[1:].sub("-mod", "-tags", "-modfile")
		if len(rest) > 0 {
			name := before(rest[0], "@")
			if r, ok := classify(programOf(path.Base(name)), rest[1:], hops+1); ok && r.tool == noTool {
				return r, true
			}
		}
	}
	return run{}, false
}

// goFlags reads the flags of go test, with one dash or two.
func goFlags(a argv) run {
	r := run{name: "go test", read: readsGo}
	bench := false
	for i := 0; i < len(a); i++ {
		w := a[i]
		if w == "-args" || w == "--args" {
			break
		}
		if !strings.HasPrefix(w, "-") || len(w) < 2 {
			r.packages = append(r.packages, w)
			continue
		}
		name, val, eq := strings.Cut(strings.TrimLeft(w, "-"), "=")
		name = strings.TrimPrefix(name, "test.")
		switch name {
		case "run", "skip", "bench", "count", "list", "exec", "tags", "timeout", "parallel", "p", "cpu", "covermode", "coverpkg", "coverprofile", "o", "vet", "mod", "modfile", "ldflags", "gcflags",
			"shuffle", "fuzz", "fuzztime", "benchtime", "cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace", "outputdir", "C", "overlay", "pkgdir", "asmflags", "buildmode", "compiler", "toolexec", "failfast-after":
			if !eq && i+1 < len(a) {
				i++
				val = a[i]
			}
		}
		switch name {
		case "c", "n", "list", "h", "help":
			if val != "false" {
				r.nothing = "-" + name
			}
		case "exec":
			switch programOf(before(val, " ")) {
			case "true", "echo", ":", "false", "/bin/true":
				r.nothing = "-exec"
			default:
				r.vague = true
			}
		case "count":
			if val == "0" {
				r.nothing = "-count=0"
			}
		case "run":
			r.scoped = true
			if val == "^$" || val == "$^" || val == "a^" {
				r.nothing = "-run " + val
			}
		case "skip":
			r.scoped = true
			if val == "." || val == ".*" {
				r.nothing = "-skip " + val
			}
		case "bench", "fuzz":
			bench = true
		case "short":
			r.scoped = true
		case "v", "json":
			r.counts = val != "false"
		case "u", "update", "golden":
			r.rewrite = true
		}
	}
	if bench && r.scoped {
		r.vague = true
	}
	if !slices.ContainsFunc(r.packages, func(p string) bool { return strings.HasSuffix(p, "...") }) {
		r.scoped = true
	}
	return r
}

func gotestsumRun(a argv) (run, bool) {
	own := a.until("--")
	r := goFlags(a.after("--"))
	r.name, r.read, r.counts = "gotestsum", readsGo|readsGotestsum, false
	if len(own) > 0 && (own[0] == "tool" || own[0] == "help") {
		return run{}, false
	}
	if f := first(own, "--version", "--help", "-h"); f != "" {
		r.nothing = f
	}
	r.watch = own.on("--watch", "-w", "--watch-chdir")
	if v, ok := own.value("--packages"); ok {
		r.packages = append(r.packages, strings.Fields(v)...)
	}
	return r, true
}

func cargoRun(a argv, hops int) (run, bool) {
	if len(a) > 0 && strings.HasPrefix(a[0], "+") {
		a = a[1:]
	}
	a = a.sub("--config", "-Z", "-C", "--color", "--manifest-path")
	if len(a) == 0 {
		return run{}, false
	}
	r := run{name: "cargo test", read: readsCargo}
	rest := a[1:]
	switch a[0] {
	case "test", "t", "llvm-cov", "tarpaulin", "insta":
		if a[0] == "llvm-cov" && len(rest) > 0 && (rest[0] == "report" || rest[0] == "clean" || rest[0] == "show-env") {
			return run{}, false
		}
		if a[0] == "insta" && (len(rest) == 0 || rest[0] != "test") {
			return run{}, false
		}
	case "nextest":
		rest = rest.sub()
		if len(rest) == 0 || rest[0] != "run" && rest[0] != "r" && rest[0] != "list" && rest[0] != "archive" {
			return run{}, false
		}
		r.name = "cargo nextest"
		if rest[0] == "list" || rest[0] == "archive" {
			r.nothing = rest[0]
		}
		rest = rest[1:]
	case "miri", "careful", "hack":
		return cargoRun(rest.sub(), hops+1)
	case "watch", "bacon":
		return run{name: "cargo test", read: readsCargo, watch: "watch"}, slices.ContainsFunc(rest, func(w string) bool { return strings.Contains(w, "test") })
	case "make", "xtask", "task":
		return targetRun("cargo "+a[0], rest)
	default:
		return run{}, false
	}
	own, harness := rest.until("--"), rest.after("--")
	r.nothing = first(own, "--no-run", "--help", "-h")
	if f := first(harness, "--list", "--help"); f != "" {
		r.nothing = f
	}
	filters := own.operands("-p", "--package", "--test", "--bin", "--example", "--bench", "-F", "--features", "-j", "--jobs", "--target", "--target-dir", "--manifest-path", "--profile", "--color", "--message-format", "--exclude", "-E", "--config", "-Z")
	r.packages = append(r.packages, filters...)
	r.scoped = len(filters) > 0 || len(harness.operands("--test-threads", "--color", "--format", "--skip")) > 0 ||
		own.has("-p", "--package", "--lib", "--bins", "--bin", "--test", "--doc", "--example", "--exclude", "-E", "--filter-expr") || harness.has("--skip", "--exact", "--ignored")
	return r, true
}

func pythonRun(program string, a argv, hops int) (run, bool) {
	if program == "coverage" {
		if len(a) == 0 || a[0] != "run" {
			return run{}, false
		}
		a = a[1:]
	}
	for i := 0; i < len(a); i++ {
		w := a[i]
		switch {
		case w == "-m" && i+1 < len(a):
			return pythonModule(a[i+1], a[i+2:], hops)
		case strings.HasPrefix(w, "-m") && len(w) > 2 && w[2] != '-':
			return pythonModule(w[2:], a[i+1:], hops)
		case w == "-c":
			return run{}, false // its code is a command of its own
		case w == "-W" || w == "-X" || w == "--source" || w == "--include" || w == "--omit" || w == "--rcfile" || w == "--data-file":
			i++
		case strings.HasPrefix(w, "-"):
			if len(w) > 2 && w[1] != '-' && strings.HasSuffix(w, "m") && i+1 < len(a) { // -sm pytest
				return pythonModule(a[i+1], a[i+2:], hops)
			}
		default:
			base := path.Base(strings.ReplaceAll(w, `\`, "/"))
			switch {
			case base == "manage.py" || base == "setup.py":
				if i+1 < len(a) && (a[i+1] == "test" || a[i+1] == "pytest") {
					r := unittestRun(a[i+2:])
					r.read |= readsPytest
					return r, true
				}
				return run{}, false
			case base == "pytest" || base == "py.test":
				return pytestRun(a[i+1:]), true
			case base == "x.py" && i+1 < len(a) && a[i+1] == "test":
				return other("x.py", a[i+1:]), true
			case !strings.HasSuffix(base, ".py"):
				return run{}, false
			case strings.HasPrefix(base, "test_"), strings.HasSuffix(base, "_test.py"), base == "tests.py", base == "test.py", base == "runtests.py", base == "run_tests.py", base == "run_test.py":
				return run{name: "python", read: readsUnittest | readsPytest | readsTAP, scoped: true, packages: []string{w}}, true
			}
			return run{}, false
		}
	}
	return run{}, false
}

func pythonModule(module string, a argv, hops int) (run, bool) {
	switch module {
	case "pytest", "py.test":
		return pytestRun(a), true
	case "unittest", "nose", "nose2", "twisted.trial", "green", "xmlrunner", "unittest2", "testtools.run", "stestr", "zope.testrunner", "absl.testing.absltest":
		return unittestRun(a), true
	case "django":
		if len(a) > 0 && a[0] == "test" {
			return unittestRun(a[1:]), true
		}
	case "coverage":
		return pythonRun("coverage", a, hops+1)
	case "tox", "nox", "behave", "invoke":
		return classify(module, a, hops+1)
	case "pytest_watch", "ptw":
		return run{name: "pytest", read: readsPytest, watch: module}, true
	}
	return run{}, false
}

func pytestRun(a argv) run {
	r := run{name: "pytest", read: readsPytest}
	r.nothing = first(a, "--collect-only", "--co", "--setup-plan", "--setup-only", "--version", "-V", "--help", "-h", "--fixtures", "--fixtures-per-test", "--markers", "--cache-show", "--trace-config-only")
	if r.nothing == "--setup-only" || r.nothing == "--fixtures" {
		r.nothing = first(a, "--setup-only", "--fixtures")
	}
	r.watch = a.on("--looponfail", "-f")
	r.packages = a.operands("-k", "-m", "-p", "-n", "--numprocesses", "-o", "-c", "--rootdir", "--maxfail", "-W", "--durations", "--tb", "--cov", "--cov-report", "--cov-config", "--timeout", "--junitxml", "--junit-xml", "--ignore", "--deselect",
		"--dist", "--log-level", "--log-cli-level", "--confcutdir", "--basetemp", "--color", "--capture", "--import-mode", "--html", "-r", "--cov-fail-under", "--override-ini", "--reruns", "--count", "--ds", "--durations-min", "--verbosity")
	r.scoped = len(r.packages) > 0 || a.has("-k", "-m", "--lf", "--last-failed", "--sw", "--stepwise", "--deselect", "--ignore", "--ignore-glob", "--testmon", "--picked") ||
		slices.ContainsFunc(a, func(w string) bool {
			return strings.HasPrefix(w, "-k") && len(w) > 2 || strings.HasPrefix(w, "-m") && len(w) > 2
		})
	r.rewrite = a.has("--snapshot-update", "--force-regen", "--inline-snapshot", "--update-goldens")
	return r
}

func unittestRun(a argv) run {
	r := run{name: "unittest", read: readsUnittest | readsXML}
	r.nothing = first(a, "--help", "-h", "--list-tests", "--collect-only", "-n", "--dry-run")
	r.packages = a.operands("-k", "-s", "--start-directory", "-p", "--pattern", "-t", "--top-level-directory", "--settings", "--parallel", "--durations", "-v")
	r.packages = slices.DeleteFunc(r.packages, func(s string) bool { return s == "discover" || s == "run" })
	r.scoped = len(r.packages) > 0 || a.has("-k", "-p", "--pattern", "--tag", "--exclude-tag")
	return r
}

// nodeFlags of node that take the next word.
var nodeFlags = [...]string{"-r", "--require", "--import", "--loader", "--experimental-loader", "--env-file", "-C", "--conditions", "--test-name-pattern", "--test-skip-pattern", "--test-reporter", "--test-reporter-destination", "--test-concurrency", "--test-timeout", "--test-shard", "--test-coverage-include", "--test-coverage-exclude", "--max-old-space-size", "--test-isolation"}

func nodeRun(program string, a argv, hops int) (run, bool) {
	if name, ok := a.value("--run"); ok && program == "node" {
		return scriptOf("npm", name, a.after("--"))
	}
	var entry string
	var rest argv
	test := false
	for i := 0; i < len(a); i++ {
		w := a[i]
		switch {
		case w == "--test":
			test = true
		case w == "test" && program == "tsx" && entry == "":
			test = true
		case slices.Contains(nodeFlags[:], w):
			i++
		case w == "-e" || w == "-p" || w == "--eval" || w == "--print":
			return run{}, false
		case strings.HasPrefix(w, "-"):
		default:
			if entry == "" {
				entry, rest = w, a[i+1:]
			}
		}
	}
	if test {
		r := run{name: "node --test", read: readsTAP | readsXML, watch: a.on("--watch"), scoped: a.has("--test-name-pattern", "--test-only", "--test-skip-pattern", "--test-shard") || entry != ""}
		if entry != "" {
			r.packages = append([]string{entry}, rest.operands(nodeFlags[:]...)...)
		}
		r.rewrite = a.has("--test-update-snapshots")
		return r, true
	}
	if entry == "" {
		return run{}, false
	}
	base := path.Base(strings.ReplaceAll(entry, `\`, "/"))
	if strings.Contains(entry, "node_modules/") || !jsFile(base) || base == "jest.js" || base == "vitest.mjs" || base == "mocha.js" {
		name := programOf(base)
		if name == "cli" || name == "index" || name == "run" { // node_modules/mocha/bin/cli.js
			for _, known := range [...]string{"jest", "vitest", "mocha", "ava", "playwright", "jasmine", "tap", "tape"} {
				if strings.Contains(entry, "/"+known+"/") {
					name = known
				}
			}
		}
		if r, ok := classify(name, rest, hops+1); ok && r.tool == noTool {
			return r, true
		}
	}
	stem := strings.TrimSuffix(base, path.Ext(base))
	if jsFile(base) && (testName(stem) == yes) {
		return run{name: program, read: readsTAP | readsMocha | readsRSpec | readsJest | readsVitest, scoped: true, packages: []string{entry}}, true
	}
	return run{}, false
}

func jestRun(program string, a argv) (run, bool) {
	if program != "jest" && program != "jest-cli" {
		if len(a) == 0 || a[0] != "test" {
			return run{}, false
		}
		a = a[1:]
	}
	r := run{name: "jest", read: readsJest | readsJSON | readsVitest}
	r.nothing = first(a, "--listTests", "--showConfig", "--help", "--version", "-h", "--init", "--clearCache")
	r.watch = a.on("--watch", "--watchAll")
	r.packages = a.operands("-t", "--testNamePattern", "-c", "--config", "--projects", "--maxWorkers", "-w", "--testTimeout", "--reporters", "--coverageDirectory", "--outputFile", "--shard", "--env", "--rootDir", "--roots", "--selectProjects")
	r.scoped = len(r.packages) > 0 || a.has("-t", "--testNamePattern", "--testPathPattern", "--testPathPatterns", "--onlyChanged", "-o", "--findRelatedTests", "--changedSince", "--lastCommit", "--onlyFailures", "-f", "--runTestsByPath", "--shard", "--selectProjects", "--testPathIgnorePatterns")
	r.rewrite = a.has("-u", "--updateSnapshot")
	return r, true
}

func vitestRun(a argv) (run, bool) {
	r := run{name: "vitest", read: readsVitest | readsJSON | readsXML | readsTAP}
	sub := a.sub("--config", "-c", "--root", "-r", "--dir", "--project")
	if len(sub) > 0 {
		switch sub[0] {
		case "list", "init", "complete":
			r.nothing = sub[0]
		case "watch", "dev":
			r.watch = sub[0]
		case "bench":
			return run{}, false
		case "run", "related":
			sub = sub[1:]
		}
	}
	if f := first(a, "--help", "--version", "-h", "--mergeReports", "--clearCache"); f != "" {
		r.nothing = f
	}
	if r.watch == "" {
		r.watch = a.on("--watch", "-w", "--ui")
	}
	r.packages = sub.operands("-t", "--testNamePattern", "--config", "-c", "--root", "-r", "--dir", "--project", "--reporter", "--environment", "--outputFile", "--pool", "--testTimeout", "--shard", "--bail", "--retry", "--mode")
	r.scoped = len(r.packages) > 0 || a.has("-t", "--testNamePattern", "--project", "--changed", "--shard", "--exclude")
	r.rewrite = a.has("-u", "--update")
	return r, true
}

func mochaRun(a argv) (run, bool) {
	r := run{name: "mocha", read: readsMocha | readsTAP | readsJSON | readsXML}
	r.nothing = first(a, "--dry-run", "--help", "-h", "--version", "-V", "--list-files", "--list-reporters", "--list-interfaces")
	r.watch = a.on("--watch", "-w")
	r.packages = a.operands("-g", "--grep", "-f", "--fgrep", "-r", "--require", "-R", "--reporter", "-t", "--timeout", "--config", "-u", "--ui", "--spec", "--extension", "--ignore", "-O", "--reporter-option", "--file", "-j", "--jobs", "--retries")
	r.scoped = len(r.packages) > 0 || a.has("-g", "--grep", "-f", "--fgrep", "-i", "--invert")
	return r, true
}

func browserRun(program string, a argv) (run, bool) {
	r := run{name: program, read: readsAll, tool: otherTool}
	switch program {
	case "karma":
		if len(a) == 0 || a[0] != "start" && a[0] != "run" {
			return run{}, false
		}
		if !a.has("--single-run") {
			r.vague = true
		}
	case "ng":
		if len(a) == 0 || a[0] != "test" && a[0] != "t" && a[0] != "e2e" {
			return run{}, false
		}
	case "vue-cli-service":
		if len(a) == 0 || !strings.HasPrefix(a[0], "test:") {
			return run{}, false
		}
	}
	r.watch = a.on("--watch")
	return r, true
}

func bunRun(a argv, hops int) (run, bool) {
	a = a.sub("--cwd", "--config", "-c", "--env-file", "--filter", "-F")
	if len(a) == 0 {
		return run{}, false
	}
	if a[0] == "test" {
		rest := a[1:]
		r := run{name: "bun test", read: readsBun | readsXML, watch: rest.on("--watch", "--hot")}
		r.nothing = first(rest, "--help", "-h")
		r.packages = rest.operands("-t", "--test-name-pattern", "--timeout", "--preload", "--reporter", "--reporter-outfile", "--bail", "--rerun-each", "--coverage-reporter", "--coverage-dir", "--seed")
		r.scoped = len(r.packages) > 0 || rest.has("-t", "--test-name-pattern", "--only", "--todo")
		r.rewrite = rest.has("-u", "--update-snapshots")
		return r, true
	}
	return npmRun("bun", a, hops)
}

func denoRun(a argv) (run, bool) {
	if len(a) == 0 {
		return run{}, false
	}
	switch a[0] {
	case "test":
		rest := a[1:]
		r := run{name: "deno test", read: readsDeno | readsTAP | readsXML, watch: rest.on("--watch")}
		r.nothing = first(rest, "--no-run", "--help", "-h")
		r.packages = rest.operands("--filter", "--ignore", "-c", "--config", "--import-map", "--reporter", "--coverage")
		r.scoped = len(r.packages) > 0 || rest.has("--filter", "--ignore")
		return r, true
	case "task":
		rest := a[1:].sub("-c", "--config", "--cwd")
		if len(rest) > 0 {
			return scriptOf("deno", rest[0], rest[1:])
		}
	}
	return run{}, false
}

func rubyRun(program string, a argv, hops int) (run, bool) {
	for i := 0; i < len(a); i++ {
		w := a[i]
		switch {
		case w == "-e" || strings.HasPrefix(w, "-e"):
			// ruby -Itest -e 'Dir.glob(…)': only its text tells
			if slices.ContainsFunc(a, func(s string) bool { return strings.Contains(s, "test") || strings.Contains(s, "spec") }) {
				return run{name: "ruby", read: readsMinitest | readsRSpec, tool: otherTool, perhaps: true}, true
			}
			return run{}, false
		case w == "-I" || w == "-r" || w == "-C":
			i++
		case strings.HasPrefix(w, "-"):
			if w == "-S" && i+1 < len(a) {
				return classify(programOf(a[i+1]), a[i+2:], hops+1)
			}
		default:
			base := path.Base(w)
			switch {
			case program == "m" || program == "minitest" || program == "mtest":
			case base == "rspec" || base == "rake" || base == "rails" || base == "cucumber":
				return classify(base, a[i+1:], hops+1)
			case strings.HasSuffix(base, "_test.rb"), strings.HasPrefix(base, "test_") && strings.HasSuffix(base, ".rb"), strings.HasSuffix(base, "_spec.rb"), strings.HasPrefix(w, "test/"), strings.HasPrefix(w, "spec/"):
			default:
				return run{}, false
			}
			rest := a[i+1:]
			return run{name: "minitest", read: readsMinitest | readsRSpec, scoped: true, packages: []string{w}, nothing: first(rest, "--help", "-h")}, true
		}
	}
	if program == "minitest" || program == "m" || program == "mtest" {
		return run{name: "minitest", read: readsMinitest}, true
	}
	return run{}, false
}

func railsRun(a argv, hops int) (run, bool) {
	if len(a) == 0 {
		return run{}, false
	}
	switch {
	case a[0] == "test" || strings.HasPrefix(a[0], "test:") || a[0] == "t":
		rest := a[1:].operands("-n", "--name", "-e", "--seed", "-s")
		return run{name: "rails test", read: readsMinitest, scoped: len(rest) > 0 || a[0] != "test" || a.has("-n", "--name"), packages: rest}, true
	case a[0] == "spec" || a[0] == "rspec":
		return classify("rspec", a[1:], hops+1)
	}
	return run{}, false
}

func phpunitRun(program string, a argv) (run, bool) {
	r := run{name: "phpunit", read: readsPHPUnit | readsTAP | readsXML}
	switch program {
	case "codecept", "phpspec", "kahlan":
		if program != "kahlan" && (len(a) == 0 || a[0] != "run" && a[0] != "r") {
			return run{}, false
		}
		r.name, r.read = program, r.read|readsRSpec
	case "pest":
		r.name = "pest"
	}
	for _, w := range a {
		if strings.HasPrefix(w, "--list-") {
			r.nothing = before(w, "=")
		}
	}
	if f := first(a, "--version", "--help", "-h", "--generate-configuration", "--migrate-configuration", "--check-version"); f != "" {
		r.nothing = f
	}
	r.scoped = a.has("--filter", "--group", "--testsuite", "--exclude-group", "--covers", "--uses", "--dirty")
	r.packages = a.operands("-c", "--configuration", "--filter", "--group", "--testsuite", "--bootstrap", "-d", "--order-by", "--log-junit", "--coverage-html", "--coverage-clover", "--coverage-text", "-p", "--processes")
	r.rewrite = a.has("-d", "--update-snapshots")
	return r, true
}

func mavenRun(a argv) (run, bool) {
	r := run{name: "mvn", read: readsSurefire}
	runs := false
	for _, w := range a {
		switch w {
		case "test", "verify", "install", "package", "integration-test", "deploy", "surefire:test", "failsafe:integration-test", "site":
			runs = true
		case "-DskipTests", "-DskipTests=true", "-Dmaven.test.skip", "-Dmaven.test.skip=true", "-DskipITs-and-tests", "-Dsurefire.skip=true":
			r.nothing = before(w, "=")
		case "-Dmaven.test.failure.ignore", "-Dmaven.test.failure.ignore=true", "-DtestFailureIgnore", "-DtestFailureIgnore=true", "-fn", "--fail-never":
			r.masks = before(w, "=")
		}
		if strings.HasPrefix(w, "-Dtest=") || strings.HasPrefix(w, "-Dgroups=") || w == "-pl" || w == "--projects" || strings.HasPrefix(w, "-Dit.test=") {
			r.scoped = true
		}
	}
	return r, runs
}

func gradleRun(a argv) (run, bool) {
	r := run{name: "gradle", read: readsGradle | readsSurefire}
	runs := false
	skip := false
	for i := 0; i < len(a); i++ {
		w := a[i]
		switch {
		case w == "-x" || w == "--exclude-task":
			if i++; i < len(a) && strings.HasSuffix(strings.ToLower(a[i]), "test") {
				skip = true
			}
		case w == "-p" || w == "--project-dir" || w == "-b" || w == "-c" || w == "--tests" || w == "-I":
			r.scoped = r.scoped || w == "--tests"
			i++
		case w == "-m" || w == "--dry-run":
			r.nothing = w
		case w == "--continuous" || w == "-t":
			r.watch = w
		case strings.HasPrefix(w, "-"):
		default:
			task := w[strings.LastIndexByte(w, ':')+1:]
			if task == "check" || task == "build" || strings.HasSuffix(strings.ToLower(task), "test") || strings.HasSuffix(task, "Tests") || strings.HasPrefix(task, "test") {
				runs = true
			}
		}
	}
	if skip {
		r.nothing = "-x test"
	}
	return r, runs
}

// npmVerbs are what npm, yarn, pnpm and bun do by themselves: never a script or
// a program's name.
func npmVerb(s string) bool {
	switch s {
	case "install", "i", "ci", "add", "remove", "rm", "uninstall", "update", "up", "upgrade", "init", "create", "publish", "pack", "link", "unlink", "list", "ls", "outdated", "audit", "why", "info", "view", "config", "set", "get", "cache", "login", "logout", "whoami", "version", "help", "dedupe", "prune", "rebuild", "root", "bin", "store", "import", "fetch", "patch", "deploy", "env", "setup", "licenses", "constraints", "plugin", "doctor", "fund", "search", "start", "restart", "stop", "explain", "x", "exec", "dlx", "pm", "build", "upgrade-interactive", "global", "policies", "owner", "team", "token", "hook", "org", "profile", "dist-tag", "completion":
		return true
	}
	return false
}

var npmValued = [...]string{"--prefix", "-C", "--dir", "-w", "--workspace", "--filter", "-F", "--cwd", "--loglevel", "--userconfig", "--registry", "--workspace-concurrency", "--reporter"}

func npmRun(program string, a argv, hops int) (run, bool) {
	dir, _ := a.value("--prefix", "-C", "--dir", "--cwd")
	own := a.until("--")
	many := own.has("-ws", "--workspaces", "-r", "--recursive", "--filter", "-F") || slices.Contains(own, "workspaces") || slices.Contains(own, "recursive")
	a = a.sub(npmValued[:]...)
	if len(a) == 0 {
		return run{}, false
	}
	verb, rest := a[0], a[1:]
	var r run
	ok := false
	switch verb {
	case "test", "t", "tst", "it", "install-test", "cit", "install-ci-test":
		if program == "yarn" && verb != "test" {
			return run{}, false
		}
		r, ok = scriptOf(program, "test", rest)
	case "run", "run-script", "rum", "urn":
		rest = rest.sub(npmValued[:]...)
		if len(rest) > 0 {
			if program != "npm" { // yarn run jest runs the program
				if r, ok := classify(programOf(rest[0]), rest[1:], hops+1); ok && r.tool == noTool {
					return r, true
				}
			}
			r, ok = scriptOf(program, rest[0], rest[1:])
		}
	case "workspace":
		if len(rest) > 1 {
			r, ok = npmRun(program, rest[1:], hops+1)
			r.scoped = true
			return r, ok
		}
	case "workspaces":
		rest = rest.sub()
		if len(rest) > 0 && (rest[0] == "foreach" || rest[0] == "run") {
			rest = rest[1:].sub("--from", "--include", "--exclude", "-j")
			if len(rest) > 0 && rest[0] == "run" {
				rest = rest[1:]
			}
			if len(rest) > 0 {
				r, ok = scriptOf(program, rest[0], rest[1:])
			}
		}
	case "exec", "x", "dlx":
		return run{}, false // its program is a command of its own
	case "recursive", "multi":
		return npmRun(program, rest, hops+1)
	default:
		if program == "npm" || npmVerb(verb) {
			return run{}, false
		}
		if r, ok := classify(programOf(verb), rest, hops+1); ok && r.tool == noTool {
			return r, true
		}
		r, ok = scriptOf(program, verb, rest)
		if ok && program == "bun" && jsFile(verb) {
			return run{}, false
		}
	}
	r.dir, r.many = dir, many
	return r, ok
}

// scriptOf is a script of package.json, with the words that are passed on to it.
func scriptOf(program, name string, passed argv) (run, bool) {
	r := run{name: program, read: readsAll, tool: npmTool, targets: []string{name}}
	if program == "deno" {
		r.tool = otherTool
	}
	switch testName(name) {
	case no:
		r.unnamed = true
	case maybe:
		r.perhaps = true
	case watches:
		r.watch = name
	}
	if f := first(passed, "--listTests", "--collect-only", "--co", "--dry-run", "--list"); f != "" {
		r.nothing = f
	}
	if f := passed.on("--watch", "--watchAll"); f != "" && r.watch == "" {
		r.watch = f
	}
	if w := passed.on("--watch", "--watchAll"); w == "" && (passed.has("--watch", "--watchAll") || passed.has("--run")) {
		r.watch = ""
	}
	r.scoped = len(passed.operands()) > 0 || passed.has("-t", "--testNamePattern", "--test-name-pattern", "-k", "--grep", "-g", "--filter") || name != "test"
	r.rewrite = passed.has("-u", "--updateSnapshot", "--update")
	return r, true
}

// targetRun is a program that runs named targets.
func targetRun(program string, a argv) (run, bool) {
	r := other(program, a)
	switch program {
	case "turbo", "nx", "lerna", "wsrun", "moon", "rush", "lage", "concurrently", "npm-run-all", "npm-run-all2", "run-s", "run-p":
		r.many = true
	}
	best := no
	for _, w := range a {
		if strings.HasPrefix(w, "-") {
			continue
		}
		for part := range strings.FieldsFuncSeq(w, func(c rune) bool { return c == ' ' || c == '\'' || c == '"' }) {
			part = strings.TrimPrefix(part, "npm:")
			best = max(best, testName(part[strings.LastIndexByte(part, '#')+1:]))
		}
	}
	if program == "rake" && len(a.operands("-f", "-C", "-I", "-r")) == 0 {
		best = maybe // its default task
	}
	if program == "sbt" {
		for _, w := range a {
			for part := range strings.FieldsSeq(w) {
				switch part[max(strings.LastIndexByte(part, '/'), strings.LastIndexByte(part, ':'))+1:] {
				case "test":
					best = yes
				case "testOnly", "testQuick":
					best, r.scoped = yes, true
				}
			}
		}
	}
	if program == "nx" && slices.Contains(a, "affected:test") {
		best = yes
	}
	switch best {
	case no:
		return run{}, false
	case maybe:
		r.perhaps = true
	case watches:
		r.watch = "watch"
	}
	if f := a.on("--watch", "-w"); f != "" && program != "just" {
		r.watch = f
	}
	r.nothing = first(a, "--dry-run", "-n", "--dry", "--list", "-l", "--summary", "--graph", "--help", "--version", "-T", "--tasks", "-P")
	if r.nothing == "-n" && program != "just" && program != "task" && program != "rake" {
		r.nothing = ""
	}
	return r, true
}

func makeRun(program string, a argv) (run, bool) {
	r := run{name: "make", read: readsAll, tool: makeTool}
	if program == "ninja" || program == "samu" {
		r.name, r.tool = program, otherTool
	}
	best := no
	for i := 0; i < len(a); i++ {
		w := a[i]
		switch {
		case w == "-C" || w == "--directory":
			if i++; i < len(a) {
				r.dir = a[i]
			}
		case strings.HasPrefix(w, "-C") && len(w) > 2:
			r.dir = w[2:]
		case strings.HasPrefix(w, "--directory="):
			r.dir = w[len("--directory="):]
		case w == "-f" || w == "--file" || w == "--makefile" || w == "-I" || w == "-o" || w == "-W" || w == "-j" && i+1 < len(a) && isNumber(a[i+1]) || w == "-l" && program == "make":
			i++
		case w == "--dry-run" || w == "--just-print" || w == "--recon" || w == "--question" || w == "--touch" || w == "--version" || w == "--help":
			r.nothing = w
		case w == "--ignore-errors":
			r.masks = w
		case strings.HasPrefix(w, "--") || w == "":
		case w[0] == '-':
			for _, c := range w[1:] {
				switch c {
				case 'n', 'q', 't', 'v', 'h':
					if program == "make" || c == 'n' {
						r.nothing = "-" + string(c)
					}
				case 'i':
					r.masks = "-i"
				}
				if c == 'j' || c == 'C' || c == 'f' || c == 'k' && program != "make" {
					break
				}
			}
		case strings.Contains(w, "="):
		default:
			r.targets = append(r.targets, w)
			best = max(best, makeTarget(w))
		}
	}
	if len(r.targets) == 0 {
		best = maybe
	}
	switch best {
	case no:
		r.unnamed = true
	case maybe:
		r.perhaps = true
	case watches:
		r.watch = "watch"
	}
	return r, true
}

func makeTarget(w string) likeness {
	if w == "check" || strings.HasPrefix(w, "check-unit") || w == "installcheck" || w == "distcheck" {
		return yes
	}
	return testName(w)
}

func isNumber(s string) bool { _, ok := whole(s); return ok }

// scriptRun is a shell that runs a script file which is named for tests.
func scriptRun(a argv) (run, bool) {
	rest := a.sub("-o", "-O", "+o", "--rcfile", "--init-file")
	if len(rest) == 0 || a.has("-c") || a.has("-n") {
		return run{}, false
	}
	return namedScript(rest[0])
}

// namedScript is a script that is named for tests.
func namedScript(name string) (run, bool) {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	stem := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(base, ".sh"), ".bash"), ".ps1")
	if strings.Contains(stem, ".") || name == "test" { // the builtin
		return run{}, false
	}
	switch testName(stem) {
	case yes:
		return run{name: base, read: readsAll, tool: otherTool, perhaps: !strings.Contains(strings.ToLower(stem), "test")}, true
	case watches:
		return run{name: base, read: readsAll, tool: otherTool, watch: base}, true
	}
	return run{}, false
}

// likeness says how much a name of a script or target sounds like tests.
type likeness uint8

const (
	no likeness = iota
	maybe
	watches
	yes
)

// testName judges the name of a script, target or task by its words.
func testName(name string) likeness {
	name = strings.ToLower(strings.TrimLeft(name, ":@"))
	best := no
	watch := false
	for w := range strings.FieldsFuncSeq(name, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') }) {
		switch w {
		case "test", "tests", "spec", "specs", "unittest", "unittests", "testall", "runtests", "runtest", "pytest", "jest", "vitest", "mocha", "rspec", "phpunit", "e2e", "testunit", "coverage", "cov", "gotest", "ctest", "unit", "integration", "testing", "smoke", "nextest", "junit", "cy", "playwright":
			best = max(best, yes)
		case "ci", "verify", "validate", "check", "qa", "precommit", "prepush", "all", "presubmit", "prepublishonly", "preversion", "default":
			best = max(best, maybe)
		case "watch", "dev", "ui", "open", "serve", "debug", "tdd":
			watch = true
		case "build", "lint", "types", "typecheck", "format", "fmt", "clean", "install", "deps", "setup", "prepare", "generate", "gen", "seed", "fixtures", "data", "compile", "image", "docker", "publish", "deploy", "report", "upload", "list", "env", "db", "server", "tsc", "eslint", "prettier", "down", "up", "style", "docs":
			if best != yes || w != "all" {
				return no
			}
		}
	}
	if best == yes && watch {
		return watches
	}
	if watch {
		return no
	}
	return best
}
