package solve_test

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
	"downbeat/solve"
	"downbeat/solve/event"
	"downbeat/solve/exact"
)

var update = flag.Bool("update", false, "write testdata/golden.tsv anew")

const goldenFile = "testdata/golden.tsv"

// goldenHead names the columns. A plan is told by a part of the hash of its
// placements, and the way to it by that of the values of all plans on the way, so
// that a search that takes another way shows.
const goldenHead = "set\tquestion\tstatus\tvalue/bound\tproof\tconflict\tended\tplan\tpath\n"

// TestGolden compares the answers to all golden questions with those in the table,
// which `go test ./solve -run Golden -update` writes anew. Work is counted, so
// that they hang neither on the machine nor on what else it does. Every fourth is asked, with
// DOWNBEAT_LONG=1 or -update all of them.
func TestGolden(t *testing.T) {
	testkit.OneGoroutine(t)
	questions := goldenQuestions(t)
	want := strings.Repeat("\n", len(questions)+1)
	if !*update {
		src, err := os.ReadFile(goldenFile)
		if err != nil {
			t.Fatal(err)
		}
		want = string(src)
	}
	lines := strings.SplitAfter(want, "\n")
	if len(lines) != len(questions)+2 {
		t.Fatalf("%s has %d lines for %d questions", goldenFile, len(lines)-2, len(questions))
	}
	got, every := goldenHead, len(questions)/testkit.Sets(len(questions)/4, len(questions))
	if *update {
		every = 1
	}
	for i, q := range questions {
		if i%every > 0 {
			continue
		}
		line := q.ask(t)
		if !*update && line != lines[i+1] {
			t.Errorf("the answer differs; was -, is now +:\n- %s+ %s", lines[i+1], line)
		}
		got += line
	}
	if *update {
		if err := os.WriteFile(goldenFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// question is a job set and what is asked about it.
type question struct {
	js *model.JobSet
	// what tells apart the questions about a set.
	what string
	opt  solve.Options
}

// ask is the line of the table with the answer.
func (q question) ask(t *testing.T) string {
	t.Helper()
	var path strings.Builder
	var last string
	if q.opt.Seed = 1; q.opt.Workers == 0 {
		q.opt.Workers = 1
	}
	q.opt.Events = func(p event.Event) {
		if p.Kind == event.End {
			return
		}
		var now string
		for _, o := range p.Objectives {
			now += fmt.Sprintf("%s %d ", o.Name, o.Value)
		}
		if now != last {
			path.WriteString(now + "\n")
			last = now
		}
	}
	r, err := q.answer()
	if err != nil {
		t.Fatalf("%s, %s: %v", q.js.Name, q.what, err)
	}
	ended := "itself"
	if r.Interrupted {
		ended = "interrupted"
	}
	return strings.Join([]string{
		q.js.Name, fmt.Sprintf("%s, budget %d", q.what, q.opt.Budget), r.Status.String(), values(r.Objectives),
		r.Proof.String(), conflict(q.js, r), ended, placements(r.Schedule), hash(path.String()),
	}, "\t") + "\n"
}

func (q question) answer() (*solve.Result, error) {
	if q.what != "check" {
		return solve.Plan(context.Background(), q.js, q.opt)
	}
	v, err := solve.Check(context.Background(), q.js, q.opt)
	if err != nil {
		return nil, err
	}
	return &solve.Result{Status: v.Status, Proof: v.Proof, Schedule: v.Schedule, Conflict: v.Conflict, Repairs: v.Repairs}, nil
}

func values(objectives []model.ObjectiveValue) string {
	var out []string
	for _, o := range objectives {
		bound := "-"
		if o.Bound != nil {
			bound = fmt.Sprint(*o.Bound)
		}
		out = append(out, fmt.Sprintf("%s %d/%s", o.Name, o.Value, bound))
	}
	return orNone(out)
}

func conflict(js *model.JobSet, r *solve.Result) string {
	c := r.Conflict
	if c == nil {
		return "-"
	}
	var jobs, fixes []string
	for _, id := range c.Jobs {
		jobs = append(jobs, js.Jobs[id].Name)
	}
	for _, single := range r.Repairs.Single {
		least := ""
		if single.Least[0] {
			least = " least"
		}
		if f := single.Changes[0]; f.Kind == change.Deadline {
			fixes = append(fixes, fmt.Sprintf("%s %d%s", f.Name, f.At, least))
		}
	}
	kind := "reducible"
	if c.Irreducible {
		kind = "irreducible"
	}
	return fmt.Sprintf("%s: %s by %s, fixes %s", orNone(jobs), kind, c.Proof, orNone(fixes))
}

func orNone(parts []string) string {
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, ", ")
}

func placements(plan model.Schedule) string {
	var out strings.Builder
	for _, p := range plan {
		fmt.Fprintln(&out, p.Slave, p.Beat, p.Fetch, p.Start)
	}
	return hash(out.String())
}

// hash is the head of the SHA-256 of s, or - if s is empty.
func hash(s string) string {
	if s == "" {
		return "-"
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(s)))[:12]
}

// goldenQuestions are about all examples, all families at small sizes, and sets
// of each feature of the model.
func goldenQuestions(t *testing.T) []question {
	t.Helper()
	var qs []question
	add := func(js *model.JobSet, what string, opt solve.Options) { qs = append(qs, question{js, what, opt}) }
	for _, js := range exampleSets(t) {
		budget := int64(2000)
		if len(js.Tasks) > 200 {
			budget = 60
		}
		add(js, "plan", solve.Options{Budget: budget})
		add(js, "check", solve.Options{Budget: budget})
	}
	for _, f := range goldenFamilies {
		for seed := range uint64(f.sets) {
			js, _, err := gen.Family(f.name, seed)
			if err != nil {
				t.Fatal(err)
			}
			for _, budget := range f.budgets {
				add(js, "plan", solve.Options{Budget: budget})
			}
			for _, l := range f.lists {
				add(js, fmt.Sprint("plan ", l), solve.Options{Budget: f.budgets[0], Objectives: l})
			}
			if f.relax {
				add(js, "plan --relax", solve.Options{Budget: f.budgets[0], Relax: true})
			}
		}
	}
	for _, f := range goldenFeatures {
		for seed := range uint64(f.sets) {
			seed += f.first
			k := gen.TinyKnobs()
			k.Tasks, k.Slaves, k.FirstStage = gen.Range{Lo: 10, Hi: 16}, gen.Range{Lo: 2, Hi: 4}, gen.Range{Lo: 1, Hi: 4}
			k.Release, k.Tightness = gen.Range{Lo: 0, Hi: 10}, gen.Range{Lo: 95, Hi: 200}
			f.knob(&k)
			js, _ := gen.Random(k, seed)
			js.Name = fmt.Sprintf("%s-%d", f.name, seed)
			add(js, "plan --relax", solve.Options{Budget: 2000, Relax: true})
		}
	}
	for _, f := range goldenOpen {
		js, _, err := gen.Family(f.name, f.seed)
		if err != nil {
			t.Fatal(err)
		}
		add(js, fmt.Sprint("plan ", f.list), solve.Options{Budget: f.budget, Exact: exact.Options{MaxClauses: f.maxClauses}, Objectives: f.list})
	}
	for _, f := range goldenTightened {
		js, _, err := gen.Family(f.name, f.seed)
		if err != nil {
			t.Fatal(err)
		}
		js.Name += fmt.Sprintf("-hard+%d", f.delay)
		for i := range js.Jobs {
			if job := &js.Jobs[i]; job.Kind == model.Soft {
				job.Kind, job.Deadline = model.Hard, job.Deadline+f.delay
			}
		}
		add(js, "plan", solve.Options{Budget: 6800})
	}
	for _, name := range []string{"tight-10", "tight-12", "squeezed-10", "squeezed-12"} {
		for seed := range uint64(4) {
			js, _, err := gen.Family(name, seed)
			if err != nil {
				t.Fatal(err)
			}
			js.Name, js.FIFO = js.Name+"-fifo", true
			add(js, "check", solve.Options{Budget: 4000})
		}
	}
	for seed := range uint64(3) {
		js := jobShop(t, seed)
		add(js, "plan", solve.Options{Budget: 4000})
		add(js, "plan by weight", solve.Options{Budget: 4000, Objectives: []model.Objective{model.WeightedTardiness}})
	}
	for _, name := range []string{"tight-30", "misses-30", "tardiness-40"} {
		js, _, err := gen.Family(name, 7)
		if err != nil {
			t.Fatal(err)
		}
		add(js, "plan from one", solve.Options{Budget: 1000, From: roughPlan(js)})
	}
	for _, f := range goldenWorkers {
		js, _, err := gen.Family(f.name, f.seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range f.workers {
			add(js, fmt.Sprintf("plan by %d workers", workers), solve.Options{Budget: f.budget, Workers: workers, Relax: f.relax})
		}
	}
	return qs
}

func exampleSets(t *testing.T) []*model.JobSet {
	t.Helper()
	files, err := filepath.Glob("../examples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	var sets []*model.JobSet
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, loadSet(t, filepath.Base(file), string(src)))
	}
	return sets
}

func loadSet(t *testing.T, name, text string) *model.JobSet {
	t.Helper()
	js, err := jobfile.Load(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if js.Name == "" {
		js.Name = name
	}
	return js
}

// goldenFamilies are families with the number of their sets, what each is asked
// on a budget, and lists of objectives other than its own.
var goldenFamilies = []struct {
	name    string
	sets    int
	budgets []int64
	lists   [][]model.Objective
	relax   bool
}{
	{name: "tiny", sets: 4, budgets: []int64{200, 4000}, lists: everyList, relax: true},
	{name: "tight-20", sets: 3, budgets: []int64{500}, lists: [][]model.Objective{{model.Makespan}}},
	{name: "tight-40", sets: 8, budgets: []int64{40, 3000}},
	{name: "tight-50", sets: 6, budgets: []int64{3000}},
	{name: "tight-laid-20", sets: 2, budgets: []int64{3000}, lists: [][]model.Objective{{model.Makespan}}},
	{name: "tight-laid-40", sets: 2, budgets: []int64{3000}},
	{name: "infeasible-20", sets: 3, budgets: []int64{2000}, relax: true},
	{name: "infeasible-40", sets: 2, budgets: []int64{1000}},
	{name: "squeezed-15", sets: 8, budgets: []int64{4000}, relax: true},
	{name: "squeezed-30", sets: 4, budgets: []int64{2000}, relax: true},
	{name: "misses-15", sets: 3, budgets: []int64{4000, 400}, lists: everyList},
	{name: "misses-30", sets: 2, budgets: []int64{1500, 6000}, lists: everyList},
	{name: "misses-50", sets: 2, budgets: []int64{6000}},
	{name: "tardiness-15", sets: 3, budgets: []int64{4000, 400}},
	{name: "tardiness-30", sets: 2, budgets: []int64{1500}},
	{name: "tight-medium", sets: 2, budgets: []int64{1000}},
	{name: "misses-medium", sets: 1, budgets: []int64{1500}},
}

var everyList = [][]model.Objective{
	{model.WeightedTardiness}, {model.Makespan}, {model.Misses, model.Tardiness, model.Makespan},
}

// goldenOpen are sets on which the search comes to what it does last: turns after
// the first and, the sooner where no formula may be made, neighbourhoods.
var goldenOpen = []struct {
	name       string
	seed       uint64
	budget     int64
	maxClauses int64
	list       []model.Objective
}{
	{"misses-15", 9, 11_000, 0, []model.Objective{model.Misses, model.Tardiness, model.Makespan}},
	{"tardiness-40", 0, 16_000, 0, nil},
	{"squeezed-40", 1, 1500, 0, nil},
	{"misses-medium", 1, 4700, 1000, nil},
	{"tardiness-100", 0, 5300, 1000, nil},
	{"misses-medium", 0, 4700, 1000, []model.Objective{model.WeightedTardiness, model.Makespan}},
}

// goldenTightened are sets of which all jobs become hard, with a delay granted
// that is about the least tardiness: with less there is hardly an argument, and
// with more a plan.
var goldenTightened = []struct {
	name  string
	seed  uint64
	delay model.Time
}{
	{"tardiness-15", 0, 19}, {"tardiness-20", 0, 11}, {"tardiness-20", 4, 7},
	{"tardiness-25", 1, 8}, {"tardiness-30", 1, 14}, {"tardiness-30", 2, 8},
}

// goldenWorkers are sets that several workers are asked about: on a budget their answers repeat.
var goldenWorkers = []struct {
	name    string
	seed    uint64
	budget  int64
	workers []int
	relax   bool
}{
	{"misses-30", 0, 1500, []int{2, 3, 8}, false},
	{"misses-medium", 1, 1500, []int{8}, false},
	{"tardiness-30", 1, 3000, []int{2, 8}, false},
	{"weighted-tardiness-26", 1, 3000, []int{3}, false},
	{"squeezed-30", 1, 2000, []int{2, 8}, true},
	{"tight-50", 2, 3000, []int{3, 8}, false},
	{"jobshop-6x6", 1, 4000, []int{2, 3, 8}, false},
	{"jobshop-hard-8x8", 1, 3000, []int{3, 8}, false},
	{"project-30", 1, 2000, []int{3, 8}, false},
}

// goldenFeatures are features of the model that every one of their sets has.
var goldenFeatures = []struct {
	name  string
	first uint64 // seed
	sets  int
	knob  func(*gen.Knobs)
}{
	{"mixed", 0, 10, func(*gen.Knobs) {}},
	{"fifo", 100, 14, func(k *gen.Knobs) { k.FIFO, k.Concurrent = 1, 0 }},
	{"concurrent", 200, 4, func(k *gen.Knobs) { k.FIFO, k.Concurrent = 0, 1 }},
	{"split-slots", 300, 4, func(k *gen.Knobs) { k.SplitSlots = 1 }},
	{"absences", 400, 4, func(k *gen.Knobs) { k.Down = 1 }},
	{"equal", 500, 4, func(k *gen.Knobs) { k.EqualSlave, k.EqualTasks, k.Uneven = 0.8, 1, 0 }},
}

// jobShop has jobs of five stages of one task, each on a machine of its own, in
// an order of the job's own.
func jobShop(t *testing.T, seed uint64) *model.JobSet {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 5))
	text := "version: 1\nobjective: makespan\ncluster: {heartbeat: 1, slaves: [{name: m, count: 5}]}\njobs:\n"
	for j := range 5 {
		text += fmt.Sprintf("  - name: j%d\n    deadline: %d\n    weight: %d\n    stages:\n", j, 25+rng.IntN(15), 1+rng.IntN(3))
		for k, m := range rng.Perm(5) {
			text += fmt.Sprintf("      - {name: s%d, tasks: 1, wcet: %d, slaves: [m-%d]}\n", k, 2+rng.IntN(8), m+1)
		}
	}
	return loadSet(t, fmt.Sprintf("job-shop-%d", seed), text)
}

// roughPlan is a plan by list scheduling of which every fifth task is missing.
func roughPlan(js *model.JobSet) model.Schedule {
	figures := heuristics.NewFigures(js)
	board := heuristics.NewBoard(figures, 1)
	board.Construct(context.Background(), heuristics.Rules()[0].Order(figures), heuristics.NewDeferral(js, js.Goal(), nil))
	plan := board.Place
	for t := range plan {
		if t%5 == 0 {
			plan[t].Slave = model.NoSlave
		}
	}
	return plan
}
