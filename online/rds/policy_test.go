package rds

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/basic"
	"downbeat/online/durations"
	"downbeat/online/workload"
)

func run(t *testing.T, js *model.JobSet, p online.Policy, opts online.Options) *online.Outcome {
	t.Helper()
	out, err := online.Run(context.Background(), js, p, opts)
	if err != nil {
		t.Fatalf("%s: %v", p.Name(), err)
	}
	if err := check.Plan(js, out.Plan()).Err(); err != nil {
		t.Fatalf("%s: %v", p.Name(), err)
	}
	return out
}

// task is a job of so many equal map tasks.
type task struct {
	name              string
	count             int
	wcet              model.Time
	release, deadline model.Time // relative; 0 for best effort
}

// oneSlave has heartbeats at every tick and as many cores as slots.
func oneSlave(t *testing.T, slots int, jobs ...task) *model.JobSet {
	t.Helper()
	js := &model.JobSet{Name: "one", Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: slots, Slots: slots}}}
	for _, j := range jobs {
		p := model.NewProfile(model.ConstRow(1, j.wcet), model.ConstRow(1, 0))
		job := model.Job{
			Name: j.name, Release: j.release, Deadline: j.deadline,
			Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: j.count, Profile: p}}}},
		}
		if j.deadline > 0 {
			job.Kind = model.Soft
		}
		js.Jobs = append(js.Jobs, job)
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// literal follows the paper's words with intervals of 4 ticks, looks no further
// than one, and moves at almost no price, so that it can be worked out by hand.
func literal() Options {
	o := Defaults()
	o.Interval, o.Steps, o.P, o.Q = 4, 0, []float64{1e-9}, []float64{1e-9}
	o.Margin, o.DueWeight, o.KeepWaiting = 0, 0, true
	return o
}

func starts(out *online.Outcome, job int) (at []model.Time) {
	j := &out.JobSet.Jobs[job]
	for t := j.First; t < j.End; t++ {
		at = append(at, out.Schedule[t].Start)
	}
	return at
}

func TestByHand(t *testing.T) {
	tests := []struct {
		name   string
		slots  int
		change func(*Options)
		jobs   []task
		want   [][]model.Time // starts by job
	}{
		{
			// A has 8 ticks of work until 8, B 16 until 16: both need one slot,
			// and get one while the controller sees both. At 4 A is due before
			// the next control and takes both slots for its last two tasks;
			// then B is alone.
			"even shares, then the fast path", 2, nil,
			[]task{{"A", 4, 2, 0, 8}, {"B", 8, 2, 0, 16}},
			[][]model.Time{{0, 2, 4, 4}, {0, 2, 6, 6, 8, 8, 10, 10}},
		},
		{
			// W is 3 tasks of 2 until 12; its reference is 2 ticks of work an
			// interval, half a slot. But nothing else runs: Algorithm 1 goes on
			// while there are slots.
			"a free slot is used beyond the move", 2, nil,
			[]task{{"W", 3, 2, 0, 12}},
			[][]model.Time{{0, 0, 2}},
		},
		{
			// B comes at 1, between controls, and is not due before 4: it waits
			// in its queue until then, though a slot is free.
			"jobs wait for the controller", 2, nil,
			[]task{{"A", 1, 6, 0, 20}, {"B", 1, 2, 1, 20}},
			[][]model.Time{{0}, {4}},
		},
		{
			"unless they may have what is free", 2, func(o *Options) { o.KeepWaiting = false },
			[]task{{"A", 1, 6, 0, 20}, {"B", 1, 2, 1, 20}},
			[][]model.Time{{0}, {1}},
		},
		{
			// B is due at 4, when the controller looks again.
			"or are due before it looks again", 2, nil,
			[]task{{"A", 1, 6, 0, 20}, {"B", 1, 2, 1, 3}},
			[][]model.Time{{0}, {1}},
		},
		{
			// As the first, but what the move has is taken evenly: at 4 A has two
			// tasks until 8, which one slot does in time.
			"even shares to the end", 2, func(o *Options) { o.QueueOnly, o.Even = true, true },
			[]task{{"A", 4, 2, 0, 8}, {"B", 8, 2, 0, 16}},
			[][]model.Time{{0, 2, 4, 6}, {0, 2, 4, 6, 8, 8, 10, 10}},
		},
		{
			// B comes at 1 and is due at 4, when the controller looks again. On the
			// fast path it goes before A,
			"what is due before the controller looks again goes first", 1, nil,
			[]task{{"A", 8, 1, 0, 8}, {"B", 1, 1, 1, 3}},
			[][]model.Time{{0, 2, 3, 4, 5, 6, 7, 8}, {1}},
		},
		{
			// and moved to the running queue alone it lacks nothing, where A lacks its slot. At 4
			// it is late and given a part of the slot, less than A until A is done.
			"or is moved to the running queue only", 1, func(o *Options) { o.QueueOnly = true },
			[]task{{"A", 8, 1, 0, 8}, {"B", 1, 1, 1, 3}},
			[][]model.Time{{0, 1, 2, 3, 4, 5, 6, 7}, {8}},
		},
		{
			// A has 48 ticks of work until 16 and needs 3 slots of 4; B has 48
			// until 60, 0.8 of a slot. A's slots, which come free every tick, go
			// back to A. At 12 A is on the fast path and gets all four.
			"a slot goes back to its job", 4, nil,
			threeToOne,
			[][]model.Time{append(three(0, 12), 12, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14), {0, 15, 15, 15}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := literal()
			if tt.change != nil {
				tt.change(&o)
			}
			out := run(t, oneSlave(t, tt.slots, tt.jobs...), New(o), online.Options{})
			for j, want := range tt.want {
				if got := starts(out, j); !reflect.DeepEqual(got, want) {
					t.Errorf("%s starts at %v, want %v", tt.jobs[j].name, got, want)
				}
			}
		})
	}
}

