package cubes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"downbeat/model/proof"
	"downbeat/solve/lcg"
)

// Segments gives those of a series up to some number, an error where they are not all there.
type Segments func(series string, upTo int) ([]*Segment, error)

// ErrUnproved: there is a cube that is not refuted, or not in steps.
var ErrUnproved = errors.New("not all cubes are refuted in steps")

// Resolve makes the refutation of the limit most of those of cubes: their steps one series after the
// other, then the nogoods, of which two are resolved upon the literal of each split, up to the empty
// clause. An error is that of segments, that of ctx, or ErrUnproved.
func (s *State) Resolve(ctx context.Context, most int64, segments Segments) (*proof.Refutation, error) {
	r := &resolver{State: s, most: most, last: map[string]int{}}
	end, err := r.resolve(s.Tree)
	switch {
	case err != nil:
		return nil, err
	case len(end.literals) > 0:
		return nil, fmt.Errorf("what is refuted of cubes leaves %v open", end.literals)
	}
	r.need(end)
	w := &merger{ctx: ctx, shift: map[string]int64{}, last: []int64{0}}
	for _, series := range r.order {
		parts, err := segments(series, r.last[series])
		if err != nil {
			return nil, err
		}
		if err := w.take(series, parts); err != nil {
			return nil, err
		}
	}
	q := s.Question(most)
	out := &proof.Refutation{Question: q.Lines(), Last: w.number(end)}
	out.Steps, err = w.write()
	return out, err
}

// clause is a nogood: that of a cube, or the resolvent of two.
type clause struct {
	literals []string // of which one is true
	by       *Segment // nil for a resolvent
	from     [2]*clause
	id       int64 // once it is written
}

// resolver finds what the empty clause follows from.
type resolver struct {
	*State
	most  int64
	last  map[string]int // by series: the last segment that is needed
	order []string       // of series, by first use
}

// resolve is the clause of a node, by which no plan keeps to it.
func (r *resolver) resolve(t *Tree) (*clause, error) {
	if t.Cube != "" {
		if c := r.ofCube(t.Cube); c != nil {
			return c, nil
		}
	}
	if t.Literal == "" {
		return nil, fmt.Errorf("cube %s: %w", t.Cube, ErrUnproved)
	}
	holds, err := r.resolve(t.Holds)
	if err != nil || !slices.Contains(holds.literals, lcg.Opposite(t.Literal)) {
		return holds, err
	}
	fails, err := r.resolve(t.Fails)
	if err != nil || !slices.Contains(fails.literals, t.Literal) {
		return fails, err
	}
	out := &clause{from: [2]*clause{holds, fails}}
	for k, pivot := range []string{lcg.Opposite(t.Literal), t.Literal} {
		for _, l := range out.from[k].literals {
			if l != pivot && !slices.Contains(out.literals, l) {
				out.literals = append(out.literals, l)
			}
		}
	}
	return out, nil
}

// ofCube is the nogood of a cube that is refuted in steps, and of a limit that carries; nil for others.
func (r *resolver) ofCube(name string) *clause {
	of := r.Of(name, r.most)
	if of == nil || of.By == nil {
		return nil
	}
	return &clause{literals: of.Clause, by: of.By}
}

// need notes the segments that a clause follows from, and those of the clauses behind it.
func (r *resolver) need(c *clause) {
	if c.by == nil {
		r.need(c.from[0])
		r.need(c.from[1])
		return
	}
	if r.last[c.by.Series] == 0 {
		r.order = append(r.order, c.by.Series)
	}
	r.last[c.by.Series] = max(r.last[c.by.Series], c.by.Number)
}

// merger writes the steps of many series as those of one refutation.
type merger struct {
	ctx   context.Context
	texts []text
	// shift is by series what its IDs are raised by.
	shift map[string]int64
	// last is, by ID, the step that needs it last; 0 for none.
	last []int64
	// resolvents are in the order of their IDs.
	resolvents []*clause
}

// text has the steps of a segment, whose IDs are raised by shift.
type text struct {
	steps []byte
	shift int64
}

