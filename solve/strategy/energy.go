package strategy

import (
	"context"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/budget"
	"downbeat/solve/energy"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
)

// Overload has find look for an energetic overload, checked by separate code, that the
// given jobs clash by themselves: that the hard ones of them cannot all be in time. Its
// jobs are numbered as in the whole set. Nil if it finds none.
func Overload(ctx context.Context, w *incumbent.Incumbent, jobs []model.JobID, find func(context.Context, *model.JobSet) *proof.Overload) *proof.Overload {
	if len(jobs) == 0 {
		return nil
	}
	budget.Spend(ctx, 1) // the set of these jobs, and when each of its tasks can run, take about that
	sub := w.JS.Subset(jobs)
	sh := find(ctx, sub)
	if sh == nil {
		return nil
	}
	if err := inference.Overload(sub, query.HardDues(sub), sh); err != nil {
		w.Fail(err)
		return nil
	}
	sh.Renumber(w.JS, sub, jobs)
	return sh
}

// RefuteByEnergy looks for an overload that shows that there is no plan at all.
func RefuteByEnergy(ctx context.Context, w *incumbent.Incumbent) {
	refuteBy(w, energy.Infeasible(ctx, w.JS))
}

// RefuteFurther looks for an overload that counts what is idle for the first fetches, or of weighed tasks, that shows the same. It takes longer, so a
// plan of lists comes first.
func RefuteFurther(ctx context.Context, w *incumbent.Incumbent) {
	refuteBy(w, FurtherOverload(ctx, w.JS))
}

// FurtherOverload is such an overload, where [energy.Infeasible] shows nothing; nil if none is found.
func FurtherOverload(ctx context.Context, js *model.JobSet) *proof.Overload {
	if sh := energy.InfeasibleByIdle(ctx, js); sh != nil {
		return sh
	}
	return energy.InfeasibleByWeights(ctx, js)
}

// refuteBy tells that an overload shows that there is no plan, unless it is nil.
func refuteBy(w *incumbent.Incumbent, sh *proof.Overload) {
	if sh == nil {
		return
	}
	if err := inference.Overload(w.JS, query.HardDues(w.JS), sh); err != nil {
		w.Fail(err)
		return
	}
	w.Refute(incumbent.NoPlan{Proof: model.EnergyProof, Overload: sh})
}

// EnergyBound raises the bound of an objective by energetic reasoning, after
// separate code has recomputed it, and keeps the cuts on late jobs that it gives.
// Such arguments take hard deadlines as met, but where hard jobs that are late are counted: those are what they take for soft then.
func EnergyBound(ctx context.Context, w *portfolio.Work) {
	if !boundsHold(w) {
		return
	}
	js, shape := w.JS, w.Goal[w.P].Shape()
	if shape.OfHard() {
		js, shape = query.HardAsSoft(js), model.Misses.Shape()
	}
	var cert *proof.EnergyBound
	var v int64
	switch {
	case !proof.ByEnergy(shape):
		return
	case shape.Counts():
		v, cert = energy.Misses(ctx, js)
	case shape.Max && shape.Measure == model.Delay:
		v, cert = energy.Tardiness(ctx, js)
	case shape.Sums():
		v, cert = energy.WeightedTardiness(ctx, js)
	default:
		v, cert = energy.Makespan(ctx, js)
	}
	if v == 0 {
		return
	}
	v, found, err := energy.Recheck(ctx, js, cert)
	if err != nil {
		w.Fail(err)
		return
	}
	if v == 0 && ctx.Err() != nil {
		return
	}
	by := incumbent.Argument{Overloads: cert.Overloads, Allowed: cert.Grace}
	if shape.Counts() {
		cutsOf(w).add(found...)
		if w.Exact.Record {
			by.Cuts = found
		}
	}
	w.RaiseBy(w.P, v, model.EnergyProof, by, energy.Sentences(js, cert)...)
}

// IdleBound raises the bound of an objective that is a time by what stands idle while the first inputs are
// fetched. It comes after [EnergyBound], whose arguments more can be done with.
func IdleBound(ctx context.Context, w *portfolio.Work) { raise(ctx, w, energy.Idle) }

// WeightedBound raises the bound of an objective that is a time by what tasks exclude each other, as slaves do not have what
// they need together, or leave unused. It comes after [EnergyBound], as that one does.
func WeightedBound(ctx context.Context, w *portfolio.Work) { raise(ctx, w, energy.Weighted) }

// raise raises the bound of an objective that is a time beyond what is known by overloads that are sought from there on.
func raise(ctx context.Context, w *portfolio.Work, by func(ctx context.Context, js *model.JobSet, o model.Objective, known int64) (int64, *proof.EnergyBound)) {
	o := w.Goal[w.P]
	if o != model.Makespan && o != model.Tardiness || !boundsHold(w) {
		return
	}
	_, known := w.Gap(w.P)
	v, cert := by(ctx, w.JS, o, known)
	if v <= known {
		return
	}
	v, _, err := energy.Recheck(ctx, w.JS, cert)
	if err != nil {
		w.Fail(err)
		return
	}
	w.RaiseBy(w.P, v, model.EnergyProof, incumbent.Argument{Overloads: cert.Overloads, Allowed: cert.Grace}, energy.Sentences(w.JS, cert)...)
}
