package config

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/config/yamldoc"
)

func TestEveryProblemIsReportedInItsPlace(t *testing.T) {
	const topKeys = "known are version, mode, policy, rewrite, validators, handoffs, evidence, quality, dependencies, standards"
	tests := []struct {
		name string
		in   string
		want []string // without the file name
	}{
		// Keys.
		{"unknown key", "qualty:\n", []string{`1:1: unknown key "qualty" (did you mean "quality"?)`}},
		{"unknown key in a section", "quality:\n  onedit: [format]\n", []string{`2:3: unknown key "onedit" in quality (did you mean "onEdit"?)`}},
		{"unknown key two levels down", "quality:\n  coverage: {patchmin: 80}\n", []string{`2:14: unknown key "patchmin" in quality.coverage (did you mean "patchMin"?)`}},
		{"key of another section", "onStop: [lint]\n", []string{`1:1: unknown key "onStop" (did you mean "quality.onStop"?)`}},
		{"key like no other", "zzzzzz: 1\n", []string{`1:1: unknown key "zzzzzz"; ` + topKeys}},
		{"number as a key", "1: x\n", []string{`1:1: unknown key "1"; ` + topKeys}},
		{"list as a key", "? [a]\n: b\n", []string{`1:3: a key must be a word, found a list`}},
		{"duplicate key", "mode: warn\nmode: enforce\n", []string{`2:1: duplicate key "mode" (first on line 1)`}},
		{"duplicate key in a section", "policy:\n  protect: [a]\n  protect: [b]\n", []string{`3:3: duplicate key "policy.protect" (first on line 2)`}},
		{"duplicate section", "quality:\nquality:\n", []string{`2:1: duplicate key "quality" (first on line 1)`}},
		{"duplicate package", "quality:\n  packages:\n    web:\n    web: {}\n", []string{`4:5: duplicate key "quality.packages.web" (first on line 3)`}},

		// The file as a whole.
		{"list for a file", "- a\n", []string{"1:1: want keys such as policy: or quality:, found a list"}},
		{"text for a file", "hello\n", []string{`1:1: want keys such as policy: or quality:, found the text "hello"`}},
		{"second document", "mode: warn\n---\nmode: warn\n", []string{"2:1: a second document begins here: one file holds one document"}},
		{"second document besides other problems", "moed: warn\n---\nmode: warn\n", []string{
			`1:1: unknown key "moed" (did you mean "mode"?)`, "2:1: a second document begins here: one file holds one document",
		}},
		{"broken second document", "mode: warn\n...\nmode: [\n", []string{"4:1: not valid YAML: a value is missing, or a [ or { is not closed"}},
		{"not UTF-8", "mode: \xff\n", []string{"1:7: byte 0xff is not UTF-8: save the file as UTF-8"}},
		{"UTF-16", "\xff\xfem\x00", []string{"1:1: UTF-16: save the file as UTF-8"}},
		{"control characters", "mode: \x01\nversion: \x7f\n", []string{"1:7: control character U+0001", "2:10: control character U+007F"}},
		{"too large", "version: 1\n" + strings.Repeat("#", MaxSize), []string{"larger than 128 KiB"}},

		// YAML.
		{"tab", "policy:\n\tprotect: []\n", []string{"2:1: a tab cannot indent: use spaces"}},
		{"tab after spaces", "policy:\n  \tprotect: []\n", []string{"2:3: a tab cannot indent: use spaces"}},
		{"open bracket", "policy:\n  protect: [a,\n", []string{"3:1: not valid YAML: a value is missing, or a [ or { is not closed"}},
		{"open quote", "mode: \"x\n", []string{"2:1: not valid YAML: a quote is not closed (while scanning a quoted scalar that begins on line 1)"}},
		{"colon in a value", "mode: a: b\n", []string{`1:8: not valid YAML: a ": " where none can be; indent as the line above, or put the text in quotes`}},
		{"reserved character", "mode: @x\n", []string{"1:7: not valid YAML: a text that begins with this character needs quotes"}},
		{"uneven indentation", "policy:\n    protect: []\n  allow: []\n", []string{
			"3:3: not valid YAML: this does not fit the lines above; check indentation, quotes and commas (while parsing a block mapping that begins on line 1)",
		}},
		{"unknown alias", "policy: *x\n", []string{"1:9: not valid YAML: a text that begins with * needs quotes"}},
		{"anchor and alias", "policy: &x {protect: [a]}\nquality: *x\n", []string{
			"1:9: policy: anchors (&x) are not read here: write the value out where it is needed",
			"2:10: quality: aliases (*x) are not read here: write the value out",
		}},
		{"problems below an anchor", "policy: &x {protct: [a]}\n", []string{
			"1:9: policy: anchors (&x) are not read here: write the value out where it is needed",
			`1:13: unknown key "protct" in policy (did you mean "protect"?)`,
		}},
		{"merge key", "<<: {mode: warn}\n", []string{"1:1: merge keys (<<) are not read here: write the values out"}},
		{"tag", "mode: !!str warn\n", []string{"1:7: mode: tags (!!str) are not read here: a text that begins with ! needs quotes"}},
		{"bare tag", "mode: ! warn\n", []string{"1:7: mode: tags (!) are not read here: a text that begins with ! needs quotes"}},
		{"pattern that begins with !", "policy: {protect: [!vendor/** x]}\n", []string{"1:20: policy.protect[0]: tags (!vendor/**) are not read here: a text that begins with ! needs quotes"}},
		{"pattern that begins with *", "policy: {protect: [**/*.go]}\n", []string{"1:20: not valid YAML: a text that begins with * needs quotes"}},
		{"pattern that is a *", "policy: {protect: [* ]}\n", []string{"1:21: not valid YAML: a text that begins with * needs quotes"}},
		{"pattern with braces", "policy: {protect: [a/{b,c}]}\n", []string{"1:22: not valid YAML: did not find expected ',' or ']'; within [ ] and { } a text with one of these, or a comma, needs quotes"}},
		{"key without a colon", "version: 1\nmode warn\npolicy: {}\n", []string{`2:1: not valid YAML: a key without a ":" behind it, or a text that goes on and is not indented`}},
		{"first line deeper than the rest", "  version: 1\nmode: warn\n", []string{"2:1: not valid YAML: this does not fit the lines above; check indentation, quotes and commas"}},
		{"text that goes on after a comment", "standards:\n  - a # b\n    c\n", []string{"3:5: not valid YAML: this does not fit the lines above; check indentation, quotes and commas (while parsing a block collection that begins on line 2)"}},
		{"unknown escape", "standards: [\"a\\d\"]\n", []string{`1:15: not valid YAML: within double quotes a \ begins an escape: write \\ for one, or use single quotes`}},
		{"escape that was none", "policy: {protect: [\"C:\\bin\"]}\n", []string{`1:20: policy.protect[0]: holds the control character U+0008: within double quotes a \ begins an escape: write \\ for one, or use single quotes`}},
		{"version of YAML", "%YAML 1.2\n---\nmode: warn\n", []string{"1:1: not valid YAML: a %YAML line of another version; leave the line out"}},
		{"nesting without end", "mode: " + strings.Repeat("[", 12000), []string{"1:10007: not valid YAML: exceeded max depth of 10000"}},

		// Types.
		{"quoted false is no false", "quality: {lessons: \"false\"}\n", []string{`1:20: quality.lessons: want true or false, found the text "false" (write false, without quotes)`}},
		{"yes is no true", "quality: {lessons: yes}\n", []string{`1:20: quality.lessons: want true or false, found the text "yes" (write true, without quotes)`}},
		{"1 is no true", "quality: {lessons: 1}\n", []string{`1:20: quality.lessons: want true or false, found the number 1 (write true, without quotes)`}},
		{"mapping for a switch", "quality: {lessons: {a: 1}}\n", []string{`1:20: quality.lessons: want true or false, found a mapping`}},
		{"switch for a section", "quality: true\n", []string{"1:10: quality: want keys such as onEdit:, found true"}},
		{"list for a section", "quality: []\n", []string{"1:10: quality: want keys such as onEdit:, found a list"}},
		{"text for a list", "policy: {protect: deploy/**}\n", []string{`1:19: policy.protect: want a list, found the text "deploy/**" (write [deploy/**])`}},
		{"mapping for a list", "policy: {packs: {core: 1}}\n", []string{"1:17: policy.packs: want a list, found a mapping"}},
		{"mapping for a list of mappings", "rewrite: {match: a, to: b}\n", []string{"1:10: rewrite: want a list, found a mapping"}},
		{"text for a mapping in a list", "rewrite: [a]\n", []string{`1:11: rewrite[0]: want keys such as match:, found the text "a"`}},
		{"nothing in a list", "policy: {protect: [~, a]}\n", []string{"1:20: policy.protect[0]: want a text, found nothing"}},
		{"number for a text", "standards: [5]\n", []string{"1:13: standards[0]: want a text, found the number 5 (put it in quotes)"}},
		{"date for a text", "standards: [2026-01-01]\n", []string{"1:13: standards[0]: want a text, found the date 2026-01-01 (put it in quotes)"}},
		{"blank text", "standards: [' ']\n", []string{"1:13: standards[0]: must not be empty"}},
		{"quoted number", "version: \"1\"\n", []string{`1:10: version: want a whole number, found the text "1" (write it without quotes)`}},
		{"fraction", "dependencies: {minAgeDays: 1.5}\n", []string{"1:28: dependencies.minAgeDays: want a whole number, found the number 1.5"}},
		{"hexadecimal", "dependencies: {minAgeDays: 0x10}\n", []string{"1:28: dependencies.minAgeDays: want a whole number, found the number 0x10 (write it in decimal digits)"}},
		{"octal", "dependencies: {minAgeDays: 010}\n", []string{"1:28: dependencies.minAgeDays: want a whole number, found the number 010 (write it in decimal digits)"}},
		{"underscores", "dependencies: {minAgeDays: 1_000}\n", []string{"1:28: dependencies.minAgeDays: want a whole number, found the number 1_000 (write it in decimal digits)"}},
		{"infinity", "quality: {coverage: {patchMin: .inf}}\n", []string{"1:32: quality.coverage.patchMin: want a number, found the number .inf (write it in decimal digits)"}},
		{"list for a number", "quality: {coverage: {patchMin: [80]}}\n", []string{"1:32: quality.coverage.patchMin: want a number, found a list"}},

		// Limits.
		{"newer version", "version: 2\n", []string{"1:10: version: want 1, found the number 2"}},
		{"below zero", "dependencies: {minAgeDays: -1}\n", []string{"1:28: dependencies.minAgeDays: want a whole number from 0 to 3650, found the number -1"}},
		{"above a hundred percent", "quality: {coverage: {patchMin: 120}}\n", []string{"1:32: quality.coverage.patchMin: want a number from 0 to 100, found the number 120"}},
		{"duration without a unit", "quality: {stopTimeout: 120}\n", []string{"1:24: quality.stopTimeout: want a duration such as 90s or 200ms, found the number 120 without a unit"}},
		{"duration in words", "quality: {stopTimeout: 2 minutes}\n", []string{`1:24: quality.stopTimeout: want a duration such as 90s or 200ms, found the text "2 minutes"`}},
		{"duration too short", "quality: {stopTimeout: 1s}\n", []string{"1:24: quality.stopTimeout: want a duration from 15s to 10m, found 1s"}},
		{"duration too long", "quality: {stopTimeout: 2h}\n", []string{"1:24: quality.stopTimeout: want a duration from 15s to 10m, found 2h"}},
		{"duration of zero where none can be", "validators: {timeout: 0}\n", []string{"1:23: validators.timeout: want a duration from 1ms to 10m, found 0"}},
		{"switch for a duration", "validators: {timeout: true}\n", []string{"1:23: validators.timeout: want a duration such as 90s or 200ms, found true"}},
		{"list too long", "standards: [" + strings.Repeat("a,", 1001) + "]\n", []string{"1:12: standards: more than 1000 entries"}},

		// Words.
		{"near word", "mode: warm\n", []string{`1:7: mode: want one of enforce, warn, found the text "warm" (did you mean "warn"?)`}},
		{"word in another case", "mode: Enforce\n", []string{`1:7: mode: want one of enforce, warn, found the text "Enforce" (did you mean "enforce"?)`}},
		{"word of another tool", "dependencies: {denySeverity: medium}\n", []string{`1:30: dependencies.denySeverity: want one of low, moderate, high, critical, found the text "medium" (did you mean "moderate"?)`}},
		{"list for a word", "mode: [warn]\n", []string{"1:7: mode: want one of enforce, warn, found a list"}},
		{"unknown word in a list", "policy: {packs: [core, clod]}\n", []string{`1:24: policy.packs[1]: want one of core, cloud, database, containers, publishing, branches, instructions, found the text "clod" (did you mean "cloud"?)`}},
		{"unknown validator", "validators: {input: [secrts]}\n", []string{`1:22: validators.input[0]: want one of secrets, pii, prompt-injection, found the text "secrts" (did you mean "secrets"?)`}},
		{"unknown validator beside custom ones", "validators:\n  input: [min]\n  custom: [{name: mine, command: x}]\n", []string{
			`2:11: validators.input[0]: want one of secrets, pii, prompt-injection, mine, found the text "min" (did you mean "mine"?)`,
		}},

		// Contents.
		{"patterns", "policy: {protect: ['[a', '../x', 'a/../../x', '!x', \"a\\nb\"]}\n", []string{
			`1:20: policy.protect[0]: "[a": not a valid pattern (** * ? [class] {a,b})`,
			`1:26: policy.protect[1]: "../x": leads out of the project`,
			`1:34: policy.protect[2]: "a/../../x": leads out of the project`,
			`1:47: policy.protect[3]: "!x": a pattern cannot be negated`,
			`1:53: policy.protect[4]: "a\nb": must be one line`,
		}},
		{"package folders", "quality:\n  packages:\n    ../x: {}\n    /abs:\n    'C:\\x':\n    ~/x:\n", []string{
			`3:5: quality.packages: "../x": leads out of the project`,
			`4:5: quality.packages: "/abs": must be relative to the project root`,
			`5:5: quality.packages: "C:\\x": must be relative to the project root`,
			`6:5: quality.packages: "~/x": must be relative to the project root`,
		}},
		{"files outside the project", "standards: ['../x', /etc/passwd, ~/x, docs/a.md, Be kind.]\n", []string{
			`1:13: standards[0]: "../x": a file outside the project is not read`,
			`1:21: standards[1]: "/etc/passwd": a file outside the project is not read`,
			`1:34: standards[2]: "~/x": a file outside the project is not read`,
		}},
		{"allow without a reason", "policy:\n  allow:\n    - {rule: git/reset-hard, when: git reset}\n", []string{`3:7: policy.allow[0]: needs "reason"`}},
		{"allow with a misspelt narrowing key", "policy:\n  allow:\n    - {rule: git/reset-hard, wen: git reset, reason: x}\n", []string{
			`3:7: policy.allow[0]: needs "when"`, `3:30: unknown key "wen" in policy.allow[0] (did you mean "when"?)`,
		}},
		{"allow with nothing behind a key", "policy: {allow: [{rule: a/b, when: , reason: x}]}\n", []string{`1:18: policy.allow[0]: needs "when"`}},
		{"allow of everything", "policy: {allow: [{rule: a/b, when: '**', reason: x}]}\n", []string{`1:36: policy.allow[0].when: "**": must begin with the name of a command`}},
		{"allow with the rest in the middle", "policy: {allow: [{rule: a/b, when: git ** x, reason: x}]}\n", []string{`1:36: policy.allow[0].when: "git ** x": ** stands for the rest: it must be the last word`}},
		{"allow of no rule", "policy: {allow: [{rule: reset, when: git reset, reason: x}]}\n", []string{`1:25: policy.allow[0].rule: "reset": not a rule id such as git/reset-hard`}},
		{"validator allow without a place", "validators: {allow: [{validator: secrets, reason: x}]}\n", []string{"1:22: validators.allow[0]: needs one of kind, path, fingerprint"}},
		{"custom validators", "validators:\n  custom:\n    - {name: PII, command: x}\n    - {name: pii, command: x}\n    - {name: a, command: ''}\n    - {name: b, command: []}\n    - {name: c, command: [' ', x, ~]}\n    - {name: d, command: x}\n    - {name: d, command: y}\n    - {name: e}\n", []string{
			`3:14: validators.custom[0].name: "PII": not a name: lower-case letters, digits and - only`,
			`4:14: validators.custom[1].name: "pii": the name of a built-in validator`,
			"5:26: validators.custom[2].command: must not be empty",
			"6:26: validators.custom[3].command: must not be empty",
			"7:27: validators.custom[4].command[0]: must not be empty",
			"7:35: validators.custom[4].command[2]: want a word, found nothing",
			`9:7: validators.custom[6]: a second validator named "d"`,
			`10:7: validators.custom[7]: needs "command"`,
		}},
		{"addresses", "dependencies:\n  endpoints:\n    npm: ftp://x\n    pypi: https://u:hunter2@h/\n    go: https://x?y\n    osv: 'https:// x'\n", []string{
			"3:10: dependencies.endpoints.npm: not an address such as https://packages.example.org",
			"4:11: dependencies.endpoints.pypi: must not hold a user name or password",
			"5:9: dependencies.endpoints.go: must not hold a query",
			"6:10: dependencies.endpoints.osv: not an address such as https://packages.example.org",
		}},
		{"pack that does not ship", "handoffs: {packs: [muggel, {name: x}]}\n", []string{
			`1:20: handoffs.packs[0]: want one of delivery, muggle, found the text "muggel" (did you mean "muggle"?)`,
			"1:28: handoffs.packs[1]: want one of delivery, muggle, found a mapping",
		}},

		// Places.
		{"BOM and CRLF", "\ufeffmode: wran\r\nquality:\r\n  lessons: no\r\n", []string{
			`1:7: mode: want one of enforce, warn, found the text "wran" (did you mean "warn"?)`,
			`3:12: quality.lessons: want true or false, found the text "no" (write false, without quotes)`,
		}},
		{"columns count characters", "ключ: 1\npolicy: {protect: [\"ключ\", [a]]}\n", []string{
			`1:1: unknown key "ключ"; ` + topKeys, "2:28: policy.protect[1]: want a text, found a list",
		}},
		{"long values are cut", "mode: " + strings.Repeat("ж", 100) + "\n", []string{`1:7: mode: want one of enforce, warn, found the text "` + strings.Repeat("ж", 30) + `…"`}},
		{"all at once, in order", "zzz: 1\nquality:\n  lessons: \"false\"\n  onEdit: [fromat]\nmode: warm\n", []string{
			`1:1: unknown key "zzz"; ` + topKeys,
			`3:12: quality.lessons: want true or false, found the text "false" (write false, without quotes)`,
			`4:12: quality.onEdit[0]: want one of format, lint, found the text "fromat" (did you mean "format"?)`,
			`5:7: mode: want one of enforce, warn, found the text "warm" (did you mean "warn"?)`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, problems := Parse("f.yaml", []byte(tt.in), yamldoc.Read)
			if f != nil {
				t.Error("a file with problems was returned")
			}
			var got []string
			for _, p := range problems {
				got = append(got, strings.TrimSpace(strings.TrimPrefix(p.String(), "f.yaml:")))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEmptyIsValid(t *testing.T) {
	for _, in := range []string{
		"", "\n", "# only a comment\n", "---\n", "--- # x\n...\n", "null\n", "{}\n", "\ufeff", "\r\n",
		"version:\n", "mode: ~\n", "policy:\n", "policy: {}\n", "rewrite:\n", "rewrite: []\n",
		"policy:\n  # protect: [x]\n", "policy:\n  protect:\n    # - x\n",
		"quality:\n  packages:\n    web:\n", "dependencies:\n  endpoints:\n    npm:\n",
	} {
		f, problems := Parse("f.yaml", []byte(in), yamldoc.Read)
		if len(problems) > 0 {
			t.Errorf("%q: %v", in, problems)
			continue
		}
		f.Config.Quality.On, f.Config.Dependencies.On, f.Config.Quality.Packages = false, false, nil
		if diff := cmp.Diff(Defaults(), f.Config); diff != "" {
			t.Errorf("%q: not the defaults (-want +got):\n%s", in, diff)
		}
	}
}

const everything = `
version: 1
mode: warn
policy:
  packs: [core, cloud, database]
  protect: ["deploy/**", "~/x", /srv/**]
  allow: [{rule: git/reset-hard, when: "git reset --hard origin/main", reason: "bot branch"}]
rewrite: [{match: "git status", to: "rtk git status"}]
validators:
  enabled: true
  input: [prompt-injection, mine]
  output: []
  timeout: 3s
  aggregateTimeout: 0
  killSwitch: false
  outputNonBlocking: true
  redact: true
  allow: [{validator: secrets, path: "testdata/**", reason: fixtures}]
  custom:
    - {name: mine, command: [check, 10, true], direction: input, severity: low}
    - {name: theirs, command: "a | b"}
handoffs:
  packs: [muggle]
  preferences: {autoWatchPR: false, autoE2ETest: false, postPRVisualWalkthrough: false, autoRouteBuild: false, autoRouteBuildToMuggleDo: false, autoCleanup: true}
evidence: {enabled: false, spawnMinChars: 2000}
quality:
  onEdit: [lint]
  onStop: [test]
  subagents: [a, b]
  stopTimeout: 1m30s
  coverage: {patchMin: 75.5, tolerance: 1}
  packages:
    web: {toolchain: javascript, skip: [lint], format: [a], lint: [b], build: c d, test: e, report: web/lcov.info, patchMin: 0, tolerance: 2}
    "services/*":
  lessons: false
dependencies:
  enabled: false
  minAgeDays: 7
  cooldownHours: 0
  denySeverity: high
  licences: [MIT, "Apache-2.0 WITH LLVM-exception"]
  exempt: ["npm:@acme/*"]
  endpoints: {depsdev: "https://a.example/x", osv: "https://b.example", npm: "https://c.example", pypi: "https://d.example", go: "https://e.example", cargo: "https://f.example", rubygems: "https://g.example", packagist: "https://h.example", nuget: "https://i.example", maven: "http://localhost:8081/maven"}
standards: ["docs/style.md", "Errors are lower case."]
`

func everythingConfig() Config {
	return Config{
		Version: 1, Mode: Warn,
		Policy: Policy{
			Packs: []string{"core", "cloud", "database"}, Protect: []string{"deploy/**", "~/x", "/srv/**"},
			Allow: []Allow{{"git/reset-hard", "git reset --hard origin/main", "bot branch"}},
		},
		Rewrite: []Rewrite{{"git status", "rtk git status"}},
		Validators: Validators{
			On: true, Enabled: true, Input: []string{"prompt-injection", "mine"}, Output: []string{"secrets", "pii", "prompt-injection"},
			Timeout: 3 * time.Second, OutputNonBlocking: true, Redact: true,
			Allow: []ValidatorAllow{{Validator: "secrets", Path: "testdata/**", Reason: "fixtures"}},
			Custom: []CustomValidator{
				{"mine", Command{Argv: []string{"check", "10", "true"}}, "input", "low"},
				{"theirs", Command{Shell: "a | b"}, "both", "high"},
			},
		},
		Handoffs: Handoffs{On: true, Packs: []string{"muggle"}, Preferences: Preferences{AutoCleanup: true}},
		Evidence: Evidence{On: true, SpawnMinChars: 2000},
		Quality: Quality{
			On: true, OnEdit: []string{"lint"}, OnStop: []string{"test"}, Subagents: []string{"a", "b"}, StopTimeout: 90 * time.Second,
			Coverage: Coverage{75.5, 1},
			Packages: []Package{
				{
					Path: "web", Toolchain: "javascript", Skip: []string{"lint"},
					Format: Command{Argv: []string{"a"}}, Lint: Command{Argv: []string{"b"}}, Build: Command{Shell: "c d"}, Test: Command{Shell: "e"},
					Report: "web/lcov.info", PatchMin: new(0.0), Tolerance: new(2.0),
				},
				{Path: "services/*"},
			},
		},
		Dependencies: Dependencies{
			On: true, MinAgeDays: 7, DenySeverity: "high", Licences: []string{"MIT", "Apache-2.0 WITH LLVM-exception"}, Exempt: []string{"npm:@acme/*"},
			Endpoints: Endpoints{
				"https://a.example/x", "https://b.example", "https://c.example", "https://d.example", "https://e.example",
				"https://f.example", "https://g.example", "https://h.example", "https://i.example", "http://localhost:8081/maven",
			},
		},
		Standards: []string{"docs/style.md", "Errors are lower case."},
	}
}

func TestEveryKeyIsRead(t *testing.T) {
	for name, in := range map[string]string{
		"LF":   everything,
		"CRLF": strings.ReplaceAll(everything, "\n", "\r\n"),
		"BOM":  "\ufeff" + everything,
	} {
		f, problems := Parse("f.yaml", []byte(in), yamldoc.Read)
		if err := problems.Err(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(everythingConfig(), f.Config); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The example is the one of the documentation.
func TestTheDocumentedExampleIsValid(t *testing.T) {
	const example = `version: 1
mode: enforce                  # or warn: quality reports to the human instead of blocking; policy is unaffected
policy:
  packs: [core]                # + cloud, database, containers, publishing …
  protect: ["deploy/**"]
  allow: [{rule: git/reset-hard, when: "git reset --hard origin/main", reason: "bot branch"}]   # parsed words; * = one word, trailing ** = the rest
rewrite: [{match: "git status", to: "rtk git status"}]
validators: {enabled: false, input: [prompt-injection], output: [secrets, pii], timeout: 2s, aggregateTimeout: 200ms, killSwitch: true, outputNonBlocking: false, redact: false, allow: [], custom: []}
handoffs: {packs: [delivery], preferences: {autoWatchPR: true, autoE2ETest: true, postPRVisualWalkthrough: true, autoRouteBuild: true, autoCleanup: false}}
evidence: {enabled: true}
quality: {onEdit: [format, lint], onStop: [format, lint, build, test, coverage], subagents: [test-writer, implementer], stopTimeout: 120s, coverage: {patchMin: 80, tolerance: 0.5}, packages: {}, lessons: true}
dependencies: {enabled: true, minAgeDays: 30, cooldownHours: 24, denySeverity: critical, licences: [], exempt: [], endpoints: {}}
standards: ["docs/style.md"]
`
	f, problems := Parse("f.yaml", []byte(example), yamldoc.Read)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	// Values that are shown as defaults are the defaults.
	want := Defaults()
	want.Policy.Protect = []string{"deploy/**"}
	want.Policy.Allow = []Allow{{"git/reset-hard", "git reset --hard origin/main", "bot branch"}}
	want.Rewrite = []Rewrite{{"git status", "rtk git status"}}
	want.Standards = []string{"docs/style.md"}
	want.Validators.On, want.Handoffs.On, want.Evidence.On, want.Quality.On, want.Dependencies.On = true, true, true, true, true
	want.Dependencies.Licences, want.Dependencies.Exempt = []string{}, []string{}
	if diff := cmp.Diff(want, f.Config); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStarterIsValidWithAndWithoutItsExamples(t *testing.T) {
	f, problems := Parse("starter", Starter(), yamldoc.Read)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Defaults(), f.Config); diff != "" {
		t.Errorf("the starter changes something (-want +got):\n%s", diff)
	}
	var on []string
	for line := range strings.Lines(string(Starter())) {
		if rest, ok := strings.CutPrefix(line, "#"); ok && !strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "  ") {
			line = rest
		}
		on = append(on, line)
	}
	f, problems = Parse("starter", []byte(strings.Join(on, "")), yamldoc.Read)
	if err := problems.Err(); err != nil {
		t.Fatalf("with its examples switched on: %v", err)
	}
	for i := range table {
		if !strings.Contains(strings.Join(on, ""), "\n"+table[i].key+":") {
			t.Errorf("the starter does not show %s", table[i].key)
		}
	}
	if len(f.Config.Quality.Packages) != 1 || len(f.Config.Policy.Allow) != 1 {
		t.Errorf("the examples were not switched on: %+v", f.Config)
	}
	if bytes.Contains(Starter(), []byte("\t")) {
		t.Error("the starter has tabs")
	}
}

func TestProblemsAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		b.WriteString(strings.Repeat("k", 1+i%7) + string(rune('a'+i%26)) + ": 1\n")
	}
	_, problems := Parse("f.yaml", []byte(b.String()), yamldoc.Read)
	if len(problems) != maxProblems+1 || problems[maxProblems].Msg != "and more" {
		t.Errorf("%d problems, last %v", len(problems), problems[len(problems)-1])
	}
}

func TestMessagesNeverNameGoTypes(t *testing.T) {
	// Every key with every kind of wrong value.
	wrong := []string{"true", "1", "1.5", "word", "''", "[]", "[[1]]", "[{}]", "[~]", "{}", "{a: 1}", "{a: {b: []}}", "2026-01-01", "-.inf", "&a x", "!!int x", "!foo {}", "|\n  x\n"}
	var walk func(fields []field, render func(key string) (string, string))
	walk = func(fields []field, render func(key string) (string, string)) {
		for i := range fields {
			f := &fields[i]
			pre, post := render(f.key)
			for _, w := range wrong {
				_, problems := Parse("f.yaml", []byte(pre+w+post), yamldoc.Read)
				for _, p := range problems {
					for _, bad := range []string{"config.", "yaml", "struct", "interface", "string", "bool ", "int ", "float", "%!", "goroutine", "nil"} {
						if strings.Contains(strings.ReplaceAll(p.Msg, "instructions", ""), bad) {
							t.Errorf("%s: message speaks of %q: %s", pre+w, bad, p)
						}
					}
				}
			}
			switch f.kind {
			case kindSection, kindDict:
				walk(f.fields, func(key string) (string, string) {
					if f.kind == kindDict {
						key = "x: {" + key
						return pre + "{" + key + ": ", "}}" + post
					}
					return pre + "{" + key + ": ", "}" + post
				})
			case kindItems:
				walk(f.fields, func(key string) (string, string) { return pre + "[{" + key + ": ", "}]" + post })
			}
		}
	}
	walk(table[:], func(key string) (string, string) { return key + ": ", "\n" })
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(everything))
	f.Add(Starter())
	f.Add([]byte("a: &a [*a]\nb: *a\n<<: *a\n"))
	f.Add([]byte("a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nquality: *c\n"))
	f.Add([]byte("policy:\n\tprotect: []\n---\n? [a]\n: b\n"))
	f.Add([]byte("\ufeffmode: \"\\x00\"\r\nquality: {packages: {\"\": , ' ': {test: |\n a\n}}}\n"))
	f.Add([]byte("%YAML 1.1\n---\nmode: !!binary aGk=\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, problems := Parse("f.yaml", data, yamldoc.Read)
		if (file == nil) != (len(problems) > 0) {
			t.Fatalf("file %v, problems %v", file, problems)
		}
		for i, p := range problems {
			if p.Line < 0 || p.Col < 0 || (p.Line == 0) != (p.Col == 0) && p.Msg != "and more" {
				t.Errorf("place %d:%d: %s", p.Line, p.Col, p.Msg)
			}
			if strings.ContainsAny(p.Msg, "\n\r\x00") || len(p.Msg) > 1000 {
				t.Errorf("not one short line: %q", p.Msg)
			}
			if i > 0 && p.Line != 0 && p.Line < problems[i-1].Line {
				t.Errorf("not sorted: %v", problems)
			}
		}
		if file == nil {
			return
		}
		// What is shown of a file says the same as the file.
		e := &Effective{Config: file.Config, layers: []layer{{"f.yaml", file.set}}}
		e.Config.settle(false)
		shown := e.YAML(true)
		again, problems := Parse("shown", shown, yamldoc.Read)
		if err := problems.Err(); err != nil {
			t.Fatalf("%v\n%s", err, shown)
		}
		back := again.Config
		back.settle(false)
		if diff := cmp.Diff(onlyOn(e.Config), onlyOn(back)); diff != "" {
			t.Errorf("(-file +shown):\n%s\n%s", diff, shown)
		}
		if out := e.JSON(true); !json.Valid(out) {
			t.Errorf("not JSON: %s", out)
		}
	})
}

// onlyOn drops what a section that is off would say, and the difference between
// no list and an empty one.
func onlyOn(c Config) Config {
	d := Defaults()
	if !c.Validators.On {
		c.Validators = d.Validators
	}
	if !c.Handoffs.On {
		c.Handoffs = d.Handoffs
	}
	if !c.Evidence.On {
		c.Evidence = d.Evidence
	}
	if !c.Quality.On {
		c.Quality = d.Quality
	}
	if !c.Dependencies.On {
		c.Dependencies = d.Dependencies
	}
	for _, list := range []*[]string{
		&c.Policy.Packs, &c.Policy.Protect, &c.Standards, &c.Handoffs.Packs, &c.Quality.OnEdit, &c.Quality.OnStop, &c.Quality.Subagents,
		&c.Dependencies.Licences, &c.Dependencies.Exempt, &c.Validators.Input, &c.Validators.Output,
	} {
		if len(*list) == 0 {
			*list = nil
		}
	}
	if len(c.Rewrite) == 0 {
		c.Rewrite = nil
	}
	if len(c.Policy.Allow) == 0 {
		c.Policy.Allow = nil
	}
	if len(c.Validators.Allow) == 0 {
		c.Validators.Allow = nil
	}
	if len(c.Validators.Custom) == 0 {
		c.Validators.Custom = nil
	}
	if len(c.Quality.Packages) == 0 {
		c.Quality.Packages = nil
	}
	c.Quality.Packages = append([]Package(nil), c.Quality.Packages...)
	for i := range c.Quality.Packages {
		if len(c.Quality.Packages[i].Skip) == 0 {
			c.Quality.Packages[i].Skip = nil
		}
	}
	return c
}

func BenchmarkParse(b *testing.B) {
	data := []byte(everything)
	b.ReportAllocs()
	for b.Loop() {
		if _, problems := Parse("f.yaml", data, yamldoc.Read); len(problems) > 0 {
			b.Fatal(problems)
		}
	}
}

// What a hostile file can cost.
func BenchmarkParseHostile(b *testing.B) {
	for name, in := range map[string]string{
		"unknown keys": strings.Repeat("k: 1\n", MaxSize/5),
		"long list":    "standards: [" + strings.Repeat("a,", (MaxSize-20)/2) + "]",
		"nesting":      "mode: " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000),
		"packages":     "quality: {packages: {" + strings.Repeat("ab: ,", (MaxSize-30)/5) + "}}",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Parse("f.yaml", []byte(in), yamldoc.Read)
			}
		})
	}
}
