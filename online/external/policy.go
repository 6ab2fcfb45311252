package external

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"downbeat/model"
	"downbeat/online"
)

// Options are what a policy needs beside its command.
type Options struct {
	// Limit is how long the program may take for an answer; 0 means for ever.
	Limit time.Duration
	// Stderr gets whole lines of what the program writes to standard error; nil drops them.
	Stderr io.Writer
	// Seed is for what the program draws itself.
	Seed uint64
	// Record, if not nil, keeps what is said.
	Record *Record
	// Pool keeps programs that stay for more runs; nil ends each with its run.
	Pool *Pool
}

// New is the policy of this name that a command decides, for one run. The command is a
// program and its arguments, at least the program; it is started when the run begins, unless one
// of the pool is at hand.
func New(name string, command []string, opts Options) online.Policy {
	p := &policy{name: name, command: command, opts: opts, byJob: map[*online.Job]*job{}, byLead: map[model.TaskID]int{}}
	p.ranking = online.NewRanking(func(_ *online.View, j *online.Job) float64 { return p.byJob[j].key }, cmp.Compare[float64])
	return p
}

// Fault is what a program did that a policy must not.
type Fault struct {
	// Policy is its name.
	Policy string
	// At is the tick of the run.
	At   model.Time
	Text string
}

// Error implements error.
func (f *Fault) Error() string {
	return fmt.Sprintf("policy %s, at tick %d: %s", f.Policy, f.At, f.Text)
}

type policy struct {
	name    string
	command []string
	opts    Options
	child   *process
	hello   hello
	line    line
	// jobs by their number, which counts arrivals; group numbers count them on.
	jobs   []*job
	byJob  map[*online.Job]*job
	groups []*group
	byLead map[model.TaskID]int
	// changed lists jobs of which something happened since they were last told of.
	changed []*job
	outages int
	ranking *online.Ranking[float64]
	failed  bool
	// run is the number of the run in the record.
	run int
}

// job is a job that has arrived, as the program knows it.
type job struct {
	number  int
	job     *online.Job
	changed bool
	told    figures
	key     float64
}

// figures are what changes of a job.
type figures struct {
	ready, running int
	remaining      model.Time
	// now is the tick, for keys that change with time.
	now model.Time
}

// group is a number of equal tasks of a stage as the program knows it.
type group struct {
	job *job
	// lead is the first of the tasks.
	lead model.TaskID
}

// live is the group of tasks that are left, nil if none are.
func (g *group) live() *online.Group {
	groups := g.job.job.Groups()
	at, found := slices.BinarySearchFunc(groups, g.lead, func(g *online.Group, lead model.TaskID) int { return int(g.Lead() - lead) })
	if !found {
		return nil
	}
	return groups[at]
}

// Name implements online.Policy.
func (p *policy) Name() string { return p.name }

// Asks implements online.Policy.
func (p *policy) Asks() online.Asking { return p.hello.asks() }

// Start implements online.Starter.
func (p *policy) Start(v *online.View) {
	p.run = p.opts.Record.begin(p.name)
	if p.child = p.opts.Pool.take(p.command); p.child != nil {
		p.child.bind(v.Context())
	} else {
		var err error
		if p.child, err = start(v.Context(), p.command, p.opts); err != nil {
			p.fail(v, "it cannot be run: %v", err)
			return
		}
	}
	p.line.start(v, p.opts.Seed)
	p.ask(v, &p.hello, p.hello.check)
}

// End implements online.Ender.
func (p *policy) End() {
	if !p.failed {
		p.opts.Record.keep(p.run, toProgram, endLine)
	}
	switch {
	case p.child == nil:
	case !p.failed && p.hello.Stays && p.opts.Pool != nil && p.child.rest():
		if !p.opts.Pool.put(p.command, p.child) {
			p.child.wait() // how it ends does not matter any more
		}
	default:
		p.child.end(!p.failed)
	}
}

// Admit implements online.Admitter. A program that does not ask for it takes every job.
func (p *policy) Admit(v *online.View, j *online.Job) (accept bool, why string) {
	n := p.arrive(v, j)
	if !p.hello.Admits || p.failed {
		return true, ""
	}
	p.begin(v, "admit")
	p.line.number("job", int64(n.number))
	var a admission
	if !p.ask(v, &a, a.check) {
		return true, ""
	}
	return *a.Accept, a.Why
}

