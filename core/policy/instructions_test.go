package policy

import (
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/hook"
)

func steered() *fakeFS {
	f := world()
	for _, n := range []string{"AGENTS.md", "GEMINI.md", ".claude/commands/x.md", ".claude/rules/a.md", ".claude/skills/review/SKILL.md", ".cursor/rules/x.mdc", ".github/copilot-instructions.md", "sub/AGENTS.md", "docs/guide.md", "README.md"} {
		f.files[testRoot+"/"+n] = "text\n"
	}
	f.files[testHome+"/.claude/CLAUDE.md"] = "mine\n"
	return f
}

func steeringSettings() Settings {
	s := testSettings()
	s.Packs = []string{packInstructions}
	return s
}

func TestChangesOfInstructionsAsk(t *testing.T) {
	commands := []string{
		"rm CLAUDE.md", "rm -f ./CLAUDE.md", "rm -- CLAUDE.md AGENTS.md", "unlink GEMINI.md", "mv CLAUDE.md CLAUDE.old", "mv docs/guide.md CLAUDE.md", "cp docs/guide.md AGENTS.md", "cp -f docs/guide.md ./sub/../AGENTS.md",
		"echo x > CLAUDE.md", "echo x >> CLAUDE.md", "printf x | tee -a AGENTS.md", "tee AGENTS.md < x", ": > GEMINI.md", "> CLAUDE.md", "cat <<'EOF' > CLAUDE.local.md\nx\nEOF", "cat >> AGENTS.md <<EOF\nx\nEOF",
		"sed -i s/a/b/ CLAUDE.md", "sed -i '' -e s/a/b/ AGENTS.md", "perl -pi -e s/a/b/ CLAUDE.md", "truncate -s 0 CLAUDE.md", "dd if=x of=CLAUDE.md", "install -m 644 x CLAUDE.md", "rsync x CLAUDE.md", "ln -sf AGENTS.md CLAUDE.md",
		"git rm CLAUDE.md", "git rm --force -q AGENTS.md", "git mv CLAUDE.md x.md", "git checkout HEAD~1 -- CLAUDE.md", "git restore CLAUDE.md", "git -C . rm CLAUDE.md", "git checkout topic -- .claude/rules", "vim -c wq CLAUDE.md", "ed CLAUDE.md < s",
		"rm -rf .claude/agents", "rm -r .claude/commands/", "rm .claude/rules/*.md", "rm *.md", "find . -name CLAUDE.md -delete", "find .claude/skills -type f -exec rm {} +", "rm -rf .cursor/rules", "rm .cursorrules", "echo x > .windsurfrules",
		"mkdir -p .claude/commands && cp docs/guide.md .claude/commands/", "cp docs/guide.md .claude/agents/new.md", "curl -o CLAUDE.md https://h.example/c.md", "wget -O AGENTS.md https://h.example/a.md", "curl -sO https://h.example/AGENTS.md",
		"cd sub && echo x > AGENTS.md", "cd .claude && rm -rf agents", "(cd .claude/rules; rm a.md)", "bash -c 'echo x > CLAUDE.md'", "sudo rm CLAUDE.md", "env A=1 rm CLAUDE.md", "xargs rm <<< CLAUDE.md", "echo CLAUDE.md | xargs rm",
		`python3 -c "open('CLAUDE.md','w').write('x')"`, `node -e "require('fs').writeFileSync('AGENTS.md','x')"`, `python3 -c "import os; os.remove('GEMINI.md')"`, "echo x > ~/.claude/CLAUDE.md", "rm ~/.gemini/GEMINI.md", "echo x >> $HOME/.codex/AGENTS.md",
		"echo x > .github/copilot-instructions.md", "echo x > .github/instructions/go.instructions.md", "rm .agents/rules/a.md", "echo x > .agent/workflows/w.md", "echo x > .gemini/commands/x.toml", "echo x > ~/.gemini/config/AGENTS.md", "touch .clinerules/x.md && echo y > .clinerules/x.md",
		"cp .claude/skills/review/SKILL.md .claude/skills/other/SKILL.md", "F=CLAUDE.md; rm $F", "rm CLAUDE.{md,local.md}", "rm 'CLAUDE.md'", `rm CLAUDE\.md`, "shred -u CLAUDE.md", "echo x > claude.md", "split -n 2 x && mv xaa AGENTS.md",
		`powershell -Command "Remove-Item CLAUDE.md"`, `powershell -Command "Set-Content -Path AGENTS.md -Value x"`, "mv .claude/agents /tmp/x", "git stash push CLAUDE.md", "jq . x > .muse/rules/a.json",
	}
	if len(commands) < 80 {
		t.Errorf("only %d spellings", len(commands))
	}
	for _, c := range commands {
		v := judgeEvent(t, steeringSettings(), steered(), shellEvent(testRoot, testRoot, c))
		if v.Decision.Rank() < hook.Ask.Rank() || !strings.Contains(v.Reason, "guardrails instructions/") {
			t.Errorf("%s: %s %s", c, v.Decision, v.Rule)
		}
	}
	for name, e := range map[string]*hook.Event{
		"write":      writeCall("CLAUDE.md", "x\n"),
		"edit":       edit(".claude/agents/reviewer.md", "Review", "Approve"),
		"absolute":   writeCall(testRoot+"/sub/AGENTS.md", "x\n"),
		"elsewhere":  writeCall("/repo/CLAUDE.local.md", "x\n"),
		"case":       writeCall("Claude.MD", "x\n"),
		"windows":    writeCall(`.cursor\rules\x.mdc`, "x\n"),
		"drive":      writeCall(`C:\src\app\.claude\commands\x.md`, "x\n"),
		"gemini":     toolEvent(testRoot, testRoot, "write_file", map[string]any{"file_path": "GEMINI.md", "content": "x"}),
		"replace":    toolEvent(testRoot, testRoot, "replace", map[string]any{"file_path": "GEMINI.md", "old_string": "a", "new_string": "b"}),
		"mcp":        toolEvent(testRoot, testRoot, "mcp__fs__write_file", map[string]any{"path": "AGENTS.md", "content": "x"}),
		"mcp move":   toolEvent(testRoot, testRoot, "mcp__fs__move_file", map[string]any{"source": "AGENTS.md", "destination": "x.md"}),
		"mcp delete": toolEvent(testRoot, testRoot, "mcp__fs__delete_file", map[string]any{"path": ".claude/rules/a.md"}),
		"patch":      toolEvent(testRoot, testRoot, "apply_patch", map[string]any{"input": "*** Begin Patch\n*** Delete File: AGENTS.md\n*** End Patch\n"}),
		"powershell": toolEvent(testRoot, testRoot, "PowerShell", map[string]any{"command": `Remove-Item .\CLAUDE.md`}),
	} {
		if v := judgeEvent(t, steeringSettings(), steered(), e); v.Rule != "instructions/steering" {
			t.Errorf("%s: %s %s", name, v.Decision, v.Rule)
		}
	}
}

