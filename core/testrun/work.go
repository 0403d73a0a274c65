package testrun

import (
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// Work reports whether line runs tests, a build or a linter: work that is worth
// waiting for when it is left in the background. What never ends, a server or a
// watcher, is none.
func Work(line *shellcmd.Line) bool {
	if line == nil {
		return false
	}
	work := false
	for i := range line.Commands {
		c := &line.Commands[i]
		if c.Program == "" || c.Has(shellcmd.Uncalled) {
			continue
		}
		r, test := runAt(line, i)
		switch {
		case test && r.watch != "", endless(c):
			return false
		case test && !r.unnamed && r.nothing == "", builds(c), lints(c):
			work = true
		}
	}
	return work
}

// endless reports whether a command serves or watches until it is stopped.
func endless(c *shellcmd.Command) bool {
	a := wordsOf(c)[1:]
	if a.on("--watch", "--watchAll", "--serve", "--hot", "--continuous") != "" {
		return true
	}
	switch c.Program {
	case "watch", "entr", "nodemon", "watchexec", "chokidar", "reflex", "air", "serve", "http-server", "live-server", "vite-node-dev", "tail-f", "ptw":
		return true
	case "vite", "astro", "nuxt", "nuxi", "next", "remix", "gatsby", "ng", "hugo", "webpack-dev-server", "parcel":
		return len(a) == 0 && c.Program != "hugo" || len(a) > 0 && slices.Contains([]string{"dev", "serve", "start", "preview", "server", "develop"}, a[0])
	case "npm", "pnpm", "yarn", "bun", "deno", "make", "gmake", "just", "task", "rake", "turbo", "nx":
		for _, w := range a.operands(npmValued[:]...) {
			switch before(w[strings.LastIndexByte(w, ':')+1:], "-") {
			case "dev", "serve", "start", "watch", "preview", "server", "storybook":
				return true
			}
		}
	case "tail":
		return shortFlag(a, 'f') || shortFlag(a, 'F') || a.has("--follow")
	case "flask", "uvicorn", "gunicorn", "hypercorn", "daphne", "puma", "rackup", "jupyter":
		return true
	case "python", "python3":
		return slices.Contains(a, "runserver") || slices.Contains(a, "http.server")
	case "rails":
		return len(a) > 0 && (a[0] == "s" || a[0] == "server")
	case "cargo":
		return len(a) > 0 && (a[0] == "watch" || a[0] == "run")
	}
	return false
}

// builds reports whether a command compiles, bundles or assembles.
func builds(c *shellcmd.Command) bool {
	if len(c.Argv) == 0 {
		return false
	}
	a := wordsOf(c)[1:]
	verb := ""
	if sub := a.sub("-C", "--prefix", "--cwd", "--config", "-f", "-p", "--manifest-path"); len(sub) > 0 {
		verb = strings.TrimPrefix(sub[0], "+")
		if strings.HasPrefix(sub[0], "+") && len(sub) > 1 {
			verb = sub[1]
		}
	}
	is := func(verbs ...string) bool { return slices.Contains(verbs, verb) }
	switch c.Program {
	case "go", "gotip":
		return is("build", "install", "generate")
	case "cargo", "cross":
		return is("build", "b", "rustc", "doc", "bench")
	case "make", "gmake", "bmake", "nmake", "mingw32-make", "ninja", "samu", "scons", "waf", "bazel", "bazelisk", "buck", "buck2", "pants", "tup", "msbuild", "xmake", "ant":
		for _, w := range a.operands("-C", "-f", "-j") {
			switch w {
			case "clean", "help", "version", "query", "info", "list", "deploy", "publish", "install-deps", "deps", "fmt", "shutdown":
				return false
			}
		}
		return !a.has("-n", "--dry-run", "--version", "--help")
	case "cmake":
		return a.has("--build", "--workflow")
	case "meson":
		return is("compile", "install")
	case "gcc", "g++", "cc", "c++", "clang", "clang++", "rustc", "javac", "kotlinc", "scalac", "ghc", "swiftc", "nvcc", "emcc", "fpc", "gfortran", "tsc", "vue-tsc", "esbuild", "rollup", "webpack", "tsup", "swc", "ncc", "pkg", "wasm-pack", "protoc", "buf", "zig", "hugo", "sphinx-build", "mkdocs", "docusaurus":
		return !a.has("--version", "--help", "-v") && !is("serve", "help", "version")
	case "vite", "next", "nuxt", "nuxi", "astro", "remix", "gatsby", "ng", "parcel", "electron-builder", "expo", "tauri":
		return is("build", "compile", "typecheck")
	case "mvn", "mvnw", "mvnd":
		return slices.ContainsFunc(a, func(w string) bool {
			return slices.Contains([]string{"compile", "test-compile", "package", "install", "verify", "deploy"}, w)
		})
	case "gradle", "gradlew":
		return slices.ContainsFunc(a, func(w string) bool {
			w = strings.ToLower(w[strings.LastIndexByte(w, ':')+1:])
			return w == "jar" || strings.HasPrefix(w, "assemble") || strings.HasPrefix(w, "build") || strings.HasPrefix(w, "compile") || strings.HasPrefix(w, "lint")
		})
	case "dotnet":
		return is("build", "publish", "pack", "format")
	case "swift", "mix", "stack", "cabal", "dune", "nimble", "gleam", "forge", "crystal", "flutter", "dart", "rebar3", "sbt", "lein", "elm":
		return is("build", "compile", "make", "analyze", "credo", "dialyzer")
	case "xcodebuild":
		return !a.has("-list", "-version", "-showsdks")
	case "docker", "podman", "nerdctl", "buildah":
		return is("build", "buildx", "bake")
	case "docker-compose":
		return is("build")
	case "python", "python3":
		m, _ := a.value("-m")
		return m == "build" || m == "compileall" || slices.Contains(a, "build_ext")
	case "hatch", "poetry", "uv", "flit", "maturin", "pdm":
		return is("build", "develop")
	case "npm", "pnpm", "yarn", "bun", "deno", "turbo", "nx", "lerna", "just", "task", "rake", "grunt", "gulp", "npm-run-all", "run-s", "run-p", "rush", "moon", "composer", "invoke":
		return named(a, "build", "compile", "bundle", "assemble", "dist", "transpile")
	}
	return false
}

// lints reports whether a command checks or formats sources.
func lints(c *shellcmd.Command) bool {
	if len(c.Argv) == 0 {
		return false
	}
	a := wordsOf(c)[1:]
	verb := ""
	if sub := a.sub(); len(sub) > 0 {
		verb = sub[0]
	}
	switch c.Program {
	case "golangci-lint", "staticcheck", "revive", "gofmt", "gofumpt", "goimports", "govulncheck", "errcheck",
		"eslint", "eslint_d", "prettier", "biome", "oxlint", "standard", "xo", "stylelint", "tslint", "jshint", "knip", "markdownlint", "markdownlint-cli2", "cspell", "svelte-check", "dprint", "rome",
		"ruff", "black", "mypy", "pyright", "basedpyright", "ty", "flake8", "pylint", "isort", "bandit", "autopep8", "yapf", "pyre", "pytype", "pre-commit", "djlint", "vulture",
		"rubocop", "standardrb", "reek", "brakeman", "sorbet", "srb", "erb_lint",
		"phpstan", "psalm", "phpcs", "phpcbf", "php-cs-fixer", "pint", "rector", "phpmd",
		"shellcheck", "shfmt", "hadolint", "yamllint", "actionlint", "tflint", "vale", "semgrep", "checkov", "clang-tidy", "clang-format", "cppcheck", "cpplint", "ktlint", "detekt", "checkstyle", "spotbugs", "swiftlint", "swiftformat",
		"luacheck", "stylua", "ansible-lint", "sqlfluff", "buildifier", "hlint", "ormolu", "credo", "lefthook", "rustfmt", "typos", "trunk", "mega-linter":
		return !a.has("--version", "--help")
	case "go":
		return verb == "vet" || verb == "fmt"
	case "cargo":
		return verb == "clippy" || verb == "check" || verb == "c" || verb == "fmt" || verb == "deny" || verb == "audit"
	case "deno":
		if verb == "lint" || verb == "fmt" || verb == "check" {
			return true
		}
	case "terraform", "tofu":
		return verb == "validate" || verb == "fmt"
	case "python", "python3":
		m, _ := a.value("-m")
		switch m {
		case "ruff", "black", "mypy", "flake8", "pylint", "isort", "pyright", "bandit":
			return true
		}
	}
	switch c.Program {
	case "npm", "pnpm", "yarn", "bun", "deno", "turbo", "nx", "lerna", "make", "gmake", "just", "task", "rake", "composer", "npm-run-all", "run-s", "run-p", "rush", "moon", "mage", "invoke", "tox", "nox", "hatch", "poe":
		return named(a, "lint", "lints", "eslint", "typecheck", "types", "tsc", "format", "fmt", "check", "style", "prettier", "vet", "clippy", "ruff", "mypy", "stylelint")
	}
	return false
}

// named reports whether an operand has one of words in its name.
func named(a argv, words ...string) bool {
	for _, w := range a.operands(npmValued[:]...) {
		for part := range strings.FieldsFuncSeq(strings.ToLower(w), func(r rune) bool { return !(r >= 'a' && r <= 'z') }) {
			if slices.Contains(words, part) {
				return true
			}
		}
	}
	return false
}
