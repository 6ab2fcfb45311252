package trace

import (
	"fmt"
	"strings"

	"downbeat/model/files/document"
)

// Place is a place in a file, Line and Column from 1; Column counts characters. Line 0
// stands for the file as a whole.
type Place struct {
	File         string
	Line, Column int
}

// Fault is something wrong with a file, or odd about it.
type Fault struct {
	Place
	// Message says what is wrong, Advice what to do or write instead; empty where the message
	// says it all.
	Message, Advice string
	// excerpt shows the line, and the place in it.
	excerpt string
}

// String is the message with its place and advice, in one line.
func (f *Fault) String() string {
	text := f.Message
	if f.Advice != "" {
		text += "; " + f.Advice
	}
	if f.Line == 0 {
		return f.File + ": " + text
	}
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, text)
}

// Error is String with the line and a mark under the place.
func (f *Fault) Error() string {
	if f.excerpt == "" {
		return f.String()
	}
	return f.String() + "\n" + f.excerpt
}

// Within is the fault with the line that it is in.
func (f Fault) Within(line string) Fault {
	f.excerpt = document.Excerpt(line, f.Column)
	return f
}

// Tally counts things by their kind, and keeps the first of each.
type Tally struct{ Kinds []Kind }

// Kind is a kind of thing in a tally: what it is, in the plural, how many there are, and
// the first. Several kinds may be called the same where they differ in what is wrong.
type Kind struct {
	What  string
	Count int
	First Fault

	reason string
}

// maxKinds bounds the kinds of a tally.
const maxKinds = 50

// Add counts one. Beyond so many kinds the last stands for all others.
func (t *Tally) Add(what string, f Fault) { t.add(what, "", f) }

// AddByReason counts one among those of which the same is wrong, as the message says before
// it quotes something or gives a figure.
func (t *Tally) AddByReason(what string, f Fault) {
	reason := f.Message
	if end := strings.IndexAny(reason, "\"0123456789"); end >= 0 {
		reason = reason[:end]
	}
	t.add(what, reason, f)
}

func (t *Tally) add(what, reason string, f Fault) {
	for i := range t.Kinds {
		if t.Kinds[i].What == what && t.Kinds[i].reason == reason {
			t.Kinds[i].Count++
			return
		}
	}
	if len(t.Kinds) == maxKinds {
		t.Kinds[maxKinds-1].Count++
		return
	}
	t.Kinds = append(t.Kinds, Kind{what, 1, f, reason})
}

// Count is the number of all things.
func (t *Tally) Count() int {
	n := 0
	for _, k := range t.Kinds {
		n += k.Count
	}
	return n
}
