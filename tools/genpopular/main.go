// Command genpopular writes the lists of popular names in core/deps/popular.
//
//	go run ./tools/genpopular -npm FILE -pypi FILE [-n 10000]
//
// A FILE holds names of packages with the most used first, or with counts. It
// may be JSON as {"rows": [{"project": "boto3", "download_count": 1}, …]} or as
// an array of names, a JavaScript module with an array of quoted names, a table
// of name and count between tabs or commas, or plain lines. Names that no
// registry would take are left out; with counts the lines are sorted by them.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "genpopular:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("genpopular", flag.ContinueOnError)
	flags.SetOutput(out)
	npm := flags.String("npm", "", "names of the npm registry")
	pypi := flags.String("pypi", "", "names of PyPI")
	n := flags.Int("n", 10000, "names to keep")
	dir := flags.String("dir", "core/deps/popular", "where the lists are")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *npm == "" && *pypi == "" {
		return errors.New("nothing to do: name a file with -npm or -pypi")
	}
	for _, l := range []struct {
		from, to string
		name     func(string) string
	}{{*npm, "npm.txt", npmName}, {*pypi, "pypi.txt", pypiName}} {
		if l.from == "" {
			continue
		}
		data, err := os.ReadFile(l.from)
		if err != nil {
			return err
		}
		names := clean(read(data), *n, l.name)
		if len(names) < *n/2 {
			return fmt.Errorf("%s: %d names, want about %d: is it the right file?", l.from, len(names), *n)
		}
		to := filepath.Join(*dir, l.to)
		if err := os.WriteFile(to, []byte(strings.Join(names, "\n")+"\n"), 0o644); err != nil { // #nosec G306 -- a source file
			return err
		}
		fmt.Fprintf(out, "%s: %d names\n", to, len(names))
	}
	return nil
}

// ranked is a name, with a count if the file has one.
type ranked struct {
	name  string
	count float64
}

// read finds out the form of data and returns its names, most used first.
func read(data []byte) []ranked {
	var table struct {
		Rows []struct {
			Project string  `json:"project"`
			Count   float64 `json:"download_count"`
		} `json:"rows"`
	}
	var out []ranked
	if json.Unmarshal(data, &table) == nil && len(table.Rows) > 0 {
		for _, r := range table.Rows {
			out = append(out, ranked{r.Project, r.Count})
		}
		return byCount(out)
	}
	var list []string
	if json.Unmarshal(data, &list) == nil {
		for _, name := range list {
			out = append(out, ranked{name: name})
		}
		return out
	}
	lines := bufio.NewScanner(strings.NewReader(string(data)))
	lines.Buffer(nil, 64<<20)
	module := strings.Contains(string(data[:min(len(data), 4096)]), "export ")
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if module {
			if len(line) > 2 && line[0] == '\'' || len(line) > 2 && line[0] == '"' {
				out = append(out, ranked{name: strings.Trim(line, `'",`)})
			}
			continue
		}
		name, rest, _ := strings.Cut(strings.ReplaceAll(line, ",", "\t"), "\t")
		count, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
		if err != nil && rest != "" {
			continue // a heading
		}
		out = append(out, ranked{strings.Trim(name, `"`), count})
	}
	return byCount(out)
}

func byCount(list []ranked) []ranked {
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(b.count, a.count) })
	return list
}

// clean keeps the first n names that name accepts, each once.
func clean(list []ranked, n int, name func(string) string) []string {
	seen := make(map[string]bool)
	var out []string
	for _, r := range list {
		s := name(r.name)
		if s == "" || seen[s] {
			continue
		}
		seen[s] = true
		if out = append(out, s); len(out) == n {
			break
		}
	}
	return out
}

// npmName is s if it can be a package of the npm registry, else "".
func npmName(s string) string {
	rest := s
	if strings.HasPrefix(s, "@") {
		scope, name, ok := strings.Cut(s[1:], "/")
		if !ok || !word(scope) {
			return ""
		}
		rest = name
	}
	if !word(rest) {
		return ""
	}
	return s
}

// pypiName is s as PEP 503 normalises it, "" if it can be no project.
func pypiName(s string) string {
	if !word(s) {
		return ""
	}
	parts := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune("-_.", r) })
	return strings.Join(parts, "-")
}

// word reports whether s is letters, digits and - _ . ~ and does not begin with
// a dot.
func word(s string) bool {
	if s == "" || s[0] == '.' {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_.~", r)
	})
}
