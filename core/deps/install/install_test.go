package install

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// show writes what a line adds as words: ecosystem:name@version, {what is
// resolved} if that is another, !runs, ?uncertain, -dev, ~remote, (folder) if it
// is not /w; then [spec: why].
func show(packages []coord.Package, unchecked []coord.Unchecked) string {
	var out []string
	for _, p := range packages {
		s := string(p.Ecosystem) + ":" + p.Name
		if p.Version != "" {
			s += "@" + p.Version
		}
		if p.Constraint != p.Version {
			s += "{" + p.Constraint + "}"
		}
		for _, m := range []struct {
			on   bool
			mark string
		}{{p.Runs, "!"}, {p.Uncertain, "?"}, {p.Dev, "-dev"}, {p.Maybe, "*"}, {p.Remote, "~remote"}, {p.Source != "", "+" + p.Source}, {p.File != "", "<" + p.File}, {p.Dir != "/w" && !p.Remote, "(" + p.Dir + ")"}} {
			if m.on {
				s += m.mark
			}
		}
		out = append(out, s)
	}
	for _, u := range unchecked {
		out = append(out, "["+u.Spec+": "+u.Why+"]")
	}
	return strings.Join(out, " ")
}

func parse(line string, o Options) string {
	return show(Parse(shellcmd.Parse(line, shellcmd.Options{Cwd: "/w", Home: "/h"}), o))
}

