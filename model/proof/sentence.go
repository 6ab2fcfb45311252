package proof

import (
	"fmt"
	"strings"

	"downbeat/model"
)

// maxNames is how many names a sentence lists before it counts the rest.
const maxNames = 3

// Sentence says an overload to people, in ticks and in the names of the file.
func (o *Overload) Sentence(js *model.JobSet) string {
	jobs, singular := jobNames(js, o.Jobs)
	if o.Resource == CriticalPath {
		job := &js.Jobs[o.Jobs[0]]
		due := "it is to end by"
		if job.Kind != model.BestEffort && int64(job.Due()) == o.Have {
			due = "its deadline is"
		}
		return fmt.Sprintf("%s cannot finish before %d even alone on an empty cluster; %s %d", jobs, o.Need, due, o.Have)
	}
	verb := "need"
	if singular {
		verb = "needs"
	}
	return fmt.Sprintf("%s %s %d %s on %s in [%d, %d); there are %d",
		jobs, verb, o.Need, o.Resource, slaveNames(js, o.Slaves), o.Interval.Start, o.Interval.End, o.Have)
}

// jobNames is "job a" or "jobs a, b, c and 5 more".
func jobNames(js *model.JobSet, ids []model.JobID) (phrase string, singular bool) {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = js.Jobs[id].Name
	}
	if len(ids) == 1 {
		return "job " + names[0], true
	}
	return "jobs " + Names(names), false
}

// slaveNames is "all slaves", or classes as "fast-*" where all of several
// members are meant, and names.
func slaveNames(js *model.JobSet, ids []model.SlaveID) string {
	if len(ids) == len(js.Slaves) && len(ids) > 1 {
		return "all slaves"
	}
	size, meant := map[string]int{}, map[string]int{}
	for i := range js.Slaves {
		size[js.Slaves[i].Class]++
	}
	for _, id := range ids {
		meant[js.Slaves[id].Class]++
	}
	var names []string
	said := map[string]bool{}
	for _, id := range ids {
		s := &js.Slaves[id]
		switch {
		case meant[s.Class] < size[s.Class] || size[s.Class] == 1:
			names = append(names, s.Name)
		case !said[s.Class]:
			said[s.Class] = true
			names = append(names, s.Class+"-*")
		}
	}
	return Names(names)
}

// Names is "a", "a and b", "a, b and c", or "a, b, c and 5 more".
func Names(names []string) string {
	n := len(names)
	switch {
	case n == 0:
		return "nothing"
	case n == 1:
		return names[0]
	case n > maxNames+1:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), n-maxNames)
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}
