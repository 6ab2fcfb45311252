package bench

import (
	"fmt"
	"strings"

	"downbeat/model"
)

// Gap is how far a run is from the best of its job set in one objective.
type Gap struct {
	Value int64
	// ToBound tells that the optimum is not proved: the gap is to the bound and
	// the true one is at most that.
	ToBound bool
}

// Differs says why a run's objectives cannot be held against the optimum, ""
// if they can.
func (c *Config) Differs(r *Cell) string {
	var why []string
	if c.Durations != nil {
		why = append(why, "actual times are "+c.Durations.String())
	}
	if c.Faults != nil {
		why = append(why, "slaves fail")
	}
	if n := r.Jobs - r.Accepted; n > 0 {
		why = append(why, fmt.Sprintf("%d rejected", n))
	}
	if r.HardMisses > 0 {
		why = append(why, fmt.Sprintf("%d hard missed", r.HardMisses))
	}
	return strings.Join(why, "; ")
}

// gap is the run's gap in an objective; ok is false where it cannot be compared
// or nothing is known of the optimum.
func (c *Config) gap(rec *Record, r *Cell, objective string) (g Gap, ok bool) {
	b, known := rec.best(objective)
	if !known || c.Differs(r) != "" {
		return Gap{}, false
	}
	return Gap{Value: r.Value(objective) - b.Bound, ToBound: !b.Proved()}, true
}

// Clash is a contradiction between the solver and a simulated run: one of the
// two is wrong.
type Clash struct {
	Set, Policy string
	Seed        uint64
	Text        string
}

// Error implements error.
func (c *Clash) Error() string {
	return fmt.Sprintf("policy %s on job set %s, seed %d: %s", c.Policy, c.Set, c.Seed, c.Text)
}

// clash looks for a contradiction. At worst-case times a run that meets all
// hard deadlines is a plan: jobs that it rejected can run at the end, unless
// they are hard.
func (c *Config) clash(rec *Record, r *Cell) error {
	fail := func(format string, args ...any) error {
		return &Clash{rec.Set, r.Policy, r.Seed, fmt.Sprintf(format, args...)}
	}
	if !c.worstCase() || !r.HardMet() {
		return nil
	}
	if rec.Answer == model.Infeasible.String() {
		return fail("it meets every hard deadline, and the solver proved that nothing does")
	}
	for _, b := range rec.Best {
		if g, ok := c.gap(rec, r, b.Objective); ok && g.Value < 0 {
			return fail("it has %s %d, and the solver proved a bound of %d", b.Objective, r.Value(b.Objective), b.Bound)
		}
	}
	return nil
}
