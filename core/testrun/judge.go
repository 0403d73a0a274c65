package testrun

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// Names reports whether a test runner stands in a command position of line,
// directly, behind a wrapper, or as a script or target that is named for tests.
// It reads no text and no file, and is cheap enough for a gate's Wants.
func Names(line *shellcmd.Line) bool {
	if line == nil {
		return false
	}
	for i := range line.Commands {
		if r, ok := runAt(line, i); ok && !r.unnamed && r.nothing == "" {
			return true
		}
	}
	return false
}

// runAt is the run that command i of line is.
func runAt(line *shellcmd.Line, i int) (run, bool) {
	c := &line.Commands[i]
	if c.Program == "" || c.Has(shellcmd.Uncalled) {
		return run{}, false
	}
	r, ok := runnerOf(c)
	if !ok {
		return run{}, false
	}
	for j := i + 1; j < len(line.Commands); j++ {
		// a function or alias of that name runs instead of the program, and a
		// wrapper's own command is listed below it
		if o := &line.Commands[j]; o.Parent == i && (o.Via == shellcmd.ViaFunction || o.Via == shellcmd.ViaAlias || o.Via == shellcmd.ViaExec) {
			if o.Via == shellcmd.ViaExec && runsTasks(c.Program) && testName(o.Program) == yes {
				continue // hatch run test: a task's name, unless a program is called so
			}
			return run{}, false
		}
	}
	return r, true
}

// found is a run with what the line tells of its end.
type found struct {
	run
	proof
	at    int // index in the outermost line
	dir   string
	known bool // what its script or target runs was read

	prints bool // and it only prints
}

// find lists the runs of a line.
func find(line *shellcmd.Line, s *source, depth int) []found {
	var out []found
	for i := range line.Commands {
		r, ok := runAt(line, i)
		if !ok {
			continue
		}
		c := &line.Commands[i]
		f := found{run: r, proof: prove(line, i), at: i, dir: c.Dir}
		if r.masks != "" {
			f.masked, f.why = true, r.masks+" hides its failures"
		}
		if r.tool == npmTool || r.tool == makeTool {
			if inner, ok := s.expand(&f, c, depth); ok {
				out = append(out, inner...)
				continue
			}
		}
		if !r.unnamed {
			out = append(out, f)
		}
	}
	return out
}

// expand replaces a script or target by the runs inside it, as far as a file of
// the project tells; ok is false when it does not.
func (s *source) expand(f *found, c *shellcmd.Command, depth int) ([]found, bool) {
	if depth >= maxDepth || f.nothing != "" || c.Has(shellcmd.Remote) {
		return nil, false
	}
	lines, ok := s.inside(&f.run, c.Dir)
	if !ok {
		return nil, false
	}
	var out []found
	f.prints = true
	for _, text := range lines {
		inner := shellcmd.Parse(text, shellcmd.Options{Cwd: c.Dir})
		f.prints = f.prints && prints(inner)
		for _, g := range find(inner, s, depth+1) {
			g.at, g.known = f.at, true
			if f.masked && !g.masked {
				g.masked, g.why = true, f.why
			} else if g.masked {
				g.why = "in " + f.name + " " + strings.Join(f.targets, " ") + ": " + g.why
			}
			g.unfinished = g.unfinished || f.unfinished
			g.hidden = g.hidden || f.hidden
			g.sieved, g.grepped = g.sieved || f.sieved, g.grepped || f.grepped
			g.mutated = g.mutated || f.mutated
			g.cut = smaller(g.cut, f.cut)
			g.interrupts = g.interrupts || f.interrupts
			g.scoped = g.scoped || f.scoped
			g.rewrite = g.rewrite || f.rewrite
			if f.watch != "" && g.watch == "" {
				g.watch = f.watch
			}
			out = append(out, g)
		}
	}
	if len(out) == 0 && !f.unnamed {
		return nil, false // it may run tests by a way that is not seen
	}
	return out, true
}

// Judge says what a call proves. It never panics and never grades a call Passed
// on its exit code or on its text alone.
func Judge(c Call) Report {
	if c.Line == nil {
		return Report{}
	}
	runs := find(c.Line, &source{read: c.ReadFile, dir: c.Dir}, 0)
	if len(runs) == 0 {
		return Report{}
	}
	j := judgement{call: c, runs: runs}
	j.read()
	j.decide()
	j.describe()
	return j.report
}

