package touch

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

func TestTouchedPathsAreRelativeToTheRoot(t *testing.T) {
	tests := []struct{ name, cwd, root, want string }{
		{"/p/a/b.go", "/p", "/p", "a/b.go"},
		{"b.go", "/p/a", "/p", "a/b.go"},
		{"../c.go", "/p/a", "/p", "c.go"},
		{"/elsewhere/x", "/p", "/p", "/elsewhere/x"},
		{"/p..q/x", "/p", "/p", "/p..q/x"},
		{"/p/..x", "/p", "/p", "..x"},
		{"x", "/tmp", "", "/tmp/x"},
	}
	for _, tt := range tests {
		if got := Path(tt.name, tt.cwd, tt.root); got != tt.want {
			t.Errorf("Path(%q, %q, %q) = %q, want %q", tt.name, tt.cwd, tt.root, got, tt.want)
		}
	}
}

func TestTouchRecordsForTheSessionAndTheSubagent(t *testing.T) {
	var got []session.Change
	e := &hook.Event{
		Name: hook.PostToolUse, Cwd: "/p", Root: "/p", AgentID: "a1",
		Tool: &hook.Tool{Name: "Edit", Kind: hook.Edit, Input: json.RawMessage(`{"file_path":"/p/x.go","old_string":"a","new_string":"b"}`)},
	}
	g := New()
	if ok, why := g.Applies(e); !ok {
		t.Fatal(why)
	}
	v, err := g.Run(context.Background(), &gate.Pass{Event: e, Record: func(c session.Change) { got = append(got, c) }})
	if err != nil || !v.Silent() {
		t.Fatalf("%+v, %v", v, err)
	}
	want := []session.Change{
		{Op: session.AddToSet, Name: Set, Key: "x.go"},
		{Op: session.AddToSet, Name: Set, Key: "x.go", Agent: "a1"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(d)
	}
}

func TestTouchSkipsCallsThatNameNoFile(t *testing.T) {
	e := &hook.Event{Name: hook.PostToolUse, Tool: &hook.Tool{Name: "Edit", Kind: hook.Edit, Input: json.RawMessage(`{}`)}}
	_, err := New().Run(context.Background(), &gate.Pass{Event: e})
	if !errors.Is(err, gate.ErrSkip) {
		t.Fatalf("err = %v, want a skip", err)
	}
}

func TestTouchDoesNotConcernOrdinaryCommands(t *testing.T) {
	e := &hook.Event{Name: hook.PostToolUse, Tool: &hook.Tool{Name: "Bash", Kind: hook.Shell, Input: json.RawMessage(`{"command":"ls"}`)}}
	if ok, _ := New().Applies(e); ok {
		t.Fatal("ls is judged")
	}
}
