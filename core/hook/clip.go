package hook

import (
	"strings"
	"unicode/utf8"
)

const clipMark = " …[cut]"

// Clip shortens text to at most limit characters, at a line's end if one is
// near, and marks the cut. The first line survives unless it alone is too long.
// Characters are counted as UTF-16 code units, as hosts written in JavaScript
// count them; a byte that is not UTF-8 counts as one.
func Clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	room := max(limit-7, 0) // the mark is 7 characters long
	keep, n := -1, 0        // bytes that fit beside the mark; characters seen
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		units := 1
		if r > 0xffff {
			units = 2
		}
		if keep < 0 && n+units > room {
			keep = i
		}
		if n += units; n > limit {
			head := text[:keep]
			if nl := strings.LastIndexByte(head, '\n'); nl > 0 && nl >= len(head)/2 {
				head = head[:nl]
			}
			if limit < 7 {
				return head
			}
			return head + clipMark
		}
		i += size
	}
	return text
}
