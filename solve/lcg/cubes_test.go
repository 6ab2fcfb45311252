package lcg_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/lcg"
)

// TestCubesAreTheWhole: a question is answered as one, and as cubes each of which is asked of a
// search of its own. Where all cubes are refuted, their refutations together are one that the
// checker accepts.
func TestCubesAreTheWhole(t *testing.T) {
	answers, split := map[lcg.Answer]int{}, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 40, 250)) {
		js := coupledTiny(seed)
		if seed%2 == 0 {
			js = small(seed/2, 8+int(seed%7))
			js.FIFO = false
		}
		rng := rand.New(rand.NewPCG(seed, 20))
		lim := tightLimits(js, rng)
		_, relaxed := lim[model.HardMisses]
		q := query.Within(js, relaxed, lim)
		whole, _, err := lcg.SolveBriefly(q, seed)
		if err != nil {
			t.Fatal(err)
		}
		if whole == lcg.Unknown {
			continue
		}
		answers[whole]++
		first := newSearch(t, q, lcg.Options{Seed: seed, Cubes: true})
		first.Run(t.Context(), after(rng.IntN(2)))
		cubes, err := first.Split(t.Context(), 2+rng.IntN(8), nil)
		if err != nil {
			t.Fatal(err)
		}
		split += len(cubes)
		if seed%4 == 0 {
			cubes = besideNothing(cubes)
		}
		file, satisfiable := merged{clauses: map[string]int64{}}, false
		for _, cube := range cubes {
			s := newSearch(t, q, lcg.Options{Seed: rng.Uint64(), Record: true})
			if err := s.Assume(cube); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			a, plan := s.Run(t.Context(), nil)
			switch {
			case a == lcg.Satisfiable:
				satisfiable = true
				if err := keeps(js, plan, lim, relaxed); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			case slices.ContainsFunc(s.Failed(), func(l string) bool { return !slices.Contains(cube, opposite(l)) }):
				t.Fatalf("seed %d: %v fail in cube %v", seed, s.Failed(), cube)
			default:
				file.add(s.Refutation(), s.Failed())
			}
		}
		if len(cubes) > 0 && satisfiable != (whole == lcg.Satisfiable) {
			t.Fatalf("seed %d: answer %d, but of cubes %v: satisfiable %v", seed, whole, cubes, satisfiable)
		}
		if len(cubes) == 0 && whole != lcg.Unsatisfiable {
			t.Fatalf("seed %d: answer %d, but there are no cubes", seed, whole)
		}
		if satisfiable || len(cubes) == 0 {
			continue
		}
		last := file.close(nil, cubes)
		text := proofFile(js, lim, &proof.Refutation{Question: q.Lines(), Steps: file.steps, Last: last})
		if _, err := inference.CheckFile(t.Context(), js, bytes.NewReader(text)); err != nil {
			t.Fatalf("seed %d, cubes %v: %v\n%s", seed, cubes, err, excerpt(text, err))
		}
	}
	if answers[lcg.Satisfiable] == 0 || answers[lcg.Unsatisfiable] == 0 {
		t.Errorf("answers %v are one-sided", answers)
	}
	t.Log(answers, split, "cubes")
}

// besideNothing are cubes with one more, in which there is nothing since an integer is out of its
// bounds.
func besideNothing(cubes [][]string) [][]string {
	for _, cube := range cubes {
		for _, l := range cube {
			of, _, found := strings.Cut(l, "<=")
			if !found || l[0] == 'e' || l[0] == 'u' {
				continue
			}
			out := [][]string{{of + ">100000"}}
			for _, cube := range cubes {
				out = append(out, append([]string{of + "<=100000"}, cube...))
			}
			return out
		}
	}
	return cubes
}

