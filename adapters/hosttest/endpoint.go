package hosttest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"
)

// endpoint is an HTTP/1.1 server on 127.0.0.1 for the clients of a scripted
// model: requests are read whole, answers have a length. It stands on net
// because net/http, linked into the binary that also answers hooks, costs each
// hook call half a millisecond, a tenth of it (measured).
type endpoint struct {
	ln      net.Listener
	handler func(call) reply
	done    sync.WaitGroup

	mu     sync.Mutex
	conns  map[net.Conn]bool // true while a request is being answered
	closed bool
}

// call is one request. Headers are not kept: they carry the key.
type call struct {
	method  string
	path    string // as sent, without the query
	query   string
	host    string // the host that a client of ours as a proxy wants to reach
	proxied bool   // it wants to reach another host through us
	body    []byte
	tooLong bool // the body exceeded maxBody; it was not kept
}

// reply answers a call.
type reply struct {
	status  int
	mime    string
	headers []string // further ones, "Name: value"
	body    []byte
}

// Bounds of what a client may send.
const (
	maxBody   = 64 << 20 // a conversation with a large tool result is a few megabytes
	maxHeader = 1 << 20
	idle      = 5 * time.Minute
)

func listen() (*endpoint, error) {
	ln, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("scripted model server: %w", err)
	}
	return &endpoint{ln: ln, conns: map[net.Conn]bool{}}, nil
}

// answer starts to answer calls with h.
func (e *endpoint) answer(h func(call) reply) {
	e.handler = h
	e.done.Go(func() {
		for {
			c, err := e.ln.Accept()
			if err != nil {
				return // closed
			}
			if !e.mark(c, false) {
				_ = c.Close()
				return
			}
			e.done.Go(func() { e.talk(c) })
		}
	})
}

func (e *endpoint) url() string { return "http://" + e.ln.Addr().String() }

// mark notes a connection as busy or idle; false means that the endpoint is
// closed.
func (e *endpoint) mark(c net.Conn, busy bool) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed && !busy {
		return false
	}
	e.conns[c] = busy
	return true
}

// close stops the endpoint: answers under way have wait to end, then all
// connections are cut.
func (e *endpoint) close(wait time.Duration) error {
	e.mu.Lock()
	e.closed = true
	for c, busy := range e.conns {
		if busy {
			_ = c.SetDeadline(time.Now().Add(wait))
		} else {
			_ = c.Close()
		}
	}
	e.mu.Unlock()
	err := e.ln.Close()
	e.done.Wait()
	if err != nil {
		return fmt.Errorf("scripted model server: %w", err)
	}
	return nil
}

// talk answers the requests of one connection, one after the other.
func (e *endpoint) talk(c net.Conn) {
	defer func() {
		e.mu.Lock()
		delete(e.conns, c)
		e.mu.Unlock()
		_ = c.Close()
	}()
	r := bufio.NewReader(c)
	for {
		_ = c.SetDeadline(time.Now().Add(idle))
		if _, err := r.Peek(1); err != nil {
			return
		}
		if !e.mark(c, true) {
			return
		}
		in, keep, err := readCall(r, c)
		if err != nil {
			_ = writeReply(c, reply{status: 400, mime: "text/plain", body: []byte(err.Error() + "\n")}, false, false)
			return
		}
		out := e.handler(in)
		if err := writeReply(c, out, keep, in.method == "HEAD"); err != nil || !keep || !e.mark(c, false) {
			return
		}
	}
}

