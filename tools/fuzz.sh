#!/usr/bin/env bash
# Runs every fuzz target of the tree for the given time (default 10s), then every
# test of a property with the given number of drawn cases (default 1000, 0 = none).
# What a target finds is kept in testdata/fuzz beside it, and from then on a test.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-10s}
cases=${2:-1000}

targets=$(git grep --untracked -o '^func Fuzz[A-Za-z0-9_]*(' -- '*_test.go' || true)
if [ -z "$targets" ]; then
	echo "fuzz: no target found" >&2
	exit 1
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
run() { go test -run='^$' -fuzz="^$2\$" -fuzztime="$time" -timeout 10m "./$1" >"$log" 2>&1; }

count=0
failed=()
while IFS=: read -r file decl; do
	name=${decl#func }
	name=${name%(}
	dir=$(dirname "$file")
	if ! run "$dir" "$name"; then
		# A worker that is still busy when the time is up may be reported as a
		# failure without an input. A finding always names one.
		if grep -q 'context deadline exceeded' "$log" && ! grep -q 'Failing input written' "$log" && run "$dir" "$name"; then
			:
		else
			cat "$log"
			echo "fuzz: $dir $name failed" >&2
			failed+=("$dir $name")
		fi
	fi
	echo "$dir $name: $(grep -E '^fuzz: elapsed' "$log" | tail -1 | sed 's/^fuzz: //')"
	count=$((count + 1))
done <<<"$targets"
echo "fuzz: $count targets, $time each, $((SECONDS / 60)) minutes"
if [ "${#failed[@]}" != 0 ]; then
	printf 'fuzz: failed: %s\n' "${failed[@]}" >&2
	exit 1
fi

if [ "$cases" != 0 ]; then
	packages=$(git grep --untracked -l 'rapid\.Check(' -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's,^,./,')
	tests=$(git grep --untracked -h -B400 'rapid\.Check(' -- '*_test.go' | grep -oE '^func Test[A-Za-z0-9_]+|rapid\.Check\(' | grep -B1 'rapid' | grep -oE 'Test[A-Za-z0-9_]+' | sort -u)
	# shellcheck disable=SC2086 # one word each
	go test -timeout 60m -run "^($(echo $tests | tr ' ' '|'))\$" $packages -rapid.checks="$cases"
	echo "fuzz: $(echo "$tests" | wc -l) properties, $cases cases each"
fi
