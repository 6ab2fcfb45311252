// Dbt reads what dbt leaves in target/: manifest.json, of all versions so far (v1 to v12),
// which has the graph, and run_results.json (v1 to v6), which has the times.

package trace

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Dbt reads the files of a project in any order: the project is a job, each node that dbt
// runs a stage with one task, after the nodes that it refers to. Each file with results is a
// run. The threads are the machines: one for each that was seen.
type Dbt struct {
	// Now asks for what became of the nodes of the last run, in place of jobs.
	Now bool

	t       *Trace
	project string
	nodes   map[string]*dbtNode
	at      Place // of the manifest
	runs    []*dbtRun
	kept    int // results
}

// dbtNode is a node of the graph.
type dbtNode struct {
	kind      string
	ephemeral bool
	after     []string
}

// dbtRun is a call of dbt.
type dbtRun struct {
	id      string
	which   string // the command of dbt, empty where it is not told
	at      Place
	build   bool // tests stand between what they test and what comes after it
	results []dbtResult
	threads int64 // Unknown where it is not told
	// attempts are those of Now, packages the packages that they are of.
	attempts []Attempt
	packages map[string]int
}

// dbtResult is what became of a node.
type dbtResult struct {
	node          string
	thread        Host
	start, finish int64 // Unknown where nothing of use is told
}

// Read implements Reader.
func (r *Dbt) Read(in *Input, t *Trace) error {
	r.t = t
	if r.nodes == nil {
		r.nodes = map[string]*dbtNode{}
	}
	return in.Values(t, "file of dbt", "dbt leaves target/manifest.json and target/run_results.json", func(d *JSON) error {
		run := &dbtRun{at: d.Place(), threads: Unknown}
		results := false
		err := d.Object("the file", func(name string) error {
			switch name {
			case "metadata":
				return r.metadata(d, run)
			case "nodes", "unit_tests", "functions":
				r.at = run.at
				return t.PassOver("lists of nodes that cannot be used", d.Object(name, func(id string) error { return r.node(d, id) }))
			case "sources":
				return t.PassOver("lists of nodes that cannot be used", d.Object(name, func(id string) error {
					r.nodes[id] = &dbtNode{kind: "source"}
					return d.Skip()
				}))
			case "args":
				return r.args(d, run)
			case "results":
				results = true
				return t.PassOver("lists of results that cannot be used", d.Array(name, func() error { return r.result(d, run) }))
			}
			return d.Skip()
		})
		if results {
			r.keep(run)
		}
		return err
	})
}

// dbtIdle are the commands of dbt that leave results and run no node.
var dbtIdle = []string{"compile", "generate", "list", "show"}

// keep keeps a run, unless it is told of already or ran nothing.
func (r *Dbt) keep(run *dbtRun) {
	place := Fault{Place: run.at, Message: "the results are of dbt " + run.which}
	switch {
	case slices.Contains(dbtIdle, run.which):
		r.t.Remarks.Add("results of calls that run nothing, which are passed over", place)
	case run.id != "" && slices.ContainsFunc(r.runs, func(o *dbtRun) bool { return o.id == run.id }):
		place.Message = "the results are of the call " + run.id
		r.t.Remarks.Add("results that are told of more than once, each of which counts once", place)
	default:
		r.runs = append(r.runs, run)
	}
}

func (r *Dbt) metadata(d *JSON, run *dbtRun) error {
	var m struct {
		Project    Text `json:"project_name"`
		Invocation Text `json:"invocation_id"`
	}
	err := r.t.PassOver("metadata that cannot be used", d.Decode(&m))
	r.project = cmp.Or(Name(string(m.Project)), r.project)
	run.id = Name(string(m.Invocation))
	return err
}

func (r *Dbt) args(d *JSON, run *dbtRun) error {
	var args struct {
		Which   Text `json:"which"`
		RPC     Text `json:"rpc_method"`
		Threads Int  `json:"threads"`
	}
	err := r.t.PassOver("arguments that cannot be used", d.Decode(&args))
	run.which = string(cmp.Or(args.Which, args.RPC))
	run.build = run.which == "build"
	run.threads = args.Threads.Value()
	return err
}

