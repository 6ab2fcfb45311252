package packing

import (
	"downbeat/model"
	"downbeat/model/proof"
)

// unit divides prices of an argument.
const unit = 1 << 24

// argument has the prices in whole numbers.
func (d *dive) argument(within model.Interval) *proof.Packing {
	out := &proof.Packing{Interval: within}
	for i, price := range d.Prices {
		if v := int64(price * unit); v > 0 {
			out.Prices = append(out.Prices, proof.LengthPrice{Length: model.Time(d.lengths[i]), Price: v})
		}
	}
	return out
}
