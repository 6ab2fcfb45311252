package lagrange

import (
	"context"

	"downbeat/model"
	"downbeat/model/proof"
)

// unit is the refusal of a job of weight 1, so that prices, which are whole, can
// be fine.
const unit = 1 << 20

// maxWeight keeps sums of prices within an int64.
const maxWeight = 1 << 12

// DefaultSteps is a number of steps after which prices hardly get any better.
const DefaultSteps = 1000

// Late looks for prices that prove that jobs of a certain weight do not finish by
// due (absolute, by JobID), weight[i] being that of job i, 0 for jobs that play
// no part. target is a weight that no bound exceeds. A weight of 0 proves nothing
// and has no prices; so it is where some weight exceeds 4096.
func Late(ctx context.Context, js *model.JobSet, due []model.Time, weight []int64, target int64, steps int) (*proof.DualBound, int64) {
	refusal := make([]int64, len(weight))
	for i, w := range weight {
		if w > maxWeight {
			return nil, 0
		}
		refusal[i] = w * unit
	}
	tf, surplus := rise(ctx, js, due, refusal, steps, (target-1)*unit+1, target*unit)
	if surplus <= 0 {
		return nil, 0
	}
	return tf, Weight(surplus)
}

// Weight is the least weight of late jobs that makes up for a surplus.
func Weight(surplus int64) int64 { return (surplus + unit - 1) / unit }

// rise looks for prices with as much surplus as possible; enough is as much as
// is of use, target as much as there could be.
func rise(ctx context.Context, js *model.JobSet, due []model.Time, refusal []int64, steps int, enough, target int64) (*proof.DualBound, int64) {
	if !fits(js, due, refusal) {
		return nil, 0
	}
	m, impossible := newMarket(js, due, refusal)
	if steps = min(steps, maxWork/(1+m.size)); steps < fewestSteps {
		return nil, 0
	}
	a := newAscent(m, steps)
	a.run(ctx, steps, enough-impossible, target-impossible)
	return m.tariff(a.best), a.value + impossible
}

// Bounds on the goods and on the work of one search for prices, about 3 s; with
// fewer steps than fewestSteps prices are of no use.
const (
	maxGoods    = 4_000_000
	maxWork     = 1_000_000_000
	fewestSteps = 60
	maxPairs    = 3_000_000 // of task and slave, at 100 bytes
)

// fits reports whether a market would not be too large.
func fits(js *model.JobSet, due []model.Time, refusal []int64) bool {
	end := model.Time(0)
	for i, r := range refusal {
		if r > 0 {
			end = max(end, due[i])
		}
	}
	return end < maxGoods && int64(end)*int64(len(js.Slaves)) < maxGoods &&
		int64(len(js.Tasks))*int64(len(js.Slaves)) < maxPairs
}

// tariff lists prices, equal ones of neighbouring ticks together.
func (m *market) tariff(prices []int64) *proof.DualBound {
	tf := &proof.DualBound{Penalty: m.refusal}
	for s := range m.slaves {
		st, id := &m.slaves[s], model.SlaveID(s)
		tf.Multipliers = m.tolls(tf.Multipliers, id, proof.CoreTicks, prices[st.core:])
		tf.Multipliers = m.tolls(tf.Multipliers, id, proof.FetchTicks, prices[st.fetch:])
		for p := range m.js.Slaves[s].Pools() {
			tf.Multipliers = m.tolls(tf.Multipliers, id, [...]proof.Resource{proof.MapSlotTicks, proof.ReduceSlotTicks}[p], prices[st.slot[p]:])
		}
	}
	return tf
}

func (m *market) tolls(tolls []proof.Multiplier, s model.SlaveID, r proof.Resource, prices []int64) []proof.Multiplier {
	var open *proof.Multiplier
	for t, price := range prices[:m.end] {
		at := model.Time(t)
		switch {
		case price == 0:
			open = nil
		case open != nil && open.Value == price:
			open.Interval.End = at + 1
		default:
			tolls = append(tolls, proof.Multiplier{Slave: s, Resource: r, Interval: model.Interval{Start: at, End: at + 1}, Value: price})
			open = &tolls[len(tolls)-1]
		}
	}
	return tolls
}
