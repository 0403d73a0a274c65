// Package registry writes requests to package registries and reads their
// answers, and finds the address of the registry that the user's own tool is
// set up for. It knows no registry's address: without one nothing is asked.
//
// It opens no connection and starts no program itself: requests, answers and
// programs go through functions it is handed. It may import core/gate,
// core/deps/coord and core/deps/spec.
package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/gate"
)

// Info is what a registry says of a package.
type Info struct {
	Versions  []Version
	Created   time.Time // zero = not known
	TakenDown string    // why the registry itself took it down, "" = it did not
}

// Version is one version. What is not known is zero.
type Version struct {
	Number     string
	Published  time.Time
	Deprecated string // the registry's words
	Yanked     bool
	YankReason string
}

// ErrNotFound is returned where a registry says that it has no such package.
var ErrNotFound = errors.New("the registry does not have it")

// ErrShape is wrapped by errors that say that an answer is not what a registry
// would send.
var ErrShape = errors.New("unexpected answer")

// ErrStatus is wrapped by errors that say that the registry did not answer the
// question.
var ErrStatus = errors.New("no answer")

// Requests are the requests whose answers tell whether a package exists, most
// telling first: it exists if any of them has an answer, and does not if all are
// not found. Nil = the ecosystem's registries cannot be asked.
func Requests(base string, e coord.Ecosystem, name string) []gate.Request {
	base = strings.TrimRight(strings.TrimPrefix(base, "sparse+"), "/")
	get := func(path string, accept ...string) gate.Request {
		r := gate.Request{URL: base + path, Header: map[string]string{"Accept": "application/json"}}
		if len(accept) > 0 {
			r.Header["Accept"] = accept[0]
		}
		return r
	}
	switch e {
	case coord.NPM:
		return []gate.Request{get("/"+escaped(name), "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8")}
	case coord.PyPI:
		n := url.PathEscape(coord.Canonical(e, name))
		const simple = "application/vnd.pypi.simple.v1+json"
		if root, ok := strings.CutSuffix(base, "/simple"); ok {
			base = root
		}
		return []gate.Request{get("/simple/"+n+"/", simple), get("/pypi/" + n + "/json")}
	case coord.Crates:
		var out []gate.Request
		for _, n := range []string{name, swapped(name)} {
			if n != "" {
				out = append(out, get(cratePath(strings.ToLower(n)), "*/*"))
			}
		}
		return append(out, get("/api/v1/crates/"+url.PathEscape(name)))
	case coord.Go:
		m := modulePath(name)
		return []gate.Request{get("/"+m+"/@v/list", "*/*"), get("/"+m+"/@latest", "*/*")}
	case coord.RubyGems:
		n := url.PathEscape(name)
		return []gate.Request{get("/api/v1/versions/" + n + ".json"), get("/info/"+n, "*/*")}
	case coord.Packagist:
		vendor, pkg, ok := strings.Cut(strings.ToLower(name), "/")
		if !ok {
			return nil
		}
		at := "/p2/" + url.PathEscape(vendor) + "/" + url.PathEscape(pkg)
		return []gate.Request{get(at + ".json"), get(at + "~dev.json")}
	case coord.NuGet:
		return []gate.Request{get("/" + url.PathEscape(strings.ToLower(name)) + "/index.json")}
	case coord.Maven:
		group, artifact, ok := strings.Cut(name, ":")
		if !ok {
			return nil
		}
		var path strings.Builder
		for part := range strings.SplitSeq(group, ".") {
			path.WriteString("/" + url.PathEscape(part))
		}
		return []gate.Request{get(path.String()+"/"+url.PathEscape(artifact)+"/maven-metadata.xml", "*/*")}
	case coord.None, coord.Conda:
	}
	return nil
}

// VersionRequest asks for one version alone, where the answer about all of them
// is a large one; DecodeVersion reads the answer. ok is false where there is no
// such question.
func VersionRequest(base string, e coord.Ecosystem, name, v string) (r gate.Request, ok bool) {
	if e != coord.PyPI {
		return gate.Request{}, false
	}
	base = strings.TrimSuffix(strings.TrimRight(base, "/"), "/simple")
	return gate.Request{
		URL:    base + "/pypi/" + url.PathEscape(coord.Canonical(e, name)) + "/" + url.PathEscape(v) + "/json",
		Header: map[string]string{"Accept": "application/json"},
	}, true
}

