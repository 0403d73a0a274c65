// Package osv writes requests to OSV and reads its answers: which advisories
// there are on a version of a package, what they weigh, and which version is
// free of them.
//
// It opens no connection: requests and answers are data. It may import
// core/gate, core/deps/coord and core/deps/version. Contract: OSV API v1 and
// schema 1.7.5.
package osv

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/version"
	"github.com/ec261362/guardrails/core/gate"
)

// Known reports whether OSV has the ecosystem.
func Known(e coord.Ecosystem) bool {
	switch e {
	case coord.NPM, coord.PyPI, coord.Crates, coord.Go, coord.RubyGems, coord.Packagist, coord.NuGet, coord.Maven:
		return true
	case coord.None, coord.Conda:
	}
	return false
}

// Spelling is how OSV writes a version: Go's without v and +incompatible.
func Spelling(e coord.Ecosystem, v string) string {
	if e == coord.Go {
		v = strings.TrimSuffix(strings.TrimPrefix(v, "v"), "+incompatible")
	}
	return v
}

// Query is one question: the advisories on a version, or, without one, on any.
type Query struct {
	Ecosystem coord.Ecosystem
	Name      string
	Version   string
	Page      string // token of the page to read, "" = the first
}

type wireQuery struct {
	Version string      `json:"version,omitempty"`
	Package wirePackage `json:"package"`
	Page    string      `json:"page_token,omitempty"`
}

type wirePackage struct {
	Name      string `json:"name"`
	Ecosystem string `json:"ecosystem"`
}

func (q Query) wire() wireQuery {
	return wireQuery{Spelling(q.Ecosystem, q.Version), wirePackage{q.Name, string(q.Ecosystem)}, q.Page}
}

func post(base, path string, body any) gate.Request {
	b, err := json.Marshal(body)
	if err != nil { // strings only: it cannot fail
		b = nil
	}
	return gate.Request{Method: "POST", URL: strings.TrimRight(base, "/") + path, Header: map[string]string{"Content-Type": "application/json", "Accept": "application/json"}, Body: b}
}

// QueryRequest asks one question; DecodeQuery reads the answer.
func QueryRequest(base string, q Query) gate.Request { return post(base, "/v1/query", q.wire()) }

// MaxBatch is how many queries one batch takes.
const MaxBatch = 1000

// BatchRequest asks several at once; DecodeBatch reads the answer.
func BatchRequest(base string, queries []Query) gate.Request {
	list := make([]wireQuery, len(queries))
	for i, q := range queries {
		list[i] = q.wire()
	}
	return post(base, "/v1/querybatch", map[string]any{"queries": list})
}

// RecordRequest asks for one record; DecodeRecord reads the answer.
func RecordRequest(base, id string) gate.Request {
	return gate.Request{URL: strings.TrimRight(base, "/") + "/v1/vulns/" + url.PathEscape(id), Header: map[string]string{"Accept": "application/json"}}
}

// Record is one advisory, as far as we use it.
type Record struct {
	ID        string     `json:"id"`
	Aliases   []string   `json:"aliases,omitempty"`
	Summary   string     `json:"summary,omitempty"`
	Withdrawn string     `json:"withdrawn,omitempty"`
	Severity  []Score    `json:"severity,omitempty"`
	Affected  []Affected `json:"affected,omitempty"`
	Database  Specific   `json:"database_specific,omitzero"`
}

// Score is a severity as its scheme writes it.
type Score struct {
	Type  string `json:"type"`
	Score string `json:"score"`
}

// Affected is which versions of a package an advisory is about.
type Affected struct {
	Package   wirePackage `json:"package"`
	Severity  []Score     `json:"severity,omitempty"`
	Ranges    []Range     `json:"ranges,omitempty"`
	Versions  []string    `json:"versions,omitempty"`
	Ecosystem Specific    `json:"ecosystem_specific,omitzero"`
	Database  Specific    `json:"database_specific,omitzero"`
}

// Range is a run of events along the versions.
type Range struct {
	Type   string  `json:"type"`
	Events []Event `json:"events"`
}

// Event is where a flaw begins or ends.
type Event struct {
	Introduced   string `json:"introduced,omitempty"`
	Fixed        string `json:"fixed,omitempty"`
	LastAffected string `json:"last_affected,omitempty"`
	Limit        string `json:"limit,omitempty"`
}

// Specific is what we read of the members that each database fills in its own
// way. What has another shape there is left out.
type Specific struct {
	Severity      string `json:"severity,omitempty"`
	Informational string `json:"informational,omitempty"` // RustSec
	Symbols       bool   `json:"symbols,omitempty"`       // Go: only some functions are affected
}

