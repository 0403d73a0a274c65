package deps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/depsdev"
	"github.com/ec261362/guardrails/core/deps/osv"
	"github.com/ec261362/guardrails/core/deps/registry"
	"github.com/ec261362/guardrails/core/deps/version"
	"github.com/ec261362/guardrails/core/gate"
)

// Budgets of one call.
const (
	deadline     = 2500 * time.Millisecond // of all look-ups together
	perRequest   = 1500 * time.Millisecond
	maxParallel  = 8
	maxPages     = 3  // of OSV's answer to one question
	maxRecords   = 10 // that are read of one package's hits in a batch
	maxFailures  = 2  // in a row, then a service rests
	breakerRests = 5 * time.Minute
)

// How long an answer is kept.
const (
	keepFound   = 24 * time.Hour
	keepMissing = time.Hour
	keepDoubt   = time.Hour // malware of a popular name is often withdrawn the same day
	keepFailure = 5 * time.Minute
	keepAddress = 24 * time.Hour
)

// Cache keeps answers. A nil Cache keeps none.
type Cache interface {
	Get(key string) (data []byte, ok bool)
	Put(key string, data []byte, ttl time.Duration) error
}

// errOffline says that the services are not to be asked.
var errOffline = errors.New("offline")

// errNotFound says that a service answered and does not have it.
var errNotFound = errors.New("not found")

// fleeting is an error that is not kept.
type fleeting struct{ error }

func (f fleeting) Unwrap() error { return f.error }

// notFound is errNotFound for a service's answer. A web page that says so may be
// that of a portal or proxy, which says it of everything: it is believed, but
// not for longer than this call.
func notFound(r gate.Response) error {
	if webPage(r) {
		return fleeting{errNotFound}
	}
	return errNotFound
}

func webPage(r gate.Response) bool { return strings.Contains(r.Header["Content-Type"], "text/html") }

// answers asks the services, through the cache, within the budget of one call.
type answers struct {
	set    *Settings
	env    gate.Env
	ctx    context.Context //nolint:containedctx // of the one call that this is for
	slots  chan struct{}
	mu     sync.Mutex
	failed map[string]int // in a row, by service
	asked  bool           // a request was made
	middle bool           // something between here and the services answers for them
}

func newAnswers(ctx context.Context, s *Settings, env gate.Env) *answers {
	return &answers{set: s, env: env, ctx: ctx, slots: make(chan struct{}, maxParallel), failed: map[string]int{}}
}

