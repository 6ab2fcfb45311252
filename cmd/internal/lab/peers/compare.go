package peers

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"downbeat/model"
)

// place is a run to be made: by which peer, on which set, in which round.
type place struct{ set, peer, round int }

// comparison is a [Compare] under way.
type comparison struct {
	sets  []Set
	peers []Peer
	opt   Options

	mu   sync.Mutex
	runs map[place]*Run
}

// Compare asks every peer about every set, as many at a time as the options
// say. Who begins moves on from set to set and from round to round. Runs that
// are known are not made again, and tell hears of each new one as it ends. The
// answer is in the order of rounds, sets and turns. When ctx ends, it is the
// runs so far.
func Compare(ctx context.Context, sets []Set, peers []Peer, opt Options, known []*Run, tell func(*Run)) []*Run {
	c := &comparison{sets: sets, peers: peers, opt: opt, runs: map[place]*Run{}}
	order := c.order()
	c.recall(order, known)
	slots := make(chan struct{}, max(1, opt.Parallel))
	var all sync.WaitGroup
	for _, at := range order {
		slots <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		if !c.wanted(at) {
			<-slots
			continue
		}
		all.Go(func() {
			defer func() { <-slots }()
			run := peers[at.peer].ask(ctx, &sets[at.set], at.round, opt)
			if ctx.Err() == nil {
				c.keep(at, run, tell)
			}
		})
	}
	all.Wait()
	var runs []*Run
	for _, at := range order {
		if run := c.runs[at]; run != nil {
			runs = append(runs, run)
		}
	}
	return runs
}

func (c *comparison) order() []place {
	var order []place
	for round := range c.opt.Rounds {
		for i := range c.sets {
			for k := range c.peers {
				order = append(order, place{i, (k + i + round) % len(c.peers), round})
			}
		}
	}
	return order
}

// recall puts the known runs in their places.
func (c *comparison) recall(order []place, known []*Run) {
	type key struct {
		set, digest, peer string
		round             int
	}
	byKey := map[key]*Run{}
	for _, r := range known {
		byKey[key{r.Set.Name, r.Set.digest, r.Peer, r.Round}] = r
	}
	for _, at := range order {
		set := &c.sets[at.set]
		if r := byKey[key{set.Name, set.digest, c.peers[at.peer].Name, at.round}]; r != nil {
			r.Set = set
			c.runs[at] = r
		}
	}
}

func (c *comparison) keep(at place, run *Run, tell func(*Run)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs[at] = run
	tell(run)
}

// wanted reports whether a run is to be made: it is not known, and not dropped.
func (c *comparison) wanted(at place) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.runs[at] == nil && !(c.opt.Drop && c.hopeless(at))
}

// hopeless reports whether the peer has been asked about all smaller sets of
// the same trait at some size, and settled none of them.
func (c *comparison) hopeless(at place) bool {
	trait, size := traitOf(c.sets[at.set].Name)
	open, settled := map[int]bool{}, map[int]bool{}
	for i := range c.sets {
		t, n := traitOf(c.sets[i].Name)
		if t != trait || n >= size {
			continue
		}
		switch run := c.runs[place{i, at.peer, at.round}]; {
		case run == nil, run.Proved():
			settled[n] = true // or may be
		default:
			open[n] = true
		}
	}
	for n := range open {
		if !settled[n] {
			return true
		}
	}
	return false
}

func (p *Peer) ask(ctx context.Context, set *Set, round int, opt Options) *Run {
	l := listen(set, p.Name, round)
	return l.close(p.solve(ctx, set, opt, l))
}

// Contradictions names pairs of runs on one set that cannot both be right: one
// proved that there is no plan, or none so good, and the other has one.
func Contradictions(runs []*Run) []string {
	var found []string
	for _, a := range runs {
		for _, b := range runs {
			if a.Set == b.Set && b.Planned && a.refutes(b) {
				found = append(found, fmt.Sprintf("%s: %s says %s, %s has a plan with %v",
					a.Set.Name, a.Peer, a.proof(), b.Peer, b.Values))
			}
		}
	}
	return slices.Compact(found)
}

// refutes reports whether what a proved rules b's plan out. A bound speaks of
// plans in which all objectives before it are at their bounds.
func (a *Run) refutes(b *Run) bool {
	return a.Status == model.Infeasible ||
		slices.Compare(b.Values[:min(len(b.Values), len(a.Bounds))], a.Bounds) < 0
}

// proof is what the run proved, in words.
func (a *Run) proof() string {
	if a.Status == model.Infeasible {
		return "infeasible"
	}
	return fmt.Sprintf("at least %v", a.Bounds)
}
