//go:build unix

package full

import (
	"fmt"
	"syscall"
)

// replace makes the program take this process's place; it returns only on
// failure.
func replace(path string, argv, env []string) (int, error) {
	return 0, fmt.Errorf("%s: %w", path, syscall.Exec(path, argv, env))
}
