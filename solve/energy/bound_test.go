package energy_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/solve/energy"
)

// certificateClash has two jobs of three tasks of 10 each for two cores in 30 ticks.
const certificateClash = `
version: 1
cluster:
  heartbeat: 10
  slaves:
    - {name: fast, count: 2, cores: 1, slots: 2}
    - {name: slow, cores: 4, slots: 4}
jobs:
  - {name: etl, deadline: 30, hard: true, map: {tasks: 3, wcet: {fast: 10, slow: 40}}}
  - {name: ads, deadline: 30, hard: true, map: {tasks: 4, wcet: {fast: 10}}}
`

// trio has three soft jobs, any two of which can be in time: two tasks of 10
// each for one slave with one core in 40 ticks.
const trio = `
version: 1
cluster: {heartbeat: 1, slaves: [{name: one, cores: 1, slots: 2}]}
jobs:
  - {name: a, deadline: 40, weight: 3, map: {tasks: 2, wcet: 10}}
  - {name: b, deadline: 40, weight: 2, map: {tasks: 2, wcet: 10}}
  - {name: c, deadline: 40, weight: 5, map: {tasks: 2, wcet: 10}}
  - {name: d, deadline: 9, weight: 4, map: {tasks: 1, wcet: 10}}
`

func TestRecheckFindsTampering(t *testing.T) {
	js := mustLoad(t, trio)
	want := map[model.Objective]int64{
		model.Misses:            6,  // d alone, and b, the lightest of a, b, c
		model.Tardiness:         30, // 70 ticks from 0
		model.WeightedTardiness: 4*1 + 2*20,
		model.Makespan:          70,
	}
	tampers := []struct {
		name  string
		spoil func(*proof.EnergyBound)
		says  string
	}{
		{"a value too high", func(c *proof.EnergyBound) { c.Value++ }, ""},
		{"an argument lost", func(c *proof.EnergyBound) { c.Overloads, c.Grace = c.Overloads[1:], c.Grace[1:] }, "prove"},
		{"a need too high", func(c *proof.EnergyBound) { c.Overloads[0].Need++ }, "argument 1"},
		{"a job twice", func(c *proof.EnergyBound) {
			c.Overloads[0].Jobs = append(slices.Clone(c.Overloads[0].Jobs), c.Overloads[0].Jobs[0])
		}, "argument 1"},
		{"an argument without its grace", func(c *proof.EnergyBound) { c.Grace = nil }, "hang together"},
		{"a negative grace", func(c *proof.EnergyBound) { c.Grace[0] = -1 }, "grace"},
	}
	for o := range lowers {
		if v, cert := lowers[o](context.Background(), js); v != want[o] || cert.Value != v {
			t.Errorf("%s: bound %d, want %d", o, v, want[o])
		}
		for _, tamper := range tampers {
			_, c := lowers[o](context.Background(), js)
			tamper.spoil(c)
			_, _, err := energy.Recheck(context.Background(), js, c)
			if err == nil {
				t.Errorf("%s: %s: not noticed", o, tamper.name)
			} else if !strings.Contains(err.Error(), tamper.says) {
				t.Errorf("%s: %s: %v", o, tamper.name, err)
			}
		}
	}
}

// In weighted tardiness no job may pay for two arguments.
func TestRecheckCountsNoJobTwice(t *testing.T) {
	js := mustLoad(t, trio)
	_, c := energy.WeightedTardiness(context.Background(), js)
	last := len(c.Overloads) - 1
	c.Overloads = append(c.Overloads, c.Overloads[last])
	c.Grace = append(c.Grace, c.Grace[last])
	if _, _, err := energy.Recheck(context.Background(), js, c); err == nil || !strings.Contains(err.Error(), "has paid already") {
		t.Errorf("the same argument twice: %v", err)
	}
}

// Overloaded sets of a hundred jobs, of many needs and weights: listing the
// ways to choose late jobs took up to a minute, and on some ended in an error.
func TestRecheckOfManyJobs(t *testing.T) {
	for _, seed := range []uint64{5, 6, 66}[:testkit.Sets(1, 3)] {
		tasks, slaves := 50+int(seed%10)*100, 2+int(seed%13)
		k := gen.Knobs{
			Tasks: gen.Range{Lo: tasks, Hi: tasks}, FirstStage: gen.Range{Lo: 2, Hi: 12}, LaterStage: gen.Range{Lo: 1, Hi: 5},
			Shapes: [4]int{1, 0, 1, 0},
			Slaves: gen.Range{Lo: slaves, Hi: slaves}, Cores: gen.Range{Lo: 1, Hi: 4}, SpareSlots: gen.Range{Lo: 0, Hi: 1},
			Heartbeat: gen.Range{Lo: 1, Hi: 3}, Stagger: 1, Down: 0.2, DownAt: gen.Range{Lo: 20, Hi: 200}, DownFor: gen.Range{Lo: 5, Hi: 20},
			WCET: gen.Range{Lo: 3, Hi: 30}, Transfer: gen.Range{Lo: 1, Hi: 6}, Speeds: gen.Range{Lo: 100, Hi: 200},
			Local: 0.5, Barred: 0.2, Load: 120 + int(seed%7)*20, Hard: 0.1 * float64(seed%3), Weight: gen.Range{Lo: 1, Hi: 9},
			Tightness: gen.Range{Lo: 110, Hi: 130 + int(seed%5)*60}, Witness: 1,
			Objectives: [][]model.Objective{nil},
		}
		js, _ := gen.Random(k, seed)
		v, c := energy.Misses(context.Background(), js)
		proved, _, err := energy.Recheck(context.Background(), js, c)
		t.Logf("seed %d: %d jobs, %d of %d proved", seed, len(js.Jobs), proved, v)
		if err != nil || v == 0 || 100*proved < 95*v {
			t.Errorf("seed %d: %d of %d proved: %v", seed, proved, v, err)
		}
	}
}

