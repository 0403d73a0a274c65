package injection

import (
	"context"
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// phrases finds what has no words between blanks: orders in languages without
// them, and words run together by spacing.
func (s *scan) phrases() {
	for _, p := range [...]string{
		"忽略之前的", "忽略以上", "忽略上述", "忽略所有先前", "忽略前面的", "忽略先前的", "無視之前的", "请忽略之前", "忘记之前的", "无视之前的",
		"以前の指示を無視", "これまでの指示を無視", "上記の指示を無視", "前の指示を無視", "이전 지시를 무시", "이전의 모든 지시", "이전 지침을 무시",
		"игнорируй предыдущие инструкции", "игнорируйте предыдущие инструкции", "игнорируй все предыдущие", "забудь все предыдущие инструкции",
	} {
		if k := strings.Index(s.text, p); k >= 0 {
			s.add(IgnorePrevious, false, k, k+len(p))
		}
	}
	for _, w := range s.words {
		if len(w.text) < 14 || w.end-w.start < len(w.text)+4 {
			continue
		}
		for _, p := range [...]string{"ignoreprevious", "ignoreallprevious", "ignoretheprevious", "ignoretheabove", "ignoreyour", "disregardprevious", "disregardall", "forgetprevious", "forgetall", "revealyour", "systemprompt"} {
			if strings.Contains(w.text, p) {
				s.add(IgnorePrevious, false, w.start, w.end)
			}
		}
	}
}

// hidden finds characters that carry text which nobody sees, and those that show
// it in another order than a machine reads it.
func (s *scan) hidden() {
	for i := 0; i < len(s.text); {
		c := s.text[i]
		if c < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s.text[i:])
		switch {
		case r >= 0xe0000 && r <= 0xe007f:
			j, count := i, 0
			for j < len(s.text) {
				r, n := utf8.DecodeRuneInString(s.text[j:])
				if r < 0xe0000 || r > 0xe007f {
					break
				}
				j += n
				count++
			}
			// The flags of England, Scotland and Wales are spelt with such letters.
			if !strings.HasSuffix(s.text[:i], "\U0001f3f4") || count > 8 {
				s.add(HiddenText, false, i, j)
			}
			i = j
			continue
		case r == 0x202d || r == 0x202e:
			s.add(HiddenText, false, i, i+n)
		case invisible(r) && r != 0xfe0f && r != 0xad:
			j, count := i, 0
			for j < len(s.text) {
				r, n := utf8.DecodeRuneInString(s.text[j:])
				if !invisible(r) {
					break
				}
				j += n
				count++
			}
			if count >= 8 {
				s.add(HiddenText, false, i, j)
			}
			i = j
			continue
		}
		i += n
	}
}

// roles finds forged turns and tags: the mark of a role, and after it words that
// a system would say to a model.
func (s *scan) roles() {
	low := strings.ToLower(s.text)
	if len(low) != len(s.text) {
		low = asciiLower(s.text)
	}
	for _, mark := range [...]string{
		"<system>", "</system>", "<admin>", "<instructions>", "</instructions>", "<|im_start|>system", "<|system|>", "<<sys>>", "[system]", "[system ", "[system:", "{system:", "[inst]",
		"\nsystem:", "### system:", "\n### instruction:", "system note:", "system message:", "[assistant](#", "<|im_end|>", "</user>", "\nassistant: you",
	} {
		for from := 0; ; {
			k := strings.Index(low[from:], mark)
			if k < 0 && from == 0 && mark[0] == '\n' && strings.HasPrefix(low, mark[1:]) {
				k = 0
			} else if k < 0 {
				break
			}
			at := from + k
			from = at + len(mark)
			rest := low[min(len(low), from-1):min(len(low), from+240)]
			for _, w := range [...]string{
				"ignore all", "ignore any", "ignore the", "ignore prev", "ignore your", "disregard", "override your", "override all", "override prev", "new instruction", "obey", "you must now", "you are now", "no longer", "unrestricted", "exception to", "you must obey", "approved by", "developer mode",
				"must comply", "authorized user", "without restriction", "usual ethical", "admin access", "has been upgraded", "do not tell", "safety filter", "guidelines are",
			} {
				if i := strings.Index(rest, w); i >= 0 && !s.quotedBytes(at) {
					s.add(RoleSpoofing, false, at, min(len(s.text), from-1+i+len(w)))
					break
				}
			}
			if from >= len(low) {
				break
			}
		}
	}
}

// quotedBytes is quoted for a place rather than words.
func (s *scan) quotedBytes(at int) bool {
	for i, w := range s.words {
		if w.start >= at {
			return s.quoted(i, i+1)
		}
	}
	return false
}

func asciiLower(text string) string {
	b := []byte(text)
	for i, c := range b {
		if c-'A' <= 25 {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

// Limits of what is unpacked.
const (
	shortestBlob = 40
	longestBlob  = 16 << 10
	mostBlobs    = 32
)

// encoded looks into base64: orders in there are no accident.
func (s *scan) encoded(ctx context.Context) error {
	blobs := 0
	for i := 0; i < len(s.text) && blobs < mostBlobs; i++ {
		if !base64Byte(s.text[i]) {
			continue
		}
		j := i
		for j < len(s.text) && base64Byte(s.text[j]) {
			j++
		}
		if n := j - i; n >= shortestBlob && n <= longestBlob {
			blobs++
			if text, ok := unpack(s.text[i:j]); ok {
				inner := &scan{text: text, inner: true}
				if err := inner.run(ctx); err != nil {
					return err
				}
				if len(inner.found) > 0 {
					s.add(Encoded, true, i, j)
				}
			}
		}
		i = j
	}
	return nil
}

func base64Byte(c byte) bool {
	return c-'0' <= 9 || c|0x20-'a' <= 25 || c == '+' || c == '/' || c == '-' || c == '_'
}

// unpack decodes base64 of either alphabet, if text comes out.
func unpack(blob string) (string, bool) {
	enc := base64.RawStdEncoding
	if strings.ContainsAny(blob, "-_") {
		enc = base64.RawURLEncoding
	}
	b, err := enc.DecodeString(blob)
	if err != nil || !utf8.Valid(b) {
		return "", false
	}
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			return "", false
		}
	}
	return string(b), true
}
