package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWhatSecuritySaysIsShown finds each test that SECURITY.md names.
func TestWhatSecuritySaysIsShown(t *testing.T) {
	page, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9]+)`").FindAllStringSubmatch(string(page), -1)
	if len(names) < 30 {
		t.Fatalf("%d tests are named, want the threat model's", len(names))
	}
	var all strings.Builder
	err = filepath.WalkDir("../..", func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2 || d.Name() == "node_modules"):
			return filepath.SkipDir
		case strings.HasSuffix(path, "_test.go"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all.Write(text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range regexp.MustCompile("`([a-z_]+\\.txtar)`").FindAllStringSubmatch(string(page), -1) {
		if _, err := os.Stat("../../testdata/scripts/" + n[1]); err != nil {
			t.Error(err)
		}
	}
	for _, n := range names {
		if !strings.Contains(all.String(), "func "+n[1]+"(") {
			t.Errorf("SECURITY.md says that %s shows something, and there is no such test", n[1])
		}
	}
}
