package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/cmd/guardrails/internal/judge"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/version"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/world"
	"github.com/ec261362/guardrails/core/config"
	"github.com/ec261362/guardrails/core/deps"
	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/manifest"
	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/policy"
	"github.com/ec261362/guardrails/core/shellcmd"
)

func newDepsCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "deps",
		Short: "Look packages up before they are added, by hand and in CI",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	cmd.AddCommand(newDepsCheckCmd(a), newDepsCacheCmd(a))
	return cmd
}

type depsOptions struct {
	offline bool
	asJSON  bool
	batch   bool
}

// depsPatience is how long the look-ups of one whole file may take: it may name
// hundreds of packages. A command, and a line of a batch, has what a hook has.
const depsPatience = 30 * time.Second

func newDepsCheckCmd(a *app) *cobra.Command {
	var o depsOptions
	cmd := &cobra.Command{
		Use:   "check [flags] FILE… | COMMAND…",
		Short: "Say what is known of the packages that a manifest declares or a command installs",
		Long: `check looks packages up as the hook does before they are added: at deps.dev, at OSV,
and, if neither deps.dev nor the project knows one, at the registry that your own
tool is set up for. A file is checked whole. One word that is no file is a command
line; several are the words of one. Nothing is installed.

The project's configuration counts as trusted, as it does for make.`,
		Example: `  guardrails deps check package.json
  guardrails deps check -- npm install left-pad@1.3.0
  guardrails deps check --offline --json 'pip install requets'
  guardrails deps check --batch < calls.jsonl   # {"id","command"} or {"id","path","before","after"}

Exit codes: 0 nothing that would stop it, 2 would be refused, 3 would be asked about, 1 error.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return runDepsCheck(cmd.Context(), a, &o, args) },
	}
	f := cmd.Flags()
	f.SetInterspersed(false) // the first word of a command ends our flags
	f.BoolVar(&o.offline, "offline", false, "ask no service: read names and compare them only")
	f.BoolVar(&o.asJSON, "json", false, "print the result as JSON on standard output")
	f.BoolVar(&o.batch, "batch", false, "JSON lines in, JSON lines out, in order")
	return cmd
}

// depsResult is deps check's --json and --batch output.
type depsResult struct {
	ID          json.RawMessage   `json:"id,omitempty"`
	Packages    []coord.Package   `json:"packages,omitzero"`
	Unchecked   []coord.Unchecked `json:"unchecked,omitzero"`
	Findings    []depsFinding     `json:"findings,omitzero"`
	Unavailable []depsUnavailable `json:"unavailable,omitempty"` // look-ups that failed
	Error       string            `json:"error,omitempty"`
	MS          float64           `json:"ms"`
}

type depsFinding struct {
	Package   string          `json:"package"`
	Ecosystem coord.Ecosystem `json:"ecosystem"`
	Version   string          `json:"version,omitempty"`
	Kind      string          `json:"kind"`
	Verdict   string          `json:"verdict"`
	Detail    string          `json:"detail"`
	Instead   []string        `json:"instead,omitempty"`
}

type depsUnavailable struct {
	Package string `json:"package"`
	Why     string `json:"why"`
}

func (r *depsResult) take(rep deps.Report) {
	r.Packages = append(r.Packages, rep.Packages...)
	r.Unchecked = append(r.Unchecked, rep.Unchecked...)
	for _, f := range rep.Findings {
		r.Findings = append(r.Findings, depsFinding{
			Package: f.Package.Name, Ecosystem: f.Package.Ecosystem, Version: f.Package.Version,
			Kind: f.Kind.String(), Verdict: f.Verdict.String(), Detail: f.Detail, Instead: f.Instead,
		})
	}
	for _, u := range rep.NotAsked {
		r.Unavailable = append(r.Unavailable, depsUnavailable{u.Package.Name, u.Why})
	}
}

// full makes empty lists of missing ones.
func (r *depsResult) full() {
	r.Packages = append([]coord.Package{}, r.Packages...)
	r.Unchecked = append([]coord.Unchecked{}, r.Unchecked...)
	r.Findings = append([]depsFinding{}, r.Findings...)
}

// depsChecker is what one run of the verb needs.
type depsChecker struct {
	set  deps.Settings
	env  gate.Env
	root string
}

// depsChecker reads the settings for this directory. Whoever types the verb wants
// look-ups, unless the configuration says no.
func (a *app) depsChecker(o *depsOptions) *depsChecker {
	root, err := a.root()
	if err != nil {
		root = ""
	}
	d := a.load(config.LoadOptions{Root: root, TreatAsTrusted: true}).Config.Dependencies
	d.On = d.Enabled && !o.offline
	m := judge.Machine{Home: a.home, StateHome: a.state, Getenv: a.getenv, Now: a.now}
	c := &depsChecker{set: m.Dependencies(&d), root: root}
	c.env = gate.Env{Now: a.now, Home: a.home, StateHome: a.state, FS: fsx.NewMemo(), Getenv: a.getenv, Proc: world.Programs(a.environ()), HTTP: world.Network(version.String())}
	return c
}

func (c *depsChecker) command(ctx context.Context, line, dir string) (deps.Report, error) {
	l := shellcmd.Parse(line, shellcmd.Options{Cwd: dir, Home: c.env.Home})
	return deps.Line(ctx, c.set, c.env, l, c.root)
}

func runDepsCheck(ctx context.Context, a *app, o *depsOptions, args []string) error {
	c := a.depsChecker(o)
	if o.batch {
		if len(args) > 0 || o.asJSON {
			return errors.New("--batch reads standard input and prints JSON: it goes with --offline only")
		}
		return c.batch(ctx, a)
	}
	if len(args) == 0 {
		return errors.New("nothing to check: name a manifest, or give a command")
	}
	began := time.Now()
	var res depsResult
	if files := a.depsFiles(args); files != nil {
		c.set.Patience = depsPatience
		for _, name := range files {
			abs := a.abs(name)
			text, err := os.ReadFile(abs)
			if err != nil {
				return a.unreadable("", name, err)
			}
			rep, err := deps.Edit(ctx, c.set, c.env, filepath.ToSlash(abs), c.root, nil, text)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			res.take(rep)
		}
	} else {
		line := args[0]
		if len(args) > 1 {
			line = joinWords(args)
		}
		rep, err := c.command(ctx, line, a.dir)
		if err != nil {
			return err
		}
		if name := a.notManifest(args); name != "" && len(rep.Packages)+len(rep.Unchecked) == 0 {
			what := "no such file"
			if isFolder(a.abs(name)) {
				what = "a folder, and no manifest"
			}
			if len(args) > 1 {
				return fmt.Errorf("%s: %s, and as a command the words install nothing", oneLineName(name), what)
			}
			return fmt.Errorf("%s: %s, and as a command it installs nothing", oneLineName(name), what)
		}
		res.take(rep)
	}
	res.MS = ms(time.Since(began))
	return a.sayDeps(&res, o.asJSON)
}

// notManifest is the first of args that is no file, where manifests are what is
// meant: by one word, or by several among which are some. "" = a command is.
func (a *app) notManifest(args []string) string {
	isFile := func(name string) bool {
		info, err := os.Stat(a.abs(name))
		return err == nil && info.Mode().IsRegular()
	}
	isManifest := func(name string) bool { return manifest.Known(filepath.ToSlash(name)) }
	wrong := slices.IndexFunc(args, func(name string) bool { return !isFile(name) })
	switch {
	case wrong < 0, len(args) == 1 && strings.ContainsAny(args[0], " \t\n"):
		return ""
	case len(args) == 1, isManifest(args[0]), filepath.Ext(args[0]) != "" && slices.ContainsFunc(args, isManifest):
		return args[wrong]
	}
	return ""
}

// depsFiles returns args if all of them are files.
func (a *app) depsFiles(args []string) []string {
	for _, name := range args {
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			return nil
		}
	}
	return args
}

func (a *app) sayDeps(res *depsResult, asJSON bool) error {
	res.full()
	if asJSON {
		if err := a.writeJSON(res); err != nil {
			return err
		}
		return depsExit(res)
	}
	for _, f := range res.Findings {
		a.sayf("%-7s %-16s %s", f.Verdict, f.Kind, f.Detail)
		if len(f.Instead) > 0 {
			a.sayf("                         instead: %s", strings.Join(f.Instead, ", "))
		}
	}
	for _, u := range res.Unchecked {
		a.hintf("not checked: %s (%s)", u.Spec, u.Why)
	}
	for _, u := range res.Unavailable {
		a.hintf("not checked: %s (%s)", u.Package, u.Why)
	}
	a.sayf("%s, %s", plural(len(res.Packages), "package"), plural(len(res.Findings), "finding"))
	return depsExit(res)
}

func depsExit(res *depsResult) error {
	worst := hook.Pass.String()
	for _, f := range res.Findings {
		if f.Verdict == hook.Deny.String() || worst != hook.Deny.String() && f.Verdict == hook.Ask.String() {
			worst = f.Verdict
		}
	}
	switch worst {
	case hook.Deny.String():
		return exitCode(exitDenied)
	case hook.Ask.String():
		return exitCode(exitPartial)
	}
	return nil
}

// depsLine is one line of deps check --batch. Unknown fields are ignored.
type depsLine struct {
	ID      json.RawMessage `json:"id"`
	Command *string         `json:"command"`
	Path    string          `json:"path"`
	Before  string          `json:"before"`
	After   *string         `json:"after"`
	Cwd     string          `json:"cwd"`
}

// batch checks JSON lines, each for itself. A line without a cwd stands on a
// machine of its own: no project, no settings files, no variables.
func (c *depsChecker) batch(ctx context.Context, a *app) error {
	return a.judgeLines(`{"id":1,"command":"npm install x"}`, func(line []byte) (any, bool) {
		began := time.Now()
		res := c.line(ctx, line)
		res.MS = ms(time.Since(began))
		return res, res.Error == ""
	})
}

func (c *depsChecker) line(ctx context.Context, text []byte) depsResult {
	var l depsLine
	if err := json.Unmarshal(text, &l); err != nil {
		return depsResult{ID: lineID(text), Error: "not a line of deps check --batch: " + err.Error()}
	}
	one := *c
	one.root = ""
	switch {
	case l.Cwd == "":
		one.env.FS, one.env.Home, one.env.Getenv = nil, "", func(string) string { return "" }
	case !filepath.IsAbs(l.Cwd):
		return depsResult{ID: l.ID, Error: "cwd is not an absolute path"}
	default:
		if root, err := config.FindRoot(l.Cwd, c.env.Home); err == nil {
			one.root = root
		}
	}
	res := depsResult{ID: l.ID}
	var rep deps.Report
	var err error
	switch {
	case l.Command != nil:
		rep, err = one.command(ctx, *l.Command, l.Cwd)
	case l.Path != "" && l.After != nil:
		if rep, err = deps.Edit(ctx, one.set, one.env, l.Path, one.root, []byte(l.Before), []byte(*l.After)); errors.Is(err, deps.ErrNoManifest) {
			err = nil // a file that adds nothing
		}
	default:
		err = errors.New("the line has no command, and no path with after")
	}
	if err != nil {
		return depsResult{ID: l.ID, Error: err.Error()}
	}
	res.take(rep)
	res.full()
	return res
}

func newDepsCacheCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "Show or drop what was looked up",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	var asJSON, yes bool
	show := &cobra.Command{
		Use:   "show",
		Short: "List the look-ups that are kept, and until when",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return a.showDepsCache(asJSON) },
	}
	show.Flags().BoolVar(&asJSON, "json", false, "print one JSON line an entry")
	drop := &cobra.Command{
		Use:   "clear",
		Short: "Drop the look-ups that are kept (for a human)",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := a.requireHuman("deps cache clear", yes); err != nil {
				return err
			}
			n, err := a.depsCache().DepsCache().Clear()
			if err != nil {
				return err
			}
			a.sayf("dropped %s", plural(n, "look-up"))
			return nil
		},
	}
	drop.Flags().BoolVar(&yes, "yes", false, "do not insist on a terminal")
	cmd.AddCommand(show, drop)
	return cmd
}

func (a *app) depsCache() *judge.Machine { return &judge.Machine{StateHome: a.state, Now: a.now} }

func (a *app) showDepsCache(asJSON bool) error {
	live, size, err := a.depsCache().DepsCache().List()
	if err != nil {
		return err
	}
	for _, e := range live {
		if asJSON {
			if err := a.writeJSON(map[string]any{"key": e.Key, "at": e.At, "until": e.Until, "bytes": len(e.Data)}); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(a.stdout, "%s  %s\n", e.Until.Local().Format("2006-01-02 15:04"), strings.ReplaceAll(e.Key, "|", "  "))
	}
	a.sayf("%s, %d KiB", plural(len(live), "look-up"), (size+1023)/1024)
	return nil
}

// depsRules are the rules of the dependency check as explain shows them.
func depsRules() []policy.Rule {
	var out []policy.Rule
	for _, r := range deps.Rules() {
		verdict := hook.Advise
		switch r.Verdict {
		case hook.Deny.String():
			verdict = hook.Deny
		case hook.Ask.String():
			verdict = hook.Ask
		}
		out = append(out, policy.Rule{ID: r.ID, Verdict: verdict, Doc: r.Doc, Why: r.Why, Instead: r.Instead})
	}
	return out
}

// explainDeps finds one of them.
func explainDeps(id string) (policy.Rule, bool) {
	rules := depsRules()
	i := slices.IndexFunc(rules, func(r policy.Rule) bool { return r.ID == id })
	if i < 0 {
		return policy.Rule{}, false
	}
	return rules[i], true
}
