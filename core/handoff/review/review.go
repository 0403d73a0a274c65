// Package review knows which comments of a pull request's review still wait for
// an answer, and keeps that for each pull request on disk, shared by sessions.
//
// It imports core/fsx, core/handoff/pr, core/shellcmd and the standard library
// only. The ledger holds ids, never texts.
package review

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/ec261362/guardrails/core/handoff/pr"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// Thread is an unresolved review thread.
type Thread struct {
	ID       string
	PR       pr.Ref
	Comments []string // ids of people's comments that wait: those since the newest reply of ours
	Answered []string // ids of people's comments before it, and all of a resolved thread
}

// Reply is an answer that the provider confirmed. It answers all of its thread
// that stood there when it was written.
type Reply struct {
	PR      pr.Ref
	Thread  string // "" = not said
	Comment string // a comment of the thread; "" = not said
	Created string // id that the provider gave it
}

// Mentions reports whether a command line may fetch threads or answer one: a
// cheap test that errs to yes.
func Mentions(command string) bool {
	if !strings.Contains(command, "gh") && !strings.Contains(command, "glab") {
		return false
	}
	for _, w := range [...]string{"graphql", "comments", "discussions", "notes", "note", "hread"} {
		if strings.Contains(command, w) {
			return true
		}
	}
	return false
}

// kind is what a call of a provider's API is about.
type kind int

const (
	none    kind = iota
	fetch        // of review threads
	answers      // one of them
)

// request is one call of a provider's API.
type request struct {
	kind    kind
	pr      pr.Ref
	thread  string
	comment string
}

// Threads returns the threads in what a fetch printed that are not known as
// resolved. A comment is ours when its body holds mark, whoever its author.
// Threads with nothing that waits are among them when some of theirs is
// answered, but only if another thread waits.
func Threads(l *shellcmd.Line, text, mark string) []Thread {
	var fetches []request
	for _, r := range requests(l) {
		if r.kind == fetch {
			fetches = append(fetches, r)
		}
	}
	if len(fetches) == 0 || mark == "" {
		return nil
	}
	var out []Thread
	waits := false
	found := values(text)
	if len(found) == 0 {
		found = pieces(text)
	}
	for _, v := range found {
		for _, th := range threadsIn(v, mark) {
			if th.PR.Number == 0 {
				th.PR = fetches[0].pr
			}
			waits = waits || len(th.Comments) > 0
			out = append(out, th)
		}
	}
	if !waits {
		return nil
	}
	// What was fetched together and names its pull request once is of that one.
	if refs := pr.URLs(text); len(refs) == 1 {
		for i := range out {
			if out[i].PR.Number == 0 || out[i].PR.Same(refs[0]) {
				out[i].PR = refs[0]
			}
		}
	}
	return out
}

// Replies returns the replies that the call's output confirms.
func Replies(l *shellcmd.Line, text string) []Reply {
	var asked []request
	for _, r := range requests(l) {
		if r.kind == answers {
			asked = append(asked, r)
		}
	}
	if len(asked) == 0 {
		return nil
	}
	confirmed := confirmations(text)
	var out []Reply
	for i, c := range confirmed {
		// One call in a loop has many answers; else they come in the calls' order.
		r := asked[min(i, len(asked)-1)]
		if len(confirmed) != len(asked) && len(asked) > 1 {
			r = request{pr: r.pr} // which is whose is not clear: what the answer says counts
		}
		if c.Comment == "" {
			c.Comment = r.comment
		}
		if c.Thread == "" {
			c.Thread = r.thread
		}
		if c.PR.Number == 0 {
			c.PR = r.pr
		}
		if c.Comment != "" || c.Thread != "" {
			out = append(out, c)
		}
	}
	return out
}

// requests returns the calls of gh api, glab api and glab mr note in a line.
func requests(l *shellcmd.Line) []request {
	if l == nil {
		return nil
	}
	var out []request
	for i := range l.Commands {
		c := &l.Commands[i]
		if c.Program != "gh" && c.Program != "glab" || c.Has(shellcmd.Uncalled) || c.Has(shellcmd.Loose) {
			continue
		}
		args := c.Args()
		if len(args) == 0 || args[0].Text != "api" {
			if verb, t, ok := pr.TargetOf(c); ok && verb == "note" && t.GitLab {
				out = append(out, request{kind: none, pr: t.Ref})
			}
			continue
		}
		if r := apiRequest(c); r.kind != none {
			out = append(out, r)
		}
	}
	return out
}

