// Package full finds guardrails-full, the program with every verb, for the
// small one that answers hook calls; where none was installed, as after go run
// or go install, it has the Go toolchain build it.
//
// The small program links it, so it imports the standard library only, without
// os/exec.
package full

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/ec261362/guardrails/cmd/guardrails/internal/version"
)

const (
	module   = "github.com/ec261362/guardrails"
	smallPkg = "/cmd/guardrails"
	fullPkg  = "/cmd/guardrails/guardrails-full"
)

// Name returns the file name of the full program.
func Name() string { return named("guardrails-full") }

func named(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// Beside returns the full program in the folder of the running one, "" if it
// is not there.
func Beside() string {
	exe, err := running()
	if err != nil {
		return ""
	}
	return In(filepath.Dir(exe))
}

// In returns the full program in a folder, "" if it is not there.
func In(dir string) string {
	path := filepath.Join(dir, Name())
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	return path
}

func running() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(exe)
}

// Run lets the full program do what args say, in place of this process where
// the system can do that. It returns the exit code.
func Run(args []string, stderr io.Writer) int {
	path := Beside()
	small, err := running()
	switch {
	case err != nil:
	case path == "":
		path, small, err = build(stderr)
	case len(args) > 0 && args[0] == "doctor":
		err = sound(path)
	}
	if err == nil {
		// The first word tells the full program which file is the small one.
		var code int
		if code, err = replace(path, append([]string{small}, args...), os.Environ()); err == nil {
			return code
		}
	}
	fmt.Fprintf(stderr, "guardrails: error: %v\n", err)
	if path != "" {
		fmt.Fprintln(stderr, "guardrails: hint: what needs programs or the network is not judged until that is mended: run init of a release, or of a checkout after `make build`")
	}
	return 1
}

// sound starts the full program for its version: who asks what is wrong should
// hear it even when that cannot say it.
func sound(path string) error {
	stop := make(chan struct{})
	defer time.AfterFunc(10*time.Second, func() { close(stop) }).Stop()
	said, err := Ask(path, []string{"version"}, nil, 1<<10, stop)
	if err != nil {
		return fmt.Errorf("the other half of this program is broken: %w", err)
	}
	if words := strings.Fields(string(said)); len(words) < 2 || words[0] != "guardrails" || words[1] != version.String() {
		return fmt.Errorf("%s is no other half of this program, version %s: it says %.60q", path, version.String(), said)
	}
	return nil
}

// Small returns the path of the small program that started this one, or that
// stands beside it; "" if there is none.
func Small(arg0 string) string {
	exe, err := running()
	if err != nil {
		return ""
	}
	if filepath.IsAbs(arg0) && filepath.Base(arg0) == named("guardrails") {
		return arg0
	}
	beside := filepath.Join(filepath.Dir(exe), named("guardrails"))
	if _, err := os.Stat(beside); err != nil {
		return ""
	}
	return beside
}

// build makes both programs from the version that this one was made from and
// returns their paths.
func build(stderr io.Writer) (path, small string, err error) {
	goTool := lookPath("go")
	if goTool == "" {
		return "", "", errors.New("guardrails-full is not beside this program, and there is no Go toolchain on PATH to build it: install a release, which has both, or run `make build`")
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	var argv, env []string
	info, ok := debug.ReadBuildInfo()
	root := sourceRoot()
	switch {
	case ok && info.Main.Path == module && info.Main.Sum != "":
		// From the module proxy: that version, kept.
		dir = filepath.Join(dir, "guardrails", info.Main.Version+"-"+runtime.Version())
		if path = In(dir); path != "" {
			return path, filepath.Join(dir, named("guardrails")), nil
		}
		argv = []string{"install", "-trimpath", "-ldflags", "-s -w", module + smallPkg + "@" + info.Main.Version, module + fullPkg + "@" + info.Main.Version}
	case root != "":
		dir = filepath.Join(dir, "guardrails", "source")
		flags := "-s -w"
		if v := version.String(); v != "devel" && !strings.Contains(v, "+") {
			flags += " -X " + module + smallPkg + "/internal/version.value=" + v
		}
		// With the paths of this build, so that its cache serves: trimming them
		// compiled everything twice.
		argv = []string{"build", "-C", root, "-ldflags", flags + " -X " + module + smallPkg + "/internal/full.sealed=yes"}
	default:
		return "", "", errors.New("guardrails-full is not beside this program, and where this one was built from is not on record: install a release, which has both, or run `make build` in a checkout")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", "", fmt.Errorf("build guardrails-full: %w", err)
	}
	tmp, err := os.MkdirTemp(dir, "build-")
	if err != nil {
		return "", "", fmt.Errorf("build guardrails-full: %w", err)
	}
	defer os.RemoveAll(tmp)
	env = append(os.Environ(), "CGO_ENABLED=0", "GOBIN="+tmp, "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	if argv[0] == "build" {
		argv = append(argv, "-o", tmp+string(filepath.Separator), "."+smallPkg, "."+fullPkg)
	}
	fmt.Fprintln(stderr, "guardrails: building guardrails-full with "+goTool+": minutes the first time, seconds later")
	if err := run(goTool, append([]string{goTool}, argv...), env); err != nil {
		return "", "", fmt.Errorf("build guardrails-full with `go %s`: %w", strings.Join(argv, " "), err)
	}
	for _, name := range []string{named("guardrails"), Name()} {
		if err := os.Rename(filepath.Join(tmp, name), filepath.Join(dir, name)); err != nil {
			return "", "", fmt.Errorf("build guardrails-full: %w", err)
		}
	}
	return filepath.Join(dir, Name()), filepath.Join(dir, named("guardrails")), nil
}

// sealed is set, by the linker, in the programs that build makes from a checkout:
// what was installed never builds anything from there again.
var sealed string

// sourceRoot is the checkout that this program was compiled in, "" if its paths
// were trimmed, it was built to be installed, or the checkout is gone.
func sourceRoot() string {
	_, file, _, ok := runtime.Caller(0)
	if sealed != "" || !ok || !filepath.IsAbs(file) {
		return ""
	}
	root := filepath.Join(filepath.Dir(file), "..", "..", "..", "..")
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil || !strings.HasPrefix(string(mod), "module "+module+"\n") {
		return ""
	}
	return root
}

func lookPath(name string) string {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		path := filepath.Join(dir, named(name))
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() && (runtime.GOOS == "windows" || st.Mode()&0o111 != 0) {
			return path
		}
	}
	return ""
}

