package deps

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/depsdev"
	"github.com/ec261362/guardrails/core/deps/osv"
	"github.com/ec261362/guardrails/core/deps/popular"
	"github.com/ec261362/guardrails/core/deps/registry"
	"github.com/ec261362/guardrails/core/deps/version"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
)

// DemoName is a package name that is refused as malware in every ecosystem,
// without a look-up. It exists nowhere: it is for trying the check out.
const DemoName = "guardrails-demo-malicious-package"

// asked is a package with what is known of it before any look-up.
type asked struct {
	coord.Package
	was string // the version that is declared or locked now, "" = none
	own bool   // in the scope of the project itself
}

// oldEnough is the age from which on a name near a popular one is nothing new.
const oldEnough = 180 * 24 * time.Hour

// manyNew is the number of packages from which on popular ones are passed over.
const manyNew = 20

// examiner looks at the packages of one call.
type examiner struct {
	*answers
	now      time.Time
	handOver atomic.Bool
}

// examine looks all of them up, at most maxParallel requests at a time.
func (x *examiner) examine(list []asked) (findings []Finding, unasked []Unasked, err error) {
	if len(list) > manyNew {
		if x.set.patience() <= deadline { // who has time has all of them looked at
			list = slices.DeleteFunc(slices.Clone(list), func(p asked) bool { return popular.Popular(p.Ecosystem, p.Name) })
		}
		x.batch(list)
	}
	results := make([]result, len(list))
	var all sync.WaitGroup
	for i := range list {
		all.Go(func() {
			r := subject{examiner: x, p: &list[i]}
			r.examine()
			results[i] = r.result
		})
	}
	all.Wait()
	if x.handOver.Load() {
		return nil, nil, gate.ErrHandOver
	}
	for i := range results {
		findings = append(findings, results[i].findings...)
		if why := results[i].why(); why != "" {
			unasked = append(unasked, Unasked{list[i].Package, why})
		}
	}
	return sorted(findings), unasked, nil
}

// batch asks OSV for all pinned versions at once.
func (x *examiner) batch(list []asked) {
	packages := make([]coord.Package, len(list))
	versions := make([]string, len(list))
	for i := range list {
		packages[i], versions[i] = list[i].Package, list[i].Exact()
	}
	x.prefetch(packages, versions, popular.Popular)
}

// result is what became of one package.
type result struct {
	findings []Finding
	failures []string
}

