package schematest

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Types says which Go types a JSON Schema is of.
type Types struct {
	// Of has, by the fragment of a schema, "#" for all of it, the [reflect.Type] that is written
	// as it says, or a value of it, or a [Union].
	Of map[string]any
	// As has a value of the type that is written in the place of another: by the type's
	// own MarshalJSON, or by hand.
	As map[reflect.Type]any
	// Words are, by fragment, those that may stand where the schema lists words.
	Words map[string][]string
	// Apart are fragments that are held against the program elsewhere.
	Apart []string
	// Lax are fragments of objects that are read, too or alone, and may lack fields then that are
	// always written; a pointer tells that one is lacking. Where they have alternatives, the
	// type has the fields of all.
	Lax []string
}

// Union has values of struct types, of which one or another is written.
type Union []any

// Check holds a schema against Go types as encoding/json writes them, in both directions: an
// object has the fields of its struct and no others, requires those that are always written, and
// has of each what the field's type is; words are those of the program; no definition is of
// nothing. Descriptions, bounds, patterns and conditions are the schema's own.
func (x Types) Check(t testing.TB, schema []byte) {
	t.Helper()
	w := &walk{Types: x, tree: readTree(t, schema), done: map[visit]bool{}, seen: map[string]bool{}, words: map[string]bool{}}
	for _, fragment := range slices.Sorted(maps.Keys(x.Of)) {
		if types, ok := x.Of[fragment].(Union); ok {
			w.union(fragment, types)
			continue
		}
		of, ok := x.Of[fragment].(reflect.Type)
		if !ok {
			of = reflect.TypeOf(x.Of[fragment])
		}
		w.match(fragment, fragment, of, false)
	}
	for _, fragment := range x.Apart {
		w.see(fragment)
		if ref, ok := w.at(fragment)["$ref"].(string); ok {
			w.see(w.target(fragment, ref))
		}
	}
	for name := range w.definitions() {
		if !w.seen["#/$defs/"+name] {
			t.Errorf("the definition %s is of no type", name)
		}
	}
	for fragment := range x.Words {
		if !w.words[fragment] {
			t.Errorf("there are no words at %s", fragment)
		}
	}
}

// visit is a type that a part of the schema was held against.
type visit struct {
	fragment string
	of       reflect.Type
	null     bool
}

// tree is a JSON Schema by its fragments.
type tree struct {
	testing.TB
	root map[string]any
}

func readTree(t testing.TB, schema []byte) tree {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(schema))
	dec.UseNumber()
	out := tree{TB: t}
	if err := dec.Decode(&out.root); err != nil {
		t.Fatal(err)
	}
	return out
}

type walk struct {
	Types
	tree
	done  map[visit]bool
	seen  map[string]bool // fragments that something refers to
	words map[string]bool // of Words
}

func (w *tree) definitions() map[string]any {
	d, _ := w.root["$defs"].(map[string]any)
	return d
}

// at is the part of the schema that a fragment names.
func (w *tree) at(fragment string) map[string]any {
	w.Helper()
	var part any = w.root
	for _, step := range strings.Split(strings.TrimPrefix(fragment, "#"), "/")[1:] {
		switch p := part.(type) {
		case map[string]any:
			part = p[strings.ReplaceAll(step, "~1", "/")]
		case []any:
			var k int
			if _, err := fmt.Sscan(step, &k); err != nil || k >= len(p) {
				w.Fatalf("the schema has no %s", fragment)
			}
			part = p[k]
		}
	}
	object, ok := part.(map[string]any)
	if !ok {
		w.Fatalf("the schema has no %s", fragment)
	}
	return object
}

// target is the fragment that a reference leads to, also from and into a definition with an id.
func (w *tree) target(from, ref string) string {
	if strings.HasPrefix(ref, "#") {
		steps := strings.Split(from, "/")
		if len(steps) > 2 && steps[1] == "$defs" && w.at(strings.Join(steps[:3], "/"))["$id"] != nil {
			return strings.Join(steps[:3], "/") + ref[1:]
		}
		return ref
	}
	id, rest, _ := strings.Cut(ref, "#")
	for name, def := range w.definitions() {
		if def.(map[string]any)["$id"] == id {
			return "#/$defs/" + name + rest
		}
	}
	w.Fatalf("nothing is %s", ref)
	return ""
}

// see notes that something refers to a fragment, and so to the definition that it is in.
func (w *walk) see(fragment string) {
	w.seen[fragment] = true
	if steps := strings.Split(fragment, "/"); len(steps) > 2 {
		w.seen[strings.Join(steps[:3], "/")] = true
	}
}

