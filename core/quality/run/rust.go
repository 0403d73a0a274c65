package run

import (
	"bytes"
	"context"
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/quality"
)

// rust plans a step; with whole also what an edit does not wait for.
func (w *Worker) rust(t *tree, step quality.Step, p *pkg, cover, whole bool) []*task {
	_, asks := t.up(p.dir, "clippy.toml", ".clippy.toml")
	if asks = asks || strings.Contains(t.read(path.Join(p.dir, "Cargo.toml"))+t.read("Cargo.toml"), "lints.clippy"); step == quality.Lint && !asks {
		return nil
	}
	cargo, ok := w.tool(t, p.dir, "cargo")
	if !ok {
		return []*task{{step: step, tool: "cargo", pkgs: []*pkg{p}, lacks: "cargo"}}
	}
	compile := func(step quality.Step, tool string, args ...string) *task {
		return &task{step: step, tool: tool, ident: tool, pkgs: []*pkg{p}, do: func(ctx context.Context, pl *place, pkgs []*pkg, _ []quality.Finding) map[*pkg]*result {
			return each(pkgs, func(p *pkg) *result {
				r := w.compiled(ctx, pl, p, step, tool, append([]string{cargo}, args...)...)
				if step == quality.Build && r.status == passedStep && whole {
					w.crateDependents(ctx, pl, p, cargo, r)
				}
				return r
			})
		}}
	}
	switch step {
	case quality.Lint:
		if _, ok := w.tool(t, p.dir, "cargo-clippy"); !ok {
			return []*task{{step: step, tool: "cargo clippy", pkgs: []*pkg{p}, lacks: "cargo-clippy"}}
		}
		return []*task{compile(step, "cargo clippy", "clippy", "--all-targets", "--message-format=json")}
	case quality.Build:
		return []*task{compile(step, "cargo check", "check", "--all-targets", "--message-format=json")}
	case quality.Test:
		return []*task{w.cargoTest(t, cargo, p, cover)}
	case quality.Format, quality.Coverage: // not a toolchain's own
	}
	return nil
}

// compiled reads the compiler's messages; warnings are not findings unless the
// project makes them errors.
func (w *Worker) compiled(ctx context.Context, pl *place, p *pkg, step quality.Step, tool string, argv ...string) *result {
	x, err := w.call(ctx, pl.abs(p.dir), pl.env, argv...)
	if why, missing := told(ctx, tool, x, err); why != "" {
		return unable(step, tool, x, why, missing)
	}
	if x.Code == 0 {
		return &result{status: passedStep, tool: tool}
	}
	found := w.readCargo(pl, p, step, tool, x.Stdout)
	if len(found) == 0 {
		found = []quality.Finding{{Package: p.dir, Step: step, Tool: tool, Message: clip(tool + " failed: " + lastLines(pl.plain(string(x.Stderr)), 4))}}
	}
	return &result{status: failedStep, tool: tool, findings: found}
}

func (w *Worker) readCargo(pl *place, p *pkg, step quality.Step, tool string, stdout []byte) []quality.Finding {
	var out []quality.Finding
	seen := map[string]bool{}
	for line := range bytes.Lines(stdout) {
		var e struct {
			Reason  string `json:"reason"`
			Message struct {
				Message string `json:"message"`
				Level   string `json:"level"`
				Code    *struct {
					Code string `json:"code"`
				} `json:"code"`
				Spans []struct {
					File    string `json:"file_name"`
					Line    int    `json:"line_start"`
					Col     int    `json:"column_start"`
					Primary bool   `json:"is_primary"`
				} `json:"spans"`
			} `json:"message"`
		}
		if json.Unmarshal(line, &e) != nil || e.Reason != "compiler-message" || e.Message.Level != "error" {
			continue
		}
		f := quality.Finding{Package: p.dir, Step: step, Tool: tool, Message: clip(e.Message.Message)}
		if e.Message.Code != nil {
			f.Rule = e.Message.Code.Code
		}
		for _, s := range e.Message.Spans {
			if s.Primary {
				if f.File = locate(pl.root, pl.abs(p.dir), s.File); f.File == "" {
					f.File = w.inWorkspace(pl, p, s.File)
				}
				f.Line, f.Col = s.Line, s.Col
			}
		}
		if f.File == "" && strings.HasPrefix(f.Message, "aborting due to") {
			continue
		}
		if key := f.String(); !seen[key] {
			seen[key] = true
			out = append(out, f)
		}
	}
	return out
}

// inWorkspace finds a file that cargo names relative to the workspace.
func (w *Worker) inWorkspace(pl *place, p *pkg, name string) string {
	for d := p.dir; d != "."; {
		d = path.Dir(d)
		if at := locate(pl.root, pl.abs(d), name); at != "" {
			return at
		}
	}
	return ""
}

