package inference

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
//
// What jobs pay at a leaf is the same code as in a proof file (costs.go). There leaves are
// clauses, and cases nogoods above them; here a case leaves tasks a domain each, in the windows
// that their jobs have by themselves, for which no place of every task on every slave is
// laid out.
func Branching(ctx context.Context, js *model.JobSet, due []model.Time, b *proof.Branching) error {
	js = Series(js)
	return (&claim{pace: &pace{ctx: ctx}, js: js, due: due}).check(b, everywhere(js))
}

// WeightedBranching recomputes such an argument that no plan that meets the hard
// deadlines has a weighted tardiness of most or less: no job may end later than that
// allows, and what jobs pay for being late is more than it allows all of them.
func WeightedBranching(ctx context.Context, js *model.JobSet, most int64, b *proof.Branching) error {
	if most < 0 {
		return fmt.Errorf("a weighted tardiness of %d", most)
	}
	js = Series(js)
	return (&claim{pace: &pace{ctx: ctx}, js: js, due: latestEnds(js, most), weighted: true, most: most}).check(b, everywhere(js))
}

func everywhere(js *model.JobSet) []domain {
	return slices.Repeat([]domain{anywhere}, len(js.Tasks))
}

// claim is that no plan has all jobs finish by due, with a weighted tardiness of most
// or less if it is weighted.
type claim struct {
	pace     *pace
	js       *model.JobSet
	due      []model.Time
	weighted bool
	most     int64
}

// check goes through the argument b about what is left.
func (c *claim) check(b *proof.Branching, left []domain) error {
	switch {
	case b == nil:
		return errors.New("a leaf is missing")
	case b.Holds == nil && b.Fails == nil && b.Searched:
		return nil
	case b.Holds == nil && b.Fails == nil:
		return c.checkLeaf(b.Bound, left)
	}
	if err := c.checkSplit(&b.Split); err != nil {
		return err
	}
	if err := c.check(b.Holds, ifHolds(c.js, left, &b.Split)); err != nil {
		return err
	}
	return c.check(b.Fails, ifFails(c.js, left, &b.Split))
}

// checkLeaf checks the dual bound at a leaf: its surplus is more than the lateness
// that is claimed away could pay.
func (c *claim) checkLeaf(d *proof.DualBound, left []domain) error {
	if d == nil {
		return errors.New("a leaf has no multipliers")
	}
	if d.Late != nil && !c.weighted {
		return errors.New("a leaf has jobs pay for lateness")
	}
	due := c.due
	if c.weighted {
		var some bool
		if due, some = c.dueIn(left); !some {
			return nil
		}
		d = until(d, due)
	}
	surplus, err := bound(c.pace, c.js, due, d, left)
	if err == nil && surplus <= mostPaid(c.js, d.Late, c.most) {
		err = fmt.Errorf("a leaf has a surplus of %d", surplus)
	}
	return err
}

// dueIn is by when each job finishes in plans of a weighted tardiness of most or less
// that keep to domains: what the others are late at least is not left to it. There may
// be none.
func (c *claim) dueIn(left []domain) (due []model.Time, some bool) {
	rest := c.most
	late := make([]int64, len(c.due))
	for i := range late {
		job := &c.js.Jobs[i]
		if from := left[job.End-1].stageFrom; job.Kind == model.Soft && from > job.Due() {
			late[i] = int64(from - job.Due())
			if late[i] > rest/job.Weight {
				return nil, false
			}
			rest -= job.Weight * late[i]
		}
	}
	due = slices.Clone(c.due)
	for i := range due {
		if job := &c.js.Jobs[i]; job.Kind == model.Soft {
			due[i] = min(due[i], job.Due()+model.Time(min(late[i]+rest/job.Weight, int64(model.Never))))
		}
	}
	return due, true
}

// until is a dual bound without multipliers on times after which no job is due: they
// may have been found for later ones.
func until(d *proof.DualBound, due []model.Time) *proof.DualBound {
	end := model.Time(0)
	for i, penalty := range d.Penalty {
		if i < len(due) && penalty > 0 {
			end = max(end, due[i])
		}
	}
	out := *d
	out.Multipliers = nil
	for _, m := range d.Multipliers {
		if m.Interval.Start < end {
			m.Interval.End = min(m.Interval.End, end)
			out.Multipliers = append(out.Multipliers, m)
		}
	}
	return &out
}

func (c *claim) checkSplit(s *proof.Split) error {
	js := c.js
	if s.Task < 0 || int(s.Task) >= len(js.Tasks) {
		return fmt.Errorf("a split on task %d", s.Task)
	}
	task := &js.Tasks[s.Task]
	switch s.Kind {
	case proof.StageEndsBy:
		if job := &js.Jobs[task.Job]; !c.weighted && int(task.Stage)+1 >= len(job.Stages) {
			return fmt.Errorf("a split on when job %s ends", job.Name)
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
	// stageFrom is when the stage ends at the earliest, by some task of it.
	stageFrom model.Time
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
	return d.assignFrom == o.assignFrom && d.fetch == o.fetch && d.finish == o.finish && d.stageFrom == o.stageFrom && slices.Equal(d.barred, o.barred)
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
		stages := js.Jobs[task.Job].Stages[task.Stage:]
		if len(stages) == 1 {
			endsAfter(&stages[0], out, s.At)
			break
		}
		for u := stages[1].First; u < stages[1].End; u++ {
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

// endsAfter narrows the domains of a stage, the last of its job, that ends after at:
// some task of it does.
func endsAfter(stage *model.Stage, left []domain, at model.Time) {
	for u := stage.First; u < stage.End; u++ {
		left[u].stageFrom = max(left[u].stageFrom, at+1)
	}
	if stage.End == stage.First+1 {
		left[stage.First].finish.Start = max(left[stage.First].finish.Start, at+1)
	}
}
