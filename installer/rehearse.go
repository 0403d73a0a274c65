package installer

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/ec261362/guardrails/installer/jsonedit"
)

// Rehearsal is one place's entries as they stand, laid out so that the host's
// own program finds them in another home.
type Rehearsal struct {
	Host, Route, Scope string
	File               string            // where the entries stand
	Files              map[string][]byte // by path below the other home
	Hooks              json.RawMessage   // the hooks member of a settings file, nil if there is none
	Args               []string          // what the program must be told besides
	Off                string            // what keeps the host from running them where they are, "" if nothing
}

// rehearser is a target whose program can be driven.
type rehearser interface {
	rehearse(*Installer, Request, *State) (Rehearsal, error)
}

// Rehearse returns what the host's program needs in order to run the entries of
// every place that concerns r. It changes nothing. ok is false if this host's
// program cannot be driven.
func (i *Installer) Rehearse(ctx context.Context, r Request) (all []Rehearsal, ok bool, err error) {
	t, err := lookup(r.Host)
	if err != nil {
		return nil, false, err
	}
	h, ok := t.(rehearser)
	if !ok {
		return nil, false, nil
	}
	s, err := t.show(ctx, i, r)
	if err != nil {
		return nil, true, fmt.Errorf("show %s: %w", r.Host, err)
	}
	for n := range s.States {
		st := &s.States[n]
		if !st.installed() {
			continue
		}
		one, err := h.rehearse(i, r, st)
		if err != nil {
			return nil, true, err
		}
		one.Host, one.Route, one.Scope, one.File = st.Host, st.Route, st.Scope, st.File
		if !st.Enabled {
			one.Off = "it is switched off"
			if all := slices.Concat(st.Problems, s.Problems); len(all) > 0 {
				one.Off = all[0]
			}
		}
		all = append(all, one)
	}
	return all, true, nil
}

// ownHooks is the hooks member of a document with nothing but our entries in it,
// each as it stands.
func (id identity) ownHooks(doc *jsonedit.Doc) (json.RawMessage, error) {
	type group struct {
		Matcher string            `json:"matcher,omitempty"`
		Hooks   []json.RawMessage `json:"hooks"`
	}
	hooks := map[string][]group{}
	for _, e := range id.scan(doc) {
		if e.kind == ours {
			hooks[e.event] = append(hooks[e.event], group{e.matcher, []json.RawMessage{slices.Clone(e.node.Raw())}})
		}
	}
	return json.Marshal(hooks)
}

func (c claude) rehearse(i *Installer, _ Request, st *State) (r Rehearsal, err error) {
	if st.Route == Plugin.String() {
		r.Args = []string{"--plugin-dir", filepath.Join(c.bundleDir(i), "plugins", "guardrails")}
		return r, nil
	}
	doc, err := c.read(st.File)
	if err != nil || doc == nil {
		return r, fmt.Errorf("%s: it cannot be read any more: %w", st.File, err)
	}
	if r.Hooks, err = c.identity().ownHooks(doc); err != nil {
		return r, err
	}
	settings := map[string]any{"hooks": r.Hooks}
	if off := doc.At("disableAllHooks"); off.Kind() != jsonedit.Invalid {
		settings["disableAllHooks"] = json.RawMessage(off.Raw())
	}
	data, err := json.Marshal(settings)
	r.Files = map[string][]byte{filepath.Join(".claude", "settings.json"): data}
	return r, err
}
