package policy

import (
	"strings"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

var systemRules = [...]Rule{
	{
		ID: "system/fork-bomb", Verdict: hook.Deny,
		Doc:     "A function that calls itself in the background, or an endless loop that starts background jobs without waiting for them.",
		Why:     "it fills the process table until the machine has to be restarted",
		Instead: "start a known number of jobs and wait for them: `for i in 1 2 3; do ./job $i & done; wait`",
		Fire:    []string{"bomb(){ bomb & }; bomb", ":(){ :|:& };:", ":(){:|:&};:", "first(){ second & }; second(){ first; }; first", "while true; do ./job & done"},
		Pass:    []string{"for i in 1 2 3; do ./job $i & done", "while true; do ./job & wait; done", "while true; do sleep 1; done", "echo 'while true; do work & done'", "f(){ echo; }; f &"},
		check:   forkBomb, uncalled: true,
	},
	{
		ID: "system/power", Verdict: hook.Deny,
		Doc:     "Shutting down, rebooting or suspending the machine.",
		Why:     "everything that runs on it would stop, this session included",
		Instead: "ask your human; to see how long it has been up, `uptime`",
		Fire:    []string{"shutdown -h now", "sudo reboot", "systemctl poweroff", "init 0", "halt", "shutdown /s /t 0"},
		Pass:    []string{"shutdown -c", "systemctl status nginx", "uptime", "npm init"},
		check:   power,
	},
	{
		ID: "system/kill-all", Verdict: hook.Deny,
		Doc:     "Killing every process that may be killed.",
		Why:     "it ends the user's whole session",
		Instead: "name the process: `pkill -f 'vite --port 5173'`",
		Fire:    []string{"kill -9 -1", "kill -KILL -1", "kill -s KILL -- -1", "killall5 -9", "pkill -u root", "kill -9 1"},
		Pass:    []string{"kill -9 1234", "kill %1", "pkill -f vite", "kill -1 1234", "killall node"},
		check:   killAll,
	},
	{
		ID: "system/crontab", Verdict: hook.Deny,
		Doc:     "Removing all of a user's scheduled jobs.",
		Why:     "the whole table goes, and there is no copy",
		Instead: "look with `crontab -l`",
		Fire:    []string{"crontab -r", "sudo crontab -u www -r", "crontab -ir"},
		Pass:    []string{"crontab -l", "crontab jobs.txt"},
		check:   crontab,
	},
	{
		ID: "system/firewall", Verdict: hook.Deny,
		Doc:     "Flushing or switching off the firewall.",
		Why:     "the machine would be open, or unreachable",
		Instead: "look with `iptables -L`",
		Fire:    []string{"iptables -F", "ufw disable", "nft flush ruleset", "iptables -P INPUT ACCEPT", "systemctl stop firewalld", "netsh advfirewall set allprofiles state off", "setenforce 0"},
		Pass:    []string{"iptables -L", "ufw status", "nft list ruleset"},
		check:   firewall,
	},
	{
		ID: "system/guard-service", Verdict: hook.Deny,
		Doc:     "Stopping or removing services that guard or log the machine.",
		Why:     "it takes away what protects the machine and records what happens on it",
		Instead: "look with `systemctl status auditd`",
		Fire:    []string{"systemctl disable --now auditd", "service rsyslog stop", "systemctl mask apparmor", "auditctl -e 0", "Set-MpPreference -DisableRealtimeMonitoring $true"},
		Pass:    []string{"systemctl status auditd", "systemctl restart nginx", "service nginx stop"},
		check:   guardService,
	},
	{
		ID: "system/machine-settings", Verdict: hook.Deny,
		Doc:     "Deleting settings of the whole machine or of all programs: registry keys below HKLM and whole hives, the boot configuration, macOS' global defaults.",
		Why:     "programs, or the machine itself, may not start afterwards, and nothing keeps the old values",
		Instead: "look with `reg query 'HKLM\\SOFTWARE\\App'` or `defaults read -g`, and save a copy first with `defaults export -g old.plist`",
		Fire: []string{
			`reg delete 'HKLM\SOFTWARE\App' /f`, `reg delete HKLM\\SYSTEM /f`, `reg.exe delete HKEY_LOCAL_MACHINE\Software /va /f`, `reg delete HKCU /f`, `reg delete HKCU\Software /f`,
			`cmd /c reg delete HKCR\.txt /f`, `powershell -Command "Remove-Item -Recurse HKLM:\SOFTWARE\App"`,
			"bcdedit /delete {current}", "bcdedit /set {default} recoveryenabled No", "bcdedit /import old.bcd", "defaults delete -g", "defaults delete NSGlobalDomain", "defaults delete",
			"defaults -currentHost delete -globalDomain",
		},
		Pass: []string{
			`reg query 'HKLM\SOFTWARE'`, `reg export HKLM\SOFTWARE a.reg`, `reg delete /?`, "bcdedit", "bcdedit /enum all", "bcdedit /export old.bcd", "defaults read -g",
			"defaults delete -g AppleLanguages", "defaults write com.example.app Key -bool true", "defaults delete com.example.app Key",
		},
		check: machineSettings,
	},
	{
		ID: "system/program-settings", Verdict: hook.Ask,
		Doc:     "Deleting all settings of one program: its defaults domain, or its registry key of this user.",
		Why:     "nothing keeps the old values",
		Instead: "name one setting, e.g. `defaults delete com.example.app WindowSize`, or save a copy first",
		Fire:    []string{"defaults delete com.example.app", `reg delete 'HKCU\Software\App' /f`, `powershell -Command "Remove-Item -Recurse HKCU:\Software\App"`},
		Pass:    []string{"defaults delete com.example.app Key", `reg delete 'HKCU\Software\App' /v Size /f`, "defaults domains"},
		check:   programSettings,
	},
	{
		ID: "system/forge-delete", Verdict: hook.Ask,
		Doc:     "Deleting what others see on a forge (gh, glab): repositories, releases, issues, keys and secrets.",
		Why:     "it is gone for everybody at once",
		Instead: "look at it first, e.g. `gh release view v1`",
		Fire:    []string{"gh release delete v1 --yes", "gh repo delete a/b --yes", "gh issue delete 4", "gh secret delete X", "gh repo archive a/b"},
		Pass:    []string{"gh pr view 12", "gh pr create --fill", "gh issue list", "gh run list --limit 5", "gh release view v1"},
		check:   forgeDelete,
	},
	{
		ID: "system/too-long", Verdict: hook.Ask,
		Doc:     "A command line beyond the limits of what is read.",
		Why:     "what lies beyond the limits could not be judged",
		Instead: "put long text into a file with the write tool, or split the line",
		Pass:    []string{"echo short"},
		check:   tooLong,
	},
}

func tooLong(j *judge, _ *shellcmd.Command) (match, bool) {
	if j.cur.index == 0 && j.line.Truncated {
		return match{what: "is longer or deeper than is read"}, true
	}
	return match{}, false
}

func forkBomb(j *judge, c *shellcmd.Command) (match, bool) {
	if c.Has(shellcmd.Recursive) && !c.Has(shellcmd.Uncalled) && j.bombs(c) {
		return match{what: "calls itself in the background"}, true
	}
	if j.cur.index == 0 && strings.Contains(strings.ReplaceAll(j.line.Source, " ", ""), ":(){:|:&};:") && !strings.ContainsAny(j.line.Source, `'"`) {
		return match{what: "calls itself in the background"}, true
	}
	if c.Has(shellcmd.Uncalled) {
		return match{}, false
	}
	if c.Has(shellcmd.Looped|shellcmd.Background) && j.endless(c) {
		return match{what: "starts background jobs without end"}, true
	}
	return match{}, false
}

// bombs reports whether the recursion that ends in c goes through the
// background.
func (j *judge) bombs(c *shellcmd.Command) bool {
	for range 16 {
		if c.Has(shellcmd.Background) {
			return true
		}
		// f | f & and the like: any stage of the same pipeline.
		for i := range j.line.Commands {
			d := &j.line.Commands[i]
			if d.Pipeline == c.Pipeline && d.Has(shellcmd.Background) {
				return true
			}
		}
		if c.Parent < 0 || c.Via != shellcmd.ViaFunction {
			return false
		}
		c = &j.line.Commands[c.Parent]
	}
	return false
}

func power(_ *judge, c *shellcmd.Command) (match, bool) {
	if c.Has(shellcmd.Remote) && c.Wrapper("ssh") == nil {
		return match{}, false
	}
	args := c.Args()
	hit := match{what: "stops the machine"}
	switch c.Program {
	case "shutdown":
		for i := range args {
			if t := args[i].Text; t == "-c" || t == "/a" || t == "--help" || t == "--show" || t == "-k" {
				return match{}, false
			}
		}
		return hit, true
	case "reboot", "halt", "poweroff", "stop-computer", "restart-computer":
		return hit, !helpOnly((&grammar{}).parse(args))
	case "init", "telinit":
		return hit, len(args) == 1 && (args[0].Text == "0" || args[0].Text == "6" || args[0].Text == "1")
	case "systemctl", "loginctl":
		for i := range args {
			switch args[i].Text {
			case "poweroff", "reboot", "halt", "kexec", "suspend", "hibernate", "rescue", "emergency", "soft-reboot":
				return hit, true
			}
			if !strings.HasPrefix(args[i].Text, "-") {
				break
			}
		}
	}
	return match{}, false
}

func killAll(_ *judge, c *shellcmd.Command) (match, bool) {
	args := c.Args()
	hit := match{what: "kills every process it may"}
	switch c.Program {
	case "kill":
		signal := false
		for i := range args {
			t := args[i].Text
			switch {
			case t == "--":
			case t == "-l" || t == "-L" || t == "--list":
				return match{}, false
			case (t == "-s" || t == "-n" || t == "--signal") && i+1 < len(args):
				signal = true
			case i > 0 && (args[i-1].Text == "-s" || args[i-1].Text == "-n" || args[i-1].Text == "--signal"):
			case t == "-1" && (signal || i > 0):
				return hit, true
			case t == "1" && i > 0:
				return match{what: "kills the first process of the machine"}, true
			case strings.HasPrefix(t, "-"):
				signal = true
			}
		}
	case "killall5":
		return hit, true
	case "pkill", "killall", "slay":
		for i := range args {
			if t := args[i].Text; (t == "-u" || t == "-U" || t == "--user" || t == "--euid" || t == "--uid") && i+1 < len(args) && len(operands((&grammar{short: "uUgGPst", long: []string{"--user", "--signal"}}).parse(args))) == 0 {
				return hit, true
			}
			if t := args[i].Text; c.Program == "pkill" && (t == "." || t == ".*" || t == "") {
				return hit, true
			}
		}
	}
	return match{}, false
}

func crontab(_ *judge, c *shellcmd.Command) (match, bool) {
	if c.Program != "crontab" {
		return match{}, false
	}
	for _, a := range (&grammar{short: "u"}).parse(c.Args()) {
		if a.flag == "-r" {
			return match{what: "removes every scheduled job"}, true
		}
	}
	return match{}, false
}

func firewall(_ *judge, c *shellcmd.Command) (match, bool) {
	args := c.Args()
	t := func(i int) string {
		if i < len(args) {
			return strings.ToLower(args[i].Text)
		}
		return ""
	}
	hit := match{what: "opens the firewall"}
	switch c.Program {
	case "iptables", "ip6tables":
		for i := range args {
			switch a := args[i].Text; {
			case a == "-F", a == "--flush", a == "-X" && len(args) == 1:
				return hit, true
			case (a == "-P" || a == "--policy") && i+2 < len(args) && args[i+2].Text == "ACCEPT":
				return hit, true
			}
		}
	case "nft":
		return hit, t(0) == "flush" && t(1) == "ruleset"
	case "ufw":
		return hit, t(0) == "disable" || t(0) == "reset" || t(0) == "--force" && (t(1) == "disable" || t(1) == "reset")
	case "pfctl":
		return hit, has((&grammar{}).parse(args), "-d") || t(0) == "-F"
	case "systemctl", "service":
		stop, fw := false, false
		for i := range args {
			switch t(i) {
			case "stop", "disable", "mask":
				stop = true
			case "firewalld", "firewalld.service", "ufw", "ufw.service", "nftables", "nftables.service", "iptables", "iptables.service":
				fw = true
			}
		}
		return hit, stop && fw
	case "netsh":
		all := strings.ToLower(strings.Join(texts(args), " "))
		return hit, strings.Contains(all, "firewall") && strings.Contains(all, "state off")
	case "set-netfirewallprofile":
		all := strings.ToLower(strings.Join(texts(args), " "))
		return hit, strings.Contains(all, "-enabled false")
	case "setenforce":
		return match{what: "switches SELinux off"}, t(0) == "0" || t(0) == "permissive"
	}
	return match{}, false
}

func guardService(_ *judge, c *shellcmd.Command) (match, bool) {
	args := c.Args()
	hit := match{what: "stops a guarding service"}
	switch c.Program {
	case "systemctl", "service", "launchctl", "sc", "net", "stop-service", "set-service", "rc-service", "update-rc.d":
		stop, svc := strings.HasPrefix(c.Program, "stop-"), false
		for i := range args {
			t := strings.ToLower(strings.TrimSuffix(args[i].Text, ".service"))
			switch t {
			case "stop", "disable", "mask", "kill", "delete", "unload", "bootout", "remove":
				stop = true
			case "auditd", "rsyslog", "syslog", "systemd-journald", "apparmor", "selinux", "fail2ban", "falcon-sensor", "clamav-daemon", "clamd",
				"osqueryd", "wazuh-agent", "crowdsec", "sentinelone", "mdatp", "windefend", "aide", "tripwire", "ossec":
				svc = true
			}
		}
		return hit, stop && svc
	case "auditctl":
		for i := range args {
			if args[i].Text == "-D" || args[i].Text == "-e" && i+1 < len(args) && args[i+1].Text == "0" {
				return hit, true
			}
		}
	case "set-mppreference":
		for i := range args {
			if strings.HasPrefix(strings.ToLower(args[i].Text), "-disable") {
				return hit, true
			}
		}
	case "aa-teardown", "aa-disable":
		return hit, true
	case "csrutil", "spctl":
		for i := range args {
			if t := args[i].Text; t == "disable" || t == "--master-disable" || t == "--global-disable" {
				return hit, true
			}
		}
	}
	return match{}, false
}

// forgeCall returns noun and verb of a forge's command line program.
func forgeCall(c *shellcmd.Command) (noun, verb string) {
	if c.Program != "gh" && c.Program != "glab" {
		return "", ""
	}
	as := (&grammar{short: "R", long: []string{"--repo"}}).parse(c.Args())
	ops := operands(as)
	if len(ops) < 2 || helpOnly(as) {
		return "", ""
	}
	return ops[0].Text, ops[1].Text
}

func forgeDelete(_ *judge, c *shellcmd.Command) (match, bool) {
	noun, verb := forgeCall(c)
	hit := false
	switch noun {
	case "issue":
		hit = verb == "delete" || verb == "transfer"
	case "release":
		hit = verb == "delete" || verb == "delete-asset"
	case "repo":
		hit = verb == "delete" || verb == "archive" || verb == "rename"
	case "secret", "variable":
		hit = verb == "delete" || verb == "remove"
	case "ssh-key", "gpg-key", "gist", "ruleset":
		hit = verb == "delete"
	}
	return match{what: "deletes or moves a " + noun + " for everybody"}, hit
}

// endless reports whether the loop around c has no end of its own and nothing
// in it waits for the jobs that it starts.
func (j *judge) endless(c *shellcmd.Command) bool {
	src := j.line.Source
	if c.Pos < 0 || c.Pos > len(src) {
		return false
	}
	if j.words == nil {
		j.words = shellWords(src)
	}
	return endlessLoop(j.words, c.Pos)
}
