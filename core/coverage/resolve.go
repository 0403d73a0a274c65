package coverage

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A Tree is what paths are resolved in: the files of a repository, by their
// paths from its root with slashes.
type Tree struct {
	Root  string // absolute
	Files []string
	Read  func(name string) ([]byte, error)

	known   map[string]bool
	byBase  map[string][]string
	modules map[string][]string // Go module path -> folders
}

func (t *Tree) index() {
	if t.known != nil {
		return
	}
	t.known = make(map[string]bool, len(t.Files))
	t.byBase = make(map[string][]string, len(t.Files))
	t.modules = make(map[string][]string)
	for _, f := range t.Files {
		t.known[f] = true
		base := path.Base(f)
		t.byBase[base] = append(t.byBase[base], f)
		if base != "go.mod" {
			continue
		}
		if text, err := t.Read(f); err == nil {
			if m := goModule(text); m != "" {
				t.modules[m] = append(t.modules[m], path.Dir(f))
			}
		}
	}
}

// within returns an absolute path's path from the root.
func (t *Tree) within(name string) (string, bool) {
	if name == "" {
		return "", false
	}
	for _, root := range []string{t.Root, realPath(t.Root)} {
		for _, n := range []string{name, realPath(name)} {
			rel, err := filepath.Rel(root, n)
			if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
				return filepath.ToSlash(rel), true
			}
		}
	}
	return "", false
}

func realPath(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	return name
}

// A resolver finds the files of one report.
type resolver struct {
	tree *Tree
	r    *Report
	base string   // what names count from, from the root; "" = not said
	from []string // folders to try: where the report lies and those above
}

func newResolver(t *Tree, r *Report) *resolver {
	t.index()
	v := &resolver{tree: t, r: r}
	at, ok := "", false
	if r.base != "" {
		if at, ok = t.within(r.base); ok {
			v.base = at
		}
	}
	if !ok {
		at, ok = t.within(r.dir)
	}
	if !ok {
		at = "."
	}
	for {
		v.from = append(v.from, at)
		if at == "." {
			return v
		}
		at = path.Dir(at)
	}
}

// find returns the file that a name in the report stands for.
func (v *resolver) find(f *File) (string, bool) {
	name := clean(f.Name)
	if name == "" {
		return "", false
	}
	if v.r.Format == GoCover {
		if file, ok := v.goFile(name); ok {
			return file, true
		}
	}
	if v.r.Format == JaCoCo {
		return v.suffix(name, f.Group, true)
	}
	if isAbs(name) {
		return v.absolute(name)
	}
	for _, source := range v.r.Sources {
		source = clean(source)
		switch {
		case isAbs(source):
			if file, ok := v.absolute(source + "/" + name); ok {
				return file, true
			}
		default:
			if file, ok := v.relative(path.Join(source, name)); ok {
				return file, true
			}
		}
	}
	if file, ok := v.relative(name); ok {
		return file, true
	}
	// A name that climbs, or one with a folder that is not here.
	for strings.HasPrefix(name, "../") {
		name = name[3:]
	}
	return v.suffix(name, "", true)
}

// clean writes a name with slashes, and without what bundlers put before it.
func clean(name string) string {
	name = strings.TrimPrefix(name, "file://")
	if rest, ok := strings.CutPrefix(name, "webpack://"); ok {
		if _, rest, ok = strings.Cut(rest, "/"); ok {
			name = rest
		}
	}
	if strings.Contains(name, `\`) && (!strings.Contains(name, "/") || len(name) > 1 && name[1] == ':') {
		name = strings.ReplaceAll(name, `\`, "/")
	}
	if name == "" || strings.ContainsRune(name, 0) {
		return ""
	}
	return path.Clean(name)
}

func isAbs(name string) bool {
	return strings.HasPrefix(name, "/") || len(name) > 2 && name[1] == ':' && name[2] == '/'
}

// relative tries the folder that the report's names count from, or where it
// lies, and the folders above.
func (v *resolver) relative(name string) (string, bool) {
	for _, dir := range v.from {
		if file := path.Join(dir, name); v.tree.known[file] {
			return file, true
		}
	}
	return "", false
}

// absolute finds a path of this machine, or of the one where the report was
// made: there the same file lay under another root.
func (v *resolver) absolute(name string) (string, bool) {
	if rel, ok := v.tree.within(filepath.FromSlash(name)); ok {
		return rel, v.tree.known[rel]
	}
	return v.suffix(strings.TrimLeft(name, "/"), "", false)
}

// suffix finds the one file whose path ends as name does, by the longest end
// that any has. Among several the one nearest to the report counts, if that is
// one. With bare, a file's name alone is enough wherever the file lies;
// without, only at the root or at what names count from: /usr/include/stdio.h
// is not the repository's compat/stdio.h.
func (v *resolver) suffix(name, group string, bare bool) (string, bool) {
	candidates := v.tree.byBase[path.Base(name)]
	if v.base != "" && v.base != "." {
		// What the names count from was said: nothing outside of it is meant.
		candidates = slices.DeleteFunc(slices.Clone(candidates), func(c string) bool { return !strings.HasPrefix(c, v.base+"/") })
	}
	best, longest := []string(nil), 0
	for _, c := range candidates {
		n := commonEnd(c, name)
		if n == 1 && !bare && !slices.Contains(v.from, path.Dir(c)) {
			continue
		}
		switch {
		case n > longest:
			best, longest = []string{c}, n
		case n == longest && n > 0:
			best = append(best, c)
		}
	}
	if len(best) > 1 && group != "" {
		parts := strings.Split(group, "/")
		last := parts[len(parts)-1]
		in := slices.DeleteFunc(slices.Clone(best), func(c string) bool { return !slices.Contains(strings.Split(c, "/"), last) })
		if len(in) > 0 {
			best = in
		}
	}
	if len(best) == 1 {
		return best[0], true
	}
	for _, dir := range v.from {
		if dir == "." {
			break
		}
		in := slices.DeleteFunc(slices.Clone(best), func(c string) bool { return !strings.HasPrefix(c, dir+"/") })
		if len(in) == 1 {
			return in[0], true
		}
	}
	return "", false
}

// commonEnd counts the elements that two paths have in common at their ends.
func commonEnd(a, b string) int {
	n := 0
	for a != "" && b != "" {
		i, j := strings.LastIndexByte(a, '/'), strings.LastIndexByte(b, '/')
		if a[i+1:] != b[j+1:] {
			break
		}
		n++
		a, b = a[:max(i, 0)], b[:max(j, 0)]
	}
	return n
}

// goFile finds a file by its import path: the module's folder and the rest.
func (v *resolver) goFile(name string) (string, bool) {
	for prefix := path.Dir(name); prefix != "." && prefix != "/"; prefix = path.Dir(prefix) {
		dirs := v.tree.modules[prefix]
		if len(dirs) == 0 {
			continue
		}
		rest := strings.TrimPrefix(name, prefix+"/")
		var found []string
		for _, dir := range dirs {
			if file := path.Join(dir, rest); v.tree.known[file] {
				found = append(found, file)
			}
		}
		if len(found) == 1 {
			return found[0], true
		}
		for _, dir := range v.from {
			for _, file := range found {
				if dir != "." && strings.HasPrefix(file, dir+"/") {
					return file, true
				}
			}
		}
		if len(found) > 0 {
			return found[0], true
		}
	}
	return "", false
}
