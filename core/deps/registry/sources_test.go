package registry

import (
	"path/filepath"
	"testing"

	"github.com/ec261362/guardrails/core/deps/coord"
)

func TestSettingsFilesSayWhereAPackageComesFrom(t *testing.T) {
	const own = "https://own.example/r"
	for _, tc := range []struct {
		name    string
		eco     coord.Ecosystem
		files   map[string]string // below /home/x/work/app, ~/ = /home/x
		env     map[string]string
		pkg     string
		custom  string
		extra   string
		private bool
	}{
		{"nothing is set", coord.NPM, nil, nil, "zz", "", "", false},
		{"npm", coord.NPM, map[string]string{".npmrc": "; note\nregistry = " + own + "\n"}, nil, "zz", own, "", false},
		{"npm, of the user", coord.NPM, map[string]string{"~/.npmrc": "registry=" + own}, nil, "zz", own, "", false},
		{"npm, above", coord.NPM, map[string]string{"../.npmrc": "registry=" + own}, nil, "zz", own, "", false},
		{"npm, a scope", coord.NPM, map[string]string{".npmrc": "@zz:registry=" + own}, nil, "@zz/top", own, "", false},
		{"npm, another scope", coord.NPM, map[string]string{".npmrc": "@zz:registry=" + own}, nil, "@yy/top", "", "", false},
		{"npm, the nearest counts", coord.NPM, map[string]string{".npmrc": "registry=" + own, "~/.npmrc": "registry=https://other.example"}, nil, "zz", own, "", false},
		{"npm, a comment", coord.NPM, map[string]string{".npmrc": "#registry=" + own}, nil, "zz", "", "", false},
		{"yarn 1", coord.NPM, map[string]string{".yarnrc": "registry \"" + own + "\"\n"}, nil, "zz", own, "", false},
		{"yarn 1, a scope", coord.NPM, map[string]string{".yarnrc": "\"@zz:registry\" \"" + own + "\"\n"}, nil, "@zz/top", own, "", false},
		{"yarn", coord.NPM, map[string]string{".yarnrc.yml": "nodeLinker: x\nnpmRegistryServer: \"" + own + "\"\n"}, nil, "zz", own, "", false},
		{"yarn, a scope", coord.NPM, map[string]string{".yarnrc.yml": "npmScopes:\n  zz:\n    npmAlwaysAuth: true\n    npmRegistryServer: \"" + own + "\"\n"}, nil, "@zz/top", own, "", false},
		{"yarn, of the environment", coord.NPM, nil, map[string]string{"YARN_NPM_REGISTRY_SERVER": own}, "zz", own, "", false},
		{"bun", coord.NPM, map[string]string{"bunfig.toml": "[install]\nregistry = \"" + own + "\"\n"}, nil, "zz", own, "", false},
		{"bun, a scope", coord.NPM, map[string]string{"bunfig.toml": "[install.scopes]\n\"@zz\" = \"" + own + "\"\n"}, nil, "@zz/top", own, "", false},
		{"npm, of the environment", coord.NPM, nil, map[string]string{"NPM_CONFIG_REGISTRY": own}, "zz", own, "", false},
		{"pip, of the environment", coord.PyPI, nil, map[string]string{"PIP_INDEX_URL": own}, "zz", own, "", false},
		{"uv, of the environment, with a name", coord.PyPI, nil, map[string]string{"UV_INDEX": "corp=" + own + " https://b.example"}, "zz", "", own, false},
		{"pip", coord.PyPI, map[string]string{"~/.config/pip/pip.conf": "[global]\nindex-url = " + own + "\n"}, nil, "zz", own, "", false},
		{"pip, an extra index", coord.PyPI, map[string]string{"~/.pip/pip.conf": "[install]\nextra-index-url = " + own + "\n"}, nil, "zz", "", own, false},
		{"pip, another section", coord.PyPI, map[string]string{"~/.pip/pip.conf": "[list]\nindex-url = " + own + "\n"}, nil, "zz", "", "", false},
		{"pip, named by the environment", coord.PyPI, map[string]string{"~/p.conf": "[global]\nindex_url=" + own}, map[string]string{"PIP_CONFIG_FILE": "/home/x/p.conf"}, "zz", own, "", false},
		{"a virtual environment", coord.PyPI, map[string]string{"venv/pip.conf": "[global]\nindex-url=" + own}, map[string]string{"VIRTUAL_ENV": "/home/x/work/app/venv"}, "zz", own, "", false},
		{"uv, its default", coord.PyPI, map[string]string{"pyproject.toml": "[[tool.uv.index]]\nname = \"own\"\nurl = \"" + own + "\"\ndefault = true\n"}, nil, "zz", own, "", false},
		{"uv, one more", coord.PyPI, map[string]string{"pyproject.toml": "[[tool.uv.index]]\nurl = \"" + own + "\"\n[project]\nname=\"x\"\n"}, nil, "zz", "", own, false},
		{"uv, only where it is named", coord.PyPI, map[string]string{"pyproject.toml": "[[tool.uv.index]]\nurl = \"" + own + "\"\nexplicit = true\n"}, nil, "zz", "", "", false},
		{"uv.toml", coord.PyPI, map[string]string{"uv.toml": "index-url = \"" + own + "\"\n"}, nil, "zz", own, "", false},
		{"poetry, primary", coord.PyPI, map[string]string{"pyproject.toml": "[[tool.poetry.source]]\nname = \"own\"\nurl = \"" + own + "\"\npriority = \"primary\"\n"}, nil, "zz", own, "", false},
		{"poetry, supplemental", coord.PyPI, map[string]string{"pyproject.toml": "[[tool.poetry.source]]\nurl = \"" + own + "\"\npriority = \"supplemental\"\n"}, nil, "zz", "", own, false},
		{"cargo", coord.Crates, map[string]string{".cargo/config.toml": "[source.crates-io]\nreplace-with = \"own\"\n"}, nil, "zz", "own", "", false},
		{"cargo, another source", coord.Crates, map[string]string{".cargo/config.toml": "[source.own]\nreplace-with = \"other\"\n"}, nil, "zz", "", "", false},
		{"cargo, its default", coord.Crates, map[string]string{"~/.cargo/config.toml": "[registry]\ndefault = \"own\"\n"}, nil, "zz", "own", "", false},
		{"cargo, the usual default", coord.Crates, map[string]string{"~/.cargo/config.toml": "[registry]\ndefault = \"crates-io\"\n"}, nil, "zz", "", "", false},
		{"cargo, of the environment", coord.Crates, nil, map[string]string{"CARGO_REGISTRY_DEFAULT": "own"}, "zz", "own", "", false},
		{"cargo, a further registry", coord.Crates, map[string]string{".cargo/config.toml": "[registries.own]\nindex = \"" + own + "\"\n"}, nil, "zz", "", "", false},
		{"Go, private", coord.Go, nil, map[string]string{"GOPRIVATE": "*.corp.example,git.example/team"}, "git.example/team/lib", "", "", true},
		{"Go, a pattern", coord.Go, nil, map[string]string{"GOPRIVATE": "*.corp.example"}, "x.corp.example/lib", "", "", true},
		{"Go, another", coord.Go, nil, map[string]string{"GOPRIVATE": "*.corp.example"}, "github.com/zz/lib", "", "", false},
		{"Go, its own file", coord.Go, map[string]string{"~/.config/go/env": "GOPROXY=x\nGONOPROXY=git.example\n"}, nil, "git.example/lib", "", "", true},
		{"Go, a proxy", coord.Go, nil, map[string]string{"GOPROXY": own + ",direct"}, "github.com/zz/lib", own, "", false},
		{"Go, no proxy", coord.Go, nil, map[string]string{"GOPROXY": "direct"}, "github.com/zz/lib", "", "", false},
		{"Go, a proxy in its own file", coord.Go, map[string]string{"~/.config/go/env": "GOPROXY=" + own + "|direct\n"}, nil, "github.com/zz/lib", own, "", false},
		{"gem, its sources", coord.RubyGems, map[string]string{"~/.gemrc": "---\n:sources:\n- " + own + "\n:verbose: true\n"}, nil, "zz", own, "", false},
		{"gem, one more source", coord.RubyGems, map[string]string{"~/.gemrc": ":sources:\n- https://rubygems.org/\n- " + own + "\n"}, nil, "zz", "", own, false},
		{"bundle, a mirror", coord.RubyGems, map[string]string{".bundle/config": "---\nBUNDLE_MIRROR__HTTPS://RUBYGEMS__ORG/: \"" + own + "\"\n"}, nil, "zz", own, "", false},
		{"composer without the public one", coord.Packagist, map[string]string{"composer.json": "{\"repositories\": [{\"packagist\": false}]}"}, nil, "zz/top", "repositories", "repositories", false},
		{"composer", coord.Packagist, map[string]string{"composer.json": "{\"repositories\": [{\"type\": \"vcs\", \"url\": \"x\"}]}"}, nil, "zz/top", "", "repositories", false},
		{"nuget, beside", coord.NuGet, map[string]string{"nuget.config": "<packageSources><add key=\"own\" value=\"x\"/></packageSources>"}, nil, "Zz", "", "x", false},
		{"nuget, instead", coord.NuGet, map[string]string{"nuget.config": "<packageSources><clear /><add key=\"own\" value=\"x\"/></packageSources>"}, nil, "Zz", "x", "", false},
		{"nuget, named again", coord.NuGet, map[string]string{"nuget.config": "<packageSources><clear /><add key=\"nuget.org\" value=\"https://api.nuget.org/v3/index.json\" protocolVersion=\"3\" /></packageSources>"}, nil, "Zz", "", "", false},
		{"nuget, of the user", coord.NuGet, map[string]string{"~/.nuget/NuGet/NuGet.Config": "<packageSources><clear/><add key=\"own\" value=\"x\"/></packageSources>"}, nil, "Zz", "x", "", false},
	} {
		files := map[string]string{}
		for name, text := range tc.files {
			if name[0] == '~' {
				name = filepath.Join("/home/x", name[2:])
			} else {
				name = filepath.Join("/home/x/work/app", name)
			}
			files[name] = text
		}
		read := func(name string) []byte {
			if text, ok := files[name]; ok {
				return []byte(text)
			}
			return nil
		}
		s := Settings(read, func(k string) string { return tc.env[k] }, tc.eco, "/home/x/work/app", "/home/x/work", "/home/x")
		if custom, extra, private := s.Place(tc.eco, tc.pkg); custom != tc.custom || extra != tc.extra || private != tc.private {
			t.Errorf("%s: %q, %q, %v", tc.name, custom, extra, private)
		}
	}
}

