package claude

// Asks reports whether AskUserQuestion is offered: everywhere but in plain -p,
// whose hooks see CLAUDE_CODE_ENTRYPOINT=sdk-cli (Claude Code 2.1.197 and
// 2.1.332, measured).
func (Adapter) Asks(getenv func(string) string) bool {
	return getenv == nil || getenv("CLAUDE_CODE_ENTRYPOINT") != "sdk-cli"
}
