package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// made is something that an earlier command of the line puts at a path, so
// that later ones meet it there although no file system shows it yet.
type made struct {
	path string // absolute
	to   string // what it leads to, absolute
	what madeKind
	by   int // index of the command; later ones see it
}

type madeKind int

const (
	madeLink  madeKind = iota + 1 // a link: deleting it alone leaves what it leads to
	madeMount                     // another name for the folder itself
	madeMoved                     // what was at to is here now
	madeCopy                      // a copy of our own program
)

const maxMade = 64

// seen returns the newest thing of that kind that earlier commands put at p.
func (l *place) seen(p string, kinds ...madeKind) (made, bool) {
	for i := len(l.made) - 1; i >= 0; i-- {
		m := &l.made[i]
		if m.by >= l.now || !l.same(m.path, p) {
			continue
		}
		if slices.Contains(kinds, m.what) {
			return *m, true
		}
	}
	return made{}, false
}

// movedDanger is the danger of deleting p for what earlier commands moved to
// it, into it, or above it.
func (j *judge) movedDanger(p string) danger {
	w := noDanger
	now := j.now
	for _, m := range slices.Backward(j.made) {

		if m.what != madeMoved || m.by >= now {
			continue
		}
		from := m.to
		switch {
		case j.within(p, m.path):
		case j.below(m.path, p):
			if from += p[len(m.path):]; !j.exists(from) {
				continue
			}
		default:
			continue
		}
		j.now = m.by // what was there before it was moved
		w = max(w, j.dangerOf(from, false, false))
	}
	j.now = now
	return w
}

// makings lists what the line's commands put at paths, in order. It costs
// nothing for lines without such programs.
func (j *judge) makings(l *shellcmd.Line) {
	for i := range l.Commands {
		c := &l.Commands[i]
		if c.Has(shellcmd.Remote) || c.Has(shellcmd.Uncalled) {
			continue
		}
		for k := range c.Effects {
			switch e := &c.Effects[k]; e.Kind {
			case shellcmd.LinkFile:
				j.linked(i, c, &e.Path, &e.To, true)
			case shellcmd.MoveFile:
				j.put(i, c, &e.Path, &e.To, madeMoved)
			}
		}
		args := c.Args()
		switch c.Program {
		case "ln", "gln", "link":
			as := cpFlags.parse(args)
			dst := valueOf(as, "-t", "--target-directory")
			symbolic := has(as, "-s", "--symbolic") && !has(as, "-r", "--relative")
			plain := has(as, "-n", "-T", "-h", "--no-dereference", "--no-target-directory")
			j.each(c, operands(as), dst, plain, func(from, to *word) { j.linked(i, c, from, to, symbolic) })
		case "mv", "gmv", "move-item", "move":
			as := moveFlags.parse(args)
			j.each(c, operands(as), valueOf(as, "-t", "--target-directory"), has(as, "-T", "--no-target-directory"), func(from, to *word) { j.put(i, c, from, to, madeMoved) })
		case "mount", "bindfs":
			ops := operands((&grammar{short: "otLUOP", long: []string{"--types", "--options", "--source", "--target"}}).parse(args))
			if len(ops) == 2 && (c.Program == "bindfs" || mentionsBind(args)) {
				j.put(i, c, ops[0], ops[1], madeMount)
			}
		case "new-item":
			j.newItem(i, c)
		case "mklink":
			if ops := windowsOperands(args); len(ops) == 2 {
				j.linked(i, c, ops[1], ops[0], true)
			}
		case "cp", "gcp", "install", "ginstall", "copy-item", "copy", "ditto":
			as := installFlags.parse(args)
			j.each(c, operands(as), valueOf(as, "-t", "--target-directory"), false, func(from, to *word) { j.copied(i, c, from, to) })
		case "go":
			at := slices.IndexFunc(args, func(w word) bool { return w.Text == "-o" })
			if len(args) == 0 || args[0].Text != "build" || at < 0 || at+1 >= len(args) {
				break
			}
			for k := range args {
				if p := strings.TrimRight(args[k].Text, "/"); strings.HasSuffix(p, "cmd/guardrails") || strings.HasSuffix(p, "/guardrails-full") {
					j.copyAt(i, c, &args[at+1])
				}
			}
		case "cat", "dd":
			for k := range args {
				w := &args[k]
				if v, ok := strings.CutPrefix(w.Text, "if="); ok {
					w = tail(w, v)
				}
				for n := range c.Redirects {
					if r := &c.Redirects[n]; r.Writes() {
						j.copied(i, c, w, &r.Target)
					}
				}
				for n := range args {
					if v, ok := strings.CutPrefix(args[n].Text, "of="); ok {
						j.copied(i, c, w, tail(&args[n], v))
					}
				}
			}
		}
	}
}

