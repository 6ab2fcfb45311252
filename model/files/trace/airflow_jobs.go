package trace

import (
	"cmp"
	"fmt"
	"slices"
)

// Close implements Reader: with all files read, runs of DAGs become jobs.
func (a *Airflow) Close(t *Trace) {
	if a.Now {
		a.attempts()
		return
	}
	for _, list := range a.lists {
		d := a.claim(list)
		if d == nil {
			t.Unusable.Add("answers about tasks of which it is not known whose they are", Fault{Place: list.at, Message: "the answer does not say which DAG the tasks are of",
				Advice: "call the file DAG_ID.json"})
			continue
		}
		d.tasks, d.listed = list.tasks, true
	}
	for _, d := range a.order {
		t.Deadlines = t.Deadlines || d.timeout != Unknown
	}
	for _, d := range a.order {
		a.close(d)
	}
	t.Beyond += len(a.others)
	a.dags, a.order = nil, nil
}

// close makes jobs of the runs of a DAG.
func (a *Airflow) close(d *airflowDag) {
	ran := map[string]bool{} // tasks of which an instance has a time above zero
	known := false
	for _, r := range d.order {
		for _, st := range r.order {
			a.once(d, r, st)
			known = known || st.after != nil
			ran[st.id] = ran[st.id] || slices.ContainsFunc(st.tasks, func(i airflowInstance) bool { return i.finish > i.start })
		}
	}
	g := d.graph()
	switch circle := g.circle(); {
	case circle != "":
		a.t.Unusable.Add("graphs with tasks that wait for one another in a circle", Fault{Place: d.at, Message: fmt.Sprintf("task %s of %s comes after itself", circle, d.id)})
		g = d.observed(ran)
	case len(g.names) > 1 && !d.listed && !known:
		a.t.Remarks.Add("DAGs whose graph is not told, of which a task comes after those that had always ended before it began", Fault{Place: d.at, Message: "nothing tells the graph of " + d.id,
			Advice: "add the answer to /dags/" + d.id + "/tasks, or the table serialized_dag"})
		g = d.observed(ran)
	}
	g.sort()
	for _, r := range d.order {
		if len(r.order) == 0 {
			a.t.Remarks.Add("runs of which no task instance is told, which are left out", Fault{Place: r.at, Message: fmt.Sprintf("%s %s", d.id, r.id)})
			continue
		}
		a.add(d, r, g, ran)
	}
}

// add makes a job of a run.
func (a *Airflow) add(d *airflowDag, r *airflowRun, g *graph, ran map[string]bool) {
	j := NewJob(d.id, r.at)
	if id := Name(r.id); id != "" {
		j.ID = d.id + " " + id
	}
	j.Submit, j.Finish, j.AtMost = r.submit, r.finish, d.atMost
	if j.Submit == Unknown {
		j.Submit = r.queued
	}
	if r.backlog {
		a.t.Remarks.Add("scheduled runs that were queued more than an hour after their interval had ended, each of which may begin when it was", Fault{Place: r.at, Message: j.ID})
	}
	if d.timeout != Unknown {
		j.Deadline = d.timeout
	}
	for _, st := range r.order {
		if !ran[st.id] {
			a.t.Remarks.Add("tasks that took no time in any run, or of which none succeeded, which are left out; what comes after them comes after those before them",
				Fault{Place: r.at, Message: fmt.Sprintf("%s of %s", st.id, d.id)})
		}
	}
	kept := make([]int32, len(g.names)) // its stage, -1 for none
	for n, name := range g.names {
		kept[n] = -1
		st := r.stages[name]
		if st == nil || !ran[name] {
			continue
		}
		kept[n] = int32(len(j.Stages))
		j.Stages = append(j.Stages, a.stage(d, st))
		for _, i := range st.tasks {
			j.Finish = max(j.Finish, i.finish)
		}
	}
	j.Weight = d.weight(r)
	if len(j.Stages) == 0 {
		a.t.Unusable.Add("runs of which no task has a time", Fault{Place: r.at, Message: fmt.Sprintf("no task of %s has a time", j.ID)})
		return
	}
	if !g.link(&j, kept) {
		a.t.Unusable.Add("runs whose tasks come after too many others", Fault{Place: r.at, Message: fmt.Sprintf("the graph of %s is too dense", j.ID)})
		return
	}
	a.t.Add(j, true)
}

// weight is that of a job: the largest weight that its tasks have of their own. Where only instances
// tell of weights, which have those of their successors in them, the least is that of a last task.
func (d *airflowDag) weight(r *airflowRun) int64 {
	own, least := int64(Unknown), Most
	for _, st := range r.order {
		if listed := d.tasks[st.id]; listed != nil {
			own = max(own, listed.weight)
		}
		if st.weight != Unknown {
			least = min(least, st.weight)
		}
	}
	if own == Unknown && least < Most {
		own = least
	}
	return min(max(1, own), 1_000_000)
}

