package encode

import (
	"fmt"
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
	// gateVars[g] are the order literals of gate g, if it has any of its own.
	gateVars []z.Var
	// Misses is Σ ω of missed soft jobs, HardMisses the number of missed hard
	// ones, Weighted Σ ω·late; nil where no limit was given.
	Misses, HardMisses, Weighted *cnf.Sum
	makespan                     scale
}

type taskVars struct {
	x            []z.Lit // parallel to taskLayout.slaves
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

// family is one group of clauses: how many it will have, and the clauses.
type family struct {
	name    string
	predict func(l *layout, stop int64) int64
	build   func(e *Encoding)
}

// families in the order in which they are built.
var families = []family{
	{"C0 eligible slaves", predictSlaves, (*Encoding).buildSlaves},
	{"C1-C3 windows", predictWindows, (*Encoding).buildWindows},
	{"C4 cores", predictCores, (*Encoding).buildCores},
	{"C5 slots", predictSlots, (*Encoding).buildSlots},
	{"C6 fetch line", predictFetchLine, (*Encoding).buildFetchLine},
	{"C7 stages", predictStages, (*Encoding).buildStages},
	{"absences", predictAbsences, (*Encoding).buildAbsences},
	{"fifo", predictFIFO, (*Encoding).buildFIFO},
	{"symmetry", predictSymmetry, (*Encoding).buildSymmetry},
	{"objectives", predictObjectives, (*Encoding).buildObjectives},
}

// Size is a prediction of a formula's size.
type Size struct {
	Clauses int64
	// Largest names the family with the most clauses.
	Largest string
}

// TooLarge says that a formula was not built.
type TooLarge struct {
	Size
	Limit int64
}

// Error is a sentence for people.
func (e *TooLarge) Error() string {
	return fmt.Sprintf("the formula would have at least %d clauses (most of them for %s), more than the limit of %d",
		e.Clauses, e.Largest, e.Limit)
}

// huge is a number of clauses that no limit allows; sums of many do not overflow.
const huge = int64(1) << 48

// product is a·b for counts, or huge if it is more.
func product(a, b int64) int64 {
	if b > 0 && a > huge/b {
		return huge
	}
	return a * b
}

// predictSize adds up the families' predictions and stops counting above stop.
func (l *layout) predictSize(stop int64) Size {
	size := Size{Clauses: 1} // True
	if l.impossible >= 0 || l.refuted {
		size.Clauses++
	}
	stop = min(stop, huge)
	largest := int64(-1)
	for _, f := range families {
		n := f.predict(l, stop)
		size.Clauses += n
		if n > largest {
			largest, size.Largest = n, f.name
		}
		if size.Clauses > stop {
			break
		}
	}
	return size
}

// Predict bounds the number of clauses that Build would make, without making
// any; it stops counting above stop.
func Predict(q query.Question, stop int64) Size { return newLayout(q).predictSize(stop) }

// Build makes the formula, unless it is predicted to have more clauses than
// maxClauses: then the error is a *TooLarge.
func Build(q query.Question, maxClauses int64) (*Encoding, error) {
	l := newLayout(q)
	if size := l.predictSize(maxClauses); size.Clauses > maxClauses {
		return nil, &TooLarge{Size: size, Limit: maxClauses}
	}
	l.listBeats()
	e := &Encoding{Formula: cnf.New(), layout: l}
	e.makeVars()
	if l.impossible >= 0 || l.refuted {
		e.Add()
	}
	for _, f := range families {
		f.build(e)
	}
	return e, nil
}

func (e *Encoding) makeVars() {
	e.on = make([]z.Lit, len(e.JS.Jobs))
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
	e.vars = make([]taskVars, len(e.JS.Tasks))
	for _, t := range e.included {
		lay, v := &e.tasks[t], &e.vars[t]
		on := e.on[e.JS.Tasks[t].Job]
		v.x = make([]z.Lit, len(lay.slaves))
		for k := range v.x {
			if len(lay.slaves) == 1 {
				v.x[k] = on
			} else {
				v.x[k] = e.Lit()
			}
		}
		v.start = e.newScale(lay.start)
		if lay.freeFetch {
			v.fetch = e.newScale(lay.fetch)
		}
		if n := len(lay.assign); n > 1 {
			v.assign = e.Block(n - 1)
		}
	}
	e.gateVars = make([]z.Var, len(e.gates))
	for g := range e.gates {
		if e.gates[g].sole < 0 {
			e.gateVars[g] = e.Block(len(e.gates[g].beats))
		}
	}
}

func (e *Encoding) newScale(b bounds) scale {
	return scale{first: e.Block(int(b.hi - b.lo)), bounds: b}
}

// The literals below hold for a task t placed on its k-th slave; clauses that
// use them carry x[t,k].

// startBy is [S ≤ τ].
func (e *Encoding) startBy(t model.TaskID, at model.Time) z.Lit {
	return e.vars[t].start.atMost(at)
}

// finishBy is [F ≤ τ] on slave k (C1).
func (e *Encoding) finishBy(t model.TaskID, k int, at model.Time) z.Lit {
	return e.startBy(t, at-e.tasks[t].slaves[k].wcet)
}

// fetchBy is [R ≤ τ] on slave k.
func (e *Encoding) fetchBy(t model.TaskID, k int, at model.Time) z.Lit {
	if sl := &e.tasks[t].slaves[k]; sl.tied {
		return e.startBy(t, at+sl.transfer)
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

// gateBy is "the stage before gate g has finished by β": the literal of the
// last beat of the gate at or before β, or of the only task's finish.
func (e *Encoding) gateBy(g int32, beat model.Time) z.Lit {
	if t := e.gates[g].sole; t >= 0 {
		return e.finishBy(t, 0, beat)
	}
	i := upTo(e.gates[g].beats, beat)
	if i == 0 {
		return cnf.False
	}
	return (e.gateVars[g] + z.Var(i-1)).Pos()
}

// On is the literal that tells whether job i is placed: True for Must jobs,
// False for jobs that are left out (or late alone).
func (e *Encoding) On(i model.JobID) z.Lit { return e.on[i] }

// MakespanBy is the literal "all tasks finish by τ" (see MakespanFrom).
func (e *Encoding) MakespanBy(t model.Time) z.Lit { return e.makespan.atMost(t) }

// StartBy is [S_t ≤ τ], for an included task t.
func (e *Encoding) StartBy(t model.TaskID, at model.Time) z.Lit {
	return e.startBy(t, at)
}

// slaveLit is x[t,s]; False where t cannot run on s in time.
func (e *Encoding) slaveLit(t model.TaskID, s model.SlaveID) z.Lit {
	for k := range e.tasks[t].slaves {
		if e.tasks[t].slaves[k].slave == s {
			return e.vars[t].x[k]
		}
	}
	return cnf.False
}

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
	out := make([]Choice, len(e.tasks[t].slaves))
	for k := range out {
		sl := &e.tasks[t].slaves[k]
		out[k] = Choice{On: e.vars[t].x[k], Length: sl.transfer + sl.wcet}
	}
	slices.SortStableFunc(out, func(a, b Choice) int { return int(a.Length - b.Length) })
	return out
}

// Starts bounds the start of task t over all its slaves.
func (e *Encoding) Starts(t model.TaskID) (first, last model.Time) {
	return e.tasks[t].start.lo, e.tasks[t].start.hi
}

// Included lists the tasks that the formula speaks about.
func (e *Encoding) Included() []model.TaskID { return e.included }
