package installer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/installer/jsonedit"
)

// museHome is where Muse keeps its own files, which we only read (1.0.1 to
// 1.4.14, documented).
type museHome struct {
	config string
	data   string
	moved  string // the variable that moves a folder from its default, and its value
}

func (muse) home(i *Installer) (museHome, error) {
	h := museHome{filepath.Join(i.env.Home, ".config", "muse"), filepath.Join(i.env.Home, ".local", "share", "muse"), ""}
	for _, v := range []struct {
		name string
		dir  *string
	}{{"XDG_CONFIG_HOME", &h.config}, {"XDG_DATA_HOME", &h.data}} {
		dir := i.env.Getenv(v.name)
		if dir == "" {
			continue
		}
		if !filepath.IsAbs(dir) {
			return h, refuse("", "%s is %q: it must be an absolute path", v.name, dir)
		}
		if at := filepath.Join(dir, "muse"); at != *v.dir {
			*v.dir, h.moved = at, v.name+"="+dir
		}
	}
	return h, nil
}

// museRecord is what Muse has on record of our plugin. It is read, never
// verified: the digests are Muse's own.
type museRecord struct {
	installed bool
	enabled   bool
	source    string // the bundle that it was installed from, "" if that is not said
	cache     string // Muse's copy of it, "" if that is not known
	approved  int    // hooks that the user approved
	rejected  int    // hooks that the user switched off
	problems  []string
}

// record reads installed.json and the approvals in settings.json. Their schemas
// are not published, so what says "guardrails" is looked for wherever it stands.
func (h museHome) record() (r museRecord) {
	name := filepath.Join(h.data, "plugins", "installed.json")
	doc, err := readTolerant(name)
	if err != nil {
		r.problems = append(r.problems, err.Error())
	}
	if doc != nil {
		if n, ok := findPlugin(doc.Root(), "", 0); ok {
			r.installed = true
			r.enabled = string(n.Get("enabled").Raw()) != "false"
			r.source = absoluteIn(n.Get("source"), 0)
			r.cache = n.Get("cache_path").Text()
		}
	}
	if r.installed && r.cache == "" {
		r.cache = newest(filepath.Join(h.data, "plugins", "cache", "local", "guardrails"))
	}
	settings, err := readTolerant(filepath.Join(h.config, "settings.json"))
	if err != nil {
		r.problems = append(r.problems, err.Error())
	}
	if settings == nil {
		return r
	}
	caps := settings.At("runtime_capabilities")
	for _, key := range caps.Keys() {
		if !strings.HasPrefix(key, "plugin:guardrails:hook:") {
			continue
		}
		c := caps.Get(key)
		switch {
		case string(c.Get("enabled").Raw()) == "false":
			r.rejected++
		case c.Get("trusted_definition_hash").Text() != "":
			r.approved++
		}
	}
	return r
}

// readTolerant reads a file of Muse's; nil if there is none.
func readTolerant(name string) (*jsonedit.Doc, error) {
	data, err := fsx.ReadFile(name, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, unwrapPath(err))
	}
	doc, err := jsonedit.Parse(data, jsonedit.Strict)
	if err != nil {
		return nil, fmt.Errorf("%s:%w: what Muse has on record cannot be read", name, err)
	}
	return doc, nil
}

// findPlugin finds the object that stands for our plugin: one with our id, or
// one under our id as its key.
func findPlugin(n jsonedit.Node, key string, depth int) (jsonedit.Node, bool) {
	if depth > 8 {
		return n, false
	}
	switch n.Kind() {
	case jsonedit.ObjectKind:
		if n.Get("id").Text() == "guardrails" || key == "guardrails" && n.Get("id").Kind() == jsonedit.Invalid {
			return n, true
		}
		for _, k := range n.Keys() {
			if found, ok := findPlugin(n.Get(k), k, depth+1); ok {
				return found, true
			}
		}
	case jsonedit.ArrayKind:
		for i := range n.Len() {
			if found, ok := findPlugin(n.Index(i), "", depth+1); ok {
				return found, true
			}
		}
	default:
	}
	return n, false
}

// absoluteIn is the first absolute path in a value.
func absoluteIn(n jsonedit.Node, depth int) string {
	if text := strings.TrimPrefix(n.Text(), "file://"); filepath.IsAbs(text) {
		return filepath.Clean(text)
	}
	if depth > 4 {
		return ""
	}
	for _, k := range n.Keys() {
		if p := absoluteIn(n.Get(k), depth+1); p != "" {
			return p
		}
	}
	return ""
}

// newest is the package that Muse put last into its cache, "" if there is none.
func newest(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	best := ""
	var at int64
	for _, e := range entries {
		path := filepath.Join(dir, e.Name(), "package")
		if info, err := os.Stat(path); err == nil && info.IsDir() && (best == "" || info.ModTime().UnixNano() > at) {
			best, at = path, info.ModTime().UnixNano()
		}
	}
	return best
}

// modified reports whether Muse's copy is another bundle than f, as far as its
// copy can be found.
func (r museRecord) modified(f folder) bool {
	if r.cache == "" {
		return false
	}
	copied := folder{root: r.cache, files: f.files}
	missing, edited := copied.differs()
	return len(missing) < len(f.files) && len(missing)+len(edited) > 0
}

// next lists the commands that are left to the human, as typed.
func (r museRecord) next(f folder, scope string) []string {
	path := f.root
	if strings.ContainsAny(path, " '\"\\$`&|;<>()*?[]{}#~!") {
		path = singleQuote(path)
	}
	install, approve := "muse plugins install "+path+" --scope "+scope, "muse plugins approve guardrails"
	switch {
	case !r.installed:
		return []string{install, approve}
	case r.source != "" && r.source != f.root:
		return []string{"muse plugins remove guardrails", install, approve}
	}
	var out []string
	if !r.enabled {
		out = append(out, "muse plugins enable guardrails")
	}
	if r.modified(f) {
		return append(out, "muse plugins update guardrails", approve)
	}
	if r.approved == 0 || r.rejected > 0 {
		out = append(out, approve)
	}
	return out
}

// fill puts what Muse has on record into the state of a bundle.
func (r museRecord) fill(st *State, f folder, scope string) {
	st.Enabled = r.installed && r.enabled && (r.source == "" || r.source == f.root)
	_, edited := f.differs()
	switch {
	case !r.installed:
		st.Approved = "no: not installed in Muse"
	case !st.Enabled && r.enabled:
		st.Approved = "no: Muse has guardrails from " + r.source
	case !r.enabled:
		st.Approved = "no: the plugin is disabled in Muse"
	case r.modified(f) || len(edited) > 0:
		st.Approved = "no: modified since Muse took its copy"
	case r.approved == 0 && r.rejected == 0:
		st.Approved = "no: review needed"
	case r.rejected > 0:
		st.Approved = fmt.Sprintf("in part: hooks switched off by the user: %d", r.rejected)
	default:
		st.Approved = fmt.Sprintf("yes: hooks on Muse's record: %d; read, not verified", r.approved)
	}
	if next := r.next(f, scope); len(next) > 0 && !slices.Contains(st.Problems, next[0]) {
		st.problem("%s; next: %s", strings.TrimPrefix(st.Approved, "no: "), strings.Join(next, "; "))
	}
}

// trust is what Muse's user said of a workspace: "trusted", "untrusted", or "".
func (h museHome) trust(dir string) string {
	doc, err := readTolerant(filepath.Join(h.config, "trust.json"))
	if err != nil || doc == nil {
		return ""
	}
	return doc.At("projects", dir, "decision").Text()
}
