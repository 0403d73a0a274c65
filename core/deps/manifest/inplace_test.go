package manifest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/deps/manifest"
	"github.com/ec261362/guardrails/core/shellcmd"
)

func TestWhatACommandPutsIntoAManifest(t *testing.T) {
	tests := []struct{ line, want string }{
		{`sed -i 's/"a": "1"/"a": "1", "b": "2"/' package.json`, "/w/package.json b@2"},
		{`sed -i.bak -e 's/^flask.*/&\nrich==13/' requirements.txt`, "/w/requirements.txt rich@==13"},
		{`sed -i '' 's|flask==3|rich==13|' requirements.txt`, "/w/requirements.txt rich@==13"},
		{`sed -i '$ a rich' requirements.txt`, "/w/requirements.txt rich"},
		{`sed -i '$a\rich' requirements.txt`, "/w/requirements.txt rich"},
		{`sed -i '/"dependencies"/a\    "b": "2",' web/package.json`, "/w/web/package.json b@2"},
		{"sed -i '/^flask/a\\\nrich\\\nhttpx' requirements.txt", "/w/requirements.txt rich httpx"},
		{`sed -i '1i rich' requirements.txt`, "/w/requirements.txt rich"},
		{`sed -i '/flask/c rich' requirements.txt`, "/w/requirements.txt rich"},
		{`sed -i 's/^\[dependencies\]/&\nserde = "1"/' Cargo.toml`, "/w/Cargo.toml serde@1"},
		{`sed -i 's/flask/rich/' README.md && sed 's/flask/rich/' requirements.txt`, ""},
		{`sed -i '/flask/d' requirements.txt`, ""},
		{`perl -pi -e 's/"a": "1"/"a": "1", "b": "2"/' package.json`, "/w/package.json b@2"},
		{`perl -i -pe 's{flask}{rich==13}' requirements.txt`, "/w/requirements.txt rich@==13"},
		{`jq '.dependencies["b"]="2"' package.json > t && mv t package.json`, "/w/package.json b@2"},
		{`jq '.devDependencies."@a/b" = "^2"' package.json | sponge package.json`, "/w/package.json @a/b@^2"},
		{`jq --arg v 1 '.dependencies.b = $v' package.json >t; cp t package.json`, "/w/package.json b@*"},
		{`jq '.dependencies += {"b": "2", "c": "^1"}' package.json > t && mv t package.json`, "/w/package.json b@2 c@^1"},
		{`jq '.dependencies.b' package.json; jq '.dependencies == {}' package.json > x`, ""},
		{`yq -i '.dependencies.b = "2"' package.json`, "/w/package.json b@2"},
		{"git apply <<'EOF'\n--- a/package.json\n+++ b/package.json\n@@ -1,2 +1,3 @@\n \"dependencies\": {\n+    \"b\": \"2\",\n }\nEOF", "/w/package.json b@2"},
		{"patch -p1 <<'EOF'\n--- a/requirements.txt\n+++ b/requirements.txt\n@@ -1 +1,2 @@\n flask\n+rich\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n+no\nEOF", "/w/requirements.txt rich"},
	}
	for _, tt := range tests {
		var got []string
		for _, in := range manifest.Inserted(shellcmd.Parse(tt.line, shellcmd.Options{Cwd: "/w"})) {
			packages, _ := manifest.Fragment(in.Path, []byte(in.Text))
			if len(packages) == 0 {
				continue
			}
			got = append(got, in.Path)
			for _, p := range packages {
				if p.Name == "a" {
					continue
				}
				s := p.Name
				if p.Version != "" {
					s += "@" + p.Version
				}
				got = append(got, s)
			}
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s: -want +got:\n%s", tt.line, diff)
		}
		if tt.want != "" && !manifest.Mentions(tt.line) {
			t.Errorf("%s: Mentions is false", tt.line)
		}
	}
}

func FuzzInserted(f *testing.F) {
	for _, line := range []string{
		`sed -i 's/a/b/;$a\x' requirements.txt`, `perl -pi -e 's{a}{b}' go.mod`, `jq '.dependencies += {"a":"1"}' package.json >t;mv t package.json`, "patch <<E\n--- a\n+++ b/go.mod\n@@ -1 +1 @@\n+x\nE",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, in := range manifest.Inserted(shellcmd.Parse(line, shellcmd.Options{Cwd: "/w"})) {
			if in.Path == "" || strings.TrimSpace(in.Text) == "" {
				t.Errorf("%q: %+v", line, in)
			}
		}
	})
}
