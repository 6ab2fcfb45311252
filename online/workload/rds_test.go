package workload

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"downbeat/model"
)

// present counts the slaves that are there during all of iv.
func present(js *model.JobSet, iv model.Interval) int {
	n := 0
	for i := range js.Slaves {
		if js.Slaves[i].Up(iv) {
			n++
		}
	}
	return n
}

func TestRDSJobs(t *testing.T) {
	w := parse(t, "rds")
	programs, sizes := map[string]int{}, map[string]int{}
	for seed := range uint64(4) {
		js := generate(t, w, seed)
		if len(js.Slaves) != 20 || js.Slaves[0].MapSlots != 2 || js.Slaves[0].ReduceSlots != 1 {
			t.Fatalf("cluster of %d like %+v", len(js.Slaves), js.Slaves[0])
		}
		for i := range js.Jobs {
			j := &js.Jobs[i]
			parts := strings.Split(j.Name, "-")
			programs[parts[1]]++
			sizes[parts[2]]++
			maps := int(j.Stages[0].End - j.Stages[0].First)
			if want := map[string]int{"short": 32, "medium": 160, "large": 640}[parts[2]]; maps != want {
				t.Errorf("seed %d, %s has %d maps, want %d", seed, j.Name, maps, want)
			}
			if j.Release != model.Time(600*i) || j.Kind != model.Soft || j.Weight != 1 {
				t.Errorf("seed %d, %s is released at %d, %s of weight %d", seed, j.Name, j.Release, j.Kind, j.Weight)
			}
			if dedicated := float64(alone(js, model.JobID(i))); j.Deadline != ticks(2.5*dedicated, 1) {
				t.Errorf("seed %d, %s is due after %d, alone it takes %g", seed, j.Name, j.Deadline, dedicated)
			}
		}
	}
	if len(programs) != 3 || len(sizes) != 3 {
		t.Errorf("four sets have programs %v and sizes %v", programs, sizes)
	}
}

// Work per block does not depend on how many reduces share it.
func TestRDSReduces(t *testing.T) {
	w := NewRDS()
	js := &model.JobSet{Slaves: make([]model.Slave, 20)}
	for _, c := range []struct {
		app               application
		blocks, reduces   int
		wcet, shuffleTime model.Time
	}{
		{applications[0], 32, 2, 8, 2}, {applications[0], 640, 20, 16, 3},
		{applications[1], 160, 20, 16, 8}, {applications[1], 4, 1, 8, 4}, {applications[2], 640, 1, 64, 13},
	} {
		st := w.stages(js, c.app, c.blocks, 1, 0)[1]
		p := st.Groups[0].Profile
		if st.Groups[0].Count != c.reduces || p.WCET(0) != c.wcet || p.Transfer(0) != c.shuffleTime {
			t.Errorf("%s of %d blocks: %d reduces of %d after %d", c.app.name, c.blocks, st.Groups[0].Count, p.WCET(0), p.Transfer(0))
		}
	}
}

func TestRDSCapacityFollowsTheSun(t *testing.T) {
	w := NewRDS()
	w.Clouds = 0
	clear := w.capacity(20, 37, 1)
	// By hand: 0.3 of 20 at night, all at noon, 0.3 + 0.7/2 a quarter of a day
	// on (between intervals 4 and 5), the same every day.
	if clear[0] != 6 || clear[9] != 20 || clear[18] != 6 || clear[27] != 20 || clear[4] != 12 || clear[5] != 14 {
		t.Errorf("clear sky: %v", clear)
	}
	w.Clouds = 0.5
	dimmed := 0
	for seed := range uint64(20) {
		for i, n := range w.capacity(20, 37, seed) {
			if n > clear[i] || n < 6 {
				t.Errorf("seed %d, interval %d: %d of 20 slaves, without clouds %d", seed, i, n, clear[i])
			}
			if n < clear[i] {
				dimmed++
			}
		}
	}
	if dimmed < 100 {
		t.Errorf("clouds took slaves in only %d intervals", dimmed)
	}
	w.Grid = 0
	if up := w.capacity(20, 1, 1); up[0] != 1 {
		t.Errorf("without grid %d slaves are there at night, want 1", up[0])
	}
	js := generate(t, parse(t, "rds"), 3)
	due := model.Time(0)
	for i := range js.Jobs {
		due = max(due, js.Jobs[i].Due())
	}
	intervals := int((due + 599) / 600)
	for i, n := range NewRDS().capacity(20, intervals, 3) {
		if got := present(js, model.Interval{Start: model.Time(i) * 600, End: model.Time(i+1) * 600}); got != n {
			t.Errorf("interval %d: %d slaves, want %d", i, got, n)
		}
	}
	if got := present(js, model.Interval{Start: model.Time(intervals) * 600, End: model.MaxTime}); got != 20 {
		t.Errorf("after the trace %d slaves are there", got)
	}
}

