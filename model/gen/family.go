package gen

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"downbeat/model"
)

// family is how to make a set, and its witness or nil, from a seed.
type family func(seed uint64) (*model.JobSet, model.Schedule)

var families = map[string]family{
	// 6–12 tasks on 2–3 slaves, hard and soft mixed.
	"tiny": drawn(func(k *Knobs) {
		k.Tasks, k.Slaves, k.FirstStage, k.LaterStage = Range{6, 12}, Range{2, 3}, Range{1, 3}, Range{1, 1}
		k.Hard, k.Load, k.Tightness = 0.4, 150, Range{90, 160}
	}),
	// 15–30 tasks on 3–4 slaves, all jobs hard; the deadlines are the finishes
	// of a schedule that exists plus 0–2 ticks.
	"tight":      drawn(tight),
	"tight-laid": func(seed uint64) (*model.JobSet, model.Schedule) { return laid(knobs(tight), seed) },
	// 100–150 such tasks on 8 slaves.
	"tight-medium":      drawn(tight, medium),
	"tight-medium-laid": func(seed uint64) (*model.JobSet, model.Schedule) { return laid(knobs(tight, medium), seed) },
	// Tight sets with all deadlines cut until a counting argument shows that
	// they cannot be met, though each job alone would fit.
	"infeasible": func(seed uint64) (*model.JobSet, model.Schedule) { return cut(seed, false), nil },
	// The same with deadlines halfway between: nobody knows.
	"squeezed": func(seed uint64) (*model.JobSet, model.Schedule) { return cut(seed, true), nil },
	// 20–40 tasks on 3–4 slaves, one job in eight hard.
	"misses":    drawn(mostlySoft),
	"tardiness": drawn(mostlySoft, func(k *Knobs) { k.Objectives = [][]model.Objective{{model.Tardiness}} }),
	// 100–150 such tasks on 8 slaves.
	"misses-medium": drawn(mostlySoft, medium),
	// About 90 jobs of 1,000 tasks on 30 slaves, a third of the jobs hard.
	"large": drawn(mostlySoft, func(k *Knobs) {
		k.Tasks, k.FirstStage, k.LaterStage = Range{980, 1020}, Range{6, 12}, Range{1, 4}
		k.Slaves, k.Cores, k.Hard = Range{30, 30}, Range{2, 4}, 0.33
		k.Load, k.Tightness = 80, Range{110, 250}
	}),
}

// FamilyNames lists the families in alphabetical order.
func FamilyNames() []string { return slices.Sorted(maps.Keys(families)) }

