package shellcmd

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// peeled is a command on its way out of its wrappers.
type peeled struct {
	words    []Word
	assigns  []Assign
	wrappers []Wrapper
	flags    Flags
	dir      string
	chdir    bool
	cleared  bool // env -i: nothing exported before reaches it
}

// grammar is how a program's own arguments end and another command begins.
type grammar struct {
	sub      string // subcommands, one of which must come first
	short    string // one-letter options with a value, in the same or next word
	long     string // long options with a value in the next word, blank-separated
	none     string // options (as written, blank-separated) with which it runs no command
	operands int    // arguments of its own before the command
	assigns  bool   // NAME=value may come before the command
	dashes   bool   // the command comes after --, if there is one
	flags    Flags
}

// prefix is the grammar of programs that only set the circumstances of the
// command after them: user, environment, priority, limits, terminal, tracing.
func prefix(name string) (grammar, bool) {
	switch name {
	case "sudo":
		return grammar{
			short: "CDghpRrtTuUa", long: "close-from chdir group host prompt chroot role type command-timeout user other-user auth-type",
			none: "-l -ll -v -V -K -e --list --validate --edit --version --remove-timestamp", assigns: true,
		}, true
	case "doas":
		return grammar{short: "Cua", none: "-L"}, true
	case "sudo-rs", "please":
		return grammar{short: "uDgp", assigns: true}, true
	case "env", "genv":
		return grammar{short: "uSCPLU", long: "unset chdir split-string", assigns: true}, true
	case "command":
		return grammar{none: "-v -V -pv -pV -vp"}, true
	case "builtin", "nohup", "setsid", "noglob", "nocorrect", "torsocks", "torify", "unbuffer", "catchsegv", "eatmydata", "nocache",
		"winpty", "linux32", "linux64", "i386", "x86_64", "uname26", "ccache", "sccache", "distcc", "tini", "dumb-init", "valgrind",
		"firejail", "corepack", "tsocks", "usrbin", "-", "wsrun", "gamemoderun", "mangohud", "prime-run", "sem-run", "chronic", "errno-run":
		return grammar{}, true
	case "cross-env", "cross-env-shell":
		return grammar{assigns: true}, true
	case "cgexec":
		return grammar{short: "g"}, true
	case "runcon":
		return grammar{short: "turl", long: "type user role range", operands: 1}, true
	case "trickle":
		return grammar{short: "udwtlns"}, true
	case "bubblewrap-run", "flatpak-run", "pw-jack", "dbus-x", "ts", "softlimit", "envdir":
		return grammar{operands: boolInt(name == "envdir")}, name != "ts"
	case "guix":
		return grammar{sub: "shell environment time-machine", short: "eflLmSE", dashes: true}, true
	case "exec":
		return grammar{short: "a"}, true
	case "nice", "gnice":
		return grammar{short: "n", long: "adjustment"}, true
	case "ionice":
		return grammar{short: "cnpPu", long: "class classdata pid pgid uid", none: "-p --pid"}, true
	case "chrt":
		return grammar{short: "TPD", long: "sched-runtime sched-period sched-deadline", none: "-p --pid -m --max", operands: 1}, true
	case "taskset":
		return grammar{none: "-p --pid", operands: 1}, true
	case "stdbuf", "gstdbuf":
		return grammar{short: "ioe", long: "input output error"}, true
	case "timeout", "gtimeout":
		return grammar{short: "ks", long: "kill-after signal", operands: 1}, true
	case "time", "gtime":
		return grammar{short: "fo", long: "format output"}, true
	case "ltrace":
		return grammar{short: "aADeFlnopsuwxX", long: "align config demangle library output where", none: "-p"}, true
	case "strace":
		return grammar{short: "abeEIoOpPsSuUX", long: "attach output user trace signal", none: "-p"}, true
	case "unshare":
		return grammar{short: "RwSGl", long: "root wd setuid setgid map-user map-group map-users map-groups propagation setgroups"}, true
	case "setpriv":
		return grammar{long: "reuid regid groups inh-caps ambient-caps bounding-set securebits pdeathsig selinux-label apparmor-profile reset-env"}, true
	case "prlimit":
		return grammar{short: "p", none: "-p --pid"}, true
	case "choom":
		return grammar{short: "np", long: "adjust pid", none: "-p"}, true
	case "systemd-run":
		return grammar{short: "pEHMu", long: "property setenv host machine unit description slice uid gid nice working-directory on-active on-boot on-calendar timer-property service-type path-property"}, true
	case "systemd-inhibit":
		return grammar{long: "what who why mode", none: "--list"}, true
	case "systemd-cat":
		return grammar{short: "tp", long: "identifier priority"}, true
	case "dbus-run-session":
		return grammar{long: "config-file dbus-daemon"}, true
	case "dbus-launch":
		return grammar{long: "config-file"}, true
	case "proot":
		return grammar{short: "rbwqkiSRvm"}, true
	case "fakeroot", "fakechroot":
		return grammar{short: "lfisb", long: "lib faked save-file"}, true
	case "xvfb-run":
		return grammar{short: "efnspw", long: "error-file auth-file server-num server-args xauth-protocol wait"}, true
	case "rlwrap":
		return grammar{short: "bcCDfgHlmMopPqsStzO"}, true
	case "proxychains", "proxychains4":
		return grammar{short: "f"}, true
	case "numactl":
		return grammar{short: "mNCpiPlw", long: "membind cpunodebind physcpubind interleave preferred"}, true
	case "cpulimit":
		return grammar{short: "lpe", long: "limit pid exe", none: "-p -e"}, true
	case "caffeinate":
		return grammar{short: "tw"}, true
	case "arch", "setarch":
		g := grammar{short: "e"}
		if name == "setarch" {
			g.operands = 1
		}
		return g, true
	case "pkexec":
		return grammar{long: "user"}, true
	case "gosu", "su-exec", "setuidgid", "s6-setuidgid", "chpst":
		return grammar{short: "ueU/nlL", operands: boolInt(name != "chpst")}, true
	case "gdb", "lldb", "rr":
		return grammar{}, false
	case "chroot":
		return grammar{long: "userspec groups", operands: 1, flags: Remote}, true
	case "nsenter":
		return grammar{short: "tSGW", long: "target setuid setgid wdns", flags: Remote}, true
	case "mise", "rtx":
		return grammar{sub: "exec x", short: "Cj", long: "cd jobs", dashes: true}, true
	case "asdf", "rbenv", "pyenv", "nodenv", "goenv", "jenv":
		return grammar{sub: "exec"}, true
	case "direnv", "fnm", "nvm":
		g := grammar{sub: "exec", long: "using"}
		if name != "fnm" {
			g.operands = 1
		}
		return g, true
	case "volta":
		return grammar{sub: "run", long: "node npm pnpm yarn"}, true
	case "op":
		return grammar{sub: "run", long: "env-file account session", dashes: true}, true
	case "doppler", "infisical":
		return grammar{sub: "run", short: "pct", long: "project config token scope env path command tags", dashes: true}, true
	case "chamber", "aws-vault":
		return grammar{sub: "exec", short: "dt", long: "duration region mfa-token", operands: 1, dashes: true}, true
	case "dotenv", "dotenvx", "dotenv-cli":
		return grammar{short: "fevqpcn", long: "file env-file env env-keys-file convention", dashes: true}, true
	case "with-env", "envchain", "env-cmd":
		return grammar{short: "fer", operands: boolInt(name == "envchain"), dashes: true}, true
	case "rtk":
		return grammar{}, true
	case "busybox", "toybox":
		return grammar{none: "--list --list-full --help --install"}, true
	case "doit", "retry":
		return grammar{}, false
	}
	if strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl") || strings.HasPrefix(name, "ld.so") {
		return grammar{long: "library-path preload argv0 audit inhibit-rpath", none: "--list --verify --help --version"}, true
	}
	return grammar{}, false
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// has reports whether a blank-separated list holds s.
func has(list, s string) bool {
	for list != "" {
		var w string
		w, list, _ = strings.Cut(list, " ")
		if w == s {
			return true
		}
	}
	return false
}

