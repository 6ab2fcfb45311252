package check

import (
	"fmt"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/naive"
	"downbeat/model"
)

// trusted are the packages of the standard library that what is trusted may use: none
// of them reads a file.
var trusted = []string{
	"cmp", "context", "crypto/sha256", "errors", "fmt", "math", "math/big", "math/bits", "slices", "sort", "strconv", "strings", "time",
}

// TestImports keeps what checks apart from what makes plans, and from files: of the
// program the package knows packages model and order only, and that which checks arguments
// these and proof.
func TestImports(t *testing.T) {
	known := []string{"downbeat/model", "downbeat/model"}
	for from, known := range map[string][]string{
		"downbeat/model/check": known,
		// It reads the lines of proofs, from what it is given.
		"downbeat/model/check/inference": append(slices.Clip(known), "downbeat/model/proof", "bufio", "bytes", "io", "iter"),
	} {
		if bad := imports(t, from, append(slices.Clip(known), trusted...)); len(bad) > 0 {
			t.Errorf("%s rests on more than it should:\n%s", from, strings.Join(bad, "\n"))
		}
	}
	// The walk finds what it is to find: the reader of job sets is no package to trust.
	bad := strings.Join(imports(t, "downbeat/model/files/jobfile", append(known, trusted...)), "\n")
	for _, want := range []string{
		"downbeat/model/files/jobfile imports downbeat/model/files/document", "downbeat/model/files/jobfile imports gopkg.in/yaml.v3",
		"downbeat/model/files/jobfile imports encoding/json", "downbeat/model/files/document imports bytes", "downbeat/model/files/document imports io",
	} {
		if !strings.Contains(bad, want) {
			t.Errorf("the walk does not find that %s:\n%s", want, bad)
		}
	}
}

// imports lists what a package, and what it imports of the program, import beyond the
// packages that are allowed.
func imports(t *testing.T, from string, allowed []string) (bad []string) {
	t.Helper()
	seen, todo := map[string]bool{from: true}, []string{from}
	for len(todo) > 0 {
		pkg := todo[0]
		todo = todo[1:]
		folder := filepath.Join("..", "..", strings.TrimPrefix(pkg, "downbeat/"))
		for _, path := range importsOf(t, folder) {
			if !slices.Contains(allowed, path) {
				bad = append(bad, pkg+" imports "+path)
			}
			if strings.HasPrefix(path, "downbeat/") && !seen[path] {
				seen[path] = true
				todo = append(todo, path)
			}
		}
	}
	return bad
}

// importsOf lists the imports of the package in a folder, without its tests.
func importsOf(t *testing.T, folder string) (paths []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files in %s, %v", len(files), folder, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range tree.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
		}
	}
	return paths
}

