package export

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/tasklabel"
	"downbeat/cmd/internal/version"
	"downbeat/model"
)

// Airflow is what Airflow can be told of a plan: the order in which tasks begin, as priority weights,
// and pools.
type Airflow struct {
	// Tasks are by DAG and task in the order in which they begin in the plan.
	Tasks []AirflowTask
	// Pools are those of the job set.
	Pools []AirflowPool
	// Untold are sentences about what Airflow is not told.
	Untold []string

	digest string
}

// AirflowTask is a task of a DAG, which is all tasks of a stage.
type AirflowTask struct {
	Dag, Task string
	// Weight is the larger the earlier the first of them begins: of the last it is 1.
	Weight int
	// Pool is the pool that it takes Slots of, empty for none.
	Pool  string
	Slots int64
	// PerRun is the cap on its mapped tasks in a run, 0 for none.
	PerRun int64
}

// AirflowPool is a pool with its slots.
type AirflowPool struct {
	Name  string
	Slots int64
}

// AirflowOf is what Airflow can be told of a plan. A job is named by its DAG, or by the DAG and a run with a
// blank between.
func AirflowOf(s *summary.Summary) *Airflow {
	a := &Airflow{digest: s.JS.Digest()}
	first := make([]model.Time, s.JS.Stages())
	for i := range first {
		first[i] = model.Never
	}
	for i := range s.Attempts {
		at := &s.Attempts[i]
		if task := &s.JS.Tasks[at.Task]; !at.Lost {
			st := s.JS.Jobs[task.Job].FirstStage + model.StageID(task.Stage)
			first[st] = min(first[st], at.Start)
		}
	}
	begins := map[[2]string]model.Time{}
	var again []string
	dags := map[string]model.JobID{}
	for i := range s.JS.Jobs {
		job := &s.JS.Jobs[i]
		dag, _, _ := strings.Cut(job.Name, " ")
		if _, twice := dags[dag]; twice && !slices.Contains(again, dag) {
			again = append(again, dag)
		}
		dags[dag] = model.JobID(i)
		for k := range job.Stages {
			at := first[job.FirstStage+model.StageID(k)]
			if at == model.Never {
				continue
			}
			key := [2]string{dag, job.Stages[k].Name}
			if before, known := begins[key]; known {
				begins[key] = min(before, at)
				continue
			}
			begins[key] = at
			a.Tasks = append(a.Tasks, a.task(s.JS, key, &job.Stages[k]))
		}
	}
	at := func(t *AirflowTask) model.Time { return begins[[2]string{t.Dag, t.Task}] }
	slices.SortStableFunc(a.Tasks, func(x, y AirflowTask) int { return cmp.Compare(at(&x), at(&y)) })
	for i, weight := len(a.Tasks)-1, 1; i >= 0; i-- {
		if i+1 < len(a.Tasks) && at(&a.Tasks[i]) < at(&a.Tasks[i+1]) {
			weight++
		}
		a.Tasks[i].Weight = weight
	}
	for i := range s.JS.Pools {
		a.Pools = append(a.Pools, AirflowPool{s.JS.Pools[i].Name, s.JS.Pools[i].Levels[0].Amount})
	}
	a.untold(s.JS, again)
	return a
}

// task is a task of a DAG without its weight. Airflow knows one pool for each: the first.
func (a *Airflow) task(js *model.JobSet, key [2]string, st *model.Stage) AirflowTask {
	out := AirflowTask{Dag: key[0], Task: key[1], PerRun: st.AtMost}
	for _, take := range js.Takes(st.First) {
		if pool := js.Shared()[take.Shared].Pool; pool >= 0 && out.Pool == "" {
			out.Pool, out.Slots = js.Pools[pool].Name, take.Units
		}
	}
	return out
}

// untold says what the plan has and Airflow is not told.
func (a *Airflow) untold(js *model.JobSet, again []string) {
	a.Untold = []string{
		"Airflow begins a task as soon as it may and slots are free: what the plan holds back for later work is not held back.",
		"Workers are not told: a task runs on any that serves its queue. Mapped tasks have one weight, that of the first.",
		"Releases are the schedules of the DAGs, and deadlines are not told.",
	}
	say := func(what string, names []string) {
		if len(names) > 0 {
			more := ""
			if n := len(names) - 10; n > 0 {
				names, more = names[:10], fmt.Sprintf(" and %d more", n)
			}
			a.Untold = append(a.Untold, what+": "+strings.Join(names, ", ")+more+".")
		}
	}
	var caps, wide, gangs, several, levels []string
	for i := range js.Jobs {
		job := &js.Jobs[i]
		if job.AtMost > 0 {
			caps = append(caps, fmt.Sprintf("%s=%d", job.Name, job.AtMost))
		}
		for k := range job.Stages {
			st := &job.Stages[k]
			name, pools := job.Name+"/"+st.Name, 0
			for _, take := range js.Takes(st.First) {
				if js.Shared()[take.Shared].Pool >= 0 {
					pools++
				}
			}
			if pools > 1 {
				several = append(several, name)
			}
			if st.IsGang() || st.IsApart() {
				gangs = append(gangs, name)
			}
			if js.Tasks[st.First].Cores() > 1 || len(js.Named) > 0 && js.Tasks[st.First].Units(0) > 0 {
				wide = append(wide, name)
			}
		}
	}
	for i := range js.Pools {
		if len(js.Pools[i].Levels) > 1 {
			levels = append(levels, js.Pools[i].Name)
		}
	}
	say("The max_active_tasks of a DAG stand in its file, not here; the plan has", caps)
	say("Tasks on more than a core, or with memory, take one slot of a worker like others", wide)
	say("Tasks that start together or are apart may not do so", gangs)
	say("Tasks have one pool, the first of those that the plan has for", several)
	say("The slots of these pools are those at the start, and change over time", levels)
	say("Several runs of a DAG share weights, those of whichever begins first", again)
}

