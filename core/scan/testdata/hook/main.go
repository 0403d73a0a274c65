// A PreToolUse hook of one's own: it refuses calls whose input the validators
// object to, and calls that it cannot judge.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/ec261362/guardrails/core/scan"
)

func main() {
	if why := judge(); why != "" {
		_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"hookSpecificOutput": map[string]string{
			"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": why,
		}})
	}
}

func judge() (why string) {
	var call struct {
		Input any `json:"tool_input"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&call); err != nil {
		return "the call could not be read"
	}
	validators, err := scan.Resolve([]string{"secrets", "pii"}, scan.Input)
	if err != nil {
		return err.Error()
	}
	o := scan.Run(context.Background(), scan.Payload{Text: text(call.Input)}, scan.Input, validators...)
	var reasons []string
	for _, f := range o.Failures {
		reasons = append(reasons, fmt.Sprintf("%s: %s", f.Validator, f.Reason))
	}
	return strings.Join(reasons, "; ")
}

// text joins the decoded strings of v: escapes would hide what they spell.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var parts []string
		for _, x := range v {
			parts = append(parts, text(x))
		}
		return strings.Join(parts, "\n")
	case map[string]any:
		var parts []string
		for _, x := range v {
			parts = append(parts, text(x))
		}
		return strings.Join(parts, "\n")
	}
	return ""
}
