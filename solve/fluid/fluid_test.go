package fluid

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/memory"
)

// aboutMisses lets soft jobs go for their weights.
func aboutMisses(js *model.JobSet) Options {
	n := len(js.Jobs)
	opt := Options{Due: make([]model.Time, n), Drop: make([]float64, n), Slope: make([]float64, n), Seed: 1}
	for i := range js.Jobs {
		opt.Due[i], opt.Drop[i] = js.Jobs[i].Due(), float64(js.Jobs[i].Weight)
		if js.Jobs[i].Kind == model.Hard {
			opt.Drop[i] = math.Inf(1)
		}
	}
	return opt
}

// varied is a set with every feature of the model.
func varied(seed uint64) *model.JobSet {
	k := gen.TinyKnobs()
	k.Tasks = gen.Range{Lo: 6, Hi: 40}
	k.Hard, k.BestEffort = 0.3, 0.3
	js, _ := gen.Random(k, seed)
	if seed%4 == 3 {
		js = gen.Coupled(js, seed, false)
	}
	return js
}

// prepared is a relaxation of a set after some passes; some jobs are charged for
// finishing late.
func prepared(t *testing.T, seed uint64, passes int) *Relaxation {
	t.Helper()
	js := varied(seed)
	opt := aboutMisses(js)
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range js.Jobs {
		if rng.IntN(3) == 0 && js.Jobs[i].Kind != model.BestEffort {
			opt.Slope[i] = rng.Float64()
		}
	}
	opt.LateSpan = 2
	r := New(t.Context(), js, opt)
	r.Scale(0.9)
	if !r.Run(t.Context(), passes) {
		t.Fatal("interrupted")
	}
	return r
}

// TestSharesAndUse: shares of a job add up to 1, its columns keep the sequence of the
// stages and end in time, and what the rows say is used is what the columns use.
func TestSharesAndUse(t *testing.T) {
	for seed := range testkit.Sets[uint64](40, 1000) {
		r := prepared(t, seed, 15)
		want := make([]float64, len(r.use))
		for i := range r.jobs {
			j := &r.jobs[i]
			shares := 0.0
			for k := range j.active {
				w := &j.active[k]
				shares += w.share
				checkColumn(t, seed, j, w)
				r.search.gather(r.rows, j, w, w.share)
			}
			if math.Abs(shares-1) > 1e-9 {
				t.Fatalf("seed %d: shares of job %d add up to %g", seed, j.id, shares)
			}
		}
		for _, i := range r.search.touched {
			want[i] = r.search.change[i]
		}
		for i := range want {
			if math.Abs(want[i]-r.use[i]) > 1e-6*(1+want[i]) {
				t.Fatalf("seed %d: row %d step %d: %g used, counted as %g", seed, i/r.Steps, i%r.Steps, want[i], r.use[i])
			}
		}
	}
}

func checkColumn(t *testing.T, seed uint64, j *job, w *column) {
	t.Helper()
	if w.out {
		if math.IsInf(j.drop, 1) {
			t.Fatalf("seed %d: job %d must not be left out", seed, j.id)
		}
		return
	}
	at, i := 0, 0
	for k := range j.stages {
		end := at
		for p := range j.stages[k].parts {
			pick := w.picks[i]
			i++
			if int(pick.at) < at {
				t.Fatalf("seed %d: job %d: stage %d is handed out at %d, before %d", seed, j.id, k, pick.at, at)
			}
			end = max(end, int(pick.at)+j.stages[k].parts[p].modes[pick.mode].length())
		}
		at = end
	}
	if at > j.length {
		t.Fatalf("seed %d: job %d finishes at %d of %d", seed, j.id, at, j.length)
	}
}

// TestCheapestIsCheapest compares the dynamic program with all columns of one-part stages.
func TestCheapestIsCheapest(t *testing.T) {
	compared := 0
	for seed := range testkit.Sets[uint64](60, 2000) {
		r := prepared(t, seed, 5)
		for i := range r.jobs {
			j := &r.jobs[i]
			r.addUp(j)
			got := r.cheapest(j)
			if cost := r.search.costOf(j, &r.search.found); math.Abs(cost-got) > 1e-9*(1+math.Abs(cost)) {
				t.Fatalf("seed %d: job %d: a column of %g passes for one of %g", seed, j.id, cost, got)
			}
			if want, ok := enumerate(r, j); ok {
				compared++
				if math.Abs(want-got) > 1e-9*(1+math.Abs(want)) {
					t.Fatalf("seed %d: job %d: %g, the cheapest is %g", seed, j.id, got, want)
				}
			}
		}
	}
	if compared < 50 {
		t.Errorf("only %d jobs compared", compared)
	}
}

