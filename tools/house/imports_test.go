package house

import (
	"slices"
	"strings"
	"testing"
)

// An allowance says what the packages of Who may import beyond the standard
// library: of ours Ours, of others Others. Of the standard library they may
// not import what sole reserves for somebody else.
type allowance struct {
	who    []string
	ours   []string
	others []string
	why    string
}

// Names are relative to the module; "x/..." is x and all below it. Each package
// of ours is under exactly one allowance. Each name of ours must exist and each
// other name must be imported: a rule that lost its object fails.
var allowances = []allowance{
	{
		who: []string{"core/hook"},
		why: "the protocol: the standard library only, so that whatever reads it pays for nothing else",
	},
	{
		who:  []string{"core/session"},
		ours: []string{"core/fsx"},
		why:  "state is what every gate reads; it knows no gate, no host and no setting",
	},
	{
		who:    []string{"core/shellcmd"},
		others: []string{"mvdan.cc/sh/v3/syntax"},
		why:    "it reads a command line and judges nothing",
	},
	{
		who:  []string{"core/testrun"},
		ours: []string{"core/hook", "core/shellcmd"},
		why:  "it reads a command and its output and judges them: pure, so that it can be fuzzed alone",
	},
	{
		who:  []string{"core/gate"},
		ours: []string{"core/hook", "core/session", "core/shellcmd"},
		why:  "what a gate is, for gates of every kind",
	},
	{
		who:    gates,
		ours:   []string{"core/gate", "core/hook", "core/session", "core/shellcmd"},
		others: []string{"github.com/bmatcuk/doublestar/v4", "github.com/tidwall/sjson"}, // patterns without a regexp; one member of an opaque input
		why:    "gates are handed an event and decoded settings; they do not know each other, the engine, the loader or a host",
	},
	{
		who:    []string{"core/evidence"},
		ours:   []string{"core/fsx", "core/gate", "core/hook", "core/scan/secrets", "core/session", "core/shellcmd", "core/testrun", "core/vcs"},
		others: []string{"github.com/bmatcuk/doublestar/v4"},
		why:    "gates over a state that all sessions of a project share: they lock and replace its file themselves, ask git what the tree is, take recorded test runs as proof, and keep no secret",
	},
	{
		who: []string{"core/scan/injection", "core/scan/pii", "core/scan/secrets"},
		why: "validators are pure: text in, findings out",
	},
	{
		who:  []string{"core/scan"},
		ours: []string{"core/scan/injection", "core/scan/pii", "core/scan/secrets"},
		why:  "public API that runs validators: no gate, no host, no setting in it",
	},
	{
		who:  []string{"core/review"},
		ours: []string{"core/scan"},
		why:  "public API: an agent is a function, the validators are those of core/scan",
	},
	{
		who:    []string{"core/scan/schema"},
		ours:   []string{"core/scan"},
		others: []string{"github.com/google/jsonschema-go/jsonschema"},
		why:    "a validator apart: its library is linked only by who asks for it",
	},
	{
		who:    []string{"core/leak"},
		ours:   []string{"core/gate", "core/hook", "core/scan/secrets", "core/shellcmd"},
		others: []string{"github.com/bmatcuk/doublestar/v4"},
		why:    "a gate like the others, and the only one that looks into what is written: with the pure scanner, never with another gate",
	},
	{
		who:  []string{"core/screen"},
		ours: []string{"core/gate", "core/hook", "core/scan", "core/session"},
		why:  "a gate that runs the validators it is handed",
	},
	{
		who: []string{"core/deps/coord"},
		why: "names of packages, for readers and clients alike",
	},
	{
		who:  []string{"core/deps/popular", "core/deps/spec"},
		ours: []string{"core/deps/coord"},
		why:  "pure: a text in, a package or near names out",
	},
	{
		who:  []string{"core/deps/install"},
		ours: []string{"core/deps/coord", "core/deps/spec", "core/shellcmd"},
		why:  "it reads commands and asks nobody: files and the environment come through functions it is handed",
	},
	{
		who:  []string{"core/deps/manifest"},
		ours: []string{"core/deps/coord", "core/deps/install", "core/deps/spec", "core/shellcmd"},
		why:  "it reads bytes and asks nobody; small readers of its own, since the hook links it",
	},
	{
		who: []string{"core/deps/version"},
		why: "pure: order and ranges of version texts",
	},
	{
		who:  []string{"core/deps/depsdev"},
		ours: []string{"core/deps/coord", "core/gate"},
		why:  "requests and answers as data: no connection",
	},
	{
		who:  []string{"core/deps/registry"},
		ours: []string{"core/deps/coord", "core/deps/spec", "core/gate"},
		why:  "requests and answers as data: no connection; settings files name registries, public ones too",
	},
	{
		who:  []string{"core/deps/osv"},
		ours: []string{"core/deps/coord", "core/deps/version", "core/gate"},
		why:  "requests and answers as data: no connection",
	},
	{
		who:  []string{"core/deps/cache"},
		ours: []string{"core/fsx"},
		why:  "what was looked up, in files",
	},
	{
		who:  []string{"core/deps/web"},
		ours: []string{"core/gate"},
		why:  "the one place that opens connections",
	},
	{
		who:  []string{"core/deps/depstest"},
		ours: []string{"core/deps/coord"},
		why:  "the services for tests, seen from outside",
	},
	{
		who: []string{"core/deps"},
		ours: []string{
			"core/deps/coord", "core/deps/depsdev", "core/deps/install", "core/deps/manifest", "core/deps/osv", "core/deps/popular",
			"core/deps/registry", "core/deps/spec", "core/deps/version", "core/gate", "core/hook", "core/shellcmd",
		},
		why: "a gate like the others over its own pure readers and clients; the cache and the network are handed to it",
	},
	{
		who: []string{"core/handoff/claims", "core/handoff/intent"},
		why: "detectors of texts: text in, a finding out",
	},
	{
		who:  []string{"core/handoff/outcome"},
		ours: []string{"core/hook"},
		why:  "a detector of results",
	},
	{
		who:  []string{"core/handoff/acceptance", "core/handoff/marker", "core/handoff/pr"},
		ours: []string{"core/shellcmd"},
		why:  "detectors of command lines and what they printed",
	},
	{
		who:  []string{"core/handoff/emits", "core/handoff/skills"},
		ours: []string{"core/handoff/emits", "core/handoff/outcome", "core/hook"},
		why:  "detectors of tool calls",
	},
	{
		who:  []string{"core/handoff/report"},
		ours: []string{"core/handoff/pr", "core/shellcmd"},
		why:  "a detector of posts: it reads files through a function that it is handed",
	},
	{
		who:  []string{"core/handoff/review", "core/handoff/slots"},
		ours: []string{"core/fsx", "core/handoff/pr", "core/shellcmd"},
		why:  "what sessions share of pull requests, on disk: no gate, no setting",
	},
	{
		who:  []string{"core/handoff/walkthrough"},
		ours: []string{"core/gate", "core/handoff/pr"},
		why:  "a detector that asks a provider, through a function that it is handed",
	},
	{
		who:  []string{"core/builtin"},
		ours: append([]string{"core/deps", "core/evidence", "core/gate", "core/handoff", "core/leak", "core/quality", "core/screen"}, gates...),
		why:  "the one ordered list of gates; the only place that knows all of them",
	},
	{
		who:  []string{"core/engine"},
		ours: []string{"core/gate", "core/hook", "core/session"},
		why:  "it runs what it is given and knows no gate by name",
	},
	{
		who: []string{"core/handoff"},
		ours: []string{
			"core/gate", "core/handoff/acceptance", "core/handoff/claims", "core/handoff/emits", "core/handoff/intent", "core/handoff/marker", "core/handoff/outcome",
			"core/handoff/pack", "core/handoff/pr", "core/handoff/report", "core/handoff/review", "core/handoff/skills", "core/handoff/slots",
			"core/handoff/walkthrough", "core/hook", "core/session", "core/shellcmd", "core/testrun",
		},
		others: []string{"github.com/bmatcuk/doublestar/v4"},
		why:    "it compiles packs into gates over its own detectors; it reads no configuration",
	},
	{
		who: []string{"core/handoff/pack"},
		why: "the shape of a handoff pack, shared by who reads it and who compiles it",
	},
	{
		who:    []string{"core/config"},
		ours:   []string{"core/config/tree", "core/fsx", "core/handoff/pack"}, // the shape of a pack, which is data: read here, compiled there
		others: []string{"github.com/bmatcuk/doublestar/v4"},
		why:    "it decodes and layers settings; what they mean is their gate's business",
	},
	{
		who: []string{"core/config/tree"},
		why: "every hook call reads with it: it must do nothing before main",
	},
	{
		who:    []string{"core/config/yamldoc"},
		ours:   []string{"core/config/tree"},
		others: []string{"go.yaml.in/yaml/v4"},
		why:    "the library behind the reader, of which the small hook process knows nothing",
	},
	{
		who:  []string{"core/quality"},
		ours: []string{"core/fsx", "core/gate", "core/hook", "core/session", "core/shellcmd"},
		why:  "a gate that keeps lessons and records in files of its own; what runs programs is handed to it",
	},
	{
		who:    []string{"core/quality/run"},
		ours:   []string{"core/coverage", "core/fsx", "core/gate", "core/quality", "core/vcs"},
		others: []string{"github.com/bmatcuk/doublestar/v4"},
		why:    "it runs a project's tools and reads what they say; the small hook process does not link it",
	},
	{
		who: []string{"core/audit"},
		why: "one write per call, on every call",
	},
	{
		who:    []string{"core/fsx"},
		others: []string{"github.com/gofrs/flock", "github.com/google/renameio/v2", "golang.org/x/sys/..."},
		why:    "files, and nothing about what is in them",
	},
	{
		who:  []string{"core/permit"},
		ours: []string{"core/fsx"},
		why:  "what a human allowed for a while; it decides nothing",
	},
	{
		who: []string{"core/proc"},
		why: "processes, and nothing about what they are for",
	},
	{
		who:  []string{"core/coverage"},
		ours: []string{"core/fsx", "core/vcs"},
		why:  "it reads what other tools measured; it links encoding/xml, so that the hook lane takes it as a function",
	},
	{
		who:  []string{"core/vcs"},
		ours: []string{"core/gate"},
		why:  "git as gates may ask it: by the programs that they are handed",
	},
	{
		who:  []string{"adapters"},
		ours: []string{"adapters/antigravity", "adapters/claude", "adapters/gemini", "adapters/muse", "core/hook"},
		why:  "the list of hosts",
	},
	{
		who:  []string{"adapters/antigravity", "adapters/claude", "adapters/gemini"},
		ours: []string{"core/hook"},
		why:  "an adapter translates: never another adapter, never another core package",
	},
	{
		who:  []string{"adapters/muse"},
		ours: []string{"adapters/muse/approval", "core/hook"},
		why:  "an adapter, with the comparator that only it needs",
	},
	{
		who: []string{"adapters/muse/approval"},
		why: "a comparator of bytes: pure, so that it can be read and fuzzed alone",
	},
	{
		who:  []string{"adapters/adaptertest"},
		ours: []string{"core/hook"},
		why:  "the conformance suite sees an adapter from outside",
	},
	{
		who: []string{"adapters/hosttest"},
		why: "it drives the real host program; what we answer it is somebody else's",
	},
	{
		who:    []string{"installer"},
		ours:   []string{"adapters", "core/config", "core/fsx", "core/hook", "core/proc", "installer/jsonedit", "templates"},
		others: []string{"golang.org/x/mod/semver"},
		why:    "it writes hosts' files and never judges a call: no engine, no gate",
	},
	{
		who:    []string{"installer/jsonedit"},
		others: []string{"github.com/tailscale/hujson"},
		why:    "bytes in, bytes out",
	},
	{
		who: []string{"templates"},
		why: "embedded files",
	},
	{
		who:  []string{"cmd/guardrails"},
		ours: []string{"cmd/guardrails/internal/full", "cmd/guardrails/internal/hookcmd", "cmd/guardrails/internal/version"},
		why:  "main only",
	},
	{
		who:  []string{"cmd/guardrails/guardrails-full"},
		ours: []string{"cmd/guardrails/internal/cli"},
		why:  "main only",
	},
	{
		who:  []string{"cmd/guardrails/internal/full"},
		ours: []string{"cmd/guardrails/internal/version"},
		why:  "the small program links it",
	},
	{
		who: []string{"cmd/guardrails/internal/hookcmd"},
		ours: []string{
			"adapters", "cmd/guardrails/internal/full", "cmd/guardrails/internal/judge", "cmd/guardrails/internal/tidy", "cmd/guardrails/internal/version",
			"core/audit", "core/config/tree", "core/engine", "core/gate", "core/hook", "core/quality", "core/session",
		},
		others: []string{"golang.org/x/term"},
		why:    "the hook lane: what it links, every tool call pays",
	},
	{
		who: []string{"cmd/guardrails/internal/judge"},
		ours: []string{
			"adapters", "core/audit", "core/builtin", "core/config", "core/config/tree", "core/deps", "core/deps/cache", "core/deps/coord", "core/deps/osv", "core/engine", "core/evidence", "core/fsx", "core/gate", "core/handoff", "core/handoff/pack", "core/handoff", "core/handoff/pack", "core/hook", "core/leak",
			"core/notice", "core/permit", "core/policy", "core/quality", "core/rewrite", "core/scan", "core/screen", "core/session", "core/shellcmd", "core/testrun", "core/vcs",
		},
		why: "one judgement, the same for the hook lane and for check; it prints nothing and knows no verb",
	},
	{
		who: []string{"cmd/guardrails/internal/cli"},
		ours: []string{
			"adapters", "adapters/hosttest", "cmd/guardrails/internal/full", "cmd/guardrails/internal/hookcmd", "cmd/guardrails/internal/judge", "cmd/guardrails/internal/prompt", "cmd/guardrails/internal/tidy", "cmd/guardrails/internal/version",
			"cmd/guardrails/internal/scenario", "cmd/guardrails/internal/world",
			"core/...", "installer", "templates",
		},
		others: []string{"github.com/spf13/cobra", "golang.org/x/term"},
		why:    "one file per verb, over the same packages as the hook",
	},
	{
		who:  []string{"cmd/guardrails/internal/tidy"},
		ours: []string{"core/fsx", "core/handoff/pack", "core/handoff/review", "core/handoff/slots", "core/session"},
		why:  "it drops dead state, at a session's start and by hand; it judges nothing",
	},
	{
		who:  []string{"cmd/guardrails/internal/scenario"},
		ours: []string{"adapters", "cmd/guardrails/internal/judge", "core/gate", "core/handoff", "core/handoff/pack", "core/hook"},
		why:  "it plays packs' scenarios through the adapters and the judgement of a hook call",
	},
	{
		who:    []string{"cmd/guardrails/internal/prompt"},
		others: []string{"github.com/AlecAivazis/survey/v2/...", "golang.org/x/term"},
		why:    "questions to a human, behind an interface",
	},
	{
		who:  []string{"cmd/guardrails/internal/world"},
		ours: []string{"core/deps/web", "core/gate", "core/proc", "core/quality", "core/quality/run"},
		why:  "what gates may do beside reading files; the small hook process is built without it",
	},
	{
		who: []string{"cmd/guardrails/internal/version"},
		why: "which build this is",
	},
	{
		who: []string{"tools/..."},
		why: "the tools see the product from outside, as a binary",
	},
}

