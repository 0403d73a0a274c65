#!/usr/bin/env bash
# Prints the licence and notice files of every module that the programs link on
# any platform we ship to, word for word. Fails if one has none.
set -euo pipefail
cd "$(dirname "$0")/.."

for os in linux darwin windows; do
	GOOS=$os CGO_ENABLED=0 go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/guardrails/...
done | sort -u | while read -r path version dir; do
	[ -n "$path" ] || continue
	found=
	for file in "$dir"/LICEN[CS]E* "$dir"/COPYING* "$dir"/NOTICE*; do
		[ -f "$file" ] || continue
		found=1
		printf '%s\n%s %s: %s\n%s\n\n' "${rule:=$(printf '=%.0s' {1..78})}" "$path" "$version" "$(basename "$file")" "$rule"
		cat "$file"
		echo
	done
	[ -n "$found" ] || { echo "licences: $path has no licence file" >&2; exit 1; }
done
printf '%s\nThe Go standard library and runtime: LICENSE\n%s\n\n' "${rule:=$(printf '=%.0s' {1..78})}" "$rule"
cat "$(go env GOROOT)/LICENSE"
printf '%s\nOur own NOTICE, for what was taken over and is not linked\n%s\n\n' "$rule" "$rule"
cat NOTICE
