package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"
)

// parseYAML gives the root node of the only document.
func parseYAML(t *text) (*yaml.Node, Fault, bool) {
	dec := yaml.NewDecoder(bytes.NewReader(t.src))
	var doc, second yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, Fault{Line: 1, Column: 1, Message: "the file is empty", Advice: "start with version: 1"}, false
	case err != nil:
		return nil, syntaxFault(t, dec, err), false
	}
	switch err := dec.Decode(&second); {
	case errors.Is(err, io.EOF):
		return doc.Content[0], Fault{}, true
	case err != nil:
		return nil, syntaxFault(t, dec, err), false
	}
	return nil, Fault{Line: second.Line, Column: second.Column,
		Message: "a second document starts here", Advice: "keep one " + kind + " per file and leave out ---"}, false
}

// syntaxAdvice explains the parser's complaints. Where the trouble lies at the
// start of a construct, not where the parser gave up, atContext is set.
var syntaxAdvice = []struct {
	problem, message, advice string
	atContext                bool
}{
	{"could not find expected ':'", "a key without a colon", "write key: value, with a space after the colon", true},
	{"mapping values are not allowed in this context", "a colon where no key can stand", "check the indentation, or put text with a colon in quotes", false},
	{"found unexpected end of stream", "a quote is not closed", "add the closing quote", true},
	{"did not find expected ',' or '}'", "a comma or } is missing", "", false},
	{"did not find expected ',' or ']'", "a comma or ] is missing", "", false},
	{"did not find expected '-' indicator", "this line does not continue the list above", "check the indentation: the items of a list start with - in one column", false},
	{"did not find expected key", "this does not continue the mapping above", "check the indentation: the keys of a mapping stand in one column", false},
	{"block sequence entries are not allowed in this context", "a list item where none can stand", "start the list on a line of its own", false},
	{"did not find expected <document start>", "this does not belong to what stands above", "check the lines above for a missing colon or a bracket too many", false},
	{"did not find expected node content", "a value is missing", "write a value before the comma or bracket", false},
	{"found unknown escape character", "an unknown escape in double quotes", `write \\ for a backslash, or use single quotes`, false},
	{"found undefined tag handle", "a tag, which " + kind + "s do not use", "leave out the word with !", false},
	{"did not find expected alphabetic or numeric character", "* and & stand for aliases and anchors", "put text that starts with them in quotes", false},
	{"found a tab character", "a tab in the indentation", "indent with spaces", false},
}

// syntaxFault turns an error of the YAML parser into a fault with a position.
func syntaxFault(t *text, dec *yaml.Decoder, err error) Fault {
	problem := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(problem, "line "); ok {
		if _, after, ok := strings.Cut(rest, ": "); ok {
			problem = after
		}
	}
	at, context := parserMarks(dec)
	f := Fault{Line: at.line, Column: at.column, Message: "not YAML: " + problem}
	if name, ok := strings.CutPrefix(problem, "unknown anchor '"); ok {
		name = strings.TrimSuffix(name, "' referenced")
		at = eventMark(dec)
		return Fault{Line: at.line, Column: at.column,
			Message: fmt.Sprintf("the alias *%s has no anchor before it", name), Advice: fmt.Sprintf("define it first with &%s", name)}
	}
	if problem == "found incompatible YAML document" {
		return t.fault(max(0, bytes.Index(t.src, []byte("%YAML"))), "not YAML: a line %YAML of another version than 1.1", "leave it out")
	}
	if problem == "found character that cannot start any token" {
		return badStart(t, f)
	}
	for _, a := range syntaxAdvice {
		if !strings.HasPrefix(problem, a.problem) {
			continue
		}
		f.Message, f.Advice = "not YAML: "+a.message, a.advice
		if a.atContext && context.line > 0 {
			f.Line, f.Column = context.line, context.column
		}
		break
	}
	switch bracket, isFlow := strings.CutPrefix(problem, "did not find expected ',' or '"); {
	case isFlow && context.line > 0 && t.blankAfter(at):
		f = Fault{Line: context.line, Column: context.column,
			Message: "not YAML: what is opened here is not closed", Advice: "add the closing " + strings.TrimSuffix(bracket, "'")}
	case isFlow && context.line > 0:
		f.Advice = fmt.Sprintf("check what line %d opens at column %d", context.line, context.column)
	case strings.HasPrefix(problem, "mapping values"), strings.HasSuffix(problem, "<document start>"):
		if n := t.lineBefore(f.Line); n > 0 && !strings.Contains(t.line(n), ":") {
			f.Advice = fmt.Sprintf("check line %d, which has no colon, and the indentation", n)
		}
	}
	return f
}

// blankAfter reports whether the file ends at a position.
func (t *text) blankAfter(m mark) bool {
	line := []rune(t.line(m.line))
	rest := string(line[min(m.column-1, len(line)):])
	if m.line < len(t.starts) {
		rest += string(t.src[t.starts[m.line]:])
	}
	return strings.TrimSpace(rest) == ""
}

// lineBefore is the last line before line n with more than a comment; 0 if
// there is none.
func (t *text) lineBefore(n int) int {
	for n--; n > 0; n-- {
		if line := strings.TrimSpace(t.line(n)); line != "" && line[0] != '#' {
			break
		}
	}
	return n
}

// badStart explains a character that no value can start with.
func badStart(t *text, f Fault) Fault {
	line := []rune(t.line(f.Line))
	if f.Column > len(line) {
		return f
	}
	c := line[f.Column-1]
	switch {
	case c == '\t' && strings.TrimSpace(string(line[:f.Column])) == "":
		f.Message, f.Advice = "not YAML: a tab in the indentation", "indent with spaces"
		return f
	case c == '\t':
		f.Message, f.Advice = "not YAML: a tab where a space is expected", "write a space"
		return f
	}
	f.Message, f.Advice = fmt.Sprintf("not YAML: a value starts with %q", c), "put it in quotes"
	return f
}

// mark is a position counted from 1; zero if unknown.
type mark struct{ line, column int }

// parserMarks reads where the parser stopped and where the construct at hand
// began. yaml.v3 knows both and tells only a line, often a wrong one; the
// module is frozen, so its fields can be relied on. Should they be gone, the
// position is the start of the file.
func parserMarks(dec *yaml.Decoder) (problem, context mark) {
	p := member(reflect.ValueOf(dec).Elem(), "parser", "parser")
	problem = readMark(member(p, "problem_mark"))
	if problem == (mark{1, 1}) {
		// Errors of the reader leave the mark alone.
		problem = readMark(member(p, "mark"))
	}
	context = readMark(member(p, "context_mark"))
	if problem.line == 0 {
		problem = mark{1, 1}
	}
	return problem, context
}

// eventMark is where the event at hand began.
func eventMark(dec *yaml.Decoder) mark {
	m := readMark(member(reflect.ValueOf(dec).Elem(), "parser", "event", "start_mark"))
	if m.line == 0 {
		return mark{1, 1}
	}
	return m
}

func readMark(v reflect.Value) mark {
	line, column := member(v, "line"), member(v, "column")
	if !line.IsValid() || !column.IsValid() || !line.CanInt() || !column.CanInt() {
		return mark{}
	}
	return mark{int(line.Int()) + 1, int(column.Int()) + 1}
}

// member follows fields, through pointers; invalid if one is missing.
func member(v reflect.Value, names ...string) reflect.Value {
	for _, name := range names {
		if v.IsValid() && v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		if !v.IsValid() || v.Kind() != reflect.Struct {
			return reflect.Value{}
		}
		v = v.FieldByName(name)
	}
	return v
}
