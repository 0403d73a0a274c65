package installer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/ec261362/guardrails/core/fsx"
)

// receiptVersion is the format of installs.json.
const receiptVersion = 1

// receipts is the content of <state home>/installs.json: what we wrote where.
// Nothing depends on it but what bytes alone cannot tell.
type receipts struct {
	Version  int       `json:"version"`
	Installs []receipt `json:"installs"`
}

// receipt is one install.
type receipt struct {
	Host       string    `json:"host"`
	Scope      string    `json:"scope"`
	Route      string    `json:"route"`
	File       string    `json:"file"`                // the host's file, as the host names it
	Dir        string    `json:"dir,omitempty"`       // the project
	ConfigDir  string    `json:"configDir,omitempty"` // the host's folder, if not its default
	SHA256     string    `json:"sha256,omitempty"`    // of the file as we left it
	Existed    bool      `json:"existed"`             // before the first install
	Backup     string    `json:"backup,omitempty"`    // of the file before the first install
	MadeDirs   []string  `json:"madeDirs,omitempty"`  // outermost first
	Files      []owned   `json:"files,omitempty"`     // files that are ours alone
	Guardrails string    `json:"guardrails"`          // version that wrote it
	At         time.Time `json:"at"`
}

// owned is a file that we made and nobody else should edit.
type owned struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

func (r receipt) same(o receipt) bool {
	return r.Host == o.Host && r.Route == o.Route && r.File == o.File
}

func (i *Installer) receiptPath() string { return filepath.Join(i.env.StateHome, "installs.json") }

// readReceipts reads the receipt. A damaged or foreign one is an error with its
// path: guessing could remove what is not ours.
func (i *Installer) readReceipts() (receipts, fsx.Stamp, error) {
	path := i.receiptPath()
	data, was, err := readFile(path)
	if err != nil {
		return receipts{}, was, refuse(path, "the receipt of earlier installs cannot be read: %w", err)
	}
	if data == nil {
		return receipts{Version: receiptVersion}, was, nil
	}
	var r receipts
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return receipts{}, was, refuse(path, "the receipt of earlier installs is damaged (%w): repair it or move it away; uninstall works without it", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return receipts{}, was, refuse(path, "the receipt of earlier installs is damaged (text after its end): repair it or move it away; uninstall works without it")
	}
	if r.Version != receiptVersion {
		return receipts{}, was, refuse(path, "the receipt has format %d, this build knows %d: use the guardrails that wrote it, or move it away", r.Version, receiptVersion)
	}
	return r, was, nil
}

func (r receipts) find(like receipt) (receipt, bool) {
	for _, have := range r.Installs {
		if have.same(like) {
			return have, true
		}
	}
	return receipt{}, false
}

// with returns the receipts with one added or replaced.
func (r receipts) with(rec receipt) receipts {
	out := r.without(rec)
	out.Installs = append(out.Installs, rec)
	return out
}

// without returns the receipts with one dropped.
func (r receipts) without(rec receipt) receipts {
	out := receipts{Version: receiptVersion}
	for _, have := range r.Installs {
		if !have.same(rec) {
			out.Installs = append(out.Installs, have)
		}
	}
	return out
}

func (r receipts) bytes() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return nil, fmt.Errorf("write the receipt: %w", err)
	}
	return b.Bytes(), nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// planReceipt writes the receipt if it says something new.
func (i *Installer) planReceipt(all receipts, was fsx.Stamp, rec receipt) ([]step, error) {
	rec.Guardrails = i.env.Version
	have, known := all.find(rec)
	if known {
		rec.At = have.At
		a, errA := json.Marshal(have)
		b, errB := json.Marshal(rec)
		if errA == nil && errB == nil && string(a) == string(b) {
			return nil, nil
		}
	}
	rec.At = i.env.Now().UTC().Truncate(time.Second)
	return i.writeReceipts(all, all.with(rec), was)
}

func (i *Installer) writeReceipts(before, after receipts, was fsx.Stamp) ([]step, error) {
	data, err := after.bytes()
	if err != nil {
		return nil, err
	}
	path := i.receiptPath()
	if len(after.Installs) == 0 {
		old, now, err := readFile(path)
		if err != nil || old == nil {
			return nil, err
		}
		return []step{&quietStep{&removeStep{path: path, was: now, old: old, perm: 0o600}}}, nil
	}
	var old []byte
	if !was.Same(fsx.Stamp{}) {
		if old, err = before.bytes(); err != nil {
			return nil, err
		}
	}
	return []step{&fileStep{path: path, data: data, perm: 0o600, was: was, old: old, text: "receipt", quiet: true}}, nil
}

// quietStep is a step that nobody needs to hear of.
type quietStep struct{ step }

func (s *quietStep) line() (Line, bool) {
	l, _ := s.step.line()
	return l, false
}
