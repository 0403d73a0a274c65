package manifest

import (
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/spec"
)

func (s *sheet) goMod(text string) {
	type require struct {
		path, version string
		indirect      bool
	}
	var requires []require
	var tools []string
	replaced := make(map[string]bool)
	block := ""
	for line := range strings.SplitSeq(text, "\n") {
		code, comment, _ := strings.Cut(line, "//")
		words := strings.Fields(code)
		if len(words) == 0 {
			continue
		}
		if block != "" {
			if words[0] == ")" {
				block = ""
				continue
			}
			words = append([]string{block}, words...)
		} else if len(words) > 1 && words[len(words)-1] == "(" || strings.HasSuffix(words[0], "(") {
			block = strings.TrimSuffix(words[0], "(")
			continue
		}
		for i := range words {
			words[i] = strings.Trim(words[i], "\"`")
		}
		switch words[0] {
		case "module":
			if len(words) > 1 {
				s.self = words[1]
			}
		case "require":
			if len(words) >= 3 {
				requires = append(requires, require{words[1], words[2], strings.HasPrefix(strings.TrimSpace(comment), "indirect")})
			} else {
				s.broken = true
			}
		case "replace":
			arrow := -1
			for i, w := range words {
				if w == "=>" {
					arrow = i
				}
			}
			if arrow < 2 || arrow+1 >= len(words) {
				s.broken = true
				continue
			}
			target := words[arrow+1]
			if arrow+2 < len(words) {
				p, why := spec.Go(target + "@" + words[arrow+2])
				if p.Name != "" {
					p.Name = target
				}
				s.add(target, p, why)
			} else {
				s.add(target, coord.Package{}, coord.Path)
			}
			if arrow == 2 {
				replaced[words[1]] = true
			}
		case "tool":
			if len(words) > 1 {
				tools = append(tools, words[1])
			}
		case "exclude", "retract", "go", "toolchain", "godebug", "ignore":
		default:
			s.broken = true
		}
	}
	if block != "" {
		s.broken = true
	}
	for _, r := range requires {
		if replaced[r.path] {
			continue
		}
		p, why := spec.Go(r.path + "@" + r.version)
		if p.Name != "" {
			p.Name, p.Indirect = r.path, r.indirect
		}
		s.add(r.path, p, why)
	}
tools:
	for _, t := range tools {
		for _, r := range requires {
			if t == r.path || strings.HasPrefix(t, r.path+"/") {
				continue tools
			}
		}
		if s.self != "" && (t == s.self || strings.HasPrefix(t, s.self+"/")) {
			continue
		}
		p, why := spec.Go(t)
		s.add(t, p, why)
	}
}

// GoModule is the path of the module that a go.mod is of.
func GoModule(content []byte) string {
	for line := range strings.Lines(string(content)) {
		line, _, _ = strings.Cut(line, "//")
		if words := strings.Fields(line); len(words) == 2 && words[0] == "module" {
			return strings.Trim(words[1], "\"`")
		}
	}
	return ""
}

// GoWorkUses are the folders that a go.work takes modules from.
func GoWorkUses(content []byte) []string {
	var out []string
	block := false
	for line := range strings.Lines(string(content)) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case block && words[0] == ")":
			block = false
		case block:
			out = append(out, strings.Trim(words[0], "\"`"))
		case words[0] == "use(" || len(words) == 2 && words[0] == "use" && words[1] == "(":
			block = true
		case len(words) == 2 && words[0] == "use":
			out = append(out, strings.Trim(words[1], "\"`"))
		}
	}
	return out
}
