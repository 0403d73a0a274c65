package approval

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// readPolicy returns the persisted rules, or why they cannot be known. The
// shape is schema 2 and closed at every level: {schema_version: 2, rules:
// [{effect, durability, reason, rule: {kind, …}}]}.
func readPolicy(f File, exact []ExactKind) ([]rule, string) {
	if errors.Is(f.Err, fs.ErrNotExist) {
		return nil, ""
	}
	if f.Err != nil {
		return nil, f.Err.Error()
	}
	doc, err := parse(f.Data)
	if err != nil {
		return nil, err.Error()
	}
	if why := doc.members("schema_version", "rules"); why != "" {
		return nil, why
	}
	if v := doc.get("schema_version"); v.kind != number || v.text != "2" {
		return nil, "schema_version is not 2"
	}
	list := doc.get("rules")
	if list.kind != array {
		return nil, "rules is not an array"
	}
	rules := make([]rule, 0, len(list.items))
	for i := range list.items {
		r, why := readRule(&list.items[i], exact)
		if why != "" {
			return nil, fmt.Sprintf("rule %d: %s", i+1, why)
		}
		rules = append(rules, r)
	}
	return rules, ""
}

func readRule(v *value, exact []ExactKind) (rule, string) {
	if why := v.members("effect", "durability", "reason", "rule"); why != "" {
		return rule{}, why
	}
	if e := v.get("effect"); e.kind != text || e.text != "allow" && e.text != "deny" {
		return rule{}, "unknown effect"
	}
	if d := v.get("durability"); d.kind != text || d.text != "local_persistent" {
		return rule{}, "unknown durability"
	}
	if r := v.get("reason"); r.kind != text && r.kind != null {
		return rule{}, "reason is neither text nor null"
	}
	body := v.get("rule")
	kind := body.get("kind")
	if kind.kind != text {
		return rule{}, "a rule without a kind"
	}
	if kind.text == "shell_command_argv_prefix" {
		return readPrefix(body)
	}
	for _, k := range exact {
		if kind.text != k.Kind {
			continue
		}
		if why := body.members("kind", k.Member); why != "" {
			return rule{}, why
		}
		c := body.get(k.Member)
		if c.kind != text || strings.TrimSpace(c.text) == "" {
			return rule{}, k.Member + " is no command"
		}
		return rule{exact: c.text}, ""
	}
	// A tool, a host of the network, a whole command, or something newer: what
	// it would do to a rewritten command is not known.
	return rule{}, fmt.Sprintf("unknown kind %q", kind.text)
}

// readPrefix reads a shell_command_argv_prefix. One without a workspace_root
// was seen in a test of others only; it is read as one that holds everywhere.
func readPrefix(body *value) (rule, string) {
	want := []string{"kind", "argv_prefix", "workspace_root"}
	if body.get("workspace_root").kind == missing {
		want = want[:2]
	}
	if why := body.members(want...); why != "" {
		return rule{}, why
	}
	if len(want) == 3 {
		if root := body.get("workspace_root"); root.kind != text || !absolute(root.text) {
			return rule{}, "workspace_root is no absolute path"
		}
	}
	argv := body.get("argv_prefix")
	if argv.kind != array || len(argv.items) == 0 {
		return rule{}, "argv_prefix is empty or no array"
	}
	prefix := make([]string, len(argv.items))
	for i := range argv.items {
		w := &argv.items[i]
		if w.kind != text || w.text == "" {
			return rule{}, "argv_prefix holds something other than a word"
		}
		prefix[i] = w.text
	}
	return rule{prefix: prefix}, ""
}

// absolute reports whether a path is absolute on the system that wrote it.
func absolute(path string) bool {
	if strings.HasPrefix(path, "/") || strings.HasPrefix(path, `\\`) {
		return true
	}
	return len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
}

// settingsProblem says why the settings make a rewrite unsafe, "" if they do
// not. Measured are no named profile and an explicit :ask-me; everything else
// about permissions is unknown.
func settingsProblem(f File) string {
	if errors.Is(f.Err, fs.ErrNotExist) {
		return ""
	}
	if f.Err != nil {
		return f.Err.Error()
	}
	doc, err := parse(f.Data)
	switch {
	case err != nil:
		return err.Error()
	case doc.kind != object:
		return "not an object"
	}
	if v := doc.get("schema_version"); v.kind != number || v.text != "1" {
		return "schema_version is not 1"
	}
	for _, key := range doc.keys {
		if key == "permissions" {
			continue
		}
		if low := strings.ToLower(key); strings.Contains(low, "permission") || strings.Contains(low, "approval") {
			return fmt.Sprintf("%s is not measured", key)
		}
	}
	p := doc.get("permissions")
	switch p.kind {
	case missing:
		return ""
	case object:
	default:
		return "permissions is not an object"
	}
	for i, key := range p.keys {
		v := &p.items[i]
		switch key {
		case "schema_version":
		case "default_profile":
			if v.kind != text || v.text != ":ask-me" {
				return "a default profile that is not :ask-me is not measured"
			}
		case "profiles":
			if v.kind != object || len(v.keys) > 0 {
				return "named profiles are not measured"
			}
		default:
			return fmt.Sprintf("permissions.%s is not known", key)
		}
	}
	if v := p.get("schema_version"); v.kind != number || v.text != "1" {
		return "permissions.schema_version is not 1"
	}
	return ""
}
