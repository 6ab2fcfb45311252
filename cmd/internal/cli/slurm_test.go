package cli

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"downbeat/cmd/internal/terminal"
	"downbeat/model"
	"downbeat/model/files/planfile"
)

// realSlurm is a Slurm whose commands are at hand, for a test that was asked for it.
type realSlurm struct {
	t     *testing.T
	nodes []string
}

// slurmAtHand is that of this machine; without one, or unless it is asked for, the test is skipped.
func slurmAtHand(t *testing.T) *realSlurm {
	if os.Getenv("DOWNBEAT_SLURM") == "" {
		t.Skip("no plan is run on a real Slurm: DOWNBEAT_SLURM=1 asks for it")
	}
	for _, name := range []string{"bash", "sbatch", "squeue", "scontrol", "sinfo"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("there is no Slurm to run a plan on: %v", err)
		}
	}
	s := &realSlurm{t: t}
	for name := range strings.FieldsSeq(s.command("sinfo", "--noheader", "--Node", "--states=idle", "--format=%N")) {
		if !slices.Contains(s.nodes, name) && len(s.nodes) < 4 {
			s.nodes = append(s.nodes, name)
		}
	}
	if len(s.nodes) < 2 {
		t.Skipf("Slurm has %d idle nodes, and 2 are needed", len(s.nodes))
	}
	return s
}

// command runs a command of Slurm, whose times are in UTC then.
func (s *realSlurm) command(name string, args ...string) string {
	s.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "TZ=UTC") // Slurm writes and reads times in it
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// downbeat runs the program in this folder.
func (s *realSlurm) downbeat(args ...string) {
	s.t.Helper()
	var out bytes.Buffer
	if code := run(s.t.Context(), terminal.New(strings.NewReader(""), &out, &out), args); code != 0 {
		s.t.Fatalf("downbeat %s: %d\n%s", strings.Join(args, " "), code, out.String())
	}
	s.t.Logf("downbeat %s\n%s", strings.Join(args, " "), out.String())
}

// now has what Slurm says of its jobs become a run.
func (s *realSlurm) now(file string) [][]string {
	s.t.Helper()
	if err := os.WriteFile("now.txt", []byte(s.command("scontrol", "show", "job", "-o")), 0o666); err != nil {
		s.t.Fatal(err)
	}
	s.downbeat("import", "executed", "slurm", "now.txt", "--job-set", "night.yaml", "-o", file)
	src, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(src)).ReadAll()
	if err != nil {
		s.t.Fatal(err)
	}
	return lines[1:]
}

// A plan is submitted to a real Slurm, looked at half way, planned anew and submitted again: every
// task runs once, where the plans have it and not before its time, and machines keep their order.
func TestRealSlurm(t *testing.T) {
	s := slurmAtHand(t)
	t.Chdir(t.TempDir())
	origin := time.Now().Add(8 * time.Second).Truncate(time.Second).UTC()
	var slaves []string
	for _, name := range s.nodes {
		slaves = append(slaves, fmt.Sprintf("{name: %s, resources: {memory: 2}}", name))
	}
	set := fmt.Sprintf(`version: 1
time_unit: 1s
origin: %s
cluster: {heartbeat: 1, slaves: [%s]}
jobs:
  - name: "etl, it's"
    deadline: 300
    hard: true
    stages:
      - {name: map, tasks: 4, wcet: 6, resources: {memory: 1}}
      - {name: reduce, tasks: 2, wcet: 5, resources: {memory: 1}}
  - {name: train, deadline: 90, stages: [{name: run, gang: true, apart: true, tasks: 2, wcet: 7}]}
  - {name: report, after: ["etl, it's"], deadline: 90, stages: [{name: run, tasks: 3, wcet: 4}]}
`, origin.Format(time.RFC3339), strings.Join(slaves, ", "))
	if err := os.WriteFile("night.yaml", []byte(set), 0o666); err != nil {
		t.Fatal(err)
	}
	s.downbeat("plan", "night.yaml", "--workers", "1", "-o", "plan.json")
	s.downbeat("export", "slurm", "night.yaml", "plan.json", "--memory-mb", "100", "--sbatch=--output=/dev/null", "-o", "submit.sh")
	t.Log(s.command("bash", "submit.sh"))
	if again := s.command("bash", "submit.sh"); strings.Count(again, "is in the queue already, and is not submitted\n") != strings.Count(again, "\n") {
		t.Errorf("run again the script submits\n%s", again)
	}

	time.Sleep(time.Until(origin.Add(10 * time.Second)))
	if run := s.now("run.csv"); !slices.ContainsFunc(run, func(l []string) bool { return l[6] == "COMPLETED" }) || !slices.ContainsFunc(run, func(l []string) bool { return l[6] == "PENDING" }) {
		t.Fatalf("half way: %v", run)
	}
	at := int(time.Since(origin).Seconds()) + 1
	s.downbeat("plan", "night.yaml", "--workers", "1", "--from", "plan.json", "--executed", "run.csv", "--now", fmt.Sprint(at), "-o", "next.json")
	s.downbeat("export", "slurm", "night.yaml", "next.json", "--memory-mb", "100", "--sbatch=--output=/dev/null", "-o", "next.sh")
	t.Log(s.command("bash", "next.sh"))

	var end [][]string
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(2 * time.Second) {
		end = s.now("end.csv")
		if !slices.ContainsFunc(end, func(l []string) bool { return l[6] == "PENDING" || l[6] == "RUNNING" }) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("not all has ended: %v\n%s", end, s.command("squeue"))
		}
	}
	s.holds(end, origin)
}

// holds checks what ran against the last plan.
func (s *realSlurm) holds(run [][]string, origin time.Time) {
	src, err := os.ReadFile("next.json")
	if err != nil {
		s.t.Fatal(err)
	}
	plan, err := planfile.Read("next.json", src)
	if err != nil {
		s.t.Fatal(err)
	}
	if len(run) != len(plan.Tasks) {
		s.t.Fatalf("%d tasks ran, and the plan has %d: %v", len(run), len(plan.Tasks), run)
	}
	started := func(task *model.TaskResult) time.Time {
		i := slices.IndexFunc(run, func(l []string) bool {
			return l[0] == task.Job && l[1] == task.Stage && l[2] == fmt.Sprint(task.Task)
		})
		if i < 0 || run[i][6] != "COMPLETED" || run[i][3] != task.Slave {
			s.t.Fatalf("%s/%s/%d is to run on %s: %v", task.Job, task.Stage, task.Task, task.Slave, run)
		}
		at, err := time.Parse(time.RFC3339, run[i][4])
		if err != nil {
			s.t.Fatal(err)
		}
		return at
	}
	for i := range plan.Tasks {
		a := &plan.Tasks[i]
		at := started(a)
		if due := origin.Add(time.Duration(a.Assigned) * time.Second); at.Before(due) {
			s.t.Errorf("%s/%s/%d began at %v, and was to be handed out at %v", a.Job, a.Stage, a.Task, at, due)
		}
		for k := range plan.Tasks {
			if b := &plan.Tasks[k]; a.Slave == b.Slave && a.Start < b.Start && started(b).Before(at) {
				s.t.Errorf("%s/%s/%d began before %s/%s/%d, which comes first on %s", b.Job, b.Stage, b.Task, a.Job, a.Stage, a.Task, a.Slave)
			}
		}
	}
}