// opts walks the options from words[i] on and returns where they end. each is
// called with an option as written without its value, and the value if it has
// one. stop is set when each returns false.
func opts(words []Word, i int, short, long string, each func(name string, val *Word) bool) (end int, stopped bool) {
	for i < len(words) {
		t := words[i].Text
		if len(t) < 2 || t[0] != '-' || strings.HasPrefix(t, "-"+Unknown) && len(t) == 2 {
			return i, false
		}
		if t == "--" {
			return i + 1, false
		}
		if t[1] == '-' {
			name, val, eq := strings.Cut(t, "=")
			switch {
			case eq:
				w := words[i]
				w.Text = val
				if !each(name, &w) {
					return i, true
				}
				i++
			case has(long, name[2:]) && i+1 < len(words):
				if !each(name, &words[i+1]) {
					return i, true
				}
				i += 2
			default:
				if !each(name, nil) {
					return i, true
				}
				i++
			}
			continue
		}
		n := 1
		for j := 1; j < len(t); j++ {
			name := "-" + t[j:j+1]
			if strings.IndexByte(short, t[j]) < 0 {
				if !each(name, nil) {
					return i, true
				}
				continue
			}
			if j+1 < len(t) {
				w := words[i]
				w.Text = t[j+1:]
				if !each(name, &w) {
					return i, true
				}
			} else if i+1 < len(words) {
				n = 2
				if !each(name, &words[i+1]) {
					return i, true
				}
			}
			break
		}
		i += n
	}
	return i, false
}

