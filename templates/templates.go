// Package templates holds the files from which the installer generates hosts'
// bundles. It has no logic and imports nothing of ours.
package templates

import (
	"embed"
	"io/fs"
)

//go:embed all:claude
var files embed.FS

// Claude returns the files of Claude Code's bundle, by their path in the
// marketplace folder. "{{version}}" stands for the plugin's version. The
// bundle's hooks.json and its program are not among them: the installer writes
// those.
func Claude() fs.FS {
	sub, err := fs.Sub(files, "claude")
	if err != nil { // the name above is a valid path
		panic(err)
	}
	return sub
}