// gates are the packages that judge or record.
var gates = []string{"core/notice", "core/policy", "core/rewrite", "core/touch"}

// A reservation says who alone may import a package.
type reservation struct {
	pkg string
	by  []string
	why string
}

var sole = []reservation{
	{"github.com/spf13/cobra", []string{"cmd/guardrails/internal/cli"}, "the hook lane must not pay for a command tree"},
	{"github.com/AlecAivazis/survey/v2/...", []string{"cmd/guardrails/internal/prompt"}, "archived: kept where one file replaces it"},
	{"go.yaml.in/yaml/v4", []string{"core/config/yamldoc"}, "young: kept where one file replaces it"},
	{"mvdan.cc/sh/v3/syntax", []string{"core/shellcmd"}, "gates see our words, not a parser's tree"},
	{"github.com/tailscale/hujson", []string{"installer/jsonedit"}, "edits keep every other byte in one place only"},
	{"os/exec", []string{"core/proc", "adapters/hosttest"}, "one place starts processes; the other drives host programs in tests and doctor --live"},
	{"net/http", []string{"core/deps/web"}, "it costs each hook call half a millisecond; gates reach the network through a function they are handed"},
}

// A ban says what may not be linked, however indirectly.
type ban struct {
	root string
	pkgs []string
	why  string
}

