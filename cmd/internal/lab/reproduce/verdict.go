package reproduce

import (
	"math"
	"slices"

	"downbeat/cmd/internal/stats"
)

// verdict is what came of a claim.
type verdict string

// The verdicts.
const (
	// Holds: wherever in its interval the figure is, the claim is true of it.
	Holds verdict = "holds"
	// inShape: wherever it is, it is on the claimed side of no effect; that it is as published is
	// not shown.
	inShape verdict = "holds in shape"
	// fails: wherever it is, the claim is not true of it, nor the direction.
	fails verdict = "not"
	// unsaid: some of the interval says one thing and some another, or there is none.
	unsaid verdict = "too little to say"
	// untestable: there is nothing here that could show it, as the reason tells.
	untestable verdict = "cannot be tested"
)

// allVerdicts lists all, best first.
func allVerdicts() []verdict { return []verdict{Holds, inShape, fails, unsaid, untestable} }

// ruleText states the rule of all verdicts, for reports.
const ruleText = "One rule for all lines. A claim is a range of values of a figure, and runs leave an interval that holds the figure in 95 of 100 cases: the claim *holds* if the whole interval lies in the range, is *not* so if the whole interval lies outside, and otherwise there is *too little to say*. A wide interval shows nothing. " +
	"The range of a published figure is a tenth of it to either side; that of a comparison is all on the claimed side of zero, of differences by pairs of runs on the same job sets, and of \"every\" at least 95 of 100 cases, where one against it refutes. " +
	"Effects have a direction besides, such as a reduction, or a share that is not the whole: where all of the interval is at least a tenth of the published effect, the claim *holds in shape*, and it is *not* so only where all of it is less. " +
	"A comparison of published figures is *not* so, too, where the interval reaches zero and ends below a tenth of their difference, or below the margin that its line names. " +
	"What nothing random goes into is known exactly."

// span is the values from one end to another, both among them.
type span struct{ low, high float64 }

// contains reports whether the figure is among the values, wherever in its interval it is.
func (s span) contains(e estimate) bool { return s.low <= e.Low && e.High <= s.high }

// apart reports whether it is not, wherever in its interval it is.
func (s span) apart(e estimate) bool { return e.High < s.low || s.high < e.Low }

// above and below are the values on one side of an end, which is not among them.
func above(end float64) span { return span{math.Nextafter(end, math.Inf(1)), math.Inf(1)} }
func below(end float64) span { return span{math.Inf(-1), math.Nextafter(end, math.Inf(-1))} }

// tolerance is the share of a published figure, or effect, that makes no difference.
const tolerance = 0.1

// around is the values that are as good as the published one.
func around(published float64) span {
	off := tolerance * math.Abs(published)
	return span{published - off, published + off}
}

// criterion is a claim as values of a figure.
type criterion struct {
	// holds are the values of which the claim is true; of those outside of shape it is not true,
	// nor its direction.
	holds, shape span
}

// judge is the rule of all verdicts; [ruleText] states it.
func (c criterion) judge(e estimate) verdict {
	switch {
	case !e.fixed():
		return unsaid
	case c.holds.contains(e):
		return Holds
	case c.shape.apart(e):
		return fails
	case c.shape.contains(e):
		return inShape
	default:
		return unsaid
	}
}

// among is the claim that a figure is one of these values.
func among(s span) criterion { return criterion{s, s} }

// figure is the claim that a figure is as published. It has no direction.
func figure(published float64) criterion { return among(around(published)) }

// effect is the claim that a figure is as published where none is its value without the effect
// that it shows.
func effect(published, none float64) criterion {
	least := none + tolerance*(published-none)
	if published < none {
		return criterion{around(published), span{math.Inf(-1), least}}
	}
	return criterion{around(published), span{least, math.Inf(1)}}
}

// atLeast is the claim that an effect, a share or a factor less one, is as large as published or
// larger.
func atLeast(published float64) criterion {
	return criterion{span{published, math.Inf(1)}, span{tolerance * published, math.Inf(1)}}
}

// more is the claim that a difference is above zero; published is the difference in the paper, 0
// where it has none.
func more(published float64) criterion {
	return criterion{above(0), above(tolerance * published)}
}

// larger is the verdict on a being above b, compared seed by seed.
func larger(a, b sample) verdict { return more(0).judge(difference(a, b)) }

// always is the verdict on a share being whole in every run: one run in which it is not settles it,
// and as long as there is none, how many runs there are.
func always(s sample) verdict {
	whole := estimateOf(stats.ShareOf(len(s), len(s)))
	if slices.ContainsFunc(s, func(v float64) bool { return v < 1 }) {
		whole = exactly(0)
	}
	return among(span{0.95, 1}).judge(whole)
}

// yes is the verdict on what is known exactly.
func yes(ok bool) verdict {
	known := exactly(0)
	if ok {
		known = exactly(1)
	}
	return figure(1).judge(known)
}
