package minizinc

import (
	"bufio"
	"fmt"

	"downbeat/model"
)

// Dip is a time in which there are some units fewer of a shared limit than there are at most.
type Dip struct {
	Shared model.SharedID
	model.Interval
	Units int64
}

// Dips are those before the horizon, of all limits.
func Dips(js *model.JobSet, horizon model.Time) []Dip {
	var out []Dip
	for id := range js.Shared() {
		shared := &js.Shared()[id]
		for i, level := range shared.Levels {
			until := horizon
			if i+1 < len(shared.Levels) {
				until = min(horizon, shared.Levels[i+1].From)
			}
			if missing := shared.Most() - level.Amount; missing > 0 && level.From < until {
				out = append(out, Dip{model.SharedID(id), model.Interval{Start: level.From, End: until}, missing})
			}
		}
	}
	return out
}

// Tasks are those of a stage, from its first to its last one.
type Tasks struct{ First, Last model.TaskID }

// Together lists the stages whose tasks start together, and those whose tasks are apart.
func Together(js *model.JobSet) (gangs, apart []Tasks) {
	for st := range model.StageID(js.Stages()) {
		stage, _ := js.Stage(st)
		if stage.IsGang() {
			gangs = append(gangs, Tasks{stage.First, stage.End - 1})
		}
		if stage.IsApart() {
			apart = append(apart, Tasks{stage.First, stage.End - 1})
		}
	}
	return gangs, apart
}

// take is a row of the model's table of what tasks take.
type take struct {
	task model.TaskID
	model.Take
}

// writeShared writes what tasks on all slaves share.
func writeShared(out *bufio.Writer, js *model.JobSet, horizon model.Time) {
	shared, dips := js.Shared(), Dips(js, horizon)
	var takes []take
	for t := range model.TaskID(len(js.Tasks)) {
		for _, of := range js.Takes(t) {
			takes = append(takes, take{t, of})
		}
	}
	fmt.Fprintf(out, "shares = %d;\n", len(shared))
	list(out, "shared_units", shared, func(sh model.Shared) any { return sh.Most() })
	fmt.Fprintf(out, "dips = %d;\n", len(dips))
	list(out, "dip_shared", dips, func(d Dip) any { return d.Shared + 1 })
	list(out, "dip_from", dips, func(d Dip) any { return d.Start })
	list(out, "dip_to", dips, func(d Dip) any { return d.End })
	list(out, "dip_units", dips, func(d Dip) any { return d.Units })
	fmt.Fprintf(out, "takes = %d;\n", len(takes))
	list(out, "take_shared", takes, func(t take) any { return t.Shared + 1 })
	list(out, "take_task", takes, func(t take) any { return t.task + 1 })
	list(out, "take_units", takes, func(t take) any { return t.Units })
	gangs, apart := Together(js)
	writeTasks(out, "gang", gangs)
	writeTasks(out, "apart", apart)
}

func writeTasks(out *bufio.Writer, name string, of []Tasks) {
	fmt.Fprintf(out, "%ss = %d;\n", name, len(of))
	list(out, name+"_first", of, func(t Tasks) any { return t.First + 1 })
	list(out, name+"_last", of, func(t Tasks) any { return t.Last + 1 })
}
