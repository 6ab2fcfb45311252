package lcg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/lcg/core"
)

// Answer is what a search found out; the zero value claims nothing.
type Answer = core.Answer

// The answers.
const (
	Unknown       = core.Unknown
	Satisfiable   = core.Satisfiable
	Unsatisfiable = core.Unsatisfiable
)

// DefaultMaxLiterals keeps a search below about 300 MB before it learns: a literal takes some 60 bytes, and where nobody has named
// it yet a quarter of a byte. A job shop of 100 jobs on 100 machines with times up to 999 counts as 2 to 4 million, by what is asked for.
const DefaultMaxLiterals = 4_000_000

// DefaultMostRecorded is enough for some million conflicts.
const DefaultMostRecorded = 256 << 20

// Options steer a search; the zero value is ready to use.
type Options struct {
	// Seed makes searches differ; equal seeds give equal searches.
	Seed uint64
	// MaxLiterals bounds the size; 0 stands for DefaultMaxLiterals.
	MaxLiterals int64
	// Like, if not nil, is a complete schedule, valid or not, that answers are
	// first looked for near.
	Like model.Schedule
	// Record keeps the steps of a refutation, for [Search.Refutation]; not of questions
	// with restrictions or fixed tasks. With it, or Cubes, there are no literals but those of proof files.
	Record bool
	// Cubes has the search take assumptions ([Search.Assume]) and propose cubes ([Search.Split]).
	Cubes bool
	// MostRecorded bounds the bytes of these steps; 0 stands for DefaultMostRecorded.
	MostRecorded int64
	// PollConflicts is after how many conflicts Run polls its condition to stop; 0 stands for 256.
	PollConflicts int64
	// Unordered has sets with fifo asked without it: no plan then is no plan with it, and
	// there is no other answer.
	Unordered bool

	// named has all order literals made when they are first named, for tests.
	named bool
}

// ErrFIFO says that job sets with fifo are not supported.
var ErrFIFO = errors.New("the propagating search does not support fifo")

// TooLarge says that a question was not asked.
type TooLarge struct{ Literals, Limit int64 }

// Error is a sentence for people.
func (e *TooLarge) Error() string {
	return fmt.Sprintf("the propagating search would have %d literals, more than the limit of %d", e.Literals, e.Limit)
}

// Search is a question and what has been learnt about it.
type Search struct {
	p *problem
	assumptions
	// told: some steps were told already.
	told bool
}

// New prepares a search. Errors are ErrFIFO, unless it is Unordered, *TooLarge and that of ctx.
func New(ctx context.Context, q query.Question, opt Options) (*Search, error) {
	p, err := build(ctx, q, &opt)
	if err != nil {
		return nil, err
	}
	return &Search{p: p}, nil
}

// Run answers: Satisfiable with a schedule in which the jobs that are left out,
// and those that may be and are, have no places; Unsatisfiable; or Unknown if
// ctx ended or stop, which may be nil, said so. Stop is polled after every 256
// conflicts, unless options say otherwise, or 4096 decisions, at the same points in every run. A search that
// was stopped can be run again, and goes on.
func (s *Search) Run(ctx context.Context, stop func() bool) (Answer, model.Schedule) {
	ended := func() bool { return ctx.Err() != nil || stop != nil && stop() }
	switch {
	case ended():
		return Unknown, nil
	case s.never != "":
		return Unsatisfiable, nil
	}
	a := s.p.Search(ctx, ended)
	switch {
	case a != Satisfiable:
		return a, nil
	case s.p.JS.FIFO:
		return Unknown, nil // starts may be out of order
	}
	return a, s.p.decode()
}

// Propagate is Run that decides nothing: Unsatisfiable where that follows by propagation alone, else Unknown.
func (s *Search) Propagate(ctx context.Context) Answer {
	if ctx.Err() == nil && (s.never != "" || !s.p.Settle(ctx)) {
		return Unsatisfiable
	}
	return Unknown
}

// Share has the search exchange what it learns with others of the same question, of which the job
// set and all that a question says are equal; records are those of all that are recorded. A search
// that is diversified by a seed does other work than others from the first decision on.
func (s *Search) Share(with core.Exchange, records *core.Records) { s.p.Share(with, records) }

// Diversify is told of at Share.
func (s *Search) Diversify(seed uint64) { s.p.Diversify(seed) }

// Conflicts counts what the search has learnt from so far.
func (s *Search) Conflicts() int64 { return s.p.Solver.Conflicts() }

// Restarts counts how often it has begun again from the top.
func (s *Search) Restarts() int64 { return s.p.Solver.Restarts() }

// lastTime bounds the times of a question: sums of a few of them stay within 32 bits.
const lastTime model.Time = 1 << 28

func build(ctx context.Context, q query.Question, opt *Options) (*problem, error) {
	js := q.JS
	if js.FIFO && !opt.Unordered {
		return nil, ErrFIFO
	}
	p := &problem{
		Layout: query.NewLayout(q), Solver: core.New(opt.Seed),
		on: make([]core.Lit, len(js.Jobs)), tasks: make([]taskVars, len(js.Tasks)),
		completions: make([]core.View, js.Stages()), orders: map[[2]core.View]core.Lit{}, turns: map[holding]*turns{},
	}
	if opt.Record || opt.Cubes {
		p.names = newNames()
	}
	if opt.Record {
		p.record = newRecord(&q, p.Solver, cmp.Or(opt.MostRecorded, DefaultMostRecorded))
	}
	if opt.named {
		p.MostAtOnce = 0
	}
	p.PollConflicts = cmp.Or(opt.PollConflicts, p.PollConflicts)
	jobs := p.byDue()
	if err := p.lay(jobs, cmp.Or(opt.MaxLiterals, DefaultMaxLiterals)); err != nil {
		return nil, err
	}
	if p.Impossible >= 0 {
		p.because("task", int(p.taskLate(p.Impossible)))
		p.Refute()
	}
	for _, i := range jobs {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p.addJob(i)
	}
	for _, of := range q.Ordered {
		if before, after := &p.tasks[of[0]], &p.tasks[of[1]]; len(before.places) > 0 && len(after.places) > 0 {
			postPrecedence(p.Solver, []core.View{before.finish}, after.start)
		}
	}
	p.addResources()
	p.addShared()
	p.addObjectives()
	if !q.NoSymmetry && q.Ordered == nil {
		p.addSymmetry()
	}
	if opt.Like != nil {
		p.stayNear(opt.Like)
	}
	return p, nil
}

