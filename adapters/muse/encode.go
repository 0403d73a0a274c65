package muse

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/ec261362/guardrails/core/hook"
)

// answer is everything that Muse may be told. A member that it does not know
// fails the hook, and a failed hook lets the call run (B), so no other can be
// expressed: no continue, no top-level additionalContext, no allow.
type answer struct {
	Decision string    `json:"decision,omitempty"` // block
	Reason   string    `json:"reason,omitempty"`
	Message  string    `json:"systemMessage,omitempty"`
	Specific *specific `json:"hookSpecificOutput,omitempty"`
}

// specific is what belongs to one event, whose name comes first.
type specific struct {
	Event            string          `json:"hookEventName"`
	Permission       string          `json:"permissionDecision,omitempty"` // deny
	PermissionReason string          `json:"permissionDecisionReason,omitempty"`
	Decision         *behavior       `json:"decision,omitempty"` // of a PermissionRequest
	Input            json.RawMessage `json:"updatedInput,omitempty"`
	Context          string          `json:"additionalContext,omitempty"`
}

type behavior struct {
	Behavior string `json:"behavior"` // deny
}

// Encode returns Muse's answer to e, and nothing for no opinion (A: empty
// output lets the call go on to Muse's own approval).
//
// A denial is JSON with exit code 0, the one blocking form that was verified on
// disk for write_file, edit_file and powershell (A, 1.4.0), and it always has a
// reason: without one the hook fails and the call runs (A).
func (Adapter) Encode(e hook.Event, v hook.Verdict) hook.Output {
	refuses := v.Decision >= hook.Ask
	var a answer
	switch e.Name {
	case hook.PreToolUse:
		switch {
		case refuses:
			a.Specific = &specific{Permission: "deny", PermissionReason: reason(v, maxReason)}
		case v.Decision == hook.Rewrite:
			if input := inputOf(v.Input); input != nil {
				a.Specific = &specific{Input: input} // bare: an allow beside it is recorded as null (A)
			}
		}
	case hook.PermissionRequest:
		// The host is asking its user already. A denial has no member for a
		// reason (B); a systemMessage is accepted and ignored (B).
		if refuses && v.Decision != hook.Ask {
			a.Specific, a.Message = &specific{Decision: &behavior{"deny"}}, reason(v, maxReason)
		}
	case hook.PostToolUse: // D: it fails as a hook where it is not known, which changes nothing
		if refuses {
			a.Decision, a.Reason = "block", reason(v, maxReason)
		}
	case hook.Stop, hook.SubagentStop: // B, C
		if refuses {
			a.Decision, a.Reason = "block", reason(v, maxStop)
		}
	case hook.SessionStart, hook.UserPromptSubmit: // B: nested context only
		context := v.Context
		switch {
		case refuses:
			context = joinLines(reason(v, maxReason), v.Context)
		case v.Decision == hook.Advise:
			context = joinLines(v.Reason, v.Context)
		}
		if text := joinLines(fit(context, maxContext), notice(v.Notice)); text != "" {
			a.Specific = &specific{Context: text}
		}
	}
	return hook.Output{Stdout: a.line(e.Name)}
}

// line returns the answer as one line, nil if it says nothing or would be cut.
func (a *answer) line(e hook.EventName) []byte {
	if a.Specific != nil {
		a.Specific.Event = string(e)
	}
	if *a == (answer{}) {
		return nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(a); err != nil || b.Len() > maxOutput {
		return nil // only an input can be that long: the call runs as it was written
	}
	return b.Bytes()
}

// inputOf returns a new input that may be sent: one whole object.
func inputOf(raw []byte) json.RawMessage {
	v, err := hook.FirstValue(raw)
	if err != nil || v[0] != '{' {
		return nil
	}
	return bytes.ToValidUTF8(v, []byte("\ufffd"))
}

// reason is never empty. An ask that does not say how a human permits the call
// gets a sentence that does.
func reason(v hook.Verdict, limit int) string {
	text := strings.TrimSpace(v.Reason)
	if text == "" {
		by := v.Rule
		if by == "" {
			by = v.Gate
		}
		if by == "" {
			by = "its policy"
		}
		text = "guardrails: refused by " + by
	}
	if v.Decision == hook.Ask && !strings.Contains(text, "allow once") {
		const how = "\nMuse cannot ask, so this is refused. If it is really wanted, tell your human: they can run it in a terminal."
		return fit(hook.Clip(text, limit-len(how)), maxText-len(how)) + how
	}
	return fit(hook.Clip(text, limit), maxText)
}

// notice asks the model to pass a text on to the human.
func notice(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	const lead = "Tell the user: "
	return lead + fit(text, maxNotice-len(lead))
}

// fit cuts text so that it takes at most limit bytes once encoded.
func fit(text string, limit int) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	text = strings.ToValidUTF8(text, "\ufffd")
	for n := limit; encoded(text) > limit; n = n * 3 / 4 {
		text = hook.Clip(text, n)
	}
	return text
}

// encoded is how many bytes a text takes in JSON.
func encoded(text string) int {
	n := 0
	for _, r := range text {
		switch {
		case r == '"' || r == '\\' || r == '\n' || r == '\r' || r == '\t':
			n += 2
		case r < ' ' || r == 0x2028 || r == 0x2029:
			n += 6
		default:
			n += utf8.RuneLen(r)
		}
	}
	return n
}

func joinLines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
