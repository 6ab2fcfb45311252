package energy_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/window"
	"downbeat/solve/energy"
)

// bigSet is a cluster of the size given under full load, and due times that
// are 10 % beyond the critical paths: loose enough that no job is late alone.
func bigSet(tasks, slaves int) (*model.JobSet, []model.Time) {
	k := gen.Knobs{
		Tasks: gen.Range{Lo: tasks, Hi: tasks}, FirstStage: gen.Range{Lo: 4, Hi: 14}, LaterStage: gen.Range{Lo: 1, Hi: 5},
		Shapes: [4]int{0, 0, 1, 0},
		Slaves: gen.Range{Lo: slaves, Hi: slaves}, Cores: gen.Range{Lo: 2, Hi: 4}, SpareSlots: gen.Range{Lo: 1, Hi: 1},
		Heartbeat: gen.Range{Lo: 3, Hi: 3}, Stagger: 1, Down: 0.2, DownAt: gen.Range{Lo: 20, Hi: 200}, DownFor: gen.Range{Lo: 5, Hi: 20},
		WCET: gen.Range{Lo: 3, Hi: 30}, Transfer: gen.Range{Lo: 1, Hi: 6}, Speeds: gen.Range{Lo: 100, Hi: 200},
		Local: 1, Barred: 0.02, Load: 100, Hard: 1, Tightness: gen.Range{Lo: 110, Hi: 300},
		Objectives: [][]model.Objective{nil},
	}
	js, _ := gen.Random(k, 1)
	due := make([]model.Time, len(js.Jobs))
	rng := rand.New(rand.NewPCG(1, 1))
	open := make([]model.Time, len(js.Jobs))
	for i := range open {
		open[i] = model.Never
	}
	w := window.Compute(js, open)
	for i := range due {
		alone := w.CriticalPath[i] - js.Jobs[i].Release
		due[i] = js.Jobs[i].Release + alone + alone*model.Time(10+rng.IntN(200))/100
	}
	return js, due
}

func BenchmarkRefute(b *testing.B) {
	for _, size := range []struct{ tasks, slaves int }{{40, 4}, {150, 8}, {1000, 30}, {10000, 100}} {
		b.Run(fmt.Sprintf("tasks=%d/slaves=%d", size.tasks, size.slaves), func(b *testing.B) {
			js, due := bigSet(size.tasks, size.slaves)
			w := window.Compute(js, due)
			if len(w.Late) > 0 {
				b.Fatal("a job is late alone: nothing would be counted")
			}
			for b.Loop() {
				energy.Refute(js, due, w)
			}
		})
	}
}
