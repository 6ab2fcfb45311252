package reproduce

import (
	"context"
	"fmt"
	"strings"

	"downbeat/model"
	"downbeat/online"
	"downbeat/online/durations"
	"downbeat/online/performance"
	"downbeat/online/workload"
)

// rtmrPolicy is a column of RTMR's Tables V and VI.
type rtmrPolicy struct {
	title, spec string
	// published are accept ratio, success ratio and utilisation on workloads I
	// and II; 0 where the paper has none.
	published [2][3]float64
}

// deadlineConstraint reports a scheduler that can never accept a job with more
// reduces than slots: as in the paper it gets workload II without them.
func (p *rtmrPolicy) deadlineConstraint() bool { return strings.HasPrefix(p.spec, "dc") }

var rtmrPolicies = []rtmrPolicy{
	{"Deadline Constraint", "dc", [2][3]float64{{0.716, 0.857, 0.057}, {0.494, 0.225, 0.007}}},
	{"RTMR", "rtmr", [2][3]float64{{0.568, 1, 0.155}, {0.247, 1, 0.646}}},
	{"RTMR without feedback", "rtmr:feedback=no", [2][3]float64{{0.466, 1, 0.116}, {0.157, 1, 0.498}}},
	{"FIFO", "fifo", [2][3]float64{{1, 0, 0.213}, {1, 0, 0.697}}},
	{"Deadline Constraint, other reading", "dc:reduces=running", [2][3]float64{}},
	{"RTMR, gentler feedback", "rtmr:keep=yes", [2][3]float64{}},
}

// rtmrScene is one experiment: a workload on a platform with actual times.
type rtmrScene struct {
	number    int // 0 for workload I, 1 for II
	platform  string
	durations string
	change    func(*workload.RTMR)
}

// generator is the scene's workload for a scheduler. Where the proof applies a
// slot given is a task running: transfers are part of the execution time, for
// slaves start tasks in order and one transfer would delay the next task.
func (s *rtmrScene) generator(p *rtmrPolicy) (workload.Workload, error) {
	text := fmt.Sprintf("rtmr%d:platform=%s", s.number+1, s.platform)
	if s.platform == guarantee {
		text += ",local=0,remote=0,shuffle=0,map=40,reduce=80"
	}
	if p.deadlineConstraint() && s.number == 1 {
		text += ",maxreduces=30"
	}
	w, err := workload.Parse(text)
	if err == nil && s.change != nil {
		s.change(w.Generator().(*workload.RTMR))
	}
	return w, err
}

// rtmrFigures are what the paper's tables have, by seed.
type rtmrFigures struct{ accepted, success, utilization sample }

// run plays all columns of the tables on the scene's job sets.
func (s *rtmrScene) run(ctx context.Context, o Options) ([]rtmrFigures, error) {
	out := make([]rtmrFigures, len(rtmrPolicies))
	for i := range out {
		out[i] = rtmrFigures{make(sample, o.Seeds), make(sample, o.Seeds), make(sample, o.Seeds)}
	}
	actual, err := durations.Parse(s.durations)
	if err != nil {
		return nil, err
	}
	err = o.each(ctx, o.Seeds*len(out), func(ctx context.Context, i int) error {
		p, k := i%len(out), i/len(out)
		w, err := s.generator(&rtmrPolicies[p])
		if err != nil {
			return err
		}
		set := w.Generator().(*workload.RTMR)
		set.Jobs = o.jobs(set.Jobs)
		seed := uint64(k + 1)
		js, err := w.Generate(seed)
		if err != nil {
			return err
		}
		run, err := play(ctx, js, rtmrPolicies[p].spec, online.Options{Seed: seed, Durations: actual})
		if err != nil {
			return err
		}
		m := performance.Of(run)
		out[p].accepted[k], out[p].success[k], out[p].utilization[k] = m.AcceptRatio, m.SuccessRatio, m.Utilization
		if rtmrPolicies[p].spec == "fifo" {
			out[p].utilization[k] = m.TotalUtilization // as the paper counts it
		}
		return nil
	})
	return out, err
}

const (
	// rtmrUsual are actual times of about a quarter of the declared ones, as
	// the assumptions of the workload say.
	rtmrUsual = "uniform:0.15,0.35"
	guarantee = "guarantee"
	realistic = "realistic"
)

var platformTitles = map[string]string{
	guarantee: "Where the proof applies: a core for every slot, concurrent fetching, h = 1",
	realistic: "As on the testbed: 3 s heartbeats, one fetch at a time, as many cores as map slots",
}

var durationTitles = map[string]string{
	rtmrUsual: "Tasks take about a quarter of their declared worst case",
	"worst":   "Every task takes its declared worst case",
}

