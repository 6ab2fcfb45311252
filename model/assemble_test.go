package model_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"downbeat/model"
	"downbeat/model/gen"
)

// drawJobSet gives an assembled set with the features of [gen.Tiny].
func drawJobSet(t *rapid.T) *model.JobSet {
	return gen.Small(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(3, 14).Draw(t, "tasks"))
}

func TestAssembleNumbersTasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		js := drawJobSet(t)
		next := model.TaskID(0)
		for id := range js.Jobs {
			j := &js.Jobs[id]
			if j.First != next {
				t.Fatalf("job %d starts at task %d, want %d", id, j.First, next)
			}
			for si := range j.Stages {
				st := &j.Stages[si]
				number := int32(0)
				for _, g := range st.Groups {
					for range g.Count {
						number++
						want := model.Task{Profile: g.Profile, Job: model.JobID(id), Stage: int32(si), Number: number, Slot: st.Slot}
						if js.Tasks[next] != want {
							t.Fatalf("task %d is %+v, want %+v", next, js.Tasks[next], want)
						}
						next++
					}
				}
				if st.End != next {
					t.Fatalf("stage %d of job %d ends at %d, want %d", si, id, st.End, next)
				}
			}
			if j.End != next {
				t.Fatalf("job %d ends at %d, want %d", id, j.End, next)
			}
		}
		digest := js.Digest()
		if err := js.Assemble(); err != nil || js.Digest() != digest || len(js.Tasks) != int(next) {
			t.Fatalf("assembling twice changes the set: %v", err)
		}
	})
}

func TestSubsetIsTheSetBuiltOfThoseJobs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		js := drawJobSet(t)
		whole := js.Digest()
		var pick []model.JobID
		for _, id := range rapid.Permutation([]model.JobID{0, 1, 2}).Draw(t, "order") {
			if int(id) < len(js.Jobs) && (len(pick) == 0 || rapid.Bool().Draw(t, "in")) {
				pick = append(pick, id)
			}
		}
		built := *js
		built.Jobs, built.Tasks = nil, nil
		for _, id := range pick {
			j := js.Jobs[id]
			j.Stages = slices.Clone(j.Stages)
			built.Jobs = append(built.Jobs, j)
		}
		if err := built.Assemble(); err != nil {
			t.Fatal(err)
		}
		sub := js.Subset(pick)
		if sub.Digest() != built.Digest() {
			t.Fatalf("the subset %v means something else than the set of these jobs", pick)
		}
		for i := range sub.Tasks {
			got, want := sub.Tasks[i], built.Tasks[i]
			if got.Job != want.Job || got.Stage != want.Stage || got.Number != want.Number || got.Slot != want.Slot || sub.TaskName(model.TaskID(i)) != built.TaskName(model.TaskID(i)) {
				t.Fatalf("task %d is %+v, want %+v", i, got, want)
			}
			if got.Profile != js.Tasks[js.Jobs[pick[got.Job]].First+model.TaskID(i)-sub.Jobs[got.Job].First].Profile {
				t.Fatalf("task %d does not share its profile with the whole", i)
			}
		}
		if js.Digest() != whole {
			t.Fatal("Subset changed the whole")
		}
	})
}
