package capacity

import (
	"bytes"
	"context"
	"runtime"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/internal/testkit/secondopinion"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/solve"
	"downbeat/solve/certify"
	"downbeat/solve/whatif"
)

// tiny is a random set with the features of the model's beginnings, or those of today, or one with slaves that are alike.
func tiny(seed uint64) *model.JobSet {
	if seed%5 == 4 {
		return gen.AlikeTiny(seed)
	}
	if seed%2 == 0 {
		return gen.Tiny(seed / 2)
	}
	return gen.TodayTiny(seed / 2)
}

// fits tells by exhaustive search whether a set that changes make fits within a limit.
func fits(t *testing.T, js *model.JobSet, limit *Limit, changes ...change.Change) bool {
	t.Helper()
	set, err := change.Apply(js, changes)
	if err != nil {
		return false
	}
	goal := []model.Objective{}
	if limit != nil {
		goal = append(goal, limit.Objective)
	}
	a, err := oracle.SolveFor(set, goal, false)
	if err != nil {
		t.Fatal(err)
	}
	return a.Status == model.Feasible || a.Status == model.Optimal && a.Values[0] <= limit.Value
}

// limits has, by seed, none or a limit on an objective around its best value.
func limitOf(t *testing.T, js *model.JobSet, seed uint64) *Limit {
	t.Helper()
	if seed%3 == 0 {
		return nil
	}
	o := []model.Objective{model.Misses, model.Tardiness, model.WeightedTardiness, model.Makespan}[seed/3%4]
	a, err := oracle.SolveFor(js, []model.Objective{o}, false)
	if err != nil {
		t.Fatal(err)
	}
	if a.Status != model.Optimal {
		return nil
	}
	return &Limit{o, max(0, a.Values[0]+int64(seed/12%5)-2)}
}

// classesOf are the names of the classes, in order.
func classesOf(js *model.JobSet) []string {
	var out []string
	for i := range js.Slaves {
		if c := js.Slaves[i].Class; len(out) == 0 || out[len(out)-1] != c {
			out = append(out, c)
		}
	}
	return out
}

func options(seed uint64) solve.Options {
	return solve.Options{Seed: seed, Workers: 1 + int(seed/4%2)}
}

// TestSizeAgreesWithTryingEverySize: the least size is the least that exhaustive search
// finds a plan for, and none is said to do only where none does.
func TestSizeAgreesWithTryingEverySize(t *testing.T) {
	const most = 4
	found, certified, twice := map[int64]int{}, map[bool]int{}, []secondopinion.Sample{}
	for seed := range testkit.Sets[uint64](60, 2000) {
		js := tiny(seed)
		limit := limitOf(t, js, seed)
		names := classesOf(js)
		class, err := NewClass(js, names[int(seed)%len(names)])
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		class.Most = most
		got, err := Size(context.Background(), js, class, limit, options(seed))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want := int64(0)
		for want <= most && !fits(t, js, limit, change.Change{Kind: change.Count, Name: class.Name, N: want}) {
			want++
		}
		e := got.Least
		if !e.Exact() || e.Fits != want || got.None != (want > most) || e.Fails >= 0 && e.Proof == model.NoProof {
			t.Errorf("seed %d: %+v, trying every size finds %d (limit %v)", seed, got, want, limit)
		}
		found[want]++
		if e.Fails >= 0 && e.Fails < class.Now {
			text := lessIsProved(t, seed, js, class, limit, e.Fails)
			if certified[text != ""]++; text != "" && len(twice) < secondopinion.Count(0, 40) {
				twice = append(twice, secondopinion.Sample{JS: js, Text: text})
			}
		}
	}
	if len(twice) > 0 {
		for i, said := range secondopinion.Second(t, "../../model/check/inference/testdata/check_proof.py", twice) {
			if first := twice[i].First(t); first != said {
				t.Errorf("%s, but by the second checker %s\n%s", first, said, twice[i].Text)
			}
		}
	}
	t.Logf("least sizes %v, less than these proved without some slaves: %v", found, certified)
	if certified[true] == 0 {
		t.Error("none is proved")
	}
	for _, n := range []int64{0, 1, 2, most + 1} {
		if found[n] == 0 {
			t.Errorf("no least size is %d", n)
		}
	}
}

