package trace

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"downbeat/model/clock"
)

// Close implements Reader: it hands jobs, nodes and quotas to the trace.
func (k *Kubernetes) Close(t *Trace) {
	k.machines(t)
	k.places(t)
	k.pools(t)
	now := k.now
	if t.Filter.From != Unknown {
		now = t.Filter.From
	}
	all := t.Filter
	for _, j := range k.jobs {
		if t.Filter = all; all.Ended && !k.waits(j) {
			t.Filter.From, t.Filter.Until, t.Filter.Window = Unknown, Unknown, Unknown // it runs whatever the window
		}
		if run, ok := k.run(j, now, t); ok {
			t.Add(run, true)
		}
	}
	t.Filter = all
	if !all.Ended {
		for _, j := range k.crons {
			t.Remarks.Add("CronJobs, of whose next runs --runs next makes jobs", Fault{Place: j.at, Message: "CronJob " + j.name})
		}
		return
	}
	window := all.Window
	if window == Unknown {
		window = 24 * time.Hour.Milliseconds()
	}
	for _, j := range k.crons {
		k.next(j, now, now+window, t)
	}
}

// title is what a job is called: with its namespace where there are several.
func (k *Kubernetes) title(namespace, name string) string {
	if len(k.namespaces) > 1 {
		return Name(kubeKey(namespace, name))
	}
	return Name(name)
}

// ended reports whether a job has.
func (j *kubeJob) ended() bool {
	return j.complete || j.failed || !j.told && !slices.ContainsFunc(j.pods, func(p kubePod) bool { return !p.ok && !p.failed })
}

// waits reports whether nothing of a job has begun.
func (k *Kubernetes) waits(j *kubeJob) bool {
	return !j.ended() && (j.suspended || j.parallelism == 0 || j.started == Unknown && len(j.pods) == 0)
}

// run makes a run of a Job.
func (k *Kubernetes) run(j *kubeJob, now int64, t *Trace) (Job, bool) {
	out := NewJob(k.title(j.namespace, j.name), j.at)
	leave := func(what, message string) (Job, bool) {
		t.Unusable.Add(what, Fault{Place: j.at, Message: fmt.Sprintf("Job %s %s", j.name, message)})
		return out, false
	}
	if j.cron != "" {
		out.Name = k.title(j.namespace, j.cron)
	}
	if !j.told {
		t.Remarks.Add("Jobs that their Pods alone tell of", Fault{Place: j.at, Message: "Job " + j.name})
		j.completions = 0
		for _, p := range j.pods {
			if !p.failed {
				j.completions++
			}
		}
	}
	switch {
	case j.failed:
		return leave("Jobs that failed, which are left out", "failed")
	case j.completions <= 0 && j.told:
		return leave("Jobs without completions to come to", "asks for none")
	case j.completions <= 0:
		return leave("Jobs that failed, which are left out", "has Pods that failed, and no other")
	}
	out.Ahead = !j.ended()
	out.Submit, out.Finish = cmp.Or(j.created, Unknown), j.completed
	if !j.told {
		out.Submit = Unknown
	} else if out.Submit == Unknown {
		out.Submit = j.started
	}
	if k.waits(j) {
		t.Remarks.Add(fmt.Sprintf("Jobs that wait, which may begin at %s: --since, or the last point in time that the files tell", kubeStamp(now)), Fault{Place: j.at, Message: "Job " + j.name})
		out.Submit = max(out.Submit, now)
	}
	if !k.fill(&out, j, t) {
		return out, false
	}
	out.Stages[0].Tasks = k.tasks(j, t)
	return out, true
}

func kubeStamp(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }

