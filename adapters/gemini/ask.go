package gemini

// Asks reports that ask_user is offered: in interactive sessions it is (Gemini
// CLI 0.61.0, documented), and nothing tells a hook of one that is not.
func (Adapter) Asks(func(string) string) bool { return true }
