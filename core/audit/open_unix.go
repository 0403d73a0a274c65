//go:build unix

package audit

import "syscall"

// neverWait keeps a FIFO in a day's place from holding up the call.
const neverWait = syscall.O_NONBLOCK