// UnmarshalJSON never fails.
func (s *Specific) UnmarshalJSON(b []byte) error {
	var m map[string]json.RawMessage
	_ = json.Unmarshal(b, &m)
	_ = json.Unmarshal(m["severity"], &s.Severity) // may be an object
	_ = json.Unmarshal(m["informational"], &s.Informational)
	_ = json.Unmarshal(m["symbols"], &s.Symbols)
	var imports []struct {
		Symbols []string `json:"symbols"`
	}
	if json.Unmarshal(m["imports"], &imports) == nil {
		for _, i := range imports {
			s.Symbols = s.Symbols || len(i.Symbols) > 0
		}
	}
	return nil
}

// Answer is a page of what there is on a package.
type Answer struct {
	Records []Record
	Next    string // token of the next page: without it the answer is whole
}

// ErrShape is wrapped by errors that say that an answer is not what the service
// would send.
var ErrShape = errors.New("unexpected answer")

// ErrStatus is wrapped by errors that say that the service did not answer the
// question.
var ErrStatus = errors.New("no answer")

func body(r gate.Response, into any) error {
	if r.Status != 200 {
		return fmt.Errorf("%w: status %d", ErrStatus, r.Status)
	}
	if t := r.Header["Content-Type"]; t != "" && !strings.Contains(t, "json") {
		return fmt.Errorf("%w: it is %s", ErrShape, t)
	}
	if err := json.Unmarshal(r.Body, into); err != nil {
		return fmt.Errorf("%w: %w", ErrShape, err)
	}
	return nil
}

// object makes sure that a JSON text is an object: null and lists decode into a
// struct's zero value or fail late.
func object(b []byte) error {
	if t := strings.TrimLeft(string(b[:min(len(b), 64)]), " \t\r\n"); !strings.HasPrefix(t, "{") {
		return fmt.Errorf("%w: not an object", ErrShape)
	}
	return nil
}

// DecodeQuery reads an answer to QueryRequest.
func DecodeQuery(r gate.Response) (Answer, error) {
	var wire struct {
		Vulns []Record `json:"vulns"`
		Next  string   `json:"next_page_token"`
	}
	if err := body(r, &wire); err != nil {
		return Answer{}, err
	}
	if err := object(r.Body); err != nil {
		return Answer{}, err
	}
	if wire.Vulns == nil && wire.Next == "" && strings.Join(strings.Fields(string(r.Body)), "") != "{}" && !strings.Contains(string(r.Body), `"vulns"`) {
		return Answer{}, fmt.Errorf("%w: neither records nor nothing", ErrShape)
	}
	for i := range wire.Vulns {
		if wire.Vulns[i].ID == "" {
			return Answer{}, fmt.Errorf("%w: a record without an id", ErrShape)
		}
	}
	return Answer{wire.Vulns, wire.Next}, nil
}

// Hits are the ids that a batch answers one query with.
type Hits struct {
	IDs  []string
	Next string
}

// DecodeBatch reads an answer to BatchRequest with n queries, in their order.
func DecodeBatch(r gate.Response, n int) ([]Hits, error) {
	var wire struct {
		Results []struct {
			Vulns []struct {
				ID string `json:"id"`
			} `json:"vulns"`
			Next string `json:"next_page_token"`
		} `json:"results"`
	}
	if err := body(r, &wire); err != nil {
		return nil, err
	}
	if len(wire.Results) != n {
		return nil, fmt.Errorf("%w: %d results for %d queries", ErrShape, len(wire.Results), n)
	}
	out := make([]Hits, n)
	for i, res := range wire.Results {
		out[i].Next = res.Next
		for _, v := range res.Vulns {
			if v.ID == "" {
				return nil, fmt.Errorf("%w: a record without an id", ErrShape)
			}
			out[i].IDs = append(out[i].IDs, v.ID)
		}
	}
	return out, nil
}

// DecodeRecord reads an answer to RecordRequest.
func DecodeRecord(r gate.Response) (Record, error) {
	var rec Record
	if err := body(r, &rec); err != nil {
		return Record{}, err
	}
	if rec.ID == "" {
		return Record{}, fmt.Errorf("%w: a record without an id", ErrShape)
	}
	return rec, nil
}

// Of returns what the record says about one package.
func (r *Record) Of(e coord.Ecosystem, name string) []Affected {
	var out []Affected
	want := coord.Canonical(e, name)
	for _, a := range r.Affected {
		eco, _, _ := strings.Cut(a.Package.Ecosystem, ":")
		if eco == string(e) && coord.Canonical(e, a.Package.Name) == want {
			out = append(out, a)
		}
	}
	return out
}

// Malicious reports whether the record says that the package is malware.
func (r *Record) Malicious() bool { return strings.HasPrefix(r.ID, "MAL-") }

