package evidence

import (
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// minDetail is how many characters a detail has at least.
const minDetail = 6

// Substantive reports whether a detail says what was seen, and not only that
// all is well.
func Substantive(detail string) bool {
	if isPlaceholder(detail) {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(detail), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	said := false
	for _, w := range words {
		said = said || !filler(w)
	}
	return said && utf8.RuneCountInString(strings.Join(words, "")) >= minDetail
}

// isPlaceholder reports whether a text is what our messages leave to be filled in.
func isPlaceholder(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">") || strings.Trim(text, "….") == ""
}

// filler reports whether a word only says that all is well.
func filler(w string) bool {
	switch w {
	case "ok", "okay", "done", "pass", "passes", "passed", "passing", "good", "fine", "works", "working", "worked", "yes", "green",
		"fixed", "lgtm", "success", "successful", "successfully", "complete", "completed", "verified", "tested", "checked", "finished",
		"all", "it", "is", "was", "the", "and", "now", "very", "looks", "everything", "tests", "test", "true", "n", "a", "none", "todo", "tbd":
		return true
	default:
		return false
	}
}

// clean makes a text fit to be kept: one line, bounded, no control characters
// and no path of this machine. Paths below root become relative to it, others
// keep their last name only.
func clean(text, root, home string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(cut(text, 8*maxText), ""))
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = cleanWord(w, root, home)
	}
	return cut(strings.Join(words, " "), maxText)
}

// cleanWord takes what is local out of one word, wherever in it a path stands.
func cleanWord(w, root, home string) string {
	for at := 0; at < len(w); {
		n := absolute(w[at:])
		if n == 0 || at > 0 && (pathByte(w[at-1]) || w[at-1] == '/' || w[at-1] == '\\') {
			at++
			continue
		}
		p := strings.TrimRight(w[at:at+n], ".,:;")
		short := "…/" + lastName(p)
		if rel, ok := inside(p, root); ok && rel != "." {
			short = rel
		} else if ok {
			short = "."
		} else if _, ok := inside(p, home); ok && p == home {
			short = "~"
		}
		w = w[:at] + short + w[at+len(p):]
		at += len(short)
	}
	return w
}

// absolute returns how long the absolute path at the start of s is, 0 if there
// is none. A bare "/" and one segment with nothing below it, as in "and/or", are
// none.
func absolute(s string) int {
	start := 0
	switch {
	case strings.HasPrefix(s, "file://"):
		start = len("file://")
	case strings.HasPrefix(s, "~/"):
		start = 1
	case len(s) > 2 && unicode.IsLetter(rune(s[0])) && s[1] == ':' && (s[2] == '\\' || s[2] == '/') && !strings.HasPrefix(s[2:], "//"):
		start = 2
	case strings.HasPrefix(s, `\\`), len(s) > 1 && s[0] == '/' && s[1] != '/':
	default:
		return 0
	}
	n := start
	for n < len(s) && (pathByte(s[n]) || s[n] == '/' || s[n] == '\\') {
		n++
	}
	if strings.Trim(s[start:n], `/\`) == "" {
		return 0
	}
	return n
}

func pathByte(c byte) bool {
	return c >= 0x80 || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("._-+@%~", c) >= 0
}

func lastName(p string) string {
	p = strings.TrimRight(p, `/\`)
	return p[strings.LastIndexAny(p, `/\`)+1:]
}

// inside returns p relative to dir, with forward slashes.
func inside(p, dir string) (rel string, ok bool) {
	if dir == "" || !filepath.IsAbs(p) {
		return "", false
	}
	rel, err := filepath.Rel(dir, p)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// cut shortens s to n bytes at most, at a character's edge.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
