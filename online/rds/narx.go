package rds

// The variables of a job's progress model, in this order: y(t−1) … y(t−ny),
// u^m(t−1) … u^m(t−nu), u^r(t−1) … u^r(t−nu), u^m(t), u^r(t), d (Eqs. 4, 5).
// y is the work done in an interval in slot-intervals: what one slot does in
// one interval at declared times. u is slots, averaged over the interval when it
// is measured. d is the declared work of the whole job in slot-intervals.

// kinds of slots, as in model.SlotKind: map and reduce.
const kinds = 2

// narx predicts a job's progress and learns from what it measures. It has the
// job's own copy of the rules.
type narx struct {
	ny, nu int
	rules  []Rule
	rls    *RLS
	y      []float64        // y(t−1) …
	u      [kinds][]float64 // u(t−1) …
	d      float64
}

// variables is the number of variables of a model with the given lags.
func variables(ny, nu int) int { return ny + kinds*nu + kinds + 1 }

func newNARX(o *Options, d float64) *narx {
	m := &narx{ny: o.LagsY, nu: o.LagsU, d: d, y: make([]float64, o.LagsY)}
	for k := range m.u {
		m.u[k] = make([]float64, o.LagsU)
	}
	var w []float64
	for _, r := range o.rules() {
		m.rules = append(m.rules, r.clone())
		w = append(w, r.Coef...)
	}
	m.rls = NewRLS(w, o.Discount, o.Trust)
	return m
}

// at is the vector of variables for slots u in the interval to come.
func (m *narx) at(u [kinds]float64) []float64 {
	v := append([]float64(nil), m.y...)
	for k := range m.u {
		v = append(v, m.u[k]...)
	}
	return append(v, u[0], u[1], m.d)
}

// observe takes in the interval that has just ended and says which sample it
// makes, and how far it was above what was predicted.
func (m *narx) observe(y float64, u [kinds]float64) (s Sample, off float64) {
	s = Sample{m.at(u), y}
	off = m.rls.Update(regressor(m.rules, s.V), y)
	for l, w := 0, m.rls.W(); l < len(m.rules); l++ {
		n := copy(m.rules[l].Coef, w)
		w = w[n:]
	}
	shift(m.y, y)
	for k := range m.u {
		shift(m.u[k], u[k])
	}
	return s, off
}

// shift makes v the newest of the lagged values.
func shift(lags []float64, v float64) {
	if len(lags) > 0 {
		copy(lags[1:], lags)
		lags[0] = v
	}
}

// affine is a constant, first, and a coefficient for each variable of a plan of
// moves: slots of kind k in move i stand at 1 + i·kinds + k.
type affine []float64

func (a affine) add(f float64, b affine) {
	for i := range a {
		a[i] += f * b[i]
	}
}

// The gain of a slot, work per slot-interval held, is kept within these bounds:
// a job that an estimate says cannot be sped up would get nothing, and so never
// show that the estimate was wrong.
const minGain, maxGain = 0.1, 10

// gains is the work that one more slot of each kind does in an interval, by the
// rules that apply with slots u.
func (m *narx) gains(u [kinds]float64) [kinds]float64 { return m.gainsOf(blend(m.rules, m.at(u))) }

func (m *narx) gainsOf(coef []float64) (g [kinds]float64) {
	at := m.ny + kinds*m.nu
	for k := range g {
		g[k] = min(max(minGain, coef[at+k]), maxGain)
	}
	return g
}

// predict gives the progress in each of the next steps as a function of the
// moves; steps beyond the last move keep it. Rules fire throughout as they do
// now with slots u, so that the prediction is affine in the moves and the
// controller's problem quadratic.
func (m *narx) predict(steps, moves int, u [kinds]float64) []affine {
	coef := blend(m.rules, m.at(u))
	gain := m.gainsOf(coef)
	lagged := coef[m.ny:]
	out := make([]affine, steps)
	for i := range out {
		a := make(affine, 1+kinds*moves)
		a[0] = coef[len(coef)-1] + coef[len(coef)-2]*m.d
		for k := range m.ny {
			if i-1-k >= 0 {
				a.add(coef[k], out[i-1-k])
			} else {
				a[0] += coef[k] * m.y[k-i]
			}
		}
		for kind := range kinds {
			a[1+min(i, moves-1)*kinds+kind] += gain[kind]
			for k := range m.nu {
				c := lagged[kind*m.nu+k]
				if i-1-k >= 0 {
					a[1+min(i-1-k, moves-1)*kinds+kind] += c
				} else {
					a[0] += c * m.u[kind][k-i]
				}
			}
		}
		out[i] = a
	}
	return out
}