// three starts at every tick of [from, to).
func three(from, to model.Time) (at []model.Time) {
	for now := from; now < to; now++ {
		at = append(at, now, now, now)
	}
	return at
}

var threeToOne = []task{{"A", 48, 1, 0, 16}, {"B", 4, 12, 0, 60}}

// Algorithm 1 by the letter lowers Δu with every task and forgets that tasks
// end: slots that A's short tasks leave go to B's long ones in turn, and A is
// late.
func TestOneWayLosesADeadline(t *testing.T) {
	js := oneSlave(t, 4, threeToOne...)
	o := literal()
	if m := online.Measure(run(t, js, New(o), online.Options{})); m.Misses != 0 {
		t.Errorf("%d misses, want none", m.Misses)
	}
	o.OneWay = true
	if m := online.Measure(run(t, js, New(o), online.Options{})); m.Misses != 1 {
		t.Errorf("by the letter: %d misses, want 1", m.Misses)
	}
}

// 40 ticks of work until 40 are one slot in each interval of 4. A job with
// twice of that left is behind: renewed, its reference is what is left over the intervals that are
// left; fixed, it goes on as it began, also beyond the deadline, until all is done.
func TestReferenceByHand(t *testing.T) {
	p := New(literal())
	for _, tt := range []struct {
		fixed      bool
		left, togo float64
		want       []float64
	}{
		{false, 8, 4, []float64{2, 2, 2}},
		{true, 8, 4, []float64{1, 1, 1}},
		{false, 2.5, 0, []float64{2.5, 0, 0}},
		{true, 2.5, 0, []float64{1, 1, 0.5}},
	} {
		p.opts.FixedReference = tt.fixed
		if got := p.reference(work{10, 10}, work{tt.left, tt.togo}, 3); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("fixed %v, %g left: %v, want %v", tt.fixed, tt.left, got, tt.want)
		}
	}
}

