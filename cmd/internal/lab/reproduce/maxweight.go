// Maxweight reproduces Wang, Zhu, Ying, Tan and Zhang's simulations of JSQ with
// MaxWeight, and holds their theorems against runs.

package reproduce

import (
	"context"
	"fmt"
	"math"

	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/lab/slotted"
)

// maxWeightSections are the parts of the report.
func maxWeightSections() []reportSection {
	return []reportSection{
		{Name: "throughput and delay", Write: writeFigures},
		{Name: "stability", Write: writeEvolution},
		{Name: "the theorems", Write: writeTheorems},
		{Name: "job sizes", Write: writeSizes},
		{Name: "readings", Write: writeReadings},
	}
}

// turnAt is how much larger the mean job delay is than at the lowest load where
// a curve is said to turn: the paper leaves loads out with "more than ten times larger".
const turnAt = 10

// enough is the number of measured slots below which nothing is said about stability:
// with the largest jobs of 12,500 tasks a backlog needs tens of thousands of slots to
// show that it grows.
const enough = 50_000

// scaled shortens a run of the paper's length.
func scaled(o Options, c slotted.Config) slotted.Config {
	c.Warmup = max(1, int(float64(c.Warmup)*o.Scale))
	c.Slots = max(c.Batches, int(float64(c.Slots)*o.Scale))
	return c
}

func facebookJobs() (*slotted.Law, error) { return slotted.Bins(slotted.FacebookBins()) }

// spread is an estimate that a journal can keep.
type spread struct{ Mean, Half number }

func keep(e slotted.Estimate) spread { return spread{number(e.Mean), number(e.Half)} }

func (s spread) String() string {
	return s.estimate().String()
}

func (s spread) estimate() estimate {
	return estimate{float64(s.Mean), float64(s.Mean - s.Half), float64(s.Mean + s.Half)}
}

// point is what is kept of a run.
type point struct {
	Load                                           float64
	Slots                                          int64
	Queue, Jobs, JobDelay, TaskDelay, Local, Apart spread
	Stable                                         bool
	JobsAt                                         []int32
}

// runs plays configurations side by side.
func runs(ctx context.Context, o Options, key string, configs []slotted.Config) ([]point, error) {
	return Collect(ctx, o, key, len(configs), func(ctx context.Context, i int) (point, error) {
		r, err := slotted.Run(ctx, configs[i])
		return point{r.Load, r.Slots, keep(r.Queue), keep(r.Jobs), keep(r.JobDelay), keep(r.TaskDelay),
			keep(r.Locality), keep(r.Apart), r.Stable, r.JobsAt}, err
	})
}

// curve is a scheduler at several loads.
type curve struct {
	name   string
	points []point
}

// The schedulers of the figures.
const (
	onSnapshot = iota
	live
	fair
)

// curves runs the sweep of the figures under each scheduler, on the same arrivals.
func curves(ctx context.Context, o Options) ([]curve, slotted.Config, error) {
	law, err := facebookJobs()
	if err != nil {
		return nil, slotted.Config{}, err
	}
	sweep := slotted.Figures(law, 1, 1)
	sweep.Config = scaled(o, sweep.Config)
	sweep.Config.SampleEvery = 0
	out := []curve{onSnapshot: {name: "jsq+maxweight"}, live: {name: "the same, live"}, fair: {name: "naive fair"}}
	var all []slotted.Config
	for i := range out {
		s := sweep
		s.Policies, s.Config.Reading.Live = []slotted.Policy{slotted.MaxWeight}, i == live
		if i == fair {
			s.Policies = []slotted.Policy{slotted.NaiveFair}
		}
		configs, err := s.Configs()
		if err != nil {
			return nil, sweep.Config, err
		}
		all = append(all, configs...)
	}
	points, err := runs(ctx, o, "figures", all)
	if err != nil {
		return nil, sweep.Config, err
	}
	for i := range out {
		out[i].points = points[i*len(sweep.Loads) : (i+1)*len(sweep.Loads)]
	}
	return out, sweep.Config, nil
}

