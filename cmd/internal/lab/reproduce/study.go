package reproduce

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/bench/present"
	"downbeat/cmd/internal/schedulers"
	"downbeat/cmd/internal/stats"
)

// byNumber is the literal reading of §5.1 (a).
const byNumber = "penn-edf-first:first=number"

// pennContenders are the fourteen of §5.1 with three that everyone knows and the literal
// reading of one.
func pennContenders() []string {
	out := []string{"fifo", "edf", "llf"}
	for _, name := range schedulers.Names() {
		if strings.HasPrefix(name, "penn-") {
			out = append(out, name)
		}
	}
	return append(out, byNumber)
}

// studyBudget bounds the search for the optima of one set of the study, in units of work.
const studyBudget = 10_000

// study runs the policies and the optimum over real-time sets.
func study(ctx context.Context, o Options, text, sweep string) (*bench.Config, []*bench.Record, error) {
	values, err := bench.ParseSweep(sweep)
	if err != nil {
		return nil, nil, err
	}
	seeds := make([]uint64, o.Seeds)
	for i := range seeds {
		seeds[i] = uint64(i + 1)
	}
	sets, err := bench.FromWorkloads([]string{text}, values, seeds, nil)
	if err != nil {
		return nil, nil, err
	}
	c := &bench.Config{Policies: pennContenders(), New: schedulers.New, Budget: studyBudget, SolverSeed: 1, Workers: 1}
	records, err := Collect(ctx, o, "study "+text, len(sets), func(ctx context.Context, i int) (*bench.Record, error) {
		one, err := bench.Run(ctx, c, sets[i:i+1], nil, nil)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		return one[0], nil
	})
	return c, records, err
}

// drawn are the policies in figures; with all of them lines lie on each other.
var drawn = []string{"fifo", "edf", "penn-edf-first", byNumber, "penn-edf-best", "penn-llf-best", "penn-swcet-best", "penn-random-best"}

// only leaves some policies of a study.
func only(c *bench.Config, records []*bench.Record, names []string) (*bench.Config, []*bench.Record) {
	few := *c
	few.Policies = names
	var out []*bench.Record
	for _, r := range records {
		one := *r
		one.Cells = slices.DeleteFunc(slices.Clone(r.Cells), func(cell bench.Cell) bool { return !slices.Contains(names, cell.Policy) })
		out = append(out, &one)
	}
	return &few, out
}

// writeHard is the comparison that §5.1 announces, with hard deadlines.
func writeHard(ctx context.Context, d *document, o Options) error {
	c, records, err := study(ctx, o, "realtime", fmt.Sprintf("utilisation=0.2..0.9/%d", o.Few(8, 2)))
	if err != nil {
		return err
	}
	s := c.Summarize(records, nil)
	d.Heading(2, "The online heuristics against the optimum (§5.1)")
	d.Para("The paper announces this study and leaves it open. Job sets are those of the real-time community's generator on a Penn platform, %d for each utilisation; every optimum has %d units of work. *First* is the slave that is asked first of those on which a task is estimated in time; `first=number` is the literal reading, the one with the lowest number, free or not.", o.Seeds, studyBudget)
	d.Heading(3, "Hard deadlines")
	d.Para("%d job sets: %d feasible, %d infeasible, %d not settled.", s.Sets, s.Feasible, s.Infeasible, s.Unknown)
	d.Draw("schedulability", "share of job sets without a miss against utilisation", func(w io.Writer, format string) error {
		few, shown := only(c, records, drawn)
		return present.Draw(w, few, "schedulability", format, shown, present.Style{})
	})
	met := slices.Index(bench.MeasureNames(), "hard-met")
	lines := slices.Clone(s.Policies)
	slices.SortStableFunc(lines, func(a, b bench.PolicySummary) int {
		return cmp.Compare(b.Measures[met].Mean, a.Measures[met].Mean)
	})
	var rows [][]string
	at := map[string]stats.Sample{}
	for _, p := range lines {
		m := p.Measures[met]
		at[p.Policy] = stats.Sample{N: s.Sets, Mean: m.Mean, Low: m.Low, High: m.High}
		rows = append(rows, []string{p.Policy, percent(m.Mean), fmt.Sprintf("%s–%s", percent(m.Low), percent(m.High)),
			percent(m.Mean * float64(s.Sets) / float64(max(1, s.Feasible)))})
	}
	d.Table([]string{"policy", "sets without a miss", "95 % interval", "of the feasible ones"}, rows)
	claimHard(d, records, o.Seeds, at)
	return nil
}

