package secrets

import "strings"

// pem judges what begins with -----BEGIN at text[at:]: a private key is a header
// and a body that can be one; the footer may be missing.
func (s *scan) pem(n, at int) {
	if at < s.done[byPem] {
		return
	}
	const dashes = "-----"
	head := at + len("-----BEGIN")
	i := head
	for i < len(s.text) && i-head < 120 {
		c := s.text[i]
		if c == '-' && strings.HasPrefix(s.text[i:], dashes) {
			break
		}
		if c != ' ' && c != '-' && !isWord(c) {
			return
		}
		i++
	}
	if !strings.HasPrefix(s.text[min(i, len(s.text)):], dashes) {
		return
	}
	label := strings.TrimSuffix(strings.ToUpper(s.text[head:i]), " BLOCK")
	if !strings.HasSuffix(label, "PRIVATE KEY") {
		return
	}
	end, ok := body(s.text, i+len(dashes))
	if !ok {
		return
	}
	s.done[byPem] = end
	s.add(n, at, end, at, end)
}

// body reads the base64 text of a key, however it is quoted and wrapped, and
// reports where it ends and whether it is long and random enough to be one.
func body(text string, at int) (end int, ok bool) {
	const most = 16 << 10
	var counts, atLine [256]int
	total, lineTotal := 0, 0 // what counts and atLine hold
	run, longest := 0, 0
	i := at
	for ; i < len(text) && i-at < most; i++ {
		c := text[i]
		switch {
		case c == '-' && strings.HasPrefix(text[i:], "-----"):
			if j := strings.Index(text[i+5:min(len(text), i+200)], "-----"); j >= 0 {
				i += 5 + j + 5
			}
			return i, total >= 64 && longest >= 40 && bits(&counts, total) >= 4
		case c == '\\' && i+1 < len(text) && (text[i+1] == 'n' || text[i+1] == 'r' || text[i+1] == 't'):
			i++
			run, atLine, lineTotal = 0, counts, total
		case c == '\n':
			run, atLine, lineTotal = 0, counts, total
		case c == ':': // a header such as Version: 1
			counts, total, run = atLine, lineTotal, 0
			for i+1 < len(text) && i-at < most && text[i+1] != '\n' && text[i+1] != '\\' && !strings.HasPrefix(text[i+1:], "-----") {
				i++
			}
		case c == ' ' || c == '\t' || c == '\r' || c == '"' || c == '\'' || c == '`' || c == '\\' || c == '.' || c == ',' || c == ';' ||
			c == '#' || c == '*' || c == '%' || c == '-' || c == '|' || c == '>' || c == '(' || c == ')':
			run = 0
		case isWord(c) && c != '_' || c == '+' || c == '/' || c == '=':
			counts[c]++
			total++
			if run++; run > longest {
				longest = run
			}
		default:
			return i, total >= 64 && longest >= 40 && bits(&counts, total) >= 4
		}
	}
	return i, total >= 64 && longest >= 40 && bits(&counts, total) >= 4
}

// sk judges sk-…, the shape of OpenAI's keys and of many that took after them.
func (s *scan) sk(n, at, end int) {
	if at > 0 && (isWord(s.text[at-1]) || s.text[at-1] == '-') || s.text[at] != 's' || s.text[at+1] != 'k' {
		return
	}
	if strings.HasPrefix(s.text[end:], "ant-") {
		return // has a rule of its own
	}
	i, run, longest := end, 0, 0
	for ; i < len(s.text) && i-end < 300; i++ {
		c := s.text[i]
		if c != '-' && !isWord(c) {
			break
		}
		if c == '-' || c == '_' {
			run = 0
		} else if run++; run > longest {
			longest = run
		}
	}
	v := s.text[end:i]
	l := look(v)
	switch {
	case entropy(v) < 2:
		return
	case len(v) >= 32 && longest >= 12 && l.digits > 1 && l.lower+l.upper > 1:
	case len(v) >= 16 && longest == len(v) && (l.digits > 0 && l.lower+l.upper > 1 || l.upper >= 8):
	default:
		return
	}
	s.add(n, at, i, at, i)
}