// rowOfTasks is a slave with the given slots and cores, and a job with n tasks
// of execution time 2; its plan hands all of them out at 0 and runs them one
// after the other.
func rowOfTasks(t testing.TB, n, cores, slots int) (*model.JobSet, *model.Plan) {
	js := &model.JobSet{
		Heartbeat: 1,
		Slaves:    []model.Slave{{Name: "s", Cores: cores, Slots: slots}},
		Jobs: []model.Job{{Name: "j", Stages: []model.Stage{{Name: "m", Groups: []model.Group{
			{Count: n, Profile: model.NewProfile(model.ConstRow(1, 2), model.ConstRow(1, 0))},
		}}}}},
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	p := &model.Plan{Version: model.PlanVersion}
	for i := range n {
		start := model.Time(2 * i)
		p.Tasks = append(p.Tasks, model.TaskResult{Job: "j", Stage: "m", Task: i + 1, Slave: "s", Start: start, Finish: start + 2})
	}
	return js, p
}

func TestVersion(t *testing.T) {
	js, p := rowOfTasks(t, 3, 1, 3)
	if rep := Plan(js, p); !rep.OK() || rep.Err() != nil {
		t.Fatal(rep.Err())
	}
	p.Version = 2
	if rep := Plan(js, p); len(rep.Violations) != 1 || rep.Violations[0].Rule != "version" {
		t.Errorf("version 2: %v", rep.Err())
	}
}

// An overload of many tasks is one violation, and its lists stay short.
func TestOverloadsAreMerged(t *testing.T) {
	js, p := rowOfTasks(t, 100, 1, 10)
	rep := Plan(js, p)
	if len(rep.Violations) != 1 {
		t.Fatalf("want one violation: %v", rep.Err())
	}
	v := rep.Violations[0]
	want := "C5: machine s holds up to 100 tasks at once in [0, 180), it has 10 slots: at 0 " +
		"j/m/1, j/m/2, j/m/3, j/m/4, j/m/5, j/m/6, j/m/7, j/m/8 and 92 more"
	if v.String() != want {
		t.Errorf("%s\nwant %s", v.String(), want)
	}
	if len(v.Tasks) != 50 || v.More != 50 || v.Slave != "s" || v.At != (model.Interval{Start: 0, End: 180}) {
		t.Errorf("%d tasks and %d more on %s in %v", len(v.Tasks), v.More, v.Slave, v.At)
	}
	if err := rep.Err(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v", err)
	}
}

// The order of a plan's lines changes nothing.
func TestOrderOfLinesDoesNotMatter(t *testing.T) {
	compared := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 4))
		js, p := naive.Random(t, r, seed%2 == 0)
		m := mutate(r, js, mutate(r, js, p))
		want := Plan(js, m)
		if slices.ContainsFunc(want.Violations, func(v Violation) bool { return v.Rule == "duplicate" }) {
			continue // the first line counts
		}
		shuffled := *m
		shuffled.Tasks = slices.Clone(m.Tasks)
		r.Shuffle(len(m.Tasks), func(i, j int) {
			shuffled.Tasks[i], shuffled.Tasks[j] = shuffled.Tasks[j], shuffled.Tasks[i]
		})
		got := Plan(js, &shuffled)
		if diff := cmp.Diff(byLine(want), byLine(got)); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
		compared++
	}
	if compared < 100 {
		t.Errorf("only %d plans compared", compared)
	}
}

// byLine is the report as text, faults of single lines in order.
func byLine(r *Report) string {
	var out []string
	for _, v := range r.Violations {
		out = append(out, v.String())
	}
	slices.Sort(out)
	return strings.Join(out, "\n") + fmt.Sprint(r.HardLate)
}