// hardMet has by seed at how many utilisations a policy missed nothing: sets of one seed are alike at
// all of them, so that they are one observation.
func hardMet(records []*bench.Record, policy string, seeds int) sample {
	out := make(sample, seeds)
	for i, r := range records {
		for _, cell := range r.Cells {
			if cell.Policy == policy && cell.Measures.HardMisses+cell.Measures.RejectedHard == 0 {
				out[i%seeds]++
			}
		}
	}
	return out
}

// Claims of §5.1 on heuristics.
const (
	bestOverFirst  = "choice (b) is better than (a): penn-edf-best over penn-edf-first"
	beatOverNumber = "the first in time is better by heartbeat than by number"
	bestOverEDF    = "penn-edf-best is better than plain EDF"
	firstOverEDF   = "penn-edf-first is better than plain EDF"
	orderOverNone  = "deadlines are a better order than none: penn-edf-best over penn-random-best"
)

// claimHard compares the two choices and the orders; the paper has no figures.
func claimHard(d *document, records []*bench.Record, seeds int, at map[string]stats.Sample) {
	claim := func(text, a, b, reason string) {
		d.Claim(claim{Where: "§5.1", Text: text, Published: "announced, not measured",
			Ours:    fmt.Sprintf("%s of sets against %s", percent(at[a].Mean), percent(at[b].Mean)),
			Verdict: larger(hardMet(records, a, seeds), hardMet(records, b, seeds)), Reason: reason})
	}
	claim(bestOverFirst, "penn-edf-best", "penn-edf-first", "A slave on which a task is in time need not be one on which it ends early; what is left for later tasks is worse.")
	claim(beatOverNumber, "penn-edf-first", byNumber, "By number tasks wait for the slaves that are listed first while others idle.")
	claim(bestOverEDF, "penn-edf-best", "edf", "Plain EDF hands a task to whatever slave asks, however slow it is for it.")
	claim(firstOverEDF, "penn-edf-first", "edf", "It passes over slaves that would be late, and takes the first that would not.")
	claim(orderOverNone, "penn-edf-best", "penn-random-best", "As in real-time scheduling at large.")
}

// writeSoft is the same with all jobs soft.
func writeSoft(ctx context.Context, d *document, o Options) error {
	c, records, err := study(ctx, o, "realtime:hard=0", fmt.Sprintf("utilisation=0.5..0.9/%d", o.Few(3, 2)))
	if err != nil {
		return err
	}
	s := c.Summarize(records, nil)
	d.Heading(3, "Soft deadlines")
	d.Para("The same with all jobs soft: weighted misses above the optimum of the same set (or above its bound, where the limit came first: %d of %d sets).", s.Limited, s.Sets)
	at := slices.Index(s.Objectives, "misses")
	if at < 0 {
		d.Para("No optimum was found in time.")
		return nil
	}
	lines := slices.Clone(s.Policies)
	slices.SortStableFunc(lines, func(a, b bench.PolicySummary) int { return cmp.Compare(a.Gaps[at].Mean, b.Gaps[at].Mean) })
	var rows [][]string
	for _, p := range lines {
		g := p.Gaps[at]
		interval := "-" // too few sets that differ
		if g.Fixed() {
			interval = fmt.Sprintf("%.3g–%.3g", g.Low, g.High)
		}
		rows = append(rows, []string{p.Policy, fmt.Sprintf("%.3g", g.Mean), interval})
	}
	d.Table([]string{"policy", "mean gap in misses", "95 % interval"}, rows)
	d.Draw("gaps", "distribution of gaps", func(w io.Writer, format string) error {
		few, shown := only(c, records, drawn)
		return present.Draw(w, few, "gaps", format, shown, present.Style{})
	})
	return nil
}
