// Package shellcmd reads a command line into the commands that it would run,
// so that a rule can judge what happens and not how it was spelled.
//
// It expands what can be known without running anything (quotes, braces,
// tildes, assignments and functions of the same line), looks through wrappers
// such as sudo and sh -c, follows pipes and heredocs to whoever receives them,
// and follows cd from command to command. It reads no files, no environment of
// its own and runs nothing.
//
// It is the only importer of mvdan.cc/sh/v3, and there only of syntax and
// pattern. It must not import any other package of this module.
package shellcmd

import "slices"

// Options say in which circumstances a line would run.
type Options struct {
	Cwd        string // absolute; "" = unknown
	Home       string // absolute; "" = unknown
	PowerShell bool   // the line is read by PowerShell, not by a POSIX shell

	// Getenv resolves a variable that the line itself does not set. nil
	// resolves none; HOME and PWD come from Home and Cwd either way.
	Getenv func(name string) (string, bool)
}

// Line is a parsed command line.
type Line struct {
	Source string

	// Commands holds every simple command that would run, in source order, a
	// command before those nested in its arguments. Indexes elsewhere in this
	// package (Parent, Subst, From, To, Sources) are indexes into it. It has at
	// most MaxCommands elements.
	Commands []Command

	// Opaque are the parts of Source that could not be read. Their text was
	// still read loosely, into commands with Loose set.
	Opaque []Span

	// Truncated says that a limit was met (length, nesting, number of commands,
	// size of expansions), so that Commands may lack some.
	Truncated bool
}

// Span is a part of Line.Source, in bytes.
type Span struct {
	Pos, End int
	Why      string
}

// Limits of one line. What lies beyond is cut and Line.Truncated is set.
const (
	MaxSource   = 1 << 20 // bytes read of a line
	MaxNesting  = 200     // blocks and substitutions inside each other
	MaxCodeDeep = 12      // code inside code: sh -c in eval in a heredoc …
	MaxCommands = 4096
	MaxWords    = 4096    // words of one command after expansion
	MaxExpand   = 4 << 20 // bytes of all expanded texts together
)

// Unknown stands in Word.Text for each part whose value is not known before
// the command runs. No argument of a real command can hold it.
const Unknown = "\x00"

// Command is one simple command that would run, seen without its wrappers.
type Command struct {
	// Argv are the words after expansion and after wrappers such as sudo or
	// env were taken off; Argv[0] names the program. It is empty for a bare
	// assignment or redirect (X=1, >file).
	Argv []Word

	// Program is the plain name of what runs, in lower case: no directory, no
	// .exe, backslash or quotes; busybox and toybox give the applet, git-reset gives git (and
	// Argv is then git reset …). A PowerShell command has its full cmdlet name
	// in lower case (remove-item for ri, rm, del, rd). "" when Dynamic or when
	// there is no Argv.
	Program string

	Dynamic bool // the program's name is known only at run time

	Assigns   []Assign   // VAR=x before the command, and those of an env wrapper
	Env       []Assign   // all that the line put into its environment: exports before it, then Assigns
	Redirects []Redirect // its own, then those of the blocks around it
	Wrappers  []Wrapper  // taken off, outermost first

	// Dir is the absolute, cleaned directory it runs in, following cd, pushd,
	// subshells and env -C; "" = unknown. Flags of the program itself (git -C,
	// make -C) are not applied. DirElse are further possible directories where
	// branches before it differ.
	Dir     string
	DirElse []string

	Stdin  Stream
	Stdout Stream

	Pipeline int // commands joined by | share one number; each pipeline has its own
	Stage    int // position in the pipeline, from 0

	// Parent is the index of the command that this one was found inside of, -1
	// at top level; Via says how. A substitution in the head of a loop or case
	// has no parent but ViaSubst.
	Parent int
	Via    Via

	Flags Flags

	Code    []Code   // program text that it runs, in the order of its arguments
	Effects []Effect // what that code visibly does, if it is not shell

	// Pos and End delimit it in Line.Source. A command found inside decoded
	// text has the span of the word or heredoc that carried the text.
	Pos, End int
}

// Flags are facts about the circumstances of a command.
type Flags uint32

