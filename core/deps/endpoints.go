package deps

import "github.com/ec261362/guardrails/core/deps/coord"

// Endpoints are the base addresses of the services that are asked. Registries
// have no address of their own here: "" = the one that the user's tool is set
// up for.
type Endpoints struct {
	DepsDev, OSV string
	Registries   map[coord.Ecosystem]string
}

// The public services. Both are free and need no key; what they get to see are
// names and versions of packages.
const (
	publicDepsDev = "https://api.deps.dev"
	publicOSV     = "https://api.osv.dev"
)

func (e *Endpoints) depsDev() string {
	if e.DepsDev != "" {
		return e.DepsDev
	}
	return publicDepsDev
}

func (e *Endpoints) osv() string {
	if e.OSV != "" {
		return e.OSV
	}
	return publicOSV
}
