package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

const (
	ruleSecretRead = iota
	ruleSecretCopy
	ruleSecretUse
	ruleSecretDestroy
	ruleSecretWrite
)

var secretsRules = [...]Rule{
	ruleSecretRead: {
		ID: "secrets-files/read", Verdict: hook.Deny,
		Doc:     "Showing the content of a secret file (.env, private keys, credentials of clouds and registries) with any tool or command.",
		Why:     "what is shown here stays in the transcript and leaves this machine",
		Instead: "read the example (`cat .env.example`), list names only (`ls -la .env`), or let the program that needs the file load it itself",
		Fire: []string{
			"cat .env", "head -n 10 .env", "grep -E 'A|B' .env.production", "sed -n 1p ~/.ssh/id_rsa", "git show HEAD:.env", "git diff -- .env",
			"awk '/KEY/' .env", "base64 ~/.ssh/id_rsa", "cat < .env", "echo .env | xargs cat", `find . -name ".env" -exec cat {} \;`, "less -k ~/.ssh/id_rsa",
			"cat ~/.aws/credentials", "cat ~/.netrc", "cat credentials.json", "cat certs/server.key", "for f in a .env; do cat $f; done",
			`python3 -c "print(open('.env').read())"`, "cat .env?", "stdbuf -oL cat .env", "Read(.env)", "Read(/home/user/.ssh/id_rsa)", "cd certs && cat server.key",
			"cat /proc/self/environ", "sudo cat /etc/shadow", "xargs < .env", "xargs -a .env -n1 echo", "grep -rn A --include='.env*' .", "rg -uu A -g '.env'",
		},
		Pass: []string{
			"cat .env.example", "head .env.sample", "ls -la .env", "stat .env", "test -f .env && echo yes", "grep -c '^' .env", "grep -l TOKEN .env",
			"cat ~/.ssh/id_rsa.pub", "cat ~/.ssh/config", "grep -n '.env' src/main.go", "find . -name .env", "wc -l .env", "echo .env", "git log -- .env",
			"cat certs/ca.pem", "git commit -m 'read .env'", "chmod 600 .env", "npm start", "docker compose up", "Read(.env.example)", "Read(src/main.go)",
			"git check-ignore .env", "rg -l API_KEY", "grep -rn A --exclude='.env*' .", "rg A -g '!.env'", "xargs -a list.txt echo", "xargs ls < .env.example",
			"git diff -- . ':!.env'", "find . -not -name .env -type f -exec cat {} +", "diff -r --exclude=.env a b", "fd -E .env . -x cat", "cmp .env .env.example", "git grep -n process.env", "grep -rl A --include='.env*' .",
		},
		check: secretRead,
	},
	ruleSecretCopy: {
		ID: "secrets-files/copy", Verdict: hook.Deny,
		Doc:     "Copying or packing a secret file to another place or under a harmless name.",
		Why:     "the copy is no longer guarded, ignored or cleaned up as the original is",
		Instead: "leave it where it is; for a new place start from the example: `cp .env.example sub/.env.local`",
		Fire:    []string{"cp ~/.ssh/id_rsa /tmp/", "cp .env notes.txt", "tar czf x.tgz .env", "zip x.zip .env", "cp -r ~/.gnupg backup", "dd if=.env of=x", "kubectl cp .env web:/app/"},
		Pass:    []string{"cp .env.example .env.local", "cp package.json package.json.bak", "tar czf dist.tgz src", "tar --exclude=.env -czf x.tgz src", "rsync -a --exclude .env ./ /tmp/x", "cp ~/.ssh/id_rsa.pub x"},
		check:   secretCopy,
	},
	ruleSecretUse: {
		ID: "secrets-files/use", Verdict: hook.Ask,
		Doc:     "Using a secret file in a way that shows nothing: source .env, --env-file, a copy beside it, handing it to a program that we do not know.",
		Why:     "the program then holds the secrets and may pass them on",
		Instead: "let the program load its own file, e.g. `docker compose up` or `npm start`",
		Fire:    []string{"source .env", ". ./.env.local", "node --env-file=.env app.js", "docker run --env-file .env x", "cp .env .env.bak", "date --file .env", "kubectl create secret generic x --from-env-file=.env", "docker compose config", "python3 -m http.server -d ~/.ssh"},
		Pass:    []string{"source venv/bin/activate", "docker compose up", "docker compose config -q", "kubectl create secret generic x --from-file=app.json", "python3 -m http.server 8000", "ssh -i ~/.ssh/id_rsa host", "ssh-add ~/.ssh/id_rsa", "kubectl --kubeconfig ~/.kube/config get pods"},
		check:   secretUse,
	},
	ruleSecretDestroy: {
		ID: "secrets-files/destroy", Verdict: hook.Ask,
		Doc:     "Deleting, moving, truncating or overwriting a secret file by a shell command.",
		Why:     "secrets are in no repository, so a lost one has to be issued again",
		Instead: "keep a copy beside it or let your human do it; to start a new one, `cp .env.example .env.test`",
		Fire: []string{
			"rm .env", "mv .env .env.old", "> .env", "truncate -s 0 .env", "rm ~/.ssh/authorized_keys", "rm -f ~/.aws/credentials", "echo x > .env",
			"chmod 600 x > ~/.ssh/id_rsa", "cp .env.example .env",
		},
		Pass:  []string{"echo X=1 >> .env", "cp .env.example .env.local", "rm .env.example", "touch .env", "git restore --staged .env", "rm notes.txt"},
		check: secretDestroy,
	},
	ruleSecretWrite: {
		ID: "secrets-files/write", Verdict: hook.Ask,
		Doc:     "Writing a secret file with a file tool, unless git ignores it.",
		Why:     "a secret in a file that git tracks gets into the history",
		Instead: "put it into a file that git ignores; `git check-ignore .env` says whether one is",
		Fire:    []string{"Write(.env)", "Edit(.env)", "Write(certs/new.key)", "Write(/home/user/.ssh/id_ed25519)"},
		Pass:    []string{"Write(.env.local)", "Write(.env.example)", "Write(src/main.go)"},
	},
	{
		ID: "secrets-files/environment", Verdict: hook.Ask,
		Doc:     "Dumping the whole environment.",
		Why:     "tokens and passwords in it would stay in the transcript",
		Instead: "name the variable (`printenv PATH`) or filter (`env | grep -i node`)",
		Fire: []string{
			"env", "printenv", "export -p", "set", "env | sort", "cd sub && env", `node -e "console.log(process.env)"`, "env | grep -i secret", "node -p process.env", "jq -n env", "ps eww", "docker inspect -f '{{.Config.Env}}' web", `awk 'BEGIN{for(k in ENVIRON) print k, ENVIRON[k]}'`,
			`ruby -e 'ENV.each { |k, v| puts "#{k}=#{v}" }'`, `perl -e 'print "$_=$ENV{$_}\n" for keys %ENV'`, `perl -e 'while (my ($k, $v) = each %ENV) { print "$k=$v\n" }'`,
			"python3 -c \"import os\nfor k, v in os.environ.items(): print(k, v)\"", `php -r 'foreach (getenv() as $k => $v) echo "$k=$v\n";'`, `node -e 'for (const k in process.env) console.log(k, process.env[k])'`,
		},
		Pass: []string{
			"printenv PATH", "env | grep -i node", "env -i ls", "env A=1 ls", "set -e", "export A=1", "env | cut -d= -f1", "env | wc -l", "declare -a xs", "node -p process.env.NODE_ENV", "jq -n env.PATH", "ps aux", "ps axo pid,etime", "docker inspect web", "docker exec web env | grep NODE_",
			`ruby -e 'puts ENV["HOME"]'`, `perl -e 'print $ENV{PATH}'`, `python3 -c "import os; print(os.environ['PATH'])"`, `ruby -e 'ENV.each_key { |k| puts k }'`, `perl -e 'print "$_\n" for sort keys %ENV'`,
			"python3 -c \"import os\nfor k, v in os.environ.items():\n  if k.startswith('NODE_'): print(k, v)\"",
		},
		check: environmentDump,
	},
	{
		ID: "secrets-files/variable", Verdict: hook.Ask,
		Doc:     "Printing a variable whose name says that it holds a secret.",
		Why:     "its value would stay in the transcript",
		Instead: "see whether it is set without showing it: `test -n \"$API_KEY\" && echo set`",
		Fire:    []string{"echo $API_KEY", `printf "%s" "$DB_PASSWORD"`, "printenv AWS_SECRET_ACCESS_KEY", "echo %SECRET_KEY%", "echo ${GITHUB_TOKEN}"},
		Pass:    []string{"echo $HOME", "echo $NODE_ENV", "echo ${API_KEY:+set}", "echo ${#API_KEY}", "API_KEY=x; echo $API_KEY", "echo $KEYBOARD", "echo \"$key\"", "echo $TOKEN | docker login --password-stdin"},
		check:   secretVariable,
	},
	{
		ID: "secrets-files/credential-command", Verdict: hook.Ask,
		Doc:     "Commands that print a credential from a store.",
		Why:     "it would stay in the transcript",
		Instead: "let the tool use its own login, e.g. `gh auth status`",
		Fire: []string{
			"gh auth token", "gcloud auth print-access-token", "aws configure get aws_secret_access_key", "security dump-keychain",
			"security find-generic-password -w -s x", "pass show mail", "op read op://a/b/c", "vault kv get secret/x", "kubectl get secret x -o yaml",
			"aws secretsmanager get-secret-value --secret-id x", "git credential fill",
		},
		Pass:  []string{"gh auth status", "gcloud auth list", "aws configure list", "kubectl get secrets", "kubectl get pods -o yaml", "vault status", "pass ls"},
		check: credentialCommand,
	},
}

