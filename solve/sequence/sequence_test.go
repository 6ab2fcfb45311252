package sequence_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"downbeat/heuristics/lns"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/internal/testkit/secondopinion"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/query"
	"downbeat/solve/memory"
	"downbeat/solve/sequence"
)

// script is the second checker.
const script = "../../model/check/inference/testdata/check_proof.py"

// drawn is a tiny set of jobs that take turns on slaves: by their cores, slots or memory. Where they do while they stay,
// input is fetched as well. More slaves than one are alike, or differ in when they are first there, and in how long a job takes.
func drawn(rng *rand.Rand, most, slaves int, differ bool) *model.JobSet {
	js := &model.JobSet{Heartbeat: model.Time(1 + rng.IntN(4)*rng.IntN(2)), Named: []string{"memory"}, Objectives: []model.Objective{model.WeightedTardiness}}
	slave := model.Slave{Name: "m", Cores: 1, Slots: 8, Units: []int64{5}, FirstBeat: model.Time(rng.IntN(int(js.Heartbeat)))}
	needs, fetch := model.Needs{Cores: 1}, 0
	switch rng.IntN(3) {
	case 0:
		slave.Cores, slave.Slots, fetch = 2, 1, 3
	case 1:
		slave.Cores, needs.Units[0], fetch = 3, 3, 3
	}
	if slaves > 1 && fetch == 0 {
		slave.Cores = 1 + rng.IntN(2)
	}
	for s := range slaves {
		slave.Name = fmt.Sprintf("m%d", s)
		if js.Slaves = append(js.Slaves, slave); differ {
			js.Slaves[s].FirstBeat = model.Time(rng.IntN(int(js.Heartbeat)))
		}
	}
	late, spread := 1+rng.IntN(12), rng.IntN(2)*rng.IntN(8)
	for i := range 2 + rng.IntN(most-1) {
		job := model.Job{Name: fmt.Sprintf("j%d", i), Kind: model.Soft, Weight: int64(1 + rng.IntN(4)), Release: model.Time(rng.IntN(1 + spread)), Deadline: model.Time(1 + rng.IntN(late))}
		switch rng.IntN(8) {
		case 0:
			job.Kind, job.Weight, job.Deadline = model.Hard, 1, model.Time(14+rng.IntN(20))
		case 1:
			job.Kind, job.Weight, job.Deadline = model.BestEffort, 1, 0
		}
		run, transfer := model.ConstRow(slaves, model.Time(1+rng.IntN(4))), model.ConstRow(slaves, model.Time(rng.IntN(1+fetch)))
		if differ {
			run = run.With([]model.SlaveID{model.SlaveID(rng.IntN(slaves))}, model.Time(1+rng.IntN(4)))
		}
		profile := model.NewProfile(run, transfer).Needing(needs)
		job.Stages = []model.Stage{{Name: "all", Groups: []model.Group{{Count: 1, Profile: profile}}}}
		js.Jobs = append(js.Jobs, job)
	}
	if err := js.Assemble(); err != nil {
		panic(err)
	}
	return js
}

// below asks for a plan of a value less than some.
func below(js *model.JobSet, value int64) query.Question {
	return query.Within(js, false, query.Limits{model.WeightedTardiness: value - 1})
}

// text is a proof file.
func text(js *model.JobSet, q query.Question, s *sequence.Search, least int64) string {
	by := s.Refutation(&q)
	return secondopinion.Numbered(fmt.Sprintf("downbeat proof 1\ndigest %s\ntick 1\nquestion 1\n%s\n%srefuted 1 2\nclaim weighted-tardiness >= %d by 1\nend 0\n",
		js.Digest(), strings.Join(by.Question, "\n"), by.Steps, least))
}

// apart reports whether a set, of which the optimum is known, has nothing to find out: all that is late would be if each job had the slaves to itself.
func apart(t *testing.T, js *model.JobSet, best int64) bool {
	t.Helper()
	if best == 0 || sequence.New(below(js, best), model.WeightedTardiness) != nil {
		return best == 0
	}
	sum := int64(0)
	for i := range js.Jobs {
		job, end := &js.Jobs[i], model.Never
		for s := range model.SlaveID(len(js.Slaves)) {
			if task := &js.Tasks[job.First]; task.WCET(s) > 0 {
				_, at := js.BeatAtOrAfter(s, job.Release)
				end = min(end, at+task.Transfer(s)+task.WCET(s))
			}
		}
		if job.Kind == model.Soft {
			sum += job.Weight * int64(max(0, end-job.Due()))
		}
	}
	if sum != best {
		t.Errorf("%d jobs are no sequence, and the best is %d, not %d", len(js.Jobs), best, sum)
	}
	return true
}

