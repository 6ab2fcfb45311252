package pooled

// block is what a task of a stage costs at the least in each domain, by the step by which it
// ends: some steps after the other, so that this takes no more room than the domains do.
type block struct {
	costs []int64
	// n is how many steps there are in a block; from and to are the steps held, end is after
	// the last one.
	n, from, to, end int
}

// Bounds on the steps of a block, and on what all domains of a stage take unless there are
// very many.
const (
	fewSteps, mostSteps = 8, 128
	mostHeld            = 1 << 19
)

// fit makes room for a stage.
func (b *block) fit(st *stage) {
	if most := len(st.domains) * stepsFor(st); most > len(b.costs) {
		b.costs = make([]int64, most)
	}
}

func stepsFor(st *stage) int {
	return max(fewSteps, min(mostSteps, mostHeld/max(1, len(st.domains))))
}

// begin goes before the first block of a stage, whose last one ends at a step.
func (b *block) begin(st *stage, end int) {
	b.n, b.from, b.to, b.end = stepsFor(st), 0, 0, end
	for k := range st.domains {
		st.domains[k].least, st.domains[k].fetched = impossible, impossible
	}
}

// next goes on to the next block, if there is one.
func (b *block) next() bool {
	if b.to == b.end {
		return false
	}
	b.from, b.to = b.to, min(b.end, b.to+b.n)
	return true
}

// row is the costs in a domain.
func (b *block) row(k int32) []int64 {
	at := int(k) * b.n
	return b.costs[at : at+b.to-b.from]
}

// holds reports whether a step is in the block that is held.
func (b *block) holds(at int) bool { return b.from <= at && at < b.to }
