package lagrange

import (
	"slices"
	"sync"
	"sync/atomic"

	"downbeat/model/proof"
)

// workers are those at a search: what they have in common, and which parts of it there are
// for each to take (work stealing). A worker without work takes a tree that nobody is at, else
// the side of an open node that has not been begun, of the shallowest one, as a tree of its
// own, else a target of a round of shaving.
type workers struct {
	// left is the work that may still be done by all together, in starts looked at.
	left atomic.Int64
	// over tells that there is no use in going on.
	over atomic.Bool
	// deep tells that a path was gone to its end: until then all have part in its shaving, by which the
	// first plan comes sooner than by paths for each.
	deep atomic.Bool
	// size counts the multipliers of all dual bounds so far, those thrown away included, and
	// what the trees of parts hold.
	size    atomic.Int64
	success successRates
	// whole is the tightness of the whole.
	whole float64

	// mu guards what is below, and what is said of nodes and rounds; changed tells that there is
	// more to take, or that a part has come to an end.
	mu      sync.Mutex
	changed sync.Cond
	// ended tells all to stop for now, idle counts those that wait.
	ended bool
	idle  int
	// trees are those that have not come to an end, nil before the first; spare ones have their
	// domains as they were at first.
	trees, spare []*tree
	rounds       int // of shaving, so far
	argument     *proof.Branching
}

// treeState says who is at a tree.
type treeState uint8

const (
	ready   treeState = iota // nobody, and it can be gone on with
	taken                    // a worker
	waiting                  // nobody, until a part has come to an end
)

// part is the side of a node's split, where it does not hold, that was taken off a tree.
type part struct {
	of *tree
	// path is what leads there from the whole, start the multipliers to begin with.
	path  []fixing
	start []int64
	// depth counts the splits on the path.
	depth int
	// refuted is the argument, once there is one.
	refuted *proof.Branching
}

// worker is one of those at a search.
type worker struct {
	*Refutation
	ask   Ask
	steps int
	// probes is what it probes targets of others with, nil before the first; round is the one
	// whose domains it has, with so many fixings.
	probes         *shaving
	round, fixings int
}

// labour has a worker take parts of the search until all are to stop. It says how many steps the worker
// took.
func (r *Refutation) labour(ask Ask) (steps int) {
	w := &worker{Refutation: r, ask: ask}
	for {
		switch t, p := w.next(); {
		case t != nil:
			w.search(t)
		case p != nil:
			w.probe(p)
		default:
			w.leave()
			return w.steps
		}
	}
}

// next is what to do next, nothing once all are to stop.
func (w *worker) next() (*tree, *probing) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for !w.ended {
		if t := w.takeReady(); t != nil {
			return t, nil
		}
		if w.deep.Load() {
			if t := w.takePart(); t != nil {
				return t, nil
			}
		}
		if p := w.takeTarget(); p != nil {
			return nil, p
		}
		w.wait()
	}
	return nil, nil
}

// wait waits for a change; mu is held.
func (w *workers) wait() {
	w.idle++
	w.changed.Wait()
	w.idle--
}

// tell has those that wait look again, if there are any; mu is held.
func (w *workers) tell() {
	if w.idle > 0 {
		w.changed.Broadcast()
	}
}

// takeReady is a tree that nobody is at; mu is held.
func (w *workers) takeReady() *tree {
	for _, t := range w.trees {
		if t.state == ready {
			t.state = taken
			return t
		}
	}
	return nil
}

// takePart is a tree of a part that nobody has begun; mu is held.
func (w *workers) takePart() *tree {
	var from *tree
	at, least := 0, 0
	for _, t := range w.trees {
		if k := slices.IndexFunc(t.stack, (*node).isOpen); k >= 0 && (from == nil || t.depth()+k < least) {
			from, at, least = t, k, t.depth()+k
		}
	}
	if from == nil {
		return nil
	}
	if !w.affords(from) {
		return nil
	}
	n := from.stack[at]
	n.other = &part{of: from, path: append(from.path(at), fixing{split: n.split}), start: n.start, depth: least + 1}
	t := w.spareTree(from)
	t.part, t.state = n.other, taken
	w.trees = append(w.trees, t)
	return t
}

