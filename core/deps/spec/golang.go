package spec

import (
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
)

// Go reads path[@query] of go get and its kin. Local paths, patterns, the
// standard library, the toolchain and removals add nothing.
func Go(text string) (coord.Package, string) {
	path, query, _ := strings.Cut(strings.TrimSpace(text), "@")
	if query == "none" || localPath(path) || path == "go" || path == "toolchain" {
		return coord.Package{}, ""
	}
	for strings.HasSuffix(path, "/...") {
		path = strings.TrimSuffix(path, "/...")
	}
	if strings.Contains(path, "://") {
		return coord.Package{}, coord.URL
	}
	host, _, _ := strings.Cut(path, "/")
	if !strings.Contains(host, ".") || strings.HasSuffix(path, ".go") && !strings.Contains(path, "/") {
		return coord.Package{}, "" // the standard library, all, a file
	}
	if strings.ContainsFunc(path, func(r rune) bool { return r <= ' ' || strings.ContainsRune(`\"'*?<>|`, r) }) {
		return coord.Package{}, coord.Unparsable
	}
	p := coord.Package{Ecosystem: coord.Go, Name: Module(path), Path: path, Constraint: query}
	if goVersion(query) {
		p.Version = query
	}
	return p, ""
}

// goVersion reports whether a query is a version or a comparison, and not a
// branch, a commit or a word such as latest.
func goVersion(q string) bool {
	if q == "" {
		return false
	}
	if q[0] == '<' || q[0] == '>' {
		return true
	}
	return len(q) > 1 && q[0] == 'v' && '0' <= q[1] && q[1] <= '9'
}

// Module is the likely module of a package path. Where a module may end
// anywhere, it is cut at cmd, internal or pkg, or else left whole; the registry
// knows better.
func Module(path string) string {
	parts := strings.Split(path, "/")
	n := len(parts)
	switch host := parts[0]; host {
	case "github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "gitee.com", "git.sr.ht", "gitea.com":
		n = 3
	case "golang.org":
		n = 3 // golang.org/x/…
	case "gopkg.in":
		n = 2
		if len(parts) > 2 && !strings.Contains(parts[1], ".v") {
			n = 3
		}
	case "go.uber.org", "google.golang.org", "k8s.io", "sigs.k8s.io", "mvdan.cc", "modernc.org", "rsc.io", "entgo.io", "go.mongodb.org",
		"pgregory.net", "gotest.tools", "helm.sh", "oras.land", "connectrpc.com", "filippo.io", "go.starlark.net", "gocloud.dev", "gvisor.dev", "gonum.org":
		n = 2
		if host == "gonum.org" {
			n = 3
		}
	case "honnef.co", "gorm.io":
		n = 3
		if host == "gorm.io" && len(parts) > 1 && parts[1] == "gorm" {
			n = 2
		}
	default:
		for i := 1; i < len(parts); i++ {
			if p := parts[i]; p == "cmd" || p == "internal" || p == "pkg" && i > 1 {
				n = i
				break
			} else if i > 1 && majorSuffix(p) {
				n = i + 1
				break
			}
		}
	}
	n = min(n, len(parts))
	if n < len(parts) && majorSuffix(parts[n]) {
		n++
	}
	if nested(path) {
		n = len(parts)
	}
	return strings.Join(parts[:n], "/")
}

// nested reports whether a package that is often installed is a module inside
// of another's repository.
func nested(path string) bool {
	switch path {
	case "golang.org/x/tools/gopls", "google.golang.org/grpc/cmd/protoc-gen-go-grpc", "sigs.k8s.io/controller-runtime/tools/setup-envtest",
		"sigs.k8s.io/kustomize/kustomize/v4", "sigs.k8s.io/kustomize/kustomize/v5":
		return true
	}
	return false
}

// majorSuffix reports whether s is v2, v3 and so on.
func majorSuffix(s string) bool {
	return len(s) > 1 && s[0] == 'v' && s != "v0" && s != "v1" && strings.Trim(s[1:], "0123456789") == ""
}
