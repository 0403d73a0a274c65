// Package hook is the protocol between a host (a coding agent program) and
// the core: what a lifecycle call says (Event), what we answer (Verdict), and
// what a host's adapter must be able to do (Adapter).
//
// It owns the vocabulary, the one table of every host's tool names, what a call
// writes (Tool.Edits), and the JSON reader that adapters share: one pass, no
// reflection, no copy of what is not asked for. It imports the standard library
// only, knows no gate and prints nothing.
package hook