// node reads a node of the manifest.
func (r *Dbt) node(d *JSON, id string) error {
	var f struct {
		Kind    Text `json:"resource_type"`
		Depends struct {
			Nodes []string `json:"nodes"`
		} `json:"depends_on"`
		Config struct {
			Materialized Text `json:"materialized"`
		} `json:"config"`
	}
	if err := d.Decode(&f); err != nil {
		return r.t.PassOver("nodes that cannot be used", err)
	}
	if len(r.nodes) >= mostTasks {
		r.t.Unusable.Add("nodes beyond a million", d.Fault(id, ""))
		return nil
	}
	r.nodes[id] = &dbtNode{kind: string(f.Kind), ephemeral: f.Config.Materialized == "ephemeral", after: f.Depends.Nodes}
	return nil
}

// result reads what became of a node. Old versions have the node itself in the result.
func (r *Dbt) result(d *JSON, run *dbtRun) error {
	var f struct {
		ID     Text `json:"unique_id"`
		Status Text `json:"status"`
		Node   struct {
			ID Text `json:"unique_id"`
		} `json:"node"`
		Thread Text     `json:"thread_id"`
		Took   *float64 `json:"execution_time"`
		Timing []struct {
			Started   Text `json:"started_at"`
			Completed Text `json:"completed_at"`
		} `json:"timing"`
	}
	if err := d.Decode(&f); err != nil {
		return r.t.PassOver("results that cannot be used", err)
	}
	id := string(cmp.Or(f.ID, f.Node.ID))
	if id == "" {
		r.t.Unusable.Add("results without a unique_id", d.Fault("a result without a unique_id", ""))
		return nil
	}
	if r.kept++; r.kept > mostTasks {
		r.t.Unusable.Add("results beyond a million", d.Fault(id, ""))
		return nil
	}
	clock := Table{separator: ','}
	out := dbtResult{node: id, thread: NoHost, start: Unknown, finish: Unknown}
	for _, part := range f.Timing {
		from, odd := clock.time(string(part.Started), nil)
		to, odder := clock.time(string(part.Completed), nil)
		if odd == "" && odder == "" && from.epoch && to.epoch && from.at >= 0 && to.at >= from.at {
			if out.start == Unknown || from.at < out.start {
				out.start = from.at
			}
			out.finish = max(out.finish, min(to.at, Most))
		}
	}
	if out.start != Unknown && f.Took != nil && *f.Took >= 0 {
		out.finish = out.start + millis(*f.Took, 1000)
	}
	status := strings.ToLower(string(f.Status))
	if r.Now {
		r.now(run, id, status, dbtThread(string(f.Thread)), out, d.Fault("", "").Place)
		return nil
	}
	switch {
	case !slices.Contains(dbtDone, status):
		r.t.Remarks.Add(fmt.Sprintf("nodes that were not run to their end, each taken to take what it did in other runs: %q", status), d.Fault(fmt.Sprintf("%s is %q", id, status), ""))
		out.start, out.finish = Unknown, Unknown
	case out.start == Unknown:
		r.t.Remarks.Add("results without a time, each taken to take what it did in other runs", d.Fault(id+" has no timing", ""))
	default:
		out.thread = r.t.Host(dbtThread(string(f.Thread)))
	}
	run.results = append(run.results, out)
	return nil
}

// dbtDone are the states of nodes that have done their work: tests that failed have run too.
var dbtDone = []string{"success", "pass", "warn", "fail", "no-op", "partial success"}

// dbtThread is the name of a thread, of which the file has Thread-1 or Thread-1 (worker).
func dbtThread(id string) string {
	id, _, _ = strings.Cut(id, " ")
	if n, err := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(id), "thread-"), 10, 31); err == nil {
		return fmt.Sprintf("thread-%d", n)
	}
	return Name(id)
}

// Close implements Reader.
func (r *Dbt) Close(t *Trace) {
	if r.Now {
		r.attempts()
		return
	}
	if len(r.runs) == 0 && len(r.nodes) > 0 {
		t.Unusable.Add("manifests without times", Fault{Place: r.at, Message: "nothing tells how long nodes take", Advice: "give target/run_results.json too"})
	}
	if len(r.nodes) == 0 && len(r.runs) > 0 {
		t.Unusable.Add("results without a graph", Fault{Place: r.runs[0].at, Message: "nothing tells what nodes come after", Advice: "give target/manifest.json too"})
		return
	}
	ran := map[string]bool{}
	for _, run := range r.runs {
		for _, res := range run.results {
			ran[res.node] = ran[res.node] || res.start != Unknown
		}
	}
	for _, run := range r.runs {
		r.add(run, ran)
	}
	r.threads()
	r.nodes, r.runs = nil, nil
}

