package external

import _ "embed"

//go:embed schema.json
var schemaJSON []byte

// Schema is a JSON Schema (draft 2020-12) of the lines that go to a program and of its
// answers.
func Schema() []byte { return schemaJSON }
