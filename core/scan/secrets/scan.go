package secrets

import (
	"context"
	"slices"
)

// scan is the work on one text.
type scan struct {
	ctx   context.Context
	text  string
	path  string
	spans [len(rules)][]span // where an expression is to be run
	want  []int              // rules that have spans
	found []candidate
	known []candidate        // values that an allowlist of their rule names
	done  [byGeneric + 1]int // how far a function of ours has looked
	spare sparing
}

type span struct{ from, to int }

// candidate is a secret that no allowlist excused.
type candidate struct{ rule, start, end int }

// enough candidates to fill MaxFindings whatever overlaps.
const enough = 8 * MaxFindings

// chunk is how many bytes are looked at between two looks at the context.
const chunk = 64 << 10

func (s *scan) run() error {
	state := uint16(0)
	for from := 0; from < len(s.text); from += chunk {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		state = s.walk(state, from, min(from+chunk, len(s.text)))
		if len(s.found) >= enough {
			break
		}
	}
	slices.Sort(s.want)
	for _, r := range s.want {
		if err := s.match(r); err != nil {
			return err
		}
		if len(s.found) >= enough {
			break
		}
	}
	return nil
}

// walk runs the automaton over text[from:to]. Below fullRows no keyword ends.
func (s *scan) walk(state uint16, from, to int) uint16 {
	text := s.text[:to]
	at := uint(state)
	for i := from; i < len(text); i++ {
		c := uint(classOf[text[i]])
		if at < fullRows {
			if at = uint(rows[at*classes+c]); at < fullRows {
				continue
			}
		} else if at = uint(step(uint16(at), text[i])); at < fullRows {
			continue
		}
		if hitFrom[at] != hitFrom[at+1] {
			s.hit(uint16(at), i+1)
		}
	}
	return uint16(at)
}

// step returns the state after one byte.
func step(state uint16, b byte) uint16 {
	c := uint16(classOf[b])
	for state >= fullRows {
		if slot := base[state] + c; check[slot] == state {
			return next[slot]
		}
		state = fail[state]
	}
	return rows[state*classes+c]
}

// hit takes up the keywords that end at end.
func (s *scan) hit(state uint16, end int) {
	for _, k := range hits[hitFrom[state]:hitFrom[state+1]] {
		at := end - len(keywords[k])
		for _, n := range ruleOf[ruleFrom[k]:ruleFrom[k+1]] {
			r := &rules[n]
			switch r.by {
			case byExpr:
				s.span(int(n), r, at, end)
			case byPem:
				s.pem(int(n), at)
			case bySk:
				s.sk(int(n), at, end)
			case byURL:
				s.url(int(n), at)
			case byGeneric:
				s.generic(int(n), at, end)
			}
		}
	}
}

// margin is added on both sides of a span: an expression looks at the character
// before and after its match.
const margin = 4

// grown is how far a span without a bound reaches at first.
const grown = 16 << 10

// span notes that rule n may match around the keyword text[at:end].
func (s *scan) span(n int, r *rule, at, end int) {
	list := s.spans[n]
	if len(list) > 0 && list[len(list)-1].to == len(s.text) && r.before < 0 {
		return
	}
	begins := r.leads == nil
	for i := range r.leads {
		if begins = r.leads[i].at(s.text, at); begins {
			break
		}
	}
	if !begins {
		return
	}
	sp := span{0, len(s.text)}
	if r.before >= 0 {
		sp.from = max(0, at-int(r.before)-margin)
		reach := end + grown
		if r.after >= 0 {
			reach = at + int(r.after) + margin
		}
		sp.to = min(len(s.text), reach)
	}
	if len(list) == 0 {
		s.want = append(s.want, n)
	} else if last := &list[len(list)-1]; sp.from <= last.to {
		last.to = max(last.to, sp.to)
		return
	}
	s.spans[n] = append(list, sp)
}

// match runs rule n's expression over its spans.
func (s *scan) match(n int) error {
	r := &rules[n]
	if r.path != 0 && (s.path == "" || !expr(r.path).MatchString(s.path)) {
		return nil
	}
	if r.class != classShape && s.quiet() {
		return nil
	}
	re := expr(r.expr)
	list := s.spans[n]
	for i := 0; i < len(list); i++ {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		sp := list[i]
		found := re.FindAllStringSubmatchIndex(s.text[sp.from:sp.to], enough)
		for reach := 4 * grown; cutShort(found, sp, s.text) && reach <= 16*grown; reach *= 4 {
			// The end of the span may have cut the last match, or made it.
			sp.to = min(len(s.text), sp.from+found[len(found)-1][0]+reach)
			for i+1 < len(list) && list[i+1].from <= sp.to {
				i++
				sp.to = max(sp.to, list[i].to)
			}
			found = re.FindAllStringSubmatchIndex(s.text[sp.from:sp.to], enough)
		}
		for _, loc := range found {
			if loc[0] == 0 && sp.from > 0 {
				continue // begun by the start of the span
			}
			from, to := loc[0], loc[1]
			if g := 2 * int(r.group); g > 0 {
				from, to = loc[g], loc[g+1]
			} else {
				for g := 2; g < len(loc); g += 2 {
					if loc[g] >= 0 && loc[g] < loc[g+1] {
						from, to = loc[g], loc[g+1]
						break
					}
				}
			}
			if from >= 0 {
				s.add(n, sp.from+loc[0], sp.from+loc[1], sp.from+from, sp.from+to)
			}
			if len(s.found) >= enough {
				return nil
			}
		}
	}
	return nil
}

// cutShort reports whether the last match ends where the span does, though the
// text goes on.
func cutShort(found [][]int, sp span, text string) bool {
	return len(found) > 0 && sp.to < len(text) && sp.from+found[len(found)-1][1] == sp.to
}

// add judges the secret text[from:to] in the match text[start:end].
func (s *scan) add(n, start, end, from, to int) {
	for from < to && (s.text[from] == '\n' || s.text[from] == '\r') {
		from++
	}
	for from < to && (s.text[to-1] == '\n' || s.text[to-1] == '\r') {
		to--
	}
	if from >= to || from < start || to > end {
		return
	}
	if s.excused(n, start, end, from, to) {
		return
	}
	s.found = append(s.found, candidate{n, from, to})
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
