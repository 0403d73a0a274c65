// Package emits reads what an acceptance-test product's tools say by being
// called: runs, failed runs, classifications and diagnoses.
//
// Tools are known by the last "__" segment of their name, whatever the server is
// called. It imports core/handoff/outcome, core/hook and the standard library
// only.
package emits

import "github.com/ec261362/guardrails/core/hook"

// ToolName returns the last "__" segment of an MCP tool's name, also of one that
// a host calls through a generic tool, in lower case; other tools have their own.
func ToolName(t *hook.Tool) string { return "" }

// Is reports whether t is one of names.
func Is(t *hook.Tool, names ...string) bool { return false }

// Wildcard is the case id of a classification that covers all.
const Wildcard = "*"

// CaseID returns the test case that a call names, "" = none.
func CaseID(t *hook.Tool) string { return "" }

// Cases returns all the test cases that a call names.
func Cases(t *hook.Tool) []string { return nil }

// EventType returns the eventType that an emit names.
func EventType(t *hook.Tool) string { return "" }

// Classified returns the cases that a pre-execution-classification emit covers:
// those that it names, or Wildcard; nil if it is none.
func Classified(t *hook.Tool) []string { return nil }

// Diagnosed reports whether an emit is a *-failure-classified or
// *-failure-resolved one.
func Diagnosed(t *hook.Tool) bool { return false }

// Names returns those of ids that stand in a call's input, as words.
func Names(t *hook.Tool, ids []string) []string { return nil }

// Run is one run that a result reports.
type Run struct {
	ID     string
	Status string // lower case
}

// Passed reports whether the run did.
func (r Run) Passed() bool { return r.Status == "passed" }

// Runs returns the runs whose id and status a nested result names, as **Run
// ID:** and **Status:**.
func Runs(r *hook.Result) []Run { return nil }

// Skill returns the skill that an emit announces.
func Skill(t *hook.Tool) string { return "" }
