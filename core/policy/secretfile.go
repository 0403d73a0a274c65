package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// secret says what kind of secret file a path is. The zero value is none.
type secret int

const (
	notSecret   secret = iota
	secretEnv          // .env and its kin
	secretKey          // private keys and key stores
	secretCloud        // credentials of a cloud, registry, host or database
	secretMaybe        // secret unless its content shows that it is not
)

// secretPath says what kind of secret file p is, by its name and folder alone.
// p may be relative, in Windows spelling, or unclean.
func secretPath(p string) secret {
	if p == "" || len(p) > 4096 {
		return notSecret
	}
	p = strings.ReplaceAll(p, `\`, "/")
	p = strings.ToLower(strings.TrimRight(p, "/"))
	dir, base := path.Split(p)
	dir = strings.TrimSuffix(dir, "/")
	parent := path.Base(dir)

	if s := secretBase(base); s != notSecret {
		if s == secretMaybe && publicFolder(dir) {
			return notSecret
		}
		return s
	}
	switch parent {
	case ".ssh":
		if strings.HasPrefix(base, "id_") && !strings.Contains(base, ".pub") || base == "identity" || strings.HasSuffix(base, "_key") {
			return secretKey
		}
	case ".aws":
		if strings.HasPrefix(base, "credentials") || base == "config" {
			return secretCloud
		}
	case ".kube":
		if strings.HasPrefix(base, "config") {
			return secretCloud
		}
	case ".docker":
		if base == "config.json" {
			return secretCloud
		}
	case ".gem", ".cargo", ".git", ".config/git":
		if strings.HasPrefix(base, "credentials") {
			return secretCloud
		}
	case ".azure":
		if strings.Contains(base, "token") || strings.Contains(base, "msal") || base == "credentials" {
			return secretCloud
		}
	case ".codex", ".composer", ".opencode":
		if base == "auth.json" {
			return secretCloud
		}
	case ".claude":
		if base == ".credentials.json" {
			return secretCloud
		}
	case ".gemini":
		if base == "oauth_creds.json" {
			return secretCloud
		}
	case "gh":
		if base == "hosts.yml" {
			return secretCloud
		}
	case "glab-cli":
		if base == "config.yml" {
			return secretCloud
		}
	case "pypoetry":
		if base == "auth.toml" {
			return secretCloud
		}
	case "rclone":
		if base == "rclone.conf" {
			return secretCloud
		}
	case "gcloud":
		if strings.Contains(base, "credential") || strings.HasSuffix(base, "tokens.db") {
			return secretCloud
		}
	case "kubernetes":
		if base == "admin.conf" || base == "kubelet.conf" {
			return secretCloud
		}
	case ".terraform.d":
		if strings.HasPrefix(base, "credentials") {
			return secretCloud
		}
	case "etc":
		if base == "shadow" || base == "gshadow" || base == "master.passwd" {
			return secretCloud
		}
	}
	for _, d := range [...]string{".gnupg/private-keys-v1.d", ".aws/sso/cache", ".aws/cli/cache", ".config/gcloud/legacy_credentials", ".password-store"} {
		if strings.Contains("/"+dir+"/", "/"+d+"/") {
			return secretKey
		}
	}
	if parent == "proc" || strings.HasPrefix(p, "/proc/") && base == "environ" {
		if base == "environ" {
			return secretEnv
		}
	}
	return notSecret
}

// secretBase judges by the last path element, in lower case.
func secretBase(base string) secret {
	switch base {
	case ".env", ".envrc", ".dev.vars", ".flaskenv":
		return secretEnv
	case ".netrc", "_netrc", ".pgpass", "pgpass.conf", ".pypirc", ".git-credentials", ".my.cnf", ".mylogin.cnf", ".s3cfg", ".boto",
		".dockercfg", ".vault-token", ".htpasswd", ".terraformrc", "credentials.tfrc.json", "application_default_credentials.json",
		"wallet.dat", ".npmrc.bak":
		return secretCloud
	case ".npmrc", ".yarnrc.yml", "auth.json", "database.yml", "database.json", "credentials.json", "credentials.yml", "credentials.yaml",
		"secrets.json", "secrets.yml", "secrets.yaml", "secrets.toml", "secret.json", "secret.yml", "secret.yaml", "secrets.ini":
		if base == ".yarnrc.yml" || base == "auth.json" {
			return notSecret
		}
		return secretMaybe
	case "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "secring.gpg", "login.keychain", "login.keychain-db":
		return secretKey
	}
	if strings.HasPrefix(base, ".env.") || strings.HasPrefix(base, ".env-") || strings.HasPrefix(base, ".env~") {
		if harmlessEnv(base[5:]) {
			return notSecret
		}
		return secretEnv
	}
	if stem, ok := strings.CutSuffix(base, ".env"); ok && stem != "" {
		switch stem {
		case "process", "import.meta", "globalthis.process", "bun": // code, no file
			return notSecret
		}
		if harmlessEnv(stem) {
			return notSecret
		}
		return secretEnv
	}
	for _, k := range [...]string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"} {
		if rest, ok := strings.CutPrefix(base, k); ok && (rest[0] == '.' || rest[0] == '_' || rest[0] == '-' || rest[0] == '~') && !strings.Contains(rest, ".pub") {
			return secretKey
		}
	}
	switch path.Ext(base) {
	case ".p12", ".pfx", ".jks", ".keystore", ".ppk", ".kdbx", ".p8", ".pkcs12":
		return secretKey
	case ".pem", ".key":
		for _, pub := range [...]string{"cacert", "ca-bundle", "ca-cert", "cabundle", "ca.", "chain", "fullchain", "public", ".pub", "pubkey"} {
			if strings.Contains(base, pub) && !strings.Contains(base, "priv") {
				return notSecret
			}
		}
		return secretMaybe
	case ".json":
		if strings.Contains(base, "service-account") || strings.Contains(base, "service_account") || strings.Contains(base, "serviceaccount") ||
			strings.HasPrefix(base, "gcp-key") || strings.HasPrefix(base, "client_secret") {
			return secretMaybe
		}
	}
	return notSecret
}

// harmlessEnv reports whether a part of an env file's name says that it holds
// no values of its own.
func harmlessEnv(part string) bool {
	for _, seg := range strings.FieldsFunc(part, func(r rune) bool { return r == '.' || r == '-' || r == '_' }) {
		switch seg {
		case "example", "examples", "sample", "samples", "template", "templates", "tmpl", "tpl", "schema", "dist", "defaults", "default",
			"skeleton", "stub", "spec", "d", "ts", "js", "mjs", "md", "go", "py", "rb", "encrypted", "enc", "gpg", "age", "vault":
			return true
		}
	}
	return false
}

// publicFolder reports whether a folder is where public certificates and test
// copies of them are kept by packages.
func publicFolder(dir string) bool {
	d := "/" + dir + "/"
	return strings.Contains(d, "/etc/ssl/certs/") || strings.Contains(d, "/site-packages/") || strings.Contains(d, "/ca-certificates/") ||
		strings.Contains(d, "/etc/pki/tls/certs/")
}

// secretFolder reports whether a folder as a whole is one of secrets.
func secretFolder(p string) bool {
	p = strings.ToLower(strings.TrimRight(strings.ReplaceAll(p, `\`, "/"), "/"))
	switch path.Base(p) {
	case ".ssh", ".gnupg", ".aws", ".password-store", ".kube", "gcloud":
		return path.Base(p) != "gcloud" || strings.HasSuffix(path.Dir(p), ".config")
	case "private-keys-v1.d":
		return true
	}
	return false
}

// secretGlob reports whether an unquoted pattern is likely to stand for a
// secret file: one whose own text, less its operators, names it, or that
// matches a well-known name in its last element.
func secretGlob(pattern string) secret {
	dir, base := path.Split(strings.ReplaceAll(pattern, `\`, "/"))
	if !strings.ContainsAny(pattern, "*?[{(") {
		return secretPath(pattern)
	}
	if s := secretPath(pattern); s != notSecret && !strings.ContainsAny(base, "*?[{(") {
		return s
	}
	for _, alt := range extglob(base, 0) {
		if !strings.ContainsAny(alt, "*?[{(") {
			if s := secretPath(dir + alt); s != notSecret {
				return s
			}
		}
	}
	low := strings.ToLower(base)
	if low == "*" || low == "**" || low == "" {
		return notSecret
	}
	for _, name := range [...]string{".env", ".env.local", ".env.production", ".env1", "id_rsa", "id_ed25519", "credentials", "server.key", "server.pem", "key.pem", "private.key"} {
		if strings.HasPrefix(low, "*") && !strings.HasPrefix(low, "*.") {
			continue
		}
		if ok, err := doublestar.Match(low, name); err == nil && ok {
			if s := secretPath(dir + name); s != notSecret {
				return s
			}
			if name == ".env1" {
				return secretEnv
			}
		}
	}
	return notSecret
}

// extglob spells out the alternatives of @(a|b) and its kin in one path
// element, and of nothing else.
func extglob(s string, depth int) []string {
	i := strings.IndexByte(s, '(')
	if depth > 4 || i < 1 || !strings.ContainsRune("@?*+!", rune(s[i-1])) {
		return []string{s}
	}
	n, end := 0, -1
	for j := i; j < len(s); j++ {
		if s[j] == '(' {
			n++
		}
		if s[j] == ')' {
			if n--; n == 0 {
				end = j
				break
			}
		}
	}
	if end < 0 {
		return []string{s}
	}
	var out []string
	for alt := range strings.SplitSeq(s[i+1:end], "|") {
		for _, rest := range extglob(s[end+1:], depth+1) {
			if len(out) < 32 {
				out = append(out, s[:i-1]+alt+rest)
			}
		}
	}
	return out
}

// showsNoSecret reports whether the content of a secretMaybe file visibly
// holds none: a certificate or public key, or settings without a literal
// password, token or key.
func showsNoSecret(p string, content []byte) bool {
	text := string(content)
	if strings.Contains(text, "PRIVATE KEY") {
		return false
	}
	switch path.Ext(strings.ToLower(p)) {
	case ".pem", ".key":
		return strings.Contains(text, "BEGIN CERTIFICATE") || strings.Contains(text, "PUBLIC KEY") || strings.TrimSpace(text) == "" && len(text) == 0
	}
	return !slices.ContainsFunc(strings.Split(text, "\n"), literalCredential)
}

// literalCredential reports whether one line of settings gives a secret-named
// key a literal value.
func literalCredential(line string) bool {
	low := strings.ToLower(line)
	hit := -1
	for _, k := range [...]string{"password", "passwd", "secret", "token", "api_key", "apikey", "_auth", "private_key", "access_key", "credential"} {
		if i := strings.Index(low, k); i >= 0 && (hit < 0 || i < hit) {
			hit = i
		}
	}
	if hit < 0 {
		return false
	}
	if t := strings.TrimSpace(low); strings.HasPrefix(t, "#") || strings.HasPrefix(t, "//") || strings.HasPrefix(t, ";") {
		return false
	}
	sep := strings.IndexAny(low[hit:], ":=")
	if sep < 0 {
		return false
	}
	v := strings.Trim(strings.TrimSpace(low[hit+sep+1:]), `"',`)
	switch {
	case v == "", v == "{", v == "[", v == "null", v == "|", v == ">":
		return false
	case strings.Contains(v, "${"), strings.Contains(v, "<%="), strings.Contains(v, "{{"), strings.HasPrefix(v, "$"), strings.HasPrefix(v, "env["):
		return false
	}
	return true
}

// globMatch reports whether a pattern of one path element matches name.
func globMatch(pattern, name string) bool {
	ok, err := doublestar.Match(pattern, name)
	return err == nil && ok
}
