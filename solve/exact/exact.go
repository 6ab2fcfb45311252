// Package exact answers questions about a job set by the two engines that do so
// exactly: lazy clause generation (package solve/lcg), and the SAT solver gini on
// the formulas of package encode, with the search ordering of Penn §4.2.
package exact

import (
	"context"
	"fmt"
	"math"

	"downbeat/encode"
	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/budget"
	"downbeat/solve/event"
	"downbeat/solve/lcg"
	"downbeat/solve/memory"
)

// Engine says which engines answer questions.
type Engine uint8

// The engines.
const (
	Both Engine = iota
	LCG
	Gini
)

// EngineNames are the words for Both, LCG and Gini, by their numbers.
func EngineNames() []string { return []string{"both", "lcg", "gini"} }

// Options of the engines; the zero value is ready to use.
type Options struct {
	Engine Engine
	// Order lists the rules, by name, in whose order dives try tasks before gini
	// is asked: "edf", "llf"; package solve takes nil for both, and an empty list for
	// none.
	Order []string
	// MaxClauses bounds formulas; 0 stands for DefaultMaxClauses. Questions to lcg
	// have half as many literals at most.
	MaxClauses int64
	// Budgeted keeps formulas small: a call of gini runs to its end on a budget, for
	// it cannot be ended at the same point twice.
	Budgeted bool
	// Record has package lcg record its refutations. What gini refutes counts for nothing
	// then, for it leaves no proof, unless package lcg refutes it too.
	Record bool
	// Unordered has package lcg take sets with fifo too, of which it refutes questions then,
	// or finds nothing out ([lcg.Options]).
	Unordered bool
	// Exchange is where searches that ask the same leave learned clauses for each other ([Join]); nil
	// where they do not.
	Exchange *Exchange
	// Worker is the number, from 0 on, of the one whose searches these are, where each has options of
	// its own; else 0.
	Worker int
}

// DefaultMaxClauses keeps each worker's formula within about 700 MB, the SAT
// solver's copy included.
const DefaultMaxClauses = 4_000_000

// clauseBytes and literalBytes are what a clause and a literal of such questions take
// in memory, the solver's copy included.
const clauseBytes, literalBytes = 175, 80

// budgetClauses is the limit of formulas in a search on a budget.
const budgetClauses = 12_000

// Allows reports whether an engine is one of those that are asked.
func (o *Options) Allows(e Engine) bool { return o.Engine == Both || o.Engine == e }

// tooLarge is the error for sets that are not laid out.
type tooLarge struct{ tasks, slaves int }

func (e tooLarge) Error() string {
	return fmt.Sprintf("%d tasks on %d machines are too many for it", e.tasks, e.slaves)
}

// worthTrying keeps windows and layout, some 150 bytes per task and slave, within
// memory: with so many of them a formula has been too large every time.
func worthTrying(js *model.JobSet) error {
	if int64(len(js.Tasks))*int64(len(js.Slaves)) > 3_000_000 {
		return tooLarge{len(js.Tasks), len(js.Slaves)}
	}
	return nil
}

// Formula writes a question as a formula. The error says for people why there is
// none; it is that of ctx where ctx is done.
func Formula(ctx context.Context, q query.Question, opt *Options) (*encode.Encoding, error) {
	limit := opt.MaxClauses
	if limit == 0 {
		limit = DefaultMaxClauses
	}
	if opt.Budgeted {
		limit = min(limit, budgetClauses)
	}
	limit = min(limit, memory.Share(ctx, math.MaxInt64)/clauseBytes)
	if err := worthTrying(q.JS); err != nil {
		return nil, err
	}
	return encode.Build(ctx, q, limit)
}

// Search is a question before package lcg, and what has been learnt about it.
type Search struct {
	lcg    *lcg.Search
	member *member // of an Exchange, or nil
}