// lessIsProved is the proof that a size will not do, about js without the slaves that it
// lacks; empty if there is none.
func lessIsProved(t *testing.T, seed uint64, js *model.JobSet, class Supply, limit *Limit, fails int64) string {
	t.Helper()
	opt := options(seed)
	opt.Proof, opt.Workers = true, 1
	class.Least = fails
	got, err := Size(t.Context(), js, class, limit, opt)
	if err != nil || got.Least.Fails != fails {
		t.Fatalf("seed %d: %+v (%v)", seed, got, err)
	}
	c := got.Certificate
	if len(c.Claims) == 0 && certify.Nowhere(c.JS, c.Without) == nil && got.Least.Proof == model.RelaxationProof {
		return "" // a soft job can run nowhere then, which files cannot say
	}
	if len(c.Claims) == 0 || len(c.Open) > 0 {
		if js.FIFO {
			return ""
		}
		t.Errorf("seed %d: %+v claims %v, open %v, limit %v", seed, got, c.Claims, c.Open, limit)
		return ""
	}
	var text bytes.Buffer
	if err := c.Deliver(t.Context(), &text, true); err != nil || c.Proof.Refused != nil {
		t.Fatalf("seed %d: %v, %v\n%s", seed, err, c.Proof.Refused, text.String())
	}
	v, err := inference.CheckFile(t.Context(), js, bytes.NewReader(text.Bytes()))
	if err != nil || len(v.Without) != int(class.Now-fails) {
		t.Fatalf("seed %d: %v (%v)", seed, v, err)
	}
	for _, s := range v.Without {
		if js.Slaves[s].Class != class.Name {
			t.Errorf("seed %d: without slave %d", seed, s)
		}
	}
	return text.String()
}

// TestSlackAgreesWithTryingEveryValue: releases and due times by trying every value, times
// by the ends of the edge and a scan; jobs that are left out change nothing.
func TestSlackAgreesWithTryingEveryValue(t *testing.T) {
	statuses, edges := map[model.Status]int{}, 0
	for seed := range testkit.Sets[uint64](40, 1500) {
		js := tiny(seed)
		got, err := Slack(context.Background(), js, nil, nil, options(seed))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		statuses[got.Status]++
		if feasible := fits(t, js, nil); feasible != (got.Status == model.Feasible) || !feasible && got.Status != model.Infeasible {
			t.Errorf("seed %d: %s, exhaustive search says %v", seed, got.Status, feasible)
			continue
		}
		if got.Status != model.Feasible {
			continue
		}
		eased := withoutSoft(js)
		grows := func(name string) func(v int64) bool {
			return func(v int64) bool {
				return fits(t, eased, nil, change.Change{Kind: change.Margin, Name: name, N: v})
			}
		}
		checkGrowth(t, seed, &got.All, grows(""))
		pressing := map[model.JobID]bool{}
		for _, s := range got.Jobs {
			j := &eased.Jobs[s.Job]
			pressing[s.Job] = true
			edges++
			checkGrowth(t, seed, &s.Edges[Growth], grows(j.Name))
			checkTicks(t, seed, "release of "+j.Name, &s.Edges[Release], func(v int64) bool {
				c := change.Change{Kind: change.Release, Name: j.Name, At: j.Release + model.Time(v)}
				return (j.Kind != model.Hard || c.At < j.Due()) && fits(t, eased, nil, c)
			})
			if j.Kind == model.Hard {
				checkTicks(t, seed, "due time of "+j.Name, &s.Edges[Due], func(v int64) bool {
					c := change.Change{Kind: change.Deadline, Name: j.Name, At: j.Deadline - model.Time(v)}
					return c.At > 0 && fits(t, eased, nil, c)
				})
			}
		}
		for i := range eased.Jobs {
			if name := eased.Jobs[i].Name; !pressing[model.JobID(i)] && seed%4 == 0 {
				if !grows(name)(150) || !fits(t, eased, nil, change.Change{Kind: change.Release, Name: name, At: 15}) {
					t.Errorf("seed %d: job %s presses", seed, name)
				}
			}
		}
	}
	t.Logf("statuses %v, %d jobs", statuses, edges)
	if statuses[model.Feasible] == 0 || statuses[model.Infeasible] == 0 || edges == 0 {
		t.Error("nothing was tried")
	}
}

