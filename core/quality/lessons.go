package quality

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
)

// Lesson is one sentence by which a human corrected the agent.
type Lesson struct {
	ID   string    `json:"id"` // of its text
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

const (
	maxLessons     = 200
	maxLesson      = 300  // characters
	maxTeaching    = 2000 // characters of a prompt that is looked at
	maxLessonsFile = 1 << 20
	lessonsWait    = 500 * time.Millisecond
)

// LessonsFile is where the lessons of a repository are kept.
func LessonsFile(cache string) string { return filepath.Join(cache, "lessons.jsonl") }

// ReadLessons returns the lessons, oldest first. A missing file has none; lines
// that are no lesson are passed over.
func ReadLessons(cache string) ([]Lesson, error) {
	data, err := fsx.ReadFile(LessonsFile(cache), maxLessonsFile)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, fmt.Errorf("lessons: %w", err)
	}
	var out []Lesson
	for line := range bytes.Lines(data) {
		var l Lesson
		if json.Unmarshal(line, &l) == nil && l.Text != "" && l.ID != "" {
			out = append(out, l)
		}
	}
	return out, nil
}

// UpdateLessons changes the lessons under a lock. fn returns the list to keep;
// the oldest of more than 200 go.
func UpdateLessons(ctx context.Context, cache string, fn func([]Lesson) []Lesson) error {
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return fmt.Errorf("lessons: %w", err)
	}
	unlock, err := fsx.Lock(ctx, LessonsFile(cache)+".lock")
	if err != nil {
		return fmt.Errorf("lessons: %w", err)
	}
	defer unlock() //nolint:errcheck // the system frees it too
	was, err := ReadLessons(cache)
	if err != nil {
		return err
	}
	list := fn(slices.Clone(was))
	if slices.Equal(list, was) {
		return nil
	}
	if n := len(list) - maxLessons; n > 0 {
		list = list[n:]
	}
	var b bytes.Buffer
	for _, l := range list {
		line, err := json.Marshal(l)
		if err != nil {
			return fmt.Errorf("lessons: %w", err)
		}
		b.Write(append(line, '\n'))
	}
	if err := fsx.Replace(LessonsFile(cache), b.Bytes(), 0o600); err != nil {
		return fmt.Errorf("lessons: %w", err)
	}
	return nil
}

// NewLesson returns the lesson that a text is.
func NewLesson(text string, at time.Time) Lesson {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.Join(strings.Fields(text), " "))))
	return Lesson{ID: hex.EncodeToString(sum[:4]), Text: text, At: at.UTC().Truncate(time.Second)}
}

// AddLesson puts a lesson last; the same one again is the newest.
func AddLesson(list []Lesson, l Lesson) []Lesson {
	return append(slices.DeleteFunc(list, func(o Lesson) bool { return o.ID == l.ID }), l)
}

func (s *Settings) lessonsGate() *gate.Gate {
	return &gate.Gate{
		ID:    "lessons",
		Doc:   "keeps the sentences by which the human corrects the agent",
		On:    []hook.EventName{hook.UserPromptSubmit},
		Wants: func(e *hook.Event) bool { return e.Typed() && len(e.Prompt) > 0 && len(e.Prompt) <= 4*maxTeaching },
		Run: func(ctx context.Context, p *gate.Pass) (hook.Verdict, error) {
			text := Correction(p.Event.Prompt)
			switch {
			case text == "":
				return hook.Verdict{}, gate.Skip("no correction")
			case s.DryRun:
				return hook.Verdict{}, gate.Skip("a dry run keeps nothing")
			}
			if _, ok := s.Redact(p.Event.Prompt); !ok {
				return hook.Verdict{}, gate.Skip("the prompt may not be kept")
			}
			text, ok := s.Redact(text)
			if !ok {
				return hook.Verdict{}, gate.Skip("the sentence may not be kept")
			}
			ctx, cancel := context.WithTimeout(ctx, lessonsWait)
			defer cancel()
			l := NewLesson(text, p.Env.Now())
			return hook.Verdict{}, UpdateLessons(ctx, s.Project.Cache, func(list []Lesson) []Lesson { return AddLesson(list, l) })
		},
	}
}

// Correction returns the sentence of a prompt that corrects the agent, with the
// one that follows a bare "no"; "" if there is none. A long prompt and one with
// a block of code are no correction.
func Correction(prompt string) string {
	if len([]rune(prompt)) > maxTeaching || strings.Contains(prompt, "```") || strings.HasPrefix(strings.TrimSpace(prompt), "<") {
		return ""
	}
	list := sentences(prompt)
	for i, text := range list {
		if !corrects(text) {
			continue
		}
		if bare(text) { // "No." says nothing by itself
			if i+1 == len(list) {
				continue
			}
			text += " " + list[i+1]
		}
		if r := []rune(text); len(r) > maxLesson {
			text = strings.TrimSpace(string(r[:maxLesson-1])) + "…"
		}
		return text
	}
	return ""
}