// threads makes the machines: those that were seen, and as many as the arguments say.
func (r *Dbt) threads() {
	for _, run := range r.runs {
		for n := int64(1); n <= min(run.threads, mostThreads); n++ {
			r.t.AddMachine(Machine{Name: fmt.Sprintf("thread-%d", n), Class: "thread", Cores: 1, Memory: Unknown})
		}
	}
	seen := map[Host]bool{}
	var hosts []string
	for _, run := range r.runs {
		for _, res := range run.results {
			if res.thread != NoHost && !seen[res.thread] {
				seen[res.thread] = true
				hosts = append(hosts, r.t.HostName(res.thread))
			}
		}
	}
	slices.SortFunc(hosts, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	for _, h := range hosts {
		r.t.AddMachine(Machine{Name: h, Class: "thread", Cores: 1, Memory: Unknown})
	}
}

// mostThreads bounds the threads that the arguments of a run ask for.
const mostThreads = 10_000

// add makes a job of a run.
func (r *Dbt) add(run *dbtRun, ran map[string]bool) {
	j := NewJob(cmp.Or(r.project, "dbt"), run.at)
	if run.id != "" {
		j.ID = j.Name + " " + run.id
	}
	results := map[string]*dbtResult{}
	for i := range run.results {
		res := &run.results[i]
		switch node := r.nodes[res.node]; {
		case node == nil:
			r.t.Unusable.Add("results of nodes that are not in the manifest", Fault{Place: run.at, Message: res.node + " is not in the manifest", Advice: "take both files from the same run"})
			continue
		case !ran[res.node]:
			r.t.Remarks.Add("nodes that took no time in any run, which are left out; what comes after them comes after those before them", Fault{Place: run.at, Message: res.node})
			continue
		}
		results[res.node] = res
	}
	g := r.graph(run.build)
	if circle := g.circle(); circle != "" {
		r.t.Unusable.Add("graphs with nodes that wait for one another in a circle", Fault{Place: r.at, Message: circle + " comes after itself"})
		return
	}
	g.sort()
	names := map[string]bool{}
	kept := make([]int32, len(g.names))
	for n, id := range g.names {
		res := results[id]
		if kept[n] = -1; res == nil {
			continue
		}
		kept[n] = int32(len(j.Stages))
		st := NewStage(r.stageName(id, names))
		tk := NewTask(Unknown)
		if res.start != Unknown {
			tk.Time, tk.Start, tk.Host = max(1, res.finish-res.start), res.start, res.thread
			if j.Submit == Unknown || res.start < j.Submit {
				j.Submit = res.start
			}
			j.Finish = max(j.Finish, res.finish)
		}
		st.Tasks = []Task{tk}
		j.Stages = append(j.Stages, st)
	}
	switch {
	case len(j.Stages) == 0:
		r.t.Unusable.Add("runs without a node", Fault{Place: run.at, Message: "no node of the manifest ran"})
	case !g.link(&j, kept):
		r.t.Unusable.Add("runs whose nodes come after too many others", Fault{Place: run.at, Message: "the graph is too dense"})
	default:
		r.t.Add(j, true)
	}
}

// stageName is the name of a node without the project: model.orders, test.unique_orders_id.beb6e97f2f. Nodes
// of other packages keep the name of theirs where it would be taken.
func (r *Dbt) stageName(id string, taken map[string]bool) string {
	name := DbtName(id)
	if taken[name] {
		name = id
	}
	taken[name] = true
	return Name(name)
}

// DbtName is the name of a node without that of its package: model.sales.orders is model.orders.
func DbtName(id string) string {
	parts := strings.SplitN(id, ".", 3)
	if len(parts) < 3 {
		return id
	}
	return parts[0] + "." + parts[2]
}

// graph is what nodes come after. In a build a test stands between what it tests and all that comes after
// everything that it refers to (add_test_edges of dbt-core).
func (r *Dbt) graph(build bool) *graph {
	g := newGraph()
	var ids []string
	for id := range r.nodes {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		g.node(id)
	}
	for _, id := range ids {
		n := g.node(id)
		for _, before := range r.nodes[id].after {
			switch of := r.nodes[before]; {
			case of == nil: // it is no node that runs
			case strings.HasPrefix(id, "unit_test."): // runs before what it tests, once that may run
				m := g.node(before)
				g.after[m] = append(g.after[m], n)
				for _, first := range of.after {
					if r.nodes[first] != nil {
						g.after[n] = append(g.after[n], g.node(first))
					}
				}
			default:
				g.after[n] = append(g.after[n], g.node(before))
			}
		}
	}
	for n := range g.after {
		slices.Sort(g.after[n])
		g.after[n] = slices.Compact(g.after[n])
	}
	if build && g.circle() == "" {
		r.testFirst(g)
	}
	return g
}

// mostSteps bounds how often nodes are looked at to place tests of several nodes.
const mostSteps = 50_000_000

// testFirst has what comes after all that a test refers to come after the test.
func (r *Dbt) testFirst(g *graph) {
	next := make([][]int32, len(g.names))
	test := make([]bool, len(g.names))
	for n, id := range g.names {
		test[n] = strings.HasPrefix(id, "test.")
		for _, m := range g.after[n] {
			next[m] = append(next[m], int32(n))
		}
	}
	steps := 0
	type link struct{ from, to int32 }
	var links []link
	for n := range g.names {
		refs := g.after[n]
		if !test[n] || len(refs) == 0 {
			continue
		}
		// How many of the references each node comes after.
		reached := map[int32]int{}
		for _, ref := range refs {
			seen, open := map[int32]bool{}, slices.Clone(next[ref])
			for len(open) > 0 {
				m := open[len(open)-1]
				if open = open[:len(open)-1]; seen[m] || test[m] {
					continue
				}
				seen[m] = true
				reached[m]++
				if steps += len(next[m]) + 1; len(refs) > 1 || reached[m] < len(refs) {
					open = append(open, next[m]...) // of a single reference, the first are enough
				}
			}
		}
		if steps > mostSteps {
			r.t.Remarks.Add("tests that others may begin before, since the graph is too large to say", Fault{Place: r.at, Message: g.names[n]})
			continue
		}
		for m, count := range reached {
			first := count == len(refs) && !slices.ContainsFunc(g.after[m], func(b int32) bool { return reached[b] == len(refs) })
			if first {
				links = append(links, link{int32(n), m})
			}
		}
	}
	slices.SortFunc(links, func(a, b link) int { return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.from, b.from)) })
	for _, l := range links {
		g.after[l.to] = append(g.after[l.to], l.from)
	}
}

