package workload

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/model"
)

// binOf reads the bin from the job's name, from 0.
func binOf(t *testing.T, j *model.Job) int {
	t.Helper()
	_, after, _ := strings.Cut(j.Name, "-bin")
	var bin int
	if _, err := fmt.Sscan(after, &bin); err != nil {
		t.Fatalf("job %q: %v", j.Name, err)
	}
	return bin - 1
}

func (r Range) holds(x int) bool { return r.Lo <= x && x <= r.Hi }

// Tables II, III and IV, typed in again: jobs, maps, reduces, deadlines.
var (
	tableIII = [][7]int{
		{38, 1, 1, 1, 5, 200, 300}, {16, 2, 2, 1, 5, 200, 300}, {14, 10, 10, 5, 10, 300, 400},
		{8, 50, 50, 10, 20, 500, 800}, {6, 100, 100, 20, 30, 1000, 1500}, {6, 200, 200, 30, 30, 2000, 2500},
	}
	tableIV = [][7]int{
		{9, 1, 10, 1, 5, 200, 300}, {24, 10, 50, 5, 10, 300, 500}, {25, 50, 100, 15, 30, 1000, 1500},
		{18, 100, 200, 25, 50, 1500, 2500}, {13, 200, 300, 35, 70, 2500, 3500},
	}
)

func TestRTMRFollowsItsTables(t *testing.T) {
	for spec, table := range map[string][][7]int{"rtmr1": tableIII, "rtmr2": tableIV} {
		w := parse(t, spec)
		for seed := range testkit.Sets[uint64](4, 20) {
			js := generate(t, w, seed)
			counts := make([]int, len(table))
			for i := range js.Jobs {
				j := &js.Jobs[i]
				b := binOf(t, j)
				counts[b]++
				row := table[b]
				maps, reduces := int(j.Stages[0].End-j.Stages[0].First), int(j.Stages[1].End-j.Stages[1].First)
				if !(Range{row[1], row[2]}).holds(maps) || !(Range{row[3], row[4]}).holds(reduces) ||
					!(Range{row[5], row[6]}).holds(int(j.Deadline)) || j.Kind != model.Hard {
					t.Fatalf("%s, seed %d, %s: %d maps, %d reduces, due after %d, %s", spec, seed, j.Name, maps, reduces, j.Deadline, j.Kind)
				}
			}
			for b, row := range table {
				if counts[b] != row[0] {
					t.Fatalf("%s, seed %d: %d jobs of bin %d, want %d", spec, seed, counts[b], b+1, row[0])
				}
			}
		}
	}
}

func TestRTMRCluster(t *testing.T) {
	js := generate(t, parse(t, "rtmr1"), 1)
	maps, reduces, cores := 0, 0, 0
	for i := range js.Slaves {
		s := &js.Slaves[i]
		maps, reduces, cores = maps+s.MapSlots, reduces+s.ReduceSlots, cores+s.Cores
		if s.ReduceSlots != 1 || s.Cores != s.MapSlots || (s.MapSlots == 4) != (s.Class == "large") {
			t.Errorf("slave %+v", s)
		}
	}
	if len(js.Slaves) != 30 || maps != 100 || reduces != 30 || cores != 100 {
		t.Errorf("%d slaves with %d map and %d reduce slots and %d cores", len(js.Slaves), maps, reduces, cores)
	}
	if js.Heartbeat != 3 || js.Fetch != model.FetchExclusive || js.Slaves[29].FirstBeat != 2 {
		t.Errorf("realistic: h=%d, fetch %s, last slave first at %d", js.Heartbeat, js.Fetch, js.Slaves[29].FirstBeat)
	}
	proof := generate(t, parse(t, "rtmr1:platform=guarantee"), 1)
	for i := range proof.Slaves {
		if s := &proof.Slaves[i]; s.Cores != s.TotalSlots() || s.FirstBeat != 0 {
			t.Errorf("guarantee: slave %+v", s)
		}
	}
	if proof.Heartbeat != 1 || proof.Fetch != model.FetchConcurrent {
		t.Errorf("guarantee: h=%d, fetch %s", proof.Heartbeat, proof.Fetch)
	}
	for i := range js.Jobs { // the same jobs on both
		if js.Jobs[i].Release != proof.Jobs[i].Release || js.Jobs[i].Deadline != proof.Jobs[i].Deadline {
			t.Errorf("job %s differs between the platforms", js.Jobs[i].Name)
		}
	}
}

func TestRTMRTaskTimes(t *testing.T) {
	js := generate(t, parse(t, "rtmr1:smallfactor=1.5,map=7,reduce=9,local=2,remote=5,shuffle=4"), 1)
	for id := range js.Tasks {
		task := &js.Tasks[id]
		held := 0
		for s := range model.SlaveID(30) {
			wcet, transfer := model.Time(7), model.Time(5)
			if task.Slot == model.ReduceSlot {
				wcet, transfer = 9, 4
			}
			if s >= 20 {
				wcet = (wcet*3 + 1) / 2
			}
			if task.Slot == model.MapSlot && task.Transfer(s) == 2 {
				held++
				transfer = 2
			}
			if task.WCET(s) != wcet || task.Transfer(s) != transfer {
				t.Fatalf("%s on slave %d: %d+%d", js.TaskName(model.TaskID(id)), s, task.WCET(s), task.Transfer(s))
			}
		}
		if want := 3 * (1 - int(task.Slot)); held != want {
			t.Fatalf("%s has %d replicas", js.TaskName(model.TaskID(id)), held)
		}
	}
}