// affords tells whether there is the memory for what another tree holds; mu is held.
func (w *workers) affords(beside *tree) bool {
	return len(w.spare) > 0 || w.size.Load()+beside.held() < maxSize/2
}

// spareTree is a tree beside another, without domains where it is a new one; mu is held.
func (w *workers) spareTree(beside *tree) *tree {
	if last := len(w.spare) - 1; last >= 0 {
		t := w.spare[last]
		w.spare = w.spare[:last]
		return t
	}
	return &tree{prober: prober{ctx: beside.ctx, workers: beside.workers, thorough: beside.thorough}}
}

// isOpen tells that the side where the split does not hold is there to be taken.
func (n *node) isOpen() bool { return n.sides == 1 && n.other == nil }

// depth counts the splits that lead to the root.
func (t *tree) depth() int {
	if t.part == nil {
		return 0
	}
	return t.part.depth
}

// path is what leads from the whole to a node of the stack, its fixings included; workers.mu is held.
func (t *tree) path(to int) (path []fixing) {
	if t.part != nil {
		path = append(path, t.part.path...)
	}
	for k, n := range t.stack[:to+1] {
		for _, f := range n.fixings {
			path = append(path, fixing{split: f.split, holds: f.holds})
		}
		if k < to {
			path = append(path, fixing{split: n.split, holds: n.sides == 1})
		}
	}
	return path
}

// begin notes that a node's next side is begun, unless it was taken by another worker: then other is
// that part, and refuted the argument, once there is one.
func (t *tree) begin(n *node) (other *part, refuted *proof.Branching) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n.other != nil {
		return n.other, n.other.refuted
	}
	n.sides++
	t.tell()
	return nil, nil
}

// search goes on with a tree until it comes to an end, or waits, or all are to stop.
func (w *worker) search(t *tree) {
	before := t.steps
	if t.part != nil && t.stack == nil {
		w.relax(t)
	}
	t.ask = w.ask
	c, waits := t.run(w.coarse, w.due)
	t.ask = nil
	t.charge()
	w.steps += t.steps - before
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case c != nil:
		w.close(t, c)
	case waits && t.stack[len(t.stack)-1].other.refuted == nil:
		t.state = waiting
	default:
		t.state = ready
		w.ended = w.ended || !waits
	}
	w.changed.Broadcast()
}

// close takes the argument that a tree has come to; mu is held.
func (w *workers) close(t *tree, c *proof.Branching) {
	w.trees = slices.DeleteFunc(w.trees, func(o *tree) bool { return o == t })
	if t.part == nil {
		w.argument, w.ended = c, true
		w.over.Store(true)
		return
	}
	t.part.refuted = c
	if of := t.part.of; of.state == waiting && of.stack[len(of.stack)-1].other == t.part {
		of.state = ready
	}
	t.part, t.stack = nil, nil
	w.spare = append(w.spare, t)
}

// leave gives back what a worker has probed with, if it has.
func (w *worker) leave() {
	if w.probes == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spare = append(w.spare, w.probes.tree)
}

// dropSpare lets go of spare trees; mu is held.
func (w *workers) dropSpare() {
	for _, t := range w.spare {
		if t.domains != nil {
			w.size.Add(-t.held())
		}
	}
	w.spare = nil
}

// relax has the domains of a tree as they are at first.
func (w *worker) relax(t *tree) {
	if t.domains == nil {
		r := newLagrangian(w.ctx, w.coarse.js, w.coarse.charges(inTime(w.due)))
		r.slack = w.coarse.slack()
		t.domains = newDomains(r)
		t.target()
		w.size.Add(t.held())
	}
	t.undo(0)
}

// held is about what a relaxation takes, in multipliers of a dual bound, of 48 bytes each.
func (r *lagrangian) held() int64 {
	times := 0
	for s := range r.slaves {
		times += len(r.slaves[s].loads)
	}
	for j := range r.jobs {
		times += len(r.jobs[j].stages)
	}
	return int64(2*len(r.Multipliers)+times*int(r.end+1)) / 6
}

// enterPart takes the part that a tree is about: multipliers refute it, or it becomes a node.
func (t *tree) enterPart() (c *proof.Branching) {
	if c = t.empty(); t.follow(t.part.path) {
		c = t.byMultipliers(t.part.start, manySteps, warmFactor)
	}
	if c == nil {
		t.push(0)
	}
	return c
}