// The case study of §II-B at every length of tasks that the workload has: FIFO
// and Fair miss J2; RDS, which learns of J2 at its arrival and predicts capacity,
// meets both as the optimum does. By itself, each interval's progress is not
// enough: every five minutes looks even until capacity falls, and so it does by the letter.
func TestCaseStudy(t *testing.T) {
	with := func(change func(*Options)) func() online.Policy {
		return func() online.Policy {
			o := Defaults()
			change(&o)
			return New(o)
		}
	}
	for _, grain := range []int{1, 2, 5, 10} {
		w := workload.NewRDSCase()
		w.Grain = grain
		js, err := w.Generate(0)
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			policy func() online.Policy
			j1, j2 bool // in time
		}{
			"fifo":                             {basic.FIFO, true, false},
			"fair":                             {basic.Fair, true, false},
			"rds":                              {with(func(*Options) {}), true, true},
			"rds every 5 minutes":              {with(func(o *Options) { o.Interval = 5 }), true, true},
			"rds as printed, every 10 minutes": {with(func(o *Options) { *o = AsPrinted(); o.Interval = 10 }), true, false},
			"rds per interval": {with(func(o *Options) {
				o.Interval, o.PerInterval, o.Margin, o.DueWeight = 5, true, 0, 0
			}), true, false},
		} {
			out := run(t, js, c.policy(), online.Options{})
			j1, j2 := out.Finishes[0] <= 40, out.Finishes[1] <= 30
			if j1 != c.j1 || j2 != c.j2 {
				t.Errorf("grain %d, %s: J1 ends at %d, J2 at %d", grain, name, out.Finishes[0], out.Finishes[1])
			}
		}
	}
}

// variants are options that change the course of a run.
var variants = map[string]func(*Options){
	"defaults":     func(*Options) {},
	"as printed":   func(o *Options) { *o = AsPrinted() },
	"per interval": func(o *Options) { o.PerInterval, o.Interval = true, 7 },
	"declared":     func(o *Options) { o.Declared, o.MaxJobs = true, 2 },
	"long memory":  func(o *Options) { o.LagsY, o.LagsU, o.Order = 3, 0, 0 },
}

// Every run leaves a plan that the validator accepts, whatever happens to
// durations and slaves, solves its problems, and repeats.
func TestRunsLeaveValidPlans(t *testing.T) {
	count := testkit.Sets[uint64](25, 200)
	for seed := range count {
		js := gen.Tiny(seed)
		if seed%3 == 0 {
			js = gen.Small(seed, 20)
		}
		opts := online.Options{Seed: seed, Trace: seed%4 == 0}
		if seed%2 == 0 {
			opts.Durations = durations.Uniform{Lo: 0.2, Hi: 1}
		}
		if seed%5 == 0 {
			opts.Faults = &online.Faults{MTBF: 60, MTTR: 5}
		}
		for name, change := range variants {
			o := Defaults()
			change(&o)
			p := New(o)
			out := run(t, js, p, opts)
			if p.Unsolved() > 0 {
				t.Errorf("seed %d, %s: %d problems unsolved", seed, name, p.Unsolved())
			}
			if again := run(t, js, New(o), opts); !reflect.DeepEqual(again.Schedule, out.Schedule) {
				t.Fatalf("seed %d, %s: does not repeat", seed, name)
			}
		}
	}
}

// days are job sets of the paper's workload.
func days(t *testing.T, seeds ...uint64) (sets []*model.JobSet) {
	t.Helper()
	for _, seed := range seeds {
		js, err := workload.NewRDS().Generate(seed)
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, js)
	}
	return sets
}

