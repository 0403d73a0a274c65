//go:build !unix

package hosttest

import "os/exec"

// group has no process groups to work with here: the program alone is ended.
func group(*exec.Cmd) {}

func endGroup(*exec.Cmd) {}
