// Package claims finds the sentence in which an agent says that it cannot test
// something for a blocker that it has the means for.
//
// It imports the standard library only.
package claims

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
)

// maxMessage is how much of a message's end is read.
const maxMessage = 64 << 10

// Find returns the first sentence of a message that claims that an email- or
// login-gated flow cannot be tested, reached or verified, "" if none does. A
// sentence that names SMS or phone codes or an authenticator's codes is not one,
// nor one that quotes the words, supposes them, or speaks of users.
func Find(message string) string {
	if len(message) > maxMessage {
		message = message[len(message)-maxMessage:]
	}
	for _, s := range sentences(message) {
		if isClaim(s) {
			return strings.TrimSpace(s)
		}
	}
	return ""
}

// sentences cuts a message outside code and quoted blocks: at . ! ? before a
// blank or the end, at line ends that end a paragraph, item or heading.
func sentences(message string) []string {
	var out []string
	var cur strings.Builder
	flush := func() {
		if s := cur.String(); strings.TrimSpace(s) != "" {
			out = append(out, s)
		}
		cur.Reset()
	}
	fenced := false
	for line := range strings.Lines(message) {
		trim := strings.TrimSpace(line)
		if strings.HasPrefix(trim, "```") || strings.HasPrefix(trim, "~~~") {
			fenced = !fenced
			flush()
			continue
		}
		if fenced || strings.HasPrefix(trim, ">") {
			continue
		}
		if trim == "" || startsItem(trim) {
			flush()
		}
		for i, r := range trim {
			cur.WriteRune(r)
			if r != '.' && r != '!' && r != '?' {
				continue
			}
			rest := trim[i+1:]
			if rest == "" || (rest[0] == ' ' || rest[0] == '\t') && !abbreviation(trim[:i+1]) {
				flush()
			}
		}
		cur.WriteByte(' ')
	}
	flush()
	return out
}

func startsItem(line string) bool {
	switch line[0] {
	case '-', '*', '#', '|', '+':
		return true
	}
	i := strings.IndexFunc(line, func(r rune) bool { return r < '0' || r > '9' })
	return i > 0 && (line[i] == '.' || line[i] == ')')
}

func abbreviation(s string) bool {
	for _, a := range [...]string{"e.g.", "i.e.", "etc.", "vs.", "approx.", "incl."} {
		if len(s) >= len(a) && strings.EqualFold(s[len(s)-len(a):], a) {
			return true
		}
	}
	return false
}

func isClaim(sentence string) bool {
	words := wordsOf(strings.ToLower(sentence))
	if !blocked(words) || slices.ContainsFunc(words, isRealLimit) || phrase(words, "text", "message") || phrase(words, "one", "time", "app") {
		return false
	}
	if supposed(words) {
		return false
	}
	return impossible(wordsOf(strings.ToLower(unquoted(sentence))))
}

// wordsOf returns words without apostrophes; ";" and ":" stand for themselves.
func wordsOf(s string) []string {
	s = strings.NewReplacer("’", "'", "e-mail", "email", "log-in", "login", "sign-in", "signin", "sign-up", "signup", "—", " ; ", "–", " ; ").Replace(s)
	var out []string
	start := -1
	end := func(i int) {
		if start >= 0 {
			out = append(out, strings.ReplaceAll(s[start:i], "'", ""))
			start = -1
		}
	}
	for i, r := range s {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'' && start >= 0:
			if start < 0 {
				start = i
			}
		default:
			end(i)
			if r == ';' || r == ':' {
				out = append(out, ";")
			}
		}
	}
	end(len(s))
	return out
}

// unquoted drops what stands in quotes or code.
func unquoted(s string) string {
	for _, q := range [...][2]string{{"`", "`"}, {"\"", "\""}, {"“", "”"}, {"«", "»"}, {" '", "' "}, {" ‘", "’ "}} {
		for {
			before, after, ok := strings.Cut(s, q[0])
			if !ok {
				break
			}
			_, rest, ok := strings.Cut(after, q[1])
			if !ok {
				break
			}
			s = before + " … " + rest
		}
	}
	return s
}

