package reproduce

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/bench/jobsets"
	"downbeat/online/policies"
	"downbeat/online/workload"
)

func writePenn(ctx context.Context, d *document, o Options) error {
	d.para("Platform factors are run under FIFO over %d seeds; figures are means with 95 %% intervals.", o.Seeds)
	for _, write := range []func(context.Context, *document, Options) error{writePlacement, writeHeartbeat, writeRatio, writePennStudy} {
		if err := write(ctx, d, o); err != nil {
			return err
		}
	}
	d.heading(2, "What the paper leaves open")
	d.list(workload.NewEC2().Assumptions())
	d.list(workload.NewRealTime().Assumptions())
	return nil
}

// pennPolicies are the fourteen of §5.1 with three that everyone knows.
func pennPolicies() []string {
	out := []string{"fifo", "edf", "llf"}
	for _, name := range policies.Names() {
		if strings.HasPrefix(name, "penn-") {
			out = append(out, name)
		}
	}
	return out
}

// solverLimit bounds the search for one optimum of the study.
const solverLimit = 5 * time.Second

// study runs Penn's policies and the optimum over real-time sets.
func study(ctx context.Context, o Options, text, sweep string) (*bench.Config, []*bench.Record, error) {
	values, err := jobsets.ParseSweep(sweep)
	if err != nil {
		return nil, nil, err
	}
	seeds := make([]uint64, o.Seeds)
	for i := range seeds {
		seeds[i] = uint64(i + 1)
	}
	sets, err := jobsets.FromWorkloads([]string{text}, values, seeds)
	if err != nil {
		return nil, nil, err
	}
	c := &bench.Config{Policies: pennPolicies(), New: policies.New, TimeLimit: solverLimit, SolverSeed: 1, Workers: o.workers()}
	records, err := bench.Run(ctx, c, sets, nil, func(p bench.Progress) {
		if o.Progress != nil {
			o.Progress(p.Done, len(sets))
		}
	})
	if err == nil {
		err = ctx.Err()
	}
	return c, records, err
}

// writePennStudy is the comparison that §5.1 announces.
func writePennStudy(ctx context.Context, d *document, o Options) error {
	d.heading(2, "The online heuristics against the optimum (§5.1)")
	d.para("The paper announces this study and leaves it open. Job sets are those of the real-time community's generator on a Penn platform, %d for each utilisation; every optimum has %s.", o.Seeds, solverLimit)
	if err := writePennHard(ctx, d, o); err != nil {
		return err
	}
	return writePennSoft(ctx, d, o)
}

func writePennHard(ctx context.Context, d *document, o Options) error {
	c, records, err := study(ctx, o, "realtime", "utilisation=0.2..0.9/8")
	if err != nil {
		return err
	}
	s := c.Summarize(records, nil)
	d.heading(3, "Hard deadlines")
	d.para("%d job sets: %d feasible, %d infeasible, %d not settled in time.", s.Sets, s.Feasible, s.Infeasible, s.Unknown)
	d.draw("schedulability", "share of job sets without a miss against utilisation", func(w io.Writer, format string) error {
		return c.Plot(w, "schedulability", format, records)
	})
	met := slices.Index(bench.MeasureNames(), "hard_met")
	lines := slices.Clone(s.Policies)
	slices.SortStableFunc(lines, func(a, b bench.PolicySummary) int {
		return cmp.Compare(b.Measures[met].Mean, a.Measures[met].Mean)
	})
	var rows [][]string
	for _, p := range lines {
		m := p.Measures[met]
		rows = append(rows, []string{p.Policy, percent(m.Mean), fmt.Sprintf("%s–%s", percent(m.Low), percent(m.High)),
			percent(m.Mean * float64(s.Sets) / float64(max(1, s.Feasible)))})
	}
	d.table([]string{"policy", "sets without a miss", "95 % interval", "of the feasible ones"}, rows)
	return nil
}

func writePennSoft(ctx context.Context, d *document, o Options) error {
	c, records, err := study(ctx, o, "realtime:hard=0", "utilisation=0.5..0.9/3")
	if err != nil {
		return err
	}
	s := c.Summarize(records, nil)
	d.heading(3, "Soft deadlines")
	d.para("The same with all jobs soft: weighted misses above the optimum of the same set (or above its bound, where the limit came first: %d of %d sets).", s.Limited, s.Sets)
	at := slices.Index(s.Objectives, "misses")
	if at < 0 {
		d.para("No optimum was found in time.")
		return nil
	}
	lines := slices.Clone(s.Policies)
	slices.SortStableFunc(lines, func(a, b bench.PolicySummary) int { return cmp.Compare(a.Gaps[at].Mean, b.Gaps[at].Mean) })
	var rows [][]string
	for _, p := range lines {
		g := p.Gaps[at]
		rows = append(rows, []string{p.Policy, fmt.Sprintf("%.3g", g.Mean), fmt.Sprintf("%.3g–%.3g", g.Low, g.High)})
	}
	d.table([]string{"policy", "mean gap in misses", "95 % interval"}, rows)
	d.draw("gaps", "distribution of gaps", func(w io.Writer, format string) error { return c.Plot(w, "gaps", format, records) })
	return nil
}
