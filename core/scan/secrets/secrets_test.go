package secrets

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func scanned(tb testing.TB, text, path string) []Finding {
	tb.Helper()
	found, err := Scan(context.Background(), text, Options{Path: path})
	if err != nil {
		tb.Fatal(err)
	}
	return found
}

func ruleIDs(found []Finding) []string {
	var ids []string
	for _, f := range found {
		ids = append(ids, f.Rule)
	}
	return ids
}

// idsOnly are rules for values that are no secrets but ids of digits: a word
// near them is not enough for us.
var idsOnly = []string{"asana-client-id", "discord-client-id"}

// anyCharacter are rules whose value may have characters that placeholders have,
// so that most random ones are taken for such.
var anyCharacter = []string{"curl-auth-user", "netrc-password", "connection-string-password", "nuget-config-password"}

// TestEveryRuleFindsWhatItsExpressionMatches makes values at random for each
// expression. Some are too plain or hold a word by chance, hence a share.
func TestEveryRuleFindsWhatItsExpressionMatches(t *testing.T) {
	for i := range rules {
		r := &rules[i]
		n := 40
		if raceEnabled && r.class != classGeneric {
			n = 10
		}
		if r.by != byExpr || slices.Contains(idsOnly, r.id) {
			continue
		}
		t.Run(fmt.Sprint(r.id, "#", i), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, uint64(i)))
			path := ""
			if r.path != 0 {
				path = "dir/" + map[string]string{
					"freemius-secret-key": "a.php", "hashicorp-tf-password": "main.tf", "kubernetes-secret-yaml": "a.yaml", "nuget-config-password": "nuget.config",
				}[r.id]
			}
			hit, tried := 0, 0
			for range n {
				text := made(rnd, exprs[r.expr])
				if !regexp.MustCompile(exprs[r.expr]).MatchString(text) {
					continue // an assertion that the maker knows nothing of
				}
				tried++
				if r.leads == nil && r.before == r.after {
					text = rules[i].id[:8] + "\n" + text // the keyword is not in it
				}
				found := scanned(t, "first\n"+text, path)
				for _, f := range found {
					if f.Rule == r.id || f.Certain || r.class != classShape {
						hit++
						break
					}
				}
			}
			if tried < n/4 {
				t.Skipf("only %d of %d texts match", tried, n)
			}
			want := tried * 8 / 10
			switch {
			case r.class == classContext:
				want = tried / 2
			case r.class == classGeneric:
				want = tried / 5
			}
			if slices.Contains(anyCharacter, r.id) {
				want = 1
			}
			if hit < want || hit == 0 {
				t.Errorf("found %d of %d, e.g. %q", hit, tried, made(rnd, exprs[r.expr]))
			}
		})
	}
}

