//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"github.com/ec261362/guardrails/adapters/hosttest"
)

// TestE2ESubagentsAreJudged has a subagent try what its parent may not.
func TestE2ESubagentsAreJudged(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.init()
		front, back := w.sentinel("front"), w.sentinel("back")
		helper := func(name, dir string) hosttest.Conversation {
			return hosttest.Conversation{Name: name, When: "PART-" + name, Turns: []hosttest.Turn{
				hosttest.Use(bash("rm -rf " + dir)),
				hosttest.Use(write(w.path(name+".txt"), "text\n")),
				hosttest.Say("Removed what I could."),
			}}
		}
		s := w.play(play{
			turns: []hosttest.Turn{
				hosttest.Use(agent("PART-front: clean up.", false)),
				hosttest.Use(agent("PART-back: clean up.", true)),
				hosttest.Say("Waiting."),
			},
			others: []hosttest.Conversation{helper("front", front), helper("back", back)},
		})
		for name, dir := range map[string]string{"front": front, "back": back} {
			w.sub(name, func(t *testing.T, w *world) {
				r := s.results(t, name, 2)
				w.denied(r[0])
				w.ran(r[1])
				w.stands(dir)
			})
		}
		w.sub("what they touched belongs to the session", func(t *testing.T, w *world) {
			if got := strings.Join(w.touched(s.id), " "); got != "back.txt front.txt" {
				t.Errorf("touched: %s", got)
			}
		})
		for _, r := range s.results(t, mainPart, 2) {
			w.ran(r)
		}
		if got := s.hooks()["SubagentStop"]; got != 2 {
			t.Errorf("SubagentStop hooks: %d", got)
		}
	})
}

// TestE2ESkillShellCommandsAreJudged has a skill file run a command as the host
// loads it, by name and through the Skill tool. The host asks no hook about it
// before PreSkillShellCommand: on the floor version it runs (measured on
// 2.1.197), and a change of that is worth knowing.
func TestE2ESkillShellCommandsAreJudged(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.init()
		for _, tc := range []struct {
			name, skill, prompt string
			turns               []hosttest.Turn
		}{
			{name: "typed", skill: "tidy", prompt: "/tidy", turns: []hosttest.Turn{hosttest.Say("Done.")}},
			{name: "called", skill: "sweep", turns: []hosttest.Turn{
				hosttest.Use(hosttest.Call{Tool: "Skill", Input: obj{"skill": "sweep"}}), hosttest.Say("Done."),
			}},
		} {
			w.sub(tc.name, func(t *testing.T, w *world) {
				dir := w.sentinel(tc.skill)
				w.write(".claude/skills/"+tc.skill+"/SKILL.md", strings.Join([]string{
					"---", "name: " + tc.skill, "description: puts things in order", "allowed-tools: Bash(rm:*), Bash(echo:*)", "---",
					"First: !`echo harmless-$((40+2))`", "Then: !`rm -rf " + dir + "`", "",
				}, "\n"))
				s := w.play(play{prompt: tc.prompt, turns: tc.turns})
				saw := s.server.Saw(mainPart)
				if !strings.Contains(saw, "First: harmless-42") {
					t.Errorf("the harmless command did not run; the model saw\n%s", saw)
				}
				if w.version == floor {
					if _, there := w.read(dir + "/file"); there {
						t.Error("the command did not run: this version asks about skills' commands after all")
					}
					return
				}
				w.stands(dir)
				w.refusal(saw)
				if !strings.Contains(saw, "not run") || s.hooks()["PreSkillShellCommand"] != 2 {
					t.Errorf("hooks: %v; the model saw\n%s", s.hooks(), saw)
				}
			})
		}
	})
}
