package session

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

var golden = flag.Bool("update", false, "rewrite golden files")

var opts = cmp.Options{cmpopts.EquateEmpty(), cmpopts.IgnoreFields(state{}, "size"), cmp.AllowUnexported(state{}, scope{}, turn{}, set{}, fact{}, owed{}, entry[set]{}, entry[int64]{}, entry[fact]{}, entry[owed]{}, entry[*scope]{}, Answer{})}

// noon is when tests happen.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func micro(d time.Duration) int64 { return noon.Add(d).UnixMicro() }

// begun is a transaction on a new session, after has passed since noon.
func begun(after time.Duration) *Tx {
	return &Tx{s: &state{host: "claude", id: "s1"}, now: micro(after)}
}

// full is a state that uses every part of the file.
func full() *state {
	tx := begun(0)
	tx.NewTurn()
	tx.Once("PreToolUse/toolu_1")
	tx.Apply(
		Add(Touched, "b.go"), Add(Touched, "a \"quoted\" \\ name\n\x01"), Add("stages", "read"),
		Count("edits", 2), Count("debt", -3),
		Note("tests", "passed", noon.Add(-time.Second)),
		Open("e2e", "tests are green", noon.Add(-time.Minute)),
		Open("watch", "https://example.com/pull/1", noon.Add(-time.Minute)), release("watch", noon),
		Skip("walkthrough", "no UI"), Meet("replies", noon),
		Add(Touched, "sub.go").For("agent-1"), Open("quality", "", noon).For("agent-1"),
	)
	tx.s.scope.sets.put("long", set{members: []string{"x"}, full: true})
	out := tx.Insist("", []Want{{ID: "e2e", Budget: 3}})
	tx.Answered("digest", Answer{Decision: "block", Rule: "handoff/e2e", Outcomes: out})
	tx.Defer("agent-1")
	tx.Put(Mail{Kind: Notice, Text: "für den Menschen"})
	tx.Put(Mail{Kind: Context, Agent: "agent-1", Text: "for the model"})
	tx.seal()
	tx.s.lost = micro(-time.Hour)
	tx.s.agentsFull = true
	return tx.s
}

