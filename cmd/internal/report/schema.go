package report

import (
	"bytes"
	_ "embed"
	"encoding/json"

	"downbeat/model/files/planfile"
)

//go:embed schema.json
var schemaJSON []byte

// answers are the definitions in the schema of which the answer of a command is one. Those
// of plan and show are plan files too.
var answers = []struct {
	command string
	defs    []string
}{
	{"check", []string{"check", "losses"}}, {"size", []string{"size", "frontier"}}, {"slack", []string{"slack"}},
	{"validate", []string{"validate"}}, {"verify-proof", []string{"proof"}}, {"diff", []string{"diff"}}, {"show", []string{"next", "late"}}, {"simulate", []string{"simulate"}},
}

// Answers lists the commands of whose answers there is a schema.
func Answers() []string {
	var names []string
	for _, a := range answers {
		names = append(names, a.command)
	}
	return names
}

// schemaDocument is a JSON Schema whose definitions are kept as they are written.
type schemaDocument struct {
	Schema      string          `json:"$schema"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	AnyOf       []reference     `json:"anyOf"`
	Defs        json.RawMessage `json:"$defs"`
}

type reference struct {
	Ref string `json:"$ref"`
}

// Schema is a JSON Schema (draft 2020-12) of what the view for programs prints. It holds
// that of plan files.
func Schema() []byte {
	doc := readDocument()
	doc.AnyOf = []reference{planFile}
	for _, a := range answers {
		doc.AnyOf = append(doc.AnyOf, references(a.defs)...)
	}
	return doc.text()
}

// SchemaOf is that of the answer of one of the commands of Answers.
func SchemaOf(command string) []byte {
	doc := readDocument()
	for _, a := range answers {
		if a.command == command {
			doc.Title, doc.Description = "downbeat "+command, "What --format json prints of the answer of "+command+". Fields may be added."
			doc.AnyOf = references(a.defs)
			if command == "show" {
				doc.AnyOf = append(doc.AnyOf, planFile)
			}
		}
	}
	return doc.text()
}

// planFile refers to the schema of plan files.
var planFile = reference{"urn:downbeat:plan"}

func references(defs []string) []reference {
	var out []reference
	for _, d := range defs {
		out = append(out, reference{"#/$defs/" + d})
	}
	return out
}

// readDocument has the definitions, and that of plan files, to which some refer.
func readDocument() *schemaDocument {
	var doc schemaDocument
	if err := json.Unmarshal(schemaJSON, &doc); err != nil {
		panic("report: the schema is not JSON: " + err.Error()) // a test reads it
	}
	plan := append([]byte(`{"plan": `), bytes.TrimSpace(planfile.Schema())...)
	doc.Defs = append(append(plan, ','), bytes.TrimSpace(doc.Defs)[1:]...)
	return &doc
}

func (d *schemaDocument) text() []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(d); err != nil {
		panic("report: the schema is not JSON: " + err.Error())
	}
	return out.Bytes()
}
