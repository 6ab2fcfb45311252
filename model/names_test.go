package model_test

import (
	"testing"

	"downbeat/model"
)

// TestAlikeAreNamedAsTheFileHasThem: what one slave that stands for others is called says which of the file's are meant, and no class more.
func TestAlikeAreNamedAsTheFileHasThem(t *testing.T) {
	for _, c := range []struct {
		wcet []model.Time // by slave: x-1, x-2, x-3, y-1, y-2
		want []string
		both string // of the first two
	}{
		{[]model.Time{1, 1, 1, 1, 1}, []string{"all machines"}, ""},
		{[]model.Time{1, 1, 1, 2, 2}, []string{"x-*", "y-*"}, ""},
		{[]model.Time{1, 1, 2, 3, 3}, []string{"x-1 and x-2", "x-3", "y-*"}, "x-*"},
		{[]model.Time{1, 2, 3, 1, 4}, []string{"x-1 and y-1", "x-2", "x-3", "y-2"}, "x-1 and y-1 and x-2"},
	} {
		js := &model.JobSet{Heartbeat: 1}
		for _, name := range []string{"x-1", "x-2", "x-3", "y-1", "y-2"} {
			js.Slaves = append(js.Slaves, model.Slave{Name: name, Class: name[:1], Cores: 1, Slots: 1})
		}
		profile := model.NewProfile(model.DenseRow(c.wcet), model.ConstRow(len(c.wcet), 0))
		js.Jobs = []model.Job{{Name: "j", Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: 1, Profile: profile}}}}}}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		alike := model.OneOfAlike(js)
		for s, want := range c.want {
			if got := alike.Slaves[s].Name; got != want {
				t.Errorf("%v: slave %d stands for %q, is called %q", c.wcet, s, want, got)
			}
		}
		if len(alike.Slaves) > 2 {
			if got := alike.MachineNames([]model.SlaveID{0, 1}); got != c.both {
				t.Errorf("%v: the first two are %q, called %q", c.wcet, c.both, got)
			}
		}
		if len(alike.Slaves) == 4 {
			if got := alike.MachineNames([]model.SlaveID{1, 2}); got != "x-2 and x-3" {
				t.Errorf("%v: two of a class of three are called %q", c.wcet, got)
			}
		}
	}
}