// TestTheFileKeepsItsShape pins the format: a change of it needs a new version
// and a way to read the old one.
func TestTheFileKeepsItsShape(t *testing.T) {
	data := full().encode()
	path := filepath.Join("testdata", "state-v1.json")
	if *golden {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(data)); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	got, err := decode(string(want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(full(), got, opts); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
}

func TestADamagedFileIsNeverAnEmptySession(t *testing.T) {
	good := string(full().encode())
	bad := map[string]string{
		"empty":                "",
		"zeros":                strings.Repeat("\x00", 100),
		"not JSON":             "hello",
		"no version":           `{"host":"claude"}`,
		"no object":            `[]`,
		"nothing in it":        `{}`,
		"version later":        `{"host":"claude","v":1}`,
		"version twice":        `{"v":1,"v":1}`,
		"version 0":            `{"v":0}`,
		"version as text":      `{"v":"1"}`,
		"unknown key":          `{"v":1,"extra":1}`,
		"wrong type":           `{"v":1,"sets":[]}`,
		"negative":             `{"v":1,"owed":{"x":{"blocks":-1}}}`,
		"fraction":             `{"v":1,"made":1.5}`,
		"exponent":             `{"v":1,"made":1e5}`,
		"leading zero":         `{"v":1,"made":01}`,
		"too big":              `{"v":1,"made":99999999999999999999}`,
		"name twice":           `{"v":1,"counters":{"a":1,"a":2}}`,
		"something after":      good + "{}",
		"not UTF-8":            "{\"v\":1,\"id\":\"\xff\"}",
		"control character":    "{\"v\":1,\"id\":\"\n\"}",
		"bad escape":           `{"v":1,"id":"\x"}`,
		"short fact":           `{"v":1,"facts":{"a":["x"]}}`,
		"missing comma":        `{"v":1 "id":"x"}`,
		"trailing comma":       `{"v":1,}`,
		"too many mails":       `{"v":1,"mail":[` + strings.Repeat(`{},`, maxMail) + `{}]}`,
		"too many seen":        `{"v":1,"seen":[` + strings.Repeat(`"",`, maxSeen) + `""]}`,
		"a string without end": `{"v":1,"id":"abc`,
		"an escape at the end": `{"v":1,"id":"abc\`,
	}
	for i := range len(good) - 1 { // the newline may be missing
		bad["cut at "+good[:i]] = good[:i]
	}
	for name, data := range bad {
		if s, err := decode(data); !errors.Is(err, ErrCorrupt) || errors.Is(err, ErrVersion) || s != nil {
			t.Errorf("%.60s: state %v, error %v, want ErrCorrupt", name, s, err)
		}
	}
	if _, err := decode(`{"v":1}`); err != nil {
		t.Errorf("the smallest good file: %v", err)
	}
	if _, err := decode(" {\t\"v\" : 1 ,\r\n\"counters\": { \"a\" : 1 } }\n\n"); err != nil {
		t.Errorf("white space: %v", err)
	}
}

func TestAFileOfTheFutureIsToldFromDamage(t *testing.T) {
	for _, data := range []string{`{"v":2}`, `{"v":17,"sets":"differently"`} {
		if _, err := decode(data); !errors.Is(err, ErrVersion) || errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v, want ErrVersion", data, err)
		}
	}
}

func FuzzDecodeNeverPanicsAndKeepsWhatItReads(f *testing.F) {
	f.Add(string(full().encode()))
	f.Add(`{"v":1,"sets":{"b":["z","a","a"],"a":[]},"full":["c"]}`)
	f.Add(`{"v":1,"agents":{"x":{"turn":{"n":1}},"a":{}},"answers":[{"outcomes":[{"id":"\u00e9"}]}]}`)
	f.Add(`{"v":2}`)
	f.Fuzz(func(t *testing.T, data string) {
		s, err := decode(data)
		if err != nil {
			if s != nil || (!errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion)) {
				t.Fatalf("state %v, error %v", s, err)
			}
			return
		}
		if !json.Valid([]byte(data)) {
			t.Fatalf("read what is not JSON: %q", data)
		}
		again, err := decode(string(s.encode()))
		if err != nil {
			t.Fatalf("%v: %s", err, s.encode())
		}
		if diff := cmp.Diff(string(s.encode()), string(again.encode())); diff != "" {
			t.Fatalf("state (-want +got):\n%s", diff)
		}
	})
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		data := s.encode()
		if !json.Valid(data) {
			t.Fatalf("not JSON: %s", data)
		}
		got, err := decode(string(data))
		if err != nil {
			t.Fatalf("%v: %s", err, data)
		}
		if diff := cmp.Diff(s, got, opts); diff != "" {
			t.Fatalf("state (-want +got):\n%s", diff)
		}
	})
}

// drawState makes a session by drawn operations.
func drawState(t *rapid.T) *state {
	tx := begun(0)
	text := rapid.StringN(0, 12, 40)
	for range rapid.IntRange(0, 30).Draw(t, "steps") {
		tx.now += rapid.Int64Range(0, 5).Draw(t, "later")
		switch rapid.IntRange(0, 7).Draw(t, "do") {
		case 0:
			tx.NewTurn()
		case 1:
			tx.Put(Mail{Kind: MailKind(rapid.IntRange(1, 2).Draw(t, "kind")), Agent: text.Draw(t, "agent"), Text: text.Draw(t, "text")})
		case 2:
			tx.Once(text.Draw(t, "call"))
		case 3:
			out := tx.Insist(text.Draw(t, "agent"), []Want{{ID: text.Draw(t, "id") + "x", Opens: true, Finding: text.Draw(t, "finding")}})
			tx.Answered(text.Draw(t, "digest"), Answer{Decision: "block", Outcomes: out})
		case 4:
			tx.Defer(text.Draw(t, "agent"))
		default:
			tx.Apply(drawChange(t, rapid.SampledFrom([]string{"a", "b", "é\"", "\\n", "c"})))
		}
	}
	tx.seal()
	return tx.s
}

func drawChange(t *rapid.T, name *rapid.Generator[string]) Change {
	return Change{
		Op:    Op(rapid.IntRange(int(Nothing), int(ClearSet)).Draw(t, "op")),
		Agent: rapid.SampledFrom([]string{"", "", "x", "y"}).Draw(t, "agent"),
		Name:  name.Draw(t, "name"),
		Key:   rapid.StringN(0, 4, 12).Draw(t, "key"),
		Value: rapid.StringN(0, 4, 12).Draw(t, "value"),
		N:     rapid.Int64Range(-3, 3).Draw(t, "n"),
		At:    noon.Add(time.Duration(rapid.IntRange(-20, 0).Draw(t, "at")) * time.Microsecond),
	}
}
