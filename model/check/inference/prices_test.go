package inference

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
)

// spec is a price as written, and paid what a task pays of it at a placement, tick by tick.
type spec struct {
	model.ResourceID
	model.SlaveID
	from, to model.Time
	price    int64
}

func (p *spec) paid(js *model.JobSet, t model.TaskID, at model.Placement) int64 {
	task := &js.Tasks[t]
	if at.Slave != p.SlaveID {
		return 0
	}
	held, sum := js.Held(task, at, p.ResourceID.Hold()), int64(0)
	for tick := held.Start; tick < held.End; tick++ {
		beat := tick >= js.Slaves[p.SlaveID].FirstBeat && (tick-js.Slaves[p.SlaveID].FirstBeat)%js.Heartbeat == 0
		if p.from <= tick && tick < p.to && (p.ResourceID.Hold() != model.HoldStay || beat) {
			sum += p.price * js.Need(task, at.Slave, p.ResourceID)
		}
	}
	return sum
}

// known is a plan that a question asks for, with what is known of it, and prices.
type known struct {
	js       *model.JobSet
	rng      *rand.Rand
	plan     model.Schedule
	finishes []model.Time
	st       *state
	specs    []spec
}

func within(rng *rand.Rand, n model.Time) model.Time { return model.Time(rng.Int64N(int64(n))) }

// question asks for the plan: each job is must by its finish or later, may, or let go.
func (k *known) question() *question {
	q := &question{limits: unlimited}
	for _, o := range limited {
		q.limits[o] = k.js.Value(o, k.finishes) + k.rng.Int64N(2)
	}
	for i := range k.js.Jobs {
		a := asked{model.JobID(i), role(k.rng.IntN(2)), k.finishes[i] + within(k.rng, 4)}
		if k.rng.IntN(5) == 0 {
			a.role, a.by = may, max(0, k.finishes[i]-1-within(k.rng, 5))
		}
		q.jobs = append(q.jobs, a)
	}
	return q
}

// settle gives the plan the form that a state may take it to have.
func (k *known) settle() {
	for at := range k.st.places {
		p := &k.st.places[at]
		t := k.st.tasks[p.task].id
		place := &k.plan[t]
		switch {
		case place.Slave != p.slave:
			continue
		case p.tied && k.st.ample[p.slave] && !k.js.FIFO:
			place.Start = place.Fetch + p.fetch
		case p.tied:
			place.Fetch = place.Start - p.fetch
		}
		if !k.js.FIFO {
			place.Beat, _ = k.js.BeatAtOrBefore(p.slave, place.Fetch)
		}
	}
}

// assume takes some statements that are true of the plan.
func (k *known) assume() {
	st := k.st
	integer := func(v int32, is model.Time) {
		if k.rng.IntN(3) == 0 {
			st.assume(literal{false, v, is + within(k.rng, 3)})
		}
		if k.rng.IntN(3) == 0 {
			st.assume(literal{true, v, is - 1 - within(k.rng, 3)})
		}
	}
	for n := range st.jobs {
		j := &st.jobs[n]
		job := &k.js.Jobs[j.job]
		if k.finishes[j.job] > j.by {
			if k.rng.IntN(2) == 0 {
				st.assume(literal{true, j.end, j.by})
			}
			continue
		}
		integer(j.end, k.finishes[j.job])
		over := make([]model.Time, len(job.Stages))
		for t := job.First; t < job.End; t++ {
			p, of := k.plan[t], &st.tasks[st.local['T'][t]]
			finish := k.js.Finish(t, p)
			over[k.js.Tasks[t].Stage] = max(over[k.js.Tasks[t].Stage], finish)
			if k.rng.IntN(2) == 0 {
				integer(of.start, p.Start)
				integer(of.fetch, p.Fetch)
				integer(of.finish, finish)
			}
			for at := of.place; at < of.end; at++ {
				if k.rng.IntN(6) == 0 {
					st.assume(literal{st.places[at].slave == p.Slave, 1 + at, 0})
				}
			}
		}
		for s, end := range over {
			integer(st.stages[j.stage+int32(s)].over, end)
		}
	}
	st.consequences()
}

// prices draws a line of multipliers, and has it read.
func (k *known) prices(id int64) *multipliers {
	end := slices.Max(k.finishes) + 4
	var words []string
	for s := range model.SlaveID(len(k.js.Slaves)) {
		for _, supply := range k.js.Supplies(s) {
			for at := within(k.rng, end); at < end && k.rng.IntN(4) > 0; {
				p := spec{supply.Resource, s, at, at + 1 + within(k.rng, 5), 1 + k.rng.Int64N(9)}
				words = append(words, fmt.Sprintf("%d.%d.%d.%d.%d", p.ResourceID, s, p.from, p.to, p.price))
				k.specs = append(k.specs, p)
				at = p.to + within(k.rng, 3)
			}
		}
	}
	for _, limit := range limited {
		if k.rng.IntN(3) == 0 {
			words = append(words, fmt.Sprintf("%s.%d", limit.InProofs(), 1+k.rng.Int64N(30)))
		}
	}
	return k.read(fmt.Sprintf("%d %s", id, strings.Join(words, " ")))
}

func (k *known) read(line string) *multipliers {
	k.st.last, k.st.rest = 0, rest{left: []byte(strings.TrimSuffix(line, " "))}
	if k.st.readMultipliers(); k.st.err != nil {
		panic(line + ": " + k.st.err.Error())
	}
	return k.st.multipliers[k.st.last]
}

