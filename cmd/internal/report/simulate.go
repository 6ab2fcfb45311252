package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/online"
)

// Simulation is one job set under one policy or several.
type Simulation struct {
	JS *model.JobSet
	// Options that all runs had.
	Options online.Options
	Runs    []Run
	// Seeds are those of many runs, in place of the one of Options.
	Seeds []uint64
}

// Run is what one policy made of the job set.
type Run struct {
	// Policy as the user named it, parameters included.
	Policy  string
	Outcome *online.Outcome
}

// RunLine is the outcome of a run in a line.
func RunLine(r *Run) string {
	out := r.Outcome
	m := online.Measure(out)
	line := r.Policy + " " + strings.Join(deeds(out.JobSet, &m, len(out.LeftOut)), " and ")
	var values []string
	for _, o := range shownGoal(out.JobSet) {
		values = append(values, o.String()+" "+wording.ClockOf(out.JobSet).Value(o.String(), out.Value(o)))
	}
	return line + " (" + strings.Join(values, ", ") + ")"
}

// shownGoal is the goal of a job set, or makespan where there is none.
func shownGoal(js *model.JobSet) []model.Objective {
	if goal := js.Goal(); len(goal) > 0 {
		return goal
	}
	return []model.Objective{model.Makespan}
}

// deeds say what a run did about hard deadlines, whom it rejected and how many it left out.
func deeds(js *model.JobSet, m *online.Measures, leftOut int) []string {
	hard := len(wording.JobsOf(js, model.Hard))
	var out []string
	rejected := m.Jobs - m.Accepted
	switch {
	case m.HardMisses > 0:
		out = append(out, "misses "+wording.Count(int(m.HardMisses), "hard deadline"))
	case hard > 0 && m.RejectedHard == 0:
		out = append(out, "meets every hard deadline")
	case hard == 0 && rejected == 0 && leftOut == 0:
		out = append(out, "runs every job")
	}
	if leftOut > 0 {
		out = append(out, "has "+wording.Count(leftOut, "job")+" left out")
	}
	if rejected > 0 {
		text := "rejects " + wording.Count(rejected, "job")
		if m.RejectedHard > 0 {
			text += fmt.Sprintf(", %d of them hard", m.RejectedHard)
		}
		out = append(out, text)
	}
	return out
}

// worstCase tells that nothing was left to chance.
const worstCase = "worst-case durations, no failures"

// chance tells of durations and failures, and of the seed that they depend on.
func (sim *Simulation) chance() string {
	if sim.Options.Durations == nil && sim.Options.Faults == nil {
		return worstCase
	}
	return fmt.Sprintf("%s; seed %d", sim.drawn(), sim.Options.Seed)
}

// drawn tells of durations and failures.
func (sim *Simulation) drawn() string {
	o, clock := &sim.Options, wording.ClockOf(sim.JS)
	text := "worst-case durations"
	if o.Durations != nil {
		text = "durations " + o.Durations.String()
	}
	if f := o.Faults; f != nil {
		text += fmt.Sprintf(", a machine fails every %s and is back after %s on average",
			meanTime(clock, f.MTBF), meanTime(clock, f.MTTR))
	}
	return text
}

// meanTime is a number of ticks that need not be whole.
func meanTime(clock wording.Clock, ticks float64) string {
	if whole := model.Time(ticks); float64(whole) == ticks {
		return clock.Length(whole)
	}
	return fmt.Sprintf("%g ticks", ticks)
}