// now keeps what became of a node.
func (r *Dbt) now(run *dbtRun, id, status, thread string, of dbtResult, at Place) {
	one := Attempt{Stage: Name(DbtName(id)), Task: 1, Host: thread, State: Waiting, Start: of.start, Finish: of.finish, At: at}
	switch {
	case slices.Contains(dbtDone, status):
		one.State = Finished
	case status == "error" || status == "runtime error":
		one.State = Failed
	}
	if run.packages == nil {
		run.packages = map[string]int{}
	}
	if parts := strings.SplitN(id, ".", 3); len(parts) == 3 {
		run.packages[parts[1]]++
	}
	run.attempts = append(run.attempts, one)
}

// attempts keeps those of the last run. Without a manifest the project is the package that most nodes are of.
func (r *Dbt) attempts() {
	began := func(run *dbtRun) int64 {
		last := int64(Unknown)
		for _, one := range run.attempts {
			last = max(last, one.Start)
		}
		return last
	}
	if len(r.runs) == 0 {
		return
	}
	last := slices.MaxFunc(r.runs, func(a, b *dbtRun) int { return cmp.Compare(began(a), began(b)) })
	for _, run := range r.runs {
		if run != last {
			r.t.Remarks.Add("runs that are not the last, which are passed over", Fault{Place: run.at, Message: cmp.Or(run.id, "a run")})
		}
	}
	project, most := r.project, 0
	for _, name := range slices.Sorted(maps.Keys(last.packages)) {
		if n := last.packages[name]; r.project == "" && n > most {
			project, most = Name(name), n
		}
	}
	for _, one := range last.attempts {
		one.Job = cmp.Or(project, "dbt")
		r.t.AddAttempt(one)
	}
	r.nodes, r.runs = nil, nil
}
