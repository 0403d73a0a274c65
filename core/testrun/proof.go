package testrun

import (
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// proof says how much the end of a line tells of one of its commands.
type proof struct {
	masked     bool   // the line's exit code is not its
	unfinished bool   // the line may end before it
	why        string // for either

	interrupts bool // a timeout ends it as Ctrl-C does: its summary looks whole

	hidden  bool // nothing of its output reaches the text
	sieved  bool // a filter passes some lines of it
	mutated bool // a filter changes lines, or passes parts of them
	grepped bool // … by what they say
	cut     int  // a filter passes so many lines of it; 0 = unknown
}

// prove looks at the circumstances of command i.
func prove(l *shellcmd.Line, i int) proof {
	var p proof
	c := &l.Commands[i]
	mask := func(why string) {
		if !p.masked {
			p.masked, p.why = true, why
		}
	}
	switch {
	case c.Has(shellcmd.Negated):
		mask("! in front of it hides its exit code")
	case c.Has(shellcmd.Loose) || l.Truncated:
		mask("the command line could not be read whole")
	case c.Has(shellcmd.Masked) && !assigned(l, carrier(l, i)):
		mask(maskedBy(l, i))
	case c.Has(shellcmd.Looped) && !fatal(l, carrier(l, i)) && !eachCounts(l, i):
		mask("a loop hides all but its last exit code")
	}
	if c.Via == shellcmd.ViaInterp {
		mask("a program in another language runs it")
	}
	for j := range l.Commands {
		if t := &l.Commands[j]; t.Program == "trap" && len(t.Argv) > 2 && (!t.Argv[1].Static || strings.Contains(t.Argv[1].Text, "exit") || strings.Contains(t.Argv[1].Text, "return")) {
			mask("a trap sets the exit code")
		}
	}
	if c.Has(shellcmd.Background) && !waited(l, carrier(l, i)) {
		p.unfinished, p.why = true, "it runs in the background"
	}
	for hop, at := 0, i; hop < 32 && at >= 0; hop, at = hop+1, l.Commands[at].Parent {
		around(l, at, i, &p, mask)
	}
	watchOutput(l, i, &p)
	return p
}

// around looks at the program that command at is, or is wrapped in.
func around(l *shellcmd.Line, at, i int, p *proof, mask func(string)) {
	c := &l.Commands[at]
	words := wordsOf(c)
	detached := func(why string) {
		if !p.unfinished {
			p.unfinished, p.why = true, why
		}
	}
	if at != i {
		switch c.Program {
		case "script":
			if !shortFlag(words, 'e') && !words.has("--return") {
				mask("script without -e hides its exit code")
			}
		case "watch", "entr", "nodemon", "watchexec", "chokidar", "reflex", "air":
			detached(c.Program + " runs it again and again")
		case "tmux", "screen", "at", "batch", "crontab", "dtach", "abduco", "zellij":
			detached(c.Program + " runs it elsewhere")
		case "docker", "podman", "nerdctl", "docker-compose", "podman-compose":
			if words.has("-d", "--detach") {
				detached("its container is detached")
			}
		case "find":
			if !plusExec(words) {
				mask("find -exec hides its exit code")
			}
		case "expect", "parallel-ssh", "pssh":
			mask(c.Program + " hides its exit code")
		}
	}
	for w := range c.Wrappers {
		name := c.Wrappers[w].Name
		own := make(argv, len(c.Wrappers[w].Argv))
		for k := range own {
			own[k] = c.Wrappers[w].Argv[k].Text
		}
		switch name {
		case "timeout", "gtimeout":
			switch sig, _ := own.value("-s", "--signal"); strings.TrimPrefix(strings.ToUpper(sig), "SIG") {
			case "INT", "2":
				p.interrupts = true
			}
			p.interrupts = p.interrupts || own.has("-sINT", "-s2", "-sSIGINT")
		case "systemd-run":
			if !own.has("--wait", "--scope", "--pty", "-P", "-t", "--pipe") {
				detached("systemd-run does not wait for it")
			}
		case "setsid":
			if own.has("-f", "--fork") {
				detached("setsid does not wait for it")
			}
		case "sudo":
			if own.has("-b", "--background") {
				detached("it runs in the background")
			}
		}
	}
}

func shortFlag(words argv, flag rune) bool {
	for _, w := range words {
		if len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.ContainsRune(w[1:], flag) {
			return true
		}
	}
	return false
}

func plusExec(words argv) bool { return slices.Contains(words, "+") }

// eachCounts reports whether whatever repeats command i fails when one of its
// runs does.
func eachCounts(l *shellcmd.Line, i int) bool {
	for at := i; at >= 0; at = l.Commands[at].Parent {
		c := &l.Commands[at]
		switch c.Program {
		case "xargs", "gxargs", "parallel":
			if at != i {
				return true
			}
		case "find":
			if at != i {
				return plusExec(wordsOf(c))
			}
		}
		if c.Wrapper("xargs") != nil {
			return true
		}
		if c.Parent >= at { // never; a line is built downwards
			return false
		}
	}
	return false
}

// fatal reports whether the line ends with the failure of command i.
func fatal(l *shellcmd.Line, i int) bool {
	c := &l.Commands[i]
	return c.Has(shellcmd.Fatal) || assigned(l, i) && l.Commands[c.Parent].Has(shellcmd.Fatal)
}

// carrier is the command that runs command i as its one child and ends as it
// does: npx, uv run. It is i itself if there is none.
func carrier(l *shellcmd.Line, i int) int {
	for l.Commands[i].Via == shellcmd.ViaExec && l.Commands[i].Parent >= 0 && !l.Commands[i].Has(shellcmd.Looped) {
		i = l.Commands[i].Parent
	}
	return i
}

// assigned reports whether command i is all of a substitution that a bare
// assignment takes, x=$(i), whose exit code is then i's, and counts.
func assigned(l *shellcmd.Line, i int) bool {
	c := &l.Commands[i]
	if c.Via != shellcmd.ViaSubst || c.Parent < 0 || c.Stage != 0 || c.Stdout.Kind != shellcmd.Capture || c.Has(shellcmd.Background) || c.Has(shellcmd.Negated) {
		return false
	}
	up := &l.Commands[c.Parent]
	if len(up.Argv) > 0 || len(up.Assigns) == 0 || up.Has(shellcmd.Masked) || up.Has(shellcmd.Background) || c.Has(shellcmd.Conditional) != up.Has(shellcmd.Conditional) {
		return false
	}
	for j := range l.Commands {
		if o := &l.Commands[j]; j != i && o.Parent == c.Parent && o.Via == shellcmd.ViaSubst {
			return false
		}
	}
	return true
}

// waited reports whether the line ends with what wait says of command i.
func waited(l *shellcmd.Line, i int) bool {
	for j := i + 1; j < len(l.Commands); j++ {
		if w := &l.Commands[j]; w.Program == "wait" && w.Parent == l.Commands[i].Parent {
			if len(w.Argv) == 1 {
				return true // its exit code says nothing: command i is masked
			}
			return strings.Contains(w.Argv[1].Raw, "!") && (!w.Has(shellcmd.Masked) || l.Commands[i].Has(shellcmd.Masked)) || l.Commands[i].Has(shellcmd.Masked)
		}
	}
	return false
}

// maskedBy says what hides the exit code of command i.
func maskedBy(l *shellcmd.Line, i int) string {
	c := &l.Commands[i]
	for at := i; at >= 0; at = l.Commands[at].Parent {
		from := &l.Commands[at]
		for j := range l.Commands {
			if o := &l.Commands[j]; j != at && o.Pipeline == from.Pipeline && o.Stage > from.Stage && o.Program != "" {
				return "the pipe into " + o.Program + " hides its exit code"
			}
		}
	}
	switch {
	case c.Via == shellcmd.ViaSubst || c.Via == shellcmd.ViaProc:
		return "a substitution hides its exit code"
	case c.Has(shellcmd.Looped):
		return "a loop hides its exit code"
	case c.Has(shellcmd.Background):
		return "it runs in the background"
	}
	top := i
	for l.Commands[top].Parent >= 0 && l.Commands[top].Has(shellcmd.Masked) && l.Commands[l.Commands[top].Parent].Has(shellcmd.Masked) {
		top = l.Commands[top].Parent
	}
	for j := i + 1; j < len(l.Commands); j++ {
		if o := &l.Commands[j]; o.Program != "" && o.Parent == l.Commands[top].Parent && j != top {
			return "what follows (" + o.Program + ") hides its exit code"
		}
	}
	return "the exit code of the line is not its"
}

// watchOutput follows what command i prints to the text that the host shows.
func watchOutput(l *shellcmd.Line, i int, p *proof) {
	c := &l.Commands[i]
	out, errs := c.Stdout.Kind, shellcmd.Inherit
	for k := range c.Redirects {
		r := &c.Redirects[k]
		to := shellcmd.File
		if r.Target.Text == "/dev/null" {
			to = shellcmd.Closed
		}
		switch {
		case strings.HasPrefix(r.Op, "&>"), r.Op == ">&" && r.Writes():
			errs = to
		case r.Fd == 2 && r.Writes():
			errs = to
		case r.Fd == 2 && r.Op == ">&" && r.Target.Text == "1":
			errs = out
		}
	}
	gone := out == shellcmd.File || out == shellcmd.Closed
	if gone && (errs == shellcmd.File || errs == shellcmd.Closed) {
		p.hidden = true
	}
	for j := range l.Commands {
		d := &l.Commands[j]
		if j == i || d.Program == "" || !below(l, i, j) && !reads(c, d) {
			continue
		}
		if gone && reads(c, d) {
			p.hidden = false
		}
		filter(d, p)
	}
}

// below reports whether what command i prints can reach command j.
func below(l *shellcmd.Line, i, j int) bool {
	a, b := &l.Commands[i], &l.Commands[j]
	if a.Pipeline == b.Pipeline && b.Stage > a.Stage {
		return true
	}
	if !slices.Contains(l.Upstream(j), i) {
		return false
	}
	for at := i; at >= 0; at = l.Commands[at].Parent {
		if c := &l.Commands[at]; c.Parent == j {
			return c.Via == shellcmd.ViaSubst || c.Via == shellcmd.ViaProc
		}
	}
	return true
}

// reads reports whether d names the file that c writes.
func reads(c, d *shellcmd.Command) bool {
	for k := range c.Redirects {
		r := &c.Redirects[k]
		if !r.Writes() || r.Target.Text == "/dev/null" || r.Target.Text == "" {
			continue
		}
		for a := range d.Args() {
			if d.Args()[a].Text == r.Target.Text {
				return true
			}
		}
		for k := range d.Redirects {
			if d.Redirects[k].Reads() && d.Redirects[k].Target.Text == r.Target.Text {
				return true
			}
		}
	}
	return false
}

// filter notes what a program further down does to the lines it is given.
func filter(d *shellcmd.Command, p *proof) {
	words := wordsOf(d)[1:]
	count := func(def int) int {
		for k, w := range words {
			digits := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(w, "-n"), "--lines="), "-")
			if n, ok := whole(digits); ok && strings.HasPrefix(w, "-") {
				return n
			}
			if (w == "-n" || w == "--lines") && k+1 < len(words) {
				n, _ := whole(strings.TrimPrefix(words[k+1], "-"))
				return n
			}
			if strings.HasPrefix(w, "-c") || strings.HasPrefix(w, "+") || strings.HasPrefix(w, "-n+") {
				return 0
			}
		}
		return def
	}
	switch d.Program {
	case "tee", "cat", "wait", "exit", "true", "sleep", "less", "more", "read", "echo", "printf", "[", "test", "while", "sponge", "ts", "unbuffer", "stdbuf", "tac-not", "rm", "bat", "batcat", "pr-not", "script", "nl-not", "mapfile", "readarray", "ansi2txt", "col":
	case "tail", "gtail", "get-content", "select-object", "out-string":
		p.cut = smaller(p.cut, count(10))
	case "head", "ghead":
		p.sieved = true
		p.cut = smaller(p.cut, count(10))
	case "grep", "egrep", "fgrep", "rg", "ag", "ack", "findstr", "select-string":
		if shortFlag(words, 'o') || words.has("--only-matching", "--count") || shortFlag(words, 'c') {
			p.mutated = true
		}
		p.sieved, p.grepped = true, true
	case "sed", "gsed":
		if script := words.operands(); shortFlag(words, 'n') && len(script) > 0 && strings.HasSuffix(script[0], "p") && !strings.ContainsAny(script[0], "s/y") {
			p.sieved, p.grepped = true, true
		} else {
			p.mutated = true
		}
	case "uniq", "sort":
		p.sieved, p.grepped = true, true
	default:
		p.mutated = true
	}
}

func smaller(a, b int) int {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}
