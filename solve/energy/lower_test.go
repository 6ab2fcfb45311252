package energy_test

import (
	"context"
	"encoding/csv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/clock"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/solve/energy"
)

var lowers = map[model.Objective]func(context.Context, *model.JobSet) (int64, *proof.EnergyBound){
	model.Misses:            energy.Misses,
	model.Tardiness:         energy.Tardiness,
	model.WeightedTardiness: energy.WeightedTardiness,
	model.Makespan:          energy.Makespan,
}

// lower computes a bound and has it rechecked.
func lower(t *testing.T, js *model.JobSet, o model.Objective) (int64, *proof.EnergyBound) {
	t.Helper()
	v, c := lowers[o](context.Background(), js)
	if c.Value != v || c.Objective != o {
		t.Fatalf("%s: bound %d with a certificate for %s of %d", o, v, c.Objective, c.Value)
	}
	if proved, _, err := energy.Recheck(context.Background(), js, c); err != nil || proved != v {
		t.Fatalf("%s of at least %d: %v\n%s", o, v, err, strings.Join(energy.Sentences(js, c), "\n"))
	}
	return v, c
}

// idleBound is a bound beyond a known one by what is idle, rechecked; 0 where it is no higher.
func idleBound(t *testing.T, js *model.JobSet, o model.Objective, known int64) (int64, *proof.EnergyBound) {
	t.Helper()
	return beyond(t, energy.Idle, js, o, known)
}

// beyond is a bound beyond a known one, rechecked; 0 where it is no higher.
func beyond(t *testing.T, by func(context.Context, *model.JobSet, model.Objective, int64) (int64, *proof.EnergyBound), js *model.JobSet, o model.Objective, known int64) (int64, *proof.EnergyBound) {
	t.Helper()
	if o != model.Makespan && o != model.Tardiness {
		return 0, nil
	}
	v, c := by(t.Context(), js, o, known)
	if v > 0 && v <= known || v != c.Value {
		t.Fatalf("%s: a bound of %d with a certificate of %d, %d was known", o, v, c.Value, known)
	}
	if proved, _, err := energy.Recheck(t.Context(), js, c); err != nil || proved != v {
		t.Fatalf("%s of at least %d: %v\n%s", o, v, err, strings.Join(energy.Sentences(js, c), "\n"))
	}
	return v, c
}

// No bound may be above the optimum, and on tiny sets most should be equal to it.
func TestBoundsAgainstExhaustiveSearch(t *testing.T) {
	var solved, met, infeasible, refuted int
	for seed := range uint64(*sets) / 5 {
		js := gen.Tiny(seed)
		if seed%4 == 3 {
			js = gen.TodayTiny(seed)
		}
		sh := energy.Infeasible(t.Context(), js)
		for o := range lowers {
			best, err := oracle.SolveFor(js, []model.Objective{o}, false)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if best.Status == model.Infeasible {
				infeasible++
				if sh != nil {
					refuted++
				}
				break
			}
			if sh != nil {
				t.Fatalf("seed %d has a plan, but %s", seed, sh.Sentence(js, clock.Clock{}))
			}
			v, c := lower(t, js, o)
			if v > best.Values[0] {
				t.Fatalf("seed %d: %s is %d, not at least %d:\n%s", seed, o, best.Values[0], v, strings.Join(energy.Sentences(js, c), "\n"))
			}
			if idle, c := idleBound(t, js, o, v); idle > best.Values[0] {
				t.Fatalf("seed %d: %s is %d, not at least %d:\n%s", seed, o, best.Values[0], idle, strings.Join(energy.Sentences(js, c), "\n"))
			}
			solved++
			if v == best.Values[0] {
				met++
			}
		}
	}
	t.Logf("%d of %d infeasible sets refuted, %d of %d optima met", refuted, infeasible, met, solved)
	if refuted*100 < infeasible*85 || met*10 < solved*9 {
		t.Error("the bounds are weaker than they were")
	}
}

// No bound may be above the value of any schedule in which hard jobs are in time.
func TestBoundsAgainstSchedules(t *testing.T) {
	for seed := range uint64(*sets) / 5 {
		js := randomSet(seed)
		finishes := js.Finishes(witness(t, js, rand.New(rand.NewPCG(seed, 2))))
		if js.Value(model.HardMisses, finishes) > 0 {
			continue
		}
		for o := range lowers {
			if v, c := lower(t, js, o); v > js.Value(o, finishes) {
				t.Fatalf("seed %d: a schedule has %s %d, not at least %d:\n%s",
					seed, o, js.Value(o, finishes), v, strings.Join(energy.Sentences(js, c), "\n"))
			} else if idle, c := idleBound(t, js, o, v); idle > js.Value(o, finishes) {
				t.Fatalf("seed %d: a schedule has %s %d, not at least %d:\n%s",
					seed, o, js.Value(o, finishes), idle, strings.Join(energy.Sentences(js, c), "\n"))
			} else if weighed, c := beyond(t, energy.Weighted, js, o, v); weighed > js.Value(o, finishes) {
				t.Fatalf("seed %d: a schedule has %s %d, not at least %d:\n%s",
					seed, o, js.Value(o, finishes), weighed, strings.Join(energy.Sentences(js, c), "\n"))
			}
		}
	}
}

