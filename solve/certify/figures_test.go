package certify_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
	"downbeat/solve"
	"downbeat/solve/capacity"
	"downbeat/solve/certify"
)

// A measured solve: how long it took without and with a proof, and to check that, in
// seconds of processor time; how large the proof is; how many claims it has of the answer's.
type measured struct {
	solve, emit, check float64
	bytes, steps       int
	claims, open       int
	fault              error
}

// spent is the processor time of the program so far.
func spent() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano()).Seconds()
}

// asked is a question put to the solver, with a proof or without: what is proved, if that is
// asked for, and whether the answer is of the kind that is looked for.
type asked func(ctx context.Context, js *model.JobSet, proof bool) (*certify.Certificate, bool, error)

// planned asks for a plan, of which an answer is good, or any for nil.
func planned(opt solve.Options, good func(*solve.Result) bool) asked {
	opt.Workers, opt.NoConflict = 1, true
	return func(ctx context.Context, js *model.JobSet, proof bool) (*certify.Certificate, bool, error) {
		opt := opt
		opt.Proof = proof
		r, err := solve.Plan(ctx, js, opt)
		if err != nil {
			return nil, false, err
		}
		return r.Certificate, good == nil || good(r), nil
	}
}

// measure is nil where the answer is of another kind.
func measure(t *testing.T, js *model.JobSet, ask asked) *measured {
	var m measured
	from := spent()
	_, good, err := ask(t.Context(), js, false)
	if err != nil {
		t.Fatal(err)
	}
	if m.solve = spent() - from; !good {
		return nil
	}
	from = spent()
	c, good, err := ask(t.Context(), js, true)
	if err != nil {
		t.Fatal(err)
	}
	if !good {
		return nil // time was up
	}
	m.claims, m.open = len(c.Claims), len(c.Open)
	var text bytes.Buffer
	if m.claims > 0 {
		if err := c.Write(&text); err != nil {
			t.Fatal(err)
		}
	}
	m.emit, m.bytes = spent()-from, text.Len()
	if m.claims > 0 {
		from = spent()
		v, err := inference.CheckFile(t.Context(), c.JS, &text)
		if m.check, m.fault = spent()-from, err; err == nil {
			m.steps = v.Steps
		}
	}
	return &m
}

// median of what is more than 0; 0 of nothing.
func median[T int | float64](all []T) T {
	all = slices.DeleteFunc(slices.Clone(all), func(v T) bool { return v <= 0 })
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// row is a line of the table of docs/proof.md.
func row(family string, all []measured) string {
	var bytes, steps []int
	var emit, check []float64
	proved, open, faults, claims := 0, 0, 0, 0
	for i := range all {
		m := &all[i]
		claims, open = claims+m.claims+m.open, open+m.open
		if m.fault != nil {
			faults++
		}
		if m.claims == 0 {
			continue
		}
		proved++
		bytes, steps = append(bytes, m.bytes), append(steps, m.steps)
		if m.solve > 0.01 { // below that the clock tells little
			emit, check = append(emit, m.emit/m.solve), append(check, m.check/m.solve)
		}
	}
	text := fmt.Sprintf("| %s | %d | %d | %d of %d | %d, %d | %d, %d | %.2f | %.2f |", family, len(all), proved, claims-open, claims,
		median(steps), slices.Max(append(steps, 0)), median(bytes), slices.Max(append(bytes, 0)), median(emit), median(check))
	if faults > 0 {
		text += fmt.Sprintf(" %d proofs refused", faults)
	}
	return text
}

// TestProofFigures prints the table of docs/proof.md, where DOWNBEAT_PROOFS says how many
// random sets of each kind of answer it is to be about.
func TestProofFigures(t *testing.T) {
	n := 0
	if _, err := fmt.Sscan(os.Getenv("DOWNBEAT_PROOFS"), &n); err != nil {
		t.Skip("DOWNBEAT_PROOFS does not ask for it")
	}
	limit, whole := solve.Options{TimeLimit: 20 * time.Second}, solve.Options{Budget: 1_000_000, Seed: 1}
	for _, family := range []struct {
		name, files string
		opt         solve.Options
	}{
		{"examples", "../../examples/*.yaml", limit},
		{"open bench", "../../../shared/bench/*.yaml", limit},
		{"ten classics", "../../../shared/bench/external/*.yaml", whole},
		{"ft10", "../../../shared/bench/external/jsp-ft10.yaml", whole},
	} {
		t.Run(family.name, func(t *testing.T) {
			all := measureFiles(t, family.files, planned(family.opt, nil))
			t.Log(row(family.name, all))
		})
	}
	for _, kind := range kinds() {
		t.Run(kind.name, func(t *testing.T) {
			all := measureRandom(t, n, kind.ask)
			t.Log(row(kind.name, all))
		})
	}
}

func measureFiles(t *testing.T, pattern string, ask asked) []measured {
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	var all []measured
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		js, err := jobfile.Load(name, src)
		if err != nil {
			t.Fatal(err)
		}
		m := measure(t, js, ask)
		t.Logf("%s: %+v", strings.TrimSuffix(filepath.Base(name), ".yaml"), *m)
		all = append(all, *m)
	}
	return all
}

