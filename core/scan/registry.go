package scan

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Registry knows validators by name. Its zero value knows none; NewRegistry's
// knows the built-in ones. It may be used by several goroutines.
type Registry struct {
	mu   sync.RWMutex
	list []Validator
}

// NewRegistry returns a registry of the built-in validators: secrets, pii and
// prompt-injection.
func NewRegistry() *Registry {
	return &Registry{list: []Validator{Secrets(), PII(PIIOptions{}), PromptInjection()}}
}

// Register adds a validator. Its name must be new.
func (r *Registry) Register(v Validator) error {
	switch {
	case v.Name == "" || strings.ContainsAny(v.Name, " \t\n,"):
		return fmt.Errorf("validator %q: its name must be a word", v.Name)
	case v.Check == nil:
		return fmt.Errorf("validator %s: it has no check", v.Name)
	case v.Direction&Both == 0 || v.Direction&^Both != 0:
		return fmt.Errorf("validator %s: its direction must be Input, Output or Both", v.Name)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.find(v.Name) >= 0 {
		return fmt.Errorf("validator %s: there is one of that name", v.Name)
	}
	r.list = append(r.list, v)
	return nil
}

// Names returns the names of all validators in the order of registration.
func (r *Registry) Names() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	names := make([]string, len(r.list))
	for i := range r.list {
		names[i] = r.list[i].Name
	}
	return names
}

// Resolve returns the named validators that serve d, in the order of names; of
// several equal names the first counts. No names means the built-in ones. A name
// that is not registered is an error, whichever direction is asked for: what was
// meant to be checked would go unchecked.
func (r *Registry) Resolve(names []string, d Direction) ([]Validator, error) {
	if d&Both == 0 {
		return nil, errors.New("resolve validators: no direction")
	}
	if len(names) == 0 {
		names = []string{NameSecrets, NamePII, NamePromptInjection}
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	var found []Validator
	for i, name := range names {
		k := r.find(name)
		if k < 0 {
			known := make([]string, len(r.list))
			for i := range r.list {
				known[i] = r.list[i].Name
			}
			return nil, fmt.Errorf("unknown validator %q: there are %s", name, strings.Join(known, ", "))
		}
		if v := r.list[k]; v.Direction&d != 0 && !slices.Contains(names[:i], name) {
			found = append(found, v)
		}
	}
	return found, nil
}

func (r *Registry) find(name string) int {
	return slices.IndexFunc(r.list, func(v Validator) bool { return v.Name == name })
}

var standard = sync.OnceValue(NewRegistry)

// Register adds a validator to the registry that Resolve uses.
func Register(v Validator) error { return standard().Register(v) }

// Resolve returns the named validators that serve d; see [Registry.Resolve].
func Resolve(names []string, d Direction) ([]Validator, error) { return standard().Resolve(names, d) }