// follow narrows the domains along a path, and reports whether each task still has a placement.
func (ds *domains) follow(path []fixing) bool {
	for k := range path {
		if !ds.narrow(&path[k].split, path[k].holds) {
			return false
		}
	}
	return true
}

// round is one of shaving, of which workers take targets.
type round struct {
	number  int
	stages  bool // the targets are stages', not tasks'
	targets int
	effort  effort
}

// openRound has others take targets of a round.
func (s *shaving) openRound(targets []target, e effort) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(targets) == 0 {
		return
	}
	if s.taken = s.next; s.halfway() {
		s.taken++
	}
	s.rounds++
	s.current = &round{number: s.rounds, stages: targets[0].split.Kind == proof.StageEndsBy, targets: len(targets), effort: e}
	s.tell()
}

// halfway tells that a target was halted at, which is the next one.
func (s *shaving) halfway() bool { return s.edge.most != 0 || s.rate != nil }

// closeRound ends that; finished tells that the round has come to an end.
func (s *shaving) closeRound(finished bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current = nil; finished {
		s.found = nil
	}
}

// take is a target to shave, the next one if nobody else has it, or what came of that. ok is false
// where all are to stop.
func (s *shaving) take() (k int, f fixing, known, ok bool) {
	if s.halfway() {
		return s.next, fixing{}, false, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if f, known := s.found[s.next]; known {
			return s.next, f, true, true
		}
		if k := s.untaken(); k >= 0 {
			return k, fixing{}, false, true
		}
		if s.ended {
			return 0, fixing{}, false, false
		}
		s.wait()
	}
}

// untaken is the first target that nobody has taken, which is taken by that; -1 if there is
// none. workers.mu is held.
func (s *shaving) untaken() int {
	for s.current != nil && s.taken < s.current.targets {
		k := s.taken
		s.taken++
		if _, known := s.found[k]; !known {
			return k
		}
	}
	return -1
}

// keep has what came of a target of a round wait for its turn.
func (s *shaving) keep(number, k int, f fixing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil || s.current.number != number {
		return
	}
	if s.found == nil {
		s.found = map[int]fixing{}
	}
	s.found[k] = f
	s.tell()
}

// probing is a target of another worker's round.
type probing struct {
	of *shaving
	round
	target int
	// path leads from the whole, or where the worker has been in the round from where it was, to
	// what the domains are. fixings are those of the node, value and cost as in basis.
	path    []fixing
	fixings int
	value   int64
	cost    []int64
	start   []int64 // nil where the worker has been in the round
}

// takeTarget is a target of a round that nobody has taken; mu is held.
func (w *worker) takeTarget() *probing {
	for _, t := range w.trees {
		if t.state != taken || len(t.stack) == 0 {
			continue
		}
		s := &t.stack[len(t.stack)-1].shaving
		if w.probes == nil && s.current != nil && w.affords(t) {
			spare := w.spareTree(t)
			w.probes = &shaving{basis: basis{prober: &spare.prober}, tree: spare}
		}
		if w.probes == nil {
			continue
		}
		if k := s.untaken(); k >= 0 {
			p := &probing{of: s, round: *s.current, target: k, fixings: len(s.fixings), value: s.value, cost: slices.Clone(s.cost)}
			if p.number == w.round {
				p.path = s.fixings[w.fixings:]
			} else {
				p.path, p.start = t.path(len(t.stack)-1), slices.Clone(s.start)
			}
			return p
		}
	}
	return nil
}

// probe shaves a target of another worker's round.
func (w *worker) probe(p *probing) {
	s := w.probes
	before := s.steps
	if p.start != nil {
		w.relax(s.tree)
		s.start, s.away, s.memo.of = p.start, true, nil
	}
	w.round, w.fixings = p.number, p.fixings
	s.value, s.cost = p.value, p.cost
	f, finished := fixing{}, true
	if s.follow(p.path) {
		targets := s.tree.tasks
		if p.stages {
			targets = s.tree.stages
		}
		f, finished = s.shave(&targets[p.target], p.effort)
	}
	s.edge, s.rate = edge{}, nil
	s.charge()
	w.steps += s.steps - before
	if finished {
		p.of.keep(p.number, p.target, f)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	w.changed.Broadcast()
}