// command finds where the wrapped command starts in words; ok is false when
// the program runs none. opt sees the program's options.
func (g *grammar) command(words []Word, opt func(name string, val *Word) bool) (start int, ok bool) {
	i := 1
	none := false
	each := func(name string, val *Word) bool {
		if g.none != "" && has(g.none, name) {
			none = true
		}
		return opt == nil || opt(name, val)
	}
	if g.none != "" && len(words) > 1 && has(g.none, words[1].Text) {
		return 0, false
	}
	if g.sub != "" {
		var stop bool
		if i, stop = opts(words, i, g.short, g.long, each); stop || i >= len(words) || !has(g.sub, words[i].Text) {
			return 0, false
		}
		i++
	}
	if g.dashes {
		for j := i; j < len(words); j++ {
			if words[j].Text == "--" {
				opts(words[:j], i, g.short, g.long, each)
				return j + 1, !none && j+1 < len(words)
			}
		}
	}
	var stop bool
	if i, stop = opts(words, i, g.short, g.long, each); stop || none {
		return i, false
	}
	for n := g.operands; n > 0 && i < len(words); n-- {
		i++
		// options may follow the operands of a few, and -- too
		if i < len(words) && words[i].Text == "--" {
			i++
		}
	}
	return i, i < len(words)
}

// peel takes wrappers off p until a command is left.
func (r *reader) peel(p *peeled) {
	for range 64 {
		w := &p.words[0]
		name := programOf(w)
		if name == "" {
			return
		}
		g, ok := prefix(name)
		if !ok {
			return
		}
		var split *Word
		dir, chdir := p.dir, false
		var assigns []Assign
		start, ok := g.command(p.words, func(opt string, val *Word) bool {
			switch {
			case name == "env" && (opt == "-i" || opt == "--ignore-environment"):
				p.cleared = true
			case name == "env" && (opt == "-S" || opt == "--split-string") && val != nil:
				split = val
			case val != nil && (name == "env" && (opt == "-C" || opt == "--chdir") || name == "sudo" && (opt == "-D" || opt == "--chdir") ||
				name == "systemd-run" && opt == "--working-directory"):
				chdir = true
				dir = ""
				if val.Static {
					dir = joinPath(p.dir, val.Text)
				}
			}
			return true
		})
		words := p.words
		if split != nil {
			// env -S 'a b' c: the string becomes words in front of the rest
			list := looseWords(&source{body: split.Text, pos: split.Pos, end: split.End}, 0, len(split.Text))
			for i := range list {
				list[i].Static = split.Static
				list[i].Vars = split.Vars
			}
			head := words[:1:1]
			if start > len(words) {
				start = len(words)
			}
			words = append(append(head, list...), words[start:]...)
			start, ok = 1, len(words) > 1
		}
		if g.assigns {
			for ok && start < len(words) {
				n, v, eq := strings.Cut(words[start].Text, "=")
				if !eq || !syntax.ValidName(n) {
					break
				}
				val := words[start]
				val.Text = v
				val.Or = nil
				for _, o := range words[start].Or {
					if _, v, ok := strings.Cut(o, "="); ok {
						val.Or = append(val.Or, v)
					}
				}
				assigns = append(assigns, Assign{Name: n, Value: val})
				start++
			}
			ok = start < len(words)
		}
		if ok && (name == "dotenv" || name == "dotenvx" || name == "dotenv-cli") && words[start].Text == "run" {
			start++
			ok = start < len(words)
		}
		if ok && name == "rtk" && (words[start].Text == "proxy" || words[start].Text == "run") {
			start++
			ok = start < len(words)
		}
		if !ok {
			return
		}
		p.wrappers = append(p.wrappers, Wrapper{Name: name, Argv: words[:start:start]})
		p.assigns = append(p.assigns, assigns...)
		p.words = words[start:]
		p.flags |= g.flags
		if chdir {
			p.dir, p.chdir = dir, true
		}
		if g.flags&Remote != 0 {
			p.dir, p.chdir = "", true
		}
	}
}

