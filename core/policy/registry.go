package policy

import (
	"strings"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// reach is how much of a machine's settings a command deletes.
type reach int

const (
	noReach reach = iota
	oneProgram
	wholeMachine
)

func machineSettings(_ *judge, c *shellcmd.Command) (match, bool) {
	what, r := settingsDeleted(c)
	return match{what: what}, r == wholeMachine
}

func programSettings(_ *judge, c *shellcmd.Command) (match, bool) {
	what, r := settingsDeleted(c)
	return match{what: what}, r == oneProgram
}

// settingsDeleted says what reg, bcdedit, defaults and PowerShell's item
// cmdlets delete of the settings that no file of a project holds.
func settingsDeleted(c *shellcmd.Command) (what string, r reach) {
	args := c.Args()
	switch c.Program {
	case "reg":
		if len(args) < 2 || !strings.EqualFold(args[0].Text, "delete") {
			return "", noReach
		}
		one := false // a single value
		for i := range args {
			switch strings.ToLower(args[i].Text) {
			case "/?":
				return "", noReach
			case "/v", "/ve":
				one = true
			}
		}
		key := registryKey(&args[1])
		r = registryReach(key)
		if one && r == oneProgram {
			return "", noReach
		}
		return "deletes the registry key " + oneLine(key), r
	case "remove-item", "remove-itemproperty", "clear-item":
		for i := range args {
			if key := registryKey(&args[i]); strings.Contains(key, ":") || strings.HasPrefix(strings.ToLower(key), "registry::") {
				key = strings.TrimPrefix(strings.ToLower(key), "registry::")
				if r = registryReach(strings.Replace(key, ":", "", 1)); r == wholeMachine || r == oneProgram && c.Program == "remove-item" {
					return "deletes the registry key " + oneLine(key), r
				}
			}
		}
	case "bcdedit":
		for i := range args {
			switch strings.ToLower(args[i].Text) {
			case "/delete", "/deletevalue", "/set", "/import", "/createstore", "/default", "/bootsequence", "/displayorder", "/timeout", "/bootems", "/ems", "/debug", "/dbgsettings":
				return "changes how the machine starts", wholeMachine
			}
		}
	case "defaults":
		for len(args) > 0 && (args[0].Text == "-currentHost" || args[0].Text == "-host") {
			if args[0].Text == "-host" && len(args) > 1 {
				args = args[1:]
			}
			args = args[1:]
		}
		if len(args) == 0 || args[0].Text != "delete" && args[0].Text != "remove" {
			return "", noReach
		}
		args = args[1:]
		switch {
		case len(args) == 0:
			return "deletes the settings of every program", wholeMachine
		case args[0].Text == "-app" && len(args) > 1:
			args = args[1:]
		}
		switch {
		case len(args) > 1: // one setting
		case args[0].Text == "-g" || args[0].Text == "-globalDomain" || args[0].Text == "NSGlobalDomain" || args[0].Text == "Apple Global Domain":
			return "deletes the settings that all programs share", wholeMachine
		default:
			return "deletes all settings of " + oneLine(showWord(&args[0])), oneProgram
		}
	}
	return "", noReach
}

// registryKey is a registry path with one backslash between its parts, also
// where a POSIX shell would eat them.
func registryKey(w *word) string {
	t := w.Text
	if !strings.Contains(t, `\`) && strings.Contains(w.Raw, `\`) {
		t = strings.Trim(w.Raw, `"'`)
	}
	for strings.Contains(t, `\\`) {
		t = strings.ReplaceAll(t, `\\`, `\`)
	}
	return strings.TrimRight(t, `\*`)
}

// registryReach says whose settings a registry path without a colon holds.
func registryReach(key string) reach {
	key = strings.ToLower(strings.TrimLeft(strings.ReplaceAll(key, "/", `\`), `\`))
	hive, rest, _ := strings.Cut(key, `\`)
	switch hive {
	case "hklm", "hkey_local_machine", "hkcr", "hkey_classes_root", "hku", "hkey_users", "hkcc", "hkey_current_config":
		return wholeMachine
	case "hkcu", "hkey_current_user":
		switch rest {
		case "", "software", "control panel", "environment", `software\microsoft`, `software\microsoft\windows`, `software\microsoft\windows\currentversion`, `software\classes`:
			return wholeMachine
		}
		return oneProgram
	}
	return noReach
}
