package strategy

import (
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/exact"
	"downbeat/solve/lcg"
)

const (
	// conflictPolls are what a question about fewer jobs has beside what the one about all has taken, a poll of so many conflicts.
	conflictPolls, conflictsOfPoll = 2, 256
	// mostShrinking is how many times the conflicts, with a poll, that refuting a candidate took may go into its conflict. By judgement.
	mostShrinking = 16
)

// conflicting is the cut that follows where a search has refuted a candidate: a few of the jobs that are in time beside it have no plan together
// (a conflict), and are in the way of many other candidates, where all of them together are in the way of next to none.
func (c *master) conflicting(ctx context.Context, at *candidate) proof.Cut {
	if late := c.others(c.conflict(ctx, at)); len(late) > len(at.late) {
		if !c.w.Exact.Record {
			return c.searched(late, nil)
		}
		polls := conflictPolls + at.exact.Conflicts()/conflictsOfPoll
		if again, err := exact.New(ctx, c.question(late), &c.w.Exact, c.w.Seed, nil); err == nil {
			if a, _ := again.Run(ctx, atMost(int(polls))); a == lcg.Unsatisfiable {
				return c.searched(late, again.Refutation())
			}
		}
	}
	return c.searched(at.late, at.exact.Refutation())
}

// searched is the cut that one more job is late than some, as a search has shown; steps are those of the search, if it was recorded.
func (c *master) searched(late []model.JobID, steps *proof.Refutation) proof.Cut {
	d := c.clash(late)
	if c.w.Exact.Record {
		d.Branching = &proof.Branching{Searched: true}
	}
	if len(c.all.Limits) == 0 {
		d.Refutation = steps // which is about the jobs alone
	}
	return d
}

// conflict is some of the jobs that are in time beside a candidate, which have no plan together: those that a search fails on that supposes all of
// them in time, less one after the other without which it fails within a poll. It is all of them where the search comes to nothing.
func (c *master) conflict(ctx context.Context, at *candidate) []model.JobID {
	q, jobs := c.all, c.others(at.late)
	q.Role = slices.Clone(q.Role)
	for _, i := range at.late {
		if q.Role[i] == query.May {
			q.Role[i] = query.Out
		}
	}
	// Of jobs that are alike one would be in time only if those before it are.
	q.NoSymmetry = slices.ContainsFunc(jobs, func(i model.JobID) bool { return q.Role[i] == query.Must && q.Cap[i] > c.js.Jobs[i].Due() })
	options, took := c.w.Exact, at.exact.Conflicts()
	options.Record = false
	search, err := exact.New(ctx, q, &options, c.w.Seed, nil)
	if err != nil {
		return jobs
	}
	failing := func(jobs []model.JobID, polls int64) []model.JobID {
		search.AssumeInTime(jobs)
		if a, _ := search.Run(ctx, atMost(int(polls))); a != lcg.Unsatisfiable {
			return nil
		}
		return search.FailedJobs()
	}
	conflict := failing(jobs, conflictPolls+4*took/conflictsOfPoll)
	if conflict == nil {
		return jobs
	}
	for k := len(conflict) - 1; k >= 0 && search.Conflicts() < mostShrinking*(took+conflictsOfPoll); k-- {
		if fewer := failing(slices.Delete(slices.Clone(conflict), k, k+1), 1); fewer != nil {
			conflict, k = fewer, min(k, len(fewer))
		}
	}
	return conflict
}

// others are all jobs that count, and that can be in time, but some, which ascend.
func (c *master) others(jobs []model.JobID) (others []model.JobID) {
	for i := range c.js.Jobs {
		id := model.JobID(i)
		if _, found := slices.BinarySearch(jobs, id); !found && c.counts(id) && c.all.Role[i] != query.Out {
			others = append(others, id)
		}
	}
	return others
}
