package registry

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/gate"
)

func TestEachRegistryIsAskedAtItsOwnPath(t *testing.T) {
	for _, tc := range []struct {
		eco  coord.Ecosystem
		base string
		name string
		want []string
	}{
		{coord.NPM, "https://r.example/", "zz", []string{"/zz"}},
		{coord.NPM, "https://r.example", "@zz/top", []string{"/@zz%2Ftop"}},
		{coord.PyPI, "https://r.example/simple", "ZZ_Top", []string{"/simple/zz-top/", "/pypi/zz-top/json"}},
		{coord.Crates, "sparse+https://r.example/", "Zz-Top", []string{"/zz/-t/zz-top", "/zz/_t/zz_top", "/api/v1/crates/Zz-Top"}},
		{coord.Crates, "https://r.example", "abc", []string{"/3/a/abc", "/api/v1/crates/abc"}},
		{coord.Crates, "https://r.example", "ab", []string{"/2/ab", "/api/v1/crates/ab"}},
		{coord.Go, "https://r.example", "github.com/BurntSushi/toml", []string{"/github.com/!burnt!sushi/toml/@v/list", "/github.com/!burnt!sushi/toml/@latest"}},
		{coord.RubyGems, "https://r.example", "zz", []string{"/api/v1/versions/zz.json", "/info/zz"}},
		{coord.Packagist, "https://r.example", "Zz/Top", []string{"/p2/zz/top.json", "/p2/zz/top~dev.json"}},
		{coord.Packagist, "https://r.example", "php", nil},
		{coord.NuGet, "https://r.example/flat", "Zz.Top", []string{"/flat/zz.top/index.json"}},
		{coord.Maven, "https://r.example/maven2", "org.zz:top", []string{"/maven2/org/zz/top/maven-metadata.xml"}},
		{coord.Conda, "https://r.example", "zz", nil},
	} {
		var got []string
		for _, r := range Requests(tc.base, tc.eco, tc.name) {
			got = append(got, strings.TrimPrefix(r.URL, "https://r.example"))
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s %s: %s", tc.eco, tc.name, diff)
		}
	}
}

func numbers(i Info) []string {
	var out []string
	for _, v := range i.Versions {
		out = append(out, v.Number)
	}
	slices.Sort(out)
	return out
}

