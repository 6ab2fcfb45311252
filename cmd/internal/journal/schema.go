package journal

import (
	_ "embed"
	"slices"
)

//go:embed pieces.json
var pieces []byte

// Schema is the JSON Schema of a line of a journal of pieces.
func Schema() []byte { return slices.Clone(pieces) }
