package query_test

import (
	"slices"
	"testing"

	"downbeat/model"
	"downbeat/model/query"
)

// after has a job come after others.
func after(j model.Job, before ...model.JobID) model.Job {
	j.After = before
	return j
}

// TestJobsBeforeMustBeIn: what jobs that are in come after is in, by its own cap where
// it has one, else by a time that leaves room for all such jobs one after the other;
// each of their tasks takes 3 ticks.
func TestJobsBeforeMustBeIn(t *testing.T) {
	best := job(model.BestEffort, 0, 3, 0, 2)
	for _, c := range []struct {
		name string
		jobs []model.Job
		lim  query.Limits
		role []query.Role
		cap  []model.Time
	}{
		{"a chain before a hard job", []model.Job{best, after(best, 0), after(job(model.Hard, 20, 3, 0, 1), 1), after(best, 2)}, nil,
			[]query.Role{query.Must, query.Must, query.Must, query.Out}, []model.Time{32, 32, 20, model.Never}},
		{"nothing that is in", []model.Job{best, after(best, 0)}, nil,
			[]query.Role{query.Out, query.Out}, []model.Time{model.Never, model.Never}},
		{"soft jobs, the first due later", []model.Job{job(model.Soft, 50, 3, 0, 1), after(job(model.Soft, 9, 3, 0, 1), 0)}, query.Limits{model.Misses: 1},
			[]query.Role{query.Must, query.May}, []model.Time{53, 9}},
		{"soft jobs by tardiness", []model.Job{job(model.Soft, 50, 3, 0, 1), after(job(model.Soft, 9, 3, 0, 1), 0)}, query.Limits{model.Tardiness: 4},
			[]query.Role{query.Must, query.Must}, []model.Time{54, 13}},
		{"by makespan", []model.Job{best, after(job(model.Hard, 20, 3, 0, 1), 0)}, query.Limits{model.Makespan: 15},
			[]query.Role{query.Must, query.Must}, []model.Time{15, 15}},
	} {
		q := query.Within(twoSlaves(t, nil, c.jobs...), false, c.lim)
		if !slices.Equal(q.Role, c.role) || !slices.Equal(q.Cap, c.cap) {
			t.Errorf("%s: roles %v by %v, not %v by %v", c.name, q.Role, q.Cap, c.role, c.cap)
		}
	}
}

// TestReleaseBeforeTheEnd: a job that is released late may run then, though the one after it
// is not in time any more.
func TestReleaseBeforeTheEnd(t *testing.T) {
	first := job(model.BestEffort, 0, 3, 0, 1)
	first.Release = 40
	l := layOut(query.Within(twoSlaves(t, nil, first, after(job(model.Soft, 9, 3, 0, 1), 0)), false, query.Limits{model.Misses: 3}))
	if l.Role[0] != query.Must || l.Cap[0] != 43 || len(l.Places[0]) != 2 {
		t.Errorf("role %v by %d at %v", l.Role[0], l.Cap[0], l.Places[0])
	}
	if _, missed := l.Missable(model.Misses.Shape()); l.Role[1] != query.Out || missed != 3 || l.Impossible >= 0 {
		t.Errorf("the job after it: role %v, %d missed, impossible %d", l.Role[1], missed, l.Impossible)
	}
}

// TestMayJobsPressNone: a job that may be left out has its window after the one that it
// comes after, which is as free as without it.
func TestMayJobsPressNone(t *testing.T) {
	l := layOut(query.Within(twoSlaves(t, nil, job(model.Soft, 6, 3, 0, 1), after(job(model.Soft, 9, 4, 0, 1), 0)), false, query.Limits{model.Misses: 3}))
	if first, second := l.Places[0][0], l.Places[1][0]; first.LastFinish() != 12 || second.FirstFetch != 3 || second.LastFinish() != 9 {
		t.Errorf("places %v and %v", first, second)
	}
	if got, _ := l.Missable(model.Misses.Shape()); !slices.Equal(got, []model.JobID{0, 1}) {
		t.Errorf("missable: %v", got)
	}
	if before, next := l.Before(1), l.Next(0); !slices.Equal(before, []model.StageID{0}) || !slices.Equal(next, []model.StageID{1}) {
		t.Errorf("stages %v before, %v next", before, next)
	}
	l = layOut(query.Within(l.JS, false, nil))
	if len(l.Before(1)) != 0 || len(l.Next(0)) != 0 {
		t.Error("stages of jobs that are out wait")
	}
}

// TestWhatIsTiedBeforeMustBeIn: a gang that a job waits for is laid out as a whole once nothing changes, tasks
// that are apart on the slave where each finishes last; what needs more of a pool than there is in the
// end is over by then. A gang of which tasks were handed out before is in though nothing waits for it.
func TestWhatIsTiedBeforeMustBeIn(t *testing.T) {
	gang, apart := job(model.BestEffort, 0, 3, 2, 2), job(model.BestEffort, 0, 3, 0, 2)
	gang.Stages[0].Gang, apart.Stages[0].Apart = true, true
	down := func(from, to model.Time) func(js *model.JobSet) {
		return func(js *model.JobSet) { js.Slaves[1].Down = []model.Interval{{Start: from, End: to}} }
	}
	pooled := job(model.BestEffort, 0, 3, 0, 2)
	var needs model.Needs
	needs.Cores = 1
	needs.TakePool(0, 2)
	g := &pooled.Stages[0].Groups[0]
	g.Profile = g.Profile.Needing(needs)
	underWay := job(model.BestEffort, 0, 3, 2, 2)
	underWay.Stages[0].Gang, underWay.Stages[0].StartAt = true, 5
	hard := job(model.Hard, 20, 3, 0, 1)
	for _, c := range []struct {
		name   string
		change func(js *model.JobSet)
		jobs   []model.Job
		by     model.Time
	}{
		{"a gang", nil, []model.Job{gang, after(hard, 0)}, 27},
		{"a gang, when all slaves are back", down(50, 60), []model.Job{gang, after(hard, 0)}, 70},
		{"apart", down(20, 30), []model.Job{apart, after(hard, 0)}, 36},
		{"a pool that ends", func(js *model.JobSet) {
			js.Pools = []model.Pool{{Name: "db", Levels: []model.Level{{Amount: 2}, {From: 25, Amount: 1}}}}
		}, []model.Job{pooled, after(hard, 0)}, 25},
		{"a gang under way", nil, []model.Job{underWay, hard}, 27},
	} {
		q := query.Within(twoSlaves(t, c.change, c.jobs...), false, nil)
		if q.Role[0] != query.Must || q.Cap[0] != c.by {
			t.Errorf("%s: role %v by %d, not %d", c.name, q.Role[0], q.Cap[0], c.by)
		}
	}
}
