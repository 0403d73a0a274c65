// Package version says which build this is.
package version

import "runtime/debug"

// value is set by the release build: -ldflags "-X …/internal/version.value=1.2.3".
var value string

// String returns the release version, else what the build info says, else
// "devel".
func String() string {
	if value != "" {
		return value
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}
