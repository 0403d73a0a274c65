package full

import (
	"os"
	"os/signal"
)

// replace runs the program to its end: Windows cannot replace a process. An
// interrupt is the program's to handle.
func replace(path string, argv, env []string) (int, error) {
	signal.Ignore(os.Interrupt)
	return attach(path, argv, env, []*os.File{os.Stdin, os.Stdout, os.Stderr})
}
