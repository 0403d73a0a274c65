package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// judgeLines answers JSON lines with JSON lines, in order. judge answers one line
// and reports whether it could; blank lines have no answer. Every answer before an
// error is written. example is a line as the verb takes it.
func (a *app) judgeLines(example string, judge func(line []byte) (answer any, ok bool)) error {
	if isTerminal(a.stdin) {
		return errors.New("standard input is a terminal: pipe JSON lines in, e.g. " + example)
	}
	out := bufio.NewWriter(a.stdout)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	in := bufio.NewReaderSize(a.stdin, 64<<10)
	bad := false
	for {
		line, rerr := in.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			answer, ok := judge(line)
			bad = bad || !ok
			if err := enc.Encode(answer); err != nil {
				return err
			}
		}
		if rerr != nil {
			if err := out.Flush(); err != nil {
				return err
			}
			if !errors.Is(rerr, io.EOF) {
				return rerr
			}
			break
		}
	}
	if bad {
		return exitCode(exitError)
	}
	return nil
}

// lineID is the id of a line that cannot be read as a whole.
func lineID(line []byte) json.RawMessage {
	var only struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(line, &only)
	return only.ID
}
