package export

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/tasklabel"
	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/schematest"
	"downbeat/model"
	files "downbeat/model/files/trace"
	"downbeat/model/gen"
)

// planned is a list schedule of a random set with a clock, with names that no engine takes.
func planned(t *testing.T, seed uint64) Clock {
	t.Helper()
	js := gen.TodaySmall(seed, 25)
	if js.TimeUnit == 0 {
		js.TimeUnit = time.Minute
	}
	for i := range js.Jobs {
		js.Jobs[i].Name = []string{"Nächtlich \u2028 ", "a.b ", "a-b ", "$(HOME)\"' ", strings.Repeat("lang", 30) + " "}[i%5] + fmt.Sprint(i)
	}
	c, err := ClockOf(summary.Summarize(js, heuristics.Complete(js, model.NewSchedule(len(js.Tasks)))), time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// objects are those of a manifest.
func objects(t *testing.T, text string) (all []map[string]any) {
	t.Helper()
	in := yaml.NewDecoder(strings.NewReader(text))
	for {
		var o map[string]any
		switch err := in.Decode(&o); {
		case err == io.EOF:
			return all
		case err != nil:
			t.Fatalf("%v in\n%s", err, text)
		}
		all = append(all, o)
	}
}

// at is what stands at a path.
func at(o any, path ...string) any {
	for _, p := range path {
		switch in := o.(type) {
		case map[string]any:
			o = in[p]
		case []any:
			o = in[0]
		}
	}
	return o
}

// Of random plans every object has fields and values that the API knows, by the schema of those in
// use; names differ; each task is in one Job, on its node, with its start; stages come after those
// that they do in the set.
func TestKubernetesManifests(t *testing.T) {
	schema := schematest.CompileFile(t, "testdata/kubernetes.schema.json")
	for seed := range testkit.Sets[uint64](8, 200) {
		c := planned(t, seed)
		js := c.JS
		now := model.Time(0)
		if seed%4 == 3 {
			now = c.End / 2
		}
		for _, kueue := range []bool{false, true} {
			k := &Kubernetes{Image: "x:1", Command: "echo $(NAME)", CPU: 250, Memory: 3 << 19, Digest: js.Digest(), Now: now, KillAfter: 1.5, Tolerate: []string{"nvidia.com/gpu"},
				Resources: map[string]string{"gpu": "nvidia.com/gpu"}}
			var text bytes.Buffer
			write := k.Write
			if kueue {
				k.Queue, write = "nightly", k.WriteKueue
			}
			if err := write(&text, c); err != nil {
				t.Fatal(err)
			}
			names, found := map[string]bool{}, map[string]int{}
			for _, o := range objects(t, text.String()) {
				if err := schema.Validate(o); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				name := fmt.Sprint(at(o, "kind"), at(o, "metadata", "name"))
				if names[name] {
					t.Fatalf("seed %d: two are named %s", seed, name)
				}
				names[name] = true
				if o["kind"] != "Job" {
					continue
				}
				labels := strings.Fields(fmt.Sprint(at(o, "spec", "template", "metadata", "annotations", "downbeat/task")))
				if n := at(o, "spec", "completions"); n != len(labels) {
					t.Fatalf("seed %d: %v completions of %d tasks", seed, n, len(labels))
				}
				for _, text := range labels {
					l, ok := tasklabel.Parse(text)
					if !ok {
						t.Fatalf("seed %d: label %q", seed, text)
					}
					key := fmt.Sprintf("%s/%s/%d", l.Job, l.Stage, l.Task)
					found[key]++
					if !kueue {
						found[key+" on "+fmt.Sprint(at(o, "spec", "template", "spec", "nodeSelector", "kubernetes.io/hostname"))+" at "+fmt.Sprint(at(o, "metadata", "annotations", "downbeat/start"))]++
					}
				}
			}
			tasks := 0
			for _, a := range c.Attempts {
				name := js.TaskName(a.Task)
				want := 1
				if a.Assigned < now {
					want = 0
				}
				tasks += want
				where := name + " on " + js.Slaves[a.Slave].Name + " at " + c.At(a.Assigned).UTC().Format(time.RFC3339)
				if found[name] != want || !kueue && found[where] != want {
					t.Fatalf("seed %d: %s is in %d Jobs, want %d", seed, where, found[where], want)
				}
			}
			if len(found) != tasks && kueue {
				t.Fatalf("seed %d: %d tasks, want %d", seed, len(found), tasks)
			}
		}
	}
}

// The schema is strict: a slip in a name or a value is found.
func TestKubernetesSchemaIsStrict(t *testing.T) {
	c := planned(t, 0)
	k := &Kubernetes{Image: "x:1", CPU: 1000, Memory: 1 << 20, Digest: c.JS.Digest(), Queue: "q", Tolerate: []string{"a"}}
	var text bytes.Buffer
	if err := k.WriteKueue(&text, c); err != nil {
		t.Fatal(err)
	}
	schema := schematest.CompileFile(t, "testdata/kubernetes.schema.json")
	for _, slip := range [][2]string{
		{"completionMode", "completionmode"}, {"completionMode: Indexed", "completionMode: indexed"}, {"suspend: true", `suspend: "true"`}, {"batch/v1", "batch/v2"},
		{"restartPolicy: Never", "restartPolicy: Always"}, {"kueue.x-k8s.io/v1beta2", "kueue.x-k8s.io/v1beta3"}, {"value: ", "value: v"}, {"operator: Exists", "operator: exists"},
		{"name: task", "name: Task"}, {"requests:", "request:"}, {"image:", "images:"}, {"completions: ", "completions: -"}, {"cpu: ", "cpus: "}, {"downbeat/job-set: ", "downbeat/job-set: a b "},
	} {
		changed := strings.Replace(text.String(), slip[0], slip[1], 1)
		if changed == text.String() {
			t.Errorf("there is no %s", slip[0])
		}
		found := false
		for _, o := range objects(t, changed) {
			found = found || schema.Validate(o) != nil
		}
		if !found {
			t.Errorf("%s in place of %s is not found", slip[1], slip[0])
		}
	}
}

// What is first in the plan has the greater priority, and what comes after others, or is released
// later, has no queue yet.
func TestKueuePriorities(t *testing.T) {
	for seed := range testkit.Sets[uint64](8, 100) {
		c := planned(t, seed)
		k := &Kubernetes{Image: "x:1", CPU: 1000, Memory: 1 << 20, Digest: c.JS.Digest(), Queue: "q"}
		var text bytes.Buffer
		if err := k.WriteKueue(&text, c); err != nil {
			t.Fatal(err)
		}
		values := map[any]int{}
		type job struct {
			start string
			value int
		}
		var jobs []job
		for _, o := range objects(t, text.String()) {
			if o["kind"] == "WorkloadPriorityClass" {
				values[at(o, "metadata", "name")] = o["value"].(int)
				continue
			}
			value, known := values[at(o, "metadata", "labels", kueueClassLabel)]
			if !known {
				t.Fatalf("seed %d: no class for %v", seed, at(o, "metadata", "name"))
			}
			jobs = append(jobs, job{at(o, "metadata", "annotations", "downbeat/start").(string), value})
			l, _ := tasklabel.Parse(strings.Fields(at(o, "metadata", "annotations", "downbeat/task").(string))[0])
			i := slices.IndexFunc(c.JS.Jobs, func(j model.Job) bool { return j.Name == l.Job })
			of := &c.JS.Jobs[i]
			s := slices.IndexFunc(of.Stages, func(st model.Stage) bool { return st.Name == l.Stage })
			first := of.Release == 0 && len(of.After) == 0 && len(of.Stages[s].After) == 0
			if queue := at(o, "metadata", "labels", kueueQueueLabel); first != (queue == "q") {
				t.Fatalf("seed %d: %s/%s has queue %v", seed, l.Job, l.Stage, queue)
			}
		}
		for i := 1; i < len(jobs); i++ {
			a, b := jobs[i-1], jobs[i]
			if a.start > b.start || (a.start == b.start) != (a.value == b.value) || a.value < b.value {
				t.Fatalf("seed %d: %v before %v", seed, a, b)
			}
		}
	}
}

// fakeKubectl notes how it was called.
const fakeKubectl = "#!/bin/sh\necho \"$*\" >>calls\ncase \"$*\" in *go-template*) printf 'old-1\\nold-2\\n' ;; esac\n"

// The script starts each Job once, no sooner than its time, after those before it; a later plan's deletes
// what waits of an earlier one.
func TestKubernetesScript(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell here: ", err)
	}
	c := planned(t, 2)
	for _, kueue := range []bool{false, true} {
		for _, now := range []model.Time{0, 1} {
			k := &Kubernetes{Image: "x", CPU: 1000, Memory: 1 << 20, Digest: c.JS.Digest(), Namespace: "night", Now: now}
			if kueue {
				k.Queue = "q"
			}
			var text bytes.Buffer
			if err := k.Script(&text, c, kueue); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			for name, text := range map[string]string{"kubectl": fakeKubectl, "sleep": "#!/bin/sh\necho sleep $1 >>calls\n", "date": "#!/bin/sh\necho 1795298400\n", "run.sh": text.String()} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command(sh, "run.sh")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: it says %s", err, out)
			}
			src, err := os.ReadFile(filepath.Join(dir, "calls"))
			if err != nil {
				t.Fatal(err)
			}
			calls := string(src)
			sleeps, started, late := 0, 0, 0
			for _, g := range k.groups(c, kueue) {
				from := g.first
				call := `--namespace night patch job ` + g.name + ` --type=merge --patch {"spec":{"suspend":false}}` + "\n"
				if kueue {
					call, from = "--namespace night label job "+g.name+" kueue.x-k8s.io/queue-name=q --overwrite\n", c.JS.Jobs[g.stage.job].Release
				}
				want := 1
				if kueue && from == 0 && len(g.stage.after) == 0 {
					want = 0
				}
				if got := strings.Count(calls, call); got != want {
					t.Errorf("%s is started %d times, want %d", g.name, got, want)
				}
				if started += want; from > 0 {
					late++
					if seconds := c.At(from).Unix() - 1795298400; !strings.Contains(calls, fmt.Sprintf("sleep %d\n", seconds)) && want > 0 {
						t.Errorf("nothing waits %d s for %s", seconds, g.name)
					}
				}
				for _, id := range g.stage.after {
					if !strings.Contains(calls, "wait --for=condition=complete --timeout=-1s job -l downbeat/job-set="+tasklabel.Short(k.Digest)+",downbeat/stage="+id+"\n") {
						t.Errorf("nothing waits for %s", id)
					}
				}
			}
			sleeps = strings.Count(calls, "sleep ")
			if started == 0 || late > 0 && sleeps == 0 {
				t.Errorf("%d started, %d sleeps", started, sleeps)
			}
			if deleted := strings.Count(calls, "delete job old-"); deleted != int(2*now) {
				t.Errorf("%d deleted", deleted)
			}
		}
	}
}