// The bounds on sets with known values; the floors are what the bounds reached
// when this was written.
func TestBoundsOnKnownSets(t *testing.T) {
	floor := map[string]int64{
		"tiny-11": 2, "tiny-12": 3, "tiny-13": 1,
		"misses-11": 4, "misses-12": 6, "misses-13": 3,
		"tardiness-11": 6, "tardiness-12": 7, "tardiness-13": 8,
		"misses-medium-12": 6, "misses-medium-13": 4,
	}
	for _, row := range benchRows(t, "chuffed.csv") {
		name, status, value := row[0], row[5], row[6]
		if status == "unknown" || status == "" {
			continue
		}
		js := loadBench(t, name)
		sh := energy.Infeasible(t.Context(), js)
		if status == "infeasible" {
			t.Logf("%s: infeasible; refuted: %t", name, sh != nil)
			continue
		}
		if sh != nil {
			t.Fatalf("%s is feasible, but %s", name, sh.Sentence(js, clock.Clock{}))
		}
		if len(js.Goal()) == 0 {
			continue
		}
		best, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		o := js.Goal()[0]
		v, c := lower(t, js, o)
		t.Logf("%s: %s %d %s, bound %d", name, o, best, status, v)
		if v > best || v < floor[name] {
			t.Errorf("%s: bound %d, value %d, expected at least %d:\n%s",
				name, v, best, floor[name], strings.Join(energy.Sentences(js, c), "\n"))
		}
	}
}

// Job shops, parallel machines and single machines with published optima, and
// the bounds reached when this was written.
func TestBoundsOnClassicSets(t *testing.T) {
	floor := map[string]int64{
		"fjsp-kacem1": 11, "fjsp-mk01": 39, "jsp-ft06": 52, "jsp-ft10": 808, "jsp-la01": 666, "jsp-la02": 655,
		"jsp-la05": 593, "lmax-shopalg-a": 6, "pcmax-u_1_0010_05_3": 120, "sumu-wt40-001": 3,
	}
	for _, row := range benchRows(t, "external/expected.csv") {
		js := loadBench(t, "external/"+row[0])
		best, err := strconv.ParseInt(row[3], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		v, c := lower(t, js, js.Goal()[0])
		t.Logf("%s: %s %d, bound %d", row[0], row[2], best, v)
		if v > best || v < floor[row[0]] {
			t.Errorf("%s: bound %d, optimum %d:\n%s", row[0], v, best, strings.Join(energy.Sentences(js, c), "\n"))
		}
	}
}

// large-11 is beyond the exact methods; the bound must come quickly and hold together.
func TestBoundsOnLargeSet(t *testing.T) {
	js := loadBench(t, "large-11")
	for o := range lowers {
		v, c := lower(t, js, o)
		t.Logf("%s: at least %d by %d arguments", o, v, len(c.Overloads))
		if v == 0 {
			t.Errorf("no bound on %s", o)
		}
	}
}

// On an overloaded cluster many jobs must be late, and any of them can be: the
// argument must come without listing all choices.
func TestMissesUnderOverload(t *testing.T) {
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "one", Cores: 4, Slots: 8}}}
	work := int64(0)
	for i := range 80 {
		wcet := model.Time(10 + i*7%13)
		work += 4 * int64(wcet)
		profile := model.NewProfile(model.ConstRow(1, wcet), model.ConstRow(1, 0))
		js.Jobs = append(js.Jobs, model.Job{
			Name: "j" + strconv.Itoa(i), Kind: model.Soft, Deadline: 600, Weight: 1 + int64(i%3),
			Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: 4, Profile: profile}}}},
		})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	v, c := lower(t, js, model.Misses)
	t.Logf("%d core-ticks of work for 2400: at least %d by %d arguments: %v", work, v, len(c.Overloads), energy.Sentences(js, c))
	// The heaviest relief is 22 · 4 ticks for a weight of 1, so this many at least.
	if v < (work-2400)/88 || len(c.Overloads) > 5 {
		t.Errorf("a bound of %d by %d arguments", v, len(c.Overloads))
	}
}

