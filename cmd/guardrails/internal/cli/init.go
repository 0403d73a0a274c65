package cli

import (
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/cmd/guardrails/internal/full"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/prompt"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/version"
	"github.com/ec261362/guardrails/core/audit"
	"github.com/ec261362/guardrails/core/config"
	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/installer"
)

type initOptions struct {
	agents    []string
	global    bool
	shared    bool
	via       string
	config    bool
	mode      string
	configDir string
	dir       string
	dryRun    bool
	show      bool
	uninstall bool
	purge     bool
	force     bool
	yes       bool
	asJSON    bool

	lookups bool            // answered, never a flag: look-ups in every project
	prompt  prompt.Prompter // nil = nobody can be asked
}

func newInitCmd(a *app) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Install into an agent, look at an install, or remove it",
		Long: `init registers guardrails with a coding agent, runs the registered command as the
agent would, with a call that must be denied and one that must pass, and takes
everything back if that fails. A second run changes nothing.

It writes, for Claude Code:
  DIR/.claude/settings.local.json    you, this project (the default)
  DIR/.claude/settings.json          --shared: everybody, this project, no machine path
  ~/.claude/settings.json            -g: you, every project
  ~/.guardrails/hosts/claude         --via plugin: a bundle that claude installs
for Gemini CLI:
  ~/.gemini/extensions/guardrails    you, every project (the only scope of an extension)
  DIR/.gemini/settings.json          --via settings: you, this project, while it is trusted
  ~/.gemini/settings.json            --via settings -g
for Antigravity:
  ~/.gemini/config/hooks.json        you, every project: one named hook in the shared file
for Muse, a bundle that you install and approve with the commands it prints:
  DIR/.guardrails/muse-plugin        this project
  ~/.guardrails/hosts/muse           -g: every project
Every other byte of these files stays as it is, and --uninstall takes out exactly
what was put in.

Exit codes: 0 good, 1 error, 2 not installed (--show), 3 partial or outdated.`,
		Example: `  guardrails init --agent claude                 # this project, only you
  guardrails init --agent claude -g              # every project of yours
  guardrails init --agent claude --shared        # this project, committed
  guardrails init --agent claude --dry-run       # what would be done
  guardrails init --agent all -g                 # every agent found on this machine
  guardrails init --agent claude --show          # what is there, and whether it works
  guardrails init --agent claude --uninstall`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
			defer stop()
			for _, name := range []string{"dir", "config-dir"} {
				if f := cmd.Flags().Lookup(name); f.Changed && f.Value.String() == "" {
					return fmt.Errorf("--%s is empty: is a variable not set?", name)
				}
			}
			return runInit(ctx, a, &o)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.agents, "agent", nil, "agents, with commas: "+strings.Join(installer.Hosts(), ", ")+", or all that are found")
	f.BoolVarP(&o.global, "global", "g", false, "for every project of yours")
	f.BoolVar(&o.shared, "shared", false, "for everybody who works on this project, in the committed file")
	f.StringVar(&o.via, "via", "", "`ROUTE`: settings (default) or plugin")
	f.BoolVar(&o.config, "config", false, "also write a starter "+config.FileName+" and trust it (for a human)")
	f.StringVar(&o.mode, "mode", "", "`MODE` of that file: enforce or warn")
	f.StringVar(&o.configDir, "config-dir", "", "the agent's configuration `DIR`, if it has several (implies -g)")
	f.StringVar(&o.dir, "dir", "", "project `DIR`, made if it is missing (default: here)")
	f.BoolVar(&o.dryRun, "dry-run", false, "say what would be done, touch nothing")
	f.BoolVar(&o.show, "show", false, "look at what is installed, change nothing")
	f.BoolVar(&o.uninstall, "uninstall", false, "remove what init put in (for a human)")
	f.BoolVar(&o.purge, "purge", false, "with --uninstall: state, log and backups too (for a human)")
	f.BoolVar(&o.force, "force", false, "replace a newer build, remove files that were edited (for a human)")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	f.BoolVar(&o.asJSON, "json", false, "print the result as JSON on standard output")
	return cmd
}