// fill says what a run needs and when it is due; its submission is known. It is false where the run
// is left out.
func (k *Kubernetes) fill(out *Job, j *kubeJob, t *Trace) bool {
	st := NewStage("run")
	planned := out.Ahead || !t.Filter.Ended // else it only tells times
	if s := j.shape; s != nil && planned {
		if s.nowhere {
			t.Unusable.Add("Jobs whose pods may be on no node", Fault{Place: j.at, Message: fmt.Sprintf("Job %s: no node meets its nodeSelector, affinity and tolerations", j.name)})
			return false
		}
		if len(k.nodes) == 0 && (s.place.NodeName != "" || len(s.place.NodeSelector)+len(s.place.Terms) > 0) {
			t.Remarks.Add("Jobs that ask for nodes by name or label, of which the files tell none", Fault{Place: j.at, Message: "Job " + j.name, Advice: "save kubectl get nodes -o json too"})
		}
		if s.millis == 0 {
			t.Remarks.Add("Jobs that request no cpu, whose pods are taken to need one core (--cpu-unit)", Fault{Place: j.at, Message: "Job " + j.name})
		} else if s.millis%k.Unit != 0 {
			t.Remarks.Add(fmt.Sprintf("Jobs that request parts of %dm of cpu, which is rounded up (--cpu-unit counts finer)", k.Unit), Fault{Place: j.at, Message: fmt.Sprintf("Job %s requests %dm for a pod", j.name, s.millis)})
		}
		st.Cores, st.Memory, st.Resources, st.Hosts = k.cores(s.millis), s.memory, s.resources, s.hosts
	}
	if j.parallelism > 0 && j.parallelism < j.completions {
		st.AtMost = j.parallelism
	}
	if out.Class = j.class; out.Class == "" {
		out.Class = k.classes[kubeKey(j.namespace, j.name)]
	}
	if planned {
		st.Takes = k.takes(j, &st, t)
	}
	out.Stages = []Stage{st}
	return j.said == nil || k.say(out, j, t)
}

// say takes over what annotations say.
func (k *Kubernetes) say(out *Job, j *kubeJob, t *Trace) bool {
	s := j.said
	if s.wcet != Unknown {
		j.declared = s.wcet
	}
	out.Hard, out.Soft, out.Weight = s.hard, s.soft, s.weight
	for _, name := range s.after {
		if len(k.namespaces) > 1 && !strings.Contains(name, "/") {
			name = kubeKey(j.namespace, name)
		}
		out.After = append(out.After, Name(name))
	}
	switch {
	case s.due != nil && out.Submit != Unknown:
		zone := j.zone
		if zone == nil {
			zone = k.Zone
		}
		release := time.UnixMilli(out.Submit).In(zone)
		at, err := clock.Clock{Unit: time.Millisecond, Origin: release}.Resolve(*s.due, release, true)
		if err != nil {
			t.Unusable.Add("Jobs that are due when clocks never say so", Fault{Place: j.at, Message: fmt.Sprintf("Job %s: %v", j.name, err)})
			return false
		}
		out.Due, t.Deadlines = at.UnixMilli(), true
	case s.deadline != Unknown:
		out.Deadline, t.Deadlines = s.deadline, true
	}
	return true
}

// tasks are those of a Job, by the index of their completion where it has such: what its Pods
// tell, or what the Job itself took, or that nothing is known.
func (k *Kubernetes) tasks(j *kubeJob, t *Trace) []Task {
	unknown := NewTask(Unknown)
	unknown.Declared = j.declared
	if len(j.pods) == 0 {
		one := unknown
		one.Count = int32(min(j.completions, mostTasks+1))
		if j.complete && j.started != Unknown && j.completed >= j.started {
			waves := max(1, (j.completions+max(1, j.parallelism)-1)/max(1, j.parallelism))
			one.Time = (j.completed - j.started + waves - 1) / waves
			t.Remarks.Add("Jobs without their Pods, whose tasks are taken to take alike: the time of the Job by its completions, so many at a time as its parallelism says",
				Fault{Place: j.at, Message: fmt.Sprintf("Job %s took %s for %d completions", j.name, time.Duration(j.completed-j.started)*time.Millisecond, j.completions), Advice: "save kubectl get pods -o json too"})
		}
		return []Task{one}
	}
	slices.SortStableFunc(j.pods, func(a, b kubePod) int { return cmp.Or(cmp.Compare(a.index, b.index), cmp.Compare(a.start, b.start)) })
	var out []Task
	done := map[int32]int{} // places in out by index
	wasted := []int64{}
	failed := map[int32]int64{}
	at := func(p *kubePod) Task {
		one := unknown
		one.Start, one.Host = p.start, p.host
		if p.ok && p.start != Unknown && p.end >= p.start {
			one.Time = p.end - p.start
		}
		return one
	}
	pad := func(n int64) {
		if n > 0 {
			one := unknown
			one.Count = int32(min(n, mostTasks))
			out = append(out, one)
		}
	}
	last := int64(0)
	for i := range j.pods {
		p := &j.pods[i]
		took := int64(0)
		if p.start != Unknown && p.end > p.start {
			took = p.end - p.start
		}
		switch {
		case p.failed && j.indexed:
			failed[p.index] += took
		case p.failed:
			wasted = append(wasted, took)
		case j.indexed && int64(p.index) >= j.completions, !j.indexed && int64(len(out)) >= j.completions:
			t.Remarks.Add("Pods beyond the completions of their Job", Fault{Place: j.at, Message: "Job " + j.name})
		case j.indexed && p.index >= 0:
			if where, twice := done[p.index]; twice {
				if p.ok {
					out[where] = at(p)
				}
				continue
			}
			pad(int64(p.index) - last)
			last = int64(p.index) + 1
			done[p.index] = len(out)
			out = append(out, at(p))
		default:
			out = append(out, at(p))
			last++
		}
	}
	for index, took := range failed {
		if where, known := done[index]; known {
			out[where].Wasted += took
		}
	}
	for i, took := range wasted {
		if len(out) > 0 {
			out[i%len(out)].Wasted += took // whose it was is not told
		}
	}
	pad(j.completions - last)
	return out
}

