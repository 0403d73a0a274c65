package vcs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Status says what became of a file.
type Status int

// The kinds of change.
const (
	Unknown Status = iota
	Added
	Modified // content, executable bit, or file to link
	Deleted
	Renamed // perhaps modified too
)

// String returns the status in a word.
func (s Status) String() string {
	switch s {
	case Added:
		return "added"
	case Modified:
		return "modified"
	case Deleted:
		return "deleted"
	case Renamed:
		return "renamed"
	case Unknown:
	}
	return "unknown"
}

// Change is one changed file. Paths count from the root, with slashes.
type Change struct {
	Path    string
	OldPath string // of a renamed file
	Status  Status

	old, new string // blobs
	module   bool   // a submodule: it has no lines
}

// Range is the lines First to Last, both included, counted from 1.
type Range struct{ First, Last int }

// Changed returns what is different in the working tree from the commit base,
// sorted by path: staged or not, committed since or not, files included that
// git neither tracks nor ignores. A base of "" is the empty tree.
func (r *Repo) Changed(ctx context.Context, base string) ([]Change, error) {
	s, err := r.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Changed(ctx, base)
}

// ChangedLines returns the lines of the working tree's files that were added or
// changed since the commit base. Of a renamed file only the lines that differ
// from the old one count. A file without such lines has no entry. Paths count
// from the root; none means every changed file.
func (r *Repo) ChangedLines(ctx context.Context, base string, paths []string) (map[string][]Range, error) {
	s, err := r.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.ChangedLines(ctx, base, paths)
}

// emptyTree of the repository's own object format.
func (s *Snapshot) emptyTree(ctx context.Context) (string, error) {
	text, _, err := s.repo.run(ctx, call{args: []string{"hash-object", "-t", "tree", "-w", "--stdin"}, env: s.env})
	return strings.TrimSpace(string(text)), err
}

// base resolves a revision to what can be compared with the snapshot.
func (s *Snapshot) base(ctx context.Context, rev string) (string, error) {
	if rev == "" {
		return s.emptyTree(ctx)
	}
	return s.repo.Commit(ctx, rev)
}

func diffTree(more ...string) []string {
	return append([]string{"diff-tree", "-r", "--no-ext-diff", "--no-textconv", "--no-color", "-M50%", "-l1000", "--full-index", "--ignore-submodules=none"}, more...)
}

// Changed returns what is different in the snapshot from the commit base.
func (s *Snapshot) Changed(ctx context.Context, base string) ([]Change, error) {
	from, err := s.base(ctx, base)
	if err != nil {
		return nil, err
	}
	text, _, err := s.repo.run(ctx, call{args: diffTree("-z", "--raw", from, s.tree), env: s.env, max: listLimit})
	if err != nil {
		return nil, err
	}
	changes, err := parseRaw(text)
	if err != nil {
		return nil, fmt.Errorf("git diff-tree in %s: %w", s.repo.root, err)
	}
	return s.withApart(changes), nil
}

// withApart adds the files that are in no tree.
func (s *Snapshot) withApart(changes []Change) []Change {
	at := make(map[string]int, len(changes))
	for i, c := range changes {
		at[c.Path] = i
	}
	for _, f := range s.apart {
		if i, ok := at[f.path]; ok {
			changes[i].Status, changes[i].new = Modified, ""
			continue
		}
		c := Change{Path: f.path, Status: Added}
		if f.tracked {
			c.Status = Modified // since the index at least
		}
		changes = append(changes, c)
	}
	sortChanges(changes)
	return changes
}

// parseRaw reads the entries of git diff-tree -z --raw.
func parseRaw(text []byte) ([]Change, error) {
	var out []Change
	fields := splitZ(text)
	for len(fields) > 0 {
		meta := strings.Fields(strings.TrimPrefix(fields[0], ":"))
		if !strings.HasPrefix(fields[0], ":") || len(meta) != 5 || len(fields) < 2 {
			return nil, fmt.Errorf("cannot read its entry %q", fields[0])
		}
		c := Change{Path: fields[1], old: meta[2], new: meta[3], module: meta[1] == "160000"}
		fields = fields[2:]
		switch meta[4][0] {
		case 'A':
			c.Status = Added
		case 'M', 'T':
			c.Status = Modified
		case 'D':
			c.Status = Deleted
		case 'R', 'C':
			if len(fields) == 0 {
				return nil, errors.New("its last entry lacks the new name")
			}
			c.Status, c.OldPath, c.Path = Renamed, c.Path, fields[0]
			fields = fields[1:]
		}
		out = append(out, c)
	}
	return out, nil
}

