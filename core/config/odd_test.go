package config

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/config/tree"
	"github.com/ec261362/guardrails/core/config/yamldoc"
)

// odd are configurations that people, editors and other programs write.
var odd = []string{
	"",
	"# hi\n\t# tab comment\n   # x\n",
	"version: 1\n\t# tab before a comment\nmode: warn\n",
	"version: 1\t# tabbed\nmode: warn\t\t# x\n",
	"version: 1 #\ttab\tin\nmode: warn #\n",
	"version: 1   \nmode: warn  \npolicy:   \n  packs: [core]   \n",
	"version: 1\t\nmode: warn\t\n",
	"version:\t1\nmode:\twarn\n",
	"version: 1\n   \n\t\nmode: warn\n",
	"\"version\": 1\n'mode': warn\n\"policy\":\n  'packs': [\"core\", 'cloud']\n",
	"\"version\" : 1\n'mode' : \"warn\"\n",
	"version : 1\nmode : warn\n",
	"\"mo\\x64e\": warn\n",
	"policy: {packs: [core,\n   cloud], # c\n  protect: [\n 'a/**',\n b/**\n ]\n}\n",
	"policy: {\npacks: [\ncore,\ncloud\n]\n}\n",
	"policy: {packs: [core, cloud,], }\n",
	"{\"version\":1,\"mode\":\"warn\",\"policy\":{\"packs\":[\"core\",\"cloud\"],\"protect\":[\"a\"]}}\n",
	"{\"version\": 1, \"mode\": \"warn\", \"policy\": {\"packs\": [\"core\"]}}\n",
	"{\n  \"version\": 1,\n  \"mode\": \"warn\",\n  \"policy\": {\n    \"packs\": [\"core\"]\n  }\n}\n",
	"{\n\t\"version\": 1,\n\t\"mode\": \"warn\",\n\t\"policy\": {\n\t\t\"packs\": [\"core\"]\n\t}\n}\n",
	"policy: {packs, protect: [a]}\n",
	"policy: {protect: [a: b]}\n",
	"policy: {protect: [a, , b]}\n",
	"policy: {\"protect\":[a]}\n",
	"policy: {protect: [a\n  b, c]}\n",
	"policy: {protect: [http://a/b, c:d]}\n",
	"policy: {protect: [a,#b\n c]}\n",
	"---\nversion: 1\n",
	"--- # hi\nversion: 1\n",
	"--- {version: 1}\n",
	"--- version: 1\n",
	"---   \nversion: 1\n",
	"---\t\nversion: 1\n",
	"version: 1\n...\n",
	"version: 1\n... # end\n# more\n",
	"---\nversion: 1\n...\n",
	"...\nversion: 1\n",
	"---\n",
	"---\n---\nversion: 1\n",
	"version: 1\n---\nmode: warn\n",
	"version: 1\n---\n",
	"version: 1\n...\n---\nmode: warn\n",
	"# c\n---\n# d\nversion: 1\n",
	"%YAML 1.2\n---\nversion: 1\n",
	"%TAG ! tag:x,2000:\n---\nversion: 1\n",
	"standards:\n- ---\n- --- a\n- '---'\n",
	"mode: warn\nmode: enforce\n",
	"policy: {packs: [core]}\npolicy: {packs: [cloud]}\n",
	"policy:\n  packs: [core]\n  protect: [a]\n  packs: [cloud]\n",
	"mode: warn\n\"mode\": enforce\n",
	"policy: {packs: [core], packs: [cloud]}\n",
	"xx: 1\nxx: 2\n",
	"version:\nmode: ~\npolicy: null\nquality: NULL\nevidence: Null\nvalidators:\n",
	"policy:\n  packs:\n  protect: ~\nquality:\n  onEdit:\n  stopTimeout:\n",
	"policy:\n  protect:\n    -\n    - ~\n    - null\n    - a\n",
	"mode: 'null'\nstandards: ['~', \"null\"]\n",
	"null: 1\n~: 2\n",
	"2001-01-01: a\n",
	"standards:\n  - >\n    a\n    b\n\n    c\n  - >+\n    d\n\n  - >-\n    e\n",
	"standards:\n  - >-\n    a\n      b\n    c\n",
	"standards:\n  - >-\n    a",
	"standards:\n  - >\n    a",
	"standards:\n  - | # comment\n    a # not\n  - |-\n    b\n   # c\n  - d\n",
	"standards:\n  - |-\n    b\n# c\n  - d\n",
	"standards:\n  - |-\n    a\tb\n    \tc\n",
	"standards:\n  - |-\n    a   \n    b  \n",
	"standards:\n  - |-\n    a\n      \n    b\n  - c\n",
	"standards:\n  - |2\n     a\n  - |1-\n    b\n",
	"standards:\n  - |\n  - a\n  - |-\n\nmode: warn\n",
	"standards:\r\n  - |\r\n    a\r\n    b\r\n  - >-\r\n    c\r\n    d\r\nmode: warn\r\n",
	"standards:\n  - |-\n\n    a\n",
	"mode: |-\n warn\n",
	"mode: |-\nwarn\n",
	"standards:\n  - |-\n    a\n    ---\n    ...\n    b: c\n",
	"version: 1 # a\nmode: warn# not a comment\n",
	"mode: warn #c\npolicy: # c\n  packs: # d\n    - core # e\n    # f\n    - cloud\n# g\n  # h\n",
	"mode: 'warn' # c\nstandards: [\"a#b\", 'c # d', e#f] # x\n",
	"mode: 'warn'#c\n",
	"policy: {}#c\n",
	"standards:\n - \"# a\"\n - '#b'\n - c#d\n - e #f\n - 'g'#h\n",
	"policy:\n  protect: [a#b, c # d\n  ]\n",
	"standards:\n - \"a: b\"\n - 'c: d'\n - e:f\n - ::g\n - h:\n",
	"policy:\n  allow:\n  - {rule: git/reset-hard, when: git reset --hard a:b, reason: x:y}\n",
	"mode: warn: x\n",
	"rewrite:\n - match: \"a: b\"\n   to: 'c: d'\n",
	"standards: ['a:', b:c, \":\"]\n",
	"standards: ['it''s', '''', '''a''', 'b''']\n",
	"standards: ['a\\nb', 'c\\']\n",
	"standards: [\"a\\tb\", \"\\u00e9\", \"\\x41\", \"\\U0001F600\", \"\\e\", \"\\0\", \"\\/\", \"\\ \", \"\\N\", \"\\_\", \"\\\"\", \"\\\\\"]\n",
	"standards: [\"a\\qb\"]\n",
	"standards: [\"\\ud83d\\ude00\"]\n",
	"standards:\n - 'a\n   b\n\n   c'\n",
	"standards:\n - \"a\n   b\\\n   c\n\n   d\"\n",
	"standards: [\"a\n b\", 'c\n d']\n",
	"\"mo\n de\": warn\n",
	"standards:\n  - a\n    b\n  - c\n\n    d\n   e\n",
	"mode:\n  warn\n",
	"mode:\n  warn\n  x\n",
	"mode:\nwarn\n",
	"standards:\n  - a # c\n    b\n",
	"standards:\n  - a\n    - b\n",
	"standards:\n  - a\n    #b\n    c\n",
	"standards:\n  - a\n    b: c\n",
	"version:\n  1\n",
	"standards:\n  - a\n    [b]\n  - c\n    'd'\n  - e\n    &f\n  - g\n    - h\n  - i\n    ? j\n  - k\n    | l\n  - m\n    %n\n  - o\n    @p\n",
	"\ufeffversion: 1\nmode: warn\n",
	"\ufeffversion: 1\r\nmode: warn\r\n",
	"\ufeff",
	"\ufeff# c\nversion: 1\n",
	"\ufeff---\nversion: 1\n",
	"\ufeffmodee: 1\n",
	"version: 1\n\ufeffmode: warn\n",
	"version: 1\r\nmode: warn\r\npolicy:\r\n  packs:\r\n  - core\r\n  - cloud\r\n",
	"version: 1\r\nmode: warn\npolicy:\r\n  packs: [core,\r\n    cloud]\n",
	"# a\r\nversion: 1 # b\r\n\r\n",
	"version: 1\r\nmodee: warn\r\n",
	"version: 1\rmode: warn\r",
	"version: 1\r",
	"\xff\xfev\x00e\x00r\x00s\x00i\x00o\x00n\x00:\x00 \x001\x00\x0a\x00",
	"\xfe\xff\x00v\x00e\x00r\x00s\x00i\x00o\x00n\x00:\x00 \x001\x00\x0a",
	"v\u0000e\u0000r\u0000s\u0000i\u0000o\u0000n\u0000:\u0000 \u00001\u0000\n\u0000",
	"\xff\xfe\x00\x00v\x00\x00\x00e\x00\x00\x00r\x00\x00\x00s\x00\x00\x00i\x00\x00\x00o\x00\x00\x00n\x00\x00\x00:\x00\x00\x00 \x00\x00\x001\x00\x00\x00\x0a\x00\x00\x00",
	"# caf\xe9\x0aversion: 1\x0a",
	"version: 1\n\u0000",
	"version: 1\u0085mode: warn\n",
	"version: 1 # a\u2028mode: warn\n",
	"version:\u00a01\n",
	"policy:\n\u00a0\u00a0packs: [core]\n",
	"# 😀\nstandards: [😀, \"👨‍👩\", é]\nmodee: x\n",
	"standards: [é, ü] # ö\npolicy: {\"é\": 1}\n",
	"mode: &m warn\n",
	"policy:\n  packs: &p [core]\n  protect: *p\n",
	"mode: &a enforce\nversion: 1\n",
	"policy: &x\n  packs: [core]\nquality: *x\n",
	"mode: *nope\n",
	"base: &b {packs: [core]}\npolicy:\n  <<: *b\n",
	"policy:\n  \"<<\": a\n",
	"mode: !!str warn\n",
	"mode: !x warn\n",
	"mode: ! warn\n",
	"mode: !!binary d2Fybg==\n",
	"? mode\n: warn\n",
	"[a, b]: c\n",
	"policy:\n  ? packs\n  ? protect\n",
	"policy:\n\tpacks: [core]\n",
	"policy:\n  \tpacks: [core]\n",
	"standards:\n-\ta\n",
	"policy:\n  packs: [core]\n   protect: [a]\n",
	"policy:\n    packs: [core]\n  protect: [a]\n",
	"standards:\n- a\n- b\nmode: warn\n",
	"policy:\n  allow:\n  - rule: git/reset-hard\n    when: git reset --hard x\n    reason: r\n  -   rule: git/clean\n      when: git clean -f\n      reason: s\n",
	"standards:\n- - a\n  - b\n-\n  - c\n",
	"- a\n- b\n",
	"hello\n",
	"'hello'\n",
	"~\n",
	"1\n",
	"polcy:\n  x: 1\nqualty: {}\nmode: wran\n",
	"a: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n",
	"version: 1\nmode: warn",
	"version: 1 # x",
	"   \n  \n",
	"\t\n\t\t\n",
	"  version: 1\n  mode: warn\n",
	"  version: 1\nmode: warn\n",
	"standards: [-a, ?b, :c, a-b, a?b, a!b, a&b, a*b, a|b, a>b, a@b, a`b, a%b]\n",
	"policy:\n  protect:\n  - deploy/**\n  - a*b\n",
	"policy:\n  protect: [**/*.go]\n",
	"policy:\n  protect:\n  - *.go\n",
	"policy:\n  protect:\n  - a{b,c}\n  - a[bc]\n",
	"policy:\n  protect: [a{b}]\n",
	"standards: [$HOME/a, ~/b, ./c, ../d]\n",
	"policy: {protect: [~/a, ~, \"~\"]}\n",
	"policy: {protect: [C:\\a\\b, 'C:\\a']}\n",
	"policy: {protect: [\"C:\\a\"]}\n",
	"standards: [@a]\n",
	"standards: [`a`]\n",
	"standards:\n- %a\n",
	"%a: b\n",
	"standards:\n- ?a\n- ? b\n",
	"standards:\n- -\n- --\n- -a\n",
	"mode: ''\nstandards: ['', \"\"]\n",
	"policy: {}\nquality: { }\nstandards: []\n",
	"mode: \"warn\nversion: 1\n",
	"policy: {packs: [core\nversion: 1\n",
	"policy: {packs: [core]]}\n",
	"quality:\n  packages:\n    a/b: {test: go test}\n    'c d':\n      test: [go, test]\n    \"*\": {}\n    1: {}\n    ~: {}\n    true: {}\n",
	"dependencies:\n  endpoints:\n    npm: https://x:8080/a?b=c#d\n    osv: 'https://y'\n",
	"1e3: a\n0x1: b\n",
}