// What a command may be.
const (
	Conditional Flags = 1 << iota // after && or ||, in an if, case, loop or trap: may not run
	Looped                        // in a loop, or run once for each item by xargs, find -exec, parallel
	Background                    // & or coproc, itself or a block around it
	Negated                       // ! in front, but for if ! x; then exit 1; fi
	Masked                        // its exit status does not decide that of the line
	Subshell                      // in ( ), a substitution or a stage of a pipe
	Uncalled                      // in the body of a function that this line defines and does not call
	Recursive                     // calls the function in whose body it stands
	Remote                        // runs in another machine or container: Dir and home there are unknown
	Loose                         // found by the loose reader in text that is not valid shell
	PowerShell                    // read by the PowerShell reader
	Batch                         // read as a cmd.exe command
	StdinArgs                     // further arguments come from the standard input of a wrapper (xargs)
	Fatal                         // when it fails the line ends there, with a status that is not 0: x || exit 1, set -e
)

// Has reports whether all bits of f are set in c.
func (c *Command) Has(f Flags) bool { return c.Flags&f == f }

// Via says how a command hangs on its parent.
type Via uint8

// How commands hang together.
const (
	ViaNone     Via = iota // top level
	ViaSubst               // $( ) or ` ` in a word, redirect, assignment or heredoc of the parent
	ViaProc                // <( ) or >( )
	ViaCode                // shell text that the parent runs: -c, eval, heredoc, pipe, trap, ssh, find -exec sh -c …
	ViaExec                // argv that the parent runs: xargs, find -exec, docker exec, npx, uv run …
	ViaInterp              // shell text or argv inside the parent's Code of another language
	ViaFunction            // body of the function that the parent calls
	ViaAlias               // text of the alias that the parent names
)

// Word is one argument after expansion.
type Word struct {
	Raw string // as written, before any expansion

	// Text is the expanded value; parts known only at run time are Unknown. An
	// unquoted tilde, brace, known variable or static substitution is expanded,
	// a glob is not.
	Text string

	// Or are further values that the word may have instead of Text: items of a
	// for loop, both sides of ${X:-y}, branches that assign differently.
	Or []string

	Static bool // no part is unknown: the value is Text or one of Or
	Glob   bool // holds an unquoted * ? or [ ], or an extended glob
	Quoted bool // some part is quoted
	Splits bool // an unquoted unknown part: may become no word or several
	Blank  bool // an unknown part may be empty, as $X but not ${X:?} or $((1+1)) or $$

	// Vars are the variables whose value is unknown, in order: HOME when the
	// home is unknown, 1 or @ for arguments, ~bob for another user's home.
	Vars []string

	// Subst are the commands whose output is part of it, also when that output
	// is known: $(…), <(…), the producer before xargs, the find of {}.
	Subst []int

	Pos, End int // as in Command
}

// Assign is one NAME=value.
type Assign struct {
	Name   string
	Value  Word
	Append bool // +=
}

// Wrapper is a program in front of the command that was taken off.
type Wrapper struct {
	Name string // plain name: sudo, env, timeout …
	Argv []Word // its own words, name first
}

// Redirect is one redirection.
type Redirect struct {
	Op     string // > >> >| <> < <& >& &> &>> << <<- <<<
	Fd     int    // number in front, or the operator's default (0 for <, 1 for >)
	Target Word   // file, descriptor, or here-string
	Outer  bool   // stands on a block or loop around the command

	// Body is a heredoc's text; substitutions in it are expanded unless Quoted.
	Body   Word
	Quoted bool // the delimiter was quoted: the body is plain text
}

// Writes reports whether the redirect opens a file for writing.
func (r *Redirect) Writes() bool {
	switch r.Op {
	case ">", ">>", ">|", "<>", "&>", "&>>", "&>|", ">>|", "&>>|":
		return true
	case ">&":
		return !isFdWord(r.Target.Text)
	}
	return false
}

// Reads reports whether the redirect opens a file for reading.
func (r *Redirect) Reads() bool { return r.Op == "<" || r.Op == "<>" }

// isFdWord reports whether s is a descriptor as in 2>&1 or >&-.
func isFdWord(s string) bool {
	for i := range len(s) {
		if (s[i] < '0' || s[i] > '9') && s[i] != '-' {
			return false
		}
	}
	return s != ""
}

