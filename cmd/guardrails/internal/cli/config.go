package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/core/config"
	"github.com/ec261362/guardrails/core/config/yamldoc"
	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/policy"
	"github.com/ec261362/guardrails/core/proc"
)

func newConfigCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show, check and write the configuration",
		Long: `A project's ` + config.FileName + ` is its opt-in. It lies over your own
~/.guardrails/` + config.HumanFileName + `, and that over what is built in.`,
		Args: cobra.NoArgs,
	}
	cmd.AddCommand(newConfigShowCmd(a), newConfigValidateCmd(a), newConfigSchemaCmd(a), newConfigInitCmd(a), newConfigEditCmd(a))
	return cmd
}

// root is the project root of the working directory, "" if there is none.
func (a *app) root() (string, error) { return config.FindRoot(a.dir, a.home) }

func newConfigShowCmd(a *app) *cobra.Command {
	var asJSON, origins bool
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Print the merged configuration, and what of it is held back",
		Long: `show prints the configuration that the hooks use in this directory, as a valid
file: sections that are off are comments, and so is what an untrusted project's
file wants and does not get.`,
		Example: `  guardrails config show --origins
  guardrails config show --json | jq .held

Exit codes: 0 good, 1 a file has problems (the rest is shown all the same).`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			root, err := a.root()
			if err != nil {
				return err
			}
			e := a.load(config.LoadOptions{Root: root})
			out := e.YAML(origins)
			if asJSON {
				out = e.JSON(origins)
			}
			if _, err := a.stdout.Write(out); err != nil {
				return err
			}
			if e.TrustErr != nil {
				a.errorf("%v", e.TrustErr)
			}
			for _, notice := range e.Notices {
				a.hintf("%s", notice)
			}
			a.nearMisses(root)
			if e.Broken() {
				a.errorf("%s", e.ProblemNotice(0))
				return exitCode(exitError)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object: config, on, held, problems")
	cmd.Flags().BoolVar(&origins, "origins", false, "say where each value comes from")
	return cmd
}

func (a *app) nearMisses(root string) {
	for _, name := range config.NearMisses(root, a.state) {
		want := config.FileName
		if filepath.Dir(name) == a.state {
			want = filepath.Join(a.state, config.HumanFileName)
		}
		a.hintf("%s is not read: the name is %s", name, want)
	}
}

func newConfigValidateCmd(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "validate [FILE]",
		Short: "Report every problem of a configuration file",
		Long: `validate reads FILE, or standard input for -, or without an argument the files
that are in force here: the project's and your own.`,
		Example: `  guardrails config validate
  guardrails config validate other.yaml

Exit codes: 0 valid, 1 problems (all of them, with line and column).`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.validate(args, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the problems as a JSON list")
	return cmd
}

// unknownRules finds exceptions that can never count: from a rule that does not
// exist, or from one that nothing excuses.
func unknownRules(file string, allow []config.Allow) config.Problems {
	var out config.Problems
	for _, al := range allow {
		pack, all := strings.CutSuffix(al.Rule, "/*")
		known := false
		for _, r := range policy.Rules() {
			known = known || r.ID == al.Rule || (all && r.Pack() == pack)
		}
		switch {
		case strings.HasPrefix(al.Rule, "self-protection/"):
			out = append(out, config.Problem{File: file, Msg: fmt.Sprintf("policy.allow: nothing excuses %s", al.Rule)})
		case !known && !secretRule(al.Rule):
			out = append(out, config.Problem{File: file, Msg: fmt.Sprintf("policy.allow: no rule %q%s", al.Rule, didYouMean(al.Rule))})
		}
	}
	return out
}

func (a *app) validate(args []string, asJSON bool) error {
	var files []string
	var problems config.Problems
	if len(args) == 1 {
		files = args
		f, err := a.readConfig(args[0])
		if err != nil {
			return err
		}
		var file *config.File
		if file, problems = config.Parse(args[0], f, yamldoc.Read); file != nil {
			problems = append(problems, unknownRules(args[0], file.Config.Policy.Allow)...)
		}
	} else {
		root, err := a.root()
		if err != nil {
			return err
		}
		// What a project's file says is looked at whether it is trusted or not.
		e := a.load(config.LoadOptions{Root: root, TreatAsTrusted: true})
		for _, name := range []string{e.Human, e.Project} {
			if name != "" {
				files = append(files, name)
			}
		}
		problems = append(e.Problems, unknownRules(strings.Join(files, ", "), e.Config.Policy.Allow)...)
		a.nearMisses(root)
	}
	if err := a.sayProblems(problems, asJSON); err != nil {
		return err
	}
	if len(files) == 0 {
		a.sayf("no configuration here: the built-in one is in force")
	}
	for _, name := range files {
		a.sayf("%s is valid", name)
	}
	return nil
}

// sayProblems prints what is wrong with files; the error is nil if nothing is.
func (a *app) sayProblems(problems config.Problems, asJSON bool) error {
	if asJSON {
		type problem struct {
			File    string `json:"file"`
			Line    int    `json:"line"`
			Column  int    `json:"column"`
			Message string `json:"message"`
		}
		list := make([]problem, len(problems))
		for i, p := range problems {
			list[i] = problem{p.File, p.Line, p.Col, p.Msg}
		}
		if err := a.writeJSON(list); err != nil {
			return err
		}
	} else {
		for _, p := range problems {
			a.sayf("%s", p)
		}
	}
	if len(problems) > 0 {
		return exitCode(exitError)
	}
	return nil
}

func (a *app) readConfig(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(io.LimitReader(a.stdin, config.MaxSize+1))
	}
	data, err := fsx.ReadFile(a.abs(name), 4*config.MaxSize) // Parse says by how much it is too large
	if err != nil {
		return nil, a.unreadable("", name, err)
	}
	return data, nil
}

func newConfigSchemaCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the configuration, for editors",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := a.stdout.Write(config.Schema())
			return err
		},
	}
}