// TestShapesOfTheFieldAreFound holds the forms that every scanner knows,
// whatever stands around them.
func TestShapesOfTheFieldAreFound(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 3))
	upper := "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	tests := []struct{ name, secret, rule string }{
		{"AWS key id", "AKIA" + from(rnd, upper, 16), "aws-access-token"},
		{"AWS temporary key id", "ASIA" + from(rnd, upper, 16), "aws-access-token"},
		{"AWS ABIA", "ABIA" + from(rnd, upper, 16), "aws-access-token"},
		{"AWS ACCA", "ACCA" + from(rnd, upper, 16), "aws-access-token"},
		{"GitHub", "ghp" + "_" + word(rnd, 36), "github-pat"},
		{"GitHub OAuth", "gho" + "_" + word(rnd, 36), "github-oauth"},
		{"GitHub app", "ghs" + "_" + word(rnd, 36), "github-app-token"},
		{"GitHub refresh", "ghr" + "_" + word(rnd, 36), "github-refresh-token"},
		{"OpenAI, old", "sk" + "-" + word(rnd, 48), "openai-api-key"},
		{"OpenAI, project", "sk" + "-proj-" + word(rnd, 40), "openai-api-key"},
		{"of that look, short", "sk" + "-" + word(rnd, 20), "openai-api-key"},
		{"escaped in an address", "sk" + "%2D" + word(rnd, 32), "openai-api-key"},
		{"Anthropic", "sk" + "-ant-" + word(rnd, 40), "anthropic-api-key"},
		{"Slack bot", "xoxb" + "-" + word(rnd, 12) + "-" + word(rnd, 12) + "7", "slack-token"},
		{"Slack user", "xoxp" + "-" + word(rnd, 11) + "7", "slack-token"},
		{"Google", "AIza" + word(rnd, 35), "gcp-api-key"},
		{"Stripe", "sk" + "_live_" + word(rnd, 24), "stripe-access-token"},
		{"Stripe, restricted", "rk" + "_test_" + word(rnd, 30), "stripe-access-token"},
		{"npm", "npm" + "_" + word(rnd, 36), "npm-access-token"},
		{"private key", pemKey(rnd, "RSA PRIVATE"+" KEY"), "private-key"},
	}
	around := []struct{ before, after string }{
		{"", ""},
		{"x = \"", "\"\n"},
		{"<b>", "</b>"},
		{"(", ")"},
		{"[", "],"},
		{"https://x.org/?token=", "&a=b"},
		{"`", "`"},
		{"password=placeholder example ", " # your dummy test fixture"},
		{"\\\"", "\\\""},
		{"Bearer ", ""},
		{"\r\n", "\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, a := range around {
				text := a.before + tt.secret + a.after
				found := scanned(t, text, "")
				i := slices.IndexFunc(found, func(f Finding) bool { return text[f.Start:f.End] == tt.secret })
				if i < 0 {
					t.Errorf("%q…%q: %v", a.before, a.after, ruleIDs(found))
					continue
				}
				if f := found[i]; !f.Certain || f.Rule != tt.rule && !strings.Contains(f.Rule, "slack") {
					t.Errorf("%q: %s, certain %v", a.before, f.Rule, f.Certain)
				}
				if strings.Contains(found[i].Sample, tt.secret[:6]) {
					t.Errorf("the sample shows %q", found[i].Sample)
				}
			}
		})
	}
}

