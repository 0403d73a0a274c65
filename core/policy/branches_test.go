package policy

import (
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/hook"
)

const (
	onMain   = testHome + "/main"     // a repository with main checked out
	onTopic  = testHome + "/topic"    // with topic
	worktree = testHome + "/wt"       // a worktree of onMain, on topic
	mainTree = testHome + "/topic-wt" // a worktree of onTopic, on main
)

func repositories() *fakeFS {
	f := &fakeFS{files: map[string]string{}, links: map[string]string{}, dirs: map[string]bool{}}
	repo := func(dir, head string, refs ...string) {
		f.files[dir+"/.git/HEAD"] = head
		f.files[dir+"/.git/config"] = "[alias]\n\tci = commit -v\n\tsw = switch\n\tsync = !git switch main && git merge topic\n\tundo = reset --soft HEAD~1\n"
		f.dirs[dir+"/.git/refs/heads"] = true
		for _, r := range refs {
			f.files[dir+"/.git/refs/"+r] = "0a\n"
		}
	}
	repo(onMain, "ref: refs/heads/main\n", "heads/main", "heads/topic", "tags/stable-one")
	f.files[onMain+"/a.txt"] = "x"
	f.files[onMain+"/sub/b.txt"] = "x"
	f.files[onMain+"/.git/logs/HEAD"] = "0 1 A <a> 1 +0\tcheckout: moving from topic to main\n"
	repo(onTopic, "ref: refs/heads/topic\n", "heads/topic", "heads/main")
	f.files[onTopic+"/.git/logs/HEAD"] = "0 1 A <a> 1 +0\tcheckout: moving from main to topic\n"
	repo(testHome+"/detached", "0a0b0c\n", "heads/main")
	repo(testHome+"/unborn", "ref: refs/heads/main\n")
	repo(testHome+"/dev", "ref: refs/heads/develop\n", "heads/develop", "heads/main")
	repo(testHome+"/packed", "ref: refs/heads/release/2.0\n")
	f.files[testHome+"/packed/.git/packed-refs"] = "# pack-refs\n0a refs/heads/release/2.0\n"
	f.files[testHome+"/bare/.git/HEAD"] = "ref: refs/heads/master\n" // without any other file
	f.files[worktree+"/.git"] = "gitdir: " + onMain + "/.git/worktrees/wt\n"
	f.files[onMain+"/.git/worktrees/wt/HEAD"] = "ref: refs/heads/topic\n"
	f.files[onMain+"/.git/worktrees/wt/commondir"] = "../..\n"
	f.files[mainTree+"/.git"] = "gitdir: ../topic/.git/worktrees/topic-wt\n"
	f.files[onTopic+"/.git/worktrees/topic-wt/HEAD"] = "ref: refs/heads/main\n"
	f.files[onTopic+"/.git/worktrees/topic-wt/commondir"] = "../..\n"
	f.files["C:/src/app/.git/HEAD"] = "ref: refs/heads/main\n"
	return f
}

func branchSettings() Settings {
	s := testSettings()
	s.Packs = []string{packBranches}
	return s
}

