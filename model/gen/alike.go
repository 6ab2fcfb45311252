package gen

import (
	"fmt"
	"math/rand/v2"

	"downbeat/model"
)

// AlikeTiny is a set of 4 to 7 tasks of jobs that go through stages on slaves of two classes, whose members are alike: hybrid flow shops, and job sets
// of which tasks may run on either class.
func AlikeTiny(seed uint64) *model.JobSet {
	draw := rand.New(rand.NewPCG(seed, 21)).IntN
	js := &model.JobSet{Name: "groups", Heartbeat: 1 + model.Time(draw(4)/3)}
	for class := range 2 {
		s := model.Slave{Class: string(rune('a' + class)), Cores: 1, Slots: 1}
		if draw(2) == 0 {
			s.Slots = 7
		}
		for n := range 1 + draw(3) {
			s.Name = fmt.Sprint(s.Class, "-", n+1)
			js.Slaves = append(js.Slaves, s)
		}
	}
	kinds := draw(3)
	for left := 4 + draw(4); left > 0; {
		job := model.Job{Name: fmt.Sprint("j", len(js.Jobs)), Release: model.Time(draw(3)), Kind: model.BestEffort}
		if kinds > 0 {
			job.Kind, job.Deadline, job.Weight = model.Soft, model.Time(2+draw(7)), int64(1+draw(3))
		}
		if kinds == 2 && draw(2) == 0 {
			job.Kind, job.Weight = model.Hard, 0
		}
		for k := range min(left, 1+draw(3)) {
			wcet := make([]model.Time, len(js.Slaves))
			length, class := model.Time(1+draw(5)), draw(5)
			for s := range wcet {
				if on := int(js.Slaves[s].Class[0] - 'a'); class == 4 || on == class%2 {
					wcet[s] = length + model.Time(on)
				}
			}
			profile := model.NewProfile(model.DenseRow(wcet), model.ConstRow(len(wcet), 0))
			job.Stages = append(job.Stages, model.Stage{Name: fmt.Sprint("s", k), Groups: []model.Group{{Count: 1, Profile: profile}}})
			left--
		}
		js.Jobs = append(js.Jobs, job)
	}
	js.Objectives = [][]model.Objective{
		{model.Makespan}, {model.Misses, model.Makespan}, {model.Tardiness}, {model.WeightedTardiness},
	}[draw(4)]
	if err := js.Assemble(); err != nil {
		panic(err) // what is drawn can be assembled
	}
	return js
}
