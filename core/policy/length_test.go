package policy

import (
	"strings"
	"testing"
)

// Some letters are longer in lower case ("Ⱥ" is two bytes, "ⱥ" three), others
// shorter ("K", the sign for Kelvin).
func TestLettersThatChangeLengthMoveNothing(t *testing.T) {
	for _, odd := range []string{strings.Repeat("Ⱥ", 40), strings.Repeat("K", 40), "\xff\xfe"} {
		if got := gitPart("/r/" + odd + "/.git/objects"); got != gitTarget {
			t.Errorf("%q: the objects of a repository are %v", odd, got)
		}
		if got := gitPart("/r/" + odd + "/.git/index.lock"); got != noDanger {
			t.Errorf("%q: a lock is %v", odd, got)
		}
		if !literalCredential(odd + " password: hunter22") {
			t.Errorf("%q: a password is none", odd)
		}
		if literalCredential(odd + " password: ${PASSWORD}") {
			t.Errorf("%q: a reference is a password", odd)
		}
	}
}
