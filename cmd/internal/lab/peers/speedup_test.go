package peers

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"downbeat/model"
	"downbeat/solve/event"
)

// someTrials are those of two sets with one and four workers: the first gets faster, the second is left open by
// four workers with two of three seeds.
func someTrials() []*Trial {
	set := func(name string) *Set {
		return &Set{Name: name, digest: "abc", JobSet: &model.JobSet{
			Tasks: make([]model.Task, 30), Objectives: []model.Objective{model.Misses},
		}}
	}
	quick, lost := set("quick"), set("lost")
	trial := func(of *Set, workers int, seed uint64, seconds float64) *Trial {
		t := &Trial{
			Set: of, Workers: workers, Seed: seed, Effort: Effort{Processor: 130 * time.Second},
			Status: model.Optimal, Values: []int64{3}, Bounds: []int64{3}, Busy: 1, Memory: 20 << 20, Counts: event.Counts{Conflicts: 7, Steps: 1000},
		}
		if t.Processor = time.Duration(seconds * float64(time.Second)); t.Processor > t.Effort.Processor {
			t.Status, t.Bounds = model.Feasible, []int64{2}
		}
		if workers > 1 {
			t.Busy = 3
		}
		t.Wall = t.Processor / time.Duration(min(2, workers))
		return t
	}
	return []*Trial{
		trial(quick, 1, 1, 10), trial(quick, 1, 2, 12), trial(quick, 1, 3, 8),
		trial(quick, 4, 1, 12), trial(quick, 4, 2, 16), trial(quick, 4, 3, 11),
		trial(lost, 1, 1, 20), trial(lost, 1, 2, 70), trial(lost, 1, 3, 30),
		trial(lost, 4, 1, 131), trial(lost, 4, 2, 131), trial(lost, 4, 3, 25),
	}
}

func TestSpeedupTable(t *testing.T) {
	var out bytes.Buffer
	if err := SpeedupTable(&out, someTrials()); err != nil {
		t.Fatal(err)
	}
	const want = `set    tasks  workers  proved  processor seconds by seed  median  ratio  speed-up  with idle time  by the clock  MB
quick  30     1        3 of 3  10.0 12.0 8.0              10.0    1.00   1.00      1.00            1.00          20
              4        3 of 3  12.0 16.0 11.0             12.0    1.20   3.33      2.50            1.67          20
lost   30     1        3 of 3  20.0 70.0 30.0             30.0    1.00   1.00      1.00            1.00          20
              4        1 of 3  open open 25.0             open    open   0.00      0.00            0.00          20

workers  sets  median speed-up  with idle time  by the clock  greatest ratio
4        2     1.67             1.25            0.83          open lost

proved by 1 within 1m0s of processor time, and not by others within 2m0s: lost by 4, seed 1
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What one worker leaves open is no measure for others.
func TestSpeedupOfOpenSets(t *testing.T) {
	trials := someTrials()[6:]
	for _, trial := range trials[:2] {
		trial.Status = model.Feasible
	}
	var out bytes.Buffer
	if err := SpeedupTable(&out, trials); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Count(text, "open    -") != 2 || strings.Contains(text, "\n4 ") || !strings.Contains(text, ": none") {
		t.Errorf("a set that one worker leaves open counts:\n%s", text)
	}
}

func TestValueTable(t *testing.T) {
	trials := someTrials()
	for i, values := range [][]int64{{4, 1}, {3, 9}, {5, 0}, {4, 0}, {3, 8}, nil, {2}, {2}, {2}, {3}, {3}, {1}} {
		trials[i].Values = values
	}
	var out bytes.Buffer
	if err := ValueTable(&out, trials); err != nil {
		t.Fatal(err)
	}
	const want = `set    tasks  workers  value by seed  median  bound by seed  than the first
quick  30     1        4,1 3,9 5,0    4,1     3 3 3          equal
              4        4,0 3,8 -      4,0     3 3 3          better
lost   30     1        2 2 2          2       3 3 3          equal
              4        3 3 1          3       2 2 3          worse

4 workers: worse in the median of seeds on 1 sets
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDrawSpeedup(t *testing.T) {
	var out bytes.Buffer
	if err := DrawSpeedup(&out, "svg", someTrials()); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"median of sets", "with idle time", "in proportion", "workers"} {
		if !strings.Contains(out.String(), ">"+word+"<") {
			t.Errorf("no %q in the picture", word)
		}
	}
}

