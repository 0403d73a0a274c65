package coverage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// MaxReport is the largest report that is read, in bytes.
const MaxReport = 256 << 20

// maxLine is the greatest line number that is believed.
const maxLine = 1 << 27

// ErrFormat is wrapped when a file is no report of a known format.
var ErrFormat = errors.New("not a coverage report that guardrails knows (go cover profile, lcov, Cobertura, Clover, JaCoCo, coverage.py JSON, simplecov .resultset.json, istanbul coverage-summary.json or coverage-final.json)")

// ReadFile reads a report. Its names count from base if that is not empty,
// else it is found out what they count from.
func ReadFile(name, base string) (*Report, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read coverage report: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read coverage report: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read coverage report: %s is not a file", name)
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxReport+1))
	if err != nil {
		return nil, fmt.Errorf("read coverage report %s: %w", name, err)
	}
	if len(data) > MaxReport {
		return nil, fmt.Errorf("read coverage report %s: larger than %d MiB", name, MaxReport>>20)
	}
	r, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("read coverage report %s: %w", name, err)
	}
	r.Name = name
	if r.Made.IsZero() {
		r.Made = info.ModTime()
	}
	if abs, err := filepath.Abs(name); err == nil {
		r.dir = filepath.Dir(abs)
	}
	if base != "" {
		if r.base, err = filepath.Abs(base); err != nil {
			return nil, fmt.Errorf("read coverage report %s: %w", name, err)
		}
	}
	return r, nil
}

// Parse reads a report of any known format. What is cut off in the middle, or
// is not what its beginning promises, is an error. Made is set if the report
// has a time inside.
func Parse(data []byte) (*Report, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	head := bytes.TrimLeft(data, " \t\r\n")
	switch {
	case len(head) == 0:
		return nil, errors.New("it is empty")
	case bytes.HasPrefix(head, []byte("mode:")):
		return parseGo(head)
	case head[0] == '<':
		return parseXML(head)
	case head[0] == '{':
		return parseJSON(head)
	case looksLCOV(head):
		return parseLCOV(data)
	}
	return nil, ErrFormat
}

// lines calls f with each line and its number, from 1.
func eachLine(data []byte, f func(n int, line []byte) error) error {
	for n := 1; len(data) > 0; n++ {
		line, rest, _ := bytes.Cut(data, []byte{'\n'})
		data = rest
		if err := f(n, bytes.TrimRight(line, " \t\r")); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return nil
}

// lineNo reads a line number; 0 stands for "the file as a whole" in some
// tools.
func lineNo(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > maxLine {
		return 0, fmt.Errorf("%q is no line number", clip(s))
	}
	return n, nil
}

// hits reads an execution count. Tools write negative and fractional ones too.
func hits(s string) (bool, error) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n > 0, nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if (err != nil && !errors.Is(err, strconv.ErrRange)) || f != f {
		return false, fmt.Errorf("%q is no count", clip(s))
	}
	return f > 0, nil
}

// unixTime reads seconds or milliseconds since 1970, and how fine they are.
func unixTime(s string) (time.Time, time.Duration) {
	f, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil || !(f >= 1e8) || f > 1e17:
		return time.Time{}, 0 // none, or a placeholder
	case f < 1e11:
		return time.Unix(int64(f), 0), time.Second
	case f < 1e14:
		return time.UnixMilli(int64(f)), time.Millisecond
	}
	return time.UnixMicro(int64(f)), time.Microsecond
}

func clip(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}
