package config

import (
	"os"
	"path/filepath"
)

// NearMisses returns files in root and the state home that look like ours and
// are not read.
func NearMisses(root, stateHome string) []string {
	var out []string
	look := func(dir string, names ...string) {
		if dir == "" {
			return
		}
		for _, name := range names {
			if fi, err := os.Lstat(filepath.Join(dir, name)); err == nil && !fi.IsDir() {
				out = append(out, filepath.Join(dir, name))
			}
		}
	}
	look(root, ".guardrails.yml", "guardrails.yaml", "guardrails.yml", ".guardrail.yaml", ".guardrails.json", ".guardrails.toml", ".guardrails.yaml.txt",
		filepath.Join(".guardrails", HumanFileName), filepath.Join(".guardrails", "guardrails.yaml"))
	look(stateHome, "config.yml", "config.json", FileName, "guardrails.yaml")
	return out
}
