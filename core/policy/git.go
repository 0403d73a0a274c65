package policy

import (
	"strings"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

var gitRules = [...]Rule{
	{
		ID: "git/reset-hard", Verdict: hook.Ask,
		Doc:     "git reset --hard or --merge.",
		Why:     "it throws away uncommitted changes, which git cannot bring back",
		Instead: "keep the changes first with `git stash push -u`, or move the branch and keep the files with `git reset --soft HEAD~1`",
		Fire: []string{
			"git reset --hard", "git reset --hard origin/main", "git -C sub -c core.pager=cat reset --hard", "git reset --merge",
			"git-reset --hard HEAD~1", "env GIT_DIR=.git git reset --hard", "git -c 'alias.wipe=reset --hard' wipe", "git reset --h",
		},
		Pass:  []string{"git reset HEAD file.txt", "git reset --soft HEAD~1", "git reset -- --hard", "git reset --mixed HEAD", "git help reset"},
		check: gitReset,
	},
	{
		ID: "git/discard", Verdict: hook.Ask,
		Doc:     "git checkout, switch, restore, rm or submodule deinit that overwrites or removes uncommitted changes.",
		Why:     "changes that were not committed or stashed are lost",
		Instead: "keep them first with `git stash push -u`; to unstage only, `git restore --staged file.txt`",
		Fire: []string{
			"git checkout -- .", "git checkout .", "git checkout HEAD -- file.txt", "git checkout -f main", "git restore file.txt", "git restore .",
			"git restore -W --staged a.txt", "git switch --discard-changes main", "git switch -f main", "git checkout HEAD file.txt",
			"git rm -rf .", "git rm -r --force :/", "git submodule deinit -f --all", "git submodule deinit --force lib", "git submodule -q deinit --all -f",
		},
		Pass: []string{
			"git checkout main", "git checkout -b topic2", "git checkout -", "git restore --staged .", "git switch -c topic2",
			"git checkout --orphan pages", "git checkout -p", "git switch main", "git rm -r --cached .", "git rm -rf old", "git rm a.txt",
			"git submodule deinit lib", "git submodule deinit --all", "git submodule update --init --force",
		},
		check: gitDiscard,
	},
	{
		ID: "git/clean", Verdict: hook.Ask,
		Doc:     "git clean -f.",
		Why:     "untracked files are in no commit; nothing brings them back",
		Instead: "see what it would delete with `git clean -nd`, or keep the files with `git stash push -u`",
		Fire:    []string{"git clean -fd", "git clean -fdx", "git clean --force", "git -c clean.requireForce=false clean", "sudo git clean -df"},
		Pass:    []string{"git clean -n", "git clean -nd", "git clean --dry-run -f", "git clean -f --no-force"},
		check:   gitClean,
	},
	{
		ID: "git/force-push-protected", Verdict: hook.Deny,
		Doc:     "A forced push to a branch that others build on (main, master, trunk, production, release…), or of everything with --mirror.",
		Why:     "it rewrites or drops commits that others already have",
		Instead: "push a new commit instead, e.g. `git revert HEAD` and `git push`, or push to a branch of your own",
		Fire: []string{
			"git push --force origin main", "git push -f origin master", "git push origin +main:main", "git push --mirror origin",
			"git push --force origin HEAD:refs/heads/main", "git push --force --all origin", "git push --force-with-lease=other origin +main",
			"git push origin '+refs/heads/*:refs/heads/*'",
		},
		Pass:  []string{"git push", "git push origin topic", "git push --dry-run --mirror origin", "git push -- --force"},
		check: gitForcePushProtected,
	},
	{
		ID: "git/delete-remote-protected", Verdict: hook.Deny,
		Doc:     "Deleting a branch on the remote that others build on.",
		Why:     "everybody's base would be gone from the remote",
		Instead: "delete only your own branch, e.g. `git push origin --delete topic`",
		Fire:    []string{"git push origin --delete main", "git push origin :main", "git push -d origin release/1.2"},
		Pass:    []string{"git push origin --delete topic", "git push --prune origin"},
		check:   gitDeleteRemote,
	},
	{
		ID: "git/force-push", Verdict: hook.Ask,
		Doc:     "A forced push without a lease, or with one to a branch that others build on.",
		Why:     "commits that somebody else pushed meanwhile are dropped unseen",
		Instead: "`git push --force-with-lease origin topic`, which fails when the remote has moved",
		Fire:    []string{"git push --force", "git push -f origin topic", "git push origin +topic", "git push --force-with-lease --force", "git push --force-with-lease origin main"},
		Pass:    []string{"git push --force-with-lease", "git push --force-with-lease origin topic", "git push -n -f origin topic"},
		check:   gitForcePush,
	},
	{
		ID: "git/branch-delete", Verdict: hook.Ask,
		Doc:     "Deleting a branch that is not merged (git branch -D).",
		Why:     "its commits are then in no branch and will be collected",
		Instead: "`git branch -d old`, which refuses when commits would be lost",
		Fire:    []string{"git branch -D old", "git branch --delete --force old", "git branch -Dv old", "git branch -df old"},
		Pass:    []string{"git branch -d merged", "git branch new", "git branch -v"},
		check:   gitBranchDelete,
	},
	{
		ID: "git/branch-delete-protected", Verdict: hook.Ask,
		Doc:     "Deleting the local main, master or release branch.",
		Why:     "it is the branch that the work starts from",
		Instead: "delete only your own branch, e.g. `git branch -d topic2`",
		Fire:    []string{"git branch -d main", "git branch --delete master"},
		Pass:    []string{"git branch -d topic2", "git branch main-backup"},
		check:   gitBranchDeleteProtected,
	},
	{
		ID: "git/stash-drop", Verdict: hook.Ask,
		Doc:     "git stash drop or clear.",
		Why:     "what was stashed is in no branch",
		Instead: "look first with `git stash show -p`, or take it back with `git stash pop`",
		Fire:    []string{"git stash drop", "git stash drop stash@{2}", "git stash clear"},
		Pass:    []string{"git stash", "git stash pop", "git stash list", "git stash push -m drop"},
		check:   gitStash,
	},
	{
		ID: "git/recovery", Verdict: hook.Ask,
		Doc:     "Expiring the reflog or collecting unreachable commits at once.",
		Why:     "the reflog is what lost commits are recovered from",
		Instead: "`git gc`, which keeps what is younger than two weeks",
		Fire:    []string{"git reflog expire --expire=now --all", "git gc --prune=now", "git prune --expire=now", "git -c gc.pruneExpire=now gc"},
		Pass:    []string{"git gc", "git reflog", "git reflog expire --all", "git gc --prune=2.weeks.ago", "git prune -n", "git -c gc.pruneExpire=now gc --no-prune"},
		check:   gitRecovery,
	},
	{
		ID: "git/rewrite-history", Verdict: hook.Ask,
		Doc:     "git filter-branch, or filter-repo --force.",
		Why:     "every commit gets a new name and the old ones become unreachable",
		Instead: "work on a copy: `git clone --mirror . ../copy.git`",
		Fire:    []string{"git filter-branch --tree-filter 'rm -f x' HEAD", "git filter-branch -f -- --all", "git filter-repo --force"},
		Pass:    []string{"git filter-branch -- --all", "git log --all"},
		check:   gitRewrite,
	},
	{
		ID: "git/update-ref", Verdict: hook.Ask,
		Doc:     "git update-ref -d.",
		Why:     "it drops a branch or tag without any of the checks of git branch -d",
		Instead: "`git branch -d topic2`",
		Fire:    []string{"git update-ref -d refs/heads/topic"},
		Pass:    []string{"git update-ref refs/heads/topic HEAD", "git show-ref"},
		check:   gitUpdateRef,
	},
	{
		ID: "git/worktree-remove", Verdict: hook.Ask,
		Doc:     "git worktree remove --force.",
		Why:     "uncommitted work in that worktree is deleted with it",
		Instead: "`git worktree remove ../wt`, which refuses when there are changes",
		Fire:    []string{"git worktree remove --force ../wt", "git worktree remove -f ../wt"},
		Pass:    []string{"git worktree remove ../wt", "git worktree list", "git worktree remove -- -f"},
		check:   gitWorktree,
	},
}

func gitReset(j *judge, c *shellcmd.Command) (match, bool) {
	g := j.git(c)
	switch g.sub {
	case "reset":
		if g.help {
			return match{}, false
		}
		for i := range g.args {
			t := g.args[i].Text
			if t == "--" {
				break
			}
			if long(t, "--hard", 1) || long(t, "--merge", 2) {
				return match{what: "resets the work tree"}, true
			}
		}
	case "read-tree":
		as := (&grammar{}).parse(g.args)
		if has(as, "--reset") && has(as, "-u") && !has(as, "-n") {
			return match{what: "resets the work tree"}, true
		}
	}
	return match{}, false
}

var (
	checkoutFlags = grammar{short: "bBU", long: []string{"--orphan", "--conflict", "--pathspec-from-file", "--unified", "--inter-hunk-context"}}
	restoreFlags  = grammar{short: "sU", long: []string{"--source", "--conflict", "--pathspec-from-file", "--unified", "--inter-hunk-context"}}
	cleanFlags    = grammar{short: "e", long: []string{"--exclude"}}
	pushFlags     = grammar{short: "o", long: []string{"--push-option", "--repo", "--receive-pack", "--exec", "--recurse-submodules"}}
)

// toggles reads the final state of a flag and its negation: short, name and
// --no-name, the last one wins.
func toggles(as []arg, short, name string, least int) bool {
	on := false
	for i := range as {
		f := as[i].flag
		switch {
		case f != "" && f == short, long(f, "--"+name, least):
			on = true
		case long(f, "--no-"+name, least+3):
			on = false
		}
	}
	return on
}

func gitDiscard(j *judge, c *shellcmd.Command) (match, bool) {
	g := j.git(c)
	if g.help {
		return match{}, false
	}
	switch g.sub {
	case "submodule":
		as := (&grammar{}).parse(g.args)
		if ops := operands(as); len(ops) > 0 && ops[0].Text == "deinit" && toggles(as, "-f", "force", 1) {
			return match{what: "removes submodules with what was changed in them", instead: "without -f git keeps a submodule that has changes: `git submodule deinit --all`"}, true
		}
	case "checkout":
		as := checkoutFlags.parse(g.args)
		if toggles(as, "-p", "patch", 2) {
			return match{}, false
		}
		if toggles(as, "-f", "force", 1) {
			return match{what: "forces a checkout"}, true
		}
		if has(as, "--ours", "--theirs", "-2", "-3") {
			return match{}, false
		}
		for i := range as {
			if strings.HasPrefix(as[i].flag, "--pathspec-f") {
				return match{what: "overwrites the files that a list names"}, true
			}
		}
		creates := has(as, "-b", "-B", "--orphan", "--detach", "-d", "-t", "--track")
		var before, after []*word
		for i := range as {
			if as[i].flag != "" {
				continue
			}
			if as[i].after {
				after = append(after, as[i].value)
			} else {
				before = append(before, as[i].value)
			}
		}
		switch {
		case len(after) > 0:
			return match{what: "overwrites " + oneLine(showWord(after[0]))}, true
		case creates || len(before) == 0:
			return match{}, false
		case len(before) > 1:
			return match{what: "overwrites " + oneLine(showWord(before[1]))}, true
		case j.isPathspec(g, before[0]):
			return match{what: "overwrites " + oneLine(showWord(before[0]))}, true
		}
	case "switch":
		as := switchFlags.parse(g.args)
		if toggles(as, "-f", "force", 5) || toggles(as, "", "discard-changes", 2) {
			return match{what: "forces a switch"}, true
		}
	case "restore":
		as := restoreFlags.parse(g.args)
		if toggles(as, "-p", "patch", 2) {
			return match{}, false
		}
		staged := toggles(as, "-S", "staged", 2)
		worktree := toggles(as, "-W", "worktree", 1)
		if staged && !worktree {
			return match{}, false
		}
		if ops := operands(as); len(ops) > 0 {
			return match{what: "overwrites " + oneLine(showWord(ops[0]))}, true
		}
		for i := range as {
			if strings.HasPrefix(as[i].flag, "--pathspec-f") {
				return match{what: "overwrites the files that a list names"}, true
			}
		}
	case "rm":
		as := (&grammar{long: []string{"--pathspec-from-file"}}).parse(g.args)
		if !has(as, "-f", "--force") || has(as, "--cached", "-n", "--dry-run") {
			return match{}, false
		}
		for _, w := range operands(as) {
			base, pattern := splitGlob(w.Text)
			p, ok := j.abs(g.dir, base)
			if base == "" {
				p, ok = g.dir, g.dir != ""
			}
			if (pattern == "" || everything(pattern)) && (w.Text == ":/" || ok && j.within(p, j.root)) {
				return match{what: "removes every tracked file, changed ones too"}, true
			}
		}
	case "checkout-index":
		as := (&grammar{}).parse(g.args)
		if has(as, "-f", "--force") {
			return match{what: "overwrites files"}, true
		}
	}
	return match{}, false
}

// isPathspec reports whether the only operand of git checkout is a path and
// not a branch.
func (j *judge) isPathspec(g *gitCmd, w *word) bool {
	t := w.Text
	switch {
	case unknown(w):
		return false
	case t == ".", t == "..", strings.HasPrefix(t, "./"), strings.HasPrefix(t, "../"), strings.HasSuffix(t, "/"), strings.HasPrefix(t, ":/"),
		strings.HasPrefix(t, ":("), strings.HasPrefix(t, "/"), w.Glob:
		return true
	case t == "-" || t == "HEAD" || strings.HasPrefix(t, "@"):
		return false
	}
	if j.fs == nil || g.dir == "" {
		return false
	}
	if _, err := j.fs.Lstat(tidy(g.dir + "/" + t)); err != nil {
		return false
	}
	if dir := j.gitDirOf(g); dir != "" {
		if _, err := j.fs.Lstat(dir + "/refs/heads/" + t); err == nil {
			return false
		}
		if packed, err := j.fs.ReadFile(dir+"/packed-refs", 4<<20); err == nil && strings.Contains(string(packed), " refs/heads/"+t+"\n") {
			return false
		}
	}
	return true
}

func gitClean(j *judge, c *shellcmd.Command) (match, bool) {
	g := j.git(c)
	if g.sub != "clean" || g.help {
		return match{}, false
	}
	as := cleanFlags.parse(g.args)
	if toggles(as, "-n", "dry-run", 1) || toggles(as, "-i", "interactive", 1) {
		return match{}, false
	}
	force := toggles(as, "-f", "force", 1)
	if v, ok := g.get("clean.requireforce"); ok && !force && !toggles(as, "", "no-force", 8) {
		switch strings.ToLower(v) {
		case "false", "no", "off", "0", "":
			force = true
		}
	}
	if !force {
		return match{}, false
	}
	return match{what: "deletes untracked files"}, true
}

// push is what a git push does to branches of the remote.
type push struct {
	forced, leased, deleted []string // branches; "" = unknown
	mirror, everything      bool
}

func (j *judge) push(c *shellcmd.Command) (push, bool) {
	var p push
	g := j.git(c)
	if g.sub != "push" || g.help {
		return p, false
	}
	as := pushFlags.parse(g.args)
	if toggles(as, "-n", "dry-run", 2) {
		return p, false
	}
	force, lease, del := false, false, false
	for i := range as {
		f := as[i].flag
		switch {
		case f == "-f", f == "--force":
			force = true
		case f == "--no-force":
			force = false
		case long(f, "--force-with-lease", 7), strings.HasPrefix(f, "--force-with-lease"):
			lease = true
		case long(f, "--no-force-with-lease", 10):
			lease = false
		case long(f, "--mirror", 1):
			p.mirror = true
		case f == "-d", long(f, "--delete", 2):
			del = true
		case f == "--all", f == "--branches":
			p.everything = true
		}
	}
	ops := operands(as)
	var specs []*word
	if len(ops) > 1 {
		specs = ops[1:]
	}
	put := func(branch string, plus bool) {
		switch {
		case force || plus:
			p.forced = append(p.forced, branch)
		case lease:
			p.leased = append(p.leased, branch)
		}
	}
	for _, w := range specs {
		for _, v := range w.Values() {
			spec, plus := strings.CutPrefix(v, "+")
			src, dst, two := strings.Cut(spec, ":")
			if !two {
				dst = src
			}
			if dst == "HEAD" || dst == "@" {
				dst = j.headOf(c, g)
			}
			if strings.Contains(dst, shellcmd.Unknown) {
				dst = ""
			}
			switch {
			case del, two && src == "" && dst != "":
				p.deleted = append(p.deleted, dst)
			case strings.Contains(dst, "*") && wild(strings.TrimPrefix(dst, "refs/heads/"), "main"):
				put("main", plus)
			default:
				put(dst, plus)
			}
		}
	}
	if len(specs) == 0 && !p.mirror && !p.everything {
		put(j.headOf(c, g), false)
	}
	if p.everything && !force {
		p.everything = false
	}
	return p, true
}

func gitForcePushProtected(j *judge, c *shellcmd.Command) (match, bool) {
	p, ok := j.push(c)
	if !ok {
		return match{}, false
	}
	if p.mirror {
		return match{what: "overwrites and deletes every branch of the remote"}, true
	}
	if p.everything {
		return match{what: "overwrites every branch of the remote"}, true
	}
	for _, b := range p.forced {
		if j.protectedBranch(b) {
			return match{what: "overwrites " + oneLine(b) + " on the remote"}, true
		}
	}
	return match{}, false
}

func gitDeleteRemote(j *judge, c *shellcmd.Command) (match, bool) {
	p, ok := j.push(c)
	if !ok {
		return match{}, false
	}
	for _, b := range p.deleted {
		if j.protectedBranch(b) {
			return match{what: "deletes " + oneLine(b) + " on the remote"}, true
		}
	}
	return match{}, false
}

func gitForcePush(j *judge, c *shellcmd.Command) (match, bool) {
	p, ok := j.push(c)
	if !ok || p.mirror {
		return match{}, false
	}
	for _, b := range p.forced {
		if !j.protectedBranch(b) {
			if b == "" {
				b = "the branch"
			}
			return match{what: "overwrites " + oneLine(b) + " on the remote"}, true
		}
	}
	for _, b := range p.leased {
		if j.protectedBranch(b) {
			return match{what: "rewrites " + oneLine(b) + " on the remote", instead: "push it to a branch of your own: `git push --force-with-lease origin topic`"}, true
		}
	}
	return match{}, false
}

// branchDeletes returns the branches that git branch deletes, and by force.
func (j *judge) branchDeletes(c *shellcmd.Command) (names []*word, force bool) {
	g := j.git(c)
	if g.sub != "branch" || g.help {
		return nil, false
	}
	as := branchFlags.parse(g.args)
	del := false
	for i := range as {
		switch f := as[i].flag; {
		case f == "-D":
			del, force = true, true
		case f == "-d", long(f, "--delete", 2):
			del = true
		case f == "-f", long(f, "--force", 3):
			force = true
		}
	}
	if !del {
		return nil, false
	}
	return operands(as), force
}

func gitBranchDelete(j *judge, c *shellcmd.Command) (match, bool) {
	names, force := j.branchDeletes(c)
	if force && len(names) > 0 {
		return match{what: "deletes " + oneLine(showWord(names[0])) + ", merged or not"}, true
	}
	return match{}, false
}

func gitBranchDeleteProtected(j *judge, c *shellcmd.Command) (match, bool) {
	names, _ := j.branchDeletes(c)
	for _, w := range names {
		if j.protectedBranch(w.Text) {
			return match{what: "deletes " + oneLine(w.Text)}, true
		}
	}
	return match{}, false
}

func gitStash(j *judge, c *shellcmd.Command) (match, bool) {
	g := j.git(c)
	if g.sub == "stash" && !g.help && len(g.args) > 0 && (g.args[0].Text == "drop" || g.args[0].Text == "clear") {
		return match{what: "drops stashed changes"}, true
	}
	return match{}, false
}

// atOnce reports whether an expiry time means everything.
func atOnce(v string) bool {
	switch strings.ToLower(v) {
	case "now", "all", "0", "0.seconds.ago", "0.days.ago", "1.second.ago":
		return true
	}
	return false
}

func gitRecovery(j *judge, c *shellcmd.Command) (match, bool) {
	g := j.git(c)
	if g.help {
		return match{}, false
	}
	as := (&grammar{}).parse(g.args)
	expires := func() bool {
		for i := range as {
			f := as[i].flag
			if as[i].value != nil && strings.HasPrefix(f, "--ex") && (strings.HasPrefix("--expire", f) || strings.HasPrefix("--expire-unreachable", f)) && atOnce(as[i].value.Text) {
				return true
			}
		}
		for i := range g.args {
			if g.args[i].Text == "--expire" && i+1 < len(g.args) && atOnce(g.args[i+1].Text) {
				return true
			}
		}
		return false
	}
	switch g.sub {
	case "reflog":
		if len(g.args) > 0 && g.args[0].Text == "expire" && !has(as, "-n", "--dry-run") && expires() {
			return match{what: "empties the reflog"}, true
		}
	case "gc":
		prune := false
		if v, ok := g.get("gc.pruneexpire"); ok {
			prune = atOnce(v)
		}
		for i := range as {
			switch {
			case as[i].flag == "--prune" && as[i].value != nil:
				prune = atOnce(as[i].value.Text)
			case as[i].flag == "--no-prune":
				prune = false
			}
		}
		if prune {
			return match{what: "drops every unreachable commit"}, true
		}
	case "prune":
		if has(as, "-n", "--dry-run") {
			return match{}, false
		}
		later := false
		for i := range as {
			later = later || as[i].flag == "--expire" && as[i].value != nil && !atOnce(as[i].value.Text)
		}
		if !later {
			return match{what: "drops every unreachable commit"}, true
		}
	}
	return match{}, false
}

func gitRewrite(j *judge, c *shellcmd.Command) (match, bool) {
	g := j.git(c)
	if g.help {
		return match{}, false
	}
	switch g.sub {
	case "filter-branch":
		for i := range g.args {
			t := g.args[i].Text
			if t == "--" {
				break
			}
			if t == "-f" || long(t, "--force", 1) || strings.HasSuffix(t, "-filter") || t == "--prune-empty" {
				return match{what: "rewrites the history"}, true
			}
		}
	case "filter-repo":
		as := (&grammar{}).parse(g.args)
		if has(as, "--force", "-f") && !has(as, "--dry-run", "--analyze") {
			return match{what: "rewrites the history"}, true
		}
	}
	return match{}, false
}

func gitUpdateRef(j *judge, c *shellcmd.Command) (match, bool) {
	g := j.git(c)
	if g.sub == "update-ref" && has((&grammar{short: "m"}).parse(g.args), "-d", "--delete") {
		return match{what: "drops a reference"}, true
	}
	return match{}, false
}

func gitWorktree(j *judge, c *shellcmd.Command) (match, bool) {
	g := j.git(c)
	if g.sub != "worktree" || len(g.args) == 0 || g.args[0].Text != "remove" {
		return match{}, false
	}
	as := (&grammar{}).parse(g.args[1:])
	for i := range as {
		if as[i].flag == "-f" || long(as[i].flag, "--force", 1) {
			return match{what: "deletes a worktree and what is uncommitted in it"}, true
		}
	}
	return match{}, false
}