func (w *Worker) cargoTest(t *tree, cargo string, p *pkg, cover bool) *task {
	ident := "cargo test"
	llvm := false
	if cover {
		if _, ok := w.tool(t, p.dir, "cargo-llvm-cov"); ok {
			llvm = true
			ident = "cargo llvm-cov"
		}
	}
	return &task{step: quality.Test, tool: "cargo test", ident: ident, pkgs: []*pkg{p}, do: func(ctx context.Context, pl *place, pkgs []*pkg, only []quality.Finding) map[*pkg]*result {
		return each(pkgs, func(p *pkg) *result {
			argv := []string{cargo, "test", "--no-fail-fast"}
			lcov := ""
			if llvm && !pl.old && only == nil {
				lcov = filepath.Join(pl.scratch, "llvm-"+strings.ReplaceAll(p.dir, "/", "-")+".lcov")
				argv = []string{cargo, "llvm-cov", "--no-fail-fast", "--lcov", "--output-path", lcov}
			}
			if len(only) == 1 && only[0].Test != "" {
				argv = append(argv, "--", "--exact", only[0].Test)
			}
			x, err := w.call(ctx, pl.abs(p.dir), pl.env, argv...)
			if why, missing := told(ctx, "cargo test", x, err); why != "" {
				return unable(quality.Test, "cargo test", x, why, missing)
			}
			r := w.readCargoTest(pl, p, string(x.Stdout), string(x.Stderr), x.Code)
			if lcov != "" && r.status == passedStep {
				r.report = fileReport("lcov", lcov, p.dir)
			}
			return r
		})
	}}
}

// readCargoTest sums the blocks of all test binaries: cargo has no stable
// machine format.
func (w *Worker) readCargoTest(pl *place, p *pkg, stdout, stderr string, code int) *result {
	r := &result{tool: "cargo test"}
	var failed []string
	blocks := 0
	said := map[string]string{} // by test: what it printed
	current := ""
	for line := range strings.Lines(strip(stdout)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "test result: "):
			blocks++
			current = ""
			for part := range strings.SplitSeq(strings.TrimPrefix(line, "test result: "), ";") {
				f := strings.Fields(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(part), "ok.")))
				if len(f) >= 2 && f[len(f)-1] == "passed" {
					r.tests += number(f[len(f)-2])
				}
			}
		case strings.HasPrefix(line, "---- ") && strings.HasSuffix(line, " stdout ----"):
			current = strings.TrimSuffix(strings.TrimPrefix(line, "---- "), " stdout ----")
		case line == "failures:":
			current = ""
		case current != "":
			if len(said[current]) < 1<<16 {
				said[current] += line + "\n"
			}
		case strings.HasPrefix(line, "test ") && strings.HasSuffix(line, " ... FAILED"):
			name := strings.TrimSuffix(strings.TrimPrefix(line, "test "), " ... FAILED")
			name, _, _ = strings.Cut(name, " - should panic")
			failed = append(failed, name)
		}
	}
	slices.Sort(failed)
	for _, name := range slices.Compact(failed) {
		f := quality.Finding{Package: p.dir, Step: quality.Test, Tool: "cargo test", Test: name, Message: "failed"}
		f.File, f.Line, f.Message = w.panicked(pl, p, said[name])
		r.findings = append(r.findings, f)
	}
	switch {
	case len(r.findings) > 0:
		r.status = failedStep
	case code == 0 && blocks > 0:
		r.status = passedStep
		if r.tests == 0 {
			r.why = "no test ran"
		}
	case code == 0:
		r.why = "cargo test ended without a result"
	default:
		r.status = failedStep
		if r.findings = w.read(pl, p, quality.Test, "cargo test", stderr); len(r.findings) > 0 {
			first := ""
			for line := range strings.Lines(strip(stderr)) {
				if strings.HasPrefix(line, "error") {
					first = strings.TrimSpace(line)
					break
				}
			}
			r.findings = r.findings[:1]
			if first != "" {
				r.findings[0].Message = clip(first)
			}
			break
		}
		r.findings = []quality.Finding{{Package: p.dir, Step: quality.Test, Tool: "cargo test", Message: clip("cargo test failed: " + lastLines(pl.plain(stderr), 4))}}
	}
	return r
}

// panicked reads "thread 'x' panicked at src/lib.rs:10:5:" and what follows.
func (w *Worker) panicked(pl *place, p *pkg, text string) (file string, line int, msg string) {
	msg = "failed"
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		_, at, ok := strings.Cut(l, " panicked at ")
		if !ok {
			continue
		}
		if q, rest, ok := strings.Cut(at, "', "); ok && strings.HasPrefix(q, "'") { // before Rust 1.73
			msg, at = strings.TrimPrefix(q, "'"), rest
		} else if i+1 < len(lines) {
			msg = strings.TrimSpace(lines[i+1])
			if left, right := labelled(text, "left:"), labelled(text, "right:"); left != "" && right != "" {
				msg += ": left " + left + ", right " + right
			}
		}
		f := strings.Split(strings.TrimSuffix(strings.TrimSpace(at), ":"), ":")
		if len(f) >= 2 {
			if file = locate(pl.root, pl.abs(p.dir), f[0]); file == "" {
				file = w.inWorkspace(pl, p, f[0])
			}
			line = number(f[1])
		}
		return file, line, clip(msg)
	}
	if s := lastLines(text, 1); s != "" {
		msg = s
	}
	return "", 0, clip(msg)
}
