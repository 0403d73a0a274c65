package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// peers are other hooks that judge the same payload, as their own documentation
// registers them.
var peers = [...]struct {
	name, pkg, version string
	args               []string
}{
	{"cc-safety-net", "cc-safety-net", "2.4.5", []string{"hook", "--claude-code"}},
	{"tdd-guard", "tdd-guard", "1.7.0", nil},
}

// others adds the peers, installed by the npm client as it is set up here.
func (s *suite) others(ctx context.Context, dir string) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		s.miss("peers", err)
		return
	}
	for _, peer := range peers {
		bin := filepath.Join(dir, "node_modules", ".bin", peer.name)
		if runtime.GOOS == "windows" {
			bin += ".cmd"
		}
		if _, err := os.Stat(bin); err != nil {
			if err := install(ctx, dir, peer.pkg+"@"+peer.version); err != nil {
				s.miss(peer.name+" "+peer.version, err)
				continue
			}
		}
		home := filepath.Join(s.dir, "peer-"+peer.name)
		p := project{dir: filepath.Join(home, "project"), env: environment(home)}
		if err := os.MkdirAll(filepath.Join(p.dir, ".git"), 0o755); err != nil {
			s.miss(peer.name, err)
			continue
		}
		q := p.hook(bin, eventList[preBash])
		q.name, q.argv, q.want = peer.name+" "+peer.version, append([]string{bin}, peer.args...), ""
		q.goal, q.ours, q.peer = false, false, true
		if _, err := q.check(ctx); err != nil {
			s.miss(q.name, err)
			continue
		}
		s.add(q)
	}
}

func install(ctx context.Context, dir, spec string) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "npm", "install", "--prefix", dir, "--save-exact", "--ignore-scripts", "--no-audit", "--no-fund", spec)
	cmd.WaitDelay = 5 * time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install: %w: %s", err, out)
	}
	return nil
}
