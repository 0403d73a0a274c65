package injection

import "strings"

// unseen finds what a page says to a model in places that its reader does not see:
// comments, elements that are not shown, alternative texts.
func (s *scan) unseen(models bool) {
	if !models || strings.IndexByte(s.text, '<') < 0 && !strings.Contains(s.text, "[//]:") {
		return
	}
	low := asciiLower(s.text)
	for _, place := range [...]struct {
		from, to string
		shy      bool // it is hidden for no good reason
	}{
		{"<!--", "-->", false},
		{"[//]:", "\n", false},
		{"display:none", "</", true},
		{"display: none", "</", true},
		{"visibility:hidden", "</", true},
		{"font-size:0", "</", true},
		{"font-size: 0", "</", true},
		{"opacity:0\"", "</", true},
		{"color:white", "</", true},
		{"color: white", "</", true},
		{"color:#fff", "</", true},
		{"color=\"#ffffff\"", "</", true},
		{"color=\"white\"", "</", true},
		{"aria-hidden=\"true\"", "</", true},
		{" hidden>", "</", true},
		{"class=\"hidden\"", "</", true},
		{"class=\"sr-only\"", "</", true},
		{" alt=\"", "\"", false},
		{" content=\"", "\"", false},
		{"type=\"hidden\"", ">", true},
		{"<desc>", "</", false},
		{"<summary>", "</details", false},
		{"<title>", "</", false},
	} {
		for at := 0; ; {
			k := strings.Index(low[at:], place.from)
			if k < 0 {
				break
			}
			start := at + k
			at = start + len(place.from)
			from := at
			rest := low[at:min(len(low), at+1200)]
			if end := strings.Index(rest, place.to); end >= 0 {
				rest = rest[:end]
				at += end
			} else {
				at += len(rest) / 2 // so that windows hardly overlap
			}
			if place.shy && strings.HasPrefix(place.from, "color") && coloured(low[max(0, start-80):start], rest) {
				continue
			}
			if i, n := ordered(rest, place.shy); i >= 0 && !s.quotedBytes(start) {
				s.add(HiddenOrder, false, from+i, from+n)
			}
		}
	}
}

// coloured reports whether a style in white has a background to be read on.
func coloured(before, after string) bool {
	before = before[strings.LastIndexByte(before, '<')+1:]
	after, _, _ = strings.Cut(after, ">")
	style := before + " " + after
	_, colour, ok := strings.Cut(style, "background")
	if !ok {
		return false
	}
	colour = colour[:min(len(colour), 20)]
	return !strings.Contains(colour, "white") && !strings.Contains(colour, "#fff")
}

// speaksOfOrders reports whether a text names what a model was told or asked.
func speaksOfOrders(text string) bool {
	for _, w := range [...]string{"instruct", "prompt", "previous", "prior", "above", "rule", "guideline", "user", "order", "other candidates", "everything", "you were", "your", "system"} {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// ordered returns where a text that nobody sees speaks to a model and gives it an
// order, -1 if it does not.
func ordered(text string, shy bool) (start, end int) {
	start = -1
	for _, w := range [...]string{"assistant", "llm", "language model", "ai model", "ai agent", "ai:", "ai,", "ai reader", "the ai", "an ai", "chatbot", "chatgpt", "copilot", "claude", "gemini", "coding agent", "system override", "system:", "ai system", "ai reviewer"} {
		if k := strings.Index(text, w); k >= 0 && (k == 0 || !asciiLetter(text[k-1])) && (start < 0 || k < start) {
			start = k
		}
	}
	if start < 0 && !shy {
		return -1, 0
	}
	from := max(start, 0)
	for _, w := range [...]string{"ignore ", "disregard ", "tell the user", "tell the reader", "tell users", "reply ", "respond ", "answer ", "say that", "say the", "recommend", "do not review", "do not report", "do not mention", "don't mention", "do not tell", "don't tell", "do not disclose", "approve", "must include", "output the", "output your", "print the", "forget ", "hire ", "send ", "rate this", "give this", "must run", "must ignore", "instead ", "new instructions", "reveal", "without asking", "mark this", "skip the", "add a user", "insert "} {
		if k := strings.Index(text[from:], w); k >= 0 && (k+from == 0 || !asciiLetter(text[k+from-1])) {
			if rest := text[from+k+len(w):]; start < 0 && (w == "ignore " || w == "disregard ") && !speaksOfOrders(rest[:min(len(rest), 60)]) {
				continue
			}
			if start < 0 && w != "ignore " && w != "disregard " && w != "reveal" && w != "forget " && w != "tell the user" && w != "new instructions" {
				continue
			}
			return from, from + k + len(w)
		}
	}
	return -1, 0
}

// leaks finds addresses that are to carry what was said away: a place for it in
// their query, and words that say what goes there.
func (s *scan) leaks() {
	low := ""
	for at := 0; ; {
		k := strings.Index(s.text[at:], "http")
		if k < 0 {
			return
		}
		start := at + k
		at = start + 4
		if rest := s.text[at:]; !strings.HasPrefix(rest, "://") && !strings.HasPrefix(rest, "s://") {
			continue
		}
		end := start
		depth := byte(0)
		for end < len(s.text) && end-start < 300 {
			switch c := s.text[end]; {
			case c == '[' || c == '{' || c == '<':
				if depth == 0 {
					depth = c + 2 // ] } >
				}
			case c == depth && depth != 0:
				depth = 0
			case c <= ' ' && depth == 0, c == '\n', c == '"', c == '`', c == ')' && depth == 0:
				goto done
			}
			end++
		}
	done:
		url := s.text[start:end]
		at = max(at, end)
		q := strings.IndexByte(url, '=')
		if q < 0 && !strings.Contains(url, "/{") && !strings.Contains(url, "/[") {
			continue
		}
		if low == "" {
			low = asciiLower(s.text)
		}
		open := strings.HasSuffix(strings.TrimRight(url, ".,)"), "=")
		hole := open || strings.Contains(url, "=[") || strings.Contains(url, "={") || strings.Contains(url, "=<") || strings.Contains(url, "/{") || strings.Contains(url, "/[") || q >= 0 && shouted(url[q+1:])
		if !hole {
			continue
		}
		around := low[max(0, start-200):min(len(low), end+120)]
		if said(around) && ordersLoad(around) && !s.quotedBytes(start) {
			s.add(HiddenOrder, false, start, end)
		}
	}
}

// shouted reports whether a value is a word in capitals, as one that stands for
// another has.
func shouted(value string) bool {
	n := 0
	for n < len(value) && (value[n]-'A' <= 25 || value[n] == '_') {
		n++
	}
	return n >= 4 && strings.Trim(value[n:], ".,)") == ""
}

// said reports whether a text names what only a conversation has.
func said(text string) bool {
	for _, w := range [...]string{"conversation", "chat history", "this chat", "last message", "system prompt", "the user's", "user's name", "user's token", "<summary>", "our chat", "what the user", "previous messages", "the api keys you", "followed by the password", "the password you", "session token", "all the text", "user's email", "followed by the"} {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// ordersLoad reports whether a text has a picture or an address loaded or shown.
func ordersLoad(text string) bool {
	for _, w := range [...]string{"![", "image", "picture", "render", "load ", "fetch", "append", "include", "embed", "clickable", "link", "open ", "visit", "send"} {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
