package manifest

import (
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/spec"
)

// Repositories are where a build takes packages from. The zero value says
// nothing: the public ones.
type Repositories struct {
	Custom string // the first that is not public, as written
	Public bool   // a public one is asked too
}

// said reports whether anything was said at all.
func (r *Repositories) said() bool { return r.Custom != "" || r.Public }

// Replaced reports whether no public repository is asked.
func (r *Repositories) Replaced() bool { return r.Custom != "" && !r.Public }

func (r *Repositories) take(address string) {
	switch {
	case spec.PublicRegistry(address):
		r.Public = true
	case r.Custom == "":
		r.Custom = address
	}
}

// RepositoriesOf reads which repositories a file of a build names, those of
// libraries and those of the build's own plugins: Maven's pom.xml and
// settings.xml, Gradle's scripts, a Gemfile. Of other files it says nothing.
func RepositoriesOf(name string, content []byte) (libraries, plugins Repositories) {
	if len(content) > maxSize {
		return Repositories{}, Repositories{}
	}
	text := clean(content)
	_, base := cutPath(name)
	if base == "settings.xml" {
		root, _ := readXML(text)
		return mavenSettings(root)
	}
	switch formatOf(base) {
	case pomXML:
		root, _ := readXML(text)
		return mavenRepositories(root)
	case gradle:
		toks, _ := gradleTokens(text)
		return gradleRepositories(toks)
	case gemfile:
		return gemSources(text), Repositories{}
	default:
		return Repositories{}, Repositories{}
	}
}

// from has what follows come from the repositories.
func (s *sheet) from(r Repositories) {
	s.source, s.elsewhere = r.Custom, ""
	if r.Replaced() {
		s.source, s.elsewhere = "", coord.CustomRegistry
	}
}

// mavenRepositories reads what a pom.xml adds to the central repository, or puts
// in its place by taking its id.
func mavenRepositories(root *element) (libraries, plugins Repositories) {
	central := false // another has its name
	root.walk(nil, func(e *element, above []string) {
		to := &libraries
		switch {
		case slices.Contains(above, "distributionManagement"):
			return
		case e.name == "pluginRepository" && slices.Contains(above, "pluginRepositories"):
			to = &plugins
		case e.name == "repository" && slices.Contains(above, "repositories"):
		default:
			return
		}
		url := e.value("url")
		if url == "" {
			return
		}
		to.take(url)
		central = central || to == &libraries && e.value("id") == "central" && !spec.PublicRegistry(url)
	})
	libraries.Public = !central && libraries.said() || libraries.Public
	plugins.Public = plugins.said()
	return libraries, plugins
}

// mavenSettings reads the mirrors and repositories of a settings.xml.
func mavenSettings(root *element) (libraries, plugins Repositories) {
	mirror := ""
	root.walk(nil, func(e *element, above []string) {
		if e.name != "mirror" || !slices.Contains(above, "mirrors") {
			return
		}
		if url := e.value("url"); mirror == "" && url != "" && mirrorsCentral(e.value("mirrorOf")) {
			mirror = url
		}
	})
	if mirror != "" {
		libraries.take(mirror)
		return libraries, libraries
	}
	return mavenRepositories(root)
}

// mirrorsCentral reports whether a mirror stands in for the central repository:
// a list of ids, * and external:* for all, !id for all but that one.
func mirrorsCentral(of string) bool {
	yes := false
	for id := range strings.SplitSeq(of, ",") {
		switch strings.TrimSpace(id) {
		case "!central":
			return false
		case "central", "*", "external:*":
			yes = true
		}
	}
	return yes
}

// gradleRepositories reads the repositories blocks of a build script. Where a
// script publishes to is no place that it takes from.
func gradleRepositories(toks []gradleToken) (libraries, plugins Repositories) {
	var blocks []string
	for i := range toks {
		t := toks[i]
		switch {
		case t.is("{"):
			blocks = append(blocks, gradleBlock(toks, i))
			continue
		case t.is("}"):
			blocks = blocks[:max(0, len(blocks)-1)]
			continue
		case !t.word() || !slices.Contains(blocks, "repositories") || slices.Contains(blocks, "publishing") || slices.Contains(blocks, "uploadArchives"):
			continue
		}
		to := &libraries
		if slices.Contains(blocks, "buildscript") || slices.Contains(blocks, "pluginManagement") {
			to = &plugins
		}
		switch t.text {
		case "mavenCentral":
			to.Public = true
		case "google", "jcenter", "gradlePluginPortal", "mavenLocal":
			// Others than the central one, whose packages are public all the same.
			if to.Public = true; to.Custom == "" {
				to.Custom = t.text
			}
		case "maven", "ivy":
			to.take(gradleAddress(toks, i))
		case "flatDir":
			to.take("flatDir")
		}
	}
	return libraries, plugins
}

// gradleAddress is the address in the call at toks[i], or the call's own name.
func gradleAddress(toks []gradleToken, i int) string {
	depth := 0
	for j := i + 1; j < len(toks) && j < i+80; j++ {
		switch t := toks[j]; {
		case t.is("{") || t.is("("):
			depth++
		case t.is("}") || t.is(")"):
			if depth--; depth <= 0 && !(j+1 < len(toks) && toks[j+1].is("{")) {
				return toks[i].text
			}
		case t.quoted && strings.Contains(t.text, "://"):
			return t.text
		case depth == 0:
			return toks[i].text
		}
	}
	return toks[i].text
}

// gradleBlock is the name of the block that toks[i] opens.
func gradleBlock(toks []gradleToken, i int) string {
	for j := i - 1; j >= 0 && j >= i-12; j-- {
		if toks[j].is(")") {
			for j--; j >= 0 && !toks[j].is("("); j-- {
			}
			continue
		}
		return toks[j].text
	}
	return ""
}

// gemSources reads the sources of a whole Gemfile: those without a block.
func gemSources(text string) Repositories {
	var r Repositories
	for _, line := range rubyLines(text) {
		head, rest := rubyHead(line)
		if _, opens := rubyBlock(line); head != "source" || opens {
			continue
		}
		if args := rubyArgs(rest); len(args) > 0 {
			if strings.Contains(args[0].text, "://") {
				r.take(args[0].text)
			} else if args[0].text == ":rubygems" {
				r.Public = true
			}
		}
	}
	return r
}
