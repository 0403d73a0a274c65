// Package popular knows the names of much used packages and which other names
// are close enough to one of them to be a slip or a trap. It owns the embedded
// lists and the rule of nearness.
//
// The lists are unpacked on the first question, never before. It must not
// import anything but core/deps/coord.
package popular

import "github.com/ec261362/guardrails/core/deps/coord"

// Popular reports whether name is on the list of its ecosystem. Ecosystems
// without a list have no popular names.
func Popular(e coord.Ecosystem, name string) bool { return false }

// Near returns the popular names that name is close to, most used first, at
// most three; none if name is itself popular or its ecosystem has no list.
func Near(e coord.Ecosystem, name string) []string { return nil }
