package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// linked is a set of one slave with jobs of one-task stages: by job the stages that
// each stage comes after, and the jobs that the job comes after.
func linked(after [][]int32, jobs ...Job) *JobSet {
	js := &JobSet{Heartbeat: 1, Slaves: []Slave{{Name: "s", Cores: 1, Slots: 1}}, Jobs: jobs}
	p := NewProfile(ConstRow(1, 1), ConstRow(1, 0))
	for i := range js.Jobs {
		js.Jobs[i].Name = string(rune('a' + i))
		for k, before := range after {
			js.Jobs[i].Stages = append(js.Jobs[i].Stages, Stage{
				Name: fmt.Sprint("s", k), After: slices.Clone(before), Groups: []Group{{Count: 1, Profile: p}},
			})
		}
	}
	return js
}

// TestGraph: a job of four stages, two of which come after the first and one after
// those; written from the back, and two such jobs one after the other.
func TestGraph(t *testing.T) {
	diamond := [][]int32{{1, 2}, {3}, {3}, {}}
	js := linked(diamond, Job{After: []JobID{1}}, Job{})
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	for id, want := range [][]StageID{{1, 2}, {3}, {3}, {4}, {5, 6}, {7}, {7}, nil} {
		if got := js.Before(StageID(id)); !slices.Equal(got, want) {
			t.Errorf("before stage %d: %v, not %v", id, got, want)
		}
		for _, before := range want {
			if !slices.Contains(js.Next(before), StageID(id)) {
				t.Errorf("stage %d does not wait for %d", id, before)
			}
		}
	}
	if got, want := js.StageOrder(), []StageID{7, 5, 6, 4, 3, 1, 2, 0}; !slices.Equal(got, want) {
		t.Errorf("in the order %v, not %v", got, want)
	}
	if js.Jobs[0].Chain() || !js.JobsLinked() || !slices.Equal(js.JobOrder(), []JobID{1, 0}) {
		t.Error("a diamond is a chain, or jobs are not linked")
	}
	if st, job := js.Stage(6); st.Name != "s2" || job != 1 || js.StageOf(&js.Tasks[6]) != 6 || js.Stages() != 8 {
		t.Errorf("stage 6 is %s of job %d", st.Name, job)
	}
}

func TestChain(t *testing.T) {
	js := linked([][]int32{nil, nil, {1}}, Job{})
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	if !js.Jobs[0].Chain() || js.JobsLinked() || !slices.Equal(js.Jobs[0].Order(), []int32{0, 1, 2}) || !slices.Equal(js.Before(2), []StageID{1}) {
		t.Error("stages without after are no chain")
	}
}

func TestCycles(t *testing.T) {
	for _, c := range []struct {
		js   *JobSet
		want string
	}{
		{linked([][]int32{{}, {2}, {3}, {1}}, Job{}), "s3, s2, s1"},
		{linked([][]int32{{0}}, Job{}), "s0"},
		{linked([][]int32{{}}, Job{After: []JobID{1}}, Job{After: []JobID{2}}, Job{After: []JobID{0}}), "c, b, a"},
		{linked([][]int32{{5}}, Job{}), "a stage that there is not"},
		{linked([][]int32{{}}, Job{After: []JobID{1}}), "a job that there is not"},
	} {
		if err := c.js.Assemble(); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%v, not about %s", err, c.want)
		}
	}
}

// TestSubsetLinks: of a chain of three jobs the outer two stay in order without the
// one between them.
func TestSubsetLinks(t *testing.T) {
	js := linked([][]int32{{}}, Job{}, Job{After: []JobID{0}}, Job{After: []JobID{1}})
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	sub := js.Subset([]JobID{2, 0})
	if !slices.Equal(sub.Jobs[0].After, []JobID{1}) || sub.Jobs[1].After != nil || !slices.Equal(sub.Before(0), []StageID{1}) {
		t.Errorf("after %v and %v", sub.Jobs[0].After, sub.Jobs[1].After)
	}
}

// TestNeeds: a task of two cores and four units of memory is barred from slaves that
// have less, and tasks of different needs are not equal.
func TestNeeds(t *testing.T) {
	p := NewProfile(ConstRow(4, 5), ConstRow(4, 0))
	big := p.Needing(Needs{Cores: 2, Units: [MaxNamed]int64{4}})
	js := &JobSet{
		Heartbeat: 1, Named: []string{"memory"},
		Slaves: []Slave{
			{Name: "a", Cores: 2, Slots: 2, Units: []int64{4}}, {Name: "b", Cores: 1, Slots: 2, Units: []int64{4}},
			{Name: "c", Cores: 2, Slots: 2, Units: []int64{3}}, {Name: "d", Cores: 4, Slots: 4},
		},
		Jobs: []Job{{Name: "j", Stages: []Stage{{Name: "s", Groups: []Group{{Count: 1, Profile: p}, {Count: 1, Profile: big}, {Count: 1, Profile: p.Needing(Needs{Cores: 1})}}}}}},
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	for s, want := range []bool{true, false, false, false} {
		if got := js.Tasks[1].Eligible(SlaveID(s)); got != want {
			t.Errorf("eligible on slave %d: %t", s, got)
		}
	}
	if js.Tasks[0].Profile == js.Tasks[1].Profile || js.Tasks[0].Profile != js.Tasks[2].Profile {
		t.Error("equal tasks are those of equal figures and needs")
	}
	memory := FirstNamed
	if got, want := js.Supplies(0), []Supply{{Cores, HoldRun, 2}, {MapSlots, HoldStay, 2}, {FetchLine, HoldFetch, 1}, {memory, HoldStay, 4}}; !slices.Equal(got, want) {
		t.Errorf("slave a has %v", got)
	}
	if js.Need(&js.Tasks[1], 0, Cores) != 2 || js.Need(&js.Tasks[1], 0, memory) != 4 || js.Need(&js.Tasks[0], 0, memory) != 0 {
		t.Error("needs are not those that were given")
	}
	if js.ResourceName(memory) != "memory" || js.ResourceName(Cores) != "core" || memory.Hold() != HoldStay || memory.Rule() != "C9" {
		t.Error("memory is held from assignment to finish by C9")
	}
	js.Slaves[1].Cores = 2
	if err := js.Assemble(); err != nil || js.Tasks[1].WCET(1) != 5 || js.Tasks[1].Eligible(2) {
		t.Errorf("with a core more b has enough, and c has not, %v", err)
	}
	if g := js.Jobs[0].Stages[0].Groups; !g[1].Declared().Eligible(2) || g[0].Declared() != g[0].Profile {
		t.Error("declared are the figures on slaves that have too little as well")
	}
	js.Jobs[0].Stages[0].Groups[0].Profile = p.Needing(Needs{Cores: 5})
	if err := js.Assemble(); err == nil {
		t.Error("a task of five cores fits nowhere")
	}
}

// TestWithBefore: b and d come after a, c after b.
func TestWithBefore(t *testing.T) {
	js := linked([][]int32{nil}, Job{}, Job{After: []JobID{0}}, Job{After: []JobID{1}}, Job{After: []JobID{0}})
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ jobs, want []JobID }{
		{[]JobID{2}, []JobID{0, 1, 2}}, {[]JobID{3}, []JobID{0, 3}}, {[]JobID{3, 0, 1}, []JobID{0, 1, 3}}, {nil, nil},
	} {
		if got := js.WithBefore(c.jobs); !slices.Equal(got, c.want) {
			t.Errorf("%v with those before: %v, not %v", c.jobs, got, c.want)
		}
	}
}
