package fsx

import "testing"

func mkfifo(t *testing.T, _ string) { t.Helper(); t.Skip("no pipes in the file system here") }

func systemRole(string) func([]string) error { return nil }
