// Airflow reads what its database and its REST API tell: the tables task_instance,
// dag_run, slot_pool and serialized_dag as CSV or JSON, and the answers about task
// instances, runs, tasks, pools and DAGs, of Airflow 1.10 to 3.

package trace

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Airflow reads tables and answers of Airflow in any order, and puts them together by the
// names of DAGs, tasks and runs: a DAG is a job, its tasks are stages, mapped tasks are
// the tasks of one.
type Airflow struct {
	// Now asks for what the last run of each DAG is doing, in place of jobs.
	Now bool

	in    *Input
	t     *Trace
	clock Table // for points in time, which Airflow writes in UTC
	dags  map[string]*airflowDag
	order []*airflowDag
	lists []airflowList
	kept  int // task instances
	begun int // runs with task instances
	told  int // runs of dag_run
	// others are runs with task instances that are left out because there are enough.
	others map[string]bool
	names  map[string]string
}

// airflowDag is a DAG by what is told of it.
type airflowDag struct {
	id      string
	at      Place
	tasks   map[string]*airflowTask // those of its graph
	listed  bool                    // its graph is told
	atMost  int64
	timeout int64 // Unknown as a rule
	runs    map[string]*airflowRun
	order   []*airflowRun
}

// airflowTask is a task of a graph.
type airflowTask struct {
	after  []string
	weight int64 // its own, Unknown where that is not told
	atMost int64
}

// airflowList is an answer about tasks that does not say of which DAG they are.
type airflowList struct {
	tasks map[string]*airflowTask
	at    Place
}

// airflowRun is a run of a DAG.
type airflowRun struct {
	id      string
	at      Place
	begun   bool // it has task instances
	backlog bool // it was created long after its interval had ended
	// submit is when it may have begun, finish when it ended, logical its date; queued is when the first
	// of its tasks was.
	submit, finish, logical, queued int64
	stages                          map[string]*airflowStage
	order                           []*airflowStage
	attempts                        []Attempt // of Now
}

// airflowStage is a task with its instances.
type airflowStage struct {
	id     string
	after  []string // by a column of the table
	tasks  []airflowInstance
	pool   string
	slots  int64
	weight int64 // with those of its successors, as a rule
}

// airflowInstance is a task instance; start and finish are Unknown where nothing of use is told.
type airflowInstance struct {
	index         int32
	host          Host
	start, finish int64
}

// airflowCell is a cell: the text or the number in JSON, anything else as JSON.
type airflowCell string

// UnmarshalJSON never fails.
func (c *airflowCell) UnmarshalJSON(src []byte) error {
	var text string
	switch {
	case string(src) == "null":
		text = ""
	case json.Unmarshal(src, &text) != nil:
		text = string(src)
	}
	*c = airflowCell(text)
	return nil
}

// airflowRow is a row of a table, or an item of an answer: what matters of any of them.
type airflowRow struct {
	Dag         airflowCell `json:"dag_id"`
	Task        airflowCell `json:"task_id"`
	RunID       airflowCell `json:"run_id"`
	DagRunID    airflowCell `json:"dag_run_id"`
	Execution   airflowCell `json:"execution_date"`
	Logical     airflowCell `json:"logical_date"`
	MapIndex    airflowCell `json:"map_index"`
	State       airflowCell `json:"state"`
	Start       airflowCell `json:"start_date"`
	End         airflowCell `json:"end_date"`
	Duration    airflowCell `json:"duration"`
	Host        airflowCell `json:"hostname"`
	Pool        airflowCell `json:"pool"`
	PoolSlots   airflowCell `json:"pool_slots"`
	Name        airflowCell `json:"name"`
	Slots       airflowCell `json:"slots"`
	Weight      airflowCell `json:"priority_weight"`
	QueuedDttm  airflowCell `json:"queued_dttm"`
	QueuedWhen  airflowCell `json:"queued_when"`
	QueuedAt    airflowCell `json:"queued_at"`
	IntervalEnd airflowCell `json:"data_interval_end"`
	RunAfter    airflowCell `json:"run_after"`
	RunType     airflowCell `json:"run_type"`
	AtMost      airflowCell `json:"max_active_tasks"`
	Concurrency airflowCell `json:"concurrency"`
	Timeout     airflowCell `json:"dag_run_timeout"`
	Timeout3    airflowCell `json:"dagrun_timeout"`
	Data        airflowCell `json:"data"`
	Upstream    airflowCell `json:"upstream"`
	UpstreamIDs airflowCell `json:"upstream_task_ids"`
	Downstream  airflowCell `json:"downstream_task_ids"`
	PerRun      airflowCell `json:"max_active_tis_per_dagrun"`
}