// use is a secret file that a command names.
type use struct {
	w    *word
	path string // as shown
	kind secret
	flag string // the flag whose value it is, "" for an operand
	in   bool   // it is the command's standard input
}

// secretKind says what kind of secret file the word names, seen from c.
func (j *judge) secretKind(c *shellcmd.Command, w *word) (secret, string) {
	for _, v := range w.Values() {
		if v == "" || strings.ContainsAny(baseName(v), " \t\n") {
			continue
		}
		v = strings.TrimPrefix(strings.ReplaceAll(v, shellcmd.Unknown, "\x01"), "file://")
		if strings.HasPrefix(v, "-") && !strings.Contains(v, "/") {
			continue
		}
		if w.Glob {
			if s := secretGlob(v); s != notSecret && s != secretMaybe {
				return s, w.Raw
			}
			for _, alt := range extglob(v, 0) {
				if alt != v && !strings.ContainsAny(alt, "*?[") {
					if s, _ := j.secretAt(c.Dir, alt); s != notSecret {
						return s, w.Raw
					}
				}
			}
			if s := j.globSecret(c, v); s != notSecret {
				return s, w.Raw
			}
			continue
		}
		if s, p := j.secretAt(c.Dir, v); s != notSecret {
			return s, p
		}
		for _, d := range c.DirElse {
			if s, p := j.secretAt(d, v); s != notSecret {
				return s, p
			}
		}
	}
	return notSecret, ""
}

// secretAt judges one path as written, through links and by content where the
// name alone does not tell.
func (j *judge) secretAt(dir, v string) (secret, string) {
	p, ok := j.abs(dir, v)
	if !ok {
		p = v
	}
	s := secretPath(p)
	if s == notSecret && ok {
		if r := j.real(p); r != p {
			s = secretPath(r)
			p = r
		}
	}
	if s == notSecret {
		return notSecret, ""
	}
	if s == secretMaybe {
		if !ok || j.fs == nil {
			return secretKey, v
		}
		if path.Base(strings.ToLower(p)) == ".npmrc" && j.home != "" && equalFold(path.Dir(p), j.home) {
			return secretCloud, v
		}
		data, err := j.fs.ReadFile(j.real(p), 1<<16)
		if err == nil && showsNoSecret(p, data) {
			return notSecret, ""
		}
		if err != nil && path.Base(strings.ToLower(p)) == ".npmrc" {
			return notSecret, ""
		}
		return secretKey, v
	}
	return s, v
}

// globSecret looks which secret files of a folder a pattern matches.
func (j *judge) globSecret(c *shellcmd.Command, v string) secret {
	base, pattern := splitGlob(v)
	if pattern == "" || strings.Contains(pattern, "/") {
		return notSecret
	}
	if everything(pattern) {
		if secretFolder(base) {
			return secretKey
		}
		switch c.Program {
		case "grep", "egrep", "fgrep", "rg", "ag", "ack":
			return notSecret // shows single lines of what it happens to meet
		}
	}
	if j.fs == nil {
		return notSecret
	}
	if base == "" {
		base = "."
	}
	dir, ok := j.abs(c.Dir, base)
	if !ok {
		return notSecret
	}
	entries, err := j.fs.ReadDir(dir)
	if err != nil {
		return notSecret
	}
	for n, e := range entries {
		if n > 2000 {
			break
		}
		if strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(pattern, ".") {
			continue // as in the shell
		}
		if globMatch(pattern, e.Name()) {
			if s, _ := j.secretAt(dir, e.Name()); s != notSecret {
				return s
			}
		}
	}
	return notSecret
}

// attached returns the part of a flag or key=value argument that may be a
// path: --file=P, -fP, if=P, @P, name=@P.
func attached(t string) string {
	if strings.HasPrefix(t, "-") {
		if f, v, ok := strings.Cut(t, "="); ok {
			if _, file, named := strings.Cut(v, "="); named && f == "--from-file" {
				return file
			}
			return strings.TrimPrefix(v, "@")
		}
		return ""
	}
	if v, ok := strings.CutPrefix(t, "@"); ok {
		return v
	}
	if _, after, ok := strings.Cut(t, "=@"); ok {
		return after
	}
	if k, v, ok := strings.Cut(t, "="); ok && k != "" && !strings.ContainsAny(k, "/. ") {
		return v
	}
	return ""
}

