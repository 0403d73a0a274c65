package popular

import "strings"

// nearModule returns the modules on the list that name differs from in their
// owner alone: by one edit, by a go before or behind it, or by standing on
// another of the large hosts. A module's own name says little: many have the
// same.
func nearModule(names, name, except string) []string {
	host, owner, repo, ok := module(name)
	if !ok {
		return nil
	}
	var out []string
	for line := range strings.SplitSeq(names, "\n") {
		if line == except || !strings.HasSuffix(line, "/"+repo) {
			continue
		}
		h, o, r, ok := module(line)
		if !ok || r != repo {
			continue
		}
		if same := o == owner; same && h != host || !same && h == host && nearOwner(owner, o) {
			if out = append(out, line); len(out) == most {
				break
			}
		}
	}
	return out
}

// module splits the path of a module on one of the large hosts of code.
func module(path string) (host, owner, repo string, ok bool) {
	host, rest, _ := strings.Cut(path, "/")
	owner, repo, ok = strings.Cut(rest, "/")
	switch host {
	case "github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "gitee.com":
		return host, owner, repo, ok && owner != "" && repo != "" && !strings.Contains(repo, "/")
	}
	return "", "", "", false
}

func nearOwner(a, b string) bool {
	for _, add := range [...]string{"-go", "-golang", "go", "golang"} {
		if a == b+add || b == a+add || a == strings.Trim(add, "-")+"-"+b {
			return true
		}
	}
	if strings.EqualFold(a, b) { // the hosts take them for one
		return false
	}
	return min(len(a), len(b)) >= 4 && within(strings.ToLower(a), strings.ToLower(b), 1)
}
