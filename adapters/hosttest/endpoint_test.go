package hosttest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// echo answers with what it was asked.
func echo(t *testing.T) *endpoint {
	t.Helper()
	e, err := listen()
	if err != nil {
		t.Fatal(err)
	}
	e.answer(func(c call) reply {
		return reply{status: 200, mime: "text/plain", body: fmt.Appendf(nil, "%s %s?%s %t %s", c.method, c.path, c.query, c.tooLong, c.body)}
	})
	t.Cleanup(func() {
		if err := e.close(time.Second); err != nil {
			t.Error(err)
		}
	})
	return e
}

func dial(t *testing.T, e *endpoint) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", e.ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c, bufio.NewReader(c)
}

func TestRequestsOfOneConnectionAreAnsweredInTurn(t *testing.T) {
	c, r := dial(t, echo(t))
	for _, tt := range []struct{ send, want string }{
		{"GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n", "GET /a?b=c false "},
		{"POST /p HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello", "POST /p? false hello"},
		{"POST /p HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: 1\r\n\r\n", "POST /p? false abcde"},
		{"GET /lines HTTP/1.1\n\n", "GET /lines? false "},
	} {
		if _, err := io.WriteString(c, tt.send); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || string(body) != tt.want {
			t.Errorf("%q: got %q, %v", tt.send, body, err)
		}
	}
	if _, err := io.WriteString(c, "POST /wait HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	line, err := r.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "HTTP/1.1 100 ") {
		t.Fatalf("%q, %v", line, err)
	}
	if _, err := r.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, "ok"); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, _ := io.ReadAll(resp.Body); string(body) != "POST /wait? false ok" {
		t.Errorf("got %q", body)
	}
}

func TestAHeadHasNoBodyAndCloseCloses(t *testing.T) {
	c, r := dial(t, echo(t))
	if _, err := io.WriteString(c, "HEAD /h HTTP/1.1\r\n\r\nGET /g HTTP/1.1\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(r) // the server closes
	if err != nil {
		t.Fatal(err)
	}
	head, after, _ := strings.Cut(string(rest), "\r\n\r\n")
	if !strings.Contains(head, "Content-Length: 15") || !strings.HasPrefix(after, "HTTP/1.1 200") || !strings.HasSuffix(after, "GET /g? false ") {
		t.Errorf("%q", rest)
	}
}

func TestWhatIsNoRequestIsRefused(t *testing.T) {
	for _, send := range []string{
		"hello\r\n\r\n", "GET / HTTP/2\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
		"POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", "GET / HTTP/1.1\r\nX: " + strings.Repeat("x", maxHeader) + "\r\n\r\n",
	} {
		c, r := dial(t, echo(t))
		go func() { _, _ = io.WriteString(c, send) }() // a refusal may come before the end
		line, err := r.ReadString('\n')
		if err == nil && !strings.HasPrefix(line, "HTTP/1.1 400 ") {
			t.Errorf("%.60q: %q", send, line)
		}
	}
}

func TestATooLongBodyIsNotRead(t *testing.T) {
	c, r := dial(t, echo(t))
	if _, err := fmt.Fprintf(c, "POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n", maxBody+1); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, _ := io.ReadAll(resp.Body); string(body) != "POST /? true " || !resp.Close {
		t.Errorf("%q, close %t", body, resp.Close)
	}
}

func FuzzReadCall(f *testing.F) {
	f.Add([]byte("GET /a?b HTTP/1.1\r\nHost: x\r\n\r\n"))
	f.Add([]byte("CONNECT x:443 HTTP/1.1\r\n\r\n"))
	f.Add([]byte("GET http://x/y HTTP/1.1\r\n\r\n"))
	f.Add([]byte("POST / HTTP/1.1\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc"))
	f.Add([]byte("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		c, keep, err := readCall(bufio.NewReader(bytes.NewReader(in)), io.Discard)
		if err != nil {
			if keep {
				t.Error("an error keeps the connection")
			}
			return
		}
		if c.method == "" || !c.proxied && !strings.HasPrefix(c.path, "/") || len(c.body) > len(in) {
			t.Errorf("%q: %+v", in, c)
		}
	})
}
