package schematest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Use holds a JSON Schema against texts that are written without types of Go, in both
// directions: they have no member that the schema does not name, and all that it names is in
// one of them.
type Use struct {
	tree
	schema  []byte
	compile map[string]*jsonschema.Schema
	// written are fragments of properties that some text has, and of words, missing those that one
	// has not that could.
	written, missing map[string]bool
	objects          map[string]bool // fragments
}

// NewUse begins with no text.
func NewUse(t testing.TB, schema []byte) *Use {
	t.Helper()
	return &Use{tree: readTree(t, schema), schema: schema, compile: map[string]*jsonschema.Schema{},
		written: map[string]bool{}, missing: map[string]bool{}, objects: map[string]bool{}}
}

// Take takes a text, which fails the test where it is not valid.
func (u *Use) Take(text []byte) {
	u.Helper()
	value := Value(u, text)
	if err := u.compiled("#").Validate(value); err != nil {
		u.Fatalf("%v in %s", err, text)
	}
	u.take("#", value)
}

func (u *Use) compiled(fragment string) *jsonschema.Schema {
	u.Helper()
	if u.compile[fragment] == nil {
		u.compile[fragment] = Compile(u, u.schema, fragment)
	}
	return u.compile[fragment]
}

// take notes what a value, which is valid, has of a part of the schema.
func (u *Use) take(fragment string, value any) {
	u.Helper()
	s := u.at(fragment)
	if ref, ok := s["$ref"].(string); ok {
		u.take(u.target(fragment, ref), value)
	}
	for _, key := range []string{"allOf", "oneOf", "anyOf"} {
		for k := range list(s[key]) {
			if part := fmt.Sprintf("%s/%s/%d", fragment, key, k); u.compiled(part).Validate(value) == nil {
				u.take(part, value)
			}
		}
	}
	for _, word := range list(s["enum"]) {
		if word == value {
			u.written[fmt.Sprintf("%s/enum/%v", fragment, word)] = true
		}
	}
	switch v := value.(type) {
	case map[string]any:
		u.object(fragment, s, v)
	case []any:
		prefix := list(s["prefixItems"])
		for k := range v {
			switch {
			case k < len(prefix):
				u.take(fmt.Sprintf("%s/prefixItems/%d", fragment, k), v[k])
			case s["items"] != nil:
				u.take(fragment+"/items", v[k])
			}
		}
	}
}

func (u *Use) object(fragment string, s map[string]any, v map[string]any) {
	u.Helper()
	properties, _ := s["properties"].(map[string]any)
	if properties == nil && s["additionalProperties"] == nil {
		return
	}
	u.objects[fragment] = true
	for name := range properties {
		at := fragment + "/properties/" + name
		if member, ok := v[name]; ok {
			u.written[at] = true
			u.take(at, member)
		} else {
			u.missing[at] = true
		}
	}
	for name, member := range v {
		if _, ok := properties[name]; ok {
			continue
		}
		if _, ok := s["additionalProperties"].(map[string]any); !ok {
			u.Errorf("%s: the schema does not name %q", fragment, name)
			continue
		}
		u.take(fragment+"/additionalProperties", member)
	}
}

// Check tells what no text had of these definitions and of what they refer to, and which members
// all of them had that are not required.
func (u *Use) Check(definitions ...string) {
	u.Helper()
	of := func(fragment string) bool {
		return slices.ContainsFunc(definitions, func(d string) bool { return strings.HasPrefix(fragment+"/", "#/$defs/"+d+"/") })
	}
	for _, d := range definitions {
		u.check("#/$defs/" + d)
	}
	for _, fragment := range slices.Sorted(maps.Keys(u.objects)) {
		if !of(fragment) {
			u.Errorf("%s is written, and not among what is checked", fragment)
		}
	}
}

// check tells it of a part of the schema, not of what it refers to.
func (u *Use) check(fragment string) {
	u.Helper()
	s := u.at(fragment)
	for _, word := range list(s["enum"]) {
		if !u.written[fmt.Sprintf("%s/enum/%v", fragment, word)] {
			u.Errorf("%s: %v is never written", fragment, word)
		}
	}
	properties, _ := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		at := fragment + "/properties/" + name
		switch required := slices.Contains(list(s["required"]), any(name)); {
		case !u.written[at]:
			u.Errorf("%s is never written", at)
		case !required && !u.missing[at]:
			u.Errorf("%s is always written, and not required", at)
		}
	}
	for key, part := range s {
		switch part := part.(type) {
		case map[string]any:
			switch key {
			case "properties":
				for name := range part {
					u.check(fragment + "/properties/" + name)
				}
			case "items", "additionalProperties":
				u.check(fragment + "/" + key)
			}
		case []any:
			if key == "oneOf" || key == "anyOf" || key == "allOf" || key == "prefixItems" {
				for k := range part {
					u.check(fmt.Sprintf("%s/%s/%d", fragment, key, k))
				}
			}
		}
	}
}
