package main

// events are the calls that a session is made of. PROJECT stands for the
// project's folder.
var events = []struct{ name, payload, want string }{
	{
		"PreToolUse Bash git status",
		`{"session_id":"5f0c","transcript_path":"PROJECT/t.jsonl","cwd":"PROJECT","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git status","description":"Show working tree status"},"tool_use_id":"toolu_01"}`,
		"{}",
	},
	{
		"PreToolUse Bash, denied",
		`{"session_id":"5f0c","transcript_path":"PROJECT/t.jsonl","cwd":"PROJECT","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf ~","description":"Clean up"},"tool_use_id":"toolu_02"}`,
		`"deny"`,
	},
	{
		"PreToolUse Read",
		`{"session_id":"5f0c","transcript_path":"PROJECT/t.jsonl","cwd":"PROJECT","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"PROJECT/main.go"},"tool_use_id":"toolu_03"}`,
		"{}",
	},
	{
		"PostToolUse Edit",
		`{"session_id":"5f0c","transcript_path":"PROJECT/t.jsonl","cwd":"PROJECT","permission_mode":"default","hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"file_path":"PROJECT/main.go","old_string":"a","new_string":"b"},"tool_response":{"filePath":"PROJECT/main.go","oldString":"a","newString":"b","originalFile":"a\n","structuredPatch":[],"userModified":false,"replaceAll":false},"tool_use_id":"toolu_04"}`,
		"{",
	},
	{
		"Stop",
		`{"session_id":"5f0c","transcript_path":"PROJECT/t.jsonl","cwd":"PROJECT","permission_mode":"default","hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"Done."}`,
		"{",
	},
}

const fullConfig = `version: 1
mode: enforce
policy:
  packs: [core]
  protect: ["deploy/**", "infra/**/*.tf"]
  allow:
    - {rule: git/reset-hard, when: "git reset --hard origin/main", reason: "bot branch"}
rewrite:
  - {match: "git log", to: "git --no-pager log"}
validators: {enabled: true, input: [prompt-injection], output: [secrets, pii], timeout: 2s}
handoffs:
  packs: [delivery]
  preferences: {autoWatchPR: true, autoE2ETest: true}
evidence: {enabled: true}
quality:
  onEdit: [format, lint]
  onStop: [format, lint, build, test, coverage]
  subagents: [implementer]
  coverage: {patchMin: 80, tolerance: 0.5}
dependencies: {enabled: true, minAgeDays: 30, denySeverity: critical}
standards: ["docs/style.md"]
`
