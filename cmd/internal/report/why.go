package report

import (
	"downbeat/model"
	"downbeat/solve/incumbent"
)

// reasonJSON is what the bound on an objective rests on.
type reasonJSON struct {
	Objective string         `json:"objective"`
	Sentences []string       `json:"sentences"`
	Unit      model.Time     `json:"unit,omitempty"` // of all times here, in ticks, where not 1
	Branching *branchingJSON `json:"argument,omitempty"`
}

func reasonsJSON(js *model.JobSet, reasons []incumbent.Reason) []reasonJSON {
	var out []reasonJSON
	for _, r := range reasons {
		why := reasonJSON{Objective: r.Objective.String(), Sentences: r.Sentences}
		if r.Unit > 1 {
			why.Unit = r.Unit
		}
		if r.Branching != nil {
			why.Branching = newBranchingJSON(js, r.Branching)
		}
		out = append(out, why)
	}
	return out
}

// byJob names the jobs of what is not 0.
func byJob(js *model.JobSet, values []int64) map[string]int64 {
	out := map[string]int64{}
	for j, v := range values {
		if v != 0 {
			out[js.Jobs[j].Name] = v
		}
	}
	return out
}
