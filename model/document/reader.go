// Package document reads YAML and JSON value by value, and answers with everything
// that is wrong at its line and column. It knows no fields: packages model/jobfile and
// model/planfile do.
package document

import (
	"fmt"

	"gopkg.in/yaml.v3"
)

// Reader reads a document value by value and collects what is wrong with it.
type Reader struct {
	kind    string // what people call the document, like "job set"
	text    *text
	faults  faultList
	guesses int // suggestions made
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
	if size := len(r.text.src); size > bytes {
		r.Note(Fault{Line: 1, Column: 1,
			Message: fmt.Sprintf("the file has %d bytes, more than %d MiB", size, bytes>>20), Advice: advice})
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
