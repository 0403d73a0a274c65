package install

import (
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/spec"
)

// withVersion gives the version of a flag to a name that has none.
func withVersion(p coord.Package, version string) coord.Package {
	if p.Name != "" && p.Constraint == "" && p.Version == "" {
		p.Version, p.Constraint = version, version
	}
	return p
}

func (r *reader) gem(args []arg) {
	version, elsewhere := "", ""
	g := grammar{
		values: "-v --version -s --source -i --install-dir -n --bindir -P --trust-policy -p --http-proxy --platform -g --file -B --bulk-threshold --build-root --target-rbconfig --config-file",
		plain: "--document --no-document --user-install --prerelease --local --remote --both --force --wrappers --env-shebang --conservative --minimal-deps --development " +
			"--verbose --quiet --silent --clear-sources --ignore-dependencies --vendor --suggestions --lock --explain --default --norc --development-all --post-install-message --ri --rdoc --http-proxy --pre",
	}
	see := func(f flag) {
		switch f.name {
		case "-v", "--version":
			if f.value != nil && f.value.why == "" {
				version = f.value.text
			}
		case "-s", "--source":
			if f.value != nil && !spec.PublicRegistry(f.value.text) {
				elsewhere = coord.CustomRegistry
			}
		}
	}
	verb, rest := g.verb(args, see)
	switch verb {
	case "install", "i":
	case "exec":
		r.gemExec(g, rest, see, &version, &elsewhere)
		return
	default:
		return
	}
	words := g.all(rest, see)
	r.read(words, elsewhere, func(text string) (coord.Package, string) {
		p, why := spec.Gem(text)
		return withVersion(p, version), why
	})
}

// gemExec reads gem exec [-g GEM] [-v V] NAME, which installs and runs.
func (r *reader) gemExec(g grammar, rest []arg, see func(flag), version, elsewhere *string) {
	var named []arg
	g.values += " --gem"
	words, _ := g.walk(rest, 1, func(f flag) {
		if (f.name == "-g" || f.name == "--gem") && f.value != nil {
			named = append(named, *f.value)
			return
		}
		see(f)
	})
	r.read(override(named, words), *elsewhere, func(text string) (coord.Package, string) {
		p, why := spec.Gem(text)
		return withVersion(p, *version), why
	}, runs)
}

func (r *reader) bundle(args []arg) {
	version, elsewhere := "", ""
	g := grammar{
		values: "-v --version -g --group -s --source --git --github --branch --ref --tag --glob --path --require -r --retry --gemfile",
		plain:  "--skip-install --strict --optimistic --quiet --no-color --verbose",
	}
	see := func(f flag) {
		switch f.name {
		case "-v", "--version":
			if f.value != nil && f.value.why == "" {
				version = f.value.text
			}
		case "--git", "--github":
			elsewhere = coord.Git
		case "--path":
			elsewhere = coord.Path
		case "-s", "--source":
			if f.value != nil && !spec.PublicRegistry(f.value.text) {
				elsewhere = coord.CustomRegistry
			}
		}
	}
	verb, rest := g.verb(args, see)
	if verb != "add" {
		bare := verb == "install" || verb == "update" || verb == "lock" || verb == "" && g.first(args, nothing) == len(args) && !asks(args)
		if bare && !flagged(args, "--frozen --deployment --local") {
			r.bare(coord.RubyGems, "bundle")
		}
		return
	}
	words := g.all(rest, see)
	r.read(words, elsewhere, func(text string) (coord.Package, string) {
		p, why := spec.GemValue(strings.TrimSpace(text), "")
		p.Bundled = true
		return withVersion(p, version), why
	})
}

func (r *reader) composer(args []arg) {
	elsewhere := ""
	isDev := false
	g := grammar{
		values: "-d --working-dir --repository --repository-url --add-repository= -s --stability --apcu-autoloader-prefix --ignore-platform-req --prefer-install --audit-format --fixed=",
		plain: "--dev --no-interaction --quiet --verbose --profile --ansi --prefer-source --prefer-dist --prefer-stable --prefer-lowest --sort-packages --optimize-autoloader " +
			"--update-no-dev --update-with-dependencies --update-with-all-dependencies --with-dependencies --with-all-dependencies --minimal-changes --fixed --dry-run --ignore-platform-reqs --classmap-authoritative --keep-vcs --remove-vcs --ask --add-repository",
	}
	see := func(f flag) {
		switch f.name {
		case "-d", "--working-dir":
			if f.value != nil {
				r.into(f.value)
			}
		case "--dev":
			isDev = true
		case "--repository", "--repository-url":
			if f.value != nil && !spec.PublicRegistry(f.value.text) {
				elsewhere = coord.CustomRegistry
			}
		}
	}
	verb, rest := g.verb(args, see)
	if verb == "global" {
		r.dir = ""
		verb, rest = g.verb(rest, see)
	}
	var words []arg
	one := false
	switch verb {
	case "require", "req", "r":
		words = g.all(rest, see)
	case "create-project":
		words = g.all(rest, see)
		one = true
		if len(words) == 3 && !strings.Contains(words[0].text, ":") {
			words[0].text += ":" + words[2].text
		}
		if len(words) > 1 {
			words = words[:1]
		}
	case "update", "u", "upgrade":
		r.bare(coord.Packagist, "composer")
		return
	default:
		return
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		text, why := w.known()
		if why != "" {
			r.read(words[i:i+1], elsewhere, func(t string) (coord.Package, string) { return spec.ComposerValue(t, "") })
			continue
		}
		name, version := text, ""
		if j := strings.IndexAny(text, ":= "); j >= 0 {
			name, version = text[:j], strings.TrimSpace(text[j+1:])
		} else if !one && i+1 < len(words) && words[i+1].why == "" && !strings.Contains(head(words[i+1].text), "/") && composerVersion(words[i+1].text) {
			version = words[i+1].text
			i++
		}
		p, why := spec.ComposerValue(name, version)
		p.Dev = isDev
		if p.Name != "" && why == "" {
			why = elsewhere
		}
		r.add(text, p, why, w.marks()...)
	}
}