func TestWorkOnAProtectedBranchAsks(t *testing.T) {
	tests := map[string][]string{
		onMain: {
			"git commit", "git commit -m x", "git commit -am 'a b'", "git commit --amend --no-edit", "git commit -a --allow-empty -m x", "git commit -F msg.txt", "git commit --fixup HEAD",
			"git -c user.name=x commit -m y", "git -c x=y -C . commit -m z", "git -C sub commit -m x", "git --no-pager commit", "git --git-dir=.git --work-tree=. commit -m x",
			"git --git-dir .git commit", "git -p commit -m x", "git ci -m x", "git -c alias.k=commit k -m x", "git -c 'alias.k=!git commit -m x' k", "git sync", "git undo",
			"sudo git commit -m x", "env A=1 git commit -m x", "GIT_AUTHOR_NAME=x git commit -m x", "command git commit", "time git commit -m x", "nohup git commit -m x &", "timeout 5 git commit -m x",
			"/usr/bin/git commit -m x", `\git commit -m x`, `"git" commit`, "git-commit -m x", "bash -c 'git commit -m x'", `sh -lc "git add . && git commit -m x"`, "eval 'git commit -m x'", "xargs git commit -m x < names",
			"cd sub && git commit -m x", "(cd sub; git commit -m x)", "cd .. && cd main && git commit -m x", "pushd sub; git commit -m x", "git add -A && git commit -m x && git push", "git status; git commit -m x",
			"f() { git commit -m x; }; f", "for i in 1 2; do git commit -m $i; done", "if true; then git commit -m x; fi", "git add . ; git commit -m \"$(cat <<'EOF'\nfix\nEOF\n)\"",
			"git commit -m x -- a.txt", "git commit a.txt -m x", "git commit --dry-run -m x; git commit -m x", "git commit -m --dry-run", "GIT_DIR=.git git commit -m x",
			"npm version patch", "npm version 1.2.3 -m x", "pnpm version minor", "npm --prefix . version major",
			"git cherry-pick abc", "git cherry-pick -x a..b", "git cherry-pick -n abc", "git revert HEAD", "git revert --no-edit HEAD~2", "git am < x.patch", "git am -3 0001.patch", "cat x.patch | git am",
			"git merge topic", "git merge --squash topic", "git merge --no-ff -m x topic", "git merge --ff-only topic", "git merge origin/main", "git merge -", "git merge --no-commit topic", "git pull origin topic",
			"git pull --no-rebase origin topic", "git pull . topic", "git subtree add --prefix x repo main",
			"git rebase topic", "git rebase -i HEAD~3", "git rebase --onto a b", "git rebase --root", "git rebase origin/main", "git rebase -r topic", "git pull --rebase", "git pull -r origin main", "git pull --rebase=interactive",
			"git -c pull.rebase=true pull", "git reset --soft HEAD~1", "git reset HEAD^", "git reset --mixed HEAD~1", "git reset --keep topic", "git reset abc123", `git reset --soft "$REV"`,
			"git push", "git push origin", "git push -u origin HEAD", "git push origin topic", "git push origin HEAD:topic", "git push --follow-tags", "git push origin main v1.0.0",
			"git branch -f main topic", "git branch -M topic main", "git branch -m main old", "git checkout -B main topic", "git switch -C main HEAD~1", "git update-ref refs/heads/main HEAD~1", "git fetch . topic:main", "git push . topic:main",
			"git switch topic && git switch - && git commit -m x", "git checkout topic; git checkout main; git commit -m x", "git worktree add ../wt2 topic && git commit -m x", "git stash && git pull && git stash pop && git commit -m x",
			`git switch "$B" ; git switch main && git commit -m x`, "[ -n \"$X\" ] && git switch main; git commit -m x", "git checkout -- a.txt && git commit -m x", "git checkout a.txt && git commit -m x",
			"git checkout topic -- a.txt && git commit -m x", "git checkout -p topic && git commit -m x", "cd \"$(git rev-parse --show-toplevel)\" && git commit -m x", "git branch topic2 && git commit -m x",
			`powershell -Command "git commit -m x"`, `cmd /c "git commit -m x"`, `python3 -c "import subprocess; subprocess.run(['git','commit','-m','x'])"`, "git -C \"$PWD\" commit -m x", "git commit -m x >/dev/null 2>&1 || true",
			"git commit -m 'git switch -c topic2'", "echo git switch topic && git commit -m x", "git switch --help && git commit -m x", "git -C ../topic switch topic && git commit -m x", "ssh host git switch topic; git commit -m x",
		},
		onTopic: {
			"git switch main && git commit -m x", "git checkout main && git merge topic", "git checkout main; git merge --no-ff topic; git push", "git -C ../main commit -m x", "git -C " + onMain + " push", "cd ../main && git commit -m x",
			"git --git-dir=../main/.git --work-tree=../main commit -m x", "git checkout - && git commit -m x", "git switch - && git merge topic", "git checkout -t origin/main && git commit -m x", "git rebase topic main", "git sw main && git ci -m x",
			"git checkout -b main2 && git checkout main && git commit -m x", "git symbolic-ref HEAD refs/heads/main && git commit -m x", "git branch -f main", "for b in topic main; do git switch $b && git commit -m x; done",
			"B=main; git checkout $B && git commit -m x", "git checkout main && git pull && git checkout -q main && git cherry-pick abc", "bash -c 'git switch main' && git commit -m x", "git clone -b main https://h.example/r.git r && cd r && git commit -m x",
			"git worktree add ../m main && cd ../m && git commit -m x", "git push . HEAD:main", "git fetch origin +topic:main", "git rebase main && git checkout main && git merge --ff-only topic",
		},
		mainTree:              {"git commit -m x", "git push", "git merge topic"},
		testHome + "/packed":  {"git commit -m x"},
		testHome + "/bare":    {"git commit -m x", "git push"},
		testHome + "/dev":     {"git switch main && git commit -m x"},
		testHome + "/unborn":  {"git switch master; git commit -m x"},
		"C:/src/app":          {"git commit -m x"},
		testHome + "/nowhere": {`git -C C:/src/app commit -m x`, `git -C 'C:\src\app' commit -m x`, "cd " + onMain + " && git commit -m x"},
	}
	n := 0
	for cwd, commands := range tests {
		for _, c := range commands {
			n++
			v := judgeEvent(t, branchSettings(), repositories(), shellEvent(cwd, cwd, c))
			if v.Decision.Rank() < hook.Ask.Rank() || !strings.Contains(v.Reason, "guardrails branches/") {
				t.Errorf("%s: %s\n\t%s %s", cwd, c, v.Decision, v.Rule)
			}
		}
	}
	if n < 150 {
		t.Errorf("only %d spellings", n)
	}
}

