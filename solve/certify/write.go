package certify

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"downbeat/model/proof"
)

// Write writes the proof, if there is a claim. An error is that of w.
func (c *Certificate) Write(w io.Writer) error {
	f := &file{w: bufio.NewWriterSize(w, 1<<16), numbers: map[*proof.Refutation]int{}}
	f.line("downbeat proof 1")
	if c.Made != "" {
		f.line("# made by %s", c.Made)
	}
	if about := About(c.JS.Changes); about != "" {
		f.line("%s", about)
	}
	f.line("digest %s", c.JS.Digest())
	f.line("tick %d", c.Unit)
	f.whole = c.numbering()
	for _, members := range c.Alike {
		f.line("alike %s", strings.Trim(fmt.Sprint(members), "[]"))
	}
	if len(c.Without) > 0 {
		f.line("without %s", strings.Trim(fmt.Sprint(c.Without), "[]"))
	}
	if c.LeftOut != nil {
		f.line("%s", strings.TrimSpace("left-out "+strings.Trim(fmt.Sprint(c.LeftOut), "[]")))
	}
	for i := range c.Claims {
		f.refutation(c.Claims[i].By)
	}
	for i := range c.Claims {
		by := " by"
		if c.Claims[i].Infeasible {
			by = ""
		}
		f.line("claim %s%s %d", c.Claims[i].String(), by, f.numbers[c.Claims[i].By])
	}
	f.line("end %d", f.lines)
	return f.w.Flush()
}

// String says the claim as the file does, but for its refutation.
func (c *Claim) String() string {
	if c.Infeasible {
		return "infeasible"
	}
	text := fmt.Sprintf("%s >= %d", c.Objective, c.Least)
	for k, l := range c.Given {
		if k == 0 {
			text += " given"
		}
		text += fmt.Sprintf(" %s <= %d", l.Objective, l.Most)
	}
	return text
}

// file is a proof that is being written. The first error of w comes with the last line.
type file struct {
	w       *bufio.Writer
	lines   int
	numbers map[*proof.Refutation]int
	whole   numbering // nil where all keep their numbers
}

func (f *file) line(format string, args ...any) {
	fmt.Fprintf(f.w, format, args...)
	f.w.WriteByte('\n')
	f.lines++
}

// refutation writes those that it uses, and itself, unless it is written.
func (f *file) refutation(r *proof.Refutation) {
	if f.numbers[r] > 0 {
		return
	}
	for _, used := range r.Uses {
		f.refutation(used)
	}
	number := len(f.numbers) + 1
	f.numbers[r] = number
	f.line("question %d", number)
	for _, line := range r.Question {
		f.line("%s", f.whole.question(line))
	}
	for line := range bytes.Lines(r.Steps) {
		if len(r.Uses) > 0 {
			line = f.cut(r, line)
		}
		if f.whole != nil {
			line = f.whole.step(line)
		}
		f.w.Write(line)
		f.lines++
	}
	f.line("refuted %d %d", number, r.Last)
}

// cutMark is before the index of a question that a step uses.
var cutMark = []byte(" cut @")

// cut has the number of a question in place of its index.
func (f *file) cut(r *proof.Refutation, line []byte) []byte {
	before, after, found := bytes.Cut(line, cutMark)
	if !found {
		return line
	}
	index, rest, _ := bytes.Cut(after, []byte(" "))
	k, err := strconv.Atoi(string(index))
	if err != nil || k < 0 || k >= len(r.Uses) {
		return line
	}
	return fmt.Appendf(nil, "%s cut %d %s", before, f.numbers[r.Uses[k]], rest)
}
