package hook

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKindOfKnowsEveryHostsTools(t *testing.T) {
	for kind, names := range map[ToolKind][]string{
		Shell: {
			"Bash", "PowerShell", "Monitor", // Claude Code
			"run_shell_command",          // Gemini CLI
			"run_command", "manage_task", // Antigravity
			"bash", "powershell", "bash_input", // Muse
			"shell", "local_shell", "exec_command", "write_stdin", // Codex
			"Shell", "run_in_terminal", // Cursor, VS Code
		},
		Write: {"Write", "write_file", "write_to_file", "create_file"},
		Edit: {
			"Edit", "MultiEdit", "NotebookEdit", "replace", "replace_file_content", "multi_replace_file_content",
			"edit_file", "apply_patch", "str_replace_based_edit_tool", "delete_file",
		},
		Read:    {"Read", "read_file", "read_many_files", "view_file", "view_image"},
		Search:  {"Grep", "Glob", "LS", "grep_search", "list_directory", "list_dir", "find_by_name", "search", "ToolSearch"},
		Fetch:   {"WebFetch", "WebSearch", "web_fetch", "google_web_search", "read_url_content", "search_web"},
		Spawn:   {"Agent", "Task", "Workflow", "invoke_agent", "delegate_to_agent", "invoke_subagent", "spawn_agent", "collaborationspawn_agent", "subagent_spawn"},
		Skill:   {"Skill", "activate_skill", "SlashCommand"},
		AskUser: {"AskUserQuestion", "ask_user", "ask_question", "request_user_input"},
		MCP:     {"mcp__mock__echo", "mcp_mock_echo", "call_mcp_tool"},
		Other: {
			"", "TodoWrite", "write_todos", "TaskCreate", "TaskUpdate", "BashOutput", "KillShell", "ExitPlanMode", "EnterWorktree",
			"update_topic", "get_goal", "multi_agent_v1wait_agent", "Tool", "a name that is far longer than any tool has ever had, and so unknown",
		},
	} {
		for _, name := range names {
			if got := KindOf(name); got != kind {
				t.Errorf("%s: got %v, want %v", name, got, kind)
			}
		}
	}
}

