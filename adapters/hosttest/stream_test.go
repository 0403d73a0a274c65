package hosttest

import (
	"strings"
	"testing"
)

func TestStreamOutputIsReadLineByLine(t *testing.T) {
	lines, err := ParseStream([]byte("\n" + `{"type":"system","subtype":"init","session_id":"s","permissionMode":"auto"}` + "\r\n" +
		`{"type":"result","subtype":"success","is_error":false,"result":"first"}` + "\n" +
		`{"type":"result","subtype":"error_during_execution","is_error":true,"result":"last"}`))
	if err != nil {
		t.Fatal(err)
	}
	r := Result{Stream: lines}
	if got := r.Find("system", "init"); len(got) != 1 || got[0].Session != "s" || got[0].Mode != "auto" {
		t.Errorf("init = %+v", got)
	}
	if got := r.Find("result", ""); len(got) != 2 {
		t.Errorf("%d results", len(got))
	}
	if l, ok := r.Final(); !ok || l.Result != "last" || !l.IsError {
		t.Errorf("final = %+v", l)
	}
	if _, ok := (Result{}).Final(); ok {
		t.Error("no output has a final line")
	}
}

func TestStreamOutputThatIsNoJSONNamesItsLine(t *testing.T) {
	_, err := ParseStream([]byte("{\"type\":\"system\"}\nError: no key\n"))
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("err = %v", err)
	}
}
