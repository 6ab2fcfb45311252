package export

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"

	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/tasklabel"
	"downbeat/cmd/internal/version"
	"downbeat/model"
	files "downbeat/model/files/trace"

	"gopkg.in/yaml.v3"
)

// Kubernetes says what a job set does not tell Kubernetes.
type Kubernetes struct {
	// Templates are those of pods by the names of jobs; what is not there is made of Image and Command.
	Templates map[string]files.PodTemplate
	// Image is the container image of all other tasks, Command what a shell in it runs; empty for the
	// image's own entry point.
	Image, Command string
	// Namespace is that of the Jobs, empty for that of whoever applies them.
	Namespace string
	// Queue is Kueue's LocalQueue, for the form of Kueue.
	Queue string
	// CPU is the cpu, in thousandths, that a core stands for; Memory the bytes of a unit of the
	// resource memory, 0 to leave it out.
	CPU, Memory int64
	// Resources are the names by which Kubernetes knows resources of the job set.
	Resources map[string]string
	// KillAfter > 0 ends Jobs that take so many times as long as planned; not those of Kueue.
	KillAfter float64
	// Tolerate are the keys of taints that pods tolerate.
	Tolerate []string
	// Digest is that of the job set as its file has it, Now the time from which on the plan was made
	// anew: what is handed out before is left out.
	Digest string
	Now    model.Time
}

// The few objects and fields of the Kubernetes API that a plan needs
// (https://kubernetes.io/docs/reference/kubernetes-api/).
type (
	kubeObject struct {
		APIVersion string   `yaml:"apiVersion"`
		Kind       string   `yaml:"kind"`
		Metadata   kubeMeta `yaml:"metadata"`
		// Spec is that of a Job, Value that of a WorkloadPriorityClass.
		Spec        *kubeJobSpec `yaml:"spec,omitempty"`
		Value       *int32       `yaml:"value,omitempty"`
		Description string       `yaml:"description,omitempty"`
	}
	kubeMeta struct {
		Name        string            `yaml:"name,omitempty"`
		Namespace   string            `yaml:"namespace,omitempty"`
		Labels      map[string]string `yaml:"labels,omitempty"`
		Annotations map[string]string `yaml:"annotations,omitempty"`
	}
	kubeJobSpec struct {
		Suspend               bool   `yaml:"suspend"`
		Completions           int    `yaml:"completions"`
		Parallelism           int    `yaml:"parallelism"`
		CompletionMode        string `yaml:"completionMode"`
		ActiveDeadlineSeconds int64  `yaml:"activeDeadlineSeconds,omitempty"`
		// Template is a kubeTemplate, or that of a Job of the user's as a map.
		Template any `yaml:"template"`
	}
	kubeTemplate struct {
		Metadata kubeMeta    `yaml:"metadata"`
		Spec     kubePodSpec `yaml:"spec"`
	}
	kubePodSpec struct {
		RestartPolicy string            `yaml:"restartPolicy"`
		NodeSelector  map[string]string `yaml:"nodeSelector,omitempty"`
		Tolerations   []kubeToleration  `yaml:"tolerations,omitempty"`
		Containers    []kubeContainer   `yaml:"containers"`
	}
	kubeToleration struct {
		Key      string `yaml:"key"`
		Operator string `yaml:"operator"`
	}
	kubeContainer struct {
		Name      string        `yaml:"name"`
		Image     string        `yaml:"image"`
		Command   []string      `yaml:"command,omitempty"`
		Env       []kubeEnv     `yaml:"env"`
		Resources kubeResources `yaml:"resources"`
	}
	kubeEnv struct {
		Name  string `yaml:"name"`
		Value string `yaml:"value"`
	}
	kubeResources struct {
		Requests map[string]string `yaml:"requests"`
		Limits   map[string]string `yaml:"limits,omitempty"`
	}
)

// The labels and annotations that Jobs carry.
const (
	taskAnnotation   = "downbeat/task"
	wcetAnnotation   = "downbeat/wcet"
	startAnnotation  = "downbeat/start"
	afterLabel       = "downbeat/stage"
	jobSetLabel      = "downbeat/job-set"
	planLabel        = "downbeat/plan" // the tick from which on it was made
	kueueQueueLabel  = "kueue.x-k8s.io/queue-name"
	kueueClassLabel  = "kueue.x-k8s.io/priority-class"
	hostnameSelector = "kubernetes.io/hostname"
)

