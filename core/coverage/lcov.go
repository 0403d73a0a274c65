package coverage

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// looksLCOV reports whether text begins with a record of lcov.
func looksLCOV(head []byte) bool {
	for range 20 {
		line, rest, more := bytes.Cut(head, []byte{'\n'})
		line = bytes.TrimSpace(line)
		if bytes.HasPrefix(line, []byte("TN:")) || bytes.HasPrefix(line, []byte("SF:")) {
			return true
		}
		if len(line) > 0 && line[0] != '#' || !more {
			return false
		}
		head = rest
	}
	return false
}

// parseLCOV reads a tracefile. Lines need not be sorted (coverage.py writes
// the missed after the hit ones), and a file may have several records, one for
// each test.
func parseLCOV(data []byte) (*Report, error) {
	var c collector
	var name string
	open := false
	err := eachLine(data, func(_ int, line []byte) error {
		s := string(line)
		switch {
		case s == "end_of_record":
			if !open {
				return errors.New("end_of_record without SF")
			}
			open = false
		case strings.HasPrefix(s, "SF:"):
			if open {
				return fmt.Errorf("the record of %s has no end_of_record", clip(name))
			}
			if name = s[3:]; name == "" {
				return errors.New("SF without a name")
			}
			open = true
			c.file("", name)
		case strings.HasPrefix(s, "DA:"):
			if !open {
				return errors.New("DA without SF")
			}
			f := strings.Split(s[3:], ",")
			if len(f) < 2 {
				return fmt.Errorf("%q is not DA:line,count", clip(s))
			}
			n, err := lineNo(f[0])
			if err != nil {
				return err
			}
			hit, err := hits(f[1])
			if err != nil {
				return err
			}
			// coverage.py lists the line 0 of an empty file (6.5.0, measured): it
			// counts in the file's sum, as there, and is no line that can change.
			file := c.file("", name)
			file.Lines = append(file.Lines, Line{n, hit})
		case s == "" || s[0] == '#':
		default:
			// Functions, branches and sums; unknown records of newer versions too.
			if key, _, ok := strings.Cut(s, ":"); !ok || len(key) > 12 || strings.ContainsAny(key, " \t<{") {
				return fmt.Errorf("%q is no record of lcov", clip(s))
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("lcov: %w", err)
	}
	if open {
		return nil, fmt.Errorf("lcov: it ends in the middle: the record of %s has no end_of_record", clip(name))
	}
	return &Report{Format: LCOV, Files: c.done()}, nil
}
