package trace

import (
	"fmt"
	"strings"
)

// records cuts the lines of an input into cells: in quotes or not, with commas,
// semicolons or tabs between; or with bars, where quotes mean nothing.
type records struct {
	in        *Input
	separator byte
	cells     []string
	offsets   []int // of the cells in the line at hand
}

// next reads the next line that is not empty; false at the end of the input. What is wrong
// with a line is its fault.
func (r *records) next() (f *Fault, ok bool) {
	for r.in.Next() {
		text := string(r.in.Line())
		if strings.Trim(text, " \t,;|") == "" {
			continue
		}
		if r.separator == 0 {
			r.separator = separatorOf(text)
		}
		if r.in.TooLong() {
			f := r.in.Fault(0, fmt.Sprintf("the line has more than %d MiB", MaxLine>>20), "")
			return &f, true
		}
		return r.cut(text), true
	}
	return nil, false
}

// separatorOf is the one that the header has most of.
func separatorOf(header string) byte {
	best := byte(',')
	for _, c := range []byte(";\t|") {
		if strings.Count(header, string(c)) > strings.Count(header, string(best)) {
			best = c
		}
	}
	return best
}

// cut cuts a line into cells.
func (r *records) cut(text string) *Fault {
	r.cells, r.offsets = r.cells[:0], r.offsets[:0]
	at := 0
	for {
		begin := at
		for begin < len(text) && text[begin] == ' ' {
			begin++
		}
		cell, end := "", 0
		if begin < len(text) && text[begin] == '"' && r.separator != '|' {
			var closed bool
			if cell, end, closed = quoted(text, begin); !closed {
				f := r.in.Fault(begin, "a quote is not closed in its line", `double quotes within a cell: "a ""b"" c"`)
				return &f
			}
		} else {
			end = begin + max(strings.IndexByte(text[begin:]+string(r.separator), r.separator), 0)
			cell = strings.TrimSpace(text[begin:end])
		}
		r.cells, r.offsets = append(r.cells, cell), append(r.offsets, begin)
		if end >= len(text) {
			return nil
		}
		if text[end] != r.separator {
			f := r.in.Fault(end, "text after the closing quote", `double quotes within a cell: "a ""b"" c"`)
			return &f
		}
		at = end + 1
	}
}

// quoted is the cell that begins with a quote, and where what follows it begins.
func quoted(text string, begin int) (cell string, end int, closed bool) {
	var b strings.Builder
	for i := begin + 1; i < len(text); i++ {
		switch {
		case text[i] != '"':
			b.WriteByte(text[i])
		case i+1 < len(text) && text[i+1] == '"':
			b.WriteByte('"')
			i++
		default:
			end = i + 1
			for end < len(text) && text[end] == ' ' {
				end++
			}
			return strings.TrimSpace(b.String()), end, true
		}
	}
	return "", 0, false
}