type judgement struct {
	call   Call
	runs   []found
	lines  []string
	text   tally
	report Report

	masked, unfinished bool
	why                string // what masks or outlives
	exit               int    // valid if exited
	exited             bool
	perhaps            bool   // no run is one for sure
	runless            bool   // the script says what it runs, and that is no runner
	prints             bool   // … and it only prints
	alien              string // a command that may print what an older run printed
}

// read reads the text and the end of the call.
func (j *judgement) read() {
	// A run that only lists or compiles says nothing beside one that runs.
	if n := len(j.runs); n > 1 {
		real := make([]found, 0, n)
		for _, r := range j.runs {
			if r.nothing == "" {
				real = append(real, r)
			}
		}
		if len(real) > 0 {
			j.runs = real
		}
	}
	if res := j.call.Result; res != nil {
		j.lines = clean(res.Text)
		j.exited = res.HasExit
		j.exit = res.ExitCode
		if !res.HasExit && res.Outcome == hook.Succeeded {
			j.exited, j.exit = true, 0
		}
		if res.Outcome == hook.Unknown {
			j.exited = false
		}
	}
	var want readers
	j.perhaps = true
	printed := true
	for i := range j.runs {
		r := &j.runs[i]
		want |= r.run.read
		j.perhaps = j.perhaps && r.perhaps
		printed = printed && r.prints
		if r.masked && !j.masked {
			j.masked, j.why = true, r.why
		}
	}
	if why := j.announced(); why != "" && !j.masked {
		j.masked, j.why = true, why
	}
	j.prints = j.prints || printed
	for i := range j.runs {
		if r := &j.runs[i]; r.unfinished && !j.unfinished {
			j.unfinished, j.why = true, r.why
		}
		if r := &j.runs[i]; r.watch != "" && !j.unfinished {
			j.unfinished, j.why = true, r.watch+" keeps it running"
		}
	}
	if !j.masked {
		if why := j.stale(); why != "" {
			j.masked, j.why = true, why
		}
	}
	j.dropHostLine()
	j.dropEchoes()
	if j.prefixed() {
		stripPrefixes(j.lines)
	}
	j.text = readText(j.lines, want)
	if t := &j.text; t.sum || t.ok || t.none || t.red != notRed {
		j.alien = j.foreign(want)
	}
}

// announced reads the command lines that npm, yarn, pnpm, bun and make print
// before they run them. It says how one hides the exit code of its runner, takes
// over that it runs no test or does not end, and empties the lines that such a
// command line prints itself.
func (j *judgement) announced() string {
	var npm, makes bool
	for i := range j.runs {
		npm = npm || j.runs[i].tool == npmTool
		makes = makes || j.runs[i].tool == makeTool
	}
	if !npm && !makes {
		return ""
	}
	why, said, runs := "", 0, 0
	var idle *found  // a run that is told to run nothing, or to go on
	printers := true // no command line does more than print
	after := false
	for k, l := range j.lines {
		var text string
		var ok bool
		if npm {
			text, ok, after = scriptLine(l, after)
		}
		if after {
			continue
		}
		if !ok && makes && k < 24 && l != "" && l[0] != ' ' && l[0] != '\t' {
			text = l // it may be a line of a recipe
		}
		if text == "" || len(text) > 4096 || said >= 32 {
			continue
		}
		line := shellcmd.Parse(text, shellcmd.Options{})
		in := find(line, &source{}, maxDepth)
		if !ok && len(in) == 0 && !prints(line) {
			continue
		}
		said++
		printers = printers && len(in) == 0 && prints(line)
		for i := range in {
			g := &in[i]
			runs++
			if g.masked && why == "" {
				why = "in " + clip(text) + ": " + g.why
			}
			switch {
			case g.nothing == "" && g.watch == "":
				idle = &found{}
			case idle == nil:
				idle = g
			}
		}
		j.lines[k] = ""
		j.dropEchoesOf(line)
	}
	if idle != nil && len(j.runs) == 1 {
		j.runs[0].nothing, j.runs[0].watch = cmp.Or(j.runs[0].nothing, idle.nothing), cmp.Or(j.runs[0].watch, idle.watch)
	}
	j.runless = npm && said > 0 && runs == 0
	j.prints = said > 0 && printers && runs == 0
	return why
}

