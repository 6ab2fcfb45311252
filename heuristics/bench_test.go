package heuristics

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"downbeat/model"
	"downbeat/model/check"
)

// largeSet resembles the family "large" of the benchmark sets at any scale:
// slaves of three speeds, each map task local on three slaves, a load of about
// 1.1 until the last deadline.
func largeSet(tb testing.TB, tasks, slaves int, seed uint64) *model.JobSet {
	rng := rand.New(rand.NewPCG(seed, 8))
	js := &model.JobSet{Heartbeat: 3}
	speed := make([]model.Time, slaves)
	for i := range slaves {
		s := model.Slave{Name: fmt.Sprint("s", i), Cores: 4, Slots: 5, FirstBeat: model.Time(rng.IntN(3))}
		if i%3 == 2 {
			s.Cores, s.Slots = 2, 3
		}
		speed[i] = model.Time(rng.IntN(3))
		js.Slaves = append(js.Slaves, s)
	}
	rows := map[model.Time]model.Row{}
	wcet := func(e model.Time) model.Row {
		if _, ok := rows[e]; !ok {
			values := make([]model.Time, slaves)
			for i := range values {
				values[i] = e * (4 + speed[i]) / 4
			}
			rows[e] = model.DenseRow(values)
		}
		return rows[e]
	}
	remote := model.ConstRow(slaves, 4)
	near := model.ConstRow(slaves, 1)
	// 3.33 cores a slave at 18 ticks a task: the releases below give load 1.1.
	horizon := int64(tasks) * 18 / int64(slaves) * 10 / 33 * 10 / 11
	for placed, i := 0, 0; placed < tasks; i++ {
		maps := min(1+rng.IntN(19), tasks-placed)
		job := model.Job{
			Name: fmt.Sprint("j", i), Kind: model.Soft, Release: model.Time(rng.Int64N(horizon + 1)),
			Deadline: model.Time(32 + rng.IntN(32)),
		}
		if rng.IntN(3) == 0 {
			job.Kind = model.Hard
		}
		m := model.Stage{Name: "map"}
		e := model.Time(8 + rng.IntN(12))
		for range maps {
			local := make([]model.SlaveID, 3)
			for k := range local {
				local[k] = model.SlaveID(rng.IntN(slaves))
			}
			m.Groups = append(m.Groups, model.Group{Count: 1, Profile: model.NewProfile(wcet(e), remote.With(local, 1))})
		}
		r := model.Stage{Name: "reduce", Slot: model.ReduceSlot, Groups: []model.Group{{
			Count: 1 + maps/8, Profile: model.NewProfile(wcet(model.Time(6+rng.IntN(10))), near)}}}
		job.Stages = []model.Stage{m, r}
		placed += maps + r.Groups[0].Count
		js.Jobs = append(js.Jobs, job)
	}
	if err := js.Assemble(); err != nil {
		tb.Fatal(err)
	}
	return js
}

func BenchmarkConstruct(b *testing.B) {
	for _, size := range []struct{ tasks, slaves int }{{1000, 30}, {10000, 100}, {100000, 1000}} {
		b.Run(fmt.Sprintf("tasks=%d/slaves=%d", size.tasks, size.slaves), func(b *testing.B) {
			js := largeSet(b, size.tasks, size.slaves, 1)
			goal := []model.Objective{model.Misses}
			b.ResetTimer()
			for b.Loop() {
				s := construct(js, Rules()[0], goal, 1)
				b.StopTimer()
				if !s.Complete() {
					b.Fatal("tasks are missing")
				}
				finishes := js.Finishes(s)
				b.ReportMetric(float64(js.Value(model.HardMisses, finishes)), "hard-misses")
				b.ReportMetric(float64(js.Value(model.Misses, finishes)), "misses")
				b.StartTimer()
			}
		})
	}
}

func TestLargeSetsAreValid(t *testing.T) {
	sizes := [][2]int{{1000, 30}, {10000, 100}}
	if os.Getenv("DOWNBEAT_LARGE") != "" { // some seconds, most of them in the validator
		sizes = append(sizes, [2]int{100000, 1000})
	}
	for _, size := range sizes {
		js := largeSet(t, size[0], size[1], 1)
		s := construct(js, Rules()[0], []model.Objective{model.Misses}, 1)
		if err := check.Schedule(js, s, true).Err(); err != nil {
			t.Fatalf("%d tasks on %d slaves: %v", size[0], size[1], err)
		}
		if !s.Complete() {
			t.Fatalf("%d tasks on %d slaves: some are missing", size[0], size[1])
		}
	}
}

// BenchmarkTimeline measures one slave with tasks placed back to back.
func BenchmarkTimeline(b *testing.B) {
	for _, tasks := range []int{30, 300, 3000} {
		js := largeSet(b, tasks, 1, 2)
		board := NewBoard(NewFigures(js), 0)
		board.Load(context.Background(), construct(js, Rules()[0], nil, 1))
		tl := &board.Lines[0]
		end := js.Finishes(board.Place)[0]
		r := request{Transfer: 2, WCET: 9, Needs: board.needs.Of(0, 0, tl, 2)}
		b.Run(fmt.Sprintf("op=earliest/tasks=%d", tasks), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				r.Ready = model.Time(i) * 7919 % end
				if fit, ok := tl.Earliest(r, model.Never); !ok || fit.Finish < r.Ready+11 {
					b.Fatal("no fit, or one before its time")
				}
			}
		})
		b.Run(fmt.Sprintf("op=remove-insert/tasks=%d", tasks), func(b *testing.B) {
			size := tl.Steps()
			for i := 0; b.Loop(); i++ {
				id := model.TaskID(i * 7919 % len(js.Tasks))
				p := board.Place[id]
				board.Take(id)
				board.Put(id, p)
			}
			if tl.Steps() != size {
				b.Fatal("the timeline has changed")
			}
		})
	}
}

func BenchmarkTidy(b *testing.B) {
	for _, size := range [][2]int{{1000, 30}, {10000, 100}} {
		b.Run(fmt.Sprintf("tasks=%d/slaves=%d", size[0], size[1]), func(b *testing.B) {
			js := largeSet(b, size[0], size[1], 1)
			s := construct(js, Rules()[0], []model.Objective{model.Misses}, 1)
			var tidied model.Schedule
			for b.Loop() {
				tidied = Tidy(b.Context(), js, s)
			}
			if !slices.Equal(Tidy(b.Context(), js, tidied), tidied) {
				b.Fatal("not tidy")
			}
		})
	}
}
