package hookcmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"time"

	"github.com/ec261362/guardrails/cmd/guardrails/internal/full"
	"github.com/ec261362/guardrails/core/gate"
)

// maxAnswer is more than any host reads of a hook.
const maxAnswer = 4 << 20

const noFull = "guardrails-full is not installed, so what needs processes or the network is not judged: run guardrails init again"

// fullProgram is the installed full program, "" if there is none.
func (l *lane) fullProgram() string {
	if path := full.Beside(); path != "" {
		return path
	}
	return full.In(filepath.Join(l.machine.StateHome, "bin"))
}

// handOver lets the full program judge the call, and reports whether it did: it
// then has answered and logged in our place.
func (l *lane) handOver(payload []byte, started time.Time, out *once) bool {
	path := l.fullProgram()
	if path == "" {
		l.lapses = append(l.lapses, noFull)
		return false
	}
	args := []string{"hook", "--agent", l.adapter.Name()}
	if l.event != "" {
		args = append(args, l.event)
	}
	if l.home != "" {
		args = append(args, "--home", l.home)
	}
	args = append(args, "--since="+strconv.FormatInt(started.UnixNano(), 10))
	l.timer.Stop()
	stop := make(chan struct{})
	limit := time.AfterFunc(time.Until(started.Add(l.call.Deadline()+2*time.Second)), func() { close(stop) })
	defer limit.Stop()
	answer, err := full.Ask(path, args, payload, maxAnswer, stop)
	if err != nil {
		l.lapses = append(l.lapses, fmt.Sprintf("guardrails-full did not judge the call: %v", err))
		l.watch(time.Now().Add(time.Second), out)
		return false
	}
	out.answer(answer)
	return true
}

// nothing is a machine without programs.
type nothing struct{}

func (nothing) Run(context.Context, gate.Command) (gate.Exit, error) {
	return gate.Exit{}, fmt.Errorf("guardrails-full is not installed: %w", fs.ErrNotExist)
}

func (nothing) LookPath(name string) (string, error) {
	return "", fmt.Errorf("%s: %w", name, fs.ErrNotExist)
}

func noNetwork(context.Context, gate.Request) (gate.Response, error) {
	return gate.Response{}, errors.New("no network: guardrails-full is not installed")
}
