package encode

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/query"
)

// A prediction may be loosest times the true number of clauses, and a constant
// more: in tiny formulas most clauses stand at the ends of windows, where they
// hold True and are not added.
const loosest, looseEnds = 3, 500

// sizes measures every family of a question: clauses predicted and made.
func sizes(q query.Question) (predicted, made map[string]int64, all *Encoding) {
	predicted, made = map[string]int64{}, map[string]int64{}
	l := newLayout(q)
	for _, f := range families {
		predicted[f.name] = f.predict(l, huge)
	}
	all = buildWithout(q, familyNames()...)
	for _, f := range families {
		before := all.Clauses()
		f.build(all)
		made[f.name] = all.Clauses() - before
	}
	return predicted, made, all
}

func familyNames() []string {
	var names []string
	for _, f := range families {
		names = append(names, f.name)
	}
	return names
}

// checkSizes holds the predictions for a question against the formula.
func checkSizes(q query.Question, totals map[string][2]int64) error {
	predicted, made, e := sizes(q)
	for _, name := range familyNames() {
		if predicted[name] < made[name] {
			return fmt.Errorf("%s: %d clauses predicted, %d made", name, predicted[name], made[name])
		}
		t := totals[name]
		totals[name] = [2]int64{t[0] + predicted[name], t[1] + made[name]}
	}
	size := predictSize(newLayout(q), huge)
	if size.Clauses < e.Clauses() {
		return fmt.Errorf("%d clauses predicted, %d made", size.Clauses, e.Clauses())
	}
	if most := loosest*e.Clauses() + looseEnds; size.Clauses > most {
		return fmt.Errorf("%d clauses predicted, only %d made", size.Clauses, e.Clauses())
	}
	built, err := Build(context.Background(), q, size.Clauses)
	if err != nil || built.Clauses() != e.Clauses() {
		return fmt.Errorf("Build differs from its families: %v", err)
	}
	return nil
}

// TestPredict: on random sets, for every kind of question, the prediction is
// an upper bound, family by family, and no wild one.
func TestPredict(t *testing.T) {
	sets, familySeeds := testkit.Sets[uint64](30, 200), testkit.Sets[uint64](1, 2)
	totals := map[string][2]int64{}
	check := func(js *model.JobSet, seed uint64, kind string) {
		if err := checkSizes(ask(js, kind, newRand(seed)), totals); err != nil {
			t.Errorf("%s, seed %d, question %q: %v", js.Name, seed, kind, err)
		}
	}
	for seed := range sets {
		tiny, today := gen.Tiny(seed), gen.TodayTiny(seed)
		for _, kind := range kinds {
			check(tiny, seed, kind)
			check(today, seed, kind)
			check(gen.Coupled(today, seed, seed%2 == 0), seed, kind)
		}
		check(gen.Small(seed, 8+int(seed%7)), seed, kinds[seed%uint64(len(kinds))])
		check(alike(seed), seed, kinds[seed%uint64(len(kinds))])
	}
	for _, name := range gen.FamilyNames() {
		if strings.Contains(name, "medium") || strings.Contains(name, "large") {
			continue
		}
		for seed := range familySeeds {
			js, _, err := gen.Family(name, seed)
			if err != nil {
				t.Fatal(err)
			}
			for _, kind := range kinds {
				check(js, seed, kind)
			}
		}
	}
	for _, name := range familyNames() {
		sum := totals[name]
		if sum[1] == 0 {
			t.Errorf("%s: no clause in any formula", name)
			continue
		}
		t.Logf("%-18s %9d clauses made, %5.2f times as many predicted", name, sum[1], float64(sum[0])/float64(sum[1]))
	}
}

// alike is a small set whose tasks and slaves are mostly equal.
func alike(seed uint64) *model.JobSet {
	k := gen.TinyKnobs()
	k.EqualTasks, k.EqualSlave, k.Uneven, k.Local = 0.9, 0.9, 0.1, 0.1
	k.Slaves, k.FirstStage = gen.Range{Lo: 2, Hi: 3}, gen.Range{Lo: 2, Hi: 3}
	js, _ := gen.Random(k, seed)
	return js
}

