//go:build !windows

package prompt

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
)

// human is the other end of a terminal: it answers each text that it sees, in
// order, and, if polite, every question for the cursor.
type human struct {
	mu     sync.Mutex
	seen   bytes.Buffer
	script []exchange
	polite bool
	done   chan struct{}
}

// cursor is a terminal's question for its cursor.
const cursor = "\x1b[6n"

type exchange struct{ sees, types string }

func (h *human) run(ptmx *os.File) {
	defer close(h.done)
	buf := make([]byte, 4096)
	var unread string
	for {
		n, err := ptmx.Read(buf)
		if err != nil {
			return
		}
		h.mu.Lock()
		h.seen.Write(buf[:n])
		unread += string(buf[:n])
		h.mu.Unlock()
		for {
			report, next := strings.Index(unread, cursor), -1
			if len(h.script) > 0 {
				next = strings.Index(unread, h.script[0].sees)
			}
			switch {
			case next >= 0 && (report < 0 || next <= report):
				unread = unread[next+len(h.script[0].sees):]
				_, _ = ptmx.WriteString(h.script[0].types)
				h.script = h.script[1:]
				continue
			case report >= 0:
				unread = unread[report+len(cursor):]
				if h.polite {
					_, _ = ptmx.WriteString("\x1b[1;1R")
				}
				continue
			}
			break
		}
	}
}

func openTerminal(t *testing.T, polite bool, script ...exchange) (*os.File, *human) {
	t.Helper()
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	h := &human{script: script, polite: polite, done: make(chan struct{})}
	go h.run(ptmx)
	t.Cleanup(func() {
		// A reader that was left waiting keeps the terminal open: a line ends it.
		_, _ = ptmx.WriteString("\n")
		_ = tty.Close()
		_ = ptmx.Close()
		<-h.done
	})
	return tty, h
}

func TestAHumanAnswersOnATerminal(t *testing.T) {
	tty, h := openTerminal(t, true,
		exchange{"which hosts", " \r"},      // unselect the first
		exchange{"which scope", "\x1b[B\r"}, // the second
		exchange{"write it", "\x1b[B\r"},
	)
	p := New(tty, tty, "xterm", false)
	if _, ok := p.(surveyMode); !ok {
		t.Fatalf("%T", p)
	}
	many, err := p.MultiSelect("which hosts", []string{"claude", "gemini"}, []int{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{1}, many); diff != "" {
		t.Error(diff)
	}
	if one, err := p.Select("which scope", []string{"a", "b", "c"}, 0); err != nil || one != 1 {
		t.Errorf("%d %v", one, err)
	}
	if yes, err := p.Confirm("write it", true); err != nil || yes {
		t.Errorf("%v %v", yes, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !strings.Contains(h.seen.String(), "gemini") {
		t.Errorf("%q", h.seen.String())
	}
}

func TestCtrlCIsAnInterruption(t *testing.T) {
	tty, _ := openTerminal(t, true, exchange{"sure", "\x1b[B"}, exchange{"sure", "\x03"}) // the second: it reads keys by now
	if _, err := New(tty, tty, "xterm", false).Confirm("sure", true); !errors.Is(err, ErrInterrupted) {
		t.Errorf("got %v", err)
	}
}

func TestATerminalThatDoesNotAnswerIsAskedInLines(t *testing.T) {
	tty, _ := openTerminal(t, false, exchange{"number [1]: ", "2\n"}, exchange{"sure [Y/n]: ", "no\n"})
	p := New(tty, tty, "xterm", false)
	if _, ok := p.(*lineMode); !ok {
		t.Fatalf("%T", p)
	}
	if n, err := p.Select("scope", []string{"a", "b"}, 0); err != nil || n != 1 {
		t.Errorf("%d %v", n, err)
	}
	if yes, err := p.Confirm("sure", true); err != nil || yes {
		t.Errorf("%v %v", yes, err)
	}
}

func TestWhatIsTypedBeforeTheQuestionCounts(t *testing.T) {
	tty, _ := openTerminal(t, false, exchange{cursor, "2\nno\n"})
	p := New(tty, tty, "xterm", false)
	if n, err := p.Select("scope", []string{"a", "b"}, 0); err != nil || n != 1 {
		t.Errorf("%d %v", n, err)
	}
	if yes, err := p.Confirm("sure", true); err != nil || yes {
		t.Errorf("%v %v", yes, err)
	}
}

func TestADumbTerminalIsAskedInLinesWithoutEscapes(t *testing.T) {
	tty, h := openTerminal(t, true, exchange{"sure [y/N]: ", "y\n"})
	p := New(tty, tty, "dumb", false)
	if yes, err := p.Confirm("sure", false); err != nil || !yes {
		t.Errorf("%v %v", yes, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if strings.Contains(h.seen.String(), "\x1b") {
		t.Errorf("%q", h.seen.String())
	}
}

func TestLineModeReadsNumbersAndRepeats(t *testing.T) {
	tests := []struct {
		name, typed string
		want        []int
		err         bool
	}{
		{"the default", "\n", []int{0, 2}, false},
		{"none", "0\n", nil, false},
		{"some", "3, 1\n", []int{0, 2}, false},
		{"again after nonsense", "x\n4\n2\n", []int{1}, false},
		{"the end of input", "", nil, true},
		{"nonsense for ever", strings.Repeat("x\n", 9), nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := &lineMode{newReader(strings.NewReader(tt.typed)), io.Discard}
			got, err := l.MultiSelect("q", []string{"a", "b", "c"}, []int{0, 2})
			if (err != nil) != tt.err {
				t.Fatal(err)
			}
			if err == nil {
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func TestOnlyACursorReportIsOne(t *testing.T) {
	for s, want := range map[string]bool{"\x1b[1;1R": true, "abc\x1b[24;80R": true, "\x1b[A\x1b[1;2R": true, "\x1b[1;1": false, "R": false, "\x1b[R": false, "": false} {
		if got := isReport([]byte(s)); got != want {
			t.Errorf("%q: %t", s, got)
		}
	}
}

func TestTheFakeFailsOnAQuestionThatIsNotInItsScript(t *testing.T) {
	f := &Fake{Answers: []any{1, true}}
	if n, err := f.Select("a", nil, 0); err != nil || n != 1 {
		t.Errorf("%d %v", n, err)
	}
	if _, err := f.MultiSelect("b", nil, nil); err == nil {
		t.Error("a bool answered MultiSelect")
	}
	if _, err := f.Confirm("c", false); err == nil || !strings.Contains(err.Error(), `"c"`) {
		t.Errorf("got %v", err)
	}
}
