package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// isDeps reports whether a case file is about packages.
func isDeps(file string) bool {
	switch file {
	case "dependencies", "install_argv", "packages", "packages_popular":
		return true
	}
	return false
}

// A depsCase is a question to deps check --batch --offline.
type depsCase struct {
	id, group string
	request   map[string]any
	want      []string // packages and unchecked specs, sorted; of a name: nil
	near      string   // of a name: whether it must be flagged as near another
	loose     bool     // the reason why something is unchecked is not given
	shown     string
}

// A depsGroup is the cases of one file and kind, and how they went.
type depsGroup struct {
	file, name   string
	right, total int
	misses       []string
}

// readDeps reads the cases of one file.
func readDeps(name string, data []byte) ([]depsCase, error) {
	var cases []depsCase
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var r struct {
			ID, Kind, Ecosystem string
			Input, Expected     json.RawMessage
			Packages            []depsPackage
			Unchecked           []depsUnchecked
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		c := depsCase{id: r.ID, shown: oneLine(string(r.Input)), group: r.Kind}
		var text string
		isText := json.Unmarshal(r.Input, &text) == nil
		switch name {
		case "dependencies":
			if err := json.Unmarshal(r.Input, &c.request); err != nil {
				return nil, fmt.Errorf("%s:%d: input: %w", name, n, err)
			}
			c.want = wanted(r.Packages, r.Unchecked)
		case "install_argv":
			var list []struct{ Name, Version string }
			if err := json.Unmarshal(r.Expected, &list); err != nil || !isText {
				return nil, fmt.Errorf("%s:%d: not a command with packages", name, n)
			}
			var packages []depsPackage
			var unchecked []depsUnchecked
			for _, p := range list {
				if strings.Contains(p.Name, ":") || strings.HasPrefix(p.Name, ".") {
					unchecked = append(unchecked, depsUnchecked{Spec: p.Name})
				} else {
					packages = append(packages, depsPackage{"npm", p.Name, p.Version})
				}
			}
			c.want, c.loose = wanted(packages, unchecked), true
			c.request = map[string]any{"command": text}
			c.group = strings.Split(r.ID+".", ".")[1]
		default:
			_ = json.Unmarshal(r.Expected, &c.near)
			c.group = strings.TrimSpace(c.near + " " + r.Ecosystem + " " + r.Kind)
			switch r.Ecosystem {
			case "npm":
				c.request = map[string]any{"command": "npm install -- '" + text + "'"}
			case "pypi":
				c.request = map[string]any{"command": "pip install -- '" + text + "'"}
			case "go":
				c.request = map[string]any{"command": "go get '" + text + "'"}
			case "rubygems":
				c.request = map[string]any{"command": "gem install '" + text + "'"}
			case "crates":
				c.request = map[string]any{"command": "cargo add '" + text + "'"}
			default:
				continue // no command installs it
			}
		}
		c.request["id"] = c.id
		cases = append(cases, c)
	}
	return cases, lines.Err()
}

type depsPackage struct{ Ecosystem, Name, Version string }

type depsUnchecked struct{ Spec, Why string }

// wanted is packages and what is unchecked as sorted lines. A tag is no version.
func wanted(packages []depsPackage, unchecked []depsUnchecked) []string {
	list := []string{}
	for _, p := range packages {
		if strings.Trim(p.Version, "abcdefghijklmnopqrstuvwxyz-") == "" {
			p.Version = ""
		}
		list = append(list, strings.TrimSpace(p.Ecosystem+" "+p.Name+" "+p.Version))
	}
	for _, u := range unchecked {
		list = append(list, strings.TrimSpace("unchecked "+u.Spec+" "+u.Why))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// A depsAnswer is one line of deps check --batch.
type depsAnswer struct {
	ID, Error string
	Packages  []depsPackage
	Unchecked []depsUnchecked
	Findings  []struct{ Kind string }
}

// deps judges one file about packages.
func deps(ctx context.Context, r runner, file, name string) ([]depsGroup, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	cases, err := readDeps(name, data)
	if err != nil {
		return nil, err
	}
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	enc.SetEscapeHTML(false)
	for _, c := range cases {
		if err := enc.Encode(c.request); err != nil {
			return nil, err
		}
	}
	out, err := r.run(ctx, &in, "deps", "check", "--batch", "--offline")
	if err != nil {
		return nil, err
	}
	var answers []depsAnswer
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var a depsAnswer
		if err := dec.Decode(&a); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		answers = append(answers, a)
	}
	return scoreDeps(name, cases, answers)
}

// scoreDeps counts the answers, which are in the order of the cases.
func scoreDeps(name string, cases []depsCase, answers []depsAnswer) ([]depsGroup, error) {
	if len(answers) != len(cases) {
		return nil, fmt.Errorf("%s: %d answers to %d cases", name, len(answers), len(cases))
	}
	var groups []depsGroup
	for i, c := range cases {
		a := answers[i]
		if a.ID != c.id {
			return nil, fmt.Errorf("%s: answer %d is for %q, want %q: the order is not kept", name, i+1, a.ID, c.id)
		}
		k := slices.IndexFunc(groups, func(g depsGroup) bool { return g.name == c.group })
		if k < 0 {
			k = len(groups)
			groups = append(groups, depsGroup{file: name, name: c.group})
		}
		g := &groups[k]
		g.total++
		var right bool
		var want, got string
		if c.want == nil {
			flagged := slices.ContainsFunc(a.Findings, func(f struct{ Kind string }) bool { return f.Kind == "near-name" })
			right = flagged == (c.near != "not")
			want, got = c.near, fmt.Sprint("near another name: ", flagged)
		} else {
			if c.loose {
				for i := range a.Unchecked {
					a.Unchecked[i].Why = ""
				}
			}
			lines := wanted(a.Packages, a.Unchecked)
			right = slices.Equal(c.want, lines)
			want, got = strings.Join(c.want, ", "), strings.Join(lines, ", ")
		}
		if a.Error != "" {
			right, got = false, "error: "+a.Error
		}
		if right {
			g.right++
		} else {
			g.misses = append(g.misses, fmt.Sprintf("%s: want [%s], got [%s]: %s", c.id, want, got, c.shown))
		}
	}
	slices.SortFunc(groups, func(a, b depsGroup) int { return strings.Compare(a.name, b.name) })
	return groups, nil
}

// reportDeps prints how many answers of each group were right.
func reportDeps(out io.Writer, groups []depsGroup, verbose bool) {
	if len(groups) == 0 {
		return
	}
	fmt.Fprintln(out, "\npackages, through deps check --batch --offline:")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "file\tkind\tas given\t")
	for _, g := range groups {
		fmt.Fprintf(w, "%s\t%s\t%s\n", g.file, g.name, rate(g.right, g.total))
	}
	_ = w.Flush()
	if !verbose {
		return
	}
	for _, g := range groups {
		for _, m := range g.misses {
			fmt.Fprintln(out, m)
		}
	}
}