// withoutSoft is a set in which only hard jobs are due.
func withoutSoft(js *model.JobSet) *model.JobSet {
	out := *js
	out.Jobs = append([]model.Job{}, js.Jobs...)
	for i := range out.Jobs {
		if j := &out.Jobs[i]; j.Kind == model.Soft {
			j.Kind, j.Deadline = model.BestEffort, 0
		}
	}
	return &out
}

// checkTicks holds an edge against trying every value.
func checkTicks(t *testing.T, seed uint64, what string, e *whatif.Edge, fits func(v int64) bool) {
	t.Helper()
	want := int64(0)
	for fits(want + 1) {
		want++
	}
	if !e.Exact() || e.Fits != want || e.Proof == model.NoProof {
		t.Errorf("seed %d, %s: %+v, trying every value finds %d", seed, what, e, want)
	}
}

// checkGrowth holds an edge against its two ends and a scan.
func checkGrowth(t *testing.T, seed uint64, e *whatif.Edge, fits func(v int64) bool) {
	t.Helper()
	values := []int64{1, 10, 20, 34, 50, 67, 100, 150, 200, 300, 500, 1000}
	for _, v := range append(values, e.Fits, e.Fails) {
		if v <= change.MaxMargin && fits(v) != (v <= e.Fits) {
			t.Errorf("seed %d: %+v, and it is not so that times %d %% longer fit", seed, e, v)
		}
	}
	if !e.Exact() {
		t.Errorf("seed %d: %+v is a bracket", seed, e)
	}
}

// TestFrontierAgreesWithTryingEveryPair: every pair of the grid is told as exhaustive
// search tells it.
func TestFrontierAgreesWithTryingEveryPair(t *testing.T) {
	corners := map[int]int{}
	for seed := range testkit.Sets[uint64](60, 1500) {
		js := tiny(seed)
		names := classesOf(js)
		if len(names) < 2 {
			continue
		}
		var classes [2]Supply
		for k := range classes {
			class, err := NewClass(js, names[k])
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			class.Most, class.Cost = 2, int64(1+k)
			classes[k] = class
		}
		limit := limitOf(t, js, seed)
		r, err := Frontier(context.Background(), js, classes[0], classes[1], limit, nil, options(seed))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		cheapest := int64(model.Never)
		for a := range int64(3) {
			for b := range int64(3) {
				does := fits(t, js, limit, change.Change{Kind: change.Count, Name: names[0], N: a}, change.Change{Kind: change.Count, Name: names[1], N: b})
				if does != (b >= r.Columns[a].Fits) || !r.Exact() {
					t.Errorf("seed %d: %d × %s and %d × %s do: %v, against %+v", seed, a, names[0], b, names[1], does, r.Columns)
				}
				if does {
					cheapest = min(cheapest, a+2*b)
				}
			}
		}
		at, bound, ok := r.Cheapest()
		if ok != (cheapest < int64(model.Never)) || ok && (r.Cost(at) != cheapest || bound != cheapest) || r.Never() == ok {
			t.Errorf("seed %d: the cheapest pair is %v, bound %d, trying every pair finds %d", seed, at, bound, cheapest)
		}
		corners[len(r.Corners())]++
	}
	t.Logf("corners %v", corners)
	if corners[0] == 0 || corners[1] == 0 || corners[2] == 0 {
		t.Error("not every number of corners was seen")
	}
}

