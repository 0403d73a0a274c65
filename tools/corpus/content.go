package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
)

// contentValidator says which validator judges a case file of texts, "" for
// other files.
func contentValidator(file string) string {
	switch file {
	case "pii":
		return "pii"
	case "injection":
		return "prompt-injection"
	case "secrets_text":
		return "secrets"
	}
	return ""
}

// A textCase is a text in which something is to be found, or nothing.
type textCase struct {
	id, group string
	text      string
	kind      string // what is to be found; "" = anything
	detect    bool
}

// A textGroup is the cases of one kind or tier, and how they went.
type textGroup struct {
	file, name    string
	found, toFind int
	quiet, toPass int
	baseFound     int // by the seven patterns, of an injection file
	baseQuiet     int
	ms            []float64
	misses        []string
}

// piiKind is our name of what the case file's sources call otherwise.
func piiKind(entity string) string {
	switch entity = strings.TrimSuffix(entity, "_RE"); entity {
	case "CREDIT_CARD", "US_SSN", "IT_FISCAL_CODE", "IBAN_CODE":
		return entity
	case "EMAIL_ADDRESS":
		return "EMAIL"
	case "PHONE_NUMBER_WITH_EXT":
		return "PHONE"
	}
	return ""
}

// readTexts reads the cases of one file.
func readTexts(name string, data []byte) ([]textCase, error) {
	var cases []textCase
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var r struct {
			ID, Input, Expected, Entity, Tier, Kind, Source, Note string
			Weak                                                  bool
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		c := textCase{id: r.ID, text: r.Input, detect: strings.HasPrefix(r.Expected, "detect")}
		switch name {
		case "pii":
			switch kind := piiKind(r.Entity); {
			case kind != "":
				c.group, c.kind = kind, kind
			case r.Entity == "":
				c.group = "texts of any kind (reported)"
			default:
				c.group = "kinds not looked for (reported)"
			}
		case "injection":
			tier, rest, _ := strings.Cut(r.Tier, ":")
			c.group = tier
			switch {
			case rest != "" || strings.Contains(r.Note, "needs a model"):
				c.group = cmp.Or(tier, r.Kind) + " (reported)"
			case tier == "":
				_, file, _ := strings.Cut(r.Source, ":")
				c.group = strings.TrimSuffix(path.Base(file), path.Ext(file))
			}
		case "secrets_text":
			c.group = "agreed"
			if r.Weak {
				c.group = "one source's exemptions (reported)"
			}
		}
		cases = append(cases, c)
	}
	return cases, lines.Err()
}

// A textAnswer is one line of scan --batch.
type textAnswer struct {
	ID       string
	Findings []struct{ Kind string }
	Error    string
	MS       float64
}

// texts judges one file of texts.
func texts(ctx context.Context, r runner, file, name string) ([]textGroup, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	cases, err := readTexts(name, data)
	if err != nil {
		return nil, err
	}
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	enc.SetEscapeHTML(false)
	for _, c := range cases {
		if err := enc.Encode(map[string]string{"id": c.id, "text": c.text}); err != nil {
			return nil, err
		}
	}
	out, err := r.run(ctx, &in, "scan", "--batch", "--use", contentValidator(name))
	if err != nil {
		return nil, err
	}
	var answers []textAnswer
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var a textAnswer
		if err := dec.Decode(&a); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		answers = append(answers, a)
	}
	return scoreTexts(name, cases, answers)
}

