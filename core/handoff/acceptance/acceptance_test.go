package acceptance

import (
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/shellcmd"
)

func TestRuns(t *testing.T) {
	for command, want := range map[string]string{
		"npx playwright test":                    "ran",
		"npx playwright test --project=chromium": "ran",
		"yarn playwright test":                   "ran",
		"pnpm exec playwright test":              "ran",
		"bunx playwright test":                   "ran",
		"cypress run --browser chrome":           "ran",
		"npx wdio run wdio.conf.ts":              "ran",
		"npx detox test":                         "ran",
		"maestro test flow.yaml":                 "ran",
		"bundle exec cucumber":                   "ran",
		"python -m behave":                       "ran",
		"uv run behave":                          "ran",
		"robot tests/":                           "ran",
		"npm run e2e":                            "ran",
		"npm run test:e2e -- --headed":           "ran",
		"npm run e2e:ci":                         "ran",
		"npm --prefix web run e2e":               "ran",
		"pnpm --filter web e2e":                  "ran",
		"yarn workspace web e2e":                 "ran",
		"bun run test:e2e":                       "ran",
		"deno task e2e":                          "ran",
		"npm run test:acceptance":                "ran",
		"turbo run e2e":                          "ran",
		"npx nx e2e web":                         "ran",
		"nx run web:e2e":                         "ran",
		"make -C web e2e":                        "ran",
		"just e2e":                               "ran",
		"rake acceptance":                        "ran",
		"./gradlew e2eTest":                      "ran",
		"./scripts/e2e.sh":                       "ran",
		"bash scripts/run-e2e-tests.sh":          "ran",
		"bin/e2e":                                "ran",
		"pytest tests/e2e":                       "ran",
		"pytest -m e2e":                          "ran",
		"python3 -m pytest tests/e2e":            "ran",
		"go test -tags e2e ./...":                "ran",
		"dotnet test --filter Category=E2E":      "ran",
		"npx jest --config jest.e2e.config.js":   "ran",
		"rspec spec/acceptance":                  "ran",
		"cd web && CI=1 timeout 600 npm run e2e": "ran",
		"npx start-server-and-test start http://localhost:3000 e2e": "ran",
		"npx playwright test | tail -20":                            "masked",
		"npm run e2e 2>&1 | tee e2e.log":                            "masked",
		"npm run e2e > e2e.log 2>&1; tail -20 e2e.log":              "masked",
		"npm run e2e || true":                                       "masked",
		"npx playwright test | tail -5; npm run e2e":                "ran",
		"npx playwright test --list":                                "",
		"npx playwright install":                                    "",
		"npx playwright --version":                                  "",
		"npx cypress open":                                          "",
		"npm install playwright":                                    "",
		"npm run e2e:install":                                       "",
		"npm run lint:e2e":                                          "",
		"npm run build-e2e":                                         "",
		"npm test":                                                  "",
		"pytest":                                                    "",
		"pytest -m 'not e2e'":                                       "",
		"pytest --ignore tests/e2e":                                 "",
		"jest --testPathIgnorePatterns e2e":                         "",
		"go build -tags e2e ./...":                                  "",
		"cat e2e.log":                                               "",
		"vim e2e.spec.ts":                                           "",
		"git add tests/e2e":                                         "",
		"ls e2e":                                                    "",
		"echo npm run e2e":                                          "",
		"grep -rn e2e .":                                            "",
		"true || npm run e2e":                                       "",
		"npm run e2e &":                                             "",
		"f() { npm run e2e; }":                                      "",
		"node server.js":                                            "",
		"cat > e2e.sh <<'E'\nnpm run e2e\nE":                        "",
		"git commit -m 'npm run e2e'":                               "",
	} {
		ran, masked := Runs(shellcmd.Parse(command, shellcmd.Options{Cwd: "/w", Home: "/h"}))
		got := ""
		switch {
		case ran && masked:
			got = "masked"
		case ran:
			got = "ran"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
		if want != "" && !Mentions(command) {
			t.Errorf("%s: the cheap test misses it", command)
		}
	}
}

func TestFailuresAreCounted(t *testing.T) {
	for text, want := range map[string]bool{
		"5 passed (4s)": false, "1 failed\n4 passed": true, "0 failed, 3 passed": false, "Failed: 2, Passed: 1": true, "Failures: 0": false,
		"2 failing": true, "test failed to open the page": false, "failed 10 times before": false, "": false,
	} {
		if got := Failed(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func FuzzRuns(f *testing.F) {
	for _, s := range []string{"npm run e2e | tail", "npx playwright test", "pytest tests/e2e", "make acceptance", "behave"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, command string) {
		ran, _ := Runs(shellcmd.Parse(command, shellcmd.Options{}))
		// The shell may put a word together that the cheap test does not see; not from these.
		plain := !strings.ContainsFunc(command, func(r rune) bool {
			return r != ' ' && r != '/' && r != '-' && r != '.' && r != ':' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
		})
		if ran && plain && !Mentions(command) {
			t.Errorf("%q runs acceptance tests and does not mention them", command)
		}
	})
}
