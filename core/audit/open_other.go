//go:build !unix

package audit

const neverWait = 0
