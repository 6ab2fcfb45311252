package testkit

import (
	"slices"

	"downbeat/model"
)

// Longer is a set with all times so many times as long: the inverse of [model.InTicksOf], of sets that are not coupled by times (C11), and
// of slaves that are always there.
func Longer(js *model.JobSet, by model.Time) *model.JobSet {
	out := *js
	out.Heartbeat *= by
	out.Slaves, out.Jobs, out.Tasks = slices.Clone(js.Slaves), slices.Clone(js.Jobs), slices.Clone(js.Tasks)
	for i := range out.Slaves {
		out.Slaves[i].FirstBeat *= by
	}
	for i := range out.Jobs {
		out.Jobs[i].Release *= by
		out.Jobs[i].Deadline *= by
	}
	times := func(t model.Time) model.Time { return by * t }
	longer := model.NewMapper(times, times)
	for t := range out.Tasks {
		out.Tasks[t].Profile = longer.Profile(out.Tasks[t].Profile)
	}
	out.SetHorizon()
	return &out
}
