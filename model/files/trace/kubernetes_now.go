package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// KubernetesNow reads what kubectl get prints of Jobs and Pods: what has become of their tasks.
// An annotation downbeat/task has a label a line, one for each index of a completion; without one
// the Job counts by its name, and its tasks by their index or, without that, as they began.
type KubernetesNow struct {
	jobs   map[string]*kubeNow
	order  []*kubeNow
	places map[string]kubePlaceNow
}

// kubePlaceNow is where a pod is kept that has been told.
type kubePlaceNow struct {
	job *kubeNow
	at  int
}

// kubeNow is a Job with its Pods.
type kubeNow struct {
	namespace, name, cron       string
	labels                      []string
	at                          Place
	told, indexed, complete     bool
	started, completed, counted int64
	host                        string
	pods                        []kubePodNow
}

// kubePodNow is a Pod of a Job.
type kubePodNow struct {
	Attempt
	index int32
	label string
}

// Read implements Reader.
func (k *KubernetesNow) Read(in *Input, t *Trace) error {
	if k.jobs == nil {
		k.jobs, k.places = map[string]*kubeNow{}, map[string]kubePlaceNow{}
	}
	return kubeObjects(in, t, func(o *kubeObject) error {
		switch o.Kind {
		case "Job":
			return k.job(o)
		case "Pod":
			return k.pod(o, t)
		}
		t.Remarks.Add("objects of other kinds, which are passed over", Fault{Place: o.at, Message: fmt.Sprintf("%s is a %s", o.Metadata.Name, Name(string(o.Kind)))})
		return nil
	})
}

// record is the Job of that name.
func (k *KubernetesNow) record(namespace, name string, at Place) *kubeNow {
	key := kubeKey(namespace, name)
	j, known := k.jobs[key]
	if !known {
		j = &kubeNow{namespace: namespace, name: name, at: at, started: Unknown, completed: Unknown}
		k.jobs[key] = j
		k.order = append(k.order, j)
	}
	return j
}

// taskLabels are the labels that an annotation holds, a line each.
func taskLabels(annotations map[string]Text) []string {
	return strings.Fields(string(annotations[ours+"task"]))
}

func (k *KubernetesNow) job(o *kubeObject) error {
	var spec kubeJobSpec
	var status kubeJobStatus
	if err := o.parts(&spec, &status); err != nil {
		return err
	}
	j := k.record(string(o.Metadata.Namespace), string(o.Metadata.Name), o.at)
	j.told, j.at = true, o.at
	j.cron, j.labels = o.Metadata.owner("CronJob"), taskLabels(o.Metadata.Annotations)
	j.indexed, j.counted = spec.CompletionMode == "Indexed", spec.Completions.Value()
	j.started, j.completed, j.complete = status.StartTime.known(), status.CompletionTime.known(), false
	for _, c := range status.Conditions {
		j.complete = j.complete || c.Type == "Complete" && c.Status == "True"
	}
	j.host = string(spec.Template.Spec.NodeSelector["kubernetes.io/hostname"])
	return nil
}

func (k *KubernetesNow) pod(o *kubeObject, t *Trace) error {
	var spec kubePodSpec
	var status kubePodStatus
	if err := o.parts(&spec, &status); err != nil {
		return err
	}
	owner := o.Metadata.owner("Job")
	if owner == "" {
		t.Remarks.Add("pods that are of no Job, which are passed over", Fault{Place: o.at, Message: fmt.Sprintf("Pod %s", o.Metadata.Name)})
		return nil
	}
	p := kubePodNow{Attempt: NewAttempt(o.at), index: podIndex(&o.Metadata)}
	p.Host, p.Start = string(spec.NodeName), status.StartTime.known()
	end := kubeTime(0)
	for _, c := range status.ContainerStatuses {
		if x := c.State.Terminated; x != nil {
			end = max(end, x.FinishedAt)
		}
	}
	switch {
	case status.Phase == "Succeeded":
		p.State, p.Finish = Finished, end.known()
	case status.Phase == "Failed":
		p.State, p.Finish = Failed, end.known()
	case p.Start != Unknown && p.Host != "": // a pod that pulls its image holds its node already
		p.State = Running
	}
	switch labels := taskLabels(o.Metadata.Annotations); {
	case len(labels) == 1:
		p.label = labels[0]
	case len(labels) > 1 && p.index >= 0 && int(p.index) < len(labels):
		p.label = labels[p.index]
	case len(labels) > 1:
		t.Unusable.Add("Pods with labels of several tasks and no index of a completion", Fault{Place: o.at, Message: fmt.Sprintf("Pod %s", o.Metadata.Name)})
		return nil
	}
	j := k.record(string(o.Metadata.Namespace), owner, o.at)
	if place, again := k.places[o.key()]; again && place.job == j {
		j.pods[place.at] = p // as it is told last
		return nil
	}
	if len(k.places) == mostAttempts {
		t.Unusable.Add("attempts beyond five million", Fault{Place: o.at, Message: "there are too many Pods"})
		return nil
	}
	k.places[o.key()] = kubePlaceNow{j, len(j.pods)}
	j.pods = append(j.pods, p)
	return nil
}

