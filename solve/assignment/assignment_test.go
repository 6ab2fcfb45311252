package assignment_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/secondopinion"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/check/inference"
	"downbeat/model/query"
	"downbeat/solve/assignment"
)

// drawn is a set of some tasks, a job each, on slaves with some cores each, of which some are alike: all are released or due at one
// time, or each at its own.
func drawn(t *testing.T, r *rand.Rand, most int) *model.JobSet {
	t.Helper()
	js := &model.JobSet{Heartbeat: model.Time(1 + r.IntN(2)*r.IntN(3))}
	cores := 0
	for s := 0; s < 1+r.IntN(3) || cores < 2; s++ {
		n := 1 + r.IntN(2)
		cores += n
		js.Slaves = append(js.Slaves, model.Slave{Name: fmt.Sprint("s", s), Cores: n, Slots: 20, FirstBeat: model.Time(r.IntN(2) * r.IntN(3))})
	}
	released, due := r.IntN(2), r.IntN(2)
	kinds := 1 + r.IntN(len(js.Slaves))
	var row, transfer []model.Time
	for i := range 2 + r.IntN(most-1) {
		if i == 0 || r.IntN(3) > 0 { // else like the one before
			row, transfer = make([]model.Time, len(js.Slaves)), make([]model.Time, len(js.Slaves))
			for s := range row {
				if row[s] = model.Time(1 + r.IntN(9)); s >= kinds {
					row[s] = row[s-kinds]
				} else if r.IntN(5) == 0 && s > 0 {
					row[s] = 0
				}
			}
		}
		profile := model.NewProfile(model.DenseRow(row), model.DenseRow(transfer))
		job := model.Job{Name: fmt.Sprint("j", i), Kind: model.Soft, Weight: 1, Deadline: 12, Stages: []model.Stage{
			{Name: "map", Groups: []model.Group{{Count: 1, Profile: profile}}},
		}}
		if released == 1 {
			job.Release = model.Time(r.IntN(10))
			job.Deadline -= job.Release
		} else if due == 1 {
			job.Deadline = model.Time(1 + r.IntN(15))
		}
		job.Deadline = max(1, job.Deadline)
		js.Jobs = append(js.Jobs, job)
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// least is the least value of an objective that is a time.
func least(js *model.JobSet, o model.Objective) (best model.Time) {
	var cores []model.SlaveID
	for s := range js.Slaves {
		for range js.Slaves[s].Cores {
			cores = append(cores, model.SlaveID(s))
		}
	}
	for !fits(js, query.AtMost(js, o, best), 0, cores, make([][]model.TaskID, len(cores))) {
		best++
	}
	return best
}

// fits reports whether all tasks from one on can be done by cores in time, where each core has some already.
func fits(js *model.JobSet, due []model.Time, t model.TaskID, cores []model.SlaveID, done [][]model.TaskID) bool {
	if int(t) == len(js.Tasks) {
		return true
	}
	for c, s := range cores {
		if !js.Tasks[t].Eligible(s) {
			continue
		}
		done[c] = append(done[c], t)
		if inTime(js, due, s, done[c], 0) && fits(js, due, t+1, cores, done) {
			return true
		}
		done[c] = done[c][:len(done[c])-1]
	}
	return false
}

// inTime reports whether a core that is free from a time on can do tasks in any order.
func inTime(js *model.JobSet, due []model.Time, s model.SlaveID, tasks []model.TaskID, free model.Time) bool {
	if len(tasks) == 0 {
		return true
	}
	for n, t := range tasks {
		_, from := js.BeatAtOrAfter(s, js.Jobs[js.Tasks[t].Job].Release)
		end := max(free, from) + js.Tasks[t].WCET(s)
		rest := append(append([]model.TaskID(nil), tasks[:n]...), tasks[n+1:]...)
		if end <= due[js.Tasks[t].Job] && inTime(js, due, s, rest, end) {
			return true
		}
	}
	return false
}

// TestAgainstExhaustiveSearch: what is found is a plan, what is refuted has none, and next to nothing is left open.
func TestAgainstExhaustiveSearch(t *testing.T) {
	asked, open, refuted, cases := 0, 0, 0, 0
	for seed := range testkit.Sets[uint64](500, 40000) {
		r := rand.New(rand.NewPCG(seed, 3))
		js := drawn(t, r, 8)
		o := []model.Objective{model.Makespan, model.Tardiness}[r.IntN(2)]
		best := least(js, o)
		for v := max(0, best-2); v <= best+1; v++ {
			due := query.AtMost(js, o, v)
			p, ok := assignment.New(js, due)
			if !ok {
				continue
			}
			limits := assignment.Limits{Exchanges: r.IntN(2) * 100}
			if r.IntN(4) > 0 {
				limits.Cells = 1 << 22
			}
			s := assignment.NewSearch(p, seed)
			if r.IntN(4) > 0 {
				s.Hurry(r.IntN(3))
			}
			answer, none := s.Run(t.Context(), limits)
			possible := v >= best
			switch asked++; {
			case answer == assignment.Found:
				if err := check.Schedule(js, s.Plan(), false).Err(); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if got := js.Value(o, js.Finishes(s.Plan())); got > int64(v) || !possible {
					t.Fatalf("seed %d: %d was asked for, not %d", seed, v, got)
				}
			case answer == assignment.None:
				if possible {
					t.Fatalf("seed %d: %d is refuted, and can be had", seed, v)
				}
				asked := query.Within(js, false, query.Limits{o: int64(v)})
				if err := inference.CheckClaim(t.Context(), js, o, int64(v)+1, none.Refutation(&asked)); err != nil {
					t.Fatalf("seed %d, %d: %v", seed, v, err)
				}
				refuted++
				cases += none.Passes()
			case limits.Cells > 0:
				open++
			}
		}
	}
	t.Logf("%d questions, %d of them refuted, by %d passes, %d open", asked, refuted, cases, open)
	if open > 0 || refuted == 0 {
		t.Errorf("%d of %d questions were left open, %d refuted", open, asked, refuted)
	}
}

// script is the second checker.
const script = "../../model/check/inference/testdata/check_proof.py"

// TestBothCheckersAgree: what is refuted is so for a second checker, too, and nothing that is altered is taken for what is not so.
func TestBothCheckersAgree(t *testing.T) {
	var samples []secondopinion.Sample
	cases := 0
	for seed := uint64(0); len(samples) < secondopinion.Count(20, 1000); seed++ {
		r := rand.New(rand.NewPCG(seed, 5))
		js := drawn(t, r, 6)
		o := []model.Objective{model.Makespan, model.Tardiness}[r.IntN(2)]
		v := int64(least(js, o)) - 1
		p, ok := assignment.New(js, query.AtMost(js, o, model.Time(v)))
		if !ok {
			continue
		}
		s := assignment.NewSearch(p, seed)
		if r.IntN(5) > 0 {
			s.Hurry(r.IntN(3))
		}
		answer, none := s.Run(t.Context(), assignment.Limits{Cells: 1 << 22})
		if answer == assignment.None {
			asked := query.Within(js, false, query.Limits{o: v})
			if none.Passes() > 1 {
				cases++
			} else if len(samples) > 2*cases {
				continue
			}
			by := none.Refutation(&asked)
			text := fmt.Sprintf("downbeat proof 1\ndigest %s\ntick 1\nquestion 1\n%s\n%srefuted 1 %d\nclaim %s >= %d by 1\nend 0\n",
				js.Digest(), strings.Join(by.Question, "\n"), by.Steps, by.Last, o, v+1)
			samples = append(samples, secondopinion.Sample{JS: js, Text: secondopinion.Numbered(text)})
		}
	}
	for i, said := range secondopinion.Second(t, script, samples) {
		if first := samples[i].First(t); !strings.HasPrefix(first, "proved") || said != first {
			t.Errorf("%s, but by the second checker %s\n%s", first, said, samples[i].Text)
		}
	}
	secondopinion.Altered(t, script, samples[:min(len(samples), secondopinion.Count(3, 200))])
	t.Logf("%d proofs, %d of them by several passes", len(samples), cases)
}
