package cubes

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/internal/testkit/secondopinion"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
	"downbeat/solve/certify"
	"downbeat/solve/exact"
)

// script is the second checker.
const script = "../../model/check/inference/testdata/check_proof.py"

// array is a number of workers on one tree, as it would be in a folder.
type array struct {
	*State
	rng      *rand.Rand
	segments map[string][]*Segment
	workers  []*Worker
	made     int
}

// worker replaces one, which loses all that it has learnt.
func (a *array) worker(k int) {
	a.made++
	a.workers[k] = &Worker{Problem: a.Problem, Name: fmt.Sprint(a.made), Seed: uint64(a.made)}
}

// step has some worker do something about an open cube.
func (a *array) step(t *testing.T, c Cube, most int64) {
	k := a.rng.IntN(len(a.workers))
	if a.rng.IntN(6) == 0 {
		a.worker(k)
	}
	w := a.workers[k]
	out, err := w.Work(t.Context(), c.Literals, 1_000_000, most, a.Best)
	if err != nil {
		t.Fatalf("cube %v: %v", c, err)
	}
	literal := ""
	if len(c.Literals) < 8 && a.rng.IntN(2) == 0 { // as if its budget had ended
		if literal, err = w.half(t.Context(), c.Literals); err != nil {
			t.Fatal(err)
		}
	}
	switch {
	case literal != "":
		// What a search has told must not be lost: a shard writes it with what it refutes.
		if out.Refuted != nil {
			a.keep(out.Refuted.By)
		}
		a.Tree.Split(c.Name, literal)
	case out.Refuted != nil:
		a.keep(out.Refuted.By)
		a.Refute(c.Name, out.Refuted)
	case out.Plan != nil:
		a.Best = out.Plan
	default:
		t.Fatalf("nothing came of cube %v", c)
	}
}

func (a *array) keep(s *Segment) {
	if of := a.segments[s.Series]; len(of) < s.Number {
		a.segments[s.Series] = append(of, s)
	}
}

// conquer works on all cubes until none is open.
func conquer(t *testing.T, js *model.JobSet, goal []model.Objective, closed []int64, seed uint64) *array {
	p, err := New(js, goal, closed)
	if err != nil {
		t.Fatal(err)
	}
	a := &array{State: &State{Problem: p}, rng: rand.New(rand.NewPCG(seed, 3)), segments: map[string][]*Segment{}, workers: make([]*Worker, 3)}
	for k := range a.workers {
		a.worker(k)
	}
	all, best, err := p.splitAfter(t.Context(), a.rng.Int64N(2)*warmUp, nil, 0, 1+a.rng.IntN(7), exact.Options{}, seed)
	if err != nil {
		t.Fatal(err)
	}
	if a.Best = best; all == nil {
		return a
	}
	a.rng.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	if a.Tree, err = NewTree(all); err != nil {
		t.Fatal(err)
	}
	for {
		most, left := a.Target()
		if !left {
			return a
		}
		open := a.Open(most)
		a.step(t, open[a.rng.IntN(len(open))], most)
	}
}

// certificate is what the cubes prove.
func (a *array) certificate(t *testing.T) *certify.Certificate {
	most := a.Refuted()
	if most < 0 || a.Tree == nil {
		return nil
	}
	r, err := a.Resolve(t.Context(), most, func(series string, upTo int) ([]*Segment, error) {
		return a.segments[series][:upTo], nil
	})
	if err != nil {
		t.Fatal(err)
	}
	claim := inference.Claim{Infeasible: true}
	if most != AnyPlan {
		claim = inference.Claim{Objective: a.Goal[a.P], Least: most + 1}
		for i, o := range a.Goal[:a.P] {
			claim.Given = append(claim.Given, inference.Limit{Objective: o, Most: a.Closed[i]})
		}
	}
	return &certify.Certificate{JS: a.JS, Unit: 1, Claims: []certify.Claim{{Claim: claim, By: r}}}
}

