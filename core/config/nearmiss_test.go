package config

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNearMissesAreNamed(t *testing.T) {
	base := layout(t, map[string]string{
		"p/.guardrails.yml": "", "p/.guardrails/config.yaml": "", "p/.guardrails.yaml": "", "p/guardrails.yaml/": "",
		"p/.guardrails.yaml.bak": "", "p/.guardrails.yaml~": "", "p/Guardrails.YAML.orig": "", "p/guardrails.config.json": "", "p/.guardrailsrc": "",
		"p/guardrails.md": "", "p/config.yaml": "", "p/guardrails_test.go": "", "p/.guardrails/state.json": "", "p/my-guardrails.yaml": "",
		"state/config.yml": "", "state/config.yaml": "", "state/installs.json": "",
	})
	var want []string
	for _, name := range []string{
		"p/.guardrails.yaml.bak", "p/.guardrails.yaml~", "p/.guardrails.yml", "p/.guardrailsrc", "p/Guardrails.YAML.orig", "p/guardrails.config.json",
		"p/.guardrails/config.yaml", "state/config.yml",
	} {
		want = append(want, filepath.Join(base, filepath.FromSlash(name)))
	}
	if diff := cmp.Diff(want, NearMisses(filepath.Join(base, "p"), filepath.Join(base, "state"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := NearMisses("", ""); got != nil {
		t.Errorf("nowhere: %q", got)
	}
}
