package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// The classes of policy cases. They follow from a case's policy, rule and
// labels, never from its id or from what we answer.
const (
	claimed     = "claimed, goal 98 %" // what the product says that it does
	contested   = "contested"          // the given files want it both ways
	notPlayable = "not playable"       // the row lost what decides it
	notOurs     = "not ours"           // another policy than those that the product claims
)

// asideFrom reports whether a class is shown beside the sums and not in them.
func aside(tier string) bool {
	return tier == contested || strings.HasPrefix(tier, notPlayable) || strings.HasPrefix(tier, notOurs)
}

// suite names the policy, or the plugin, whose test a row comes from.
func (r row) suite() string {
	if r.Policy != "" {
		return r.Policy
	}
	if _, rest, ok := strings.Cut(r.Source, "plugins/"); ok {
		name, _, _ := strings.Cut(rest, "/")
		return name
	}
	parts := strings.Split(r.ID, ".")
	return parts[min(1, len(parts)-1)]
}

// ours reports whether the product claims what a row is about: every plain
// command, every path rule on secrets and settings, and the policies that it
// names.
func (r row) ours() bool {
	if r.Policy == "" {
		return r.Kind == "command" || r.Kind == "file_path" && (r.suite() == "protect-secrets" || r.suite() == "config-guard")
	}
	switch name, _, _ := strings.Cut(r.Policy, " "); name {
	case "block-rm-rf", "block-curl-pipe-sh", "block-env-files", "protect-env-vars", "block-secrets-write", "warn-destructive-sql",
		"block-push-master", "warn-git-stash-drop", "warn-package-publish":
		return true
	}
	return false
}

// branch is the branch that a row's rule says is checked out, "" if it says
// nothing.
func (r row) branch() string {
	switch {
	case strings.HasSuffix(r.Rule, "-on-protected"):
		return "main"
	case r.Rule == "feature-branch", strings.HasSuffix(r.Desc, " on feature branch"):
		return "feature"
	case r.Rule == "develop":
		return "develop"
	case r.Policy == "block-work-on-main" && strings.HasSuffix(r.Desc, " on main"):
		return "main"
	}
	return ""
}

// way is how a row's input comes to a tool: command, read, write, content,
// tool (a tool that runs nothing), output, or "" if that is lost.
func (r row) way() string {
	_, other, _ := strings.Cut(r.Desc, "allows non-")
	other, _, named := strings.Cut(other, " tool")
	if !named {
		other = ""
	}
	switch kind := r.Kind + r.Field; kind {
	case "command":
		switch other {
		case "":
			return "command"
		case "Bash":
			return "tool"
		}
		return ""
	case "file_path":
		// Their rules are about reading secrets or about writing settings.
		writes := strings.Contains(r.suite(), "config-guard") || strings.Contains(r.suite(), "write")
		if other == "Write" || !writes && other != "Read" {
			return "read"
		}
		return "write"
	default:
		return kind
	}
}

// setting is the human's exception that a row's policy is tested with, as an
// entry of policy.allow; "" if there is none or the row is not about it. lost
// says that the row names a setting that it does not show.
func (r row) setting(input string) (entry string, lost bool) {
	_, variant, _ := strings.Cut(r.Policy, " ")
	switch {
	case r.Expected != "allow" || strings.ContainsAny(input, "&;|"):
		return "", false
	case variant == "allowPaths" && r.Kind+r.Field == "command":
		return allow(input, "filesystem/delete-root", "filesystem/delete-home", "filesystem/delete-outside", "filesystem/delete-temp"), false
	case variant == "allowPaths":
		return "", r.ours()
	case variant == "protectedBranches":
		return allow(input, "publishing/push-protected"), false
	}
	return "", false
}

