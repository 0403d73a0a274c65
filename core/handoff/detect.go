package handoff

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/handoff/acceptance"
	"github.com/ec261362/guardrails/core/handoff/claims"
	"github.com/ec261362/guardrails/core/handoff/emits"
	"github.com/ec261362/guardrails/core/handoff/intent"
	"github.com/ec261362/guardrails/core/handoff/outcome"
	"github.com/ec261362/guardrails/core/handoff/pack"
	"github.com/ec261362/guardrails/core/handoff/pr"
	"github.com/ec261362/guardrails/core/handoff/report"
	"github.com/ec261362/guardrails/core/handoff/review"
	"github.com/ec261362/guardrails/core/handoff/skills"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
	"github.com/ec261362/guardrails/core/testrun"
)

// may is the cheap test of a trigger: it errs to yes, reads no file and parses
// no command line.
func (c *compiled) may(t *pack.Trigger, e *hook.Event) bool {
	if e.Name == hook.UserPromptSubmit {
		return t.Sees == pack.SeesBuild && e.Typed() || len(t.PR) > 0 && notified(e)
	}
	tool := e.Tool
	if tool == nil {
		return false
	}
	shell, command := tool.Kind == hook.Shell, ""
	if shell {
		command = c.command(e)
	}
	switch {
	case len(t.Command) > 0:
		return shell && slices.ContainsFunc(t.Command, func(words string) bool { return mentions(command, words) })
	case len(t.Edited) > 0:
		return tool.Kind == hook.Write || tool.Kind == hook.Edit || shell && writes(command) || (tool.Kind == hook.MCP || tool.Kind == hook.Other) && len(tool.Edits()) > 0
	case len(t.Tool) > 0:
		return c.is(tool, t.Tool...)
	case len(t.Tests) > 0:
		return shell && command != ""
	case len(t.PR) > 0:
		return shell && (pr.Mentions(command, text(tool.Result)) || untold(tool.Result)) || serves(tool) != pr.NoVerb
	}
	switch t.Sees {
	case pack.SeesAsked:
		return tool.Kind == hook.AskUser
	case pack.SeesSkill, pack.SeesStages:
		return tool.Kind == hook.Skill || c.Announce != "" && c.is(tool, c.Announce)
	case pack.SeesStageRead:
		return tool.Kind == hook.Read || shell && strings.Contains(command, ".md")
	case pack.SeesWalked, pack.SeesReport:
		return shell && report.Mentions(command)
	case pack.SeesFailedRun:
		return c.is(tool, "execute")
	case pack.SeesClassified, pack.SeesDiagnosed:
		return c.is(tool, "events")
	case pack.SeesThreads, pack.SeesReplies:
		return shell && review.Mentions(command)
	case pack.SeesAcceptance:
		return shell && acceptance.Mentions(command)
	}
	return false
}

// command returns the command line of a shell call, read once for all rows.
func (c *compiled) command(e *hook.Event) string {
	if last := c.read.Load(); last != nil && last.tool == e.Tool {
		return last.command
	}
	command, _ := e.Tool.Command()
	c.read.Store(&readCommand{e.Tool, command})
	return command
}

// readCommand is the command line of one call.
type readCommand struct {
	tool    *hook.Tool
	command string
}

// is reports whether a tool is one of those that keys or names stand for. Shells,
// files and the like are none, whatever a pack calls them.
func (c *compiled) is(t *hook.Tool, keys ...string) bool {
	return (t.Kind == hook.MCP || t.Kind == hook.Other) && emits.Is(t, c.tools(keys...)...)
}

// notified reports whether the event is the host's word that something in the
// background ended or spoke, which may be the end of a watched pull request.
func notified(e *hook.Event) bool {
	return !e.Typed() && strings.Contains(e.Prompt, "TERMINAL pr=")
}

// mentions reports whether a command line may run a command that begins with
// words: whether it holds the last part of each word.
func mentions(command, words string) bool {
	for w := range strings.FieldsSeq(words) {
		if w != "*" && !strings.Contains(command, w[strings.LastIndexByte(w, '/')+1:]) {
			return false
		}
	}
	return true
}