// kubeGroup are tasks of a stage that are one Job.
type kubeGroup struct {
	name  string
	stage *kubeStage
	slave model.SlaveID
	// first is the first assignment, long the longest stay.
	first, long model.Time
	tasks       []model.TaskID // ascending
}

// kubeStage is a stage with what it comes after, by the values of labels.
type kubeStage struct {
	job   model.JobID
	of    *model.Stage
	id    string
	after []string
	// groups counts those of the stage.
	groups int
}

var kubeUnsafe = regexp.MustCompile(`[^a-z0-9]+`)

// kubeName makes a text a name that Kubernetes takes (DNS-1123), of at most 40 characters.
func kubeName(text string) string {
	name := strings.Trim(kubeUnsafe.ReplaceAllString(strings.ToLower(text), "-"), "-")
	return cmp.Or(strings.TrimRight(name[:min(len(name), 40)], "-"), "task")
}

// stages are the stages of the plan by their numbers, with names that differ.
func (k *Kubernetes) stages(js *model.JobSet) []*kubeStage {
	taken := map[string]bool{}
	all := make([]*kubeStage, js.Stages())
	for i := range js.Jobs {
		job := &js.Jobs[i]
		for s := range job.Stages {
			id := kubeName(job.Name + "-" + job.Stages[s].Name)
			if len(job.Stages) == 1 {
				id = kubeName(job.Name)
			}
			for n, base := 2, id; taken[id]; n++ {
				id = fmt.Sprintf("%s-x%d", base, n)
			}
			taken[id] = true
			all[job.FirstStage+model.StageID(s)] = &kubeStage{job: model.JobID(i), of: &job.Stages[s], id: id}
		}
	}
	for i := range js.Jobs {
		job := &js.Jobs[i]
		for s := range job.Stages {
			st := all[job.FirstStage+model.StageID(s)]
			for _, b := range job.Stages[s].After {
				st.after = append(st.after, all[job.FirstStage+model.StageID(b)].id)
			}
			for _, b := range job.After {
				for t := range js.Jobs[b].Stages {
					st.after = append(st.after, all[js.Jobs[b].FirstStage+model.StageID(t)].id)
				}
			}
		}
	}
	return all
}

// groups are the Jobs of a plan, by their start: tasks of a stage on one slave that are handed out
// at once and need the same or, where anywhere is true, all of a stage that need the same.
func (k *Kubernetes) groups(c Clock, anywhere bool) []*kubeGroup {
	type key struct {
		stage   model.StageID
		slave   model.SlaveID
		at      model.Time
		profile *model.Profile
	}
	stages, known := k.stages(c.JS), map[key]*kubeGroup{}
	var all []*kubeGroup
	attempts := slices.Clone(c.Attempts)
	slices.SortFunc(attempts, func(a, b summary.Attempt) int { return cmp.Compare(a.Task, b.Task) })
	for i := range attempts {
		a := &attempts[i]
		if a.Lost || a.Assigned < k.Now {
			continue
		}
		task := &c.JS.Tasks[a.Task]
		of := key{c.JS.Jobs[task.Job].FirstStage + model.StageID(task.Stage), a.Slave, a.Assigned, task.Profile}
		if anywhere {
			of.slave, of.at = model.NoSlave, 0
		}
		g := known[of]
		if g == nil {
			g = &kubeGroup{stage: stages[of.stage], slave: a.Slave, first: a.Assigned}
			known[of] = g
			all = append(all, g)
		}
		g.first, g.long = min(g.first, a.Assigned), max(g.long, a.Finish-a.Assigned)
		if g.tasks = append(g.tasks, a.Task); len(g.tasks) == k.most(c.JS, g, anywhere) {
			delete(known, of) // the next one begins another Job
		}
	}
	slices.SortStableFunc(all, func(a, b *kubeGroup) int { return cmp.Compare(a.first, b.first) })
	for _, g := range all {
		g.stage.groups++
		if g.name = fmt.Sprintf("%s-%d", g.stage.id, g.stage.groups); k.Now > 0 {
			g.name = fmt.Sprintf("%s-%d-at-%d", g.stage.id, g.stage.groups, k.Now) // no name of an earlier plan
		}
	}
	return all
}

