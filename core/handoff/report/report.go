// Package report sees what a command is about to post on a pull request, and
// whether it is an acceptance-test report that nobody's renderer made.
//
// It imports core/handoff/pr, core/shellcmd and the standard library only.
package report

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/handoff/pr"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// ReadFile reads a file by its absolute path.
type ReadFile func(path string) ([]byte, error)

// Post is a text that a command puts on a pull request.
type Post struct {
	Verb   string    // comment, create, edit, review, note, update, patch (gh api, glab api)
	Target pr.Target // of an edited comment only the repository is known
	Body   string    // what could be seen of it

	// Hidden says that a part could not be seen which may be as long as a report:
	// the output of a program, a file, a variable that fills a line. One inside a
	// line is not counted.
	Hidden bool
}

// Mentions reports whether a command line may post: a cheap test that errs to
// yes.
func Mentions(command string) bool {
	if !strings.Contains(command, "gh") && !strings.Contains(command, "glab") {
		return false
	}
	for _, word := range [...]string{"comment", "create", "new", "edit", "review", "note", "update", "pulls/", "merge_requests/", "issues/", "graphql"} {
		if strings.Contains(command, word) {
			return true
		}
	}
	return strings.ContainsAny(command, "\"'\\") // a word in pieces
}

// Posts returns what a line posts through gh pr comment|create|edit|review, glab
// mr note|create|update, and gh api or glab api on a pull request, its comments
// or GraphQL: inline, from a file that read can read or that the line itself
// writes, a heredoc, $(cat file), a pipe or JSON input. read may be nil.
func Posts(l *shellcmd.Line, read ReadFile) []Post {
	if l == nil {
		return nil
	}
	var out []Post
	for i := range l.Commands {
		c := &l.Commands[i]
		if c.Has(shellcmd.Uncalled) || c.Has(shellcmd.Loose) {
			continue
		}
		s := &seer{line: l, read: read, cmd: i}
		var p Post
		var ok bool
		switch c.Program {
		case "gh", "glab":
			if args := c.Args(); len(args) > 0 && args[0].Text == "api" {
				p, ok = s.api(c)
			} else {
				p, ok = s.verb(c)
			}
		}
		if ok {
			p.Body, p.Hidden = s.text(), s.hidden
			out = append(out, p)
		}
	}
	return out
}

// seer collects what can be seen of one post.
type seer struct {
	line   *shellcmd.Line
	read   ReadFile
	cmd    int
	parts  []string
	hidden bool
	spent  int // work done, so that a made-up line cannot cost more than its length
}

func (s *seer) text() string {
	return strings.ReplaceAll(strings.Join(s.parts, "\n"), shellcmd.Unknown, "…")
}

func (s *seer) add(text string) {
	s.parts = append(s.parts, text)
	for line := range strings.Lines(text) {
		if strings.Contains(line, shellcmd.Unknown) && strings.Trim(line, shellcmd.Unknown+" \t\r\n") == "" {
			s.hidden = true
		}
	}
}

// verb reads gh pr VERB and glab mr VERB.
func (s *seer) verb(c *shellcmd.Command) (Post, bool) {
	verb, target, ok := pr.TargetOf(c)
	if !ok {
		return Post{}, false
	}
	var body, file []string
	switch {
	case target.GitLab && verb == "note":
		body, file = []string{"m", "message"}, []string{"file"}
	case target.GitLab && (verb == "create" || verb == "new" || verb == "update"):
		body = []string{"d", "description"}
	case !target.GitLab && (verb == "comment" || verb == "create" || verb == "new" || verb == "edit" || verb == "review"):
		body, file = []string{"b", "body"}, []string{"F", "body-file"}
	case !target.GitLab && (verb == "close" || verb == "reopen"):
		body = []string{"c", "comment"}
		verb = "comment"
	default:
		return Post{}, false
	}
	if verb == "new" {
		verb = "create"
	}
	found := false
	each(c, func(name string, value shellcmd.Word) {
		switch {
		case slices.Contains(body, name):
			s.word(value, "")
		case slices.Contains(file, name):
			s.file(value, false)
		default:
			return
		}
		found = true
	})
	return Post{Verb: verb, Target: target}, found
}

