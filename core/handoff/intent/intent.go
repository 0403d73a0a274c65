// Package intent tells whether a prompt asks to build something.
//
// It imports the standard library only.
package intent

import (
	"strings"
	"unicode"
)

// maxPrompt is how much of a prompt is read; a request stands in front.
const maxPrompt = 4 << 10

// Builds reports whether a prompt asks to build, implement, change or fix
// something, to resolve conflicts or to get a pull request green. A question
// and a slash command do not.
func Builds(prompt string) bool {
	if len(prompt) > maxPrompt {
		prompt = prompt[:maxPrompt]
	}
	prompt = strings.TrimSpace(prompt)
	if prompt == "" || prompt[0] == '/' || prompt[0] == '!' || prompt[0] == '<' {
		return false
	}
	for s := range strings.FieldsFuncSeq(unfenced(prompt), func(r rune) bool { return r == '\n' || r == '!' }) {
		for _, part := range sentences(s) {
			words := wordsOf(part)
			if len(words) > 0 && !isQuestion(part, words) && asks(words) {
				return true
			}
		}
	}
	return false
}

// unfenced drops code blocks and quoted lines.
func unfenced(s string) string {
	var out []string
	fenced := false
	for line := range strings.Lines(s) {
		trim := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trim, "```"):
			fenced = !fenced
		case !fenced && !strings.HasPrefix(trim, ">"):
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

// sentences cuts at a full stop or question mark before a blank or the end, and
// keeps the mark.
func sentences(s string) []string {
	var out []string
	from := 0
	for i := range len(s) {
		if (s[i] == '.' || s[i] == '?' || s[i] == ';') && (i+1 == len(s) || s[i+1] == ' ') {
			out = append(out, s[from:i+1])
			from = i + 1
		}
	}
	return append(out, s[from:])
}

func wordsOf(s string) []string {
	return strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(s, "’", "'")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '#'
	})
}

// isQuestion reports whether a sentence asks for an answer. A request in a
// question's clothes (can you add …) is none.
func isQuestion(s string, words []string) bool {
	switch words[0] {
	case "what", "why", "how", "when", "where", "who", "which", "whose", "is", "are", "was", "were", "does", "did", "do", "has", "have", "should", "am":
		return true
	case "can", "could", "would", "will":
		if len(words) > 1 && (words[1] == "you" || words[1] == "we") {
			return false
		}
		return true
	case "explain", "describe", "show", "list", "tell", "summarize", "summarise", "review", "compare":
		return true // asks for words
	}
	return strings.HasSuffix(strings.TrimSpace(s), "?") && !strings.HasPrefix(words[0], "please")
}

// asks reports whether a sentence is a request to change something: a verb of
// building at its beginning, or behind words that introduce a request.
func asks(words []string) bool {
	at := 0
	for at < len(words) && isIntro(words[at]) {
		at++
	}
	// "so the export is missing, please add it", "I want you to build …", "then fix it"
	for i := range words {
		if i != at && (i == 0 || !leads(words[i-1])) {
			continue
		}
		if builds(words[i:]) {
			return true
		}
	}
	return conflicts(words) || green(words)
}

// isIntro reports whether a word may stand before a request.
func isIntro(w string) bool {
	switch w {
	case "please", "pls", "plz", "kindly", "now", "ok", "okay", "hey", "hi", "so", "then", "next", "also", "and", "just", "let's", "lets", "first", "second", "finally", "can", "could", "would", "will",
		"you", "we", "go", "ahead", "quickly", "try", "to", "i", "want", "need", "like", "you'd", "i'd", "help", "me", "us", "task", "todo", "great", "thanks", "thank", "yes",
		"sure", "good", "perfect", "nice", "cool", "alright", "claude", "gemini":
		return true
	}
	return false
}

// leads reports whether a verb right behind w is a request.
func leads(w string) bool {
	switch w {
	case "please", "then", "and", "to", "just", "let's", "lets", "now", "you", "we", "also", "pls":
		return true
	}
	return false
}

// builds reports whether words begin with a verb of building that has an
// object.
func builds(words []string) bool {
	if len(words) == 0 {
		return false
	}
	next := ""
	if len(words) > 1 {
		next = words[1]
	}
	switch words[0] {
	case "implement", "refactor", "rewrite", "reimplement", "scaffold", "migrate", "port", "redesign", "integrate", "introduce", "extend", "rename", "replace", "remove", "delete", "convert", "upgrade",
		"fix", "repair", "develop", "create", "add", "build", "write", "code", "patch", "debug", "improve", "optimize", "optimise", "simplify", "restyle", "extract", "split", "modify", "adjust", "finish", "ship":
		return next != "" && next != "up" || words[0] == "implement" || words[0] == "refactor" || words[0] == "build"
	case "wire", "hook", "set", "clean":
		return next == "up"
	case "make", "change", "update":
		switch next {
		case "", "sure", "sense":
			return false
		}
		return true
	case "get":
		return green(words)
	case "resolve":
		return next != ""
	}
	return false
}

// conflicts reports whether words ask to resolve merge conflicts.
func conflicts(words []string) bool {
	verb := false
	for _, w := range words {
		switch w {
		case "resolve", "fix", "solve", "clear":
			verb = true
		case "conflict", "conflicts":
			if verb {
				return true
			}
		}
	}
	return false
}

// green reports whether words ask to get a pull request green, merged or
// passing.
func green(words []string) bool {
	get, pr := false, false
	for _, w := range words {
		switch w {
		case "get", "make", "bring", "take", "land":
			get = true
		case "pr", "prs", "mr", "ci", "build", "branch", "checks", "pipeline", "pull":
			pr = pr || get
		case "green", "merged", "passing", "mergeable", "landed", "pass", "in", "over":
			if pr && w != "in" && w != "over" {
				return true
			}
		}
		if strings.HasPrefix(w, "#") && get {
			pr = true
		}
	}
	return false
}