func TestJudgement(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 5))
	hex, tok, b64 := from(rnd, "0123456789abcdef", 32), word(rnd, 32), word(rnd, 39)+"/"
	pass := "s3" + "Cr-" + word(rnd, 6) + "9x"
	tests := []struct {
		name, text, path, want string // "" = quiet
	}{
		// Private keys have a body.
		{"a header alone", "-----BEGIN PRIVATE" + " KEY-----", "", ""},
		{"a header and dots", "-----BEGIN PRIVATE" + " KEY-----\n...\n-----END PRIVATE" + " KEY-----", "", ""},
		{"a header and words", "-----BEGIN PRIVATE" + " KEY-----\n" + strings.Repeat("put the content of your key file here ", 8) + "\n-----END PRIVATE" + " KEY-----", "", ""},
		{"a header and one letter", "-----BEGIN PRIVATE" + " KEY-----\n" + strings.Repeat("A", 256) + "\n-----END PRIVATE" + " KEY-----", "", ""},
		{"a certificate", pemKey(rnd, "CERTIFICATE"), "", ""},
		{"a public key", pemKey(rnd, "PUBLIC KEY"), "", ""},
		{"a key for tests by its label", pemKey(rnd, "RSA TESTING KEY"), "", ""},
		{"a key in JSON", strings.ReplaceAll(pemKey(rnd, "PRIVATE"+" KEY"), "\n", `\n`), "sa.json", "private-key"},
		{"a key in Go lines", strings.ReplaceAll(pemKey(rnd, "EC PRIVATE"+" KEY"), "\n", "\\n\" +\n\t\""), "a.go", "private-key"},
		{"a key without its end", strings.SplitAfter(pemKey(rnd, "PRIVATE"+" KEY"), "\n-----END")[0][:300], "", "private-key"},
		{"an encrypted key", strings.Replace(pemKey(rnd, "RSA PRIVATE"+" KEY"), "\n", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: DES-EDE3-CBC,0011223344556677\n\n", 1), "", "private-key"},
		{"a PGP key", strings.Replace(pemKey(rnd, "PGP PRIVATE KEY"+" BLOCK"), "\n", "\nVersion: GnuPG v1\n\n", 1), "", "private-key"},
		{"an OpenSSH key", pemKey(rnd, "OPENSSH PRIVATE"+" KEY"), "", "private-key"},

		// Vendors' published examples, and fakes that show.
		{"AWS example", "AKIAIOSFODNN7" + "EXAMPLE", "", ""},
		{"AWS temporary example", "ASIAIOSFODNN7" + "EXAMPLE", "", ""},
		{"AWS example secret", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY", "", ""},
		{"AWS secret", "aws_secret_access_key = " + b64, "", "aws-secret-access-key"},
		{"AWS secret in JSON", `{"SecretAccessKey": "` + b64 + `"}`, "", "aws-secret-access-key"},
		{"Stripe example", "sk_test" + "_4eC39HqLyjWDarjtT1zdp7dc", "", ""},
		{"jwt.io example", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c", "", ""},
		{"a JWT", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9" + ".eyJ" + word(rnd, 40) + "." + word(rnd, 43), "", "jwt"},
		{"one letter", "ghp" + "_" + strings.Repeat("x", 36), "", ""},
		{"an Azure emulator", "AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr" + "/KBHBeksoGMGw==", "", ""},
		{"an Azure account", "AccountKey=" + word(rnd, 86) + "==", "", "azure-storage-account-key"},
		{"a word excuses no shape", "example placeholder dummy ghp" + "_" + word(rnd, 36), "fixture_test.go", "github-pat"},
		{"a Slack placeholder", "xoxb" + "-your-bot-token-here", "", ""},
		{"a class of style sheets", "sk" + "-spinner-circle sk" + "-folding-cube-animation-large", "a.css", ""},
		{"OpenSSH key types", "sk" + "-ssh-ed25519@openssh.com,sk" + "-ecdsa-sha2-nistp256@openssh.com", "", ""},
		{"chance in base64", "AAAA+" + "EAAA" + word(rnd, 40) + "+" + word(rnd, 40) + "\n", "", ""},

		// Words near values.
		{"API_TOKEN", "API_TOKEN=" + tok, ".env", "generic-api-key"},
		{"export", "export MY_SECRET=" + tok + "\n", "", "generic-api-key"},
		{"in YAML", "  client_secret: " + tok + "\n", "a.yaml", "generic-api-key"},
		{"in JSON", `{"accessToken": "` + hex + `"}`, "a.json", "generic-api-key"},
		{"in Go", "apiKey := \"" + tok + "\"", "a.go", "generic-api-key"},
		{"in TypeScript", "const authToken: string = '" + tok + "';", "a.ts", "generic-api-key"},
		{"in XML", "<password>" + pass + "</password>", "a.xml", "generic-api-key"},
		{"a password with signs", "db_password = \"" + pass + "\"", "a.py", "generic-api-key"},
		{"in a test it may be anything", "db_password = \"" + pass + "\"", "tests/a.py", ""},
		{"in a lock file too", "\"token\": \"" + tok + "\"", "package-lock.json", ""},
		{"a placeholder", "API_TOKEN=your-token-goes-here-123", ".env.example", ""},
		{"a placeholder in a value", `password = "placeholder-prod-db-1"`, "a.py", ""},
		{"a password behind a placeholder's word", `password = "placeholder-Q7v` + `!x92Lm-prod-db"`, "docs/x.md", "generic-api-key"},
		{"and behind a toy's", `db_password = "test-8rT` + `#v2Kq9z-main"`, "docs/x.md", "generic-api-key"},
		{"a placeholder that shows off", `password = "your-Passw0rd-goes-here1"`, "docs/x.md", ""},
		{"a placeholder with an excuse in it", `password = "Your$3cr3tP4ss"`, "docs/x.md", ""},
		{"a placeholder with an id", `api_token = "example-123e4567-e89b-12d3-a456-426614174000"`, "docs/x.md", ""},
		{"a variable", `password = "${DB_PASSWORD_1}"`, "a.yaml", ""},
		{"code without quotes", "token := base64Encode2(secretBytes64)", "a.go", ""},
		{"a call without quotes", "password = settings.get1Password2", "a.py", ""},
		{"characters in order", "api_key = \"0123456789abcdef0123456789abcdef\"", "a.py", ""},
		{"letters and digits in order", "https://x.org/?client_secret=Aa0Bb1Cc2Dd3Ee4Ff5", "", ""},
		{"a name of a secret", "secretName: my-app-tls-2024", "a.yaml", ""},
		{"a key that is none", "cacheKey = \"" + hex + "\"", "a.go", ""},
		{"a public key", "publicKey: \"" + tok + "\"", "a.ts", ""},
		{"a digest", "integrity sha512-" + word(rnd, 86) + "==", "a.txt", ""},
		{"a commit", "see commit " + from(rnd, "0123456789abcdef", 40), "a.md", ""},
		{"prose", "The token must be 32 characters: letters and digits, e.g. two words.", "a.md", ""},
		{"a translation", `password: "Passwort1 eingeben"`, "de.yaml", ""},

		// Near a vendor's name.
		{"Heroku", "HEROKU_API_KEY=" + hex[:8] + "-" + hex[8:12] + "-" + hex[12:16] + "-" + hex[16:20] + "-" + hex[20:], "", "heroku-api-key"},
		{"a word near a vendor", "const confluent = 'abcdefghijklmnop'", "a.js", ""},
		{"an id near a vendor", "discord_guild = 123456789012345678", "a.py", ""},

		// Addresses.
		{"postgres", "postgres://app:" + pass + "@db.acme.io:5432/prod", "", "connection-string-password"},
		{"mongodb", "mongodb+srv://app:" + pass + "@cluster0.ab1cd.mongodb.net/x", "", "connection-string-password"},
		{"redis without a user", "redis://:" + pass + "@cache.acme.io:6379", "", "connection-string-password"},
		{"an at sign in the password", "mysql://app:" + pass + "@1@db.acme.io/x", "", "connection-string-password"},
		{"local", "postgres://postgres:postgres@localhost:5432/test", "", ""},
		{"composed", "postgres://app:secret12@db:5432/app", "", ""},
		{"an example's host", "postgres://app:" + pass + "@db.example.com/x", "", ""},
		{"a variable in it", "postgres://app:${DB_PASSWORD}@db.acme.io/x", "", ""},
		{"words", "https://user:password@host.acme.io/", "", ""},
		{"no password", "https://user@acme.io/x:y@z", "", ""},
		{"a web address with one", "https://me:" + tok + "@git.acme.io/x.git", "", "connection-string-password"},
		{"a connection string", "Server=db.acme.io;Database=x;User Id=sa;Password=" + pass + ";", "", "connection-string-password"},
		{"one of a trial", "Server=localhost;User Id=sa;Password=changeme;", "", ""},

		// Credentials of package managers and the like.
		{"npmrc", "//npm.acme.io/:_authToken=" + tok, ".npmrc", "npmrc-auth-token"},
		{"npmrc with a variable", "//npm.acme.io/:_authToken=${NPM_TOKEN}", ".npmrc", ""},
		{"netrc", "machine git.acme.io\n  login me\n  password " + pass + "\n", ".netrc", "netrc-password"},
		{"curl with a header", `curl -H "Authorization: Bearer ` + tok + `" https://x.acme.io`, "", "curl-auth-header"},
		{"curl with a variable", `curl -H "Authorization: Bearer $TOKEN" https://x.acme.io`, "", ""},
		{"curl with words", `curl -u admin:admin https://localhost`, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found := scanned(t, tt.text, tt.path)
			switch {
			case tt.want == "" && len(found) > 0:
				t.Errorf("%s: %q", found[0].Rule, tt.text[found[0].Start:found[0].End])
			case tt.want != "" && !slices.Contains(ruleIDs(found), tt.want):
				t.Errorf("%v, want %s in %q", ruleIDs(found), tt.want, tt.text)
			}
		})
	}
}

// TestAFindingIsWhereItIs puts one secret anywhere into a long text full of
// keywords.
func TestAFindingIsWhereItIs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 7))
	secrets := []string{"ghp" + "_" + word(rnd, 36), "AKIA" + from(rnd, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16), "eyJhbGciOiJIUzI1NiJ9abc" + ".eyJ" + word(rnd, 5000) + "." + word(rnd, 43)}
	filler := strings.Repeat("the api key, secret token and password of twitter, discord or heroku = none; eyes, skies\n", 1200)
	for _, secret := range secrets {
		for _, at := range []int{0, 1, 5000, chunk - 10, chunk, chunk + 1, len(filler) - 1, len(filler)} {
			text := filler[:at] + " " + secret + " " + filler[at:]
			found := scanned(t, text, "")
			if len(found) != 1 || text[found[0].Start:found[0].End] != secret {
				t.Fatalf("at %d: %v", at, found)
			}
			if want := 1 + strings.Count(text[:found[0].Start], "\n"); found[0].Line != want {
				t.Errorf("line %d, want %d", found[0].Line, want)
			}
		}
	}
}

