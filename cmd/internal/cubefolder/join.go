package cubefolder

import (
	"context"
	"errors"
	"fmt"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/solve"
	"downbeat/solve/certify"
	"downbeat/solve/cubes"
)

// Standing counts cubes at the leaves: those there are, and those that are left.
type Standing struct{ Cubes, Open int }

// Standing is how far the work is, at the limit that is asked about.
func (f *Folder) Standing() Standing {
	if f.state == nil {
		return Standing{}
	}
	all := f.state.Tree.Open(func(string) bool { return false })
	open, _ := f.Open()
	return Standing{len(all), len(open)}
}

// Left reports whether there is work left.
func (f *Folder) Left() bool {
	open, _ := f.Open()
	return len(open) > 0
}

// Answer is the answer so far. With proof it has a certificate, of which the refutations of cubes are
// made one. An error is a fault of the folder, or an internal one.
func (f *Folder) Answer(ctx context.Context, proof bool) (*solve.Result, error) {
	r := &solve.Result{Status: f.Start.Status, Proof: f.Start.Proof, Seed: f.Seed}
	refuted := int64(-1)
	if f.state != nil {
		if refuted = f.state.Refuted(); refuted >= f.state.Bound {
			r.Proof = max(r.Proof, model.LCGProof)
		}
	}
	switch {
	case f.best != nil:
		r.Schedule, r.Status = f.best, model.Feasible
		r.Objectives = f.objectives(refuted)
	case refuted == cubes.AnyPlan && f.state.P == 0:
		r.Status = model.Infeasible
	}
	if r.Closed() {
		r.Status = model.Optimal
	}
	if !proof {
		return r, nil
	}
	var err error
	if r.Certificate, err = f.certificate(); err != nil {
		return nil, err
	}
	if f.state != nil && refuted >= f.state.Bound {
		if err := f.claim(ctx, r.Certificate, refuted); err != nil {
			return nil, err
		}
	}
	r.Certificate.Mark(r.Objectives)
	return r, nil
}

// objectives are those of the best plan, with bounds up to the open one, whose limit is refuted.
func (f *Folder) objectives(refuted int64) []model.ObjectiveValue {
	out := PlanOf(f.JS, f.best, f.Goal).Objectives
	for i := range out {
		if i < len(f.Start.Objectives) {
			out[i].Bound, out[i].Proof = f.Start.Objectives[i].Bound, f.Start.Objectives[i].Proof
		}
	}
	if f.state == nil || f.state.P == len(out) {
		return out
	}
	of := &out[f.state.P]
	bound := f.state.InTicks(f.Goal[f.state.P], refuted+1)
	if of.Bound == nil || *of.Bound < bound {
		of.Bound, of.Proof = &bound, model.LCGProof.String()
	}
	return out
}

// claim adds to c that a limit is refuted.
func (f *Folder) claim(ctx context.Context, c *certify.Certificate, most int64) error {
	of := inference.Claim{Infeasible: true}
	if most != cubes.AnyPlan {
		p := f.state
		of = inference.Claim{Objective: f.Goal[p.P], Least: most + 1}
		for i, o := range f.Goal[:p.P] {
			of.Given = append(of.Given, inference.Limit{Objective: o, Most: p.Closed[i]})
		}
		c.Claims, c.Open = without(c.Claims, of.Objective), without(c.Open, of.Objective)
	}
	by, err := f.state.Resolve(ctx, most, f.segments)
	switch {
	case err == nil:
		c.Claims = append(c.Claims, certify.Claim{Claim: of, By: by})
	case errors.Is(err, cubes.ErrUnproved) || ctx.Err() != nil:
		c.Open = append(c.Open, certify.Claim{Claim: of})
	default:
		return err
	}
	return nil
}

// segments reads those of a series.
func (f *Folder) segments(series string, upTo int) ([]*cubes.Segment, error) {
	var out []*cubes.Segment
	for n := range upTo {
		path := f.path(stepsName(series, n+1))
		if ok, err := exists(path); err != nil {
			return nil, err
		} else if !ok {
			return nil, fmt.Errorf("%s is missing: %w", path, cubes.ErrUnproved)
		}
		steps, err := unzipped(path)
		if err != nil {
			return nil, err
		}
		out = append(out, &cubes.Segment{Series: series, Number: n + 1, Steps: steps})
	}
	return out, nil
}
