package testkit

import (
	"fmt"
	"slices"

	"downbeat/model"
)

// UnderWay is a set without FIFO on whose slaves some tasks run already at time 0, as draw says, which gives a number below n: of rest what they hold is
// reserved, of whole they are further jobs, the tasks of which are where places says. Slaves that are away for a time, or not there at 0, have none.
func UnderWay(js *model.JobSet, draw func(n int) int) (rest, whole *model.JobSet, places []model.Placement) {
	rest, whole = clone(js), clone(js)
	zero := model.ConstRow(len(js.Slaves), 0)
	for s := range js.Slaves {
		slave := &rest.Slaves[s]
		if slave.FirstBeat > 0 || len(slave.Down) > 0 {
			continue
		}
		for range draw(1 + min(slave.Cores, slave.PoolSize(0))) {
			end := model.Time(1 + draw(8))
			hold := model.Interval{End: end}
			slave.Reservations = append(slave.Reservations,
				model.Reservation{Resource: model.Cores, Interval: hold, Units: 1}, model.Reservation{Resource: model.MapSlots, Interval: hold, Units: 1})
			of := model.NewProfile(zero.With([]model.SlaveID{model.SlaveID(s)}, end), zero)
			whole.Jobs = append(whole.Jobs, model.Job{
				Name: fmt.Sprintf("under way %d", len(places)), Kind: model.BestEffort,
				Stages: []model.Stage{{Name: "all", Groups: []model.Group{{Count: 1, Profile: of.Needing(model.Needs{Cores: 1})}}}},
			})
			places = append(places, model.Placement{Slave: model.SlaveID(s)})
		}
	}
	for _, of := range []*model.JobSet{rest, whole} {
		if err := of.Assemble(); err != nil {
			panic(err)
		}
	}
	return rest, whole, places
}

// clone is a set that is to be assembled anew.
func clone(js *model.JobSet) *model.JobSet {
	out := *js
	out.Tasks, out.Slaves, out.Jobs = nil, slices.Clone(js.Slaves), slices.Clone(js.Jobs)
	for i := range out.Jobs {
		out.Jobs[i].Stages = slices.Clone(out.Jobs[i].Stages)
	}
	return &out
}