// composerVersion reports whether a word without a slash is a constraint and
// not a platform package such as php or ext-json.
func composerVersion(v string) bool {
	return v != "" && (strings.IndexByte("0123456789^~<>=*!", v[0]) >= 0 || v[0] == 'v' && len(v) > 1 && v[1] <= '9' ||
		strings.HasPrefix(v, "dev-") || strings.HasPrefix(v, "@"))
}

func (r *reader) dotnet(args []arg) {
	var n nugets
	g := grammar{
		values: "-v --version -f --framework -s --source --add-source --project --package-directory --tool-path --configfile --tool-manifest --arch -a --nuget-source --verbosity -n --name -o --output --file --roll-forward",
		plain:  "--prerelease --global -g --local --interactive --no-restore --create-manifest-if-needed --force --ignore-failed-sources --allow-downgrade --install -i --yes -y",
	}
	see := n.flag
	verb, rest := g.verb(args, see)
	switch verb {
	case "add":
		words := g.all(rest, see)
		for i := range min(2, len(words)) {
			if words[i].text == "package" {
				words = words[i+1:]
				r.nugetRead(words, &n)
				return
			}
		}
	case "package":
		if sub, rest := g.verb(rest, see); sub == "add" {
			r.nugetRead(g.all(rest, see), &n)
		}
	case "tool":
		switch sub, rest := g.verb(rest, see); sub {
		case "install":
			r.nugetRead(g.all(rest, see), &n)
		case "exec":
			words, _ := g.walk(rest, 1, see)
			r.nugetRead(words, &n, runs)
		}
	case "new":
		words := g.all(rest, see)
		if len(words) > 0 && words[0].text == "install" {
			r.nugetRead(words[1:], &n)
		} else if n.install {
			r.nugetRead(words, &n)
		}
	}
}

func (r *reader) dnx(args []arg) {
	var n nugets
	g := grammar{values: "--version --add-source --source --configfile --verbosity -v", plain: "--yes -y --prerelease --interactive"}
	words, _ := g.walk(args, 1, n.flag)
	r.nugetRead(words, &n, runs)
}

// nugets is what the flags of a NuGet client said.
type nugets struct {
	version, extra string
	custom         bool
	install        bool // dotnet new --install P
}

func (n *nugets) flag(f flag) {
	if f.value == nil {
		if f.name == "-i" || f.name == "--install" {
			n.install = true
		}
		return
	}
	switch f.name {
	case "-v", "--version", "-version", "-requiredversion":
		if f.value.why == "" {
			n.version = f.value.text
		}
	case "-s", "--source", "-source":
		n.custom = !spec.PublicRegistry(f.value.text) && f.value.text != "nuget.org" && f.value.text != "PSGallery"
	case "--add-source", "--nuget-source":
		if !spec.PublicRegistry(f.value.text) {
			n.extra = f.value.text
		}
	}
}

func (r *reader) nugetRead(words []arg, n *nugets, change ...func(*coord.Package)) {
	elsewhere := ""
	if n.custom {
		elsewhere = coord.CustomRegistry
	}
	r.source = n.extra
	r.read(words, elsewhere, func(text string) (coord.Package, string) {
		id, version, ok := strings.Cut(text, "::")
		if !ok {
			id, version, _ = strings.Cut(text, "@")
		}
		if version == "" {
			version = n.version
		}
		return spec.NuGet(id, version)
	}, change...)
}

func (r *reader) nuget(args []arg) {
	var n nugets
	g := grammar{
		values: "-version -source -outputdirectory -framework -solutiondirectory -configfile -verbosity -packagesavemode -dependencyversion -fallbacksource",
		single: true, fold: true,
	}
	verb, rest := g.verb(args, n.flag)
	if !strings.EqualFold(verb, "install") {
		return
	}
	words := g.all(rest, n.flag)
	if len(words) > 0 && strings.HasSuffix(strings.ToLower(words[0].text), ".config") {
		return // what packages.config lists
	}
	r.nugetRead(words, &n)
}

