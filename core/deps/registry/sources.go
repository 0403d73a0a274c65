package registry

import (
	"path/filepath"
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/spec"
)

// Sources are the registries that settings files name for one ecosystem.
type Sources struct {
	Default string            // stands in for the public registry; "" = it does not
	Scopes  map[string]string // of npm: @scope to registry
	Extra   string            // asked beside the default one
	Private []string          // of Go: patterns of modules that are fetched from where they are
	Token   bool              // of npm: the user is logged in, so that scoped packages may be private
}

// Reader reads a file by its absolute path; nil if it is not there.
type Reader func(name string) []byte

// Settings reads the settings files that the user's tool reads in dir, which
// count from the nearest: those of the folders up to root, then those of the
// user. Values are not interpreted and never told.
func Settings(read Reader, getenv func(string) string, e coord.Ecosystem, dir, root, home string) Sources {
	s := &sources{read: read, getenv: getenv, home: home, dirs: upward(dir, root)}
	if s.getenv == nil {
		s.getenv = func(string) string { return "" }
	}
	switch e {
	case coord.NPM:
		s.npm()
	case coord.PyPI:
		s.python()
	case coord.Crates:
		s.cargo()
	case coord.Go:
		s.golang()
	case coord.Packagist:
		s.composer()
	case coord.NuGet:
		s.nuget()
	case coord.RubyGems:
		s.ruby()
	case coord.Maven, coord.Conda, coord.None:
	}
	return s.out
}

// upward lists dir and the folders above it as far as root.
func upward(dir, root string) []string {
	if dir == "" || !filepath.IsAbs(dir) {
		return nil
	}
	var out []string
	const most = 12
	for at := filepath.Clean(dir); len(out) < most; at = filepath.Dir(at) {
		out = append(out, at)
		if at == root || root == "" || at == filepath.Dir(at) {
			break
		}
	}
	return out
}

type sources struct {
	read   Reader
	getenv func(string) string
	home   string
	dirs   []string
	out    Sources
}

// nearest reads a file of each folder, the nearest first.
func (s *sources) nearest(name string, use func(text string)) {
	for _, d := range s.dirs {
		if b := s.read(filepath.Join(d, name)); b != nil {
			use(string(b))
		}
	}
}

// user reads files of the user or the machine.
func (s *sources) user(use func(text string), names ...string) {
	for _, n := range names {
		if strings.HasPrefix(n, "~/") {
			if s.home == "" {
				continue
			}
			n = filepath.Join(s.home, n[2:])
		}
		if n == "" || !filepath.IsAbs(n) {
			continue
		}
		if b := s.read(n); b != nil {
			use(string(b))
		}
	}
}

func (s *sources) standard(v string) {
	if v = unquoted(v); v != "" && s.out.Default == "" {
		s.out.Default = v
	}
}

func (s *sources) scope(name, v string) {
	if s.out.Scopes == nil {
		s.out.Scopes = map[string]string{}
	}
	if !strings.HasPrefix(name, "@") {
		name = "@" + name
	}
	if _, have := s.out.Scopes[name]; !have {
		s.out.Scopes[name] = unquoted(v)
	}
}

func unquoted(v string) string { return strings.Trim(strings.TrimSpace(v), `"'`) }

// assignments visits the lines of a text of the form key = value,
// with the [section] above each.
func assignments(text string, visit func(section, key, value string)) {
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, ";") {
			continue
		}
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			section = strings.Trim(line, "[] ")
			visit(section, "", "")
			continue
		}
		if k, v, ok := strings.Cut(line, "="); ok {
			visit(section, unquoted(k), strings.TrimSpace(v))
		}
	}
}

func (s *sources) npm() {
	for _, name := range [...]string{"npm_config_registry", "NPM_CONFIG_REGISTRY", "YARN_NPM_REGISTRY_SERVER", "YARN_REGISTRY", "BUN_CONFIG_REGISTRY"} {
		s.standard(s.getenv(name))
	}
	npmrc := func(text string) {
		assignments(text, func(_, key, v string) {
			switch scope, ok := strings.CutSuffix(key, ":registry"); {
			case ok && strings.HasPrefix(scope, "@"):
				s.scope(scope, v)
			case key == "registry":
				s.standard(v)
			case strings.HasSuffix(key, "_authToken") || strings.HasSuffix(key, ":_auth") || key == "_auth":
				s.out.Token = true
			}
		})
	}
	s.nearest(".npmrc", npmrc)
	s.nearest(".yarnrc", func(text string) {
		for line := range strings.Lines(text) {
			key, v, ok := strings.Cut(strings.TrimSpace(line), " ")
			key = unquoted(key)
			scope, scoped := strings.CutSuffix(key, ":registry")
			switch {
			case ok && scoped && strings.HasPrefix(scope, "@"):
				s.scope(scope, v)
			case ok && key == "registry":
				s.standard(v)
			}
		}
	})
	s.nearest(".yarnrc.yml", s.berry)
	s.nearest("bunfig.toml", s.bun)
	s.user(s.bun, "~/.bunfig.toml")
	s.user(s.berry, "~/.yarnrc.yml")
	s.user(npmrc, s.getenv("NPM_CONFIG_USERCONFIG"), "~/.npmrc", s.getenv("NPM_CONFIG_GLOBALCONFIG"), "/etc/npmrc", "/usr/etc/npmrc", "/usr/local/etc/npmrc")
}

