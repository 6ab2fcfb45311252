package capacity

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"downbeat/model"
	"downbeat/model/check"
	"downbeat/solve"
	"downbeat/solve/budget"
	"downbeat/solve/memory"
	"downbeat/solve/parallel"
	"downbeat/solve/whatif"
)

// Pieces keeps what came of the pieces that a question has, so that it can be gone on with, and
// so that several processes can share them. Questions that are asked in pieces learn
// nothing from each other: each piece has a part of its own of the budget, or of the time, and one
// worker, so that it comes to the same whoever works on it.
type Pieces interface {
	// List names all pieces, in order, before any other method is called, and gives the place of the
	// first.
	List(names []string) int
	// Wanted reports whether the piece at a place is to be worked on where it is not known.
	Wanted(place int) bool
	// Find reads what came of a piece into a value; false where that is not known.
	Find(name string, into any) (known bool, err error)
	// Add keeps what came of a piece, a value that JSON can have.
	Add(name string, value any) error
}

// limits are those of all pieces of a question together.
type limits struct {
	// until is the end of the time, zero for none; budget the work for all, 0 for any.
	until  time.Time
	budget int64
	// side is how many pieces are worked on side by side.
	side int
}

// inPieces does the pieces that are wanted, and takes what is known of each then, in their
// order. What was ended from outside, which work tells by done, is not kept.
func inPieces[T any](ctx context.Context, in Pieces, names []string, l limits, work func(ctx context.Context, i int) (v T, done bool, err error), take func(i int, v *T) error) error {
	first := in.List(names)
	known := make([]*T, len(names))
	var open []int
	for i, name := range names {
		v := new(T)
		switch there, err := in.Find(name, v); {
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		case there:
			known[i] = v
		case in.Wanted(first + i):
			open = append(open, i)
		}
	}
	side := max(1, min(l.side, len(open)))
	outer := memory.Beside(ctx, roomy(l.side)) // whatever is known already
	err := parallel.Ordered(outer, side, len(open), func(k int) func(context.Context) error {
		if ctx.Err() != nil || !l.until.IsZero() && time.Until(l.until) <= 0 {
			return nil
		}
		return func(still context.Context) error {
			part, stop := l.part(still, len(names), side, len(open)-k)
			defer stop()
			v, done, err := work(part, open[k])
			if err == nil && (done || ctx.Err() == nil) {
				known[open[k]] = &v
			}
			return err
		}
	}, func(k int) error {
		if v := known[open[k]]; v != nil {
			return in.Add(names[open[k]], v)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range names {
		if known[i] != nil {
			if err := take(i, known[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// part limits a piece of n to what it is given: the same part of the budget as every other; of the
// time what is left for it where so many are to come, so many side by side.
func (l *limits) part(ctx context.Context, n, side, left int) (context.Context, context.CancelFunc) {
	switch {
	case l.budget > 0:
		return budget.Apart(ctx, max(1, l.budget/int64(n)))
	case !l.until.IsZero():
		return context.WithTimeout(ctx, time.Until(l.until)/time.Duration(left)*time.Duration(min(side, left)))
	}
	return context.WithCancel(ctx)
}

// edgePiece is an edge as pieces keep it.
type edgePiece struct {
	Fits  int64    `json:"fits"`
	Fails int64    `json:"fails"`
	Proof string   `json:"proof"`
	Notes []string `json:"notes,omitempty"`
}

func newEdgePiece(e *whatif.Edge, notes []string) edgePiece {
	return edgePiece{e.Fits, e.Fails, e.Proof.String(), notes}
}

func (p *edgePiece) edge() (whatif.Edge, error) {
	proof, err := model.ParseProof(p.Proof)
	return whatif.Edge{Fits: p.Fits, Fails: p.Fails, Proof: proof}, err
}

// edgesInPieces narrows edges, each by itself from what a knows now.
func (a *asker) edgesInPieces(names []string, narrow func(a *asker, i int) (whatif.Edge, error), take func(i int, e whatif.Edge) error) error {
	l := limits{side: a.side}
	if left, _, counted := budget.Left(a.ctx); counted {
		l.budget = max(1, left)
	}
	if until, timed := a.ctx.Deadline(); timed {
		l.until = until
	}
	return inPieces(a.caller, a.in, names, l, func(ctx context.Context, i int) (edgePiece, bool, error) {
		f := a.fork(ctx, 1)
		e, err := narrow(f, i)
		return newEdgePiece(&e, f.notes), e.Exact(), err
	}, func(i int, p *edgePiece) error {
		e, err := p.edge()
		if err != nil {
			return err
		}
		a.note(p.Notes)
		return take(i, e)
	})
}

// toTheEnd comes back to an edge until it is exact, or a limit ends that.
func (a *asker) toTheEnd(e *whatif.Edge, narrow func() error) error {
	for a.Round = 0; a.Round < rounds && !e.Exact() && (a.Round == 0 || a.ctx.Err() == nil); a.Round++ {
		if err := narrow(); err != nil {
			return err
		}
	}
	return nil
}

// failurePiece is what became of a loss, as pieces keep it.
type failurePiece struct {
	Status  string        `json:"status"`
	Proof   string        `json:"proof"`
	Jobs    []model.JobID `json:"jobs,omitempty"`
	LeftOut []model.JobID `json:"left_out,omitempty"`
	// Plan has slave, beat, fetch and start of each task.
	Plan [][4]int64 `json:"plan,omitempty"`
}

func newFailurePiece(f *SingleFailure) failurePiece {
	p := failurePiece{Status: f.Status.String(), Proof: f.Proof.String(), Jobs: f.Jobs, LeftOut: f.LeftOut}
	for _, at := range f.Plan {
		p.Plan = append(p.Plan, [4]int64{int64(at.Slave), int64(at.Beat), int64(at.Fetch), int64(at.Start)})
	}
	return p
}

// verdict is the answer about a set; its plan has passed the validator once more.
func (p *failurePiece) verdict(set *model.JobSet) (*solve.Verdict, error) {
	v := &solve.Verdict{LeftOut: p.LeftOut}
	var err, bad error
	v.Status, err = model.ParseStatus(p.Status)
	if v.Proof, bad = model.ParseProof(p.Proof); err != nil || bad != nil {
		return nil, cmp.Or(err, bad)
	}
	if v.Status == model.Infeasible && len(p.Jobs) > 0 {
		v.Conflict = &solve.Conflict{Jobs: p.Jobs}
	}
	if v.Status != model.Feasible {
		return v, nil
	}
	for _, at := range p.Plan {
		if at[0] < int64(model.NoSlave) || at[0] >= int64(len(set.Slaves)) {
			return nil, fmt.Errorf("there is no slave %d", at[0])
		}
		v.Schedule = append(v.Schedule, model.Placement{Slave: model.SlaveID(at[0]), Beat: model.Time(at[1]), Fetch: model.Time(at[2]), Start: model.Time(at[3])})
	}
	if len(v.Schedule) != len(set.Tasks) {
		return nil, fmt.Errorf("a plan of %d tasks for %d", len(v.Schedule), len(set.Tasks))
	}
	return v, check.Schedule(set, v.Schedule, false).Err()
}
