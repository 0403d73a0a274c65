// Package templates holds the files from which the installer generates hosts'
// bundles. It has no logic and imports nothing of ours.
package templates

import (
	"embed"
	"io/fs"
)

//go:embed all:claude all:gemini all:muse packs
var files embed.FS

// Claude returns the files of Claude Code's bundle, by their path in the
// marketplace folder. "{{version}}" stands for the plugin's version. The
// bundle's hooks.json and its program are not among them: the installer writes
// those.
func Claude() fs.FS { return sub("claude") }

// Gemini returns the files of Gemini CLI's extension but its hooks.json, which
// the installer writes.
func Gemini() fs.FS { return sub("gemini") }

// Muse returns the files of Muse's bundle but its hooks.json, which the
// installer writes. Every byte counts: Muse's users approve the bundle as it is,
// and a change asks each of them to do so again.
func Muse() fs.FS { return sub("muse") }

func sub(host string) fs.FS {
	dir, err := fs.Sub(files, host)
	if err != nil { // the names above are valid paths
		panic(err)
	}
	return dir
}

// Packs returns the built-in handoff packs as their authors write them. The hook
// reads none of these: core/handoff has them compiled in.
func Packs() fs.FS { return sub("packs") }
