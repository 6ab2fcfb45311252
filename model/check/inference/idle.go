package inference

import (
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
)

// idle is what slots or cores stand idle within the argument's interval while the first inputs
// of its jobs are fetched (see [proof.Overload]). A job that is let off its due time does not make
// it less: of fewer tasks the shortest transfers are no shorter.
func (o *Overloads) idle(sh *proof.Overload) int64 {
	slots := sh.Resource == proof.SlotTicks || sh.Resource == proof.MapSlotTicks || sh.Resource == proof.ReduceSlotTicks
	if o.js.Fetch == model.FetchConcurrent || sh.Resource != proof.CoreTicks && !(slots && o.js.Heartbeat == 1) {
		return 0
	}
	release := model.Never
	for _, id := range sh.Jobs {
		release = min(release, o.js.Jobs[id].Release)
	}
	total := int64(0)
	for _, s := range sh.Slaves {
		slave := &o.js.Slaves[s]
		transfers, ok := o.transfersTo(s, sh)
		if !ok || len(slave.Down) > 0 {
			continue
		}
		slices.Sort(transfers)
		if slots { // the first one is taken at once
			transfers = append([]model.Time{0}, transfers...)
		}
		begin := slave.FirstBeat + roundUp(release-slave.FirstBeat, o.js.Heartbeat)
		fetched, units := begin, sh.Resource.Units(o.js, s)
		for k, transfer := range transfers {
			if units == 0 {
				break
			}
			fetched = min(fetched+transfer, model.Never)
			of := int64(1)
			if k == len(transfers)-1 {
				of = units // those beyond the last task are not taken at all
			}
			total += of * int64(sh.Interval.Intersect(model.Interval{Start: begin, End: fetched}).Len())
			units -= of
		}
	}
	return total
}

// transfersTo lists how long the tasks of the argument's jobs fetch on a slave that can run them; ok is
// false where one of them takes several cores.
func (o *Overloads) transfersTo(s model.SlaveID, sh *proof.Overload) (transfers []model.Time, ok bool) {
	for _, id := range sh.Jobs {
		job := &o.js.Jobs[id]
		for t := job.First; t < job.End; t++ {
			task := &o.js.Tasks[t]
			if task.WCET(s) == 0 {
				continue
			}
			if sh.Resource == proof.CoreTicks && o.js.Need(task, s, model.Cores) > 1 {
				return nil, false
			}
			transfers = append(transfers, task.Transfer(s))
		}
	}
	return transfers, true
}
