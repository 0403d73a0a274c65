package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/core/handoff"
	"github.com/ec261362/guardrails/core/permit"
	"github.com/ec261362/guardrails/core/session"
	"github.com/ec261362/guardrails/core/testrun"
)

func newStatusCmd(a *app) *cobra.Command {
	var (
		agent, id string
		asJSON    bool
	)
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what is kept of a session: files touched, what is owed",
		Long:  `status shows the session that was active last, or the one with the given id.`,
		Example: `  guardrails status
  guardrails status --session 21bf6993-6b7b-4c56-a4ee-992a90da93e8 --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.hint(cmd.Context())
			store := &session.Store{Dir: filepath.Join(a.state, "sessions"), Now: a.now}
			host, id, err := a.session(store, agent, id)
			if err != nil {
				// What is off is off without a session too.
				if off, _ := a.permits().Active(); !asJSON {
					a.printOff(off)
				}
				return err
			}
			view, err := store.View(host, id)
			if err != nil {
				return err
			}
			s := newSessionStatus(host, id, view)
			a.switchedOff(&s)
			if s.Off, err = a.permits().Active(); err != nil {
				return err
			}
			if s.Evidence, err = a.evidenceStatus(); err != nil {
				return err
			}
			if asJSON {
				return a.writeJSON(s)
			}
			a.printStatus(s, view)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&agent, "agent", "", "`HOST` of the session (default the one that has it)")
	f.StringVar(&id, "session", "", "session `ID`, as the host calls it")
	f.BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

// sessionStatus is status --json.
type sessionStatus struct {
	Host        string                `json:"host"`
	Session     string                `json:"session"`
	Facts       map[string]factStatus `json:"facts"` // facts, sets but touched, and always tests
	Obligations []owedStatus          `json:"obligations"`
	Touched     []string              `json:"touched"`
	Agents      []agentStatus         `json:"agents,omitempty"`
	Off         []permit.Off          `json:"off,omitempty"`
	Evidence    *evidenceStatus       `json:"evidence,omitempty"` // of the project of this directory
}

// factStatus is a fact with its value, the grade of the tests, or a set with its
// members.
type factStatus struct {
	Grade   string    `json:"grade,omitempty"`
	Value   string    `json:"value,omitempty"`
	Members []string  `json:"members,omitempty"`
	At      time.Time `json:"at,omitzero"`
}

type owedStatus struct {
	ID       string    `json:"id"`
	Owed     bool      `json:"owed"`
	Blocks   int       `json:"blocks"`
	Released bool      `json:"released"`
	Skipped  bool      `json:"skipped"`
	Reason   string    `json:"reason,omitempty"` // why it was skipped
	OffBy    string    `json:"offBy,omitempty"`  // preference that is off here: it is not owed, whatever was recorded
	Since    time.Time `json:"since"`
}

type agentStatus struct {
	ID      string   `json:"id"`
	Touched []string `json:"touched"`
}

func newSessionStatus(host, id string, v session.View) sessionStatus {
	s := sessionStatus{Host: host, Session: id, Facts: map[string]factStatus{}, Obligations: []owedStatus{}, Touched: []string{}}
	for _, name := range v.Facts("") {
		value, at := v.Fact(name)
		if name == handoff.FactTests {
			s.Facts[name] = factStatus{Grade: value, At: at}
			continue
		}
		s.Facts[name] = factStatus{Value: value, At: at}
	}
	if s.Facts[handoff.FactTests].Grade == "" {
		s.Facts[handoff.FactTests] = factStatus{Grade: testrun.None.String()}
	}
	for _, name := range v.Sets() {
		if name == session.Touched {
			continue
		}
		f := s.Facts[name]
		f.Members = v.Set(name)
		s.Facts[name] = f
	}
	for _, o := range v.Obligations() {
		s.Obligations = append(s.Obligations, owedStatus{ID: statusID(o.ID), Owed: o.Owing(), Blocks: o.Blocks, Released: o.Released(), Skipped: o.Skipped != "", Reason: o.Skipped, Since: o.OpenedAt})
	}
	s.Touched = append(s.Touched, v.Touched()...)
	for _, name := range v.Agents() {
		s.Agents = append(s.Agents, agentStatus{ID: name, Touched: append([]string{}, v.Agent(name).Touched()...)})
	}
	return s
}

// switchedOff takes what a preference of the configuration here switches off from
// what is owed: recorders go on without it.
func (a *app) switchedOff(s *sessionStatus) {
	set, err := a.inForce()
	if err != nil {
		return
	}
	for _, r := range set.Rows() {
		for i := range s.Obligations {
			o := &s.Obligations[i]
			if j := slices.IndexFunc(r.Preferences, func(p string) bool { return slices.Contains(set.Off, p) }); j >= 0 && o.ID == statusID(r.Rule) {
				o.Owed, o.OffBy = false, r.Preferences[j]
			}
		}
	}
}

// rowsByID are the rows in force here, by what status calls them.
func (a *app) rowsByID() map[string]handoff.Row {
	out := map[string]handoff.Row{}
	s, err := a.inForce()
	if err != nil {
		return out
	}
	for _, r := range s.Rows() {
		out[statusID(r.Rule)] = r
	}
	return out
}

func (a *app) printOff(off []permit.Off) {
	for _, o := range off {
		fmt.Fprintf(a.stdout, "off until %s: %s\n", o.Until.Local().Format("15:04"), o)
	}
}

func (a *app) printStatus(s sessionStatus, v session.View) {
	a.printOff(s.Off)
	if e := s.Evidence; e != nil {
		fmt.Fprintf(a.stdout, "evidence: phase %s, generation %d, %s, failures in a row %d\n", e.Phase, e.MutationGeneration, verified(e.VerifiedGeneration), e.FailureStreak)
	}
	if v.New() {
		fmt.Fprintf(a.stdout, "%s session %s: nothing is kept of it\n", s.Host, s.Session)
		return
	}
	fmt.Fprintf(a.stdout, "%s session %s, last active %s\n", s.Host, s.Session, v.UpdatedAt().Local().Format("2006-01-02 15:04:05"))
	rows := a.rowsByID()
	for _, o := range s.Obligations {
		state := "met"
		switch {
		case o.OffBy != "":
			state = "off by " + o.OffBy
		case o.Owed:
			state = fmt.Sprintf("owed since %s, blocked %s", o.Since.Local().Format("15:04:05"), plural(o.Blocks, "time"))
		case o.Skipped:
			state = "skipped: " + o.Reason
		case o.Released:
			state = "released to you"
		}
		fmt.Fprintf(a.stdout, "  %-28s %s\n", o.ID, state)
		if r, ok := rows[o.ID]; ok && o.Owed {
			for _, how := range r.Meets {
				a.printWrapped("cleared by "+how, 31)
			}
			if r.Marker != "" {
				fmt.Fprintf(a.stdout, "%31sskipped by %s\n", "", r.Marker) // one line: it is to be copied
			}
		}
	}
	fmt.Fprintf(a.stdout, "  %s touched\n", plural(len(s.Touched), "file"))
	for _, path := range s.Touched {
		fmt.Fprintf(a.stdout, "    %s\n", path)
	}
}

// printWrapped prints text below a column, each further line two deeper, at most
// as wide as the terminal. A word is never broken.
func (a *app) printWrapped(text string, column int) {
	const least = 24 // of a line, however narrow the terminal
	width := max(a.width()-column, least)
	lead, used := column, 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case used == 0:
			fmt.Fprintf(a.stdout, "%*s%s", lead, "", word)
			used = lead - column + n
		case used+1+n > width:
			lead = column + 2
			fmt.Fprintf(a.stdout, "\n%*s%s", lead, "", word)
			used = 2 + n
		default:
			fmt.Fprintf(a.stdout, " %s", word)
			used += 1 + n
		}
	}
	fmt.Fprintln(a.stdout)
}
