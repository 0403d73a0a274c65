package coverage

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// parseGo reads a profile of go test: "mode: set", then
// name.go:line.column,line.column statements count.
func parseGo(data []byte) (*Report, error) {
	var c collector
	err := eachLine(data, func(_ int, line []byte) error {
		if len(line) == 0 {
			return nil
		}
		if mode, ok := bytes.CutPrefix(line, []byte("mode:")); ok {
			switch m := string(bytes.TrimSpace(mode)); m {
			case "set", "count", "atomic":
				return nil
			default:
				return fmt.Errorf("unknown mode %q", clip(m))
			}
		}
		name, b, err := parseGoBlock(string(line))
		if err != nil {
			return err
		}
		f := c.file("", name)
		f.Blocks = append(f.Blocks, b)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("go cover profile: %w", err)
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		return nil, errors.New("go cover profile: it ends in the middle of a line")
	}
	return &Report{Format: GoCover, Files: c.done()}, nil
}

func parseGoBlock(line string) (string, Block, error) {
	bad := func() (string, Block, error) {
		return "", Block{}, fmt.Errorf("%q is not name.go:line.column,line.column statements count", clip(line))
	}
	at := strings.LastIndexByte(line, ':')
	if at <= 0 {
		return bad()
	}
	f := strings.Fields(line[at+1:])
	if len(f) != 3 {
		return bad()
	}
	start, end, ok := strings.Cut(f[0], ",")
	if !ok {
		return bad()
	}
	var b Block
	for _, p := range []struct {
		text      string
		line, col *int
	}{{start, &b.StartLine, &b.StartCol}, {end, &b.EndLine, &b.EndCol}} {
		l, c, ok := strings.Cut(p.text, ".")
		if !ok {
			return bad()
		}
		var err1, err2 error
		*p.line, err1 = lineNo(l)
		*p.col, err2 = lineNo(c)
		if err1 != nil || err2 != nil {
			return bad()
		}
	}
	stmts, err := strconv.ParseUint(f[1], 10, 31)
	if err != nil || b.StartLine < 1 || b.EndLine < b.StartLine {
		return bad()
	}
	b.Stmts = int(stmts)
	if b.Hit, err = hits(f[2]); err != nil {
		return bad()
	}
	return line[:at], b, nil
}
