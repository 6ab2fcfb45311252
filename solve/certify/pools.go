package certify

import (
	"cmp"
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// byPools refutes a question by prices that the slaves of a pool share: they are prices on
// each of them, and those of what all slaves share stay what they are. It is nil where there are too many of them, or ctx is done.
func byPools(ctx context.Context, js *model.JobSet, q query.Question, b *proof.PoolBound) *proof.Refutation {
	p := &prices{}
	for _, l := range q.Limits {
		shape, pays := l.Objective.Shape(), false
		for i, role := range q.Role {
			pays = pays || role == query.May && shape.Jobs.Has(js.Jobs[i].Kind)
		}
		if pays || !shape.Counts() {
			p.limits = append(p.limits, limitPrice{l.Objective, b.Unit})
		}
	}
	for _, price := range b.Prices {
		if price.Pool < 0 {
			p.of = append(p.of, proof.Multiplier{Slave: model.NoSlave, Shared: price.Shared, Interval: price.Interval, Value: price.Value})
		}
	}
	for s, of := range sharedPrices(js, b) {
		if p.of = append(p.of, onSlave(js, model.SlaveID(s), of)...); len(p.of) > mostPrices || ctx.Err() != nil {
			return nil
		}
	}
	steps := &steps{ctx: ctx}
	steps.infer(byPrices(steps.multipliers(js, p)), nil)
	return steps.refutation(&q)
}

// mostPrices bounds a line: some 60 MB.
const mostPrices = 2_000_000

// sharedPrices are those of the pool of each slave, by resource and time.
func sharedPrices(js *model.JobSet, b *proof.PoolBound) [][]proof.PoolPrice {
	byPool := make([][]proof.PoolPrice, len(b.Pools))
	for _, price := range b.Prices {
		if price.Pool >= 0 {
			byPool[price.Pool] = append(byPool[price.Pool], price)
		}
	}
	out := make([][]proof.PoolPrice, len(js.Slaves))
	for k, slaves := range b.Pools {
		slices.SortFunc(byPool[k], func(x, y proof.PoolPrice) int {
			return cmp.Or(cmp.Compare(x.Resource, y.Resource), cmp.Compare(x.Interval.Start, y.Interval.Start))
		})
		for _, s := range slaves {
			out[s] = byPool[k]
		}
	}
	return out
}

// onSlave are prices of a pool, sorted, as those of one of its slaves: of what it has, while
// it is there.
func onSlave(js *model.JobSet, s model.SlaveID, all []proof.PoolPrice) []proof.Multiplier {
	var out []proof.Multiplier
	for _, has := range js.Supplies(s) {
		from := slices.IndexFunc(all, func(p proof.PoolPrice) bool { return p.Resource == has.Resource })
		if from < 0 {
			continue
		}
		to := from
		for to < len(all) && all[to].Resource == has.Resource {
			to++
		}
		if has.Hold == model.HoldStay {
			out = append(out, atBeats(js, s, all[from:to])...)
			continue
		}
		for _, p := range all[from:to] {
			out = present(js, proof.Multiplier{Slave: s, Resource: p.Resource, Interval: p.Interval, Value: p.Value}, out)
		}
	}
	return out
}

// atBeats has each heartbeat of a slave that is there cost what the ticks until the next one
// do.
func atBeats(js *model.JobSet, s model.SlaveID, of []proof.PoolPrice) []proof.Multiplier {
	var out []proof.Multiplier
	end := of[len(of)-1].Interval.End
	for beat, k := js.Slaves[s].FirstBeat, 0; beat < end; beat += js.Heartbeat {
		for of[k].Interval.End <= beat {
			k++
		}
		value := int64(0)
		for i := k; i < len(of) && of[i].Interval.Start < beat+js.Heartbeat; i++ {
			both := model.Interval{Start: max(beat, of[i].Interval.Start), End: min(beat+js.Heartbeat, of[i].Interval.End)}
			value += of[i].Value * int64(both.Len())
		}
		if value == 0 || slices.ContainsFunc(js.Slaves[s].Down, func(d model.Interval) bool { return d.Start <= beat && beat < d.End }) {
			continue
		}
		if n := len(out) - 1; n >= 0 && out[n].Value == value && out[n].Interval.End+js.Heartbeat == beat+1 {
			out[n].Interval.End = beat + 1
			continue
		}
		out = append(out, proof.Multiplier{Slave: s, Resource: of[0].Resource, Interval: model.Interval{Start: beat, End: beat + 1}, Value: value})
	}
	return out
}