// byDue lists the jobs that are not left out, the most urgent first. What others come
// after is as urgent as they are, and before them.
func (p *problem) byDue() []model.JobID {
	due := slices.Clone(p.Cap)
	for _, i := range slices.Backward(p.JS.JobOrder()) {
		if p.Role[i] == query.Out {
			continue
		}
		for _, k := range p.JS.Jobs[i].After {
			due[k] = min(due[k], due[i])
		}
	}
	var jobs []model.JobID
	for _, i := range p.JS.JobOrder() {
		if p.Role[i] != query.Out {
			jobs = append(jobs, i)
		}
	}
	slices.SortStableFunc(jobs, func(a, b model.JobID) int { return cmp.Compare(due[a], due[b]) })
	return jobs
}

// lay finds the places of the tasks of some jobs, and bounds what the question will come to before any literal is made.
func (p *problem) lay(jobs []model.JobID, limit int64) error {
	limit = min(limit, mostLiterals)
	if least, last := p.leastLiterals(jobs); least > limit || last > lastTime {
		return &TooLarge{least, limit}
	}
	p.PlaceTasks()
	for _, t := range p.Included {
		p.tasks[t].places = p.places(t)
	}
	need := p.literals(jobs)
	if need > limit {
		return &TooLarge{need, limit}
	}
	return nil
}

// leastLiterals bounds the literals from below, before there are places: where tasks may be anywhere in their windows the
// finishes alone have as many. last is when the last job ends at the latest.
func (p *problem) leastLiterals(jobs []model.JobID) (least int64, last model.Time) {
	for _, i := range jobs {
		last = max(last, p.Cap[i])
		if job := &p.JS.Jobs[i]; p.Restrict == nil {
			for t := job.First; t < job.End; t++ {
				span := &p.Windows.Tasks[t]
				least += p.count(int64(span.LastFinish - span.FirstFinish))
			}
		}
	}
	return least, last
}

// unnamed is how many order literals count as one, of integers that have none until they are named (package core). By their bytes.
const unnamed = 64

// mostLiterals keeps the names of literals within 31 bits.
const mostLiterals = 1 << 30 / unnamed

// count is what an integer of so many order literals counts as.
func (p *problem) count(literals int64) int64 {
	if literals <= int64(p.MostAtOnce) {
		return literals
	}
	return literals/unnamed + 1
}

// literals are those of the integers and Booleans of some jobs, and an eighth of the points of time tables.
func (p *problem) literals(jobs []model.JobID) (need int64) {
	first, last := model.Never, model.Time(0)
	for _, i := range jobs {
		job := &p.JS.Jobs[i]
		first, last = min(first, job.Release), max(last, p.Cap[i])
		for k := range job.Stages {
			need += p.literalsOf(job.FirstStage+model.StageID(k), &job.Stages[k])
		}
	}
	if need > 0 {
		need += int64(len(p.JS.Slaves)) * int64((last-first)/8)
		if p.JS.Coupled() {
			need += p.sharedPoints()/8 + p.apartPairs(jobs)/16
		}
	}
	return need
}

// literalsOf are those of the tasks of a stage, and of its completion.
func (p *problem) literalsOf(st model.StageID, stage *model.Stage) (need int64) {
	end, ends := span{}, 0
	for t := stage.First; t < stage.End; t++ {
		places := p.tasks[t].places
		if len(places) == 0 {
			continue
		}
		start, fetch, finish := ranges(places)
		need += p.count(start.length()) + p.count(fetch.length()) + p.count(finish.length())
		if len(places) > 1 {
			need += int64(len(places))
		}
		own := nowhere
		for k := range places {
			own.join(places[k].finishes())
		}
		end, ends = span{max(end.lo, own.lo), max(end.hi, own.hi)}, ends+1
	}
	if ends > 1 && len(p.Next(st)) > 0 {
		need += p.count(end.length())
	}
	return need
}

// sharedPoints counts the ticks at which tasks may hold what they share, by limit.
func (p *problem) sharedPoints() (points int64) {
	for id := range p.JS.Shared() {
		first, last := model.Never, model.Time(0)
		for _, t := range p.JS.Shared()[id].Tasks {
			if span := &p.Windows.Tasks[t]; p.Role[p.JS.Tasks[t].Job] != query.Out {
				first, last = min(first, span.FirstAssign), max(last, span.LastFinish)
			}
		}
		points += int64(max(0, last-first))
	}
	return points
}

// apartPairs counts clauses of tasks of some jobs that may not share a slave.
func (p *problem) apartPairs(jobs []model.JobID) (pairs int64) {
	for _, i := range jobs {
		for k := range p.JS.Jobs[i].Stages {
			if st := &p.JS.Jobs[i].Stages[k]; st.IsApart() {
				n := int64(st.End - st.First)
				pairs += n * n / 2 * int64(len(p.JS.Slaves))
			}
		}
	}
	return pairs
}