func TestRTMRArrivals(t *testing.T) {
	var gaps []float64
	for seed := range uint64(60) {
		at := exponentialArrivals(seed, 88, 14)
		if at[0] != 0 {
			t.Fatalf("seed %d: the first job arrives at %g", seed, at[0])
		}
		for i := 1; i < len(at); i++ {
			gaps = append(gaps, at[i]-at[i-1])
		}
		js := generate(t, parse(t, "rtmr1"), seed)
		for i := range js.Jobs {
			if math.Abs(float64(js.Jobs[i].Release)-at[i]) > 0.5 {
				t.Fatalf("seed %d: job %d is released at %d, not %g", seed, i, js.Jobs[i].Release, at[i])
			}
		}
	}
	closeTo(t, "gaps", gaps, 14)
	fits(t, "gaps", gaps, func(x float64) float64 { return 1 - math.Exp(-x/14) })
}

// Deadlines and reduces are uniform in their intervals.
func TestRTMRIntervalsAreUniform(t *testing.T) {
	var deadlines, reduces []float64
	for seed := range uint64(60) {
		js := generate(t, parse(t, "rtmr1"), seed)
		for i := range js.Jobs {
			if j := &js.Jobs[i]; binOf(t, j) == 0 {
				deadlines = append(deadlines, float64(j.Deadline))
				reduces = append(reduces, float64(j.Stages[1].End-j.Stages[1].First))
			}
		}
	}
	closeTo(t, "deadlines of bin 1", deadlines, 250)
	closeTo(t, "reduces of bin 1", reduces, 3)
	square := make([]float64, len(deadlines))
	for i, d := range deadlines {
		square[i] = (d - 250) * (d - 250)
	}
	closeTo(t, "variance of the deadlines", square, (101*101-1)/12.)
}

// Deadline Constraint gets the same stream without the jobs that it cannot
// accept: at most the 76 jobs of bins 1 to 4, at least the 58 of bins 1 to 3.
func TestRTMRMaxReduces(t *testing.T) {
	all, few := generate(t, parse(t, "rtmr2"), 4), generate(t, parse(t, "rtmr2:maxreduces=30"), 4)
	var kept []model.JobID
	for i := range all.Jobs {
		if st := all.Jobs[i].Stages[1]; st.End-st.First <= 30 {
			kept = append(kept, model.JobID(i))
		}
	}
	if sub := all.Subset(kept); sub.Digest() != few.Digest() {
		t.Errorf("%d jobs of at most 30 reduces, but maxreduces=30 leaves %d others", len(kept), len(few.Jobs))
	}
	if n := len(few.Jobs); n < 58 || n > 76 {
		t.Errorf("%d jobs are left", n)
	}
	if _, err := parse(t, "rtmr2:jobs=1,maxreduces=1").Generate(1); err == nil {
		t.Error("a set without jobs was made")
	}
}

// More jobs than the table has repeat its bins.
func TestRTMRLongerStream(t *testing.T) {
	js := generate(t, parse(t, "rtmr1:jobs=176"), 1)
	counts := make([]int, 6)
	for i := range js.Jobs {
		counts[binOf(t, &js.Jobs[i])]++
		if i == 87 && counts[0] != 38 {
			t.Errorf("%d jobs of bin 1 in the first pack", counts[0])
		}
	}
	if counts[0] != 76 || counts[5] != 12 {
		t.Errorf("bins of 176 jobs: %v", counts)
	}
}

// What Assumptions says of FIFO's utilisation at a quarter of the default
// times: slot time used over slot time there until the last job is done.
func TestRTMRUtilisationAtAQuarterOfTheTimes(t *testing.T) {
	for spec, want := range map[string]float64{"rtmr1": 0.25, "rtmr2": 0.66} {
		var used []float64
		for seed := range testkit.Sets[uint64](15, 40) {
			js := generate(t, parse(t, spec+":platform=guarantee,map=9,local=1,remote=1,reduce=18,shuffle=2"), seed)
			figures := heuristics.NewFigures(js)
			board := heuristics.NewBoard(figures, 1)
			board.Construct(t.Context(), heuristics.Rule{Keys: []heuristics.Key{heuristics.Release}}.Order(figures), heuristics.Deferral{})
			end, slotTime := model.Time(0), model.Time(0)
			for id, p := range board.Place {
				finish := js.Finish(model.TaskID(id), p)
				end, slotTime = max(end, finish), slotTime+finish-js.Assigned(p)
			}
			used = append(used, float64(slotTime)/float64(130*end))
		}
		mean := 0.0
		for _, u := range used {
			mean += u / float64(len(used))
		}
		if math.Abs(mean-want) > 0.025 {
			t.Errorf("%s: FIFO uses %.3f of the slot time, want about %.2f", spec, mean, want)
		}
	}
}
