package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ec261362/guardrails/core/gate"
)

func TestARequestReachesItsPathAsItIsEncoded(t *testing.T) {
	var got string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = r.Method + " " + r.URL.EscapedPath() + " " + r.Header.Get("User-Agent") + " " + r.Header.Get("X") + " " + string(body)
		w.Header().Set("content-type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "no")
	}))
	defer s.Close()
	r, err := New("guardrails/x")(t.Context(), gate.Request{Method: "POST", URL: s.URL + "/a/%40zz%2Ftop", Header: map[string]string{"X": "1"}, Body: []byte("body")})
	if err != nil || r.Status != http.StatusNotFound || string(r.Body) != "no" || r.Header["Content-Type"] != "application/json" {
		t.Errorf("%+v, %v", r, err)
	}
	if want := "POST /a/%40zz%2Ftop guardrails/x 1 body"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestARedirectElsewhereIsNotFollowed(t *testing.T) {
	var asked atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer other.Close()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, other.URL, http.StatusFound)
		case "/here":
			http.Redirect(w, r, "/there", http.StatusFound)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		default:
			_, _ = io.WriteString(w, "there")
		}
	}))
	defer s.Close()
	do := New("x")
	for path, want := range map[string]int{"/away": 302, "/here": 200, "/round": 302} {
		if r, err := do(t.Context(), gate.Request{URL: s.URL + path}); err != nil || r.Status != want {
			t.Errorf("%s: %+v, %v, want %d", path, r, err, want)
		}
	}
	if asked.Load() != 0 {
		t.Error("another host was asked")
	}
}

func TestAnAnswerThatNeverEndsIsCut(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.Copy(w, io.LimitReader(zeros{}, MaxBody+10))
	}))
	defer s.Close()
	if _, err := New("x")(t.Context(), gate.Request{URL: s.URL}); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestNoAnswerIsAnError(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	url := s.URL
	s.Close()
	do := New("x")
	if _, err := do(t.Context(), gate.Request{URL: url}); err == nil {
		t.Error("a server that is gone answered")
	}
	if _, err := do(t.Context(), gate.Request{URL: "file:///etc/passwd"}); err == nil || !strings.Contains(err.Error(), "neither") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := do(ctx, gate.Request{URL: url}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
