package maxweight

import (
	"slices"

	"downbeat/model"
	"downbeat/online"
)

// replicas is how many slaves with a task's input count.
const replicas = 3

// rates keeps mean times of local and remote placement over released map tasks.
type rates struct {
	times           map[*model.Profile]times
	local, remote   float64 // sums of the tasks' means, in ticks
	locals, remotes int
}

// times are a task's local slaves and its mean times, transfer and execution,
// on them and on the others that may run it, 0 if there are none.
type times struct {
	local              []model.SlaveID
	onLocal, elsewhere float64
}

// of computes the times of a profile once.
func (r *rates) of(v *online.View, p *model.Profile) times {
	t, ok := r.times[p]
	if ok {
		return t
	}
	t.local = p.Nearest()
	t.local = t.local[:min(replicas, len(t.local))]
	var sums [2]float64
	var counts [2]int
	for s := range model.SlaveID(len(v.Slaves())) {
		if !p.Eligible(s) {
			continue
		}
		i := 1
		if slices.Contains(t.local, s) {
			i = 0
		}
		sums[i] += float64(p.Transfer(s) + p.WCET(s))
		counts[i]++
	}
	t.onLocal, t.elsewhere = sums[0]/float64(max(1, counts[0])), sums[1]/float64(max(1, counts[1]))
	r.times[p] = t
	return t
}

// add counts a task.
func (r *rates) add(t times) {
	if t.onLocal > 0 {
		r.local += t.onLocal
		r.locals++
	}
	if t.elsewhere > 0 {
		r.remote += t.elsewhere
		r.remotes++
	}
}

// inverse are the rates: one over the mean times. As long as one kind of
// placement is unknown both are taken to be alike.
func (r *rates) inverse() (alpha, gamma float64) {
	if r.locals == 0 || r.remotes == 0 {
		return 1, 1
	}
	return float64(r.locals) / r.local, float64(r.remotes) / r.remote
}
