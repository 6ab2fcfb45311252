package reproduce

import (
	"context"
	"fmt"
	"math"

	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/schedulers"
	"downbeat/model"
	"downbeat/online"
	"downbeat/online/rds"
	"downbeat/online/workload"
)

// contender is a scheduler of the comparison.
type contender struct {
	name string
	// spec names it as on the command line; options are for RDS.
	spec    string
	options func() rds.Options
	// models are of progress and capacity, fitted to earlier days, if it takes any.
	models *trainer
}

func rdsContenders() []contender {
	every := func(o rds.Options) func() rds.Options { o.Interval = 60; return func() rds.Options { return o } }
	return []contender{
		{name: "FIFO", spec: "fifo"}, {name: "Fair", spec: "fair"}, {name: "EDF", spec: "edf"},
		{name: "RDS as printed", options: printed},
		{name: "RDS as printed, trained", options: printed, models: &trainer{options: printed}},
		{name: "RDS tuned", options: tuned},
		{name: "RDS tuned, trained", options: tuned, models: &trainer{options: tuned}},
		{name: "RDS tuned, every minute", options: every(tuned())},
	}
}

// Places in contenders.
const (
	byFIFO, byFair, byEDF = 0, 1, 2
	firstRDS              = 3
)

// variant is a setting of the evaluation.
type variant struct {
	title    string
	change   func(*workload.RDS)
	surprise bool
}

var variants = []variant{
	{title: "one core a slave, as in §IV-A"},
	{title: "three cores a slave", change: func(w *workload.RDS) { w.Cores = 3 }},
	{title: "absences by surprise", surprise: true},
	{title: "inputs halved", change: func(w *workload.RDS) { w.Size = 0.5 }},
	{title: "twice the clouds", change: func(w *workload.RDS) { w.Clouds = 0.6 }},
	{title: "no sun: a third of the slaves throughout", change: func(w *workload.RDS) { w.Day, w.Grid = 1, 0.34 }},
	{title: "deadlines 4 times the run time", change: func(w *workload.RDS) { w.Factor = 4 }},
}

// mainVariants get every seed, the others an eighth of them.
const mainVariants = 2

// outcome is what is kept of a run: the penalty and the number of late jobs.
type outcome struct{ Penalty, Late float64 }

// rdsResult has the outcomes of a contender by seed.
type rdsResult struct{ penalty, late sample }

// set is the job set of a seed.
func (v *variant) set(o Options, seed uint64) (*model.JobSet, error) {
	w := workload.NewRDS()
	if v.change != nil {
		v.change(w)
	}
	w.Jobs = o.Jobs(w.Jobs)
	return w.Generate(seed)
}

// policy is the scheduler for a run.
func (c *contender) policy(ctx context.Context, o Options, seed uint64) (online.Policy, error) {
	if c.options == nil {
		return schedulers.New(c.spec, seed)
	}
	if c.models == nil {
		return rds.New(c.options()), nil
	}
	opts, err := c.models.get(ctx, o)
	if err != nil {
		return nil, err
	}
	return rds.New(opts), nil
}

// penalties are those of each contender by seed.
func (v *variant) penalties(ctx context.Context, o Options, seeds int, list []contender) ([]rdsResult, error) {
	bySeed, err := Collect(ctx, o, "penalty "+v.title, seeds, func(ctx context.Context, i int) ([]outcome, error) {
		seed := uint64(firstSeed + i)
		js, err := v.set(o, seed)
		if err != nil {
			return nil, err
		}
		out := make([]outcome, len(list))
		for k := range list {
			p, err := list[k].policy(ctx, o, seed)
			if err == nil {
				out[k], err = outcomeOf(ctx, js, p, online.Options{Seed: seed, Surprise: v.surprise})
			}
			if err != nil {
				return nil, err
			}
		}
		return out, nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]rdsResult, len(list))
	for _, outcomes := range bySeed {
		for k, x := range outcomes {
			r := &out[k]
			r.penalty, r.late = append(r.penalty, x.Penalty), append(r.late, x.Late)
		}
	}
	return out, nil
}

