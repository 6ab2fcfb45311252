package sequence

import (
	"cmp"
	"context"
	"math"
	"slices"

	"downbeat/model"
	"downbeat/model/query"
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

// split is by when a job begins, or else that it begins later. A job that may be let go may be so in the first part, and has to run in the other.
type split struct {
	job int
	by  model.Time
}

// part is the other one of a split: what was left before it, with the best rewards there, and before the splits that it is in.
type part struct {
	split
	graphs []graph
	best   []int64
	must   []bool
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
const ofStarts = 0.05

// split splits what is left by a job that may be let go, if it is open whether it is, else by when the job begins which pays most differently for its starts, at the mean of these. It is nil where that would be
// more than proofs may have, or where nothing is left to be split and further ascents have not shown that it costs too much.
func (s *Search) split() []relaxed {
	from, to := s.spans()
	if open := s.undecided(); len(open) > 0 {
		k := s.decisive(open)
		return s.splitBy(split{k, from[k] - 1})
	}
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
	for k := range s.Jobs {
		if !s.must[k] && from[k] < model.Never {
			return s.splitBy(split{k, from[k] - 1})
		}
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
	s.tree.open = append(s.tree.open, part{at, s.graphs, s.best, slices.Clone(s.must), s.tree.parted})
	s.tree.parted = parted
	s.tree.split = &at
	s.graphs, s.total = startsWithin(s.graphs, at.job, 0, at.by), -unreached
	return s.walks()
}

// undecided are the jobs that may be let go, and were on some of the latest walks and off others: those first for which what it costs to
// let them go, times the share of walks that they were on or off, whichever is less, is most.
func (s *Search) undecided() (open []int) {
	if !s.optional {
		return nil
	}
	from, _ := s.spans()
	worth := make([]float64, len(s.Jobs))
	for k := range s.Jobs {
		on := (1 - ofLate) * s.ascent.starts[k].at.number
		if share := min(on, 1-on); !s.must[k] && from[k] < model.Never && share > leastShare {
			open, worth[k] = append(open, k), share*float64(s.Jobs[k].LetGo)
		}
	}
	slices.SortStableFunc(open, func(a, b int) int { return cmp.Compare(worth[b], worth[a]) })
	return open
}

// leastShare of the latest walks that a job is on or off is too little to be split by. Of mostProbed jobs it is tried for some steps
// what either part of a split comes to (strong branching; Applegate, Bixby, Chvátal and Cook, 1995), each of which counts for a share of leastGain of a unit at least,
// so that what the other part gains counts where one gains nothing: with a tenth and ten times of it late-jobs-100x3-1 to -4, -150x3-1 and -2 and parallel-40x2-1 to -4
// come to the same, in as long.
const leastShare, mostProbed, leastGain = 0.1, 6, 100

// decisive is the job of those of which the parts of a split gain most, one times the other.
func (s *Search) decisive(open []int) (job int) {
	missing, most := s.unit*(s.value-1)+1-s.total, 0.0
	for _, k := range open[:min(mostProbed, len(open))] {
		gain := 1.0
		for _, in := range []bool{false, true} {
			gain *= float64(max(min(missing, s.probe(k, in)-s.total), s.unit/leastGain, 1))
		}
		if gain > most {
			job, most = k, gain
		}
	}
	return job
}

// probe is what walks cost at the most within a few steps in which a job has to run, or is let go.
func (s *Search) probe(job int, in bool) (most int64) {
	a, must, letGo := s.newAscent(probes), s.must[job], s.unit*s.Jobs[job].LetGo
	defer func() { s.must[job] = must }()
	for k, r := range s.best {
		a.at[k] = float64(r)
	}
	s.must[job], most = in, math.MinInt64
	for more := true; more; {
		if !in {
			a.at[job] = 0
		}
		at := s.cheapest(a.at, func(*line, run, float64) {})
		if s.probed += s.size(); at.total == unreached {
			return unreached
		}
		if !in {
			at.runs[job], at.total = 1, at.total+letGo // no step is to be taken for it
		}
		most = max(most, at.total)
		more = a.move(s, at.runs, float64(s.unit*s.value-at.total))
	}
	return most
}

// Settled reports whether what was left open by the latest ascent are starts alone, and not which jobs are let go.
func (s *Search) Settled() bool { return s.settled }

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

// Left narrows the question that the problem comes to, to what is left of the part that is looked at.
func (s *Search) Left(q *query.Question) {
	from, to := s.spans()
	q.Role, q.Restrict = slices.Clone(q.Role), make([]query.Restriction, len(q.JS.Tasks))
	out := int64(0)
	for t := range q.Restrict {
		q.Restrict[t].To = model.Never
	}
	for k := range s.Jobs {
		job := &s.Jobs[k]
		longest := model.Time(0)
		for _, l := range s.lines {
			longest = max(longest, l.at[k].run)
		}
		switch {
		case from[k] == model.Never:
			q.Role[job.ID] = query.Out
			out += job.LetGo
			continue
		case s.must[k]:
			q.Role[job.ID] = query.Must
		}
		q.Restrict[job.Task].From, q.Restrict[job.Task].To = from[k]-q.JS.Heartbeat+1, to[k]+longest
	}
	q.Limits = slices.Clone(q.Limits)
	for n := range q.Limits {
		q.Limits[n].Most -= out // they are counted no more
	}
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
	s.graphs, s.best, s.must, s.total = startsWithin(at.graphs, at.job, at.by+1, model.Never), at.best, at.must, -unreached
	s.must[at.job] = true
	s.goOn(ctx, s.walks())
}