func TestCertificateSentences(t *testing.T) {
	soft := mustLoad(t, strings.ReplaceAll(certificateClash, "hard: true", "weight: 2"))
	for _, c := range []struct {
		objective model.Objective
		want      string
	}{
		{model.Misses, `every plan misses the deadlines of at least 2 of weight
at least one of etl and ads is late: jobs etl and ads need 70 core-ticks on fast-* in [0, 30); there are 60`},
		{model.Tardiness, `every plan has a soft job that is at least 5 late
with soft jobs allowed to be 4 late: jobs etl and ads need 70 core-ticks on fast-* in [0, 34); there are 68`},
		{model.Makespan, `no plan ends before 35
with everything due at 34: jobs etl and ads need 70 core-ticks on fast-* in [0, 34); there are 68`},
		{model.WeightedTardiness, `every plan has a weighted tardiness of at least 10
with soft jobs allowed to be 4 late: jobs etl and ads need 70 core-ticks on fast-* in [0, 34); there are 68`},
	} {
		_, cert := lowers[c.objective](context.Background(), soft)
		if got := strings.Join(energy.Sentences(soft, cert), "\n"); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.objective, got, c.want)
		}
	}
	hard := mustLoad(t, certificateClash)
	if v, cert := energy.Tardiness(context.Background(), hard); v != 0 || len(cert.Overloads) != 0 {
		t.Errorf("hard jobs only: a tardiness of %d by %v", v, energy.Sentences(hard, cert))
	}
}

// What a bound says where jobs are late by themselves, where several of a set
// must be, and where nothing is proved.
func TestSentencesOfTrio(t *testing.T) {
	light := strings.NewReplacer("weight: 3, ", "", "weight: 2, ", "", "weight: 5, ", "", "weight: 4, ", "")
	for _, c := range []struct {
		text      string
		objective model.Objective
		want      []string
	}{
		{trio, model.WeightedTardiness, []string{"with d allowed to be 0 late: job d", "beyond what each is late by anyway"}},
		{trio, model.Misses, []string{"d is late: job d cannot finish before 10", "of weight"}},
		{light.Replace(trio), model.Misses, []string{"at least 2 soft jobs"}},
		{strings.ReplaceAll(light.Replace(trio), "deadline: 40", "deadline: 20"), model.Misses, []string{"at least 2 of a, b and c are late"}},
		{strings.ReplaceAll(light.Replace(trio), "deadline: 9", "deadline: 99"), model.Misses, []string{"at least 1 soft job\n"}},
		{strings.ReplaceAll(trio, "deadline: ", "deadline: 10"), model.Tardiness, []string{"no bound on tardiness beyond 0"}},
	} {
		js := mustLoad(t, c.text)
		_, cert := lowers[c.objective](context.Background(), js)
		got := strings.Join(energy.Sentences(js, cert), "\n")
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in\n%s", c.objective, want, got)
			}
		}
	}
}

// Claims that no argument stands for are refused.
func TestRecheckRefusesBareClaims(t *testing.T) {
	soft, hard := mustLoad(t, trio), mustLoad(t, certificateClash)
	ofHardJobs := &proof.EnergyBound{Objective: model.Tardiness, Value: 1}
	ofHardJobs.Add(energy.Infeasible(context.Background(), hard), 0)
	for _, c := range []struct {
		js   *model.JobSet
		cert *proof.EnergyBound
		says string
	}{
		{soft, &proof.EnergyBound{Objective: model.Makespan, Value: 1}, "prove makespan of at least 0, not 1"},
		{soft, &proof.EnergyBound{Objective: model.HardMisses, Value: 1}, "no bound is known"},
		{hard, ofHardJobs, "names no soft job"},
	} {
		if _, _, err := energy.Recheck(context.Background(), c.js, c.cert); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, not %q", err, c.says)
		}
	}
}
