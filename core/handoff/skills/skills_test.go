package skills

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/hook"
)

type osFS struct{}

func (osFS) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }
func (osFS) ReadFile(name string, _ int64) ([]byte, error) {
	return os.ReadFile(name)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestNameOf(t *testing.T) {
	for _, tt := range []struct{ tool, input, want string }{
		{"Skill", `{"skill":"do"}`, "do"},
		{"Skill", `{"skill":"acme:do"}`, "do"},
		{"Skill", `{"skill":"/do now"}`, "do"},
		{"Skill", `{"skillName":"do"}`, "do"},
		{"Skill", `{"name":"do"}`, "do"},
		{"Skill", `{"command":"do"}`, "do"},
		{"activate_skill", `{"name":"do"}`, "do"},
		{"Skill", `{}`, ""},
		{"Skill", `{"skill":"../do"}`, ""},
		{"Skill", `{"skill":".."}`, ""},
		{"mcp__acme__acme-skill-emit", `{"skillName":"do"}`, "do"},
		{"mcp__acme__acme-other-emit", `{"skillName":"do"}`, ""},
		{"Read", `{"name":"do"}`, ""},
	} {
		tool := &hook.Tool{Name: tt.tool, Kind: hook.KindOf(tt.tool), Input: json.RawMessage(tt.input)}
		if got := NameOf(tool, "acme-skill-emit"); got != tt.want {
			t.Errorf("%s %s: %q", tt.tool, tt.input, got)
		}
	}
	if NameOf(nil, "x") != "" {
		t.Error("no tool has a name")
	}
}

func TestFrontmatter(t *testing.T) {
	for _, tt := range []struct {
		name, doc string
		want      []string
	}{
		{"block", "---\nname: do\nmandatoryStages:\n  - stages/a.md\n  - \"stages/b.md\"\n  # later\n  - 'c.md' # last\ndescription: x\n---\n# Do", []string{"stages/a.md", "stages/b.md", "c.md"}},
		{"block without indent", "---\nmandatoryStages:\n- a.md\n- b.md\nx: y\n---\n", []string{"a.md", "b.md"}},
		{"flow", "---\nmandatoryStages: [stages/a.md, \"b, c.md\", 'd.md']\n---\n", []string{"stages/a.md", "b, c.md", "d.md"}},
		{"flow over lines", "---\nmandatoryStages: [\n  a.md, # one\n  b.md,\n]\n---\n", []string{"a.md", "b.md"}},
		{"one", "---\nmandatoryStages: a.md\n---\n", []string{"a.md"}},
		{"windows", "\ufeff---\r\nmandatoryStages:\r\n  - a.md\r\n---\r\n", []string{"a.md"}},
		{"empty", "---\nmandatoryStages: []\n---\n", nil},
		{"none", "---\nname: do\n---\nmandatoryStages:\n- a.md\n", nil},
		{"below another key", "---\nmetadata:\n  mandatoryStages: [a.md]\n---\n", nil},
		{"no front matter", "mandatoryStages: [a.md]\n", nil},
		{"never closed", "---\nmandatoryStages: [a.md]\n", nil},
		{"list never closed", "---\nmandatoryStages: [a.md\n---\n", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Frontmatter(tt.doc)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestStagesStayInsideTheirTree(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "skills")
	write(t, filepath.Join(root, "do", "SKILL.md"), "---\nmandatoryStages:\n"+strings.Join([]string{
		"- stages/A.md", "- _shared/b.md", "- ../_shared/b.md", "- ../../secret.md", "- " + filepath.ToSlash(filepath.Join(dir, "secret.md")), "- missing.md", "- stages", "- linked.md",
		"- out/secret.md", "- ~/x.md", "- stages/a.txt", "- 'stages\\A.md'",
	}, "\n")+"\n---\n")
	for _, name := range []string{"do/stages/A.md", "_shared/b.md", "do/stages/a.txt"} {
		write(t, filepath.Join(root, filepath.FromSlash(name)), "x")
	}
	write(t, filepath.Join(dir, "secret.md"), "x")
	if err := os.Symlink(filepath.Join(dir, "secret.md"), filepath.Join(root, "do", "linked.md")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(dir, filepath.Join(root, "do", "out")); err != nil {
		t.Fatal(err)
	}
	roots := []string{filepath.Join(dir, "none"), root}
	got := Stages(osFS{}, roots, "acme:do")
	if diff := cmp.Diff([]string{"do/stages/a.md", "_shared/b.md"}, got); diff != "" {
		t.Error(diff)
	}
	if got := Stages(osFS{}, roots, "other"); got != nil {
		t.Error(got)
	}
}

func TestReadsNameWhatStagesDeclare(t *testing.T) {
	roots := []string{filepath.FromSlash("/p/My Skills")}
	for _, tt := range []struct {
		tool, input string
		want        []string
	}{
		{"Read", `{"file_path":"/p/My Skills/do/stages/A.md"}`, []string{"do/stages/a.md"}},
		{"read_file", `{"absolute_path":"/p/my skills/do/x/../stages/a.md"}`, []string{"do/stages/a.md"}},
		{"Read", `{"file_path":"../My Skills/do/a.md"}`, []string{"do/a.md"}},
		{"read_many_files", `{"paths":["/p/My Skills/do/a.md","/p/My Skills/do/b.md","/p/x.md"]}`, []string{"do/a.md", "do/b.md"}},
		{"Read", `{"file_path":"/home/u/.claude/plugins/cache/acme/1/skills/do/stages/a.md"}`, []string{"do/stages/a.md"}},
		{"Read", `{"file_path":"docs/a.md"}`, nil},
		{"Read", `{"file_path":"/p/My Skills/do/a.txt"}`, nil},
		{"Write", `{"file_path":"/p/My Skills/do/a.md"}`, nil},
	} {
		tool := &hook.Tool{Name: tt.tool, Kind: hook.KindOf(tt.tool), Input: json.RawMessage(tt.input)}
		if diff := cmp.Diff(tt.want, Reads(tool, "/p/w", roots)); diff != "" {
			t.Errorf("%s: %s", tt.input, diff)
		}
	}
}

func FuzzFrontmatter(f *testing.F) {
	f.Add("---\nmandatoryStages: [a, 'b]', \"c\"]\n---\n")
	f.Add("---\nmandatoryStages:\n- a # x\n---\n")
	f.Fuzz(func(t *testing.T, doc string) {
		for _, s := range Frontmatter(doc) {
			for _, rel := range candidates("do", s) {
				if rel == ".." || strings.HasPrefix(rel, "../") || strings.HasPrefix(rel, "/") {
					t.Errorf("%q leaves its tree as %q", s, rel)
				}
			}
		}
	})
}
