package document

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fault is one thing wrong with an input file.
type Fault struct {
	// Line and Column count from 1; Column counts characters, not bytes.
	Line, Column int
	// Message says what is wrong.
	Message string
	// Advice says what to write instead; empty where the message says it all.
	Advice string
}

// String is the message and the advice in one line, without the position.
func (f Fault) String() string {
	if f.Advice == "" {
		return f.Message
	}
	return f.Message + "; " + f.Advice
}

// MaxFaults is the number of faults that Faults lists; the rest is counted.
const MaxFaults = 50

// Faults is the error of an input file: everything that is wrong with it.
type Faults struct {
	// File is the name that the caller gave.
	File string
	// List holds the first faults in the order of their positions, at least
	// one and at most MaxFaults.
	List []Fault
	// More counts the faults beyond List.
	More int

	excerpts []string
}

// Error lists the faults, each as file:line:column: message; advice, followed
// by the line of the file and a mark under the column.
func (f *Faults) Error() string {
	var b strings.Builder
	for i, fault := range f.List {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s:%d:%d: %s", f.File, fault.Line, fault.Column, fault)
		if f.excerpts[i] != "" {
			b.WriteByte('\n')
			b.WriteString(f.excerpts[i])
		}
	}
	if f.More > 0 {
		fmt.Fprintf(&b, "\n%s: and %d more", f.File, f.More)
	}
	return b.String()
}

// kind stands in messages for what people call the document; no text holds it.
const kind = "\x00"

// maxKept bounds the faults that are collected before they are sorted.
const maxKept = 10_000

// faultList collects faults in any order.
type faultList struct {
	kept []Fault
	seen map[Fault]bool
	lost int
}

// add notes a fault. The same fault at the same place counts once: an anchor's
// content is read wherever it is used.
func (l *faultList) add(f Fault) {
	if l.seen[f] {
		return
	}
	if len(l.kept) == maxKept {
		l.lost++
		return
	}
	if l.seen == nil {
		l.seen = map[Fault]bool{}
	}
	l.seen[f] = true
	l.kept = append(l.kept, f)
}

// err is nil if nothing was noted, else the *Faults of the file.
func (l *faultList) err(file string, t *text) error {
	if len(l.kept) == 0 {
		return nil
	}
	slices.SortStableFunc(l.kept, func(a, b Fault) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	n := min(len(l.kept), MaxFaults)
	out := &Faults{File: file, List: l.kept[:n:n], More: len(l.kept) - n + l.lost}
	for i := range out.List {
		f := &out.List[i]
		f.Line, f.Column = t.within(f.Line, f.Column)
		out.excerpts = append(out.excerpts, excerpt(t.line(f.Line), f.Column))
	}
	return out
}

const (
	excerptIndent = "  "
	excerptBefore = 60 // characters shown before the column of a long line
	excerptWidth  = 110
)

// excerpt shows a line and, beneath it, a mark under the given column. Of a
// long line it shows the part around the column.
func excerpt(line string, column int) string {
	at := max(column-1, 0)
	from, lead, tail := 0, "", ""
	if at > excerptWidth-20 {
		from, lead = at-excerptBefore, "…"
	}
	var shown, marker []rune
	i := -1
	for _, r := range line {
		i++
		if i < from {
			continue
		}
		if len(shown) == excerptWidth {
			tail = "…"
			break
		}
		if r != '\t' && !unicode.IsPrint(r) {
			r = unicode.ReplacementChar
		}
		shown = append(shown, r)
		switch {
		case i >= at:
		case r == '\t':
			marker = append(marker, '\t')
		default:
			marker = append(marker, ' ')
		}
	}
	if strings.TrimSpace(string(shown)) == "" {
		return ""
	}
	pad := strings.Repeat(" ", utf8.RuneCountInString(lead))
	return excerptIndent + lead + string(shown) + tail + "\n" + excerptIndent + pad + string(marker) + "^"
}
