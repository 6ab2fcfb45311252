package report

import (
	"slices"
	"testing"

	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/solve/capacity"
	"downbeat/solve/whatif"
)

// exactSlack is what is known of a job: nothing fits beyond the values.
func exactSlack(job model.JobID, release, growth, due int64) capacity.JobSlack {
	s := capacity.JobSlack{Job: job}
	for what, fits := range map[capacity.Measure]int64{capacity.Release: release, capacity.Growth: growth, capacity.Due: due} {
		s.Edges[what] = whatif.Edge{Fits: fits, Fails: fits + 1, Proof: model.EnergyProof}
	}
	return s
}

// Jobs stand in the order that the title of the table tells.
func TestTightestFirst(t *testing.T) {
	js := &model.JobSet{Jobs: []model.Job{{Name: "ads"}, {Name: "fraud"}, {Name: "scan"}, {Name: "etl"}, {Name: "mail"}}}
	for _, i := range []int{0, 1, 3, 4} {
		js.Jobs[i].Kind = model.Hard
	}
	js.Jobs[2].Kind = model.BestEffort
	jobs := []capacity.JobSlack{exactSlack(0, 5, 0, 0), exactSlack(1, 0, 0, 0), exactSlack(2, 0, 0, 0), exactSlack(3, 0, 0, 7), exactSlack(4, 0, 9, 0)}
	var order []model.JobID
	for _, s := range tightest(js, jobs) {
		order = append(order, s.Job)
	}
	if got, want := wording.NamesOfJobs(js, order), []string{"fraud", "ads", "etl", "scan", "mail"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A range is explained by its two ends, and a value that is exact needs no words.
func TestRangeLegend(t *testing.T) {
	js := &model.JobSet{Jobs: []model.Job{{Name: "ads", Kind: model.Hard}}}
	jobs := []capacity.JobSlack{exactSlack(0, 5, 0, 0)}
	if got := rangeLegend(js, jobs); got != "" {
		t.Errorf("all is exact: %q", got)
	}
	jobs[0].Edges[capacity.Growth].Fails = 24
	if got, want := rangeLegend(js, jobs), "0 to 23 %: 0 % is safe, more than 23 % is proved not to be, between is not settled"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	jobs[0].Edges[capacity.Growth].Proof = model.NoProof
	if got := rangeLegend(js, jobs); got != "" {
		t.Errorf("nothing is proved: %q", got)
	}
}
