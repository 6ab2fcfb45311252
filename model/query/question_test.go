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

// TestFixedOf: a fixed task holds what it takes of a pool from its beat to its end; caps are of others.
func TestFixedOf(t *testing.T) {
	one := job(model.Hard, 20, 3, 2, 2)
	one.AtMost = 1
	var needs model.Needs
	needs.Cores = 1
	needs.TakePool(1, 3)
	g := &one.Stages[0].Groups[0]
	g.Profile = g.Profile.Needing(needs)
	js := twoSlaves(t, func(js *model.JobSet) {
		js.Pools = []model.Pool{{Name: "a", Levels: []model.Level{{Amount: 9}}}, {Name: "b", Levels: []model.Level{{Amount: 9}}}}
	}, one)
	q := query.Within(js, false, nil)
	q.Fixed = []query.Fixed{{Task: &js.Tasks[0], Placement: model.Placement{Slave: 1, Beat: 2, Fetch: 3, Start: 6}}}
	for id, want := range []bool{false, true, false} {
		held, needs := q.FixedOf(model.SharedID(id))
		if want != (len(held) == 1) || want && (held[0] != model.Interval{Start: 2, End: 9} || needs[0] != 3) {
			t.Errorf("%s: held in %v, needs %v", js.SharedName(model.SharedID(id)), held, needs)
		}
	}
}
