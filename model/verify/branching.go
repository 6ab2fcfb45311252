package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
)

// Branching recomputes an argument by cases (see [proof.Branching]) that the jobs cannot
// all finish by due (absolute; model.Never for jobs that play no part). Where a
// search has ruled a leaf out its word is taken. The error is that of the first leaf
// or split that fails, or where the recheck is a long one that of ctx.
func Branching(ctx context.Context, js *model.JobSet, due []model.Time, b *proof.Branching) error {
	left := make([]domain, len(js.Tasks))
	for t := range left {
		left[t] = anywhere
	}
	return checkBranching(&pace{ctx: ctx}, js, due, b, left)
}

func checkBranching(pace *pace, js *model.JobSet, due []model.Time, b *proof.Branching, left []domain) error {
	switch {
	case b == nil:
		return errors.New("a leaf is missing")
	case b.Holds == nil && b.Fails == nil && b.Searched:
		return nil
	case b.Holds == nil && b.Fails == nil:
		return checkLeaf(pace, js, due, b.Bound, left)
	}
	if err := checkSplit(js, &b.Split); err != nil {
		return err
	}
	if err := checkBranching(pace, js, due, b.Holds, ifHolds(js, left, &b.Split)); err != nil {
		return err
	}
	return checkBranching(pace, js, due, b.Fails, ifFails(js, left, &b.Split))
}

// checkLeaf checks the dual bound at a leaf.
func checkLeaf(pace *pace, js *model.JobSet, due []model.Time, d *proof.DualBound, left []domain) error {
	if d == nil {
		return errors.New("a leaf has no multipliers")
	}
	surplus, err := dualBound(pace, js, due, d, left)
	if err == nil && surplus <= 0 {
		err = fmt.Errorf("a leaf has a surplus of %d", surplus)
	}
	return err
}

func checkSplit(js *model.JobSet, s *proof.Split) error {
	if s.Task < 0 || int(s.Task) >= len(js.Tasks) {
		return fmt.Errorf("a split on task %d", s.Task)
	}
	task := &js.Tasks[s.Task]
	switch s.Kind {
	case proof.StageEndsBy:
		if int(task.Stage)+1 >= len(js.Jobs[task.Job].Stages) {
			return fmt.Errorf("a split on when job %s ends", js.Jobs[task.Job].Name)
		}
	case proof.OnSlave:
		if s.Slave < 0 || int(s.Slave) >= len(js.Slaves) {
			return fmt.Errorf("a split on slave %d", s.Slave)
		}
	case proof.TaskEndsBy, proof.FetchedBy:
	default:
		return fmt.Errorf("a split of unknown kind %d", s.Kind)
	}
	return nil
}

// domain is where and when a task may still be. The heartbeat that hands it out is the last
// one before its fetch: from any plan that hands out earlier another follows
// that does not, and differs in nothing else.
type domain struct {
	assignFrom model.Time
	// fetch and finish hold their ends.
	fetch, finish model.Interval
	// barred slaves, ascending.
	barred []model.SlaveID
}

// anywhere leaves everything.
var anywhere = domain{fetch: model.Interval{End: model.Never}, finish: model.Interval{End: model.Never}}

func (d *domain) bars(s model.SlaveID) bool {
	_, found := slices.BinarySearch(d.barred, s)
	return found
}

func (d *domain) bar(s model.SlaveID) {
	if at, found := slices.BinarySearch(d.barred, s); !found {
		d.barred = slices.Insert(slices.Clone(d.barred), at, s)
	}
}

func (d *domain) equal(o *domain) bool {
	return d.assignFrom == o.assignFrom && d.fetch == o.fetch && d.finish == o.finish && slices.Equal(d.barred, o.barred)
}

// ifHolds is what is left of left if a split holds.
func ifHolds(js *model.JobSet, left []domain, s *proof.Split) []domain {
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
func ifFails(js *model.JobSet, left []domain, s *proof.Split) []domain {
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