// DecodeVersion reads the answer to a VersionRequest.
func DecodeVersion(e coord.Ecosystem, name string, r gate.Response) (Version, error) {
	var wire struct {
		Info struct {
			Name    string `json:"name"`
			Version string `json:"version"`
			Yanked  bool   `json:"yanked"`
			Reason  string `json:"yanked_reason"`
		} `json:"info"`
	}
	if err := decode(r, &wire); err != nil {
		return Version{}, err
	}
	if wire.Info.Version == "" || coord.Canonical(e, wire.Info.Name) != coord.Canonical(e, name) {
		return Version{}, fmt.Errorf("%w: not about this version", ErrShape)
	}
	v := Version{Number: wire.Info.Version, Yanked: wire.Info.Yanked}
	if v.Yanked {
		v.YankReason = wire.Info.Reason
	}
	return v, nil
}

// SpellingRequest asks NuGet's registry for the specification of one version,
// which has the id in the letter case that its author gave it.
func SpellingRequest(base, name, v string) gate.Request {
	n := url.PathEscape(strings.ToLower(name))
	return gate.Request{
		URL:    strings.TrimRight(base, "/") + "/" + n + "/" + url.PathEscape(strings.ToLower(v)) + "/" + n + ".nuspec",
		Header: map[string]string{"Accept": "*/*"},
	}
}

// DecodeSpelling reads the answer to a SpellingRequest.
func DecodeSpelling(name string, r gate.Response) (string, error) {
	if err := status(r); err != nil {
		return "", err
	}
	_, rest, ok := strings.Cut(string(r.Body), "<id>")
	id, _, end := strings.Cut(rest, "</id>")
	if id = strings.TrimSpace(id); !ok || !end || !strings.EqualFold(id, name) {
		return "", fmt.Errorf("%w: not about this package", ErrShape)
	}
	return id, nil
}

// escaped writes an npm name as one segment, with the @ of a scope as it is.
func escaped(name string) string {
	if scope, ok := strings.CutPrefix(name, "@"); ok {
		return "@" + url.PathEscape(scope)
	}
	return url.PathEscape(name)
}

// swapped is the name with - and _ exchanged: registries of crates take them for
// equal, their paths do not. "" if it has neither.
func swapped(name string) string {
	s := strings.Map(func(r rune) rune {
		switch r {
		case '-':
			return '_'
		case '_':
			return '-'
		}
		return r
	}, name)
	if s == name {
		return ""
	}
	return s
}

func cratePath(n string) string {
	e := url.PathEscape
	switch len(n) {
	case 0:
		return "/"
	case 1, 2:
		return fmt.Sprintf("/%d/%s", len(n), e(n))
	case 3:
		return "/3/" + e(n[:1]) + "/" + e(n)
	}
	return "/" + e(n[:2]) + "/" + e(n[2:4]) + "/" + e(n)
}

// modulePath writes a module path with !x for each upper-case X.
func modulePath(path string) string {
	var b strings.Builder
	for _, r := range path {
		if 'A' <= r && r <= 'Z' {
			b.WriteByte('!')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	parts := strings.Split(b.String(), "/")
	for i := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(parts[i]), "%21", "!")
	}
	return strings.Join(parts, "/")
}

// ServiceIndex reports whether an address names NuGet's service index, whose
// answer DecodeServiceIndex turns into the address that Requests wants.
func ServiceIndex(base string) bool { return strings.HasSuffix(base, "/index.json") }

// DecodeServiceIndex returns the address of the packages.
func DecodeServiceIndex(r gate.Response) (string, error) {
	var wire struct {
		Resources []struct {
			ID   string `json:"@id"`
			Type string `json:"@type"`
		} `json:"resources"`
	}
	if err := decode(r, &wire); err != nil {
		return "", err
	}
	for _, res := range wire.Resources {
		if strings.HasPrefix(res.Type, "PackageBaseAddress/") && Usable(res.ID) {
			return strings.TrimRight(res.ID, "/"), nil
		}
	}
	return "", fmt.Errorf("%w: no address of packages", ErrShape)
}

// Usable reports whether an address can be asked: http or https, without a
// password in it.
func Usable(address string) bool {
	u, err := url.Parse(strings.TrimPrefix(address, "sparse+"))
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == ""
}

