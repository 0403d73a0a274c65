package main

import "testing"

func TestARecordedAnswerAllowsSomeVerdicts(t *testing.T) {
	json := map[string]string{"Content-Type": "application/json"}
	const versions = `{"packageKey":{"name":"zz"},"versions":[{}]}`
	for _, tc := range []struct {
		name string
		r    route
		body string
		a    told
		ok   bool
	}{
		{"found and passed", route{Status: 200, Headers: json}, versions, told{Decision: "pass"}, true},
		{"found and called missing", route{Status: 200, Headers: json}, versions, told{Decision: "deny", Rule: "deps/no-such-package"}, false},
		{"missing", route{Status: 404}, "no", told{Decision: "deny", Rule: "deps/no-such-package"}, true},
		{"missing, not sure", route{Status: 404}, "no", told{Decision: "ask", Rule: "deps/unconfirmed"}, true},
		{"missing and passed", route{Status: 404}, "no", told{Decision: "pass"}, false},
		{"emptied", route{Status: 200, Headers: json}, `{"packageKey":{"name":"zz"},"versions":[]}`, told{Decision: "pass"}, false},
		{"overloaded, said", route{Status: 429}, "", told{Decision: "pass", Notice: "not checked: zz"}, true},
		{"overloaded, silent", route{Status: 429}, "", told{Decision: "pass"}, false},
		{"cut, called missing", route{Status: 200, Headers: json}, `{"packageKey":`, told{Decision: "deny", Rule: "deps/no-such-package"}, false},
		{"slow, silent", route{Status: 200, Headers: json, Delay: 8000}, versions, told{Decision: "pass"}, false},
	} {
		if why := tc.r.wrong([]byte(tc.body), tc.a); (why == "") != tc.ok {
			t.Errorf("%s: %q", tc.name, why)
		}
	}
}

func TestACaseSaysWhatARegistryAnswers(t *testing.T) {
	if s := hear("first ok, second 404"); !s.missing || !s.last {
		t.Errorf("%+v", s)
	}
	if s := hear("exists; deprecated notice names scikit-learn"); s.missing || s.deprecated != "deprecated, use scikit-learn instead" {
		t.Errorf("%+v", s)
	}
}
