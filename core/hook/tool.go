package hook

import (
	"encoding/json"
	"strings"
)

// ToolKind says what a tool is for us, whatever its host calls it. The zero
// value is a tool that we do not know.
type ToolKind int

// The kinds of tool.
const (
	Other ToolKind = iota
	Shell
	Write
	Edit
	Read
	Search
	Fetch
	Spawn
	Skill
	AskUser
	MCP
)

var kindNames = [...]string{"other", "shell", "write", "edit", "read", "search", "fetch", "spawn", "skill", "ask-user", "mcp"}

func (k ToolKind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return "other"
	}
	return kindNames[k]
}

// ToolSet is a set of kinds; the zero value means any.
type ToolSet uint32

// Tools returns the set of kinds.
func Tools(kinds ...ToolKind) ToolSet {
	var s ToolSet
	for _, k := range kinds {
		s |= 1 << k
	}
	return s
}

// Has reports whether s is empty or holds k.
func (s ToolSet) Has(k ToolKind) bool { return s == 0 || s&(1<<k) != 0 }

// Tool is one tool call.
type Tool struct {
	ID     string
	Name   string // as the host calls it
	Kind   ToolKind
	Input  json.RawMessage // as received
	Result *Result         // only after the call
}

// Outcome says how a call ended. The zero value is Unknown: never read it as
// success.
type Outcome int

// Outcomes.
const (
	Unknown Outcome = iota
	Succeeded
	Failed
)

func (o Outcome) String() string {
	switch o {
	case Succeeded:
		return "succeeded"
	case Failed:
		return "failed"
	default:
		return "unknown"
	}
}

// Result is what a host says of a finished call.
type Result struct {
	Outcome     Outcome
	ExitCode    int // valid only if HasExit
	HasExit     bool
	Text        string // what the model sees of it, as far as the payload tells
	Interrupted bool
	Background  bool            // the call was moved to the background: nothing has finished yet
	Raw         json.RawMessage // as received, nil if the host sent none: a Verdict.Result must have its shape
}

// KindOf returns the kind of a tool by the name its host gives it. It is the
// one table of every host's tool names; comparison ignores case, "-" and "_",
// and a trailing "tool". Names of the form mcp__server__tool and mcp_server_tool
// are MCP.
func KindOf(name string) ToolKind {
	if strings.HasPrefix(name, "mcp__") || strings.HasPrefix(name, "mcp_") {
		return MCP
	}
	var b [48]byte
	n := 0
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c == '-' || c == '_' || c == ' ':
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		if n == len(b) {
			return Other
		}
		b[n] = c
		n++
	}
	switch strings.TrimSuffix(string(b[:n]), "tool") {
	case "bash", "powershell", "pwsh", "monitor", "shell", "localshell", "execcommand", "exec", "unifiedexec",
		"runshellcommand", "runcommand", "runterminalcommand", "runinterminal", "terminal", "cmd", "sh", "zsh",
		"shellcommand", "containerexec", "writestdin":
		return Shell
	case "write", "writefile", "writetofile", "createfile", "create", "savefile":
		return Write
	case "edit", "editfile", "multiedit", "notebookedit", "editnotebook", "replace", "applypatch", "strreplace",
		"strreplaceeditor", "strreplacebasededit", "replacefilecontent", "multireplacefilecontent", "insert", "patch", "searchreplace":
		return Edit
	case "read", "readfile", "readmanyfiles", "viewfile", "view", "openfile", "viewimage", "notebookread", "readmediafile":
		return Read
	case "grep", "glob", "ls", "searchfilecontent", "grepsearch", "listdirectory", "listdir", "findbyname",
		"search", "codebasesearch", "filesearch", "viewcodeitem", "viewfileoutline", "toolsearch":
		return Search
	case "webfetch", "websearch", "fetch", "googlewebsearch", "readurlcontent", "searchweb", "browser":
		return Fetch
	case "agent", "task", "invokeagent", "invokesubagent", "spawnagent", "subagent", "delegate", "delegatetask":
		return Spawn
	case "skill", "activateskill", "useskill", "slashcommand":
		return Skill
	case "askuserquestion", "askuser", "askquestion", "requestuserinput":
		return AskUser
	case "callmcp", "mcp":
		return MCP
	}
	return Other
}