// stage makes a stage of a task with its instances.
func (a *Airflow) stage(d *airflowDag, from *airflowStage) Stage {
	st := NewStage(Name(from.id))
	st.After = []int32{}
	if listed := d.tasks[from.id]; listed != nil {
		st.AtMost = listed.atMost
	}
	if from.pool != "" && from.slots > 0 && (from.pool != airflowDefaultPool || a.names[from.pool] != "") && !a.unlimited(from.pool) {
		st.Takes = []Take{{Pool: from.pool, Units: from.slots}}
	}
	for _, i := range from.tasks {
		tk := NewTask(Unknown)
		if i.finish != Unknown {
			tk.Time, tk.Start, tk.Host = i.finish-i.start, i.start, i.host
		}
		st.Tasks = append(st.Tasks, tk)
	}
	return st
}

// once puts the instances of a task in the order of their numbers. Of one that is told of more often, by tables that
// overlap or answers of which one was given while rows came, what is told last counts, and a success before all else.
func (a *Airflow) once(d *airflowDag, r *airflowRun, st *airflowStage) {
	slices.SortStableFunc(st.tasks, func(x, y airflowInstance) int { return cmp.Compare(x.index, y.index) })
	kept := st.tasks[:0]
	for _, i := range st.tasks {
		if n := len(kept); n > 0 && kept[n-1].index == i.index {
			a.t.Remarks.Add("task instances that are told of more than once, each of which counts once", Fault{Place: r.at, Message: fmt.Sprintf("%s of %s %s", st.id, d.id, r.id)})
			if i.finish != Unknown || kept[n-1].finish == Unknown {
				kept[n-1] = i
			}
			continue
		}
		kept = append(kept, i)
	}
	st.tasks = kept
}

// airflowDefaultPool is the pool of tasks that name none. Where nothing tells its size, it is left out.
const airflowDefaultPool = "default_pool"

// unlimited reports whether a pool is told to have no limit.
func (a *Airflow) unlimited(pool string) bool {
	name, told := a.names[pool]
	return told && name == ""
}

// graph is the graph of the DAG as it is told, by its tasks or by a column of the table.
func (d *airflowDag) graph() *graph {
	g := newGraph()
	for _, r := range d.order {
		for _, st := range r.order {
			n := g.node(st.id)
			for _, name := range st.after {
				if m := g.node(name); !slices.Contains(g.after[n], m) {
					g.after[n] = append(g.after[n], m)
				}
			}
		}
	}
	var rest []string
	for name := range d.tasks {
		if _, known := g.index[name]; !known {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	for _, name := range rest {
		g.node(name)
	}
	for n := range len(g.names) {
		if own := d.tasks[g.names[n]]; own != nil {
			for _, name := range own.after {
				m := g.node(name)
				g.after[n] = append(g.after[n], m)
			}
		}
	}
	return g
}

// mostObserved bounds the tasks of a DAG whose graph is made of when they ran.
const mostObserved = 400

// observed is a graph by when tasks ran: in the order in which they began, on average, each after those that
// had ended before it began in every run that has both. What is already said by another link is left out. DAGs
// of very many tasks become a chain.
func (d *airflowDag) observed(ran map[string]bool) *graph {
	g := newGraph()
	began, runs := map[string]float64{}, map[string]float64{}
	type interval struct{ start, finish int64 }
	spans := make([]map[string]interval, len(d.order))
	for i, r := range d.order {
		spans[i] = map[string]interval{}
		first := Most
		for _, st := range r.order {
			iv := interval{Most, 0}
			for _, t := range st.tasks {
				if t.finish > t.start {
					iv.start, iv.finish = min(iv.start, t.start), max(iv.finish, t.finish)
				}
			}
			if ran[st.id] && iv.finish > 0 {
				spans[i][st.id] = iv
				first = min(first, iv.start)
			}
		}
		for name, iv := range spans[i] {
			began[name] += float64(iv.start - first)
			runs[name]++
		}
	}
	var names []string
	for name := range began {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(began[a]/runs[a], began[b]/runs[b]), cmp.Compare(a, b))
	})
	for _, name := range names {
		g.node(name)
	}
	n := len(names)
	if n > mostObserved {
		for i := 1; i < n; i++ {
			g.after[i] = []int32{int32(i - 1)}
		}
		return g
	}
	precedes := make([][]int8, n) // 1 in all runs with both, -1 not, 0 no run has both
	for i := range precedes {
		precedes[i] = make([]int8, n)
	}
	for _, span := range spans {
		for i := range n {
			x, ok := span[names[i]]
			for k := i + 1; ok && k < n; k++ {
				if y, both := span[names[k]]; both && x.finish <= y.start && precedes[i][k] >= 0 {
					precedes[i][k] = 1
				} else if both {
					precedes[i][k] = -1
				}
			}
		}
	}
	for k := range n {
		for i := range k {
			if precedes[i][k] != 1 {
				continue
			}
			said := false
			for m := i + 1; m < k && !said; m++ {
				said = precedes[i][m] == 1 && precedes[m][k] == 1
			}
			if !said {
				g.after[k] = append(g.after[k], int32(i))
			}
		}
	}
	return g
}
