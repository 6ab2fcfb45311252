package verify

import (
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
)

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
