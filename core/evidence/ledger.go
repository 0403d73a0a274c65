package evidence

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ec261362/guardrails/core/fsx"
)

// Mark is the state of a card. The zero value is none.
type Mark int

// Marks of a card.
const (
	NoMark  Mark = iota
	Open         // - [ ]
	Done         // - [x]
	Dropped      // - [~]
)

func (m Mark) String() string {
	switch m {
	case Open:
		return "open"
	case Done:
		return "done"
	case Dropped:
		return "skipped"
	default:
		return "none"
	}
}

// Card is one bounded piece of work in the ledger.
type Card struct {
	N    int // from 1, in the order of the file
	Mark Mark
	Text string // its title, without what proves or excuses it
	Note string // evidence of a done card, reason of a skipped one
	Line int    // from 1
}

// Ledger is a parsed ledger. The zero value is one that is not there.
type Ledger struct {
	Cards  []Card
	Paused string // the human's reason to let things rest, "" = not paused

	lines []string // with their ends
}

const maxLedger = 1 << 20

// ParseLedger reads a ledger. Every text is one: what is not a card or a PAUSED
// line is the author's own. Cards in fenced blocks and comments are examples.
func ParseLedger(text string) *Ledger {
	l := &Ledger{lines: strings.SplitAfter(strings.TrimPrefix(text, "\ufeff"), "\n")}
	if n := len(l.lines); n > 0 && l.lines[n-1] == "" {
		l.lines = l.lines[:n-1]
	}
	fence, comment := "", false
	var body strings.Builder // of the last card
	flush := func() {
		if n := len(l.Cards); n > 0 && body.Len() > 0 {
			l.Cards[n-1].Text, l.Cards[n-1].Note = splitNote(l.Cards[n-1].Mark, body.String())
		}
		body.Reset()
	}
	for i, raw := range l.lines {
		line := strings.TrimRight(raw, "\r\n")
		trimmed := strings.TrimSpace(line)
		if fence != "" {
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
			continue
		}
		if comment {
			comment = !strings.Contains(line, "-->")
			continue
		}
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			fence = trimmed[:3]
			continue
		}
		if strings.HasPrefix(trimmed, "<!--") {
			comment = !strings.Contains(trimmed, "-->")
			continue
		}
		if reason, ok := pausedLine(trimmed); ok {
			l.Paused = reason
			continue
		}
		if mark, text := cardLine(trimmed); mark != NoMark {
			flush()
			l.Cards = append(l.Cards, Card{N: len(l.Cards) + 1, Mark: mark, Line: i + 1})
			body.WriteString(text)
			continue
		}
		if body.Len() > 0 && trimmed != "" && line != strings.TrimLeft(line, " \t") {
			body.WriteString(" " + trimmed) // goes on below its card
			continue
		}
		flush()
	}
	flush()
	return l
}

// cardLine reads "- [ ] text" with any list mark.
func cardLine(s string) (Mark, string) {
	if len(s) < 5 || strings.IndexByte("-*+", s[0]) < 0 {
		return NoMark, ""
	}
	rest := strings.TrimLeft(s[1:], " \t")
	if rest == s[1:] || len(rest) < 3 || rest[0] != '[' || rest[2] != ']' {
		return NoMark, ""
	}
	if len(rest) > 3 && rest[3] != ' ' && rest[3] != '\t' {
		return NoMark, "" // a link: [x](…)
	}
	text := strings.TrimSpace(rest[3:])
	if text == "" {
		text = "(no title)"
	}
	switch rest[1] {
	case ' ':
		return Open, text
	case 'x', 'X':
		return Done, text
	case '~':
		return Dropped, text
	}
	return NoMark, ""
}

// minReason is how many characters the reason of a pause has at least.
const minReason = 3

func pausedLine(s string) (reason string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimLeft(s, "#> *"), "PAUSED")
	if !ok || rest == "" || strings.IndexByte(" \t:", rest[0]) < 0 {
		return "", false
	}
	reason = strings.Trim(rest, " \t:*-")
	return reason, utf8.RuneCountInString(reason) >= minReason
}

// minNote is how many characters the evidence of a done card has at least.
const minNote = 6

// splitNote parts a card's title from what proves or excuses it.
func splitNote(m Mark, s string) (text, note string) {
	words := []string{"evidence:", "verified:", "证据:", "证据："}
	if m == Dropped {
		words = append([]string{"reason:", "because "}, words...)
	}
	low := lowered(s)
	at, end := -1, 0
	for _, w := range words {
		if i := strings.Index(low, w); i >= 0 && (at < 0 || i < at) {
			at, end = i, i+len(w)
		}
	}
	if at < 0 {
		return strings.TrimSpace(s), ""
	}
	return strings.TrimSpace(strings.TrimRight(strings.TrimSpace(s[:at]), "—-(,;:")), strings.TrimSpace(s[end:])
}

