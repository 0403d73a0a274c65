package session

import "time"

// DefaultBudget is how often an obligation blocks before it is released to the
// human.
const DefaultBudget = 3

// TurnBlocks is how often one turn may be kept going in all; meeting an
// obligation that had blocked starts the count anew. Claude Code ends the turn
// itself after 8 consecutive blocks, with no tool call in between (2.1.197 and
// 2.1.332, measured), Antigravity after 10.
const TurnBlocks = 6

// maxOutcomes is how many outcomes a remembered answer keeps.
const maxOutcomes = 32

// Want is an obligation's wish to keep the turn going.
type Want struct {
	ID      string
	Finding string // what it is about: while it is the same, the full text is told once
	Budget  int    // blocks before release; below 1 = DefaultBudget

	// Opens is set by a gate that found out just now, by itself, that this is
	// owed: it is opened unless it was met after Looked (zero = now). Otherwise
	// only what a recorder opened is owed.
	Opens  bool
	Looked time.Time
}

// Action is what becomes of a Want. The zero value is that nothing is owed.
type Action int

// Actions.
const (
	Free      Action = iota // not owed, skipped, or released before: say nothing
	BlockFull               // block, with the full text
	BlockLine               // block, with one line: the finding was told before
	HandOver                // released now: tell the human, do not block
	LetGo                   // owed, but this turn was kept going often enough: do not block
)

func (a Action) String() string {
	switch a {
	case BlockFull:
		return "block"
	case BlockLine:
		return "block again"
	case HandOver:
		return "release"
	case LetGo:
		return "let go for this turn"
	default:
		return "free"
	}
}

// Blocks reports whether the turn is to be kept going.
func (a Action) Blocks() bool { return a == BlockFull || a == BlockLine }

// Outcome is the decision on one Want.
type Outcome struct {
	ID      string
	Action  Action
	Attempt int // which block this is, from 1; 0 if it does not block
	Budget  int // blocks in all
}

// Insist decides whether a turn, or a subagent's, may end, and counts. Each
// Want that is owed blocks, in full first and with a line while its finding
// stays the same; the one after its budget is its release. All blocks of one
// call make one block of the turn; after TurnBlocks of them the rest is let go,
// uncounted, and stays owed. The outcomes are in the order of the wants.
func (tx *Tx) Insist(agent string, wants []Want) []Outcome {
	out := make([]Outcome, len(wants))
	tx.in(agent, func(c *scope, _ int) bool {
		changed, blocked := false, false
		spent := c.turn.blocks >= TurnBlocks
		for i, w := range wants {
			w.ID = short(w.ID, maxName)
			o, changes := c.insist(w, tx.now, tx.s.turn.n, spent)
			out[i] = o
			changed = changed || changes
			blocked = blocked || o.Action.Blocks()
		}
		if blocked {
			c.turn.blocks++
			c.turn.defers = 0
		}
		return changed
	})
	return out
}

func (c *scope) insist(w Want, now, turn int64, spent bool) (out Outcome, changed bool) {
	out = Outcome{ID: w.ID, Budget: w.Budget}
	if out.Budget < 1 {
		out.Budget = DefaultBudget
	}
	was, known := c.owed.get(w.ID)
	o := was
	finding := short(w.Finding, maxText)
	if w.Opens && o.skipped == "" && o.released == 0 {
		looked := now
		if !w.Looked.IsZero() {
			looked = min(w.Looked.UnixMicro(), now)
		}
		if o.open {
			o.finding = finding
		} else {
			o.apply(OpenOwed, finding, looked, now, turn)
		}
	}
	if o.owing() {
		if finding == "" {
			finding = o.finding
		}
		switch {
		case o.blocks >= int64(out.Budget):
			o.released, o.turn = now, turn
			out.Action = HandOver
		case spent:
			out.Action = LetGo
		default:
			o.blocks++
			out.Attempt = int(o.blocks)
			out.Action = BlockLine
			if m := mark(finding); o.shown != m {
				o.shown = m
				out.Action = BlockFull
			}
		}
	}
	if o == was {
		return out, false
	}
	if !known && len(c.owed) >= maxNames {
		c.dropOwed()
	}
	c.owed.put(w.ID, o)
	return out, true
}