func TestOfOverlappingFindingsTheSurestStays(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 9))
	text := "github_api_token = \"ghp" + "_" + word(rnd, 36) + "\"\n"
	if got := ruleIDs(scanned(t, text, "a.py")); !slices.Equal(got, []string{"github-pat"}) {
		t.Errorf("%v", got)
	}
}

func TestFindingsAreBoundedAndOrdered(t *testing.T) {
	rnd := rand.New(rand.NewPCG(10, 11))
	var b strings.Builder
	for range 3 * MaxFindings {
		b.WriteString("ghp" + "_" + word(rnd, 36) + "\n")
	}
	found := scanned(t, b.String(), "")
	if len(found) != MaxFindings || found[0].Line != 1 || found[MaxFindings-1].Line != MaxFindings {
		t.Errorf("%d findings, lines %d to %d", len(found), found[0].Line, found[len(found)-1].Line)
	}
	prints := map[string]bool{}
	for _, f := range found {
		prints[f.Fingerprint] = true
	}
	if len(prints) != MaxFindings {
		t.Errorf("%d fingerprints of %d secrets", len(prints), MaxFindings)
	}
}

func TestTextIsCutAtTheLimit(t *testing.T) {
	rnd := rand.New(rand.NewPCG(12, 13))
	secret := "ghp" + "_" + word(rnd, 36)
	text := strings.Repeat("x\n", MaxText/2) + secret
	if found := scanned(t, text, ""); len(found) != 0 {
		t.Errorf("beyond the limit: %v", found)
	}
	if found := scanned(t, text[100:], ""); len(found) != 1 {
		t.Errorf("within the limit: %v", found)
	}
}

