package inference

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/files/jobfile"
)

// A proven file has a job set, a proof of something about it, and lines of the proof with
// what may stand in their place, and the fault of that: none where it is as true.
type proven struct {
	name  string
	js    *model.JobSet
	proof string // without what comes before the tick, and without the end
	twins []string
}

func readProven(t testing.TB) []proven {
	paths, err := filepath.Glob("testdata/twins/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no files", err)
	}
	var all []proven
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p := proven{name: strings.TrimSuffix(filepath.Base(path), ".txt")}
		for _, f := range archive.Files {
			switch text := string(f.Data); f.Name {
			case "set.yaml":
				if p.js, err = jobfile.Load(path, f.Data); err != nil {
					t.Fatal(err)
				}
			case "proof":
				p.proof = text
			case "twins":
				p.twins = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			}
		}
		all = append(all, p)
	}
	return all
}

// whole is a proof with its head and its end.
func (p *proven) whole(proof string) string {
	text := fmt.Sprintf("downbeat proof 1\ndigest %s\n%s", p.js.Digest(), proof)
	return fmt.Sprintf("%send %d\n", text, strings.Count(text, "\n"))
}

func (p *proven) check(proof string) error {
	_, err := CheckFile(context.Background(), p.js, strings.NewReader(p.whole(proof)))
	return err
}

// TestTwins: proofs made by hand are accepted, and refused with one thing changed, at the
// line at which that is seen.
func TestTwins(t *testing.T) {
	for _, p := range readProven(t) {
		t.Run(p.name, func(t *testing.T) {
			if err := p.check(p.proof); err != nil {
				t.Fatal(err)
			}
			for _, twin := range p.twins {
				parts := strings.Split(twin, " => ")
				if len(parts) != 3 || strings.Count(p.proof, parts[0]) != 1 {
					t.Fatalf("%q is no change of the proof", twin)
				}
				got := fmt.Sprint(p.check(strings.Replace(p.proof, parts[0], parts[1], 1)))
				if want := strings.TrimSpace(parts[2]); got != want && (want != "" || got != "<nil>") {
					t.Errorf("%s\n got %s\nwant %s", twin, got, want)
				}
			}
		})
	}
}

// FuzzCheck: whatever stands in a proof of what is true of these sets, the checker takes no
// harm, and accepts no claim that is false.
func FuzzCheck(f *testing.F) {
	all := readProven(f)
	truths := make([]map[string]int64, len(all))
	for k, p := range all {
		truths[k] = map[string]int64{}
		for _, twin := range append([]string{"tick => tick"}, p.twins...) {
			parts := strings.Split(twin, " => ")
			f.Add(k, strings.Replace(p.proof, parts[0], parts[1], 1))
		}
		for _, o := range []model.Objective{model.Misses, model.Tardiness, model.WeightedTardiness, model.Makespan} {
			a, err := oracle.SolveFor(p.js, []model.Objective{o}, false)
			if err != nil {
				f.Fatal(err)
			}
			if a.Status != model.Infeasible {
				truths[k][o.String()] = a.Values[0]
			}
		}
	}
	f.Fuzz(func(t *testing.T, k int, proof string) {
		if k < 0 || k >= len(all) {
			t.Skip()
		}
		v, err := CheckFile(t.Context(), all[k].js, strings.NewReader(all[k].whole(proof)))
		if err != nil {
			return
		}
		for _, c := range v.Claims {
			least, feasible := truths[k][c.Objective.String()]
			if feasible && len(v.Without) == 0 && (c.Infeasible || len(c.Given) == 0 && c.Objective != model.HardMisses && c.Least > least) {
				t.Fatalf("%s: %+v was accepted, but %d is the least", all[k].name, c, least)
			}
		}
	})
}

// TestStopped: the checker ends when its context does.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := readProven(t)[0]
	if _, err := CheckFile(ctx, p.js, strings.NewReader(p.whole(p.proof))); !errors.Is(err, context.Canceled) {
		t.Errorf("%v for a context that is done", err)
	}
}

// TestCutOff: a proof of which the end is missing is refused wherever it ends.
func TestCutOff(t *testing.T) {
	for _, p := range readProven(t) {
		whole := p.whole(p.proof)
		for n := range len(whole) - 1 {
			if _, err := CheckFile(t.Context(), p.js, strings.NewReader(whole[:n])); err == nil {
				t.Fatalf("%s: the first %d of %d bytes are accepted", p.name, n, len(whole))
			}
		}
		for _, more := range []string{"\n", "#\n", "end 3\n"} {
			if _, err := CheckFile(t.Context(), p.js, strings.NewReader(whole+more)); err == nil {
				t.Errorf("%s: accepted with %q behind its end", p.name, more)
			}
		}
		if _, err := CheckFile(t.Context(), p.js, strings.NewReader(strings.Replace(whole, "sha256:", "sha256:0", 1))); err == nil {
			t.Errorf("%s: accepted for another job set", p.name)
		}
	}
}

