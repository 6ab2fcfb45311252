// Rds reproduces what Cheng, Rao, Jiang and Zhou report of RDS.

package reproduce

import (
	"context"
	"fmt"
	"io"

	"downbeat/cmd/internal/chart"
	"downbeat/model"
	"downbeat/online"
	"downbeat/online/workload"
	"downbeat/solve"
)

// rdsSections are the parts of the report.
func rdsSections() []reportSection {
	return []reportSection{
		{Name: "the case study", Write: writeCase},
		{Name: "EDF under overload", Write: writeOverload},
		{Name: "the prediction of capacity", Write: writeCapacity},
		{Name: "the progress model", Write: writeProgress},
		{Name: "the penalty of deadline misses", Write: writePenalty},
		{Name: "the horizon", Write: writeHorizon},
		{Name: "slots as a measure of resources", Write: writeShares},
		{Name: "priorities", Write: writePriorities},
		{Name: "what is left open", Write: rdsWriteOpen},
	}
}

// The claims.
const (
	fifoMisses     = "FIFO misses J2's deadline"
	fairMisses     = "Fair misses J2's deadline"
	edfMeets       = "EDF meets both deadlines"
	bothMet        = "a schedule that meets both exists"
	edfFails       = "under overload EDF misses deadlines that can be met"
	obliviousPoor  = "schedulers that do not know deadlines do poorly: EDF has the lower penalty"
	knowledgeHelps = "knowing the capacity to come lowers the penalty: three intervals ahead against none"
	trainingHelps  = "offline training makes the model predict better"
	adaptTrained   = "online adaptation makes trained rules better"
	adaptUntrained = "online adaptation makes untrained rules better"
	slotsMeasure   = "the slots of a job are a good approximation of its resources"
	edfOverrides   = "EDF overrides priorities"
	prioritiesHelp = "jobs of a higher priority are less late for it"
	slotScenarios  = "r_slot in two scenarios"
	slowSlaves     = "slaves slow down as power falls"
	textLost       = "what §V reports"
	thePenalty     = "the penalty"
	theMisses      = "the number of missed deadlines"
)

// rdsStatements are the sentences of the abstract and of §§I to IV. Both texts of the paper
// that we have break off before §V; what others say of it stands with those.
func rdsStatements() []statement {
	return []statement{
		{"abstract", "RDS reduces the penalty of deadline misses by at least 36 % and 10 % compared with Fair and EDF.", []string{lowers(thePenalty, byFair), lowers(thePenalty, byEDF)}},
		{"§I", "RDS reduces deadline misses by at least 36 % and 10 % compared with Fair and EDF.", []string{lowers(theMisses, byFair), lowers(theMisses, byEDF)}},
		{"§II-B", "FIFO delays J2 until J1 has finished, and its deadline is missed.", []string{fifoMisses}},
		{"§II-B", "Fairness does not guarantee that J2 meets its deadline.", []string{fairMisses}},
		{"§II-B", "There exists a schedule that meets both deadlines, and the ideal scheduler does.", []string{bothMet}},
		{"§II-B", "EDF can also meet the deadlines of such a set.", []string{edfMeets}},
		{"§II-B", "Deadline-oblivious schedulers perform poorly for jobs with deadlines in a dynamic cluster.", []string{obliviousPoor}},
		{"§II-B", "Knowledge of future resource availability is critical to avoiding deadline misses.", []string{knowledgeHelps}},
		{"§II-B", "In an overloaded system EDF is often quite bad: J2 would have met its deadline before J1.", []string{edfFails}},
		{"§II-B", "EDF overwrites user-defined priorities.", []string{edfOverrides}},
		{"§III-B", "The parameters of the model are obtained by offline training.", []string{trainingHelps}},
		{"§III-B", "Online self-learning minimises the prediction error.", []string{adaptTrained, adaptUntrained}},
		{"§III-C", "The autoregression is simple but effective, iterated for three steps.", []string{effective(1), effective(2), effective(3)}},
		{"§III-C", "The impact of different prediction horizons is studied in §V.", []string{knowledgeHelps}},
		{"§III-D", "The total number of slots of a job is a good approximation of its resources.", []string{slotsMeasure}},
		{"§III-D", "Two scenarios are discussed in §V, where r_slot is treated differently.", []string{slotScenarios}},
		{"§IV-A", "CPU usage limits of the machines follow the available power.", []string{slowSlaves}},
		{"§IV-C", "The impact of different job priorities is studied in §V-D.", []string{prioritiesHelp}},
		{"§V", "All of it.", []string{textLost}},
	}
}

