package hookcmd

import (
	"errors"
	"io"
	"time"
)

// Limits on standard input. Some hosts never close it, so reading ends with the
// first complete JSON value. What has not come by then is judged as it is, and an
// empty payload passes: on a machine with sixty processes waiting for a processor,
// hosts were seen to need more than two seconds before they wrote.
const (
	readDeadline = 4 * time.Second
	maxPayload   = 256 << 20
)

var (
	errNoPayload  = errors.New("empty payload")
	errCutPayload = errors.New("payload cut in the middle")
	errTooLarge   = errors.New("payload larger than 256 MiB")
)

// readPayload reads r up to the end of the first complete JSON value, the end
// of input or the deadline, whichever comes first. What was read is returned
// with every error.
func readPayload(r io.Reader, deadline time.Duration) ([]byte, error) {
	type chunk struct {
		data []byte
		err  error
	}
	chunks := make(chan chunk)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		size := 8 << 10
		for {
			buf := make([]byte, size)
			n, err := r.Read(buf)
			select {
			case chunks <- chunk{buf[:n], err}:
			case <-stop:
				return
			}
			if err != nil {
				return
			}
			if n == size && size < 4<<20 {
				size *= 4
			}
		}
	}()
	timer := time.NewTimer(deadline)
	defer timer.Stop()
	var payload []byte
	var end endFinder
	for {
		select {
		case c := <-chunks:
			stopAt := end.feed(c.data)
			switch {
			case payload == nil:
				payload = c.data
			default:
				payload = append(payload, c.data...)
			}
			if stopAt >= 0 {
				return payload[:len(payload)-len(c.data)+stopAt], nil
			}
			if len(payload) > maxPayload {
				return payload, errTooLarge
			}
			if c.err != nil {
				return payload, end.verdict()
			}
		case <-timer.C:
			return payload, end.verdict()
		}
	}
}

// endFinder finds where the first JSON object or array ends, in chunks.
type endFinder struct {
	started  bool // something other than white space or a BOM was seen
	scalar   bool // the value is neither an object nor an array: only the end of input ends it
	inString bool
	escaped  bool
	depth    int
}

// feed returns the offset just past the value's end in b, or -1.
func (f *endFinder) feed(b []byte) int {
	for i := range b {
		c := b[i]
		switch {
		case f.scalar:
			return -1
		case f.inString:
			switch {
			case f.escaped:
				f.escaped = false
			case c == '\\':
				f.escaped = true
			case c == '"':
				f.inString = false
			}
		case c == '{' || c == '[':
			f.started = true
			f.depth++
		case !f.started:
			switch c {
			case ' ', '\t', '\r', '\n', 0xEF, 0xBB, 0xBF:
			default:
				f.started, f.scalar = true, true
			}
		case c == '"':
			f.inString = true
		case c == '}' || c == ']':
			f.depth--
			if f.depth <= 0 {
				return i + 1
			}
		}
	}
	return -1
}

// verdict is the error of an input that ended here.
func (f *endFinder) verdict() error {
	switch {
	case !f.started:
		return errNoPayload
	case f.scalar:
		return nil // complete as far as can be told; the decoder judges it
	default:
		return errCutPayload
	}
}
