package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/ec261362/guardrails/core/config/tree"
	"github.com/ec261362/guardrails/core/handoff/pack"
)

// shippedPacks are the packs that are built in.
var shippedPacks = []string{"delivery", "muggle"}

// preferenceWords are the keys of handoffs.preferences.
var preferenceWords = []string{
	"autoWatchPR", "autoE2ETest", "postPRVisualWalkthrough", "autoRouteBuild", "autoRouteBuildToMuggleDo", "autoCleanup",
}

// ParsePack reads a file that holds one pack, as strictly as the configuration.
func ParsePack(name string, data []byte, whole tree.Reader) (pack.Pack, Problems) {
	d := decoder{file: &File{Name: name, Config: Defaults()}, whole: whole}
	var p pack.Pack
	d.document(data, func(n *tree.Node) { d.item(n, &packField, &p, nil) })
	if len(d.problems) == 0 && p.Name == "" {
		d.report(0, 0, "holds no pack: it begins with name: and has rows")
	}
	d.problems.sort()
	return p, d.problems
}

// Off lists the preferences that are off.
func (p *Preferences) Off() []string {
	on := [...]bool{p.AutoWatchPR, p.AutoE2ETest, p.PostPRVisualWalkthrough, p.AutoRouteBuild, p.AutoRouteBuildToMuggleDo, p.AutoCleanup}
	var off []string
	for i, name := range preferenceWords {
		if !on[i] {
			off = append(off, name)
		}
	}
	return off
}

// reference is a word of a pack that must be defined elsewhere in it.
type reference struct {
	kind string // obligation, set, fact
	path string
	node *tree.Node
}

// packed judges what only the whole pack can tell.
func (d *decoder) packed(n *tree.Node, p *pack.Pack, path *place, whole bool) {
	refs := d.refs
	d.refs = nil
	if !whole {
		return
	}
	known := map[string][]string{"set": {"prs", "skipped"}, "fact": {"tests"}}
	each(p, func(t *pack.Trigger) {
		for _, s := range [...]string{t.Add, t.To} {
			if s != "" {
				known["set"] = append(known["set"], s)
			}
		}
		if t.Note != "" {
			known["fact"] = append(known["fact"], t.Note)
		}
	})
	for i := range p.Obligations {
		known["obligation"] = append(known["obligation"], p.Obligations[i].ID)
	}
	for _, r := range refs {
		words := known[r.kind]
		if slices.Contains(words, r.node.Value) {
			continue
		}
		msg := fmt.Sprintf("no %s of this pack is called %s", r.kind, quote(r.node.Value))
		if r.kind == "set" || r.kind == "fact" {
			msg = fmt.Sprintf("nothing in this pack fills the %s %s", r.kind, quote(r.node.Value))
		}
		if w := Nearest(r.node.Value, words); w != "" {
			msg += fmt.Sprintf(" (did you mean %q?)", w)
		}
		d.at(r.node, &place{key: r.path}, msg)
	}
	ids := map[string]bool{}
	for _, id := range rowIDs(p) {
		if ids[id] {
			d.at(n, path, fmt.Sprintf("a second row with the id %q", id))
		}
		ids[id] = true
	}
	if len(ids) == 0 {
		d.at(n, path, "has no rows: needs recorders, advice, prerequisites or obligations")
	}
}

func rowIDs(p *pack.Pack) []string {
	var ids []string
	for i := range p.Recorders {
		ids = append(ids, p.Recorders[i].ID)
	}
	for i := range p.Advice {
		ids = append(ids, p.Advice[i].ID)
	}
	for i := range p.Prerequisites {
		ids = append(ids, p.Prerequisites[i].ID)
	}
	for i := range p.Obligations {
		ids = append(ids, p.Obligations[i].ID)
	}
	return ids
}

