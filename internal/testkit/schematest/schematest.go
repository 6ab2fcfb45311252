// Package schematest holds files against JSON Schemas, and these against the program, for
// tests: types.go against the Go types that are written, use.go against what is written. It stands apart from package
// testkit, for the validator of schemas takes a hundredth of a second to start.
package schematest

import (
	"bytes"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Compile is a JSON Schema, or the definition in it that a fragment names: "" for all of
// it, "#/$defs/job" for one. Formats are asserted. A text that is no schema fails the test.
func Compile(t testing.TB, schema []byte, fragment string) *jsonschema.Schema {
	t.Helper()
	const name = "schema.json"
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(name, Value(t, schema)); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name + fragment)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// CompileFile is [Compile] of the schema in a file.
func CompileFile(t testing.TB, path string) *jsonschema.Schema {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return Compile(t, src, "")
}

// Value is a JSON text as schemas see it. A text that is none fails the test.
func Value(t testing.TB, text []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}
