// Package document reads YAML and JSON value by value, and answers with everything
// that is wrong at its line and column. It knows no fields: packages model/files/jobfile and
// model/files/planfile do.
package document

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"

	"downbeat/model/near"
)

// Reader reads a document value by value and collects what is wrong with it.
type Reader struct {
	kind    string // what people call the document, like "job set"
	text    *text
	faults  faultList
	remarks faultList
	guesses int // suggestions made
	// Synonyms give, for words that other programs have for a field, the field and how
	// to write it: with %s for the value where that goes somewhere else.
	Synonyms map[string]Synonym
}

// Synonym is a field that another word is used for.
type Synonym struct {
	Field string
	// Form is how to write it, with %s for the value; empty where it is the field alone.
	Form string
}

// instead is the advice for a field of that name that is not known: by a synonym, or a
// name that is near.
func (r *Reader) instead(f Field, name string, known []string) string {
	s, ok := r.Synonyms[strings.ToLower(name)]
	value := Deref(f.Value)
	switch {
	case !ok || !slices.Contains(known, s.Field):
		return r.DidYouMean(name, known, "its fields are ")
	case s.Form == "":
		return fmt.Sprintf("did you mean %s?", s.Field)
	case value.Kind == yaml.ScalarNode && !IsNull(value):
		return "write " + fmt.Sprintf(s.Form, Shorten(value.Value))
	default:
		return "write " + fmt.Sprintf(s.Form, "…")
	}
}

// NewReader is the reader of a text.
func NewReader(kind string, src []byte) *Reader {
	return &Reader{kind: kind, text: newText(src)}
}

// Source is the text without a byte order mark.
func (r *Reader) Source() []byte { return r.text.src }

// Line is line n of the text, counted from 1, without its end.
func (r *Reader) Line(n int) string { return r.text.line(n) }

// Fits reports whether the text has at most so many bytes and nothing that no
// document needs; if not it notes why, with advice on size.
func (r *Reader) Fits(bytes int, advice string) bool {
	if len(r.text.src) > bytes {
		r.Note(Fault{Line: 1, Column: 1,
			Message: fmt.Sprintf("the file has more than %d MiB", bytes>>20), Advice: advice})
		return false
	}
	f, bad := r.text.badCharacter()
	if bad {
		r.Note(f)
	}
	return !bad
}

// Note notes a fault.
func (r *Reader) Note(f Fault) { r.faults.add(f) }

// Remark makes a note for people on something that is no fault.
func (r *Reader) Remark(f Fault) { r.remarks.add(f) }

// Remarks are the notes on the file of that name in the order of their positions, each
// as file:line:column: message; advice. Beyond MaxFaults they are counted.
func (r *Reader) Remarks(name string) []string {
	list, more := r.remarks.sorted()
	var out []string
	for _, f := range list {
		out = append(out, fmt.Sprintf("%s:%d:%d: %s", name, f.Line, f.Column, f))
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("%s: and %d more such notes", name, more))
	}
	return out
}

// FaultAt notes a fault at a node.
func (r *Reader) FaultAt(n *yaml.Node, message, advice string) {
	r.Note(Fault{Line: n.Line, Column: n.Column, Message: message, Advice: advice})
}

// Fault notes a fault about a field.
func (r *Reader) Fault(f Field, message, advice string) { r.FaultAt(f.At(), message, advice) }

// Sound reports that no fault was noted so far.
func (r *Reader) Sound() bool { return len(r.faults.kept) == 0 }

// Err is nil if no fault was noted, else the *Faults of the file of that name.
func (r *Reader) Err(name string) error { return r.faults.err(name, r.text) }

// Field is a value together with the key that it stands under; key is nil for
// the items of a list and for the root.
type Field struct {
	Key, Value *yaml.Node
}

// At is the node that a fault about the field points at. A value left empty
// has no place of its own.
func (f Field) At() *yaml.Node {
	if f.Key != nil && f.Value.Value == "" && IsNull(f.Value) {
		return f.Key
	}
	return f.Value
}

// Deref follows an alias.
func Deref(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func IsNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// Describe is what people call the node.
func Describe(n *yaml.Node) string {
	n = Deref(n)
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case IsNull(n) && n.Value == "":
		return "empty"
	case IsNull(n):
		return "null"
	case n.Tag == "!!str":
		return fmt.Sprintf("the text %q", Shorten(n.Value))
	default:
		return Shorten(n.Value)
	}
}

// Shorten keeps messages within a line that shows as it is.
func Shorten(s string) string {
	const limit = 60
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
	if len(s) <= limit {
		return s
	}
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return s
}

// Object is a mapping with known fields.
type Object struct {
	Node   *yaml.Node
	What   string
	Fields []Field
	names  []string // of fields
	// meant are known fields that unknown ones were taken for: a fault was noted.
	meant []string
}

// Add adds a field.
func (o *Object) Add(name string, f Field) {
	o.Fields = append(o.Fields, f)
	o.names = append(o.names, name)
}

// Meant reports whether a field that is not known was taken for the one of that name: that
// it is missing is then no fault of its own.
func (o *Object) Meant(name string) bool { return slices.Contains(o.meant, name) }