// phrase reports whether parts follow each other.
func phrase(words []string, parts ...string) bool {
	for i := 0; i+len(parts) <= len(words); i++ {
		if at(words[i:], parts) {
			return true
		}
	}
	return false
}

func at(words, parts []string) bool {
	if len(words) < len(parts) {
		return false
	}
	for i, p := range parts {
		if words[i] != p {
			return false
		}
	}
	return true
}

// blocked reports whether words name what stands between the agent and the
// flow. A log is no login, and npm's login none of the product.
func blocked(words []string) bool {
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch w {
		case "email", "emails", "inbox", "inboxes", "mailbox", "signin", "signup", "signups", "auth", "authentication", "authenticated", "authenticate", "authenticating", "authed",
			"unauthenticated", "credential", "credentials", "password", "passwords", "captcha", "captchas", "recaptcha", "hcaptcha", "turnstile", "otp", "sso", "oauth", "paywall", "loginwall",
			"onboarding", "registration":
			return true
		case "login", "logins", "loggedin":
			if !slices.ContainsFunc(words, isTool) {
				return true
			}
		case "log", "logged", "logging":
			if next == "in" || next == "into" || next == "on" {
				return true
			}
		case "sign", "signed", "signing":
			if next == "in" || next == "up" || next == "on" {
				return true
			}
		case "magic":
			if next == "link" || next == "links" {
				return true
			}
		case "account", "accounts":
			if i > 0 && (words[i-1] == "an" || words[i-1] == "test" || words[i-1] == "user" || words[i-1] == "real" || words[i-1] == "valid") {
				return true
			}
		case "verification", "confirmation", "activation", "invitation", "invite":
			switch next {
			case "code", "codes", "link", "links", "mail", "mails", "message":
				return true
			}
		case "one":
			if next == "time" && i+2 < len(words) && (words[i+2] == "code" || words[i+2] == "codes" || words[i+2] == "password") {
				return true
			}
		}
	}
	return false
}

// isTool reports whether a word is a command-line tool with a login of its own.
func isTool(w string) bool {
	switch w {
	case "npm", "docker", "gcloud", "aws", "az", "gh", "glab", "heroku", "vercel", "registry", "cargo", "helm", "kubectl", "pypi", "ssh":
		return true
	}
	return false
}

// isRealLimit reports whether a word names something that nobody can clear from
// here.
func isRealLimit(w string) bool {
	switch w {
	case "sms", "phone", "totp", "authenticator", "text2fa", "texted", "smsotp":
		return true
	}
	return false
}

// supposed reports whether a sentence supposes, recalls or hands on the words.
func supposed(words []string) bool {
	if len(words) == 0 {
		return true
	}
	switch words[0] {
	case "if", "when", "whenever", "unless", "suppose", "assuming", "should", "previously", "earlier", "why", "how", "does", "can", "could", "is", "are", "do", "would":
		return true
	}
	for i, w := range words {
		switch w {
		case "previously", "formerly", "wrongly":
			return true
		case "untrue", "false", "incorrect", "disagree", "doubt", "wrong":
			if i+1 < len(words) && words[i+1] == "that" {
				return true
			}
		case "true", "case":
			if i+1 < len(words) && words[i+1] == "that" && i > 0 && denied(words[max(0, i-2):i]) {
				return true
			}
		case "longer":
			if i > 0 && words[i-1] == "no" {
				return true
			}
		case "now":
			if i+1 < len(words) {
				switch words[i+1] {
				case "works", "passes", "pass", "work", "verified", "tested", "reachable", "testable", "can":
					return true
				}
			}
		}
	}
	return false
}

// denied reports whether words take back what follows: not true that, isn't the
// case that, hardly true that.
func denied(words []string) bool {
	for _, w := range words {
		switch w {
		case "not", "isnt", "wasnt", "arent", "hardly", "never", "longer":
			return true
		}
	}
	return false
}