func TestParse(t *testing.T) {
	tests := []struct{ line, want string }{
		// npm
		{"npm i -g npm@latest", "npm:npm{latest}"},
		{"npm i react@next react-dom@18.x", "npm:react{next} npm:react-dom@18.x"},
		{"npm install --save-exact --no-audit --foo bar baz", "npm:bar? npm:baz"},
		{"npm --prefix web install zod", "npm:zod(/w/web)"},
		{"npm --loglevel error isntall zod", "npm:zod"},
		{`npm i foo@">=1.0.0 <2.0.0"`, "npm:foo@>=1.0.0 <2.0.0"},
		{"npm i JSONStream", "npm:JSONStream"},
		{"npm i @scope/", "[@scope/: unparsable]"},
		{"npm i -D zod", "npm:zod-dev"},
		{"npm i alias@npm:@a/b@^2", "npm:@a/b@^2"},
		{"npm i https://github.com/a/b a@https://x.example/a.tgz b@c/d", "[https://github.com/a/b: git] [a@https://x.example/a.tgz: url] [b@c/d: git]"},
		{"npm i --@acme:registry https://npm.acme.example @acme/x zod", "npm:zod [@acme/x: custom registry]"},
		{"npm i --registry https://registry.npmjs.org/ zod", "npm:zod"},
		{"NPM_CONFIG_REGISTRY=https://npm.acme.example npm i foo", "[foo: custom registry]"},
		{"export npm_config_registry=https://npm.acme.example; npm i foo", "[foo: custom registry]"},
		{"npm link react ../foo", "npm:react"},
		{"npm pkg set dependencies.zod=^3 scripts.a=b", "npm:zod@^3"},
		{"npm ci && npm test && npm run build && npm ls x && npm uninstall y && npm view z && npm up q", ""},
		// npx and its kin
		{"npx -y create-foo@1 my-app", "npm:create-foo@1!"},
		{"npx --yes --package typescript tsc", "npm:typescript!"},
		{"npx -p a -p b@2 c", "npm:a! npm:b@2!"},
		{"npx -p cowsay -c 'cowsay hi'", "npm:cowsay!"},
		{"npx -c 'eslint .'", ""},
		{"npx --no eslint .", ""},
		{"npx github:acme/tool", "[github:acme/tool: git]"},
		{"npx ./local", "[./local: path]"},
		{"npm exec --package=cowsay -- cowsay hi", "npm:cowsay!"},
		{"npm exec -- vite build", "npm:vite!"},
		{"npm init @angular", "npm:@angular/create!"},
		{"npm init @vue@latest my", "npm:@vue/create{latest}!"},
		{"npm create @scope/thing@1 x", "npm:@scope/create-thing@1!"},
		{"npm init -y", ""},
		// yarn, pnpm, bun, deno, others
		{"yarn add react@^18 --dev", "npm:react@^18-dev"},
		{"yarn global add serve", "npm:serve"},
		{"yarn workspace web add zod", "npm:zod"},
		{"yarn workspaces foreach -A add zod", "npm:zod"},
		{"yarn build && yarn && yarn up react && yarn workspace web build", ""},
		{"pnpm add -w zod && pnpm -w add hono", "npm:zod npm:hono"},
		{"pnpm --package=cowsay dlx cowsay", "npm:cowsay!"},
		{"pnpm create create-x", "npm:create-x!"},
		{"pnpm test && pnpm vitest run && pnpm -r --filter @acme/api run test:unit && pnpm test:unit", ""},
		{"pnpm axios@1.9.0", "npm:axios@1.9.0?"},
		{"bun add -d typescript && bun x cowsay && bun run build && bun i", "npm:typescript-dev npm:cowsay!"},
		{"bun create user/repo", "[user/repo: git]"},
		{"deno run -A npm:cowsay@1.5/bin hi", "npm:cowsay@1.5!"},
		{"deno run -A main.ts && deno install", ""},
		{"deno add npm:chalk jsr:@std/path", "npm:chalk [jsr:@std/path: other registry]"},
		{"rush add -p foo --all; rush remove -p bar", "npm:foo"},
		{"ng add @angular/material", "npm:@angular/material"},
		{"npx expo install expo-camera", "npm:expo! npm:expo-camera"},
		{"corepack pnpm@9 add zod", "npm:zod"},
		// Python
		{"pip install -qU foo bar>=2", "PyPI:foo PyPI:bar"},
		{`pip install 'foo[bar]==1.0;python_version<"3"' 'a.b_c ~= 2'`, "PyPI:foo@==1.0 PyPI:a-b-c@~= 2{~=2}"},
		{`pip install "foo @ https://x.example/foo.whl" "bar @ git+https://g.example/b"`, "[foo @ https://x.example/foo.whl: url] [bar @ git+https://g.example/b: git]"},
		{"pip install foo.tar.gz src/foo ./x[dev]", "[foo.tar.gz: path] [src/foo: path] [./x[dev]: path]"},
		{"python -Im pip install foo; py -3.11 -m pip install bar; .venv/bin/python3.12 -X utf8 -m pip install baz", "PyPI:foo PyPI:bar PyPI:baz"},
		{"python script.py pip install foo", ""},
		{"pip install --no-index --find-links ./wheels foo", "[foo: custom registry]"},
		{"PIP_INDEX_URL=https://py.acme.example/simple pip install foo", "[foo: custom registry]"},
		{"PIP_EXTRA_INDEX_URL=https://py.acme.example/simple pip install foo", "PyPI:foo+https://py.acme.example/simple"},
		{"pip install -i https://pypi.org/simple foo", "PyPI:foo"},
		{"pip install --require-hashes -r requirements.txt", ""},
		{"pip install -rrequirements.txt", "[-r requirements.txt: requirements file]"},
		{"pip install -r /dev/stdin <<< $'reqeusts\\n# c\\nflask==1'", "PyPI:reqeusts</dev/stdin PyPI:flask@==1</dev/stdin"},
		{"pip --python .venv install foo --config-settings x=y bar", "PyPI:foo PyPI:bar"},
		{"pip config set global.index-url x; pip freeze; pip list; pip show foo", ""},
		{"pipx install --preinstall foo bar", "PyPI:foo PyPI:bar"},
		{"pipx run --spec 'black[jupyter]' black .", "PyPI:black!"},
		{"pipx runpip black install foo", "PyPI:foo"},
		{"uv add httpx@0.27 --optional net", "PyPI:httpx@0.27{==0.27}"},
		{"uv --directory api add foo", "PyPI:foo(/w/api)"},
		{"uv run --with rich --with 'httpx,polars>=1,<2' script.py", "PyPI:rich! PyPI:httpx! PyPI:polars@>=1,<2!"},
		{"uvx --with foo --from 'bar[x]>=1' baz", "PyPI:bar@>=1! PyPI:foo!"},
		{"uvx ruff@latest check", "PyPI:ruff{latest}!"},
		{"uvx --from git+https://github.com/x/y z", "[git+https://github.com/x/y: git]"},
		{"uvx python", ""},
		{"uv sync --frozen; uv lock; uv init x; uv pip sync r.txt; uv run pytest", ""},
		{"poetry add foo@^1.2 'baz[extra]@~1.2' qux@latest", "PyPI:foo@^1.2{>=1.2,<2} PyPI:baz@~1.2{>=1.2,<1.3} PyPI:qux{latest}"},
		{"poetry -C api add --group dev pytest", "PyPI:pytest-dev(/w/api)"},
		{"pdm run pip install foo; pipenv install --dev bar; rye add baz", "PyPI:foo PyPI:bar-dev PyPI:baz"},
		{"conda create -n x python=3.11 conda-forge::polars 'foo>=1,<2'", "conda:python@3.11 conda:polars conda:foo@>=1,<2"},
		{"pixi add --pypi foo", "PyPI:foo"},
		// Rust, Go
		{"cargo +nightly add tokio@1.38 -F full", "crates.io:tokio@1.38"},
		{"cargo install ripgrep@14.1.0 fd-find --locked", "crates.io:ripgrep@14.1.0{=14.1.0} crates.io:fd-find"},
		{"cargo install --git https://x.example/y", "[https://x.example/y: git]"},
		{"cargo add ../core; cargo build; cargo update -p foo", "[../core: path]"},
		{"go get github.com/a/b@latest github.com/c/d/v2/sub@v2.1.0", "Go:github.com/a/b{latest} Go:github.com/c/d/v2@v2.1.0"},
		{"go get -u -t -tags x github.com/a/b@3f2a1bc", "Go:github.com/a/b{3f2a1bc}"},
		{"go get fmt . ./... all go@1.23 toolchain@go1.23.1 github.com/a/b@none", ""},
		{"go install github.com/x/y/cmd/z; go install ./cmd/z; go run . x; go run main.go; go test ./...", ""},
		{"go run -race github.com/x/y/cmd/z@v1.0.0 -flag foo@1", "Go:github.com/x/y@v1.0.0!"},
		{"go mod edit -require=github.com/a/b@v1.0.0 -replace=github.com/c/d=../d -replace github.com/e/f=github.com/g/h@v1.2.0", "Go:github.com/a/b@v1.0.0 Go:github.com/g/h@v1.2.0 [../d: path]"},
		{"GOPRIVATE='*.acme.example,github.com/acme' go get git.acme.example/x/y github.com/acme/z github.com/b/c", "Go:github.com/b/c [git.acme.example/x/y: private] [github.com/acme/z: private]"},
		{"GOPROXY=https://proxy.acme.example,direct go get github.com/a/b", "[github.com/a/b: custom registry]"},
		// Ruby, PHP, .NET, JVM
		{"gem install -N rails -v '~> 7' a:1.0 ./x.gem", "RubyGems:rails@~> 7 RubyGems:a@1.0 [./x.gem: path]"},
		{"bundle add a b --group dev; bundle install; bundle exec rails s", "RubyGems:a RubyGems:b"},
		{"composer require monolog/monolog '^3.0' 'symfony/yaml 2.*' a/b=1.0 php ext-json --dev", "Packagist:monolog/monolog@^3.0-dev Packagist:symfony/yaml@2.*-dev Packagist:a/b@1.0-dev"},
		{"composer create-project laravel/laravel app '10.*'", "Packagist:laravel/laravel@10.*"},
		{"php composer.phar require a/b; composer update c/d", "Packagist:a/b"},
		{"dotnet add src/App package A -v 1.0; dotnet package add B@2; dotnet tool install -g C; dotnet new install D::1.0", "NuGet:A@1.0 NuGet:B@2 NuGet:C NuGet:D@1.0"},
		{"dotnet add package A --source https://n.acme.example", "[A: custom registry]"},
		{"dotnet restore; dotnet build; dotnet new console; dotnet tool restore; nuget install packages.config", ""},
		{"dnx foo@1 x", "NuGet:foo@1!"},
		{`pwsh -c "Install-Package A -Version 1.0; Install-Module Pester"`, "NuGet:A@1.0 [Pester: other registry]"},
		{"mvn dependency:get -Dartifact=g.h:a:1.0:jar", "Maven:g.h:a@1.0"},
		{"mvn dependency:get -DgroupId=g.h -DartifactId=a -Dversion=1", "Maven:g.h:a@1"},
		{"mvn org.owasp:dependency-check-maven:9.0.0:check", "Maven:org.owasp:dependency-check-maven@9.0.0!"},
		{"mvn clean install && mvn spring-boot:run && ./gradlew build", ""},
		// what is known only when the line runs
		{"npm i lodash@$V $X \"$(cat x)\"", "npm:lodash [lodash@$V: variable] [$X: variable] [$(cat x): substitution]"},
		{"P=lodash; npm i $P@4 {a,b}", "npm:lodash@4 npm:a npm:b"},
		{"for p in a b; do pip install $p; done", "PyPI:a* PyPI:b* [$p: variable]"},
		{"cat deps.txt | while read p; do pip install $p; done", "[$p: variable]"},
		{"echo foo | xargs pip install", "PyPI:foo"},
		{"xargs -a deps.txt pip install", "[stdin: xargs]"},
		// what only looks like a command, and what hides one
		{"echo npm i foo; grep -r 'npm install foo' .; git commit -m 'npm i foo'; apt-get install npm; which npm", ""},
		{"cat > x.sh <<'EOF'\nnpm i foo\nEOF", ""},
		{"f() { npm i foo; }", ""},
		{"f() { npm i foo; }; f", "npm:foo"},
		{"bash -c \"npm i foo && pip install bar\"", "npm:foo PyPI:bar"},
		{"sudo -u bob npm i -g foo; eval 'npm i bar'; watch npm i baz", "npm:foo npm:bar npm:baz"},
		{"ssh host 'pip install foo'; docker exec c npm i bar", "PyPI:foo~remote npm:bar~remote"},
		{"npm i foo; cd api && npm i bar", "npm:foo npm:bar(/w/api)"},
		{"npm i foo && npm i foo@latest foo", "npm:foo npm:foo{latest}"},
		{`!pip install -q foo`, "PyPI:foo"},
		{`python -c 'import subprocess; subprocess.run(["pip","install","foo"])'`, "PyPI:foo"},
		{"n\"p\"m i foo", "npm:foo"},
		{"npm i ~/pkg ~/x.tgz; npx https://gist.github.com/u/0a1b", "[/h/pkg: path] [/h/x.tgz: path] [https://gist.github.com/u/0a1b: git]"},
		{"pnpm add --workspace @acme/x; npm cache add zod; nlx cowsay; meteor npm i hono", "npm:zod npm:cowsay! npm:hono [@acme/x: workspace]"},
		{"pnpm pkg set dependencies.zod=^3", "npm:zod@^3"},
		{"pipx install --pip-args='--index-url https://py.acme.example/simple -q' foo", "[foo: custom registry]"},
		{"cargo quickinstall just; cargo-binstall just", "crates.io:just"},
		{"go1.22.1 get x.example/a; go mod edit -tool=github.com/a/b/cmd/c", "Go:x.example/a Go:github.com/a/b"},
		{"go install golang.org/x/tools/gopls@v0.16.0", "Go:golang.org/x/tools/gopls@v0.16.0!"},
		{"php -d memory_limit=-1 composer.phar require a/b", "Packagist:a/b"},
		{"devcontainer exec --workspace-folder . npm i zod; kubectl run t --image=node --rm -it -- npm i hono", "npm:zod~remote npm:hono~remote"},
		{"npm; npx; pip; go; cargo; uvx; gem; conda; dotnet; composer; poetry; mvn; bun; yarn; deno; rush", ""},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, parse(tt.line, Options{})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if tt.want != "" && !Mentions(tt.line) {
				t.Error("Mentions is false")
			}
		})
	}
}