// patchLimit bounds the text of one comparison, pathsLimit the names that one
// run of git is handed: what Windows takes on a command line is the least.
const (
	patchLimit = 128 << 20
	pathsLimit = 20 << 10
)

// ChangedLines returns the lines added or changed since the commit base.
func (s *Snapshot) ChangedLines(ctx context.Context, base string, paths []string) (map[string][]Range, error) {
	changes, err := s.Changed(ctx, base)
	if err != nil {
		return nil, err
	}
	from, err := s.base(ctx, base)
	if err != nil {
		return nil, err
	}
	var want map[string]bool
	if len(paths) > 0 {
		want = make(map[string]bool, len(paths))
		for _, p := range paths {
			if rel, ok := s.repo.Rel(p); ok {
				want[rel] = true
			}
		}
	}
	counted := make(map[string]bool, len(s.apart))
	for _, f := range s.apart {
		counted[f.path] = true
	}
	out := make(map[string][]Range)
	var batch []Change
	size := 0
	for _, c := range changes {
		if c.Status == Deleted || c.module || want != nil && !want[c.Path] {
			continue
		}
		if counted[c.Path] {
			n, err := s.lines(c.Path)
			if err != nil {
				return nil, err
			}
			if n > 0 {
				out[c.Path] = []Range{{1, n}}
			}
			continue
		}
		if size += len(c.Path) + len(c.OldPath) + 2; size > pathsLimit && len(batch) > 0 {
			if err := s.patch(ctx, from, batch, out); err != nil {
				return nil, err
			}
			batch, size = nil, len(c.Path)+len(c.OldPath)+2
		}
		batch = append(batch, c)
	}
	if err := s.patch(ctx, from, batch, out); err != nil {
		return nil, err
	}
	return out, nil
}

// patch adds the changed lines of some changes to out.
func (s *Snapshot) patch(ctx context.Context, from string, changes []Change, out map[string][]Range) error {
	if len(changes) == 0 {
		return nil
	}
	// --text: attributes do not decide what has lines.
	args := diffTree("-p", "-U0", "--text", "--indent-heuristic", "--diff-algorithm=default", "--inter-hunk-context=0",
		"--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", from, s.tree, "--")
	for _, c := range changes {
		args = append(args, c.Path)
		if c.OldPath != "" {
			args = append(args, c.OldPath)
		}
	}
	text, _, err := s.repo.run(ctx, call{args: args, env: s.env, max: patchLimit})
	if errors.Is(err, errTooLong) && len(changes) > 1 {
		half := len(changes) / 2
		return errors.Join(s.patch(ctx, from, changes[:half], out), s.patch(ctx, from, changes[half:], out))
	}
	if err != nil {
		return err
	}
	files, err := parsePatch(text)
	if err != nil {
		return fmt.Errorf("git diff-tree in %s: %w", s.repo.root, err)
	}
	byPath := make(map[string]filePatch, len(files))
	for _, f := range files {
		byPath[f.path] = f
	}
	for _, c := range changes {
		f, ok := byPath[c.Path]
		if ok && f.renamedFrom == c.OldPath || !ok && c.Status != Renamed {
			if len(f.ranges) > 0 {
				out[c.Path] = f.ranges
			}
			continue
		}
		// Among fewer files git paired this one with another, or did not pair it.
		if c.old == c.new {
			continue
		}
		args := []string{"diff", "-U0", "--text", "--no-ext-diff", "--no-textconv", "--no-color", "--indent-heuristic", "--diff-algorithm=default", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/", c.old, c.new}
		text, _, err := s.repo.run(ctx, call{args: args, env: s.env, max: patchLimit})
		if err != nil {
			return err
		}
		one, err := parsePatch(text)
		if err != nil || len(one) > 1 {
			return fmt.Errorf("git diff of %s in %s: cannot read its answer", c.Path, s.repo.root)
		}
		if len(one) == 1 && len(one[0].ranges) > 0 {
			out[c.Path] = one[0].ranges
		}
	}
	return nil
}

// lines counts a file's lines.
func (s *Snapshot) lines(path string) (int, error) {
	f, err := os.Open(filepath.Join(s.repo.root, filepath.FromSlash(path)))
	if err != nil {
		return 0, nil // a file that cannot be read has no lines to show
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return 0, err
	}
	n, last := 0, byte('\n')
	buf := make([]byte, 64<<10)
	for {
		k, err := f.Read(buf)
		if k > 0 {
			n += bytes.Count(buf[:k], []byte{'\n'})
			last = buf[k-1]
		}
		if err != nil {
			break
		}
	}
	if last != '\n' {
		n++
	}
	return n, nil
}

// filePatch is one file's part of a patch.
type filePatch struct {
	path        string
	renamedFrom string
	ranges      []Range
}

// parsePatch reads the text of git diff-tree -p -U0.
func parsePatch(text []byte) ([]filePatch, error) {
	var out []filePatch
	var cur *filePatch
	minus, plus := 0, 0 // lines that the hunk still has
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		switch {
		case minus > 0 && len(line) > 0 && line[0] == '-':
			minus--
		case plus > 0 && len(line) > 0 && line[0] == '+':
			plus--
		case bytes.HasPrefix(line, []byte("diff --git ")):
			out = append(out, filePatch{})
			cur = &out[len(out)-1]
		case cur == nil:
		case bytes.HasPrefix(line, []byte("rename from ")):
			name, err := unquote(string(line[len("rename from "):]))
			if err != nil {
				return nil, err
			}
			cur.renamedFrom = name
		case bytes.HasPrefix(line, []byte("rename to ")):
			name, err := unquote(string(line[len("rename to "):]))
			if err != nil {
				return nil, err
			}
			cur.path = name
		case bytes.HasPrefix(line, []byte("+++ ")):
			name, err := unquote(strings.TrimSuffix(string(line[len("+++ "):]), "\t"))
			if err != nil {
				return nil, err
			}
			if rel, ok := strings.CutPrefix(name, "b/"); ok {
				cur.path = rel
			}
		case bytes.HasPrefix(line, []byte("@@ ")):
			var r Range
			var err error
			r, minus, plus, err = parseHunk(string(line))
			if err != nil {
				return nil, err
			}
			if plus > 0 {
				cur.ranges = append(cur.ranges, r)
			}
		}
	}
	if minus > 0 || plus > 0 {
		return nil, errors.New("its patch ends in the middle")
	}
	return out, nil
}