// impossible reports whether words say that testing, reaching or verifying is
// not possible.
func impossible(words []string) bool {
	for i := range words {
		switch w := words[i]; w {
		case "untestable", "unverifiable", "unreachable", "untested", "unverified":
			// Left untested is a claim only with a reason that says why.
			if w != "untested" && w != "unverified" || slices.ContainsFunc(words, isReason) {
				return true
			}
			continue
		}
		n, ok := negation(words[i:])
		if !ok || aboutUsers(words[:i]) {
			continue
		}
		neg, before := words[i:i+n], words[:i]
		if v := tests(words[i+n:]); v != "" && speaksOfTesting(v, words, before) {
			return true
		}
		// "Testing the login is not possible": the verb stands in front.
		if passive(neg) {
			if v := firstTest(before); v != "" && speaksOfTesting(v, words, before) {
				return true
			}
		}
		if lacks(neg) {
			if v := firstTest(words); v != "" && speaksOfTesting(v, words, before) {
				return true
			}
		}
	}
	return byHand(words)
}

func isReason(w string) bool {
	switch w {
	case "because", "since", "requires", "require", "required", "needs", "need", "needed", "without", "behind", "gated", "blocked":
		return true
	}
	return false
}

// negation reports how many words say "cannot" at the beginning of words.
func negation(words []string) (n int, ok bool) {
	for _, p := range [...][]string{
		{"cannot"},
		{"cant"},
		{"can", "not"},
		{"couldnt"},
		{"could", "not"},
		{"unable", "to"},
		{"not", "able", "to"},
		{"wasnt", "able", "to"},
		{"werent", "able", "to"},
		{"isnt", "able", "to"},
		{"arent", "able", "to"},
		{"wont", "be", "able", "to"},
		{"impossible"},
		{"not", "possible"},
		{"isnt", "possible"},
		{"wasnt", "possible"},
		{"not", "feasible"},
		{"isnt", "feasible"},
		{"infeasible"},
		{"no", "way", "to"},
		{"no", "way", "of"},
		{"no", "means", "to"},
		{"no", "means", "of"},
		{"not", "testable"},
		{"isnt", "testable"},
		{"not", "verifiable"},
		{"isnt", "verifiable"},
		{"not", "reachable"},
		{"isnt", "reachable"},
		{"blocked", "by"},
		{"blocked", "on"},
		{"blocked", "at"},
		{"dont", "have", "access"},
		{"do", "not", "have", "access"},
		{"have", "no", "access"},
		{"no", "access", "to"},
		{"not", "have", "access"},
		{"lack", "access"},
		{"beyond", "reach"},
		{"out", "of", "reach"},
		{"dont", "have", "a", "way"},
		{"do", "not", "have", "a", "way"},
		{"had", "no", "way"},
		{"never", "able", "to"},
		{"not", "something", "i", "can"},
	} {
		if at(words, p) {
			return len(p), true
		}
	}
	return 0, false
}

// passive reports whether a negation is one that what it denies stands before.
func passive(neg []string) bool {
	switch last := neg[len(neg)-1]; last {
	case "impossible", "possible", "feasible", "infeasible", "testable", "verifiable", "reachable", "reach", "by", "on", "at":
		return true
	}
	return false
}

// lacks reports whether a negation speaks of what the agent has not.
func lacks(neg []string) bool {
	for _, w := range neg {
		switch w {
		case "access", "way", "means", "blocked", "testable", "verifiable":
			return true
		}
	}
	return false
}

// tests returns the verb of testing that follows closely, "" if none does.
func tests(words []string) string {
	for i, w := range words {
		if i == 9 || w == ";" {
			return ""
		}
		if verbOf(w) != noVerb {
			return w
		}
	}
	return ""
}

func firstTest(words []string) string {
	if i := slices.IndexFunc(words, isTest); i >= 0 {
		return words[i]
	}
	return ""
}

