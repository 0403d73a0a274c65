// Package hosttest drives the real host programs without a model behind them:
// a scripted model server on loopback (Server) and a runner for the headless
// programs (Claude, Gemini). The end-to-end tests and `doctor --live` use it.
//
// It owns what a scripted model answers, what is kept of each request, and
// that no process of a run outlives it. It must not import testing, an
// adapter, an installer or a gate: it knows the host's wire, not our answers.
// Nor net/http, which every hook call would pay for.
package hosttest
