// Package claims finds the sentence in which an agent says that it cannot test
// something for a blocker that it has the means for.
//
// It imports the standard library only.
package claims

// Find returns the first sentence of a message that claims that an email- or
// login-gated flow cannot be tested, reached or verified, "" if none does. A
// sentence that names SMS or phone codes or an authenticator's codes is not one,
// nor one that quotes the words.
func Find(message string) string { return "" }

// LastMessage returns the last assistant text in the tail of a transcript, a
// JSON object a line as Claude Code, Codex or Gemini CLI write it; "" = none.
// The tail may begin in the middle of a line.
func LastMessage(tail []byte) string { return "" }
