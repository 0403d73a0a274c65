package install

import "strings"

// Mentions reports whether text may hold an install command. It is a search for
// about forty words, without a parse and without allocation; quotes and
// backslashes inside a word do not hide it, and text that puts words together
// when it runs counts as one that may.
func Mentions(text string) bool {
	// Two readings of a word: with the backslashes taken out of it, and from the
	// last of them on, as in a path of Windows.
	var plain, leaf letters
	for i := 0; i <= len(text); i++ {
		var c byte
		if i < len(text) {
			c = text[i]
		}
		switch {
		case 'a' <= c && c <= 'z':
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case c == '\\':
			leaf.n = 0
			continue
		case c == '\'', c == '"', c == '`':
			continue
		case c == '\n' && i > 0 && text[i-1] == '\\':
			continue
		default:
			if plain.tool() || leaf.tool() || made(text, i) {
				return true
			}
			plain.n, leaf.n = 0, 0
			continue
		}
		plain.add(c)
		leaf.add(c)
	}
	return false
}

// made reports whether the character at i is where a word is put together of
// what is written and what an expansion gives, n${x}m, or is written in code,
// $'\x6e' or base64.
func made(text string, i int) bool {
	if i >= len(text) {
		return false
	}
	letter := func(j int) bool { return j >= 0 && j < len(text) && 'a' <= text[j]|0x20 && text[j]|0x20 <= 'z' }
	switch text[i] {
	case '$':
		return letter(i-1) || i+1 < len(text) && text[i+1] == '\''
	case '}', ')':
		return letter(i + 1)
	case '6':
		return strings.HasPrefix(text[i:], "64") && strings.HasSuffix(text[:i], "base")
	}
	return false
}

// letters is a word that is read; what is longer than any tool is not kept.
type letters struct {
	buf [16]byte
	n   int
}

func (l *letters) add(c byte) {
	if l.n < len(l.buf) {
		l.buf[l.n] = c
	}
	l.n++
}

func (l *letters) tool() bool { return l.n <= len(l.buf) && tools(l.buf[:l.n]) }

func tools(word []byte) bool {
	switch string(word) {
	case "npm", "cnpm", "tnpm", "npx", "nlx", "pnpm", "pnpx", "pn", "yarn", "yarnpkg", "bun", "bunx", "deno", "rush", "lerna", "ng", "nx", "expo", "ni",
		"pip", "pipx", "uv", "uvx", "poetry", "pdm", "pipenv", "rye", "easy", "conda", "mamba", "micromamba", "pixi",
		"cargo", "go", "gem", "bundle", "bundler", "composer", "dotnet", "dnx", "nuget", "paket", "mvn", "mvnw", "mvnd",
		"install": // Install-Package, Install-Module
		return true
	}
	return false
}
