package gen

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"downbeat/model"
)

// A classic is a family of the literature on scheduling. What is asked for is the least
// makespan, but for jobshop-hard, where all jobs are hard, and due together, for one-machine and parallel, the least weighted
// tardiness, and for late-jobs, the least weight of late jobs.
type classic struct {
	// example is a name of the family, with a size.
	example string
	// named is the family of a size as it stands in a name, nil if it is none.
	named func(size string) family
}

var classics = map[string]classic{
	"hybrid-flowshop": {"hybrid-flowshop-15x10", func(size string) family { return byMachines(size, hybridFlowShop) }},
	"jobshop":         {"jobshop-10x10", func(size string) family { return byMachines(size, jobShop) }},
	"jobshop-hard": {"jobshop-hard-10x10", func(size string) family {
		jobs, machines, ok := shopSize(size)
		if !ok {
			return nil
		}
		return func(seed uint64) (*model.JobSet, model.Schedule) {
			js := jobShop(jobs, machines, seed)
			due := busiest(js) * commonDue / 100
			for i := range js.Jobs {
				js.Jobs[i].Kind, js.Jobs[i].Deadline = model.Hard, due
			}
			assembled(js)
			return js, nil
		}
	}},
	"one-machine": {"one-machine-40", func(size string) family {
		n := classicSize(size)
		if n < minSize {
			return nil
		}
		return func(seed uint64) (*model.JobSet, model.Schedule) { return inTurn(parallel(n, 1, seed)) }
	}},
	"parallel": {"parallel-40x2", func(size string) family {
		jobs, machines, ok := shopSize(size)
		if !ok {
			return nil
		}
		return func(seed uint64) (*model.JobSet, model.Schedule) { return inTurn(parallel(jobs, machines, seed)) }
	}},
	"project": {"project-30", func(size string) family {
		n := classicSize(size)
		if n < minSize {
			return nil
		}
		return func(seed uint64) (*model.JobSet, model.Schedule) { return withMakespan(newProject(n, seed).jobSet()) }
	}},
	"late-jobs": {"late-jobs-100x3", func(size string) family {
		jobs, machines, ok := shopSize(size)
		if !ok {
			return nil
		}
		return func(seed uint64) (*model.JobSet, model.Schedule) { return inTurn(lateJobs(jobs, machines, seed)) }
	}},
	"rigid":       {"rigid-40x8", func(size string) family { return byMachines(size, rigid) }},
	"setups":      {"setups-50x5", func(size string) family { return setups(size, 20) }},
	"setups-long": {"setups-long-20x3", func(size string) family { return setups(size, 50) }},
	"unrelated":   {"unrelated-60x10", func(size string) family { return byMachines(size, unrelated) }},
}

// byMachines is a family for the least makespan, by jobs and machines (of hybrid flow shops stages, of rigid jobs cores).
func byMachines(size string, draw func(jobs, machines int, seed uint64) *model.JobSet) family {
	jobs, machines, ok := shopSize(size)
	if !ok {
		return nil
	}
	return func(seed uint64) (*model.JobSet, model.Schedule) {
		return withMakespan(draw(jobs, machines, seed))
	}
}

// setups is the family of machines with one set-up server, by jobs and machines.
func setups(size string, longest int) family {
	return byMachines(size, func(jobs, machines int, seed uint64) *model.JobSet { return setupServer(jobs, machines, longest, seed) })
}

// ClassicNames lists in alphabetical order families of the literature on scheduling, each with
// a size, which may be another: by jobs and machines (hybrid flow shops by jobs and stages,
// rigid jobs by jobs and cores), projects by activities, one machine by jobs.
func ClassicNames() []string {
	var names []string
	for _, kind := range slices.Sorted(maps.Keys(classics)) {
		names = append(names, classics[kind].example)
	}
	return names
}

// maxClassic bounds jobs, machines and activities.
const maxClassic = 300

// classicSize is a number from 1 to maxClassic, or else 0.
func classicSize(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxClassic {
		return 0
	}
	return n
}

// classicNamed is the family with a name like those of classics, or nil.
func classicNamed(name string) family {
	i := strings.LastIndexByte(name, '-')
	if c, ok := classics[name[:max(i, 0)]]; ok {
		return c.named(name[i+1:])
	}
	return nil
}

