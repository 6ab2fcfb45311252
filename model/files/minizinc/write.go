package minizinc

import (
	"bufio"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"downbeat/model"
)

//go:embed downbeat.mzn
var constraints string

// Bound says that an objective is to be at most Value.
type Bound struct {
	Objective model.Objective
	Value     int64
}

// Question is what a solver is asked about a job set. The zero value asks for
// any schedule that meets the hard deadlines.
type Question struct {
	// Minimize names objectives, most important first. Several become one sum
	// in which a unit of an objective outweighs all that come later, so its
	// optimum is the lexicographic one.
	Minimize []model.Objective
	// AtMost bounds objectives: a list can also be minimised one objective at a
	// time, those before at the values that were found for them.
	AtMost []Bound
	// Relaxed lets hard jobs be late (C8 is left out).
	Relaxed bool
	// Guide adds the search of Penn §4.2 for solvers that follow annotations:
	// tasks in the order of their releases, then deadlines; for each the slave
	// with the least transfer and execution time first, and the earliest times.
	Guide bool
}

// MaxFigures is how many figures the tables of tasks × slaves may hold; they
// take some 3 bytes each.
const MaxFigures = 20_000_000

// TooLarge says that a model was not written for its size.
type TooLarge struct{ Figures, Limit int }

// Error is a sentence for people.
func (e *TooLarge) Error() string {
	return fmt.Sprintf("the model's tables would hold %d figures, more than the limit of %d", e.Figures, e.Limit)
}

// maxSum is the largest number that Gecode, the most confined of the solvers,
// takes in a domain.
const maxSum = math.MaxInt32 - 1

// TooWide says that a list of objectives makes no sum.
type TooWide struct{ Objectives []model.Objective }

// Error is a sentence for people.
func (e *TooWide) Error() string {
	return fmt.Sprintf("the objectives %v make no single sum below %d, which solvers demand; minimise them one at a time",
		e.Objectives, int64(maxSum))
}

// Check tells why there is no model for js: it has no tasks, or the error is a
// [*TooLarge] or a [*TooWide].
func (q *Question) Check(js *model.JobSet) error {
	if len(js.Tasks) == 0 {
		return errors.New("a job set without tasks has no MiniZinc model")
	}
	tables := 2
	if q.Guide {
		tables++
	}
	if n := tables * len(js.Tasks) * len(js.Slaves); n > MaxFigures {
		return &TooLarge{n, MaxFigures}
	}
	_, err := q.factors(js, q.Horizon(js))
	return err
}

// Write writes the model, the question and the data of js as one MiniZinc text.
// It fails where Check does.
func Write(w io.Writer, js *model.JobSet, q Question) error {
	return WriteApart(w, w, js, q)
}

