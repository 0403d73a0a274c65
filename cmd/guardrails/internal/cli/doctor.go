package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/core/audit"
	"github.com/ec261362/guardrails/core/config"
	"github.com/ec261362/guardrails/core/session"
	"github.com/ec261362/guardrails/installer"
)

type doctorOptions struct {
	agents []string
	dir    string
	config string
	asJSON bool
	matrix bool
	live   bool
}

func newDoctorCmd(a *app) *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Prove that what is installed works",
		Long: `doctor looks at every entry of ours that an agent would read here, and says of each
whether it is registered, runnable, current, enabled and, where the agent's user
must approve it, approved, and when it last fired. It runs each registered command
as the agent runs it, with a call that must be denied and one that must pass; both
would be harmless. It also finds what no entry shows: switches that turn hooks off,
another program named guardrails on PATH, two installs that run twice, installs
that are gone, a log or state that cannot be read. Nothing is written.

With --live it starts the installed agent itself, headless, in a temporary home,
against a scripted model on this machine: no network, no tokens. "Enforced" means
that the agent was stopped from the call that must not run, and ran the other one.
Claude Code and Gemini CLI can be driven so; Antigravity and Muse cannot.`,
		Example: `  guardrails doctor
  guardrails doctor --agent claude,gemini --json
  guardrails doctor --live
  guardrails doctor --matrix          # in what the agents differ

Exit codes: 0 good, 1 error, 2 nothing is installed, 3 something is wrong.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
			defer stop()
			return runDoctor(ctx, a, &o)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.agents, "agent", nil, "agents, with commas: "+strings.Join(installer.Hosts(), ", ")+" (default: all)")
	f.StringVar(&o.dir, "dir", "", "project `DIR` whose sessions are meant (default: here)")
	f.StringVar(&o.config, "config-dir", "", "the agent's configuration `DIR`, if it has several")
	f.BoolVar(&o.asJSON, "json", false, "print the result as JSON on standard output")
	f.BoolVar(&o.matrix, "matrix", false, "print in what the agents differ, as Markdown")
	f.BoolVar(&o.live, "live", false, "drive the installed agents against a scripted model")
	return cmd
}

// doctorResult is doctor --json.
type doctorResult struct {
	*installer.Diagnosis
	Live []liveResult `json:"live,omitempty"`
}

func runDoctor(ctx context.Context, a *app, o *doctorOptions) error {
	if o.matrix {
		_, err := fmt.Fprint(a.stdout, matrix())
		return err
	}
	in, err := a.installer()
	if err != nil {
		return err
	}
	i := initOptions{agents: o.agents, configDir: o.config, dir: o.dir, show: true}
	if err := i.check(a); err != nil {
		return err
	}
	if err := i.chooseAgents(a, in); err != nil {
		return err
	}
	d, err := in.Doctor(ctx, i.agents, installer.Request{Dir: i.dir, ConfigDir: i.configDir, AnyRoute: true})
	if err != nil {
		return err
	}
	d.Problems = append(d.Problems, a.damage(i.dir)...)
	d.Notes = append(d.Notes, a.unread(i.dir)...)
	r := doctorResult{Diagnosis: d}
	code := d.Code()
	if o.live {
		r.Live = a.live(ctx, in, i.agents, i.dir, i.configDir)
		for _, l := range r.Live {
			if !l.Enforced && !l.Skipped {
				code = exitPartial
			}
		}
	}
	if o.asJSON {
		enc := json.NewEncoder(a.stdout)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(r); err != nil {
			return err
		}
	} else {
		a.sayDiagnosis(r, len(o.agents) > 0)
	}
	if code != exitOK {
		return exitCode(code)
	}
	return nil
}

func (a *app) sayDiagnosis(r doctorResult, asked bool) {
	var absent []string
	for _, s := range r.Hosts {
		if !asked && s.Code() == exitDenied && quiet(s) {
			absent = append(absent, s.Host)
			continue
		}
		a.sayf("%s", strings.TrimSuffix(s.Text(), "\n"))
	}
	if len(absent) > 0 {
		a.sayf("not installed: %s", strings.Join(absent, ", "))
	}
	for _, p := range r.Problems {
		a.sayf("problem         %s", p)
	}
	for _, n := range r.Notes {
		a.sayf("note            %s", n)
	}
	for _, l := range r.Live {
		a.sayf("%s", l)
	}
}

// quiet reports whether there is nothing to say of a host that we are not
// installed in.
func quiet(s *installer.Status) bool {
	for _, st := range s.States {
		if len(st.Problems) > 0 || st.Wrapped > 0 {
			return false
		}
	}
	return true
}

// damage lists what is kept and cannot be read. The log is looked at with each
// host.
func (a *app) damage(dir string) []string {
	var out []string
	say := func(err error) {
		if err != nil {
			out = append(out, strings.ReplaceAll(err.Error(), "\n", "; "))
		}
	}
	sessions, err := (&session.Store{Dir: filepath.Join(a.state, "sessions"), Now: a.now}).List(0)
	say(err)
	bad := 0
	for _, s := range sessions {
		if s.Err == nil {
			continue
		}
		if bad++; bad == 1 {
			say(fmt.Errorf("state of a session: %w; the next hook call of it starts anew", s.Err))
		}
	}
	if bad > 1 {
		say(fmt.Errorf("%s more cannot be read", plural(bad-1, "session state")))
	}
	_, err = a.permits().Active()
	say(err)
	_, err = config.TrustEntries(a.state, dir)
	say(err)
	root, err := config.FindRoot(dir, a.home)
	say(err)
	eff := a.load(config.LoadOptions{Root: root})
	if n := len(eff.Problems); n > 0 {
		say(fmt.Errorf("%s: %s in the configuration, so it does not count; guardrails config validate lists them", eff.Problems[0].File, plural(n, "problem")))
	}
	say(a.logWritable())
	return out
}

// unread names the files that look like a configuration and are none.
func (a *app) unread(dir string) []string {
	root, err := config.FindRoot(dir, a.home)
	if err != nil {
		root = ""
	}
	var out []string
	for _, name := range config.NearMisses(root, a.state) {
		out = append(out, name+" is not read; the configuration is "+config.FileName+" at the project's root, and "+filepath.Join(a.state, config.HumanFileName)+" for yourself")
	}
	return out
}

// logWritable says why today's log cannot be appended to. It writes nothing.
func (a *app) logWritable() error {
	dir := filepath.Join(a.state, "log")
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("log: %w", err)
	case !info.IsDir():
		return fmt.Errorf("log: %s is not a directory, so no call is recorded; move it away", dir)
	}
	f, err := os.OpenFile((&audit.Log{Dir: dir, Now: a.now}).Today(), os.O_WRONLY|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("log: %w: no call is recorded; make it writable", err)
	}
	return f.Close()
}