// usesOf returns the secret files that c names, each once.
func (j *judge) usesOf(c *shellcmd.Command) []use {
	if j.cur.used {
		return j.cur.uses
	}
	j.cur.used = true
	var out []use
	skip := patternArgs(c)
	args := c.Args()
	for i := range args {
		w := &args[i]
		if g := searchGlob(c, args, i); g != "" {
			if s := secretGlob(g); s != notSecret && s != secretMaybe {
				out = append(out, use{w: w, path: g, kind: s})
				continue
			}
		}
		if i < 64 && skip&(1<<uint(i)) != 0 || leavesOut(c, args, i) {
			continue
		}
		if s, p := j.secretKind(c, w); s != notSecret {
			flag := ""
			if i > 0 && strings.HasPrefix(args[i-1].Text, "-") && len(args[i-1].Text) > 1 {
				flag = args[i-1].Text
			}
			out = append(out, use{w: w, path: p, kind: s, flag: flag})
			continue
		}
		if v := attached(w.Text); v != "" {
			a := tail(w, v)
			if s, p := j.secretKind(c, a); s != notSecret {
				flag, _, _ := strings.Cut(w.Text, "=")
				out = append(out, use{w: a, path: p, kind: s, flag: flag})
				continue
			}
		}
		if c.Program == "git" || c.Program == "rsync" || c.Program == "docker" {
			if _, p, ok := strings.Cut(w.Text, ":"); ok && c.Program == "git" && p != "" {
				if s := secretPath(p); s != notSecret && s != secretMaybe || s == secretMaybe && strings.HasSuffix(p, ".key") {
					out = append(out, use{w: w, path: w.Text, kind: s})
				}
			}
		}
		// The find or list behind {} or xargs.
		for _, n := range w.Subst {
			if s, p := j.listed(n); s != notSecret {
				out = append(out, use{w: w, path: p, kind: s})
				break
			}
		}
	}
	for i := range c.Redirects {
		r := &c.Redirects[i]
		if r.Reads() {
			if s, p := j.secretKind(c, &r.Target); s != notSecret {
				out = append(out, use{w: &r.Target, path: p, kind: s, in: true})
			}
		}
	}
	j.cur.uses = out
	return out
}

// searchGlob returns the pattern of names by which argument i makes a search
// look into files, "" if it is none: --include=P of grep, -g P of rg.
func searchGlob(c *shellcmd.Command, args []word, i int) string {
	switch c.Program {
	case "grep", "egrep", "fgrep", "ggrep", "rg", "ag", "ack":
	default:
		return ""
	}
	t := args[i].Text
	if strings.HasPrefix(t, "!") {
		return "" // what is left out
	}
	for _, f := range [...]string{"--include=", "--glob=", "--iglob="} {
		if v, ok := strings.CutPrefix(t, f); ok {
			return strings.TrimPrefix(v, "**/")
		}
	}
	if i > 0 {
		switch args[i-1].Text {
		case "--include", "--glob", "--iglob":
			return strings.TrimPrefix(t, "**/")
		case "-g":
			if c.Program == "rg" {
				return strings.TrimPrefix(t, "**/")
			}
		}
	}
	return ""
}

// listed says which secret files command n, a find, names.
func (j *judge) listed(n int) (secret, string) {
	if n < 0 || n >= len(j.line.Commands) {
		return notSecret, ""
	}
	c := &j.line.Commands[n]
	if c.Program != "find" && c.Program != "fd" && c.Program != "git" && c.Program != "ls" {
		return notSecret, ""
	}
	args := c.Args()
	for i := range args {
		t := args[i].Text
		if leavesOut(c, args, i) {
			continue
		}
		if c.Program == "find" && i > 0 {
			switch args[i-1].Text {
			case "-name", "-iname", "-path", "-ipath", "-wholename":
				if s := secretGlob(t); s != notSecret && s != secretMaybe {
					return s, t
				}
				continue
			}
		}
		if secretFolder(t) {
			return secretKey, t
		}
		if s := secretPath(t); s != notSecret && s != secretMaybe {
			return s, t
		}
	}
	return notSecret, ""
}

// patternArgs returns as bits which arguments of a search or script program
// are patterns, scripts or messages and no files.
func patternArgs(c *shellcmd.Command) uint64 {
	args := c.Args()
	var bits uint64
	set := func(i int) {
		if i < 64 {
			bits |= 1 << uint(i)
		}
	}
	first := func(valued string, longs ...string) {
		given := false
		for i := 0; i < len(args); i++ {
			t := args[i].Text
			switch {
			case t == "--":
				if !given && i+1 < len(args) {
					set(i + 1)
				}
				return
			case strings.HasPrefix(t, "--"):
				name, _, has := strings.Cut(t, "=")
				if name == "--regexp" || name == "--expression" {
					given = true
					set(i)
					if !has {
						set(i + 1)
						i++
					}
					continue
				}
				if !has {
					for _, l := range longs {
						if l == name {
							set(i + 1)
							i++
						}
					}
				}
			case len(t) > 1 && t[0] == '-':
				for k := 1; k < len(t); k++ {
					if t[k] == 'e' && c.Program != "jq" && c.Program != "awk" {
						given = true
						set(i)
						if k == len(t)-1 {
							set(i + 1)
							i++
						}
						break
					}
					if strings.IndexByte(valued, t[k]) >= 0 {
						if k == len(t)-1 {
							if t[k] != 'f' {
								set(i + 1)
							} else {
								given = true
							}
							i++
						}
						break
					}
				}
			default:
				if !given {
					given = true
					set(i)
				}
			}
		}
	}
	switch c.Program {
	case "grep", "egrep", "fgrep", "zgrep", "ggrep":
		first("efmABCdD", "--max-count", "--after-context", "--before-context", "--context", "--include", "--exclude", "--exclude-dir", "--label", "--color", "--binary-files")
	case "rg", "ag", "ack":
		first("efgtTmABCjrMd", "--glob", "--type", "--iglob", "--max-count", "--replace", "--context", "--after-context", "--before-context", "--ignore", "--type-not")
	case "sed", "gsed":
		first("efl")
	case "awk", "gawk", "mawk", "nawk":
		first("fFv")
	case "jq", "yq":
		first("f", "--arg", "--argjson")
	case "less":
		for i := range args {
			if t := args[i].Text; (t == "-p" || t == "--pattern" || t == "-P" || t == "--prompt") && i+1 < len(args) {
				set(i + 1)
			}
		}
	case "find", "fd":
		for i := range args {
			switch args[i].Text {
			case "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-lname", "-newer":
				set(i + 1)
			}
		}
	case "git":
		if g := parseGit(c); g.sub == "grep" && !has((&grammar{short: "ef"}).parse(g.args), "-e", "-f") {
			for i := range args {
				if len(g.args) > 0 && args[i].Pos >= g.args[0].Pos && !strings.HasPrefix(args[i].Text, "-") && (i == 0 || !valuedGrep(args[i-1].Text)) {
					set(i)
					break
				}
			}
		}
		for i := range args {
			switch args[i].Text {
			case "-m", "--message", "--grep", "-S", "-G", "--author", "-e", "-am", "-C", "-c":
				set(i + 1)
			}
		}
	case "echo", "printf", "print", "tr", "basename", "dirname", "expr":
		bits = ^uint64(0)
	case "gh", "glab":
		for i := range args {
			switch args[i].Text {
			case "--title", "-t", "--body", "-b", "--message", "-m", "--notes", "-n":
				set(i + 1)
			}
		}
	}
	return bits
}

