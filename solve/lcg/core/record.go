package core

import (
	"cmp"
	"slices"
)

// recorder keeps the steps from which a refutation follows. Inferences are written when
// a conflict is first analysed with them, and keep their step while they are on the
// trail; what holds without decisions is written at once, for explanations leave it out.
type recorder struct {
	naming *naming
	steps
	label  Label   // of what is added next
	labels []Label // by propagator
	// origins are the steps of clauses of two literals.
	origins map[[2]Lit]origin
	unit    []uint32 // by variable: the step that made it hold without decisions, or 0
	end     uint32   // the step that is the empty clause, or that of failed assumptions, or 0

	// all are the records that steps may be imported from, nil for none, of which this is that of
	// a solver.
	all    *Records
	solver uint32

	noted []int32 // about the inference in hand, for its rule
	roots []Lit   // of the explanation in hand, those that hold without decisions

	// Scratch. What is learnt, or holds without decisions, rests on hints and units; an
	// inference on ownUnits.
	lits         []Lit
	named        []Name
	hints, units []uint32
	ownUnits     []uint32
	ownArgs      []int32
	resolved     []uint32 // variables
}

// Record keeps the steps of what is learnt, for Refutation, in up to most bytes: if that
// is not enough there is no refutation. To be called before anything is added.
func (s *Solver) Record(most int64) {
	s.rec = &recorder{naming: &s.naming, steps: steps{most: min(most, maxSteps)}, origins: map[[2]Lit]origin{}, unit: make([]uint32, len(s.level))}
}

// add writes a step, in names.
func (r *recorder) add(label Label, args []int32, lits []Lit, hints, units []uint32) uint32 {
	r.named = r.naming.appendNames(r.named[:0], lits)
	return r.steps.add(label, args, r.named, hints, units)
}

// SetLabel says what is added next comes from.
func (s *Solver) SetLabel(l Label) {
	if s.rec != nil {
		s.rec.label = l
	}
}

// Note adds to what a record says of the inference whose explanation is in hand.
func (s *Solver) Note(args ...int32) {
	if s.rec != nil {
		s.rec.noted = append(s.rec.noted, args...)
	}
}

// originOf is that of a clause that is added; some of it was dropped, since it does not
// hold whatever is decided.
func (r *recorder) originOf(lits []Lit, dropped bool) origin {
	if !dropped && len(lits) > 1 {
		return given | origin(r.label)
	}
	return origin(r.add(r.label, nil, lits, nil, r.units))
}

// recordGiven notes a clause of some literals that is added; units are those that deny the
// others that it has.
func (s *Solver) recordGiven(lits, dropped []Lit) origin {
	r := s.rec
	if r == nil {
		return 0
	}
	r.units = r.units[:0]
	for _, p := range dropped {
		r.units = s.appendUnit(r.units, p)
	}
	o := r.originOf(lits, len(dropped) > 0)
	r.keepOrigin(lits, o)
	return o
}

// keepOrigin keeps where a clause comes from that is in no arena.
func (r *recorder) keepOrigin(lits []Lit, o origin) {
	switch len(lits) {
	case 0:
		r.finish(uint32(o))
	case 1:
		r.unit[lits[0].variable()] = uint32(o)
	case 2:
		r.origins[pair(lits[0], lits[1])] = o
	}
}

func pair(p, q Lit) [2]Lit { return [2]Lit{min(p, q), max(p, q)} }

// finish notes the empty clause.
func (r *recorder) finish(step uint32) {
	if r.end == 0 {
		r.end = step
	}
}

// noteAntecedents keeps, behind an explanation, what its step will say.
func (s *Solver) noteAntecedents() {
	r := s.rec
	out := append(s.explained, 0, uint32(r.labels[s.running]), uint32(len(r.roots)))
	for _, p := range r.roots {
		out = append(out, uint32(p))
	}
	out = append(out, uint32(len(r.noted)))
	for _, a := range r.noted {
		out = append(out, uint32(a))
	}
	s.explained = out
}

