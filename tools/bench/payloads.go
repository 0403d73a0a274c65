package main

type event struct{ name, payload, want string }

// eventList holds the calls that a session is made of. PROJECT stands for the
// project's folder, CALL for a number that is another each time.
var eventList = [...]event{
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
		`{"session_id":"5f0c","transcript_path":"PROJECT/t.jsonl","cwd":"PROJECT","permission_mode":"default","hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"file_path":"PROJECT/main.go","old_string":"a","new_string":"b"},"tool_response":{"filePath":"PROJECT/main.go","oldString":"a","newString":"b","originalFile":"a\n","structuredPatch":[],"userModified":false,"replaceAll":false},"tool_use_id":"toolu_CALL"}`,
		"{",
	},
	{
		"Stop",
		`{"session_id":"5f0c","transcript_path":"PROJECT/t.jsonl","cwd":"PROJECT","permission_mode":"default","hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"Done."}`,
		"{",
	},
}

// Places in eventList.
const (
	preBash  = 0
	postEdit = 3
	stop     = 4
)

// played are the calls of a long session: an edit of FILE, a command before it
// runs and after.
var played = [...]event{
	{"", `{"session_id":"5f0c","transcript_path":"PROJECT/t.jsonl","cwd":"PROJECT","permission_mode":"default","hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"file_path":"PROJECT/FILE","old_string":"a","new_string":"b"},"tool_response":{"filePath":"PROJECT/FILE","oldString":"a","newString":"b","originalFile":"a\n","structuredPatch":[],"userModified":false,"replaceAll":false},"tool_use_id":"toolu_CALL"}`, ""},
	{"", `{"session_id":"5f0c","transcript_path":"PROJECT/t.jsonl","cwd":"PROJECT","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"go test ./CALL/..."},"tool_use_id":"toolu_CALL"}`, ""},
	{"", `{"session_id":"5f0c","transcript_path":"PROJECT/t.jsonl","cwd":"PROJECT","permission_mode":"default","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"go test ./CALL/..."},"tool_response":{"stdout":"ok  \texample.com/shop\t0.1s\n","stderr":"","interrupted":false,"isImage":false},"tool_use_id":"toolu_CALL"}`, ""},
}

// transcribed is a command of Antigravity, whose outcome only the transcript
// beside the project says.
var transcribed = event{
	"",
	`{"artifactDirectoryPath":"PROJECT/..","conversationId":"5f0c","modelName":"m","stepIdx":CALL,"toolCall":{"args":{"CommandLine":"go test ./...","Cwd":"PROJECT"},"name":"run_command"},"error":"","transcriptPath":"PROJECT/../t.jsonl","workspacePaths":["PROJECT"]}`,
	"{",
}

// sessionConfig is everything that keeps state, without the checks that run
// formatters and linters on an edit: those take the time of those programs.
const sessionConfig = `version: 1
handoffs: {packs: [delivery]}
evidence: {enabled: true}
validators: {enabled: true, input: [prompt-injection], output: [secrets, pii]}
dependencies: {enabled: true}
rewrite:
  - {match: "git log", to: "git --no-pager log"}
`

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
