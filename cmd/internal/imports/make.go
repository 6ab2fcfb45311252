package imports

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/files/document"
	"downbeat/model/files/trace"
)

// maker makes a job set of a trace.
type maker struct {
	Rules
	t      *trace.Trace
	kind   Kind
	tick   int64 // in milliseconds
	base   int64 // what tick 0 is in the trace
	groups []group
	picked []picked
	js     *model.JobSet
	// slaves are those of the set by name; made says where the cluster comes from.
	slaves map[string]model.SlaveID
	made   string
	// memory tells that the slaves offer it; resource is the place of each resource in the set,
	// memory too.
	memory   bool
	resource map[string]int
	profiles map[profileKey]*model.Profile
	rows     map[model.Time]model.Row // those with the same figure everywhere, which others share
	// pools numbers those of the set by name, poolsFrom says what their sizes are from.
	pools     map[string]int
	poolsFrom map[string]string
}

// group is the runs of a job.
type group struct {
	runs  []*trace.Job
	pools map[string]*pool // by the names of stages
}

// pool is what is known of the tasks of a stage over all runs, in milliseconds.
type pool struct {
	time, fetch int64
	// history has quantiles over runs, where these are enough.
	history []quantile
}

// picked is a run that becomes a job.
type picked struct {
	run   *trace.Job
	group *group
	name  string
	seen  seen
}

// seen is what is told of the tasks of a run, in milliseconds.
type seen struct {
	tasks       int
	least, most int64
	failed      int64 // time of failed attempts
}

// look sums up the tasks of a run.
func look(run *trace.Job) seen {
	s := seen{least: trace.Most}
	for k := range run.Stages {
		for i := range run.Stages[k].Tasks {
			tk := &run.Stages[k].Tasks[i]
			s.tasks += int(tk.Count)
			s.failed += tk.Wasted
			if tk.Time != trace.Unknown {
				s.least, s.most = min(s.least, tk.Time), max(s.most, tk.Time)
			}
		}
	}
	return s
}

// nothing says why there is no job.
func (m *maker) nothing() error {
	var b strings.Builder
	b.WriteString("no job to import")
	switch left := m.t.Early + m.t.Late; {
	case left == 0 && m.Runs == NextRuns && len(m.t.Jobs) > 0 && len(m.groups) > 0 && len(m.t.Unusable.Kinds) == 0:
		b.WriteString(": all have ended; --runs each makes jobs of them, --runs last one of each name")
	case left > 0:
		fmt.Fprintf(&b, ": %s submitted outside the window of --since and --window", document.Plural(left, "job"))
	case len(m.t.Unusable.Kinds) > 0:
		b.WriteString(":")
		for _, k := range m.t.Unusable.Kinds {
			fmt.Fprintf(&b, "\n%s (%d); the first:\n%s", k.What, k.Count, k.First.Error())
		}
	case m.t.Beyond > 0:
		fmt.Fprintf(&b, ": %s left out, each with more tasks than a job set can have", document.Plural(m.t.Beyond, "job"))
	case len(m.t.Machines) > 0:
		fmt.Fprintf(&b, ": the files describe %s only", document.Plural(len(m.t.Machines), "machine"))
	}
	return usage.Errorf("%s", b.String())
}

// pick groups runs of one job and says which become jobs.
func (m *maker) pick() {
	byName := map[string]int{}
	for i := range m.t.Jobs {
		j := &m.t.Jobs[i]
		k, known := byName[j.Name]
		if !known || m.Runs == ApartRuns {
			k = len(m.groups)
			byName[j.Name] = k
			m.groups = append(m.groups, group{})
		}
		m.groups[k].runs = append(m.groups[k].runs, j)
	}
	for i := range m.groups {
		g := &m.groups[i]
		switch m.Runs {
		case NextRuns:
			for _, j := range g.runs {
				if j.Ahead {
					m.picked = append(m.picked, picked{run: j, group: g})
				}
			}
			continue
		case LastRun:
			last := slices.MaxFunc(g.runs, func(a, b *trace.Job) int { return cmp.Compare(a.Submit, b.Submit) })
			m.picked = append(m.picked, picked{run: last, group: g})
			continue
		}
		for _, j := range g.runs {
			m.picked = append(m.picked, picked{run: j, group: g})
		}
	}
	slices.SortStableFunc(m.picked, func(a, b picked) int { return cmp.Compare(a.run.Submit, b.run.Submit) })
	m.nameJobs()
}