func runInit(ctx context.Context, a *app, o *initOptions) error {
	if err := o.check(a); err != nil {
		return err
	}
	if err := a.initForHumans(o); err != nil {
		return err
	}
	in, err := a.installer()
	if err != nil {
		return err
	}
	if o.prompt == nil && !o.yes && !o.asJSON && !o.show && !o.dryRun && a.terminal() {
		o.prompt = a.prompter()
	}
	if err := o.chooseAgents(a, in); err != nil {
		return err
	}
	if o.show {
		return a.showInstalls(ctx, in, o)
	}
	if o.dryRun {
		return a.carryOutInit(ctx, in, o, true)
	}
	if o.prompt != nil {
		if err := a.carryOutInit(ctx, in, o, true); err != nil {
			return err
		}
		ok, err := o.prompt.Confirm("Do this?", true)
		if err != nil {
			return err
		}
		if !ok {
			a.sayf("nothing was changed")
			return nil
		}
	}
	if err := a.carryOutInit(ctx, in, o, false); err != nil {
		return err
	}
	if o.lookups {
		return a.switchLookupsOn()
	}
	return nil
}

// check refuses flags that contradict each other and fills in what follows from
// others.
func (o *initOptions) check(a *app) error {
	switch {
	case o.global && o.shared:
		return errors.New("-g is for all your projects and --shared for all people of this one: give one of them")
	case o.configDir != "" && o.shared:
		return errors.New("--config-dir is about your own files, --shared is not: give one of them")
	case o.purge && !o.uninstall:
		return errors.New("--purge goes with --uninstall")
	case o.show && (o.uninstall || o.dryRun):
		return errors.New("--show changes nothing: give it without --uninstall and --dry-run")
	case o.uninstall && (o.config || o.mode != ""):
		return errors.New("--config and --mode go with an install")
	case o.via != "" && o.via != "settings" && o.via != "plugin":
		return fmt.Errorf("--via %s: it is settings or plugin", o.via)
	case o.mode != "" && o.mode != "enforce" && o.mode != "warn":
		return fmt.Errorf("--mode %s: it is enforce or warn", o.mode)
	}
	if o.mode != "" {
		o.config = true
	}
	if o.configDir != "" {
		o.configDir = filepath.Clean(a.abs(o.configDir))
		o.global = o.global || o.via != "plugin"
	}
	o.dir = filepath.Clean(a.abs(o.dir))
	return nil
}

