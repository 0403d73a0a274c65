package install

// Mentions reports whether text may hold an install command. It is a search for
// about forty words, without a parse and without allocation; quotes and
// backslashes inside a word do not hide it. A tool that the text names only in
// an encoded form is not seen.
func Mentions(text string) bool {
	var buf [16]byte
	n := 0
	for i := 0; i <= len(text); i++ {
		var c byte
		if i < len(text) {
			c = text[i]
		}
		switch {
		case 'a' <= c && c <= 'z':
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case c == '\'', c == '"', c == '\\', c == '`':
			continue
		case c == '\n' && i > 0 && text[i-1] == '\\':
			continue
		default:
			if n <= len(buf) && tools(buf[:n]) {
				return true
			}
			n = 0
			continue
		}
		if n < len(buf) {
			buf[n] = c
		}
		n++
	}
	return false
}

func tools(word []byte) bool {
	switch string(word) {
	case "npm", "cnpm", "tnpm", "npx", "pnpm", "pnpx", "pn", "yarn", "yarnpkg", "bun", "bunx", "deno", "rush", "lerna", "ng", "nx", "expo", "ni",
		"pip", "pipx", "uv", "uvx", "poetry", "pdm", "pipenv", "rye", "easy", "conda", "mamba", "micromamba", "pixi",
		"cargo", "go", "gem", "bundle", "bundler", "composer", "dotnet", "dnx", "nuget", "paket", "mvn", "mvnw", "mvnd",
		"install": // Install-Package, Install-Module
		return true
	}
	return false
}
