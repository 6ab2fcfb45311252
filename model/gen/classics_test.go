package gen

import (
	"testing"

	"downbeat/model"
)

// TestJobShops: every job goes over every machine once, in orders that differ, for 1 to 99 ticks.
func TestJobShops(t *testing.T) {
	js, _, err := Family("jobshop-12x7", 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(js.Jobs) != 12 || len(js.Slaves) != 7 || len(js.Tasks) != 12*7 {
		t.Fatalf("%d jobs, %d slaves, %d tasks", len(js.Jobs), len(js.Slaves), len(js.Tasks))
	}
	first := map[model.SlaveID]int{}
	least, most := model.Never, model.Time(0)
	for i := range js.Jobs {
		seen := map[model.SlaveID]bool{}
		for id := js.Jobs[i].First; id < js.Jobs[i].End; id++ {
			for s := range model.SlaveID(7) {
				if !js.Tasks[id].Eligible(s) {
					continue
				}
				if len(seen) == 0 {
					first[s]++
				}
				seen[s] = true
				least, most = min(least, js.Tasks[id].WCET(s)), max(most, js.Tasks[id].WCET(s))
			}
		}
		if len(seen) != 7 {
			t.Errorf("job %d is on %d machines", i, len(seen))
		}
	}
	if len(first) < 3 || least < 1 || most > 99 || most-least < 80 {
		t.Errorf("first machines %v, times from %d to %d", first, least, most)
	}
}

// TestProjects: activities have at most three predecessors and successors, three have none, no
// arc is redundant, and resources are scarce though each activity has enough of them.
func TestProjects(t *testing.T) {
	for seed := range uint64(20) {
		p := newProject(30, seed)
		arcs, firsts, lasts := 0, 0, 0
		for i, before := range p.before {
			arcs += len(before)
			if len(before) == 0 {
				firsts++
			}
			if p.arcs[i] == 0 {
				lasts++
			}
			if len(before) > degree || p.arcs[i] > degree {
				t.Errorf("seed %d: activity %d has %d arcs in, %d out", seed, i, len(before), p.arcs[i])
			}
			for _, a := range before {
				for _, b := range before {
					if p.after[a][b] {
						t.Errorf("seed %d: %d comes after %d by way of %d", seed, i, a, b)
					}
				}
			}
		}
		if arcs < 40 || arcs > 45 || firsts < ends || firsts > ends+1 || lasts < ends || lasts > ends+1 {
			t.Errorf("seed %d: %d arcs, %d first activities, %d last ones", seed, arcs, firsts, lasts)
		}
		for r, units := range p.capacity {
			sum := int64(0)
			for i := range p.need {
				if p.need[i][r] > units {
					t.Errorf("seed %d: activity %d needs %d of %d", seed, i, p.need[i][r], units)
				}
				sum += p.need[i][r]
			}
			if units >= sum/3 {
				t.Errorf("seed %d: %d units where all need %d", seed, units, sum)
			}
		}
	}
}
