package tabu

import (
	"context"
	"math/rand/v2"
	"slices"

	"downbeat/model"
)

const (
	// population is how many solutions are kept to go on from.
	population = 16
	// patience is how many moves in a row may bring nothing better before a trajectory ends, trial
	// that of a short one, by which candidates of a path are told apart.
	patience, trial = 4_000, 500
	// candidates are tried of each path.
	candidates = 5
	// leastTenure is for how many moves at least an arc that was given up does not come back: half as many at most are
	// added by chance, and some where machines have many tasks.
	leastTenure = 8
	// recent is how many forbidden moves are remembered, a power of two.
	recent = 1 << 12
	// looked is how many heads and tails a move that is looked at takes as long as.
	looked = 2
	// mostPriced is how many times the work that a move to another machine adds counts at most.
	mostPriced = 2
	// rowsAtOnce ends of jobs are worked out in as long as the head and the tail of a task.
	rowsAtOnce = 4
	// pollEvery is the work between two looks at the context: about a millisecond.
	pollEvery = 100_000
)

// Search is a search that goes on from slice to slice. Not safe for concurrent use.
type Search struct {
	sh   *shop
	g    *graph
	rng  *rand.Rand
	path []int32
	// heads and moves are buffers: for the heads that a move changes, and for all moves that there are.
	heads []int32
	moves []move
	ties  []int32
	// Of sums: row and tasks are buffers, done has when jobs end at least besides some tasks, now is when each job ends, pays what
	// it costs until no move for it is found.
	row, done, now, pays, tasks []int32
	// least is the least estimate of the moves so far that may be made.
	least int32
	// begin is when nothing starts before; flexible: tasks have a choice of machines; uneven: it hangs
	// on the task how much is left after its end.
	begin            int32
	flexible, uneven bool
	// forbidden are names of what moves may not lead to, and until which move; tenure is for how long at least.
	forbidden [recent]ban
	// banned is until which move there may be arcs of a task among them.
	banned     []int64
	tenure     int64
	made, work int64
	// each is how much work a task, or a move that is looked at, is.
	each int64
	// price is how many times the work that a move to another machine adds counts, beside the longest path; unlike: there are tasks that
	// take longer on some machines than on others.
	price  int32
	unlike bool
	// seen is how many moves were looked at for the next one.
	seen int
	poll poll
	// improved is the work that had been done when the best solution was found. While it is owed, found is that, and its plan was not
	// handed in.
	improved int64
	owed     bool
	// best is the shortest solution of all, elite those kept, found the best of the trajectory, which has
	// been made so many moves since.
	best  int32
	elite []*solution
	found *solution
	stale int
	// running: a trajectory is under way. A generation has tried so many candidates between its parents, of which chosen
	// is the best; -1 stands for none.
	running bool
	tried   int
	parents [2]*solution
	chosen  *solution
	// wanted are plans from elsewhere that are not yet taken into account.
	wanted []*solution
	// near is the distance up to which two solutions are as good as one; failed generations in a row brought nothing new.
	near, failed int
	// child, placed and after are buffers and figures for new solutions.
	child  *solution
	placed []bool
	after  []int32
	// orders finds what trajectories of a flow shop begin with; nil for other shops.
	orders *greedy
	// inWindow: the trajectory under way goes by windows.
	inWindow bool
	windows  windows
}

type ban struct {
	hash  uint64
	until int64
}

// New prepares a search, which Treats allows. Equal seeds give equal choices.
func New(js *model.JobSet, o model.Objective, seed uint64) *Search {
	sh := newShop(js, o)
	n := len(js.Tasks)
	s := &Search{sh: sh, g: newGraph(sh), rng: rand.New(rand.NewPCG(seed, 7)), best: never, tried: -1}
	s.begin = never
	for k := range sh.slaves {
		s.begin = min(s.begin, int32(js.Slaves[sh.slaves[k]].FirstBeat))
	}
	for v := range n {
		s.flexible = s.flexible || len(sh.options[v]) > 1
		for _, o := range sh.options[v] {
			s.unlike = s.unlike || sh.sum == nil && o.length != sh.options[v][0].length
		}
	}
	for _, v := range s.g.ends {
		s.uneven = s.uneven || sh.Delivery[v] != sh.Delivery[s.g.ends[0]]
	}
	s.uneven = s.uneven || js.Heartbeat > 1 || sh.sum != nil
	s.each = 1
	if sh.sum != nil {
		n := len(sh.sum.costs)
		s.row, s.done, s.now, s.pays = make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, n)
		s.each += int64(n) / rowsAtOnce
	}
	s.tenure = leastTenure + int64(n/len(sh.slaves)/len(sh.slaves))
	s.found, s.chosen, s.child = s.blank(), s.blank(), s.blank()
	s.placed, s.banned = make([]bool, n), make([]int64, n)
	if f := newFlow(sh); f != nil {
		s.orders = newGreedy(f, s.rng)
	}
	s.near = int(alike * float64(n) * float64(n/len(sh.slaves)) / 4)
	return s
}

