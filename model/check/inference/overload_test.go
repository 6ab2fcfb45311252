package inference

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/naive"
	"downbeat/model"
	"downbeat/model/proof"
)

// clashing is one slave with 2 cores and beats 0, 5, 10, …, and three hard
// jobs of one task each: transfer 1, execution 8, due at 14. Alone each runs
// in [1..6, 9..14), so in [6, 9) it needs a core for 3 ticks; there are 2 cores.
func clashing(t *testing.T) (*model.JobSet, []model.Time) {
	js := &model.JobSet{
		Heartbeat: 5,
		Slaves:    []model.Slave{{Name: "s", Cores: 2, Slots: 3}, {Name: "far", Cores: 2, Slots: 3}},
	}
	for _, name := range []string{"a", "b", "c"} {
		p := model.NewProfile(model.DenseRow([]model.Time{8, 0}), model.ConstRow(2, 1))
		js.Jobs = append(js.Jobs, model.Job{Name: name, Kind: model.Hard, Deadline: 14,
			Stages: []model.Stage{{Name: "m", Groups: []model.Group{{Count: 1, Profile: p}}}}})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js, []model.Time{14, 14, 14}
}

func TestOverloadTwins(t *testing.T) {
	good := func() *proof.Overload {
		return &proof.Overload{
			Jobs: []model.JobID{0, 1, 2}, Slaves: []model.SlaveID{0}, Resource: proof.CoreTicks,
			Interval: model.Interval{Start: 6, End: 9}, Need: 9, Have: 6,
		}
	}
	js, due := clashing(t)
	if err := Overload(js, due, good()); err != nil {
		t.Fatalf("the good twin: %v", err)
	}
	for _, c := range []struct {
		what, want string
		change     func(*proof.Overload)
	}{
		{"need too high", "need 9 core-ticks", func(s *proof.Overload) { s.Need++ }},
		{"have too high", "have 6 core-ticks", func(s *proof.Overload) { s.Have++ }},
		{"have too low", "have 6 core-ticks", func(s *proof.Overload) { s.Have-- }},
		{"no overload", "no more than", func(s *proof.Overload) { s.Need = 6 }},
		{"a job left out", "need 6 core-ticks", func(s *proof.Overload) { s.Jobs = s.Jobs[:2] }},
		{"a job twice", "given twice", func(s *proof.Overload) { s.Jobs[2] = 0 }},
		{"no such job", "not there", func(s *proof.Overload) { s.Jobs[2] = 3 }},
		{"no job", "no jobs", func(s *proof.Overload) { s.Jobs = nil }},
		{"another slave", "need 0 core-ticks", func(s *proof.Overload) { s.Slaves[0] = 1 }},
		{"a slave too many", "have 12 core-ticks", func(s *proof.Overload) { s.Slaves = []model.SlaveID{0, 1} }},
		{"a slave twice", "given twice", func(s *proof.Overload) { s.Slaves = []model.SlaveID{0, 0} }},
		{"no such slave", "not there", func(s *proof.Overload) { s.Slaves[0] = -1 }},
		{"a wider interval", "have 8 core-ticks", func(s *proof.Overload) { s.Interval.End++ }},
		{"another interval", "need 6 core-ticks", func(s *proof.Overload) { s.Interval = model.Interval{Start: 5, End: 8} }},
		{"no interval", "is none", func(s *proof.Overload) { s.Interval.End = 6 }},
		{"another resource", "need 0 fetch-ticks", func(s *proof.Overload) { s.Resource = proof.FetchTicks }},
		{"an unknown resource", "unknown resource", func(s *proof.Overload) { s.Resource = 99 }},
	} {
		sh := good()
		c.change(sh)
		if err := Overload(js, due, sh); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.what, err, c.want)
		}
	}
	if err := Overload(js, []model.Time{14, 14, 15}, good()); err == nil {
		t.Error("a later due time leaves the argument standing")
	}
	if err := Overload(js, []model.Time{14, 14, model.Never}, good()); err == nil {
		t.Error("a job without a due time leaves the argument standing")
	}
	if err := Overload(js, []model.Time{14, 14, 3}, good()); err == nil || !strings.Contains(err.Error(), "late alone") {
		t.Errorf("a job late alone: error %v", err)
	}
}