// url judges the password of scheme://user:password@host.
func (s *scan) url(n, at int) {
	from := at
	for from > 0 && at-from < 24 && (isWord(s.text[from-1]) || s.text[from-1] == '+' || s.text[from-1] == '-' || s.text[from-1] == '.') {
		from--
	}
	scheme := strings.ToLower(s.text[from:at])
	if scheme == "" {
		return
	}
	start := at + len("://")
	stop := start
	last := -1
	for stop < len(s.text) && stop-start < 400 {
		c := s.text[stop]
		if c <= ' ' || c == '/' || c == '"' || c == '\'' || c == '`' || c == '<' || c == '>' || c == '\\' || c == '|' {
			break
		}
		if c == '@' {
			last = stop
		}
		stop++
	}
	if last < 0 {
		return
	}
	user, pass, ok := strings.Cut(s.text[start:last], ":")
	host := s.text[last+1 : stop]
	if i := strings.IndexAny(host, "?#,;)]"); i >= 0 && host[0] != '[' {
		host = host[:i]
	}
	if !ok || pass == "" || strings.ContainsAny(pass, "{}$()[]*") || strings.HasPrefix(pass, "%") {
		return
	}
	l := look(pass)
	if strings.EqualFold(pass, user) || len(pass) < 6 || l.lower+l.upper == 0 || weak(pass) || nowhere(host) {
		return
	}
	local := strings.IndexByte(host, '.') < 0 || strings.HasPrefix(host, "127.") || strings.HasSuffix(host, ".internal") && strings.HasPrefix(host, "host.")
	switch e := entropy(pass); {
	case local || !database(scheme):
		if len(pass) < 12 || l.digits == 0 || e < 3 || l.mixed < 6 && l.others == 0 {
			return
		}
	case l.digits+l.others == 0 || e < 2.5:
		return
	}
	p := start + len(user) + 1
	s.add(n, from, stop, p, last)
}

// database reports whether a scheme is of a service whose address is written
// with the password in it.
func database(scheme string) bool {
	if i := strings.IndexByte(scheme, '+'); i > 0 {
		scheme = scheme[:i]
	}
	switch scheme {
	case "postgres", "postgresql", "mysql", "mysql2", "mariadb", "mongodb", "redis", "rediss", "valkey", "amqp", "amqps", "mssql", "sqlserver",
		"oracle", "clickhouse", "cockroachdb", "cassandra", "neo4j", "bolt", "nats", "mqtt", "mqtts", "ldap", "ldaps", "ftp", "ftps", "sftp",
		"smtp", "smtps", "imap", "imaps", "couchbase", "snowflake", "influxdb", "elasticsearch":
		return true
	}
	return false
}

// nowhere reports whether a host is one that documents use.
func nowhere(host string) bool {
	h := strings.ToLower(host)
	if h != "" && h[0] != '[' {
		h, _, _ = strings.Cut(h, ":")
	}
	switch h {
	case "", "host", "hostname", "server", "myhost", "domain", "domain.com", "host.com", "site.com", "foo.com", "bar.com", "test.com", "mysite.com", "myserver.com", "host.tld", "domain.tld":
		return true
	}
	for _, end := range [...]string{"example", "example.com", "example.org", "example.net", "test", "invalid", "localdomain"} {
		if h == end || strings.HasSuffix(h, "."+end) {
			return true
		}
	}
	return strings.Contains(h, "example")
}

// weak reports whether a password is one of those that tutorials, test set-ups
// and images use.
func weak(pass string) bool {
	p := strings.ToLower(pass)
	switch strings.Trim(p, "0123456789!@_-.") {
	case "", "postgres", "mysql", "mariadb", "mongo", "mongodb", "redis", "rabbitmq", "guest", "root", "admin", "administrator", "user",
		"username", "pass", "passwd", "pwd", "secret", "test", "tester", "dev", "develop", "development", "local", "docker", "default", "demo",
		"app", "db", "database", "hunter", "abc", "toor", "minioadmin", "sa", "strong", "foo", "bar", "baz", "hello", "world", "token":
		return true
	}
	return false
}
