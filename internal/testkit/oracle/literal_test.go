package oracle_test

import (
	"os"
	"slices"
	"strconv"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
)

// micro are knobs with times so short that all placements of three tasks can be listed.
func micro(k gen.Knobs) gen.Knobs {
	k.Tasks = gen.Range{Lo: 1, Hi: 3}
	k.Slaves = gen.Range{Lo: 1, Hi: 2}
	k.Heartbeat = gen.Range{Lo: 1, Hi: 3}
	k.WCET = gen.Range{Lo: 1, Hi: 3}
	k.Transfer = gen.Range{Lo: 0, Hi: 2}
	k.Release = gen.Range{Lo: 0, Hi: 2}
	k.DownAt, k.DownFor = gen.Range{Lo: 0, Hi: 5}, gen.Range{Lo: 1, Hi: 2}
	return k
}

// placements lists every (slave, heartbeat, fetch, start) of a task that obeys
// C0–C3, absences, and unless relaxed C8, with a finish of at most horizon.
func placements(js *model.JobSet, id model.TaskID, horizon model.Time, relaxed bool) []model.Placement {
	var out []model.Placement
	task := &js.Tasks[id]
	job := &js.Jobs[task.Job]
	if !relaxed && job.Kind == model.Hard {
		horizon = min(horizon, job.Due())
	}
	for s := range model.SlaveID(len(js.Slaves)) {
		wcet, transfer := task.WCET(s), task.Transfer(s)
		for beat := model.Time(0); wcet > 0 && js.BeatTime(s, beat) < horizon; beat++ {
			assigned := js.BeatTime(s, beat)
			if assigned < job.Release {
				continue
			}
			for fetch := assigned; fetch < horizon; fetch++ {
				for start := fetch + transfer; start+wcet <= horizon; start++ {
					hold := model.Interval{Start: assigned, End: start + wcet}
					if !slices.ContainsFunc(js.Slaves[s].Down, hold.Overlaps) {
						out = append(out, model.Placement{Slave: s, Beat: beat, Fetch: fetch, Start: start})
					}
				}
			}
		}
	}
	return out
}

// clash reports whether the first n tasks, as placed, break C4–C7, C9, C10 or FIFO.
// Adding a task never mends any of these.
func clash(js *model.JobSet, places model.Schedule, n int) bool {
	for a := range n {
		pa, ta := places[a], &js.Tasks[a]
		slave := &js.Slaves[pa.Slave]
		runs, holds, units := int64(0), 0, make([]int64, len(js.Named))
		for b := range n {
			pb, tb := places[b], &js.Tasks[b]
			finish := js.Finish(model.TaskID(b), pb)
			if comesAfter(js, ta, tb) && js.Assigned(pa) < finish {
				return true // C7, C10
			}
			if tb.Job == ta.Job && tb.Stage == ta.Stage && js.Jobs[ta.Job].Stages[ta.Stage].Gang && pb.Start != pa.Start {
				return true // C12
			}
			if pa.Slave != pb.Slave {
				continue
			}
			if pb.Start <= pa.Start && pa.Start < finish {
				runs += tb.Cores()
			}
			samePool := slave.Pool(ta.Slot) == slave.Pool(tb.Slot)
			if held := js.Assigned(pb) <= js.Assigned(pa) && js.Assigned(pa) < finish; held {
				if samePool {
					holds++
				}
				for k := range units {
					units[k] += tb.Units(k)
				}
			}
			fa := model.Interval{Start: pa.Fetch, End: pa.Fetch + ta.Transfer(pa.Slave)}
			fb := model.Interval{Start: pb.Fetch, End: pb.Fetch + tb.Transfer(pb.Slave)}
			if a != b && js.Fetch == model.FetchExclusive && fa.Overlaps(fb) {
				return true // C6
			}
			if tb.Job == ta.Job && tb.Stage == ta.Stage && a != b && js.Jobs[ta.Job].Stages[ta.Stage].Apart {
				return true // C12
			}
			if js.FIFO && pb.Beat < pa.Beat && pb.Start > pa.Start {
				return true
			}
		}
		if runs > int64(slave.Cores) || holds > slave.PoolSize(slave.Pool(ta.Slot)) {
			return true // C4, C5
		}
		for k := range units {
			if units[k] > slave.Offers(k) {
				return true // C9
			}
		}
	}
	return tooMuch(js, places, n)
}