// writes reports whether a command line may write a file.
func writes(command string) bool {
	if strings.ContainsRune(command, '>') {
		return true
	}
	for _, word := range [...]string{"tee", "sed", "cp", "mv", "rm", "patch", "touch", "install", "perl", "ed ", "*** Begin Patch", "git ", "python", "node", "ruby", "php", "deno", "bun", "Set-Content", "Add-Content", "Out-File"} {
		if strings.Contains(command, word) {
			return true
		}
	}
	return false
}

// untold reports whether what a finished call printed is known elsewhere only, as
// with Antigravity 1.1: in its transcript.
func untold(r *hook.Result) bool { return r != nil && r.Text == "" && len(r.Raw) == 0 }

func text(r *hook.Result) string {
	if r == nil {
		return ""
	}
	return r.Text
}

// maxOutput is the most that is read of an output that the host keeps in a file,
// in bytes.
const maxOutput = 4 << 20

// whole is all that a call printed, also where the host kept the rest of it in a
// file.
func whole(p *gate.Pass, r *hook.Result) string {
	if name := outcome.Persisted(r); filepath.IsAbs(name) {
		if b, err := p.Env.FS.ReadFile(name, maxOutput); err == nil {
			return string(b)
		}
	}
	return text(r)
}

// seen is what a trigger saw.
type seen struct {
	trigger *pack.Trigger
	keys    []string
	unknown bool // it may have happened
}

// look runs the first-class test of a trigger. ok is false when it did not see
// what it waits for.
func (c *compiled) look(ctx context.Context, p *gate.Pass, t *pack.Trigger) (s seen, ok bool) {
	if !c.may(t, p.Event) {
		return seen{}, false
	}
	if t.While != "" && p.Session.Len(t.While) == 0 {
		return seen{}, false
	}
	if t.After != "" {
		if v, _ := p.Session.Fact(t.After); v == "" {
			return seen{}, false
		}
	}
	s = seen{trigger: t}
	s.keys, s.unknown, ok = c.keys(ctx, p, t)
	if !ok {
		return seen{}, false
	}
	if t.Unless != "" && len(s.keys) > 0 {
		not := p.Session.Set(t.Unless)
		s.keys = slices.DeleteFunc(s.keys, func(k string) bool { return holds(not, k) })
		ok = len(s.keys) > 0
	}
	return s, ok
}

