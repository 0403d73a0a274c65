package pr

import (
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// linesOf returns the events that lines of the output tell.
func linesOf(c Call) []Event {
	source := sourceOf(c.Line)
	if source == nothing {
		return nil
	}
	var out []Event
	for line := range strings.Lines(c.Text) {
		line = plain(line)
		if ev, ok := terminalLine(line); ok {
			out = append(out, ev)
		} else if ev, ok := successLine(line); ok && source == providers {
			out = append(out, ev)
		}
	}
	return out
}

// origin is what a call's output may be taken for.
type origin int

const (
	nothing   origin = iota // texts that only mention things
	logs                    // a watch's log, read again
	providers               // what gh, glab, or a script that may run them, printed
)

// sourceOf looks at what a line runs: a search, a diff or a document may hold
// the same words as a success.
func sourceOf(l *shellcmd.Line) origin {
	found, reads := providers, false
	for i := range l.Commands {
		c := &l.Commands[i]
		if len(c.Argv) == 0 {
			continue
		}
		switch c.Program {
		case "gh", "glab":
			if !onlyReads(c) {
				return providers
			}
			reads = true
		case "cat", "tail", "head", "less", "more", "bat", "get-content", "tac":
			isLog := slices.ContainsFunc(c.Args(), func(w shellcmd.Word) bool {
				return strings.HasSuffix(w.Text, ".log") || strings.HasSuffix(w.Text, ".out") || w.Text == "-f" || w.Text == "-F"
			})
			if isLog {
				found = min(found, logs)
			} else if len(c.Stdin.Peers) == 0 {
				found = nothing
			}
		case "echo", "printf", "grep", "rg", "egrep", "fgrep", "ag", "ack", "sed", "awk", "git", "jq", "yq", "ls", "find", "wc", "diff",
			"write-output", "write-host", "select-string", "sort", "uniq", "cut", "tr", "nl", "strings", "cd", "true", "pwd", "sleep", "export", "set", "test", "[":
			if !neutral(c.Program) && len(c.Stdin.Peers) == 0 {
				found = nothing
			}
		default:
			return providers // a script, a program that we do not know
		}
	}
	switch {
	case !reads:
		return found
	case strings.Contains(l.Source, "TERMINAL"): // a watch that says itself how it ended
		return logs
	}
	return nothing
}

// onlyReads reports whether gh or glab shows what others wrote: a description, a
// comment or an answer may hold any line.
func onlyReads(c *shellcmd.Command) bool {
	var words []string
	sends, asks := false, false // fields; a GraphQL query
	args := c.Args()
	for i := range args {
		text := args[i].Text
		if len(words) > 0 && words[0] == "api" {
			switch {
			case text == "-X" || text == "--method":
				return i+1 < len(args) && strings.EqualFold(args[i+1].Text, "get")
			case strings.HasPrefix(text, "-X"), strings.HasPrefix(text, "--method="):
				return strings.HasSuffix(strings.ToLower(text), "get")
			case strings.HasPrefix(text, "-f"), strings.HasPrefix(text, "-F"), strings.HasPrefix(text, "--field"), strings.HasPrefix(text, "--raw-field"), strings.HasPrefix(text, "--input"):
				sends = true
			case strings.HasPrefix(text, "query="):
				asks = !strings.Contains(text, "mutation") && !strings.HasPrefix(text, "query=@") && args[i].Static
			}
		}
		if !strings.HasPrefix(text, "-") {
			words = append(words, text)
		}
	}
	if len(words) == 0 {
		return true
	}
	switch words[0] {
	case "api":
		return !sends || asks
	case "search", "status", "browse", "help", "version":
		return true
	}
	verb, _, ok := TargetOf(c)
	if !ok && len(words) > 1 {
		verb = words[1]
	}
	switch verb {
	case "view", "show", "list", "ls", "diff", "status", "checks", "watch", "trace":
		return true
	}
	return false
}

// neutral reports whether a program prints nothing of its own.
func neutral(program string) bool {
	switch program {
	case "cd", "true", "pwd", "sleep", "export", "set", "test", "[":
		return true
	}
	return false
}

// plain returns a line without blanks, colours and the mark in front.
func plain(line string) string {
	line = strings.TrimSpace(line)
	if strings.Contains(line, "\x1b[") {
		var b strings.Builder
		for {
			before, after, ok := strings.Cut(line, "\x1b[")
			b.WriteString(before)
			if !ok {
				break
			}
			i := strings.IndexFunc(after, func(r rune) bool { return r >= '@' && r <= '~' })
			if i < 0 {
				break
			}
			line = after[i+1:]
		}
		line = strings.TrimSpace(b.String())
	}
	line = strings.TrimPrefix(line, "Output: ") // Gemini CLI 0.61.0, measured
	for _, icon := range [...]string{"✓", "✔", "√", "✗", "✘", "!", "-", "•", "X", "x"} {
		if rest, ok := strings.CutPrefix(line, icon+" "); ok {
			return strings.TrimSpace(rest)
		}
	}
	return line
}

// terminalLine reads a watch's exit line: TERMINAL pr=7: MERGED, in words or as
// state=MERGED, and one that leaves it at TERMINAL pr=7, which ended somehow.
func terminalLine(line string) (Event, bool) {
	rest, ok := strings.CutPrefix(line, "TERMINAL pr=")
	if !ok {
		return Event{}, false
	}
	name, state, _ := strings.Cut(rest, " ")
	name = strings.TrimRight(name, ":,;.")
	var ref Ref
	if n, ok := number(strings.TrimLeft(name, "#!")); ok {
		ref.Number = n
	} else if ref, ok = Parse(name); !ok {
		return Event{}, false
	}
	if all := URLs(state); len(all) > 0 && all[0].Same(ref) {
		ref = all[0]
	}
	kind, ok := endState(state)
	return Event{Kind: kind, Ref: ref, Said: true}, ok
}

// endState reads what stands behind the number of a watch's exit line: MERGED or
// CLOSED as a word or behind "=". Nothing, or only addresses and key=value, leaves
// open how it ended; a sentence, and OPEN, is no exit line.
func endState(text string) (k Kind, ok bool) {
	for word := range strings.FieldsSeq(text) {
		word = strings.Trim(word, ":,;.()[]\"'")
		_, value, pair := strings.Cut(word, "=")
		if !pair {
			value = word
		}
		switch {
		case value == "MERGED", pair && strings.EqualFold(value, "merged"):
			return Merged, true
		case value == "CLOSED", pair && strings.EqualFold(value, "closed"):
			return Closed, true
		case strings.EqualFold(value, "open"):
			return 0, false
		case word != "" && !pair && !strings.Contains(word, "://"):
			return 0, false
		}
	}
	return Closed, true
}

// successLine reads what gh and glab say of a pull request's fate.
func successLine(line string) (Event, bool) {
	for _, s := range [...]struct {
		words string
		kind  Kind
		mark  byte
	}{
		{"Squashed and merged pull request ", Merged, '#'},
		{"Rebased and merged pull request ", Merged, '#'},
		{"Merged pull request ", Merged, '#'},
		{"Closed pull request ", Closed, '#'},
		{"Reopened pull request ", Reopened, '#'},
		{"Merged merge request ", Merged, '!'},
		{"Closed merge request ", Closed, '!'},
		{"Reopened merge request ", Reopened, '!'},
	} {
		if rest, ok := cutFold(line, s.words); ok {
			ref, ok := readRef(rest, s.mark)
			return Event{Kind: s.kind, Ref: ref, Said: true}, ok
		}
	}
	if rest, ok := cutFold(line, "Pull request "); ok {
		ref, ok := readRef(rest, '#')
		if !ok {
			return Event{}, false
		}
		switch low := strings.ToLower(rest); {
		case strings.Contains(low, "was already merged"), strings.Contains(low, "is already merged"):
			return Event{Kind: Merged, Ref: ref, Said: true}, true
		case strings.Contains(low, "is already closed"), strings.Contains(low, "can't be closed because it was already merged"):
			return Event{Kind: Closed, Ref: ref, Said: true}, true
		case strings.Contains(low, "will be automatically merged"), strings.Contains(low, "will be automatically squashed"),
			strings.Contains(low, "will be automatically rebased"), strings.Contains(low, "will be added to the merge queue"),
			strings.Contains(low, "is already queued to merge"), strings.Contains(low, "will be auto-merged"):
			return Event{Kind: Armed, Ref: ref, Said: true}, true
		}
		return Event{}, false
	}
	// glab names no number in these; its command does.
	switch strings.TrimRight(line, ".") {
	case "Merged!", "Squashed and merged!", "Rebased and merged!":
		return Event{Kind: Merged, Ref: Ref{GitLab: true}, Said: true}, true
	case "Will auto-merge", "Will auto-merge when pipeline succeeds", "Will merge when pipeline succeeds":
		return Event{Kind: Armed, Ref: Ref{GitLab: true}, Said: true}, true
	}
	return Event{}, false
}

// refused reports whether the provider or the program says that it did not do
// it, in words that come before any effect.
func refused(text string) bool {
	for line := range strings.Lines(text) {
		low := strings.ToLower(strings.TrimSpace(line))
		low = strings.TrimPrefix(strings.TrimPrefix(low, "output: "), "x ")
		for _, p := range [...]string{
			"graphql: ", "no pull requests found", "no open merge request", "unknown flag", "unknown command", "unknown shorthand", "accepts ", "required flag",
			"could not resolve to a ", "to get started with github cli", "to authenticate, please", "must provide", "argument required",
			"none of the git remotes", "fatal: not a git repository", "failed to run git: fatal: not a git repository", "specify only one of", "--merge, --rebase, or --squash required",
			"http 401", "http 403", "http 404", "http 405", "http 422", "gh: not found", "bash: ", "/bin/sh: ", "zsh: ", "sh: ",
		} {
			if strings.HasPrefix(low, p) {
				return true
			}
		}
		if strings.HasPrefix(low, "pull request ") && (strings.Contains(low, "is not mergeable") || strings.Contains(low, "can't be ") || strings.Contains(low, "cannot be ") ||
			strings.Contains(low, "is in draft") || strings.Contains(low, "is still a draft")) ||
			strings.HasSuffix(low, "command not found") || strings.Contains(low, "not recognized as ") ||
			strings.Contains(low, "merge request is not mergeable") || strings.Contains(low, "cannot be merged") || strings.Contains(low, "405 method not allowed") {
			return true
		}
	}
	return false
}

// named reports whether a line says that of the pull request that a command
// names.
func named(said []Event, kind Kind, t Target) bool {
	return slices.ContainsFunc(said, func(ev Event) bool {
		return ev.Kind == kind && (t.Ref.Number == 0 || ev.Ref.Number == 0 || ev.Ref.Same(t.Ref))
	})
}
