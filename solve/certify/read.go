package certify

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"downbeat/model"
	"downbeat/model/check/inference"
)

// File is a proof file.
type File struct {
	// Made names the program that writes the file, which has it as a comment; empty for none.
	// Comments are not read.
	Made string
	// Changes are those that make the job set of that in its file; the file has them as a comment.
	Changes []model.Change
	// Head has the lines before the first question, Claims those after the last.
	Head, Claims []string
	Questions    []Question // question 1 is the first
}

// Question is a question with its refutation.
type Question struct {
	Lines []string
	Steps []Step
	// Last is the step that ends the refutation.
	Last int64
}

// Step is a line of a refutation.
type Step struct {
	// Kind is c, n or m; what is deleted when follows from what is used when.
	Kind byte
	ID   int64
	// Rule and Args are those of an inference; Args has the prices of multipliers, too.
	Rule string
	Args []string
	// Literals are those of its clause.
	Literals []string
	// Hints are the steps that a nogood follows from, and the multipliers that an inference
	// names.
	Hints []int64
}

// unit reports whether the step's clause is in force at once.
func (s *Step) unit() bool { return s.Kind != 'm' && len(s.Literals) == 1 }

// ReadFile takes a file apart that the checker has accepted. An error is that of r, or names the
// line that cannot be read.
func ReadFile(r io.Reader) (*File, error) {
	f := &File{}
	in := bufio.NewScanner(r)
	in.Buffer(nil, inference.MaxLine)
	for n := 1; in.Scan(); n++ {
		if err := f.line(in.Text()); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return f, in.Err()
}

// line takes a line.
func (f *File) line(text string) error {
	fields := strings.Split(text, " ")
	var at *Question
	if n := len(f.Questions); n > 0 {
		at = &f.Questions[n-1]
	}
	switch word := fields[0]; {
	case strings.HasPrefix(text, "#") || word == "d" || word == "end":
		return nil
	case word == "question":
		f.Questions = append(f.Questions, Question{})
		return nil
	case word == "claim":
		f.Claims = append(f.Claims, text)
		return nil
	case at == nil:
		f.Head = append(f.Head, text)
		return nil
	case word == "refuted":
		var err error
		at.Last, err = strconv.ParseInt(fields[len(fields)-1], 10, 64)
		return err
	case len(word) > 1:
		at.Lines = append(at.Lines, text)
		return nil
	}
	step, err := readStep(fields)
	if err == nil {
		at.Steps = append(at.Steps, step)
	}
	return err
}

// readStep reads a step, field by field.
func readStep(fields []string) (Step, error) {
	if len(fields) < 2 {
		return Step{}, fmt.Errorf("%q is no step", strings.Join(fields, " "))
	}
	id, err := strconv.ParseInt(fields[1], 10, 64)
	s := Step{Kind: fields[0][0], ID: id}
	parts := [3][]string{}
	k := 0
	for _, field := range fields[2:] {
		if field == ":" && k < 2 {
			k++
		} else {
			parts[k] = append(parts[k], field)
		}
	}
	s.Literals = parts[1]
	hints := parts[2]
	switch s.Kind {
	case 'c':
		if len(parts[0]) == 0 {
			return s, fmt.Errorf("step %d has no rule", id)
		}
		s.Rule, s.Args = parts[0][0], parts[0][1:]
		kinds, _ := inference.Arguments(s.Rule)
		if at := strings.IndexByte(kinds, 'M'); at >= 0 && at < len(s.Args) {
			hints = s.Args[at : at+1]
		}
	case 'm':
		s.Args = parts[0]
	}
	for _, hint := range hints {
		h, bad := strconv.ParseInt(hint, 10, 64)
		if bad != nil {
			err = bad
		}
		s.Hints = append(s.Hints, h)
	}
	return s, err
}

// text is the step's line.
func (s *Step) text() string {
	fields := []string{string(s.Kind), strconv.FormatInt(s.ID, 10)}
	switch s.Kind {
	case 'm':
		return strings.Join(append(fields, s.Args...), " ")
	case 'c':
		fields = append(append(append(append(fields, s.Rule), s.Args...), ":"), s.Literals...)
		return strings.Join(fields, " ")
	}
	fields = append(append(append(fields, ":"), s.Literals...), ":")
	for _, h := range s.Hints {
		fields = append(fields, strconv.FormatInt(h, 10))
	}
	return strings.Join(fields, " ")
}

// Write writes the file. Clauses and multipliers are deleted after their last use. An error is that of w.
func (f *File) Write(w io.Writer) error {
	out := &writer{w: bufio.NewWriter(w)}
	for i, line := range f.Head {
		out.line("%s", line)
		if i == 0 && f.Made != "" {
			out.line("# made by %s", f.Made)
		}
		if about := About(f.Changes); i == 0 && about != "" {
			out.line("%s", about)
		}
	}
	for i := range f.Questions {
		q := &f.Questions[i]
		out.line("question %d", i+1)
		out.all(q.Lines)
		out.steps(q)
		out.line("refuted %d %d", i+1, q.Last)
	}
	out.all(f.Claims)
	out.line("end %d", out.lines)
	return out.w.Flush()
}

// writer counts lines.
type writer struct {
	w     *bufio.Writer
	lines int
}

func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(w.w, format, args...)
	w.w.WriteByte('\n')
	w.lines++
}

func (w *writer) all(lines []string) {
	for _, line := range lines {
		w.line("%s", line)
	}
}

// steps writes those of a question, and what is deleted after each.
func (w *writer) steps(q *Question) {
	last, spent := map[int64]int{}, map[int64]bool{}
	for i := range q.Steps {
		s := &q.Steps[i]
		spent[s.ID] = !s.unit() && s.ID != q.Last
		for _, h := range s.Hints {
			last[h] = i
		}
	}
	for i := range q.Steps {
		s := &q.Steps[i]
		w.line("%s", s.text())
		var over []string
		hints := slices.Clone(s.Hints)
		slices.Sort(hints)
		for _, h := range slices.Compact(hints) {
			if spent[h] && last[h] == i && s.ID != q.Last {
				over = append(over, strconv.FormatInt(h, 10))
			}
		}
		if len(over) > 0 {
			w.line("d %s", strings.Join(over, " "))
		}
	}
}
