package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ec261362/guardrails/core/fsx"
)

// ErrInvalid is wrapped by errors that say which rule a state breaks. An
// invalid state is a finding about the work, not a failure of ours.
var ErrInvalid = errors.New("invalid workflow state")

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// Workspace returns the identity of the project at root: a digest of its real
// path.
func Workspace(root string) string {
	if real, err := fsx.Resolve(root); err == nil {
		root = real
	}
	sum := sha256.Sum256([]byte(root))
	return hex.EncodeToString(sum[:12])
}

// fresh is the state of a workspace in which nothing has happened.
func fresh(workspace string) *State {
	return &State{SchemaVersion: Schema, WorkspaceID: workspace, Phase: Idle, VerifiedGeneration: -1}
}

// file is a state as some version of the schema wrote it. Members that are
// absent are nil.
type file struct {
	SchemaVersion      *int            `json:"schemaVersion"`
	Revision           *int            `json:"revision"`
	StateRevision      *int            `json:"stateRevision"` // as get-fable's schema names it
	WorkspaceID        *string         `json:"workspaceId"`
	Phase              *Phase          `json:"phase"`
	Implied            bool            `json:"implied"`
	CurrentSkill       *string         `json:"currentSkill"`
	FailureStreak      *int            `json:"failureStreak"`
	Substantial        *bool           `json:"substantial"`
	MutationGeneration *int            `json:"mutationGeneration"`
	VerifiedGeneration *int            `json:"verifiedGeneration"`
	ActiveCard         *string         `json:"activeCard"`
	Evidence           []fileRecord    `json:"evidence"`
	LastDecision       *Decision       `json:"lastDecision"`
	UpdatedAt          json.RawMessage `json:"updatedAt"`

	Tree           string  `json:"tree"`
	TreeGeneration int     `json:"treeGeneration"`
	MaybeDirty     bool    `json:"maybeDirty"`
	Unclaimed      Outcome `json:"unclaimed"`
	Recent         []seen  `json:"recent"`
}

type fileRecord struct {
	Kind       Kind    `json:"kind"`
	Result     Outcome `json:"result"`
	Source     string  `json:"source"`
	Detail     string  `json:"detail"`
	Time       string  `json:"time"`
	Timestamp  string  `json:"timestamp"` // as get-fable's schema names it
	Generation *int    `json:"generation"`
	Tree       string  `json:"tree"`
}

