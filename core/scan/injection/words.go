package injection

import (
	"context"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// token is one word as it is meant: small letters without accents, look-alikes,
// invisible characters and digits for letters.
type token struct {
	text       string
	start, end int
	id         uint16 // of a rule's word
	opens      bool   // starts a sentence
	spaced     bool   // letters that stood alone
	starts     bool   // starts something in one: a quotation, a cell, emphasis
}

// Classes of bytes for split.
const (
	sign   = iota
	blank  // has no meaning between words
	letter // of ASCII
	joins  // may continue a word
)

var class = func() (t [256]uint8) {
	for c := range 256 {
		switch {
		case c == ' ', c == '\t', c == '=', c == ')', c == '/', c == '-', c == '+', c == '\\', c == '&', c == '%':
			t[c] = blank
		case asciiLetter(byte(c)):
			t[c] = letter
		case c >= utf8.RuneSelf, c >= '0' && c <= '9', c == '*', c == '<', c == '\'', c == '@', c == '$':
			t[c] = joins
		}
	}
	return t
}()

// split fills s.words.
func (s *scan) split(ctx context.Context) error {
	s.words = make([]token, 0, len(s.text)/6+8)
	var buf [64]byte
	word := buf[:0]
	start, opens, starts := -1, true, false
	digits, letters := 0, 0
	tag := -1 // words before a bracket that opens a sentence
	flush := func(end int) {
		if start < 0 {
			return
		}
		if digits > 0 && letters > 1 && !numbered(word) {
			unleet(word)
		}
		if maybeMisspelt(word) {
			if right, ok := misspelt()[string(word)]; ok {
				word = append(word[:0], right...)
			}
		}
		if len(word) > 0 && (letters > 0 || digits > 0) {
			text := s.text[start:end] // as a rule it is the word
			if text != string(word) {
				text = string(word)
			}
			s.words = append(s.words, token{text: text, start: start, end: end, opens: opens, starts: starts})
			opens, starts = false, false
		}
		word, start, digits, letters = buf[:0], -1, 0, 0
	}
	next := 0
	for i := 0; i < len(s.text); {
		if i >= next {
			if err := ctx.Err(); err != nil {
				return err
			}
			next = i + 64<<10
		}
		c := s.text[i]
		if start < 0 {
			switch class[c] {
			case blank:
				i++
				continue
			case letter:
				// Most words are plain ones: letters, and then no sign that may
				// continue a word.
				j, capitals := i+1, c < 'a'
				for j < len(s.text) && class[s.text[j]] == letter {
					capitals = capitals || s.text[j] < 'a'
					j++
				}
				if j-i > 48 || j < len(s.text) && class[s.text[j]] == joins {
					break
				}
				text := s.text[i:j]
				if capitals {
					word = word[:0]
					for _, c := range []byte(text) {
						word = append(word, c|0x20)
					}
					text = string(word)
				}
				if w := word[:0]; maybeMisspelt(append(w, text...)) {
					if right, ok := misspelt()[text]; ok {
						text = right
					}
				}
				s.words = append(s.words, token{text: text, start: i, end: j, opens: opens, starts: starts})
				opens, starts = false, false
				word = buf[:0]
				i = j
				continue
			}
		}
		size := 1
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s.text[i:])
			size = n
			switch {
			case invisible(r) || unicode.Is(unicode.Mn, r):
				i += n
				continue
			case r == '’' || r == '‘':
				c = '\''
			case r == '。' || r == '！' || r == '？':
				flush(i)
				opens = true
				i += n
				continue
			default:
				c = fold(r)
				s.foreign = s.foreign || r >= 0x370
				if c == 0 && unicode.IsLetter(r) {
					if start < 0 {
						start = i
					}
					letters++
					if len(word) < 48 {
						word = utf8.AppendRune(word, unicode.ToLower(r))
					}
					i += n
					continue
				}
			}
		}
		switch {
		case c-'a' <= 25 || c-'A' <= 25:
			if start < 0 {
				start = i
			}
			letters++
			if len(word) < 48 {
				word = append(word, c|0x20)
			}
		case c-'0' <= 9 || (c == '@' || c == '$') && start >= 0 && i+1 < len(s.text) && (asciiLetter(s.text[i+1]) || digits > 0 && (s.text[i+1]-'0' <= 9 || s.text[i+1] <= ' ')):
			if start < 0 {
				start = i
			}
			digits++
			if len(word) < 48 {
				word = append(word, c)
			}
		case c == '*' && start >= 0 && i+2 < len(s.text) && s.text[i+1] == '*' && asciiLetter(s.text[i+2]): // **e**mphasis of a letter
			i++
		case c == '<' && start >= 0 && emptyTags(s.text[i:]) > 0:
			i += emptyTags(s.text[i:]) - 1
		case c == '\'' && start >= 0 && i+size < len(s.text) && asciiLetter(s.text[i+size]):
			// don't is one word
		default:
			flush(i)
			if c == '[' {
				if tag = -1; opens || i > 0 && s.text[i-1] == '\n' {
					tag = len(s.words)
				}
			}
			switch c {
			case '.', '!', '?':
				if i+1 >= len(s.text) || s.text[i+1] <= ' ' || strings.IndexByte("\"')*#]!.?`", s.text[i+1]) >= 0 || s.text[i+1] >= utf8.RuneSelf {
					opens = true
				}
			case ';', '{', '}', ':', '#', '|':
				opens = true
			case ']': // of a tag that the sentence begins with: [hidden] ignore …
				starts = starts || tag >= 0 && len(s.words)-tag <= 2 && i+1 < len(s.text) && s.text[i+1] == ' '
				tag = -1
			case '"', '*', '<', '>', '[', '`', '(', '\'', '_', ',':
				starts = starts || c != ',' && c != '_'
				starts = starts || c == '_' && (i == 0 || s.text[i-1] <= ' ')
				opens = opens || c == '[' && i > 0 && asciiLetter(s.text[i-1]) // an index, not a remark
			case '\n':
				if i+1 < len(s.text) && (s.text[i+1] == '\n' || s.text[i+1] == '-' || s.text[i+1] == '\r' || ruled(s.text[:i])) {
					opens = true
				}
			}
		}
		i += size
	}
	flush(len(s.text))
	s.joinSpaced()
	return nil
}