// TestPredictLargeFamilies: formulas of 40,000 to 3 million clauses.
func TestPredictLargeFamilies(t *testing.T) {
	totals := map[string][2]int64{}
	for name, kinds := range map[string][]string{
		"misses-medium":   {"feasible", "misses", "tardiness"},
		"tight-medium":    {"feasible", "misses", "tardiness"},
		"large-contended": {"hard-misses"},
	} {
		if name == "tight-medium" && !testkit.Asked() {
			continue // misses-medium asks for more
		}
		js, _, err := gen.Family(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range kinds {
			if err := checkSizes(ask(js, kind, newRand(1)), totals); err != nil {
				t.Errorf("%s, question %q: %v", name, kind, err)
			}
		}
	}
}

// TestBuildRefuses what is over the limit, with a sentence for people.
func TestBuildRefuses(t *testing.T) {
	js, _, err := gen.Family("tight", 3)
	if err != nil {
		t.Fatal(err)
	}
	q := ask(js, "feasible", newRand(0))
	size := predictSize(newLayout(q), huge)
	if _, err := Build(t.Context(), q, size.Clauses); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	e, err := Build(t.Context(), q, size.Clauses-1)
	var tooLarge *TooLarge
	if e != nil || !errors.As(err, &tooLarge) {
		t.Fatalf("one above the limit: %v, %v", e, err)
	}
	if tooLarge.Size != size || tooLarge.Limit != size.Clauses-1 {
		t.Errorf("%+v, predicted %+v", tooLarge, size)
	}
	if !slices.Contains(familyNames(), size.Largest) {
		t.Errorf("the largest family is %q", size.Largest)
	}
	want := fmt.Sprintf("the formula would have at least %d clauses (most of them for %s), more than the limit of %d",
		size.Clauses, size.Largest, size.Clauses-1)
	if err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
}

// TestPredictStops: above stop the count is cut short, not wrong, of the whole and
// of each family.
func TestPredictStops(t *testing.T) {
	for seed := range uint64(100) {
		js := gen.Small(seed, 10)
		rng := newRand(seed)
		l := newLayout(ask(js, kinds[seed%uint64(len(kinds))], rng))
		check := func(name string, predict func(stop int64) int64) {
			full := predict(huge)
			if full == 0 {
				return
			}
			stop := rng.Int64N(2 * full)
			got := predict(stop)
			if got > full || full <= stop && got != full || full > stop && got <= stop {
				t.Errorf("seed %d, %s: %d clauses counted up to %d, all are %d", seed, name, got, stop, full)
			}
		}
		check("all", func(stop int64) int64 { return predictSize(l, stop).Clauses })
		for _, f := range families {
			check(f.name, func(stop int64) int64 { return f.predict(l, stop) })
		}
	}
}

// endless has deadlines at 10^9 ticks and half of that, and everything that
// counts ticks.
func endless(t *testing.T, fifo bool) *model.JobSet {
	js := &model.JobSet{
		Heartbeat: 1, FIFO: fifo,
		Slaves: []model.Slave{{Cores: 1, Slots: 3}, {Cores: 1, Slots: 3}, {Cores: 2, Slots: 2, FirstBeat: 1}},
	}
	for i := range 30 {
		job := hardJob(model.MaxTime, stage(5, 3, 7, 2), stage(5, 3, 4, 1))
		if i%2 == 1 {
			job.Kind, job.Weight, job.Deadline = model.Soft, 3, model.MaxTime/2
		}
		js.Jobs = append(js.Jobs, job)
	}
	return assemble(t, js)
}

// TestPredictAtTheHorizon: a formula too large to build must not cost more to
// refuse than to look at its tasks, whatever the number of ticks: to look at a thousand million for each takes longer than tests may.
func TestPredictAtTheHorizon(t *testing.T) {
	const limit, maxBytes = 20_000_000, 64 << 20
	for _, fifo := range []bool{false, true} {
		js := endless(t, fifo)
		for _, kind := range kinds {
			q := ask(js, kind, newRand(1))
			for i := range q.Cap {
				q.Cap[i] = model.MaxTime
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Build(t.Context(), q, limit)
			runtime.ReadMemStats(&after)
			var tooLarge *TooLarge
			if !errors.As(err, &tooLarge) || tooLarge.Clauses <= limit {
				t.Errorf("fifo %v, question %q: %v", fifo, kind, err)
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > maxBytes {
				t.Errorf("fifo %v, question %q: %d bytes to refuse it", fifo, kind, got)
			}
		}
		// No family's count may overflow into something that looks small.
		l := newLayout(ask(js, "feasible", newRand(1)))
		for _, f := range families[1:6] {
			if n := f.predict(l, math.MaxInt64); n < limit {
				t.Errorf("fifo %v: %d clauses predicted for %s", fifo, n, f.name)
			}
		}
		if n := predictFIFO(l, math.MaxInt64); fifo && n < limit {
			t.Errorf("%d clauses predicted for fifo", n)
		}
	}
}

// BenchmarkBuild builds whole formulas.
func BenchmarkBuild(b *testing.B) {
	for _, size := range []struct {
		family string
		tasks  int
	}{{"misses", 40}, {"misses-medium", 130}} {
		js := ofSize(b, size.family, size.tasks)
		for _, kind := range []string{"misses", "tardiness", "makespan"} {
			b.Run(fmt.Sprintf("tasks=%d/question=%s", size.tasks, kind), func(b *testing.B) {
				q := ask(js, kind, newRand(1))
				clauses := int64(0)
				for b.Loop() {
					e, err := Build(b.Context(), q, math.MaxInt64)
					if err != nil {
						b.Fatal(err)
					}
					clauses = e.Clauses()
				}
				if clauses < int64(size.tasks) {
					b.Fatalf("only %d clauses", clauses)
				}
				b.ReportMetric(float64(clauses), "clauses")
			})
		}
	}
}

// ofSize is the first set of a family with so many tasks.
func ofSize(b *testing.B, family string, tasks int) *model.JobSet {
	for seed := range uint64(1000) {
		js, _, err := gen.Family(family, seed)
		if err != nil {
			b.Fatal(err)
		}
		if len(js.Tasks) == tasks {
			return js
		}
	}
	b.Fatalf("no set of family %s has %d tasks", family, tasks)
	return nil
}