func (s *Search) blank() *solution {
	n := len(s.sh.js.Tasks)
	return &solution{order: make([]int32, n), machine: make([]int32, n), length: never}
}

// Best is the value of the best plan so far.
func (s *Search) Best() int64 { return s.sh.Value(s.best) }

// Work is a measure of the work done: what heads and tails were worked out for, tasks, and so many for each move looked at.
func (s *Search) Work() int64 { return s.work }

// Improved is the work that had been done when the best plan so far was found.
func (s *Search) Improved() int64 { return s.improved }

// Consider takes a valid complete schedule into account: the search goes on from it, too.
func (s *Search) Consider(plan model.Schedule) {
	s.wanted = append(s.wanted, s.sh.solutionOf(plan))
}

// Run does about so much work, or until ctx is done, and offers the best plan of each trajectory, so far as it goes, that is better than all before.
func (s *Search) Run(ctx context.Context, work int64, offer func(model.Schedule)) {
	defer s.handIn(offer)
	for end := s.work + work; s.work < end; {
		if !s.running {
			if s.isToOrder() {
				if s.poll.done(ctx, s.work) {
					return
				}
				s.orderOn(ctx, offer)
				continue
			}
			s.begins()
		}
		limit := patience
		switch {
		case s.tried >= 0 && s.tried < candidates:
			limit = trial
		case s.inWindow:
			limit = s.windows.patience
		}
		for ; s.stale < limit && s.work < end; s.stale++ {
			if s.poll.done(ctx, s.work) {
				return
			}
			if !s.step() {
				s.stale = limit
				break
			}
			s.took()
		}
		if s.stale < limit {
			return
		}
		if s.inWindow = s.inWindow && s.onward(); s.inWindow {
			continue
		}
		s.handIn(offer)
		s.ends()
	}
}

// poll looks at contexts once in a while.
type poll struct {
	// at is how much work is done when it looks next.
	at int64
}

// done reports whether ctx is done, as far as it has looked by now.
func (p *poll) done(ctx context.Context, work int64) bool {
	if work < p.at {
		return false
	}
	if ctx.Err() != nil {
		return true
	}
	p.at = work + pollEvery
	return false
}

// took looks at where a trajectory has come to.
func (s *Search) took() {
	length := s.g.longest()
	if length >= s.found.length {
		if s.inWindow && length == s.found.length {
			s.g.save(s.found) // what is as long goes on elsewhere in the next window
		}
		return
	}
	s.g.save(s.found)
	s.stale = 0
	if !s.inWindow {
		s.note(length)
	}
}

// note tells that the best solution of the trajectory is so long.
func (s *Search) note(length int32) {
	if length < s.best {
		s.best, s.improved, s.owed = length, s.work, true
	}
}

// handIn offers the best plan if it was not, yet.
func (s *Search) handIn(offer func(model.Schedule)) {
	if s.owed {
		best := s.found
		if s.inWindow {
			best = s.windows.best
		}
		offer(s.sh.plan(best))
		s.owed = false
	}
}

// begins loads the solution that the next trajectory starts from.
func (s *Search) begins() {
	var from *solution
	switch {
	case s.isToStart():
		from = s.start()
		s.drawPrice()
	case len(s.wanted) > 0 && s.tried < 0:
		from, s.wanted = s.wanted[0], s.wanted[1:]
		s.drawPrice()
	case s.tried < candidates:
		if s.tried < 0 {
			s.tried, s.chosen.length = 0, never
			s.choose()
		}
		from = s.between()
	default:
		from = s.chosen
	}
	s.g.load(from)
	s.found.length, s.found.price, s.running = never, s.price, true
	s.took()
	if s.inWindow = s.goesByWindows(); s.inWindow {
		s.windows = windows{size: firstWindow(len(s.g.order)), patience: windowPatience, next: len(s.g.order), before: never, best: s.found.clone()}
		s.onward()
	}
}

