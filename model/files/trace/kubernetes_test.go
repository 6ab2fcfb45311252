package trace

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// Amounts as Kubernetes writes them, worked out by hand: in thousandths, rounded up.
func TestQuantities(t *testing.T) {
	for text, want := range map[string]int64{
		"2": 2000, "0.5": 500, "250m": 250, "1e3": 1_000_000, "1E3": 1_000_000, "1e-2": 10, "1Ki": 1024_000, "500M": 500_000_000_000, ".5": 500, "3.": 3000,
		"100u": 1, "1n": 1, "0": 0, "+4": 4000, "1.5Gi": 3 << 29 * 1000, "9E": Most, "1e99": Most, "1k": 1_000_000, "1e+1": 10_000,
	} {
		v := quantity(text).value()
		if v == nil {
			t.Errorf("%q is no amount", text)
			continue
		}
		if got := times(v, 1000); got != want {
			t.Errorf("%q is %d thousandths, want %d", text, got, want)
		}
	}
	for _, text := range []string{"", "m", "-1", "1 Gi", "1gi", "1e", "1e1000", "0x10", "1Mi5", "1,5", "1K", strings.Repeat("9", 31)} {
		if v := quantity(text).value(); v != nil {
			t.Errorf("%q is %v", text, v)
		}
	}
	if v := quantity("1500m").value(); times(v, 1) != 2 || whole(v, 1) != 1 || whole(v, 1000) != 1500 {
		t.Error("1500m is not rounded up where it is needed, and down where it is there")
	}
}

// Schedules have names, steps, lists and zones; at changes of the clock they go by the clock.
func TestSchedules(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) int64 {
		when, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return when.UnixMilli()
	}
	for _, c := range []struct {
		schedule string
		zone     *time.Location
		after    string
		want     string
	}{
		{"30 22 * * *", time.UTC, "2026-11-21T22:00:00Z", "2026-11-21T22:30:00Z"},
		{"30 22 * * *", time.UTC, "2026-11-21T22:30:00Z", "2026-11-22T22:30:00Z"},
		{"30 22 * * *", berlin, "2026-11-21T21:00:00Z", "2026-11-21T21:30:00Z"},
		{"*/20 1-3 * jan,nov mon-fri", time.UTC, "2026-11-21T22:00:00Z", "2026-11-23T01:00:00Z"},
		{"0 0 29 2 *", time.UTC, "2026-11-21T22:00:00Z", "2028-02-29T00:00:00Z"},
		{"@daily", berlin, "2026-11-21T22:00:00Z", "2026-11-21T23:00:00Z"},
		{"30 3 * * *", berlin, "2026-10-25T00:00:00Z", "2026-10-25T02:30:00Z"}, // an hour later than the day before
	} {
		s, err := ParseSchedule(c.schedule, c.zone)
		if err != nil {
			t.Errorf("%q: %v", c.schedule, err)
			continue
		}
		if got := s.Next(at(c.after)); got != at(c.want) {
			t.Errorf("%q after %s is at %s, want %s", c.schedule, c.after, kubeStamp(got), c.want)
		}
	}
	for _, text := range []string{"", "* * * *", "61 * * * *", "* * * * * *", "TZ=UTC 0 0 * * *", "CRON_TZ=UTC", "@hourlyy", "0 0 * * funday"} {
		if _, err := ParseSchedule(text, time.UTC); err == nil {
			t.Errorf("%q is taken for a schedule", text)
		}
	}
	if s, err := ParseSchedule("0 0 31 2 *", time.UTC); err != nil || s.Next(at("2026-11-21T22:00:00Z")) != Unknown {
		t.Errorf("the 31st of February comes: %v", err)
	}
}