// inference is the step by which the explanation at some place implies p.
func (s *Solver) inference(p Lit, at uint32) uint32 {
	n := s.explained[at]
	explanation, behind := s.explained[at+1:at+1+n], s.explained[at+1+n:]
	if behind[0] != 0 {
		return behind[0]
	}
	r := s.rec
	r.lits = append(r.lits[:0], p)
	for _, q := range explanation {
		r.lits = append(r.lits, Lit(q).Not())
	}
	label, behind := Label(behind[1]), behind[2:]
	roots, noted := behind[1:1+behind[0]], behind[2+behind[0]:]
	r.ownUnits, r.ownArgs = r.ownUnits[:0], r.ownArgs[:0]
	for _, q := range roots {
		r.ownUnits = s.appendUnit(r.ownUnits, Lit(q))
	}
	for _, a := range noted[:behind[1+behind[0]]] {
		r.ownArgs = append(r.ownArgs, int32(a))
	}
	step := r.add(label, r.ownArgs, r.lits, nil, r.ownUnits)
	s.explained[at+1+n] = step
	return step
}

// byOrder reports whether a variable's value follows from a stronger bound of its
// integer, which is no step.
func (s *Solver) byOrder(v uint32) bool {
	r := s.reasons[v]
	if r&kindMask != byLiteral {
		return false
	}
	p, kind := Lit(r&^kindMask), s.kindOf[v]
	u := p.variable()
	negative := s.vals[v<<1] < 0
	return kind >= 0 && s.kindOf[u] == kind && p.negative() == negative && (s.nameOf[u] > s.nameOf[v]) == negative
}

// recordRoot writes why p holds without decisions, but where there is a step for it.
func (s *Solver) recordRoot(p Lit, by reason) {
	if len(s.levels) > 0 || by&kindMask == byDecision {
		return
	}
	r := s.rec
	r.units, r.hints = r.units[:0], r.hints[:0]
	step := s.stepBehind(p.variable())
	if by&kindMask != byPropagator {
		r.lits = append(r.lits[:0], p)
		step = r.add(0, nil, r.lits, append(r.hints, step), r.units)
	}
	r.unit[p.variable()] = step
}

// stepBehind is the step of the clause by which a variable has its value; units that it
// needs besides are added to those in hand.
func (s *Solver) stepBehind(v uint32) uint32 {
	by := s.reasons[v]
	at := uint32(by &^ kindMask)
	p := s.trueOf(v)
	switch by & kindMask {
	case byClause:
		return s.stepOfClause(at, v)
	case byLiteral:
		q := Lit(at)
		s.addUnit(q)
		return s.stepOfPair(p, q.Not())
	default:
		return s.inference(p, at)
	}
}

// addUnit adds the step of a literal to those in hand if it is settled without decisions.
func (s *Solver) addUnit(p Lit) {
	if s.level[p.variable()] == 0 {
		s.rec.units = s.appendUnit(s.rec.units, p)
	}
}

// appendUnit adds the step by which the variable of p, no constant, is settled without
// decisions.
func (s *Solver) appendUnit(units []uint32, p Lit) []uint32 {
	v := p.variable()
	for s.byOrder(v) {
		v = Lit(s.reasons[v] &^ kindMask).variable()
	}
	if s.rec.unit[v] == 0 {
		return units
	}
	return append(units, s.rec.unit[v])
}

// stepOfClause is the step of a clause, which gives variable v its value.
func (s *Solver) stepOfClause(at, v uint32) uint32 {
	for _, q := range s.literals(at) {
		if q>>1 != v {
			s.addUnit(Lit(q))
		}
	}
	if o := origin(s.arena[at+2]); o&given != 0 {
		r := s.rec
		r.lits = r.lits[:0]
		for _, q := range s.literals(at) {
			r.lits = append(r.lits, Lit(q))
		}
		s.arena[at+2] = r.add(Label(o&^given), nil, r.lits, nil, nil)
	}
	return s.arena[at+2]
}

