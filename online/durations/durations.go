// Package durations has the distributions from which the execution times of tasks are
// drawn, as shares of their worst case. Shares above 1 are those of tasks that overrun.
package durations

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"downbeat/online"
)

// Uniform draws evenly between Lo and Hi, 0 < Lo ≤ Hi.
type Uniform struct{ Lo, Hi float64 }

// Factor implements online.Durations.
func (u Uniform) Factor(rng *rand.Rand) float64 { return u.Lo + (u.Hi-u.Lo)*rng.Float64() }

// Most implements online.Durations.
func (u Uniform) Most() float64 { return u.Hi }

// String implements online.Durations.
func (u Uniform) String() string { return fmt.Sprintf("uniform:%g,%g", u.Lo, u.Hi) }

// Normal draws from a normal distribution cut to (0, Cut].
type Normal struct{ Mean, SD, Cut float64 }

// Factor implements online.Durations.
func (n Normal) Factor(rng *rand.Rand) float64 {
	return cut(n.Cut, func() float64 { return n.Mean + n.SD*rng.NormFloat64() })
}

// Most implements online.Durations.
func (n Normal) Most() float64 { return n.Cut }

// String implements online.Durations.
func (n Normal) String() string { return text("normal", n.Mean, n.SD, n.Cut) }

// Lognormal draws e^(Mu + Sigma·Z), Z standard normal, cut to (0, Cut].
type Lognormal struct{ Mu, Sigma, Cut float64 }

// Factor implements online.Durations.
func (l Lognormal) Factor(rng *rand.Rand) float64 {
	return cut(l.Cut, func() float64 { return math.Exp(l.Mu + l.Sigma*rng.NormFloat64()) })
}

// Most implements online.Durations.
func (l Lognormal) Most() float64 { return l.Cut }

// String implements online.Durations.
func (l Lognormal) String() string { return text("lognormal", l.Mu, l.Sigma, l.Cut) }

// Stragglers take Slow of their worst case with probability Share, others Usual.
type Stragglers struct{ Share, Usual, Slow float64 }

// Factor implements online.Durations.
func (s Stragglers) Factor(rng *rand.Rand) float64 {
	if rng.Float64() < s.Share {
		return s.Slow
	}
	return s.Usual
}

// Most implements online.Durations.
func (s Stragglers) Most() float64 { return max(s.Usual, s.Slow) }

// String implements online.Durations.
func (s Stragglers) String() string { return text("stragglers", s.Share, s.Usual, s.Slow) }

// text is a distribution as Parse reads it; a last figure of 1 goes unsaid.
func text(kind string, a, b, last float64) string {
	if last == 1 {
		return fmt.Sprintf("%s:%g,%g", kind, a, b)
	}
	return fmt.Sprintf("%s:%g,%g,%g", kind, a, b, last)
}

// cut draws until the value lies in (0, most]; a distribution that hardly ever
// does is taken at the most.
func cut(most float64, draw func() float64) float64 {
	for range 1000 {
		if f := draw(); f > 0 && f <= most {
			return f
		}
	}
	return most
}

// mostFactor is the largest factor that can be asked for.
const mostFactor = 100

// Parse reads "worst" (nil), "history" (as the job set tells, one draw for each group), "history:task", "uniform:LO,HI", "normal:MEAN,SD[,MOST]",
// "lognormal:MU,SIGMA[,MOST]" or "stragglers:SHARE,USUAL[,SLOW]". Factors are at most
// 100, MOST and SLOW are 1 where they are left out.
func Parse(text string) (online.Durations, error) {
	switch text {
	case "", "worst":
		return nil, nil
	case "history":
		return online.History{}, nil
	case "history:task":
		return online.History{ByTask: true}, nil
	}
	kind, list, _ := strings.Cut(text, ":")
	if d := distribution(kind, figures(list)); d != nil {
		return d, nil
	}
	return nil, fmt.Errorf("%q is no distribution of durations: write worst, uniform:LO,HI, normal:MEAN,SD[,MOST], "+
		"lognormal:MU,SIGMA[,MOST] or stragglers:SHARE,USUAL[,SLOW], as factors of the worst case above 0, %d at most, "+
		"e.g. uniform:0.5,1; or history or history:task", text, mostFactor)
}

// figures are the numbers of a list with commas; nil if one is none.
func figures(list string) []float64 {
	var out []float64
	for part := range strings.SplitSeq(list, ",") {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		out = append(out, v)
	}
	return out
}

// distribution is the one of a kind with two figures, and a third where it takes one;
// nil if there is none such.
func distribution(kind string, f []float64) online.Durations {
	factor := func(v float64) bool { return v > 0 && v <= mostFactor }
	two := len(f) == 2
	if two {
		f = append(f, 1)
	}
	switch {
	case len(f) != 3 || !factor(f[2]):
		return nil
	case kind == "uniform" && two && factor(f[0]) && factor(f[1]) && f[0] <= f[1]:
		return Uniform{f[0], f[1]}
	case kind == "normal" && factor(f[0]) && f[0] <= f[2] && f[1] >= 0:
		return Normal{f[0], f[1], f[2]}
	case kind == "lognormal" && f[1] >= 0:
		return Lognormal{f[0], f[1], f[2]}
	case kind == "stragglers" && f[0] >= 0 && f[0] <= 1 && factor(f[1]):
		return Stragglers{f[0], f[1], f[2]}
	}
	return nil
}
