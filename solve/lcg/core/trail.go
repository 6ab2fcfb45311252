package core

// A reason is what made a literal true: two bits of kind, and where the
// antecedents are.
type reason uint32

const (
	byDecision   reason = iota << 30
	byClause            // offset into arena
	byLiteral           // the true literal that implies it
	byPropagator        // offset into explained
	kindMask     reason = 3 << 30
)

// trail holds the literals that are true, in the order in which they became so.
type trail struct {
	vals     []int8 // by literal: 1 true, -1 false, 0 open
	level    []int32
	reasons  []reason
	assigned []Lit
	levels   []int32 // length of assigned at each decision
	position []int32 // by variable: when it became so, even unless it was named later (see setBehind)
}

// Value of a literal: 1 true, -1 false, 0 open.
func (t *trail) Value(p Lit) int8 { return t.vals[p] }

// IsTrue reports whether p is true as things stand.
func (t *trail) IsTrue(p Lit) bool { return t.vals[p] > 0 }

// IsFalse reports whether p is false as things stand.
func (t *trail) IsFalse(p Lit) bool { return t.vals[p] < 0 }

// set makes p true, after all that is on the trail.
func (t *trail) set(p Lit, r reason) {
	t.vals[p], t.vals[p.Not()] = 1, -1
	v := p.variable()
	t.level[v] = int32(len(t.levels))
	t.reasons[v] = r
	t.position[v] = 2 * int32(len(t.assigned))
	t.assigned = append(t.assigned, p)
}

// Level is the number of decisions as things stand.
func (t *trail) Level() int { return len(t.levels) }
