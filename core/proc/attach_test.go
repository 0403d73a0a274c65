package proc

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAttachedProgramSharesOurStreams(t *testing.T) {
	c := self(t, "exit", "3")
	if code, err := Attach(c.Argv, c.Env); code != 3 || err != nil {
		t.Errorf("exit code %d, %v; want 3", code, err)
	}
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	stdout := os.Stdout
	os.Stdout = out
	c = self(t, "ignore")
	code, err := Attach(c.Argv, c.Env)
	os.Stdout = stdout
	if code != 0 || err != nil {
		t.Errorf("exit code %d, %v; want 0", code, err)
	}
	if data, _ := os.ReadFile(out.Name()); string(data) != "here" {
		t.Errorf("it wrote %q", data)
	}
}

func TestAttachSaysWhatIsNotThere(t *testing.T) {
	for _, argv := range [][]string{nil, {filepath.Join(t.TempDir(), "none")}} {
		if code, err := Attach(argv, nil); code != -1 || err == nil {
			t.Errorf("%q: exit code %d, %v", argv, code, err)
		}
	}
}