// cells are the fields of a row by their names.
func (r *airflowRow) cells() map[string]*airflowCell {
	return map[string]*airflowCell{
		"dag_id": &r.Dag, "task_id": &r.Task, "run_id": &r.RunID, "dag_run_id": &r.DagRunID, "execution_date": &r.Execution, "logical_date": &r.Logical,
		"map_index": &r.MapIndex, "state": &r.State, "start_date": &r.Start, "end_date": &r.End, "duration": &r.Duration, "hostname": &r.Host,
		"pool": &r.Pool, "pool_slots": &r.PoolSlots, "name": &r.Name, "slots": &r.Slots, "priority_weight": &r.Weight, "queued_dttm": &r.QueuedDttm,
		"queued_when": &r.QueuedWhen, "queued_at": &r.QueuedAt, "data_interval_end": &r.IntervalEnd, "run_after": &r.RunAfter, "run_type": &r.RunType,
		"max_active_tasks": &r.AtMost, "concurrency": &r.Concurrency, "dag_run_timeout": &r.Timeout, "dagrun_timeout": &r.Timeout3, "data": &r.Data,
		"upstream": &r.Upstream, "upstream_task_ids": &r.UpstreamIDs, "downstream_task_ids": &r.Downstream, "max_active_tis_per_dagrun": &r.PerRun,
	}
}

// Read implements Reader.
func (a *Airflow) Read(in *Input, t *Trace) error {
	a.in, a.t = in, t
	if a.dags == nil {
		a.dags, a.names = map[string]*airflowDag{}, map[string]string{}
		a.clock = Table{separator: ','}
	}
	head := strings.TrimLeft(string(in.Peek(512)), " \t\r\n")
	if strings.HasPrefix(head, "{") || strings.HasPrefix(head, "[") {
		return a.json()
	}
	return a.table()
}

// table reads CSV.
func (a *Airflow) table() error {
	rec := records{in: a.in}
	f, ok := rec.next()
	switch {
	case !ok && a.in.Err() != nil:
		return a.in.Err()
	case !ok:
		f := a.in.Empty("table", "export it with its headings: psql --csv -c 'select * from task_instance'")
		return &f
	case f != nil:
		return f
	}
	var row airflowRow
	cells := row.cells()
	columns := make([]*airflowCell, len(rec.cells))
	for i, heading := range rec.cells {
		columns[i] = cells[AirflowHeading(heading)]
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(columns, cells[name]) })
	}
	if !has("dag_id") && !(has("pool") && has("slots")) {
		f := a.in.Fault(0, "there is no column dag_id", "export the table with its headings: task_instance, dag_run, slot_pool or serialized_dag")
		return &f
	}
	fault := func(message, advice string) *Fault { f := a.in.Fault(0, message, advice); return &f }
	for {
		f, ok := rec.next()
		if !ok {
			return a.in.Err()
		}
		if f == nil && len(rec.cells) != len(columns) {
			f = fault(fmt.Sprintf("the line has %d cells, the header has %d", len(rec.cells), len(columns)), "put cells that hold a separator in quotes")
		}
		if f == nil {
			row = airflowRow{}
			for i, text := range rec.cells {
				if columns[i] != nil {
					*columns[i] = airflowCell(text)
				}
			}
			f = a.row(&row, fault)
		}
		if f != nil {
			a.t.Unusable.AddByReason("lines that cannot be used", *f)
		}
	}
}