// valuedGrep reports whether a flag of git grep takes the next word.
func valuedGrep(flag string) bool {
	switch flag {
	case "-A", "-B", "-C", "-m", "-O", "--max-depth", "--threads", "--max-count":
		return true
	}
	return false
}

// handling says what a program does with a secret file that it is given.
type handling int

const (
	unknownUse handling = iota // we cannot say
	shows                      // prints the content
	copies                     // writes the content elsewhere
	neutral                    // names, modes, checksums; or uses it as its own credential
	destroys                   // judged by secretDestroy
	sends                      // judged by the exfiltration rules
)

func (j *judge) handles(c *shellcmd.Command) handling {
	args := c.Args()
	first := ""
	if len(args) > 0 {
		first = args[0].Text
	}
	given := func(names ...string) bool {
		for i := range args {
			if slices.Contains(names, args[i].Text) {
				return true
			}
		}
		return false
	}
	name := strings.ToLower(c.Program)
	switch name {
	case "":
		if c.Stdout.Kind == shellcmd.Capture {
			return shows // $(<file)
		}
		return neutral
	case "cat", "tac", "nl", "less", "more", "most", "head", "tail", "bat", "batcat", "sed", "gsed", "awk", "gawk", "mawk", "nawk", "cut", "sort",
		"uniq", "rev", "od", "xxd", "hexdump", "hd", "strings", "base64", "base32", "basenc", "fold", "fmt", "pr", "paste", "join", "comm", "diff",
		"sdiff", "colordiff", "column", "jq", "yq", "view", "zcat", "gunzip", "xzcat", "bzcat", "zless", "zmore", "get-content", "gc", "type",
		"select-string", "cmp", "expand", "unexpand", "look", "iconv", "uuencode", "qrencode", "pygmentize", "glow", "highlight", "tailf", "dog",
		"gcat", "ghead", "gtail", "tee-object", "printf", "dotenv-show", "envdir", "mapfile", "readarray":
		if name == "type" && !c.Has(shellcmd.PowerShell) && !c.Has(shellcmd.Batch) || name == "printf" {
			return neutral
		}
		if name == "cmp" && !given("-l", "--verbose", "-b", "--print-bytes", "-bl", "-lb") {
			return neutral // says where, not what
		}
		if (name == "sed" || name == "gsed") && inPlaceSed(args) {
			return neutral
		}
		if helpOnly((&grammar{}).parse(args)) && len(args) == 1 {
			return neutral
		}
		return shows
	case "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "ggrep":
		for i := range args {
			t := args[i].Text
			switch {
			case t == "--":
			case strings.HasPrefix(t, "--"):
				switch t {
				case "--count", "--files-with-matches", "--files-without-match", "--quiet", "--silent", "--files":
					return neutral
				}
			case len(t) > 1 && t[0] == '-':
				for k := 1; k < len(t); k++ {
					if strings.IndexByte("clLq", t[k]) >= 0 {
						return neutral
					}
					if valued := "efmABCdD"; strings.IndexByte(valued, t[k]) >= 0 || !strings.HasSuffix(name, "grep") && strings.IndexByte("gtTjrM", t[k]) >= 0 {
						break
					}
				}
			}
		}
		return shows
	case "ls", "dir", "stat", "file", "test", "[", "[[", "find", "fd", "du", "df", "wc", "touch", "mkdir", "basename", "dirname", "realpath",
		"readlink", "chmod", "chown", "chgrp", "chattr", "lsattr", "getfacl", "setfacl", "sha1sum", "sha256sum", "sha512sum", "md5sum", "md5",
		"shasum", "cksum", "b2sum", "sum", "echo", "print", "cd", "pushd", "popd", "ssh", "ssh-add", "ssh-keygen", "ssh-copy-id", "ssh-keyscan",
		"mosh", "autossh", "sshfs", "kubectl", "helm", "k9s", "kustomize", "skaffold", "npm", "npx", "pnpm", "yarn", "bun", "node", "deno", "pip",
		"poetry", "uv", "twine", "cargo", "gem", "aws", "gcloud", "gsutil", "az", "terraform", "tofu", "ansible", "ansible-playbook", "psql",
		"mysql", "git-crypt", "sops", "age", "which", "whereis", "command", "exa", "eza", "lsd", "tree", "xargs", "parallel", "true", "false", ":",
		"test-path", "get-item", "get-childitem", "exit", "return", "export", "unset", "local", "declare", "openssl-verify", "nginx", "caddy",
		"apachectl", "haproxy", "mkcert", "certbot", "ssh-agent", "gitleaks", "trufflehog", "detect-secrets", "ggshield", "trap", "wait", "open",
		"xdg-open", "flutter", "gradle", "mvn", "java", "keytool", "jarsigner", "apksigner", "codesign", "curl", "wget", "dotenv", "direnv", "env",
		"time", "timeout", "read", "pg_dump", "redis-cli", "mongosh", "fly", "vercel", "netlify", "heroku", "make", "just", "task":
		switch name {
		case "node", "deno", "bun", "uv", "npx":
			for i := range args {
				if strings.HasPrefix(args[i].Text, "--env-file") {
					return unknownUse
				}
			}
		case "curl", "wget":
			for i := range args {
				if strings.HasPrefix(args[i].Text, "file://") {
					return shows
				}
				if i > 0 && (args[i-1].Text == "-K" || args[i-1].Text == "--config") {
					if s, _ := j.secretKind(c, &args[i]); s != notSecret {
						return unknownUse // what it does not know of it, it shows
					}
				}
			}
			return sends
		case "read":
			return unknownUse
		case "xargs":
			if j.echoes() {
				return shows
			}
		case "kubectl", "oc":
			switch {
			case first == "cp":
				return copies
			case first == "create":
				return unknownUse
			}
		}
		return neutral
	case "rm", "grm", "mv", "gmv", "unlink", "shred", "truncate", "tee", "trash", "trash-put", "srm", "remove-item", "move-item", "del", "erase", "rd":
		return destroys
	case "cp", "gcp", "ln", "link", "install", "ginstall", "copy-item", "copy", "xcopy", "ditto":
		if given("--attributes-only") {
			return neutral
		}
		return copies
	case "dd":
		if v := ddOut(args); v == "" || v == "/dev/stdout" {
			return shows
		}
		return copies
	case "tar", "bsdtar", "gtar", "zip", "7z", "7za", "rar", "gzip", "bzip2", "xz", "zstd", "cpio", "pax", "ar", "split", "csplit", "pigz", "lz4", "compress":
		if given("-t", "-tf", "tf", "-tvf", "tvf", "--list", "-l", "-tzf", "tzf", "-x", "xf", "-xf", "xzf", "-xzf") {
			return neutral
		}
		return copies
	case "openssl":
		switch first {
		case "x509", "verify", "req", "s_client", "s_server", "dgst", "ciphers", "version", "genrsa", "genpkey", "ecparam", "crl", "ca", "ts":
			return neutral
		case "enc", "smime", "cms":
			return copies
		}
		return shows
	case "gpg", "gpg2":
		if given("--import", "--list-keys", "-k", "-K", "--list-secret-keys", "--verify", "--sign", "-s", "--detach-sign", "-b") {
			return neutral
		}
		return shows
	case "git":
		return j.gitHandles(c)
	case "docker", "podman", "nerdctl", "docker-compose":
		if (name == "docker-compose" || first == "compose") && !(given("--env-file") && (given("config") || given("convert"))) {
			return neutral
		}
		for i := range args {
			if strings.HasPrefix(args[i].Text, "--env-file") {
				return unknownUse
			}
		}
		if first == "cp" {
			return copies
		}
		return neutral
	case "rsync", "scp":
		for i := range args {
			if remoteSpec(args[i].Text) || unknown(&args[i]) {
				return sends
			}
		}
		return copies
	case "sftp", "rclone", "nc", "ncat", "netcat", "socat", "http", "https", "xh", "ftp", "lftp", "ncftp", "smbclient", "mail", "mailx", "mutt", "sendmail",
		"telnet", "websocat", "croc", "wormhole", "magic-wormhole":
		return sends
	case "source", ".":
		return unknownUse
	}
	return unknownUse
}

