// Package adaptertest is the conformance suite of host adapters, in the manner
// of testing/fstest: an adapter that passes keeps every promise that the core
// relies on, whatever its host.
//
// It sees an adapter from outside and may import core/hook only. What a host
// accepts is its own contract: the adapter's test supplies it as Options.Host.
package adaptertest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/ec261362/guardrails/core/hook"
)

// Options describe the host to the suite.
type Options struct {
	// Payloads holds recorded payloads: every *.json file, at any depth, that is
	// not in a folder named golden.
	Payloads fs.FS
	// Hint returns the event that the command line names for a payload file, by
	// its name; nil if the host's payloads name their event.
	Hint func(file string) string
	// Host reads an answer as the host would: the decision that it acts on, or
	// why it would refuse or misread any part of it. It is written from the
	// host's contract, without a look at the adapter.
	Host func(e hook.Event, stdout []byte) (hook.Decision, error)
	// Neutral returns the host's answer for "no opinion", newline included.
	Neutral func(e hook.Event) string
}

// Events are the events to which an adapter must be able to answer; the last is
// one that nobody knows.
var Events = []hook.EventName{
	hook.SessionStart, hook.UserPromptSubmit, hook.UserPromptExpansion, hook.PreToolUse, hook.PreSkillShellCommand,
	hook.PermissionRequest, hook.PermissionDenied, hook.PostToolUse, hook.PostToolUseFailure, hook.PostToolBatch,
	hook.Stop, hook.StopFailure, hook.SubagentStart, hook.SubagentStop, hook.TaskCreated, hook.TaskCompleted,
	hook.PreCompact, hook.PostCompact, hook.ConfigChange, hook.SessionEnd, hook.Notification, hook.UnknownEvent,
}

// Run runs the suite. Its subtests are independent and may be run alone.
func Run(t *testing.T, a hook.Adapter, o Options) {
	t.Helper()
	s, err := load(a, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for i, err := range c.run(s) {
				if i == 20 {
					t.Error("…")
					break
				}
				t.Error(err)
			}
		})
	}
}

type check struct {
	name string
	run  func(*suite) []error
}

var checks = []check{
	{"RecordedPayloadsDecode", recorded},
	{"DecodeIsTotal", total},
	{"DecodeIgnoresWhatIsAroundAndUnknown", surroundings},
	{"RawReadsBackAsTheSameEvent", rawRoundTrip},
	{"EncodeIsAlwaysLegalAndNeverAllows", legal},
	{"SilenceIsTheNeutralAnswer", neutral},
	{"CapabilitiesAreTrue", capabilities},
	{"TextsKeepTheirCaps", caps},
	{"NoStateIsShared", parallel},
	{"WiringIsSound", wiring},
	{"SamplesReadBack", samples},
}

// suite is an adapter with what was recorded of its host.
type suite struct {
	a        hook.Adapter
	o        Options
	payloads []recording
	events   []hook.Event // what is to be answered: recorded ones of each kind, then bare ones
}

type recording struct {
	file, hint string
	data       []byte
}

func load(a hook.Adapter, o Options) (*suite, error) {
	s := &suite{a: a, o: o}
	err := fs.WalkDir(o.Payloads, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "golden":
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".json":
			return nil
		}
		data, err := fs.ReadFile(o.Payloads, name)
		if err != nil {
			return err
		}
		r := recording{file: name, data: data}
		if o.Hint != nil {
			r.hint = o.Hint(name)
		}
		s.payloads = append(s.payloads, r)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("payloads of %s: %w", a.Name(), err)
	}
	if len(s.payloads) == 0 {
		return nil, fmt.Errorf("payloads of %s: there is none", a.Name())
	}
	seen := make(map[string]bool)
	for _, r := range s.payloads {
		e, _, err := decode(a, r.hint, r.data)
		kind := e.HostEvent
		if e.Tool != nil && e.Name == hook.PostToolUse {
			kind += " " + e.Tool.Name // results differ from tool to tool
		}
		if err == nil && e.HostEvent != "" && !seen[kind] {
			s.events = append(s.events, e)
			seen[kind] = true
		}
	}
	for _, name := range Events {
		e := hook.Event{Name: name, Host: a.Name()}
		if name == hook.UnknownEvent {
			e.HostEvent = "SomethingNew"
		}
		s.events = append(s.events, e)
		if e.Tool == nil && (name.BeforeTool() || name.AfterTool()) {
			e.Tool = &hook.Tool{Name: "Bash", Kind: hook.Shell, Input: json.RawMessage(`{"command":"ls"}`), Result: &hook.Result{}}
			s.events = append(s.events, e)
		}
	}
	return s, nil
}

