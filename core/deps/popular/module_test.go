package popular

import (
	"slices"
	"testing"

	"github.com/ec261362/guardrails/core/deps/coord"
)

func TestAModuleIsNearOneThatOnlyHasAnotherOwner(t *testing.T) {
	for name, want := range map[string]string{
		"github.com/siruspen/logrus":        "github.com/sirupsen/logrus",
		"github.com/sirupsenn/logrus":       "github.com/sirupsen/logrus",
		"github.com/spf13-go/cobra":         "github.com/spf13/cobra",
		"github.com/go-gorilla/mux":         "github.com/gorilla/mux",
		"gitlab.com/sirupsen/logrus":        "github.com/sirupsen/logrus",
		"github.com/urfav/cli/v2":           "github.com/urfave/cli",
		"github.com/sirupsen/logrus":        "", // itself
		"github.com/spf13/cobra/v2":         "", // another major version
		"github.com/Sirupsen/logrus":        "", // the host takes them for one
		"github.com/somebody/logrus":        "", // a fork
		"github.com/sirupsen/logrus-extras": "", // another module
		"github.com/ks/cors":                "", // short owners are near anything
		"example.com/sirupsem/logrus":       "", // no large host
		"github.com/sirupsem":               "",
	} {
		got := Near(coord.Go, name)
		if want == "" && len(got) > 0 || want != "" && !slices.Equal(got, []string{want}) {
			t.Errorf("%s: near %q, want %q", name, got, want)
		}
	}
	if !Popular(coord.Go, "github.com/jackc/pgx/v5") || Popular(coord.Go, "github.com/jackc/pgx/v5/extra") {
		t.Error("a major version is the same module, a package in it has its own path")
	}
	if got := Suggest(coord.Go, "github.com/spf13/cobraa"); !slices.Contains(got, "github.com/spf13/cobra") {
		t.Errorf("%q", got)
	}
}

func TestNoListedModuleIsNearAnother(t *testing.T) {
	for _, n := range []string{"github.com/go-redis/redis", "github.com/redis/go-redis", "github.com/IBM/sarama", "github.com/Shopify/sarama", "github.com/jinzhu/gorm", "github.com/go-gorm/gorm"} {
		if !Popular(coord.Go, n) || len(Near(coord.Go, n)) > 0 {
			t.Errorf("%s: %v %q", n, Popular(coord.Go, n), Near(coord.Go, n))
		}
	}
}
