package hosttest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Gemini is one run of Gemini CLI. It sees nothing of this machine but PATH:
// its environment is built here, its home is Home, its key is a dummy. A Home
// without settings gets GeminiSettings.
type Gemini struct {
	Bin     string   // the program
	Dir     string   // directory it is started in
	Home    string   // its HOME; its temporary files go to Home/tmp
	BaseURL string   // the scripted model, Server.URL
	Env     []string // KEY=VALUE, added last
	Args    []string // before the prompt
	Prompt  string   // given with -p; empty = Args are the whole command
	Stream  bool     // ask for stream-json and read it into Result.Stream
}

// geminiModel is named on every prompt: without a name the host asks the model
// first which one to take.
const geminiModel = "gemini-2.5-flash"

// GeminiSettings is what the settings of a run must hold: without the kind of
// key Gemini CLI 0.61.0 ends at once when GOOGLE_GEMINI_BASE_URL is set, and the
// rest silences what it would send or fetch. A file of the lowest rank would do
// as well, but not below a folder that others can write to, such as /tmp.
const GeminiSettings = `{
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "privacy": {"usageStatisticsEnabled": false},
  "telemetry": {"enabled": false},
  "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false}
}
`

func (g Gemini) invocation() (invocation, error) {
	in := invocation{bin: g.Bin, dir: g.Dir, tmp: filepath.Join(g.Home, "tmp"), stream: g.Stream && g.Prompt != ""}
	in.args = append(in.args, g.Args...)
	if g.Prompt != "" {
		if g.Stream {
			in.args = append(in.args, "--output-format", "stream-json")
		}
		in.args = append(in.args, "-m", geminiModel, "-p", g.Prompt)
	}
	if err := os.MkdirAll(in.tmp, 0o700); err != nil {
		return in, err
	}
	dir := filepath.Join(g.Home, ".gemini")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return in, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "settings.json"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return in, nil // the caller's, with GeminiSettings in it
	}
	if err != nil {
		return in, err
	}
	_, err = f.WriteString(GeminiSettings)
	return in, errors.Join(err, f.Close())
}

// Environ returns the whole environment of a run. It is also right for a
// program that itself starts Gemini CLI.
//
// The proxy is the scripted server, which refuses and records what the settings
// do not silence. A headless run in a folder that is not trusted does nothing at
// all (0.61.0, measured), hence the trust.
func (g Gemini) Environ() []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + g.Home,
		"TMPDIR=" + filepath.Join(g.Home, "tmp"),
		"LANG=C.UTF-8",
		"TERM=dumb",
		"SHELL=/bin/sh",
		"GEMINI_API_KEY=dummy",
		"GEMINI_CLI_NO_RELAUNCH=1",
		"GEMINI_CLI_TRUST_WORKSPACE=true",
		"GEMINI_TELEMETRY_ENABLED=false",
	}
	if g.BaseURL != "" {
		env = append(env, "GOOGLE_GEMINI_BASE_URL="+g.BaseURL,
			"HTTP_PROXY="+g.BaseURL, "HTTPS_PROXY="+g.BaseURL, "http_proxy="+g.BaseURL, "https_proxy="+g.BaseURL,
			"NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
	}
	return append(env, g.Env...)
}
