package config

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ec261362/guardrails/core/config/yamldoc"
	"github.com/ec261362/guardrails/core/fsx"
)

// world is a project and a state home, each with or without a file.
type world struct {
	t    *testing.T
	root string
	home string // the state home
}

func newWorld(t *testing.T, human, project string) world {
	t.Helper()
	base := layout(t, map[string]string{"p/.git/": "", "state/": ""})
	w := world{t, filepath.Join(base, "p"), filepath.Join(base, "state")}
	if human != "" {
		write(t, filepath.Join(w.home, HumanFileName), human)
	}
	if project != "" {
		w.project(project)
	}
	return w
}

func (w world) project(content string) { write(w.t, filepath.Join(w.root, FileName), content) }

func (w world) human(content string) { write(w.t, filepath.Join(w.home, HumanFileName), content) }

func (w world) options() LoadOptions {
	return LoadOptions{YAML: yamldoc.Read, Root: w.root, StateHome: w.home, Remember: true}
}

func (w world) load() *Effective { w.t.Helper(); return Load(w.options()) }

func (w world) loadTrusted() *Effective {
	o := w.options()
	o.TreatAsTrusted = true
	return Load(o)
}

func (w world) trust() {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.root, FileName))
	if err != nil {
		w.t.Fatal(err)
	}
	if err := Trust(w.home, w.root, Sum(data), time.Unix(1, 0)); err != nil {
		w.t.Fatal(err)
	}
}

func heldKeys(e *Effective) []string {
	var keys []string
	for _, h := range e.Held {
		keys = append(keys, h.Key)
	}
	return keys
}

func TestWithoutFilesTheDefaultsStand(t *testing.T) {
	w := newWorld(t, "", "")
	var opened []string
	o := w.options()
	o.ReadFile = func(name string, limit int64) ([]byte, error) {
		opened = append(opened, name)
		return fsx.ReadFile(name, limit)
	}
	e := Load(o)
	if diff := cmp.Diff(Defaults(), e.Config, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".On" }, cmp.Ignore())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	c := e.Config
	if c.Validators.On || c.Handoffs.On || c.Evidence.On || c.Quality.On || c.Dependencies.On || e.OptedIn || e.NeedsTrust || e.Broken() || e.Paused.Quality || e.Paused.Evidence || len(e.Paused.Packs) > 0 {
		t.Errorf("something is on: %+v", e)
	}
	if want := []string{filepath.Join(w.home, HumanFileName), filepath.Join(w.root, FileName)}; !reflect.DeepEqual(opened, want) {
		t.Errorf("opened %q, want %q and nothing else", opened, want)
	}
	if entries, _ := os.ReadDir(w.home); len(entries) > 0 {
		t.Errorf("left in the state home: %v", entries)
	}
}

func TestWithoutARootOnlyTheHumansFileIsRead(t *testing.T) {
	w := newWorld(t, "policy: {packs: [cloud]}\n", "policy: {packs: [database]}\n")
	e := Load(LoadOptions{YAML: yamldoc.Read, StateHome: w.home})
	if diff := cmp.Diff([]string{"core", "cloud"}, e.Config.Policy.Packs); diff != "" || e.OptedIn {
		t.Errorf("opted in %v, packs (-want +got):\n%s", e.OptedIn, diff)
	}
}