// readCall reads one request. keep says whether another may follow on the
// connection.
func readCall(r *bufio.Reader, w io.Writer) (in call, keep bool, err error) {
	left := maxHeader
	line, err := readLine(r, &left)
	if err != nil {
		return in, false, err
	}
	method, rest, ok := strings.Cut(line, " ")
	target, version, ok2 := strings.Cut(rest, " ")
	if !ok || !ok2 || method == "" || target == "" || !strings.HasPrefix(version, "HTTP/1.") {
		return in, false, fmt.Errorf("not an HTTP/1 request: %q", line)
	}
	in.method = method
	keep = version != "HTTP/1.0"
	length, chunked, expect := int64(0), false, false
	for {
		if line, err = readLine(r, &left); err != nil {
			return in, false, err
		}
		if line == "" {
			break
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return in, false, fmt.Errorf("not a header: %q", line)
		}
		value = strings.TrimSpace(value)
		switch strings.ToLower(name) {
		case "host":
			in.host = value
		case "content-length":
			if length, err = strconv.ParseInt(value, 10, 64); err != nil || length < 0 {
				return in, false, fmt.Errorf("content-length %q", value)
			}
		case "transfer-encoding":
			chunked = strings.EqualFold(value, "chunked")
			if !chunked {
				return in, false, fmt.Errorf("transfer-encoding %q", value)
			}
		case "connection":
			keep = keep && !strings.EqualFold(value, "close")
		case "expect":
			expect = strings.EqualFold(value, "100-continue")
		}
	}
	switch {
	case method == "CONNECT":
		in.proxied, in.host = true, target
		return in, false, nil
	case !strings.HasPrefix(target, "/"):
		in.proxied = true
		if _, after, ok := strings.Cut(target, "://"); ok {
			in.host, target, _ = strings.Cut(after, "/")
			target = "/" + target
		}
	}
	in.path, in.query, _ = strings.Cut(target, "?")
	if expect {
		if _, err := io.WriteString(w, "HTTP/1.1 100 Continue\r\n\r\n"); err != nil {
			return in, false, err
		}
	}
	switch {
	case chunked:
		in.body, in.tooLong, err = readChunks(r)
	case length > maxBody:
		in.tooLong = true
	case length > 0:
		in.body = make([]byte, length)
		_, err = io.ReadFull(r, in.body)
	}
	if err != nil {
		return in, false, fmt.Errorf("the request's body: %w", err)
	}
	return in, keep && !in.tooLong, nil
}

// readLine reads a line without its end, taking its length from left.
func readLine(r *bufio.Reader, left *int) (string, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if *left -= len(part); *left < 0 {
			return "", errors.New("the request's headers are too long")
		}
		if err == nil {
			return strings.TrimRight(string(line), "\r\n"), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return "", err
		}
	}
}

// readChunks reads a chunked body and its trailer.
func readChunks(r *bufio.Reader) (body []byte, tooLong bool, err error) {
	for {
		left := maxHeader
		line, err := readLine(r, &left)
		if err != nil {
			return nil, false, err
		}
		size, _, _ := strings.Cut(line, ";")
		n, err := strconv.ParseInt(strings.TrimSpace(size), 16, 64)
		if err != nil || n < 0 {
			return nil, false, fmt.Errorf("chunk size %q", line)
		}
		if n == 0 {
			for line != "" {
				if line, err = readLine(r, &left); err != nil {
					return nil, false, err
				}
			}
			return body, false, nil
		}
		if int64(len(body))+n > maxBody {
			return nil, true, nil
		}
		at := len(body)
		body = append(body, make([]byte, n)...)
		if _, err := io.ReadFull(r, body[at:]); err != nil {
			return nil, false, err
		}
		if line, err = readLine(r, &left); err != nil || line != "" {
			return nil, false, errors.Join(errors.New("a chunk does not end where it says"), err)
		}
	}
}

func writeReply(w io.Writer, out reply, keep, head bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n", out.status, statusText(out.status), out.mime, len(out.body))
	for _, h := range out.headers {
		b.WriteString(h + "\r\n")
	}
	if !keep {
		b.WriteString("Connection: close\r\n")
	}
	b.WriteString("\r\n")
	if !head {
		b.Write(out.body)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// statusText is for people: clients read the number.
func statusText(status int) string {
	switch {
	case status < 300:
		return "OK"
	case status < 400:
		return "Elsewhere"
	default:
		return "Error"
	}
}
