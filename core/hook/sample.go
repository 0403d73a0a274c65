package hook

// Sample describes a call from which an adapter builds one of its host's
// payloads, for check, init's and doctor's proofs and tests. Exactly one of
// Command, Path and Prompt says what kind of call it is.
type Sample struct {
	SessionID string
	Cwd       string

	Command string // a shell call
	Tool    string // a tool by its host name; "" = the host's own for Path (a write if Content is set, else a read)
	Path    string
	Content *string // what is written
	Prompt  string  // a submitted prompt
}

// Sampler is an adapter that can build payloads of its host.
type Sampler interface {
	// Payload returns a payload that Decode reads back as the described call.
	Payload(Sample) []byte
	// ToolNames are the tools that the host brings with it, as far as is known:
	// what check says of a name that is none of them is a hint, no judgement.
	ToolNames() []string
}

// TranscriptReader is an adapter that can read its host's record of a session.
type TranscriptReader interface {
	// ReadTranscript returns the payloads of the calls in one line of it, as
	// the host would have sent them before they ran; nil if the line has none.
	ReadTranscript(line []byte) [][]byte
}