// nameJobs gives each job a name of its own: that of the job, or of the run where there
// are several.
func (m *maker) nameJobs() {
	count := map[string]int{}
	for _, p := range m.picked {
		count[p.run.Name]++
	}
	taken := map[string]bool{}
	for i := range m.picked {
		p := &m.picked[i]
		name := p.run.Name
		if count[name] > 1 && p.run.ID != name {
			if name = p.run.ID; !strings.HasPrefix(name, p.run.Name) {
				name = p.run.Name + " " + p.run.ID
			}
		}
		p.name = unique(taken, name, "job")
	}
}

// unique makes a name that is not taken, and takes it.
func unique(taken map[string]bool, name, otherwise string) string {
	name = cmp.Or(trace.Name(name), otherwise)
	for n, base := 2, name; taken[name]; n++ {
		name = fmt.Sprintf("%s #%d", base, n)
	}
	taken[name] = true
	return name
}

// time is how long a task took.
func (m *maker) time(tk *trace.Task) int64 {
	if m.AddRetries && tk.Time != trace.Unknown {
		return tk.Time + tk.Wasted
	}
	return tk.Time
}

// pool works out the worst cases of stages: of one of which no task finished it is what its tasks
// declare. Jobs of which a stage has neither are left out.
func (m *maker) pool() {
	for i := range m.groups {
		g := &m.groups[i]
		g.pools = map[string]*pool{}
		times, fetches := map[string][]sample{}, map[string][]sample{}
		declared := map[string]int64{}
		for _, j := range g.runs {
			for k := range j.Stages {
				st := &j.Stages[k]
				for t := range st.Tasks {
					tk := &st.Tasks[t]
					declared[st.Name] = max(declared[st.Name], tk.Declared)
					if ms := m.time(tk); ms != trace.Unknown {
						times[st.Name] = append(times[st.Name], sample{ms, tk.Count})
						fetches[st.Name] = append(fetches[st.Name], sample{tk.Fetch, tk.Count})
					}
				}
			}
		}
		for name, samples := range times {
			g.pools[name] = &pool{m.WCET.of(samples), m.WCET.of(fetches[name]), nil}
		}
		for name, runs := range m.stageRuns(g) {
			g.pools[name].history = m.Rules.history(runs)
		}
		m.declare(g, declared)
		m.untimed(g)
	}
	m.picked = slices.DeleteFunc(m.picked, func(p picked) bool {
		for k := range p.run.Stages {
			if st := &p.run.Stages[k]; p.group.pools[st.Name] == nil {
				m.leaveOut(p, "jobs with a stage of which no task finished", fmt.Sprintf("stage %s of job %s has no task that finished", st.Name, p.name), "--untimed 10m says what such a task takes")
				return true
			}
		}
		return false
	})
}

// declare takes what tasks of stages declare of which none finished.
func (m *maker) declare(g *group, declared map[string]int64) {
	for _, j := range g.runs {
		for k := range j.Stages {
			name := j.Stages[k].Name
			if g.pools[name] != nil || declared[name] <= 0 {
				continue
			}
			g.pools[name] = &pool{time: declared[name]}
			m.t.Remarks.Add("stages of which no task finished, that may take what the source declares",
				trace.Fault{Place: j.At, Message: fmt.Sprintf("stage %s of job %s", name, j.Name)})
		}
	}
}

// untimed takes what a rule says of tasks of which nothing else is known.
func (m *maker) untimed(g *group) {
	if m.Untimed == 0 {
		return
	}
	for _, j := range g.runs {
		for k := range j.Stages {
			if name := j.Stages[k].Name; g.pools[name] == nil {
				g.pools[name] = &pool{time: m.Untimed.Milliseconds()}
				m.t.Remarks.Add("stages of which nothing says how long their tasks take, for which --untimed stands",
					trace.Fault{Place: j.At, Message: fmt.Sprintf("stage %s of job %s", name, j.Name)})
			}
		}
	}
}

// leaveOut counts a job that cannot be one.
func (m *maker) leaveOut(p picked, what, message, advice string) {
	m.t.Unusable.Add(what, trace.Fault{Place: p.run.At, Message: message, Advice: advice})
}