// closed searches a set of which the optimum is known until it is closed; each bound on the way is one, with a
// refutation that the checker goes through.
func closed(t *testing.T, js *model.JobSet, best int64, seed uint64) *secondopinion.Sample {
	t.Helper()
	s := searched(t, js, best, seed, false)
	if s.Value() != best || s.Bound() != best {
		t.Errorf("seed %d: %d over %d, and the best is %d", seed, s.Value(), s.Bound(), best)
	}
	q := below(js, best)
	return &secondopinion.Sample{JS: js, Text: text(js, q, s, best)}
}

// searched searches a set of which the optimum is known to the end; each bound on the way is one, with a refutation that the checker goes
// through, and the best order is a plan. What is left may be split before it takes that.
func searched(t *testing.T, js *model.JobSet, best int64, seed uint64, split bool) *sequence.Search {
	t.Helper()
	p := sequence.New(below(js, best+1+[]int64{0, 2, 100}[seed%3]), model.WeightedTardiness)
	if p == nil || !p.Tight() {
		t.Fatalf("seed %d: %d jobs on a slave are no sequence", seed, len(js.Jobs))
	}
	s := sequence.NewSearch(t.Context(), p, model.NewSchedule(len(js.Tasks)), seed)
	claimed := s.Bound()
	if split {
		s.SplitNow(t.Context())
	}
	for s.Open() {
		s.Run(t.Context(), 1)
		if s.Bound() > best {
			t.Fatalf("seed %d: a bound of %d, and there is a plan with %d", seed, s.Bound(), best)
		}
		if claimed < s.Bound() {
			claimed = s.Bound()
			q := below(js, claimed)
			if err := inference.CheckClaim(t.Context(), js, model.WeightedTardiness, claimed, s.Refutation(&q)); err != nil {
				t.Fatalf("seed %d: a bound of %d: %v", seed, claimed, err)
			}
		}
	}
	plan := s.Schedule(js)
	for k := range plan {
		if last := len(js.Slaves) - 1; strings.HasPrefix(js.Slaves[last].Name, "past") && js.Tasks[k].WCET(model.SlaveID(last)) > 0 {
			plan[k] = model.Placement{Slave: model.SlaveID(last)} // what stands in begins at once
		}
	}
	if plan.Complete() {
		if err := check.Schedule(js, plan, false).Err(); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	return s
}

// Every tiny set is closed at what exhaustive search finds, and both checkers agree with what is said to prove
// it; what is altered at random is refused, or as true.
func TestTinySequences(t *testing.T) {
	var samples []secondopinion.Sample
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 60, 1000)) {
		js := drawn(rand.New(rand.NewPCG(seed, 0)), 5, 1, false)
		best, err := oracle.Solve(js)
		if err != nil {
			t.Fatal(err)
		}
		if best.Status == model.Infeasible || apart(t, js, best.Values[0]) {
			continue // there is nothing to find out
		}
		if s := closed(t, js, best.Values[0], seed); len(samples) < secondopinion.Count(12, 400) {
			samples = append(samples, *s)
		}
	}
	agreed(t, samples)
}

// The same on several slaves and cores, where all is closed if they are alike. Splits are among what is altered.
func TestTinyParallel(t *testing.T) {
	var samples []secondopinion.Sample
	met, split := map[bool]int{}, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 80, 300)) {
		rng := rand.New(rand.NewPCG(seed, 5))
		differ := seed%3 == 0
		js := drawn(rng, 6, 2+rng.IntN(2), differ)
		best, err := oracle.Solve(js)
		if err != nil {
			t.Fatal(err)
		}
		if best.Status == model.Infeasible || apart(t, js, best.Values[0]) {
			continue // there is nothing to find out
		}
		s := searched(t, js, best.Values[0], seed, seed%2 == 0)
		if s.Bound() < best.Values[0] {
			if !differ {
				t.Errorf("seed %d: %d over %d, and the best is %d", seed, s.Value(), s.Bound(), best.Values[0])
			}
			continue
		}
		met[differ]++
		sample := secondopinion.Sample{JS: js, Text: text(js, below(js, best.Values[0]), s, best.Values[0])}
		if strings.Contains(sample.Text, " split.") {
			split++
		}
		if len(samples) < secondopinion.Count(12, 400) {
			samples = append(samples, sample)
		}
	}
	if t.Logf("%v met, %d by splits", met, split); met[false] < 10 || met[true] < 5 || split < 10 {
		t.Error("too few to tell")
	}
	agreed(t, samples)
}