func TestAnAnswerIsThePackagesVersions(t *testing.T) {
	day := func(s string) time.Time { return date(s + "T00:00:00Z") }
	for _, tc := range []struct {
		name    string
		eco     coord.Ecosystem
		pkg     string
		body    string
		want    []string
		created time.Time
		gone    bool
		check   func(Info) bool
	}{
		{
			"npm, abbreviated", coord.NPM, "zz", `{"name":"zz","versions":{"1.0.0":{},"1.1.0":{"deprecated":"use yy"}}}`,
			[]string{"1.0.0", "1.1.0"},
			time.Time{},
			false,
			func(i Info) bool { return i.Versions[0].Deprecated+i.Versions[1].Deprecated == "use yy" },
		},
		{"npm, full", coord.NPM, "zz", `{"name":"zz","versions":{"1.0.0":{}},"time":{"created":"2030-01-02T00:00:00Z","1.0.0":"2030-01-03T00:00:00Z"}}`, []string{"1.0.0"}, day("2030-01-02"), false, nil},
		{"npm, placeholder", coord.NPM, "zz", `{"name":"zz","versions":{"0.0.1-security":{}}}`, []string{"0.0.1-security"}, time.Time{}, true, nil},
		{
			"PyPI, simple", coord.PyPI, "zz", `{"name":"zz","versions":["0.3.0","0.3.1"],"files":[{"filename":"zz-0.3.1-py3-none-any.whl","upload-time":"2030-02-02T00:00:00.000000Z","yanked":false},{"filename":"zz-0.3.0.tar.gz","yanked":"broken"}]}`,
			[]string{"0.3.0", "0.3.1"},
			day("2030-02-02"), false, func(i Info) bool {
				return i.Versions[0].Yanked && i.Versions[0].YankReason == "broken" && !i.Versions[1].Yanked
			},
		},
		{"PyPI, quarantined", coord.PyPI, "zz", `{"name":"zz","project-status":{"status":"quarantined","reason":"looked at"},"versions":[],"files":[]}`, nil, time.Time{}, true, nil},
		{"PyPI, project page", coord.PyPI, "zz", `{"info":{"name":"zz"},"releases":{"1.0":[{"upload_time_iso_8601":"2030-01-01T00:00:00Z","yanked":true,"yanked_reason":"bad"}],"0.9":[]}}`, []string{"0.9", "1.0"}, day("2030-01-01"), false, nil},
		{"PyPI, archived", coord.PyPI, "zz", `{"name":"zz","project-status":{"status":"archived"},"versions":["1"]}`, []string{"1"}, time.Time{}, false, func(i Info) bool { return i.Versions[0].Deprecated == "archived" }},
		{
			"crates, index", coord.Crates, "zz", "{\"name\":\"zz\",\"vers\":\"0.1.0\",\"yanked\":true}\n{\"name\":\"zz\",\"vers\":\"0.2.0\",\"yanked\":false,\"pubtime\":\"2030-01-01T00:00:00Z\"}\n",
			[]string{"0.1.0", "0.2.0"},
			day("2030-01-01"), false,
			func(i Info) bool { return i.Versions[0].Yanked && !i.Versions[1].Yanked },
		},
		{"crates, page", coord.Crates, "zz", `{"crate":{"created_at":"2029-01-01T00:00:00Z"},"versions":[{"num":"0.1.0","created_at":"2030-01-01T00:00:00Z"}]}`, []string{"0.1.0"}, day("2029-01-01"), false, nil},
		{"Go, list", coord.Go, "example.com/zz", "v1.2.0\nv1.3.0\n", []string{"v1.2.0", "v1.3.0"}, time.Time{}, false, nil},
		{"Go, untagged", coord.Go, "example.com/zz", "", nil, time.Time{}, false, nil},
		{"Go, latest", coord.Go, "example.com/zz", `{"Version":"v1.3.0","Time":"2030-01-01T00:00:00Z"}`, []string{"v1.3.0"}, day("2030-01-01"), false, nil},
		{"RubyGems", coord.RubyGems, "zz", `[{"number":"1.1.0","created_at":"2030-01-02T00:00:00.000Z"},{"number":"1.0.0","created_at":"2030-01-01T00:00:00.000Z"}]`, []string{"1.0.0", "1.1.0"}, day("2030-01-01"), false, nil},
		{"RubyGems, compact", coord.RubyGems, "zz", "---\n1.0.0 |checksum:1\n1.1.0 a:>= 1|checksum:2\n", []string{"1.0.0", "1.1.0"}, time.Time{}, false, nil},
		{
			"Packagist", coord.Packagist, "Zz/Top", `{"packages":{"zz/top":[{"version":"2.0.0","time":"2030-01-02T00:00:00+00:00","abandoned":"zz/other"},{"version":"1.0.0","time":"2030-01-01T00:00:00+00:00"},{"version":"0.9.0","abandoned":"__unset"}]}}`,
			[]string{"0.9.0", "1.0.0", "2.0.0"},
			day("2030-01-01"), false,
			func(i Info) bool {
				return i.Versions[1].Deprecated == "abandoned, use zz/other" && i.Versions[2].Deprecated == ""
			},
		},
		{"NuGet", coord.NuGet, "Zz", `{"versions":["1.0.0","1.1.0-beta"]}`, []string{"1.0.0", "1.1.0-beta"}, time.Time{}, false, nil},
		{"Maven", coord.Maven, "org.zz:top", `<?xml version="1.0"?><metadata><versioning><latest>2</latest><versions> <version>1</version><version>2</version></versions></versioning></metadata>`, []string{"1", "2"}, time.Time{}, false, nil},
	} {
		i, err := Decode(tc.eco, tc.pkg, gate.Response{Status: 200, Body: []byte(tc.body)})
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if diff := cmp.Diff(tc.want, numbers(i)); diff != "" || !i.Created.Equal(tc.created) || (i.TakenDown != "") != tc.gone {
			t.Errorf("%s: %s%+v", tc.name, diff, i)
		}
		if tc.check != nil && !tc.check(i) {
			t.Errorf("%s: %+v", tc.name, i)
		}
	}
}