// decode reads a state of any known version and holds it against every rule.
// workspace is the identity of where the file lies. Errors wrap ErrInvalid.
func decode(data []byte, workspace string) (*State, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	var f file
	if err := dec.Decode(&f); err != nil {
		return nil, invalid("it is not the JSON of a state: %s", jsonError(err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, invalid("something follows the JSON value")
	}
	version, err := f.version()
	if err != nil {
		return nil, err
	}
	s := fresh(workspace)
	if f.WorkspaceID != nil && version > 1 {
		s.WorkspaceID = *f.WorkspaceID
	}
	if s.WorkspaceID != "" && s.WorkspaceID != workspace {
		return nil, invalid("workspaceId is of another workspace: this state was copied from elsewhere")
	}
	s.WorkspaceID = workspace
	if f.Phase != nil {
		s.Phase = *f.Phase
	}
	s.Implied, s.CurrentSkill, s.ActiveCard, s.LastDecision = f.Implied, f.CurrentSkill, f.ActiveCard, f.LastDecision
	set(&s.Revision, f.StateRevision)
	set(&s.Revision, f.Revision)
	set(&s.FailureStreak, f.FailureStreak)
	set(&s.Substantial, f.Substantial)
	set(&s.MutationGeneration, f.MutationGeneration)
	set(&s.VerifiedGeneration, f.VerifiedGeneration)
	s.Tree, s.TreeGeneration, s.MaybeDirty = f.Tree, f.TreeGeneration, f.MaybeDirty
	s.Unclaimed, s.Recent = f.Unclaimed, f.Recent
	if s.UpdatedAt, err = decodeTime("updatedAt", f.UpdatedAt); err != nil {
		return nil, err
	}
	for i := range f.Evidence {
		r, err := f.Evidence[i].record(version)
		if err != nil {
			return nil, invalid("evidence[%d]: %v", i, err)
		}
		s.Evidence = append(s.Evidence, r)
	}
	if version < Schema && f.MutationGeneration == nil {
		s.migrateOldProof()
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	s.SchemaVersion = Schema
	s.trim()
	return s, nil
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// workspaceOf returns the workspace that a state says it is of.
func workspaceOf(data []byte) (string, error) {
	var f struct {
		WorkspaceID string `json:"workspaceId"`
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return "", invalid("%s", jsonError(err))
	}
	return f.WorkspaceID, nil
}

// version tells which schema f follows. A file without a number is one of the
// newest that somebody wrote by hand, if it has what only that has.
func (f *file) version() (int, error) {
	switch {
	case f.SchemaVersion == nil && (f.MutationGeneration != nil || f.Phase != nil):
		return Schema, nil
	case f.SchemaVersion == nil:
		return 0, invalid("schemaVersion is missing")
	case *f.SchemaVersion > Schema:
		return 0, invalid("schemaVersion is %d, this program knows up to %d: it was written by a newer one", *f.SchemaVersion, Schema)
	case *f.SchemaVersion < 1:
		return 0, invalid("schemaVersion is %d", *f.SchemaVersion)
	}
	return *f.SchemaVersion, nil
}

// migrateOldProof gives a state from before generations were counted its
// numbers: all of its proof is of generation 0, which counts as verified if the
// newest proof of behaviour passed.
func (s *State) migrateOldProof() {
	s.MutationGeneration, s.VerifiedGeneration = 0, -1
	for _, r := range slices.Backward(s.Evidence) {
		if r.Kind.behaviour() {
			if r.Result == Pass {
				s.VerifiedGeneration = 0
			}
			return
		}
	}
}

func (r *fileRecord) record(version int) (Record, error) {
	out := Record{Kind: r.Kind, Result: r.Result, Source: r.Source, Detail: r.Detail, Tree: r.Tree}
	at := r.Time
	if at == "" {
		at = r.Timestamp
	}
	if at != "" {
		t, err := time.Parse(time.RFC3339, at)
		if err != nil {
			return out, errors.New("time is not one in RFC 3339")
		}
		out.Time = t
	}
	if r.Generation != nil && version > 1 {
		out.Generation = *r.Generation
	}
	return out, nil
}

func decodeTime(name string, raw json.RawMessage) (time.Time, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return time.Time{}, nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return time.Time{}, invalid("%s is no text", name)
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, invalid("%s is not a time in RFC 3339", name)
	}
	return t, nil
}

// jsonError says what is wrong with a JSON text without quoting it.
func jsonError(err error) string {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &typ) && typ.Field != "":
		return typ.Field + " has the wrong type"
	case errors.As(err, &syntax):
		return fmt.Sprintf("broken at byte %d", syntax.Offset)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends too early"
	}
	return "wrong type"
}

// check holds s against the rules; one that is broken makes all of it invalid.
func (s *State) check() error {
	switch {
	case !s.Phase.Valid():
		return invalid("phase is none of the known ones")
	case s.Revision < 0:
		return invalid("revision is negative")
	case s.FailureStreak < 0:
		return invalid("failureStreak is negative")
	case s.MutationGeneration < 0:
		return invalid("mutationGeneration is %d, which is negative", s.MutationGeneration)
	case s.VerifiedGeneration < -1:
		return invalid("verifiedGeneration is %d, below -1", s.VerifiedGeneration)
	case s.VerifiedGeneration > s.MutationGeneration:
		return invalid("verifiedGeneration is %d, beyond mutationGeneration %d", s.VerifiedGeneration, s.MutationGeneration)
	case s.TreeGeneration < 0 || s.TreeGeneration > s.MutationGeneration:
		return invalid("treeGeneration is not between 0 and mutationGeneration")
	case s.CurrentSkill != nil && !plainName(*s.CurrentSkill):
		return invalid("currentSkill is not a plain name")
	case s.ActiveCard != nil && (blank(*s.ActiveCard) || len(*s.ActiveCard) > 4*maxText):
		return invalid("activeCard is blank or too long")
	case s.Unclaimed != NoOutcome && !s.Unclaimed.Valid():
		return invalid("unclaimed is neither pass nor fail")
	}
	if d := s.LastDecision; d != nil {
		for _, name := range [...]string{d.SelectedSkill, d.TaskShape} {
			if name != "" && !plainName(name) {
				return invalid("lastDecision holds what is not a plain name")
			}
		}
	}
	for i := range s.Evidence {
		r := &s.Evidence[i]
		switch {
		case !r.Kind.Valid():
			return invalid("evidence[%d]: kind is none of the known ones", i)
		case !r.Result.Valid():
			return invalid("evidence[%d]: result is neither pass nor fail", i)
		case blank(r.Source):
			return invalid("evidence[%d]: source is blank", i)
		case blank(r.Detail):
			return invalid("evidence[%d]: detail is blank", i)
		case r.Generation < 0 || r.Generation > s.MutationGeneration:
			return invalid("evidence[%d]: generation %d is not between 0 and mutationGeneration %d", i, r.Generation, s.MutationGeneration)
		}
	}
	return nil
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// plainName reports whether s is a short name without blanks.
func plainName(s string) bool {
	if s == "" || len(s) > maxName || !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.:/+", r) {
			return false
		}
	}
	return true
}

// trim keeps the newest of what is bounded.
func (s *State) trim() {
	if n := len(s.Evidence); n > maxEvidence {
		s.Evidence = append([]Record(nil), s.Evidence[n-maxEvidence:]...)
	}
	if n := len(s.Recent); n > maxRecent {
		s.Recent = append([]seen(nil), s.Recent[n-maxRecent:]...)
	}
}

// encode returns s as the bytes of its file.
func encode(s *State) ([]byte, error) {
	c := *s
	c.SchemaVersion = Schema
	if c.Evidence == nil {
		c.Evidence = []Record{}
	}
	data, err := json.MarshalIndent(&c, "", " ")
	if err != nil {
		return nil, fmt.Errorf("write the workflow state: %w", err)
	}
	return append(data, '\n'), nil
}
