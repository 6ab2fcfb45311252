package online_test

import (
	"testing"

	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/basic"
)

// Choices begin with what Pick takes, local ones first, and are all that fits; what is
// unused is what the tasks that a slave holds leave.
func TestChoicesAndUnused(t *testing.T) {
	locals := 0
	for seed := range uint64(100) {
		js := gen.TodaySmall(seed, 30)
		p := &cheater{Policy: basic.FIFO()}
		p.heartbeat = func(v *online.View, o *online.Offer) {
			s := o.Slave()
			for _, j := range v.Ready() {
				groups, local := o.Choices(j)
				locals += local
				if first := o.Pick(j); len(groups) == 0 && first != nil || len(groups) > 0 && groups[0] != first {
					t.Fatalf("seed %d: choices %v, picked %v", seed, groups, first)
				}
				seen := map[*online.Group]bool{}
				for _, g := range groups {
					seen[g] = true
				}
				for _, g := range j.Groups() {
					if o.Fits(g) != seen[g] {
						t.Fatalf("seed %d: group %d fits: %t, among the choices: %t", seed, g.Lead(), o.Fits(g), seen[g])
					}
				}
			}
			cores, units := int64(js.Slaves[s].Cores), js.Slaves[s].Offers(0)
			for _, h := range v.Held(s) {
				task := v.Task(h.Task)
				units -= task.Units(0)
				if h.Started != model.Never {
					cores -= task.Cores()
				}
			}
			if v.Unused(s, model.Cores) != cores || v.Unused(s, model.FetchLine) != 0 || len(v.ResourceNames()) > 0 && v.Unused(s, model.FirstNamed) != units {
				t.Fatalf("seed %d: %d cores and %d units unused, not %d and %d", seed, v.Unused(s, model.Cores), v.Unused(s, model.FirstNamed), cores, units)
			}
			p.Policy.Heartbeat(v, o)
		}
		run(t, js, p, online.Options{Seed: seed})
	}
	if locals == 0 {
		t.Error("no task was local")
	}
}
