package judge

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/depstest"
	"github.com/ec261362/guardrails/core/hook"
)

// stock adds packages of which something is to be said to what a market has.
func stock(m *market) {
	version := func(number string, days int, isDefault bool) depstest.Version {
		return depstest.Version{Number: number, Published: depsAgo(days), Default: isDefault}
	}
	with := func(v depstest.Version, f func(*depstest.Version)) depstest.Version { f(&v); return v }
	p := m.services.Packages
	p["npm:zz-listed"] = &depstest.Package{Versions: []depstest.Version{version("1.0.0", 900, false), version("1.0.1", 800, true)}, Advisories: []string{"MAL-2030-2"}}
	p["npm:zz-stale"] = &depstest.Package{Versions: []depstest.Version{version("1.0.0", 900, true)}, Advisories: []string{"MAL-2030-3"}}
	p["npm:chalk"] = &depstest.Package{Versions: []depstest.Version{version("5.0.0", 900, true)}, Advisories: []string{"MAL-2030-4"}}
	p["npm:zz-placeholder"] = &depstest.Package{Versions: []depstest.Version{version("0.0.1-security", 900, true)}}
	p["npm:zz-emptied"] = &depstest.Package{Unlisted: true}
	p["npm:zz-copyleft"] = &depstest.Package{Versions: []depstest.Version{with(version("1.0.0", 900, true), func(v *depstest.Version) { v.Licences = []string{"GPL-3.0-only"} })}}
	p["npm:zz-steady"] = &depstest.Package{Versions: []depstest.Version{version("1.0.0", 900, false), {Number: "1.1.0", Published: depsNow.Add(-5 * 3600e9), Default: true}}}
	p["npm:zz-high"] = &depstest.Package{Versions: []depstest.Version{version("1.0.0", 900, false), version("1.1.0", 800, true)}, Advisories: []string{"GHSA-high"}}
	p["npm:zz-open"] = &depstest.Package{Versions: []depstest.Version{version("1.0.0", 900, true)}, Advisories: []string{"GHSA-open"}}
	p["npm:zz-unrated"] = &depstest.Package{Versions: []depstest.Version{version("1.0.0", 900, true)}, Advisories: []string{"GHSA-v4"}}
	p["npm:zz-slight"] = &depstest.Package{Versions: []depstest.Version{version("1.0.0", 900, true)}, Advisories: []string{"GHSA-low"}}
	p["PyPI:zz-held"] = &depstest.Package{Versions: []depstest.Version{with(version("1.0", 900, true), func(v *depstest.Version) { v.Status = "quarantined" })}}
	p["PyPI:zz-archived"] = &depstest.Package{Versions: []depstest.Version{with(version("1.0", 900, true), func(v *depstest.Version) { v.Status = "archived" })}}
	p["PyPI:zz-broken"] = &depstest.Package{Versions: []depstest.Version{with(version("1.0", 900, false), func(v *depstest.Version) { v.Yanked = "it deletes files" }), version("1.1", 800, true)}}
	p["PyPI:sklearn"] = &depstest.Package{Versions: []depstest.Version{with(version("0.0", 900, true), func(v *depstest.Version) { v.Deprecated = "use scikit-learn instead" })}}
	p["PyPI:scikit-learn"] = &depstest.Package{Versions: []depstest.Version{version("1.5.0", 900, true)}}
	p[string(coord.Crates)+":zz-torn"] = &depstest.Package{Versions: []depstest.Version{with(version("1.0.0", 900, false), func(v *depstest.Version) { v.Deprecated = "yanked" }), version("1.1.0", 800, true)}}
	p[string(coord.Crates)+":zz-tired"] = &depstest.Package{Versions: []depstest.Version{version("0.1.0", 900, true)}, Advisories: []string{"RUSTSEC-2030-1"}}
	p["Go:example.com/zz/lib"] = &depstest.Package{Versions: []depstest.Version{version("v1.0.0", 900, true)}, Advisories: []string{"GO-2030-1"}}
	p["NuGet:zz.json"] = &depstest.Package{ID: "Zz.Json", Versions: []depstest.Version{version("9.0.1", 2900, false), version("13.0.1", 900, true)}, Advisories: []string{"GHSA-net"}}
	p["Packagist:zz/old"] = &depstest.Package{Versions: []depstest.Version{with(version("1.0.0", 900, true), func(v *depstest.Version) { v.Deprecated = "x" })}}
	p["RubyGems:zz-gem"] = &depstest.Package{Versions: []depstest.Version{version("1.0", 900, true)}}
	p["Maven:org.zz:lib"] = &depstest.Package{Versions: []depstest.Version{{Number: "1.0", Default: true}}}
	r := m.services.Records
	r["MAL-2030-2"] = depstest.Listing("MAL-2030-2", coord.NPM, "zz-listed", false, "1.0.0")
	r["MAL-2030-3"] = depstest.Listing("MAL-2030-3", coord.NPM, "zz-stale", true, "2.2.2")
	r["MAL-2030-4"] = depstest.Advisory("MAL-2030-4", coord.NPM, "chalk", "", "0", "")
	r["GHSA-high"] = depstest.Advisory("GHSA-high", coord.NPM, "zz-high", "HIGH", "0", "1.1.0")
	r["GHSA-open"] = depstest.Advisory("GHSA-open", coord.NPM, "zz-open", "CRITICAL", "0", "")
	r["GHSA-low"] = depstest.Advisory("GHSA-low", coord.NPM, "zz-slight", "LOW", "0", "")
	r["GHSA-net"] = depstest.Advisory("GHSA-net", coord.NuGet, "Zz.Json", "HIGH", "0", "13.0.1")
	r["GHSA-v4"] = `{"id":"GHSA-v4","severity":[{"type":"CVSS_V4","score":"CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:L/VI:N/VA:N/SC:N/SI:N/SA:N"}],"affected":[{"package":{"name":"zz-unrated","ecosystem":"npm"},"ranges":[{"type":"SEMVER","events":[{"introduced":"0"}]}]}]}`
	r["RUSTSEC-2030-1"] = `{"id":"RUSTSEC-2030-1","affected":[{"package":{"name":"zz-tired","ecosystem":"` + string(coord.Crates) + `"},"ranges":[{"type":"SEMVER","events":[{"introduced":"0.0.0-0"}]}],"database_specific":{"informational":"unmaintained"}}]}`
	r["GO-2030-1"] = `{"id":"GO-2030-1","affected":[{"package":{"name":"example.com/zz/lib","ecosystem":"Go"},"ranges":[{"type":"SEMVER","events":[{"introduced":"0"}]}],"ecosystem_specific":{"imports":[{"path":"example.com/zz/lib","symbols":["Parse"]}]}}]}`
}

