package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"downbeat/model/files/document"
)

// JSON reads an input that holds one JSON value, or several one after the other, member
// by member and item by item: only what Decode is asked for is in memory.
type JSON struct {
	in  *Input
	dec *json.Decoder
	tracker
	begin int64 // of the value at hand
}

// JSON starts to read the input as JSON.
func (in *Input) JSON() *JSON {
	d := &JSON{in: in}
	d.tracker = tracker{r: in.in, starts: []int64{0}, consumed: func() int64 { return d.dec.InputOffset() }}
	d.dec = json.NewDecoder(&d.tracker)
	return d
}

// Values reads the JSON values of the file, one after the other, by read, which has to read
// one each time. A value that is no such thing as noun says is counted and passed over; that
// the file holds none at all is an error.
func (in *Input) Values(t *Trace, noun, advice string, read func(*JSON) error) error {
	d := in.JSON()
	found := false
	for d.More() {
		found = true
		if err := t.PassOver("values that are no "+noun, read(d)); err != nil {
			return err
		}
	}
	switch {
	case d.tracker.err != nil:
		return in.failed(d.tracker.err)
	case !found:
		f := in.Empty(noun, advice)
		return &f
	}
	return nil
}

// PassOver counts a value of a wrong shape as one of what, so that reading can go on. Any
// other error stays.
func (t *Trace) PassOver(what string, err error) error {
	var shape *WrongShape
	if errors.As(err, &shape) {
		t.Unusable.Add(what, shape.Fault)
		return nil
	}
	return err
}

// More reports whether another value follows: in the object or list at hand, or in the
// file. What is no JSON is told by whoever reads it.
func (d *JSON) More() bool { return d.dec.More() }

// maxDepth bounds the nesting of what is passed over.
const maxDepth = 1000

// Object reads an object and calls yield with the name of every member, whose value yield
// has to read. What is no object is passed over, and is a fault of what.
func (d *JSON) Object(what string, yield func(name string) error) error {
	open, err := d.open(what, '{', "an object, {…},")
	if !open || err != nil {
		return err
	}
	for d.dec.More() {
		name, err := d.token()
		if err != nil {
			return err
		}
		text, _ := name.(string) // the decoder refuses other names
		if err := yield(text); err != nil {
			return err
		}
	}
	_, err = d.token()
	return err
}

// Array reads a list and calls yield for every item, which it has to read. What is no list
// is passed over, and is a fault of what; null counts as an empty list.
func (d *JSON) Array(what string, yield func() error) error {
	open, err := d.open(what, '[', "a list, […],")
	if !open || err != nil {
		return err
	}
	for d.dec.More() {
		if err := yield(); err != nil {
			return err
		}
	}
	_, err = d.token()
	return err
}

// WrongShape is the fault of a value that is something else than was expected there. The
// value has been passed over, and reading can go on.
type WrongShape struct{ Fault }

// open reads the bracket that opens a value.
func (d *JSON) open(what string, bracket json.Delim, expected string) (bool, error) {
	token, err := d.token()
	if err != nil || token == bracket {
		return err == nil, err
	}
	shape := &WrongShape{d.Fault(fmt.Sprintf("%s is %s where %s is expected", what, describe(token), expected), "")}
	switch token {
	case nil:
		if bracket == '[' {
			return false, nil
		}
	case json.Delim('{'), json.Delim('['):
		if err := d.rest(1); err != nil {
			return false, err
		}
	}
	return false, shape
}

func describe(token json.Token) string {
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return "an object"
		}
		return "a list"
	case nil:
		return "null"
	case string:
		return fmt.Sprintf("the text %q", shorten(token))
	default:
		return fmt.Sprint(token)
	}
}

func shorten(s string) string {
	if runes := []rune(s); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return s
}

// Skip passes over a value.
func (d *JSON) Skip() error {
	token, err := d.token()
	if err != nil {
		return err
	}
	if token == json.Delim('{') || token == json.Delim('[') {
		return d.rest(1)
	}
	return nil
}

// rest passes over what is left of values that are open.
func (d *JSON) rest(open int) error {
	for open > 0 {
		token, err := d.token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			open++
		case json.Delim('}'), json.Delim(']'):
			open--
		}
		if open > maxDepth {
			f := d.Fault(fmt.Sprintf("more than %d levels of nesting", maxDepth), "")
			return &f
		}
	}
	return nil
}