// echoes reports whether the current command, an xargs, hands what it reads to
// a program that prints its arguments.
func (j *judge) echoes() bool {
	for i := range j.line.Commands {
		if c := &j.line.Commands[i]; c.Parent == j.cur.index && c.Via == shellcmd.ViaExec {
			switch c.Program {
			case "echo", "printf", "print":
				return true
			}
		}
	}
	return false
}

func inPlaceSed(args []word) bool {
	as := sedFlags.parse(args)
	for i := range as {
		f := as[i].flag
		if f == "-i" || f == "-I" || long(f, "--in-place", 2) {
			return true
		}
	}
	return false
}

func ddOut(args []word) string {
	for i := range args {
		if v, ok := strings.CutPrefix(args[i].Text, "of="); ok {
			return v
		}
	}
	return ""
}

// gitHandles says what a git command does with a secret file that it names.
func (j *judge) gitHandles(c *shellcmd.Command) handling {
	g := j.git(c)
	given := func(names ...string) bool {
		for i := range g.args {
			if slices.Contains(names, g.args[i].Text) {
				return true
			}
		}
		return false
	}
	switch g.sub {
	case "show", "cat-file", "blame", "annotate", "grep", "archive":
		if given("--name-only", "--name-status", "--stat", "-l", "--files-with-matches", "-c", "--count", "-e", "-t", "-s", "--no-patch") && g.sub != "blame" {
			return neutral
		}
		return shows
	case "diff", "difftool", "diff-index", "diff-files", "diff-tree", "format-patch":
		if given("--name-only", "--name-status", "--stat", "--numstat", "--shortstat", "--quiet", "--exit-code", "--no-patch", "-s") {
			return neutral
		}
		return shows
	case "log", "whatchanged", "stash":
		if given("-p", "-u", "--patch", "-c", "--cc") || g.sub == "log" && given("-L") {
			return shows
		}
		return neutral
	case "add", "stage":
		if given("-n", "--dry-run") {
			return neutral
		}
		return unknownUse
	case "hash-object":
		return unknownUse
	}
	return neutral
}

func secretRead(j *judge, c *shellcmd.Command) (match, bool) {
	for i := range c.Effects {
		e := &c.Effects[i]
		if e.Kind == shellcmd.ReadFile {
			if s, p := j.secretKind(c, &e.Path); s != notSecret {
				return match{what: "reads " + oneLine(p)}, true
			}
		}
	}
	uses := j.usesOf(c)
	if len(uses) == 0 {
		// A search through a whole folder of secrets.
		switch c.Program {
		case "grep", "egrep", "rg", "ag", "ack":
			for i, a := range c.Args() {
				if i > 0 && secretFolder(a.Text) && !unknown(&a) && j.handles(c) == shows {
					return match{what: "searches " + oneLine(a.Text)}, true
				}
			}
		}
		return match{}, false
	}
	if h := j.handles(c); h == shows && !j.keysOnly(c, uses) || c.Program == "tee" && uses[0].in {
		return match{what: "shows " + oneLine(uses[0].path)}, true
	}
	return match{}, false
}

func secretCopy(j *judge, c *shellcmd.Command) (match, bool) {
	uses := j.usesOf(c)
	if len(uses) == 0 {
		// A whole folder of secrets.
		switch c.Program {
		case "cp", "gcp", "tar", "bsdtar", "zip", "7z", "ditto", "rsync":
			for _, a := range c.Args() {
				if !strings.HasPrefix(a.Text, "-") && secretFolder(a.Text) && !unknown(&a) && j.handles(c) == copies {
					return match{what: "copies " + oneLine(a.Text)}, true
				}
			}
		}
		return match{}, false
	}
	if j.handles(c) != copies {
		return match{}, false
	}
	for _, w := range j.writesOf(c) {
		if w.from == nil {
			continue
		}
		for i := range uses {
			if uses[i].w == w.from && !j.sibling(c, w.from, w.path) {
				return match{what: "copies " + oneLine(uses[i].path) + " to " + oneLine(showWord(w.path))}, true
			}
		}
	}
	switch c.Program {
	case "cp", "gcp", "ln", "link", "install", "ginstall", "copy-item", "copy":
		return match{}, false
	}
	return match{what: "packs or copies " + oneLine(uses[0].path)}, true
}

// sibling reports whether a copy of a secret file keeps a name that is still
// that of a secret, inside the project or beside the original.
func (j *judge) sibling(c *shellcmd.Command, from, to *word) bool {
	a, ok1 := j.abs(c.Dir, from.Text)
	b, ok2 := j.abs(c.Dir, to.Text)
	if !ok1 || !ok2 {
		return false
	}
	if secretPath(b) == notSecret {
		// Into a folder: the write of folder/name is judged, too.
		return j.isDir(b) || strings.HasSuffix(to.Text, "/") || to.Text == "."
	}
	return path.Dir(a) == path.Dir(b) || j.below(j.root, b)
}

func (j *judge) isDir(p string) bool {
	if j.fs == nil {
		return false
	}
	fi, err := j.fs.Stat(p)
	return err == nil && fi.IsDir()
}

