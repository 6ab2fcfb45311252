package gen

import "testing"

// TestTodayHasEveryFeature: named resources, tasks of several cores, stages in no
// order of the list and jobs after jobs all come up, several times.
func TestTodayHasEveryFeature(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(100) {
		js := TodayTiny(seed)
		if len(js.Named) > 0 {
			seen["resources"]++
		}
		if js.JobsLinked() {
			seen["jobs after jobs"]++
		}
		for i := range js.Jobs {
			if !js.Jobs[i].Chain() {
				seen["graphs"]++
			}
		}
		for i := range js.Tasks {
			if js.Tasks[i].Cores() > 1 {
				seen["cores"]++
			}
		}
	}
	for _, feature := range []string{"resources", "jobs after jobs", "graphs", "cores"} {
		if seen[feature] < 10 {
			t.Errorf("%s came up %d times in 100 sets", feature, seen[feature])
		}
	}
}