// keys returns what was seen. A call that visibly failed is seen only by the
// detectors that judge the outcome themselves.
func (c *compiled) keys(ctx context.Context, p *gate.Pass, t *pack.Trigger) (keys []string, unknown, ok bool) {
	e := p.Event
	if e.Name == hook.UserPromptSubmit {
		if t.Sees == pack.SeesBuild {
			return nil, false, intent.Builds(c.prompt(e))
		}
		return c.prs(p, t)
	}
	switch {
	case len(t.PR) > 0:
		return c.prs(p, t)
	case len(t.Tests) > 0:
		grade := testrun.Judge(c.run(p)).Grade
		if grade == testrun.None || !slices.Contains(t.Tests, grade.String()) {
			return nil, false, false
		}
		return []string{grade.String()}, false, true
	}
	res := result(p)
	if e.Name.AfterTool() && (e.Name == hook.PostToolUseFailure || outcome.VisiblyFailed(res) || res != nil && (res.Interrupted || res.Background)) && t.Sees != pack.SeesFailedRun {
		return nil, false, false
	}
	switch {
	case len(t.Command) > 0:
		return nil, false, c.runs(p, t.Command)
	case len(t.Edited) > 0:
		keys = edited(p, t.Edited)
		return keys, false, len(keys) > 0
	case len(t.Tool) > 0:
		return c.called(p, t)
	}
	switch t.Sees {
	case pack.SeesAcceptance:
		return nil, false, c.accepted(p)
	case pack.SeesAsked:
		return nil, false, true
	case pack.SeesSkill:
		name := skills.NameOf(e.Tool, c.Announce)
		return []string{name}, false, name != ""
	case pack.SeesStages:
		if name := skills.NameOf(e.Tool, c.Announce); name != "" {
			keys = skills.Stages(p.Env.FS, c.roots(p), name)
		}
		return keys, false, len(keys) > 0
	case pack.SeesStageRead:
		if e.Tool.Kind == hook.Shell {
			for _, s := range shown(p.Commands()) {
				keys = append(keys, skills.Shown(s.names, s.dir, c.roots(p))...)
			}
			return keys, false, len(keys) > 0
		}
		keys = skills.Reads(e.Tool, e.Cwd, c.roots(p))
		return keys, false, len(keys) > 0
	case pack.SeesWalked:
		return c.walked(p)
	case pack.SeesReport:
		return nil, false, c.handWritten(p)
	case pack.SeesFailedRun:
		for _, r := range emits.Runs(res) {
			if r.ID != "" && r.Status != "" && !r.Passed() {
				keys = append(keys, r.ID)
			}
		}
		return keys, false, len(keys) > 0
	case pack.SeesClassified:
		keys = emits.Classified(e.Tool)
		return keys, false, len(keys) > 0
	case pack.SeesDiagnosed:
		if !emits.Diagnosed(e.Tool) {
			return nil, false, false
		}
		return c.named(p, t)
	case pack.SeesThreads:
		threads := review.Threads(p.Commands(), whole(p, res), c.ReplyMark)
		for _, th := range threads {
			keys = append(keys, th.Comments...)
		}
		if len(keys) > 0 && !c.DryRun {
			if err := c.ledger(p).Claim(ctx, e.SessionID, threads); err != nil {
				return nil, false, false
			}
		}
		return keys, false, len(keys) > 0
	case pack.SeesReplies:
		replies := review.Replies(p.Commands(), text(res))
		for _, r := range replies {
			keys = append(keys, r.Created)
		}
		if len(keys) > 0 && !c.DryRun {
			if err := c.ledger(p).Cover(ctx, replies); err != nil {
				return nil, false, false
			}
		}
		return keys, false, len(keys) > 0
	}
	return nil, false, false
}

// prompt is what the user typed, also where only the transcript has it
// (Antigravity 1.1).
func (c *compiled) prompt(e *hook.Event) string {
	if e.Prompt != "" || e.Transcript == "" || c.Transcript == nil {
		return e.Prompt
	}
	return claims.LastPrompt(c.Transcript(e.Transcript))
}

// shownIn are files that a command showed, from the folder it ran in.
type shownIn struct {
	names []string
	dir   string
}

// shown returns the files that a line shows to whoever reads its output.
func shown(l *shellcmd.Line) []shownIn {
	if l == nil {
		return nil
	}
	var out []shownIn
	for i := range l.Commands {
		c := &l.Commands[i]
		if c.Has(shellcmd.Uncalled) || c.Has(shellcmd.Loose) || c.Has(shellcmd.Remote) || c.Stdout.Kind != shellcmd.Inherit && c.Stdout.Kind != shellcmd.Pipe {
			continue
		}
		switch c.Program {
		case "cat", "bat", "batcat", "less", "more", "head", "tail", "nl", "sed", "get-content":
		default:
			continue
		}
		s := shownIn{dir: c.Dir}
		for _, w := range c.Args() {
			if w.Static {
				s.names = append(s.names, w.Text)
			}
		}
		out = append(out, s)
	}
	return out
}

// accepted reports whether a call ran acceptance tests that did not visibly fail.
// Behind a pipe or in a list, what they printed says so.
func (c *compiled) accepted(p *gate.Pass) bool {
	ran, masked := acceptance.Runs(p.Commands())
	if !ran || !masked || !p.Event.Name.AfterTool() {
		return ran
	}
	if g := testrun.Judge(c.run(p)).Grade; g == testrun.Failed || g == testrun.Error || g == testrun.Empty {
		return false
	}
	return !acceptance.Failed(strings.Join(outcome.Texts(result(p)), "\n"))
}

// result is how the call ended, also where only the transcript says it.
func result(p *gate.Pass) *hook.Result {
	t := p.Event.Tool
	if t == nil || !p.Event.Name.AfterTool() {
		return nil
	}
	// Antigravity 1.1 sends no result at all; its transcript has it.
	if p.Env.Outcome != nil && (t.Result == nil || t.Result.Outcome == hook.Unknown || untold(t.Result)) {
		if r := p.Env.Outcome(p.Event); r != nil {
			return r
		}
	}
	return t.Result
}