// scriptLine reads "> jest" below "> shop@1.0.0 test" (npm), "$ jest" (yarn, pnpm,
// bun) and "a test$ jest" (pnpm -r).
func scriptLine(l string, after bool) (text string, ok, title bool) {
	if rest, ok := strings.CutPrefix(l, "> "); ok {
		return rest, after, !after
	}
	head, rest, ok := strings.Cut(l, "$ ")
	if !ok {
		return "", false, false
	}
	pkg, script, two := strings.Cut(head, " ")
	ok = head == "" || two && pkg != "" && !strings.Contains(script, " ") && testName(script) == yes
	return rest, ok, false
}

// prints reports whether all that a line does is to print what it says.
func prints(l *shellcmd.Line) bool {
	for i := range l.Commands {
		switch l.Commands[i].Program {
		case "echo", "printf", "true", ":", "exit", "false":
		default:
			return false
		}
	}
	return len(l.Commands) > 0
}

// stale says that a build before ctest may have failed unseen, so that it ran
// what an earlier build left.
func (j *judgement) stale() string {
	for i := range j.runs {
		if j.runs[i].name != "ctest" {
			continue
		}
		for k := range j.runs[i].at {
			b := &j.call.Line.Commands[k]
			if p := prove(j.call.Line, k); builds(b) && p.masked {
				if p.hidden || p.sieved || p.mutated || p.cut > 0 {
					j.runs[i].hidden = true // whether it failed is not seen either
				}
				return "a build before it (" + b.Program + ") may have failed unseen"
			}
		}
	}
	return ""
}

// dropHostLine drops the line that Claude Code puts before a failure's output.
func (j *judgement) dropHostLine() {
	if len(j.lines) == 0 || !j.exited || j.exit == 0 {
		return
	}
	if rest, ok := strings.CutPrefix(j.lines[0], "Exit code "); ok {
		if n, ok := whole(rest); ok && n == j.exit {
			j.lines = j.lines[1:]
		}
	}
}

// dropEchoes drops the lines that the command line itself prints: they are
// words of whoever wrote it.
func (j *judgement) dropEchoes() { j.dropEchoesOf(j.call.Line) }

func (j *judgement) dropEchoesOf(l *shellcmd.Line) {
	for i := range l.Commands {
		c := &l.Commands[i]
		if !c.Stdout.Known || c.Stdout.Text == "" || c.Stdout.Kind == shellcmd.Capture || len(c.Stdout.Text) > 64<<10 {
			continue
		}
		for _, said := range clean(c.Stdout.Text) {
			if said == "" {
				continue
			}
			for k, have := range j.lines {
				if have == said {
					j.lines[k] = ""
					break
				}
			}
		}
	}
}

// prefixed reports whether a tool puts the package's name before each line.
func (j *judgement) prefixed() bool {
	for i := range j.runs {
		r := &j.runs[i]
		switch r.name {
		case "pnpm", "yarn", "turbo", "lerna", "nx", "concurrently", "wsrun", "npm-run-all", "run-p", "bun", "moon", "rush", "lage":
			return true
		}
	}
	for i := range j.call.Line.Commands {
		switch j.call.Line.Commands[i].Program {
		case "docker", "docker-compose", "podman-compose", "pnpm":
			return true
		}
	}
	return false
}

// stripPrefixes takes "a test: " (pnpm), "web:test: " (turbo), "[0] "
// (concurrently) and "web-1  | " (compose) off the lines.
func stripPrefixes(lines []string) {
	for i, l := range lines {
		if rest, ok := strings.CutPrefix(l, "["); ok {
			if name, rest, ok := strings.Cut(rest, "] "); ok && name != "" && !strings.ContainsAny(name, " []") && name != "ELIFECYCLE" && name != "ERROR" && name != "INFO" && name != "WARNING" {
				lines[i] = rest
				continue
			}
		}
		if head, rest, ok := strings.Cut(l, " | "); ok {
			if name := strings.TrimRight(head, " "); name != "ok" && name != "FAILED" && !strings.Contains(name, " ") && strings.LastIndexByte(name, '-') > 0 {
				lines[i] = rest
				continue
			}
		}
		head, rest, ok := strings.Cut(l, ": ")
		if !ok {
			if strings.HasSuffix(l, ":") && testPrefix(strings.TrimSuffix(l, ":")) {
				lines[i] = ""
			}
			continue
		}
		if testPrefix(head) {
			lines[i] = rest
		}
	}
}

