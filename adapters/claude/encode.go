package claude

import (
	"strings"

	"github.com/ec261362/guardrails/core/hook"
)

// Encode returns Claude Code's answer to e: one JSON object on one line, ASCII
// only, and {} for no opinion. It never allows: an allow would skip the user's
// own permission prompt.
//
// One member of a wrong type, a null or another event's hookEventName voids the
// whole answer (2.1.197 and 2.1.332, measured), so each event gets the members
// that it is known to honour and no other. A decision that the event cannot
// carry becomes the next stronger one that it can, or else context or a notice.
func (Adapter) Encode(e hook.Event, v hook.Verdict) hook.Output {
	if e.HostEvent == "WorktreeCreate" {
		return hook.Output{} // the host reads the answer as a path
	}
	ch := channelOf(e.Name)
	var a answer
	context := v.Context
	if v.Decision == hook.Advise {
		context = joinLines(v.Reason, v.Context)
	}
	switch d := effective(e.Name, ch, v); d {
	case hook.Deny:
		a.permission, a.permissionReason = "deny", reason(v, ch.maxReason)
	case hook.Ask:
		a.permission, a.permissionReason = "ask", reason(v, ch.maxReason)
	case hook.Block:
		a.reason = reason(v, ch.maxReason)
	case hook.Rewrite:
		a.input = hook.AppendASCII(nil, v.Input)
	default:
		if v.Decision > hook.Rewrite {
			// Nothing here can refuse: say it where it will be read.
			if ch.context {
				context = joinLines(reason(v, maxReason), v.Context)
			} else {
				v.Notice = joinLines(reason(v, maxReason), v.Notice)
			}
		}
	}
	if ch.context {
		a.context = said(context, maxContext)
	}
	if ch.notice {
		a.notice = said(v.Notice, maxNotice)
	}
	if e.Name == hook.PostToolUse && e.Tool != nil && e.Tool.Result != nil && sameShape(e.Tool.Result.Raw, v.Result) {
		a.output = hook.AppendASCII(nil, v.Result)
	}
	return hook.Output{Stdout: a.append(make([]byte, 0, a.size()), e.Name)}
}

// effective is the decision that the answer carries: Deny, Ask or Rewrite before
// a tool, Block elsewhere, Pass for none.
func effective(e hook.EventName, ch channel, v hook.Verdict) hook.Decision {
	switch {
	case v.Decision == hook.Rewrite:
		// updatedInput replaces the whole input and needs no decision: the host
		// then asks for permission for the new one.
		if e == hook.PreToolUse && isObject(v.Input) {
			return hook.Rewrite
		}
	case v.Decision == hook.Ask && e == hook.PreToolUse:
		return hook.Ask
	case v.Decision == hook.Ask && e == hook.PermissionRequest:
		return hook.Pass // the host is already asking
	case v.Decision >= hook.Ask:
		return ch.decides
	}
	return hook.Pass
}

func reason(v hook.Verdict, limit int) string {
	if r := strings.TrimSpace(v.Reason); r != "" {
		return hook.Clip(r, limit)
	}
	by := v.Rule
	if by == "" {
		by = v.Gate
	}
	if by == "" {
		return "guardrails refused this without giving a reason"
	}
	return hook.Clip("guardrails: refused by "+by, limit)
}

// said is text cut to the limit, "" if there is nothing to read in it.
func said(text string, limit int) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return hook.Clip(text, limit)
}

func isObject(raw []byte) bool {
	value, err := hook.FirstValue(raw)
	return err == nil && value[0] == '{'
}

// sameShape reports whether a new tool result can stand for the old one: the
// host applies it only if it has the tool's own shape, and ignores a string for
// a shell's object (2.1.197 and 2.1.332, measured). So both are of one type, an
// object has the same members of the same types, and elements are of the first
// old one's type.
func sameShape(old, repl []byte) bool {
	if len(old) == 0 || len(repl) == 0 {
		return false
	}
	value, err := hook.FirstValue(repl)
	if err != nil || jsonType(value) != jsonType(old) {
		return false
	}
	switch old[0] {
	case '"':
		return true
	case '{':
		n := 0
		for key, was := range hook.Members(old) {
			if is := hook.Member(value, string(key)); is == nil || jsonType(is) != jsonType(was) {
				return false
			}
			n++
		}
		for range hook.Members(value) {
			n--
		}
		return n == 0
	case '[':
		var was []byte
		for was = range hook.Elements(old) {
			break
		}
		for is := range hook.Elements(value) {
			if was == nil || jsonType(is) != jsonType(was) {
				return false
			}
		}
		return true
	}
	return false
}

// jsonType tells the types of valid values apart by their first byte.
func jsonType(v []byte) byte {
	switch c := v[0]; c {
	case '"', '{', '[', 'n':
		return c
	case 't', 'f':
		return 't'
	}
	return '0'
}

// answer is what one line says; empty members are left out.
type answer struct {
	reason                       string // of a top-level block
	permission, permissionReason string
	context, notice              string
	input, output                []byte
}

func (a *answer) size() int {
	return 256 + len(a.reason) + len(a.permissionReason) + len(a.context) + len(a.notice) + len(a.input) + len(a.output)
}

func (a *answer) append(b []byte, e hook.EventName) []byte {
	o := hook.NewObject(b)
	if a.reason != "" {
		o.Text("decision", "block")
		o.Text("reason", a.reason)
	}
	if a.notice != "" {
		o.Text("systemMessage", a.notice)
	}
	if a.permission != "" || a.context != "" || a.input != nil || a.output != nil {
		o.Open("hookSpecificOutput")
		o.Text("hookEventName", string(e))
		switch {
		case a.permission == "":
		case e == hook.PermissionRequest:
			o.Open("decision")
			o.Text("behavior", a.permission)
			o.Text("message", a.permissionReason)
			o.Close()
		default:
			o.Text("permissionDecision", a.permission)
			o.Text("permissionDecisionReason", a.permissionReason)
		}
		if a.input != nil {
			o.Raw("updatedInput", a.input)
		}
		if a.output != nil {
			o.Raw("updatedToolOutput", a.output)
		}
		if a.context != "" {
			o.Text("additionalContext", a.context)
		}
		o.Close()
	}
	return o.Line()
}
