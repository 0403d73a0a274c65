package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEveryFormIsRead(t *testing.T) {
	tests := []struct{ name, flag, file, in, want string }{
		{"table of counts", "-npm", "npm.txt", "b\t5\na\t9\n@x/y\t7\n", "a\n@x/y\nb\n"},
		{"commas with a heading", "-npm", "npm.txt", "name,count\nb,5\na,9\n", "a\nb\n"},
		{"plain lines keep their order", "-npm", "npm.txt", "b\na\nb\n../x\n", "b\na\n"},
		{"array of names", "-npm", "npm.txt", `["b", "a"]`, "b\na\n"},
		{"module", "-npm", "npm.txt", "export const top = [\n  'b',\n  '@x/y',\n]\n", "b\n@x/y\n"},
		{"rows", "-pypi", "pypi.txt", `{"rows":[{"project":"Flask_X","download_count":1},{"project":"boto3","download_count":2},{"project":"flask-x","download_count":0}]}`, "boto3\nflask-x\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			in := filepath.Join(dir, "in")
			if err := os.WriteFile(in, []byte(tt.in), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := run([]string{tt.flag, in, "-dir", dir, "-n", "4"}, io.Discard); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(dir, tt.file))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAListThatIsTooShortIsRefused(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(in, []byte("a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := run([]string{"-npm", in, "-dir", t.TempDir()}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "1 names") {
		t.Errorf("got %v", err)
	}
}
