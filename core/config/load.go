package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ec261362/guardrails/core/config/tree"
	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/handoff/pack"
)

// HumanFileName is the human's own file in the state home. It counts as trusted.
const HumanFileName = "config.yaml"

// LoadOptions says where to look.
type LoadOptions struct {
	Root      string // project root; "" = none
	StateHome string
	// TreatAsTrusted is for verbs that a human types outside a host.
	TreatAsTrusted bool
	// Remember keeps the last valid policy.protect of this root under the state
	// home, for the day the file is broken. Only the hook sets it.
	Remember bool
	// ReadFile reads a regular file of at most limit bytes; nil reads the real
	// file system.
	ReadFile func(name string, limit int64) ([]byte, error)
	// YAML reads the files that tree.Plain does not; nil: see Beyond.
	YAML tree.Reader
}

// Effective is the merged configuration and how it came about.
type Effective struct {
	Config Config

	Root    string
	Project string // the project's file, "" if there is none
	Human   string // the human's file, "" if there is none
	// OptedIn says that the project has a file, valid or not.
	OptedIn bool

	// NeedsTrust says that the project's file has something that counts only
	// once it is trusted; Trusted, that it does count. Trusted is not looked up
	// when there is no need.
	NeedsTrust bool
	Trusted    bool
	TrustErr   error // the record of trust could not be read; nothing is trusted
	Held       []Held

	// Problems of both files. A file with problems is left out as a whole, see
	// Paused.
	Problems Problems
	Paused   Paused
	Notices  []string

	// Beyond says that a file needs LoadOptions.YAML, which is nil: nobody may
	// act on what this says.
	Beyond bool

	// RememberErr says why the last valid policy.protect could not be kept.
	RememberErr error

	layers []layer
}

// Held is something that an untrusted project's file wants and does not get.
type Held struct {
	Key  string // dotted, e.g. policy.allow
	File string
	Line int
	Col  int
	Why  string
	Code bool // it would run code
}

// String returns key (file:line): why.
func (h Held) String() string {
	return h.Key + " (" + h.File + ":" + strconv.Itoa(h.Line) + "): " + h.Why
}

// Paused lists what a broken file was known to switch on: its Stop gates rest,
// its recorders go on.
type Paused struct {
	Quality  bool
	Evidence bool
	Packs    []string
}

// layer says which key came from where.
type layer struct {
	file  string
	marks []mark
}

// Load reads and merges all layers. It never fails: what is wrong is in
// Problems, and then the layers below stand. Without any file it opens nothing
// but two paths.
func Load(o LoadOptions) *Effective {
	l := loading{
		o: o,
		e: &Effective{Config: Defaults(), Root: o.Root},
	}
	if l.o.ReadFile == nil {
		l.o.ReadFile = fsx.ReadFile
	}
	l.human()
	// What the human's file alone comes to is what a project may not loosen.
	low := l.e.Config
	low.settle(false)
	// The next two are switched on by a project's own file only.
	l.e.Config.Quality.On = false
	l.e.Config.Evidence.On = false
	l.project(&low)
	l.e.Config.settle(l.e.OptedIn && len(l.e.Problems) == 0)
	l.resolveNames(&low)
	if len(l.e.Problems) > 0 && l.e.Config.Quality.On {
		l.e.Config.Quality.On = false
	}
	return l.e
}

type loading struct {
	o LoadOptions
	e *Effective
}

// settle turns "the section stands" into "it is in force".
func (c *Config) settle(optedIn bool) {
	c.Validators.On = c.Validators.On && c.Validators.Enabled
	c.Evidence.On = c.Evidence.On && c.Evidence.Enabled
	c.Dependencies.On = (c.Dependencies.On || optedIn) && c.Dependencies.Enabled
}