func (r *result) why() string {
	var out []string
	for _, f := range r.failures {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return strings.Join(out, ", ")
}

// subject is one package under examination.
type subject struct {
	*examiner
	p      *asked
	scheme version.Scheme
	result

	popular bool
	near    []string
	assumed string // said behind a version that is only likely the one that is meant
}

// failed notes that something could not be found out; true if err is a failure.
func (s *subject) failed(err error) bool {
	switch {
	case err == nil, errors.Is(err, errNotFound), errors.Is(err, errOffline):
		return false
	case errors.Is(err, gate.ErrHandOver):
		s.needs(err)
		return true
	}
	s.failures = append(s.failures, err.Error())
	return true
}

// needs notes that this process cannot find out what another can.
func (s *subject) needs(err error) {
	if errors.Is(err, gate.ErrHandOver) {
		s.handOver.Store(true)
	}
}

func (s *subject) add(k Kind, d hook.Decision, detail string, instead ...string) *Finding {
	if s.p.Advisory && d.Rank() > hook.Advise.Rank() {
		d = hook.Advise
	}
	s.findings = append(s.findings, Finding{Package: s.p.Package, Kind: k, Verdict: d, Detail: detail, Instead: instead})
	return &s.findings[len(s.findings)-1]
}

// records are the advisories on a version of a package.
func (s *subject) records(name, v string) ([]osv.Record, error) {
	list, err := s.advisories(s.p.Ecosystem, name, v, s.popular)
	if s.p.Ecosystem != coord.NuGet || err != nil {
		return list, err
	}
	// OSV knows a package of NuGet in one letter case only. Where the registry
	// does not say which, the one that was written has to do.
	if id, serr := s.spelling(name); serr == nil && id != name {
		var more []osv.Record
		more, err = s.advisories(s.p.Ecosystem, id, v, s.popular)
		list = append(slices.Clone(list), more...)
	}
	return list, err
}

// inWords is a version in a sentence.
func (s *subject) inWords(v string) string { return v + s.assumed }

// pinned is the package with a version, as its tool wants it written.
func (s *subject) pinned(v string) string {
	switch s.p.Ecosystem {
	case coord.PyPI:
		return s.p.Name + "==" + v
	case coord.RubyGems, coord.Packagist, coord.Maven:
		return s.p.Name + ":" + v
	case coord.Conda:
		return s.p.Name + "=" + v
	case coord.Go:
		if !strings.HasPrefix(v, "v") {
			v = "v" + v
		}
	case coord.None, coord.NPM, coord.Crates, coord.NuGet:
	}
	return s.p.Name + "@" + v
}

// named is how a package is called in a sentence.
func (s *subject) named() string {
	return "the " + ecosystemName(s.p.Ecosystem) + " package " + s.p.Name
}

func ecosystemName(e coord.Ecosystem) string {
	switch e {
	case coord.Crates:
		return "Rust"
	case coord.None, coord.NPM, coord.PyPI, coord.Go, coord.RubyGems, coord.Packagist, coord.NuGet, coord.Maven, coord.Conda:
	}
	return string(e)
}

func (s *subject) examine() {
	s.scheme = version.Of(string(s.p.Ecosystem))
	if strings.EqualFold(s.p.Name, DemoName) {
		s.add(Malicious, hook.Deny, s.named()+" is the name by which this check is tried out")
		return
	}
	if s.popular = popular.Popular(s.p.Ecosystem, s.p.Name); !s.popular {
		s.near = popular.Near(s.p.Ecosystem, s.p.Name)
	}
	if !s.set.Online {
		s.nearName(time.Time{}, 0)
		return
	}
	if s.p.Ecosystem == coord.Conda || !osv.Known(s.p.Ecosystem) {
		s.failures = append(s.failures, "no service knows "+string(s.p.Ecosystem)+" packages")
		return
	}
	exact, typed := s.p.Exact(), s.p.Name
	var early []osv.Record
	var earlyErr error
	var both sync.WaitGroup
	if exact != "" {
		both.Go(func() { early, earlyErr = s.records(typed, exact) })
	}
	found, err := s.find()
	both.Wait()
	if err == nil && s.p.Ecosystem == coord.Go && found.Name != typed {
		s.p.Name = found.Name // the module that has the package
		if exact != "" {
			early, earlyErr = s.records(s.p.Name, exact)
		}
	}
	switch {
	case errors.Is(err, errNotFound):
		s.missing()
	case s.failed(err):
		s.nearName(time.Time{}, 0)
	}
	if exact != "" {
		if !s.failed(earlyErr) {
			s.judge(early, exact, found)
		}
		if err == nil {
			s.released(exact, found)
		}
	} else if err == nil {
		s.resolve(found)
	}
	if err == nil {
		s.age(found)
	}
	if slices.ContainsFunc(s.findings, func(f Finding) bool { return f.Kind == NoSuchVersion }) {
		// A range of an advisory may hold it, but it cannot be installed.
		s.findings = slices.DeleteFunc(s.findings, func(f Finding) bool { return f.Kind == Vulnerable })
	}
	if builtIn(s.p.Ecosystem, s.p.Name) {
		s.findings = slices.DeleteFunc(s.findings, func(f Finding) bool { return f.Kind != Malicious })
	}
	if s.p.Indirect {
		s.findings = slices.DeleteFunc(s.findings, func(f Finding) bool {
			return f.Verdict.Rank() < hook.Ask.Rank() || f.Kind != Malicious && f.Kind != TakenDown && f.Kind != Vulnerable
		})
	}
}

// find looks the package up at deps.dev, or, where that has no such ecosystem,
// in the user's registry.
func (s *subject) find() (depsdev.Package, error) {
	if depsdev.System(s.p.Ecosystem) == "" {
		info, err := s.registry(s.p.Ecosystem, s.p.Name)
		return fromRegistry(s.p.Name, info), err
	}
	found, err := s.pkg(s.p.Ecosystem, s.p.Name)
	if errors.Is(err, errNotFound) && s.p.Written != "" {
		found, err = s.pkg(s.p.Ecosystem, s.p.Written)
	}
	if !errors.Is(err, errNotFound) || s.p.Ecosystem != coord.Go {
		return found, err
	}
	for _, module := range modules(s.p.Path, s.p.Name) {
		other, merr := s.pkg(coord.Go, module)
		if merr == nil || !errors.Is(merr, errNotFound) {
			return other, merr
		}
	}
	return found, err
}

// modules are the prefixes of a Go package path that may be its module, longest
// first, without the one that was tried.
func modules(path, tried string) []string {
	const most = 4
	host, _, _ := strings.Cut(path, "/")
	if !strings.Contains(host, ".") {
		return nil // the standard library
	}
	least := 2 // elements of a module path
	switch host {
	case "github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "gitee.com", "golang.org", "sr.ht", "git.sr.ht":
		least = 3
	}
	var out []string
	for parts := strings.Split(strings.TrimSuffix(path, "/"), "/"); len(parts) >= least && len(out) < most; parts = parts[:len(parts)-1] {
		if m := strings.Join(parts, "/"); m != tried {
			out = append(out, m)
		}
	}
	return out
}

// fromRegistry brings what a registry says into the shape of deps.dev.
func fromRegistry(name string, info registry.Info) depsdev.Package {
	p := depsdev.Package{Name: name}
	for _, v := range info.Versions {
		p.Versions = append(p.Versions, depsdev.Version{
			Number: v.Number, Published: v.Published, Deprecated: v.Deprecated != "", DeprecatedReason: v.Deprecated, Yanked: v.Yanked, YankReason: v.YankReason,
		})
	}
	return p
}

// missing judges a package that deps.dev does not know.
func (s *subject) missing() {
	if s.p.Exact() == "" {
		// Removed malware may have no versions left to match.
		list, err := s.records(s.p.Name, "")
		if err == nil {
			s.malware(list, "")
		}
		s.needs(err)
	}
	what := "there is no " + ecosystemName(s.p.Ecosystem) + " package " + s.p.Name
	unknown := "deps.dev does not know " + s.named()
	instead := s.goodNames(popular.Suggest(s.p.Ecosystem, s.p.Name))
	if depsdev.System(s.p.Ecosystem) == "" { // the registry itself said so
		s.absent(what+": its registry does not have it", instead)
		return
	}
	info, err := s.registry(s.p.Ecosystem, s.p.Name)
	s.needs(err)
	switch {
	case errors.Is(err, errNotFound):
		s.absent(what+": neither deps.dev nor the registry has it", instead)
	case err != nil:
		why := err.Error()
		if errors.Is(err, errNoRegistry) {
			why = "and " + why
		}
		s.add(Unconfirmed, hook.Ask, unknown+", "+why, instead...)
	case info.TakenDown != "":
		s.add(TakenDown, hook.Deny, s.named()+" was taken down: "+info.TakenDown, instead...)
	case !info.Created.IsZero() && s.now.Sub(info.Created) < s.set.MinAge:
		s.add(TooNew, hook.Ask, s.named()+" is "+ago(s.now.Sub(info.Created))+" old, too new even for deps.dev", instead...)
	default:
		s.add(Unconfirmed, hook.Ask, s.named()+" exists, but is too new to be indexed by deps.dev", instead...)
	}
}

// absent judges a package that no index has: certain only where no other place
// can have it.
func (s *subject) absent(what string, instead []string) {
	other := ""
	s.mu.Lock()
	middle := s.middle
	s.mu.Unlock()
	switch {
	case middle:
		other = "but what answers is not OSV either: a portal or proxy may say so of everything"
	case s.popular:
		other = "but it is among the most used ones, so that the answer is doubtful"
	case s.p.Ecosystem == coord.Maven:
		other = "builds often have repositories of their own"
	case s.p.Source == "login":
		other = "you are logged in to a registry, where it may be private"
	case s.p.Source != "":
		other = "an additional index may have it"
	case s.p.own:
		other = "it is in this project's own scope and may be private"
	case s.p.Uncertain:
		other = "the word may belong to a flag before it"
	}
	if other != "" {
		s.add(Unconfirmed, hook.Ask, what+"; "+other, instead...)
		return
	}
	s.add(NoSuchPackage, hook.Deny, what, instead...)
}

// goodNames are those of names that our own check has nothing against.
func (s *subject) goodNames(names []string) []string {
	good := make([]bool, len(names))
	var all sync.WaitGroup
	for i, n := range names {
		all.Go(func() { good[i] = s.passes(n) })
	}
	all.Wait()
	var out []string
	for i, n := range names {
		if good[i] {
			out = append(out, n)
		}
	}
	return out
}

// passes reports whether nothing speaks against the default version of a popular
// package. What cannot be found out does not.
func (s *subject) passes(name string) bool {
	found, err := s.pkg(s.p.Ecosystem, name)
	if s.needs(err); err != nil {
		return !errors.Is(err, errNotFound)
	}
	v := s.standard(found.Versions)
	return v == "" || s.clean(name, v)
}

// clean reports whether a version has no malware record and nothing grave.
func (s *subject) clean(name, v string) bool {
	list, err := s.advisories(s.p.Ecosystem, name, v, popular.Popular(s.p.Ecosystem, name))
	if s.needs(err); err != nil {
		return true
	}
	for i := range list {
		r := &list[i]
		reach := r.Reaches(s.p.Ecosystem, name, v)
		if r.Malicious() && reach != osv.Outside {
			return false
		}
		if reach != osv.Outside && r.Informational(s.p.Ecosystem, name) == "" && r.Weight(s.p.Ecosystem, name) >= osv.High {
			return false
		}
	}
	return true
}

// nearName judges a name that is close to a popular one. A zero first release is
// an unknown age.
func (s *subject) nearName(first time.Time, versions int) {
	if len(s.near) == 0 {
		return
	}
	instead := s.near
	if s.set.Online {
		instead = s.goodNames(s.near)
	}
	if len(instead) == 0 {
		instead = s.near[:1]
	}
	young := first.IsZero() || s.now.Sub(first) < oldEnough || versions <= 3
	detail := s.named() + " is not the popular " + strings.Join(s.near, ", ") + ", only near it in name"
	if young {
		s.add(NearName, hook.Ask, detail, instead...)
		return
	}
	s.add(NearName, hook.Advise, detail+"; it is not new", instead...).quiet = true
}

// age judges when a package first appeared, and its name with it.
func (s *subject) age(found depsdev.Package) {
	var first time.Time
	for _, v := range found.Versions {
		if !v.Published.IsZero() && (first.IsZero() || v.Published.Before(first)) {
			first = v.Published
		}
	}
	if len(found.Versions) == 1 && found.Versions[0].Number == registry.SecurityPlaceholder {
		return // it was taken down, which says more
	}
	s.nearName(first, len(found.Versions))
	if s.popular || first.IsZero() || s.set.MinAge <= 0 {
		return
	}
	if old := s.now.Sub(first); old < s.set.MinAge {
		s.add(TooNew, hook.Ask, fmt.Sprintf("%s was first released %s ago, less than the %s that dependencies.minAgeDays asks for", s.named(), ago(old), units(int(s.set.MinAge.Hours()/24), "day")), s.goodNames(s.near)...)
	}
}

// ago says a duration in the largest unit that fits.
func ago(d time.Duration) string {
	switch h := int(d.Hours()); {
	case h < 1:
		return units(max(0, int(d.Minutes())), "minute")
	case h < 48:
		return units(h, "hour")
	default:
		return units(h/24, "day")
	}
}

func units(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func numbers(list []depsdev.Version) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].Number
	}
	return out
}

