// Package ontime plays a job set under several policies and many seeds, and counts how
// often each job is in time: how likely it is where tasks take other times than declared
// and slaves fail.
package ontime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"downbeat/cmd/internal/journal"
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
	// Starts and Finishes have by job when its first task began and its last ended, by seed; model.Never
	// where that never was.
	Starts, Finishes [][]model.Time
	// Values has what the runs came to, by objective of [Tally.Goal] and by seed.
	Values [][]float64
	// Declared is the run at declared times without failures: what the policy costs where
	// nothing goes wrong.
	Declared *online.Outcome
}

// Goal lists the objectives of Values: late hard jobs, where there are hard ones, and those of
// the job set.
func (t *Tally) Goal() []model.Objective { return goalOf(t.Declared.JobSet) }

func goalOf(js *model.JobSet) []model.Objective {
	var goal []model.Objective
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
// failures; opts says how these are drawn, its seed aside. Open, if not nil, is told of the runs at
// declared times, and gives what keeps the other runs, a piece each: what it holds is not played
// again, and what it does not want is left out. The error names the run.
func Play(ctx context.Context, js *model.JobSet, contenders []Contender, opts online.Options, seeds []uint64, open func([]Tally) (*journal.Pieces, error)) ([]Tally, error) {
	var tallies []Tally
	for _, c := range contenders {
		n := len(js.Jobs)
		t := Tally{Policy: c.Name, InTime: make([]int, n), Starts: make([][]model.Time, n), Finishes: make([][]model.Time, n)}
		if err := t.declared(ctx, js, c, opts.Known); err != nil {
			return nil, err
		}
		t.Values = make([][]float64, len(t.Goal()))
		tallies = append(tallies, t)
	}
	var kept *journal.Pieces
	if open != nil {
		var err error
		if kept, err = open(tallies); err != nil {
			return nil, err
		}
		for _, c := range contenders {
			for _, seed := range seeds {
				kept.List([]string{pieceName(c, seed)})
			}
		}
	}
	for i, c := range contenders {
		for k, seed := range seeds {
			r, err := play(ctx, js, c, opts, seed, kept, i*len(seeds)+k)
			if err != nil {
				return nil, fmt.Errorf("%s, seed %d: %w", c.Name, seed, err)
			}
			if r != nil {
				tallies[i].count(r)
			}
		}
	}
	return tallies, nil
}

// run is what is counted of a run.
type run struct {
	HardMet bool `json:"hard_met"`
	// InTime are the jobs that were not rejected and met their deadlines.
	InTime []model.JobID `json:"in_time"`
	// Values are by objective of [Tally.Goal].
	Values []float64 `json:"values"`
	// Starts and Finishes are by job, model.Never where there is none.
	Starts   []model.Time `json:"starts"`
	Finishes []model.Time `json:"finishes"`
}

func pieceName(c Contender, seed uint64) string { return fmt.Sprintf("%s, seed %d", c.Name, seed) }

// play is a run, from what is kept where it is there; nil where it is another process's.
func play(ctx context.Context, js *model.JobSet, c Contender, opts online.Options, seed uint64, kept *journal.Pieces, place int) (*run, error) {
	r := &run{}
	if known, err := kept.Find(pieceName(c, seed), r); known || err != nil {
		return r, cmp.Or(err, r.check(js))
	}
	if !kept.Wanted(place) {
		return nil, nil
	}
	policy, err := c.New(seed)
	if err != nil {
		return nil, err
	}
	opts.Seed = seed
	out, err := online.Play(ctx, js, policy, opts)
	if err != nil {
		return nil, err
	}
	r = newRun(out)
	return r, kept.Add(pieceName(c, seed), r)
}

// check tells of a run that cannot be of a job set.
func (r *run) check(js *model.JobSet) error {
	if len(r.Values) != len(goalOf(js)) || len(r.Starts) != len(js.Jobs) || len(r.Finishes) != len(js.Jobs) || slices.ContainsFunc(r.InTime, func(i model.JobID) bool { return i < 0 || int(i) >= len(js.Jobs) }) {
		return errors.New("what is kept of the run is not of this job set")
	}
	return nil
}

func newRun(out *online.Outcome) *run {
	r := &run{HardMet: out.HardMet(), Starts: starts(out), Finishes: out.Finishes}
	for _, o := range goalOf(out.JobSet) {
		r.Values = append(r.Values, float64(out.Value(o)))
	}
	for i := range out.JobSet.Jobs {
		if job := &out.JobSet.Jobs[i]; job.Kind != model.BestEffort && out.Finishes[i] <= job.Due() {
			r.InTime = append(r.InTime, model.JobID(i))
		}
	}
	return r
}

// starts are when the first tasks of jobs began.
func starts(out *online.Outcome) []model.Time {
	all := make([]model.Time, len(out.JobSet.Jobs))
	for i := range all {
		all[i] = model.Never
		for t := out.JobSet.Jobs[i].First; t < out.JobSet.Jobs[i].End; t++ {
			if at := out.Schedule[t]; at.Slave != model.NoSlave {
				all[i] = min(all[i], at.Start)
			}
		}
	}
	return all
}

// Interval is a time over many runs: by Low it has come in a tenth of them, by Median in half, by High in
// nine tenths. Each is a time that was seen, or model.Never.
type Interval struct{ Low, Median, High model.Time }

// IntervalOf is the interval of times, of which there is one at least.
func IntervalOf(times []model.Time) Interval {
	sorted := slices.Sorted(slices.Values(times))
	at := func(percent int) model.Time { return sorted[(percent*len(sorted)+99)/100-1] }
	return Interval{at(10), at(50), at(90)}
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
func (t *Tally) count(r *run) {
	t.Runs++
	for k := range t.Values {
		t.Values[k] = append(t.Values[k], r.Values[k])
	}
	if r.HardMet {
		t.HardMet++
	}
	for _, i := range r.InTime {
		t.InTime[i]++
	}
	for i := range t.Starts {
		t.Starts[i] = append(t.Starts[i], r.Starts[i])
		t.Finishes[i] = append(t.Finishes[i], r.Finishes[i])
	}
}