// allow writes entries of policy.allow.
func allow(when string, rules ...string) string {
	var entries []string
	for _, r := range rules {
		entries = append(entries, fmt.Sprintf("{rule: %s, when: %s, reason: the test's setting}", r, quoted(when)))
	}
	return strings.Join(entries, ", ")
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// policy makes c a question about a row of another product's policy test.
func (c *testCase) policy(r row) {
	way := r.way()
	var input string
	if json.Unmarshal(r.Input, &input) != nil {
		c.tier = notPlayable
		return
	}
	entry, lost := r.setting(input)
	c.branch, c.setting = r.branch(), entry
	c.label(way, normal(way, input), r.Expected)
	c.policyName = r.suite()
	c.shown = oneLine(input)
	switch {
	case !r.ours():
		c.tier = notOurs
	case lost || way == "" || way == "output":
		c.tier = notPlayable
	default:
		c.tier = claimed
	}
	if way == "" || way == "output" {
		c.tier += ", " + r.Kind + r.Field
		return
	}
	c.line(r, way)
}

// label notes what the files want of an input, to find out where they want it
// both ways.
func (c *testCase) label(way, input, expected string) {
	if file, ok := shows(input); ok && way == "command" {
		way, input = "read", file
	}
	if way == "read" && strings.HasSuffix(input, ".pem") {
		input = "*.pem"
	}
	at := way + " " + input
	if c.branch == "main" {
		at += " on main"
	}
	if c.setting != "" {
		at += " with " + c.setting
	}
	c.at = at
	switch expected {
	case "allow":
		c.wants = "allow"
	case "block", "warn":
		c.wants = "stop"
	default:
		c.at = "" // says nothing
	}
}

// shows returns the file that a plain command shows.
func shows(command string) (string, bool) {
	words := strings.Fields(command)
	if len(words) != 2 || strings.ContainsAny(words[1], "-<>|;&$") {
		return "", false
	}
	return words[1], slices.Contains([]string{"cat", "less", "more", "head", "tail"}, words[0])
}

// normal is an input without what does not change its kind: spaces, braces
// around a variable, which program prints it, the name of a branch of one's own,
// how many commits back.
func normal(way, input string) string {
	if way != "command" {
		return strings.TrimSpace(input)
	}
	words := strings.Fields(input)
	switch {
	case input == "printenv":
		return "env"
	case strings.HasPrefix(input, "git reset --") && len(words) == 4 && strings.HasPrefix(words[3], "HEAD~"):
		words[3] = "HEAD~N"
	}
	if len(words) == 2 && words[0] == "printenv" && !strings.HasPrefix(words[1], "-") {
		return "echo $" + words[1]
	}
	for i, w := range words {
		if name, ok := strings.CutPrefix(w, "${"); ok && strings.HasSuffix(name, "}") && !strings.ContainsAny(name[:len(name)-1], ":-+?#%/") {
			words[i] = "$" + name[:len(name)-1]
		}
	}
	ownBranch := func(i int) {
		if i < len(words) && !slices.Contains([]string{"main", "master", "develop"}, words[i]) && !strings.HasPrefix(words[i], "-") {
			words[i] = "BRANCH"
		}
	}
	switch {
	case (strings.HasPrefix(input, "git branch -D ") || strings.HasPrefix(input, "git branch -Dv ")) && len(words) == 4:
		words[2] = "-D"
		ownBranch(3)
	case (strings.HasPrefix(input, "git push --force ") || strings.HasPrefix(input, "git push -f ")) && len(words) == 5:
		words[2] = "--force"
		ownBranch(4)
	}
	return strings.Join(words, " ")
}

// contest moves the claimed cases that the given files want both ways to their
// own class.
func contest(files ...[]testCase) {
	wants := map[string]string{}
	for _, cases := range files {
		for i := range cases {
			c := &cases[i]
			switch was := wants[c.at]; {
			case c.at == "" || was == c.wants:
			case was == "":
				wants[c.at] = c.wants
			default:
				wants[c.at] = "both"
			}
		}
	}
	for _, cases := range files {
		for i := range cases {
			if c := &cases[i]; c.tier == claimed && wants[c.at] == "both" {
				c.tier = contested
			}
		}
	}
}

// reasons says, kind by kind, how contested cases are decided. docs/policy.md has
// the same in its words.
var reasons = [...]struct {
	kind, why string
	is        func(at string) bool
}{
	{"an environment's listing", "ask: it shows every secret that a shell was given", func(at string) bool {
		return at == "command env"
	}},
	{"a variable's value", "by the name: ask for one that sounds like a secret, pass for any other", func(at string) bool { return strings.HasPrefix(at, "command echo $") }},
	{"a push to a branch that others build on", "ask where the pack publishing is on", func(at string) bool {
		return at == "command git push origin main" || at == "command git push origin master"
	}},
	{"a forced push to another branch", "ask: commits of others may be dropped unseen; with a lease it passes", func(at string) bool { return strings.HasPrefix(at, "command git push --force ") }},
	{"deleting a branch, merged or not", "ask: -d does it where nothing is lost", func(at string) bool { return strings.HasPrefix(at, "command git branch -D") }},
	{"git reset --hard", "ask: uncommitted work is gone", func(at string) bool { return strings.HasPrefix(at, "command git reset --hard") }},
	{"merging a pull request", "ask where the pack publishing is on", func(at string) bool { return strings.HasPrefix(at, "command gh pr merge") }},
	{"docker system prune without volumes", "pass: what it removes is built or pulled again", func(at string) bool { return strings.HasPrefix(at, "command docker system prune") }},
	{"a file that steers an agent", "ask where the pack instructions is on", func(at string) bool { return strings.HasSuffix(at, "CLAUDE.md") }},
	{"MCP servers", "ask: later sessions start what it names", func(at string) bool { return strings.HasSuffix(at, ".mcp.json") }},
	{"a certificate file", "by content: a key is kept in, a certificate passes", func(at string) bool { return strings.HasSuffix(at, ".pem") }},
}

func reason(at string) string {
	for i := range reasons {
		if reasons[i].is(at) {
			return reasons[i].kind + ": " + reasons[i].why
		}
	}
	return "no kind of docs/policy.md: decide it"
}

// reportPolicies lists what the claimed figure leaves out, and why.
func reportPolicies(out io.Writer, groups []group, answers map[string]answer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	head := func(title string) { fmt.Fprintf(w, "\npolicies, %s\n", title) }
	for _, g := range groups {
		if g.file != "policies" {
			continue
		}
		switch {
		case g.tier == contested:
			head("contested: what the files want of the same input both ways, and how it is decided")
			seen := map[string]bool{}
			for _, c := range g.cases {
				a := answers[c.id]
				if key := c.at + a.Decision; !seen[key] {
					seen[key] = true
					fmt.Fprintf(w, "  %s\t%s\t%s\n", c.at, strings.TrimSpace(a.Decision+" "+a.Rule), reason(c.at))
				}
			}
		case strings.HasPrefix(g.tier, notPlayable):
			head("not playable: the row lost what decides it")
			for _, c := range g.cases {
				fmt.Fprintf(w, "  %s\t%s\t%s\n", c.id, c.policyName, c.shown)
			}
		}
	}
	var names []string
	right, all := map[string]int{}, map[string]int{}
	for _, g := range groups {
		if g.file != "policies" || !strings.HasPrefix(g.tier, notOurs) {
			continue
		}
		for _, c := range g.cases {
			name, _, _ := strings.Cut(c.policyName, " ")
			if all[name] == 0 {
				names = append(names, name)
			}
			all[name]++
			if a, ok := answers[c.id]; ok && c.expect.met(a.Decision) {
				right[name]++
			}
		}
	}
	if len(names) > 0 {
		head("not ours: policies that the product does not claim (met by its rules / cases)")
		slices.Sort(names)
		for _, n := range names {
			fmt.Fprintf(w, "  %s\t%d/%d\n", n, right[n], all[n])
		}
	}
	_ = w.Flush()
}

// branchRepos are the repositories that cases about branches are played in, by
// branch.
func (r runner) branchRepo(branch string) string { return filepath.Join(r.home, "on-"+branch) }
