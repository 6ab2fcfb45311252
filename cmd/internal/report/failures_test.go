package report

import (
	"testing"

	"downbeat/model"
	"downbeat/solve/capacity"
)

// The first line tells that machines are lost one at a time, whatever their number.
func TestBrokenBy(t *testing.T) {
	js := &model.JobSet{Slaves: []model.Slave{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "e"}}}
	for lost, want := range map[string]string{
		"x":     "a alone",
		"x.":    "a alone",
		"xx":    "any single one of the 2 machines",
		".x.x.": "b alone or d alone",
		"xx.x.": "a alone, b alone or d alone",
		"xx.xx": "any single one of 4 of the 5 machines",
		"xxxxx": "any single one of the 5 machines",
		"?x.":   "b alone",
	} {
		var all []capacity.SingleFailure
		for i, of := range lost {
			status := map[rune]model.Status{'x': model.Infeasible, '.': model.Feasible, '?': model.Unknown}[of]
			all = append(all, capacity.SingleFailure{Slave: model.SlaveID(i), Stranded: -1, Status: status})
		}
		if got := brokenBy(js, all); got != want {
			t.Errorf("%s: got %s, want %s", lost, got, want)
		}
	}
}
