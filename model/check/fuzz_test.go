package check

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"downbeat/internal/testkit/naive"
	"downbeat/model"
	"downbeat/model/files/planfile"
)

// FuzzPlan: no plan that can be read makes the validator panic, and one that
// it finds valid is literally so.
func FuzzPlan(f *testing.F) {
	js, p := fixedPlan(f)
	for _, format := range []planfile.Format{planfile.JSON, planfile.YAML, planfile.CSV} {
		var b bytes.Buffer
		if err := planfile.Write(&b, p, format); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add([]byte(`{"version": 1, "status": "infeasible", "tasks": []}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		p, err := planfile.Read("-", src)
		if err != nil {
			return
		}
		rep := Plan(js, p)
		_ = rep.Err()
		if rep.OK() && len(p.Tasks) > 0 {
			if broken := naive.Broken(js, p); len(broken) > 0 {
				t.Errorf("valid, but literally breaks %v", broken)
			}
		}
	})
}

// fixedPlan is a job set with all refinements and an executed plan for it.
func fixedPlan(t testing.TB) (*model.JobSet, *model.Plan) {
	for seed := uint64(0); ; seed++ {
		js, p := naive.Random(t, rand.New(rand.NewPCG(seed, 6)), true)
		if js.FIFO && js.Fetch == model.FetchExclusive && len(js.Slaves) > 1 && len(p.Lost) > 0 &&
			len(js.Named) > 0 && js.JobsLinked() {
			return js, p
		}
	}
}

// BenchmarkSchedule checks a plan with 100,000 tasks on 1000 slaves that is
// valid, and one that hands out everything at once.
func BenchmarkSchedule(b *testing.B) {
	const slaves, each = 1000, 100
	js := &model.JobSet{Heartbeat: 3}
	for range slaves {
		js.Slaves = append(js.Slaves, model.Slave{Name: "s", Cores: 2, Slots: 4})
	}
	profile := model.NewProfile(model.ConstRow(slaves, 5), model.ConstRow(slaves, 1))
	for range 100 {
		js.Jobs = append(js.Jobs, model.Job{Name: "j", Kind: model.Soft, Deadline: 50, Stages: []model.Stage{
			{Name: "m", Groups: []model.Group{{Count: slaves * each / 100, Profile: profile}}},
		}})
	}
	if err := js.Assemble(); err != nil {
		b.Fatal(err)
	}
	valid, crowded := model.NewSchedule(len(js.Tasks)), model.NewSchedule(len(js.Tasks))
	for t := range valid {
		k := model.Time(t / slaves) // the k-th of its slave; the slave starts one every 3 ticks
		valid[t] = model.Placement{Slave: model.SlaveID(t % slaves), Beat: k, Fetch: 3 * k, Start: 3*k + 1}
		crowded[t] = model.Placement{Slave: model.SlaveID(t % slaves), Start: 1}
	}
	for _, c := range []struct {
		name       string
		s          model.Schedule
		violations int
	}{{"valid", valid, 0}, {"crowded", crowded, 3 * slaves}} {
		b.Run("tasks=100000/"+c.name, func(b *testing.B) {
			for b.Loop() {
				if n := len(Schedule(js, c.s, false).Violations); n != c.violations {
					b.Fatalf("%d violations, want %d", n, c.violations)
				}
			}
		})
	}
}

// BenchmarkPlan checks a plan file of 100,000 tasks on one slave.
func BenchmarkPlan(b *testing.B) {
	js, p := rowOfTasks(b, 100_000, 1, 100_000)
	b.Run("tasks=100000", func(b *testing.B) {
		for b.Loop() {
			if rep := Plan(js, p); !rep.OK() {
				b.Fatal(rep.Err())
			}
		}
	})
}