// Slots go in whole heartbeat intervals: 9 ticks of holding take 10 of a slot.
func TestOverloadOfSlotsAndFetches(t *testing.T) {
	js, due := clashing(t)
	all := []model.JobID{0, 1, 2}
	js.Slaves[0].Slots = 2
	for _, sh := range []*proof.Overload{
		// The beat is 0 or 5, so the slot is held through [5, 10).
		{Jobs: all, Slaves: []model.SlaveID{0}, Resource: proof.SlotTicks, Interval: model.Interval{Start: 5, End: 10}, Need: 15, Have: 10},
		{Jobs: all, Slaves: []model.SlaveID{0}, Resource: proof.MapSlotTicks, Interval: model.Interval{Start: 5, End: 10}, Need: 15, Have: 10},
	} {
		if err := Overload(js, due, sh); err != nil {
			t.Errorf("%v: %v", sh.Resource, err)
		}
	}
	reduce := &proof.Overload{Jobs: all, Slaves: []model.SlaveID{0}, Resource: proof.ReduceSlotTicks, Interval: model.Interval{Start: 5, End: 10}, Need: 15, Have: 10}
	if err := Overload(js, due, reduce); err == nil || !strings.Contains(err.Error(), "need 0") {
		t.Errorf("map tasks need reduce slots: %v", err)
	}
	// Fetches of 1 tick within [0, 1) and due at 9: the three meet.
	fetch := &proof.Overload{Jobs: all, Slaves: []model.SlaveID{0}, Resource: proof.FetchTicks, Interval: model.Interval{Start: 0, End: 1}, Need: 3, Have: 1}
	nine := []model.Time{9, 9, 9}
	if err := Overload(js, nine, fetch); err != nil {
		t.Error(err)
	}
	js.Fetch = model.FetchConcurrent
	if err := Overload(js, nine, fetch); err == nil {
		t.Error("concurrent fetches run short")
	}
}

// The last heartbeat before an absence bounds the finish by the absence, not
// by the due time behind it.
func TestOverloadBeforeAnAbsence(t *testing.T) {
	js, _ := clashing(t)
	js.Heartbeat = 10
	js.Slaves[0].Down = []model.Interval{{Start: 16, End: 30}}
	js.Slaves[0].Cores = 1
	due := []model.Time{24, 24, 24}
	sh := &proof.Overload{Jobs: []model.JobID{0, 1, 2}, Slaves: []model.SlaveID{0}, Resource: proof.CoreTicks,
		Interval: model.Interval{Start: 1, End: 16}, Need: 24, Have: 15}
	if err := Overload(js, due, sh); err != nil {
		t.Error(err)
	}
	due[2] = 39 // and the third can come after the absence
	if err := Overload(js, due, sh); err == nil {
		t.Error("a task that can run after the interval needs it")
	}
}

func TestOverloadOfTimeAlone(t *testing.T) {
	js, _ := clashing(t)
	due := []model.Time{8, 9, 14}
	sh := &proof.Overload{Jobs: []model.JobID{0}, Resource: proof.CriticalPath, Need: 9, Have: 8}
	if err := Overload(js, due, sh); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []proof.Overload{
		{Jobs: []model.JobID{0}, Resource: proof.CriticalPath, Need: 10, Have: 8},
		{Jobs: []model.JobID{0}, Resource: proof.CriticalPath, Need: 9, Have: 7},
		{Jobs: []model.JobID{1}, Resource: proof.CriticalPath, Need: 9, Have: 9},
		{Jobs: []model.JobID{0, 1}, Resource: proof.CriticalPath, Need: 9, Have: 8},
		{Jobs: []model.JobID{1}, Resource: proof.CriticalPath, Need: 9, Have: 9, Idle: 1},
	} {
		if err := Overload(js, due, &bad); err == nil {
			t.Errorf("%+v stands", bad)
		}
	}
	js.Slaves[0].Down = []model.Interval{{Start: 4, End: 6}} // so the first beat that works is 10
	sh.Need = 19
	if err := Overload(js, due, sh); err != nil {
		t.Error(err)
	}
}

