package lcg

import (
	"cmp"
	"slices"

	"downbeat/model"
	"downbeat/solve/lcg/propagate"
)

// addResources limits what tasks hold on each slave (C4 to C6, C9).
func (p *problem) addResources() {
	for s := range model.SlaveID(len(p.JS.Slaves)) {
		for _, supply := range p.Supplies[s] {
			r := p.resource(s, supply)
			p.because("cap", int(s), int(supply.Resource))
			if propagate.PostTimeTable(p.Solver, r) && r.Users[0].From == r.Users[0].To && p.mostlySettled(r.Users) && equalNeeds(r.Users) {
				p.because("energy", int(s), int(supply.Resource))
				propagate.PostEnergy(p.Solver, r)
			}
		}
	}
}

// resource is what a slave has of a resource, with the tasks that may hold it
// there. What is held for whole stays is counted at heartbeats only, where it
// begins: a task holds it at beat β if it is fetched before the next beat and has
// not finished by β.
func (p *problem) resource(s model.SlaveID, supply model.Supply) propagate.Resource {
	r := propagate.Resource{Capacity: supply.Units, Step: 1}
	if supply.Hold == model.HoldStay {
		r.First, r.Step = int32(p.JS.Slaves[s].FirstBeat), int32(p.JS.Heartbeat)
	}
	for _, c := range p.BySlave[s] {
		if need := p.JS.Need(&p.JS.Tasks[c.Task], s, supply.Resource); need > 0 {
			u := p.user(&p.tasks[c.Task], c.Index, supply.Hold)
			u.Task, u.Need = int32(c.Task), need
			r.Users = append(r.Users, u)
		}
	}
	slices.SortStableFunc(r.Users, func(a, b propagate.User) int { return cmp.Compare(a.Need, b.Need) })
	held, needs := p.FixedOn(s, supply)
	for i, iv := range held {
		r.Fixed = append(r.Fixed, propagate.Fixed{Start: int64(iv.Start), End: int64(iv.End), Need: needs[i]})
	}
	return r
}

// user is a task on its k-th slave that holds a resource in some way.
func (p *problem) user(tk *propagate.Task, k int, hold model.Hold) propagate.User {
	at := &tk.Places[k]
	u := propagate.User{
		X: at.X, From: tk.Start, To: tk.Start, After: at.WCET - 1,
		FromSpan: at.Starts(), ToSpan: at.Starts(),
	}
	switch hold {
	case model.HoldFetch:
		u.From, u.To, u.After = tk.Fetch, tk.Fetch, at.Transfer-1
		u.FromSpan, u.ToSpan = at.Fetches(), at.Fetches()
	case model.HoldStay:
		u.From, u.Before, u.Gap = tk.Fetch, int32(p.JS.Heartbeat)-1, at.Transfer
		u.FromSpan = at.Fetches()
	}
	return u
}

// mostlySettled reports whether it is known of most users of a resource that
// they use it, if their jobs are placed at all.
func (p *problem) mostlySettled(users []propagate.User) bool {
	settled := 0
	for i := range users {
		if slices.Contains(p.on, users[i].X) {
			settled++
		}
	}
	return 2*settled > len(users)
}

// equalNeeds reports whether all users need as much, by their order.
func equalNeeds(users []propagate.User) bool {
	return users[0].Need == users[len(users)-1].Need
}