// standard is the version that an install without one takes: the one that
// deps.dev says, unless it was taken back, else the newest that is no
// pre-release, "" if there is none.
func (s *subject) standard(list []depsdev.Version) string {
	for i := range list {
		if list[i].Default && !list[i].Yanked {
			return list[i].Number
		}
	}
	return s.scheme.Newest(numbers(standing(list)))
}

// standing are the versions that nobody took back: no tool takes one of the
// others by itself.
func standing(list []depsdev.Version) []depsdev.Version {
	if !slices.ContainsFunc(list, func(v depsdev.Version) bool { return v.Yanked }) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(v depsdev.Version) bool { return v.Yanked })
}

// alike is the newest version that an install of v could do with instead: of
// the same line, else the standard one.
func (s *subject) alike(v string, list []depsdev.Version) string {
	best := ""
	for _, have := range numbers(standing(list)) {
		if have != v && s.scheme.Major(have) == s.scheme.Major(v) && !s.scheme.Pre(have) && (best == "" || s.scheme.Compare(have, best) > 0) {
			best = have
		}
	}
	if best == "" {
		best = s.standard(list)
	}
	return best
}

// resolve finds the version that a range, a tag or nothing stands for, and
// judges it.
func (s *subject) resolve(found depsdev.Package) {
	constraint := s.p.Constraint
	if constraint == "" {
		constraint = s.p.Version
	}
	v := ""
	if r, ok := s.scheme.ParseRange(constraint); ok && constraint != "" {
		if v = r.Best(numbers(standing(found.Versions))); v == "" {
			newest := s.standard(found.Versions)
			detail := "no version of " + s.named() + " satisfies " + constraint
			if newest == "" {
				s.add(NoSuchVersion, hook.Ask, detail)
				return
			}
			s.add(NoSuchVersion, hook.Ask, detail+"; the newest is "+newest, s.pinned(newest))
			return
		}
	} else {
		v = s.standard(found.Versions)
		switch strings.ToLower(constraint) {
		case "", "*", "latest", "upgrade", "release", "latest.release":
		default:
			if v != "" {
				s.assumed = " (assumed: the latest, since which one '" + oneLine(constraint) + "' means is not known)"
			}
		}
	}
	list, err := s.records(s.p.Name, v)
	if !s.failed(err) {
		s.judge(list, v, found)
	}
	if v != "" {
		s.released(v, found)
	}
}

