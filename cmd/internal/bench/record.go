package bench

import (
	"fmt"
	"strings"

	"downbeat/model"
	"downbeat/online"
)

// Record is all that a bench knows about one job set.
type Record struct {
	Set string `json:"set"`
	// Digest is the job set's own, to see that two records speak of the same.
	Digest    string  `json:"digest"`
	Parameter string  `json:"parameter,omitempty"`
	Level     float64 `json:"level,omitempty"`
	Jobs      int     `json:"jobs"`
	Tasks     int     `json:"tasks"`
	// Demand is the least execution time of all tasks over the cores' time from
	// the first release to the last deadline; 0 where a job has no deadline.
	Demand float64 `json:"demand,omitempty"`
	// Answer is the solver's on the hard deadlines: feasible, infeasible or
	// unknown; empty if it was not asked.
	Answer string `json:"answer,omitempty"`
	// Limit tells that a limit of time or work cut the solver short.
	Limit bool `json:"limit,omitempty"`
	// Uncertified tells that something the solver found is left out, for its proof was not
	// complete.
	Uncertified bool `json:"uncertified,omitempty"`
	// Best is what is known of each objective; empty unless feasible.
	Best []Best `json:"best,omitempty"`
	// Seconds is what the solver took.
	Seconds float64 `json:"seconds"`
	// Cells in the order of seeds, then policies.
	Cells []Cell `json:"cells"`
	// Failed are runs that came to nothing for what the program of a policy did; nothing is kept of
	// them.
	Failed []Failure `json:"-"`
}

// Failure is a run that ended for what the program of its policy did.
type Failure struct {
	Seed   uint64
	Policy string
	Err    error
}

// Best is the best value found for an objective and the proved bound on it.
type Best struct {
	Objective string `json:"objective"`
	Value     int64  `json:"value"`
	Bound     int64  `json:"bound"`
}

// Proved reports whether the value is the optimum.
func (b Best) Proved() bool { return b.Value == b.Bound }

// Cell is one run: a policy on a job set with a seed.
type Cell struct {
	Seed   uint64 `json:"seed"`
	Policy string `json:"policy"`
	// Definition is what the run depends on beside the policy's name: see [Config.Definitions].
	Definition string `json:"definition,omitempty"`
	online.Measures
	// Seconds is what the simulation and the check of its plan took.
	Seconds float64 `json:"seconds"`
}

// HardMet reports whether every hard job was accepted and in time.
func (r *Cell) HardMet() bool { return r.HardMisses == 0 && r.RejectedHard == 0 }

// Value is an objective of the run, by its name, over the accepted jobs.
func (r *Cell) Value(objective string) int64 {
	o, err := model.ParseObjective(objective)
	if err != nil {
		panic(err) // records name what was solved for
	}
	return r.Measures.Value(o)
}

// best finds what is known of an objective.
func (r *Record) best(objective string) (Best, bool) {
	for _, b := range r.Best {
		if b.Objective == objective {
			return b, true
		}
	}
	return Best{}, false
}

// RunOf is what tells the cells of a job set apart.
type RunOf struct {
	Seed   uint64
	Policy string
}

// Runs are the places of the cells.
func (r *Record) Runs() map[RunOf]int {
	out := make(map[RunOf]int, len(r.Cells))
	for i := range r.Cells {
		out[RunOf{r.Cells[i].Seed, r.Cells[i].Policy}] = i
	}
	return out
}

// TakeAnswer takes over what the solver said of the same job set.
func (r *Record) TakeAnswer(from *Record) {
	r.Answer, r.Limit, r.Uncertified, r.Best, r.Seconds = from.Answer, from.Limit, from.Uncertified, from.Best, from.Seconds
}

// demand is Record.Demand of a job set.
func demand(js *model.JobSet) float64 {
	from, to := model.Never, model.Time(0)
	for i := range js.Jobs {
		if js.Jobs[i].Kind == model.BestEffort {
			return 0
		}
		from, to = min(from, js.Jobs[i].Release), max(to, js.Jobs[i].Due())
	}
	cores, work := 0, 0.0
	for i := range js.Slaves {
		cores += js.Slaves[i].Cores
	}
	least := map[*model.Profile]model.Time{}
	for i := range js.Tasks {
		p := js.Tasks[i].Profile
		if _, known := least[p]; !known {
			least[p] = leastTime(p, len(js.Slaves))
		}
		work += float64(least[p])
	}
	if len(js.Jobs) == 0 {
		return 0
	}
	return work / (float64(cores) * float64(to-from))
}

func leastTime(p *model.Profile, slaves int) model.Time {
	least := model.Never
	for s := range model.SlaveID(slaves) {
		if e := p.WCET(s); e > 0 {
			least = min(least, e)
		}
	}
	return least
}

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
