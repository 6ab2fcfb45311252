// Package event has what a solve tells of itself while it runs: one stream of events, of
// which status lines, logs and statistics are made. Nobody who listens changes an answer, and
// where nobody does nothing is told or counted.
package event

import (
	"time"

	"downbeat/model"
)

// Kind says what happened.
type Kind uint8

const (
	// Phase: something else is being done.
	Phase Kind = iota
	// Start: the solve begins; Begun tells with what.
	Start
	// Verdict: it is settled whether all hard jobs can meet their deadlines; Settled tells how.
	// The rest of an answer follows.
	Verdict
	// Plan: there is a plan, or a better one.
	Plan
	// Bound: a bound was raised.
	Bound
	// Strategy: one of the portfolio has had a slice, of which Slice tells.
	Strategy
	// End: the solve is over; Ended tells how.
	End
)

// Kinds are the words for the kinds, by their numbers.
func Kinds() []string {
	return []string{"phase", "start", "verdict", "plan", "bound", "strategy", "end"}
}

// String is the word.
func (k Kind) String() string { return Kinds()[k] }

// Event is one thing that happened, with how things stand then.
type Event struct {
	Kind Kind
	// Elapsed is the time since the solve began.
	Elapsed time.Duration
	// Phase is a few words on what is being done.
	Phase string
	// HavePlan tells whether a valid plan exists; then Objectives hold its values.
	HavePlan   bool
	Objectives []model.ObjectiveValue
	// Begun, Settled, Slice and Ended are those of their kinds, else nil.
	Begun   *Begun
	Settled *Settled
	Slice   *Slice
	Ended   *Ended
}

// Begun is what a solve begins with. Limits are 0 where there is none.
type Begun struct {
	JobSet    *model.JobSet
	Goal      []model.Objective
	Seed      uint64
	Workers   int
	TimeLimit time.Duration
	Budget    int64
	Memory    int64 // in bytes
}

// Settled is Feasible, by a plan, or Infeasible.
type Settled struct {
	Status model.Status
	Proof  model.Proof
}

// Slice is one that a strategy has had.
type Slice struct {
	Strategy string
	// Row is that of the portfolio's table, counted from 1.
	Row int
	// Worker and Round count from 0.
	Worker, Round int
	// Outcome is open, improved, done or refused.
	Outcome string
	Took    time.Duration
	Counts
	// Memory is what the program held at the end, in bytes.
	Memory int64
}

// Ended is how a solve ends.
type Ended struct {
	Status model.Status
	Reason Reason
	Counts
	Memory int64 // in bytes
}

// Reason says why a search stopped.
type Reason string

// The reasons.
const (
	Proved      Reason = "proved"              // nothing is left open
	Answered    Reason = "answered"            // a plan was all that was asked for
	TimeLimit   Reason = "time limit"          // reached
	Budget      Reason = "budget"              // spent
	Memory      Reason = "memory"              // the ceiling was reached
	Interrupted Reason = "interrupted"         // by the caller
	Exhausted   Reason = "nothing left to try" // every strategy is through
)

// Reasons lists them.
func Reasons() []Reason {
	return []Reason{Proved, Answered, TimeLimit, Budget, Memory, Interrupted, Exhausted}
}
