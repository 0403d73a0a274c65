package world

import (
	"github.com/ec261362/guardrails/core/deps/web"
	"github.com/ec261362/guardrails/core/gate"
)

// Network does HTTP requests as this version of the product.
func Network(version string) gate.HTTP { return web.New("guardrails/" + version) }
