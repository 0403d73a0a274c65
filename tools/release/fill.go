package main

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

// values are what the templates may use.
type values struct {
	Version   string
	Package   string // name of the npm package with the launcher
	Platforms []platformValues
	One       platformValues // the platform, in a package of one platform
}

type platformValues struct {
	Archive, SHA256 string
	Package         string // its npm package
	OS, CPU         string // as npm calls them
}

// npmName is the package with the launcher; those of the platforms have its
// name as a prefix.
const npmName = "@ec261362/guardrails"

// fill reads the checksums in dist, makes sure that every archive has its own,
// and writes dist/homebrew and dist/npm.
func fill(version, dist string) ([]string, error) {
	archives, v, err := readArchives(version, dist)
	if err != nil {
		return nil, err
	}
	for _, dir := range []string{"homebrew", "npm"} {
		if err := os.RemoveAll(filepath.Join(dist, dir)); err != nil {
			return nil, err
		}
	}
	var files []string
	put := func(name string, data []byte, exec bool) error {
		to := filepath.Join(dist, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		files = append(files, name)
		return os.WriteFile(to, data, mode(entry{exec: exec}))
	}
	fillDir := func(from, to string, v values) error {
		return fs.WalkDir(templates, from, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := render(name, v)
			if err != nil {
				return err
			}
			return put(path.Join(to, strings.TrimPrefix(name, from)), text, strings.HasSuffix(name, ".js"))
		})
	}
	if err := fillDir("templates/homebrew", "homebrew", v); err != nil {
		return nil, err
	}
	if err := fillDir("templates/npm/guardrails", "npm/guardrails", v); err != nil {
		return nil, err
	}
	licences := []string{"LICENSE", "NOTICE", "THIRD-PARTY-LICENSES.txt"}
	for i, p := range platforms {
		to := "npm/guardrails-" + p.npmOS + "-" + p.npmCPU
		v.One = v.Platforms[i]
		if err := fillDir("templates/npm/platform", to, v); err != nil {
			return nil, err
		}
		for _, name := range slices.Concat(licences, p.programs()) {
			e, ok := archives[i][name]
			if !ok {
				return nil, fmt.Errorf("%s: has no %s", p.archive(version), name)
			}
			folder := ""
			if !slices.Contains(licences, name) {
				folder, e.exec = "bin", true // a zip of another tool may not say so
			}
			if err := put(path.Join(to, folder, name), e.data, e.exec); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range licences[:2] {
		if err := put(path.Join("npm/guardrails", name), archives[0][name].data, false); err != nil {
			return nil, err
		}
	}
	slices.Sort(files)
	return files, nil
}

// readArchives returns the files of each platform's archive, in the order of
// platforms, and what the templates need of them.
func readArchives(version, dist string) ([]map[string]entry, values, error) {
	v := values{Version: version, Package: npmName}
	text, err := os.ReadFile(filepath.Join(dist, sums))
	if err != nil {
		return nil, v, err
	}
	listed, err := parseSums(text)
	if err != nil {
		return nil, v, fmt.Errorf("%s: %w", filepath.Join(dist, sums), err)
	}
	var archives []map[string]entry
	var problems []error
	for _, p := range platforms {
		name := p.archive(version)
		data, err := os.ReadFile(filepath.Join(dist, name))
		sum := fmt.Sprintf("%x", sha256.Sum256(data))
		switch {
		case err != nil:
			problems = append(problems, err)
			continue
		case listed[name] == "":
			problems = append(problems, fmt.Errorf("%s has no line for %s", sums, name))
			continue
		case listed[name] != sum:
			problems = append(problems, fmt.Errorf("%s is not the file that %s lists: %s, not %s", name, sums, sum, listed[name]))
			continue
		}
		files, err := unpack(name, data)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		archives = append(archives, files)
		v.Platforms = append(v.Platforms, platformValues{name, sum, npmName + "-" + p.npmOS + "-" + p.npmCPU, p.npmOS, p.npmCPU})
	}
	return archives, v, errors.Join(problems...)
}

// parseSums reads lines of sha256sum: a digest, two characters, a name.
func parseSums(text []byte) (map[string]string, error) {
	out := map[string]string{}
	for i, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		sum, name, ok := strings.Cut(strings.TrimRight(line, "\r"), " ")
		raw, err := hex.DecodeString(sum)
		name = strings.TrimLeft(name, " *")
		switch {
		case !ok || err != nil || len(raw) != sha256.Size || name == "" || strings.ContainsAny(name, `/\`):
			return nil, fmt.Errorf("line %d: %q is not a digest and a file name", i+1, line)
		case out[name] != "":
			return nil, fmt.Errorf("line %d: %s is listed twice", i+1, name)
		}
		out[name] = strings.ToLower(sum)
	}
	return out, nil
}

// render fills one template. Its delimiters are [[ and ]], which neither Ruby
// nor JSON nor JavaScript needs here.
func render(name string, v values) ([]byte, error) {
	text, err := templates.ReadFile(name)
	if err != nil {
		return nil, err
	}
	t, err := template.New(path.Base(name)).Delims("[[", "]]").Option("missingkey=error").Funcs(template.FuncMap{
		"on": func(p platformValues, goos, arch string) bool {
			return strings.Contains(p.Archive, "_"+goos+"_"+arch+".")
		},
		"words": func(list ...string) []string { return list },
		"last":  func(i int, list []platformValues) bool { return i == len(list)-1 },
	}).Parse(string(text))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
