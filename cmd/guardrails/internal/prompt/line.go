package prompt

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"
)

// reader reads chunks in the background, one at a time and only when asked, so
// that a wait can be given up without losing what arrives later.
type reader struct {
	in      io.Reader
	chunks  chan chunk
	waiting bool
	held    []byte // read and not used yet
}

type chunk struct {
	data []byte
	err  error
}

func newReader(in io.Reader) *reader { return &reader{in: in, chunks: make(chan chunk, 1)} }

// next returns the next chunk; ok is false if none came in time. A timeout of 0
// waits for ever.
func (r *reader) next(timeout time.Duration) (c chunk, ok bool) {
	if !r.waiting {
		r.waiting = true
		go func() {
			buf := make([]byte, 256)
			n, err := r.in.Read(buf)
			r.chunks <- chunk{buf[:n], err}
		}()
	}
	var expired <-chan time.Time
	if timeout > 0 {
		t := time.NewTimer(timeout)
		defer t.Stop()
		expired = t.C
	}
	select {
	case c = <-r.chunks:
		r.waiting = false
		return c, true
	case <-expired:
		return chunk{}, false
	}
}

// line returns one line without its end.
func (r *reader) line() (string, error) {
	for {
		if n := bytes.IndexAny(r.held, "\r\n"); n >= 0 {
			line := string(r.held[:n])
			r.held = r.held[n+1:]
			return line, nil
		}
		c, _ := r.next(0)
		r.held = append(r.held, c.data...)
		if c.err != nil {
			return "", ErrInterrupted
		}
	}
}

// answers asks the terminal where its cursor is and reports whether it said so.
// If it did not, what was typed meanwhile is kept for the lines to come.
func answers(in, out *os.File, r *reader, wait time.Duration) bool {
	old, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return false
	}
	defer term.Restore(int(in.Fd()), old) //nolint:errcheck // nothing can be done about it
	if _, err := out.WriteString("\x1b[6n"); err != nil {
		return false
	}
	deadline := time.Now().Add(wait)
	for left := wait; left > 0; left = time.Until(deadline) {
		c, ok := r.next(left)
		r.held = append(r.held, c.data...)
		if !ok || c.err != nil {
			break
		}
		if isReport(r.held) {
			return true
		}
	}
	return false
}

// isReport reports whether b holds ESC [ row ; column R.
func isReport(b []byte) bool {
	for {
		n := bytes.Index(b, []byte("\x1b["))
		if n < 0 {
			return false
		}
		b = b[n+2:]
		end := bytes.IndexByte(b, 'R')
		if end > 0 && len(bytes.Trim(b[:end], "0123456789;")) == 0 && bytes.IndexByte(b[:end], ';') > 0 {
			return true
		}
	}
}

// lineMode asks in plain lines.
type lineMode struct {
	in  *reader
	out io.Writer
}

// maxTries bounds how often a question is repeated after an answer that is none.
const maxTries = 5

func (l *lineMode) ask(question string, parse func(string) bool) error {
	for range maxTries {
		fmt.Fprint(l.out, question)
		answer, err := l.in.line()
		if err != nil {
			fmt.Fprintln(l.out)
			return err
		}
		if parse(strings.TrimSpace(answer)) {
			return nil
		}
	}
	return fmt.Errorf("no answer that fits after %d tries; name what you want with flags", maxTries)
}

func (l *lineMode) list(question string, options []string) {
	fmt.Fprintln(l.out, question)
	for i, o := range options {
		fmt.Fprintf(l.out, "  %d) %s\n", i+1, o)
	}
}

// Select returns the index of the option chosen.
func (l *lineMode) Select(question string, options []string, def int) (int, error) {
	l.list(question, options)
	chosen := def
	err := l.ask(fmt.Sprintf("number [%d]: ", def+1), func(s string) bool {
		if s == "" {
			return true
		}
		n, err := strconv.Atoi(s)
		chosen = n - 1
		return err == nil && n >= 1 && n <= len(options)
	})
	return chosen, err
}

// MultiSelect returns the indexes of the options chosen, in order.
func (l *lineMode) MultiSelect(question string, options []string, chosen []int) ([]int, error) {
	l.list(question, options)
	var def []string
	for _, i := range chosen {
		def = append(def, strconv.Itoa(i+1))
	}
	var out []int
	err := l.ask(fmt.Sprintf("numbers, with commas; 0 for none [%s]: ", strings.Join(def, ",")), func(s string) bool {
		if s == "" {
			out = chosen
			return true
		}
		out = nil
		for _, f := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' }) {
			n, err := strconv.Atoi(f)
			if err != nil || n < 0 || n > len(options) {
				return false
			}
			if n > 0 && !slices.Contains(out, n-1) {
				out = append(out, n-1)
			}
		}
		slices.Sort(out)
		return true
	})
	return out, err
}

// Confirm returns the answer to a yes-or-no question.
func (l *lineMode) Confirm(question string, def bool) (bool, error) {
	hint := "y/N"
	if def {
		hint = "Y/n"
	}
	answer := def
	err := l.ask(fmt.Sprintf("%s [%s]: ", question, hint), func(s string) bool {
		switch strings.ToLower(s) {
		case "":
		case "y", "yes":
			answer = true
		case "n", "no":
			answer = false
		default:
			return false
		}
		return true
	})
	return answer, err
}
