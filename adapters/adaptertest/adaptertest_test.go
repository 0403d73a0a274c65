package adaptertest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ec261362/guardrails/core/hook"
)

// plain is a host that exists here only: its answer is {"say":…,"why":…,"note":…}.
type plain struct {
	decode func(e hook.Event, payload []byte) (hook.Event, error)
	encode func(e hook.Event, v hook.Verdict, out string) string
	caps   func(c *hook.Capabilities)
	wires  []hook.Wiring
	sample func(p []byte) []byte
}

func (plain) Name() string { return "plain" }

func (p plain) Decode(hint string, payload []byte) (hook.Event, error) {
	e := hook.Event{Host: "plain", Raw: payload}
	raw, err := hook.FirstValue(payload)
	if raw != nil {
		e.Raw = raw
	}
	if err == nil && raw[0] != '{' {
		err = errors.New("not an object")
	}
	e.HostEvent, _ = hook.Text(hook.Member(raw, "event"))
	if e.HostEvent == "" {
		e.HostEvent = hint
	}
	for _, known := range []hook.EventName{hook.PreToolUse, hook.Stop} {
		if string(known) == e.HostEvent {
			e.Name = known
		}
	}
	e.SessionID, _ = hook.Text(hook.Member(raw, "session"))
	if in := hook.Member(raw, "input"); in != nil {
		e.Tool = &hook.Tool{Name: "Bash", Kind: hook.Shell, Input: in}
	}
	if p.decode != nil {
		return p.decode(e, payload)
	}
	return e, err
}

func (p plain) Encode(e hook.Event, v hook.Verdict) hook.Output {
	answer := make(map[string]string)
	if v.Notice != "" && strings.TrimSpace(v.Notice) != "" && e.Name == hook.PreToolUse {
		answer["note"] = hook.Clip(v.Notice, 500)
	}
	if (e.Name == hook.PreToolUse || e.Name == hook.Stop) && v.Decision >= hook.Ask {
		answer["say"], answer["why"] = "no", hook.Clip("no: "+v.Reason, 500)
	}
	out := "{}\n"
	if b, err := json.Marshal(answer); err == nil {
		out = string(b) + "\n"
	}
	if p.encode != nil {
		out = p.encode(e, v, out)
	}
	return hook.Output{Stdout: []byte(out)}
}

func (p plain) Capabilities() hook.Capabilities {
	c := hook.Capabilities{
		Events:  []hook.EventName{hook.PreToolUse, hook.Stop},
		Stop:    []hook.EventName{hook.Stop},
		Notice:  map[hook.EventName]int{hook.PreToolUse: 500},
		Decides: map[hook.EventName]hook.Decision{hook.PreToolUse: hook.Deny, hook.Stop: hook.Block},
	}
	if p.caps != nil {
		p.caps(&c)
	}
	return c
}

func (p plain) Wiring() []hook.Wiring {
	if p.wires != nil {
		return p.wires
	}
	return []hook.Wiring{{Event: "PreToolUse", Timeout: 10}}
}

func (p plain) Payload(s hook.Sample) []byte {
	in := make(map[string]string)
	tool := "Bash"
	switch {
	case s.Content != nil:
		in["content"] = *s.Content
		tool = "Write"
	case s.Path != "":
		tool = "Read"
	}
	if s.Path != "" {
		in["file_path"] = s.Path
	} else {
		in["command"] = s.Command
	}
	payload := map[string]any{"event": "PreToolUse", "session": s.SessionID, "cwd": s.Cwd, "prompt": s.Prompt}
	if s.Prompt == "" {
		payload["tool"], payload["input"] = tool, in
	}
	b, err := json.Marshal(payload)
	if err != nil {
		return nil
	}
	return p.sample(b)
}

func (plain) ToolNames() []string { return []string{"Bash", "Write", "Read"} }

func options() Options {
	return Options{
		Payloads: fstest.MapFS{
			"1/pre.json":         {Data: []byte(`{"event":"PreToolUse","session":"s-é","input":{"command":"ls"}}`)},
			"1/stop.json":        {Data: []byte(`{"event":"Stop","session":"s"}` + "\n")},
			"1/new.json":         {Data: []byte(`{"event":"Brewing","session":"s"}`)},
			"1/golden/stop.json": {Data: []byte(`not a payload`)},
			"1/README.md":        {Data: []byte(`not a payload`)},
		},
		Neutral: func(hook.Event) string { return "{}\n" },
		Host: func(_ hook.Event, out []byte) (hook.Decision, error) {
			var answer map[string]string
			if err := json.Unmarshal(out, &answer); err != nil {
				return 0, err
			}
			for k, v := range answer {
				if k != "say" && k != "why" && k != "note" && k != "decision" || strings.TrimSpace(v) == "" {
					return 0, fmt.Errorf("%q: %q", k, v)
				}
			}
			switch answer["say"] {
			case "no":
				return hook.Deny, nil
			case "rewrite":
				return hook.Rewrite, nil
			}
			return hook.Pass, nil
		},
	}
}

