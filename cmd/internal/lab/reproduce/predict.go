package reproduce

import (
	"context"
	"fmt"
	"math"
	"sync"

	"downbeat/cmd/internal/chart"
	"downbeat/model"
	"downbeat/online"
	"downbeat/online/rds"
	"downbeat/online/workload"
)

// interval is the paper's, in ticks of a second.
const interval = 600

// printed is RDS as the paper's text has it.
func printed() rds.Options {
	o := rds.AsPrinted()
	o.Interval = interval
	return o
}

// tuned is RDS with what made it better on other seeds.
func tuned() rds.Options {
	o := rds.Defaults()
	o.Interval = interval
	return o
}

// trainingSets is the number of job sets that rules are trained on.
const trainingSets = 12

// trainer fits progress and capacity models when they are first asked for, on sets of seeds
// that nothing else uses, played by the same scheduler and with the same task times.
type trainer struct {
	options func() rds.Options
	once    sync.Once
	trained rds.Options
	err     error
}

// get has the options with the models.
func (t *trainer) get(ctx context.Context, o Options) (rds.Options, error) {
	t.once.Do(func() {
		w := workload.NewRDS()
		w.Jobs = o.Jobs(w.Jobs)
		var sets []*model.JobSet
		for k := range uint64(o.Few(trainingSets, 2)) {
			js, err := w.Generate(1<<32 + k)
			if err != nil {
				t.err = err
				return
			}
			sets = append(sets, js)
		}
		t.trained = t.options()
		t.trained.Rules, t.trained.Coefficients, t.err = rds.TrainOn(ctx, sets, t.trained, nil, 1<<32)
	})
	return t.trained, t.err
}

// trace is the capacity over one run, as read and as predicted three steps before.
type trace struct{ Read, Ahead []number }

// misses are mean squares over one run, by steps ahead: of Eq. 10 as it is fitted to the last
// readings and to earlier days, and of the last reading.
type misses struct {
	Capacity, Fitted, Last []float64
	// Progress has mean squares of the work in an interval: of what was measured about 0,
	// and of the errors of untrained and trained rules, each as they are and adapted.
	Progress [5]float64
	Trace    trace
	Rules    int
}

// The entries of misses.Progress.
const (
	rdsMeasured = iota
	untrained
	untrainedAdapted
	trainedStill
	trainedAdapted
)

func meanSquare(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return sum / float64(max(1, len(x)))
}

// measureErrors plays tuned RDS on each seed with untrained and with trained rules.
func measureErrors(ctx context.Context, o Options) ([]misses, error) {
	models := &trainer{options: tuned}
	return Collect(ctx, o, "errors", o.Seeds, func(ctx context.Context, k int) (misses, error) {
		trained, err := models.get(ctx, o)
		if err != nil {
			return misses{}, err
		}
		w := workload.NewRDS()
		w.Jobs = o.Jobs(w.Jobs)
		js, err := w.Generate(firstSeed + uint64(k))
		if err != nil {
			return misses{}, err
		}
		first, second := rds.New(tuned()), rds.New(trained)
		for _, p := range []*rds.Policy{first, second} {
			if _, err := online.Play(ctx, js, p, online.Options{}); err != nil {
				return misses{}, err
			}
		}
		return errorsOf(first.Accuracy(), second.Accuracy(), trained.Rules), nil
	})
}

func errorsOf(first, second rds.Accuracy, trained []rds.Rule) misses {
	e := misses{Rules: len(trained)}
	for h := range first.Capacity {
		e.Capacity = append(e.Capacity, meanSquare(first.Capacity[h]))
		e.Fitted = append(e.Fitted, meanSquare(second.Capacity[h]))
		e.Last = append(e.Last, meanSquare(first.Last[h]))
	}
	var y, plain, still []float64
	for _, s := range first.Samples {
		y, plain, still = append(y, s.Y), append(plain, s.Y-rds.Untrained(s.V)), append(still, s.Y-rds.Predict(trained, s.V))
	}
	e.Progress = [5]float64{meanSquare(y), meanSquare(plain), meanSquare(first.Progress), meanSquare(still), meanSquare(second.Progress)}
	return e
}

