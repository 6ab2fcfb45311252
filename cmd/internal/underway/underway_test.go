package underway_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"downbeat/cmd/internal/report"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/gen"
	"downbeat/model/longtest"
	"downbeat/model/planfile"
	"downbeat/model/verify"
	"downbeat/online"
	"downbeat/online/durations"
	"downbeat/online/policies"
	"downbeat/solve"
	"downbeat/solve/night"
)

// someRun is a run of a tiny set in which tasks take other times than declared and slaves
// fail, under some policy.
func someRun(t *testing.T, seed uint64) (*model.JobSet, *online.Outcome) {
	t.Helper()
	js := gen.Tiny(seed)
	if seed%2 == 1 {
		js = gen.TodayTiny(seed)
	}
	specs := []string{"edf", "fifo", "fair", "rtmr", "penn:order=sct,choice=earliest"}
	policy, err := policies.New(specs[seed%4], seed)
	if err != nil {
		t.Fatal(err)
	}
	opts := online.Options{Seed: seed, Durations: durations.Uniform{Lo: 0.5, Hi: 2.5}}
	if seed%3 == 0 {
		opts.Faults = &online.Faults{MTBF: 20, MTTR: 4}
	}
	out, err := online.Play(t.Context(), js, policy, opts)
	if err != nil {
		t.Fatal(err)
	}
	return js, out
}

// reread is a run as it comes back from its file.
func reread(t *testing.T, run *model.Plan, format planfile.Format) *model.Plan {
	t.Helper()
	var b bytes.Buffer
	if err := planfile.Write(&b, run, format); err != nil {
		t.Fatal(err)
	}
	name := map[planfile.Format]string{planfile.JSON: "run.json", planfile.CSV: "run.csv"}[format]
	got, err := planfile.ReadRun(name, b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return got.Plan
}

// A run cut at any time and planned on keeps its past to the tick: what has finished, what
// has begun, and where the rest of it was handed out. The plan is valid as the validator
// sees it in a file, durations and rejected jobs included.
func TestRunsArePlannedOn(t *testing.T) {
	var finished, running, waiting, overdue, lost, doomed, rejected int
	for seed := range longtest.Sets[uint64](60, 5000) {
		js, out := someRun(t, seed)
		rng := rand.New(rand.NewPCG(seed, 20))
		run := reread(t, out.Plan(), []planfile.Format{planfile.JSON, planfile.CSV}[seed%2])
		now := model.Time(rng.Int64N(int64(night.TimeOf(run)) + 3))
		drops := night.Rejected(js, run, now)
		rejected += len(drops)
		if seed%4 == 0 {
			drops = append(drops, change.Change{Kind: change.Margin, N: 30})
		}
		set, err := change.Apply(js, drops)
		if err != nil {
			continue // all were
		}
		record, err := night.Read(set, run, now)
		if err != nil {
			t.Fatalf("seed %d, now %d: %v", seed, now, err)
		}
		past, err := record.Past()
		if err != nil {
			t.Fatalf("seed %d, now %d: %v", seed, now, err)
		}
		overdue, doomed, lost = overdue+len(past.Overdue), doomed+len(past.Doomed), lost+record.Lost
		res, err := night.Plan(t.Context(), past, solve.Options{Seed: seed, Budget: 40, Relax: true, NoConflict: true})
		if err != nil {
			t.Fatalf("seed %d, now %d: %v", seed, now, err)
		}
		plan := report.PlanFile(past.Set, res)
		if found := verify.Plan(set, plan); !found.OK() {
			t.Fatalf("seed %d, now %d: %v", seed, now, found.Err())
		}
		told := linesOf(plan.Tasks)
		for _, line := range underWay(out.Plan(), now) {
			got, there := told[nameOf(line)]
			if !there {
				continue // of a job that was rejected
			}
			switch f := line.Finish; {
			case isIn(past.Doomed, past.Lost, set, line):
				if got.Assigned < now {
					t.Errorf("seed %d, now %d: %s is not handed out anew: %+v", seed, now, nameOf(line), got)
				}
				continue
			case got.Slave != line.Slave || got.Beat != line.Beat:
				t.Errorf("seed %d, now %d: %s was handed out as %+v, not %+v", seed, now, nameOf(line), line, got)
			case f <= now:
				finished++
				if got.Fetch != line.Fetch || got.Start != line.Start || got.Finish != f {
					t.Errorf("seed %d, now %d: %s was %+v, not %+v", seed, now, nameOf(line), line, got)
				}
			case line.Start < now:
				running++
				if got.Fetch != line.Fetch || got.Start != line.Start || got.Finish <= now {
					t.Errorf("seed %d, now %d: %s runs as %+v, not %+v", seed, now, nameOf(line), line, got)
				}
			default:
				waiting++
				if line.Fetch < now && got.Fetch != line.Fetch || line.Fetch >= now && got.Fetch < now || got.Start < now {
					t.Errorf("seed %d, now %d: %s waits as %+v, not %+v", seed, now, nameOf(line), line, got)
				}
			}
			delete(told, nameOf(line))
		}
		for name, line := range told {
			if line.Assigned < now && !dropped(drops, line.Job) {
				t.Errorf("seed %d, now %d: %s is handed out in the past: %+v", seed, now, name, line)
			}
		}
	}
	t.Logf("%d finished, %d running, %d of them overdue, %d waiting, %d lost, %d doomed, %d jobs rejected", finished, running, overdue, waiting, lost, doomed, rejected)
	if finished == 0 || running == 0 || waiting == 0 || overdue == 0 || lost == 0 || rejected == 0 || longtest.Asked() && doomed == 0 {
		t.Error("not every case came up")
	}
}

func dropped(drops []change.Change, job string) bool {
	for _, c := range drops {
		if c.Name == job {
			return true
		}
	}
	return false
}

func nameOf(l model.TaskResult) string { return fmt.Sprintf("%s/%s/%d", l.Job, l.Stage, l.Task) }

func linesOf(lines []model.TaskResult) map[string]model.TaskResult {
	out := map[string]model.TaskResult{}
	for _, l := range lines {
		out[nameOf(l)] = l
	}
	return out
}

// underWay lists the attempts that had finished by now, or were under way.
func underWay(run *model.Plan, now model.Time) (out []model.TaskResult) {
	for _, l := range run.Tasks {
		if l.Assigned < now {
			out = append(out, l)
		}
	}
	for _, l := range run.Lost {
		if l.Assigned < now && l.Finish > now {
			l.Finish = model.Never // nobody knew
			out = append(out, l)
		}
	}
	return out
}

func isIn(a, b []model.TaskID, js *model.JobSet, line model.TaskResult) bool {
	for _, list := range [][]model.TaskID{a, b} {
		for _, t := range list {
			if js.TaskName(t) == nameOf(line) {
				return true
			}
		}
	}
	return false
}
