package proc

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
)

// group is a job object that holds the program and its descendants.
type group struct {
	job atomic.Uintptr // 0 = there is none; time may run out while it is made
}

func procedure(name string) *syscall.LazyProc {
	return syscall.NewLazyDLL("kernel32.dll").NewProc(name)
}

func (*group) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// started puts the program into the job. What it started in the microseconds
// before stays outside.
func (g *group) started(p *os.Process) {
	const setQuotaAndTerminate = 0x0100 | syscall.PROCESS_TERMINATE
	job, _, _ := procedure("CreateJobObjectW").Call(0, 0)
	if job == 0 {
		return
	}
	h, err := syscall.OpenProcess(setQuotaAndTerminate, false, uint32(p.Pid))
	if err != nil {
		syscall.CloseHandle(syscall.Handle(job)) //nolint:errcheck // an empty job
		return
	}
	defer syscall.CloseHandle(h) //nolint:errcheck // only a handle of ours
	if ok, _, _ := procedure("AssignProcessToJobObject").Call(job, uintptr(h)); ok == 0 {
		syscall.CloseHandle(syscall.Handle(job)) //nolint:errcheck // an empty job
		return
	}
	g.job.Store(job)
}

func (g *group) kill(p *os.Process) error {
	job := g.job.Load()
	if job == 0 {
		return p.Kill()
	}
	if ok, _, err := procedure("TerminateJobObject").Call(job, 1); ok == 0 {
		return errors.Join(err, p.Kill())
	}
	return nil
}

func (g *group) close() {
	if job := g.job.Load(); job != 0 {
		syscall.CloseHandle(syscall.Handle(job)) //nolint:errcheck // only a handle of ours
	}
}

func signal(*os.ProcessState) string { return "" }

// executable reports whether path, with one of the usual endings if it has
// none, is a file.
func executable(path string) (string, bool) {
	try := []string{path}
	if filepath.Ext(path) == "" {
		try = []string{path + ".exe", path + ".com", path + ".cmd", path + ".bat"}
	}
	for _, p := range try {
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() && !strings.HasSuffix(p, ".ps1") {
			return p, true
		}
	}
	return "", false
}
