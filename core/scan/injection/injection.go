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
	foreign bool    // some letters are of another script than Latin
	inner   bool    // the text was unpacked from another
	back    []token // words written backwards
	rotated []token // words with each letter moved by thirteen
	calm    int     // up to where no mark of a role has an order after it
}

// signal is something that is no finding alone.
type signal struct {
	what string
	rule int
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
	if err := s.combine(ctx); err != nil {
		return err
	}
	s.phrases()
	s.unseen(s.mentions())
	s.leaks()
	if !s.inner {
		return s.encoded(ctx)
	}
	return nil
}

// sentences tries every pattern at every word.
func (s *scan) sentences(ctx context.Context) error {
	l := language()
	present := make([]uint64, len(l.ids)/64+1)
	l.number(s.words, present)
	able := make([]int8, len(l.patterns))
	can := func(n int) bool {
		if able[n] == 0 {
			able[n] = -1
			if l.patterns[n].possible(present) {
				able[n] = 1
			}
		}
		return able[n] > 0
	}
	for i := range s.words {
		if s.words[i].id == 0 {
			continue
		}
		if i%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		for _, n := range l.first[s.words[i].id] {
			if can(n) {
				s.try(&l.patterns[n], i)
			}
		}
		if list := l.opening[s.words[i].id]; len(list) > 0 && (i == 0 || s.opens(i)) {
			for _, n := range list {
				if can(n) {
					s.try(&l.patterns[n], i)
				}
			}
		}
		if len(s.found) > 4*MaxFindings {
			break
		}
	}
	return nil
}