// kind is a kind of answer.
type kind struct {
	name string
	ask  asked
}

// kinds are all that claim something.
func kinds() []kind {
	limit := solve.Options{TimeLimit: 5 * time.Second, Objectives: []model.Objective{}}
	none := func(r *solve.Result) bool { return r.Status == model.Infeasible }
	optimum := func(r *solve.Result) bool { return r.Closed() && r.Objectives[0].Value > 0 }
	list := []kind{{"infeasible", planned(limit, none)}}
	for _, o := range []model.Objective{model.Misses, model.Tardiness, model.WeightedTardiness, model.Makespan} {
		opt := limit
		opt.Objectives = []model.Objective{o}
		list = append(list, kind{"least " + o.String(), planned(opt, optimum)})
	}
	opt := limit
	opt.Relax = true
	least := func(r *solve.Result) bool { return r.Relaxed && r.Closed() }
	return append(list, kind{"least hard-misses", planned(opt, least)}, kind{"one slave less", oneLess})
}

// oneLess asks for the least number of slaves of the first class, which is more than none.
func oneLess(ctx context.Context, js *model.JobSet, proof bool) (*certify.Certificate, bool, error) {
	class, err := capacity.NewClass(js, js.Slaves[0].Class)
	if err != nil {
		return nil, false, nil // a task could run nowhere without some of it
	}
	r, err := capacity.Size(ctx, js, class, nil, solve.Options{TimeLimit: 5 * time.Second, Workers: 1, NoConflict: true, Proof: proof})
	if err != nil {
		return nil, false, err
	}
	claimed := !r.None && r.Least.Exact() && r.Least.Fails >= 0 && r.Least.Proof != model.RelaxationProof
	return r.Certificate, claimed && (r.Certificate != nil || !proof), nil
}

// measureRandom measures n random sets of three to twenty tasks whose answers are of a kind.
// What of them is not proved is told.
func measureRandom(t *testing.T, n int, ask asked) []measured {
	var all []measured
	seed := uint64(0)
	for ; len(all) < n; seed++ {
		m := measure(t, drawn(seed), ask)
		if m == nil {
			continue
		}
		if m.open > 0 || m.fault != nil {
			t.Logf("seed %d: %+v", seed, *m)
		}
		all = append(all, *m)
	}
	t.Logf("of %d sets", seed)
	return all
}

// drawn is a random set, every other one with containers, graphs and jobs after jobs.
func drawn(seed uint64) *model.JobSet {
	tasks := 6 + int(seed/4%15)
	js := []func() *model.JobSet{
		func() *model.JobSet { return gen.Tiny(seed) },
		func() *model.JobSet { return gen.TodayTiny(seed) },
		func() *model.JobSet { return gen.Small(seed, tasks) },
		func() *model.JobSet { return gen.TodaySmall(seed, tasks) },
	}[seed%4]()
	js.FIFO = false
	return js
}
