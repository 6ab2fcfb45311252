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

// randomSet is a small job set with all features mixed.
func randomSet(t testing.TB, rng *rand.Rand) *model.JobSet {
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
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
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

// fault checks a schedule against C0–C7, absences, pools and fifo word by word,
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
