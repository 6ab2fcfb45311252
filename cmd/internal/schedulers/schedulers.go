// Package schedulers has every online scheduler: those of package policies, and with them
// the one that plans with the solver's list scheduling.
package schedulers

import (
	"context"

	"downbeat/heuristics"
	"downbeat/heuristics/lns"
	"downbeat/model"
	"downbeat/online"
	"downbeat/online/policies"
)

// table is all of them.
var table = policies.Table{Plan: Plan}

// List describes them, in the order of [Names].
func List() []policies.Info { return table.List() }

// Names lists them.
func Names() []string { return table.Names() }

// New makes one, as [policies.Table.New] does.
func New(spec string, seed uint64) (online.Policy, error) { return table.New(spec, seed) }

// Plan is the planner of horizon: rules, squeaky wheel and large neighbourhoods from what
// is left of the last plan, repaired. These heed no context, as a decision is short.
func Plan(js *model.JobSet, from model.Schedule, constructions int, seed uint64) model.Schedule {
	ctx, figures := context.Background(), heuristics.NewFigures(js)
	if constructions == 0 {
		return kept(ctx, figures, js, from)
	}
	best, _ := lns.Search(ctx, js, lns.Options{
		Figures: figures, Objectives: js.Goal(), Seed: seed, Constructions: constructions, Start: figures.Repair(ctx, from),
	})
	return best
}

// kept is a plan made valid, with tasks as early on their slaves as they can be; nil where it has no
// room for a gang.
func kept(ctx context.Context, figures *heuristics.Figures, js *model.JobSet, from model.Schedule) model.Schedule {
	repaired := figures.Repair(ctx, from)
	if repaired == nil {
		return nil
	}
	return heuristics.Tidy(ctx, js, repaired)
}