// TestLimitsLeaveBrackets: with little work, or none, no edge claims more than exhaustive
// search confirms, answers repeat, and a context that has ended ends the search.
func TestLimitsLeaveBrackets(t *testing.T) {
	open := 0
	for seed := range testkit.Sets[uint64](30, 600) {
		js := tiny(seed)
		opt := solve.Options{Seed: seed, Budget: 1 + int64(seed%7)*10}
		got, err := Slack(context.Background(), js, nil, nil, opt)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		again, err := Slack(context.Background(), js, nil, nil, opt)
		if err != nil || got.All != again.All || !slices.Equal(got.Jobs, again.Jobs) {
			t.Errorf("seed %d: %+v, and once more %+v, %v", seed, got, again, err)
		}
		if got.Status != model.Feasible {
			continue
		}
		eased := withoutSoft(js)
		for _, s := range got.Jobs {
			name, e := eased.Jobs[s.Job].Name, s.Edges[Growth]
			if !e.Exact() {
				open++
			}
			if !fits(t, eased, nil, change.Change{Kind: change.Margin, Name: name, N: e.Fits}) {
				t.Errorf("seed %d, %s: %+v does not fit", seed, name, e)
			}
			if e.Proof != model.NoProof && fits(t, eased, nil, change.Change{Kind: change.Margin, Name: name, N: e.Fails}) {
				t.Errorf("seed %d, %s: %+v fits beyond", seed, name, e)
			}
		}
	}
	if open == 0 {
		t.Error("no limit left an edge open")
	}
	ended, stop := context.WithCancel(context.Background())
	stop()
	js := gen.Scale(200, 1)
	class, err := NewClass(js, js.Slaves[0].Class)
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []*Limit{nil, {model.Misses, 1}} {
		if _, err := Size(ended, js, class, limit, solve.Options{Workers: 1}); err != nil {
			t.Error(err)
		}
	}
	if _, err := Slack(ended, js, nil, nil, solve.Options{Workers: 1}); err != nil {
		t.Error(err)
	}
}

// After the limit no set of another size is made where that takes long: most of the sizes up
// to one slave for each task. Sets that are made show in what is allocated.
func TestSizeAfterTheLimit(t *testing.T) {
	large := gen.Scale(5000, 1)
	absent := gen.Scale(200, 1)
	for s := range absent.Slaves {
		for at := model.Time(0); at < 200_000; at += 4 {
			absent.Slaves[s].Down = append(absent.Slaves[s].Down, model.Interval{Start: at + 2, End: at + 4})
		}
	}
	t.Run("many tasks", func(t *testing.T) { sizeAfterTheLimit(t, large) })
	t.Run("many absences", func(t *testing.T) { sizeAfterTheLimit(t, absent) })
}

func sizeAfterTheLimit(t *testing.T, js *model.JobSet) {
	class, err := NewClass(js, "new")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := Size(ctx, js, class, nil, solve.Options{Seed: 1})
	runtime.ReadMemStats(&after)
	if err != nil || !r.None || r.Never() || r.Least.Proof != model.NoProof {
		t.Errorf("%+v, %v", r, err)
	}
	if grown := (after.TotalAlloc - before.TotalAlloc) >> 20; grown > 100 {
		t.Errorf("%d MB were allocated", grown)
	} else {
		t.Logf("%d MB were allocated", grown)
	}
}

// What check says of more slaves of a class is what size says of it: the same least number,
// and the same no.
func TestRepairsAreSizes(t *testing.T) {
	least, vain := 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 120, 6000)) {
		js := tiny(seed)
		if seed%4 == 3 {
			js = gen.Small(seed/4, 12)
		}
		v, err := solve.Check(t.Context(), js, solve.Options{Seed: seed, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if v.Repairs == nil {
			continue
		}
		sized := func(name string) *SizeAnswer {
			class, err := NewClass(js, name)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Size(t.Context(), js, class, nil, solve.Options{Seed: seed, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		for _, r := range v.Repairs.Single {
			c := r.Changes[0]
			if c.Kind != change.Count {
				continue
			}
			s := sized(c.Name)
			if s.None || r.AtLeast[0].N > s.Least.Fits || c.N <= s.Least.Fails || r.Least[0] && s.Least.Exact() && c.N != s.Least.Fits {
				t.Errorf("seed %d: %d to %d slaves of class %s will do, and by size %+v", seed, r.AtLeast[0].N, c.N, c.Name, s.Least)
			}
			least++
		}
		for _, w := range v.Repairs.Vain {
			if w.Change.Kind != change.Count || !w.All {
				continue
			}
			if s := sized(w.Change.Name); !s.None {
				t.Errorf("seed %d: no number of class %s will do, and by size %+v", seed, w.Change.Name, s.Least)
			}
			vain++
		}
	}
	if t.Logf("%d least numbers, %d of no use", least, vain); least < testkit.Sets(5, 30) || vain < testkit.Sets(5, 30) {
		t.Error("too few")
	}
}
