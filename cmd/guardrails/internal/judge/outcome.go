package judge

import (
	"io"
	"os"

	"github.com/ec261362/guardrails/core/hook"
)

// outcome reads from the transcript's end how a call ended, for hosts whose
// events do not say so.
func outcome(ad hook.Adapter) func(*hook.Event) *hook.Result {
	host, ok := ad.(hook.OutcomeReader)
	if !ok {
		return nil
	}
	return func(ev *hook.Event) *hook.Result {
		if ev.Transcript == "" {
			return nil
		}
		return host.ReadOutcome(*ev, tail(ev.Transcript))
	}
}

// finished reads which calls ended in the background, for hosts that tell so.
func finished(ad hook.Adapter) func(*hook.Event) []hook.Event {
	host, ok := ad.(hook.Finisher)
	if !ok {
		return nil
	}
	return func(ev *hook.Event) []hook.Event {
		if ev.Transcript == "" {
			return nil
		}
		return host.Finished(*ev, tail(ev.Transcript), tail)
	}
}

// transcriptTail is how much of a transcript's end is read.
const transcriptTail = 256 << 10

func tail(name string) []byte {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return nil
	}
	from := max(0, st.Size()-transcriptTail)
	b, err := io.ReadAll(io.NewSectionReader(f, from, transcriptTail))
	if err != nil {
		return nil
	}
	return b
}
