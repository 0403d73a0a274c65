package run

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/quality"
)

// A formatter turns a file's text into the formatted text, as a filter.
type formatter struct {
	tool string
	argv []string // complete, reading standard input
	dir  string   // where it is run, relative to the root
}

// formatter returns what the project is configured to format a file with. ok is
// false if nothing is; the tool without argv is one that is missing.
//
// Only formatters that remove no imports are here: goimports, ruff check --fix,
// biome check --write and the like are never run on the agent's files.
func (w *Worker) formatter(t *tree, rel string) (formatter, bool) {
	dir := path.Dir(rel)
	switch ext := strings.ToLower(path.Ext(rel)); ext {
	case ".go":
		if at, ok := t.up(dir, "go.mod"); ok {
			return w.asFilter(t, at, "gofmt", dir)
		}
	case ".rs":
		if at, ok := t.up(dir, "Cargo.toml"); ok {
			return w.asFilter(t, at, "rustfmt", dir, "--emit", "stdout", "--quiet", "--edition", t.edition(dir))
		}
	case ".py", ".pyi":
		return w.pythonFormatter(t, rel, dir)
	case ".sh", ".bash":
		if at, ok := t.up(dir, ".editorconfig"); ok && shellStyle(t.read(path.Join(at, ".editorconfig"))) {
			return w.asFilter(t, at, "shfmt", dir, "-filename", path.Base(rel))
		}
	default:
		if at, ok := t.up(dir, "biome.json", "biome.jsonc"); ok && biomeFile(ext) {
			return w.asFilter(t, at, "biome", at, "format", "--stdin-file-path="+below(at, rel))
		}
		if at, ok := t.prettier(dir); ok && prettierFile(ext) {
			return w.asFilter(t, at, "prettier", at, "--stdin-filepath", below2(at, rel))
		}
	}
	return formatter{}, false
}

func below2(at, rel string) string { return below(at, rel) }

func (w *Worker) asFilter(t *tree, at, name, dir string, args ...string) (formatter, bool) {
	file, ok := w.tool(t, at, name)
	if !ok {
		return formatter{tool: name}, true
	}
	return formatter{tool: name, argv: append([]string{file}, args...), dir: dir}, true
}

func (w *Worker) pythonFormatter(t *tree, rel, dir string) (formatter, bool) {
	for d := dir; ; d = path.Dir(d) {
		project := ""
		if t.has(d, "pyproject.toml") {
			project = t.read(path.Join(d, "pyproject.toml"))
		}
		switch {
		case t.has(d, "ruff.toml"), t.has(d, ".ruff.toml"), hasTable(project, "tool.ruff"):
			if !hasTable(project, "tool.black") {
				return w.asFilter(t, d, "ruff", d, "format", "--stdin-filename", below(d, rel), "-")
			}
			return w.asFilter(t, d, "black", d, "-q", "--stdin-filename", below(d, rel), "-")
		case hasTable(project, "tool.black"), t.has(d, ".pre-commit-config.yaml") && strings.Contains(t.read(path.Join(d, ".pre-commit-config.yaml")), "id: black"):
			return w.asFilter(t, d, "black", d, "-q", "--stdin-filename", below(d, rel), "-")
		}
		if d == "." {
			return formatter{}, false
		}
	}
}

// edition is the Rust edition of a file's crate.
func (t *tree) edition(dir string) string {
	if at, ok := t.up(dir, "Cargo.toml"); ok {
		for line := range strings.Lines(t.read(path.Join(at, "Cargo.toml"))) {
			if k, v, ok := strings.Cut(line, "="); ok && strings.TrimSpace(k) == "edition" {
				return strings.Trim(strings.TrimSpace(v), `"' `)
			}
		}
	}
	return "2021"
}

func shellStyle(text string) bool {
	return strings.Contains(text, "shell_variant") || strings.Contains(text, "[[shell]]") || strings.Contains(text, "switch_case_indent") ||
		regexpShell().MatchString(text)
}