// AirflowHeading is a heading of a table as Airflow has it.
func AirflowHeading(heading string) string {
	return strings.ToLower(strings.Trim(heading, `"' `))
}

// airflowLists are the fields of answers that hold lists of rows.
var airflowLists = []string{"task_instances", "dag_runs", "pools", "dags"}

var airflowPoolsFile = regexp.MustCompile(`^\s*\{\s*"[^"]*"\s*:\s*\{\s*"(slots|description|include_deferred)"\s*:`)

// json reads answers, lists of rows and what airflow pools export writes.
func (a *Airflow) json() error {
	head := a.in.Peek(1 << 16)
	if airflowPoolsFile.Match(head) {
		return a.in.Values(a.t, "pools", `airflow pools export writes {"db": {"slots": 4}}`, a.poolsFile)
	}
	list := strings.HasPrefix(strings.TrimLeft(string(head), " \t\r\n"), "[")
	return a.in.Values(a.t, "answer of Airflow", `an answer is an object like {"task_instances": […]}`, func(d *JSON) error {
		if list {
			return d.Array("the list", func() error { return a.item(d, "") })
		}
		return a.answer(d)
	})
}

func (a *Airflow) poolsFile(d *JSON) error {
	return d.Object("the file", func(name string) error {
		var pool struct {
			Slots *float64 `json:"slots"`
		}
		err := a.t.PassOver("pools that cannot be used", d.Decode(&pool))
		if err == nil && pool.Slots != nil {
			a.pool(Name(name), strconv.FormatFloat(*pool.Slots, 'f', -1, 64))
		}
		return err
	})
}

// answer reads an object: an answer with a list, or a row by itself.
func (a *Airflow) answer(d *JSON) error {
	var row airflowRow
	cells := row.cells()
	at := d.Place()
	rows := true
	if err := d.Object("the answer", func(name string) error {
		switch {
		case slices.Contains(airflowLists, name):
			rows = false
			return a.t.PassOver("lists that cannot be used", d.Array(name, func() error { return a.item(d, name) }))
		case name == "tasks":
			rows = false
			list := airflowList{tasks: map[string]*airflowTask{}, at: at}
			err := a.t.PassOver("lists that cannot be used", d.Array(name, func() error { return a.listed(d, list.tasks) }))
			a.lists = append(a.lists, list)
			return err
		case cells[name] != nil:
			return d.Decode(cells[name])
		}
		return d.Skip()
	}); err != nil || !rows {
		return err
	}
	if f := a.row(&row, func(message, advice string) *Fault { f := d.Fault(message, advice); f.Place = at; return &f }); f != nil {
		a.t.Unusable.AddByReason("rows that cannot be used", *f)
	}
	return nil
}

// item reads an item of a list of rows.
func (a *Airflow) item(d *JSON, list string) error {
	var row airflowRow
	if err := d.Decode(&row); err != nil {
		return a.t.PassOver("rows that cannot be used", err)
	}
	if list == "pools" {
		row.Pool = cmp.Or(row.Name, row.Pool)
	}
	if f := a.row(&row, func(message, advice string) *Fault { f := d.Fault(message, advice); return &f }); f != nil {
		a.t.Unusable.AddByReason("rows that cannot be used", *f)
	}
	return nil
}

// listed reads an item of an answer about the tasks of a DAG.
func (a *Airflow) listed(d *JSON, tasks map[string]*airflowTask) error {
	var f struct {
		TaskID     Text     `json:"task_id"`
		Downstream []string `json:"downstream_task_ids"`
		Weight     Int      `json:"priority_weight"`
		PerRun     Int      `json:"max_active_tis_per_dagrun"`
	}
	if err := d.Decode(&f); err != nil {
		return a.t.PassOver("tasks that cannot be used", err)
	}
	if f.TaskID == "" {
		a.t.Unusable.Add("tasks without a task_id", d.Fault("a task without a task_id", ""))
		return nil
	}
	airflowPut(tasks, string(f.TaskID), f.Downstream, f.Weight.Value(), max(0, f.PerRun.Value()))
	return nil
}

