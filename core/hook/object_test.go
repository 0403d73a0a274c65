package hook

import (
	"encoding/json"
	"testing"
)

func TestObjectsAreJSONInASCIIWhateverTheTexts(t *testing.T) {
	o := NewObject(nil)
	o.Text("a", "quote \" back\\slash \n\t\x00 é 😀 \xff")
	o.Open("b")
	o.Raw("c", AppendASCII(nil, []byte("{ \"k\" : [1.50, \"\u00e9 \\\" \"] }")))
	o.Close()
	o.Text("d", "")
	line := o.Line()
	for _, c := range line[:len(line)-1] {
		if c < ' ' || c > '~' {
			t.Fatalf("byte %#x in %s", c, line)
		}
	}
	var got struct {
		A string
		B struct{ C struct{ K []any } }
		D *string
	}
	if err := json.Unmarshal(line, &got); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	if got.A != "quote \" back\\slash \n\t\x00 é 😀 \ufffd" || got.B.C.K[0] != 1.5 || got.B.C.K[1] != "é \" " || got.D == nil {
		t.Errorf("%+v from %s", got, line)
	}
}

func FuzzObject(f *testing.F) {
	f.Add("a\"\\\n", []byte(`{"k": "é"}`))
	f.Fuzz(func(t *testing.T, text string, raw []byte) {
		o := NewObject(nil)
		o.Text("t", text)
		if json.Valid(raw) {
			o.Raw("r", AppendASCII(nil, raw))
		}
		if line := o.Line(); !json.Valid(line) {
			t.Errorf("%q and %q give %s", text, raw, line)
		}
	})
}