// run is the call as the judge of test runs wants it.
func (c *compiled) run(p *gate.Pass) testrun.Call {
	return testrun.Call{Line: p.Commands(), Result: result(p), Dir: p.Event.Cwd, ReadFile: p.Env.FS.ReadFile}
}

// prs returns the pull requests to which one of the trigger's kinds happened.
func (c *compiled) prs(p *gate.Pass, t *pack.Trigger) (keys []string, unknown, ok bool) {
	var happened []pr.Event
	if p.Event.Name == hook.UserPromptSubmit {
		// The watch's lines stand between tags of the host's.
		happened = pr.Monitored(strings.NewReplacer("<", "\n<", ">", ">\n").Replace(p.Event.Prompt))
	} else if verb := serves(p.Event.Tool); verb != pr.NoVerb {
		res := result(p)
		if p.Event.Name == hook.PostToolUseFailure || outcome.VisiblyFailed(res) {
			return nil, false, false
		}
		happened = pr.Service{
			Verb: verb, Text: strings.Join(outcome.Texts(res), "\n"),
			Input: func(keys ...string) string { return member(p.Event.Tool, keys...) },
		}.Events()
	} else {
		if line := p.Commands(); line != nil && testrun.Names(line) && !slices.ContainsFunc(line.Commands, asksProvider) {
			return nil, false, false // what tests print is theirs
		}
		res := result(p)
		happened = pr.Events(pr.Call{
			Line: p.Commands(), Text: strings.Join(outcome.Texts(res), "\n"),
			Failed:    p.Event.Name == hook.PostToolUseFailure || outcome.VisiblyFailed(res),
			Succeeded: res != nil && res.Outcome == hook.Succeeded,
			Opens:     func(cmd *shellcmd.Command) bool { return opensPRs(p, cmd) },
		})
	}
	for _, ev := range happened {
		if !slices.Contains(t.PR, ev.Kind.String()) {
			continue
		}
		ok = true
		unknown = unknown || ev.Kind == pr.Unknown
		if key := prKey(p, ev.Ref); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys, unknown, ok
}

// serves says what a provider's own tool does to pull requests, by its name.
func serves(t *hook.Tool) pr.Verb {
	if t == nil || t.Kind != hook.MCP && t.Kind != hook.Other {
		return pr.NoVerb
	}
	switch {
	case emits.Is(t, "create_pull_request", "create_merge_request"):
		return pr.Create
	case emits.Is(t, "merge_pull_request", "merge_merge_request", "accept_merge_request"):
		return pr.Merge
	case emits.Is(t, "update_pull_request", "update_merge_request"):
		return pr.Update
	}
	return pr.NoVerb
}

// member returns the first of keys that a call's input has, as text.
func member(t *hook.Tool, keys ...string) string {
	fields := t.Fields()
	for _, k := range keys {
		if raw, ok := fields[k]; ok && len(raw) > 0 && raw[0] != '"' && raw[0] != '{' && raw[0] != '[' && string(raw) != "null" {
			return string(raw) // a number or yes and no
		}
		if s := input(t, k); s != "" {
			return s
		}
	}
	return ""
}

// maxScript is how much of a script is read, in bytes.
const maxScript = 64 << 10

// opensPRs reports whether a command runs a script of the project in which a pull
// request is opened.
func opensPRs(p *gate.Pass, cmd *shellcmd.Command) bool {
	if len(cmd.Argv) == 0 || p.Env.FS == nil {
		return false
	}
	name := cmd.Argv[0].Text
	switch cmd.Program {
	case "hub":
		return len(cmd.Argv) > 1 && cmd.Argv[1].Text == "pull-request"
	case "bash", "sh", "zsh", "dash":
		for _, w := range cmd.Args() {
			if name = w.Text; !strings.HasPrefix(name, "-") {
				break
			}
		}
	}
	if !strings.ContainsAny(name, "/.") || strings.Contains(name, shellcmd.Unknown) {
		return false
	}
	if name = filepath.FromSlash(name); !filepath.IsAbs(name) {
		if cmd.Dir == "" {
			return false
		}
		name = filepath.Join(cmd.Dir, name)
	}
	text, err := p.Env.FS.ReadFile(name, maxScript)
	return err == nil && (strings.Contains(string(text), "gh pr create") || strings.Contains(string(text), "glab mr create"))
}

func asksProvider(cmd shellcmd.Command) bool { return cmd.Program == "gh" || cmd.Program == "glab" }

// prKey names a pull request in a set: its address if that is known. One that
// its command did not name is the only one that this session opened.
func prKey(p *gate.Pass, ref pr.Ref) string {
	opened := p.Session.Set(SetPRs)
	if ref.Number == 0 {
		if len(opened) == 1 {
			return opened[0]
		}
		return thisBranch
	}
	for _, o := range opened {
		if full, ok := pr.ParseURL(o); ok && full.Same(ref) {
			return o
		}
	}
	if url := ref.URL(); url != "" {
		return url
	}
	return ref.String()
}

// thisBranch stands for a pull request that nothing names.
const thisBranch = "the pull request of this branch"

// refOf reads a key of prKey.
func refOf(key string) pr.Ref {
	ref, _ := pr.Parse(key)
	return ref
}

// holds reports whether a set holds a key: itself, a pull request that may be
// the same, or the wildcard.
func holds(set []string, key string) bool {
	if slices.Contains(set, key) || slices.Contains(set, emits.Wildcard) {
		return true
	}
	ref := refOf(key)
	return ref.Number != 0 && slices.ContainsFunc(set, func(k string) bool {
		o := refOf(k)
		return o.Number != 0 && ref.Same(o)
	})
}

// called judges a tool call's input.
func (c *compiled) called(p *gate.Pass, t *pack.Trigger) (keys []string, unknown, ok bool) {
	for _, a := range t.Args {
		have := input(p.Event.Tool, a.Key)
		if !slices.ContainsFunc(a.Values, func(v string) bool { return v == "*" && have != "" || strings.EqualFold(v, have) }) {
			return nil, false, false
		}
	}
	if t.Names != "" {
		return c.named(p, t)
	}
	return nil, false, true
}

// named returns the members of the trigger's set that the input names.
func (c *compiled) named(p *gate.Pass, t *pack.Trigger) (keys []string, unknown, ok bool) {
	keys = emits.Names(p.Event.Tool, p.Session.Set(t.Names))
	return keys, false, len(keys) > 0
}

// input returns a member of a call's input, also where a host wraps it, and
// however it spells the key (Antigravity 1.1: Arguments).
func input(t *hook.Tool, key string) string {
	if s, ok := hook.Text(t.Fields()[key]); ok {
		return s
	}
	return emits.Value(t, key)
}

// roots are the folders of skills that are there to look into.
func (c *compiled) roots(p *gate.Pass) []string {
	var out []string
	for _, name := range c.Skills {
		if dir := c.place(name, p.Event.Root); dir != "" {
			out = append(out, unfold(p.Env.FS, dir)...)
		}
	}
	return out
}

// unfold replaces the first "*" segment of a path by the folders that are there.
func unfold(fsys gate.FS, dir string) []string {
	dir = filepath.ToSlash(dir)
	parts := strings.Split(dir, "/")
	for i, part := range parts {
		if !strings.Contains(part, "*") {
			continue
		}
		var out []string
		above := filepath.FromSlash(strings.Join(parts[:i], "/"))
		list, err := fsys.ReadDir(above)
		if err != nil {
			return nil
		}
		for _, d := range list {
			if ok, err := doublestar.Match(part, d.Name()); err == nil && ok {
				rest := append([]string{above, d.Name()}, parts[i+1:]...)
				out = append(out, unfold(fsys, filepath.Join(rest...))...)
			}
		}
		return out
	}
	return []string{filepath.FromSlash(dir)}
}

// posts returns what a call puts on pull requests.
func (c *compiled) posts(p *gate.Pass) []report.Post {
	return report.Posts(p.Commands(), func(name string) ([]byte, error) { return p.Env.FS.ReadFile(name, maxBody) })
}

// maxBody is the most that is read of a file that is posted, in bytes.
const maxBody = 1 << 20

// walked returns the pull requests on which a walkthrough was posted.
func (c *compiled) walked(p *gate.Pass) (keys []string, unknown, ok bool) {
	if c.Sentinel == "" {
		return nil, false, false
	}
	for _, post := range c.posts(p) {
		if !report.HasSentinel(post.Body, c.Sentinel) {
			continue
		}
		ok = true
		key := emits.Wildcard // a comment's address does not say whose it is
		if post.Target.Ref.Number != 0 {
			key = prKey(p, post.Target.Ref)
		}
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys, false, ok
}

// handWritten reports whether a call would post a report that reads like the
// renderer's and is not.
func (c *compiled) handWritten(p *gate.Pass) bool {
	return slices.ContainsFunc(c.posts(p), func(post report.Post) bool {
		return !post.Hidden && !report.HasSentinel(post.Body, c.Sentinel) && report.ReadsLikeE2E(post.Body, c.Products...)
	})
}

func (c *compiled) ledger(p *gate.Pass) review.Ledger {
	dir := c.place(c.Slots, p.Event.Root)
	if dir == "" {
		dir = filepath.Join(p.Env.StateHome, "slots")
	}
	return review.Ledger{Dir: filepath.Join(filepath.Dir(dir), "ledger"), Now: p.Env.Now}
}

// runs reports whether a line runs one of the commands. After a call, it ran
// only where its own exit code is that of the line, which did not fail.
func (c *compiled) runs(p *gate.Pass, patterns []string) bool {
	l := p.Commands()
	if l == nil {
		return false
	}
	afterwards := p.Event.Name.AfterTool()
	for i := range l.Commands {
		cmd := &l.Commands[i]
		if cmd.Has(shellcmd.Uncalled) || afterwards && (cmd.Has(shellcmd.Masked) || cmd.Has(shellcmd.Background) || cmd.Has(shellcmd.Negated) || cmd.Has(shellcmd.Loose)) {
			continue
		}
		if afterwards && alternative(l, i) {
			continue
		}
		for _, words := range patterns {
			if begins(cmd, strings.Fields(words)) {
				return true
			}
		}
	}
	return false
}

// alternative reports whether a command stands behind ||: it need not have run.
func alternative(l *shellcmd.Line, i int) bool {
	cmd := &l.Commands[i]
	if i == 0 || !cmd.Has(shellcmd.Conditional) || cmd.Parent >= 0 {
		return false
	}
	from := l.Commands[i-1].End
	return from <= cmd.Pos && cmd.Pos <= len(l.Source) && strings.Contains(l.Source[from:cmd.Pos], "||")
}

// begins reports whether a command's words begin with want, options between
// them left out; "*" stands for any one word.
func begins(cmd *shellcmd.Command, want []string) bool {
	if cmd.Program == "" || len(want) == 0 {
		return false
	}
	if first := strings.ToLower(want[0]); first != cmd.Program && first != cmd.Argv[0].Text {
		return false
	}
	args, want := cmd.Args(), want[1:]
	for i := 0; len(want) > 0; i++ {
		if i >= len(args) {
			return false
		}
		w := &args[i]
		switch {
		case want[0] == "*" || slices.Contains(w.Values(), want[0]):
			want = want[1:]
		case strings.HasPrefix(w.Text, "-"):
			if takesValue(cmd.Program, w.Text) {
				i++
			}
		default:
			return false
		}
	}
	return true
}

// takesValue reports whether an option before a program's verb has its value in
// the next word.
func takesValue(program, option string) bool {
	switch program {
	case "git":
		switch option {
		case "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env":
			return true
		}
	case "make", "gmake":
		switch option {
		case "-C", "-f", "-j", "-I", "-o", "-W", "--directory", "--file", "--makefile":
			return true
		}
	case "npm", "pnpm", "yarn", "bun":
		switch option {
		case "--prefix", "-C", "--dir", "--cwd", "-w", "--workspace", "--filter", "-F":
			return true
		}
	case "gh", "glab":
		return option == "-R" || option == "--repo"
	case "docker", "kubectl":
		switch option {
		case "-H", "--host", "--context", "-n", "--namespace":
			return true
		}
	}
	return false
}
