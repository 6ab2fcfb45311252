package policies

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/online"
)

// periodic is a task of the classic model: a job every period, from release on, each of which runs for wcet on
// one processor and is due deadline after its release.
type periodic struct{ wcet, deadline, release, period model.Time }

// periodicSet is what both simulators play.
type periodicSet struct {
	processors int
	horizon    model.Time
	key        string
	tasks      []periodic
}

func drawnPeriodic(seed uint64, key string) periodicSet {
	rng := rand.New(rand.NewPCG(seed, 15))
	s := periodicSet{processors: 1 + rng.IntN(3), horizon: 400, key: key}
	for range 2 + rng.IntN(3*s.processors) {
		p := periodic{period: model.Time(5 + rng.IntN(56)), release: model.Time(rng.IntN(30))}
		p.wcet = 1 + model.Time(rng.IntN(int(p.period)/2))
		p.deadline = p.wcet + model.Time(rng.IntN(int(p.period-p.wcet)+1))
		s.tasks = append(s.tasks, p)
	}
	return s
}

// jobs is how many jobs a task has before the horizon.
func (s periodicSet) jobs(p periodic) model.Time { return (s.horizon-p.release-1)/p.period + 1 }

// jobSet is the set as ours: one slave, on which an idle core is offered at each tick.
func (s periodicSet) jobSet(t *testing.T) *model.JobSet {
	var b strings.Builder
	fmt.Fprintf(&b, "version: 1\ncluster: {heartbeat: 1, slaves: [{name: m, cores: %d}]}\njobs:\n", s.processors)
	for i, p := range s.tasks {
		fmt.Fprintf(&b, "  - {name: t%d, release: %d, deadline: %d, repeat: {every: %d, times: %d}, stages: [{name: s, tasks: 1, wcet: %d}]}\n",
			i, p.release, p.deadline, p.period, s.jobs(p), p.wcet)
	}
	js, err := jobfile.Load("periodic.yaml", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// deadlineMonotonic has fixed priorities: the shorter the relative deadline, the higher.
type deadlineMonotonic struct{ jobs *online.Ranking[model.Time] }

func newDeadlineMonotonic() online.Policy {
	return &deadlineMonotonic{online.NewRanking(func(_ *online.View, j *online.Job) model.Time {
		return j.Spec().Due() - j.Spec().Release
	}, cmp.Compare[model.Time])}
}

func (p *deadlineMonotonic) Name() string        { return "dm" }
func (p *deadlineMonotonic) Asks() online.Asking { return online.OnReady }
func (p *deadlineMonotonic) Heartbeat(v *online.View, o *online.Offer) {
	for _, r := range p.jobs.Jobs(v) {
		if b := o.Pick(r.Job); b != nil {
			o.Give(b)
		}
	}
}

// On periodic tasks, where a slave is a multiprocessor on which nothing is fetched, our policies are the
// non-preemptive global schedulers of the real-time literature: each job ends when it does in SimSo under a scheduler
// written for it. SimSo runs jobs of a task one after the other, where ours may overlap: a set counts until
// that would happen. DOWNBEAT_SIMSO names a Python that has SimSo.
func TestAgainstSimSo(t *testing.T) {
	python := os.Getenv("DOWNBEAT_SIMSO")
	if python == "" {
		t.Skip("DOWNBEAT_SIMSO names no Python that has SimSo (pip install simso==0.8.5): periodic tasks are not held against it")
	}
	policies := map[string]func() online.Policy{"dm": newDeadlineMonotonic}
	keys := []string{"fifo", "edf", "llf", "dm"}
	for _, name := range keys[:3] {
		policies[name] = func() online.Policy {
			p, err := New(name, 1)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
	}
	var sets []periodicSet
	for seed := range testkit.Seeds(t, testkit.Sets[uint64](25, 1000)) {
		for _, key := range keys {
			sets = append(sets, drawnPeriodic(seed, key))
		}
	}
	ends := simSo(t, python, sets)
	jobs, late, whole := map[string]int{}, map[string]int{}, 0
	for i, s := range sets {
		js := s.jobSet(t)
		out, err := online.Play(t.Context(), js, policies[s.key](), online.Options{})
		if err != nil {
			t.Fatal(err)
		}
		until, job := s.horizon-1, 0
		end := map[[2]int]model.Time{}
		for k, p := range s.tasks {
			for n := range s.jobs(p) {
				at := out.Schedule[js.Jobs[job].First].Start + p.wcet
				end[[2]int{k, int(n) + 1}] = at
				if next := js.Jobs[job].Release + p.period; at > next {
					until = min(until, next)
				}
				job++
			}
		}
		if until == s.horizon-1 {
			whole++
		}
		for which, at := range end {
			theirs, ended := ends[i][which]
			if at > until && (!ended || theirs > until) {
				continue
			}
			if !ended || theirs != at {
				t.Fatalf("set %d under %s: job %d of task %d ends at %d, in SimSo at %d (%v)\n%+v", i, s.key, which[1], which[0], at, theirs, ended, s)
			}
			jobs[s.key]++
			if at > s.tasks[which[0]].release+model.Time(which[1]-1)*s.tasks[which[0]].period+s.tasks[which[0]].deadline {
				late[s.key]++
			}
		}
	}
	for _, key := range keys {
		if jobs[key] == 0 || late[key] == 0 {
			t.Errorf("%s: %d jobs, %d late: nothing is held against SimSo", key, jobs[key], late[key])
		}
	}
	t.Logf("%d sets, %d of them to the end; jobs that end alike: %v, of these late %v", len(sets), whole, jobs, late)
}

// simSo are the ends of jobs in each set, by task and number of the job.
func simSo(t *testing.T, python string, sets []periodicSet) []map[[2]int]model.Time {
	t.Helper()
	var in strings.Builder
	for _, s := range sets {
		fmt.Fprintf(&in, "set %d %d %s\n", s.processors, s.horizon, s.key)
		for _, p := range s.tasks {
			fmt.Fprintf(&in, "task %d %d %d %d\n", p.wcet, p.deadline, p.release, p.period)
		}
	}
	cmd := exec.CommandContext(t.Context(), python, "-W", "ignore", "testdata/simso_nonpreemptive.py")
	var stderr strings.Builder
	cmd.Stdin, cmd.Stderr = strings.NewReader(in.String()), &stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("SimSo: %v\n%s", err, stderr.String())
	}
	out := make([]map[[2]int]model.Time, len(sets))
	for i := range out {
		out[i] = map[[2]int]model.Time{}
	}
	for line := range strings.Lines(string(text)) {
		var set, task, job int
		var at model.Time
		if _, err := fmt.Sscan(line, &set, &task, &job, &at); err != nil {
			t.Fatalf("SimSo says %q", line)
		}
		out[set][[2]int{task, job}] = at
	}
	return out
}