func TestAnAnswerAboutAnotherPackageIsNone(t *testing.T) {
	for _, tc := range []struct {
		eco  coord.Ecosystem
		body string
	}{
		{coord.NPM, `{"name":"yy","versions":{"1.0.0":{}}}`},
		{coord.PyPI, `{"name":"yy","versions":["1"]}`},
		{coord.PyPI, `{"info":{"name":"yy"},"releases":{"1":[]}}`},
		{coord.Crates, `{"name":"yy","vers":"0.1.0"}`},
		{coord.Crates, `{"crate":{"id":"yy"},"versions":[{"num":"0.1.0"}]}`},
		{coord.Packagist, `{"packages":{"zz/yy":[{"version":"1.0.0"}]}}`},
	} {
		if i, err := Decode(tc.eco, "zz/zz", gate.Response{Status: 200, Body: []byte(tc.body)}); !errors.Is(err, ErrShape) {
			t.Errorf("%s: %+v, %v", tc.body, i, err)
		}
	}
	for _, tc := range []struct {
		eco        coord.Ecosystem
		name, body string
	}{
		{coord.PyPI, "ZZ_top", `{"name":"zz-top","versions":["1"]}`},
		{coord.Crates, "zz-top", `{"name":"zz_top","vers":"0.1.0"}`},
	} {
		if _, err := Decode(tc.eco, tc.name, gate.Response{Status: 200, Body: []byte(tc.body)}); err != nil {
			t.Errorf("another spelling: %s: %v", tc.body, err)
		}
	}
}

