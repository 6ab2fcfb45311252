package inference

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/proof"
)

// plainLeast is the least cost of a job straight from its statement: every stage,
// from the last on, for every time at which it may be handed out and may end.
func plainLeast(p *subproblem) int64 {
	if p.due < p.job.Release {
		return p.most
	}
	after := make([]int64, p.due+1)
	for k := len(p.job.Stages) - 1; k >= 0; k-- {
		after = plainStage(p, k, after)
	}
	return after[p.job.Release]
}

// plainStage is the least cost of a stage and of what comes after it, by when it may be handed out; after is that of the latter, by when the stage ends.
func plainStage(p *subproblem, k int, after []int64) []int64 {
	from := slices.Repeat([]int64{p.most}, len(after))
	for ready := p.job.Release; ready <= p.due; ready++ {
		for end := ready; end <= p.due; end++ {
			cost := after[end]
			for t := p.job.Stages[k].First; t < p.job.Stages[k].End; t++ {
				cost += plainTask(p, t, ready, end)
			}
			from[ready] = min(from[ready], cost)
		}
	}
	return from
}

// plainTask is the least cost, up to most, of a task that is handed out at ready or
// later and finishes by end.
func plainTask(p *subproblem, t model.TaskID, ready, end model.Time) int64 {
	task, left, least := &p.js.Tasks[t], &p.left[t], p.most
	for s := range model.SlaveID(len(p.js.Slaves)) {
		hold, cost := task.Transfer(s)+task.WCET(s), p.prices.costOf(t, s)
		for beat := max(ready, left.assignFrom); task.Eligible(s) && !left.bars(s) && beat < end; beat++ {
			if beat < p.js.Slaves[s].FirstBeat || (beat-p.js.Slaves[s].FirstBeat)%p.js.Heartbeat != 0 {
				continue
			}
			for fetch := beat; fetch < beat+p.js.Heartbeat; fetch++ {
				for finish := fetch + hold; finish <= end; finish++ {
					away := !p.js.Slaves[s].Up(during(beat, finish))
					if away || fetch < left.fetch.Start || fetch > left.fetch.End || finish < left.finish.Start || finish > left.finish.End {
						continue
					}
					least = min(least, cost.of(model.HoldStay, beat, finish)+
						cost.of(model.HoldFetch, fetch, fetch+task.Transfer(s))+cost.of(model.HoldRun, finish-task.WCET(s), finish))
				}
			}
		}
	}
	return least
}

// randomMultipliers are some on every resource of every slave.
func randomMultipliers(r *rand.Rand, js *model.JobSet, end model.Time) []proof.Multiplier {
	var out []proof.Multiplier
	for s := range model.SlaveID(len(js.Slaves)) {
		for _, has := range js.Supplies(s) {
			for range r.IntN(6) {
				from := r.Int64N(int64(end))
				out = append(out, proof.Multiplier{
					Slave: s, Resource: has.Resource, Value: 1 + r.Int64N(20),
					Interval: during(model.Time(from), model.Time(from+1+r.Int64N(int64(end)-from))),
				})
			}
		}
	}
	return out
}

// randomDomains leave out a little here and there.
func randomDomains(r *rand.Rand, js *model.JobSet, end model.Time) []domain {
	left := make([]domain, len(js.Tasks))
	some := func() model.Time { return model.Time(r.Int64N(1 + int64(end))) }
	for t := range left {
		left[t] = anywhere
		switch d := &left[t]; r.IntN(12) {
		case 0:
			d.assignFrom = some()
		case 1:
			d.fetch.Start = some()
		case 2:
			d.fetch.End = some()
		case 3:
			d.finish.Start = some()
		case 4:
			d.finish.End = some()
		case 5:
			d.bar(model.SlaveID(r.IntN(len(js.Slaves))))
		}
	}
	return left
}

// What a job pays at least is what enumeration finds; with coarse steps it is no more.
func TestLeastCostAgainstEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(81, 1))
	knobs := gen.TinyKnobs()
	knobs.Tasks, knobs.LaterStage = gen.Range{Lo: 3, Hi: 12}, gen.Range{Lo: 1, Hi: 4}
	knobs.Shapes[gen.ThreeStages] = 8
	exact, lower, paid := 0, 0, 0
	for set := range testkit.Sets(250, 10_000) {
		js, _ := gen.Random(knobs, r.Uint64())
		end := model.Time(4 + r.IntN(24))
		supplies, worth, err := tariffOf(js, randomMultipliers(r, js, end), end)
		if err != nil {
			t.Fatal(err)
		}
		left := randomDomains(r, js, end)
		for i := range js.Jobs {
			p := subproblem{
				js: js, job: &js.Jobs[i], due: end - model.Time(r.IntN(3)), most: worth + 1, prices: supplies,
				left: left, steps: mostSteps, pace: &pace{ctx: context.Background()},
			}
			want := plainLeast(&p)
			got := p.least()
			p.steps = 1 + model.Time(r.IntN(60))
			coarse := p.least()
			if got != want || coarse > want {
				t.Fatalf("set %d, job %s: at least %d, in coarse steps %d, by enumeration %d", set, js.Jobs[i].Name, got, coarse, want)
			}
			switch {
			case want > 0 && want < p.most && coarse < want:
				lower++
			case want > 0 && want < p.most:
				exact++
			}
			if want > 0 {
				paid++
			}
		}
	}
	if exact < 100 || lower == 0 {
		t.Errorf("one-sided: of %d jobs that pay %d have exact costs and %d lower ones", paid, exact, lower)
	}
}

// What is long looks at the context, and what is short does not.
func TestLongRechecksAreInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	short, due, d := oneCore(t)
	if surplus, err := Surplus(ctx, short, due, d); err != nil || surplus != 20 {
		t.Errorf("a short recheck: a surplus of %d, %v", surplus, err)
	}
	const jobs = 400
	end := model.Time(1 << 20)
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: 1, Slots: 2}}}
	for range jobs {
		js.Jobs = append(js.Jobs, soleTask("a", 0, end, 0, on{5}))
	}
	js.Jobs[0].Stages = append(js.Jobs[0].Stages, mapStage(3, on{7}))
	for i := range js.Jobs {
		js.Jobs[i].Name += string(rune('a' + i))
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	long := &proof.DualBound{Penalty: make([]int64, jobs)}
	for i := range long.Penalty {
		long.Penalty[i] = 10
	}
	asked := &pace{ctx: ctx}
	if _, err := bound(asked, js, deadlines(js), long, nil); err == nil {
		t.Error("a recheck of 400 jobs over a million ticks came to its end")
	}
	if asked.steps > stride {
		t.Errorf("%d steps after the context was found to be done", asked.steps)
	}
}