// parts are the schemas that all hold at a fragment, itself first: those it refers to, and
// those of allOf.
func (w *walk) parts(fragment string) []string {
	out := []string{fragment}
	s := w.at(fragment)
	if ref, ok := s["$ref"].(string); ok {
		target := w.target(fragment, ref)
		w.see(target)
		out = append(out, w.parts(target)...)
	}
	for k := range list(s["allOf"]) {
		out = append(out, w.parts(fmt.Sprintf("%s/allOf/%d", fragment, k))...)
	}
	if slices.Contains(w.Lax, fragment) {
		for k := range list(s["oneOf"]) {
			out = append(out, w.parts(fmt.Sprintf("%s/oneOf/%d", fragment, k))...)
		}
	}
	return out
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// match holds a part of the schema, at a path that people read, against a type; null tells
// that the value may be null.
func (w *walk) match(path, fragment string, of reflect.Type, null bool) {
	if as, ok := w.As[of]; ok {
		of = reflect.TypeOf(as)
	}
	w.see(fragment)
	if slices.Contains(w.Apart, fragment) {
		return
	}
	if v := (visit{fragment, of, null}); w.done[v] {
		return
	} else {
		w.done[v] = true
	}
	parts := w.parts(fragment)
	for _, p := range parts { // null or something
		for _, key := range []string{"anyOf", "oneOf"} {
			if rest, ok := w.orNull(p, key); ok {
				if !null {
					w.Errorf("%s: null is allowed, and never written", path)
				}
				w.match(path, rest, of, false)
				return
			}
		}
	}
	if of.Kind() == reflect.Pointer {
		w.match(path, fragment, of.Elem(), null)
		return
	}
	if of.Implements(reflect.TypeFor[json.Marshaler]()) || reflect.PointerTo(of).Implements(reflect.TypeFor[json.Marshaler]()) {
		w.Errorf("%s: %s writes itself: say as what", path, of)
		return
	}
	want := kindOf(of)
	got, nullable := w.kind(parts)
	if got != want {
		w.Errorf("%s: %q in the schema, and %s is %q", path, got, of, want)
		return
	}
	if of.Kind() == reflect.Slice && nullable {
		null = true // which the schema knows better
	}
	if nullable != null {
		w.Errorf("%s: null is allowed: %t, is written: %t", path, nullable, null)
	}
	w.content(path, parts, of)
}

// orNull is the other one of two alternatives of which one is null.
func (w *walk) orNull(fragment, key string) (rest string, ok bool) {
	alternatives := list(w.at(fragment)[key])
	for k, a := range alternatives {
		if a.(map[string]any)["type"] == "null" && len(alternatives) == 2 {
			return fmt.Sprintf("%s/%s/%d", fragment, key, 1-k), true
		}
	}
	return "", false
}

// content holds what is within a value against its type.
func (w *walk) content(path string, parts []string, of reflect.Type) {
	switch of.Kind() {
	case reflect.Struct:
		w.object(path, parts, fields(of, true))
	case reflect.Map:
		w.mapping(path, parts, of)
	case reflect.Slice:
		for _, p := range parts {
			if w.at(p)["items"] != nil {
				w.match(path+"[]", p+"/items", of.Elem(), of.Elem().Kind() == reflect.Pointer)
				return
			}
		}
		w.Errorf("%s: nothing is said of items", path)
	case reflect.Array:
		w.array(path, parts, of)
	case reflect.String:
		w.word(path, parts)
	}
}

// kindOf is the name that JSON Schemas have for what a type is written as; "" for anything.
func kindOf(of reflect.Type) string {
	if of.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return "string"
	}
	switch of.Kind() {
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Interface:
		return ""
	default:
		return "integer"
	}
}

// kind is what the parts say of a value.
func (w *walk) kind(parts []string) (kind string, nullable bool) {
	for _, p := range parts {
		s := w.at(p)
		kinds := slices.Clone(list(s["type"]))
		if s["properties"] != nil {
			kinds = append(kinds, "object")
		}
		if one, ok := s["type"].(string); ok {
			kinds = []any{one}
		}
		for _, v := range append(list(s["enum"]), s["const"]) {
			switch v.(type) {
			case string:
				kinds = append(kinds, "string")
			case json.Number:
				kinds = append(kinds, "integer")
			case bool:
				kinds = append(kinds, "boolean")
			}
		}
		for _, k := range kinds {
			switch {
			case k == "null":
				nullable = true
			case kind == "" || kind == k.(string):
				kind = k.(string)
			default:
				w.Errorf("%s: %s or %s", p, kind, k)
			}
		}
	}
	return kind, nullable
}

// field is one of a struct as it is written.
type field struct {
	name   string
	of     reflect.Type
	always bool
	// omitted where it is empty
	omitted bool
}

