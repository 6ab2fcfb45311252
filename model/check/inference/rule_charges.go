package inference

import (
	"cmp"
	"fmt"
	"slices"

	"downbeat/model"
)

// ChargeWord is the word that a charge begins with.
const ChargeWord = "charge"

// charge says how much of what a job pays is charged to another that comes after it, or to itself.
type charge struct {
	of, to int32
	each   int64
}

// readCharge reads charge.J.J.V.
func (st *state) readCharge(m *multipliers) {
	c := charge{of: int32(st.readArg('J')), to: int32(st.readArg('J')), each: st.number(1, mostWorth)}
	if n := len(m.charges); n > 0 && cmp.Or(cmp.Compare(m.charges[n-1].of, c.of), cmp.Compare(m.charges[n-1].to, c.to)) >= 0 {
		st.fail("charges that do not ascend")
	}
	m.charges = append(m.charges, c)
}

// overcharged: as overpaid, but jobs that are charged pay that in time, and for being late otherwise.
func (st *state) overcharged(a []int64) error {
	m := st.multipliers[a[0]]
	if m == nil || len(m.charges) == 0 {
		return fmt.Errorf("there are no charges in line %d", a[0])
	}
	to := map[int32]int64{}
	for _, c := range m.charges {
		to[c.to] = plus(to[c.to], c.each)
	}
	if err := st.chargeable(m, to); err != nil {
		return err
	}
	return st.overpay(a[0], func(m *multipliers) int64 { return m.worth }, func(m *multipliers, k int32) int64 {
		if all, is := to[k]; is {
			return st.paysCharged(m, k, all)
		}
		return st.pays(m, k)
	})
}

// paysCharged is the least that a job pays of which so much is charged to it in time.
func (st *state) paysCharged(m *multipliers, k int32, all int64) int64 {
	end, due := st.is[st.jobs[k].end], st.js.Jobs[st.jobs[k].job].Due()
	missed, letGo := st.missed(m, k)
	switch {
	case st.letGo(k):
		return letGo
	case !st.in(k):
		return min(all, letGo)
	case end.last <= due:
		return all
	case end.first > due:
		return missed
	}
	return min(all, missed)
}

// chargeable checks that if some jobs are in time what is charged to them of a job, with what it pays anyway, is no more than it pays for the one of
// them for which that is most.
func (st *state) chargeable(m *multipliers, to map[int32]int64) error {
	type part struct{ pays, each int64 }
	pressed := map[int32][]model.Time{}
	for n := 0; n < len(m.charges) && !st.stopped(); {
		of, sum := m.charges[n].of, int64(0)
		if _, is := to[of]; !is {
			sum = st.pays(m, of)
		}
		var parts []part
		for ; n < len(m.charges) && m.charges[n].of == of; n++ {
			c := m.charges[n]
			if pressed[c.to] == nil {
				pressed[c.to] = st.pressed(c.to)
			}
			pays, comes := st.paysFor(m, of, pressed[c.to])
			if !comes {
				return fmt.Errorf("job %d is charged to job %d, which does not come after it", st.jobs[of].job, st.jobs[c.to].job)
			}
			parts = append(parts, part{pays, c.each})
		}
		slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.pays, b.pays) })
		for _, p := range parts {
			if sum = plus(sum, p.each); sum > p.pays {
				return fmt.Errorf("of job %d %d are charged, and it may pay %d", st.jobs[of].job, sum, p.pays)
			}
		}
	}
	return nil
}

// pressed are the times by which stages end if a job ends in time: its own, and those that have to be over when others of them are handed out at the
// latest; Never of others.
func (st *state) pressed(k int32) []model.Time {
	by := slices.Repeat([]model.Time{model.Never}, len(st.stages))
	j := &st.jobs[k]
	for n := j.stage; n < j.lastStage; n++ {
		by[n] = min(j.by, st.js.Jobs[j.job].Due())
	}
	for _, at := range slices.Backward(st.order) {
		of, handed := &st.stages[at], model.Never
		for t := of.First; t < of.End && by[at] < model.Never && !st.stopped(); t++ {
			last := model.Time(-1)
			for s := range model.SlaveID(len(st.js.Slaves)) {
				if run, fetch := st.lengths(t, s); run > 0 {
					_, by, _ := st.stays(s, fetch+run, of.ready, by[at])
					last = max(last, by)
				}
			}
			handed = min(handed, last)
		}
		for _, before := range of.before {
			by[before] = min(by[before], handed)
		}
	}
	return by
}

// paysFor is the least that a job pays whose stages end by some times; comes is false where these are Never.
func (st *state) paysFor(m *multipliers, k int32, by []model.Time) (least int64, comes bool) {
	j, end := &st.jobs[k], model.Time(-1)
	defer st.undo(len(st.trail))
	for n := j.stage; n < j.lastStage; n++ {
		end = max(end, by[n])
		st.lower(st.stages[n].over, by[n])
	}
	if end >= model.Never {
		return 0, false
	}
	return st.cheapest(m, k, min(j.by, end)), true
}