// Simulate prints headline, measures, jobs, slaves and chart of one run, and
// its trace if it has one; of several runs a table.
func (v *textView) Simulate(sim *Simulation) error {
	var b bytes.Buffer
	if len(sim.Runs) != 1 {
		fmt.Fprintln(&b, wording.SetLine(sim.JS))
		fmt.Fprintln(&b, sim.chance())
		v.runs(&b, sim)
		return v.flush(&b)
	}
	run := &sim.Runs[0]
	st := table.Good
	if !run.Outcome.HardMet() {
		st = table.Bad
	}
	line := RunLine(run)
	fmt.Fprintln(&b, st.Paint(line[:len(run.Policy)], v.page.Color)+line[len(run.Policy):])
	fmt.Fprintln(&b, wording.SetLine(sim.JS))
	fmt.Fprintln(&b, sim.chance())
	unpromised(&b, sim)
	v.leftOut(&b, sim.JS, run.Outcome.LeftOut)
	s := summary.SummarizeRun(run.Outcome)
	v.measures(&b, s, run.Outcome)
	v.jobs(&b, s)
	if len(s.Attempts) > 0 {
		v.slaves(&b, s)
		v.shared(&b, s)
		v.chart(&b, s)
	}
	if sim.Options.Trace {
		v.trace(&b, s, run.Outcome)
	}
	return v.flush(&b)
}

// measures prints the figures of one run.
func (v *textView) measures(b *bytes.Buffer, s *summary.Summary, out *online.Outcome) {
	m, clock := online.Measure(out), s.Clock
	v.page.Title(b, "Measures")
	t := table.Table{Align: "<<", Wrap: true}
	add := func(name, format string, args ...any) { t.Add(table.Head(name), fmt.Sprintf(format, args...)) }
	add("accepted", "%d of %s", m.Accepted, wording.Count(m.Jobs, "job"))
	add("in time", "%d of these (%.0f%%)", m.Successful, 100*m.SuccessRatio)
	add("hard", "%d late, %d rejected", m.HardMisses, m.RejectedHard)
	add("soft", "misses %d, longest delay %s, weighted delay %s", m.Misses, clock.Span(model.Time(m.MaxTardiness)), clock.Span(model.Time(m.WeightedTardiness)))
	add("penalty", "%.2f (weight × delay / deadline, over late jobs)", m.Penalty)
	add("makespan", "%s", clock.Point(model.Time(m.Makespan)))
	add("response", "%s on average", clock.Span(model.Time(m.MeanResponse+0.5)))
	add("slots", "held %s of the time, %s by jobs in time", ratio(m.TotalUtilization), ratio(m.Utilization))
	if js := out.JobSet; containers(js) {
		add("cores", "busy %s of the time", ratio(m.CoreUtilization))
		for i, name := range js.Named {
			add(name, "held %s of the time", ratio(m.ResourceUtilization[i]))
		}
	}
	add("local", "%s of the tasks that can be", ratio(m.Locality))
	if n := len(out.Failures); n > 0 {
		add("failures", "%d, %s", n, wording.Count(len(out.Lost), "attempt")+" lost")
	}
	t.Write(b, v.page)
}

// containers reports whether tasks need more than a slot and a core each.
func containers(js *model.JobSet) bool {
	return len(js.Named) > 0 || slices.ContainsFunc(js.Tasks, func(t model.Task) bool { return t.Cores() > 1 })
}

func ratio(x float64) string { return fmt.Sprintf("%.0f%%", 100*x) }

// runs compares policies, one a line.
func (v *textView) runs(b *bytes.Buffer, sim *Simulation) {
	fmt.Fprintln(b)
	clock := wording.ClockOf(sim.JS)
	t := table.Table{Align: "<>>>>>>>>>"}
	t.Add(table.Head("policy"), table.Head("accepted"), table.Head("in time"), table.Head("hard"), table.Head("misses"),
		table.Head("tardiness"), table.Head("makespan"), table.Head("penalty"), table.Head("held"), table.Head("local"))
	for i := range sim.Runs {
		m := online.Measure(sim.Runs[i].Outcome)
		t.Add(table.Bold.Cell(sim.Runs[i].Policy), fmt.Sprintf("%d/%d", m.Accepted, m.Jobs), fmt.Sprintf("%d/%d", m.Successful, m.Accepted),
			hardLost(&m), m.Misses, clock.Span(model.Time(m.MaxTardiness)),
			clock.Point(model.Time(m.Makespan)), fmt.Sprintf("%.2f", m.Penalty), ratio(m.TotalUtilization), ratio(m.Locality))
	}
	t.Write(b, v.page)
	fmt.Fprintln(b, "\nhard: hard jobs late+rejected; held: share of slot time; local: share of the tasks that can be")
	unpromised(b, sim)
	v.leftOutByRuns(b, sim)
}

