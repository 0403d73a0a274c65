// Package depstest plays deps.dev, OSV and registries for tests: invented
// packages, answered in the shapes of the services. It opens no port itself, so
// that a test may ask it directly or put it behind a server on loopback.
//
// It is for tests only. It may import core/deps/coord.
package depstest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ec261362/guardrails/core/deps/coord"
)

// Services are the services and what they know. The zero value knows nothing
// and answers so.
type Services struct {
	Packages map[string]*Package // by ecosystem:name
	Records  map[string]string   // OSV records by id, as JSON
	Fails    map[string]Answer   // by a part of the path or body: what is answered instead

	mu   sync.Mutex
	asks []string
}

// Package is one package.
type Package struct {
	Versions   []Version
	ID         string   // of NuGet, in the letter case of its author; "" = as in Packages
	NotIndexed bool     // deps.dev does not have it yet
	Unlisted   bool     // the registry does not have it
	Advisories []string // ids of records, of any version
}

// Version is one version.
type Version struct {
	Number     string
	Published  time.Time // zero = deps.dev does not know
	Default    bool
	Deprecated string
	Yanked     string // why it was taken back; a registry says so
	Licences   []string
	Status     string // of the project, PyPI
}

// Answer is what a service says.
type Answer struct {
	Status int
	Type   string
	Body   string
}

func ok(v any) Answer {
	b, err := json.Marshal(v)
	if err != nil {
		return Answer{Status: 500, Body: err.Error()}
	}
	return Answer{200, "application/json", string(b)}
}

var missing = Answer{404, "text/plain", "not found"}

// Asks are the requests so far: method and path, a query of OSV with the names
// in its body.
func (s *Services) Asks() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asks)
}

// Forget drops the list of requests.
func (s *Services) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks = nil
}