func TestALoginIsSeen(t *testing.T) {
	read := func(name string) []byte {
		if name == "/home/x/.npmrc" {
			return []byte("//r.example/:_authToken=${TOKEN}\n")
		}
		return nil
	}
	if s := Settings(read, nil, coord.NPM, "/w", "/w", "/home/x"); !s.Token || s.Default != "" {
		t.Errorf("%+v", s)
	}
}

func TestOneRegistryHasManySpellings(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"https://r.example/", "https://R.example", true},
		{"http://r.example", "https://r.example/", true},
		{"https://r.example/simple", "https://r.example/simple/", true},
		{"https://r.example", "https://s.example", false},
		{"", "", false},
	} {
		if got := Same(tc.a, tc.b); got != tc.want {
			t.Errorf("%s, %s: %v", tc.a, tc.b, got)
		}
	}
}

func FuzzSettings(f *testing.F) {
	f.Add("[[tool.uv.index]]\nurl=\"x\"\n")
	f.Add("npmScopes:\n  a:\n    npmRegistryServer: x\n")
	f.Add("@a:registry=x\n[\n]=\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, e := range []coord.Ecosystem{coord.NPM, coord.PyPI, coord.Crates, coord.Go, coord.Packagist, coord.NuGet} {
			s := Settings(func(string) []byte { return []byte(text) }, nil, e, "/w/a", "/w", "/home/x")
			s.Place(e, text)
		}
	})
}
