package gen

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/jobfile"
	"downbeat/model/window"
	"downbeat/solve/energy"
)

const sets = 300

func TestSameSeedSameSet(t *testing.T) {
	other := 0
	for seed := range uint64(sets) {
		a, b := Tiny(seed), Tiny(seed)
		if a.Digest() != b.Digest() || !slices.Equal(a.Objectives, b.Objectives) {
			t.Fatalf("seed %d: two different tiny sets", seed)
		}
		if Tiny(seed+1).Digest() != a.Digest() {
			other++
		}
	}
	if other < sets*9/10 {
		t.Errorf("only %d of %d sets differ from the next", other, sets)
	}
	for _, name := range append(FamilyNames(), ClassicNames()...) {
		a, s, err := Family(name, 7)
		b, r, _ := Family(name, 7)
		if err != nil || a.Digest() != b.Digest() || !slices.Equal(s, r) {
			t.Errorf("family %s: two different sets from one seed (%v)", name, err)
		}
	}
	if _, _, err := Family("nonsense", 1); err == nil {
		t.Error("an unknown family was made")
	}
}

// features that tests count on to be there.
var features = map[string]func(*model.JobSet) bool{
	"concurrent fetch":  func(js *model.JobSet) bool { return js.Fetch == model.FetchConcurrent },
	"fifo":              func(js *model.JobSet) bool { return js.FIFO },
	"heartbeat 1":       func(js *model.JobSet) bool { return js.Heartbeat == 1 },
	"heartbeat 4":       func(js *model.JobSet) bool { return js.Heartbeat == 4 },
	"staggered beats":   anySlave(func(s *model.Slave) bool { return s.FirstBeat > 0 }),
	"split slots":       anySlave(func(s *model.Slave) bool { return s.SplitSlots }),
	"no slot of a kind": anySlave(func(s *model.Slave) bool { return s.SplitSlots && s.MapSlots*s.ReduceSlots == 0 }),
	"slots below cores": anySlave(func(s *model.Slave) bool { return s.TotalSlots() < s.Cores }),
	"one absence":       anySlave(func(s *model.Slave) bool { return len(s.Down) == 1 }),
	"two absences":      anySlave(func(s *model.Slave) bool { return len(s.Down) == 2 }),
	"equal slaves":      anySlave(func(s *model.Slave) bool { return s.Name != s.Class }),
	"hard":              anyJob(func(j *model.Job) bool { return j.Kind == model.Hard }),
	"soft":              anyJob(func(j *model.Job) bool { return j.Kind == model.Soft }),
	"best-effort":       anyJob(func(j *model.Job) bool { return j.Kind == model.BestEffort }),
	"weight":            anyJob(func(j *model.Job) bool { return j.Weight > 1 }),
	"late release":      anyJob(func(j *model.Job) bool { return j.Release > 0 }),
	"three stages":      anyJob(func(j *model.Job) bool { return len(j.Stages) == 3 }),
	"reduce only":       anyJob(func(j *model.Job) bool { return j.Stages[0].Name == "reduce" }),
	"equal tasks":       anyJob(func(j *model.Job) bool { return j.Stages[0].Groups[0].Count > 1 }),
	"objective list":    func(js *model.JobSet) bool { return len(js.Objectives) > 1 },
	"no objective":      func(js *model.JobSet) bool { return js.Objectives == nil },
	"barred":            anyFigures(func(p *model.Profile, s model.SlaveID) bool { return !p.Eligible(s) }),
	"no transfer":       anyFigures(func(p *model.Profile, s model.SlaveID) bool { return p.Transfer(s) == 0 }),
	"uneven wcet": anyFigures(func(p *model.Profile, s model.SlaveID) bool {
		return s > 0 && p.Eligible(s) && p.Eligible(s-1) && p.WCET(s) != p.WCET(s-1)
	}),
	"uneven transfer": anyFigures(func(p *model.Profile, s model.SlaveID) bool {
		return s > 0 && p.Eligible(s) && p.Eligible(s-1) && p.Transfer(s) != p.Transfer(s-1)
	}),
}

func anySlave(yes func(*model.Slave) bool) func(*model.JobSet) bool {
	return func(js *model.JobSet) bool {
		return slices.ContainsFunc(js.Slaves, func(s model.Slave) bool { return yes(&s) })
	}
}

func anyJob(yes func(*model.Job) bool) func(*model.JobSet) bool {
	return func(js *model.JobSet) bool {
		return slices.ContainsFunc(js.Jobs, func(j model.Job) bool { return yes(&j) })
	}
}

func anyFigures(yes func(*model.Profile, model.SlaveID) bool) func(*model.JobSet) bool {
	return func(js *model.JobSet) bool {
		for t := range js.Tasks {
			for s := range js.Slaves {
				if yes(js.Tasks[t].Profile, model.SlaveID(s)) {
					return true
				}
			}
		}
		return false
	}
}