// berry reads yarn's settings: two levels of YAML.
func (s *sources) berry(text string) {
	block, scope := "", ""
	for line := range strings.Lines(text) {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		key, v, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(key, "#") {
			continue
		}
		key = unquoted(key)
		switch {
		case indent == 0:
			if block, scope = key, ""; key == "npmRegistryServer" {
				s.standard(v)
			}
		case block == "npmScopes" && strings.TrimSpace(v) == "":
			scope = key
		case block == "npmScopes" && key == "npmRegistryServer" && scope != "":
			s.scope(scope, v)
		}
	}
}

func (s *sources) bun(text string) {
	assignments(text, func(section, key, v string) {
		switch {
		case section == "install" && key == "registry":
			if i := strings.Index(v, "url"); strings.HasPrefix(v, "{") && i > 0 {
				v = strings.TrimLeft(v[i+3:], " =")
			}
			s.standard(v)
		case section == "install.scopes":
			s.scope(key, v)
		}
	})
}

func (s *sources) python() {
	for _, name := range [...]string{"PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "PDM_PYPI_URL"} {
		s.standard(named(s.getenv(name)))
	}
	for _, name := range [...]string{"PIP_EXTRA_INDEX_URL", "UV_INDEX", "UV_EXTRA_INDEX_URL"} {
		s.extra(named(s.getenv(name)))
	}
	index := "" // of the [[…]] at hand
	def, explicit := false, false
	done := func() {
		switch {
		case index == "" || explicit:
		case def:
			s.standard(index)
		default:
			s.extra(index)
		}
		index, def, explicit = "", false, false
	}
	toml := func(text string) {
		assignments(text, func(section, key, v string) {
			if key == "" {
				done()
				return
			}
			v = unquoted(strings.Trim(v, "[] "))
			switch section {
			case "tool.uv.index", "index":
				index = pick(key == "url", v, index)
				def = def || key == "default" && v == "true"
				explicit = explicit || key == "explicit" && v == "true"
			case "tool.poetry.source":
				index = pick(key == "url", v, index)
				def = def || key == "priority" && (v == "primary" || v == "default") || key == "default" && v == "true"
				explicit = explicit || key == "priority" && v == "explicit"
			case "tool.pdm.source":
				index = pick(key == "url", v, index)
			case "tool.uv", "tool.uv.pip", "", "pip":
				switch key {
				case "index-url", "default-index":
					s.standard(v)
				case "extra-index-url":
					s.extra(v)
				}
			}
		})
		done()
	}
	s.nearest("uv.toml", toml)
	s.nearest("pyproject.toml", toml)
	s.user(toml, "~/.config/uv/uv.toml", "/etc/uv/uv.toml")
	pip := func(text string) {
		assignments(text, func(section, key, v string) {
			if section != "global" && section != "install" && section != "download" {
				return
			}
			switch strings.ReplaceAll(key, "_", "-") {
			case "index-url":
				s.standard(v)
			case "extra-index-url":
				s.extra(v)
			}
		})
	}
	venv := ""
	if v := s.getenv("VIRTUAL_ENV"); v != "" {
		venv = filepath.Join(v, "pip.conf")
	}
	config := s.getenv("PIP_CONFIG_FILE")
	s.user(pip, config, venv)
	if config == "" || config[0] != '/' || config != "/dev/null" {
		s.user(pip, "~/.config/pip/pip.conf", "~/.pip/pip.conf", "~/Library/Application Support/pip/pip.conf", "/etc/pip.conf", "/etc/xdg/pip/pip.conf")
	}
}

// named is the first address of a list, without the name that uv lets stand
// before it.
func named(v string) string {
	v, _, _ = strings.Cut(strings.TrimSpace(v), " ")
	if name, address, ok := strings.Cut(v, "="); ok && !strings.Contains(name, "/") {
		return address
	}
	return v
}

func pick(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}

func (s *sources) extra(v string) {
	if v = unquoted(v); v != "" && s.out.Extra == "" {
		s.out.Extra = v
	}
}

// cargo looks for a source that stands in for another.
func (s *sources) cargo() {
	if v := s.getenv("CARGO_REGISTRY_DEFAULT"); v != "crates-io" {
		s.standard(v)
	}
	s.standard(s.getenv("CARGO_SOURCE_CRATES_IO_REPLACE_WITH"))
	use := func(text string) {
		assignments(text, func(section, key, v string) {
			switch {
			case (section == "source.crates-io" || section == `source."crates-io"`) && key == "replace-with":
				s.standard(v)
			case section == "registry" && key == "default" && unquoted(v) != "crates-io":
				s.standard(v)
			}
		})
	}
	s.nearest(".cargo/config.toml", use)
	s.nearest(".cargo/config", use)
	home := s.getenv("CARGO_HOME")
	if home == "" {
		home = "~/.cargo"
	}
	s.user(use, home+"/config.toml", home+"/config")
}