// Install-Package of PowerShell and of the console of Visual Studio.
func (r *reader) installPackage(args []arg) {
	var n nugets
	var named []arg
	other := false
	g := grammar{
		values: "-name -id -version -requiredversion -minimumversion -maximumversion -source -projectname -providername -destination -scope -credential -proxy -framework -dependencyversion",
		single: true, fold: true,
	}
	words := g.all(args, func(f flag) {
		switch {
		case f.value != nil && (f.name == "-name" || f.name == "-id"):
			named = append(named, *f.value)
		case f.value != nil && f.name == "-providername":
			other = !strings.EqualFold(f.value.text, "nuget")
		default:
			n.flag(f)
		}
	})
	words = append(named, words...)
	if other {
		r.read(words, coord.OtherRegistry, func(t string) (coord.Package, string) { return spec.NuGet(t, "") })
		return
	}
	r.nugetRead(words, &n)
}

// psGallery: modules of the PowerShell Gallery, for which nobody keeps records.
func (r *reader) psGallery(args []arg) {
	var named []arg
	g := grammar{values: "-name -requiredversion -minimumversion -maximumversion -version -repository -scope -credential -proxy", single: true, fold: true}
	words := g.all(args, func(f flag) {
		if f.name == "-name" && f.value != nil {
			named = append(named, *f.value)
		}
	})
	for _, w := range append(named, words...) {
		for part := range strings.SplitSeq(w.text, ",") {
			if part = strings.TrimSpace(part); part != "" {
				r.not(part, coord.OtherRegistry)
			}
		}
	}
}

func (r *reader) paket(args []arg) {
	var n nugets
	g := grammar{values: "--version -V --project -p --group -g"}
	verb, rest := g.verb(args, n.flag)
	if verb == "add" {
		r.nugetRead(g.all(rest, n.flag), &n)
	}
}

// maven reads the goals that fetch an artifact by name: dependency:get,
// archetype:generate, and a plugin called by its coordinates.
func (r *reader) maven(args []arg) {
	props := map[string]string{}
	g := grammar{values: "-f --file -s --settings -gs --global-settings -P --activate-profiles -pl --projects -rf --resume-from -T --threads -l --log-file -t --toolchains -D --define --color"}
	set := func(text string) {
		name, value, _ := strings.Cut(text, "=")
		props[name] = value
	}
	words := g.all(args, func(f flag) {
		if (f.name == "-D" || f.name == "--define") && f.value != nil {
			set(f.value.text)
		}
	})
	if remote := props["remoteRepositories"]; remote != "" {
		if i := strings.LastIndex(remote, "::"); i >= 0 {
			remote = remote[i+2:]
		}
		if !spec.PublicRegistry(remote) {
			r.source = props["remoteRepositories"]
		}
	}
	for _, w := range words {
		if w.why != "" {
			continue
		}
		goal := w.text[strings.LastIndexByte(w.text, ':')+1:]
		goal, _, _ = strings.Cut(goal, "@")
		parts := strings.Split(w.text, ":")
		if len(parts) > 2 && strings.Contains(parts[0], ".") {
			version := ""
			if len(parts) > 3 {
				version = parts[2]
			}
			p, why := spec.MavenValue(parts[0], parts[1], version)
			r.add(w.text, p, why, runs)
		} else if len(parts) != 2 {
			continue
		}
		plugin := parts[min(1, len(parts)-2)]
		if len(parts) == 2 {
			plugin = parts[0]
		}
		switch {
		case strings.HasSuffix(strings.TrimSuffix(plugin, "-plugin"), "dependency") || plugin == "maven-dependency-plugin":
			if goal != "get" && goal != "copy" && goal != "unpack" {
				continue
			}
			if a := props["artifact"]; a != "" {
				r.read([]arg{known(a, args)}, "", spec.Maven)
			} else if props["groupId"] != "" {
				p, why := spec.MavenValue(props["groupId"], props["artifactId"], props["version"])
				r.add(props["groupId"]+":"+props["artifactId"], p, why)
			}
		case strings.Contains(plugin, "archetype"):
			if gid := props["archetypeGroupId"]; gid != "" {
				p, why := spec.MavenValue(gid, props["archetypeArtifactId"], props["archetypeVersion"])
				r.add(gid+":"+props["archetypeArtifactId"], p, why, runs)
			} else if a := props["archetypeArtifactId"]; a != "" {
				p, why := spec.MavenValue("org.apache.maven.archetypes", a, props["archetypeVersion"])
				r.add(a, p, why, runs)
			}
		}
	}
}

// known finds the argument that holds text, to learn whether its value is known.
func known(text string, args []arg) arg {
	for i := range args {
		if args[i].why != "" && strings.HasSuffix(args[i].text, text) {
			a := args[i]
			a.text = text
			return a
		}
	}
	return word(text)
}
