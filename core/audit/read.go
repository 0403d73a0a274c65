package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
	"time"
)

// Line is a decoded log line.
type Line struct {
	Decision string    `json:"decision"`
	Gate     string    `json:"gate"`
	Rule     string    `json:"rule"`
	Host     string    `json:"host"`
	Event    string    `json:"event"`
	Session  string    `json:"session"`
	MS       float64   `json:"ms"`
	Time     time.Time `json:"time"`
	Probe    bool      `json:"probe"`
	Tool     string    `json:"tool"`
	Version  string    `json:"version"`
	Code     string    `json:"code"` // of a refusal; several are comma-separated
	Lapse    string    `json:"lapse"`
}

// Parse decodes one line.
func Parse(line []byte) (Line, error) {
	var l Line
	if err := json.Unmarshal(line, &l); err != nil {
		return Line{}, fmt.Errorf("log line: %w", err)
	}
	return l, nil
}

// Read returns the lines of calls at or after since, in the order in which
// they were written, unchanged and without their newline; with n > 0 only the
// last n of them. A line that a full disk or a crash of the machine tore is
// left out. A line is good until the next step of the loop. An error ends the
// sequence.
func (l *Log) Read(since time.Time, n int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		days, err := l.since(since)
		if err != nil {
			yield(nil, err)
			return
		}
		if n > 0 {
			var last [][]byte
			for _, day := range slices.Backward(days) {
				for line, err := range l.backward(day) {
					if err != nil {
						yield(nil, err)
						return
					}
					if at(line).Before(since) {
						continue
					}
					if last = append(last, bytes.Clone(line)); len(last) == n {
						break
					}
				}
				if len(last) == n {
					break
				}
			}
			for _, line := range slices.Backward(last) {
				if !yield(line, nil) {
					return
				}
			}
			return
		}
		for _, day := range days {
			data, err := l.read(day)
			if err != nil {
				yield(nil, err)
				return
			}
			for line := range bytes.SplitSeq(data, []byte{'\n'}) {
				if !whole(line) || at(line).Before(since) {
					continue
				}
				if !yield(line, nil) {
					return
				}
			}
		}
	}
}

// Refused returns the newest line of a call that was refused with code, false if
// none that is kept was.
func (l *Log) Refused(code string) (Line, bool, error) {
	days, err := l.days()
	if err != nil {
		return Line{}, false, err
	}
	for _, day := range slices.Backward(days) {
		for raw, err := range l.backward(day) {
			if err != nil {
				return Line{}, false, err
			}
			if !bytes.Contains(raw, []byte(code)) {
				continue
			}
			if line, err := Parse(raw); err == nil && slices.Contains(strings.Split(line.Code, ","), code) {
				return line, true, nil
			}
		}
	}
	return Line{}, false, nil
}

// since lists the days whose files may hold calls at or after t.
func (l *Log) since(t time.Time) ([]string, error) {
	days, err := l.days()
	if err != nil || t.IsZero() {
		return days, err
	}
	first, _ := slices.BinarySearch(days, t.UTC().Format(dayFormat))
	return days[first:], nil
}

func (l *Log) read(day string) ([]byte, error) {
	data, err := readFile(l.file(day))
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // removed meanwhile
		return nil, fmt.Errorf("log: %w", err)
	}
	return data, nil
}

// backward returns a day's lines, the last first.
func (l *Log) backward(day string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		data, err := l.read(day)
		if err != nil {
			yield(nil, err)
			return
		}
		for len(data) > 0 {
			data = bytes.TrimSuffix(data, []byte{'\n'})
			i := bytes.LastIndexByte(data, '\n')
			if line := data[i+1:]; whole(line) && !yield(line, nil) {
				return
			}
			data = data[:max(i, 0)]
		}
	}
}

// whole reports whether line is one of ours from end to end.
func whole(line []byte) bool {
	return (bytes.HasPrefix(line, []byte(`{"decision":"`)) || bytes.HasPrefix(line, []byte(`{"validator":"`))) && json.Valid(line)
}

// at returns the time of a whole line.
func at(line []byte) time.Time {
	t, err := time.Parse(time.RFC3339, value(line, "time"))
	if err != nil {
		return time.Time{}
	}
	return t
}

// value returns a text field of a whole line; its values hold no escapes.
func value(line []byte, name string) string {
	_, rest, ok := strings.Cut(string(line), `"`+name+`":"`)
	if !ok {
		return ""
	}
	v, _, _ := strings.Cut(rest, `"`)
	return v
}

// LastFired returns when a host last called us, on one of the events if any are
// given (as the host calls them); probes do not count. Zero means not within
// the days that are kept.
func (l *Log) LastFired(host string, events ...string) (time.Time, error) {
	days, err := l.days()
	if err != nil {
		return time.Time{}, err
	}
	for _, day := range slices.Backward(days) {
		for line, err := range l.backward(day) {
			if err != nil {
				return time.Time{}, err
			}
			if value(line, "host") != host || bytes.Contains(line, []byte(`,"probe":true`)) {
				continue
			}
			if len(events) > 0 && !slices.Contains(events, value(line, "event")) {
				continue
			}
			return at(line), nil
		}
	}
	return time.Time{}, nil
}

// Stat sums up the calls of one event of one host.
type Stat struct {
	Host      string         `json:"host"`
	Event     string         `json:"event"`
	Calls     int            `json:"calls"`
	Lapses    int            `json:"lapses"`
	Decisions map[string]int `json:"decisions"`
	P50       float64        `json:"p50"` // milliseconds
	P95       float64        `json:"p95"`
}

// Stats sums up the calls at or after since, probes left out, sorted by host
// and event.
func (l *Log) Stats(since time.Time) ([]Stat, error) {
	type sums struct {
		Stat
		ms []float64
	}
	by := make(map[[2]string]*sums)
	for raw, err := range l.Read(since, 0) {
		if err != nil {
			return nil, err
		}
		line, err := Parse(raw)
		if err != nil || line.Probe {
			continue
		}
		key := [2]string{line.Host, line.Event}
		s := by[key]
		if s == nil {
			s = &sums{Stat: Stat{Host: line.Host, Event: line.Event, Decisions: make(map[string]int)}}
			by[key] = s
		}
		s.Calls++
		s.Decisions[line.Decision]++
		if line.Lapse != "" {
			s.Lapses++
		}
		s.ms = append(s.ms, line.MS)
	}
	out := make([]Stat, 0, len(by))
	for _, s := range by {
		slices.Sort(s.ms)
		s.P50, s.P95 = percentile(s.ms, 50), percentile(s.ms, 95)
		out = append(out, s.Stat)
	}
	slices.SortFunc(out, func(a, b Stat) int {
		if c := strings.Compare(a.Host, b.Host); c != 0 {
			return c
		}
		return strings.Compare(a.Event, b.Event)
	})
	return out, nil
}

// percentile returns the smallest value that at least p of 100 do not exceed.
func percentile(sorted []float64, p int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max((len(sorted)*p+99)/100, 1)-1]
}

// readFile reads a regular file.
func readFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|neverWait, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.Join(errors.New("not a regular file"), err)}
	}
	return io.ReadAll(f)
}