// units finds the tick, and what tick 0 is.
func (m *maker) units() error {
	if len(m.picked) == 0 {
		return m.nothing()
	}
	given := m.Tick
	if of := m.Cluster.Of; of != nil && of.TimeUnit != 0 {
		if given != 0 && given != of.TimeUnit {
			return usage.Errorf("--tick %v is not the time_unit of %s, %v; leave it out", given, m.Cluster.File, of.TimeUnit)
		}
		given = of.TimeUnit
	} else if of != nil && given == 0 {
		return usage.Errorf("%s has no time_unit: say with --tick how long its ticks are", m.Cluster.File)
	}
	if given%time.Millisecond != 0 {
		return usage.Errorf("a tick of %v: import needs whole milliseconds", given)
	}
	first, last := m.span()
	m.base = first
	if !m.Origin.IsZero() && m.t.Epoch {
		m.base = min(m.base, m.Origin.UnixMilli())
	}
	if m.tick = given.Milliseconds(); m.tick == 0 {
		m.tick = m.fitting(last - m.base)
	}
	m.base -= m.base % m.tick
	if ticks := (last - m.base) / m.tick; ticks >= int64(model.MaxTime) {
		return usage.Errorf("the jobs span %d ticks of %v, and %d is the most; give a larger --tick", ticks, given, model.MaxTime)
	}
	return nil
}

// span is when the first job is submitted, and the latest point in time that is told.
func (m *maker) span() (first, last int64) {
	first = m.picked[0].run.Submit
	for _, p := range m.picked {
		last = max(last, p.run.Submit, p.run.Due, p.run.Submit+max(0, p.run.Deadline))
		for k := range p.run.Stages {
			last = max(last, p.run.Submit+p.group.pools[p.run.Stages[k].Name].time)
		}
	}
	return max(0, first), last
}

// ticks are lengths that a tick can have unless one is given, in milliseconds.
var ticks = []int64{60_000, 10_000, 1000, 100, 10, 1}

// mostTicks is how many ticks a trace should span at most.
const mostTicks = 100_000_000

// fitting is the longest tick that is at most a tenth of a task in the middle of all, or
// the shortest in which the trace has not too many.
func (m *maker) fitting(span int64) int64 {
	var all []sample
	for _, p := range m.picked {
		for k := range p.run.Stages {
			st := &p.run.Stages[k]
			for i := range st.Tasks {
				all = append(all, sample{m.taskTime(&st.Tasks[i], p.group.pools[st.Name]), st.Tasks[i].Count})
			}
		}
	}
	middle := nearestRank(all, 50)
	for i, tick := range ticks {
		if tick*10 <= middle || i+1 == len(ticks) || span/ticks[i+1] > mostTicks {
			return tick
		}
	}
	return 1
}

// taskTime is the worst case of a task in milliseconds.
func (m *maker) taskTime(tk *trace.Task, of *pool) int64 {
	switch {
	case m.WCET.name == "own" && tk.Time != trace.Unknown:
		return m.time(tk)
	case m.WCET.name == "column" && tk.Declared != trace.Unknown:
		return tk.Declared
	}
	return of.time
}

// up is a length in ticks, rounded up.
func (m *maker) up(ms int64) model.Time {
	return model.Time(min((ms+m.tick-1)/m.tick, int64(model.MaxTime)))
}

// jobs makes the jobs, without deadlines, and assembles the set.
func (m *maker) jobs(ctx context.Context) error {
	var kept []picked
	for _, p := range m.picked {
		if err := ctx.Err(); err != nil {
			return err
		}
		job, ok := m.job(p)
		p.seen = look(p.run)
		p.run.Stages = slices.Clone(p.run.Stages) // copies of a job share them
		for k := range p.run.Stages {
			p.run.Stages[k].Tasks = nil // of a large trace this is most of what is held
		}
		if ok {
			kept = append(kept, p)
			m.js.Jobs = append(m.js.Jobs, job)
		}
	}
	m.profiles, m.rows = nil, nil
	if m.picked = kept; len(kept) == 0 {
		return m.nothing()
	}
	if err := m.after(); err != nil {
		return err
	}
	if err := m.js.Assemble(); err != nil {
		return usage.Errorf("the jobs make no set: %v", err)
	}
	return nil
}

