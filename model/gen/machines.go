package gen

import (
	"fmt"
	"math/rand/v2"

	"downbeat/model"
)

// oneTask is a job of one task on any of the slaves for which row has a time.
func oneTask(i, slaves int, row model.Row, needs model.Needs) model.Job {
	return model.Job{
		Name: fmt.Sprintf("j%d", i+1), Kind: model.BestEffort, Weight: 1,
		Stages: []model.Stage{{Name: "run", Groups: []model.Group{{Count: 1, Profile: model.NewProfile(row, model.ConstRow(slaves, 0)).Needing(needs)}}}},
	}
}

// oneByOne are slaves that run one task at a time.
func oneByOne(count int) (slaves []model.Slave) {
	for m := range count {
		slaves = append(slaves, model.Slave{Name: fmt.Sprintf("m%d", m+1), Cores: 1, Slots: 1})
	}
	return slaves
}

// setupServer has machines alike that one server sets up for each job, P,S1||Cmax: the machines are the
// slots and cores of a slave, a set-up is a fetch. Jobs take 1 to 100 ticks and set-ups 1 to longest, uniformly,
// as draws of the literature do (Kim and Lee 2012; Hasani, Kravchenko and Werner 2014, with other means).
func setupServer(jobs, machines, longest int, seed uint64) *model.JobSet {
	rng := rand.New(rand.NewPCG(seed, 0))
	js := &model.JobSet{Slaves: []model.Slave{{Name: "machines", Cores: machines, Slots: machines}}}
	for i := range jobs {
		profile := model.NewProfile(model.ConstRow(1, model.Time(1+rng.IntN(100))), model.ConstRow(1, model.Time(1+rng.IntN(longest))))
		js.Jobs = append(js.Jobs, model.Job{
			Name: fmt.Sprintf("j%d", i+1), Kind: model.BestEffort, Weight: 1,
			Stages: []model.Stage{{Name: "run", Groups: []model.Group{{Count: 1, Profile: profile}}}},
		})
	}
	return js
}

// weighedJobs draws jobs of 1 to 100 ticks, with weights from 1 to 10, on machines that are alike and run one at a time; each machine is busy with
// them for so long.
func weighedJobs(jobs, machines int, o model.Objective, rng *rand.Rand) (js *model.JobSet, busy int) {
	js = &model.JobSet{Slaves: oneByOne(machines), Objectives: []model.Objective{o}}
	for i := range jobs {
		wcet := 1 + rng.IntN(100)
		busy += wcet
		job := oneTask(i, machines, model.ConstRow(machines, model.Time(wcet)), model.Needs{Cores: 1})
		job.Kind, job.Weight, job.Deadline = model.Soft, int64(1+rng.IntN(10)), model.Time(wcet)
		js.Jobs = append(js.Jobs, job)
	}
	return js, busy / machines
}

// parallel has jobs on machines that are alike, P||ΣwT. Due dates
// are drawn about a part of the time that all take, in a range that is another part of it: each one of
// 0.2, 0.4, …, 1 (Potts and Van Wassenhove, 1985; by the number of machines, as Rodrigues, Pessoa, Uchoa and Poggi de Aragão, 2008, have it).
func parallel(jobs, machines int, seed uint64) *model.JobSet {
	rng := rand.New(rand.NewPCG(seed, 0))
	js, busy := weighedJobs(jobs, machines, model.WeightedTardiness, rng)
	spread, late := 1+rng.IntN(5), 1+rng.IntN(5)
	for i := range js.Jobs {
		job := &js.Jobs[i]
		job.Stages[0].Name = "all"
		job.Deadline = model.Time(max(1, busy*(10-2*late-spread)/10+rng.IntN(1+busy*2*spread/10)))
	}
	assembled(js)
	return js
}

// unrelated has jobs that take 10 to 100 ticks, uniformly, by machine, R||Cmax (Lenstra, Shmoys and Tardos 1990; draws as in
// Ghirardi and Potts 2005).
func unrelated(jobs, machines int, seed uint64) *model.JobSet {
	rng := rand.New(rand.NewPCG(seed, 0))
	js := &model.JobSet{Slaves: oneByOne(machines)}
	for i := range jobs {
		wcet := make([]model.Time, machines)
		for m := range wcet {
			wcet[m] = model.Time(10 + rng.IntN(91))
		}
		js.Jobs = append(js.Jobs, oneTask(i, machines, model.DenseRow(wcet), model.Needs{Cores: 1}))
	}
	return js
}

// rigid has jobs of 1 to 50 ticks that take one to all of the cores of a slave at once, P|size|Cmax; small ones are more frequent, as
// on parallel computers (Feitelson and Rudolph 1998).
func rigid(jobs, cores int, seed uint64) *model.JobSet {
	rng := rand.New(rand.NewPCG(seed, 0))
	js := &model.JobSet{Slaves: []model.Slave{{Name: "machine", Cores: cores, Slots: jobs}}}
	for i := range jobs {
		size := min(1+rng.IntN(cores), 1+rng.IntN(cores))
		js.Jobs = append(js.Jobs, oneTask(i, 1, model.ConstRow(1, model.Time(1+rng.IntN(50))), model.Needs{Cores: int64(size)}))
	}
	return js
}

// hybridFlowShop has jobs that go through all stages in turn, FFc||Cmax: each stage has one to four machines that are alike, times are
// 1 to 99 ticks, uniformly (Ruiz and Vázquez-Rodríguez 2010).
func hybridFlowShop(jobs, stages int, seed uint64) *model.JobSet {
	rng := rand.New(rand.NewPCG(seed, 0))
	js := &model.JobSet{}
	var of []int // the stage of each slave
	for k := range stages {
		for m := range 1 + rng.IntN(4) {
			js.Slaves = append(js.Slaves, model.Slave{Name: fmt.Sprintf("s%d-%d", k+1, m+1), Class: fmt.Sprintf("s%d", k+1), Cores: 1, Slots: jobs})
			of = append(of, k)
		}
	}
	for i := range jobs {
		job := model.Job{Name: fmt.Sprintf("j%d", i+1), Kind: model.BestEffort, Weight: 1}
		for k := range stages {
			wcet, time := make([]model.Time, len(of)), model.Time(1+rng.IntN(99))
			for s := range wcet {
				if of[s] == k {
					wcet[s] = time
				}
			}
			st := oneTask(i, len(of), model.DenseRow(wcet), model.Needs{Cores: 1}).Stages[0]
			st.Name = fmt.Sprintf("op%d", k+1)
			job.Stages = append(job.Stages, st)
		}
		js.Jobs = append(js.Jobs, job)
	}
	return js
}

// lateJobs has jobs on machines that are alike, P|r|ΣwU: releases are spread over 90 % of
// the time that all of them take, and a job may wait for up to 9 % of it.
func lateJobs(jobs, machines int, seed uint64) *model.JobSet {
	rng := rand.New(rand.NewPCG(seed, 0))
	js, busy := weighedJobs(jobs, machines, model.Misses, rng)
	for i := range js.Jobs {
		job := &js.Jobs[i]
		job.Release = model.Time(rng.IntN(1 + busy*9/10))
		job.Deadline += model.Time(rng.IntN(1 + busy*9/100))
	}
	assembled(js)
	return js
}
