package reproduce

import (
	"context"
	"fmt"

	"downbeat/model"
	"downbeat/online"
	"downbeat/online/performance"
	"downbeat/online/workload"
	"downbeat/solve"
)

// rdsPolicies are the paper's four, with its control interval of ten minutes,
// and RDS with a control every minute.
var rdsPolicies = []string{"fifo", "fair", "edf", "rds:interval=600", "rds:interval=60"}

// rdsFirstSeed is beyond the seeds on which the defaults that the paper leaves
// open were chosen.
const rdsFirstSeed = 1000

func writeRDS(ctx context.Context, d *document, o Options) error {
	if err := writeRDSCase(ctx, d, "rds-case", "Case study (§II-B, Table I)",
		"Capacity is 3, 6, 3, 6 units a minute over the four ten-minute intervals; J1 has 120 units and its deadline at 40, J2 60 units, released at 10, and its deadline at 30. The paper: FIFO and Fair miss J2, an ideal scheduler meets both."); err != nil {
		return err
	}
	if err := writeRDSCase(ctx, d, "rds-overload", "EDF under overload (Figure 3)",
		"The paper shows EDF failing on an overloaded variant of Table I, which cannot follow from its deadlines: under them EDF serves J2 first and is optimal. This is a set of ours on which EDF fails for the paper's reason: it works on a job that cannot make it any more."); err != nil {
		return err
	}
	return writeRDSPenalty(ctx, d, o)
}

// writeRDSCase shows when each scheduler finishes each job of a small set.
func writeRDSCase(ctx context.Context, d *document, name, title, text string) error {
	w, err := workload.Parse(name)
	if err != nil {
		return err
	}
	js, err := w.JobSet()
	if err != nil {
		return err
	}
	d.heading(2, title)
	d.para("%s", text)
	header := []string{"scheduler"}
	for i := range js.Jobs {
		header = append(header, fmt.Sprintf("%s, due %d", js.Jobs[i].Name, js.Jobs[i].Due()))
	}
	var rows [][]string
	row := func(title string, finishes []model.Time) {
		cells := []string{title}
		for i, f := range finishes {
			cell := fmt.Sprint(f)
			if js.Jobs[i].Late(f) > 0 {
				cell += " late"
			}
			cells = append(cells, cell)
		}
		rows = append(rows, cells)
	}
	for _, policy := range []string{"fifo", "fair", "edf", "rds:interval=10"} {
		out, err := play(ctx, js, policy, online.Options{})
		if err != nil {
			return err
		}
		row(policy, out.Finishes)
	}
	best, err := solve.Plan(ctx, js, solve.Options{Workers: 1})
	if err != nil {
		return err
	}
	row("proved optimum", js.Finishes(best.Schedule))
	d.table(header, rows)
	return nil
}

// rdsVariant is a setting of RDS's evaluation.
type rdsVariant struct {
	title  string
	change func(*workload.RDS)
}

var rdsVariants = []rdsVariant{
	{"defaults", nil},
	{"inputs halved", func(w *workload.RDS) { w.Size = 0.5 }},
	{"inputs half as large again", func(w *workload.RDS) { w.Size = 1.5 }},
	{"no sun: a third of the slaves throughout", func(w *workload.RDS) { w.Day, w.Grid = 1, 0.34 }},
	{"twice the clouds", func(w *workload.RDS) { w.Clouds = 0.6 }},
	{"deadlines 1.5 times the run time", func(w *workload.RDS) { w.Factor = 1.5 }},
	{"deadlines 4 times the run time", func(w *workload.RDS) { w.Factor = 4 }},
	{"exponential inter-arrivals", func(w *workload.RDS) { w.Poisson = true }},
}

// penalties are those of each policy by seed.
func (v *rdsVariant) penalties(ctx context.Context, o Options) ([]sample, *workload.RDS, error) {
	w := workload.NewRDS()
	if v.change != nil {
		v.change(w)
	}
	w.Jobs = o.jobs(w.Jobs)
	out := make([]sample, len(rdsPolicies))
	for i := range out {
		out[i] = make(sample, o.Seeds)
	}
	err := o.each(ctx, o.Seeds*len(out), func(ctx context.Context, i int) error {
		p, k := i%len(out), i/len(out)
		seed := uint64(rdsFirstSeed + k)
		js, err := w.Generate(seed)
		if err != nil {
			return err
		}
		run, err := play(ctx, js, rdsPolicies[p], online.Options{Seed: seed})
		if err != nil {
			return err
		}
		out[p][k] = performance.Of(run).Penalty
		return nil
	})
	return out, w, err
}

func writeRDSPenalty(ctx context.Context, d *document, o Options) error {
	d.heading(2, "Penalty of deadline misses (abstract, §V)")
	d.para("Penalty Σ ω (y − y_ref)/y_ref over late jobs, means over %d seeds from %d on with 95 %% intervals; lower seeds served to choose what the paper leaves open of RDS, so they say nothing. Published: RDS at least 36 %% below Fair and 10 %% below EDF. Intervals are in seconds; the paper's is 600.", o.Seeds, rdsFirstSeed)
	var rows [][]string
	var open []string
	for i := range rdsVariants {
		v := &rdsVariants[i]
		p, w, err := v.penalties(ctx, o)
		if err != nil {
			return err
		}
		if open == nil {
			open = w.Assumptions()
		}
		row := []string{v.title}
		for _, s := range p {
			row = append(row, s.mean().String())
		}
		fair, edf := p[1], p[2]
		for _, rds := range p[3:] {
			row = append(row, below(rds, fair), below(rds, edf))
		}
		rows = append(rows, row)
	}
	header := append([]string{"setting"}, rdsPolicies...)
	for _, policy := range rdsPolicies[3:] {
		header = append(header, policy+" below Fair", "below EDF")
	}
	d.table(header, rows)
	d.heading(2, "What the paper leaves open")
	d.list(open)
	return nil
}