// released judges what a registry says of one version.
func (s *subject) released(v string, found depsdev.Package) {
	if len(found.Versions) == 1 && found.Versions[0].Number == registry.SecurityPlaceholder {
		s.add(TakenDown, hook.Deny, s.named()+" was taken down: the registry keeps the name from being used", s.goodNames(s.near)...)
		return
	}
	have := s.scheme.Find(numbers(found.Versions), v)
	if have == "" {
		s.unlisted(v, found)
		return
	}
	i := slices.IndexFunc(found.Versions, func(x depsdev.Version) bool { return x.Number == have })
	one := found.Versions[i]
	if one.Deprecated {
		s.deprecated(one.DeprecatedReason)
	}
	s.yanked(one, found)
	s.cooldown(one, found)
	if s.p.Ecosystem != coord.PyPI && len(s.set.Licences) == 0 {
		return
	}
	if depsdev.System(s.p.Ecosystem) == "" {
		return
	}
	full, err := s.version(s.p.Ecosystem, s.p.Name, have)
	if err != nil {
		if s.failed(err); len(s.set.Licences) > 0 && errors.Is(err, errNotFound) {
			s.failures = append(s.failures, "its licence is not known")
		}
		return
	}
	switch full.Status {
	case "quarantined":
		s.add(TakenDown, hook.Deny, s.named()+" is quarantined by its index"+colon(full.StatusReason), s.goodNames(s.near)...)
	case "archived", "deprecated":
		if !one.Deprecated {
			s.deprecated(strings.TrimSpace(full.Status + colon(full.StatusReason)))
		}
	}
	s.licence(full)
}

