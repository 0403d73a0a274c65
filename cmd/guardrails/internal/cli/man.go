package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/core/fsx"
)

func newManCmd(a *app) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "man [VERB…]",
		Short: "Print a manual page, or write all of them",
		Example: `  guardrails man check | man -l -
  guardrails man --out /usr/local/share/man/man1`,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			if out != "" && len(args) > 0 {
				return errors.New("--out writes the page of every verb: name none")
			}
			if out == "" {
				page, err := verbOf(root, args)
				if err != nil {
					return err
				}
				_, err = fmt.Fprint(a.stdout, manPage(page))
				return err
			}
			if err := os.MkdirAll(out, 0o755); err != nil {
				return err
			}
			for _, c := range documented(root) {
				name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
				if err := fsx.WriteFile(filepath.Join(out, name), []byte(manPage(c)), 0o644); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "write a page for each verb into `DIR`")
	return cmd
}

// verbOf is the verb that words name: help and manual are of a verb that is there.
func verbOf(root *cobra.Command, words []string) (*cobra.Command, error) {
	c := root
	for _, word := range words {
		i := slices.IndexFunc(c.Commands(), func(sub *cobra.Command) bool { return sub.Name() == word || sub.HasAlias(word) })
		if i < 0 {
			return nil, noSuchVerb(c, word)
		}
		c = c.Commands()[i]
	}
	return c, nil
}

// documented lists the root and all verbs below it that help shows.
func documented(c *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			list = append(list, documented(sub)...)
		}
	}
	return list
}

// roff escapes a text: a line that starts with a dot or a quote is no request.
func roff(text string) string {
	text = strings.ReplaceAll(text, `\`, `\e`)
	text = strings.ReplaceAll(text, "-", `\-`)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}

func manPage(c *cobra.Command) string {
	var b strings.Builder
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".TH %s 1 \"\" guardrails \"User Commands\"\n", strings.ToUpper(roff(name)))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.nf\n%s\n.fi\n", roff(c.UseLine()))
	if c.Long != "" {
		fmt.Fprintf(&b, ".SH DESCRIPTION\n.nf\n%s\n.fi\n", roff(c.Long))
	}
	manFlags(&b, "OPTIONS", c.NonInheritedFlags().FlagUsages())
	manFlags(&b, "GLOBAL OPTIONS", c.InheritedFlags().FlagUsages())
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(c.Example))
	}
	var also []string
	if p := c.Parent(); p != nil {
		also = append(also, strings.ReplaceAll(p.CommandPath(), " ", "-"))
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			also = append(also, strings.ReplaceAll(sub.CommandPath(), " ", "-"))
		}
	}
	if len(also) > 0 {
		b.WriteString(".SH SEE ALSO\n")
		for i, s := range also {
			end := ","
			if i == len(also)-1 {
				end = ""
			}
			fmt.Fprintf(&b, ".BR %s (1)%s\n", roff(s), end)
		}
	}
	return b.String()
}

func manFlags(b *strings.Builder, title, usages string) {
	if usages = strings.TrimRight(usages, "\n"); usages != "" {
		fmt.Fprintf(b, ".SH %s\n.nf\n%s\n.fi\n", title, roff(usages))
	}
}

// markdown is the page of all verbs in docs/cli.md.
func markdown(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# Command line\n\nWritten by `go test ./cmd/guardrails/internal/cli -update` from the commands themselves; `guardrails VERB --help` prints the same.\n\n")
	list := documented(root)
	for _, c := range list[1:] {
		fmt.Fprintf(&b, "- [`%s`](#%s): %s\n", c.CommandPath(), strings.ReplaceAll(c.CommandPath(), " ", "-"), c.Short)
	}
	for _, c := range list[1:] {
		fmt.Fprintf(&b, "\n## %s\n\n", c.CommandPath())
		text := c.Short + "."
		if c.Long != "" {
			text = c.Long
		}
		fmt.Fprintf(&b, "```text\n%s\n\nusage: %s\n", strings.TrimSpace(text), c.UseLine())
		if flags := strings.TrimRight(c.NonInheritedFlags().FlagUsages(), "\n"); flags != "" {
			fmt.Fprintf(&b, "\n%s\n", flags)
		}
		if c.Example != "" {
			fmt.Fprintf(&b, "\n%s\n", strings.TrimRight(c.Example, "\n"))
		}
		b.WriteString("```\n")
	}
	return b.String()
}
