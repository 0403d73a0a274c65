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