// Get is the field of that name, nil if it is not there.
func (o *Object) Get(name string) *Field {
	if i := slices.Index(o.names, name); i >= 0 {
		return &o.Fields[i]
	}
	return nil
}

// Object reads a mapping and reports fields that it does not know; nil if the
// value is no mapping.
func (r *Reader) Object(f Field, what string, known ...string) *Object {
	if n := Deref(f.Value); n.Kind != yaml.MappingNode {
		r.Fault(f, fmt.Sprintf("%s is %s where a mapping is expected", what, Describe(n)), "write its fields: "+strings.Join(known, ", "))
		return nil
	}
	fields, _ := r.Mapping(f, what)
	o := &Object{Node: Deref(f.Value), What: what}
	for _, p := range fields {
		name := Deref(p.Key).Value
		if !slices.Contains(known, name) {
			r.FaultAt(p.Key, fmt.Sprintf("unknown field %q in %s", Shorten(name), what), r.instead(p, name, known))
			o.meant = append(o.meant, near.Word(name, known), r.Synonyms[strings.ToLower(name)].Field)
			continue
		}
		o.Add(name, p)
	}
	return o
}

// Require is the field of that name; its lack is reported at the mapping, unless it was
// meant.
func (r *Reader) Require(o *Object, name, example string) *Field {
	f := o.Get(name)
	if f == nil && !o.Meant(name) {
		r.FaultAt(o.Node, fmt.Sprintf("%s has no %s", o.What, name), "add "+example)
	}
	return f
}

// Mapping gives the fields of a mapping, merge keys worked in: a key's own
// value beats a merged one, an earlier merged mapping beats a later one.
func (r *Reader) Mapping(f Field, what string) ([]Field, bool) {
	n := Deref(f.Value)
	if n.Kind != yaml.MappingNode {
		r.Fault(f, fmt.Sprintf("%s is %s where a mapping is expected", what, Describe(n)), "write {key: value, …}")
		return nil, false
	}
	out := make([]Field, 0, len(n.Content)/2)
	first := make(map[string]*yaml.Node, len(n.Content)/2)
	var merges []Field
	for i := 0; i+1 < len(n.Content); i += 2 {
		p := Field{n.Content[i], n.Content[i+1]}
		key := Deref(p.Key)
		switch {
		case key.Tag == "!!merge":
			merges = append(merges, p)
			continue
		case key.Kind != yaml.ScalarNode || IsNull(key):
			r.FaultAt(p.Key, fmt.Sprintf("a key of %s is %s", what, Describe(key)), "write a name")
			continue
		}
		if before, twice := first[key.Value]; twice {
			r.FaultAt(p.Key, fmt.Sprintf("%q is given twice in %s; it stands already in line %d", Shorten(key.Value), what, before.Line), "remove one")
			continue
		}
		first[key.Value] = p.Key
		out = append(out, p)
	}
	for _, m := range merges {
		for _, p := range r.merged(m, what) {
			name := Deref(p.Key).Value
			if _, there := first[name]; !there {
				first[name] = p.Key
				out = append(out, p)
			}
		}
	}
	return out, true
}

// merged gives the fields that a merge key brings in.
func (r *Reader) merged(m Field, what string) []Field {
	if Deref(m.Value).Kind != yaml.SequenceNode {
		fields, _ := r.Mapping(m, "what << merges into "+what)
		return fields
	}
	var out []Field
	for _, n := range Deref(m.Value).Content {
		fields, _ := r.Mapping(Field{Value: n}, "what << merges into "+what)
		out = append(out, fields...)
	}
	return out
}

// List gives the items of a list, which must not be empty.
func (r *Reader) List(f Field, what, item string) []Field {
	n := Deref(f.Value)
	if n.Kind != yaml.SequenceNode {
		r.Fault(f, fmt.Sprintf("%s is %s where a list is expected", what, Describe(n)), "put - before each item, or write [item, item]")
		return nil
	}
	if len(n.Content) == 0 {
		r.Fault(f, what+" is an empty list", "give at least "+item)
	}
	return Items(n)
}

func Items(n *yaml.Node) []Field {
	out := make([]Field, len(n.Content))
	for i, c := range n.Content {
		out[i] = Field{Value: c}
	}
	return out
}

// maxGuesses bounds the search for similar names: each looks at every name.
const maxGuesses = 100

// DidYouMean is the advice for a name that is not among the known ones.
func (r *Reader) DidYouMean(name string, known []string, listed string) string {
	r.guesses++
	if r.guesses <= maxGuesses {
		if near := nearest(name, known); near != "" {
			return fmt.Sprintf("did you mean %s?", near)
		}
	}
	const shown = 12
	if len(known) > shown {
		return fmt.Sprintf("%s%s and %d more", listed, strings.Join(known[:shown], ", "), len(known)-shown)
	}
	return listed + strings.Join(known, ", ")
}

// nearest is the known name that this one may be a typing error of. Names that
// differ in digits only (s7, s17) are not.
func nearest(name string, known []string) string {
	letters := withoutDigits(name)
	return near.Word(name, slices.DeleteFunc(slices.Clone(known), func(k string) bool { return withoutDigits(k) == letters }))
}

func withoutDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, s)
}
