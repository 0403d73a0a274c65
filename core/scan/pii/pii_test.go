package pii

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func kinds(t *testing.T, text string, o Options) []string {
	t.Helper()
	found, err := Scan(context.Background(), text, o)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range found {
		out = append(out, f.Kind+" "+text[f.Start:f.End])
	}
	return out
}

// card completes a number with its check digit.
func card(head string) string {
	for d := range 10 {
		number := fmt.Sprint(head, d)
		digits := make([]byte, len(number))
		for i := range digits {
			digits[i] = number[i] - '0'
		}
		if luhn(digits) {
			return number
		}
	}
	panic("no check digit")
}

func TestPersonalDataIsFound(t *testing.T) {
	visa := card("453201511283036")
	for _, c := range []struct{ name, text, want string }{
		{"card", "pay with " + visa + ".", "CREDIT_CARD " + visa},
		{"card in fours", "4532 0151 1283 0366", "CREDIT_CARD 4532 0151 1283 0366"},
		{"card with dashes, quoted", `"4532-0151-1283-0366"`, "CREDIT_CARD 4532-0151-1283-0366"},
		{"American Express", "3782 822463 10005", "CREDIT_CARD 3782 822463 10005"},
		{"Mastercard's new range", card("222300004841001"), "CREDIT_CARD " + card("222300004841001")},
		{"card next to its label", "card_number=" + visa, "CREDIT_CARD " + visa},
		{"old Visa that is called a card", "card: " + card("422222222222"), "CREDIT_CARD " + card("422222222222")},
		{"e-mail", "write to Anna.Rossi+x@mail.studio.it, please", "EMAIL Anna.Rossi+x@mail.studio.it"},
		{"e-mail in brackets", "<h.meier@firma.de>", "EMAIL h.meier@firma.de"},
		{"e-mail written out", "jane[at]corp[dot]org", "EMAIL jane[at]corp[dot]org"},
		{"e-mail in a mailto link", "mailto:kim@corp.kr", "EMAIL kim@corp.kr"},
		{"SSN", "SSN: 536-22-8145", "US_SSN 536-22-8145"},
		{"SSN with blanks", "his is 536 22 8145 now", "US_SSN 536 22 8145"},
		{"bare SSN that is called one", "ssn=536228145", "US_SSN 536228145"},
		{"fiscal code", "CF RSSMRA85T10A562S!", "IT_FISCAL_CODE RSSMRA85T10A562S"},
		{"fiscal code in small letters", "rssmra85t10a562s", "IT_FISCAL_CODE rssmra85t10a562s"},
		{"fiscal code with a letter for a digit", "RSSMRA85T10A56NH", "IT_FISCAL_CODE RSSMRA85T10A56NH"},
		{"IBAN", "IBAN DE89370400440532013000", "IBAN_CODE DE89370400440532013000"},
		{"IBAN in fours", "to GB82 WEST 1234 5698 7654 32 today", "IBAN_CODE GB82 WEST 1234 5698 7654 32"},
		{"phone", "call me: +39 06 6982 1234", "PHONE +39 06 6982 1234"},
		{"phone with area", "Reach us at (212) 736-5000", "PHONE (212) 736-5000"},
		{"phone as a key", `"phone": "2127365000"`, "PHONE 2127365000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := kinds(t, c.text, Options{}); !slices.Equal(got, []string{c.want}) {
				t.Errorf("%q: got %q, want %q", c.text, got, c.want)
			}
		})
	}
}

func TestWhatLooksLikePersonalDataIsNone(t *testing.T) {
	visa := card("453201511283036")
	for _, text := range []string{
		"4532015112830367",                    // check digit
		"order_id: " + visa,                   // said to be an identifier
		"orderId=" + visa,                     //
		"x" + visa, visa + "abc", "0." + visa, // part of something else
		visa + ".25", visa + "%", "/u/" + visa, //
		"1732960123456", "1732960123456789", "1732960123456789012", // times
		card("422222222222"),                       // thirteen digits, nothing says card
		"123e4567-e89b-12d3-a456-426614174000",     // UUID
		"da39a3ee5e6b4b0d3255bfef95601890afd80709", // SHA-1
		"4503599627370496", "4611686018427387904",  // limits
		"3.141592653589793", "v1.22.333", "10.0.0.255", //
		"4532 0151 1283 0366 4532", // a row of numbers
		"536228145",                // nine digits
		"000-22-8145", "666-22-8145", "912-22-8145", "536-00-8145", "536-22-0000", "078-05-1120",
		"1-536-22-8145", "536-22-81456", "536-22.8145", "2026-11-30",
		"RSSMRA85T99A562S", "RSSMRA85T10A562", "xRSSMRA85T10A562S", "rssmra85t10a562x", // day, length, inside, check
		"DE89370400440532013001", "DE8937040044053201300", "de89370400440532013000", "ZZ89370400440532013000",
		"git@host.org:team/repo.git", "https://user@host.org/x", "postgres://u:p@db.corp.org/x", "icon@2x.png", "react@18.2.0",
		"@decorator.name", "a@b", "pkg@latest", "x..y@corp.org", "user@host.local", "scp me@box.org:/tmp/x .",
		"2127365000", "+39 06 6982 1234", "phone 2026-11-30", "call(1234, 5678)", "Dial(\"tcp\", \"198.51.100.1:80\")",
	} {
		if got := kinds(t, text, Options{}); got != nil {
			t.Errorf("%q: got %q, want nothing", text, got)
		}
	}
}

