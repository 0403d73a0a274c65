package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A binary that says yes to everything and keeps nothing must be found out.
func TestAProgramThatForgetsIsFoundOut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a shell script")
	}
	bin := filepath.Join(t.TempDir(), "yes")
	if err := os.WriteFile(bin, []byte("#!/bin/sh\ncat >/dev/null\necho '{}'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := &stage{options: options{bin: bin, workers: 2, events: 10, kill: 0}, bin: bin, dir: t.TempDir()}
	h, err := s.newHome("home", "")
	if err != nil {
		t.Fatal(err)
	}
	var r result
	edited := h.battery(t.Context(), &r, "here", "id", false)
	h.remembered(&r, "here", "id", edited)
	text := strings.Join(r.problems, "\n")
	for _, want := range []string{"a dangerous command was answered", "was acknowledged as edited"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not among\n%s", want, text)
		}
	}
	r = result{}
	if err := endurance(t.Context(), s, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.problems) == 0 {
		t.Error("endurance has no objection")
	}
}

func TestAnswersAreRead(t *testing.T) {
	tests := []struct {
		out, stopped string
		bad          bool
	}{
		{"{}\n", "", false},
		{`{"systemMessage":"x"}`, "", false},
		{`{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}}`, "deny: no", false},
		{`{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"so?"}}`, "ask: so?", false},
		{`{"decision":"block","reason":"tests"}`, "block: tests", false},
		{`{"hookSpecificOutput":{"permissionDecision":"allow"}}`, "", true}, // never ours
		{`{"decision":"approve"}`, "", true},
		{"", "", true},
		{"{}{}", "", true},
		{"panic: x", "", true},
	}
	for _, tt := range tests {
		if v := read([]byte(tt.out)); v.stopped != tt.stopped || (v.err != nil) != tt.bad {
			t.Errorf("%q is read as %+v", tt.out, v)
		}
	}
}

func TestTimesAreShifted(t *testing.T) {
	in := `{"made":1796046961253811,"at":"2026-11-30T13:56:01Z","n":12,"t":"2026-11-30T13:56:01.253Z"}`
	want := `{"made":1796050561253811,"at":"2026-11-30T14:56:01Z","n":12,"t":"2026-11-30T14:56:01Z"}`
	if got := string(shifted([]byte(in), time.Hour)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
