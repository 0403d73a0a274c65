package hosttest

import (
	"os"
	"path/filepath"
)

// Claude is one run of Claude Code. It sees nothing of this machine but PATH:
// its environment is built here, its home is Home, its key is a dummy.
//
// Keep Home short: where Home/tmp/cc-socks/PID.sock exceeds 103 bytes, Claude
// Code 2.1.332 makes /tmp/cc-socks-UID instead and leaves it there.
type Claude struct {
	Bin     string   // the program
	Dir     string   // directory it is started in
	Home    string   // its HOME; its temporary files go to Home/tmp
	BaseURL string   // the scripted model, Server.URL
	Env     []string // KEY=VALUE, added last
	Args    []string // before the prompt
	Prompt  string   // given with -p; empty = Args are the whole command
	Stream  bool     // ask for stream-json and read it into Result.Stream
}

func (c Claude) invocation() (invocation, error) {
	in := invocation{bin: c.Bin, dir: c.Dir, tmp: c.tmp(), stream: c.Stream && c.Prompt != ""}
	in.args = append(in.args, c.Args...)
	if c.Prompt != "" {
		if c.Stream {
			in.args = append(in.args, "--output-format", "stream-json", "--verbose")
		}
		in.args = append(in.args, "-p", c.Prompt)
	}
	return in, os.MkdirAll(in.tmp, 0o700)
}

// tmp is where a run's temporary files go.
func (c Claude) tmp() string { return filepath.Join(c.Home, "tmp") }

// Environ returns the whole environment of a run. It is also right for a
// program that itself starts Claude Code.
//
// The switches silence what else Claude Code 2.1.197 and 2.1.332 would send or
// fetch; the proxy is the scripted server, which refuses and records what they
// miss. IS_SANDBOX lets root use --dangerously-skip-permissions.
func (c Claude) Environ() []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + c.Home,
		"TMPDIR=" + c.tmp(),
		"CLAUDE_CODE_TMPDIR=" + c.tmp(),
		"LANG=C.UTF-8",
		"TERM=dumb",
		"SHELL=/bin/sh",
		"IS_SANDBOX=1",
		"ANTHROPIC_API_KEY=sk-ant-dummy",
		"DISABLE_TELEMETRY=1",
		"DISABLE_ERROR_REPORTING=1",
		"DISABLE_AUTOUPDATER=1",
		"DISABLE_INSTALLATION_CHECKS=1",
		"DISABLE_FEEDBACK_COMMAND=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL=1",
		"CLAUDE_CODE_DISABLE_FEEDBACK_SURVEY=1",
	}
	if c.BaseURL != "" {
		env = append(env, "ANTHROPIC_BASE_URL="+c.BaseURL,
			"HTTP_PROXY="+c.BaseURL, "HTTPS_PROXY="+c.BaseURL, "http_proxy="+c.BaseURL, "https_proxy="+c.BaseURL,
			"NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
	}
	return append(env, c.Env...)
}
