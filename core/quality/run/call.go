package run

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/quality"
)

// maxOutput is how much of a tool's output is kept: a long suite's in JSON.
const maxOutput = 32 << 20

// call runs a program in a folder of a tree that need not be the project's own.
func (w *Worker) call(ctx context.Context, dir string, env []string, argv ...string) (gate.Exit, error) {
	return w.o.Proc.Run(ctx, gate.Command{Argv: argv, Dir: dir, Env: env, MaxOutput: maxOutput})
}

func (w *Worker) filter(ctx context.Context, dir string, stdin []byte, argv ...string) (gate.Exit, error) {
	if stdin == nil {
		stdin = []byte{}
	}
	return w.o.Proc.Run(ctx, gate.Command{Argv: argv, Dir: dir, Stdin: stdin, MaxOutput: maxOutput})
}

// tool finds a program: in the project first, then on PATH. A downloader is
// never asked.
func (w *Worker) tool(t *tree, dir, name string) (string, bool) {
	exts := []string{""}
	if runtime.GOOS == "windows" {
		exts = []string{".cmd", ".exe", ".bat"}
	}
	for d := dir; ; d = path.Dir(d) {
		for _, place := range [...]string{"node_modules/.bin", ".venv/bin", "venv/bin", ".venv/Scripts", "vendor/bin"} {
			for _, ext := range exts {
				file := t.abs(path.Join(d, place, name+ext))
				if st, err := os.Stat(file); err == nil && !st.IsDir() {
					return file, true
				}
			}
		}
		if d == "." {
			break
		}
	}
	file, err := w.o.Proc.LookPath(name)
	if err == nil {
		return file, true
	}
	return "", false
}

// shell is how a configured text is run.
func (w *Worker) shell(c quality.Command) []string {
	if c.Shell == "" {
		return c.Argv
	}
	if runtime.GOOS == "windows" {
		return []string{"cmd", "/d", "/s", "/c", c.Shell}
	}
	if bash, err := w.o.Proc.LookPath("bash"); err == nil {
		// A pipe must not hide what its first part said.
		return []string{bash, "-o", "pipefail", "-c", c.Shell}
	}
	return []string{"sh", "-c", c.Shell}
}

// told says why a program gave no result, in a form that is a why of a step.
func told(ctx context.Context, name string, x gate.Exit, err error) (why string, missing bool) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return name + " is not installed", true
	case err != nil && ctx.Err() != nil, x.TimedOut:
		return name + " did not finish in time", false
	case err != nil:
		return name + " did not start: " + firstLine(err.Error()), false
	case x.Signal != "":
		return name + " was killed (" + x.Signal + ")", false
	case x.Code == 126 || x.Code == 127:
		return name + " could not run: " + lastLines(string(x.Stderr), 1), false
	}
	return "", false
}

// unable is a step whose tool gave no result. Of format and lint, what cannot run
// as it is set up is passed over and said to the human; all else is not proven.
func unable(step quality.Step, name string, x gate.Exit, why string, missing bool) *result {
	r := &result{tool: name, why: why}
	switch {
	case missing:
		r.status, r.missing = skippedStep, true
	case (step == quality.Format || step == quality.Lint) && !x.TimedOut && (x.Code == 126 || x.Code == 127):
		r.status, r.broken = skippedStep, true
	}
	return r
}

// brokenStep is a step whose tool ran and could not do its work.
func brokenStep(tool, why string) *result {
	return &result{status: skippedStep, tool: tool, why: why, broken: true}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

// lastLines are the last n lines that say something.
func lastLines(s string, n int) string {
	var out []string
	for line := range strings.Lines(strip(s)) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	if len(out) > n {
		out = out[len(out)-n:]
	}
	text := strings.Join(out, " | ")
	if len(text) > 600 {
		text = "…" + strings.ToValidUTF8(text[len(text)-600:], "")
	}
	return text
}

// strip takes terminal control out of a text.
func strip(s string) string {
	if !strings.ContainsAny(s, "\x1b\r") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\r':
		case c == 0x1b && i+1 < len(s) && s[i+1] == '[':
			i += 2
			for i < len(s) && (s[i] < 0x40 || s[i] > 0x7e) {
				i++
			}
		case c == 0x1b && i+2 < len(s) && s[i+1] == '(':
			i += 2
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// maxScratch is how long a folder of ours may be in use.
const maxScratch = 24 * time.Hour

// sweep removes what runs left behind that were killed.
func (w *Worker) sweep() {
	list, err := filepath.Glob(filepath.Join(w.o.TempDir, scratchName+"*"))
	if err != nil {
		return
	}
	for _, dir := range list {
		if st, err := os.Lstat(dir); err == nil && st.IsDir() && w.o.Now().Sub(st.ModTime()) > maxScratch {
			_ = os.RemoveAll(dir)
		}
	}
}

const scratchName = "guardrails-gate-"

// scratch is a folder for what tools write, with a function that removes it.
func (w *Worker) scratch() (string, func(), error) {
	w.sweep()
	dir, err := os.MkdirTemp(w.o.TempDir, scratchName)
	if err != nil {
		return "", func() {}, err
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}

// locate turns a file that a tool names into one relative to the root: it may
// be absolute, relative to the folder it ran in, or to the root.
func locate(root, dir, name string) string {
	name = strings.TrimPrefix(strings.TrimSpace(name), "file://")
	if name == "" {
		return ""
	}
	name = filepath.FromSlash(name)
	candidates := []string{name}
	if !filepath.IsAbs(name) {
		candidates = []string{filepath.Join(dir, name), filepath.Join(root, name)}
	}
	for _, c := range candidates {
		rel, err := filepath.Rel(root, c)
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			// Tools name the place behind a link.
			if real, err2 := filepath.EvalSymlinks(root); err2 == nil && real != root {
				if rel, err = filepath.Rel(real, c); err != nil || strings.HasPrefix(rel, "..") {
					continue
				}
			} else {
				continue
			}
		}
		if _, err := os.Stat(filepath.Join(root, rel)); err == nil {
			return filepath.ToSlash(rel)
		}
	}
	return ""
}
