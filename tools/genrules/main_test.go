package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
)

// TestCommittedFileIsWhatIsGenerated needs gitleaks in the module cache; it
// fetches nothing.
func TestCommittedFileIsWhatIsGenerated(t *testing.T) {
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Skip(err)
	}
	dir := filepath.Join(strings.TrimSpace(string(cache)), "github.com", "zricethezav", "gitleaks", "v8@"+release)
	if _, err := os.Stat(dir); err != nil {
		t.Skip("gitleaks is not in the module cache")
	}
	out := filepath.Join(t.TempDir(), "rules_gen.go")
	if err := generate(dir, "own.toml", out); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../../core/scan/secrets/rules_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("core/scan/secrets/rules_gen.go is not what own.toml and gitleaks make: run go generate there")
	}
}

func TestConfigIsReadWholeOrNotAtAll(t *testing.T) {
	good := `title = "x"
# comment
[allowlist]
paths = ['''a''', '''b''',]

[[rules]]
id = "one" # with a comment
regex = '''a"b'''
entropy = 3.5
secretGroup = 2
keywords = [
    "k1", "k2",
]
[[rules.allowlists]]
condition = "AND"
regexTarget = "line"
stopwords = ["w"]
`
	c, err := readConfig(good)
	if err != nil {
		t.Fatal(err)
	}
	r := c.rules[0]
	if len(c.allow.paths) != 2 || r.id != "one" || r.regex != `a"b` || r.entropy != 3.5 || r.group != 2 || len(r.keywords) != 2 || len(r.allow) != 1 || !r.allow[0].and {
		t.Errorf("%+v", c)
	}
	for _, bad := range []string{
		"[[rules]]\nnew = 1\n", "[[rules]]\nid = 1\n", "[[rules]]\nid = \"a\\n\"\n", "[[rules]]\nid = \"a", "[other]\n", "x\n", "[[rules.allowlists]]\n",
		"[[rules]]\nkeywords = [1]\n", "[[rules]]\nkeywords = [\"a\" \"b\"]\n", "[[rules]]\nentropy = x\n", "other = \"x\"\n",
		"[[rules]]\nid = \"a\"\n[[rules.allowlists]]\ncondition = \"XOR\"\n",
	} {
		if _, err := readConfig(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

func TestLocate(t *testing.T) {
	tests := []struct {
		expr     string
		keywords []string
		want     place
		ok       bool
	}{
		{`ghp_[a-z]{36}`, []string{"ghp_"}, place{0, 12 + 36}, true},
		{`[a-z]{14}\.atlasv1\.`, []string{"atlasv1"}, place{15, 21 + 1 + 2}, true},
		{`(?:fo1_x|fm1[ar]_y|fm2_z)`, []string{"fo1_", "fm1", "fm2_"}, place{0, 15}, true},
		{`[Ee]tsy=.{2}`, []string{"etsy"}, place{0, 15 + 8}, true},
		{`sk_(?:live|test)_[0-9]+`, []string{"sk_live", "sk_test"}, place{0, infinite}, true},
		{`(?:key){0,2}x`, []string{"key"}, place{}, false},
		{`(?:key)?x`, []string{"key"}, place{}, false},
		{`key|other`, []string{"key"}, place{}, false},
		{`(key|other)`, []string{"key", "other"}, place{0, 15}, true},
		{`.*key`, []string{"key"}, place{infinite, 9}, true},
		{`a.b`, []string{"a.b"}, place{0, 9}, true},
	}
	for _, tt := range tests {
		re, err := syntax.Parse(tt.expr, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := locate(re, tt.keywords)
		// A bound may be wider than need be, never narrower.
		if ok != tt.ok || ok && (got.before < tt.want.before || got.after < tt.want.after && got.after < longest(re)) {
			t.Errorf("%s: %+v %v, want %+v %v", tt.expr, got, ok, tt.want, tt.ok)
		}
	}
}

func TestLeadsHoldForEveryMatch(t *testing.T) {
	tests := []struct {
		expr  string
		leads int
		match []string
	}{
		{`\b(ghp_[a-z]{3})`, 1, []string{"ghp_abc"}},
		{`\b((?:sc|ext|scauth)_[a-z]{2})`, 3, []string{"sc_ab", "ext_ab", "scauth_ab"}},
		{`\b(EAA[MC][a-z]{3})`, 2, []string{"EAAMabc", "EAACabc"}},
		{`(?i)ghp_x`, 0, nil},
		{`[a-z]{5}_x`, 0, nil},
		{`-----BEGIN[ A-Z]{0,9}KEY`, 1, []string{"-----BEGINKEY", "-----BEGIN A KEY"}},
	}
	for _, tt := range tests {
		re, err := syntax.Parse(tt.expr, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		leads := leadsOf(re)
		if len(leads) != tt.leads {
			t.Errorf("%s: %d leads, want %d: %+v", tt.expr, len(leads), tt.leads, leads)
		}
		for _, m := range tt.match {
			if !regexp.MustCompile(tt.expr).MatchString(m) {
				t.Fatalf("%s does not match %s", tt.expr, m)
			}
			ok := false
			for _, l := range leads {
				rest, has := strings.CutPrefix(m, l.text)
				has = has && len(rest) >= l.run
				for i := 0; has && i < l.run; i++ {
					has = l.set[rest[i]>>6]&(1<<(rest[i]&63)) != 0
				}
				ok = ok || has
			}
			if !ok {
				t.Errorf("%s: no lead for %s: %+v", tt.expr, m, leads)
			}
		}
	}
}