// wired hides the sampler of plain.
type wired struct {
	hook.Adapter
	hook.Wirer
}

// failures runs the checks of these names, all of them if there is none. Adapters
// that remember would race in the check for just that.
func failures(t *testing.T, a hook.Adapter, names ...string) map[string][]error {
	t.Helper()
	s, err := load(a, options())
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string][]error)
	for _, c := range checks {
		if len(names) > 0 && !slices.Contains(names, c.name) {
			continue
		}
		if errs := c.run(s); len(errs) > 0 {
			out[c.name] = errs
		}
	}
	return out
}

func TestASoundAdapterPasses(t *testing.T) {
	for name, errs := range failures(t, wired{plain{}, plain{}}) {
		t.Errorf("%s: %v", name, errors.Join(errs...))
	}
}

// changed is plain with its decoded events changed.
func changed(f func(*hook.Event)) plain {
	return plain{decode: func(e hook.Event, p []byte) (hook.Event, error) {
		raw, err := hook.FirstValue(p)
		if err == nil && raw[0] != '{' {
			err = errors.New("not an object")
		}
		f(&e)
		return e, err
	}}
}

// Each defect is found, and by the check that is there for it.
func TestDefectsAreFound(t *testing.T) {
	var calls int
	tests := []struct {
		name  string
		a     plain
		check string
	}{
		{"a payload is refused", plain{decode: func(e hook.Event, p []byte) (hook.Event, error) { return e, errors.New("no") }}, "RecordedPayloadsDecode"},
		{"the session is lost", plain{decode: func(e hook.Event, p []byte) (hook.Event, error) {
			_, err := hook.FirstValue(p)
			e.SessionID = ""
			return e, err
		}}, "RecordedPayloadsDecode"},
		{"the host's name for the event is lost", changed(func(e *hook.Event) { e.HostEvent = "" }), "RecordedPayloadsDecode"},
		{"an event that the host does not fire", changed(func(e *hook.Event) { e.Name = hook.Notification }), "RecordedPayloadsDecode"},
		{"a call without a tool", changed(func(e *hook.Event) { e.Tool = nil }), "RecordedPayloadsDecode"},
		{"a result that is lost", changed(func(e *hook.Event) { e.Name, e.Tool = hook.PostToolUse, &hook.Tool{Name: "x"} }), "RecordedPayloadsDecode"},
		{"a failure that succeeded", changed(func(e *hook.Event) {
			e.Name, e.Tool = hook.PostToolUseFailure, &hook.Tool{Name: "x", Result: &hook.Result{Outcome: hook.Succeeded}}
		}), "RecordedPayloadsDecode"},
		{"work in the background that ended", changed(func(e *hook.Event) {
			e.Tool = &hook.Tool{Name: "x", Result: &hook.Result{Outcome: hook.Succeeded, Background: true}}
		}), "RecordedPayloadsDecode"},
		{"panic on junk", plain{decode: func(e hook.Event, p []byte) (hook.Event, error) {
			_, err := hook.FirstValue(p)
			if len(p) > 0 && p[0] == '[' {
				panic("boom")
			}
			return e, err
		}}, "DecodeIsTotal"},
		{"junk is no error", plain{decode: func(e hook.Event, p []byte) (hook.Event, error) { return e, nil }}, "DecodeIsTotal"},
		{"the host is not named", plain{decode: func(e hook.Event, p []byte) (hook.Event, error) {
			_, err := hook.FirstValue(p)
			e.Host = ""
			return e, err
		}}, "DecodeIsTotal"},
		{"the payload is changed", plain{decode: func(e hook.Event, p []byte) (hook.Event, error) {
			_, err := hook.FirstValue(p)
			if len(p) > 20 {
				p[20] ^= 1
			}
			return e, err
		}}, "DecodeIsTotal"},
		{"text that is not UTF-8", plain{decode: func(e hook.Event, p []byte) (hook.Event, error) {
			_, err := hook.FirstValue(p)
			e.Message = string(bytes.TrimSpace(p))
			return e, err
		}}, "DecodeIsTotal"},
		{"trailing data is an error", plain{decode: func(e hook.Event, p []byte) (hook.Event, error) {
			if !json.Valid(p) {
				return e, errors.New("invalid")
			}
			return e, nil
		}}, "DecodeIgnoresWhatIsAroundAndUnknown"},
		{"Raw is lost", plain{decode: func(e hook.Event, p []byte) (hook.Event, error) {
			_, err := hook.FirstValue(p)
			e.Raw = nil
			return e, err
		}}, "RawReadsBackAsTheSameEvent"},
		{"Decode remembers", plain{decode: func(e hook.Event, p []byte) (hook.Event, error) {
			_, err := hook.FirstValue(p)
			calls++
			e.Source = fmt.Sprint(calls)
			return e, err
		}}, "RawReadsBackAsTheSameEvent"},
		{"two objects", plain{encode: func(_ hook.Event, _ hook.Verdict, out string) string { return strings.TrimSpace(out) + "{}\n" }}, "EncodeIsAlwaysLegalAndNeverAllows"},
		{"no newline", plain{encode: func(_ hook.Event, _ hook.Verdict, out string) string { return strings.TrimSpace(out) }}, "EncodeIsAlwaysLegalAndNeverAllows"},
		{"a member that the host refuses", plain{encode: func(_ hook.Event, v hook.Verdict, out string) string {
			if v.Rule != "" {
				return `{"rule":"x"}` + "\n"
			}
			return out
		}}, "EncodeIsAlwaysLegalAndNeverAllows"},
		{"an allow", plain{encode: func(_ hook.Event, v hook.Verdict, out string) string {
			if v.Decision == hook.Advise {
				return `{"decision":"allow"}` + "\n"
			}
			return out
		}}, "EncodeIsAlwaysLegalAndNeverAllows"},
		{"a line of log before it", plain{encode: func(_ hook.Event, _ hook.Verdict, out string) string { return "log\n" + out }}, "EncodeIsAlwaysLegalAndNeverAllows"},
		{"bytes that are not UTF-8", plain{encode: func(_ hook.Event, v hook.Verdict, out string) string {
			if v.Rule != "" {
				return "{\"note\":\"\xff\"}\n"
			}
			return out
		}}, "EncodeIsAlwaysLegalAndNeverAllows"},
		{"panic on nonsense", plain{encode: func(_ hook.Event, v hook.Verdict, out string) string {
			if v.Input != nil {
				_ = v.Input[0]
			}
			return out
		}}, "EncodeIsAlwaysLegalAndNeverAllows"},
		{"silence says something", plain{encode: func(_ hook.Event, v hook.Verdict, out string) string {
			if v.Decision == hook.Pass {
				return `{"note":"all good"}` + "\n"
			}
			return out
		}}, "SilenceIsTheNeutralAnswer"},
		{"a deny that is lost", plain{encode: func(e hook.Event, v hook.Verdict, out string) string {
			if v.Decision == hook.Block {
				return "{}\n"
			}
			return out
		}}, "CapabilitiesAreTrue"},
		{"an ask that is lost", plain{encode: func(e hook.Event, v hook.Verdict, out string) string {
			if v.Decision == hook.Ask {
				return "{}\n"
			}
			return out
		}}, "CapabilitiesAreTrue"},
		{"a pass that refuses", plain{encode: func(e hook.Event, v hook.Verdict, out string) string {
			if v.Decision == hook.Advise && e.Name == hook.PreToolUse {
				return `{"say":"no","why":"MARKED-TEXT"}` + "\n"
			}
			return out
		}}, "CapabilitiesAreTrue"},
		{"an unknown event that is refused", plain{encode: func(e hook.Event, v hook.Verdict, out string) string {
			if v.Decision == hook.Deny {
				return `{"say":"no","why":"MARKED-TEXT"}` + "\n"
			}
			return out
		}}, "CapabilitiesAreTrue"},
		{"context that is promised", plain{caps: func(c *hook.Capabilities) { c.Context = map[hook.EventName]int{hook.Stop: 100} }}, "CapabilitiesAreTrue"},
		{"a notice that is not promised", plain{caps: func(c *hook.Capabilities) { c.Notice = nil }}, "CapabilitiesAreTrue"},
		{"a rewrite that is promised", plain{caps: func(c *hook.Capabilities) { c.Rewrite = true }}, "CapabilitiesAreTrue"},
		{"Stop on an event that never fires", plain{caps: func(c *hook.Capabilities) { c.Stop = []hook.EventName{hook.SubagentStop} }}, "CapabilitiesAreTrue"},
		{"a notice over its cap", plain{caps: func(c *hook.Capabilities) { c.Notice[hook.PreToolUse] = 100 }}, "TextsKeepTheirCaps"},
		{"a reason without its first line", plain{encode: func(e hook.Event, v hook.Verdict, out string) string {
			if len(v.Reason) > 1000 && e.Name == hook.Stop {
				return `{"say":"no","why":"` + strings.Repeat("x", 400) + `"}` + "\n"
			}
			return out
		}}, "TextsKeepTheirCaps"},
		{"a handler without a timeout", plain{wires: []hook.Wiring{{Event: "Stop"}}}, "WiringIsSound"},
		{"a handler twice", plain{wires: []hook.Wiring{{Event: "Stop", Timeout: 1}, {Event: "Stop", Timeout: 2}}}, "WiringIsSound"},
		{"nothing registered", plain{wires: []hook.Wiring{}}, "WiringIsSound"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := failures(t, wired{tt.a, tt.a}, tt.check)
			if len(got[tt.check]) == 0 {
				t.Errorf("%s did not fail; failed: %v", tt.check, got)
			}
		})
	}
}