func colon(why string) string {
	if why = oneLine(why); why == "" {
		return ""
	}
	return ": " + why
}

// unlisted judges a version that deps.dev does not list.
func (s *subject) unlisted(v string, found depsdev.Package) {
	if s.p.Ecosystem == coord.Go && strings.Count(v, "-") >= 2 {
		return // a pseudo-version names a commit
	}
	if info, err := s.registry(s.p.Ecosystem, s.p.Name); err == nil {
		for _, x := range info.Versions {
			if s.scheme.Compare(x.Number, v) == 0 {
				s.add(Cooldown, s.cooldownVerdict(), s.p.Name+" "+v+" is so new that deps.dev does not list it yet")
				return
			}
		}
	} else {
		s.needs(err)
	}
	best := s.alike(v, found.Versions)
	detail := "there is no version " + v + " of " + s.named()
	if best == "" {
		s.add(NoSuchVersion, hook.Ask, detail)
		return
	}
	s.add(NoSuchVersion, hook.Ask, detail+"; the newest that matches is "+best, s.pinned(best))
}

// deprecated judges the words of an author who has given up. Words that name the
// popular package that the name looks like make it a decoy.
func (s *subject) deprecated(words string) {
	detail := s.named() + " is deprecated" + colon(words)
	if real := s.meant(words); real != "" {
		s.add(Deprecated, hook.Ask, detail+"; this is a decoy for "+real, s.goodNames([]string{real})...)
		return
	}
	s.add(Deprecated, hook.Advise, detail)
}

