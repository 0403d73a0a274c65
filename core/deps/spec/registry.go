package spec

import "strings"

// PublicRegistry reports whether address is the registry that a tool asks when
// nothing is configured, so that to name it changes nothing.
func PublicRegistry(address string) bool {
	host := strings.ToLower(strings.TrimSpace(address))
	if i := strings.Index(host, "://"); i >= 0 {
		host = host[i+3:]
	}
	host = strings.TrimPrefix(host, "//")
	if i := strings.IndexAny(host, "/?#"); i >= 0 {
		host = host[:i]
	}
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	host, _, _ = strings.Cut(host, ":")
	switch host {
	case "registry.npmjs.org", "registry.npmjs.com", "registry.yarnpkg.com",
		"pypi.org", "pypi.python.org", "files.pythonhosted.org",
		"index.crates.io", "crates.io", "proxy.golang.org",
		"rubygems.org", "index.rubygems.org", "packagist.org", "repo.packagist.org",
		"nuget.org", "www.nuget.org", "api.nuget.org",
		"repo1.maven.org", "repo.maven.apache.org":
		return true
	}
	return false
}