// underWay draws work on a set's slaves that was handed out at 0: whole is the set with it, places where it is; in rest what it holds is reserved, and jobs
// on a slave of their own stand in for it. Some of it starts later than it is handed out.
func underWay(js *model.JobSet, rng *rand.Rand) (rest, whole *model.JobSet, places model.Schedule) {
	n := len(js.Slaves)
	rest, whole = with(js, n+1), with(js, n)
	places = model.NewSchedule(len(js.Tasks))
	past := &rest.Slaves[n]
	for s := range n {
		slave, needs := &rest.Slaves[s], js.Tasks[0].Profile.Needs()
		slave.FirstBeat, whole.Slaves[s].FirstBeat = 0, 0
		room := min(slave.Cores, slave.Slots)
		if needs.Units[0] > 0 {
			room = min(room, int(slave.Units[0]/needs.Units[0]))
		}
		for range min(room, rng.IntN(4-n)) {
			start, end := model.Time(rng.IntN(3)*rng.IntN(2)), model.Time(3+rng.IntN(5))
			job := model.Job{Name: fmt.Sprintf("work %d", len(places)), Kind: model.Soft, Weight: int64(1 + rng.IntN(3)), Deadline: model.Time(2 + rng.IntN(8))}
			whole.Jobs = append(whole.Jobs, alone(job, n, s, end-start, needs))
			rest.Jobs = append(rest.Jobs, alone(job, n+1, n, end, model.Needs{Cores: 1}))
			places = append(places, model.Placement{Slave: model.SlaveID(s), Fetch: start, Start: start})
			slave.Reservations = append(slave.Reservations,
				model.Reservation{Resource: model.Cores, Interval: model.Interval{Start: start, End: end}, Units: 1},
				model.Reservation{Resource: model.MapSlots, Interval: model.Interval{End: end}, Units: 1})
			if needs.Units[0] > 0 {
				slave.Reservations = append(slave.Reservations, model.Reservation{Resource: model.FirstNamed, Interval: model.Interval{End: end}, Units: needs.Units[0]})
			}
			past.Cores, past.Slots = past.Cores+1, past.Slots+1
		}
	}
	past.Cores, past.Slots = max(1, past.Cores), max(1, past.Slots)
	for _, of := range []*model.JobSet{rest, whole} {
		if err := of.Assemble(); err != nil {
			panic(err)
		}
	}
	return rest, whole, places
}

// with is a set of jobs of one task each with more slaves, on which none of them runs.
func with(js *model.JobSet, slaves int) *model.JobSet {
	out := *js
	out.Tasks, out.Slaves, out.Jobs = nil, slices.Clone(js.Slaves), slices.Clone(js.Jobs)
	for s := len(js.Slaves); s < slaves; s++ {
		out.Slaves = append(out.Slaves, model.Slave{Name: fmt.Sprintf("past %d", s)})
	}
	for i := range out.Jobs {
		task := &js.Tasks[js.Jobs[i].First]
		run, transfer := model.ConstRow(slaves, 0), model.ConstRow(slaves, 0)
		for s := range model.SlaveID(len(js.Slaves)) {
			run, transfer = run.With([]model.SlaveID{s}, task.WCET(s)), transfer.With([]model.SlaveID{s}, task.Transfer(s))
		}
		profile := model.NewProfile(run, transfer).Needing(task.Profile.Needs())
		out.Jobs[i].Stages = []model.Stage{{Name: "all", Groups: []model.Group{{Count: 1, Profile: profile}}}}
	}
	return &out
}

// alone is a job with a task that runs on one slave.
func alone(job model.Job, slaves, on int, run model.Time, needs model.Needs) model.Job {
	row := model.ConstRow(slaves, 0)
	profile := model.NewProfile(row.With([]model.SlaveID{model.SlaveID(on)}, run), row).Needing(needs)
	job.Stages = []model.Stage{{Name: "all", Groups: []model.Group{{Count: 1, Profile: profile}}}}
	return job
}

