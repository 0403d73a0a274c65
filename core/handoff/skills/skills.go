// Package skills knows which skill is in play and which files a skill declares
// as stages that must be read.
//
// It imports core/hook and the standard library only, and reads through an FS
// that it is handed.
package skills

import (
	"io/fs"

	"github.com/ec261362/guardrails/core/hook"
)

// FS is what this package asks of the file system; gate.FS is one.
type FS interface {
	Lstat(name string) (fs.FileInfo, error)
	ReadFile(name string, max int64) ([]byte, error)
}

// NameOf returns the skill that a Skill call names, or that announces itself by
// an MCP call whose last name segment is announce: the last segment after ":",
// without a leading "/", one path segment; "" = none.
func NameOf(t *hook.Tool, announce string) string { return "" }

// Stages returns the files that a skill's SKILL.md declares as mandatoryStages,
// as keys that Read gives for them. roots are skills folders in order: the first that
// holds the skill counts. Absolute paths, paths that leave the root (also by a
// link) and missing files are dropped.
func Stages(fsys FS, roots []string, skill string) []string { return nil }

// Read returns the key of a markdown file that a Read call opened under one of
// roots, "" if it is none.
func Read(t *hook.Tool, cwd string, roots []string) string { return "" }

// Frontmatter returns the mandatoryStages of a SKILL.md, in block or flow form.
func Frontmatter(doc string) []string { return nil }