// Family makes a set of a family. The schedule is valid and meets every hard
// deadline; it is nil for the families infeasible and squeezed. In all
// families slaves differ in speed, heartbeats are staggered and every task of
// a job's first stage has its own replicas: hardly two tasks or slaves are
// interchangeable.
func Family(name string, seed uint64) (*model.JobSet, model.Schedule, error) {
	build, ok := families[name]
	if !ok {
		return nil, nil, fmt.Errorf("unknown family %q; there are %v", name, FamilyNames())
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	js, witness := build(seed ^ h.Sum64()) // other figures in every family
	js.Name = fmt.Sprintf("%s-%d", name, seed)
	return js, witness, nil
}

// knobs are those common to all families, changed in turn.
func knobs(changes ...func(*Knobs)) Knobs {
	k := Knobs{
		Shapes: [shapes]int{MapReduce: 1},
		Cores:  Range{1, 2}, SpareSlots: Range{1, 1}, Heartbeat: Range{3, 3}, Stagger: 1,
		WCET: Range{3, 9}, StageWCET: true, Speeds: Range{100, 135},
		Transfer: Range{2, 5}, Local: 1, LocalTransfer: Range{0, 1},
		Load: 100, Weight: Range{1, 3}, Tightness: Range{110, 220}, Witness: 1, Slack: Range{0, 2},
		Objectives: [][]model.Objective{nil},
	}
	for _, change := range changes {
		change(&k)
	}
	return k
}

func drawn(changes ...func(*Knobs)) family {
	return func(seed uint64) (*model.JobSet, model.Schedule) { return Random(knobs(changes...), seed) }
}

func tight(k *Knobs) {
	k.Tasks, k.Slaves, k.FirstStage, k.LaterStage = Range{15, 30}, Range{3, 4}, Range{1, 5}, Range{1, 2}
	k.Hard = 1
}

func mostlySoft(k *Knobs) {
	k.Tasks, k.Slaves, k.FirstStage, k.LaterStage = Range{20, 40}, Range{3, 4}, Range{1, 6}, Range{1, 2}
	k.Hard, k.Load, k.Tightness = 0.125, 150, Range{100, 170}
	k.Objectives = [][]model.Objective{{model.Misses}}
}

func medium(k *Knobs) {
	k.Tasks, k.Slaves, k.Cores = Range{100, 150}, Range{8, 8}, Range{1, 4}
	k.FirstStage, k.LaterStage = Range{3, 9}, Range{1, 3}
}

// cut makes a tight set with all spans from release to deadline cut to the
// largest share, in steps of 5 percent, at which counting shows the set to be
// infeasible, or halfway back from there. No job gets less than it needs alone.
// Where counting never shows it, the next set is tried.
func cut(seed uint64, halfway bool) *model.JobSet {
	for ; ; seed++ {
		js, _ := Random(knobs(tight), seed)
		spans, needs := make([]model.Time, len(js.Jobs)), make([]model.Time, len(js.Jobs))
		for i := range js.Jobs {
			spans[i] = js.Jobs[i].Deadline
			needs[i] = alone(js, model.JobID(i)) - js.Jobs[i].Release
		}
		setShare := func(percent model.Time) {
			for i := range js.Jobs {
				js.Jobs[i].Deadline = max(needs[i], spans[i]*percent/100)
			}
		}
		for share := model.Time(95); share > 0; share -= 5 {
			setShare(share)
			if !overloaded(js) {
				continue
			}
			if halfway {
				setShare((share + 100) / 2)
			}
			return js
		}
	}
}

// overloaded reports whether counting shows that the hard jobs cannot all meet
// their deadlines: in some interval, those that are released and due within
// need more ticks of all cores, slots or fetch lines than there are, even if
// each of their tasks needed only the least over its slaves. Split slots,
// heartbeats and absences are not looked at.
func overloaded(js *model.JobSet) bool {
	cores, slots, lines := model.Time(0), model.Time(0), model.Time(len(js.Slaves))
	if js.Fetch == model.FetchConcurrent {
		lines = model.Time(len(js.Tasks))
	}
	for i := range js.Slaves {
		cores += model.Time(js.Slaves[i].Cores)
		slots += model.Time(js.Slaves[i].TotalSlots())
	}
	for a := range js.Jobs {
		for b := range js.Jobs {
			from, to := js.Jobs[a].Release, js.Jobs[b].Due()
			if js.Jobs[b].Kind != model.Hard || to <= from {
				continue
			}
			run, hold, fetch := need(js, from, to)
			if n := to - from; run > cores*n || hold > slots*n || fetch > lines*n {
				return true
			}
		}
	}
	return false
}

// need adds up the least times that the tasks of the hard jobs released and due
// within [from, to) run, hold a slot, and fetch.
func need(js *model.JobSet, from, to model.Time) (run, hold, fetch model.Time) {
	for i := range js.Tasks {
		task := &js.Tasks[i]
		job := &js.Jobs[task.Job]
		if job.Kind != model.Hard || job.Release < from || job.Due() > to {
			continue
		}
		leastRun, leastHold, leastFetch := model.Never, model.Never, model.Never
		for s := range model.SlaveID(len(js.Slaves)) {
			if task.Eligible(s) {
				leastRun = min(leastRun, task.WCET(s))
				leastFetch = min(leastFetch, task.Transfer(s))
				leastHold = min(leastHold, task.WCET(s)+task.Transfer(s))
			}
		}
		run, hold, fetch = run+leastRun, hold+leastHold, fetch+leastFetch
	}
	return run, hold, fetch
}
