package tree

import (
	"strconv"
	"strings"
)

// resolve returns the tag of a plain scalar, "" if another reader is to say.
func resolve(s string) string {
	if s == "" {
		return Null
	}
	switch c := s[0]; {
	case c >= '0' && c <= '9' || c == '+' || c == '-':
		return number(s)
	case c == '.':
		switch s {
		case ".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF":
			return Float
		}
		if _, err := strconv.ParseFloat(s, 64); err == nil {
			return Float
		}
		return Str
	case c == '<':
		if s == "<<" {
			return Merge
		}
		return Str
	}
	switch s {
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return Bool
	case "~", "null", "Null", "NULL":
		return Null
	}
	return Str
}

// number resolves what begins with a digit or a sign.
func number(s string) string {
	switch s {
	case "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF", "-0", "-0.0":
		return Float
	}
	if len(s) > 4 && s[4] == '-' && strings.Trim(s[:4], "0123456789") == "" {
		return "" // a date, or nearly one
	}
	plain := strings.ReplaceAll(s, "_", "")
	if _, err := strconv.ParseInt(plain, 0, 64); err == nil {
		return Int
	}
	if _, err := strconv.ParseUint(strings.TrimPrefix(plain, "+"), 0, 64); err == nil {
		return Int
	}
	if decimal(plain) {
		if _, err := strconv.ParseFloat(plain, 64); err == nil {
			return Float
		}
	}
	return Str
}

// decimal reports whether s is a sign, digits with a point, an exponent; all but
// some digits may be missing.
func decimal(s string) bool {
	s = signless(s)
	whole := digits(s)
	rest := s[whole:]
	if frac, ok := strings.CutPrefix(rest, "."); ok {
		n := digits(frac)
		if whole == 0 && n == 0 {
			return false
		}
		rest = frac[n:]
	} else if whole == 0 {
		return false
	}
	if rest == "" {
		return true
	}
	if rest[0]|0x20 != 'e' {
		return false
	}
	exp := signless(rest[1:])
	return exp != "" && digits(exp) == len(exp)
}

func signless(s string) string {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		return s[1:]
	}
	return s
}

// digits counts those that s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
