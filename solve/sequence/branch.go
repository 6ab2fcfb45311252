package sequence

import (
	"context"
	"slices"

	"downbeat/model"
)

// tree is what is left open of a branching on when jobs begin: of each split the part that is looked at first, and behind it the
// other.
type tree struct {
	begun  bool
	splits int
	open   []part
	// parted counts points and steps that are left before the open splits, as checkers do.
	parted int
	passes []pass
	// split and other are what the next pass begins with.
	split *split
	other bool
	// again counts ascents where nothing was left to be split.
	again int
}

// mostAgain bounds the ascents in a part in which nothing is left to be split.
const mostAgain = 20

// split is by when a job begins, or else that it begins later.
type split struct {
	job int
	by  model.Time
}

// part is the other one of a split: what was left before it, with the best rewards there, and before the splits that it is in.
type part struct {
	split
	graphs []graph
	best   []int64
	parted int
}

// add adds a pass.
func (s *Search) add(p pass) {
	if !s.tree.begun {
		s.passes = append(s.passes, p)
		return
	}
	p.split, p.other = s.tree.split, s.tree.other
	s.tree.passes = append(s.tree.passes, p)
	s.tree.split, s.tree.other = nil, false
}

// ofStarts is what the variance of starts counts beside that of what jobs pay for them. By starts alone there were one and a half to 50 times as many
// parts, of which most differ by when a job begins that is not late either way.
const ofStarts = 0.2

// split splits what is left by when the job begins which pays most differently for its starts, at the mean of these. It is nil where that would be
// more than proofs may have, or where nothing is left to be split and further ascents have not shown that it costs too much.
func (s *Search) split() []relaxed {
	from, to := s.spans()
	job, most := -1, 0.0
	for k := range s.Jobs {
		of := &s.ascent.starts[k]
		if from[k] >= to[k] || of.at.number <= 0 {
			continue
		}
		if differs := of.paid.variance() + float64(ofStarts*of.at.variance()); job < 0 || differs > most {
			job, most = k, differs
		}
	}
	if job >= 0 {
		return s.splitBy(split{job, min(to[job]-1, max(from[job], model.Time(s.ascent.starts[job].at.mean())))})
	}
	// Only rewards are to be found that show it.
	if s.tree.again++; s.tree.again > mostAgain {
		return nil
	}
	return s.walks()
}

// splitBy goes on with the first part of a split. It is nil where what is left before open splits would be more than proofs may have.
func (s *Search) splitBy(at split) []relaxed {
	parted := s.tree.parted + steps(s.graphs)
	for _, g := range s.graphs {
		parted += len(g)
	}
	if parted > s.mostParted {
		return nil
	}
	s.tree.begun = true
	s.tree.splits++
	s.tree.open = append(s.tree.open, part{at, s.graphs, s.best, s.tree.parted})
	s.tree.parted = parted
	s.tree.split = &at
	s.graphs, s.total = startsWithin(s.graphs, at.job, 0, at.by), -unreached
	return s.walks()
}

// spans are when each job begins, at the earliest and at the latest, by what is left.
func (s *Search) spans() (from, to []model.Time) {
	from, to = slices.Repeat([]model.Time{model.Never}, len(s.Jobs)), make([]model.Time, len(s.Jobs))
	for _, g := range s.graphs {
		for n := range g {
			for _, step := range g[n].steps {
				if k := step.job; k != wait {
					from[k], to[k] = min(from[k], g[n].time), max(to[k], g[n].time)
				}
			}
		}
	}
	return from, to
}

// startsWithin are graphs in which a job begins between two times.
func startsWithin(graphs []graph, job int, from, to model.Time) []graph {
	out := make([]graph, len(graphs))
	for n, g := range graphs {
		out[n] = slices.Clone(g)
		for k := range g {
			if t := g[k].time; t < from || t > to {
				out[n][k].steps = slices.DeleteFunc(slices.Clone(g[k].steps), func(of step) bool { return int(of.job) == job })
			}
		}
	}
	return out
}

// impossible ends a part that costs too much at rewards, and goes on with another; if there is none, there is no plan of what is asked for.
func (s *Search) impossible(ctx context.Context, rewards []int64) {
	s.best = rewards
	if !s.tree.begun {
		s.bound = s.value
		return
	}
	s.add(pass{rewards: rewards})
	s.tree.again = 0
	n := len(s.tree.open) - 1
	if n < 0 {
		s.bound = s.value
		return
	}
	at := s.tree.open[n]
	s.tree.open, s.tree.parted, s.tree.other = s.tree.open[:n], at.parted, true
	s.graphs, s.best, s.total = startsWithin(at.graphs, at.job, at.by+1, model.Never), at.best, -unreached
	s.goOn(ctx, s.walks())
}
