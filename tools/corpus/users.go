package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// A story is a case that a user reported: what happened on a host, and what
// should have.
//
//	{"id": "U1", "kind": "masked-exit", "host": "claude", "event": "PostToolUse", "input": {…},
//	 "expect": {"verdict": "none", "words": "for a person", "state": {"tests": "red"}}}
//
// Its input is a payload, or describes a situation in a few words. What can be
// read of it is made real in a home of its own and played to the real binary; a
// situation that cannot be made by a program is counted as such, with the reason.
type story struct {
	ID, Kind, Host, Event string
	Input                 map[string]any
	Expect                struct {
		Verdict json.RawMessage
		Words   string
		State   map[string]string
	}
}

// verdicts are the verdicts expected of one event after another, mostly one.
func (r story) verdicts() []string {
	var one string
	if json.Unmarshal(r.Expect.Verdict, &one) == nil {
		return []string{one}
	}
	var all []string
	_ = json.Unmarshal(r.Expect.Verdict, &all)
	return all
}

// text is a field of the input, "" if it is none or no text.
func (r story) text(key string) string {
	s, _ := r.Input[key].(string)
	return s
}

func (r story) has(key string) bool {
	_, ok := r.Input[key]
	return ok
}

// A result is what became of a report.
type result struct {
	r      story
	wrong  string // how it is not what was expected; "" = it is
	notOur string // why it is not played, if it is not
}

// stories plays every story of a file.
func stories(ctx context.Context, o options, file string, out io.Writer) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	all, err := readStories(text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	bin, err := filepath.Abs(o.bin)
	if err != nil {
		return err
	}
	m, err := newMarket()
	if err != nil {
		return err
	}
	defer func() { _ = m.server.Close() }()
	var results []result
	for _, r := range all {
		if o.only != "" && !strings.Contains(r.Kind, o.only) && !strings.Contains(r.ID, o.only) && !strings.Contains(file, o.only) {
			continue
		}
		res := result{r: r, notOur: r.foreign()}
		if res.notOur == "" {
			if res.wrong, err = playStory(ctx, bin, m, r); err != nil {
				return fmt.Errorf("%s: %w", r.ID, err)
			}
			res.wrong, res.notOur = cutNotPlayed(res.wrong)
		}
		results = append(results, res)
	}
	printStories(out, results, o.verbose)
	return nil
}

func readStories(text []byte) ([]story, error) {
	var all []story
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var r story
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		all = append(all, r)
	}
	return all, lines.Err()
}

// notPlayed marks a situation that no program can make of the words.
const notPlayed = "not played: "

func cutNotPlayed(wrong string) (string, string) {
	if why, ok := strings.CutPrefix(wrong, notPlayed); ok {
		return "", why
	}
	return wrong, ""
}

// foreign says why a report of a host that we have no adapter for is not ours.
// What it says of a tool call holds for any host, and is played as Claude Code's.
func (r story) foreign() string {
	switch r.Host {
	case "claude", "any", "gemini", "antigravity", "muse", "":
		return ""
	}
	switch {
	case r.Kind == "trust":
		return "the trust of hooks is that host's own"
	case r.Event == "beforeShellExecution":
		return "an event of that host alone; its payload holds no tool"
	case r.asClaude() == nil && r.Kind != "host-detect":
		return "that host's own way to answer"
	}
	return ""
}

// asClaude is a tool call of a host without adapter as Claude Code would put it,
// nil if it is none.
func (r story) asClaude() map[string]any {
	in := maps.Clone(r.Input)
	if name, ok := in["tool"].(string); ok { // opencode
		in["tool_name"], in["tool_input"] = name, in["args"]
	}
	if name, ok := in["toolName"].(string); ok { // Copilot
		in["tool_name"], in["tool_input"] = name, in["toolArgs"]
		if text, ok := in["toolArgs"].(string); ok {
			var args map[string]any
			if json.Unmarshal([]byte(text), &args) == nil {
				in["tool_input"] = args
			}
		}
	}
	name, _ := in["tool_name"].(string)
	if _, ok := in["tool_input"]; !ok {
		return nil
	}
	switch strings.ToLower(name) {
	case "bash", "shell", "":
		in["tool_name"] = "Bash"
	case "powershell":
		in["tool_name"] = "PowerShell"
	}
	return in
}

// printStories prints how many were as expected, by kind, and what was not.
func printStories(out io.Writer, results []result, verbose bool) {
	type count struct{ agreed, total int }
	kinds := map[string]*count{}
	var all count
	for _, res := range results {
		if res.notOur != "" {
			continue
		}
		c := kinds[res.r.Kind]
		if c == nil {
			c = &count{}
			kinds[res.r.Kind] = c
		}
		c.total++
		all.total++
		if res.wrong == "" {
			c.agreed++
			all.agreed++
		} else if verbose {
			fmt.Fprintf(out, "%s %s: want %s (%s), got %s\n", res.r.ID, res.r.Kind, res.r.Expect.Verdict, res.r.Expect.Words, res.wrong)
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "users, kind\tagreed\t")
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintf(w, "%s\t%s\n", kind, rate(kinds[kind].agreed, kinds[kind].total))
	}
	fmt.Fprintf(w, "all\t%s\n", rate(all.agreed, all.total))
	_ = w.Flush()
	slices.SortStableFunc(results, func(a, b result) int { return cmp.Compare(a.notOur, b.notOur) })
	said := false
	for _, res := range results {
		if res.notOur == "" {
			continue
		}
		if !said {
			fmt.Fprintln(out, "\nnot played:")
			said = true
		}
		fmt.Fprintf(out, "%s %s, %s: %s\n", res.r.ID, res.r.Kind, res.r.Host, res.notOur)
	}
}