// guarded is plain with live files and a headless command.
type guarded struct {
	wired
	files []hook.LiveFile
	argv  []string
}

func (g guarded) LiveFiles(hook.Paths) []hook.LiveFile { return g.files }
func (g guarded) ConfigVar() string                    { return "" }
func (g guarded) HeadlessCommand(p string) []string {
	out := append([]string(nil), g.argv...)
	for i, a := range out {
		if a == "%" {
			out[i] = p
		}
	}
	return out
}

func TestUnsoundProtectionIsFound(t *testing.T) {
	file := hook.LiveFile{Path: "/home/u/x.json", Entries: true}
	tests := []struct {
		name  string
		files []hook.LiveFile
		argv  []string
		fails bool
	}{
		{"sound", []hook.LiveFile{file, {Path: "/b", Dir: true}}, []string{"plain", "-p", "%"}, false},
		{"no files", nil, []string{"plain", "%"}, true},
		{"a file twice", []hook.LiveFile{file, file}, []string{"plain", "%"}, true},
		{"a file without a path", []hook.LiveFile{{Entries: true}}, []string{"plain", "%"}, true},
		{"a file without a reason", []hook.LiveFile{{Path: "/x"}}, []string{"plain", "%"}, true},
		{"no prompt", []hook.LiveFile{file}, []string{"plain", "-p", "x"}, true},
		{"no command", []hook.LiveFile{file}, nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := guarded{wired{plain{}, plain{}}, tt.files, tt.argv}
			if got := failures(t, g, "WiringIsSound")["WiringIsSound"]; (got != nil) != tt.fails {
				t.Errorf("failures %v, want some: %v", got, tt.fails)
			}
		})
	}
}

