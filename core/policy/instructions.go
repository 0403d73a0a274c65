package policy

import (
	"path"
	"strings"
)

// steers reports whether p, in lower case, is a file or a folder of files that
// tell an agent what to do: the hosts' instruction files, rules, skills, commands
// and agents.
func steers(p string) bool {
	base := path.Base(p)
	switch base {
	case "claude.md", "claude.local.md", "agents.md", "agents.override.md", "agents.local.md", "agent.md", "gemini.md", "muse.md", "qwen.md", "warp.md",
		".cursorrules", ".windsurfrules", ".clinerules", ".roorules", ".goosehints", ".rules", ".augment-guidelines",
		"copilot-instructions.md":
		return true
	}
	if strings.HasSuffix(base, ".instructions.md") || strings.HasSuffix(base, ".mdc") {
		return true
	}
	for rest := p; ; {
		i := strings.Index(rest, "/.")
		if i < 0 {
			return strings.Contains(p, "/_agents/rules/") || strings.Contains(p, "/_agent/rules/")
		}
		folder, below, _ := strings.Cut(rest[i+1:], "/")
		if part, tail, _ := strings.Cut(below, "/"); part != "" && steeringFolder(folder, part, tail) {
			return true
		}
		rest = rest[i+2:]
	}
}

// steeringFolder reports whether folder/part, or folder/part/tail, holds
// instructions.
func steeringFolder(folder, part, tail string) bool {
	switch folder {
	case ".claude":
		switch part {
		case "agents", "commands", "rules", "skills", "output-styles", "workflows":
			return true
		}
	case ".gemini":
		switch part {
		case "commands", "agents", "skills", "system.md", "policies":
			return true
		case "config":
			switch sub, _, _ := strings.Cut(tail, "/"); sub {
			case "rules", "skills", "agents", "commands", "workflows":
				return true
			}
		}
	case ".agents", ".agent":
		switch part {
		case "rules", "skills", "workflows", "agents", "commands":
			return true
		}
	case ".muse", ".muse-plugin":
		switch part {
		case "rules", "skills", "agents", "commands", "prompts", "instructions":
			return true
		}
	case ".cursor", ".windsurf", ".continue", ".trae", ".qoder", ".augment", ".amazonq":
		switch part {
		case "rules", "commands", "agents", "workflows", "prompts", "skills":
			return true
		}
	case ".codex", ".opencode":
		switch part {
		case "prompts", "skills", "agents", "agent", "command", "commands", "rules":
			return true
		}
	case ".github":
		switch part {
		case "instructions", "prompts", "chatmodes", "agents", "skills":
			return true
		}
	case ".kiro":
		return part == "steering"
	case ".junie":
		return part == "guidelines.md"
	case ".clinerules":
		return true
	case ".roo":
		return part == "commands" || strings.HasPrefix(part, "rules")
	}
	return false
}

// steeringNames are the places that are known by name: what a pattern, or a
// delete of a folder that holds them, is compared with.
func steeringNames() [14]string {
	return [14]string{
		"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", ".cursorrules", ".windsurfrules", ".clinerules", ".github/copilot-instructions.md",
		".claude/CLAUDE.md", ".claude/agents", ".claude/commands", ".claude/rules", ".claude/skills", ".cursor/rules",
	}
}
