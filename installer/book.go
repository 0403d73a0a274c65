package installer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/installer/jsonedit"
)

// A book is a settings file of a host in which our entries stand beside what
// others wrote: how it is read, where it may be, what is ours in it.
type book struct {
	host    string
	title   string // the host's name for people
	syntax  jsonedit.Syntax
	spoilt  string      // what the host makes of a file that it cannot read
	perm    fs.FileMode // of a new file
	dirPerm fs.FileMode // of a new folder
	dot     string      // the host's folder in a project

	// defects lists what makes the host ignore the whole file, and what made
	// older versions do so, as oldSays tells; nil = nothing does.
	defects func(*jsonedit.Doc) (fatal, old []defect)
	oldSays string

	// enable makes changes beside the entries, and lists them; tidy takes them
	// out once no entry is left; nil = there are none.
	enable func(*jsonedit.Doc) ([]string, error)
	tidy   func(*jsonedit.Doc) error

	identity identity
	speech   speech
}

func (b book) faults(doc *jsonedit.Doc) (fatal, old []defect) {
	if b.defects == nil {
		return nil, nil
	}
	return b.defects(doc)
}

// removeOurs takes out every entry of ours and returns how many there were.
func (b book) removeOurs(doc *jsonedit.Doc) (int, error) {
	n, err := b.identity.removeOurs(doc)
	if err == nil && b.tidy != nil {
		err = b.tidy(doc)
	}
	return n, err
}

// defect is a handler because of which the host ignores the whole file.
type defect struct{ place, what string }

// parse reads a settings file as the host does. Every refusal says what the host
// makes of the file today.
func (b book) parse(path string, data []byte) (*jsonedit.Doc, error) {
	if data == nil {
		return jsonedit.Missing(b.syntax), nil
	}
	doc, err := jsonedit.Parse(data, b.syntax)
	if e, ok := errors.AsType[*jsonedit.Error](err); ok {
		at := fmt.Sprintf("%s:%d:%d", path, e.Line, e.Col)
		if e.Reason == jsonedit.Duplicate {
			return nil, refuse(at, "%s; remove one of them", e.Msg)
		}
		return nil, refuse(at, "%s: %s; mend it and run init again", e.Msg, b.spoilt)
	}
	if err != nil {
		return nil, &Refusal{path, err}
	}
	return doc, nil
}

// read reads a settings file for a look; nil if there is none or it cannot be
// read.
func (b book) read(path string) (*jsonedit.Doc, error) {
	data, _, err := readFile(path)
	if err != nil {
		return nil, err
	}
	if data == nil {
		return nil, nil
	}
	return b.parse(path, data)
}

// checkPlace refuses places where a cloned repository or a special file could
// lead a write astray.
func (b book) checkPlace(r Request, file string) error {
	return checkPlace(r, b.dot, file)
}

// checkPlace is that for any file; dot is the folder of the project in which it
// stands.
func checkPlace(r Request, dot, file string) error {
	target, err := fsx.Resolve(file)
	if err != nil {
		return &Refusal{file, err}
	}
	if r.Scope != User {
		root, err := fsx.Resolve(r.Dir)
		if err != nil {
			return &Refusal{r.Dir, err}
		}
		dot := filepath.Join(r.Dir, dot)
		if info, err := os.Lstat(dot); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return refuse(dot, "it is a symbolic link: a repository could lead us out of the project with it; make it a directory, or install with -g")
		}
		if !strings.HasPrefix(target, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator)) {
			return refuse(file, "it leads to %s, outside the project; remove the link, or install with -g", target)
		}
	}
	return checkFile(file, target)
}

// checkFile refuses a target that cannot be replaced. file is its name for
// people.
func checkFile(file, target string) error {
	what, err := fsx.Special(target)
	if err != nil {
		return &Refusal{file, err}
	}
	switch what {
	case fsx.Absent:
		return nil
	case fsx.Regular:
		if info, err := os.Stat(target); err == nil && info.Mode().Perm()&0o222 == 0 {
			return refuse(file, "it is read-only; make it writable first (chmod u+w)")
		}
		return nil
	case fsx.HardLinked:
		return refuse(file, "it has several names (hard links), and replacing it would part them; copy it onto itself first")
	default:
		return refuse(file, "it is a %s; a settings file must be a regular file", what)
	}
}

