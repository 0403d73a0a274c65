package handoff

import (
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/handoff/pack"
)

// rows describes the pack for people.
func (c *compiled) rows() []Row {
	row := func(id, kind, doc string) Row {
		return Row{Pack: c.Name, ID: id, Rule: c.rule(id), Kind: kind, Doc: doc}
	}
	var out []Row
	for i := range c.Recorders {
		r := &c.Recorders[i]
		x := row(r.ID, "recorder", r.Doc)
		x.Opens = c.words(r.On)
		out = append(out, x)
	}
	if len(c.tokens()) > 0 {
		x := row(SkipsID, "recorder", "records skip markers and their reasons")
		for _, t := range c.tokens() {
			x.Opens = append(x.Opens, `echo "`+t+`: reason" as a command of its own`)
		}
		out = append(out, x)
	}
	for i := range c.Advice {
		a := &c.Advice[i]
		x := row(a.ID, "advice", a.Doc)
		x.Opens, x.Text, x.Preferences = c.words(a.On), c.fill(a.Text, a.ID, "", nil), a.Preferences
		out = append(out, x)
	}
	for i := range c.Prerequisites {
		q := &c.Prerequisites[i]
		x := row(q.ID, "prerequisite", q.Doc)
		x.Opens, x.Meets, x.Marker = c.words(q.Before), c.words(q.Until), c.marker(q.Skip, false)
		if q.Known != "" {
			x.Meets = append(x.Meets, c.fills(q.Known)...)
		}
		x.Text = c.fill(q.Text, q.ID, x.Marker, []string{anyItem})
		out = append(out, x)
	}
	for i := range c.Obligations {
		o := &c.Obligations[i]
		x := row(o.ID, "obligation", o.Doc)
		x.Preferences = o.Preferences
		if !o.SkipMute || c.Mute {
			x.Marker = c.marker(o.Skip, o.SkipEach)
		}
		x.Opens, x.Meets = c.words(o.Opens), c.words(o.Meets)
		c.triggers(func(t *pack.Trigger) {
			if slices.Contains(t.Opens, o.ID) {
				x.Opens = append(x.Opens, c.word(t))
			}
			if slices.Contains(t.Meets, o.ID) {
				x.Meets = append(x.Meets, c.word(t))
			}
		})
		switch o.Check {
		case pack.CheckSlots:
			x.Meets = append(x.Meets, "a watch slot below "+c.Slots+" that tracks the pull request")
		case pack.CheckWalkthrough:
			x.Opens = append(x.Opens, "an acceptance run, while a pull request in play carries no "+c.Sentinel)
			x.Meets = append(x.Meets, "the provider shows it in the body or a comment")
		case pack.CheckReplies:
			x.Meets = append(x.Meets, "a threaded reply to the comment that the provider confirmed")
		case pack.CheckClaim:
			x.Opens = append(x.Opens, "a closing message that says an email- or login-gated flow cannot be tested")
			x.Meets = append(x.Meets, "once a session it is said, then no more")
		}
		x.Text = c.fill(o.Short+"\n"+o.Full, o.ID, x.Marker, []string{anyItem})
		out = append(out, x)
	}
	if c.Slots != "" {
		x := row(reconcileID, "advice", "names the open watch slots of this session at its start")
		x.Opens = []string{"a session starts and slots below " + c.Slots + " are open"}
		out = append(out, x)
	}
	return out
}

// triggers calls f with every trigger of a recorder or an advice.
func (c *compiled) triggers(f func(*pack.Trigger)) {
	for i := range c.Recorders {
		for k := range c.Recorders[i].On {
			f(&c.Recorders[i].On[k])
		}
	}
	for i := range c.Advice {
		for k := range c.Advice[i].On {
			f(&c.Advice[i].On[k])
		}
	}
}

// fills says what adds to a set.
func (c *compiled) fills(set string) []string {
	var out []string
	c.triggers(func(t *pack.Trigger) {
		if t.Add == set {
			out = append(out, c.word(t))
		}
	})
	return out
}

func (c *compiled) words(list []pack.Trigger) []string {
	var out []string
	for i := range list {
		out = append(out, c.word(&list[i]))
	}
	return out
}

// word says what a trigger waits for.
func (c *compiled) word(t *pack.Trigger) string {
	var s string
	switch {
	case len(t.Command) > 0:
		s = "a command that begins with " + strings.Join(t.Command, ", or ")
	case len(t.Edited) > 0:
		s = "an edit of " + strings.Join(t.Edited, ", or ")
	case len(t.Tool) > 0:
		s = "a call of " + strings.Join(c.tools(t.Tool...), ", or ")
		for _, a := range t.Args {
			s += " with " + a.Key + " " + strings.Join(a.Values, " or ")
		}
		if t.Names != "" {
			s += " that names one of " + t.Names
		}
	case len(t.Tests) > 0:
		s = "a test run that is " + strings.Join(t.Tests, ", ")
	case len(t.PR) > 0:
		s = "a pull request that is " + strings.Join(t.PR, ", or ")
	default:
		s = sees(t.Sees)
	}
	if t.While != "" {
		s += ", while there is something in " + t.While
	}
	if t.After != "" {
		s += ", after " + t.After
	}
	return s
}

func sees(what string) string {
	switch what {
	case pack.SeesAsked:
		return "a question to the user"
	case pack.SeesSkill:
		return "a skill that is invoked or announces itself"
	case pack.SeesStages:
		return "a skill that declares mandatoryStages"
	case pack.SeesStageRead:
		return "a file of a skill that is read"
	case pack.SeesWalked:
		return "a posted text with the renderer's mark"
	case pack.SeesReport:
		return "a text about to be posted that reads like an acceptance report and lacks the renderer's mark"
	case pack.SeesFailedRun:
		return "a result that names a run and a status other than passed"
	case pack.SeesClassified:
		return "a pre-execution-classification emit"
	case pack.SeesDiagnosed:
		return "a *-failure-classified or *-failure-resolved emit that names the run"
	case pack.SeesThreads:
		return "a fetch of review threads that wait for an answer"
	case pack.SeesReplies:
		return "a threaded reply that the provider confirmed"
	case pack.SeesAcceptance:
		return "a command that runs acceptance tests: by their runner, or by a script, target or path named for them"
	case pack.SeesBuild:
		return "a prompt that asks to build something"
	}
	return what
}
