package pr

import (
	"strings"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// Target is the pull request that a command names.
type Target struct {
	Ref    Ref    // Number 0 = none named by number or address; Owner and Repo also from -R
	Branch string // named by branch; "" with Number 0 = that of the current branch
	GitLab bool
}

// TargetOf returns what gh pr VERB or glab mr VERB names, and its verb; ok is
// false if c is neither.
func TargetOf(c *shellcmd.Command) (verb string, t Target, ok bool) {
	var noun string
	switch c.Program {
	case "gh":
		noun = "pr"
	case "glab":
		noun = "mr"
		t.GitLab = true
		t.Ref.GitLab = true
	default:
		return "", Target{}, false
	}
	var words []string
	args := c.Args()
	for i := 0; i < len(args); i++ {
		text := args[i].Text
		if len(text) < 2 || text[0] != '-' {
			if words = append(words, text); len(words) == 1 && text != noun {
				return "", Target{}, false
			}
			if len(words) == 2 {
				verb = text
			}
			continue
		}
		name, value, eq := flagOf(text)
		if !eq && takesValue(t.GitLab, verb, name) && i+1 < len(args) {
			i++
			value = args[i].Text
		}
		if name == "R" || name == "repo" {
			t.repo(value)
		}
	}
	if len(words) < 2 {
		return "", Target{}, false
	}
	if t.Ref.Owner == "" {
		if w, ok := c.Getenv("GH_REPO"); ok && !t.GitLab {
			t.repo(w.Text)
		}
	}
	switch verb {
	case "create", "new", "for", "list", "status":
		return verb, t, true // what follows is no pull request
	}
	if len(words) > 2 {
		t.name(words[2])
	}
	return verb, t, true
}

func (t *Target) repo(s string) {
	if host, owner, repo := repoOf(s); owner != "" {
		t.Ref.Host, t.Ref.Owner, t.Ref.Repo = host, owner, repo
	}
}

func (t *Target) name(s string) {
	if strings.Contains(s, shellcmd.Unknown) {
		return
	}
	if ref, ok := ParseURL(s); ok {
		t.Ref = ref
		return
	}
	if n, ok := number(strings.TrimLeft(s, "#!")); ok {
		t.Ref.Number = n
		return
	}
	t.Branch = s
}

// flagOf splits --name=value, -Xvalue is -X with a value.
func flagOf(s string) (name, value string, has bool) {
	if long, ok := strings.CutPrefix(s, "--"); ok {
		return strings.Cut(long, "=")
	}
	name = s[1:2]
	if len(s) > 2 {
		return name, strings.TrimPrefix(s[2:], "="), true
	}
	return name, "", false
}

// takesValue reports whether a flag's value is the next word (gh 2.60, glab
// 1.50, documented).
func takesValue(gitlab bool, verb, flag string) bool {
	switch flag {
	case "R", "repo", "hostname", "json", "jq", "q", "template":
		return true
	}
	if gitlab {
		switch verb {
		case "merge", "accept":
			return flag == "sha" || flag == "message" || flag == "m" || flag == "squash-message"
		case "note":
			return flag == "message" || flag == "m" || flag == "file"
		case "update", "create", "new", "for":
			switch flag {
			case "a", "assignee", "b", "target-branch", "s", "source-branch", "d", "description", "l", "label", "u", "unlabel", "m", "milestone", "t", "title",
				"reviewer", "H", "head", "i", "related-issue", "copy-issue-labels", "template":
				return true
			}
		}
		return false
	}
	switch flag {
	case "body", "body-file", "title", "base", "head", "assignee", "label", "milestone", "project", "reviewer", "recover", "author-email",
		"match-head-commit", "subject", "comment", "add-assignee", "add-label", "add-project", "add-reviewer", "remove-assignee", "remove-label",
		"remove-project", "remove-reviewer", "branch", "interval", "color", "limit", "state", "search", "author", "app":
		return true
	}
	if len(flag) != 1 {
		return false
	}
	short := ""
	switch verb {
	case "create", "new":
		short = "aBbFHlmprtT"
	case "edit":
		short = "BbFmt"
	case "comment", "review":
		short = "bF"
	case "merge":
		short = "AbFt"
	case "close", "reopen":
		short = "c"
	case "checkout", "co":
		short = "b"
	case "checks":
		short = "it"
	case "view", "list":
		short = "taABHlLsS"
	}
	return strings.Contains(short, flag)
}

// has reports whether a command has one of these flags; one letter is a short
// one.
func has(c *shellcmd.Command, flags ...string) bool {
	args := c.Args()
	verb := ""
	for i := 0; i < len(args); i++ {
		text := args[i].Text
		if len(text) < 2 || text[0] != '-' {
			if i == 1 {
				verb = text
			}
			continue
		}
		name, value, eq := flagOf(text)
		for _, f := range flags {
			if f == name && value != "false" {
				return true
			}
		}
		if !eq && takesValue(c.Program == "glab", verb, name) {
			i++
		}
	}
	return false
}

func asksHelp(c *shellcmd.Command) bool { return has(c, "help", "h") }