// mostLabels bounds the labels of a Job in bytes: Kubernetes takes 256 KB of annotations.
const mostLabels = 100_000

// most is how many tasks a Job of the group may have. What runs by a template of the user's, whose
// indexes count from 0 over the whole stage, has all of them or one.
func (k *Kubernetes) most(js *model.JobSet, g *kubeGroup, anywhere bool) int {
	if _, own := k.template(js, g); own && !(anywhere && g.alike(js)) {
		return 1
	}
	return max(1, min(1000, mostLabels/(len(k.label(js, g, g.tasks[0]))+8)))
}

// alike reports whether all tasks of the stage need the same, so that they are one group.
func (g *kubeGroup) alike(js *model.JobSet) bool {
	n := int(g.stage.of.End - g.stage.of.First)
	for t := g.stage.of.First; t < g.stage.of.End; t++ {
		if js.Tasks[t].Profile != js.Tasks[g.tasks[0]].Profile {
			return false
		}
	}
	return n <= 1000
}

// runOf is the end of the name of a run of a CronJob.
var runOf = regexp.MustCompile(`-[0-9]+$`)

// template is the one for the job of a group, by its name or that of its CronJob.
func (k *Kubernetes) template(js *model.JobSet, g *kubeGroup) (files.PodTemplate, bool) {
	return k.templateOf(js.Jobs[g.stage.job].Name)
}

func (k *Kubernetes) templateOf(name string) (files.PodTemplate, bool) {
	of, known := k.Templates[name]
	if !known {
		of, known = k.Templates[runOf.ReplaceAllString(name, "")]
	}
	return of, known
}

// Knows reports whether there is a template for a job of that name.
func (k *Kubernetes) Knows(name string) bool {
	_, known := k.templateOf(name)
	return known
}

// NamespaceOf is that of the template for a job of that name, empty where there is none.
func (k *Kubernetes) NamespaceOf(name string) string {
	of, _ := k.templateOf(name)
	return of.Namespace
}

// label names a task.
func (k *Kubernetes) label(js *model.JobSet, g *kubeGroup, id model.TaskID) string {
	return tasklabel.Label{Job: js.Jobs[g.stage.job].Name, Stage: g.stage.of.Name, Task: int(js.Tasks[id].Number), Digest: k.Digest}.String()
}

// Write writes a plan as Jobs, each on the node and for the time that the plan says.
func (k *Kubernetes) Write(w io.Writer, c Clock) error {
	groups := k.groups(c, false)
	objects := make([]kubeObject, 0, len(groups))
	for _, g := range groups {
		o := k.job(c, g)
		o.Spec.place(c.JS.Slaves[g.slave].Name)
		objects = append(objects, o)
	}
	return k.write(w, c, "Jobs", []string{
		"Each is suspended, on the node of the plan (nodeSelector " + hostnameSelector + "), and is to be",
		"un-suspended at its downbeat/start, when those that it comes after are complete:",
		"",
		"  kubectl apply -f THIS",
		"  downbeat export kubernetes FILE PLAN, with the flags that made this, --start-script > run.sh; sh run.sh",
		"",
		"Tasks of a stage that are handed out at one time on one node are one Indexed Job, but for those by a",
		"template; downbeat/task names the task of each index, a line each, DOWNBEAT_TASKS their numbers.",
	}, []string{
		"gangs: tasks that start together are un-suspended together, and that is all;",
		"pools, caps, and slots: they are kept as long as Jobs keep to their times;",
		"transfers: a task's input is part of its time.",
	}, objects)
}

