package reproduce

import (
	"strings"
	"testing"
)

// RDS's case study: FIFO and Fair miss J2, and a plan that meets both exists.
func TestCase(t *testing.T) {
	js, all, err := smallSet(t.Context(), "rds-case")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"FIFO": "J2", "Fair": "J2", "EDF": "", "RDS as printed": "J2", "RDS tuned": "", "proved optimum": ""}
	for _, r := range all {
		if got := strings.Join(r.late(js), " "); got != want[r.name] {
			t.Errorf("%s misses %q, not %q", r.name, got, want[r.name])
		}
		// 120 and 60 units, each a minute long.
		for j, units := range []float64{120, 60} {
			sum := 0.0
			for _, n := range r.held[j] {
				sum += n
			}
			if sum != units {
				t.Errorf("%s: job %d holds %g units, not %g", r.name, j, sum, units)
			}
		}
	}
}