// decode calls Decode and turns a panic into one of the second kind of error.
func decode(a hook.Adapter, hint string, payload []byte) (e hook.Event, decodeErr, broken error) {
	defer func() {
		if r := recover(); r != nil {
			broken = fmt.Errorf("Decode panics: %v\npayload: %.300q", r, payload)
		}
	}()
	before := bytes.Clone(payload)
	e, decodeErr = a.Decode(hint, payload)
	switch {
	case !bytes.Equal(before, payload):
		broken = fmt.Errorf("Decode changed its payload\nbefore: %.300q", before)
	case e.Host != a.Name():
		broken = fmt.Errorf("Decode returned an event of host %q\npayload: %.300q", e.Host, payload)
	case !valid(e):
		broken = fmt.Errorf("Decode returned text that is not UTF-8\npayload: %.300q", payload)
	}
	return e, decodeErr, broken
}

func valid(e hook.Event) bool {
	texts := []string{e.HostEvent, e.SessionID, e.AgentID, e.AgentType, e.Cwd, e.Prompt, e.Message, e.Source, e.Skill, e.Path, e.Transcript, e.Mode}
	for _, b := range e.Background {
		texts = append(texts, b.ID, b.Agent, b.Command)
	}
	if t := e.Tool; t != nil {
		texts = append(texts, t.ID, t.Name)
		if t.Result != nil {
			texts = append(texts, t.Result.Text)
		}
	}
	for _, s := range texts {
		if !utf8.ValidString(s) {
			return false
		}
	}
	return true
}

func encode(a hook.Adapter, e hook.Event, v hook.Verdict) (out []byte, broken error) {
	defer func() {
		if r := recover(); r != nil {
			broken = fmt.Errorf("Encode panics: %v\n%s", r, describe(e, v))
		}
	}()
	return a.Encode(e, v).Stdout, nil
}

func describe(e hook.Event, v hook.Verdict) string {
	name := string(e.Name)
	if e.HostEvent != "" && e.HostEvent != name {
		name += " (" + e.HostEvent + ")"
	}
	return fmt.Sprintf("event %s, verdict %s reason=%.60q context=%.60q notice=%.60q input=%.60q result=%.60q",
		name, v.Decision, v.Reason, v.Context, v.Notice, v.Input, v.Result)
}

// A recorded payload decodes without an error and says what a session needs.
func recorded(s *suite) (errs []error) {
	known := s.a.Capabilities().Events
	for _, r := range s.payloads {
		e, err, broken := decode(s.a, r.hint, r.data)
		switch {
		case broken != nil:
			errs = append(errs, fmt.Errorf("%s: %w", r.file, broken))
		case err != nil:
			errs = append(errs, fmt.Errorf("%s: %w", r.file, err))
		case e.HostEvent == "":
			errs = append(errs, fmt.Errorf("%s: no HostEvent", r.file))
		case e.SessionID == "":
			errs = append(errs, fmt.Errorf("%s: no SessionID", r.file))
		case e.Name != hook.UnknownEvent && !slices.Contains(known, e.Name):
			errs = append(errs, fmt.Errorf("%s: decodes to %s, which Capabilities.Events lacks", r.file, e.Name))
		case e.Name != hook.PostToolBatch && (e.Name.BeforeTool() || e.Name.AfterTool()) && (e.Tool == nil || e.Tool.Name == ""):
			errs = append(errs, fmt.Errorf("%s: %s without a tool", r.file, e.Name))
		case e.Name.AfterTool() && e.Tool.Result == nil:
			errs = append(errs, fmt.Errorf("%s: %s without a result", r.file, e.Name))
		case e.Name == hook.PostToolUseFailure && e.Tool.Result.Outcome == hook.Succeeded:
			errs = append(errs, fmt.Errorf("%s: a failure that succeeded", r.file))
		case e.Tool != nil && e.Tool.Result != nil && e.Tool.Result.Background && e.Tool.Result.Outcome != hook.Unknown:
			errs = append(errs, fmt.Errorf("%s: what runs in the background has no outcome yet", r.file))
		}
	}
	return errs
}

