// Package version says which build this is.
package version

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strconv"
)

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

// Print does what the verb version does with these arguments, and reports whether
// it knew them and the answer was written: the full program says what is wrong.
func Print(args []string, w io.Writer) bool {
	var err error
	switch {
	case len(args) == 0:
		_, err = fmt.Fprintf(w, "guardrails %s %s/%s\n", String(), runtime.GOOS, runtime.GOARCH)
	case len(args) == 1 && args[0] == "--json":
		_, err = fmt.Fprintf(w, `{"arch":%q,"go":%q,"os":%q,"version":%s}`+"\n", runtime.GOARCH, runtime.Version(), runtime.GOOS, strconv.Quote(String()))
	default:
		return false
	}
	return err == nil
}