// fluid runs the pair of jobs minute by minute: a free slave that is there
// takes a task of the job that pick names, jobs by number, -1 for none. It
// returns the jobs' finishes. Absences never cut a task short since its length
// divides the interval.
func fluid(t *testing.T, js *model.JobSet, pick func(now model.Time, left, running []int) int) []model.Time {
	t.Helper()
	left, running := make([]int, len(js.Jobs)), make([]int, len(js.Jobs))
	for i := range js.Jobs {
		left[i] = int(js.Jobs[i].End - js.Jobs[i].First)
	}
	grain := js.Tasks[0].WCET(0)
	type run struct {
		job int
		end model.Time
	}
	runs := make([]run, len(js.Slaves))
	finish := make([]model.Time, len(js.Jobs))
	for now := model.Time(0); now < 100; now++ {
		for s := range runs {
			if runs[s].end == now && now > 0 {
				running[runs[s].job]--
				runs[s].end = 0
			}
		}
		for s := range runs {
			if runs[s].end > 0 || !js.Slaves[s].Up(model.Interval{Start: now, End: now + grain}) {
				continue
			}
			waiting := slices.Clone(left)
			for i := range waiting {
				if js.Jobs[i].Release > now {
					waiting[i] = 0
				}
			}
			if j := pick(now, waiting, running); j >= 0 {
				left[j]--
				running[j]++
				runs[s] = run{j, now + grain}
				finish[j] = max(finish[j], now+grain)
			}
		}
	}
	if left[0]+left[1] > 0 {
		t.Fatalf("%v tasks are left over", left)
	}
	return finish
}

// inOrder serves the first job of the order that has a waiting task.
func inOrder(order ...int) func(model.Time, []int, []int) int {
	return func(_ model.Time, left, _ []int) int {
		for _, j := range order {
			if left[j] > 0 {
				return j
			}
		}
		return -1
	}
}

// fair serves the job with the fewest running tasks, the earlier of equals.
func fair(_ model.Time, left, running []int) int {
	best := -1
	for j := range left {
		if left[j] > 0 && (best < 0 || running[j] < running[best]) {
			best = j
		}
	}
	return best
}

func TestRDSCaseStudy(t *testing.T) {
	for _, grain := range []int{1, 2, 5, 10} {
		js := generate(t, parse(t, fmt.Sprintf("rds-case:grain=%d", grain)), 1)
		capacity := 0
		for minute := range model.Time(40) {
			n := present(js, model.Interval{Start: minute, End: minute + 1})
			if want := 3 + 3*int(minute/10%2); n != want {
				t.Errorf("minute %d: capacity %d, want %d", minute, n, want)
			}
			capacity += n
		}
		if demand := len(js.Tasks) * grain; demand != 180 || capacity != 180 {
			t.Errorf("grain %d: demand %d, capacity %d", grain, demand, capacity)
		}
		if js.Jobs[0].Due() != 40 || js.Jobs[1].Due() != 30 || js.Jobs[1].Release != 10 || js.Jobs[0].Kind != model.Hard {
			t.Errorf("jobs %+v", js.Jobs)
		}
		if got := fluid(t, js, inOrder(0, 1)); got[0] > 40 || got[1] != 40 {
			t.Errorf("grain %d: FIFO finishes at %v, want J2 at 40, too late", grain, got)
		}
		if got := fluid(t, js, fair); got[0] > 40 || got[1] <= 30 {
			t.Errorf("grain %d: Fair finishes at %v, want J2 too late", grain, got)
		}
		if got := fluid(t, js, inOrder(1, 0)); got[0] > 40 || got[1] > 30 {
			t.Errorf("grain %d: J2 first finishes at %v, want 40 and 30 met", grain, got)
		}
	}
}

func TestRDSOverload(t *testing.T) {
	for _, grain := range []int{1, 2, 5, 10} {
		js := generate(t, parse(t, fmt.Sprintf("rds-overload:grain=%d", grain)), 1)
		if js.Jobs[0].Due() != 25 || js.Jobs[1].Due() != 30 || js.Jobs[0].Kind != model.Soft {
			t.Fatalf("jobs %+v", js.Jobs)
		}
		if got := fluid(t, js, inOrder(0, 1)); got[0] <= 25 || got[1] <= 30 {
			t.Errorf("grain %d: EDF finishes at %v, want both too late", grain, got)
		}
		if got := fluid(t, js, inOrder(1, 0)); got[0] <= 25 || got[1] > 30 {
			t.Errorf("grain %d: J2 first finishes at %v, want only J1 too late", grain, got)
		}
		capacity := 0
		for minute := range model.Time(25) {
			capacity += present(js, model.Interval{Start: minute, End: minute + 1})
		}
		if capacity >= 120 {
			t.Errorf("capacity until J1 is due is %d: it could meet its deadline", capacity)
		}
		for i := range js.Slaves {
			js.Slaves[i].Down = nil
		}
		if got := fluid(t, js, inOrder(0, 1)); got[0] > 25 || got[1] > 30 {
			t.Errorf("grain %d: without the drop EDF finishes at %v, want both in time", grain, got)
		}
	}
}
