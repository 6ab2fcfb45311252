package wording

import (
	"fmt"

	"downbeat/model"
)

// AllInstances is the name of a recurring job with so many instances, all of which are meant.
func AllInstances(series string, count int) string {
	return fmt.Sprintf("%s (all %d instances)", series, count)
}

// NamesTogether are the names of jobs, ascending, with all instances of a recurring job as one:
// it is one line of the file.
func NamesTogether(js *model.JobSet, jobs []model.JobID) []string {
	instances := map[string]int{}
	for i := range js.Jobs {
		instances[js.Jobs[i].Series]++
	}
	var names []string
	for k := 0; k < len(jobs); {
		series, end := js.Jobs[jobs[k]].Series, k+1
		for series != "" && end < len(jobs) && js.Jobs[jobs[end]].Series == series {
			end++
		}
		if end-k > 1 && end-k == instances[series] {
			names = append(names, AllInstances(series, end-k))
		} else {
			names = append(names, NamesOfJobs(js, jobs[k:end])...)
		}
		k = end
	}
	return names
}
