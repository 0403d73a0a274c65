package hook

import "io/fs"

// Adapter translates one host. Decode and Encode are total and pure: they
// return for every input and touch neither files nor the environment.
type Adapter interface {
	// Name is the host's name on our command line.
	Name() string
	// Decode reads one payload. eventHint is the event named on the command
	// line, "" if none; a name inside the payload wins. On error the returned
	// Event still carries Host and whatever could be read.
	Decode(eventHint string, payload []byte) (Event, error)
	// Encode returns a legal answer of this host for any verdict on any event.
	// What the event cannot carry is left out, never sent in another field.
	Encode(Event, Verdict) Output
	// Capabilities says what the host can do.
	Capabilities() Capabilities
}

// Output is what a hook process prints. Its exit code is always 0: hosts read
// other codes differently, and a Go panic's 2 would block.
type Output struct {
	Stdout []byte // one JSON object with a newline, or nothing
}

// OutcomeSource says where a host tells how a shell command ended.
type OutcomeSource int

// Where an outcome comes from.
const (
	OutcomeNone       OutcomeSource = iota
	OutcomeEvent                    // the kind of event says it
	OutcomeText                     // a line in the result's text says it
	OutcomeTranscript               // only the transcript says it
)

// Capabilities is what a host can carry. The engine and doctor read it; gates
// never do.
type Capabilities struct {
	Ask           bool // a hook can make the host ask its user
	Rewrite       bool // a hook can replace a tool's input
	ReplaceResult bool // a hook can replace a tool's result
	FailureEvent  bool // a failed tool call has an event of its own
	Subagents     bool // subagent calls are marked, and their end is an event
	ToolUseID     bool // tool events carry an id of the call
	ClosedOutput  bool // unknown output keys are errors
	ForeignDir    bool // a hook runs in a folder of the host's, not in the session's: it says nothing of the project
	WholeTurn     bool // Stop's message is all that the agent said in the turn, not the last of it
	NoStart       bool // SessionStart is not to be counted on: the session's first prompt stands in for it

	Outcome OutcomeSource

	Events  []EventName       // events the host fires
	Stop    []EventName       // events on which Stop gates run, best first
	StopCap int               // blocks after which the host ends the turn itself; 0 = no cap
	Context map[EventName]int // bytes of context for the model an event can carry; absent = no channel
	Notice  map[EventName]int // bytes of text for the human an event can carry; absent = no channel
	Decides map[EventName]Decision
	// Decides holds the strongest decision an event can carry; absent = none.
}

// Wiring is one handler that init registers with a host.
type Wiring struct {
	Event   string // the host's own event name
	Matcher string // in the host's own syntax, "" = all
	Timeout int    // seconds
	Block   bool   // the host should block when our process cannot answer (Claude Code onFailure)

	// SettingsOnly marks an event that the oldest supported version of the host
	// does not know: harmless in its settings file, but a bundle that names it
	// would not load there.
	SettingsOnly bool
}

// Wirer is an adapter of a host that init can install into.
type Wirer interface {
	Wiring() []Wiring
}

// LiveFile is a configuration file that a host reads for a given directory and
// user: changing it can switch our hooks off.
type LiveFile struct {
	Path string
	// Switches are dotted JSON paths whose change disarms hooks; a trailing
	// "*" matches any suffix of the last key.
	Switches []string
	// Entries says that our handlers are kept in this file.
	Entries bool
	// Dir marks a folder (a bundle) that is protected whole.
	Dir bool
	// Loads says why the host would drop the file's whole content, "" if it
	// would not. nil = it is not that strict, or the file's form is unknown.
	Loads func(content []byte) string
}

// Paths is what an adapter needs to know of the machine to name its files.
type Paths struct {
	Home       string
	Dir        string // directory the host was started in
	Root       string // project root
	ConfigHome string // the host's own override of its configuration folder (e.g. CLAUDE_CONFIG_DIR), "" = default
}

// Guarded is an adapter that can name its live configuration files.
type Guarded interface {
	LiveFiles(Paths) []LiveFile
	// ConfigVar is the environment variable that moves the host's configuration
	// folder (Paths.ConfigHome), "" if there is none.
	ConfigVar() string
}

// OutcomeReader is an adapter whose host tells a command's outcome only in the
// transcript. tail holds at most the last 256 KiB of it.
type OutcomeReader interface {
	ReadOutcome(e Event, tail []byte) *Result
}

// Finisher is an adapter whose host tells by a prompt of its own that calls have
// ended in the background.
type Finisher interface {
	// Finished returns those calls, each as its end would have been told had it run
	// in the foreground. tail is the end of the transcript, which says what was run;
	// output returns what a file of the host's holds.
	Finished(e Event, tail []byte, output func(path string) []byte) []Event
}

// Headless is an adapter whose host can be given one prompt without a terminal.
type Headless interface {
	HeadlessCommand(prompt string) []string
}

// ReadFS is read-only access to files by absolute path.
type ReadFS interface {
	Lstat(name string) (fs.FileInfo, error)
	// ReadFile fails on files larger than max bytes.
	ReadFile(name string, max int64) ([]byte, error)
}

// Approver is an adapter of a host that remembers, by a command's text, what
// its user approved or refused. A rewritten command must not slip past such a
// verdict, nor borrow one.
type Approver interface {
	// MayRewrite reports whether original may run as rewritten, and if not, why.
	// Whatever is unknown is a no.
	MayRewrite(e *Event, files ReadFS, p Paths, original, rewritten string) (ok bool, why string)
}

// Asker is an adapter whose host offers its agent a tool to ask its user. A host
// without it has none.
type Asker interface {
	// Asks reports whether the tool is offered in the host process that started
	// us, as far as its environment tells.
	Asks(getenv func(string) string) bool
}