func TestCommandIsReadFromEveryShape(t *testing.T) {
	tests := []struct {
		name, tool, input string
		want              string
		ok                bool
	}{
		{"Claude", "Bash", `{"command":"ls -la","description":"d"}`, "ls -la", true},
		{"PowerShell", "PowerShell", `{"command":"ri -r -fo $HOME"}`, "ri -r -fo $HOME", true},
		{"Monitor", "Monitor", `{"description":"watch","timeout_ms":3000,"command":"tail -f x"}`, "tail -f x", true},
		{"Antigravity", "run_command", `{"CommandLine":"ls","Cwd":"/p"}`, "ls", true},
		{"argv", "shell", `{"command":["bash","-lc","rm -rf \"$HOME\"/x'y"]}`, `bash -lc 'rm -rf "$HOME"/x'\''y'`, true},
		{"argv with an empty word", "shell", `{"command":["printf","","é"]}`, `printf '' 'é'`, true},
		{"typed into a shell", "write_stdin", `{"session_id":3,"chars":"rm -rf ~\n"}`, "rm -rf ~\n", true},
		{"typed into a task", "manage_task", `{"Action":"send","TaskId":"1","Input":"rm -rf ~"}`, "rm -rf ~", true},
		{"the input is the command", "Bash", `"ls"`, "ls", true},
		{"the input is a string of JSON", "Bash", `"{\"command\":\"ls\"}"`, "ls", true},
		{"a key in disguise", "Bash", `{"comm\u0061nd":"ls"}`, "ls", true},
		{"twice: the last counts, as in JavaScript", "Bash", `{"command":"ls","command":"pwd"}`, "pwd", true},
		{"half a surrogate pair", "Bash", `{"command":"echo \ud83d"}`, "echo \ufffd", true},
		{"bytes that are not UTF-8", "Bash", "{\"command\":\"echo \xff; rm -rf ~\"}", "echo \ufffd; rm -rf ~", true},
		{"two commands", "run_command", `{"command":"ls","CommandLine":"rm -rf ~","cmd":"ls"}`, "ls\nrm -rf ~", true},
		{"empty", "Bash", `{"command":""}`, "", false},
		{"wrong type", "Bash", `{"command":{"a":1}}`, "", false},
		{"argv of numbers", "Bash", `{"command":[1,2]}`, "", false},
		{"none", "Bash", ``, "", false},
		{"an input field of another tool", "mcp__a__b", `{"input":"x"}`, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := call(tt.tool, tt.input).Command(); got != tt.want || ok != tt.ok {
				t.Errorf("got %q, %v; want %q, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestPathsNamesWhatTheInputNames(t *testing.T) {
	tests := []struct {
		name, tool, input string
		want              []string
	}{
		{"read", "Read", `{"file_path":"/p/a"}`, []string{"/p/a"}},
		{"search", "grep_search", `{"SearchPath":"src","Query":"x"}`, []string{"src"}},
		{"list", "read_many_files", `{"paths":["a","b","a"]}`, []string{"a", "b"}},
		{"list of objects", "mcp__fs__read", `{"files":[{"path":"a"},{"path":"b"}]}`, []string{"a", "b"}},
		{"pair", "mcp__fs__move_file", `{"source":"a","destination":"b"}`, []string{"a", "b"}},
		{"patch", "apply_patch", `{"command":"*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** Delete File: c\n*** End Patch"}`, []string{"a", "b", "c"}},
		{"nested arguments", "call_mcp_tool", `{"ServerName":"fs","Arguments":"{\"path\":\"a\"}"}`, []string{"a"}},
		{"file address", "mcp__fs__read", `{"uri":"file:///p/a%20b"}`, []string{"/p/a b"}},
		{"file address on this machine", "view_file", `{"AbsolutePath":"file://localhost/p/a"}`, []string{"/p/a", "file://localhost/p/a"}},
		{"Windows address", "view_file", `{"uri":"file:///C:/p"}`, []string{"C:/p"}},
		{"other address", "mcp__x__get", `{"uri":"https://h/p"}`, nil},
		{"none", "Bash", `{"command":"ls"}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, call(tt.tool, tt.input).Paths()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestStringsHoldsEveryValueAndNoKey(t *testing.T) {
	got := call("Bash", `{"a":"x","b":{"c":["y",1,{"d":"\u007a"}]},"e" : "w"}`).Strings()
	if diff := cmp.Diff([]string{"x", "y", "z", "w"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestFieldsNeedsAWholeObject(t *testing.T) {
	for in, want := range map[string]int{`{"a":1,"b":"c"}`: 2, `{}`: 0, `{"a":`: 0, `[1]`: 0, ``: 0, `"{\"a\":1}"`: 1} {
		if got := call("x", in).Fields(); len(got) != want {
			t.Errorf("%s: got %v", in, got)
		}
	}
	if call("x", `{"a":`).Fields() != nil || call("x", `{}`).Fields() == nil {
		t.Error("nil must mean that there is no object")
	}
}

func TestCallsNameTheirSkillAndAgent(t *testing.T) {
	if got := call("Skill", `{"skill":"demo","args":"x"}`).SkillName(); got != "demo" {
		t.Errorf("Claude skill: %q", got)
	}
	if got := call("activate_skill", `{"name":"demo"}`).SkillName(); got != "demo" {
		t.Errorf("Gemini skill: %q", got)
	}
	if got := call("Agent", `{"subagent_type":"implementer","prompt":"p"}`).AgentType(); got != "implementer" {
		t.Errorf("Claude agent: %q", got)
	}
	if got := call("invoke_agent", `{"agent_name":"implementer"}`).AgentType(); got != "implementer" {
		t.Errorf("Gemini agent: %q", got)
	}
	if got := call("Bash", `{"skill":"demo","name":"x"}`).SkillName(); got != "" {
		t.Errorf("a shell has no skill: %q", got)
	}
}

func TestANilToolAnswersNothing(t *testing.T) {
	var tool *Tool
	if cmd, ok := tool.Command(); ok || cmd != "" || tool.Fields() != nil || tool.Paths() != nil || tool.Edits() != nil ||
		tool.Strings() != nil || tool.WorkDir() != "" || tool.PowerShell() || tool.SkillName() != "" || tool.AgentType() != "" {
		t.Error("a nil tool said something")
	}
}

func TestToolSet(t *testing.T) {
	if s := Tools(Shell, MCP); !s.Has(Shell) || !s.Has(MCP) || s.Has(Other) || s.Has(Write) {
		t.Errorf("%b", s)
	}
	if s := Tools(Other); !s.Has(Other) || s.Has(Shell) {
		t.Errorf("%b", s)
	}
	if !Tools().Has(Read) {
		t.Error("the empty set means any")
	}
}

func TestLocalPathReadsAddressesAndLongPaths(t *testing.T) {
	for in, want := range map[string]string{
		"/p": "/p", "rel": "rel", "": "", "file:///p/a%20b": "/p/a b", "file:///C:/x": "C:/x", `\\?\C:\x`: `C:\x`, `\\?\UNC\s\x`: `\\s\x`, "file:": "file:",
	} {
		if got := LocalPath(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
