package hook

import (
	"encoding/json"
	"iter"
	"slices"
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
//
// Sources: Claude Code 2.1.197 and 2.1.332, Codex 0.171.0, Gemini CLI 0.61.0
// (measured); Antigravity 1.1 and Muse 1.4 (documented).
func KindOf(name string) ToolKind {
	if strings.HasPrefix(name, "mcp__") || strings.HasPrefix(name, "mcp_") {
		return MCP
	}
	var b [48]byte
	n := 0
	for i := range len(name) {
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
	key := strings.TrimSuffix(string(b[:n]), "tool")
	switch key {
	case "bash", "powershell", "pwsh", "monitor", "shell", "localshell", "execcommand", "exec", "unifiedexec",
		"runshellcommand", "runcommand", "runterminalcommand", "runterminalcmd", "runinterminal", "terminal", "cmd", "sh", "zsh",
		"shellcommand", "containerexec",
		// These type into a shell that is already there.
		"writestdin", "bashinput", "managetask", "sendcommandinput", "sendinput":
		return Shell
	case "write", "writefile", "writetofile", "createfile", "create", "savefile":
		return Write
	case "edit", "editfile", "multiedit", "notebookedit", "editnotebook", "replace", "applypatch", "applydiff", "strreplace",
		"strreplaceeditor", "strreplacebasededit", "replacefilecontent", "multireplacefilecontent", "insert", "patch", "searchreplace",
		"deletefile", "renamefile", "movefile":
		return Edit
	case "read", "readfile", "readmanyfiles", "viewfile", "view", "openfile", "viewimage", "notebookread", "readmediafile":
		return Read
	case "grep", "glob", "ls", "searchfilecontent", "grepsearch", "listdirectory", "listdir", "findbyname",
		"search", "codebasesearch", "filesearch", "viewcodeitem", "viewfileoutline", "toolsearch":
		return Search
	case "webfetch", "websearch", "fetch", "googlewebsearch", "readurlcontent", "searchweb", "browser", "openbrowserurl":
		return Fetch
	case "agent", "task", "workflow", "invokeagent", "invokesubagent", "subagent", "delegate", "delegatetask", "delegatetoagent":
		return Spawn
	case "skill", "activateskill", "useskill", "slashcommand":
		return Skill
	case "askuserquestion", "askuser", "askquestion", "requestuserinput":
		return AskUser
	case "callmcp", "mcp":
		return MCP
	}
	// Codex glues a namespace before the name: collaborationspawn_agent.
	if strings.HasSuffix(key, "spawnagent") || strings.HasPrefix(key, "subagent") {
		return Spawn
	}
	return Other
}

// object is a call's input, read once, so that looking for many keys costs no
// more scans. Keys are compared as normal writes them: hosts and servers agree
// on words, not on file_path, filePath or FilePath.
type object struct {
	few  []member
	many map[string][]member // by normal key, instead of few, for an input that has too many
}

type member struct{ key, value []byte }

// fewMembers is how many a plain search beats a map for.
const fewMembers = 32

func objectOf(raw []byte) object {
	var o object
	for k, v := range Members(raw) {
		switch {
		case o.many != nil:
			n := normal(k)
			o.many[n] = append(o.many[n], member{k, v})
		case len(o.few) < fewMembers:
			if o.few == nil {
				o.few = make([]member, 0, 8)
			}
			o.few = append(o.few, member{k, v})
		default:
			o.many = make(map[string][]member, 4*fewMembers)
			for _, m := range append(o.few, member{k, v}) {
				n := normal(m.key)
				o.many[n] = append(o.many[n], m)
			}
		}
	}
	return o
}

func (o object) empty() bool { return len(o.few) == 0 }

// normal returns a key in lower case without "_" and "-".
func normal(key []byte) string {
	b := make([]byte, 0, len(key))
	for _, c := range key {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != '_' && c != '-' {
			b = append(b, c)
		}
	}
	return string(b)
}

// isNormal reports whether normal(key) == norm.
func isNormal(key []byte, norm string) bool {
	n := 0
	for _, c := range key {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c == '_' || c == '-' {
			continue
		}
		if n == len(norm) || norm[n] != c {
			return false
		}
		n++
	}
	return n == len(norm)
}

// all ranges over the values of every one of keys, in their order.
func (o object) all(keys ...string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, k := range keys {
			members := o.few
			if o.many != nil {
				members = o.many[k]
			}
			for _, m := range members {
				if isNormal(m.key, k) && !yield(m.value) {
					return
				}
			}
		}
	}
}

// text returns the first of keys that is a string and not empty; of one that
// is there twice the last, as JavaScript reads it.
func (o object) text(keys ...string) string {
	for _, k := range keys {
		found := ""
		for v := range o.all(k) {
			if s, ok := Text(v); ok {
				found = s
			}
		}
		if found != "" {
			return found
		}
	}
	return ""
}

// texts returns the strings under keys, without doubles.
func (o object) texts(keys ...string) []string {
	var out distinct
	for v := range o.all(keys...) {
		if s, ok := Text(v); ok {
			out.add(s)
		}
	}
	return out.list
}

// distinct collects strings in order, each once.
type distinct struct {
	list []string
	seen map[string]bool // once there are many
}

func (d *distinct) add(s string) {
	switch {
	case d.seen != nil:
		if d.seen[s] {
			return
		}
		d.seen[s] = true
	case slices.Contains(d.list, s):
		return
	case len(d.list) == 16:
		d.seen = make(map[string]bool, 64)
		for _, have := range d.list {
			d.seen[have] = true
		}
		d.seen[s] = true
	}
	d.list = append(d.list, s)
}

// arguments returns the input as an object, also when the host sends it as a
// string that holds JSON.
func (t *Tool) arguments() object {
	if t == nil {
		return object{}
	}
	return objectOf(inner(t.Input))
}

// inner returns raw, or the JSON inside it if it is a string that holds an
// object.
func inner(raw []byte) []byte {
	if s, ok := Text(raw); ok {
		if v, err := FirstValue([]byte(s)); err == nil && v[0] == '{' {
			return v
		}
	}
	return raw
}

// Fields returns the top level of the input, nil if it is not a valid object.
// Values are as received and share the input's memory.
func (t *Tool) Fields() map[string]json.RawMessage {
	if t == nil {
		return nil
	}
	v, err := FirstValue(inner(t.Input))
	if err != nil || v[0] != '{' {
		return nil
	}
	m := make(map[string]json.RawMessage, 8)
	for k, v := range Members(v) {
		m[string(k)] = v
	}
	return m
}

// Strings returns every string value in the input, at any depth, in order: what
// there is to judge of a call without a readable command.
func (t *Tool) Strings() []string {
	if t == nil {
		return nil
	}
	b := inner(t.Input)
	var out []string
	for i := 0; i < len(b); i++ {
		if b[i] != '"' {
			continue
		}
		end, whole := stringEnd(b, i)
		if !whole {
			break
		}
		if j := skipSpace(b, end); j == len(b) || b[j] != ':' { // else it is a key
			s, _ := Text(b[i:end])
			out = append(out, s)
		}
		i = end - 1
	}
	return out
}

var (
	commandKeys = [...]string{"command", "cmd", "commandline", "script"}
	// typedKeys hold what is typed into a running shell.
	typedKeys = [...]string{"chars", "input", "text"}
)

// Command returns the command line of a call, and whether there is a readable
// one. An argv array is joined as words that a shell would read back as the same
// argv, except [sh -c SCRIPT] shapes, which a reader of argv must see as such:
// the quoting keeps them apart. A call that gives several, and what is typed
// into a shell, is read line by line: the host runs one of them.
func (t *Tool) Command() (string, bool) {
	o := t.arguments()
	var lines []string
	read := func(keys []string) {
		for _, k := range keys {
			last := ""
			for v := range o.all(k) {
				if s, ok := commandOf(v); ok {
					last = s
				}
			}
			if last != "" && !slices.Contains(lines, last) {
				lines = append(lines, last)
			}
		}
	}
	read(commandKeys[:])
	if t != nil && t.Kind == Shell {
		read(typedKeys[:])
		if o.empty() {
			return commandOf(t.Input)
		}
	}
	return strings.Join(lines, "\n"), len(lines) > 0
}

func commandOf(raw []byte) (string, bool) {
	if s, ok := Text(raw); ok {
		return s, s != ""
	}
	var argv []string
	for v := range Elements(raw) {
		s, ok := Text(v)
		if !ok {
			return "", false
		}
		argv = append(argv, s)
	}
	if len(argv) == 1 {
		return argv[0], argv[0] != "" // more likely a line than a program with blanks in its name
	}
	return quoteArgv(argv), len(argv) > 0
}

// PowerShell reports whether a shell call is read by PowerShell.
func (t *Tool) PowerShell() bool {
	return t != nil && (strings.EqualFold(t.Name, "powershell") || strings.EqualFold(t.Name, "pwsh"))
}

// WorkDir returns the directory a shell call names for itself, "" if none.
func (t *Tool) WorkDir() string {
	return plainPath(t.arguments().text("cwd", "workdir", "dirpath", "workingdirectory", "directory"))
}

// SkillName returns the skill that a Skill call names, "" if none.
func (t *Tool) SkillName() string {
	return t.named(Skill, "skill", "skillname", "name", "command")
}

// AgentType returns the kind of subagent that a Spawn call names, "" if none.
func (t *Tool) AgentType() string {
	return t.named(Spawn, "subagenttype", "agenttype", "agentname", "typename", "name")
}

func (t *Tool) named(kind ToolKind, keys ...string) string {
	if t == nil || t.Kind != kind {
		return ""
	}
	return t.arguments().text(keys...)
}

func quoteArgv(argv []string) string {
	var b strings.Builder
	for i, a := range argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		if plainWord(a) {
			b.WriteString(a)
			continue
		}
		b.WriteByte('\'')
		b.WriteString(strings.ReplaceAll(a, "'", `'\''`))
		b.WriteByte('\'')
	}
	return b.String()
}

