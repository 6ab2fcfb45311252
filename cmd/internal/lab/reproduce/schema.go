package reproduce

import (
	_ "embed"
	"slices"
)

//go:embed schema.json
var schema []byte

// Schema is the JSON Schema of the claims beside a report.
func Schema() []byte { return slices.Clone(schema) }
