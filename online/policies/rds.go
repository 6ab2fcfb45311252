package policies

import (
	"context"

	"downbeat/model"
	"downbeat/online"
	"downbeat/online/durations"
	"downbeat/online/rds"
	"downbeat/online/workload"
)

// rdsEntries is RDS with what its paper leaves open.
func rdsEntries() []entry {
	return []entry{{Info{Name: "rds", About: "predicts capacity and progress, and moves slots by receding-horizon control", Params: []Param{
		{"interval", "auto", "between controls, in ticks; auto is a quarter of the first job's relative deadline"},
		{"steps", "3", "intervals ahead over which progress is compared"},
		{"declared", "no", "yes takes capacity from declared absences, in place of its prediction"},
		{"perinterval", "no", "yes compares each interval's progress by itself, not what is done since now"},
		{"margin", "1", "intervals by which the reference is done before the deadline; the paper's text has 0"},
		{"dueweight", "100", "extra weight of what is due within the horizon; the paper's text has 0"},
		{"wait", "no", "yes lets waiting jobs wait for the controller while slots are free, as in the paper"},
		{"oneway", "no", "yes gives back no slot whose task has ended, as Algorithm 1 is printed"},
		{"fastpath", "first", "what is due before the next control: first, served first, or queue, moved to the running queue only, as in the paper"},
		{"rush", "yes", "no keeps moves that finish a stage at their mean over the interval, as they are solved"},
		{"reference", "renewed", "progress that is expected: renewed from what is left, or fixed at arrival, as in the paper's example"},
		{"training", "none", "workload that progress and capacity models are fitted to beforehand, at 0.4 to 1 of its times; none trusts declared times"},
	}}, newRDS}}
}

func newRDS(a *args) online.Policy {
	opts := rds.Defaults()
	if a.text("interval") != "auto" {
		opts.Interval = model.Time(a.whole("interval", 1, int(model.MaxTime)))
	}
	opts.Steps = a.whole("steps", 0, 24)
	opts.P, opts.Q = rds.Prices(opts.Steps)
	opts.Declared = a.yesNo("declared")
	opts.PerInterval = a.yesNo("perinterval")
	opts.Margin = a.real("margin", 0, 100)
	opts.DueWeight = a.real("dueweight", 0, 1e6)
	opts.KeepWaiting = a.yesNo("wait")
	opts.OneWay = a.yesNo("oneway")
	opts.QueueOnly = a.word("fastpath", "first", "queue") == "queue"
	opts.Even = !a.yesNo("rush")
	opts.FixedReference = a.word("reference", "renewed", "fixed") == "fixed"
	if text := a.text("training"); text != "none" && a.err == nil {
		var err error
		if opts.Rules, opts.Coefficients, err = trained(text, opts); err != nil {
			a.fail("training=%s: %w", text, err)
		}
	}
	return rds.New(opts)
}

// trained has the rules and coefficients that RDS learns from the paper's kind of history, runs of
// other job sets. The paper says neither how many nor how far tasks stayed below
// what was declared.
func trained(text string, opts rds.Options) ([]rds.Rule, []float64, error) {
	const first = 1 << 32 // beyond the seeds that anybody studies
	w, err := workload.Parse(text)
	if err != nil {
		return nil, nil, err
	}
	sets := make([]*model.JobSet, 4)
	for k := range sets {
		if sets[k], err = w.Generate(first + uint64(k)); err != nil {
			return nil, nil, err
		}
	}
	return rds.TrainOn(context.Background(), sets, opts, durations.Uniform{Lo: 0.4, Hi: 1}, first)
}
