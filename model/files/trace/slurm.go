package trace

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Slurm reads what Slurm says of jobs and machines: tables of sacct and squeue (with | or commas
// between cells), what scontrol shows of jobs and nodes, and the JSON of sacct, squeue and
// scontrol. Files may say several things of one job.
//
// A job is a job with a single stage; an array is one job with a task for each of its tasks; a job
// on several nodes is a gang with a task a node, all on nodes of their own. Steps belong to their
// job.
type Slurm struct {
	// Zone is that of the points in time, which Slurm writes without one; nil for UTC.
	Zone *time.Location

	t     *Trace
	jobs  map[string]*slurmJob
	order []*slurmJob
	last  *slurmJob // the job of the row before
	// beyond and outside are the last job left out by the limit, and by the window.
	beyond, outside, lastID string
	tasks, times            int  // of jobs that wait or run, and of those that have ended
	ended                   int  // jobs that count for no limit
	timed                   bool // a row has a point in time
	users                   map[string]string
	nodes                   map[string]bool     // that can be used
	partitions              map[string][]string // their nodes
}

// slurmJob is a job or an array as it is put together.
type slurmJob struct {
	slurmRow // the first of it
	release  int64
	due      int64
	finish   int64
	over     bool // it has too many tasks
	ended    bool // it counts for no limit
	all      []slurmTask
	index    map[int32]int32 // of the tasks of an array, in all
	alive    int             // tasks that did not fail
}

// slurmTask is a job, or a task of an array, as it ended or is now.
type slurmTask struct {
	key    int32 // in its array; -1 where it is of none
	state  slurmState
	word   string
	at     Place
	time   int64
	start  int64
	wasted int64
	limit  int64
	cores  int64 // on each node
	memory int64 // on each node
	nodes  int32
	hosts  []Host
}

// Read implements Reader.
func (s *Slurm) Read(in *Input, t *Trace) error {
	if s.jobs == nil {
		s.jobs, s.users, s.nodes, s.partitions = map[string]*slurmJob{}, map[string]string{}, map[string]bool{}, map[string][]string{}
	}
	s.t = t
	scan := slurmScan{in: in, t: t, zone: s.zone(), row: s.row, node: s.node}
	return scan.read()
}

func (s *Slurm) zone() *time.Location {
	if s.Zone == nil {
		return time.UTC
	}
	return s.Zone
}

// slurmDown are states of nodes that run nothing.
var slurmDown = []string{"DOWN", "DRAIN", "FAIL", "FUTURE", "MAINT", "NOT_RESPONDING", "POWERED_DOWN", "POWERING_DOWN", "UNKNOWN", "*"}

// node notes a machine. One that runs nothing now has no cores: it is none.
func (s *Slurm) node(n *slurmNode) {
	m := Machine{Name: n.name, Cores: n.cores, Memory: n.memory, Resources: n.gres}
	if i := slices.IndexFunc(slurmDown, func(word string) bool { return strings.Contains(n.state, word) }); i >= 0 {
		s.t.Remarks.Add("nodes that run nothing now, which are left out", Fault{Place: n.at, Message: fmt.Sprintf("%s is %s", n.name, n.state)})
		m.Cores = 0
	} else if !s.nodes[n.name] {
		s.nodes[n.name] = true
		for _, p := range n.partitions {
			s.partitions[p] = append(s.partitions[p], n.name)
		}
	}
	s.t.AddMachine(m)
}

// row takes a row.
func (s *Slurm) row(r *slurmRow) {
	if r.step != "" {
		s.step(r)
		return
	}
	j := s.job(r)
	s.lastID = r.id
	if j == nil || j.over {
		return
	}
	s.timed = s.timed || r.submit != Unknown || r.start != Unknown || r.end != Unknown || r.eligible != Unknown
	j.release = earlier(j.release, r.release())
	j.due = earlier(j.due, r.deadline)
	j.finish = max(j.finish, r.end)
	j.throttle = max(j.throttle, r.throttle)
	if j.dependency == "" {
		j.dependency = strings.Clone(r.dependency)
	}
	keys := []int32{-1}
	if r.tasks != "" {
		var problem, advice string
		var atMost int64
		if keys, atMost, problem, advice = slurmTasks(r.tasks, mostTasks); problem != "" {
			s.t.Unusable.AddByReason("lines that cannot be used", Fault{Place: r.at, Message: problem, Advice: advice})
			return
		}
		j.throttle = max(j.throttle, atMost)
	}
	task := s.task(r)
	for _, key := range keys {
		task.key = key
		*s.held(j.ended) += j.add(task)
	}
	if *s.held(j.ended) > mostTasks {
		*s.held(j.ended) -= len(j.all)
		j.over, j.all, j.index = true, nil, nil
	}
}

// held is the number of tasks of jobs that have ended and tell times, or of the others: a long history
// takes the place of no job that waits.
func (s *Slurm) held(ended bool) *int {
	if ended {
		return &s.times
	}
	return &s.tasks
}

// earlier is the first of two points in time that may be unknown.
func earlier(a, b int64) int64 {
	if a == Unknown || b != Unknown && b < a {
		return b
	}
	return a
}

// release is when a job may begin: when it was submitted, or became eligible by what else holds
// it back than other jobs that are known. Of one that waits Slurm says by when it is told to begin.
func (r *slurmRow) release() int64 {
	if r.dependency != "" && r.state != slurmWaiting {
		return r.submit
	}
	return max(r.submit, r.eligible)
}

// step folds a step into its job.
func (s *Slurm) step(r *slurmRow) {
	if j := s.jobs[r.id]; j != nil {
		j.rss = max(j.rss, r.rss)
	} else if r.id != s.lastID {
		s.t.Unusable.Add("steps of jobs without a line of their own", Fault{Place: r.at, Message: fmt.Sprintf("step %s of job %s", r.step, r.id), Advice: "sacct -X leaves steps out"})
	}
}

// job is the job of a row; nil where it is not kept.
func (s *Slurm) job(r *slurmRow) *slurmJob {
	if j := s.jobs[r.id]; j != nil {
		s.leave(j)
		s.last = j
		return j
	}
	s.leave(nil)
	if r.id == s.outside || r.id == s.beyond {
		return nil
	}
	ended := s.t.Filter.Ended && !r.state.ahead()
	if at := r.release(); !ended && at != Unknown && !s.t.Within(at) {
		s.outside = r.id
		return nil
	}
	if !ended && len(s.order)-s.ended >= s.t.Filter.runs() || *s.held(ended) >= mostTasks {
		s.beyond = r.id
		s.t.Beyond++
		return nil
	}
	j := &slurmJob{slurmRow: *r, release: Unknown, due: Unknown, finish: Unknown, ended: ended, index: map[int32]int32{}}
	for _, text := range []*string{&j.name, &j.user, &j.asked, &j.excluded, &j.dependency, &j.licenses, &j.qos} {
		*text = strings.Clone(*text) // of the line
	}
	j.comment, j.hosts, j.raw, j.tasks = "", "", "", ""
	s.jobs[r.id], s.last = j, j
	s.order = append(s.order, j)
	if ended {
		s.ended++
	}
	return j
}

// leave drops the job of the row before, when that of the next is another, if all of it failed:
// thousands of such would stand in the place of jobs that are of use.
func (s *Slurm) leave(next *slurmJob) {
	j := s.last
	if j == nil || j == next || j.alive > 0 || j.over {
		return
	}
	s.failures(j)
	*s.held(j.ended) -= len(j.all)
	delete(s.jobs, j.id)
	if j.ended {
		s.ended--
	}
	s.order = s.order[:len(s.order)-1] // a job that was there before has tasks that did not fail
	s.last = nil
}

// failures counts tasks that failed.
func (s *Slurm) failures(j *slurmJob) {
	for i := range j.all {
		if tk := &j.all[i]; tk.state == slurmFailed {
			s.t.Unusable.Add("jobs, and tasks of arrays, that did not succeed: "+tk.word, Fault{Place: tk.at, Message: fmt.Sprintf("%s (%s) is %s", j.labelOf(tk), j.name, tk.word)})
		}
	}
}

// labelOf is how people call a task.
func (j *slurmJob) labelOf(tk *slurmTask) string {
	if tk.key < 0 {
		return j.id
	}
	return fmt.Sprintf("%s_%d", j.id, tk.key)
}

// task is what a row says of one task.
func (s *Slurm) task(r *slurmRow) slurmTask {
	tk := slurmTask{state: r.state, word: r.word, at: r.at, time: r.length(), start: r.start, limit: r.limit, nodes: 1, cores: Unknown, memory: Unknown}
	hosts := slurmHosts(r.hosts)
	if r.state == slurmFailed {
		hosts = nil
	} else if r.hosts != "" && hosts == nil {
		s.t.Remarks.Add("lists of nodes that cannot be read", Fault{Place: r.at, Message: fmt.Sprintf("the nodes are %q", shorten(r.hosts))})
	}
	for _, name := range hosts {
		tk.hosts = append(tk.hosts, s.t.Host(Name(name)))
	}
	if n := max(r.nodes, int64(len(hosts))); n > 1 {
		tk.nodes = int32(min(n, mostNodes))
	}
	nodes := int64(tk.nodes)
	if r.cpus > 0 {
		tk.cores = (r.cpus + nodes - 1) / nodes
	}
	switch {
	case r.memory != Unknown:
		tk.memory = (r.memory + nodes - 1) / nodes
	case r.memoryNode != Unknown:
		tk.memory = r.memoryNode
	case r.memoryCPU != Unknown:
		tk.memory = min(r.memoryCPU, Most/max(1, tk.cores)) * max(1, tk.cores)
	}
	return tk
}

// add takes what is said of a task, and tells how many more there are: of one that is there
// already what went further counts, and attempts that failed are time that was wasted.
func (j *slurmJob) add(tk slurmTask) int {
	i, known := j.index[tk.key]
	if !known {
		j.index[tk.key] = int32(len(j.all))
		j.all = append(j.all, tk)
		if tk.state != slurmFailed {
			j.alive++
		}
		return 1
	}
	old := &j.all[i]
	if tk.state == slurmFailed && old.state != slurmFailed {
		old.wasted += max(0, tk.time)
		return 0
	}
	tk.wasted = old.wasted
	if old.state == slurmFailed {
		tk.wasted += max(0, old.time)
		if tk.state != slurmFailed {
			j.alive++
		}
	}
	if tk.state >= old.state {
		*old = tk
	}
	return 0
}

// Close implements Reader.
func (s *Slurm) Close(t *Trace) {
	s.t = t
	for _, j := range s.order {
		if j.over {
			t.Beyond++
			continue
		}
		s.failures(j)
		j.all = slices.DeleteFunc(j.all, func(tk slurmTask) bool { return tk.state == slurmFailed })
		if len(j.all) > 0 {
			s.emit(j)
		}
	}
	*s = Slurm{Zone: s.Zone}
}

// emit hands a job to the trace. Tasks of an array on several nodes each are a job each: all
// nodes of one start together, and not those of others.
func (s *Slurm) emit(j *slurmJob) {
	several := slices.ContainsFunc(j.all, func(tk slurmTask) bool { return tk.nodes > 1 })
	if len(j.all) == 1 || !several {
		s.t.Add(s.make(j, j.id, j.all), s.timed)
		return
	}
	if j.throttle > 0 {
		s.remark(j, "arrays of jobs on several nodes each, whose limit of tasks at once is left out", "at most %d tasks of it run at once", j.throttle)
	}
	for i := range j.all {
		s.t.Add(s.make(j, j.labelOf(&j.all[i]), j.all[i:i+1]), s.timed)
	}
}

// remark tells what is odd about a job.
func (s *Slurm) remark(j *slurmJob, what, format string, args ...any) {
	s.t.Remarks.Add(what, Fault{Place: j.at, Message: fmt.Sprintf("job %s: ", j.id) + fmt.Sprintf(format, args...)})
}

// slurmPlain are names of jobs that were given none.
var slurmPlain = []string{"", "wrap", "sbatch", "bash", "sh", "interactive"}

// make makes a job of tasks.
func (s *Slurm) make(j *slurmJob, id string, tasks []slurmTask) Job {
	out := NewJob(id, j.at)
	if name := Name(j.name); !slices.Contains(slurmPlain, name) {
		out.Name = name
		if user, known := s.users[name]; !known {
			s.users[name] = j.user
		} else if user != j.user {
			out.Name = Name(name + " of " + j.user)
		}
	}
	out.Submit, out.Finish, out.Due = j.release, j.finish, j.due
	out.Ahead = slices.ContainsFunc(tasks, func(tk slurmTask) bool { return tk.state.ahead() })
	if j.qos != "normal" {
		out.Class = Name(j.qos)
	}
	if out.Due != Unknown {
		out.Hard, s.t.Deadlines = true, true // Slurm removes a job that cannot end by it
	}
	var other string
	if out.After, other = slurmAfter(j.dependency); other != "" {
		s.remark(j, "dependencies that job sets do not have, which are left out", "it depends on %s", other)
	}
	if strings.Contains(j.id, "+") {
		s.remark(j, "parts of heterogeneous jobs, each of which becomes a job of its own, that may start at another time", "it is a part of one")
	}
	out.Stages = []Stage{s.stage(j, tasks)}
	return out
}

// stage makes the stage of a job.
func (s *Slurm) stage(j *slurmJob, tasks []slurmTask) Stage {
	st := NewStage("run")
	gang := len(tasks) == 1 && tasks[0].nodes > 1
	st.Gang, st.Apart = gang, gang
	if n := j.throttle; n > 0 && n < int64(len(tasks)) {
		st.AtMost = n
	}
	for i := range tasks {
		st.Cores, st.Memory = max(st.Cores, tasks[i].cores), max(st.Memory, tasks[i].memory)
	}
	if st.Memory == Unknown {
		st.Memory = j.rss
	}
	for _, a := range j.gres {
		a.Units = (a.Units + int64(tasks[0].nodes) - 1) / int64(tasks[0].nodes)
		st.Resources = append(st.Resources, a)
	}
	st.Hosts = s.allowed(j, int(tasks[0].nodes))
	if j.exclusive {
		s.whole(j, &st)
	}
	s.take(j, &st, gang)
	for i := range tasks {
		tk := &tasks[i]
		one := NewTask(tk.time)
		one.Wasted, one.Start = tk.wasted, tk.start
		if tk.limit != Unknown {
			one.Declared = max(tk.time, tk.limit)
		}
		if tk.cores > 0 && tk.cores != st.Cores && !j.exclusive {
			one.Cores = int32(tk.cores)
		}
		for n := range tk.nodes {
			one.Host = NoHost
			if int(n) < len(tk.hosts) {
				one.Host = tk.hosts[n]
			}
			st.Tasks = append(st.Tasks, one)
		}
	}
	return st
}

// whole has tasks hold all cores of a machine: of the largest that is described.
func (s *Slurm) whole(j *slurmJob, st *Stage) {
	most := int64(0)
	for i := range s.t.Machines {
		if m := &s.t.Machines[i]; len(st.Hosts) == 0 || slices.Contains(st.Hosts, s.t.Host(m.Name)) {
			most = max(most, m.Cores)
		}
	}
	if most > 0 {
		st.Cores = max(st.Cores, most)
		return
	}
	s.remark(j, "jobs with nodes to themselves, of which no file says how many cores they have: tasks hold those that the jobs have", "it is exclusive")
}

// allowed are the machines that tasks may run on, as far as nodes are known: those that the job
// names, else those of its partition, without those that it will not have; nil for all.
func (s *Slurm) allowed(j *slurmJob, nodes int) []Host {
	asked, not := slurmHosts(j.asked), slurmHosts(j.excluded)
	if len(asked) < nodes && len(asked) > 0 {
		s.remark(j, "jobs that ask for some of their nodes by name, which is left out", "it asks for %s among %d nodes", j.asked, nodes)
		asked = nil
	}
	if len(asked) == 0 {
		asked = s.partitions[j.partition]
	}
	if len(asked) == 0 && len(not) > 0 {
		asked = slices.Sorted(maps.Keys(s.nodes))
	}
	if len(asked) == 0 && len(not) > 0 {
		s.remark(j, "jobs that will not have some nodes, where no file says what others there are, which is left out", "it will not have %s", j.excluded)
	}
	var out []Host
	left := len(s.nodes)
	for _, name := range asked {
		if host := s.t.Host(Name(name)); host != NoHost && !slices.Contains(not, name) {
			out = append(out, host)
			left--
		}
	}
	if left <= 0 && len(not) == 0 && len(slurmHosts(j.asked)) == 0 {
		return nil // all there are
	}
	return out
}

// take has tasks hold licences.
func (s *Slurm) take(j *slurmJob, st *Stage, gang bool) {
	if j.licenses == "" {
		return
	}
	if gang || strings.Contains(j.licenses, "|") {
		s.remark(j, "licences of jobs on several nodes, or one of several licences, which are left out", "it takes %s", j.licenses)
		return
	}
	for part := range strings.SplitSeq(j.licenses, ",") {
		name, amount, counted := strings.Cut(part, ":")
		units := int64(1)
		if counted {
			n, err := strconv.ParseInt(amount, 10, 32)
			if units = n; err != nil || n < 1 {
				s.remark(j, "licences that cannot be read, which are left out", "it takes %q", shorten(part))
				continue
			}
		}
		if name = Name(name); name != "" && !slices.ContainsFunc(st.Takes, func(x Take) bool { return x.Pool == name }) {
			st.Takes = append(st.Takes, Take{Pool: name, Units: units})
		}
	}
}
