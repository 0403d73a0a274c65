package testrun

import (
	"strings"
	"unicode/utf8"
)

// clean returns what a terminal would show of text, as lines without trailing
// blanks: no escape sequences, and whatever a carriage return would overwrite
// as a line of its own. Runners colour without a terminal too (vitest 4, deno 2
// and maven 3, measured).
func clean(text string) []string {
	var out []string
	var b strings.Builder
	flush := func() {
		out = append(out, strings.TrimRight(b.String(), " \t"))
		b.Reset()
	}
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == 0x1b:
			i = escapeEnd(text, i)
		case c == '\r' && i+1 < len(text) && text[i+1] == '\n':
			i++
		case c == '\n' || c == '\r':
			flush()
			i++
		case c == '\b':
			s := b.String()
			if _, n := utf8.DecodeLastRuneInString(s); n > 0 {
				b.Reset()
				b.WriteString(s[:len(s)-n])
			}
			i++
		case c < 0x20 && c != '\t' || c == 0x7f:
			i++
		case c == 0xc2 && i+1 < len(text) && text[i+1] == 0x9b: // CSI as one character
			i = csiEnd(text, i+2)
		case c == 0xc2 && i+1 < len(text) && text[i+1] == 0xa0: // a blank that does not break
			b.WriteByte(' ')
			i += 2
		default:
			b.WriteByte(c)
			i++
		}
	}
	if b.Len() > 0 {
		flush()
	}
	return out
}

// escapeEnd returns where the escape sequence at i ends.
func escapeEnd(s string, i int) int {
	if i++; i >= len(s) {
		return i
	}
	switch s[i] {
	case '[':
		return csiEnd(s, i+1)
	case ']', 'P', 'X', '^', '_': // a string, up to BEL or ESC \
		for j := i + 1; j < len(s); j++ {
			switch {
			case s[j] == 0x07:
				return j + 1
			case s[j] == 0x1b && j+1 < len(s) && s[j+1] == '\\':
				return j + 2
			case s[j] == '\n': // never closed
				return j
			}
		}
		return len(s)
	case '(', ')', '*', '+', '#', '%', ' ':
		return min(i+2, len(s))
	default:
		return i + 1
	}
}

func csiEnd(s string, i int) int {
	for i < len(s) && (s[i] >= 0x20 && s[i] <= 0x3f) {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
		i++
	}
	return i
}

// number reads the decimal number that s starts with.
func number(s string) (n int, rest string, ok bool) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		if n < 1<<30 {
			n = n*10 + int(s[i]-'0')
		}
		i++
	}
	return n, s[i:], i > 0
}

// whole reads s as a decimal number and nothing else.
func whole(s string) (int, bool) {
	n, rest, ok := number(s)
	return n, ok && rest == ""
}

// counted reads "3 passed" and returns 3 and "passed".
func counted(s string) (n int, what string, ok bool) {
	n, rest, ok := number(strings.TrimSpace(s))
	if !ok || !strings.HasPrefix(rest, " ") {
		return 0, "", false
	}
	return n, strings.TrimSpace(rest), true
}

// labelled reads "Failures: 3" and returns "Failures" and 3.
func labelled(s string) (what string, n int, ok bool) {
	what, v, ok := strings.Cut(s, ":")
	if !ok {
		return "", 0, false
	}
	n, ok = whole(strings.Trim(v, " \t."))
	return strings.TrimSpace(what), n, ok
}

// seconds reports whether s is a time as runners print it: 0.12s, 1.5ms, 3m2s.
func seconds(s string) bool {
	s = strings.Trim(s, "()[]")
	if s == "" || s[0] < '0' || s[0] > '9' {
		return false
	}
	last := s[len(s)-1]
	return last == 's' || last == 'm' || last == 'h'
}

// file reports whether s names a file of JavaScript or TypeScript.
func jsFile(s string) bool {
	i := strings.LastIndexByte(s, '.')
	if i < 0 {
		return false
	}
	switch s[i+1:] {
	case "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte":
		return true
	}
	return false
}