// Decode reads a value into v. What does not fit is a *WrongShape.
func (d *JSON) Decode(v any) error {
	d.begin = d.next()
	err := d.dec.Decode(v)
	var form *json.UnmarshalTypeError
	if errors.As(err, &form) {
		return &WrongShape{d.Fault(typeMessage(form), "")}
	}
	return d.broken(err)
}

// typeMessage says which field has the wrong type.
func typeMessage(err *json.UnmarshalTypeError) string {
	name := err.Field[strings.LastIndexByte(err.Field, '.')+1:]
	if name == "" {
		return fmt.Sprintf("a %s where something else is expected", err.Value)
	}
	if !strings.Contains(name, " ") { // the fields of most formats begin with a small letter
		name = strings.ToLower(name[:1]) + name[1:]
	}
	return fmt.Sprintf("%s is a %s where something else is expected", name, err.Value)
}

func (d *JSON) token() (json.Token, error) {
	d.begin = d.next()
	token, err := d.dec.Token()
	return token, d.broken(err)
}

// broken tells where a text stops to be JSON.
func (d *JSON) broken(err error) error {
	if err == nil {
		return nil
	}
	if d.tracker.err != nil { // of the input
		return d.in.failed(d.tracker.err)
	}
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		f := d.faultAt(d.read, "the file ends in the middle of a value", "it may have been cut off; copy it again")
		return &f
	case errors.As(err, &syntax):
		f := d.broke(err.Error())
		return &f
	}
	f := d.Fault(reason(err, nil), "")
	return &f
}

// broke is a fault of form, of which the decoder says what it is. The decoder counts without
// what it has read as single tokens, so what it has left is read again.
func (d *JSON) broke(problem string) Fault {
	left, _ := io.ReadAll(d.dec.Buffered()) // from memory
	value := bytes.TrimLeft(left, separators)
	begin := d.dec.InputOffset() + int64(len(left)-len(value))
	at := 0
	var syntax *json.SyntaxError
	var any json.RawMessage
	if errors.As(json.NewDecoder(bytes.NewReader(value)).Decode(&any), &syntax) {
		at = int(max(0, syntax.Offset-1))
	}
	at, message, advice := document.NotJSON(problem, value, at)
	return d.faultAt(begin+int64(at), message, advice)
}

// reason is what encoding/json says of a text in our words.
func reason(err error, src []byte) string {
	var syntax *json.SyntaxError
	var form *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		_, message, _ := document.NotJSON(err.Error(), src, max(0, int(syntax.Offset)-1))
		return message
	case errors.As(err, &form):
		return typeMessage(form)
	}
	return "it cannot be read as JSON"
}

// Unmarshal is json.Unmarshal with errors in our words.
func Unmarshal(src []byte, v any) error {
	if err := json.Unmarshal(src, v); err != nil {
		return errors.New(reason(err, src))
	}
	return nil
}

// separators may stand before a value.
const separators = " \t\r\n,:"

// next is the offset of the value that comes next, as far as it is known: blanks and
// separators may stand before it.
func (d *JSON) next() int64 { return d.dec.InputOffset() }

// Place is where the value at hand begins, or the one that comes next.
func (d *JSON) Place() Place {
	d.begin = d.next()
	return d.Fault("", "").Place
}

// Fault is one at the value that was read last.
func (d *JSON) Fault(message, advice string) Fault {
	return d.faultAt(d.skipBlanks(d.begin), message, advice)
}

func (d *JSON) faultAt(offset int64, message, advice string) Fault {
	line, column, text := d.position(offset)
	return Fault{Place: Place{d.in.Name, line, column}, Message: message, Advice: advice}.Within(text)
}

// tracker is a reader that knows lines: of the text from the last value on.
type tracker struct {
	r        io.Reader
	read     int64   // bytes so far
	lines    int     // before the first of starts
	starts   []int64 // of lines, from that on which the value at hand begins
	kept     []byte  // text from the first of starts on, as far as there is room
	consumed func() int64
	err      error
}

// maxKept bounds the text that is kept for messages.
const maxKept = 1 << 16

func (t *tracker) Read(p []byte) (int, error) {
	t.forget(t.consumed())
	n, err := t.r.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			t.starts = append(t.starts, t.read+int64(i)+1)
		}
	}
	if room := maxKept - len(t.kept); room > 0 && t.starts[0]+int64(len(t.kept)) == t.read {
		t.kept = append(t.kept, p[:min(n, room)]...)
	}
	t.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		t.err = err
	}
	return n, err
}

