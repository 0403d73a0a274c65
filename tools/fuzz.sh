#!/usr/bin/env bash
# Runs every fuzz target of the tree for the given time (default 10s).
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-10s}

targets=$(git grep --untracked -o '^func Fuzz[A-Za-z0-9_]*(' -- '*_test.go' || true)
if [ -z "$targets" ]; then
	echo "fuzz: no target found" >&2
	exit 1
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
run() { go test -run='^$' -fuzz="^$2\$" -fuzztime="$time" -timeout 10m "./$1" >"$log" 2>&1; }

count=0
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
			exit 1
		fi
	fi
	echo "$dir $name: $(grep -E '^fuzz: elapsed' "$log" | tail -1 | sed 's/^fuzz: //')"
	count=$((count + 1))
done <<<"$targets"
echo "fuzz: $count targets, $time each"
