package encode

import (
	"slices"

	"github.com/irifrance/gini/z"

	"downbeat/encode/cnf"
	"downbeat/model"
	"downbeat/model/query"
)

// Encoding is a question as a formula, with the meaning of its literals.
type Encoding struct {
	*cnf.Formula
	*layout
	vars []taskVars
	on   []z.Lit // per job; True for Must, False for Out
	// done[c] are the order literals of completion c, if it has any of its own.
	done []z.Var
	// sums are those that are limited.
	sums map[model.Objective]*cnf.Sum
	// costs of what is minimised, as they come up.
	costs []Cost
}

// Sum is an objective that the question limits; nil where it does not, or only by what keeps one that
// is minimised from nothing.
func (e *Encoding) Sum(o model.Objective) *cnf.Sum { return e.sums[o] }

type taskVars struct {
	x            []z.Lit // parallel to Places
	start, fetch scale
	assign       z.Var
}

// scale holds the order literals [v ≤ τ] of a value v in [lo, hi].
type scale struct {
	first z.Var
	bounds
}

// atMost is the literal [v ≤ τ].
func (s *scale) atMost(t model.Time) z.Lit {
	switch {
	case t < s.lo:
		return cnf.False
	case t >= s.hi:
		return cnf.True
	default:
		return (s.first + z.Var(t-s.lo)).Pos()
	}
}

func (e *Encoding) newScale(b bounds) scale {
	return scale{first: e.Block(int(b.hi - b.lo)), bounds: b}
}

// newEncoding makes the variables of a layout; its formula says nothing yet.
func newEncoding(l *layout) *Encoding {
	l.listBeats()
	e := &Encoding{
		Formula: cnf.New(), layout: l,
		on: make([]z.Lit, len(l.JS.Jobs)), vars: make([]taskVars, len(l.JS.Tasks)), done: make([]z.Var, len(l.completions)),
		sums: map[model.Objective]*cnf.Sum{},
	}
	for i, role := range e.Role {
		switch role {
		case query.Out:
			e.on[i] = cnf.False
		case query.Must:
			e.on[i] = cnf.True
		case query.May:
			e.on[i] = e.Lit()
		}
	}
	for _, t := range e.Included {
		e.makeTaskVars(t)
	}
	for c := range e.completions {
		if e.completions[c].sole < 0 {
			e.done[c] = e.Block(len(e.completions[c].beats))
		}
	}
	return e
}

func (e *Encoding) makeTaskVars(t model.TaskID) {
	lay, v := &e.tasks[t], &e.vars[t]
	v.x = make([]z.Lit, len(e.Places[t]))
	for k := range v.x {
		if len(v.x) == 1 {
			v.x[k] = e.on[e.JS.Tasks[t].Job]
		} else {
			v.x[k] = e.Lit()
		}
	}
	if lay.like == t {
		v.start = e.newScale(lay.start)
	} else {
		v.start = e.vars[lay.like].start
	}
	if lay.freeFetch {
		v.fetch = e.newScale(lay.fetch)
	}
	if n := len(lay.assign); n > 1 {
		v.assign = e.Block(n - 1)
	}
}

// The literals below hold for a task t placed on its k-th slave; clauses that
// use them carry x[t,k].

// StartBy is [S_t ≤ τ], for an included task t.
func (e *Encoding) StartBy(t model.TaskID, at model.Time) z.Lit {
	return e.vars[t].start.atMost(at)
}

// finishBy is [F ≤ τ] on slave k (C1).
func (e *Encoding) finishBy(t model.TaskID, k int, at model.Time) z.Lit {
	return e.StartBy(t, at-e.Places[t][k].WCET)
}

// fetchBy is [R ≤ τ] on slave k.
func (e *Encoding) fetchBy(t model.TaskID, k int, at model.Time) z.Lit {
	if p := &e.Places[t][k]; p.Tied {
		return e.StartBy(t, at+p.Transfer)
	}
	return e.vars[t].fetch.atMost(at)
}

// assignBy is [A ≤ β] on slave k, for a heartbeat β of that slave: without fifo
// A is the last heartbeat at or before R, so it says that R comes before the
// next one.
func (e *Encoding) assignBy(t model.TaskID, k int, beat model.Time) z.Lit {
	if !e.JS.FIFO {
		return e.fetchBy(t, k, beat+e.JS.Heartbeat-1)
	}
	return e.assignScaleBy(t, beat)
}

// assignScaleBy is [A ≤ τ] with fifo, for any τ.
func (e *Encoding) assignScaleBy(t model.TaskID, at model.Time) z.Lit {
	beats := e.tasks[t].assign
	i := upTo(beats, at)
	switch {
	case i == 0:
		return cnf.False
	case i == len(beats):
		return cnf.True
	default:
		return (e.vars[t].assign + z.Var(i-1)).Pos()
	}
}

// assignedBy is [A ≤ τ] on slave k, for any τ.
func (e *Encoding) assignedBy(t model.TaskID, k int, at model.Time) z.Lit {
	if gamma, beat := e.JS.BeatAtOrBefore(e.Places[t][k].Slave, at); gamma >= 0 {
		return e.assignBy(t, k, beat)
	}
	return cnf.False
}

// doneBy is "the stage of completion c has finished by β": the literal of the
// last of its beats at or before β, or of the only task's finish.
func (e *Encoding) doneBy(c int32, beat model.Time) z.Lit {
	if t := e.completions[c].sole; t >= 0 {
		return e.finishBy(t, 0, beat)
	}
	i := upTo(e.completions[c].beats, beat)
	if i == 0 {
		return cnf.False
	}
	return (e.done[c] + z.Var(i-1)).Pos()
}

// upTo is the number of elements of ascending times that are at most t.
func upTo(times []model.Time, t model.Time) int {
	n, _ := slices.BinarySearch(times, t+1)
	return n
}

// slaveLit is x[t,s]; False where t cannot run on s in time.
func (e *Encoding) slaveLit(t model.TaskID, s model.SlaveID) z.Lit {
	for k := range e.Places[t] {
		if e.Places[t][k].Slave == s {
			return e.vars[t].x[k]
		}
	}
	return cnf.False
}

// On is the literal that tells whether job i is placed: True for Must jobs,
// False for jobs that are left out (or late alone).
func (e *Encoding) On(i model.JobID) z.Lit { return e.on[i] }

// Choice is a slave that a task can run on.
type Choice struct {
	// On is x[t,s].
	On z.Lit
	// Length is C + E on the slave.
	Length model.Time
}

// Choices lists the slaves of task t, quickest first (Penn §4.2: the processor
// that takes the least transfer and execution time).
func (e *Encoding) Choices(t model.TaskID) []Choice {
	out := make([]Choice, len(e.Places[t]))
	for k := range out {
		p := &e.Places[t][k]
		out[k] = Choice{On: e.vars[t].x[k], Length: p.Transfer + p.WCET}
	}
	slices.SortStableFunc(out, func(a, b Choice) int { return int(a.Length - b.Length) })
	return out
}

// Starts bounds the start of task t over all its slaves.
func (e *Encoding) Starts(t model.TaskID) (first, last model.Time) {
	return e.tasks[t].start.lo, e.tasks[t].start.hi
}
