package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"downbeat/cmd/internal/schedulers"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/durations"
	"downbeat/solve"
)

// someSets are tiny job sets of every kind, the last one with two seeds.
func someSets(n int) []Set {
	var out []Set
	for i := range n {
		seed := uint64(i + 1)
		out = append(out, Set{
			ID: fmt.Sprintf("tiny-%d", seed), Parameter: "part", Level: float64(i % 3), Seeds: []uint64{seed},
			Make: func(context.Context) (*model.JobSet, error) { return gen.Tiny(seed), nil },
		})
	}
	out[n-1].Seeds = []uint64{1, 2}
	return out
}

// config runs six policies, one of which draws lots. No clock limit, so that
// every cell is the same on any machine.
func config() *Config {
	return &Config{
		Policies: []string{"fifo", "fair", "edf", "llf", "penn-random-first", "penn-edf-best"},
		New:      schedulers.New, SolverSeed: 1, Workers: 1, Program: "test",
	}
}

// journalFiles are the CSV and JSON of records.
func journalFiles(t *testing.T, c *Config, sets []Set, records []*Record) string {
	t.Helper()
	var b bytes.Buffer
	if err := errors.Join(c.WriteCSV(&b, records, false), c.WriteJSON(&b, sets, records, false)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func run(t *testing.T, ctx context.Context, c *Config, sets []Set, keep Keeper, tell func(Progress)) []*Record {
	t.Helper()
	records, err := Run(ctx, c, sets, keep, tell)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// memory keeps records for the next bench.
type memory struct {
	mu      sync.Mutex
	records map[string]*Record
	adds    int
}

func (m *memory) Find(set string) *Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.records[set]
}

func (m *memory) Add(rec *Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.adds++
	if known := m.records[rec.Set]; known != nil {
		more := new(*known)
		more.Cells = slices.Concat(known.Cells, rec.Cells)
		if rec.Answer != "" {
			more.TakeAnswer(rec)
		}
		m.records[rec.Set] = more
		return nil
	}
	m.records[rec.Set] = rec
	return nil
}

// One worker, two, and two that were interrupted twice leave the same files; so do policies
// that come one after the other. What is known is not asked for again.
func TestSameFilesHoweverItWasRun(t *testing.T) {
	c, sets := config(), someSets(30)
	want := journalFiles(t, c, sets, run(t, t.Context(), c, sets, nil, nil))
	if n := strings.Count(want, "\n"); n < 31*6*2 {
		t.Fatalf("only %d lines", n)
	}
	c.Workers = 2
	if got := journalFiles(t, c, sets, run(t, t.Context(), c, sets, nil, nil)); got != want {
		t.Error("two workers leave other files than one")
	}
	kept := &memory{records: map[string]*Record{}}
	all := c.Policies
	for _, stopAt := range []int{9, 18} {
		c.Policies = all[:stopAt/5]
		ctx, stop := context.WithCancel(t.Context())
		run(t, ctx, c, sets, kept, func(p Progress) {
			if p.Done == stopAt {
				stop()
			}
		})
		if held := len(kept.records); held < stopAt || held == len(sets) {
			t.Fatalf("%d sets done, wanted to stop at %d", held, stopAt)
		}
	}
	c.Policies = all
	if got := journalFiles(t, c, sets, run(t, t.Context(), c, sets, kept, nil)); got != want {
		t.Error("an interrupted bench leaves other files")
	}
	c.plan = func(context.Context, *model.JobSet, solve.Options) (*solve.Result, error) {
		return nil, errors.New("asked although the answer is kept")
	}
	c.New = func(string, uint64) (online.Policy, error) { return nil, errors.New("played although the run is kept") }
	if got := journalFiles(t, c, sets, run(t, t.Context(), c, sets, kept, nil)); got != want {
		t.Error("what is kept alone leaves other files")
	}
	sets[1].Make = func(context.Context) (*model.JobSet, error) { return gen.Tiny(99), nil }
	_, err := Run(t.Context(), c, sets, kept, nil)
	var input *InputError
	if !errors.As(err, &input) || !strings.Contains(err.Error(), "tiny-2") {
		t.Errorf("a job set that is not what it was: %v", err)
	}
}

// Of a set with many seeds, what was done before the end is kept, in parts.
func TestManySeedsAreKeptInParts(t *testing.T) {
	c, sets := config(), someSets(1)
	c.Policies, c.NoOptimum = []string{"fifo", "penn-random-first"}, true
	sets[0].Seeds = nil
	for seed := range uint64(300) {
		sets[0].Seeds = append(sets[0].Seeds, seed+1)
	}
	ctx, stop := context.WithCancel(t.Context())
	made, policy := 0, c.New
	c.New = func(spec string, seed uint64) (online.Policy, error) {
		if made++; made == 500 {
			stop()
		}
		return policy(spec, seed)
	}
	kept := &memory{records: map[string]*Record{}}
	if records := run(t, ctx, c, sets, kept, nil); records[0] != nil {
		t.Error("a set that was not finished counts as done")
	}
	if n := len(kept.records[sets[0].ID].Cells); kept.adds != 2 || n != 499 {
		t.Errorf("%d of 499 runs are kept, in %d parts", n, kept.adds)
	}
	made = 1000
	got := run(t, t.Context(), c, sets, kept, nil)
	if made != 1101 || kept.adds != 3 {
		t.Errorf("%d runs are made to go on, in %d parts", made-1000, kept.adds-2)
	}
	if journalFiles(t, c, sets, got) != journalFiles(t, c, sets, run(t, t.Context(), c, sets, nil, nil)) {
		t.Error("what was kept in parts is not as if done at once")
	}
}

// Actual durations and failures are the same for any number of workers too,
// and no run is held against the optimum then.
func TestSurprisesRepeat(t *testing.T) {
	c, sets := config(), someSets(12)
	c.Durations, c.Faults = durations.Uniform{Lo: 0.3, Hi: 1}, &online.Faults{MTBF: 30, MTTR: 4}
	records := run(t, t.Context(), c, sets, nil, nil)
	c.Workers = 2
	if journalFiles(t, c, sets, records) != journalFiles(t, c, sets, run(t, t.Context(), c, sets, nil, nil)) {
		t.Error("two workers leave other files than one")
	}
	for _, rec := range records {
		for i := range rec.Cells {
			if d := c.Differs(&rec.Cells[i]); !strings.HasPrefix(d, "actual times are uniform:0.3,1; slaves fail") {
				t.Errorf("%s differs by %q", rec.Set, d)
			}
		}
	}
}

// crossSets is the number of sets of TestEachSideChecksTheOther.
func crossSets(t *testing.T) uint64 {
	text := os.Getenv("DOWNBEAT_BENCH_SETS")
	if text == "" {
		return testkit.Sets[uint64](45, 150)
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || n == 0 {
		t.Fatalf("DOWNBEAT_BENCH_SETS=%s is no number of job sets", text)
	}
	return n
}

// On random job sets, at worst-case times, no policy beats a proved bound, and
// no set is called infeasible that a policy is in time on: Run fails otherwise.
// DOWNBEAT_BENCH_SETS sets how many there are.
func TestEachSideChecksTheOther(t *testing.T) {
	c := config()
	c.Policies, c.Workers, c.TimeLimit = schedulers.Names(), 2, 20*time.Second
	c.Objectives = []model.Objective{model.Misses, model.WeightedTardiness, model.Makespan}
	var sets []Set
	for seed := range crossSets(t) {
		sets = append(sets, Set{ID: fmt.Sprint("set ", seed), Seeds: []uint64{seed}, Make: func(context.Context) (*model.JobSet, error) {
			switch seed % 3 {
			case 0:
				return gen.Small(seed, 8), nil
			case 1:
				return gen.Tiny(seed), nil
			}
			js, _, err := gen.Family("tiny", seed)
			return js, err
		}})
	}
	records := run(t, t.Context(), c, sets, nil, nil)
	s := c.Summarize(records, nil)
	gaps, zeros, positive := 0, 0, 0
	for _, p := range c.Policies {
		for _, o := range s.Objectives {
			list, _ := c.Gaps(records, p, o)
			gaps += len(list)
			for _, g := range list {
				zeros += int(truth(g == 0))
				positive += int(truth(g > 0))
			}
		}
	}
	t.Logf("%d sets: %d feasible, %d infeasible, %d unknown; %d limited; %d gaps, %d of them zero",
		s.Sets, s.Feasible, s.Infeasible, s.Unknown, s.Limited, gaps, zeros)
	if s.Feasible < s.Sets/3 || s.Infeasible == 0 || s.Limited > s.Sets/20 || zeros == 0 || positive == 0 {
		t.Error("these sets put little to the test")
	}
}

// A solver that lies is found out, with the set and the seed in the message.
func TestLiesAreFound(t *testing.T) {
	easy := func(context.Context) (*model.JobSet, error) { return alone(9), nil }
	sets := []Set{{ID: "easy", Seeds: []uint64{7}, Make: easy}}
	honest := func(ctx context.Context, js *model.JobSet, o solve.Options) (*solve.Result, error) {
		return solve.Plan(ctx, js, o)
	}
	for _, c := range []struct {
		name string
		lie  func(*solve.Result)
		want string
	}{
		{"the truth", func(*solve.Result) {}, ""},
		{"infeasible", func(r *solve.Result) { r.Status, r.Objectives = model.Infeasible, nil }, "policy fifo on job set easy, seed 7: it meets every hard deadline, and the solver proved that nothing does"},
		{"a bound too high", func(r *solve.Result) { *r.Objectives[0].Bound++; r.Objectives[0].Value++ }, "policy fifo on job set easy, seed 7: it has makespan 5, and the solver proved a bound of 6"},
	} {
		cfg := config()
		cfg.Objectives = []model.Objective{model.Makespan}
		cfg.plan = func(ctx context.Context, js *model.JobSet, o solve.Options) (*solve.Result, error) {
			r, err := honest(ctx, js, o)
			c.lie(r)
			return r, err
		}
		_, err := Run(t.Context(), cfg, sets, nil, nil)
		var clash *Clash
		switch {
		case c.want == "" && err != nil, c.want != "" && (!errors.As(err, &clash) || err.Error() != c.want):
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// alone is a hard job of one task that runs for 5, due at the given time.
func alone(due model.Time) *model.JobSet {
	js := &model.JobSet{Name: "alone", Heartbeat: 1, Slaves: []model.Slave{{Name: "a", Cores: 1, Slots: 1}}}
	p := model.NewProfile(model.ConstRow(1, 5), model.ConstRow(1, 0))
	js.Jobs = []model.Job{{Name: "j", Kind: model.Hard, Deadline: due, Stages: []model.Stage{{
		Name: "map", Groups: []model.Group{{Count: 1, Profile: p}},
	}}}}
	if err := js.Assemble(); err != nil {
		panic(err)
	}
	return js
}

// A clash is no clash where times are shorter, slaves fail, jobs are rejected or
// a hard deadline is missed: then the two sides answer different questions.
func TestWhatIsCompared(t *testing.T) {
	cell := func(change func(*Cell)) *Cell {
		r := &Cell{Policy: "p", Measures: online.Measures{Jobs: 2, Accepted: 2, Misses: 1, Makespan: 9}}
		change(r)
		return r
	}
	rec := &Record{Set: "s", Answer: "feasible", Best: []Best{{"misses", 1, 1}, {"makespan", 12, 10}}}
	worst, short, faulty := &Config{}, &Config{Durations: durations.Uniform{Lo: 1, Hi: 1}}, &Config{Faults: &online.Faults{MTBF: 9, MTTR: 9}}
	for _, c := range []struct {
		name    string
		config  *Config
		cell    *Cell
		differs string
		clash   bool
	}{
		{"comparable", worst, cell(func(*Cell) {}), "", true},
		{"rejected", worst, cell(func(r *Cell) { r.Accepted = 1 }), "1 rejected", false},
		{"hard rejected", worst, cell(func(r *Cell) { r.Accepted, r.RejectedHard = 1, 1 }), "1 rejected", false},
		{"hard missed", worst, cell(func(r *Cell) { r.HardMisses = 2 }), "2 hard missed", false},
		{"shorter", short, cell(func(*Cell) {}), "actual times are uniform:1,1", false},
		{"failing", faulty, cell(func(*Cell) {}), "slaves fail", false},
		{"no better than the bound", worst, cell(func(r *Cell) { r.Makespan = 10 }), "", false},
	} {
		if got := c.config.Differs(c.cell); got != c.differs {
			t.Errorf("%s: differs by %q", c.name, got)
		}
		if err := c.config.clash(rec, c.cell); (err != nil) != c.clash {
			t.Errorf("%s: clash %v", c.name, err)
		}
		g, ok := c.config.gap(rec, c.cell, "misses")
		if ok != (c.differs == "") || ok && (g != Gap{}) {
			t.Errorf("%s: gap %+v %v", c.name, g, ok)
		}
	}
	if g, ok := worst.gap(rec, cell(func(r *Cell) { r.Makespan = 15 }), "makespan"); !ok || g != (Gap{5, true}) {
		t.Errorf("gap to a bound: %+v %v", g, ok)
	}
	if _, ok := worst.gap(rec, cell(func(*Cell) {}), "tardiness"); ok {
		t.Error("a gap in an objective that nothing is known of")
	}
	infeasible := &Record{Set: "s", Answer: "infeasible"}
	for _, c := range []struct {
		cell  *Cell
		clash bool
	}{
		{cell(func(*Cell) {}), true},
		{cell(func(r *Cell) { r.Accepted = 1 }), true}, // a soft job can run at the end
		{cell(func(r *Cell) { r.Accepted, r.RejectedHard = 1, 1 }), false},
		{cell(func(r *Cell) { r.HardMisses = 1 }), false},
	} {
		if err := worst.clash(infeasible, c.cell); (err != nil) != c.clash {
			t.Errorf("on an infeasible set, %+v: %v", c.cell.Measures, err)
		}
	}
}

// A clock limit marks the set, and the gap is to the bound.
func TestLimitIsMarked(t *testing.T) {
	c := config()
	c.Policies, c.Objectives = []string{"fifo"}, []model.Objective{model.Makespan}
	c.plan = func(ctx context.Context, js *model.JobSet, o solve.Options) (*solve.Result, error) {
		r, err := solve.Plan(ctx, js, o)
		*r.Objectives[0].Bound--
		r.Status, r.Interrupted = model.Feasible, true
		return r, err
	}
	sets := []Set{{ID: "easy", Seeds: []uint64{1}, Make: func(context.Context) (*model.JobSet, error) { return alone(9), nil }}}
	records := run(t, t.Context(), c, sets, nil, nil)
	var b bytes.Buffer
	if err := c.WriteCSV(&b, records, false); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(b.String(), ",5,5,1,,limit bound:makespan\n") {
		t.Errorf("the cell is\n%s", b.String())
	}
	said(t, c.Summarize(records, nil), Page{}, "cut the solver short on 1 job set", "≤ 1 (1)", "≤: some gaps are to a bound")
}

// Where the solver settles nothing, a run at worst-case times can.
func TestVerdict(t *testing.T) {
	met, missed := Cell{}, Cell{Measures: online.Measures{HardMisses: 1}}
	for _, c := range []struct {
		config *Config
		answer string
		cells  []Cell
		want   string
	}{
		{&Config{}, "unknown", []Cell{missed, met}, "feasible"},
		{&Config{}, "unknown", []Cell{missed}, "unknown"},
		{&Config{Durations: durations.Uniform{Lo: 0.5, Hi: 1}}, "unknown", []Cell{met}, "unknown"},
		{&Config{}, "infeasible", []Cell{missed}, "infeasible"},
		{&Config{}, "", []Cell{met}, ""},
	} {
		if got := c.config.verdict(&Record{Answer: c.answer, Cells: c.cells}); got != c.want {
			t.Errorf("%q with %d cells gives %q, want %q", c.answer, len(c.cells), got, c.want)
		}
	}
}

// Two answers about one set's hard deadlines must not contradict each other.
func TestCombine(t *testing.T) {
	if _, err := combine(model.Feasible, model.Infeasible); err == nil {
		t.Error("feasible and infeasible at once")
	}
	for _, pair := range [][3]model.Status{
		{model.Unknown, model.Optimal, model.Feasible}, {model.Feasible, model.Optimal, model.Feasible},
		{model.Feasible, model.Unknown, model.Feasible}, {model.Unknown, model.Infeasible, model.Infeasible},
	} {
		if got, err := combine(pair[0], pair[1]); err != nil || got != pair[2] {
			t.Errorf("%v and %v make %v, %v", pair[0], pair[1], got, err)
		}
	}
}

// A job set that cannot be had is the input's fault, not the program's.
func TestBadSet(t *testing.T) {
	sets := append(someSets(3), Set{ID: "bad", Seeds: []uint64{1}, Make: func(context.Context) (*model.JobSet, error) { return nil, errors.New("gone") }})
	_, err := Run(t.Context(), config(), sets, nil, nil)
	var input *InputError
	if !errors.As(err, &input) {
		t.Errorf("got %v", err)
	}
}

// Of several sets that cannot be had the first is told, also where a later one is known of sooner;
// what comes after that is stopped.
func TestFirstBadSet(t *testing.T) {
	begun, stopped := make(chan struct{}), make(chan struct{})
	var sets []Set
	for i, fault := range []func(ctx context.Context) error{
		func(context.Context) error { <-stopped; return errors.New("one") },
		func(context.Context) error { <-begun; return errors.New("two") },
		func(ctx context.Context) error { close(begun); <-ctx.Done(); close(stopped); return ctx.Err() },
		func(context.Context) error { t.Error("a set after these is made"); return errors.New("four") },
	} {
		sets = append(sets, Set{ID: fmt.Sprint(i), Seeds: []uint64{1}, Make: func(ctx context.Context) (*model.JobSet, error) { return nil, fault(ctx) }})
	}
	c := config()
	c.Workers = 3
	if _, err := Run(t.Context(), c, sets, nil, nil); err == nil || err.Error() != "one" {
		t.Errorf("told of %v", err)
	}
}

func TestDemand(t *testing.T) {
	if got := demand(alone(10)); got != 0.5 {
		t.Errorf("demand %v, want 0.5", got)
	}
	js := alone(10)
	js.Jobs = slices.Clone(js.Jobs)
	js.Jobs[0].Kind = model.BestEffort
	if got := demand(js); got != 0 {
		t.Errorf("demand %v without deadlines", got)
	}
}