// tooMuch reports whether the first n tasks, as placed, break C11 at some tick.
func tooMuch(js *model.JobSet, places model.Schedule, n int) bool {
	end := model.Time(0)
	for t := range n {
		end = max(end, js.Finish(model.TaskID(t), places[t]))
	}
	for now := model.Time(0); now < end && js.Coupled(); now++ {
		pools, jobs, stages := make([]int64, len(js.Pools)), make([]int64, len(js.Jobs)), make([]int64, js.Stages())
		for t := range n {
			task := &js.Tasks[t]
			if js.Assigned(places[t]) > now || now >= js.Finish(model.TaskID(t), places[t]) {
				continue
			}
			needs := task.Needs()
			for i := range pools {
				pools[i] += needs.Pooled(i)
			}
			jobs[task.Job]++
			stages[js.StageOf(task)]++
			job := &js.Jobs[task.Job]
			if job.AtMost > 0 && jobs[task.Job] > job.AtMost {
				return true
			}
			if st := &job.Stages[task.Stage]; st.AtMost > 0 && stages[js.StageOf(task)] > st.AtMost {
				return true
			}
		}
		for i := range pools {
			there := int64(0)
			for _, l := range js.Pools[i].Levels {
				if l.From <= now {
					there = l.Amount
				}
			}
			if pools[i] > there {
				return true
			}
		}
	}
	return false
}

// comesAfter reports whether a is in a stage, or a job, that comes after that of b.
func comesAfter(js *model.JobSet, a, b *model.Task) bool {
	job := &js.Jobs[a.Job]
	return slices.Contains(job.After, b.Job) ||
		a.Job == b.Job && slices.Contains(job.Stages[a.Stage].After, b.Stage)
}

// enumerate finds the best values over all schedules within the horizon; ok is
// false if there is none.
func enumerate(js *model.JobSet, lists [][]model.Placement, goal []model.Objective) (best []int64, ok bool) {
	places := model.NewSchedule(len(js.Tasks))
	var place func(i int)
	place = func(i int) {
		if i == len(js.Tasks) {
			if v := values(js, goal, places); !ok || slices.Compare(v, best) < 0 {
				best, ok = v, true
			}
			return
		}
		for _, p := range lists[i] {
			places[i] = p
			if !clash(js, places, i+1) {
				place(i + 1)
			}
		}
	}
	place(0)
	return best, ok
}

// candidates are all placements of all tasks, within the longest horizon of at
// most the given one that keeps the number of combinations small.
func candidates(js *model.JobSet, horizon model.Time, relaxed bool) ([][]model.Placement, model.Time) {
	const limit = 300_000
	for ; ; horizon-- {
		lists := make([][]model.Placement, len(js.Tasks))
		product := 1
		for t := range js.Tasks {
			lists[t] = placements(js, model.TaskID(t), horizon, relaxed)
			product *= len(lists[t])
		}
		if product <= limit {
			return lists, horizon
		}
	}
}

// setCount is the number of sets to compare: the environment variable
// DOWNBEAT_CROSSCHECK, or the given default.
func setCount(t *testing.T, standard int) int {
	text, ok := os.LookupEnv("DOWNBEAT_CROSSCHECK")
	if !ok {
		return standard
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("DOWNBEAT_CROSSCHECK: %v", err)
	}
	return n
}

// serialEnd is a time by which some optimal schedule ends. Nothing but time
// prevents work after the last release, first heartbeat and absence. From then
// on, in a schedule in which nothing waits without a reason, every tick has a
// task fetching or running somewhere, except for fewer than h ticks before
// each assignment.
func serialEnd(js *model.JobSet) model.Time {
	end := model.Time(0)
	for i := range js.Jobs {
		end = max(end, js.Jobs[i].Release)
	}
	for i := range js.Pools {
		levels := js.Pools[i].Levels
		end = max(end, levels[len(levels)-1].From)
	}
	for i := range js.Slaves {
		end = max(end, js.Slaves[i].FirstBeat)
		for _, d := range js.Slaves[i].Down {
			end = max(end, d.End)
		}
	}
	for t := range js.Tasks {
		longest := model.Time(0)
		for s := range model.SlaveID(len(js.Slaves)) {
			if js.Tasks[t].Eligible(s) {
				longest = max(longest, js.Tasks[t].Transfer(s)+js.Tasks[t].WCET(s))
			}
		}
		end += longest + js.Heartbeat
	}
	return end
}