// TestTrialLog: what is read back is what was written, but for the job sets, and a line that was cut off
// is gone.
func TestTrialLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trials.csv")
	log, known, err := OpenTrialLog(path)
	if err != nil || len(known) > 0 {
		t.Fatal(known, err)
	}
	trials := someTrials()
	trials[1].Values, trials[1].Effort = nil, Effort{Wall: time.Second, Budget: 70}
	for _, trial := range trials {
		if err := log.Add(trial); err != nil {
			t.Fatal(err)
		}
	}
	log.Close()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(text, "lost,abc,0"...), 0o666); err != nil {
		t.Fatal(err)
	}
	log, known, err = OpenTrialLog(path)
	if err != nil {
		t.Fatal(err)
	}
	log.Close()
	for _, trial := range trials {
		trial.Set = &Set{Name: trial.Set.Name, digest: trial.Set.digest}
	}
	if diff := cmp.Diff(trials, known, cmpopts.EquateEmpty(), cmp.AllowUnexported(Set{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if again, _ := os.ReadFile(path); !bytes.Equal(text, again) {
		t.Error("the line that was cut off is there")
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), ",optimal,", ",excellent,", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := OpenTrialLog(path); err == nil || !strings.Contains(err.Error(), "the trial of quick") {
		t.Errorf("a status that is none: %v", err)
	}
}

// TestParallelism: spans that are at once count as often, in the time that they would take with a
// processor for each.
func TestParallelism(t *testing.T) {
	for _, test := range []struct {
		spans []span
		cores int
		want  float64
	}{
		{nil, 2, 1},                                     // nothing has a slice
		{[]span{{0, 10}}, 2, 1},                         // one all the time
		{[]span{{0, 10}, {0, 10}}, 2, 2},                // two all the time
		{[]span{{0, 10}, {0, 5}}, 2, 1.5},               // two half of the time
		{[]span{{0, 10}, {0, 5}, {0, 5}, {0, 5}}, 2, 2}, // four on two cores take half the time on four: 10 + 5 in 2.5 + 5
		{[]span{{0, 20}, {2, 12}}, 1, 10. / (2 + 4)},    // cut at the end
		{[]span{{0, 10}, {0, 10}, {0, 10}}, 1, 3},       // three share a core
		{[]span{{0, 4}, {6, 10}, {2, 8}}, 4, 14. / 10},  // with gaps
	} {
		if got := parallelism(test.spans, 10, test.cores); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%v on %d cores: %g, want %g", test.spans, test.cores, got, test.want)
		}
	}
}

// TestSpeedup tries tiny sets in processes of their own, goes on after what is known, and leaves open what
// the limit ends.
func TestSpeedup(t *testing.T) {
	sets, answers := tinySets(t)
	for i := range sets {
		sets[i].Name = fmt.Sprintf("set-%d", i)
		sets[i].File = filepath.Join(t.TempDir(), sets[i].Name+".yaml")
		if err := writeSet(sets[i].JobSet, sets[i].File); err != nil {
			t.Fatal(err)
		}
	}
	opt := SpeedupOptions{Workers: []int{1, 3}, Seeds: []uint64{1, 2}, Effort: Effort{Processor: time.Minute}}
	var told []*Trial
	trials, err := Speedup(t.Context(), self(t, "trial"), sets, opt, nil, func(t *Trial) { told = append(told, t) })
	if err != nil {
		t.Fatal(err)
	}
	if len(trials) != 4*len(sets) || len(told) != len(trials) {
		t.Fatalf("%d trials, told of %d", len(trials), len(told))
	}
	for i, trial := range trials {
		want := answers[i/4]
		if trial.Status != want.Status || trial.Workers != []int{1, 3}[i/2%2] || trial.Seed != uint64(1+i%2) || trial.Set != &sets[i/4] {
			t.Errorf("trial %d of %s: %v with %d workers, seed %d; want %v", i, trial.Set.Name, trial.Status, trial.Workers, trial.Seed, want.Status)
		}
		if trial.Status != model.Infeasible && !cmp.Equal(trial.Values, want.Values, cmpopts.EquateEmpty()) {
			t.Errorf("%s: %v, want %v", trial.Set.Name, trial.Values, want.Values)
		}
		if trial.Processor <= 0 || trial.Wall <= 0 || trial.Busy < 1 || trial.Busy > float64(max(1, trial.Workers)) {
			t.Errorf("%s: %v of processor time, %v, %g busy", trial.Set.Name, trial.Processor, trial.Wall, trial.Busy)
		}
	}
	// What is known is not tried again.
	opt.Seeds = append(opt.Seeds, 3)
	told = nil
	if _, err := Speedup(t.Context(), self(t, "trial"), sets[:1], opt, trials, func(t *Trial) { told = append(told, t) }); err != nil || len(told) != 2 {
		t.Errorf("%d trials more, %v", len(told), err)
	}
}

// TestProcessorTimeEnds: a trial ends when its process has taken the processor time.
func TestProcessorTimeEnds(t *testing.T) {
	if processorTime() < 0 {
		t.Skip("the system does not say what a process has taken")
	}
	ctx, stop := untilProcessorTime(context.Background(), processorTime()+60*time.Millisecond)
	defer stop()
	for ctx.Err() == nil {
	}
	calm, end := untilProcessorTime(context.Background(), processorTime()+time.Hour)
	time.Sleep(3 * poll)
	if calm.Err() != nil {
		t.Error("it ended too soon")
	}
	end()
}
