// Package depsdev writes requests to deps.dev and reads its answers: which
// versions a package has, since when, and what a registry says of them.
//
// It opens no connection: requests and answers are data. It may import
// core/gate and core/deps/coord. Contract: deps.dev API v3.
package depsdev

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

// System is deps.dev's word for an ecosystem as its paths write it, "" if it has
// none.
func System(e coord.Ecosystem) string {
	switch e {
	case coord.NPM:
		return "npm"
	case coord.PyPI:
		return "pypi"
	case coord.Crates:
		return "cargo"
	case coord.Go:
		return "go"
	case coord.RubyGems:
		return "rubygems"
	case coord.NuGet:
		return "nuget"
	case coord.Maven:
		return "maven"
	case coord.None, coord.Packagist, coord.Conda:
	}
	return ""
}

// segment encodes a path parameter as one segment. url.PathEscape leaves the
// colon, which starts a verb of the API, and the plus.
func segment(s string) string {
	return strings.NewReplacer(":", "%3A", "@", "%40", "+", "%2B").Replace(url.PathEscape(s))
}

func get(base, path string) gate.Request {
	return gate.Request{URL: strings.TrimRight(base, "/") + path, Header: map[string]string{"Accept": "application/json"}}
}

// PackageRequest asks for a package's versions; DecodePackage reads the answer.
func PackageRequest(base string, e coord.Ecosystem, name string) gate.Request {
	return get(base, "/v3/systems/"+System(e)+"/packages/"+segment(name))
}

// VersionRequest asks for one version; DecodeVersion reads the answer.
func VersionRequest(base string, e coord.Ecosystem, name, version string) gate.Request {
	return get(base, "/v3/systems/"+System(e)+"/packages/"+segment(name)+"/versions/"+segment(version))
}

// Package is what deps.dev knows of a package.
type Package struct {
	Name     string // as deps.dev writes it
	Versions []Version
}

// Version is one version of a package.
type Version struct {
	Name             string // of the package, as deps.dev writes it; known to DecodeVersion
	Number           string
	Published        time.Time // zero = not known
	Default          bool
	Deprecated       bool
	DeprecatedReason string
	Yanked           bool   // taken back by who published it
	YankReason       string // in the registry's words

	// Known to DecodeVersion only.
	Licences     []string // SPDX expressions, or non-standard
	Status       string   // PyPI: active, archived, quarantined, deprecated
	StatusReason string
}

// ErrNotFound is returned for a package or version that deps.dev does not know.
// It may exist all the same: deps.dev lags by minutes to weeks.
var ErrNotFound = errors.New("deps.dev does not know it")

// ErrShape is wrapped by errors that say that an answer is not what the service
// would send.
var ErrShape = errors.New("unexpected answer")

// ErrStatus is wrapped by errors that say that the service did not answer the
// question.
var ErrStatus = errors.New("no answer")

type wireVersion struct {
	Key struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"versionKey"`
	Published        *string  `json:"publishedAt"`
	Default          bool     `json:"isDefault"`
	Deprecated       bool     `json:"isDeprecated"`
	DeprecatedReason string   `json:"deprecatedReason"`
	Licences         []string `json:"licenses"`
	Status           struct {
		Status string `json:"status"`
		Reason string `json:"reason"`
	} `json:"projectStatus"`
}

func (w *wireVersion) version() (Version, error) {
	if w.Key.Version == "" {
		return Version{}, fmt.Errorf("%w: a version without a number", ErrShape)
	}
	v := Version{
		Number: w.Key.Version, Default: w.Default, Deprecated: w.Deprecated, DeprecatedReason: w.DeprecatedReason,
		Licences: w.Licences, Status: strings.ToLower(w.Status.Status), StatusReason: w.Status.Reason,
	}
	if why, ok := takenBack(w.DeprecatedReason); ok && w.Deprecated {
		v.Deprecated, v.DeprecatedReason, v.Yanked, v.YankReason = false, "", true, why
	}
	if w.Published != nil && *w.Published != "" {
		at, err := time.Parse(time.RFC3339, *w.Published)
		if err != nil {
			return Version{}, fmt.Errorf("%w: publishedAt: %w", ErrShape, err)
		}
		if at.Year() > 1970 { // a service that does not know may send the epoch
			v.Published = at
		}
	}
	return v, nil
}

// takenBack reads the reasons by which deps.dev says that a version was not
// given up but taken back: "yanked", of Cargo, and the like. What stands behind
// a colon is why.
func takenBack(reason string) (why string, ok bool) {
	word, why, _ := strings.Cut(reason, ":")
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "yanked", "retracted", "unlisted":
		return strings.TrimSpace(why), true
	}
	return "", false
}

func body(r gate.Response, into any) error {
	switch {
	case r.Status == 404:
		return ErrNotFound
	case r.Status != 200:
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

// DecodePackage reads an answer to PackageRequest. A package without versions
// is an answer: everything in it was taken back.
func DecodePackage(r gate.Response) (Package, error) {
	var wire struct {
		Key struct {
			Name string `json:"name"`
		} `json:"packageKey"`
		Versions *[]wireVersion `json:"versions"`
	}
	if err := body(r, &wire); err != nil {
		return Package{}, err
	}
	if wire.Key.Name == "" {
		return Package{}, fmt.Errorf("%w: no package", ErrShape)
	}
	p := Package{Name: wire.Key.Name}
	if wire.Versions == nil {
		return p, nil // empty fields may be left out
	}
	for i := range *wire.Versions {
		v, err := (*wire.Versions)[i].version()
		if err != nil {
			return Package{}, err
		}
		p.Versions = append(p.Versions, v)
	}
	return p, nil
}

// DecodeVersion reads an answer to VersionRequest.
func DecodeVersion(r gate.Response) (Version, error) {
	var wire wireVersion
	if err := body(r, &wire); err != nil {
		return Version{}, err
	}
	v, err := wire.version()
	v.Name = wire.Key.Name
	return v, err
}
