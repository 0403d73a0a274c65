package policy

import (
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

var filesystemRules = [...]Rule{
	{
		ID: "filesystem/delete-root", Verdict: hook.Deny,
		Doc:     "Recursive delete of the file system's root or of a whole drive.",
		Why:     "it would wipe the machine",
		Instead: "name the folder inside the project that should go, e.g. `rm -rf ./build`",
		Fire: []string{
			"rm -rf /", "rm -rf /*", "sudo rm -fr --no-preserve-root /", "find / -name core -delete", `r''m -r -f "/"`,
			"bash -c 'rm -rf /'", "echo / | xargs rm -rf", `python3 -c "import shutil; shutil.rmtree('/')"`, `cmd /c rd /s /q C:\`,
		},
		Pass:   []string{"rm -rf ./build", "echo 'rm -rf /'", `git commit -m "rm -rf / is gone"`, "rm -rf /tmp/scratch"},
		danger: rootTarget, check: deletes,
	},
	{
		ID: "filesystem/delete-home", Verdict: hook.Deny,
		Doc:     "Recursive delete of a home folder, of all that is in one, or of what holds it.",
		Why:     "a home folder cannot be brought back",
		Instead: "name the folder inside the project that should go, e.g. `rm -rf ./build`",
		Fire:    []string{"rm -rf ~", `r''m -r -f -- "$HOME"/`, "bash -c 'cd ~ && rm -rf .'", "find ~ -delete", "rm -rf ~/*", "rm -rf /home/user", "rm -rf /home", `$SHELL -c 'rm -rf ~'`, `"${CONFIG_SHELL}" -ec 'rm -rf ~'`},
		Pass:    []string{"echo 'rm -rf ~'", "git commit -m 'rm -rf ~'", "ls ~", "rm -rf ./home"},
		danger:  homeTarget, check: deletes,
	},
	{
		ID: "filesystem/delete-project", Verdict: hook.Deny,
		Doc:     "Recursive delete of the project root, of everything in it, or of what holds it.",
		Why:     "it would take the whole project with all uncommitted work",
		Instead: "name what should go, e.g. `rm -rf node_modules dist`, or list it first with `git clean -nd`",
		Fire:    []string{"rm -rf .", "rm -rf *", "rm -rf ./*", "rm -rf ../project", "find . -delete", "rm -rf .*"},
		Pass:    []string{"rm -rf node_modules dist .next", "rm -rf build/*", "rm -rf ./build/*", "rm *.log", "find . -name '*.pyc' -delete"},
		danger:  projectTarget, check: deletes,
	},
	{
		ID: "filesystem/delete-git", Verdict: hook.Deny,
		Doc:     "Delete of the project's whole .git folder, or of all its objects or refs.",
		Why:     "every commit that was not pushed, every stash and every branch would be gone",
		Instead: "leave .git alone; a stale lock is removed with `rm .git/index.lock`",
		Fire:    []string{"rm -rf .git", "rm -rf ./.git/", "rm -rf .git/*", "cd sub && rm -rf ../.git", "rm -rf .git/objects", "find . -name .git -exec rm -rf {} +"},
		Pass:    []string{"rm -rf .git/index", "rm .git/index.lock", "rm -rf .github/workflows/old"},
		danger:  gitTarget, check: deletes,
	},
	{
		ID: "filesystem/delete-nested-git", Verdict: hook.Ask,
		Doc:     "Delete of the .git folder of another repository inside the project, but for one that the same line cloned.",
		Why:     "commits of that repository that were not pushed would be gone",
		Instead: "look first, e.g. `git -C vendor/lib log --branches --not --remotes`",
		Fire:    []string{"rm -rf vendor/lib/.git", "rm -rf packages/app/.git/"},
		Pass:    []string{"git clone https://x.example/a vendor/a && rm -rf vendor/a/.git", "rm -rf vendor/lib/.github", "rm -f vendor/lib/.gitignore"},
		danger:  nestedTarget, check: deletes,
	},
	{
		ID: "filesystem/delete-git-part", Verdict: hook.Ask,
		Doc:     "Recursive delete of history inside .git: single objects and refs, the reflog, submodules' repositories.",
		Why:     "git cannot make it again",
		Instead: "let git tidy up: `git gc`, `git worktree prune`, `git remote prune origin`",
		Fire:    []string{"rm -rf .git/logs", "rm -rf .git/objects/aa", "rm -rf .git/modules/lib", "rm -rf .git/worktrees"},
		Pass:    []string{"rm -rf .git/rebase-merge", "rm -f .git/index.lock", "find .git -name '*.lock' -delete", "rm -rf .git/index"},
		danger:  gitPartTarget, check: deletes,
	},
	{
		ID: "filesystem/delete-cache", Verdict: hook.Ask,
		Doc:     "Recursive delete of a tool's cache below the home.",
		Why:     "other projects use it, and it takes long to fill again",
		Instead: "let the tool do it: `npm cache verify`, `pip cache purge`, `go clean -testcache`",
		Fire:    []string{"rm -rf ~/.cache/pip", "rm -rf ~/.npm/_cacache", "rm -rf ~/go/pkg/mod"},
		Pass:    []string{"rm -rf .cache/pip", "npm cache verify"},
		danger:  cacheTarget, check: deletes,
	},
	{
		ID: "filesystem/delete-unguarded", Verdict: hook.Deny,
		Doc:     "Recursive delete of a variable followed by / or /*, which is the root when the variable is empty.",
		Why:     "with the variable empty or unset this is / itself",
		Instead: "write the path out, e.g. `rm -rf ./build`",
		Fire:    []string{`rm -rf "$DIR/"`, `rm -rf $BUILD/*`, `rm -rf "${OUT}"/*`},
		Pass:    []string{`BUILD=out; rm -rf "$BUILD"/*`, `rm -rf "$TMPDIR/build"`},
		danger:  unguardedTarget, check: deletes,
	},
	{
		ID: "filesystem/delete-outside", Verdict: hook.Deny,
		Doc:     "Recursive delete outside the project and the temporary folders.",
		Why:     "what lies outside the project is not this task's to delete, and nothing brings it back",
		Instead: "delete only inside the project or a temporary folder, e.g. `rm -rf ./build`",
		Fire: []string{
			"rm -rf /etc", "rm -rf ../other", "cd sub && rm -rf ../../other", "rm --verbose -r -f /usr", "FOO=1 rm -rf /opt/app",
			"rm -rf /tmp/../etc", "rm -rf ~/.config", "rsync -a --delete-before host:src/ /etc",
		},
		Pass:   []string{"rm -rf /tmp/build", "rm -rf /var/tmp/x", "rm -rf sub/gen", "rsync -an --delete src/ /", "rm -f /opt/app/one.log"},
		danger: outsideTarget, check: deletes,
	},
	{
		ID: "filesystem/delete-through-link", Verdict: hook.Deny,
		Doc:     "Recursive delete through a symbolic link that leads out of the project.",
		Why:     "the path lies in the project but the files behind the link do not",
		Instead: "remove the link itself, without a slash behind its name: `rm link-out`",
		Fire:    []string{"rm -rf link-out/", "rm -rf link-out/*", "rm -rf link-out/deep"},
		Pass:    []string{"rm link-out", "rm -rf link-in/*"},
		danger:  throughLink, check: deletes,
	},
	{
		ID: "filesystem/delete-temp", Verdict: hook.Ask,
		Doc:     "Recursive delete of a whole temporary folder.",
		Why:     "other programs keep their live files there",
		Instead: "delete your own folder in it, e.g. `rm -rf /tmp/build-1`",
		Fire:    []string{"rm -rf /var/tmp", "rm -rf /var/tmp/*"},
		Pass:    []string{"rm -rf /var/tmp/build-1"},
		danger:  tempTarget, check: deletes,
	},
	{
		ID: "filesystem/delete-unknown", Verdict: hook.Ask,
		Doc:     "Recursive delete of a target that is known only when the command runs.",
		Why:     "nobody can say beforehand what it deletes",
		Instead: "write the path out, e.g. `rm -rf ./build`, or list the targets first",
		Fire:    []string{`rm -rf "$DIR"`, "git ls-files -z | xargs -0 rm -rf", `rm -rf "$(cat list)"`, "rm -rf '~'"},
		Pass:    []string{`d=$(mktemp -d); rm -rf "$d"`, `D=build; rm -rf "$D"`, `rm -rf "build/$NAME"`},
		danger:  unknownTarget, check: deletes,
	},
	{
		ID: "filesystem/delete-remote", Verdict: hook.Ask,
		Doc:     "Recursive delete on another machine or in a container.",
		Why:     "what lies there cannot be seen from here",
		Instead: "list it first, e.g. `ssh host ls /srv/app`",
		Fire:    []string{"ssh host 'rm -rf /srv/app/releases'"},
		Pass:    []string{"ssh host ls /srv/app", "ssh host 'rm -rf /tmp/build'"},
		danger:  remoteTarget, check: deletes,
	},
	{
		ID: "filesystem/system-file", Verdict: hook.Ask,
		Doc:     "Delete of a file of the operating system.",
		Why:     "the machine may not start or log in without it",
		Instead: "leave it, or move your own file out of the project's way",
		Fire:    []string{"rm /etc/passwd", "sudo unlink /etc/hosts", `python3 -c "import os; os.remove('/etc/passwd')"`},
		Pass:    []string{"rm notes.txt", "rm /tmp/x.txt"},
		danger:  systemFile, check: deletes,
	},
	{
		ID: "filesystem/dynamic-program", Verdict: hook.Ask,
		Doc:     "A program whose name is known only at run time, with the flags and targets of a recursive delete.",
		Why:     "if the name turns out to be rm, this is a recursive delete",
		Instead: "write the program's name out",
		Fire:    []string{`"$TOOL" -rf /`, `"${TOOL%x}" -rf /etc`, `$SUDO rm -rf /etc`},
		Pass:    []string{`"$TOOL" --version`, `"$EDITOR" notes.txt`, `TOOL=echo; "$TOOL" -rf /`},
		check:   dynamicProgram,
	},
	{
		ID: "filesystem/device", Verdict: hook.Deny,
		Doc:     "Formatting, wiping or overwriting a device: mkfs, dd, wipefs, blkdiscard, redirects onto a block device.",
		Why:     "all that is on the device would be lost",
		Instead: "look at it first with `lsblk -f`; work on an image file in the project",
		Fire: []string{
			"mkfs.ext4 /dev/sda", "mkfs.ext4 -L lsblk /dev/sdb1", "dd if=/dev/zero of=/dev/sda", "wipefs -a /dev/sdb -o /tmp/x.bak",
			"cat image > /dev/sda", "shred /dev/sda", "blkdiscard /dev/nvme0n1", "cp image.iso /dev/disk2", "printf b | tee /proc/sysrq-trigger",
			"dd if=/dev/zero of=/dev/sd?", "diskutil eraseDisk JHFS+ X disk2", "Write(/dev/sda)",
		},
		Pass: []string{
			"dd if=/dev/zero of=/dev/null bs=1M count=1", "lsblk -f", "df -h /", "wipefs /dev/sda", "mkfs.ext4 -n /dev/sda",
			"mkfs.ext4 disk.img", "dd if=a of=b", "echo x > /dev/null", "badblocks -n /dev/sda",
		},
		check: device,
	},
	{
		ID: "filesystem/volume", Verdict: hook.Deny,
		Doc:     "Removing logical volumes, pools, partitions or device mappings.",
		Why:     "the data on it would be lost",
		Instead: "list them first, e.g. `lvs` or `zpool status`",
		Fire: []string{
			"lvremove vg/data", "vgremove archive", "zpool destroy tank", "dmsetup remove mydev --table /tmp/lsblk", "pvremove /dev/sda", "lvm vgremove archive", "tmutil delete /Volumes/b/2025-01-01",
			"printf 'select disk 0\\nclean\\n' | diskpart", "diskpart /s wipe.txt", "diskpart <<E\nselect disk 1\nformat fs=ntfs quick\nE",
		},
		Pass: []string{
			"lvremove --test vg/data", "zpool status tank", "lvm lvdisplay vg/data", "lvremove --reportformat json", "echo 'list disk' | diskpart", "diskpart /?",
			"printf 'select disk 0\\ndetail disk\\nexit\\n' > look.txt && diskpart /s look.txt",
		},
		check: volume,
	},
	{
		ID: "filesystem/shred", Verdict: hook.Ask,
		Doc:     "Overwriting files so that they cannot be recovered.",
		Why:     "not even a backup tool brings it back",
		Instead: "a plain `rm old.txt`",
		Fire:    []string{"shred -u notes.txt"},
		Pass:    []string{"shred --help", "rm notes.txt"},
		check:   shred,
	},
	{
		ID: "filesystem/overwrite-system", Verdict: hook.Deny,
		Doc:     "Overwriting or emptying a file without which the system does not start or log in, and adding to one that grants access.",
		Why:     "the machine may not start or log in afterwards",
		Instead: "write to a file of the project and let your human install it",
		Fire:    []string{"> /etc/passwd", "truncate -s 0 /etc/fstab", "echo x | sudo tee /etc/sudoers", "cp /dev/null /etc/shadow", "dd if=/dev/zero of=/etc/passwd", "Write(/etc/passwd)", "echo 'x ALL=(ALL) NOPASSWD:ALL' >> /etc/sudoers"},
		Pass:    []string{"cat /etc/passwd", "> out.txt", "echo x >> notes", "truncate -s 0 app.log"},
		check:   overwriteSystem,
	},
	{
		ID: "filesystem/write-system", Verdict: hook.Ask,
		Doc:     "Writing a file of the operating system with a file tool, or who may log in (~/.ssh/authorized_keys) with any.",
		Why:     "it changes the machine and not the project",
		Instead: "write it to a file of the project and let your human install it",
		Fire:    []string{"Write(/etc/hosts)", "Write(/usr/lib/x.so)", "echo ssh-ed25519 AAAA >> ~/.ssh/authorized_keys", "> /etc/hosts", "Write(/home/user/.ssh/authorized_keys)"},
		Pass:    []string{"cat /etc/hosts", "Write(/tmp/hosts)", "Read(/etc/hosts)", "Write(etc/hosts)", "echo 127.0.0.1 app.test >> /etc/hosts", "ssh host 'cat >> ~/.ssh/authorized_keys' < key.pub"},
		check:   writeSystem,
	},
	{
		ID: "filesystem/permissions", Verdict: hook.Deny,
		Doc:     "Recursive chmod, chown or chgrp of the root, a home or a folder of the system.",
		Why:     "the old modes and owners of all those files are recorded nowhere",
		Instead: "change one folder of the project, e.g. `chmod -R u+w build`",
		Fire:    []string{"chmod -R 777 /", "sudo chown -R me /usr", "chmod --recursive 000 ~", "find / -exec chmod 000 '{}' +", "cd / && chmod -R 700 ."},
		Pass:    []string{"chmod 755 script.sh", "chmod -R u+w build", "chown -R me:me ./data"},
		check:   permissions,
	},
	{
		ID: "filesystem/world-writable", Verdict: hook.Ask,
		Doc:     "Giving everybody write access.",
		Why:     "any program of any user may then change the file",
		Instead: "the narrowest mode that works, e.g. `chmod 755 script.sh`",
		Fire:    []string{"chmod 777 file.sh", "chmod -R a+rwx data", "chmod 0666 x"},
		Pass:    []string{"chmod 755 script.sh", "chmod +x run.sh", "chmod 1777 /tmp/x"},
		check:   worldWritable,
	},
	{
		ID: "filesystem/move-away", Verdict: hook.Deny,
		Doc:     "Moving files into /dev/null, or the root, a home or the project as a whole to somewhere else.",
		Why:     "it has the effect of a delete",
		Instead: "name the files and a folder, e.g. `mv old.txt archive/`",
		Fire:    []string{"mv notes.txt /dev/null", "mv ~ /dev/null", "mv /* /tmp", "mv -t /tmp /*", "mv /etc /tmp", "mv ~ /tmp/x", "mv * /dev/null"},
		Pass:    []string{"mv old.txt new.txt", "mv src/* lib/", "mv build /tmp/build"},
		check:   moveAway,
	},
}

// deletes is the check for deletes of the rule's danger.
func deletes(j *judge, c *shellcmd.Command) (match, bool) {
	for _, r := range j.removalsOf(c) {
		if r.danger == j.rule.danger {
			return match{what: "deletes " + oneLine(r.path)}, true
		}
	}
	return match{}, false
}

func dynamicProgram(j *judge, c *shellcmd.Command) (match, bool) {
	if !c.Dynamic || len(c.Argv) < 2 || c.Has(shellcmd.StdinArgs) {
		return match{}, false
	}
	// A variable for sudo in front of a whole command.
	inner := *c
	inner.Argv = c.Argv[1:]
	inner.Dynamic = false
	inner.Program = strings.ToLower(baseName(inner.Argv[0].Text))
	if inner.Program == "rm" || inner.Program == "find" {
		if w := worst(j.removals(&inner)); w.danger > systemFile {
			return match{what: "may delete " + oneLine(w.path)}, true
		}
	}
	as := rmFlags.parse(c.Args())
	r, f := false, false
	for i := range as {
		r = r || as[i].flag == "-r" || as[i].flag == "-R" || as[i].flag == "--recursive"
		f = f || as[i].flag == "-f" || as[i].flag == "--force"
	}
	if !r || !f {
		return match{}, false
	}
	for _, w := range operands(as) {
		if d := j.tree(c, w, false); d.danger != noDanger {
			return match{what: "may delete " + oneLine(d.path)}, true
		}
	}
	return match{}, false
}

func baseName(p string) string {
	if i := strings.LastIndexAny(p, `/\`); i >= 0 {
		return p[i+1:]
	}
	return p
}

// isDevice reports whether a path names hardware or kernel memory rather than
// one of the harmless special files.
func isDevice(p string) bool {
	p = tidy(p)
	if p == "/proc/sysrq-trigger" || p == "/proc/kcore" {
		return true
	}
	rest, ok := strings.CutPrefix(p, "/dev/")
	if !ok {
		low := strings.ToLower(p)
		return strings.HasPrefix(low, `\\.\physicaldrive`) || strings.HasPrefix(low, "//./physicaldrive")
	}
	first, _, _ := strings.Cut(rest, "/")
	switch first {
	case "null", "zero", "full", "stdin", "stdout", "stderr", "fd", "tty", "ptmx", "pts", "random", "urandom", "shm", "tcp", "udp",
		"dsp", "snd", "console", "kmsg", "log", "dri", "input", "mqueue", "audio", "char", "bus", "video0":
		return false
	}
	return !strings.HasPrefix(first, "tty") && !strings.HasPrefix(first, "cu.")
}

// paths returns the absolute values of w, "" parts left out.
func (j *judge) paths(c *shellcmd.Command, w *word) []string {
	var out []string
	for _, v := range w.Values() {
		if strings.Contains(v, shellcmd.Unknown) {
			continue
		}
		if c.Flags&(shellcmd.PowerShell|shellcmd.Batch) != 0 {
			v = strings.ReplaceAll(v, `\`, "/")
		}
		if p, ok := j.abs(c.Dir, v); ok {
			out = append(out, p)
		}
		for _, d := range c.DirElse {
			if p, ok := j.abs(d, v); ok {
				out = append(out, p)
			}
		}
	}
	return out
}

func (j *judge) deviceWord(c *shellcmd.Command, w *word) bool {
	if strings.HasPrefix(w.Text, "/dev/"+shellcmd.Unknown) {
		return true
	}
	return slices.ContainsFunc(j.paths(c, w), isDevice)
}

var shredFlags = grammar{short: "ns", long: []string{"--iterations", "--size", "--random-source"}}

func device(j *judge, c *shellcmd.Command) (match, bool) {
	args := c.Args()
	hit := func(w *word) (match, bool) { return match{what: "overwrites " + oneLine(showWord(w))}, true }
	name := c.Program
	switch {
	case name == "mkfs" || strings.HasPrefix(name, "mkfs.") || strings.HasPrefix(name, "newfs") || name == "mke2fs" || name == "mkswap" || name == "mkntfs" || name == "mkdosfs":
		for i := range args {
			if t := args[i].Text; t == "-n" && name != "mkfs.fat" && name != "mkfs.vfat" && name != "mkfs.ntfs" && name != "mkdosfs" || t == "-N" && name == "newfs" || t == "--help" || t == "-V" {
				return match{}, false
			}
		}
		for i := range args {
			if j.deviceWord(c, &args[i]) {
				return hit(&args[i])
			}
		}
	case name == "dd" || name == "dcfldd" || name == "ddrescue":
		for i := range args {
			if v, ok := strings.CutPrefix(args[i].Text, "of="); ok {
				if w := tail(&args[i], v); j.deviceWord(c, w) {
					return hit(w)
				}
			}
		}
	case name == "wipefs":
		active, dry := false, false
		for i := range args {
			t := args[i].Text
			active = active || t == "-a" || t == "-o" || t == "--all" || strings.HasPrefix(t, "--offset") || strings.HasPrefix(t, "-") && !strings.HasPrefix(t, "--") && strings.ContainsAny(t, "ao")
			dry = dry || t == "-n" || t == "--no-act"
		}
		if active && !dry {
			for i := range args {
				if j.deviceWord(c, &args[i]) {
					return hit(&args[i])
				}
			}
		}
	case name == "shred" || name == "wipe" || name == "blkdiscard" || name == "scrub" || name == "nwipe":
		for i := range args {
			if j.deviceWord(c, &args[i]) && !helpOnly(shredFlags.parse(args)) {
				return hit(&args[i])
			}
		}
	case name == "hdparm":
		for i := range args {
			if t := args[i].Text; strings.HasPrefix(t, "--security-erase") || t == "--trim-sector-ranges" || t == "--make-bad-sector" || t == "--write-sector" {
				return match{what: "erases a disk"}, true
			}
		}
	case name == "nvme":
		if len(args) > 0 && (args[0].Text == "format" || args[0].Text == "sanitize") {
			return match{what: "erases a disk"}, true
		}
	case name == "sgdisk" || name == "gdisk":
		for i := range args {
			if t := args[i].Text; t == "-Z" || t == "-z" || t == "-o" || t == "--zap-all" || t == "--zap" || t == "--clear" {
				return match{what: "erases a partition table"}, true
			}
		}
	case name == "parted":
		for i := range args {
			switch args[i].Text {
			case "mklabel", "mktable", "rm", "mkpart", "resizepart":
				return match{what: "changes a partition table"}, true
			}
		}
	case name == "sfdisk" || name == "fdisk":
		as := (&grammar{short: "bCHSutowWLn", long: []string{"--wipe", "--wipe-partitions"}}).parse(args)
		if !helpOnly(as) && !has(as, "-l", "--list", "-s", "--getsz", "-x", "--list-details", "-d", "--dump", "-V", "--verify", "-J", "--json", "-n", "--no-act", "-h", "-v") {
			for _, w := range operands(as) {
				if j.deviceWord(c, w) {
					return match{what: "changes a partition table"}, true
				}
			}
		}
	case name == "badblocks":
		for _, a := range (&grammar{short: "bcdoptx"}).parse(args) {
			if a.flag == "-w" {
				return match{what: "overwrites a disk"}, true
			}
		}
	case name == "cryptsetup":
		for i := range args {
			switch args[i].Text {
			case "luksFormat", "reencrypt":
				return match{what: "overwrites a disk"}, true
			}
		}
	case name == "diskutil":
		for i := range args {
			if t := strings.ToLower(args[i].Text); strings.HasPrefix(t, "erase") || t == "zerodisk" || t == "randomdisk" || t == "secureerase" || t == "partitiondisk" || t == "reformat" {
				return match{what: "erases a disk"}, true
			}
			if args[i].Text == "deleteVolume" || args[i].Text == "deleteContainer" {
				return match{what: "erases a disk"}, true
			}
		}
	case name == "format" || name == "format-volume" || name == "clear-disk":
		if name != "format" {
			return match{what: "erases a drive"}, true
		}
		for i := range args {
			if t := args[i].Text; len(t) == 2 && winAbs(t) {
				return hit(&args[i])
			}
		}
	}
	for _, w := range j.writesOf(c) {
		if j.deviceWord(c, w.path) && !w.remove {
			return hit(w.path)
		}
	}
	return match{}, false
}

var lvmFlags = grammar{long: []string{"--reportformat", "--config", "--devices", "--devicesfile", "--profile", "--select", "--commandprofile", "--lockopt", "--driverloaded"}, short: "S"}

// diskpart reports whether a script of diskpart does more than look. One that
// cannot be read counts as one that does.
func diskpart(j *judge, c *shellcmd.Command) bool {
	text, known := c.Stdin.Text, c.Stdin.Known
	given := c.Stdin.Kind != shellcmd.Inherit && c.Stdin.Kind != shellcmd.Closed
	args := c.Args()
	for i := range args {
		switch t := strings.ToLower(args[i].Text); {
		case t == "/?":
			return false
		case (t == "/s" || t == "-s") && i+1 < len(args):
			given = true
			text, known = j.writtenText(c, &args[i+1])
		}
	}
	if !given {
		return false
	}
	for line := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return r == '\n' || r == '\r' }) {
		verb, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch verb {
		case "", "rem", "list", "lis", "select", "sel", "detail", "det", "exit", "help", "rescan", "filesystems", "san":
		default:
			return true
		}
	}
	return !known
}

// writtenText is the content of a file that is there, or that the line printed
// into it as a whole.
func (j *judge) writtenText(c *shellcmd.Command, w *word) (text string, known bool) {
	for i := j.cur.index - 1; i >= 0; i-- {
		d := &j.line.Commands[i]
		for k := range d.Redirects {
			if r := &d.Redirects[k]; r.Writes() && r.Target.Text == w.Text && w.Static {
				return d.Stdout.Text, d.Stdout.Known && r.Op == ">"
			}
		}
	}
	for _, p := range j.paths(c, w) {
		if data, err := j.fs.ReadFile(p, 1<<16); err == nil {
			return string(data), true
		}
	}
	return "", false
}

func volume(j *judge, c *shellcmd.Command) (match, bool) {
	args := c.Args()
	name := c.Program
	if name == "lvm" {
		test := false
		for len(args) > 0 && strings.HasPrefix(args[0].Text, "-") {
			test = test || args[0].Text == "--test" || args[0].Text == "-t"
			args = args[1:]
		}
		if len(args) == 0 || test {
			return match{}, false
		}
		name, args = args[0].Text, args[1:]
	}
	switch name {
	case "lvremove", "vgremove", "pvremove", "lvreduce":
		as := lvmFlags.parse(args)
		for i := range as {
			switch f := as[i].flag; {
			case f == "-t", f == "-h", long(f, "--test", 2), long(f, "--help", 2), f == "--version":
				return match{}, false
			}
		}
		for _, w := range operands(as) {
			if !unknown(w) {
				return match{what: "removes " + oneLine(w.Text)}, true
			}
		}
	case "zpool", "zfs":
		if len(args) > 1 && (args[0].Text == "destroy" || args[0].Text == "labelclear") {
			for i := range args {
				if t := args[i].Text; name == "zfs" && strings.HasPrefix(t, "-") && strings.Contains(t, "n") {
					return match{}, false
				}
			}
			return match{what: "destroys " + oneLine(showWord(&args[len(args)-1]))}, true
		}
	case "diskpart":
		if diskpart(j, c) {
			return match{what: "changes disks or partitions", instead: "list them first, e.g. `echo 'list volume' | diskpart`"}, true
		}
	case "dmsetup":
		if len(args) > 1 && (args[0].Text == "remove" || args[0].Text == "remove_all" || args[0].Text == "wipe_table") {
			return match{what: "removes a device mapping"}, true
		}
	case "mdadm":
		if has((&grammar{}).parse(args), "--zero-superblock") {
			return match{what: "erases a disk array's records"}, true
		}
	case "btrfs":
		if len(args) > 1 && args[0].Text == "subvolume" && args[1].Text == "delete" {
			return match{what: "deletes a subvolume"}, true
		}
	case "tmutil":
		if len(args) > 1 && (args[0].Text == "delete" || args[0].Text == "deletelocalsnapshots") {
			return match{what: "deletes backups"}, true
		}
	case "vssadmin", "wmic":
		if len(args) > 0 && strings.EqualFold(args[0].Text, "delete") || name == "wmic" && len(args) > 1 && strings.EqualFold(args[1].Text, "delete") {
			return match{what: "deletes backups"}, true
		}
	}
	return match{}, false
}

func shred(_ *judge, c *shellcmd.Command) (match, bool) {
	if c.Program != "shred" && c.Program != "wipe" {
		return match{}, false
	}
	as := shredFlags.parse(c.Args())
	if ops := operands(as); len(ops) > 0 && !helpOnly(as) {
		return match{what: "destroys " + oneLine(showWord(ops[0]))}, true
	}
	return match{}, false
}

// vital reports whether the system does not start, or nobody can log in,
// without the file.
func vital(p string) bool {
	switch p {
	case "/etc/passwd", "/etc/shadow", "/etc/group", "/etc/gshadow", "/etc/sudoers", "/etc/fstab", "/etc/crypttab", "/etc/ld.so.preload",
		"/etc/ssh/sshd_config", "/etc/nsswitch.conf", "/etc/inittab", "/etc/pam.conf", "/etc/master.passwd":
		return true
	}
	return strings.HasPrefix(p, "/boot/") || strings.HasPrefix(p, "/etc/pam.d/")
}

func overwriteSystem(j *judge, c *shellcmd.Command) (match, bool) {
	if c.Has(shellcmd.Remote) {
		return match{}, false
	}
	for _, w := range j.writesOf(c) {
		if w.remove || w.mode {
			continue
		}
		for _, p := range j.paths(c, w.path) {
			if r := j.real(p); vital(r) && !w.appends || grantsAccess(r) {
				return match{what: "overwrites " + p}, true
			}
		}
	}
	return match{}, false
}

var modeFlags = grammar{long: []string{"--reference", "--from"}}

// modeFlag reports whether the mode of a chmod is written as a flag: chmod -x f.
func modeFlag(c *shellcmd.Command) bool {
	if c.Program != "chmod" {
		return false
	}
	for _, a := range c.Args() {
		if t := a.Text; len(t) > 1 && t[0] == '-' && strings.Trim(t[1:], "rwxXst") == "" {
			return true
		}
	}
	return false
}

func permissions(j *judge, c *shellcmd.Command) (match, bool) {
	switch c.Program {
	case "chmod", "chown", "chgrp", "chflags", "setfacl", "chattr":
	case "icacls", "takeown":
		ops := windowsOperands(c.Args())
		if switchOf(c.Args(), "/t") || switchOf(c.Args(), "/r") {
			for _, w := range ops {
				if d := j.tree(c, w, false); d.danger >= homeTarget {
					return match{what: "changes modes and owners below " + oneLine(d.path)}, true
				}
			}
		}
		return match{}, false
	default:
		return match{}, false
	}
	as := modeFlags.parse(c.Args())
	if helpOnly(as) {
		return match{}, false
	}
	recursive := false
	for i := range as {
		recursive = recursive || as[i].flag == "-R" || long(as[i].flag, "--recursive", 3)
	}
	ops := operands(as)
	if valueOf(as, "--reference") == nil && len(ops) > 0 && c.Program != "setfacl" && !modeFlag(c) {
		ops = ops[1:]
	}
	if c.Via == shellcmd.ViaExec && c.Parent >= 0 && c.Parent < len(j.line.Commands) {
		if p := &j.line.Commands[c.Parent]; p.Program == "find" {
			for _, w := range ops {
				if unknown(w) || strings.Contains(w.Raw, "{}") {
					starts, narrow, _ := findParts(p.Args())
					if !narrow {
						recursive, ops = true, starts
						c = p
					}
					break
				}
			}
		}
	}
	if !recursive {
		return match{}, false
	}
	for _, w := range ops {
		d := j.tree(c, w, false)
		if d.danger == rootTarget || d.danger == homeTarget {
			return match{what: "changes modes or owners of all below " + oneLine(d.path)}, true
		}
		for _, p := range j.paths(c, w) {
			if d.danger == outsideTarget && systemTree(p) {
				return match{what: "changes modes or owners of all below " + p}, true
			}
		}
	}
	return match{}, false
}

func worldWritable(_ *judge, c *shellcmd.Command) (match, bool) {
	if c.Program != "chmod" {
		return match{}, false
	}
	for _, a := range c.Args() {
		t := a.Text
		if strings.HasPrefix(t, "-") && !strings.HasPrefix(t, "-R") {
			continue
		}
		switch t {
		case "777", "0777", "666", "0666", "a+w", "o+w", "a+rw", "a+rwx", "o+rw", "o+rwx", "ugo+rwx", "+rwx", "a=rwx", "ugo+w", "ugo=rwx", "a=rw":
			if t == "+rwx" {
				continue
			}
			return match{what: "lets everybody write"}, true
		}
		if !strings.HasPrefix(t, "-") {
			break
		}
	}
	return match{}, false
}

var moveFlags = grammar{short: "tS", long: []string{"--target-directory", "--suffix"}}

func moveAway(j *judge, c *shellcmd.Command) (match, bool) {
	if c.Program != "mv" && c.Program != "gmv" {
		return match{}, false
	}
	as := moveFlags.parse(c.Args())
	if helpOnly(as) {
		return match{}, false
	}
	ops := operands(as)
	dst := valueOf(as, "-t", "--target-directory")
	for i := range as {
		if as[i].value != nil && long(as[i].flag, "--target-directory", 2) {
			dst = as[i].value
		}
	}
	if dst == nil {
		if len(ops) < 2 {
			return match{}, false
		}
		dst, ops = ops[len(ops)-1], ops[:len(ops)-1]
	}
	if dst.Text == "/dev/null" {
		return match{what: "moves " + oneLine(showWord(ops[0])) + " into nothing"}, len(ops) > 0
	}
	for _, w := range ops {
		switch r := j.tree(c, w, false); r.danger {
		case rootTarget, homeTarget, gitTarget:
			return match{what: "moves " + oneLine(r.path) + " away"}, true
		case outsideTarget:
			for _, p := range j.paths(c, w) {
				if systemTree(p) && strings.Count(p, "/") == 1 {
					return match{what: "moves " + p + " away"}, true
				}
			}
		case projectTarget:
			if !w.Glob {
				return match{what: "moves " + oneLine(r.path) + " away"}, true
			}
		}
	}
	return match{}, false
}
