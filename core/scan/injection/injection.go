// Package injection is a tripwire for instructions that are addressed to the
// model from inside of what should only be data: commands to ignore what it was
// told, forged roles, personas without rules, requests for its prompt, encoded
// orders and text that people cannot see.
//
// It is no proof of innocence: whoever rephrases passes. What it does catch are
// sentences with a shape, a verb and what the verb is about, in a few languages
// and through the usual disguises (look-alike letters, invisible characters,
// s p a c i n g, l33t). A sentence that is quoted by a text about such attacks
// does not count, nor one that forbids what the attack asks for.
//
// It is pure: no files, no clock, no environment, no regular expressions. It must
// import nothing but the standard library.
package injection

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Kinds of findings.
const (
	IgnorePrevious = "ignore-previous"
	RoleSpoofing   = "role-spoofing"
	Persona        = "persona-without-rules"
	DeveloperMode  = "developer-mode"
	RevealPrompt   = "reveal-prompt"
	Encoded        = "encoded-instructions"
	HiddenText     = "hidden-text"
	HiddenOrder    = "order-in-data" // addressed to the model, kept from the user
)

// MaxText is how many bytes of a text are looked at. Whoever has more to scan
// cuts it, and says so.
const MaxText = 4 << 20

// MaxFindings is how many findings Scan returns at most, the first ones.
const MaxFindings = 50

// Finding is one tripped wire.
type Finding struct {
	Kind        string
	Low         bool   // worth a look rather than a refusal
	Start, End  int    // text[Start:End]
	Line        int    // on which it starts, from 1
	Sample      string // its first characters: an attack is no secret
	Fingerprint string // 16 hexadecimal digits, the same for the same words of the same kind
}

// Scan returns what in text looks like instructions to the model, ordered by
// Start. The result depends on text alone, of which the first MaxText bytes are
// looked at. The error is ctx's own; what was found before it is returned with it.
func Scan(ctx context.Context, text string) ([]Finding, error) {
	if len(text) > MaxText {
		text = text[:MaxText]
	}
	s := &scan{text: text}
	err := s.run(ctx)
	slices.SortStableFunc(s.found, func(a, b Finding) int { return a.Start - b.Start })
	if len(s.found) > MaxFindings {
		s.found = s.found[:MaxFindings]
	}
	line, at := 1, 0
	for i := range s.found {
		f := &s.found[i]
		line += strings.Count(text[at:f.Start], "\n")
		at, f.Line = f.Start, line
		f.Sample = sample(text[f.Start:f.End])
		h := sha256.New()
		h.Write([]byte(f.Kind))
		h.Write([]byte{0})
		h.Write([]byte(strings.Join(strings.Fields(strings.ToLower(text[f.Start:f.End])), " ")))
		f.Fingerprint = hex.EncodeToString(h.Sum(nil)[:8])
	}
	return s.found, err
}

type scan struct {
	text    string
	words   []token
	found   []Finding
	signals []signal
	inner   bool // the text was unpacked from another
}

// signal is something that is no finding alone.
type signal struct {
	what string
	at   int // word
	end  int
}

func (s *scan) run(ctx context.Context) error {
	s.hidden()
	if err := s.split(ctx); err != nil {
		return err
	}
	if len(s.words) > fewWords || slices.ContainsFunc(s.words, func(t token) bool { return begins(t.text) }) {
		if err := s.sentences(ctx); err != nil {
			return err
		}
	}
	s.combine()
	s.phrases()
	s.roles()
	if !s.inner {
		return s.encoded(ctx)
	}
	return nil
}

// sentences tries every pattern at every word.
func (s *scan) sentences(ctx context.Context) error {
	l := language()
	for i := range s.words {
		if i%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		for _, n := range l.first[s.words[i].text] {
			s.try(&l.patterns[n], i)
		}
		if len(s.found) > 4*MaxFindings {
			break
		}
	}
	return nil
}

// try matches one pattern at word i.
func (s *scan) try(p *pattern, i int) {
	if p.start && i > 0 && !s.opens(i) {
		return
	}
	end := s.match(p.parts, i, i)
	if end < 0 {
		return
	}
	if strings.HasPrefix(p.kind, "+") {
		s.signals = append(s.signals, signal{p.kind, i, end})
		return
	}
	if s.negated(i) || s.quoted(i, end) {
		return
	}
	s.add(p.kind, p.low, s.words[i].start, s.words[end-1].end)
}

// add records a finding, once for each kind and place.
func (s *scan) add(kind string, low bool, start, end int) {
	for i := range s.found {
		f := &s.found[i]
		if f.Kind == kind && start < f.End && f.Start < end {
			f.End = max(f.End, end)
			f.Low = f.Low && low
			return
		}
	}
	s.found = append(s.found, Finding{Kind: kind, Low: low, Start: start, End: end})
}

