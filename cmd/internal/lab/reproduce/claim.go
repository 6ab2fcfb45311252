package reproduce

import (
	"fmt"
	"math"
	"slices"

	"downbeat/cmd/internal/stats"
)

// verdict is what came of a claim.
type verdict string

// The verdicts.
const (
	// Holds: the direction is shown and the figure is as published, within a tenth of
	// it or the interval.
	Holds verdict = "holds"
	// inShape: the direction is shown, the figure is another.
	inShape verdict = "holds in shape"
	// fails: the opposite is shown, or the figure is of another order.
	fails verdict = "not"
	// unsaid: too few or too short runs to say.
	unsaid verdict = "too little to say"
	// untestable: there is nothing here that could show it, as the reason tells.
	untestable verdict = "cannot be tested"
)

// allVerdicts lists all, best first.
func allVerdicts() []verdict { return []verdict{Holds, inShape, fails, unsaid, untestable} }

// claim is a line of the matrix.
type claim struct {
	// Where is the section, table or figure, Text the claim.
	Where string `json:"where"`
	Text  string `json:"claim"`
	// Setting says on what it was tried where there are several; Inferred that it was
	// chosen because it comes to the published figures.
	Setting  string `json:"setting,omitempty"`
	Inferred bool   `json:"inferred,omitempty"`
	// Published and Ours are figures for people, Ours with a 95 % interval.
	Published string  `json:"published"`
	Ours      string  `json:"ours"`
	Verdict   verdict `json:"verdict"`
	// Reason is why it came out so, a sentence.
	Reason string `json:"reason"`
}

// verdictNear is the verdict on a figure and its published value: a tenth of it, or the
// interval, is near enough. other is the verdict if it is not.
func verdictNear(e estimate, published float64, other verdict) verdict {
	if math.Abs(e.Value-published) <= max(math.Abs(published)/10, e.Half) {
		return Holds
	}
	return other
}

// larger is the verdict on a being above b, compared seed by seed.
func larger(a, b sample) verdict {
	p := stats.Pair(a, b, +1)
	switch {
	case !p.Shows():
		return unsaid
	case p.Difference.Mean > 0:
		return Holds
	default:
		return fails
	}
}

// always is the verdict on a share being whole in every run.
func always(s sample) verdict {
	if slices.ContainsFunc(s, func(v float64) bool { return v < 1 }) {
		return fails
	}
	return Holds
}

// yes is Holds or Fails.
func yes(ok bool) verdict {
	if ok {
		return Holds
	}
	return fails
}

// claim adds a line to the matrix of the document.
func (d *document) Claim(c claim) { d.claims = append(d.claims, c) }

// Matrix writes claims as a table, and what they come to.
func (d *document) Matrix(claims []claim) {
	var rows [][]string
	count := map[verdict]int{}
	for _, c := range claims {
		count[c.Verdict]++
		setting := c.Setting
		if c.Inferred {
			setting += " (inferred)"
		}
		rows = append(rows, []string{c.Where, c.Text, setting, c.Published, c.Ours, string(c.Verdict), c.Reason})
	}
	text := ""
	for _, v := range allVerdicts() {
		if count[v] > 0 {
			text += fmt.Sprintf(", %s %d", v, count[v])
		}
	}
	d.Para("%d lines%s. A figure holds if it is within a tenth of the published one or its 95 %% interval reaches it; a comparison if pairs of runs show it. Settings marked as inferred were chosen because they come to published figures; they show what would explain them, not that it was so.", len(claims), text)
	d.Words([]string{"where", "claim", "setting", "published", "here", "verdict", "reason"}, rows)
}
