package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/cmd/guardrails/internal/judge"
	"github.com/ec261362/guardrails/core/proc"
	"github.com/ec261362/guardrails/core/quality"
)

func newLessonsCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lessons",
		Short: "What you corrected before: told to the agent at each session's start",
		Long: `lessons are the sentences by which you corrected the agent in this repository. They
are kept on this machine only, with secrets and personal data masked; quality.lessons:
false keeps none.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	cmd.AddCommand(newLessonsListCmd(a), newLessonsEditCmd(a), newLessonsDropCmd(a))
	return cmd
}

func (a *app) repoCache() (string, error) {
	root, err := a.root()
	if err != nil {
		return "", err
	}
	return judge.RepoCache(a.state, root), nil
}

// lessons are those of this repository, and the folder that they are kept in.
func (a *app) lessons() (cache string, list []quality.Lesson, err error) {
	if cache, err = a.repoCache(); err != nil {
		return "", nil, err
	}
	list, err = quality.ReadLessons(cache)
	return cache, list, err
}

func newLessonsListCmd(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Print them, oldest first",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, list, err := a.lessons()
			if err != nil {
				return err
			}
			if len(list) == 0 && !asJSON {
				a.hintf("no lesson yet: a prompt such as \"no, use the logger\" becomes one")
			}
			for _, l := range list {
				if asJSON {
					if err := a.writeJSON(l); err != nil {
						return err
					}
					continue
				}
				fmt.Fprintf(a.stdout, "%s  %s  %s\n", l.ID, l.At.Local().Format("2006-01-02"), l.Text)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object for each")
	return cmd
}

func newLessonsDropCmd(a *app) *cobra.Command {
	var all, yes bool
	cmd := &cobra.Command{
		Use:   "drop ID… | --all",
		Short: "Forget lessons (for a human)",
		Example: `  guardrails lessons list              # each line begins with its ID
  guardrails lessons drop 3f2a9c1d`,
		RunE: func(c *cobra.Command, ids []string) error {
			if err := a.requireHuman("lessons drop", yes); err != nil {
				return err
			}
			if all == (len(ids) > 0) {
				return fmt.Errorf("name the lessons by their ID, or give --all")
			}
			cache, err := a.repoCache()
			if err != nil {
				return err
			}
			var gone []string
			err = quality.UpdateLessons(c.Context(), cache, func(list []quality.Lesson) []quality.Lesson {
				return slices.DeleteFunc(list, func(l quality.Lesson) bool {
					drop := all || slices.Contains(ids, l.ID)
					if drop {
						gone = append(gone, l.ID)
					}
					return drop
				})
			})
			if err != nil {
				return err
			}
			for _, id := range ids {
				if !slices.Contains(gone, id) {
					return fmt.Errorf("no lesson %q: `guardrails lessons list` shows them", id)
				}
			}
			a.sayf("%d dropped", len(gone))
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "forget every lesson of this repository")
	cmd.Flags().BoolVar(&yes, "yes", false, "do it without a terminal, in a script of your own")
	return cmd
}

func newLessonsEditCmd(a *app) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "edit",
		Short: "Change them in your editor, one a line (for a human)",
		Long: `edit opens them in $VISUAL or $EDITOR, one a line. A line that is removed is
forgotten, a new one is a lesson; what was learnt meanwhile stays.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.requireHuman("lessons edit", yes); err != nil {
				return err
			}
			cache, list, err := a.lessons()
			if err != nil {
				return err
			}
			var b strings.Builder
			b.WriteString("# One lesson a line. Remove a line to forget it.\n")
			for _, l := range list {
				b.WriteString(l.Text + "\n")
			}
			text, err := a.edited(b.String())
			if err != nil {
				return err
			}
			return quality.UpdateLessons(c.Context(), cache, func(now []quality.Lesson) []quality.Lesson {
				var out []quality.Lesson
				for line := range strings.Lines(text) {
					line = strings.TrimSpace(line)
					if line == "" || strings.HasPrefix(line, "#") {
						continue
					}
					l := quality.NewLesson(line, a.now())
					if i := slices.IndexFunc(now, func(o quality.Lesson) bool { return o.ID == l.ID }); i >= 0 {
						l = now[i]
					}
					out = append(out, l)
				}
				// What was learnt while the editor was open stays.
				for _, l := range now {
					if !slices.ContainsFunc(list, func(o quality.Lesson) bool { return o.ID == l.ID }) {
						out = quality.AddLesson(out, l)
					}
				}
				return out
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do it without a terminal, in a script of your own")
	return cmd
}

// edited lets the human change a text in their editor.
func (a *app) edited(text string) (string, error) {
	open, err := a.editor()
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp("", "guardrails-lessons-*.txt")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	if _, err := f.WriteString(text); err != nil {
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	code, err := proc.Attach(open(f.Name()), a.environ())
	if err == nil && code != 0 {
		return "", fmt.Errorf("the editor ended with exit code %d: nothing is changed", code)
	}
	if err != nil {
		return "", fmt.Errorf("%w; set VISUAL or EDITOR to an editor you have", err)
	}
	data, err := os.ReadFile(f.Name())
	return string(data), err
}
