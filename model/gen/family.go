package gen

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"downbeat/model"
)

// family is how to make a set, and its witness or nil, from a seed.
type family func(seed uint64) (*model.JobSet, model.Schedule)

// traits are what families of several sizes have in common. The changes to the
// knobs that a trait is given come last.
var traits = map[string]func(changes ...func(*Knobs)) family{
	// All jobs hard; the deadlines are the finishes of a schedule that exists
	// plus 0–2 ticks.
	"tight":      func(changes ...func(*Knobs)) family { return drawn(before(tight, changes)...) },
	"tight-laid": func(changes ...func(*Knobs)) family { return laidOut(before(tight, changes)...) },
	// Tight sets with all deadlines cut until a counting argument shows that
	// they cannot be met, though each job alone would fit.
	"infeasible": func(changes ...func(*Knobs)) family { return cutDown(overloadedAt, before(tight, changes)...) },
	// The same with deadlines halfway between: nobody knows.
	"squeezed": func(changes ...func(*Knobs)) family { return cutDown(halfway, before(tight, changes)...) },
	// One job in eight hard.
	"misses":    func(changes ...func(*Knobs)) family { return drawn(before(mostlySoft, changes)...) },
	"tardiness": func(changes ...func(*Knobs)) family { return drawn(before(mostlySoft, append(changes, tardiness))...) },
	model.WeightedTardiness.String(): func(changes ...func(*Knobs)) family {
		return drawn(before(mostlySoft, append(changes, weightedTardiness))...)
	},
}

// families have a size of their own.
var families = map[string]family{
	// 6–12 tasks on 2–3 slaves, hard and soft mixed.
	"tiny": drawn(func(k *Knobs) {
		k.Tasks, k.Slaves, k.FirstStage, k.LaterStage = Range{6, 12}, Range{2, 3}, Range{1, 3}, Range{1, 1}
		k.Hard, k.Load, k.Tightness = 0.4, 150, Range{90, 160}
	}),
	// 15–30 tasks on 3–4 slaves.
	"tight":      traits["tight"](),
	"tight-laid": traits["tight-laid"](),
	"infeasible": traits["infeasible"](),
	"squeezed":   traits["squeezed"](),
	// 20–40 tasks on 3–4 slaves.
	"misses":    traits["misses"](),
	"tardiness": traits["tardiness"](),
	// 100–150 tasks on 8 slaves.
	"tight-medium":      traits["tight"](medium),
	"tight-medium-laid": traits["tight-laid"](medium),
	"misses-medium":     traits["misses"](medium),
	// About 90 jobs of 1,000 tasks on 30 slaves, a third of the jobs hard.
	"large": drawn(large),
	// The same with releases so dense that soft jobs are late for want of room,
	// though each of them alone would be in time. Hard ones have some slack: what
	// is to be found is which jobs to let go.
	"large-contended": drawn(large, func(k *Knobs) { k.Load, k.Slack = 180, Range{5, 25} }),
}

// The tasks that a family with a size in its name may have.
const minSize, maxSize = 10, 1000

// FamilyNames lists the families with a size of their own in alphabetical order.
func FamilyNames() []string { return slices.Sorted(maps.Keys(families)) }

// TraitNames lists in alphabetical order the families that can be had in any
// size from 10 to 1000 tasks: "tight-40" has 40.
func TraitNames() []string { return slices.Sorted(maps.Keys(traits)) }

// scales are Scale and its kin, which can be had in any size from 100 tasks on.
var scales = map[string]func(tasks int, seed uint64) *model.JobSet{
	"scale":            Scale,
	"scale-today":      ScaleToday,
	"scale-shared":     func(tasks int, seed uint64) *model.JobSet { return ScaleShared(tasks, seed, false) },
	"scale-overloaded": func(tasks int, seed uint64) *model.JobSet { return ScaleShared(tasks, seed, true) },
}

// The tasks that a set of Scale may have.
const minScale, maxScale = 100, 1_000_000

// ScaleNames lists the kin of Scale in alphabetical order.
func ScaleNames() []string { return slices.Sorted(maps.Keys(scales)) }