// testPrefix reports whether head is "package script" or "package:script".
func testPrefix(head string) bool {
	pkg, script, ok := strings.Cut(head, " ")
	if !ok {
		i := strings.LastIndexByte(head, ':')
		if i <= 0 {
			return false
		}
		pkg, script = head[:i], head[i+1:]
	}
	if pkg == "" || script == "" || strings.ContainsAny(script, " \t") || strings.ContainsAny(pkg, "\"'()=") || isMake(pkg) {
		return false
	}
	return testName(script) == yes
}

// decide grades the call.
func (j *judgement) decide() {
	t, res := &j.text, j.call.Result
	switch {
	case res == nil:
		j.set(Unknown, "the host does not say how it ended")
		return
	case res.Background:
		j.set(Unknown, "it was left running in the background: nothing has finished yet")
		return
	case res.Interrupted:
		j.set(Unknown, "it was interrupted")
		return
	}
	if j.nothing() {
		return
	}
	if j.exited {
		switch j.exit {
		case 124, 130, 137, 143:
			if t.fail != j.exit { // mocha exits with the number of failures
				j.set(Unknown, "it was stopped (exit code "+strconv.Itoa(j.exit)+") before its end")
				return
			}
		}
	}
	if t.stopped {
		j.set(Unknown, "it was stopped in mid-run")
		return
	}
	if (t.overruled || t.closed && len(j.runs) == 1) && j.exited && j.exit == 0 && !j.masked && !j.unfinished && j.direct() {
		t.red, t.fail = notRed, 0
	}
	if j.alien != "" && (j.masked || !j.exited || j.exit == 0) {
		j.set(Unknown, "what "+clip(j.alien)+" prints may be of an older run")
		return
	}
	if t.red != notRed {
		j.decideRed()
		return
	}
	switch {
	case j.unfinished:
		j.set(Unknown, j.why+": its end is not seen")
	case j.exited && j.exit != 0 && !j.masked:
		j.decideFailure()
	case j.exited && !j.masked:
		j.decideSuccess()
	default:
		j.decideMasked()
	}
}

// direct reports whether the line itself names each runner, so that no script
// hides how it ended.
func (j *judgement) direct() bool {
	for i := range j.runs {
		if j.runs[i].tool != noTool {
			return false
		}
	}
	return true
}

// sieved reports whether a filter takes lines away.
func (j *judgement) sieved() bool {
	for i := range j.runs {
		if j.runs[i].sieved || j.runs[i].mutated {
			return true
		}
	}
	return false
}

// nothing grades a call whose every run is told to run no test.
func (j *judgement) nothing() bool {
	for i := range j.runs {
		if j.runs[i].nothing == "" {
			return false
		}
	}
	if j.exited && j.exit != 0 && !j.masked {
		j.set(Error, j.runs[0].nothing+" runs no test, and it failed")
		return true
	}
	j.set(Empty, j.runs[0].nothing+" runs no test")
	return true
}

func (j *judgement) decideRed() {
	t := &j.text
	if t.overruled && j.masked && j.direct() && !j.sieved() {
		j.set(Unknown, j.why+", and its output says: "+clip(t.first))
		return
	}
	grade := Failed
	switch t.red {
	case redError:
		grade = Error
	case redSome:
		if t.fail == 0 && (j.exit == 126 || j.exit == 127 || t.pass == 0 && (j.runless || j.broken())) {
			grade = Error
		}
	}
	if j.exited && j.exit == 0 && !j.masked && !j.unfinished {
		j.set(Unknown, "it exited with 0, yet its output says: "+clip(t.first))
		return
	}
	j.set(grade, "its output says: "+clip(t.first))
}

// decideFailure grades an exit code other than 0 that is the runner's.
func (j *judgement) decideFailure() {
	t := &j.text
	code := "exit code " + strconv.Itoa(j.exit)
	runner := j.runs[len(j.runs)-1].name
	switch {
	case j.exit == 126 || j.exit == 127:
		j.set(Error, "the runner did not start ("+code+")")
	case runner == "pytest" && j.exit == 5:
		j.set(Empty, "no test was collected ("+code+")")
	case runner == "pytest" && j.exit >= 2 && j.exit <= 4:
		j.set(Error, "pytest broke down ("+code+")")
	case t.pass == 0 && (t.none || t.sum && t.whole):
		j.set(Empty, "no test ran ("+code+")")
	case t.pass > 0:
		j.set(Failed, "the tests that ran passed, but a threshold or a later step failed ("+code+")")
	case j.runless && t.red == notRed && !t.sum:
		j.set(Error, "the script runs no test runner ("+code+")")
	case j.broken():
		j.set(Error, "it broke down before its tests ("+code+")")
	case j.perhaps:
		j.report = Report{}
	default:
		j.set(Failed, code)
	}
}

