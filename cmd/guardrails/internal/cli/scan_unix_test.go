//go:build unix

package cli

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf16"
)

// wide is text of two bytes a character.
func wide(order binary.AppendByteOrder, text string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

func TestScanReadsOddFiles(t *testing.T) {
	const card = "4532 0151 1283 0366"
	dir := t.TempDir()
	files := map[string]string{
		"le":      wide(binary.LittleEndian, "\ufeffpaid with "+card),
		"be":      wide(binary.BigEndian, "\ufeffpaid with "+card),
		"nobom":   wide(binary.LittleEndian, "paid with "+card+"\n"),
		"latin1":  "caf\xe9 " + card,
		"crlf":    "a\r\n" + card + "\r\n",
		"a\nb":    card,
		"binary":  "\x00\x01\x02" + card,
		"utf32":   "\xff\xfe\x00\x00p\x00\x00\x00",
		"sub/one": card,
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("sub", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, "binary"), largestScan+1); err != nil { // a hole
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		said string
	}{
		{[]string{"le", "be", "nobom", "latin1", "crlf"}, exitDenied, "5 findings in 5 files"},
		{[]string{"a\nb"}, exitDenied, `"a\nb":1: pii/CREDIT_CARD`},
		{[]string{"utf32"}, exitOK, "0 findings"},
		{[]string{"link"}, exitDenied, "link/one:1: pii/CREDIT_CARD"}, // one that was named is followed
		{[]string{"pipe"}, exitError, "nobody writes to"},
		{[]string{"binary"}, exitError, "larger than 512 MiB"},
		{[]string{"."}, exitDenied, "7 findings"}, // the link below is not followed
	} {
		var out, errs bytes.Buffer
		t.Chdir(dir)
		t.Setenv("HOME", t.TempDir())
		code := Main(append([]string{"guardrails", "scan", "--use", "pii"}, c.args...), strings.NewReader(""), &out, &errs)
		if code != c.code || !strings.Contains(errs.String(), c.said) {
			t.Errorf("%q: code %d\n%s", c.args, code, errs.String())
		}
	}
}