var bans = []ban{
	{
		root: "cmd/guardrails",
		pkgs: []string{
			"encoding/xml", "html/template", "net/http", "os/exec", "testing", "text/template",
			"github.com/AlecAivazis/survey/v2", "github.com/google/jsonschema-go/jsonschema",
			"github.com/spf13/cobra", "github.com/tailscale/hujson", "go.yaml.in/yaml/v4",
		},
		why: "the hook lane pays for its links on every tool call and must be able to stand alone as a small binary",
	},
	{
		root: "cmd/guardrails/guardrails-full",
		pkgs: []string{"testing", "expvar", "net/http/pprof", "github.com/google/go-cmp/cmp", "pgregory.net/rapid"},
		why:  "a product does not ship its tests",
	},
}

func TestImportsFollowTheTable(t *testing.T) {
	tree := load(t)
	for path, pkg := range tree.ours {
		rules := slices.DeleteFunc(slices.Clone(allowances), func(a allowance) bool { return !matchAny(a.who, path) })
		if len(rules) != 1 {
			t.Errorf("%s is under %d rules of the table, want one: say what it may import, and why", path, len(rules))
			continue
		}
		rule := rules[0]
		for _, imp := range pkg.imports {
			switch {
			case tree.ours[imp] != nil:
				if !matchAny(rule.ours, imp) {
					t.Errorf("%s imports %s: %s", path, imp, rule.why)
				}
			case tree.all[imp].standard:
			case !matchAny(rule.others, imp):
				t.Errorf("%s imports %s: %s", path, imp, rule.why)
			}
		}
	}
	for _, rule := range allowances {
		for _, name := range slices.Concat(rule.who, rule.ours) {
			if !tree.exists(name) {
				t.Errorf("the rule for %s names %s, which is missing", strings.Join(rule.who, ", "), name)
			}
		}
		for _, name := range rule.others {
			if !slices.ContainsFunc(rule.who, func(who string) bool { return tree.imports(who, name) }) {
				t.Errorf("the rule for %s allows %s, which it does not import", strings.Join(rule.who, ", "), name)
			}
		}
	}
}

