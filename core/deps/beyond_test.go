package deps

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
)

func TestABareInstallIsJudgedByWhatTheLockfileLacks(t *testing.T) {
	const pkg = `{"name": "app", "dependencies": {"zz-healthy": "2.1.0", "zz-evil": "1.0.1"}, "devDependencies": {"alias": "npm:zz-old@1"}}`
	npmLock := func(more string) string {
		return "{\n  \"lockfileVersion\": 3,\n  \"packages\": {\n    \"\": {},\n    \"node_modules/zz-healthy\": {\n      \"version\": \"2.1.0\"\n    },\n" +
			"    \"node_modules/alias\": {\n      \"name\": \"zz-old\",\n      \"version\": \"1.0.0\"\n    }" + more + "\n  }\n}\n"
	}
	evil := ",\n    \"node_modules/zz-evil\": {\n      \"version\": \"1.0.1\"\n    }"
	tests := []struct {
		name, command string
		files         map[string]string
		decision      hook.Decision
	}{
		{"not in the lockfile", "npm install", map[string]string{"package.json": pkg, "package-lock.json": npmLock("")}, hook.Deny},
		{"in it", "npm install", map[string]string{"package.json": pkg, "package-lock.json": npmLock(evil)}, hook.Pass},
		{"from the lockfile only", "npm ci", map[string]string{"package.json": pkg, "package-lock.json": npmLock("")}, hook.Pass},
		{"no lockfile", "npm install", map[string]string{"package.json": pkg}, hook.Pass},
		{"no manifest", "npm install", map[string]string{"package-lock.json": npmLock("")}, hook.Pass},
		{"another tool's", "yarn", map[string]string{"package.json": pkg, "package-lock.json": npmLock("")}, hook.Pass},
		{"a folder below", "cd web && npm i", map[string]string{"package.json": `{"workspaces": ["web"]}`, "web/package.json": pkg, "package-lock.json": npmLock("")}, hook.Deny},
		{"a folder below that is a project of its own", "cd web && npm i", map[string]string{"package.json": `{"workspaces": ["packages/**"]}`, "web/package.json": pkg, "package-lock.json": npmLock("")}, hook.Pass},
		{"an empty lockfile", "npm install", map[string]string{"package.json": pkg, "package-lock.json": "\n"}, hook.Pass},
		{"an override of what is locked", "npm i", map[string]string{"package.json": `{"dependencies": {"zz-healthy": "2.1.0"}, "overrides": {"alias": "npm:zz-evil@1"}}`, "package-lock.json": npmLock("")}, hook.Deny},
		{"a peer that npm brings along", "npm i", map[string]string{"package.json": `{"peerDependencies": {"zz-evil": "*"}}`, "package-lock.json": npmLock("")}, hook.Deny},
		{"a shared version that a member takes", "cargo build", map[string]string{
			"Cargo.toml":          "[workspace]\nmembers = [\"crates/*\"]\n[workspace.dependencies]\nzz-made-up = \"1\"\n",
			"crates/a/Cargo.toml": "[package]\nname = \"a\"\n[dependencies]\nzz-made-up = { workspace = true }\n", "Cargo.lock": "[[package]]\nname = \"a\"\n",
		}, hook.Deny},
		{"a gem after a condition", "bundle", map[string]string{"Gemfile": "if true\n  gem 'rake'\nend\ngem 'zz-made-up'\n", "Gemfile.lock": "GEM\n  specs:\n    rake (13.0)\n"}, hook.Deny},
		{"a member", "npm i", map[string]string{"package.json": `{"workspaces": ["web"]}`, "web/package.json": pkg, "package-lock.json": npmLock("")}, hook.Deny},
		{"global", "npm i -g", map[string]string{"package.json": pkg, "package-lock.json": npmLock("")}, hook.Pass},
		{"a broken manifest", "npm i", map[string]string{"package.json": `{"dependencies": {"zz-`, "package-lock.json": npmLock("")}, hook.Pass},
		{"in a container", "docker exec c npm i", map[string]string{"package.json": pkg, "package-lock.json": npmLock("")}, hook.Pass},
		{"pnpm", "pnpm i", map[string]string{"package.json": pkg, "pnpm-lock.yaml": "importers:\n\n  .:\n    dependencies:\n      zz-healthy:\n        specifier: 2.1.0\n    devDependencies:\n      alias:\n        specifier: npm:zz-old@1\n        version: zz-old@1.0.0\n\npackages:\n\n  zz-old@1.0.0:\n    resolution: {}\n"}, hook.Deny},
		{"pnpm, in it", "pnpm i", map[string]string{"package.json": pkg, "pnpm-lock.yaml": "packages:\n\n  zz-healthy@2.1.0:\n  '/zz-old@1.0.0':\n  /zz-evil/1.0.1:\n"}, hook.Pass},
		{"pnpm, frozen", "pnpm i --frozen-lockfile", map[string]string{"package.json": pkg, "pnpm-lock.yaml": "packages:\n"}, hook.Pass},
		{"yarn 1", "yarn", map[string]string{"package.json": pkg, "yarn.lock": "# v1\n\nzz-healthy@2.1.0:\n  version \"2.1.0\"\n\n\"alias@npm:zz-old@1\":\n  version \"1\"\n"}, hook.Deny},
		{"yarn 1, in it", "yarn install", map[string]string{"package.json": pkg, "yarn.lock": "zz-healthy@2.1.0, zz-healthy@^2:\n\n\"alias@npm:zz-old@1\":\n\nzz-evil@1.0.1:\n"}, hook.Pass},
		{"yarn, its version", "yarn --version", map[string]string{"package.json": pkg, "yarn.lock": "zz-healthy@2.1.0:\n"}, hook.Pass},
		{"yarn 2, in it", "yarn", map[string]string{"package.json": pkg, "yarn.lock": "\"zz-healthy@npm:2.1.0\":\n  resolution: \"zz-healthy@npm:2.1.0\"\n\"alias@npm:zz-old@1\":\n  resolution: \"zz-old@npm:1.0.0\"\n\"zz-evil@npm:1.0.1\":\n"}, hook.Pass},
		{"bun", "bun install", map[string]string{"package.json": pkg, "bun.lock": "{\n  \"packages\": {\n    \"zz-healthy\": [\"zz-healthy@2.1.0\", \"\"],\n    \"alias\": [\"zz-old@1.0.0\"],\n  }\n}\n"}, hook.Deny},
		{"uv", "uv sync", map[string]string{"pyproject.toml": "[project]\nname = \"a\"\ndependencies = [\"zz-held\"]\n", "uv.lock": "[[package]]\nname = \"six\"\n"}, hook.Deny},
		{"uv run", "uv run pytest", map[string]string{"pyproject.toml": "[project]\nname = \"a\"\ndependencies = [\"zz_held\"]\n", "uv.lock": "[[package]]\nname = \"zz-held\"\n"}, hook.Pass},
		{"uv, locked", "uv sync --locked", map[string]string{"pyproject.toml": "[project]\nname = \"a\"\ndependencies = [\"zz-held\"]\n", "uv.lock": ""}, hook.Pass},
		{"pipenv", "pipenv install", map[string]string{"Pipfile": "[packages]\nzz-held = \"*\"\n", "Pipfile.lock": "{\n    \"default\": {\n        \"six\": {}\n    }\n}\n"}, hook.Deny},
		{"cargo", "cargo build --release", map[string]string{"Cargo.toml": "[package]\nname = \"a\"\n[dependencies]\nzz-made-up = \"1\"\n", "Cargo.lock": "[[package]]\nname = \"a\"\n"}, hook.Deny},
		{"cargo, in it", "cargo test", map[string]string{"Cargo.toml": "[package]\nname = \"a\"\n[dependencies]\nzz_made_up = \"1\"\n", "Cargo.lock": "[[package]]\nname = \"zz-made-up\"\n"}, hook.Pass},
		{"go", "go mod tidy", map[string]string{"go.mod": "module example.com/a\n\nrequire example.com/zz/made-up v1.0.0\n", "go.sum": "example.com/zz/mod v1.2.0 h1:x=\n"}, hook.Deny},
		{"bundle", "bundle", map[string]string{"Gemfile": "gem 'zz-made-up'\n", "Gemfile.lock": "GEM\n  specs:\n    rake (13.0)\n\nDEPENDENCIES\n  rake\n"}, hook.Deny},
		{"bundle exec", "bundle exec rake", map[string]string{"Gemfile": "gem 'zz-made-up'\n", "Gemfile.lock": "GEM\n"}, hook.Pass},
		{"composer", "composer update", map[string]string{"composer.json": `{"require": {"zz/made-up": "^1"}}`, "composer.lock": "{\n  \"packages\": [\n    {\n      \"name\": \"zz/pkg\"\n    }\n  ]\n}\n"}, hook.Deny},
		{"composer, from the lockfile", "composer install", map[string]string{"composer.json": `{"require": {"zz/made-up": "^1"}}`, "composer.lock": "{}"}, hook.Pass},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			for name, text := range tt.files {
				w.file(name, text)
			}
			v := w.run(tt.command)
			if v.Decision != tt.decision {
				t.Errorf("%s: %q, want %s", v.Decision, v.Reason, tt.decision)
			}
			if tt.decision == hook.Deny && !strings.Contains(v.Reason, "zz") {
				t.Errorf("reason: %s", v.Reason)
			}
		})
	}
}