func isTest(w string) bool { return verbOf(w) != noVerb }

// verb says how surely a verb speaks of testing.
type verb int

const (
	noVerb  verb = iota
	common       // also of what a product does: a password is checked, a page accessed
	telling      // verify, reach
	certain      // test, exercise, automate
)

func verbOf(w string) verb {
	switch w {
	case "test", "tests", "tested", "testing", "testable", "exercise", "exercised", "exercising", "automate", "automated", "automating", "e2e", "reproduce", "reproduced", "drive", "driven", "walk", "acceptance":
		return certain
	case "verify", "verified", "verifying", "verifiable", "reach", "reached", "reaching", "reachable":
		return telling
	case "validate", "validated", "validating", "check", "checked", "checking", "confirm", "confirmed", "confirming", "cover", "covered", "complete", "completed", "completing", "proceed", "past",
		"run", "access", "accessed", "see", "evaluate", "evaluated":
		return common
	}
	return noVerb
}

// speaksOfTesting reports whether a verb speaks of what the agent tests and not
// of what a product or its users do. before are the words before the negation.
func speaksOfTesting(v string, words, before []string) bool {
	kind := verbOf(v)
	if kind == certain {
		return true
	}
	for i, w := range slices.Backward(before) {
		if w == ";" {
			before = before[i+1:]
			break
		}
	}
	if slices.Contains(before, "you") {
		return false
	}
	switch {
	case slices.ContainsFunc(before, isAgent), len(before) < 2 && !blocked(before):
		return true // "I could not verify", "Unable to check"
	case slices.ContainsFunc(words, isFlow):
		return true
	case slices.ContainsFunc(before, subordinates):
		return false // "addresses that cannot be verified are rejected"
	}
	return kind == telling && (blocked(before[max(0, len(before)-2):]) || slices.ContainsFunc(before, isPlace) || slices.ContainsFunc(words, isReason))
}

func isPlace(w string) bool {
	switch w {
	case "page", "pages", "screen", "screens", "dashboard", "area", "state", "step", "form", "view", "link", "ui":
		return true
	}
	return false
}

func isAgent(w string) bool {
	switch w {
	case "i", "we", "ive", "weve", "im":
		return true
	}
	return false
}

// isFlow reports whether a word is of what is tested, or of where.
func isFlow(w string) bool {
	switch w {
	case "flow", "flows", "journey", "journeys", "scenario", "scenarios", "walkthrough", "e2e", "acceptance", "sandbox", "environment", "here", "gated", "manually", "manual", "automatically", "browser":
		return true
	}
	return verbOf(w) == certain
}

func subordinates(w string) bool {
	switch w {
	case "that", "which", "who", "whose", "when", "whenever", "where", "if", "unless", "whether":
		return true
	}
	return false
}

// aboutUsers reports whether the words before a negation make it one of the
// product's users.
func aboutUsers(before []string) bool {
	for i := len(before) - 1; i >= 0 && i >= len(before)-3; i-- {
		switch before[i] {
		case "user", "users", "visitor", "visitors", "guest", "guests", "attacker", "attackers", "customer", "customers", "anyone", "nobody", "admin", "admins", "member", "members", "people", "they", "client", "clients", "request", "requests", "caller", "callers", "bot", "bots", "so":
			return before[i] != "so"
		case "that", "which", ";":
			return false
		}
	}
	return false
}

// byHand reports whether the sentence hands the test to a person.
func byHand(words []string) bool {
	hand := phrase(words, "by", "hand") || slices.ContainsFunc(words, func(w string) bool { return w == "manual" || w == "manually" })
	must := slices.ContainsFunc(words, func(w string) bool {
		switch w {
		case "must", "needs", "need", "requires", "require", "required":
			return true
		}
		return false
	}) || phrase(words, "has", "to") || phrase(words, "have", "to")
	return hand && must && slices.ContainsFunc(words, func(w string) bool {
		switch w {
		case "test", "tested", "testing", "verify", "verified", "verification", "check", "checked", "checking", "validate", "validated":
			return true
		}
		return false
	})
}