func TestAPathBelowAHomeThatIsNotKnownIsAPath(t *testing.T) {
	got := show(Parse(shellcmd.Parse("npm i ~/pkg zod", shellcmd.Options{Cwd: "/w"}), Options{}))
	if want := "npm:zod [~/pkg: path]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFilesComeThroughTheOptions(t *testing.T) {
	files := map[string]string{
		"/w/requirements.txt":      "flask==3.0\n-r more/base.txt\n./local\n",
		"/w/more/base.txt":         "six\n-r ../requirements.txt\n",
		"/w/private.txt":           "--index-url https://py.acme.example/simple\nacme\n",
		"/w/web/package.json":      `{"scripts": {}}`,
		"/w/sub/pyproject.toml":    "[project]",
		"/w/deep/requirements.txt": "rich\n",
	}
	o := Options{ReadFile: func(name string) ([]byte, error) {
		if text, ok := files[name]; ok {
			return []byte(text), nil
		}
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}}
	tests := []struct{ line, want string }{
		{"pip install -r more/base.txt", "PyPI:six<more/base.txt PyPI:flask@==3.0<requirements.txt [./local: path]"},
		{"pip install -r private.txt", "[acme: custom registry]"},
		{"pip install -r gone.txt", "[-r gone.txt: requirements file]"},
		{"uv add -r sub/pyproject.toml", "[-r sub/pyproject.toml: requirements file]"},
		{"cd deep && pip install -r requirements.txt", "PyPI:rich<requirements.txt(/w/deep)"},
		{"docker run x pip install -r requirements.txt", "[-r requirements.txt: requirements file]"},
		{"cd web && pnpm axios", ""}, // a script or program of that project
		{"pnpm axios", "npm:axios?"},
	}
	for _, tt := range tests {
		got := parse(tt.line, o)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", tt.line, diff)
		}
	}
}