// run waits for a program whose output goes to our standard error.
func run(path string, argv, env []string) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	code, err := attach(path, argv, env, []*os.File{null, os.Stderr, os.Stderr})
	if err == nil && code != 0 {
		err = fmt.Errorf("exit status %d", code)
	}
	return err
}

func attach(path string, argv, env []string, files []*os.File) (int, error) {
	p, err := os.StartProcess(path, argv, &os.ProcAttr{Env: env, Files: files})
	if err != nil {
		return 0, err
	}
	st, err := p.Wait()
	if err != nil {
		return 0, err
	}
	return st.ExitCode(), nil
}

// Ask runs the full program with payload on its standard input, which stays
// open as long as we live, and returns what it prints, at most max bytes. stop
// ends it. Nothing that it leaves running holds a stream of ours.
func Ask(path string, args []string, payload []byte, max int64, stop <-chan struct{}) ([]byte, error) {
	var pipes [3][2]*os.File // of its input, output and errors: ends to read and to write
	for i := range pipes {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		defer r.Close()
		defer w.Close()
		pipes[i] = [2]*os.File{r, w}
	}
	feed, read, faults := pipes[0][1], pipes[1][0], pipes[2][0]
	p, err := os.StartProcess(path, append([]string{path}, args...), &os.ProcAttr{Env: os.Environ(), Files: []*os.File{pipes[0][0], pipes[1][1], pipes[2][1]}})
	if err != nil {
		return nil, err
	}
	pipes[0][0].Close()
	pipes[1][1].Close()
	pipes[2][1].Close()
	go func() {
		_, _ = feed.Write(payload) // a program that does not read it answers nothing
	}()
	said := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(io.LimitReader(faults, maxFault))
		said <- string(text)
		_, _ = io.Copy(io.Discard, faults)
	}()
	type end struct {
		st  *os.ProcessState
		err error
	}
	ended := make(chan end, 1)
	go func() {
		st, err := p.Wait()
		// What it started may hold its output open for as long as it likes.
		_ = read.SetReadDeadline(time.Now().Add(linger))
		ended <- end{st, err}
	}()
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-stop:
			_ = p.Kill()
		case <-over:
		}
	}()
	answer, err := io.ReadAll(io.LimitReader(read, max))
	read.Close() // a program that says more than max does not wait for us
	e := <-ended
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil // it has ended: that is all it says
	}
	if err = errors.Join(err, e.err); err == nil && !e.st.Success() {
		err = fmt.Errorf("%s: %s", path, e.st)
	}
	if err == nil {
		return answer, nil
	}
	_ = faults.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if line, _, _ := strings.Cut(strings.TrimSpace(<-said), "\n"); line != "" {
		err = fmt.Errorf("%w: %s", err, line)
	}
	return nil, err
}

// linger is how long output is waited for after the program itself has ended.
const linger = 100 * time.Millisecond

// maxFault is how much is read of what the full program says of its own end.
const maxFault = 4 << 10
