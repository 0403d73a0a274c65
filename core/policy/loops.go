package policy

import "strings"

// endlessLoop reports whether the innermost loop around byte pos of a shell
// line runs for ever (while true, until false, for ((;;))) and starts jobs that
// it neither waits for nor leaves. It reads words only; quoted text is skipped.
func endlessLoop(toks []shellToken, pos int) bool {
	type loop struct {
		endless bool
		body    int // where its do stands
	}
	var open []loop
	var head string
	inHead, endless := false, false
	depth := -1
	start := -1
	for i, t := range toks {
		if t.pos > pos && start < 0 {
			// The loops open here are those around pos.
			if len(open) == 0 {
				return false
			}
			depth, start = len(open), open[len(open)-1].body
			if !open[len(open)-1].endless {
				return false
			}
		}
		if !t.command {
			if inHead {
				head += " " + t.text
			}
			continue
		}
		switch t.text {
		case "while", "until", "for", "select":
			inHead, head = true, t.text
		case "do":
			endless = forEver(strings.TrimSpace(head))
			inHead = false
			open = append(open, loop{endless, i + 1})
		case "done":
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
			if start >= 0 && len(open) < depth {
				return leaksJobs(toks[start:i])
			}
		default:
			if inHead {
				head += " " + t.text
			}
		}
	}
	return false
}

// forEver reports whether a loop's head never ends it.
func forEver(head string) bool {
	f := strings.Fields(head)
	if len(f) == 0 {
		return false
	}
	switch f[0] {
	case "while":
		c := strings.Trim(strings.Join(f[1:], " "), "; ")
		switch c {
		case "true", ":", "/bin/true", "/usr/bin/true", "[ true ]", "[ 1 ]", "test 1", "[[ 1 ]]", "((1))", "(( 1 ))", "! false", "[ 1 = 1 ]", "[ : ]", "[[ true ]]":
			return true
		}
	case "until":
		c := strings.Trim(strings.Join(f[1:], " "), "; ")
		return c == "false" || c == "! true" || c == "/bin/false"
	case "for":
		c := strings.ReplaceAll(strings.Join(f[1:], ""), " ", "")
		if strings.HasPrefix(c, "((") {
			parts := strings.Split(strings.Trim(c, "();"), ";")
			if len(parts) >= 2 {
				return parts[1] == "" || parts[1] == "1"
			}
			return strings.Contains(c, ";;")
		}
	}
	return false
}

// leaksJobs reports whether a loop body starts more jobs than it waits for.
func leaksJobs(body []shellToken) bool {
	jobs, sub, started := 0, 0, false
	leaked := false
	cond := 0
	for i, t := range body {
		switch {
		case t.text == "(":
			sub++
		case t.text == ")":
			if sub > 0 {
				sub--
			}
		case t.text == "if" && t.command, t.text == "case" && t.command:
			cond++
		case t.text == "fi" && t.command, t.text == "esac" && t.command:
			cond--
		case t.text == "&":
			jobs++
			started = true
			if sub > 0 {
				// A job of a subshell is waited for only inside it.
				if !waitsBefore(body[i+1:], ")") {
					leaked = true
				}
				jobs--
			}
		case t.command && t.text == "wait" && sub == 0 && cond == 0:
			jobs = 0
		case t.command && t.text == "disown":
			leaked = true
		case t.command && (t.text == "break" || t.text == "exit" || t.text == "return" || t.text == "exec") && sub == 0 && cond == 0:
			return false
		}
	}
	if !started {
		return false
	}
	if jobs > 0 && jobs == countJobs(body) && leadsWithWait(body) {
		// wait; job &: at most one job is left over from each round.
		jobs = 0
	}
	return leaked || jobs > 0
}

func countJobs(body []shellToken) int {
	n := 0
	for _, t := range body {
		if t.text == "&" {
			n++
		}
	}
	return n
}

func leadsWithWait(body []shellToken) bool {
	for _, t := range body {
		if t.command {
			return t.text == "wait"
		}
	}
	return false
}

func waitsBefore(body []shellToken, end string) bool {
	for _, t := range body {
		if t.text == end {
			return false
		}
		if t.command && t.text == "wait" {
			return true
		}
	}
	return false
}

type shellToken struct {
	text    string
	pos     int
	command bool // stands where a command or keyword may stand
}

// shellWords splits a line into words and operators, enough to see loops.
func shellWords(src string) []shellToken {
	var out []shellToken
	cmd := true
	for i := 0; i < len(src) && len(out) < 1<<14; {
		c := src[i]
		switch {
		case c == ' ' || c == '\t':
			i++
		case c == '\n' || c == ';':
			cmd = true
			i++
		case c == '#' && (i == 0 || strings.IndexByte(" \t\n;", src[i-1]) >= 0):
			for i < len(src) && src[i] != '\n' {
				i++
			}
		case c == '&' || c == '|':
			if i+1 < len(src) && src[i+1] == c {
				i += 2
			} else {
				if c == '&' && (i == 0 || src[i-1] != '>' && src[i-1] != '<') && (i+1 >= len(src) || src[i+1] != '>') {
					out = append(out, shellToken{"&", i, false})
				}
				i++
			}
			cmd = true
		case c == '(' && strings.HasPrefix(src[i:], "((") && len(out) > 0 && out[len(out)-1].text == "for":
			k := strings.Index(src[i:], "))")
			if k < 0 {
				return out
			}
			out = append(out, shellToken{src[i : i+k+2], i, false})
			i += k + 2
		case c == '(' || c == ')':
			out = append(out, shellToken{string(c), i, false})
			cmd = true
			i++
		default:
			k := i
			for k < len(src) {
				ch := src[k]
				if ch == '\'' || ch == '"' {
					q := k + 1
					for q < len(src) && src[q] != ch {
						if src[q] == '\\' && ch == '"' {
							q++
						}
						q++
					}
					k = q + 1
					continue
				}
				if ch == '\\' {
					k += 2
					continue
				}
				if strings.IndexByte(" \t\n;&|()", ch) >= 0 {
					break
				}
				k++
			}
			if k > len(src) {
				k = len(src)
			}
			w := src[i:k]
			out = append(out, shellToken{w, i, cmd})
			switch w {
			case "do", "then", "else", "elif", "{", "!", "time", "while", "until", "if", "coproc":
				cmd = true
			default:
				cmd = false
			}
			i = k
		}
	}
	return out
}
