package secrets

import "strings"

// generic judges a value that is given to something whose name is that of a
// secret: password = "…", API_TOKEN=…, <secret>…</secret>. gitleaks' own
// expression fires on most source code, since keys, tokens and access are also
// what programs are about; here the name must be that of a credential, and the
// value a literal that looks random.
func (s *scan) generic(n, at, end int) {
	if at < s.done[byGeneric] {
		return
	}
	text := s.text

	// The name goes on to both sides of the keyword.
	from := at
	for from > 0 && at-from < 50 && isName(text[from-1]) {
		from--
	}
	i := end
	for i < len(text) && i-end < 30 && isName(text[i]) {
		i++
	}
	name := text[from:i]

	// A quote that closes it, blanks, the operator, blanks.
	quotedName := false
	if i < len(text) && (text[i] == '"' || text[i] == '\'') {
		quotedName = true
		i++
		if i < len(text) && text[i] == ']' { // $config['password'] = …
			i++
		}
		if strings.HasPrefix(text[i:], ` value="`) { // <add key="ApiKey" value="…"/>
			i += len(" value")
		}
	}
	after := i
	i = blanks(text, i)
	op := operator(text[min(i, len(text)):])
	if op == "" && i > after && strings.HasSuffix(text[max(0, from-4):from], "ENV ") && (from < 5 || text[from-5] == '\n') { // ENV NAME value
		op, i = "=", i-1
	}
	if op == "" || op == ":" { // var token string = …, const token: string = …
		j := blanks(text, i+len(op))
		k := j
		for k < len(text) && k-j < 24 && isName(text[k]) {
			k++
		}
		if m := blanks(text, k); k > j && m < len(text) && text[m] == '=' && (op == ":" || i > after) {
			i, op = m, "="
		}
	}
	if op == "" {
		return
	}
	i = blanks(text, i+len(op))
	if op == ">" { // an element's text may have its own lines
		for n := 0; i < len(text) && n < 24 && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n'); n++ {
			i++
		}
	}
	if i >= len(text) {
		return
	}
	quote := text[i]
	if quote == '\\' && i+1 < len(text) && text[i+1] == '"' { // inside a quoted text
		i++
		quote = '"'
	}
	if quote == '"' || quote == '\'' || quote == '`' {
		i++
	} else {
		quote = 0
		if op == "," || op == "||" || op == "??" {
			return
		}
	}
	v := literal(text, i, quote)
	if v == "" {
		if quote == 0 { // the rest of a word that is too long is no other value
			for n := 0; i < len(text) && n < maxValue && isWord(text[i]); n++ {
				i++
			}
			s.done[byGeneric] = i
		}
		return
	}
	s.done[byGeneric] = i
	k := credential(name)
	if k == noCredential || s.quiet() || !s.literalPlace(from, i, i+len(v), op, quote, quotedName) || !random(v, k) {
		return
	}
	s.add(n, from, min(len(text), i+len(v)+1), i, i+len(v))
}

func isName(c byte) bool { return isWord(c) || c == '-' || c == '.' }

func blanks(text string, i int) int {
	for n := 0; i < len(text) && n < 8 && (text[i] == ' ' || text[i] == '\t'); n++ {
		i++
	}
	return i
}

// operator returns the sign that gives a value, "" if there is none.
func operator(text string) string {
	for _, op := range [...]string{"=>", "::=", ":=", ".=", "?=", "||", "??", "==", ":", "=", ">", ","} {
		if strings.HasPrefix(text, op) {
			if op == "==" {
				return ""
			}
			return op
		}
	}
	return ""
}

const (
	minValue = 8
	maxValue = 200
)

// literal returns the value at text[i:], "" if it is not one word of fitting
// length. In quotes anything printable goes, but for what only patterns,
// templates and prose have.
func literal(text string, i int, quote byte) string {
	j := i
	for ; j < len(text) && j-i <= maxValue; j++ {
		c := text[j]
		if c == quote && quote != 0 {
			break
		}
		if isWord(c) || strings.IndexByte("+/=.-~!@#%&*?:^,", c) >= 0 {
			if quote == 0 && (c == ',' || c == '#' && j > i && text[j-1] == ' ') {
				break
			}
			continue
		}
		if quote == 0 {
			break
		}
		if c == '\\' && j+1 < len(text) && (text[j+1] == '"' || text[j+1] == 'n') {
			break
		}
		return ""
	}
	if j >= len(text) && quote != 0 || j-i < minValue || j-i > maxValue {
		return ""
	}
	return text[i:j]
}

// kind of credential that a name says. The zero value is none.
type kind uint8

const (
	noCredential kind = iota
	passphrase        // may be short and hold any sign
	token             // letters, digits and little else
)

