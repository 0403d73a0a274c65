package cli

import (
	"net/url"
	"slices"

	"github.com/ec261362/guardrails/cmd/guardrails/internal/version"
)

// sarifLog is a SARIF 2.1.0 log with one run.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver struct {
			Name           string      `json:"name"`
			Version        string      `json:"version"`
			InformationURI string      `json:"informationUri"`
			Rules          []sarifRule `json:"rules"`
		} `json:"driver"`
	} `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	Results     []sarifResult     `json:"results"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations,omitempty"`
}

type sarifRule struct {
	ID string `json:"id"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints,omitempty"`
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region *sarifRegion `json:"region,omitempty"`
	} `json:"physicalLocation"`
}

type sarifRegion struct {
	Line int `json:"startLine"`
}

// sarifFinding is one result to be.
type sarifFinding struct {
	rule, level, text string // level: error, warning or note
	path              string // with slashes, relative to where the run began
	line              int    // 0 = the whole file
	fingerprint       string
}

// newSarif returns a log without results; name is what ran.
func newSarif(name string) *sarifLog {
	run := sarifRun{Results: []sarifResult{}, Invocations: []sarifInvocation{{Successful: true}}}
	run.Tool.Driver.Name = name
	run.Tool.Driver.Version = version.String()
	run.Tool.Driver.InformationURI = "https://github.com/ec261362/guardrails"
	run.Tool.Driver.Rules = []sarifRule{}
	return &sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

func (l *sarifLog) add(f sarifFinding) {
	run := &l.Runs[0]
	rules := &run.Tool.Driver.Rules
	if !slices.Contains(*rules, sarifRule{f.rule}) {
		*rules = append(*rules, sarifRule{f.rule})
	}
	r := sarifResult{RuleID: f.rule, Level: f.level, Message: sarifText{f.text}, Locations: sarifAt(f.path, f.line)}
	if f.fingerprint != "" {
		r.Fingerprints = map[string]string{"guardrails/v1": f.fingerprint}
	}
	run.Results = append(run.Results, r)
}

// fail notes what could not be judged.
func (l *sarifLog) fail(path, why string) {
	inv := &l.Runs[0].Invocations[0]
	inv.Successful = false
	inv.Notifications = append(inv.Notifications, sarifNotification{Level: "error", Message: sarifText{why}, Locations: sarifAt(path, 0)})
}

func sarifAt(path string, line int) []sarifLocation {
	if path == "" {
		return nil
	}
	var at sarifLocation
	at.Physical.Artifact.URI = (&url.URL{Path: path}).String()
	if line > 0 {
		at.Physical.Region = &sarifRegion{line}
	}
	return []sarifLocation{at}
}
