package evidence

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/fsx"
)

func TestCardsOfALedger(t *testing.T) {
	const text = "# Work\n\n" +
		"- [ ] first card\n" +
		"  goes on here\n" +
		"- [x] second — evidence: 31 passed\n" +
		"* [X] third (verified: seen in the browser)\n" +
		"+ [~] fourth — reason: in another change\n" +
		"- [~] fifth later\n" +
		"  - [ ] below another\n" +
		"- [x](https://example.com) a link\n" +
		"- [?] no card\n" +
		"- plain\n" +
		"-[ ] too close\n" +
		"```md\n- [ ] in a fence\n```\n" +
		"<!-- - [ ] in a comment -->\n" +
		"<!--\n- [ ] in a long one\n-->\n" +
		"PAUSED we talk first\r\n" +
		"- [ ]\n"
	want := []Card{
		{N: 1, Mark: Open, Text: "first card goes on here", Line: 3},
		{N: 2, Mark: Done, Text: "second", Note: "31 passed", Line: 5},
		{N: 3, Mark: Done, Text: "third", Note: "seen in the browser)", Line: 6},
		{N: 4, Mark: Dropped, Text: "fourth", Note: "in another change", Line: 7},
		{N: 5, Mark: Dropped, Text: "fifth later", Line: 8},
		{N: 6, Mark: Open, Text: "below another", Line: 9},
		{N: 7, Mark: Open, Text: "(no title)", Line: 22},
	}
	l := ParseLedger(text)
	if diff := cmp.Diff(want, l.Cards); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if l.Paused != "we talk first" {
		t.Errorf("paused: %q", l.Paused)
	}
	if l.String() != text {
		t.Errorf("not the same bytes: %q", l.String())
	}
}

