package gemini

import "testing"

func TestSettingsWithCommentsLoadAndMistakesDoNot(t *testing.T) {
	for text, good := range map[string]bool{
		"":                                     true,
		`{}`:                                   true,
		"{\n// a note\n\"a\": 1 /* b */\n}":    true,
		`{"url": "https://x/*y*/", "b": "//"}`: true,
		`{"a": "\"// not a comment"}`:          true,
		`{"a": 1,}`:                            false,
		"\ufeff{}":                             false,
		`{"a": 1 /* open }`:                    false,
		`[]`:                                   false,
		`{`:                                    false,
	} {
		if got := loads([]byte(text)) == ""; got != good {
			t.Errorf("loads(%q) = %v, want %v", text, got, good)
		}
	}
}

func FuzzLoads(f *testing.F) {
	f.Add([]byte("{/*a*/\"b\": \"\\\"\"}//"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if out := withoutComments(text); len(out) != len(text) {
			t.Errorf("%d bytes became %d", len(text), len(out))
		}
		_ = loads(text)
	})
}
