package query_test

import (
	"fmt"
	"slices"
	"testing"

	"downbeat/model"
	"downbeat/model/query"
)

// TestEqualSlaves: slaves are equal if what they have and what tasks take on them
// is.
func TestEqualSlaves(t *testing.T) {
	slave := model.Slave{Cores: 1, Slots: 2}
	late := slave
	late.FirstBeat = 1
	near := func(js *model.JobSet) {
		// Slaves 0 to 3 run the first job alike; slave 3 has the second one's input.
		js.Slaves = []model.Slave{slave, slave, late, slave}
		for i := range js.Slaves {
			js.Slaves[i].Name = fmt.Sprint("s", i)
		}
		alike := model.NewProfile(model.ConstRow(4, 3), model.ConstRow(4, 2))
		local := model.NewProfile(model.ConstRow(4, 3), model.DenseRow([]model.Time{2, 2, 2, 0}))
		js.Jobs[0].Stages[0].Groups[0].Profile = alike
		js.Jobs[1].Stages[0].Groups[0].Profile = local
	}
	js := twoSlaves(t, near, job(model.Hard, 20, 3, 2, 1), job(model.Hard, 20, 3, 2, 1))
	q := query.Within(js, false, nil)
	for _, c := range []struct {
		tasks []model.TaskID
		want  string
	}{{[]model.TaskID{0}, "[[0 1 3]]"}, {[]model.TaskID{0, 1}, "[[0 1]]"}} {
		if got := fmt.Sprint(q.EqualSlaves(c.tasks)); got != c.want {
			t.Errorf("for tasks %v: %s, not %s", c.tasks, got, c.want)
		}
	}
	q.Restrict = make([]query.Restriction, 2)
	if got := q.EqualSlaves([]model.TaskID{0}); got != nil {
		t.Errorf("with restrictions: %v", got)
	}
}

// TestEqualPairsOfJobs: jobs of a single stage are as one stage if nothing but the
// time by which they finish is asked, and others are ordered by their first tasks.
func TestEqualPairsOfJobs(t *testing.T) {
	js := twoSlaves(t, nil, job(model.Soft, 30, 3, 2, 2), job(model.Soft, 30, 3, 2, 1), job(model.Soft, 29, 3, 2, 1),
		job(model.Soft, 30, 3, 2, 1, 2), job(model.Soft, 30, 3, 2, 1, 2))
	for _, c := range []struct {
		lim  query.Limits
		want string
	}{
		{query.Limits{model.Tardiness: 5}, "0=1 1=2 5=6 4=7 8=9 "},
		{query.Limits{model.Makespan: 50}, "0=1 1=2 2=3 5=6 4=7 8=9 "},
		{query.Limits{model.Makespan: 50, model.Misses: 1}, "0=1 5=6 4=7 8=9 "},
		{query.Limits{model.Misses: 1}, "0=1 5=6 8=9 "},
	} {
		var got string
		for a, b := range layOut(query.Within(js, false, c.lim)).EqualPairs {
			got += fmt.Sprint(a, "=", b, " ")
		}
		if got != c.want {
			t.Errorf("%v: %s, not %s", c.lim, got, c.want)
		}
	}
	q := query.Within(js, false, query.Limits{model.Tardiness: 5})
	q.Restrict = make([]query.Restriction, len(js.Tasks))
	for i := range q.Restrict {
		q.Restrict[i].To = 100
	}
	q.Restrict[6].To = 99 // of the second stage of one of the twins
	for a, b := range layOut(q).EqualPairs {
		if a == 4 && b == 7 {
			t.Error("jobs with different restrictions are not equal")
		}
	}
}

// TestEqualPairsOfStages: of jobs that differ tasks are equal within a stage only.
func TestEqualPairsOfStages(t *testing.T) {
	js := twoSlaves(t, nil, job(model.Hard, 30, 3, 2, 3, 2), job(model.Hard, 30, 3, 2, 1))
	var got string
	for a, b := range layOut(query.Within(js, false, nil)).EqualPairs {
		got += fmt.Sprint(a, "=", b, " ")
	}
	if got != "0=1 1=2 3=4 " {
		t.Errorf("equal: %s", got)
	}
}

// TestEqualPairsOfLinkedJobs: jobs are equal only if they come before and after the same
// ones, and by the same stages.
func TestEqualPairsOfLinkedJobs(t *testing.T) {
	one, two := job(model.Soft, 30, 3, 2, 1), job(model.Soft, 30, 3, 2, 1, 1)
	side := job(model.Soft, 30, 3, 2, 1, 1)
	side.Stages[1].After = []int32{}
	for _, c := range []struct {
		jobs []model.Job
		want string
	}{
		{[]model.Job{one, one, one}, "0=1 1=2 "},
		{[]model.Job{one, after(one, 0), after(one, 0)}, "1=2 "},
		{[]model.Job{one, one, one, after(two, 0, 1)}, "0=1 "},
		{[]model.Job{two, two, two, after(one, 0, 1)}, "0=2 "},
		{[]model.Job{one, after(two, 0), two, after(two, 0)}, "1=5 "},
		{[]model.Job{two, side, two, side}, "0=4 2=6 "},
	} {
		var got string
		for a, b := range layOut(query.Within(twoSlaves(t, nil, c.jobs...), false, query.Limits{model.Tardiness: 5})).EqualPairs {
			got += fmt.Sprint(a, "=", b, " ")
		}
		if got != c.want {
			t.Errorf("equal: %s, not %s", got, c.want)
		}
	}
}

// TestEqualPairsOfTiedJobs: jobs with a cap, a gang or tasks that are apart are not as one stage, and
// are equal only if these are.
func TestEqualPairsOfTiedJobs(t *testing.T) {
	capped := func(j model.Job, of int64) model.Job {
		j.AtMost = of
		return j
	}
	staged := func(j model.Job, change func(st *model.Stage)) model.Job {
		j.Stages = slices.Clone(j.Stages)
		change(&j.Stages[0])
		return j
	}
	one, two := job(model.Soft, 30, 3, 2, 2), job(model.Soft, 30, 3, 2, 2, 1)
	gang := func(st *model.Stage) { st.Gang = true }
	for _, c := range []struct {
		jobs []model.Job
		want string
	}{
		{[]model.Job{one, one}, "0=1 1=2 2=3 "},
		{[]model.Job{capped(one, 1), capped(one, 1)}, "0=1 2=3 "},
		{[]model.Job{staged(one, gang), staged(one, gang)}, "0=1 2=3 "},
		{[]model.Job{one, staged(one, func(st *model.Stage) { st.Apart = true }), one}, "0=1 2=3 1=4 4=5 "},
		{[]model.Job{two, two}, "0=1 0=3 3=4 "},
		{[]model.Job{capped(two, 2), capped(two, 2)}, "0=1 0=3 3=4 "},
		{[]model.Job{two, capped(two, 2)}, "0=1 3=4 "},
		{[]model.Job{two, staged(two, gang)}, "0=1 3=4 "},
		{[]model.Job{two, staged(two, func(st *model.Stage) { st.AtMost = 1 })}, "0=1 3=4 "},
	} {
		var got string
		for a, b := range layOut(query.Within(twoSlaves(t, nil, c.jobs...), false, query.Limits{model.Tardiness: 5})).EqualPairs {
			got += fmt.Sprint(a, "=", b, " ")
		}
		if got != c.want {
			t.Errorf("equal: %s, not %s", got, c.want)
		}
	}
}