// airflowPut puts a task into a graph.
func airflowPut(tasks map[string]*airflowTask, id string, down []string, weight, atMost int64) {
	of := func(id string) *airflowTask {
		if tasks[id] == nil {
			tasks[id] = &airflowTask{weight: Unknown}
		}
		return tasks[id]
	}
	own := of(id)
	own.weight, own.atMost = weight, atMost
	for _, next := range down {
		if own := of(next); !slices.Contains(own.after, id) {
			own.after = append(own.after, id)
		}
	}
}

// dag is the DAG of that name.
func (a *Airflow) dag(id string, at Place) *airflowDag {
	d := a.dags[id]
	if d == nil {
		d = &airflowDag{id: id, at: at, tasks: map[string]*airflowTask{}, timeout: Unknown, runs: map[string]*airflowRun{}}
		a.dags[id] = d
		a.order = append(a.order, d)
	}
	return d
}

// run is the run of that name.
func (d *airflowDag) run(id string, at Place) *airflowRun {
	r := d.runs[id]
	if r == nil {
		r = &airflowRun{id: id, at: at, submit: Unknown, finish: Unknown, logical: Unknown, queued: Unknown, stages: map[string]*airflowStage{}}
		d.runs[id] = r
		d.order = append(d.order, r)
	}
	return r
}

// row keeps what a row tells.
func (a *Airflow) row(r *airflowRow, fault func(message, advice string) *Fault) *Fault {
	for _, c := range []*airflowCell{&r.RunID, &r.DagRunID, &r.Execution, &r.Logical, &r.MapIndex, &r.State, &r.Start, &r.End, &r.Duration, &r.Host, &r.Pool, &r.PoolSlots, &r.Slots,
		&r.Weight, &r.QueuedDttm, &r.QueuedWhen, &r.QueuedAt, &r.IntervalEnd, &r.RunAfter, &r.RunType, &r.AtMost, &r.Concurrency, &r.Timeout, &r.Timeout3, &r.Upstream, &r.UpstreamIDs} {
		if slices.Contains(nothing, string(*c)) {
			*c = ""
		}
	}
	dag := Name(string(r.Dag))
	switch {
	case dag == "" && r.Pool != "" && r.Slots != "":
		return a.sized(r, fault)
	case dag == "":
		return fault("there is no dag_id", "rows are those of task_instance, dag_run, slot_pool or serialized_dag")
	case r.Task != "":
		return a.instance(dag, r, fault)
	case r.RunID != "" || r.DagRunID != "":
		return a.dagRun(dag, r, fault)
	case r.Data != "":
		return a.serialized(dag, r, fault)
	case r.AtMost != "" || r.Concurrency != "" || r.Timeout != "" || r.Timeout3 != "":
		return a.details(dag, r, fault)
	}
	a.t.Remarks.Add("rows about DAGs that tell nothing of use", *fault("the DAG "+dag, ""))
	return nil
}

// sized is a pool with its slots.
func (a *Airflow) sized(r *airflowRow, fault func(message, advice string) *Fault) *Fault {
	if !a.pool(Name(string(r.Pool)), string(r.Slots)) {
		return fault(fmt.Sprintf("pool %s has %q slots", r.Pool, string(r.Slots)), "write a whole number; -1 is for no limit")
	}
	return nil
}

// pool keeps the size of a pool; one of -1 slots has no limit, and is none.
func (a *Airflow) pool(name, slots string) bool {
	n, err := strconv.ParseFloat(slots, 64)
	if err != nil || name == "" || !(n >= -1 && n <= 1e9) {
		return false
	}
	if a.names[name] = name; n >= 0 {
		a.t.AddPool(Pool{Name: name, Amount: int64(n)})
	} else {
		a.names[name] = ""
	}
	return true
}