// kube reads a text, with the jobs that have not ended apart from those that have.
func kube(t *testing.T, text string) *Trace {
	t.Helper()
	in, err := NewInput(t.Context(), "f", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	keep := Everything
	keep.Ended = true
	tr := New(keep)
	k := &Kubernetes{Unit: 1000, Zone: time.UTC}
	if err := k.Read(in, tr); err != nil {
		t.Fatal(err)
	}
	k.Close(tr)
	return tr
}

// kubeTold are the kinds of things that were left out or are odd, with how many there are.
func kubeTold(tr *Trace) string {
	var out []string
	for _, kind := range append(tr.Unusable.Kinds, tr.Remarks.Kinds...) {
		out = append(out, fmt.Sprintf("%s (%d)", kind.What, kind.Count))
	}
	return strings.Join(out, "\n")
}

// machinesText are the machines with their cores, bytes and other resources.
func machinesText(tr *Trace) string {
	var out []string
	for _, m := range tr.Machines {
		out = append(out, fmt.Sprint(m.Name, " ", m.Cores, " ", m.Memory, " ", m.Resources))
	}
	return strings.Join(out, ", ")
}

// hostNames are the names of hosts.
func hostNames(tr *Trace, hosts []Host) string {
	var names []string
	for _, h := range hosts {
		names = append(names, tr.HostName(h))
	}
	return strings.Join(names, " ")
}

const nodesForTest = `
{"kind":"Node","metadata":{"name":"a","labels":{"disk":"ssd","size":"5"}},"status":{"capacity":{"cpu":"8","memory":"4Gi"}}}
{"kind":"Node","metadata":{"name":"b","labels":{"disk":"hdd"}},"spec":{"taints":[{"key":"gpu","value":"yes","effect":"NoSchedule"},{"key":"soft","effect":"PreferNoSchedule"}]},"status":{"allocatable":{"cpu":"4500m","memory":"4Gi","gpu":"2"}}}
{"kind":"Node","metadata":{"name":"c"},"status":{"allocatable":{"cpu":"500m"}}}
{"kind":"Node","metadata":{"name":"d"},"status":{"allocatable":{"cpu":"5"},"conditions":[{"type":"Ready","status":"Unknown"}]}}
{"kind":"Pod","metadata":{"name":"p","ownerReferences":[{"kind":"DaemonSet","name":"x"}]},"spec":{"nodeName":"a","containers":[{"resources":{"requests":{"cpu":"1100m","memory":"1Gi"}}}]},"status":{"phase":"Running"}}
{"kind":"Pod","metadata":{"name":"q"},"spec":{"nodeName":"a","containers":[{"resources":{"requests":{"cpu":"5"}}}]},"status":{"phase":"Succeeded"}}
`

// Nodes offer what is allocatable less what pods of no Job hold; those that take no pods are counted.
func TestKubernetesNodes(t *testing.T) {
	tr := kube(t, nodesForTest)
	if got := machinesText(tr); got != "a 6 3221225472 [], b 4 4294967296 [{gpu 2 false}]" {
		t.Errorf("machines %s", got)
	}
	const want = `nodes that take no pods (2)
pods that are of no Job, which keep what they request of their nodes (1)
nodes with taints, on which only Jobs run that tolerate them (1)`
	if got := kubeTold(tr); got != want {
		t.Errorf("told:\n%s", got)
	}
}

// Pods may be where selectors, affinity and tolerations let them.
func TestKubernetesPlaces(t *testing.T) {
	const all, tolerates = "a b", `"tolerations":[{"key":"gpu","operator":"Exists"}],`
	affinity := func(requirement string) string {
		return tolerates + `"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[` + requirement + `]}}},`
	}
	for pod, want := range map[string]string{
		"":                                       "a",
		tolerates:                                all,
		`"tolerations":[{"operator":"Exists"}],`: all,
		`"tolerations":[{"key":"gpu","value":"yes"}],`:                                        all,
		`"tolerations":[{"key":"gpu","value":"no"}],`:                                         "a",
		`"tolerations":[{"key":"gpu","operator":"Exists","effect":"NoExecute"}],`:             "a",
		tolerates + `"nodeSelector":{"disk":"hdd"},`:                                          "b",
		`"nodeSelector":{"disk":"hdd"},`:                                                      "nowhere",
		tolerates + `"nodeName":"b",`:                                                         "b",
		affinity(`{"matchExpressions":[{"key":"disk","operator":"In","values":["hdd"]}]}`):    "b",
		affinity(`{"matchExpressions":[{"key":"disk","operator":"NotIn","values":["hdd"]}]}`): "a",
		affinity(`{"matchExpressions":[{"key":"size","operator":"Exists"}]}`):                 "a",
		affinity(`{"matchExpressions":[{"key":"size","operator":"DoesNotExist"}]}`):           "b",
		affinity(`{"matchExpressions":[{"key":"size","operator":"Gt","values":["4"]}]}`):      "a",
		affinity(`{"matchExpressions":[{"key":"size","operator":"Lt","values":["4"]}]}`):      "nowhere",
		affinity(`{"matchFields":[{"key":"metadata.name","operator":"In","values":["b"]}]}`):  "b",
		affinity(`{"matchExpressions":[{"key":"disk","operator":"In","values":["hdd"]}]},{"matchFields":[{"key":"metadata.name","operator":"In","values":["a"]}]}`): all,
		affinity(`{}`): "nowhere",
	} {
		tr := kube(t, nodesForTest+`{"kind":"Job","metadata":{"name":"j","creationTimestamp":"2026-11-21T22:00:00Z"},"spec":{"suspend":true,"completions":1,"template":{"spec":{`+pod+`"containers":[]}}}}`)
		got := "nowhere"
		if len(tr.Jobs) == 1 {
			if got = hostNames(tr, tr.Jobs[0].Stages[0].Hosts); got == "" {
				got = all
			}
		}
		if got != want {
			t.Errorf("pods with %s may be on %s, want %s", pod, got, want)
		}
	}
}

// What a pod requests is that of its containers together, or of the largest init container, beside
// those that go on; limits stand for requests, and the pod's own go before.
func TestKubernetesRequests(t *testing.T) {
	for pod, want := range map[string][2]int64{
		`"containers":[{"resources":{"requests":{"cpu":"1","memory":"1Ki"}}},{"resources":{"limits":{"cpu":"500m"}}}]`:                                                                       {1500, 1024},
		`"containers":[{"resources":{"requests":{"cpu":"1"},"limits":{"cpu":"2","memory":"1k"}}}],"overhead":{"cpu":"250m"}`:                                                                 {1250, 1000},
		`"containers":[{"resources":{"requests":{"cpu":"1"}}}],"initContainers":[{"resources":{"requests":{"cpu":"3"}}},{"resources":{"requests":{"cpu":"2","memory":"7"}}}]`:                {3000, 7},
		`"containers":[{"resources":{"requests":{"cpu":"1"}}}],"initContainers":[{"restartPolicy":"Always","resources":{"requests":{"cpu":"500m"}}},{"resources":{"requests":{"cpu":"2"}}}]`: {2500, Unknown},
		`"resources":{"requests":{"cpu":"4"}},"containers":[{"resources":{"requests":{"cpu":"1","memory":"9"}}}]`:                                                                            {4000, 9},
		`"containers":[{}]`: {0, Unknown},
	} {
		k := &Kubernetes{Unit: 1000, Zone: time.UTC}
		in, _ := NewInput(t.Context(), "f", strings.NewReader(`{"kind":"Job","metadata":{"name":"j"},"spec":{"template":{"spec":{`+pod+`}}}}`))
		if err := k.Read(in, New(Everything)); err != nil {
			t.Fatal(err)
		}
		if s := k.jobs[0].shape; s.millis != want[0] || s.memory != want[1] {
			t.Errorf("%s requests %dm and %d bytes, want %v", pod, s.millis, s.memory, want)
		}
	}
}

// jobText is a Job that has ended unless it is given another status.
func jobText(name, meta, spec, status string) string {
	if status == "" {
		status = `"startTime":"2026-11-20T22:00:00Z","completionTime":"2026-11-20T22:30:00Z","conditions":[{"type":"Complete","status":"True"}]`
	}
	return `{"kind":"Job","metadata":{"name":"` + name + `","creationTimestamp":"2026-11-20T21:59:00Z"` + meta + `},"spec":{` + spec + `"template":{"spec":{"containers":[]}}},"status":{` + status + "}}\n"
}

func podText(job, index, phase, start, end string) string {
	annotation := ""
	if index != "" {
		annotation = `,"annotations":{"batch.kubernetes.io/job-completion-index":"` + index + `"}`
	}
	ended := ""
	if end != "" {
		ended = `,"containerStatuses":[{"state":{"terminated":{"finishedAt":"2026-11-20T` + end + `:00Z"}}},{"state":{"running":{}}}]`
	}
	return `{"kind":"Pod","metadata":{"name":"` + job + index + phase + start + `","ownerReferences":[{"kind":"Job","name":"` + job + `"}]` + annotation + `},"spec":{"nodeName":"n","containers":[]},"status":{"phase":"` + phase + `","startTime":"2026-11-20T` + start + `:00Z"` + ended + "}}\n"
}

// tasksText are the tasks of a job: how many, minutes, minutes of failed attempts, and the start.
func tasksText(tasks []Task) string {
	var out []string
	for _, tk := range tasks {
		minutes := tk.Time
		if minutes != Unknown {
			minutes /= 60_000
		}
		out = append(out, fmt.Sprintf("%d×%d+%d", tk.Count, minutes, tk.Wasted/60_000))
	}
	return strings.Join(out, " ")
}

// Tasks are the completions of a Job: by the index of its Pods, or one by one, or all alike.
func TestKubernetesTasks(t *testing.T) {
	const five = `"completions":5,"parallelism":2,`
	for _, c := range []struct{ text, want string }{
		// Half an hour for five by two are three waves.
		{jobText("j", "", five, ""), "5×10+0"},
		{jobText("j", "", `"completions":2,"parallelism":5,`, ""), "2×30+0"},
		{jobText("j", "", five, "") + podText("j", "", "Succeeded", "22:00", "22:08") + podText("j", "", "Failed", "22:00", "22:03") + podText("j", "", "Succeeded", "22:08", "22:12"), "1×8+3 1×4+0 3×-1+0"},
		{podText("j", "3", "Succeeded", "22:08", "22:12") + podText("j", "1", "Failed", "22:00", "22:03") + podText("j", "1", "Succeeded", "22:03", "22:10") + jobText("j", "", `"completionMode":"Indexed",`+five, ""),
			"1×-1+0 1×7+3 1×-1+0 1×4+0 1×-1+0"},
		// A Pod that runs beside one that succeeded, of the same index; and one too many.
		{jobText("j", "", `"completionMode":"Indexed","completions":1,`, "") + podText("j", "0", "Running", "22:00", "") + podText("j", "0", "Succeeded", "22:01", "22:06") + podText("j", "1", "Succeeded", "22:01", "22:06"), "1×5+0"},
		// What is told twice counts once, as it is told last.
		{jobText("j", "", `"completions":1,`, "") + podText("j", "", "Succeeded", "22:01", "22:06") + podText("j", "", "Succeeded", "22:01", "22:08"), "1×7+0"},
		// Of Pods alone those that did not fail.
		{podText("j", "", "Failed", "22:00", "22:03") + podText("j", "", "Succeeded", "22:03", "22:10"), "1×7+3"},
	} {
		tr := kube(t, c.text)
		if len(tr.Jobs) != 1 {
			t.Errorf("%s: %d jobs; %s", c.text, len(tr.Jobs), kubeTold(tr))
			continue
		}
		if got := tasksText(tr.Jobs[0].Stages[0].Tasks); got != c.want {
			t.Errorf("%s: tasks %s, want %s", c.text, got, c.want)
		}
	}
}

// What annotations say, which jobs have ended, and what Jobs are called.
func TestKubernetesJobs(t *testing.T) {
	tr := kube(t, jobText("done", `,"labels":{"kueue.x-k8s.io/priority-class":"low"}`, `"completions":1,`, "")+
		jobText("failed", "", "", `"conditions":[{"type":"Failed","status":"True"}]`)+
		jobText("none", "", `"completions":0,`, "")+
		jobText("running", `,"annotations":{"downbeat/deadline":"1h","downbeat/hard":"false","downbeat/weight":"3"}`, "", `"startTime":"2026-11-20T22:00:00Z"`)+
		jobText("waiting", `,"annotations":{"downbeat/due":"06:00","downbeat/hard":"true","downbeat/wcet":"10m","downbeat/after":"running, done"}`, `"suspend":true,`, `"conditions":[]`)+
		jobText("odd", `,"annotations":{"downbeat/due":"soon","downbeat/wecht":"3","downbeat/task":"x"}`, `"parallelism":4,`, `"startTime":"2026-11-20T22:00:00Z"`)+
		`{"kind":"Workload","metadata":{"name":"w","ownerReferences":[{"kind":"Job","name":"running"}]},"spec":{"priorityClassRef":{"name":"high"}}}
		{"kind":"Workload","metadata":{"name":"w"}} {"kind":"Service","metadata":{"name":"s"}} {"kind":"Job"} {"kind":"Job","metadata":{"name":"x"},"spec":{"completions":1,"suspend":"yes"}} 7`)
	got := ""
	for _, j := range tr.Jobs {
		got += fmt.Sprintln(j.ID, j.Ahead, kubeStamp(j.Submit), j.Due, j.Deadline, j.Hard, j.Soft, j.Weight, j.Class, j.After, j.Stages[0].Size(), j.Stages[0].Tasks[0].Declared)
	}
	const want = `done false 2026-11-20T21:59:00Z -1 -1 false false 1 low [] 1 -1
running true 2026-11-20T21:59:00Z -1 3600000 false true 3 high [] 1 -1
waiting true 2026-11-20T22:30:00Z 1795240800000 -1 true false 1  [running done] 1 600000
odd true 2026-11-20T21:59:00Z -1 -1 false false 1  [] 4 -1
`
	if got != want || !tr.Deadlines || !tr.Epoch {
		t.Errorf("jobs\n%s", got)
	}
	const toldWant = `annotations that cannot be used (1)
annotations that cannot be used (1)
objects without a kind and a name (1)
values that are no Kubernetes object (2)
Jobs that failed, which are left out (1)
Jobs without completions to come to (1)
Jobs without completions, which take from a queue of their own: each of their pods is a task (1)
Workloads of Kueue that are of no Job, which are passed over (1)
objects of other kinds, which are passed over (1)
Jobs that request no cpu, whose pods are taken to need one core (--cpu-unit) (3)
Jobs without their Pods, whose tasks are taken to take alike: the time of the Job by its completions, so many at a time as its parallelism says (1)
Jobs that wait, which may begin at 2026-11-20T22:30:00Z: --since, or the last point in time that the files tell (1)`
	if got := kubeTold(tr); !sameLines(got, toldWant) {
		t.Errorf("told:\n%s", got)
	}
}

// sameLines reports whether two texts have the same lines in any order.
func sameLines(a, b string) bool {
	count := map[string]int{}
	for line := range strings.SplitSeq(a, "\n") {
		count[line]++
	}
	for line := range strings.SplitSeq(b, "\n") {
		count[line]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// Quotas are pools: by themselves, or those of a cohort together and a queue's with what it may borrow.
func TestKubernetesQuotas(t *testing.T) {
	queue := func(name, spec, cpu string) string {
		return `{"kind":"ClusterQueue","metadata":{"name":"` + name + `"},"spec":{` + spec + `"resourceGroups":[{"flavors":[{"resources":[` + cpu + `]}]}]}}` +
			`{"kind":"LocalQueue","metadata":{"name":"q-` + name + `","namespace":"ns"},"spec":{"clusterQueue":"` + name + `"}}`
	}
	job := func(queue string) string {
		return `{"kind":"Job","metadata":{"name":"j-` + queue + `","namespace":"ns","creationTimestamp":"2026-11-20T21:59:00Z","labels":{"kueue.x-k8s.io/queue-name":"q-` + queue +
			`"}},"spec":{"suspend":true,"template":{"spec":{"containers":[{"resources":{"requests":{"cpu":"1500m","memory":"1Gi"}}}]}}}}`
	}
	tr := kube(t, queue("alone", "", `{"name":"cpu","nominalQuota":"4500m"},{"name":"memory","nominalQuota":"8Gi"},{"name":"pods","nominalQuota":3},{"name":"gpu","nominalQuota":"-1"}`)+
		queue("lender", `"cohortName":"all",`, `{"name":"cpu","nominalQuota":"6"}`)+queue("bounded", `"cohort":"all",`, `{"name":"cpu","nominalQuota":"2","borrowingLimit":"1"}`)+
		job("alone")+job("lender")+job("bounded")+job("unknown"))
	if got := fmt.Sprint(tr.Pools); got != "[{alone/cpu 4 false} {alone/memory 8589934592 true} {alone/pods 3 false} {bounded/cpu 3 false} {cohort all/cpu 8 false}]" {
		t.Errorf("pools %s", got)
	}
	got := ""
	for _, j := range tr.Jobs {
		got += fmt.Sprintln(j.ID, j.Stages[0].Takes)
	}
	const want = `j-alone [{alone/cpu 2} {alone/memory 1073741824} {alone/pods 1}]
j-lender [{cohort all/cpu 2}]
j-bounded [{bounded/cpu 2} {cohort all/cpu 2}]
j-unknown []
`
	if got != want {
		t.Errorf("takes\n%s", got)
	}
	for _, part := range []string{"Jobs in queues of which the files do not tell, which no quota holds back (1)", "amounts that are none (1)", "which may borrow what others of it do not use"} {
		if !strings.Contains(kubeTold(tr), part) {
			t.Errorf("%q is not told:\n%s", part, kubeTold(tr))
		}
	}
}

// cronText is a CronJob that runs every six hours.
func cronText(name, namespace, more string) string {
	return `{"kind":"CronJob","metadata":{"name":"` + name + `","namespace":"` + namespace + `","creationTimestamp":"2026-11-20T22:00:00Z"},"spec":{"schedule":"0 */6 * * *",` + more + `"jobTemplate":{"spec":{"template":{"spec":{"containers":[]}}}}}}` + "\n"
}

// The next runs of CronJobs are jobs, by the window; where there are several namespaces names have them.
func TestKubernetesNextRuns(t *testing.T) {
	names := func(tr *Trace) string {
		var out []string
		for _, j := range tr.Jobs {
			out = append(out, j.ID+" of "+j.Name)
		}
		return strings.Join(out, ", ")
	}
	one := cronText("c", "ns", `"timeZone":"Etc/UTC",`)
	// The minutes since 1970 of midnight, six, noon and 18:00 on 21 November.
	if got := names(kube(t, one)); got != "c-29920320 of c, c-29920680 of c, c-29921040 of c, c-29921400 of c" {
		t.Errorf("runs %s", got)
	}
	if got, want := names(kube(t, one+one)), names(kube(t, one)); got != want {
		t.Errorf("told of twice it has the runs %s, want %s", got, want)
	}
	for _, c := range []struct{ text, want string }{
		{cronText("c", "ns", `"suspend":true,`), "CronJobs that are suspended, whose next runs are left out (1)"},
		{cronText("c", "ns", `"timeZone":"Mars/Olympus",`), "CronJobs in zones that are not known (1)"},
		{strings.Replace(one, "0 */6", "0 */0", 1), "CronJobs whose schedule cannot be read (1)"},
		{strings.Replace(one, "0 */6", "0 0 1 1", 1), "CronJobs whose schedule cannot be read (1)"},
		{strings.Replace(one, "0 */6 *", "0 0 1", 1), "CronJobs without a run from 2026-11-20T22:00:00Z to 2026-11-21T22:00:00Z (1)"},
		{cronText("c", "ns", `"concurrencyPolicy":"Forbid",`), "CronJobs whose concurrencyPolicy says that runs do not overlap, which a plan does not heed (1)"},
		{cronText("c", "ns", ""), "CronJobs without a timeZone, whose schedule is taken to be in UTC (--zone) (1)"},
	} {
		if tr := kube(t, c.text); !strings.Contains(kubeTold(tr), c.want) {
			t.Errorf("%q is not told of %s:\n%s", c.want, c.text, kubeTold(tr))
		}
	}
	if got := names(kube(t, one+cronText("c", "other", ""))); !strings.HasPrefix(got, "ns/c-29920320 of ns/c, ") || !strings.Contains(got, "other/c-29920320 of other/c") {
		t.Errorf("runs %s", got)
	}
	// Without a rule for what is to come there are no such jobs, and that is told.
	in, _ := NewInput(t.Context(), "f", strings.NewReader(one))
	k, tr := &Kubernetes{Unit: 1000, Zone: time.UTC}, New(Everything)
	if err := k.Read(in, tr); err != nil {
		t.Fatal(err)
	}
	if k.Close(tr); len(tr.Jobs) != 0 || !strings.Contains(kubeTold(tr), "CronJobs, of whose next runs --runs next makes jobs (1)") {
		t.Errorf("%d jobs; %s", len(tr.Jobs), kubeTold(tr))
	}
}

// YAML tells what JSON tells, lists and objects one after the other alike.
func TestKubernetesYAML(t *testing.T) {
	const head = "# a comment\napiVersion: v1\nkind: List\nitems:\n"
	const node = "- kind: Node\n  metadata: {name: a}\n  status: {allocatable: {cpu: 2, memory: 1.5Gi}}\n"
	for _, text := range []string{
		head + node + "- kind: Node\n  metadata: {name: b}\n  status: {allocatable: {cpu: 500m, memory: 1}}\n- 7\n- kind: Node\n  metadata: {name: c, labels: 3}\n- {1: 2, ? [a] : 3}\n",
		"---\nkind: Node\nmetadata: {name: a}\nstatus: {allocatable: {cpu: 2, memory: 1.5Gi}}\n---\n---\nkind: Node\nmetadata: {name: b}\nstatus: {allocatable: {cpu: 500m}}\n---\n7\n---\nkind: Node\nmetadata: {name: c, labels: 3}\n---\n{1: 2, ? [a] : 3}\n",
	} {
		tr := kube(t, text)
		if got := machinesText(tr); got != "a 2 1610612736 []" {
			t.Errorf("machines %s", got)
		}
		if got := kubeTold(tr); got != "objects that cannot be used (3)\nnodes that take no pods (1)" {
			t.Errorf("told:\n%s", got)
		}
	}
	for text, want := range map[string]string{
		"kind: [":            "f:1:1: not YAML: ",
		"# nothing\n":        "f:1:1: the file holds no Kubernetes object",
		"kind: &a\n  - *a\n": "f:",
	} {
		in, _ := NewInput(t.Context(), "f", strings.NewReader(text))
		err := (&Kubernetes{Unit: 1000, Zone: time.UTC}).Read(in, New(Everything))
		if want != "f:" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	in, _ := NewInput(t.Context(), "f", bytes.NewReader(bytes.Repeat([]byte("kind: x\n---\n"), mostYAML/11)))
	if err := (&Kubernetes{Unit: 1000, Zone: time.UTC}).Read(in, New(Everything)); err == nil || !strings.Contains(err.Error(), "has more than 16 MB of YAML; save it as JSON") {
		t.Errorf("too much YAML: %v", err)
	}
}