// try matches one pattern at word i.
func (s *scan) try(p *pattern, i int) {
	end := s.match(p.parts, i, i)
	if end < 0 {
		return
	}
	if p.kind[0] == '+' {
		s.signals = append(s.signals, signal{p.kind, p.rule, i, end})
		return
	}
	if s.negated(i) || s.reported(i) || s.told(i) || s.quoted(i, end) || s.named(i, end) {
		return
	}
	switch p.kind {
	case IgnorePrevious:
		if s.elsewhere(end) || s.reversed(end) || s.conditional(i) {
			return
		}
	case RevealPrompt:
		if s.anothers(end) {
			return
		}
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
	for k := range parts {
		p := &parts[k]
		if p.end && len(p.words) == 0 {
			if i < len(s.words) && !s.words[i].opens {
				return -1
			}
			continue
		}
		if p.comma {
			if at := s.words[i-1].end; !strings.HasPrefix(s.text[at:], ",") && !strings.HasPrefix(s.text[at:], ":") && !strings.HasPrefix(s.text[at:], " -") && !strings.HasPrefix(s.text[at:], " –") && !strings.HasPrefix(s.text[at:], " —") {
				return -1
			}
			continue
		}
		if p.not {
			if i < len(s.words) && !s.words[i].opens && p.has(&s.words[i]) {
				return -1
			}
			continue
		}
		if p.gap > 0 {
			for skip := 0; skip <= p.gap; skip++ {
				if p.clause && i+skip < len(s.words) && i > first && s.turns(i+skip, skip) {
					break
				}
				if end := s.match(parts[k+1:], i+skip, first); end >= 0 {
					return end
				}
				if i+skip < len(s.words) && s.words[i+skip].opens && i+skip > first {
					break
				}
			}
			return -1
		}
		ok := i < len(s.words) && (i == first || !s.words[i].opens) && p.has(&s.words[i])
		if ok && p.optional {
			if end := s.match(parts[k+1:], i+1, first); end >= 0 {
				return end
			}
			continue
		}
		if !ok {
			if p.optional || p.end && (i >= len(s.words) || s.words[i].opens) {
				continue
			}
			return -1
		}
		i++
	}
	return i
}

// turns reports whether a comma stands before word i, or, if words were passed
// over, whether the last of them is a negation.
func (s *scan) turns(i, passed int) bool {
	if strings.IndexByte(s.text[s.words[i-1].end:s.words[i].start], ',') >= 0 {
		return true
	}
	if passed == 0 {
		return false
	}
	switch s.words[i-1].text {
	case "not", "never", "dont", "cannot", "no":
		return true
	}
	return false
}

// opens reports whether word i starts a sentence, perhaps after a word like
// please or now.
func (s *scan) opens(i int) bool {
	if i > 0 && s.words[i-1].text == "to" && s.words[i-1].opens { // to ignore them, pass -n
		return false
	}
	for n := 0; n < 3 && i > 0; n++ {
		if s.words[i].opens || s.words[i].starts {
			return true
		}
		switch s.words[i-1].text {
		case "please", "now", "and", "then", "also", "so", "just", "instead", "kindly", "you", "must", "should", "to", "but", "important", "attention", "immediately", "first", "can", "could", "will":
			i--
		default:
			return s.introduced(i)
		}
	}
	return i == 0 || s.words[i].opens || s.words[i].starts || s.introduced(i)
}

// introduced reports whether only an introduction stands before word i in its
// sentence, and a comma: "for testing purposes, ignore".
func (s *scan) introduced(i int) bool {
	if i == 0 || strings.IndexByte(s.text[s.words[i-1].end:s.words[i].start], ',') < 0 {
		return false
	}
	for n := i - 1; n >= 0 && i-n < 14; n-- {
		if s.words[n].opens || n == 0 {
			switch s.words[n].text {
			case "for", "as", "to", "in", "since", "because", "ok", "okay", "great", "thanks", "hello", "hi", "hey", "dear", "im", "from", "we", "this", "its", "with", "assistant", "claude", "chatgpt", "now":
				return true
			}
			return false
		}
	}
	return false
}

// negated reports whether the words before i turn the sentence into its opposite,
// or into talk about somebody who says it.
func (s *scan) negated(i int) bool {
	for n := 1; n <= 4 && i-n >= 0; n++ {
		if s.words[i-n+1].opens {
			return false
		}
		switch s.words[i-n].text {
		case "ill", "it", "they", "he", "she":
			if n == 1 && s.text[s.words[i-1].end:s.words[i].start] == " " {
				return true
			}
		case "not", "never", "dont", "doesnt", "cannot", "cant", "mustnt", "shouldnt", "wont", "refuse", "avoid", "without", "prevent", "against",
			"attempt", "attempts", "attempting", "tries", "trying", "asks", "asked", "asking", "tells", "telling", "instructs", "instructing", "says", "saying", "claims", "claiming",
			"request", "requests", "whether", "if", "detect", "detects", "block", "blocks", "should", "would", "might", "may":
			switch s.words[i-n].text {
			case "may", "might", "should", "would":
				if i-n > 0 && s.words[i-n-1].text == "you" {
					return false
				}
			}
			if n <= 2 || s.words[i-n].text != "should" && s.words[i-n].text != "would" && s.words[i-n].text != "may" && s.words[i-n].text != "might" {
				return s.words[i-n].text != "should" && s.words[i-n].text != "would" || i-n == 0 || s.words[i-n-1].text != "you"
			}
		}
	}
	return false
}

// reported reports whether the sentence so far speaks about somebody who is made
// to do what follows: a model that is told to ignore, an attacker who may reveal.
func (s *scan) reported(i int) bool {
	if i == 0 || s.words[i].opens {
		return false
	}
	switch s.words[i-1].text {
	case "to", "into", "can", "could", "may", "might", "will", "would", "should", "which", "who", "that", "simply", "from", "by", "of", "for", "about", "like":
	default:
		return false
	}
	for n := 1; n <= 10 && i-n >= 0; n++ {
		switch w := s.words[i-n].text; w {
		case "you", "your":
			return false
		case "model", "models", "llm", "llms", "agent", "agents", "assistant", "assistants", "chatbot", "chatbots", "ai", "chatgpt", "it", "them", "attacker", "attackers", "adversary", "adversaries", "injection", "injections",
			"jailbreak", "jailbreaks", "someone", "somebody", "anyone", "they", "he", "she", "user", "users", "page", "pages", "document", "documents", "text", "texts", "attempt", "attempts", "prompts", "phrases":
			return true
		}
		if s.words[i-n].opens {
			return false
		}
	}
	return false
}

// denied reports whether the words just before i turn the rest into its opposite.
func (s *scan) denied(i int) bool {
	for n := 1; n <= 3 && i-n >= 0 && !s.words[i-n+1].opens; n++ {
		switch s.words[i-n].text {
		case "not", "never", "dont", "doesnt", "cannot", "cant", "mustnt", "shouldnt", "wont", "refuse", "avoid", "prevent", "against", "detect", "detects", "block", "blocks", "if", "whether":
			return true
		}
	}
	return false
}

// told reports whether the sentence so far speaks about somebody who makes a model
// do things.
func (s *scan) told(i int) bool {
	for n := 1; n <= 16 && i-n >= 0 && !s.words[i-n+1].opens; n++ {
		switch s.words[i-n].text {
		case "tricks", "convinces", "persuades", "attempts", "tries":
			return true
		case "told", "instructed", "tricked", "forced": // the model is told to
			if i-n < 2 {
				break
			}
			switch s.words[i-n-1].text {
			case "is", "are", "was", "were", "be", "being", "gets", "get":
				switch s.words[i-n-2].text {
				case "you", "what", "that", "they", "i":
				default:
					return true
				}
			}
		case "asks", "tells", "instructs", "makes", "gets", "forces", "causes", "asked", "made", "got":
			switch s.words[i-n+1].text {
			case "chatgpt", "claude", "gemini", "models", "llms":
				return true
			case "the", "a", "an", "each", "every", "all", "some":
				if i-n+2 < len(s.words) {
					switch s.words[i-n+2].text {
					case "model", "models", "llm", "llms", "ai", "assistant", "agent", "chatbot", "bot", "language":
						return true
					}
				}
			}
		}
	}
	return false
}

// elsewhere reports whether the words that follow say where the instructions are
// or what they are for, which those of a model never need: "in the README".
func (s *scan) elsewhere(end int) bool {
	if end >= len(s.words) || s.words[end].opens {
		return false
	}
	for n := 0; n < 5 && end+n < len(s.words) && !s.words[end+n].opens; n++ {
		switch s.words[end+n].text {
		case "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "yesterday", "week":
			return true
		}
	}
	switch s.words[end].text {
	case "in", "for", "on", "from", "of", "about", "at", "to", "if", "when", "unless", "since", "because", "related", "regarding", "concerning":
	case "sul", "sulla", "sulle", "sui", "del", "della", "dello", "dell", "per", "sobre", "para", "sur", "du", "pour", "concernant", "zu", "zum", "zur", "des", "fur", "uber", "over", "voor":
	default:
		return false
	}
	for n := 1; n <= 3 && end+n < len(s.words); n++ {
		switch s.words[end+n].text {
		case "minute", "moment", "while", "second", "once", "rest",
			"sistema", "systems", "systeme", "systeem", "utente", "utilisateur", "benutzers", "desarrollador", "usuario", "sviluppatore", "tuo", "tus", "tes", "conversazione", "conversacion",
			"this", "your", "you", "me", "my", "system", "user", "developer", "developers", "conversation", "chat", "prompt", "context", "openai", "admin", "above", "memory", "now", "all", "i":
			return false
		}
	}
	return end+1 < len(s.words)
}

// reversed reports whether a negation follows, where a language has it there.
func (s *scan) reversed(end int) bool {
	for n := 0; n < 4 && end+n < len(s.words) && !s.words[end+n].opens; n++ {
		switch s.words[end+n].text {
		case "nicht", "niet", "ikke", "inte":
			return end+n+1 == len(s.words) || s.words[end+n+1].opens || s.words[end+n+1].text != "mehr" && s.words[end+n+1].text != "meer"
		case "und", "en", "och", "og", "sondern":
			return false
		}
	}
	return false
}

// conditional reports whether the sentence says what to do when a user does
// something, as the instructions of a program that talks with users do.
func (s *scan) conditional(i int) bool {
	for n := 1; n <= 14 && i-n >= 0; n++ {
		switch s.words[i-n].text {
		case "when", "whenever", "once":
			for k := 1; k < 3 && i-n+k < i; k++ {
				switch s.words[i-n+k].text {
				case "user", "users", "player", "customer", "caller", "visitor":
					return s.words[i-n].opens || i == n
				}
			}
		}
		if s.words[i-n].opens {
			return false
		}
	}
	return false
}

// anothers reports whether the words that follow say whose prompt it is, if it is
// a program's that somebody works on.
func (s *scan) anothers(end int) bool {
	if end >= len(s.words) || s.words[end].opens {
		return false
	}
	switch s.words[end].text {
	case "that", "which", "of", "for", "from", "in", "inside", "used", "we", "our", "template", "templates", "file", "field", "setting", "and", "with", "together":
	default:
		return false
	}
	for n := 0; n < 5 && end+n < len(s.words) && !s.words[end+n].opens; n++ {
		switch s.words[end+n].text {
		case "you", "your", "me", "this":
			return false
		case "our", "app", "application", "src", "repo", "repository", "file", "folder", "module", "class", "function", "template", "templates", "we", "summariser", "summarizer", "psql", "session", "widget", "workflow", "pipeline", "project", "package", "test", "tests", "stderr", "stdout", "titles":
			return true
		}
	}
	return false
}

// named reports whether the words are a name, or have one among them, as code
// has names.
func (s *scan) named(i, end int) bool {
	// A word of code with a sentence after it: `reveal` prints the prompt.
	if w := s.words[i]; w.start > 0 && s.text[w.start-1] == '`' && w.end < len(s.text) && s.text[w.end] == '`' ||
		w.start > 1 && w.end < len(s.text) && s.text[w.start-2:w.start] == "--" && s.text[w.end] == '-' {
		return true
	}
	joined, hyphens := 0, 0
	for k := i; k+1 < end; k++ {
		switch s.text[s.words[k].end:s.words[k+1].start] {
		case "_":
			joined++
		case "-":
			hyphens++
		}
	}
	if hyphens > 1 || hyphens == 1 && (end == len(s.words) || s.text[s.words[end-1].end] == '-') { // one joins pre-prompt, or says "show-me"
		joined += hyphens
	}
	// A sentence in disguise is joined throughout, and longer than a name.
	return joined > 0 && (joined < end-i-1 || end == len(s.words) || s.words[end].start-s.words[end-1].end != 1 || s.text[s.words[end].start-1] == ' ')
}

// quoted reports whether the words from i to end are inside quotation marks, in
// a text that speaks about such sentences just before or after.
func (s *scan) quoted(i, end int) bool {
	from := s.words[i].start
	lo := max(0, from-240)
	before := s.text[lo:from]
	if k := strings.LastIndex(before, "\n\n"); k >= 0 && !strings.HasSuffix(strings.TrimRight(before[:k], " \n"), ":") {
		before = before[k:]
	}
	line := before[strings.LastIndexByte(before, '\n')+1:]
	block := strings.HasPrefix(strings.TrimSpace(line), ">") || strings.HasPrefix(strings.TrimSpace(line), "|")
	if !block && !strings.ContainsAny(line, "\"'`“‘«「/(") {
		return false
	}
	rest := s.text[from:min(len(s.text), s.words[end-1].end+160)]
	if k := strings.IndexByte(rest, '\n'); k >= 0 {
		rest = rest[:k]
	}
	if !block && !strings.ContainsAny(rest, "\"'`”’»」|/)") {
		return false
	}
	return speaksOf(strings.ToLower(before)) || !block && speaksOf(strings.ToLower(rest))
}

// speaksOf reports whether a text speaks about attacks or looks for them.
func speaksOf(low string) bool {
	for k := strings.Index(low, "example"); k >= 0; { // not of an address
		after := low[k+len("example"):]
		if (k == 0 || low[k-1] != '.' && low[k-1] != '/' && low[k-1] != '@') && !strings.HasPrefix(after, ".") {
			return true
		}
		next := strings.Index(after, "example")
		if next < 0 {
			break
		}
		k += len("example") + next
	}
	for _, w := range [...]string{
		"e.g.", "who types", "user types", "typed", "such as", "for instance", "attack", "inject", "jailbreak", "detect", "phrase", "pattern", "malicious", "adversar", "tripwire", "untrusted", "red team", "red-team", "payload",
		"instructions like", "text like", "things like", "strings like", "reject", "flag", "regex", "regexp", "re.compile", "assert", "expect(", "func test", "def test", "trick", "sanitiz", "classif", "prompts like", "messages like", "commands like",
		"posted", "tweeted", "wrote", "test the", "to test", "\"want\"", "\"expected\"", "blocked", "filter,", "scanner", "false positive",
		"says something like", "known", "bypass attempts", "manipulat", "threat",
	} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// near is how many words two signals may be apart.
const near = 200

// combine turns signals that stand together into findings. What they have in
// common with an attack counts by how many different things it is.
func (s *scan) combine(ctx context.Context) error {
	kept := make([]signal, 0, len(s.signals))
	for k, a := range s.signals {
		if k%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		switch a.what {
		case "+lift", "+vice", "+self":
			if s.denied(a.at) {
				continue
			}
		case "+exfil", "+off", "+bend":
			if s.negated(a.at) {
				continue
			}
		case "+persona", "+answer", "+keep":
			if s.reported(a.at) {
				continue
			}
		}
		if s.told(a.at) || s.quoted(a.at, a.end) {
			continue
		}
		if a.what == "+weak" && counted(kept, s.signals[k:]) {
			continue // it has counted
		}
		kept = append(kept, a)
	}
	s.signals = kept
	lo, last := 0, map[int]int{}
	for k, a := range s.signals {
		if k%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for a.at-s.signals[lo].at > near {
			lo++
		}
		switch a.what {
		case "+persona", "+answer", "+keep", "+lift", "+turn", "+mode", "+conceal", "+address", "+reader":
		default:
			continue
		}
		// Of very many the neighbours have much the same around them.
		if n := len(s.signals); n > 2000 {
			apart := 8
			if n > 20000 {
				apart = 50
			}
			if before, ok := last[a.rule]; ok && a.at-before < apart {
				continue
			}
			last[a.rule] = a.at
		}
		w := s.around(k, lo)
		start, end := s.words[a.at].start, s.words[w.last-1].end
		switch a.what {
		case "+persona":
			if w.lifts > 1 || w.free > 0 && w.weak > 0 || w.lifts > 0 && w.weak > 1 || w.weak >= 4 {
				s.add(Persona, false, start, end)
			} else if (w.self || w.keep && s.plays(a.at)) && w.lifts+w.weak > 1 {
				s.add(Persona, true, start, end)
			}
		case "+turn":
			if w.now {
				s.add(IgnorePrevious, false, start, end)
			}
		case "+answer", "+keep":
			if w.lifts > 0 && w.weak > 1 || w.lifts > 2 {
				s.add(Persona, false, start, end)
			} else if a.what == "+keep" && w.strong > 0 && s.words[a.at].text != "in" {
				s.add(Persona, true, start, end)
			}
		case "+lift":
			if w.free > 2 && w.lifts > 3 || w.free > 1 && w.lifts > 2 && w.weak > 1 {
				s.add(Persona, false, start, end)
			}
		case "+mode":
			if w.off > 0 {
				s.add(DeveloperMode, false, start, end)
			}
		case "+conceal":
			if w.exfil > 0 {
				s.add(HiddenOrder, false, start, end)
			}
		case "+address":
			if w.exfil > 0 || w.conceal > 0 || w.steer > 0 {
				s.add(HiddenOrder, false, start, end)
			}
		case "+reader":
			if w.exfil > 0 || w.conceal > 0 || w.steer > 0 || w.bend > 0 {
				s.add(HiddenOrder, false, start, end)
			}
		}
		if len(s.found) > 4*MaxFindings {
			return nil
		}
	}
	return nil
}

// longest is more words than any sentence to trip over has.
const longest = 40

// counted reports whether the word of the first of rest stands in a stronger
// signal, of those before it or of the rest.
func counted(before, rest []signal) bool {
	at := rest[0].at
	for _, b := range slices.Backward(before) {
		switch {
		case b.at < at-longest:
			return false
		case b.end <= at:
		case b.what == "+lift", b.what == "+vice", b.what == "+self":
			return true
		}
	}
	for _, b := range rest[1:] {
		switch {
		case b.at > at:
			return false
		case b.what == "+lift", b.what == "+vice", b.what == "+self":
			return true
		}
	}
	return false
}

// plays reports whether the words from i on have the model play somebody for good,
// rather than for an answer.
func (s *scan) plays(i int) bool {
	switch s.words[i].text {
	case "from", "lets", "i", "imagine", "pretend", "act", "roleplay":
		return true
	}
	return false
}

// window is what stands around a signal.
type window struct {
	lifts, free, strong, weak, off, exfil, conceal, steer, bend int
	self, keep, now                                             bool
	last                                                        int // word after the last of it
}

// around looks at the signals near the k-th one, of which the lo-th is the first.
func (s *scan) around(k, lo int) window {
	a := s.signals[k]
	w := window{last: a.end}
	var rules []int
	var words []string
	lifted := 0
	for _, b := range s.signals[lo:] {
		d := b.at - a.at
		if d > near {
			break
		}
		switch b.what {
		case "+lift", "+vice", "+self":
			w.self = w.self || b.what == "+self"
			if !slices.Contains(rules, b.rule) && b.at >= lifted { // the same words count once
				rules = append(rules, b.rule)
				w.lifts++
				if b.what != "+vice" {
					w.free++
				}
				if b.what == "+lift" {
					w.strong++
				}
				lifted = b.end
			}
			w.last = max(w.last, b.end)
		case "+weak":
			if b.at >= a.at && b.at < a.end {
				break // it is the signal itself
			}
			if word := s.words[b.at].text; !slices.Contains(words, word) {
				words = append(words, word)
				w.weak++
			}
			w.last = max(w.last, b.end)
		case "+keep":
			w.keep = true
			w.last = max(w.last, b.end)
		case "+now":
			w.now = w.now || d >= 0 && d < 40
		case "+off":
			if d >= 0 && d < 25 && b.at >= a.end {
				w.off++
				w.last = max(w.last, b.end)
			}
		case "+exfil":
			if d >= -40 && d < 40 {
				w.exfil++
				w.last = max(w.last, b.end)
			}
		case "+conceal":
			if d >= 0 && d < 60 {
				w.conceal++
				w.last = max(w.last, b.end)
			}
		case "+bend":
			if d >= 0 && d < 40 {
				w.bend++
				w.last = max(w.last, b.end)
			}
		case "+steer":
			if d >= 0 && d < 40 {
				w.steer++
				w.last = max(w.last, b.end)
			}
		}
	}
	return w
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
