// Package intent tells whether a prompt asks to build something.
//
// It imports the standard library only.
package intent

// Builds reports whether a prompt asks to build, implement, change or fix
// something, to resolve conflicts or to get a pull request green. A question
// and a slash command do not.
func Builds(prompt string) bool { return false }