// shopSize are jobs and machines from a text like 10x15.
func shopSize(text string) (jobs, machines int, ok bool) {
	before, after, _ := strings.Cut(text, "x")
	jobs, machines = classicSize(before), classicSize(after)
	return jobs, machines, jobs > 0 && machines > 0
}

// withMakespan assembles a set for the least makespan, and gives the schedule of its jobs in turn.
func withMakespan(js *model.JobSet) (*model.JobSet, model.Schedule) {
	js.Objectives = []model.Objective{model.Makespan}
	assembled(js)
	return inTurn(js)
}

// inTurn gives the schedule of the jobs one after the other.
func inTurn(js *model.JobSet) (*model.JobSet, model.Schedule) {
	order := make([]model.JobID, len(js.Jobs))
	for i := range order {
		order[i] = model.JobID(i)
	}
	return js, serial(js, order)
}

func assembled(js *model.JobSet) {
	js.Heartbeat = 1
	if err := js.Assemble(); err != nil {
		panic("gen: " + err.Error())
	}
}

// commonDue is when jobs of jobshop-hard are due, in percent of the time that the busiest machine or the
// longest job takes alone. The least makespan is below that of some sets of ten jobs on ten
// machines, and above that of others.
const commonDue = 120

// busiest is what the busiest machine or the longest job takes alone.
func busiest(js *model.JobSet) model.Time {
	machines, most := make([]model.Time, len(js.Slaves)), model.Time(0)
	for i := range js.Jobs {
		length := model.Time(0)
		for _, st := range js.Jobs[i].Stages {
			for m := range machines {
				wcet := st.Groups[0].Profile.WCET(model.SlaveID(m))
				machines[m], length = machines[m]+wcet, length+wcet
			}
		}
		most = max(most, length)
	}
	return max(most, slices.Max(machines))
}

// jobShop has jobs that go over every machine once, in an order of their own, each for 1 to
// 99 ticks, uniformly (Taillard 1993).
func jobShop(jobs, machines int, seed uint64) *model.JobSet {
	rng := rand.New(rand.NewPCG(seed, 0))
	js := &model.JobSet{}
	for m := range machines {
		js.Slaves = append(js.Slaves, model.Slave{Name: fmt.Sprintf("m%d", m+1), Cores: 1, Slots: jobs})
	}
	for i := range jobs {
		job := model.Job{Name: fmt.Sprintf("j%d", i+1), Kind: model.BestEffort, Weight: 1}
		for k, m := range rng.Perm(machines) {
			wcet := make([]model.Time, machines) // 0 bars a task from a slave
			wcet[m] = model.Time(1 + rng.IntN(99))
			job.Stages = append(job.Stages, model.Stage{
				Name:   fmt.Sprintf("op%d", k+1),
				Groups: []model.Group{{Count: 1, Profile: model.NewProfile(model.DenseRow(wcet), model.ConstRow(machines, 0))}},
			})
		}
		js.Jobs = append(js.Jobs, job)
	}
	return js
}

// project is an instance of the resource-constrained project scheduling problem, made as
// ProGen makes those of PSPLIB (Kolisch, Sprecher and Drexl 1995), with the parameters of its
// hardest sets of 30 activities: network complexity 1.5, every activity needs every resource
// (resource factor 1), resource strength 0.2.
type project struct {
	duration []model.Time
	need     [][]int64 // by activity and resource
	capacity []int64   // by resource
	// before lists the activities that one comes directly after, after tells which come after it by
	// any way.
	before [][]model.JobID
	after  [][]bool
	arcs   []int // out of each activity
}

// What projects have in common.
const (
	projectResources          = 4
	longestActivity, mostNeed = 10, 10
	// ends is how many activities have no predecessor, and how many no successor.
	ends = 3
	// degree bounds the arcs into an activity, and those out of one.
	degree = 3
	// complexity is how many arcs there are for each activity, in percent; strength where
	// capacity is between the least that will do and what all activities at their earliest
	// starts take, in percent.
	complexity, strength = 150, 20
)

