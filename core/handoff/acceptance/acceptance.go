// Package acceptance tells whether a command line runs acceptance tests: by a
// runner of such tests, by a script or target that is named for them, or by a
// test runner that is given those only.
//
// It imports core/shellcmd and the standard library only.
package acceptance

import (
	"path"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// Mentions reports whether a command line may run acceptance tests: a cheap test
// that errs to yes.
func Mentions(command string) bool {
	low := command
	if strings.ContainsFunc(command, func(r rune) bool { return 'A' <= r && r <= 'Z' }) {
		low = strings.ToLower(command)
	}
	for _, word := range [...]string{
		"e2e", "acceptance", "end-to-end", "end_to_end", "endtoend", "playwright", "cypress", "wdio", "nightwatch", "testcafe", "detox",
		"maestro", "cucumber", "behave", "robot", "pybot", "gauge",
	} {
		if strings.Contains(low, word) {
			return true
		}
	}
	return false
}

// Runs reports whether a line runs acceptance tests. masked says that how they
// ended does not decide how the line ended: a pipe, a list, a fallback.
func Runs(l *shellcmd.Line) (ran, masked bool) {
	if l == nil {
		return false, false
	}
	for i := range l.Commands {
		c := &l.Commands[i]
		if c.Has(shellcmd.Uncalled) || c.Has(shellcmd.Background) || c.Has(shellcmd.Loose) || alternative(l, i) || !isRun(c) {
			continue
		}
		hidden := c.Has(shellcmd.Masked) || c.Has(shellcmd.Negated)
		if !ran || !hidden {
			masked = hidden
		}
		ran = true
	}
	return ran, masked
}

// Failed reports whether a text counts failures: where the exit code is masked,
// that is how a run that failed shows.
func Failed(text string) bool {
	prev, colon := "", false
	for word := range strings.FieldsSeq(text) {
		bare := strings.ToLower(strings.Trim(word, ",;:()[]|.*_`"))
		if strings.HasPrefix(bare, "fail") && positive(prev) || colon && positive(bare) && strings.HasPrefix(prev, "fail") {
			return true
		}
		prev, colon = bare, strings.HasSuffix(word, ":")
	}
	return false
}

func positive(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == "" && strings.Trim(s, "0") != ""
}

// alternative reports whether a command stands behind ||: it need not have run.
func alternative(l *shellcmd.Line, i int) bool {
	c := &l.Commands[i]
	if i == 0 || !c.Has(shellcmd.Conditional) || c.Parent >= 0 {
		return false
	}
	from := l.Commands[i-1].End
	return from <= c.Pos && c.Pos <= len(l.Source) && strings.Contains(l.Source[from:c.Pos], "||")
}

func isRun(c *shellcmd.Command) bool {
	if c.Program == "" {
		return false
	}
	var args []string
	for _, w := range c.Args() {
		args = append(args, w.Text)
	}
	return runs(strings.ToLower(c.Program), args, 4)
}

// runs judges a program with its arguments. depth bounds runners of runners.
func runs(program string, args []string, depth int) bool {
	if depth == 0 || slices.ContainsFunc(args, onlyAsks) {
		return false
	}
	plain := operands(args)
	first := ""
	if len(plain) > 0 {
		first = plain[0]
	}
	switch program {
	case "playwright", "detox", "maestro":
		return first == "test"
	case "cypress", "gauge":
		return first == "run"
	case "wdio":
		return first != "config" && first != "install" && first != "repl"
	case "nightwatch", "testcafe", "cucumber", "cucumber-js", "cucumber-cpp", "behave", "robot", "pybot", "pabot", "codecept", "codeceptjs":
		return first != "init" && first != "create"
	case "npm", "pnpm", "yarn", "bun", "deno", "npx", "bunx":
		return script(plain, depth)
	case "turbo", "nx", "ng", "lerna", "lage", "moon", "vp", "start-server-and-test", "concurrently",
		"make", "gmake", "just", "task", "rake", "mage", "invoke", "inv", "nox", "tox", "hatch", "gradle", "gradlew", "bazel", "bazelisk", "earthly",
		"composer", "mix", "rails", "dagger", "ant", "xtask", "poe", "doit", "grunt", "gulp", "bundle", "sbt":
		return slices.ContainsFunc(plain, named) || program == "turbo" && slices.ContainsFunc(args, named)
	case "python", "python3", "py", "node", "ruby", "bash", "sh", "zsh", "pwsh", "tsx", "ts-node", "php":
		for i, a := range args {
			if a == "-m" && i+1 < len(args) {
				return runs(strings.ToLower(args[i+1]), args[i+2:], depth-1)
			}
			if !strings.HasPrefix(a, "-") {
				return named(path.Base(strings.ReplaceAll(a, `\`, "/")))
			}
		}
		return false
	case "pytest", "py.test", "jest", "vitest", "mocha", "ava", "rspec", "phpunit", "pest", "ctest", "unittest", "minitest", "gotestsum", "nose2":
		return given(args)
	case "go", "cargo", "dotnet", "flutter", "dart", "mvn", "mvnw", "swift", "xcodebuild":
		return (first == "test" || first == "nextest" || first == "verify" || first == "integration-test") && given(args)
	}
	return named(program)
}

// script judges what a package manager runs.
func script(plain []string, depth int) bool {
	for len(plain) > 0 {
		switch plain[0] {
		case "run", "run-script", "task", "exec", "x", "dlx", "rum", "urn":
			plain = plain[1:]
			continue
		case "workspace":
			if len(plain) > 2 {
				plain = plain[2:]
				continue
			}
			return false
		case "test", "t", "install", "i", "add", "ci", "remove", "why", "ls", "list", "view", "info", "publish", "pack", "config", "cache", "init", "create", "update", "outdated", "audit":
			return false
		}
		break
	}
	if len(plain) == 0 {
		return false
	}
	return named(plain[0]) && !isTool(plain[0]) || isTool(plain[0]) && runs(plain[0], plain[1:], depth-1)
}

// isTool reports whether a word is a program that is judged by what it is given.
func isTool(word string) bool {
	switch word {
	case "playwright", "cypress", "detox", "maestro", "gauge", "wdio", "nightwatch", "testcafe", "cucumber-js", "codeceptjs", "turbo", "nx", "jest", "vitest", "mocha", "start-server-and-test":
		return true
	}
	return false
}

// operands returns the arguments that are no flags, and leaves out the values of
// those flags that come before a script's name.
func operands(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--":
		case a == "-C" || a == "--prefix" || a == "--dir" || a == "--cwd" || a == "--filter" || a == "-F" || a == "-w" || a == "--workspace" || a == "-f" || a == "--file" || a == "--config" || a == "-c":
			i++
		case strings.HasPrefix(a, "-"):
		default:
			out = append(out, a)
		}
	}
	return out
}

// onlyAsks reports whether a flag makes a runner print something instead.
func onlyAsks(arg string) bool {
	switch arg {
	case "--list", "--help", "-h", "--version", "-V", "--dry-run", "--dryrun", "--dryRun", "--collect-only", "--co", "--listTests", "--just-print", "-n=1":
		return true
	}
	return false
}

// named reports whether a script, a target or a file is named for acceptance
// tests, and not for what is done around them.
func named(name string) bool {
	low := strings.ToLower(name)
	if !speaks(low) {
		return false
	}
	return !slices.ContainsFunc(strings.FieldsFunc(low, func(r rune) bool { return !('a' <= r && r <= 'z' || '0' <= r && r <= '9') }), around)
}

func speaks(low string) bool {
	for _, word := range [...]string{"e2e", "acceptance", "end-to-end", "end_to_end", "endtoend", "playwright", "cypress"} {
		if strings.Contains(low, word) {
			return true
		}
	}
	return false
}

// around reports whether a word names what is done around a run.
func around(word string) bool {
	switch word {
	case "install", "setup", "lint", "format", "fmt", "build", "report", "open", "codegen", "update", "types", "typecheck", "tsc", "clean", "deps", "server", "serve", "start", "up", "down", "stop",
		"watch", "generate", "gen", "seed", "prepare", "debug", "ui", "show", "docs", "init", "list", "helpers", "config":
		return true
	}
	return false
}

// given reports whether a test runner is given acceptance tests, and not told to
// leave them out.
func given(args []string) bool {
	found := false
	for i, a := range args {
		low := strings.ToLower(a)
		if !speaks(low) {
			continue
		}
		for _, no := range [...]string{"not ", "!", "ignore", "exclude", "skip", "deselect", "!=", "~"} {
			if strings.Contains(low, no) || i > 0 && strings.HasPrefix(args[i-1], "-") && strings.Contains(strings.ToLower(args[i-1]), no) {
				return false
			}
		}
		found = true
	}
	return found
}