// at is a point in time, Unknown for an empty cell.
func (a *Airflow) at(name string, c airflowCell, fault func(message, advice string) *Fault) (int64, *Fault) {
	if c == "" {
		return Unknown, nil
	}
	p, advice := a.clock.time(string(c), nil)
	if advice != "" || !p.epoch || p.at < 0 {
		return Unknown, fault(fmt.Sprintf("%s is %q", name, string(c)), "write it like 2026-11-21 22:00:00+00:00")
	}
	return min(p.at, Most), nil
}

// number is a whole number of at least so much, otherwise for an empty cell.
func (a *Airflow) number(name string, c airflowCell, least, otherwise int64, fault func(message, advice string) *Fault) (int64, *Fault) {
	if c == "" {
		return otherwise, nil
	}
	v, err := strconv.ParseFloat(string(c), 64)
	if err != nil || v != v || v < float64(least) || v > math.MaxInt32 {
		return otherwise, fault(fmt.Sprintf("%s is %q", name, string(c)), fmt.Sprintf("write a whole number from %d to %d", least, math.MaxInt32))
	}
	return int64(v), nil
}

// airflowSuccess is the state of a task that has done its work; the others are told apart where they count.
const airflowSuccess = "success"

// airflowLeftOut are the states of instances that were not to run.
var airflowLeftOut = []string{"skipped", "removed"}

// instance keeps a task instance.
func (a *Airflow) instance(dag string, r *airflowRow, fault func(message, advice string) *Fault) *Fault {
	id := cmp.Or(r.RunID, r.DagRunID, r.Execution, r.Logical)
	start, f := a.at("start_date", r.Start, fault)
	if f != nil {
		return f
	}
	end, f := a.at("end_date", r.End, fault)
	if f != nil {
		return f
	}
	queued, f := a.at("queued_dttm", cmp.Or(r.QueuedDttm, r.QueuedWhen), fault)
	if f != nil {
		return f
	}
	index, f := a.number("map_index", r.MapIndex, -1, -1, fault)
	if f != nil {
		return f
	}
	slots, f := a.number("pool_slots", r.PoolSlots, -1, 1, fault)
	if f != nil {
		return f
	}
	weight, f := a.number("priority_weight", r.Weight, math.MinInt32, Unknown, fault)
	if f != nil {
		return f
	}
	if end == Unknown && start != Unknown && r.Duration != "" {
		if seconds, err := strconv.ParseFloat(string(r.Duration), 64); err == nil && seconds >= 0 {
			end = start + int64(min(seconds*1000, float64(Most-start)))
		}
	}
	state := strings.ToLower(string(r.State))
	if state == airflowSuccess && (start == Unknown || end < start) {
		return fault("the task succeeded, and has no time", "start_date and end_date tell it")
	}
	if slices.Contains(airflowLeftOut, state) {
		a.t.Remarks.Add(fmt.Sprintf("task instances that did not run, which are left out: %q", state), *fault(fmt.Sprintf("%s of %s is %q", r.Task, dag, state), ""))
		return nil
	}
	if a.kept >= mostTasks {
		return fault(fmt.Sprintf("more than %d task instances, the most that a job set can have", mostTasks), "take fewer days: select … where start_date > …")
	}
	if from := a.t.Filter.From; from != Unknown && end != Unknown && end < from {
		a.t.Remarks.Add("task instances that ended before --since, which are left out", *fault(fmt.Sprintf("%s of %s", r.Task, dag), ""))
		return nil
	}
	run := a.runOf(dag, string(id), fault("", "").Place)
	if run == nil {
		return nil
	}
	if queued = cmp.Or(max(0, queued), max(0, start)); queued > 0 && (run.queued == Unknown || queued < run.queued) {
		run.queued = queued
	}
	a.kept++
	if a.Now {
		return a.now(run, dag, r, state, int(index), start, end, fault)
	}
	if state != airflowSuccess {
		a.t.Remarks.Add(fmt.Sprintf("task instances that did not succeed, each taken for one like others of its task: %q", state), *fault(fmt.Sprintf("%s of %s is %q", r.Task, dag, state), ""))
	}
	stage := run.stage(string(r.Task))
	stage.pool, stage.slots = Name(string(r.Pool)), max(0, slots)
	if weight != Unknown {
		stage.weight = max(stage.weight, weight)
	}
	if after := string(cmp.Or(r.Upstream, r.UpstreamIDs)); after != "" && stage.after == nil {
		stage.after = append([]string{}, names(strings.TrimSpace(strings.Trim(after, "-")))...)
	}
	one := airflowInstance{index: int32(index), host: NoHost, start: Unknown, finish: Unknown}
	if state == airflowSuccess {
		one.host, one.start, one.finish = a.t.Host(Name(string(r.Host))), start, end
	}
	stage.tasks = append(stage.tasks, one)
	return nil
}

