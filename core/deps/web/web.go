// Package web opens connections for the dependency check. It is the only place
// of the product that links net/http, and only the full program links it.
//
// It knows no service. It must not be imported by anything that the small hook
// program links.
package web

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/ec261362/guardrails/core/gate"
)

// MaxBody is how many bytes of an answer are read; a longer one is an error.
const MaxBody = 8 << 20

// Limits of one request. Whoever asks sets a shorter deadline in its context.
const (
	timeout      = 10 * time.Second
	maxRedirects = 2
)

// ErrTooLarge is wrapped by errors of answers that pass MaxBody. Whoever may not
// import this package asks for its method.
var ErrTooLarge error = tooLarge{}

type tooLarge struct{}

func (tooLarge) Error() string  { return "the answer is too large" }
func (tooLarge) TooLarge() bool { return true }

// New returns a function that does requests as agent, a User-Agent. Proxies are
// those of the environment. A redirect is followed at most twice and only on the
// host that was asked; one that leads elsewhere is the answer.
func New(agent string) gate.HTTP {
	client := &http.Client{
		Timeout: timeout,
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: timeout, KeepAlive: -1}).DialContext,
			ForceAttemptHTTP2:      true,
			MaxIdleConnsPerHost:    8,
			TLSHandshakeTimeout:    timeout,
			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(to *http.Request, via []*http.Request) error {
			from := via[0].URL
			if len(via) > maxRedirects || to.URL.Host != from.Host || to.URL.Scheme != from.Scheme {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}
	return func(ctx context.Context, r gate.Request) (gate.Response, error) {
		method := r.Method
		if method == "" {
			method = http.MethodGet
		}
		req, err := http.NewRequestWithContext(ctx, method, r.URL, bytes.NewReader(r.Body))
		if err != nil {
			return gate.Response{}, err
		}
		if s := req.URL.Scheme; s != "https" && s != "http" || req.URL.Host == "" {
			return gate.Response{}, fmt.Errorf("%s: neither https nor http", req.URL.Redacted())
		}
		for k, v := range r.Header {
			req.Header.Set(k, v)
		}
		req.Header.Set("User-Agent", agent)
		res, err := client.Do(req)
		if err != nil {
			return gate.Response{}, err
		}
		defer res.Body.Close()
		body, err := io.ReadAll(io.LimitReader(res.Body, MaxBody+1))
		if err != nil {
			return gate.Response{}, fmt.Errorf("%s: %w", req.URL.Redacted(), err)
		}
		if len(body) > MaxBody {
			return gate.Response{}, fmt.Errorf("%s: %w: more than %d bytes", req.URL.Redacted(), ErrTooLarge, MaxBody)
		}
		out := gate.Response{Status: res.StatusCode, Header: make(map[string]string, len(res.Header)), Body: body}
		for k := range res.Header {
			out.Header[k] = res.Header.Get(k)
		}
		return out, nil
	}
}