func TestReservedPackagesHaveOneImporter(t *testing.T) {
	tree := load(t)
	for _, r := range sole {
		for path := range tree.ours {
			if matchAny([]string{"tools/..."}, path) {
				continue
			}
			if tree.imports(path, r.pkg) && !slices.Contains(r.by, path) {
				t.Errorf("%s imports %s, which is for %s: %s", path, r.pkg, strings.Join(r.by, " and "), r.why)
			}
		}
		for _, by := range r.by {
			if !tree.imports(by, r.pkg) {
				t.Errorf("the rule for %s names %s, which is missing or does not import it", r.pkg, by)
			}
		}
	}
}

func TestBannedPackagesAreNotLinked(t *testing.T) {
	tree := load(t)
	for _, b := range bans {
		if tree.ours[b.root] == nil {
			t.Errorf("the ban for %s names a missing package", b.root)
			continue
		}
		for _, pkg := range b.pkgs {
			if chain := tree.chain(b.root, pkg); chain != nil {
				t.Errorf("%s links %s: %s\n\tby %s", b.root, pkg, b.why, strings.Join(chain, " -> "))
			}
		}
	}
}

// matchAny reports whether path is under one of the patterns.
func matchAny(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		dir, tree := strings.CutSuffix(p, "/...")
		return path == dir || tree && strings.HasPrefix(path, dir+"/")
	})
}