// planInstall brings our entries in a file to what is wanted. instead is proved
// where the entries cannot be, yet; nil = they can.
func (b book) planInstall(ctx context.Context, i *Installer, r Request, rec reconciler, file string, instead *command) (*plan, error) {
	if err := b.checkPlace(r, file); err != nil {
		return nil, err
	}
	data, was, err := readFile(file)
	if err != nil {
		return nil, &Refusal{file, unwrapPath(err)}
	}
	doc, err := b.parse(file, data)
	if err != nil {
		return nil, err
	}
	fatal, old := b.faults(doc)
	if len(fatal) > 0 {
		return nil, refuse(file+":"+fatal[0].place, "%s: because of it %s; mend it and run init again", fatal[0].what, b.spoilt)
	}
	var changes []string
	if b.enable != nil {
		if changes, err = b.enable(doc); err != nil {
			return nil, shapeRefusal(file, err)
		}
	}
	more, err := rec.reconcile(doc)
	if err != nil {
		return nil, shapeRefusal(file, err)
	}
	changes = append(changes, more...)
	all, receiptWas, err := i.readReceipts()
	if err != nil {
		return nil, err
	}

	p := &plan{done: Installed, settled: Already, report: Report{Host: b.host, Scope: r.Scope, Route: Settings}}
	p.report.add("note", file, "%s scope", r.Scope)
	for _, d := range old {
		p.report.add("warn", file+":"+d.place, "%s: %s", d.what, b.oldSays)
	}
	for _, e := range rec.scan(doc) {
		if e.kind == wrapped {
			p.report.add("note", file+":"+e.place, "%s: another command that runs guardrails; counted, left as it is", e.event)
		}
		if e.kind == ours && rec.newer != nil && rec.newer(e.program) {
			p.report.add("keep", file+":"+e.place, "%s: runs a newer build, %s; --force replaces it", e.event, e.program)
		}
	}

	project, err := planProject(p, r)
	if err != nil {
		return nil, err
	}
	p.steps = append(p.steps, project...)
	bin, kept, err := i.planBinary(ctx, r.Force)
	if err != nil {
		return nil, err
	}
	if kept != "" {
		p.report.add("keep", i.Binary(), "version %s is newer than this one, %s; --force replaces it", kept, i.env.Version)
	}
	p.steps = append(p.steps, bin...)

	rcpt := receipt{Host: b.host, Scope: r.Scope.String(), Route: Settings.String(), File: file, Existed: b.existed(file, data), ConfigDir: r.ConfigDir}
	if r.Scope != User {
		rcpt.Dir = r.Dir
	}
	have, known := all.find(rcpt)
	if known {
		rcpt.Existed, rcpt.Backup, rcpt.MadeDirs = have.Existed, have.Backup, have.MadeDirs
	}
	content := data
	var dirs []step // after the receipt, which names them
	if len(changes) > 0 {
		content = doc.Bytes()
		if data != nil {
			steps, backup, err := i.planBackup(file, data)
			if err != nil {
				return nil, err
			}
			p.steps = append(p.steps, steps...)
			if rcpt.Backup == "" {
				rcpt.Backup = backup
			}
		}
		missing, err := missingDirs(filepath.Dir(file))
		if err != nil {
			return nil, err
		}
		for _, d := range missing {
			if !slices.ContainsFunc(project, func(s step) bool { ds, ok := s.(*dirStep); return ok && ds.path == d }) {
				dirs = append(dirs, &dirStep{path: d, perm: b.dirPerm})
				rcpt.MadeDirs = append(rcpt.MadeDirs, d)
			}
		}
	}
	rcpt.SHA256 = digest(content)
	s, err := i.planReceipt(all, receiptWas, rcpt)
	if err != nil {
		return nil, err
	}
	p.steps = append(append(p.steps, s...), dirs...)
	if len(changes) > 0 { // what activates goes last
		p.steps = append(p.steps, &fileStep{path: file, data: content, perm: b.perm, was: was, old: data, text: summary(changes)})
	}

	p.proofs = func(ctx context.Context, run *run) error { return b.proveFile(ctx, run, r, rec, file, instead) }
	return p, nil
}

