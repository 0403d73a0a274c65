package leak

import (
	"strings"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/scan/secrets"
)

// maxFile is how much of a file on disk is read to see whether a secret was in
// it before.
const maxFile = secrets.MaxText

// write is the first word of a file call's argv, whatever tool makes it.
const write = "write"

func isWrite(argv []string) bool { return len(argv) == 2 && argv[0] == write }

// edit judges what one edit brings in.
func (j *judge) edit(e *hook.FileEdit, all []hook.FileEdit) error {
	if e.Op == hook.Delete || e.New == "" {
		return nil
	}
	name := e.Path
	if e.NewPath != "" {
		name = e.NewPath
	}
	path, known := j.abs(j.cwd, name)
	found, err := j.scan(e.New, name, name)
	if err != nil {
		return err
	}
	text, first := e.New, 1
	if len(found) == 0 && e.Op == hook.Modify && known && holdsToken(e.New) {
		text, first, found = j.inPlace(e, path)
	}
	if len(found) == 0 {
		return nil
	}
	d := hook.Deny
	if known {
		d = j.decide(path)
	}
	if d == hook.Pass {
		return nil
	}
	before := ""
	if known && e.Op != hook.Move {
		before = j.content(path)
	}
	for _, f := range found {
		secret := text[f.Start:f.End]
		if strings.Contains(e.Old, secret) || strings.Contains(before, secret) || j.moved(secret, all) {
			continue
		}
		line := 0
		if e.Op == hook.Create || first > 1 {
			line = f.Line + first - 1
		}
		at := j.show(path, name)
		j.add(leak{decision: d, kind: inFile, name: at, line: line, argv: []string{write, at}}, f)
	}
	return nil
}

// moved reports whether a secret was in a file that the same call changes, so
// that it is only put elsewhere; out of a secret file it is spread.
func (j *judge) moved(secret string, all []hook.FileEdit) bool {
	for i := range all {
		if strings.Contains(all[i].Old, secret) && !secretName(slash(all[i].Path)) {
			return true
		}
	}
	return false
}

// inPlace scans the lines that an edit changes, as they will be: the name that a
// value is given to may stand outside the edit. It returns the text scanned and
// the number of its first line.
func (j *judge) inPlace(e *hook.FileEdit, path string) (text string, first int, found []secrets.Finding) {
	before := j.content(path)
	after, ok := e.Apply(before)
	if !ok || before == "" {
		return "", 1, nil
	}
	from := 0
	for from < len(before) && from < len(after) && before[from] == after[from] {
		from++
	}
	to := len(after)
	for back := len(before); to > from && back > from && before[back-1] == after[to-1]; {
		to, back = to-1, back-1
	}
	const most = 4 << 10
	start := max(0, from-most)
	if i := strings.LastIndexByte(after[start:from], '\n'); i >= 0 {
		start += i + 1
	}
	end := min(len(after), to+most)
	if i := strings.IndexByte(after[to:end], '\n'); i >= 0 {
		end = to + i
	}
	text = after[start:end]
	all, err := secrets.Scan(j.ctx, text, secrets.Options{Path: path})
	if err != nil {
		return "", 1, nil
	}
	for _, f := range all {
		if f.Start < to-start && f.End > from-start {
			found = append(found, f)
		}
	}
	return text, 1 + strings.Count(after[:start], "\n"), found
}

// holdsToken reports whether s has a word that may be a secret when something
// before it says so.
func holdsToken(s string) bool {
	run, digits, letters := 0, 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			digits++
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			letters++
		case c <= ' ' || c == '"' || c == '\'' || c == '`':
			run, digits, letters = 0, 0, 0
			continue
		}
		if run++; run >= 8 && digits > 0 && letters > 0 {
			return true
		}
	}
	return false
}

// decide says what a secret in the file at path means.
func (j *judge) decide(path string) hook.Decision {
	path = j.real(path)
	named := secretName(path)
	ignored, sure := j.ignored(path)
	switch {
	case named && ignored && sure:
		return hook.Pass
	case named, ignored:
		return hook.Ask
	}
	return hook.Deny
}

// secretName reports whether a file is one in which secrets are kept, by its
// name.
func secretName(path string) bool {
	base := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
	for _, mark := range [...]string{"example", "sample", "template", ".dist", ".tmpl", ".schema", ".default"} {
		if strings.Contains(base, mark) {
			return false
		}
	}
	switch base {
	case ".envrc", ".dev.vars", ".flaskenv", ".netrc", "_netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".pgpass", "pgpass.conf", ".git-credentials",
		".my.cnf", ".s3cfg", ".boto", ".htpasswd", ".vault-token", ".secrets", "credentials", "credentials.json", "credentials.yml",
		"credentials.yaml", "credentials.toml", "secrets.json", "secrets.yml", "secrets.yaml", "secrets.toml", "secrets.ini", "secret.json",
		"secret.yml", "secret.yaml", "auth.json", "local.settings.json", "application_default_credentials.json", "id_rsa", "id_dsa",
		"id_ecdsa", "id_ed25519":
		return true
	}
	for _, end := range [...]string{".env", ".pem", ".key", ".p8", ".ppk", ".tfvars", ".secret", ".secrets", ".credentials"} {
		if strings.HasSuffix(base, end) {
			return true
		}
	}
	return strings.HasPrefix(base, ".env.") || strings.HasPrefix(base, "service-account") || strings.HasPrefix(base, "client_secret")
}
