package manifest

import (
	"path"
	"strings"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// Write is a manifest that a command writes, with content that is plain to see.
type Write struct {
	Path    string // absolute if the command's folder is known
	Content []byte
	Append  bool
}

// Mentions reports whether text may write a manifest: it redirects or edits in
// place, and a name or an ending of a manifest is in it. It is a search without
// a parse.
func Mentions(text string) bool {
	writes := false
	for _, how := range [...]string{">", "tee", "sed ", "perl ", "jq ", "yq ", "git apply", "patch "} {
		writes = writes || strings.Contains(text, how)
	}
	if !writes {
		return false
	}
	for _, name := range [...]string{
		"package.json", "requirements", "pyproject.toml", "Cargo.toml", "go.mod", "Gemfile", "gems.rb", ".gemspec", "composer.json", "pom.xml", ".gradle",
		".versions.toml", "proj", ".props", "packages.config", "dotnet-tools.json", "Pipfile", "setup.cfg", "setup.py", "environment", "conda.y", "pixi.toml",
		"pnpm-workspace.yaml", "deno.json", "# /// script",
	} {
		if strings.Contains(text, name) {
			return true
		}
	}
	return false
}

// Written returns the manifests that the commands of a line write by a redirect
// or by tee: a heredoc, echo, printf. What is only known when the line runs is
// left out.
func Written(line *shellcmd.Line) []Write {
	var out []Write
	for i := range line.Commands {
		c := &line.Commands[i]
		if c.Has(shellcmd.Uncalled) || c.Has(shellcmd.Remote) || !c.Stdout.Known {
			continue
		}
		add := func(target *shellcmd.Word, more bool) {
			if !target.Static || len(target.Or) > 0 {
				return
			}
			switch formatOf(target.Text) {
			case unknown, dockerfile, workflow:
				return
			}
			name := strings.ReplaceAll(target.Text, `\`, "/")
			if !path.IsAbs(name) && c.Dir != "" {
				name = path.Join(c.Dir, name)
			}
			out = append(out, Write{name, []byte(c.Stdout.Text), more})
		}
		if c.Program == "tee" {
			more := false
			for j := range c.Args() {
				w := &c.Args()[j]
				switch {
				case w.Text == "-a" || w.Text == "--append":
					more = true
				case !strings.HasPrefix(w.Text, "-"):
					add(w, more)
				}
			}
		}
		for j := range c.Redirects {
			r := &c.Redirects[j]
			if r.Writes() && (r.Fd == 1 || r.Op == "&>" || r.Op == "&>>") {
				add(&r.Target, strings.HasPrefix(r.Op, ">>") || strings.HasPrefix(r.Op, "&>>"))
			}
		}
	}
	return out
}