func apiRequest(c *shellcmd.Command) request {
	method, endpoint, writes := "", "", false
	fields := map[string]string{}
	args := c.Args()[1:]
	field := func(s string) {
		k, v, ok := strings.Cut(s, "=")
		if ok {
			fields[k] = v
			writes = true
		}
	}
	for i := 0; i < len(args); i++ {
		text := args[i].Text
		next := func() string {
			if i+1 < len(args) {
				i++
				return args[i].Text
			}
			return ""
		}
		switch {
		case text == "-X" || text == "--method":
			method = strings.ToUpper(next())
		case strings.HasPrefix(text, "-X") && len(text) > 2:
			method = strings.ToUpper(strings.TrimPrefix(text[2:], "="))
		case strings.HasPrefix(text, "--method="):
			method = strings.ToUpper(text[len("--method="):])
		case text == "-f" || text == "-F" || text == "--field" || text == "--raw-field":
			field(next())
		case strings.HasPrefix(text, "-f") || strings.HasPrefix(text, "-F"):
			field(text[2:])
		case strings.HasPrefix(text, "--field=") || strings.HasPrefix(text, "--raw-field="):
			_, v, _ := strings.Cut(text, "=")
			field(v)
		case text == "--input":
			next()
			writes = true
		case strings.HasPrefix(text, "--input="):
			writes = true
		case text == "-q" || text == "--jq" || text == "-t" || text == "--template" || text == "-H" || text == "--header" || text == "--hostname" || text == "-p" || text == "--preview" || text == "--cache" || text == "-R" || text == "--repo":
			next()
		case strings.HasPrefix(text, "-"):
		case endpoint == "":
			endpoint = strings.TrimPrefix(text, "/")
		}
	}
	if method == "" {
		method = "GET"
		if writes {
			method = "POST"
		}
	}
	if endpoint == "graphql" {
		return graphqlRequest(fields)
	}
	return restRequest(endpoint, method, fields)
}

// restRequest reads GitHub's pulls/N/comments and GitLab's discussions.
func restRequest(endpoint, method string, fields map[string]string) request {
	ref, rest, ok := pr.APIPath(endpoint)
	if !ok {
		// pulls/$N/comments/11/replies: the number is not known before it runs.
		path, _, _ := strings.Cut(endpoint, "?")
		for _, sep := range [...]string{"/pulls/", "/merge_requests/"} {
			if _, after, found := strings.Cut(path, sep); found {
				if _, rest, ok = strings.Cut(after, "/"); ok {
					break
				}
			}
		}
		if !ok {
			return request{}
		}
	}
	part := strings.Split(rest, "/")
	r := request{pr: ref}
	switch {
	case part[0] == "comments" && len(part) == 1 && method == "GET":
		r.kind = fetch
	case part[0] == "comments" && len(part) == 1 && method == "POST" && fields["in_reply_to"] != "":
		r.kind, r.comment = answers, known(fields["in_reply_to"])
	case part[0] == "comments" && len(part) == 3 && part[2] == "replies" && method == "POST":
		r.kind, r.comment = answers, known(part[1])
	case part[0] == "discussions" && len(part) <= 2 && method == "GET":
		r.kind = fetch
	case part[0] == "discussions" && len(part) == 3 && part[2] == "notes" && method == "POST":
		r.kind, r.thread = answers, known(part[1])
	case part[0] == "notes" && len(part) == 1 && method == "GET":
		r.kind = fetch
	}
	return r
}

func known(s string) string {
	if strings.Contains(s, shellcmd.Unknown) {
		return ""
	}
	return s
}