func TestACodeWithAWrongCheckCharacterIsUnsure(t *testing.T) {
	found, err := Scan(context.Background(), "RSSMRA85T10A562X RSSMRA85T10A562S", Options{})
	if err != nil || len(found) != 2 || !found[0].Unsure || found[1].Unsure {
		t.Errorf("got %+v, %v", found, err)
	}
}

func TestAddressesAreFoundOnRequest(t *testing.T) {
	want := []string{"IPV4 8.8.4.4"}
	if got := kinds(t, "ns 8.8.4.4, v1.2.3.4, 1.2.3.4.5, 300.1.1.1, 1.2.3.04", Options{IPv4: true}); !slices.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
}

func TestFindingsSayWhereWithoutSayingWhat(t *testing.T) {
	text := "a\nb h.meier@firma.de\n\nIBAN: DE89370400440532013000"
	found, err := Scan(context.Background(), text, Options{})
	if err != nil || len(found) != 2 {
		t.Fatalf("got %+v, %v", found, err)
	}
	if found[0].Line != 2 || found[1].Line != 4 {
		t.Errorf("lines %d and %d, want 2 and 4", found[0].Line, found[1].Line)
	}
	if found[0].Sample != "h.***e" || found[1].Sample != "DE***0" {
		t.Errorf("samples %q and %q", found[0].Sample, found[1].Sample)
	}
	if got := Redact("a@b.io"); got != "***" {
		t.Errorf("Redact of a short value = %q", got)
	}
}

func TestFindingsAreCapped(t *testing.T) {
	found, err := Scan(context.Background(), strings.Repeat("h.meier@firma.de ", 200), Options{})
	if err != nil || len(found) != MaxFindings {
		t.Errorf("%d findings, %v; want %d", len(found), err, MaxFindings)
	}
}

func TestACancelledScanSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Scan(ctx, "h.meier@firma.de", Options{}); err == nil {
		t.Error("no error")
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{"4532 0151 1283 0366", "a@b.co", "DE89370400440532013000", "RSSMRA85T10A562S", "tel (1", "[at]", "+1 ", "536-22-8145", "４５３２ 0151 １２８３ ０３６６", "ａ＠ｂ．ｃｏ　　x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found, err := Scan(context.Background(), text, Options{IPv4: true})
		if err != nil {
			t.Fatal(err)
		}
		end := 0
		for _, x := range found {
			if x.Start < end || x.End <= x.Start || x.End > len(text) || x.Line < 1 {
				t.Fatalf("finding %+v after %d in %q", x, end, text)
			}
			end = x.End
		}
	})
}

func TestNumbersAsTypesettersAndTablesHaveThem(t *testing.T) {
	for _, c := range []struct{ kind, text, value string }{
		{CreditCard, "カード番号：４５３２０１５１１２８３０３６６です", "４５３２０１５１１２８３０３６６"},
		{CreditCard, "４５３２－０１５１－１２８３－０３６６", ""},
		{CreditCard, "４５３２　０１５１　１２８３　０３６６", ""},
		{CreditCard, "4532 0151 １２８３ 0366", ""},
		{Email, "ｈ．ｍｅｉｅｒ＠ｆｉｒｍａ．ｄｅ", ""},
		{Phone, "電話：０３－１２３４－５６７８", "０３－１２３４－５６７８"},
		{USSSN, "５３６－９０－４３９９", ""},
		{CreditCard, "4532\u00a00151\u00a01283\u00a00366", ""},
		{CreditCard, "4532\u202f0151\u202f1283\u202f0366", ""},
		{CreditCard, "4532‐0151‐1283‐0366", ""},
		{CreditCard, "4532015112830366,12/27,123", "4532015112830366"},
		{CreditCard, "4532-0151-1283-0366,0", "4532-0151-1283-0366"},
		{USSSN, "536\u201390\u20134399", ""},
		{USSSN, "536-90-4399,1970", "536-90-4399"},
		{IBAN, "DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000", ""},
		{IBAN, "iban: de89370400440532013000", "de89370400440532013000"},
		{Email, "info@büro.de", ""},
		{Email, "anna@posta.example.itです", "anna@posta.example.it"},
		{Phone, "電話 03-1234-5678", "03-1234-5678"},
		{Phone, "Телефон: 8 912 345-67-89", "8 912 345-67-89"},
	} {
		found, err := Scan(context.Background(), c.text, Options{})
		if c.value == "" {
			c.value = c.text
		}
		if err != nil || len(found) != 1 || found[0].Kind != c.kind || c.text[found[0].Start:found[0].End] != c.value {
			t.Errorf("%q: got %+v, %v", c.text, found, err)
		}
	}
	for _, text := range []string{
		"４５３２０１５１１２８３０３６７", "２０２６年１１月３０日、合計１２３４５６７８円", "4532\u00a00151-1283 0366", "de89370400440532013000", "DE89\u00a03704 0044 0532 0130 00", "536–90-4399", "x@ü。de", "電話番号は未定 2026-11-30",
	} {
		if found, err := Scan(context.Background(), text, Options{}); err != nil || len(found) > 0 {
			t.Errorf("%q: got %+v, %v, want nothing", text, found, err)
		}
	}
}

// Odd spellings of what is to be found, and what only looks like it.
func TestOddSpellingsAreFoundAndLookAlikesAreNot(t *testing.T) {
	data, err := os.ReadFile("testdata/holdout.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var c struct{ Kind, Text string }
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		found, err := Scan(context.Background(), c.Text, Options{})
		if err != nil {
			t.Fatal(err)
		}
		hit := slices.ContainsFunc(found, func(f Finding) bool { return f.Kind == c.Kind })
		if c.Kind == "" && len(found) > 0 || c.Kind != "" && !hit {
			t.Errorf("%q: got %+v, want %q", c.Text, found, c.Kind)
		}
	}
}
