// Package pr reads what became of pull and merge requests from command lines
// and what they printed: opened, ready, merged, closed, reopened, armed or
// unknown. GitHub's gh and GitLab's glab are known.
//
// It imports core/shellcmd and the standard library only.
package pr

import (
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/shellcmd"
)

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
	Unknown       // a merge or close that may or may not have had its effect
)

var kindNames = [...]string{"nothing", "opened", "ready", "reopened", "armed", "merged", "closed", "unknown"}

func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return "nothing"
	}
	return kindNames[k]
}

// Event is one thing that happened to one pull request.
type Event struct {
	Kind   Kind
	Ref    Ref    // as far as known: a command without a number leaves it zero
	Branch string // what the command named instead of a number
	Said   bool   // a line of the output says so; false = only the exit code does
}

// Call is a finished shell or Monitor call.
type Call struct {
	Line      *shellcmd.Line // nil = a text that no command of the call printed: only a watch's exit lines count
	Text      string         // all that it printed
	Failed    bool           // it visibly failed
	Succeeded bool           // the host says that it ended well

	// Opens reports whether a command is a script that opens pull requests; nil =
	// none is. What it opened is an address on a line of its own.
	Opens func(*shellcmd.Command) bool
}

// Mentions reports whether a command line or its output may tell something of
// a pull request: a cheap test that errs to yes.
func Mentions(command, text string) bool {
	return strings.Contains(command, "gh") && (strings.Contains(command, "pr") || strings.Contains(command, "pulls/")) ||
		strings.Contains(command, "glab") || strings.Contains(command, "mr ") ||
		strings.Contains(text, "TERMINAL pr=") || strings.Contains(text, "pull request ") || strings.Contains(text, "erge request ") ||
		strings.Contains(text, "/pull/") || strings.Contains(text, "/merge_requests/")
}

// Events returns what a call shows of pull requests. Of one pull request that
// was closed and reopened in the same call, only Reopened is left, in whatever
// order; a merge is final unless a reopening follows it. State as data
// ("state":"MERGED") is never an event.
func Events(c Call) []Event {
	if c.Line == nil {
		return Monitored(c.Text)
	}
	var out []Event
	said := linesOf(c)
	for i := range c.Line.Commands {
		out = append(out, commandEvents(c, i, &said)...)
	}
	out = append(out, said...)
	return settle(out)
}

// Monitored returns the terminal events that a watch's own exit lines tell:
// TERMINAL pr=7: MERGED, with or without an address behind it.
func Monitored(text string) []Event {
	var out []Event
	for line := range strings.Lines(text) {
		if ev, ok := terminalLine(plain(line)); ok {
			out = append(out, ev)
		}
	}
	return settle(out)
}

// settle drops doubles and what a later event of the same pull request undoes.
func settle(events []Event) []Event {
	var out []Event
	for i, ev := range events {
		gone := false
		for j, o := range events {
			if i == j || !ev.Ref.Same(o.Ref) {
				continue
			}
			switch {
			case o.Kind == Reopened && ev.Kind == Closed,
				o.Kind == Reopened && ev.Kind == Merged && j > i,
				o.Kind == Merged && ev.Kind == Reopened && j > i,
				o.Kind == ev.Kind && j < i:
				gone = true
			}
		}
		if !gone {
			out = append(out, ev)
		}
	}
	slices.SortStableFunc(out, func(a, b Event) int { return order(a.Kind) - order(b.Kind) })
	return out
}

func order(k Kind) int {
	if k == Reopened {
		return 0
	}
	return 1
}

// commandEvents returns what command i did, taking lines that speak of it, but
// name no pull request, out of said.
func commandEvents(c Call, i int, said *[]Event) []Event {
	cmd := &c.Line.Commands[i]
	if cmd.Has(shellcmd.Uncalled) || cmd.Has(shellcmd.Loose) {
		return nil
	}
	if ev, ok := apiEvent(c, cmd); ok {
		return []Event{ev}
	}
	verb, target, ok := TargetOf(cmd)
	if !ok && !c.Failed && c.Opens != nil && !strings.Contains(c.Text, "already exists") {
		if refs := addressLines(c.Text); len(refs) > 0 && c.Opens(cmd) {
			return []Event{{Kind: Opened, Ref: refs[len(refs)-1], Said: true}}
		}
	}
	if !ok || asksHelp(cmd) {
		return nil
	}
	switch verb {
	case "create", "new", "for":
		return created(c, i)
	case "ready":
		if !has(cmd, "undo") {
			return ready(c, target)
		}
	case "update":
		if target.GitLab && has(cmd, "ready", "r") {
			return ready(c, target)
		}
	case "merge", "accept":
		if has(cmd, "disable-auto") {
			return nil
		}
		return ended(c, i, Merged, target, said)
	case "close":
		return ended(c, i, Closed, target, said)
	case "reopen":
		if named(*said, Reopened, target) {
			return nil
		}
		if quietly(c, i) {
			return []Event{{Kind: Reopened, Ref: target.Ref, Branch: target.Branch}}
		}
	}
	return nil
}