// writeFigures is Figures 3b, 4a and 4b.
func writeFigures(ctx context.Context, d *document, o Options) error {
	all, config, err := curves(ctx, o)
	if err != nil {
		return err
	}
	s := config.System
	capacity, err := slotted.Capacity(s)
	if err != nil {
		return err
	}
	d.Heading(2, "Throughput (Figure 3b)")
	d.Para("%d machines, data on %d of them, local service at rate %g, remote at %g. Each point is one sample path of %d slots after %d of warm-up (the paper's means are over 250,000), with the same arrivals for all. Decisions of MaxWeight rest on the queues at the beginning of a slot, as in §II; *live* takes them one after the other.",
		s.Machines, s.Holders, s.Alpha, s.Gamma, config.Slots, config.Warmup)
	if config.Slots < enough {
		d.Para("**Too short to say which loads are stable**: %d slots, and %d are the least for that; a larger --scale runs longer.", config.Slots, enough)
	}
	concurrent := chartOf(all, "Concurrent jobs", "jobs", true, func(p *point) spread { return p.Jobs })
	concurrent.LogY = true
	concurrent.Rules = []chart.Rule{{X: 350, Name: "350, published"}, {X: 630, Name: "630, published"}}
	d.Figure("figure3b", "concurrent jobs against load, unstable loads too, with the published turning points", concurrent)
	writeTurns(d, all, config, capacity)
	writeLoads(d, all)
	d.Heading(2, "Delay (Figure 4)")
	d.Para("As in the paper, without loads that were not stable: what grows without bound has no mean.")
	d.Figure("figure4a", "job delay against load", chartOf(all, "Job delay", "slots", false, func(p *point) spread { return p.JobDelay }))
	d.Figure("figure4b", "task delay against load", chartOf(all, "Task delay", "slots", false, func(p *point) spread { return p.TaskDelay }))
	claimDelays(d, all, config)
	return nil
}

