package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	ossignal "os/signal"
)

// Attach runs a program that a human works with, such as an editor, on our own
// standard streams, and waits for it without a deadline. It returns the
// program's exit code, -1 if it was killed; the error says why it could not
// start. An interrupt typed meanwhile is the program's, not ours.
func Attach(argv, env []string) (int, error) {
	if len(argv) == 0 {
		return -1, errors.New("run: no program is named")
	}
	cmd := exec.CommandContext(context.Background(), argv[0], argv[1:]...)
	cmd.Env = env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	// Caught, not ignored: what is ignored stays so in the program.
	interrupts := make(chan os.Signal, 1)
	ossignal.Notify(interrupts, os.Interrupt)
	defer ossignal.Stop(interrupts)
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, nil
	case errors.As(err, &exit):
		return exit.ExitCode(), nil
	}
	return -1, fmt.Errorf("run %s: %w", argv[0], err)
}