// enumerate is the least cost over all columns of a job whose stages have one part each.
func enumerate(r *Relaxation, j *job) (least float64, ok bool) {
	least, ok = j.drop, true
	w := column{picks: make([]pick, len(j.stages))}
	var from func(k, at int)
	from = func(k, at int) {
		if k == len(j.stages) {
			if at <= j.due || j.slope > 0 {
				least = min(least, r.search.costOf(j, &w))
			}
			return
		}
		st := &j.stages[k]
		if len(st.parts) > 1 {
			ok = false
			return
		}
		for m := range st.parts[0].modes {
			length := st.parts[0].modes[m].length()
			st.starts(j.stride, length, func(start int) {
				if start >= at && start+length <= st.last {
					w.picks[k] = pick{int32(start), int32(m)}
					from(k+1, start+length)
				}
			})
		}
	}
	from(0, 0)
	return least, ok
}

// TestKnownOptimum: n jobs of one task that fills its window, on a slave of which
// half is counted on: all but half a job's share are out.
func TestKnownOptimum(t *testing.T) {
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: 1, Slots: 9}}}
	const n = 5
	for range n {
		js.Jobs = append(js.Jobs, model.Job{
			Kind: model.Soft, Deadline: 10,
			Stages: []model.Stage{{Groups: []model.Group{{Count: 1, Profile: model.NewProfile(model.ConstRow(1, 10), model.ConstRow(1, 0))}}}},
		})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	r := New(t.Context(), js, aboutMisses(js))
	r.Scale(0.5)
	r.Run(t.Context(), 300)
	sum := 0.0
	for _, out := range r.Guide().Out {
		sum += out
	}
	if math.Abs(sum-(n-0.5)) > 0.02 {
		t.Errorf("%.3f jobs out, want %.1f", sum, n-0.5)
	}
	if len(r.Supplies) != 1 || math.Abs(r.price[0]-0.1) > 0.01 {
		t.Errorf("%d rows, price %v, want 0.1 (a job out over 10 ticks)", len(r.Supplies), r.price[0])
	}
}

// TestAbsencesAndRows: capacity is what there is less absences, and slots have rows
// where they are shorter than cores.
func TestAbsencesAndRows(t *testing.T) {
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{
		{Name: "a", Cores: 4, Slots: 2, Down: []model.Interval{{Start: 3, End: 9}}}, {Name: "b", Cores: 4, Slots: 2},
	}}
	js.Jobs = []model.Job{{
		Kind: model.Hard, Deadline: 24,
		Stages: []model.Stage{{Groups: []model.Group{{Count: 3, Profile: model.NewProfile(model.ConstRow(2, 12), model.ConstRow(2, 1))}}}},
	}}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	r := New(t.Context(), js, aboutMisses(js))
	if len(r.Places) != 1 || len(r.Supplies) != 2 || r.Supplies[1].Resource != model.MapSlots {
		t.Fatalf("pools %v, rows %v", r.Places, r.Supplies)
	}
	if want := []int64{16, 12, 8, 8, 12, 16}; r.Step != 2 || !slices.Equal(r.Capacity[:6], want) {
		t.Errorf("steps of %d, capacity %v, want %v", r.Step, r.Capacity[:6], want)
	}
	r.Scale(busiest)
	if r.counted[0] != 16*busiest || r.counted[r.Steps] != 8 {
		t.Errorf("counts on %g core-ticks and %g slot-ticks", r.counted[0], r.counted[r.Steps])
	}
}

// TestFeed: less is counted on where jobs were late, more elsewhere.
func TestFeed(t *testing.T) {
	js := gen.Scale(400, 1)
	r := New(t.Context(), js, aboutMisses(js))
	r.Scale(0.9)
	late := js.Jobs[0]
	r.Feed([]model.JobID{0}, 0.1, 0.2, 1)
	for b, f := range r.factor {
		from, to := model.Time(b)*r.Step, model.Time(b+1)*r.Step
		switch in := from < late.Due() && to > late.Release; {
		case in && math.Abs(f-0.81) > 1e-9 && to <= late.Due():
			t.Errorf("step %d: factor %g within the job's time", b, f)
		case !in && f != 1:
			t.Errorf("step %d: factor %g outside", b, f)
		}
	}
}

// TestRepeats: equal seeds give equal guides, and a context that is done ends it.
func TestRepeats(t *testing.T) {
	js := gen.Scale(1000, 1)
	run := func() *Guide {
		r := New(t.Context(), js, aboutMisses(js))
		r.Scale(0.9)
		r.Run(t.Context(), 5)
		return r.Guide()
	}
	a, b := run(), run()
	if !reflect.DeepEqual(a, b) {
		t.Error("two runs differ")
	}
	done, stop := context.WithCancel(t.Context())
	stop()
	if New(done, js, aboutMisses(js)) != nil {
		t.Error("a relaxation was made though the context was done")
	}
	r := New(t.Context(), js, aboutMisses(js))
	if r.Run(done, 1) {
		t.Error("passes were made though the context was done")
	}
}