// Close implements Reader: it hands the attempts to the trace.
func (k *KubernetesNow) Close(t *Trace) {
	for _, j := range k.order {
		k.number(j)
		told := map[string]bool{}
		for i := range j.pods {
			p := &j.pods[i]
			p.Label = p.label
			if p.Label == "" && p.index >= 0 && int(p.index) < len(j.labels) {
				p.Label = j.labels[p.index]
			}
			if p.Label == "" && len(j.labels) == 1 {
				p.Label = j.labels[0]
			}
			told[p.Label] = true
			j.names(&p.Attempt)
			t.AddAttempt(p.Attempt)
		}
		for _, label := range j.labels {
			if told[label] {
				continue
			}
			a := NewAttempt(j.at) // its Pod is gone, or not there yet
			if a.Label = label; j.complete {
				j.whole(&a, t)
			}
			j.names(&a)
			t.AddAttempt(a)
		}
		if len(j.labels) == 0 && len(j.pods) == 0 {
			j.podless(t)
		}
	}
}

// whole gives an attempt of which no Pod tells the times of its Job, which is complete.
func (j *kubeNow) whole(a *Attempt, t *Trace) {
	a.State, a.Host, a.Start, a.Finish = Finished, j.host, j.started, j.completed
	t.Remarks.Add("Jobs that are complete and without their Pods, whose tasks count from the start of the Job to its end", Fault{Place: j.at, Message: "Job " + j.name})
}

// podless hands over the tasks of a Job that has no label, and of which no Pod tells: they count if
// it is complete, and are not known if it has begun.
func (j *kubeNow) podless(t *Trace) {
	switch {
	case j.complete:
		for task := range int(min(max(j.counted, 1), mostTasks)) {
			a := NewAttempt(j.at)
			a.Task = task + 1
			j.whole(&a, t)
			j.names(&a)
			t.AddAttempt(a)
		}
	case j.started != Unknown:
		t.Remarks.Add("Jobs that have begun and are without their Pods, which are passed over", Fault{Place: j.at, Message: "Job " + j.name, Advice: "save what kubectl get jobs,pods -o json prints"})
	}
}

// names gives an attempt the names that its job may have in a job set.
func (j *kubeNow) names(a *Attempt) {
	a.Job = Name(j.name)
	names := []string{j.name, j.cron, kubeKey(j.namespace, j.name), kubeKey(j.namespace, j.cron)}
	for i, name := range names[1:] {
		if j.cron != "" || i == 1 {
			a.Others = append(a.Others, Name(name))
		}
	}
}

// number gives Pods the numbers of their tasks: by index, or as they began; one that failed has that of
// the first that has begun no later attempt.
func (k *KubernetesNow) number(j *kubeNow) {
	good := 0
	slices.SortStableFunc(j.pods, func(a, b kubePodNow) int {
		return cmp.Compare(uint64(a.Start), uint64(b.Start)) // what has not begun comes last
	})
	for i := range j.pods {
		switch p := &j.pods[i]; {
		case p.index >= 0:
			p.Task = int(p.index) + 1
		case p.State != Failed:
			good++
			p.Task = good
		default:
			p.Task = good + 1
			if j.counted > 0 {
				p.Task = int(min(int64(p.Task), j.counted))
			}
		}
	}
}