// Answer answers one request. Path is escaped, without host and query; the first
// segment may be depsdev, osv or registry, where one address stands for all.
func (s *Services) Answer(method, path, body string) Answer {
	line := method + " " + path
	if body != "" {
		line += " " + body
	}
	s.mu.Lock()
	s.asks = append(s.asks, line)
	s.mu.Unlock()
	for _, part := range slices.Sorted(maps.Keys(s.Fails)) {
		if strings.Contains(line, part) {
			return s.Fails[part]
		}
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch first {
	case "depsdev":
		return s.depsDev(rest)
	case "osv":
		return s.osv(rest, body)
	case "registry":
		eco, rest, _ := strings.Cut(rest, "/")
		return s.registry(eco, rest)
	}
	return missing
}

// Base is the address of a service below that of a server; of a registry the
// ecosystem is asked for.
func Base(server, service string, e coord.Ecosystem) string {
	if service == "registry" {
		return server + "/registry/" + url.PathEscape(string(e))
	}
	return server + "/" + service
}

func ecosystem(system string) coord.Ecosystem {
	for _, e := range []coord.Ecosystem{coord.NPM, coord.PyPI, coord.Crates, coord.Go, coord.RubyGems, coord.NuGet, coord.Maven, coord.Packagist} {
		if strings.EqualFold(string(e), system) || e == coord.Crates && system == "cargo" {
			return e
		}
	}
	return coord.None
}

func (s *Services) find(e coord.Ecosystem, name string) *Package {
	for key, p := range s.Packages {
		eco, n, _ := strings.Cut(key, ":")
		if eco == string(e) && coord.Canonical(e, n) == coord.Canonical(e, name) {
			return p
		}
	}
	return nil
}

func (v *Version) wire() map[string]any {
	m := map[string]any{"versionKey": map[string]any{"version": v.Number}, "isDefault": v.Default, "isDeprecated": v.Deprecated != "", "deprecatedReason": v.Deprecated}
	if !v.Published.IsZero() {
		m["publishedAt"] = v.Published.Format(time.RFC3339)
	}
	return m
}

// depsDev answers v3/systems/SYS/packages/NAME[/versions/V].
func (s *Services) depsDev(path string) Answer {
	parts := strings.Split(path, "/")
	if len(parts) < 5 || parts[0] != "v3" || parts[1] != "systems" || parts[3] != "packages" {
		return missing
	}
	e := ecosystem(parts[2])
	name, err := url.PathUnescape(parts[4])
	p := s.find(e, name)
	if err != nil || p == nil || p.NotIndexed {
		return missing
	}
	if len(parts) == 7 {
		number, _ := url.PathUnescape(parts[6])
		for i := range p.Versions {
			if v := &p.Versions[i]; v.Number == number {
				m := v.wire()
				m["licenses"] = v.Licences
				if v.Status != "" {
					m["projectStatus"] = map[string]any{"status": v.Status}
				}
				return ok(m)
			}
		}
		return missing
	}
	list := []any{}
	for i := range p.Versions {
		list = append(list, p.Versions[i].wire())
	}
	return ok(map[string]any{"packageKey": map[string]any{"system": strings.ToUpper(parts[2]), "name": coord.Canonical(e, name)}, "versions": list})
}

// osv answers v1/query, v1/querybatch and v1/vulns/ID. Which versions a record
// is about is for whoever reads it.
func (s *Services) osv(path, body string) Answer {
	type query struct {
		Version string
		Package struct{ Name, Ecosystem string }
	}
	records := func(q query) []json.RawMessage {
		var out []json.RawMessage
		p := s.find(coord.Ecosystem(q.Package.Ecosystem), q.Package.Name)
		if p != nil && (p.ID == "" || p.ID == q.Package.Name) { // it knows one letter case only
			for _, id := range p.Advisories {
				out = append(out, json.RawMessage(s.Records[id]))
			}
		}
		return out
	}
	switch {
	case path == "v1/query":
		var q query
		if json.Unmarshal([]byte(body), &q) != nil || q.Package.Name == "" {
			return Answer{400, "application/json", `{"code":3,"message":"bad query"}`}
		}
		if list := records(q); len(list) > 0 {
			return ok(map[string]any{"vulns": list})
		}
		return ok(map[string]any{})
	case path == "v1/querybatch":
		var qs struct{ Queries []query }
		if json.Unmarshal([]byte(body), &qs) != nil {
			return Answer{400, "application/json", `{"code":3,"message":"bad query"}`}
		}
		results := []any{}
		for _, q := range qs.Queries {
			ids := []any{}
			for _, r := range records(q) {
				var rec struct {
					ID string `json:"id"`
				}
				_ = json.Unmarshal(r, &rec)
				ids = append(ids, map[string]any{"id": rec.ID})
			}
			if len(ids) == 0 {
				results = append(results, map[string]any{})
				continue
			}
			results = append(results, map[string]any{"vulns": ids})
		}
		return ok(map[string]any{"results": results})
	case strings.HasPrefix(path, "v1/vulns/"):
		if r, have := s.Records[strings.TrimPrefix(path, "v1/vulns/")]; have {
			return Answer{200, "application/json", r}
		}
		return Answer{404, "application/json", `{"code":5,"message":"Vulnerability not found"}`}
	}
	return missing
}

// registry answers as the registry of an ecosystem does, as far as the check
// asks.
func (s *Services) registry(eco, path string) Answer {
	e := ecosystem(eco)
	plain, _ := url.PathUnescape(path)
	name := plain
	switch e {
	case coord.PyPI:
		name = strings.Trim(strings.TrimPrefix(plain, "simple"), "/")
		if page, isPage := strings.CutPrefix(plain, "pypi/"); isPage {
			return s.page(e, strings.TrimSuffix(page, "/json"))
		}
	case coord.Crates:
		name = plain[strings.LastIndexByte(plain, '/')+1:]
	case coord.Go:
		name = strings.TrimSuffix(plain, "/@v/list")
	case coord.RubyGems:
		name = strings.TrimSuffix(strings.TrimPrefix(plain, "api/v1/versions/"), ".json")
	case coord.Packagist:
		name = strings.TrimSuffix(strings.TrimPrefix(plain, "p2/"), ".json")
	case coord.NuGet:
		name = strings.TrimSuffix(plain, "/index.json")
		if id, _, isSpec := strings.Cut(plain, "/"); isSpec && strings.HasSuffix(plain, ".nuspec") {
			return s.nuspec(id)
		}
	case coord.Maven:
		path := strings.TrimSuffix(plain, "/maven-metadata.xml")
		if i := strings.LastIndexByte(path, '/'); i > 0 {
			name = strings.ReplaceAll(path[:i], "/", ".") + ":" + path[i+1:]
		}
	case coord.NPM, coord.None, coord.Conda:
	}
	p := s.find(e, name)
	if p == nil || p.Unlisted {
		return missing
	}
	var versions []string
	for _, v := range p.Versions {
		versions = append(versions, v.Number)
	}
	switch e {
	case coord.NPM:
		m, at := map[string]any{}, map[string]any{}
		for _, v := range p.Versions {
			one := map[string]any{}
			if v.Deprecated != "" {
				one["deprecated"] = v.Deprecated
			}
			m[v.Number] = one
			if !v.Published.IsZero() {
				at[v.Number] = v.Published.Format(time.RFC3339)
			}
		}
		return ok(map[string]any{"name": name, "versions": m, "time": at})
	case coord.PyPI:
		status := "active"
		for _, v := range p.Versions {
			if v.Status != "" {
				status = v.Status
			}
		}
		files := []any{}
		for _, v := range p.Versions {
			file := map[string]any{"filename": name + "-" + v.Number + ".tar.gz", "yanked": false}
			if v.Yanked != "" {
				file["yanked"] = v.Yanked
			}
			files = append(files, file)
		}
		return ok(map[string]any{"name": name, "versions": versions, "files": files, "project-status": map[string]any{"status": status}})
	case coord.Crates:
		var b strings.Builder
		for _, v := range p.Versions {
			fmt.Fprintf(&b, `{"name":%q,"vers":%q,"yanked":%t}`+"\n", name, v.Number, v.Yanked != "")
		}
		return Answer{200, "text/plain", b.String()}
	case coord.Go:
		return Answer{200, "text/plain", strings.Join(versions, "\n")}
	case coord.RubyGems:
		list := []any{}
		for _, v := range p.Versions {
			if v.Yanked != "" {
				continue
			}
			list = append(list, map[string]any{"number": v.Number, "created_at": v.Published.Format(time.RFC3339)})
		}
		return ok(list)
	case coord.Packagist:
		list := []any{}
		for _, v := range p.Versions {
			one := map[string]any{"version": v.Number, "time": v.Published.Format(time.RFC3339)}
			if v.Deprecated != "" {
				one["abandoned"] = true
			}
			list = append(list, one)
		}
		return ok(map[string]any{"packages": map[string]any{strings.ToLower(name): list}})
	case coord.NuGet:
		return ok(map[string]any{"versions": versions})
	case coord.Maven:
		return Answer{200, "text/xml", "<metadata><versioning><versions><version>" + strings.Join(versions, "</version><version>") + "</version></versions></versioning></metadata>"}
	case coord.None, coord.Conda:
	}
	return missing
}

// page is PyPI's page of one version: NAME/VERSION.
func (s *Services) page(e coord.Ecosystem, path string) Answer {
	name, number, _ := strings.Cut(path, "/")
	if p := s.find(e, name); p != nil && !p.Unlisted {
		for i := range p.Versions {
			if v := &p.Versions[i]; v.Number == number {
				return ok(map[string]any{"info": map[string]any{"name": name, "version": number, "yanked": v.Yanked != "", "yanked_reason": v.Yanked}})
			}
		}
	}
	return missing
}

// nuspec is the specification of a NuGet package.
func (s *Services) nuspec(name string) Answer {
	p := s.find(coord.NuGet, name)
	if p == nil || p.Unlisted {
		return missing
	}
	if p.ID != "" {
		name = p.ID
	}
	return Answer{200, "application/xml", "<package><metadata><id>" + name + "</id></metadata></package>"}
}

// Advisory writes an OSV record of one package: from introduced on, to fixed
// ("" = never).
func Advisory(id string, e coord.Ecosystem, name, severity, introduced, fixed string) string {
	events := []any{map[string]any{"introduced": introduced}}
	if fixed != "" {
		events = append(events, map[string]any{"fixed": fixed})
	}
	return object(id, severity, map[string]any{
		"package": map[string]any{"name": name, "ecosystem": string(e)},
		"ranges":  []any{map[string]any{"type": "ECOSYSTEM", "events": events}},
	})
}

// Listing writes an OSV record that names versions; open adds a range that covers
// all of them.
func Listing(id string, e coord.Ecosystem, name string, open bool, versions ...string) string {
	affected := map[string]any{"package": map[string]any{"name": name, "ecosystem": string(e)}, "versions": versions}
	if open {
		affected["ranges"] = []any{map[string]any{"type": "SEMVER", "events": []any{map[string]any{"introduced": "0"}}}}
	}
	return object(id, "", affected)
}

func object(id, severity string, affected map[string]any) string {
	m := map[string]any{"id": id, "summary": "a test's record", "affected": []any{affected}}
	if severity != "" {
		m["database_specific"] = map[string]any{"severity": severity}
	}
	b, err := json.Marshal(m)
	if err != nil {
		return ""
	}
	return string(b)
}
