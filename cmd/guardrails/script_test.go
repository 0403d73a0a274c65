package main

import (
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the golden parts of scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"guardrails": main})
}

// TestScripts runs one script per promised behaviour. Each script has a HOME of
// its own and no variable of the machine that runs it.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/scripts",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			home := env.WorkDir + "/home"
			if err := os.MkdirAll(home, 0o755); err != nil {
				return err
			}
			env.Setenv("HOME", home)
			env.Setenv("USERPROFILE", home)
			env.Setenv("NO_COLOR", "1")
			return nil
		},
	})
}
