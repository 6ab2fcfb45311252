package capacity

import (
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
)

// Who is late alone where a job is changed is told by the part of the set around that job as by the whole.
func TestLateAloneByThePartAround(t *testing.T) {
	late, parts := 0, 0
	for seed := range testkit.Sets[uint64](300, 3000) {
		set, _, _, _ := pressing(tiny(seed), nil)
		s := &slacker{base: set, r: &SlackAnswer{Jobs: make([]JobSlack, len(set.Jobs))}}
		for _, e := range s.edges() {
			if e.k == all {
				continue
			}
			part := s.around(model.JobID(e.k))
			for _, v := range []int64{1, 3, 10, 40} {
				whole, err := s.harder(set, e, v)
				if err != nil {
					continue // as late as it is due
				}
				less, err := s.harder(part, e, v)
				if err != nil {
					t.Fatal(err)
				}
				want := lateAlone(t.Context(), whole)
				if got := lateAlone(t.Context(), less); got != want && !lateAlone(t.Context(), set) {
					t.Errorf("seed %d, %s of job %d by %d: late %v by the part, %v by the whole", seed, e.m, e.k, v, got, want)
				}
				if want && set.JobsLinked() && len(part.Jobs) < len(set.Jobs) {
					late++
				}
				parts++
			}
		}
	}
	if t.Logf("%d of %d late, with jobs that come after others and a part that is less", late, parts); late == 0 {
		t.Error("no set tells a part from the whole")
	}
}
