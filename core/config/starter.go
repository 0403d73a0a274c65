package config

import _ "embed"

//go:embed starter.yaml
var starter string

// Starter returns the file that `config init` writes: it opts in, switches
// nothing else on, and shows every section in comments.
func Starter() []byte { return []byte(starter) }