// Stream is where a command's input comes from or its output goes to. File
// redirects of other descriptors are in Redirects only.
type Stream struct {
	Kind StreamKind

	// Peers are the commands at the other end of a pipe or substitution.
	Peers []int

	// Known says that the whole text is known, Text is it: heredocs,
	// here-strings, and pipes from echo, printf, cat of such text, base64 -d ….
	// For an output: what the command prints, where that is plain to see.
	Known bool
	Text  string

	File Word // of Kind File
}

// StreamKind says what a Stream is joined to.
type StreamKind uint8

// What a stream may be joined to.
const (
	Inherit StreamKind = iota // from or to whatever the line itself has
	Pipe                      // | or |&
	File                      // < or >
	Here                      // heredoc or here-string (input only)
	Capture                   // $( ), ` `, <( ), >( ): the parent takes or gives it
	Closed                    // /dev/null or closed
)

// Code is program text that a command runs.
type Code struct {
	Lang Lang
	From CodeFrom

	// Text is the program. Known says that it is complete; otherwise it holds
	// Unknown for missing parts, or nothing.
	Text  string
	Known bool

	File    Word  // of FromFile: the script
	Sources []int // commands whose output is the program, or part of it
}

// CodeFrom says how a command gets its program.
type CodeFrom uint8

// Where a program may come from.
const (
	FromNone  CodeFrom = iota
	FromArg            // -c, -e, -Command, eval's arguments …
	FromStdin          // heredoc, here-string, pipe or redirect
	FromFile           // a script named as argument, or by source
)

// Lang is the language of a Code.
type Lang uint8

// Languages.
const (
	LangNone Lang = iota
	LangShell
	LangPowerShell
	LangBatch
	LangPython
	LangNode
	LangPerl
	LangRuby
	LangPHP
	LangAwk
	LangLua
	LangAppleScript
	LangSQL
	LangOther // an interpreter whose language is not read
)

// Effect is one thing that code of another language visibly does. Code is
// read by its calls: a string that is only printed or stored has no effect.
type Effect struct {
	Kind EffectKind

	// Path is the file, folder or URL; not Static when it is computed.
	Path Word

	To       Word  // of Move, Copy and Link: the target
	Commands []int // of RunShell: the commands read from its text
}

// EffectKind says what an Effect does.
type EffectKind uint8

// What code may do.
const (
	NoEffect   EffectKind = iota
	DeleteTree            // recursive delete
	DeleteFile            // one file, or one empty folder
	WriteFile             // create, truncate, append, chmod
	ReadFile
	MoveFile
	CopyFile
	RunShell // runs a shell text or an argv; what could be read of it is in Commands
	Network  // opens a connection or sends a request
	ReadEnv  // takes the whole environment
	LinkFile // makes To a link to Path
)

// Args are the arguments after the program's name.
func (c *Command) Args() []Word {
	if len(c.Argv) == 0 {
		return nil
	}
	return c.Argv[1:]
}

// Wrapper returns the wrapper of that plain name, or nil.
func (c *Command) Wrapper(name string) *Wrapper {
	for i := range c.Wrappers {
		if c.Wrappers[i].Name == name {
			return &c.Wrappers[i]
		}
	}
	return nil
}

// Getenv returns what the line itself puts into the command's environment
// under that name.
func (c *Command) Getenv(name string) (Word, bool) {
	for _, v := range slices.Backward(c.Env) {
		if v.Name == name {
			return v.Value, true
		}
	}
	return Word{}, false
}

// Parse reads src. It never fails and never panics: what it cannot read as
// shell is read loosely and listed in Opaque. The result is read-only.
func Parse(src string, o Options) *Line {
	return parse(src, o)
}

// Upstream returns the commands whose output can reach command i: through its
// standard input, through substitutions in its words, and through the code it
// runs; each once, nearest first, not i itself.
func (l *Line) Upstream(i int) []int {
	return l.upstream(i)
}

// Values returns Text and Or: every value that the word may have as far as is
// known.
func (w *Word) Values() []string {
	if len(w.Or) == 0 {
		return []string{w.Text}
	}
	return append([]string{w.Text}, w.Or...)
}