// take takes the segments of a series, in order.
func (m *merger) take(series string, segments []*Segment) error {
	shift := int64(len(m.last) - 1)
	m.shift[series] = shift
	for _, of := range segments {
		m.texts = append(m.texts, text{of.Steps, shift})
		for line := range bytes.Lines(of.Steps) {
			id, hints, err := parse(line)
			switch {
			case err != nil:
				return fmt.Errorf("segment %d of %s: %w", of.Number, series, err)
			case m.ctx.Err() != nil:
				return m.ctx.Err()
			}
			id += shift
			for int64(len(m.last)) <= id {
				m.last = append(m.last, 0)
			}
			for field := range bytes.FieldsSeq(hints) {
				h, err := m.hint(field, shift, id)
				if err != nil {
					return fmt.Errorf("segment %d of %s: %w", of.Number, series, err)
				}
				m.last[h] = id
			}
		}
	}
	return nil
}

// hint reads the ID of a step before some ID.
func (m *merger) hint(field []byte, shift, id int64) (int64, error) {
	h, err := strconv.ParseInt(string(field), 10, 64)
	if h += shift; err != nil || h <= shift || h >= id {
		return 0, fmt.Errorf("%q is no step before", field)
	}
	return h, nil
}

// parse is the ID of a step, which may be an inference or a nogood, and the hints of that.
func parse(line []byte) (id int64, hints []byte, err error) {
	kind, rest, _ := bytes.Cut(line, []byte{' '})
	number, rest, _ := bytes.Cut(rest, []byte{' '})
	if id, err = strconv.ParseInt(string(number), 10, 64); err != nil || id < 1 || id > mostSteps || !bytes.HasSuffix(line, []byte{'\n'}) {
		return 0, nil, fmt.Errorf("%.40q is no step", line)
	}
	switch string(kind) {
	case "c":
		return id, nil, nil
	case "n":
		return id, rest[bytes.LastIndexByte(rest, ':')+1:], nil
	}
	return 0, nil, fmt.Errorf("%.40q is no step", line)
}

// mostSteps is more than a search keeps.
const mostSteps = 1 << 31

// number gives resolvents their IDs, those first that they follow from, and is that of a clause.
func (m *merger) number(c *clause) int64 {
	switch {
	case c.id > 0:
	case c.by != nil:
		c.id = m.shift[c.by.Series] + c.by.Last
	default:
		from := [2]int64{m.number(c.from[0]), m.number(c.from[1])}
		c.id = int64(len(m.last))
		m.last = append(m.last, 0)
		for _, f := range from {
			m.last[f] = c.id
		}
		m.resolvents = append(m.resolvents, c)
	}
	return c.id
}

// write writes all steps; each is deleted after the last that needs it.
func (m *merger) write() ([]byte, error) {
	var out bytes.Buffer
	var over, hints []int64
	deleted := func(id int64) {
		over = over[:0]
		for _, h := range hints {
			if m.last[h] == id {
				over = append(over, h)
				m.last[h] = 0 // named twice
			}
		}
		for k, h := range over {
			if k == 0 {
				out.WriteByte('d')
			}
			fmt.Fprintf(&out, " %d", h)
		}
		if len(over) > 0 {
			out.WriteByte('\n')
		}
	}
	for _, t := range m.texts {
		for line := range bytes.Lines(t.steps) {
			if m.ctx.Err() != nil {
				return nil, m.ctx.Err()
			}
			hints = t.renumber(&out, line, hints[:0])
			id, _, _ := parse(line)
			deleted(id + t.shift)
		}
	}
	for k, c := range m.resolvents {
		fmt.Fprintf(&out, "n %d :", c.id)
		for _, l := range c.literals {
			out.WriteString(" " + l)
		}
		hints = append(hints[:0], c.from[0].id, c.from[1].id)
		fmt.Fprintf(&out, " : %d %d\n", hints[0], hints[1])
		if k+1 < len(m.resolvents) {
			deleted(c.id)
		}
	}
	return out.Bytes(), nil
}

// renumber writes a step with its IDs raised, and adds those that it names to hints.
func (t *text) renumber(out *bytes.Buffer, line []byte, hints []int64) []int64 {
	id, named, _ := parse(line) // has been parsed
	_, rest, _ := bytes.Cut(line[2:], []byte{' '})
	out.Write(line[:2])
	out.WriteString(strconv.FormatInt(id+t.shift, 10))
	out.WriteByte(' ')
	out.Write(rest[:len(rest)-len(named)])
	if named == nil {
		return hints
	}
	for field := range bytes.FieldsSeq(named) {
		h, _ := strconv.ParseInt(string(field), 10, 64)
		h += t.shift
		hints = append(hints, h)
		out.WriteByte(' ')
		out.WriteString(strconv.FormatInt(h, 10))
	}
	out.WriteByte('\n')
	return hints
}