// WriteApart writes the model with the question, which is the same for all job
// sets, and then the data, each for a file of its own. See [Write].
func WriteApart(model, data io.Writer, js *model.JobSet, q Question) error {
	if err := q.Check(js); err != nil {
		return err
	}
	horizon := q.Horizon(js)
	factors, err := q.factors(js, horizon)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(model)
	out.WriteString(constraints)
	q.write(out)
	if q.Guide {
		out.WriteString(guide)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	out.Reset(data)
	writeData(out, js, horizon)
	if len(factors) > 0 {
		list(out, "factor", factors, func(v int64) any { return v })
	}
	if q.Guide {
		writeGuideData(out, js)
	}
	return out.Flush()
}

// name of an objective's variable in the model.
func name(o model.Objective) string { return strings.ReplaceAll(o.String(), "-", "_") }

func (q *Question) write(out *bufio.Writer) {
	out.WriteString("\n% ---- Question\n\n")
	if !q.Relaxed {
		out.WriteString("constraint deadlines_met();\n")
	}
	for _, b := range q.AtMost {
		fmt.Fprintf(out, "constraint %s <= %d;\n", name(b.Objective), b.Value)
	}
	search := "solve"
	if q.Guide {
		search = "solve :: guide"
	}
	switch n := len(q.Minimize); n {
	case 0:
		fmt.Fprintf(out, "%s satisfy;\n", search)
	case 1:
		fmt.Fprintf(out, "var int: objective :: output = %s;\n%s minimize objective;\n", name(q.Minimize[0]), search)
	default:
		terms := make([]string, n)
		for i, o := range q.Minimize {
			terms[i] = fmt.Sprintf("factor[%d] * %s", i+1, name(o))
		}
		fmt.Fprintf(out, "array[1..%d] of int: factor;           %% one unit outweighs all objectives that follow\n", n)
		fmt.Fprintf(out, "var int: objective :: output = %s;\n%s minimize objective;\n", strings.Join(terms, " + "), search)
	}
}

// factors are the weights of the objectives in their sum: each is one more than
// all later ones can come to by the horizon, and within their bounds.
func (q *Question) factors(js *model.JobSet, horizon model.Time) ([]int64, error) {
	if len(q.Minimize) < 2 {
		return nil, nil
	}
	factors := make([]int64, len(q.Minimize))
	sum := int64(0)
	for i := len(factors) - 1; i >= 0; i-- {
		factors[i] = sum + 1
		most := q.mostOf(js, q.Minimize[i], horizon)
		if most > (maxSum-sum)/factors[i] {
			return nil, &TooWide{q.Minimize}
		}
		sum += factors[i] * most
	}
	return factors, nil
}

// mostOf is what an objective comes to if every job ends at the horizon, or its bound.
func (q *Question) mostOf(js *model.JobSet, o model.Objective, horizon model.Time) int64 {
	most := js.Value(o, slices.Repeat([]model.Time{horizon}, len(js.Jobs)))
	for _, b := range q.AtMost {
		if b.Objective == o {
			most = min(most, b.Value)
		}
	}
	return most
}

const guide = `
% ---- Search (Penn §4.2)

array[int] of TASK: turn;               % tasks by release, deadline, number
array[TASK, SLAVE] of SLAVE: prefer;    % slaves, least transfer + execution first
array[TASK] of var SLAVE: choice;       % index into prefer
constraint forall(t in TASK)(slave[t] = prefer[t, choice[t]]);
ann: guide = seq_search([
  int_search([choice[t], beat[t], fetch[t], start[t]], input_order, indomain_min) | t in turn
]);
`

func writeGuideData(out *bufio.Writer, js *model.JobSet) {
	turn := make([]model.TaskID, len(js.Tasks))
	for t := range turn {
		turn[t] = model.TaskID(t)
	}
	slices.SortStableFunc(turn, func(a, b model.TaskID) int {
		x, y := &js.Jobs[js.Tasks[a].Job], &js.Jobs[js.Tasks[b].Job]
		return cmp.Or(cmp.Compare(x.Release, y.Release), cmp.Compare(x.Due(), y.Due()))
	})
	list(out, "turn", turn, func(t model.TaskID) any { return t + 1 })
	table(out, "prefer", js, func(t model.TaskID) []model.Time {
		order := make([]model.Time, len(js.Slaves))
		for s := range order {
			order[s] = model.Time(s + 1)
		}
		cost := func(s model.Time) model.Time {
			id := model.SlaveID(s - 1)
			if !js.Tasks[t].Eligible(id) {
				return model.Never
			}
			return js.Tasks[t].Transfer(id) + js.Tasks[t].WCET(id)
		}
		slices.SortStableFunc(order, func(a, b model.Time) int { return cmp.Compare(cost(a), cost(b)) })
		return order
	})
}

// down is a row of the model's table of absences.
type down struct {
	slave int
	model.Interval
}

func downsOf(js *model.JobSet) []down {
	var out []down
	for i := range js.Slaves {
		for _, d := range js.Slaves[i].Down {
			out = append(out, down{i + 1, d})
		}
	}
	return out
}

func writeData(out *bufio.Writer, js *model.JobSet, horizon model.Time) {
	out.WriteString("\n% ---- Data\n\n")
	value := func(name string, v any) { fmt.Fprintf(out, "%s = %v;\n", name, v) }
	value("h", js.Heartbeat)
	value("concurrent", js.Fetch == model.FetchConcurrent)
	value("fifo", js.FIFO)
	value("horizon", horizon)

	value("slaves", len(js.Slaves))
	list(out, "first_beat", js.Slaves, func(s model.Slave) any { return s.FirstBeat })
	pools, kinds := Pools(js)
	value("pools", len(pools))
	value("kinds", len(pools[0].Needs))
	list(out, "pool_slave", pools, func(p Pool) any { return p.Slave + 1 })
	list(out, "pool_runs", pools, func(p Pool) any { return p.Hold == model.HoldRun })
	list(out, "pool_units", pools, func(p Pool) any { return p.Units })
	writeNeeds(out, pools)
	downs := downsOf(js)
	value("downs", len(downs))
	list(out, "down_slave", downs, func(d down) any { return d.slave })
	list(out, "down_from", downs, func(d down) any { return d.Start })
	list(out, "down_to", downs, func(d down) any {
		if d.End == model.Never { // solvers count up to 2³¹ or 2⁵³
			return max(d.Start, horizon)
		}
		return d.End
	})

	value("jobs", len(js.Jobs))
	list(out, "release", js.Jobs, func(j model.Job) any { return j.Release })
	list(out, "due", js.Jobs, func(j model.Job) any { return min(j.Due(), horizon) })
	list(out, "hard", js.Jobs, func(j model.Job) any { return j.Kind == model.Hard })
	list(out, "soft", js.Jobs, func(j model.Job) any { return j.Kind == model.Soft })
	list(out, "weight", js.Jobs, func(j model.Job) any { return j.Weight })

	writeLinks(out, js)

	value("tasks", len(js.Tasks))
	list(out, "job", js.Tasks, func(t model.Task) any { return t.Job + 1 })
	list(out, "stage", js.Tasks, func(t model.Task) any { return t.Stage + 1 })
	list(out, "kind", kinds, func(k int) any { return k + 1 })
	row := func(at func(*model.Profile, model.SlaveID) model.Time) func(model.TaskID) []model.Time {
		return func(t model.TaskID) []model.Time {
			out := make([]model.Time, len(js.Slaves))
			for s := range out {
				if p := js.Tasks[t].Profile; p.Eligible(model.SlaveID(s)) {
					out[s] = at(p, model.SlaveID(s))
				}
			}
			return out
		}
	}
	list(out, "task_name", js.Tasks, func(t model.Task) any {
		j := &js.Jobs[t.Job]
		return quote(cell(j.Name) + "," + cell(j.Stages[t.Stage].Name) + "," + strconv.Itoa(int(t.Number)))
	})
	list(out, "slave_name", js.Slaves, func(s model.Slave) any { return quote(cell(s.Name)) })
	table(out, "wcet", js, row((*model.Profile).WCET))
	table(out, "transfer", js, row((*model.Profile).Transfer))
	writeShared(out, js, horizon)
}

// link is that one stage of a job, or one job, comes after another.
type link struct {
	job           model.JobID
	before, after int
}

// writeLinks writes which stages and jobs come after others, as the jobs say it.
func writeLinks(out *bufio.Writer, js *model.JobSet) {
	var stages, jobs []link
	for i := range js.Jobs {
		job := &js.Jobs[i]
		for k := range job.Stages {
			for _, before := range job.Stages[k].After {
				stages = append(stages, link{model.JobID(i), int(before), k})
			}
		}
		for _, before := range job.After {
			jobs = append(jobs, link{before: int(before), after: i})
		}
	}
	before := func(l link) any { return l.before + 1 }
	after := func(l link) any { return l.after + 1 }
	fmt.Fprintf(out, "links = %d;\n", len(stages))
	list(out, "link_job", stages, func(l link) any { return l.job + 1 })
	list(out, "link_before", stages, before)
	list(out, "link_after", stages, after)
	fmt.Fprintf(out, "job_links = %d;\n", len(jobs))
	list(out, "job_before", jobs, before)
	list(out, "job_after", jobs, after)
}

// writeNeeds writes an array with one row per pool and one column per kind of task.
func writeNeeds(out *bufio.Writer, pools []Pool) {
	out.WriteString("pool_need = array2d(POOL, KIND, [\n")
	for _, p := range pools {
		out.WriteString(" ")
		for _, need := range p.Needs {
			fmt.Fprintf(out, " %d,", need)
		}
		out.WriteString("\n")
	}
	out.WriteString("]);\n")
}

// cell is a text as it stands in a CSV file.
func cell(text string) string {
	if !strings.ContainsAny(text, `",`) && strings.TrimSpace(text) == text {
		return text
	}
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
}

// quote is a text without control characters as MiniZinc writes it.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// list writes an array with one entry per item.
func list[T any](out *bufio.Writer, name string, items []T, entry func(T) any) {
	fmt.Fprintf(out, "%s = [", name)
	for i, item := range items {
		if i > 0 {
			out.WriteString(", ")
		}
		fmt.Fprint(out, entry(item))
	}
	out.WriteString("];\n")
}

// table writes an array with one row per task and one column per slave.
func table(out *bufio.Writer, name string, js *model.JobSet, row func(model.TaskID) []model.Time) {
	fmt.Fprintf(out, "%s = array2d(TASK, SLAVE, [\n", name)
	for t := range js.Tasks {
		out.WriteString(" ")
		for _, v := range row(model.TaskID(t)) {
			fmt.Fprintf(out, " %d,", v)
		}
		fmt.Fprintf(out, " %% %q\n", js.TaskName(model.TaskID(t)))
	}
	out.WriteString("]);\n")
}