func writePenalty(ctx context.Context, d *document, o Options) error {
	list := rdsContenders()
	d.Heading(2, "Penalty of deadline misses (abstract, §V)")
	d.Para("Penalty Σ ω (y − y_ref)/y_ref over late jobs, means over %d seeds from %d on with 95 %% intervals (an eighth of them for lines from the third on); lower seeds served to choose what the paper leaves open of RDS, so they say nothing. Published: RDS at least 36 %% below Fair and 10 %% below EDF, in the abstract of the penalty and in §I of deadline misses. *As printed* is the text where it says something: no margin before deadlines, a constant W, each interval by itself, a reference that is fixed at arrival, waiting jobs that wait, a fast path that only moves short jobs to the running queue, moves as they are solved, and Δu that falls with every task. *Tuned* has what did better on other seeds. *Trained* has progress and capacity models fitted to %d other days. Control is every %d s, as in the paper. Absences are known to all schedulers (a task is not begun that could still be there) but for one line.", o.Seeds, firstSeed, trainingSets, interval)
	header := []string{"setting"}
	for _, c := range list {
		header = append(header, c.name)
	}
	var rows, below [][]string
	for i := range variants[:o.Few(len(variants), 3)] {
		v, seeds := &variants[i], o.Seeds
		if i >= mainVariants {
			seeds = max(2, o.Seeds/8)
		}
		p, err := v.penalties(ctx, o, seeds, list)
		if err != nil {
			return err
		}
		row, shares := []string{v.title}, []string{v.title}
		for k, r := range p {
			row = append(row, fmt.Sprintf("%v (%.3g)", r.penalty.Mean(), r.late.Mean().Value))
			if k >= firstRDS {
				shares = append(shares, shareBelow(r.penalty, p[byFair].penalty), shareBelow(r.penalty, p[byEDF].penalty))
			}
		}
		rows, below = append(rows, row), append(below, shares)
		if i < mainVariants {
			drawPenalty(d, fmt.Sprintf("penalty-%d", i+1), v.title, list, p)
			claimPenalty(d, v, list, p)
		}
	}
	d.Para("Penalties, and in brackets late jobs a set:")
	d.Table(header, rows)
	header = []string{"setting"}
	for _, c := range list[firstRDS:] {
		header = append(header, c.name+": below Fair", "below EDF")
	}
	d.Table(header, below)
	return nil
}

// drawPenalty has bars for all, and diamonds where the published reductions would be.
func drawPenalty(d *document, name, title string, list []contender, p []rdsResult) {
	c := &chart.BarChart{Title: "Penalty, " + title, YLabel: "penalty", Series: []string{"mean"}}
	var row []chart.Bar
	for i, r := range p {
		m := r.penalty.Mean()
		b := chart.Bar{Value: m.Value, Half: m.Half(), Published: math.NaN()}
		if i >= firstRDS {
			b.Published = min(0.64*p[byFair].penalty.Mean().Value, 0.9*p[byEDF].penalty.Mean().Value)
		}
		row, c.Groups = append(row, b), append(c.Groups, short(list[i].name))
	}
	c.Bars = [][]chart.Bar{row}
	d.Draw(name, "penalties; diamonds: what 36 % below Fair and 10 % below EDF comes to", c.Draw)
}

// short fits under a bar.
func short(name string) string {
	for long, s := range map[string]string{
		"RDS as printed": "printed", "RDS as printed, trained": "printed, tr.", "RDS tuned": "tuned",
		"RDS tuned, trained": "tuned, tr.", "RDS tuned, every minute": "tuned, 60 s",
	} {
		if name == long {
			return s
		}
	}
	return name
}

// promised are the reductions of the abstract and of §I.
var promised = []struct {
	where, text string
	of          func(rdsResult) sample
	// otherwise is what would have to be so for it to hold where it does not.
	otherwise string
}{
	{"abstract", thePenalty, func(r rdsResult) sample { return r.penalty },
		"For it to hold what an interval falls short of would have to be made up for in the next, as a reference that is renewed from what is left does (tuned)."},
	{"§I", theMisses, func(r rdsResult) sample { return r.late },
		"For it to hold the controller would have to give jobs up that cannot make it: Eq. 3 shares what is short among all of them, so that more are late, and less each."},
}

// thanWhom are those against which they are.
var thanWhom = []struct {
	place int
	name  string
	least float64
}{{byFair, "Fair", 0.36}, {byEDF, "EDF", 0.10}}

// lowers is the claim that a figure is lower than that of one of them.
func lowers(what string, place int) string {
	for _, than := range thanWhom {
		if than.place == place {
			return fmt.Sprintf("%s is at least %.0f %% below %s's", what, 100*than.least, than.name)
		}
	}
	return ""
}

