package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/core/permit"
	"github.com/ec261362/guardrails/core/session"
)

func newStatusCmd(a *app) *cobra.Command {
	var (
		agent, id string
		asJSON    bool
	)
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what is kept of a session: files touched, what is owed",
		Long:  `status shows the session that was active last, or the one with the given host id.`,
		Example: `  guardrails status
  guardrails status --session 21bf6993-6b7b-4c56-a4ee-992a90da93e8 --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.hint(cmd.Context())
			store := &session.Store{Dir: filepath.Join(a.state, "sessions"), Now: a.now}
			host := agent
			if id == "" {
				recent, err := store.List(1)
				if err != nil {
					return err
				}
				if len(recent) == 0 {
					return errors.New("no session yet: state is kept from the first call that writes something")
				}
				if recent[0].Err != nil {
					return recent[0].Err
				}
				host, id = recent[0].Host, recent[0].ID
			}
			view, err := store.View(host, id)
			if err != nil {
				return err
			}
			s := newSessionStatus(host, id, view)
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
	f.StringVar(&agent, "agent", "claude", "host of the session")
	f.StringVar(&id, "session", "", "session `ID`, as the host calls it")
	f.BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

// sessionStatus is status --json.
type sessionStatus struct {
	Host        string                `json:"host"`
	Session     string                `json:"session"`
	Facts       map[string]factStatus `json:"facts"`
	Obligations []owedStatus          `json:"obligations"`
	Touched     []string              `json:"touched"`
	Agents      []agentStatus         `json:"agents,omitempty"`
	Off         []permit.Off          `json:"off,omitempty"`
	Evidence    *evidenceStatus       `json:"evidence,omitempty"` // of the project of this directory
}

type factStatus struct {
	Value string    `json:"value"`
	At    time.Time `json:"at"`
}

type owedStatus struct {
	ID       string    `json:"id"`
	Owed     bool      `json:"owed"`
	Blocks   int       `json:"blocks"`
	Released bool      `json:"released"`
	Skipped  string    `json:"skipped,omitempty"`
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
		s.Facts[name] = factStatus{value, at}
	}
	for _, o := range v.Obligations() {
		s.Obligations = append(s.Obligations, owedStatus{ID: o.ID, Owed: o.Owing(), Blocks: o.Blocks, Released: o.Released(), Skipped: o.Skipped, Since: o.OpenedAt})
	}
	s.Touched = append(s.Touched, v.Touched()...)
	for _, name := range v.Agents() {
		s.Agents = append(s.Agents, agentStatus{ID: name, Touched: append([]string{}, v.Agent(name).Touched()...)})
	}
	return s
}

func (a *app) printStatus(s sessionStatus, v session.View) {
	for _, o := range s.Off {
		fmt.Fprintf(a.stdout, "off until %s: %s\n", o.Until.Local().Format("15:04"), o)
	}
	if e := s.Evidence; e != nil {
		fmt.Fprintf(a.stdout, "evidence: phase %s, generation %d, verified %d, failures in a row %d\n", e.Phase, e.MutationGeneration, e.VerifiedGeneration, e.FailureStreak)
	}
	if v.New() {
		fmt.Fprintf(a.stdout, "%s session %s: nothing is kept of it\n", s.Host, s.Session)
		return
	}
	fmt.Fprintf(a.stdout, "%s session %s, last active %s\n", s.Host, s.Session, v.UpdatedAt().Local().Format("2006-01-02 15:04:05"))
	for _, o := range s.Obligations {
		state := "met"
		switch {
		case o.Owed:
			state = fmt.Sprintf("owed since %s, blocked %d times", o.Since.Local().Format("15:04:05"), o.Blocks)
		case o.Skipped != "":
			state = "skipped: " + o.Skipped
		case o.Released:
			state = "released to you"
		}
		fmt.Fprintf(a.stdout, "  %-28s %s\n", o.ID, state)
	}
	fmt.Fprintf(a.stdout, "  %d files touched\n", len(s.Touched))
	for _, path := range s.Touched {
		fmt.Fprintf(a.stdout, "    %s\n", path)
	}
}
