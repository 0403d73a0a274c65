package version

import (
	"testing"

	"pgregory.net/rapid"
)

func TestVersionsAreOrderedAsTheirToolOrdersThem(t *testing.T) {
	for _, tc := range []struct {
		scheme Scheme
		list   []string // oldest first
	}{
		{NPM, []string{"0.9.0", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.2.0", "1.10.0", "2.0.0"}},
		{Go, []string{"v0.0.0-20240101000000-abcdefabcdef", "v0.1.0", "v1.2.3", "v2.0.0+incompatible"}},
		{Cargo, []string{"0.1.0", "0.2.0-rc.1", "0.2.0"}},
		{Python, []string{"1.0.dev1", "1.0a1", "1.0b2", "1.0rc1", "1.0", "1.0.post1", "1.1", "1!0.1"}},
		{Gem, []string{"1.0.0.alpha", "1.0.0.rc1", "1.0.0", "1.0.0.1", "1.10.0"}},
		{Composer, []string{"1.0.0-alpha1", "1.0.0-beta2", "1.0.0-RC1", "1.0.0", "1.0.1"}},
		{NuGet, []string{"1.0.0-beta", "1.0.0", "1.0.0.1", "1.0.1"}},
		{Maven, []string{"1.0-alpha-1", "1.0-beta-1", "1.0-RC1", "1.0", "1.0.1", "1.1"}},
	} {
		for i := range tc.list {
			for k := range tc.list {
				want := 0
				switch {
				case i < k:
					want = -1
				case i > k:
					want = 1
				}
				if got := tc.scheme.Compare(tc.list[i], tc.list[k]); got != want {
					t.Errorf("%d: Compare(%s, %s) = %d, want %d", tc.scheme, tc.list[i], tc.list[k], got, want)
				}
			}
		}
	}
}

func TestSpellingsOfOneVersionAreEqual(t *testing.T) {
	for _, tc := range []struct {
		scheme Scheme
		a, b   string
	}{
		{NPM, "v1.2.3", "1.2.3"},
		{NPM, "1.2.3+build.5", "1.2.3"},
		{Python, "1.0", "1.0.0"},
		{Python, "1.0.0-rc.1", "1.0rc1"},
		{NuGet, "1.0", "1.0.0.0"},
		{Maven, "1.0.Final", "1.0"},
		{Go, "v2.0.0+incompatible", "2.0.0"},
	} {
		if got := tc.scheme.Compare(tc.a, tc.b); got != 0 {
			t.Errorf("Compare(%s, %s) = %d", tc.a, tc.b, got)
		}
	}
}

func TestCompareIsAnOrder(t *testing.T) {
	text := rapid.StringMatching(`v?[0-9]{1,3}(\.[0-9]{1,2}){0,3}([-.]?(a|b|rc|dev|post|x|alpha)\.?[0-9]?)?`)
	rapid.Check(t, func(t *rapid.T) {
		s := Scheme(rapid.IntRange(int(Unknown), int(Maven)).Draw(t, "scheme"))
		a, b, c := text.Draw(t, "a"), text.Draw(t, "b"), text.Draw(t, "c")
		if s.Compare(a, b) != -s.Compare(b, a) {
			t.Fatalf("%s and %s: not antisymmetric", a, b)
		}
		if s.Compare(a, b) <= 0 && s.Compare(b, c) <= 0 && s.Compare(a, c) > 0 {
			t.Fatalf("%s <= %s <= %s, yet the first is newer", a, b, c)
		}
	})
}

func TestARangePicksWhatTheToolWouldTake(t *testing.T) {
	semver := []string{"0.2.3", "0.2.9", "0.3.0", "1.0.0", "1.2.3", "1.2.9", "1.9.0", "2.0.0-rc.1", "2.0.0", "2.1.0", "3.0.0-beta.1"}
	for _, tc := range []struct {
		scheme     Scheme
		constraint string
		list       []string
		want       string
	}{
		{NPM, "^1.2.3", semver, "1.9.0"},
		{NPM, "~1.2.3", semver, "1.2.9"},
		{NPM, "~1", semver, "1.9.0"},
		{NPM, "1", semver, "1.9.0"},
		{NPM, "1.2", semver, "1.2.9"},
		{NPM, "1.2.x", semver, "1.2.9"},
		{NPM, "*", semver, "2.1.0"},
		{NPM, "", semver, "2.1.0"},
		{NPM, ">=1.2.3 <2", semver, "1.9.0"},
		{NPM, ">1.2 <= 2.0", semver, "2.0.0"},
		{NPM, "^0.2.3", semver, "0.2.9"},
		{NPM, "1.0.0 - 1.2.5", semver, "1.2.3"},
		{NPM, "^0.2.3 || ^2.0.0", semver, "2.1.0"},
		{NPM, "^3.0.0-beta.0", semver, "3.0.0-beta.1"},
		{NPM, "^9", semver, ""},
		{Cargo, "1.2", semver, "1.9.0"},
		{Cargo, "0.2", semver, "0.2.9"},
		{Cargo, "=1.2.3", semver, "1.2.3"},
		{Cargo, ">=1, <2", semver, "1.9.0"},
		{Python, "~=1.2.3", semver, "1.2.9"},
		{Python, "~=1.2", semver, "1.9.0"},
		{Python, "==1.2.*", semver, "1.2.9"},
		{Python, ">=1.0,!=1.9.0,<2", semver, "1.2.9"},
		{Python, ">= 1.0, < 2", semver, "1.9.0"},
		{Gem, "~> 1.2", semver, "1.9.0"},
		{Gem, "~> 1.2.3", semver, "1.2.9"},
		{Gem, ">= 1.0, < 2", semver, "1.9.0"},
		{Composer, "^1.2", semver, "1.9.0"},
		{Composer, "~1.2", semver, "1.9.0"},
		{Composer, "~1.2.3", semver, "1.2.9"},
		{Composer, "1.2.*", semver, "1.2.9"},
		{Composer, "^0.2 | ^2.0", semver, "2.1.0"},
		{NuGet, "1.1", semver, "1.2.3"},
		{NuGet, "[1.2.3,2.0)", semver, "1.2.3"},
		{NuGet, "(1.2.3,2.0)", semver, "1.2.9"},
		{Maven, "[1.0,2.0)", semver, "1.0.0"},
	} {
		r, ok := tc.scheme.ParseRange(tc.constraint)
		if !ok {
			t.Errorf("%d %q was not read", tc.scheme, tc.constraint)
			continue
		}
		if got := r.Best(tc.list); got != tc.want {
			t.Errorf("%d %q picks %q, want %q", tc.scheme, tc.constraint, got, tc.want)
		}
	}
}

func TestATagIsNoRange(t *testing.T) {
	for _, tc := range []struct {
		scheme Scheme
		text   string
	}{{NPM, "next"}, {NPM, "latest || 1"}, {Composer, "dev-main"}, {Go, "v1.2.3"}, {Maven, "${v}"}, {Cargo, "nightly"}} {
		if _, ok := tc.scheme.ParseRange(tc.text); ok {
			t.Errorf("%d %q was read as a range", tc.scheme, tc.text)
		}
	}
}

func FuzzVersions(f *testing.F) {
	for _, s := range []string{"1.2.3", "^1 || >=2 <3", "~> 1.2", "[1,2)", "==1.*", "1 - 2", "1!2.0.dev1", "v0.0.0-2024-x+y", "!", "*", "..", "-"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		for s := Unknown; s <= Maven; s++ {
			s.Compare(a, b)
			s.Pre(a)
			s.Major(a)
			if r, ok := s.ParseRange(a); ok {
				if best := r.Best([]string{b, "1.2.3"}); best != "" && !r.Allows(best) {
					t.Errorf("%d %q picked %q, which it does not allow", s, a, best)
				}
			}
		}
	})
}