// ruled reports whether a line ends with a rule of signs: -----
func ruled(text string) bool {
	n := len(text)
	return n > 2 && text[n-1] == text[n-2] && text[n-1] == text[n-3] && (text[n-1] == '-' || text[n-1] == '=' || text[n-1] == '*')
}

// emptyTags returns the length of an element without content inside a word, such as
// <b></b>, 0 if there is none.
func emptyTags(text string) int {
	const most = 40
	text = text[:min(len(text), most)]
	k := strings.IndexByte(text, '>')
	if k < 2 || !asciiLetter(text[1]) && text[1] != '!' {
		return 0
	}
	if tag := text[:k+1]; tag != "<wbr>" && !strings.HasSuffix(tag, "-->") {
		rest := text[k+1:]
		end := strings.IndexByte(rest, '>')
		if !strings.HasPrefix(rest, "</") || end < 0 {
			return 0
		}
		k += end + 1
	}
	if k+1 >= len(text) || !asciiLetter(text[k+1]) {
		return 0
	}
	return k + 1
}

func asciiLetter(c byte) bool { return c|0x20-'a' <= 25 }

// numbered reports whether the digits of a word are a number at its end of two
// digits or more, as in base64.
func numbered(word []byte) bool {
	n := len(word)
	for n > 0 && word[n-1]-'0' <= 9 {
		n--
	}
	for _, c := range word[:n] {
		if c|0x20-'a' > 25 && c < utf8.RuneSelf {
			return false
		}
	}
	return len(word)-n > 1
}

// unleet writes digits between letters as the letters that they resemble.
func unleet(word []byte) {
	for i, c := range word {
		switch c {
		case '0':
			word[i] = 'o'
		case '1':
			word[i] = 'i'
		case '3':
			word[i] = 'e'
		case '4', '@':
			word[i] = 'a'
		case '5', '$':
			word[i] = 's'
		case '7':
			word[i] = 't'
		}
	}
}

// joinSpaced makes one word of letters that stand alone in a row with the same
// character between them, as in i g n o r e; another one, or a wider gap, ends it.
func (s *scan) joinSpaced() {
	out := s.words[:0]
	for i := 0; i < len(s.words); {
		j := i
		for j < len(s.words) && len(s.words[j].text) == 1 && (j == i || s.words[j].start-s.words[j-1].end <= 1) &&
			(j < i+2 || s.text[s.words[j-1].end:s.words[j].start] == s.text[s.words[i].end:s.words[i+1].start]) {
			j++
		}
		least := 4
		if n := len(out); n > 0 && out[n-1].spaced && s.words[i].start-out[n-1].end < 6 {
			least = 2
		}
		if j-i < least {
			out = append(out, s.words[i])
			i++
			continue
		}
		var b strings.Builder
		for _, w := range s.words[i:j] {
			b.WriteString(w.text)
		}
		out = append(out, token{spaced: true, text: b.String(), start: s.words[i].start, end: s.words[j-1].end, opens: s.words[i].opens, starts: s.words[i].starts})
		i = j
	}
	s.words = out
}

