package coverage

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"
)

// usual are the names that tools give their reports unless told otherwise.
var usual = [...]string{
	"coverage.out", "cover.out", "cov.out", "c.out", "coverage.txt", "cover.profile",
	"coverage/lcov.info", "lcov.info", "coverage/cobertura-coverage.xml", "coverage/clover.xml", "coverage/coverage-final.json", "coverage/coverage-summary.json",
	"coverage.xml", "cov.xml", "coverage.json", "coverage.lcov", "cobertura.xml", "clover.xml", "build/logs/clover.xml",
	"coverage/.resultset.json", "coverage/lcov/project.lcov",
	"target/site/jacoco/jacoco.xml", "build/reports/jacoco/test/jacocoTestReport.xml", "build/reports/kover/report.xml",
	"target/llvm-cov/lcov.info", "target/coverage/lcov.info",
}

// isManifest reports whether a file's name says that a package starts in its
// folder.
func isManifest(base string) bool {
	switch base {
	case "go.mod", "package.json", "pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts",
		"Gemfile", "composer.json", "mix.exs", "pubspec.yaml":
		return true
	}
	return false
}

// Discover looks for reports where tools leave them, at the root and in each
// folder where a package starts. Of several in one such folder, which are
// mostly one run in several formats, it names the newest that has lines.
func Discover(root string, files []string) []string {
	dirs := []string{"."}
	for _, f := range files {
		if isManifest(path.Base(f)) {
			dirs = append(dirs, path.Dir(f))
		}
	}
	slices.Sort(dirs)
	var out []string
	for _, dir := range slices.Compact(dirs) {
		best, bestTime := "", time.Time{}
		for _, name := range usual {
			full := filepath.Join(root, filepath.FromSlash(dir), filepath.FromSlash(name))
			info, err := os.Stat(full)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			t := info.ModTime()
			if name == "coverage/coverage-summary.json" {
				t = time.Time{}.Add(1) // only if there is nothing else
			}
			if best == "" || t.After(bestTime.Add(2*time.Second)) {
				best, bestTime = full, t
			}
		}
		if best != "" {
			out = append(out, best)
		}
	}
	return out
}