func TestWorkElsewherePasses(t *testing.T) {
	tests := map[string][]string{
		onMain: {
			"git status", "git log -3", "git diff", "git fetch", "git pull", "git pull --ff-only", "git pull origin main", "git pull --rebase=false", "git add -A", "git stash", "git stash pop", "git tag v1.0.0", "git branch topic2",
			"git switch -c topic2 && git commit -m x", "git checkout -b topic2; git commit -m x", "git checkout -qb topic2 origin/main && git commit -m x && git push -u origin HEAD", "git switch topic && git commit -m x && git push",
			"git checkout topic && git merge main", "git stash && git checkout topic && git stash pop && git commit -m x", "git switch topic || git switch -c topic && git commit -m x", "cd sub && git switch -c a\ngit add .\ngit commit -m x",
			"git commit --dry-run", "git commit --porcelain", "git commit --help", "git help commit", "git commit -h", "git merge --abort", "git merge --quit", "git merge --continue", "git merge --ff-only origin/main", "git merge --ff-only @{u}",
			"git rebase --abort", "git rebase --continue", "git rebase --skip", "git rebase main topic", "git cherry-pick --abort", "git revert --quit", "git am --abort", "git am --show-current-patch",
			"git reset", "git reset HEAD", "git reset a.txt", "git reset HEAD a.txt", "git reset -- a.txt", "git reset -q HEAD -- sub", "git reset --mixed HEAD",
			"git push --dry-run", "git push -n origin main", "git push origin --delete topic", "git push origin :topic", "git push --tags", "git push origin v1.2.3", "git push origin refs/tags/x", "git push origin tag x", "git push origin stable-one",
			"git fetch origin main:main", "git fetch origin main", "git branch -f topic main", "git branch main2 main", "git worktree add ../wt2 -b topic2 && cd ../wt2 && git commit -m x", "git worktree add .worktrees/t topic && cd .worktrees/t && git commit -m x",
			"git worktree add -b fix .worktrees/fix && git -C .worktrees/fix commit -m x", "cd ../topic && git commit -m x", "git -C ../topic commit -m x", "git -C ../wt commit -m x", "cd ../wt && git commit -m x && git push", "git checkout -- a.txt",
			"git checkout --detach && git commit -m x", "git switch --detach HEAD~1; git commit -m x", "git checkout HEAD~2 && git commit -m x", "git switch - && git commit -m x", "git checkout @{-1} && git commit -m x",
			"git clone https://h.example/r.git x && cd x && git commit -m x", "git init y && cd y && git add . && git commit -m first", "gh pr checkout 12 && git commit -m x && git push", "gh repo clone o/r && cd r && git commit -m x",
			"git stash branch topic2 && git commit -m x", "git branch -m topic2 && git commit -m x", "git symbolic-ref HEAD refs/heads/topic2 && git commit -m x", "ssh host 'cd app && git commit -m x'", "docker exec web git commit -m x",
			"echo 'git commit -m x'", "grep -rn 'git commit' .", "cat <<EOF\ngit commit -m x\nEOF", "f() { git commit -m x; }", "git config alias.ci commit", "gh pr create --fill", "git commit-graph write", "git rebase --edit-todo", "git bisect start", "git notes add -m x",
			"npm version", "npm version patch --no-git-tag-version", "npm version --git-tag-version=false patch", "npm view x version", "npm run version", "git switch -c rel && npm version patch",
			"git switch -c topic2; bash -c 'git commit -m x'", "GIT_DIR=../topic/.git git commit -m x", "git --git-dir=../topic/.git commit -m x", "git checkout topic && git -c x=y commit -m x",
		},
		onTopic:                {"git commit -m x", "git push", "git merge main", "git rebase main", "git rebase origin/main", "git reset --soft HEAD~1", "git pull --rebase", "git commit --amend", "git push -u origin HEAD", "git rebase -i main", "git checkout main && git pull && git checkout - && git merge main"},
		worktree:               {"git commit -m x", "git push", "git rebase main"},
		testHome + "/detached": {"git commit -m x", "git push origin HEAD:topic", "git rebase --continue"},
		testHome + "/unborn":   {"git commit -m first", "git add . && git commit -m first"},
		testHome + "/dev":      {"git commit -m x", "git push"},
		testHome + "/nowhere":  {"git commit -m x", "git push", "git init && git commit -m x && git branch -M main"},
	}
	for cwd, commands := range tests {
		for _, c := range commands {
			if v := judgeEvent(t, branchSettings(), repositories(), shellEvent(cwd, cwd, c)); strings.Contains(v.Reason, "guardrails branches/") {
				t.Errorf("%s: %s\n\t%s %s\n\t%s", cwd, c, v.Decision, v.Rule, firstLine(v.Reason))
			}
		}
	}
}

