package scenario

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/adapters"
	"github.com/ec261362/guardrails/core/handoff"
	"github.com/ec261362/guardrails/core/handoff/pack"
	"github.com/ec261362/guardrails/core/hook"
)

// sample is something that a row of a pack must get to see.
type sample struct {
	row  string
	step pack.Step
}

// samples are derived from a pack, so that a new marker or tool is among them.
func samples(p *pack.Pack) []sample {
	var out []sample
	add := func(row string, st pack.Step) { out = append(out, sample{row, st}) }
	token := func(name string) {
		if name == "" {
			return
		}
		t := p.SkipPrefix + name
		for _, cmd := range []string{
			`echo "` + t + `: reason"`, `echo '` + t + `: reason'`, `echo ` + t + `: reason`, `cd x && echo "` + t + `: a b"`,
			`printf '%s\n' "` + t + `: reason"`, `"echo" "` + t + `: reason"`,
		} {
			add(handoff.SkipsID, pack.Step{Shell: cmd, Result: t + ": reason"})
		}
	}
	for i := range p.Obligations {
		token(p.Obligations[i].Skip)
	}
	for i := range p.Prerequisites {
		token(p.Prerequisites[i].Skip)
	}
	names := func(keys []string) []string {
		var names []string
		for _, k := range keys {
			if i := slices.IndexFunc(p.Tools, func(t pack.Pair) bool { return t.Key == k }); i >= 0 {
				names = append(names, p.Tools[i].Values...)
			} else {
				names = append(names, k)
			}
		}
		return names
	}
	trigger := func(row string, t *pack.Trigger, before bool) {
		keys := t.Tool
		switch t.Sees {
		case pack.SeesFailedRun:
			keys = []string{"execute"}
		case pack.SeesClassified, pack.SeesDiagnosed:
			keys = []string{"events"}
		case pack.SeesSkill, pack.SeesStages:
			keys = []string{p.Announce}
			add(row, pack.Step{Skill: "do", Result: "ok"})
		case pack.SeesStageRead:
			add(row, pack.Step{Read: ".claude/skills/do/a.md", Result: "# a"})
		case pack.SeesAsked:
			add(row, pack.Step{Ask: "What next?"})
		case pack.SeesWalked:
			add(row, pack.Step{Shell: "gh api -X PATCH repos/o/r/issues/comments/5 -F body=@w.md", Result: `{"id":5}`})
			add(row, pack.Step{Shell: "gh pr comment 7 --body-file w.md"})
			add(row, pack.Step{Shell: "gh pr edit 7 --body-file w.md"})
		case pack.SeesReport:
			add(row, pack.Step{Shell: "gh pr comment 7 --body x", Before: true})
			add(row, pack.Step{Shell: "gh api --method PATCH repos/o/r/issues/comments/5 -f body=x", Before: true})
		case pack.SeesThreads:
			add(row, pack.Step{Shell: "gh api graphql -f query='{reviewThreads}'", Result: "{}"})
		case pack.SeesReplies:
			add(row, pack.Step{Shell: "gh api repos/o/r/pulls/7/comments/11/replies -f body=x", Result: `{"id":1}`})
		case pack.SeesBuild:
			add(row, pack.Step{Prompt: "implement x"})
		}
		for _, name := range names(keys) {
			add(row, pack.Step{Call: name, Before: before, Result: "ok"})
		}
		for _, words := range t.Command {
			add(row, pack.Step{Shell: strings.ReplaceAll(words, "*", "x") + " --flag", Before: before})
		}
		for _, pattern := range t.Edited {
			file := strings.NewReplacer("**", "a/b", "*", "c").Replace(pattern)
			add(row, pack.Step{Edit: file, Before: before})
			add(row, pack.Step{Shell: "echo x > " + file, Before: before})
		}
		if len(t.Tests) > 0 {
			add(row, pack.Step{Shell: "go test ./...", Result: "ok x 0.1s"})
		}
		for _, kind := range t.PR {
			lines := map[string][2]string{
				"opened": {"gh pr create --fill", "https://github.com/o/r/pull/7"}, "ready": {"gh pr ready 7", "ready"},
				"reopened": {"tail watch.log", "✓ Reopened pull request o/r#7 (x)"}, "merged": {"tail watch.log", "TERMINAL pr=7: MERGED"},
				"closed": {"gh pr close 7", "✓ Closed pull request o/r#7 (x)"}, "unknown": {"gh pr merge 7", ""}, "armed": {"gh pr merge 7 --auto", ""},
			}[kind]
			add(row, pack.Step{Shell: lines[0], Result: lines[1]})
		}
	}
	for i := range p.Recorders {
		for k := range p.Recorders[i].On {
			trigger(p.Recorders[i].ID, &p.Recorders[i].On[k], false)
		}
	}
	for i := range p.Advice {
		for k := range p.Advice[i].On {
			trigger(p.Advice[i].ID, &p.Advice[i].On[k], false)
		}
	}
	for i := range p.Prerequisites {
		for k := range p.Prerequisites[i].Before {
			trigger(p.Prerequisites[i].ID, &p.Prerequisites[i].Before[k], true)
		}
	}
	return out
}

