package installer

import (
	"context"
	"fmt"
	"strings"
)

// A target knows how one host is installed into: where its files are, what
// shape they have, what switches hooks off there.
type target interface {
	name() string
	planInstall(context.Context, *Installer, Request) (*plan, error)
	planUninstall(context.Context, *Installer, Request) (*plan, error)
	show(context.Context, *Installer, Request) (*Status, error)
	// found says why the host is thought to be on this machine, "" if it is not.
	found(*Installer) string
}

// targets is every host that init can install into, in the order of the help
// text.
func targets() []target {
	return []target{claude{}, gemini{}, antigravity{}, muse{}}
}

func lookup(host string) (target, error) {
	for _, t := range targets() {
		if t.name() == host {
			return t, nil
		}
	}
	return nil, refuse("", "unknown agent %q: init knows %s", host, strings.Join(Hosts(), ", "))
}

// Hosts lists the hosts that init can install into.
func Hosts() []string {
	var out []string
	for _, t := range targets() {
		out = append(out, t.name())
	}
	return out
}

// Found lists the hosts on this machine, by program on PATH or folder of their
// own, with the reason.
func (i *Installer) Found() (hosts []string, why map[string]string) {
	why = map[string]string{}
	for _, t := range targets() {
		if reason := t.found(i); reason != "" {
			hosts = append(hosts, t.name())
			why[t.name()] = reason
		}
	}
	return hosts, why
}

// Show looks at the entries of a host in every scope that concerns r and
// changes nothing.
func (i *Installer) Show(ctx context.Context, r Request) (*Status, error) {
	t, err := lookup(r.Host)
	if err != nil {
		return nil, err
	}
	s, err := t.show(ctx, i, r)
	if err != nil {
		return nil, fmt.Errorf("show %s: %w", r.Host, err)
	}
	return s, nil
}
