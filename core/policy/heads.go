package policy

import (
	"path"
	"strings"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// heads are the branches that the line itself checks out, counted up to the
// command that is judged.
type heads struct {
	line  *shellcmd.Line
	next  int // index of the first command that is not counted
	trees []tree
}

// tree is a work tree that the line makes, or whose branch it changes.
type tree struct {
	gitDir string // of a repository that is there already
	top    string // of one that the line makes
	branch string // "" = none, or not known
	before string // checked out before that
}

// headOf returns the branch that is checked out where c works when it runs, ""
// if that is none, unborn or not known. Where several are possible, a protected
// one counts. No process is asked: HEAD is read, and what earlier commands of the
// line do to it is followed.
func (j *judge) headOf(c *shellcmd.Command, g *gitCmd) string {
	if c.Has(shellcmd.Remote) {
		return ""
	}
	j.countHeads()
	b := j.headIn(g)
	if b == "" && g.dir == "" && g.gitDir == "" && j.atTop() {
		b = j.headIn(&gitCmd{dir: j.root})
	}
	for _, d := range c.DirElse {
		if j.protectedBranch(b) {
			break
		}
		at := *c
		at.Dir = d
		other := parseGit(&at)
		if o := j.headIn(&other); j.protectedBranch(o) {
			b = o
		}
	}
	return b
}

// atTop reports whether the line asks git for the top of the project, which is
// then where a folder that is not known leads to.
func (j *judge) atTop() bool {
	for i := range j.line.Commands {
		if c := &j.line.Commands[i]; c.Program == "git" {
			for _, a := range c.Args() {
				if a.Text == "--show-toplevel" {
					return true
				}
			}
		}
	}
	return false
}

// countHeads counts what the commands before the current one check out.
func (j *judge) countHeads() {
	h := &j.heads
	if h.line != j.line {
		h.line, h.next = j.line, 0
	}
	for ; h.next < j.cur.index && h.next < len(j.line.Commands); h.next++ {
		if c := &j.line.Commands[h.next]; !c.Has(shellcmd.Remote) && !c.Has(shellcmd.Uncalled) {
			j.countHead(c)
		}
	}
}

func (j *judge) countHead(c *shellcmd.Command) {
	switch c.Program {
	case "gh", "glab":
		ops := operands((&grammar{short: "Rb", long: []string{"--repo", "--branch"}}).parse(c.Args()))
		switch {
		case len(ops) > 1 && (ops[0].Text == "pr" || ops[0].Text == "mr") && (ops[1].Text == "checkout" || ops[1].Text == "co"):
			j.checksOut(&gitCmd{dir: c.Dir}, "")
		case len(ops) > 2 && ops[0].Text == "repo" && ops[1].Text == "clone":
			j.makesTree(c.Dir, cloneDir(ops[2:]), "")
		}
	case "git":
		g := parseGit(c)
		j.unalias(&g)
		if !g.help {
			j.countGit(&g)
		}
	}
}

var (
	switchFlags   = grammar{short: "cC", long: []string{"--create", "--force-create", "--orphan", "--conflict"}}
	branchFlags   = grammar{short: "u", long: []string{"--set-upstream-to", "--sort", "--format", "--points-at"}}
	rebaseFlags   = grammar{short: "sXxC", long: []string{"--onto", "--strategy", "--strategy-option", "--exec", "--empty", "--whitespace"}}
	worktreeFlags = grammar{short: "bB", long: []string{"--reason"}}
	cloneFlags    = grammar{short: "bocju", long: []string{
		"--branch", "--origin", "--config", "--jobs", "--upload-pack", "--depth", "--reference", "--reference-if-able", "--template",
		"--separate-git-dir", "--shallow-since", "--shallow-exclude", "--filter", "--server-option", "--bundle-uri", "--ref-format", "--revision",
	}}
	initFlags = grammar{short: "b", long: []string{"--initial-branch", "--template", "--separate-git-dir", "--object-format", "--ref-format"}}
)

func (j *judge) countGit(g *gitCmd) {
	switch g.sub {
	case "checkout", "switch":
		if to, moves := j.switchesTo(g); moves {
			j.checksOut(g, to)
		}
	case "symbolic-ref":
		if ops := operands((&grammar{short: "m"}).parse(g.args)); len(ops) == 2 && ops[0].Text == "HEAD" {
			j.checksOut(g, j.branchName(ops[1]))
		}
	case "branch":
		as := branchFlags.parse(g.args)
		if !has(as, "-m", "-M", "--move") {
			return
		}
		switch ops := operands(as); {
		case len(ops) == 1:
			j.checksOut(g, j.branchName(ops[0]))
		case len(ops) == 2 && j.headIn(g) == j.branchName(ops[0]):
			j.checksOut(g, j.branchName(ops[1]))
		}
	case "stash":
		if len(g.args) > 1 && g.args[0].Text == "branch" {
			j.checksOut(g, j.branchName(&g.args[1]))
		}
	case "rebase":
		as := rebaseFlags.parse(g.args)
		ops := operands(as)
		if n := rebasedAt(as); len(ops) > n {
			j.checksOut(g, j.branchName(ops[n]))
		}
	case "worktree":
		if len(g.args) > 1 && g.args[0].Text == "add" {
			as := worktreeFlags.parse(g.args[1:])
			ops := operands(as)
			if len(ops) == 0 {
				return
			}
			branch := baseName(strings.TrimRight(ops[0].Text, "/"))
			if w := valueOf(as, "-b", "-B"); w != nil {
				branch = j.branchName(w)
			} else if has(as, "-d", "--detach") {
				branch = ""
			} else if len(ops) > 1 {
				branch = j.branchName(ops[1])
			}
			j.makesTree(g.dir, ops[0].Text, branch)
		}
	case "clone":
		as := cloneFlags.parse(g.args)
		branch := ""
		if w := valueOf(as, "-b", "--branch"); w != nil {
			branch = j.branchName(w)
		}
		if ops := operands(as); len(ops) > 0 {
			j.makesTree(g.dir, cloneDir(ops), branch)
		}
	case "init":
		dir := "."
		if ops := operands(initFlags.parse(g.args)); len(ops) > 0 {
			dir = ops[0].Text
		}
		j.makesTree(g.dir, dir, "") // unborn: its first commit has to go somewhere
	}
}

// cloneDir is the folder that a clone makes: the second operand, or the last
// part of the address.
func cloneDir(ops []*word) string {
	if len(ops) > 1 {
		return ops[1].Text
	}
	s := strings.TrimSuffix(strings.TrimRight(ops[0].Text, "/"), ".git")
	return s[strings.LastIndexAny(s, "/:")+1:]
}

// switchesTo returns the branch that git checkout or switch leaves checked out,
// "" for a commit; moves is false when it stays where it is.
func (j *judge) switchesTo(g *gitCmd) (to string, moves bool) {
	var as []arg
	if g.sub == "checkout" {
		as = checkoutFlags.parse(g.args)
		if toggles(as, "-p", "patch", 2) || has(as, "--ours", "--theirs", "-2", "-3") {
			return "", false
		}
	} else {
		as = switchFlags.parse(g.args)
	}
	if w := valueOf(as, "-b", "-B", "-c", "-C", "--create", "--force-create", "--orphan"); w != nil {
		return j.branchName(w), true
	}
	var ops []*word
	for i := range as {
		switch {
		case as[i].flag != "":
		case as[i].after && g.sub == "checkout":
			return "", false // files
		default:
			ops = append(ops, as[i].value)
		}
	}
	detach := has(as, "-d", "--detach")
	switch {
	case len(ops) != 1:
		return "", detach
	case detach:
		return "", true
	case ops[0].Text == "-" || ops[0].Text == "@{-1}":
		return j.headBefore(g), true
	case ops[0].Text == "HEAD" || ops[0].Text == "@":
		return "", false
	case has(as, "-t", "--track"):
		_, b, _ := strings.Cut(ops[0].Text, "/")
		return b, true
	case g.sub == "checkout" && j.isPathspec(g, ops[0]) && !j.protectedBranch(ops[0].Text):
		return "", false
	}
	return j.branchName(ops[0]), true
}

// branchName returns the branch that w names, a protected one of several
// possible ones, "" for what is no plain name or not known.
func (j *judge) branchName(w *word) string {
	for _, v := range w.Values() {
		if v = strings.TrimPrefix(v, "refs/heads/"); j.protectedBranch(v) {
			return v
		}
	}
	t := strings.TrimPrefix(w.Text, "refs/heads/")
	if unknown(w) || strings.ContainsAny(t, "~^:@{ ") {
		return ""
	}
	return t
}

// checksOut notes that g's work tree has another branch from here on.
func (j *judge) checksOut(g *gitCmd, branch string) {
	t := j.treeAt(g)
	if t == nil {
		dir := j.gitDirOf(g)
		if dir == "" {
			return
		}
		j.heads.trees = append(j.heads.trees, tree{gitDir: dir, branch: j.headFile(dir)})
		t = &j.heads.trees[len(j.heads.trees)-1]
	}
	t.branch, t.before = branch, t.branch
}

// makesTree notes a work tree that the line makes.
func (j *judge) makesTree(from, dir, branch string) {
	if strings.Contains(dir, shellcmd.Unknown) || len(j.heads.trees) >= maxMade {
		return
	}
	if top, ok := j.abs(from, dir); ok {
		j.heads.trees = append(j.heads.trees, tree{top: top, branch: branch})
	}
}

// treeAt returns what the line did to the work tree that g works in, nil if
// nothing.
func (j *judge) treeAt(g *gitCmd) *tree {
	h := &j.heads
	if len(h.trees) == 0 {
		return nil
	}
	if g.gitDir == "" {
		for d := g.dir; d != ""; {
			if _, there := j.gitEntry(d); there {
				break
			}
			for i := len(h.trees) - 1; i >= 0; i-- {
				if j.same(h.trees[i].top, d) {
					return &h.trees[i]
				}
			}
			up := path.Dir(d)
			if up == d {
				break
			}
			d = up
		}
	}
	dir := j.gitDirOf(g)
	for i := range h.trees {
		if dir != "" && h.trees[i].gitDir == dir {
			return &h.trees[i]
		}
	}
	return nil
}

// headIn returns the branch that is checked out where g works.
func (j *judge) headIn(g *gitCmd) string {
	if t := j.treeAt(g); t != nil {
		return t.branch
	}
	if dir := j.gitDirOf(g); dir != "" {
		return j.headFile(dir)
	}
	return ""
}

// headBefore returns the branch that `git checkout -` goes back to.
func (j *judge) headBefore(g *gitCmd) string {
	if t := j.treeAt(g); t != nil && t.before != "" {
		return t.before
	}
	dir := j.gitDirOf(g)
	if dir == "" {
		return ""
	}
	data, err := j.fs.ReadFile(dir+"/logs/HEAD", 1<<20)
	if err != nil {
		return ""
	}
	text := string(data)
	const moved = "checkout: moving from "
	i := strings.LastIndex(text, moved)
	if i < 0 {
		return ""
	}
	from, _, _ := strings.Cut(text[i+len(moved):], " ")
	return from
}

// headFile reads the branch out of a git folder's HEAD. A branch without a
// commit yet is none: nobody builds on it.
func (j *judge) headFile(dir string) string {
	ref := ""
	if to, err := j.fs.Readlink(dir + "/HEAD"); err == nil { // as old gits write it
		ref = to
	} else if data, err := j.fs.ReadFile(dir+"/HEAD", 1<<12); err == nil {
		ref, _ = strings.CutPrefix(string(data), "ref:")
	}
	branch, ok := strings.CutPrefix(strings.TrimSpace(ref), "refs/heads/")
	if branch == ".invalid" { // the mark of a repository that keeps its refs elsewhere
		return j.tableHead(dir)
	}
	if !ok || j.unborn(dir, branch) {
		return ""
	}
	return branch
}

// unborn reports whether a branch has surely no commit yet.
func (j *judge) unborn(dir, branch string) bool {
	common := j.commonDir(dir)
	if _, err := j.fs.Lstat(common + "/refs/heads"); err != nil {
		return false
	}
	return !j.refExists(common, "refs/heads/"+branch)
}

// commonDir is the git folder that holds the branches of a worktree's one.
func (j *judge) commonDir(dir string) string {
	data, err := j.fs.ReadFile(dir+"/commondir", 1<<12)
	if err != nil {
		return dir
	}
	if p, ok := j.abs(dir, strings.TrimSpace(string(data))); ok {
		return p
	}
	return dir
}

// refExists reports whether a git folder has that reference, loose or packed.
func (j *judge) refExists(common, ref string) bool {
	if _, err := j.fs.Lstat(common + "/" + ref); err == nil {
		return true
	}
	packed, err := j.fs.ReadFile(common+"/packed-refs", 16<<20)
	return err == nil && strings.Contains(string(packed), " "+ref+"\n")
}
