package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// requireHuman refuses a verb that is the human's alone: when a host started us,
// and when nobody sits at a terminal, unless yes was given.
//
// It is a courtesy to an honest agent and a second line: the first is the policy
// gate, which denies these verbs in the agent's shell. Muse sets no marker for
// its children, so there the gate is the only line.
func (a *app) requireHuman(verb string, yes bool) error {
	if err := a.requireNoHost(verb); err != nil {
		return err
	}
	if yes || a.terminal() {
		return nil
	}
	return fmt.Errorf("%s is for a human at a terminal: standard input and standard error must be one; add --yes in a script of your own", verb)
}

// requireTerminal is for verbs that no script may run.
func (a *app) requireTerminal(verb string) error {
	if err := a.requireNoHost(verb); err != nil {
		return err
	}
	if a.terminal() {
		return nil
	}
	return fmt.Errorf("%s is for a human at a terminal: standard input and standard error must be one", verb)
}

func (a *app) requireNoHost(verb string) error {
	if marker := a.hostMarker(); marker != "" {
		return fmt.Errorf("%s is for a human: %s is set, so an agent's program started this; run it in a terminal of your own", verb, marker)
	}
	return nil
}

// hostMarker returns the variable by which a host marks its children, "" if no
// host started us. A person never sets one; an empty one counts, since it was
// emptied by somebody. Names: Claude Code 2.1.197 and 2.1.332, measured; Gemini,
// Codex and Antigravity from their contracts. Other CLAUDE_CODE_* and CODEX_*
// variables are users' settings.
func (a *app) hostMarker() string {
	for _, kv := range a.environ() {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SESSION_ID", "AI_AGENT",
			"GEMINI_CLI", "GEMINI_SESSION_ID", "CODEX_SESSION_ID", "ANTIGRAVITY_CONVERSATION_ID":
			return name
		}
		if strings.HasPrefix(name, "CODEX_SANDBOX") {
			return name
		}
	}
	return ""
}

// answers reads what a human types, a line at a time. It keeps what it read
// ahead, so one verb uses one of them.
type answers struct {
	a  *app
	in *bufio.Reader
}

func (a *app) answers() *answers { return &answers{a, bufio.NewReader(a.stdin)} }

// ask prints a question and returns the answer in lower case, without blanks.
func (q *answers) ask(question string) (string, error) {
	fmt.Fprint(q.a.stderr, question+" ")
	line, err := q.in.ReadString('\n')
	if err != nil && (line == "" || !errors.Is(err, io.EOF)) {
		return "", fmt.Errorf("no answer: %w", err)
	}
	return strings.ToLower(strings.TrimSpace(line)), nil
}

// confirm asks a question that only y or yes answers with yes.
func (q *answers) confirm(question string) (bool, error) {
	answer, err := q.ask(question + " [y/N]")
	return answer == "y" || answer == "yes", err
}
