package rtmr

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/online"
	"downbeat/online/durations"
)

// of is the vector of slots that are free at these times, ascending.
func of(times ...model.Time) vector {
	var v vector
	for _, at := range times {
		v = v.add(at, 1)
	}
	return v
}

// times are those of all slots, ascending.
func (v vector) times() []model.Time {
	var out []model.Time
	for _, m := range v {
		out = append(out, slices.Repeat([]model.Time{m.at}, m.slots)...)
	}
	return out
}

// Algorithm II's loop on three slots, free at 0, 3 and 5, for four tasks of
// length 4 that are ready at 2:
//
//	0 → max(0, 2) + 4 =  6, slots 3 5 6
//	3 → max(3, 2) + 4 =  7, slots 5 6 7
//	5 → max(5, 2) + 4 =  9, slots 6 7 9
//	6 → max(6, 2) + 4 = 10, slots 7 9 10
func TestFillByHand(t *testing.T) {
	free, end := of(0, 3, 5).fill(4, 2, 4)
	if !slices.Equal(free, of(7, 9, 10)) || end != 10 {
		t.Errorf("slots free at %v, end %d, want 7 9 10 and 10", free, end)
	}
	// R = 0: the stage ends when it is ready, and slots stay as they are.
	free, end = of(0, 3, 5).fill(0, 2, 4)
	if !slices.Equal(free, of(0, 3, 5)) || end != 2 {
		t.Errorf("slots free at %v, end %d, want 0 3 5 and 2", free, end)
	}
}

// Algorithm VI on three slots, free at 0, 4 and 20 by the job before, for a job
// whose tasks ended at 6 and 8: 0 becomes 6, slots 4 6 20, then 4 becomes 8.
func TestUpdateByHand(t *testing.T) {
	v := of(0, 4, 20)
	if u := v.update([]model.Time{6, 8}); !slices.Equal(u, of(6, 8, 20)) {
		t.Errorf("slots free at %v, want 6 8 20", u)
	}
	// A reduce that overtook: 30 becomes 6 and, being first now, 6 becomes 8.
	if u := of(30, 40).update([]model.Time{6, 8}); !slices.Equal(u, of(8, 40)) {
		t.Errorf("slots free at %v, want 8 40", u)
	}
	if !slices.Equal(v, of(0, 4, 20)) {
		t.Errorf("the vector itself became %v", v)
	}
}

// The printed algorithms sort after each task.
func TestVectorsAgainstSorting(t *testing.T) {
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		pool := drawTimes(rng, 1+rng.IntN(9))
		v := of(pool...)
		n, ready, length := rng.IntN(12), model.Time(rng.IntN(20)), model.Time(1+rng.IntN(9))
		want, last := slices.Clone(pool), ready
		for range n {
			want[0] = max(want[0], ready) + length
			last = want[0]
			slices.Sort(want)
		}
		if got, end := v.fill(n, ready, length); !slices.Equal(got, of(want...)) || end != last {
			t.Fatalf("seed %d: %v with %d of %d from %d: %v until %d, want %v until %d", seed, v, n, length, ready, got, end, want, last)
		}
		ends := drawTimes(rng, n)
		want = slices.Clone(pool)
		for _, e := range ends {
			want[0] = e
			slices.Sort(want)
		}
		if got := v.update(ends); !slices.Equal(got, of(want...)) {
			t.Fatalf("seed %d: %v with ends %v: %v, want %v", seed, v, ends, got, want)
		}
		other := drawTimes(rng, len(pool))
		for i := range want {
			want[i] = min(pool[i], other[i])
		}
		if got := v.earlier(of(other...)); !slices.Equal(got, of(want...)) {
			t.Fatalf("seed %d: the lower of %v and %v: %v, want %v", seed, pool, other, got, want)
		}
	}
}

// drawTimes are n times, ascending.
func drawTimes(rng *rand.Rand, n int) []model.Time {
	times := make([]model.Time, n)
	for i := range times {
		times[i] = model.Time(rng.IntN(20))
	}
	slices.Sort(times)
	return times
}

// slave has a core for each of its slots.
func slave(maps, reduces int) model.Slave {
	return model.Slave{Name: "s", Cores: maps + reduces, SplitSlots: true, MapSlots: maps, ReduceSlots: reduces}
}

// onSlave is a job set on one slave with h = 1 and without transfers.
func onSlave(s model.Slave, jobs ...model.Job) *model.JobSet {
	js := &model.JobSet{Name: "worked", Heartbeat: 1, Fetch: model.FetchConcurrent, Slaves: []model.Slave{s}, Jobs: jobs}
	if err := js.Assemble(); err != nil {
		panic(err)
	}
	return js
}

