package depsdev

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A package may have thousands of versions, and a process that has it from a
// cache lives for some milliseconds. So it is kept as one text, a line a
// version: number, seconds since 1970 in base 36, flags, and which of the
// reasons it has.

type compact struct {
	Name    string
	List    string
	Reasons []string `json:",omitempty"`
}

const (
	flagDefault    = 'd'
	flagDeprecated = 'x'
	flagYanked     = 'y'
)

// MarshalJSON keeps what PackageRequest answers, to the second. A version whose
// number has a blank in it is none that a tool could be told.
func (p Package) MarshalJSON() ([]byte, error) {
	c := compact{Name: p.Name}
	var b strings.Builder
	for i := range p.Versions {
		v := &p.Versions[i]
		if v.Number == "" || strings.ContainsAny(v.Number, " \t\r\n") {
			continue
		}
		b.WriteString(v.Number)
		b.WriteByte(' ')
		if !v.Published.IsZero() {
			b.WriteString(strconv.FormatInt(v.Published.Unix(), 36))
		}
		b.WriteByte(' ')
		for _, f := range [...]struct {
			on   bool
			flag byte
		}{{v.Default, flagDefault}, {v.Deprecated, flagDeprecated}, {v.Yanked, flagYanked}} {
			if f.on {
				b.WriteByte(f.flag)
			}
		}
		if why := v.DeprecatedReason + v.YankReason; why != "" {
			at := slices.Index(c.Reasons, why)
			if at < 0 {
				at, c.Reasons = len(c.Reasons), append(c.Reasons, why)
			}
			b.WriteByte(' ')
			b.WriteString(strconv.Itoa(at))
		}
		b.WriteByte('\n')
	}
	c.List = b.String()
	return json.Marshal(c)
}

var errKept = errors.New("not a package as it is kept")

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *Package) UnmarshalJSON(b []byte) error {
	var c compact
	if err := json.Unmarshal(b, &c); err != nil {
		return err
	}
	*p = Package{Name: c.Name, Versions: make([]Version, 0, strings.Count(c.List, "\n"))}
	for rest := c.List; rest != ""; {
		var line, field string
		line, rest, _ = strings.Cut(rest, "\n")
		var v Version
		v.Number, line, _ = strings.Cut(line, " ")
		if field, line, _ = strings.Cut(line, " "); field != "" {
			at, err := strconv.ParseInt(field, 36, 64)
			if err != nil {
				return errKept
			}
			v.Published = time.Unix(at, 0).UTC()
		}
		flags, why, _ := strings.Cut(line, " ")
		v.Default = strings.IndexByte(flags, flagDefault) >= 0
		v.Deprecated = strings.IndexByte(flags, flagDeprecated) >= 0
		v.Yanked = strings.IndexByte(flags, flagYanked) >= 0
		if v.Number == "" {
			return errKept
		}
		if why != "" {
			n, err := strconv.Atoi(why)
			if err != nil || n < 0 || n >= len(c.Reasons) {
				return errKept
			}
			if v.Yanked {
				v.YankReason = c.Reasons[n]
			} else {
				v.DeprecatedReason = c.Reasons[n]
			}
		}
		p.Versions = append(p.Versions, v)
	}
	return nil
}