// scoreTexts counts the answers, which are in the order of the cases.
func scoreTexts(name string, cases []textCase, answers []textAnswer) ([]textGroup, error) {
	if len(answers) != len(cases) {
		return nil, fmt.Errorf("%s: %d answers to %d cases", name, len(answers), len(cases))
	}
	base := sevenPatterns()
	var groups []textGroup
	for i, c := range cases {
		a := answers[i]
		if a.ID != c.id || a.Error != "" {
			return nil, fmt.Errorf("%s: answer %d is for %q, want %q: %s", name, i+1, a.ID, c.id, a.Error)
		}
		k := slices.IndexFunc(groups, func(g textGroup) bool { return g.name == c.group })
		if k < 0 {
			k = len(groups)
			groups = append(groups, textGroup{file: name, name: c.group})
		}
		g := &groups[k]
		g.ms = append(g.ms, a.MS)
		hit := slices.ContainsFunc(a.Findings, func(f struct{ Kind string }) bool { return c.kind == "" || f.Kind == c.kind })
		old := name == "injection" && slices.ContainsFunc(base, func(p *regexp.Regexp) bool { return p.MatchString(c.text) })
		if c.detect {
			g.toFind++
			g.found += one(hit)
			g.baseFound += one(old)
		} else {
			g.toPass++
			g.quiet += one(!hit)
			g.baseQuiet += one(!old)
		}
		if hit != c.detect {
			want := "nothing"
			if c.detect {
				want = cmp.Or(c.kind, "a finding")
			}
			g.misses = append(g.misses, fmt.Sprintf("%s: want %s: %s", c.id, want, oneLine(c.text)))
		}
	}
	slices.SortFunc(groups, func(a, b textGroup) int { return cmp.Compare(a.name, b.name) })
	return groups, nil
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// reportTexts prints recall, quiet negatives and precision of each group.
func reportTexts(out io.Writer, groups []textGroup, verbose bool) {
	if len(groups) == 0 {
		return
	}
	fmt.Fprintln(out)
	if verbose {
		for _, g := range groups {
			for _, m := range g.misses {
				fmt.Fprintln(out, m)
			}
		}
		fmt.Fprintln(out)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "file\tkind\tfound\t\tquiet\t\tprecision\tp95 ms\tseven patterns: found\t\tquiet\t")
	for _, g := range groups {
		precision := "-"
		if flagged := g.found + g.toPass - g.quiet; flagged > 0 {
			precision = fmt.Sprintf("%.1f %%", 100*float64(g.found)/float64(flagged))
		}
		old := "\t\t\t"
		if g.file == "injection" {
			old = rate(g.baseFound, g.toFind) + "\t" + rate(g.baseQuiet, g.toPass)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%.3f\t%s\n", g.file, g.name, rate(g.found, g.toFind), rate(g.quiet, g.toPass), precision, quantile(g.ms, 95), old)
	}
	if all, ok := barred(groups); ok {
		fmt.Fprintf(w, "injection\tall but the reported\t%s\t%s\t\t\t%s\t%s\n", rate(all.found, all.toFind), rate(all.quiet, all.toPass), rate(all.baseFound, all.toFind), rate(all.baseQuiet, all.toPass))
	}
	_ = w.Flush()
}

// barred adds up the injection groups that are not only reported.
func barred(groups []textGroup) (all textGroup, ok bool) {
	for _, g := range groups {
		if g.file != "injection" || strings.HasSuffix(g.name, "(reported)") {
			continue
		}
		ok = true
		all.found, all.toFind = all.found+g.found, all.toFind+g.toFind
		all.quiet, all.toPass = all.quiet+g.quiet, all.toPass+g.toPass
		all.baseFound, all.baseQuiet = all.baseFound+g.baseFound, all.baseQuiet+g.baseQuiet
	}
	return all, ok
}

// sevenPatterns is what a plain list of expressions achieves: the usual seven, as
// the yardstick for the validator.
func sevenPatterns() []*regexp.Regexp {
	var all []*regexp.Regexp
	for _, words := range []string{
		`\b(ignore|disregard|forget|override) +(all +)?((the|your) +)?(previous|prior|above|earlier|system) +(instruction|prompt|rule|message)s?\b`,
		`\b(you +are +now|act +as|pretend +to +be|roleplay +as) +(dan|stan|dude|jailbroken|unrestricted|developer +mode)\b`,
		`(^|\n) *(system|assistant) *: *(you +are|new +instructions?|override)`,
		`< */? *(system|instructions?|admin|policy|guardrail) *>`,
		`\b(enable|activate|turn +on) +(developer|debug|god|admin|sudo) +mode\b`,
		`\b(reveal|show|print|repeat|output|leak) +((the|your) +)?(system +prompt|hidden +instructions?|initial +prompt|preamble)\b`,
		`\b(decode|run|execute) +(this +)?(base64|b64|hex)\b`,
	} {
		all = append(all, regexp.MustCompile(`(?i)`+strings.ReplaceAll(words, " ", `\s`)))
	}
	return all
}
