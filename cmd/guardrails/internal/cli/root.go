// Package cli is the command tree: one file per verb. It is the only importer
// of cobra.
//
// Output rules: stdout carries the machine-readable result and nothing else;
// people read stderr. Errors start with "guardrails: error:", advice with
// "guardrails: hint:", lower case, no full stop.
package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/ec261362/guardrails/cmd/guardrails/internal/hookcmd"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/version"
)

// Exit codes of every verb but hook.
const (
	exitOK      = 0
	exitError   = 1
	exitDenied  = 2 // denied, blocked, findings; doctor and --show: not installed
	exitPartial = 3 // would ask, partial or outdated
)

// app is what a verb needs of the outside.
type app struct {
	arg0    string // how this program was started
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	getenv  func(string) string
	environ func() []string
	dir     string // working directory
	home    string // the user's home
	state   string // the state home

	stateFlag string // --home as given, "" = not
	now       func() time.Time
}

// exitCode is an error that only sets the exit code: what there was to say has
// been said.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Main runs one verb and returns the process's exit code.
func Main(argv []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(argv) == 0 {
		argv = []string{"guardrails"}
	}
	args := argv[1:]
	if len(args) > 0 && args[0] == "hook" && (len(args) < 2 || args[1] != "check") {
		// As the small program dispatches it: before the command tree exists.
		return hookcmd.Main(args[1:], hookWorld(os.Environ()), stdin, stdout, stderr)
	}
	out := &tally{Writer: stdout}
	a := &app{arg0: argv[0], stdin: stdin, stdout: out, stderr: stderr, getenv: os.Getenv, environ: os.Environ, now: time.Now}
	root := newRootCmd(a)
	if len(args) > 1 && args[0] == "hook" && args[1] == "check" {
		args = args[1:] // the same, said from the hook's side
	}
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(out) // where shells read completions
	root.SetErr(stderr)
	err := root.Execute()
	var code exitCode
	if (err == nil || errors.As(err, &code)) && out.err != nil {
		err = fmt.Errorf("the result is not whole: %w", out.err) // a full disk
	}
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &code):
		return int(code)
	default:
		a.errorf("%v", err)
		if out.n == 0 && wantsJSON(args) {
			_ = a.writeJSON(map[string]string{"error": err.Error()})
		}
		return exitError
	}
}

// tally counts what was written, and keeps the first error: not every verb looks.
type tally struct {
	io.Writer
	n   int
	err error
}

func (t *tally) Write(b []byte) (int, error) {
	n, err := t.Writer.Write(b)
	t.n += n
	if t.err == nil {
		t.err = err
	}
	return n, err
}

// wantsJSON reports whether the answer is read by a program: it hears of an error
// as JSON too. The flags may not have been read to the end.
func wantsJSON(args []string) bool {
	for _, arg := range args {
		switch arg {
		case "--json", "--json=true":
			return true
		case "--":
			return false
		}
	}
	return false
}

func newRootCmd(a *app) *cobra.Command {
	var home string
	root := &cobra.Command{
		Use:   "guardrails",
		Short: "Hooks for coding agents: what must happen happens, what must not does not",
		Long: `guardrails installs itself as a hook into coding agents and judges every call:
destructive commands are refused, its own settings stay in place, ordinary work
passes untouched.

  guardrails init --agent claude --dir .     install for this project, and prove it
  guardrails check -- rm -rf build           what would be decided, without running it
  guardrails log                             what was decided`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version.String(),
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("home") && home == "" {
				return errors.New("--home is empty: is a variable not set?")
			}
			if err := a.locate(home); err != nil && !anywhere(c) {
				return err
			}
			return nil
		},
	}
	root.SetVersionTemplate("guardrails {{.Version}}\n")
	root.PersistentFlags().StringVar(&home, "home", "", "state home (default ~/.guardrails)")
	help := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		root.SetOut(a.stderr) // people read standard error
		defer root.SetOut(a.stdout)
		help(c, args)
	})
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		text, _, _ := strings.Cut(err.Error(), ": strconv.")
		text, _, _ = strings.Cut(text, ": time: ")
		return fmt.Errorf("%s (%s --help shows the flags)", text, c.CommandPath())
	})
	root.AddCommand(verbs(a)...)
	root.InitDefaultCompletionCmd("completion")
	if c, _, err := root.Find([]string{"completion"}); err == nil && c != root {
		c.Args = cobra.ArbitraryArgs
		c.RunE = func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("no completion for %q: there is one for bash, zsh, fish and powershell", args[0])
			}
			return c.Help()
		}
	}
	root.InitDefaultHelpCmd()
	if c, _, err := root.Find([]string{"help"}); err == nil && c != root {
		c.Run = nil
		c.RunE = func(_ *cobra.Command, words []string) error {
			of, err := verbOf(root, words)
			if err != nil {
				return err
			}
			of.InitDefaultHelpFlag() // it shows in the flags
			return of.Help()
		}
	}
	sayUsage(root)
	for _, c := range documented(root) {
		if c.Flags().Lookup("agent") != nil {
			_ = c.RegisterFlagCompletionFunc("agent", cobra.FixedCompletions(agentNames(), cobra.ShellCompDirectiveNoFileComp)) // it has that flag, once
		}
	}
	return root
}

