package policy

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/hook"
)

// tableRef is a record of a table of refs: a symbolic one, a value, or, with
// neither, the mark of one that is gone.
type tableRef struct {
	name, target string
	value        bool
}

// refTable writes a table of one block as git does, without the footer.
func refTable(version byte, refs ...tableRef) string {
	number := func(b *bytes.Buffer, v int) {
		out := []byte{byte(v & 0x7f)}
		for v >>= 7; v > 0; v >>= 7 {
			v--
			out = append([]byte{byte(v&0x7f) | 0x80}, out...)
		}
		b.Write(out)
	}
	var b bytes.Buffer
	b.WriteString("REFT")
	b.Write([]byte{version, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1})
	hash := 20
	if version == 2 {
		b.WriteString("s256")
		hash = 32
	}
	start := b.Len()
	b.WriteString("r\x00\x00\x00")
	last := ""
	for _, r := range refs {
		shared := 0
		for shared < len(last) && shared < len(r.name) && last[shared] == r.name[shared] {
			shared++
		}
		kind := 0
		switch {
		case r.target != "":
			kind = 3
		case r.value:
			kind = 1
		}
		number(&b, shared)
		number(&b, (len(r.name)-shared)<<3|kind)
		b.WriteString(r.name[shared:])
		number(&b, 0)
		switch kind {
		case 1:
			b.WriteString(strings.Repeat("\xab", hash))
		case 3:
			number(&b, len(r.target))
			b.WriteString(r.target)
		}
		last = r.name
	}
	b.Write([]byte{0, 0, byte(start + 4), 0, 1})
	out := b.Bytes()
	out[start+2], out[start+3] = byte(len(out)>>8), byte(len(out))
	return string(out)
}

// A repository without a commit, as git writes it.
const freshTable = "5245465401001000000000000000000100000000000000017200003800234845414400" + "0f726566732f68656164732f6d61696e00001c0001"

func TestTheTableIsWrittenAsGitDoes(t *testing.T) {
	if got := hex.EncodeToString([]byte(refTable(1, tableRef{name: "HEAD", target: "refs/heads/main"}))); got != freshTable {
		t.Errorf("got %s\nwant %s", got, freshTable)
	}
}

func TestTheBranchOfARepositoryWithTablesIsKnown(t *testing.T) {
	main, topic := tableRef{name: "HEAD", target: "refs/heads/main"}, tableRef{name: "HEAD", target: "refs/heads/topic"}
	born := []tableRef{{name: "refs/heads/main", value: true}, {name: "refs/heads/release/" + strings.Repeat("long", 60), value: true}, {name: "refs/heads/topic", value: true}}
	for _, tt := range []struct {
		name   string
		tables []string // oldest first
		want   hook.Decision
	}{
		{"a protected branch", []string{refTable(1, append([]tableRef{main}, born...)...)}, hook.Ask},
		{"with the longer digests", []string{refTable(2, append([]tableRef{{name: "CHERRY_PICK_HEAD", value: true}, main}, born...)...)}, hook.Ask},
		{"the newest table counts", []string{refTable(1, main), refTable(1, born...), refTable(1, topic)}, hook.Pass},
		{"an older one where it says nothing", []string{refTable(1, main), refTable(1, born...)}, hook.Ask},
		{"another branch", []string{refTable(1, append([]tableRef{topic}, born...)...)}, hook.Pass},
		{"no branch", []string{refTable(1, append([]tableRef{main}, born...)...), refTable(1, tableRef{name: "HEAD", value: true})}, hook.Pass},
		{"no commit yet", []string{refTable(1, main)}, hook.Pass},
		{"its branches are gone", []string{refTable(1, main, tableRef{name: "refs/heads/main"})}, hook.Pass},
		{"no table", nil, hook.Pass},
		{"damaged", []string{refTable(1, main)[:40]}, hook.Pass},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const dir = testHome + "/tables"
			f := repositories()
			f.files[dir+"/.git/HEAD"] = "ref: refs/heads/.invalid\n"
			f.files[dir+"/.git/refs/heads"] = "this repository uses the reftable format\n"
			list := ""
			for i, text := range tt.tables {
				name := "0x00000000000" + string(rune('1'+i)) + ".ref"
				list += name + "\n"
				f.files[dir+"/.git/reftable/"+name] = text
			}
			f.files[dir+"/.git/reftable/tables.list"] = list
			if v := judgeEvent(t, branchSettings(), f, shellEvent(dir, dir, "git commit -m x")); v.Decision != tt.want {
				t.Errorf("%s %s, want %s", v.Decision, v.Rule, tt.want)
			}
		})
	}
}

func TestAHeadOfAnotherFormIsRead(t *testing.T) {
	f := repositories()
	const linked, tabs = testHome + "/linked", testHome + "/tabs"
	for _, dir := range []string{linked, tabs} {
		f.dirs[dir+"/.git/refs/heads"] = true
		f.files[dir+"/.git/refs/heads/main"] = "0a\n"
	}
	f.links[linked+"/.git/HEAD"] = "refs/heads/main" // core.preferSymlinkRefs
	f.files[tabs+"/.git/HEAD"] = "ref:\t refs/heads/main\n"
	for _, dir := range []string{linked, tabs} {
		if v := judgeEvent(t, branchSettings(), f, shellEvent(dir, dir, "git commit -m x")); v.Decision != hook.Ask {
			t.Errorf("%s: %s", dir, v.Decision)
		}
	}
}

func FuzzFirstRefs(f *testing.F) {
	f.Add([]byte(refTable(1, tableRef{name: "HEAD", target: "refs/heads/main"}, tableRef{name: "refs/heads/main", value: true})))
	f.Add([]byte(refTable(2, tableRef{name: "HEAD", value: true})))
	f.Fuzz(func(t *testing.T, data []byte) {
		firstRefs(data, func(name, target string, _ bool) {
			if len(name) > len(data)*len(data)+1 || len(target) > len(data) {
				t.Errorf("%d, %d from %d bytes", len(name), len(target), len(data))
			}
		})
	})
}
