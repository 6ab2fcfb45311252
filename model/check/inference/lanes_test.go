package inference

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
)

// sidewise looks for the least that a job costs with no more of its first stage's tasks on a slave at a time than it has cores for, by all placements of these
// tasks, one by one.
type sidewise struct {
	p     *subproblem
	after []int64 // what comes after the first stage costs, by when that ends
	end   model.Time
	used  [][]int64 // cores, by slave and tick
	least int64
}

// seat is what a task costs that finishes on a slave at a time, at least.
type seat struct {
	slave  model.SlaveID
	finish model.Time
	cost   int64
}

// seats are those of a task, by enumeration.
func (w *sidewise) seats(t model.TaskID) (out []seat) {
	before := *w.p
	defer func() { *w.p = before }()
	for s := range model.SlaveID(len(w.p.js.Slaves)) {
		for finish := w.p.job.Release; finish <= w.end; finish++ {
			left := slices.Clone(before.left)
			for k := range w.p.js.Slaves {
				if model.SlaveID(k) != s {
					left[t].bar(model.SlaveID(k))
				}
			}
			left[t].finish.Start, left[t].finish.End = max(left[t].finish.Start, finish), min(left[t].finish.End, finish)
			if w.p.left = left; left[t].finish.Start > left[t].finish.End {
				continue
			}
			if cost := plainTask(w.p, t, w.p.job.Release, finish); cost < w.p.most {
				out = append(out, seat{s, finish, cost})
			}
		}
	}
	return out
}

// from goes through the placements of the tasks from one on, where those before it cost so much and end by a time.
func (w *sidewise) from(t model.TaskID, seats [][]seat, cost int64, last model.Time) {
	if cost >= w.least {
		return
	}
	if t == w.p.job.Stages[0].End {
		w.least = min(w.least, cost+w.after[last])
		return
	}
	task := &w.p.js.Tasks[t]
	for _, at := range seats[t-w.p.job.First] {
		need, has := w.p.js.Need(task, at.slave, model.Cores), int64(w.p.js.Slaves[at.slave].Cores)
		run := w.used[at.slave][at.finish-task.WCET(at.slave) : at.finish]
		if !slices.ContainsFunc(run, func(used int64) bool { return used+need > has }) {
			for k := range run {
				run[k] += need
			}
			w.from(t+1, seats, cost+at.cost, max(last, at.finish))
			for k := range run {
				run[k] -= need
			}
		}
	}
}

// leastSidewise is the least cost of a job of several stages so, up to most.
func leastSidewise(p *subproblem) int64 {
	w := &sidewise{p: p, end: p.due, least: p.most, after: make([]int64, p.due+1)}
	for range p.js.Slaves {
		w.used = append(w.used, make([]int64, p.due+1))
	}
	copy(w.after[p.job.Release:], p.atEnd())
	for k := len(p.job.Stages) - 1; k > 0; k-- {
		w.after = plainStage(p, k, w.after)
	}
	var seats [][]seat
	for t := p.job.First; t < p.job.Stages[0].End; t++ {
		seats = append(seats, w.seats(t))
	}
	w.from(p.job.First, seats, 0, p.job.Release)
	return w.least
}

// TestLanesAgainstPlacements: whatever its tasks pay in any case, a job pays no more with its first stage in lanes than with any placements of it that the cores
// of slaves have room for, and no less than without lanes.
func TestLanesAgainstPlacements(t *testing.T) {
	r := rand.New(rand.NewPCG(83, 1))
	knobs := gen.TodayKnobs()
	knobs.Tasks, knobs.FirstStage, knobs.Slaves, knobs.Cores = gen.Range{Lo: 3, Hi: 7}, gen.Range{Lo: 2, Hi: 4}, gen.Range{Lo: 1, Hi: 2}, gen.Range{Lo: 1, Hi: 3}
	knobs.WCET, knobs.Tightness, knobs.Graph, knobs.AfterJob = gen.Range{Lo: 1, Hi: 4}, gen.Range{Lo: 100, Hi: 200}, 0, 0
	knobs.Release, knobs.Down = gen.Range{Lo: 0, Hi: 2}, 0.15
	more, most, several := 0, 0, 0
	for set := range testkit.Sets(1000, 40_000) {
		js, _ := gen.Random(knobs, r.Uint64())
		end := model.Time(8 + r.IntN(10))
		supplies, worth, err := tariffOf(js, slices.Concat(randomMultipliers(r, js, end), randomMultipliers(r, js, end)), end)
		if err != nil {
			t.Fatal(err)
		}
		left := randomDomains(r, js, end)
		for i := range js.Jobs {
			p := &subproblem{
				js: js, job: &js.Jobs[i], due: end - model.Time(r.IntN(3)), most: worth + 1, prices: supplies,
				left: left, steps: mostSteps, pace: &pace{ctx: context.Background()}, late: r.Int64N(30) * r.Int64N(2),
			}
			if p.due < p.job.Release || len(p.job.Stages) < 2 {
				continue
			}
			alone, want := p.least(), leastSidewise(p)
			p.base = make([]int64, len(js.Tasks))
			for k := range p.base {
				switch r.IntN(3) {
				case 0:
					p.base[k] = r.Int64N(60)
				default: // about what it costs at least
					p.base[k] = min(p.most, plainTask(p, model.TaskID(k), p.job.Release, p.due)+r.Int64N(4)*r.Int64N(2))
				}
			}
			got := p.least()
			if got > want || got < alone {
				t.Fatalf("set %d, job %s: at least %d, without lanes %d, by all placements %d", set, js.Jobs[i].Name, got, alone, want)
			}
			switch {
			case got == alone:
			case got == want:
				most++
				fallthrough
			default:
				more++
				if slices.ContainsFunc(js.Tasks[p.job.First:p.job.Stages[0].End], func(task model.Task) bool { return task.Cores() > 1 }) {
					several++
				}
			}
		}
	}
	if most < 10 || more == most || several == 0 {
		t.Errorf("one-sided: of %d jobs that pay more in lanes, %d with tasks of several cores, %d pay as much as by placements", more, several, most)
	}
	t.Logf("of %d jobs that pay more in lanes, %d with tasks of several cores, %d pay as much as by placements", more, several, most)
}