func claimPenalty(d *document, v *variant, list []contender, p []rdsResult) {
	for _, what := range promised {
		for k := firstRDS; k < len(list); k++ {
			for _, than := range thanWhom {
				less := reduction(what.of(p[k]), what.of(p[than.place]))
				verdict, reason := atLeast(than.least).judge(less), reasonOf(list, p, k)
				if verdict == fails {
					reason += " " + what.otherwise
				}
				d.Claim(claim{Where: what.where, Text: lowers(what.text, than.place),
					Setting: list[k].name + ", " + v.title, Published: fmt.Sprintf("≥ %.0f %%", 100*than.least), Ours: less.AsPercent(), Verdict: verdict, Reason: reason})
			}
		}
	}
	for _, place := range []int{byFIFO, byFair} {
		d.Claim(claim{Where: "§II-B", Text: obliviousPoor, Setting: list[place].name + ", " + v.title, Published: "\"perform poorly\"",
			Ours:    fmt.Sprintf("%v, EDF %v", p[place].penalty.Mean(), p[byEDF].penalty.Mean()),
			Verdict: larger(p[place].penalty, p[byEDF].penalty), Reason: "EDF is what §II-B holds against them."})
	}
}

// reasonOf says with how many late jobs the penalty comes about, and what training does.
func reasonOf(list []contender, p []rdsResult, k int) string {
	late := func(i int) string { return fmt.Sprintf("%.3g", p[i].late.Mean().Value) }
	text := fmt.Sprintf("Late jobs a set: %s, EDF %s, Fair %s.", late(k), late(byEDF), late(byFair))
	if list[k].models != nil {
		plain := p[k-1].penalty.Mean()
		text += fmt.Sprintf(" Without training the penalty is %v, with it %v.", plain, p[k].penalty.Mean())
	}
	return text
}

// horizons are the numbers of steps that are tried.
var horizons = []int{0, 1, 2, 3, 4, 6}

// writeHorizon is the study of prediction horizons of §V, whose figure is lost.
func writeHorizon(ctx context.Context, d *document, o Options) error {
	d.Heading(2, "The horizon (§II-B, §V)")
	var list []contender
	add := func(name string, steps int, declared bool) {
		opts := tuned()
		opts.Steps, opts.Declared = steps, declared
		opts.P, opts.Q = rds.Prices(steps)
		list = append(list, contender{name: name, options: func() rds.Options { return opts }})
	}
	for _, h := range horizons {
		add(fmt.Sprint(h), h, false)
	}
	add("3, capacity known", 3, true)
	v := &variant{title: "horizon"}
	p, err := v.penalties(ctx, o, max(2, o.Seeds/2), list)
	if err != nil {
		return err
	}
	s := chart.Series{Name: "RDS tuned"}
	var rows [][]string
	for i, c := range list {
		m := p[i].penalty.Mean()
		rows = append(rows, []string{c.name, m.String(), p[i].late.Mean().String()})
		if i < len(horizons) {
			m.mark(&s, float64(horizons[i]))
		}
	}
	d.Para("Tuned RDS by the number of intervals that it looks ahead; %d seeds. The last line has the capacity from the declared absences, as if it were predicted without error.", len(p[0].penalty))
	d.Table([]string{"steps ahead", "penalty", "late jobs"}, rows)
	d.Figure("horizon", "penalty against the horizon", &chart.Chart{Title: "Penalty by horizon", XLabel: "steps ahead", YLabel: "penalty", FromZero: true, Series: []chart.Series{s}})
	claim := func(setting string, i int, reason string) {
		d.Claim(claim{Where: "§II-B, §V", Text: knowledgeHelps, Setting: setting, Published: "\"critical\"; the figure is lost",
			Ours:    fmt.Sprintf("0 steps %v, 3 steps %v", p[0].penalty.Mean(), p[i].penalty.Mean()),
			Verdict: larger(p[0].penalty, p[i].penalty), Reason: reason})
	}
	claim("capacity predicted", 3, "What lies beyond the next interval is known badly (see the prediction of capacity), and work is not lost by not waiting for it.")
	claim("capacity known", len(horizons), "With capacity as declared it does not hang on how well it is predicted.")
	return nil
}
