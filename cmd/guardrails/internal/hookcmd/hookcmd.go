// Package hookcmd is the hook lane: what an installed entry runs.
package hookcmd

import "io"

// Main judges one payload and returns the exit code, always 0.
func Main(_ []string, _ io.Reader, _, _ io.Writer) int { return 0 }
