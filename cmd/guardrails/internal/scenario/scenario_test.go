package scenario

import (
	"io/fs"
	"testing"

	"github.com/ec261362/guardrails/core/config"
	"github.com/ec261362/guardrails/core/config/yamldoc"
	"github.com/ec261362/guardrails/templates"
)

func TestBuiltInPacksBehaveAsTheirScenariosSay(t *testing.T) {
	for _, name := range []string{"delivery", "muggle"} {
		data, err := fs.ReadFile(templates.Packs(), name+".yaml")
		if err != nil {
			t.Fatal(err)
		}
		p, problems := config.ParsePack(name+".yaml", data, yamldoc.Read)
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		for i := range p.Scenarios {
			for _, host := range Hosts {
				r, err := Play(&p, &p.Scenarios[i], host)
				if err != nil {
					t.Fatalf("%s: %s: %v", name, p.Scenarios[i].Name, err)
				}
				if !r.OK {
					t.Errorf("%s: %s (%s): step %d: %s", name, r.Scenario, host, r.Step, r.Why)
				}
			}
		}
	}
}
