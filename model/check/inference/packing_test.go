package inference

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/proof"
)

// tooLong has two cores for 10 ticks and three jobs of 6 or more on either slave.
func tooLong(t *testing.T) (*model.JobSet, []model.Time, *proof.Packing) {
	js := assembled(t, 1, []model.Slave{{Name: "x", Cores: 1, Slots: 2}, {Name: "y", Cores: 1, Slots: 2}},
		soleTask("a", 0, 10, 0, on{6, 8}), soleTask("b", 0, 10, 0, on{7, 6}), soleTask("c", 1, 9, 0, on{0, 7}), soleTask("d", 0, 10, 0, on{1, 1}))
	return js, deadlines(js), &proof.Packing{Interval: during(0, 10), Prices: []proof.LengthPrice{{Length: 6, Price: 1}, {Length: 7, Price: 1}}}
}

func TestPackingByHand(t *testing.T) {
	js, due, p := tooLong(t)
	if err := Packing(js, due, p); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(){
		"no more than": func() { p.Prices = p.Prices[:1] },
		"is none":      func() { p.Interval.End = 0 },
		"a price of":   func() { p.Prices[0].Price = -1 },
		"7 ticks":      func() { p.Prices[0].Length = 7 },
		"due times":    func() { due = due[1:] },
		"to recheck":   func() { p.Interval.End = mostCells },
		"each of 2":    func() { due[2] = 11 },
		"worth 1 are":  func() { p.Interval.Start = 1 },
		"each of 3":    func() { js.Slaves[0].Cores = 2 },
	} {
		js, due, p = tooLong(t)
		change()
		if err := Packing(js, due, p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q was to be noticed: %v", want, err)
		}
	}
}

// Whatever the prices, they do not speak against what has a plan.
func TestPackingHoldsNothingAgainstPlans(t *testing.T) {
	for seed := range testkit.Sets[uint64](2000, 40000) {
		r := rand.New(rand.NewPCG(seed, 3))
		room, cores := 3+r.IntN(20), 1+r.IntN(3)
		var jobs []model.Job
		seen := map[model.Time]bool{}
		var p proof.Packing
		for range cores {
			for left := model.Time(room); left > 0; {
				length := 1 + r.Int64N(int64(left))
				left -= model.Time(length)
				jobs = append(jobs, soleTask("j", 2, model.Time(room), 0, slices.Repeat(on{model.Time(length)}, cores)))
				if !seen[model.Time(length)] && r.IntN(4) > 0 {
					seen[model.Time(length)] = true
					p.Prices = append(p.Prices, proof.LengthPrice{Length: model.Time(length), Price: length*8 + r.Int64N(12)})
				}
			}
		}
		js := assembled(t, 1, slices.Repeat([]model.Slave{{Name: "s", Cores: 1, Slots: 1}}, cores), jobs...)
		p.Interval = during(2, 2+model.Time(room))
		if err := Packing(js, deadlines(js), &p); err == nil {
			t.Fatalf("seed %d: %v speaks against a plan", seed, p)
		}
		// One more task of a length that has a price is one too many, where all are full.
		if len(p.Prices) == 0 {
			continue
		}
		full := proof.Packing{Interval: p.Interval}
		seen = map[model.Time]bool{}
		for _, of := range append(jobs, soleTask("more", 2, model.Time(room), 0, slices.Repeat(on{1}, cores))) {
			if length := of.Stages[0].Groups[0].Profile.WCET(0); !seen[length] {
				seen[length] = true
				full.Prices = append(full.Prices, proof.LengthPrice{Length: length, Price: int64(length)})
			}
		}
		js = assembled(t, 1, js.Slaves, append(jobs, soleTask("more", 2, model.Time(room), 0, slices.Repeat(on{1}, cores)))...)
		if err := Packing(js, deadlines(js), &full); err != nil {
			t.Fatalf("seed %d: lengths as prices: %v", seed, err)
		}
	}
}
