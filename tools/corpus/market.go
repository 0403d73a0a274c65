package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// A market plays the services that packages are looked up at, on loopback.
type market struct {
	server *http.Server
	url    string

	mu      sync.Mutex
	handler http.HandlerFunc
}

func newMarket() (*market, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &market{url: "http://" + l.Addr().String()}
	m.server = &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		h := m.handler
		m.mu.Unlock()
		h(w, r)
	})}
	go func() { _ = m.server.Serve(l) }()
	return m, nil
}

func (m *market) serve(h http.HandlerFunc) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.handler = h
}

// config has the product ask here and nowhere else.
func (m *market) config() string {
	var b strings.Builder
	fmt.Fprintf(&b, "dependencies: {endpoints: {depsdev: %q, osv: %q", m.url, m.url)
	for _, key := range []string{"npm", "pypi", "go", "cargo", "rubygems", "packagist", "nuget", "maven"} {
		fmt.Fprintf(&b, ", %s: %q", key, m.url+"/registry")
	}
	return b.String() + "}}\n"
}

// home makes a person's machine with a project, and returns both.
func (m *market) home() (home, project string, err error) {
	if home, err = os.MkdirTemp("", "guardrails-corpus"); err != nil {
		return "", "", err
	}
	project = filepath.Join(home, "project")
	for _, dir := range []string{filepath.Join(home, ".guardrails"), filepath.Join(project, ".git")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", "", errors.Join(err, os.RemoveAll(home))
		}
	}
	if err := os.WriteFile(filepath.Join(home, ".guardrails", "config.yaml"), []byte(m.config()), 0o600); err != nil {
		return "", "", errors.Join(err, os.RemoveAll(home))
	}
	return home, project, nil
}

// said is what a case says of a registry's answers.
type said struct {
	missing    bool // there is no such package …
	last       bool // … but only of the last one named
	deprecated string
	published  time.Time
}

func hear(text string) said {
	s := said{missing: strings.Contains(text, "404"), last: strings.Contains(text, "second 404"), published: time.Now().AddDate(-5, 0, 0)}
	if _, name, ok := strings.Cut(text, "notice names "); ok {
		s.deprecated = "deprecated, use " + strings.Fields(name)[0] + " instead"
	}
	if strings.Contains(text, " h ago") {
		s.published = time.Now().Add(-2 * time.Hour)
	}
	return s
}

// answer plays deps.dev, OSV and a registry for packages of which this is said;
// bad are those that are missing.
func (s said) answer(bad []string, versions map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			_, _ = io.WriteString(w, "{}")
			return
		}
		parts := strings.Split(r.URL.EscapedPath(), "/")
		if len(parts) < 6 || parts[1] != "v3" {
			http.Error(w, "not found", http.StatusNotFound)
			return
		}
		name, _ := url.PathUnescape(parts[5])
		gone := slices.ContainsFunc(bad, func(b string) bool { return b == name || strings.HasPrefix(b, name+"/") })
		if gone {
			http.Error(w, "not found", http.StatusNotFound)
			return
		}
		number := versions[name]
		if number == "" {
			number = "1.0.0"
		}
		v := map[string]any{
			"versionKey": map[string]any{"version": number}, "publishedAt": s.published.UTC().Format(time.RFC3339), "isDefault": true,
			"isDeprecated": s.deprecated != "", "deprecatedReason": s.deprecated,
		}
		var body any = map[string]any{"packageKey": map[string]any{"name": name}, "versions": []any{v}}
		if len(parts) > 6 {
			body = v
		}
		_ = json.NewEncoder(w).Encode(body)
	}
}

// ask has the binary judge a case that says what a registry answers, on a machine
// of its own.
func (m *market) ask(ctx context.Context, r runner, agent string, c testCase) (answer, error) {
	home, project, err := m.home()
	if err != nil {
		return answer{}, err
	}
	defer os.RemoveAll(home)
	one := runner{r.bin, home, project}
	payload, _ := c.request["payload"].(map[string]any)
	input, _ := payload["tool_input"].(map[string]any)
	payload["cwd"] = project
	path, _ := input["file_path"].(string)
	question := map[string]any{"id": c.id}
	if path == "" {
		question["command"] = input["command"]
	} else {
		content, whole := input["content"].(string)
		before := ""
		if !whole {
			old, _ := input["old_string"].(string)
			before = old + "\n}\n"
			if strings.HasSuffix(path, ".json") {
				before = "{\n" + old + "\n \"zz-present\": \"1\"\n}\n}\n"
			}
			repl, _ := input["new_string"].(string)
			content = strings.Replace(before, old, repl, 1)
		}
		question["path"], question["before"], question["after"] = path, before, content
		at := filepath.Join(project, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return answer{}, err
		}
		if !whole {
			if err := os.WriteFile(at, []byte(before), 0o600); err != nil {
				return answer{}, err
			}
		}
		input["file_path"] = at
	}
	// What is said of the last one is about the last that is read.
	line, err := json.Marshal(question)
	if err != nil {
		return answer{}, err
	}
	out, err := one.run(ctx, bytes.NewReader(append(line, '\n')), "deps", "check", "--batch", "--offline")
	if err != nil {
		return answer{}, err
	}
	var read struct{ Packages []depsPackage }
	if err := json.Unmarshal(out, &read); err != nil {
		return answer{}, err
	}
	s := hear(c.registry)
	var bad []string
	versions := map[string]string{}
	for i, p := range read.Packages {
		if s.missing && (!s.last || i == len(read.Packages)-1) {
			bad = append(bad, p.Name)
		}
		versions[p.Name] = strings.TrimLeft(p.Version, "=^~v ")
	}
	m.serve(s.answer(bad, versions))
	body, err := json.Marshal(payload)
	if err != nil {
		return answer{}, err
	}
	line, err = json.Marshal(map[string]any{"id": c.id, "payload": json.RawMessage(body)})
	if err != nil {
		return answer{}, err
	}
	if out, err = one.run(ctx, bytes.NewReader(append(line, '\n')), "check", "--batch", "--agent", agent); err != nil {
		return answer{}, err
	}
	var a answer
	return a, json.Unmarshal(out, &a)
}