// fields are those that encoding/json writes.
func fields(of reflect.Type, always bool) (out []field) {
	for i := range of.NumField() {
		f := of.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case tag == "-":
			continue
		case f.Anonymous && tag == "":
			embedded := f.Type
			if embedded.Kind() == reflect.Pointer {
				embedded = embedded.Elem()
			}
			out = append(out, fields(embedded, always && f.Type.Kind() != reflect.Pointer)...)
			continue
		case !f.IsExported():
			continue
		case tag == "":
			tag = f.Name
		}
		omitted := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		out = append(out, field{tag, f.Type, always && !omitted, omitted})
	}
	// A field hides those of its name in what is embedded.
	seen := map[string]int{}
	for i, f := range out {
		seen[f.name] = i
	}
	kept := out[:0]
	for i, f := range out {
		if seen[f.name] == i {
			kept = append(kept, f)
		}
	}
	return kept
}

// union holds a part of the schema against several types: what all of them always write is
// required.
func (w *walk) union(fragment string, types Union) {
	w.see(fragment)
	var all []field
	for k, v := range types {
		of := fields(reflect.TypeOf(v), true)
		for i := range all { // what is not in this one
			all[i].always = all[i].always && slices.ContainsFunc(of, func(f field) bool { return f.name == all[i].name && f.always })
		}
		for _, f := range of {
			if !slices.ContainsFunc(all, func(g field) bool { return g.name == f.name }) {
				f.always = f.always && k == 0
				all = append(all, f)
			}
		}
	}
	w.object(fragment, w.parts(fragment), all)
}

func (w *walk) object(path string, parts []string, all []field) {
	properties, required, lax := map[string]string{}, map[string]bool{}, false
	for _, p := range parts {
		lax = lax || slices.Contains(w.Lax, p)
		s := w.at(p)
		names, _ := s["properties"].(map[string]any)
		for name := range names {
			if _, twice := properties[name]; !twice {
				properties[name] = p + "/properties/" + name
			}
		}
		for _, name := range list(s["required"]) {
			required[name.(string)] = true
		}
	}
	for _, f := range all {
		at, ok := properties[f.name]
		if !ok {
			w.Errorf("%s: the field %q is not in the schema", path, f.name)
			continue
		}
		delete(properties, f.name)
		if required[f.name] != f.always && !(lax && f.always) {
			w.Errorf("%s: %q is required: %t, always written: %t", path, f.name, required[f.name], f.always)
		}
		delete(required, f.name)
		null := f.of.Kind() == reflect.Pointer && !f.omitted
		if null && lax {
			_, null = w.kind(w.parts(at))
		}
		w.match(path+"."+f.name, at, f.of, null)
	}
	for name, at := range properties {
		if slices.Contains(w.Apart, at) {
			continue
		}
		w.Errorf("%s: there is no field %q", path, name)
	}
	for name := range required {
		w.Errorf("%s: %q is required, and nothing", path, name)
	}
}

func (w *walk) mapping(path string, parts []string, of reflect.Type) {
	found := false
	for _, p := range parts {
		s := w.at(p)
		if _, ok := s["additionalProperties"].(map[string]any); ok {
			found = true
			w.match(path+"{}", p+"/additionalProperties", of.Elem(), of.Elem().Kind() == reflect.Pointer)
		}
		if _, ok := s["propertyNames"].(map[string]any); ok {
			w.word(path, []string{p + "/propertyNames"})
		}
	}
	if !found {
		w.Errorf("%s: nothing is said of members", path)
	}
}

func (w *walk) array(path string, parts []string, of reflect.Type) {
	for _, p := range parts {
		s := w.at(p)
		if items := list(s["prefixItems"]); items != nil {
			if len(items) != of.Len() {
				w.Errorf("%s: %d items, not %d", path, len(items), of.Len())
			}
			for k := range items {
				w.match(fmt.Sprintf("%s[%d]", path, k), fmt.Sprintf("%s/prefixItems/%d", p, k), of.Elem(), false)
			}
			return
		}
		if s["items"] == nil {
			continue
		}
		if n := json.Number(fmt.Sprint(of.Len())); s["minItems"] != n || s["maxItems"] != n {
			w.Errorf("%s: from %v to %v items, not %s", path, s["minItems"], s["maxItems"], n)
		}
		w.match(path+"[]", p+"/items", of.Elem(), of.Elem().Kind() == reflect.Pointer)
		return
	}
	w.Errorf("%s: nothing is said of items", path)
}

// word holds words that are listed against those of the program.
func (w *walk) word(path string, parts []string) {
	for _, p := range parts {
		var listed []string
		s := w.at(p)
		for _, v := range list(s["enum"]) {
			if text, ok := v.(string); ok {
				listed = append(listed, text)
			}
		}
		if text, ok := s["const"].(string); ok {
			listed = append(listed, text)
		}
		if listed == nil {
			continue
		}
		w.words[p] = true
		want, known := w.Words[p]
		slices.Sort(listed)
		if want = slices.Sorted(slices.Values(want)); !known || !slices.Equal(listed, want) {
			w.Errorf("%s: the words at %s are %q, those of the program %q", path, p, listed, want)
		}
	}
}
