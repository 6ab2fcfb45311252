// Package bench runs online schedulers over many job sets, for programs in Go: what downbeat bench does, with
// policies and job sets of one's own. It is for other modules, too; docs/go.md shows one.
package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/bench/present"
	"downbeat/cmd/internal/schedulers"
	"downbeat/cmd/internal/version"
	"downbeat/model"
	"downbeat/model/near"
	"downbeat/online"
	"downbeat/online/external"
	"downbeat/online/workload"
)

// Policy is a scheduler by its name in tables.
type Policy struct {
	Name string
	// New makes one that is fit for one run; the seed is for what it draws itself. It may be called from many
	// goroutines at a time.
	New func(seed uint64) (online.Policy, error)
}

// Named are policies that downbeat knows, by their text on the command line: "edf", "rtmr:feedback=no". Programs,
// exec:COMMAND, are none of these. Errors say what is wrong with a text.
func Named(specs ...string) ([]Policy, error) {
	var out []Policy
	for _, spec := range specs {
		if strings.HasPrefix(spec, external.Prefix) {
			return nil, fmt.Errorf("%s: programs are policies on the command line only; in Go, implement online.Policy", spec)
		}
		if _, err := schedulers.New(spec, 0); err != nil {
			return nil, err
		}
		out = append(out, Policy{spec, func(seed uint64) (online.Policy, error) { return schedulers.New(spec, seed) }})
	}
	return out, nil
}

// Set is a job set of one's own.
type Set struct {
	// Name and Seed tell it from others; sets of one seed count as one observation where they stand at
	// several levels, or have several names.
	Name string
	Seed uint64
	// Parameter and Level say where it stands in a sweep; Parameter is empty where there is none.
	Parameter string
	Level     float64
	// Make makes the job set, assembled; the same every time.
	Make func() (*model.JobSet, error)
}

// Bench is what is to be run. The zero Bench lacks policies and job sets.
type Bench struct {
	// Policies are at least one, with names that differ.
	Policies []Policy
	// Workloads as --workload of the program names them, Sweep as --sweep does, "" for none, and Seeds as
	// --seeds does, "" for 1.
	Workloads []string
	Sweep     string
	Seeds     string
	// Sets are job sets beside those of workloads. Each is run once by each policy, with its own seed.
	Sets []Set
	// Durations and Faults are as in [online.Options]; nil for worst-case times and no failures.
	Durations online.Durations
	Faults    *online.Faults
	// Budget bounds the search for the optimum of each job set, in units of work, so that results are the same
	// on every machine; 0 leaves the optimum out.
	Budget int64
	// Compare are names of policies, none or at least two: the first is compared with each of the others.
	Compare []string
	// Workers is the number of job sets at a time, 0 for one per core. Results do not depend on it.
	Workers int
}

// Result is what came of a bench.
type Result struct {
	config  *bench.Config
	records []*bench.Record
	summary *bench.Summary
}

// Run runs a bench. Errors are faults of the Bench, of its policies or of its job sets. When ctx ends, the
// result is of what was done until then, and the error is that of ctx.
func (b *Bench) Run(ctx context.Context) (*Result, error) {
	c, err := b.config()
	if err != nil {
		return nil, err
	}
	sets, err := b.sets()
	if err != nil {
		return nil, err
	}
	records, err := bench.Run(ctx, c, sets, nil, nil)
	if err != nil {
		return nil, err
	}
	return &Result{c, records, c.Summarize(records, b.Compare)}, ctx.Err()
}

func (b *Bench) config() (*bench.Config, error) {
	byName := map[string]func(uint64) (online.Policy, error){}
	c := &bench.Config{
		Durations: b.Durations, Faults: b.Faults, NoOptimum: b.Budget <= 0, Budget: max(0, b.Budget), SolverSeed: 1,
		Workers: b.Workers, Program: version.String(),
		New: func(name string, seed uint64) (online.Policy, error) { return byName[name](seed) },
	}
	if c.Workers <= 0 {
		c.Workers = runtime.NumCPU()
	}
	for _, p := range b.Policies {
		if p.Name == "" || p.New == nil || byName[p.Name] != nil {
			return nil, fmt.Errorf("the policy %q needs New and a name of its own", p.Name)
		}
		byName[p.Name] = p.New
		c.Policies = append(c.Policies, p.Name)
	}
	if len(c.Policies) == 0 {
		return nil, errors.New("a bench needs policies")
	}
	for i, name := range b.Compare {
		if byName[name] == nil || slices.Contains(b.Compare[:i], name) || len(b.Compare) == 1 {
			return nil, fmt.Errorf("the policies to compare have %q: name two or more of those of the bench, each once", name)
		}
	}
	return c, nil
}