// configFile is the file that init and edit work on.
func (a *app) configFile(global bool) (root, name string, err error) {
	if global {
		return "", filepath.Join(a.state, config.HumanFileName), nil
	}
	root, err = a.root()
	if err != nil {
		return "", "", err
	}
	if root == "" {
		return "", "", fmt.Errorf("%s is no project: your home and what lies above it never are; -g is for your own file", a.dir)
	}
	return root, filepath.Join(root, config.FileName), nil
}

func newConfigInitCmd(a *app) *cobra.Command {
	var global, yes bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a starter file (for a human)",
		Long: `init opts this project in by writing ` + config.FileName + ` at its root, with every
section shown in comments. An existing file is left alone.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := a.requireHuman("config init", yes); err != nil {
				return err
			}
			_, name, err := a.configFile(global)
			if err != nil {
				return err
			}
			if kind, err := fsx.Special(name); err != nil {
				return err
			} else if kind != fsx.Absent {
				return fmt.Errorf("%s is there already: change it with guardrails config edit", name)
			}
			if err := a.writeConfig(name, config.Starter(), fsx.Stamp{}, global); err != nil {
				return err
			}
			a.sayf("wrote %s", name)
			a.hintf("switch sections on with guardrails config edit")
			return nil
		},
	}
	cmd.Flags().BoolVarP(&global, "global", "g", false, "write your own file in the state home instead")
	cmd.Flags().BoolVar(&yes, "yes", false, "do it without a terminal, in a script of your own")
	return cmd
}

func (a *app) writeConfig(name string, data []byte, was fsx.Stamp, private bool) error {
	perm := fs.FileMode(0o644)
	if private {
		perm = 0o600
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
	}
	return fsx.WriteUnchanged(name, data, perm, was)
}

func newConfigEditCmd(a *app) *cobra.Command {
	var global, yes bool
	cmd := &cobra.Command{
		Use:   "edit",
		Short: "Edit the configuration; only a valid file is kept (for a human)",
		Long: `edit opens a copy in $VISUAL or $EDITOR and puts it in place when it is valid. A
project's file that was trusted, or had nothing to trust, is trusted as you leave
it: you wrote it.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := a.requireHuman("config edit", yes); err != nil {
				return err
			}
			root, name, err := a.configFile(global)
			if err != nil {
				return err
			}
			return a.edit(root, name)
		},
	}
	cmd.Flags().BoolVarP(&global, "global", "g", false, "edit your own file in the state home instead")
	cmd.Flags().BoolVar(&yes, "yes", false, "do it without a terminal, in a script of your own")
	return cmd
}