func (s *sources) golang() {
	private := func(v string) {
		for p := range strings.SplitSeq(v, ",") {
			if p = strings.TrimSpace(p); p != "" {
				s.out.Private = append(s.out.Private, p)
			}
		}
	}
	proxy := func(v string) {
		if v, _, _ = strings.Cut(strings.ReplaceAll(v, "|", ","), ","); v != "direct" && v != "off" {
			s.standard(v)
		}
	}
	proxy(s.getenv("GOPROXY"))
	private(s.getenv("GOPRIVATE"))
	private(s.getenv("GONOPROXY"))
	s.user(func(text string) {
		assignments(text, func(_, key, v string) {
			switch key {
			case "GOPRIVATE", "GONOPROXY":
				private(v)
			case "GOPROXY":
				proxy(unquoted(v))
			}
		})
	}, s.getenv("GOENV"), "~/.config/go/env", "~/Library/Application Support/go/env")
}

// ruby reads the sources of gem and the mirrors of bundle.
func (s *sources) ruby() {
	s.user(func(text string) {
		var custom []string
		public, in := false, false
		for line := range strings.Lines(text) {
			t := strings.TrimSpace(line)
			if item, ok := strings.CutPrefix(t, "- "); in && ok {
				if item = unquoted(item); spec.PublicRegistry(item) {
					public = true
				} else if item != "" {
					custom = append(custom, item)
				}
				continue
			}
			in = t == ":sources:" || t == "sources:"
		}
		switch {
		case len(custom) == 0:
		case public:
			s.extra(custom[0])
		default:
			s.standard(custom[0])
		}
	}, s.getenv("GEMRC"), "~/.gemrc", "/etc/gemrc")
	mirror := func(text string) {
		for line := range strings.Lines(text) {
			key, v, ok := strings.Cut(line, ": ")
			if ok && (key == "BUNDLE_MIRROR__ALL" || strings.HasPrefix(key, "BUNDLE_MIRROR__HTTPS://RUBYGEMS__ORG")) {
				s.standard(v)
			}
		}
	}
	s.standard(s.getenv("BUNDLE_MIRROR__ALL"))
	s.nearest(".bundle/config", mirror)
	s.user(mirror, "~/.bundle/config")
}

// composer looks for repositories beside, or in place of, the public one.
func (s *sources) composer() {
	use := func(text string) {
		_, rest, ok := strings.Cut(text, `"repositories"`)
		if !ok {
			return
		}
		compact := strings.Join(strings.Fields(rest), "")
		compact = compact[:min(len(compact), 4096)]
		if strings.Contains(compact, `"packagist.org":false`) || strings.Contains(compact, `"packagist":false`) {
			s.standard("repositories")
		}
		s.extra("repositories")
	}
	s.nearest("composer.json", use)
	s.user(use, "~/.composer/config.json", "~/.config/composer/config.json")
}

// nuget looks for package sources: a <clear/> takes the public one away, unless
// it is named again.
func (s *sources) nuget() {
	use := func(text string) {
		_, rest, ok := strings.Cut(text, "<packageSources>")
		if !ok {
			return
		}
		rest, _, _ = strings.Cut(rest, "</packageSources>")
		cleared, public, custom := strings.Contains(rest, "<clear"), false, ""
		for tag := range strings.SplitSeq(rest, "<add") {
			_, v, ok := strings.Cut(tag, `value="`)
			switch v, _, _ = strings.Cut(v, `"`); {
			case !ok || v == "":
			case spec.PublicRegistry(v):
				public = true
			case custom == "":
				custom = v
			}
		}
		switch {
		case custom == "":
		case cleared && !public:
			s.standard(custom)
		default:
			s.extra(custom)
		}
	}
	for _, name := range []string{"nuget.config", "NuGet.config", "NuGet.Config"} {
		s.nearest(name, use)
	}
	s.user(use, "~/.nuget/NuGet/NuGet.Config", "~/.config/NuGet/NuGet.Config")
}

// Place says where a package comes from: a registry of its own, an additional
// one, or the public one.
func (s *Sources) Place(e coord.Ecosystem, name string) (custom, extra string, private bool) {
	if e == coord.NPM {
		if scope, _, ok := strings.Cut(name, "/"); ok {
			if at := s.Scopes[scope]; at != "" {
				return at, "", false
			}
		}
	}
	for _, p := range s.Private {
		if prefixMatch(p, name) {
			return "", "", true
		}
	}
	return s.Default, s.Extra, false
}

// prefixMatch reports whether a pattern of GOPRIVATE matches as many elements of
// a module path as it has.
func prefixMatch(pattern, name string) bool {
	n := strings.Count(strings.TrimSuffix(pattern, "/"), "/") + 1
	parts := strings.Split(name, "/")
	if len(parts) < n {
		return false
	}
	ok, err := filepath.Match(strings.TrimSuffix(pattern, "/"), strings.Join(parts[:n], "/"))
	return err == nil && ok
}
