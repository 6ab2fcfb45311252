package inference

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
)

// takeTogether has slaves of a set count as one, of which the checker agrees that they may; false if it does not. Those that are gone
// from what is drawn stay so.
func (s *set) takeTogether(members []model.SlaveID) bool {
	line := strings.Trim(fmt.Sprint(members), "[]")
	c := s.start()
	c.rest = rest{left: []byte(line)}
	if c.alike(); c.err != nil {
		return false
	}
	one := *s.js
	one.Slaves, s.gone = slices.Clone(one.Slaves), slices.Clone(s.gone)
	first, n := &one.Slaves[members[0]], len(members)
	first.Cores, first.Slots, first.MapSlots, first.ReduceSlots = n*first.Cores, n*first.Slots, n*first.MapSlots, n*first.ReduceSlots
	first.Units = slices.Clone(first.Units)
	for k := range first.Units {
		first.Units[k] *= int64(n)
	}
	for _, other := range members[1:] {
		s.gone[other] = true
	}
	s.whole, s.js, s.alike = s.js, &one, line
	return true
}

// doubled has a set have its first slave twice, and most often nothing for which they do not count as one.
func doubled(js *model.JobSet, rng *rand.Rand) {
	twin := js.Slaves[0]
	twin.Name, twin.Class = "double", "double"
	js.Slaves = slices.Insert(slices.Clone(js.Slaves), 1, twin)
	which := []model.SlaveID{0}
	for s := range js.Slaves[1:] {
		which = append(which, model.SlaveID(s))
	}
	right := func() bool { return rng.IntN(12) > 0 }
	selector := model.NewSelector(which)
	if right() {
		js.Slaves[0].Reservations, js.Slaves[1].Reservations = nil, nil
	}
	if right() {
		js.FIFO = false
	}
	transfers := right()
	if transfers && rng.IntN(2) == 0 {
		js.Fetch, transfers = model.FetchConcurrent, false
	}
	none := model.NewMapper(func(t model.Time) model.Time { return t }, func(model.Time) model.Time { return 0 })
	js.Jobs = slices.Clone(js.Jobs)
	for i := range js.Jobs {
		stages := slices.Clone(js.Jobs[i].Stages)
		for k := range stages {
			stages[k].Apart = stages[k].Apart && !right()
			stages[k].Groups = slices.Clone(stages[k].Groups)
			for g := range stages[k].Groups {
				of := &stages[k].Groups[g]
				if of.Profile = selector.Profile(of.Profile); transfers {
					of.Profile = none.Profile(of.Profile)
				}
			}
		}
		js.Jobs[i].Stages = stages
	}
	js.Tasks = nil
}

// TestAlikeAgainstAllSchedules has slaves of tiny sets count as one, drawn at random: where the checker agrees that they may there is a
// schedule of as many questions as before, and what it accepts of random steps holds in all schedules in which the first of them
// has what they have together.
func TestAlikeAgainstAllSchedules(t *testing.T) {
	seen := said{}
	agreed, refused, kept := 0, 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 150, 1500)) {
		s := drawChanged(t, seed, doubled)
		if s == nil {
			continue
		}
		var members []model.SlaveID
		for k := range model.SlaveID(len(s.js.Slaves)) {
			if k < 2 && !s.gone[k] || k >= 2 && s.rng.IntN(6) == 0 {
				members = append(members, k)
			}
		}
		if len(members) < 2 {
			continue
		}
		one := *s
		if !one.takeTogether(members) {
			refused++
			continue
		}
		agreed++
		if s.list(); s.nodes > mostNodes {
			continue
		}
		if refuses(one.start(), one.q) {
			continue // a later job has more time to be given where each slave is alone, or less
		}
		if one.list(); one.nodes > mostNodes {
			continue
		}
		if len(s.all) > 0 {
			if kept++; len(one.all) == 0 {
				t.Fatalf("seed %d: %v has a schedule, but none with slaves %v as one", seed, *s.q, members)
			}
		}
		if len(one.all) == 0 {
			continue
		}
		c := one.start()
		c.refuted = one.infeasible()
		one.attempt(c, 100, seen, nil)
	}
	t.Logf("%d groups of slaves count as one, %d do not; %d questions with schedules; accepted:%v", agreed, refused, kept, seen)
	if kept == 0 {
		t.Error("no slaves count as one")
	}
}
