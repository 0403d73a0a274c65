package claims

import (
	"strings"
	"testing"
)

func TestClaims(t *testing.T) {
	for _, tt := range []struct {
		text string
		want bool
	}{
		{"email login cannot be tested", true},
		{"Email verification cannot be tested here.", true},
		{"All done, email flow cannot be tested", true},
		{"I can't test the sign-up flow because it needs an email inbox.", true},
		{"The magic link couldn't be verified.", true},
		{"I was unable to verify the dashboard since it is behind a login.", true},
		{"There is no way to test the password reset without access to the inbox.", true},
		{"Done. The checkout page could not be reached because the login blocked me. Next steps follow.", true},
		{"- Login-gated pages are untestable from here", true},
		{"Testing the authenticated area is not possible in this environment.", true},
		{"I don't have access to an email inbox, so the sign-up flow was left untested.", true},
		{"The login flow isn’t testable without credentials.", true},
		{"The email confirmation must be verified manually by you.", true},
		{"The flow is blocked by a CAPTCHA, so I did not test it.", true},
		{"The \"Sign in with email\" page cannot be verified.", true},
		{"The settings page is unreachable without an account, so e2e stops there.", true},
		{"E2E for onboarding was not possible: it is behind OAuth.", true},
		{"I won't be able to exercise the logged-in state.", true},
		{"The invite email cannot\nbe checked from this sandbox.", true},

		{"I cannot test it now. The email was sent.", false},
		{"The login cannot be tested because it needs an SMS code.", false},
		{"SMS OTP login cannot be tested here.", false},
		{"The login cannot be tested: it asks for a code from an authenticator app.", false},
		{"TOTP login can't be verified.", false},
		{"Phone verification on sign-up cannot be automated.", false},
		{"I listed \"cannot be tested\" as an example phrase in the docs.", false},
		{"I added \"email login cannot be tested\" to the list of phrases.", false},
		{"The email flow can be tested; I did not need to skip it.", false},
		{"Users cannot log in with an unverified email; I added a test for it.", false},
		{"If the login cannot be tested, use the stored credentials.", false},
		{"It is not true that email flows cannot be tested.", false},
		{"It isn't the case that the login cannot be tested.", false},
		{"I disagree that the email flow cannot be tested.", false},
		{"It is true that the email flow cannot be tested here.", true},
		{"In this case that email flow cannot be tested.", true},
		{"Previously the login could not be tested.", false},
		{"The email login is tested and passes.", false},
		{"The parser cannot be tested without a fixture.", false},
		{"Attackers cannot reach the login page, tests confirm.", false},
		{"```\nemail login cannot be tested\n```\nDone.", false},
		{"> email login cannot be tested\n\nThat is no longer so.", false},
		{"Can the login be tested? Yes, I verified it.", false},
		{"I cannot check the log for that test.", false},
		{"I could not run the tests: npm login is required.", false},
		{"The session store cannot be tested on Windows.", false},
		{"I couldn't verify the sign of the result.", false},
		{"I could not log in to verify the page.", true},
		{"Without a test account the billing page cannot be reached.", true},
		{"It cannot be reached without OAuth credentials that only your team has.", true},
		{"We can't get past the CAPTCHA on the sign-up page.", true},

		// What a product or its users do is none.
		{"You cannot access the admin page without logging in; that is by design.", false},
		{"I fixed the bug: users who were logged in could not access their profile.", false},
		{"The API returns 401 when the password cannot be verified.", false},
		{"Unauthenticated requests cannot reach the admin routes any more.", false},
		{"The email cannot be confirmed twice.", false},
		{"Passwords can't be checked in plain text, so I hash them.", false},
		{"I added a check so that you can't complete registration without a valid email.", false},
		{"The helper can't access credentials that were not passed in.", false},
		{"Email addresses that cannot be verified are rejected with 422.", false},
		{"Added a message 'We could not verify your email' to the form.", false},
		{"Wrong passwords can't log in: test added and passing.", false},
		{"I was unable to run the tests because the npm registry needs a login.", false},
		{"", false},
	} {
		if got := Find(tt.text); (got != "") != tt.want {
			t.Errorf("%q: %q", tt.text, got)
		}
	}
}

func TestTheSentenceIsNamed(t *testing.T) {
	got := Find("All good. The login flow cannot be tested without an inbox! More later.")
	if got != "The login flow cannot be tested without an inbox!" {
		t.Errorf("%q", got)
	}
}

func TestLastMessage(t *testing.T) {
	for _, tt := range []struct{ name, tail, want string }{
		{"Claude Code", `{"type":"user","message":{"role":"user","content":"go"}}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"early"}]}}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"late"},{"type":"tool_use","name":"Bash"}]}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"x"}]}}
{"type":"system","subtype":"x"}
`, "late"},
		{"not of the turn before", `{"type":"assistant","message":{"content":[{"type":"text","text":"old"}]}}
{"type":"user","message":{"role":"user","content":"next"}}`, ""},
		{"not of a subagent", `{"type":"assistant","message":{"content":[{"type":"text","text":"mine"}]}}
{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"text","text":"its"}]}}`, "mine"},
		{"cut in front", `tent":[{"type":"text","text":"half"}]}}
{"type":"assistant","message":{"content":[{"type":"text","text":"whole"}]}}`, "whole"},
		{"Codex", `{"type":"event_msg","payload":{"type":"agent_message","message":"done"}}
{"type":"event_msg","payload":{"type":"token_count"}}`, "done"},
		{"Codex, items", `{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}}`, "done"},
		{"Gemini CLI", `{"id":"1","type":"user","content":"go"}
{"id":"2","type":"gemini","content":"done"}`, "done"},
		{"Antigravity", `{"type":"USER_INPUT","content":"go"}
{"type":"PLANNER_RESPONSE","content":"done"}
{"type":"GENERIC","content":"The command exited with code 0."}`, "done"},
		{"plain role", `{"role":"assistant","content":"done"}`, "done"},
		{"nothing", "", ""},
		{"no JSON", "assistant: x\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := LastMessage([]byte(tt.tail)); got != tt.want {
				t.Errorf("%q", got)
			}
		})
	}
}

func FuzzFind(f *testing.F) {
	f.Add("The login cannot be tested. \"x\" `y`")
	f.Fuzz(func(t *testing.T, message string) {
		got := Find(message)
		if got != strings.TrimSpace(got) {
			t.Errorf("%q", got)
		}
		if got != "" && !isClaim(got) {
			t.Errorf("%q is not a claim by itself", got)
		}
	})
}

func FuzzLastMessage(f *testing.F) {
	f.Add([]byte("{\"type\":\"assistant\",\"message\":{\"content\":\"x\"}}\n"))
	f.Fuzz(func(_ *testing.T, tail []byte) { LastMessage(tail) })
}