// covers reports whether a handler that init registers is asked for the event.
func covers(ad hook.Adapter, e *hook.Event) bool {
	for _, w := range ad.(hook.Wirer).Wiring() {
		if w.Event != e.HostEvent {
			continue
		}
		if w.Matcher == "" || w.Matcher == "*" || e.Tool == nil {
			return true
		}
		if ok, err := regexp.MatchString("^(?:"+w.Matcher+")$", e.Tool.Name); err == nil && ok {
			return true
		}
	}
	return false
}

// unreached lists the samples that a host's handlers or the cheap tests of the
// rows do not let through.
func unreached(p *pack.Pack, host string, prefix string) []string {
	shape, _ := shapes(host)
	ad := adapters.Lookup(host)
	gates := handoff.New(handoff.Settings{Packs: []*pack.Pack{p}})
	w := &stage{Home: "/home/u", Project: "/home/u/project"}
	var out []string
	for i, s := range samples(p) {
		payload := shape(w, i, &s.step)
		if s.step.Call != "" {
			payload["tool_name"] = prefix + s.step.Call
		}
		raw, err := json.Marshal(payload)
		if err != nil {
			return []string{err.Error()}
		}
		e, err := ad.Decode("", raw)
		if err != nil {
			out = append(out, err.Error())
			continue
		}
		seen := false
		for _, g := range gates {
			if g.ID == handoff.Prefix+p.Name+"/"+s.row {
				ok, _ := g.Applies(&e)
				seen = seen || ok
			}
		}
		if !seen || !covers(ad, &e) {
			out = append(out, s.row+" does not get "+string(raw))
		}
	}
	return out
}

// Prefixes under which hosts show a server's tools.
var prefixes = map[string][]string{
	"claude": {"mcp__muggle__", "mcp__plugin_muggle_muggle__", "mcp__a-b__c__"},
	"gemini": {"mcp_muggle_", "mcp_a-b_", "mcp_plugin_x_"},
}

func TestEveryRowIsReachedByWhatItActsOn(t *testing.T) {
	for _, name := range []string{"delivery", "muggle"} {
		for _, host := range Hosts {
			for _, prefix := range prefixes[host] {
				for _, miss := range unreached(handoff.Shipped(name), host, prefix) {
					t.Errorf("%s, %s%s: %s", name, host, prefix, miss)
				}
			}
		}
	}
}

// A marker or a tool that a pack gets tomorrow is reached at once, or the test
// above would not know of it.
func TestANewMarkerIsReachedWithoutAnEdit(t *testing.T) {
	p := *handoff.Shipped("delivery")
	p.Obligations = append(slices.Clone(p.Obligations), pack.Obligation{ID: "brand-new", Skip: "BRAND_NEW_SKIP", Short: "s"})
	n := 0
	for _, s := range samples(&p) {
		if strings.Contains(s.step.Shell, "BRAND_NEW_SKIP") {
			n++
		}
	}
	if n == 0 {
		t.Fatal("no sample holds the new marker")
	}
	for _, host := range Hosts {
		if miss := unreached(&p, host, prefixes[host][0]); len(miss) > 0 {
			t.Errorf("%s: %v", host, miss)
		}
	}
}

// The test of reach can fail: a host without the handlers is found out.
func TestReachNoticesAMissingHandler(t *testing.T) {
	e := hook.Event{HostEvent: "NoSuchEvent", Tool: &hook.Tool{Name: "Bash"}}
	for _, host := range Hosts {
		if covers(adapters.Lookup(host), &e) {
			t.Errorf("%s: an event that nobody registered is covered", host)
		}
	}
}
