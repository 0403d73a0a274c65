package gemini

import (
	"strings"

	"github.com/ec261362/guardrails/core/hook"
)

// Encode returns Gemini CLI's answer to e: one JSON object on one line, ASCII
// only, and {} for no opinion. It is never empty: with nothing on standard output
// the host reads standard error as the answer. It never allows and never asks,
// since a headless run ends silently on a question; an Ask is denied, with the
// reason that says how a human permits the call. (0.61.0, measured.)
//
// Each event gets the members that it is known to honour and no other. What an
// event cannot refuse goes out as context or notice.
func (Adapter) Encode(e hook.Event, v hook.Verdict) hook.Output {
	ch := channelOf(e.Name)
	var a answer
	context := v.Context
	if v.Decision == hook.Advise {
		context = joinLines(v.Reason, v.Context)
	}
	switch decision := effective(e.Name, ch, v); {
	case e.Name.AfterTool() && decision == hook.Block:
		a.deny, context = hiding(e.Tool, joinLines(reason(v), v.Context), replacement(e.Tool, v.Result)), ""
	case e.Name.AfterTool() && replacement(e.Tool, v.Result) != nil:
		a.deny, context = hiding(e.Tool, context, replacement(e.Tool, v.Result)), ""
	case decision == hook.Rewrite:
		a.input = hook.AppendASCII(nil, v.Input)
	case decision == hook.Block && e.Name == hook.Stop:
		a.deny = stopMark + hook.Clip(why(v), maxStop)
	case decision == hook.Block && e.Name == hook.UserPromptSubmit:
		// The human is shown the notice in place of the reason, and no model reads
		// the prompt or a context.
		if a.deny, context = reason(v), ""; v.Notice != "" {
			v.Notice = joinLines(a.deny, v.Notice)
		}
	case decision >= hook.Deny:
		a.deny = reason(v)
	case v.Decision > hook.Rewrite:
		// Nothing here can refuse: say it where it will be read.
		if ch.context {
			context = joinLines(reason(v), v.Context)
		} else {
			v.Notice = joinLines(reason(v), v.Notice)
		}
	}
	if ch.context {
		a.context = said(context, maxContext)
	}
	if ch.notice {
		a.notice = said(v.Notice, maxNotice)
	}
	return hook.Output{Stdout: a.append(make([]byte, 0, a.size()), e.Name)}
}

// effective is the decision that the answer carries: Deny or Rewrite before a
// tool, Block elsewhere, Pass for none.
func effective(e hook.EventName, ch channel, v hook.Verdict) hook.Decision {
	switch {
	case v.Decision == hook.Rewrite:
		if e == hook.PreToolUse && isObject(v.Input) {
			return hook.Rewrite
		}
	case v.Decision >= hook.Ask:
		return ch.decides
	}
	return hook.Pass
}

// stopMark starts the reason of a blocked AfterAgent. The host submits the
// reason as the user's next prompt, so the mark tells the model who speaks, and
// us that no human does.
const stopMark = "[guardrails] The turn is not over:\n"

// replayed reports whether a prompt is the reason of a blocked AfterAgent of
// ours, alone or among those of other hooks, which the host joins with newlines.
func replayed(prompt string) bool {
	return strings.HasPrefix(prompt, stopMark) || strings.Contains(prompt, "\n"+stopMark)
}

// hiding is the reason of a block after a tool. The host gives it to the model,
// as an error, in place of the result, so the result follows: the content of repl
// if there is one, else the tool's own as far as there is room.
func hiding(t *hook.Tool, say string, repl []byte) string {
	if say = strings.TrimSpace(say); say == "" {
		say = "guardrails changed the result of this call."
	}
	say = hook.Clip(say, maxStop) + "\n\nThe call itself "
	ended := "ran."
	var content []byte
	if t != nil && t.Result != nil {
		if t.Result.Outcome == hook.Failed {
			ended = "failed."
		}
		content = hook.Member(t.Result.Raw, "llmContent")
	}
	say += ended
	if repl != nil {
		return say + " Its result:\n" + contentText(repl, false)
	}
	text := contentText(content, false)
	if strings.TrimSpace(text) == "" {
		return say
	}
	cut := hook.Clip(text, max(maxAfter-len(say), 500))
	if cut != text && strings.HasPrefix(text, untrusted) {
		cut += untrustedEnd
	}
	return say + " Its result:\n" + cut
}

// replacement is the content of a new tool result, nil if raw is none that can
// stand for the tool's own: an object with an llmContent.
func replacement(t *hook.Tool, raw []byte) []byte {
	if t == nil || t.Result == nil || hook.Member(t.Result.Raw, "llmContent") == nil || !isObject(raw) {
		return nil
	}
	content := hook.Member(raw, "llmContent")
	if len(content) == 0 || content[0] != '"' && content[0] != '[' && content[0] != '{' {
		return nil
	}
	return content
}

func reason(v hook.Verdict) string { return hook.Clip(why(v), maxReason) }

// why is the verdict's reason. One without a reason would be shown as "No reason
// provided", after AfterAgent even to the model as the prompt.
func why(v hook.Verdict) string {
	if r := strings.TrimSpace(v.Reason); r != "" {
		return r
	}
	by := v.Rule
	if by == "" {
		by = v.Gate
	}
	if by == "" {
		return "guardrails refused this without giving a reason"
	}
	return "guardrails: refused by " + by
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

// answer is what one line says; empty members are left out.
type answer struct {
	deny            string // the reason of a deny
	context, notice string
	input           []byte
}

func (a *answer) size() int {
	return 192 + len(a.deny) + len(a.context) + len(a.notice) + len(a.input)
}

func (a *answer) append(b []byte, e hook.EventName) []byte {
	o := hook.NewObject(b)
	if a.deny != "" {
		o.Text("decision", "deny")
		o.Text("reason", a.deny)
	}
	if a.notice != "" {
		o.Text("systemMessage", a.notice)
	}
	if a.context != "" || a.input != nil {
		o.Open("hookSpecificOutput")
		o.Text("hookEventName", hostEvent(e))
		if a.input != nil {
			o.Raw("tool_input", a.input)
		}
		if a.context != "" {
			o.Text("additionalContext", a.context)
		}
		o.Close()
	}
	return o.Line()
}
