package judge

import (
	"path/filepath"
	"time"

	"github.com/ec261362/guardrails/core/config"
	"github.com/ec261362/guardrails/core/deps"
	"github.com/ec261362/guardrails/core/deps/cache"
	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/osv"
	"github.com/ec261362/guardrails/core/policy"
)

// DepsCache is where look-ups are kept.
func (m *Machine) DepsCache() *cache.Dir {
	return &cache.Dir{Path: filepath.Join(m.StateHome, "cache", "deps"), Now: m.Now, ReadOnly: m.DryRun}
}

// Dependencies decodes the settings of the dependency check.
func (m *Machine) Dependencies(d *config.Dependencies) deps.Settings {
	e := &d.Endpoints
	return deps.Settings{
		Online: d.On,
		MinAge: time.Duration(d.MinAgeDays) * 24 * time.Hour, Cooldown: time.Duration(d.CooldownHours) * time.Hour,
		// A human who wants a longer cooldown than the usual day wants to be asked.
		CooldownAsks: d.CooldownHours > config.Defaults().Dependencies.CooldownHours,
		DenySeverity: osv.ParseSeverity(d.DenySeverity),
		Licences:     d.Licences,
		Exempt:       d.Exempt,
		Endpoints: deps.Endpoints{DepsDev: e.DepsDev, OSV: e.OSV, Registries: map[coord.Ecosystem]string{
			coord.NPM: e.NPM, coord.PyPI: e.PyPI, coord.Go: e.Go, coord.Crates: e.Cargo, coord.RubyGems: e.RubyGems,
			coord.Packagist: e.Packagist, coord.NuGet: e.NuGet, coord.Maven: e.Maven,
		}},
		Cache: m.DepsCache(),
		Told:  m.DryRun,
		Code:  policy.Code,
	}
}
