package hook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func call(name, input string) *Tool {
	return &Tool{Name: name, Kind: KindOf(name), Input: json.RawMessage(input)}
}

func TestEditsSeeEveryWrite(t *testing.T) {
	tests := []struct {
		name, tool, input string
		want              []FileEdit
	}{
		{
			"Claude Write", "Write", `{"file_path":"/p/a","content":"x\ny"}`,
			[]FileEdit{{Path: "/p/a", Op: Create, New: "x\ny", Added: "x\ny"}},
		},
		{"an empty file", "Write", `{"file_path":"/p/a","content":""}`, []FileEdit{{Path: "/p/a", Op: Create}}},
		{
			"Claude Edit", "Edit", `{"file_path":"/p/a","old_string":"x\ny","new_string":"x\nz","replace_all":false}`,
			[]FileEdit{{Path: "/p/a", Old: "x\ny", New: "x\nz", Added: "z"}},
		},
		{
			"all occurrences", "Edit", `{"file_path":"a","old_string":"x","new_string":"y","replace_all":true}`,
			[]FileEdit{{Path: "a", Old: "x", New: "y", Added: "y", All: true}},
		},
		{
			"an edit that deletes text", "Edit", `{"file_path":"a","old_string":"x","new_string":""}`,
			[]FileEdit{{Path: "a", Old: "x"}},
		},
		{
			"an edit of nothing makes the file", "Edit", `{"file_path":"a","old_string":"","new_string":"y"}`,
			[]FileEdit{{Path: "a", Op: Create, New: "y", Added: "y"}},
		},
		{
			"MultiEdit", "MultiEdit", `{"file_path":"a","edits":[{"old_string":"x","new_string":"y"},{"old_string":"p","new_string":"q","replace_all":true}]}`,
			[]FileEdit{{Path: "a", Old: "x", New: "y", Added: "y"}, {Path: "a", Old: "p", New: "q", Added: "q", All: true}},
		},
		{
			"NotebookEdit replace", "NotebookEdit", `{"notebook_path":"n.ipynb","cell_id":"c1","new_source":"print(2)"}`,
			[]FileEdit{{Path: "n.ipynb", New: "print(2)", Added: "print(2)"}},
		},
		{
			"NotebookEdit insert", "NotebookEdit", `{"notebook_path":"n.ipynb","edit_mode":"insert","cell_type":"code","new_source":"x"}`,
			[]FileEdit{{Path: "n.ipynb", New: "x", Added: "x"}},
		},
		{
			"NotebookEdit delete removes a cell, not the file", "NotebookEdit", `{"notebook_path":"n.ipynb","cell_id":"c1","edit_mode":"delete","new_source":""}`,
			[]FileEdit{{Path: "n.ipynb"}},
		},
		{"Gemini write_file", "write_file", `{"file_path":"a","content":"x"}`, []FileEdit{{Path: "a", Op: Create, New: "x", Added: "x"}}},
		{
			"Gemini replace", "replace", `{"file_path":"a","old_string":"x","new_string":"y","instruction":"i","allow_multiple":true}`,
			[]FileEdit{{Path: "a", Old: "x", New: "y", Added: "y", All: true}},
		},
		{
			"Antigravity write", "write_to_file", `{"TargetFile":"/p/a","CodeContent":"x","Overwrite":"true","Description":"d"}`,
			[]FileEdit{{Path: "/p/a", Op: Create, New: "x", Added: "x"}},
		},
		{
			"Antigravity replace", "replace_file_content", `{"TargetFile":"a","TargetContent":"x","ReplacementContent":"y","AllowMultiple":"true","StartLine":"1"}`,
			[]FileEdit{{Path: "a", Old: "x", New: "y", Added: "y", All: true}},
		},
		{
			"Antigravity chunks", "multi_replace_file_content", `{"TargetFile":"a","ReplacementChunks":[{"TargetContent":"x","ReplacementContent":"y"},{"TargetContent":"p","ReplacementContent":"q"}]}`,
			[]FileEdit{{Path: "a", Old: "x", New: "y", Added: "y"}, {Path: "a", Old: "p", New: "q", Added: "q"}},
		},
		{
			"chunks in a string", "multi_replace_file_content", `{"TargetFile":"a","ReplacementChunks":"[{\"TargetContent\":\"x\",\"ReplacementContent\":\"y\"}]"}`,
			[]FileEdit{{Path: "a", Old: "x", New: "y", Added: "y"}},
		},
		{"Muse edit_file", "edit_file", `{"path":"a","find":"x","replace":"y"}`, []FileEdit{{Path: "a", Old: "x", New: "y", Added: "y"}}},
		{"Muse write_file", "write_file", `{"path":"a","content":"x"}`, []FileEdit{{Path: "a", Op: Create, New: "x", Added: "x"}}},
		{
			"Codex apply_patch", "apply_patch", `{"command":"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"}`,
			[]FileEdit{{Path: "a", Op: Create, New: "x\n", Added: "x"}},
		},
		{"a patch as the whole input", "apply_patch", `"*** Begin Patch\n*** Delete File: a\n*** End Patch"`, []FileEdit{{Path: "a", Op: Delete}}},
		{
			"a patch in a shell", "Bash", `{"command":"cd x && apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF\necho done"}`,
			[]FileEdit{{Path: "a", Op: Delete}},
		},
		{
			"a patch in a quoted word", "Bash", `{"command":"apply_patch $'*** Begin Patch\\n*** Delete File: a\\n*** End Patch'"}`,
			[]FileEdit{{Path: "a", Op: Delete}},
		},
		{"text about a patch", "Bash", `{"command":"grep -n '*** Begin Patch' notes.md"}`, nil},
		{
			"an editor of many verbs: create", "str_replace_based_edit_tool", `{"command":"create","path":"a","file_text":"x"}`,
			[]FileEdit{{Path: "a", Op: Create, New: "x", Added: "x"}},
		},
		{
			"replace", "str_replace_based_edit_tool", `{"command":"str_replace","path":"a","old_str":"x","new_str":"y"}`,
			[]FileEdit{{Path: "a", Old: "x", New: "y", Added: "y"}},
		},
		{
			"insert", "str_replace_based_edit_tool", `{"command":"insert","path":"a","insert_line":3,"insert_text":"y"}`,
			[]FileEdit{{Path: "a", New: "y", Added: "y"}},
		},
		{"view", "str_replace_based_edit_tool", `{"command":"view","path":"a"}`, nil},
		{"delete", "str_replace_based_edit_tool", `{"command":"delete","path":"a"}`, []FileEdit{{Path: "a", Op: Delete}}},
		{"rename", "str_replace_based_edit_tool", `{"command":"rename","old_path":"a","new_path":"b"}`, []FileEdit{{Path: "a", NewPath: "b", Op: Move}}},
		{"an edit tool with an input we do not know", "Edit", `{"file_path":"a","what":"?"}`, []FileEdit{{Path: "a"}}},
		{"arguments as a string", "Write", `"{\"file_path\":\"a\",\"content\":\"x\"}"`, []FileEdit{{Path: "a", Op: Create, New: "x", Added: "x"}}},

		{
			"MCP write_file", "mcp__filesystem__write_file", `{"path":".guardrails.yaml","content":"mode: warn"}`,
			[]FileEdit{{Path: ".guardrails.yaml", Op: Create, New: "mode: warn", Added: "mode: warn"}},
		},
		{
			"MCP edit_file", "mcp__filesystem__edit_file", `{"path":"a","edits":[{"oldText":"x","newText":"y"}],"dryRun":false}`,
			[]FileEdit{{Path: "a", Old: "x", New: "y", Added: "y"}},
		},
		{"MCP move_file", "mcp__filesystem__move_file", `{"source":"a","destination":"b"}`, []FileEdit{{Path: "a", NewPath: "b", Op: Move}}},
		{"MCP copy_file", "mcp__fs__copy_file", `{"source":"a","destination":"b"}`, []FileEdit{{Path: "b"}}},
		{"MCP delete_file", "mcp__fs__delete_file", `{"path":"a"}`, []FileEdit{{Path: "a", Op: Delete}}},
		{
			"MCP several files", "mcp__fs__write_files", `{"files":[{"path":"a","content":"x"},{"path":"b","content":"y"}]}`,
			[]FileEdit{{Path: "a", Op: Create, New: "x", Added: "x"}, {Path: "b", Op: Create, New: "y", Added: "y"}},
		},
		{"MCP append", "mcp__dc__write_file", `{"path":"a","content":"x","mode":"append"}`, []FileEdit{{Path: "a", New: "x", Added: "x"}}},
		{"MCP content that is not text", "mcp__fs__write_json", `{"path":"a","content":{"k":1}}`, []FileEdit{{Path: "a", Op: Create, New: `{"k":1}`, Added: `{"k":1}`}}},
		{"MCP relative_path and body", "mcp__serena__create_text_file", `{"relative_path":"a","content":"x"}`, []FileEdit{{Path: "a", Op: Create, New: "x", Added: "x"}}},
		{"MCP pathInProject", "mcp__jetbrains__create_new_file", `{"pathInProject":"a","text":"x"}`, []FileEdit{{Path: "a", Op: Create, New: "x", Added: "x"}}},
		{
			"MCP diff", "mcp__git__apply", `{"diff":"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n"}`,
			[]FileEdit{{Path: "x", Old: "1\n", New: "2\n", Added: "2", Hunks: []Hunk{{"1\n", "2\n"}}}},
		},
		{"Gemini's MCP name", "mcp_fs_write_file", `{"path":"a","content":"x"}`, []FileEdit{{Path: "a", Op: Create, New: "x", Added: "x"}}},
		{
			"Antigravity's generic caller", "call_mcp_tool", `{"ServerName":"fs","ToolName":"write_file","Arguments":{"path":"a","content":"x"}}`,
			[]FileEdit{{Path: "a", Op: Create, New: "x", Added: "x"}},
		},
		{
			"with its arguments in a string", "call_mcp_tool", `{"ServerName":"fs","ToolName":"write_file","Arguments":"{\"path\":\"a\",\"content\":\"x\"}"}`,
			[]FileEdit{{Path: "a", Op: Create, New: "x", Added: "x"}},
		},
		{
			"a file address is read both ways", "mcp__fs__write_file", `{"path":"file:///p/a%20b","content":"x"}`,
			[]FileEdit{{Path: "file:///p/a%20b", Op: Create, New: "x", Added: "x"}, {Path: "/p/a b", Op: Create, New: "x", Added: "x"}},
		},
		{"Windows' long path", "Write", `{"file_path":"\\\\?\\C:\\p\\a","content":"x"}`, []FileEdit{{Path: `C:\p\a`, Op: Create, New: "x", Added: "x"}}},

		{"keys of another style", "mcp__fs__write_file", `{"FilePath":"a","File_Content":"x"}`, []FileEdit{{Path: "a", Op: Create, New: "x", Added: "x"}}},
		{"a move without a verb", "mcp__fs__relocate", `{"source":"a/b","destination":".guardrails.yaml"}`, []FileEdit{{Path: "a/b", NewPath: ".guardrails.yaml", Op: Move}}},
		{"two paths", "write_to_file", `{"file_path":"decoy","TargetFile":".guardrails.yaml","CodeContent":"x"}`, []FileEdit{
			{Path: "decoy", Op: Create, New: "x", Added: "x", Unclear: true}, {Path: ".guardrails.yaml", Op: Create, New: "x", Added: "x", Unclear: true},
		}},
		{
			"two contents", "write_to_file", `{"TargetFile":"a","content":"decoy","CodeContent":"x"}`,
			[]FileEdit{{Path: "a", Op: Create, New: "decoy\nx", Added: "decoy\nx", Unclear: true}},
		},
		{"one member twice", "Write", `{"file_path":"a","content":"x","content":"y"}`, []FileEdit{{Path: "a", Op: Create, New: "x\ny", Added: "x\ny", Unclear: true}}},
		{
			"a replacement and a content", "edit_file", `{"path":"a","find":"x","replace":"y","content":"z"}`,
			[]FileEdit{{Path: "a", Old: "x", New: "y\nz", Added: "y\nz", Unclear: true}},
		},
		{
			"a patch beside a file", "Write", `{"file_path":"a","content":"x","input":"*** Begin Patch\n*** Delete File: b\n*** End Patch"}`,
			[]FileEdit{{Path: "b", Op: Delete, Unclear: true}, {Path: "a", Op: Create, New: "x", Added: "x", Unclear: true}},
		},
		{
			"arguments beside arguments", "mcp__fs__write_file", `{"path":"a","content":"x","params":{"path":"b","content":"y"}}`,
			[]FileEdit{{Path: "b", Op: Create, New: "y", Added: "y", Unclear: true}, {Path: "a", Op: Create, New: "x", Added: "x", Unclear: true}},
		},
		{"a view that writes", "mcp__fs__file", `{"action":"view","path":"a","content":"x"}`, []FileEdit{{Path: "a", Op: Create, New: "x", Added: "x"}}},

		{"MCP read", "mcp__filesystem__read_file", `{"path":"a"}`, nil},
		{"MCP search", "mcp__fs__search_files", `{"path":"a","pattern":"x","search":"y","text":"z"}`, nil},
		{"MCP mail", "mcp__mail__send", `{"from":"a@b","to":"c@d","content":"x"}`, nil},
		{"MCP map", "mcp__maps__route", `{"source":"Bonn","destination":"Kiel"}`, nil},
		{"MCP resource elsewhere", "mcp__x__put", `{"uri":"https://h/x","text":"t"}`, nil},
		{"MCP text without a path", "mcp__mock__echo", `{"msg":"hi"}`, nil},
		{"MCP input that is a string", "mcp__mock__echo", `"hi"`, nil},
		{"Read", "Read", `{"file_path":"a"}`, nil},
		{"no input", "Write", ``, nil},
		{"null", "Write", `null`, nil},
		{"wrong types", "Write", `{"file_path":3,"content":[]}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, call(tt.tool, tt.input).Edits()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestParsePatch(t *testing.T) {
	tests := []struct {
		name, patch string
		want        []FileEdit
	}{
		{
			"update, move, delete", "*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n*** Delete File: c.ts\n*** End Patch",
			[]FileEdit{{Path: "a.ts", NewPath: "b.ts", Op: Move}, {Path: "c.ts", Op: Delete}},
		},
		{
			"two hunks", "*** Begin Patch\n*** Update File: a\n@@ func x\n c\n-d\n+e\n@@\n-f\n+g\n*** End of File\n*** End Patch",
			[]FileEdit{{Path: "a", Old: "c\nd\nf\n", New: "c\ne\ng\n", Added: "e\ng", Hunks: []Hunk{{"c\nd\n", "c\ne\n"}, {"f\n", "g\n"}}}},
		},
		{"CRLF", "*** Begin Patch\r\n*** Add File: a\r\n+x\r\n*** End Patch\r\n", []FileEdit{{Path: "a", Op: Create, New: "x\n", Added: "x"}}},
		{"without an end", "*** Begin Patch\n*** Add File: a\n+x", []FileEdit{{Path: "a", Op: Create, New: "x\n", Added: "x"}}},
		{
			"headers are read indented, as Codex does", "*** Begin Patch\n  *** Add File: a\n+x\n  *** Delete File: b\n*** End Patch",
			[]FileEdit{{Path: "a", Op: Create, New: "x\n", Added: "x"}, {Path: "b", Op: Delete}},
		},
		{
			"but not among an update's lines", "*** Begin Patch\n*** Update File: doc.md\n@@\n *** Add File: example\n-x\n+y\n*** End Patch",
			[]FileEdit{{
				Path: "doc.md", Old: "*** Add File: example\nx\n", New: "*** Add File: example\ny\n", Added: "y",
				Hunks: []Hunk{{"*** Add File: example\nx\n", "*** Add File: example\ny\n"}},
			}},
		},
		{"no space after the colon", "*** Begin Patch\n*** Add File:a\n+x\n*** End Patch", []FileEdit{{Path: "a", Op: Create, New: "x\n", Added: "x"}}},
		{
			"two patches", "*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF\napply_patch <<EOF\n*** Begin Patch\n*** Delete File: b\n*** End Patch",
			[]FileEdit{{Path: "a", Op: Delete}, {Path: "b", Op: Delete}},
		},
		{"nothing", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, ParsePatch(tt.patch)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestParseDiff(t *testing.T) {
	tests := []struct {
		name, diff string
		want       []FileEdit
	}{
		{
			"git", "diff --git a/x.go b/x.go\nindex 1..2 100644\n--- a/x.go\n+++ b/x.go\n@@ -1,2 +1,2 @@ f\n c\n-d\n+e\n",
			[]FileEdit{{Path: "x.go", Old: "c\nd\n", New: "c\ne\n", Added: "e", Hunks: []Hunk{{"c\nd\n", "c\ne\n"}}}},
		},
		{"lines that look like headers", "--- x\n+++ x\n@@ -1,2 +1,2 @@\n--- a\n+++ b\n c\n--- y\n+++ y\n@@ -1 +1 @@\n-1\n+2\n", []FileEdit{
			{Path: "x", Old: "-- a\nc\n", New: "++ b\nc\n", Added: "++ b", Hunks: []Hunk{{"-- a\nc\n", "++ b\nc\n"}}},
			{Path: "y", Old: "1\n", New: "2\n", Added: "2", Hunks: []Hunk{{"1\n", "2\n"}}},
		}},
		{
			"new file", "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+1\n+2\n",
			[]FileEdit{{Path: "n", Op: Create, New: "1\n2\n", Added: "1\n2"}},
		},
		{
			"deleted file", "diff --git a/n b/n\ndeleted file mode 100644\n--- a/n\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n",
			[]FileEdit{{Path: "n", Op: Delete, Old: "1\n"}},
		},
		{"empty new file", "diff --git a/a b b/a b\nnew file mode 100644\n", []FileEdit{{Path: "a b", Op: Create}}},
		{"rename", "diff --git a/o b/n\nsimilarity index 100%\nrename from o\nrename to n\n", []FileEdit{{Path: "o", NewPath: "n", Op: Move}}},
		{
			"quoted name and time", "--- \"a/\\303\\251\"\t2026\n+++ \"b/\\303\\251\"\t2026\n@@ -1 +1 @@\n-1\n+2\n\\ No newline at end of file\n",
			[]FileEdit{{Path: "é", Old: "1\n", New: "2\n", Added: "2", Hunks: []Hunk{{"1\n", "2\n"}}}},
		},
		{"prose", "--- is a rule\nand so on", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, ParseDiff(tt.diff)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestApplyTellsTheContentOrSaysThatItCannot(t *testing.T) {
	tests := []struct {
		name, before string
		edit         FileEdit
		want         string
		ok           bool
	}{
		{"create", "x", FileEdit{Op: Create, New: "y"}, "y", true},
		{"delete", "x", FileEdit{Op: Delete}, "", true},
		{"replace", "abc", FileEdit{Old: "b", New: "B"}, "aBc", true},
		{"not there", "abc", FileEdit{Old: "x", New: "B"}, "", false},
		{"there twice", "abab", FileEdit{Old: "a", New: "B"}, "", false},
		{"all", "abab", FileEdit{Old: "a", New: "B", All: true}, "BbBb", true},
		{"CRLF", "a\r\nb\r\n", FileEdit{Old: "a\nb", New: "c\nd"}, "c\r\nd\r\n", true},
		{"unknown place", "abc", FileEdit{New: "B"}, "", false},
		{"unclear", "abc", FileEdit{Op: Create, New: "x", Unclear: true}, "", false},
		{"plain move", "abc", FileEdit{Op: Move, Path: "a", NewPath: "b"}, "abc", true},
		{"hunks in order", "a\nb\na\nc\n", FileEdit{Hunks: []Hunk{{"b\n", "B\n"}, {"a\n", "A\n"}}}, "a\nB\nA\nc\n", true},
		{"hunks out of order", "a\nb\n", FileEdit{Hunks: []Hunk{{"b\n", "B\n"}, {"a\n", "A\n"}}}, "", false},
		{"last line without its end", "a\nb", FileEdit{Hunks: []Hunk{{"b\n", "B\n"}}}, "a\nB\n", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := tt.edit.Apply(tt.before); got != tt.want || ok != tt.ok {
				t.Errorf("got %q, %v; want %q, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func FuzzParsePatch(f *testing.F) {
	for _, s := range []string{
		"*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** Move to: b\n*** End Patch", "*** Begin Patch\n  *** Add File: a\n+x",
		"*** Update File:\n*** Move to:",
		"diff --git a/x b/y\n--- a/x\n+++ b/y\n@@ -1,2 +1 @@\n-1\n c\n", "--- \"a\\303\"\n+++ /dev/null\n@@ -1 +0,0 @@\n-1", "apply_patch $'*** Begin Patch\\n*** Delete File: a\\n'",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, patch string) {
		for _, edits := range [][]FileEdit{ParsePatch(patch), ParseDiff(patch), patchInShell(patch)} {
			total := 0
			for _, e := range edits {
				total += len(e.New)
				if e.Op == Move && e.NewPath == "" && e.Path == "" {
					t.Fatalf("a move of nothing: %+v", e)
				}
				e.Apply(patch)
			}
			if total > 3*len(patch)+3 {
				t.Fatalf("%d bytes of text from a patch of %d", total, len(patch))
			}
		}
	})
}

func FuzzEdits(f *testing.F) {
	paths, err := filepath.Glob("../../testdata/hosts/*/*/PreToolUse-*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		name, _ := Text(Member(b, "tool_name"))
		f.Add(name, Member(b, "tool_input"))
	}
	f.Add("mcp__fs__move", []byte(`{"source":"/a","destination":"file:///b","edits":[{"path":"c","text":1}]}`))
	f.Add("multi_replace_file_content", []byte(`{"TargetFile":"a","ReplacementChunks":"[{\"TargetContent\":\"x\"}]"}`))
	f.Fuzz(func(t *testing.T, name string, input []byte) {
		tool := &Tool{Name: name, Kind: KindOf(name), Input: input}
		before := string(input)
		paths := strings.Join(tool.Paths(), "\x00") + "\x00"
		for _, e := range tool.Edits() {
			if e.Path == "" && e.NewPath == "" {
				t.Fatalf("an edit of no file: %+v", e)
			}
			if !strings.Contains(paths, e.Path+"\x00") || !strings.Contains(paths, e.NewPath+"\x00") {
				t.Fatalf("Paths has not %q: %q", e.Path, paths)
			}
		}
		tool.Command()
		tool.WorkDir()
		tool.SkillName()
		tool.AgentType()
		if string(input) != before {
			t.Fatal("the input was changed")
		}
	})
}
