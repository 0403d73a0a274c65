package pr

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Ref names a pull request as far as a text tells. Number is 0 when it does
// not; the other parts may be empty.
type Ref struct {
	Host   string // github.com, a GitHub Enterprise or GitLab host; lower case
	Owner  string // on GitLab all groups: group/subgroup
	Repo   string
	Number int
	GitLab bool
}

// ParseURL reads the web address of a pull or merge request, also one that goes
// on (/files, #issuecomment-1, ?x=y).
func ParseURL(s string) (Ref, bool) {
	s = strings.TrimSpace(s)
	rest, ok := cutFold(s, "https://")
	if !ok {
		if rest, ok = cutFold(s, "http://"); !ok {
			return Ref{}, false
		}
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	part := strings.Split(rest, "/")
	if len(part) < 4 {
		return Ref{}, false
	}
	host := strings.ToLower(part[0])
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	if host == "" || !nameLike(host) {
		return Ref{}, false
	}
	host = strings.TrimPrefix(host, "www.")
	for i := 3; i < len(part)-1; i++ {
		r := Ref{Host: host, Repo: part[i-1], Owner: strings.Join(part[1:i-1], "/")}
		at := i + 1
		switch {
		case part[i] == "pull" && i == 3:
		case part[i] == "merge_requests":
			r.GitLab = true
			if part[i-1] == "-" {
				if i < 4 {
					return Ref{}, false
				}
				r.Repo, r.Owner = part[i-2], strings.Join(part[1:i-2], "/")
			}
		default:
			continue
		}
		n, ok := number(part[at])
		if !ok || r.Owner == "" || r.Repo == "" || slices.ContainsFunc(part[1:i], func(p string) bool { return p == "" || !nameLike(p) }) {
			return Ref{}, false
		}
		r.Number = n
		return r, true
	}
	return Ref{}, false
}

// nameLike reports whether s can be a part of a repository's address.
func nameLike(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-_.:~%", c) >= 0:
		default:
			return false
		}
	}
	return s != ""
}

func number(s string) (int, bool) {
	if s == "" || len(s) > 9 || s[0] == '0' {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// URLs returns the pull requests whose addresses are in a text, in order, each
// once.
func URLs(text string) []Ref {
	var out []Ref
	for {
		i := strings.Index(text, "http")
		if i < 0 {
			return out
		}
		word := text[i:]
		if j := strings.IndexAny(word, " \t\r\n\"'<>()[]{}`,;|\\\x1b"); j >= 0 {
			word = word[:j]
		}
		if ref, ok := ParseURL(strings.TrimRight(word, ".:!*")); ok && !slices.ContainsFunc(out, ref.Same) {
			out = append(out, ref)
		}
		text = text[i+4:]
	}
}

// URL returns the web address, "" unless r names host, owner, repo and number.
func (r Ref) URL() string {
	if r.Host == "" || r.Owner == "" || r.Repo == "" || r.Number == 0 {
		return ""
	}
	kind := "/pull/"
	if r.GitLab {
		kind = "/-/merge_requests/"
	}
	return "https://" + r.Host + "/" + r.Owner + "/" + r.Repo + kind + strconv.Itoa(r.Number)
}

// String is what a person calls it: owner/repo#7, #7 or, on GitLab, with "!";
// "" if it has no number.
func (r Ref) String() string {
	if r.Number == 0 {
		return ""
	}
	mark := "#"
	if r.GitLab {
		mark = "!"
	}
	name := mark + strconv.Itoa(r.Number)
	if r.Owner != "" && r.Repo != "" {
		name = r.Owner + "/" + r.Repo + name
	}
	return name
}

// Parse reads what String and URL return.
func Parse(s string) (Ref, bool) {
	if r, ok := ParseURL(s); ok {
		return r, true
	}
	for _, mark := range []byte{'#', '!'} {
		if r, ok := readRef(s, mark); ok && r.String() == strings.TrimSpace(s) {
			return r, true
		}
	}
	return Ref{}, false
}

// Same reports whether r and o may be one pull request: same number, and no
// part that both name differs. Letter case does not count. Two without a number
// are the same only if they are equal.
func (r Ref) Same(o Ref) bool {
	if r.Number != o.Number {
		return false
	}
	if r.Number == 0 {
		return r == o
	}
	return agree(r.Host, o.Host) && agree(r.Owner, o.Owner) && agree(r.Repo, o.Repo)
}

func agree(a, b string) bool { return a == "" || b == "" || strings.EqualFold(a, b) }

// with fills in what r does not name.
func (r Ref) with(o Ref) Ref {
	if r.Number == 0 {
		r.Number = o.Number
	}
	if r.Owner == "" {
		r.Owner, r.Repo = o.Owner, o.Repo
	}
	if r.Host == "" {
		r.Host = o.Host
	}
	r.GitLab = r.GitLab || o.GitLab
	return r
}

// readRef reads owner/repo#7 or #7 at the beginning of s; mark is # or !.
func readRef(s string, mark byte) (Ref, bool) {
	s = strings.TrimSpace(s)
	i := strings.IndexByte(s, mark)
	if i < 0 {
		return Ref{}, false
	}
	name, rest := s[:i], s[i+1:]
	end := 0
	for end < len(rest) && '0' <= rest[end] && rest[end] <= '9' {
		end++
	}
	n, ok := number(rest[:end])
	if !ok {
		return Ref{}, false
	}
	r := Ref{Number: n, GitLab: mark == '!'}
	if name == "" {
		return r, true
	}
	j := strings.LastIndexByte(name, '/')
	if j <= 0 || strings.ContainsAny(name, " \t") || !nameLike(name[j+1:]) {
		return Ref{}, false
	}
	r.Owner, r.Repo = name[:j], name[j+1:]
	for p := range strings.SplitSeq(r.Owner, "/") {
		if !nameLike(p) {
			return Ref{}, false
		}
	}
	return r, true
}

// repoOf reads what -R takes: [HOST/]OWNER/REPO or an address.
func repoOf(s string) (host, owner, repo string) {
	if u, err := url.Parse(s); err == nil && u.Host != "" {
		s = u.Host + u.Path
	}
	s = strings.TrimSuffix(strings.Trim(s, "/"), ".git")
	part := strings.Split(s, "/")
	if len(part) < 2 || slices.Contains(part, "") {
		return "", "", ""
	}
	if len(part) > 2 && strings.Contains(part[0], ".") {
		host, part = strings.ToLower(part[0]), part[1:]
	}
	return host, strings.Join(part[:len(part)-1], "/"), part[len(part)-1]
}

// ParseRemote reads the address of a git remote: whose repository it is, without
// a number.
func ParseRemote(s string) (Ref, bool) {
	if before, after, ok := strings.Cut(s, ":"); ok && !strings.HasPrefix(after, "//") && !strings.Contains(before, "/") && len(before) > 1 {
		s = "ssh://" + before + "/" + after // git@host:owner/repo.git
	}
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" {
		return Ref{}, false
	}
	host, owner, repo := repoOf("https://" + u.Hostname() + u.Path)
	if host == "" || owner == "" || !nameLike(repo) {
		return Ref{}, false
	}
	return Ref{Host: host, Owner: owner, Repo: repo, GitLab: strings.Contains(host, "gitlab")}, true
}

// cutFold is strings.CutPrefix without regard to the case of ASCII letters.
func cutFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}