func TestConfiguredBranchesAreProtected(t *testing.T) {
	s := branchSettings()
	s.Packs = optionalPacks()
	s.Branches = []string{"develop", "team/**"}
	dev := testHome + "/dev"
	for command, want := range map[string]string{
		"git commit -m x":                              "branches/commit",
		"git push origin develop":                      "publishing/push-protected",
		"git push":                                     "publishing/push-protected",
		"git push -f origin team/a/b":                  "git/force-push-protected",
		"git branch -D develop":                        "git/branch-delete-protected",
		"git push origin :develop":                     "git/delete-remote-protected",
		"git switch -c other && git push origin other": "",
	} {
		v := judgeEvent(t, s, repositories(), shellEvent(dev, dev, command))
		if want == "" && v.Decision != hook.Pass || !strings.Contains(v.Reason, want) {
			t.Errorf("%s: %s %s, want %s", command, v.Decision, v.Rule, want)
		}
	}
	s.Branches = nil
	if v := judgeEvent(t, s, repositories(), shellEvent(dev, dev, "git commit -m x")); v.Decision != hook.Pass {
		t.Errorf("develop is protected without a setting: %s", v.Rule)
	}
}

func TestForcedPushesFollowTheLinesBranch(t *testing.T) {
	s := testSettings()
	s.Packs = nil
	for command, want := range map[string]string{
		"git push -f":                       "git/force-push",
		"git switch main && git push -f":    "git/force-push-protected",
		"git checkout main; git push -f":    "git/force-push-protected",
		"git switch -c topic2; git push -f": "git/force-push",
	} {
		if v := judgeEvent(t, s, repositories(), shellEvent(onTopic, onTopic, command)); v.Rule != want {
			t.Errorf("%s: %s, want %s", command, v.Rule, want)
		}
	}
}

