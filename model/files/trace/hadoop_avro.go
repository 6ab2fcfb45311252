package trace

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"
)

// binary reads events in Avro's binary encoding, which has no lines: what is wrong is told
// by the number of its event. Each is turned into the text that the other encoding has.
func (r *historyReader) binary() error {
	at := r.in.At(0)
	if !r.in.Next() {
		return firstLine(r.in)
	}
	schema, err := parseSchema(r.in.Line())
	if err != nil {
		f := r.in.Fault(0, "the second line is no schema of Avro: "+err.Error(), "")
		return &f
	}
	events := 0
	for len(r.in.Peek(1)) > 0 {
		d := &avroReader{in: r.in}
		d.value(schema, 0)
		if d.err != nil {
			return r.damaged(events+1, d.err)
		}
		events++
		var one struct {
			Type  string           `json:"type"`
			Event map[string]event `json:"event"`
		}
		if err := Unmarshal(d.text, &one); err != nil {
			r.t.Unusable.Add("events that cannot be read", Fault{Place: Place{File: r.in.Name}, Message: fmt.Sprintf("event %d: %v", events, err)})
			continue
		}
		for _, e := range one.Event {
			r.event(one.Type, &e, at)
		}
	}
	return r.close()
}

// damaged tells that the file ends early. What was read before is of use.
func (r *historyReader) damaged(event int, err error) error {
	if r.in.Err() != nil {
		return r.in.Err()
	}
	r.t.Unusable.Add("events that cannot be read, and what follows them", Fault{Place: Place{File: r.in.Name},
		Message: fmt.Sprintf("event %d: %v", event, err), Advice: "the file may have been cut off; copy it again"})
	return r.close()
}

// avroType is a type of an Avro schema.
type avroType struct {
	kind    string // record, enum, array, map, union, fixed, or a primitive one
	name    string // of a record, enum or fixed, in full
	fields  []avroField
	symbols []string
	inner   *avroType   // items of an array, values of a map
	members []*avroType // of a union
	size    int64       // of a fixed
}

type avroField struct {
	name string
	of   *avroType
}

// schemaParser resolves types by their names.
type schemaParser struct {
	named map[string]*avroType
}

func parseSchema(src []byte) (*avroType, error) {
	p := schemaParser{named: map[string]*avroType{}}
	return p.parse(src, "", 0)
}

// maxNesting bounds the nesting of a schema, and of values.
const maxNesting = 50

// parse reads a type; space is the namespace around it.
func (p *schemaParser) parse(src json.RawMessage, space string, depth int) (*avroType, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("more than %d levels", maxNesting)
	}
	var name string
	if json.Unmarshal(src, &name) == nil {
		return p.byName(name, space)
	}
	var union []json.RawMessage
	if json.Unmarshal(src, &union) == nil {
		u := &avroType{kind: "union"}
		for _, m := range union {
			member, err := p.parse(m, space, depth+1)
			if err != nil {
				return nil, err
			}
			u.members = append(u.members, member)
		}
		return u, nil
	}
	return p.complex(src, space, depth)
}

func (p *schemaParser) byName(name, space string) (*avroType, error) {
	switch name {
	case "null", "boolean", "int", "long", "float", "double", "bytes", "string":
		return &avroType{kind: name}, nil
	}
	for _, full := range []string{name, space + "." + name} {
		if t, ok := p.named[full]; ok {
			return t, nil
		}
	}
	return nil, fmt.Errorf("there is no type %q", name)
}

// complex reads a type that is written as an object.
func (p *schemaParser) complex(src json.RawMessage, space string, depth int) (*avroType, error) {
	var form struct {
		Type            json.RawMessage
		Name, Namespace string
		Symbols         []string
		Items, Values   json.RawMessage
		Size            int64
		Fields          []struct {
			Name string
			Type json.RawMessage
		}
	}
	if err := Unmarshal(src, &form); err != nil {
		return nil, err
	}
	t := &avroType{}
	if json.Unmarshal(form.Type, &t.kind) != nil {
		return p.parse(form.Type, space, depth+1) // {"type": {…}}
	}
	if form.Namespace != "" {
		space = form.Namespace
	}
	if form.Name != "" {
		t.name = form.Name
		if space != "" {
			t.name = space + "." + form.Name
		}
		p.named[t.name] = t
	}
	t.symbols, t.size = form.Symbols, form.Size
	var err error
	switch t.kind {
	case "record":
		for _, f := range form.Fields {
			of, err := p.parse(f.Type, space, depth+1)
			if err != nil {
				return nil, fmt.Errorf("field %s: %w", f.Name, err)
			}
			t.fields = append(t.fields, avroField{f.Name, of})
		}
	case "array":
		t.inner, err = p.parse(form.Items, space, depth+1)
	case "map":
		t.inner, err = p.parse(form.Values, space, depth+1)
	case "enum", "fixed":
	default:
		return p.byName(t.kind, space)
	}
	return t, err
}