// roots are the roots of the means of one entry over the runs.
func roots(all []misses, of func(*misses) float64) sample {
	var s sample
	for i := range all {
		s = append(s, math.Sqrt(of(&all[i])))
	}
	return s
}

func writeCapacity(ctx context.Context, d *document, o Options) error {
	d.Heading(2, "Prediction of capacity (§III-C, Table II)")
	all, err := measureErrors(ctx, o)
	if err != nil {
		return err
	}
	d.Para("Root mean square error of the capacity predicted so many intervals of %d s ahead, as a share of the whole cluster, beside that of taking the last reading; means over %d runs. The coefficients of Eq. 10 are \"obtained via model fitting\", and the text does not say to what: here to the at most %d readings of the run so far, or to the readings of %d earlier days, the job sets of other seeds that the progress model is trained on.", interval, len(all), tuned().Window, trainingSets)
	of := []func(*misses) []float64{
		func(e *misses) []float64 { return e.Capacity }, func(e *misses) []float64 { return e.Fitted }, func(e *misses) []float64 { return e.Last },
	}
	names := []string{"Eq. 10, this run", "Eq. 10, earlier days", "the last reading"}
	graph := &chart.BarChart{Title: "Error of predicted capacity", YLabel: "% of the cluster", Groups: []string{"1 step", "2 steps", "3 steps"}, Series: names, Bars: make([][]chart.Bar, len(of))}
	var rows [][]string
	for h := range 3 {
		row, errors := []string{fmt.Sprint(h + 1)}, make([]sample, len(of))
		for i := range of {
			errors[i] = roots(all, func(e *misses) float64 { return at(of[i](e), h) })
			m := errors[i].Mean()
			row = append(row, m.AsPercent())
			graph.Bars[i] = append(graph.Bars[i], chart.Bar{Value: 100 * m.Value, Half: 100 * m.Half(), Published: math.NaN()})
		}
		rows = append(rows, row)
		claimCapacity(d, h+1, names, errors)
	}
	d.Table(append([]string{"steps ahead"}, names...), rows)
	d.Draw("capacity-error", "error of the predicted capacity by steps ahead", graph.Draw)
	return writeTrace(ctx, d, o)
}

// effective is the claim that capacity is predicted well.
func effective(steps int) string {
	return fmt.Sprintf("the autoregression is effective, %d step(s) ahead", steps)
}

// claimCapacity holds the two fits against the last of the columns, the last reading.
func claimCapacity(d *document, steps int, names []string, errors []sample) {
	last := len(errors) - 1
	reasons := []string{
		"Held against taking the last reading. Fitted to at most 24 readings of whole slaves the coefficients are noisy, and errors add up as predictions are fed back: for it to hold there would have to be more readings, as of earlier days.",
		"Held against taking the last reading. Days have the same shape, so that what was learnt on others holds.",
	}
	for i, reason := range reasons {
		d.Claim(claim{Where: "§III-C", Text: effective(steps), Setting: names[i], Published: "\"simple but effective\"",
			Ours: fmt.Sprintf("error %s; last reading %s", errors[i].Mean().AsPercent(), errors[last].Mean().AsPercent()), Verdict: larger(errors[last], errors[i]), Reason: reason})
	}
}

func at(x []float64, i int) float64 {
	if i < len(x) {
		return x[i]
	}
	return 0
}

