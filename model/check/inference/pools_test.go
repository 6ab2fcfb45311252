package inference_test

import (
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/proof"
)

// argument is a well-formed one about a small set.
func argument() (*model.JobSet, *proof.LateCosts, *proof.PoolBound) {
	js := gen.Small(3, 8)
	q := &proof.LateCosts{Due: make([]model.Time, len(js.Jobs)), Weight: make([]int64, len(js.Jobs)), PerTick: make([]int64, len(js.Jobs))}
	for i := range js.Jobs {
		q.Due[i], q.Weight[i] = js.Jobs[i].Release+40, 1
	}
	var all []model.SlaveID
	for s := range js.Slaves {
		all = append(all, model.SlaveID(s))
	}
	b := &proof.PoolBound{Step: 2, Unit: 100, Pools: [][]model.SlaveID{all}}
	b.Prices = []proof.PoolPrice{{Pool: 0, Resource: model.Cores, Interval: model.Interval{Start: 4, End: 20}, Value: 3}}
	return js, q, b
}

// TestMalformed: what does not hang together is refused, and said why.
func TestMalformed(t *testing.T) {
	js, q, b := argument()
	if _, err := inference.Pools(t.Context(), js, q, b); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(q *proof.LateCosts, b *proof.PoolBound){
		"due times":       func(q *proof.LateCosts, _ *proof.PoolBound) { q.Due = q.Due[1:] },
		"steps of 0":      func(_ *proof.LateCosts, b *proof.PoolBound) { b.Step = 0 },
		"units of 0":      func(_ *proof.LateCosts, b *proof.PoolBound) { b.Unit = 0 },
		"a weight of -1":  func(q *proof.LateCosts, _ *proof.PoolBound) { q.Weight[0] = -1 },
		"a weight of 92":  func(q *proof.LateCosts, _ *proof.PoolBound) { q.Weight[0] = 1<<63 - 1 },
		"is due at -1":    func(q *proof.LateCosts, _ *proof.PoolBound) { q.Due[0] = -1 },
		"per tick":        func(q *proof.LateCosts, _ *proof.PoolBound) { q.PerTick[0] = -1 },
		"in a pool":       func(_ *proof.LateCosts, b *proof.PoolBound) { b.Pools = append(b.Pools, b.Pools[0][:1]) },
		"in no pool":      func(_ *proof.LateCosts, b *proof.PoolBound) { b.Pools[0] = b.Pools[0][1:] },
		"in pool 1":       func(_ *proof.LateCosts, b *proof.PoolBound) { b.Prices[0].Pool = 1 },
		"price from":      func(_ *proof.LateCosts, b *proof.PoolBound) { b.Prices[0].Interval.End++ },
		"price of 0":      func(_ *proof.LateCosts, b *proof.PoolBound) { b.Prices[0].Value = 0 },
		"too high":        func(_ *proof.LateCosts, b *proof.PoolBound) { b.Prices[0].Value = 1 << 55 },
		"two prices at 4": func(_ *proof.LateCosts, b *proof.PoolBound) { b.Prices = append(b.Prices, b.Prices[0]) },
	} {
		js, q, b := argument()
		spoil(q, b)
		if _, err := inference.Pools(t.Context(), js, q, b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}
