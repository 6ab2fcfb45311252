package model

import (
	"strings"
	"testing"
)

// TestUnpacked: two tasks of two cores that may run on the first slave alone, which has three, do not fit
// with one of a core, though slaves have as many cores as all need together; one of them and
// two of a core do.
func TestUnpacked(t *testing.T) {
	wide := NewProfile(DenseRow([]Time{3, 0}), ConstRow(2, 0)).Needing(Needs{Cores: 2})
	narrow := NewProfile(ConstRow(2, 3), ConstRow(2, 0))
	for _, wides := range []int{1, 2} {
		js := &JobSet{
			Heartbeat: 1,
			Slaves:    []Slave{{Name: "a", Cores: 3, Slots: 3}, {Name: "b", Cores: 2, Slots: 2}},
			Jobs: []Job{{Name: "j", Stages: []Stage{{Name: "train", Gang: true, Groups: []Group{
				{Count: wides, Profile: wide}, {Count: 3 - wides, Profile: narrow}}}}}},
		}
		switch err := js.Assemble(); {
		case wides == 1 && err != nil:
			t.Error(err)
		case wides == 2 && (err == nil || !strings.Contains(err.Error(), "all at once")):
			t.Errorf("two wide tasks where there is room for one: %v", err)
		}
	}
}