// broken reports whether the text looks like a program that broke down.
func (j *judgement) broken() bool {
	for _, l := range j.lines {
		s := strings.TrimSpace(l)
		switch {
		case s == "":
		case strings.HasPrefix(s, "Traceback (most recent call last)"), strings.Contains(s, "(LoadError)"), strings.Contains(s, "No such file or directory"),
			strings.HasSuffix(s, "command not found"), strings.HasSuffix(s, ": not found"), strings.Contains(s, "MODULE_NOT_FOUND"), strings.Contains(s, "ERR_MODULE_NOT_FOUND"),
			strings.HasPrefix(s, "Error: "), strings.HasPrefix(s, "error: "), strings.HasPrefix(s, "ERROR: "), strings.HasPrefix(s, "fatal: "),
			strings.Contains(s, "SyntaxError"), strings.Contains(s, "ImportError"), strings.Contains(s, "ModuleNotFoundError"), strings.Contains(s, "Cannot find module"),
			strings.Contains(s, ": No module named "), strings.Contains(s, "undefined: "), strings.HasPrefix(s, "go: "), strings.Contains(s, " syntax error "),
			strings.HasPrefix(s, "Usage: "), strings.HasPrefix(s, "usage: "), strings.Contains(s, "cannot find "), strings.Contains(s, ": error: "), strings.Contains(s, "Permission denied"):
			return true
		}
	}
	return false
}

// decideSuccess grades exit code 0 that is the runner's.
func (j *judgement) decideSuccess() {
	t := &j.text
	switch {
	case j.hidden():
		j.set(Unknown, "its output is hidden, so nothing says that a test ran")
	case j.prints:
		j.set(Unknown, "the script only prints")
	case t.sum && t.pass > 0:
		j.set(Passed, passed(t.pass))
	case t.ok && j.plain():
		j.set(PassedUncounted, "ok without a count: a run that skips every test says the same")
	case (t.sum || t.none) && j.partlyHidden():
		j.set(Unknown, "the output of one of its runs is hidden")
	case t.sum || t.none:
		j.set(Empty, j.emptyWhy())
	case j.perhaps:
		j.report = Report{}
	case j.runless:
		j.set(Unknown, "the script runs no known test runner")
	case t.ok:
		j.set(Unknown, "ok without a test: nothing says that one ran")
	default:
		j.set(Unknown, "no summary of its tests is in the output")
	}
}

// decideMasked grades a run whose exit code is hidden or not told.
func (j *judgement) decideMasked() {
	t := &j.text
	why := j.why
	if !j.masked {
		why = "the host does not tell its exit code"
	}
	seen := t.whole && !t.partial && !j.hidden() && !j.prints
	uncut := true // no filter took a line away
	for i := range j.runs {
		r := &j.runs[i]
		// Hosts take blank lines off both ends: only a text that is clearly
		// shorter than the cut was not cut.
		slack := 3
		if r.run.read&readsCargo != 0 && r.run.read&readsGo == 0 { // blank lines around each block
			slack = 8
		}
		full := r.cut > 0 && textLines(j.lines)+slack <= r.cut && !r.grepped
		if r.mutated || r.interrupts || r.sieved && t.split && !full {
			seen = false
		}
		if (len(j.runs) > 1 || r.many) && (r.cut > 0 || r.grepped) && !full {
			seen = false // one summary may be cut off, and another stand
		}
		if r.mutated || r.sieved && !full || r.cut > 0 && !full {
			uncut = false
		}
	}
	switch {
	case seen && t.pass > 0 && j.exited && j.exit != 0:
		j.set(Unknown, "a step of the line failed (exit code "+strconv.Itoa(j.exit)+"), and "+why)
	case seen && t.pass > 0:
		j.set(Weak, passed(t.pass)+" by its summary, but "+why)
	case t.pass == 0 && !t.ok && !j.hidden() && (seen && t.sum || t.none && (uncut || seen || !t.partial) || t.sum && uncut):
		j.set(Empty, j.emptyWhy())
	case !t.sum && !t.ok && j.crashed() != "":
		j.set(Error, "it broke down: "+clip(j.crashed()))
	case j.perhaps:
		j.report = Report{}
	default:
		j.set(Unknown, why)
	}
}