func newSearch(t testing.TB, q query.Question, opt lcg.Options) *lcg.Search {
	t.Helper()
	s, err := lcg.New(t.Context(), q, opt.Named())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// after stops a search after some polls.
func after(polls int) func() bool {
	return func() bool { polls--; return polls < 0 }
}

// merged are refutations one after the other.
type merged struct {
	steps []byte
	last  int64
	// clauses are those that they end in, literals in order, with their steps.
	clauses map[string]int64
}

func clauseName(clause []string) string {
	return strings.Join(slices.Sorted(slices.Values(clause)), " ")
}

// add adds a refutation, of which all steps get other numbers.
func (m *merged) add(r *proof.Refutation, clause []string) {
	first := m.last
	renumber := func(words []string) {
		for i := range words {
			n, err := strconv.ParseInt(words[i], 10, 64)
			if err != nil {
				panic(err)
			}
			words[i] = strconv.FormatInt(first+n, 10)
		}
	}
	for line := range strings.Lines(string(r.Steps)) {
		words := strings.Fields(line)
		switch words[0] {
		case "c":
			renumber(words[1:2])
		case "n":
			renumber(words[1:2])
			hints := 3 + slices.Index(words[3:], ":")
			renumber(words[hints+1:])
		case "d":
			renumber(words[1:])
		}
		m.steps = append(m.steps, strings.Join(words, " ")...)
		m.steps = append(m.steps, '\n')
	}
	m.last = first + r.Last
	m.clauses[clauseName(clause)] = m.last
}

// close derives that the literals of a path in the tree of cubes do not hold together, and returns
// the step that says so, of these or of some of them.
func (m *merged) close(path []string, cubes [][]string) int64 {
	for name, step := range m.clauses {
		if !slices.ContainsFunc(strings.Fields(name), func(l string) bool { return !slices.Contains(path, opposite(l)) }) {
			return step
		}
	}
	below := slices.IndexFunc(cubes, func(cube []string) bool {
		return len(cube) > len(path) && slices.Equal(cube[:len(path)], path)
	})
	if below < 0 {
		panic(fmt.Sprint("no cube goes on from ", path))
	}
	l := cubes[below][len(path)]
	one := m.close(append(slices.Clip(path), l), cubes)
	other := m.close(append(slices.Clip(path), opposite(l)), cubes)
	m.last++
	var clause []string
	for _, l := range path {
		clause = append(clause, opposite(l))
	}
	m.steps = fmt.Appendf(m.steps, "%s\n", strings.Join(strings.Fields(fmt.Sprintf("n %d : %s : %d %d", m.last, strings.Join(clause, " "), one, other)), " "))
	return m.last
}

// opposite negates a literal of a proof file.
func opposite(l string) string {
	switch {
	case l[0] == '-':
		return l[1:]
	case l[0] == 'x':
		return "-" + l
	case strings.Contains(l, ">"):
		return strings.Replace(l, ">", "<=", 1)
	}
	return strings.Replace(l, "<=", ">", 1)
}

// TestWhatIsAssumed: words that a question has no variable for, and literals that contradict each
// other, are told of; what never holds is refuted, and what always holds changes nothing.
func TestWhatIsAssumed(t *testing.T) {
	js, _, err := gen.Family("tight", 1)
	if err != nil {
		t.Fatal(err)
	}
	q := query.Within(js, false, nil)
	s := newSearch(t, q, lcg.Options{Record: true})
	for _, wrong := range [][]string{
		{""}, {"s"}, {"s1"}, {"x1.0", "-s1<=4"}, {"s1<4"}, {"sx<=4"}, {"s99999<=4"}, {"y1<=4"}, {"x1"}, {"x1.999"},
		{"s1<=999999999999"}, {"s1<=20", "s1>20"}, {"s1<=20", "s1>25"}, {"s1>25", "s1<=20"},
	} {
		if err := s.Assume(wrong); err == nil {
			t.Errorf("%q may be assumed", wrong)
		}
	}
	if err := s.Assume([]string{"s1<=100000", "s1>-5"}); err != nil {
		t.Fatal(err)
	}
	if a, _ := s.Run(t.Context(), nil); a != lcg.Satisfiable {
		t.Errorf("answer %d with what is always so", a)
	}
	for _, never := range []string{"s1>100000", "s1<=-5"} {
		if err := s.Assume([]string{"s2<=30", never}); err != nil {
			t.Fatal(err)
		}
		if a, _ := s.Run(t.Context(), nil); a != lcg.Unsatisfiable || !slices.Equal(s.Failed(), []string{opposite(never)}) {
			t.Errorf("%s: answer %d, failed %q", never, a, s.Failed())
		}
	}
	if err := s.Assume(nil); err != nil {
		t.Fatal(err)
	}
	if a, _ := s.Run(t.Context(), nil); a != lcg.Satisfiable || s.Refutation() != nil {
		t.Errorf("answer %d at last", a)
	}
}

// TestClashes: jobs that clash are some of those that are supposed to be in time, and have no plan together; where
// there is a plan it has all that are supposed in time. A search goes on from one supposition to the next.
func TestClashes(t *testing.T) {
	answers, fewer := map[lcg.Answer]int{}, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 150, 1500)) {
		js := coupledTiny(seed)
		if seed%2 == 0 {
			js = small(seed/2, 8+int(seed%7))
		}
		js.FIFO = false
		rng := rand.New(rand.NewPCG(seed, 21))
		q := query.Within(js, false, query.Limits{model.Misses: 1 << 40})
		q.Limits = nil
		s := newSearch(t, q, lcg.Options{Seed: seed})
		for range 6 {
			var jobs []model.JobID
			for i := range js.Jobs {
				if js.Jobs[i].Kind == model.Soft && q.Role[i] != query.Out && rng.IntN(4) > 0 {
					jobs = append(jobs, model.JobID(i))
				}
			}
			s.AssumeInTime(jobs)
			a, plan := s.Run(t.Context(), after(20))
			answers[a]++
			switch a {
			case lcg.Satisfiable:
				finishes := js.Finishes(heuristics.Complete(js, plan))
				for _, i := range jobs {
					if js.Jobs[i].Late(finishes[i]) > 0 {
						t.Fatalf("seed %d: job %d is late, and was supposed to be in time", seed, i)
					}
				}
			case lcg.Unsatisfiable:
				clash := s.FailedJobs()
				if len(clash) < len(jobs) {
					fewer++
				}
				part := q
				part.Role, part.Cap = slices.Clone(q.Role), slices.Clone(q.Cap)
				for i := range part.Role {
					switch in := slices.Contains(clash, model.JobID(i)); {
					case in && !slices.Contains(jobs, model.JobID(i)):
						t.Fatalf("seed %d: job %d clashes, and was not supposed to be in time", seed, i)
					case in:
						part.Role[i], part.Cap[i] = query.Must, min(q.Cap[i], js.Jobs[i].Due())
					case part.Role[i] == query.May:
						part.Role[i] = query.Out
					}
				}
				if again, _, err := lcg.SolveBriefly(part, seed); err != nil || again == lcg.Satisfiable {
					t.Fatalf("seed %d: jobs %v clash, and have a plan, %v", seed, clash, err)
				}
			}
		}
	}
	if answers[lcg.Satisfiable] == 0 || answers[lcg.Unsatisfiable] == 0 || fewer == 0 {
		t.Errorf("answers %v are one-sided", answers)
	}
	t.Log(answers, fewer, "of fewer jobs")
}