// oddValues stand where a text, a number, a switch and a duration belong.
var oddValues = []string{
	"1_000",
	"0x10",
	"1e3",
	".5",
	"yes",
	"no",
	"on",
	"off",
	"y",
	"true",
	"TRUE",
	"tRue",
	"0o17",
	"017",
	"0b11",
	"+5",
	"-5",
	"5.0",
	"5.",
	"1E3",
	"0",
	"-0",
	".inf",
	"-.inf",
	".nan",
	"1:30",
	"1_0.5_0",
	"0x",
	"08",
	"1__0",
	"_1",
	"1_",
	"0x_1",
	"0b2",
	"0o8",
	"1,000",
	"1e400",
	"99999999999999999999",
	"2001-01-01",
	"2001-01-01T10:00:00Z",
	"2001-1-1",
	"'5'",
	"\"true\"",
	"+0x10",
	"0X10",
	"1e+3",
	"+.5",
	".5e1",
	"1.e1",
	"0.0.1",
	"1-2",
	"=",
	"<<",
	"!",
	"5 %",
	"Infinity",
	"nan",
	"0x1p3",
	"1_e3",
	"-",
	"00",
	"0_0",
	".1_0",
	"+-1",
	"-0o7",
}

// TestOddFilesAreReadAsByTheLibrary has the reader of plain YAML and the library come
// to the same configuration, the same problems, in the same places.
func TestOddFilesAreReadAsByTheLibrary(t *testing.T) {
	docs := slices.Clone(odd)
	for _, v := range oddValues {
		docs = append(docs,
			"version: "+v+"\n",
			"quality:\n  lessons: "+v+"\ndependencies:\n  minAgeDays: "+v+"\n  exempt:\n  - "+v+"\n"+v+": a\n",
			"quality: {subagents: ["+v+"], coverage: {patchMin: "+v+"}}\nvalidators: {timeout: "+v+"}\n",
		)
	}
	ownWay := 0
	for i, doc := range docs {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			data := []byte(doc)
			f, problems, _ := parse("f", data, yamldoc.Read)
			d := decoder{file: &File{Name: "f", Config: Defaults()}}
			if d.readable(data) {
				n, err := yamldoc.Read(data)
				if err != nil {
					d.syntax(data, err)
				}
				if n != nil {
					d.top(n)
				}
			}
			d.problems.sort()
			if diff := cmp.Diff(lines(d.problems), lines(problems)); diff != "" {
				t.Errorf("problems of\n%s\n-library +own\n%s", doc, diff)
			}
			if diff := cmp.Diff(d.file.Config, f.Config); diff != "" {
				t.Errorf("configuration of\n%s\n-library +own\n%s", doc, diff)
			}
			if _, ok := tree.Plain(data); ok {
				ownWay++
			}
		})
	}
	if ownWay < len(docs)/2 {
		t.Errorf("only %d of %d are read without the library", ownWay, len(docs))
	}
}

func lines(p Problems) []string {
	if len(p) == 0 {
		return nil
	}
	return strings.Split(p.Error(), "\n")
}
