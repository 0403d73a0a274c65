package hookcmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func TestReadPayloadEndsWithTheFirstValue(t *testing.T) {
	tests := []struct {
		name, in, want string
		err            error
	}{
		{"object", `{"a":1}`, `{"a":1}`, nil},
		{"object and newline", "{\"a\":1}\n", `{"a":1}`, nil},
		{"two objects", `{"a":1}{"b":2}`, `{"a":1}`, nil},
		{"braces in strings", `{"a":"}\"}{"}`, `{"a":"}\"}{"}`, nil},
		{"escaped backslash", `{"a":"\\"} trailing`, `{"a":"\\"}`, nil},
		{"array", `[{"a":[1]}]x`, `[{"a":[1]}]`, nil},
		{"bom", "\ufeff{}", "\ufeff{}", nil},
		{"scalar", "hello", "hello", nil},
		{"empty", "", "", errNoPayload},
		{"blank", " \n\t", " \n\t", errNoPayload},
		{"cut", `{"a":"b`, `{"a":"b`, errCutPayload},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
				got, err := readPayload(r, time.Minute)
				if string(got) != tt.want || !errors.Is(err, tt.err) {
					t.Errorf("got %q, %v; want %q, %v", got, err, tt.want, tt.err)
				}
			}
		})
	}
}

// A host that keeps standard input open must not keep us waiting.
func TestReadPayloadDoesNotWaitForTheEndOfInput(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	go w.Write([]byte(`{"hook_event_name":"Stop"}`))
	got, err := readPayload(r, time.Minute)
	if err != nil || string(got) != `{"hook_event_name":"Stop"}` {
		t.Fatalf("got %q, %v", got, err)
	}
}

func TestReadPayloadGivesUpAtTheDeadline(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	go w.Write([]byte(`{"hook_event_name":`))
	got, err := readPayload(r, 20*time.Millisecond)
	if !errors.Is(err, errCutPayload) {
		t.Fatalf("got %q, %v", got, err)
	}
}

func TestReadPayloadTakesFiftyMegabytes(t *testing.T) {
	big, err := json.Marshal(map[string]string{"content": strings.Repeat("x", 50<<20)})
	if err != nil {
		t.Fatal(err)
	}
	got, err := readPayload(bytes.NewReader(big), time.Minute)
	if err != nil || len(got) != len(big) {
		t.Fatalf("got %d bytes, %v; want %d", len(got), err, len(big))
	}
}

func FuzzReadPayload(f *testing.F) {
	f.Add([]byte(`{"a":"}"}`), 1)
	f.Add([]byte("\ufeff[1,[2]]x"), 3)
	f.Fuzz(func(t *testing.T, in []byte, cut int) {
		whole, err := readPayload(bytes.NewReader(in), time.Minute)
		if !bytes.HasPrefix(in, whole) {
			t.Fatalf("%q is not the start of %q", whole, in)
		}
		// Chunk borders change nothing.
		if cut > 0 && cut < len(in) {
			parts, perr := readPayload(io.MultiReader(bytes.NewReader(in[:cut]), bytes.NewReader(in[cut:])), time.Minute)
			if !bytes.Equal(whole, parts) || !errors.Is(perr, err) {
				t.Fatalf("in two chunks %q, %v; in one %q, %v", parts, perr, whole, err)
			}
		}
		// A valid object is returned whole.
		if json.Valid(in) && len(bytes.TrimSpace(in)) > 0 && bytes.TrimSpace(in)[0] == '{' && !json.Valid(whole) {
			t.Fatalf("cut a valid value: %q of %q", whole, in)
		}
	})
}