// New prepares a question for package lcg; an error if it is too large or of a
// kind that is not answered there, or where ctx is done. like, which may be nil, is
// a plan to look near.
func New(ctx context.Context, q query.Question, opt *Options, seed uint64, like model.Schedule) (*Search, error) {
	if err := worthTrying(q.JS); err != nil {
		return nil, err
	}
	limit := int64(lcg.DefaultMaxLiterals)
	if opt.MaxClauses > 0 {
		limit = (opt.MaxClauses + 1) / 2
	}
	share := memory.Share(ctx, math.MaxInt64)
	s, err := lcg.New(ctx, q, lcg.Options{
		Seed: seed, MaxLiterals: min(limit, share/literalBytes), Like: like,
		// The file takes twice as much once more.
		Record: opt.Record, MostRecorded: min(lcg.DefaultMostRecorded, share/4), Unordered: opt.Unordered,
	})
	if err != nil {
		return nil, err
	}
	return &Search{lcg: s}, nil
}

// Narrow has the search answer about a question that narrows the one that was asked last, with what was learnt
// about that; false, and nothing is changed, where that is not to be had ([lcg.Search.Narrow]).
func (s *Search) Narrow(q query.Question) bool {
	if !s.lcg.Narrow(q) {
		return false
	}
	if s.member != nil {
		s.member.ask(&q)
	}
	return true
}

// Again asks package lcg about a question of a set with fifo, which gini has refuted: its
// refutation within a number of polls, or nil.
func Again(ctx context.Context, q query.Question, opt *Options, seed uint64, polls int) *proof.Refutation {
	if !q.JS.FIFO {
		return nil
	}
	again := *opt
	again.Unordered = true
	s, err := New(ctx, q, &again, seed, nil)
	if err != nil {
		return nil
	}
	n := 0
	if a, _ := s.Run(ctx, func() bool { n++; return n > polls }); a != lcg.Unsatisfiable {
		return nil
	}
	return s.Refutation()
}

// Conflicts counts what the search has learned from so far.
func (s *Search) Conflicts() int64 { return s.lcg.Conflicts() }

// Refutation has the steps by which the search has ruled out that there is a plan; nil
// where it was not recorded, or too long to be kept.
func (s *Search) Refutation() *proof.Refutation { return s.lcg.Refutation() }

// pollUnits is what a stretch of search between two polls costs of a budget: it
// takes about as long as that many constructions.
const pollUnits = 64

// Run answers, with a plan in which jobs may be left out. It ends early, with
// lcg.Unknown, when ctx is done or stop, which may be nil, says so; unlike a SAT
// call at the same poll in every run, so that it is charged for as it goes. Asked
// again it goes on.
func (s *Search) Run(ctx context.Context, stop func() bool) (lcg.Answer, model.Schedule) {
	conflicts, restarts := s.lcg.Conflicts(), s.lcg.Restarts()
	a, plan := s.lcg.Run(ctx, func() bool {
		budget.Spend(ctx, pollUnits)
		return stop != nil && stop()
	})
	budget.Spend(ctx, 1)
	event.Count(ctx, event.Counts{Calls: 1, Conflicts: s.lcg.Conflicts() - conflicts, Restarts: s.lcg.Restarts() - restarts})
	return a, plan
}

// Propagate is Run that decides nothing ([lcg.Search.Propagate]).
func (s *Search) Propagate(ctx context.Context) lcg.Answer {
	budget.Spend(ctx, pollUnits)
	event.Count(ctx, event.Counts{Calls: 1})
	return s.lcg.Propagate(ctx)
}

// Assume, Failed, Tell, Recording and Split are those of [lcg.Search].
func (s *Search) Assume(words []string) error { return s.lcg.Assume(words) }

// Failed is told of at Assume.
func (s *Search) Failed() []string { return s.lcg.Failed() }

// AssumeInTime and FailedJobs are those of [lcg.Search].
func (s *Search) AssumeInTime(jobs []model.JobID) { s.lcg.AssumeInTime(jobs) }

// FailedJobs is told of at AssumeInTime.
func (s *Search) FailedJobs() []model.JobID { return s.lcg.FailedJobs() }

// Tell is told of at Assume.
func (s *Search) Tell() *proof.Refutation { return s.lcg.Tell() }

// Recording is told of at Assume.
func (s *Search) Recording() bool { return s.lcg.Recording() }

// Split is told of at Assume.
func (s *Search) Split(ctx context.Context, n int, from []string) ([][]string, error) {
	return s.lcg.Split(ctx, n, from)
}