// runner is the grammar of programs that run a command as a child and whose
// own call matters too: they fetch it, repeat it, or run it elsewhere.
func runner(name string) (grammar, bool) {
	switch name {
	case "npx", "pnpx", "bunx":
		return grammar{short: "pc", long: "package call"}, true
	case "npm":
		return grammar{sub: "exec x", short: "pcwC", long: "package call workspace prefix", dashes: true}, true
	case "pnpm":
		return grammar{sub: "exec dlx", short: "CFp", long: "dir filter package"}, true
	case "yarn":
		return grammar{sub: "exec dlx", short: "p", long: "cwd package"}, true
	case "bun":
		return grammar{sub: "x", long: "cwd package"}, true
	case "uvx":
		return grammar{short: "pwcni", long: uvLong}, true
	case "uv":
		return grammar{sub: "run", short: "pwcniP", long: uvLong}, true
	case "pipx":
		return grammar{sub: "run", long: "spec python pip-args index-url"}, true
	case "poetry", "pipenv", "pdm", "rye", "hatch", "pixi":
		return grammar{sub: "run", short: "CPpe", long: "directory project python env environment manifest-path"}, true
	case "conda", "mamba", "micromamba":
		return grammar{sub: "run", short: "np", long: "name prefix cwd"}, true
	case "bundle", "bundler":
		return grammar{sub: "exec"}, true
	case "rvm":
		return grammar{sub: "do", operands: 0}, true
	case "devbox":
		return grammar{sub: "run", short: "ce", long: "config env env-file environment"}, true
	case "nix":
		return grammar{}, false
	case "docker", "podman", "nerdctl":
		return grammar{sub: "exec run", short: "Hceuwlpvmh", long: dockerLong, operands: 1, flags: Remote}, true
	case "docker-compose", "podman-compose":
		return grammar{sub: "exec run", short: "feuwpv", long: dockerLong, operands: 1, flags: Remote}, true
	case "kubectl", "oc", "k3s":
		return grammar{sub: "exec run debug", short: "ncfs", long: "namespace container filename context kubeconfig cluster user server pod-running-timeout as token image restart overrides labels env port", operands: 1, dashes: true, flags: Remote}, true
	case "adb":
		return grammar{sub: "shell", short: "sHPt", flags: Remote}, true
	case "devcontainer":
		return grammar{sub: "exec", long: "workspace-folder container-id id-label config override-config docker-path docker-compose-path remote-env default-user-env-probe user-data-folder", flags: Remote}, true
	case "lxc", "incus":
		return grammar{sub: "exec", long: "env user group cwd project mode", operands: 1, dashes: true, flags: Remote}, true
	case "lxc-attach", "machinectl":
		return grammar{short: "nvM", long: "name set-var machine", dashes: true, flags: Remote}, true
	case "multipass":
		return grammar{sub: "exec", short: "d", long: "working-directory", operands: 1, dashes: true, flags: Remote}, true
	case "limactl":
		return grammar{sub: "shell", long: "workdir shell", operands: 1, flags: Remote}, true
	case "lima", "colima":
		return grammar{flags: Remote, dashes: true}, name == "lima"
	case "heroku", "flyctl", "fly":
		return grammar{sub: "run", short: "ae", long: "app env size type", flags: Remote}, name == "heroku"
	case "distrobox", "toolbox":
		return grammar{sub: "enter run", short: "nc", long: "name container", dashes: true}, true
	case "flatpak-spawn":
		return grammar{}, true
	case "bwrap":
		return grammar{}, false
	case "entr":
		return grammar{}, true
	case "hub", "gh":
		return grammar{}, false
	}
	return grammar{}, false
}

const uvLong = "with with-editable with-requirements python extra group only-group no-group no-extra project directory env-file package index default-index index-url extra-index-url find-links module from constraint overrides upgrade-package refresh-package config-file cache-dir link-mode resolution prerelease exclude-newer index-strategy keyring-provider config-setting no-build-package no-binary-package python-platform color"

const dockerLong = "context config host log-level env env-file user workdir detach-keys name volume mount network publish entrypoint label label-file hostname add-host cap-add cap-drop cpus cpu-shares cpuset-cpus device dns gpus ipc memory memory-swap pid platform pull restart runtime security-opt shm-size tmpfs ulimit userns volumes-from file project-name profile project-directory index stop-signal stop-timeout link ip expose group-add health-cmd cidfile log-driver log-opt"
