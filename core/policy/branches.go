package policy

import (
	"strings"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

const ownBranch = "make a branch of your own, `git switch -c topic2`, and open a pull request from it"

var branchRules = [...]Rule{
	{
		ID: "branches/commit", Verdict: hook.Ask,
		Doc:     "Committing while a branch is checked out that others build on: git commit, cherry-pick, revert, am, npm version.",
		Why:     "work goes onto that branch without a review",
		Instead: ownBranch,
		Fire: []string{
			"git switch main && git commit -m x", "git checkout -q main; git commit --amend --no-edit", "git checkout main && git cherry-pick abc123", "git switch master && git revert HEAD",
			"git -c core.pager=cat switch main && git -c user.name=x commit -am x", "git checkout -b main && git am 0001.patch",
		},
		Pass: []string{
			"git commit -m x", "git switch main && git switch -c topic2 && git commit -m x", "git switch main && git commit --dry-run", "git switch main && git cherry-pick --abort",
			"git switch main && git status", "git checkout main -- && git checkout - && git commit -m x", "git commit -m 'git switch main'",
		},
		check: branchCommit,
	},
	{
		ID: "branches/merge", Verdict: hook.Ask,
		Doc:     "Merging into a branch that others build on: git merge, git pull of another branch, git subtree.",
		Why:     "what is merged is on that branch without a review",
		Instead: "merge the other way round on your own branch, `git merge main`, and open a pull request; to bring the branch up to date, `git pull --ff-only`",
		Fire:    []string{"git switch main && git merge topic", "git checkout main && git merge --squash topic", "git switch main && git pull origin topic"},
		Pass: []string{
			"git merge main", "git switch main && git pull", "git switch main && git pull --ff-only origin main", "git switch main && git merge --abort",
			"git switch main && git merge --ff-only origin/main", "git switch main && git switch topic && git merge main",
		},
		check: branchMerge,
	},
	{
		ID: "branches/rewrite", Verdict: hook.Ask,
		Doc:     "Rebasing or resetting a branch that others build on: git rebase, git reset to another commit, git pull --rebase.",
		Why:     "the branch then has other commits than those that others have",
		Instead: "rebase your own branch instead, `git rebase main`; to bring the branch up to date, `git pull --ff-only`",
		Fire: []string{
			"git switch main && git rebase -i HEAD~3", "git rebase topic main", "git checkout main && git reset --soft HEAD~1", "git switch main && git pull --rebase",
			"git switch main && git reset HEAD~2",
		},
		Pass: []string{
			"git rebase main", "git switch main && git rebase --abort", "git switch main && git reset HEAD a.txt", "git switch main && git rebase main topic", "git switch main && git reset",
			"git reset --soft HEAD~1",
		},
		check: branchRewrite,
	},
	{
		ID: "branches/push", Verdict: hook.Ask,
		Doc:     "Pushing while a branch is checked out that others build on.",
		Why:     "what is pushed from there was made there, not on a branch for review",
		Instead: ownBranch,
		Fire:    []string{"git switch main && git push", "git switch main && git push origin HEAD", "git checkout main && git push -u origin topic"},
		Pass: []string{
			"git push origin topic", "git switch main && git push --dry-run", "git switch main && git push origin --delete topic", "git switch main && git push origin refs/tags/v1.0.0",
			"git switch main && git push --tags",
		},
		check: branchPush,
	},
	{
		ID: "branches/move", Verdict: hook.Ask,
		Doc:     "Moving or renaming a local branch that others build on from elsewhere: git branch -f, checkout -B, switch -C, update-ref, fetch or push into it.",
		Why:     "the branch then has other commits than those that others have",
		Instead: "bring it up to date from its own remote branch: `git fetch origin main:main`",
		Fire: []string{
			"git branch -f main topic", "git branch --force main HEAD~3", "git checkout -B main topic", "git switch -C main", "git update-ref refs/heads/main HEAD",
			"git fetch origin topic:main", "git push . HEAD:main", "git branch -M topic main",
		},
		Pass:  []string{"git branch -f topic HEAD~1", "git fetch origin main:main", "git fetch origin", "git checkout -B main origin/main", "git branch main-copy main"},
		check: branchMove,
	},
}

// onProtected returns the branch that is checked out where c works, if others
// build on it.
func (j *judge) onProtected(c *shellcmd.Command, g *gitCmd) (string, bool) {
	b := j.headOf(c, g)
	return b, j.protectedBranch(b)
}

// goesOn reports whether a command only ends, resumes or shows what an earlier
// call began.
func goesOn(as []arg) bool {
	for i := range as {
		switch f := as[i].flag; {
		case long(f, "--abort", 2), long(f, "--quit", 2), long(f, "--continue", 3), f == "--skip", f == "--edit-todo", strings.HasPrefix(f, "--show-current"):
			return true
		}
	}
	return false
}

var (
	mergeFlags = grammar{short: "msXFS", long: []string{"--strategy", "--strategy-option", "--message", "--file", "--into-name", "--cleanup"}}
	pullFlags  = grammar{short: "sXjo", long: []string{"--strategy", "--strategy-option", "--jobs", "--depth", "--deepen", "--refmap", "--upload-pack", "--server-option", "--cleanup", "--shallow-since", "--shallow-exclude", "--negotiation-tip"}}
	fetchFlags = pullFlags
	pickFlags  = grammar{short: "mX", long: []string{"--mainline", "--strategy", "--strategy-option", "--cleanup", "--empty"}}
	amFlags    = grammar{short: "Cp", long: []string{"--directory", "--exclude", "--include", "--patch-format", "--whitespace", "--empty"}}
)

func branchCommit(j *judge, c *shellcmd.Command) (match, bool) {
	if versions(c) {
		b, on := j.onProtected(c, &gitCmd{dir: c.Dir})
		return match{what: "commits a new version to " + oneLine(b)}, on
	}
	g := j.git(c)
	if g.help {
		return match{}, false
	}
	how := ""
	switch g.sub {
	case "commit":
		as := commitFlags.parse(g.args)
		for i := range as {
			if f := as[i].flag; f == "--dry-run" || f == "--porcelain" || f == "--short" || f == "--long" {
				return match{}, false
			}
		}
		how = "commits to "
	case "cherry-pick", "revert":
		if goesOn(pickFlags.parse(g.args)) {
			return match{}, false
		}
		how = "commits to "
	case "am":
		if goesOn(amFlags.parse(g.args)) {
			return match{}, false
		}
		how = "applies patches to "
	default:
		return match{}, false
	}
	if b, on := j.onProtected(c, g); on {
		return match{what: how + oneLine(b)}, true
	}
	return match{}, false
}

// versions reports whether c is an npm version that commits and tags.
func versions(c *shellcmd.Command) bool {
	if c.Program != "npm" && c.Program != "pnpm" {
		return false
	}
	ops := plainOperands(c, &grammar{short: "mw", long: []string{"--message", "--preid", "--prefix", "--workspace", "--tag-version-prefix"}})
	if len(ops) < 2 || ops[0] != "version" || flagLike(c, "no-git-tag-version", "help") {
		return false
	}
	for _, a := range c.Args() {
		if a.Text == "--git-tag-version=false" {
			return false
		}
	}
	return true
}

func branchMerge(j *judge, c *shellcmd.Command) (match, bool) {
	g := j.git(c)
	if g.help {
		return match{}, false
	}
	switch g.sub {
	case "merge":
		as := mergeFlags.parse(g.args)
		if goesOn(as) {
			return match{}, false
		}
		b, on := j.onProtected(c, g)
		if !on || has(as, "--ff-only") && ownUpstream(operands(as), b) {
			return match{}, false
		}
		return match{what: "merges into " + oneLine(b)}, true
	case "pull":
		as := pullFlags.parse(g.args)
		if rebases(g, as) || has(as, "--dry-run") {
			return match{}, false
		}
		ops := operands(as)
		if len(ops) < 2 {
			return match{}, false // its own upstream
		}
		b, on := j.onProtected(c, g)
		if !on {
			return match{}, false
		}
		for _, w := range ops[1:] {
			src, _, _ := strings.Cut(strings.TrimPrefix(w.Text, "+"), ":")
			src = strings.TrimPrefix(src, "refs/heads/")
			if !unknown(w) && src != b && src != "HEAD" && src != "" {
				return match{what: "merges " + oneLine(src) + " into " + oneLine(b)}, true
			}
		}
	case "subtree":
		if len(g.args) == 0 || !anyOf(g.args[0].Text, "add", "merge", "pull") {
			return match{}, false
		}
		if b, on := j.onProtected(c, g); on {
			return match{what: "merges into " + oneLine(b)}, true
		}
	}
	return match{}, false
}

// ownUpstream reports whether refs name nothing but the remote side of branch.
func ownUpstream(refs []*word, branch string) bool {
	for _, w := range refs {
		switch t := w.Text; {
		case t == "@{u}", t == "@{upstream}", t == "FETCH_HEAD", t == "HEAD", t == branch+"@{u}", t == branch+"@{upstream}", remoteOf(t, branch):
		default:
			return false
		}
	}
	return true
}

// remoteOf reports whether ref is a remote's branch of that name.
func remoteOf(ref, branch string) bool {
	remote, ok := strings.CutSuffix(strings.TrimPrefix(ref, "refs/remotes/"), "/"+branch)
	return ok && remote != "" && !strings.Contains(remote, "/")
}

// rebases reports whether a pull rebases.
func rebases(g *gitCmd, as []arg) bool {
	on := false
	if v, ok := g.get("pull.rebase"); ok {
		on = v != "false" && v != "no"
	}
	for i := range as {
		switch f := as[i].flag; {
		case f == "-r", long(f, "--rebase", 1):
			on = as[i].value == nil || as[i].value.Text != "false"
		case f == "--no-rebase", f == "--ff-only":
			on = false
		}
	}
	return on
}

// rebasedAt is the place of the branch among the operands of git rebase.
func rebasedAt(as []arg) int {
	if has(as, "--root") {
		return 0
	}
	return 1
}

func branchRewrite(j *judge, c *shellcmd.Command) (match, bool) {
	g := j.git(c)
	if g.help {
		return match{}, false
	}
	switch g.sub {
	case "rebase":
		as := rebaseFlags.parse(g.args)
		if goesOn(as) {
			return match{}, false
		}
		b := ""
		if ops := operands(as); len(ops) > rebasedAt(as) {
			b = j.branchName(ops[rebasedAt(as)])
		} else {
			b = j.headOf(c, g)
		}
		if j.protectedBranch(b) {
			return match{what: "rebases " + oneLine(b)}, true
		}
	case "pull":
		as := pullFlags.parse(g.args)
		if !rebases(g, as) || has(as, "--dry-run") {
			return match{}, false
		}
		if b, on := j.onProtected(c, g); on {
			return match{what: "rebases " + oneLine(b)}, true
		}
	case "reset":
		if !j.resetMoves(g) {
			return match{}, false
		}
		if b, on := j.onProtected(c, g); on {
			return match{what: "moves " + oneLine(b) + " to another commit"}, true
		}
	}
	return match{}, false
}

// resetMoves reports whether a git reset moves the branch, and not only
// unstages.
func (j *judge) resetMoves(g *gitCmd) bool {
	as := (&grammar{short: "U", long: []string{"--pathspec-from-file", "--unified", "--inter-hunk-context"}}).parse(g.args)
	if toggles(as, "-p", "patch", 2) {
		return false
	}
	var ops []*word
	mode := false
	for i := range as {
		f := as[i].flag
		switch {
		case f == "" && as[i].after, strings.HasPrefix(f, "--pathspec-f"):
			return false
		case f == "":
			ops = append(ops, as[i].value)
		}
		mode = mode || long(f, "--soft", 1) || long(f, "--mixed", 2) || long(f, "--hard", 1) || long(f, "--merge", 2) || long(f, "--keep", 1)
	}
	if len(ops) != 1 {
		return false
	}
	switch ops[0].Text {
	case "HEAD", "@", "HEAD~0", "HEAD^0":
		return false
	}
	return mode || !j.isPathspec(g, ops[0])
}

func branchPush(j *judge, c *shellcmd.Command) (match, bool) {
	g := j.git(c)
	if g.sub != "push" || g.help {
		return match{}, false
	}
	as := pushFlags.parse(g.args)
	if toggles(as, "-n", "dry-run", 2) {
		return match{}, false
	}
	for i := range as {
		if f := as[i].flag; f == "-d" || long(f, "--delete", 2) {
			return match{}, false
		}
	}
	ops := operands(as)
	if len(ops) < 2 && has(as, "--tags") {
		return match{}, false
	}
	if len(ops) > 1 {
		branches := false
		for i, w := range ops[1:] {
			t := strings.TrimPrefix(w.Text, "+")
			branches = branches || t != "tag" && !(i > 0 && ops[i].Text == "tag") && !strings.HasPrefix(t, ":") && !j.isTag(g, t)
		}
		if !branches {
			return match{}, false
		}
	}
	if b, on := j.onProtected(c, g); on {
		return match{what: "pushes from " + oneLine(b)}, true
	}
	return match{}, false
}

// isTag reports whether a ref is a tag: by its name, or by what is there.
func (j *judge) isTag(g *gitCmd, ref string) bool {
	if strings.HasPrefix(ref, "refs/tags/") || strings.HasPrefix(ref, "tags/") {
		return true
	}
	if v := strings.TrimPrefix(ref, "v"); v != "" && '0' <= v[0] && v[0] <= '9' && strings.Contains(v, ".") && !strings.Contains(v, ":") {
		return true
	}
	dir := j.gitDirOf(g)
	return dir != "" && ref != "" && !strings.ContainsAny(ref, ":"+shellcmd.Unknown) && j.refExists(j.commonDir(dir), "refs/tags/"+ref)
}

func branchMove(j *judge, c *shellcmd.Command) (match, bool) {
	g := j.git(c)
	if g.help {
		return match{}, false
	}
	hit := func(b string) (match, bool) { return match{what: "moves " + oneLine(b)}, true }
	switch g.sub {
	case "branch":
		as := branchFlags.parse(g.args)
		ops := operands(as)
		renames := has(as, "-m", "-M", "--move")
		copies := has(as, "-C") || has(as, "-c", "--copy") && has(as, "-f", "--force")
		switch {
		case has(as, "-d", "-D", "--delete"):
		case renames && len(ops) == 2 && j.hasProtected(g, ops[0]):
			return match{what: "renames " + oneLine(ops[0].Text)}, true
		case (renames || copies) && len(ops) > 0 && j.hasProtected(g, ops[len(ops)-1]):
			return hit(ops[len(ops)-1].Text)
		case !renames && !copies && len(ops) > 0 && has(as, "-f", "--force") && j.hasProtected(g, ops[0]) && !(len(ops) > 1 && remoteOf(ops[1].Text, ops[0].Text)):
			return hit(ops[0].Text)
		}
	case "checkout", "switch":
		flags := &checkoutFlags
		if g.sub == "switch" {
			flags = &switchFlags
		}
		as := flags.parse(g.args)
		w := valueOf(as, "-B", "-C", "--force-create")
		if w == nil || !j.hasProtected(g, w) {
			return match{}, false
		}
		if ops := operands(as); len(ops) == 1 && (remoteOf(ops[0].Text, w.Text) || ops[0].Text == w.Text) {
			return match{}, false
		}
		return hit(w.Text)
	case "update-ref":
		as := (&grammar{short: "m"}).parse(g.args)
		if ops := operands(as); len(ops) > 1 && !has(as, "-d", "--delete", "--stdin") && strings.HasPrefix(ops[0].Text, "refs/heads/") && j.hasProtected(g, ops[0]) {
			return hit(ops[0].Text)
		}
	case "fetch", "pull", "push":
		flags := &fetchFlags
		if g.sub == "push" {
			flags = &pushFlags
		}
		as := flags.parse(g.args)
		ops := operands(as)
		if len(ops) < 2 || has(as, "--dry-run") || g.sub == "push" && (ops[0].Text != "." || has(as, "-n", "-d", "--delete")) {
			return match{}, false
		}
		for _, w := range ops[1:] {
			src, dst, two := strings.Cut(strings.TrimPrefix(w.Text, "+"), ":")
			if two && src != "" && strings.TrimPrefix(src, "refs/heads/") != strings.TrimPrefix(dst, "refs/heads/") && !strings.HasPrefix(dst, "refs/remotes/") && j.protectedBranch(dst) {
				return hit(dst)
			}
		}
	}
	return match{}, false
}

// hasProtected reports whether w names a branch that others build on and that
// is there, as far as that can be seen.
func (j *judge) hasProtected(g *gitCmd, w *word) bool {
	b := j.branchName(w)
	if !j.protectedBranch(b) {
		return false
	}
	dir := j.gitDirOf(g)
	return dir != "" && !j.unborn(dir, b)
}
