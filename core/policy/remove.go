package policy

import (
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// danger says why a delete is refused. The zero value is that it is not.
type danger int

const (
	noDanger      danger = iota
	systemFile           // one file of the operating system
	unknownTarget        // known only at run time
	remoteTarget         // a tree on another machine or in a container
	tempTarget           // a whole temporary folder
	nestedTarget         // the .git of a repository inside the project
	gitPartTarget        // history below the project's .git
	cacheTarget          // a tool's cache below the home
	throughLink          // a link on the way or below leads out of the project
	outsideTarget
	unguardedTarget // a variable in front of / or /*, which is / when it is empty
	gitTarget
	projectTarget
	homeTarget
	rootTarget
)

// removal is one thing that a command deletes.
type removal struct {
	danger danger
	path   string // as shown in messages
}

// worst returns the removal of the highest danger.
func worst(rs []removal) removal {
	var w removal
	for _, r := range rs {
		if r.danger > w.danger {
			w = r
		}
	}
	return w
}

// tree judges the recursive delete of one word, seen from the command's
// possible directories. follows says that the tool follows links below it.
func (j *judge) tree(c *shellcmd.Command, w *word, follows bool) removal {
	var out []removal
	for _, v := range w.Values() {
		if v == "" {
			continue
		}
		out = append(out, j.treeFrom(c, c.Dir, w, v, follows))
		for _, d := range c.DirElse {
			out = append(out, j.treeFrom(c, d, w, v, follows))
		}
	}
	return worst(out)
}

func (j *judge) treeFrom(c *shellcmd.Command, dir string, w *word, v string, follows bool) removal {
	if c.Has(shellcmd.Remote) {
		if p, ok := j.onHost(c, v); ok {
			here := *c
			here.Flags &^= shellcmd.Remote
			r := j.treeFrom(&here, "", w, p, follows)
			r.path = v
			return r
		}
	}
	if strings.Contains(v, shellcmd.Unknown) {
		p, ok := j.revParsed(w, v)
		if !ok {
			return j.unknownTree(c, dir, w, v)
		}
		v = p
	}
	if w.Quoted && (v == "~" || v == "~/" || strings.HasPrefix(v, "~/*")) && strings.ContainsAny(w.Raw, `'"\`) {
		return removal{unknownTarget, v}
	}
	remote := c.Has(shellcmd.Remote)
	base, pattern := splitGlob(v)
	if pattern != "" && everything(pattern) {
		// Contents of base.
		if base == "" {
			base = "."
		}
		p, ok := j.abs(dir, base)
		if !ok {
			return removal{unknownTarget, v}
		}
		return removal{j.dangerOf(p, true, remote), v}
	}
	if pattern != "" && w.Glob {
		if base == "" {
			base = "."
		}
		p, ok := j.abs(dir, base)
		if !ok {
			return removal{unknownTarget, v}
		}
		if remote {
			return removal{j.dangerOf(tidy(p+"/x"), false, true), v}
		}
		return removal{j.someOf(p, pattern), v}
	}
	p, ok := j.abs(dir, v)
	if !ok {
		if remote || dir == "" && !strings.HasPrefix(v, "..") && regenerable(v) {
			return removal{}
		}
		if strings.HasPrefix(v, "~") {
			return removal{homeTarget, v}
		}
		return removal{unknownTarget, v}
	}
	if strings.HasPrefix(v, "~") && !strings.HasPrefix(v, "~/") && v != "~" && !w.Quoted {
		// ~user
		return removal{homeTarget, v}
	}
	through := strings.HasSuffix(v, "/") || strings.HasSuffix(v, "/.")
	d := j.dangerOf(p, through, remote)
	if d == noDanger && follows && !remote && j.leadsOut(p) {
		return removal{throughLink, v}
	}
	return removal{d, v}
}

// dangerOf turns what a path is into the danger of deleting it whole.
func (j *judge) dangerOf(p string, through, remote bool) danger {
	if remote {
		switch {
		case driveRoot(p):
			return rootTarget
		case someHome(p):
			return homeTarget
		case systemTree(p):
			return outsideTarget
		case j.temp(p) == 2, strings.HasPrefix(p, "/data/local/tmp/"): // the latter of Android
			return noDanger
		}
		return remoteTarget
	}
	if len(j.made) > 0 {
		if d := j.movedDanger(p); d > noDanger {
			return d
		}
	}
	lexical := j.classifyOne(p)
	k := j.classify(p, through)
	switch k {
	case rootItself:
		return rootTarget
	case homeItself:
		return homeTarget
	case projectItself:
		return projectTarget
	case gitItself:
		return gitTarget
	case nestedGit:
		if j.freshClone() || j.isFile(p) {
			return noDanger
		}
		return nestedTarget
	case inGit:
		return gitPart(p)
	case tempItself:
		return tempTarget
	case outside:
		if lexical == inside {
			return throughLink
		}
		if j.home != "" && j.below(j.home, p) && cacheFolder(p[len(j.home):]) {
			return cacheTarget
		}
		return outsideTarget
	}
	return noDanger
}

// gitPart is the danger of deleting a path below .git: its history cannot be
// made again, locks and what git builds can.
func gitPart(p string) danger {
	p = strings.ToLower(p) // first: it may change where what stands
	i := strings.LastIndex(p, "/.git/")
	if i < 0 {
		return noDanger
	}
	first, rest, _ := strings.Cut(p[i+len("/.git/"):], "/")
	switch first {
	case "objects", "refs":
		if rest == "" || rest == "pack" || rest == "heads" {
			return gitTarget
		}
		return gitPartTarget
	case "logs", "modules", "worktrees", "packed-refs", "head", "config", "lfs":
		return gitPartTarget
	}
	return noDanger
}

// cacheFolder reports whether a path below the home, with its first slash, is a
// cache that a tool fills again.
func cacheFolder(rest string) bool {
	for _, d := range [...]string{
		"/.cache/", "/Library/Caches/", "/.npm/_cacache", "/.npm/_npx", "/.gradle/caches", "/.m2/repository", "/go/pkg/mod", "/.cargo/registry", "/.cargo/git",
		"/.yarn/cache", "/.yarn/berry/cache", "/.pnpm-store", "/.local/share/pnpm/store", "/Library/pnpm/store", "/.nuget/packages", "/.ivy2/cache", "/.bundle/cache",
		"/.sbt/boot", "/.cocoapods/repos", "/Library/Developer/Xcode/DerivedData", "/.expo/cache", "/.android/cache", "/.bun/install/cache", "/.conda/pkgs", "/.terraform.d/plugin-cache",
		"/AppData/Local/Temp", "/AppData/Local/npm-cache", "/AppData/Local/pip/Cache", "/.pub-cache", "/.hex/packages", "/.composer/cache", "/.deno", "/.electron-gyp", "/.node-gyp",
	} {
		if strings.HasPrefix(rest, d) && (strings.HasSuffix(d, "/") || len(rest) == len(d) || rest[len(d)] == '/') {
			return true
		}
	}
	return false
}

// freshClone reports whether an earlier command of the line makes a repository:
// what is deleted of it is fetched again.
func (j *judge) freshClone() bool {
	if j.line == nil {
		return false
	}
	for i := range min(max(j.now, 0), len(j.line.Commands)) {
		c := &j.line.Commands[i]
		switch g := parseGit(c); {
		case g.sub == "clone", g.sub == "init":
			return true
		case c.Program == "gh" && len(c.Argv) > 2 && c.Argv[1].Text == "repo" && c.Argv[2].Text == "clone":
			return true
		}
	}
	return false
}

// isFile reports whether a plain file is at p: the .git of a submodule or
// worktree, which only points at the repository.
func (l *place) isFile(p string) bool {
	if l.fs == nil {
		return false
	}
	fi, err := l.fs.Lstat(p)
	return err == nil && fi.Mode().IsRegular()
}

// revParsed returns a word that begins with what git rev-parse prints of this
// project, with that filled in.
func (j *judge) revParsed(w *word, v string) (string, bool) {
	if len(w.Subst) != 1 || j.line == nil || j.root == "" || w.Subst[0] >= len(j.line.Commands) || !strings.HasPrefix(v, shellcmd.Unknown) {
		return "", false
	}
	rest := v[len(shellcmd.Unknown):]
	if strings.Contains(rest, shellcmd.Unknown) {
		return "", false
	}
	g := parseGit(&j.line.Commands[w.Subst[0]])
	if g.sub != "rev-parse" || !j.within(j.root, g.dir) {
		return "", false
	}
	for i := range g.args {
		switch g.args[i].Text {
		case "--show-toplevel", "--show-cdup":
			return j.root + rest, true
		case "--git-dir", "--absolute-git-dir", "--git-common-dir":
			return j.root + "/.git" + rest, true
		}
	}
	return "", false
}

// unknownTree judges a delete whose target is known only in part.
func (j *judge) unknownTree(c *shellcmd.Command, dir string, w *word, v string) removal {
	if j.madeTemp(w) {
		return removal{}
	}
	shown := w.Raw
	if shown == "" {
		shown = "…"
	}
	i := strings.Index(v, shellcmd.Unknown)
	pre, post := v[:i], v[i+len(shellcmd.Unknown):]
	for strings.HasPrefix(post, shellcmd.Unknown) {
		post = post[len(shellcmd.Unknown):]
	}
	if pre == "" && len(w.Vars) > 0 && tempVar(w.Vars[0]) {
		rest := path.Clean("/" + strings.ReplaceAll(post, shellcmd.Unknown, "x"))
		switch {
		case escapes(post):
			return removal{outsideTarget, shown}
		case strings.HasPrefix(post, "/") && rest != "/" && !everything(strings.TrimPrefix(rest, "/")):
			return removal{}
		}
		return removal{tempTarget, shown}
	}
	if len(w.Vars) > 0 && strings.HasPrefix(w.Vars[0], "~") && pre == "" {
		if rest := strings.Trim(post, "/"); rest == "" || everything(rest) {
			return removal{homeTarget, shown}
		}
		return removal{outsideTarget, shown}
	}
	if pre == "" {
		if w.Blank && (post == "/" || strings.HasPrefix(post, "/") && everything(strings.TrimLeft(post, "/"))) {
			return removal{unguardedTarget, shown}
		}
		if len(w.Vars) > 0 && homeVar(w.Vars[0]) {
			if rest := strings.Trim(post, "/"); rest == "" || everything(rest) || rest == "." {
				return removal{homeTarget, shown}
			}
			return removal{outsideTarget, shown}
		}
		return removal{unknownTarget, shown}
	}
	// A known beginning: judge it with the rest empty and with a name in it.
	if strings.Contains(post, "..") {
		return removal{unknownTarget, shown}
	}
	remote := c.Has(shellcmd.Remote)
	named, ok1 := j.abs(dir, pre+"x"+strings.ReplaceAll(post, shellcmd.Unknown, "x"))
	empty, ok2 := j.abs(dir, pre+strings.ReplaceAll(post, shellcmd.Unknown, ""))
	if !ok1 || !ok2 {
		return removal{unknownTarget, shown}
	}
	if d := j.dangerOf(named, false, remote); d != noDanger {
		return removal{d, shown}
	}
	if d := j.dangerOf(empty, false, remote); d != noDanger && d != tempTarget {
		return removal{unknownTarget, shown}
	}
	return removal{}
}

// madeTemp reports whether the word is the output of mktemp, possibly with
// something below it.
func (j *judge) madeTemp(w *word) bool {
	if len(w.Subst) == 0 || j.line == nil || !strings.HasPrefix(w.Text, shellcmd.Unknown) || strings.Contains(w.Text, "..") {
		return false
	}
	for _, i := range w.Subst {
		if i < 0 || i >= len(j.line.Commands) {
			return false
		}
		switch j.line.Commands[i].Program {
		case "mktemp", "tempfile":
		default:
			return false
		}
	}
	return true
}

// tempVar reports whether a variable names the temporary folder by convention.
func tempVar(name string) bool {
	switch name {
	case "TMPDIR", "TMP", "TEMP", "TEMPDIR", "RUNNER_TEMP", "TEST_TMPDIR", "BATS_TMPDIR", "BATS_TEST_TMPDIR", "BATS_FILE_TMPDIR", "XDG_RUNTIME_DIR":
		return true
	}
	return false
}

// homeVar reports whether a variable names a home by convention.
func homeVar(name string) bool {
	switch strings.ToUpper(strings.TrimPrefix(strings.ToLower(name), "env:")) {
	case "HOME", "USERPROFILE", "HOMEPATH":
		return true
	}
	return false
}

// escapes reports whether a relative tail leaves its folder.
func escapes(post string) bool {
	depth := 0
	for seg := range strings.SplitSeq(strings.Trim(post, "/"), "/") {
		switch seg {
		case "", ".":
		case "..":
			if depth--; depth < 0 {
				return true
			}
		default:
			depth++
		}
	}
	return false
}

// splitGlob cuts a word before the first path element with a pattern in it.
func splitGlob(v string) (base, pattern string) {
	i := strings.IndexAny(v, "*?[{")
	for _, ext := range [...]string{"@(", "!(", "+("} {
		if k := strings.Index(v, ext); k >= 0 && (i < 0 || k < i) {
			i = k
		}
	}
	if i < 0 {
		return v, ""
	}
	slash := strings.LastIndexByte(v[:i], '/')
	if slash < 0 {
		return "", v
	}
	if slash == 0 {
		return "/", v[1:]
	}
	return v[:slash], v[slash+1:]
}

// everything reports whether a pattern stands for all that a folder holds, or
// for all hidden files of it, which on some shells includes the folder above.
func everything(pattern string) bool {
	pattern = strings.TrimRight(pattern, "/")
	if strings.HasPrefix(pattern, "!(") && strings.HasSuffix(pattern, ")") {
		return true // all but a few
	}
	for alt := range strings.SplitSeq(strings.Trim(pattern, "{}"), ",") {
		switch alt {
		case "*", "**", ".*", "?*", "*.*", ".[!.]*", ".??*", "[!.]*", ".[^.]*", "..?*", "*/*", "**/*", "*/**", "[a-z]*", "[a-zA-Z]*", "@(*)", "+(*)", "*(*)":
			return true
		}
	}
	return false
}

// someOf judges the delete of what matches pattern in the folder p. A pattern
// that matches nothing deletes nothing.
func (j *judge) someOf(p, pattern string) danger {
	k := j.classify(p, true)
	if k == inside || k == inTemp || k == tempItself {
		return noDanger
	}
	if k == projectItself {
		// Some children of the root, unless p holds the root.
		if j.same(p, j.root) || j.same(j.real(p), j.realRoot) {
			first, _, _ := strings.Cut(pattern, "/")
			if ok, _ := doublestar.Match(strings.ToLower(first), ".git"); ok && !strings.Contains(pattern, "/") && strings.HasPrefix(first, ".") {
				return gitTarget
			}
			return noDanger
		}
	}
	if k == gitItself || k == inGit {
		return noDanger
	}
	if strings.Contains(pattern, "/") || j.fs == nil {
		return outsideTarget
	}
	entries, err := j.fs.ReadDir(p)
	if err != nil {
		if _, err := j.fs.Lstat(p); err != nil {
			return noDanger
		}
		return outsideTarget
	}
	w := noDanger
	for n, e := range entries {
		if n > 4096 {
			return outsideTarget
		}
		if ok, err := doublestar.Match(pattern, e.Name()); err != nil || ok {
			if d := j.dangerOf(tidy(p+"/"+e.Name()), false, false); d > w {
				w = d
			}
		}
	}
	return w
}

const maxScan = 2000 // entries looked at for links below a folder

// leadsOut reports whether a link below p leads out of the project.
func (j *judge) leadsOut(p string) bool {
	if j.fs == nil {
		return false
	}
	left := maxScan
	var walk func(dir string, depth int) bool
	walk = func(dir string, depth int) bool {
		entries, err := j.fs.ReadDir(dir)
		if err != nil {
			return false
		}
		for _, e := range entries {
			if left--; left < 0 || j.ctx.Err() != nil {
				return false
			}
			name := dir + "/" + e.Name()
			switch {
			case e.Type()&fs.ModeSymlink != 0:
				if k := j.classify(name, true); k >= outside {
					return true
				}
			case e.IsDir() && depth < 8:
				if walk(name, depth+1) {
					return true
				}
			}
		}
		return false
	}
	return walk(p, 0)
}

// regenerable reports whether the last element of a path is the usual name of
// something that tools make again.
func regenerable(p string) bool {
	switch strings.ToLower(path.Base(strings.TrimRight(strings.ReplaceAll(p, `\`, "/"), "/*"))) {
	case "node_modules", "dist", "build", "out", "target", "coverage", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache",
		".next", ".nuxt", ".turbo", ".cache", ".parcel-cache", ".venv", "venv", ".tox", ".gradle", "bin", "obj", "tmp", ".tmp", ".nyc_output",
		"cmake-build-debug", "htmlcov", ".eggs", ".svelte-kit", ".output", "vendor", "pods", "deriveddata", "logs":
		return true
	}
	return false
}

// systemTree reports whether p is a folder of the operating system, or one
// right below it.
func systemTree(p string) bool {
	if winAbs(p) {
		low := strings.ToLower(p[2:])
		for _, d := range [...]string{"/windows", "/program files", "/program files (x86)", "/programdata"} {
			if low == d || strings.HasPrefix(low, d+"/") {
				return true
			}
		}
		return false
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/")
	switch first {
	case "bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "sys", "usr", "System", "Library", "Applications":
		return strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "/usr/local/")
	case "var":
		return p == "/var" || p == "/var/lib" || p == "/var/log"
	case "opt", "srv", "mnt", "media", "run":
		return p == "/"+first
	}
	return false
}

// removals returns everything that c deletes.
func (j *judge) removals(c *shellcmd.Command) []removal {
	var out []removal
	tree := func(w *word, follows bool) {
		if r := j.tree(c, w, follows); r.danger != noDanger {
			out = append(out, r)
		}
	}
	file := func(w *word) {
		if r := j.file(c, w); r.danger != noDanger {
			out = append(out, r)
		}
	}
	args := c.Args()
	switch c.Program {
	case "rm", "srm", "grm":
		if c.Has(shellcmd.PowerShell) || c.Has(shellcmd.Batch) {
			break
		}
		as := rmFlags.parse(args)
		if helpOnly(as) {
			return nil
		}
		recursive := false
		for i := range as {
			f := as[i].flag
			recursive = recursive || f == "-r" || f == "-R" || long(f, "--recursive", 1)
		}
		ops := operands(as)
		for _, w := range ops {
			switch {
			case !recursive:
				file(w)
			default:
				tree(w, false)
			}
		}
		found := j.finders(c, ops)
		if c.Has(shellcmd.StdinArgs) && recursive && len(found) == 0 {
			out = append(out, removal{unknownTarget, "what its input names"})
		}
		if !recursive && j.allTracked(ops) {
			out = append(out, removal{unknownTarget, "every file that git tracks"})
		}
		if len(found) > 0 {
			out = slices.DeleteFunc(out, func(r removal) bool { return r.danger == unknownTarget })
			for _, f := range found {
				starts, narrow, _ := foundBy(f)
				out = append(out, j.findTargets(f, starts, narrow)...)
			}
		}
	case "rimraf", "del-cli", "premove", "rmrf":
		for _, w := range operands(rmFlags.parse(args)) {
			tree(w, false)
		}
	case "shx":
		if len(args) > 0 {
			inner := *c
			inner.Argv, inner.Program = c.Argv[1:], args[0].Text
			return j.removals(&inner)
		}
	case "trash", "trash-put", "trash-cli", "rmtrash", "gio", "gvfs-trash", "rip":
		// It can be brought back, but not while the session runs in it.
		if c.Program == "gio" {
			if len(args) == 0 || args[0].Text != "trash" {
				break
			}
			args = args[1:]
		}
		for _, w := range operands(rmFlags.parse(args)) {
			if r := j.tree(c, w, false); r.danger >= gitTarget {
				out = append(out, r)
			}
		}
	case "tar", "gtar", "bsdtar", "zip", "7z", "7za", "7zz", "7zr":
		for _, w := range packedAway(c) {
			tree(w, false)
		}
	case "unlink":
		for i := range args {
			file(&args[i])
		}
	case "find", "gfind":
		out = append(out, j.findDelete(c)...)
	case "rsync":
		out = append(out, j.rsyncDelete(c)...)
	case "robocopy":
		args = eatenSpaces(c)
		ops := windowsOperands(args)
		if len(ops) > 1 && (switchOf(args, "/mir") || switchOf(args, "/purge")) {
			tree(ops[1], true)
		}
	case "remove-item", "rd", "rmdir", "del", "erase", "ri":
		out = append(out, j.windowsDelete(c)...)
	}
	for i := range c.Effects {
		e := &c.Effects[i]
		switch e.Kind {
		case shellcmd.DeleteTree:
			tree(&e.Path, false)
		case shellcmd.DeleteFile:
			file(&e.Path)
		}
	}
	return out
}

var rmFlags = grammar{}

// finders returns the find commands whose findings c deletes: those whose
// -exec it is, and those whose output its words come from.
func (j *judge) finders(c *shellcmd.Command, ops []*word) []*shellcmd.Command {
	isFind := func(c *shellcmd.Command) bool {
		switch c.Program {
		case "find", "gfind", "bfs", "fd", "fdfind":
			return true
		}
		return false
	}
	if c.Via == shellcmd.ViaExec && c.Parent >= 0 && c.Parent < len(j.line.Commands) && isFind(&j.line.Commands[c.Parent]) {
		for _, w := range ops {
			if unknown(w) || strings.Contains(w.Raw, "{}") {
				return []*shellcmd.Command{&j.line.Commands[c.Parent]}
			}
		}
		return nil
	}
	var out []*shellcmd.Command
	for _, w := range ops {
		if !unknown(w) || strings.Trim(w.Text, shellcmd.Unknown) != "" {
			continue
		}
		for _, i := range w.Subst {
			if i < 0 || i >= len(j.line.Commands) || !isFind(&j.line.Commands[i]) {
				return nil
			}
			out = append(out, &j.line.Commands[i])
		}
	}
	return out
}

// allTracked reports whether the words come from a git ls-files that lists
// every tracked file.
func (j *judge) allTracked(ops []*word) bool {
	for _, w := range ops {
		if !unknown(w) || strings.Trim(w.Text, shellcmd.Unknown) != "" {
			continue
		}
		for _, i := range w.Subst {
			if i < 0 || i >= len(j.line.Commands) {
				continue
			}
			if g := parseGit(&j.line.Commands[i]); g.sub == "ls-files" && !slices.ContainsFunc(g.args, func(a word) bool { return a.Text != "-z" && a.Text != "-c" && a.Text != "--cached" }) {
				return true
			}
		}
	}
	return false
}

// packedAway returns what an archiver deletes once it is in the archive.
func packedAway(c *shellcmd.Command) []*word {
	args := c.Args()
	switch c.Program {
	case "zip":
		as := (&grammar{short: "bnitPO", long: []string{"--exclude", "--include", "--temp-path", "--output-file", "--password"}}).parse(args)
		if !has(as, "-m", "--move") {
			return nil
		}
		if ops := operands(as); len(ops) > 1 {
			return ops[1:]
		}
	case "tar", "gtar", "bsdtar":
		removes, create := false, false
		for i := range args {
			t := args[i].Text
			removes = removes || long(t, "--remove-files", 3)
			create = create || t == "--create" || t == "--append" || t == "--update" || (i == 0 || strings.HasPrefix(t, "-") && !strings.HasPrefix(t, "--")) && strings.ContainsAny(t, "cru")
		}
		if !removes || !create {
			return nil
		}
		archive := tarFile(args)
		as := (&grammar{short: "CTXbgIKLNVHf", long: []string{"--file", "--directory", "--exclude", "--files-from", "--exclude-from", "--transform", "--owner", "--group"}}).parse(args)
		var out []*word
		dir := valueOf(as, "-C", "--directory")
		for i := range as {
			w := as[i].value
			if as[i].flag != "" || archive != nil && w.Pos == archive.Pos || w == &args[0] && len(w.Text) < 8 && !strings.ContainsAny(w.Text, "/.~") && strings.ContainsAny(w.Text, "cru") {
				continue
			}
			if dir != nil && !isAbs(w.Text) && !strings.HasPrefix(w.Text, "~") {
				d := *dir
				d.Text += "/" + w.Text
				w = &d
			}
			out = append(out, w)
		}
		return out
	default: // 7z
		gone := false
		var ops []*word
		for i := range args {
			switch t := args[i].Text; {
			case t == "-sdel":
				gone = true
			case !strings.HasPrefix(t, "-"):
				ops = append(ops, &args[i])
			}
		}
		if gone && len(ops) > 2 {
			return ops[2:]
		}
	}
	return nil
}

// sparesProject reports whether a narrowed find starts in a whole temporary
// folder that happens to hold the project, and cannot meet the project's name.
func (j *judge) sparesProject(c *shellcmd.Command, start *word) bool {
	p, ok := j.abs(c.Dir, start.Text)
	if !ok || j.temp(p) == 0 || j.root == "" || !j.below(p, j.root) || j.same(p, j.root) {
		return false
	}
	args := c.Args()
	named := false
	for i := 1; i < len(args); i++ {
		switch args[i-1].Text {
		case "-name", "-iname":
			if i > 1 && (args[i-2].Text == "!" || args[i-2].Text == "-not") {
				return false
			}
			named = true
			rest := strings.TrimPrefix(j.root[min(len(p), len(j.root)):], "/")
			for seg := range strings.SplitSeq(rest, "/") {
				if globMatch(args[i].Text, seg) {
					return false
				}
			}
		case "-o", "-or":
			return false
		}
	}
	return named
}

// foundBy splits the arguments of find or fd.
func foundBy(c *shellcmd.Command) (starts []*word, narrow, deletes bool) {
	if c.Program != "fd" && c.Program != "fdfind" {
		return findParts(c.Args())
	}
	as := c.Args()
	for i := range as {
		if t := as[i].Text; t == "-x" || t == "-X" || t == "--exec" || t == "--exec-batch" {
			as = as[:i]
			break
		}
	}
	parsed := (&grammar{short: "tedEcjSo", long: []string{
		"--type", "--extension", "--max-depth", "--min-depth", "--exact-depth", "--exclude", "--color", "--threads", "--size", "--owner",
		"--changed-within", "--changed-before", "--ignore-file", "--base-directory", "--search-path", "--max-results", "--format",
	}}).parse(as)
	for i := range parsed {
		switch parsed[i].flag {
		case "-e", "--extension", "-S", "--size", "--changed-within", "--changed-before", "-o", "--owner":
			narrow = true
		case "--base-directory", "--search-path":
			if parsed[i].value != nil {
				starts = append(starts, parsed[i].value)
			}
		}
	}
	ops := operands(parsed)
	if len(ops) > 0 {
		switch ops[0].Text {
		case "", ".", "^", "*", "^.", "$":
		default:
			narrow = narrow || !everything(ops[0].Text)
		}
		starts = append(starts, ops[1:]...)
	}
	return starts, narrow, false
}

// findParts splits find's arguments into starting points, whether a test
// narrows what is found, and whether it deletes.
func findParts(args []word) (starts []*word, narrow, deletes bool) {
	i := 0
	for i < len(args) {
		t := args[i].Text
		if t == "-H" || t == "-L" || t == "-P" || strings.HasPrefix(t, "-O") {
			i++
			continue
		}
		if t == "-D" {
			i += 2
			continue
		}
		break
	}
	for i < len(args) {
		t := args[i].Text
		if strings.HasPrefix(t, "-") && len(t) > 1 || t == "!" || t == "(" || t == ")" || t == "," {
			break
		}
		starts = append(starts, &args[i])
		i++
	}
	negated := false
	for ; i < len(args); i++ {
		not := negated
		negated = false
		switch t := args[i].Text; t {
		case "!", "-not":
			negated = true
		case "-delete":
			deletes = true
		case "-exec", "-execdir", "-ok", "-okdir":
			for i++; i < len(args) && args[i].Text != ";" && !(args[i].Text == "+" && i > 0 && strings.Contains(args[i-1].Raw, "{}")); i++ {
			}
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex":
			if i++; i < len(args) && !not && !everything(strings.TrimPrefix(args[i].Text, "./")) {
				narrow = true
			}
		case "-mtime", "-mmin", "-atime", "-amin", "-ctime", "-cmin", "-newer", "-size", "-user", "-group", "-perm", "-inum", "-samefile", "-lname", "-links", "-anewer", "-cnewer":
			narrow = narrow || !not
			i++
		case "-prune":
			if i+1 < len(args) && (args[i+1].Text == "-o" || args[i+1].Text == "-or") {
				narrow = false // what came before is what is left alone
			}
		case "-empty":
			narrow = narrow || !not
		case "-type", "-xtype":
			if i++; i < len(args) && args[i].Text == "l" {
				narrow = true
			}
		case "-maxdepth", "-mindepth", "-printf", "-fprintf", "-fprint", "-fls", "-fstype":
			i++
		}
	}
	return starts, narrow, deletes
}

func (j *judge) findDelete(c *shellcmd.Command) []removal {
	starts, narrow, deletes := findParts(c.Args())
	if !deletes {
		return nil
	}
	return j.findTargets(c, starts, narrow)
}

// namesGit reports whether a find looks for folders named .git.
func namesGit(args []word) bool {
	for i := 1; i < len(args); i++ {
		if i >= 2 && (args[i-2].Text == "!" || args[i-2].Text == "-not") {
			continue
		}
		if i+2 < len(args) && args[i+1].Text == "-prune" && (args[i+2].Text == "-o" || args[i+2].Text == "-or") {
			continue
		}
		p := args[i].Text
		switch args[i-1].Text {
		case "-name", "-iname":
			if !everything(p) && wild(strings.ToLower(p), ".git") {
				return true
			}
		case "-path", "-ipath", "-wholename", "-iwholename":
			if low := strings.ToLower(p); strings.Contains(low, ".g") && (wild(low, "./.git") || wild(low, "./.git/x/y")) {
				return true
			}
		case "-regex", "-iregex":
			if strings.Contains(p, `.git`) && !strings.Contains(p, "github") && !strings.Contains(p, "gitignore") {
				return true
			}
		}
	}
	return false
}

// findsLeftovers reports whether a find below .git looks only for what git does
// not miss: stale locks, samples, temporary files.
func findsLeftovers(args []word) bool {
	named := false
	for i := 1; i < len(args); i++ {
		if t := args[i-1].Text; t != "-name" && t != "-iname" {
			continue
		}
		p := args[i].Text
		if !strings.HasSuffix(p, ".lock") && !strings.HasSuffix(p, ".sample") && !strings.HasSuffix(p, "~") && !strings.HasPrefix(p, "tmp_obj_") && p != ".DS_Store" {
			return false
		}
		named = true
	}
	return named
}

// wild matches a pattern as find does: * and ? match a slash, too.
func wild(pattern, s string) bool {
	star, from := -1, 0 // the last *, and where it was tried
	p, i := 0, 0
	for i < len(s) {
		n, ok := 0, false
		if p < len(pattern) {
			n, ok = wildOne(pattern[p:], s[i])
		}
		switch {
		case ok:
			p += n
			i++
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, i
			p++
		case star >= 0:
			from++
			p, i = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// wildOne matches one byte against the element that p begins with, and returns
// that element's length.
func wildOne(p string, c byte) (int, bool) {
	switch p[0] {
	case '*':
		return 0, false
	case '?':
		return 1, true
	case '[':
		if end := strings.IndexByte(p[1:], ']'); end >= 0 {
			return end + 2, globMatch(p[:end+2], string(rune(c)))
		}
	case '\\':
		if len(p) > 1 {
			return 2, p[1] == c
		}
	}
	return 1, p[0] == c
}

// findTargets judges a delete of all that find meets: a narrowing test makes
// the project's own tree fair game, nothing else.
func (j *judge) findTargets(c *shellcmd.Command, starts []*word, narrow bool) []removal {
	var out []removal
	if len(starts) == 0 {
		starts = []*word{{Text: ".", Raw: ".", Static: true}}
	}
	for _, w := range starts {
		r := j.tree(c, w, false)
		if r.danger == projectTarget && narrow && namesGit(c.Args()) {
			out = append(out, removal{gitTarget, "every .git below " + w.Text})
			continue
		}
		if r.danger == projectTarget && narrow {
			if p, ok := j.abs(c.Dir, w.Text); ok && j.within(j.root, p) {
				continue
			}
		}
		if narrow && (r.danger == tempTarget || r.danger == gitTarget && findsLeftovers(c.Args())) {
			continue
		}
		if narrow && r.danger == projectTarget && j.sparesProject(c, w) {
			continue // some things below /tmp, where the project happens to lie
		}
		if r.danger != noDanger {
			out = append(out, r)
		}
	}
	return out
}

var rsyncFlags = grammar{
	short: "eTfMB@",
	long: []string{
		"--rsh", "--temp-dir", "--filter", "--exclude", "--include", "--exclude-from", "--include-from", "--files-from", "--rsync-path",
		"--max-delete", "--backup-dir", "--suffix", "--compare-dest", "--copy-dest", "--link-dest", "--partial-dir", "--timeout", "--port",
		"--password-file", "--log-file", "--bwlimit", "--chmod", "--chown", "--info", "--debug", "--out-format", "--block-size",
	},
}

// remoteSpec reports whether w names something on another machine: host:path
// or a URL.
func remoteSpec(t string) bool {
	if strings.Contains(t, "://") {
		return true
	}
	i := strings.IndexByte(t, ':')
	return i > 1 && !strings.Contains(t[:i], "/") || i == 1 && (runtime.GOOS != "windows" || !winAbs(t))
}

func (j *judge) rsyncDelete(c *shellcmd.Command) []removal {
	as := rsyncFlags.parse(c.Args())
	deletes := false
	for i := range as {
		f := as[i].flag
		switch {
		case f == "-n", long(f, "--dry-run", 2), long(f, "--list-only", 3), f == "--help":
			return nil
		case f == "--del", strings.HasPrefix(f, "--delete") && f != "--delete-missing-args", f == "--remove-source-files":
			deletes = deletes || f != "--remove-source-files"
		}
	}
	ops := operands(as)
	if !deletes || len(ops) < 2 {
		return nil
	}
	dst := ops[len(ops)-1]
	if remoteSpec(dst.Text) {
		return nil
	}
	d := *dst
	if !strings.HasSuffix(d.Text, "/") {
		d.Text += "/"
	}
	r := j.tree(c, &d, false)
	switch r.danger {
	case noDanger, tempTarget:
		return nil
	case outsideTarget:
		p, ok := j.abs(c.Dir, dst.Text)
		if ok && !systemTree(p) {
			return []removal{{unknownTarget, dst.Text}}
		}
	}
	return []removal{{r.danger, dst.Text}}
}

// switchOf reports whether a Windows switch such as /s is among args.
func switchOf(args []word, name string) bool {
	for i := range args {
		t := strings.ToLower(args[i].Text)
		if t == name || strings.HasPrefix(t, "/") && len(t) > 2 && len(name) == 2 && strings.Contains(t, name) && strings.Count(t, "/") > 1 {
			return true
		}
	}
	return false
}

func windowsOperands(args []word) []*word {
	var out []*word
	for i := range args {
		t := args[i].Text
		if len(t) >= 2 && t[0] == '/' && len(t) <= 5 && !strings.Contains(t[1:], "/") && !winAbs(t) && isLetters(t[1:]) {
			continue
		}
		out = append(out, &args[i])
	}
	return out
}

func isLetters(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return s != ""
}

// eatenSpaces are c's arguments, with those taken apart that a POSIX shell joins
// at the backslash which ends a Windows path: C:\Users\ /s.
func eatenSpaces(c *shellcmd.Command) []word {
	args := c.Args()
	if c.Has(shellcmd.PowerShell) || c.Has(shellcmd.Batch) {
		return args
	}
	var out []word
	for i := range args {
		raw := args[i].Raw
		if !strings.Contains(raw, `\ `) || strings.ContainsAny(raw, `'"$`) {
			if out != nil {
				out = append(out, args[i])
			}
			continue
		}
		if out == nil {
			out = append(make([]word, 0, len(args)+4), args[:i]...)
		}
		for part := range strings.SplitSeq(raw, `\ `) {
			if part == "" {
				continue
			}
			w := args[i]
			w.Raw, w.Text, w.Or = part, strings.ReplaceAll(part, `\`, "/"), nil
			if len(part) == 2 && part[1] == ':' {
				w.Text, w.Raw = part+"/", part+`\`
			}
			out = append(out, w)
		}
	}
	if out == nil {
		return args
	}
	return out
}

// windowsDelete judges Remove-Item, rd and del, in PowerShell, cmd or typed
// into a POSIX shell, where backslashes are already gone from Text.
func (j *judge) windowsDelete(c *shellcmd.Command) []removal {
	args := eatenSpaces(c)
	recursive, dry := false, false
	var ops []*word
	switch {
	case c.Program == "remove-item" || c.Program == "ri" || c.Has(shellcmd.PowerShell):
		for i := 0; i < len(args); i++ {
			t := strings.ToLower(args[i].Text)
			switch {
			case t == "-":
			case t == "/s":
				recursive = true
			case t == "/q":
			case strings.HasPrefix(t, "-") && len(t) > 1 && args[i].Raw[0] == '-':
				name := strings.TrimSuffix(t, ":$true")
				switch {
				case len(name) > 1 && strings.HasPrefix("-recurse", name):
					recursive = true
				case strings.HasPrefix("-whatif", name) && len(name) > 1, name == "-wi":
					dry = true
				case len(name) > 1 && (strings.HasPrefix("-path", name) || strings.HasPrefix("-literalpath", name) && len(name) > 2):
				case len(name) > 2 && (strings.HasPrefix("-exclude", name) || strings.HasPrefix("-include", name) ||
					strings.HasPrefix("-filter", name) && len(name) > 3 || strings.HasPrefix("-erroraction", name) || strings.HasPrefix("-stream", name) || name == "-ea"):
					i++
				}
			default:
				ops = append(ops, &args[i])
			}
		}
	case switchOf(args, "/s"):
		recursive = true
		ops = windowsOperands(args)
		if switchOf(args, "/?") {
			return nil
		}
	default:
		return nil
	}
	if dry {
		return nil
	}
	if out, ok := j.listedDelete(c, ops, recursive); ok {
		return out
	}
	if !recursive {
		return nil
	}
	var out []removal
	for _, w := range ops {
		d := *w
		if !c.Has(shellcmd.PowerShell) && !c.Has(shellcmd.Batch) {
			// A POSIX shell ate the backslashes of C:\.
			if raw := strings.Trim(w.Raw, `"' `); len(raw) >= 2 && raw[1] == ':' {
				d.Text = strings.ReplaceAll(raw, `\\`, `\`)
			}
		}
		d.Text = strings.TrimRight(d.Text, " ")
		low := strings.ToLower(d.Text)
		for _, v := range [...]string{"%userprofile%", "$env:userprofile", "%homepath%", "$home", "~"} {
			if strings.TrimRight(low, `\/*`) == v {
				out = append(out, removal{homeTarget, d.Text})
			}
		}
		d.Text = strings.ReplaceAll(d.Text, `\`, "/")
		if winAbs(d.Text) && regenerable(d.Text) && strings.Count(tidy(d.Text), "/") > 2 {
			continue
		}
		if r := j.tree(c, &d, false); r.danger != noDanger {
			out = append(out, r)
		}
	}
	if len(ops) == 0 {
		out = append(out, removal{unknownTarget, "what its input names"})
	}
	return out
}

// listedDelete judges the delete of what a Get-ChildItem before it lists, by itself
// or in a ForEach-Object; ok is false if there is none, or none that goes down
// folders and no recursive delete.
func (j *judge) listedDelete(c *shellcmd.Command, ops []*word, recursive bool) (out []removal, ok bool) {
	if !c.Has(shellcmd.PowerShell) {
		return nil, false
	}
	from := c
	for _, w := range ops {
		if !strings.HasPrefix(w.Raw, "$_") && !strings.HasPrefix(w.Raw, "$PSItem") {
			return nil, false
		}
	}
	if len(ops) > 0 {
		if c.Parent < 0 || c.Parent >= len(j.line.Commands) {
			return nil, false
		}
		from = &j.line.Commands[c.Parent]
	}
	for _, i := range from.Stdin.Peers {
		if i < 0 || i >= len(j.line.Commands) || j.line.Commands[i].Program != "get-childitem" {
			continue
		}
		n := &j.line.Commands[i]
		starts, narrow, deep := listing(n)
		if !deep && !recursive {
			continue
		}
		ok = true
		out = append(out, j.findTargets(n, starts, narrow)...)
	}
	return out, ok
}

// listing takes a Get-ChildItem apart: where it looks, whether it picks by name,
// and whether it goes down.
func listing(c *shellcmd.Command) (starts []*word, narrow, deep bool) {
	args := c.Args()
	for i := 0; i < len(args); i++ {
		t := strings.ToLower(args[i].Text)
		if !strings.HasPrefix(t, "-") || len(t) < 2 || args[i].Raw == "" || args[i].Raw[0] != '-' {
			base, pattern := splitGlob(args[i].Text)
			if pattern == "" || everything(pattern) {
				w := args[i]
				if pattern != "" {
					w.Text, w.Or, w.Glob = base, nil, false
					if base == "" {
						w.Text = "."
					}
				}
				starts = append(starts, &w)
				continue
			}
			narrow = true
			if base != "" {
				w := args[i]
				w.Text, w.Or, w.Glob = base, nil, false
				starts = append(starts, &w)
			}
			continue
		}
		switch name := strings.TrimSuffix(t, ":$true"); {
		case strings.HasPrefix("-recurse", name), name == "-s":
			deep = true
		case len(name) > 2 && (strings.HasPrefix("-include", name) || strings.HasPrefix("-filter", name)):
			if i++; i < len(args) {
				narrow = narrow || !everything(args[i].Text)
			}
		case len(name) > 2 && (strings.HasPrefix("-exclude", name) || strings.HasPrefix("-erroraction", name) || strings.HasPrefix("-attributes", name) || strings.HasPrefix("-depth", name)), name == "-ea":
			i++
		}
	}
	return starts, narrow, deep
}

// file judges the delete of one file: only those of the operating system and
// whole folders' worth outside the project matter.
func (j *judge) file(c *shellcmd.Command, w *word) removal {
	if c.Has(shellcmd.Remote) {
		return removal{}
	}
	for _, v := range w.Values() {
		if strings.Contains(v, shellcmd.Unknown) {
			continue
		}
		base, pattern := splitGlob(v)
		p, ok := j.abs(c.Dir, v)
		if pattern != "" && everything(pattern) {
			p, ok = j.abs(c.Dir, base)
			if base == "" {
				p, ok = c.Dir, c.Dir != ""
			}
			if ok && j.classify(p, true) >= outside && !j.within(j.root, p) {
				return removal{outsideTarget, v}
			}
			continue
		}
		if ok && systemTree(p) && strings.Count(p, "/") > 1 && !strings.HasPrefix(p, "/dev/") {
			if j.classify(p, false) == outside {
				return removal{systemFile, v}
			}
		}
	}
	return removal{}
}