func graphqlRequest(fields map[string]string) request {
	query := fields["query"]
	r := request{pr: pr.Ref{Owner: fields["owner"]}}
	for _, k := range [...]string{"repo", "name", "repository"} {
		if r.pr.Repo == "" {
			r.pr.Repo = fields[k]
		}
	}
	for _, k := range [...]string{"number", "pr", "pullNumber", "prNumber", "num"} {
		if n, err := strconv.Atoi(fields[k]); err == nil && r.pr.Number == 0 {
			r.pr.Number = n
		}
	}
	if r.pr.Owner == "" {
		r.pr.Owner = argument(query, "owner")
	}
	if r.pr.Repo == "" {
		r.pr.Repo = argument(query, "name")
	}
	if r.pr.Number == 0 {
		if n, err := strconv.Atoi(argument(query, "number")); err == nil {
			r.pr.Number = n
		}
	}
	if strings.ContainsAny(r.pr.Owner+r.pr.Repo, "${:"+shellcmd.Unknown) || r.pr.Owner == "" || r.pr.Repo == "" {
		r.pr.Owner, r.pr.Repo = "", ""
	}
	switch {
	case strings.Contains(query, "addPullRequestReviewThreadReply") || strings.Contains(query, "addPullRequestReviewComment") || strings.Contains(query, "createNote"):
		r.kind = answers
		for _, k := range [...]string{"pullRequestReviewThreadId", "discussionId", "inReplyTo"} {
			if id := argument(query, k); id != "" {
				r.thread = id
			}
		}
		if r.thread == "" || strings.HasPrefix(r.thread, "$") {
			r.thread = ""
			for k, v := range fields {
				if k != "query" && k != "body" && (strings.HasPrefix(v, "PRRT_") || strings.Contains(strings.ToLower(k), "thread") || strings.HasPrefix(v, "gid://gitlab/")) {
					r.thread = known(v)
				}
			}
		}
	case strings.Contains(query, "reviewThreads") || strings.Contains(query, "discussions") || strings.HasPrefix(query, "@") || query == "" || strings.Contains(query, shellcmd.Unknown):
		r.kind = fetch // a query from a file may be one: the answer's shape says
	}
	return r
}

// argument returns the value of name: value in a GraphQL text.
func argument(query, name string) string {
	for at := 0; ; {
		i := strings.Index(query[at:], name)
		if i < 0 {
			return ""
		}
		i += at
		at = i + len(name)
		if i > 0 && isWord(query[i-1]) {
			continue
		}
		rest := strings.TrimLeft(query[at:], " \t\n")
		rest, ok := strings.CutPrefix(rest, ":")
		if !ok {
			continue
		}
		rest = strings.TrimLeft(rest, " \t\n")
		if strings.HasPrefix(rest, `"`) {
			v, _, ok := strings.Cut(rest[1:], `"`)
			if ok {
				return v
			}
			continue
		}
		end := 0
		for end < len(rest) && isWord(rest[end]) {
			end++
		}
		if end > 0 {
			return rest[:end]
		}
	}
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// maxText is how much of an output is read, in bytes.
const maxText = 4 << 20

// values returns the JSON values in a text: whole, one a line, or between
// other lines.
func values(text string) []any {
	if len(text) > maxText {
		return nil
	}
	var out []any
	for text != "" {
		i := strings.IndexAny(text, "{[")
		if i < 0 {
			return out
		}
		// At the beginning of a line, or behind a word that introduces it.
		if before := strings.TrimRight(text[:i], " \t"); before != "" && !strings.HasSuffix(before, "\n") && !strings.HasSuffix(before, ":") {
			if _, rest, ok := strings.Cut(text[i:], "\n"); ok {
				text = rest
				continue
			}
			return out
		}
		d := json.NewDecoder(strings.NewReader(text[i:]))
		d.UseNumber()
		var v any
		if d.Decode(&v) != nil {
			_, rest, _ := strings.Cut(text[i:], "\n")
			text = rest
			continue
		}
		out = append(out, v)
		text = text[i+int(d.InputOffset()):]
	}
	return out
}

// maxMisses bounds the work on a text that only looks like JSON.
const maxMisses = 64

// pieces returns the whole JSON objects in a text that was cut: hosts keep the
// first part of a long output (Claude Code 2.1.332: 30,000 characters).
func pieces(text string) []any {
	if len(text) > maxText {
		return nil
	}
	var out []any
	for misses := 0; misses < maxMisses; {
		i := strings.IndexAny(text, "{[")
		if i < 0 {
			break
		}
		d := json.NewDecoder(strings.NewReader(text[i:]))
		d.UseNumber()
		var v any
		if d.Decode(&v) != nil {
			misses++
			text = text[i+1:]
			continue
		}
		out = append(out, v)
		text = text[i+int(d.InputOffset()):]
	}
	return out
}

// confirmations returns what an answer's output says was created: objects with
// an id, or, where a filter left only that, lines that are an id or an address.
func confirmations(text string) []Reply {
	var out []Reply
	for _, v := range values(text) {
		created(v, 12, func(r Reply) { out = append(out, r) })
	}
	if len(out) > 0 {
		return out
	}
	for line := range strings.Lines(text) {
		line = strings.Trim(strings.TrimPrefix(strings.TrimSpace(line), "Output: "), `"`)
		if id := idOf(line); id != "" {
			ref, _ := pr.ParseURL(line)
			out = append(out, Reply{Created: id, PR: ref})
		}
	}
	return out
}

// idOf returns the id that a line is.
func idOf(line string) string {
	if i := strings.LastIndex(line, "#discussion_r"); i >= 0 {
		line = line[i+len("#discussion_r"):]
	} else if i := strings.LastIndex(line, "#note_"); i >= 0 {
		line = line[i+len("#note_"):]
	}
	switch {
	case line == "" || len(line) > 100:
		return ""
	case strings.Trim(line, "0123456789") == "" && line != "0":
		return line
	case strings.HasPrefix(line, "PRRC_") && !strings.ContainsAny(line, " \t"):
		return line
	}
	return ""
}

// created finds the objects that are a created comment.
func created(v any, depth int, add func(Reply)) {
	if depth == 0 {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			created(e, depth-1, add)
		}
	case map[string]any:
		if v["message"] != nil && v["id"] == nil {
			return // {"message":"Not Found"}
		}
		if errs, ok := v["errors"].([]any); ok && len(errs) > 0 {
			return
		}
		id := first(v, "databaseId", "id", "node_id")
		if id != "" && v["message"] == nil {
			r := Reply{Created: id, Comment: first(v, "in_reply_to_id"), Thread: first(v, "discussion_id")}
			for _, k := range [...]string{"html_url", "url", "pull_request_url"} {
				if u, _ := v[k].(string); u != "" && r.PR.Number == 0 {
					r.PR = refOf(u)
				}
			}
			if to, ok := v["replyTo"].(map[string]any); ok && r.Comment == "" {
				r.Comment = first(to, "databaseId", "id")
			}
			add(r)
			return
		}
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			created(v[k], depth-1, add)
		}
	}
}