// avroReader reads one value and writes it as JSON.
type avroReader struct {
	in   *Input
	text []byte
	err  error
}

// maxEvent bounds the text of an event.
const maxEvent = MaxLine

func (d *avroReader) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}

// bytes reads so many bytes.
func (d *avroReader) bytes(n int64) []byte {
	if n < 0 || n > maxEvent {
		d.fail("a length of %d bytes", n)
		return nil
	}
	out := make([]byte, 0, min(n, 1<<16))
	for int64(len(out)) < n && d.err == nil {
		part := d.in.Bytes(int(min(n-int64(len(out)), 1<<16)))
		if len(part) == 0 {
			d.fail("it ends in the middle of a value")
		}
		out = append(out, part...)
	}
	return out
}

// long reads a whole number: zigzag, seven bits a byte.
func (d *avroReader) long() int64 {
	v, err := binary.ReadVarint(d.in)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		d.fail("it ends in the middle of a value")
	} else if err != nil {
		d.fail("a number of more than 64 bits")
	}
	return v
}

func (d *avroReader) put(text string) { d.text = append(d.text, text...) }

func (d *avroReader) quote(text []byte) {
	if !utf8.Valid(text) {
		text = []byte(fmt.Sprintf("%q", text))
	}
	quoted, _ := json.Marshal(string(text)) // texts can be written
	d.text = append(d.text, quoted...)
}

// value reads a value of a type.
func (d *avroReader) value(t *avroType, depth int) {
	if depth > maxNesting || len(d.text) > maxEvent {
		d.fail("an event that is too large")
	}
	if d.err != nil {
		return
	}
	switch t.kind {
	case "null":
		d.put("null")
	case "boolean":
		b := d.bytes(1)
		d.put(strconv.FormatBool(len(b) == 1 && b[0] == 1))
	case "int", "long":
		d.text = strconv.AppendInt(d.text, d.long(), 10)
	case "float":
		if b := d.bytes(4); len(b) == 4 {
			d.float(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
		}
	case "double":
		if b := d.bytes(8); len(b) == 8 {
			d.float(math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
	case "bytes", "string":
		d.quote(d.bytes(d.long()))
	case "fixed":
		d.quote(d.bytes(t.size))
	case "enum":
		if i := d.long(); i >= 0 && i < int64(len(t.symbols)) {
			d.quote([]byte(t.symbols[i]))
		} else {
			d.fail("value %d of the %d of %s", i, len(t.symbols), t.name)
		}
	default:
		d.composite(t, depth)
	}
}

func (d *avroReader) float(v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		v = 0 // which JSON does not have, and no event needs
	}
	d.text = strconv.AppendFloat(d.text, v, 'g', -1, 64)
}

// composite reads a value that is made of others.
func (d *avroReader) composite(t *avroType, depth int) {
	switch t.kind {
	case "record":
		for i, f := range t.fields {
			d.put([]string{"{", ","}[min(i, 1)])
			d.quote([]byte(f.name))
			d.put(":")
			d.value(f.of, depth+1)
		}
		if len(t.fields) == 0 {
			d.put("{")
		}
		d.put("}")
	case "array":
		d.put("[")
		d.blocks(func(i int) {
			if i > 0 {
				d.put(",")
			}
			d.value(t.inner, depth+1)
		})
		d.put("]")
	case "map":
		d.put("{")
		d.blocks(func(i int) {
			if i > 0 {
				d.put(",")
			}
			d.quote(d.bytes(d.long()))
			d.put(":")
			d.value(t.inner, depth+1)
		})
		d.put("}")
	case "union":
		d.union(t, depth)
	}
}

// union reads a value of one of several types, and writes its type beside it.
func (d *avroReader) union(t *avroType, depth int) {
	i := d.long()
	if i < 0 || i >= int64(len(t.members)) {
		d.fail("type %d of %d", i, len(t.members))
		return
	}
	of := t.members[i]
	if of.kind == "null" {
		d.put("null")
		return
	}
	name := of.kind
	if of.name != "" {
		name = of.name
	}
	d.put("{")
	d.quote([]byte(name))
	d.put(":")
	d.value(of, depth+1)
	d.put("}")
}

// blocks reads the items of an array or map, which come in blocks with a count; of a
// negative one the size in bytes follows.
func (d *avroReader) blocks(item func(i int)) {
	read := 0
	for d.err == nil {
		n := d.long()
		if n < 0 {
			n = -n
			d.long()
		}
		if n == 0 {
			return
		}
		for ; n > 0 && d.err == nil; n-- {
			if read++; read > maxItems {
				d.fail("more than %d items", maxItems)
			}
			item(read - 1)
		}
	}
}

// maxItems bounds the items of an array.
const maxItems = 1_000_000
