// Package run is the part of the quality gate that runs the project's tools:
// it finds toolchains and packages, runs their steps, reads what they say in
// machine formats, compares with the commit at the session's start, and keeps
// results by tree digest.
//
// Programs are reached through gate.Proc only. It must not import a gate, the
// configuration loader or a host; the small hook process does not link it.
package run

import (
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/quality"
)

// Options are what a Worker needs of the outside.
type Options struct {
	Proc    gate.Proc // sees only the environment that Environ lets through
	Now     func() time.Time
	Getenv  func(string) string // of that environment
	TempDir string              // "" = the system's
	CPUs    int                 // how much runs at once; below 1 = 2
}

// Worker runs the project's tools. It is safe for parallel use.
type Worker struct{ o Options }

var _ quality.Worker = (*Worker)(nil)

// New returns a Worker.
func New(o Options) *Worker {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	if o.CPUs < 1 {
		o.CPUs = 2
	}
	if o.TempDir == "" {
		o.TempDir = os.TempDir()
	}
	return &Worker{o}
}

// Environ returns of an environment what a project's tools may see: where
// programs and their caches are, no secrets. The marks by which a host tells
// its children stay, so that what an agent's test runs is still the agent's; and
// nothing prints colours.
func Environ(environ []string) []string {
	var out []string
	marked := false
	for _, kv := range environ {
		name, _, ok := strings.Cut(kv, "=")
		if !ok || name == "" || !allowed(name) {
			continue
		}
		marked = marked || name == "AI_AGENT"
		out = append(out, kv)
	}
	if !marked {
		out = append(out, "AI_AGENT=guardrails")
	}
	return append(out, "NO_COLOR=1", "TERM=dumb", "CLICOLOR=0", "PY_COLORS=0", "CARGO_TERM_COLOR=never", "PYTHONDONTWRITEBYTECODE=1", "PYTHONIOENCODING=utf-8")
}

func allowed(name string) bool {
	upper := name
	if runtime.GOOS == "windows" {
		upper = strings.ToUpper(name)
	}
	switch upper {
	case "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP", "PWD",
		"CC", "CXX", "AR", "LD", "PKG_CONFIG", "PKG_CONFIG_PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH",
		"JAVA_HOME", "JDK_HOME", "M2_HOME", "VIRTUAL_ENV", "DOCKER_HOST", "DISPLAY", "SDKROOT", "DEVELOPER_DIR",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
		"NODE_ENV", "NODE_PATH", "NODE_OPTIONS", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
		"SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "WINDIR", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "HOMEDRIVE", "HOMEPATH",
		"PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROCESSOR_ARCHITECTURE", "NUMBER_OF_PROCESSORS", "OS",
		"CLAUDECODE", "AI_AGENT", "GEMINI_CLI", "GEMINI_SESSION_ID", "ANTIGRAVITY_CONVERSATION_ID":
		return true
	}
	if secretive(upper) {
		return false
	}
	for _, prefix := range [...]string{
		"LC_", "XDG_", "GO", "CGO_", "CARGO_", "RUST", "NVM_", "VOLTA_", "FNM_", "PNPM_", "COREPACK_", "BUN_", "DENO_",
		"MAVEN_", "GRADLE_", "PYTHON", "PYENV_", "CONDA_", "UV_", "POETRY_", "PIPENV_", "ASDF_", "MISE_", "SDKMAN_", "RBENV_",
		"CLAUDE_CODE_", "CODEX_",
	} {
		if strings.HasPrefix(upper, prefix) {
			return true
		}
	}
	return false
}

// secretive reports whether a variable is named like one that holds a secret.
func secretive(name string) bool {
	for _, part := range [...]string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "CREDENTIAL", "PRIVATE_KEY", "AUTH"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