// edit works on the project's file of root, or, without a root, on the human's.
func (a *app) edit(root, name string) error {
	open, err := a.editor()
	if err != nil {
		return err
	}
	was, err := fsx.StampOf(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	old, err := fsx.ReadFile(name, 4*config.MaxSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = config.Starter()
	case err != nil:
		return err
	}
	isNew := was.Same(fsx.Stamp{})
	// The copy is private and outside the repository; it keeps the suffix that
	// editors go by.
	if err := os.MkdirAll(a.state, 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(a.state, "edit-")
	if err != nil {
		return err
	}
	keep := false
	defer func() {
		if !keep {
			os.RemoveAll(dir)
		}
	}()
	copied := filepath.Join(dir, "guardrails.yaml")
	if err := fsx.Replace(copied, old, 0o600); err != nil {
		return err
	}
	questions := a.answers()
	for {
		code, err := proc.Attach(open(copied), a.environ())
		if err != nil {
			return fmt.Errorf("%w; set VISUAL or EDITOR to an editor you have", err)
		}
		if code != 0 {
			return fmt.Errorf("the editor ended with exit code %d: %s is as it was", code, name)
		}
		data, err := fsx.ReadFile(copied, 4*config.MaxSize)
		if err != nil {
			return err
		}
		if !isNew && string(data) == string(old) {
			a.sayf("nothing changed")
			return nil
		}
		_, problems := config.Parse(name, data, yamldoc.Read)
		if len(problems) == 0 {
			if err := a.accept(root, name, old, data, was); err != nil {
				keep = true
				return fmt.Errorf("%w; what you wrote is in %s", err, copied)
			}
			return nil
		}
		for _, p := range problems {
			a.sayf("%s", p)
		}
		if !a.terminal() {
			return fmt.Errorf("not valid: %s is as it was", name)
		}
		answer, err := questions.ask("Not valid. Edit again (e), or drop what you wrote (d)? [e/d]")
		if err != nil {
			return err
		}
		if answer == "d" {
			return fmt.Errorf("dropped: %s is as it was", name)
		}
	}
}

// accept puts a valid file in place, and keeps it trusted if its author is the
// one who trusted what was there.
func (a *app) accept(root, name string, old, data []byte, was fsx.Stamp) error {
	trust := false
	if root != "" {
		before := a.loadWith(root, name, old)
		trust = !before.Broken() && (!before.NeedsTrust || before.Trusted)
	}
	if err := a.writeConfig(name, data, was, root == ""); err != nil {
		return err
	}
	a.sayf("wrote %s", name)
	if root == "" {
		return nil
	}
	if after := a.loadWith(root, name, data); !after.NeedsTrust || after.Trusted {
		return nil
	}
	if !trust {
		a.hintf("it was not trusted before and is not now: read it, then guardrails trust")
		return nil
	}
	if err := config.Trust(a.state, root, config.Sum(data), a.now()); err != nil {
		return err
	}
	a.sayf("trusted, since you wrote it (guardrails trust --revoke undoes that)")
	return nil
}

// loadWith loads the configuration as if the file name held data.
func (a *app) loadWith(root, name string, data []byte) *config.Effective {
	return a.load(config.LoadOptions{Root: root, ReadFile: func(file string, limit int64) ([]byte, error) {
		if file == name {
			return data, nil
		}
		return fsx.ReadFile(file, limit)
	}})
}

// editor is the command that opens a file in the human's editor. Like git's, the
// variable is a shell command. Where none is set, the one that every system has
// needs a terminal: without one it would wait for keys that nobody types.
func (a *app) editor() (func(file string) []string, error) {
	editor := a.getenv("VISUAL")
	if strings.TrimSpace(editor) == "" {
		editor = a.getenv("EDITOR")
	}
	windows := runtime.GOOS == "windows"
	switch set := strings.TrimSpace(editor) != ""; {
	case !set && !a.terminal():
		return nil, errors.New("there is no terminal to edit at: run this in one, or set VISUAL or EDITOR to a command that changes the file it is given")
	case !set && windows:
		return func(file string) []string { return []string{"notepad", file} }, nil
	case !set:
		return func(file string) []string { return []string{"vi", file} }, nil
	case windows:
		return func(file string) []string { return append(strings.Fields(editor), file) }, nil
	}
	return func(file string) []string { return []string{"/bin/sh", "-c", editor + ` "$@"`, editor, file} }, nil
}