// each calls f with every trigger of a pack.
func each(p *pack.Pack, f func(*pack.Trigger)) {
	all := func(list []pack.Trigger) {
		for i := range list {
			f(&list[i])
		}
	}
	for i := range p.Recorders {
		all(p.Recorders[i].On)
	}
	for i := range p.Advice {
		all(p.Advice[i].On)
	}
	for i := range p.Prerequisites {
		q := &p.Prerequisites[i]
		all(q.Before)
		all(q.Until)
		all(q.Again)
	}
	for i := range p.Obligations {
		all(p.Obligations[i].Opens)
		all(p.Obligations[i].Meets)
	}
}

// pairs reads a mapping of words to a text or a list of texts.
func (d *decoder) pairs(n *tree.Node, to *[]pack.Pair, path *place) {
	if n.Kind != tree.Mapping {
		d.want(n, path, "keys with a text or a list of texts each", "")
		return
	}
	if d.tooMany(n, len(n.Content)/2, path) {
		return
	}
	var keys []*tree.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, val := n.Content[i], n.Content[i+1]
		if !d.key(key, path, keys) {
			continue
		}
		keys = append(keys, key)
		sub := d.under(path, place{key: key.Value, free: true})
		list := []*tree.Node{val}
		if val.Kind == tree.Sequence {
			list = val.Content
		}
		p := pack.Pair{Key: key.Value}
		for _, v := range list {
			if d.foreign(v, sub) {
				continue
			}
			if v.Kind != tree.Scalar || v.Tag == tree.Null {
				d.want(v, sub, "a text", "")
				continue
			}
			p.Values = append(p.Values, v.Value)
		}
		*to = append(*to, p)
	}
}

func pairsObject(list []pack.Pair) object {
	o := object{}
	for _, p := range list {
		if len(p.Values) == 1 {
			o = append(o, member{p.Key, p.Values[0]})
			continue
		}
		o = append(o, member{p.Key, texts(p.Values)})
	}
	return o
}

func checkID(s string) string {
	return when(!isName(s), "not a name: lower-case letters, digits and - only")
}

func checkPackName(s string) string {
	if why := checkID(s); why != "" {
		return why
	}
	return when(has(shippedPacks, s), "the name of a built-in pack")
}

func checkMarker(s string) string {
	for i := range len(s) {
		c := s[i]
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' {
			return "not a marker such as CHANGELOG_SKIP: capital letters, digits and _ only"
		}
	}
	return ""
}

func checkWords(s string) string {
	if why := checkLine(s); why != "" {
		return why
	}
	return when(strings.HasPrefix(strings.TrimSpace(s), "*"), "must begin with the name of a command")
}

func checkEdited(s string) string {
	if why := checkFolder(s); why != "" {
		return why
	}
	return when(!doublestar.ValidatePattern(s), "not a valid pattern")
}

