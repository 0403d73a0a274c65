package antigravity

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/ec261362/guardrails/core/hook"
)

// answer is everything that agy may be told. One member that it does not know
// can void the whole answer (3P), so no other can be expressed; permission
// overrides have no effect (LIVE 1.1.2, 1.1.18, 1.1.27) and an injected tool
// call ends the run (LIVE 1.1.18).
type answer struct {
	Decision  string          `json:"decision,omitempty"` // PreToolUse: allow, deny; Stop: continue
	Reason    string          `json:"reason,omitempty"`
	Overwrite json.RawMessage `json:"overwrite,omitempty"`
	Inject    []step          `json:"injectSteps,omitempty"`
}

type step struct {
	Message string `json:"ephemeralMessage"`
}

// Encode returns agy's answer to e, one JSON object on one line. Before a tool
// it always holds a decision: {} and silence deny every call (LIVE 1.0.3,
// 1.0.15, 1.2.7), and allow only means no objection, it grants no permission
// (LIVE 1.1.2, 1.1.18, 1.1.27, 1.2.7). Everywhere else {} is no opinion.
func (Adapter) Encode(e hook.Event, v hook.Verdict) hook.Output {
	refuses := v.Decision >= hook.Ask
	var a answer
	switch e.Name {
	case hook.PreToolUse:
		a.Decision = "allow"
		switch {
		case refuses: // LIVE 1.1.2 to 1.2.0
			a.Decision, a.Reason = "deny", reason(v, maxReason)
		case v.Decision == hook.Rewrite: // LIVE 1.1.18
			a.Overwrite = changed(e.Tool, v.Input)
		}
	case hook.Stop:
		// Of stop, continue and block only continue is known to hold (LIVE
		// 1.1.18); its reason becomes a message of the system.
		if refuses {
			a.Decision, a.Reason = "continue", reason(v, maxStop)
		}
	case hook.UserPromptSubmit, hook.PreModelCall: // LIVE 1.1.18
		context := v.Context
		switch {
		case refuses:
			context = joinLines(reason(v, maxReason), v.Context)
		case v.Decision == hook.Advise:
			context = joinLines(v.Reason, v.Context)
		}
		if text := said(context, maxContext); text != "" {
			a.Inject = append(a.Inject, step{text})
		}
		if text := said(v.Notice, maxNotice-len(passOn)); text != "" {
			a.Inject = append(a.Inject, step{passOn + text})
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(a); err != nil {
		return hook.Output{Stdout: []byte("{}\n")} // cannot be: every member is valid by now
	}
	return hook.Output{Stdout: b.Bytes()}
}

// passOn stands before a text for the human: agy shows none of ours itself.
const passOn = "Tell the user: "

// changed returns the members of a new input that differ from the call's: the
// given members replace the input's, the rest stays (LIVE 1.1.18). It returns
// nil for what is not an object, and all of it when nothing differs.
func changed(t *hook.Tool, input json.RawMessage) json.RawMessage {
	v, err := hook.FirstValue(input)
	if err != nil || v[0] != '{' {
		return nil
	}
	v = bytes.ToValidUTF8(v, []byte("\ufffd"))
	var old []byte
	if t != nil {
		old = t.Input
	}
	out := []byte{'{'}
	for key, value := range hook.Members(v) {
		if bytes.Equal(value, hook.Member(old, string(key))) {
			continue
		}
		name, err := json.Marshal(string(key))
		if err != nil {
			return nil
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	if len(out) == 1 {
		return v
	}
	return append(out, '}')
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
		const how = "\nNobody can be asked here, so this is refused. If it is really wanted, tell your human: they can run it in a terminal."
		return hook.Clip(text, limit-len(how)) + how
	}
	return hook.Clip(text, limit)
}

// said is text cut to the limit, "" if there is nothing to read in it.
func said(text string, limit int) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return hook.Clip(text, limit)
}

func joinLines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