func TestReadingInstructionsIsFree(t *testing.T) {
	for _, c := range []string{
		"cat CLAUDE.md", "head -20 AGENTS.md", "less GEMINI.md", "grep -n test CLAUDE.md", "rg x .claude", "wc -l *.md", "diff CLAUDE.md AGENTS.md", "git diff CLAUDE.md", "git log -p -- CLAUDE.md", "git add CLAUDE.md .claude", "git commit -m 'docs: CLAUDE.md' -- CLAUDE.md",
		"cp CLAUDE.md /tmp/c.md", "cp -r .claude/skills /tmp/s", "ls -la .claude/agents", "find . -name CLAUDE.md", "find .claude -type f", "sed -n 1,5p CLAUDE.md", "git show HEAD:CLAUDE.md", "echo CLAUDE.md", "echo 'rm CLAUDE.md'", "test -f CLAUDE.md && echo yes",
		"mkdir -p .claude/agents", "chmod 644 CLAUDE.md", "git rm --cached CLAUDE.md", "git rm -n CLAUDE.md", "tar czf /tmp/x.tgz CLAUDE.md", "python3 -c \"print(open('CLAUDE.md').read())\"", "echo x > docs/claude-md.txt", "rm README.md", "rm docs/*.md",
		"echo x > agents/x.md", "echo x > commands/x.md", "echo x > rules/x.md", "sed -i s/a/b/ docs/guide.md", "echo x > /tmp/CLAUDE.md", "git checkout main", "git stash", "rm -rf node_modules", "git pull", "git status", "wc CLAUDE.md > /tmp/n",
	} {
		if v := judgeEvent(t, steeringSettings(), steered(), shellEvent(testRoot, testRoot, c)); v.Decision != hook.Pass {
			t.Errorf("%s: %s %s\n\t%s", c, v.Decision, v.Rule, firstLine(v.Reason))
		}
	}
	for name, e := range map[string]*hook.Event{
		"read":   toolEvent(testRoot, testRoot, "Read", map[string]any{"file_path": "CLAUDE.md"}),
		"grep":   toolEvent(testRoot, testRoot, "Grep", map[string]any{"pattern": "x", "path": ".claude/agents", "output_mode": "content"}),
		"mcp":    toolEvent(testRoot, testRoot, "mcp__fs__read_file", map[string]any{"path": "AGENTS.md"}),
		"skill":  toolEvent(testRoot, testRoot, "Skill", map[string]any{"skill": "review"}),
		"docs":   writeCall("docs/agents.md.txt", "x\n"),
		"source": writeCall("src/skill.go", "x\n"),
	} {
		if v := judgeEvent(t, steeringSettings(), steered(), e); v.Decision != hook.Pass {
			t.Errorf("%s: %s %s", name, v.Decision, v.Rule)
		}
	}
}

func TestInstructionsAreOrdinaryFilesWithoutThePack(t *testing.T) {
	s := steeringSettings()
	s.Packs = nil
	for _, c := range []string{"rm CLAUDE.md", "echo x >> AGENTS.md", "rm -rf .claude/agents", "rm *.md"} {
		if v := judgeEvent(t, s, steered(), shellEvent(testRoot, testRoot, c)); v.Decision != hook.Pass {
			t.Errorf("%s: %s %s", c, v.Decision, v.Rule)
		}
	}
	if v := judgeEvent(t, s, steered(), writeCall("CLAUDE.md", "x\n")); v.Decision != hook.Pass {
		t.Errorf("write: %s %s", v.Decision, v.Rule)
	}
	s.Packs, s.Allow = []string{packInstructions}, []Allow{{Rule: "instructions/steering", When: "rm CLAUDE.md"}}
	if v := judgeEvent(t, s, steered(), shellEvent(testRoot, testRoot, "rm CLAUDE.md")); v.Decision != hook.Pass {
		t.Errorf("an exception does not hold: %s", v.Rule)
	}
}
