package cache

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func newDir(t *testing.T) (*Dir, *clock) {
	c := &clock{time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
	return &Dir{Path: filepath.Join(t.TempDir(), "cache"), Now: c.now}, c
}

func TestAnEntryIsThereUntilItsTimeIsOver(t *testing.T) {
	d, c := newDir(t)
	if _, ok := d.Get("a"); ok {
		t.Error("an empty cache had an answer")
	}
	if err := d.Put("a", []byte(`{"x":1}`), time.Hour); err != nil {
		t.Fatal(err)
	}
	if b, ok := d.Get("a"); !ok || string(b) != `{"x":1}` {
		t.Errorf("%s, %v", b, ok)
	}
	if _, ok := d.Get("b"); ok {
		t.Error("another key had an answer")
	}
	c.t = c.t.Add(time.Hour)
	if _, ok := d.Get("a"); ok {
		t.Error("an answer outlived its time")
	}
}

func TestAnEntryOfAClockThatWasAheadIsNotThere(t *testing.T) {
	d, c := newDir(t)
	c.t = c.t.AddDate(10, 0, 0)
	if err := d.Put("a", []byte("1"), time.Hour); err != nil {
		t.Fatal(err)
	}
	c.t = c.t.AddDate(-10, 0, 0)
	if b, ok := d.Get("a"); ok {
		t.Errorf("%s", b)
	}
	if live, _, _ := d.List(); len(live) != 0 {
		t.Errorf("%+v", live)
	}
	c.t = c.t.Add(time.Minute) // another process' clock is a little behind
	if err := d.Put("b", []byte("1"), time.Hour); err != nil {
		t.Fatal(err)
	}
	c.t = c.t.Add(-time.Minute)
	if _, ok := d.Get("b"); !ok {
		t.Error("a minute ahead is no wrong clock")
	}
}

func TestWhatCannotBeKeptIsAnErrorAndNoMore(t *testing.T) {
	d, _ := newDir(t)
	d.Path = filepath.Join(os.DevNull, "cache")
	if err := d.Put("a", []byte("1"), time.Hour); err == nil {
		t.Error("it was kept below a device")
	}
	if b, ok := d.Get("a"); ok {
		t.Errorf("%s", b)
	}
}

func TestADamagedEntryIsNotThere(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "cut": `{"key":"a","until":"2031-01-01T00:00:00Z","da`, "another key": `{"key":"b","until":"2031-01-01T00:00:00Z","data":1}`,
		"no time": `{"key":"a","data":1}`, "no data": `{"key":"a","until":"2031-01-01T00:00:00Z"}`, "bytes": "\x00\xff",
	} {
		d, _ := newDir(t)
		if err := d.Put("a", []byte("1"), time.Hour); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(d.file("a"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if b, ok := d.Get("a"); ok {
			t.Errorf("%s: %s", name, b)
		}
		if err := d.Put("a", []byte("2"), time.Hour); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if b, ok := d.Get("a"); !ok || string(b) != "2" {
			t.Errorf("%s: not replaced", name)
		}
	}
}

func TestManyWritersLeaveWholeEntries(t *testing.T) {
	d, _ := newDir(t)
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for i := range 40 {
				if err := d.Put("k"+strconv.Itoa(i%5), []byte(strconv.Itoa(w)), time.Hour); err != nil {
					t.Error(err)
				}
				if b, ok := d.Get("k" + strconv.Itoa(i%5)); !ok || len(b) != 1 {
					t.Errorf("read %q, %v", b, ok)
				}
			}
		})
	}
	all.Wait()
	live, size, err := d.List()
	if len(live) != 5 || size == 0 || err != nil {
		t.Errorf("%d entries, %d bytes, %v", len(live), size, err)
	}
}

func TestClearDropsOurFilesOnly(t *testing.T) {
	d, _ := newDir(t)
	if n, err := d.Clear(); n != 0 || err != nil {
		t.Errorf("nothing there: %d, %v", n, err)
	}
	for i := range 3 {
		if err := d.Put(strconv.Itoa(i), []byte("1"), time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	other := filepath.Join(d.Path, "README")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := d.Clear(); n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
	if live, _, _ := d.List(); len(live) != 0 {
		t.Error("entries outlived Clear")
	}
}

func TestAReadOnlyCacheKeepsNothing(t *testing.T) {
	d, _ := newDir(t)
	d.ReadOnly = true
	if err := d.Put("a", []byte("1"), time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(d.Path); !os.IsNotExist(err) {
		t.Errorf("something was written: %v", err)
	}
}
