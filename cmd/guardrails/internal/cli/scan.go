package cli

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/core/config"
	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/proc"
	"github.com/ec261362/guardrails/core/scan"
	"github.com/ec261362/guardrails/core/scan/schema"
)

type scanOptions struct {
	direction string
	use       []string
	asJSON    bool
	batch     bool
	sarif     bool
	schema    string
	changed   bool
}

func newScanCmd(a *app) *cobra.Command {
	var o scanOptions
	cmd := &cobra.Command{
		Use:   "scan [flags] [FILE…|-]",
		Short: "Look for secrets, personal data and prompt injection in files",
		Long: `scan runs content validators over files, folders or standard input; without an
argument over what is piped in. Folders are searched whole but for .git; binary files and
links are passed over. Findings that the project's validators.allow names do not
count.`,
		Example: `  guardrails scan .                          everything below this folder
  guardrails scan --changed                  what git says is new or changed
  guardrails scan --use secrets,pii notes.md
  fetch page | guardrails scan --direction input --use prompt-injection -
  guardrails scan --sarif . > findings.sarif  for code scanning
  guardrails scan --schema answer.schema.json answer.json
  guardrails scan --batch < texts.jsonl > findings.jsonl   # {"id","text","path"}

Exit codes: 0 nothing found, 2 findings, 1 error.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return runScan(cmd.Context(), a, &o, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.direction, "direction", "both", "judge texts as they go in (input), come out (output), or both")
	f.StringSliceVar(&o.use, "use", nil, "`LIST` of validators: secrets, pii, prompt-injection (default all)")
	f.BoolVar(&o.asJSON, "json", false, "print the findings as JSON on standard output")
	f.BoolVar(&o.sarif, "sarif", false, "print the findings as SARIF 2.1.0 on standard output")
	f.StringVar(&o.schema, "schema", "", "texts must be JSON that conforms to the JSON Schema in `FILE`; without --use that is all")
	f.BoolVar(&o.batch, "batch", false, "JSON lines in, JSON lines out, in order")
	f.BoolVar(&o.changed, "changed", false, "scan the files that git says are new or changed")
	return cmd
}

// scanPatience is how long one validator may take over one file. A hook has
// seconds; a person who scans a dump has more.
const scanPatience = 5 * time.Minute

// largestScan is how many bytes of one file are read.
const largestScan = 512 << 20

// scanner is what one run of the verb needs.
type scanner struct {
	runner scan.Runner
	dir    scan.Direction
}

// scanFinding is one line of findings.
type scanFinding struct {
	Validator   string `json:"validator"`
	Kind        string `json:"kind"`
	Severity    string `json:"severity"`
	Path        string `json:"path,omitempty"`
	Line        int    `json:"line,omitempty"`
	Start       int    `json:"start"`
	End         int    `json:"end"`
	Sample      string `json:"sample"`
	Fingerprint string `json:"fingerprint,omitempty"`
}

// scanResult is scan --json.
type scanResult struct {
	Files    int           `json:"files"`
	Bytes    int64         `json:"bytes"`
	Findings []scanFinding `json:"findings"`
	Errors   []scanError   `json:"errors,omitempty"`
}

// scanError is a file or text that could not be judged.
type scanError struct {
	Path  string `json:"path,omitempty"`
	Error string `json:"error"`
}

func runScan(ctx context.Context, a *app, o *scanOptions, args []string) error {
	switch {
	case o.batch && (len(args) > 0 || o.changed || o.asJSON):
		return errors.New("--batch reads standard input and prints JSON: it goes with --use and --direction only")
	case o.asJSON && o.sarif:
		return errors.New("--json and --sarif: standard output holds one of them")
	case o.batch && o.sarif:
		return errors.New("--batch prints JSON lines, not SARIF")
	case o.changed && len(args) > 0:
		return errors.New("--changed names the files: give no others")
	}
	s, err := a.scanner(o)
	if err != nil {
		return err
	}
	if o.batch {
		return s.batch(ctx, a)
	}
	if len(args) == 0 && !o.changed {
		if isTerminal(a.stdin) {
			return errors.New("nothing to scan: name files or folders (. is this one), or pipe a text in")
		}
		args = []string{"-"}
	}
	var res scanResult
	files := args
	if o.changed {
		if files, err = a.changedFiles(ctx); err != nil {
			return err
		}
	}
	s.all(ctx, a, files, &res)
	if o.sarif {
		return a.sarifScan(&res)
	}
	return a.sayScan(&res, o.asJSON)
}

// scanner resolves the validators, with the project's exceptions.
func (a *app) scanner(o *scanOptions) (*scanner, error) {
	d, err := scan.ParseDirection(o.direction)
	if err != nil {
		return nil, fmt.Errorf("--%w", err)
	}
	var validators []scan.Validator
	if o.schema == "" || len(o.use) > 0 {
		if validators, err = scan.Resolve(o.use, d); err != nil {
			return nil, err
		}
	}
	if o.schema != "" {
		v, err := a.schema(o.schema)
		if err != nil {
			return nil, err
		}
		if d&scan.Output == 0 {
			return nil, errors.New("--schema judges output: it does not go with --direction input")
		}
		validators = append(validators, v)
	}
	s := &scanner{dir: d}
	s.runner = scan.Runner{Validators: validators, Timeout: scanPatience, NoKillSwitch: true}
	root, noRoot := a.root()
	if noRoot != nil {
		return s, nil //nolint:nilerr // no project, no exceptions
	}
	e := a.load(config.LoadOptions{Root: root, TreatAsTrusted: true})
	if allow := e.Config.Validators.Allow; len(allow) > 0 {
		s.runner.Allow = func(validator string, m scan.Match, p scan.Payload) bool {
			path := p.Path
			if abs := filepath.Join(a.dir, filepath.FromSlash(path)); path != "" && !filepath.IsAbs(path) {
				path = abs
			}
			if rel, err := filepath.Rel(root, filepath.FromSlash(path)); err == nil && path != "" {
				path = filepath.ToSlash(rel)
			}
			return slices.ContainsFunc(allow, func(x config.ValidatorAllow) bool { return x.Covers(validator, m.Kind, path, m.Fingerprint) })
		}
	}
	return s, nil
}

// schema reads the validator of --schema.
func (a *app) schema(name string) (scan.Validator, error) {
	text, err := os.ReadFile(a.abs(name))
	if err != nil {
		return scan.Validator{}, a.unreadable("--schema", name, err)
	}
	v, err := schema.New(text)
	if err != nil {
		return v, fmt.Errorf("--schema %s: %w", name, err)
	}
	return v, nil
}

// text scans one text.
func (s *scanner) text(ctx context.Context, text, path string) (found []scanFinding, err error) {
	o := s.runner.Run(ctx, scan.Payload{Text: text, Path: path}, s.dir)
	for _, f := range o.Failures {
		for _, m := range f.Matches {
			severity := m.Severity
			if f.Severity == scan.Low {
				severity = scan.Low
			}
			found = append(found, scanFinding{
				Validator: f.Validator, Kind: m.Kind, Severity: severity.String(), Path: path, Line: m.Line,
				Start: m.Start, End: m.End, Sample: m.Sample, Fingerprint: m.Fingerprint,
			})
		}
		if f.Crashed {
			err = errors.Join(err, fmt.Errorf("%s: %s", f.Validator, f.Reason))
		}
	}
	slices.SortStableFunc(found, func(a, b scanFinding) int { return a.Start - b.Start })
	return found, err
}

// all scans files and folders, several at once, and reports them in order.
func (s *scanner) all(ctx context.Context, a *app, names []string, res *scanResult) {
	type job struct {
		path  string
		found []scanFinding
		size  int64
		skip  bool
		err   error
		done  chan struct{}
	}
	jobs := make(chan *job, 64)
	order := make(chan *job, 64)
	var workers sync.WaitGroup
	for range max(1, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for j := range jobs {
				text, skip, err := a.scanned(j.path)
				j.skip, j.err, j.size = skip, err, int64(len(text))
				if err == nil && !skip {
					path := filepath.ToSlash(j.path)
					if path == "-" {
						path = ""
					}
					j.found, j.err = s.text(ctx, text, path)
				}
				close(j.done)
			}
		})
	}
	go func() {
		defer close(order)
		defer close(jobs)
		for _, name := range names {
			a.walk(name, func(path string, err error) {
				j := &job{path: path, err: err, done: make(chan struct{})}
				order <- j
				if err != nil {
					close(j.done)
					return
				}
				jobs <- j
			})
		}
	}()
	for j := range order {
		<-j.done
		if j.err != nil {
			res.Errors = append(res.Errors, scanError{j.path, a.why(j.err).Error()})
		}
		res.Findings = append(res.Findings, j.found...)
		if !j.skip && j.err == nil {
			res.Files++
			res.Bytes += j.size
		}
	}
	workers.Wait()
}

// walk names the regular files at and below name.
func (a *app) walk(name string, found func(path string, err error)) {
	if name == "-" {
		found(name, nil)
		return
	}
	info, err := os.Stat(name)
	if err != nil {
		found(name, err)
		return
	}
	if !info.IsDir() {
		found(name, nil)
		return
	}
	root := name
	if link, err := os.Lstat(name); err == nil && link.Mode()&fs.ModeSymlink != 0 {
		root += string(filepath.Separator) // a link that was named is followed, one below is not
	}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			found(path, err)
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.Type().IsRegular():
			found(path, nil)
		}
		return nil
	})
}

// scanned reads a file as text; a binary file is skipped.
func (a *app) scanned(name string) (text string, skip bool, err error) {
	src, pipe := a.stdin, false
	if name != "-" {
		f, size, err := openScan(name)
		if err != nil {
			return "", false, err
		}
		defer f.Close()
		if size > largestScan {
			return "", false, errLarge
		}
		src, pipe = f, size < 0
	}
	data, err := io.ReadAll(io.LimitReader(src, largestScan+1))
	switch {
	case err != nil:
		return "", false, err
	case len(data) > largestScan:
		return "", false, errLarge
	case pipe && len(data) == 0:
		return "", false, errors.New("it is a pipe that nobody writes to")
	}
	if text, ok := fromUTF16(data); ok {
		return text, false, nil
	}
	if bytes.IndexByte(data[:min(len(data), 8<<10)], 0) >= 0 {
		return "", true, nil
	}
	return string(data), false, nil
}

var errLarge = fmt.Errorf("it is larger than %d MiB", largestScan>>20)

// openScan opens a file without waiting for the other end of a pipe. size is -1
// for a pipe.
func openScan(name string) (f *os.File, size int64, err error) {
	if f, err = fsx.OpenNonblock(name); err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		f.Close()
		return nil, 0, err
	case info.Mode()&fs.ModeNamedPipe != 0:
		return f, -1, nil
	}
	return f, info.Size(), nil
}

// fromUTF16 decodes text of two bytes a character: with a byte order mark, or with
// the zeros that such text has in every other place.
func fromUTF16(data []byte) (text string, ok bool) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe, 0, 0}):
		return "", false // of four bytes
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		order, data = binary.LittleEndian, data[2:]
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		order, data = binary.BigEndian, data[2:]
	default:
		var zeros [2]int
		head := data[:min(len(data), 8<<10)&^1]
		for i, c := range head {
			if c == 0 {
				zeros[i&1]++
			}
		}
		switch half := len(head) / 2; {
		case half < 8:
			return "", false
		case zeros[0] == 0 && zeros[1] > half/2:
			order = binary.LittleEndian
		case zeros[1] == 0 && zeros[0] > half/2:
			order = binary.BigEndian
		default:
			return "", false
		}
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return string(utf16.Decode(units)), true
}

// changedFiles asks git what is new or changed since the last commit.
func (a *app) changedFiles(ctx context.Context) ([]string, error) {
	var files []string
	for _, argv := range [][]string{
		{"git", "diff", "--name-only", "-z", "--relative", "--diff-filter=d", "HEAD"},
		{"git", "ls-files", "-z", "--others", "--exclude-standard"},
	} {
		res, err := proc.Run(ctx, proc.Cmd{Argv: argv, Dir: a.dir, Env: a.environ(), MaxOutput: 64 << 20, Timeout: time.Minute})
		if err == nil && res.ExitCode != 0 && argv[1] == "diff" {
			// No commit yet: everything that is tracked is new.
			res, err = proc.Run(ctx, proc.Cmd{Argv: []string{"git", "ls-files", "-z"}, Dir: a.dir, Env: a.environ(), MaxOutput: 64 << 20, Timeout: time.Minute})
		}
		switch {
		case err != nil:
			return nil, fmt.Errorf("--changed: %w", err)
		case res.ExitCode != 0 || res.Truncated:
			return nil, fmt.Errorf("--changed: git: %s", firstLine(string(res.Stderr)))
		}
		for name := range strings.SplitSeq(strings.TrimRight(string(res.Stdout), "\x00"), "\x00") {
			if info, err := os.Lstat(filepath.Join(a.dir, name)); name != "" && err == nil && info.Mode().IsRegular() {
				files = append(files, name)
			}
		}
	}
	return files, nil
}

// oneLineName is a file's name as it can be printed.
func oneLineName(name string) string {
	if !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

func (a *app) sayScan(res *scanResult, asJSON bool) error {
	if asJSON {
		if res.Findings == nil {
			res.Findings = []scanFinding{}
		}
		if err := a.writeJSON(res); err != nil {
			return err
		}
	} else {
		for _, f := range res.Findings {
			at := f.Path
			if at == "" {
				at = "standard input"
			}
			a.sayf("%s:%d: %s/%s  %s  %s", oneLineName(at), f.Line, f.Validator, f.Kind, f.Severity, f.Sample)
		}
	}
	for _, e := range res.Errors {
		a.errorf("%s: %s", oneLineName(e.Path), e.Error)
	}
	if !asJSON && (res.Files > 0 || len(res.Errors) == 0) {
		a.sayf("%s in %s, %.1f MB", plural(len(res.Findings), "finding"), plural(res.Files, "file"), float64(res.Bytes)/1e6)
	}
	return res.exit()
}

func (res *scanResult) exit() error {
	switch {
	case len(res.Findings) > 0:
		return exitCode(exitDenied)
	case len(res.Errors) > 0:
		return exitCode(exitError)
	}
	return nil
}

// sarifScan prints the findings as SARIF. Files that could not be judged are
// notifications of the run.
func (a *app) sarifScan(res *scanResult) error {
	log := newSarif("guardrails scan")
	for _, f := range res.Findings {
		level := "error"
		if f.Severity == scan.Low.String() {
			level = "warning"
		}
		log.add(sarifFinding{
			rule: f.Validator + "/" + f.Kind, level: level, text: f.Validator + " found " + f.Kind + ": " + f.Sample,
			path: f.Path, line: f.Line, fingerprint: f.Fingerprint,
		})
	}
	for _, e := range res.Errors {
		log.fail(e.Path, e.Error)
	}
	if err := a.writeJSON(log); err != nil {
		return err
	}
	return res.exit()
}

// scanLine is one line of scan --batch. Unknown fields are ignored.
type scanLine struct {
	ID   json.RawMessage `json:"id"`
	Text *string         `json:"text"`
	Path string          `json:"path"`
}

// scanAnswer is the answer to one.
type scanAnswer struct {
	ID       json.RawMessage `json:"id"`
	Findings []scanFinding   `json:"findings,omitzero"`
	Error    string          `json:"error,omitempty"`
	MS       float64         `json:"ms"`
}

// batch scans JSON lines, each for itself.
func (s *scanner) batch(ctx context.Context, a *app) error {
	return a.judgeLines(`{"id":1,"text":"…"}`, func(line []byte) (any, bool) {
		began := time.Now()
		answer := s.line(ctx, line)
		answer.MS = ms(time.Since(began))
		return answer, answer.Error == ""
	})
}

func (s *scanner) line(ctx context.Context, line []byte) scanAnswer {
	var l scanLine
	if err := json.Unmarshal(line, &l); err != nil {
		return scanAnswer{ID: lineID(line), Error: "not a line of scan --batch: " + err.Error()}
	}
	if l.Text == nil {
		return scanAnswer{ID: l.ID, Error: "the line has no text"}
	}
	found, err := s.text(ctx, *l.Text, l.Path)
	if err != nil {
		return scanAnswer{ID: l.ID, Findings: found, Error: err.Error()}
	}
	if found == nil {
		found = []scanFinding{}
	}
	return scanAnswer{ID: l.ID, Findings: found}
}
