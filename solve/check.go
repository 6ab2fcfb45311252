package solve

import (
	"context"
	"time"

	"downbeat/model"
)

// Check answers whether the hard jobs can meet their deadlines, with a
// validated plan on a yes and a conflict on a no. Cancelling ctx ends the
// search. An error is an internal one.
func Check(ctx context.Context, js *model.JobSet, opt Options) (*Verdict, error) {
	opt.Objectives = []model.Objective{}
	opt.Relax = false
	started := time.Now()
	r, err := Plan(ctx, js, opt)
	if err != nil {
		return nil, err
	}
	if r.Status == model.Feasible {
		r.Proof = model.WitnessProof
	}
	return &Verdict{
		Status: r.Status, Proof: r.Proof, Schedule: r.Schedule, Conflict: r.Conflict,
		Notes: r.Notes, Elapsed: time.Since(started),
	}, nil
}
