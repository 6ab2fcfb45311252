package penn_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"downbeat/model"
	"downbeat/online"
	"downbeat/online/penn"
)

// farm has jobs of ten tasks, one every six ticks, on slaves of three speeds
// with two slots; each task's input is on three slaves of its own.
func farm(slaves, tasks int) *model.JobSet {
	rng := rand.New(rand.NewPCG(1, 1))
	js := &model.JobSet{Name: "farm", Heartbeat: 3}
	speeds := make([]model.Time, slaves)
	for i := range slaves {
		js.Slaves = append(js.Slaves, model.Slave{Name: fmt.Sprint("s", i), Cores: 2, Slots: 2, FirstBeat: model.Time(i % 3)})
		speeds[i] = model.Time(20 + 10*(i%3))
	}
	for j := range tasks / 10 {
		st := model.Stage{Name: "map"}
		for range 10 {
			near := []model.SlaveID{}
			for range 3 {
				near = append(near, model.SlaveID(rng.IntN(slaves)))
			}
			p := model.NewProfile(model.DenseRow(speeds), model.ConstRow(slaves, 6).With(near, 0))
			st.Groups = append(st.Groups, model.Group{Count: 1, Profile: p})
		}
		js.Jobs = append(js.Jobs, model.Job{
			Name: fmt.Sprint("j", j), Release: model.Time(6 * j), Kind: model.Soft,
			Deadline: model.Time(50 + rng.IntN(200)), Stages: []model.Stage{st},
		})
	}
	if err := js.Assemble(); err != nil {
		panic(err)
	}
	return js
}

// BenchmarkPenn runs a thousand tasks, no two alike, on thirty slaves.
func BenchmarkPenn(b *testing.B) {
	js := farm(30, 1000)
	for _, order := range penn.Orders() {
		for _, choice := range penn.Choices() {
			b.Run("policy="+penn.Name(order, choice), func(b *testing.B) { play(b, js, order, choice, defaults) })
		}
	}
}

// BenchmarkFront has all tasks that wait go first.
func BenchmarkFront(b *testing.B) {
	params := defaults
	params.K = 1_000_000
	play(b, farm(100, 5000), penn.Densest, penn.Best, params)
}

// BenchmarkLots draws among many tasks.
func BenchmarkLots(b *testing.B) { play(b, farm(100, 5000), penn.Random, penn.Best, defaults) }

func play(b *testing.B, js *model.JobSet, order penn.Order, choice penn.Choice, params penn.Params) {
	for b.Loop() {
		out, err := online.Run(context.Background(), js, penn.New(order, choice, params), online.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if online.Measure(out).Accepted != len(js.Jobs) {
			b.Fatal("a job is missing")
		}
	}
}