// meant returns the popular package that a deprecation notice names, if the
// deprecated name reads like a part of it.
func (s *subject) meant(words string) string {
	for w := range strings.FieldsFuncSeq(words, func(r rune) bool { return strings.ContainsRune(" \t\n\"'`,;:()<>[]{}!?", r) }) {
		w = strings.TrimRight(w, ".")
		if len(w) < 3 || !strings.ContainsAny(w, "-_./@") && strings.ToLower(w) != w {
			continue
		}
		name := coord.Canonical(s.p.Ecosystem, w)
		if name == coord.Canonical(s.p.Ecosystem, s.p.Name) || !popular.Popular(s.p.Ecosystem, name) {
			continue
		}
		if within(s.p.Name, name) || within(name, s.p.Name) {
			return name
		}
	}
	return ""
}

// within reports whether the letters of short stand in long in their order, and
// are at least half of it or one of its words.
func within(short, long string) bool {
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune("-_./@", r) {
				return -1
			}
			return r
		}, strings.ToLower(s))
	}
	a, b := letters(short), letters(long)
	if len(a) < 3 || len(a) > len(b) {
		return false
	}
	i := 0
	for k := 0; k < len(b) && i < len(a); k++ {
		if a[i] == b[k] {
			i++
		}
	}
	return i == len(a) && (2*len(a) >= len(b) || slices.Contains(strings.FieldsFunc(strings.ToLower(long), func(r rune) bool { return strings.ContainsRune("-_./@", r) }), strings.ToLower(short)))
}

// yanked judges a version that was taken back. A tool takes one only if it is
// named, so that only then the registry is asked about what deps.dev does not
// have. What that does not answer is no failure: it is a hint at most.
func (s *subject) yanked(one depsdev.Version, found depsdev.Package) {
	if !one.Yanked && s.p.Exact() != "" {
		switch s.p.Ecosystem {
		case coord.PyPI, coord.Crates, coord.RubyGems:
			got, err := s.release(s.p.Ecosystem, s.p.Name, one.Number)
			one.Yanked, one.YankReason = err == nil && got.Yanked, got.YankReason
			if s.p.Ecosystem == coord.RubyGems { // it drops what was taken back from its list
				one.Yanked = errors.Is(err, errNotFound)
			}
		case coord.None, coord.NPM, coord.Go, coord.Packagist, coord.NuGet, coord.Maven, coord.Conda:
		}
	}
	if !one.Yanked {
		return
	}
	detail := s.named() + " " + one.Number + " was yanked: who published it took it back"
	if why := oneLine(one.YankReason); why != "" {
		detail = s.named() + " " + one.Number + " was yanked by who published it: " + why
	}
	var instead []string
	if other := s.alike(one.Number, found.Versions); other != "" && other != one.Number && s.clean(s.p.Name, other) {
		instead = []string{s.pinned(other)}
	}
	s.add(Yanked, hook.Advise, detail, instead...)
}