// invisible reports whether a character shows nothing.
func invisible(r rune) bool {
	switch {
	case r >= 0x200b && r <= 0x200f, r >= 0x2060 && r <= 0x2064, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x206f,
		r == 0xfeff, r == 0xad, r == 0x34f, r == 0x180e, r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0000 && r <= 0xe01ef:
		return true
	}
	return false
}

// fold returns the ASCII letter or digit that r looks like, 0 if none.
func fold(r rune) byte {
	switch {
	case r >= 0xff01 && r <= 0xff5e: // full width
		return byte(r - 0xff01 + '!')
	case r >= 0x1d400 && r <= 0x1d6a3: // mathematical alphabets, capitals and small ones in turn
		k := byte((r - 0x1d400) % 52)
		return 'a' + k%26
	case r >= 0x1d7ce && r <= 0x1d7ff:
		return '0' + byte((r-0x1d7ce)%10)
	case r >= 0x24b6 && r <= 0x24e9: // circled
		return 'a' + byte((r-0x24b6)%26)
	case r >= 0x1ea0 && r <= 0x1ef9: // Vietnamese
		switch {
		case r < 0x1eb8:
			return 'a'
		case r < 0x1ec8:
			return 'e'
		case r < 0x1ecc:
			return 'i'
		case r < 0x1ee4:
			return 'o'
		case r < 0x1ef2:
			return 'u'
		}
		return 'y'
	case r >= 0x1f130 && r <= 0x1f189: // squared
		return 'a' + byte((r-0x1f130)%32)%26
	}
	return lookalikes()[unicode.ToLower(r)]
}

// lookalikes are accented letters and what Cyrillic, Greek and small capitals
// share with Latin.
var lookalikes = sync.OnceValue(func() map[rune]byte {
	m := map[rune]byte{}
	for _, row := range [...]string{
		"aàáâãäåāăąаαɑᴀ", "bвβʙ", "cçćčсᴄ", "dďđԁᴅ", "eèéêëēĕėęěеεᴇ", "fꜰ", "gğɡɢ", "hһнʜ", "iìíîïīįıіιɩɪ", "jјᴊ", "kкκᴋ", "lłӏʟ",
		"mмᴍ", "nñńňɴ", "oòóôõöøōŏőơоοᴏ", "pрρᴘ", "qԛ", "rřʀ", "sšśșѕꜱ", "tțťтτᴛ", "uùúûüūůűưυᴜ", "vѵνᴠ", "wԝᴡ", "xхχ", "yýÿуγʏ", "zžźżᴢ",
	} {
		for _, r := range row[1:] {
			m[r] = row[0]
		}
	}
	return m
})

// maybeMisspelt reports whether a word is worth a look into misspelt: its first
// letter, length and last letter are those of an entry.
func maybeMisspelt(word []byte) bool {
	n := len(word)
	if n < 5 || n > 12 {
		return false
	}
	last := word[n-1]
	switch word[0] {
	case 'i':
		return n == 6 && (last == 'e' || last == 'r') || n >= 10 && (last == 's' || last == 'n' || last == 'o')
	case 'd':
		return n >= 8 && n <= 9 && (last == 'd' || last == 'r')
	case 'p':
		return n >= 6 && n <= 8 && (last == 's' || last == 'u' || last == 't' || last == 'p')
	case 'f':
		return n == 6 && (last == 't' || last == 'e')
	case 's':
		return n == 6 && (last == 'm' || last == 'e')
	case 'o':
		return n >= 7 && n <= 8 && (last == 'e' || last == 'd')
	}
	return false
}

// misspelt has the spellings that a slip or a trick makes of the words that matter
// most: two letters changed about, or one missing.
var misspelt = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, w := range [...]string{"ignore", "disregard", "previous", "instructions", "instruction", "forget", "system", "prompt", "reveal", "override"} {
		for i := 1; i < len(w); i++ {
			if w[i] != w[i-1] && i > 1 && w != "reveal" {
				m[w[:i-1]+string(w[i])+string(w[i-1])+w[i+1:]] = w
			}
			if short := w[:i] + w[i+1:]; len(w) > 6 && short != "instruction" {
				m[short] = w
			}
		}
	}
	return m
})
