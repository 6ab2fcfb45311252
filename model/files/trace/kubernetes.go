// Kubernetes reads what kubectl get prints: Jobs and CronJobs, with Pods that tell their times,
// Nodes, and the queues, quotas and Workloads of Kueue.

package trace

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"downbeat/model/clock"
	"downbeat/model/files/document"
)

// Kubernetes reads files of objects. A Job is a job of one stage, run, whose tasks are its
// completions; the Jobs of a CronJob are its runs, and of its next ones jobs are made where the
// filter asks for those that have not ended.
type Kubernetes struct {
	// Unit ≥ 1 is how many thousandths of a core are a core of the trace: what tasks request is
	// rounded up to it, what nodes have down.
	Unit int64
	// Zone is that of schedules and times of day for which nothing else is told.
	Zone *time.Location

	jobs   []*kubeJob
	byName map[string]*kubeJob // of jobs, with their namespaces
	crons  []*kubeJob
	cronAt map[string]int // where one is, by namespace and name
	nodes  []*kubeNodeRecord
	byNode map[string]*kubeNodeRecord
	// shapes are what pods need and where they may run, by their text: many jobs share one.
	shapes map[string]*kubeShape
	quotas []kubeQuota
	// queues are the cluster queues of local queues, classes the classes of priority of
	// Workloads by their Jobs; both by name with the namespace.
	queues, classes map[string]string
	namespaces      map[string]bool
	// pods are the places of pods within their jobs, by a hash of their names; -1 for pods of no Job.
	pods map[uint64]int32
	// now is the last point in time that is told.
	now int64
}

// kubeJob is a Job, or a CronJob with its template.
type kubeJob struct {
	namespace, name, cron, queue, class string
	at                                  Place
	// told tells that the Job itself is in the files, and not its Pods alone.
	told                                 bool
	created, started, completed          int64
	suspended, indexed, complete, failed bool
	completions, parallelism, declared   int64
	shape                                *kubeShape
	said                                 *kubeSaid
	pods                                 []kubePod
	schedule                             *Schedule
	zone                                 *time.Location
	concurrency                          string
}

// kubePod is a Pod of a Job: one attempt.
type kubePod struct {
	index      int32 // of its completion, -1 where it has none
	host       Host
	ok, failed bool
	start, end int64
	at         int32 // line
}

// kubeShape is what a pod requests, and on which nodes it may be.
type kubeShape struct {
	millis    int64 // of cores
	memory    int64
	resources []Amount
	place     kubePlacement
	hosts     []Host // once all nodes are known; nil for all
	nowhere   bool
}

// kubeSaid is what annotations say of a job.
type kubeSaid struct {
	wcet, deadline int64
	due            *clock.Time
	hard, soft     bool
	weight         int64
	after          []string
}

// kubeQuota is what a ClusterQueue has of a resource.
type kubeQuota struct {
	queue, cohort, resource string
	nominal, borrowing      *big.Rat // of borrowing nil for no bound
	at                      Place
}

// maps makes those that are needed.
func (k *Kubernetes) maps() {
	if k.byName == nil {
		k.byName, k.byNode, k.shapes = map[string]*kubeJob{}, map[string]*kubeNodeRecord{}, map[string]*kubeShape{}
		k.queues, k.classes, k.namespaces, k.pods = map[string]string{}, map[string]string{}, map[string]bool{}, map[uint64]int32{}
	}
}

// Read implements Reader.
func (k *Kubernetes) Read(in *Input, t *Trace) error {
	k.maps()
	return kubeObjects(in, t, func(o *kubeObject) error { return k.object(o, t) })
}

// object takes in an object of any kind.
func (k *Kubernetes) object(o *kubeObject, t *Trace) error {
	k.see(o.Metadata.CreationTimestamp)
	switch o.Kind {
	case "Job":
		return k.job(o, t)
	case "CronJob":
		return k.cronJob(o, t)
	case "Pod":
		return k.pod(o, t)
	case "Node":
		return k.node(o)
	case "ClusterQueue":
		return k.clusterQueue(o, t)
	case "LocalQueue":
		var spec kubeLocalQueueSpec
		err := o.part(o.Spec, &spec)
		k.queues[o.key()] = string(spec.ClusterQueue)
		return err
	case "Workload":
		return k.workload(o, t)
	}
	t.Remarks.Add("objects of other kinds, which are passed over", Fault{Place: o.at, Message: fmt.Sprintf("%s is a %s", o.Metadata.Name, document.Shorten(string(o.Kind)))})
	return nil
}