func TestAnInstallThatAddsNothingToItsLockfileNeedsNoNetwork(t *testing.T) {
	w := newWorld(t)
	w.file("package.json", `{"dependencies": {"zz-evil": "1.0.1"}}`)
	w.file("package-lock.json", "{\n  \"node_modules/zz-evil\": {\n")
	w.env.HTTP = func() gate.HTTP { return nil }()
	w.env.Proc = nil
	if v, err := w.judge(w.event("Bash", hook.Shell, map[string]any{"command": "npm install"})); err != nil || !v.Silent() {
		t.Errorf("%+v, %v", v, err)
	}
}

// A project whose lockfile is complete: what it lacks all the same is nothing
// that its tool would install.
func TestAnOrdinaryInstallCostsNoLookUpAndNoWord(t *testing.T) {
	lock3 := func(names ...string) string {
		out := "{\n  \"lockfileVersion\": 3,\n  \"packages\": {\n    \"\": {\n      \"name\": \"app\"\n    }"
		for _, n := range names {
			out += ",\n    \"node_modules/" + n + "\": {\n      \"version\": \"1.0.0\"\n    }"
		}
		return out + "\n  }\n}\n"
	}
	toml := func(names ...string) string {
		out := "version = 4\n"
		for _, n := range names {
			out += "\n[[package]]\nname = \"" + n + "\"\nversion = \"1.0.0\"\n"
		}
		return out
	}
	tests := []struct {
		name, command, dir string
		files              map[string]string
	}{
		{"npm 6 with an alias", "npm install", "", map[string]string{
			"package.json":      `{"dependencies": {"alias": "npm:zz-other@^4", "zz-a": "^1"}, "peerDependencies": {"zz-peer": "*"}}`,
			"package-lock.json": "{\n  \"lockfileVersion\": 1,\n  \"dependencies\": {\n    \"alias\": {\n      \"version\": \"npm:zz-other@4.0.0\",\n      \"integrity\": \"sha512-x\"\n    },\n    \"zz-a\": {\n      \"version\": \"1.0.0\"\n    }\n  }\n}\n",
		}},
		{"npm with all that it can say", "npm i", "", map[string]string{
			"package.json": `{"name": "app", "dependencies": {"zz-a": "1", "zz-file": "file:../x", "zz-link": "link:./y", "zz-git": "git+https://example.com/g.git", "zz-short": "user/repo", "zz-tar": "https://example.com/t.tgz"},
				"optionalDependencies": {"zz-opt": "*"}, "peerDependencies": {"zz-peer": ">=1", "zz-maybe": "*"}, "peerDependenciesMeta": {"zz-maybe": {"optional": true}},
				"overrides": {"zz-deep": "2", "zz-a": {"zz-deeper": "3", ".": "1"}}, "engines": {"node": ">=18"}, "packageManager": "npm@11.0.0", "bundleDependencies": ["zz-a"]}`,
			"package-lock.json": lock3("zz-a", "zz-opt", "zz-peer"),
		}},
		{"npm workspaces", "npm install", "", map[string]string{
			"package.json": `{"workspaces": ["packages/*", "apps/**"]}`, "packages/a/package.json": `{"name": "@acme/a", "dependencies": {"@acme/b": "^1.0.0", "zz-a": "1"}}`,
			"packages/b/package.json": `{"name": "@acme/b"}`, "apps/x/y/package.json": `{"name": "y", "dependencies": {"@acme/a": "*"}}`,
			"package-lock.json": lock3("zz-a", "@acme/a", "@acme/b"),
		}},
		{"a workspace's member, from inside", "npm install", "packages/a", map[string]string{
			"package.json": `{"workspaces": {"packages": ["packages/*"]}}`, "packages/a/package.json": `{"name": "@acme/a", "dependencies": {"zz-a": "1"}}`, "package-lock.json": lock3("zz-a"),
		}},
		{"a project of its own below another", "npm install", "web", map[string]string{
			"package.json": `{"devDependencies": {"zz-hooks": "9"}}`, "package-lock.json": lock3("zz-hooks"), "web/package.json": `{"dependencies": {"zz-a": "1"}}`,
		}},
		{"yarn 1", "yarn install", "", map[string]string{
			"package.json":       `{"workspaces": ["p/*"], "dependencies": {"zz-a": "^1", "alias": "npm:zz-b@2"}, "peerDependencies": {"zz-peer": "*"}, "resolutions": {"**/zz-deep": "2", "zz-x/zz-y": "1"}}`,
			"p/one/package.json": `{"name": "one", "dependencies": {"two": "^1.0.0"}}`, "p/two/package.json": `{"name": "two"}`,
			"yarn.lock": "# yarn lockfile v1\n\n\nzz-a@^1, zz-a@^1.2:\n  version \"1.0.0\"\n\n\"alias@npm:zz-b@2\":\n  version \"2.0.0\"\n",
		}},
		{"yarn 4", "yarn", "", map[string]string{
			"package.json": `{"dependencies": {"zz-a": "^1", "zz-p": "patch:zz-p@npm%3A^1#./x.patch", "zz-w": "workspace:^", "zz-o": "portal:../o"}, "dependenciesMeta": {"zz-a": {"built": true}}}`,
			"yarn.lock":    "__metadata:\n  version: 8\n\n\"zz-a@npm:^1\":\n  version: 1.0.0\n  resolution: \"zz-a@npm:1.0.0\"\n\n\"zz-p@npm:^1\":\n  version: 1.0.0\n\n\"zz-w@workspace:^, zz-w@workspace:w\":\n  version: 0.0.0-use.local\n",
		}},
		{"pnpm 9 with catalogues", "pnpm install", "", map[string]string{
			"package.json":        `{"dependencies": {"zz-a": "catalog:", "alias": "npm:zz-b@^2", "zz-w": "workspace:*"}, "peerDependencies": {"zz-peer": "*"}, "pnpm": {"overrides": {"zz-x>zz-deep": "2", "zz-gone": "-"}, "packageExtensions": {"zz-unused@1": {"dependencies": {"zz-more": "1"}}}}}`,
			"pnpm-workspace.yaml": "packages:\n  - 'w/*'\ncatalog:\n  zz-a: ^1\n  zz-unused: ^2\nonlyBuiltDependencies:\n  - zz-built\n",
			"pnpm-lock.yaml":      "lockfileVersion: '9.0'\n\nsettings:\n  autoInstallPeers: false\n\nimporters:\n\n  .:\n    dependencies:\n      alias:\n        specifier: npm:zz-b@^2\n        version: zz-b@2.0.0\n      zz-a:\n        specifier: 'catalog:'\n        version: 1.0.0\n\npackages:\n\n  zz-a@1.0.0:\n    resolution: {}\n",
		}},
		{"pnpm 6", "pnpm i", "", map[string]string{
			"package.json": `{"dependencies": {"@zz/a": "^1", "alias": "npm:zz-b@^2"}}`, "pnpm-lock.yaml": "lockfileVersion: 5.4\n\nspecifiers:\n  '@zz/a': ^1\n  alias: npm:zz-b@^2\n\ndependencies:\n  '@zz/a': 1.0.0\n  alias: /zz-b/2.0.0\n\npackages:\n\n  /@zz/a/1.0.0:\n    dev: false\n\n  /zz-b/2.0.0:\n    dev: false\n",
		}},
		{"bun", "bun install", "", map[string]string{
			"package.json": `{"workspaces": {"packages": ["p/*"], "catalog": {"zz-a": "1", "zz-unused": "1"}}, "dependencies": {"zz-a": "catalog:", "alias": "npm:zz-b@1"}}`,
			"bun.lock":     "{\n  \"lockfileVersion\": 1,\n  \"packages\": {\n    \"alias\": [\"zz-b@1.0.0\", \"\", {}, \"sha512-x\"],\n    \"zz-a\": [\"zz-a@1.0.0\", \"\"],\n  }\n}\n",
		}},
		{"uv", "uv sync", "", map[string]string{
			"pyproject.toml": "[build-system]\nrequires = [\"zz-backend>=1\"]\n[project]\nname = \"app\"\ndependencies = [\"zz_a[extra]>=1; python_version < '3.9'\", \"zz-member\", \"zz-git\"]\n[project.optional-dependencies]\nx = [\"zz-x\"]\n[dependency-groups]\ndev = [\"zz-dev\", {include-group = \"more\"}]\nmore = []\n" +
				"[tool.uv]\noverride-dependencies = [\"zz-deep==2\"]\nconstraint-dependencies = [\"zz-limit<3\"]\n[tool.uv.sources]\nzz-member = {workspace = true}\nzz-git = {git = \"https://example.com/g\"}\n[tool.uv.workspace]\nmembers = [\"m/*\"]\n[tool.hatch.envs.docs]\ndependencies = [\"zz-docs\"]\n",
			"uv.lock": toml("app", "zz-a", "zz-member", "zz-x", "zz-dev"),
		}},
		{"a member of a uv workspace", "uv run pytest", "m/one", map[string]string{
			"pyproject.toml": "[tool.uv.workspace]\nmembers = [\"m/*\"]\n", "m/one/pyproject.toml": "[project]\nname = \"one\"\ndependencies = [\"zz-a\"]\n", "uv.lock": toml("one", "zz-a"),
		}},
		{"poetry with groups", "poetry install", "", map[string]string{
			"pyproject.toml": "[tool.poetry]\nname = \"app\"\n[tool.poetry.dependencies]\npython = \"^3.10\"\nZz_A = \"^1\"\nzz-path = {path = \"../x\"}\n[tool.poetry.group.dev.dependencies]\nzz-dev = {version = \"*\", optional = true}\n[tool.poetry.requires-plugins]\nzz-plugin = \"*\"\n[build-system]\nrequires = [\"zz-backend\"]\n",
			"poetry.lock":    toml("zz-a", "zz-dev"),
		}},
		{"pdm without its extras", "pdm install", "", map[string]string{
			"pyproject.toml": "[project]\nname = \"app\"\ndependencies = [\"zz-a\"]\n[project.optional-dependencies]\nx = [\"zz-x\"]\n", "pdm.lock": toml("zz-a"),
		}},
		{"pipenv", "pipenv install --dev", "", map[string]string{
			"Pipfile":      "[[source]]\nurl = \"https://pypi.org/simple\"\nname = \"pypi\"\n[packages]\nZz_A = \"*\"\napp = {path = \".\", editable = true}\n[dev-packages]\nzz-dev = {version = \"*\", markers = \"os_name == 'nt'\"}\n[requires]\npython_version = \"3.12\"\n",
			"Pipfile.lock": "{\n    \"default\": {\n        \"app\": {},\n        \"zz-a\": {}\n    },\n    \"develop\": {\n        \"zz-dev\": {}\n    }\n}\n",
		}},
		{"cargo", "cargo test", "", map[string]string{
			"Cargo.toml": "[package]\nname = \"app\"\n[dependencies]\nzz-a = \"1\"\nrenamed = { package = \"zz-b\", version = \"2\" }\nzz-path = { path = \"p\", version = \"1\" }\nzz-shared.workspace = true\n[target.'cfg(windows)'.dependencies]\nzz-win = \"1\"\n[build-dependencies]\nzz-build = { version = \"1\", optional = true }\n" +
				"[workspace]\nmembers = [\"p\"]\n[workspace.dependencies]\nzz-shared = \"1\"\nzz-unused = \"1\"\n[patch.crates-io]\nzz-a = { git = \"https://example.com/g\" }\n",
			"p/Cargo.toml": "[package]\nname = \"zz-path\"\n", "Cargo.lock": toml("app", "zz-a", "zz-b", "zz-path", "zz-win", "zz-build", "zz-shared"),
		}},
		{"a member of a cargo workspace", "cargo build", "crates/a", map[string]string{
			"Cargo.toml": "[workspace]\nmembers = [\"crates/*\"]\n", "crates/a/Cargo.toml": "[package]\nname = \"a\"\n[dependencies]\nzz_b = \"1\"\n", "Cargo.lock": toml("a", "zz-b"),
		}},
		{"go with replacements", "go mod tidy", "", map[string]string{
			"go.mod": "module example.com/app\n\ngo 1.24\n\nrequire (\n\texample.com/zz/a v1.0.0\n\texample.com/zz/here v0.0.0\n\texample.com/zz/there v1.0.0 // indirect\n)\n\nreplace example.com/zz/here => ./here\n\nreplace example.com/zz/there => example.com/zz/fork v1.1.0\n\nexclude example.com/zz/out v1.0.0\n\ntool example.com/zz/a/cmd/x\n",
			"go.sum": "example.com/zz/a v1.0.0 h1:x=\nexample.com/zz/a v1.0.0/go.mod h1:x=\nexample.com/zz/fork v1.1.0/go.mod h1:x=\n",
		}},
		{"a module of a Go workspace", "go mod tidy", "b", map[string]string{
			"go.work": "go 1.24\n\nuse (\n\t./a // the library\n\t./b\n)\n", "a/go.mod": "module example.com/app/a // here\n", "b/go.mod": "module example.com/app/b\n\nrequire example.com/app/a v0.0.0\n", "b/go.sum": "example.com/zz/a v1.0.0 h1:x=\n",
		}},
		{"bundle", "bundle install", "", map[string]string{
			"Gemfile":      "source 'https://rubygems.org'\ngemspec\ngem 'zz-a', '~> 1'\ngem 'zz-win', platforms: %i[mswin mingw]\ngem 'zz-path', path: 'x'\nif ENV['RAILS_NEXT']\n  gem 'zz-next'\nelse\n  gem 'zz-now'\nend\ngem 'zz-mac' if RUBY_PLATFORM =~ /darwin/\ngit 'https://example.com/g' do\n  gem 'zz-git'\nend\n",
			"Gemfile.lock": "PATH\n  remote: .\n  specs:\n    app (1.0)\n\nGEM\n  remote: https://rubygems.org/\n  specs:\n    zz-a (1.0)\n    zz-now (1.0)\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n  app!\n  zz-a (~> 1)\n  zz-now\n  zz-win\n",
		}},
		{"composer", "composer update", "", map[string]string{
			"composer.json": `{"name": "acme/app", "require": {"php": ">=8.1", "ext-json": "*", "lib-openssl": "*", "composer-plugin-api": "^2", "zz/a": "^1", "zz/virtual-implementation": "*"}, "require-dev": {"ZZ/Dev": "*"}, "conflict": {"zz/old": "*"}, "suggest": {"zz/more": "why"}}`,
			"composer.lock": "{\n    \"packages\": [\n        {\n            \"name\": \"zz/a\",\n            \"provide\": {\n                \"zz/virtual-implementation\": \"1.0\"\n            }\n        }\n    ],\n    \"packages-dev\": [\n        {\n            \"name\": \"zz/dev\"\n        }\n    ]\n}\n",
		}},
		{"pip in place", "pip install -e .", "", map[string]string{"pyproject.toml": "[project]\nname = \"app\"\ndependencies = [\"zz-a\"]\n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			for name, text := range tt.files {
				w.file(name, text)
			}
			w.env.HTTP, w.env.Proc = nil, nil
			e := w.event("Bash", hook.Shell, map[string]any{"command": tt.command})
			e.Cwd = filepath.Join(w.root, tt.dir)
			if v, err := w.judge(e); err != nil || !v.Silent() {
				t.Errorf("%s: %q, %q, %v", v.Decision, v.Reason, v.Notice, err)
			}
		})
	}
}

func BenchmarkABareInstallWithABigLockfile(b *testing.B) {
	var lock strings.Builder
	lock.WriteString("{\n  \"packages\": {\n")
	for i := range 3000 {
		lock.WriteString("    \"node_modules/zz-" + strings.Repeat("x", i%20) + "\": {\n      \"version\": \"1.0.0\",\n      \"resolved\": \"https://registry.example/zz/-/zz-1.0.0.tgz\",\n      \"integrity\": \"sha512-" + strings.Repeat("a", 88) + "\"\n    },\n")
	}
	text := lock.String()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		lockedNames("package-lock.json", coord.NPM, text)
	}
}