// initForHumans refuses what an agent may not do. Installing only tightens, and
// looking changes nothing.
func (a *app) initForHumans(o *initOptions) error {
	if o.show || o.dryRun {
		return nil
	}
	for _, only := range []struct {
		on   bool
		verb string
	}{{o.uninstall, "init --uninstall"}, {o.force, "init --force"}, {o.config, "init --config"}} {
		if only.on {
			if err := a.requireHuman(only.verb, o.yes); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *app) installer() (*installer.Installer, error) {
	self := full.Small(a.arg0)
	if self == "" {
		return nil, errors.New("the small program, guardrails, is not beside guardrails-full: start that one, or build both with `make build`")
	}
	exe, err := os.Executable()
	if err == nil {
		exe, err = filepath.EvalSymlinks(exe)
	}
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return nil, fmt.Errorf("where is the running program: %w", err)
	}
	if err := sameBuild(self, exe); err != nil {
		return nil, err
	}
	log := &audit.Log{Dir: filepath.Join(a.state, "log"), Now: a.now}
	return installer.New(installer.Env{
		Home: a.home, StateHome: a.state, Dir: a.dir, Self: self, Full: exe, Version: version.String(),
		Getenv: a.getenv, Environ: a.environ(), Now: a.now,
		LastFired: func(host string) (time.Time, error) { return log.LastFired(host) },
	}), nil
}

// sameBuild fails unless two programs are the small and the full one of one
// build: what init puts in place answers every call from then on.
func sameBuild(small, whole string) error {
	s, err := buildinfo.ReadFile(small)
	if err != nil {
		return fmt.Errorf("%s: %w", small, err)
	}
	f, err := buildinfo.ReadFile(whole)
	if err != nil {
		return fmt.Errorf("%s: %w", whole, err)
	}
	revision := func(i *buildinfo.BuildInfo) (rev string) {
		for _, set := range i.Settings {
			if set.Key == "vcs.revision" || set.Key == "vcs.modified" {
				rev += " " + set.Value
			}
		}
		return rev
	}
	if s.Path+"/guardrails-full" != f.Path || s.Main.Path != f.Main.Path || s.Main.Version != f.Main.Version || revision(s) != revision(f) {
		return fmt.Errorf("%s (%s%s) and %s (%s%s) are not of one build: install both again", small, s.Main.Version, revision(s), whole, f.Main.Version, revision(f))
	}
	return nil
}

func (a *app) prompter() prompt.Prompter {
	in, okIn := a.stdin.(*os.File)
	out, okOut := a.stderr.(*os.File)
	if !okIn || !okOut {
		return nil
	}
	return prompt.New(in, out, a.getenv("TERM"), a.getenv("NO_COLOR") != "")
}

// chooseAgents settles which agents are meant, asking if nobody said.
func (o *initOptions) chooseAgents(a *app, in *installer.Installer) error {
	found, why := in.Found()
	switch {
	case slices.Contains(o.agents, "all"):
		if len(o.agents) > 1 {
			return errors.New("--agent all names every agent: give no other with it")
		}
		if o.show || o.uninstall {
			found = installer.Hosts()
		}
		if len(found) == 0 {
			return fmt.Errorf("found no agent that init knows (%s) on PATH or by a folder of its own; name one with --agent", strings.Join(installer.Hosts(), ", "))
		}
		o.agents = found
	case len(o.agents) > 0:
		for _, h := range o.agents {
			if !slices.Contains(installer.Hosts(), h) {
				return unknownAgent(h, append(installer.Hosts(), "all"))
			}
		}
	case o.show || o.uninstall:
		o.agents = installer.Hosts()
	case o.prompt == nil:
		hint := "none was found here"
		if len(found) > 0 {
			hint = "found here: " + strings.Join(found, ", ")
		}
		return fmt.Errorf("which agent? %s; say so: guardrails init --agent %s", hint, installer.Hosts()[0])
	default:
		return o.ask(a, found, why)
	}
	return nil
}

// ask puts the questions of an install without flags.
func (o *initOptions) ask(a *app, found []string, why map[string]string) error {
	hosts := installer.Hosts()
	var labels []string
	var offered []int
	for n, h := range hosts {
		label := h
		if slices.Contains(found, h) {
			label += " (" + why[h] + ")"
			offered = append(offered, n)
		}
		labels = append(labels, label)
	}
	chosen, err := o.prompt.MultiSelect("Which agents?", labels, offered)
	if err != nil {
		return err
	}
	if len(chosen) == 0 {
		return errors.New("no agent chosen: nothing was changed")
	}
	for _, n := range chosen {
		o.agents = append(o.agents, hosts[n])
	}
	if !o.global && !o.shared {
		n, err := o.prompt.Select("For whom?", []string{
			"you, sessions started in " + o.dir,
			"you, every project",
			"everybody who works on " + o.dir + " (a committed file)",
		}, 0)
		if err != nil {
			return err
		}
		o.global, o.shared = n == 1, n == 2
	}
	if !o.config {
		n, err := o.prompt.Select("A configuration file, "+config.FileName+", for this project?", []string{
			"none: destructive commands are refused, nothing else",
			"a starter that enforces",
			"a starter that warns",
		}, 0)
		if err != nil {
			return err
		}
		o.config = n > 0
		o.mode = []string{"", "enforce", "warn"}[n]
	}
	if _, err := os.Lstat(a.humanConfig()); errors.Is(err, fs.ErrNotExist) {
		o.lookups, err = o.prompt.Confirm("Look packages up on the network (deps.dev, OSV, registries) before an agent installs them, in every project?", false)
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *app) humanConfig() string { return filepath.Join(a.state, config.HumanFileName) }

// switchLookupsOn writes the human's own configuration; it was not there when
// the question was put.
func (a *app) switchLookupsOn() error {
	const text = "version: 1\n\ndependencies:\n  enabled: true\n"
	if err := fsx.WriteUnchanged(a.humanConfig(), []byte(text), 0o600, fsx.Stamp{}); err != nil {
		return fmt.Errorf("switch look-ups on: %w", err)
	}
	a.sayf("wrote %s: packages are looked up in every project", a.humanConfig())
	return nil
}

func (o *initOptions) request(a *app, host string) installer.Request {
	r := installer.Request{Host: host, Dir: o.dir, ConfigDir: o.configDir, Force: o.force, Purge: o.purge, AnyRoute: o.via == ""}
	switch {
	case o.global:
		r.Scope = installer.User
	case o.shared:
		r.Scope = installer.Shared
	}
	if o.via == "plugin" {
		r.Route = installer.Plugin
	}
	if o.config {
		r.Starter = starter(o.mode)
		r.Trust = func(path string) error { return a.trustOwn(path, r.Starter) }
	}
	return r
}

// starter is the starter file in a mode.
func starter(mode string) string {
	text := string(config.Starter())
	if mode == "" {
		return text
	}
	return strings.Replace(text, "#mode: enforce", "mode: "+mode, 1)
}

// trustOwn trusts a file that this very run wrote.
func (a *app) trustOwn(path, text string) error {
	root, err := config.FindRoot(filepath.Dir(path), a.home)
	if err != nil {
		return err
	}
	if root == "" {
		return fmt.Errorf("%s is no project, so nothing is read from it there", filepath.Dir(path))
	}
	return config.Trust(a.state, root, config.Sum([]byte(text)), a.now())
}

// initResult is one line of init --json's results.
type initResult struct {
	Host    string           `json:"host"`
	Scope   string           `json:"scope"`
	Route   string           `json:"route"`
	Outcome string           `json:"outcome"`
	Error   string           `json:"error,omitempty"`
	Lines   []installer.Line `json:"lines"`
}

// carryOutInit installs or uninstalls for every agent chosen. One that fails does
// not keep the others from it.
func (a *app) carryOutInit(ctx context.Context, in *installer.Installer, o *initOptions, dry bool) error {
	var results []initResult
	failed, partial, configured := false, false, false
	for n, host := range o.agents {
		r := o.request(a, host)
		if configured {
			r.Starter, r.Trust = "", nil
		}
		r.Purge = r.Purge && n == len(o.agents)-1 // what is purged is everybody's
		do := in.Install
		if o.uninstall {
			do = in.Uninstall
		}
		rep, err := do(ctx, r, dry)
		if rep == nil {
			rep = &installer.Report{Host: host, Scope: r.Scope, Route: r.Route}
		}
		res := initResult{Host: host, Scope: r.Scope.String(), Route: r.Route.String(), Outcome: rep.Outcome.String(), Lines: rep.Lines}
		if res.Lines == nil {
			res.Lines = []installer.Line{}
		}
		if err != nil {
			failed, res.Error = true, err.Error()
		} else {
			configured = true
		}
		partial = partial || rep.Outcome == installer.Partial
		results = append(results, res)
		if !o.asJSON {
			outcome := rep.Outcome.String()
			if dry && o.prompt != nil {
				outcome = "not done yet" // it is asked about next
			}
			a.sayReport(rep, outcome, err)
		}
	}
	if o.asJSON {
		enc := json.NewEncoder(a.stdout)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(map[string]any{"results": results}); err != nil {
			return err
		}
	}
	switch {
	case failed:
		return exitCode(exitError)
	case partial:
		return exitCode(exitPartial)
	}
	return nil
}

func (a *app) sayReport(rep *installer.Report, outcome string, err error) {
	for _, l := range rep.Lines {
		a.sayf("%s", l)
	}
	if err != nil {
		a.errorf("%s: %v", rep.Host, err)
		return
	}
	a.sayf("%s: %s", rep.Host, outcome)
}

// showInstalls looks at every agent chosen.
func (a *app) showInstalls(ctx context.Context, in *installer.Installer, o *initOptions) error {
	var all []*installer.Status
	code := exitDenied // not installed, until something is
	for _, host := range o.agents {
		s, err := in.Show(ctx, o.request(a, host))
		if err != nil {
			return err
		}
		all = append(all, s)
		switch c := s.Code(); {
		case c == exitPartial:
			code = exitPartial
		case c == exitOK && code != exitPartial:
			code = exitOK
		}
		if !o.asJSON {
			a.sayf("%s", strings.TrimSuffix(s.Text(), "\n"))
		}
	}
	if o.asJSON {
		enc := json.NewEncoder(a.stdout)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(map[string]any{"hosts": all}); err != nil {
			return err
		}
	}
	if code != exitOK {
		return exitCode(code)
	}
	return nil
}