func TestTinyHasEveryFeature(t *testing.T) {
	count := map[string]int{}
	for seed := range uint64(sets) {
		js := Tiny(seed)
		if n := len(js.Tasks); n < 1 || n > 6 || len(js.Slaves) > 3 {
			t.Fatalf("seed %d: %d tasks on %d slaves", seed, n, len(js.Slaves))
		}
		for name, has := range features {
			if has(js) {
				count[name]++
			}
		}
	}
	for name := range features {
		if count[name] < sets/50 {
			t.Errorf("%s: in only %d of %d sets", name, count[name], sets)
		}
	}
}

// TestTinyIsMixed holds the doc of Tiny to its word.
func TestTinyIsMixed(t *testing.T) {
	infeasible, late := 0, 0
	for seed := range uint64(sets) {
		js := Tiny(seed)
		a, err := oracle.SolveFor(js, []model.Objective{model.Misses}, false)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		switch {
		case a.Status == model.Infeasible:
			infeasible++
		case a.Values[0] > 0:
			late++
		}
	}
	t.Logf("of %d sets %d are infeasible, %d have a late job in every plan", sets, infeasible, late)
	if sum := infeasible + late; infeasible < sets/20 || late < sets/20 || sum < sets/4 || sum > sets/2 {
		t.Errorf("of %d sets %d are infeasible and %d have a late job", sets, infeasible, late)
	}
}

func TestSmallHasTheTasks(t *testing.T) {
	for seed := range uint64(100) {
		n := 8 + int(seed%7)
		if js := Small(seed, n); len(js.Tasks) != n {
			t.Fatalf("seed %d: %d tasks, want %d", seed, len(js.Tasks), n)
		}
	}
}

// TestSerialOnEveryFeature checks the scheduler behind the witnesses.
func TestSerialOnEveryFeature(t *testing.T) {
	for seed := range uint64(sets) {
		for _, js := range []*model.JobSet{Tiny(seed), Small(seed, 12)} {
			order := make([]model.JobID, len(js.Jobs))
			for i := range order {
				order[i] = model.JobID(i)
			}
			if err := check.Schedule(js, serial(js, order), true).Err(); err != nil {
				t.Fatalf("seed %d, %d tasks: %v", seed, len(js.Tasks), err)
			}
		}
	}
}

// sizes are those at which families of any size are tried.
var sizes = []int{20, 40, 60, 80, 100}

// ofSizes are all traits at these sizes.
func ofSizes() []string {
	var names []string
	for _, trait := range TraitNames() {
		for _, n := range sizes {
			names = append(names, fmt.Sprintf("%s-%d", trait, n))
		}
	}
	return names
}

func TestSizes(t *testing.T) {
	for _, name := range ofSizes() {
		i := strings.LastIndexByte(name, '-')
		want, _ := strconv.Atoi(name[i+1:])
		for seed := range uint64(5) {
			js, _, err := Family(name, seed)
			if err != nil {
				t.Fatal(err)
			}
			if len(js.Tasks) != want || len(js.Slaves) != 2+want/20 {
				t.Errorf("%s: %d tasks on %d slaves", js.Name, len(js.Tasks), len(js.Slaves))
			}
			isSoft := func(j model.Job) bool { return j.Kind == model.Soft }
			soft := slices.Contains([]string{"misses", "tardiness", "weighted-tardiness"}, name[:i])
			if slices.ContainsFunc(js.Jobs, isSoft) != soft {
				t.Errorf("%s: wrong kinds of jobs", js.Name)
			}
			if goal := fmt.Sprint(js.Goal()); soft != (goal == "["+name[:i]+"]") {
				t.Errorf("%s: objective %s", js.Name, goal)
			}
		}
	}
}

func TestUnknownFamilies(t *testing.T) {
	for _, name := range []string{"", "tight-", "tight-9", "tight-1001", "tight-forty", "tiny-20", "tight-medium-20", "-20",
		"jobshop", "jobshop-10", "jobshop-0x5", "jobshop-10x301", "jobshop-10x10x10", "project-9", "project-301", "project-"} {
		if js, _, err := Family(name, 1); err == nil {
			t.Errorf("family %q has %d tasks", name, len(js.Tasks))
		}
	}
}

// TestSeedsDiffer: nobody measures one set several times.
func TestSeedsDiffer(t *testing.T) {
	for _, name := range slices.Concat(FamilyNames(), ClassicNames(), ofSizes()) {
		seeds := uint64(4)
		if name == "infeasible" || name == "squeezed" {
			seeds = testkit.Sets[uint64](6, 100)
		}
		first := map[string]uint64{}
		for seed := range seeds {
			js, _, err := Family(name, seed)
			if err != nil {
				t.Fatal(err)
			}
			if other, seen := first[js.Digest()]; seen {
				t.Errorf("%s: seeds %d and %d make one set", name, other, seed)
			}
			first[js.Digest()] = seed
		}
	}
}

