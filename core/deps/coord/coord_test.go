package coord

import (
	"encoding/json"
	"testing"
)

func TestCanonical(t *testing.T) {
	tests := []struct {
		e          Ecosystem
		name, want string
	}{
		{PyPI, "Flask_SQLAlchemy", "flask-sqlalchemy"},
		{PyPI, "a.-_b", "a-b"},
		{PyPI, "plain", "plain"},
		{PyPI, "a--b", "a-b"},
		{NPM, "JSONStream", "JSONStream"},
		{Crates, "Serde_JSON", "serde-json"},
		{NuGet, "Newtonsoft.Json", "newtonsoft.json"},
		{Packagist, "Monolog/Monolog", "monolog/monolog"},
		{Go, "github.com/BurntSushi/toml", "github.com/BurntSushi/toml"},
		{Maven, "a.B:c", "a.B:c"},
	}
	for _, tt := range tests {
		if got := Canonical(tt.e, tt.name); got != tt.want {
			t.Errorf("Canonical(%s, %q) = %q, want %q", tt.e, tt.name, got, tt.want)
		}
		if got := Canonical(tt.e, Canonical(tt.e, tt.name)); got != tt.want {
			t.Errorf("Canonical twice of %q is %q", tt.name, got)
		}
	}
}

func TestExact(t *testing.T) {
	tests := []struct {
		e             Ecosystem
		version, want string
	}{
		{NPM, "1.2.3", "1.2.3"},
		{NPM, "=1.2.3", "1.2.3"},
		{NPM, "v1.2.3-rc.1", "1.2.3-rc.1"},
		{NPM, "1.2", ""},
		{NPM, "^1.2.3", ""},
		{NPM, "1 || 2", ""},
		{NPM, "*", ""},
		{NPM, "latest", ""},
		{PyPI, "==1.0", "1.0"},
		{PyPI, "===1.0", "1.0"},
		{PyPI, "== 1.0", "1.0"},
		{PyPI, "== 1.0, < 2", ""},
		{PyPI, "==1.*", ""},
		{PyPI, ">=1", ""},
		{PyPI, "==1,!=2", ""},
		{PyPI, "1.0", ""},
		{Crates, "=1.2.3", "1.2.3"},
		{Crates, "1.2.3", ""},
		{Crates, "=1.2", ""},
		{Go, "v1.2.3", "v1.2.3"},
		{Go, "v1", ""},
		{Go, "master", ""},
		{Go, "v2.0.0+incompatible", "v2.0.0+incompatible"},
		{RubyGems, "7.1.3", "7.1.3"},
		{RubyGems, "= 7.1", "7.1"},
		{RubyGems, "~> 7.1", ""},
		{Packagist, "1.2.3", "1.2.3"},
		{Packagist, "^3", ""},
		{Packagist, "dev-main", ""},
		{Packagist, "1.x-dev", ""},
		{Packagist, "1.2.*", ""},
		{NuGet, "13.0.3", "13.0.3"},
		{NuGet, "[1.0]", "1.0"},
		{NuGet, "[1.0,2.0)", ""},
		{NuGet, "1.*", ""},
		{Maven, "33.2.0-jre", "33.2.0-jre"},
		{Maven, "[1,2)", ""},
		{Maven, "1.+", ""},
		{Maven, "latest.release", ""},
		{Conda, "1.26", "1.26"},
		{None, "1", ""},
		{NPM, "", ""},
	}
	for _, tt := range tests {
		p := Package{Ecosystem: tt.e, Version: tt.version}
		if got := p.Exact(); got != tt.want {
			t.Errorf("Exact of %s %q = %q, want %q", tt.e, tt.version, got, tt.want)
		}
	}
	pin := Package{Ecosystem: Crates, Version: "1.2.3", Constraint: "=1.2.3"}
	if got := pin.Exact(); got != "1.2.3" {
		t.Errorf("the constraint counts before the version: got %q", got)
	}
	if tag := (&Package{Ecosystem: NPM, Constraint: "next"}).Tag(); tag != "next" {
		t.Errorf("tag %q", tag)
	}
	if tag := pin.Tag(); tag != "" {
		t.Errorf("a version is no tag: %q", tag)
	}
}

func TestOnlyNameAndVersionAreSaid(t *testing.T) {
	p := Package{Ecosystem: NPM, Name: "a", Constraint: "next", Dir: "/x", Dev: true}
	got, err := json.Marshal(p)
	if err != nil || string(got) != `{"ecosystem":"npm","name":"a"}` {
		t.Errorf("%s %v", got, err)
	}
}