func (b *Bench) sets() ([]bench.Set, error) {
	text := b.Seeds
	if text == "" {
		text = "1"
	}
	seeds, err := bench.ParseSeeds(text)
	if err != nil {
		return nil, err
	}
	var sweep bench.Sweep
	if b.Sweep != "" {
		if sweep, err = bench.ParseSweep(b.Sweep); err != nil {
			return nil, err
		}
	}
	sets, err := bench.FromWorkloads(b.Workloads, sweep, seeds, nil)
	if err != nil {
		return nil, err
	}
	for _, s := range b.Sets {
		id := s.Name
		if s.Parameter != "" {
			id = workload.With(id, s.Parameter, fmt.Sprint(s.Level))
		}
		sets = append(sets, bench.Set{
			ID: workload.With(id, "seed", fmt.Sprint(s.Seed)), Source: s.Name, Parameter: s.Parameter, Level: s.Level, Seeds: []uint64{s.Seed},
			Make: func(context.Context) (*model.JobSet, error) { return s.Make() },
		})
	}
	if len(sets) == 0 {
		return nil, errors.New("a bench needs job sets: Workloads or Sets")
	}
	return sets, bench.CheckSets(sets)
}

// Run is one run: a policy on a job set.
type Run struct {
	Set       string
	Parameter string
	Level     float64
	Seed      uint64
	Policy    string
	online.Measures
}

// Runs are all runs, in the order of job sets, then policies.
func (r *Result) Runs() []Run {
	var out []Run
	for _, rec := range r.records {
		if rec == nil {
			continue
		}
		for _, c := range rec.Cells {
			out = append(out, Run{rec.Set, rec.Parameter, rec.Level, c.Seed, c.Policy, c.Measures})
		}
	}
	return out
}

// Figure is the mean of a measure of a policy, or, where Against is not empty, of its difference to another
// policy on the same runs.
type Figure struct {
	// Workload and Parameter are empty where there is one workload, or nothing varied; Level is not a number
	// where nothing varied.
	Workload, Parameter string
	Level               float64
	Policy, Measure     string
	Against             string
	// Runs are behind the mean, of which Observations count by themselves.
	Runs, Observations int
	Mean               float64
	// Low and High are the ends of the 95 % interval; not numbers where the runs are too few for one.
	Low, High float64
	// P is the p-value of a difference, and Holm that after Holm's correction for all that is compared.
	P, Holm float64
}

// Figures are those of each workload and level, as --table writes them.
func (r *Result) Figures() []Figure {
	var out []Figure
	for _, l := range r.summary.Lines() {
		f := Figure{l.Workload, l.Parameter, l.Level, l.Policy, l.Measure, l.Against, l.N, l.Observations, l.Mean, math.NaN(), math.NaN(), l.P, l.Holm}
		if l.Fixed() {
			f.Low, f.High = l.Low, l.High
		}
		out = append(out, f)
	}
	return out
}

// WriteText writes the tables for people, in lines of so many columns at most; with measures these only.
func (r *Result) WriteText(w io.Writer, columns int, measures ...string) error {
	for _, name := range measures {
		if known := bench.MeasureNames(); !slices.Contains(known, name) {
			return fmt.Errorf("unknown measure %q%s", name, near.Hint(name, known))
		}
	}
	return present.Text(w, r.summary, bench.Page{Width: columns, Measures: measures})
}

// WriteRuns writes a line of CSV to each run, as -o cells.csv does.
func (r *Result) WriteRuns(w io.Writer) error { return r.config.WriteCSV(w, r.records, false) }

// WriteFigures writes a line of CSV to each figure, as --table does.
func (r *Result) WriteFigures(w io.Writer) error { return r.summary.WriteTable(w) }