// dags are the names of DAGs in the order of their first tasks, each with its tasks.
func (a *Airflow) dags() (names []string, tasks map[string][]AirflowTask) {
	tasks = map[string][]AirflowTask{}
	for _, t := range a.Tasks {
		if tasks[t.Dag] == nil {
			names = append(names, t.Dag)
		}
		tasks[t.Dag] = append(tasks[t.Dag], t)
	}
	return names, tasks
}

// head are the comments above what is written.
func (a *Airflow) head() []string {
	return append([]string{fmt.Sprintf("Made by downbeat export airflow, version %s, of a plan for the job set %s.", version.String(), tasklabel.Short(a.digest))}, a.Untold...)
}

// policy is what stands around the table of tasks: https://airflow.apache.org/docs/apache-airflow/stable/administration-and-deployment/cluster-policies.html
const policyCode = `

def _absolute(task):
    partial = getattr(task, "partial_kwargs", None)
    if partial is not None:  # a mapped task keeps the word
        partial["weight_rule"] = "absolute"
        return
    try:  # others keep an object, since Airflow 2.9
        from airflow.task.priority_strategy import validate_and_load_priority_weight_strategy as rule
    except ImportError:
        rule = str
    task.weight_rule = rule("absolute")


def task_policy(task):
    of = TASKS.get(task.dag_id, {}).get(task.task_id)
    if of is None:
        return
    _absolute(task)
    task.priority_weight = of["priority_weight"]
    if "pool" in of:
        task.pool, task.pool_slots = of["pool"], of["pool_slots"]
    if "max_active_tis_per_dagrun" in of:
        task.max_active_tis_per_dagrun = of["max_active_tis_per_dagrun"]
`

// Policy writes a cluster policy in Python: a function that gives each task of a DAG its weight as the file is read.
func (a *Airflow) Policy(w io.Writer) error {
	var b strings.Builder
	for _, line := range a.head() {
		b.WriteString("# " + printable(line) + "\n")
	}
	b.WriteString("# This is airflow_local_settings.py in $AIRFLOW_HOME/config, or a module of that name on PYTHONPATH; where there is\n# a task_policy already, let it call this one.\n\n# By DAG and task, the first to begin first.\nTASKS = {\n")
	names, tasks := a.dags()
	for _, dag := range names {
		fmt.Fprintf(&b, "    %s: {\n", python(dag))
		for _, t := range tasks[dag] {
			fmt.Fprintf(&b, "        %s: {\"priority_weight\": %d", python(t.Task), t.Weight)
			if t.Pool != "" {
				fmt.Fprintf(&b, ", \"pool\": %s, \"pool_slots\": %d", python(t.Pool), t.Slots)
			}
			if t.PerRun > 0 {
				fmt.Fprintf(&b, ", \"max_active_tis_per_dagrun\": %d", t.PerRun)
			}
			b.WriteString("},\n")
		}
		b.WriteString("    },\n")
	}
	b.WriteString("}\n" + policyCode)
	_, err := io.WriteString(w, b.String())
	return err
}

// python is a text as a literal of Python.
func python(text string) string { return strconv.QuoteToASCII(text) }

// printable is a text in one line.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}

// Weights writes the same as JSON, for tools of one's own.
func (a *Airflow) Weights(w io.Writer) error {
	type task struct {
		Weight int    `json:"priority_weight"`
		Rule   string `json:"weight_rule"`
		Pool   string `json:"pool,omitempty"`
		Slots  int64  `json:"pool_slots,omitempty"`
		PerRun int64  `json:"max_active_tis_per_dagrun,omitempty"`
	}
	dags := map[string]map[string]task{}
	for _, t := range a.Tasks {
		if dags[t.Dag] == nil {
			dags[t.Dag] = map[string]task{}
		}
		dags[t.Dag][t.Task] = task{t.Weight, "absolute", t.Pool, t.Slots, t.PerRun}
	}
	return indented(w, struct {
		Comments []string                   `json:"comments"`
		Dags     map[string]map[string]task `json:"dags"`
	}{a.head(), dags})
}

// PoolsFile writes the pools as airflow pools import takes them.
func (a *Airflow) PoolsFile(w io.Writer) error {
	type pool struct {
		Slots       int64  `json:"slots"`
		Description string `json:"description"`
		Deferred    bool   `json:"include_deferred"`
	}
	pools := map[string]pool{}
	for _, p := range a.Pools {
		pools[p.Name] = pool{p.Slots, "by downbeat, for the job set " + tasklabel.Short(a.digest), false}
	}
	return indented(w, pools)
}

func indented(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(v)
}
