package cubes

import (
	"context"
	"fmt"

	"downbeat/model"
	"downbeat/solve/budget"
	"downbeat/solve/exact"
	"downbeat/solve/lcg"
)

// Refuted is that no plan of a cube has the open objective at most so much.
type Refuted struct {
	// Most is the limit, AnyPlan where there is no plan at all.
	Most int64
	// Clause has literals of the cube, negated: one is true in every plan.
	Clause []string
	// By is the refutation; nil where it was too long to be kept.
	By *Segment
}

// Segment is a part of the steps that a search has recorded: those that the parts before have not. IDs
// go on from part to part.
type Segment struct {
	// Series names the search, Number counts the segments of it from 1 on.
	Series string
	Number int
	// Steps and Last are as in a proof.Refutation, but that Last is the clause that is told of.
	Steps []byte
	Last  int64
}

// Outcome is what came of work on a cube, one of these; none where ctx was done.
type Outcome struct {
	Refuted *Refuted
	// Plan is better than the limit.
	Plan model.Schedule
	// Literal is what to split the cube by.
	Literal string
}

// Worker works on cubes of a problem. What it learns stays as long as the limit does.
type Worker struct {
	*Problem
	// Options, Seed are those of searches.
	Options exact.Options
	Seed    uint64
	// Name begins the names of series, which are to be like those of no other worker.
	Name string

	search   *exact.Search
	most     int64
	searches int
	told     int
}

// Work looks for a plan of a cube with the open objective at most so much, with some units of work. Like
// is a plan to look near, nil for none. An error is that of the search, for people, or an internal one.
func (w *Worker) Work(ctx context.Context, cube []string, units, most int64, like model.Schedule) (Outcome, error) {
	if w.search == nil || w.most != most || !w.search.Recording() {
		s, err := w.Problem.search(ctx, most, w.Options, w.Seed, like)
		if ctx.Err() != nil {
			return Outcome{}, nil
		}
		if err != nil {
			return Outcome{}, err
		}
		w.search, w.most, w.told = s, most, 0
		w.searches++
	}
	if err := w.search.Assume(cube); err != nil {
		return Outcome{}, err
	}
	limited, stop := budget.With(ctx, units)
	answer, plan := w.search.Run(limited, nil)
	stop()
	switch {
	case answer == lcg.Unsatisfiable:
		return Outcome{Refuted: w.refuted()}, nil
	case answer == lcg.Satisfiable:
		whole, err := w.complete(plan, most)
		return Outcome{Plan: whole}, err
	case ctx.Err() != nil:
		return Outcome{}, nil
	}
	literal, err := w.half(ctx, cube)
	return Outcome{Literal: literal}, err
}

// half is the literal to split a cube by; empty where there is none, or ctx ends first.
func (w *Worker) half(ctx context.Context, cube []string) (string, error) {
	parts, err := w.search.Split(ctx, 2, cube)
	if err != nil || len(parts) < 2 {
		return "", err
	}
	return parts[0][len(cube)], nil
}

// refuted is that what is assumed has no plan.
func (w *Worker) refuted() *Refuted {
	out := &Refuted{Most: w.most, Clause: w.search.Failed()}
	if r := w.search.Tell(); r != nil {
		w.told++
		out.By = &Segment{Series: fmt.Sprintf("%s-%d", w.Name, w.searches), Number: w.told, Steps: r.Steps, Last: r.Last}
	}
	return out
}
