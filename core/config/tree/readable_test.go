package tree_test

import "unicode/utf8"

// readable is what the configuration shows to a reader at all.
func readable(data []byte) bool {
	if !utf8.Valid(data) {
		return false
	}
	for _, r := range string(data) {
		if r < ' ' && r != '\t' && r != '\r' && r != '\n' || r >= 0x7f && r < 0xa0 && r != 0x85 || r == 0xfffe || r == 0xffff {
			return false
		}
	}
	return true
}
