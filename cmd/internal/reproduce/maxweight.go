package reproduce

import (
	"context"
	"fmt"
	"math"

	"downbeat/cmd/internal/chart"
	"downbeat/online/slotted"
)

// turnAt is how much larger the mean job delay is than at the lowest load where
// a curve is said to turn.
const turnAt = 10

// scaled shortens a run of the paper's length.
func (o Options) scaled(c slotted.Config) slotted.Config {
	c.Warmup = max(1, int(float64(c.Warmup)*o.Scale))
	c.Slots = max(c.Batches, int(float64(c.Slots)*o.Scale))
	return c
}

func writeMaxWeight(ctx context.Context, d *document, o Options) error {
	for _, write := range []func(context.Context, *document, Options) error{
		writeMaxWeightFigures, writeMaxWeightEvolution, writeHeavyTraffic, writeMaxWeightSensitivity,
	} {
		if err := write(ctx, d, o); err != nil {
			return err
		}
	}
	return nil
}

func facebookJobs() (*slotted.Law, error) { return slotted.Bins(slotted.FacebookBins()) }

// writeMaxWeightFigures is Figures 3b, 4a and 4b.
func writeMaxWeightFigures(ctx context.Context, d *document, o Options) error {
	law, err := facebookJobs()
	if err != nil {
		return err
	}
	sweep := slotted.Figures(law, 1, o.workers())
	sweep.Config = o.scaled(sweep.Config)
	if o.Progress != nil {
		done, total := 0, len(sweep.Loads)*len(sweep.Policies)
		sweep.Done = func(slotted.Result) { done++; o.Progress(done, total) }
	}
	curves, err := sweep.Run(ctx)
	if err != nil {
		return err
	}
	capacity, err := slotted.Capacity(sweep.Config.System)
	if err != nil {
		return err
	}
	s := sweep.Config.System
	d.para("%d machines, data on %d of them, local service at rate %g, remote at %g. The largest load that any scheduler can carry is %g tasks a slot (maximum flow; the paper: 680). Each point is one sample path of %d slots after %d of warm-up; the same arrivals for both schedulers.",
		s.Machines, s.Holders, s.Alpha, s.Gamma, capacity, sweep.Config.Slots, sweep.Config.Warmup)
	d.heading(2, "Throughput (Figure 3b)")
	d.figure("figure3b", "concurrent jobs against load", maxWeightChart(curves, "Concurrent jobs", "jobs", func(r *slotted.Result) slotted.Estimate { return r.Jobs }))
	writeTurns(d, curves)
	d.para("Where naive fair sharing turns hangs on the sizes of the largest jobs, which the paper does not give (see the end). Beyond 640, the local capacity, MaxWeight needs queues at all machines as long as the common one, which holds what it has in service: at 670, in a run of the full length, some 120,000 tasks waited in all and did not grow.")
	writeLoads(d, curves)
	d.heading(2, "Delay (Figure 4)")
	d.figure("figure4a", "job delay against load", maxWeightChart(curves, "Job delay", "slots", func(r *slotted.Result) slotted.Estimate { return r.JobDelay }))
	d.figure("figure4b", "task delay against load", maxWeightChart(curves, "Task delay", "slots", func(r *slotted.Result) slotted.Estimate { return r.TaskDelay }))
	writeLowLoad(d, curves)
	return nil
}

