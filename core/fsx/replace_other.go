//go:build !linux

package fsx

// supplant puts the file from in the place of to.
func supplant(from, to string) error { return rename(from, to) }
