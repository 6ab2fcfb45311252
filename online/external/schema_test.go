package external

import (
	"slices"
	"testing"

	"downbeat/internal/testkit/schematest"
)

// TestSchemaOfAnswersIsOfTypes: the schema says of answers what the types say that they are read
// into, and lists the words that are known. Of what is written TestSchemaOfLines tells.
func TestSchemaOfAnswersIsOfTypes(t *testing.T) {
	words := map[string][]string{}
	for _, f := range (&hello{}).words() {
		at := "#/$defs/hello/properties/" + f.name
		if f.name == "on" || f.name == "events" {
			at += "/items"
		}
		words[at] = slices.DeleteFunc(f.known, func(w string) bool { return w == "" })
	}
	schematest.Types{
		Of:    map[string]any{"#/$defs/hello": hello{}, "#/$defs/admission": admission{}, "#/$defs/keys": keys{}, "#/$defs/tasks": answer{}},
		Lax:   []string{"#/$defs/hello", "#/$defs/admission", "#/$defs/tasks"},
		Words: words,
		Apart: []string{"#/$defs/start", "#/$defs/admit", "#/$defs/rank", "#/$defs/heartbeat", "#/$defs/end", "#/$defs/state", "#/$defs/candidate", "#/$defs/event"},
	}.Check(t, Schema())
}