// key is the name with the namespace.
func (o *kubeObject) key() string {
	return kubeKey(string(o.Metadata.Namespace), string(o.Metadata.Name))
}

func kubeKey(namespace, name string) string {
	if namespace == "" {
		namespace = "default"
	}
	return namespace + "/" + name
}

// see notes the last point in time.
func (k *Kubernetes) see(times ...kubeTime) {
	for _, at := range times {
		k.now = max(k.now, int64(at))
	}
}

// record is the job of that name.
func (k *Kubernetes) record(namespace, name string, at Place) *kubeJob {
	key := kubeKey(namespace, name)
	j, known := k.byName[key]
	if !known {
		j = &kubeJob{namespace: namespace, name: name, at: at, completions: Unknown, parallelism: Unknown, declared: Unknown}
		k.byName[key] = j
		k.jobs = append(k.jobs, j)
	}
	k.namespaces[namespace] = true
	return j
}

// The labels and annotations that are read.
const (
	kueueQueue      = "kueue.x-k8s.io/queue-name"
	kueueClass      = "kueue.x-k8s.io/priority-class"
	completionIndex = "batch.kubernetes.io/job-completion-index"
	ours            = "downbeat/"
)

func (k *Kubernetes) job(o *kubeObject, t *Trace) error {
	var spec kubeJobSpec
	var status kubeJobStatus
	if err := o.parts(&spec, &status); err != nil {
		return err
	}
	j := k.record(string(o.Metadata.Namespace), string(o.Metadata.Name), o.at)
	j.told, j.at = true, o.at
	j.cron = o.Metadata.owner("CronJob")
	j.created, j.started, j.completed = o.Metadata.CreationTimestamp.known(), status.StartTime.known(), status.CompletionTime.known()
	j.suspended = spec.Suspend
	for _, c := range status.Conditions {
		if c.Status == "True" && (c.Type == "Complete" || c.Type == "Failed") {
			j.complete, j.failed = c.Type == "Complete", c.Type == "Failed"
			if j.completed == Unknown {
				j.completed = c.LastTransitionTime.known()
			}
		}
		k.see(c.LastTransitionTime)
	}
	k.see(status.StartTime, status.CompletionTime)
	k.template(j, &spec, &o.Metadata, t)
	return nil
}

// template takes in what a Job asks for. Labels and annotations are its own, or its pods'.
func (k *Kubernetes) template(j *kubeJob, spec *kubeJobSpec, meta *kubeMeta, t *Trace) {
	j.completions, j.parallelism = spec.Completions.Value(), spec.Parallelism.Value()
	j.indexed = spec.CompletionMode == "Indexed"
	if j.parallelism == Unknown {
		j.parallelism = 1
	}
	if j.completions == Unknown {
		j.completions = max(1, j.parallelism)
		if j.parallelism > 1 {
			t.Remarks.Add("Jobs without completions, which take from a queue of their own: each of their pods is a task", Fault{Place: j.at, Message: fmt.Sprintf("Job %s has a parallelism of %d", j.name, j.parallelism)})
		}
	}
	for _, seconds := range []int64{spec.ActiveDeadlineSeconds.Value(), spec.Template.Spec.ActiveDeadlineSeconds.Value()} {
		if seconds > 0 && (j.declared == Unknown || seconds*1000 < j.declared) {
			j.declared = min(seconds, Most/1000) * 1000
		}
	}
	first := func(key string) string {
		if text := meta.Labels[key]; text != "" {
			return string(text)
		}
		return string(spec.Template.Metadata.Labels[key])
	}
	j.queue = first(kueueQueue)
	if j.class = first(kueueClass); j.class == "" {
		j.class = string(spec.Template.Spec.PriorityClassName)
	}
	j.shape = k.shape(&spec.Template.Spec, j, t)
	j.said = k.annotations(j, t, meta.Annotations, spec.Template.Metadata.Annotations)
}