// Informational is why a record of RustSec is no vulnerability, "" if it is one.
func (r *Record) Informational(e coord.Ecosystem, name string) string {
	for _, a := range r.Of(e, name) {
		if a.Database.Informational != "" {
			return a.Database.Informational
		}
	}
	return ""
}

// Symbols reports whether only some functions are affected, so that having the
// module alone says little.
func (r *Record) Symbols(e coord.Ecosystem, name string) bool {
	list := r.Of(e, name)
	return len(list) > 0 && !slices.ContainsFunc(list, func(a Affected) bool { return !a.Ecosystem.Symbols })
}

// Reach says how a record covers a version.
type Reach int

// How a record covers a version. The zero value is not at all.
const (
	Outside Reach = iota
	Listed        // it names the version
	Ranged        // a range holds it, and no list of versions contradicts
	Stale         // a range holds it, and the record lists other versions
	Every         // it covers every version that there ever was
)

// Reaches says how the record covers version v of a package; of v == "" only
// Every is known.
func (r *Record) Reaches(e coord.Ecosystem, name, v string) Reach {
	s := version.Of(string(e))
	v = Spelling(e, v)
	best := Outside
	better := func(found Reach) {
		if best == Outside || best == Stale || found == Listed {
			best = found
		}
	}
	for _, a := range r.Of(e, name) {
		if v != "" && s.Find(a.Versions, v) != "" {
			better(Listed)
			continue
		}
		for i := range a.Ranges {
			g := &a.Ranges[i]
			switch {
			case g.Type == "GIT":
			case g.every() && len(a.Versions) == 0:
				better(Every)
			case v == "" || !g.holds(s, v):
			case len(a.Versions) > 0:
				better(Stale)
			default:
				better(Ranged)
			}
		}
	}
	return best
}

// every reports whether the range starts at the beginning and never ends.
func (g *Range) every() bool {
	start, end := false, false
	for _, ev := range g.Events {
		start = start || zero(ev.Introduced)
		end = end || ev.Fixed != "" || ev.LastAffected != "" || ev.Limit != "" && ev.Limit != "*"
	}
	return start && !end
}

// zero reports whether a version stands for the very first.
func zero(v string) bool { return v == "0" || v == "0.0.0" || v == "0.0.0-0" }

// span is a stretch of affected versions: from <= v < end, or <= if last.
type span struct {
	from, end string
	last      bool
}

func (g *Range) spans(s version.Scheme) []span {
	events := slices.Clone(g.Events)
	at := func(ev Event) string { return ev.Introduced + ev.Fixed + ev.LastAffected + ev.Limit }
	slices.SortStableFunc(events, func(a, b Event) int {
		switch {
		case zero(at(a)) && zero(at(b)):
			return 0
		case zero(at(a)):
			return -1
		case zero(at(b)):
			return 1
		}
		return s.Compare(at(a), at(b))
	})
	var out []span
	open := false
	for _, ev := range events {
		switch {
		case ev.Introduced != "":
			if !open {
				out, open = append(out, span{from: ev.Introduced}), true
			}
		case open && ev.Fixed != "":
			out[len(out)-1].end, open = ev.Fixed, false
		case open && ev.LastAffected != "":
			out[len(out)-1].end, out[len(out)-1].last, open = ev.LastAffected, true, false
		}
	}
	return out
}

func (p span) holds(s version.Scheme, v string) bool {
	if !zero(p.from) && s.Compare(v, p.from) < 0 {
		return false
	}
	if p.end == "" {
		return true
	}
	c := s.Compare(v, p.end)
	return c < 0 || p.last && c == 0
}

func (g *Range) holds(s version.Scheme, v string) bool {
	return slices.ContainsFunc(g.spans(s), func(p span) bool { return p.holds(s, v) })
}

// Fixed returns the version that mends what the record says of v, "" if none is
// known.
func (r *Record) Fixed(e coord.Ecosystem, name, v string) string {
	s := version.Of(string(e))
	v = Spelling(e, v)
	best := ""
	for _, a := range r.Of(e, name) {
		for i := range a.Ranges {
			g := &a.Ranges[i]
			if g.Type == "GIT" {
				continue
			}
			for _, p := range g.spans(s) {
				if p.holds(s, v) && p.end != "" && !p.last && (best == "" || s.Compare(p.end, best) < 0) {
					best = p.end
				}
			}
		}
	}
	return best
}

// Evaluable reports whether the record says in a way that we read which versions
// of a package it is about. If not, the service's word counts.
func (r *Record) Evaluable(e coord.Ecosystem, name string) bool {
	for _, a := range r.Of(e, name) {
		if len(a.Versions) > 0 || slices.ContainsFunc(a.Ranges, func(g Range) bool { return g.Type != "GIT" }) {
			return true
		}
	}
	return false
}