// lowered is s with its ASCII letters in lower case, byte for byte.
func lowered(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// proven reports whether a done card says by what.
func (c *Card) proven() bool {
	return c.Mark != Done || utf8.RuneCountInString(c.Note) >= minNote && !isPlaceholder(c.Note)
}

// OpenCards lists the cards that wait.
func (l *Ledger) OpenCards() []Card {
	return slices.DeleteFunc(slices.Clone(l.Cards), func(c Card) bool { return c.Mark != Open })
}

// Unproven lists the cards that are marked done and do not say by what.
func (l *Ledger) Unproven() []Card {
	return slices.DeleteFunc(slices.Clone(l.Cards), func(c Card) bool { return c.proven() })
}

// Ledger reads the project's ledger, an empty one if there is none.
func (s *Store) Ledger() (*Ledger, error) {
	data, err := fsx.ReadFile(s.path(LedgerName), maxLedger)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Ledger{}, nil
	case err != nil:
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	return ParseLedger(string(data)), nil
}

// NewLedger is the text of a ledger without a card.
const NewLedger = `# Ledger

One list item with a check box is one bounded piece of work: open, done with
"evidence: what proved it", or marked ~ with "reason: why". It is kept with
guardrails evidence card add, card done and card skip, or by hand.

`

func (l *Ledger) String() string { return strings.Join(l.lines, "") }

// newline is the line end that the ledger uses.
func (l *Ledger) newline() string {
	if len(l.lines) > 0 && strings.HasSuffix(l.lines[0], "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// add appends an open card.
func (l *Ledger) add(text string) *Ledger {
	out := l.String()
	if out != "" && !strings.HasSuffix(out, "\n") {
		out += l.newline()
	}
	return ParseLedger(out + "- [ ] " + text + l.newline())
}

// settle marks card n, with what proves or excuses it.
func (l *Ledger) settle(n int, m Mark, note string) *Ledger {
	c := l.Cards[n-1]
	line := l.lines[c.Line-1]
	body := strings.TrimRight(line, "\r\n")
	at := strings.IndexByte(body, '[')
	sign, word := "x", "evidence"
	if m == Dropped {
		sign, word = "~", "reason"
	}
	lines := slices.Clone(l.lines)
	lines[c.Line-1] = body[:at+1] + sign + strings.TrimRightFunc(body[at+2:], unicode.IsSpace) + " — " + word + ": " + note + line[len(body):]
	if !strings.HasSuffix(lines[c.Line-1], "\n") {
		lines[c.Line-1] += l.newline()
	}
	return ParseLedger(strings.Join(lines, ""))
}

// pause puts the human's PAUSED line at the end.
func (l *Ledger) pause(reason string) *Ledger {
	out := l.resume().String()
	if out != "" && !strings.HasSuffix(out, "\n") {
		out += l.newline()
	}
	return ParseLedger(out + "PAUSED " + reason + l.newline())
}

// resume takes every PAUSED line out.
func (l *Ledger) resume() *Ledger {
	var kept []string
	for _, raw := range l.lines {
		if _, ok := pausedLine(strings.TrimSpace(raw)); !ok {
			kept = append(kept, raw)
		}
	}
	return ParseLedger(strings.Join(kept, ""))
}

// Find returns the card that arg names: by its number, or by the start of its
// title if only one open card starts so.
func (l *Ledger) Find(arg string) (Card, error) {
	if n, err := strconv.Atoi(strings.TrimPrefix(arg, "#")); err == nil {
		if n < 1 || n > len(l.Cards) {
			return Card{}, fmt.Errorf("there is no card %d: %s", n, l.count())
		}
		return l.Cards[n-1], nil
	}
	var found []Card
	for _, c := range l.OpenCards() {
		if arg != "" && len(c.Text) >= len(arg) && strings.EqualFold(c.Text[:len(arg)], arg) {
			found = append(found, c)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return Card{}, fmt.Errorf("no open card starts with %q: %s", cut(arg, 60), l.count())
	}
	return Card{}, fmt.Errorf("%d open cards start with %q: name one by its number", len(found), cut(arg, 60))
}

func (l *Ledger) count() string {
	switch n := len(l.Cards); n {
	case 0:
		return "the ledger has no card"
	case 1:
		return "the ledger has one card"
	default:
		return fmt.Sprintf("the ledger has cards 1 to %d", n)
	}
}

// Problem is one thing that lint has to say.
type Problem struct {
	File string `json:"file"` // relative to the project
	Line int    `json:"line,omitempty"`
	Text string `json:"text"`
}

func (p Problem) String() string {
	if p.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
	}
	return p.File + ": " + p.Text
}

// Lint lists what is wrong with the ledger.
func (l *Ledger) Lint() []Problem {
	name := filepath.ToSlash(filepath.Join(Dir, LedgerName))
	var out []Problem
	seen := make(map[string]int)
	for i := range l.Cards {
		c := &l.Cards[i]
		say := func(text string) { out = append(out, Problem{name, c.Line, text}) }
		switch {
		case c.Text == "" || c.Text == "(no title)":
			say("the card has no title")
		case !c.proven():
			say("the card is done and does not say by what: add `evidence: …`")
		case c.Mark == Done && !Substantive(c.Note):
			say("the card's evidence only says that all is well: say what was seen")
		case c.Mark == Dropped && c.Note == "" && len(strings.Fields(c.Text)) < 2:
			say("the card is skipped without a reason: add `reason: …`")
		}
		if c.Mark == Open && c.Text != "" {
			if first, ok := seen[strings.ToLower(c.Text)]; ok {
				say(fmt.Sprintf("the same card is open on line %d", first))
			} else {
				seen[strings.ToLower(c.Text)] = c.Line
			}
		}
	}
	return out
}