// each calls fn for every flag of c with the value that it would have: what is
// glued to it or, else, the next word.
func each(c *shellcmd.Command, fn func(name string, value shellcmd.Word)) {
	args := c.Args()
	for i := range args {
		text := args[i].Text
		if len(text) < 2 || text[0] != '-' || args[i].Quoted && strings.ContainsAny(text, " \n") && !strings.Contains(text, "=") {
			continue
		}
		if i > 0 && takesText(args[i-1].Text) && (args[i-1].Text != "-c" || !strings.HasPrefix(text, "-b")) {
			continue // a value that begins with a dash
		}
		value := shellcmd.Word{}
		if i+1 < len(args) {
			value = args[i+1]
		}
		glue := func(rest string) shellcmd.Word {
			w := args[i]
			w.Text = rest
			return w
		}
		if long, ok := strings.CutPrefix(text, "--"); ok {
			name, rest, eq := strings.Cut(long, "=")
			if eq {
				value = glue(rest)
			}
			fn(name, value)
			continue
		}
		if len(text) > 2 {
			value = glue(strings.TrimPrefix(text[2:], "="))
		}
		fn(text[1:2], value)
	}
}

// takesText reports whether a flag's value is free text, which may begin with a
// dash.
func takesText(flag string) bool {
	switch flag {
	case "-b", "--body", "-m", "--message", "-d", "--description", "-t", "--title", "-c", "--comment", "-f", "-F", "--field", "--raw-field":
		return true
	}
	return false
}

// api reads gh api and glab api calls that write a comment, a note or a
// description.
func (s *seer) api(c *shellcmd.Command) (Post, bool) {
	method, endpoint := "", ""
	var bodies []func()
	var query []shellcmd.Word
	field := func(w shellcmd.Word, raw bool) {
		key, value, ok := strings.Cut(w.Text, "=")
		if !ok {
			return
		}
		w.Text = value
		switch {
		case key == "query":
			query = append(query, w)
		case key == "body" || key == "description" || strings.HasSuffix(key, "[body]"):
			bodies = append(bodies, func() {
				if path, ok := strings.CutPrefix(value, "@"); ok && !raw {
					w.Text = path
					s.file(w, false)
				} else {
					s.word(w, key+"=")
				}
			})
		}
	}
	each(c, func(name string, value shellcmd.Word) {
		switch name {
		case "X", "method":
			method = strings.ToUpper(value.Text)
		case "f", "raw-field":
			field(value, true)
		case "F", "field":
			field(value, false)
		case "input":
			bodies = append(bodies, func() { s.file(value, true) })
		}
	})
	for _, w := range c.Args()[1:] {
		if strings.Contains(w.Text, "/") && !strings.ContainsAny(w.Text, "= \n") || w.Text == "graphql" {
			endpoint = strings.TrimPrefix(w.Text, "/")
			break
		}
	}
	if method == "" && len(bodies) > 0 {
		method = "POST"
	}
	p := Post{Verb: "patch"}
	if endpoint == "graphql" {
		if !s.mutates(query) && !(len(query) == 0 && len(bodies) > 0) {
			return Post{}, false
		}
	} else {
		if method != "PATCH" && method != "POST" && method != "PUT" || !isPost(endpoint) {
			return Post{}, false
		}
		if method == "POST" {
			p.Verb = "comment"
		}
		if ref, _, ok := pr.APIPath(endpoint); ok {
			p.Target.Ref = ref
		} else {
			p.Target.Ref = repoOf(endpoint)
		}
	}
	for _, see := range bodies {
		see()
	}
	return p, len(bodies) > 0 || len(s.parts) > 0
}

