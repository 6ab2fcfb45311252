package jobfile

import (
	_ "embed"
	"slices"
)

//go:embed schema.json
var schemaJSON []byte

// Schema is a JSON Schema (draft 2020-12) of the job set format, for editors
// to complete and check by. It accepts every file that Load accepts; Load
// knows more, for instance whether a name stands for a slave.
func Schema() []byte { return slices.Clone(schemaJSON) }
