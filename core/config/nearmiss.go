package config

import (
	"os"
	"path/filepath"
	"strings"
)

// NearMisses returns files in root and the state home that look like ours and
// are not read: other endings, other spellings, copies that editors and people
// leave behind.
func NearMisses(root, stateHome string) []string {
	var out []string
	look := func(dir string, is func(stem string) bool, right string) {
		entries, err := os.ReadDir(dir)
		if dir == "" || err != nil {
			return
		}
		for _, e := range entries {
			if name := e.Name(); name != right && !e.IsDir() && isNear(name, is) {
				out = append(out, filepath.Join(dir, name))
			}
		}
	}
	project := func(stem string) bool {
		return stem == "guardrails" || stem == "guardrail" || stem == "guard-rails" || stem == "guardrailsrc" || stem == "guardrails.config"
	}
	either := func(stem string) bool { return stem == "config" || project(stem) }
	look(root, project, FileName)
	if root != "" {
		look(filepath.Join(root, ".guardrails"), either, "")
	}
	look(stateHome, either, HumanFileName)
	return out
}

// isNear reports whether a file's name is that of a configuration, whatever its
// case, its dot and its ending.
func isNear(name string, is func(stem string) bool) bool {
	stem := strings.TrimPrefix(strings.ToLower(name), ".")
	for {
		cut := stem
		for _, end := range [...]string{"~", ".bak", ".backup", ".old", ".orig", ".save", ".swp", ".txt", ".rej", ".disabled", ".off"} {
			cut = strings.TrimSuffix(cut, end)
		}
		if cut == stem {
			break
		}
		stem = cut
	}
	for _, end := range [...]string{".yaml", ".yml", ".yaml.example", ".json", ".jsonc", ".toml"} {
		if s, ok := strings.CutSuffix(stem, end); ok {
			return is(s)
		}
	}
	return stem == "guardrailsrc"
}