// mostRuns bounds the next runs that are made of one CronJob.
const mostRuns = 100_000

// next adds the runs of a CronJob from a point in time to before another.
func (k *Kubernetes) next(j *kubeJob, from, until int64, t *Trace) {
	if j.completions <= 0 {
		t.Unusable.Add("Jobs without completions to come to", Fault{Place: j.at, Message: fmt.Sprintf("CronJob %s asks for none", j.name)})
		return
	}
	n := 0
	for at := j.schedule.Next(from - 1); at != Unknown && at < until; at = j.schedule.Next(at) {
		if n++; n > mostRuns || t.Full() {
			t.Beyond++
			break
		}
		// The controller's own name for the Job of that time.
		name := fmt.Sprintf("%s-%d", j.name, at/60_000)
		if _, there := k.byName[kubeKey(j.namespace, name)]; there {
			n--
			continue
		}
		run := NewJob(k.title(j.namespace, name), j.at)
		run.Name, run.Submit, run.Ahead = k.title(j.namespace, j.name), at, true
		if !k.fill(&run, j, t) {
			return
		}
		one := NewTask(Unknown)
		one.Count, one.Declared = int32(min(j.completions, mostTasks+1)), j.declared
		run.Stages[0].Tasks = []Task{one}
		t.Add(run, true)
	}
	switch {
	case n == 0:
		t.Remarks.Add(fmt.Sprintf("CronJobs without a run from %s to %s", kubeStamp(from), kubeStamp(until)), Fault{Place: j.at, Message: "CronJob " + j.name})
	case n > 1 && (j.concurrency == "Forbid" || j.concurrency == "Replace"):
		t.Remarks.Add("CronJobs whose concurrencyPolicy says that runs do not overlap, which a plan does not heed", Fault{Place: j.at, Message: fmt.Sprintf("CronJob %s: %s", j.name, j.concurrency)})
	}
}