func (k *Kubernetes) cronJob(o *kubeObject, t *Trace) error {
	var spec kubeCronSpec
	if err := o.part(o.Spec, &spec); err != nil {
		return err
	}
	j := &kubeJob{namespace: string(o.Metadata.Namespace), name: string(o.Metadata.Name), at: o.at, declared: Unknown, zone: k.Zone, concurrency: string(spec.ConcurrencyPolicy)}
	k.namespaces[j.namespace] = true
	leave := func(what, message, advice string) error {
		t.Unusable.Add(what, Fault{Place: o.at, Message: fmt.Sprintf("CronJob %s %s", j.name, message), Advice: advice})
		return nil
	}
	if spec.Suspend {
		return leave("CronJobs that are suspended, whose next runs are left out", "is suspended", "")
	}
	if spec.TimeZone != "" {
		zone, _, known := clock.Zone(string(spec.TimeZone))
		if !known {
			return leave("CronJobs in zones that are not known", fmt.Sprintf("has the zone %q", document.Shorten(string(spec.TimeZone))), "write one like Europe/Berlin")
		}
		j.zone = zone
	}
	schedule, err := ParseSchedule(string(spec.Schedule), j.zone)
	if err != nil {
		return leave("CronJobs whose schedule cannot be read", fmt.Sprintf("has the schedule %q: %v", document.Shorten(string(spec.Schedule)), err), "write five fields, like 30 22 * * mon-fri")
	}
	if j.schedule = schedule; spec.TimeZone == "" {
		t.Remarks.Add(fmt.Sprintf("CronJobs without a timeZone, whose schedule is taken to be in %s (--zone)", k.Zone), Fault{Place: o.at, Message: fmt.Sprintf("CronJob %s", j.name)})
	}
	meta := spec.JobTemplate.Metadata
	if meta.Annotations == nil {
		meta.Annotations = map[string]Text{}
	}
	for key, text := range o.Metadata.Annotations {
		if _, own := meta.Annotations[key]; !own {
			meta.Annotations[key] = text
		}
	}
	k.template(j, &spec.JobTemplate.Spec, &meta, t)
	key := kubeKey(j.namespace, j.name)
	if i, again := k.cronAt[key]; again {
		k.crons[i] = j // as it is told last
		return nil
	}
	if k.cronAt == nil {
		k.cronAt = map[string]int{}
	}
	k.cronAt[key] = len(k.crons)
	k.crons = append(k.crons, j)
	return nil
}

func (k *Kubernetes) workload(o *kubeObject, t *Trace) error {
	var spec kubeWorkloadSpec
	if err := o.part(o.Spec, &spec); err != nil {
		return err
	}
	job := o.Metadata.owner("Job")
	if job == "" {
		t.Remarks.Add("Workloads of Kueue that are of no Job, which are passed over", Fault{Place: o.at, Message: fmt.Sprintf("Workload %s", o.Metadata.Name)})
		return nil
	}
	class := spec.PriorityClassRef.Name
	if class == "" {
		class = spec.PriorityClassName
	}
	k.classes[kubeKey(string(o.Metadata.Namespace), job)] = string(class)
	return nil
}

// mostPods bounds the pods that are kept: of each task that a job set can have two.
const mostPods = 2 * mostTasks

