package relaxation

import (
	"fmt"
	"slices"
	"testing"

	"downbeat/model"
)

// twoPlaces has three slaves, the first and the last in one place, for five steps of two
// ticks.
func twoPlaces() Grain {
	js := &model.JobSet{Slaves: []model.Slave{{Cores: 2}, {Cores: 1}, {Cores: 2}}}
	return Grain{Places: PlacesBy(js, 2, func(s model.SlaveID) int32 { return int32(js.Slaves[s].Cores) }), Step: 2, Steps: 5}
}

// What all places share has rows behind theirs: what there is of it in each step.
func TestRowsOfWhatIsShared(t *testing.T) {
	js := &model.JobSet{
		Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: 1, Slots: 1}},
		Pools: []model.Pool{{Name: "none", Levels: []model.Level{{}}}, {Name: "db", Levels: []model.Level{{Amount: 4}, {From: 3, Amount: 1}}}},
		Jobs: []model.Job{{Name: "j", Stages: []model.Stage{{Name: "m", Groups: []model.Group{
			{Count: 1, Profile: model.NewProfile(model.ConstRow(1, 1), model.ConstRow(1, 0))},
		}}}}},
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	r := NewRows(Grain{Places: Single(js), Step: 2, Steps: 3}, Has{Supplies: js.Supplies})
	own := len(r.Capacity)
	r.AddShared(js, []model.SharedID{1})
	s := &r.Supplies[len(r.Supplies)-1]
	if s.Place != Everywhere || s.Shared != 1 || s.First != own || s.Row(2) != own+2 {
		t.Errorf("rows %+v behind %d", *s, own)
	}
	if got := r.Capacity[own:]; !slices.Equal(got, []int64{8, 5, 2}) {
		t.Errorf("capacities %v", got)
	}
}

func TestPlaces(t *testing.T) {
	if got := fmt.Sprint(twoPlaces().Places); got != "[[0 2] [1]]" {
		t.Errorf("places %s", got)
	}
	js := &model.JobSet{Slaves: make([]model.Slave, 3)}
	if PlacesBy(js, 2, func(s model.SlaveID) model.SlaveID { return s }) != nil {
		t.Error("three places, at most two are allowed")
	}
	if got := fmt.Sprint(Single(js)); got != "[[0] [1] [2]]" {
		t.Errorf("single slaves: %s", got)
	}
}

// An interval has a part of its first and last steps, and nothing after the last step of all.
func TestSpread(t *testing.T) {
	g := twoPlaces()
	for _, c := range []struct {
		iv   model.Interval
		want string
	}{
		{model.Interval{Start: 1, End: 5}, "[0:1 1:2 2:1]"},
		{model.Interval{Start: 7, End: 99}, "[3:1 4:2]"},
		{model.Interval{Start: 4, End: 4}, "[]"},
		{model.Interval{Start: 12, End: 14}, "[]"},
	} {
		got := []string{}
		g.Spread(c.iv, func(step int, ticks int64) { got = append(got, fmt.Sprintf("%d:%d", step, ticks)) })
		if fmt.Sprint(got) != c.want {
			t.Errorf("%v: %v, want %s", c.iv, got, c.want)
		}
	}
}

// A place has what its slaves have together, less where they are closed. Steps that are joined
// share a row, and runs of equal values go over rows.
func TestRows(t *testing.T) {
	units := []int64{3, 1, 4}
	r := NewRows(twoPlaces(), Has{
		Supplies: func(s model.SlaveID) []model.Supply {
			return []model.Supply{{Resource: model.Cores, Units: units[s]}, {Resource: model.MapSlots, Hold: model.HoldStay, Units: 1}}
		},
		Closed: func(s model.SlaveID, h model.Hold) []model.Interval {
			if s == 2 && h == model.HoldRun {
				return []model.Interval{{Start: 3, End: 6}}
			}
			return nil
		},
		Joined: func(place int, h model.Hold, step int) bool { return place == 0 && h == model.HoldStay && step%2 == 1 },
	})
	if want := []int64{14, 10, 6, 14, 14, 8, 8, 4, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}; !slices.Equal(r.Capacity, want) {
		t.Errorf("capacity %v, want %v", r.Capacity, want)
	}
	slots := &r.Supplies[1]
	if slots.Place != 0 || slots.Resource != model.MapSlots || slots.Row(1) != 5 || slots.Row(4) != 7 {
		t.Errorf("slots %+v", slots)
	}
	values := make([]int64, len(r.Capacity))
	copy(values, []int64{0, 7, 7, 0, 9, 4, 4, 0})
	for k, want := range []string{"[{2 6}:7 {8 10}:9]", "[{0 8}:4]", "[]", "[]"} {
		got := []string{}
		r.Runs(&r.Supplies[k], values, func(iv model.Interval, v int64) { got = append(got, fmt.Sprintf("%v:%d", iv, v)) })
		if fmt.Sprint(got) != want {
			t.Errorf("supply %d: %v, want %s", k, got, want)
		}
	}
}