// TestNoOverloadWhereThereIsAPlan takes due times that a valid plan meets.
// Whatever jobs, slaves and interval an argument is about, its need is at most
// what the plan uses, which is at most what there is; so none may stand.
func TestNoOverloadWhereThereIsAPlan(t *testing.T) {
	exact := map[proof.Resource]int{}
	for seed := range testkit.Sets[uint64](600, 2000) {
		r := rand.New(rand.NewPCG(seed, 3))
		js, p := naive.Random(t, r, false)
		plan := naive.Schedule(js, p)
		due := make([]model.Time, len(js.Jobs))
		for i := range due {
			due[i] = p.Jobs[i].Finish + model.Time(r.IntN(3))
			switch r.IntN(8) {
			case 0, 1:
				due[i] += 9 // so that jobs that come after it press it
			case 2:
				due[i] = model.Never
			}
		}
		for i := range 20 {
			sh := randomArgument(r, js)
			need, used := needOf(t, js, due, sh), literalUse(js, plan, sh)
			if i == 0 && seed%10 == 0 && !slices.Contains(due, model.Never) { // it is slow
				if literally := literalNeed(js, due, sh); need != literally {
					t.Fatalf("seed %d: need %d, literally %d, %+v due %v", seed, need, literally, sh, due)
				}
			}
			if need > used || used > sh.Have {
				t.Fatalf("seed %d: need %d, used %d, %+v\nplan %+v meets %v", seed, need, used, sh, p.Tasks, due)
			}
			for s := range js.Slaves {
				if open := int(openTicks(js, &js.Slaves[s], sh)); open != literalOpen(js, model.SlaveID(s), sh) {
					t.Fatalf("seed %d: slave %d is open %d ticks, literally %d: %+v", seed, s, open, literalOpen(js, model.SlaveID(s), sh), sh)
				}
			}
			if err := Overload(js, due, sh); err == nil {
				t.Fatalf("seed %d: %+v stands, but %+v meets %v", seed, sh, p.Tasks, due)
			}
			if need > 0 && need == used {
				exact[sh.Resource]++
			}
		}
	}
	t.Logf("needs that the plan just covers: %v", exact)
	for _, r := range []proof.Resource{
		proof.CoreTicks, proof.SlotTicks, proof.FetchTicks, proof.MapSlotTicks, proof.ReduceSlotTicks, proof.Ticks(model.FirstNamed),
	} {
		if exact[r] == 0 {
			t.Errorf("no need of %v was exact", r)
		}
	}
}

// literalUse counts what tasks of the argument's jobs use of its resource on
// its slaves.
func literalUse(js *model.JobSet, plan model.Schedule, sh *proof.Overload) int64 {
	used := int64(0)
	for t, p := range plan {
		if slices.Contains(sh.Jobs, js.Tasks[t].Job) {
			used += literalUseOf(js, model.TaskID(t), p, sh)
		}
	}
	return used
}

// literalUseOf counts, tick by tick, what a task placed at p uses.
func literalUseOf(js *model.JobSet, t model.TaskID, p model.Placement, sh *proof.Overload) int64 {
	task := &js.Tasks[t]
	if sh.Resource != proof.SharedTicks && !slices.Contains(sh.Slaves, p.Slave) {
		return 0
	}
	start, end := js.Assigned(p), js.Finish(t, p)
	units := int64(1)
	if sh.Resource == proof.SharedTicks {
		units = 0
	}
	for _, take := range js.Takes(t) {
		if sh.Resource == proof.SharedTicks && take.Shared == sh.Shared {
			units = take.Units
		}
	}
	for k := range model.MaxNamed {
		if sh.Resource == proof.Ticks(model.FirstNamed+model.ResourceID(k)) {
			units = task.Units(k)
		}
	}
	switch sh.Resource {
	case proof.CoreTicks:
		start, units = p.Start, task.Cores()
	case proof.FetchTicks:
		start, end = p.Fetch, p.Fetch+task.Transfer(p.Slave)
	case proof.MapSlotTicks, proof.ReduceSlotTicks:
		if (sh.Resource == proof.MapSlotTicks) != (task.Slot == model.MapSlot) {
			return 0
		}
	}
	if sh.Resource != proof.CoreTicks && sh.Resource != proof.FetchTicks && sh.Resource != proof.SharedTicks {
		for (end-start)%js.Heartbeat != 0 { // nobody gets the slot before the next heartbeat
			end++
		}
	}
	used := int64(0)
	for t := sh.Interval.Start; t < sh.Interval.End; t++ {
		if start <= t && t < end {
			used += units
		}
	}
	return used
}

// randomArgument has the right Have and a Need above it.
func randomArgument(r *rand.Rand, js *model.JobSet) *proof.Overload {
	sh := &proof.Overload{Resource: 1 + proof.Resource(r.IntN(int(proof.NumResources)-1))}
	for sh.Resource == proof.FetchTicks && js.Fetch == model.FetchConcurrent {
		sh.Resource = 1 + proof.Resource(r.IntN(int(proof.NumResources)-1))
	}
	for i := range js.Jobs {
		if r.IntN(4) > 0 {
			sh.Jobs = append(sh.Jobs, model.JobID(i))
		}
	}
	for i := range js.Slaves {
		if r.IntN(4) > 0 {
			sh.Slaves = append(sh.Slaves, model.SlaveID(i))
		}
	}
	sh.Interval.Start = model.Time(r.IntN(30))
	sh.Interval.End = sh.Interval.Start + 1 + model.Time(r.IntN(15))
	for _, s := range sh.Slaves {
		sh.Have += sh.Resource.Units(js, s) * int64(literalOpen(js, s, sh))
	}
	sh.Need = sh.Have + 1
	return sh
}

