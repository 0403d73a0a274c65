package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"github.com/ec261362/guardrails/core/fsx"
)

// lastValid is what we keep of a valid file for the day it is broken.
type lastValid struct {
	Root       string      `json:"root"`
	Protect    []string    `json:"protect,omitempty"`
	Packs      []string    `json:"packs,omitempty"`
	Evidence   bool        `json:"evidence,omitempty"`
	Validators *validators `json:"validators,omitempty"`
}

// validators are those that ran.
type validators struct {
	Input  []string `json:"input"`
	Output []string `json:"output"`
}

func (v lastValid) empty() bool {
	return len(v.Protect) == 0 && len(v.Packs) == 0 && !v.Evidence && v.Validators == nil
}

// maxLastValid bounds the record; MaxSize bounds what goes into it.
const maxLastValid = 2 * MaxSize

// lastValidFile names the record of a root, or, for "", of the human's file.
func lastValidFile(stateHome, root string) string {
	name := "human"
	if root != "" {
		sum := sha256.Sum256([]byte(realPath(root)))
		name = hex.EncodeToString(sum[:16])
	}
	return filepath.Join(stateHome, "protect", name+".json")
}

// recall returns the last valid record, the zero one if there is none.
func recall(o LoadOptions, root string) lastValid {
	var v lastValid
	if o.StateHome == "" {
		return v
	}
	data, err := o.ReadFile(lastValidFile(o.StateHome, root), maxLastValid)
	if err != nil || json.Unmarshal(data, &v) != nil {
		return lastValid{}
	}
	return v
}

// remember keeps the record of a valid file, written only when it changed.
func (l *loading) remember(f *File, root string) {
	if !l.o.Remember || l.o.StateHome == "" {
		return
	}
	v := lastValid{Root: root, Protect: f.Config.Policy.Protect}
	if f.Config.Handoffs.On {
		v.Packs = f.Config.Handoffs.Packs
	}
	v.Evidence = root != "" && f.Config.Evidence.On && f.Config.Evidence.Enabled
	if c := &f.Config.Validators; c.On && c.Enabled {
		v.Validators = &validators{c.Input, c.Output}
	}
	name := lastValidFile(l.o.StateHome, root)
	old, err := l.o.ReadFile(name, maxLastValid)
	if os.IsNotExist(err) && v.empty() {
		return
	}
	data, err := json.Marshal(v)
	if err != nil {
		l.e.RememberErr = err
		return
	}
	if slices.Equal(old, data) {
		return
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		l.e.RememberErr = err
		return
	}
	l.e.RememberErr = fsx.Replace(name, data, 0o600)
}