func TestTheHostsEnvironmentCounts(t *testing.T) {
	env := map[string]string{"NPM_CONFIG_REGISTRY": "https://npm.acme.example", "GOPRIVATE": "github.com/acme"}
	o := Options{Getenv: func(name string) (string, bool) { v, ok := env[name]; return v, ok }, ReadFile: func(string) ([]byte, error) { return nil, errors.New("no files") }}
	tests := []struct{ line, want string }{
		{"npm i foo", "[foo: custom registry]"},
		{"NPM_CONFIG_REGISTRY=https://registry.npmjs.org npm i foo", "npm:foo"},
		{"docker exec c npm i foo", "npm:foo~remote"},
		{"go get github.com/acme/x", "[github.com/acme/x: private]"},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, parse(tt.line, o)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", tt.line, diff)
		}
	}
}

func TestMentionsPassesOrdinaryCommands(t *testing.T) {
	for _, line := range []string{"X=pm; n$X i evil", "n${x}pm i evil", "$(echo n)pm i evil", "$'\\x6epm' i evil", "echo bnBtIGkgZXZpbAo= | base64 -d | sh", `C:\nodejs\npm.cmd i evil`, `& "C:\Program Files\nodejs\npm" i evil`, `n\pm i evil`} {
		if !Mentions(line) {
			t.Errorf("Mentions(%q) is false", line)
		}
	}
	for _, line := range []string{"echo $HOME $(pwd) ${x}", "", "ls -la", "git status && make test", "rm -rf build", "echo cargos gopher npmrc pipeline", "cat <<EOF\nsome text\nEOF"} {
		if Mentions(line) {
			t.Errorf("Mentions(%q)", line)
		}
	}
	if n := testing.AllocsPerRun(10, func() { Mentions("git status && make -j8 test \"quoted\" words and more words") }); n != 0 {
		t.Errorf("Mentions allocates %v times", n)
	}
}

func FuzzParse(f *testing.F) {
	for _, line := range []string{
		"npm i a@1 --registry=x", "pip install -r r.txt 'a[b]>=1;c'", "go get a.b/c@v1", "cargo add a@1 --git x", "uvx --from a b", "composer require a/b ^1",
		"mvn a.b:c:1:d -Dartifact=x", "dotnet add x package y -v 1", "pnpm axios", "npx -p a b", "poetry add a@^1", "deno add npm:a", "conda install a=1", "gem i a:1",
	} {
		f.Add(line)
	}
	o := Options{ReadFile: func(string) ([]byte, error) { return []byte("a==1\n-r b\n--index-url x\n"), nil }}
	f.Fuzz(func(t *testing.T, line string) {
		packages, unchecked := Parse(shellcmd.Parse(line, shellcmd.Options{Cwd: "/w"}), o)
		for _, p := range packages {
			if p.Ecosystem == "" || p.Name == "" || strings.ContainsAny(p.Name, "\n\x00 ") {
				t.Errorf("%q: bad package %+v", line, p)
			}
		}
		for _, u := range unchecked {
			if u.Why == "" {
				t.Errorf("%q: no reason for %q", line, u.Spec)
			}
		}
	})
}
