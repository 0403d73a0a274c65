package depsdev

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/gate"
)

func TestEachPathParameterIsOneSegment(t *testing.T) {
	for _, tc := range []struct {
		eco     coord.Ecosystem
		name, v string
		want    string
	}{
		{coord.NPM, "@zz/widgets", "", "/v3/systems/npm/packages/%40zz%2Fwidgets"},
		{coord.Go, "example.com/zz/mod", "v1.2.0+incompatible", "/v3/systems/go/packages/example.com%2Fzz%2Fmod/versions/v1.2.0%2Bincompatible"},
		{coord.Maven, "org.zz:core", "1.0", "/v3/systems/maven/packages/org.zz%3Acore/versions/1.0"},
		{coord.PyPI, "zz-top", "", "/v3/systems/pypi/packages/zz-top"},
		{coord.NPM, "a:b c?#", "", "/v3/systems/npm/packages/a%3Ab%20c%3F%23"},
	} {
		r := PackageRequest("https://api.example/", tc.eco, tc.name)
		if tc.v != "" {
			r = VersionRequest("https://api.example", tc.eco, tc.name, tc.v)
		}
		if want := "https://api.example" + tc.want; r.URL != want || r.Method != "" || r.Body != nil {
			t.Errorf("%s: %s, want %s", tc.name, r.URL, want)
		}
	}
}

func TestAPackageIsItsVersions(t *testing.T) {
	p, err := DecodePackage(gate.Response{Status: 200, Header: map[string]string{"Content-Type": "application/json; charset=UTF-8"}, Body: []byte(`{
		"packageKey": {"system": "NPM", "name": "zz"}, "later": 1,
		"versions": [
			{"versionKey": {"version": "1.0.0"}, "publishedAt": "2021-03-04T10:11:12Z"},
			{"versionKey": {"version": "1.1.0"}, "publishedAt": null, "isDeprecated": true, "deprecatedReason": "use yy"},
			{"versionKey": {"version": "1.2.0"}, "isDefault": true}
		]}`)})
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "zz" || len(p.Versions) != 3 || !p.Versions[0].Published.Equal(time.Date(2021, 3, 4, 10, 11, 12, 0, time.UTC)) ||
		!p.Versions[1].Published.IsZero() || p.Versions[1].DeprecatedReason != "use yy" || !p.Versions[2].Default {
		t.Errorf("%+v", p)
	}
}

func TestATakenBackVersionIsNotADeprecatedOne(t *testing.T) {
	for _, tc := range []struct {
		wire       string
		yanked     bool
		why        string
		deprecated string
	}{
		{`"isDeprecated": true, "deprecatedReason": "yanked"`, true, "", ""},
		{`"isDeprecated": true, "deprecatedReason": "Yanked: it deletes files"`, true, "it deletes files", ""},
		{`"isDeprecated": true, "deprecatedReason": "retracted"`, true, "", ""},
		{`"isDeprecated": true, "deprecatedReason": "1.0 was yanked, use 2.0"`, false, "", "1.0 was yanked, use 2.0"},
		{`"isDeprecated": false, "deprecatedReason": "yanked"`, false, "", "yanked"},
		{`"isDeprecated": true`, false, "", ""},
	} {
		p, err := DecodePackage(gate.Response{Status: 200, Body: []byte(`{"packageKey":{"name":"zz"},"versions":[{"versionKey":{"version":"1"},` + tc.wire + `}]}`)})
		if err != nil {
			t.Fatal(err)
		}
		if v := p.Versions[0]; v.Yanked != tc.yanked || v.YankReason != tc.why || v.DeprecatedReason != tc.deprecated {
			t.Errorf("%s: %+v", tc.wire, v)
		}
	}
}

