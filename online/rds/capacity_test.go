package rds

import (
	"testing"

	"downbeat/model"
	"downbeat/online"
	"downbeat/online/workload"
)

// spy notes what the controller took the capacity to be.
type spy struct {
	*Policy
	all   [][]float64
	pools []*[kinds][]float64
}

func (s *spy) Control(v *online.View) model.Time {
	next := s.Policy.Control(v)
	all, pools := s.forecast(v)
	s.all, s.pools = append(s.all, all), append(s.pools, pools)
	return next
}

// In the case study capacity is 3, 6, 3, 6 units a minute in intervals of ten
// minutes, and 6 from then on.
func TestCapacityOfCaseStudy(t *testing.T) {
	js, err := workload.NewRDSCase().Generate(0)
	if err != nil {
		t.Fatal(err)
	}
	o := Defaults()
	o.Interval = 10
	predicted := &spy{Policy: New(o)}
	run(t, js, predicted, online.Options{})
	o.Declared = true
	declared := &spy{Policy: New(o)}
	run(t, js, declared, online.Options{})

	// Predicted: one reading is repeated; 3, 6 doubles as far as there are
	// slots; r(t) = a·r(t−1) fits 3, 6, 3 best with a = (18+18)/(9+36) = 0.8;
	// 3, 6, 3, 6 shows its period.
	want := [][]float64{{3, 3, 3, 3}, {6, 6, 6, 6}, {3, 2.4, 1.92, 1.536}, {6, 3, 6, 3}}
	known := [][]float64{{3, 6, 3, 6}, {6, 3, 6, 6}, {3, 6, 6, 6}, {6, 6, 6, 6}}
	for i := range want {
		if !allClose(predicted.all[i], want[i], 1e-9) {
			t.Errorf("at %d0: predicted %v, want %v", i, predicted.all[i], want[i])
		}
		if !allClose(declared.all[i], known[i], 1e-9) {
			t.Errorf("at %d0: declared %v, want %v", i, declared.all[i], known[i])
		}
		if predicted.pools[i] != nil {
			t.Error("slots are told apart")
		}
	}
}

// Six slots on two cores count as two resources, four of map slots and two of
// reduce slots in the same measure.
func TestCapacityByKind(t *testing.T) {
	p := model.NewProfile(model.ConstRow(1, 5), model.ConstRow(1, 0))
	js := &model.JobSet{
		Name: "split", Heartbeat: 1,
		Slaves: []model.Slave{{Name: "s", Cores: 2, SplitSlots: true, MapSlots: 4, ReduceSlots: 2}},
		Jobs: []model.Job{{Name: "j", Deadline: 40, Kind: model.Soft, Stages: []model.Stage{
			{Name: "map", Slot: model.MapSlot, Groups: []model.Group{{Count: 6, Profile: p}}},
			{Name: "reduce", Slot: model.ReduceSlot, Groups: []model.Group{{Count: 2, Profile: p}}},
		}}},
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	s := &spy{Policy: New(Defaults())}
	run(t, js, s, online.Options{})
	if want := []float64{2, 2, 2, 2}; !allClose(s.all[0], want, 1e-9) {
		t.Errorf("all %v, want %v", s.all[0], want)
	}
	if s.pools[0] == nil {
		t.Fatal("slots are not told apart")
	}
	for k, want := range []float64{4.0 / 3, 2.0 / 3} {
		if got := s.pools[0][k][0]; !near(got, want, 1e-9) {
			t.Errorf("kind %d: %g, want %g", k, got, want)
		}
	}
}