// Jobs with a template run what it says, each task with the index that it has in the whole stage; nothing
// of the controller's stays in it, and it is not changed itself. For Kueue all tasks alike are one Job.
func TestKubernetesTemplates(t *testing.T) {
	js := &model.JobSet{Name: "x", Heartbeat: 1, TimeUnit: time.Second, Slaves: []model.Slave{{Name: "a", Cores: 3, Slots: 3}},
		Jobs: []model.Job{{Name: "etl-29921640", Stages: []model.Stage{{Name: "run", AtMost: 2, Groups: []model.Group{{Count: 3, Profile: model.NewProfile(model.ConstRow(1, 9), model.ConstRow(1, 0))}}}}}}}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	c, err := ClockOf(summary.Summarize(js, heuristics.Complete(js, model.NewSchedule(len(js.Tasks)))), time.Unix(1e9, 0))
	if err != nil {
		t.Fatal(err)
	}
	const text = `{"kind":"CronJob","metadata":{"name":"etl"},"spec":{"jobTemplate":{"spec":{"completionMode":"Indexed","template":{
		"metadata":{"creationTimestamp":null,"labels":{"app":"x","controller-uid":"1","job-name":"2"}},
		"spec":{"nodeName":"b","nodeSelector":{"disk":"ssd"},"restartPolicy":"OnFailure","terminationGracePeriodSeconds":1000000,
		"containers":[{"name":"c","image":"i","env":[{"name":"A","value":"1"},{"name":"JOB_COMPLETION_INDEX","value":"x"}]}]}}}}}}`
	in, err := files.NewInput(t.Context(), "f", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	of, err := files.PodTemplates(in, files.New(files.Everything))
	if err != nil || len(of) != 1 {
		t.Fatalf("%v, %v", of, err)
	}
	before := fmt.Sprint(of)
	k := &Kubernetes{CPU: 1000, Memory: 1 << 20, Digest: js.Digest(), Templates: map[string]files.PodTemplate{"etl": of[0]}}
	var text1, text2 bytes.Buffer
	if err := k.Write(&text1, c); err != nil {
		t.Fatal(err)
	}
	all := objects(t, text1.String())
	if len(all) != 3 {
		t.Fatalf("%d Jobs", len(all))
	}
	for i, o := range all {
		pod := at(o, "spec", "template", "spec").(map[string]any)
		want := fmt.Sprintf("map[containers:[map[env:[map[name:A value:1] map[name:DOWNBEAT_JOB value:etl-29921640] map[name:DOWNBEAT_STAGE value:run] map[name:DOWNBEAT_TASKS value:%d] map[name:JOB_COMPLETION_INDEX value:%d]] image:i name:c]] nodeSelector:map[disk:ssd kubernetes.io/hostname:a] restartPolicy:OnFailure terminationGracePeriodSeconds:1000000]", i+1, i)
		if got := fmt.Sprint(pod); got != want {
			t.Errorf("pod\n%s, want\n%s", got, want)
		}
		if labels := fmt.Sprint(at(o, "spec", "template", "metadata", "labels")); !strings.HasPrefix(labels, "map[app:x downbeat/job-set:") || strings.Contains(labels, "controller") || strings.Contains(labels, "job-name") {
			t.Errorf("labels %s", labels)
		}
		if mode := at(o, "spec", "completionMode"); mode != "NonIndexed" {
			t.Errorf("mode %v", mode)
		}
	}
	if fmt.Sprint(of) != before {
		t.Error("the template is changed")
	}
	k.Queue = "q"
	if err := k.WriteKueue(&text2, c); err != nil {
		t.Fatal(err)
	}
	for _, o := range objects(t, text2.String()) {
		if o["kind"] == "Job" && (at(o, "spec", "completions") != 3 || at(o, "spec", "parallelism") != 2 || at(o, "spec", "completionMode") != "Indexed" || strings.Contains(fmt.Sprint(at(o, "spec", "template", "spec")), "hostname")) {
			t.Errorf("Kueue gets %v", o)
		}
	}
}

// Many tasks at once are several Jobs, none with more labels than Kubernetes takes.
func TestManyTasksAtOnce(t *testing.T) {
	js := &model.JobSet{Name: "x", Heartbeat: 1, TimeUnit: time.Second, Slaves: []model.Slave{{Name: "a", Cores: 600, Slots: 600}},
		Jobs: []model.Job{{Name: strings.Repeat("ü", 100), Stages: []model.Stage{{Name: "s", Groups: []model.Group{{Count: 600, Profile: model.NewProfile(model.ConstRow(1, 9), model.ConstRow(1, 0))}}}}}}}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	c, err := ClockOf(summary.Summarize(js, heuristics.Complete(js, model.NewSchedule(len(js.Tasks)))), time.Unix(1e9, 0))
	if err != nil {
		t.Fatal(err)
	}
	k := &Kubernetes{Image: "x", CPU: 1000, Memory: 1 << 20, Digest: js.Digest()}
	var text bytes.Buffer
	if err := k.Write(&text, c); err != nil {
		t.Fatal(err)
	}
	tasks := 0
	for _, o := range objects(t, text.String()) {
		labels := at(o, "metadata", "annotations", "downbeat/task").(string)
		tasks += len(strings.Fields(labels))
		if len(labels) > mostLabels {
			t.Errorf("%d bytes of labels", len(labels))
		}
	}
	if tasks != 600 {
		t.Errorf("%d tasks", tasks)
	}
}

func TestKubernetesAmounts(t *testing.T) {
	for want, got := range map[string]string{
		"2": kubeMillis(2, 1000), "750m": kubeMillis(3, 250), "1": kubeMillis(4, 250), "4Gi": kubeBytes(4096, 1<<20), "1536Mi": kubeBytes(1536, 1<<20), "1001": kubeBytes(1, 1001),
		"9223372036854775807Mi": kubeBytes(1<<63-1, 1<<20), "task": kubeName("ÄÖ"), "a-b": kubeName("-A__b."), "a": kubeName("a"),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