func TestAVersionHasLicencesAndStatus(t *testing.T) {
	v, err := DecodeVersion(gate.Response{Status: 200, Body: []byte(`{"versionKey":{"version":"1"},"licenses":["MIT OR Apache-2.0"],"projectStatus":{"status":"quarantined","reason":"looked at"}}`)})
	if err != nil || v.Licences[0] != "MIT OR Apache-2.0" || v.Status != "quarantined" || v.StatusReason != "looked at" {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestOnlyAStatusSaysThatAPackageIsUnknown(t *testing.T) {
	for name, tc := range map[string]struct {
		r    gate.Response
		want error
	}{
		"404":                   {gate.Response{Status: 404, Body: []byte("package not found")}, ErrNotFound},
		"404 as JSON":           {gate.Response{Status: 404, Header: map[string]string{"Content-Type": "application/json"}, Body: []byte(`{"code":5}`)}, ErrNotFound},
		"429":                   {gate.Response{Status: 429}, ErrStatus},
		"500":                   {gate.Response{Status: 500, Body: []byte("not found")}, ErrStatus},
		"410":                   {gate.Response{Status: 410}, ErrStatus},
		"cut":                   {gate.Response{Status: 200, Body: []byte(`{"packageKey":{"name":"zz"},"versions":[{"versionKey":`)}, ErrShape},
		"another shape":         {gate.Response{Status: 200, Body: []byte(`{"packageKey":"zz","versions":{"1.0.0":true}}`)}, ErrShape},
		"empty object":          {gate.Response{Status: 200, Body: []byte(`{}`)}, ErrShape},
		"an error in the body":  {gate.Response{Status: 200, Body: []byte(`{"code":5,"message":"package not found"}`)}, ErrShape},
		"a portal":              {gate.Response{Status: 200, Header: map[string]string{"Content-Type": "text/html"}, Body: []byte(`<html>`)}, ErrShape},
		"a version of no name":  {gate.Response{Status: 200, Body: []byte(`{"packageKey":{"name":"zz"},"versions":[{}]}`)}, ErrShape},
		"a date that is no one": {gate.Response{Status: 200, Body: []byte(`{"packageKey":{"name":"zz"},"versions":[{"versionKey":{"version":"1"},"publishedAt":"soon"}]}`)}, ErrShape},
	} {
		if p, err := DecodePackage(tc.r); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v (%+v)", name, err, tc.want, p)
		}
	}
}

func FuzzAnswers(f *testing.F) {
	for _, s := range []string{`{"packageKey":{"name":"zz"},"versions":[{"versionKey":{"version":"1"},"publishedAt":"2021-03-04T10:11:12Z"}]}`, `{}`, `{"versions":null}`, `[`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := gate.Response{Status: 200, Body: []byte(text)}
		if p, err := DecodePackage(r); err == nil && p.Name == "" {
			t.Error("a package without a name")
		}
		if v, err := DecodeVersion(r); err == nil && v.Number == "" {
			t.Error("a version without a number")
		}
	})
}

func TestAPackageIsKeptAsItWas(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	p := Package{Name: "zz", Versions: []Version{
		{Number: "1.0.0", Published: at},
		{Number: "1.1.0", Deprecated: true, DeprecatedReason: "use yy\n\"now\""},
		{Number: "1.2.0", Published: at.AddDate(1, 0, 0), Default: true, Deprecated: true, DeprecatedReason: "use yy\n\"now\""},
		{Number: "1.3.0", Yanked: true},
		{Number: "1.4.0", Yanked: true, YankReason: "broken"},
	}}
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var got Package
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, got); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{`{"List":"1 ! \n"}`, `{"List":" x \n"}`, `{"List":"1  x 3\n"}`, `{"List":"1  x -1\n","Reasons":["a"]}`, `[]`} {
		if json.Unmarshal([]byte(bad), &got) == nil {
			t.Errorf("%s was read as %+v", bad, got)
		}
	}
}

func FuzzKept(f *testing.F) {
	f.Add([]byte(`{"Name":"a","List":"1 zz dxy 0\n2  \n","Reasons":["x"]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p, again Package
		if json.Unmarshal(b, &p) != nil {
			return
		}
		out, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &again); err != nil {
			t.Errorf("%s: %v", out, err)
		}
	})
}