// anywhere reports whether a verb needs neither home nor folder: what it prints
// is the same on every machine.
func anywhere(c *cobra.Command) bool {
	switch c.Name() {
	case "help", "man", "version", "schema", "bash", "zsh", "fish", "powershell", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd:
		return true
	}
	return !c.HasParent() || c.HasSubCommands() // prints its help
}

// tooFew reports whether cobra's words for a wrong number of arguments mean that
// some are missing.
func tooFew(err error, given int) bool {
	for _, format := range [...]string{"requires at least %d", "accepts %d arg(s)", "accepts between %d"} {
		var least int
		if n, _ := fmt.Sscanf(err.Error(), format, &least); n == 1 {
			return given < least
		}
	}
	return given == 0
}

// sayUsage has a verb, and those below it, say what they take when they are given
// something else.
func sayUsage(c *cobra.Command) {
	if c.HasSubCommands() && !c.Runnable() {
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		c.Args = cobra.NoArgs
	}
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			err := check(c, args)
			switch {
			case err == nil:
				return nil
			case tooFew(err, len(args)):
				return fmt.Errorf("%s needs more: %s (%s --help tells what)", c.CommandPath(), c.UseLine(), c.CommandPath())
			case c.HasSubCommands():
				return noSuchVerb(c, args[0])
			}
			return fmt.Errorf("%s does not take %q: %s (%s --help tells what)", c.CommandPath(), args[len(args)-1], c.UseLine(), c.CommandPath())
		}
	}
	for _, sub := range c.Commands() {
		sayUsage(sub)
	}
}

// noSuchVerb says that there is no verb of that name below c, and which is meant.
func noSuchVerb(c *cobra.Command, word string) error {
	if !c.HasSubCommands() {
		return fmt.Errorf("%s has no %q: it has no verbs below it (%s --help tells what it takes)", c.CommandPath(), word, c.CommandPath())
	}
	c.SuggestionsMinimumDistance = 2
	what := c.CommandPath() + " has no"
	if !c.HasParent() {
		what = "unknown command"
	}
	if meant := c.SuggestionsFor(word); len(meant) > 0 {
		return fmt.Errorf("%s %q; is %s meant?", what, word, strings.Join(meant, " or "))
	}
	return fmt.Errorf("%s %q (%s --help lists what there is)", what, word, c.CommandPath())
}

// locate fills in where things are.
func (a *app) locate(stateHome string) error {
	var err error
	a.stateFlag = stateHome
	if a.dir, err = os.Getwd(); err != nil {
		return fmt.Errorf("working directory: %w", err)
	}
	if a.home, err = os.UserHomeDir(); err != nil || a.home == "" {
		return errors.New("no home directory: set HOME")
	}
	if !filepath.IsAbs(a.home) {
		return fmt.Errorf("HOME is %q: it must be an absolute path", a.home)
	}
	a.state = filepath.Join(a.home, ".guardrails")
	if stateHome != "" {
		a.state = filepath.Clean(a.abs(stateHome))
	}
	return nil
}

// terminal reports whether a person can be asked: stdin and stderr are
// terminals.
func (a *app) terminal() bool { return isTerminal(a.stdin) && isTerminal(a.stderr) }

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// width is how many columns standard output has: COLUMNS, else its terminal's,
// else 80.
func (a *app) width() int {
	if n, err := strconv.Atoi(a.getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	out := a.stdout
	if t, ok := out.(*tally); ok {
		out = t.Writer
	}
	if f, ok := out.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return 80
}

func (a *app) errorf(format string, args ...any) {
	fmt.Fprintf(a.stderr, "guardrails: error: "+format+"\n", args...)
}

func (a *app) hintf(format string, args ...any) {
	fmt.Fprintf(a.stderr, "guardrails: hint: "+format+"\n", args...)
}

func (a *app) sayf(format string, args ...any) {
	fmt.Fprintf(a.stderr, format+"\n", args...)
}
