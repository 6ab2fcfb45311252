package workload

import (
	"errors"
	"fmt"
	"math"
	"time"

	"downbeat/model"
)

// Platform holds the switches of a whole cluster.
type Platform struct {
	// Heartbeat is the interval h in ticks, at least 1.
	Heartbeat model.Time
	// Fetch says whether a slave fetches one input at a time (C6).
	Fetch model.FetchMode
	// Stagger spreads the slaves' first heartbeats evenly over one interval;
	// without it all are at 0.
	Stagger bool
	// FIFO makes a slave start its tasks in the order of their heartbeats.
	FIFO bool
}

func (p *Platform) params() []param {
	return []param{
		{name: "heartbeat", help: "heartbeat interval in ticks", value: whole[model.Time]{&p.Heartbeat, 1, 1_000_000}},
		{name: "fetch", help: "exclusive: a slave fetches one input at a time; or concurrent", value: fetchValue{&p.Fetch}},
		{name: "stagger", help: "first heartbeats spread over one interval, not all at 0", value: yesNo{&p.Stagger}},
		{name: "fifo", help: "slaves start tasks in the order of their heartbeats", value: yesNo{&p.FIFO}},
	}
}

// jobSet is a set without jobs on the given slaves.
func (p *Platform) jobSet(unit time.Duration, slaves []model.Slave) *model.JobSet {
	js := &model.JobSet{TimeUnit: unit, Heartbeat: p.Heartbeat, Fetch: p.Fetch, FIFO: p.FIFO, Slaves: slaves}
	if p.Stagger {
		for i := range slaves {
			slaves[i].FirstBeat = p.Heartbeat * model.Time(i) / model.Time(len(slaves))
		}
	}
	return js
}

// class is a number of slaves like the given one, named as files name them:
// name-1, name-2, …
func class(name string, count int, like model.Slave) []model.Slave {
	slaves := make([]model.Slave, count)
	for i := range slaves {
		slaves[i] = like
		slaves[i].Name = fmt.Sprintf("%s-%d", name, i+1)
		slaves[i].Class = name
	}
	return slaves
}

// splitSlots is a slave of classic Hadoop.
func splitSlots(cores, maps, reduces int) model.Slave {
	return model.Slave{Cores: cores, SplitSlots: true, MapSlots: maps, ReduceSlots: reduces}
}

// Kinds says what deadlines mean.
type Kinds struct {
	// Hard is the share of hard jobs, 0 to 1; the rest is soft. Each job draws
	// its kind, and a larger share keeps hard what was hard at a smaller one.
	Hard float64
	// Weight is the range that the weights of soft jobs are drawn from.
	Weight Range
}

func (k *Kinds) params() []param {
	return []param{
		{name: "hard", help: "share of jobs with hard deadlines, the rest is soft", value: real{&k.Hard, 0, 1}},
		{name: "weight", help: "weights of soft jobs", value: rangeValue{&k.Weight, 1, 1_000_000}},
	}
}

// due gives the job its kind, weight and deadline. Item numbers its draws.
func (k *Kinds) due(job *model.Job, deadline model.Time, seed uint64, item int) {
	job.Deadline = max(1, deadline)
	job.Kind, job.Weight = model.Soft, int64(k.Weight.draw(stream(seed, "weight", item)))
	if stream(seed, "kind", item).Float64() < k.Hard {
		job.Kind, job.Weight = model.Hard, 1
	}
}

// blocks says where inputs are and how long it takes to get them.
type blocks struct {
	// holders are the first slaves of the cluster, among which each task's
	// replicas are drawn, replicas of them, all different.
	holders, replicas int
	// local and remote are transfer times on and off the replicas.
	local, remote model.Time
}

// mapStage is a stage of tasks that each read a block of their own. Item
// numbers the draws of the replicas.
func (b blocks) mapStage(js *model.JobSet, tasks int, wcet model.Row, seed uint64, item int) model.Stage {
	st := model.Stage{Name: "map", Slot: model.MapSlot}
	away := model.ConstRow(len(js.Slaves), b.remote)
	if b.replicas == 0 || b.local == b.remote {
		st.Groups = []model.Group{{Count: tasks, Profile: model.NewProfile(wcet, away)}}
		return st
	}
	rng := stream(seed, "replicas", item)
	for range tasks {
		var at []model.SlaveID
		for _, s := range sample(rng.IntN, b.holders, b.replicas) {
			at = append(at, model.SlaveID(s))
		}
		st.Groups = append(st.Groups, model.Group{Count: 1, Profile: model.NewProfile(wcet, away.With(at, b.local))})
	}
	return st
}

// sample draws k different numbers below n, k ≤ n, by Floyd's method.
func sample(intN func(int) int, n, k int) []int {
	var out []int
	taken := map[int]bool{}
	for top := n - k; top < n; top++ {
		x := intN(top + 1)
		if taken[x] {
			x = top
		}
		taken[x] = true
		out = append(out, x)
	}
	return out
}

// reduceStage is a stage of equal tasks.
func reduceStage(js *model.JobSet, tasks int, wcet model.Row, shuffle model.Time) model.Stage {
	profile := model.NewProfile(wcet, model.ConstRow(len(js.Slaves), shuffle))
	return model.Stage{Name: "reduce", Slot: model.ReduceSlot, Groups: []model.Group{{Count: tasks, Profile: profile}}}
}

// scaledRow is the row with the time scaled by each slave's factor, rounded up,
// at least 1.
func scaledRow(base model.Time, factors []float64) model.Row {
	row := make([]model.Time, len(factors))
	for s, f := range factors {
		row[s] = max(1, model.Time(math.Ceil(float64(base)*f-1e-9)))
	}
	return model.DenseRow(row)
}

// checkReplicas finds blocks with more replicas than there are slaves for them.
func checkReplicas(replicas, holders int) error {
	if replicas > holders {
		return fmt.Errorf("replicas=%d, but only %d slaves can hold them", replicas, holders)
	}
	return nil
}

// finish assembles a set whose jobs and slaves are complete, once it has seen
// that no time is beyond what a file may name.
func finish(js *model.JobSet) (*model.JobSet, error) {
	for i := range js.Jobs {
		if j := &js.Jobs[i]; j.Release > model.MaxTime || j.Deadline > model.MaxTime {
			return nil, fmt.Errorf("job %q would be released at %d and be due %d later, beyond the largest time %d",
				j.Name, j.Release, j.Deadline, model.MaxTime)
		}
	}
	if len(js.Jobs) == 0 {
		return nil, errors.New("no job is left")
	}
	if err := js.Assemble(); err != nil {
		return nil, err
	}
	return js, nil
}
