package policies

import (
	"downbeat/model"
	"downbeat/online"
	"downbeat/online/rtmr"
)

// rtmrEntries are RTMR and the scheduler that its paper holds it against.
func rtmrEntries() []entry {
	beat := Param{"beat", "yes", "yes adds the heartbeat interval to estimates; no is right where it is 1"}
	return []entry{
		{Info{Name: "rtmr", About: "accepts jobs while estimates of all slots let every accepted one be in time, reserves reduce slots", Params: []Param{
			{"order", rtmr.EDF.String(), "of jobs that wait: edf, fifo or llf"},
			{"feedback", "yes", "yes brings estimates up to date when jobs end"},
			{"delta", "typical", "how far from its estimate a job has to end for that, in ticks; typical is a map task's mean time"},
			{"keep", "no", "yes lets feedback only lower the estimates of jobs that have started"},
			{"reserve", "full", "full keeps all reserved reduce slots; printed lets one go, as the paper's algorithm is printed"},
			beat,
			{"learn", "no", "yes estimates from what finished jobs took, not from declared times; blocks likewise, with a block a map as the data"},
			{"mapcost", "0", "with learn=blocks: ticks a block that maps are known to take at the start, 0 if not known"},
			{"reducecost", "0", "with learn=blocks: ticks a block that reduces are known to take at the start, 0 if not known"},
		}}, newRTMR},
		{Info{Name: "dc", About: "Deadline Constraint: the fewest map slots that do, accepted on a look at one moment", Params: []Param{
			{"reduces", "planned", "reduce slots taken at that moment: planned counts all accepted jobs, running only tasks that run now"},
			beat,
		}}, newDC},
	}
}

func newRTMR(a *args) online.Policy {
	opts := rtmr.Default()
	opts.Feedback = a.yesNo("feedback")
	opts.Keep = a.yesNo("keep")
	opts.LiteralReserve = a.word("reserve", "full", "printed") == "printed"
	opts.NoBeat = !a.yesNo("beat")
	learn := a.word("learn", "no", "yes", "blocks")
	opts.Learn, opts.Blocks = learn != "no", learn == "blocks"
	for kind, name := range []string{"mapcost", "reducecost"} {
		opts.Cost[kind] = a.real(name, 0, float64(model.MaxTime))
		if opts.Cost[kind] > 0 && !opts.Blocks {
			a.fail("%s goes with learn=blocks", name)
		}
	}
	opts.Order, _ = rtmr.ParseOrder(a.word("order", rtmr.EDF.String(), rtmr.FIFO.String(), rtmr.LLF.String()))
	if a.text("delta") != "typical" {
		opts.Delta = model.Time(a.whole("delta", 0, int(model.MaxTime)))
	}
	return rtmr.New(opts)
}

func newDC(a *args) online.Policy {
	return rtmr.DeadlineConstraint(rtmr.DeadlineOptions{
		NoBeat:      !a.yesNo("beat"),
		RunningOnly: a.word("reduces", "planned", "running") == "running",
	})
}
