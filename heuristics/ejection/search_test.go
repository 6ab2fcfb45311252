package ejection

import (
	"context"
	"slices"
	"testing"

	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
)

var goals = [][]model.Objective{
	{model.Misses}, {model.Tardiness}, {model.WeightedTardiness}, {model.Makespan}, {model.HardMisses},
	{model.Misses, model.Tardiness}, {model.Tardiness, model.Makespan}, {model.Misses, model.WeightedTardiness},
	{model.Makespan, model.Misses}, {model.HardMisses, model.Tardiness},
}

// contended is a set with every feature of the model, jobs of each kind, and
// deadlines that not all of them can meet; containers and stage graphs in one of four, in half of these jobs
// that come after others, pools, caps, gangs and tasks that are apart in one of three.
func contended(seed uint64) *model.JobSet {
	k := gen.TinyKnobs()
	if seed%4 == 3 {
		k = gen.TodayKnobs()
		k.AfterJob = []float64{0, 0.6}[seed/4%2]
	}
	k.Tasks = gen.Range{Lo: 10, Hi: 40}
	k.FirstStage = gen.Range{Lo: 1, Hi: 4}
	k.Hard, k.BestEffort = 0.2, 0.2
	k.Witness, k.Tightness = 0, gen.Range{Lo: 100, Hi: 250}
	js, _ := gen.Random(k, seed)
	if seed%3 == 2 {
		js = gen.Coupled(js, seed, false)
	}
	return js
}

func first(js *model.JobSet) model.Schedule {
	return heuristics.Complete(js, model.NewSchedule(len(js.Tasks)))
}

func valuesOf(js *model.JobSet, plan model.Schedule, goal []model.Objective) (values []int64) {
	finishes := js.Finishes(plan)
	for _, o := range goal {
		values = append(values, js.Value(o, finishes))
	}
	return values
}

// TestRunIsValidAndHonest checks every plan that is offered: valid, no worse in
// the objectives before, better in the last than all before, hard jobs as before.
func TestRunIsValidAndHonest(t *testing.T) {
	better := make([]int, len(goals))
	for seed := range testkit.Sets[uint64](8, 300) {
		js := contended(seed)
		start := first(js)
		for g, goal := range goals {
			if !Treats(js, goal) {
				continue
			}
			s := New(js, goal, seed)
			s.RestartFrom(start)
			hard := js.Value(model.HardMisses, js.Finishes(start))
			last := valuesOf(js, start, goal)
			end := len(goal) - 1
			for range 3 {
				s.Run(context.Background(), 300, func(plan model.Schedule) {
					if err := check.Schedule(js, plan, true).Err(); err != nil || !plan.Complete() {
						t.Fatalf("seed %d, goal %v: %v", seed, goal, err)
					}
					values := valuesOf(js, plan, goal)
					if slices.Compare(values, last) >= 0 || values[end] > s.Best() || js.Value(model.HardMisses, js.Finishes(plan)) > hard {
						t.Fatalf("seed %d, goal %v: %v after %v, %d claimed", seed, goal, values, last, s.Best())
					}
					last = values
					better[g]++
				})
			}
		}
	}
	for g, n := range better {
		if n == 0 {
			t.Errorf("goal %v: nothing better found on any set", goals[g])
		}
	}
}

// TestCountsStayExact compares what is counted step by step with what comes of
// counting all anew, and the board after going back with that at the base.
func TestCountsStayExact(t *testing.T) {
	moves, backs := 0, 0
	for seed := range testkit.Sets[uint64](6, 200) {
		js := contended(seed)
		for _, goal := range goals {
			if !Treats(js, goal) {
				continue
			}
			s := New(js, goal, seed)
			s.offer = func(model.Schedule) {}
			s.RestartFrom(first(js))
			base := placed(s)
			for step := range 60 {
				if !s.try.on && !s.begin() {
					break
				}
				if len(s.late) > 0 {
					s.move()
					moves++
				}
				if step%5 == 0 {
					exact(t, s)
				}
				if s.judge(); !s.try.on && len(s.trail.tasks) == 0 {
					base = placed(s)
				}
			}
			if s.try.on && !slices.Equal(base, placed(s)) {
				backs++
			}
			if s.sums {
				continue // the base moves within tries
			}
			if s.abandon(); !slices.Equal(base, placed(s)) {
				t.Fatalf("seed %d, goal %v: going back leads elsewhere", seed, goal)
			}
			exact(t, s)
		}
	}
	if moves < 500 || backs < 10 {
		t.Errorf("%d moves, %d ways back: too few to mean much", moves, backs)
	}
}

