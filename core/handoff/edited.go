package handoff

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// edited returns the files below the project root that a call wrote and a
// pattern names: by the host's own tools, by a patch, or by a command whose
// target is plain to see.
func edited(p *gate.Pass, patterns []string) []string {
	var out []string
	add := func(name, dir string) {
		if name == "" || strings.Contains(name, shellcmd.Unknown) {
			return
		}
		rel := relative(name, dir, p.Event.Root)
		if rel == "" || slices.Contains(out, rel) {
			return
		}
		for _, pattern := range patterns {
			if doublestar.MatchUnvalidated(strings.TrimPrefix(pattern, "./"), rel) {
				out = append(out, rel)
				return
			}
		}
	}
	for _, e := range p.Event.Tool.Edits() {
		add(e.Path, p.Event.Cwd)
		add(e.NewPath, p.Event.Cwd)
	}
	if p.Event.Tool.Kind != hook.Shell {
		return out
	}
	l := p.Commands()
	if l == nil {
		return out
	}
	for i := range l.Commands {
		cmd := &l.Commands[i]
		if cmd.Has(shellcmd.Uncalled) || cmd.Has(shellcmd.Remote) {
			continue
		}
		for j := range cmd.Redirects {
			if r := &cmd.Redirects[j]; r.Writes() {
				add(r.Target.Text, cmd.Dir)
			}
		}
		for j := range cmd.Effects {
			switch f := &cmd.Effects[j]; f.Kind {
			case shellcmd.WriteFile, shellcmd.DeleteFile:
				add(f.Path.Text, cmd.Dir)
			case shellcmd.MoveFile, shellcmd.CopyFile:
				add(f.To.Text, cmd.Dir)
			}
		}
		for _, w := range written(cmd) {
			add(w, cmd.Dir)
		}
	}
	return out
}

// written returns the files that a well-known program writes.
func written(cmd *shellcmd.Command) []string {
	var plain []string
	inPlace := false
	for _, w := range cmd.Args() {
		if strings.HasPrefix(w.Text, "-") && w.Text != "-" {
			inPlace = inPlace || strings.HasPrefix(w.Text, "-i") || strings.HasPrefix(w.Text, "--in-place") || strings.HasPrefix(w.Text, "-pi")
			continue
		}
		plain = append(plain, w.Text)
	}
	switch cmd.Program {
	case "tee", "touch", "rm", "git-rm", "set-content", "add-content", "out-file", "new-item", "remove-item":
		return plain
	case "cp", "mv", "install", "ln", "copy-item", "move-item":
		if len(plain) < 2 {
			return nil
		}
		to := plain[len(plain)-1]
		var out []string
		if !strings.HasSuffix(to, "/") { // else it is a folder
			out = append(out, to)
		}
		for _, from := range plain[:len(plain)-1] {
			out = append(out, to+"/"+filepath.Base(filepath.ToSlash(from)))
			if cmd.Program == "mv" || cmd.Program == "move-item" {
				out = append(out, from)
			}
		}
		return out
	case "sed", "perl", "ruby", "gsed":
		if inPlace {
			return plain
		}
	}
	return nil
}

// relative returns a path below root with slashes, "" if it is not below.
func relative(name, dir, root string) string {
	name = hook.LocalPath(name)
	if !filepath.IsAbs(name) {
		if dir == "" {
			dir = root
		}
		name = filepath.Join(dir, filepath.FromSlash(name))
	}
	if root == "" {
		return ""
	}
	rel, err := filepath.Rel(root, filepath.Clean(name))
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return ""
	}
	return filepath.ToSlash(rel)
}
