package export

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/tasklabel"
	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
)

// slurmCommands are sbatch, squeue and scancel for tests: sbatch notes its words and gives numbers
// from 101 on, and with EACH runs what it was handed.
const slurmCommands = `#!/bin/sh
case ${0##*/} in
squeue) cat "$DIR/queue" 2>/dev/null || true ;;
scancel | scontrol) echo "${0##*/} $*" >>"$DIR/calls" ;;
sbatch)
	n=$(cat "$DIR/next" 2>/dev/null || echo 101)
	echo $((n + 1)) >"$DIR/next"
	for word; do printf '<%s>' "$word"; done >>"$DIR/calls"
	echo >>"$DIR/calls"
	for word; do case $word in --wrap=*) [ -z "$EACH" ] || SLURM_ARRAY_TASK_ID=7 SLURM_PROCID=1 sh -c "${word#--wrap=}" >>"$DIR/ran" ;; esac; done
	echo "$n;cluster"
	;;
srun) exec "$@" ;;
esac
`

// submitted runs a script with commands of Slurm that are none, and gives what they were called
// with, and what the jobs printed where they were run. queue is what squeue prints.
func submitted(t *testing.T, script, queue string, run bool) (calls []string, ran string) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	dir := t.TempDir()
	for _, name := range []string{"sbatch", "squeue", "scancel", "scontrol", "srun"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(slurmCommands), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "queue"), []byte(queue), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bash, "-s")
	cmd.Stdin = strings.NewReader(script)
	cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "DIR=" + dir, "TZ=Europe/Berlin"}
	if run {
		cmd.Env = append(cmd.Env, "EACH=1")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, out, script)
	}
	text, _ := os.ReadFile(filepath.Join(dir, "calls"))
	printed, _ := os.ReadFile(filepath.Join(dir, "ran"))
	if len(text) == 0 {
		return nil, string(printed)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), string(printed)
}

