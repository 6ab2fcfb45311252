package wording

import (
	"fmt"
	"slices"
	"strings"

	"downbeat/model"
)

// CannotRun says why jobs that are left out, ascending, can run nowhere any more: of each, of at most
// so many.
func CannotRun(js *model.JobSet, jobs []model.JobID, most int) []string {
	var out []string
	confined := js.Confined()
	for _, i := range jobs[:min(most, len(jobs))] {
		job := &js.Jobs[i]
		at := slices.IndexFunc(job.After, func(k model.JobID) bool {
			_, left := slices.BinarySearch(jobs, k)
			return left
		})
		switch {
		case at >= 0:
			out = append(out, fmt.Sprintf("%s comes after %s", job.Name, js.Jobs[job.After[at]].Name))
		case confined != nil && confined[i]:
			out = append(out, job.Name+" "+confinement(js, job))
		}
	}
	return out
}

// confinement says of a job with a task whose slaves are all gone for good which they are, and
// from when on the last one is gone.
func confinement(js *model.JobSet, job *model.Job) string {
	for t := job.First; t < job.End; t++ {
		var fits []string
		from, stays := model.Time(0), false
		for s := range js.Slaves {
			slave := &js.Slaves[s]
			if !js.Tasks[t].Eligible(model.SlaveID(s)) {
				continue
			}
			fits, from = append(fits, slave.Name), max(from, slave.GoneFrom())
			stays = stays || slave.GoneFrom() == model.Never
		}
		if stays {
			continue
		}
		since := "from " + ClockOf(js).Point(from) + " on"
		if from == 0 {
			since = "all the time"
		}
		switch n := len(fits); {
		case n == 1:
			return fmt.Sprintf("fits %s only, which is gone %s", fits[0], since)
		case n <= 4:
			return fmt.Sprintf("fits %s and %s only, which are gone %s", strings.Join(fits[:n-1], ", "), fits[n-1], since)
		default:
			return fmt.Sprintf("fits %d machines only, such as %s, which are gone %s", n, fits[0], since)
		}
	}
	if m := js.Misfit(js.Tasks[job.First].Job); m != nil {
		return fmt.Sprintf("can run nowhere any more: its stage %s %s", job.Stages[m.Stage].Name, m.Problem)
	}
	return "can run nowhere any more"
}