// plainWord reports whether every shell reads s as itself.
func plainWord(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case strings.IndexByte("-_./:=,+@%", c) >= 0:
		default:
			return false
		}
	}
	return s != ""
}

// Keys are normal. fileKeys name the one file that a call is about, dirKeys a
// folder that it looks at, pairKeys the two that it moves or compares.
var (
	fileKeys = [...]string{
		"filepath", "path", "notebookpath", "absolutepath", "targetfile", "file", "filename", "relativepath", "pathinproject",
		"targetpath", "outputpath", "destpath", "fullpath", "abspath", "target", "fileuri", uriKey,
	}
	dirKeys  = [...]string{"directorypath", "searchpath", "searchdirectory", "dirpath", "directory"}
	fromKeys = [...]string{"source", "src", "oldpath", "sourcepath", "from"}
	toKeys   = [...]string{"destination", "dest", "newpath", "destinationpath", "to"}
)

// uriKey is the one path key whose value is always an address.
const uriKey = "uri"

// pathListKeys name several paths, as strings or as objects that have one.
var pathListKeys = [...]string{"paths", "files", "filepaths", "include", "operations"}

// argumentKeys hold the real arguments of a generic MCP caller.
var argumentKeys = [...]string{"arguments", "args", "input", "params"}

// Paths returns every path that the input names under a known key, edits
// included, in a stable order, as written (not resolved).
func (t *Tool) Paths() []string {
	if t == nil {
		return nil
	}
	var out distinct
	add := func(s string) {
		if s != "" {
			out.add(s)
		}
	}
	t.pathsIn(inner(t.Input), 0, add)
	for _, e := range t.Edits() {
		add(e.Path)
		add(e.NewPath)
	}
	return out.list
}

