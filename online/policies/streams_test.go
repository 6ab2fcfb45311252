package policies_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/online"
	"downbeat/online/policies"
)

// dice are durations of 0.2 to 0.8 of the worst case, by a number below n, which is drawn as policies draw theirs.
type dice struct{ n int }

func (d dice) Factor(rng *rand.Rand) float64 {
	return 0.2 + float64(0.6*float64(rng.IntN(d.n)))/float64(d.n-1)
}
func (d dice) Most() float64  { return 0.8 }
func (d dice) String() string { return fmt.Sprintf("dice of %d", d.n) }

// What a policy draws tells nothing of how long a task takes in the same run: among runs in which the first task goes to some slave, or
// a slave begins with some task, each task takes half of its worst case in the mean.
func TestDrawsTellNothingOfTimes(t *testing.T) {
	text := "version: 1\ncluster: {heartbeat: 1, slaves: [{name: s0}, {name: s1}, {name: s2}, {name: s3}]}\njobs:\n"
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		text += "  - {name: " + name + ", map: {tasks: 1, wcet: 1000, transfer: {local: 0, remote: 10}, data: [s1, s2, s3]}}\n"
	}
	js, err := jobfile.Load("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range []string{"maxweight", "pandas", "balanced-pandas", "penn-random-first", "penn-random-best"} {
		runs, sums := map[string]int{}, map[string][]float64{}
		for seed := range uint64(1000) {
			p, err := policies.New(spec, seed)
			if err != nil {
				t.Fatal(err)
			}
			out, err := online.Run(context.Background(), js, p, online.Options{Seed: seed, Durations: dice{2 + 4*int(seed%2)}})
			if err != nil {
				t.Fatal(err)
			}
			by := fmt.Sprint(dice{2 + 4*int(seed%2)})
			chosen := []string{fmt.Sprintf("%s, task 0 on slave %d", by, out.Schedule[0].Slave)}
			for k, at := range out.Schedule {
				if js.Assigned(at) < 3 {
					chosen = append(chosen, fmt.Sprintf("%s, slave %d first with task %d", by, at.Slave, k))
				}
			}
			for _, what := range chosen {
				if runs[what]++; sums[what] == nil {
					sums[what] = make([]float64, len(js.Tasks))
				}
				for k, at := range out.Schedule {
					sums[what][k] += float64(out.Ends[model.TaskID(k)]-at.Start) / 1000
				}
			}
		}
		for what, n := range runs {
			for k, sum := range sums[what] {
				// Five times the standard deviation of the mean of n.
				if off := math.Abs(sum/float64(n) - 0.5); off > 5*0.3/math.Sqrt(float64(n)) {
					t.Errorf("%s, %d runs with %s: task %d takes %.3f in the mean", spec, n, what, k, sum/float64(n))
				}
			}
		}
	}
}
