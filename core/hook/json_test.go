package hook

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
)

func TestFirstValueTakesOneValue(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", `{"a":1}`, `{"a":1}`},
		{"spaces around", " \r\n\t{\"a\":1} \n", `{"a":1}`},
		{"byte order mark", "\xef\xbb\xbf{}", `{}`},
		{"what follows is ignored", `{"a":1}{"b":2}`, `{"a":1}`},
		{"text after", "[1]\nlog line", `[1]`},
		{"bytes that are not UTF-8 are kept", "{\"a\":\"\xff\xfe\"}", "{\"a\":\"\xff\xfe\"}"},
		{"a string", `"x" y`, `"x"`},
		{"a number", `-1.5e+3,`, `-1.5e+3`},
		{"a word", `null`, `null`},
		{"UTF-16 little endian", utf16Bytes(binary.LittleEndian, "\ufeff{\"a\":\"é😀\"}"), `{"a":"é😀"}`},
		{"UTF-16 big endian", utf16Bytes(binary.BigEndian, "\ufeff{\"a\":1}"), `{"a":1}`},
		{"UTF-16 without a mark", utf16Bytes(binary.LittleEndian, `{"a":1}`), `{"a":1}`},
		{"UTF-16 half pair", utf16Bytes(binary.LittleEndian, `{"a":"`) + "\x00\xd8" + utf16Bytes(binary.LittleEndian, `"}`), `{"a":"` + "\ufffd" + `"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := FirstValue([]byte(tt.in))
			if err != nil || string(got) != tt.want {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func utf16Bytes(order binary.ByteOrder, s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, 0, 0)
		order.PutUint16(b[len(b)-2:], u)
	}
	return string(b)
}

func TestFirstValueClosesWhatIsCut(t *testing.T) {
	tests := []struct{ in, want string }{
		{`{"tool_input":{"command":"rm -rf /`, `{"tool_input":{"command":"rm -rf /"}}`},
		{`{"a":"x\`, `{"a":"x"}`},
		{`{"a":"x\u00`, `{"a":"x"}`},
		{`{"a":"x\\`, `{"a":"x\\"}`},
		{`{"a":1,"b`, `{"a":1}`},
		{`{"a":1,"b"`, `{"a":1}`},
		{`{"a":1,"b":`, `{"a":1}`},
		{`{"a":1,`, `{"a":1}`},
		{`{"a":12`, `{}`}, // there may be more digits
		{`{"a":tru`, `{}`},
		{`{"a":[1,{"b":"c"`, `{"a":[1,{"b":"c"}]}`},
		{`{"a":[`, `{"a":[]}`},
		{`{`, `{}`},
		{`"half`, `"half"`},
	}
	for _, tt := range tests {
		got, err := FirstValue([]byte(tt.in))
		if !errors.Is(err, ErrTruncated) || string(got) != tt.want {
			t.Errorf("%s: got %s, %v; want %s", tt.in, got, err, tt.want)
		}
	}
}

func TestFirstValueRefusesWhatIsNotJSON(t *testing.T) {
	for _, in := range []string{
		`x`, `{a:1}`, `{"a" 1}`, `{"a":01}`, `{"a":1.}`, `{"a":.5}`, `{"a":tru3}`, `{"a":"\x"}`, `{"a":"\u12g4"}`, "{\"a\":\"\n\"}",
		`[1,]`, `{"a":1,}`, `{,}`, `[1 2]`, `}`, `'a'`, strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1),
	} {
		got, err := FirstValue([]byte(in))
		if err == nil || errors.Is(err, ErrTruncated) || got != nil {
			t.Errorf("%.40s: got %.40s, %v", in, got, err)
		}
	}
	for _, in := range []string{"", " \n", "\xef\xbb\xbf"} {
		if got, err := FirstValue([]byte(in)); !errors.Is(err, ErrEmpty) || got != nil {
			t.Errorf("%q: got %q, %v", in, got, err)
		}
	}
}

func TestTextReplacesWhatIsNotText(t *testing.T) {
	tests := []struct{ in, want string }{
		{`"plain"`, "plain"},
		{`"é"`, "é"},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t"},
		{`"\u0041\u00e9\ud83d\ude00"`, "Aé😀"},
		{`"\ud83d"`, "\ufffd"},
		{`"\ud83dx\ude00"`, "\ufffdx\ufffd"},
		{`"\ud83d\ud83d\ude00"`, "\ufffd😀"},
		{"\"a\xffb\xc3\"", "a\ufffdb\ufffd"},
		{`"\u0000"`, "\x00"},
	}
	for _, tt := range tests {
		if got, ok := Text([]byte(tt.in)); !ok || got != tt.want {
			t.Errorf("%s: got %q, %v; want %q", tt.in, got, ok, tt.want)
		}
	}
	for _, in := range []string{"", `"`, `1`, `null`, `{}`, `"open`} {
		if got, ok := Text([]byte(in)); ok {
			t.Errorf("%s: got %q", in, got)
		}
	}
}

func TestMemberReadsAsJavaScriptDoes(t *testing.T) {
	object := []byte(`{"a":1,"b":{"a":2,"x":"}"},"comm\u0061nd":"ls","a":[3,"]"]}`)
	for key, want := range map[string]string{"a": `[3,"]"]`, "b": `{"a":2,"x":"}"}`, "command": `"ls"`, "x": "", "": ""} {
		if got := Member(object, key); string(got) != want {
			t.Errorf("%q: got %s, want %s", key, got, want)
		}
	}
}

// Reading must take time in proportion to the payload, whatever its shape: a
// reader that does not takes minutes for these.
func TestReadingIsLinear(t *testing.T) {
	const n = 1 << 18
	var aliases strings.Builder
	for i := range n / 4 {
		fmt.Fprintf(&aliases, `"p_a%sth":"%d",`, strings.Repeat("_", i%7), i)
	}
	for name, in := range map[string]string{
		"aliases":     `{` + aliases.String() + `"content":"x"}`,
		"deep":        strings.Repeat(`{"a":[`, maxDepth/2-1) + `"` + strings.Repeat("x", n) + `"` + strings.Repeat(`]}`, maxDepth/2-1),
		"deep cut":    strings.Repeat(`{"a":[`, maxDepth/2-1) + `"` + strings.Repeat("x", n),
		"backslashes": `{"a":"` + strings.Repeat(`\\`, n) + `"}`,
		"quotes":      `{"a":"` + strings.Repeat(`\"`, n) + `"}`,
		"members":     `{` + strings.Repeat(`"a":"b",`, n) + `"c":0}`,
		"elements":    `{"a":[` + strings.Repeat(`{"b":"c"},`, n) + `0]}`,
		"surrogates":  `{"a":"` + strings.Repeat(`\ud83d`, n) + `"}`,
		"spaces":      `{"a":` + strings.Repeat(" ", 8*n) + `1}`,
		"brackets":    strings.Repeat("[", 8*n),
	} {
		t.Run(name, func(t *testing.T) {
			raw, _ := FirstValue([]byte(in))
			tool := &Tool{Name: "mcp__a__write", Kind: MCP, Input: raw}
			tool.Strings()
			tool.Paths()
			tool.Edits()
			tool.Command()
			for _, v := range Members(raw) {
				Text(v)
				for range Elements(v) {
				}
			}
		})
	}
}

// FuzzFirstValue holds the reader against encoding/json.
func FuzzFirstValue(f *testing.F) {
	for _, s := range []string{
		`{"a":1,"b":[true,null,"x\u00e9"],"c":{"d":-1.5e3}}`, `{"a":"\ud83d\ude00","a":2}`, `[`, `{"a":"x`, `"\u12`, "{\"\xff\":\"\xfe\"}",
		"\xef\xbb\xbf{}", `{"a":tru`, `{"a":1}x`, `{"k\"":"v"}`, "\xff\xfe{\x00}\x00", `[[],{},"",0]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		in := bytes.Clone(b)
		raw, err := FirstValue(b)
		if !bytes.Equal(in, b) {
			t.Fatal("the payload was changed")
		}
		if raw != nil && !json.Valid(raw) {
			t.Fatalf("returned %q, which is not JSON (%v)", raw, err)
		}
		if err == nil || errors.Is(err, ErrTruncated) {
			if json.Valid(b) && err != nil {
				t.Fatalf("refused valid JSON: %v", err)
			}
		} else if json.Valid(b) {
			t.Fatalf("refused valid JSON: %v", err)
		}
		if raw == nil {
			raw = b // Members and the rest must survive anything
		}
		tool := &Tool{Name: "x", Input: raw}
		tool.Strings()
		tool.Fields()
		var want map[string]json.RawMessage
		object := json.Unmarshal(raw, &want) == nil && want != nil
		got := make(map[string][]byte)
		for k, v := range Members(raw) {
			got[string(bytes.ToValidUTF8(k, []byte("\ufffd")))] = v
		}
		if !object {
			return
		}
		for k, v := range want {
			if utf8Key := strings.ContainsRune(k, '\ufffd'); !utf8Key && !bytes.Equal(got[k], v) {
				t.Fatalf("member %q: got %q, want %q", k, got[k], v)
			}
			var s string
			text, ok := Text(v)
			if isText := v[0] == '"' && json.Unmarshal(v, &s) == nil; isText != ok || text != s {
				t.Fatalf("text of %q: got %q, %v; want %q", v, text, ok, s)
			}
			var list []json.RawMessage
			if v[0] == '[' && json.Unmarshal(v, &list) == nil {
				i := 0
				for e := range Elements(v) {
					if i == len(list) || !bytes.Equal(e, list[i]) {
						t.Fatalf("element %d of %q: got %q", i, v, e)
					}
					i++
				}
				if i != len(list) {
					t.Fatalf("%q: %d elements, want %d", v, i, len(list))
				}
			}
		}
	})
}

func BenchmarkFirstValue(b *testing.B) {
	payload := []byte(`{"session_id":"x","tool_input":{"content":"` + strings.Repeat(`line of text\n`, 50<<20/14) + `"}}`)
	b.SetBytes(int64(len(payload)))
	for b.Loop() {
		if _, err := FirstValue(payload); err != nil {
			b.Fatal(err)
		}
	}
}