func (s *subject) cooldownVerdict() hook.Decision {
	if s.set.CooldownAsks {
		return hook.Ask
	}
	return hook.Advise
}

// cooldown judges a version that is only hours old, of a package that is not.
func (s *subject) cooldown(one depsdev.Version, found depsdev.Package) {
	if one.Published.IsZero() || s.set.Cooldown <= 0 {
		return
	}
	age := s.now.Sub(one.Published)
	if age >= s.set.Cooldown {
		return
	}
	before, old := "", false
	for _, v := range found.Versions {
		if v.Published.IsZero() || s.now.Sub(v.Published) < s.set.Cooldown || s.scheme.Pre(v.Number) {
			continue
		}
		old = old || s.now.Sub(v.Published) >= s.set.MinAge
		if s.scheme.Compare(v.Number, one.Number) < 0 && (before == "" || s.scheme.Compare(v.Number, before) > 0) {
			before = v.Number
		}
	}
	if !old {
		return // the package itself is new
	}
	detail := fmt.Sprintf("%s %s was published %s ago", s.p.Name, one.Number, ago(age))
	if before == "" || !s.clean(s.p.Name, before) {
		s.add(Cooldown, s.cooldownVerdict(), detail)
		return
	}
	s.add(Cooldown, s.cooldownVerdict(), detail+"; the version before is "+before, s.pinned(before))
}

// judge weighs the advisories on one version.
func (s *subject) judge(list []osv.Record, v string, found depsdev.Package) {
	s.malware(list, v)
	if v == "" {
		return
	}
	flaws := s.flaws(list, v)
	if len(flaws) == 0 {
		return
	}
	if s.p.was != "" && s.scheme.Compare(s.p.was, v) != 0 {
		flaws = s.added(flaws)
	}
	var grave, light []osv.Flaw
	for _, f := range flaws {
		if s.lightweight(&f) {
			light = append(light, f)
			continue
		}
		grave = append(grave, f)
	}
	s.vulnerable(grave, v, found, false)
	s.vulnerable(light, v, found, true)
}

// malware judges records that call a package malicious.
func (s *subject) malware(list []osv.Record, v string) {
	for i := range list {
		r := &list[i]
		if !r.Malicious() || r.Withdrawn != "" {
			continue
		}
		what := s.named()
		if v != "" {
			what += " " + s.inWords(v)
		}
		verdict := hook.Deny
		switch reach := r.Reaches(s.p.Ecosystem, s.p.Name, v); {
		case reach == osv.Outside:
			continue
		case reach == osv.Listed:
		case reach == osv.Stale:
			verdict, what = hook.Ask, what+" may be malware: the record lists other versions, but its range is open"
		case s.popular:
			verdict, what = hook.Ask, what+" may be malware: the record covers more versions of a popular package than is likely"
		}
		if verdict == hook.Deny {
			what += " is malware"
		}
		f := s.add(Malicious, verdict, what+" ("+r.ID+")", s.goodNames(s.near)...)
		f.Fact = r.ID
		return
	}
}

// flaws are the vulnerabilities of a version.
func (s *subject) flaws(list []osv.Record, v string) []osv.Flaw {
	var records []*osv.Record
	for i := range list {
		r := &list[i]
		if r.Malicious() || r.Withdrawn != "" || r.Evaluable(s.p.Ecosystem, s.p.Name) && r.Reaches(s.p.Ecosystem, s.p.Name, v) == osv.Outside {
			continue
		}
		records = append(records, r)
	}
	return osv.Flaws(records, s.p.Ecosystem, s.p.Name)
}

// added leaves out what the version in use has too: who moves from it must not
// be held back by what the move does not bring.
func (s *subject) added(flaws []osv.Flaw) []osv.Flaw {
	list, err := s.records(s.p.Name, s.p.was)
	if err != nil {
		s.failed(err)
		return flaws
	}
	var had []string
	for _, f := range s.flaws(list, s.p.was) {
		had = append(had, f.Names()...)
	}
	return slices.DeleteFunc(flaws, func(f osv.Flaw) bool {
		return slices.ContainsFunc(f.Names(), func(n string) bool { return slices.Contains(had, n) })
	})
}

