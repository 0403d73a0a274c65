package gemini

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/hook"
)

func TestEncodeSaysEachDecisionInTheHostsWords(t *testing.T) {
	tests := []struct {
		name  string
		event hook.EventName
		v     hook.Verdict
		want  string
	}{
		{"pass", hook.PreToolUse, hook.Verdict{}, `{}`},
		{"deny", hook.PreToolUse, hook.Verdict{Decision: hook.Deny, Reason: "no", Context: "c", Notice: "n"}, `{"decision":"deny","reason":"no","systemMessage":"n"}`},
		{"deny without a reason", hook.PreToolUse, hook.Verdict{Decision: hook.Deny, Rule: "git/x"}, `{"decision":"deny","reason":"guardrails: refused by git/x"}`},
		{
			"a question is a denial that says how to permit", hook.PreToolUse,
			hook.Verdict{Decision: hook.Ask, Reason: "sure? run `guardrails allow once c0ffee00` in a terminal"},
			"{\"decision\":\"deny\",\"reason\":\"sure? run `guardrails allow once c0ffee00` in a terminal\"}",
		},
		{
			"rewrite", hook.PreToolUse,
			hook.Verdict{Decision: hook.Rewrite, Reason: "r", Input: []byte("{ \"command\":\n\"é\", \"dir_path\":null }")},
			`{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"\u00e9","dir_path":null}}}`,
		},
		{"rewrite into nonsense", hook.PreToolUse, hook.Verdict{Decision: hook.Rewrite, Input: []byte(`{"command"`)}, `{}`},
		{"advice before a tool waits", hook.PreToolUse, hook.Verdict{Decision: hook.Advise, Context: "c"}, `{}`},
		{
			"stop", hook.Stop,
			hook.Verdict{Decision: hook.Block, Reason: "tests", Context: "c"},
			`{"decision":"deny","reason":"[guardrails] The turn is not over:\ntests"}`,
		},
		{
			"a stop that nobody explains", hook.Stop,
			hook.Verdict{Decision: hook.Block, Gate: "quality"},
			`{"decision":"deny","reason":"[guardrails] The turn is not over:\nguardrails: refused by quality"}`,
		},
		{"advice at stop waits", hook.Stop, hook.Verdict{Decision: hook.Advise, Context: "c"}, `{}`},
		{
			"advice after a tool", hook.PostToolUse,
			hook.Verdict{Decision: hook.Advise, Reason: "r", Context: "c"},
			`{"hookSpecificOutput":{"hookEventName":"AfterTool","additionalContext":"r\nc"}}`,
		},
		{
			"advice after a failure", hook.PostToolUseFailure,
			hook.Verdict{Decision: hook.Advise, Context: "c"},
			`{"hookSpecificOutput":{"hookEventName":"AfterTool","additionalContext":"c"}}`,
		},
		{"a refused prompt", hook.UserPromptSubmit, hook.Verdict{Decision: hook.Block, Reason: "secret", Context: "c"}, `{"decision":"deny","reason":"secret"}`},
		{
			"a refused prompt, with a notice in place of its reason", hook.UserPromptSubmit,
			hook.Verdict{Decision: hook.Block, Reason: "secret", Notice: "n"},
			`{"decision":"deny","reason":"secret","systemMessage":"secret\nn"}`,
		},
		{
			"session start cannot refuse", hook.SessionStart,
			hook.Verdict{Decision: hook.Deny, Reason: "r", Context: "c"},
			`{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"r\nc"}}`,
		},
		{"session end tells", hook.SessionEnd, hook.Verdict{Decision: hook.Block, Reason: "r", Context: "c", Notice: "n"}, `{"systemMessage":"r\nn"}`},
		{"unknown event", hook.UnknownEvent, hook.Verdict{Decision: hook.Deny, Reason: "r"}, `{}`},
		{"an event that the host does not fire", hook.SubagentStop, hook.Verdict{Decision: hook.Block, Reason: "r"}, `{}`},
		{
			"control characters and bad bytes", hook.SessionStart,
			hook.Verdict{Notice: "a\x00\x1b\xff\"\\\n\t\x7f😀"},
			`{"systemMessage":"a\u0000\u001b\ufffd\"\\\n\t\u007f\ud83d\ude00"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Adapter{}.Encode(hook.Event{Name: tt.event}, tt.v)
			if string(got.Stdout) != tt.want+"\n" {
				t.Errorf("got  %swant %s", got.Stdout, tt.want)
			}
		})
	}
}

// reasonOf is what the model gets in place of a result.
func reasonOf(t *testing.T, payload []byte, v hook.Verdict) string {
	t.Helper()
	e, err := Adapter{}.Decode("", payload)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Decision, Reason string }
	if err := json.Unmarshal(Adapter{}.Encode(e, v).Stdout, &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Decision != "deny" {
		t.Errorf("decision %q", answer.Decision)
	}
	return answer.Reason
}

// A deny hides the result, but a block after a tool only adds to it.
func TestABlockAfterAToolKeepsTheResult(t *testing.T) {
	block := hook.Verdict{Decision: hook.Block, Reason: "lint: x", Context: "see y"}
	redact := hook.Verdict{Context: "a key was cut out", Result: json.RawMessage(`{"llmContent":[{"text":"key=***"}]}`)}
	both := block
	both.Result = redact.Result
	wrapped := `{"llmContent":"<untrusted_context>\nOutput: a\nExit Code: 2\n</untrusted_context>"}`
	long := shell(untrusted + "Output: " + strings.Repeat("x", 100_000) + untrustedEnd)
	tests := []struct {
		name    string
		payload []byte
		v       hook.Verdict
		want    string
	}{
		{"text", after("write_file", `{"llmContent":"Wrote it."}`), block, "lint: x\nsee y\n\nThe call itself ran. Its result:\nWrote it."},
		{"nothing", after("write_file", `{"llmContent":""}`), block, "lint: x\nsee y\n\nThe call itself ran."},
		{"a failure, whole and still marked as foreign", after("run_shell_command", wrapped), block, "lint: x\nsee y\n\nThe call itself failed. Its result:\n" + untrusted + "Output: a\nExit Code: 2" + untrustedEnd},
		{"a new result", after("read_file", `{"llmContent":"key=123"}`), redact, "a key was cut out\n\nThe call itself ran. Its result:\nkey=***"},
		{"a new result without a word", after("read_file", `{"llmContent":"key=123"}`), hook.Verdict{Result: redact.Result}, "guardrails changed the result of this call.\n\nThe call itself ran. Its result:\nkey=***"},
		{"a block and a new result", after("read_file", `{"llmContent":"key=123"}`), both, "lint: x\nsee y\n\nThe call itself ran. Its result:\nkey=***"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := reasonOf(t, tt.payload, tt.v); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
	got := reasonOf(t, after("run_shell_command", long), block)
	if len(got) > maxAfter+200 || strings.Count(got, untrusted) != 1 || !strings.HasSuffix(got, untrustedEnd) {
		t.Errorf("a long result: %d bytes, ends with %q", len(got), got[len(got)-100:])
	}
}

func TestANewResultOfAnotherFormIsNone(t *testing.T) {
	e, err := Adapter{}.Decode("", after("read_file", `{"llmContent":"key=123"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, raw := range []string{`"key=***"`, `{"output":"x"}`, `{"llmContent":7}`, `{"llmContent":null}`, `{"llmContent":"x"`, `[]`, ``} {
		if out := (Adapter{}).Encode(e, hook.Verdict{Result: json.RawMessage(raw)}).Stdout; string(out) != "{}\n" {
			t.Errorf("%s: %s", raw, out)
		}
	}
	e.Tool.Result.Raw = nil
	if out := (Adapter{}).Encode(e, hook.Verdict{Result: json.RawMessage(`{"llmContent":"x"}`)}).Stdout; string(out) != "{}\n" {
		t.Errorf("for a result that is unknown: %s", out)
	}
}

func FuzzEncode(f *testing.F) {
	f.Add(uint8(3), uint8(4), "reason", "context", "notice", []byte(`{"command":"ls"}`), []byte(`{"llmContent":"x"}`))
	f.Add(uint8(7), uint8(2), "\xff", "\u2028</script>", "😀", []byte(" {\"a\" : \"\xff\\u00e9\"} "), []byte(`null`))
	f.Fuzz(func(t *testing.T, event, decision uint8, reason, context, notice string, input, result []byte) {
		e := hook.Event{Name: events[int(event)%len(events)], Host: Name}
		e.HostEvent = hostNames[e.Name]
		if e.Name.AfterTool() {
			e.Tool = &hook.Tool{Name: "run_shell_command", Kind: hook.Shell, Result: &hook.Result{Raw: json.RawMessage(`{"llmContent":"x"}`)}}
		}
		v := hook.Verdict{Decision: hook.Decision(decision % 6), Reason: reason, Context: context, Notice: notice, Input: input, Result: result}
		out := Adapter{}.Encode(e, v).Stdout
		if _, err := hostReads(e, out); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, c := range out[:len(out)-1] {
			if c < ' ' || c > '~' {
				t.Fatalf("byte %#x in %q", c, out)
			}
		}
		if v.Silent() && string(out) != "{}\n" {
			t.Fatalf("silence prints %s", out)
		}
	})
}

func BenchmarkEncodeDeny(b *testing.B) {
	e := hook.Event{Name: hook.PreToolUse, HostEvent: "BeforeTool", Host: Name}
	v := hook.Verdict{Decision: hook.Deny, Rule: "filesystem/delete-outside", Reason: strings.Repeat("why this is refused and what to do. ", 10)}
	b.ReportAllocs()
	for b.Loop() {
		Adapter{}.Encode(e, v)
	}
}