// maxWeightChart leaves out loads that are not stable, as the paper's Figure 4
// does: what grows without bound has no mean.
func maxWeightChart(curves []slotted.Curve, title, label string, of func(*slotted.Result) slotted.Estimate) *chart.Chart {
	c := &chart.Chart{Title: title, XLabel: "load in tasks a slot", YLabel: label}
	for _, curve := range curves {
		s := chart.Series{Name: curve.Policy.String()}
		for i := range curve.Points {
			r := &curve.Points[i]
			e := of(r)
			if !r.Stable {
				e = slotted.Estimate{Mean: math.NaN(), Half: math.NaN()}
			}
			s.X, s.Y = append(s.X, r.Load), append(s.Y, e.Mean)
			s.Lo, s.Hi = append(s.Lo, e.Mean-e.Half), append(s.Hi, e.Mean+e.Half)
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// lastStable is the largest load up to which a curve is stable, 0 if not even
// the first is.
func lastStable(c slotted.Curve) float64 {
	load := 0.0
	for i := range c.Points {
		if !c.Points[i].Stable {
			break
		}
		load = c.Points[i].Load
	}
	return load
}

func writeTurns(d *document, curves []slotted.Curve) {
	published := map[slotted.Policy]string{slotted.MaxWeight: "about 630; 670 unstable", slotted.NaiveFair: "about 350"}
	var rows [][]string
	stable := map[slotted.Policy]float64{}
	for _, c := range curves {
		turn, turned := c.Turn(turnAt)
		text := fmt.Sprintf("%g", turn)
		if !turned {
			text = "none up to " + text
		}
		stable[c.Policy] = lastStable(c)
		rows = append(rows, []string{c.Policy.String(), text, fmt.Sprintf("%.4g", stable[c.Policy]), published[c.Policy]})
	}
	d.para("A load counts as stable if less than %s of the tasks that arrive stay behind, from the first quarter of the measured slots to the last.", percent(slotted.Paper(1, slotted.Constant(1)).Tolerance))
	d.table([]string{"scheduler", fmt.Sprintf("largest load with job delay within %d times the lowest", turnAt), "largest load found stable", "published turning point"}, rows)
	d.para("Throughput by the largest stable load of those simulated: %s more than naive fair sharing (published: more than 80 %%).",
		percent(stable[slotted.MaxWeight]/stable[slotted.NaiveFair]-1))
}

func writeLoads(d *document, curves []slotted.Curve) {
	header := []string{"load"}
	for _, c := range curves {
		header = append(header, c.Policy.String()+": jobs", "job delay", "task delay", "local", "stable")
	}
	var rows [][]string
	for i := range curves[0].Points {
		row := []string{fmt.Sprintf("%.4g", curves[0].Points[i].Load)}
		for _, c := range curves {
			r := &c.Points[i]
			row = append(row, half(r.Jobs), half(r.JobDelay), half(r.TaskDelay), percent(r.Locality.Mean), yesNo(r.Stable))
		}
		rows = append(rows, row)
	}
	d.table(header, rows)
}

// half is an estimate in the style of this package.
func half(e slotted.Estimate) string { return estimate{e.Mean, e.Half}.String() }

func writeLowLoad(d *document, curves []slotted.Curve) {
	points := map[slotted.Policy]*slotted.Result{}
	for _, c := range curves {
		points[c.Policy] = &c.Points[0]
	}
	mw, fair := points[slotted.MaxWeight], points[slotted.NaiveFair]
	d.para("At the lowest load, %g, the job delay of %s is %s of that of %s (published: roughly half), the task delay %s (published: roughly the same).",
		mw.Load, slotted.MaxWeight, percent(mw.JobDelay.Mean/fair.JobDelay.Mean), slotted.NaiveFair, percent(mw.TaskDelay.Mean/fair.TaskDelay.Mean))
}

// writeMaxWeightEvolution is Figure 3a: the number of jobs over time at a load
// that only one of the schedulers carries.
func writeMaxWeightEvolution(ctx context.Context, d *document, o Options) error {
	const load = 450
	law, err := facebookJobs()
	if err != nil {
		return err
	}
	c := &chart.Chart{Title: fmt.Sprintf("Concurrent jobs at %d tasks a slot", load), XLabel: "slot", YLabel: "jobs"}
	policies := []slotted.Policy{slotted.MaxWeight, slotted.NaiveFair}
	results := make([]slotted.Result, len(policies))
	config := o.scaled(slotted.Paper(load, law))
	config.SampleEvery = max(1, (config.Warmup+config.Slots)/200)
	err = o.each(ctx, len(policies), func(ctx context.Context, i int) error {
		run := config
		run.Policy = policies[i]
		var err error
		results[i], err = slotted.Run(ctx, run)
		return err
	})
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
	d.heading(2, "Stability (Figure 3a)")
	d.figure("figure3a", "concurrent jobs over time", c)
	return nil
}

// writeHeavyTraffic holds a small cluster against Theorem 2 and the limit.
func writeHeavyTraffic(ctx context.Context, d *document, o Options) error {
	law := slotted.Constant(1)
	config := slotted.Paper(1, law)
	config.System = slotted.System{Machines: 10, Holders: 8, Replicas: 3, Alpha: 0.8, Gamma: 0.2}
	config.Warmup, config.Slots = 200_000, 4_000_000
	points, err := slotted.HeavyTraffic(ctx, o.scaled(config), []float64{0.8, 0.4, 0.2, 0.1, 0.05}, 40, o.workers())
	if err != nil {
		return err
	}
	d.heading(2, "Theorem 2 and the heavy-traffic limit")
	d.para("On ten machines, eight with data, jobs of one task, binomial arrivals. ε is the distance from the ceiling of %.4g tasks a slot. No scheduler can have a mean queue below Theorem 2's bound; under MaxWeight ε·E[ΣQ] tends to (σ² + ν²)/2 as ε goes to 0.", config.System.Ceiling())
	var rows [][]string
	below := 0
	for _, p := range points {
		if p.Result.Queue.Mean+p.Result.Queue.Half < p.Bound {
			below++
		}
		rows = append(rows, []string{fmt.Sprintf("%g", p.Epsilon), half(p.Result.Queue), fmt.Sprintf("%.4g", p.Bound), half(p.Scaled), fmt.Sprintf("%.4g", p.Limit)})
	}
	d.table([]string{"ε", "mean queue", "Theorem 2", "ε·E[ΣQ]", "limit"}, rows)
	d.para("Simulated means with their whole interval below the bound: %d of %d.", below, len(points))
	return nil
}

// sensitivityScale shortens the runs of the many variants.
const sensitivityScale = 0.3

// writeMaxWeightSensitivity moves what the paper leaves open.
func writeMaxWeightSensitivity(ctx context.Context, d *document, o Options) error {
	facebook, err := facebookJobs()
	if err != nil {
		return err
	}
	bins := slotted.FacebookBins()
	bins[len(bins)-1].High = 6000
	smaller, err := slotted.Bins(bins)
	if err != nil {
		return err
	}
	zipf, err := slotted.Zipf(1.5, 10_000)
	if err != nil {
		return err
	}
	variants := []struct {
		title   string
		law     *slotted.Law
		reading slotted.Reading
	}{
		{"defaults", facebook, slotted.Paper(1, facebook).Reading},
		{"the largest jobs end at 6,000 tasks", smaller, slotted.Reading{}},
		{"job sizes by Zipf's law, exponent 1.5", zipf, slotted.Reading{}},
		{"all jobs of 50 tasks", slotted.Constant(50), slotted.Reading{}},
		{"decisions rest on the slot's start", facebook, slotted.Reading{Snapshot: true}},
		{"a machine whose queue is empty serves the other", facebook, slotted.Reading{Fallback: true}},
		{"queues count waiting tasks only", facebook, slotted.Reading{WaitingOnly: true}},
	}
	loads := []float64{300, 350, 390, 550, 630, 650}
	type key struct{ variant, load, policy int }
	policies := []slotted.Policy{slotted.MaxWeight, slotted.NaiveFair}
	results := map[key]*slotted.Result{}
	var keys []key
	for v := range variants {
		for l := range loads {
			for p := range policies {
				k := key{v, l, p}
				keys, results[k] = append(keys, k), new(slotted.Result)
			}
		}
	}
	short := o
	short.Scale *= sensitivityScale
	err = o.each(ctx, len(keys), func(ctx context.Context, i int) error {
		k := keys[i]
		config := short.scaled(slotted.Paper(loads[k.load], variants[k.variant].law))
		config.Policy, config.Reading, config.Seed = policies[k.policy], variants[k.variant].reading, uint64(k.load+1)
		r, err := slotted.Run(ctx, config)
		*results[k] = r
		return err
	})
	if err != nil {
		return err
	}
	d.heading(2, "How the result moves with what is left open")
	d.para("%g of the slots above. The paper gives neither the sizes of jobs nor some details of the decisions; the largest of the loads %v that was found stable, and the job delay at %g as a share of naive fair sharing's:", sensitivityScale, loads, loads[0])
	var rows [][]string
	for v, variant := range variants {
		row := []string{variant.title}
		for p, policy := range policies {
			c := slotted.Curve{Policy: policy}
			for l := range loads {
				c.Points = append(c.Points, *results[key{v, l, p}])
			}
			row = append(row, fmt.Sprintf("%.4g", lastStable(c)))
		}
		rows = append(rows, append(row, percent(results[key{v, 0, 0}].JobDelay.Mean/results[key{v, 0, 1}].JobDelay.Mean)))
	}
	d.table([]string{"variant", slotted.MaxWeight.String(), slotted.NaiveFair.String(), "job delay"}, rows)
	return nil
}
