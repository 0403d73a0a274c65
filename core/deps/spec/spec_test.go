package spec

import (
	"testing"

	"github.com/ec261362/guardrails/core/deps/coord"
)

func TestModule(t *testing.T) {
	tests := []struct{ path, want string }{
		{"github.com/a/b", "github.com/a/b"},
		{"github.com/a/b/c/d", "github.com/a/b"},
		{"github.com/a/b/v2/c", "github.com/a/b/v2"},
		{"github.com/a/b/v1/c", "github.com/a/b"},
		{"golang.org/x/tools/cmd/goimports", "golang.org/x/tools"},
		{"gopkg.in/yaml.v3", "gopkg.in/yaml.v3"},
		{"gopkg.in/a/b.v1/c", "gopkg.in/a/b.v1"},
		{"mvdan.cc/sh/v3/cmd/shfmt", "mvdan.cc/sh/v3"},
		{"honnef.co/go/tools/cmd/staticcheck", "honnef.co/go/tools"},
		{"example.com/x/y/cmd/z", "example.com/x/y"},
		{"example.com/x/y/z", "example.com/x/y/z"},
		{"example.com/x/v2/z", "example.com/x/v2"},
		{"go.uber.org/zap/zapcore", "go.uber.org/zap"},
		{"example.com", "example.com"},
	}
	for _, tt := range tests {
		if got := Module(tt.path); got != tt.want {
			t.Errorf("Module(%q) = %q, want %q", tt.path, got, tt.want)
		}
	}
}

func TestPoetryRangesBecomePEP440(t *testing.T) {
	tests := []struct{ in, want string }{
		{"^1.2.3", ">=1.2.3,<2"},
		{"^0.2.3", ">=0.2.3,<0.3"},
		{"^0.0.3", ">=0.0.3,<0.0.4"},
		{"^0", ">=0,<1"},
		{"^0.0", ">=0.0,<0.1"},
		{"~1.2.3", ">=1.2.3,<1.3"},
		{"~1", ">=1,<2"},
		{"1.2.3", "==1.2.3"},
		{">=1, <2", ">=1,<2"},
		{"~=1.4", "~=1.4"},
		{"*", "*"},
		{"=1.0", "==1.0"},
		{"^x", ">=x"},
	}
	for _, tt := range tests {
		if got := pep440(tt.in); got != tt.want {
			t.Errorf("pep440(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestPublicRegistry(t *testing.T) {
	for _, a := range []string{"https://registry.npmjs.org/", "registry.yarnpkg.com", "https://pypi.org/simple", "https://u:p@pypi.org:443/simple", "https://api.nuget.org/v3/index.json"} {
		if !PublicRegistry(a) {
			t.Errorf("PublicRegistry(%q) is false", a)
		}
	}
	for _, a := range []string{"", "https://npm.acme.example", "https://registry.npmjs.org.evil.example/", "http://localhost:4873", "acme"} {
		if PublicRegistry(a) {
			t.Errorf("PublicRegistry(%q) is true", a)
		}
	}
}

func FuzzSpecs(f *testing.F) {
	for _, s := range []string{"a@npm:@b/c@1", "a[b]>=1,<2; c", "a @ https://x", "git+ssh://x", "@s/x@^1", "chan::a=1=b", "g:a:v@jar", "x/y@v1", "patch:a@1#x", "name@workspace:*"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, read := range []func(string) (coord.Package, string){
			NPM, Python, Conda, Gem, Maven, Go,
			func(s string) (coord.Package, string) { return Cargo(s, true) },
			func(s string) (coord.Package, string) { return NPMCreate(s, true) },
			func(s string) (coord.Package, string) { return NPMValue("name", s) },
			func(s string) (coord.Package, string) { return PythonValue("name", s) },
			func(s string) (coord.Package, string) { return ComposerValue(s, s) },
			func(s string) (coord.Package, string) { return NuGet(s, s) },
		} {
			p, why := read(s)
			if why == "" && p.Name != "" && p.Ecosystem == coord.None {
				t.Errorf("%q: a name without an ecosystem: %+v", s, p)
			}
			_ = p.Exact()
		}
		_ = Requirements(s)
	})
}