// ended says how a merge or close ended that no line names.
func ended(c Call, i int, kind Kind, t Target, said *[]Event) []Event {
	cmd := &c.Line.Commands[i]
	if named(*said, kind, t) || kind == Merged && named(*said, Armed, t) {
		for j := range *said { // a line may say less than its command
			if ev := &(*said)[j]; ev.Kind == kind || ev.Kind == Armed {
				ev.Ref = ev.Ref.with(t.Ref)
				if ev.Ref.Number == 0 {
					ev.Branch = t.Branch
				}
			}
		}
		return nil
	}
	if kind == Merged && has(cmd, "auto") && !c.Failed {
		return []Event{{Kind: Armed, Ref: t.Ref, Branch: t.Branch}}
	}
	if refused(c.Text) {
		return nil
	}
	if quietly(c, i) && !t.GitLab { // gh says nothing where it has no terminal; glab always speaks
		return []Event{{Kind: kind, Ref: t.Ref, Branch: t.Branch}}
	}
	return []Event{{Kind: Unknown, Ref: t.Ref, Branch: t.Branch}}
}

// quietly reports whether command i surely ran and ended well although no line
// says so.
func quietly(c Call, i int) bool {
	cmd := &c.Line.Commands[i]
	if c.Failed || !c.Succeeded || cmd.Has(shellcmd.Masked) || cmd.Has(shellcmd.Background) || cmd.Has(shellcmd.Negated) || cmd.Has(shellcmd.StdinArgs) {
		return false
	}
	if !cmd.Has(shellcmd.Conditional) {
		return true
	}
	// a && b: b ran if the whole ended well.
	if i == 0 || cmd.Has(shellcmd.Looped) {
		return false
	}
	prev := &c.Line.Commands[i-1]
	return prev.End <= cmd.Pos && cmd.Pos <= len(c.Line.Source) && strings.TrimSpace(c.Line.Source[prev.End:cmd.Pos]) == "&&"
}

func created(c Call, i int) []Event {
	cmd := &c.Line.Commands[i]
	if has(cmd, "dry-run", "web", "w", "preview") || strings.Contains(c.Text, "already exists") {
		return nil
	}
	n := 0 // how many are created
	for j := range c.Line.Commands {
		switch verb, _, ok := TargetOf(&c.Line.Commands[j]); {
		case !ok:
		case verb == "create", verb == "new", verb == "for":
			if n++; j < i {
				return nil // the first speaks for all
			}
		}
	}
	if c.Failed && (i == len(c.Line.Commands)-1 || refused(c.Text)) {
		return nil
	}
	refs := addressLines(c.Text)
	if len(refs) == 0 {
		refs = URLs(c.Text)
	}
	if len(refs) > n {
		refs = refs[len(refs)-n:]
	}
	out := make([]Event, len(refs))
	for j, ref := range refs {
		out[j] = Event{Kind: Opened, Ref: ref, Said: true}
	}
	return out
}

// addressLines returns the pull requests whose address is a line of its own, as
// gh and glab print a new one.
func addressLines(text string) []Ref {
	var out []Ref
	for line := range strings.Lines(text) {
		line = plain(line)
		if strings.ContainsAny(line, " \t") {
			continue
		}
		if ref, ok := ParseURL(line); ok && !slices.ContainsFunc(out, ref.Same) {
			out = append(out, ref)
		}
	}
	return out
}

func ready(c Call, t Target) []Event {
	if c.Failed {
		return nil
	}
	ref := t.Ref
	said := false
	for line := range strings.Lines(c.Text) {
		line = plain(line)
		if strings.Contains(line, "is already") {
			return nil
		}
		if rest, ok := cutFold(line, "Pull request "); ok && strings.Contains(rest, "ready for review") {
			if r, ok := readRef(rest, '#'); ok {
				ref, said = r.with(ref), true
			}
		}
	}
	for _, u := range URLs(c.Text) {
		if u.Same(ref) || ref.Number == 0 {
			ref = u.with(ref)
			break
		}
	}
	if !said && !c.Succeeded && strings.TrimSpace(c.Text) == "" {
		return nil
	}
	return []Event{{Kind: Ready, Ref: ref, Branch: t.Branch, Said: said}}
}

