package judge

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/config"
	"github.com/ec261362/guardrails/core/handoff"
	"github.com/ec261362/guardrails/core/handoff/pack"
	"github.com/ec261362/guardrails/core/hook"
)

// handoffs are the packs in force here.
func (m *Machine) handoffs(ad hook.Adapter, h *config.Handoffs) handoff.Settings {
	s := Handoffs(h)
	if m.Handoffs != nil {
		s = *m.Handoffs
	}
	s.Home, s.Binary = m.Home, filepath.Join(m.StateHome, "bin", "guardrails")
	s.DryRun, s.Transcript = m.DryRun, tail
	asker, ok := ad.(hook.Asker)
	s.Mute = !ok || !asker.Asks(m.Getenv)
	return s
}

// Handoffs resolves the configured packs: the built-in ones, and those that the
// configuration defines.
func Handoffs(h *config.Handoffs) handoff.Settings {
	s := handoff.Settings{Off: h.Preferences.Off()}
	if !h.On {
		return s
	}
	for _, name := range h.Packs {
		p := handoff.Shipped(name)
		if i := slices.IndexFunc(h.Custom, func(p pack.Pack) bool { return p.Name == name }); p == nil && i >= 0 {
			p = &h.Custom[i]
		}
		if p != nil {
			s.Packs = append(s.Packs, p)
		}
	}
	return s
}

// sweepable returns packs without the say of a project's own on folders outside
// it: what is removed there is the human's to decide.
func sweepable(packs []*pack.Pack, project bool) []*pack.Pack {
	out := slices.Clone(packs)
	for i, p := range out {
		if project && p.SlotGC && handoff.Shipped(p.Name) == nil && (strings.HasPrefix(p.Slots, "~") || !filepath.IsLocal(p.Slots)) {
			kept := *p
			kept.SlotGC = false
			out[i] = &kept
		}
	}
	return out
}
