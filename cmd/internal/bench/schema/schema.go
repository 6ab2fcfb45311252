// Package schema has the JSON Schemas of what bench prints and writes for programs.
package schema

import (
	_ "embed"
	"slices"
)

var (
	//go:embed summary.json
	summary []byte
	//go:embed cells.json
	cells []byte
)

// Summary is the JSON Schema of what bench --format json prints.
func Summary() []byte { return slices.Clone(summary) }

// Cells is the JSON Schema of the files that bench writes with -o FILE.json.
func Cells() []byte { return slices.Clone(cells) }