// credential says what a name is the name of.
func credential(name string) kind {
	var b [96]byte
	n := 0
	for i := range len(name) {
		c := name[i]
		if c == '_' || c == '-' || c == '.' {
			continue
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if n == len(b) {
			break
		}
		b[n] = c
		n++
	}
	low := string(b[:n])
	for _, no := range notCredential {
		if strings.Contains(low, no) {
			return noCredential
		}
	}
	for _, end := range [...]string{"id", "name", "type", "url", "uri", "file", "path", "length", "size", "hash", "digest", "format", "version", "field", "label", "prefix", "regex", "pattern", "header", "endpoint"} {
		if strings.HasSuffix(low, end) {
			return noCredential
		}
	}
	for _, k := range [...]string{"password", "passwd", "passphrase", "passwort"} {
		if strings.Contains(low, k) {
			return passphrase
		}
	}
	for _, k := range [...]string{"secret", "token", "apikey", "accesskey", "authkey", "privatekey", "encryptionkey", "signingkey", "masterkey", "servicekey", "clientkey", "credential", "creds", "storagekey", "accountkey", "licensekey", "deploykey", "appkey", "sharedkey", "webhookkey"} {
		if strings.Contains(low, k) {
			return token
		}
	}
	return noCredential
}

// notCredential are parts of names that hold a keyword and mean something else.
var notCredential = [...]string{
	"public", "pubkey", "csrf", "xsrf", "tokeniz", "secretary", "keyboard", "keycode", "keyword", "publishable", "cancel", "monkey",
	"sharedsecret", "exportersecret", "trafficsecret", "earlysecret", "mastersecret", // of protocols, in test vectors
	"placeholder", "integrity", "checksum", "fingerprint", "shasum", "hashed", "author", "nonce", "sitekey", "tokentype", "syntax", "example",
}

// literalPlace reports whether text[from:to], without quotes, is a value and not
// code: what a settings file says up to the end of its line.
func (s *scan) literalPlace(name, from, to int, op string, quote byte, quotedName bool) bool {
	if quote != 0 {
		return to < len(s.text)
	}
	if op == ">" {
		return strings.HasPrefix(strings.TrimLeft(s.text[to:min(len(s.text), to+30)], " \t\r\n"), "</")
	}
	if quotedName || code(s.path) {
		return false
	}
	start := strings.LastIndexByte(s.text[max(0, name-40):name], '\n') + max(0, name-40) + 1
	lead := strings.TrimLeft(s.text[start:name], " \t-")
	switch lead {
	case "", "export ", "set ", "ENV ", "ARG ", "env ":
	default:
		if !strings.HasSuffix(lead, " ") && !strings.HasSuffix(lead, "--") && !strings.HasSuffix(lead, "?") && !strings.HasSuffix(lead, "&") {
			return false
		}
		// NAME=value in a command line, or a parameter of an address.
		if op != "=" || from > 0 && s.text[from-1] == ' ' {
			return false
		}
		return true
	}
	rest := s.text[to:min(len(s.text), to+3)]
	return rest == "" || rest[0] == '\n' || rest[0] == '\r' || strings.HasPrefix(rest, " #") || rest[0] == ' ' && op == "="
}

// code reports whether a file is of a language in which a word without quotes
// is a name.
func code(path string) bool {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return false
	}
	switch strings.ToLower(path[i+1:]) {
	case "go", "py", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "java", "kt", "kts", "scala", "groovy", "rb", "php", "c", "h", "cc", "cpp",
		"hpp", "cs", "fs", "vb", "swift", "m", "mm", "rs", "dart", "ex", "exs", "erl", "hs", "ml", "lua", "pl", "pm", "r", "jl", "sql", "css", "scss",
		"less", "html", "htm", "vue", "svelte", "astro", "md", "mdx", "rst", "map", "zig", "nim", "clj", "cljs", "elm", "proto", "graphql", "s", "asm":
		return true
	}
	return false
}

// random reports whether a value looks like one that no human thought of.
func random(v string, k kind) bool {
	l := look(v)
	if l.digits == 0 || l.lower+l.upper == 0 {
		return false
	}
	if strings.Contains(v, "://") || strings.HasPrefix(v, "/") || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "@") || strings.Count(v, "/") > 2 && l.mixed < 16 {
		return false
	}
	if k == passphrase {
		// Tr0ub4dor&3: a sign, or both cases and digits.
		return len(v) <= 100 && entropy(v) >= 2.8 && !weak(v) && (l.others > 0 && l.others <= len(v)/3 || l.upper > 0 && l.lower > 0 || l.mixed >= 12)
	}
	if l.mixed < 12 || len(v) < 16 {
		return false
	}
	return l.groups > 1
}
