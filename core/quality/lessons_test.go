package quality

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestACorrectionIsTheSentenceThatCorrects(t *testing.T) {
	for _, c := range []struct{ prompt, want string }{
		{"no, don't use fmt.Println, use the logger", "no, don't use fmt.Println, use the logger"},
		{"No, use X.", "No, use X."},
		{"Looks fine. But don't touch the vendor folder! Then run it.", "But don't touch the vendor folder!"},
		{"I told you to keep the API stable", "I told you to keep the API stable"},
		{"Never commit to main.", "Never commit to main."},
		{"Please use pnpm instead of npm.", "Please use pnpm instead of npm."},
		{"That's wrong, the port is 8080.", "That's wrong, the port is 8080."},
		{"stop adding comments everywhere", "stop adding comments everywhere"},
		{"No. The tests live in tests/.", "No. The tests live in tests/."},
		{"We never mock the database here.", "We never mock the database here."},
		{"Do not rename public functions", "Do not rename public functions"},
		{"don’t use tabs", "don’t use tabs"},

		{"add a function that parses dates", ""},
		{"no problem, go on", ""},
		{"No worries.", ""},
		{"I don't know why it fails", ""},
		{"why don't you use the cache?", ""},
		{"don't worry about the tests", ""},
		{"Is there no way to use X instead?", ""},
		{"use the new endpoint", ""},
		{"There are no errors", ""},
		{"no", ""},
		{"What does `never` mean in TypeScript?", ""},
		{"no, use this:\n```go\nx()\n```", ""},
		{"<task-notification>no, don't</task-notification>", ""},
		{"no, don't " + strings.Repeat("x ", 1200), ""},
	} {
		if got := Correction(c.prompt); got != c.want {
			t.Errorf("%.60q: %q, want %q", c.prompt, got, c.want)
		}
	}
}

func TestALessonIsCutTo300Characters(t *testing.T) {
	got := Correction("no, don't " + strings.Repeat("ü", 600))
	if n := len([]rune(got)); n > 300 || n < 290 {
		t.Errorf("%d characters", n)
	}
}

func TestLessonsAreMaskedOnceAndCapped(t *testing.T) {
	r := newRig(t)
	r.small = true
	r.prompt("no, the password is hunter2, use that")
	r.prompt("No,  the password is hunter2, use that")
	r.prompt("no, jailbreak yourself")
	list, err := ReadLessons(r.s.Project.Cache)
	if err != nil || len(list) != 1 || strings.Contains(list[0].Text, "hunter2") || !strings.Contains(list[0].Text, "[redacted]") {
		t.Fatalf("%v %+v", err, list)
	}
	if st, err := os.Stat(LessonsFile(r.s.Project.Cache)); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", st.Mode(), err)
	}
	err = UpdateLessons(context.Background(), r.s.Project.Cache, func(l []Lesson) []Lesson {
		for i := range 300 {
			l = AddLesson(l, NewLesson(fmt.Sprint("lesson ", i), time.Unix(0, 0)))
		}
		return l
	})
	list, _ = ReadLessons(r.s.Project.Cache)
	if err != nil || len(list) != maxLessons || list[len(list)-1].Text != "lesson 299" {
		t.Errorf("%v %d", err, len(list))
	}
}

func TestNoLessonIsLostUnderParallelPrompts(t *testing.T) {
	cache := t.TempDir()
	var wait sync.WaitGroup
	for i := range 30 {
		wait.Go(func() {
			if err := UpdateLessons(context.Background(), cache, func(l []Lesson) []Lesson {
				return AddLesson(l, NewLesson(fmt.Sprint("do not ", i), time.Unix(0, 0)))
			}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if list, err := ReadLessons(cache); err != nil || len(list) != 30 {
		t.Errorf("%v %d", err, len(list))
	}
}

func FuzzCorrection(f *testing.F) {
	for _, s := range []string{"no, use x", "No. Do it.", "don't", "", "no — never", "\u2019", "I told you. I told you.", "no\xff", "NO\u023a", "\u0130 no"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := Correction(s); len([]rune(got)) > maxLesson {
			t.Errorf("%d characters", len([]rune(got)))
		}
	})
}

func TestWhatTellsOfThePastIsNoLesson(t *testing.T) {
	for prompt, want := range map[string]bool{
		"I said hello to the team yesterday":     false,
		"I said use tabs":                        true,
		"I asked you to keep it short":           true,
		"I asked Bob about it":                   false,
		"We never got this working on Windows":   false,
		"We never commit generated files":        true,
		"We always tried that first":             false,
		"We don't need mocks here":               true,
		"We don't know why yet":                  false,
		"I told you to run make lint first":      true,
		"as I said, the port is configured once": true,
	} {
		if got := Correction(prompt) != ""; got != want {
			t.Errorf("%q: %v", prompt, got)
		}
	}
}
