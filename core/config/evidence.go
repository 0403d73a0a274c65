package config

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"github.com/ec261362/guardrails/core/config/tree"
)

const evidenceSection = "evidence:\n  enabled: true\n"

// WithEvidence returns a configuration file's content with evidence switched
// on: data with the section after it, every byte of data kept, or data itself if
// it says so already. Without data it is a whole new file.
func WithEvidence(name string, data []byte, whole tree.Reader) ([]byte, error) {
	f, problems, _ := parse(name, data, whole)
	if len(problems) > 0 {
		return nil, fmt.Errorf("fix the configuration first:\n%w", problems)
	}
	if f.Config.Evidence.On {
		if f.Config.Evidence.Enabled {
			return data, nil
		}
		return nil, fmt.Errorf("%s says evidence: {enabled: false}: change that with guardrails config edit", name)
	}
	text := evidenceSection
	if len(data) == 0 {
		text = "version: 1\n" + text
	} else if data[len(data)-1] != '\n' {
		text = "\n" + text
	}
	if bytes.Contains(data, []byte("\r\n")) {
		text = string(bytes.ReplaceAll([]byte(text), []byte("\n"), []byte("\r\n")))
	}
	out := append(bytes.Clone(data), text...)
	after, problems, _ := parse(name, out, whole)
	if len(problems) > 0 || !after.Config.Evidence.On || !after.Config.Evidence.Enabled {
		return nil, errors.New("the section cannot be added to " + name + " as it is written: add `evidence: {enabled: true}` to it with guardrails config edit")
	}
	want, got := f.Config, after.Config
	want.Evidence, got.Evidence = Evidence{}, Evidence{}
	if !reflect.DeepEqual(want, got) {
		return nil, errors.New("the section would change other settings of " + name + ": add `evidence: {enabled: true}` to it with guardrails config edit")
	}
	return out, nil
}
