//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// as has cmd run as another user, 0 = as we are.
func as(cmd *exec.Cmd, user uint32) {
	if user != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	}
}

func pipe(name string) error { return syscall.Mkfifo(name, 0o600) }

func root() bool { return os.Getuid() == 0 }
