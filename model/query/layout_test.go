package query_test

import (
	"slices"
	"testing"

	"downbeat/model"
	"downbeat/model/query"
)

// job has stages of the given numbers of equal tasks, each running for wcet
// after a transfer.
func job(kind model.JobKind, deadline, wcet, transfer model.Time, counts ...int) model.Job {
	j := model.Job{Kind: kind, Deadline: deadline, Weight: 3}
	for _, n := range counts {
		j.Stages = append(j.Stages, model.Stage{Groups: []model.Group{
			{Count: n, Profile: model.NewProfile(model.ConstRow(2, wcet), model.ConstRow(2, transfer))},
		}})
	}
	return j
}

// twoSlaves assembles jobs on slave 0, which has no more slots than cores, and
// slave 1, which has more; both have heartbeats at 0, 1, 2, ….
func twoSlaves(t *testing.T, change func(js *model.JobSet), jobs ...model.Job) *model.JobSet {
	t.Helper()
	js := &model.JobSet{Heartbeat: 1, Jobs: jobs, Slaves: []model.Slave{
		{Name: "few", Cores: 2, Slots: 2}, {Name: "many", Cores: 2, Slots: 3},
	}}
	if change != nil {
		change(js)
	}
	for i := range js.Jobs {
		js.Jobs[i].Name = string(rune('a' + i))
		for si := range js.Jobs[i].Stages {
			js.Jobs[i].Stages[si].Name = string(rune('p' + si))
		}
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

func layOut(q query.Question) *query.Layout {
	l := query.NewLayout(q)
	l.PlaceTasks()
	return l
}

// TestWhereFetchIsTiedToStart: R = S − C where cores cannot be short, where
// nothing is fetched and where fetches do not get in each other's way.
func TestWhereFetchIsTiedToStart(t *testing.T) {
	concurrent := func(js *model.JobSet) { js.Fetch = model.FetchConcurrent }
	fifo := func(js *model.JobSet) { js.FIFO = true }
	for _, c := range []struct {
		name        string
		change      func(*model.JobSet)
		transfer    model.Time
		tied        [2]bool
		coresCanBe  [2]bool
		fetchOnLine bool
	}{
		{"one fetch at a time", nil, 2, [2]bool{true, false}, [2]bool{false, true}, true},
		{"no transfer", nil, 0, [2]bool{true, true}, [2]bool{false, true}, true},
		{"concurrent", concurrent, 2, [2]bool{true, true}, [2]bool{false, true}, false},
		{"fifo", fifo, 2, [2]bool{false, false}, [2]bool{false, true}, true},
		{"fifo, no transfer", fifo, 0, [2]bool{true, true}, [2]bool{false, true}, true},
	} {
		l := layOut(query.Within(twoSlaves(t, c.change, job(model.Hard, 20, 3, c.transfer, 1)), false, nil))
		for s, place := range l.Places[0] {
			has := func(r model.ResourceID) bool {
				return slices.ContainsFunc(l.Supplies[s], func(p model.Supply) bool { return p.Resource == r })
			}
			if place.Tied != c.tied[s] || has(model.Cores) != c.coresCanBe[s] || has(model.FetchLine) != c.fetchOnLine || !has(model.MapSlots) {
				t.Errorf("%s, slave %d: tied %v, supplies %v", c.name, s, place.Tied, l.Supplies[s])
			}
		}
	}
}

// TestWhatIsSettled: jobs that are late alone are out, and missed whatever the
// plan; one whose critical path ends after its deadline is missed as well.
func TestWhatIsSettled(t *testing.T) {
	js := twoSlaves(t, nil,
		job(model.Soft, 4, 5, 0, 1), job(model.Soft, 9, 5, 0, 1), job(model.Hard, 4, 5, 0, 1), job(model.Hard, 9, 5, 0, 1))
	lim := query.Limits{model.Misses: 5, model.HardMisses: 1}

	l := query.NewLayout(query.Within(js, true, lim))
	if want := []query.Role{query.Out, query.May, query.Out, query.May}; !slices.Equal(l.Role, want) {
		t.Errorf("roles %v, not %v", l.Role, want)
	}
	soft, missed := l.Missable(model.Misses.Shape())
	hard, hardMissed := l.Missable(model.HardMisses.Shape())
	if missed != 3 || hardMissed != 1 || l.Impossible >= 0 {
		t.Errorf("%d and %d hard are missed, impossible %d", missed, hardMissed, l.Impossible)
	}
	if !slices.Equal(soft, []model.JobID{1}) || !slices.Equal(hard, []model.JobID{3}) {
		t.Errorf("missable %v and %v", soft, hard)
	}

	if l = query.NewLayout(query.Within(js, false, lim)); l.Impossible != 2 || l.Role[2] != query.Out {
		t.Errorf("a hard job that is late alone: impossible %d, role %d", l.Impossible, l.Role[2])
	}

	lim = query.Limits{model.Misses: 5, model.WeightedTardiness: 12}
	l = query.NewLayout(query.Within(js, true, lim))
	if soft, missed = l.Missable(model.Misses.Shape()); !slices.Equal(soft, []model.JobID{1}) || missed != 3 {
		t.Errorf("late for sure: missable %v, %d are missed", soft, missed)
	}
	delays, base := l.Delayable(model.WeightedTardiness.Shape())
	if want := []query.Delay{{Job: 0, First: 5, Last: 8}, {Job: 1, First: 9, Last: 13}}; !slices.Equal(delays, want) || base != 3 {
		t.Errorf("delays %v, not %v; %d at least", delays, want, base)
	}
}

// TestPlaces: a task has places where its window and its restriction leave it
// some, and slaves list the same.
func TestPlaces(t *testing.T) {
	js := twoSlaves(t, nil, job(model.Hard, 12, 3, 1, 2, 1))
	q := query.Within(js, false, nil)
	want := query.Place{Slave: 0, WCET: 3, Transfer: 1, FirstFetch: 0, LastStart: 5, Tied: true}
	l := layOut(q)
	if got := l.Places[0]; len(got) != 2 || got[0] != want {
		t.Errorf("places %v, not first %v", got, want)
	}
	if p := l.Places[0][0]; p.FirstStart() != 1 || p.LastFetch() != 4 || p.LastFinish() != 8 {
		t.Errorf("start from %d, fetch to %d, finish by %d", p.FirstStart(), p.LastFetch(), p.LastFinish())
	}
	pairs := 0
	for a, b := range l.EqualPairs {
		if pairs++; a != 0 || b != 1 {
			t.Errorf("tasks %d and %d are not equal", a, b)
		}
	}
	if pairs != 1 {
		t.Errorf("%d equal pairs, not 1", pairs)
	}

	free := query.Restriction{To: 12}
	q.Restrict = []query.Restriction{{Slaves: []model.SlaveID{1}, From: 2, To: 7}, free, {From: 9, To: 12}}
	l = layOut(q)
	if got := l.Places[0]; len(got) != 1 || got[0].Slave != 1 || got[0].FirstFetch != 2 || got[0].LastStart != 4 {
		t.Errorf("restricted: places %v", got)
	}
	if got := l.Places[2]; len(got) != 0 {
		t.Errorf("without room: places %v", got)
	}
	if got, want := l.BySlave[1], []query.Candidate{{Task: 0, Index: 0}, {Task: 1, Index: 1}}; !slices.Equal(got, want) {
		t.Errorf("candidates %v, not %v", got, want)
	}
	for range l.EqualPairs {
		t.Error("tasks with different restrictions are not equal")
	}
}

// TestTiedInGangs: tasks of a gang wait for each other with their inputs there, if there are any.
func TestTiedInGangs(t *testing.T) {
	gang, empty := job(model.Hard, 20, 3, 2, 2), job(model.Hard, 20, 3, 0, 2)
	gang.Stages[0].Gang, empty.Stages[0].Gang = true, true
	l := layOut(query.Within(twoSlaves(t, nil, job(model.Hard, 20, 3, 2, 2), gang, empty), false, nil))
	for k, want := range []bool{true, false, true} {
		if got := l.Places[2*k][0].Tied; got != want {
			t.Errorf("job %d: tied %t", k, got)
		}
	}
}
