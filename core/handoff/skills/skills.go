// Package skills knows which skill is in play and which files a skill declares
// as stages that must be read.
//
// It imports core/handoff/emits, core/hook and the standard library only, and
// reads through an FS that it is handed.
package skills

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/handoff/emits"
	"github.com/ec261362/guardrails/core/hook"
)

// FS is what this package asks of the file system; gate.FS is one.
type FS interface {
	Lstat(name string) (fs.FileInfo, error)
	ReadFile(name string, max int64) ([]byte, error)
}

// maxSkill is how much of a SKILL.md is read.
const maxSkill = 1 << 20

// NameOf returns the skill that a Skill call names, or that announces itself by
// an MCP call whose last name segment is announce: the last segment after ":",
// without a leading "/", one path segment; "" = none.
func NameOf(t *hook.Tool, announce string) string {
	name := ""
	switch {
	case t == nil:
	case t.Kind == hook.Skill:
		name = t.SkillName()
	case announce != "" && emits.Is(t, announce):
		name = emits.Skill(t)
	}
	return Name(name)
}

// Name returns the plain name of a skill: plugin:do, /do and do are do. It is ""
// if s is no name of one.
func Name(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.IndexAny(s, " \t\r\n"); i >= 0 {
		s = s[:i] // /do args
	}
	s = s[strings.LastIndexByte(s, ':')+1:]
	s = strings.TrimPrefix(s, "/")
	if s == "" || s == "." || s == ".." || strings.ContainsAny(s, `/\`+"\x00") {
		return ""
	}
	return s
}

// Stages returns the files that a skill's SKILL.md declares as mandatoryStages,
// as the keys that Reads gives for them. roots are skills folders in order: the
// first that holds the skill counts. A file is looked for beside SKILL.md, then
// in the root. Absolute paths, paths that leave the root (also by a link), what
// is no markdown and missing files are dropped.
func Stages(fsys FS, roots []string, skill string) []string {
	if skill = Name(skill); skill == "" {
		return nil
	}
	for _, root := range roots {
		doc, err := fsys.ReadFile(filepath.Join(root, skill, "SKILL.md"), maxSkill)
		if err != nil {
			continue
		}
		var out []string
		for _, stage := range Frontmatter(string(doc)) {
			for _, rel := range candidates(skill, stage) {
				if !inside(fsys, root, rel) {
					continue
				}
				if k := key(rel); !slices.Contains(out, k) {
					out = append(out, k)
				}
				break
			}
		}
		return out
	}
	return nil
}

// candidates are the places of a stage relative to the root.
func candidates(skill, stage string) []string {
	stage = strings.ReplaceAll(stage, `\`, "/")
	if stage == "" || path.IsAbs(stage) || strings.HasPrefix(stage, "~") || len(stage) > 1 && stage[1] == ':' || !strings.EqualFold(path.Ext(stage), ".md") {
		return nil
	}
	var out []string
	for _, rel := range [...]string{path.Join(skill, stage), path.Clean(stage)} {
		if rel != ".." && !strings.HasPrefix(rel, "../") {
			out = append(out, rel)
		}
	}
	return out
}

// inside reports whether rel is a file below root that no link leads to.
func inside(fsys FS, root, rel string) bool {
	at := root
	parts := strings.Split(rel, "/")
	for i, part := range parts {
		at = filepath.Join(at, part)
		info, err := fsys.Lstat(at)
		switch {
		case err != nil:
			return false
		case i == len(parts)-1:
			return info.Mode().IsRegular()
		case !info.IsDir():
			return false
		}
	}
	return false
}

func key(rel string) string { return strings.ToLower(strings.ReplaceAll(rel, `\`, "/")) }

// Reads returns the keys of the markdown files that a Read call opened under one
// of roots, or, as the same tree may have another name, under any folder called
// skills. A key is the path below the root, in lower case.
func Reads(t *hook.Tool, cwd string, roots []string) []string {
	if t == nil || t.Kind != hook.Read {
		return nil
	}
	var out []string
	for _, name := range t.Paths() {
		name = hook.LocalPath(name)
		if !strings.EqualFold(filepath.Ext(name), ".md") {
			continue
		}
		if k := below(name, cwd, roots); k != "" && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// Shown returns the same keys of files that a command showed, by their paths.
func Shown(paths []string, cwd string, roots []string) []string {
	var out []string
	for _, name := range paths {
		if !strings.EqualFold(filepath.Ext(name), ".md") {
			continue
		}
		if k := below(hook.LocalPath(name), cwd, roots); k != "" && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

func below(name, cwd string, roots []string) string {
	if !filepath.IsAbs(name) && cwd != "" {
		name = filepath.Join(cwd, name)
	}
	name = key(filepath.Clean(name))
	for _, root := range roots {
		if rest, ok := strings.CutPrefix(name, key(filepath.Clean(root))+"/"); ok {
			return rest
		}
	}
	if i := strings.LastIndex(name, "/skills/"); i >= 0 {
		return name[i+len("/skills/"):]
	}
	return ""
}

// Frontmatter returns the mandatoryStages of a SKILL.md, in block or flow form.
func Frontmatter(doc string) []string {
	doc = strings.TrimPrefix(doc, "\ufeff")
	var lines []string
	for i, line := range strings.Split(doc, "\n") {
		line = strings.TrimRight(line, "\r")
		switch {
		case i == 0:
			if strings.TrimRight(line, " \t") != "---" {
				return nil
			}
			continue
		case strings.HasPrefix(line, "---") && strings.Trim(line, "- \t") == "", strings.TrimRight(line, " \t") == "...":
			return stages(lines)
		}
		lines = append(lines, line)
	}
	return nil // never closed
}

// stages reads the list below or behind the key mandatoryStages.
func stages(lines []string) []string {
	for i, line := range lines {
		name, rest, ok := strings.Cut(line, ":")
		if !ok || name != strings.TrimLeft(name, " \t") || !isKey(name) {
			continue
		}
		rest = strings.TrimSpace(uncomment(rest))
		switch {
		case strings.HasPrefix(rest, "["):
			for _, more := range lines[i+1:] {
				if closed(rest) {
					break
				}
				rest += " " + strings.TrimSpace(uncomment(more))
			}
			return flow(rest)
		case rest != "" && rest != "|" && rest != ">":
			return []string{unquote(rest)}
		}
		var out []string
		for _, item := range lines[i+1:] {
			item = strings.TrimSpace(uncomment(item))
			entry, ok := strings.CutPrefix(item, "-")
			switch {
			case item == "":
				continue
			case !ok || entry != "" && entry[0] != ' ' && entry[0] != '\t':
				return out
			}
			if entry = unquote(strings.TrimSpace(entry)); entry != "" {
				out = append(out, entry)
			}
		}
		return out
	}
	return nil
}

func isKey(s string) bool {
	return strings.EqualFold(strings.NewReplacer("_", "", "-", "").Replace(unquote(strings.TrimSpace(s))), "mandatoryStages")
}

// uncomment drops a comment: # at the beginning or after a blank, outside quotes.
func uncomment(s string) string {
	var quote byte
	for i := range len(s) {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '#' && (i == 0 || s[i-1] == ' ' || s[i-1] == '\t'):
			return s[:i]
		}
	}
	return s
}

// closed reports whether a flow list has its end.
func closed(s string) bool {
	var quote byte
	for i := range len(s) {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == ']':
			return true
		}
	}
	return false
}

// flow reads [a, "b", 'c'].
func flow(s string) []string {
	var out []string
	var quote byte
	from := 1
	add := func(to int) {
		if e := unquote(strings.TrimSpace(s[from:to])); e != "" {
			out = append(out, e)
		}
		from = to + 1
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == ',':
			add(i)
		case c == ']':
			add(i)
			return out
		}
	}
	return nil // never closed
}

func unquote(s string) string {
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}
