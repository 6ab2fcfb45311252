package gen

import (
	"math/rand/v2"
	"slices"

	"downbeat/model"
)

// GoneTiny is Tiny, or every other time TodayTiny, with slaves that go for good.
func GoneTiny(seed uint64) *model.JobSet {
	js := Tiny(seed / 2)
	if seed%2 == 1 {
		js = TodayTiny(seed / 2)
	}
	rng := rand.New(rand.NewPCG(seed, 7))
	for i := range js.Slaves {
		if s := &js.Slaves[i]; rng.IntN(3) > 0 {
			s.Down = append(slices.Clone(s.Down), model.Interval{Start: model.Time(rng.IntN(14)), End: model.Never})
		}
	}
	if err := js.Assemble(); err != nil {
		panic(err) // an absence more breaks no set
	}
	return js
}