func status(r gate.Response) error {
	switch r.Status {
	case 200:
		return nil
	case 404, 410, 451:
		return ErrNotFound
	}
	return fmt.Errorf("%w: status %d", ErrStatus, r.Status)
}

func decode(r gate.Response, into any) error {
	if err := status(r); err != nil {
		return err
	}
	if err := json.Unmarshal(r.Body, into); err != nil {
		return fmt.Errorf("%w: %w", ErrShape, err)
	}
	return nil
}

// Decode reads the answer to one of Requests.
func Decode(e coord.Ecosystem, name string, r gate.Response) (Info, error) {
	if err := status(r); err != nil {
		return Info{}, err
	}
	if t := r.Header["Content-Type"]; strings.Contains(t, "text/html") {
		return Info{}, fmt.Errorf("%w: it is %s", ErrShape, t)
	}
	var info Info
	var err error
	switch e {
	case coord.NPM:
		info, err = npm(name, r)
	case coord.PyPI:
		info, err = pypi(name, r)
	case coord.Crates:
		info, err = crates(name, r)
	case coord.Go:
		info, err = golang(r)
	case coord.RubyGems:
		info, err = gems(r)
	case coord.Packagist:
		info, err = packagist(strings.ToLower(name), r)
	case coord.NuGet:
		info, err = nuget(r)
	case coord.Maven:
		info, err = maven(r)
	case coord.None, coord.Conda:
		err = fmt.Errorf("%w: of an unknown kind", ErrShape)
	}
	if err != nil {
		return Info{}, err
	}
	for _, v := range info.Versions {
		if !v.Published.IsZero() && (info.Created.IsZero() || v.Published.Before(info.Created)) {
			info.Created = v.Published
		}
	}
	return info, nil
}

// date reads the times that registries write; a time that is none is unknown.
func date(s string) time.Time {
	for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() > 1970 {
			return t
		}
	}
	return time.Time{}
}

func npm(name string, r gate.Response) (Info, error) {
	var wire struct {
		Name     string `json:"name"`
		Versions map[string]struct {
			Deprecated json.RawMessage `json:"deprecated"`
		} `json:"versions"`
		Time map[string]json.RawMessage `json:"time"`
	}
	if err := decode(r, &wire); err != nil {
		return Info{}, err
	}
	if wire.Name != name {
		return Info{}, fmt.Errorf("%w: not about this package", ErrShape)
	}
	at := func(key string) time.Time {
		var s string
		if json.Unmarshal(wire.Time[key], &s) != nil {
			return time.Time{}
		}
		return date(s)
	}
	info := Info{Created: at("created")}
	for v, m := range wire.Versions {
		one := Version{Number: v, Published: at(v)}
		if json.Unmarshal(m.Deprecated, &one.Deprecated) != nil && string(m.Deprecated) == "true" {
			one.Deprecated = "deprecated"
		}
		info.Versions = append(info.Versions, one)
	}
	if len(info.Versions) == 0 {
		return Info{}, ErrNotFound // all of it was unpublished
	}
	if len(info.Versions) == 1 && info.Versions[0].Number == SecurityPlaceholder {
		info.TakenDown = "the registry keeps the name from being used"
	}
	return info, nil
}

// SecurityPlaceholder is the version that the npm registry puts in the place of
// a package that it took down.
const SecurityPlaceholder = "0.0.1-security"