// TestEveryRowOfTheVerdictTable takes what can be found out of a package to the
// bytes that a host is told.
func TestEveryRowOfTheVerdictTable(t *testing.T) {
	content := func(s string) *string { return &s }
	for _, tc := range []struct {
		name   string
		config string
		sample hook.Sample
		want   hook.Decision
		rule   string
		says   string
	}{
		{"malware, this version", "", hook.Sample{Command: "npm i zz-listed@1.0.0"}, hook.Deny, "deps/malicious", "MAL-2030-2"},
		{"malware, another version", "", hook.Sample{Command: "npm i zz-listed@1.0.1"}, hook.Pass, "", ""},
		{"malware, all versions", "", hook.Sample{Command: "npm i zz-evil"}, hook.Deny, "deps/malicious", "as soon as it is installed"},
		{"malware, a stale range", "", hook.Sample{Command: "npm i zz-stale@1.0.0"}, hook.Ask, "deps/malicious", "lists other versions"},
		{"malware, all of a popular one", "", hook.Sample{Command: "npm i chalk"}, hook.Ask, "deps/malicious", "than is likely"},
		{"a placeholder", "", hook.Sample{Command: "npm i zz-placeholder"}, hook.Deny, "deps/taken-down", "taken down"},
		{"quarantined", "", hook.Sample{Command: "pip install zz-held"}, hook.Deny, "deps/taken-down", "quarantined"},
		{"all taken back", "", hook.Sample{Command: "npm i zz-emptied"}, hook.Deny, "deps/no-such-package", "neither deps.dev nor the registry"},
		{"nowhere", "", hook.Sample{Command: "pnpm dlx create-zz-made-up my-app"}, hook.Deny, "deps/no-such-package", "create-zz-made-up"},
		{"too new for the index", "", hook.Sample{Command: "npm i zz-fresh"}, hook.Ask, "deps/unconfirmed", "too new to be indexed"},
		{"Maven, nowhere", "", hook.Sample{Command: "mvn dependency:get -Dartifact=org.zz:nope:1"}, hook.Ask, "deps/unconfirmed", "repositories of their own"},
		{"another index", "", hook.Sample{Command: "pip install --extra-index-url https://own.example/simple zz-made-up"}, hook.Ask, "deps/unconfirmed", "additional index"},
		{"no such version", "", hook.Sample{Command: "npm i zz-high@1.0.7"}, hook.Ask, "deps/no-such-version", "zz-high@1.1.0"},
		{"critical with a fix", "", hook.Sample{Command: "npm i zz-vulnerable@0.9.0"}, hook.Deny, "deps/vulnerable", "use 1.0.0"},
		{"critical without one", "", hook.Sample{Command: "npm i zz-open"}, hook.Ask, "deps/vulnerable", "no fixed version is known"},
		{"high", "", hook.Sample{Command: "npm i zz-high@1.0.0"}, hook.Ask, "deps/vulnerable", "zz-high@1.1.0"},
		{"rated by CVSS 4 only", "", hook.Sample{Command: "npm i zz-unrated"}, hook.Ask, "deps/vulnerable", "unknown GHSA-v4"},
		{"low", "", hook.Sample{Command: "npm i zz-slight"}, hook.Advise, "", "GHSA-low"},
		{"unmaintained", "", hook.Sample{Command: "cargo add zz-tired"}, hook.Advise, "", "unmaintained"},
		{"functions of Go", "", hook.Sample{Command: "go get example.com/zz/lib"}, hook.Advise, "", "GO-2030-1"},
		{"another letter case", "", hook.Sample{Command: "dotnet add package zz.json --version 9.0.1"}, hook.Ask, "deps/vulnerable", "GHSA-net"},
		{"new", "", hook.Sample{Command: "npx zz-young"}, hook.Ask, "deps/new", "30 days"},
		{"new, where any age will do", ", minAgeDays: 0", hook.Sample{Command: "npx zz-young"}, hook.Pass, "", ""},
		{"near", "", hook.Sample{Command: "npm i left-padd"}, hook.Ask, "deps/near-name", "`left-pad`"},
		{"a version of today", "", hook.Sample{Command: "npm i zz-steady"}, hook.Advise, "", "`zz-steady@1.0.0`"},
		{"a version of today, asked about", ", cooldownHours: 48", hook.Sample{Command: "npm i zz-steady"}, hook.Ask, "deps/cooldown", "`zz-steady@1.0.0`"},
		{"a licence", ", licences: [MIT]", hook.Sample{Command: "npm i zz-copyleft"}, hook.Ask, "deps/licence", "GPL-3.0-only"},
		{"a licence that is listed", ", licences: [MIT]", hook.Sample{Command: "npm i zz-healthy"}, hook.Pass, "", ""},
		{"deprecated", "", hook.Sample{Command: "npm i zz-old"}, hook.Advise, "", "given up"},
		{"abandoned", "", hook.Sample{Command: "composer require zz/old"}, hook.Advise, "", "abandoned"},
		{"archived", "", hook.Sample{Command: "pip install zz-archived"}, hook.Advise, "", "archived"},
		{"a decoy", "", hook.Sample{Command: "uv pip install sklearn"}, hook.Ask, "deps/deprecated", "`scikit-learn`"},
		{"yanked", "", hook.Sample{Command: "pip install zz-broken==1.0"}, hook.Advise, "", "it deletes files"},
		{"yanked, of cargo", "", hook.Sample{Command: "cargo add zz-torn@=1.0.0"}, hook.Advise, "", "zz-torn@1.1.0"},
		{"a gem", "", hook.Sample{Command: "gem install zz-gem"}, hook.Pass, "", ""},
		{"an artifact without dates", "", hook.Sample{Command: "mvn dependency:get -Dartifact=org.zz:lib:1.0"}, hook.Pass, "", ""},
		{"exempt", ", exempt: [zz-evil]", hook.Sample{Command: "npm i zz-evil"}, hook.Pass, "", ""},
		{"a manifest, no such version", "", hook.Sample{Path: "package.json", Content: content(`{"dependencies":{"zz-high":"1.0.7"}}`)}, hook.Ask, "deps/no-such-version", "zz-high@1.1.0"},
		{"a manifest, taken down", "", hook.Sample{Path: "requirements.txt", Content: content("zz-held\n")}, hook.Deny, "deps/taken-down", "quarantined"},
		{"a manifest, a licence", ", licences: [MIT]", hook.Sample{Path: "package.json", Content: content(`{"dependencies":{"zz-copyleft":"1.0.0"}}`)}, hook.Ask, "deps/licence", "GPL-3.0-only"},
		{"a manifest, a version of today", ", cooldownHours: 48", hook.Sample{Path: "package.json", Content: content(`{"dependencies":{"zz-steady":"^1.1.0"}}`)}, hook.Ask, "deps/cooldown", "zz-steady@1.0.0"},
		{"a manifest that is broken", "", hook.Sample{Path: "package.json", Content: content("{oops\n\"dependencies\":{\"zz-evil\":\"1.0.0\"}}")}, hook.Advise, "", "MAL-2030-1"},
	} {
		for _, host := range []string{"claude", "gemini"} {
			m := newMarket(t, tc.config)
			stock(m)
			s := tc.sample
			if s.Path != "" {
				s.Path = filepath.Join(m.project, s.Path)
			}
			j := m.judge(t, host, s)
			v := j.Result.Verdict
			if v.Decision != tc.want || tc.rule != "" && v.Rule != tc.rule || len(j.Lapses()) > 0 {
				t.Errorf("%s, %s: %s %s (%v)\n%s%s", tc.name, host, v.Decision, v.Rule, j.Lapses(), v.Reason, v.Context)
				continue
			}
			text := said(t, j)
			switch tc.want {
			case hook.Deny, hook.Ask:
				verb := `"deny"`
				if tc.want == hook.Ask && host == "claude" {
					verb = `"ask"`
				}
				for _, part := range []string{verb, "guardrails " + tc.rule, tc.says, " Why: ", "Nothing was installed or written", "allow once", "dependencies.exempt"} {
					if !strings.Contains(text, part) {
						t.Errorf("%s, %s: it does not say %q: %s", tc.name, host, part, text)
					}
				}
			case hook.Advise:
				if host == "claude" && !strings.Contains(text, tc.says) { // the other's waits for an event that can carry it
					t.Errorf("%s: it does not say %q: %s", tc.name, tc.says, text)
				}
			default:
				if strings.Contains(text, "not checked") {
					t.Errorf("%s, %s: %s", tc.name, host, text)
				}
			}
		}
	}
}
