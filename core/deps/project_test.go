package deps

import (
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/hook"
)

func TestALockfileSaysWhichVersionIsInUse(t *testing.T) {
	for _, tc := range []struct {
		file, text string
		eco        coord.Ecosystem
		name, want string
	}{
		{"package-lock.json", "{\n \"packages\": {\n  \"node_modules/zz\": {\n   \"version\": \"1.2.3\",", coord.NPM, "zz", "1.2.3"},
		{"package-lock.json", "{\n \"packages\": {\n  \"node_modules/@zz/top\": {\n   \"version\": \"1.2.3\",", coord.NPM, "@zz/top", "1.2.3"},
		{"package-lock.json", "{\n \"dependencies\": {\n  \"zz\": {\n   \"version\": \"1.2.3\",", coord.NPM, "zz", "1.2.3"},
		{"package-lock.json", "{\n \"packages\": {\n  \"node_modules/zz-top\": {\n   \"version\": \"1.2.3\",", coord.NPM, "zz", ""},
		{"yarn.lock", "# yarn lockfile v1\n\n\"@zz/top@^1.0.0\":\n  version \"1.2.3\"\n\nzz@^2:\n  version \"2.0.1\"\n", coord.NPM, "zz", "2.0.1"},
		{"yarn.lock", "# yarn lockfile v1\n\n\"@zz/top@^1.0.0\":\n  version \"1.2.3\"\n", coord.NPM, "@zz/top", "1.2.3"},
		{"yarn.lock", "\"zz@npm:^2\":\n  version: 2.0.1\n", coord.NPM, "zz", "2.0.1"},
		{"pnpm-lock.yaml", "packages:\n\n  /zz@1.2.3(peer@1):\n    dev: true\n", coord.NPM, "zz", "1.2.3"},
		{"pnpm-lock.yaml", "packages:\n\n  '@zz/top@1.2.3':\n    resolution: x\n", coord.NPM, "@zz/top", "1.2.3"},
		{"pnpm-lock.yaml", "packages:\n\n  /zz/1.2.3:\n    dev: true\n", coord.NPM, "zz", "1.2.3"},
		{"bun.lock", "{\n  \"packages\": {\n    \"zz\": [\"zz@1.2.3\", \"\"],", coord.NPM, "zz", "1.2.3"},
		{"Cargo.lock", "[[package]]\nname = \"zz\"\nversion = \"1.2.3\"\n", coord.Crates, "zz", "1.2.3"},
		{"poetry.lock", "[[package]]\nname = \"zz-top\"\nversion = \"1.2.3\"\n", coord.PyPI, "zz-top", "1.2.3"},
		{"uv.lock", "[[package]]\nname = \"zz-top\"\nversion = \"1.2.3\"\n", coord.PyPI, "zz-top", "1.2.3"},
		{"Pipfile.lock", "{\"default\": {\n \"zz-top\": {\n  \"version\": \"==1.2.3\"\n", coord.PyPI, "zz-top", "1.2.3"},
		{"Gemfile.lock", "GEM\n  specs:\n    zz (1.2.3)\n      yy (>= 1)\n", coord.RubyGems, "zz", "1.2.3"},
		{"composer.lock", "{\"packages\": [{\"name\": \"zz/top\",\n\"version\": \"v1.2.3\",", coord.Packagist, "zz/top", "1.2.3"},
		{"packages.lock.json", "{\"Zz\": {\n \"type\": \"Direct\",\n \"resolved\": \"1.2.3\",", coord.NuGet, "Zz", "1.2.3"},
		{"Cargo.lock", "", coord.Crates, "zz", ""},
	} {
		l := lockfile{tc.file, tc.text}
		if got := l.version(tc.eco, tc.name); got != tc.want {
			t.Errorf("%s, %s: %q, want %q", tc.file, tc.name, got, tc.want)
		}
	}
}

func TestALicenceExpressionIsMetByTheList(t *testing.T) {
	list := []string{"MIT", "Apache-2.0", "GPL-2.0-only WITH Classpath-exception-2.0"}
	for expression, want := range map[string]bool{
		"MIT": true, "mit": true, "GPL-3.0-only": false, "MIT OR GPL-3.0-only": true, "GPL-3.0-only OR MIT": true, "MIT AND GPL-3.0-only": false,
		"MIT AND Apache-2.0": true, "(MIT OR GPL-3.0-only) AND Apache-2.0": true, "MIT OR (GPL-3.0-only AND BSD-3-Clause)": true,
		"GPL-2.0-only WITH Classpath-exception-2.0": true, "GPL-2.0-only": false, "Apache-2.0+": true, "non-standard": false,
		"": false, "(MIT": false, "MIT)": false, "MIT MIT": false, "OR": false, "AND MIT": false,
	} {
		if got := licensed(expression, list); got != want {
			t.Errorf("%q: %v, want %v", expression, got, want)
		}
	}
}

func FuzzLicences(f *testing.F) {
	f.Add("(MIT OR X) AND Y WITH Z")
	f.Add(strings.Repeat("(", 300))
	f.Fuzz(func(t *testing.T, text string) { licensed(text, []string{"MIT"}) })
}

func TestThePublicRegistryMayBeNamedInSettings(t *testing.T) {
	for name, tc := range map[string]struct {
		registry string
		checked  bool
	}{
		"the one that npm has built in":       {"https://registry.npmjs.org/", true},
		"the other name of it":                {"https://registry.yarnpkg.com", true},
		"a name that only begins like it":     {"https://registry.npmjs.org.own.example/", false},
		"another":                             {"https://own.example/", false},
		"the one that the configuration says": {services + "/registry/npm", true},
	} {
		w := newWorld(t)
		w.file(".npmrc", "registry="+tc.registry+"\n")
		v := w.run("npm i zz-evil")
		if checked := v.Decision == hook.Deny; checked != tc.checked || !checked && len(w.services.Asks()) > 0 {
			t.Errorf("%s: %+v, asked %q", name, v, w.services.Asks())
		}
	}
}
