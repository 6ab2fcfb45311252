package query_test

import (
	"slices"
	"testing"

	"downbeat/model"
	"downbeat/model/query"
)

// TestFixedOn: a task that is handed out at 2, fetched from 3 to 5 and run from 6
// to 9 on slave 1 holds the fetch line, a core and a map slot there.
func TestFixedOn(t *testing.T) {
	js := twoSlaves(t, nil, job(model.Hard, 20, 3, 2, 1))
	q := query.Within(js, false, nil)
	q.Fixed = []query.Fixed{{Task: &js.Tasks[0], Placement: model.Placement{Slave: 1, Beat: 2, Fetch: 3, Start: 6}}}
	want := map[model.ResourceID]model.Interval{
		model.Cores: {Start: 6, End: 9}, model.FetchLine: {Start: 3, End: 5}, model.MapSlots: {Start: 2, End: 9},
	}
	for _, supply := range js.Supplies(1) {
		held, needs := q.FixedOn(1, supply)
		if !slices.Equal(held, []model.Interval{want[supply.Resource]}) || !slices.Equal(needs, []int64{1}) {
			t.Errorf("resource %d: held in %v, needs %v, not in %v", supply.Resource, held, needs, want[supply.Resource])
		}
		if held, _ := q.FixedOn(0, supply); held != nil {
			t.Errorf("resource %d of the other slave: held in %v", supply.Resource, held)
		}
	}
}
