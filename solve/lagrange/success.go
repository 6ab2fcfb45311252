package lagrange

import (
	"sync"

	"downbeat/model/proof"
)

// successRates tell which probes of tasks in every part are worth their steps, by what
// came of those in like circumstances. Where multipliers refute one probe in a hundred it
// is better to branch sooner, where they refute one in three it is not; sets differ so
// much in this that no branching score told both apart.
type successRates struct {
	mu sync.Mutex
	// fixings counts those learnt.
	fixings int
	last    map[probe]outcome
	rates   [len(scores) + 1][1 + 2*(len(news)+1)]successRate
}

// probe is a side of a split that was to be refuted in a number of steps.
type probe struct {
	split proof.Split
	holds bool
	steps int
}

// outcome is the value that multipliers came to and the one without the probe, and
// the fixings learnt by then.
type outcome struct {
	reached, value int64
	fixings        int
}

// Circumstances: the branching score of a probe; and if it was made before, what
// was learnt since, and whether it fell short then by more than has been gained
// since, most of it.
var (
	scores = [...]float64{0.03, 0.2, 0.5}
	news   = [...]int{4, 16, 64}
)

// short is the part of what is missing that an earlier probe may have fallen short
// by, less what has been gained since, and be close.
const short = 0.4

// mostRemembered bounds the probes that are remembered, at about 100 bytes each.
const mostRemembered = 1 << 16

// of gives the rate in the circumstances of a probe, where value is that without it.
func (sr *successRates) of(p probe, score float64, value int64) *successRate {
	sr.mu.Lock()
	defer sr.mu.Unlock()
	hope := 0
	for hope < len(scores) && score >= scores[hope] {
		hope++
	}
	was, before := sr.last[p]
	if !before {
		return &sr.rates[hope][0]
	}
	past := 1
	for past <= len(news) && sr.fixings-was.fixings >= news[past-1] {
		past++
	}
	if float64(was.reached+value-was.value) >= short*float64(value) {
		past += len(news) + 1
	}
	return &sr.rates[hope][past]
}

// worth tells whether to make a probe of which this is the rate.
func (sr *successRates) worth(r *successRate) bool {
	sr.mu.Lock()
	defer sr.mu.Unlock()
	return r.worth()
}

// learnt counts a fixing.
func (sr *successRates) learnt() {
	sr.mu.Lock()
	defer sr.mu.Unlock()
	sr.fixings++
}

// note remembers what came of a probe, of which r is the rate.
func (sr *successRates) note(p probe, r *successRate, refuted bool, reached, value int64) {
	sr.mu.Lock()
	defer sr.mu.Unlock()
	r.note(refuted)
	if sr.last == nil || len(sr.last) >= mostRemembered {
		sr.last = map[probe]outcome{}
	}
	sr.last[p] = outcome{reached, value, sr.fixings}
}

// successRate is how often probes in some circumstances refute, the latest ones most.
type successRate struct {
	refuted, all float64
	passed       int
}

// fade is the weight of the past, leastRate the rate from which probes are worth it,
// and benefit the number of probes, one refuted, with which a rate begins. Of those
// that are not worth it one in again is made all the same.
const (
	fade      = 0.99
	leastRate = 0.3
	benefit   = 8
	again     = 50
)

// hopefulRate is a rate that begins as after some probes that refuted: for those that save so
// much where they do that the first ones are made in any case.
func hopefulRate() successRate { return successRate{refuted: hopeful, all: hopeful} }

// hopeful is how many.
const hopeful = 3

// worth tells whether to make a probe.
func (r *successRate) worth() bool { return r.atLeast(leastRate) }

// atLeast is worth for probes that are so from another rate on.
func (r *successRate) atLeast(least float64) bool {
	if r.refuted+1 >= least*(r.all+benefit) {
		return true
	}
	r.passed++
	return r.passed%again == 0
}

// note tells what came of one.
func (r *successRate) note(refuted bool) {
	r.all = float64(fade*r.all) + 1
	r.refuted = float64(fade * r.refuted)
	if refuted {
		r.refuted++
	}
}