// forget drops lines that end before an offset.
func (t *tracker) forget(offset int64) {
	i, found := slices.BinarySearch(t.starts, offset)
	if !found {
		i--
	}
	if i <= 0 {
		return
	}
	t.kept = t.kept[:copy(t.kept, t.kept[min(int(t.starts[i]-t.starts[0]), len(t.kept)):])]
	t.lines += i
	t.starts = t.starts[:copy(t.starts, t.starts[i:])]
}

// skipBlanks is the offset of what follows blanks and separators, as far as text is kept.
func (t *tracker) skipBlanks(offset int64) int64 {
	at := offset - t.starts[0]
	for at >= 0 && at < int64(len(t.kept)) && strings.IndexByte(separators, t.kept[at]) >= 0 {
		at++
	}
	return max(offset, t.starts[0]+at)
}

// position is the line and column of an offset, and the text of the line as far as it is
// known. Column counts bytes where the line is no longer known.
func (t *tracker) position(offset int64) (line, column int, text string) {
	offset = max(offset, t.starts[0]) // the value is behind the line that was left
	i, found := slices.BinarySearch(t.starts, offset)
	if !found {
		i = max(0, i-1)
	}
	from := t.starts[i] - t.starts[0]
	line, column = t.lines+i+1, int(offset-t.starts[i])+1
	if from > int64(len(t.kept)) || from+int64(column)-1 > int64(len(t.kept)) {
		return line, column, ""
	}
	whole, _, _ := bytes.Cut(t.kept[from:], []byte("\n"))
	column = utf8.RuneCount(t.kept[from:from+int64(column)-1]) + 1
	return line, column, strings.ToValidUTF8(string(bytes.TrimRight(whole, "\r")), "\ufffd")
}

// Int is a whole number in JSON: as such, with a fraction that is dropped, in quotes, or
// within an object that names its type, as Avro writes it. Anything else, and a number
// that is negative, is [Unknown], and so is a field that is not there if ints are taken
// out by [Int.Value].
type Int struct {
	value int64
	known bool
}

// Value is the number, or Unknown.
func (n Int) Value() int64 {
	if !n.known {
		return Unknown
	}
	return n.value
}

// UnmarshalJSON never fails.
func (n *Int) UnmarshalJSON(src []byte) error {
	*n = Int{}
	text := string(Unwrap(src))
	if unquoted, err := strconv.Unquote(text); err == nil {
		text = unquoted
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil && v >= 0 {
		*n = Int{int64(min(v, float64(Most))), true}
		if exact, err := strconv.ParseInt(text, 10, 64); err == nil && exact < Most {
			n.value = exact
		}
	}
	return nil
}

// Text is a text in JSON: as such, or within an object that names its type. Anything else
// is empty.
type Text string

// UnmarshalJSON never fails.
func (t *Text) UnmarshalJSON(src []byte) error {
	var text string
	if json.Unmarshal(Unwrap(src), &text) == nil {
		*t = Text(text)
	}
	return nil
}

// Unwrap is the value of an object with one member that names its type, as Avro writes
// values that may be of several: {"string": "NODE_LOCAL"}. Anything else is what it is.
func Unwrap(src []byte) []byte {
	if len(src) == 0 || src[0] != '{' {
		return src
	}
	var one map[string]json.RawMessage
	if json.Unmarshal(src, &one) != nil || len(one) != 1 {
		return src
	}
	for name, value := range one {
		if slices.Contains([]string{"string", "int", "long", "array", "map", "boolean", "double"}, name) || strings.Contains(name, ".") {
			return value
		}
	}
	return src
}

// Decode reads the line at hand as JSON into v. What is no JSON, or does not fit, is a
// fault.
func (in *Input) Decode(v any) *Fault {
	err := json.Unmarshal(in.text, v)
	if err == nil {
		return nil
	}
	var syntax *json.SyntaxError
	f := Fault{}
	switch {
	case in.TooLong():
		f = in.Fault(0, fmt.Sprintf("the line has more than %d MiB", MaxLine>>20), "")
	case errors.As(err, &syntax) && int(syntax.Offset) >= len(in.text):
		f = in.Fault(len(in.text), "the line ends in the middle of a value", "the file may have been cut off; copy it again")
	case errors.As(err, &syntax):
		at, message, advice := document.NotJSON(err.Error(), in.text, max(0, int(syntax.Offset)-1))
		f = in.Fault(at, message, advice)
	default:
		f = in.Fault(0, reason(err, in.text), "")
	}
	return &f
}
