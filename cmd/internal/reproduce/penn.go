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
	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/schedulers"
	"downbeat/model"
	"downbeat/online"
	"downbeat/online/durations"
	"downbeat/online/performance"
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
	for _, name := range schedulers.Names() {
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
	c := &bench.Config{Policies: pennPolicies(), New: schedulers.New, TimeLimit: solverLimit, SolverSeed: 1, Workers: o.workers()}
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
	met := slices.Index(bench.MeasureNames(), "hard-met")
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

// programs are Penn's two, with the lengthening of the completion time at 15 GB
// that Figure 5's text reports for remote input.
var programs = []struct {
	name      workload.Program
	lengthens float64
}{{workload.WordCount, 0.40}, {workload.TeraSort, 0.58}}

// completion has mean and spread of the completion time, in seconds, of the
// jobs of a setting under FIFO over the seeds.
func completion(ctx context.Context, o Options, w *workload.EC2, d online.Durations) (sample, error) {
	times := make([]float64, o.Seeds)
	for i := range times {
		seed := uint64(i + 1)
		js, err := w.Generate(seed)
		if err != nil {
			return nil, err
		}
		out, err := play(ctx, js, "fifo", online.Options{Seed: seed, Durations: d})
		if err != nil {
			return nil, err
		}
		times[i] = float64(performance.Of(out).Makespan) / 1000
	}
	return times, nil
}

// setting is one point of a figure.
type setting struct {
	x         float64
	workload  *workload.EC2
	durations online.Durations
	times     sample
}

func runSettings(ctx context.Context, o Options, list []*setting) error {
	return o.each(ctx, len(list), func(ctx context.Context, i int) error {
		var err error
		list[i].times, err = completion(ctx, o, list[i].workload, list[i].durations)
		return err
	})
}

// line makes a series of settings.
func line(name string, list []*setting) chart.Series {
	s := chart.Series{Name: name}
	for _, p := range list {
		m := p.times.mean()
		s.X, s.Y = append(s.X, p.x), append(s.Y, m.value)
		s.Lo, s.Hi = append(s.Lo, m.value-m.half), append(s.Hi, m.value+m.half)
	}
	return s
}

// writePlacement is §3.5, Figure 5.
func writePlacement(ctx context.Context, d *document, o Options) error {
	const most = 15
	var all []*setting
	at := map[string][]*setting{}
	key := func(p workload.Program, place string) string { return string(p) + ", " + place }
	for _, program := range programs {
		for _, place := range []string{"local", "remote"} {
			for gb := 3.0; gb <= most; gb += 3 {
				w := workload.NewEC2()
				w.Program, w.Input, w.Spread = program.name, gb, place == "local"
				s := &setting{x: gb, workload: w}
				all = append(all, s)
				at[key(program.name, place)] = append(at[key(program.name, place)], s)
			}
		}
	}
	if err := runSettings(ctx, o, all); err != nil {
		return err
	}
	d.heading(2, "Data placement (§3.5, Figure 5)")
	c := &chart.Chart{Title: "Completion of one job, local and remote input", XLabel: "input in GB", YLabel: "completion in s"}
	var rows [][]string
	for _, program := range programs {
		local, remote := at[key(program.name, "local")], at[key(program.name, "remote")]
		c.Series = append(c.Series, line(key(program.name, "local"), local), line(key(program.name, "remote"), remote))
		last := len(local) - 1
		l, r := local[last].times.mean(), remote[last].times.mean()
		rows = append(rows, []string{string(program.name), l.String(), r.String(),
			percent(r.value/l.value - 1), percent(program.lengthens)})
	}
	d.table([]string{"15 GB", "local, s", "remote, s", "remote takes longer by", "published"}, rows)
	d.figure("placement", "completion time against input", c)
	d.para("The size of the effect hangs on the transfer times, which the paper does not give: it is about what a remote block costs beyond a local one, over what a map takes in all.")
	return nil
}

// writeHeartbeat is §3.6, Figure 6.
func writeHeartbeat(ctx context.Context, d *document, o Options) error {
	var all []*setting
	lines := map[workload.Program][]*setting{}
	for _, program := range programs {
		for _, ms := range []model.Time{1, 30, 300, 1000, 3000, 6000, 10000, 20000} {
			w := workload.NewEC2()
			w.Program, w.Heartbeat = program.name, ms
			s := &setting{x: float64(ms) / 1000, workload: w}
			all = append(all, s)
			lines[program.name] = append(lines[program.name], s)
		}
	}
	if err := runSettings(ctx, o, all); err != nil {
		return err
	}
	d.heading(2, "Heartbeat interval (§3.6, Figure 6)")
	c := &chart.Chart{Title: "Completion of one job of 6 GB", XLabel: "heartbeat interval in s", YLabel: "completion in s"}
	header, rows := []string{"heartbeat interval, s"}, [][]string{}
	for _, program := range programs {
		c.Series = append(c.Series, line(string(program.name), lines[program.name]))
		header = append(header, string(program.name)+", s")
	}
	for i, s := range lines[workload.WordCount] {
		row := []string{fmt.Sprint(s.x)}
		for _, program := range programs {
			row = append(row, lines[program.name][i].times.mean().String())
		}
		rows = append(rows, row)
	}
	d.table(header, rows)
	d.figure("heartbeat", "completion time against heartbeat interval", c)
	grows := func(p workload.Program) string {
		var at3, at20 float64
		for _, s := range lines[p] {
			switch s.x {
			case 3:
				at3 = s.times.mean().value
			case 20:
				at20 = s.times.mean().value
			}
		}
		return percent(at20/at3 - 1)
	}
	d.para("The paper sees completion grow quickly beyond 3 s; here it grows from 3 s to 20 s by %s (WordCount) and %s (TeraSort). The paper's other end, at 1 ms, where the master is overloaded, cannot be reproduced: heartbeats cost nothing here.",
		grows(workload.WordCount), grows(workload.TeraSort))
	return nil
}

// writeRatio is §3.3: slots per core.
func writeRatio(ctx context.Context, d *document, o Options) error {
	type point struct{ one, many, varied *setting }
	var points []point
	var all []*setting
	for ratio := 1; ratio <= 4; ratio++ {
		make := func(jobs int, d online.Durations) *setting {
			w := workload.NewEC2()
			w.Ratio, w.Jobs = ratio, jobs
			s := &setting{x: float64(ratio), workload: w, durations: d}
			all = append(all, s)
			return s
		}
		points = append(points, point{make(1, nil), make(4, nil), make(1, durations.Uniform{Lo: 0.4, Hi: 1})})
	}
	if err := runSettings(ctx, o, all); err != nil {
		return err
	}
	d.heading(2, "Slots per core (§3.3, §3.4)")
	spread := func(p point) string { return percent(p.varied.times.deviation() / p.varied.times.mean().value) }
	var rows [][]string
	for _, p := range points {
		rows = append(rows, []string{fmt.Sprint(p.one.x), p.one.times.mean().String(), p.many.times.mean().String(),
			p.varied.times.mean().String(), spread(p)})
	}
	d.table([]string{"slots per core", "one job, s", "four jobs, s", "one job, times 0.4–1, s", "spread (s.d. over mean)"}, rows)
	first, last := points[0], points[len(points)-1]
	d.para("The paper: more slots than cores help one job and make times less predictable. Here the second slot per core takes %s off one job (the next input is fetched while a core is busy), and the spread goes from %s with one slot to %s with four. On the paper's machines the tasks above the cores also share them; here they wait in a queue.",
		percent(1-points[1].one.times.mean().value/first.one.times.mean().value), spread(first), spread(last))
	return nil
}
