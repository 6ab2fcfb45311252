package rds

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"downbeat/model"
	"downbeat/online"
)

// Forecast predicts a non-negative quantity, one value per interval, from its
// history, oldest first: the values of the steps next intervals.
//
// The one-step predictor is Eq. 10, r(t) = a_1 r(t−1) + … + a_n r(t−n), iterated as in
// Table II. Where coef is nil its coefficients, as many as the order, are fitted by least
// squares to the last window values. The paper says neither how long the window is nor what
// happens at the beginning: while there are fewer than two values per coefficient the order is
// lowered, one value is repeated, and of none follows 0. With fitted coefficients the first
// value stands for those before it. Predictions are kept within 0 and most, so that an
// unstable fit cannot run away.
func Forecast(history, coef []float64, order, window, steps int, most float64) []float64 {
	if len(history) > window {
		history = history[len(history)-window:]
	}
	out := make([]float64, steps)
	if len(history) == 0 {
		return out
	}
	if coef == nil {
		coef = FitCapacity([][]float64{history}, min(order, len(history)/2))
	}
	series := append([]float64(nil), history...)
	for i := range out {
		next := 0.0
		for k, c := range coef {
			next += c * series[max(0, len(series)-1-k)]
		}
		out[i] = min(max(0, next), most)
		series = append(series, out[i])
	}
	return out
}

// FitCapacity is a_1 … a_n of Eq. 10, the shortest of those that fit best to some series of
// readings, oldest first; those that are not longer than the order say nothing. Order 0, or
// series that say nothing, mean r(t) = r(t−1).
func FitCapacity(days [][]float64, order int) []float64 {
	var rows, values []float64
	for _, day := range days {
		for t := order; order > 0 && t < len(day); t++ {
			for k := range order {
				rows = append(rows, day[t-1-k])
			}
			values = append(values, day[t])
		}
	}
	if len(values) == 0 {
		return []float64{1}
	}
	return leastSquares(mat.NewDense(len(values), order, rows), values)
}

// capacity is an amount of slots: all of them in resource units, and those of
// each kind, on slaves that tell kinds apart or not.
type capacity [1 + kinds]float64

func (c *capacity) add(s *model.Slave, share float64) {
	c[0] += share * float64(min(s.Cores, s.TotalSlots()))
	for k := range kinds {
		c[1+k] += share * float64(s.PoolSize(s.Pool(model.SlotKind(k))))
	}
}

// read takes a reading of the capacity that is there now.
func (p *Policy) read(v *online.View) {
	var there capacity
	slots := 0
	p.split = false
	for s := range v.Slaves() {
		spec := &v.Slaves()[s]
		p.split = p.split || spec.SplitSlots
		if v.Up(model.SlaveID(s)) {
			there.add(spec, 1)
			slots += spec.TotalSlots()
		}
	}
	if slots > 0 {
		p.slot = there[0] / float64(slots)
	}
	for i, r := range p.readings {
		p.readings[i] = append(r, there[i])[max(0, len(r)+1-p.opts.Window):]
	}
}

// forecast is the capacity in intervals t … t+H_p: the first as read, the
// others predicted or declared. pools is nil unless kinds are told apart.
func (p *Policy) forecast(v *online.View) (all []float64, pools *[kinds][]float64) {
	var series [1 + kinds][]float64
	whole := p.whole(v)
	var declared []capacity
	if p.opts.Declared {
		declared = p.declared(v)
	}
	for i, r := range p.readings {
		p.forecasts.ask()
		p.forecasts.add(whole[i])
		p.forecasts.add(r...)
		ahead := slices.Clone(p.forecasts.answer(func() []float64 {
			return Forecast(r, p.opts.Coefficients, p.opts.Order, p.opts.Window, p.opts.Steps, whole[i])
		}))
		if p.opts.Declared {
			for k := range ahead {
				ahead[k] = declared[k][i]
			}
		}
		series[i] = append([]float64{r[len(r)-1]}, ahead...)
	}
	if !p.split {
		return series[0], nil
	}
	for k := range kinds {
		for i := range series[1+k] {
			series[1+k][i] *= p.slot
		}
	}
	return series[0], &[kinds][]float64{series[1], series[2]}
}

// whole is the capacity of all slaves.
func (p *Policy) whole(v *online.View) (c capacity) {
	for s := range v.Slaves() {
		c.add(&v.Slaves()[s], 1)
	}
	return c
}

// declared is the mean capacity in intervals t+1 … t+H_p but for declared
// absences.
func (p *Policy) declared(v *online.View) []capacity {
	out := make([]capacity, p.opts.Steps)
	for i := range out {
		span := model.Interval{Start: v.Now() + model.Time(i+1)*p.interval, End: v.Now() + model.Time(i+2)*p.interval}
		for s := range v.Slaves() {
			spec := &v.Slaves()[s]
			out[i].add(spec, float64(up(spec, span))/float64(span.Len()))
		}
	}
	return out
}

// up is for how long of a span a slave is there, as far as is declared.
func up(spec *model.Slave, span model.Interval) (ticks model.Time) {
	for from := spec.BackAt(span.Start); from < span.End; {
		away := min(spec.UpUntil(from), span.End)
		ticks += away - from
		from = spec.BackAt(away)
	}
	return ticks
}