// slurmScriptOf is the script of a list schedule of a set.
func slurmScriptOf(t *testing.T, js *model.JobSet, o Slurm, now model.Time) string {
	t.Helper()
	schedule := heuristics.Complete(js, model.NewSchedule(len(js.Tasks)))
	when, err := ClockOf(summary.Summarize(js, schedule), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := o.Write(&text, when, now, js.Digest()); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

const slurmSet = `version: 1
time_unit: 1m
origin: 2026-11-21T22:00:00Z
cluster:
  heartbeat: 1
  slaves:
    - {name: big, count: 2, cores: 4, slots: 4, resources: {memory: 8, gpu: 1}}
  pools: {db: 2}
jobs:
  - name: "it's $(touch x); \"q\""
    deadline: 60
    hard: true
    map: {tasks: 6, slaves: [big-1], wcet: 10, cores: 2, resources: {memory: 2}, pools: {db: 1}}
    reduce: {tasks: 1, wcet: 4, resources: {gpu: 1}}
  - name: train
    release: 40
    deadline: 90
    stages: [{name: run, gang: true, apart: true, tasks: 2, wcet: 30, cores: 2}]
  - {name: late, after: [train], deadline: 1, stages: [{name: run, tasks: 1, wcet: 3}]}
`

// What Slurm is called with, worked out by hand: two maps at a time as db is 2, on one machine as
// an array; the reduce after all of them, the gang with its nodes in the comment.
func TestSlurmCalls(t *testing.T) {
	js, err := jobfile.Load("set.yaml", []byte(slurmSet))
	if err != nil {
		t.Fatal(err)
	}
	digest := tasklabel.Short(js.Digest())
	odd := "it%27s%20%24%28touch%20x%29%3B%20%22q%22"
	script := slurmScriptOf(t, js, Slurm{Memory: 1024, Grace: 5 * time.Minute, Deadlines: true, Licences: true, Options: []string{"--partition=a b"}}, 0)
	calls, _ := submitted(t, script, "", false)
	if len(calls) != 6 {
		t.Fatalf("%d calls:\n%s\n%s", len(calls), strings.Join(calls, "\n"), script)
	}
	first := "<--parsable><--job-name=" + odd + "/map><--comment=" + odd + "/map@" + digest + "><--array=1,2><--begin=2026-11-21T23:00:00><--deadline=2026-11-22T00:00:00>" +
		"<--time=0-00:15:00><--time-min=0-00:10:00><--nodes=1><--ntasks=1><--cpus-per-task=2><--nodelist=big-1><--nice=0><--mem=2048><--licenses=db:1><--partition=a b><--wrap=sleep 600>"
	if calls[0] != first {
		t.Errorf("the first call is\n%s\nwant\n%s", calls[0], first)
	}
	var gang, reduce, late string
	for _, call := range calls {
		switch {
		case strings.Contains(call, "<--job-name=train/run>"):
			gang = call
		case strings.Contains(call, "/reduce>"):
			reduce = call
		case strings.Contains(call, "late/run/1@"):
			late = call
		}
	}
	for _, c := range []struct{ call, want string }{
		{gang, "<--comment=train/run@" + digest + " big-1 big-2>"}, {gang, "<--nodes=2><--ntasks=2><--cpus-per-task=2><--nodelist=big-1,big-2>"}, {gang, "<--mem=1024>"},
		{reduce, "<--comment=" + odd + "/reduce/1@" + digest + ">"}, {reduce, "<--gres=gpu:1>"}, {reduce, "<--dependency=afterok:101:102:"},
		{late, "<--dependency=afterok:10"},
	} {
		if !strings.Contains(c.call, c.want) {
			t.Errorf("%s\nhas no %s", c.call, c.want)
		}
	}
	if strings.Contains(late, "--deadline") || strings.Contains(gang, "--dependency") {
		t.Errorf("a soft deadline is told, or a gang waits for nothing: %s %s", late, gang)
	}

	// What is in the queue is not submitted again, and what comes after waits for it.
	queue := "900 1 " + odd + "/map@" + digest + "\n901 N/A train/run@" + digest + " big-1 big-2\n902 2 other/map@" + digest + "\n903 N/A (null)\n904 N/A train/run@000000000000\n"
	again, _ := submitted(t, script, queue, false)
	if len(again) != 5 || !strings.Contains(again[0], "<--array=2>") || !slices.ContainsFunc(again, func(c string) bool { return strings.Contains(c, "late/run") && strings.Contains(c, "afterok:901>") }) {
		t.Errorf("with a queue:\n%s", strings.Join(again, "\n"))
	}

	// A plan of later cancels what waits, and submits what is to come.
	later, _ := submitted(t, slurmScriptOf(t, js, Slurm{Memory: 1024}, 10), "77 late/run/1@"+digest+"\n78 late/run/1@111111111111\n", false)
	if later[0] != "scancel 77" || len(later) < 3 || strings.Contains(strings.Join(later, ""), "--array=1,2>") {
		t.Errorf("of a plan at 10:\n%s", strings.Join(later, "\n"))
	}
}

// Commands get names as words, whatever is in them, and quotes around a placeholder do no harm.
func TestSlurmCommands(t *testing.T) {
	js, err := jobfile.Load("set.yaml", []byte(slurmSet))
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{`printf '%s|' {job} {stage} {task}; echo`, `printf '%s|' "$DOWNBEAT_JOB" "$DOWNBEAT_STAGE" "$DOWNBEAT_TASK"; echo`} {
		_, ran := submitted(t, slurmScriptOf(t, js, Slurm{Memory: 1, Command: command}, 0), "", true)
		for _, want := range []string{`it's $(touch x); "q"|map|7|`, `it's $(touch x); "q"|reduce|1|`, "train|run|2|", "late|run|1|"} {
			if !strings.Contains(ran, want+"\n") {
				t.Errorf("%s: %q is not among\n%s", command, want, ran)
			}
		}
	}
	for _, command := range []string{`echo "{job}"`, `echo '{job}'`, `echo x{job}y`} {
		submitted(t, slurmScriptOf(t, js, Slurm{Memory: 1, Command: command}, 0), "", true)
	}
	if _, err := os.Stat("x"); err == nil {
		os.Remove("x")
		t.Error("a name was run as a command")
	}
	for command, want := range map[string]string{"run {tsk}": "{tsk} stands for nothing", "a\nb": "several lines", "run ${x} {job}": "", "awk '{print}' {job}": "{print} stands"} {
		if err := CheckCommand(command); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", command, err)
		}
	}
}

// Every task of a plan is submitted once, at its time and on its machine, after all that it has to
// wait for; and reserved once.
func TestSlurmSubmitsAll(t *testing.T) {
	comment := regexp.MustCompile(`<--comment=([^ >]*)[^>]*>(?:<--dependency=([^>]*)>)?(?:<--array=([^>]*)>)?`)
	for seed := range uint64(5) {
		js := gen.TodaySmall(seed, 12)
		js.TimeUnit, js.Origin = time.Minute, time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC)
		calls, _ := submitted(t, slurmScriptOf(t, js, Slurm{Memory: 1, Deadlines: seed%2 == 0}, 0), "", false)
		tasks := 0
		for _, call := range calls {
			m := comment.FindStringSubmatch(call)
			if m == nil {
				t.Fatalf("seed %d: %s", seed, call)
			}
			l, ok := tasklabel.Parse(m[1])
			if !ok || l.Digest != tasklabel.Short(js.Digest()) {
				t.Fatalf("seed %d: the comment is %q", seed, m[1])
			}
			i := slices.IndexFunc(js.Jobs, func(j model.Job) bool { return j.Name == l.Job })
			k := slices.IndexFunc(js.Jobs[i].Stages, func(st model.Stage) bool { return st.Name == l.Stage })
			switch st := &js.Jobs[i].Stages[k]; {
			case m[3] != "":
				tasks += strings.Count(m[3], ",") + 1
			case l.Task == 0:
				tasks += int(st.End - st.First)
			default:
				tasks++
			}
			if waits := len(js.Jobs[i].Stages[k].After)+len(js.Jobs[i].After) > 0; waits != (m[2] != "") {
				t.Errorf("seed %d: %s waits for %q", seed, m[1], m[2])
			}
		}
		if tasks != len(js.Tasks) {
			t.Errorf("seed %d: %d tasks are submitted, of %d", seed, tasks, len(js.Tasks))
		}
		reserved := slurmScriptOf(t, js, Slurm{Memory: 1, Reservations: true}, 0)
		if n := strings.Count(reserved, "\nscontrol create reservation "); n != len(calls) {
			t.Errorf("seed %d: %d reservations for %d jobs", seed, n, len(calls))
		}
	}
}

