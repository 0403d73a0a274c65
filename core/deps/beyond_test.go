package deps

import (
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
		{"a folder below", "cd web && npm i", map[string]string{"web/package.json": pkg, "package-lock.json": npmLock("")}, hook.Deny},
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