// placed is the board, with nothing said of tasks that are off it.
func placed(s *Search) model.Schedule {
	out := slices.Clone(s.board.Place)
	for t := range out {
		if out[t].Slave == model.NoSlave {
			out[t] = model.Placement{Slave: model.NoSlave}
		}
	}
	return out
}

// exact compares the state of a search with one worked out from its placements.
func exact(t *testing.T, s *Search) {
	t.Helper()
	other := New(s.js, s.goal, 0)
	for id, p := range s.board.Place {
		if p.Slave != model.NoSlave {
			other.board.Put(model.TaskID(id), p)
		}
	}
	other.lanes.index()
	other.caps = s.caps
	exactlyLinked(t, s)
	for i := range s.jobs {
		other.jobs[i].strict, other.jobs[i].weight = s.jobs[i].strict, s.jobs[i].weight
	}
	other.count()
	if s.penalty != other.penalty || s.broken != other.broken || s.delay != other.delay || len(s.late) != len(other.late) {
		t.Fatalf("counted %d, %d, %d, late %v; anew %d, %d, %d, late %v",
			s.penalty, s.broken, s.delay, s.late, other.penalty, other.broken, other.delay, other.late)
	}
	if !slices.Equal(s.board.Finish, other.board.Finish) {
		t.Fatalf("finishes of stages %v, anew %v", s.board.Finish, other.board.Finish)
	}
	for slave := range s.lanes.on {
		if len(s.lanes.on[slave]) != len(other.lanes.on[slave]) || !slices.IsSortedFunc(s.lanes.on[slave], func(a, b model.TaskID) int {
			return int(s.board.Place[a].Start - s.board.Place[b].Start)
		}) {
			t.Fatalf("slave %d: %v, anew %v", slave, s.lanes.on[slave], other.lanes.on[slave])
		}
	}
}

// exactlyLinked checks that those jobs are on the board that are asked for, and those that they come after, and that
// caps are what these need.
func exactlyLinked(t *testing.T, s *Search) {
	t.Helper()
	if !s.linked {
		return
	}
	var asked []model.JobID
	for i := range s.js.Jobs {
		if kind := s.js.Jobs[i].Kind; !s.jobs[i].pooled && (kind != model.BestEffort || s.aim.Jobs.Has(kind)) {
			asked = append(asked, model.JobID(i))
		}
	}
	on := s.js.WithBefore(asked)
	for i := range s.js.Jobs {
		job := &s.js.Jobs[i]
		in := slices.Contains(on, model.JobID(i))
		for task := job.First; task < job.End; task++ {
			if in != (s.board.Place[task].Slave != model.NoSlave) {
				t.Fatalf("job %d is to be on the board: %v; its task %d is not as the job", i, in, task)
			}
		}
		for st := s.fig.Base[i]; st < s.fig.Base[i+1]; st++ {
			if in && s.caps[st] != s.linkedCap(st) {
				t.Fatalf("cap of stage %d is %d, anew %d", st, s.caps[st], s.linkedCap(st))
			}
			for _, before := range s.js.Before(s.fig.ID(st)) {
				if k := slices.IndexFunc(s.fig.Stages, func(f heuristics.StageFigures) bool {
					return s.fig.Index(f.Ref) != st && s.fig.ID(s.fig.Index(f.Ref)) == before
				}); in && s.caps[st] < model.Never && s.caps[k] > s.caps[st]-s.fig.Stages[st].Length {
					t.Fatalf("stage %d may end by %d, and %d after it by %d", k, s.caps[k], st, s.caps[st])
				}
			}
		}
	}
}