func writeRTMR(ctx context.Context, d *document, o Options) error {
	d.para("Job sets: %d seeds a line. Figures are means with 95 %% intervals. The schedulers decide by declared worst-case times; actual ones are drawn from %s of them, or are the worst case itself.", o.Seeds, rtmrUsual)
	var claims [][]string
	for number, name := range []string{"Workload I (Table V)", "Workload II (Table VI)"} {
		d.heading(2, name)
		for _, platform := range []string{guarantee, realistic} {
			d.heading(3, platformTitles[platform])
			for _, durations := range []string{rtmrUsual, "worst"} {
				s := &rtmrScene{number: number, platform: platform, durations: durations}
				figures, err := s.run(ctx, o)
				if err != nil {
					return err
				}
				d.para("%s:", durationTitles[durations])
				writeRTMRTable(d, s, figures)
				claims = append(claims, s.claims(figures)...)
			}
		}
	}
	d.heading(2, "The paper's claims")
	d.table([]string{"workload, platform, actual times", "claim", "came out"}, claims)
	d.para("Two lines are not in the paper. Deadline Constraint's text leaves open which reduces hold slots at the moment that it looks at: those that accepted jobs are planned to have there, or, in the other reading, those that run. RTMR's feedback as printed takes jobs that have started to start anew, and can end up accepting less than none; the gentler one only lowers their estimates, and keeps the guarantee.")
	d.para("What was found: Deadline Constraint looks at one moment, and loses deadlines where tasks use up what it expects of them; where they end well before, its mistakes do not show. RTMR's guarantee is for slots that run a task from the moment they are given; heartbeats, a shared fetch line and tasks that wait for a core are outside it, and where tasks take their worst case that costs deadlines.")
	if err := writeRTMRSensitivity(ctx, d, o); err != nil {
		return err
	}
	d.heading(2, "What the paper leaves open")
	for number := range 2 {
		w, err := (&rtmrScene{number: number, platform: realistic}).generator(&rtmrPolicies[1])
		if err != nil {
			return err
		}
		d.list(w.Assumptions())
	}
	return nil
}

func writeRTMRTable(d *document, s *rtmrScene, figures []rtmrFigures) {
	var rows [][]string
	for i, p := range rtmrPolicies {
		f, pub := figures[i], p.published[s.number]
		rows = append(rows, []string{p.title,
			f.accepted.mean().asPercent(), printed(pub[0]),
			f.success.mean().asPercent(), printed(pub[1]),
			f.utilization.mean().asPercent(), printed(pub[2])})
	}
	d.table([]string{"scheduler", "accepted", "published", "in time", "published", "utilisation", "published"}, rows)
}

// printed is a published share, "-" if there is none.
func printed(share float64) string {
	if share == 0 {
		return "-"
	}
	return percent(share)
}

// claims holds what the paper says in words against the runs of a scene.
func (s *rtmrScene) claims(f []rtmrFigures) [][]string {
	dc, with, without, fifo := f[0], f[1], f[2], f[3]
	times := "usual"
	if s.durations != rtmrUsual {
		times = s.durations
	}
	where := fmt.Sprintf("%s, %s, %s times", []string{"I", "II"}[s.number], s.platform, times)
	return [][]string{
		{where, "RTMR keeps every deadline that it accepts", always(with.success)},
		{where, "without feedback too", always(without.success)},
		{where, "Deadline Constraint does not", yesNo(dc.success.mean().value < 1)},
		{where, "accepted: Deadline Constraint over RTMR", above(dc.accepted, with.accepted)},
		{where, "accepted: RTMR over RTMR without feedback", above(with.accepted, without.accepted)},
		{where, "utilisation: FIFO over RTMR", above(fifo.utilization, with.utilization)},
		{where, "utilisation: RTMR over RTMR without feedback", above(with.utilization, without.utilization)},
		{where, "utilisation: RTMR without feedback over Deadline Constraint", above(without.utilization, dc.utilization)},
		{where, "RTMR's utilisation is 70–95 % of FIFO's", percent(with.utilization.mean().value / fifo.utilization.mean().value)},
	}
}

// writeRTMRSensitivity moves what the paper leaves open.
func writeRTMRSensitivity(ctx context.Context, d *document, o Options) error {
	d.heading(2, "How the result moves with what is left open")
	variants := []struct {
		title, durations string
		change           func(*workload.RTMR)
	}{
		{"as above", rtmrUsual, nil},
		{"all tasks take their worst case", "worst", nil},
		{"actual times 0.5–1 of the worst case", "uniform:0.5,1", nil},
		{"task times halved", rtmrUsual, scaleTimes(1, 2)},
		{"task times doubled", rtmrUsual, scaleTimes(2, 1)},
		{"small nodes half as fast", rtmrUsual, func(w *workload.RTMR) { w.SmallFactor = 2 }},
	}
	for number, name := range []string{"Workload I", "Workload II"} {
		var rows [][]string
		for _, v := range variants {
			s := &rtmrScene{number: number, platform: realistic, durations: v.durations, change: v.change}
			f, err := s.run(ctx, o)
			if err != nil {
				return err
			}
			row := []string{v.title}
			for _, p := range f[:3] {
				row = append(row, p.accepted.mean().asPercent(), p.success.mean().asPercent())
			}
			rows = append(rows, append(row, percent(f[1].utilization.mean().value/f[3].utilization.mean().value)))
		}
		d.para("%s, realistic platform:", name)
		d.table([]string{"variant", "DC accepted", "in time", "RTMR accepted", "in time", "no feedback accepted", "in time", "RTMR's utilisation over FIFO's"}, rows)
	}
	return nil
}

// scaleTimes multiplies declared times by num/den.
func scaleTimes(num, den model.Time) func(*workload.RTMR) {
	return func(w *workload.RTMR) {
		for _, t := range []*model.Time{&w.Map, &w.Reduce, &w.Local, &w.Remote, &w.Shuffle} {
			*t = *t * num / den
		}
	}
}