// mutates reports whether a GraphQL query writes a text, and takes it for one.
func (s *seer) mutates(query []shellcmd.Word) bool {
	found := false
	for _, w := range query {
		for _, m := range [...]string{"addComment", "updateIssueComment", "updatePullRequest", "addPullRequestReview", "createNote", "updateNote", "updateDiscussion"} {
			if strings.Contains(w.Text, m) {
				s.add(strings.ReplaceAll(w.Text, `\n`, "\n"))
				found = true
				break
			}
		}
	}
	return found
}

// isPost reports whether an API address is that of a pull request or of a text
// on one.
func isPost(endpoint string) bool {
	endpoint, _, _ = strings.Cut(endpoint, "?")
	part := strings.Split(endpoint, "/")
	for i, p := range part {
		switch p {
		case "issues", "pulls", "merge_requests":
			rest := part[i+1:]
			switch {
			case len(rest) == 0:
				return p != "issues" // opening one
			case len(rest) == 1:
				return true
			case rest[0] == "comments":
				return true
			case len(rest) >= 2 && (rest[1] == "comments" || rest[1] == "notes" || rest[1] == "reviews" || rest[1] == "discussions"):
				return true
			}
		}
	}
	return false
}

func repoOf(endpoint string) pr.Ref {
	part := strings.Split(endpoint, "/")
	if len(part) > 2 && part[0] == "repos" && !strings.HasPrefix(part[1], "{") && !strings.HasPrefix(part[1], ":") {
		return pr.Ref{Owner: part[1], Repo: part[2]}
	}
	return pr.Ref{}
}

// word adds a word's text; what it does not know it looks for in the commands
// that make it.
func (s *seer) word(w shellcmd.Word, prefix string) {
	if w.Static {
		for _, v := range w.Values() {
			s.add(strings.TrimPrefix(v, prefix))
		}
		return
	}
	if strings.TrimSpace(strings.Trim(w.Text, shellcmd.Unknown)) != "" || len(w.Subst) == 0 {
		before := s.hidden
		s.add(w.Text)
		if strings.Count(w.Text, shellcmd.Unknown) <= len(w.Subst) {
			s.hidden = before // they are looked at below
		}
	}
	for _, i := range w.Subst {
		s.output(i, 8)
	}
}

// output adds what command i prints, if it only shows texts.
func (s *seer) output(i, depth int) {
	s.spent++
	if i < 0 || i >= len(s.line.Commands) || depth == 0 || s.spent > 64 {
		s.hidden = true
		return
	}
	c := &s.line.Commands[i]
	if c.Stdout.Known {
		if len(c.Argv) > 0 || c.Stdout.Text != "" {
			s.add(c.Stdout.Text)
			return
		}
		for _, r := range c.Redirects { // $(<file)
			if r.Reads() {
				s.path(c, r.Target, false)
			}
		}
		return
	}
	if c.Stdout.Text != "" {
		s.add(c.Stdout.Text)
		return
	}
	switch c.Program {
	case "cat", "head", "tail", "sed", "tr", "tee", "fold", "envsubst", "bat", "get-content", "awk", "cut", "sort", "uniq":
	case "jq", "yq":
	default:
		s.hidden = true
		return
	}
	s.shown(c, depth)
}