// pays is what a job of the question pays in the plan.
func (k *known) pays(m *multipliers, j *job) int64 {
	spec := &k.js.Jobs[j.job]
	late := max(0, k.finishes[j.job]-k.js.Jobs[j.job].Due())
	sum := int64(0)
	switch {
	case j.role == may && j.by < k.js.Jobs[j.job].Due() && k.finishes[j.job] > j.by, late == 0:
	case spec.Kind == model.Hard:
		sum = m.ofLimits[model.HardMisses]
	case spec.Kind == model.Soft:
		sum = m.ofLimits[model.Misses] * spec.Weight
		if j.role == must {
			sum += m.ofLimits[model.WeightedTardiness] * spec.Weight * int64(late)
		}
	}
	for t := spec.First; t < spec.End && k.finishes[j.job] <= j.by; t++ {
		for p := range k.specs {
			sum += k.specs[p].paid(k.js, t, k.plan[t])
		}
	}
	return sum
}

// TestNobodyPaysMoreThanInAPlan: whatever is known of a plan, and whatever the prices, a
// job pays in it what the checker says that it pays at least, or more, and all together
// no more than all is worth.
func TestNobodyPaysMoreThanInAPlan(t *testing.T) {
	testkit.OneGoroutine(t)
	paid, most := int64(0), int64(0)
	for seed := range testkit.Sets[uint64](400, 10_000) {
		rng := rand.New(rand.NewPCG(seed, 18))
		js, plan := planned(t, rng, seed)
		for range 4 {
			k := &known{js: js, rng: rng, plan: slices.Clone(plan), finishes: js.Finishes(plan)}
			c := newChecker(t.Context(), js, strings.NewReader(""))
			c.measure(1)
			k.st = c.newState(k.question())
			k.st.root()
			k.settle()
			k.finishes = js.Finishes(k.plan)
			k.assume()
			if k.st.dead {
				t.Fatalf("seed %d: a state contradicts a plan", seed)
			}
			m := k.prices(2)
			for n := range k.st.jobs {
				is, least := k.pays(m, &k.st.jobs[n]), k.st.pays(m, int32(n))
				if least > is {
					t.Fatalf("seed %d: job %d pays %d in a plan, and %d at the least", seed, k.st.jobs[n].job, is, least)
				}
				paid, most = paid+least, most+is
			}
			if k.st.overpaid([]int64{k.st.last}) == nil {
				t.Fatalf("seed %d: a plan pays more than all is worth", seed)
			}
		}
	}
	t.Logf("the least is %d %% of what is paid", 100*paid/max(1, most))
	if paid < most/3 {
		t.Error("next to nothing was paid")
	}
}

// planned is a set and a plan of it, which may miss hard deadlines.
func planned(t *testing.T, rng *rand.Rand, seed uint64) (*model.JobSet, model.Schedule) {
	t.Helper()
	js := gen.Tiny(seed)
	switch seed % 4 {
	case 0, 2:
		js = gen.TodaySmall(seed, 3+rng.IntN(8))
	case 1:
		if js = gen.Kindred(rng, 2+rng.IntN(9)); js.Assemble() != nil {
			t.Fatalf("seed %d is no set", seed)
		}
	}
	plan := heuristics.Complete(js, model.NewSchedule(len(js.Tasks)))
	if len(js.Tasks) <= 4 && rng.IntN(2) == 0 {
		answer, err := oracle.SolveFor(js, []model.Objective{model.Makespan}, true)
		if err != nil {
			t.Fatal(err)
		}
		plan = answer.Schedule
	}
	if err := check.Schedule(js, plan, true).Err(); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return js, plan
}

// TestPricesThatAreNone: what a line of prices may not say.
func TestPricesThatAreNone(t *testing.T) {
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: 1, Slots: 1}}}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	c := newChecker(t.Context(), js, strings.NewReader(""))
	c.measure(1)
	read := func(lines ...string) error {
		st := c.newState(&question{limits: unlimited})
		for _, line := range lines {
			st.rest = rest{left: []byte(line)}
			st.readMultipliers()
			st.end()
		}
		err := c.err
		c.err = nil
		return err
	}
	good := []string{"1 0.0.2.5.7 2.0.0.9.1 0.0.5.6.3", "2 0.0.1.2.1 misses.4 weighted.9 misses.1", "3"}
	if err := read(good...); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		"3", "4 ", "4 0.0.2.5", "4 0.0.2.5.7.1", "4 0.0.2.5.0", "4 0.0.2.5.-1", "4 0.0.5.5.1", "4 0.0.-1.5.1", "4 0.1.2.5.7",
		"4 0.0.2.5.7 0.0.4.6.1", "4 4.0.2.5.7", "4 120.0.2.5.7", "4 3.0.2.5.7", "4 0.0.0.1099511627777.1", "4 x.0.2.5.7",
		"4 0.0.2.5.288230376151711744", "4 0.0.2.5.100000000000000000", "4 misses", "4 misses.0", "4 misses.1.1", "4 hits.1",
		"4 .", "4 1.2", "4 0..0.2.5.7",
	} {
		if err := read(append(good, bad)...); err == nil {
			t.Errorf("%q passes", bad)
		}
	}
}