var regexpShell = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\[.*\b(sh|bash)\b.*\]`) })

var prettierFiles = []string{
	".prettierrc", ".prettierrc.json", ".prettierrc.yml", ".prettierrc.yaml", ".prettierrc.json5", ".prettierrc.js", ".prettierrc.cjs", ".prettierrc.mjs",
	".prettierrc.ts", ".prettierrc.toml", "prettier.config.js", "prettier.config.cjs", "prettier.config.mjs", "prettier.config.ts",
}

// prettier returns the folder whose configuration prettier follows.
func (t *tree) prettier(dir string) (string, bool) {
	for d := dir; ; d = path.Dir(d) {
		if slices.ContainsFunc(prettierFiles, func(n string) bool { return t.has(d, n) }) {
			return d, true
		}
		if t.has(d, "package.json") {
			var p struct {
				Prettier json.RawMessage `json:"prettier"`
			}
			if json.Unmarshal([]byte(t.read(path.Join(d, "package.json"))), &p) == nil && len(p.Prettier) > 0 {
				return d, true
			}
		}
		if d == "." {
			return "", false
		}
	}
}

func prettierFile(ext string) bool {
	switch ext {
	case ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".css", ".scss", ".less", ".json", ".json5", ".md", ".mdx", ".yaml", ".yml", ".html", ".vue", ".graphql", ".gql":
		return true
	}
	return false
}

func biomeFile(ext string) bool {
	switch ext {
	case ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".css", ".json", ".jsonc", ".graphql":
		return true
	}
	return false
}

// format returns the formatted text; ok is false when there is none: the text
// does not parse, the tool is broken, or an import would be lost.
func (w *Worker) format(ctx context.Context, pl *place, f formatter, text []byte) (out []byte, ok bool, why string) {
	if len(bytes.TrimSpace(text)) == 0 { // nothing to format, though tools add a line end
		return text, true, ""
	}
	x, err := w.filter(ctx, pl.abs(f.dir), text, f.argv...)
	if why, _ := told(ctx, f.tool, x, err); why != "" {
		return nil, false, why
	}
	if x.Code != 0 && misconfigured(string(x.Stderr)) {
		return nil, false, f.tool + " could not run: " + lastLines(string(x.Stderr), 2)
	}
	if x.Code != 0 || x.Truncated || len(bytes.TrimSpace(x.Stdout)) == 0 && len(bytes.TrimSpace(text)) > 0 {
		return nil, false, "" // a file in mid-edit
	}
	return x.Stdout, true, ""
}

// misconfigured reports whether a formatter fails for its setup, not for the
// text: it exits alike for both.
func misconfigured(stderr string) bool {
	for _, s := range [...]string{
		"Invalid configuration", "Cannot find package", "Cannot find module", "No module named", "ModuleNotFoundError", "Failed to parse", "Invalid value for", "configuration error",
		"Cannot read configuration", "Couldn't resolve", "unknown configuration", "Error parsing configuration",
	} {
		if strings.Contains(stderr, s) && !strings.Contains(stderr, "error: Failed to parse <stdin>") && !strings.Contains(stderr, "error: Failed to parse -") {
			return true
		}
	}
	return false
}

// generated reports whether a text says that a program wrote it.
func generated(text []byte) bool {
	head := text[:min(len(text), 2048)]
	return bytes.Contains(head, []byte("DO NOT EDIT")) || bytes.Contains(head, []byte("@generated"))
}

// formatTask checks the touched files of packages.
func (w *Worker) formatTask(t *tree, pkgs []*pkg) *task {
	names := []string{}
	lacks := ""
	for _, p := range pkgs {
		for _, rel := range p.files {
			if f, ok := w.formatter(t, rel); ok && !slices.Contains(names, f.tool) {
				if f.argv == nil {
					lacks = f.tool
					continue
				}
				names = append(names, f.tool)
			}
		}
	}
	slices.Sort(names)
	tool := strings.Join(names, ", ")
	return &task{step: quality.Format, tool: tool, ident: "format " + tool, pkgs: pkgs, lacks: lacks, do: func(ctx context.Context, pl *place, pkgs []*pkg, _ []quality.Finding) map[*pkg]*result {
		return each(pkgs, func(p *pkg) *result {
			r := &result{status: skippedStep, tool: tool}
			for _, rel := range p.files {
				f, ok := w.formatter(t, rel)
				if !ok || f.argv == nil {
					continue
				}
				text, err := os.ReadFile(pl.abs(rel))
				if err != nil || len(text) > maxFormat || generated(text) {
					continue
				}
				out, ok, why := w.format(ctx, pl, f, text)
				switch {
				case why != "":
					if ctx.Err() != nil {
						return &result{tool: f.tool, why: why}
					}
					r.why, r.broken = why, true
				case !ok:
				case bytes.Equal(out, text):
					if r.status == skippedStep {
						r.status = passedStep
					}
				default:
					r.status = failedStep
					r.findings = append(r.findings, quality.Finding{
						Package: p.dir, Step: quality.Format, Tool: f.tool, File: rel, Line: differs(text, out), Message: "not formatted (" + f.tool + ")",
					})
				}
			}
			return r
		})
	}}
}

const maxFormat = 1 << 20

// differs is the first line in which two texts differ.
func differs(a, b []byte) int {
	n := 1
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] != b[i] {
			return n
		}
		if a[i] == '\n' {
			n++
		}
	}
	return n
}

// formatByCommand sees whether the project's own formatting command would
// change a touched file, and puts back what it did.
func (w *Worker) formatByCommand(ctx context.Context, pl *place, p *pkg, argv []string, tool string) *result {
	r := &result{status: skippedStep, tool: tool}
	was := map[string][]byte{}
	for _, rel := range p.files {
		if data, err := os.ReadFile(pl.abs(rel)); err == nil && len(data) <= maxFormat {
			was[rel] = data
		}
	}
	if len(was) == 0 {
		return r
	}
	x, err := w.call(ctx, pl.abs(p.dir), pl.env, argv...)
	why, missing := told(ctx, tool, x, err)
	r.status, r.why = passedStep, why
	for _, rel := range p.files {
		old, ok := was[rel]
		if !ok {
			continue
		}
		now, err := os.ReadFile(pl.abs(rel))
		if err != nil || bytes.Equal(now, old) {
			continue
		}
		if err := fsx.WriteFile(pl.abs(rel), old, 0o644); err != nil {
			r.why = "cannot put back " + rel + ": " + err.Error()
		}
		r.status = failedStep
		r.findings = append(r.findings, quality.Finding{
			Package: p.dir, Step: quality.Format, Tool: tool, File: rel, Line: differs(old, now), Message: "not formatted (" + tool + ")",
		})
	}
	switch {
	case len(r.findings) > 0:
	case why != "":
		return unable(quality.Format, tool, x, why, missing)
	case x.Code != 0: // a check, not a formatter: it says so by its code
		r.status = failedStep
		if r.findings = w.read(pl, p, quality.Format, tool, string(x.Stdout)+"\n"+string(x.Stderr)); len(r.findings) == 0 {
			r.findings = []quality.Finding{{Package: p.dir, Step: quality.Format, Tool: tool, Message: tool + " failed: " + lastLines(pl.plain(string(x.Stdout)+"\n"+string(x.Stderr)), 4)}}
		}
	}
	return r
}

// keepsImports reports whether every name that a text imports is still imported
// in another.
func keepsImports(before, after []byte, ext string) bool {
	had, has := imported(string(before), ext), imported(string(after), ext)
	for name := range had {
		if !has[name] {
			return false
		}
	}
	return true
}

// imported are the words of a text's import statements.
func imported(text, ext string) map[string]bool {
	out := map[string]bool{}
	open := "" // what ends the statement that a line began
	for line := range strings.Lines(text) {
		s := strings.TrimSpace(line)
		if open == "" {
			switch {
			case strings.HasPrefix(s, "import ("), strings.HasPrefix(s, "from ") && strings.HasSuffix(s, "("):
				open = ")"
			case strings.HasPrefix(s, "import "), strings.HasPrefix(s, "import{"), strings.HasPrefix(s, "from "), strings.HasPrefix(s, "use "), strings.HasPrefix(s, "pub use "), strings.HasPrefix(s, "#include"),
				strings.Contains(s, "require(") && (strings.HasPrefix(s, "const ") || strings.HasPrefix(s, "let ") || strings.HasPrefix(s, "var ")):
				if strings.Count(s, "{") > strings.Count(s, "}") {
					open = "}"
				}
			default:
				continue
			}
		} else if strings.Contains(s, open) {
			open = ""
		}
		if c := commentOf(ext); c != "" {
			s, _, _ = strings.Cut(s, c)
		}
		for _, word := range strings.FieldsFunc(s, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '$' && r != '/' && r != '.' && r != '@' && r != '-'
		}) {
			out[strings.Trim(word, ".")] = true
		}
	}
	return out
}

func commentOf(ext string) string {
	if ext == ".py" || ext == ".pyi" {
		return "#"
	}
	return ""
}
