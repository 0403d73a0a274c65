// Say is a hook for Gemini CLI that answers each event with the verdict that SAY
// holds for it, a JSON object by our event names.
package main

import (
	"encoding/json"
	"io"
	"os"

	"github.com/ec261362/guardrails/adapters/gemini"
	"github.com/ec261362/guardrails/core/hook"
)

func main() {
	payload, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	ev, err := gemini.Adapter{}.Decode("", payload)
	if err != nil {
		panic(err)
	}
	var say map[hook.EventName]hook.Verdict
	if err := json.Unmarshal([]byte(os.Getenv("SAY")), &say); err != nil {
		panic(err)
	}
	if _, err := os.Stdout.Write(gemini.Adapter{}.Encode(ev, say[ev.Name]).Stdout); err != nil {
		panic(err)
	}
}