// TestHostileTextsEnd runs texts that are nothing but the beginning of something:
// a quadratic reader would not come back from these.
func TestHostileTextsEnd(t *testing.T) {
	for _, unit := range []string{
		"curl -H ", "key=", "-----BEGIN PRIVATE" + " KEY-----\n", "-----begin a private" + " key-----A:", "://a:b@", "eyJ", "password=a1b2C3", "sk-", "sk-a1",
		"machine a login b password ", "server=;password", "kind: secret data: ", "s.aaaaaaaa", "EAAA", "facebook 123456789012345|", "twitter=\"", "discord",
		"eyJaaaaaaaaaaaaaaaaaaaa.eyJaaaaaaaaaaaaaaaaaaaaa", "\x00", "\xff", "\n", "É",
	} {
		size := 256 << 10
		if raceEnabled {
			size = 32 << 10
		}
		scanned(t, strings.Repeat(unit, size/len(unit)+1), "a.yaml")
	}
}

func TestAnEndedContextEndsTheScan(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Scan(ctx, "nothing", Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestRedaction(t *testing.T) {
	for in, want := range map[string]string{
		"": "***", "abcdef": "***", "abcdefg": "abcd… (7 characters)", "äöüßäöüß": "äöüß… (8 characters)", "a\nb\tcdefgh": "a?b?… (10 characters)",
		strings.Repeat("x", 40): "xxxx… (40 characters)",
	} {
		if got := Redact(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestTheAutomatonFindsEveryKeyword compares it with looking for each.
func TestTheAutomatonFindsEveryKeyword(t *testing.T) {
	words := keywords[:]
	if len(words) < 200 || slices.Contains(words, "") {
		t.Fatalf("keywords %v", words)
	}
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(words), rapid.StringN(0, 5, 8), rapid.StringMatching(`[a-z_.-]{0,4}`)), 0, 12).Draw(t, "parts")
		text := strings.Join(parts, "")
		if rapid.Bool().Draw(t, "upper") {
			text = strings.ToUpper(text)
		}
		got := map[string]int{}
		state := uint16(0)
		for i := range len(text) {
			state = step(state, text[i])
			for _, k := range hits[hitFrom[state]:hitFrom[state+1]] {
				if word := words[k]; asciiLower(text[i+1-len(word):i+1]) != word {
					t.Fatalf("%q at %d of %q", word, i, text)
				}
				got[words[k]]++
			}
		}
		low := asciiLower(text)
		for _, w := range words {
			want := 0
			for i := range len(low) {
				if strings.HasPrefix(low[i:], w) {
					want++
				}
			}
			if got[w] != want {
				t.Fatalf("%q: %d hits, want %d in %q", w, got[w], want, text)
			}
		}
	})
}

func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

func TestEveryRuleCanBeReached(t *testing.T) {
	seen := make([]bool, len(rules))
	for _, n := range ruleOf {
		seen[n] = true
	}
	for i, ok := range seen {
		if !ok {
			t.Errorf("%s has no keyword", rules[i].id)
		}
		if rules[i].by == byExpr {
			expr(rules[i].expr) // compiles
		}
	}
	ids := Rules()
	if len(ids) < 220 || !slices.IsSorted(ids) || !slices.Contains(ids, "github-pat") {
		t.Errorf("%d rules", len(ids))
	}
}

func TestParallelScansAgree(t *testing.T) {
	rnd := rand.New(rand.NewPCG(14, 15))
	var texts []string
	var want [][]Finding
	for i := range rules {
		if rules[i].by == byExpr && i%3 == 0 {
			texts = append(texts, "a\n"+made(rnd, exprs[rules[i].expr])+"\n")
		}
	}
	for _, text := range texts {
		want = append(want, scanned(t, text, "a.yaml"))
	}
	for i := range compiled {
		compiled[i].Store(nil) // compile them again, together
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range texts {
				k := (i*7 + g*13) % len(texts)
				got, err := Scan(context.Background(), texts[k], Options{Path: "a.yaml"})
				if err != nil || !cmp.Equal(got, want[k]) {
					t.Errorf("%q: %v, alone %v", texts[k], got, want[k])
				}
			}
		})
	}
	wg.Wait()
}