// arrive makes a job known, and tells of it with the next line.
func (p *policy) arrive(v *online.View, j *online.Job) *job {
	n := &job{number: len(p.jobs), job: j, told: figures{-1, -1, -1, -1}, key: math.Inf(1)}
	p.jobs = append(p.jobs, n)
	p.byJob[j] = n
	first := len(p.groups)
	for _, g := range tally(v, j) {
		p.byLead[g.lead] = len(p.groups)
		p.groups = append(p.groups, &group{n, g.lead})
	}
	p.line.arrival(v, n.number, p.before(j), first, j)
	return n
}

// before lists the numbers of the jobs that a job comes after.
func (p *policy) before(j *online.Job) []int {
	var out []int
	for _, n := range p.jobs {
		if slices.Contains(j.Spec().After, n.job.ID()) {
			out = append(out, n.number)
		}
	}
	return out
}

// Watch implements online.Watcher.
func (p *policy) Watch(v *online.View, e online.Event) {
	n := p.byJob[e.Job]
	if !n.changed {
		n.changed = true
		p.changed = append(p.changed, n)
	}
	word := eventWords[e.Kind]
	if word == "" || !slices.Contains(p.hello.Events, word) {
		return
	}
	p.line.event(v, word, n.number)
	if e.Stage >= 0 {
		p.line.number("stage", int64(e.Stage))
	}
	if e.Task >= 0 {
		p.line.number("group", int64(p.groupOf(v, e.Task)))
		p.line.number("slave", int64(e.Slave))
		if e.Started != model.Never {
			p.line.number("started", int64(e.Started))
		}
		if e.Undone {
			p.line.truth("undone", true)
		}
	}
	p.line.close('}')
}

// groupOf is the number of the group that a task is of.
func (p *policy) groupOf(v *online.View, t model.TaskID) int {
	task := v.Task(t)
	st := &v.Job(task.Job).Spec().Stages[task.Stage]
	for u := st.First; ; u++ {
		if v.Task(u).Profile == task.Profile {
			return p.byLead[u]
		}
	}
}

// eventWords are the events that a program can ask for.
var eventWords = map[online.EventKind]string{
	online.Opened: "opened", online.Assigned: "assigned", online.Ended: "ended", online.Lost: "lost", online.Finished: "finished",
}

// Heartbeat implements online.Policy.
func (p *policy) Heartbeat(v *online.View, o *online.Offer) {
	if p.hello.Decides == decidesJobs {
		if p.rank(v) {
			p.serve(v, o)
		}
		return
	}
	for p.handOut(v, o) {
	}
}

// rank asks for keys of jobs that have changed in what the program wants to know.
func (p *policy) rank(v *online.View) bool {
	var asked []*job
	for _, n := range p.stale(v) {
		n.changed = false
		if f := p.figures(v, n); f != n.told && n.job.ReadyTasks() > 0 {
			n.told = f
			asked = append(asked, n)
		}
	}
	p.changed = p.changed[:0]
	if len(asked) == 0 {
		return true
	}
	p.begin(v, "rank")
	p.tell(v, asked)
	k := keys{want: len(asked)}
	if !p.ask(v, &k, k.check) {
		return false
	}
	for i, n := range asked {
		n.key = math.Inf(1)
		if k.Keys[i] != nil {
			n.key = *k.Keys[i]
		}
		p.ranking.Renew(v, n.job)
	}
	return true
}

// stale are the jobs whose keys may be others now.
func (p *policy) stale(v *online.View) []*job {
	if !slices.Contains(p.hello.On, onTime) {
		return p.changed
	}
	var all []*job
	for _, j := range v.Ready() {
		all = append(all, p.byJob[j])
	}
	return all
}

// figures are those of a job that the program wants to know; others are 0.
func (p *policy) figures(v *online.View, n *job) (f figures) {
	all := p.hello.Decides == decidesTasks
	if all || slices.Contains(p.hello.On, "ready") {
		f.ready = n.job.ReadyTasks()
	}
	if all || slices.Contains(p.hello.On, "running") {
		f.running = n.job.Running()
	}
	if all || slices.Contains(p.hello.On, "remaining") {
		f.remaining = v.Remaining(n.job)
	}
	if slices.Contains(p.hello.On, onTime) {
		f.now = v.Now()
	}
	return f
}

// tell writes how jobs are now.
func (p *policy) tell(v *online.View, jobs []*job) {
	p.line.open("jobs", '[')
	for _, n := range jobs {
		p.line.open("", '{')
		p.line.number("job", int64(n.number))
		p.line.number("ready", int64(n.job.ReadyTasks()))
		p.line.number("running", int64(n.job.Running()))
		p.line.number("remaining", int64(v.Remaining(n.job)))
		p.line.close('}')
	}
	p.line.close(']')
}