func TestWitnesses(t *testing.T) {
	for _, name := range slices.Concat(FamilyNames(), ClassicNames(), ofSizes()) {
		trait := strings.TrimRight(name, "-0123456789")
		for seed := range testkit.Sets[uint64](2, 6) {
			js, witness, err := Family(name, seed)
			if err != nil {
				t.Fatal(err)
			}
			if trait == "infeasible" || trait == "squeezed" || strings.HasPrefix(trait, "jobshop-hard") {
				if witness != nil {
					t.Errorf("%s %d: there is a witness", name, seed)
				}
				continue
			}
			if err := check.Schedule(js, witness, false).Err(); err != nil {
				t.Errorf("%s %d: %v", name, seed, err)
			}
		}
	}
}

// TestTightIsTight: cutting one tick more from the deadlines of a tight family
// than the slack allows breaks the witness.
func TestTightIsTight(t *testing.T) {
	for _, name := range []string{"tight", "tight-laid", "tight-medium", "tight-medium-laid"} {
		js, witness, err := Family(name, 3)
		if err != nil {
			t.Fatal(err)
		}
		for i := range js.Jobs {
			js.Jobs[i].Deadline -= 3
		}
		if late := check.Schedule(js, witness, false).HardLate; len(late) != len(js.Jobs) {
			t.Errorf("%s: with 3 ticks less only %d of %d jobs are late", name, len(late), len(js.Jobs))
		}
	}
}

// TestOverloaded: counting never speaks against a set that has a plan.
func TestOverloaded(t *testing.T) {
	fired := 0
	for seed := range uint64(5000) {
		js := Tiny(seed)
		if !overloaded(js, leastWork(js)) {
			continue
		}
		fired++
		if a, err := oracle.Solve(js); err != nil || a.Status != model.Infeasible {
			t.Fatalf("seed %d: overloaded, but %v (%v)", seed, a.Status, err)
		}
	}
	if fired < 10 {
		t.Errorf("counting shows only %d of 5000 sets infeasible", fired)
	}
	for _, name := range []string{"tight", "tight-laid", "tight-medium", "tight-medium-laid"} {
		for seed := range uint64(50) {
			if js, _, _ := Family(name, seed); overloaded(js, leastWork(js)) {
				t.Fatalf("%s %d is feasible, but counted as overloaded", name, seed)
			}
		}
	}
}

func TestInfeasible(t *testing.T) {
	for _, size := range []string{"", "-20", "-60", "-100"} {
		for seed := range uint64(8) {
			for _, trait := range []string{"infeasible", "squeezed"} {
				js, _, err := Family(trait+size, seed)
				if err != nil {
					t.Fatal(err)
				}
				if overloaded(js, leastWork(js)) != (trait == "infeasible") {
					t.Errorf("%s: counting shows it to be infeasible: %v", js.Name, overloaded(js, leastWork(js)))
				}
				for i := range js.Jobs {
					if alone(js, model.JobID(i)) > js.Jobs[i].Due() {
						t.Errorf("%s: job %d does not fit even alone", js.Name, i)
					}
				}
			}
		}
	}
}

// TestLargeContended: jobs must be late, and none because of itself.
func TestLargeContended(t *testing.T) {
	for seed := range uint64(3) {
		js, _, err := Family("large-contended", seed)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(js.Tasks); n < 980 || n > 1020 || len(js.Slaves) != 30 {
			t.Errorf("seed %d: %d tasks on %d slaves", seed, n, len(js.Slaves))
		}
		due := make([]model.Time, len(js.Jobs))
		for i := range due {
			due[i] = js.Jobs[i].Due()
		}
		w := window.Compute(js, due)
		for i := range due {
			if w.IsLate(model.JobID(i)) {
				t.Errorf("seed %d: job %d is late by itself", seed, i)
			}
		}
		if least, _ := energy.Misses(t.Context(), js); least == 0 {
			t.Errorf("seed %d: nothing shows that a job must be late", seed)
		}
	}
}

