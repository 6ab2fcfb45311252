package horizon

import (
	"math/rand/v2"
	"testing"

	"downbeat/model"
)

// No scenario draws what a run draws for an attempt at a task, first or repeated (online.Options, whose streams are those of
// the seed by attempt and task), nor what another scenario draws: it would know what is to come.
func TestScenariosDoNotForesee(t *testing.T) {
	const seed, attempts, tasks = 7, 5, 40
	drawn := map[float64]string{}
	note := func(x float64, by string) {
		if other, taken := drawn[x]; taken {
			t.Errorf("%s and %s draw the same: %v", other, by, x)
		}
		drawn[x] = by
	}
	for attempt := range uint64(attempts) {
		for _, history := range []uint64{0, 1 << 62} {
			for task := range uint64(tasks) {
				note(rand.New(rand.NewPCG(seed, history|attempt<<32|task)).Float64(), "an attempt")
			}
		}
	}
	p := New(Params{Seed: seed})
	for range attempts {
		p.decisions++
		for number := range 4 {
			times := p.scenario(number)
			for task := range model.TaskID(tasks) {
				x := times(task)
				note(x, "a scenario")
				if again := times(task); again != x {
					t.Errorf("a scenario draws %v, then %v", x, again)
				}
			}
		}
	}
}
