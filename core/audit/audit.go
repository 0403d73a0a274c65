// Package audit keeps the log: one line for every hook call, the record of
// what was decided, of when a host last called us and of how long it took.
//
// It owns the log's files and lines. It imports the standard library only: it
// is written to on every call. Lines hold facts, never contents: no prompt,
// path, command or output, and of a session only a digest.
package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// MaxLine is the longest line in bytes, its newline included: short enough
// that one write appends it whole.
const MaxLine = 400

// keepDays is how long a day's file is kept.
const keepDays = 30

// Log is a directory of files YYYY-MM-DD.jsonl, one for each day in UTC, made
// when first written (directory 0700, files 0600). Any number of processes may
// append at once.
type Log struct {
	Dir string
	Now func() time.Time // nil = time.Now
}

// Entry is one hook call. Fields are cut to fit a line: a gate or rule to 48
// bytes, a host, event or version to 24, a kind of tool to 12, a lapse to what
// is left.
type Entry struct {
	Decision string
	Gate     string
	Rule     string
	Host     string
	Event    string // as the host calls it
	Session  string // the host's session id; the line holds its Digest
	Took     time.Duration

	Codes   []string // by which a human may allow the call that was refused
	Probe   bool     // made by init or doctor to prove an entry
	Tool    string   // kind of tool, "" if none
	Version string   // ours
	Lapse   string   // what could not be judged or recorded, "" if nothing
}

// Digest is what a line holds of a session: the first 16 digits of its
// session.Key. No id has none.
func Digest(host, id string) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(host + "\x00" + id))
	return hex.EncodeToString(sum[:8])
}

func (l *Log) now() time.Time {
	if l.Now == nil {
		return time.Now().UTC()
	}
	return l.Now().UTC()
}

const (
	dayFormat  = "2006-01-02"
	timeFormat = "2006-01-02T15:04:05.000Z"
	fileSuffix = ".jsonl"
)

// Append writes one line with one write, without a lock and without waiting
// for the disk. The first line of a day also removes files older than 30 days.
func (l *Log) Append(e Entry) error {
	now := l.now()
	var buf [MaxLine]byte
	return l.append(e.line(buf[:0], now), now)
}

// Finding is what one validator had against one text.
type Finding struct {
	Host      string
	Event     string // as the host calls it
	Session   string // the host's session id; the line holds its Digest
	Validator string
	Severity  string
	Direction string
	Path      string // of the file, if it is one
	Kinds     string // comma-separated
	Sample    string // redacted
	Reason    string // why it could not tell, "" if it could
}

// AppendFinding writes one line, as Append does. It is for a Log of findings: one
// of hook calls holds no other lines.
func (l *Log) AppendFinding(f Finding) error {
	now := l.now()
	var buf [MaxLine]byte
	b := field(buf[:0], `{"validator":"`, f.Validator, 36)
	b = field(b, `","severity":"`, f.Severity, 8)
	b = field(b, `","direction":"`, f.Direction, 8)
	b = field(b, `","host":"`, f.Host, 20)
	b = field(b, `","event":"`, f.Event, 24)
	b = field(b, `","session":"`, Digest(f.Host, f.Session), 16)
	b = append(b, `","time":"`...)
	b = now.AppendFormat(b, timeFormat)
	b = field(b, `","kinds":"`, f.Kinds, 40)
	b = field(b, `","sample":"`, f.Sample, 28)
	if f.Path != "" {
		b = field(b, `","path":"`, tail(f.Path, 36), 36)
	}
	if f.Reason != "" {
		b = field(b, `","reason":"`, f.Reason, 24)
	}
	return l.append(append(b, "\"}\n"...), now)
}

// tail is the end of a path: what tells files apart.
func tail(path string, n int) string {
	for i := range path {
		if len(path)-i <= n {
			return path[i:]
		}
	}
	return path
}