// partsOf are those of a name with a number of tasks; 0 tasks where it has none.
func partsOf(name string) (trait string, tasks int) {
	i := strings.LastIndexByte(name, '-')
	if i < 0 {
		return name, 0
	}
	n, err := strconv.Atoi(name[i+1:])
	if err != nil {
		return name, 0
	}
	return name[:i], n
}

// Family makes a set of a family: one of FamilyNames, or one of TraitNames or ScaleNames with
// a number of tasks, or one like ClassicNames. The schedule is valid and meets every hard deadline; it is
// nil for the families infeasible and squeezed, of which large sets may not come
// about: then there is an error; nor have those of ScaleNames and of jobshop-hard one. In all other families, but for those
// of the literature, slaves differ in speed, heartbeats
// are staggered and every task of a job's first stage has its own replicas: hardly
// two tasks or slaves are interchangeable.
func Family(name string, seed uint64) (*model.JobSet, model.Schedule, error) {
	if kind, tasks := partsOf(name); scales[kind] != nil && tasks >= minScale && tasks <= maxScale {
		return scales[kind](tasks, seed), nil, nil
	}
	build, err := familyNamed(name)
	if err != nil {
		return nil, nil, err
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	js, witness := build(seed ^ h.Sum64()) // other figures in every family
	if js == nil {
		return nil, nil, fmt.Errorf("no set of family %s with seed %d: counting finds none of %d sets infeasible, however far deadlines are cut", name, seed, maxTries)
	}
	js.Name = fmt.Sprintf("%s-%d", name, seed)
	return js, witness, nil
}

func familyNamed(name string) (family, error) {
	if build, ok := families[name]; ok {
		return build, nil
	}
	if trait, n := partsOf(name); traits[trait] != nil && n >= minSize && n <= maxSize {
		return traits[trait](sized(n)), nil
	}
	if build := classicNamed(name); build != nil {
		return build, nil
	}
	return nil, fmt.Errorf("unknown family %q; there are %s, with %d to %d tasks, as in tight-40, %s, with %d to %d %s, and of the literature, up to %d, %s",
		name, strings.Join(FamilyNames(), ", "), minSize, maxSize, strings.Join(TraitNames(), ", "),
		minScale, maxScale, strings.Join(ScaleNames(), ", "), maxClassic, strings.Join(ClassicNames(), ", "))
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

func before(first func(*Knobs), rest []func(*Knobs)) []func(*Knobs) {
	return append([]func(*Knobs){first}, rest...)
}

func drawn(changes ...func(*Knobs)) family {
	return func(seed uint64) (*model.JobSet, model.Schedule) { return Random(knobs(changes...), seed) }
}

func laidOut(changes ...func(*Knobs)) family {
	return func(seed uint64) (*model.JobSet, model.Schedule) { return laid(knobs(changes...), seed) }
}

func cutDown(share func(overloaded model.Time) model.Time, changes ...func(*Knobs)) family {
	return func(seed uint64) (*model.JobSet, model.Schedule) { return cut(knobs(changes...), seed, share), nil }
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

func tardiness(k *Knobs) { k.Objectives = [][]model.Objective{{model.Tardiness}} }

func weightedTardiness(k *Knobs) { k.Objectives = [][]model.Objective{{model.WeightedTardiness}} }

func medium(k *Knobs) {
	k.Tasks, k.Slaves, k.Cores = Range{100, 150}, Range{8, 8}, Range{1, 4}
	k.FirstStage, k.LaterStage = Range{3, 9}, Range{1, 3}
}

func large(k *Knobs) {
	mostlySoft(k)
	k.Tasks, k.FirstStage, k.LaterStage = Range{980, 1020}, Range{6, 12}, Range{1, 4}
	k.Slaves, k.Cores, k.Hard = Range{30, 30}, Range{2, 4}, 0.33
	k.Load, k.Tightness = 80, Range{110, 250}
}

// sized gives a set n tasks. Slaves, cores and the tasks of a job grow from
// those of the small families to those of the medium ones, so that a core has
// four to eight tasks on average at every size.
func sized(n int) func(*Knobs) {
	return func(k *Knobs) {
		slaves := 2 + n/20
		if n >= 100 {
			medium(k)
		} else if n >= 60 {
			k.Cores, k.FirstStage, k.LaterStage = Range{1, 3}, Range{2, 7}, Range{1, 3}
		}
		k.Tasks, k.Slaves = Range{n, n}, Range{slaves, slaves}
	}
}

// overloadedAt and halfway choose how far deadlines are cut, in percent of what
// they were, given the largest share at which counting shows the set to be
// infeasible.
func overloadedAt(share model.Time) model.Time { return share }
func halfway(share model.Time) model.Time      { return (share + 100) / 2 }

// maxTries bounds the sets that cut draws: of 100 tasks it takes a dozen, of 200
// some hundred, of 400 up to two thousand, and of 700 none is overloaded.
const maxTries = 5000

// cut makes a set with all spans from release to deadline cut to the share that
// choose names, given the largest one, in steps of 5 percent, at which counting
// shows the set to be infeasible. No job gets less than it needs alone. Where
// counting never shows it, another set is tried; nil if it does for none.
func cut(k Knobs, seed uint64, choose func(overloaded model.Time) model.Time) *model.JobSet {
	// Seeds of tries come from a stream of their own: with seed, seed+1, … those
	// of neighbouring seeds would end at the same set.
	tries := rand.New(rand.NewPCG(seed, 1))
	for range maxTries {
		js, _ := Random(k, tries.Uint64())
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
		work := leastWork(js)
		for share := model.Time(95); share > 0; share -= 5 {
			setShare(share)
			if overloaded(js, work) {
				setShare(choose(share))
				return js
			}
		}
	}
	return nil
}

// use is time on cores, in slots and on fetch lines.
type use struct{ run, hold, fetch model.Time }

// leastWork adds up, for each hard job, the least times over the slaves that its
// tasks run, hold a slot, and fetch.
func leastWork(js *model.JobSet) []use {
	work := make([]use, len(js.Jobs))
	for i := range js.Tasks {
		task := &js.Tasks[i]
		least := use{model.Never, model.Never, model.Never}
		for s := range model.SlaveID(len(js.Slaves)) {
			if task.Eligible(s) {
				least.run = min(least.run, task.WCET(s))
				least.fetch = min(least.fetch, task.Transfer(s))
				least.hold = min(least.hold, task.WCET(s)+task.Transfer(s))
			}
		}
		if js.Jobs[task.Job].Kind == model.Hard {
			w := &work[task.Job]
			w.run, w.hold, w.fetch = w.run+least.run, w.hold+least.hold, w.fetch+least.fetch
		}
	}
	return work
}

// overloaded reports whether counting shows that the hard jobs cannot all meet
// their deadlines: in some interval, those that are released and due within
// need more ticks of all cores, slots or fetch lines than there are, even if
// each of their tasks needed only the least over its slaves. Split slots,
// heartbeats and absences are not looked at.
func overloaded(js *model.JobSet, work []use) bool {
	cores, slots, lines := model.Time(0), model.Time(0), model.Time(len(js.Slaves))
	if js.Fetch == model.FetchConcurrent {
		lines = model.Time(len(js.Tasks))
	}
	for i := range js.Slaves {
		cores += model.Time(js.Slaves[i].Cores)
		slots += model.Time(js.Slaves[i].TotalSlots())
	}
	var byDue []model.JobID
	for i := range js.Jobs {
		if js.Jobs[i].Kind == model.Hard {
			byDue = append(byDue, model.JobID(i))
		}
	}
	slices.SortFunc(byDue, func(a, b model.JobID) int { return cmp.Compare(js.Jobs[a].Due(), js.Jobs[b].Due()) })
	for a := range js.Jobs {
		from, sum := js.Jobs[a].Release, use{}
		for _, b := range byDue {
			n := js.Jobs[b].Due() - from
			if n <= 0 || js.Jobs[b].Release < from {
				continue
			}
			sum.run, sum.hold, sum.fetch = sum.run+work[b].run, sum.hold+work[b].hold, sum.fetch+work[b].fetch
			if sum.run > cores*n || sum.hold > slots*n || sum.fetch > lines*n {
				return true
			}
		}
	}
	return false
}
