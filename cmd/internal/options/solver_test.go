package options

import (
	"testing"

	"downbeat/model"
	"downbeat/solve"
)

// What a search tells shows in a few words.
func TestProgress(t *testing.T) {
	if observer(nil) != nil {
		t.Error("somebody is told although nobody watches")
	}
	bound := int64(2)
	misses := []model.ObjectiveValue{{Name: "misses", Value: 5, Bound: &bound}}
	for _, test := range []struct {
		now  solve.Progress
		want string
	}{
		{solve.Progress{}, ""},
		{solve.Progress{Phase: "searching", HavePlan: true}, "searching · have a plan"},
		{solve.Progress{Phase: "searching", HavePlan: true, Objectives: misses}, "searching · misses 5, bound 2, gap 3"},
		{solve.Progress{Objectives: misses}, "misses ≥ 2"},
		{solve.Progress{Objectives: []model.ObjectiveValue{{Name: "misses"}}}, "misses"},
		{solve.Progress{HavePlan: true, Objectives: []model.ObjectiveValue{{Name: "misses", Value: 5}}}, "misses 5"},
	} {
		if got := progressText(test.now); got != test.want {
			t.Errorf("%+v: %q, not %q", test.now, got, test.want)
		}
	}
}