// match returns the word after the parts, matched from word i on, or -1.
func (s *scan) match(parts []part, i, first int) int {
	for k, p := range parts {
		if p.gap > 0 {
			for skip := 0; skip <= p.gap; skip++ {
				if end := s.match(parts[k+1:], i+skip, first); end >= 0 {
					return end
				}
				if i+skip < len(s.words) && s.words[i+skip].opens && i+skip > first {
					break
				}
			}
			return -1
		}
		ok := i < len(s.words) && (i == first || !s.words[i].opens) && p.has(s.words[i].text)
		if ok && p.optional {
			if end := s.match(parts[k+1:], i+1, first); end >= 0 {
				return end
			}
			continue
		}
		if !ok {
			if p.optional {
				continue
			}
			return -1
		}
		i++
	}
	return i
}

// opens reports whether word i starts a sentence, perhaps after a word like
// please or now.
func (s *scan) opens(i int) bool {
	for n := 0; n < 3 && i > 0; n++ {
		if s.words[i].opens {
			return true
		}
		switch s.words[i-1].text {
		case "please", "now", "and", "then", "also", "so", "just", "instead", "kindly", "you", "must", "should", "to", "but", "important", "attention", "immediately", "first", "can", "could", "will":
			i--
		default:
			return false
		}
	}
	return i == 0 || s.words[i].opens
}

// negated reports whether the words before i turn the sentence into its opposite,
// or into talk about somebody who says it.
func (s *scan) negated(i int) bool {
	for n := 1; n <= 4 && i-n >= 0; n++ {
		if s.words[i-n+1].opens {
			return false
		}
		switch s.words[i-n].text {
		case "not", "never", "dont", "doesnt", "cannot", "cant", "mustnt", "shouldnt", "wont", "refuse", "avoid", "without", "prevent", "against",
			"attempt", "attempts", "attempting", "tries", "trying", "asks", "asked", "asking", "tells", "telling", "instructs", "instructing", "says", "saying", "claims", "claiming",
			"request", "requests", "whether", "if", "detect", "detects", "block", "blocks", "should", "would", "might", "may":
			if n <= 2 || s.words[i-n].text != "should" && s.words[i-n].text != "would" && s.words[i-n].text != "may" && s.words[i-n].text != "might" {
				return s.words[i-n].text != "should" && s.words[i-n].text != "would" || i-n == 0 || s.words[i-n-1].text != "you"
			}
		}
	}
	return false
}

// quoted reports whether the words from i to end are inside quotation marks, in
// a text that speaks about such sentences just before.
func (s *scan) quoted(i, end int) bool {
	from := s.words[i].start
	lo := max(0, from-240)
	before := s.text[lo:from]
	if k := strings.LastIndex(before, "\n\n"); k >= 0 && !strings.HasSuffix(strings.TrimRight(before[:k], " \n"), ":") {
		before = before[k:]
	}
	line := before[strings.LastIndexByte(before, '\n')+1:]
	if !strings.ContainsAny(line, "\"'`“‘«「") && !strings.HasPrefix(strings.TrimSpace(line), ">") && !strings.HasPrefix(strings.TrimSpace(line), "|") {
		return false
	}
	to := min(len(s.text), s.words[end-1].end+160)
	after := s.text[s.words[end-1].end:to]
	if k := strings.IndexByte(after, '\n'); k >= 0 {
		after = after[:k]
	}
	if !strings.ContainsAny(after, "\"'`”’»」|") && !strings.HasPrefix(strings.TrimSpace(line), ">") {
		return false
	}
	low := strings.ToLower(before)
	for _, w := range [...]string{"example", "e.g.", "such as", "for instance", "attack", "inject", "jailbreak", "detect", "phrase", "pattern", "malicious", "adversar", "tripwire", "untrusted", "red team", "red-team", "payload", "instructions like", "text like", "things like", "strings like", "reject", "flag"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// near is how many words two signals may be apart.
const near = 150

// combine turns signals that stand together into findings.
func (s *scan) combine() {
	lo := 0
	for _, a := range s.signals {
		for a.at-s.signals[lo].at > near {
			lo++
		}
		if a.what != "+persona" && a.what != "+conceal" && a.what != "+answer" {
			continue
		}
		lifts, weak := 0, map[string]bool{}
		last := a.end
		exfil := false
		for _, b := range s.signals[lo:] {
			if b.at-a.at > near {
				break
			}
			switch b.what {
			case "+lift":
				if !s.negated(b.at) {
					lifts++
					last = max(last, b.end)
				}
			case "+weak":
				weak[s.words[b.at].text] = true
				last = max(last, b.end)
			case "+exfil":
				exfil = true
				last = max(last, b.end)
			}
		}
		switch {
		case a.what == "+conceal" && exfil:
			s.add(HiddenOrder, false, s.words[a.at].start, s.words[last-1].end)
		case a.what == "+persona" && (lifts > 1 || lifts > 0 && len(weak) > 0 || len(weak) >= 4):
			s.add(Persona, false, s.words[a.at].start, s.words[last-1].end)
		case a.what == "+answer" && (lifts > 0 && len(weak) > 1 || lifts > 2 || len(weak) >= 4):
			s.add(Persona, false, s.words[a.at].start, s.words[last-1].end)
		}
		if len(s.found) > 4*MaxFindings {
			return
		}
	}
}

// sample shows the beginning of an attack.
func sample(text string) string {
	n := 0
	for i := range text {
		if n++; n > 80 {
			text = text[:i] + "…"
			break
		}
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '`' || invisible(r) {
			return ' '
		}
		return r
	}, text)
}