// TestEveryFalseClaimIsFound changes one claim of a valid plan at a time.
func TestEveryFalseClaimIsFound(t *testing.T) {
	changes := map[string]func(r *rand.Rand, p *model.Plan) bool{
		"digest": func(_ *rand.Rand, p *model.Plan) bool {
			p.Digest = p.Digest[:len(p.Digest)-1]
			return true
		},
		"status": func(r *rand.Rand, p *model.Plan) bool {
			p.Status = []string{"unknown", "infeasible", "optimal", "best"}[r.IntN(4)]
			return true
		},
		"value":      func(r *rand.Rand, p *model.Plan) bool { anyOf(r, p.Objectives).Value += 1 + r.Int64N(5); return true },
		"low value":  func(r *rand.Rand, p *model.Plan) bool { anyOf(r, p.Objectives).Value -= 1 + r.Int64N(5); return true },
		"name":       func(r *rand.Rand, p *model.Plan) bool { anyOf(r, p.Objectives).Name = "hard-misses"; return true },
		"other name": func(r *rand.Rand, p *model.Plan) bool { anyOf(r, p.Objectives).Name = "cost"; return true },
		"objective twice": func(r *rand.Rand, p *model.Plan) bool {
			o := *anyOf(r, p.Objectives)
			o.Bound = nil
			p.Objectives = append(p.Objectives, o)
			return true
		},
		"bound": func(r *rand.Rand, p *model.Plan) bool {
			o := anyOf(r, p.Objectives)
			b := o.Value + 1
			o.Bound = &b
			return true
		},
		"open": func(r *rand.Rand, p *model.Plan) bool {
			b := int64(0)
			p.Objectives[0].Bound, p.Objectives[1+r.IntN(3)].Bound = nil, &b
			return true
		},
		"finish": func(r *rand.Rand, p *model.Plan) bool {
			anyOf(r, p.Jobs).Finish += 1 - 2*model.Time(r.IntN(2))
			return true
		},
		"late": func(r *rand.Rand, p *model.Plan) bool {
			anyOf(r, p.Jobs).Late += 1 - 2*model.Time(r.IntN(2))
			return true
		},
		"deadline": func(r *rand.Rand, p *model.Plan) bool {
			j := anyOf(r, p.Jobs)
			due := model.Time(7)
			if j.Deadline != nil {
				due = *j.Deadline + 1
			}
			j.Deadline = &due
			return true
		},
		"no deadline": func(r *rand.Rand, p *model.Plan) bool {
			j := anyOf(r, p.Jobs)
			had := j.Deadline != nil
			j.Deadline = nil
			return had
		},
		"job":       func(r *rand.Rand, p *model.Plan) bool { anyOf(r, p.Jobs).Job = "nobody"; return true },
		"duration":  func(r *rand.Rand, p *model.Plan) bool { anyOf(r, p.Tasks).Duration = 3; return true },
		"job twice": func(r *rand.Rand, p *model.Plan) bool { p.Jobs = append(p.Jobs, *anyOf(r, p.Jobs)); return true },
		"relaxed":   func(_ *rand.Rand, p *model.Plan) bool { p.Relaxed = true; return true },
		"kind":      func(_ *rand.Rand, p *model.Plan) bool { p.Kind = "dreamt"; return true },
		"executed": func(_ *rand.Rand, p *model.Plan) bool {
			p.Kind = model.KindExecuted
			return p.Objectives[0].Bound != nil
		},
		"rejected": func(r *rand.Rand, p *model.Plan) bool { p.Rejected = []string{anyOf(r, p.Jobs).Job}; return true },
		"proof without a bound": func(r *rand.Rand, p *model.Plan) bool {
			o := anyOf(r, p.Objectives)
			o.Proof = model.DualProof.String()
			return o.Bound == nil
		},
		"other proof": func(r *rand.Rand, p *model.Plan) bool { anyOf(r, p.Objectives).Proof = "luck"; return true },
		"proof of all": func(_ *rand.Rand, p *model.Plan) bool {
			p.Solver = &model.SolverInfo{Proof: "luck"}
			return true
		},
		"version": func(r *rand.Rand, p *model.Plan) bool { p.Version = r.IntN(2) * 2; return true },
	}
	for what, change := range changes {
		made := 0
		for seed := range testkit.Sets[uint64](20, 60) {
			r := rand.New(rand.NewPCG(seed, 5))
			js, p := naive.Random(t, r, false)
			closeOptimum(r, p)
			if rep := Plan(js, p); !rep.OK() {
				t.Fatalf("seed %d: %v", seed, rep.Err())
			}
			before := fmt.Sprintf("%+v", p)
			if !change(r, p) {
				continue
			}
			made++
			if Plan(js, p).OK() {
				t.Errorf("%s, seed %d: found nothing\nbefore %s\nafter %+v", what, seed, before, p)
			}
		}
		if made == 0 {
			t.Errorf("%s: no change made", what)
		}
	}
}

func anyOf[T any](r *rand.Rand, items []T) *T { return &items[r.IntN(len(items))] }

// closeOptimum claims bounds that the values reach for some first objectives;
// that they were proved is the solver's word.
func closeOptimum(r *rand.Rand, p *model.Plan) {
	for i := range r.IntN(len(p.Objectives)) {
		b := p.Objectives[i].Value
		p.Objectives[i].Bound = &b
	}
}

