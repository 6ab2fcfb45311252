package penn_test

import (
	"cmp"
	"slices"

	"downbeat/model"
	"downbeat/online"
	"downbeat/online/penn"
)

// reference is a slow second version of the policies but Random: it goes
// through single tasks, asks every slave for every estimate, remembers nothing
// and is asked at every heartbeat.
type reference struct {
	order  penn.Order
	choice penn.Choice
	params penn.Params
}

func (r *reference) Name() string        { return "reference" }
func (r *reference) Asks() online.Asking { return online.EveryBeat }
func (r *reference) figures(v *online.View, p *model.Profile) (wcet, total model.Time) {
	wcet, total = model.Never, model.Never
	for s := range model.SlaveID(len(v.Slaves())) {
		if p.Eligible(s) {
			wcet, total = min(wcet, p.WCET(s)), min(total, p.WCET(s)+p.Transfer(s))
		}
	}
	return wcet, total
}

func (r *reference) density(v *online.View, b *online.Group) float64 {
	j := b.Job().Spec()
	if j.Kind == model.BestEffort {
		return 0
	}
	wcet, _ := r.figures(v, b.Profile())
	return float64(wcet) / float64(j.Deadline)
}

// key is smaller for what comes first; Densest has a rule of its own.
func (r *reference) key(v *online.View, b *online.Group) float64 {
	due := float64(b.Job().Spec().Due())
	wcet, total := r.figures(v, b.Profile())
	switch {
	case r.order == penn.ShortestWCET:
		return float64(wcet)
	case r.order == penn.ShortestTotal:
		return float64(total)
	case r.order == penn.LLF && due < float64(model.Never):
		return due - float64(v.Now()) - float64(total)
	case r.order == penn.Density && r.density(v, b) > r.params.Delta:
		return due - 1e12
	}
	return due
}

// ranked lists the ready tasks in order, each as its group.
func (r *reference) ranked(v *online.View) []*online.Group {
	var tasks []*online.Group
	for _, j := range v.Ready() {
		for _, b := range j.Groups() {
			for range b.Len() {
				tasks = append(tasks, b)
			}
		}
	}
	byKey := func(a, b *online.Group) int { return cmp.Compare(r.key(v, a), r.key(v, b)) }
	if r.order != penn.Densest {
		slices.SortStableFunc(tasks, byKey)
		return tasks
	}
	// The front is taken off one by one, so that the rest stays as it was.
	var front []*online.Group
	for len(front) < r.params.K && len(tasks) > 0 {
		best := 0
		for i, b := range tasks {
			if r.density(v, b) > r.density(v, tasks[best]) {
				best = i
			}
		}
		front = append(front, tasks[best])
		tasks = slices.Delete(tasks, best, best+1)
	}
	slices.SortStableFunc(tasks, byKey)
	return append(front, tasks...)
}

func (r *reference) chosen(v *online.View, b *online.Group) model.SlaveID {
	soonest, least := model.NoSlave, model.Never
	first, earliest := model.NoSlave, model.Never
	j := b.Job().Spec()
	for s := range model.SlaveID(len(v.Slaves())) {
		given, finish := v.Estimate(s, b)
		if r.params.ByNumber {
			given = 0
		}
		if j.Kind != model.BestEffort && finish <= j.Due() && given < earliest {
			first, earliest = s, given
		}
		if finish < least {
			soonest, least = s, finish
		}
	}
	if r.choice == penn.First && first != model.NoSlave {
		return first
	}
	return soonest
}

func (r *reference) Heartbeat(v *online.View, o *online.Offer) {
	for _, b := range r.ranked(v) {
		if r.chosen(v, b) == o.Slave() && o.Fits(b) {
			o.Give(b)
		}
	}
}
