package heuristics_test

import (
	"context"
	"fmt"

	"downbeat/heuristics"
	"downbeat/model"
)

// Two jobs on one core, by shortest work and by deadline: the short job first is
// one deadline missed, the urgent one first is none.
func Example() {
	job := func(name string, count int, deadline model.Time) model.Job {
		fetchOneRunTwo := model.NewProfile(model.ConstRow(1, 2), model.ConstRow(1, 1))
		return model.Job{Name: name, Kind: model.Soft, Deadline: deadline, Stages: []model.Stage{
			{Name: "map", Groups: []model.Group{{Count: count, Profile: fetchOneRunTwo}}},
		}}
	}
	js := &model.JobSet{
		Heartbeat: 1, Slaves: []model.Slave{{Name: "s1", Cores: 1, Slots: 2}},
		Jobs: []model.Job{job("urgent", 2, 5), job("short", 1, 9)},
	}
	if err := js.Assemble(); err != nil {
		fmt.Println(err)
		return
	}
	figures := heuristics.NewFigures(js)
	for _, key := range []heuristics.Key{heuristics.ShortestWork, heuristics.Deadline} {
		board := heuristics.NewBoard(figures, 1)
		board.Construct(context.Background(), heuristics.Rule{Keys: []heuristics.Key{key}}.Order(figures), heuristics.Deferral{})
		for i, finish := range js.Finishes(board.Place) {
			fmt.Printf("%s finishes at %d, late by %d\n", js.Jobs[i].Name, finish, js.Jobs[i].Late(finish))
		}
	}
	// Output:
	// urgent finishes at 7, late by 2
	// short finishes at 3, late by 0
	// urgent finishes at 5, late by 0
	// short finishes at 7, late by 0
}