// shown adds the texts that a program like cat or jq takes in.
func (s *seer) shown(c *shellcmd.Command, depth int) {
	args := c.Args()
	seen := false
	jq := c.Program == "jq" || c.Program == "yq"
	script := c.Program == "sed" || c.Program == "awk" || c.Program == "tr" || jq
	for i := 0; i < len(args); i++ {
		switch text := args[i].Text; {
		case jq && (text == "--arg" || text == "--argjson") && i+2 < len(args):
			s.word(args[i+2], "")
			i += 2
			seen = true
		case jq && (text == "--rawfile" || text == "--slurpfile") && i+2 < len(args):
			s.path(c, args[i+2], false)
			i += 2
			seen = true
		case (text == "-n" || text == "-c" || text == "--lines") && !jq && c.Program != "sed" && i+1 < len(args):
			i++
		case strings.HasPrefix(text, "-") && text != "-":
		case script:
			script = false
			if jq {
				s.add(text) // {body: "…"}
			}
			if c.Program == "tr" {
				i++
			}
		case text == "-":
		default:
			s.path(c, args[i], false)
			seen = true
		}
	}
	for _, r := range c.Redirects {
		switch {
		case r.Op == "<<" || r.Op == "<<-":
			s.add(r.Body.Text)
			seen = true
		case r.Op == "<<<":
			s.word(r.Target, "")
			seen = true
		case r.Reads():
			s.path(c, r.Target, false)
			seen = true
		}
	}
	for _, p := range c.Stdin.Peers {
		s.output(p, depth-1)
		seen = true
	}
	if !seen {
		s.hidden = true
	}
}

// file adds the text of a file that a flag of the posting command names.
func (s *seer) file(w shellcmd.Word, isJSON bool) {
	c := &s.line.Commands[s.cmd]
	if w.Text != "-" && w.Text != "/dev/stdin" {
		s.path(c, w, isJSON)
		return
	}
	before := len(s.parts)
	switch in := c.Stdin; {
	case in.Known:
		s.add(in.Text)
	case in.Kind == shellcmd.File:
		s.path(c, in.File, isJSON)
		return
	case len(in.Peers) > 0:
		for _, p := range in.Peers {
			s.output(p, 8)
		}
	case in.Text != "":
		s.add(in.Text)
	default:
		s.hidden = true
	}
	if isJSON {
		for i := before; i < len(s.parts); i++ {
			s.parts[i] = unwrap(s.parts[i])
		}
	}
}

// path adds a file's text: what the line itself writes into it before, else
// what is there.
func (s *seer) path(c *shellcmd.Command, w shellcmd.Word, isJSON bool) {
	if !w.Static {
		for _, i := range w.Subst { // <(…)
			s.output(i, 8)
		}
		s.hidden = s.hidden || len(w.Subst) == 0
		return
	}
	name := w.Text
	if !filepath.IsAbs(name) {
		if c.Dir == "" {
			s.hidden = true
			return
		}
		name = filepath.Join(c.Dir, name)
	}
	add := func(text string) {
		if isJSON {
			text = unwrap(text)
		}
		s.add(text)
	}
	written := false
	for i := range s.line.Commands[:s.cmd] {
		for _, r := range s.line.Commands[i].Redirects {
			if !r.Writes() || r.Fd != 1 || r.Target.Text != w.Text && !same(&s.line.Commands[i], r.Target.Text, name) {
				continue
			}
			written = true
			before := len(s.parts)
			s.output(i, 8)
			if isJSON {
				for j := before; j < len(s.parts); j++ {
					s.parts[j] = unwrap(s.parts[j])
				}
			}
		}
	}
	if written {
		return
	}
	if s.read != nil {
		if b, err := s.read(name); err == nil {
			add(string(b))
			return
		}
	}
	s.hidden = true
}

func same(c *shellcmd.Command, written, name string) bool {
	if !filepath.IsAbs(written) {
		if c.Dir == "" {
			return false
		}
		written = filepath.Join(c.Dir, written)
	}
	return filepath.Clean(written) == filepath.Clean(name)
}

// unwrap returns the body member of a JSON document, or the text itself.
func unwrap(text string) string {
	var o struct {
		Body        string `json:"body"`
		Description string `json:"description"`
	}
	if json.Unmarshal([]byte(text), &o) == nil && o.Body+o.Description != "" {
		return o.Body + o.Description
	}
	return strings.ReplaceAll(text, `\n`, "\n")
}