// job makes a job without links to others; false where it cannot run.
func (m *maker) job(p picked) (model.Job, bool) {
	j := model.Job{Name: p.name, Release: m.up(p.run.Submit - m.base), Weight: p.run.Weight, AtMost: p.run.AtMost}
	if w, given := m.Weights[p.run.Class]; given {
		j.Weight = w
	}
	taken := map[string]bool{}
	for k := range p.run.Stages {
		st := &p.run.Stages[k]
		st = m.splitCores(p, st)
		if problem := m.fits(st); problem != "" {
			m.leaveOut(p, "jobs with tasks that no machine can take", fmt.Sprintf("stage %s of job %s %s", st.Name, p.name, problem), "--cluster can be a file, or 15x6x24GB for 15 machines with 6 cores and 24 GB each")
			return j, false
		}
		out := model.Stage{Name: unique(taken, st.Name, "stage"), After: st.After, AtMost: st.AtMost, Gang: st.Gang, Apart: st.Apart}
		if st.Reduce {
			out.Slot = model.ReduceSlot
		}
		for i := range st.Tasks {
			profile := m.profile(st, &st.Tasks[i], p.group.pools[st.Name])
			if n := len(out.Groups); n > 0 && out.Groups[n-1].Profile == profile {
				out.Groups[n-1].Count += int(st.Tasks[i].Count)
				continue
			}
			of := p.group.pools[st.Name]
			out.Groups = append(out.Groups, model.Group{
				Count: int(st.Tasks[i].Count), Profile: profile, Durations: m.durations(of, max(1, m.up(m.taskTime(&st.Tasks[i], of)))),
			})
		}
		j.Stages = append(j.Stages, out)
	}
	circle := model.FindCycle(len(j.Stages), func(k int32) []int32 {
		if k > 0 && j.Stages[k].After == nil {
			return []int32{k - 1}
		}
		return j.Stages[k].After
	})
	if len(circle) > 0 {
		m.leaveOut(p, "jobs whose stages wait for one another in a circle", fmt.Sprintf("stage %s of job %s comes after itself", j.Stages[circle[0]].Name, p.name), "")
		return j, false
	}
	return j, true
}

// splitCores is the stage, or, of jobs of batch systems on more cores than any machine has,
// so many tasks of one core.
func (m *maker) splitCores(p picked, st *trace.Stage) *trace.Stage {
	most := 0
	for i := range m.js.Slaves {
		most = max(most, m.js.Slaves[i].Cores)
	}
	if m.kind.Name != "swf" || st.Cores <= int64(most) || st.Cores > maxSplit {
		return st
	}
	m.t.Remarks.Add("jobs on more cores than any machine has, each of which becomes a task of its own, that may run at another time",
		trace.Fault{Place: p.run.At, Message: fmt.Sprintf("%s holds %d cores", p.name, st.Cores)})
	out := *st
	out.Tasks = slices.Clone(st.Tasks)
	out.Tasks[0].Count = int32(st.Cores)
	if out.Memory != trace.Unknown {
		out.Memory /= st.Cores
	}
	out.Cores = 1
	return &out
}

// maxSplit is the largest number of tasks that a job is split into.
const maxSplit = 100_000

// profileKey is what tasks have in common that are alike.
type profileKey struct {
	wcet, fetch, remote model.Time
	needs               model.Needs
	holders, hosts      string
}

// profile is what a task needs and takes.
func (m *maker) profile(st *trace.Stage, tk *trace.Task, of *pool) *model.Profile {
	fetch := of.fetch
	if m.WCET.name == "own" && tk.Time != trace.Unknown {
		fetch = tk.Fetch
	}
	key := profileKey{wcet: max(1, m.up(m.taskTime(tk, of))), fetch: m.up(fetch)}
	key.needs, _ = m.needs(st)
	if tk.Cores > 0 {
		key.needs.Cores = int64(tk.Cores)
	}
	holders, hosts := m.known(tk.Holders), m.known(st.Hosts)
	if m.Network > 0 && tk.Input > 0 && len(holders) > 0 {
		if key.remote = m.up(int64(float64(tk.Input) / 1e3 / m.Network)); key.remote > 0 {
			key.holders = fmt.Sprint(holders)
		}
	}
	if len(hosts) > 0 {
		key.hosts = fmt.Sprint(hosts)
	}
	if p, ok := m.profiles[key]; ok {
		return p
	}
	wcet := m.row(key.wcet)
	if len(hosts) > 0 {
		wcet = m.row(0).With(hosts, key.wcet)
	}
	transfer := m.row(min(key.fetch+key.remote, model.MaxTime))
	if key.remote > 0 {
		transfer = transfer.With(holders, key.fetch)
	}
	p := model.NewProfile(wcet, transfer).Needing(key.needs)
	m.profiles[key] = p
	return p
}

// row has the same figure on all slaves. Profiles share it: each with its own would hold a
// figure for every slave.
func (m *maker) row(v model.Time) model.Row {
	r, known := m.rows[v]
	if !known {
		r = model.ConstRow(len(m.js.Slaves), v)
		m.rows[v] = r
	}
	return r
}