// TestClaimsImplyQuestions: a plan that is against a claim, by the ends of its jobs, is one
// that the question asks for.
func TestClaimsImplyQuestions(t *testing.T) {
	accepted := 0
	for seed := range testkit.Sets[uint64](20_000, 1_000_000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		c, ends := &checker{figures: figures{calendar: newCalendar(&model.JobSet{}), tick: 1}}, []model.Time{}
		q := &question{limits: unlimited}
		for i := range model.JobID(1 + rng.IntN(3)) {
			kind := model.JobKind(rng.IntN(3))
			job := model.Job{Kind: kind, Release: model.Time(rng.IntN(3)), Weight: 1 + rng.Int64N(3)}
			if kind != model.BestEffort {
				job.Deadline = 1 + model.Time(rng.IntN(5))
			}
			c.js.Jobs = append(c.js.Jobs, job)
			ends = append(ends, 1+job.Release+model.Time(rng.IntN(8)))
			if rng.IntN(4) > 0 {
				q.jobs = append(q.jobs, asked{i, role(rng.IntN(2)), 1 + model.Time(rng.IntN(10))})
			}
		}
		if rng.IntN(2) == 0 {
			q.limits[limited[rng.IntN(len(limited))]] = rng.Int64N(6)
		}
		most := map[model.Objective]int64{}
		for _, o := range []model.Objective{model.Misses, model.Tardiness, model.WeightedTardiness, model.Makespan, model.HardMisses} {
			if rng.IntN(3) == 0 {
				most[o] = rng.Int64N(9) - 1
			}
		}
		if c.implied(q, most) != nil {
			continue
		}
		_, relaxed := most[model.HardMisses]
		against := relaxed || c.js.Value(model.HardMisses, ends) == 0
		for o, v := range most {
			against = against && c.js.Value(o, ends) <= v
		}
		if !against {
			continue
		}
		accepted++
		sums := limits{}
		for _, a := range q.jobs {
			late := c.js.Jobs[a.job].Late(ends[a.job])
			switch kind := c.js.Jobs[a.job].Kind; {
			case a.role == must && ends[a.job] > a.by:
				t.Fatalf("seed %d: job %d ends at %d, and not by %d", seed, a.job, ends[a.job], a.by)
			case late > 0 && kind == model.Soft:
				sums[model.Misses] += c.js.Jobs[a.job].Weight
				sums[model.WeightedTardiness] += c.js.Jobs[a.job].Weight * int64(late)
			case late > 0 && kind == model.Hard:
				sums[model.HardMisses]++
			}
		}
		for o, limit := range q.limits {
			if limit != noLimit && sums[o] > limit {
				t.Fatalf("seed %d: %s is %d, of %d", seed, model.Objective(o), sums[o], limit)
			}
		}
	}
	if accepted < 100 {
		t.Errorf("only %d plans were against a claim", accepted)
	}
}

// TestAlike: jobs in which one thing differs are not exchanged.
func TestAlike(t *testing.T) {
	const one, two = "map: {tasks: 1, wcet: 3}", "map: {tasks: 1, wcet: 3}, reduce: {tasks: 1, wcet: 2}"
	for _, c := range []struct {
		a, b   string
		limit  int64 // on misses
		ends   [2]model.Time
		expect bool
	}{
		{"deadline: 9, " + one, "deadline: 9, " + one, noLimit, [2]model.Time{9, 9}, true},
		{"deadline: 9, " + one, "deadline: 8, weight: 2, " + one, noLimit, [2]model.Time{12, 12}, true},
		{"deadline: 9, " + one, "deadline: 8, " + one, 1, [2]model.Time{8, 8}, true},
		{"deadline: 9, " + one, "deadline: 8, " + one, 1, [2]model.Time{9, 9}, false},
		{"deadline: 9, " + one, "deadline: 9, " + one, noLimit, [2]model.Time{9, 8}, false},
		{"deadline: 9, " + one, "release: 1, due: 9, " + one, noLimit, [2]model.Time{9, 9}, false},
		{"deadline: 9, " + one, "deadline: 9, map: {tasks: 1, wcet: 4}", noLimit, [2]model.Time{9, 9}, false},
		{"deadline: 9, " + one, "deadline: 9, map: {tasks: 1, wcet: 3, cores: 2}", noLimit, [2]model.Time{9, 9}, false},
		{"deadline: 9, " + one, "deadline: 9, reduce: {tasks: 1, wcet: 3}", noLimit, [2]model.Time{9, 9}, false},
		{"deadline: 9, " + one, "deadline: 9, after: [a], " + one, noLimit, [2]model.Time{9, 9}, false},
		{"deadline: 9, " + two, "deadline: 9, " + two, 1, [2]model.Time{12, 12}, true},
		{"deadline: 9, " + two, "deadline: 9, hard: true, " + two, 1, [2]model.Time{12, 12}, false},
		{"deadline: 9, " + two, "deadline: 9, weight: 2, " + two, 1, [2]model.Time{12, 12}, false},
		{"deadline: 9, " + two, "deadline: 8, " + two, 1, [2]model.Time{12, 12}, false},
		{"deadline: 9, " + two, "deadline: 9, map: {tasks: 1, wcet: 3}, reduce: {tasks: 1, wcet: 1}", 1, [2]model.Time{12, 12}, false},
		{"deadline: 9, " + two, "deadline: 9, map: {tasks: 1, wcet: 3}, reduce: {tasks: 2, wcet: 2}", 1, [2]model.Time{12, 12}, false},
	} {
		js, err := jobfile.Load("jobs.yaml", fmt.Appendf(nil, `version: 1
cluster: {heartbeat: 1, slaves: [{name: s, cores: 2, slots: 9}]}
jobs:
  - {name: a, %s}
  - {name: b, %s}
`, c.a, c.b))
		if err != nil {
			t.Fatal(err)
		}
		checker := newChecker(t.Context(), js, nil)
		checker.measure(1)
		q := &question{jobs: []asked{{0, must, c.ends[0]}, {1, must, c.ends[1]}}, limits: unlimited}
		q.limits[model.Misses] = c.limit
		st := checker.newState(q)
		if got := st.alike(&st.tasks[0], &st.tasks[js.Jobs[1].First]); got != c.expect {
			t.Errorf("%s and %s, by %v, misses at most %d: alike is %t", c.a, c.b, c.ends, c.limit, got)
		}
	}
}
