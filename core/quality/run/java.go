package run

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/quality"
)

func (w *Worker) java(t *tree, step quality.Step, p *pkg) []*task {
	if step != quality.Build && step != quality.Test {
		return nil
	}
	maven := t.has(p.dir, "pom.xml")
	name, wrapper := "gradle", "gradlew"
	if maven {
		name, wrapper = "mvn", "mvnw"
	}
	// The folder that is built from: of a module of a reactor the top.
	top := p.dir
	for d := p.dir; ; d = path.Dir(d) {
		if maven && t.has(d, "pom.xml") || !maven && (t.has(d, "settings.gradle") || t.has(d, "settings.gradle.kts")) {
			top = d
		}
		if d == "." {
			break
		}
	}
	tool := ""
	if at, ok := t.up(p.dir, wrapper); ok {
		tool = t.abs(path.Join(at, wrapper))
	} else if file, ok := w.tool(t, p.dir, name); ok {
		tool = file
	}
	if tool == "" {
		return []*task{{step: step, tool: name, pkgs: []*pkg{p}, lacks: name}}
	}
	goal := ""
	switch step {
	case quality.Build:
		goal = "test-compile"
		if !maven {
			goal = "testClasses"
		}
	case quality.Test:
		goal = "test"
	default:
		return nil
	}
	var argv []string
	if maven {
		argv = []string{tool, "-B", "-ntp", goal, "-DfailIfNoTests=false"}
		if top != p.dir {
			argv = append(argv, "-pl", below(top, p.dir), "-am", "-Dsurefire.failIfNoSpecifiedTests=false")
		}
	} else {
		argv = []string{tool, "--console=plain", "-q", "-p", below(top, p.dir), goal}
	}
	return []*task{{step: step, tool: name + " " + goal, ident: strings.Join(argv, "\x00"), pkgs: []*pkg{p}, do: func(ctx context.Context, pl *place, pkgs []*pkg, _ []quality.Finding) map[*pkg]*result {
		return each(pkgs, func(p *pkg) *result { return w.javaRun(ctx, pl, p, step, name+" "+goal, top, maven, argv) })
	}}}
}

func (w *Worker) javaRun(ctx context.Context, pl *place, p *pkg, step quality.Step, tool, top string, maven bool, argv []string) *result {
	began := time.Now()
	x, err := w.call(ctx, pl.abs(top), pl.env, argv...)
	if why, missing := told(ctx, tool, x, err); why != "" {
		return unable(step, tool, x, why, missing)
	}
	r := &result{tool: tool}
	text := string(x.Stdout) + "\n" + string(x.Stderr)
	if step == quality.Test {
		dir := "target/surefire-reports"
		if !maven {
			dir = "build/test-results/test"
		}
		files, _ := filepath.Glob(filepath.Join(pl.abs(p.dir), filepath.FromSlash(dir), "TEST-*.xml"))
		for _, f := range files {
			// A report of an earlier run proves nothing; the clock of a file system is coarse.
			if st, err := os.Stat(f); err != nil || st.ModTime().Before(began.Add(-2*time.Second)) && !upToDate(text) {
				continue
			}
			n, found, _ := w.junit(pl, p, tool, f)
			for i := range found {
				w.javaFile(pl, p, &found[i])
			}
			r.tests += n
			r.findings = append(r.findings, found...)
		}
	}
	switch {
	case len(r.findings) > 0:
		r.status = failedStep
	case x.Code == 0:
		r.status = passedStep
		if step == quality.Test && r.tests == 0 {
			r.why = "no test ran"
		}
		if step == quality.Test && !pl.old {
			for _, name := range [...]string{"target/site/jacoco/jacoco.xml", "build/reports/jacoco/test/jacocoTestReport.xml"} {
				file := filepath.Join(pl.abs(p.dir), filepath.FromSlash(name))
				if st, err := os.Stat(file); err == nil && !st.ModTime().Before(began.Add(-2*time.Second)) {
					r.report = fileReport("jacoco", file, p.dir)
				}
			}
		}
	case unreachable(text):
		r = brokenStep(tool, tool+" could not fetch what the build needs: "+lastErrors(text, 1))
	default:
		r.status = failedStep
		if r.findings = dedup(w.read(pl, p, step, tool, text)); len(r.findings) == 0 {
			r.findings = []quality.Finding{{Package: p.dir, Step: step, Tool: tool, Message: clip(tool + " failed: " + lastErrors(pl.plain(text), 3))}}
		}
	}
	return r
}

func upToDate(text string) bool { return strings.Contains(text, "UP-TO-DATE") }

// unreachable reports whether a build stopped because something could not be
// downloaded: that says nothing of the code.
func unreachable(text string) bool {
	for _, s := range [...]string{"Cannot access central", "Could not transfer artifact", "has not been downloaded from it before", "Could not resolve all", "was not found in https://repo", "Unknown host"} {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// lastErrors are the first lines that Maven marks as errors.
func lastErrors(text string, n int) string {
	var out []string
	for line := range strings.Lines(strip(text)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "[ERROR]"); ok && strings.TrimSpace(rest) != "" && len(out) < n {
			out = append(out, strings.TrimSpace(rest))
		}
	}
	if len(out) == 0 {
		return lastLines(text, n)
	}
	return clip(strings.Join(out, " | "))
}

func dedup(list []quality.Finding) []quality.Finding {
	var out []quality.Finding
	for _, f := range list {
		if !slices.ContainsFunc(out, func(o quality.Finding) bool { return o.File == f.File && o.Line == f.Line }) {
			out = append(out, f)
		}
	}
	return out
}

// javaFile finds the file of a failing test by its class: stack traces name
// files without their folder.
func (w *Worker) javaFile(pl *place, p *pkg, f *quality.Finding) {
	if f.File != "" {
		return
	}
	class := f.Test
	if i := strings.LastIndexByte(class, '.'); i > 0 {
		class = class[:i]
	}
	class, _, _ = strings.Cut(class, "$")
	for _, dir := range [...]string{"src/test/java", "src/test/kotlin", "src/main/java"} {
		for _, ext := range [...]string{".java", ".kt"} {
			rel := path.Join(p.dir, dir, strings.ReplaceAll(class, ".", "/")+ext)
			if _, err := os.Stat(pl.abs(rel)); err == nil {
				f.File = rel
				return
			}
		}
	}
}