// WriteKueue writes a plan as Jobs in a queue of Kueue, with priorities in the order of the plan.
func (k *Kubernetes) WriteKueue(w io.Writer, c Clock) error {
	groups := k.groups(c, true)
	var objects []kubeObject
	ranks := map[model.Time]int32{}
	for _, g := range groups {
		ranks[g.first] = 0
	}
	set := tasklabel.Short(k.Digest)
	class := func(first model.Time) string { return fmt.Sprintf("downbeat-%s-%d", set[:6], ranks[first]) }
	for i, first := range slices.Sorted(maps.Keys(ranks)) {
		value := int32(len(ranks) - i)
		ranks[first] = value
		objects = append(objects, kubeObject{
			APIVersion: "kueue.x-k8s.io/v1beta2", Kind: "WorkloadPriorityClass",
			Metadata: kubeMeta{Name: class(first), Labels: map[string]string{jobSetLabel: set}},
			Value:    &value, Description: "planned for " + k.stamp(c, first),
		})
	}
	for _, g := range groups {
		o := k.job(c, g)
		o.Metadata.Labels[kueueClassLabel] = class(g.first)
		if len(g.stage.after) == 0 && c.JS.Jobs[g.stage.job].Release == 0 {
			o.Metadata.Labels[kueueQueueLabel] = k.Queue
		}
		if most := g.cap(c.JS); most > 0 {
			o.Spec.Parallelism = int(min(int64(o.Spec.Parallelism), most))
		}
		objects = append(objects, o)
	}
	return k.write(w, c, "Jobs of Kueue", []string{
		"Each is suspended, and has a class of priority by when the plan hands out its first task: what is",
		"first in the plan is admitted first. Jobs that come after others, or are released later, get their queue",
		"by the script, when they may begin; until then Kueue leaves them alone:",
		"",
		"  kubectl apply -f THIS",
		"  downbeat export kueue FILE PLAN, with the flags that made this, --start-script > run.sh; sh run.sh",
		"",
		"Tasks of a stage that need the same are one Indexed Job; downbeat/task names the task of each index.",
	}, []string{
		"nodes and times: Kueue admits what fits its quota, by priority, and the scheduler picks nodes;",
		"gangs: pods of a Job are admitted together, those of other Jobs of the stage are not;",
		"pools, and caps of jobs or over Jobs of a stage; a cap of a stage is the parallelism of its Jobs.",
	}, objects)
}

// cap is the least cap of the stage and its job, 0 for none.
func (g *kubeGroup) cap(js *model.JobSet) int64 {
	most := g.stage.of.AtMost
	if job := js.Jobs[g.stage.job].AtMost; job > 0 && (most == 0 || job < most) {
		most = job
	}
	return most
}

// lineBreaks are those of YAML, of which a name may have some.
var lineBreaks = strings.NewReplacer("\n", " ", "\r", " ", "\u0085", " ", "\u2028", " ", "\u2029", " ")

