package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/cmd/guardrails/internal/tidy"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/world"
	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/handoff/pr"
	"github.com/ec261362/guardrails/core/handoff/slots"
)

func newWatchCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Keep watch slots: which pull requests somebody follows",
		Long: `A watch slot says on disk that a pull request is followed, and by which session:
what the watch row of a handoff pack looks for before it lets a turn end. It
watches nothing by itself. Slots are kept in the state home under slots; a slot is
open until it is finished, and a finished one goes after 30 days.`,
		Args: cobra.NoArgs,
	}
	cmd.AddCommand(newWatchSeedCmd(a), newWatchListCmd(a), newWatchFinishCmd(a))
	return cmd
}

func (a *app) slots() slots.Layout { return slots.Layout{Dir: tidy.Slots(a.state)} }

// hostSession is the session that a host says it is, "" if no host started us:
// Claude Code 2.1.332 (measured), Gemini CLI and Codex (documented).
func (a *app) hostSession() string {
	for _, name := range [...]string{"CLAUDE_CODE_SESSION_ID", "GEMINI_SESSION_ID", "CODEX_SESSION_ID", "ANTIGRAVITY_CONVERSATION_ID"} {
		if id := a.getenv(name); id != "" {
			return id
		}
	}
	return ""
}

func newWatchSeedCmd(a *app) *cobra.Command {
	var (
		slug, session string
		asJSON        bool
	)
	cmd := &cobra.Command{
		Use:   "seed URL|OWNER/REPO#7|#7 …",
		Short: "Make the slot of a pull request, or take the open one that is there",
		Long: `seed records that a pull request or merge request is followed. Done twice it is
done once. A short name is completed by the origin of this folder. The session
that owns the slot is the one that the host names, or --session; an owner that is
recorded already stays.`,
		Example: `  guardrails watch seed https://github.com/acme/app/pull/77
  guardrails watch seed https://gitlab.com/acme/app/-/merge_requests/7 --session 21bf6993`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if slug != "" && len(args) > 1 {
				return errors.New("--slug names one slot: seed the others by themselves")
			}
			for _, arg := range args {
				ref, err := a.pullRequest(c.Context(), arg)
				if err != nil {
					return err
				}
				s, made, err := slots.Seed(a.slots(), ref, slug, cmp.Or(session, a.hostSession()), a.now())
				if err != nil {
					return err
				}
				switch {
				case asJSON:
					err = a.writeJSON(struct {
						slots.Slot
						Made bool `json:"made"`
					}{s, made})
				case made:
					a.sayf("%s is followed in slot %s", s.URL, s.Slug)
				default:
					a.sayf("%s was followed already, in slot %s", s.URL, s.Slug)
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&slug, "slug", "", "`NAME` of the slot (default made from the address)")
	f.StringVar(&session, "session", "", "`ID` of the session that owns it, as the host calls it")
	f.BoolVar(&asJSON, "json", false, "print the slot as JSON")
	return cmd
}

// pullRequest reads what names a pull request; what it leaves out is that of the
// working folder's origin.
func (a *app) pullRequest(ctx context.Context, arg string) (pr.Ref, error) {
	arg = strings.TrimSuffix(arg, ",")
	ref, ok := pr.Parse(arg)
	if !ok && arg != "" && strings.Trim(arg, "0123456789") == "" {
		ref, ok = pr.Parse("#" + arg)
	}
	if !ok {
		return pr.Ref{}, fmt.Errorf("%q is not the address of a pull request: give the whole one, such as https://github.com/OWNER/REPO/pull/7", arg)
	}
	if ref.URL() != "" {
		return ref, nil
	}
	if ctx == nil {
		ctx = context.Background()
	}
	out, err := world.Programs(a.environ()).Run(ctx, gate.Command{Argv: []string{"git", "remote", "get-url", "origin"}, Dir: a.dir, MaxOutput: 4096, Timeout: 5 * time.Second})
	if origin, ok := pr.ParseRemote(strings.TrimSpace(string(out.Stdout))); err == nil && out.Code == 0 && ok && (ref.Owner == "" || strings.EqualFold(ref.Owner+"/"+ref.Repo, origin.Owner+"/"+origin.Repo)) {
		origin.Number, origin.GitLab = ref.Number, origin.GitLab || ref.GitLab
		ref = origin
	} else if ref.Owner != "" && ref.Host == "" {
		ref.Host = "github.com"
		if ref.GitLab {
			ref.Host = "gitlab.com"
		}
	}
	if ref.URL() == "" {
		return pr.Ref{}, fmt.Errorf("%q does not say whose pull request it is, nor does an origin of this folder: give the whole address, such as https://github.com/OWNER/REPO/pull/7", arg)
	}
	return ref, nil
}

func newWatchListCmd(a *app) *cobra.Command {
	var asJSON, openOnly bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the slots",
		Long: `list prints a line for each slot on disk, of every session: the pull requests that
something watches, and whether the watch is over.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			list, err := slots.List(fsx.OS{}, a.slots())
			if err != nil {
				return err
			}
			shown := []slots.Slot{}
			for _, s := range list {
				if !openOnly || !s.Finished {
					shown = append(shown, s)
				}
			}
			if asJSON {
				return a.writeJSON(shown)
			}
			if len(shown) == 0 && len(list) > 0 {
				a.hintf("no open slots in %s: all of them are finished", a.slots().Dir)
			} else if len(shown) == 0 {
				a.hintf("no slots in %s; make one with: guardrails watch seed URL", a.slots().Dir)
			}
			for _, s := range shown {
				printSlot(a.stdout, s)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&openOnly, "open", false, "only those that are not finished")
	f.BoolVar(&asJSON, "json", false, "print them as JSON")
	return cmd
}

func printSlot(w io.Writer, s slots.Slot) {
	state := "open"
	if s.Finished {
		state = "finished " + s.FinishedAt.Local().Format("2006-01-02")
	}
	owner := ""
	if s.Session != "" {
		owner = "  session " + s.Session
	}
	fmt.Fprintf(w, "%-24s %-20s %s%s\n", s.Slug, state, cmp.Or(s.URL, "(prs.json cannot be read)"), owner)
}

func newWatchFinishCmd(a *app) *cobra.Command {
	var (
		result string
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "finish SLOT|URL|NUMBER",
		Short: "Finish a slot: its pull request was merged or closed, or is followed no more",
		Long: `finish writes the slot's result. Of a slot that is finished already the first
result stays.`,
		Example: `  guardrails watch finish acme-app-77 --result merged
  guardrails watch finish https://github.com/acme/app/pull/77 --result closed`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			list, err := slots.List(fsx.OS{}, a.slots())
			if err != nil {
				return err
			}
			found := slots.Find(list, args[0])
			if len(found) == 0 {
				return fmt.Errorf("no slot for %q: guardrails watch list shows them", args[0])
			}
			if len(found) > 1 && !found[0].Finished && !found[1].Finished {
				var names []string
				for _, s := range found {
					names = append(names, s.Slug)
				}
				return errors.New(args[0] + " is in several slots: name one of " + strings.Join(names, ", "))
			}
			was := found[0].Finished
			s, err := slots.Finish(a.slots(), found[0].Slug, result, a.now())
			if err != nil {
				return err
			}
			if asJSON {
				return a.writeJSON(s)
			}
			if was {
				a.sayf("slot %s was finished on %s", s.Slug, s.FinishedAt.Local().Format(time.DateOnly))
			} else {
				a.sayf("slot %s is finished", s.Slug)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&result, "result", "finished", "what became of the pull request, in `WORDS`")
	f.BoolVar(&asJSON, "json", false, "print the slot as JSON")
	return cmd
}
