package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPackageCasesAreReadAndScored(t *testing.T) {
	files := map[string]string{
		"dependencies": `{"id":"c1","kind":"command","input":{"command":"npm i a@1 ./b"},"packages":[{"ecosystem":"npm","name":"a","version":"1"}],"unchecked":[{"spec":"./b","why":"path"}]}
{"id":"m1","kind":"manifest","input":{"path":"p","before":"","after":"x"},"packages":[]}`,
		"install_argv": `{"id":"s.npm.1","input":"npm i a https://x","argv":["npm"],"expected":[{"name":"a","version":"latest"},{"name":"https://x","version":"latest"}]}`,
		"packages":     `{"id":"t1","input":"reqeusts","expected":"detect","ecosystem":"pypi","kind":"typosquat"}` + "\n" + `{"id":"t2","input":"x/y","expected":"detect","ecosystem":"github_actions"}`,
		"packages_popular": `{"id":"p1","input":"requests","expected":"not","ecosystem":"pypi"}
{"id":"p2","input":"rails","expected":"not","ecosystem":"rubygems"}`,
	}
	answers := map[string]string{
		"dependencies":     `{"id":"c1","packages":[{"ecosystem":"npm","name":"a","version":"1"}],"unchecked":[{"spec":"./b","why":"path"}]} {"id":"m1","packages":[{"ecosystem":"npm","name":"x"}]}`,
		"install_argv":     `{"id":"s.npm.1","packages":[{"ecosystem":"npm","name":"a"}],"unchecked":[{"spec":"https://x","why":"url"}]}`,
		"packages":         `{"id":"t1","findings":[{"kind":"near-name"}]}`,
		"packages_popular": `{"id":"p1","findings":[{"kind":"near-name"}]} {"id":"p2"}`,
	}
	want := map[string]string{
		"dependencies":     "command 1/1, manifest 0/1",
		"install_argv":     "npm 1/1",
		"packages":         "detect pypi typosquat 1/1",
		"packages_popular": "not pypi 0/1, not rubygems 1/1",
	}
	for name, text := range files {
		cases, err := readDeps(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var list []depsAnswer
		for dec := json.NewDecoder(strings.NewReader(answers[name])); dec.More(); {
			var a depsAnswer
			if err := dec.Decode(&a); err != nil {
				t.Fatal(err)
			}
			list = append(list, a)
		}
		groups, err := scoreDeps(name, cases, list)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, g := range groups {
			counts, _, _ := strings.Cut(rate(g.right, g.total), "\t")
			got = append(got, g.name+" "+counts)
		}
		if diff := cmp.Diff(want[name], strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
		if _, err := scoreDeps(name, cases, list[1:]); err == nil {
			t.Errorf("%s: a missing answer is no error", name)
		}
	}
}
