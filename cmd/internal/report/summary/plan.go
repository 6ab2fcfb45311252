package summary

import (
	"slices"

	"downbeat/model"
)

// SummarizePlan looks at a plan from anywhere. Lines for what js does not have, and with
// times in no order that could be drawn, are left out.
func SummarizePlan(js *model.JobSet, p *model.Plan) *Summary {
	s := newSummary(js)
	s.addPlan(p, slaveNumbers(js))
	s.sum()
	for i := range s.Jobs {
		s.Jobs[i].Unplanned = len(s.Jobs[i].Uses) == 0
	}
	for _, job := range p.Rejected {
		if i := slices.IndexFunc(js.Jobs, func(j model.Job) bool { return j.Name == job }); i >= 0 {
			s.Jobs[i].Rejected = true
		}
	}
	return s
}

func slaveNumbers(js *model.JobSet) map[string]model.SlaveID {
	numbers := map[string]model.SlaveID{}
	for i := range js.Slaves {
		numbers[js.Slaves[i].Name] = model.SlaveID(i)
	}
	return numbers
}

// addPlan adds the lines of a plan.
func (s *Summary) addPlan(p *model.Plan, slaves map[string]model.SlaveID) {
	find := model.NewTaskFinder(s.JS)
	for i := range p.Tasks {
		s.addLine(find, &p.Tasks[i], slaves, false)
	}
	for i := range p.Lost {
		s.addLine(find, &p.Lost[i], slaves, true)
	}
}

func (s *Summary) addLine(find model.TaskFinder, line *model.TaskResult, slaves map[string]model.SlaveID, lost bool) {
	t, known := find.Task(line)
	id, there := slaves[line.Slave]
	if !known || !there || line.Assigned < 0 || line.Finish > model.Never {
		return
	}
	a := Attempt{
		Task: t, Slave: id, Assigned: line.Assigned, Fetch: line.Fetch, Start: line.Start, Finish: line.Finish,
		Fetched: line.Fetch + s.JS.Tasks[t].Transfer(id),
	}
	if lost {
		a.lose()
	}
	if a.Assigned <= a.Fetch && a.Fetch <= a.Start && a.Start <= a.Finish {
		a.Fetched = min(a.Fetched, a.Start)
		s.Attempts = append(s.Attempts, a)
	}
}

// SummarizeDiff looks at two plans in one, those of each slave one above the other, and marks
// the tasks that differ.
func SummarizeDiff(js *model.JobSet, before, after *model.Plan, d *model.PlanDiff) *Summary {
	both := *js
	both.Slaves = nil
	numbers := [2]map[string]model.SlaveID{{}, {}}
	for i := range js.Slaves {
		for k, when := range []string{"before", "after"} {
			slave := js.Slaves[i]
			slave.Name += " " + when
			numbers[k][js.Slaves[i].Name] = model.SlaveID(len(both.Slaves))
			both.Slaves = append(both.Slaves, slave)
		}
	}
	s := newSummary(&both)
	s.twice = true
	for k, p := range []*model.Plan{before, after} {
		part := newSummary(js)
		part.addPlan(p, slaveNumbers(js))
		for _, a := range part.Attempts {
			a.Slave = numbers[k][js.Slaves[a.Slave].Name]
			s.Attempts = append(s.Attempts, a)
		}
	}
	changed := map[model.TaskID]bool{}
	for _, t := range d.Tasks {
		changed[t.ID] = true
	}
	for i := range s.Attempts {
		s.Attempts[i].Changed = changed[s.Attempts[i].Task]
	}
	s.sum()
	return s
}