// TestStandardLibrary: of all its files exactly those hold a private key.
func TestStandardLibrary(t *testing.T) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip(err)
	}
	src := filepath.Join(strings.TrimSpace(string(out)), "src")
	dirs := []string{src}
	if raceEnabled || testing.Short() {
		dirs = []string{filepath.Join(src, "crypto", "tls"), filepath.Join(src, "crypto", "x509"), filepath.Join(src, "net", "http")}
	}
	if _, err := os.Stat(filepath.Join(src, "crypto", "tls", "example_test.go")); err != nil {
		t.Skip("no sources of the standard library here")
	}
	got := map[string]string{}
	files := 0
	for _, dir := range dirs {
		files += scanTree(t, src, dir, got)
	}
	want := map[string]string{
		"crypto/x509/platform_root_key.pem": "private-key", "crypto/tls/example_test.go": "private-key", "crypto/tls/testdata/example-key.pem": "private-key",
	}
	if d := cmp.Diff(want, got); d != "" || files < 100 {
		t.Errorf("%d files (-want +got):\n%s", files, d)
	}
}

// TestOwnTree: what we write ourselves, and the rules that we carry, trip
// nothing.
func TestOwnTree(t *testing.T) {
	out, err := exec.Command("git", "-C", "../../..", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Skip(err)
	}
	n := 0
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join("../../..", name))
		if err != nil {
			continue
		}
		n++
		for _, f := range scanned(t, string(text), name) {
			t.Errorf("%s:%d: %s, %s", name, f.Line, f.Rule, f.Sample)
		}
	}
	if n < 100 {
		t.Errorf("only %d files", n)
	}
}

