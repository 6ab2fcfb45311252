package schematest

import "testing"

// A fragment names a definition, and formats count.
func TestCompile(t *testing.T) {
	schema := []byte(`{"type": "object", "$defs": {"day": {"type": "string", "format": "date"}}}`)
	for _, c := range []struct {
		fragment, text string
		want           bool
	}{
		{"", `{}`, true}, {"", `"2026-11-21"`, false}, {"#/$defs/day", `"2026-11-21"`, true}, {"#/$defs/day", `"2026-11-31"`, false},
	} {
		if err := Compile(t, schema, c.fragment).Validate(Value(t, []byte(c.text))); (err == nil) != c.want {
			t.Errorf("%s under %q: %v", c.text, c.fragment, err)
		}
	}
}
