// Package pack is the shape of a handoff pack: data that says what opens an
// obligation, what meets it, and what is said about it. Nothing in a pack is
// ever run.
//
// It imports the standard library only, so that the reader of configuration and
// the gates can share it.
package pack

// Pack is one pack. Its rows are known by their ids.
type Pack struct {
	Name string
	Doc  string

	SkipPrefix string   // before the name of each skip marker
	Sentinel   string   // what the renderer leaves in a posted report
	Products   []string // further names by which a report names the product
	ReplyMark  string   // what our own review replies hold
	Skills     []string // folders that hold skills: from ~/, or below the project
	Announce   string   // tool by whose call a skill announces itself

	Slots     string // folder of watch slots
	SlotOwner string // member of prs.json that holds the session's id
	SlotGC    bool   // finished slots may be removed

	// Tools are names of tools by a key that rows use. Detectors use the keys
	// execute (SeesFailedRun) and events (SeesClassified, SeesDiagnosed).
	Tools []Pair

	Reconcile string // what to do about open watch slots of this session, at its start

	Recorders     []Recorder
	Advice        []Advice
	Prerequisites []Prerequisite
	Obligations   []Obligation
	Scenarios     []Scenario
}

// Pair is a key with its values.
type Pair struct {
	Key    string
	Values []string
}

// Trigger is something that happens, and what it changes. Exactly one of Sees,
// Command, Edited, Tool, Tests and PR says what.
type Trigger struct {
	Sees    string   // a detector without parameters: see the constants below
	Command []string // leading words of a command; * stands for one word
	Edited  []string // patterns of files that were written
	Tool    []string // keys of Pack.Tools, or names of tools by their last "__" segment
	Tests   []string // grades of a test run
	PR      []string // what became of a pull request

	Args   []Pair // of Tool: members of the input and the values they may have
	Names  string // set whose members count when the input names them
	While  string // set that must not be empty
	After  string // fact that must be there
	Unless string // set whose members do not count
	Silent bool   // of Advice: changes the state and says nothing

	// What it changes. The detector's keys (a pull request, a run, a case, a
	// file) go into sets; where it has none, "yes" does.
	Note      string   // fact that is set to the first key
	Add       string   // set that gets the keys
	Remove    string   // set that loses the keys
	Move      string   // set whose members all go to To
	To        string   // see Move
	Opens     []string // obligations
	Meets     []string
	Withdraws []string // owed no more; what they have blocked still counts
}

// Detectors without parameters, for Trigger.Sees.
const (
	SeesAsked      = "asked"       // the agent asked its user; no key
	SeesSkill      = "skill"       // a skill was invoked or announced itself; its name
	SeesStages     = "stages"      // the same, of a skill that declares stages; their keys
	SeesStageRead  = "stage-read"  // a file of a skill was read; its key
	SeesWalked     = "walkthrough" // a text with the sentinel was posted; the pull request
	SeesReport     = "report"      // a command is about to post an unrendered report; no key
	SeesFailedRun  = "failed-run"  // a result names a run that did not pass; its id
	SeesClassified = "classified"  // a classification was emitted; the cases
	SeesDiagnosed  = "diagnosed"   // a failure was classified or resolved; the runs it names
	SeesThreads    = "threads"     // review threads that wait were fetched; the comments
	SeesReplies    = "replies"     // review replies were confirmed; the comments
	SeesBuild      = "build"       // a prompt asks to build something; no key
	SeesAcceptance = "acceptance"  // a command ran acceptance tests, and they did not visibly fail; no key
)

// Sees lists the detectors without parameters.
func Sees() []string {
	return []string{
		SeesAsked, SeesSkill, SeesStages, SeesStageRead, SeesWalked, SeesReport, SeesFailedRun, SeesClassified,
		SeesDiagnosed, SeesThreads, SeesReplies, SeesBuild, SeesAcceptance,
	}
}

// PRKinds lists what may become of a pull request, for Trigger.PR.
func PRKinds() []string {
	return []string{"opened", "ready", "reopened", "armed", "merged", "closed", "unknown"}
}

// Grades lists the grades of a test run, for Trigger.Tests.
func Grades() []string {
	return []string{"unknown", "empty", "error", "failed", "weak", "passed-uncounted", "passed"}
}

// Recorder writes session state and says nothing.
type Recorder struct {
	ID, Doc string
	On      []Trigger
}

// Advice is a text for the model that it may ignore.
type Advice struct {
	ID, Doc     string
	Preferences []string // all must be on for a text; the state is changed all the same
	Once        bool     // told once a session
	On          []Trigger
	Text        string
	Unknown     string // text instead when it is not known whether it happened
	Cleanup     string // sentence added while the preference autoCleanup is on
	KeepUp      string // and this one while it is off
}

// Prerequisite refuses a call until something has happened.
type Prerequisite struct {
	ID, Doc string
	Before  []Trigger
	Skill   string    // only while this skill is in play
	Known   string    // the cases that the call names must be in this set; a call without any passes
	Until   []Trigger // what unlocks it
	Again   []Trigger // what locks it again
	Skip    string    // name of its skip marker
	Text    string
}

// Obligation is something that a turn may not end without.
type Obligation struct {
	ID, Doc     string
	Preferences []string // all must be on
	Skip        string   // name of its skip marker
	SkipEach    bool     // the marker names what it is for: a member of Each
	SkipMute    bool     // the marker counts only where the host offers no tool to ask its user
	Opens       []Trigger
	Meets       []Trigger
	Each        string   // set whose members are owed one by one
	Except      []string // sets whose members are not
	Check       string   // looks at the world before it insists: see the constants below
	Short       string   // one line
	Full        string   // what is added the first time
}

// Checks, for Obligation.Check.
const (
	CheckSlots       = "slots"       // members of Each that a watch slot on disk tracks are not owed
	CheckWalkthrough = "walkthrough" // owed by pull requests in play that the provider shows without one
	CheckReplies     = "replies"     // owed by the ledger of review threads
	CheckClaim       = "claim"       // owed, once, by what the closing message claims
)

// Checks lists them.
func Checks() []string { return []string{CheckSlots, CheckWalkthrough, CheckReplies, CheckClaim} }

// Scenario is what happens in one session, with the verdicts that are expected.
type Scenario struct {
	Name  string
	Off   []string // preferences that are off
	Files []Pair   // files below the project, or from ~/, with their content
	Steps []Step
}

// Step is one event. Exactly one of Shell, Call, Edit, Read, Skill, Ask, Prompt,
// Stop and Start says which.
type Step struct {
	Shell  string // a command line
	Call   string // an MCP tool
	Edit   string // a file that is written
	Read   string // a file that is read
	Skill  string // a skill that is invoked
	Ask    string // a question to the user
	Prompt string // what the user types
	Stop   string // the closing message
	Start  string // how the session starts

	Input  []Pair // of Call
	Result string // what the call gave
	Before bool   // the call is about to run
	Fails  bool   // the call failed, as its host says it
	Agent  string // the subagent it happens in
	GH     string // what gh answers from here on

	Expect string   // see the constants below; "" = pass
	Says   []string // what the text must hold
	Quiet  []string // what it must not hold
}

// What a step may expect.
const (
	ExpectPass    = "pass"
	ExpectAdvise  = "advise"
	ExpectDeny    = "deny"
	ExpectBlock   = "block"
	ExpectRelease = "release" // passes, with a notice for the human
)

// Expectations lists them.
func Expectations() []string {
	return []string{ExpectPass, ExpectAdvise, ExpectDeny, ExpectBlock, ExpectRelease}
}