// job is a hard job of M maps and R reduces with their times; due is absolute.
func job(name string, release, due model.Time, maps int, mapTime model.Time, reduces int, reduceTime model.Time) model.Job {
	j := model.Job{Name: name, Release: release, Deadline: due - release, Kind: model.Hard}
	stage := func(k model.SlotKind, n int, time model.Time) {
		if n > 0 {
			p := model.NewProfile(model.ConstRow(1, time), model.ConstRow(1, 0))
			j.Stages = append(j.Stages, model.Stage{Name: k.String(), Slot: k, Groups: []model.Group{{Count: n, Profile: p}}})
		}
	}
	stage(model.MapSlot, maps, mapTime)
	stage(model.ReduceSlot, reduces, reduceTime)
	return j
}

// admissions are the trace's answers, in the order of arrival.
func admissions(out *online.Outcome) []string {
	var lines []string
	for _, d := range out.Trace {
		if d.Task < 0 {
			answer := " no: "
			if d.Accepted {
				answer = " yes: "
			}
			lines = append(lines, out.JobSet.Jobs[d.Job].Name+answer+d.Why)
		}
	}
	return lines
}

func checkLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("answers:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// Algorithms I, II and III with two map slots and one reduce slot:
//
//	A at 0: maps 0→4 0→4 4→8, T^m 4 8, e^m 8; reduce 8→13, T^r 13. A starts at 0.
//	B at 1: after A. Map 4→8, e^m 8; reduce 13→18, later than 16: no.
//	C at 1: the same, due at 30: yes. T^m 8 8, T^r 18. C waits: A's third map
//	        comes first, at 4.
//	D at 2: due before C, so its predecessor is A. Maps 4→6 6→8, T^m 8 8, e 8.
//	        Then C again: map 8→12, reduce 13→18, by 30: yes.
//	E at 3: due before D. Map 4→5, reduce 13→17, just in time; T^m 5 8, T^r 17.
//	        D: 5→7 7→9, T^m 8 9. C: 8→12, reduce 17→22: yes.
//	F at 3: a reduce only, due between D and C: 17→26, in time itself, but then
//	        C: map 8→12, reduce 26→31, later than 30: no.
func TestAdmissionByHand(t *testing.T) {
	js := onSlave(slave(2, 1),
		job("A", 0, 15, 3, 4, 1, 5),
		job("B", 1, 16, 1, 4, 1, 5),
		job("C", 1, 30, 1, 4, 1, 5),
		job("D", 2, 25, 2, 2, 0, 0),
		job("E", 3, 17, 1, 1, 1, 4),
		job("F", 3, 29, 0, 0, 1, 9),
	)
	out := run(t, js, New(Options{NoBeat: true}), online.Options{Trace: true})
	checkLines(t, admissions(out),
		"A yes: finishes by 13, as number 1 in the queue",
		"B no: job B would finish by 18 only and is due at 16",
		"C yes: finishes by 18, as number 2 in the queue",
		"D yes: finishes by 8, as number 2 in the queue",
		"E yes: finishes by 17, as number 2 in the queue",
		"F no: job C would finish by 31 only and is due at 30",
	)
	if m := online.Measure(out); m.RejectedHard != 2 || m.HardMisses != 0 {
		t.Errorf("%d hard jobs rejected and %d late, want 2 (B and F) and 0", m.RejectedHard, m.HardMisses)
	}
}

// With the heartbeat of 1 in the estimates A takes 5 for a map and 6 for the
// reduce: maps 0→5 0→5 5→10, reduce 10→16.
func TestHeartbeatIsPartOfTheEstimate(t *testing.T) {
	js := onSlave(slave(2, 1), job("A", 0, 16, 3, 4, 1, 5))
	out := run(t, js, New(Options{}), online.Options{Trace: true})
	checkLines(t, admissions(out), "A yes: finishes by 16, as number 1 in the queue")
}

// FIFO puts B after A although it is due earlier; EDF and LLF put it before A,
// LLF puts C (due 40, 25 of work) before A (due 30, 10 of work) as well.
func TestQueueOrders(t *testing.T) {
	js := onSlave(slave(1, 1),
		job("first", 0, 20, 1, 10, 0, 0),
		job("A", 1, 80, 1, 10, 0, 0),
		job("B", 2, 70, 1, 10, 0, 0),
		job("C", 3, 85, 1, 20, 1, 10),
	)
	for order, want := range map[Order]string{FIFO: "first A B C", EDF: "first B A C", LLF: "first C B A"} {
		out := run(t, js, New(Options{Order: order, NoBeat: true}), online.Options{})
		jobs := []int{0, 1, 2, 3}
		slices.SortFunc(jobs, func(a, b int) int {
			return int(out.Schedule[js.Jobs[a].First].Start - out.Schedule[js.Jobs[b].First].Start)
		})
		var names []string
		for _, j := range jobs {
			names = append(names, js.Jobs[j].Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", order, got, want)
		}
		if again, err := ParseOrder(order.String()); err != nil || again != order {
			t.Errorf("%s reads as %s, %v", order, again, err)
		}
	}
	if _, err := ParseOrder("edv"); err == nil {
		t.Error("edv is an order")
	}
}

// Algorithm IV, line 10. Two map slots, one reduce slot, both jobs start at 0:
//
//	J: map 0→10, reduce 10→20, due at 20.
//	K: map 0→5, then a reduce of 50, estimated 20→70, due at 70.
//
// At 5 K's reduce is ready, one reduce slot is free and one is reserved, for J.
// With >= it stays free, J's reduce runs 10→20 and K's 20→70. As printed, 1 > 1
// is false, K's reduce runs 5→55, and J ends at 65.
func TestReserveAsPrintedLosesADeadline(t *testing.T) {
	js := onSlave(slave(2, 1), job("J", 0, 20, 1, 10, 1, 10), job("K", 0, 70, 1, 5, 1, 50))
	for _, c := range []struct {
		reserve Reserve
		want    []model.Time
	}{{Full, []model.Time{20, 70}}, {Printed, []model.Time{65, 55}}, {Strict, []model.Time{20, 70}}} {
		out := run(t, js, New(Options{NoBeat: true, Reserve: c.reserve}), online.Options{})
		if len(out.Rejected) > 0 || !slices.Equal(out.Finishes, c.want) {
			t.Errorf("reserve %d: finishes %v, rejected %v, want %v and none", c.reserve, out.Finishes, out.Rejected, c.want)
		}
	}
}

// A later job's reduces run ahead where slots are left beyond the reserved ones:
// of three reduce slots two are reserved for J until 10, K has the third at 5.
func TestReduceOvertakesOnSpareSlot(t *testing.T) {
	js := onSlave(slave(2, 3), job("J", 0, 20, 1, 10, 2, 10), job("K", 0, 95, 1, 5, 2, 8))
	// J: map at 0, reduces at 10. K: map at 0, reduces at 5 and, when that one
	// ends, at 13. In strict order K's wait for J's map, and have a slot at 10 and 18.
	for reserve, want := range map[Reserve][]model.Time{Full: {0, 10, 10, 0, 5, 13}, Strict: {0, 10, 10, 0, 10, 18}} {
		out := run(t, js, New(Options{NoBeat: true, Reserve: reserve}), online.Options{})
		var starts []model.Time
		for t := range js.Tasks {
			starts = append(starts, out.Schedule[t].Start)
		}
		if !slices.Equal(starts, want) {
			t.Errorf("reserve %d: starts %v, want %v", reserve, starts, want)
		}
	}
}

// Two common slots. J: map 0→4, reduces 4→8 twice, due at 8. K's maps, there
// from 1 on, would fit at 1, but then one of J's reduces would have no slot.
func TestCommonSlotsAreReserved(t *testing.T) {
	js := onSlave(model.Slave{Name: "s", Cores: 2, Slots: 2}, job("J", 0, 8, 1, 4, 2, 4), job("K", 1, 40, 2, 6, 0, 0))
	out := run(t, js, New(Options{NoBeat: true}), online.Options{})
	if want := []model.Time{8, 14}; !slices.Equal(out.Finishes, want) {
		t.Errorf("finishes %v, want %v", out.Finishes, want)
	}
}

// Algorithms V and VI on one map and one reduce slot; tasks take half of what
// is declared, 5 instead of 10.
//
//	estimates at 0     A: T^m 10, T^r 20; B: 20, 30; C: 30, 40
//	what happens       A: map 0→5, reduce 5→10; B: 5→10, 10→15; C: 10→15, 15→20
//	A ends at 10       20 - 10 = 10. U^m 5, U^r 10. B from 10: T^m 20, T^r 30;
//	                   C: 30, 40
//	B ends at 15       30 - 15 = 15. U^m 10, U^r 15. C from 15: T^m 25, T^r 35
//	D at 16, due 47    map 25→35, reduce 35→45: yes
//
// Without B's feedback T^m and T^r of C stay at 30 and 40, and D would end at 50.
func TestFeedbackByHand(t *testing.T) {
	js := onSlave(slave(1, 1),
		job("A", 0, 20, 1, 10, 1, 10), job("B", 0, 30, 1, 10, 1, 10), job("C", 0, 40, 1, 10, 1, 10),
		job("D", 16, 47, 1, 10, 1, 10),
	)
	half := durations.Uniform{Lo: 0.5, Hi: 0.5}
	yes := "D yes: finishes by 45, as number 2 in the queue"
	no := "D no: job D would finish by 50 only and is due at 47"
	for _, c := range []struct {
		opts Options
		want string
	}{
		{Options{NoBeat: true, Feedback: true}, yes},
		{Options{NoBeat: true, Feedback: true, Delta: 15}, yes},
		{Options{NoBeat: true, Feedback: true, Delta: 16}, no},
		{Options{NoBeat: true, Feedback: true, Delta: TypicalMap}, yes}, // 5
		{Options{NoBeat: true}, no},
	} {
		out := run(t, js, New(c.opts), online.Options{Durations: half, Trace: true})
		if got := admissions(out)[3]; got != c.want {
			t.Errorf("%+v: %s, want %s", c.opts, got, c.want)
		}
	}
}

// What Keep changes. Two map slots, one reduce slot, half of what is declared.
//
//	estimates at 0   A: map 0→10, T^m 0 10, reduce 10→20, T^r 20.
//	                 B: maps 0→40 10→50, T^m 40 50, e 50.
//	what happens     A: map 0→5, reduce 5→10; B: maps 0→20, 5→25
//	A ends at 10     U^m 0 5. B as if from 10: T^m 50 50; the lower figures are
//	                 those of old, 40 50
//	C at 11, due 55  map from 40 → 50, or from 50 → 60
func TestKeepByHand(t *testing.T) {
	js := onSlave(slave(2, 1), job("A", 0, 20, 1, 10, 1, 10), job("B", 0, 50, 2, 40, 0, 0), job("C", 11, 55, 1, 10, 0, 0))
	half := durations.Uniform{Lo: 0.5, Hi: 0.5}
	for keep, want := range map[bool]string{
		true:  "C yes: finishes by 50, as number 2 in the queue",
		false: "C no: job C would finish by 60 only and is due at 55",
	} {
		out := run(t, js, New(Options{NoBeat: true, Feedback: true, Keep: keep}), online.Options{Durations: half, Trace: true})
		if got := admissions(out)[2]; got != want {
			t.Errorf("keep %t: %s, want %s", keep, got, want)
		}
	}
}

// History on one job of two maps declared 10 and a reduce declared 20, all of
// which took half: c_m = c_r = 0.5, η = 20/20 = 1. A job of a map of 30 and
// three reduces of 99 is then taken to need 0.5·30 = 15 for the map and
// 0.5·1·30/3 = 5 for each reduce; before, as declared, 30 and 99. Deadline Constraint, with a
// deadline at 200, has the reduces start by 195, and as declared by 101.
func TestLearningByHand(t *testing.T) {
	js := onSlave(slave(2, 3), job("A", 0, 100, 2, 10, 1, 20), job("B", 50, 200, 1, 30, 3, 99))
	half := durations.Uniform{Lo: 0.5, Hi: 0.5}
	for _, c := range []struct {
		learn    bool
		want, dc string
	}{
		{true, "B yes: finishes by 70, as number 1 in the queue", "B yes: on 1 map slots, reduces by 195"},
		{false, "B yes: finishes by 179, as number 1 in the queue", "B yes: on 1 map slots, reduces by 101"},
	} {
		learning := Learning{Learn: c.learn}
		out := run(t, js, New(Options{NoBeat: true, Feedback: true, Learning: learning}), online.Options{Durations: half, Trace: true})
		if got := admissions(out)[1]; got != c.want {
			t.Errorf("learning %t: %s, want %s", c.learn, got, c.want)
		}
		out = run(t, js, DeadlineConstraint(DeadlineOptions{NoBeat: true, Learning: learning}), online.Options{Durations: half, Trace: true})
		if got := admissions(out)[1]; got != c.dc {
			t.Errorf("learning %t: %s, want %s", c.learn, got, c.dc)
		}
	}
}

// Best-effort jobs come last and are not turned away for their own sake.
func TestBestEffortIsAccepted(t *testing.T) {
	last := job("last", 0, 1, 3, 50, 2, 50)
	last.Kind, last.Deadline = model.BestEffort, 0
	js := onSlave(slave(1, 1), last, job("A", 60, 170, 1, 10, 1, 10))
	for _, p := range []online.Policy{New(Default()), DeadlineConstraint(DeadlineOptions{})} {
		out := run(t, js, p, online.Options{Trace: true})
		if slices.Contains(out.Rejected, 0) {
			t.Errorf("%s rejects a job without a deadline", out.Policy)
		}
	}
}