func mentionsBind(args []word) bool {
	for i := range args {
		if t := args[i].Text; t == "--bind" || t == "-B" || t == "--rbind" || t == "-R" || strings.Contains(t, "bind") && i > 0 && args[i-1].Text == "-o" {
			return true
		}
	}
	return false
}

// each visits the pairs of source and target of cp, mv and ln. A target that
// is no folder yet may be one by then: it is visited both ways.
func (j *judge) each(c *shellcmd.Command, ops []*word, dst *word, plain bool, visit func(from, to *word)) {
	into := dst != nil
	if dst == nil {
		switch {
		case len(ops) == 1 && !plain:
			visit(ops[0], joinWord(&word{Text: ".", Static: true}, ops[0]))
			return
		case len(ops) < 2:
			return
		}
		dst, ops = ops[len(ops)-1], ops[:len(ops)-1]
	}
	if !plain {
		into = into || len(ops) > 1 || strings.HasSuffix(dst.Text, "/") || dst.Text == "." || strings.HasSuffix(dst.Text, "/.")
		for _, p := range j.paths(c, dst) {
			into = into || j.isDir(p)
		}
	}
	for _, s := range ops {
		if !into {
			visit(s, dst)
		}
		if !plain {
			visit(s, joinWord(dst, s))
		}
	}
}

func (j *judge) put(by int, c *shellcmd.Command, from, to *word, what madeKind) {
	for _, f := range j.paths(c, from) {
		f, pattern := splitGlob(f)
		for _, t := range j.paths(c, to) {
			if pattern != "" {
				t = path.Dir(t)
			}
			if len(j.made) < maxMade && !j.same(f, t) {
				j.made = append(j.made, made{path: t, to: f, what: what, by: by})
			}
		}
	}
}

// linked notes a link. A symbolic one is read from the folder it lies in.
func (j *judge) linked(by int, c *shellcmd.Command, from, to *word, symbolic bool) {
	for _, t := range j.paths(c, to) {
		from := from
		if symbolic {
			in := *c
			in.Dir, in.DirElse = path.Dir(t), nil
			for _, f := range j.paths(&in, from) {
				if len(j.made) < maxMade && !j.same(f, t) {
					j.made = append(j.made, made{path: t, to: f, what: madeLink, by: by})
				}
			}
			continue
		}
		j.put(by, c, from, to, madeLink)
	}
}

// newItem reads New-Item -ItemType SymbolicLink -Path P -Target T.
func (j *judge) newItem(by int, c *shellcmd.Command) {
	args := c.Args()
	var at, to *word
	link := false
	for i := 0; i < len(args); i++ {
		switch t := strings.ToLower(args[i].Text); {
		case i+1 < len(args) && (t == "-itemtype" || t == "-type"):
			i++
			v := strings.ToLower(args[i].Text)
			link = v == "symboliclink" || v == "junction" || v == "hardlink"
		case i+1 < len(args) && t == "-path":
			i++
			at = &args[i]
		case i+1 < len(args) && (t == "-target" || t == "-value"):
			i++
			to = &args[i]
		case !strings.HasPrefix(t, "-") && at == nil:
			at = &args[i]
		}
	}
	if link && at != nil && to != nil {
		j.linked(by, c, to, at, true)
	}
}

// copied notes a copy of our own program.
func (j *judge) copied(by int, c *shellcmd.Command, from, to *word) {
	own := false
	for _, i := range from.Subst {
		own = own || j.findsBinary(i)
	}
	for _, p := range j.paths(c, from) {
		own = own || j.isBinary(p) || j.isBinary(j.real(p))
	}
	if own {
		j.copyAt(by, c, to)
	}
}

func (j *judge) copyAt(by int, c *shellcmd.Command, to *word) {
	for _, t := range j.paths(c, to) {
		if len(j.made) < maxMade {
			j.made = append(j.made, made{path: t, to: "guardrails", what: madeCopy, by: by})
		}
	}
}
