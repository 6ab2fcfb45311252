package core

import (
	"math"
	"sync"
)

// Records are those of solvers that exchange clauses, so that a refutation may rest on what others
// have recorded: also on the record of one whose search is over. They are safe for concurrent use.
type Records struct {
	// ByEpochs has what others have recorded count only from the next Epoch on, so that it repeats
	// when a record is given up for what all take.
	ByEpochs bool

	mu sync.Mutex
	// published is, by solver, what its record has come to when it posted last. A record grows
	// at its end only, so that what was published stays as it is.
	published []steps
	bytes     int64
	// counted is, by solver, what of that is counted, total the sum.
	counted []int64
	total   int64
}

// foreign is a step of the record of a solver among Records; 0 for none.
type foreign struct{ solver, step uint32 }

// imported is the label of a step that says what one of another record says. Its arguments are that
// solver and step.
const imported = Label(given) - 1

// join makes a place for one more record.
func (r *recorder) join(all *Records) {
	all.mu.Lock()
	defer all.mu.Unlock()
	r.all, r.solver = all, uint32(len(all.published))
	all.published, all.counted = append(all.published, steps{}), append(all.counted, 0)
}

// publish shows others what has been recorded, and finds out how much they have: all that exchange
// share in what may be kept.
func (r *recorder) publish() {
	if r.all == nil {
		return
	}
	r.all.mu.Lock()
	defer r.all.mu.Unlock()
	p := &r.all.published[r.solver]
	r.all.bytes += r.size() - p.size()
	*p = r.steps
	if !r.all.ByEpochs {
		r.all.count(r.solver)
	}
	r.others = r.all.total - r.all.counted[r.solver]
}

// count has what a solver has recorded count for others; r.mu is held.
func (r *Records) count(solver uint32) {
	size := r.published[solver].size()
	r.total += size - r.counted[solver]
	r.counted[solver] = size
}

// Epoch has all count that has been recorded.
func (r *Records) Epoch() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for solver := range r.published {
		r.count(uint32(solver))
	}
}

// Bytes is what has been recorded.
func (r *Records) Bytes() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bytes
}

// foreign is a step as others name it.
func (r *recorder) foreign(from origin) foreign {
	if r == nil || r.all == nil {
		return foreign{}
	}
	return foreign{r.solver, uint32(from)}
}

// recordTaken writes a clause that another solver has learned, and what is left of it where the
// other literals never hold.
func (s *Solver) recordTaken(c *Clause, left []Lit) origin {
	r := s.rec
	if r == nil {
		return 0
	}
	r.hints, r.units = r.hints[:0], r.units[:0]
	r.ownArgs = append(r.ownArgs[:0], int32(c.from.solver), int32(c.from.step))
	step := r.add(imported, r.ownArgs, nil, nil, nil)
	if len(left) < len(c.Lits) {
		for _, n := range c.Lits {
			if p := s.LiteralOf(n); s.IsFalse(p) {
				s.addUnit(p)
			}
		}
		step = r.add(0, nil, left, append(r.hints, step), r.units)
	}
	r.keepOrigin(left, origin(step))
	return origin(step)
}

// merged is a record of all that a step rests on, in an order in which everything comes behind
// that, with the new ID of the step: it is the record itself where nothing was imported.
func (r *recorder) merged(end uint32) (*steps, uint32) {
	if r.all == nil {
		return &r.steps, end
	}
	r.publish()
	r.all.mu.Lock()
	m := merger{parts: append([]steps(nil), r.all.published...), out: steps{most: math.MaxInt64}}
	r.all.mu.Unlock()
	m.number = make([][]uint32, len(m.parts))
	for i := range m.parts {
		m.number[i] = make([]uint32, len(m.parts[i].starts))
	}
	m.add(foreign{r.solver, end})
	return &m.out, m.number[r.solver][end-1]
}

// merger makes one record of several.
type merger struct {
	parts  []steps
	number [][]uint32 // by solver and step less 1: the new ID, 0 for those not met yet
	out    steps
	w      written
}

// opened stands for the new ID of a step while what it rests on is added.
const opened = math.MaxUint32

// add adds a step behind all that it rests on.
func (m *merger) add(end foreign) {
	for stack := []foreign{end}; len(stack) > 0; {
		at := stack[len(stack)-1]
		number := &m.number[at.solver][at.step-1]
		switch *number {
		case 0:
			*number = opened
			stack = m.appendNeeds(stack, at)
			continue
		case opened:
			*number = m.write(at)
		}
		stack = stack[:len(stack)-1]
	}
}

// appendNeeds adds what a step rests on that was not met yet.
func (m *merger) appendNeeds(stack []foreign, at foreign) []foreign {
	w := &m.w
	m.parts[at.solver].read(at.step, w)
	if w.Label == imported {
		return m.appendNew(stack, w.origin())
	}
	for _, list := range [][]uint32{w.Hints, w.units} {
		for _, h := range list {
			stack = m.appendNew(stack, foreign{at.solver, h})
		}
	}
	return stack
}

func (m *merger) appendNew(stack []foreign, at foreign) []foreign {
	if m.number[at.solver][at.step-1] == 0 {
		stack = append(stack, at)
	}
	return stack
}

// origin is the step that an imported one stands for.
func (w *written) origin() foreign { return foreign{uint32(w.Args[0]), uint32(w.Args[1])} }

// write writes a step down, and is its new ID: one that is imported is the other.
func (m *merger) write(at foreign) uint32 {
	w, number := &m.w, m.number[at.solver]
	m.parts[at.solver].read(at.step, w)
	if w.Label == imported {
		from := w.origin()
		return m.number[from.solver][from.step-1]
	}
	for _, list := range [][]uint32{w.Hints, w.units} {
		for i, h := range list {
			list[i] = number[h-1]
		}
	}
	return m.out.add(w.Label, w.Args, w.Lits, w.Hints, w.units)
}
