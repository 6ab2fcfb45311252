package heuristics

import (
	"math"
	"slices"

	"downbeat/model"
)

// offers are when slaves would finish a typical task of a kin, by option. The best is the
// one that finishes first, of equal ones that of the first option. Options lie in blocks, as
// many as one has options: of the hundreds that are entered for a few tasks only some are
// ever looked at again, which a heap, to be built first, would not repay.
type offers struct {
	finish []model.Time
	// first is by block the best option in it.
	first []int32
	// bits is the binary logarithm of the options of a block.
	bits int
}

// withdrawn comes after every finish.
const withdrawn model.Time = math.MaxInt64

// resize makes room for so many offers, which are to be entered in finish.
func (o *offers) resize(n int) {
	for o.bits = 0; n > 1<<(2*o.bits); o.bits++ {
	}
	blocks := (n + 1<<o.bits - 1) >> o.bits
	o.finish = slices.Grow(o.finish[:0], n)[:n]
	o.first = slices.Grow(o.first[:0], blocks)[:blocks]
}

// entered is for when all offers have been.
func (o *offers) entered() {
	for block := range o.first {
		o.renew(block)
	}
}

// renew finds the best option of a block.
func (o *offers) renew(block int) {
	from := block << o.bits
	best, least := from, o.finish[from]
	for i, t := range o.finish[from:min(from+1<<o.bits, len(o.finish))] {
		if t < least {
			best, least = from+i, t
		}
	}
	o.first[block] = int32(best)
}

// best is the best option, and when it finishes: withdrawn if all are.
func (o *offers) best() (option int32, finish model.Time) {
	finish = withdrawn
	for _, i := range o.first {
		if t := o.finish[i]; t < finish {
			option, finish = i, t
		}
	}
	return option, finish
}

// set changes an offer.
func (o *offers) set(option int32, finish model.Time) {
	o.finish[option] = finish
	o.renew(int(option) >> o.bits)
}
