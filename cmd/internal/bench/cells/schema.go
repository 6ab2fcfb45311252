package cells

import (
	_ "embed"
	"slices"
)

//go:embed schema.json
var schema []byte

// Schema is the JSON Schema of a line of a journal.
func Schema() []byte { return slices.Clone(schema) }
