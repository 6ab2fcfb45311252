package inference

import (
	"slices"

	"downbeat/model"
)

// checkAfter fails if a job comes after one that may be let go, or if the times of later
// jobs may do harm.
//
// Let T be no earlier than the times of all other jobs of the question, the releases and
// deadlines of those that are later, the end of all that is taken, and the times from which
// slaves are gone for good, and what tasks have in common changes. In any plan, take the tasks of later jobs that finish after T. All
// that comes after one of them finishes after T and so is among them; each runs on a slave that
// stays. Lay them out anew from T on, in an order that stages and jobs allow, each where it
// finishes first if it has the cluster to itself, and begin none before the one before it has
// finished. That is a plan, and ends by T' as worked out here. Jobs that were in time have not
// moved, so as many are missed as before.
//
// What takes more of a pool than there is in the end is over by T. Tasks that are apart stay on their
// slaves. A gang is laid out as a whole if one of its tasks finishes after T, which is so late that
// they all begin when slaves stay as they are: on these they were held at once, and can be again.
func (st *state) checkAfter() {
	end := st.js.SettledFrom()
	for k := range st.jobs {
		j := &st.jobs[k]
		for _, before := range st.js.Jobs[j.job].After {
			if b := st.local['J'][before]; b >= 0 && st.jobs[b].role == may {
				st.fail("job %d comes after job %d, which may be let go", j.job, before)
			}
		}
		end = max(end, st.js.Jobs[j.job].Release)
		if due := st.js.Jobs[j.job].Due(); j.role != later {
			end = max(end, j.by)
		} else if due < model.Never {
			end = max(end, due)
		}
	}
	end = max(end, st.gangsOver())
	for _, at := range st.order {
		if of := &st.stages[at]; st.jobs[of.job].role == later {
			end = st.layOut(of, end)
		}
	}
	for k := range st.jobs {
		if j := &st.jobs[k]; j.role == later && j.by < end {
			st.fail("job %d is to finish by %d, but may need until %d", j.job, j.by, end)
		}
	}
}

// gangsOver is when gangs of later jobs are over of which a task begins before all slaves stay as they
// are, and what tasks have in common; 0 where there are none.
func (st *state) gangsOver() model.Time {
	longest, steady := model.Time(0), st.js.SettledFrom()
	for n := range st.stages {
		if of := &st.stages[n]; of.IsGang() && st.jobs[of.job].role == later {
			_, run := st.longest(of)
			longest = max(longest, run)
		}
	}
	if longest == 0 {
		return 0
	}
	for s := range st.js.Slaves {
		for _, away := range st.js.Slaves[s].Down {
			if away.End < model.Never {
				steady = max(steady, away.End)
			}
		}
	}
	return steady + longest
}

// longest is the sum of what tasks of a stage take to be fetched at the most, and the longest that
// one runs.
func (st *state) longest(of *stage) (fetches, run model.Time) {
	for t := of.First; t < of.End && !st.stopped(); t++ {
		most := model.Time(0)
		for s := range model.SlaveID(len(st.js.Slaves)) {
			if e, c := st.lengths(t, s); e > 0 && st.js.Slaves[s].GoneFrom() > 0 {
				most, run = max(most, c), max(run, e)
			}
		}
		fetches += most
	}
	return fetches, run
}

// layOut is by when the tasks of a stage have finished that are laid out from a time on: one after the
// other, each where it finishes first, or on any slave where they are apart; or as a gang, fetched
// one after the other.
func (st *state) layOut(of *stage, from model.Time) model.Time {
	if of.IsGang() {
		start := from
		for s := range model.SlaveID(len(st.js.Slaves)) {
			if st.js.Slaves[s].GoneFrom() == model.Never {
				start = max(start, st.beatFrom(s, from))
			}
		}
		fetches, run := st.longest(of)
		return start + fetches + run
	}
	for t := of.First; t < of.End && !st.stopped(); t++ {
		finish := st.firstFinish(t, from)
		if of.IsApart() {
			finish = st.lastFinish(t, from)
		}
		if finish < model.Never && !st.tooMuch(t) { // else it is over by T
			from = finish
		}
	}
	return from
}

// lastFinish is when a task finishes that is handed out as soon as it can be from a time on, on the
// slave where it is last of those that stay; that time where none does.
func (st *state) lastFinish(t model.TaskID, from model.Time) model.Time {
	last := from
	for s := range model.SlaveID(len(st.js.Slaves)) {
		if run, fetch := st.lengths(t, s); run > 0 && st.js.Slaves[s].GoneFrom() == model.Never {
			last = max(last, st.earliest(s, from, fetch+run)+fetch+run)
		}
	}
	return last
}

// tooMuch reports whether a task takes more of what tasks have in common than there is in the end.
func (st *state) tooMuch(t model.TaskID) bool {
	return slices.ContainsFunc(st.js.Takes(t), func(k model.Take) bool { return k.Units > st.js.Shared()[k.Shared].Last() })
}
