package document

import (
	"errors"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// read parses a text of kind "list" and gives its only field, x.
func read(t *testing.T, isJSON bool, text string) (*Reader, Field) {
	t.Helper()
	r := NewReader("list", []byte(text))
	root := r.Parse(isJSON, "")
	if root == nil {
		t.Fatal(r.Err("f"))
	}
	o := r.Object(Field{Value: root}, "the list", "x", "y")
	if o == nil || o.Get("x") == nil {
		t.Fatalf("no field x in %s: %v", text, r.Err("f"))
	}
	return r, *o.Get("x")
}

// Values come back, from YAML and JSON alike.
func TestValues(t *testing.T) {
	for _, isJSON := range []bool{false, true} {
		r, f := read(t, isJSON, `{"x": [7, true, "a name", "two", -3, {"a": 1, "b": [2]}]}`)
		items := r.List(f, "x", "one value")
		if v, ok := r.Integer(items[0], "n", 1, 9, ""); !ok || v != 7 {
			t.Errorf("integer %d", v)
		}
		if v, ok := r.Boolean(items[1], "b"); !ok || !v {
			t.Errorf("boolean %t", v)
		}
		if v, ok := r.Name(items[2]); !ok || v != "a name" {
			t.Errorf("name %q", v)
		}
		if v, ok := r.Word(items[3], "w", []string{"one", "two"}); !ok || v != "two" {
			t.Errorf("word %q", v)
		}
		if v, ok := r.Number(items[4], "n", WholeNumber); !ok || v != -3 {
			t.Errorf("integer %d", v)
		}
		o := r.Object(items[5], "the last", "a", "b")
		if f := r.Require(o, "b", "b: []"); f == nil || len(Items(f.Value)) != 1 || len(o.Fields) != 2 || o.Node.Line != 1 {
			t.Errorf("object %+v", o)
		}
		if !r.Sound() || r.Err("f") != nil || r.Line(1) == "" || len(r.Source()) == 0 {
			t.Errorf("faults %v", r.Err("f"))
		}
	}
}

// A key's own value beats a merged one, an earlier merged mapping beats a later one.
func TestMergedMappings(t *testing.T) {
	r, f := read(t, false, "y: [&a {p: 1, q: 1}, &b {q: 2, r: 2}]\nx: {<<: [*a, *b], p: 0}\n")
	got := map[string]string{}
	fields, ok := r.Mapping(f, "x")
	for _, p := range fields {
		got[Deref(p.Key).Value] = Deref(p.Value).Value
	}
	if !ok || len(got) != 3 || got["p"] != "0" || got["q"] != "1" || got["r"] != "2" {
		t.Errorf("%v, %v", got, r.Err("f"))
	}
}

// Each fault stands at its place and says what to write.
func TestFaultsOfValues(t *testing.T) {
	integer := func(r *Reader, f Field) { r.Integer(f, "x", 1, 9, "") }
	boolean := func(r *Reader, f Field) { r.Boolean(f, "x") }
	name := func(r *Reader, f Field) { r.Name(f) }
	word := func(r *Reader, f Field) { r.Word(f, "x", []string{"map", "reduce"}) }
	object := func(r *Reader, f Field) { r.Require(r.Object(f, "x", "cores"), "cores", "cores: 1") }
	list := func(r *Reader, f Field) { r.List(f, "x", "one") }
	for _, c := range []struct {
		text string
		read func(r *Reader, f Field)
		want string
	}{
		{"x: 0", integer, "f:1:4: x is 0, less than 1; write a whole number of at least 1"},
		{"x: 10", integer, "f:1:4: x is 10, more than 9; write a whole number of at most 9"},
		{"x: 1e0", integer, "f:1:4: x is 1e0, not a plain whole number; write 1"},
		{"x: 017", integer, "f:1:4: x is 017, not a plain whole number; write 17 (or 15 if octal was meant)"},
		{"x: 0x1F", integer, "f:1:4: x is 0x1F, not a plain whole number; write 31"},
		{"x: -0", integer, "f:1:4: x is -0, not a plain whole number; write 0"},
		{"x: 1.5", integer, "f:1:4: x is 1.5, not a plain whole number; write 1 or 2"},
		{"x: '4'", integer, `f:1:4: x is the text "4", not a number; write 4 without quotes`},
		{"x:", integer, "f:1:1: x is empty; write a whole number, like 4"},
		{"x: [1]", integer, "f:1:4: x is a list; write a whole number, like 4"},
		{"x: yes", boolean, `f:1:4: x is the text "yes"; write true`},
		{"x: off", boolean, `f:1:4: x is the text "off"; write false`},
		{"x: {}", boolean, "f:1:4: x is a mapping; write true or false"},
		{"x: 3", name, `f:1:4: x is 3, which is not text; write it in quotes: "3"`},
		{`x: ""`, name, "f:1:4: x is empty; write at least one character"},
		{`x: "a\u0007"`, name, "f:1:4: x holds the control character U+0007; leave it out"},
		{"x: " + strings.Repeat("n", MaxName+1), name, "f:1:4: x has 161 characters; write at most 160"},
		{"x: null", name, "f:1:4: x is null; write a name"},
		{"x: redcue", word, `f:1:4: x is "redcue"; did you mean reduce?`},
		{"x: 7", word, `f:1:4: x is "7"; write one of map, reduce`},
		{"x: {coers: 1, cores: 2}", object, `f:1:5: unknown field "coers" in x; did you mean cores?`},
		{"x: {cores: 1, cores: 2}", object, `f:1:15: "cores" is given twice in x; it stands already in line 1; remove one`},
		{"x: {[1]: 1, cores: 2}", object, "f:1:5: a key of x is a list; write a name"},
		{"x: {<<: 3, cores: 2}", object, "f:1:9: what << merges into x is 3 where a mapping is expected; write {key: value, …}"},
		{"x: {}", object, "f:1:4: x has no cores; add cores: 1"},
		{"x: []", list, "f:1:4: x is an empty list; give at least one"},
		{"x: 3", list, "f:1:4: x is 3 where a list is expected; put - before each item, or write [item, item]"},
	} {
		r, f := read(t, false, c.text)
		c.read(r, f)
		var faults *Faults
		if err := r.Err("f"); !errors.As(err, &faults) || len(faults.List) != 1 {
			t.Errorf("%s: %v", c.text, err)
		} else if got, _, _ := strings.Cut(err.Error(), "\n"); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// What cannot be read at all is refused, in the words of the kind of document.
func TestFaultsOfForm(t *testing.T) {
	for _, c := range []struct {
		isJSON     bool
		text, want string
	}{
		{false, "", "f:1:1: the file is empty"},
		{false, "x: 1\n---\ny: 2", "f:2:1: a second document starts here; keep one list per file and leave out ---"},
		{false, "x: !t 1", "f:1:4: the tag !t, which lists do not use"},
		{false, "x: *a", "f:1:4: the alias *a has no anchor before it; define it first with &a"},
		{false, "x: &a [" + strings.Repeat("1, ", 5000) + "1]\ny: [" + strings.Repeat("*a, ", 2000) + "]", "f:2:7997: with its aliases written out the file has more than 10000000 values; use fewer aliases"},
		{false, "x: &a [*a]", "the alias *a stands inside its own anchor"},
		{false, "x: [1", "what is opened here is not closed; add the closing ]"},
		{false, "x: 'a", "a quote is not closed"},
		{false, "x: 1\n\ty: 2", "a tab"},
		{false, "x: @", "a value starts with '@'; put it in quotes"},
		{false, "x: " + strings.Repeat("[", 70) + strings.Repeat("]", 70), "more than 64 levels of nesting"},
		{true, `{"x": 01}`, "a number with a leading zero"},
		{true, `{"x": 1,}`, "a comma too many"},
		{true, `{"x": "\ud83d"}`, "is half of a pair"},
		{true, `{"x": 1 // one`, "a comma or } is missing"},
		{true, `// one`, "a comment, which JSON does not have; leave it out, or write the list in YAML"},
	} {
		r := NewReader("list", []byte(c.text))
		if root := r.Parse(c.isJSON, ""); root != nil || !strings.Contains(r.Err("f").Error(), c.want) {
			t.Errorf("%q: %v, error %v, want %q", c.text, root, r.Err("f"), c.want)
		}
	}
	if r := NewReader("list", []byte(strings.Repeat(",", MaxNodes+1))); r.Parse(true, "write less") != nil || !strings.Contains(r.Err("f").Error(), "more than 10000000 entries; write less") {
		t.Errorf("too many entries: %.200v", r.Err("f"))
	}
	for text, want := range map[string]string{
		"x: a\xffb": "f:1:5: the byte 0xff is not UTF-8", "\xff\xfex": "f:1:1: the file is UTF-16",
		"x: \x01": "f:1:4: the character U+0001 is not allowed", "x: 12345678": "more than 0 MiB; be brief",
	} {
		if r := NewReader("list", []byte(text)); r.Fits(10, "be brief") || !strings.Contains(r.Err("f").Error(), want) {
			t.Errorf("%q: %v, want %q", text, r.Err("f"), want)
		}
	}
	if r := NewReader("list", []byte("\xef\xbb\xbfx: 1")); !r.Fits(10, "") || string(r.Source()) != "x: 1" {
		t.Errorf("a byte order mark stays: %q", r.Source())
	}
}

// Many faults are cut short, in the order of their places, each with its line.
func TestManyFaults(t *testing.T) {
	r := NewReader("list", []byte(strings.Repeat("a long line, longer than what is shown of lines: ", 9)))
	for k := range 3 * MaxFaults {
		n := &yaml.Node{Line: 1, Column: 400 - k}
		r.FaultAt(n, "wrong", "")
		r.FaultAt(n, "wrong", "") // the same, which counts once
	}
	var faults *Faults
	if !errors.As(r.Err("f"), &faults) || len(faults.List) != MaxFaults || faults.More != 2*MaxFaults || faults.List[0].Column != 251 {
		t.Fatalf("%v", r.Err("f"))
	}
	text := r.Err("f").Error()
	if !strings.HasPrefix(text, "f:1:251: wrong\n  …") || !strings.HasSuffix(text, "\nf: and 100 more") {
		t.Errorf("%s", text)
	}
}
