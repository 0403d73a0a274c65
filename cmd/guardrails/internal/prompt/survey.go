package prompt

import (
	"errors"
	"io"
	"os"

	"github.com/AlecAivazis/survey/v2"
	"github.com/AlecAivazis/survey/v2/core"
	"github.com/AlecAivazis/survey/v2/terminal"
)

type surveyMode struct {
	in, out *os.File
	plain   bool
}

func (s surveyMode) ask(p survey.Prompt, answer any) error {
	core.DisableColor = s.plain
	err := survey.AskOne(p, answer, survey.WithStdio(s.in, s.out, s.out))
	if errors.Is(err, terminal.InterruptErr) || errors.Is(err, io.EOF) {
		return ErrInterrupted
	}
	return err
}

// Select returns the index of the option chosen.
func (s surveyMode) Select(question string, options []string, def int) (int, error) {
	chosen := def
	err := s.ask(&survey.Select{Message: question, Options: options, Default: def}, &chosen)
	return chosen, err
}

// MultiSelect returns the indexes of the options chosen, in order.
func (s surveyMode) MultiSelect(question string, options []string, chosen []int) ([]int, error) {
	var out []int
	err := s.ask(&survey.MultiSelect{Message: question, Options: options, Default: chosen}, &out)
	return out, err
}

// Confirm returns the answer to a yes-or-no question. It is a choice of two:
// survey's own Confirm asks the terminal for its cursor again and again, hangs
// if one answer is lost, and drops what was typed meanwhile.
func (s surveyMode) Confirm(question string, def bool) (bool, error) {
	at := 1
	if def {
		at = 0
	}
	n, err := s.Select(question, []string{"yes", "no"}, at)
	return n == 0, err
}
