package schematest

import (
	"fmt"
	"strings"
	"testing"
)

// told keeps what a test that is tested tells.
type told struct {
	testing.TB
	lines []string
}

func (r *told) Helper() {}

func (r *told) Errorf(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

type sample struct {
	Name  string         `json:"name"`
	Kind  string         `json:"kind"`
	Least *int64         `json:"least"`
	Pair  [2]int         `json:"pair"`
	Of    map[string]int `json:"of,omitempty"`
	part
}

type part struct {
	Parts []*part `json:"parts"`
}

const sampleSchema = `{"type": "object", "required": ["name", "kind", "least", "pair", "parts"], "properties": {
"name": {"type": "string"}, "kind": {"enum": ["a", "b"]}, "least": {"type": ["integer", "null"]},
"pair": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
"of": {"type": "object", "additionalProperties": {"type": "integer"}}, "parts": {"$ref": "#/$defs/parts"}},
"$defs": {"parts": {"type": "array", "items": {"anyOf": [{"type": "null"}, {"type": "object", "required": ["parts"], "properties": {"parts": {"$ref": "#/$defs/parts"}}}]}}}}`

// Every difference between a schema and a type is told, whichever of the two has more.
func TestSchemaTypes(t *testing.T) {
	for _, c := range []struct{ old, other, want string }{
		{"", "", ""},
		{`"name": {"type": "string"}, `, ``, `the field "name" is not in the schema`},
		{`"kind": {`, `"more": {"type": "string"}, "kind": {`, `there is no field "more"`},
		{`["name", `, `[`, `"name" is required: false, always written: true`},
		{`["name", `, `["of", "name", `, `"of" is required: true, always written: false`},
		{`["name", `, `["gone", "name", `, `"gone" is required, and nothing`},
		{`"string"`, `"number"`, `"number" in the schema, and string is "string"`},
		{`["integer", "null"]`, `"integer"`, `null is allowed: false, is written: true`},
		{`{"type": "string"}`, `{"type": ["string", "null"]}`, `null is allowed: true, is written: false`},
		{`["a", "b"]`, `["a"]`, `those of the program ["a" "b"]`},
		{`["a", "b"]`, `["a", "b", "c"]`, `those of the program ["a" "b"]`},
		{`{"enum": ["a", "b"]}`, `{"type": "string"}`, `there are no words at #/properties/kind`},
		{`"maxItems": 2`, `"maxItems": 3`, `items, not 2`},
		{`"additionalProperties": {"type": "integer"}`, `"minProperties": 1`, `nothing is said of members`},
		{`"additionalProperties": {"type": "integer"}`, `"additionalProperties": {"type": "string"}`, `.of{}: "string" in the schema`},
		{`"$defs": {`, `"$defs": {"none": {}, `, `the definition none is of no type`},
	} {
		r := &told{TB: t}
		Types{Of: map[string]any{"#": sample{}}, Words: map[string][]string{"#/properties/kind": {"a", "b"}}}.
			Check(r, []byte(strings.Replace(sampleSchema, c.old, c.other, 1)))
		if all := strings.Join(r.lines, "\n"); !strings.Contains(all, c.want) || c.want == "" && all != "" {
			t.Errorf("%s in place of %s: %q, want %q", c.other, c.old, all, c.want)
		}
	}
}

// What texts lack of a schema, or have beyond it, is told.
func TestSchemaUse(t *testing.T) {
	const schema = `{"$ref": "#/$defs/line", "$defs": {"line": {"oneOf": [
{"type": "object", "required": ["kind"], "properties": {"kind": {"enum": ["a", "b"]}, "n": {"type": "integer"}}},
{"type": "object", "required": ["list"], "properties": {"list": {"type": "array", "prefixItems": [{"type": "string"}], "items": {"enum": [1, 2]}}, "of": {"type": "object", "additionalProperties": {"type": "integer"}}}}]}}}`
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{`{"kind": "a"}`, `{"kind": "b", "n": 1}`, `{"list": ["x", 1, 2], "of": {"y": 3}}`, `{"list": []}`}, ""},
		{[]string{`{"kind": "a"}`, `{"list": ["x"]}`}, "#/$defs/line/oneOf/0/properties/kind: b is never written"},
		{[]string{`{"kind": "a"}`, `{"kind": "b"}`}, "#/$defs/line/oneOf/0/properties/n is never written"},
		{[]string{`{"kind": "a", "n": 1}`, `{"kind": "b", "n": 1}`}, "n is always written, and not required"},
		{[]string{`{"kind": "a", "m": 1}`}, `the schema does not name "m"`},
	} {
		r := &told{TB: t}
		use := NewUse(r, []byte(schema))
		for _, text := range c.texts {
			use.Take([]byte(text))
		}
		use.Check("line")
		if all := strings.Join(r.lines, "\n"); !strings.Contains(all, c.want) || c.want == "" && all != "" {
			t.Errorf("%q: %q, want %q", c.texts, all, c.want)
		}
	}
}