// textLines counts lines but for blank ones at either end.
func textLines(lines []string) int {
	a, b := 0, len(lines)
	for a < b && lines[a] == "" {
		a++
	}
	for b > a && lines[b-1] == "" {
		b--
	}
	return b - a
}

// crashed returns a line by which an interpreter or a shell says that a program
// could not start, "" if there is none.
func (j *judgement) crashed() string {
	for _, l := range j.lines {
		switch {
		case strings.HasPrefix(l, "Traceback (most recent call last)"), strings.HasSuffix(l, " (LoadError)"), strings.Contains(l, "code: 'MODULE_NOT_FOUND'"), strings.Contains(l, "code: 'ERR_MODULE_NOT_FOUND'"),
			strings.HasSuffix(l, ": command not found"), strings.Contains(l, ": No module named "), strings.HasPrefix(l, "SyntaxError: "):
			return l
		}
	}
	return ""
}

// plain reports whether a green line without a count may stand for passed tests.
func (j *judgement) plain() bool {
	for i := range j.runs {
		r := &j.runs[i]
		if r.vague || r.counts {
			return false
		}
	}
	return true
}

func (j *judgement) hidden() bool {
	for i := range j.runs {
		if !j.runs[i].hidden {
			return false
		}
	}
	return true
}

// partlyHidden reports whether the output of some run is hidden.
func (j *judgement) partlyHidden() bool {
	for i := range j.runs {
		if j.runs[i].hidden {
			return true
		}
	}
	return false
}

func (j *judgement) emptyWhy() string {
	if j.text.skip > 0 {
		return "no test ran: " + strconv.Itoa(j.text.skip) + " skipped"
	}
	return "no test ran"
}

func passed(n int) string {
	if n == 1 {
		return "1 test passed"
	}
	return strconv.Itoa(n) + " tests passed"
}

func clip(s string) string { return hook.Clip(strings.ReplaceAll(s, "\n", " "), 160) }

func (j *judgement) set(g Grade, why string) {
	j.report = Report{Grade: g, Why: why}
}

// describe adds to a grade what the runs are and how to prove them.
func (j *judgement) describe() {
	r := &j.report
	if r.Grade == None {
		return
	}
	r.Runner = j.runs[0].name
	r.Passed, r.Failed, r.Skipped = j.text.pass, j.text.fail, j.text.skip
	r.Scoped = j.text.filtered
	r.Rewrites = j.text.snapshots
	for i := range j.runs {
		f := &j.runs[i]
		r.Scoped = r.Scoped || f.scoped
		r.Rewrites = r.Rewrites || f.rewrite
		dir := f.dir
		if dir == "" {
			dir = j.call.Dir
		}
		if dir != "" {
			r.Dirs = appendNew(r.Dirs, dir)
		}
		for _, p := range f.packages {
			r.Packages = appendNew(r.Packages, p)
		}
	}
	if (r.Grade == Weak || r.Grade == Unknown) && (j.masked || j.unfinished) {
		r.Unmasked = j.unmasked()
	}
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// unmasked returns the shortest change of the line that would prove it, and
// that proves it by the same rules.
func (j *judgement) unmasked() string {
	src := strings.TrimSpace(j.call.Line.Source)
	f := &j.runs[0]
	c := &j.call.Line.Commands[f.at]
	alone := ""
	if c.Via == shellcmd.ViaNone && c.Pos >= 0 && c.End <= len(j.call.Line.Source) && c.Pos < c.End {
		alone = strings.TrimRight(j.call.Line.Source[c.Pos:c.End], " \t\n;&")
		if c.Dir != "" && c.Dir != j.call.Dir && j.call.Dir != "" {
			alone = "cd " + quote(c.Dir) + " && " + alone
		}
	}
	var tries []string
	if !strings.ContainsAny(src, "\n") && len(src) <= 400 {
		tries = append(tries, "set -o pipefail; "+src)
	}
	tries = append(tries, alone)
	for _, try := range tries {
		if try == "" || try == src {
			continue
		}
		line := shellcmd.Parse(try, shellcmd.Options{Cwd: j.call.Dir})
		again := find(line, &source{}, 0)
		ok := len(again) > 0
		for i := range again {
			ok = ok && !again[i].masked && !again[i].unfinished && !again[i].hidden
		}
		if ok {
			return try
		}
	}
	return ""
}

func quote(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n'\"\\$`&|;<>()*?[]{}#~!") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