// kept is an answer in the cache: Data, or that there is none.
type kept struct {
	Missing bool            `json:"missing,omitempty"`
	Failed  string          `json:"failed,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (a *answers) recall(key string, into any) (found bool, err error) {
	if a.set.Cache == nil {
		return false, nil
	}
	b, ok := a.set.Cache.Get(key)
	if !ok {
		return false, nil
	}
	var k kept
	switch readable := json.Unmarshal(b, &k) == nil; {
	case !readable:
		return false, nil
	case k.Missing:
		return true, errNotFound
	case k.Failed != "":
		return true, errors.New(k.Failed)
	}
	return json.Unmarshal(k.Data, into) == nil, nil
}

func (a *answers) keep(key string, data any, err error, ttl time.Duration) {
	if a.set.Cache == nil || a.ctx.Err() != nil && err != nil {
		return
	}
	var k kept
	switch {
	case errors.Is(err, errNotFound):
		k.Missing = true
	case err != nil:
		k.Failed = err.Error()
	default:
		b, merr := json.Marshal(data)
		if merr != nil {
			return
		}
		k.Data = b
	}
	b, merr := json.Marshal(k)
	if merr == nil {
		_ = a.set.Cache.Put(key, b, ttl) // it is looked up again
	}
}

// learn returns what the cache has under key, or what ask finds out.
func learn[T any](a *answers, key string, ttl func(T) time.Duration, ask func() (T, error)) (T, error) {
	var v T
	if ok, err := a.recall(key, &v); ok {
		return v, err
	}
	v, err := ask()
	switch {
	case errors.Is(err, gate.ErrHandOver), errors.Is(err, errOffline), errors.Is(err, errResting), errors.As(err, new(fleeting)):
	case errors.Is(err, errNotFound):
		a.keep(key, nil, err, keepMissing)
	case err != nil:
		a.keep(key, nil, err, keepFailure)
	default:
		a.keep(key, v, nil, ttl(v))
	}
	return v, err
}

func day[T any](T) time.Duration { return keepFound }

// errResting says that a service failed several times and is left alone for a
// while.
var errResting = errors.New("it failed before and is asked again in a few minutes")

const (
	svcDepsDev = "deps.dev"
	svcOSV     = "OSV"
)

// do makes one request to a service.
func (a *answers) do(service string, r gate.Request) (gate.Response, error) {
	if !a.set.Online {
		return gate.Response{}, errOffline
	}
	if a.env.HTTP == nil {
		return gate.Response{}, gate.ErrHandOver
	}
	if a.resting(service) {
		return gate.Response{}, fmt.Errorf("%s: %w", service, errResting)
	}
	select {
	case a.slots <- struct{}{}:
	case <-a.ctx.Done():
		return gate.Response{}, fmt.Errorf("%s: no time left", service)
	}
	defer func() { <-a.slots }()
	limit := perRequest
	if a.set.Patience > deadline {
		limit = a.set.Patience / 6
	}
	ctx, cancel := context.WithTimeout(a.ctx, limit)
	defer cancel()
	a.mu.Lock()
	a.asked = true
	a.mu.Unlock()
	res, err := a.env.HTTP(ctx, r)
	switch {
	case err != nil && ctx.Err() != nil:
		err = fmt.Errorf("%s did not answer in time", service)
	case err != nil && errors.As(err, new(interface{ TooLarge() bool })):
		err = fmt.Errorf("%s: the answer is too large", service)
	case err != nil:
		err = fmt.Errorf("%s cannot be reached", service)
	case res.Status == 429 || res.Status >= 500:
		a.count(service, true)
		return res, nil // the decoder says what it means
	}
	a.count(service, err != nil)
	return res, err
}

func breakerKey(service string) string { return "breaker|" + service }

// resting reports whether a service is left alone.
func (a *answers) resting(service string) bool {
	a.mu.Lock()
	n, here := a.failed[service]
	a.mu.Unlock()
	if !here && a.set.Cache != nil {
		if b, ok := a.set.Cache.Get(breakerKey(service)); ok && json.Unmarshal(b, &n) == nil {
			a.mu.Lock()
			a.failed[service] = n
			a.mu.Unlock()
		}
	}
	return n >= maxFailures
}

func (a *answers) count(service string, failed bool) {
	a.mu.Lock()
	before := a.failed[service]
	n := before + 1
	if !failed {
		n = 0
	}
	a.failed[service] = n
	a.mu.Unlock()
	if a.set.Cache == nil || !failed && before == 0 {
		return
	}
	b, err := json.Marshal(n)
	if err == nil {
		_ = a.set.Cache.Put(breakerKey(service), b, breakerRests)
	}
}

// reason says in a few words why there is no answer.
func reason(service string, err error) error {
	if err == nil || errors.Is(err, errNotFound) || errors.Is(err, gate.ErrHandOver) || errors.Is(err, errOffline) || errors.Is(err, errResting) {
		return err
	}
	if strings.HasPrefix(err.Error(), service) {
		return err
	}
	for _, shape := range []error{depsdev.ErrShape, osv.ErrShape, registry.ErrShape} {
		if errors.Is(err, shape) {
			return fmt.Errorf("%s: %w", service, shape)
		}
	}
	return fmt.Errorf("%s: %w", service, err)
}

// pkg asks deps.dev for a package's versions. errNotFound also stands for a
// package without any.
func (a *answers) pkg(e coord.Ecosystem, name string) (depsdev.Package, error) {
	return learn(a, "versions|"+string(e)+"|"+name, day[depsdev.Package], func() (depsdev.Package, error) {
		r, err := a.do(svcDepsDev, depsdev.PackageRequest(a.set.Endpoints.depsDev(), e, name))
		if err != nil {
			return depsdev.Package{}, err
		}
		p, err := depsdev.DecodePackage(r)
		switch {
		case errors.Is(err, depsdev.ErrNotFound), err == nil && len(p.Versions) == 0:
			return p, notFound(r)
		case err == nil && coord.Canonical(e, p.Name) != coord.Canonical(e, name):
			return p, fmt.Errorf("%s: the answer is about another package", svcDepsDev)
		}
		return p, reason(svcDepsDev, err)
	})
}

// version asks deps.dev for one version: its licences, and PyPI's status.
func (a *answers) version(e coord.Ecosystem, name, v string) (depsdev.Version, error) {
	return learn(a, "version|"+string(e)+"|"+name+"|"+v, day[depsdev.Version], func() (depsdev.Version, error) {
		r, err := a.do(svcDepsDev, depsdev.VersionRequest(a.set.Endpoints.depsDev(), e, name, v))
		if err != nil {
			return depsdev.Version{}, err
		}
		got, err := depsdev.DecodeVersion(r)
		switch {
		case errors.Is(err, depsdev.ErrNotFound):
			return got, notFound(r)
		case err == nil && got.Name != "" && coord.Canonical(e, got.Name) != coord.Canonical(e, name):
			return got, fmt.Errorf("%s: the answer is about another package", svcDepsDev)
		}
		return got, reason(svcDepsDev, err)
	})
}

// advisoryKey is where the cache has a version's advisories.
func advisoryKey(e coord.Ecosystem, name, v string) string {
	return "advisories|" + string(e) + "|" + name + "|" + osv.Spelling(e, v)
}

// ttl is how long a version's advisories are kept.
func advisoryTTL(popular bool) func([]osv.Record) time.Duration {
	return func(list []osv.Record) time.Duration {
		for i := range list {
			if popular && list[i].Malicious() {
				return keepDoubt
			}
		}
		return keepFound
	}
}

// advisories asks OSV for what there is on a version, or, without one, on all.
func (a *answers) advisories(e coord.Ecosystem, name, v string, popular bool) ([]osv.Record, error) {
	return learn(a, advisoryKey(e, name, v), advisoryTTL(popular), func() ([]osv.Record, error) {
		list := []osv.Record{}
		q := osv.Query{Ecosystem: e, Name: name, Version: v}
		for range maxPages {
			r, err := a.do(svcOSV, osv.QueryRequest(a.set.Endpoints.osv(), q))
			if err != nil {
				return nil, err
			}
			page, err := osv.DecodeQuery(r)
			if q.Version != "" && (r.Status == 400 || r.Status == 404) {
				// It cannot read this version: ask for all, and look through them here.
				q.Version, list = "", list[:0]
				continue
			}
			if err != nil {
				if r.Status == 404 || webPage(r) { // which it never answers itself
					a.mu.Lock()
					a.middle = true
					a.mu.Unlock()
				}
				return nil, reason(svcOSV, err)
			}
			for _, rec := range slim(page.Records, e, name) {
				if q.Version == v || rec.Evaluable(e, name) {
					list = append(list, rec)
				}
			}
			if page.Next == "" {
				return list, nil
			}
			q.Page = page.Next
		}
		return nil, fmt.Errorf("%s: the answer has too many pages", svcOSV)
	})
}

// slim keeps of records what is about one package and not withdrawn. A record
// that names nothing at all counts: the service found it for this package.
func slim(list []osv.Record, e coord.Ecosystem, name string) []osv.Record {
	var out []osv.Record
	for _, r := range list {
		of := r.Of(e, name)
		if r.Withdrawn != "" || len(of) == 0 && len(r.Affected) > 0 {
			continue
		}
		r.Affected = of
		out = append(out, r)
	}
	return out
}

// prefetch asks OSV for many versions in one batch and keeps the answers, so
// that advisories finds them. What fails is asked one by one.
func (a *answers) prefetch(list []coord.Package, versions []string, popular func(coord.Ecosystem, string) bool) {
	var queries []osv.Query
	for i, p := range list {
		if versions[i] == "" || !osv.Known(p.Ecosystem) {
			continue
		}
		var have []osv.Record
		if ok, _ := a.recall(advisoryKey(p.Ecosystem, p.Name, versions[i]), &have); ok {
			continue
		}
		queries = append(queries, osv.Query{Ecosystem: p.Ecosystem, Name: p.Name, Version: versions[i]})
	}
	if len(queries) <= maxParallel || len(queries) > osv.MaxBatch {
		return
	}
	r, err := a.do(svcOSV, osv.BatchRequest(a.set.Endpoints.osv(), queries))
	if err != nil {
		return
	}
	hits, err := osv.DecodeBatch(r, len(queries))
	if err != nil {
		return
	}
	var all sync.WaitGroup
	for i, q := range queries {
		if hits[i].Next != "" || len(hits[i].IDs) > maxRecords {
			continue // asked by itself, with all its pages
		}
		all.Go(func() {
			list := []osv.Record{}
			for _, id := range hits[i].IDs {
				rec, err := a.record(id)
				if err != nil {
					return
				}
				list = append(list, slim([]osv.Record{rec}, q.Ecosystem, q.Name)...)
			}
			a.keep(advisoryKey(q.Ecosystem, q.Name, q.Version), list, nil, advisoryTTL(popular(q.Ecosystem, q.Name))(list))
		})
	}
	all.Wait()
}

func (a *answers) record(id string) (osv.Record, error) {
	return learn(a, "record|"+id, day[osv.Record], func() (osv.Record, error) {
		r, err := a.do(svcOSV, osv.RecordRequest(a.set.Endpoints.osv(), id))
		if err != nil {
			return osv.Record{}, err
		}
		rec, err := osv.DecodeRecord(r)
		return rec, reason(svcOSV, err)
	})
}

// address returns where the registry of an ecosystem is asked.
func (a *answers) address(e coord.Ecosystem) (string, error) {
	if at := a.set.Endpoints.Registries[e]; at != "" {
		return at, nil
	}
	if !a.set.Online {
		return "", errOffline
	}
	return learn(a, "address|"+string(e), func(string) time.Duration { return keepAddress }, func() (string, error) {
		at, err := registry.Address(a.ctx, a.env, e)
		if errors.Is(err, registry.ErrNoAddress) {
			return "", errNotFound
		}
		return at, err
	})
}

// errNoRegistry says that there is no registry to ask.
var errNoRegistry = errors.New("the registry that would be installed from is not known")

func registryName(e coord.Ecosystem) string { return "the " + string(e) + " registry" }

// base is where the packages of the user's registry are asked for: its address,
// or the one that NuGet's service index names for them.
func (a *answers) base(e coord.Ecosystem) (string, error) {
	at, err := a.address(e)
	switch {
	case errors.Is(err, errNotFound):
		return "", errNoRegistry
	case err != nil || e != coord.NuGet || !registry.ServiceIndex(at):
		return at, err
	}
	return learn(a, "base|"+at, day[string], func() (string, error) {
		r, err := a.do(registryName(e), gate.Request{URL: at, Header: map[string]string{"Accept": "application/json"}})
		if err != nil {
			return "", err
		}
		base, err := registry.DecodeServiceIndex(r)
		return base, reason(registryName(e), err)
	})
}

// registry asks the user's registry whether it has a package.
func (a *answers) registry(e coord.Ecosystem, name string) (registry.Info, error) {
	base, err := a.base(e)
	if err != nil {
		return registry.Info{}, err
	}
	return learn(a, "registry|"+base+"|"+string(e)+"|"+name, day[registry.Info], func() (registry.Info, error) {
		var missing error
		for _, q := range registry.Requests(base, e, name) {
			r, err := a.do(registryName(e), q)
			if err != nil {
				return registry.Info{}, err
			}
			info, err := registry.Decode(e, name, r)
			switch {
			case err == nil:
				return info, nil
			case !errors.Is(err, registry.ErrNotFound):
				return registry.Info{}, reason(registryName(e), err)
			}
			missing = notFound(r)
		}
		if missing == nil {
			missing = errNoRegistry
		}
		return registry.Info{}, missing
	})
}

// release asks the user's registry for one version: whether it was taken back.
// errNotFound also stands for a version that its list lacks.
func (a *answers) release(e coord.Ecosystem, name, v string) (registry.Version, error) {
	base, err := a.base(e)
	if err != nil {
		return registry.Version{}, err
	}
	if q, ok := registry.VersionRequest(base, e, name, v); ok {
		one, err := learn(a, "release|"+base+"|"+string(e)+"|"+name+"|"+v, day[registry.Version], func() (registry.Version, error) {
			r, err := a.do(registryName(e), q)
			if err != nil {
				return registry.Version{}, err
			}
			one, err := registry.DecodeVersion(e, name, r)
			if errors.Is(err, registry.ErrNotFound) {
				return one, errNotFound
			}
			return one, reason(registryName(e), err)
		})
		if !errors.Is(err, errNotFound) { // a registry without pages has its list
			return one, err
		}
	}
	info, err := a.registry(e, name)
	if err != nil {
		return registry.Version{}, err
	}
	s := version.Of(string(e))
	for _, one := range info.Versions {
		if s.Compare(one.Number, v) == 0 {
			return one, nil
		}
	}
	return registry.Version{}, errNotFound
}

// spelling asks NuGet's registry in which letter case it writes an id: OSV knows
// a package by that one only.
func (a *answers) spelling(name string) (string, error) {
	base, err := a.base(coord.NuGet)
	if err != nil {
		return "", err
	}
	return learn(a, "spelling|"+base+"|"+strings.ToLower(name), day[string], func() (string, error) {
		info, err := a.registry(coord.NuGet, name)
		if err != nil {
			return "", err
		}
		if len(info.Versions) == 0 {
			return "", errNotFound
		}
		newest := info.Versions[len(info.Versions)-1].Number
		r, err := a.do(registryName(coord.NuGet), registry.SpellingRequest(base, name, newest))
		if err != nil {
			return "", err
		}
		id, err := registry.DecodeSpelling(name, r)
		if errors.Is(err, registry.ErrNotFound) {
			return "", errNotFound
		}
		return id, reason(registryName(coord.NuGet), err)
	})
}
