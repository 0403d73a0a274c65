package judge

import (
	"path/filepath"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
	"github.com/ec261362/guardrails/core/testrun"
)

// busy tells which background command is a test, build or lint run.
func (m *Machine) busy(ev *hook.Event) func(command string) bool {
	return func(command string) bool {
		line := shellcmd.Parse(command, shellcmd.Options{Cwd: ev.Cwd, Home: m.Home})
		return testrun.Work(line) || gateRun(line)
	}
}

// Tests says what a finished shell call proves of its tests; ok is false for
// every other event.
func (m *Machine) Tests(ad hook.Adapter, ev *hook.Event) (report testrun.Report, ok bool) {
	if !ev.Name.AfterTool() || ev.Tool == nil || ev.Tool.Kind != hook.Shell {
		return testrun.Report{}, false
	}
	p := gate.Pass{Event: ev, Env: m.world(ad)}
	line := p.Commands()
	if line == nil {
		return testrun.Report{}, false
	}
	result := ev.Tool.Result
	if p.Env.Outcome != nil && (result == nil || result.Outcome == hook.Unknown && !result.Background && !result.Interrupted) {
		if told := p.Env.Outcome(ev); told != nil {
			result = told
		}
	}
	return testrun.Judge(testrun.Call{Line: line, Result: result, Dir: ev.Cwd, ReadFile: p.Env.FS.ReadFile}), true
}

// gateRun reports whether a line runs the quality gate by hand.
func gateRun(line *shellcmd.Line) bool {
	for i := range line.Commands {
		var words []string
		for _, w := range line.Commands[i].Args() {
			words = append(words, w.Text)
		}
		if filepath.Base(line.Commands[i].Program) == "guardrails" && len(words) > 1 && words[0] == "gate" && words[1] == "run" {
			return true
		}
	}
	return false
}
