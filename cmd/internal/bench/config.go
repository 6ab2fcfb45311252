package bench

import (
	"context"
	"fmt"
	"time"

	"downbeat/model"
	"downbeat/online"
	"downbeat/solve"
)

// Config is what a bench does with each job set.
type Config struct {
	// Policies as New reads them; each names its lines.
	Policies []string
	// New makes a policy for one run. Seed fixes what the policy draws itself.
	New func(spec string, seed uint64) (online.Policy, error)
	// Definitions are what the runs of policies depend on beside their names: the digest of a program, what a
	// label stands for. Runs of another definition are made anew.
	Definitions map[string]string
	// Theirs reports whether a run ended for what the program of a policy did; such a run is a failure
	// of its own. Nil: none does.
	Theirs func(error) bool
	// Durations and Faults are as in online.Options; nil for worst-case times
	// and no failures.
	Durations online.Durations
	Faults    *online.Faults
	// NoOptimum leaves the solver out.
	NoOptimum bool
	// Certify takes nothing of the solver's for known but optima, and that there is no plan, that
	// a checker has found proved.
	Certify bool
	// Objectives to take the optimum of, each on its own; nil: of each job set
	// the one that it puts first.
	Objectives []model.Objective
	// TimeLimit bounds the solver per job set, shared evenly by the objectives;
	// 0 means none.
	TimeLimit time.Duration
	// Budget, if not 0, bounds the solver in place of TimeLimit, in units of work, so that
	// the answer is the same on every machine; see solve.Options.
	Budget int64
	// Memory bounds, in bytes, what the program may hold while it looks for an optimum;
	// 0 means none.
	Memory int64
	// SolverSeed fixes the solver's random choices.
	SolverSeed uint64
	// Workers is the number of job sets at a time, at least 1.
	Workers int
	// Solved, if not nil, hears of the answer to the first question that is put to the solver
	// on each job set, from many goroutines at a time.
	Solved func(set string, res *solve.Result)
	// plan is solve.Plan if nil; tests set it.
	plan func(context.Context, *model.JobSet, solve.Options) (*solve.Result, error)
	// Program is the version of the program, which records depend on.
	Program string
}

// worstCase reports whether runs keep to declared times, without failures.
func (c *Config) worstCase() bool { return c.Durations == nil && c.Faults == nil }

// Conditions are what a record depends on beside its job set, policies and seeds: records made
// under equal ones may be put together.
type Conditions struct {
	Program    string    `json:"program"`
	Durations  string    `json:"durations"`
	Faults     []float64 `json:"faults"`
	Optimum    bool      `json:"optimum"`
	Objectives []string  `json:"objectives"`
	TimeLimit  string    `json:"time_limit"`
	Budget     int64     `json:"budget,omitempty"`
	// Memory counts with a budget only: else it is the machine's, like the clock.
	Memory     int64  `json:"memory,omitempty"`
	SolverSeed uint64 `json:"solver_seed"`
	Certify    bool   `json:"certify,omitempty"`
}

// Conditions are those of the configuration.
func (c *Config) Conditions() Conditions {
	out := Conditions{
		Program: c.Program, Durations: durationsText(c.Durations), Optimum: !c.NoOptimum,
		TimeLimit: c.TimeLimit.String(), Budget: c.Budget, SolverSeed: c.SolverSeed, Certify: c.Certify,
	}
	if c.Budget > 0 {
		out.TimeLimit, out.Memory = "", c.Memory
	}
	if c.Faults != nil {
		out.Faults = []float64{c.Faults.MTBF, c.Faults.MTTR}
	}
	for _, o := range c.Objectives {
		out.Objectives = append(out.Objectives, o.String())
	}
	return out
}

// Differs names the first part in which two conditions differ, "" if none.
func (a Conditions) Differs(b Conditions) string {
	for _, part := range []struct {
		name string
		a, b any
	}{
		{"version of the program", a.Program, b.Program}, {"durations", a.Durations, b.Durations},
		{"faults", a.Faults, b.Faults}, {"use of the optimum", a.Optimum, b.Optimum},
		{"objectives", a.Objectives, b.Objectives}, {"time limit", a.TimeLimit, b.TimeLimit},
		{"budget", a.Budget, b.Budget}, {"ceiling of memory", a.Memory, b.Memory},
		{"solver's seed", a.SolverSeed, b.SolverSeed}, {"certification", a.Certify, b.Certify},
	} {
		if fmt.Sprint(part.a) != fmt.Sprint(part.b) {
			return part.name
		}
	}
	return ""
}

// identity is all that results depend on, for the files of cells.
type identity struct {
	Conditions
	Sets     []setIdentity `json:"sets"`
	Policies []string      `json:"policies"`
}

type setIdentity struct {
	ID    string   `json:"id"`
	Seeds []uint64 `json:"seeds"`
}

func (c *Config) identity(sets []Set) identity {
	id := identity{Conditions: c.Conditions(), Policies: c.Policies}
	for _, s := range sets {
		id.Sets = append(id.Sets, setIdentity{s.ID, s.Seeds})
	}
	return id
}

func durationsText(d online.Durations) string {
	if d == nil {
		return "worst"
	}
	return d.String()
}
