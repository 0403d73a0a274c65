package run

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/quality"
)

func (p *project) commit(message string) string {
	p.t.Helper()
	p.git("add", "-A")
	p.git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", message)
	return p.git("rev-parse", "HEAD")
}

const redTest = "package b\n\nimport \"testing\"\n\nfunc TestTheirs(t *testing.T) { t.Error(\"theirs\") }\n"

func TestWhatACheckoutMergeOrRebaseBroughtDoesNotBlock(t *testing.T) {
	for name, bring := range map[string]func(p *project){
		"checkout": func(p *project) { p.git("checkout", "-q", "theirs") },
		"merge":    func(p *project) { p.git("merge", "-q", "--no-edit", "theirs") },
		"rebase": func(p *project) {
			p.write("c.txt", "ours")
			p.commit("ours")
			p.git("-c", "user.name=t", "-c", "user.email=t@t", "rebase", "-q", "theirs")
		},
		"merge of both": func(p *project) {
			p.write("c.txt", "ours")
			p.commit("ours")
			p.git("-c", "user.name=t", "-c", "user.email=t@t", "merge", "-q", "--no-edit", "theirs")
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := goProject(t)
			p.conf.OnStop = []quality.Step{quality.Test}
			main := p.git("rev-parse", "--abbrev-ref", "HEAD")
			p.git("checkout", "-q", "-b", "theirs")
			p.write("b/b_test.go", redTest)
			p.commit("theirs")
			p.git("checkout", "-q", main)
			base := p.git("rev-parse", "HEAD")
			bring(p)
			p.write("b/b.go", "package b\n\n// Zero is 0.\nfunc Zero() int { return 0 }\n")
			r := p.ask(Request{Touched: []string{"b/b.go"}, Base: base, Deadline: true})
			if r.Outcome != quality.Passed || len(r.Known) != 1 || r.Known[0].Test != "TestTheirs" {
				t.Fatalf("%s\nknown %+v", r.Text(4000), r.Known)
			}
			// The same red test, written here, counts.
			p.write("b/mine_test.go", strings.ReplaceAll(redTest, "heirs", "hisIsMine"))
			p.commit("mine")
			if r := p.ask(Request{Touched: []string{"b/b.go", "b/mine_test.go"}, Base: base, Deadline: true}); r.Outcome != quality.Failed || !strings.Contains(r.Text(4000), "TestThisIsMine") {
				t.Fatal(r.Text(4000))
			}
		})
	}
}

func TestASubmoduleIsJudgedByWhatItHoldsNow(t *testing.T) {
	needs(t, "go", "git")
	p := newProject(t, map[string]string{"README.md": "x"})
	sub := filepath.Join(t.TempDir(), "sub")
	files := map[string]string{
		"go.mod": "module example.com/sub\n\ngo 1.21\n", "s.go": "package sub\n\n// F is one.\nfunc F() int { return 1 }\n",
		"s_test.go": "package sub\n\nimport \"testing\"\n\nfunc TestOld(t *testing.T) { t.Error(\"old\") }\n\nfunc TestF(t *testing.T) {\n\tif F() != 1 {\n\t\tt.Error(\"F\")\n\t}\n}\n",
	}
	for name, text := range files {
		if err := os.MkdirAll(sub, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(sub, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.git("-C", sub, "init", "-q")
	p.git("-C", sub, "add", "-A")
	p.git("-C", sub, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "one")
	p.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", sub, "third")
	p.commit("submodule")
	p.conf.OnStop = []quality.Step{quality.Test}
	p.write("third/s.go", "package sub\n\n// F is 1.\nfunc F() int { return 1 }\n")
	r := p.gate("third/s.go")
	if r.Outcome != quality.Passed || len(r.Known) != 1 || r.Known[0].Test != "TestOld" {
		t.Fatalf("%s\nknown %+v", r.Text(4000), r.Known)
	}
	p.write("third/s.go", "package sub\n\n// F is 2.\nfunc F() int { return 2 }\n")
	check(t, p.gate("third/s.go"), "third/s_test.go:9: TestF")
}

func TestAProjectReachedByALinkIsWalked(t *testing.T) {
	p := goProject(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(p.root, link); err != nil {
		t.Skip(err)
	}
	conf := p.conf
	conf.Root = link
	if got := p.w.Profile(context.Background(), conf); len(got.Toolchain) != 1 || got.Toolchain[0] != golang {
		t.Errorf("%+v", got)
	}
}
