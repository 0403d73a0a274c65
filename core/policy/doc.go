// Package policy holds the always-on guards: what a shell command may destroy,
// which files may be read out or written, and that the guarded agent cannot
// switch its guard off.
//
// Rules are data (see Rules): an id, a verdict, a reason, an alternative and
// samples, in explicit ordered tables; judging works on parsed commands and
// resolved paths, never on substrings of a line.
//
// It may import the standard library, core/hook, core/gate, core/session,
// core/shellcmd and doublestar. It must not import core/config, core/engine,
// other gates, adapters or yaml, and it compiles no regular expression. It
// reads files only through gate.FS and writes nothing.
package policy