// TestLargeTimes: what is laid out does not grow with the ticks.
func TestLargeTimes(t *testing.T) {
	js := gen.Scale(400, 1)
	for i := range js.Jobs {
		js.Jobs[i].Release *= 100_000
		js.Jobs[i].Deadline *= 100_000
	}
	r := New(t.Context(), js, aboutMisses(js))
	if r.Steps > mostSteps+2 {
		t.Errorf("%d steps", r.Steps)
	}
	for i := range r.jobs {
		if r.jobs[i].length > mostPoints+1 {
			t.Errorf("job %d has %d grid points", i, r.jobs[i].length)
		}
	}
	r.Scale(1)
	if !r.Run(t.Context(), 2) {
		t.Error("interrupted")
	}
}

// Under a ceiling steps get longer until the relaxation fits, but never so long that no
// times are told apart; a note says so.
func TestMemory(t *testing.T) {
	js := gen.Scale(500, 1)
	free := New(t.Context(), js, aboutMisses(js))
	for _, c := range []struct {
		ceiling int64
		note    bool
	}{{1e9, false}, {400_000, true}, {1, true}} {
		ctx, end := memory.With(t.Context(), c.ceiling, false)
		r := New(ctx, js, aboutMisses(js))
		if longer := r.Step > free.Step; longer != c.note || (len(memory.Notes(ctx)) > 0) != c.note {
			t.Errorf("ceiling %d: steps of %d ticks for %d, notes %q", c.ceiling, r.Step, free.Step, memory.Notes(ctx))
		}
		if r.Steps < fewestSteps/2 {
			t.Errorf("ceiling %d: %d steps are left", c.ceiling, r.Steps)
		}
		if r.Scale(0.9); !r.Run(ctx, 5) {
			t.Errorf("ceiling %d: interrupted", c.ceiling)
		}
		end()
	}
}

// onSlaves is a set of one task, with as many cores and ticks on each slave.
func onSlaves(t *testing.T, cores []int, ticks []model.Time) *model.JobSet {
	t.Helper()
	p := model.NewProfile(model.DenseRow(ticks), model.DenseRow(make([]model.Time, len(ticks))))
	js := &model.JobSet{Heartbeat: 1, Jobs: []model.Job{{
		Name: "a", Deadline: 1000, Kind: model.Hard,
		Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: 1, Profile: p}}}},
	}}}
	for s, n := range cores {
		js.Slaves = append(js.Slaves, model.Slave{Name: string(rune('a' + s)), Cores: n, Slots: n})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// TestPoolings: slaves are pooled by what they have and how fast they are; where that makes
// too many pools by cores and about how fast, by cores, or all together.
func TestPoolings(t *testing.T) {
	alike := []model.Time{100, 101, 102, 103, 104, 105, 106, 107}
	wide := []model.Time{100, 130, 170, 220, 280, 360, 470, 610}
	two, many := []int{1, 1, 1, 1, 2, 2, 2, 2}, []int{1, 2, 3, 4, 5, 6, 7, 8}
	for _, c := range []struct {
		cores []int
		ticks []model.Time
		by    Pooling
		sizes []int
	}{
		{two, []model.Time{100, 100, 300, 300, 100, 100, 100, 100}, ByLikeness, []int{2, 2, 4}},
		{two, alike, ByLikeness, []int{4, 4}},
		{two, wide, ByLikeness, []int{4, 4}},
		{many, wide, ByLikeness, []int{8}},
		{two, wide, ByCores, []int{4, 4}},
	} {
		var sizes []int
		for _, p := range newPools(onSlaves(t, c.cores, c.ticks), c.by) {
			sizes = append(sizes, len(p))
		}
		if !slices.Equal(sizes, c.sizes) {
			t.Errorf("cores %v, ticks %v: pools of %v, want %v", c.cores, c.ticks, sizes, c.sizes)
		}
	}
}

// TestSamples: of many slaves of a pool some are looked at, and what these miss of the
// inputs is not missed: there are slaves that hold them.
func TestSamples(t *testing.T) {
	js := gen.Scale(6000, 1)
	r := New(t.Context(), js, aboutMisses(js))
	if n := len(sample(r.Places[0])); len(r.Places[0]) <= sampledMembers || n != sampledMembers {
		t.Fatalf("%d of %d slaves are looked at", n, len(r.Places[0]))
	}
	d := newDrafts(js, r.Places)
	d.near = math.Inf(1)
	least := model.Never
	for s := range model.SlaveID(len(js.Slaves)) {
		least = min(least, js.Tasks[0].Transfer(s))
	}
	if near := d.nearest(js.Tasks[0].Profile); near != float64(least) {
		t.Errorf("the nearest slave fetches for %g, not %d", near, least)
	}
}