// Where work that was handed out before is reserved the bound is one, and on one slave the best is found, as by exhaustive search with that work
// where it is. Both checkers agree.
func TestTinyUnderWay(t *testing.T) {
	var samples []secondopinion.Sample
	met, open, loose := 0, 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 160, 1000)) {
		rng := rand.New(rand.NewPCG(seed, 6))
		slaves := 1 + int(seed%2)
		js, whole, places := underWay(drawn(rng, 6-slaves, slaves, seed%4 == 0), rng)
		best, err := oracle.SolveAfter(whole, []model.Objective{model.WeightedTardiness}, false, places, 0)
		if err != nil {
			t.Fatal(err)
		}
		if best.Status == model.Infeasible {
			continue
		}
		value := best.Values[0]
		if value == 0 || sequence.New(below(js, value), model.WeightedTardiness) == nil {
			continue // all that is late is under way, or would be late without the others
		}
		p := sequence.New(below(js, value+1), model.WeightedTardiness)
		if !p.Tight() {
			loose++
			bounded(t, js, value, seed)
			continue
		}
		s := searched(t, js, value, seed, seed%2 == 0)
		if s.Bound() < value {
			if open++; slaves == 1 {
				t.Errorf("seed %d: %d over %d, and the best is %d", seed, s.Value(), s.Bound(), value)
			}
			continue
		}
		met++
		if q := below(js, value+1); inference.CheckClaim(t.Context(), js, model.WeightedTardiness, value+1, s.Refutation(&q)) == nil {
			t.Errorf("seed %d: more than %d is claimed, and there is such a plan", seed, value)
		}
		if len(samples) < secondopinion.Count(12, 400) {
			samples = append(samples, secondopinion.Sample{JS: js, Text: text(js, below(js, value), s, value)})
		}
	}
	if t.Logf("%d met, %d open, %d loose", met, open, loose); met < 40 || loose < 5 {
		t.Error("too few to tell")
	}
	bothAgree(t, samples)
}

// bounded searches a set of which the optimum is known for a bound, and has it checked.
func bounded(t *testing.T, js *model.JobSet, best int64, seed uint64) {
	t.Helper()
	s := sequence.NewSearch(t.Context(), sequence.New(below(js, best+1), model.WeightedTardiness), model.NewSchedule(len(js.Tasks)), seed)
	for s.Open() {
		s.Run(t.Context(), 1)
	}
	if s.Bound() > best {
		t.Fatalf("seed %d: a bound of %d, and there is a plan with %d", seed, s.Bound(), best)
	}
	q := below(js, s.Bound())
	if s.Bound() == 0 || sequence.New(q, model.WeightedTardiness) == nil {
		return // it is that of what is under way
	}
	if err := inference.CheckClaim(t.Context(), js, model.WeightedTardiness, s.Bound(), s.Refutation(&q)); err != nil {
		t.Errorf("seed %d: a bound of %d: %v", seed, s.Bound(), err)
	}
}

// agreed has both checkers agree with what is said to prove sets; what is altered at random is refused, or as true.
func agreed(t *testing.T, samples []secondopinion.Sample) {
	t.Helper()
	bothAgree(t, samples)
	secondopinion.Altered(t, script, samples[:min(len(samples), secondopinion.Count(2, 60))])
}

// bothAgree has both checkers agree with what is said to prove sets.
func bothAgree(t *testing.T, samples []secondopinion.Sample) {
	t.Helper()
	for i, said := range secondopinion.Second(t, script, samples) {
		if first := samples[i].First(t); !strings.HasPrefix(first, "proved") || said != first {
			t.Errorf("%s, but by the second checker %s\n%s", first, said, samples[i].Text)
		}
	}
}

// The best of all orders of seven jobs on machines that are alike is found, and proved.
func TestAllOrdersOnMachines(t *testing.T) {
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 12, 50)) {
		js, _, err := gen.Family(fmt.Sprintf("parallel-7x%d", 2+seed%2), seed)
		if err != nil {
			t.Fatal(err)
		}
		p, best := sequence.New(below(js, 1<<30), model.WeightedTardiness), int64(1<<30)
		order := p.Order(model.NewSchedule(len(js.Tasks)))
		if permute(order, 0, func() { best = min(best, p.Value(order)) }); best > 0 {
			closed(t, js, best, seed)
		}
	}
}