func (k *Kubernetes) clusterQueue(o *kubeObject, t *Trace) error {
	var spec kubeQueueSpec
	if err := o.part(o.Spec, &spec); err != nil {
		return err
	}
	sums, order := map[string]*kubeQuota{}, []string{}
	for _, group := range spec.ResourceGroups {
		for _, flavor := range group.Flavors {
			for _, r := range flavor.Resources {
				quota := r.NominalQuota.value()
				if quota == nil {
					t.Unusable.Add("amounts that are none", Fault{Place: o.at, Message: fmt.Sprintf("ClusterQueue %s has a nominalQuota of %q of %s", o.Metadata.Name, string(r.NominalQuota), r.Name), Advice: "write one like 250m, 2 or 1Gi"})
					continue
				}
				name := string(r.Name)
				sum, known := sums[name]
				if !known {
					sum = &kubeQuota{queue: string(o.Metadata.Name), cohort: string(cmp.Or(spec.CohortName, spec.Cohort)), resource: name, nominal: new(big.Rat), borrowing: new(big.Rat), at: o.at}
					sums[name] = sum
					order = append(order, name)
				}
				sum.nominal.Add(sum.nominal, quota)
				if limit := r.BorrowingLimit.value(); limit == nil {
					sum.borrowing = nil // no bound on one flavor is none on all
				} else if sum.borrowing != nil {
					sum.borrowing.Add(sum.borrowing, limit)
				}
			}
		}
	}
	k.quotas = slices.DeleteFunc(k.quotas, func(q kubeQuota) bool { return q.queue == string(o.Metadata.Name) })
	for _, name := range order {
		k.quotas = append(k.quotas, *sums[name])
	}
	return nil
}

// poolName is what the pool of a quota is called.
func poolName(queue, resource string) string { return Name(queue + "/" + resource) }

// cohortName is that of the pool that the queues of a cohort have together.
func cohortName(cohort, resource string) string { return poolName("cohort "+cohort, resource) }

// pools makes pools of quotas: what a queue may use by itself and, of queues in a cohort, which
// lend one another what they do not use, what they have together.
func (k *Kubernetes) pools(t *Trace) {
	together := map[string]*big.Rat{}
	for i := range k.quotas {
		q := &k.quotas[i]
		if q.cohort == "" {
			t.AddPool(k.poolOf(poolName(q.queue, q.resource), q.resource, q.nominal))
			continue
		}
		t.Remarks.Add("ClusterQueues in a cohort, which may borrow what others of it do not use: the cohort is a pool, and a queue with a borrowingLimit another", Fault{Place: q.at, Message: fmt.Sprintf("ClusterQueue %s is in cohort %s", q.queue, q.cohort)})
		if q.borrowing != nil {
			t.AddPool(k.poolOf(poolName(q.queue, q.resource), q.resource, new(big.Rat).Add(q.nominal, q.borrowing)))
		}
		key := cohortName(q.cohort, q.resource)
		if together[key] == nil {
			together[key] = new(big.Rat)
		}
		together[key].Add(together[key], q.nominal)
	}
	for i := range k.quotas {
		if q := &k.quotas[i]; q.cohort != "" {
			key := cohortName(q.cohort, q.resource)
			t.AddPool(k.poolOf(key, q.resource, together[key]))
		}
	}
}

// poolOf is a pool of so much of a resource.
func (k *Kubernetes) poolOf(name, resource string, amount *big.Rat) Pool {
	if resource == "cpu" {
		return Pool{Name: name, Amount: whole(amount, 1000) / k.Unit}
	}
	return Pool{Name: name, Amount: whole(amount, 1), Bytes: inBytes(resource)}
}

// takes are what a task of a Job takes of the quotas of its queue.
func (k *Kubernetes) takes(j *kubeJob, st *Stage, t *Trace) []Take {
	if j.queue == "" {
		return nil
	}
	queue, known := k.queues[kubeKey(j.namespace, j.queue)]
	if !known {
		t.Remarks.Add("Jobs in queues of which the files do not tell, which no quota holds back", Fault{Place: j.at, Message: fmt.Sprintf("Job %s is in queue %s", j.name, j.queue), Advice: "save kubectl get localqueues,clusterqueues -o json too"})
		return nil
	}
	units := map[string]int64{"cpu": max(1, st.Cores), "memory": max(0, st.Memory), "pods": 1}
	for _, a := range st.Resources {
		units[a.Name] = a.Units
	}
	of := map[string]int64{}
	for i := range k.quotas {
		if q := &k.quotas[i]; q.queue == queue && units[q.resource] > 0 {
			if q.cohort == "" || q.borrowing != nil {
				of[poolName(q.queue, q.resource)] = units[q.resource]
			}
			if q.cohort != "" {
				of[cohortName(q.cohort, q.resource)] = units[q.resource]
			}
		}
	}
	var takes []Take
	for _, name := range slices.Sorted(maps.Keys(of)) {
		takes = append(takes, Take{Pool: name, Units: of[name]})
	}
	return takes
}
