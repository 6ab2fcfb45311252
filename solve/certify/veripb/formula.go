package veripb

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"downbeat/model"
	"downbeat/model/check/inference"
)

// MaxTerms bounds the terms of a formula, and so the time and memory that it takes.
const MaxTerms = 1 << 24

// ErrTooLarge says that a question, or its refutation, is not written as it would be too large.
var ErrTooLarge = errors.New("the question is too large as pseudo-Boolean constraints")

// Question is what a proof refutes: there is a plan of some jobs within limits.
type Question struct {
	// Set has all times in ticks of the proof.
	Set  *model.JobSet
	Jobs []inference.Asked
	// Limits are those that there are, by objective.
	Limits map[model.Objective]int64
	// Order has pairs of equal tasks of which it is assumed that the first is fetched no later than the second, First those of
	// which it is that the task is on the second slave only if the first has a lower one (docs/proof.md, what may be assumed, 5
	// and 6).
	Order [][2]model.TaskID
	First []First
	// Alike has the groups of slaves that count as one in Set.
	Alike [][]model.SlaveID
}

// First is a task and two equal slaves.
type First struct {
	Task          model.TaskID
	Before, After model.SlaveID
}

// Formula is a question as pseudo-Boolean constraints: see the comment of the package, which states all of them. It
// keeps what a proof has to know: which variables there are, and the numbers of the constraints.
type Formula struct {
	*Question
	ctx context.Context
	names
	jobs   []job
	stages []stage
	tasks  []task
	places []place
	lines  []line
	// By number of the job set: -1 for what the question does not have.
	jobOf, stageOf, taskOf []int32
	mostCores              int64                     // that any task of the set needs
	limited                map[model.Objective]int64 // the numbers of the constraints of limits

	variables          Literal
	constraints, terms int64
	err                error
	sink               func(*Constraint)
}

// job, stage, task and place are those of the question, and point to each other by their index.
type job struct {
	inference.Asked
	spec       *model.Job
	in         Literal // it is in, and not let go
	first, end int32   // stages
	ends       scale
	// ended are the numbers of the constraints that it ends no sooner than its stages, by stage and value.
	ended [][]int64
}

type stage struct {
	*model.Stage
	id         model.StageID
	job        int32
	first, end int32 // tasks
	ends       scale // in, and all tasks have finished
	starts     scale // of a gang: in, and all tasks have started
}

type task struct {
	id         model.TaskID
	job, stage int32
	first, end int32 // places
	// some is the number of the constraint that it is somewhere if its job is in, most of that it is on one slave only
	// then, finished of the first of those that it has finished when its stage has.
	some, most, finished int64
	// after are those that it is handed out after the stages before its own.
	after []after
}

// after are constraints that a task is handed out after a stage: one for each time, 0 for what says nothing.
type after struct {
	stage int32
	times []model.Time
	ids   []int64
}

type place struct {
	task             int32
	slave            model.SlaveID
	run, fetch       model.Time
	tied             bool
	on               Literal
	start, get, hand scale // S, R and A
	// fetched is the number of the first constraint S ≥ R + C, handed of the first R ≥ A, away of those of absences.
	fetched, handed int64
	away            []away
}

// away is an absence that has a constraint.
type away struct {
	model.Interval
	id int64
}

func (p *place) finish() *scale { return p.start.later(p.run) }

// placeOn is that of a task on a slave; nil if it has none there.
func (f *Formula) placeOn(t int32, s model.SlaveID) *place {
	places := f.places[f.tasks[t].first:f.tasks[t].end]
	k, found := slices.BinarySearchFunc(places, s, func(p place, s model.SlaveID) int { return int(p.slave - s) })
	if !found {
		return nil
	}
	return &places[k]
}

// line is something of which there are so many units: a resource of a slave, or a pool or cap.
type line struct {
	slave    model.SlaveID // NoSlave for what all share
	resource model.ResourceID
	shared   model.SharedID
	users    []user
	// points are when it may become short: begins of uses. The constraint of each says what is held then.
	points []model.Time
	ids    []int64
	units  []int64 // that there are
}

