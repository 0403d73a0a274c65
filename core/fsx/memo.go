package fsx

import (
	"io/fs"
	"sync"
)

// Memo is OS with a memory: what a path is (Lstat, Stat, Readlink) is asked of
// the system once. It is for one judgement, during which files stand still as
// far as anyone can tell. It is safe for parallel use.
type Memo struct {
	OS

	mu    sync.Mutex
	links map[string]info
	files map[string]info
	to    map[string]target
}

type info struct {
	fs.FileInfo
	err error
}

type target struct {
	path string
	err  error
}

// NewMemo returns a Memo that remembers nothing yet.
func NewMemo() *Memo {
	return &Memo{links: make(map[string]info, 64), files: make(map[string]info, 8), to: make(map[string]target, 8)}
}

// Lstat is os.Lstat, remembered.
func (m *Memo) Lstat(name string) (fs.FileInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	got, ok := m.links[name]
	if !ok {
		got.FileInfo, got.err = m.OS.Lstat(name)
		m.links[name] = got
	}
	return got.FileInfo, got.err
}

// Stat is os.Stat, remembered.
func (m *Memo) Stat(name string) (fs.FileInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	got, ok := m.files[name]
	if !ok {
		got.FileInfo, got.err = m.OS.Stat(name)
		m.files[name] = got
	}
	return got.FileInfo, got.err
}

// Readlink is os.Readlink, remembered.
func (m *Memo) Readlink(name string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	got, ok := m.to[name]
	if !ok {
		got.path, got.err = m.OS.Readlink(name)
		m.to[name] = got
	}
	return got.path, got.err
}
