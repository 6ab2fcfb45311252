package lagrange

import "downbeat/model/proof"

// odds tell which probes of tasks in every case are worth their steps, by what came
// of those in like circumstances. Where prices refute one probe in a hundred it is
// better to split sooner, where they refute one in three it is not; sets differ so
// much in this that no promise told both apart.
type odds struct {
	// learnt counts facts.
	learnt int
	last   map[probe]outcome
	rates  [len(promises) + 1][1 + 2*(len(news)+1)]rate
}

// probe is a side of a split that was to be refuted in a number of steps.
type probe struct {
	split proof.Split
	holds bool
	steps int
}

// outcome is what prices came to and what they were worth without the probe, and
// the facts learnt by then.
type outcome struct {
	reached, value int64
	learnt         int
}

// Circumstances: the promise of a probe; and if it was made before, what was learnt
// since, and whether it fell short then by more than has been gained since, most of
// it.
var (
	promises = [...]float64{0.03, 0.2, 0.5}
	news     = [...]int{4, 16, 64}
)

// short is the part of what is missing that an earlier probe may have fallen short
// by, less what has been gained since, and be close.
const short = 0.4

// mostRemembered bounds the probes that are remembered, at about 100 bytes each.
const mostRemembered = 1 << 16

// of gives the rate in the circumstances of a probe, where prices are worth value
// without it.
func (o *odds) of(p probe, promise float64, value int64) *rate {
	hope := 0
	for hope < len(promises) && promise >= promises[hope] {
		hope++
	}
	was, before := o.last[p]
	if !before {
		return &o.rates[hope][0]
	}
	past := 1
	for past <= len(news) && o.learnt-was.learnt >= news[past-1] {
		past++
	}
	if float64(was.reached+value-was.value) >= short*float64(value) {
		past += len(news) + 1
	}
	return &o.rates[hope][past]
}

// note remembers what came of a probe.
func (o *odds) note(p probe, reached, value int64) {
	if o.last == nil || len(o.last) >= mostRemembered {
		o.last = map[probe]outcome{}
	}
	o.last[p] = outcome{reached, value, o.learnt}
}

// rate is how often probes in some circumstances refute, the latest ones most.
type rate struct {
	refuted, all float64
	passed       int
}

// fade is the weight of the past, least the rate from which probes are worth it,
// and benefit the number of probes, one refuted, with which a rate begins. Of those
// that are not worth it one in again is made all the same.
const (
	fade    = 0.99
	least   = 0.3
	benefit = 8
	again   = 50
)

// worth tells whether to make a probe.
func (r *rate) worth() bool {
	if r.refuted+1 >= least*(r.all+benefit) {
		return true
	}
	r.passed++
	return r.passed%again == 0
}

func (r *rate) note(refuted bool) {
	r.all = float64(fade*r.all) + 1
	r.refuted = float64(fade * r.refuted)
	if refuted {
		r.refuted++
	}
}