func TestOneVersionIsAskedForAlone(t *testing.T) {
	r, ok := VersionRequest("https://pip.example/simple/", coord.PyPI, "ZZ.Top", "1.0+a")
	if !ok || r.URL != "https://pip.example/pypi/zz-top/1.0+a/json" {
		t.Errorf("%v %s", ok, r.URL)
	}
	if _, ok := VersionRequest("https://r.example", coord.NPM, "zz", "1.0.0"); ok {
		t.Error("npm has no such question")
	}
	for body, want := range map[string]Version{
		`{"info":{"name":"ZZ_top","version":"1.0","yanked":true,"yanked_reason":"broken"}}`: {Number: "1.0", Yanked: true, YankReason: "broken"},
		`{"info":{"name":"zz-top","version":"1.0","yanked":false,"yanked_reason":null}}`:    {Number: "1.0"},
	} {
		if v, err := DecodeVersion(coord.PyPI, "zz-top", gate.Response{Status: 200, Body: []byte(body)}); err != nil || v != want {
			t.Errorf("%s: %+v, %v", body, v, err)
		}
	}
	for _, body := range []string{`{"info":{"name":"yy","version":"1.0","yanked":true}}`, `{}`, `<html>`} {
		if _, err := DecodeVersion(coord.PyPI, "zz-top", gate.Response{Status: 200, Body: []byte(body)}); !errors.Is(err, ErrShape) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestNuGetSaysHowAnIDIsSpelled(t *testing.T) {
	if r := SpellingRequest("https://net.example/flat/", "zz.top", "1.0.0-RC"); r.URL != "https://net.example/flat/zz.top/1.0.0-rc/zz.top.nuspec" {
		t.Error(r.URL)
	}
	spec := func(id string) gate.Response {
		return gate.Response{Status: 200, Body: []byte(`<?xml version="1.0"?><package><metadata><id>` + id + `</id><version>1.0</version></metadata></package>`)}
	}
	if id, err := DecodeSpelling("zz.top", spec("Zz.Top")); id != "Zz.Top" || err != nil {
		t.Errorf("%q, %v", id, err)
	}
	for _, r := range []gate.Response{spec("Yy.Top"), {Status: 200, Body: []byte("<id>Zz.Top")}, {Status: 200}} {
		if id, err := DecodeSpelling("zz.top", r); !errors.Is(err, ErrShape) {
			t.Errorf("%q, %v", id, err)
		}
	}
	if _, err := DecodeSpelling("zz", gate.Response{Status: 404}); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}

func TestOnlyAStatusOrNoVersionsSayThatAPackageIsNotThere(t *testing.T) {
	all := []coord.Ecosystem{coord.NPM, coord.PyPI, coord.Crates, coord.Go, coord.RubyGems, coord.Packagist, coord.NuGet, coord.Maven}
	for _, e := range all {
		for _, s := range []int{404, 410} {
			if _, err := Decode(e, "zz/zz", gate.Response{Status: s, Body: []byte(`{"error":"Not found"}`)}); !errors.Is(err, ErrNotFound) {
				t.Errorf("%s %d: %v", e, s, err)
			}
		}
		for _, s := range []int{401, 403, 429, 500, 503, 302} {
			if _, err := Decode(e, "zz/zz", gate.Response{Status: s, Body: []byte("not found")}); !errors.Is(err, ErrStatus) {
				t.Errorf("%s %d: %v", e, s, err)
			}
		}
		if i, err := Decode(e, "zz/zz", gate.Response{Status: 200, Header: map[string]string{"Content-Type": "text/html"}, Body: []byte("<html>not found</html>")}); !errors.Is(err, ErrShape) {
			t.Errorf("%s: a web page: %v %+v", e, err, i)
		}
		if i, err := Decode(e, "zz/zz", gate.Response{Status: 200, Body: []byte(`{"error":"not found"}`)}); !errors.Is(err, ErrShape) {
			t.Errorf("%s: an error in the body: %v %+v", e, err, i)
		}
	}
	if _, err := Decode(coord.NPM, "zz", gate.Response{Status: 200, Body: []byte(`{"name":"zz","versions":{},"time":{"unpublished":{}}}`)}); !errors.Is(err, ErrNotFound) {
		t.Errorf("all unpublished: %v", err)
	}
}

func TestNuGetsServiceIndexNamesTheAddressOfPackages(t *testing.T) {
	r := gate.Response{Status: 200, Body: []byte(`{"resources":[{"@id":"https://r.example/q","@type":"SearchQueryService"},{"@id":"https://r.example/flat/","@type":"PackageBaseAddress/3.0.0"}]}`)}
	if got, err := DecodeServiceIndex(r); got != "https://r.example/flat" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := DecodeServiceIndex(gate.Response{Status: 200, Body: []byte(`{"resources":[]}`)}); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
}

// tools answers as programs would.
type tools map[string]string

func (t tools) Run(_ context.Context, c gate.Command) (gate.Exit, error) {
	out, ok := t[strings.Join(c.Argv, " ")]
	switch {
	case out == "!":
		return gate.Exit{Code: 1}, nil
	case !ok:
		return gate.Exit{}, fs.ErrNotExist
	}
	return gate.Exit{Stdout: []byte(out)}, nil
}
func (t tools) LookPath(string) (string, error) { return "", fs.ErrNotExist }

func TestTheUsersToolIsAskedForItsRegistry(t *testing.T) {
	for _, tc := range []struct {
		name  string
		eco   coord.Ecosystem
		tools tools
		want  string
	}{
		{"npm", coord.NPM, tools{"npm config get registry": "https://npm.example/\n"}, "https://npm.example"},
		{"npm with a password", coord.NPM, tools{"npm config get registry": "https://u:p@npm.example/\n"}, ""},
		{"no npm", coord.NPM, tools{}, ""},
		{"pip", coord.PyPI, tools{"pip3 install --help": "  -i, --index-url <url>  Base URL (default\n      https://pip.example/simple). This"}, "https://pip.example/simple"},
		{"pip that is broken", coord.PyPI, tools{"pip install --help": "!", "python3 -m pip install --help": "--index-url <url> x (default https://pip.example/simple)"}, "https://pip.example/simple"},
		{"go", coord.Go, tools{"go env GOPROXY": "https://proxy.example,direct\n"}, "https://proxy.example"},
		{"go without a proxy", coord.Go, tools{"go env GOPROXY": "direct\n"}, ""},
		{"go switched off", coord.Go, tools{"go env GOPROXY": "off"}, ""},
		{"gem", coord.RubyGems, tools{"gem sources --list": "*** CURRENT SOURCES ***\n\nhttps://gems.example/\n"}, "https://gems.example"},
		{"composer", coord.Packagist, tools{"composer config --global --list --no-interaction": "[process-timeout] 300\n[repositories.x.type] composer\n[repositories.x.url] https://php.example\n"}, "https://php.example"},
		{"dotnet", coord.NuGet, tools{"dotnet nuget list source --format short": "E https://net.example/v3/index.json\n"}, "https://net.example/v3/index.json"},
		{"maven", coord.Maven, tools{}, ""},
	} {
		got, err := Address(t.Context(), gate.Env{Home: "/home/x", Proc: tc.tools}, tc.eco)
		if got != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("%s: %q, %v; want %q", tc.name, got, err, tc.want)
		}
	}
	if _, err := Address(t.Context(), gate.Env{}, coord.NPM); !errors.Is(err, gate.ErrHandOver) {
		t.Errorf("without programs: %v", err)
	}
}

func TestCargosIndexIsTheOneThatItUsedBefore(t *testing.T) {
	for _, tc := range []struct {
		name string
		dirs []string
		want string
	}{
		{"one", []string{"index.example-0123456789abcdef", "github.com-0123456789abcdef"}, "https://index.example"},
		{"two", []string{"index.example-0123456789abcdef", "index.other-0123456789abcdef"}, ""},
		{"none", nil, ""},
	} {
		home := t.TempDir()
		for _, d := range tc.dirs {
			if err := os.MkdirAll(filepath.Join(home, ".cargo", "registry", "index", d), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		got, err := Address(t.Context(), gate.Env{Home: home, FS: fsx.OS{}, Getenv: func(string) string { return "" }}, coord.Crates)
		if got != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("%s: %q, %v", tc.name, got, err)
		}
	}
}

func FuzzAnswers(f *testing.F) {
	for _, s := range []string{`{"name":"zz","versions":{"1":{}}}`, `{"name":"zz","versions":["1"],"files":[{"filename":"zz-1.tar.gz"}]}`, "{\"vers\":\"1\"}\n", "v1.0.0\n", `{"packages":{"zz/zz":[{"version":"1"}]}}`, "<metadata><versions><version>1</version></versions>", "---\n1.0 x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, e := range []coord.Ecosystem{coord.NPM, coord.PyPI, coord.Crates, coord.Go, coord.RubyGems, coord.Packagist, coord.NuGet, coord.Maven, coord.Conda} {
			if i, err := Decode(e, "zz/zz", gate.Response{Status: 200, Body: []byte(text)}); err == nil {
				for _, v := range i.Versions {
					if v.Number == "" && e != coord.NPM && e != coord.PyPI && e != coord.NuGet && e != coord.Crates {
						t.Errorf("%s: a version without a number", e)
					}
				}
			}
		}
		helpAddress(text)
		composerAddress(text)
		proxyAddress(text)
	})
}
