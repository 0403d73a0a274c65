package install

import (
	"path"
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/spec"
)

func (r *reader) golang(args []arg) {
	g := grammar{
		values: "-C -tags -ldflags -gcflags -asmflags -gccgoflags -p -mod -modfile -o -exec -overlay -pgo -toolexec -buildmode -compiler -installsuffix -pkgdir -covermode -coverpkg -parallel -require -replace",
		plain:  "-u -t -v -x -n -a -d -f -i -race -msan -asan -cover -tool -work -trimpath -linkshared -modcacherw -buildvcs -fix -insecure -json -fmt -print",
		single: true,
	}
	var edits []flag
	see := func(f flag) {
		f.name = "-" + strings.TrimLeft(f.name, "-")
		switch f.name {
		case "-C":
			if f.value != nil {
				r.into(f.value)
			}
		case "-require", "-replace", "-tool":
			if f.value != nil {
				edits = append(edits, f)
			}
		}
	}
	verb, rest := g.verb(args, see)
	switch verb {
	case "get":
		r.read(g.all(rest, see), "", r.goOne(false))
	case "install":
		r.read(g.all(rest, see), "", r.goOne(true), runs)
	case "run":
		words, _ := g.walk(rest, 1, see)
		r.read(words, "", r.goOne(true), runs)
	case "mod":
		sub, rest := g.verb(rest, see)
		if sub != "edit" {
			if sub == "tidy" || sub == "vendor" || sub == "download" && len(g.all(rest, see)) == 0 {
				r.bare(coord.Go, "go")
			}
			return
		}
		g.values += " -tool"
		g.all(rest, see)
		for _, e := range edits {
			v := *e.value
			if e.name == "-replace" {
				_, v.text, _ = strings.Cut(v.text, "=")
				if v.text == "" {
					continue
				}
				if !strings.Contains(v.text, "@") && v.why == "" {
					r.not(v.text, coord.Path)
					continue
				}
			}
			r.read([]arg{v}, "", r.goOne(false))
		}
	}
}

// goOne reads a package path. versioned: without a version it means what the
// module at hand already requires.
func (r *reader) goOne(versioned bool) func(string) (coord.Package, string) {
	private := r.env("GOPRIVATE")
	if v := r.env("GONOPROXY"); v != "" && v != "none" {
		private += "," + v
	}
	proxy, _, _ := strings.Cut(strings.ReplaceAll(r.env("GOPROXY"), "|", ","), ",")
	custom := proxy != "" && proxy != "direct" && !spec.PublicRegistry(proxy)
	return func(text string) (coord.Package, string) {
		if versioned && !strings.Contains(text, "@") {
			return coord.Package{}, ""
		}
		p, why := spec.Go(text)
		switch {
		case why != "" || p.Name == "":
		case matchPrefix(private, p.Path):
			why = coord.Private
		case custom:
			why = coord.CustomRegistry
		}
		return p, why
	}
}

// matchPrefix reports whether a pattern of the list matches the first segments
// of target, as GOPRIVATE is read.
func matchPrefix(globs, target string) bool {
	for glob := range strings.SplitSeq(globs, ",") {
		glob = strings.TrimSuffix(strings.TrimSpace(glob), "/")
		if glob == "" {
			continue
		}
		segments := strings.Split(target, "/")
		n := strings.Count(glob, "/") + 1
		if n > len(segments) {
			continue
		}
		if ok, err := path.Match(glob, strings.Join(segments[:n], "/")); ok && err == nil {
			return true
		}
	}
	return false
}