// write writes objects below what is to be said of them.
func (k *Kubernetes) write(w io.Writer, c Clock, what string, story, untold []string, objects []kubeObject) error {
	var b strings.Builder
	say := func(lines ...string) {
		for _, line := range lines {
			b.WriteString(strings.TrimRight("# "+lineBreaks.Replace(line), " ") + "\n")
		}
	}
	say(fmt.Sprintf("A plan as %s, for the job set %s (%s).", what, cmp.Or(c.JS.Name, "without a name"), tasklabel.Short(k.Digest)), "Made by "+version.Made()+".", "")
	say(story...)
	if k.Now > 0 {
		say("", fmt.Sprintf("The plan was made anew from %s on: what was handed out before is not in here. Stop the script of the", k.stamp(c, k.Now)),
			"earlier plan first; this one's script deletes its Jobs that are still suspended, or have failed.")
	}
	say("", "What Kubernetes cannot be told, and what is therefore not in here:")
	for _, line := range append(untold, k.unnamed(c.JS)...) {
		say("  " + line)
	}
	out := yaml.NewEncoder(&b)
	out.SetIndent(2)
	for _, o := range objects {
		if err := out.Encode(o); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// stamp is a point in time.
func (k *Kubernetes) stamp(c Clock, t model.Time) string { return c.At(t).UTC().Format(time.RFC3339) }

// job is the Job of a group.
func (k *Kubernetes) job(c Clock, g *kubeGroup) kubeObject {
	js := c.JS
	var labels, numbers []string
	wcet := model.Time(0)
	for _, id := range g.tasks {
		task := &js.Tasks[id]
		labels = append(labels, k.label(js, g, id))
		numbers = append(numbers, fmt.Sprint(task.Number))
		for s := range js.Slaves {
			wcet = max(wcet, task.WCET(model.SlaveID(s)))
		}
	}
	tasks := strings.Join(labels, "\n")
	set := tasklabel.Short(k.Digest)
	spec := &kubeJobSpec{Suspend: true, Completions: len(g.tasks), Parallelism: len(g.tasks), CompletionMode: "Indexed"}
	if k.KillAfter > 0 && k.Queue == "" {
		spec.ActiveDeadlineSeconds = max(1, int64(k.KillAfter*c.Length(g.long).Seconds()+0.999))
	}
	meta := kubeMeta{Labels: map[string]string{jobSetLabel: set, afterLabel: g.stage.id}, Annotations: map[string]string{taskAnnotation: tasks}}
	env := []kubeEnv{{"DOWNBEAT_JOB", dollars(js.Jobs[g.stage.job].Name)}, {"DOWNBEAT_STAGE", dollars(g.stage.of.Name)}, {"DOWNBEAT_TASKS", strings.Join(numbers, " ")}}
	if of, own := k.template(js, g); own {
		if len(g.tasks) == 1 {
			spec.CompletionMode = "NonIndexed"
			if of.Indexed { // the index in the Job of the whole stage
				env = append(env, kubeEnv{"JOB_COMPLETION_INDEX", fmt.Sprint(js.Tasks[g.tasks[0]].Number - 1)})
			}
		}
		spec.Template = withTemplate(of.Template, meta, env)
	} else {
		spec.Template = &kubeTemplate{
			Metadata: meta,
			Spec: kubePodSpec{RestartPolicy: "Never", Tolerations: k.tolerations(), Containers: []kubeContainer{{
				Name: "task", Image: k.Image, Command: k.command(), Env: env, Resources: k.resources(js, &js.Tasks[g.tasks[0]]),
			}}},
		}
	}
	annotations := map[string]string{taskAnnotation: tasks, startAnnotation: k.stamp(c, g.first), wcetAnnotation: c.Length(wcet).String()}
	if job := &js.Jobs[g.stage.job]; job.Kind != model.BestEffort {
		if due, fits := c.Clock.Duration(job.Due()); fits {
			annotations["downbeat/due"] = c.origin.Add(due).UTC().Format(time.RFC3339)
			annotations["downbeat/hard"] = fmt.Sprint(job.Kind == model.Hard)
		}
	}
	return kubeObject{
		APIVersion: "batch/v1", Kind: "Job", Spec: spec,
		Metadata: kubeMeta{
			Name: g.name, Namespace: k.Namespace, Annotations: annotations,
			Labels: map[string]string{"app.kubernetes.io/managed-by": "downbeat", jobSetLabel: set, planLabel: fmt.Sprint(k.Now), afterLabel: g.stage.id},
		},
	}
}

// place puts pods on a node.
func (s *kubeJobSpec) place(node string) {
	switch of := s.Template.(type) {
	case *kubeTemplate:
		of.Spec.NodeSelector = map[string]string{hostnameSelector: node}
	case map[string]any:
		pod := member(of, "spec")
		delete(pod, "nodeName")
		member(pod, "nodeSelector")[hostnameSelector] = node
	}
}

// member is the object of that name in another, made if it is none.
func member(of map[string]any, name string) map[string]any {
	in, is := of[name].(map[string]any)
	if !is {
		in = map[string]any{}
		of[name] = in
	}
	return in
}

// controllers are labels that the controller of Jobs gives pods of its own, and no others.
var controllers = []string{"controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"}

// withTemplate is a template with labels, annotations and variables of ours.
func withTemplate(of map[string]any, meta kubeMeta, env []kubeEnv) map[string]any {
	out := copied(of).(map[string]any)
	head := member(out, "metadata")
	delete(head, "creationTimestamp")
	labels := member(head, "labels")
	for _, name := range controllers {
		delete(labels, name)
	}
	for name, value := range meta.Labels {
		labels[name] = value
	}
	for name, value := range meta.Annotations {
		member(head, "annotations")[name] = value
	}
	containers, _ := member(out, "spec")["containers"].([]any)
	for _, c := range containers {
		c, is := c.(map[string]any)
		if !is {
			continue
		}
		old, _ := c["env"].([]any)
		var list []any
		for _, v := range old {
			if v, is := v.(map[string]any); !is || !slices.ContainsFunc(env, func(e kubeEnv) bool { return e.Name == v["name"] }) {
				list = append(list, v)
			}
		}
		for _, v := range env {
			list = append(list, map[string]any{"name": v.Name, "value": v.Value})
		}
		c["env"] = list
	}
	return out
}

// copied is a value of JSON that shares nothing with another.
func copied(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, of := range v {
			out[key] = copied(of)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = copied(v[i])
		}
		return out
	}
	return v
}

// tolerations are those of all pods.
func (k *Kubernetes) tolerations() []kubeToleration {
	var out []kubeToleration
	for _, key := range k.Tolerate {
		out = append(out, kubeToleration{key, "Exists"})
	}
	return out
}

// command is what a container runs, nil for the image's own entry point.
func (k *Kubernetes) command() []string {
	if k.Command == "" {
		return nil
	}
	return []string{"sh", "-c", dollars(k.Command)}
}

// dollars keeps what looks like a variable of Kubernetes from being taken for one: $(NAME).
func dollars(text string) string { return strings.ReplaceAll(text, "$(", "$$(") }

// kubeResource are names of resources that Kubernetes takes beside its own: with a domain.
var kubeResource = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`)

// resourceName is what Kubernetes calls a resource of the job set; empty where it knows none.
func (k *Kubernetes) resourceName(name string) string {
	if to, given := k.Resources[name]; given {
		return to
	}
	if kubeResource.MatchString(name) || name == "ephemeral-storage" {
		return name
	}
	return ""
}

// unnamed tells of resources that Kubernetes knows by no name.
func (k *Kubernetes) unnamed(js *model.JobSet) []string {
	var out []string
	for _, name := range js.Named {
		if name != memoryResource && k.resourceName(name) == "" {
			out = append(out, fmt.Sprintf("the resource %s, of which --resource %s=example.com/NAME says what it is called.", name, name))
		}
	}
	return out
}

// resources are what a container asks for. Of resources with a domain Kubernetes wants a limit
// that is equal.
func (k *Kubernetes) resources(js *model.JobSet, task *model.Task) kubeResources {
	out := kubeResources{Requests: map[string]string{"cpu": kubeMillis(task.Cores(), k.CPU)}}
	for i, name := range js.Named {
		units := task.Units(i)
		to := k.resourceName(name)
		switch {
		case units == 0, name == memoryResource && k.Memory == 0:
		case name == memoryResource, to == "ephemeral-storage":
			out.Requests[cmp.Or(to, "memory")] = kubeBytes(units, k.Memory)
		case to != "":
			if out.Limits == nil {
				out.Limits = map[string]string{}
			}
			out.Requests[to], out.Limits[to] = fmt.Sprint(units), fmt.Sprint(units)
		}
	}
	return out
}

// kubeMillis is so many times so many thousandths.
func kubeMillis(n, millis int64) string {
	v := new(big.Int).Mul(big.NewInt(n), big.NewInt(millis))
	if whole, rest := new(big.Int).QuoRem(v, big.NewInt(1000), new(big.Int)); rest.Sign() == 0 {
		return whole.String()
	}
	return v.String() + "m"
}

// kubeBytes is so many units of so many bytes.
func kubeBytes(n, unit int64) string {
	v := new(big.Int).Mul(big.NewInt(n), big.NewInt(unit))
	for _, u := range []struct {
		shift uint
		name  string
	}{{30, "Gi"}, {20, "Mi"}, {10, "Ki"}} {
		if whole := new(big.Int).Rsh(v, u.shift); new(big.Int).Lsh(whole, u.shift).Cmp(v) == 0 {
			return whole.String() + u.name
		}
	}
	return v.String()
}
