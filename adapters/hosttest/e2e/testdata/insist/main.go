// Insist is a hook for Gemini CLI that keeps a turn going for as long as the
// engine lets it. With NEW it finds something new to insist on each time.
package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/ec261362/guardrails/adapters/gemini"
	"github.com/ec261362/guardrails/core/engine"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

func main() {
	started := time.Now()
	home, err := os.UserHomeDir()
	if err != nil {
		panic(err)
	}
	payload, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	ad := gemini.Adapter{}
	ev, err := ad.Decode("", payload)
	if err != nil {
		panic(err)
	}
	insist := &gate.Gate{
		ID: "insist", On: []hook.EventName{hook.Stop}, Strength: gate.Enforce, Budget: 3, State: true,
		Run: func(context.Context, *gate.Pass) (hook.Verdict, error) {
			rule := "insist/same"
			if os.Getenv("NEW") != "" {
				rule = "insist/" + strconv.FormatInt(started.UnixNano(), 10)
			}
			return hook.Verdict{Decision: hook.Block, Rule: rule, Reason: "INSISTING"}, nil
		},
	}
	eng := engine.Engine{
		Gates: []*gate.Gate{insist}, Caps: ad.Capabilities(), Env: gate.Env{Now: time.Now, Home: home}, Started: started,
		Store: &session.Store{Dir: filepath.Join(home, ".guardrails", "sessions"), Now: time.Now},
	}
	_, err = os.Stdout.Write(ad.Encode(ev, eng.Judge(context.Background(), &ev).Verdict).Stdout)
	if err != nil {
		panic(err)
	}
}