// Whatever arrives, Decode returns, leaves the payload alone and names the host;
// a payload that is cut is an error, and what came before the cut is not lost.
func total(s *suite) (errs []error) {
	fail := func(err error) { errs = append(errs, err) }
	for _, junk := range junkPayloads() {
		if _, err, broken := decode(s.a, "", junk); broken != nil {
			fail(broken)
		} else if err == nil {
			fail(fmt.Errorf("no error for %.60q", junk))
		}
	}
	for _, r := range s.payloads {
		whole, _, _ := decode(s.a, r.hint, r.data)
		body := bytes.TrimSpace(r.data)
		for i := range 25 {
			cut := body[:len(body)*i/25]
			e, err, broken := decode(s.a, r.hint, cut)
			switch {
			case broken != nil:
				fail(fmt.Errorf("%s cut: %w", r.file, broken))
			case err == nil:
				fail(fmt.Errorf("%s: no error when it is cut after %d bytes", r.file, len(cut)))
			case e.SessionID != "" && !strings.HasPrefix(whole.SessionID, e.SessionID):
				fail(fmt.Errorf("%s cut after %d bytes: session %q is not from the payload", r.file, len(cut), e.SessionID))
			}
		}
		for _, m := range mutations(body) {
			if _, _, broken := decode(s.a, r.hint, m); broken != nil {
				fail(fmt.Errorf("%s changed: %w", r.file, broken))
			}
		}
	}
	return errs
}

