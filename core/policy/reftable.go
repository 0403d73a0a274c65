package policy

import (
	"encoding/binary"
	"strings"
)

// Limits of what is read of a repository that keeps its refs in tables.
const (
	maxTables  = 64
	maxTable   = 8 << 20
	maxRecords = 4096 // of one block
)

// tableHead returns the branch that HEAD stands for in a repository that keeps
// its refs in tables (git's reftable format, versions 1 and 2), "" if that is
// none, unborn or cannot be read. dir is the git folder.
func (j *judge) tableHead(dir string) string {
	list, err := j.fs.ReadFile(dir+"/reftable/tables.list", 1<<16)
	if err != nil {
		return ""
	}
	names := strings.Fields(string(list))
	if len(names) > maxTables {
		return ""
	}
	head, known, born := "", false, dir != j.commonDir(dir) // a worktree's branches are elsewhere
	for i := len(names) - 1; i >= 0 && !(known && born); i-- {
		if strings.ContainsAny(names[i], `/\`) {
			return ""
		}
		data, err := j.fs.ReadFile(dir+"/reftable/"+names[i], maxTable)
		if err != nil {
			return "" // a newer word may stand in it
		}
		firstRefs(data, func(name, target string, there bool) {
			switch {
			case name == "HEAD" && !known:
				head, known = target, true
			case there && strings.HasPrefix(name, "refs/heads/"):
				born = true
			}
		})
	}
	if branch, ok := strings.CutPrefix(head, "refs/heads/"); ok && born {
		return branch
	}
	return ""
}

// firstRefs calls f for the records of a table's first block of refs, in order:
// the name, the ref that it stands for if it is a symbolic one, and whether it is
// there at all. It ends at what it does not understand.
func firstRefs(data []byte, f func(name, target string, there bool)) {
	header, hash := 24, 20
	if len(data) < header || string(data[:4]) != "REFT" {
		return
	}
	switch data[4] {
	case 1:
	case 2:
		if header = 28; len(data) < header {
			return
		}
		if string(data[24:28]) == "s256" {
			hash = 32
		}
	default:
		return
	}
	if len(data) < header+4 || data[header] != 'r' {
		return
	}
	// A block's length counts from its start, of the first one with the header.
	size := int(binary.BigEndian.Uint32(data[header:]) & 0xffffff)
	if size < header+6 || size > len(data) {
		return
	}
	block := data[:size]
	restarts := 2 + 3*int(binary.BigEndian.Uint16(block[size-2:]))
	if restarts > size-header-4 {
		return
	}
	r := tableReader{b: block[header+4 : size-restarts]}
	name := ""
	for n := 0; len(r.b) > 0 && n < maxRecords; n++ {
		prefix, more := r.number(), r.number()
		suffix := r.take(more >> 3)
		r.number() // the update that made it
		if r.bad || prefix > uint64(len(name)) {
			return
		}
		name = name[:prefix] + string(suffix)
		target := ""
		switch more & 7 {
		case 0:
		case 1:
			r.take(uint64(hash))
		case 2:
			r.take(2 * uint64(hash))
		case 3:
			target = string(r.take(r.number()))
		default:
			return
		}
		if r.bad {
			return
		}
		f(name, target, more&7 != 0)
	}
}

type tableReader struct {
	b   []byte
	bad bool
}

// number reads one of git's numbers of variable length.
func (r *tableReader) number() uint64 {
	var v uint64
	for i := 0; i < len(r.b) && i < 9; i++ {
		if i > 0 {
			v++
		}
		v = v<<7 | uint64(r.b[i]&0x7f)
		if r.b[i] < 0x80 {
			r.b = r.b[i+1:]
			return v
		}
	}
	r.bad = true
	return 0
}

func (r *tableReader) take(n uint64) []byte {
	if r.bad || n > uint64(len(r.b)) {
		r.bad = true
		return nil
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}
