package policies

import (
	"downbeat/model"
	"downbeat/online"
	"downbeat/online/rtmr"
)

// rtmrEntries are RTMR and the scheduler that its paper holds it against.
func rtmrEntries() []entry {
	beat := Param{"beat", "yes", "yes adds the heartbeat interval to estimates; no is right where it is 1"}
	learning := []Param{
		{"learn", "no", "yes estimates from what finished jobs took, not from declared times; blocks likewise, with a block a map as the data"},
		{"mapcost", "0", "with learn=blocks: ticks a block that maps are known to take at the start, 0 if not known"},
		{"reducecost", "0", "with learn=blocks: ticks a block that reduces are known to take at the start, 0 if not known"},
	}
	return []entry{
		{Info{Name: "rtmr", About: "accepts jobs while estimates of all slots let every accepted one be in time, reserves reduce slots", Params: []Param{
			{"order", rtmr.EDF.String(), "of jobs that wait: edf, fifo or llf"},
			{"feedback", "yes", "yes brings estimates up to date when jobs end"},
			{"delta", "typical", "how far from its estimate a job has to end for that, in ticks; typical is a map task's mean time"},
			{"keep", "no", "yes lets feedback only lower the estimates of jobs that have started"},
			{"reserve", "full", "full keeps all reserved reduce slots; printed lets one go, as the paper's algorithm is printed; strict lets no reduces start before those of jobs ahead can"},
			beat, learning[0], learning[1], learning[2],
		}}, newRTMR},
		{Info{Name: "dc", About: "Deadline Constraint: the fewest map slots that do, accepted on a look at one moment", Params: []Param{
			{"reduces", "planned", "reduce slots taken at that moment: planned counts all accepted jobs, running only tasks that run now"},
			beat, learning[0], learning[1], learning[2],
		}}, newDC},
	}
}

func newRTMR(a *args) online.Policy {
	opts := rtmr.Default()
	opts.Feedback = a.yesNo("feedback")
	opts.Keep = a.yesNo("keep")
	opts.Reserve = map[string]rtmr.Reserve{"printed": rtmr.Printed, "strict": rtmr.Strict}[a.word("reserve", "full", "printed", "strict")]
	opts.NoBeat = !a.yesNo("beat")
	opts.Learning = a.learning()
	opts.Order, _ = rtmr.ParseOrder(a.word("order", rtmr.EDF.String(), rtmr.FIFO.String(), rtmr.LLF.String()))
	if a.text("delta") != "typical" {
		opts.Delta = model.Time(a.whole("delta", 0, int(model.MaxTime)))
	}
	return rtmr.New(opts)
}

// learning are the parameters of estimates from history.
func (a *args) learning() (l rtmr.Learning) {
	learn := a.word("learn", "no", "yes", "blocks")
	l.Learn, l.Blocks = learn != "no", learn == "blocks"
	for kind, name := range []string{"mapcost", "reducecost"} {
		l.Cost[kind] = a.real(name, 0, float64(model.MaxTime))
		if l.Cost[kind] > 0 && !l.Blocks {
			a.fail("%s goes with learn=blocks", name)
		}
	}
	return l
}

func newDC(a *args) online.Policy {
	return rtmr.DeadlineConstraint(rtmr.DeadlineOptions{
		NoBeat:      !a.yesNo("beat"),
		RunningOnly: a.word("reduces", "planned", "running") == "running",
		Learning:    a.learning(),
	})
}
