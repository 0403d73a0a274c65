package antigravity

// Asks reports that ask_question is offered (Antigravity 1.1, documented).
func (Adapter) Asks(func(string) string) bool { return true }
