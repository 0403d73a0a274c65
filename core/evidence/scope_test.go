package evidence

import (
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

// touch puts files into the session's set of touched ones.
func (p *project) touch(names ...string) {
	p.Helper()
	store := &session.Store{Dir: p.TempDir()}
	for _, name := range names {
		if _, err := store.Update(p.Context(), "claude", "s", func(tx *session.Tx) error { tx.Apply(session.Add(session.Touched, name)); return nil }); err != nil {
			p.Fatal(err)
		}
	}
	view, err := store.View("claude", "s")
	if err != nil {
		p.Fatal(err)
	}
	p.view = view
}

func TestTestsOfOtherPackagesProveNothingOfTheTouchedOne(t *testing.T) {
	const test = "package x\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n"
	for _, c := range []struct {
		name, command string
		touched       []string
		proves        bool
	}{
		{"the other one", "go test ./b", []string{"a/a.go"}, false},
		{"the other one, from a folder", "cd b && go test .", []string{"a/a.go"}, false},
		{"the root alone", "go test .", []string{"a/a.go"}, false},
		{"others below", "go test ./b/...", []string{"a/a.go"}, false},
		{"gotestsum", "gotestsum -- ./b", []string{"a/a.go"}, false},
		{"its own", "go test ./a", []string{"a/a.go"}, true},
		{"among others", "go test ./b ./a", []string{"a/a.go"}, true},
		{"all", "go test ./...", []string{"a/a.go"}, true},
		{"where it stands", "go test", []string{"a/a.go"}, true},
		{"what is above it", "go test ./a/...", []string{"a/deep/x.go"}, true},
		{"one of two", "go test ./b", []string{"a/a.go", "b/b.go"}, true},
		{"one that imports it", "go test ./c", []string{"a/a.go"}, true},
		{"one that imports the root", "go test ./d", []string{"x.go"}, true},
		{"one that does not import the root", "go test ./b", []string{"x.go"}, false},
		{"an import path", "go test example.com/app/b", []string{"a/a.go"}, true},
		{"no Go file was touched", "go test ./b", []string{"web/app.ts", "a/testdata/x.go"}, true},
		{"another runner", "pytest tests/test_b.py", []string{"a/a.go"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProject(t)
			p.file("go.mod", "module example.com/app\n\ngo 1.21\n")
			p.file("x_test.go", test)
			for _, dir := range []string{"a", "a/deep", "b"} {
				p.file(dir+"/x_test.go", test)
			}
			p.file("c/x_test.go", test+"\nimport _ \"example.com/app/a\"\n")
			p.file("d/x_test.go", test+"\nimport _ \"example.com/app\"\n")
			p.write(c.touched[0])
			p.touch(c.touched...)
			text := "ok  \texample.com/app/x\t0.2s\n"
			if c.command[0] == 'p' {
				text = green.Text
			}
			if c.command[:3] == "got" {
				text = "DONE 1 tests in 0.2s\n"
			}
			v := p.run(c.command, &hook.Result{Outcome: hook.Succeeded, Text: text, HasExit: true})
			if c.proves {
				p.passes()
				return
			}
			if v.Decision != hook.Advise || v.Context == "" {
				t.Errorf("nobody is told: %+v", v)
			}
			p.blocks("generation")
		})
	}
}

func TestGradleWithoutACountProvesWhatHoldsTests(t *testing.T) {
	upToDate := &hook.Result{Outcome: hook.Succeeded, Text: "> Task :test UP-TO-DATE\n\nBUILD SUCCESSFUL in 1s\n", HasExit: true}
	for name, c := range map[string]struct {
		file, text string
		proves     bool
	}{
		"JUnit":         {"app/src/test/java/x/CartTest.java", "class CartTest {\n\t@Test\n\tvoid adds() {}\n}\n", true},
		"Kotlin":        {"app/src/test/kotlin/x/CartTest.kt", "class CartTest {\n    @Test fun adds() {}\n}\n", true},
		"Spock":         {"src/test/groovy/x/CartSpec.groovy", "class CartSpec extends Specification {\n}\n", true},
		"Kotest":        {"src/test/kotlin/x/CartSpec.kt", "class CartSpec : StringSpec({\n})\n", true},
		"no test in it": {"src/test/java/x/CartTest.java", "class CartTest {}\n", false},
		"no test file":  {"src/main/java/x/Cart.java", "class Cart { @Test int a; }\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			p.file(c.file, c.text)
			p.write("x.java")
			p.run("./gradlew test", upToDate)
			if c.proves {
				p.passes()
			} else {
				p.blocks("generation")
			}
		})
	}
}

func TestATestRunOfOtherFilesProvesNothing(t *testing.T) {
	for command, closes := range map[string]bool{
		"pytest":                                   true,
		"cd sub && pytest":                         true,
		"make -C sub test":                         true,
		"pytest tests /elsewhere/more":             true,
		"docker compose exec -T web pytest":        true,
		"cd /elsewhere && pytest":                  false,
		"pytest /elsewhere":                        false,
		"pytest --rootdir /elsewhere":              false,
		"make -C ../other test":                    false,
		"npm --prefix=/elsewhere test":             false,
		"cargo test --manifest-path ../Cargo.toml": false,
		"ssh host pytest":                          false,
		"kubectl exec pod -- pytest":               false,
	} {
		p := newProject(t)
		p.file("sub/x.py", "1")
		p.file("a.py", "1")
		p.write("a.py")
		res := *green
		if strings.HasPrefix(command, "cargo") {
			res.Text = "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out"
		}
		p.run(command, &res)
		if got := p.state().VerifiedGeneration == 1; got != closes {
			t.Errorf("%s: proves it: %v", command, got)
		}
	}
}
