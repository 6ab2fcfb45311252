package present

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/page"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/online"
	"downbeat/solve"
)

// Of how many job sets runs are drawn, and with how many tasks in all of them, so that a page
// stays below 10 MB.
const (
	maxSets  = 40
	maxTasks = 100_000
)

// Runs are what policies did on some job sets of a bench, beside what was best.
type Runs struct {
	plays []page.Play
	left  string
	// legend says how to read the times of the first set.
	legend string

	mu   sync.Mutex
	best map[string]*solve.Result // of the sets that may be drawn, nil until there is one
}

// NewRuns is to be made before the bench runs, so that answers of the solver are kept.
func NewRuns(c *bench.Config, sets []bench.Set) *Runs {
	r := &Runs{best: map[string]*solve.Result{}}
	for _, s := range sets[:min(len(sets), maxSets)] {
		r.best[s.ID] = nil
	}
	c.Solved = func(set string, res *solve.Result) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if _, wanted := r.best[set]; wanted {
			r.best[set] = res
		}
	}
	return r
}

// Draw plays the policies again on the first of the job sets, with the first of their seeds,
// as long as there is room, and asks for optima that are not known from the bench itself. A
// nil record stands for a set that was not reached.
func (r *Runs) Draw(ctx context.Context, c *bench.Config, sets []bench.Set, records []*bench.Record) error {
	room, reached := maxTasks, 0
	for i := range sets {
		if records[i] == nil {
			continue
		}
		reached++
		if _, wanted := r.best[sets[i].ID]; !wanted || room < 0 || ctx.Err() != nil {
			continue
		}
		if room -= records[i].Tasks * (len(c.Policies) + 1); room < 0 {
			continue
		}
		if err := r.play(ctx, c, &sets[i], records[i]); err != nil && ctx.Err() == nil {
			return fmt.Errorf("job set %s, played again for the page: %w", sets[i].ID, err)
		}
	}
	r.say(reached, slices.ContainsFunc(sets, func(s bench.Set) bool { return len(s.Seeds) > 1 }))
	return nil
}

// say tells what is drawn, and what is not.
func (r *Runs) say(reached int, seeds bool) {
	switch n := len(r.plays); {
	case n == 0:
		r.left = "No runs are drawn: the bench was interrupted, or its job sets have too many tasks for a page."
	case n < reached:
		r.left = fmt.Sprintf("Runs on %d of %d job sets are drawn, the first ones; more would make the page too large.", n, reached)
	}
	if len(r.plays) > 0 && seeds {
		r.left += " Of runs with several seeds that with the first is drawn."
	}
}

func (r *Runs) play(ctx context.Context, c *bench.Config, set *bench.Set, rec *bench.Record) error {
	js, err := set.Make(ctx)
	if err != nil {
		return err
	}
	seed := set.Seeds[0]
	cells := rec.Runs()
	p := page.Play{Set: table.Printable(set.ID)}
	for _, policy := range c.Policies {
		out, err := c.Play(ctx, js, policy, seed)
		if err != nil {
			return err
		}
		drawn := report.DrawnRun(&report.Run{Policy: policy, Outcome: out})
		if at, known := cells[bench.RunOf{Seed: seed, Policy: policy}]; known && fmt.Sprint(online.Measure(out)) != fmt.Sprint(rec.Cells[at].Measures) {
			drawn.Headline += "; played again for this page, it is another run than that of the tables"
		}
		p.Runs = append(p.Runs, drawn)
	}
	if p.Best, err = r.optimum(ctx, c, set.ID, js); err != nil {
		return err
	}
	if len(r.plays) == 0 {
		r.legend = wording.ClockOf(js).Legend()
	}
	r.plays = append(r.plays, p)
	return nil
}

// optimum is what was best, if the bench asks for it.
func (r *Runs) optimum(ctx context.Context, c *bench.Config, set string, js *model.JobSet) (page.Drawn, error) {
	if c.NoOptimum {
		return page.Drawn{Name: "No optimum", Headline: "This bench did not ask for the optimum."}, nil
	}
	res := r.best[set]
	if res == nil {
		var err error
		if res, err = c.Optimum(ctx, js); err != nil {
			return page.Drawn{}, err
		}
	}
	out := report.Drawn(js, res)
	if c.Durations != nil || c.Faults != nil {
		out.Headline += "; for worst-case times without failures, which the run above did not have"
	}
	return out, nil
}