// testValues reports whether a file of variables is by its name one for tests,
// which repositories hold.
func testValues(p string) bool {
	switch strings.ToLower(baseName(p)) {
	case ".env.test", ".env.testing", ".env.ci", ".env.defaults":
		return true
	}
	return false
}

func secretUse(j *judge, c *shellcmd.Command) (match, bool) {
	for i := range c.Code {
		k := &c.Code[i]
		if k.From == shellcmd.FromFile {
			if s, p := j.secretKind(c, &k.File); s == secretEnv && !testValues(p) {
				return match{what: "runs " + oneLine(p)}, true
			}
		}
	}
	if j.fillsIn(c) {
		return match{what: "shows settings with the values of .env filled in"}, true
	}
	uses := j.usesOf(c)
	if len(uses) == 0 {
		if p := servedFolder(c); p != "" {
			return match{what: "serves " + oneLine(p)}, true
		}
		return match{}, false
	}
	switch j.handles(c) {
	case unknownUse:
		for i := range uses {
			if (!uses[i].in || c.Program != "") && !testValues(uses[i].path) {
				return match{what: "uses " + oneLine(uses[i].path)}, true
			}
		}
	case copies:
		switch c.Program {
		case "cp", "gcp", "install", "ginstall", "ln", "link", "copy-item", "copy":
			for _, w := range j.writesOf(c) {
				for i := range uses {
					if w.from != nil && uses[i].w == w.from && j.sibling(c, w.from, w.path) && secretPath(w.path.Text) != notSecret {
						return match{what: "copies " + oneLine(uses[i].path) + " beside it"}, true
					}
				}
			}
		}
	}
	return match{}, false
}

// fillsIn reports whether c prints a Compose file whose variables a .env in its
// folder fills in.
func (j *judge) fillsIn(c *shellcmd.Command) bool {
	args := c.Args()
	switch c.Program {
	case "docker", "podman", "nerdctl":
		if len(args) == 0 || args[0].Text != "compose" {
			return false
		}
		args = args[1:]
	case "docker-compose", "podman-compose":
	default:
		return false
	}
	config := false
	for i := range args {
		switch t := args[i].Text; t {
		case "config", "convert":
			config = true
		case "-q", "--quiet", "--services", "--volumes", "--images", "--profiles", "--networks", "--no-interpolate", "--hash", "--help", "--variables", "--models":
			return false
		case "up", "down", "build", "run", "exec", "logs", "ps", "pull", "push", "start", "stop", "restart", "rm", "kill":
			if !config {
				return false
			}
		}
	}
	if !config || c.Stdout.Kind == shellcmd.Closed {
		return false
	}
	p, ok := j.abs(c.Dir, ".env")
	return ok && j.exists(p)
}

// servedFolder returns the folder of secrets that c opens to the network.
func servedFolder(c *shellcmd.Command) string {
	args := c.Args()
	serves := false
	switch c.Program {
	case "serve", "http-server", "live-server", "miniserve", "darkhttpd", "simple-http-server":
		serves = true
	}
	for i := range args {
		serves = serves || i > 0 && args[i-1].Text == "-m" && args[i].Text == "http.server"
		if serves && !strings.HasPrefix(args[i].Text, "-") && !unknown(&args[i]) && secretFolder(args[i].Text) {
			return args[i].Text
		}
	}
	return ""
}

// onlyIfMissing reports whether the current command runs only where the file
// that w names is not there yet: test -f w || …, cp -n.
func (j *judge) onlyIfMissing(w *word) bool {
	cmds := j.line.Commands
	i := j.cur.index
	c := &cmds[i]
	if c.Program == "cp" && has(cpFlags.parse(c.Args()), "-n", "--no-clobber") {
		return true
	}
	if i == 0 || !c.Has(shellcmd.Conditional) || cmds[i-1].End > c.Pos || c.Pos > len(j.line.Source) {
		return false
	}
	p := &cmds[i-1]
	switch p.Program {
	case "test", "[", "[[":
	default:
		return false
	}
	named, not := false, p.Has(shellcmd.Negated)
	for _, a := range p.Args() {
		named = named || a.Text == w.Text
		not = not || a.Text == "!"
	}
	between := j.line.Source[cmds[i-1].End:c.Pos]
	return named && (strings.Contains(between, "||") && !not || not && (strings.Contains(between, "&&") || strings.Contains(between, "then")))
}

// makesKey reports whether a program is one that makes keys and certificates.
func makesKey(program string) bool {
	switch program {
	case "openssl", "ssh-keygen", "mkcert", "step", "certtool", "keytool", "cfssl", "certbot", "age-keygen", "wg", "minisign", "cosign", "libressl", "easyrsa", "gpg":
		return true
	}
	return false
}

func secretDestroy(j *judge, c *shellcmd.Command) (match, bool) {
	if c.Has(shellcmd.Remote) {
		return match{}, false
	}
	ws := j.writesOf(c)
	for i := range ws {
		w := &ws[i]
		if w.appends && !w.remove || w.mode {
			continue
		}
		s, p := j.secretKind(c, w.path)
		if s == notSecret && w.path.Glob {
			s = secretGlob(w.path.Text)
			p = w.path.Raw
			if s == secretMaybe {
				s = notSecret
			}
		}
		if s == notSecret && sshFile(w.path.Text) {
			s, p = secretKey, w.path.Text
		}
		if s == notSecret {
			continue
		}
		verb := "overwrites "
		if w.remove {
			verb = "removes "
		} else if makesKey(c.Program) {
			// A new key may be made; one that is there may not be lost.
			if !j.anyExists(c, w.path) {
				continue
			}
		} else if s == secretEnv {
			// A new file may be made; one that is there may not be lost.
			bare := c.Program == "" || c.Program == "truncate"
			if !bare && (!j.anyExists(c, w.path) || j.onlyIfMissing(w.path)) {
				continue
			}
			if w.inPlace {
				verb = "changes "
			}
		}
		return match{what: verb + oneLine(p)}, true
	}
	return match{}, false
}

// sshFile reports whether a path is one by which people log in.
func sshFile(p string) bool {
	dir, base := path.Split(p)
	return path.Base(strings.TrimSuffix(dir, "/")) == ".ssh" && (base == "authorized_keys" || base == "authorized_keys2" || base == "config")
}

func (j *judge) anyExists(c *shellcmd.Command, w *word) bool {
	return slices.ContainsFunc(j.paths(c, w), j.exists)
}

