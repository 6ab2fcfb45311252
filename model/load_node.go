package model

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"downbeat/model/near"

	"gopkg.in/yaml.v3"
)

// field is a value together with the key that it stands under; key is nil for
// the items of a list and for the root.
type field struct {
	key, value *yaml.Node
}

// at is the node that a fault about the field points at. A value left empty
// has no place of its own.
func (f field) at() *yaml.Node {
	if f.key != nil && f.value.Value == "" && isNull(f.value) {
		return f.key
	}
	return f.value
}

// deref follows an alias.
func deref(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// describe is what people call the node.
func describe(n *yaml.Node) string {
	n = deref(n)
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case isNull(n) && n.Value == "":
		return "empty"
	case isNull(n):
		return "null"
	case n.Tag == "!!str":
		return fmt.Sprintf("the text %q", shorten(n.Value))
	default:
		return shorten(n.Value)
	}
}

// shorten keeps messages within a line that shows as it is.
func shorten(s string) string {
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
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return s
}

func (l *loader) faultAt(n *yaml.Node, message, advice string) {
	l.faults.add(Fault{Line: n.Line, Column: n.Column, Message: message, Advice: advice})
}

func (l *loader) fault(f field, message, advice string) { l.faultAt(f.at(), message, advice) }

// object is a mapping with known fields.
type object struct {
	node   *yaml.Node
	what   string
	fields []field
	names  []string // of fields
}

// get is the field of that name, nil if it is not there.
func (o *object) get(name string) *field {
	if i := slices.Index(o.names, name); i >= 0 {
		return &o.fields[i]
	}
	return nil
}

// object reads a mapping and reports fields that it does not know; nil if the
// value is no mapping.
func (l *loader) object(f field, what string, known ...string) *object {
	if n := deref(f.value); n.Kind != yaml.MappingNode {
		l.fault(f, fmt.Sprintf("%s is %s where a mapping is expected", what, describe(n)), "write its fields: "+strings.Join(known, ", "))
		return nil
	}
	fields, _ := l.mapping(f, what)
	o := &object{node: deref(f.value), what: what}
	for _, p := range fields {
		name := deref(p.key).Value
		if !slices.Contains(known, name) {
			l.faultAt(p.key, fmt.Sprintf("unknown field %q in %s", shorten(name), what), l.didYouMean(name, known, "its fields are "))
			continue
		}
		o.fields = append(o.fields, p)
		o.names = append(o.names, name)
	}
	return o
}

// require is the field of that name; its lack is reported at the mapping.
func (l *loader) require(o *object, name, example string) *field {
	f := o.get(name)
	if f == nil {
		l.faultAt(o.node, fmt.Sprintf("%s has no %s", o.what, name), "add "+example)
	}
	return f
}

// mapping gives the fields of a mapping, merge keys worked in: a key's own
// value beats a merged one, an earlier merged mapping beats a later one.
func (l *loader) mapping(f field, what string) ([]field, bool) {
	n := deref(f.value)
	if n.Kind != yaml.MappingNode {
		l.fault(f, fmt.Sprintf("%s is %s where a mapping is expected", what, describe(n)), "write {key: value, …}")
		return nil, false
	}
	out := make([]field, 0, len(n.Content)/2)
	first := make(map[string]*yaml.Node, len(n.Content)/2)
	var merges []field
	for i := 0; i+1 < len(n.Content); i += 2 {
		p := field{n.Content[i], n.Content[i+1]}
		key := deref(p.key)
		switch {
		case key.Tag == "!!merge":
			merges = append(merges, p)
			continue
		case key.Kind != yaml.ScalarNode || isNull(key):
			l.faultAt(p.key, fmt.Sprintf("a key of %s is %s", what, describe(key)), "write a name")
			continue
		}
		if before, twice := first[key.Value]; twice {
			l.faultAt(p.key, fmt.Sprintf("%q is given twice in %s; it stands already in line %d", shorten(key.Value), what, before.Line), "remove one")
			continue
		}
		first[key.Value] = p.key
		out = append(out, p)
	}
	for _, m := range merges {
		for _, p := range l.merged(m, what) {
			name := deref(p.key).Value
			if _, there := first[name]; !there {
				first[name] = p.key
				out = append(out, p)
			}
		}
	}
	return out, true
}

// merged gives the fields that a merge key brings in.
func (l *loader) merged(m field, what string) []field {
	if deref(m.value).Kind != yaml.SequenceNode {
		fields, _ := l.mapping(m, "what << merges into "+what)
		return fields
	}
	var out []field
	for _, n := range deref(m.value).Content {
		fields, _ := l.mapping(field{value: n}, "what << merges into "+what)
		out = append(out, fields...)
	}
	return out
}

// list gives the items of a list, which must not be empty.
func (l *loader) list(f field, what, item string) []field {
	n := deref(f.value)
	if n.Kind != yaml.SequenceNode {
		l.fault(f, fmt.Sprintf("%s is %s where a list is expected", what, describe(n)), "put - before each item, or write [item, item]")
		return nil
	}
	if len(n.Content) == 0 {
		l.fault(f, what+" is an empty list", "give at least "+item)
	}
	return items(n)
}

func items(n *yaml.Node) []field {
	out := make([]field, len(n.Content))
	for i, c := range n.Content {
		out[i] = field{value: c}
	}
	return out
}

// maxGuesses bounds the search for similar names: each looks at every name.
const maxGuesses = 100

// didYouMean is the advice for a name that is not among the known ones.
func (l *loader) didYouMean(name string, known []string, listed string) string {
	l.guesses++
	if l.guesses <= maxGuesses {
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
