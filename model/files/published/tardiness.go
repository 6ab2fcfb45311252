package published

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"downbeat/model"
)

// wtName is the name of a file of weighted tardiness, with the number of jobs.
var wtName = regexp.MustCompile(`^wt(\d+)$`)

// weightedTardiness reads sets of weighted tardiness on one machine.
func weightedTardiness(name, text string) ([]*model.JobSet, error) {
	m := wtName.FindStringSubmatch(name)
	rows, err := rowsOf(text)
	if m == nil || err != nil {
		return nil, errOther
	}
	all := slices.Concat(rows...)
	n, err := strconv.Atoi(m[1])
	if err != nil || n < 1 || n > len(all) || len(all)%(3*n) != 0 {
		return nil, fmt.Errorf("%d numbers are not three for each of %s jobs of each set", len(all), m[1])
	}
	var sets []*model.JobSet
	for set := range slices.Chunk(all, 3*n) {
		sets = append(sets, singleMachine(fmt.Sprintf("%s-%d", name, len(sets)+1), set[:n], set[n:2*n], set[2*n:]))
	}
	return sets, nil
}

// singleMachine is a set of jobs on one machine.
func singleMachine(name string, times, weights, due []int64) *model.JobSet {
	js := &model.JobSet{Name: name, Slaves: machines(1, len(times)), Objectives: []model.Objective{model.WeightedTardiness}}
	later := max(0, 1-slices.Min(due))
	js.Slaves[0].FirstBeat = model.Time(later)
	for i := range times {
		js.Jobs = append(js.Jobs, model.Job{
			Name: fmt.Sprintf("j%d", i+1), Kind: model.Soft, Weight: weights[i], Deadline: model.Time(due[i] + later),
			Stages: []model.Stage{stage("all", []model.Time{model.Time(times[i])})},
		})
	}
	return js
}
