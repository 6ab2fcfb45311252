package veripb_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/query"
	"downbeat/solve/certify/veripb"
	"downbeat/solve/lcg"
)

// underWay is a small set of which some of what slaves, pools and caps have is taken by tasks from before, with gangs of
// which others have begun, and slaves that are gone for good; nil if a task does not fit anywhere.
func underWay(t *testing.T, seed uint64) *model.JobSet {
	rng := rand.New(rand.NewPCG(seed, 31))
	js := gen.TodayTiny(seed)
	switch seed % 3 {
	case 0:
		js = gen.Tiny(seed)
	case 1:
		js = gen.KindredTiny(seed)
	}
	js.FIFO = false
	if seed%2 == 0 {
		js = gen.Coupled(js, seed, seed%4 == 0)
	}
	for s := range js.Slaves {
		slave := &js.Slaves[s]
		for _, supply := range js.Supplies(model.SlaveID(s)) {
			of := supply.Resource
			if rng.IntN(3) > 0 || supply.Units == 0 {
				continue
			}
			from := model.Time(rng.IntN(12))
			if of.Hold() == model.HoldStay { // from before
				from = 0
			}
			slave.Reservations = append(slave.Reservations, model.Reservation{
				Resource: of, Interval: model.Interval{Start: from, End: from + 1 + model.Time(rng.IntN(8))}, Units: 1 + rng.Int64N(supply.Units),
			})
		}
	}
	taken := func() []model.SharedHold {
		from := model.Time(rng.IntN(8))
		return []model.SharedHold{{Interval: model.Interval{Start: from, End: from + 1 + model.Time(rng.IntN(8))}, Units: 1}}
	}
	for i := range js.Pools {
		if rng.IntN(2) == 0 {
			js.Pools[i].Reserved = taken()
		}
	}
	for i := range js.Jobs {
		job := &js.Jobs[i]
		if job.AtMost > 0 && rng.IntN(2) == 0 {
			job.Reserved = taken()
		}
		for k := range job.Stages {
			st := &job.Stages[k]
			if st.AtMost > 0 && rng.IntN(2) == 0 {
				st.Reserved = taken()
			}
			if rng.IntN(8) == 0 {
				st.Gang, st.StartAt = true, 1+model.Time(rng.IntN(12))
			}
		}
	}
	js.Tasks = nil
	var misfits *model.Misfits
	if err := js.Assemble(); errors.As(err, &misfits) {
		return nil
	} else if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return js
}

// someQuestion asks something of a set, for package lcg and as it is stated here.
func someQuestion(js *model.JobSet, rng *rand.Rand) (query.Question, *veripb.Question) {
	q := query.Question{JS: js, Role: make([]query.Role, len(js.Jobs)), Cap: make([]model.Time, len(js.Jobs)), NoSymmetry: rng.IntN(2) == 0}
	v := &veripb.Question{Set: js, Limits: map[model.Objective]int64{}}
	awaited := map[model.JobID]bool{}
	for i := range js.Jobs {
		for _, k := range js.Jobs[i].After {
			awaited[k] = true
		}
	}
	for i := range js.Jobs {
		job := &js.Jobs[i]
		by := job.Release + 1 + model.Time(rng.IntN(30))
		a := inference.Asked{Job: model.JobID(i), Role: "must", By: by}
		q.Role[i], q.Cap[i] = query.Must, by
		if rng.IntN(3) == 0 && !awaited[model.JobID(i)] && !begun(job) {
			q.Role[i], a.Role = query.May, "may"
			if job.Kind != model.BestEffort {
				q.Cap[i], a.By = job.Due(), job.Due()
			}
		}
		v.Jobs = append(v.Jobs, a)
	}
	for _, o := range []model.Objective{model.Misses, model.WeightedTardiness, model.HardMisses} {
		if rng.IntN(3) == 0 {
			v.Limits[o] = rng.Int64N(5)
			q.Limits = append(q.Limits, query.Limit{Objective: o, Most: v.Limits[o]})
		}
	}
	slices.SortFunc(q.Limits, func(a, b query.Limit) int { return int(a.Objective) - int(b.Objective) })
	return q, v
}

// begun reports whether tasks of a gang of a job were handed out before, so that it is not let go.
func begun(job *model.Job) bool {
	return slices.ContainsFunc(job.Stages, func(st model.Stage) bool { return st.StartAt > 0 })
}

// A question about a set that is under way has a solution as it is stated exactly if clause learning finds a plan.
func TestEncodingOfSetsUnderWay(t *testing.T) {
	yes, no := 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 80, 1000)) {
		js := underWay(t, seed)
		if js == nil {
			continue
		}
		rng := rand.New(rand.NewPCG(seed, 32))
		for range 3 {
			q, v := someQuestion(js, rng)
			s, err := lcg.New(t.Context(), q, lcg.Options{Seed: 1})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			answer, _ := s.Run(t.Context(), func() bool { return s.Conflicts() > 5000 })
			if answer == lcg.Unknown {
				continue
			}
			if is := answer == lcg.Satisfiable; is != solvable(t, v) {
				t.Errorf("seed %d: there is a plan: %t, and not as it is stated: %+v", seed, is, v)
			} else if is {
				yes++
			} else {
				no++
			}
		}
	}
	t.Logf("%d questions with a solution, %d without", yes, no)
	if yes < 40 || no < 40 {
		t.Error("hardly any question of one kind")
	}
}