// runOf is the run of a task instance; nil where there are enough.
func (a *Airflow) runOf(dag, id string, at Place) *airflowRun {
	if d := a.dags[dag]; d != nil && d.runs[id] != nil && d.runs[id].begun {
		return d.runs[id]
	}
	if a.begun >= a.t.Filter.runs() {
		if len(a.others) < mostOthers {
			if a.others == nil {
				a.others = map[string]bool{}
			}
			a.others[dag+"\x00"+id] = true
		}
		return nil
	}
	a.begun++
	run := a.dag(dag, at).run(id, at)
	run.begun = true
	return run
}

// mostDagRuns bounds the runs of dag_run that are kept.
const mostDagRuns = 100_000

// stage is the stage of the run of that name.
func (r *airflowRun) stage(id string) *airflowStage {
	st := r.stages[id]
	if st == nil {
		st = &airflowStage{id: id, weight: Unknown}
		r.stages[id] = st
		r.order = append(r.order, st)
	}
	return st
}

// airflowBacklog is how long after the end of its interval, in milliseconds, a run is created that was late
// or filled in afterwards.
const airflowBacklog = 3600_000

// dagRun keeps when a run could begin, and when it ended: a scheduled one at the end of its interval (in
// Airflow 3 run_after), any other when it was queued. So may one that was queued long after its interval.
func (a *Airflow) dagRun(dag string, r *airflowRow, fault func(message, advice string) *Fault) *Fault {
	var points [6]int64
	for i, c := range []struct {
		name string
		cell airflowCell
	}{{"queued_at", r.QueuedAt}, {"start_date", r.Start}, {"end_date", r.End}, {"data_interval_end", r.IntervalEnd}, {"run_after", r.RunAfter}, {"logical_date", cmp.Or(r.Logical, r.Execution)}} {
		var f *Fault
		if points[i], f = a.at(c.name, c.cell, fault); f != nil {
			return f
		}
	}
	if a.told >= mostDagRuns {
		return fault(fmt.Sprintf("more than %d runs", mostDagRuns), "take fewer days: select … where queued_at > …")
	}
	a.told++
	queued, started, ended, interval, after, logical := points[0], points[1], points[2], points[3], points[4], points[5]
	d := a.dag(dag, fault("", "").Place)
	run := d.run(string(cmp.Or(r.RunID, r.DagRunID)), fault("", "").Place)
	run.finish, run.logical = ended, logical
	if queued == Unknown {
		queued = started
	}
	run.submit = queued
	if due := cmp.Or(max(0, after), max(0, interval)); due > 0 && strings.HasPrefix(string(r.RunType), "scheduled") && due <= queued {
		if run.submit = due; queued-due > airflowBacklog {
			run.submit, run.backlog = queued, true
		}
	}
	return nil
}

// details keeps the limits of a DAG.
func (a *Airflow) details(dag string, r *airflowRow, fault func(message, advice string) *Fault) *Fault {
	n, f := a.number("max_active_tasks", cmp.Or(r.AtMost, r.Concurrency), -1, 0, fault)
	if f != nil {
		return f
	}
	d := a.dag(dag, fault("", "").Place)
	d.atMost = max(0, n)
	if text := string(cmp.Or(r.Timeout, r.Timeout3)); text != "" {
		ms, ok := airflowSpan(text)
		if !ok {
			return fault(fmt.Sprintf("dag_run_timeout is %q", shorten(text)), "")
		}
		d.timeout = ms
	}
	return nil
}

