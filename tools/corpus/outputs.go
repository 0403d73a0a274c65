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
	"strconv"
	"strings"
	"text/tabwriter"
)

// A capture is one real run of a command that may run tests: what it printed,
// how it ended, and what is true of it.
type capture struct {
	Command string `json:"command"`
	Cwd     string `json:"cwd"`
	Merged  string `json:"merged"` // what a host shows
	Exit    int    `json:"exit"`
	Masked  bool   `json:"masked"` // the exit code is not the runner's
	Truth   struct {
		Verdict string `json:"verdict"`
	} `json:"truth"`

	name string
}

// shapes are the forms in which hosts hand on a finished shell call.
var shapes = []struct {
	agent   string
	payload func(capture) any
}{
	{"claude", claudePayload},
	{"gemini", geminiPayload},
}

// claudePayload is a success as PostToolUse, a failure as PostToolUseFailure.
func claudePayload(c capture) any {
	p := map[string]any{
		"hook_event_name": "PostToolUse", "session_id": "outputs", "cwd": c.Cwd, "tool_name": "Bash", "tool_use_id": "t1",
		"tool_input": map[string]any{"command": c.Command},
	}
	if c.Exit == 0 {
		p["tool_response"] = map[string]any{"stdout": c.Merged, "stderr": "", "interrupted": false, "isImage": false}
	} else {
		p["hook_event_name"] = "PostToolUseFailure"
		p["error"] = "Exit code " + strconv.Itoa(c.Exit) + "\n" + c.Merged
		p["is_interrupt"] = false
	}
	return p
}

// geminiPayload tells the exit code in a line below the output.
func geminiPayload(c capture) any {
	text := "Output: " + cmp.Or(strings.TrimRight(c.Merged, "\n"), "(empty)")
	if c.Exit != 0 {
		text += "\nExit Code: " + strconv.Itoa(c.Exit)
	}
	text += "\nProcess Group PGID: 4242"
	return map[string]any{
		"hook_event_name": "AfterTool", "session_id": "outputs", "cwd": c.Cwd, "tool_name": "run_shell_command",
		"tool_input":    map[string]any{"command": c.Command},
		"tool_response": map[string]any{"llmContent": "<untrusted_context>\n" + text + "\n</untrusted_context>"},
	}
}

// outputs replays captured runs as each host would hand them on, and prints what
// was made of them.
func outputs(ctx context.Context, o options, dir string, out io.Writer) error {
	captures, err := readCaptures(dir, o.only)
	if err != nil {
		return err
	}
	bin, err := filepath.Abs(o.bin)
	if err != nil {
		return err
	}
	home, err := os.MkdirTemp("", "guardrails-outputs")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	project := filepath.Join(home, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		return err
	}
	r := runner{bin, home, project}
	for _, shape := range shapes {
		grades, err := grade(ctx, r, shape.agent, captures, shape.payload)
		if err != nil {
			return fmt.Errorf("%s: %w", shape.agent, err)
		}
		if err := reportGrades(out, shape.agent, captures, grades, o.verbose); err != nil {
			return err
		}
	}
	return nil
}

func readCaptures(dir, only string) ([]capture, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.json"))
	if err != nil {
		return nil, err
	}
	var list []capture
	for _, file := range files {
		name, err := filepath.Rel(dir, strings.TrimSuffix(file, ".json"))
		if err != nil {
			return nil, err
		}
		if !strings.Contains(name, only) {
			continue
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		c := capture{name: filepath.ToSlash(name)}
		if err := json.Unmarshal(b, &c); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no */*.json file in %q", dir)
	}
	return list, nil
}

// grade asks the binary what each capture proves.
func grade(ctx context.Context, r runner, agent string, captures []capture, payload func(capture) any) ([]string, error) {
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	enc.SetEscapeHTML(false)
	for i, c := range captures {
		if err := enc.Encode(map[string]any{"id": i, "payload": payload(c)}); err != nil {
			return nil, err
		}
	}
	out, err := r.run(ctx, &in, "check", "--batch", "--agent", agent)
	if err != nil {
		return nil, err
	}
	grades := make([]string, 0, len(captures))
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var a struct {
			Tests string `json:"tests"`
			Error string `json:"error"`
		}
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			return nil, fmt.Errorf("answer %d: %w", len(grades)+1, err)
		}
		grades = append(grades, cmp.Or(a.Tests, "error: "+a.Error))
	}
	if len(grades) != len(captures) {
		return nil, fmt.Errorf("%d answers to %d captures", len(grades), len(captures))
	}
	return grades, lines.Err()
}

// gradeOrder is the order of columns: what may be believed first.
var gradeOrder = []string{"passed", "passed-uncounted", "weak", "unknown", "empty", "error", "failed", "none"}

func reportGrades(out io.Writer, agent string, captures []capture, grades []string, verbose bool) error {
	rows := make(map[string]map[string]int)
	falsePass, falseWeak, falseRed, passes, seen := 0, 0, 0, 0, 0
	var missed []string
	for i, c := range captures {
		row := c.Truth.Verdict
		if c.Masked {
			row += ", masked"
		}
		if rows[row] == nil {
			rows[row] = make(map[string]int)
		}
		g := grades[i]
		rows[row][g]++
		pass := c.Truth.Verdict == "passed"
		wrong := false
		switch {
		case !pass && g == "passed":
			falsePass++
			wrong = true
		case !pass && g == "weak":
			falseWeak++
			wrong = true
		case pass && (g == "failed" || g == "error"):
			falseRed++
			wrong = true
		}
		if pass && !c.Masked {
			passes++
			if g == "passed" || g == "passed-uncounted" {
				seen++
			} else {
				wrong = true
			}
		}
		if wrong {
			missed = append(missed, fmt.Sprintf("%s: %s, graded %s: %s", c.name, row, g, strings.ReplaceAll(c.Command, "\n", "; ")))
		}
	}
	fmt.Fprintf(out, "%s: %d captured runs, truth by grade\n", agent, len(captures))
	columns := slices.Clone(gradeOrder)
	for _, row := range rows {
		for g := range row {
			if !slices.Contains(columns, g) {
				columns = append(columns, g)
			}
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\t%s\t\n", strings.Join(columns, "\t"))
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(w, "%s\t", name)
		for _, g := range columns {
			if n := rows[name][g]; n > 0 {
				fmt.Fprint(w, n)
			}
			fmt.Fprint(w, "\t")
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "called passed and is not: %d   weak and is not: %d   called red and passed: %d   unmasked passes seen: %d of %d (%.1f %%)\n",
		falsePass, falseWeak, falseRed, seen, passes, 100*float64(seen)/float64(max(passes, 1)))
	if verbose {
		for _, m := range missed {
			fmt.Fprintln(out, " ", m)
		}
	}
	fmt.Fprintln(out)
	return nil
}
