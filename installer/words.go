package installer

import "strings"

// words splits a plain POSIX command line: no operator, no expansion, one
// line. ok is false for anything else. A word may be quoted.
func words(line string) (out []string, ok bool) {
	var cur strings.Builder
	in := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t':
			if in {
				out = append(out, cur.String())
				cur.Reset()
				in = false
			}
		case '\'':
			n := strings.IndexByte(line[i+1:], '\'')
			if n < 0 {
				return nil, false
			}
			cur.WriteString(line[i+1 : i+1+n])
			i += n + 1
			in = true
		case '"':
			in = true
			for i++; ; i++ {
				if i >= len(line) {
					return nil, false
				}
				if line[i] == '"' {
					break
				}
				if line[i] == '$' || line[i] == '`' {
					return nil, false
				}
				if line[i] == '\\' && i+1 < len(line) && strings.IndexByte("\\\"$`", line[i+1]) >= 0 {
					i++
				}
				cur.WriteByte(line[i])
			}
		case '\\':
			if i+1 >= len(line) || line[i+1] == '\n' {
				return nil, false
			}
			i++
			cur.WriteByte(line[i])
			in = true
		case '|', '&', ';', '<', '>', '(', ')', '$', '`', '\n', '*', '?', '[', '{', '#', '~', '!':
			return nil, false
		default:
			cur.WriteByte(c)
			in = true
		}
	}
	if in {
		out = append(out, cur.String())
	}
	return out, len(out) > 0
}