// known are the slaves among machines, ascending.
func (m *maker) known(hosts []trace.Host) []model.SlaveID {
	var out []model.SlaveID
	for _, h := range hosts {
		if s, ok := m.slaves[m.t.HostName(h)]; ok && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}

// fits says why no slave can take a task of the stage, or the slaves not all of its tasks
// where these start together or have to be apart; empty where they can.
func (m *maker) fits(st *trace.Stage) string {
	needs, short := m.needs(st)
	if short != "" {
		return short
	}
	slot := model.MapSlot
	if st.Reduce {
		slot = model.ReduceSlot
	}
	hosts := m.known(st.Hosts)
	if len(st.Hosts) > 0 && len(hosts) == 0 {
		return fmt.Sprintf("may run on %s only, which is no machine", m.t.HostName(st.Hosts[0]))
	}
	room := int64(0)
	for i := range m.js.Slaves {
		if s := &m.js.Slaves[i]; needs.FitOn(s, slot) && (len(hosts) == 0 || slices.Contains(hosts, model.SlaveID(i))) {
			room += roomOn(s, slot, &needs, st.Apart)
		}
	}
	switch tasks := st.Size(); {
	case room > 0 && room < tasks && st.Gang:
		return fmt.Sprintf("is a gang of %d tasks, of which the machines hold %d at once", tasks, room)
	case room > 0 && room < tasks && st.Apart:
		return fmt.Sprintf("has %d tasks that have to be apart, and %s that can take one", tasks, document.Plural(int(room), "machine"))
	case room > 0:
		return ""
	}
	text := fmt.Sprintf("needs %s", document.Plural(int(needs.Cores), "core"))
	for i, name := range m.js.Named {
		switch units := needs.Units[i]; {
		case units == 0:
		case name == memoryName:
			text += fmt.Sprintf(" and %d × %s of memory", units, memoryText(m.Memory))
		default:
			text += fmt.Sprintf(" and %d of %s", units, name)
		}
	}
	return text
}

// roomOn is how many tasks a slave that can take one holds at once.
func roomOn(s *model.Slave, slot model.SlotKind, needs *model.Needs, apart bool) int64 {
	if apart {
		return 1
	}
	room := min(int64(s.PoolSize(s.Pool(slot))), int64(s.Cores)/max(1, needs.Cores))
	for i, units := range needs.Units {
		if units > 0 {
			room = min(room, s.Offers(i)/units)
		}
	}
	return room
}

// after links jobs to those that they come after.
func (m *maker) after() error {
	byID, byName := map[string]model.JobID{}, map[string][]model.JobID{}
	for i, p := range m.picked {
		byID[p.run.ID] = model.JobID(i)
		byName[p.run.Name] = append(byName[p.run.Name], model.JobID(i))
	}
	over := m.over()
	for i, p := range m.picked {
		job := &m.js.Jobs[i]
		for _, name := range p.run.After {
			k, known := byID[name+strings.TrimPrefix(p.run.ID, p.run.Name)]
			if exact, is := byID[name]; !known && is {
				k, known = exact, true
			}
			if others := byName[name]; !known && len(others) > 0 {
				k, known = m.nearest(others, p.run.Submit), true
			}
			switch {
			case known && int(k) != i && !slices.Contains(job.After, k):
				job.After = append(job.After, k)
			case !known && !over[name]:
				m.t.Remarks.Add("links to jobs that are not in the job set, which are dropped", trace.Fault{Place: p.run.At, Message: fmt.Sprintf("%s comes after %s", p.name, document.Shorten(name))})
			}
		}
		slices.Sort(job.After)
	}
	circle := model.FindCycle(len(m.js.Jobs), func(k model.JobID) []model.JobID { return m.js.Jobs[k].After })
	if len(circle) == 0 {
		return nil
	}
	var names []string
	for _, k := range circle[:min(len(circle), 6)] {
		names = append(names, m.picked[k].name)
	}
	f := trace.Fault{Place: m.picked[circle[0]].run.At, Message: "jobs that come after one another in a circle: " + strings.Join(names, ", "), Advice: "leave out one of these links"}
	return usage.Located(&f)
}

// over are the names of runs that have ended and are no jobs: what comes after them waits for nothing.
func (m *maker) over() map[string]bool {
	names := map[string]bool{}
	if m.Runs == NextRuns {
		for i := range m.t.Jobs {
			if j := &m.t.Jobs[i]; !j.Ahead {
				names[j.ID], names[j.Name] = true, true
			}
		}
	}
	return names
}

// nearest is the last of several runs that was submitted not after a point in time, or the
// first of all.
func (m *maker) nearest(runs []model.JobID, submit int64) model.JobID {
	best := runs[0]
	for _, k := range runs {
		if at := m.picked[k].run.Submit; at <= submit && at >= m.picked[best].run.Submit {
			best = k
		}
	}
	return best
}
