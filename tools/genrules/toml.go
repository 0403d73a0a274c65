package main

import (
	"fmt"
	"strconv"
	"strings"
)

// A config is what a rules file says.
type config struct {
	allow allowlist // for every rule
	rules []rawRule
}

type rawRule struct {
	id       string
	regex    string
	path     string
	entropy  float64
	group    int
	keywords []string
	allow    []allowlist
	hand     string   // own rules only: the function that matches instead of a regexp
	class    string   // own rules only: shape, context or generic
	notes    string   // own rules only
	digit    bool     // own rules only: the value has a digit
	instead  []string // own rules only: keywords for gitleaks' rule of that id
	replace  bool     // own rules only: gitleaks' rule of that id is left out
}

type allowlist struct {
	and       bool
	target    string // secret, match or line
	regexes   []string
	paths     []string
	stopwords []string
}

// readConfig reads the part of TOML that gitleaks' own file uses. Anything else
// is an error, so that a new release cannot be read half.
func readConfig(text string) (*config, error) {
	c := &config{}
	s := &scanner{text: text}
	var put func(key string, v any) error
	for {
		s.space(true)
		if s.end() {
			return c, nil
		}
		line := s.line()
		switch {
		case s.take("[[rules.allowlists]]"):
			if len(c.rules) == 0 {
				return nil, fmt.Errorf("line %d: an allowlist without a rule", line)
			}
			r := &c.rules[len(c.rules)-1]
			r.allow = append(r.allow, allowlist{})
			put = r.allow[len(r.allow)-1].put
		case s.take("[[rules]]"):
			c.rules = append(c.rules, rawRule{})
			put = c.rules[len(c.rules)-1].put
		case s.take("[allowlist]"):
			put = c.allow.put
		default:
			key := s.word()
			s.space(false)
			if key == "" || !s.take("=") {
				return nil, fmt.Errorf("line %d: want key = value", line)
			}
			s.space(false)
			v, err := s.value()
			if err != nil {
				return nil, fmt.Errorf("line %d: %s: %w", line, key, err)
			}
			if put == nil {
				if key != "title" && key != "minVersion" {
					return nil, fmt.Errorf("line %d: unknown key %q", line, key)
				}
				continue
			}
			if err := put(key, v); err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
		}
	}
}

func (r *rawRule) put(key string, v any) error {
	var ok bool
	switch key {
	case "id":
		r.id, ok = v.(string)
	case "description":
		_, ok = v.(string)
	case "regex":
		r.regex, ok = v.(string)
	case "path":
		r.path, ok = v.(string)
	case "entropy":
		r.entropy, ok = v.(float64)
	case "secretGroup":
		var f float64
		f, ok = v.(float64)
		r.group = int(f)
	case "keywords":
		r.keywords, ok = v.([]string)
	case "hand":
		r.hand, ok = v.(string)
	case "class":
		r.class, ok = v.(string)
	case "digit":
		r.digit, ok = v.(bool)
	case "instead":
		r.instead, ok = v.([]string)
	case "replace":
		r.replace, ok = v.(bool)
	case "notes":
		r.notes, ok = v.(string)
	default:
		return fmt.Errorf("unknown key %q of a rule", key)
	}
	if !ok {
		return fmt.Errorf("%s has a value of the wrong type", key)
	}
	return nil
}

func (a *allowlist) put(key string, v any) error {
	var ok bool
	switch key {
	case "description":
		_, ok = v.(string)
	case "condition":
		var s string
		s, ok = v.(string)
		a.and = s == "AND"
		ok = ok && (s == "AND" || s == "OR")
	case "regexTarget":
		a.target, ok = v.(string)
	case "regexes":
		a.regexes, ok = v.([]string)
	case "paths":
		a.paths, ok = v.([]string)
	case "stopwords":
		a.stopwords, ok = v.([]string)
	default:
		return fmt.Errorf("unknown key %q of an allowlist", key)
	}
	if !ok {
		return fmt.Errorf("%s has a value of the wrong type", key)
	}
	return nil
}

type scanner struct {
	text string
	at   int
}

func (s *scanner) end() bool { return s.at >= len(s.text) }
func (s *scanner) line() int { return 1 + strings.Count(s.text[:s.at], "\n") }

func (s *scanner) take(tok string) bool {
	if strings.HasPrefix(s.text[s.at:], tok) {
		s.at += len(tok)
		return true
	}
	return false
}

// space skips blanks, and with lines also line ends and comments.
func (s *scanner) space(lines bool) {
	for !s.end() {
		switch c := s.text[s.at]; {
		case c == ' ' || c == '\t' || c == '\r' || lines && c == '\n':
			s.at++
		case c == '#' && lines:
			n := strings.IndexByte(s.text[s.at:], '\n')
			if n < 0 {
				n = len(s.text) - s.at
			}
			s.at += n
		default:
			return
		}
	}
}

func (s *scanner) word() string {
	from := s.at
	for !s.end() {
		c := s.text[s.at] | 0x20
		if c < 'a' || c > 'z' {
			break
		}
		s.at++
	}
	return s.text[from:s.at]
}

// value reads a string, a number or a list of strings.
func (s *scanner) value() (any, error) {
	if s.end() {
		return nil, fmt.Errorf("no value")
	}
	switch {
	case s.take("["):
		list := []string{}
		for {
			s.space(true)
			if s.take("]") {
				return list, nil
			}
			v, err := s.value()
			if err != nil {
				return nil, err
			}
			text, ok := v.(string)
			if !ok {
				return nil, fmt.Errorf("a list of something else than strings")
			}
			list = append(list, text)
			s.space(true)
			if !s.take(",") && (s.end() || s.text[s.at] != ']') {
				return nil, fmt.Errorf("want , or ] in a list")
			}
		}
	case s.take("'''"):
		text, rest, ok := strings.Cut(s.text[s.at:], "'''")
		if !ok {
			return nil, fmt.Errorf("a string without an end")
		}
		s.at = len(s.text) - len(rest)
		return text, nil
	case s.take(`"`):
		text, rest, ok := strings.Cut(s.text[s.at:], `"`)
		if !ok || strings.ContainsAny(text, "\\\n") {
			return nil, fmt.Errorf("a string with an escape or without an end")
		}
		s.at = len(s.text) - len(rest)
		return text, nil
	}
	if s.take("true") {
		return true, nil
	}
	from := s.at
	for !s.end() && strings.IndexByte("0123456789.", s.text[s.at]) >= 0 {
		s.at++
	}
	return strconv.ParseFloat(s.text[from:s.at], 64)
}
