// Package ontime plays a job set under several policies and many seeds, and counts how
// often each job is in time: how likely it is where tasks take other times than declared
// and slaves fail.
package ontime

import (
	"context"
	"fmt"
	"slices"

	"downbeat/cmd/internal/stats"
	"downbeat/model"
	"downbeat/online"
)

// Contender is a policy that takes part.
type Contender struct {
	// Name as the user gave it, parameters included.
	Name string
	// New makes the policy for one run.
	New func(seed uint64) (online.Policy, error)
}

// Tally is what came of the runs of one policy.
type Tally struct {
	Policy string
	// Runs is their number, HardMet how many of them met every hard deadline.
	Runs, HardMet int
	// InTime has by job the runs in which it was not rejected and met its deadline;
	// best-effort jobs have none.
	InTime []int
	// Values has what the runs came to, by objective of [Tally.Goal] and by seed.
	Values [][]float64
	// Declared is the run at declared times without failures: what the policy costs where
	// nothing goes wrong.
	Declared *online.Outcome
}

// Goal lists the objectives of Values: late hard jobs, where there are hard ones, and those of
// the job set.
func (t *Tally) Goal() []model.Objective {
	js, goal := t.Declared.JobSet, []model.Objective(nil)
	if slices.ContainsFunc(js.Jobs, func(j model.Job) bool { return j.Kind == model.Hard }) {
		goal = append(goal, model.HardMisses)
	}
	return append(goal, js.Goal()...)
}

// Against compares this policy with another on the same draws, by an objective of Goal.
func (t *Tally) Against(other *Tally, objective int) stats.Paired {
	return stats.Pair(t.Values[objective], other.Values[objective], -1)
}

// Share is how likely it is that a number of hits comes about, with Wilson's interval of
// 95 %.
func (t *Tally) Share(hits int) stats.Sample { return stats.ShareOf(hits, t.Runs) }

// Play runs every contender with every seed. Under one seed all meet the same times and
// failures; opts says how these are drawn, its seed aside. The error names the run.
func Play(ctx context.Context, js *model.JobSet, contenders []Contender, opts online.Options, seeds []uint64) ([]Tally, error) {
	var tallies []Tally
	for _, c := range contenders {
		t := Tally{Policy: c.Name, InTime: make([]int, len(js.Jobs))}
		if err := t.declared(ctx, js, c, opts.Known); err != nil {
			return nil, err
		}
		t.Values = make([][]float64, len(t.Goal()))
		for _, seed := range seeds {
			policy, err := c.New(seed)
			if err != nil {
				return nil, err
			}
			opts.Seed = seed
			out, err := online.Play(ctx, js, policy, opts)
			if err != nil {
				return nil, fmt.Errorf("%s, seed %d: %w", c.Name, seed, err)
			}
			t.count(out)
		}
		tallies = append(tallies, t)
	}
	return tallies, nil
}

// declared plays the run at declared times.
func (t *Tally) declared(ctx context.Context, js *model.JobSet, c Contender, known *model.JobSet) error {
	policy, err := c.New(0)
	if err == nil {
		t.Declared, err = online.Play(ctx, js, policy, online.Options{Known: known})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	return nil
}

// count takes a run into account.
func (t *Tally) count(out *online.Outcome) {
	t.Runs++
	for k, o := range t.Goal() {
		t.Values[k] = append(t.Values[k], float64(out.Value(o)))
	}
	if out.HardMet() {
		t.HardMet++
	}
	for i := range out.JobSet.Jobs {
		if job := &out.JobSet.Jobs[i]; job.Kind != model.BestEffort && out.Finishes[i] <= job.Due() {
			t.InTime[i]++
		}
	}
}