// parseHunk reads "@@ -1,2 +3,4 @@ …".
func parseHunk(line string) (r Range, minus, plus int, err error) {
	f := strings.Fields(line)
	if len(f) < 4 || f[0] != "@@" || f[3] != "@@" || !strings.HasPrefix(f[1], "-") || !strings.HasPrefix(f[2], "+") {
		return r, 0, 0, fmt.Errorf("cannot read its hunk %q", line)
	}
	_, minus, err1 := parseSpan(f[1][1:])
	first, plus, err2 := parseSpan(f[2][1:])
	if err := errors.Join(err1, err2); err != nil {
		return r, 0, 0, fmt.Errorf("cannot read its hunk %q: %w", line, err)
	}
	return Range{first, first + plus - 1}, minus, plus, nil
}

func parseSpan(s string) (first, n int, err error) {
	a, b, counted := strings.Cut(s, ",")
	if first, err = strconv.Atoi(a); err != nil {
		return 0, 0, err
	}
	n = 1
	if counted {
		n, err = strconv.Atoi(b)
	}
	if first < 0 || n < 0 || first > 1<<31-1-n {
		return 0, 0, strconv.ErrRange
	}
	return first, n, err
}

// unquote reads a name that git wrote in the manner of C, or as it is.
func unquote(s string) (string, error) {
	if !strings.HasPrefix(s, `"`) {
		return s, nil
	}
	bad := fmt.Errorf("cannot read its name %s", s)
	if len(s) < 2 || !strings.HasSuffix(s, `"`) {
		return "", bad
	}
	in := s[1 : len(s)-1]
	var b strings.Builder
	for i := 0; i < len(in); i++ {
		if in[i] != '\\' {
			b.WriteByte(in[i])
			continue
		}
		i++
		if i >= len(in) {
			return "", bad
		}
		if at := strings.IndexByte(`abtnvfr"\`, in[i]); at >= 0 {
			b.WriteByte("\a\b\t\n\v\f\r\"\\"[at])
			continue
		}
		if i+3 > len(in) {
			return "", bad
		}
		n, err := strconv.ParseUint(in[i:i+3], 8, 8)
		if err != nil {
			return "", bad
		}
		b.WriteByte(byte(n))
		i += 2
	}
	return b.String(), nil
}

func sortChanges(changes []Change) {
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
}