// Jobs that wait are told when and where, the tasks of an array in the order of their numbers; a
// queue that is another than the plan's is refused.
func TestSlurmQueue(t *testing.T) {
	js, err := jobfile.Load("set.yaml", []byte(`version: 1
time_unit: 1m
origin: 2026-11-21T22:00:00Z
cluster: {heartbeat: 1, slaves: [{name: n, count: 2, cores: 2, slots: 2}]}
jobs:
  - {name: two words, deadline: 20, stages: [{name: run, tasks: 3, wcet: 5, slaves: [n-2]}]}
  - {name: train, release: 10, stages: [{name: run, gang: true, apart: true, tasks: 2, wcet: 30, cores: 2}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	digest := tasklabel.Short(js.Digest())
	script := slurmScriptOf(t, js, Slurm{Queued: true}, 0)
	calls, _ := submitted(t, script, "7_12|(null)|two words\n7_9|(null)|two words\n7_10|(null)|two words\n31|x|train\n32||another\n", false)
	want := []string{
		"scontrol update JobId=7_9 Comment=two%20words/run/1@" + digest + " StartTime=2026-11-21T23:00:00 ReqNodeList=n-2",
		"scontrol update JobId=7_10 Comment=two%20words/run/2@" + digest + " StartTime=2026-11-21T23:00:00 ReqNodeList=n-2",
		"scontrol update JobId=7_12 Comment=two%20words/run/3@" + digest + " StartTime=2026-11-21T23:05:00 ReqNodeList=n-2",
		"scontrol update JobId=31 Comment=train/run@" + digest + " n-1 n-2 StartTime=2026-11-21T23:10:00 ReqNodeList=n-1,n-2",
	}
	if !slices.Equal(calls, want) {
		t.Errorf("calls\n%s\nwant\n%s", strings.Join(calls, "\n"), strings.Join(want, "\n"))
	}
	// What an earlier plan has told is found by its label, whatever else waits no more.
	again, _ := submitted(t, slurmScriptOf(t, js, Slurm{Queued: true}, 5), "7_12|two%20words/run/3@"+digest+"|two words\n31|train/run@"+digest+" n-1 n-2|train\n", false)
	if !slices.Equal(again, want[2:]) {
		t.Errorf("told again:\n%s", strings.Join(again, "\n"))
	}
	other := "squeue() { echo '7_9||two words'; }\n" + script
	out, err := exec.Command("bash", "-c", other).CombinedOutput()
	if err == nil || string(out) != "two words: 1 wait in the queue and the plan has 3; import the queue again\n" {
		t.Errorf("of a queue with one of three tasks: %v, %s", err, out)
	}
}
