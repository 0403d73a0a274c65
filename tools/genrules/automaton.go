package main

import "slices"

// An automaton finds every keyword in one pass over a text (Aho and Corasick,
// 1975). States are numbered breadth first. The root and the states right below
// it, where most bytes of a text that holds no keyword are spent, have a full
// row; the others have their own edges only, packed into one array, and fall
// back to a shorter suffix.
type automaton struct {
	class   [256]uint8 // of a byte, letters without case; 0 = in no keyword
	classes int
	rows    [][]uint16 // of the first len(rows) states
	base    []uint16   // of the states after them
	fail    []uint16
	check   []uint16 // owner of a slot, 0 = free (the root owns none)
	next    []uint16
	out     [][]int // keywords that end in a state, longest first
}

func newAutomaton(keywords []string) *automaton {
	a := &automaton{classes: 1}
	for _, k := range keywords {
		for i := range len(k) {
			if c := k[i]; a.class[c] == 0 {
				a.class[c] = uint8(a.classes)
				a.classes++
			}
		}
	}
	for c := byte('a'); c <= 'z'; c++ {
		a.class[c-'a'+'A'] = a.class[c]
	}

	// The trie, then its states in order of depth.
	type node struct {
		edges map[uint8]int
		depth int
		words []int
	}
	trie := []node{{edges: map[uint8]int{}}}
	for id, k := range keywords {
		at := 0
		for i := range len(k) {
			c := a.class[k[i]]
			to, ok := trie[at].edges[c]
			if !ok {
				to = len(trie)
				trie = append(trie, node{edges: map[uint8]int{}, depth: trie[at].depth + 1})
				trie[at].edges[c] = to
			}
			at = to
		}
		trie[at].words = append(trie[at].words, id)
	}
	order := []int{0}
	for i := 0; i < len(order); i++ {
		for c := 1; c < a.classes; c++ {
			if to, ok := trie[order[i]].edges[uint8(c)]; ok {
				order = append(order, to)
			}
		}
	}
	number := make([]int, len(trie))
	for n, at := range order {
		number[at] = n
	}

	// go1 is the full transition function, needed for the rows and for fail.
	full := make([][]uint16, len(order))
	a.fail = make([]uint16, len(order))
	a.out = make([][]int, len(order))
	for n, at := range order {
		full[n] = make([]uint16, a.classes)
		if n > 0 {
			copy(full[n], full[a.fail[n]])
		}
		a.out[n] = slices.Clone(trie[at].words)
		if n > 0 {
			a.out[n] = append(a.out[n], a.out[a.fail[n]]...)
		}
		for c, to := range trie[at].edges {
			if n > 0 {
				a.fail[number[to]] = full[a.fail[n]][c]
			}
			full[n][c] = uint16(number[to])
		}
	}
	rows := 0
	for rows < len(order) && trie[order[rows]].depth < 2 {
		rows++
	}
	a.rows = full[:rows]
	a.base = make([]uint16, len(order))
	for n := rows; n < len(order); n++ {
		a.place(n, trie[order[n]].edges, number)
	}
	// A lookup may read one row past the last base.
	for len(a.check) < int(slices.Max(a.base))+a.classes {
		a.check, a.next = append(a.check, 0), append(a.next, 0)
	}
	return a
}

// place packs the edges of state n where they fit.
func (a *automaton) place(n int, edges map[uint8]int, number []int) {
	for base := 0; ; base++ {
		fits := true
		for c := range edges {
			slot := base + int(c)
			for len(a.check) <= slot {
				a.check, a.next = append(a.check, 0), append(a.next, 0)
			}
			fits = fits && a.check[slot] == 0
		}
		if !fits {
			continue
		}
		a.base[n] = uint16(base)
		for c, to := range edges {
			a.check[base+int(c)], a.next[base+int(c)] = uint16(n), uint16(number[to])
		}
		return
	}
}
