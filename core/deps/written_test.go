package deps

import (
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/hook"
)

func TestAManifestWrittenByTheShellIsAnEdit(t *testing.T) {
	w := newWorld(t)
	w.file("package.json", `{"dependencies": {"zz-healthy": "2.1.0"}}`)
	w.file("requirements.txt", "flask==3.0.0\n")
	tests := []struct {
		command  string
		decision hook.Decision
		says     string
	}{
		{"cat > package.json <<'EOF'\n{\"dependencies\": {\"zz-healthy\": \"2.1.0\", \"zz-made-up\": \"1.0.0\"}}\nEOF", hook.Deny, "zz-made-up"},
		{"cat > package.json <<'EOF'\n{\"name\": \"x\", \"dependencies\": {\"zz-healthy\": \"2.1.0\"}}\nEOF", hook.Pass, ""},
		{"mkdir -p sub && echo '{\"dependencies\": {\"zz-evil\": \"1.0.0\"}}' | tee sub/package.json", hook.Deny, "zz-evil"},
		{`sed -i 's/"zz-healthy": "2.1.0"/&, "zz-evil": "1.0.1"/' package.json`, hook.Advise, ""},
		{`sed -i 's/"zz-healthy": "2.1.0"/&, "zz-evil": "1.0.1"/' package.json && npm install`, hook.Deny, "zz-evil"},
		{`jq '.dependencies["zz-evil"]="1.0.1"' package.json > t && mv t package.json && npm i`, hook.Deny, "zz-evil"},
		{`jq '.dependencies["zz-healthy"]="2.1.0"' package.json > t && mv t package.json && npm i`, hook.Pass, ""},
		{"cat package.json > notes.txt", hook.Pass, ""},
		{"cat > notes.txt <<'EOF'\n{\"dependencies\": {\"zz-evil\": \"1.0.0\"}}\nEOF", hook.Pass, ""},
	}
	for _, tt := range tests {
		v := w.run(tt.command)
		if v.Decision != tt.decision || !strings.Contains(v.Reason, tt.says) {
			t.Errorf("%s: got %s %q, want %s with %q", tt.command, v.Decision, v.Reason, tt.decision, tt.says)
		}
	}
}

func TestAnEditInPlaceThatDeclaresNothingCostsNoLookUpAndNoWord(t *testing.T) {
	w := newWorld(t)
	w.file("package.json", `{"name": "app", "version": "1.0.0", "scripts": {"test": "jest"}, "dependencies": {"zz-healthy": "2.1.0"}}`)
	w.file("Cargo.toml", "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[features]\ndefault = [\"std\"]\n")
	w.file("pyproject.toml", "[project]\nname = \"app\"\nversion = \"1.0\"\n[tool.ruff]\nline-length = 100\n")
	w.file("go.mod", "module example.com/app\n\ngo 1.22\n")
	w.file("requirements.txt", "zz-held==1.0 # note\n")
	w.env.HTTP, w.env.Proc = nil, nil
	for _, command := range []string{
		`sed -i 's/"version": "1.0.0"/"version": "1.0.1"/' package.json`,
		`sed -i "s/\"version\": \".*\"/\"version\": \"$V\"/" package.json`,
		`sed -i 's/"test": "jest"/"test": "jest --coverage", "lint": "eslint ."/' package.json && npm test`,
		`sed -i '/"scripts": {/a\    "format": "prettier --write .",' package.json`,
		`sed -i 's#"main": ".*"#"main": "dist/index.js"#; s/"license": "MIT"/"license": "Apache-2.0"/' package.json`,
		`jq '.scripts.build="tsc -p ."' package.json > t.json && mv t.json package.json`,
		`npm pkg set scripts.lint="eslint src" type=module engines.node=">=20"`,
		`sed -i 's/^version = .*/version = "0.2.0"/' Cargo.toml && cargo build`,
		`sed -i 's/edition = "2021"/edition = "2024"/; s/default = \["std"\]/default = ["std", "serde"]/' Cargo.toml`,
		`perl -pi -e 's/0\.1\.0/0.1.1/' Cargo.toml`,
		`perl -0pi -e 's/\[features\]/[profile.release]\nlto = true\n\n[features]/' Cargo.toml`,
		`sed -i 's/line-length = 100/line-length = 120/; /tool.ruff/a select = ["E", "F"]' pyproject.toml`,
		`sed -i 's/^go 1.22/go 1.24/' go.mod && go mod tidy`,
		`sed -i 's/# note/# another/' requirements.txt`,
		"git apply <<'EOF'\n--- a/go.mod\n+++ b/go.mod\n@@ -3 +3 @@\n-go 1.22\n+go 1.24\nEOF",
	} {
		v, err := w.judge(w.event("Bash", hook.Shell, map[string]any{"command": command}))
		if err != nil || !v.Silent() {
			t.Errorf("%s: %s %q, %q, %v", command, v.Decision, v.Reason+v.Context, v.Notice, err)
		}
	}
}

func TestAScriptThatInstallsNothingIsNotCompared(t *testing.T) {
	w := newWorld(t)
	w.file("tool.py", "import os\n")
	if v := w.write("tool.py", "import sys\n"); !v.Silent() || w.reads != 0 {
		t.Errorf("%+v after %d reads", v, w.reads)
	}
	if v := w.write("tool.py", "# /// script\n# dependencies = [\"zz-held\"]\n# ///\n"); v.Decision != hook.Deny {
		t.Errorf("a script block: %+v", v)
	}
}