// refOf reads a web address, or one of GitHub's API.
func refOf(u string) pr.Ref {
	if ref, ok := pr.ParseURL(u); ok {
		return ref
	}
	if _, rest, ok := strings.Cut(u, "://"); ok {
		if _, path, ok := strings.Cut(rest, "/"); ok {
			path = strings.TrimPrefix(path, "api/v3/")
			if ref, _, ok := pr.APIPath(path); ok {
				return ref
			}
		}
	}
	return pr.Ref{}
}

// first returns the first of keys that is an id, as text.
func first(o map[string]any, keys ...string) string {
	for _, k := range keys {
		switch v := o[k].(type) {
		case string:
			if v != "" {
				return v
			}
		case json.Number:
			if s := v.String(); s != "0" {
				return s
			}
		}
	}
	return ""
}

// comment is one comment of a thread.
type comment struct {
	id, body, at string
	system       bool
}

// threadsIn collects threads by their shape, wherever they are: objects with
// comments (GitHub) or notes (GitLab), or GitHub's flat list of comments.
func threadsIn(v any, mark string) []Thread {
	var out []Thread
	collect(v, 16, func(id string, ref pr.Ref, resolved bool, list []comment) {
		th := classify(list, mark, resolved)
		th.ID, th.PR = id, ref
		if th.ID == "" && len(list) > 0 {
			th.ID = list[0].id
		}
		if th.ID != "" && len(th.Comments)+len(th.Answered) > 0 {
			out = append(out, th)
		}
	})
	return out
}

func classify(list []comment, mark string, resolved bool) Thread {
	if slices.ContainsFunc(list, func(c comment) bool { return c.at != "" }) {
		slices.SortStableFunc(list, func(a, b comment) int { return strings.Compare(a.at, b.at) })
	}
	ours := -1
	for i, c := range list {
		if strings.Contains(c.body, mark) {
			ours = i
		}
	}
	var th Thread
	for i, c := range list {
		switch {
		case c.id == "" || c.system || strings.Contains(c.body, mark):
		case resolved || i < ours:
			th.Answered = append(th.Answered, c.id)
		default:
			th.Comments = append(th.Comments, c.id)
		}
	}
	return th
}