var isoSpan = regexp.MustCompile(`^P(?:(\d+(?:\.\d+)?)D)?(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$`)

// airflowSpan reads a length of time as the API writes it, in milliseconds, at least 1: {"days": 0, "seconds": 7200}, PT2H, or
// seconds.
func airflowSpan(text string) (int64, bool) {
	seconds := 0.0
	var delta struct{ Days, Seconds, Microseconds float64 }
	if m := isoSpan.FindStringSubmatch(text); m != nil {
		for i, unit := range []float64{86400, 3600, 60, 1} {
			n, _ := strconv.ParseFloat(cmp.Or(m[i+1], "0"), 64)
			seconds += n * unit
		}
	} else if v, err := strconv.ParseFloat(text, 64); err == nil {
		seconds = v
	} else if json.Unmarshal([]byte(text), &delta) == nil {
		seconds = delta.Days*86400 + delta.Seconds + delta.Microseconds/1e6
	}
	if !(seconds > 0) {
		return 0, false
	}
	return max(1, int64(min(seconds*1000, float64(Most)))), true
}

// serialized keeps the graph of a DAG by its row in serialized_dag.
func (a *Airflow) serialized(dag string, r *airflowRow, fault func(message, advice string) *Fault) *Fault {
	type task struct {
		TaskID     string   `json:"task_id"`
		Downstream []string `json:"downstream_task_ids"`
		Weight     Int      `json:"priority_weight"`
		PerRun     Int      `json:"max_active_tis_per_dagrun"`
	}
	var doc struct {
		Dag struct {
			AtMost  Int             `json:"_max_active_tasks"`
			AtMost3 Int             `json:"max_active_tasks"`
			Timeout json.RawMessage `json:"dagrun_timeout"`
			Tasks   []struct {
				task
				Var *task `json:"__var"`
			} `json:"tasks"`
		} `json:"dag"`
	}
	if err := Unmarshal([]byte(r.Data), &doc); err != nil {
		return fault("data is no DAG: "+err.Error(), "the column data of serialized_dag is JSON; data_compressed is not read")
	}
	d := a.dag(dag, fault("", "").Place)
	d.tasks, d.listed = map[string]*airflowTask{}, true
	d.atMost = max(doc.Dag.AtMost.Value(), doc.Dag.AtMost3.Value(), 0)
	if ms, ok := airflowSpan(string(doc.Dag.Timeout)); ok {
		d.timeout = ms
	}
	for _, of := range doc.Dag.Tasks {
		own := of.task
		if of.Var != nil {
			own = *of.Var
		}
		if own.TaskID == "" {
			a.t.Unusable.Add("tasks without a task_id", *fault("a task of "+dag+" without a task_id", ""))
			continue
		}
		airflowPut(d.tasks, own.TaskID, own.Downstream, own.Weight.Value(), max(0, own.PerRun.Value()))
	}
	return nil
}

// claim gives a graph to the DAG that the name of its file says, or else to the only one that has all
// tasks of it that are told.
func (a *Airflow) claim(list airflowList) *airflowDag {
	base := strings.TrimSuffix(filepath.Base(list.at.File), filepath.Ext(list.at.File))
	folder := filepath.Base(filepath.Dir(list.at.File))
	for _, name := range []string{base, strings.TrimRight(strings.TrimSuffix(base, "tasks"), "-_."), folder} {
		if d := a.dags[name]; d != nil {
			return d
		}
	}
	var found *airflowDag
	for _, d := range a.order {
		if !d.in(list.tasks) {
			continue
		}
		if found != nil {
			return nil
		}
		found = d
	}
	return found
}

// in reports whether all tasks that ran of the DAG are in the list, and some did.
func (d *airflowDag) in(tasks map[string]*airflowTask) bool {
	some := false
	for _, r := range d.order {
		for _, st := range r.order {
			if tasks[st.id] == nil {
				return false
			}
			some = true
		}
	}
	return some
}