// read returns the content of a configuration file, or its one problem.
func (l *loading) read(name string) (data []byte, there bool, problem string) {
	data, err := l.o.ReadFile(name, MaxSize)
	switch {
	case err == nil:
		return data, true, ""
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, false, ""
	case errors.Is(err, fsx.ErrTooLarge):
		return nil, true, fmt.Sprintf("larger than %d KiB", MaxSize>>10)
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return nil, true, "cannot be read: " + err.Error()
}

func (l *loading) human() {
	if l.o.StateHome == "" {
		return
	}
	name := filepath.Join(l.o.StateHome, HumanFileName)
	data, there, problem := l.read(name)
	if !there {
		return
	}
	l.e.Human = name
	f, problems := l.parse(name, data, problem)
	if len(problems) > 0 {
		l.broken(problems, f, "")
		return
	}
	for i := range f.set {
		l.apply(f, &f.set[i])
	}
	l.e.layers = append(l.e.layers, layer{name, f.set})
	l.remember(f, "")
}

func (l *loading) parse(name string, data []byte, problem string) (*File, Problems) {
	if problem != "" {
		return nil, Problems{{File: name, Msg: problem}}
	}
	f, problems, beyond := parse(name, data, l.o.YAML)
	l.e.Beyond = l.e.Beyond || beyond
	return f, problems
}

func (l *loading) project(low *Config) {
	if l.o.Root == "" {
		return
	}
	name := filepath.Join(l.o.Root, FileName)
	data, there, problem := l.read(name)
	if !there {
		return
	}
	l.e.Project, l.e.OptedIn = name, true
	f, problems := l.parse(name, data, problem)
	if len(problems) > 0 {
		l.broken(problems, f, l.o.Root)
		return
	}
	held := holdable(f, low)
	l.e.NeedsTrust = len(held) > 0
	if l.e.NeedsTrust {
		l.e.Trusted = l.o.TreatAsTrusted
		if !l.e.Trusted {
			l.e.Trusted, l.e.TrustErr = IsTrusted(l.o.StateHome, l.o.Root, Sum(data))
		}
	}
	applied := make([]mark, 0, len(f.set))
	for i := range f.set {
		m := &f.set[i]
		if h := heldAs(held, m); h != nil && !l.e.Trusted {
			if m.f.tighten != nil {
				m.f.tighten(&l.e.Config, low, &f.Config)
				part := *m
				part.partial = true
				applied = append(applied, part)
			}
			continue
		}
		l.apply(f, m)
		applied = append(applied, *m)
	}
	if !l.e.Trusted {
		l.e.Held = held
	}
	l.e.layers = append(l.e.layers, layer{name, applied})
	l.remember(f, l.o.Root)
}

// holdable lists what of a project's file counts only once it is trusted.
func holdable(f *File, low *Config) []Held {
	var held []Held
	for i := range f.set {
		m := &f.set[i]
		h := Held{Key: m.path, File: f.Name, Line: m.line, Col: m.col}
		switch {
		case m.sec.code != "" && m.f != m.sec:
			continue // its section is held whole
		case m.f.code != "":
			h.Why, h.Code = m.f.code, true
		case m.f.looser != nil:
			h.Why = m.f.looser(low, &f.Config)
		}
		if h.Why != "" {
			held = append(held, h)
		}
	}
	return held
}

// heldAs returns the entry that m is held by.
func heldAs(held []Held, m *mark) *Held {
	for i := range held {
		if held[i].Key == m.path || m.sec.code != "" && held[i].Key == m.sec.key {
			return &held[i]
		}
	}
	return nil
}

// apply takes one key over from f.
func (l *loading) apply(f *File, m *mark) {
	if m.f.kind == kindSection {
		m.f.stand(&l.e.Config)
		return
	}
	take(m.f.at(&l.e.Config), m.f.at(&f.Config), m.f.union)
}

// take sets *to to *from, or to both together.
func take(to, from any, both bool) {
	switch to := to.(type) {
	case *bool:
		*to = *from.(*bool)
	case *int:
		*to = *from.(*int)
	case *float64:
		*to = *from.(*float64)
	case *string:
		*to = *from.(*string)
	case *Mode:
		*to = *from.(*Mode)
	case *time.Duration:
		*to = *from.(*time.Duration)
	case *[]string:
		if list := *from.(*[]string); both {
			*to = union(*to, list)
		} else {
			*to = list
		}
	case *[]Allow:
		*to = append((*to)[:len(*to):len(*to)], *from.(*[]Allow)...)
	case *[]Rewrite:
		*to = *from.(*[]Rewrite)
	case *[]ValidatorAllow:
		*to = *from.(*[]ValidatorAllow)
	case *[]CustomValidator:
		*to = *from.(*[]CustomValidator)
	case *[]Package:
		*to = *from.(*[]Package)
	case *[]pack.Pack:
		for _, p := range *from.(*[]pack.Pack) {
			if !slices.ContainsFunc(*to, func(q pack.Pack) bool { return q.Name == p.Name }) {
				*to = append((*to)[:len(*to):len(*to)], p)
			}
		}
	default:
		panic(fmt.Sprintf("config: no merge for %T", to))
	}
}

// broken leaves a file out, but for what protects.
func (l *loading) broken(problems Problems, f *File, root string) {
	l.e.Problems = append(l.e.Problems, problems...)
	last := recall(l.o, root)
	protect := last.Protect
	if f != nil {
		protect = union(protect, f.Config.Policy.Protect)
	}
	l.e.Config.Policy.Protect = union(l.e.Config.Policy.Protect, protect)
	l.e.Paused.Quality = true
	l.e.Paused.Evidence = l.e.Paused.Evidence || last.Evidence
	l.e.Paused.Packs = union(l.e.Paused.Packs, last.Packs)
	l.validators(problems, f, last.Validators)
}

// validators keeps on what a broken file switches on, or did when it was whole: a
// check of content must not go away with a slip of the pen. With a problem in their
// own section nobody knows what they are; else they run as the file has them, but
// for what needs trust.
func (l *loading) validators(problems Problems, f *File, were *validators) {
	to := &l.e.Config.Validators
	var v Validators
	if f != nil {
		v = f.Config.Validators
	}
	i := slices.IndexFunc(problems, func(p Problem) bool {
		return strings.HasPrefix(p.Msg, "validators") || strings.Contains(p.Msg, " in validators")
	})
	switch {
	case i >= 0 && (v.Enabled || were != nil || strings.HasPrefix(problems[i].Msg, "validators.enabled")):
		to.On, to.Enabled, to.Broken = true, true, problems[i].String()
	case v.On && v.Enabled:
		to.keep(v.Input, v.Output)
	case !v.On && were != nil:
		to.keep(were.Input, were.Output)
	}
}

// keep switches on what of the names is built in, beside what is on already.
func (v *Validators) keep(input, output []string) {
	if v.On && v.Enabled {
		input, output = union(v.Input, input), union(v.Output, output)
	}
	v.On, v.Enabled, v.Input, v.Output = true, true, input, output // resolveNames drops the others
}

// resolveNames drops validators that no layer in force defines.
func (l *loading) resolveNames(low *Config) {
	v := &l.e.Config.Validators
	for _, list := range []struct {
		key  string
		to   *[]string
		back []string
	}{{"input", &v.Input, low.Validators.Input}, {"output", &v.Output, low.Validators.Output}} {
		var kept, gone []string
		for _, name := range *list.to {
			if has(builtinValidators, name) || v.custom(name) {
				kept = append(kept, name)
			} else {
				gone = append(gone, name)
			}
		}
		if len(gone) == 0 {
			continue
		}
		if len(kept) == 0 {
			for _, name := range list.back {
				if has(builtinValidators, name) || v.custom(name) {
					kept = append(kept, name)
				}
			}
		}
		if len(kept) == 0 {
			kept = builtinValidators
		}
		*list.to = kept
		if v.On && len(l.e.Held) == 0 {
			l.e.Notices = append(l.e.Notices, fmt.Sprintf("validators.%s names %s, which validators.custom no longer defines", list.key, strings.Join(gone, ", ")))
		}
	}
}

func (v *Validators) custom(name string) bool {
	for i := range v.Custom {
		if v.Custom[i].Name == name {
			return true
		}
	}
	return false
}

// Broken reports whether a file was left out because of its problems.
func (e *Effective) Broken() bool { return len(e.Problems) > 0 }

// BuiltIn is the origin of a value that no file sets.
const BuiltIn = "built-in"

// Origin returns where the value of a dotted key comes from: file:line, several
// of them for lists that are unions, or BuiltIn.
func (e *Effective) Origin(key string) string {
	var from []string
	isUnion := false
	for _, l := range e.layers {
		for _, m := range l.marks {
			if m.path != key {
				continue
			}
			isUnion = m.f.union
			if !isUnion && !m.partial {
				from = from[:0]
			}
			from = append(from, l.file+":"+strconv.Itoa(m.line))
		}
	}
	if len(from) == 0 {
		return BuiltIn
	}
	if isUnion && key == "policy.packs" {
		from = append([]string{BuiltIn}, from...)
	}
	return strings.Join(from, ", ")
}

// HeldNotice tells the human, in one line, what is held back and that command
// releases it. It is empty if nothing is.
func (e *Effective) HeldNotice(command string) string {
	if len(e.Held) == 0 {
		return ""
	}
	keys := make([]string, len(e.Held))
	for i, h := range e.Held {
		keys[i] = h.Key
	}
	return fmt.Sprintf("%s is not trusted yet, so this of it does not count: %s. Read it, then run %s in a terminal.", e.Project, strings.Join(keys, ", "), command)
}

// ProblemNotice tells the human what is wrong and what that means. It is empty
// if nothing is wrong. At most max problems are listed; 0 means all.
func (e *Effective) ProblemNotice(limit int) string {
	if len(e.Problems) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("the configuration has problems; until they are fixed quality is paused and policy runs on its defaults:")
	for i, p := range e.Problems {
		if limit > 0 && i == limit {
			fmt.Fprintf(&b, "\n  and %d more: guardrails config validate", len(e.Problems)-i)
			break
		}
		b.WriteString("\n  " + p.String())
	}
	return b.String()
}
