package online

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"downbeat/model"
)

// Options of a run. The zero value is worst-case times without failures.
type Options struct {
	// Seed of durations and failures; the same seed gives every policy the same.
	Seed uint64
	// Durations draws how long tasks take in fact; nil: all of their worst case.
	Durations Durations
	// Faults lets slaves fail; nil: they do not.
	Faults *Faults
	// Trace records decisions, see Outcome.Trace.
	Trace bool
}

// Durations draws what share of its worst-case execution time an attempt takes
// in fact. Transfers take what is declared.
type Durations interface {
	// Factor is in (0, 1].
	Factor(rng *rand.Rand) float64
	// String is the form that ParseDurations reads.
	String() string
}

// length is the execution time of an attempt at t, at least one tick, fractions
// rounded up. It hangs on seed, task and attempt (from 0), so that every policy
// meets the same.
func (o *Options) length(t model.TaskID, attempt int32, wcet model.Time) model.Time {
	if o.Durations == nil {
		return wcet
	}
	rng := rand.New(rand.NewPCG(o.Seed, uint64(attempt)<<32|uint64(t)))
	f := o.Durations.Factor(rng)
	return min(wcet, max(1, model.Time(math.Ceil(f*float64(wcet)))))
}

// Uniform draws evenly between Lo and Hi, 0 < Lo ≤ Hi ≤ 1.
type Uniform struct{ Lo, Hi float64 }

// Factor implements Durations.
func (u Uniform) Factor(rng *rand.Rand) float64 { return u.Lo + (u.Hi-u.Lo)*rng.Float64() }

// String implements Durations.
func (u Uniform) String() string { return fmt.Sprintf("uniform:%g,%g", u.Lo, u.Hi) }

// Normal draws from a normal distribution cut to (0, 1].
type Normal struct{ Mean, SD float64 }

// Factor implements Durations.
func (n Normal) Factor(rng *rand.Rand) float64 {
	return cut(func() float64 { return n.Mean + n.SD*rng.NormFloat64() })
}

// String implements Durations.
func (n Normal) String() string { return fmt.Sprintf("normal:%g,%g", n.Mean, n.SD) }

// Lognormal draws e^(Mu + Sigma·Z), Z standard normal, cut to (0, 1].
type Lognormal struct{ Mu, Sigma float64 }

// Factor implements Durations.
func (l Lognormal) Factor(rng *rand.Rand) float64 {
	return cut(func() float64 { return math.Exp(l.Mu + l.Sigma*rng.NormFloat64()) })
}

// String implements Durations.
func (l Lognormal) String() string { return fmt.Sprintf("lognormal:%g,%g", l.Mu, l.Sigma) }

// Stragglers take all of their worst case with probability Share, others Usual.
type Stragglers struct{ Share, Usual float64 }

// Factor implements Durations.
func (s Stragglers) Factor(rng *rand.Rand) float64 {
	if rng.Float64() < s.Share {
		return 1
	}
	return s.Usual
}

// String implements Durations.
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

// ParseDurations reads "worst" (nil), "uniform:LO,HI", "normal:MEAN,SD",
// "lognormal:MU,SIGMA" or "stragglers:SHARE,USUAL".
func ParseDurations(text string) (Durations, error) {
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

// Faults lets every slave fail and come back, at exponential times.
type Faults struct {
	// MTBF > 0 is the mean time between coming back and failing, MTTR > 0 the
	// mean time away, both in ticks.
	MTBF, MTTR float64
}

// faultStream draws one slave's failures.
type faultStream struct{ rng *rand.Rand }

// after is an exponential time with the given mean, at least one tick.
func (f faultStream) after(mean float64) model.Time {
	return max(1, model.Time(math.Ceil(mean*f.rng.ExpFloat64())))
}

// faultStream is the one of slave i.
func (o *Options) faultStream(i int) faultStream {
	return faultStream{rand.New(rand.NewPCG(o.Seed, 1<<63|uint64(i)))}
}
