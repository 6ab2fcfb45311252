package verify

import (
	"errors"
	"fmt"

	"downbeat/model"
	"downbeat/model/proof"
)

// Branching recomputes an argument by cases (see [proof.Branching]) that the jobs cannot
// all finish by due (absolute; model.Never for jobs that play no part). Where a
// search has ruled a leaf out its word is taken. The error is that of the first leaf
// or split that fails.
func Branching(js *model.JobSet, due []model.Time, b *proof.Branching) error {
	left := make([]domain, len(js.Tasks))
	for t := range left {
		left[t] = anywhere
	}
	return checkBranching(js, due, b, left)
}

func checkBranching(js *model.JobSet, due []model.Time, b *proof.Branching, left []domain) error {
	switch {
	case b == nil:
		return errors.New("a leaf is missing")
	case b.Holds == nil && b.Fails == nil && b.Searched:
		return nil
	case b.Holds == nil && b.Fails == nil:
		return checkLeaf(js, due, b.Bound, left)
	}
	if err := checkSplit(js, &b.Split); err != nil {
		return err
	}
	if err := checkBranching(js, due, b.Holds, ifHolds(js, left, &b.Split)); err != nil {
		return err
	}
	return checkBranching(js, due, b.Fails, ifFails(js, left, &b.Split))
}

// checkLeaf checks the dual bound at a leaf.
func checkLeaf(js *model.JobSet, due []model.Time, d *proof.DualBound, left []domain) error {
	if d == nil {
		return errors.New("a leaf has no multipliers")
	}
	surplus, err := dualBound(js, due, d, left)
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