// Fields decodes the top level of the input. It returns nil if the input is
// not an object.
func (t *Tool) Fields() map[string]json.RawMessage {
	if t == nil || len(t.Input) == 0 {
		return nil
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(t.Input, &m) != nil {
		return nil
	}
	return m
}

var commandKeys = [...]string{"command", "cmd", "CommandLine", "command_line", "commandLine", "script", "chars", "Command"}

// Command returns the command line of a shell call, and whether there is a
// readable one. An argv array is joined as words that a shell would read back
// as the same argv, except [sh -c SCRIPT] shapes, which a reader of argv must
// see as such: the quoting keeps them apart.
func (t *Tool) Command() (string, bool) {
	f := t.Fields()
	for _, k := range commandKeys {
		raw, ok := f[k]
		if !ok {
			continue
		}
		var s string
		if json.Unmarshal(raw, &s) == nil && s != "" {
			return s, true
		}
		var argv []string
		if json.Unmarshal(raw, &argv) == nil && len(argv) > 0 {
			return quoteArgv(argv), true
		}
	}
	return "", false
}

// PowerShell reports whether a shell call is read by PowerShell.
func (t *Tool) PowerShell() bool {
	n := strings.ToLower(t.Name)
	return n == "powershell" || n == "pwsh"
}

// WorkDir returns the directory a shell call names for itself, "" if none.
func (t *Tool) WorkDir() string {
	f := t.Fields()
	for _, k := range [...]string{"cwd", "workdir", "Cwd", "dir_path", "working_directory", "directory"} {
		if s := stringField(f, k); s != "" {
			return s
		}
	}
	return ""
}

func stringField(f map[string]json.RawMessage, key string) string {
	raw, ok := f[key]
	if !ok {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

func quoteArgv(argv []string) string {
	var b strings.Builder
	for i, a := range argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		if a != "" && strings.IndexFunc(a, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%", r)
		}) < 0 {
			b.WriteString(a)
			continue
		}
		b.WriteByte('\'')
		b.WriteString(strings.ReplaceAll(a, "'", `'\''`))
		b.WriteByte('\'')
	}
	return b.String()
}

var pathKeys = [...]string{
	"file_path", "filePath", "path", "notebook_path", "AbsolutePath", "TargetFile", "DirectoryPath", "SearchPath",
	"SearchDirectory", "file", "filename", "target_file", "dir_path", "directory", "absolute_path", "uri", "source",
	"destination", "src", "dest", "old_path", "new_path", "from", "to",
}

// Paths returns every path that the input names under a known key, edits
// included, in a stable order, as written (not resolved).
func (t *Tool) Paths() []string {
	f := t.Fields()
	if f == nil {
		return nil
	}
	var out []string
	add := func(s string) {
		if s == "" {
			return
		}
		for _, o := range out {
			if o == s {
				return
			}
		}
		out = append(out, s)
	}
	for _, k := range pathKeys {
		add(trimPath(stringField(f, k)))
	}
	for _, k := range [...]string{"paths", "files", "file_paths", "include"} {
		var list []string
		if raw, ok := f[k]; ok && json.Unmarshal(raw, &list) == nil {
			for _, s := range list {
				add(trimPath(s))
			}
		}
	}
	for _, e := range t.Edits() {
		add(e.Path)
		add(e.NewPath)
	}
	return out
}

// trimPath drops the prefixes that hosts put before a plain path.
func trimPath(s string) string {
	s = strings.TrimPrefix(s, "file://")
	return strings.TrimPrefix(s, `\\?\`)
}
