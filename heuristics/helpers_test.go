package heuristics

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"downbeat/model"
)

// construct is list scheduling in one call.
func construct(js *model.JobSet, rule Rule, objectives []model.Objective, seed uint64) model.Schedule {
	fig := NewFigures(js)
	b := NewBoard(fig, seed)
	b.Construct(context.Background(), rule.Order(fig), NewDeferral(js, objectives, nil))
	return b.Place
}

// randomSet is a small job set with all features mixed, but for those of coupledSet.
func randomSet(t testing.TB, rng *rand.Rand) *model.JobSet {
	js := drawSet(rng)
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// coupledSet is a randomSet with pools, caps, gangs and tasks that are apart, in which each task and
// gang fits by itself.
func coupledSet(rng *rand.Rand) *model.JobSet {
	for {
		js := drawSet(rng)
		if couple(js, rng); js.Assemble() == nil && js.Coupled() {
			return js
		}
	}
}

// couple adds to a set what ties tasks on different slaves to each other.
func couple(js *model.JobSet, rng *rand.Rand) {
	for i := range rng.IntN(3) {
		p := model.Pool{Name: fmt.Sprint("p", i)}
		for at := model.Time(0); at == 0 || rng.IntN(3) == 0; at += model.Time(1 + rng.IntN(20)) {
			p.Levels = append(p.Levels, model.Level{From: at, Amount: rng.Int64N(5)})
		}
		js.Pools = append(js.Pools, p)
	}
	for i := range js.Jobs {
		job := &js.Jobs[i]
		if rng.IntN(4) == 0 {
			job.AtMost = 1 + rng.Int64N(4)
		}
		for k := range job.Stages {
			st := &job.Stages[k]
			st.Gang, st.Apart = rng.IntN(3) == 0, rng.IntN(4) == 0
			if rng.IntN(4) == 0 {
				st.AtMost = 1 + rng.Int64N(3)
			}
			for g := range st.Groups {
				st.Groups[g].Profile = taking(st.Groups[g].Profile, js, rng)
			}
		}
	}
}

// taking is a profile that takes of some pools of a set.
func taking(p *model.Profile, js *model.JobSet, rng *rand.Rand) *model.Profile {
	needs := p.Needs()
	for i := range js.Pools {
		if rng.IntN(2) == 0 {
			needs.TakePool(i, 1+rng.Int64N(2))
		}
	}
	return p.Needing(needs)
}

// drawSet is a set that is not assembled.
func drawSet(rng *rand.Rand) *model.JobSet {
	js := &model.JobSet{Name: "random", Heartbeat: 1 + model.Time(rng.IntN(4)), FIFO: rng.IntN(3) == 0}
	if rng.IntN(4) == 0 {
		js.Fetch = model.FetchConcurrent
	}
	slaves := 1 + rng.IntN(3)
	for i := range slaves {
		js.Slaves = append(js.Slaves, randomSlave(rng, i, js.Heartbeat))
	}
	// Split slots may lack a kind; the first slave has room for both.
	js.Slaves[0].MapSlots = max(1, js.Slaves[0].MapSlots)
	js.Slaves[0].ReduceSlots = max(1, js.Slaves[0].ReduceSlots)
	for i := range 1 + rng.IntN(5) {
		js.Jobs = append(js.Jobs, randomJob(rng, i, slaves))
	}
	return js
}

func randomSlave(rng *rand.Rand, i int, h model.Time) model.Slave {
	s := model.Slave{
		Name: fmt.Sprint("s", i+1), Cores: 1 + rng.IntN(3), Slots: 1 + rng.IntN(4),
		FirstBeat: model.Time(rng.IntN(int(h) + 2)),
	}
	if rng.IntN(3) == 0 {
		s.SplitSlots, s.MapSlots, s.ReduceSlots = true, rng.IntN(3), rng.IntN(3)
	}
	at := model.Time(0)
	for range rng.IntN(3) {
		at += model.Time(1 + rng.IntN(15))
		end := at + model.Time(1+rng.IntN(8))
		s.Down = append(s.Down, model.Interval{Start: at, End: end})
		at = end
	}
	return s
}

func randomJob(rng *rand.Rand, i, slaves int) model.Job {
	j := model.Job{
		Name: fmt.Sprint("j", i+1), Release: model.Time(rng.IntN(15)),
		Kind: model.JobKind(rng.IntN(3)), Weight: 1 + rng.Int64N(3),
	}
	if j.Kind != model.BestEffort {
		j.Deadline = model.Time(3 + rng.IntN(40))
	}
	for si := range 1 + rng.IntN(3) {
		st := model.Stage{Name: fmt.Sprint("st", si), Slot: model.SlotKind(rng.IntN(2))}
		for range 1 + rng.IntN(2) {
			wcet, transfer := make([]model.Time, slaves), make([]model.Time, slaves)
			for s := range slaves {
				wcet[s] = model.Time(rng.IntN(7))
				transfer[s] = model.Time(rng.IntN(4))
			}
			wcet[0] = max(wcet[0], 1)
			st.Groups = append(st.Groups, model.Group{
				Count:   1 + rng.IntN(3),
				Profile: model.NewProfile(model.DenseRow(wcet), model.DenseRow(transfer)),
			})
		}
		j.Stages = append(j.Stages, st)
	}
	return j
}

// fault checks a schedule against C0–C7, C11, C12, absences, pools of slots and fifo word by word,
// pair by pair; nil if all hold. Tasks that are not placed are ignored.
func fault(js *model.JobSet, s model.Schedule) error {
	for a := range s {
		if s[a].Slave == model.NoSlave {
			continue
		}
		if err := taskFault(js, s, model.TaskID(a)); err != nil {
			return fmt.Errorf("%s: %w", js.TaskName(model.TaskID(a)), err)
		}
	}
	return nil
}

// taskFault checks the constraints that task a is part of.
func taskFault(js *model.JobSet, s model.Schedule, a model.TaskID) error {
	p, task := s[a], &js.Tasks[a]
	e, c := task.WCET(p.Slave), task.Transfer(p.Slave)
	at, finish := js.Assigned(p), p.Start+e
	job := &js.Jobs[task.Job]
	switch {
	case e == 0:
		return fmt.Errorf("C0")
	case p.Start < p.Fetch+c:
		return fmt.Errorf("C2")
	case p.Beat < 0 || p.Fetch < at || at < job.Release:
		return fmt.Errorf("C3")
	}
	for _, d := range js.Slaves[p.Slave].Down {
		if d.Overlaps(model.Interval{Start: at, End: finish}) {
			return fmt.Errorf("away")
		}
	}
	for b := range s {
		if q := s[b]; q.Slave != model.NoSlave {
			if err := pairFault(js, s, a, model.TaskID(b)); err != nil {
				return err
			}
		}
	}
	for _, take := range js.Takes(a) {
		for at := js.Assigned(p); at < finish; at++ {
			if taken := taken(js, s, take.Shared, at); taken > js.Shared()[take.Shared].At(at) {
				return fmt.Errorf("C11 at %d: %d of %s", at, taken, js.SharedName(take.Shared))
			}
		}
	}
	// Levels on the slave rise only at starts and hand-outs, so it is enough to
	// count there.
	for b := range s {
		if q := s[b]; q.Slave == p.Slave {
			if running(js, s, p.Slave, q.Start) > js.Slaves[p.Slave].Cores {
				return fmt.Errorf("C4 at %d", q.Start)
			}
			pool := js.Slaves[p.Slave].Pool(js.Tasks[b].Slot)
			if held(js, s, p.Slave, pool, js.Assigned(q)) > js.Slaves[p.Slave].PoolSize(pool) {
				return fmt.Errorf("C5 at %d", js.Assigned(q))
			}
		}
	}
	return nil
}

func pairFault(js *model.JobSet, s model.Schedule, a, b model.TaskID) error {
	p, q := s[a], s[b]
	ta, tb := &js.Tasks[a], &js.Tasks[b]
	if ta.Job == tb.Job && tb.Stage == ta.Stage+1 && js.Assigned(q) < js.Finish(a, p) ||
		ta.Job == tb.Job && ta.Stage == tb.Stage+1 && js.Assigned(p) < js.Finish(b, q) {
		return fmt.Errorf("C7 with %s", js.TaskName(b))
	}
	if a != b && ta.Job == tb.Job && ta.Stage == tb.Stage {
		switch st := &js.Jobs[ta.Job].Stages[ta.Stage]; {
		case st.Gang && p.Start != q.Start, st.Apart && p.Slave == q.Slave:
			return fmt.Errorf("C12 with %s", js.TaskName(b))
		}
	}
	if a == b || p.Slave != q.Slave {
		return nil
	}
	fa := model.Interval{Start: p.Fetch, End: p.Fetch + ta.Transfer(p.Slave)}
	fb := model.Interval{Start: q.Fetch, End: q.Fetch + tb.Transfer(q.Slave)}
	if js.Fetch == model.FetchExclusive && fa.Overlaps(fb) {
		return fmt.Errorf("C6 with %s", js.TaskName(b))
	}
	if js.FIFO && (p.Beat < q.Beat && p.Start > q.Start || q.Beat < p.Beat && q.Start > p.Start) {
		return fmt.Errorf("fifo with %s", js.TaskName(b))
	}
	return nil
}

// taken is how much of what is shared is held at a time.
func taken(js *model.JobSet, s model.Schedule, of model.SharedID, t model.Time) (units int64) {
	for b, q := range s {
		if q.Slave == model.NoSlave || js.Assigned(q) > t || t >= js.Finish(model.TaskID(b), q) {
			continue
		}
		for _, take := range js.Takes(model.TaskID(b)) {
			if take.Shared == of {
				units += take.Units
			}
		}
	}
	return units
}

func running(js *model.JobSet, s model.Schedule, slave model.SlaveID, t model.Time) (n int) {
	for b, q := range s {
		if q.Slave == slave && q.Start <= t && t < js.Finish(model.TaskID(b), q) {
			n++
		}
	}
	return n
}

func held(js *model.JobSet, s model.Schedule, slave model.SlaveID, pool int, t model.Time) (n int) {
	for b, q := range s {
		if q.Slave == slave && js.Slaves[slave].Pool(js.Tasks[b].Slot) == pool &&
			js.Assigned(q) <= t && t < js.Finish(model.TaskID(b), q) {
			n++
		}
	}
	return n
}