func TestPausedNeedsAReason(t *testing.T) {
	for line, want := range map[string]string{
		"PAUSED we talk first": "we talk first", "PAUSED: we talk first": "we talk first", "> **PAUSED** we talk": "",
		"PAUSED": "", "PAUSED no": "", "PAUSEDLY said": "", "was PAUSED before": "", "paused we talk first": "", "# PAUSED we talk": "we talk",
	} {
		if got := ParseLedger(line).Paused; got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestALedgerKeepsEveryOtherByte(t *testing.T) {
	const text = "\tmine\r\n- [ ] one  \r\n- [x] two evidence: 31 passed\r\nPAUSED for now\r\nlast"
	l := ParseLedger(text)
	for _, c := range []struct{ name, got, want string }{
		{"add", l.add("three").String(), text + "\r\n- [ ] three\r\n"},
		{"done", l.settle(1, Done, "seen").String(), strings.Replace(text, "- [ ] one  ", "- [x] one — evidence: seen", 1)},
		{"skip", l.settle(1, Dropped, "why").String(), strings.Replace(text, "- [ ] one  ", "- [~] one — reason: why", 1)},
		{"resume", l.resume().String(), strings.Replace(text, "PAUSED for now\r\n", "", 1)},
		{"pause", l.pause("again").String(), strings.Replace(text, "PAUSED for now\r\n", "", 1) + "\r\nPAUSED again\r\n"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestACardIsFoundByNumberOrTitle(t *testing.T) {
	l := ParseLedger("- [ ] read dates\n- [ ] read times\n- [x] write evidence: 31 passed\n")
	for arg, want := range map[string]int{"1": 1, "#2": 2, "3": 3, "read d": 1, "READ T": 2, "read": 0, "write": 0, "4": 0, "0": 0, "": 0} {
		c, err := l.Find(arg)
		if want == 0 && err == nil || want != 0 && (err != nil || c.N != want) {
			t.Errorf("%q: card %d, %v, want %d", arg, c.N, err, want)
		}
	}
}

func TestLintNamesWhatIsWrong(t *testing.T) {
	got := ParseLedger("- [ ] one\n- [x] two\n- [x] three evidence: all done\n- [~] four\n- [ ] One\n- [ ]\n- [x] five evidence: 31 passed\n- [~] six reason: later\n").Lint()
	var lines []int
	for _, p := range got {
		lines = append(lines, p.Line)
	}
	if diff := cmp.Diff([]int{2, 3, 4, 5, 6}, lines); diff != "" {
		t.Errorf("%v (-want +got):\n%s", got, diff)
	}
}

func TestTheNewLedgerHasNoCard(t *testing.T) {
	l := ParseLedger(NewLedger)
	if len(l.Cards) > 0 || l.Paused != "" || len(l.Lint()) > 0 || strings.Contains(NewLedger, "[ ]") || strings.Contains(NewLedger, "PAUSED") {
		t.Errorf("%+v", l)
	}
}

func TestWhatADetailHasToSay(t *testing.T) {
	for detail, want := range map[string]bool{
		substantive: true, "200 with version 1.4.2": true, "no injection in 14 handlers": true, "2 failed in api": true, "通过了三十一个测试": true,
		"": false, " ": false, "ok": false, "OK.": false, "All tests passed": false, "it works now!": false, "LGTM": false, "done done done": false, "...": false, "yes, verified": false, "ran": false,
	} {
		if got := Substantive(detail); got != want {
			t.Errorf("%q: %t", detail, got)
		}
	}
}

func TestWhatIsKeptNamesNoPlaceOfThisMachine(t *testing.T) {
	for in, want := range map[string]string{
		"go test ./...":                       "go test ./...",
		"cat /home/u/w/p/src/a.go":            "cat src/a.go",
		"/home/u/w/p":                         ".",
		"log in /home/u/x/y.log, line 3":      "log in …/y.log, line 3",
		"see (/etc/app/config.yaml)":          "see (…/config.yaml)",
		"file:///home/u/x/y.html":             "…/y.html",
		"~/x/y":                               "…/y",
		`C:\Users\u\x.txt and \\host\share\y`: "…/x.txt and …/y",
		"and/or a/b":                          "and/or a/b",
		"https://example.com/a/b":             "https://example.com/a/b",
		"two\nlines\x00and\ta tab":            "two lines and a tab",
		"a=/home/u/x/y at:/var/z":             "a=…/y at:…/z",
		"50% at 1/2 speed / fast":             "50% at 1/2 speed / fast",
	} {
		if got := clean(in, "/home/u/w/p", "/home/u"); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := clean(strings.Repeat("é", 400), "", ""); len(got) > maxText || !strings.HasSuffix(got, "…") {
		t.Errorf("%d bytes", len(got))
	}
}

func FuzzLedger(f *testing.F) {
	f.Add("- [ ] a\n- [x] b evidence: 31 passed\nPAUSED why not\n")
	f.Add("```\n- [ ] a\n~~~\n<!-- \n")
	f.Add("* [X] \xc7")
	f.Fuzz(func(t *testing.T, text string) {
		l := ParseLedger(text)
		if got := l.String(); got != strings.TrimPrefix(text, "\ufeff") {
			t.Fatalf("%q", got)
		}
		for i, c := range l.Cards {
			if c.N != i+1 || c.Mark == NoMark || c.Line < 1 || c.Line > len(l.lines) {
				t.Fatalf("%+v", c)
			}
			after := l.settle(c.N, Done, "seen on the screen")
			if got := after.Cards[c.N-1]; got.Mark != Done || !got.proven() || len(after.Cards) != len(l.Cards) {
				t.Fatalf("%+v from %+v in %q", got, c, text)
			}
		}
		l.Lint()
	})
}

func FuzzClean(f *testing.F) {
	f.Add("cat /home/u/w/p/a /etc/x ~/y C:\\z")
	f.Fuzz(func(t *testing.T, text string) {
		got := clean(text, "/home/u/w/p", "/home/u")
		if len(got) > maxText || strings.ContainsAny(got, "\n\r\x00") {
			t.Fatalf("%q", got)
		}
		for w := range strings.FieldsSeq(got) {
			if strings.HasPrefix(w, "/home/u") {
				t.Fatalf("%q keeps a path: %q", text, got)
			}
		}
	})
}

// What a message of ours leaves to be filled in proves nothing when it is left so.
func TestAPlaceholderIsNoText(t *testing.T) {
	ctx := t.Context()
	root := t.TempDir()
	s := &Store{Root: root}
	tree := Tree{Root: root, FS: fsx.OS{}}
	if _, err := s.AddCard(ctx, tree, "<what is to be done, and how one sees that it is>"); err == nil {
		t.Error("a card")
	}
	if _, err := s.AddCard(ctx, tree, "parser reads dates"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SettleCard(ctx, tree, "1", Done, "<what proved it>"); err == nil {
		t.Error("a card's evidence")
	}
	r := Record{Kind: Observation, Result: Pass, Source: "curl /health", Detail: "<what it showed>"}
	if _, err := s.Add(ctx, tree, r); err == nil {
		t.Error("a detail")
	}
	if Substantive("<what it showed>") || !Substantive("<div> is centred") {
		t.Error("what is substantive")
	}
	if l := ParseLedger("- [x] a evidence: <what proved it>\n"); len(l.Unproven()) != 1 {
		t.Error("a card written by hand")
	}
}
