package installer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/ec261362/guardrails/core/fsx"
)

// Diagnosis is what doctor found out about this machine.
type Diagnosis struct {
	Hosts    []*Status `json:"hosts"`
	Problems []string  `json:"problems,omitempty"` // of no host alone
	Notes    []string  `json:"notes,omitempty"`
}

// Code is doctor's exit code: 0 all good, 2 nothing is installed, 3 something is
// wrong. A host into which nothing was installed is no fault as long as another
// has something.
func (d *Diagnosis) Code() int {
	code, installed := 0, false
	for _, s := range d.Hosts {
		installed = installed || s.Installed()
		if s.Code() == 3 {
			code = 3
		}
	}
	if len(d.Problems) > 0 {
		code = 3
	}
	if code == 0 && !installed {
		code = 2
	}
	return code
}

// Doctor looks at the entries of the named hosts as Show does, runs every
// command that they register as the host would, with a call that must be denied
// and one that must pass, and looks for what no single entry shows. Nothing is
// written: the commands run with a temporary home. Only an entry with --home
// writes the two probes, marked as such, into the log there.
func (i *Installer) Doctor(ctx context.Context, hosts []string, r Request) (*Diagnosis, error) {
	d := &Diagnosis{}
	for _, host := range hosts {
		r.Host = host
		s, err := i.Show(ctx, r)
		if err != nil {
			return nil, err
		}
		for n := range s.States {
			i.tryOut(ctx, &s.States[n])
		}
		d.Hosts = append(d.Hosts, s)
	}
	i.checkReceipts(ctx, d, hosts)
	i.checkOnPath(d)
	return d, nil
}

// tryOut runs what a place registers.
func (i *Installer) tryOut(ctx context.Context, st *State) {
	if !st.Runnable || len(st.commands) == 0 {
		return
	}
	works := true
	for _, c := range st.commands {
		if err := i.prove(ctx, st.speech, c.command, c.wiring, c.dir); err != nil {
			works = false
			st.problem("%s: %v", c.wiring.Event, err)
		}
	}
	st.Works = &works
}

// checkReceipts compares what was installed with what is there.
func (i *Installer) checkReceipts(ctx context.Context, d *Diagnosis, hosts []string) {
	all, _, err := i.readReceipts()
	if err != nil {
		d.Problems = append(d.Problems, err.Error())
		return
	}
	for _, rec := range all.Installs {
		if !slices.Contains(hosts, rec.Host) {
			continue
		}
		st := d.stateOf(rec)
		if st == nil { // of another project, or another configuration folder
			q := Request{Host: rec.Host, Dir: rec.Dir, ConfigDir: rec.ConfigDir}
			if rec.Dir != "" {
				if _, err := os.Stat(rec.Dir); errors.Is(err, fs.ErrNotExist) {
					d.Notes = append(d.Notes, fmt.Sprintf("%s was installed in %s, which is gone; guardrails init --agent %s --dir %s --uninstall forgets it", rec.Host, rec.Dir, rec.Host, rec.Dir))
					continue
				}
			}
			s, err := i.Show(ctx, q)
			if err != nil {
				d.Problems = append(d.Problems, fmt.Sprintf("%s, of the receipt: %v", rec.File, err))
				continue
			}
			st = (&Diagnosis{Hosts: []*Status{s}}).stateOf(rec)
		}
		if st == nil || !st.installed() && !st.Broken {
			if rec.Host == "claude" && rec.Route == Plugin.String() {
				d.Problems = append(d.Problems, "claude: "+claude{}.sayUnregistered(i, rec))
				continue
			}
			d.Problems = append(d.Problems, fmt.Sprintf("%s was installed in %s (%s, %s) on %s, and no entry of ours is there any more; guardrails init puts it back, --uninstall forgets it",
				rec.Host, rec.File, rec.Scope, rec.Route, rec.At.Format("2006-01-02")))
		}
	}
	if idle(i.Binary()) == "" && len(all.Installs) == 0 && !slices.ContainsFunc(d.Hosts, (*Status).Installed) {
		d.Notes = append(d.Notes, i.Binary()+" is there, and no entry that we know of starts it")
	}
}

// stateOf finds the place of a receipt among those looked at; nil if it is not
// there, as where a plugin's settings file no longer names it.
func (d *Diagnosis) stateOf(rec receipt) *State {
	for _, s := range d.Hosts {
		for n := range s.States {
			if st := &s.States[n]; st.Host == rec.Host && st.Route == rec.Route && st.File == rec.File {
				return st
			}
		}
	}
	return nil
}

// Hints says in a line each which installs of the receipts do not work any more.
// It only looks, and starts nothing. What cannot be read it leaves to Doctor.
func (i *Installer) Hints(ctx context.Context) []string {
	all, _, err := i.readReceipts()
	if err != nil {
		return nil
	}
	var out []string
	for _, rec := range all.Installs {
		if rec.Dir != "" {
			if _, err := os.Stat(rec.Dir); err != nil {
				continue // a project that is gone needs no guard
			}
		}
		s, err := i.Show(ctx, Request{Host: rec.Host, Dir: rec.Dir, ConfigDir: rec.ConfigDir})
		if err != nil {
			continue
		}
		say := func(why string) {
			out = append(out, fmt.Sprintf("%s, installed in %s, does not work as it should: %s", rec.Host, rec.File, why))
		}
		switch st := (&Diagnosis{Hosts: []*Status{s}}).stateOf(rec); {
		case st == nil || !st.installed() && !st.Broken:
			say("no entry of ours is there any more")
		case len(st.Problems) > 0:
			say(st.Problems[0])
		case !st.Enabled && len(s.Problems) > 0:
			say(s.Problems[0])
		}
	}
	return out
}

// modulePath is in every build of ours, whatever its version.
const modulePath = "github.com/ec261362/guardrails/cmd/guardrails"

// checkOnPath says when the name guardrails on PATH is somebody else's: what our
// messages tell a person to type would reach that.
func (i *Installer) checkOnPath(d *Diagnosis) {
	p := i.lookPath("guardrails")
	if p == "" || p == i.Binary() || sameProgram(p, i.env.Self) || sameProgram(p, i.Binary()) {
		return
	}
	data, err := fsx.ReadFile(p, maxProgram)
	if err == nil && bytes.Contains(data, []byte(modulePath)) {
		d.Notes = append(d.Notes, p+", the first guardrails on PATH, is another build than this one")
		return
	}
	d.Problems = append(d.Problems, fmt.Sprintf("%s, the first guardrails on PATH, is another program: what you type reaches that one; put %s before it", p, filepath.Dir(i.Binary())))
}