// writeTrace draws the capacity of one run with its predictions.
func writeTrace(ctx context.Context, d *document, o Options) error {
	traces, err := Collect(ctx, o, "trace", 1, func(ctx context.Context, _ int) (trace, error) {
		w := workload.NewRDS()
		w.Jobs = o.Jobs(w.Jobs)
		js, err := w.Generate(firstSeed)
		if err != nil {
			return trace{}, err
		}
		p := rds.New(tuned())
		if _, err := online.Play(ctx, js, p, online.Options{}); err != nil {
			return trace{}, err
		}
		var t trace
		for k, ahead := range p.Predicted() {
			t.Read = append(t.Read, number(ahead[0]))
			before := math.NaN()
			if k >= 3 {
				before = p.Predicted()[k-3][3]
			}
			t.Ahead = append(t.Ahead, number(before))
		}
		return t, nil
	})
	if err != nil {
		return err
	}
	read, ahead := chart.Series{Name: "read", Bold: true}, chart.Series{Name: "predicted 3 before"}
	for k, r := range traces[0].Read {
		read.X, read.Y = append(read.X, float64(k)), append(read.Y, float64(r))
		ahead.X, ahead.Y = append(ahead.X, float64(k)), append(ahead.Y, float64(traces[0].Ahead[k]))
	}
	d.Figure("capacity", "capacity of one run as read, and as predicted three intervals before", &chart.Chart{
		Title: fmt.Sprintf("Capacity, seed %d", firstSeed), XLabel: "control interval", YLabel: "cores", FromZero: true, Series: []chart.Series{read, ahead}})
	return nil
}

func writeProgress(ctx context.Context, d *document, o Options) error {
	d.Heading(2, "The progress model (§III-B)")
	all, err := measureErrors(ctx, o)
	if err != nil {
		return err
	}
	d.Para("What a job does in an interval, in slot-intervals, predicted from the slots that it then had. Rules are trained as in §IV-B, by subtractive clustering and least squares, on %d job sets of other seeds played to their ends (%d rules came out; ANFIS's gradient steps are left out). Untrained is that a slot does what is declared. Root mean square error over each run, mean over %d runs:", trainingSets, all[0].Rules, len(all))
	names := []string{"the work itself", "untrained", "untrained, adapted", "trained", "trained, adapted"}
	var rows [][]string
	samples := make([]sample, len(names))
	var bars []chart.Bar
	for i, name := range names {
		samples[i] = roots(all, func(e *misses) float64 { return e.Progress[i] })
		rows = append(rows, []string{name, samples[i].Mean().String()})
		if i > rdsMeasured {
			bars = append(bars, chart.Bar{Value: samples[i].Mean().Value, Half: samples[i].Mean().Half(), Published: math.NaN()})
		}
	}
	d.Table([]string{"rules", "error in slot-intervals"}, rows)
	graph := &chart.BarChart{Title: "Error of predicted progress", YLabel: "slot-intervals", Groups: names[1:], Series: []string{"error"}, Bars: [][]chart.Bar{bars}}
	d.Draw("progress-error", "error of the predicted progress", graph.Draw)
	claim := func(text string, a, b int, reason string) {
		d.Claim(claim{Where: "§III-B", Text: text, Published: "-", Ours: fmt.Sprintf("%s: %v, %s: %v", names[b], samples[b].Mean(), names[a], samples[a].Mean()),
			Verdict: larger(samples[a], samples[b]), Reason: reason})
	}
	claim(trainingHelps, untrained, trainedStill, "Slots wait for cores and inputs, which declared times know nothing of and training does.")
	claim(adaptTrained, trainedStill, trainedAdapted, "Recursive least squares on one job has a handful of intervals to learn from.")
	claim(adaptUntrained, untrained, untrainedAdapted, "What declared times leave out is learnt within a few intervals, or is not.")
	return nil
}

// outcomeOf plays a policy.
func outcomeOf(ctx context.Context, js *model.JobSet, p online.Policy, opts online.Options) (outcome, error) {
	run, err := online.Play(ctx, js, p, opts)
	if err != nil {
		return outcome{}, fmt.Errorf("%s, policy %s: %w", js.Name, p.Name(), err)
	}
	m := online.Measure(run)
	return outcome{m.Penalty, float64(m.Misses)}, nil
}
