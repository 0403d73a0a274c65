//go:build !linux

package hosttest

// endMarked can look at other processes' environments on Linux only.
func endMarked(string) {}