func scanTree(t *testing.T, root, dir string, got map[string]string) (files int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		files++
		for _, f := range scanned(t, string(text), filepath.ToSlash(rel)) {
			got[filepath.ToSlash(rel)] = f.Rule
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func FuzzScan(f *testing.F) {
	rnd := rand.New(rand.NewPCG(16, 17))
	for i := range rules {
		if rules[i].by == byExpr && i%5 == 0 {
			f.Add(made(rnd, exprs[rules[i].expr]), "a.yaml")
		}
	}
	f.Add(pemKey(rnd, "PRIVATE"+" KEY"), "a.pem")
	f.Add("postgres://a:b1@c/", "")
	f.Add("const token: string = 'x1'", "a.ts")
	f.Add("api_key\\\":\\\"a1b2", "")
	f.Fuzz(func(t *testing.T, text, path string) {
		found := scanned(t, text, path)
		end := 0
		for _, x := range found {
			if x.Start < end || x.End <= x.Start || x.End > len(text) {
				t.Fatalf("%+v after %d in %d bytes", x, end, len(text))
			}
			end = x.End
			if x.Line != 1+strings.Count(text[:x.Start], "\n") || x.Rule == "" || len(x.Fingerprint) != 16 || !valid(x.Sample) {
				t.Fatalf("%+v", x)
			}
			if n := x.End - x.Start; n > 8 && strings.Contains(x.Sample, text[x.Start:x.End]) {
				t.Fatalf("the sample shows it all: %+v", x)
			}
		}
		if again := scanned(t, text, path); !cmp.Equal(found, again) {
			t.Fatalf("%v, then %v", found, again)
		}
	})
}

func BenchmarkScan(b *testing.B) {
	code, err := os.ReadFile("generic.go")
	if err != nil {
		b.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(18, 19))
	plain := strings.Repeat("It was the best of times, it was the worst of times. 12345\n", 1<<15)
	source := strings.Repeat(string(code), (1<<20)/len(code)+1)
	hit := "\nvar t = \"ghp" + "_" + word(rnd, 36) + "\"\n"
	for _, bb := range []struct {
		name, text string
		want       int
	}{
		{"plain/4KiB", plain[:4<<10], 0},
		{"plain/1MiB", plain[:1<<20], 0},
		{"code/4KiB", source[:4<<10], 0},
		{"code/1MiB", source[:1<<20], 0},
		{"hit/4KiB", source[:4<<10] + hit, 1},
		{"hit/1MiB", source[:1<<20] + hit, 1},
		{"line/1MiB", strings.ReplaceAll(source[:1<<20], "\n", " "), 0},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.text)))
			b.ReportAllocs()
			for b.Loop() {
				if found := scanned(b, bb.text, "a.go"); len(found) != bb.want {
					b.Fatalf("%v", found)
				}
			}
		})
	}
}

// Settings of ten kinds of file. The values are made when the test runs, so that
// none stands here.
func TestAValueIsFoundHoweverItsFileAssignsIt(t *testing.T) {
	value := strings.Join([]string{"q7Zr", "T2mX", "9vLp", "W4cK", "8sYd", "N3hB", "6gFj"}, "")
	for _, form := range []string{
		`password = "%s"`, `API_KEY=%s`, `client_secret: %s`, `{"secret": "%s"}`, `<add key="ApiKey" value="%s"/>`, `db.password=%s`,
		`$config['password'] = '%s';`, `const apiKey = '%s';`, `var authToken string = "%s"`, `access_token: '%s'`, `export DB_PASSWORD=%s`,
		"FROM scratch\nENV JWT_SECRET %s\n", `set API_TOKEN=%s`,
	} {
		text := fmt.Sprintf(form, value)
		if found, err := Scan(context.Background(), text, Options{}); err != nil || len(found) == 0 {
			t.Errorf("%s: nothing (%v)", form, err)
		}
	}
	for _, text := range []string{
		`$config['password'] = getenv('DB_PASSWORD');`, `<add key="ApiKey" value="#{ApiKey}"/>`, "ENV JWT_SECRET ${JWT_SECRET}", `var authToken string = ""`,
		"ENV PASSWORD_FILE /run/secrets/password", `<add key="TokenUrl" value="https://login.corp.net/oauth2/v2"/>`, "env secret key names",
	} {
		if found, err := Scan(context.Background(), text, Options{}); err != nil || len(found) > 0 {
			t.Errorf("%s: got %+v (%v)", text, found, err)
		}
	}
}
