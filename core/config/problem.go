package config

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Problem is one thing that is wrong with a file.
type Problem struct {
	File string
	Line int // from 1; 0 = the file as a whole
	Col  int // from 1, in characters
	Msg  string
}

// String returns file:line:col: message.
func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Msg
	}
	return p.File + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Col) + ": " + p.Msg
}

// Problems are sorted by place. A file with problems is not used.
type Problems []Problem

// Error returns one problem a line.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, x := range p {
		lines[i] = x.String()
	}
	return strings.Join(lines, "\n")
}

// Err returns p as an error, nil if there is none.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}

func (p Problems) sort() {
	slices.SortStableFunc(p, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(a.Msg, b.Msg))
	})
}

// Nearest returns the word of list that was probably meant, "" if none is near.
func Nearest(word string, list []string) string {
	best, bestAt := "", len(word)
	low := strings.ToLower(word)
	if w := otherWord(low); w != "" && slices.Contains(list, w) {
		return w
	}
	for _, w := range list {
		d := distance(low, strings.ToLower(w))
		limit := max(1, min(len(w), len(word))/3)
		if d <= limit && d < bestAt {
			best, bestAt = w, d
		}
	}
	return best
}

// otherWord returns our word for one that is as common elsewhere.
func otherWord(word string) string {
	switch word {
	case "medium":
		return "moderate"
	case "block", "strict":
		return "enforce"
	case "warning", "advise":
		return "warn"
	case "golang":
		return "go"
	case "js", "ts", "node", "typescript":
		return "javascript"
	case "py":
		return "python"
	case "licenses":
		return "licences"
	case "tests":
		return "test"
	}
	return ""
}

// distance counts insertions, deletions, replacements and swaps of neighbours.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	var rows [3][65]int
	for j := range len(b) + 1 {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, prev, cur := &rows[(i+2)%3], &rows[i%3], &rows[(i+1)%3]
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
	}
	return rows[(len(a)+1)%3][len(b)]
}
