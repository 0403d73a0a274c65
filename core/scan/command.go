package scan

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Command returns a validator that asks a program. run starts it with stdin and
// returns its exit code and what it printed on standard output; its error means
// that there is no answer.
//
// The program gets one JSON object, {"text", "path",
// "direction"}. It says what
// it found as {"matches": [{"kind", "start", "end", "severity"}]}, with offsets in
// bytes of text, and ends with 0; a match without offsets stands for the whole
// text. Without output, 0 means that nothing was found and 2 that the text is
// refused as it is. Any other code, and output of another shape, is an error: the
// validator could not tell.
func Command(name string, d Direction, s Severity, run func(ctx context.Context, stdin []byte) (code int, stdout []byte, err error)) Validator {
	return Validator{Name: name, Direction: d, Severity: s, Slow: true, Check: func(ctx context.Context, p Payload) ([]Match, error) {
		ask, err := json.Marshal(struct {
			Text      string `json:"text"`
			Path      string `json:"path,omitempty"`
			Direction string `json:"direction"`
		}{p.Text, p.Path, p.Direction.String()})
		if err != nil {
			return nil, err
		}
		code, stdout, err := run(ctx, ask)
		if err != nil {
			return nil, err
		}
		return answer(p.Text, code, stdout)
	}}
}

func answer(text string, code int, stdout []byte) ([]Match, error) {
	stdout = bytes.TrimSpace(stdout)
	switch {
	case code != 0 && code != 2:
		return nil, fmt.Errorf("the program ended with code %d", code)
	case len(stdout) == 0 && code == 0:
		return nil, nil
	case len(stdout) == 0:
		return []Match{{Kind: "refused", Severity: High, End: len(text), Line: 1, Sample: "***"}}, nil
	}
	var said struct {
		Matches []struct {
			Kind     string `json:"kind"`
			Start    *int   `json:"start"`
			End      *int   `json:"end"`
			Severity string `json:"severity"`
		} `json:"matches"`
	}
	dec := json.NewDecoder(bytes.NewReader(stdout))
	if err := dec.Decode(&said); err != nil || dec.More() {
		return nil, errors.New("the program did not print one JSON object") // what it printed may quote the text
	}
	if len(said.Matches) == 0 && code == 2 {
		return nil, errors.New("the program ended with code 2 and named no match")
	}
	var out []Match
	for _, m := range said.Matches {
		start, end := 0, len(text)
		if m.Start != nil {
			start = *m.Start
		}
		if m.End != nil {
			end = *m.End
		}
		if start < 0 || end < start || end > len(text) {
			return nil, fmt.Errorf("the program named bytes %d to %d of a text of %d", start, end, len(text))
		}
		severity := High
		if m.Severity == "low" {
			severity = Low
		}
		out = append(out, Match{
			Kind: word(m.Kind), Severity: severity, Start: start, End: end,
			Line: 1 + strings.Count(text[:start], "\n"), Sample: "***",
		})
	}
	return out, nil
}

// word makes a kind of what a program said: short, and nothing but letters,
// digits, dots and dashes, so that it cannot quote the text.
func word(kind string) string {
	kind = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '.', r == '_':
			return r
		}
		return '-'
	}, kind[:min(len(kind), 40)])
	if kind == "" {
		return "refused"
	}
	return kind
}
