package verify

import (
	"errors"
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
)

// Branching recomputes an argument by cases (see [proof.Branching]) that the jobs cannot
// all finish by due (absolute; model.Never for jobs that play no part). Where a
// search has ruled a case out its word is taken. The error names the first case
// that fails.
func Branching(js *model.JobSet, due []model.Time, c *proof.Branching) error {
	left := make([]leeway, len(js.Tasks))
	for t := range left {
		left[t] = anywhere
	}
	return checkCases(js, due, c, left)
}

func checkCases(js *model.JobSet, due []model.Time, c *proof.Branching, left []leeway) error {
	switch {
	case c == nil:
		return errors.New("a case is missing")
	case c.Holds == nil && c.Fails == nil && c.Searched:
		return nil
	case c.Holds == nil && c.Fails == nil:
		return checkEnd(js, due, c.Bound, left)
	}
	if err := checkSplit(js, &c.Split); err != nil {
		return err
	}
	if err := checkCases(js, due, c.Holds, ifHolds(js, left, &c.Split)); err != nil {
		return err
	}
	return checkCases(js, due, c.Fails, ifFails(js, left, &c.Split))
}

// checkEnd checks the tariff at an end.
func checkEnd(js *model.JobSet, due []model.Time, tf *proof.DualBound, left []leeway) error {
	if tf == nil {
		return errors.New("a case has no prices")
	}
	surplus, err := tariff(js, due, tf, left)
	if err == nil && surplus <= 0 {
		err = fmt.Errorf("a case has a surplus of %d", surplus)
	}
	return err
}

func checkSplit(js *model.JobSet, s *proof.Split) error {
	if s.Task < 0 || int(s.Task) >= len(js.Tasks) {
		return fmt.Errorf("a case of task %d", s.Task)
	}
	task := &js.Tasks[s.Task]
	switch s.Kind {
	case proof.StageEndsBy:
		if int(task.Stage)+1 >= len(js.Jobs[task.Job].Stages) {
			return fmt.Errorf("a case of when job %s ends", js.Jobs[task.Job].Name)
		}
	case proof.OnSlave:
		if s.Slave < 0 || int(s.Slave) >= len(js.Slaves) {
			return fmt.Errorf("a case of slave %d", s.Slave)
		}
	case proof.TaskEndsBy, proof.FetchedBy:
	default:
		return fmt.Errorf("a case of unknown kind %d", s.Kind)
	}
	return nil
}

// leeway is what is left to a task. The heartbeat that hands it out is the last
// one before its fetch: from any plan that hands out earlier another follows
// that does not, and differs in nothing else.
type leeway struct {
	assignFrom model.Time
	// fetch and finish hold their ends.
	fetch, finish model.Interval
	// barred slaves, ascending.
	barred []model.SlaveID
}

// anywhere leaves everything.
var anywhere = leeway{fetch: model.Interval{End: model.Never}, finish: model.Interval{End: model.Never}}

func (l *leeway) bars(s model.SlaveID) bool {
	_, found := slices.BinarySearch(l.barred, s)
	return found
}

func (l *leeway) bar(s model.SlaveID) {
	if at, found := slices.BinarySearch(l.barred, s); !found {
		l.barred = slices.Insert(slices.Clone(l.barred), at, s)
	}
}

func (l *leeway) equal(o *leeway) bool {
	return l.assignFrom == o.assignFrom && l.fetch == o.fetch && l.finish == o.finish && slices.Equal(l.barred, o.barred)
}

// ifHolds is what is left of left if a split holds.
func ifHolds(js *model.JobSet, left []leeway, s *proof.Split) []leeway {
	out := slices.Clone(left)
	t := &out[s.Task]
	switch s.Kind {
	case proof.StageEndsBy:
		task := &js.Tasks[s.Task]
		stage := &js.Jobs[task.Job].Stages[task.Stage]
		for u := stage.First; u < stage.End; u++ {
			out[u].finish.End = min(out[u].finish.End, s.At)
		}
	case proof.TaskEndsBy:
		t.finish.End = min(t.finish.End, s.At)
	case proof.FetchedBy:
		t.fetch.End = min(t.fetch.End, s.At)
	case proof.OnSlave:
		for o := range model.SlaveID(len(js.Slaves)) {
			if o != s.Slave {
				t.bar(o)
			}
		}
	}
	return out
}

// ifFails is what is left of left if a split does not hold.
func ifFails(js *model.JobSet, left []leeway, s *proof.Split) []leeway {
	out := slices.Clone(left)
	t := &out[s.Task]
	switch s.Kind {
	case proof.StageEndsBy:
		task := &js.Tasks[s.Task]
		stage := &js.Jobs[task.Job].Stages[task.Stage+1]
		for u := stage.First; u < stage.End; u++ {
			out[u].assignFrom = max(out[u].assignFrom, s.At+1)
		}
	case proof.TaskEndsBy:
		t.finish.Start = max(t.finish.Start, s.At+1)
	case proof.FetchedBy:
		t.fetch.Start = max(t.fetch.Start, s.At+1)
	case proof.OnSlave:
		t.bar(s.Slave)
	}
	return out
}