// Cubes of tiny sets, worked on in any order by workers that come and go, come to what exhaustive
// search says; the merged proof is accepted by both checkers.
func TestAgainstExhaustiveSearch(t *testing.T) {
	testkit.OneGoroutine(t)
	splits, proofs := 0, []secondopinion.Sample{}
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 60, 400)) {
		js := gen.Tiny(seed)
		switch seed % 4 {
		case 1:
			js = gen.TodayTiny(seed)
		case 2:
			js = gen.KindredTiny(seed)
		case 3:
			js = gen.Coupled(gen.TodayTiny(seed), seed, seed%8 == 3)
		}
		js.FIFO = false
		if js.Leavable() != nil {
			continue
		}
		goal := js.Goal()
		goal = goal[:min(1+int(seed/4%2), len(goal))]
		want, err := oracle.SolveFor(js, goal, false)
		if err != nil {
			t.Fatal(err)
		}
		var closed []int64 // all but the last, where there is a plan
		if want.Schedule != nil && len(goal) > 0 {
			closed = want.Values[:len(goal)-1]
		}
		a := conquer(t, js, goal, closed, seed)
		if a.Best == nil != (want.Schedule == nil) {
			t.Errorf("seed %d: a plan: %v, by exhaustive search %v", seed, a.Best != nil, want.Schedule != nil)
			continue
		}
		if a.Best != nil && len(goal) > 0 {
			value := a.Value(a.Best)
			if got := a.InTicks(goal[a.P], value); got != want.Values[a.P] {
				t.Errorf("seed %d: %v %d, by exhaustive search %d", seed, goal[a.P], got, want.Values[a.P])
			}
		}
		if a.Tree != nil && a.Tree.Literal != "" {
			splits++
		}
		c := a.certificate(t)
		if c == nil {
			continue
		}
		var text bytes.Buffer
		if err := c.Write(&text); err != nil {
			t.Fatal(err)
		}
		if _, err := inference.CheckFile(t.Context(), a.JS, bytes.NewReader(text.Bytes())); err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, text.String())
		}
		proofs = append(proofs, secondopinion.Sample{JS: a.JS, Text: text.String()})
	}
	t.Logf("%d sets were split, %d proofs", splits, len(proofs))
	if splits < 10 || len(proofs) < 10 {
		t.Errorf("%d sets were split, %d proofs", splits, len(proofs))
	}
	proofs = proofs[:min(len(proofs), testkit.Sets(15, 200))]
	for i, said := range secondopinion.Second(t, script, proofs) {
		if first := proofs[i].First(t); first != said {
			t.Errorf("%s, but by the second checker %s\n%s", first, said, proofs[i].Text)
		}
	}
}

// A tree is as its cubes say, whatever their order, and none may be missing.
func TestTree(t *testing.T) {
	all := []Cube{{"1", []string{"x0.1", "s2<=4"}}, {"2", []string{"-x0.1"}}, {"3", []string{"x0.1", "s2>4"}}}
	tree, err := NewTree(all)
	if err != nil {
		t.Fatal(err)
	}
	if !tree.Split("3", "e0>7") || tree.Split("3", "e0>7") {
		t.Error("a cube was not split, or twice")
	}
	got := tree.Open(func(name string) bool { return name == "1" })
	want := []Cube{{"3.1", []string{"x0.1", "s2>4", "e0>7"}}, {"3.2", []string{"x0.1", "s2>4", "e0<=7"}}, {"2", []string{"-x0.1"}}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("open: %v, not %v", got, want)
	}
	for _, broken := range [][]Cube{all[:2], slices.Concat(all, all[:1]), {all[0], {"4", []string{"x1.1"}}}} {
		if _, err := NewTree(broken); err == nil {
			t.Errorf("a tree of %v", broken)
		}
	}
}

// What is refuted of a limit on when jobs end holds of lower ones, unless the order of equal tasks is lost
// with it: jobs that are equal while the limit decides when they end are not where their deadlines do.
func TestCarries(t *testing.T) {
	task := func(due int) string {
		return fmt.Sprintf("hard: true, deadline: %d, map: {tasks: 1, wcet: {a: 2}}", due)
	}
	for _, c := range []struct {
		name    string
		jobs    [2]string
		carries bool
	}{
		{"nothing is late", [2]string{task(90), task(90)}, true},
		{"one is due by the clock", [2]string{task(8), task(90)}, true},
	} {
		text := fmt.Sprintf("version: 1\ncluster: {heartbeat: 1, slaves: [{name: a, cores: 2, slots: 2}]}\njobs:\n  - {name: x, %s}\n  - {name: y, %s}\nobjective: makespan\n", c.jobs[0], c.jobs[1])
		js, err := jobfile.Load("set.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(js, []model.Objective{model.Makespan}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Carries(20, 10); got != c.carries {
			t.Errorf("%s: %v", c.name, got)
		}
		if p.Carries(10, 20) || !p.Carries(10, 10) {
			t.Errorf("%s: what is refuted of 10 says something of 20", c.name)
		}
	}
	// Of a soft job that is due by 5 and may be 4 late, and a hard one due by 9, the tasks are in order.
	text := "version: 1\ncluster: {heartbeat: 1, slaves: [{name: a, cores: 2, slots: 2}]}\njobs:\n  - {name: x, hard: true, deadline: 9, map: {tasks: 1, wcet: {a: 2}}}\n  - {name: y, deadline: 5, map: {tasks: 1, wcet: {a: 2}}}\nobjective: tardiness\n"
	js, err := jobfile.Load("set.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(js, []model.Objective{model.Tardiness}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.Carries(4, 3) || !p.Carries(3, 2) {
		t.Errorf("from 4 to 3: %v, from 3 to 2: %v", p.Carries(4, 3), p.Carries(3, 2))
	}
	if p.Carries(AnyPlan, 2) {
		t.Error("what is refuted of the hard jobs alone is taken to hold of all")
	}
}
