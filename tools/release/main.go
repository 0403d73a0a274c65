// Command release makes the files of a release out of built programs: archives
// with their checksums (pack), and from checksums and archives, ours or
// goreleaser's, the Homebrew formula and the npm packages (fill). It publishes
// nothing and must not import the product.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"time"
)

const usage = `usage: release pack -version V -dist DIR -extra DIR [-time SECONDS]
       release fill -version V -dist DIR`

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	var (
		set     = flag.NewFlagSet("release", flag.ContinueOnError)
		version = set.String("version", "", "version without the v")
		dist    = set.String("dist", "dist", "folder of the release")
		extra   = set.String("extra", "", "folder with what goes into every archive")
		seconds = set.Int64("time", 0, "time of every file in an archive, in seconds since 1970")
	)
	set.SetOutput(io.Discard)
	if err := set.Parse(args[1:]); err != nil || set.NArg() > 0 {
		return errors.New(usage)
	}
	if err := checkVersion(*version); err != nil {
		return err
	}
	var (
		files []string
		err   error
	)
	switch args[0] {
	case "pack":
		files, err = pack(*version, *dist, *extra, time.Unix(*seconds, 0).UTC())
	case "fill":
		files, err = fill(*version, *dist)
	default:
		return errors.New(usage)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	for _, f := range files {
		fmt.Fprintln(out, f)
	}
	return nil
}

// A platform is a system that we ship to, as Go names it, and as npm does.
type platform struct{ os, arch, npmOS, npmCPU string }

// platforms are in the order of goreleaser's matrix and of `make cross`.
var platforms = []platform{
	{"linux", "amd64", "linux", "x64"},
	{"linux", "arm64", "linux", "arm64"},
	{"darwin", "amd64", "darwin", "x64"},
	{"darwin", "arm64", "darwin", "arm64"},
	{"windows", "amd64", "win32", "x64"},
	{"windows", "arm64", "win32", "arm64"},
}

// archive is the name of the platform's archive.
func (p platform) archive(version string) string {
	ext := ".tar.gz"
	if p.os == "windows" {
		ext = ".zip"
	}
	return "guardrails_" + version + "_" + p.os + "_" + p.arch + ext
}

// programs are the names of the two programs.
func (p platform) programs() []string {
	if p.os == "windows" {
		return []string{"guardrails.exe", "guardrails-full.exe"}
	}
	return []string{"guardrails", "guardrails-full"}
}

// sums is the name of the checksum file.
const sums = "SHA256SUMS"

// checkVersion accepts a semantic version, as npm takes it too: no v in front.
func checkVersion(v string) error {
	const number, word = `(0|[1-9]\d*)`, `(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)`
	if !regexp.MustCompile(`^` + number + `\.` + number + `\.` + number + `(-` + word + `(\.` + word + `)*)?$`).MatchString(v) {
		return fmt.Errorf("%q is not a version such as 1.2.3 or 1.2.3-rc.1", v)
	}
	return nil
}
