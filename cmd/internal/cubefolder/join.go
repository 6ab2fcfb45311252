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

// Standing is how far the work is.
func (f *Folder) Standing() Standing {
	if f.tree == nil {
		return Standing{}
	}
	all := f.tree.Open(func(string) bool { return false })
	return Standing{len(all), len(f.Open())}
}

// Answer is the answer so far. With proof it has a certificate, of which the refutations of cubes are
// made one. An error is a fault of the folder, or an internal one.
func (f *Folder) Answer(ctx context.Context, proof bool) (*solve.Result, error) {
	r := &solve.Result{Status: f.Start.Status, Proof: f.Start.Proof, Seed: f.Seed}
	if f.best != nil {
		r.Schedule, r.Status = f.best, model.Feasible
		r.Objectives = f.objectives()
	}
	closed := f.Problem != nil && len(f.Open()) == 0
	most, left := f.Target()
	switch {
	case closed && left && most == cubes.AnyPlan:
		r.Status, r.Proof = model.Infeasible, model.LCGProof
	case closed && left:
		r.Proof = max(r.Proof, model.LCGProof)
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
	if closed && left {
		if err := f.claim(ctx, r.Certificate, most); err != nil {
			return nil, err
		}
	}
	r.Certificate.Mark(r.Objectives)
	return r, nil
}

// objectives are those of the best plan, with bounds up to the open one.
func (f *Folder) objectives() []model.ObjectiveValue {
	out := PlanOf(f.JS, f.best, f.Goal).Objectives
	bounded := func(i int, bound int64, proof string) { out[i].Bound, out[i].Proof = &bound, proof }
	if f.Problem == nil {
		for i := range f.Start.Objectives {
			if of := f.Start.Objectives[i]; i < len(out) && of.Bound != nil {
				bounded(i, *of.Bound, of.Proof)
			}
		}
		return out
	}
	p := f.Problem.P
	for i := range min(p+1, len(out)) {
		bound, proof := int64(0), ""
		if i < len(f.Start.Objectives) && f.Start.Objectives[i].Bound != nil {
			bound, proof = *f.Start.Objectives[i].Bound, f.Start.Objectives[i].Proof
		}
		// What is refuted of all cubes is refuted of all plans; a plan with one more is there at the best.
		if i == p {
			least := f.tree.Least(func(cube string) int64 {
				if f.Closes(cube) && f.found[cube] != nil {
					return f.found[cube].Most
				}
				return -1
			})
			value, _ := f.Problem.Value(f.Problem.Steps(f.best))
			if least >= 0 {
				if refuted := f.Problem.InTicks(f.Goal[p], min(least, value-1)+1); refuted > bound {
					bound, proof = refuted, model.LCGProof.String()
				}
			}
		}
		bounded(i, bound, proof)
	}
	return out
}

// claim adds to c what the cubes have come to, all of which are refuted.
func (f *Folder) claim(ctx context.Context, c *certify.Certificate, most int64) error {
	of := inference.Claim{Infeasible: true}
	if most != cubes.AnyPlan {
		p := f.Problem
		of = inference.Claim{Objective: f.Goal[p.P], Least: most + 1}
		for i, o := range f.Goal[:p.P] {
			of.Given = append(of.Given, inference.Limit{Objective: o, Most: p.Closed[i]})
		}
		c.Claims, c.Open = without(c.Claims, of.Objective), without(c.Open, of.Objective)
	}
	by, err := f.Problem.Resolve(ctx, f.tree, most, cubes.Found{
		Refuted:  func(cube string) *cubes.Refuted { return f.found[cube] },
		Segments: f.segments,
	})
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