// drawPrice draws how many times the work counts that moves of the next trajectory add: where all machines of a stage are busy to the end
// much, else little or not at all. What lies between two solutions has the price of the better one, so that the price that pays stays.
func (s *Search) drawPrice() {
	if s.unlike {
		s.price = s.rng.Int32N(mostPriced + 1)
	}
}

// ends takes what a trajectory came to.
func (s *Search) ends() {
	s.running = false
	switch {
	case s.tried >= 0 && s.tried < candidates:
		s.tried++
		if s.found.length < s.chosen.length {
			s.chosen.set(s.found)
		}
	default:
		s.tried = -1
		s.keep()
	}
}

// step makes the best move that is not forbidden, or leads to a better solution than the trajectory has had; where all
// are, one by chance. It is false where there is none, which proves the solution optimal where tasks have no choice and
// the objective is no sum.
func (s *Search) step() bool {
	s.collect()
	s.work += s.each * int64(s.g.to-s.g.from+looked*s.seen)
	if len(s.moves) == 0 {
		return false
	}
	s.tie()
	pick := 0
	switch {
	case len(s.ties) == 1:
		pick = int(s.ties[0])
	case len(s.ties) > 1:
		pick = int(s.ties[s.rng.IntN(len(s.ties))])
	default:
		pick = s.rng.IntN(len(s.moves))
	}
	s.make(&s.moves[pick])
	return true
}

// tie lists the best of the moves that may be made.
func (s *Search) tie() {
	s.ties = s.ties[:0]
	for i := range s.moves {
		if m := &s.moves[i]; m.estimate <= s.enough(m.forbidden) {
			s.ties = append(s.ties, int32(i))
		}
	}
}

// make makes a move, and forbids to undo it for a while.
func (s *Search) make(m *move) {
	g := s.g
	x := &g.nodes[m.v]
	switch y := m.behind; {
	case x.machine != m.machine:
		s.forbid(elsewhere(m.v, x.machine))
	case g.isTask(y) && g.nodes[y].head >= x.head:
		for w := m.v; w != y; {
			w = g.nodes[w].ms
			s.forbidArc(m.v, w)
		}
	default:
		for w := x.mp; w != y; w = g.nodes[w].mp {
			s.forbidArc(w, m.v)
		}
	}
	if !g.move(m.v, m.machine, m.behind) {
		panic("tabu: a move that closes a cycle") // times told that it does not
	}
	s.made++
}

func (s *Search) forbid(hash uint64) (until int64) {
	until = s.made + s.tenure + s.rng.Int64N(s.tenure/2+1)
	s.forbidden[hash&(recent-1)] = ban{hash, until}
	return until
}

func (s *Search) forbidArc(u, v int32) {
	until := s.forbid(hashed(u, v))
	s.banned[u], s.banned[v] = max(s.banned[u], until), max(s.banned[v], until)
}

func (s *Search) isForbidden(hash uint64) bool {
	b := &s.forbidden[hash&(recent-1)]
	return b.hash == hash && b.until > s.made
}

// critical lists a longest path to one of some tasks, or through the window, of a length, from its first task to its last, where there are several
// by chance.
func (g *graph) critical(path, ends []int32, length int32, rng *rand.Rand) []int32 {
	seen, v := 0, int32(-1)
	draw := func(u int32) {
		if seen++; seen == 1 || rng.IntN(seen) == 0 {
			v = u
		}
	}
	for _, u := range ends {
		if int(g.at[u]) < g.to && g.nodes[u].head+g.nodes[u].out == length {
			draw(u)
		}
	}
	for _, exit := range g.exits {
		for _, u := range [2]int32{g.nodes[exit].jp, g.nodes[exit].mp} {
			if g.through(u, exit) == length && g.inside(u) {
				draw(u)
			}
		}
	}
	for v >= 0 && int(g.at[v]) >= g.from {
		path = append(path, v)
		v = g.before(v, rng)
	}
	slices.Reverse(path)
	return path
}

// before is a task before one on a critical path, -1 if it is the first.
func (g *graph) before(v int32, rng *rand.Rand) int32 {
	x := &g.nodes[v]
	by := int32(-1)
	if g.isTask(x.mp) && g.end(x.mp) == x.head {
		by = x.mp
	}
	if g.isTask(x.jp) && g.end(x.jp) == x.head && (by < 0 || rng.IntN(2) == 0) {
		by = x.jp
	}
	if !g.sh.Chain {
		for _, u := range g.sh.Before[v] {
			if g.end(u) == x.head && (by < 0 || rng.IntN(2) == 0) {
				by = u
			}
		}
	}
	return by
}