// serve gives the slave tasks of the job with the least key first.
func (p *policy) serve(v *online.View, o *online.Offer) {
	jobs := p.ranking.Jobs(v)
	for i := 0; i < len(jobs) && !o.Full(); {
		g := o.Pick(jobs[i].Job)
		if g == nil {
			i++
			continue
		}
		if o.Tracing() {
			o.Consider(candidates(jobs[i:]))
		}
		o.Give(g)
	}
}

func candidates(jobs []*online.Ranked[float64]) []online.Candidate {
	var out []online.Candidate
	for _, r := range jobs {
		if r.Job.ReadyTasks() > 0 {
			out = append(out, r.Job.Candidate(fmt.Sprintf("key %g", r.Key)))
		}
	}
	return out
}

// choice is a group that fits.
type choice struct {
	number int
	group  *online.Group
	local  bool
}

// handOut asks which tasks the slave gets, and gives them. It reports whether to ask
// again at once.
func (p *policy) handOut(v *online.View, o *online.Offer) bool {
	var choices []choice
	if p.hello.Lists != listsNothing {
		if choices = p.choices(v, o); len(choices) == 0 {
			return false
		}
	}
	p.begin(v, "heartbeat")
	p.line.offer(v, o)
	p.news(v)
	if p.hello.Lists != listsNothing {
		p.line.choices(p, o, choices)
	}
	var a answer
	if !p.ask(v, &a, a.check) {
		return false
	}
	given := 0
	for _, number := range append(a.Give, a.Rank...) {
		n, ok := p.give(v, o, number, a.Rank != nil)
		if !ok {
			return false
		}
		given += n
	}
	return a.Again && given > 0 && !o.Full()
}

// choices lists what fits, job by job in the order of arrival.
func (p *policy) choices(v *online.View, o *online.Offer) []choice {
	var out []choice
	for _, j := range v.Ready() {
		groups, local := o.Choices(j)
		for i, g := range groups {
			out = append(out, choice{p.byLead[g.Lead()], g, i < local})
		}
	}
	return out
}

// news writes what has changed since the last line, but for a program that keeps its own
// books.
func (p *policy) news(v *online.View) {
	if p.hello.Lists == listsNothing {
		return
	}
	var jobs []*job
	for _, n := range p.changed {
		n.changed = false
		if f := p.figures(v, n); f != n.told {
			n.told = f
			jobs = append(jobs, n)
		}
	}
	p.changed = p.changed[:0]
	p.tell(v, jobs)
}

// give hands out a task of the group of a number, or, for a rank, as many as fit. Not ok
// ends the run.
func (p *policy) give(v *online.View, o *online.Offer, number int, rank bool) (given int, ok bool) {
	if number < 0 || number >= len(p.groups) {
		p.fail(v, "it names group %d; there are %d", number, len(p.groups))
		return 0, false
	}
	g := p.groups[number].live()
	for g != nil && o.Fits(g) {
		if o.Tracing() {
			o.Consider([]online.Candidate{g.Candidate(fmt.Sprintf("group %d", number))})
		}
		o.Give(g)
		if given++; !rank {
			return given, true
		}
	}
	if !rank {
		p.fail(v, "it gives slave %s a task of group %d, which does not fit", v.Slaves()[o.Slave()].Name, number)
	}
	return given, rank
}

// begin begins a line, before which nothing but events was written.
func (p *policy) begin(v *online.View, kind string) {
	p.line.begin(kind, v.Now())
	if n := v.Outages(); n != p.outages {
		p.outages = n
		p.line.failed(v)
	}
}

// ask sends the line and reads the answer into a value. Not ok ends the run.
func (p *policy) ask(v *online.View, answer any, check func() error) (ok bool) {
	line := p.line.end()
	p.opts.Record.keep(p.run, toProgram, line)
	text, err := p.child.ask(line)
	if err == nil {
		p.opts.Record.keep(p.run, fromProgram, text)
		err = read(text, answer)
	}
	if err == nil {
		err = check()
	}
	if err != nil {
		p.fail(v, "%v", err)
	}
	return err == nil
}

// fail ends the run.
func (p *policy) fail(v *online.View, format string, args ...any) {
	p.failed = true
	v.Fail(&Fault{p.name, v.Now(), fmt.Sprintf(format, args...)})
}