// firstSeed is beyond the seeds on which the defaults that the paper leaves
// open were chosen.
const firstSeed = 1000

// caseRun is when jobs end in a small set, and how many units of work each holds in
// every minute.
type caseRun struct {
	name     string
	finishes []model.Time
	held     [][]float64
}

// literalRDS is RDS as printed, every ten minutes.
const literalRDS = "rds:interval=10,margin=0,dueweight=0,perinterval=yes,wait=yes,oneway=yes,fastpath=queue,rush=no,reference=fixed"

// optimum is the place of the proved optimum among the runs of a small set, after the policies.
const optimum = 5

// smallSet is the job set of a case with what each scheduler and the solver make of it.
func smallSet(ctx context.Context, name string) (*model.JobSet, []caseRun, error) {
	w, err := workload.Parse(name)
	if err != nil {
		return nil, nil, err
	}
	js, err := w.JobSet()
	if err != nil {
		return nil, nil, err
	}
	var out []caseRun
	for _, c := range []contender{{name: "FIFO", spec: "fifo"}, {name: "Fair", spec: "fair"}, {name: "EDF", spec: "edf"}, {name: "RDS as printed", spec: literalRDS}, {name: "RDS tuned", spec: "rds:interval=10"}} {
		run, err := runPolicy(ctx, js, c.spec, online.Options{})
		if err != nil {
			return nil, nil, err
		}
		out = append(out, caseRun{c.name, run.Finishes, held(js, run.Schedule)})
	}
	best, err := solve.Plan(ctx, js, solve.Options{Workers: 1})
	if err != nil {
		return nil, nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	return js, append(out, caseRun{"proved optimum", js.Finishes(best.Schedule), held(js, best.Schedule)}), nil
}

// caseEnd is the last minute that is drawn.
const caseEnd = 60

// held counts the tasks of each job that run in each minute.
func held(js *model.JobSet, s model.Schedule) [][]float64 {
	out := make([][]float64, len(js.Jobs))
	for j := range out {
		out[j] = make([]float64, caseEnd)
	}
	for t, place := range s {
		for at := place.Start; at < min(caseEnd, js.Finish(model.TaskID(t), place)); at++ {
			out[js.Tasks[t].Job][at]++
		}
	}
	return out
}

func (r *caseRun) late(js *model.JobSet) []string {
	var names []string
	for i := range js.Jobs {
		if js.Jobs[i].Late(r.finishes[i]) > 0 {
			names = append(names, js.Jobs[i].Name)
		}
	}
	return names
}

// writeRuns shows when each scheduler finishes each job of a small set, and how it
// shares the capacity out.
func writeRuns(d *document, name string, js *model.JobSet, all []caseRun) {
	header := []string{"scheduler"}
	for i := range js.Jobs {
		header = append(header, fmt.Sprintf("%s, due %d", js.Jobs[i].Name, js.Jobs[i].Due()))
	}
	var rows [][]string
	var panels []*chart.Chart
	for _, r := range all {
		row := []string{r.name}
		c := &chart.Chart{Title: r.name, XLabel: "minute", YLabel: "units a minute", XMax: caseEnd, YMax: 7}
		below := make([]float64, caseEnd)
		for i := range js.Jobs {
			cell := fmt.Sprint(r.finishes[i])
			if js.Jobs[i].Late(r.finishes[i]) > 0 {
				cell += " late"
			}
			row = append(row, cell)
			top := make([]float64, caseEnd)
			for at := range top {
				top[at] = below[at] + r.held[i][at]
			}
			s := steps(js.Jobs[i].Name, top)
			s.Lo, s.Hi, s.Area = steps("", below).Y, s.Y, true
			c.Series = append(c.Series, s)
			below = top
			c.Rules = append(c.Rules, chart.Rule{X: float64(js.Jobs[i].Due()), Name: js.Jobs[i].Name + " due"})
		}
		there := make([]float64, caseEnd)
		for at := range there {
			for s := range js.Slaves {
				if js.Slaves[s].UpUntil(model.Time(at)) > model.Time(at) {
					there[at]++
				}
			}
		}
		capacity := steps("capacity", there)
		capacity.Bold = true
		c.Series = append(c.Series, capacity)
		rows = append(rows, row)
		panels = append(panels, c)
	}
	d.Table(header, rows)
	d.Draw(name, "units of work that each job holds, minute by minute, under each scheduler", func(w io.Writer, format string) error {
		return chart.Panels(w, format, 2, panels)
	})
}

// steps is a line that stays for a minute.
func steps(name string, y []float64) chart.Series {
	s := chart.Series{Name: name}
	for at, v := range y {
		s.X, s.Y = append(s.X, float64(at), float64(at+1)), append(s.Y, v, v)
	}
	return s
}

func writeCase(ctx context.Context, d *document, _ Options) error {
	d.Heading(2, "Case study (§II-B, Table I)")
	js, all, err := smallSet(ctx, "rds-case")
	if err != nil {
		return err
	}
	d.Para("Capacity is 3, 6, 3, 6 units a minute over the four ten-minute intervals, inferred from the text; J1 has 120 units and its deadline at 40, J2 60 units, released at 10, and its deadline at 30. The paper shows FIFO, Fair and the ideal schedule; RDS beside them, as printed and as tuned, is ours.")
	writeRuns(d, "case", js, all)
	expect := func(r caseRun, text string, want ...string) {
		late := r.late(js)
		d.Claim(claim{Where: "§II-B", Text: text, Published: fmt.Sprintf("late: %v", want), Ours: fmt.Sprintf("late: %v", late),
			Verdict: yes(fmt.Sprint(late) == fmt.Sprint(want)), Reason: "Capacity is inferred from the total of 180 units and \"doubled\"; one set, nothing is drawn."})
	}
	expect(all[byFIFO], fifoMisses, "J2")
	expect(all[byFair], fairMisses, "J2")
	expect(all[byEDF], edfMeets)
	expect(all[optimum], bothMet)
	return nil
}

func writeOverload(ctx context.Context, d *document, _ Options) error {
	d.Heading(2, "EDF under overload (Figure 3)")
	js, all, err := smallSet(ctx, "rds-overload")
	if err != nil {
		return err
	}
	d.Para("The paper's overloaded variant of Table I cannot follow from its deadlines: under them EDF serves J2 first and is optimal. This is a set of ours on which EDF fails for the paper's reason: it works on a job that cannot make it any more. So does RDS: nothing in Eq. 3 gives a job up, and capacity falls after the first interval, which no history shows.")
	writeRuns(d, "overload", js, all)
	edf, best := len(all[byEDF].late(js)), len(all[optimum].late(js))
	d.Claim(claim{Where: "Figure 3", Text: edfFails, Setting: "a set of ours", Published: "J2 missed, can be met", Ours: fmt.Sprintf("late: EDF %d, optimum %d", edf, best),
		Verdict: yes(edf > best), Reason: "The published example contradicts its own Table I; ours has the same cause."})
	return nil
}

func rdsWriteOpen(_ context.Context, d *document, _ Options) error {
	d.Heading(2, "What the paper leaves open")
	d.List(workload.NewRDS().Assumptions())
	d.Claim(claim{Where: "§III-D, §V", Text: slotScenarios, Published: "the text is lost", Ours: "-",
		Verdict: untestable, Reason: "§III-D works r_slot out from the resources and the slots that there are, and says that §V treats it otherwise in two scenarios; which, is not in the text. Here whole slaves leave, so that both fall alike and r_slot stays."})
	d.Claim(claim{Where: "§V", Text: textLost, Published: "the text is lost", Ours: "-",
		Verdict: untestable, Reason: "Both texts of the paper that we have end with §IV; the lines above are of what the abstract and §§I to IV say of it."})
	d.Claim(claim{Where: "§IV-D", Text: slowSlaves, Published: "CPU limits in MHz", Ours: "-",
		Verdict: untestable, Reason: "The model has no slave whose speed changes; whole slaves leave, so that capacity falls by the same amount and tasks are kept from running into an absence."})
	return nil
}