// The fields of a pack, from the inside out.
var (
	triggerFields = []field{
		{
			key: "sees", kind: kindWord, words: pack.Sees(), doc: "A situation that a detector knows.",
			at: func(p any) any { return &p.(*pack.Trigger).Sees },
		},
		{
			key: "command", kind: kindTexts, check: checkWords, doc: "Leading words of a command that runs; * stands for one word.",
			at: func(p any) any { return &p.(*pack.Trigger).Command },
		},
		{
			key: "edited", kind: kindTexts, check: checkEdited, doc: "Patterns of files that are written, below the project root.",
			at: func(p any) any { return &p.(*pack.Trigger).Edited },
		},
		{
			key: "tool", kind: kindTexts, check: checkToken, doc: `Tools: keys of tools, or names by their last "__" segment.`,
			at: func(p any) any { return &p.(*pack.Trigger).Tool },
		},
		{
			key: "tests", kind: kindWords, words: pack.Grades(), doc: "Grades of a test run.",
			at: func(p any) any { return &p.(*pack.Trigger).Tests },
		},
		{
			key: "pr", kind: kindWords, words: pack.PRKinds(), doc: "What became of a pull request.",
			at: func(p any) any { return &p.(*pack.Trigger).PR },
		},
		{
			key: "args", kind: kindPairs, doc: "Members of the tool's input and the values they may have; * stands for any text.",
			at: func(p any) any { return &p.(*pack.Trigger).Args },
		},
		{
			key: "names", kind: kindText, check: checkToken, refers: "set", doc: "Set whose members count when the tool's input names them.",
			at: func(p any) any { return &p.(*pack.Trigger).Names },
		},
		{
			key: "while", kind: kindText, check: checkToken, refers: "set", doc: "Only while this set is not empty.",
			at: func(p any) any { return &p.(*pack.Trigger).While },
		},
		{
			key: "after", kind: kindText, check: checkToken, refers: "fact", doc: "Only once this fact is there.",
			at: func(p any) any { return &p.(*pack.Trigger).After },
		},
		{
			key: "unless", kind: kindText, check: checkToken, refers: "set", doc: "Set whose members do not count.",
			at: func(p any) any { return &p.(*pack.Trigger).Unless },
		},
		{
			key: "silent", kind: kindBool, doc: "In advice: keep it in mind and say nothing.",
			at: func(p any) any { return &p.(*pack.Trigger).Silent },
		},
		{
			key: "note", kind: kindText, check: checkToken, doc: "Fact that is noted.",
			at: func(p any) any { return &p.(*pack.Trigger).Note },
		},
		{
			key: "add", kind: kindText, check: checkToken, doc: "Set that gets what was seen.",
			at: func(p any) any { return &p.(*pack.Trigger).Add },
		},
		{
			key: "remove", kind: kindText, check: checkToken, refers: "set", doc: "Set that loses it.",
			at: func(p any) any { return &p.(*pack.Trigger).Remove },
		},
		{
			key: "move", kind: kindText, check: checkToken, refers: "set", doc: "Set that is emptied into another.",
			at: func(p any) any { return &p.(*pack.Trigger).Move },
		},
		{
			key: "to", kind: kindText, check: checkToken, doc: "The other set of move.",
			at: func(p any) any { return &p.(*pack.Trigger).To },
		},
		{
			key: "opens", kind: kindTexts, check: checkID, refers: "obligation", doc: "Obligations that are owed from now on.",
			at: func(p any) any { return &p.(*pack.Trigger).Opens },
		},
		{
			key: "meets", kind: kindTexts, check: checkID, refers: "obligation", doc: "Obligations that are met.",
			at: func(p any) any { return &p.(*pack.Trigger).Meets },
		},
		{
			key: "withdraws", kind: kindTexts, check: checkID, refers: "obligation", doc: "Obligations that are owed no more; what they blocked still counts.",
			at: func(p any) any { return &p.(*pack.Trigger).Withdraws },
		},
	}

	triggerKinds = []string{"sees", "command", "edited", "tool", "tests", "pr"}

	stepFields = []field{
		{key: "shell", kind: kindText, doc: "A command line.", at: func(p any) any { return &p.(*pack.Step).Shell }},
		{key: "call", kind: kindText, check: checkToken, doc: "A tool of an MCP server.", at: func(p any) any { return &p.(*pack.Step).Call }},
		{key: "edit", kind: kindText, doc: "A file that is written.", at: func(p any) any { return &p.(*pack.Step).Edit }},
		{key: "read", kind: kindText, doc: "A file that is read.", at: func(p any) any { return &p.(*pack.Step).Read }},
		{key: "skill", kind: kindText, doc: "A skill that is invoked.", at: func(p any) any { return &p.(*pack.Step).Skill }},
		{key: "ask", kind: kindText, doc: "A question to the user.", at: func(p any) any { return &p.(*pack.Step).Ask }},
		{key: "prompt", kind: kindText, doc: "What the user types.", at: func(p any) any { return &p.(*pack.Step).Prompt }},
		{key: "stop", kind: kindText, doc: "The closing message of a turn.", at: func(p any) any { return &p.(*pack.Step).Stop }},
		{
			key: "start", kind: kindWord, words: []string{"startup", "resume", "clear", "compact"}, doc: "How the session starts.",
			at: func(p any) any { return &p.(*pack.Step).Start },
		},
		{key: "input", kind: kindPairs, doc: "Input of call.", at: func(p any) any { return &p.(*pack.Step).Input }},
		{key: "result", kind: kindText, doc: "What the call gave.", at: func(p any) any { return &p.(*pack.Step).Result }},
		{key: "before", kind: kindBool, doc: "The call is about to run.", at: func(p any) any { return &p.(*pack.Step).Before }},
		{key: "fails", kind: kindBool, doc: "The call failed, and its host says so.", at: func(p any) any { return &p.(*pack.Step).Fails }},
		{key: "agent", kind: kindText, doc: "The subagent that does it.", at: func(p any) any { return &p.(*pack.Step).Agent }},
		{key: "gh", kind: kindText, doc: "What gh answers from here on.", at: func(p any) any { return &p.(*pack.Step).GH }},
		{key: "expect", kind: kindWord, words: pack.Expectations(), doc: "The verdict (pass).", at: func(p any) any { return &p.(*pack.Step).Expect }},
		{key: "says", kind: kindTexts, doc: "What the text holds.", at: func(p any) any { return &p.(*pack.Step).Says }},
		{key: "quiet", kind: kindTexts, doc: "What the text does not hold.", at: func(p any) any { return &p.(*pack.Step).Quiet }},
	}

	packField = field{
		kind: kindItems,
		grow: func(l any, _ string) any { return grown(l.(*[]pack.Pack)) },
		at:   func(p any) any { return &cfg(p).Handoffs.Custom },
		fields: []field{
			{
				key: "name", kind: kindText, required: true, check: checkID,
				doc: "Name to use in packs.",
				at:  func(p any) any { return &p.(*pack.Pack).Name },
			},
			{key: "doc", kind: kindText, doc: "What it is for.", at: func(p any) any { return &p.(*pack.Pack).Doc }},
			{
				key: "skipPrefix", kind: kindText, check: checkMarker, doc: "Put before the name of each skip marker.",
				at: func(p any) any { return &p.(*pack.Pack).SkipPrefix },
			},
			{key: "sentinel", kind: kindText, doc: "What the renderer leaves in a posted report.", at: func(p any) any { return &p.(*pack.Pack).Sentinel }},
			{key: "products", kind: kindTexts, doc: "Further names by which a report names the product.", at: func(p any) any { return &p.(*pack.Pack).Products }},
			{key: "replyMark", kind: kindText, doc: "What the agent's own review replies hold.", at: func(p any) any { return &p.(*pack.Pack).ReplyMark }},
			{key: "skills", kind: kindTexts, doc: "Folders of skills: from ~/, or below the project root.", at: func(p any) any { return &p.(*pack.Pack).Skills }},
			{key: "announce", kind: kindText, check: checkToken, doc: "Tool by whose call a skill announces itself.", at: func(p any) any { return &p.(*pack.Pack).Announce }},
			{key: "slots", kind: kindText, doc: "Folder of watch slots: from ~/, or below the project root.", at: func(p any) any { return &p.(*pack.Pack).Slots }},
			{
				key: "slotOwner", kind: kindText, check: checkToken, doc: "Member of prs.json that holds the id of the session that owns the slot (sessionId).",
				at: func(p any) any { return &p.(*pack.Pack).SlotOwner },
			},
			{key: "slotGC", kind: kindBool, doc: "Remove finished slots after 30 days.", at: func(p any) any { return &p.(*pack.Pack).SlotGC }},
			{
				key: "reconcile", kind: kindText, doc: "What to do, at the start of a session, about open watch slots that it owns.",
				at: func(p any) any { return &p.(*pack.Pack).Reconcile },
			},
			{key: "tools", kind: kindPairs, doc: "Names of tools, by a key that rows use.", at: func(p any) any { return &p.(*pack.Pack).Tools }},
			{
				key: "recorders", kind: kindItems, doc: "Rows that keep in mind what happened.",
				at:   func(p any) any { return &p.(*pack.Pack).Recorders },
				grow: func(l any, _ string) any { return grown(l.(*[]pack.Recorder)) },
				fields: []field{
					idField(func(p any) any { return &p.(*pack.Recorder).ID }),
					docField(func(p any) any { return &p.(*pack.Recorder).Doc }),
					triggersField("on", "What it waits for.", true, func(p any) any { return &p.(*pack.Recorder).On }),
				},
			},
			{
				key: "advice", kind: kindItems, doc: "Rows that tell the agent something.",
				at:   func(p any) any { return &p.(*pack.Pack).Advice },
				grow: func(l any, _ string) any { return grown(l.(*[]pack.Advice)) },
				fields: []field{
					idField(func(p any) any { return &p.(*pack.Advice).ID }),
					docField(func(p any) any { return &p.(*pack.Advice).Doc }),
					preferencesField(func(p any) any { return &p.(*pack.Advice).Preferences }),
					{key: "once", kind: kindBool, doc: "Once a session.", at: func(p any) any { return &p.(*pack.Advice).Once }},
					triggersField("on", "When it is told.", true, func(p any) any { return &p.(*pack.Advice).On }),
					{key: "text", kind: kindText, required: true, doc: "The text.", at: func(p any) any { return &p.(*pack.Advice).Text }},
					{key: "unknown", kind: kindText, doc: "The text where it is not known whether it happened.", at: func(p any) any { return &p.(*pack.Advice).Unknown }},
					{key: "cleanup", kind: kindText, doc: "Added while autoCleanup is on.", at: func(p any) any { return &p.(*pack.Advice).Cleanup }},
					{key: "keep", kind: kindText, doc: "Added while it is off.", at: func(p any) any { return &p.(*pack.Advice).KeepUp }},
				},
			},
			{
				key: "prerequisites", kind: kindItems, doc: "Rows that refuse a call until something has happened.",
				at:   func(p any) any { return &p.(*pack.Pack).Prerequisites },
				grow: func(l any, _ string) any { return grown(l.(*[]pack.Prerequisite)) },
				fields: []field{
					idField(func(p any) any { return &p.(*pack.Prerequisite).ID }),
					docField(func(p any) any { return &p.(*pack.Prerequisite).Doc }),
					triggersField("before", "The calls that it refuses.", true, func(p any) any { return &p.(*pack.Prerequisite).Before }),
					{key: "skill", kind: kindText, check: checkToken, doc: "Only while this skill is in play.", at: func(p any) any { return &p.(*pack.Prerequisite).Skill }},
					{
						key: "known", kind: kindText, check: checkToken, refers: "set", doc: "Set that must hold the test cases that the call names.",
						at: func(p any) any { return &p.(*pack.Prerequisite).Known },
					},
					triggersField("until", "What unlocks the calls.", false, func(p any) any { return &p.(*pack.Prerequisite).Until }),
					triggersField("again", "What locks them again.", false, func(p any) any { return &p.(*pack.Prerequisite).Again }),
					skipField(func(p any) any { return &p.(*pack.Prerequisite).Skip }),
					{key: "text", kind: kindText, required: true, doc: "Why it is refused, and what to do.", at: func(p any) any { return &p.(*pack.Prerequisite).Text }},
				},
			},
			{
				key: "obligations", kind: kindItems, doc: "Rows that a turn may not end without.",
				at:   func(p any) any { return &p.(*pack.Pack).Obligations },
				grow: func(l any, _ string) any { return grown(l.(*[]pack.Obligation)) },
				fields: []field{
					idField(func(p any) any { return &p.(*pack.Obligation).ID }),
					docField(func(p any) any { return &p.(*pack.Obligation).Doc }),
					preferencesField(func(p any) any { return &p.(*pack.Obligation).Preferences }),
					skipField(func(p any) any { return &p.(*pack.Obligation).Skip }),
					{
						key: "skipEach", kind: kindBool, doc: "The marker's first word names what it is for; with no such word it is for all.",
						at: func(p any) any { return &p.(*pack.Obligation).SkipEach },
					},
					{
						key: "skipMute", kind: kindBool, doc: "The marker counts only where the host offers no tool to ask its user.",
						at: func(p any) any { return &p.(*pack.Obligation).SkipMute },
					},
					triggersField("opens", "What it follows from.", false, func(p any) any { return &p.(*pack.Obligation).Opens }),
					triggersField("meets", "What meets it.", false, func(p any) any { return &p.(*pack.Obligation).Meets }),
					{
						key: "each", kind: kindText, check: checkToken, refers: "set", doc: "Set whose members are owed one by one.",
						at: func(p any) any { return &p.(*pack.Obligation).Each },
					},
					{
						key: "except", kind: kindTexts, check: checkToken, refers: "set", doc: "Sets whose members are not owed.",
						at: func(p any) any { return &p.(*pack.Obligation).Except },
					},
					{key: "check", kind: kindWord, words: pack.Checks(), doc: "What is looked at before it blocks.", at: func(p any) any { return &p.(*pack.Obligation).Check }},
					{key: "short", kind: kindText, required: true, check: checkLine, doc: "One line: what is owed.", at: func(p any) any { return &p.(*pack.Obligation).Short }},
					{key: "full", kind: kindText, doc: "What is added the first time.", at: func(p any) any { return &p.(*pack.Obligation).Full }},
				},
			},
			{
				key: "scenarios", kind: kindItems, doc: "What happens in a session, with the verdicts that are expected; guardrails pack test plays them.",
				at:   func(p any) any { return &p.(*pack.Pack).Scenarios },
				grow: func(l any, _ string) any { return grown(l.(*[]pack.Scenario)) },
				fields: []field{
					{key: "name", kind: kindText, required: true, doc: "What it shows.", at: func(p any) any { return &p.(*pack.Scenario).Name }},
					{key: "off", kind: kindWords, words: preferenceWords, doc: "Preferences that are off.", at: func(p any) any { return &p.(*pack.Scenario).Off }},
					{key: "files", kind: kindPairs, doc: "Files, from ~/ or below the project, with their content.", at: func(p any) any { return &p.(*pack.Scenario).Files }},
					{
						key: "steps", kind: kindItems, required: true, doc: "Events.",
						at:     func(p any) any { return &p.(*pack.Scenario).Steps },
						grow:   func(l any, _ string) any { return grown(l.(*[]pack.Step)) },
						oneOf:  []string{"shell", "call", "edit", "read", "skill", "ask", "prompt", "stop", "start"},
						fields: stepFields,
					},
				},
			},
		},
	}
)

func idField(at func(any) any) field {
	return field{key: "id", kind: kindText, required: true, check: checkID, doc: "Its name: guardrails explain handoff/ID.", at: at}
}

func docField(at func(any) any) field {
	return field{key: "doc", kind: kindText, doc: "One sentence about it.", at: at}
}

func skipField(at func(any) any) field {
	return field{key: "skip", kind: kindText, check: checkMarker, doc: "Name of its skip marker, without skipPrefix.", at: at}
}

func preferencesField(at func(any) any) field {
	return field{key: "preferences", kind: kindWords, words: preferenceWords, doc: "Preferences that must all be on for it to speak.", at: at}
}

func triggersField(key, doc string, required bool, at func(any) any) field {
	return field{
		key: key, kind: kindItems, required: required, doc: doc, at: at,
		grow:   func(l any, _ string) any { return grown(l.(*[]pack.Trigger)) },
		oneOf:  triggerKinds,
		fields: triggerFields,
	}
}