func TestLayers(t *testing.T) {
	tests := []struct {
		name, human, project string
		get                  func(*Config) any
		want                 any
	}{
		{"a project's scalar replaces", "quality: {stopTimeout: 60s}\n", "quality: {stopTimeout: 90s}\n", func(c *Config) any { return c.Quality.StopTimeout }, 90 * time.Second},
		{"the human's scalar stands where the project is silent", "quality: {stopTimeout: 60s}\n", "quality:\n", func(c *Config) any { return c.Quality.StopTimeout }, 60 * time.Second},
		{"a default stands where both are silent", "quality:\n", "quality:\n", func(c *Config) any { return c.Quality.StopTimeout }, 120 * time.Second},
		{"a key without a value is silent", "quality: {stopTimeout: 60s}\n", "quality: {stopTimeout: }\n", func(c *Config) any { return c.Quality.StopTimeout }, 60 * time.Second},
		{"a list replaces", "quality: {onStop: [test]}\n", "quality: {onStop: [lint]}\n", func(c *Config) any { return c.Quality.OnStop }, []string{"lint"}},
		{"an empty list replaces", "quality: {onStop: [test]}\n", "quality: {onStop: []}\n", func(c *Config) any { return c.Quality.OnStop }, []string{}},
		{"policy.packs is a union", "policy: {packs: [cloud]}\n", "policy: {packs: [database, cloud]}\n", func(c *Config) any { return c.Policy.Packs }, []string{"core", "cloud", "database"}},
		{"core stays", "", "policy: {packs: []}\n", func(c *Config) any { return c.Policy.Packs }, []string{"core"}},
		{"policy.protect is a union", "policy: {protect: [a]}\n", "policy: {protect: [b]}\n", func(c *Config) any { return c.Policy.Protect }, []string{"a", "b"}},
		{"policy.allow is a union", "policy: {allow: [{rule: a/b, when: c, reason: d}]}\n", "policy: {allow: [{rule: e/f, when: g, reason: h}]}\n", func(c *Config) any { return c.Policy.Allow }, []Allow{{"a/b", "c", "d"}, {"e/f", "g", "h"}}},
		{"rewrite replaces", "rewrite: [{match: a, to: b}]\n", "rewrite: [{match: c, to: d}]\n", func(c *Config) any { return c.Rewrite }, []Rewrite{{"c", "d"}}},
		{"mode", "mode: warn\n", "mode: enforce\n", func(c *Config) any { return c.Mode }, Enforce},

		{"quality needs the project's section", "quality:\n", "version: 1\n", func(c *Config) any { return c.Quality.On }, false},
		{"quality with the project's section", "", "quality:\n", func(c *Config) any { return c.Quality.On }, true},
		{"evidence needs the project's section", "evidence: {enabled: true}\n", "version: 1\n", func(c *Config) any { return c.Evidence.On }, false},
		{"evidence with the project's section", "", "evidence:\n", func(c *Config) any { return c.Evidence.On }, true},
		{"evidence switched off", "", "evidence: {enabled: false}\n", func(c *Config) any { return c.Evidence.On }, false},
		{"handoffs from the human", "handoffs: {packs: [muggle]}\n", "", func(c *Config) any { return c.Handoffs }, Handoffs{On: true, Packs: []string{"muggle"}, Preferences: Defaults().Handoffs.Preferences}},
		{"handoffs from the project replace", "handoffs: {packs: [muggle]}\n", "handoffs: {packs: [delivery]}\n", func(c *Config) any { return c.Handoffs.Packs }, []string{"delivery"}},
		{"handoffs absent", "", "version: 1\n", func(c *Config) any { return c.Handoffs.On }, false},
		{"validators need enabled", "", "validators:\n", func(c *Config) any { return c.Validators.On }, false},
		{"validators enabled", "", "validators: {enabled: true}\n", func(c *Config) any { return c.Validators.On }, true},
		{"validators from the human", "validators: {enabled: true}\n", "", func(c *Config) any { return c.Validators.On }, true},
		{"look-ups in a project that opted in", "", "version: 1\n", func(c *Config) any { return c.Dependencies.On }, true},
		{"look-ups in a project with an empty file", "", "#\n", func(c *Config) any { return c.Dependencies.On }, true},
		{"no look-ups elsewhere", "", "", func(c *Config) any { return c.Dependencies.On }, false},
		{"look-ups everywhere after a yes", "dependencies: {enabled: true}\n", "", func(c *Config) any { return c.Dependencies.On }, true},
		{"no look-ups anywhere after a no", "dependencies: {enabled: false}\n", "version: 1\n", func(c *Config) any { return c.Dependencies.On }, false},
		{"a no stands when the project only tunes", "dependencies: {enabled: false}\n", "dependencies: {minAgeDays: 60}\n", func(c *Config) any { return c.Dependencies.On }, false},
		{"a project that wants no look-ups", "", "dependencies: {enabled: false}\n", func(c *Config) any { return c.Dependencies.On }, false},
		{"an empty list of validators means all", "", "validators: {input: []}\n", func(c *Config) any { return c.Validators.Input }, []string{"secrets", "pii", "prompt-injection"}},
		{"a custom validator that is gone is not run", "validators: {input: [pii, mine], custom: [{name: mine, command: x}]}\n", "validators: {custom: []}\n", func(c *Config) any { return c.Validators.Input }, []string{"pii"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := newWorld(t, tt.human, tt.project).loadTrusted()
			if err := e.Problems.Err(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, tt.get(&e.Config)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnUntrustedProjectMayTightenAndNotLoosen(t *testing.T) {
	const strict = "validators: {enabled: true, input: [secrets, pii], redact: true}\nhandoffs: {packs: [muggle]}\nevidence: {enabled: true}\ndependencies: {enabled: true, licences: [MIT, ISC], exempt: [a]}\n"
	tests := []struct {
		name, human, project string
		held                 []string
		get                  func(*Config) any
		want                 any
	}{
		{"policy.allow", "", "policy: {allow: [{rule: a/b, when: c, reason: d}], protect: [x]}\n", []string{"policy.allow"}, func(c *Config) any { return c.Policy }, Policy{Packs: []string{"core"}, Protect: []string{"x"}}},
		{"rewrite", "", "rewrite: [{match: a, to: b}]\n", []string{"rewrite"}, func(c *Config) any { return c.Rewrite }, []Rewrite(nil)},
		{"the human's rewrites taken away", "rewrite: [{match: a, to: b}]\n", "rewrite: []\n", []string{"rewrite"}, func(c *Config) any { return c.Rewrite }, []Rewrite{{"a", "b"}}},
		{"an empty rewrite holds nothing back", "", "rewrite: []\n", nil, func(c *Config) any { return len(c.Rewrite) }, 0},
		{"an endpoint", "", "dependencies: {endpoints: {npm: https://evil.example, osv: https://evil.example}}\n", []string{"dependencies.endpoints.npm", "dependencies.endpoints.osv"}, func(c *Config) any { return c.Dependencies.Endpoints }, Endpoints{}},
		{"quality as a whole", "", "quality:\n  onEdit: [lint]\n  coverage: {patchMin: 0}\n", []string{"quality"}, func(c *Config) any { return c.Quality }, Defaults().Quality},
		{"quality on detected tools", "", "quality:\n", []string{"quality"}, func(c *Config) any { return c.Quality.On }, false},
		{"the human's quality does not run untrusted code either", "quality:\n", "quality:\n", []string{"quality"}, func(c *Config) any { return c.Quality.On }, false},
		{"custom validators", "", "validators: {enabled: true, input: [mine, pii], custom: [{name: mine, command: x}]}\n", []string{"validators.custom"}, func(c *Config) any { return []any{c.Validators.On, c.Validators.Input, len(c.Validators.Custom)} }, []any{true, []string{"pii"}, 0}},
		{"only custom validators", "", "validators: {enabled: true, input: [mine], custom: [{name: mine, command: x}]}\n", []string{"validators.custom"}, func(c *Config) any { return c.Validators.Input }, []string{"prompt-injection"}},
		{"validators.allow", "", "validators: {allow: [{validator: pii, path: a, reason: x}]}\n", []string{"validators.allow"}, func(c *Config) any { return len(c.Validators.Allow) }, 0},
		{"validators switched on", "", "validators: {enabled: true, outputNonBlocking: true, timeout: 9s}\n", nil, func(c *Config) any {
			return []any{c.Validators.On, c.Validators.OutputNonBlocking, c.Validators.Timeout}
		}, []any{true, true, 9 * time.Second}},
		{"validators switched off", strict, "validators: {enabled: false}\n", []string{"validators.enabled"}, func(c *Config) any { return c.Validators.On }, true},
		{"fewer validators", strict, "validators: {input: [pii, prompt-injection]}\n", []string{"validators.input"}, func(c *Config) any { return c.Validators.Input }, []string{"secrets", "pii", "prompt-injection"}},
		{"more validators", strict, "validators: {input: [pii, secrets, prompt-injection]}\n", nil, func(c *Config) any { return c.Validators.Input }, []string{"pii", "secrets", "prompt-injection"}},
		{"all validators", strict, "validators: {input: []}\n", nil, func(c *Config) any { return c.Validators.Input }, []string{"secrets", "pii", "prompt-injection"}},
		{"fewer output validators", strict, "validators: {output: [pii]}\n", []string{"validators.output"}, func(c *Config) any { return c.Validators.Output }, []string{"secrets", "pii"}},
		{"a longer timeout", strict, "validators: {timeout: 3s}\n", []string{"validators.timeout"}, func(c *Config) any { return c.Validators.Timeout }, 2 * time.Second},
		{"a shorter timeout", strict, "validators: {timeout: 1s}\n", nil, func(c *Config) any { return c.Validators.Timeout }, time.Second},
		{"no aggregate timeout", strict, "validators: {aggregateTimeout: 0}\n", []string{"validators.aggregateTimeout"}, func(c *Config) any { return c.Validators.AggregateTimeout }, 200 * time.Millisecond},
		{"a longer aggregate timeout", strict, "validators: {aggregateTimeout: 1s}\n", []string{"validators.aggregateTimeout"}, func(c *Config) any { return c.Validators.AggregateTimeout }, 200 * time.Millisecond},
		{"no kill switch", strict, "validators: {killSwitch: false}\n", []string{"validators.killSwitch"}, func(c *Config) any { return c.Validators.KillSwitch }, true},
		{"output that does not block", strict, "validators: {outputNonBlocking: true}\n", []string{"validators.outputNonBlocking"}, func(c *Config) any { return c.Validators.OutputNonBlocking }, false},
		{"no redaction", strict, "validators: {redact: false}\n", []string{"validators.redact"}, func(c *Config) any { return c.Validators.Redact }, true},
		{"another pack", strict, "handoffs: {packs: [delivery]}\n", []string{"handoffs.packs"}, func(c *Config) any { return c.Handoffs.Packs }, []string{"muggle", "delivery"}},
		{"one pack more", strict, "handoffs: {packs: [delivery, muggle]}\n", nil, func(c *Config) any { return c.Handoffs.Packs }, []string{"delivery", "muggle"}},
		{"no packs", strict, "handoffs: {packs: []}\n", []string{"handoffs.packs"}, func(c *Config) any { return c.Handoffs.Packs }, []string{"muggle"}},
		{"a preference of the human's pack", strict, "handoffs: {preferences: {autoWatchPR: false}}\n", []string{"handoffs.preferences.autoWatchPR"}, func(c *Config) any { return c.Handoffs.Preferences.AutoWatchPR }, true},
		{"a preference of the project's own pack", "", "handoffs: {preferences: {autoWatchPR: false}}\n", nil, func(c *Config) any { return c.Handoffs.Preferences.AutoWatchPR }, false},
		{"cleaning up is no loosening", strict, "handoffs: {preferences: {autoCleanup: true}}\n", nil, func(c *Config) any { return c.Handoffs.Preferences.AutoCleanup }, true},
		{"shipped packs and evidence", "", "handoffs: {packs: [delivery]}\nevidence: {enabled: true}\n", nil, func(c *Config) any { return c.Handoffs.On && c.Evidence.On }, true},
		{"evidence that the human wants", strict, "evidence: {enabled: false}\n", []string{"evidence.enabled"}, func(c *Config) any { return c.Evidence.On }, true},
		{"evidence that only the project has", "", "evidence: {enabled: false}\n", nil, func(c *Config) any { return c.Evidence.On }, false},
		{"a larger delegation", "", "evidence: {spawnMinChars: 9000}\n", []string{"evidence.spawnMinChars"}, func(c *Config) any { return c.Evidence.SpawnMinChars }, 1500},
		{"a smaller delegation", "", "evidence: {spawnMinChars: 100}\n", nil, func(c *Config) any { return c.Evidence.SpawnMinChars }, 100},
		{"mode warn", "", "mode: warn\n", []string{"mode"}, func(c *Config) any { return c.Mode }, Enforce},
		{"mode enforce", "mode: warn\n", "mode: enforce\n", nil, func(c *Config) any { return c.Mode }, Enforce},
		{"no look-ups where the human wants them", strict, "dependencies: {enabled: false}\n", []string{"dependencies.enabled"}, func(c *Config) any { return c.Dependencies.On }, true},
		{"no look-ups where the human said nothing", "", "dependencies: {enabled: false}\n", nil, func(c *Config) any { return c.Dependencies.On }, false},
		{"younger packages", "", "dependencies: {minAgeDays: 0}\n", []string{"dependencies.minAgeDays"}, func(c *Config) any { return c.Dependencies.MinAgeDays }, 30},
		{"older packages", "", "dependencies: {minAgeDays: 60}\n", nil, func(c *Config) any { return c.Dependencies.MinAgeDays }, 60},
		{"a shorter cooldown", "", "dependencies: {cooldownHours: 1}\n", []string{"dependencies.cooldownHours"}, func(c *Config) any { return c.Dependencies.CooldownHours }, 24},
		{"a lower severity refuses more", "", "dependencies: {denySeverity: high}\n", nil, func(c *Config) any { return c.Dependencies.DenySeverity }, "high"},
		{"a higher severity refuses less", "dependencies: {denySeverity: low}\n", "dependencies: {denySeverity: high}\n", []string{"dependencies.denySeverity"}, func(c *Config) any { return c.Dependencies.DenySeverity }, "low"},
		{"other licences", strict, "dependencies: {licences: [MIT, GPL-3.0]}\n", []string{"dependencies.licences"}, func(c *Config) any { return c.Dependencies.Licences }, []string{"MIT", "ISC"}},
		{"any licence", strict, "dependencies: {licences: []}\n", []string{"dependencies.licences"}, func(c *Config) any { return c.Dependencies.Licences }, []string{"MIT", "ISC"}},
		{"fewer licences", strict, "dependencies: {licences: [MIT]}\n", nil, func(c *Config) any { return c.Dependencies.Licences }, []string{"MIT"}},
		{"licences where any passed", "", "dependencies: {licences: [MIT]}\n", nil, func(c *Config) any { return c.Dependencies.Licences }, []string{"MIT"}},
		{"an exemption", strict, "dependencies: {exempt: [a, b]}\n", []string{"dependencies.exempt"}, func(c *Config) any { return c.Dependencies.Exempt }, []string{"a"}},
		{"fewer exemptions", strict, "dependencies: {exempt: []}\n", nil, func(c *Config) any { return c.Dependencies.Exempt }, []string{}},
		{"standards are only words", "", "standards: [docs/style.md]\n", nil, func(c *Config) any { return c.Standards }, []string{"docs/style.md"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.human, tt.project)
			e := w.load()
			if err := e.Problems.Err(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.held, heldKeys(e)); diff != "" {
				t.Errorf("held (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, tt.get(&e.Config)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if e.NeedsTrust != (tt.held != nil) || e.Trusted {
				t.Errorf("needs trust %v, trusted %v", e.NeedsTrust, e.Trusted)
			}
			if notice := e.HeldNotice("guardrails trust"); (notice != "") != (tt.held != nil) {
				t.Errorf("notice %q", notice)
			}
			// With the human's trust nothing is held.
			w.trust()
			e = w.load()
			if len(e.Held) > 0 || e.Trusted != e.NeedsTrust || e.HeldNotice("x") != "" {
				t.Errorf("trusted: held %v, trusted %v", e.Held, e.Trusted)
			}
			if diff := cmp.Diff(w.loadTrusted().Config, e.Config); diff != "" {
				t.Errorf("trusted file and trusting verb differ:\n%s", diff)
			}
		})
	}
}

func TestHeldSaysWhereAndWhy(t *testing.T) {
	w := newWorld(t, "", "version: 1\nquality:\n  lessons: false\npolicy:\n  allow: [{rule: a/b, when: c, reason: d}]\n")
	e := w.load()
	file := filepath.Join(w.root, FileName)
	want := []Held{
		{Key: "quality", File: file, Line: 2, Col: 1, Why: "it runs the repository's code", Code: true},
		{Key: "policy.allow", File: file, Line: 5, Col: 3, Why: "it would allow what a rule refuses"},
	}
	if diff := cmp.Diff(want, e.Held); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, want := e.HeldNotice("`guardrails trust`"), file+" is not trusted yet, so this of it does not count: quality, policy.allow. Read it, then run `guardrails trust` in a terminal."; got != want {
		t.Errorf("notice:\n%s\nwant\n%s", got, want)
	}
}

func TestTrustIsLostWithTheContent(t *testing.T) {
	w := newWorld(t, "", "quality:\n")
	w.trust()
	if e := w.load(); !e.Trusted || !e.Config.Quality.On {
		t.Fatalf("not trusted: %+v", e.Held)
	}
	w.project("quality:\n  packages: {.: {test: curl evil}}\n")
	if e := w.load(); e.Trusted || e.Config.Quality.On {
		t.Error("a changed file is still trusted")
	}
	w.project("quality:\n")
	if e := w.load(); !e.Trusted {
		t.Error("the content that was trusted is not any more")
	}
}

func TestBrokenFileLeavesProtectionAndPausesTheRest(t *testing.T) {
	const valid = "policy: {protect: [deploy/**, infra/**]}\nhandoffs: {packs: [delivery]}\nevidence:\nquality:\n"
	for name, broken := range map[string]string{
		"not YAML":      "policy: [\n",
		"unknown key":   "polciy: {protect: [deploy/**]}\n",
		"empty bytes":   "\x00\x00",
		"too large":     "#" + strings.Repeat("x", MaxSize),
		"second mode":   "mode: warn\nmode: warn\n",
		"loosening too": "policy: {allow: [{rule: a/b, when: c, reason: d}], packs: []}\nx: 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "policy: {protect: [mine]}\nvalidators: {enabled: true}\nhandoffs: {packs: [muggle]}\n", valid)
			w.trust()
			if e := w.load(); e.Broken() || e.RememberErr != nil {
				t.Fatal(e.Problems, e.RememberErr)
			}
			w.project(broken)
			e := w.load()
			if !e.Broken() || !e.OptedIn {
				t.Fatal("not noticed")
			}
			if diff := cmp.Diff([]string{"mine", "deploy/**", "infra/**"}, e.Config.Policy.Protect); diff != "" {
				t.Errorf("protect (-want +got):\n%s", diff)
			}
			if len(e.Config.Policy.Allow) > 0 {
				t.Error("a broken file allows something")
			}
			if diff := cmp.Diff(Paused{Quality: true, Evidence: true, Packs: []string{"delivery"}}, e.Paused); diff != "" {
				t.Errorf("paused (-want +got):\n%s", diff)
			}
			c := e.Config
			if c.Quality.On || c.Evidence.On || c.Dependencies.On {
				t.Error("something of the broken file is on")
			}
			if !c.Validators.On || !cmp.Equal(c.Handoffs.Packs, []string{"muggle"}) {
				t.Error("the human's own settings do not stand")
			}
			if notice := e.ProblemNotice(3); !strings.Contains(notice, filepath.Join(w.root, FileName)) {
				t.Errorf("notice does not name the file: %s", notice)
			}
		})
	}
}

func TestWhatStillParsesOfABrokenFileProtects(t *testing.T) {
	w := newWorld(t, "", "policy: {protect: [new]}\nmoed: warn\n")
	if e := w.load(); !cmp.Equal(e.Config.Policy.Protect, []string{"new"}) {
		t.Errorf("protect %q", e.Config.Policy.Protect)
	}
}

func TestAValidatorDoesNotGoAwayWithASlip(t *testing.T) {
	for _, c := range []struct {
		name, valid, file string
		on                bool
		broken            string // in the reason why they cannot be set up
		input             []string
	}{
		{"unknown name", "", "validators: {enabled: true, input: [nosuch]}\n", true, `"nosuch"`, nil},
		{"unknown key", "", "validators: {enabled: true, timeot: 1s}\n", true, `"timeot"`, nil},
		{"nobody knows whether", "", "validators: {enabled: maybe}\n", true, "validators.enabled", nil},
		{"switched off", "", "validators: {enabled: false, input: [nosuch]}\n", false, "", nil},
		{"elsewhere", "", "validators: {enabled: true, input: [pii]}\nmoed: warn\n", true, "", []string{"pii"}},
		{"elsewhere, own ones", "", "validators: {enabled: true, input: [x, pii], allow: [{validator: pii, path: a, reason: b}], outputNonBlocking: true, custom: [{name: x, direction: input, command: y}]}\nmoed: warn\n", true, "", []string{"pii"}},
		{"not YAML, never on", "", "validators: [\n", false, "", nil},
		{"not YAML, on before", "validators: {enabled: true, input: [pii]}\n", "validators: [\n", true, "", []string{"pii"}},
		{"other section, gone", "validators: {enabled: true, input: [pii]}\n", "moed: warn\n", true, "", []string{"pii"}},
		{"other section, never on", "", "moed: warn\n", false, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, "", c.valid)
			w.load()
			w.project(c.file)
			e := w.load()
			v := e.Config.Validators
			if !e.Broken() || v.On != c.on || v.Enabled != c.on || (v.Broken != "") != (c.broken != "") || !strings.Contains(v.Broken, c.broken) {
				t.Fatalf("got %+v of %v", v, e.Problems)
			}
			if c.input != nil && !cmp.Equal(v.Input, c.input) {
				t.Errorf("input %q, want %q", v.Input, c.input)
			}
			if len(v.Allow) > 0 || len(v.Custom) > 0 || v.OutputNonBlocking {
				t.Errorf("what needs trust counts: %+v", v)
			}
		})
	}
}

func TestBrokenHumanFileLeavesTheProject(t *testing.T) {
	w := newWorld(t, "policy: {protect: [mine]}\nhandoffs: {packs: [muggle]}\n", "policy: {protect: [theirs]}\nevidence:\nquality:\n")
	w.trust()
	w.load()
	w.human("policy: {protect: [mine], allow: 1}\n")
	e := w.load()
	if diff := cmp.Diff([]string{"mine", "theirs"}, e.Config.Policy.Protect); diff != "" {
		t.Errorf("protect (-want +got):\n%s", diff)
	}
	if !e.Broken() || e.Config.Quality.On || !e.Config.Evidence.On || e.Config.Handoffs.On {
		t.Errorf("broken %v, quality %v, evidence %v, handoffs %v", e.Broken(), e.Config.Quality.On, e.Config.Evidence.On, e.Config.Handoffs.On)
	}
	if diff := cmp.Diff(Paused{Quality: true, Packs: []string{"muggle"}}, e.Paused); diff != "" {
		t.Errorf("paused (-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(e.Problems[0].String(), filepath.Join(w.home, HumanFileName)+":1:") {
		t.Errorf("problem %s", e.Problems[0])
	}
}

func TestUnreadableFilesAreProblems(t *testing.T) {
	w := newWorld(t, "", "quality:\n")
	project := filepath.Join(w.root, FileName)
	o := w.options()
	o.ReadFile = func(name string, limit int64) ([]byte, error) {
		if name == project {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
		}
		return fsx.ReadFile(name, limit)
	}
	e := Load(o)
	if diff := cmp.Diff(Problems{{File: project, Msg: "cannot be read: permission denied"}}, e.Problems); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := os.Remove(project); err != nil {
		t.Fatal(err)
	}
	mkdir(t, project)
	if e := w.load(); len(e.Problems) != 1 || !e.OptedIn {
		t.Errorf("a folder in its place: %v", e.Problems)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Remove(project); err != nil {
		t.Fatal(err)
	}
	link(t, "nowhere", project)
	if e := w.load(); len(e.Problems) > 0 || e.OptedIn {
		t.Errorf("a dangling link: %v, opted in %v", e.Problems, e.OptedIn)
	}
}

func TestRememberedOnlyWhenChanged(t *testing.T) {
	w := newWorld(t, "", "policy: {protect: [a]}\n")
	w.load()
	name := lastValidFile(w.home, w.root)
	if fi, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && fi.Mode().Perm() != 0o600 {
		t.Fatalf("record: %v, %v", fi, err)
	}
	old := time.Unix(1_000_000, 0)
	if err := os.Chtimes(name, old, old); err != nil {
		t.Fatal(err)
	}
	w.load()
	if fi, _ := os.Stat(name); !fi.ModTime().Equal(old) {
		t.Error("written without a change")
	}
	w.project("policy: {protect: [b]}\n")
	w.load()
	if fi, _ := os.Stat(name); fi.ModTime().Equal(old) {
		t.Error("not written after a change")
	}
	// Taken out while valid: it does not come back when the file breaks.
	w.project("version: 1\n")
	w.load()
	w.project("x: 1\n")
	if e := w.load(); len(e.Config.Policy.Protect) > 0 {
		t.Errorf("protect %q", e.Config.Policy.Protect)
	}
}

func TestNothingIsRememberedUnlessAsked(t *testing.T) {
	w := newWorld(t, "policy: {protect: [h]}\n", "policy: {protect: [a]}\n")
	o := w.options()
	o.Remember = false
	Load(o)
	if entries, _ := os.ReadDir(w.home); len(entries) != 1 {
		t.Errorf("state home: %v", entries)
	}
}

func TestDamagedRecordIsNoProtectionAndNoFailure(t *testing.T) {
	w := newWorld(t, "", "policy: {protect: [a]}\n")
	w.load()
	name := lastValidFile(w.home, w.root)
	write(t, name, "{")
	w.project("x: 1\n")
	if e := w.load(); len(e.Config.Policy.Protect) > 0 || !e.Paused.Quality {
		t.Errorf("%+v", e.Config.Policy)
	}
	w.project("policy: {protect: [a]}\n")
	w.load()
	if data, _ := os.ReadFile(name); !json.Valid(data) {
		t.Error("the record was not mended")
	}
}

func TestRememberingThatFailsIsReportedAndHarmless(t *testing.T) {
	w := newWorld(t, "", "policy: {protect: [a]}\n")
	write(t, filepath.Join(w.home, "protect"), "a file in the way")
	e := w.load()
	if e.RememberErr == nil || e.Broken() || !cmp.Equal(e.Config.Policy.Protect, []string{"a"}) {
		t.Errorf("error %v, problems %v", e.RememberErr, e.Problems)
	}
}

func TestOrigins(t *testing.T) {
	w := newWorld(t,
		"policy:\n  packs: [cloud]\n  protect: [a]\nquality:\n  lessons: false\n  onStop: [test]\nvalidators:\n  enabled: true\n  input: [secrets]\n",
		"policy:\n  protect: [b]\nquality:\n  onStop: [lint]\nvalidators:\n  input: [pii]\n")
	human, project := filepath.Join(w.home, HumanFileName), filepath.Join(w.root, FileName)
	trusted, untrusted := w.loadTrusted(), w.load()
	for _, tt := range []struct {
		e         *Effective
		key, want string
	}{
		{trusted, "mode", BuiltIn},
		{trusted, "policy.packs", BuiltIn + ", " + human + ":2"},
		{trusted, "policy.protect", human + ":3, " + project + ":2"},
		{trusted, "quality.lessons", human + ":5"},
		{trusted, "quality.onStop", project + ":4"},
		{untrusted, "quality.onStop", human + ":6"},
		{untrusted, "validators.input", human + ":9, " + project + ":6"},
		{trusted, "rewrite", BuiltIn},
		{trusted, "validators.input", project + ":6"},
	} {
		if got := tt.e.Origin(tt.key); got != tt.want {
			t.Errorf("trusted %v: %s from %q, want %q", tt.e.Trusted, tt.key, got, tt.want)
		}
	}
}

func TestShownConfigurationSaysTheSame(t *testing.T) {
	w := newWorld(t, "handoffs: {packs: [muggle]}\npolicy: {packs: [cloud]}\n", everything)
	for _, origins := range []bool{false, true} {
		e := w.loadTrusted()
		again := newWorld(t, "", string(e.YAML(origins))).loadTrusted()
		if err := again.Problems.Err(); err != nil {
			t.Fatalf("%v\n%s", err, e.YAML(origins))
		}
		if diff := cmp.Diff(onlyOn(e.Config), onlyOn(again.Config)); diff != "" {
			t.Errorf("(-merged +shown):\n%s\n%s", diff, e.YAML(origins))
		}
	}
}

func TestShownConfigurationNamesWhatIsOffAndHeld(t *testing.T) {
	w := newWorld(t, "", "policy:\n  protect: [deploy/**]\nquality:\n")
	got := strings.ReplaceAll(string(w.load().YAML(true)), w.root+string(filepath.Separator), "")
	want := `version: 1                                # built-in
mode: enforce                             # built-in
policy:                                   # .guardrails.yaml:1
  packs: [core]                           # built-in
  protect: [deploy/**]                    # .guardrails.yaml:2
# validators: off
# handoffs: off
# evidence: off
# quality: held back
dependencies:
  enabled: true                           # built-in
  minAgeDays: 30                          # built-in
  cooldownHours: 24                       # built-in
  denySeverity: critical                  # built-in
# held back: quality (.guardrails.yaml:3): it runs the repository's code
# what is held back counts after: guardrails trust
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	w.project("polcy:\n")
	got = string(w.load().YAML(false))
	if !strings.Contains(got, "# quality: paused until the problems are fixed\n") {
		t.Errorf("broken:\n%s", got)
	}
}

func TestShownJSON(t *testing.T) {
	w := newWorld(t, "", "quality:\nrewrite: [{match: a, to: b}]\nx: 1\n")
	var got struct {
		Root, Project, Human         string
		OptedIn, NeedsTrust, Trusted bool
		On                           map[string]bool
		Held                         []struct{ Key, Why string }
		Problems                     []struct {
			Line    int
			Message string
		}
		Config  map[string]any
		Origins map[string]string
	}
	if err := json.Unmarshal(w.load().JSON(true), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Problems) != 1 || got.Problems[0].Line != 3 || got.On["quality"] || !got.On["policy"] || got.Project == "" || got.Human != "" {
		t.Errorf("%+v", got)
	}
	if got.Config["mode"] != "enforce" || got.Origins["quality.coverage.patchMin"] != BuiltIn {
		t.Errorf("%+v", got)
	}
	w.project("quality:\nrewrite: [{match: a, to: b}]\n")
	got.Problems = nil
	if err := json.Unmarshal(w.load().JSON(false), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Held) != 2 || !got.NeedsTrust || got.Trusted {
		t.Errorf("%+v", got)
	}
}

// The order below is what "looser" means, key by key, written once more without
// the table: it is how a gate would see it.
func looserThan(a, b Config, exemptHuman []string) string {
	subset := func(list, of []string) bool { return !lacks(of, list) }
	rank := map[string]int{"critical": 1, "high": 2, "moderate": 3, "low": 4}
	va, vb := a.Validators, b.Validators
	switch {
	case b.Mode == Enforce && a.Mode == Warn:
		return "mode"
	case !subset(b.Policy.Packs, a.Policy.Packs), !subset(b.Policy.Protect, a.Policy.Protect):
		return "policy"
	case len(a.Policy.Allow) > len(b.Policy.Allow):
		return "allow"
	case !cmp.Equal(a.Rewrite, b.Rewrite):
		return "rewrite"
	case a.Quality.On:
		return "quality"
	case len(va.Custom) > len(vb.Custom), len(va.Allow) > len(vb.Allow):
		return "validators run code or allow"
	case vb.On && (!va.On || !subset(vb.Input, va.Input) || !subset(vb.Output, va.Output)):
		return "validators off"
	case vb.On && (va.Timeout > vb.Timeout || vb.KillSwitch && !va.KillSwitch || va.OutputNonBlocking && !vb.OutputNonBlocking || vb.Redact && !va.Redact):
		return "validators weaker"
	case vb.On && vb.AggregateTimeout > 0 && (va.AggregateTimeout <= 0 || va.AggregateTimeout > vb.AggregateTimeout):
		return "validators without a budget"
	case b.Handoffs.On && (!a.Handoffs.On || !subset(b.Handoffs.Packs, a.Handoffs.Packs)):
		return "handoffs"
	case b.Handoffs.On && (b.Handoffs.Preferences.AutoWatchPR && !a.Handoffs.Preferences.AutoWatchPR ||
		b.Handoffs.Preferences.AutoE2ETest && !a.Handoffs.Preferences.AutoE2ETest ||
		b.Handoffs.Preferences.PostPRVisualWalkthrough && !a.Handoffs.Preferences.PostPRVisualWalkthrough ||
		b.Handoffs.Preferences.AutoRouteBuild && !a.Handoffs.Preferences.AutoRouteBuild ||
		b.Handoffs.Preferences.AutoRouteBuildToMuggleDo && !a.Handoffs.Preferences.AutoRouteBuildToMuggleDo):
		return "preferences"
	case a.Evidence.SpawnMinChars > b.Evidence.SpawnMinChars:
		return "evidence"
	case b.Dependencies.On && !a.Dependencies.On:
		return "look-ups off"
	case a.Dependencies.MinAgeDays < b.Dependencies.MinAgeDays, a.Dependencies.CooldownHours < b.Dependencies.CooldownHours,
		rank[a.Dependencies.DenySeverity] < rank[b.Dependencies.DenySeverity], !subset(a.Dependencies.Exempt, exemptHuman),
		a.Dependencies.Endpoints != b.Dependencies.Endpoints,
		len(b.Dependencies.Licences) > 0 && (len(a.Dependencies.Licences) == 0 || !subset(a.Dependencies.Licences, b.Dependencies.Licences)):
		return "dependencies"
	}
	return ""
}

// document draws a valid file from the table.
func document(t *rapid.T, label string) object {
	var draw func(fields []field, path string, all bool) object
	value := func(f *field, path string) any {
		switch f.kind {
		case kindBool:
			return rapid.Bool().Draw(t, path)
		case kindInt:
			if f.min == f.max {
				return int(f.max)
			}
			return rapid.SampledFrom([]int{int(max(f.min, 1)), 20, 30, 31, 1500, 3000}).Draw(t, path)
		case kindNumber:
			return rapid.SampledFrom([]float64{0, 0.5, 80, 100}).Draw(t, path)
		case kindDuration:
			return rapid.SampledFrom([]string{"15s", "30s", "2s", "1s", "100ms", "3m", "0"}).Filter(func(s string) bool {
				d, _ := time.ParseDuration(s)
				return float64(d) >= f.min && float64(d) <= f.max
			}).Draw(t, path)
		case kindWord:
			return rapid.SampledFrom(f.words).Draw(t, path)
		case kindWords:
			return texts(rapid.SliceOfDistinct(rapid.SampledFrom(f.words), rapid.ID[string]).Draw(t, path))
		case kindTexts:
			return texts(rapid.SliceOfN(rapid.SampledFrom([]string{"MIT", "ISC", "lib/a", "b"}), 0, 3).Draw(t, path))
		case kindCommand:
			return "make check"
		case kindText:
			if f.key == "rule" {
				return "git/reset-hard"
			}
			if f.secret {
				return "https://" + rapid.SampledFrom([]string{"a", "b"}).Draw(t, path) + ".example"
			}
			return rapid.SampledFrom([]string{"one", "two"}).Draw(t, path)
		}
		return nil
	}
	draw = func(fields []field, path string, all bool) object {
		o := object{}
		for i := range fields {
			f := &fields[i]
			p := join(path, f.key)
			if f.key == packField.fields[0].key && fieldOf(fields, "obligations") != nil {
				return object{{"name", rapid.SampledFrom([]string{"one", "two"}).Draw(t, p)}, {"obligations", []any{object{{"id", "x"}, {"short", "s"}}}}}
			}
			if !all && !rapid.Bool().Draw(t, p+"?") {
				continue
			}
			switch f.kind {
			case kindSection:
				o = append(o, member{f.key, draw(f.fields, p, false)})
			case kindItems:
				list := []any{}
				if rapid.Bool().Draw(t, p+"[0]?") {
					list = append(list, draw(f.fields, p, true))
				}
				o = append(o, member{f.key, list})
			case kindDict:
				o = append(o, member{f.key, object{{"web", draw(f.fields, p, false)}}})
			default:
				o = append(o, member{f.key, value(f, p)})
			}
		}
		return o
	}
	return draw(table[:], label, false)
}

func TestAnUntrustedProjectNeverLoosens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := map[string]string{}
		for _, label := range []string{"human", "project"} {
			name := map[string]string{"human": "/state/config.yaml", "project": "/p/.guardrails.yaml"}[label]
			if rapid.Bool().Draw(t, label) {
				var b strings.Builder
				appendYAML(&b, document(t, label))
				files[filepath.FromSlash(name)] = b.String()
			}
		}
		read := func(name string, _ int64) ([]byte, error) {
			if s, ok := files[name]; ok {
				return []byte(s), nil
			}
			return nil, fs.ErrNotExist
		}
		o := LoadOptions{YAML: yamldoc.Read, Root: filepath.FromSlash("/p"), StateHome: filepath.FromSlash("/state"), ReadFile: read}
		with := Load(o)
		if err := with.Problems.Err(); err != nil {
			t.Fatalf("the drawn files are not valid: %v\n%v", err, files)
		}
		o.Root = ""
		without := Load(o)
		without.Config.Quality.On = false
		if why := looserThan(with.Config, without.Config, without.Config.Dependencies.Exempt); why != "" {
			t.Fatalf("looser: %s\n%v\nwith    %+v\nwithout %+v", why, files, with.Config, without.Config)
		}
		// Held is complete: it is empty if and only if trust changes nothing, or
		// only switches on what runs code.
		o.Root, o.TreatAsTrusted = filepath.FromSlash("/p"), true
		trusted := Load(o)
		if len(with.Held) == 0 && !cmp.Equal(with.Config, trusted.Config) {
			t.Fatalf("nothing held, but trust changes\n%s", cmp.Diff(with.Config, trusted.Config))
		}
		if with.NeedsTrust != (len(with.Held) > 0) || with.NeedsTrust != trusted.Trusted || len(trusted.Held) > 0 {
			t.Fatalf("needs trust %v, held %v, trusted %v", with.NeedsTrust, with.Held, trusted.Trusted)
		}
	})
}

func TestReadErrorsOfTheRecordAreNotFatal(t *testing.T) {
	o := LoadOptions{YAML: yamldoc.Read, Root: "/p", StateHome: "/state", Remember: true, ReadFile: func(name string, _ int64) ([]byte, error) {
		return nil, errors.New("device on fire")
	}}
	e := Load(o)
	if len(e.Problems) != 2 || !strings.Contains(e.Problems[1].Msg, "device on fire") {
		t.Errorf("%v", e.Problems)
	}
}

func BenchmarkLoadNothing(b *testing.B) {
	dir := b.TempDir()
	b.ReportAllocs()
	for b.Loop() {
		Load(LoadOptions{YAML: yamldoc.Read, Root: dir, StateHome: dir, Remember: true})
	}
}

func BenchmarkLoadBoth(b *testing.B) {
	dir := b.TempDir()
	for name, content := range map[string]string{FileName: everything, HumanFileName: "handoffs:\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if e := Load(LoadOptions{YAML: yamldoc.Read, Root: dir, StateHome: dir, Remember: true}); e.Broken() {
			b.Fatal(e.Problems)
		}
	}
}

// Changed at random, line by line and word by word, a project's file is either
// refused, and then protects all the same, or read; it never loosens.
func TestNoMutationOfAFileLoosens(t *testing.T) {
	words := strings.SplitAfter(strings.NewReplacer(" ", " \x00", ":", ":\x00", "\n", "\n\x00", ",", ",\x00", "{", "{\x00", "[", "[\x00").Replace(everything), "\x00")
	for i := range words {
		words[i] = strings.TrimSuffix(words[i], "\x00")
	}
	project := filepath.FromSlash("/p/.guardrails.yaml")
	rapid.Check(t, func(t *rapid.T) {
		out := slices.Clone(words)
		for range rapid.IntRange(1, 5).Draw(t, "changes") {
			i := rapid.IntRange(0, len(out)-1).Draw(t, "at")
			switch rapid.IntRange(0, 4).Draw(t, "how") {
			case 0:
				out[i] = ""
			case 1:
				out[i] += out[i]
			case 2:
				k := rapid.IntRange(0, len(out)-1).Draw(t, "with")
				out[i], out[k] = out[k], out[i]
			case 3:
				out[i] = rapid.SampledFrom([]string{"\ufeff", "\x00", "\t", "\xff", "&a ", "*a ", "<<: ", "!!binary ", "- ", "? ", "|\n", "#", "'", "\"", "---\n", "...\n", "null ", "true ", "0 ", "{} ", "[] "}).Draw(t, "what") + out[i]
			case 4:
				out = out[:i+1]
			}
		}
		text := strings.Join(out, "")
		o := LoadOptions{YAML: yamldoc.Read, Root: filepath.FromSlash("/p"), StateHome: filepath.FromSlash("/state"), ReadFile: func(name string, _ int64) ([]byte, error) {
			if name == project {
				return []byte(text), nil
			}
			return nil, fs.ErrNotExist
		}}
		with := Load(o)
		o.Root = ""
		without := Load(o)
		without.Config.Quality.On = false
		if why := looserThan(with.Config, without.Config, without.Config.Dependencies.Exempt); why != "" {
			t.Fatalf("looser: %s\n%s", why, text)
		}
		if len(with.Problems) > 0 && with.Config.Quality.On {
			t.Fatalf("a broken file has its commands run\n%s", text)
		}
	})
}
