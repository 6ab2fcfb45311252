package bench

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"downbeat/cmd/internal/bench/jobsets"
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
	// Durations and Faults are as in online.Options; nil for worst-case times
	// and no failures.
	Durations online.Durations
	Faults    *online.Faults
	// NoOptimum leaves the solver out.
	NoOptimum bool
	// Objectives to take the optimum of, each on its own; nil: of each job set
	// the one that it puts first.
	Objectives []model.Objective
	// TimeLimit bounds the solver per job set, shared evenly by the objectives;
	// 0 means none.
	TimeLimit time.Duration
	// Memory bounds, in bytes, what the program may hold while it looks for an optimum;
	// 0 means none.
	Memory int64
	// SolverSeed fixes the solver's random choices.
	SolverSeed uint64
	// Workers is the number of job sets at a time, at least 1.
	Workers int
	// plan is solve.Plan if nil; tests set it.
	plan func(context.Context, *model.JobSet, solve.Options) (*solve.Result, error)
	// Program is the version of the program, which a journal holds on to.
	Program string
}

// worstCase reports whether runs keep to declared times, without failures.
func (c *Config) worstCase() bool { return c.Durations == nil && c.Faults == nil }

// identity is all that results hang on, in words. It is what the digest of a
// journal is taken of, and what tells two configurations apart.
type identity struct {
	Program    string        `json:"program"`
	Sets       []setIdentity `json:"sets"`
	Policies   []string      `json:"policies"`
	Durations  string        `json:"durations"`
	Faults     []float64     `json:"faults"`
	Optimum    bool          `json:"optimum"`
	Objectives []string      `json:"objectives"`
	TimeLimit  string        `json:"time_limit"`
	SolverSeed uint64        `json:"solver_seed"`
}

type setIdentity struct {
	ID    string   `json:"id"`
	Seeds []uint64 `json:"seeds"`
}

func (c *Config) identity(sets []jobsets.Set) identity {
	id := identity{
		Program: c.Program, Policies: c.Policies, Durations: durationsText(c.Durations),
		Optimum: !c.NoOptimum, TimeLimit: c.TimeLimit.String(), SolverSeed: c.SolverSeed,
	}
	if c.Faults != nil {
		id.Faults = []float64{c.Faults.MTBF, c.Faults.MTTR}
	}
	for _, o := range c.Objectives {
		id.Objectives = append(id.Objectives, o.String())
	}
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

func (id identity) digest() string {
	text, err := json.Marshal(id)
	if err != nil {
		panic(err) // plain data
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// differs names the first part in which two configurations differ, "" if none.
func (id identity) differs(other identity) string {
	text := func(v any) string {
		t, err := json.Marshal(v)
		if err != nil {
			panic(err) // plain data
		}
		return string(t)
	}
	for _, part := range []struct {
		name string
		a, b any
	}{
		{"version of the program", id.Program, other.Program}, {"job sets or seeds", id.Sets, other.Sets},
		{"policies", id.Policies, other.Policies}, {"durations", id.Durations, other.Durations},
		{"faults", id.Faults, other.Faults}, {"use of the optimum", id.Optimum, other.Optimum},
		{"objectives", id.Objectives, other.Objectives}, {"time limit", id.TimeLimit, other.TimeLimit},
		{"solver's seed", id.SolverSeed, other.SolverSeed},
	} {
		if text(part.a) != text(part.b) {
			return part.name
		}
	}
	return ""
}
