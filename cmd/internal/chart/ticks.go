package chart

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// ticks label an axis at multiples of 1, 2 or 5 times a power of ten, most labels at most,
// with as many decimals as tell them apart: 2500, not 2500.00.
type ticks struct{ most int }

// Ticks implements plot.Ticker.
func (t ticks) Ticks(lo, hi float64) []plot.Tick {
	step := niceStep(hi-lo, t.most)
	var list []plot.Tick
	for k := math.Ceil(lo/step - 1e-9); k*step <= hi+step*1e-9; k++ {
		list = append(list, plot.Tick{Value: k * step, Label: tickLabel(k*step, step)})
	}
	return list
}

// niceStep parts a span at most into so many steps.
func niceStep(span float64, most int) float64 {
	if !(span > 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(span/float64(most))))
	for _, factor := range []float64{1, 2, 5} {
		if span/(factor*power) <= float64(most) {
			return factor * power
		}
	}
	return 10 * power
}

// tickLabel writes a value to the decimals of a step, with commas between thousands.
func tickLabel(v, step float64) string {
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	whole, part, _ := strings.Cut(text, ".")
	minus := strings.HasPrefix(whole, "-")
	whole = strings.TrimPrefix(whole, "-")
	for i := len(whole) - 3; i > 0 && len(whole) > 4; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if part != "" {
		whole += "." + part
	}
	if minus && strings.Trim(whole, "0.,") != "" {
		whole = "-" + whole
	}
	return whole
}

// countedTicks label the points of a horizontal axis, and under each how many values stand
// behind it where that differs; as many as there is room for.
type countedTicks struct {
	counts []Count
	// most labels.
	most int
}

// Ticks implements plot.Ticker.
func (t countedTicks) Ticks(lo, hi float64) []plot.Tick {
	each := max(1, (len(t.counts)+t.most-1)/t.most)
	list := make([]plot.Tick, len(t.counts))
	for i, k := range t.counts {
		list[i].Value = k.X
		if i%each != 0 {
			continue
		}
		list[i].Label = levelLabel(k.X, hi-lo)
		if !t.even() {
			list[i].Label += fmt.Sprintf("\nn=%d", k.N)
		}
	}
	return list
}

// levelLabel writes a point of an axis of that length to three digits of it.
func levelLabel(x, span float64) string {
	text := tickLabel(x, math.Pow(10, math.Floor(math.Log10(span))-2))
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// even reports whether all points have as many values.
func (t countedTicks) even() bool {
	for _, k := range t.counts {
		if k.N != t.counts[0].N {
			return false
		}
	}
	return true
}

// each says how many values stand behind each point.
func (t countedTicks) each() string {
	least, most := t.counts[0].N, t.counts[0].N
	for _, k := range t.counts {
		least, most = min(least, k.N), max(most, k.N)
	}
	if least == most {
		return fmt.Sprintf("n = %d at each point", least)
	}
	return fmt.Sprintf("n = %d to %d at a point", least, most)
}
