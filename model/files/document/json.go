package document

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// parseJSON gives the root of a JSON text as nodes with positions.
func parseJSON(t *text) (*yaml.Node, Fault, bool) {
	var raw json.RawMessage
	if err := json.Unmarshal(t.src, &raw); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, jsonFault(t, syntax), false
		}
		return nil, Fault{Line: 1, Column: 1, Message: "not JSON: " + err.Error()}, false
	}
	p := &jsonReader{src: t.src, cursor: t.cursor()}
	root := p.value()
	if p.fault != nil {
		return nil, *p.fault, false
	}
	return root, Fault{}, true
}

// jsonReader makes nodes of a text that is known to be JSON.
type jsonReader struct {
	src    []byte
	pos    int
	cursor *cursor
	fault  *Fault
}

// skipSpace moves to the next token.
func (p *jsonReader) skipSpace() {
	for strings.IndexByte(" \t\r\n", p.src[p.pos]) >= 0 {
		p.pos++
	}
}

// more moves to the next item of a list or object; at its end it moves past
// the closing bracket and reports false.
func (p *jsonReader) more() bool {
	p.skipSpace()
	switch p.src[p.pos] {
	case ']', '}':
		p.pos++
		return false
	case ',':
		p.pos++
	}
	return true
}

func (p *jsonReader) value() *yaml.Node {
	p.skipSpace()
	n := &yaml.Node{Kind: yaml.ScalarNode}
	n.Line, n.Column = p.cursor.position(p.pos)
	switch p.src[p.pos] {
	case '{':
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
		for p.pos++; p.more(); {
			n.Content = append(n.Content, p.value())
			p.skipSpace()
			p.pos++ // the colon
			n.Content = append(n.Content, p.value())
		}
	case '[':
		n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		for p.pos++; p.more(); {
			n.Content = append(n.Content, p.value())
		}
	case '"':
		p.text(n)
	default:
		start := p.pos
		for p.pos < len(p.src) && strings.IndexByte(" \t\r\n,]}", p.src[p.pos]) < 0 {
			p.pos++
		}
		n.Value = string(p.src[start:p.pos])
		n.Tag = map[byte]string{'t': "!!bool", 'f': "!!bool", 'n': "!!null"}[n.Value[0]]
		if n.Tag == "" {
			n.Tag = "!!float"
			if IsPlainDecimal(n.Value) {
				n.Tag = "!!int"
			}
		}
	}
	return n
}

// text reads a string.
func (p *jsonReader) text(n *yaml.Node) {
	start := p.pos
	for p.pos++; p.src[p.pos] != '"'; p.pos++ {
		if p.src[p.pos] == '\\' {
			p.pos++
		}
	}
	p.pos++
	raw := p.src[start:p.pos]
	n.Tag, n.Style = "!!str", yaml.DoubleQuotedStyle
	if err := json.Unmarshal(raw, &n.Value); err != nil {
		p.fail(n, "not JSON: "+err.Error(), "")
		return
	}
	// encoding/json puts U+FFFD for half a surrogate pair.
	replaced := strings.Count(n.Value, string(utf8.RuneError))
	written := strings.Count(string(raw), string(utf8.RuneError)) + strings.Count(strings.ToLower(string(raw)), `\ufffd`)
	if replaced > written {
		p.fail(n, `a \u escape is half of a pair`, `write both halves, like \ud83d\ude00, or the character itself`)
	}
}

func (p *jsonReader) fail(n *yaml.Node, message, advice string) {
	if p.fault == nil {
		p.fault = &Fault{Line: n.Line, Column: n.Column, Message: message, Advice: advice}
	}
}

// jsonAdvice explains the complaints of encoding/json and,
// where that says more, the character at hand.
var jsonAdvice = []struct{ problem, chars, message, advice string }{
	{"looking for beginning of", "/#", "a comment, which JSON does not have", "leave it out, or write the " + kind + " in YAML"},
	{"looking for beginning of", "'", "a single quote", "write keys and text in double quotes"},
	{"looking for beginning of", "+.0123456789NI", "a number that JSON does not know", "write digits only, like 4"},
	{"looking for beginning of object key string", "},", "a comma too many", "leave it out"},
	{"looking for beginning of value", "}],", "a value is missing", "write it, or leave out the comma before it"},
	{"looking for beginning of object key string", "", "a key without quotes", `write "key": value`},
	{"looking for beginning of value", "", "a word without quotes", "write text in double quotes"},
	{"after object key:value pair", "", "a comma or } is missing", `write one between "key": value pairs, or close the mapping`},
	{"after array element", "", "a comma or ] is missing", "write one between the items, or close the list"},
	{"after object key", "", "a colon is missing", `write "key": value`},
	{"after top-level value", "", "text after the end of the file's only value", "leave it out"},
	{"in string literal", "", "a control character in a string", "close the string before the end of the line"},
	{"in string escape code", "", "an unknown escape", `write \\ for a backslash`},
	{`in \u hexadecimal character escape`, "", "an incomplete escape", `write \u and four hexadecimal digits`},
	{"unexpected end of JSON input", "", "the text ends too early", "close every {, [ and \""},
	{"in literal", "", "a word that is none of true, false and null", "write text in double quotes"},
	{"numeric literal", "", "a number that JSON does not know", "write digits only, like 4"},
}

func jsonFault(t *text, err *json.SyntaxError) Fault {
	at, message, advice := notJSON(err.Error(), t.src, max(0, int(err.Offset)-1))
	return t.fault(at, message, advice)
}

// NotJSON says what encoding/json complains of at an offset of a text, where in it that is, and
// what to write instead.
func NotJSON(problem string, src []byte, offset int) (at int, message, advice string) {
	at, message, advice = notJSON(problem, src, offset)
	if strings.Contains(advice, kind) { // nobody says what the document is
		advice = "leave it out"
	}
	return at, message, advice
}

// notJSON is NotJSON with a place for the kind of document in the advice.
func notJSON(problem string, src []byte, offset int) (at int, message, advice string) {
	digit := func(i int) bool { return i >= 0 && i < len(src) && src[i] >= '0' && src[i] <= '9' }
	if strings.Contains(problem, " after ") && digit(offset) && digit(offset-1) {
		return offset - 1, "not JSON: a number with a leading zero", "leave out the zero"
	}
	for _, a := range jsonAdvice {
		here := offset < len(src) && strings.IndexByte(a.chars, src[offset]) >= 0
		if strings.Contains(problem, a.problem) && (a.chars == "" || here) {
			return offset, "not JSON: " + a.message, a.advice
		}
	}
	return offset, "not JSON: a character that has no place here", "leave it out"
}