// Hard jobs that are late are results in relaxed and executed plans.
func TestHardLate(t *testing.T) {
	js, p := rowOfTasks(t, 3, 1, 3)
	js.Jobs[0].Kind, js.Jobs[0].Deadline = model.Hard, 5
	s := naive.Schedule(js, p)
	for _, c := range []struct {
		what  string
		rep   *Report
		rules string
	}{
		{"plan", Plan(js, p), "C8"},
		{"schedule", Schedule(js, s, false), "C8"},
		{"relaxed schedule", Schedule(js, s, true), ""},
		{"relaxed plan", Plan(js, &model.Plan{Version: 1, Relaxed: true, Tasks: p.Tasks}), ""},
		{"executed plan", Plan(js, &model.Plan{Version: 1, Kind: model.KindExecuted, Tasks: p.Tasks}), ""},
	} {
		var rules []string
		for _, v := range c.rep.Violations {
			rules = append(rules, v.Rule)
		}
		if strings.Join(rules, " ") != c.rules || !slices.Equal(c.rep.HardLate, []model.JobID{0}) {
			t.Errorf("%s: rules %v, hard late %v", c.what, rules, c.rep.HardLate)
		}
	}
}

// Schedules with holes, wrong lengths and numbers at the ends of the range are
// refused, not added up.
func TestWildSchedules(t *testing.T) {
	js, p := rowOfTasks(t, 3, 1, 3)
	good := naive.Schedule(js, p)
	for want, change := range map[string]func(s model.Schedule) model.Schedule{
		"missing":        func(s model.Schedule) model.Schedule { s[1].Slave = model.NoSlave; return s },
		"name missing":   func(s model.Schedule) model.Schedule { return s[:2] },
		"name":           func(s model.Schedule) model.Schedule { return append(s, s[0]) },
		"name (slave)":   func(s model.Schedule) model.Schedule { s[0].Slave = 1; return s },
		"name (slave -)": func(s model.Schedule) model.Schedule { s[0].Slave = -2; return s },
		"time (beat)":    func(s model.Schedule) model.Schedule { s[0].Beat = math.MaxInt64; return s },
		"time (beat -)":  func(s model.Schedule) model.Schedule { s[0].Beat = math.MinInt64; return s },
		"time (start)":   func(s model.Schedule) model.Schedule { s[0].Start = math.MaxInt64; return s },
		"time (start -)": func(s model.Schedule) model.Schedule { s[0].Start = -1; return s },
		"time (fetch)":   func(s model.Schedule) model.Schedule { s[0].Fetch = model.Never; return s },
	} {
		rep := Schedule(js, change(slices.Clone(good)), false)
		var rules []string
		for _, v := range rep.Violations {
			rules = append(rules, v.Rule)
		}
		if name, _, _ := strings.Cut(want, " ("); strings.Join(rules, " ") != name {
			t.Errorf("%s: %v", want, rep.Err())
		}
	}
	if rep := Schedule(js, good, false); !rep.OK() {
		t.Error(rep.Err())
	}
}

// A sum of weighted lateness beyond 64 bits is no reason to agree with a claim.
func TestWideSums(t *testing.T) {
	js, p := rowOfTasks(t, 1, 1, 1)
	js.Jobs[0].Kind, js.Jobs[0].Deadline, js.Jobs[0].Weight = model.Soft, 1, 16
	p.Tasks[0].Start = model.Never - 3
	p.Tasks[0].Finish = model.Never - 1
	late := int64(model.Never) - 2 // times 16 it wraps round to -32
	p.Objectives = []model.ObjectiveValue{{Name: "weighted-tardiness", Value: late * 16}}
	rep := Plan(js, p)
	if len(rep.Violations) != 1 || !strings.Contains(rep.Violations[0].Message, "it is 18446744073709551584") {
		t.Errorf("%v", rep.Err())
	}
}