// TestOrdinaryCommandsReadNothingForBranches counts what the file system is
// asked: only a git verb that writes looks for a branch.
func TestOrdinaryCommandsReadNothingForBranches(t *testing.T) {
	for _, c := range []string{"git status", "git log", "ls", "git diff", "go test ./...", "git add -A", "git switch -c x"} {
		off, on := repositories(), repositories()
		s := branchSettings()
		s.Packs = nil
		judgeEvent(t, s, off, shellEvent(onMain, onMain, c))
		judgeEvent(t, branchSettings(), on, shellEvent(onMain, onMain, c))
		if on.reads != off.reads {
			t.Errorf("%s: %d reads with the pack, %d without", c, on.reads, off.reads)
		}
	}
	off := repositories()
	s := branchSettings()
	s.Packs = nil
	judgeEvent(t, s, off, shellEvent(onMain, onMain, "git commit -m x"))
	on := repositories()
	judgeEvent(t, branchSettings(), on, shellEvent(onMain, onMain, "git commit -m x"))
	if on.reads == off.reads {
		t.Error("the count counts nothing")
	}
}

func TestALongLineOfCommitsIsJudgedInLinearWork(t *testing.T) {
	f := repositories()
	line := strings.Repeat("git switch topic; git commit -m x; ", 1500)
	judgeEvent(t, branchSettings(), f, shellEvent(onMain, onMain, line))
	if f.reads > 200_000 {
		t.Errorf("%d reads", f.reads)
	}
}

func TestMergesForEverybodyAsk(t *testing.T) {
	s := testSettings()
	s.Packs = []string{packPublishing}
	for command, want := range map[string]hook.Decision{
		"gh pr merge 1 --squash":                                         hook.Ask,
		"gh -R o/r pr merge 4 --auto":                                    hook.Ask,
		"env GH_TOKEN=$T gh pr merge":                                    hook.Ask,
		"bash -c 'gh pr merge 4 --admin'":                                hook.Ask,
		"glab mr merge 4":                                                hook.Ask,
		"gh api --method PUT /repos/o/r/pulls/4/merge":                   hook.Ask,
		"gh api repos/o/r/merges -f base=main -f head=topic":             hook.Ask,
		"gh api graphql -f query='mutation{mergePullRequest(input:{})}'": hook.Ask,
		"gh api repos/o/r/pulls/4/merge":                                 hook.Pass,
		"gh api repos/o/r/pulls -f title=x -f head=topic -f base=main":   hook.Pass,
		"gh api graphql -f query='query{viewer{login}}'":                 hook.Pass,
		"gh pr merge --disable-auto 4":                                   hook.Pass,
		"gh pr merge --help":                                             hook.Pass,
		"gh pr view 4 --json mergeable":                                  hook.Pass,
	} {
		if v := judgeEvent(t, s, world(), shellEvent(testRoot, testRoot, command)); v.Decision != want {
			t.Errorf("%s: %s %s, want %s", command, v.Decision, v.Rule, want)
		}
	}
}