func junkPayloads() [][]byte {
	var out [][]byte
	for _, s := range []string{
		"", " ", "\n", "null", "true", "1", `"x"`, "[]", "[{}]", "hello", "{", "{]", `{"a"`, `{"a":}`, "{'a':1}", "\xff\xfe", "\xef\xbb\xbf", "\x00",
		"<xml/>", "{\"a\":\"\x01\"}", "{\"hook_event_name\":\"Stop\",}",
		strings.Repeat("[", 1<<16), strings.Repeat(`{"a":`, 1<<16), strings.Repeat("{", 1<<16), strings.Repeat("\"", 1<<16), strings.Repeat(`\`, 1<<16),
	} {
		out = append(out, []byte(s))
	}
	return out
}

// mutations returns variants of an object: each member in turn of another
// type, missing, doubled, and with bytes changed.
func mutations(body []byte) [][]byte {
	var out [][]byte
	var keys []string
	members := make(map[string]json.RawMessage)
	dec := json.NewDecoder(bytes.NewReader(body))
	if _, err := dec.Token(); err != nil {
		return nil
	}
	for dec.More() {
		k, err := dec.Token()
		if err != nil {
			return nil
		}
		var v json.RawMessage
		if dec.Decode(&v) != nil {
			return nil
		}
		keys = append(keys, k.(string))
		members[k.(string)] = v
	}
	build := func(changed string, value ...string) []byte {
		b := []byte{'{'}
		for _, k := range keys {
			values := []string{string(members[k])}
			if k == changed {
				values = value
			}
			for _, v := range values {
				if len(b) > 1 {
					b = append(b, ',')
				}
				name, _ := json.Marshal(k)
				b = append(append(append(b, name...), ':'), v...)
			}
		}
		return append(b, '}')
	}
	for _, k := range keys {
		for _, v := range []string{"null", "true", "-1.5e9", `""`, `"\ud800\u0000"`, "\"\xff\xc3\"", "[]", `[null,{"a":1},"x"]`, "{}", `{"a":{"b":[]}}`} {
			out = append(out, build(k, v))
		}
		out = append(out, build(k), build(k, string(members[k]), "7"))
	}
	for i := range 20 {
		b := bytes.Clone(body)
		at := (i*7919 + 13) % len(b)
		b[at] = byte(i * 37)
		out = append(out, b)
	}
	return out
}

// same compares what two payloads say, but for their bytes.
func same(a, b hook.Event) bool {
	a.Raw, b.Raw = nil, nil
	return reflect.DeepEqual(a, b)
}

// White space, a byte order mark, what follows the payload and members that
// nobody knows change nothing; a hint changes nothing if the payload names its
// event.
func surroundings(s *suite) (errs []error) {
	for _, r := range s.payloads {
		want, _, _ := decode(s.a, r.hint, r.data)
		body := string(bytes.TrimSpace(r.data))
		variants := map[string]string{
			"a byte order mark": "\xef\xbb\xbf" + body,
			"white space":       " \r\n\t" + body + "\r\n \n",
			"trailing data":     body + "\n{\"session_id\":\"other\"} and text",
			"an unknown member": `{"zz_unknown":{"session_id":["x",{"cwd":"/y"}]},` + strings.TrimPrefix(body, "{"),
		}
		for what, payload := range variants {
			if got, err, broken := decode(s.a, r.hint, []byte(payload)); broken != nil || err != nil || !same(got, want) {
				errs = append(errs, fmt.Errorf("%s with %s: %w", r.file, what, errors.Join(broken, err, differs(got, want))))
			}
		}
		if s.o.Hint == nil {
			if got, err, broken := decode(s.a, "SomethingElse", r.data); broken != nil || err != nil || !same(got, want) {
				errs = append(errs, fmt.Errorf("%s with a hint: %w", r.file, errors.Join(broken, err, differs(got, want))))
			}
		}
	}
	return errs
}

func differs(got, want hook.Event) error {
	if same(got, want) {
		return nil
	}
	got.Raw, want.Raw = nil, nil
	return fmt.Errorf("got %+v\nwant %+v", got, want)
}

// Raw is the payload's JSON, and decoding it gives the same event again.
func rawRoundTrip(s *suite) (errs []error) {
	for _, r := range s.payloads {
		e, _, _ := decode(s.a, r.hint, r.data)
		var a, b any
		if json.Unmarshal(r.data, &a) != nil || json.Unmarshal(e.Raw, &b) != nil || !reflect.DeepEqual(a, b) {
			errs = append(errs, fmt.Errorf("%s: Raw is not the payload: %.200q", r.file, e.Raw))
			continue
		}
		again, err, broken := decode(s.a, r.hint, e.Raw)
		if broken != nil || err != nil || !reflect.DeepEqual(again, e) {
			errs = append(errs, fmt.Errorf("%s: Raw decodes to another event: %w", r.file, errors.Join(broken, err, differs(again, e))))
		}
	}
	return errs
}

// verdicts returns verdicts of every decision with every kind of content.
func verdicts() []hook.Verdict {
	texts := []string{
		"", " \n", "short", "first line\nsecond", strings.Repeat("😀é\n", 3_000),
		"\x00\x01\x1b[31m\u2028</script>\"\\\x7f", "bad \xff\xfe bytes \xc3", `{"decision":"allow"}`, "null",
	}
	raws := []json.RawMessage{
		nil,
		{},
		json.RawMessage(`{"command":"echo é","n":null,"deep":[{"x":1}]}`), json.RawMessage(" {\n\"a\" : \"\\\"\\u00e9\"\n} "),
		json.RawMessage(`null`), json.RawMessage(`"text"`), json.RawMessage(`[1]`), json.RawMessage(`{"cut":"`), json.RawMessage(`not json`), json.RawMessage("{\"a\":\"\xff\"}"),
		json.RawMessage(`{"stdout":"x","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}`), json.RawMessage(`{} {}`),
	}
	var out []hook.Verdict
	for d := hook.Pass - 1; d <= hook.Block+1; d++ {
		for i, text := range texts {
			out = append(out, hook.Verdict{Decision: d, Reason: text, Context: text, Notice: text, Input: raws[2]})
			if len(text) > 1000 {
				continue
			}
			out = append(out,
				hook.Verdict{Decision: d, Reason: text, Input: raws[i%len(raws)], Result: raws[(i+5)%len(raws)]},
				hook.Verdict{Decision: d, Reason: "why", Context: text, Rule: "pack/rule"},
				hook.Verdict{Decision: d, Notice: text, Gate: "gate"})
		}
		for _, raw := range raws {
			out = append(out, hook.Verdict{Decision: d, Input: raw, Result: raw})
		}
	}
	return out
}

// Every verdict on every event has an answer that the host accepts whole: one
// JSON object on one line, or nothing; and none lets a call through.
func legal(s *suite) (errs []error) {
	all := verdicts()
	for i, e := range s.events {
		for j, v := range all {
			if e.Raw != nil && (i+j)%11 != 0 {
				continue // recorded events share the verdicts out
			}
			out, broken := encode(s.a, e, v)
			if broken == nil {
				broken = oneObject(out)
			}
			if broken == nil {
				_, broken = s.o.Host(e, out)
			}
			if broken == nil && string(out) != s.o.Neutral(e) {
				broken = neverAllows(out, []byte(s.o.Neutral(e)))
			}
			if broken != nil {
				errs = append(errs, fmt.Errorf("%w\n%s\nanswer: %.600s", broken, describe(e, v), out))
			}
		}
	}
	return errs
}

func oneObject(out []byte) error {
	if len(out) == 0 {
		return nil
	}
	if bytes.Count(out, []byte("\n")) != 1 || out[len(out)-1] != '\n' {
		return errors.New("the answer is not one line")
	}
	if !utf8.Valid(out) {
		return errors.New("the answer is not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	var object map[string]json.RawMessage
	if err := dec.Decode(&object); err != nil {
		return fmt.Errorf("the answer is not a JSON object: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("the answer is more than one JSON object")
	}
	return nil
}

// A verdict that says nothing prints the neutral answer and nothing else.
func neutral(s *suite) (errs []error) {
	for _, e := range s.events {
		for _, v := range []hook.Verdict{{}, {Gate: "g", Rule: "r"}, {Reason: "a reason without a decision"}, {Input: json.RawMessage(`{"a":1}`)}} {
			out, broken := encode(s.a, e, v)
			if broken != nil || string(out) != s.o.Neutral(e) {
				errs = append(errs, errors.Join(broken, fmt.Errorf("got %q, want %q\n%s", out, s.o.Neutral(e), describe(e, v))))
			}
		}
	}
	return errs
}

// neverAllows: no answer may hold a word that lets a call through, but where
// the neutral answer holds the same one.
func neverAllows(out, neutral []byte) error {
	var answer, usual map[string]any
	if len(out) > 0 && json.Unmarshal(out, &answer) == nil {
		_ = json.Unmarshal(neutral, &usual) // empty: nothing is usual
		for k, v := range usual {
			if reflect.DeepEqual(answer[k], v) {
				delete(answer, k)
			}
		}
		if at := allows(answer); at != "" {
			return fmt.Errorf("%s allows", at)
		}
	}
	return nil
}

func allows(v any) string {
	object, _ := v.(map[string]any)
	for k, v := range object {
		switch k {
		case "decision", "permissionDecision", "behavior", "permission", "action":
			if v == "allow" || v == "approve" || v == "accept" {
				return k
			}
		case "allow_tool", "allow":
			if v == true {
				return k
			}
		case "updatedInput", "updatedToolOutput", "tool_input", "overwrite": // the tool's own
			continue
		}
		if at := allows(v); at != "" {
			return at
		}
	}
	return ""
}

// What an event is said to carry it carries, and what it is not said to carry
// it does not; a verb that it lacks becomes a stronger one, never a weaker one.
func capabilities(s *suite) (errs []error) {
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	c := s.a.Capabilities()
	if len(c.Events) == 0 {
		fail("no events")
	}
	known := make(map[hook.EventName]bool)
	for _, e := range c.Events {
		if known[e] || e == hook.UnknownEvent {
			fail("event %q is listed twice or is unknown", e)
		}
		known[e] = true
	}
	for _, e := range c.Stop {
		if !known[e] {
			fail("Stop names %s, which the host does not fire", e)
		}
	}
	for e, n := range c.Context {
		if !known[e] || n <= 0 {
			fail("context on %s: %d bytes", e, n)
		}
	}
	for e, n := range c.Notice {
		if !known[e] || n <= 0 {
			fail("notice on %s: %d bytes", e, n)
		}
	}
	for e, d := range c.Decides {
		if !known[e] || d == hook.Pass {
			fail("%s on %s", d, e)
		}
	}
	if !reflect.DeepEqual(c, s.a.Capabilities()) {
		fail("Capabilities change from call to call")
	}
	const mark = "MARKED-TEXT"
	for _, e := range s.events {
		says := func(v hook.Verdict) (hook.Decision, bool) {
			out, broken := encode(s.a, e, v)
			if broken != nil {
				fail("%w", broken)
				return hook.Pass, false
			}
			d, err := s.o.Host(e, out)
			if err != nil {
				fail("%w\n%s\nanswer: %.600s", err, describe(e, v), out)
			}
			return d, bytes.Contains(out, []byte(mark))
		}
		if known[e.Name] && e.Name != hook.UnknownEvent {
			for _, d := range []hook.Decision{hook.Pass, hook.Advise} {
				_, carried := says(hook.Verdict{Decision: d, Context: mark})
				if want := c.Context[e.Name] > 0; carried != want {
					fail("context on %s with %s: carried %v, want %v", e.Name, d, carried, want)
				}
				got, carried := says(hook.Verdict{Decision: d, Notice: mark})
				if want := c.Notice[e.Name] > 0; carried != want {
					fail("notice on %s with %s: carried %v, want %v", e.Name, d, carried, want)
				}
				if got.Rank() > hook.Advise.Rank() {
					fail("%s on %s comes out as %s", d, e.Name, got)
				}
			}
		}
		most := c.Decides[e.Name]
		for _, d := range []hook.Decision{hook.Deny, hook.Block} {
			got, carried := says(hook.Verdict{Decision: d, Reason: mark})
			switch {
			case most.Rank() == hook.Deny.Rank() && (got.Rank() != hook.Deny.Rank() || !carried):
				fail("%s on %s comes out as %s, reason carried %v", d, e.Name, got, carried)
			case most == hook.Pass && got.Rank() > hook.Advise.Rank():
				fail("%s on %s comes out as %s, though the event decides nothing", d, e.Name, got)
			}
		}
		// A PermissionRequest is the host asking its user already.
		if most.Rank() == hook.Deny.Rank() && e.Name != hook.PermissionRequest {
			got, carried := says(hook.Verdict{Decision: hook.Ask, Reason: mark})
			if got.Rank() < hook.Ask.Rank() || !carried || !c.Ask && got == hook.Ask {
				fail("ask on %s comes out as %s, reason carried %v", e.Name, got, carried)
			}
		}
		got, _ := says(hook.Verdict{Decision: hook.Rewrite, Input: json.RawMessage(`{"command":"ls"}`)})
		if want := c.Rewrite && e.Name == hook.PreToolUse; want != (got == hook.Rewrite) || got.Rank() > hook.Rewrite.Rank() {
			fail("rewrite on %s comes out as %s", e.Name, got)
		}
	}
	return errs
}

// Texts are cut to what the event is said to carry, and keep their first line.
func caps(s *suite) (errs []error) {
	c := s.a.Capabilities()
	for _, e := range s.events {
		for _, filler := range []string{"word\n", "é", "😀"} {
			long := "FIRST-LINE\n" + strings.Repeat(filler, 16_000/len(filler))
			for _, t := range []struct {
				what string
				v    hook.Verdict
				max  int
			}{
				{"context", hook.Verdict{Context: long}, c.Context[e.Name]},
				{"notice", hook.Verdict{Notice: long}, c.Notice[e.Name]},
				{"reason", hook.Verdict{Decision: hook.Block, Reason: long}, 9000},
			} {
				out, broken := encode(s.a, e, t.v)
				if broken != nil {
					errs = append(errs, broken)
					continue
				}
				var answer any
				_ = json.Unmarshal(out, &answer) // legal sees to that
				for _, text := range stringsIn(answer, nil) {
					if !strings.Contains(text, "FIRST-LINE") {
						if len(text) > 200 {
							errs = append(errs, fmt.Errorf("%s of %s lost its first line", t.what, e.Name))
						}
						continue
					}
					if n := utf16Len(text); n > t.max && t.max > 0 {
						errs = append(errs, fmt.Errorf("%s of %s has %d characters, want at most %d", t.what, e.Name, n, t.max))
					}
				}
			}
		}
	}
	return errs
}

func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		if n++; r > 0xffff {
			n++
		}
	}
	return n
}

func stringsIn(v any, out []string) []string {
	switch v := v.(type) {
	case string:
		return append(out, v)
	case []any:
		for _, e := range v {
			out = stringsIn(e, out)
		}
	case map[string]any:
		for _, e := range v {
			out = stringsIn(e, out)
		}
	}
	return out
}

// The same call gives the same answer, also while others run: with -race this
// finds state that calls share.
func parallel(s *suite) (errs []error) {
	all := verdicts()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i, r := range s.payloads {
				a, _, _ := decode(s.a, r.hint, r.data)
				b, _, _ := decode(s.a, r.hint, r.data)
				v := all[i%len(all)]
				outA, _ := encode(s.a, a, v)
				outB, _ := encode(s.a, b, v)
				if !reflect.DeepEqual(a, b) || !bytes.Equal(outA, outB) {
					mu.Lock()
					errs = append(errs, fmt.Errorf("%s: two calls, two answers: %w", r.file, errors.Join(differs(a, b), fmt.Errorf("%q and %q", outA, outB))))
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return errs
}

// What init registers, protects and runs is complete and the same each time.
func wiring(s *suite) (errs []error) {
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if w, ok := s.a.(hook.Wirer); ok {
		seen := make(map[string]bool)
		for _, h := range w.Wiring() {
			if h.Event == "" || h.Timeout <= 0 {
				fail("handler %+v: needs an event and a timeout", h)
			}
			if key := h.Event + "\x00" + h.Matcher; seen[key] {
				fail("handler %+v: registered twice", h)
			} else {
				seen[key] = true
			}
		}
		if len(seen) == 0 || !reflect.DeepEqual(w.Wiring(), w.Wiring()) {
			fail("Wiring is empty or changes from call to call")
		}
	}
	if g, ok := s.a.(hook.Guarded); ok {
		for _, p := range []hook.Paths{
			{Home: "/home/u", Dir: "/home/u/p/sub", Root: "/home/u/p"}, {Home: "/home/u", Dir: "/home/u", Root: ""}, {Home: "/home/u", ConfigHome: "/etc/x"}, {},
		} {
			seen := make(map[string]bool)
			for _, f := range g.LiveFiles(p) {
				if f.Path == "" || seen[f.Path] || !f.Dir && !f.Entries && len(f.Switches) == 0 {
					fail("live file %+v for %+v: needs a path of its own and a reason", f, p)
				}
				seen[f.Path] = true
			}
			if p.Home != "" && len(seen) == 0 {
				fail("no live files for %+v", p)
			}
		}
	}
	if h, ok := s.a.(hook.Headless); ok {
		if argv := h.HeadlessCommand("do $it; 'now'"); len(argv) < 2 || !slices.Contains(argv, "do $it; 'now'") {
			fail("headless command %q: the prompt is not one argument of it", argv)
		}
	}
	return errs
}

// A payload that the adapter builds says what it was asked to say.
func samples(s *suite) (errs []error) {
	b, ok := s.a.(hook.Sampler)
	if !ok {
		return nil
	}
	content := "mode: warn\n"
	for _, want := range []hook.Sample{
		{SessionID: "s", Cwd: "/p", Command: "rm -rf ~; echo 'é\"'"},
		{SessionID: "s", Cwd: "/p", Path: "/p/.guardrails.yaml", Content: &content},
		{SessionID: "s", Cwd: "/p", Path: "/p/secret"},
		{SessionID: "s", Cwd: "/p", Prompt: "do\nit"},
	} {
		e, err, broken := decode(s.a, "", b.Payload(want))
		if s.o.Hint != nil {
			hint := hook.PreToolUse
			if want.Prompt != "" {
				hint = hook.UserPromptSubmit
			}
			e, err, broken = decode(s.a, string(hint), b.Payload(want))
		}
		cmd, _ := e.Tool.Command()
		var edits []hook.FileEdit
		if e.Tool != nil {
			edits = e.Tool.Edits()
		}
		if e.Tool != nil && !slices.Contains(b.ToolNames(), e.Tool.Name) {
			errs = append(errs, fmt.Errorf("sample: %q is none of the host's ToolNames", e.Tool.Name))
		}
		switch {
		case broken != nil || err != nil:
			errs = append(errs, fmt.Errorf("sample %+v: %w", want, errors.Join(broken, err)))
		case e.SessionID != want.SessionID || e.Cwd != want.Cwd:
			errs = append(errs, fmt.Errorf("sample %+v: session %q, cwd %q", want, e.SessionID, e.Cwd))
		case cmd != want.Command || e.Prompt != want.Prompt:
			errs = append(errs, fmt.Errorf("sample %+v: command %q, prompt %q", want, cmd, e.Prompt))
		case want.Content != nil && (len(edits) != 1 || edits[0].Path != want.Path || edits[0].New != content):
			errs = append(errs, fmt.Errorf("sample %+v: edits %+v", want, edits))
		case want.Path != "" && want.Content == nil && !slices.Contains(e.Tool.Paths(), want.Path):
			errs = append(errs, fmt.Errorf("sample %+v: paths %q", want, e.Tool.Paths()))
		}
	}
	return errs
}