// stepOfPair is the step of a clause of two literals.
func (s *Solver) stepOfPair(p, q Lit) uint32 {
	r, key := s.rec, pair(p, q)
	o := r.origins[key]
	if o&given != 0 {
		o = origin(r.add(Label(o&^given), nil, append(r.lits[:0], p, q), nil, nil))
		r.origins[key] = o
	}
	return uint32(o)
}

// stepOfConflict is the step of the clause that has no literal left.
func (s *Solver) stepOfConflict() uint32 {
	switch by := s.failed; by & kindMask {
	case byClause:
		return s.stepOfClause(uint32(by&^kindMask), 0)
	case byLiteral:
		s.addUnit(s.conflict[0])
		s.addUnit(s.conflict[1])
		return s.stepOfPair(s.conflict[0], s.conflict[1])
	}
	r := s.rec
	r.lits = r.lits[:0]
	r.ownUnits = r.ownUnits[:0]
	for _, p := range r.roots {
		r.ownUnits = s.appendUnit(r.ownUnits, p)
	}
	for _, p := range s.conflict {
		if s.level[p.variable()] == 0 {
			r.ownUnits = s.appendUnit(r.ownUnits, p)
		} else {
			r.lits = append(r.lits, p)
		}
	}
	return r.add(r.labels[s.running], r.noted, r.lits, nil, r.ownUnits)
}

// recordEnd writes the empty clause: a conflict holds whatever is decided.
func (s *Solver) recordEnd() {
	r := s.rec
	if r == nil {
		return
	}
	r.units = r.units[:0]
	step := s.stepOfConflict()
	if s.failed&kindMask != byPropagator {
		step = r.add(0, nil, nil, append(r.hints[:0], step), r.units)
	}
	r.finish(step)
}

// recordReasons finds what the clause that is learnt rests on: the reasons of all variables
// that are resolved upon, in the order in which they got their values, then the conflict.
// Cause is as after minimise: those that are left are assumed.
func (s *Solver) recordReasons() {
	r := s.rec
	if r == nil {
		return
	}
	for _, p := range s.cause {
		s.seen[p.variable()] = false
	}
	s.resolveSeen()
	r.hints = append(r.hints, s.stepOfConflict())
}

// resolveSeen takes as hints, and units, why all variables that are seen have their values, in the
// order in which they got them.
func (s *Solver) resolveSeen() {
	r := s.rec
	r.resolved = r.resolved[:0]
	for _, v := range s.marked {
		if s.seen[v] && !s.byOrder(v) {
			r.resolved = append(r.resolved, v)
		}
	}
	slices.SortFunc(r.resolved, func(u, v uint32) int { return cmp.Compare(s.position[u], s.position[v]) })
	r.hints, r.units = r.hints[:0], r.units[:0]
	for _, v := range r.resolved {
		r.hints = append(r.hints, s.stepBehind(v))
	}
}

// recordFailed writes the clause of the assumptions that do not hold together.
func (s *Solver) recordFailed() {
	r := s.rec
	if r == nil {
		return
	}
	s.resolveSeen()
	s.addUnit(s.nogood[0])
	r.end = r.add(0, nil, s.nogood, r.hints, r.units)
}

// recordLearnt writes the clause that is learnt.
func (s *Solver) recordLearnt(clause []Lit) origin {
	r := s.rec
	if r == nil {
		return 0
	}
	step := origin(r.add(0, nil, clause, r.hints, r.units))
	r.keepOrigin(clause, step)
	return step
}

// Refutation yields the steps that the empty clause, or that of [Solver.Failed], which is the last
// one, rests on; none unless a recorded search was Unsatisfiable and short enough. A step is not to be kept: the
// next one is written over it.
func (s *Solver) Refutation(yield func(*Step) bool) {
	if r := s.rec; r != nil && r.end > 0 && !r.full() {
		all, end := r.merged(r.end)
		all.trimmed(end, yield)
	}
}

// stopRecording gives the record up when it is too long.
func (s *Solver) stopRecording() {
	if s.rec != nil && s.rec.full() {
		s.rec = nil
		s.outbox = nil // its steps are of no use to others any more
	}
}