func chartOf(all []curve, title, label string, unstable bool, of func(*point) spread) *chart.Chart {
	c := &chart.Chart{Title: title, XLabel: "load in tasks a slot", YLabel: label, FromZero: !unstable}
	for _, cv := range all {
		s := chart.Series{Name: cv.name}
		for i := range cv.points {
			p := &cv.points[i]
			e := of(p)
			s.X = append(s.X, p.Load)
			if !p.Stable && !unstable {
				e = spread{number(math.NaN()), number(math.NaN())}
			}
			s.Y = append(s.Y, float64(e.Mean))
			if !unstable {
				s.Lo, s.Hi = append(s.Lo, float64(e.Mean-e.Half)), append(s.Hi, float64(e.Mean+e.Half))
			}
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// lastStable is the largest load up to which a curve is stable, 0 if not even
// the first is.
func (c curve) lastStable() float64 {
	load := 0.0
	for i := range c.points {
		if !c.points[i].Stable {
			break
		}
		load = c.points[i].Load
	}
	return load
}

// turn is the largest load of a curve that is stable and has a mean job delay within
// turnAt times that at its lowest.
func (c curve) turn() float64 {
	load := 0.0
	for i := range c.points {
		if p := &c.points[i]; !p.Stable || !(p.JobDelay.Mean <= turnAt*c.points[0].JobDelay.Mean) {
			break
		}
		load = c.points[i].Load
	}
	return load
}

// next is the load simulated after this one, for "between".
func (c curve) next(load float64) string {
	for _, p := range c.points {
		if p.Load > load {
			return fmt.Sprintf("between %.4g and %.4g", load, p.Load)
		}
	}
	return fmt.Sprintf("above %g", load)
}

// judged is a verdict on stability, or that the runs were too short for one.
func judged(c slotted.Config, v verdict) verdict {
	if c.Slots < enough {
		return unsaid
	}
	return v
}

func writeTurns(d *document, all []curve, config slotted.Config, capacity float64) {
	published := []string{onSnapshot: "about 630; 670 unstable", live: "about 630; 670 unstable", fair: "about 350"}
	var rows [][]string
	for i, c := range all {
		rows = append(rows, []string{c.name, c.next(c.turn()), c.next(c.lastStable()), published[i]})
	}
	d.Para("A load counts as stable if less than %s of the tasks that arrive stay behind, from the first quarter of the measured slots to the last. A curve turns where a load is not stable or the job delay more than %d times the lowest.", percent(config.Tolerance), turnAt)
	d.Table([]string{"scheduler", "turns", "stability ends", "published turning point"}, rows)
	const where = "Figure 3b"
	d.Claim(claim{Where: where, Text: "no scheduler carries more than 680 tasks a slot", Published: "680", Ours: fmt.Sprintf("%g", capacity),
		Verdict: yes(math.Abs(capacity-680) < 1e-6), Reason: "The edge of the capacity region, worked out as a maximum flow."})
	within := func(c curve, from, to float64) bool { t := c.turn(); return from <= t && t <= to }
	d.Claim(claim{Where: where, Text: "naive fair sharing turns at 350", Setting: "largest jobs of 12,500 tasks", Published: "about 350", Ours: all[fair].next(all[fair].turn()),
		Verdict: judged(config, verdictOf(within(all[fair], 310, 390), all[fair].turn() < 630)),
		Reason:  "It turns where the share of local tasks carries no more, and that hangs on the sizes of the largest jobs, which are not published; see the curve by size."})
	for _, i := range []int{onSnapshot, live} {
		c := all[i]
		d.Claim(claim{Where: where, Text: "JSQ with MaxWeight turns at 630", Setting: setting(i), Published: "about 630", Ours: c.next(c.turn()),
			Verdict: judged(config, verdictOf(within(c, 590, 650), c.turn() > all[fair].turn())),
			Reason:  turnReason(i)})
		last := c.points[len(c.points)-1]
		d.Claim(claim{Where: where, Text: "at 670 its delay is more than ten times that at low load", Setting: setting(i), Published: "> 10 ×",
			Ours:    fmt.Sprintf("%.3g ×", float64(last.JobDelay.Mean/c.points[0].JobDelay.Mean)),
			Verdict: judged(config, yes(last.JobDelay.Mean > turnAt*c.points[0].JobDelay.Mean)),
			Reason:  fmt.Sprintf("At 670 the run has %s; 640 is what local service alone carries, and 670 is inside the capacity region.", stability(last))})
		more := c.lastStable()/max(1, all[fair].lastStable()) - 1
		d.Claim(claim{Where: where, Text: "throughput above naive fair sharing", Setting: setting(i), Published: "> 80 %", Ours: percent(more),
			Verdict: judged(config, verdictOf(more > 0.8, more > 0)),
			Reason:  "By the largest stable loads of those simulated, which are 20 to 80 tasks a slot apart."})
	}
}

func stability(p point) string {
	if p.Stable {
		return "a backlog that does not grow"
	}
	return "a backlog that grows"
}

func setting(i int) string {
	if i == live {
		return "live decisions"
	}
	return "decisions on the slot's beginning"
}

func turnReason(i int) string {
	if i == live {
		return "Decisions that see each other spread a slot's tasks, so that nothing grows before local service is used up."
	}
	return "Tasks of one slot all join the same short queues, so that the delay rises well before the edge; live decisions do not have that."
}

// verdictOf is Holds, InShape or Fails.
func verdictOf(holds, shape bool) verdict {
	switch {
	case holds:
		return Holds
	case shape:
		return inShape
	default:
		return fails
	}
}

func writeLoads(d *document, all []curve) {
	header := []string{"load"}
	for _, c := range all {
		header = append(header, c.name+": jobs", "job delay", "task delay", "local", "stable")
	}
	var rows [][]string
	for i := range all[0].points {
		row := []string{fmt.Sprintf("%.4g", all[0].points[i].Load)}
		for _, c := range all {
			p := &c.points[i]
			row = append(row, p.Jobs.String(), p.JobDelay.String(), p.TaskDelay.String(), percent(float64(p.Local.Mean)), yesNo(p.Stable))
		}
		rows = append(rows, row)
	}
	d.Table(header, rows)
}

// lowLoads are the loads that "small arrival rates" are taken to be, up to 310.
const lowLoads = 4

// claimDelays is what §V says of small arrival rates.
func claimDelays(d *document, all []curve, config slotted.Config) {
	ratio := func(i int, of func(*point) spread) (least, most float64) {
		least, most = math.Inf(1), 0
		for k := range lowLoads {
			r := float64(of(&all[i].points[k]).Mean / of(&all[fair].points[k]).Mean)
			least, most = min(least, r), max(most, r)
		}
		return least, most
	}
	for _, i := range []int{onSnapshot, live} {
		least, most := ratio(i, func(p *point) spread { return p.JobDelay })
		d.Claim(claim{Where: "Figure 4a", Text: "roughly halves the job delay at small loads", Setting: setting(i), Published: "about 50 % of naive fair's",
			Ours:    fmt.Sprintf("%.0f–%.0f %% at %g to %g", 100*least, 100*most, all[i].points[0].Load, all[i].points[lowLoads-1].Load),
			Verdict: verdictOf(least > 0.35 && most < 0.65, most < 0.9),
			Reason:  "Naive fair sharing waits for the last remote tasks of a job. MaxWeight waits for the longest of its queues, and tasks of a slot that do not see each other make some longer."})
		least, most = ratio(i, func(p *point) spread { return p.TaskDelay })
		d.Claim(claim{Where: "Figure 4b", Text: "task delays are roughly the same at small loads", Setting: setting(i), Published: "about 100 %",
			Ours:    fmt.Sprintf("%.0f–%.0f %%", 100*least, 100*most),
			Verdict: verdictOf(least > 0.75 && most < 1.33, least > 0.5 && most < 2),
			Reason:  "The mean over tasks is that of the few largest jobs, in whose queues all wait."})
	}
}

// writeEvolution is Figure 3a: the number of jobs over time at a load
// that only one of the schedulers carries.
func writeEvolution(ctx context.Context, d *document, o Options) error {
	const load = 450
	law, err := facebookJobs()
	if err != nil {
		return err
	}
	c := &chart.Chart{Title: fmt.Sprintf("Concurrent jobs at %d tasks a slot", load), XLabel: "slot", YLabel: "jobs", FromZero: true}
	policies := []slotted.Policy{slotted.MaxWeight, slotted.NaiveFair}
	config := scaled(o, slotted.Paper(load, law))
	config.SampleEvery = max(1, (config.Warmup+config.Slots)/200)
	var configs []slotted.Config
	for _, p := range policies {
		run := config
		run.Policy = p
		configs = append(configs, run)
	}
	results, err := runs(ctx, o, "evolution", configs)
	if err != nil {
		return err
	}
	for i, r := range results {
		s := chart.Series{Name: policies[i].String()}
		for k, jobs := range r.JobsAt {
			s.X, s.Y = append(s.X, float64(k*config.SampleEvery)), append(s.Y, float64(jobs))
		}
		c.Series = append(c.Series, s)
	}
	d.Heading(2, "Stability (Figure 3a)")
	d.Figure("figure3a", "concurrent jobs over time", c)
	mw, naive := results[0], results[1]
	d.Claim(claim{Where: "Figure 3a", Text: "at a load between the turning points MaxWeight is stable and naive fair sharing is not", Published: "a sample path", Ours: fmt.Sprintf("at %d: %s; %s", load, stability(mw), stability(naive)),
		Verdict: judged(config, verdictOf(mw.Stable && !naive.Stable, mw.Jobs.Mean < naive.Jobs.Mean)),
		Reason:  "One sample path each, as in the paper."})
	return nil
}