func TestASuiteWithoutPayloadsIsAnError(t *testing.T) {
	o := options()
	o.Payloads = fstest.MapFS{"golden/x.json": {Data: []byte("{}")}}
	if _, err := load(plain{}, o); err == nil {
		t.Error("no error")
	}
}

func TestSamplesThatSaySomethingElseAreFound(t *testing.T) {
	sound := plain{
		decode: func(e hook.Event, p []byte) (hook.Event, error) {
			_, err := hook.FirstValue(p)
			raw := e.Raw
			e.Prompt, _ = hook.Text(hook.Member(raw, "prompt"))
			e.Cwd, _ = hook.Text(hook.Member(raw, "cwd"))
			if tool, ok := hook.Text(hook.Member(raw, "tool")); ok {
				e.Tool = &hook.Tool{Name: tool, Kind: hook.KindOf(tool), Input: hook.Member(raw, "input")}
			}
			return e, err
		},
		sample: func(p []byte) []byte { return p },
	}
	if errs := failures(t, sound, "SamplesReadBack")["SamplesReadBack"]; errs != nil {
		t.Errorf("sound samples: %v", errors.Join(errs...))
	}
	for _, broken := range []func([]byte) []byte{
		func([]byte) []byte { return []byte("{}") },
		func(p []byte) []byte { return bytes.ReplaceAll(p, []byte("rm -rf"), []byte("ls")) },
		func(p []byte) []byte { return bytes.ReplaceAll(p, []byte("guardrails.yaml"), []byte("other")) },
		func(p []byte) []byte { return bytes.ReplaceAll(p, []byte("warn"), []byte("w")) },
		func(p []byte) []byte { return bytes.ReplaceAll(p, []byte("secret"), []byte("other")) },
		func(p []byte) []byte { return bytes.ReplaceAll(p, []byte("it"), []byte("that")) },
		func(p []byte) []byte { return bytes.ReplaceAll(p, []byte(`"Read"`), []byte(`"read_file"`)) },
		func(p []byte) []byte { return p[:len(p)-1] },
	} {
		a := sound
		a.sample = broken
		if failures(t, a, "SamplesReadBack")["SamplesReadBack"] == nil {
			t.Errorf("not found: %s", broken([]byte(`{"command":"rm -rf","path":"guardrails.yaml secret","content":"warn","prompt":"it","tool":"Read"}`)))
		}
	}
}
