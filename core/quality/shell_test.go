package quality

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
)

func TestShellTargetsArePlainToSee(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a.go", "b.go", "dir/c.go", "dir/a.go"} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		command string
		want    []string
		others  bool
	}{
		{"ls -la && git status", nil, false},
		{"go test ./... 2>&1 | tail -5", nil, false},
		{"go test ./... > /tmp/out.txt 2>/dev/null", nil, false},
		{"echo hi > a.go", []string{"a.go"}, false},
		{"cat <<'E' >> dir/new.py\nx = 1\nE", []string{"dir/new.py"}, false},
		{"cd dir && printf x | tee c.go d.go >/dev/null", []string{"dir/c.go", "dir/d.go"}, false},
		{"sed -i 's/a/b/' a.go b.go", []string{"a.go", "b.go"}, false},
		{"sed -i.bak -e 's/a/b/' a.go", []string{"a.go"}, false},
		{"sed -n 1,5p a.go", nil, false},
		{"perl -pi -e 's/x/y/' a.go", []string{"a.go"}, false},
		{"mv a.go z.go", []string{"a.go", "z.go"}, false},
		{"cp a.go dir", []string{"dir/a.go"}, false},
		{"cp a.go b.go dir/", []string{"dir/a.go", "dir/b.go"}, false},
		{"rm -f a.go", []string{"a.go"}, false},
		{"git rm -q b.go", []string{"b.go"}, false},
		{"git checkout -- a.go", []string{"a.go"}, false},
		{"git checkout main && git pull --rebase", nil, false},
		{"git commit -qam x && git push", nil, false},
		{"git stash pop", nil, true},
		{"python3 gen.py", nil, true},
		{"python3 -m pytest -q", nil, false},
		{"make generate", nil, true},
		{"make test", nil, false},
		{"npm test", nil, false},
		{"npm run codegen", nil, true},
		{"sed -i 's/a/b/' $(git ls-files '*.go')", nil, true},
		{"sed -i 's/a/b/' *.go", nil, true},
		{"find . -name '*.go' | xargs sed -i 's/a/b/'", nil, true},
		{"ssh box 'echo x > a.go'", nil, true},
		{"gofmt -l .", nil, false},
		{"gofmt -w .", nil, true},
		{"cargo clippy --fix", nil, true},
		{"python3 -c \"open('a.go', 'w').write('x')\"", []string{"a.go"}, true},
		{"echo x > ../elsewhere.go", nil, false},
	} {
		input, err := json.Marshal(map[string]string{"command": c.command})
		if err != nil {
			t.Fatal(err)
		}
		p := &gate.Pass{
			Event: &hook.Event{Root: root, Cwd: root, Tool: &hook.Tool{Name: "Bash", Kind: hook.Shell, Input: input}},
			Env:   gate.Env{FS: fsx.NewMemo()},
		}
		got, others := shellWrites(p)
		slices.Sort(got)
		if d := cmp.Diff(c.want, got); d != "" || others != c.others {
			t.Errorf("%s: others %v, %s", c.command, others, d)
		}
	}
}

func (r *rig) shell(command string, failed bool) hook.Verdict {
	r.t.Helper()
	input, _ := json.Marshal(map[string]string{"command": command})
	name := hook.PostToolUse
	if failed {
		name = hook.PostToolUseFailure
	}
	return r.send(hook.Event{Name: name, Tool: &hook.Tool{ID: fmt.Sprint("t", r.n), Name: "Bash", Kind: hook.Shell, Input: input}})
}

func TestWhatAShellCallPlainlyWritesIsTouched(t *testing.T) {
	for _, failed := range []bool{false, true} {
		r := newRig(t)
		r.w.report = red("TestAdd")
		r.prompt("go on")
		r.shell("sed -i s/a/b/ a/a.go && go test ./...", failed)
		if v := r.stop(); v.Decision != hook.Block || !slices.Equal(r.w.gates[0].Touched, []string{"a/a.go"}) || len(r.w.spans) != 0 {
			t.Fatalf("failed %v: %+v, %+v", failed, v, r.w.gates)
		}
	}
}

func TestACommandThatReadsLeavesStopWithoutPrograms(t *testing.T) {
	r := newRig(t)
	r.prompt("go on")
	r.shell("git log --oneline | head; go test ./...", false)
	r.small = true
	if v := r.stop(); v.Decision != hook.Pass || r.last.HandOver {
		t.Fatalf("%+v, handed over: %v", v, r.last.HandOver)
	}
}

func TestWhatACommandMayHaveWrittenIsLookedForOnce(t *testing.T) {
	r := newRig(t)
	r.w.report = red("TestGen")
	r.prompt("go on")
	before := r.now
	r.shell("make generate", false)
	// It wrote nothing: silent, and not looked for again.
	if v := r.stop(); v.Decision != hook.Pass || v.Notice != "" || len(r.w.spans) != 1 || len(r.w.gates) != 0 {
		t.Fatalf("%+v, looked %d, ran %d", v, len(r.w.spans), len(r.w.gates))
	}
	if s := r.w.spans[0]; s.From.Before(before.Add(-time.Second)) || s.To.IsZero() || s.To.After(r.now) {
		t.Errorf("span %+v", s)
	}
	if r.stop(); len(r.w.spans) != 1 {
		t.Error("looked twice")
	}
	// The next one did.
	r.shell("make generate", false)
	r.w.written = []string{"gen/x.go"}
	for n := 1; n <= 2; n++ {
		if v := r.stop(); v.Decision != hook.Block || !slices.Equal(r.w.gates[n-1].Touched, []string{"gen/x.go"}) {
			t.Fatalf("%d: %+v, %+v", n, v, r.w.gates)
		}
	}
	if len(r.w.spans) != 2 {
		t.Errorf("looked %d times", len(r.w.spans))
	}
}

func TestASubagentIsNotHeldForWhatOthersMayHaveWritten(t *testing.T) {
	r := newRig(t)
	r.w.report, r.w.written = red("TestGen"), []string{"gen/x.go"}
	r.prompt("go on")
	input, _ := json.Marshal(map[string]string{"command": "make generate"})
	r.send(hook.Event{Name: hook.PostToolUse, AgentID: "a1", AgentType: "test-writer", Tool: &hook.Tool{ID: "t1", Name: "Bash", Kind: hook.Shell, Input: input}})
	if v := r.send(hook.Event{Name: hook.SubagentStop, AgentID: "a1", AgentType: "test-writer"}); v.Decision != hook.Pass || len(r.w.spans) != 0 {
		t.Fatalf("%+v", v)
	}
	if v := r.stop(); v.Decision != hook.Block {
		t.Fatalf("%+v", v)
	}
}

func TestAFileNamedThroughALinkIsOfTheProject(t *testing.T) {
	r := newRig(t)
	r.w.report = red("TestAdd")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(r.root, link); err != nil {
		t.Skip(err)
	}
	r.prompt("go on")
	input, _ := json.Marshal(map[string]string{"file_path": filepath.Join(link, "new/a.go"), "content": "x"})
	r.send(hook.Event{Name: hook.PostToolUse, Tool: &hook.Tool{ID: "t", Name: "Write", Kind: hook.Write, Input: input}})
	r.stop()
	if len(r.w.gates) != 1 || !slices.Contains(r.w.gates[0].Touched, "new/a.go") {
		t.Fatalf("%+v", r.w.gates)
	}
}
