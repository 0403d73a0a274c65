//go:build unix

package proc

import (
	"os"
	"os/exec"
	"syscall"
)

// group is the process group that the program leads.
type group struct{}

func (*group) prepare(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
func (*group) started(*os.Process)   {}
func (*group) close()                {}

// kill also works when the leader has ended: the group lives, and its number
// is not given away, as long as a member does.
func (*group) kill(p *os.Process) error {
	err := syscall.Kill(-p.Pid, syscall.SIGKILL)
	if err == syscall.ESRCH {
		return os.ErrProcessDone
	}
	return err
}

func signal(s *os.ProcessState) string {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return w.Signal().String()
	}
	return ""
}

// executable reports whether path is a file that somebody may run.
func executable(path string) (string, bool) {
	info, err := os.Stat(path)
	return path, err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
