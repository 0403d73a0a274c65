// Package pr reads what became of pull and merge requests from command lines
// and what they printed: opened, ready, merged, closed, reopened, armed or
// unknown. GitHub's gh and GitLab's glab are known.
//
// It imports core/shellcmd and the standard library only.
package pr

import "github.com/ec261362/guardrails/core/shellcmd"

// Ref names a pull request as far as a text tells. Number is 0 when it does
// not; the other parts are empty then.
type Ref struct {
	Host   string // github.com, a GitHub Enterprise or GitLab host; lower case
	Owner  string // on GitLab all groups: group/subgroup
	Repo   string
	Number int
	GitLab bool
}

// ParseURL reads the web address of a pull or merge request, also one that goes
// on (/files, #issuecomment-1, ?x=y).
func ParseURL(s string) (Ref, bool) { return Ref{}, false }

// URLs returns the pull requests whose addresses are in a text, in order, each
// once.
func URLs(text string) []Ref { return nil }

// URL returns the web address, "" unless r names host, owner, repo and number.
func (r Ref) URL() string { return "" }

// String is what a person calls it: owner/repo#7, or #7.
func (r Ref) String() string { return "" }

// Same reports whether r and o may be one pull request: same number, and no
// part that both name differs. Letter case does not count.
func (r Ref) Same(o Ref) bool { return false }

// Kind is what happened to a pull request. The zero value is nothing.
type Kind int

// What may have happened.
const (
	Nothing  Kind = iota
	Opened        // created
	Ready         // a draft marked as ready
	Reopened      // terminal no more
	Armed         // will be merged by the provider, in its time
	Merged        // terminal
	Closed        // terminal
	Unknown       // a merge or close failed in a way that may have come after its effect
)

func (k Kind) String() string { return "" }

// Terminal reports whether k ends a pull request's life.
func (k Kind) Terminal() bool { return k == Merged || k == Closed }

// Event is one thing that happened to one pull request.
type Event struct {
	Kind Kind
	Ref  Ref  // as far as known: a command without a number leaves it zero
	Said bool // a line of the output says so; false = only the exit code does
}

// Call is a finished shell or Monitor call.
type Call struct {
	Line      *shellcmd.Line
	Text      string // all that it printed
	Failed    bool   // it visibly failed
	Succeeded bool   // the host says that it ended well
}

// Mentions reports whether a command line or its output may tell something of
// a pull request: a cheap test that errs to yes.
func Mentions(command, text string) bool { return false }

// Events returns what a call shows of pull requests. Reopened comes before
// terminal events of the same call, and takes those of its pull request away.
// State as data ("state":"MERGED") is never an event.
func Events(c Call) []Event { return nil }

// Target is the pull request that a command names.
type Target struct {
	Ref    Ref    // Number 0 = none named by number or address; Owner and Repo also from -R
	Branch string // named by branch; "" with Number 0 = that of the current branch
}

// TargetOf returns what gh pr VERB or glab mr VERB names, and its verb; ok is
// false if c is neither.
func TargetOf(c *shellcmd.Command) (verb string, t Target, ok bool) { return "", Target{}, false }