// sentences splits at line ends and at . ! ? before a space.
func sentences(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		start := 0
		for i, r := range line {
			if (r == '.' || r == '!' || r == '?') && (i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\n') && !abbreviation(line[start:i]) {
				if s := strings.TrimSpace(line[start : i+1]); s != "" {
					out = append(out, s)
				}
				start = i + 1
			}
		}
		if s := strings.TrimSpace(line[start:]); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func abbreviation(s string) bool {
	return strings.HasSuffix(s, "e.g") || strings.HasSuffix(s, "i.e") || strings.HasSuffix(s, "etc")
}

// words are a sentence's words in lower case, apostrophes made plain.
func words(s string) []string {
	s = strings.ToLower(strings.NewReplacer("’", "'", "‘", "'").Replace(s))
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '_' })
}

func bare(s string) bool {
	w := words(s)
	return len(w) < 3
}

// corrects reports whether a sentence tells the agent that it did wrong, or how
// things are done here.
func corrects(s string) bool {
	w := words(s)
	if len(w) == 0 || strings.HasSuffix(strings.TrimSpace(s), "?") {
		return false
	}
	// "No, …", but not "no problem".
	i := 0
	for i < len(w) && (w[i] == "please" || w[i] == "and" || w[i] == "but" || w[i] == "hey" || w[i] == "ok" || w[i] == "okay" || w[i] == "again" || w[i] == "so" || w[i] == "also" || w[i] == "actually") {
		i++
	}
	if i == len(w) {
		return false
	}
	switch w[i] {
	case "no", "nope", "nein":
		if i+1 < len(w) {
			switch w[i+1] {
			case "problem", "worries", "need", "rush", "idea", "one", "more", "longer", "matter", "issue", "issues", "changes", "errors":
				return false
			}
		}
		_, after, _ := strings.Cut(strings.ToLower(s), w[i]) // lower case may be longer than s
		after = strings.TrimSpace(after)
		return after == "" || strings.ContainsAny(first(after), ",.!-—:;") || follows(w[i+1:])
	case "wrong", "incorrect":
		return true
	}
	return follows(w[i:])
}

// first is the first character of s, "" if it has none.
func first(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return s[:n]
}

// follows reports whether words tell what to do or not to do.
func follows(w []string) bool {
	if len(w) < 2 {
		return false
	}
	switch w[0] {
	case "don't", "dont":
		return w[1] != "worry" && w[1] != "know" && w[1] != "think" && w[1] != "you" && w[1] != "mind" && w[1] != "bother"
	case "do":
		return w[1] == "not" && (len(w) < 3 || w[2] != "worry")
	case "never":
		return w[1] != "mind"
	case "always":
		return true
	case "stop":
		return strings.HasSuffix(w[1], "ing")
	case "use":
		return contains(w, "instead") || contains(w, "not") || pair(w, "rather", "than")
	case "prefer":
		return contains(w, "over") || pair(w, "instead", "of") || pair(w, "rather", "than")
	case "i":
		switch w[1] {
		case "told":
			return true
		case "said", "asked": // "I said hello" tells of something else
			if len(w) > 2 {
				switch w[2] {
				case "to", "not", "no", "you", "use", "that", "don't", "dont", "do", "never", "always", "it", "for", "only", "we", "this", "the":
					return true
				}
			}
			return false
		case "already", "just":
			return len(w) > 2 && (w[2] == "told" || w[2] == "said" || w[2] == "asked")
		}
	case "as":
		return len(w) > 2 && w[1] == "i" && (w[2] == "said" || w[2] == "told")
	case "that's", "thats", "this", "that":
		k := 1
		if w[0] == "this" || w[0] == "that" {
			if w[1] != "is" && w[1] != "was" && w[1] != "isn't" {
				return false
			}
			k = 2
		}
		return k < len(w) && (w[k] == "wrong" || w[k] == "incorrect" || w[k] == "not" && k+1 < len(w) && (w[k+1] == "what" || w[k+1] == "how" || w[k+1] == "right" || w[k+1] == "correct"))
	case "you":
		return w[1] == "should" && (contains(w, "not") || contains(w, "never") || contains(w, "have")) || w[1] == "shouldn't" || w[1] == "must" && contains(w, "not") || w[1] == "keep" && len(w) > 2 && strings.HasSuffix(w[2], "ing") || w[1] == "forgot"
	case "we":
		if w[1] != "don't" && w[1] != "never" && w[1] != "always" || len(w) < 3 {
			return false
		}
		switch w[2] { // tells of what was
		case "got", "had", "did", "was", "were", "saw", "made", "know", "knew", "found", "have", "came", "went":
			return false
		}
		return !strings.HasSuffix(w[2], "ed") || w[2] == "need" || w[2] == "feed"
	}
	return pair(w, "told", "you")
}

func contains(w []string, word string) bool { return slices.Contains(w, word) }

func pair(w []string, a, b string) bool {
	for i := 1; i < len(w); i++ {
		if w[i-1] == a && w[i] == b {
			return true
		}
	}
	return false
}
