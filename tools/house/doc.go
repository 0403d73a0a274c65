// Package house holds the rules of the tree as tests: who may import whom,
// what the binary links, what it does before main, that it is static, and what
// no tracked file may hold. It has no code that ships and must not be imported.
package house