// LastMessage returns the last assistant text in the tail of a transcript, a
// JSON object a line as Claude Code, Codex, Gemini CLI and Antigravity write it;
// "" = none since the last prompt. The tail may begin in the middle of a line.
func LastMessage(tail []byte) string {
	for len(tail) > 0 {
		line := tail
		if i := bytes.LastIndexByte(bytes.TrimRight(tail, "\n"), '\n'); i >= 0 {
			line, tail = tail[i+1:], tail[:i]
		} else {
			tail = nil
		}
		text, who := speaker(bytes.TrimSpace(line))
		switch {
		case who == person:
			return ""
		case who == agent && strings.TrimSpace(text) != "":
			return text
		}
	}
	return ""
}

// LastPrompt returns what a person typed last in the tail of a transcript, ""
// if it is not there. Antigravity puts it between tags, with notes of its own
// behind them.
func LastPrompt(tail []byte) string {
	for len(tail) > 0 {
		line := tail
		if i := bytes.LastIndexByte(bytes.TrimRight(tail, "\n"), '\n'); i >= 0 {
			line, tail = tail[i+1:], tail[:i]
		} else {
			tail = nil
		}
		text, who := speaker(bytes.TrimSpace(line))
		if who != person || strings.TrimSpace(text) == "" {
			continue
		}
		if _, rest, ok := strings.Cut(text, "<USER_REQUEST>"); ok {
			text, _, _ = strings.Cut(rest, "</USER_REQUEST>")
		}
		return strings.TrimSpace(text)
	}
	return ""
}

type role int

const (
	other role = iota
	agent
	person
)

// record is one line of a transcript, of any host.
type record struct {
	Type        string          `json:"type"`
	Role        string          `json:"role"`
	Source      string          `json:"source"`
	IsSidechain bool            `json:"isSidechain"`
	IsMeta      bool            `json:"isMeta"`
	Message     json.RawMessage `json:"message"`
	Content     json.RawMessage `json:"content"`
	Payload     json.RawMessage `json:"payload"`
	Text        string          `json:"text"`
}

func speaker(line []byte) (text string, who role) {
	if len(line) == 0 || line[0] != '{' {
		return "", other
	}
	var r record
	if json.Unmarshal(line, &r) != nil || r.IsSidechain || r.IsMeta {
		return "", other
	}
	if len(r.Payload) > 0 { // Codex
		var in record
		if json.Unmarshal(r.Payload, &in) != nil {
			return "", other
		}
		switch in.Type {
		case "agent_message":
			var s string
			_ = json.Unmarshal(in.Message, &s)
			return s, agent
		case "user_message":
			return "", person
		case "message":
			return texts(in.Content), roleOf(in.Role)
		}
		return "", other
	}
	who = roleOf(r.Role)
	if who == other {
		who = roleOf(r.Type)
	}
	content := r.Content
	var in record
	if len(r.Message) > 0 && r.Message[0] == '{' && json.Unmarshal(r.Message, &in) == nil { // Claude Code
		content = in.Content
		if who == other {
			who = roleOf(in.Role)
		}
	} else if len(r.Message) > 0 && len(content) == 0 {
		content = r.Message
	}
	text = texts(content) + r.Text
	if who == person && text == "" {
		who = other // a tool's result
	}
	return text, who
}

func roleOf(s string) role {
	switch s {
	case "assistant", "gemini", "model", "PLANNER_RESPONSE":
		return agent
	case "user", "human", "USER_INPUT":
		return person
	}
	return other
}

// texts returns the text of a message: a string, or the texts of its parts.
func texts(content json.RawMessage) string {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return s
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	var out []string
	for _, p := range parts {
		switch p.Type {
		case "", "text", "output_text", "input_text":
			if p.Text != "" {
				out = append(out, p.Text)
			}
		}
	}
	return strings.Join(out, "\n")
}
