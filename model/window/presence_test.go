package window

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
)

// oftenAway is a slave that is away about n times, most often for a short while and with
// little time between, but for a long presence now and then.
func oftenAway(rng *rand.Rand, n int) *model.JobSet {
	slave := model.Slave{Name: "s", Cores: 1, Slots: 1, FirstBeat: model.Time(rng.IntN(40))}
	rare := 2 + rng.IntN(n)
	for at := model.Time(rng.IntN(3)); len(slave.Down) < n; {
		end := at + 1 + model.Time(rng.IntN(12))
		slave.Down = append(slave.Down, model.Interval{Start: at, End: end})
		at = end + 1 + model.Time(rng.IntN(6))
		if rng.IntN(rare) == 0 {
			at += model.Time(rng.IntN(40))
		}
	}
	return &model.JobSet{Heartbeat: model.Time(1 + rng.IntN(9)), Slaves: []model.Slave{slave}}
}

// TestPresences: blocks of absences say what a walk over each says.
func TestPresences(t *testing.T) {
	none := 0
	for seed := range testkit.Sets[uint64](40, 2000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		js := oftenAway(rng, manyAbsences+rng.IntN(6*absenceBlock))
		down := js.Slaves[0].Down
		end := int(down[len(down)-1].End)
		presences := NewPresences(js)
		for range 300 {
			at, transfer, wcet := model.Time(rng.IntN(end+40)), model.Time(rng.IntN(4)), model.Time(1+rng.IntN(1+rng.IntN(40)))
			if got, want := presences.First(0, at, transfer+wcet), FirstAssign(js, 0, at, transfer+wcet); got != want {
				t.Fatalf("seed %d: first assignment from %d for %d ticks is %d, by a walk %d", seed, at, transfer+wcet, got, want)
			}
			assign, finish := presences.Last(0, at, transfer, wcet)
			if a, f := LastAssign(js, 0, at, transfer, wcet); assign != a || finish != f {
				t.Fatalf("seed %d: last assignment for a finish of %d + %d ticks by %d is %d, %d, by a walk %d, %d", seed, transfer, wcet, at, assign, finish, a, f)
			}
			if assign < 0 {
				none++
			}
		}
	}
	if none == 0 {
		t.Error("no stay that has no room before")
	}
}

// TestPresencesInWindows: windows of jobs on a slave that is away often are those of walks.
func TestPresencesInWindows(t *testing.T) {
	js := oftenAway(rand.New(rand.NewPCG(1, 3)), 400)
	for i := range 60 {
		wcet := model.ConstRow(1, model.Time(1+i%9))
		js.Jobs = append(js.Jobs, model.Job{
			Name: fmt.Sprint("j", i), Release: model.Time(i * 37 % 1900),
			Stages: []model.Stage{{Name: "m", Groups: []model.Group{{Count: 2, Profile: model.NewProfile(wcet, model.ConstRow(1, 0))}}}},
		})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	due := make([]model.Time, len(js.Jobs))
	for i := range due {
		due[i] = js.Jobs[i].Release + 30
	}
	w := Compute(js, due)
	for i := range js.Jobs {
		job := &js.Jobs[i]
		hold := js.Tasks[job.First].WCET(0)
		if at := FirstAssign(js, 0, job.Release, hold); w.CriticalPath[i] != at+hold {
			t.Errorf("job %d is handed out at %d, not %d", i, w.CriticalPath[i]-hold, at)
		}
		if _, finish := LastAssign(js, 0, due[i], 0, hold); !w.late[i] && w.Tasks[job.First].LastFinish != finish {
			t.Errorf("job %d ends by %d, not %d", i, w.Tasks[job.First].LastFinish, finish)
		}
	}
	if len(w.Late) == 0 || len(w.Late) == len(js.Jobs) {
		t.Errorf("%d of %d jobs late", len(w.Late), len(js.Jobs))
	}
}