// literalOpen counts ticks one by one.
func literalOpen(js *model.JobSet, s model.SlaveID, sh *proof.Overload) int {
	slave := &js.Slaves[s]
	open := 0
	for t := sh.Interval.Start; t < sh.Interval.End; t++ {
		at := t
		if sh.Resource != proof.CoreTicks && sh.Resource != proof.FetchTicks {
			var gamma model.Time
			if gamma, at = js.BeatAtOrBefore(s, t); gamma < 0 {
				continue
			}
		}
		if slave.Up(model.Interval{Start: at, End: at + 1}) {
			open++
		}
	}
	return open
}

// needOf is the largest need that stands for the argument.
func needOf(t *testing.T, js *model.JobSet, due []model.Time, sh *proof.Overload) int64 {
	needs, err := NewOverloads(js).jobNeeds(due, sh, true)
	if err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	for _, n := range needs {
		total += n.Int64()
	}
	return total
}

// literalNeed adds up the least use of the resource over every placement of
// every task, tried one by one, in the windows that its job, those that it comes
// after, and those of the argument's that come after it leave it.
func literalNeed(js *model.JobSet, due []model.Time, sh *proof.Overload) int64 {
	need := int64(0)
	for _, id := range sh.Jobs {
		for k, st := range js.Jobs[id].Stages {
			ready, limit := literalReady(js, due, id, k), literalLimit(js, due, sh.Jobs, id, k)
			for t := st.First; t < st.End; t++ {
				least := model.Never
				eachPlacement(js, t, ready, limit, func(p model.Placement, _ model.Time) {
					least = min(least, model.Time(literalUseOf(js, t, p, sh)))
				})
				need += int64(least)
			}
		}
	}
	return need
}

// literalReady is when a stage can be handed out at the earliest.
func literalReady(js *model.JobSet, due []model.Time, id model.JobID, k int) model.Time {
	ready := js.Jobs[id].Release
	wait := func(before model.JobID, stage int) {
		st, from := &js.Jobs[before].Stages[stage], literalReady(js, due, before, stage)
		for t := st.First; t < st.End; t++ {
			first := model.Never
			eachPlacement(js, t, from, due[before], func(_ model.Placement, finish model.Time) { first = min(first, finish) })
			ready = max(ready, first)
		}
	}
	for _, before := range js.Jobs[id].After {
		for stage := range js.Jobs[before].Stages {
			wait(before, stage)
		}
	}
	for _, stage := range js.Jobs[id].Stages[k].After {
		wait(id, int(stage))
	}
	return ready
}

// literalLimit is when a stage has to be done for its job to be in time, and those of jobs that come after it.
func literalLimit(js *model.JobSet, due []model.Time, jobs []model.JobID, id model.JobID, k int) model.Time {
	limit := due[id]
	for _, next := range append([]model.JobID{id}, jobs...) {
		for n, st := range js.Jobs[next].Stages {
			if next == id && !slices.Contains(st.After, int32(k)) || next != id && !slices.Contains(js.Jobs[next].After, id) {
				continue
			}
			from, to := literalReady(js, due, next, n), literalLimit(js, due, jobs, next, n)
			for t := st.First; t < st.End; t++ {
				last := model.Time(0)
				eachPlacement(js, t, from, to, func(p model.Placement, _ model.Time) { last = max(last, js.Assigned(p)) })
				limit = min(limit, last)
			}
		}
	}
	return limit
}

// eachPlacement tries every placement of a task that finishes by limit.
func eachPlacement(js *model.JobSet, t model.TaskID, ready, limit model.Time, yield func(model.Placement, model.Time)) {
	for s := range model.SlaveID(len(js.Slaves)) {
		if !js.Tasks[t].Eligible(s) {
			continue
		}
		for gamma := model.Time(0); js.BeatTime(s, gamma) < limit; gamma++ {
			for fetch := js.BeatTime(s, gamma); fetch < limit; fetch++ {
				for start := fetch + js.Tasks[t].Transfer(s); ; start++ {
					p := model.Placement{Slave: s, Beat: gamma, Fetch: fetch, Start: start}
					finish := js.Finish(t, p)
					if finish > limit || !js.Slaves[s].Up(model.Interval{Start: js.Assigned(p), End: finish}) {
						break
					}
					if js.Assigned(p) >= ready {
						yield(p, finish)
					}
				}
			}
		}
	}
}