func collect(v any, depth int, add func(id string, ref pr.Ref, resolved bool, list []comment)) {
	if depth == 0 {
		return
	}
	switch v := v.(type) {
	case []any:
		if flat(v, add) {
			return
		}
		for _, e := range v {
			collect(e, depth-1, add)
		}
	case map[string]any:
		if isThread(v) {
			if list, ref, resolved, ok := commentsOf(v); ok {
				add(first(v, "id", "threadId", "thread_id", "discussionId", "nodeId"), ref, resolved, list)
				return
			}
		}
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			collect(v[k], depth-1, add)
		}
	}
}

// isThread tells a thread from a pull request, a review or an issue, which have
// comments, too.
func isThread(o map[string]any) bool {
	if o["comments"] == nil && o["notes"] == nil {
		return false
	}
	for _, k := range [...]string{"number", "title", "reviewThreads", "reviews", "state", "headRefName", "iid", "discussions"} {
		if _, has := o[k]; has && o["isResolved"] == nil {
			return false
		}
	}
	return true
}

// commentsOf reads comments: {nodes: […]}, comments: […] or notes: […].
func commentsOf(o map[string]any) (list []comment, ref pr.Ref, resolved, ok bool) {
	raw := o["comments"]
	gitlab := raw == nil
	if gitlab {
		raw = o["notes"]
	}
	if conn, is := raw.(map[string]any); is {
		if raw = conn["nodes"]; raw == nil {
			if edges, is := conn["edges"].([]any); is {
				var nodes []any
				for _, e := range edges {
					if edge, is := e.(map[string]any); is {
						nodes = append(nodes, edge["node"])
					}
				}
				raw = nodes
			}
		}
	}
	items, ok := raw.([]any)
	if !ok {
		return nil, pr.Ref{}, false, false
	}
	open := false
	for _, e := range items {
		c, is := e.(map[string]any)
		if !is {
			continue
		}
		one := commentOf(c)
		one.system = c["system"] == true
		if u, _ := c["url"].(string); u != "" && ref.Number == 0 {
			ref = refOf(u)
		}
		if c["resolvable"] != false && c["resolved"] == false {
			open = true
		}
		list = append(list, one)
	}
	if len(list) == 0 {
		return nil, pr.Ref{}, false, false
	}
	switch {
	case o["isResolved"] == true || o["resolved"] == true:
		resolved = true
	case gitlab && o["isResolved"] == nil && o["resolved"] == nil && !open:
		// A note that nobody can resolve, or all resolved: no thread that waits.
		resolved = true
	}
	return list, ref, resolved, true
}

func commentOf(c map[string]any) comment {
	one := comment{id: first(c, "databaseId", "id", "commentId", "node_id")}
	for _, k := range [...]string{"body", "bodyText", "body_text", "text"} {
		if s, is := c[k].(string); is {
			one.body += s + "\n"
		}
	}
	for _, k := range [...]string{"createdAt", "created_at"} {
		if s, is := c[k].(string); is && one.at == "" {
			one.at = s
		}
	}
	return one
}

// flat reads GitHub's list of review comments, grouped by the comment that they
// answer.
func flat(items []any, add func(id string, ref pr.Ref, resolved bool, list []comment)) bool {
	groups := map[string][]comment{}
	refs := map[string]pr.Ref{}
	var order []string
	for _, e := range items {
		c, is := e.(map[string]any)
		if !is {
			return false
		}
		_, review := c["pull_request_review_id"]
		_, hunk := c["diff_hunk"]
		_, answer := c["in_reply_to_id"]
		_, path := c["path"]
		if !review && !hunk && !answer && !path || c["id"] == nil || c["comments"] != nil || c["notes"] != nil {
			return false
		}
		one := commentOf(c)
		root := first(c, "in_reply_to_id")
		if root == "" {
			root = first(c, "id")
		}
		if _, is := groups[root]; !is {
			order = append(order, root)
		}
		groups[root] = append(groups[root], one)
		for _, k := range [...]string{"html_url", "pull_request_url"} {
			if u, _ := c[k].(string); u != "" && refs[root].Number == 0 {
				refs[root] = refOf(u)
			}
		}
	}
	for _, root := range order {
		add(root, refs[root], false, groups[root])
	}
	return len(order) > 0
}
