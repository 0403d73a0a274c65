package hook

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestClip(t *testing.T) {
	tests := []struct {
		name, in string
		limit    int
		want     string
	}{
		{"fits", "abc", 3, "abc"},
		{"fits in characters", "ééé", 3, "ééé"},
		{"cut", "abcdefghijklm", 10, "abc …[cut]"},
		{"at a line's end", "first\nsecond line", 15, "first …[cut]"},
		{"not at a far one", "a\nbcdefghijklmnopqrstuvwxyz", 20, "a\nbcdefghijkl …[cut]"},
		{"a pair is two and stays whole", "😀😀😀😀😀😀😀", 12, "😀😀 …[cut]"},
		{"no room for the mark", "abcdef", 3, ""},
		{"nothing", "abc", 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Clip(tt.in, tt.limit); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestClipKeepsTheLimitAndTheFirstLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.String().Draw(t, "text")
		limit := rapid.IntRange(0, 60).Draw(t, "limit")
		got := Clip(in, limit)
		if n := len(utf16.Encode([]rune(got))); n > limit {
			t.Fatalf("%d characters, limit %d", n, limit)
		}
		if utf8.ValidString(in) && !utf8.ValidString(got) {
			t.Fatal("cut inside a character")
		}
		if len(utf16.Encode([]rune(in))) <= limit && got != in {
			t.Fatal("cut what fits")
		}
		first, _, _ := strings.Cut(in, "\n")
		if first != "" && len(utf16.Encode([]rune(first))) <= limit-len([]rune(clipMark)) && !strings.HasPrefix(got, first) {
			t.Fatalf("first line %q lost in %q", first, got)
		}
	})
}