// existed reports whether a file was there before us: a file that holds nothing
// but our entries was not.
func (b book) existed(file string, data []byte) bool {
	if data == nil {
		return false
	}
	doc, err := b.parse(file, data)
	if err != nil {
		return true
	}
	_, err = b.removeOurs(doc)
	return err != nil || !doc.Gone()
}

// proveFile reads the file again and, when all that is wanted stands there, runs
// each registered command.
func (b book) proveFile(ctx context.Context, run *run, r Request, rec reconciler, file string, instead *command) error {
	data, _, err := readFile(file)
	if err != nil {
		return fmt.Errorf("read it again: %s: %w", file, err)
	}
	doc, err := b.parse(file, data)
	if err != nil {
		return fmt.Errorf("read it again: %w", err)
	}
	found, extra := rec.match(doc)
	for _, f := range found {
		if f.entry == nil || !f.current {
			return fmt.Errorf("%s was written, and its handler for %s is not there", file, f.wanted.wiring.Event)
		}
	}
	if len(extra) > 0 {
		return fmt.Errorf("%s was written, and a surplus handler for %s is still there", file, extra[0].event)
	}
	dir := r.Dir
	if r.Scope == User {
		dir = ""
	}
	return b.proveEntries(ctx, run, found, dir, instead, filepath.Base(file))
}

// proveEntries runs each distinct command of the entries found.
func (b book) proveEntries(ctx context.Context, run *run, found []finding, dir string, instead *command, where string) error {
	var done []string
	for _, f := range found {
		cmd := b.speech.command(f.entry.node)
		if instead != nil {
			cmd = *instead
		}
		if slices.Contains(done, cmd.String()) {
			continue
		}
		done = append(done, cmd.String())
		if err := run.i.prove(ctx, b.speech, cmd, f.wanted.wiring, dir); err != nil {
			return err
		}
	}
	text := "the registered command denied a recursive delete of a home and let git status pass"
	if instead != nil {
		text = "the installed program denied a recursive delete of a home and let git status pass; the entry in " + where + " does not reach it yet"
	}
	run.report.add("prove", "", "%s", text)
	return nil
}

// shapeRefusal names the file of an edit that does not fit its shape.
func shapeRefusal(file string, err error) error {
	if e, ok := errors.AsType[*jsonedit.Error](err); ok {
		return refuse(fmt.Sprintf("%s:%d:%d", file, e.Line, e.Col), "%s; mend it and run init again", e.Msg)
	}
	return &Refusal{file, err}
}

// planProject makes the project's directory and its configuration file.
func planProject(p *plan, r Request) ([]step, error) {
	if r.Dir == "" {
		return nil, nil
	}
	var out []step
	if r.Scope != User {
		missing, err := missingDirs(r.Dir)
		if err != nil {
			return nil, err
		}
		for _, d := range missing {
			out = append(out, &dirStep{path: d, perm: 0o755, tell: true})
		}
	}
	if r.Starter == "" {
		return out, nil
	}
	path := filepath.Join(r.Dir, ".guardrails.yaml")
	if _, err := os.Lstat(path); err == nil {
		p.partial = append(p.partial, path+" is there already and was left as it is: edit it, then run guardrails trust")
		return out, nil
	}
	out = append(out, &fileStep{path: path, data: []byte(r.Starter), perm: 0o644, text: "starter configuration"})
	if r.Trust != nil {
		out = append(out, &callStep{what: Line{"trust", path, ""}, call: func() error { return r.Trust(path) }})
	}
	return out, nil
}