// unpromised tells of which policies the admission tests do not know all that ties tasks to each other.
func unpromised(b *bytes.Buffer, sim *Simulation) {
	var names []string
	for i := range sim.Runs {
		if sim.Runs[i].Outcome.Unpromised {
			names = append(names, sim.Runs[i].Policy)
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(b, "no promise by %s: what it accepts was tested for slots, not for pools, caps, gangs and tasks apart\n", table.Printable(wording.Listed(names, "and")))
	}
}

// leftOutByRuns tells of each run which jobs it left out, runs that left out the same together.
func (v *textView) leftOutByRuns(b *bytes.Buffer, sim *Simulation) {
	var said []string
	by := map[string][]string{}
	for i := range sim.Runs {
		if out := sim.Runs[i].Outcome; len(out.LeftOut) > 0 {
			jobs := some(wording.NamesOfJobs(sim.JS, out.LeftOut))
			if by[jobs] == nil {
				said = append(said, jobs)
			}
			by[jobs] = append(by[jobs], sim.Runs[i].Policy)
		}
	}
	for _, jobs := range said {
		who := "every policy"
		if len(by[jobs]) < len(sim.Runs) {
			who = wording.Listed(by[jobs], "and")
		}
		fmt.Fprintf(b, "left out by %s, as they can run nowhere any more: %s\n", table.Printable(who), jobs)
	}
}

// hardLost counts hard jobs late and rejected: "1+2", one figure where none is
// rejected.
func hardLost(m *online.Measures) table.Cell {
	c := table.Cell{Text: fmt.Sprint(m.HardMisses)}
	if m.RejectedHard > 0 {
		c.Text += fmt.Sprintf("+%d", m.RejectedHard)
	}
	if m.HardMisses+m.RejectedHard > 0 {
		c.Style = table.Bad
	}
	return c
}

// maxCandidates bounds those shown for a decision; JSON has them all.
const maxCandidates = 6

// trace prints each decision and what it was chosen from, best first.
func (v *textView) trace(b *bytes.Buffer, s *summary.Summary, out *online.Outcome) {
	v.page.Title(b, "Decisions, with what there was to choose from, best first")
	t := table.Table{Align: "><<"}
	for i := range out.Trace {
		d := &out.Trace[i]
		t.Add(s.Clock.Point(d.At), decisionText(s.JS, d), candidatesText(d))
	}
	t.Write(b, v.page)
}

func decisionText(js *model.JobSet, d *online.Decision) string {
	switch {
	case d.Task >= 0:
		return js.Slaves[d.Slave].Name + " gets " + js.TaskName(d.Task)
	case d.Accepted:
		return "accepts " + js.Jobs[d.Job].Name
	default:
		return "rejects " + js.Jobs[d.Job].Name
	}
}

func candidatesText(d *online.Decision) string {
	if d.Task < 0 {
		return d.Why
	}
	var parts []string
	for i, c := range d.Candidates {
		if i == maxCandidates {
			parts = append(parts, fmt.Sprintf("+%d more", len(d.Candidates)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%s/%s %s", c.Job, c.Stage, c.Key))
	}
	return strings.Join(parts, " | ")
}

type runJSON struct {
	Policy   string       `json:"policy"`
	Measures measuresJSON `json:"measures"`
	Rejected []string     `json:"rejected"`
	// LeftOut could run nowhere any more.
	LeftOut []string `json:"left_out,omitempty"`
	Lost    int      `json:"lost"`
	// Unpromised is set where the admission test knows not all that ties tasks to each other.
	Unpromised bool           `json:"unpromised,omitempty"`
	Trace      []decisionJSON `json:"trace,omitempty"`
}

type measuresJSON struct {
	Jobs             int     `json:"jobs"`
	Accepted         int     `json:"accepted"`
	Successful       int     `json:"successful"`
	AcceptRatio      float64 `json:"accept_ratio"`
	SuccessRatio     float64 `json:"success_ratio"`
	Utilization      float64 `json:"utilization"`
	TotalUtilization float64 `json:"total_utilization"`
	CoreUtilization  float64 `json:"core_utilization"`
	// ResourceUtilization is in the order of the set's resources.
	ResourceUtilization []float64 `json:"resource_utilization,omitempty"`
	HardMisses          int64     `json:"hard_misses"`
	RejectedHard        int64     `json:"rejected_hard"`
	Misses              int64     `json:"misses"`
	MaxTardiness        int64     `json:"tardiness"`
	WeightedTardiness   int64     `json:"weighted-tardiness"`
	Makespan            int64     `json:"makespan"`
	Penalty             float64   `json:"penalty"`
	Locality            float64   `json:"locality"`
	MeanResponse        float64   `json:"mean_response"`
}

type decisionJSON struct {
	At model.Time `json:"at"`
	// Task and Slave of a task handed out, Job and Accepted of an admission.
	Task       string          `json:"task,omitempty"`
	Slave      string          `json:"slave,omitempty"`
	Job        string          `json:"job,omitempty"`
	Accepted   *bool           `json:"accepted,omitempty"`
	Why        string          `json:"why,omitempty"`
	Candidates []candidateJSON `json:"candidates,omitempty"`
}

type candidateJSON struct {
	Job   string `json:"job"`
	Stage string `json:"stage"`
	Key   string `json:"key"`
}

// simulationJSON is what was played.
type simulationJSON struct {
	aboutJSON
	Seed      *uint64     `json:"seed,omitempty"`
	Seeds     []uint64    `json:"seeds,omitempty"`
	Durations string      `json:"durations"`
	Faults    *faultsJSON `json:"faults"`
}

type faultsJSON struct {
	MTBF float64 `json:"mtbf"`
	MTTR float64 `json:"mttr"`
}

func newSimulationJSON(sim *Simulation) simulationJSON {
	s := simulationJSON{aboutJSON: newAboutJSON(sim.JS), Seeds: sim.Seeds, Durations: "worst"}
	if sim.Seeds == nil {
		s.Seed = &sim.Options.Seed
	}
	if sim.Options.Durations != nil {
		s.Durations = sim.Options.Durations.String()
	}
	if f := sim.Options.Faults; f != nil {
		s.Faults = &faultsJSON{f.MTBF, f.MTTR}
	}
	return s
}

// runsJSON is the answer of simulate for one seed.
type runsJSON struct {
	simulationJSON
	Runs []runJSON `json:"runs"`
}

// Simulate prints the measures of all runs, with their traces if asked for.
func (v *jsonView) Simulate(sim *Simulation) error {
	answer := runsJSON{simulationJSON: newSimulationJSON(sim)}
	for i := range sim.Runs {
		out := sim.Runs[i].Outcome
		run := runJSON{Policy: sim.Runs[i].Policy, Measures: measuresJSON(online.Measure(out)), Rejected: []string{}, Lost: len(out.Lost), Unpromised: out.Unpromised}
		for _, id := range out.Rejected {
			run.Rejected = append(run.Rejected, sim.JS.Jobs[id].Name)
		}
		run.LeftOut = wording.NamesOfJobs(sim.JS, out.LeftOut)
		for k := range out.Trace {
			run.Trace = append(run.Trace, newDecisionJSON(sim.JS, &out.Trace[k]))
		}
		answer.Runs = append(answer.Runs, run)
	}
	return v.write(answer)
}

func newDecisionJSON(js *model.JobSet, d *online.Decision) decisionJSON {
	out := decisionJSON{At: d.At, Why: d.Why}
	if d.Task < 0 {
		out.Job, out.Accepted = js.Jobs[d.Job].Name, &d.Accepted
		return out
	}
	out.Task, out.Slave = js.TaskName(d.Task), js.Slaves[d.Slave].Name
	for _, c := range d.Candidates {
		out.Candidates = append(out.Candidates, candidateJSON(c))
	}
	return out
}
