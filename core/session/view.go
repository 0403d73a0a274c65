// Package session keeps what we know of one host session, losslessly under
// parallel hook processes.
package session

// View is a read-only snapshot of a session. The zero value is an empty, new
// session.
type View struct{}