func pypi(name string, r gate.Response) (Info, error) {
	var wire struct {
		Name  string `json:"name"` // of the simple index
		Files []struct {
			Name   string          `json:"filename"`
			Upload string          `json:"upload-time"`
			Yanked json.RawMessage `json:"yanked"`
		} `json:"files"`
		Versions []string `json:"versions"`
		Status   struct {
			Status string `json:"status"`
			Reason string `json:"reason"`
		} `json:"project-status"`

		Info struct { // of the project's own page
			Name string `json:"name"`
		} `json:"info"`
		Releases map[string][]struct {
			Upload string `json:"upload_time_iso_8601"`
			Yanked bool   `json:"yanked"`
			Reason string `json:"yanked_reason"`
		} `json:"releases"`
	}
	if err := decode(r, &wire); err != nil {
		return Info{}, err
	}
	if wire.Name == "" {
		wire.Name = wire.Info.Name
	}
	if coord.Canonical(coord.PyPI, wire.Name) != coord.Canonical(coord.PyPI, name) {
		return Info{}, fmt.Errorf("%w: not about this project", ErrShape)
	}
	var info Info
	for v, files := range wire.Releases {
		one := Version{Number: v, Yanked: len(files) > 0}
		for _, f := range files {
			if at := date(f.Upload); !at.IsZero() && (one.Published.IsZero() || at.Before(one.Published)) {
				one.Published = at
			}
			one.Yanked, one.YankReason = one.Yanked && f.Yanked, f.Reason
		}
		info.Versions = append(info.Versions, one)
	}
	for _, v := range wire.Versions {
		one := Version{Number: v}
		files, yanked := 0, 0
		for _, f := range wire.Files {
			if !fileOf(f.Name, v) {
				continue
			}
			files++
			if at := date(f.Upload); !at.IsZero() && (one.Published.IsZero() || at.Before(one.Published)) {
				one.Published = at
			}
			if y := string(f.Yanked); y != "" && y != "false" && y != "null" {
				yanked++
				_ = json.Unmarshal(f.Yanked, &one.YankReason)
			}
		}
		if one.Yanked = files > 0 && yanked == files; !one.Yanked {
			one.YankReason = ""
		}
		info.Versions = append(info.Versions, one)
	}
	switch reason := wire.Status.Reason; strings.ToLower(wire.Status.Status) {
	case "quarantined":
		if info.TakenDown = "quarantined by the index"; reason != "" {
			info.TakenDown += ": " + reason
		}
	case "archived", "deprecated":
		for i := range info.Versions {
			if info.Versions[i].Deprecated = reason; reason == "" {
				info.Versions[i].Deprecated = wire.Status.Status
			}
		}
	}
	return info, nil
}

// fileOf reports whether a distribution's file is of version v.
func fileOf(file, v string) bool {
	for _, end := range [...]string{"-" + v + "-", "-" + v + ".tar", "-" + v + ".zip", "-" + v + ".egg"} {
		if strings.Contains(file, end) {
			return true
		}
	}
	return false
}

func crates(name string, r gate.Response) (Info, error) {
	var info Info
	if page := strings.TrimSpace(string(r.Body)); strings.HasPrefix(page, "{") && strings.Contains(page, `"crate"`) && strings.Contains(page, `"versions"`) {
		var wire struct {
			Crate *struct {
				ID      string `json:"id"`
				Created string `json:"created_at"`
			} `json:"crate"`
			Versions []struct {
				Num     string `json:"num"`
				Created string `json:"created_at"`
				Yanked  bool   `json:"yanked"`
			} `json:"versions"`
		}
		if json.Unmarshal(r.Body, &wire) == nil && wire.Crate != nil {
			if id := wire.Crate.ID; id != "" && coord.Canonical(coord.Crates, id) != coord.Canonical(coord.Crates, name) {
				return Info{}, fmt.Errorf("%w: not about this crate", ErrShape)
			}
			info.Created = date(wire.Crate.Created)
			for _, v := range wire.Versions {
				info.Versions = append(info.Versions, Version{Number: v.Num, Published: date(v.Created), Yanked: v.Yanked})
			}
			return info, nil
		}
	}
	for line := range strings.SplitSeq(strings.TrimSpace(string(r.Body)), "\n") {
		var wire struct {
			Name    string `json:"name"`
			Vers    string `json:"vers"`
			Yanked  bool   `json:"yanked"`
			Pubtime string `json:"pubtime"`
		}
		if err := json.Unmarshal([]byte(line), &wire); err != nil || wire.Vers == "" {
			return Info{}, fmt.Errorf("%w: a line of the index that is no version", ErrShape)
		}
		if wire.Name != "" && coord.Canonical(coord.Crates, wire.Name) != coord.Canonical(coord.Crates, name) {
			return Info{}, fmt.Errorf("%w: not about this crate", ErrShape)
		}
		info.Versions = append(info.Versions, Version{Number: wire.Vers, Yanked: wire.Yanked, Published: date(wire.Pubtime)})
	}
	return info, nil
}