// What a search that began with a far greater value finds follows from the times that the least value leaves, too.
func TestFromFarAbove(t *testing.T) {
	js := &model.JobSet{Heartbeat: 1, Objectives: []model.Objective{model.WeightedTardiness}, Slaves: []model.Slave{{Name: "m0", Cores: 1, Slots: 1}, {Name: "m1", Cores: 1, Slots: 1}}}
	for i, of := range []struct{ weight, due, first, second int64 }{{4, 3, 0, 3}, {2, 3, 3, 3}, {1, 2, 1, 4}, {3, 3, 4, 2}} {
		run := model.ConstRow(2, model.Time(of.second)).With([]model.SlaveID{0}, model.Time(of.first))
		js.Jobs = append(js.Jobs, model.Job{
			Name: fmt.Sprintf("j%d", i), Kind: model.Soft, Weight: of.weight, Deadline: model.Time(of.due),
			Stages: []model.Stage{{Name: "all", Groups: []model.Group{{Count: 1, Profile: model.NewProfile(run, model.ConstRow(2, 0))}}}},
		})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	best, err := oracle.Solve(js)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(30) {
		if s := searched(t, js, best.Values[0], 3*seed+2, seed%2 == 0); s.Bound() != best.Values[0] {
			t.Errorf("seed %d: a bound of %d, and the best is %d", seed, s.Bound(), best.Values[0])
		}
	}
}

// Of 12 to 24 jobs with releases on several machines, which take splits, all that is claimed is what the checker agrees to, also with
// subgradient steps in place of column generation, and both come to the same.
func TestManyParts(t *testing.T) {
	split := 0
	for seed := range uint64(16) {
		rng := rand.New(rand.NewPCG(seed, 7))
		slaves, jobs := 2+int(seed%4), 12+4*int(seed%4)
		js := &model.JobSet{Heartbeat: 1, Objectives: []model.Objective{model.WeightedTardiness}}
		for s := range slaves {
			js.Slaves = append(js.Slaves, model.Slave{Name: fmt.Sprintf("m%d", s), Cores: 1, Slots: jobs})
		}
		for i := range jobs {
			length := 1 + rng.IntN(30)
			js.Jobs = append(js.Jobs, model.Job{
				Name: fmt.Sprintf("j%d", i), Kind: model.Soft, Weight: int64(1 + rng.IntN(10)), Release: model.Time(rng.IntN(12 * jobs / slaves)), Deadline: model.Time(length + rng.IntN(20)),
				Stages: []model.Stage{{Name: "all", Groups: []model.Group{{Count: 1, Profile: model.NewProfile(model.ConstRow(slaves, model.Time(length)), model.ConstRow(slaves, 0))}}}},
			})
		}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		var bounds []int64
		for _, byColumns := range []bool{true, false} {
			s := sequence.NewSearch(t.Context(), sequence.New(below(js, 1<<30), model.WeightedTardiness), model.NewSchedule(len(js.Tasks)), seed)
			if !byColumns {
				s.BySteps()
			}
			for s.First(t.Context()); s.Open(); {
				s.Run(t.Context(), 1<<20)
			}
			q := below(js, s.Bound())
			by := s.Refutation(&q)
			if err := inference.CheckClaim(t.Context(), js, model.WeightedTardiness, s.Bound(), by); s.Bound() > 0 && err != nil {
				t.Errorf("seed %d: a bound of %d: %v", seed, s.Bound(), err)
			}
			if strings.Contains(string(by.Steps), " split.") {
				split++
			}
			bounds = append(bounds, s.Bound(), s.Value())
		}
		if slices.Min(bounds) != slices.Max(bounds) {
			t.Errorf("seed %d: bounds and values of %v", seed, bounds)
		}
	}
	if t.Logf("%d with splits", split); split < 10 {
		t.Error("too few to tell")
	}
}

// A search ends where a proof of what it comes to would have more passes than checkers take, or more left before splits.
func TestAsMuchAsProofsHave(t *testing.T) {
	for _, of := range []struct {
		name string
		seed uint64
	}{{"parallel-16x4", 0}, {"parallel-16x4", 1}, {"parallel-16x2", 1}} {
		js, _, err := gen.Family(of.name, of.seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, most := range [][2]int{{2, 1 << 20}, {1 << 14, 40}} {
			s := sequence.NewSearch(t.Context(), sequence.New(below(js, 1<<30), model.WeightedTardiness), model.NewSchedule(len(js.Tasks)), of.seed)
			s.AtMost(most[0], most[1])
			for s.First(t.Context()); s.Open(); {
				s.Run(t.Context(), 1<<10)
			}
			q := below(js, s.Bound())
			if err := inference.CheckClaim(t.Context(), js, model.WeightedTardiness, s.Bound(), s.Refutation(&q)); err != nil {
				t.Errorf("%+v: a bound of %d: %v", of, s.Bound(), err)
			}
			if s.Passes() > most[0] || s.Bound() == s.Value() {
				t.Errorf("%+v: with %v it is closed at %d by %d passes", of, most, s.Bound(), s.Passes())
			}
		}
	}
}

// What a job in nobody's way costs is no more, in units of a proof, than checkers count of one.
func TestCostlyBeside(t *testing.T) {
	js := &model.JobSet{Heartbeat: 1, Objectives: []model.Objective{model.WeightedTardiness}, Slaves: []model.Slave{{Name: "a", Cores: 1, Slots: 1}, {Name: "b", Cores: 1, Slots: 1}}}
	soft := model.Job{Kind: model.Soft, Weight: 1, Deadline: 1}
	costly := soft
	costly.Weight = 1_000_000
	js.Jobs = []model.Job{alone(costly, 2, 1, 6, model.Needs{Cores: 1}), alone(soft, 2, 0, 1, model.Needs{Cores: 1}), alone(soft, 2, 0, 1, model.Needs{Cores: 1})}
	for i := range js.Jobs {
		js.Jobs[i].Name = fmt.Sprint("j", i)
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	s := sequence.NewSearch(t.Context(), sequence.New(below(js, 5_000_010), model.WeightedTardiness), model.NewSchedule(3), 1)
	for s.First(t.Context()); s.Open(); {
		s.Run(t.Context(), 1<<10)
	}
	q := below(js, s.Bound())
	if err := inference.CheckClaim(t.Context(), js, model.WeightedTardiness, s.Bound(), s.Refutation(&q)); err != nil || s.Bound() != 5_000_001 {
		t.Errorf("a bound of %d: %v", s.Bound(), err)
	}
}

// On more machines than orders are for there is a bound all the same, for plans of others.
func TestManyMachines(t *testing.T) {
	js, _, err := gen.Family("parallel-40x20", 1)
	if err != nil {
		t.Fatal(err)
	}
	plan, values := lns.Search(t.Context(), js, lns.Options{Objectives: js.Objectives, Constructions: 200})
	p := sequence.New(below(js, values[1]), model.WeightedTardiness)
	if p == nil || !p.Tight() {
		t.Fatalf("no sequence on 20 machines for less than %v", values)
	}
	s := sequence.NewSearch(t.Context(), p, plan, 1)
	for s.First(t.Context()); s.Open() && s.Bound() == 0; {
		s.Run(t.Context(), 1<<10)
	}
	q := below(js, s.Bound())
	if err := inference.CheckClaim(t.Context(), js, model.WeightedTardiness, s.Bound(), s.Refutation(&q)); err != nil || s.Bound() == 0 || s.Schedule(js) != nil {
		t.Errorf("a bound of %d under %d: %v", s.Bound(), values[1], err)
	}
}

// The best of all orders of eight jobs is found, and proved.
func TestAllOrders(t *testing.T) {
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 30, 700)) {
		js := drawn(rand.New(rand.NewPCG(seed, 1)), 8, 1, false)
		for i := range js.Jobs {
			js.Jobs[i].Kind = model.Soft
			js.Jobs[i].Deadline = max(1, js.Jobs[i].Deadline)
		}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		p, best := sequence.New(below(js, 1<<30), model.WeightedTardiness), int64(1<<30)
		order := p.Order(model.NewSchedule(len(js.Tasks)))
		if permute(order, 0, func() { best = min(best, p.Value(order)) }); best > 0 {
			closed(t, js, best, seed)
		}
	}
}

func permute(order []int, from int, look func()) {
	if from == len(order) {
		look()
	}
	for k := from; k < len(order); k++ {
		order[from], order[k] = order[k], order[from]
		permute(order, from+1, look)
		order[from], order[k] = order[k], order[from]
	}
}

// A set of the literature's kind is closed.
func TestOneMachine(t *testing.T) {
	js, _, err := gen.Family("one-machine-20", 3)
	if err != nil {
		t.Fatal(err)
	}
	p := sequence.New(below(js, 1<<20), model.WeightedTardiness)
	s := sequence.NewSearch(t.Context(), p, model.NewSchedule(len(js.Tasks)), 1)
	s.First(t.Context())
	for s.Open() {
		s.Run(t.Context(), 1<<20)
	}
	q := below(js, s.Value())
	if err := inference.CheckClaim(t.Context(), js, model.WeightedTardiness, s.Value(), s.Refutation(&q)); s.Value() == 0 || s.Bound() != s.Value() || err != nil {
		t.Errorf("%d over %d: %v", s.Value(), s.Bound(), err)
	}
}

// A set is closed under a ceiling at which there is not the room for the largest walks, and no note tells of it.
func TestLittleMemory(t *testing.T) {
	js, _, err := gen.Family("one-machine-20", 3)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := memory.With(t.Context(), 100<<20, false)
	defer end()
	p := sequence.New(below(js, 1<<20), model.WeightedTardiness)
	if !memory.Allows(ctx, "a search", p.Bytes()) {
		t.Errorf("it takes %d bytes at least", p.Bytes())
	}
	s := sequence.NewSearch(ctx, p, model.NewSchedule(len(js.Tasks)), 1)
	for s.First(ctx); s.Open(); {
		s.Run(ctx, 1<<20)
	}
	if notes := memory.Notes(ctx); s.Bound() != s.Value() || len(notes) > 0 {
		t.Errorf("%d over %d, %q", s.Value(), s.Bound(), notes)
	}
}

// What is more than an order on one slave is another problem.
func TestOtherProblems(t *testing.T) {
	for what, change := range map[string]func(js *model.JobSet){
		"an absence": func(js *model.JobSet) { js.Slaves[0].Down = []model.Interval{{Start: 1, End: 2}} },
		"needs that differ": func(js *model.JobSet) {
			js.Slaves[0].Cores, js.Slaves[0].Slots, js.Slaves[0].Units[0] = 3, 9, 99
			of := &js.Jobs[0].Stages[0].Groups[0]
			of.Profile = of.Profile.Needing(model.Needs{Cores: 2})
		},
		"an order":  func(js *model.JobSet) { js.Jobs[1].After = []model.JobID{0} },
		"two tasks": func(js *model.JobSet) { js.Jobs[0].Stages[0].Groups[0].Count = 2 },
		"a cap":     func(js *model.JobSet) { js.Jobs[0].Stages[0].Groups[0].Count, js.Jobs[0].AtMost = 2, 1 },
		"another slave that goes away": func(js *model.JobSet) {
			another(js)
			js.Slaves[1].Down = []model.Interval{{Start: 1, End: 2}}
		},
		"a core that is taken in between": func(js *model.JobSet) {
			js.Slaves[0].Reservations = []model.Reservation{{Resource: model.Cores, Interval: model.Interval{Start: 1, End: 3}, Units: int64(js.Slaves[0].Cores)}}
		},
	} {
		js := drawn(rand.New(rand.NewPCG(1, 4)), 4, 1, false)
		for i := range js.Jobs {
			js.Jobs[i].Kind = model.Soft
			js.Jobs[i].Deadline = max(1, js.Jobs[i].Deadline)
		}
		if change(js); js.Assemble() != nil {
			t.Fatal(what)
		}
		if p := sequence.New(below(js, 100), model.WeightedTardiness); p != nil && p.Tight() {
			t.Errorf("%s: a sequence of %d jobs", what, len(p.Jobs))
		}
	}
}

// With a day far away there are few starts, and more ticks than there is room for; with many cores more lines than a proof has.
func TestTooMuch(t *testing.T) {
	for what, change := range map[string]func(js *model.JobSet){
		"a job far away": func(js *model.JobSet) {
			job := &js.Jobs[0]
			job.Kind, job.Weight, job.Release, job.Deadline = model.Hard, 1, 500_000_000, 8
		},
		"300 cores": func(js *model.JobSet) {
			js.Heartbeat, js.Jobs = 1, slices.Repeat(js.Jobs[:1], 301)
			for i := range js.Jobs {
				js.Jobs[i].Name, js.Jobs[i].Stages = fmt.Sprint(i), slices.Clone(js.Jobs[i].Stages)
			}
			js.Slaves[0].Cores, js.Slaves[0].Slots, js.Slaves[0].Units[0] = 300, 300, 9000
		},
	} {
		js := drawn(rand.New(rand.NewPCG(1, 4)), 4, 1, false)
		if change(js); js.Assemble() != nil {
			t.Fatal(what)
		}
		if p := sequence.New(below(js, 100), model.WeightedTardiness); p != nil {
			t.Errorf("%s: a problem of %d jobs", what, len(p.Jobs))
		}
	}
}

// Local search for an order of 500 jobs, which takes minutes, ends with the context.
func TestOrdersHeedContext(t *testing.T) {
	js := drawn(rand.New(rand.NewPCG(1, 4)), 4, 1, false)
	js.Heartbeat, js.Jobs = 1, slices.Repeat(js.Jobs[:1], 500)
	for i := range js.Jobs {
		js.Jobs[i].Name, js.Jobs[i].Kind, js.Jobs[i].Release, js.Jobs[i].Deadline = fmt.Sprint(i), model.Soft, 0, model.Time(1+i)
		js.Jobs[i].Stages = slices.Clone(js.Jobs[i].Stages)
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := sequence.New(below(js, 1<<30), model.WeightedTardiness)
	s := sequence.NewSearch(ctx, p, model.NewSchedule(len(js.Tasks)), 1)
	if evaluated := s.First(ctx); evaluated > 0 || s.Schedule(js) == nil {
		t.Errorf("%d jobs were evaluated, and the order is %v", evaluated, s.Schedule(js))
	}
}

// On any slaves the bound is one, and the checker goes through its refutation.
func TestTinyBounds(t *testing.T) {
	met, several := 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 100, 3000)) {
		rng := rand.New(rand.NewPCG(seed, 2))
		k := gen.TinyKnobs()
		k.Tasks, k.Tightness = gen.Range{Lo: 2, Hi: 8}, gen.Range{Lo: 30, Hi: 100}
		js, _ := gen.Random(k, seed)
		for i := range js.Jobs {
			js.Jobs[i].Kind, js.Jobs[i].Deadline = model.Soft, max(1, js.Jobs[i].Deadline/2)
			js.Jobs[i].Stages = js.Jobs[i].Stages[:1]
			js.Jobs[i].Stages[0].Groups = js.Jobs[i].Stages[0].Groups[:1]
			js.Jobs[i].Stages[0].Groups[0].Count = 1
		}
		for s := range js.Slaves {
			js.Slaves[s].Cores = max(1, js.Slaves[s].Cores-rng.IntN(2))
		}
		if js.Assemble() != nil {
			continue
		}
		best, err := oracle.SolveFor(js, []model.Objective{model.WeightedTardiness}, false)
		if err != nil {
			t.Fatal(err)
		}
		if best.Status == model.Infeasible || best.Values[0] == 0 {
			continue
		}
		value := best.Values[0]
		p := sequence.New(below(js, value+int64(seed%2)), model.WeightedTardiness) // else there is a plan of what is asked for
		if p == nil {
			continue
		}
		s := sequence.NewSearch(t.Context(), p, best.Schedule, seed)
		for s.Open() {
			s.Run(t.Context(), 1)
		}
		if s.Bound() > value {
			t.Fatalf("seed %d: a bound of %d, and there is a plan with %d", seed, s.Bound(), value)
		}
		if s.Bound() == value {
			met++
		}
		if len(js.Slaves) > 1 {
			several++
		}
		q := below(js, s.Bound())
		if err := inference.CheckClaim(t.Context(), js, model.WeightedTardiness, s.Bound(), s.Refutation(&q)); s.Bound() > 0 && err != nil {
			t.Fatalf("seed %d: a bound of %d of %d: %v", seed, s.Bound(), value, err)
		}
	}
	if t.Logf("%d met, %d of several slaves", met, several); met < 10 || several < 10 {
		t.Error("too few to tell")
	}
}

func another(js *model.JobSet) {
	other := js.Slaves[0]
	other.Name = "n"
	js.Slaves = append(js.Slaves, other)
	for i := range js.Jobs {
		profile := model.NewProfile(model.ConstRow(2, 2), model.ConstRow(2, 0))
		js.Jobs[i].Stages[0].Groups[0].Profile = profile
	}
}
