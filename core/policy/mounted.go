package policy

import (
	"strings"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// onHost returns what a path in a container is on this machine, where a folder
// of this machine is mounted there: docker run -v ~:/h … rm -rf /h.
func (j *judge) onHost(c *shellcmd.Command, v string) (string, bool) {
	if j.line == nil {
		return "", false
	}
	for p := c.Parent; p >= 0 && p < len(j.line.Commands); p = j.line.Commands[p].Parent {
		d := &j.line.Commands[p]
		switch d.Program {
		case "docker", "podman", "nerdctl":
			return j.mountOf(d, c, v)
		}
	}
	return "", false
}

func (j *judge) mountOf(d, in *shellcmd.Command, v string) (string, bool) {
	args := d.Args()
	work := ""
	var mounts [][2]string // folder here, path there
	add := func(from, to string) {
		if from == "" || to == "" {
			return
		}
		if from[0] != '/' && from[0] != '~' && from[0] != '.' && !winAbs(from) {
			return // a volume's name
		}
		if p, ok := j.abs(d.Dir, from); ok {
			mounts = append(mounts, [2]string{p, tidy(to)})
		}
	}
	for i := range args {
		name, val, has := strings.Cut(args[i].Text, "=")
		if !has && i+1 < len(args) {
			val = args[i+1].Text
		}
		switch name {
		case "-v", "--volume":
			from, to, opts := cutVolume(val)
			if !strings.Contains(","+opts+",", ",ro,") {
				add(from, to)
			}
		case "--mount":
			var from, to string
			ro := false
			for f := range strings.SplitSeq(val, ",") {
				k, x, _ := strings.Cut(f, "=")
				switch k {
				case "source", "src":
					from = x
				case "target", "dst", "destination":
					to = x
				case "readonly", "ro":
					ro = x != "false"
				}
			}
			if !ro {
				add(from, to)
			}
		case "-w", "--workdir":
			work = val
		}
	}
	if len(mounts) == 0 {
		return "", false
	}
	if !strings.HasPrefix(v, "/") {
		if in.Dir != "" {
			work = in.Dir
		}
		if work == "" {
			return "", false
		}
		v = strings.TrimSuffix(work, "/") + "/" + v
	}
	base, pattern := splitGlob(v)
	base = tidy(base)
	for _, m := range mounts {
		if !j.within(m[1], base) {
			continue
		}
		host := strings.TrimSuffix(m[0], "/") + base[len(strings.TrimSuffix(m[1], "/")):]
		return strings.TrimSuffix(host, "/") + "/" + pattern, true
	}
	return "", false
}

// cutVolume splits docker's FROM:TO[:OPTIONS].
func cutVolume(v string) (from, to, opts string) {
	drive := ""
	if winAbs(v) {
		drive, v = v[:2], v[2:]
	}
	from, rest, _ := strings.Cut(v, ":")
	to, opts, _ = strings.Cut(rest, ":")
	return drive + from, to, opts
}
