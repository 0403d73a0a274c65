package hookcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"time"

	"github.com/ec261362/guardrails/cmd/guardrails/internal/full"
	"github.com/ec261362/guardrails/core/config/tree"
	"github.com/ec261362/guardrails/core/gate"
)

// maxAnswer is more than any host reads of a hook.
const maxAnswer = 4 << 20

// endMark ends what the full program says to the small one: silence is an answer
// on some hosts, and half of one, or another program's words, must not become it.
const endMark = "\x00\n"

const noFull = "guardrails-full is not installed, so what needs processes or the network is not judged: run guardrails init again"

// fullProgram is the installed full program, "" if there is none.
func (l *lane) fullProgram() string {
	if path := full.Beside(); path != "" {
		return path
	}
	return full.In(filepath.Join(l.machine.StateHome, "bin"))
}

// handOver lets the full program judge the call: it then has answered and logged
// in our place. It returns why it did not, "" if it did.
func (l *lane) handOver(payload []byte, started time.Time, out *once) (why string) {
	path := l.fullProgram()
	if path == "" {
		return noFull
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
	// The other one watches its own time; this is for when even that fails. Then
	// what is left must do for an answer of ours.
	limit := time.AfterFunc(time.Until(started.Add(l.call.Deadline()+min(l.call.Spare(), 2*time.Second))), func() { close(stop) })
	defer limit.Stop()
	answer, err := full.Ask(path, args, payload, maxAnswer, stop)
	answer, whole := bytes.CutSuffix(answer, []byte(endMark))
	if err == nil && !whole {
		err = fmt.Errorf("%s gave no answer that this program understands: run guardrails init again", path)
	}
	if err != nil {
		l.watch(time.Now().Add(max(200*time.Millisecond, time.Until(started.Add(l.call.Deadline())))), out)
		return fmt.Sprintf("guardrails-full did not judge the call: %v", err)
	}
	out.answer(answer)
	return ""
}

// nothing is a machine without programs and network, because of why.
type nothing struct{ why string }

func (n nothing) Run(context.Context, gate.Command) (gate.Exit, error) {
	return gate.Exit{}, fmt.Errorf("%s: %w", n.why, fs.ErrNotExist)
}

func (n nothing) LookPath(name string) (string, error) {
	return "", fmt.Errorf("%s: %s: %w", name, n.why, fs.ErrNotExist)
}

func (n nothing) read([]byte) (*tree.Node, error) {
	return nil, &tree.Error{Unread: true, Message: n.why}
}

func (n nothing) fetch(context.Context, gate.Request) (gate.Response, error) {
	return gate.Response{}, errors.New("no network: " + n.why)
}