// apiEvent reads an opening, merge or close through gh api or glab api.
func apiEvent(c Call, cmd *shellcmd.Command) (Event, bool) {
	if cmd.Program != "gh" && cmd.Program != "glab" || c.Failed {
		return Event{}, false
	}
	args := cmd.Args()
	if len(args) < 2 || args[0].Text != "api" {
		return Event{}, false
	}
	method, state, query, sends := "", "", "", false
	for j := range args {
		text := args[j].Text
		for _, flag := range [...]string{"-f", "-F", "--field", "--raw-field", "--input"} {
			sends = sends || strings.HasPrefix(text, flag)
		}
		switch {
		case strings.HasPrefix(text, "query="):
			query = text
		case (text == "-X" || text == "--method") && j+1 < len(args):
			method = strings.ToUpper(args[j+1].Text)
		case strings.HasPrefix(text, "-X") && len(text) > 2:
			method = strings.ToUpper(text[2:])
		case strings.HasPrefix(text, "--method="):
			method = strings.ToUpper(text[len("--method="):])
		case strings.HasPrefix(text, "state=") || strings.HasPrefix(text, "state_event="):
			_, state, _ = strings.Cut(text, "=")
		}
	}
	if method == "" && sends {
		method = "POST"
	}
	for j := range args {
		if args[j].Text == "graphql" && query != "" {
			return graphEvent(c, query)
		}
		if ref, ok := apiList(args[j].Text); ok && method == "POST" {
			return opened(c, ref)
		}
		ref, rest, ok := apiPath(args[j].Text)
		if !ok {
			continue
		}
		switch {
		case rest == "merge" && method == "PUT" && (strings.Contains(c.Text, "successfully merged") || strings.Contains(c.Text, `"state":"merged"`) && ref.GitLab):
			return Event{Kind: Merged, Ref: ref, Said: true}, true
		case rest == "" && (method == "PATCH" || method == "PUT") && c.Succeeded && !cmd.Has(shellcmd.Masked):
			switch state {
			case "closed", "close":
				return Event{Kind: Closed, Ref: ref}, true
			case "open", "reopen":
				return Event{Kind: Reopened, Ref: ref}, true
			}
		}
	}
	return Event{}, false
}

// opened reads what an API answered to the opening of a pull request of a
// repository: an object with its address, or what a --jq made of it.
func opened(c Call, repo Ref) (Event, bool) {
	for _, ref := range URLs(c.Text) {
		if agree(ref.Owner, repo.Owner) && agree(ref.Repo, repo.Repo) {
			return Event{Kind: Opened, Ref: ref, Said: true}, true
		}
	}
	if n, ok := number(plain(c.Text)); ok {
		repo.Number = n
		return Event{Kind: Opened, Ref: repo, Said: true}, true
	}
	return Event{}, false
}

// graphEvent reads what a GraphQL mutation did, if its answer has the address.
func graphEvent(c Call, query string) (Event, bool) {
	refs := URLs(c.Text)
	if len(refs) == 0 || !strings.Contains(query, "mutation") {
		return Event{}, false
	}
	for _, m := range [...]struct {
		name string
		kind Kind
	}{
		{"createPullRequest(", Opened},
		{"mergePullRequest(", Merged},
		{"closePullRequest(", Closed},
		{"reopenPullRequest(", Reopened},
		{"markPullRequestReadyForReview(", Ready},
	} {
		if strings.Contains(strings.ReplaceAll(query, " ", ""), m.name) {
			return Event{Kind: m.kind, Ref: refs[0], Said: true}, true
		}
	}
	return Event{}, false
}

// apiList reads repos/o/r/pulls and projects/g%2Fr/merge_requests.
func apiList(s string) (ref Ref, ok bool) {
	s, _, _ = strings.Cut(strings.Trim(s, "/"), "?")
	switch part := strings.Split(s, "/"); {
	case len(part) == 4 && part[0] == "repos" && part[3] == "pulls", len(part) == 3 && part[0] == "projects" && part[2] == "merge_requests":
		ref, _, ok = apiPath(s + "/1")
		ref.Number = 0
	}
	return ref, ok
}

// apiPath reads repos/o/r/pulls/7/REST and projects/g%2Fr/merge_requests/7/REST.
func apiPath(s string) (ref Ref, rest string, ok bool) {
	s, _, _ = strings.Cut(strings.TrimPrefix(s, "/"), "?")
	part := strings.Split(s, "/")
	switch {
	case len(part) >= 5 && part[0] == "repos" && (part[3] == "pulls" || part[3] == "issues"):
		ref = Ref{Owner: part[1], Repo: part[2]}
		if strings.HasPrefix(part[1], "{") {
			ref.Owner, ref.Repo = "", ""
		}
	case len(part) >= 4 && part[0] == "projects" && part[2] == "merge_requests":
		ref = Ref{GitLab: true}
		name := strings.NewReplacer("%2F", "/", "%2f", "/").Replace(part[1])
		if i := strings.LastIndexByte(name, '/'); i > 0 {
			ref.Owner, ref.Repo = name[:i], name[i+1:]
		}
		part = append([]string{""}, part...)
	default:
		return Ref{}, "", false
	}
	n, ok := number(part[4])
	if !ok {
		return Ref{}, "", false
	}
	ref.Number = n
	return ref, strings.Join(part[5:], "/"), true
}

// APIPath reads the address of a call of a provider's API as far as its pull
// request: repos/o/r/pulls/7/rest or projects/g%2Fr/merge_requests/7/rest.
func APIPath(s string) (ref Ref, rest string, ok bool) { return apiPath(s) }
