package cli

import (
	"github.com/ec261362/guardrails/core/config"
	"github.com/ec261362/guardrails/core/config/yamldoc"
)

// load reads the configuration as o says, of this app's state home, whatever kind
// of YAML it is written in.
func (a *app) load(o config.LoadOptions) *config.Effective {
	o.StateHome, o.YAML = a.state, yamldoc.Read
	return config.Load(o)
}
