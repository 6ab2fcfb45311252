package heuristics

import (
	"math/rand/v2"
	"testing"

	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/window"
)

// A slave with what no job set names yet: memory, held as slots are, and
// accelerators, held as cores are, both in amounts. Two ids that this slave does
// not supply stand for them.
const (
	memory      = model.ReduceSlots
	accelerator = model.FetchLine
)

// ample lists what the slave has.
var ample = []model.Supply{
	{Resource: model.Cores, Hold: model.HoldRun, Units: 2},
	{Resource: accelerator, Hold: model.HoldRun, Units: 3},
	{Resource: model.MapSlots, Hold: model.HoldStay, Units: 3},
	{Resource: memory, Hold: model.HoldStay, Units: 10},
}

func amplySupplied(rng *rand.Rand) *timeline {
	js := &model.JobSet{Heartbeat: 1 + model.Time(rng.IntN(3)), FIFO: rng.IntN(3) == 0, Fetch: model.FetchConcurrent, Slaves: []model.Slave{{
		Cores: 2, Slots: 3, FirstBeat: model.Time(rng.IntN(3)), Down: []model.Interval{{Start: 9, End: 12}},
	}}}
	tl := newTimeline(js, 0, window.NewPresences(js))
	for _, r := range []model.ResourceID{accelerator, memory} {
		tl.uses[r].units, tl.empty[r] = ample[r].Units, steps{{}}
	}
	tl.Reset()
	return tl
}

// placed is a task on the slave.
type placed struct {
	Fit
	request
	units amounts
}

// room reports tick by tick whether a task has what it needs beside the others, and
// with fifo starts in its turn.
func room(tl *timeline, others []placed, p placed) bool {
	for _, other := range others {
		if tl.fifo && (p.Assigned-other.Assigned)*(p.Start-other.Start) < 0 {
			return false
		}
	}
	for _, u := range ample {
		span := func(p placed) model.Interval {
			if u.Hold == model.HoldRun {
				return model.Interval{Start: p.Start, End: p.Finish}
			}
			return model.Interval{Start: p.Assigned, End: p.Finish}
		}
		for at := span(p).Start; at < span(p).End; at++ {
			empty := tl.empty[u.Resource]
			level := empty[empty.index(at)].level + p.units[u.Resource]
			for _, other := range others {
				if iv := span(other); iv.Start <= at && at < iv.End {
					level += other.units[u.Resource]
				}
			}
			if p.units[u.Resource] > 0 && level > u.Units {
				return false
			}
		}
	}
	return true
}

// bruteFinish is the least finish over all heartbeats and starts.
func bruteFinish(tl *timeline, others []placed, r request, units amounts) model.Time {
	for finish := r.Ready + r.Transfer + r.WCET; ; finish++ {
		for at := tl.BeatAtOrAfter(r.Ready); at+r.Transfer+r.WCET <= finish; at += tl.heartbeat {
			if room(tl, others, placed{Fit{at, at, finish - r.WCET, finish}, r, units}) {
				return finish
			}
		}
	}
}

// moved is a place near another.
func moved(rng *rand.Rand, tl *timeline, fit Fit) Fit {
	fit.Assigned += tl.heartbeat * model.Time(rng.IntN(4)-1)
	fit.Fetch = max(fit.Fetch, fit.Assigned) + model.Time(rng.IntN(4)) - 1
	later := model.Time(rng.IntN(4)) - 1
	fit.Start, fit.Finish = fit.Start+later, fit.Finish+later
	return fit
}

// TestAmounts: with several resources held in the same way, of which tasks need
// from nothing to all, and fifo or not, the earliest finish is the one that trying
// every tick finds, a place fits where there is room at every tick, and Insert and
// Remove leave no trace.
func TestAmounts(t *testing.T) {
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 10))
		tl := amplySupplied(rng)
		var all []placed
		for range 12 {
			r := request{Ready: model.Time(rng.IntN(20)), Transfer: model.Time(rng.IntN(3)), WCET: model.Time(1 + rng.IntN(5))}
			units := amounts{model.Cores: 1, model.MapSlots: 1}
			units[accelerator], units[memory] = int64(rng.IntN(4)), int64(rng.IntN(11))
			r.Needs = newNeeds(ample, units)
			fit, ok := tl.Earliest(r, model.Never)
			if want := bruteFinish(tl, all, r, units); !ok || fit.Finish != want {
				t.Fatalf("seed %d: task %d finishes at %d, could at %d", seed, len(all), fit.Finish, want)
			}
			if _, early := tl.Earliest(r, fit.Finish); early {
				t.Fatalf("seed %d: task %d finishes before its limit, at which it finishes at the earliest", seed, len(all))
			}
			fit = tl.Settle(fit, r)
			if at := tl.first + tl.Beat(fit.Assigned)*tl.heartbeat; at != fit.Assigned {
				t.Fatalf("seed %d: task %d is handed out at %d, not at a heartbeat", seed, len(all), fit.Assigned)
			}
			other := moved(rng, tl, fit)
			sound := other.Assigned >= r.Ready && other.Fetch >= other.Assigned && other.Start >= other.Fetch+r.Transfer
			if want := sound && room(tl, all, placed{other, r, units}); tl.Fits(other, r) != want {
				t.Fatalf("seed %d: task %d fits at %+v: %v", seed, len(all), other, !want)
			}
			if !room(tl, all, placed{fit, r, units}) || !tl.Fits(fit, r) {
				t.Fatalf("seed %d: no room for task %d at %+v", seed, len(all), fit)
			}
			tl.Insert(fit, r)
			if tl.Fits(fit, r) && !room(tl, append(all, placed{fit, r, units}), placed{fit, r, units}) {
				t.Fatalf("seed %d: room for task %d twice", seed, len(all))
			}
			all = append(all, placed{fit, r, units})
		}
		for _, i := range rng.Perm(len(all)) {
			tl.Remove(all[i].Fit, all[i].request)
		}
		for i := range tl.uses {
			if u := &tl.uses[i]; len(u.level) != len(tl.empty[i]) {
				t.Fatalf("seed %d: all is taken away, but %v is left of resource %d", seed, u.level, i)
			}
		}
	}
}

// TestNeeds: what is looked up is what the model says, on all slaves.
func TestNeeds(t *testing.T) {
	for seed := range uint64(60) {
		js := gen.Tiny(seed)
		lines, n := newTimelines(js)
		for range 2 { // worked out, then known
			for id := range js.Tasks {
				for s := range lines {
					task, slave := &js.Tasks[id], model.SlaveID(s)
					got := n.Of(model.TaskID(id), slave, &lines[s], task.Transfer(slave))
					held := map[model.Hold][]need{model.HoldRun: got.run, model.HoldFetch: got.fetch, model.HoldStay: got.stay}
					for _, supply := range js.Supplies(slave) {
						if units := js.Need(task, slave, supply.Resource); units > 0 {
							list := held[supply.Hold]
							if len(list) == 0 || list[0] != (need{supply.Resource, units}) {
								t.Fatalf("seed %d: task %d needs %d of resource %d on slave %d, not %v", seed, id, units, supply.Resource, s, list)
							}
							held[supply.Hold] = list[1:]
						}
					}
					if len(held[model.HoldRun])+len(held[model.HoldFetch])+len(held[model.HoldStay]) > 0 {
						t.Fatalf("seed %d: task %d needs what the model does not say on slave %d: %v", seed, id, s, held)
					}
				}
			}
		}
	}
}
