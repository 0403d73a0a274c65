package gemini

import (
	"bytes"
	"encoding/json"
)

// loads says why Gemini CLI would not start with this settings file, "" if it
// reads it: comments are accepted, a trailing comma, a byte order mark or any
// other mistake ends it with exit code 52 (0.61.0, measured).
func loads(content []byte) string {
	plain := bytes.Trim(withoutComments(content), " \t\r\n") // JSON's blanks only
	switch {
	case len(plain) == 0:
		return ""
	case !json.Valid(plain):
		return "the result is not JSON that Gemini CLI reads"
	case plain[0] != '{':
		return "the result is no JSON object"
	}
	return ""
}

// withoutComments blanks // and /* */ outside of strings.
func withoutComments(text []byte) []byte {
	out := bytes.Clone(text)
	for i := 0; i < len(out); i++ {
		switch {
		case out[i] == '"':
			for i++; i < len(out) && out[i] != '"'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
		case bytes.HasPrefix(out[i:], []byte("//")):
			for ; i < len(out) && out[i] != '\n'; i++ {
				out[i] = ' '
			}
		case bytes.HasPrefix(out[i:], []byte("/*")):
			end := bytes.Index(out[i+2:], []byte("*/"))
			if end < 0 {
				return out // unclosed: not JSON
			}
			for stop := i + 2 + end + 2; i < stop; i++ {
				out[i] = ' '
			}
			i--
		}
	}
	return out
}
