package hosttest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// endMarked ends every process whose environment carries mark. The host starts
// tools and hooks in sessions of their own, which the group does not reach. It
// looks again until a look finds none, since a process may just be forking.
func endMarked(mark string) {
	want := []byte(markVar + "=" + mark + "\x00")
	for range 50 {
		found := false
		for _, pid := range pids() {
			env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
			if err != nil || !bytes.Contains(env, want) {
				continue // gone, a zombie, or not ours
			}
			found = true
			_ = syscall.Kill(pid, syscall.SIGKILL) // ESRCH: gone meanwhile
		}
		if !found {
			return
		}
		time.Sleep(2 * time.Millisecond) //nolint:forbidigo // the end of a process that is not our child is seen by looking only
	}
}

func pids() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var out []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			out = append(out, pid)
		}
	}
	return out
}
