// Package durations has the distributions from which the execution times of tasks are
// drawn, as shares of their worst case.
package durations

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"downbeat/online"
)

// Uniform draws evenly between Lo and Hi, 0 < Lo ≤ Hi ≤ 1.
type Uniform struct{ Lo, Hi float64 }

// Factor implements online.Durations.
func (u Uniform) Factor(rng *rand.Rand) float64 { return u.Lo + (u.Hi-u.Lo)*rng.Float64() }

// String implements online.Durations.
func (u Uniform) String() string { return fmt.Sprintf("uniform:%g,%g", u.Lo, u.Hi) }

// Normal draws from a normal distribution cut to (0, 1].
type Normal struct{ Mean, SD float64 }

// Factor implements online.Durations.
func (n Normal) Factor(rng *rand.Rand) float64 {
	return cut(func() float64 { return n.Mean + n.SD*rng.NormFloat64() })
}

// String implements online.Durations.
func (n Normal) String() string { return fmt.Sprintf("normal:%g,%g", n.Mean, n.SD) }

// Lognormal draws e^(Mu + Sigma·Z), Z standard normal, cut to (0, 1].
type Lognormal struct{ Mu, Sigma float64 }

// Factor implements online.Durations.
func (l Lognormal) Factor(rng *rand.Rand) float64 {
	return cut(func() float64 { return math.Exp(l.Mu + l.Sigma*rng.NormFloat64()) })
}

// String implements online.Durations.
func (l Lognormal) String() string { return fmt.Sprintf("lognormal:%g,%g", l.Mu, l.Sigma) }

// Stragglers take all of their worst case with probability Share, others Usual.
type Stragglers struct{ Share, Usual float64 }

// Factor implements online.Durations.
func (s Stragglers) Factor(rng *rand.Rand) float64 {
	if rng.Float64() < s.Share {
		return 1
	}
	return s.Usual
}

// String implements online.Durations.
func (s Stragglers) String() string { return fmt.Sprintf("stragglers:%g,%g", s.Share, s.Usual) }

// cut draws until the value lies in (0, 1]; a distribution that hardly ever
// does is taken at 1.
func cut(draw func() float64) float64 {
	for range 1000 {
		if f := draw(); f > 0 && f <= 1 {
			return f
		}
	}
	return 1
}

// Parse reads "worst" (nil), "uniform:LO,HI", "normal:MEAN,SD",
// "lognormal:MU,SIGMA" or "stragglers:SHARE,USUAL".
func Parse(text string) (online.Durations, error) {
	if text == "" || text == "worst" {
		return nil, nil
	}
	kind, list, _ := strings.Cut(text, ":")
	var a, b float64
	first, second, ok := strings.Cut(list, ",")
	a, errA := strconv.ParseFloat(first, 64)
	b, errB := strconv.ParseFloat(second, 64)
	share := func(v float64) bool { return v > 0 && v <= 1 }
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	if ok && errA == nil && errB == nil && finite(a) && finite(b) {
		switch {
		case kind == "uniform" && share(a) && share(b) && a <= b:
			return Uniform{a, b}, nil
		case kind == "normal" && share(a) && b >= 0:
			return Normal{a, b}, nil
		case kind == "lognormal" && b >= 0:
			return Lognormal{a, b}, nil
		case kind == "stragglers" && a >= 0 && a <= 1 && share(b):
			return Stragglers{a, b}, nil
		}
	}
	return nil, fmt.Errorf("%q is no distribution of durations: write worst, uniform:LO,HI, normal:MEAN,SD, "+
		"lognormal:MU,SIGMA or stragglers:SHARE,USUAL, as factors of the worst case in (0, 1], e.g. uniform:0.5,1", text)
}