// secretName reports whether a variable's name says that it holds a secret.
func secretName(name string) bool {
	if name == "" || name != strings.ToUpper(name) {
		return false
	}
	segs := strings.Split(name, "_")
	for i, s := range segs {
		switch s {
		case "SECRET", "SECRETS", "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "APIKEY", "CREDENTIALS", "CREDENTIAL", "PAT":
			// GITHUB_TOKEN, but not TOKEN_URL or SECRET_NAME.
			if i+1 < len(segs) {
				switch segs[len(segs)-1] {
				case "URL", "NAME", "PATH", "FILE", "DIR", "ID", "TYPE", "TTL", "COUNT", "LIMIT", "LIMITS", "LENGTH", "EXPIRY", "ENDPOINT", "HOST", "PORT":
					continue
				}
			}
			return true
		case "KEY":
			if len(segs) > 1 && i > 0 {
				switch segs[i-1] {
				case "PUBLIC", "PRIMARY", "FOREIGN", "SORT", "CACHE", "PARTITION", "HOST", "PUB":
					continue
				}
				if i+1 == len(segs) {
					return true
				}
			}
		case "PASS":
			if len(segs) > 1 && i+1 == len(segs) {
				return true
			}
		}
	}
	return false
}

func secretVariable(j *judge, c *shellcmd.Command) (match, bool) {
	show := func(name string) (match, bool) { return match{what: "prints " + name}, true }
	switch c.Program {
	case "echo", "printf", "print", "write-host", "write-output":
	case "printenv":
		for _, a := range c.Args() {
			if secretName(a.Text) && j.visible(c) {
				return show(a.Text)
			}
		}
		return match{}, false
	default:
		return match{}, false
	}
	if !j.visible(c) {
		return match{}, false
	}
	for _, a := range c.Args() {
		for _, v := range a.Vars {
			v = strings.TrimPrefix(strings.TrimPrefix(v, "env:"), "Env:")
			if secretName(v) && !strings.Contains(a.Raw, "${"+v+":+") && !strings.Contains(a.Raw, "${"+v+"+") && !strings.Contains(a.Raw, "${#"+v) {
				return show(v)
			}
		}
		if t := a.Text; len(t) > 2 && t[0] == '%' && t[len(t)-1] == '%' && secretName(t[1:len(t)-1]) {
			return show(t[1 : len(t)-1])
		}
	}
	return match{}, false
}

// visible reports whether what c prints is shown, by itself or through a
// filter, and not taken by a program.
func (j *judge) visible(c *shellcmd.Command) bool {
	switch c.Stdout.Kind {
	case shellcmd.Inherit:
		return true
	case shellcmd.Pipe:
		for _, i := range c.Stdout.Peers {
			if i < 0 || i >= len(j.line.Commands) || i == j.cur.index {
				continue
			}
			switch n := &j.line.Commands[i]; n.Program {
			case "cat", "tee", "head", "tail", "sort", "tr", "rev", "base64", "sed", "less", "more", "xxd", "od", "cut", "fold", "grep", "awk", "nl":
				if n.Stdout.Kind == shellcmd.Inherit {
					return true
				}
			}
		}
	}
	return false
}

// dumpsEnvironment reports whether c prints the whole environment.
func dumpsEnvironment(c *shellcmd.Command) bool {
	args := c.Args()
	plain := func() bool {
		for i := range args {
			if t := args[i].Text; t != "-0" && t != "--null" {
				return false
			}
		}
		return true
	}
	switch c.Program {
	case "env", "printenv":
		if c.Program == "env" {
			for i := range args {
				switch t := args[i].Text; {
				case t == "-0", t == "--null", strings.HasPrefix(t, "-u"), strings.HasPrefix(t, "--unset"):
				case i > 0 && args[i-1].Text == "-u":
				case strings.Contains(t, "=") && !strings.HasPrefix(t, "-"):
				default:
					return false
				}
			}
			return true
		}
		return plain()
	case "export", "readonly", "typeset", "declare":
		if len(args) == 0 {
			return c.Program != "readonly"
		}
		return len(args) == 1 && (args[0].Text == "-p" || args[0].Text == "-x" || args[0].Text == "-xp" || args[0].Text == "-px")
	case "set":
		return len(args) == 0
	case "ps": // ps eww, ps auxe: every process with its environment
		return len(args) > 0 && isLetters(args[0].Text) && strings.Contains(args[0].Text, "e") && !strings.ContainsAny(args[0].Text, "oOp")
	case "jq", "gojq":
		for i := range args {
			if t := strings.TrimSpace(args[i].Text); t == "env" || t == "$ENV" {
				return i == 0 || !strings.HasPrefix(args[i-1].Text, "--arg")
			}
		}
	case "docker", "podman", "nerdctl":
		inspect := false
		for i := range args {
			inspect = inspect || i < 2 && args[i].Text == "inspect"
			if inspect && strings.Contains(args[i].Text, ".Config.Env") {
				return true
			}
		}
	case "get-childitem", "gci", "dir", "ls", "get-item":
		for i := range args {
			if t := strings.ToLower(strings.TrimRight(args[i].Text, `\/*`)); t == "env:" {
				return true
			}
		}
	}
	return false
}

func environmentDump(j *judge, c *shellcmd.Command) (match, bool) {
	for i := range c.Effects {
		if c.Effects[i].Kind == shellcmd.ReadEnv {
			if printsEnv(c) {
				return match{what: "shows the environment"}, true
			}
		}
	}
	if !dumpsEnvironment(c) && !loopsEnvironment(c) {
		return match{}, false
	}
	out := c.Stdout
	for n := c.Parent; len(out.Peers) == 0 && (c.Via == shellcmd.ViaExec || c.Via == shellcmd.ViaCode) && n >= 0 && n < len(j.line.Commands); n = j.line.Commands[n].Parent {
		out = j.line.Commands[n].Stdout // docker exec web env | grep x
	}
	if out.Kind == shellcmd.Pipe {
		for _, i := range out.Peers {
			if i >= 0 && i < len(j.line.Commands) && filtersEnv(&j.line.Commands[i]) {
				return match{}, false
			}
		}
	}
	if c.Stdout.Kind == shellcmd.Closed {
		return match{}, false
	}
	return match{what: "shows the environment"}, true
}

// loopsEnvironment reports whether a program in another language goes through
// the environment and prints values of it, without picking names.
func loopsEnvironment(c *shellcmd.Command) bool {
	for i := range c.Code {
		t := c.Code[i].Text
		switch c.Code[i].Lang {
		case shellcmd.LangPython:
			if _, after, ok := strings.Cut(t, "environ.items()"); ok && strings.Contains(t, "print") && !strings.Contains(after, " if ") && !strings.Contains(after, "if ") {
				return true
			}
		case shellcmd.LangRuby:
			if strings.Contains(t, "ENV.each") && (strings.Contains(t, "puts") || strings.Contains(t, "print")) && !strings.Contains(t, " if ") && !strings.Contains(t, "ENV.each_key") {
				return true
			}
		case shellcmd.LangPerl:
			if strings.Contains(t, "%ENV") && (strings.Contains(t, "$ENV{$") || strings.Contains(t, "each %ENV")) && (strings.Contains(t, "print") || strings.Contains(t, "say")) && !strings.Contains(t, "grep") && !strings.Contains(t, " if ") {
				return true
			}
		case shellcmd.LangPHP:
			all := strings.Contains(t, "$_ENV as") || strings.Contains(t, "$_SERVER as") || strings.Contains(t, "getenv() as")
			if all && strings.Contains(t, "=>") && (strings.Contains(t, "echo") || strings.Contains(t, "print")) && !strings.Contains(t, "if ") && !strings.Contains(t, "if(") {
				return true
			}
		case shellcmd.LangAwk:
			if strings.Contains(t, "in ENVIRON)") && strings.Contains(t, "ENVIRON[") && strings.Contains(t, "print") && !strings.Contains(t, "if ") && !strings.Contains(t, "if(") {
				return true
			}
		}
	}
	return false
}

