#!/usr/bin/env bash
# A first look: what init would do, what the installed hook answers, what check
# says. Everything happens in a temporary home; no host is started and none of the
# dangerous commands below is run.
set -euo pipefail
bin=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export HOME=$tmp/home USERPROFILE=$tmp/home NO_COLOR=1
unset CLAUDE_CONFIG_DIR XDG_CONFIG_HOME XDG_STATE_HOME
mkdir -p "$HOME" "$tmp/project/.claude"
cd "$tmp/project"
git init -q .
printf '{\n  "permissions": { "allow": ["Bash(go test:*)"] }\n}\n' >.claude/settings.local.json
cp .claude/settings.local.json "$tmp/before.json"

title() { printf '\n\033[1m%s\033[0m\n' "$1" | if [ -t 1 ]; then cat; else sed 's/\x1b\[[0-9;]*m//g'; fi; }

# show runs a command line as a person would type it; it must end with the code.
show() {
	local code=0 out
	printf '$ %s\n' "$2"
	out=$(PATH="$(dirname "$bin"):$PATH" bash -c "$2" 2>&1) || code=$?
	printf '%s\n' "$out" | sed 's/^/  /'
	[ "$code" = "$1" ] || { echo "tour: ended with $code, not $1" >&2; exit 1; }
}

# call prints what Claude Code sends before a shell command.
call() {
	local text=${1//\\/\\\\}
	text=${text//\"/\\\"}
	printf '{"hook_event_name":"PreToolUse","session_id":"tour","cwd":"%s","tool_name":"Bash","tool_input":{"command":"%s"}}' "$PWD" "$text"
}

judged() {
	printf '$ %s\n' "$1"
	call "$1" | "$bin" hook --agent claude | sed 's/^/  /'
}

title 'What init would do'
show 0 'guardrails init --agent claude --dir . --yes --dry-run'
cmp .claude/settings.local.json "$tmp/before.json"

title 'Install, then look'
show 0 'guardrails init --agent claude --dir . --yes'
show 0 'guardrails init --agent claude --dir . --show'

title 'What Claude Code is told when the model wants to run …'
judged 'git status'
judged 'rm -rf ./node_modules'
judged 'rm -rf ~'
judged "bash -c 'cd ~ && rm -rf .'"
judged "echo 'rm -rf ~'"
judged 'git push --force origin main'
judged 'git commit --no-verify -m wip'

title 'The same judgement by hand'
show 0 'guardrails check -- git status'
show 2 "guardrails check -- 'find ~ -delete'"

title 'Remove it: the settings file is what it was, byte for byte'
show 0 'guardrails init --agent claude --dir . --uninstall --yes'
cmp .claude/settings.local.json "$tmp/before.json"
