// Package success tells which probes of tasks in every part are worth their steps, by
// what came of those in like circumstances.
package success

import "downbeat/model/proof"

// Rates are success rates of probes by circumstances. Where multipliers refute one probe in a
// hundred it is better to branch sooner, where they refute one in three it is not;
// sets differ so much in this that no branching score told both apart.
type Rates struct {
	// Fixings counts those learnt.
	Fixings int
	last    map[Probe]outcome
	rates   [len(scores) + 1][1 + 2*(len(news)+1)]Rate
}

// Probe is a side of a split that was to be refuted in a number of steps.
type Probe struct {
	Split proof.Split
	Holds bool
	Steps int
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

// Of gives the rate in the circumstances of a probe, where value is that without it.
func (sr *Rates) Of(p Probe, score float64, value int64) *Rate {
	hope := 0
	for hope < len(scores) && score >= scores[hope] {
		hope++
	}
	was, before := sr.last[p]
	if !before {
		return &sr.rates[hope][0]
	}
	past := 1
	for past <= len(news) && sr.Fixings-was.fixings >= news[past-1] {
		past++
	}
	if float64(was.reached+value-was.value) >= short*float64(value) {
		past += len(news) + 1
	}
	return &sr.rates[hope][past]
}

// Note remembers what came of a probe.
func (sr *Rates) Note(p Probe, reached, value int64) {
	if sr.last == nil || len(sr.last) >= mostRemembered {
		sr.last = map[Probe]outcome{}
	}
	sr.last[p] = outcome{reached, value, sr.Fixings}
}

// Rate is how often probes in some circumstances refute, the latest ones most.
type Rate struct {
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

// Hopeful is a rate that begins as after some probes that refuted: for those that save so
// much where they do that the first ones are made in any case.
func Hopeful() Rate { return Rate{refuted: hopeful, all: hopeful} }

// hopeful is how many.
const hopeful = 3

// Worth tells whether to make a probe.
func (r *Rate) Worth() bool {
	if r.refuted+1 >= least*(r.all+benefit) {
		return true
	}
	r.passed++
	return r.passed%again == 0
}

// Note tells what came of one.
func (r *Rate) Note(refuted bool) {
	r.all = float64(fade*r.all) + 1
	r.refuted = float64(fade * r.refuted)
	if refuted {
		r.refuted++
	}
}