func golang(r gate.Response) (Info, error) {
	text := strings.TrimSpace(string(r.Body))
	var info Info
	if strings.HasPrefix(text, "{") {
		var wire struct{ Version, Time string }
		if err := decode(r, &wire); err != nil {
			return Info{}, err
		}
		if wire.Version == "" {
			return Info{}, fmt.Errorf("%w: no version", ErrShape)
		}
		info.Versions = []Version{{Number: wire.Version, Published: date(wire.Time)}}
		return info, nil
	}
	for line := range strings.Lines(text) {
		v := strings.TrimSpace(line)
		if !strings.HasPrefix(v, "v") || len(v) < 2 || v[1] < '0' || v[1] > '9' {
			return Info{}, fmt.Errorf("%w: a line that is no version", ErrShape)
		}
		info.Versions = append(info.Versions, Version{Number: v})
	}
	return info, nil // an empty list: a module without tagged versions
}

func gems(r gate.Response) (Info, error) {
	text := strings.TrimSpace(string(r.Body))
	var info Info
	if list, ok := strings.CutPrefix(text, "---"); ok { // the compact index: a version and its dependencies in each line
		for line := range strings.Lines(list) {
			if v, _, _ := strings.Cut(strings.TrimSpace(line), " "); v != "" {
				info.Versions = append(info.Versions, Version{Number: v})
			}
		}
		return info, nil
	}
	var wire []struct {
		Number  string `json:"number"`
		Created string `json:"created_at"`
	}
	if err := decode(r, &wire); err != nil {
		return Info{}, err
	}
	for _, v := range wire {
		if v.Number == "" {
			return Info{}, fmt.Errorf("%w: a version without a number", ErrShape)
		}
		info.Versions = append(info.Versions, Version{Number: v.Number, Published: date(v.Created)})
	}
	return info, nil
}

// packagist reads a minified list: an entry inherits what it does not say from
// the one before, and "__unset" takes a member away.
func packagist(name string, r gate.Response) (Info, error) {
	var wire struct {
		Packages map[string][]map[string]json.RawMessage `json:"packages"`
	}
	if err := decode(r, &wire); err != nil {
		return Info{}, err
	}
	list, ok := wire.Packages[name]
	if !ok {
		return Info{}, fmt.Errorf("%w: another package", ErrShape)
	}
	var info Info
	have := map[string]json.RawMessage{}
	for _, entry := range list {
		for k, v := range entry {
			if string(v) == `"__unset"` {
				delete(have, k)
				continue
			}
			have[k] = v
		}
		var v Version
		var at string
		_ = json.Unmarshal(have["time"], &at)
		if err := json.Unmarshal(have["version"], &v.Number); err != nil || v.Number == "" {
			return Info{}, fmt.Errorf("%w: a version without a number", ErrShape)
		}
		v.Published = date(at)
		var other string
		switch json.Unmarshal(have["abandoned"], &other) {
		case nil:
			v.Deprecated = "abandoned, use " + other
		default:
			if string(have["abandoned"]) == "true" {
				v.Deprecated = "abandoned"
			}
		}
		info.Versions = append(info.Versions, v)
	}
	return info, nil
}

func nuget(r gate.Response) (Info, error) {
	var wire struct {
		Versions []string `json:"versions"`
	}
	if err := decode(r, &wire); err != nil {
		return Info{}, err
	}
	if len(wire.Versions) == 0 {
		return Info{}, fmt.Errorf("%w: no versions", ErrShape)
	}
	var info Info
	for _, v := range wire.Versions {
		info.Versions = append(info.Versions, Version{Number: v})
	}
	return info, nil
}

// maven reads the <version> elements of a maven-metadata.xml. A parser of XML
// would weigh more than all of this package.
func maven(r gate.Response) (Info, error) {
	text := string(r.Body)
	if !strings.Contains(text, "<metadata") {
		return Info{}, fmt.Errorf("%w: not a maven-metadata.xml", ErrShape)
	}
	var info Info
	_, list, _ := strings.Cut(text, "<versions>")
	list, _, _ = strings.Cut(list, "</versions>")
	for {
		_, rest, ok := strings.Cut(list, "<version>")
		if !ok {
			return info, nil
		}
		v, after, ok := strings.Cut(rest, "</version>")
		if !ok {
			return Info{}, fmt.Errorf("%w: it is cut", ErrShape)
		}
		if v = strings.TrimSpace(v); v != "" {
			info.Versions = append(info.Versions, Version{Number: v})
		}
		list = after
	}
}
