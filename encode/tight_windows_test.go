package encode

import (
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/query"
)

// TestTightWindowsKeepPlans: formulas with the windows of jobs alone have a
// model if and only if those with tight windows have one, and their models lie
// in the tight windows.
func TestTightWindowsKeepPlans(t *testing.T) {
	seeds := testkit.Sets[uint64](200, 600)
	answers, refuted, narrowed := map[bool]int{}, 0, 0
	check := func(js *model.JobSet, q query.Question, seed uint64, kind string) {
		places := query.NewLayout(q)
		places.PlaceTasks()
		tight, plain := newLayout(q), layOut(places)
		if tight.refuted {
			refuted++
		}
		for _, id := range tight.Included {
			if tight.tasks[id].start != plain.tasks[id].start {
				narrowed++
			}
		}
		want := eachModel(t, buildFamilies(plain, families), &q, newRand(seed), 4, func(a answered) {
			if err := keepsTo(tight, &a); err != "" {
				t.Errorf("%s, seed %d, question %q: %s", js.Name, seed, kind, err)
			}
		})
		if got := (&solver{f: buildFamilies(tight, families).Formula}).ask(t); got != want {
			t.Errorf("%s, seed %d, question %q: satisfiable %v, with plain windows %v", js.Name, seed, kind, got, want)
		}
		answers[want]++
	}
	for seed := range seeds {
		kind := kinds[seed%uint64(len(kinds))]
		js := boundSet(seed)
		check(js, ask(js, kind, newRand(seed)), seed, kind)
		shop := jobShop(t, 3+int(seed%3), 3, 6, seed)
		check(shop, endBy(shop, randomEnd(shop, newRand(seed))), seed, "makespan")
	}
	t.Logf("answers %v, %d refuted without a formula, %d windows narrower", answers, refuted, narrowed)
	if answers[true] == 0 || answers[false] == 0 || refuted == 0 || narrowed < int(seeds) {
		t.Errorf("answers %v, %d refuted without a formula, %d windows narrower", answers, refuted, narrowed)
	}
}

// keepsTo says which task of a model is outside its window.
func keepsTo(l *layout, a *answered) string {
	for _, id := range l.Included {
		p := a.plan[id]
		if p.Slave == model.NoSlave {
			continue
		}
		inside := false
		for k := range l.Places[id] {
			at := &l.Places[id][k]
			inside = inside || at.Slave == p.Slave && at.FirstStart() <= p.Start && p.Start <= at.LastStart && at.FirstFetch <= p.Fetch
		}
		if !inside {
			return l.JS.TaskName(id) + " is outside its window"
		}
	}
	return ""
}

// TestBoundSetsAsExhaustiveSearch: hard jobs on slaves with one core that are
// bound to them, against a search that shares no code.
func TestBoundSetsAsExhaustiveSearch(t *testing.T) {
	count, refuted := map[bool]int{}, 0
	for seed := range uint64(400) {
		k := gen.TinyKnobs()
		k.Slaves, k.Cores, k.SpareSlots = gen.Range{Lo: 1, Hi: 2}, gen.Range{Lo: 1, Hi: 1}, gen.Range{Lo: 0, Hi: 5}
		k.Barred, k.FIFO, k.Hard, k.Witness, k.Slack = 0.5, 0, 1, 1, gen.Range{Lo: -3, Hi: 0}
		k.Heartbeat = gen.Range{Lo: 1, Hi: 3}
		js, _ := gen.Random(k, seed)
		want, err := oracle.SolveFor(js, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		q := ask(js, "feasible", newRand(seed))
		l := newLayout(q)
		got := (&solver{f: buildFamilies(l, families).Formula}).ask(t)
		if got != (want.Status != model.Infeasible) {
			t.Errorf("seed %d: satisfiable %v, exhaustive search says %s", seed, got, want.Status)
		}
		count[got]++
		if l.refuted {
			refuted++
		}
	}
	if count[true] == 0 || count[false] == 0 || refuted == 0 {
		t.Errorf("satisfiable and not: %v, %d refuted without a formula", count, refuted)
	}
}
