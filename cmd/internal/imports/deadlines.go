package imports

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/model/files/trace"
)

// deadlines gives the jobs theirs, by the source or by the rule, and assembles the set anew.
func (m *maker) deadlines(ctx context.Context) error {
	var kept []model.Job
	var picks []picked
	alone := map[string]model.Time{}
	left := map[model.JobID]bool{}
	for i := range m.js.Jobs {
		if err := ctx.Err(); err != nil {
			return err
		}
		d, own := m.deadline(model.JobID(i), alone)
		j := &m.js.Jobs[i]
		if own && d < 1 {
			m.leaveOut(m.picked[i], "jobs that are due before they are released", fmt.Sprintf("job %s is due before it is released", j.Name), "")
			left[model.JobID(i)] = true
			continue
		}
		if d > 0 {
			j.Deadline, j.Kind = min(d, model.MaxTime), model.Soft
			if run := m.picked[i].run; run.Hard || m.Hard && !run.Soft {
				j.Kind = model.Hard
			}
		}
	}
	if len(left) == 0 {
		return m.js.Assemble()
	}
	var ids []model.JobID
	for i := range m.js.Jobs {
		if !left[model.JobID(i)] {
			ids = append(ids, model.JobID(i))
			picks = append(picks, m.picked[i])
		}
	}
	if len(ids) == 0 {
		return m.nothing()
	}
	kept = m.js.Subset(ids).Jobs
	m.js.Jobs, m.picked = kept, picks
	return m.js.Assemble()
}

// softness says how many deadlines are soft for want of a word, and what makes them hard;
// empty where none is.
func (m *maker) softness() string {
	due, soft := 0, 0
	for i := range m.js.Jobs {
		if m.js.Jobs[i].Kind == model.BestEffort {
			continue
		}
		due++
		if m.js.Jobs[i].Kind == model.Soft && !m.picked[i].run.Soft {
			soft++
		}
	}
	const why = "soft, and check is about hard ones: --hard makes"
	switch {
	case soft == 0:
		return ""
	case due == 1:
		return "the only deadline is " + why + " it hard"
	case soft == due:
		return fmt.Sprintf("all %d deadlines are %s them hard", due, why)
	case soft == 1:
		return fmt.Sprintf("1 of %d deadlines is %s it hard", due, why)
	}
	return fmt.Sprintf("%d of %d deadlines are %s them hard", soft, due, why)
}

// deadline is that of a job from its release on, 0 for none; own tells that the source
// says it.
func (m *maker) deadline(id model.JobID, alone map[string]model.Time) (d model.Time, own bool) {
	run := m.picked[id].run
	release := m.js.Jobs[id].Release
	switch {
	case run.Due != trace.Unknown:
		return model.Time((run.Due-m.base)/m.tick) - release, true
	case run.Deadline != trace.Unknown:
		return max(1, model.Time((run.Submit-m.base+run.Deadline)/m.tick)-release), true
	case m.Deadline.name == "column":
		return 0, false
	case factor.MatchString(m.Deadline.name):
		f, _ := strconv.ParseFloat(strings.TrimSuffix(m.Deadline.name, "x"), 64)
		return max(1, model.Time(min(f*float64(m.alone(id, alone)), float64(model.MaxTime)))), false
	}
	var took []sample
	for _, j := range m.picked[id].group.runs {
		if j.Finish > j.Submit && j.Submit != trace.Unknown {
			took = append(took, sample{j.Finish - j.Submit, 1})
		}
	}
	p := 100
	if n, ok := percent(m.Deadline.name); ok {
		p = n
	}
	return m.up(nearestRank(took, p)), false // none where no run is known to have ended
}

// alone is how long list scheduling takes for a job with the cluster to itself, from its
// release on. Jobs that are alike take the same where no slave is ever away.
func (m *maker) alone(id model.JobID, known map[string]model.Time) model.Time {
	one := m.js.Subset([]model.JobID{id})
	job := &one.Jobs[0]
	key := ""
	if !slices.ContainsFunc(m.js.Slaves, func(s model.Slave) bool { return len(s.Down) > 0 }) {
		var b strings.Builder
		fmt.Fprint(&b, job.Release%m.js.Heartbeat)
		for _, st := range job.Stages {
			fmt.Fprint(&b, ";", st.After, st.AtMost, st.Gang, st.Apart)
			for t := st.First; t < st.End; t++ {
				if t == st.First || one.Tasks[t].Profile != one.Tasks[t-1].Profile {
					fmt.Fprintf(&b, " %p", one.Tasks[t].Profile)
				}
				b.WriteByte('.')
			}
		}
		key = b.String()
		if d, ok := known[key]; ok {
			return d
		}
	}
	d := one.Finishes(heuristics.Complete(one, model.NewSchedule(len(one.Tasks))))[0] - job.Release
	if key != "" {
		known[key] = d
	}
	return d
}