// printsEnv reports whether a program in another language prints what it took
// of the environment as a whole.
func printsEnv(c *shellcmd.Command) bool {
	for _, a := range c.Args() {
		if c.Program == "node" || c.Program == "bun" {
			if a.Text == "-p" || a.Text == "-pe" || a.Text == "--print" {
				return true
			}
		}
	}
	for i := range c.Code {
		t := c.Code[i].Text
		for _, p := range [...]string{"print", "console.", "puts", "p ENV", "echo", "dump", "write", "var_dump", "pp "} {
			if strings.Contains(t, p) {
				return true
			}
		}
	}
	return false
}

// filtersEnv reports whether a command passes on only chosen names of a dump.
func filtersEnv(c *shellcmd.Command) bool {
	args := c.Args()
	if reportMail(c) {
		return true
	}
	switch c.Program {
	case "wc":
		return true
	case "cut":
		for i := range args {
			if t := args[i].Text; t == "-f1" || t == "-f" && i+1 < len(args) && args[i+1].Text == "1" {
				return true
			}
		}
	case "grep", "egrep", "fgrep", "rg", "select-string":
		inverted := false
		pattern := ""
		for i := range args {
			t := args[i].Text
			if strings.HasPrefix(t, "-") && len(t) > 1 {
				inverted = inverted || !strings.HasPrefix(t, "--") && strings.Contains(t, "v") || t == "--invert-match"
				if !strings.HasPrefix(t, "--") && strings.ContainsAny(t, "cq") {
					return true
				}
				continue
			}
			if pattern == "" {
				pattern = t
			}
		}
		if inverted || len(strings.Trim(pattern, ".*^$")) < 2 {
			return false
		}
		up := strings.ToUpper(pattern)
		for _, s := range [...]string{"SECRET", "TOKEN", "PASS", "KEY", "CRED", "AUTH"} {
			if strings.Contains(up, s) {
				return false
			}
		}
		return true
	}
	return false
}

func credentialCommand(_ *judge, c *shellcmd.Command) (match, bool) {
	args := c.Args()
	var ops []string
	for i := range args {
		if t := args[i].Text; !strings.HasPrefix(t, "-") {
			ops = append(ops, t)
		}
	}
	op := func(i int) string {
		if i < len(ops) {
			return ops[i]
		}
		return ""
	}
	flag := func(names ...string) bool { return has((&grammar{}).parse(args), names...) }
	hit := false
	switch c.Program {
	case "gh":
		hit = op(0) == "auth" && op(1) == "token" || op(0) == "auth" && op(1) == "status" && (flag("--show-token") || flag("-t"))
	case "gcloud":
		hit = op(0) == "auth" && (strings.HasPrefix(op(1), "print-") || op(1) == "application-default" && strings.HasPrefix(op(2), "print-")) ||
			op(0) == "secrets" && op(1) == "versions" && op(2) == "access"
	case "aws":
		hit = op(0) == "configure" && (op(1) == "get" && (strings.Contains(op(2), "secret") || strings.Contains(op(2), "token")) || op(1) == "export-credentials") ||
			op(0) == "sts" && (op(1) == "get-session-token" || op(1) == "assume-role") || op(0) == "secretsmanager" && op(1) == "get-secret-value" ||
			op(0) == "ssm" && strings.HasPrefix(op(1), "get-parameter") && flag("--with-decryption") || op(0) == "ecr" && op(1) == "get-login-password" && c.Stdout.Kind == shellcmd.Inherit
	case "az":
		hit = op(0) == "account" && op(1) == "get-access-token" || op(0) == "keyvault" && op(1) == "secret" && op(2) == "show"
	case "security":
		hit = op(0) == "dump-keychain" || strings.HasPrefix(op(0), "find-") && strings.HasSuffix(op(0), "-password") && (flag("-w") || flag("-g")) || op(0) == "export"
	case "pass", "gopass":
		hit = op(0) == "show" || len(ops) == 1 && op(0) != "ls" && op(0) != "list" && op(0) != "init" && op(0) != "help" && op(0) != "version" && op(0) != "git"
	case "op":
		hit = op(0) == "read" || op(0) == "item" && op(1) == "get"
	case "bw":
		hit = op(0) == "get" && (op(1) == "password" || op(1) == "item" || op(1) == "notes" || op(1) == "totp") || op(0) == "export"
	case "vault":
		hit = op(0) == "kv" && op(1) == "get" || op(0) == "read" || op(0) == "print" && op(1) == "token"
	case "kubectl", "oc":
		o := false
		for i := range args {
			if t := args[i].Text; t == "-o" || strings.HasPrefix(t, "-o") || strings.HasPrefix(t, "--output") || strings.HasPrefix(t, "--template") {
				o = !(t == "-owide" || t == "-oname" || t == "-o" && i+1 < len(args) && (args[i+1].Text == "wide" || args[i+1].Text == "name"))
			}
		}
		hit = op(0) == "get" && o && (op(1) == "secret" || op(1) == "secrets" || strings.HasPrefix(op(1), "secret/")) || op(0) == "config" && op(1) == "view" && flag("--raw")
	case "git":
		hit = op(0) == "credential" && op(1) == "fill" || strings.HasPrefix(op(0), "credential-") && op(1) == "get"
	case "heroku":
		hit = op(0) == "config" || op(0) == "config:get" || op(0) == "auth:token"
	case "doppler":
		hit = op(0) == "secrets" && op(1) != "set"
	case "keyring", "secret-tool":
		hit = op(0) == "get" || op(0) == "lookup"
	case "npm":
		hit = op(0) == "token" && (op(1) == "list" || op(1) == "ls" || op(1) == "create") || op(0) == "config" && op(1) == "get" && strings.Contains(op(2), "_auth")
	case "vercel", "netlify":
		hit = op(0) == "env" && (op(1) == "pull" || op(1) == "ls")
		if op(1) == "ls" {
			hit = false
		}
	case "gpg", "gpg2":
		hit = flag("--export-secret-keys", "--export-secret-subkeys")
	case "sops", "age", "ansible-vault":
		hit = flag("-d", "--decrypt") || op(0) == "decrypt" || op(0) == "view"
	}
	if strings.HasPrefix(c.Program, "docker-credential-") {
		hit = op(0) == "get"
	}
	if !hit {
		return match{}, false
	}
	return match{what: "prints a credential"}, true
}