// A bound asked for with no time left is still a bound.
func TestBoundsWhenOutOfTime(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	js := mustLoad(t, strings.ReplaceAll(clash, "hard: true", "weight: 2"))
	for o := range lowers {
		v, c := lowers[o](ctx, js)
		if proved, _, err := energy.Recheck(context.Background(), js, c); err != nil || v != c.Value || proved != v {
			t.Errorf("%s: %d: %v", o, v, err)
		}
	}
}

// What jobs must pay is raised a few times for each, not without end, also where slaves go for good so that soft jobs have no plan.
func TestBoundsWhereSlavesGo(t *testing.T) {
	for seed := range testkit.Sets[uint64](600, 5000) {
		js := gen.GoneTiny(seed)
		if _, c := energy.WeightedTardiness(t.Context(), js); len(c.Overloads) > 4*len(js.Jobs) {
			t.Errorf("seed %d: %d arguments on %d jobs", seed, len(c.Overloads), len(js.Jobs))
		}
	}
}

// A bound that runs out of time at any point is one, and no better than the whole.
func TestBoundsCutShort(t *testing.T) {
	less := 0
	for seed := range testkit.Sets[uint64](30, 300) {
		js := gen.Small(seed, 8)
		if energy.Infeasible(t.Context(), js) != nil {
			continue // any bound holds of no plan
		}
		for o := range lowers {
			whole, _ := lowers[o](t.Context(), js)
			for polls := 1; polls < 2000; polls *= 3 {
				v, c := lowers[o](testkit.After(t.Context(), polls), js)
				if proved, _, err := energy.Recheck(context.Background(), js, c); err != nil || proved != v || v > whole {
					t.Errorf("seed %d, %s, %d polls: %d of %d (%v)", seed, o, polls, v, whole, err)
				}
				if v < whole {
					less++
				}
			}
		}
	}
	if less == 0 {
		t.Error("nothing was cut short")
	}
}

// benchFolder holds job sets with known optima.
const benchFolder = "../../../shared/bench"

func loadBench(t *testing.T, name string) *model.JobSet {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(benchFolder, name+".yaml"))
	if err != nil {
		t.Skipf("the shared job sets are not here: %v", err)
	}
	js, err := jobfile.Load(name, src)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// benchRows are the lines of a table of known values, without its heading.
func benchRows(t *testing.T, name string) [][]string {
	t.Helper()
	file, err := os.Open(filepath.Join(benchFolder, name))
	if err != nil {
		t.Skipf("the table of known values is not here: %v", err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

// TestLargeJobShops: of job shops of thousands of tasks the bound is what their machines have to do, each by itself, or more.
func TestLargeJobShops(t *testing.T) {
	for _, family := range []string{"jobshop-100x20", "jobshop-300x20"} {
		js, _, err := gen.Family(family, 1)
		if err != nil {
			t.Fatal(err)
		}
		loads := make([]model.Time, len(js.Slaves))
		for k := range js.Tasks {
			for s := range loads {
				loads[s] += js.Tasks[k].WCET(model.SlaveID(s))
			}
		}
		if bound, _ := energy.Makespan(t.Context(), js); bound < int64(slices.Max(loads)) {
			t.Errorf("%s: bound %d, a machine has %d to do", family, bound, slices.Max(loads))
		}
	}
}

// Two soft jobs that cannot both be in time pay once, be it that one more comes after them, and presses them, which is not in time with them either.
func TestBoundsWhereSoftJobsPress(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: 1, Slots: 1}}}
	p := model.NewProfile(model.ConstRow(1, 6), model.ConstRow(1, 0))
	for i, due := range []model.Time{20, 21, 26} {
		js.Jobs = append(js.Jobs, model.Job{
			Name: string(rune('a' + i)), Kind: model.Soft, Weight: 1, Deadline: due,
			Stages: []model.Stage{{Name: "all", Groups: []model.Group{{Count: 2 - i/2, Profile: p}}}},
		})
	}
	js.Jobs[2].After = []model.JobID{0, 1}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	value, c := energy.WeightedTardiness(ctx, js)
	want, err := oracle.SolveFor(js, []model.Objective{model.WeightedTardiness}, false)
	if err != nil {
		t.Fatal(err)
	}
	if rechecked, _, err := energy.Recheck(ctx, js, c); err != nil || rechecked != value || value < 1 || value > want.Values[0] {
		t.Errorf("%d, by the checker %d, %v; %d is the least", value, rechecked, err, want.Values[0])
	}
}