// TestTightIsNoGift: a list schedule by release or by deadline seldom meets the
// deadlines of the tight families, so a search has something to do.
func TestTightIsNoGift(t *testing.T) {
	keys := map[string]func(*model.Job) model.Time{
		"release":  func(j *model.Job) model.Time { return j.Release },
		"deadline": func(j *model.Job) model.Time { return j.Due() },
	}
	const seeds = 40
	for _, name := range []string{"tight", "tight-laid", "tight-medium", "tight-medium-laid"} {
		for by, key := range keys {
			met := 0
			for seed := range uint64(seeds) {
				js, _, err := Family(name, seed)
				if err != nil {
					t.Fatal(err)
				}
				order := make([]model.JobID, len(js.Jobs))
				for i := range order {
					order[i] = model.JobID(i)
				}
				slices.SortStableFunc(order, func(a, b model.JobID) int {
					return cmp.Compare(key(&js.Jobs[a]), key(&js.Jobs[b]))
				})
				if js.Value(model.HardMisses, js.Finishes(serial(js, order))) == 0 {
					met++
				}
			}
			t.Logf("%s by %s: %d of %d", name, by, met, seeds)
			if met > seeds/2 {
				t.Errorf("%s: a list schedule by %s meets all deadlines of %d of %d sets", name, by, met, seeds)
			}
		}
	}
}

// TestScaleShared: sets have what tasks share, of one pool less in the second half, and more is asked of
// the overloaded one than there is, over the whole time up to the last deadline; no job is late by itself,
// and files hold all of it.
func TestScaleShared(t *testing.T) {
	for _, overloaded := range []bool{false, true} {
		js := ScaleShared(1000, 1, overloaded)
		if n := len(js.Tasks); n < 1000 || n > 1004 {
			t.Errorf("%d tasks", n)
		}
		gangs, apart, capped := 0, 0, 0
		due, last := make([]model.Time, len(js.Jobs)), model.Time(0)
		for i := range js.Jobs {
			due[i] = js.Jobs[i].Due()
			last = max(last, due[i])
			for _, st := range js.Jobs[i].Stages {
				gangs, apart = gangs+count(st.IsGang()), apart+count(st.IsApart())
				capped += count(st.AtMost > 0)
			}
		}
		if gangs < 3 || apart < 1 || gangs == apart || capped < 5 {
			t.Errorf("%d gangs, %d stages apart, %d caps", gangs, apart, capped)
		}
		if levels := js.Pools[licences].Levels; len(levels) != 2 || levels[1].Amount >= levels[0].Amount {
			t.Errorf("licences: %v", levels)
		}
		taken := model.Time(0)
		for _, id := range js.Shared()[connections].Tasks {
			least := model.Never
			js.Tasks[id].EachRun(func(wcet, transfer model.Time, _ model.SlaveID) { least = min(least, wcet+transfer) })
			taken += least
		}
		if there := model.Time(js.Shared()[connections].Most()) * last; overloaded != (taken > there) {
			t.Errorf("overloaded %t: %d units × ticks taken of %d", overloaded, taken, there)
		}
		w := window.Compute(js, due)
		for i := range due {
			if w.IsLate(model.JobID(i)) {
				t.Errorf("job %d is late by itself", i)
			}
		}
		var text bytes.Buffer
		if err := jobfile.Write(&text, js); err != nil {
			t.Fatal(err)
		}
		if read, err := jobfile.Load("scale.yaml", text.Bytes()); err != nil || read.Digest() != js.Digest() {
			t.Errorf("the file holds another set (%v)", err)
		}
	}
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// TestScale: the sizes are as asked for, no job is late by itself, and the file
// of a large set stays within what the reader takes.
func TestScale(t *testing.T) {
	for _, c := range []struct {
		tasks int
		draw  func(int, uint64) *model.JobSet
	}{{100, Scale}, {1000, Scale}, {100, ScaleToday}, {1000, ScaleToday}, {10000, Scale}}[:testkit.Sets(4, 5)] {
		tasks := c.tasks
		js := c.draw(tasks, 1)
		if n := len(js.Tasks); n < tasks || n > tasks+1 || len(js.Slaves) != tasks/100 {
			t.Errorf("%d tasks on %d slaves, want %d on %d", len(js.Tasks), len(js.Slaves), tasks, tasks/100)
		}
		if js.Digest() != c.draw(tasks, 1).Digest() || js.Digest() == c.draw(tasks, 2).Digest() {
			t.Errorf("%d tasks: the set is not the seed's", tasks)
		}
		due := make([]model.Time, len(js.Jobs))
		for i := range due {
			due[i] = js.Jobs[i].Due()
		}
		w := window.Compute(js, due)
		for i := range due {
			if w.IsLate(model.JobID(i)) {
				t.Errorf("%d tasks: job %d is late by itself", tasks, i)
			}
		}
		var text bytes.Buffer
		if err := jobfile.Write(&text, js); err != nil {
			t.Fatal(err)
		}
		if perTask := text.Len() / tasks; perTask > 500 {
			t.Errorf("%d tasks: a file of %d bytes, %d for a task", tasks, text.Len(), perTask)
		}
		read, err := jobfile.Load("scale.yaml", text.Bytes())
		if err != nil || read.Digest() != js.Digest() {
			t.Errorf("%d tasks: the file holds another set (%v)", tasks, err)
		}
	}
}
