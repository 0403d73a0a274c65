// Package shellcmd reads a command line into the commands that it would run.
package shellcmd

// Options say in which circumstances a line would run.
type Options struct {
	Cwd        string // absolute
	Home       string // absolute
	PowerShell bool   // the line is read by PowerShell, not by a POSIX shell
}

// Line is a parsed command line.
type Line struct {
	Source string
}

// Parse reads src. It never fails: what it cannot read is marked opaque.
func Parse(src string, _ Options) *Line { return &Line{Source: src} }