func newProject(n int, seed uint64) *project {
	rng := rand.New(rand.NewPCG(seed, 0))
	p := &project{before: make([][]model.JobID, n), arcs: make([]int, n)}
	for range n {
		p.after = append(p.after, make([]bool, n))
		p.duration = append(p.duration, model.Time(1+rng.IntN(longestActivity)))
		var need []int64
		for range projectResources {
			need = append(need, int64(1+rng.IntN(mostNeed)))
		}
		p.need = append(p.need, need)
	}
	p.drawNetwork(rng)
	p.setCapacity()
	return p
}

// drawNetwork gives each activity a predecessor and a successor, but for the first and the
// last ones, and then draws arcs up to the complexity. None is redundant.
func (p *project) drawNetwork(rng *rand.Rand) {
	n := len(p.before)
	for i := ends; i < n; i++ {
		p.some(rng, min(i, n-ends), func(k int) (int, int) { return k, i })
	}
	for i := n - ends - 1; i >= 0; i-- {
		if p.arcs[i] == 0 {
			p.some(rng, n-max(i+1, ends), func(k int) (int, int) { return i, n - 1 - k })
		}
	}
	total := 0
	for _, arcs := range p.arcs {
		total += arcs
	}
	for tries := 0; total < n*complexity/100 && tries < 100*n; tries++ {
		i, k := rng.IntN(n-1), 1+rng.IntN(n-1)
		if i < n-ends && k >= ends && p.link(i, k) {
			total++
		}
	}
}

// some draws one of the arcs for k in [0, n) that there is room for, if there is one.
func (p *project) some(rng *rand.Rand, n int, arc func(k int) (from, to int)) {
	for _, k := range rng.Perm(n) {
		if p.link(arc(k)) {
			return
		}
	}
}

// link adds an arc, unless it is redundant, makes another redundant, or has no room.
func (p *project) link(from, to int) bool {
	if from >= to || p.after[from][to] || p.arcs[from] == degree || len(p.before[to]) == degree {
		return false
	}
	reaches := func(a, b int) bool { return a == b || p.after[a][b] }
	for b, before := range p.before {
		for _, a := range before {
			if reaches(int(a), from) && reaches(to, b) {
				return false
			}
		}
	}
	p.before[to] = append(p.before[to], model.JobID(from))
	slices.Sort(p.before[to])
	p.arcs[from]++
	for a := range p.after {
		for b := range p.after {
			p.after[a][b] = p.after[a][b] || reaches(a, from) && reaches(to, b)
		}
	}
	return true
}

// setCapacity is from what the neediest activity needs to the peak of the schedule in which
// all start as early as precedences allow.
func (p *project) setCapacity() {
	starts, end := make([]model.Time, len(p.before)), model.Time(0)
	for i, before := range p.before {
		for _, k := range before {
			starts[i] = max(starts[i], starts[k]+p.duration[k])
		}
		end = max(end, starts[i]+p.duration[i])
	}
	for r := range projectResources {
		least, peak := int64(0), int64(0)
		held := make([]int64, end)
		for i, need := range p.need {
			least = max(least, need[r])
			for t := range p.duration[i] {
				held[starts[i]+t] += need[r]
			}
		}
		for _, n := range held {
			peak = max(peak, n)
		}
		p.capacity = append(p.capacity, least+(strength*(peak-least)+50)/100)
	}
}

// jobSet is the project as a job set: a slave that has cores and slots for all, and a job of one task for
// each activity.
func (p *project) jobSet() *model.JobSet {
	n := len(p.before)
	js := &model.JobSet{Slaves: []model.Slave{{Name: "site", Cores: n, Slots: n, Units: p.capacity}}}
	for r := range projectResources {
		js.Named = append(js.Named, fmt.Sprintf("r%d", r+1))
	}
	for i := range n {
		needs := model.Needs{Cores: 1}
		copy(needs.Units[:], p.need[i])
		profile := model.NewProfile(model.ConstRow(1, p.duration[i]), model.ConstRow(1, 0)).Needing(needs)
		js.Jobs = append(js.Jobs, model.Job{
			Name: fmt.Sprintf("a%d", i+1), Kind: model.BestEffort, Weight: 1, After: p.before[i],
			Stages: []model.Stage{{Name: "all", Groups: []model.Group{{Count: 1, Profile: profile}}}},
		})
	}
	return js
}