// A route is one recorded answer: a request, and the file with what came back.
type route struct {
	Method, Path string
	Status       int
	Delay        int `json:"delay_ms"`
	Headers      map[string]string
	Body         string
}

// routes asks about each package of which there is a recorded answer, over
// loopback, and makes sure of what holds for any of them: only a 404 or a package
// without versions may be called missing, and what is no answer passes and is
// said.
func routes(ctx context.Context, o options, file string, out io.Writer) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	bin, err := filepath.Abs(o.bin)
	if err != nil {
		return err
	}
	m, err := newMarket()
	if err != nil {
		return err
	}
	defer func() { _ = m.server.Close() }()
	all := map[string]route{}
	var order []string
	for sc := bufio.NewScanner(bytes.NewReader(text)); sc.Scan(); {
		var r route
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		key := r.Method + " " + r.Path
		all[key] = r
		order = append(order, key)
	}
	dir := filepath.Dir(file)
	m.serve(func(w http.ResponseWriter, q *http.Request) {
		key := q.Method + " " + q.URL.EscapedPath()
		if q.Method == http.MethodPost {
			var ask struct {
				Version string
				Package struct{ Name string }
			}
			_ = json.NewDecoder(q.Body).Decode(&ask)
			key += " " + ask.Package.Name + "@" + ask.Version
		}
		r, ok := all[key]
		if !ok {
			http.Error(w, "not found", http.StatusNotFound)
			return
		}
		body, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(r.Body)))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		select {
		case <-time.After(time.Duration(r.Delay) * time.Millisecond):
		case <-q.Context().Done():
			return
		}
		for k, v := range r.Headers {
			w.Header().Set(k, v)
		}
		w.WriteHeader(r.Status)
		_, _ = w.Write(body)
	})
	right, total := 0, 0
	for _, key := range order {
		r := all[key]
		parts := strings.Split(r.Path, "/")
		if r.Method != http.MethodGet || len(parts) != 6 || parts[1] != "v3" || parts[4] != "packages" {
			continue
		}
		name, err := url.PathUnescape(parts[5])
		if err != nil {
			return err
		}
		command, ok := installs(parts[3], name)
		if !ok {
			continue
		}
		body, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(r.Body)))
		if err != nil {
			return err
		}
		a, err := m.told(ctx, bin, command)
		if err != nil {
			return err
		}
		total++
		wrong := r.wrong(body, a)
		if wrong == "" {
			right++
		}
		if o.verbose || wrong != "" {
			fmt.Fprintf(out, "%-55s %3d  %-7s %-22s %s\n", command, r.Status, a.Decision, a.Rule, wrong)
		}
	}
	fmt.Fprintf(out, "recorded answers: %d of %d packages judged as their answer allows\n", right, total)
	return nil
}

// installs is a command that adds a package of a system.
func installs(system, name string) (string, bool) {
	switch strings.ToLower(system) {
	case "npm":
		return "npm install " + name, true
	case "pypi":
		return "pip install " + name, true
	case "go":
		return "go get " + name, true
	case "cargo":
		return "cargo add " + name, true
	case "maven":
		return "mvn dependency:get -Dartifact=" + name + ":1", true
	}
	return "", false
}

// told is what check says of a command.
type told struct {
	Decision, Rule, Notice string
}

func (m *market) told(ctx context.Context, bin, command string) (told, error) {
	home, project, err := m.home()
	if err != nil {
		return told{}, err
	}
	defer os.RemoveAll(home)
	line, err := json.Marshal(map[string]any{"id": 1, "command": command, "cwd": project})
	if err != nil {
		return told{}, err
	}
	out, err := runner{bin, home, project}.run(ctx, bytes.NewReader(append(line, '\n')), "check", "--batch")
	if err != nil {
		return told{}, err
	}
	var a told
	return a, json.Unmarshal(out, &a)
}

// wrong says what is wrong about a verdict, "" if nothing is.
func (r route) wrong(body []byte, a told) string {
	var p struct {
		Key struct {
			Name string `json:"name"`
		} `json:"packageKey"`
		Versions []json.RawMessage `json:"versions"`
	}
	readable := json.Unmarshal(body, &p) == nil && p.Key.Name != "" && strings.Contains(r.Headers["Content-Type"], "json")
	absent := a.Rule == "deps/no-such-package" || a.Rule == "deps/unconfirmed"
	switch {
	case r.Status == http.StatusNotFound, r.Status == http.StatusOK && readable && len(p.Versions) == 0:
		if !absent {
			return "it is not there, and that is not said"
		}
	case absent:
		return "it is called missing"
	case r.Status != http.StatusOK || !readable || r.Delay > 2500:
		if a.Decision != "pass" || !strings.Contains(a.Notice, "not checked") {
			return "nobody answered, and that is not said"
		}
	}
	return ""
}