// lightweight reports whether a flaw is no reason to stop by its kind: notes of
// RustSec, and Go's, which are about functions that may not be called.
func (s *subject) lightweight(f *osv.Flaw) bool {
	return slices.ContainsFunc(f.Records, func(r *osv.Record) bool {
		return r.Informational(s.p.Ecosystem, s.p.Name) != "" || s.p.Ecosystem == coord.Go && r.Symbols(s.p.Ecosystem, s.p.Name)
	})
}

// vulnerable tells of the flaws of a version, together.
func (s *subject) vulnerable(flaws []osv.Flaw, v string, found depsdev.Package, light bool) {
	if len(flaws) == 0 {
		return
	}
	slices.SortStableFunc(flaws, func(a, b osv.Flaw) int { return int(b.Severity) - int(a.Severity) })
	fixed := s.fixed(flaws, v, found)
	verdict := hook.Advise
	var told, ids []string
	for i := range flaws {
		f := &flaws[i]
		ids = append(ids, f.ID())
		if d := s.set.denies(f.Severity, fixed != ""); !light && d.Rank() > verdict.Rank() {
			verdict = d
		}
		if len(told) < 3 {
			note := f.Severity.String() + " " + f.ID()
			if light {
				note = f.ID()
				for _, r := range f.Records {
					if why := r.Informational(s.p.Ecosystem, s.p.Name); why != "" {
						note = why + " " + note
					}
				}
			}
			if sum := oneLine(f.Records[0].Summary); sum != "" {
				note += ": " + hook.Clip(sum, 120)
			}
			told = append(told, note)
		}
	}
	detail := s.named() + " " + s.inWords(v) + " has " + strings.Join(told, "; ")
	if n := len(flaws) - len(told); n > 0 {
		detail += fmt.Sprintf("; and %d more", n)
	}
	var instead []string
	if fixed != "" {
		detail += "; use " + fixed
		instead = []string{s.pinned(fixed)}
	} else {
		detail += "; no fixed version is known"
	}
	f := s.add(Vulnerable, verdict, detail, instead...)
	slices.Sort(ids)
	f.Fact = v + " " + strings.Join(ids, " ")
}

// fixOf is the newest of the versions in which the records of a flaw are mended.
func (s *subject) fixOf(f *osv.Flaw, v string) string {
	best := ""
	for _, r := range f.Records {
		if fix := r.Fixed(s.p.Ecosystem, s.p.Name, v); fix != "" && (best == "" || s.scheme.Compare(fix, best) > 0) {
			best = fix
		}
	}
	return best
}

// fixed is a version that exists, has none of the flaws that have a fix and
// passes our own check; "" if none is known.
func (s *subject) fixed(flaws []osv.Flaw, v string, found depsdev.Package) string {
	least := ""
	for i := range flaws {
		if fix := s.fixOf(&flaws[i], v); fix != "" && (least == "" || s.scheme.Compare(fix, least) > 0) {
			least = fix
		}
	}
	if least == "" {
		return ""
	}
	if len(found.Versions) == 0 {
		return least // the list could not be had: the record's word counts
	}
	list := numbers(found.Versions)
	var candidates []string
	if have := s.scheme.Find(list, least); have != "" {
		candidates = append(candidates, have)
	}
	// Further on: the newest of the line that v is on, then the standard one.
	line := ""
	for _, have := range list {
		if s.scheme.Major(have) == s.scheme.Major(v) && s.scheme.Compare(have, least) >= 0 && !s.scheme.Pre(have) && (line == "" || s.scheme.Compare(have, line) > 0) {
			line = have
		}
	}
	standard := s.standard(found.Versions)
	if standard != "" && s.scheme.Compare(standard, least) < 0 {
		standard = ""
	}
	for _, c := range append(candidates, line, standard) {
		if c != "" && s.clean(s.p.Name, c) {
			return c
		}
	}
	return ""
}