// pod takes in a pod: an attempt of a task of a Job, or what holds part of a node.
func (k *Kubernetes) pod(o *kubeObject, t *Trace) error {
	var spec kubePodSpec
	var status kubePodStatus
	if err := o.parts(&spec, &status); err != nil {
		return err
	}
	ended := status.Phase == "Succeeded" || status.Phase == "Failed"
	end := kubeTime(0)
	for _, c := range status.ContainerStatuses {
		if x := c.State.Terminated; x != nil {
			end = max(end, x.FinishedAt)
		}
	}
	k.see(status.StartTime, end)
	name := fnv.New64a()
	name.Write([]byte(o.key()))
	place, again := k.pods[name.Sum64()]
	owner := o.Metadata.owner("Job")
	if owner == "" {
		if k.pods[name.Sum64()] = -1; again {
			return nil
		}
		if !ended && spec.NodeName != "" {
			k.nodeRecord(string(spec.NodeName), o.at).hold(podNeeds(&spec))
			t.Remarks.Add("pods that are of no Job, which keep what they request of their nodes", Fault{Place: o.at, Message: fmt.Sprintf("Pod %s on %s", o.Metadata.Name, spec.NodeName)})
		}
		return nil
	}
	if len(k.pods) >= mostPods && !again {
		t.Unusable.Add(fmt.Sprintf("pods beyond %d", mostPods), Fault{Place: o.at, Message: fmt.Sprintf("Pod %s", o.Metadata.Name)})
		return nil
	}
	j := k.record(string(o.Metadata.Namespace), owner, o.at)
	if j.shape == nil {
		j.shape = k.shape(&spec, j, t)
	}
	p := kubePod{index: podIndex(&o.Metadata), host: t.Host(Name(string(spec.NodeName))), ok: status.Phase == "Succeeded", failed: status.Phase == "Failed",
		start: status.StartTime.known(), end: Unknown, at: int32(min(o.at.Line, 1<<30))}
	if ended && end > 0 {
		p.end = int64(end)
	}
	if again && place >= 0 && int(place) < len(j.pods) {
		j.pods[place] = p // as it is told last
		return nil
	}
	k.pods[name.Sum64()] = int32(len(j.pods))
	j.pods = append(j.pods, p)
	return nil
}

// podIndex is the index of the completion that a pod is for, -1 where it has none.
func podIndex(meta *kubeMeta) int32 {
	for _, m := range []map[string]Text{meta.Annotations, meta.Labels} {
		if n, err := strconv.ParseInt(string(m[completionIndex]), 10, 32); err == nil && n >= 0 && n < mostTasks {
			return int32(n)
		}
	}
	return -1
}

// annotations reads what annotations of our own say; nil where there are none.
func (k *Kubernetes) annotations(j *kubeJob, t *Trace, from ...map[string]Text) *kubeSaid {
	var said *kubeSaid
	for _, m := range from {
		keys := make([]string, 0, len(m))
		for key := range m {
			if strings.HasPrefix(key, ours) {
				keys = append(keys, key)
			}
		}
		slices.Sort(keys)
		for _, key := range keys {
			if said == nil {
				said = &kubeSaid{wcet: Unknown, deadline: Unknown, weight: 1}
			}
			if problem := said.set(strings.TrimPrefix(key, ours), string(m[key])); problem != "" {
				t.Unusable.AddByReason("annotations that cannot be used", Fault{Place: j.at, Message: problem, Advice: fmt.Sprintf("it stands at %s as %s: %q", j.name, document.Shorten(key), document.Shorten(string(m[key])))})
			}
		}
	}
	return said
}

// set takes in an annotation; it says what is wrong with it.
func (s *kubeSaid) set(key, text string) (problem string) {
	span := func(to *int64) string {
		d, err := time.ParseDuration(text)
		if err != nil || d < time.Millisecond || d.Milliseconds() > Most {
			return "a length of time is written like 90s, 10m or 1h30m"
		}
		*to = d.Milliseconds()
		return ""
	}
	switch key {
	case "task": // of an export of ours, which import executed reads
		return ""
	case "start", "slave":
		return ""
	case "wcet":
		return span(&s.wcet)
	case "deadline":
		return span(&s.deadline)
	case "due":
		at, ok := clock.Parse(text)
		if !ok {
			return "a time is written like 06:00 or 2026-11-22T06:00:00Z"
		}
		s.due = &at
	case "hard":
		s.hard, s.soft = text == "true", text == "false"
		if !s.hard && !s.soft {
			return "hard is true or false"
		}
	case "weight":
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || n < 1 || n > 1_000_000 {
			return "a weight is a whole number from 1 to 1000000"
		}
		s.weight = n
	case "after":
		for name := range strings.SplitSeq(text, ",") {
			if name = strings.TrimSpace(name); name != "" {
				s.after = append(s.after, name)
			}
		}
	default:
		return "an annotation of downbeat's is one of wcet, deadline, due, hard, weight and after"
	}
	return ""
}

// interned is the text of a value, by which equal ones are one.
func interned(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%+v", v) // not for types of ours
	}
	return string(text)
}