// TestAgainstEnumeration compares the search with all placements, tick by tick,
// of up to three tasks. Where the horizon has to be cut short to keep the
// enumeration small, it still must not beat the search, and must reach its
// value if the search's schedule lies within.
func TestAgainstEnumeration(t *testing.T) {
	againstEnumeration(t, micro(gen.TinyKnobs()), setCount(t, testkit.Sets(150, 400)))
}

// TestAgainstEnumerationToday does so with containers, stage graphs and jobs after jobs.
func TestAgainstEnumerationToday(t *testing.T) {
	k := micro(gen.TodayKnobs())
	k.Tasks.Lo, k.FirstStage, k.LaterStage = 2, gen.Range{Lo: 1, Hi: 1}, gen.Range{Lo: 1, Hi: 1}
	k.Cores, k.SpareSlots, k.Barred, k.WCET.Lo = gen.Range{Lo: 1, Hi: 3}, gen.Range{Lo: 0, Hi: 2}, 0, 2
	againstEnumeration(t, k, setCount(t, testkit.Sets(50, 100)))
}

// TestAgainstEnumerationCoupled does so with pools, caps, gangs and stages that are apart.
func TestAgainstEnumerationCoupled(t *testing.T) {
	k := micro(gen.TodayKnobs())
	k.Tasks.Lo, k.FirstStage, k.Cores, k.Barred = 2, gen.Range{Lo: 1, Hi: 3}, gen.Range{Lo: 1, Hi: 3}, 0
	k.Slaves.Lo, k.EqualTasks = 2, 0.8
	sets := 0
	draw := func(seed uint64) *model.JobSet {
		js, _ := gen.Random(k, seed)
		js = gen.Coupled(js, seed, false)
		if js.Coupled() {
			sets++
		}
		return js
	}
	againstEnumerationOf(t, draw, setCount(t, testkit.Sets(100, 400)))
	if sets < 30 {
		t.Errorf("only %d sets had anything in common", sets)
	}
}

func againstEnumeration(t *testing.T, k gen.Knobs, sets int) {
	againstEnumerationOf(t, func(seed uint64) *model.JobSet {
		js, _ := gen.Random(k, seed)
		return js
	}, sets)
}

func againstEnumerationOf(t *testing.T, draw func(seed uint64) *model.JobSet, sets int) {
	whole, equal, infeasible := 0, 0, 0
	for seed := range uint64(sets) {
		js := draw(seed)
		goal, relaxed := js.Goal(), false
		a := solve(t, seed, js, goal, relaxed)
		if a.Status == model.Infeasible && seed%2 == 0 {
			goal, relaxed = append([]model.Objective{model.HardMisses}, goal...), true
			a = solve(t, seed, js, goal, relaxed)
		}
		end := serialEnd(js)
		lists, horizon := candidates(js, end, relaxed)
		best, ok := enumerate(js, lists, goal)
		if horizon == end {
			whole++
		}
		if a.Status == model.Infeasible {
			infeasible++
			if ok {
				t.Fatalf("seed %d: said to be infeasible, enumeration finds %v", seed, best)
			}
			continue
		}
		if ok && slices.Compare(best, a.Values) < 0 {
			t.Fatalf("seed %d: %v said to be the optimum, enumeration finds %v", seed, a.Values, best)
		}
		if slices.Max(js.Finishes(a.Schedule)) <= horizon {
			equal++
			if !ok || !slices.Equal(best, a.Values) {
				t.Fatalf("seed %d: optimum %v, enumeration finds %v (%t)", seed, a.Values, best, ok)
			}
		}
	}
	t.Logf("%d sets: %d equal, %d infeasible; whole horizon on %d", sets, equal, infeasible, whole)
	if equal < sets/2 || infeasible < sets/50 || whole < sets/4 {
		t.Error("too few sets were compared to the full")
	}
}