// Rules trained on what some runs measured predict other runs better than the
// default rules do, where jobs take less than is declared.
func TestTrainingOnRuns(t *testing.T) {
	o, less := Defaults(), durations.Uniform{Lo: 0.4, Hi: 1}
	o.Interval = 60
	rules, coef, err := TrainOn(context.Background(), days(t, 1, 2), o, less, 1)
	if err != nil {
		t.Fatal(err)
	}
	var fresh []Sample
	for seed, js := range days(t, 3, 4) {
		p := New(o)
		run(t, js, p, online.Options{Seed: 3 + uint64(seed), Durations: less})
		fresh = append(fresh, p.samples...)
	}
	o.Rules, o.Coefficients = rules, coef
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	if len(coef) != o.Order {
		t.Errorf("%d coefficients of capacity, want %d", len(coef), o.Order)
	}
	run(t, days(t, 3)[0], New(o), online.Options{})
	trained, untrained := rms(rules, fresh), rms(DefaultRules(o.LagsY, o.LagsU), fresh)
	t.Logf("%d rules: error %.3f slot-intervals on %d samples, default rules %.3f", len(rules), trained, len(fresh), untrained)
	if trained >= untrained {
		t.Errorf("trained rules have error %g, the default %g", trained, untrained)
	}
}

func TestTrainingFails(t *testing.T) {
	o := Defaults()
	o.Interval = 1000
	brief := []*model.JobSet{oneSlave(t, 1, task{"A", 1, 2, 0, 8})}
	if rules, _, err := TrainOn(context.Background(), brief, o, nil, 1); err == nil {
		t.Errorf("trained on nothing: %v", rules)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, _, err := TrainOn(ctx, brief, o, nil, 1); err != context.Canceled {
		t.Error(err)
	}
}

func TestOptionsCheck(t *testing.T) {
	for name, change := range variants {
		o := Defaults()
		change(&o)
		if err := o.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range map[string]func(*Options){
		"a negative interval":           func(o *Options) { o.Interval = -1 },
		"no window":                     func(o *Options) { o.Window = 0 },
		"no moves":                      func(o *Options) { o.P, o.Q = nil, nil },
		"P and Q unlike":                func(o *Options) { o.Q = o.Q[1:] },
		"more moves than steps":         func(o *Options) { o.Steps = 1 },
		"free moves":                    func(o *Options) { o.P = []float64{0, 1, 1} },
		"a negative margin":             func(o *Options) { o.Margin = -1 },
		"hard jobs of no weight":        func(o *Options) { o.HardWeight = 0 },
		"no jobs":                       func(o *Options) { o.MaxJobs = 0 },
		"a discount of 0":               func(o *Options) { o.Discount = 0 },
		"rules for other lags":          func(o *Options) { o.Rules = DefaultRules(2, 2) },
		"a model without rules":         func(o *Options) { o.Rules = []Rule{} },
		"lags that do not make sense":   func(o *Options) { o.LagsY = -1 },
		"a prediction of order minus 1": func(o *Options) { o.Order = -1 },
	} {
		o := Defaults()
		change(&o)
		if o.Check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func BenchmarkRDS(b *testing.B) {
	for _, interval := range []model.Time{60, 600} {
		b.Run(fmt.Sprintf("jobs=18/interval=%d", interval), func(b *testing.B) {
			js, err := workload.NewRDS().Generate(1)
			if err != nil {
				b.Fatal(err)
			}
			o := Defaults()
			o.Interval = interval
			for b.Loop() {
				out, err := online.Run(context.Background(), js, New(o), online.Options{})
				if err != nil || len(out.Rejected) > 0 {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAway has slaves that are never there for as long as a task takes, until after
// many controls that find nothing new.
func BenchmarkAway(b *testing.B) {
	js := &model.JobSet{Name: "away", Heartbeat: 7}
	slave := model.Slave{Name: "s", Cores: 2, Slots: 3}
	for t := model.Time(0); t < 20_000; t += 20 {
		slave.Down = append(slave.Down, model.Interval{Start: t + 3, End: t + 20})
	}
	js.Slaves = []model.Slave{slave}
	for i := range 20 {
		js.Jobs = append(js.Jobs, model.Job{
			Name: fmt.Sprint("j", i), Release: model.Time(20 * i), Kind: model.Soft, Deadline: 60,
			Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: 6, Profile: model.NewProfile(model.ConstRow(1, 5), model.ConstRow(1, 1))}}}},
		})
	}
	if err := js.Assemble(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := online.Run(context.Background(), js, New(Defaults()), online.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
