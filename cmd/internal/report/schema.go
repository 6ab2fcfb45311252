package report

import (
	"bytes"
	_ "embed"
	"encoding/json"

	"downbeat/model/planfile"
)

//go:embed schema.json
var schemaJSON []byte

// Schema is a JSON Schema (draft 2020-12) of what the view for programs prints. It holds
// that of plan files.
func Schema() []byte {
	var out bytes.Buffer
	plan := append([]byte(`"$defs": {"plan": `), bytes.TrimSpace(planfile.Schema())...)
	whole := bytes.Replace(schemaJSON, []byte(`"$defs": {`), append(plan, ','), 1)
	if err := json.Indent(&out, whole, "", "  "); err != nil {
		panic("report: the schema is not JSON: " + err.Error()) // a test reads it
	}
	return out.Bytes()
}
