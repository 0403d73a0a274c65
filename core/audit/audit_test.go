package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const roleVar = "AUDIT_TEST_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(roleVar) == "append" {
		l := Log{Dir: os.Args[1]}
		for i := range 50 {
			if err := l.Append(Entry{Decision: "pass", Host: os.Args[2], Event: fmt.Sprint(i), Lapse: strings.Repeat("x", i*7)}); err != nil {
				fmt.Println(err)
				os.Exit(3)
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 123456789, time.UTC)

// logAt returns a log whose clock stands at *now.
func logAt(t *testing.T, now *time.Time) *Log {
	t.Helper()
	return &Log{Dir: filepath.Join(t.TempDir(), "log"), Now: func() time.Time { return *now }}
}

func appendAll(t *testing.T, l *Log, entries ...Entry) {
	t.Helper()
	for _, e := range entries {
		if err := l.Append(e); err != nil {
			t.Fatal(err)
		}
	}
}

func lines(t *testing.T, l *Log, since time.Time, n int) []string {
	t.Helper()
	var out []string
	for line, err := range l.Read(since, n) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(line))
	}
	return out
}

func TestALineHoldsTheFieldsInOrder(t *testing.T) {
	for _, tt := range []struct {
		name  string
		entry Entry
		want  string
	}{
		{
			name: "a pass",
			entry: Entry{
				Decision: "pass", Host: "claude", Event: "PreToolUse", Session: "s", Took: 1234567 * time.Nanosecond,
			},
			want: `{"decision":"pass","gate":"","rule":"","host":"claude","event":"PreToolUse","session":"43b14bc3f87267ea","ms":1.234,"time":"2026-11-30T12:00:00.123Z"}`,
		},
		{
			name: "everything",
			entry: Entry{
				Decision: "deny", Gate: "shell", Rule: "filesystem/delete-home", Host: "claude", Event: "PreToolUse",
				Took: 2 * time.Second, Probe: true, Tool: "shell", Version: "1.0.0", Lapse: "log: no \"space\"\\\nleft",
			},
			want: `{"decision":"deny","gate":"shell","rule":"filesystem/delete-home","host":"claude","event":"PreToolUse","session":"","ms":2000,` +
				`"time":"2026-11-30T12:00:00.123Z","probe":true,"tool":"shell","version":"1.0.0","lapse":"log: no 'space'/ left"}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now := noon
			l := logAt(t, &now)
			appendAll(t, l, tt.entry)
			data, err := os.ReadFile(filepath.Join(l.Dir, "2026-11-30.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want+"\n", string(data)); diff != "" {
				t.Errorf("line (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{tt.want}, lines(t, l, time.Time{}, 0)); diff != "" {
				t.Errorf("read back (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFilesAreTheUsersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such modes here")
	}
	now := noon
	l := logAt(t, &now)
	appendAll(t, l, Entry{})
	for path, want := range map[string]fs.FileMode{l.Dir: 0o700, filepath.Join(l.Dir, "2026-11-30.jsonl"): 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s: mode %v, want %v", path, got, want)
		}
	}
}

func TestTheLogNeverHoldsASessionID(t *testing.T) {
	now := noon
	l := logAt(t, &now)
	appendAll(t, l, Entry{Host: "claude", Session: "a-very-secret-id"}, Entry{Host: "claude"})
	got := lines(t, l, time.Time{}, 0)
	if strings.Contains(strings.Join(got, ""), "very-secret") {
		t.Errorf("lines hold the id: %q", got)
	}
	if Digest("claude", "s") == Digest("gemini", "s") || Digest("claude", "") != "" {
		t.Error("the digest does not tell hosts apart, or there is one of no id")
	}
}

func TestARefusalIsFoundByItsCode(t *testing.T) {
	now := noon.AddDate(0, 0, -2)
	l := logAt(t, &now)
	appendAll(t, l, Entry{Decision: "deny", Rule: "git/force", Codes: []string{"0badc0de", "1a2b3c4d"}})
	now = noon
	appendAll(t, l, Entry{Decision: "deny", Rule: "1a2b3c4e"}, Entry{Decision: "deny", Rule: "later", Codes: []string{"0badc0de"}})
	for _, c := range []struct {
		code, rule string
	}{
		{"0badc0de", "later"},
		{"1a2b3c4d", "git/force"},
		{"1a2b3c4e", ""},
		{"deny", ""},
	} {
		line, ok, err := l.Refused(c.code)
		if err != nil || ok != (c.rule != "") || line.Rule != c.rule {
			t.Errorf("%s: %+v, %v, %v", c.code, line, ok, err)
		}
	}
	if _, ok, err := (&Log{Dir: filepath.Join(t.TempDir(), "none")}).Refused("0badc0de"); ok || err != nil {
		t.Errorf("without a log: %v, %v", ok, err)
	}
}

func TestALineHoldsWholeCodesOrNone(t *testing.T) {
	long := strings.Repeat("x", 99)
	e := Entry{
		Decision: long, Gate: long, Rule: long, Host: long, Event: long, Session: long, Took: time.Hour, Probe: true, Tool: long, Version: long,
		Codes: []string{"00000001", "00000002", "00000003"}, Lapse: long,
	}
	line := e.line(nil, noon)
	l, err := Parse(line)
	if err != nil || len(line) > MaxLine || !strings.HasPrefix(l.Code, "00000001") || len(l.Code)%9 != 8 {
		t.Errorf("%d bytes, %q, %v", len(line), l.Code, err)
	}
}

func FuzzALineIsShortValidJSON(f *testing.F) {
	f.Add("deny", "gate", "rule", "host", "event", "id", "tool", "version", "lapse", int64(5), true)
	long := strings.Repeat("\"\\\x00\xff€\u2028", 99)
	f.Add(long, long, long, long, long, long, long, long, long, int64(-1), true)
	f.Add("", "", "", "", "", "", "", "", strings.Repeat("y", 999), int64(1<<62), false)
	f.Fuzz(func(t *testing.T, decision, gate, rule, host, event, id, tool, version, lapse string, took int64, probe bool) {
		e := Entry{
			Codes:    []string{id, tool, gate},
			Decision: decision, Gate: gate, Rule: rule, Host: host, Event: event, Session: id,
			Took: time.Duration(took), Probe: probe, Tool: tool, Version: version, Lapse: lapse,
		}
		line := e.line(nil, noon)
		if len(line) > MaxLine {
			t.Errorf("%d bytes: %s", len(line), line)
		}
		if bytes.IndexByte(line, '\n') != len(line)-1 {
			t.Errorf("not one line: %q", line)
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		if !whole(line) {
			t.Errorf("not read back: %s", line)
		}
		var l struct{ Host, Event, Time string }
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if value(line, "host") != l.Host || value(line, "event") != l.Event || value(line, "time") != l.Time {
			t.Errorf("values are read wrong: %s", line)
		}
	})
}

func TestALapseIsCutNotTheRest(t *testing.T) {
	e := Entry{Decision: "pass", Host: "claude", Lapse: strings.Repeat("long ", 200)}
	line := e.line(nil, noon)
	if len(line) < MaxLine-8 || len(line) > MaxLine {
		t.Errorf("%d bytes, want nearly %d", len(line), MaxLine)
	}
	if l, err := Parse(line); err != nil || !strings.HasPrefix(l.Lapse, "long long") {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestSixtyProcessesTearNoLine(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l := &Log{Dir: filepath.Join(t.TempDir(), "log")}
	const processes = 60
	var wg sync.WaitGroup
	for i := range processes {
		cmd := exec.Command(self, l.Dir, fmt.Sprintf("host%d", i))
		cmd.Env = append(os.Environ(), roleVar+"=append", "GORACE=atexit_sleep_ms=0")
		wg.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	got := make(map[string]int)
	all := 0
	files, err := filepath.Glob(filepath.Join(l.Dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		sc := bufio.NewScanner(f)
		for sc.Scan() {
			line, err := Parse(sc.Bytes())
			if err != nil {
				t.Errorf("torn: %s", sc.Bytes())
				continue
			}
			if fmt.Sprint(got[line.Host]) != line.Event {
				t.Errorf("%s: event %s after %d lines", line.Host, line.Event, got[line.Host])
			}
			got[line.Host]++
			all++
		}
		if err := sc.Err(); err != nil {
			t.Error(err)
		}
		f.Close()
	}
	if len(got) != processes || all != processes*50 {
		t.Errorf("%d processes, %d lines, want %d, %d", len(got), all, processes, processes*50)
	}
}

// days returns a log of five days, two calls each, at noon and at 18:00.
func days(t *testing.T) *Log {
	t.Helper()
	now := noon
	l := logAt(t, &now)
	for d := range 5 {
		for _, h := range []int{0, 6} {
			now = noon.AddDate(0, 0, d).Add(time.Duration(h) * time.Hour)
			appendAll(t, l, Entry{Decision: "pass", Host: "claude", Event: fmt.Sprintf("d%dh%d", d, h)})
		}
	}
	return l
}

func TestReadReturnsLinesSinceThenOrTheLast(t *testing.T) {
	l := days(t)
	for _, tt := range []struct {
		since time.Duration // after the first line
		n     int
		want  string
	}{
		{-time.Hour, 0, "d0h0 d0h6 d1h0 d1h6 d2h0 d2h6 d3h0 d3h6 d4h0 d4h6"},
		{3 * 24 * time.Hour, 0, "d3h0 d3h6 d4h0 d4h6"},
		{3*24*time.Hour + time.Second, 0, "d3h6 d4h0 d4h6"},
		{0, 3, "d3h6 d4h0 d4h6"},
		{4 * 24 * time.Hour, 3, "d4h0 d4h6"},
		{0, 99, "d0h0 d0h6 d1h0 d1h6 d2h0 d2h6 d3h0 d3h6 d4h0 d4h6"},
		{99 * 24 * time.Hour, 0, ""},
		{99 * 24 * time.Hour, 3, ""},
	} {
		var got []string
		for _, line := range lines(t, l, noon.Truncate(time.Millisecond).Add(tt.since), tt.n) {
			got = append(got, value([]byte(line), "event"))
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("Read(+%v, %d) = %s, want %s", tt.since, tt.n, s, tt.want)
		}
	}
	stopped := 0
	for range l.Read(time.Time{}, 0) {
		if stopped++; stopped == 2 {
			break
		}
	}
	if stopped != 2 {
		t.Errorf("the loop ran on: %d", stopped)
	}
}

func TestReadOfNoLogIsEmpty(t *testing.T) {
	l := &Log{Dir: filepath.Join(t.TempDir(), "none")}
	if got := lines(t, l, time.Time{}, 0); got != nil {
		t.Errorf("lines %q", got)
	}
	if got := lines(t, l, time.Time{}, 5); got != nil {
		t.Errorf("lines %q", got)
	}
	if at, err := l.LastFired("claude"); !at.IsZero() || err != nil {
		t.Errorf("last fired %v, %v", at, err)
	}
	if stats, err := l.Stats(time.Time{}); len(stats) != 0 || err != nil {
		t.Errorf("stats %v, %v", stats, err)
	}
}

func TestATornLineIsLeftOut(t *testing.T) {
	now := noon
	l := logAt(t, &now)
	appendAll(t, l, Entry{Event: "a"})
	f, err := os.OpenFile(l.file("2026-11-30"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, `{"decision":"pass","ga`+"\n"+`{"decision":"pa`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	appendAll(t, l, Entry{Event: "b"}, Entry{Event: "c"})
	for _, n := range []int{0, 9} {
		var got []string
		for _, line := range lines(t, l, time.Time{}, n) {
			got = append(got, value([]byte(line), "event"))
		}
		// b went down with the torn line that it was appended to.
		if diff := cmp.Diff([]string{"a", "c"}, got); diff != "" {
			t.Errorf("n = %d (-want +got):\n%s", n, diff)
		}
	}
}

func TestTheFirstLineOfADayDropsFilesOlderThanThirtyDays(t *testing.T) {
	now := noon
	l := logAt(t, &now)
	for _, d := range []int{-40, -31, -30, -1} {
		now = noon.AddDate(0, 0, d)
		appendAll(t, l, Entry{})
	}
	for _, name := range []string{"notes.txt", "2020-13-99.jsonl"} {
		if err := os.WriteFile(filepath.Join(l.Dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	now = noon
	appendAll(t, l, Entry{})
	entries, err := os.ReadDir(l.Dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	want := []string{"2020-13-99.jsonl", "2026-10-31.jsonl", "2026-11-29.jsonl", "2026-11-30.jsonl", "notes.txt"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	// Later lines of the day look at no directory.
	old := filepath.Join(l.Dir, "2026-01-01.jsonl")
	if err := os.WriteFile(old, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	appendAll(t, l, Entry{})
	if _, err := os.Stat(old); err != nil {
		t.Errorf("pruned again: %v", err)
	}
}

func TestLastFiredIsOfRealCalls(t *testing.T) {
	now := noon
	l := logAt(t, &now)
	fire := func(d int, e Entry) {
		t.Helper()
		now = noon.AddDate(0, 0, d)
		appendAll(t, l, e)
	}
	fire(-3, Entry{Host: "claude", Event: "Stop"})
	fire(-2, Entry{Host: "claude", Event: "PreToolUse"})
	fire(-2, Entry{Host: "gemini", Event: "BeforeTool"})
	fire(-1, Entry{Host: "claude", Event: "PreToolUse", Probe: true})
	for _, tt := range []struct {
		host   string
		events []string
		want   int
	}{{"claude", nil, -2}, {"claude", []string{"Stop"}, -3}, {"claude", []string{"Stop", "PreToolUse"}, -2}, {"gemini", nil, -2}} {
		at, err := l.LastFired(tt.host, tt.events...)
		if want := noon.AddDate(0, 0, tt.want).Truncate(time.Millisecond); !at.Equal(want) || err != nil {
			t.Errorf("LastFired(%s, %q) = %v, %v, want %v", tt.host, tt.events, at, err, want)
		}
	}
	if at, err := l.LastFired("muse"); !at.IsZero() || err != nil {
		t.Errorf("LastFired(muse) = %v, %v", at, err)
	}
}

func TestStatsSumUpRealCalls(t *testing.T) {
	now := noon
	l := logAt(t, &now)
	for i := 1; i <= 100; i++ {
		appendAll(t, l, Entry{Decision: "pass", Host: "claude", Event: "PreToolUse", Took: time.Duration(101-i) * time.Millisecond})
	}
	appendAll(t, l,
		Entry{Decision: "deny", Host: "claude", Event: "PreToolUse", Took: time.Second, Lapse: "x"},
		Entry{Decision: "deny", Host: "claude", Event: "PreToolUse", Probe: true},
		Entry{Decision: "pass", Host: "antigravity", Event: "Stop", Took: 5 * time.Millisecond},
	)
	got, err := l.Stats(noon.Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	want := []Stat{
		{Host: "antigravity", Event: "Stop", Calls: 1, Decisions: map[string]int{"pass": 1}, P50: 5, P95: 5},
		{Host: "claude", Event: "PreToolUse", Calls: 101, Lapses: 1, Decisions: map[string]int{"pass": 100, "deny": 1}, P50: 51, P95: 96},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
}

func TestAppendReportsWhatItCannotWrite(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	now := noon
	if err := (&Log{Dir: filepath.Join(file, "log"), Now: func() time.Time { return now }}).Append(Entry{}); err == nil {
		t.Error("a log below a file was written")
	}
	if runtime.GOOS != "linux" {
		return
	}
	// A full disk.
	if err := os.Symlink("/dev/full", filepath.Join(dir, "2026-11-30.jsonl")); err != nil {
		t.Fatal(err)
	}
	err := (&Log{Dir: dir, Now: func() time.Time { return now }}).Append(Entry{})
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("error = %v, want no space left", err)
	}
}

func BenchmarkAppend(b *testing.B) {
	l := &Log{Dir: b.TempDir()}
	e := Entry{Decision: "pass", Gate: "shell", Host: "claude", Event: "PreToolUse", Session: "s", Took: time.Millisecond, Tool: "shell", Version: "1.0.0"}
	b.ReportAllocs()
	for b.Loop() {
		if err := l.Append(e); err != nil {
			b.Fatal(err)
		}
	}
}

func TestAFindingIsOneLineOfAtMostTheLimit(t *testing.T) {
	log := Log{Dir: filepath.Join(t.TempDir(), "findings"), Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }}
	long := strings.Repeat("\u00e4\"\n", 200)
	for _, f := range []Finding{
		{Host: "claude", Event: "PreToolUse", Session: "s", Validator: "pii", Severity: "high", Direction: "input", Path: "very/deep/" + strings.Repeat("x/", 40) + "file.go", Kinds: "EMAIL", Sample: "ab***c"},
		{long, long, long, long, long, long, long, long, long, long},
	} {
		if err := log.AppendFinding(f); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(log.Today())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines", len(lines))
	}
	for _, l := range lines {
		var m map[string]string
		if err := json.Unmarshal([]byte(l), &m); err != nil || len(l) > MaxLine {
			t.Errorf("%d bytes, %v: %s", len(l), err, l)
		}
	}
	if !strings.Contains(lines[0], `x/file.go","`) && !strings.Contains(lines[0], `x/file.go"}`) {
		t.Errorf("the file's name is lost: %s", lines[0])
	}
}