func (t *Tool) pathsIn(raw []byte, depth int, add func(string)) {
	o := objectOf(raw)
	for _, keys := range [...][]string{fileKeys[:], dirKeys[:], fromKeys[:], toKeys[:]} {
		for _, k := range keys {
			for _, s := range o.texts(k) {
				add(fileURI(s))
				if k != uriKey {
					add(plainPath(s))
				}
			}
		}
	}
	for list := range o.all(pathListKeys[:]...) {
		for v := range Elements(list) {
			if s, ok := Text(v); ok {
				add(fileURI(s))
				add(plainPath(s))
			} else if depth == 0 {
				t.pathsIn(v, depth+1, add)
			}
		}
	}
	if depth == 0 && (t.Kind == MCP || t.Kind == Other) {
		for v := range o.all(argumentKeys[:]...) {
			if v = inner(v); len(v) > 0 && v[0] == '{' {
				t.pathsIn(v, depth+1, add)
			}
		}
	}
}

// plainPath drops what Windows puts before a long path.
func plainPath(s string) string {
	if rest, ok := strings.CutPrefix(s, `\\?\UNC\`); ok {
		return `\\` + rest
	}
	if rest, ok := strings.CutPrefix(s, `\\?\`); ok && len(rest) > 1 && rest[1] == ':' {
		return rest
	}
	return s
}

// LocalPath returns the path that s names: that in a file: address, and without
// what Windows puts before a long path.
func LocalPath(s string) string {
	if p := fileURI(s); p != "" {
		return p
	}
	return plainPath(s)
}

// fileURI returns the path in a file: address, "" if s is none. A host that
// knows no addresses reads the same text as a relative path, so whoever asks
// about a path asks about both.
func fileURI(s string) string {
	rest, ok := cutFold(s, "file:")
	if !ok {
		return ""
	}
	s = unescapeURI(rest)
	if host, ok := strings.CutPrefix(s, "//"); ok {
		if slash := strings.IndexByte(host, '/'); slash == 0 || slash > 0 && strings.EqualFold(host[:slash], "localhost") {
			s = host[slash:]
		}
	}
	if len(s) > 2 && s[0] == '/' && s[2] == ':' { // /C:/x
		s = s[1:]
	}
	return s
}

func cutFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

func unescapeURI(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if h, l := hexDigit(s[i+1]), hexDigit(s[i+2]); h >= 0 && l >= 0 {
				b = append(b, byte(h<<4|l))
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}
