package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// coverage makes the layout that a report describes, with each line of the changed
// file run, and has the patch judged.
func (s *stage) coverage(ctx context.Context) (string, error) {
	var source, name, text string
	files := map[string]string{}
	line := func(n int) string { return strings.Repeat("export const x = 1\n", n) }
	in := func(key string) string { return s.r.text(key) }
	stale := strings.Contains(in("lcov"), "older")
	switch {
	case s.r.has("lcov"):
		source, name = s.r.text("touched"), "coverage/lcov.info"
		sf := "src/index.ts"
		if at, rest, ok := strings.Cut(in("lcov"), ": "); ok {
			name, sf = at, strings.TrimPrefix(rest, "SF:")
		}
		if source == "" {
			source = sf
		}
		text = "TN:\nSF:" + sf + "\nDA:1,1\nDA:2,1\nend_of_record\n"
		files[source] = line(1)
	case s.r.has("cobertura"):
		source, name = "lib/two/b.py", "coverage.xml"
		files["lib/one/a.py"], files[source] = "a = 1\n", "x = 1\n"
		text = "<?xml version=\"1.0\"?>\n<coverage version=\"7\"><sources><source>" + filepath.Join(s.project, "lib", "one") + "</source><source>" + filepath.Join(s.project, "lib", "two") +
			"</source></sources><packages><package name=\".\"><classes><class name=\"b.py\" filename=\"b.py\"><lines><line number=\"1\" hits=\"1\"/><line number=\"2\" hits=\"1\"/></lines></class></classes></package></packages></coverage>\n"
	case s.r.has("jacoco"):
		m := regexp.MustCompile(`package (\S+), sourcefile (\S+); file at (\S+)`).FindStringSubmatch(in("jacoco"))
		if m == nil {
			return notPlayed + "the layout is described too loosely", nil
		}
		source, name = m[3], "app/build/reports/jacoco/test/jacocoTestReport.xml"
		files[source] = "val x = 1\n"
		text = "<?xml version=\"1.0\"?><report name=\"app\"><package name=\"" + m[1] + "\"><sourcefile name=\"" + m[2] + "\"><line nr=\"1\" mi=\"0\" ci=\"1\" mb=\"0\" cb=\"0\"/><line nr=\"2\" mi=\"0\" ci=\"1\" mb=\"0\" cb=\"0\"/></sourcefile></package></report>\n"
	case s.r.has("go"):
		m := regexp.MustCompile(`mode: \w+; (\S+?):\S+ .* module (\S+) in subdir (\S+?)/`).FindStringSubmatch(in("go"))
		if m == nil {
			return notPlayed + "the layout is described too loosely", nil
		}
		source, name = path.Join(m[3], strings.TrimPrefix(m[1], m[2])), m[3]+"/cover.out"
		files[m[3]+"/go.mod"] = "module " + m[2] + "\n\ngo 1.21\n"
		files[source] = "package x\n\nfunc F() int {\n\treturn 1\n}\n"
		text = "mode: atomic\n" + m[1] + ":3.14,7.2 3 1\n"
	default:
		return notPlayed + "the report's format is not known", nil
	}
	for file, content := range files {
		if err := s.write(filepath.Join(s.project, filepath.FromSlash(file)), content, 0o644); err != nil {
			return "", err
		}
	}
	if err := s.git(ctx, s.project, "add", "-A", "", "commit", "-q", "-m", "two"); err != nil {
		return "", err
	}
	changed := files[source] + files[source]
	if s.r.has("go") {
		changed = "package x\n\nfunc F() int {\n\tx := 1\n\tx++\n\treturn x\n}\n"
	}
	at := filepath.Join(s.project, filepath.FromSlash(source))
	if err := s.write(at, changed, 0o644); err != nil {
		return "", err
	}
	report := filepath.Join(s.project, filepath.FromSlash(name))
	if err := s.write(report, text, 0o644); err != nil {
		return "", err
	}
	old, young := time.Now().Add(-time.Hour), time.Now().Add(-time.Minute)
	if stale {
		old, young = young, old
	}
	if err := os.Chtimes(at, old, old); err != nil {
		return "", err
	}
	if err := os.Chtimes(report, young, young); err != nil {
		return "", err
	}
	p, err := s.cli(ctx, s.project, "gate", "coverage", "--base", "HEAD", "--report", name, "--json")
	if err != nil {
		return "", err
	}
	var a struct{ Outcome, Verdict string }
	if err := json.Unmarshal([]byte(p.out), &a); err != nil {
		return "", fmt.Errorf("%w: %s", err, p.text())
	}
	good := a.Outcome == "pass" && a.Verdict == "patch"
	if s.r.verdicts()[0] != "none" {
		good = a.Outcome != "pass" && (!stale || a.Verdict == "refuse-stale")
	}
	if !good {
		return oneLine(p.text()), nil
	}
	return "", nil
}