// jsonText is s as it stands inside a JSON string.
func jsonText(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return s
	}
	return string(b[1 : len(b)-1])
}

// callStep does something that has no undo of its own.
type callStep struct {
	what Line
	call func() error
}

func (s *callStep) line() (Line, bool) { return s.what, true }
func (s *callStep) do(*run) error      { return s.call() }

// planOut takes the entries out of a file. by is the command that a person
// would have to look for.
func (b book) planOut(i *Installer, r Request, p *plan, rest receipts, looked *[]string, file, by string) (receipts, error) {
	*looked = append(*looked, file)
	like := receipt{Host: b.host, Route: Settings.String(), File: file}
	rec, known := rest.find(like)
	data, was, err := readFile(file)
	if err != nil {
		return rest, &Refusal{file, unwrapPath(err)}
	}
	if data == nil { // perhaps a run died before it wrote the file
		p.steps = append(p.steps, planRmdirs(rec.MadeDirs, nil, false)...)
		return rest.without(like), nil
	}
	doc, err := jsonedit.Parse(data, b.syntax)
	if err != nil {
		e, ok := errors.AsType[*jsonedit.Error](err)
		if ok && !mentions(string(data)) && !strings.Contains(string(data), `"--agent"`) {
			p.report.add("warn", fmt.Sprintf("%s:%d:%d", file, e.Line, e.Col), "%s: %s; it holds nothing of ours that we can see", e.Msg, b.spoilt)
			return rest, nil
		}
		if ok {
			return rest, refuse(fmt.Sprintf("%s:%d:%d", file, e.Line, e.Col), "%s: nothing was removed; mend the file and run this again, or delete by hand every handler whose command is %s", e.Msg, by)
		}
		return rest, &Refusal{file, err}
	}
	n, err := b.removeOurs(doc)
	if err != nil {
		return rest, shapeRefusal(file, err)
	}
	for _, e := range b.identity.scan(doc) {
		if e.kind == wrapped {
			p.report.add("note", file+":"+e.place, "%s: another command that runs guardrails; left as it is", e.event)
		}
	}
	if strings.Contains(string(doc.Bytes()), jsonText(i.Binary())) {
		p.needed = file
	}
	if n == 0 {
		return rest.without(like), nil
	}
	if err := b.checkPlace(r, file); err != nil {
		return rest, err
	}
	steps, _, err := i.planBackup(file, data)
	if err != nil {
		return rest, err
	}
	p.steps = append(p.steps, steps...)
	text := "1 handler of ours"
	if n != 1 {
		text = fmt.Sprintf("%d handlers of ours", n)
	}
	content := doc.Bytes()
	switch {
	case doc.Gone() && known && rec.Existed: // it was there; an empty object says as little
		p.steps = append(p.steps, &fileStep{path: file, data: []byte("{}\n"), perm: b.perm, was: was, old: data, text: "without " + text})
	case doc.Gone():
		target, err := fsx.Resolve(file) // a link that led to nothing leads to nothing again
		if err != nil {
			return rest, &Refusal{file, err}
		}
		p.steps = append(p.steps, &removeStep{path: target, was: was, old: data, perm: b.perm, text: text + ", and nothing else was in it"})
	default:
		p.steps = append(p.steps, &fileStep{path: file, data: content, perm: b.perm, was: was, old: data, text: "without " + text})
	}
	p.steps = append(p.steps, planRmdirs(rec.MadeDirs, p.steps, false)...)
	p.proofs = chain(p.proofs, func(context.Context, *run) error {
		again, _, err := readFile(file)
		if err != nil {
			return fmt.Errorf("read it again: %s: %w", file, err)
		}
		if digest(again) != digest(content) && !doc.Gone() {
			return fmt.Errorf("%s was written and does not hold what was written: %w", file, fsx.ErrChanged)
		}
		return nil
	})
	return rest.without(like), nil
}
