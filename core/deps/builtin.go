package deps

import (
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/popular"
)

// builtIn reports whether a name is that of a module of the language itself, and
// not also that of a well-known package. To install one by its name is a mistake
// without harm: that nobody has it, or that its registry keeps it from being
// used, is no news, and only malware by that name is.
func builtIn(e coord.Ecosystem, name string) bool {
	list := ""
	switch e {
	case coord.NPM:
		list = nodeModules
	case coord.PyPI:
		list, name = pythonModules, strings.ReplaceAll(coord.Canonical(e, name), "-", "_")
	case coord.Crates:
		list = " std core alloc proc_macro test "
	case coord.None, coord.Go, coord.RubyGems, coord.Packagist, coord.NuGet, coord.Maven, coord.Conda:
	}
	return strings.Contains(list, " "+name+" ") && !popular.Popular(e, name)
}

// Node.js 24.
const nodeModules = " assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs http http2 https " +
	"inspector module net os path perf_hooks process punycode querystring readline repl stream string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib "

// The standard library of Python 3.14, without what no program imports.
const pythonModules = " abc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 calendar cmath cmd code codecs collections colorsys compileall " +
	"concurrent configparser contextlib contextvars copy copyreg csv ctypes curses dataclasses datetime dbm decimal difflib dis doctest email encodings ensurepip enum " +
	"errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http " +
	"idlelib imaplib importlib inspect io ipaddress itertools json keyword linecache locale logging lzma mailbox marshal math mimetypes mmap multiprocessing " +
	"netrc numbers operator optparse os pathlib pdb pickle pickletools pkgutil platform plistlib poplib posix pprint profile pstats pty pwd py_compile pyclbr pydoc " +
	"queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtplib socket socketserver " +
	"sqlite3 ssl stat statistics string stringprep struct subprocess symtable sys sysconfig syslog tabnanny tarfile tempfile termios textwrap threading time timeit " +
	"tkinter token tokenize tomllib trace traceback tracemalloc tty turtle types typing unicodedata unittest urllib uuid venv warnings wave weakref webbrowser winreg " +
	"winsound wsgiref xml xmlrpc zipapp zipfile zipimport zlib zoneinfo "