// TestTreesStayWhole: where jobs come after others, what is on the board is what is asked for after many tries, too,
// with rivals that make way and jobs ejected for those before them; plans get better.
func TestTreesStayWhole(t *testing.T) {
	better := 0
	for seed := range testkit.Sets[uint64](12, 200) {
		k := gen.TinyKnobs()
		k.AfterJob, k.Tasks, k.FirstStage = 0.7, gen.Range{Lo: 30, Hi: 80}, gen.Range{Lo: 1, Hi: 4}
		k.Hard, k.BestEffort, k.Witness, k.Tightness = 0, 0.5, 0, gen.Range{Lo: 150, Hi: 400}
		js, _ := gen.Random(k, seed)
		s := New(js, []model.Objective{model.Misses}, seed)
		s.RestartFrom(first(js))
		for range 4 {
			s.Run(context.Background(), 20_000, func(plan model.Schedule) {
				if err := check.Schedule(js, plan, true).Err(); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				better++
			})
			exact(t, s)
		}
	}
	if better == 0 {
		t.Error("nothing better was found of any set")
	}
}

func TestRunRepeatsItself(t *testing.T) {
	for seed := range uint64(3) {
		js := contended(seed)
		for _, goal := range goals {
			if !Treats(js, goal) {
				continue
			}
			var plans [2]model.Schedule
			for k := range plans {
				s := New(js, goal, seed)
				s.RestartFrom(first(js))
				s.Run(context.Background(), 400, func(plan model.Schedule) { plans[k] = plan })
			}
			if !slices.Equal(plans[0], plans[1]) {
				t.Fatalf("seed %d, goal %v: two runs differ", seed, goal)
			}
		}
	}
}

// TestStandTakesAnyPlan: after standing on another plan the search counts and
// goes on as one that is new to it.
func TestStandTakesAnyPlan(t *testing.T) {
	for seed := range uint64(20) {
		js := contended(seed)
		goal := goals[:4][seed%4]
		if !Treats(js, goal) {
			goal = goals[0]
		}
		s := New(js, goal, seed)
		s.RestartFrom(first(js))
		s.Run(context.Background(), 200, func(model.Schedule) {})
		s.RestartFrom(first(js))
		exact(t, s)
		fresh := New(js, goal, seed)
		fresh.RestartFrom(first(js))
		if s.Best() != fresh.Best() || s.cost() != fresh.cost() || !slices.Equal(s.pool, fresh.pool) {
			t.Fatalf("seed %d: stands at %d, %d, %v; a new search at %d, %d, %v",
				seed, s.Best(), s.cost(), s.pool, fresh.Best(), fresh.cost(), fresh.pool)
		}
	}
}

// TestRunHeedsTheContext: a search that was told to end makes no step.
func TestRunHeedsTheContext(t *testing.T) {
	js := gen.Scale(400, 1)
	s := New(js, []model.Objective{model.Misses}, 1)
	s.RestartFrom(first(js))
	ctx, stop := context.WithCancel(context.Background())
	stop()
	s.Run(ctx, 1_000_000, func(model.Schedule) { t.Error("a plan was offered") })
	if s.Placed() > 0 {
		t.Errorf("%d placements after the end", s.Placed())
	}
}

// TestEjectionGetsSomewhere: from a list schedule that lets most of the late jobs
// wait, fewer than half are late after ten constructions' work.
func TestEjectionGetsSomewhere(t *testing.T) {
	js := gen.Scale(400, 1)
	s := New(js, []model.Objective{model.Misses}, 1)
	s.RestartFrom(first(js))
	before := s.Best()
	s.Run(context.Background(), 10*400, func(model.Schedule) {})
	if s.Best() >= before {
		t.Errorf("%d late, %d before", s.Best(), before)
	}
}