// append writes one line.
func (l *Log) append(line []byte, now time.Time) error {
	path := filepath.Join(l.Dir, now.Format(dayFormat)+fileSuffix)
	const flags = os.O_WRONLY | os.O_APPEND | neverWait
	f, err := os.OpenFile(path, flags, 0)
	fresh := errors.Is(err, fs.ErrNotExist)
	if fresh {
		f, err = os.OpenFile(path, flags|os.O_CREATE, 0o600)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(l.Dir, 0o700); err == nil {
			f, err = os.OpenFile(path, flags|os.O_CREATE, 0o600)
		}
	}
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}
	_, err = f.Write(line)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}
	if fresh {
		return l.prune(now)
	}
	return nil
}

// line appends e as JSON with a newline to b, in at most MaxLine bytes.
func (e *Entry) line(b []byte, now time.Time) []byte {
	b = field(b, `{"decision":"`, e.Decision, 16)
	b = field(b, `","gate":"`, e.Gate, 48)
	b = field(b, `","rule":"`, e.Rule, 48)
	b = field(b, `","host":"`, e.Host, 24)
	b = field(b, `","event":"`, e.Event, 24)
	b = field(b, `","session":"`, Digest(e.Host, e.Session), 16)
	b = append(b, `","ms":`...)
	b = strconv.AppendFloat(b, milliseconds(e.Took), 'f', -1, 64)
	b = append(b, `,"time":"`...)
	b = now.AppendFormat(b, timeFormat)
	b = append(b, '"')
	if e.Probe {
		b = append(b, `,"probe":true`...)
	}
	if e.Tool != "" {
		b = append(field(b, `,"tool":"`, e.Tool, 12), '"')
	}
	if e.Version != "" {
		b = append(field(b, `,"version":"`, e.Version, 24), '"')
	}
	const lapse, end = `,"lapse":"`, "}\n"
	b = codes(b, e.Codes, MaxLine-len(end))
	if room := MaxLine - len(b) - len(lapse) - len(end) - 1; e.Lapse != "" && room >= 16 {
		b = append(field(b, lapse, e.Lapse, room), '"')
	}
	return append(b, end...)
}

// codes appends as many whole codes as b has room for, up to a length of most.
func codes(b []byte, list []string, most int) []byte {
	sep := `,"code":"`
	n := len(b)
	for _, c := range list {
		if len(b)+len(sep)+len(c)+1 > most {
			break
		}
		b = field(append(b, sep...), "", c, 8)
		sep = ","
	}
	if len(b) > n {
		b = append(b, '"')
	}
	return b
}

// milliseconds returns d to a microsecond, and never so much that it would be
// printed long.
func milliseconds(d time.Duration) float64 {
	const most = 24 * time.Hour
	return float64(min(max(d, 0), most).Microseconds()) / 1000
}

// field appends name and at most max bytes of value. What would need an escape
// in JSON is replaced by what does not, so that bytes in are bytes out.
func field(b []byte, name, value string, max int) []byte {
	b = append(b, name...)
	for _, r := range value {
		switch {
		case r == '"':
			r = '\''
		case r == '\\':
			r = '/'
		case r < ' ' || r == 0x7f:
			r = ' '
		case r == utf8.RuneError:
			r = '?'
		}
		if max -= utf8.RuneLen(r); max < 0 {
			break
		}
		b = utf8.AppendRune(b, r)
	}
	return b
}

// prune removes the files of days that are no longer kept.
func (l *Log) prune(now time.Time) error {
	days, err := l.days()
	if err != nil {
		return err
	}
	oldest := now.AddDate(0, 0, -keepDays).Format(dayFormat)
	var errs []error
	for _, day := range days {
		if day >= oldest {
			break
		}
		if err := os.Remove(l.file(day)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("log: %w", err))
		}
	}
	return errors.Join(errs...)
}

// Today returns the file to which Append writes now, whether or not it is there.
func (l *Log) Today() string { return l.file(l.now().Format(dayFormat)) }

func (l *Log) file(day string) string { return filepath.Join(l.Dir, day+fileSuffix) }

// days lists the days that have a file, oldest first.
func (l *Log) days() ([]string, error) {
	entries, err := os.ReadDir(l.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("log: %w", err)
	}
	var days []string
	for _, e := range entries { // sorted by name
		day, ok := strings.CutSuffix(e.Name(), fileSuffix)
		if _, err := time.Parse(dayFormat, day); ok && err == nil {
			days = append(days, day)
		}
	}
	return days, nil
}
