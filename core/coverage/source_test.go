package coverage

import (
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// marked takes the marks off a source text: a line that ends in one of them is
// one of the wanted. The marks are comments of the language.
func marked(text, mark string) (source string, want []int) {
	var out []string
	for i, line := range strings.Split(text, "\n") {
		if rest, ok := strings.CutSuffix(line, mark); ok {
			want = append(want, i+1)
			line = rest
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n"), want
}

func TestCodeIsToldFromTheRest(t *testing.T) {
	for _, tc := range []struct{ name, text string }{
		{"a.go", `// Package a is.
package a

import (
	"fmt"
)

const c = 1

type T struct {
	A int
}

var v = func() int {
	return 1 //!
}

func f(x int) {
	if x > 0 { //!
		fmt.Println( //!
			"x", //!
		)
	} else {
		// nothing
	}
	switch { //!
	case x == 1:
		f(2) //!
	default:
	}
	for { //!
		break //!
	}
}
`},
		{"doc.go", "// Package a is\n// func f() { return }\npackage a\n"},
		{"broken.go", "package a //!\nfunc f( { //!\n"},
		{"a.py", `"""A module

def not_code(): pass
"""
import os #!
# comment

def f(a, #!
      b):
    """What it does."""
    if a: #!
        return b #!
    else:
        x = """ #!
        text
        """
    y = a + \ #!
        b
    try: #!
        pass #!
    finally:
        z = {"#": 1, #!
             "b": 2}
`},
		{"a.rb", `# comment
class A #!
  =begin
  text
  =end
  def f #!
    if x #!
      1 #!
    else
      2 #!
    end
  end
end
`},
		{"a.ts", `import { a } from "./a";
import type { B } from "b";
export { a };
export * from "./c";
// comment
/* more
   text */
interface I {
  a: string;
  b(): void;
}
type U = "a" | "b";
export function f(x: number): number {
  if (x > 0) { //!
    return 1; //!
  }
  return x; //!
}
class C {
  m() {
    g(); //!
  }
}
const s = "{ // not a comment"; //!
`},
		{"types.ts", `export type Z =
  | 'a' // one
  | 'b'

export type Fn = (
  a: string,
) => void
type M = { [k: string]: number };
declare const x: number
export declare function g(
  a: string,
): void;
type Q<T> = T extends string
  ? 'x'

  : 'y'
const y = f('z') //!
let type = 1 //!
type = 2 //!
export type { Z as W } from './z'
import {
  a,
  type B,
} from './b'
export {
  a as c,
} from './b'
import d, {
  e,
} from "./d";
import './f.css'
export const h = 1 //!
`},
		{"A.java", `package x;

import java.util.List;

public class A {
    /** doc
     * f();
     */
    public int f(int x) {
        if (x > 0) { //!
            return 1; //!
        } else {
            g(x); //!
        }
    }
    interface B {
        void b();
    }
}
`},
		{"a.h", `#ifndef A_H
#define A_H
struct s {
  int a;
};
int f(int);
static inline int g(int x) {
  return x; //!
}
#endif
`},
		{"a.rs", `use std::fmt;
struct S<'a> {
    a: &'a str,
}
impl<'a> S<'a> {
    fn f(&self) -> char {
        let c = '{'; //!
        c //!
    }
}
`},
		{"notes.md", "# text\nif x\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			mark := " //!"
			if !strings.Contains(tc.text, mark) {
				mark = " #!"
			}
			text, want := marked(tc.text, mark)
			var got []int
			for n, code := range codeLines(tc.name, []byte(text)) {
				if code {
					got = append(got, n)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("lines:\n%s", diff)
			}
		})
	}
}

func TestBlocksBecomeLines(t *testing.T) {
	src := "package a\n\nfunc f(x int) {\n\tif x > 0 {\n\t\treturn\n\t} else {\n\t\t// nothing\n\t}\n\ts := `a\n\n(\nb`\n\tg(\n\t\ts, // c\n\t)\n}\n"
	blocks := []Block{
		{3, 17, 4, 11, 1, true},  // { … if x > 0 {
		{4, 11, 6, 3, 1, false},  // { return }
		{6, 8, 8, 3, 0, false},   // else { }
		{9, 2, 15, 3, 2, true},   // the rest
		{9, 2, 15, 3, 2, false},  // again, by another test
		{40, 1, 41, 2, 1, true},  // past the end
		{3, 17, 3, 18, 0, false}, // a brace alone
	}
	want := []Line{{4, true}, {5, false}, {9, true}, {12, true}, {13, true}, {14, true}}
	if diff := cmp.Diff(want, goLines(mergeBlocks(blocks), []byte(src))); diff != "" {
		t.Error(diff)
	}
}

func TestWhatDoesNotCountForAChange(t *testing.T) {
	other := "windows"
	if runtime.GOOS == "windows" {
		other = "linux"
	}
	for _, tc := range []struct{ name, text, want string }{
		{"a.go", "package a", ""},
		{"spec/a.go", "package a", ""},
		{"test/a.go", "package a", ""},
		{"a_test.go", "package a", "test"},
		{"testdata/x/a.go", "package a", "test"},
		{"vendor/x/a.go", "package a", "vendored"},
		{"a_" + other + ".go", "package a", "not built on " + runtime.GOOS + "/" + runtime.GOARCH},
		{"a_" + runtime.GOOS + ".go", "package a", ""},
		{"linux.go", "package a", ""},
		{"a_linux_bar.go", "package a", ""},
		{"a_linux_test_wasm.go", "package a", "not built on " + runtime.GOOS + "/" + runtime.GOARCH},
		{"b.go", "//go:build " + other + "\n\npackage a", "not built on " + runtime.GOOS + "/" + runtime.GOARCH},
		{"b.go", "//go:build !" + other + " && go1.20\n\npackage a", ""},
		{"b.go", "package a\n//go:build " + other + "\n", ""},
		{"zz.go", "// Code generated by x. DO NOT EDIT.\n\npackage a", "generated"},
		{"say.go", "package a\n\nvar s = \"Code generated by x. DO NOT EDIT.\"", ""},
		{"a.ts", "/* @generated */", "generated"},
		{"src/price.js", "", ""},
		{"src/latest.js", "", ""},
		{"test/price.test.js", "", "test"},
		{"src/price.spec.tsx", "", "test"},
		{"src/__tests__/price.js", "", "test"},
		{"vitest.config.ts", "", "configuration or declarations"},
		{"coverage/lcov-report/sorter.js", "", "a coverage report's own"},
		{"web/coverage/prettify.js", "", "a coverage report's own"},
		{"src/sorter.js", "", ""},
		{"src/coverage/index.js", "", ""},
		{"public/jquery.min.js", "", "vendored"},
		{"types.d.ts", "", "configuration or declarations"},
		{".eslintrc.cjs", "", "configuration or declarations"},
		{"node_modules/a/index.js", "", "vendored"},
		{"shop/price.py", "", ""},
		{"shop/testing_tools.py", "", ""},
		{"tests/helper.py", "", "test"},
		{"shop/test_price.py", "", "test"},
		{"conftest.py", "", "test"},
		{"spec/a_spec.rb", "", "test"},
		{"lib/inspector.rb", "", ""},
		{"src/main/java/x/A.java", "", ""},
		{"src/test/java/x/Helper.java", "", "test"},
		{"src/integrationTest/kotlin/x/Helper.kt", "", "test"},
		{"src/main/java/x/ATest.java", "", "test"},
		{"src/main/java/x/Test.java", "", ""},
		{"tests/it.rs", "", "test"},
		{"test/main.c", "", "test"},
		{"src/price.c", "", ""},
		{"src/PriceTest.php", "", "test"},
		{"Shop.Tests/Price.cs", "", "test"},
	} {
		if got := leftOut(tc.name, func() []byte { return []byte(tc.text) }); got != tc.want {
			t.Errorf("%s with %q: %q, want %q", tc.name, tc.text, got, tc.want)
		}
	}
}

func FuzzCodeLines(f *testing.F) {
	for _, s := range []string{"package a\nfunc f() { g() }", "if x {\n'\n\"", "\"\"\"\n(", "a\\\n`${\n", "/*", "enum E { A }"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"a.go", "a.py", "a.rb", "a.ts", "a.java", "a.c", "a.rs", "a.php", "a.cs"} {
			if got, want := len(codeLines(name, []byte(text))), strings.Count(text, "\n")+2; got != want {
				t.Fatalf("%s: %d entries, want %d", name, got, want)
			}
		}
		lines := goLines([]Block{{1, 1, 3, 5, 1, true}}, []byte(text))
		for _, l := range lines {
			if l.N < 1 || l.N > 3 {
				t.Fatalf("line %d", l.N)
			}
		}
	})
}