// user is a place whose task holds units of a line.
type user struct {
	place int32
	units int64
}

// hold says from when until when the task of a place holds something.
func (p *place) hold(h model.Hold) (begin, end *scale) {
	switch h {
	case model.HoldRun:
		return &p.start, p.start.later(p.run)
	case model.HoldFetch:
		return &p.get, p.get.later(p.fetch)
	}
	return &p.hand, p.finish()
}

// hold is how it is held.
func (l *line) hold() model.Hold {
	if l.slave == model.NoSlave {
		return model.HoldStay
	}
	return l.resource.Hold()
}

// point is the place of the last point up to a time, -1 for none: from then on no use has begun.
func (l *line) point(at model.Time) int {
	i, found := slices.BinarySearch(l.points, at)
	if !found {
		i--
	}
	return i
}

// Encode states a question. Sink is handed each constraint, valid until it returns, in the order of their numbers,
// which count from 1; it may be nil. An error says why the question cannot be stated: it is too large, or ctx is done.
func Encode(ctx context.Context, q *Question, sink func(*Constraint)) (*Formula, error) {
	f := &Formula{Question: q, ctx: ctx, sink: sink}
	f.encode()
	return f, f.err
}

// WriteOPB writes a question in OPB, each comment on a line of its own before the constraints.
func WriteOPB(ctx context.Context, w io.Writer, q *Question, comments ...string) (*Formula, error) {
	counted, err := Encode(ctx, q, nil)
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "* #variable= %d #constraint= %d\n", counted.last, counted.constraints)
	for _, c := range comments {
		fmt.Fprintf(out, "* %s\n", c)
	}
	var text []byte
	f := &Formula{Question: q, ctx: ctx}
	f.sink = func(c *Constraint) {
		text = f.appendConstraint(text[:0], c)
		out.Write(append(text, " ;\n"...))
	}
	f.encode()
	return f, cmp.Or(f.err, out.Flush())
}

// encode makes the variables, and states all constraints.
func (f *Formula) encode() {
	if f.layOut(); f.err == nil {
		f.variables = f.last
		f.state()
	}
}

// emit states a constraint and gives its number; 0 if it says nothing, and is left out.
func (f *Formula) emit(c Constraint) int64 {
	c.normalise()
	if f.stopped() || c.idle() {
		return 0
	}
	f.constraints++
	if f.terms += int64(len(c.Terms)); f.terms > MaxTerms {
		f.tooLarge()
	} else if f.sink != nil {
		f.sink(&c)
	}
	return f.constraints
}

// stopped reports whether there is no use in going on; it looks at the context now and then.
func (f *Formula) stopped() bool {
	if f.err == nil && f.constraints%1024 == 0 {
		f.err = f.ctx.Err()
	}
	return f.err != nil
}

func (f *Formula) tooLarge() {
	if f.err == nil {
		f.err = fmt.Errorf("%w: it takes more than %d terms", ErrTooLarge, MaxTerms)
	}
}

// implies states that a literal implies another, and gives the number.
func (f *Formula) implies(a, b Literal) int64 {
	var c Constraint
	c.add(1, b)
	c.add(-1, a)
	return f.emit(c)
}

// rising states that a scale rises.
func (f *Formula) rising(s *scale) {
	for i := 1; i < s.n && !f.stopped(); i++ {
		if id := f.implies(s.nth(i-1), s.nth(i)); i == 1 {
			s.rises = id
		}
	}
}

// newScale makes the variables of a scale from lo to last or less.
func (f *Formula) newScale(prefix string, lo, last, step model.Time, top Literal) scale {
	n := (last-lo)/step + 1
	if model.Time(f.last)+n > MaxTerms {
		f.tooLarge()
		n = 1
	}
	return scale{lo: lo, step: step, n: int(n), first: f.add(prefix, int(n)-1, lo, step), top: top}
}
