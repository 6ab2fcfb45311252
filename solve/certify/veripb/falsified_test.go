package veripb_test

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/irifrance/gini"
	"github.com/irifrance/gini/z"

	"downbeat/encode/cnf"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/internal/testkit/secondopinion"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/solve/certify/veripb"
)

// hasSolution asks gini whether constraints, as VeriPB reads them, have a solution.
func hasSolution(t *testing.T, opb string) bool {
	t.Helper()
	formula, variables := cnf.New(), map[string]z.Lit{}
	for line := range strings.Lines(opb) {
		fields := strings.Fields(line)
		if fields[0] == "*" {
			continue
		}
		number := func(text string) int64 {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		var lits []z.Lit
		var needs []int64
		room := -number(fields[len(fields)-2])
		for i := 0; fields[i] != ">="; i += 2 {
			n, name := number(fields[i]), fields[i+1]
			if variables[name] == 0 {
				variables[name] = formula.Lit()
			}
			l := variables[name]
			if n < 0 {
				l, n = l.Not(), -n
			} else {
				room += n
			}
			lits, needs = append(lits, l.Not()), append(needs, n)
		}
		if room < 0 {
			return false
		}
		formula.AtMostSum(lits, needs, room)
	}
	if formula.Empty() {
		return false
	}
	g := gini.New()
	formula.Feed(g)
	return g.Solve() == 1
}

// tight reports whether exhaustive search finds a plan with the value that a claim says is the least.
func tight(t *testing.T, js *model.JobSet, proof string, v *inference.Verdict, c *inference.Claim) bool {
	t.Helper()
	if c.Infeasible || v.LeftOut != nil || v.Without != nil || !strings.Contains(proof, "\ntick 1\n") {
		return false
	}
	relaxed := c.Objective == model.HardMisses
	goal, most := []model.Objective{}, []int64{}
	for _, g := range c.Given {
		goal, most = append(goal, g.Objective), append(most, g.Most)
		relaxed = relaxed || g.Objective == model.HardMisses
	}
	best, err := oracle.SolveFor(js, append(goal, c.Objective), relaxed)
	if err != nil || best.Status == model.Infeasible {
		return false
	}
	for i, g := range most {
		if best.Values[i] > g {
			return false
		}
	}
	return best.Values[len(goal)] == c.Least
}

// oneMore says the refutation of a claim for the question that allows the value that is claimed to be the least: with all times and numbers of
// that, or, where it is noticed that it comes to nothing, as it was.
func oneMore(t *testing.T, js *model.JobSet, proof string, c *inference.Claim, honest *said) *said {
	t.Helper()
	outline, err := veripb.Survey(t.Context(), js, strings.NewReader(proof), c.Question)
	if err != nil {
		t.Fatal(err)
	}
	outline.Ask(func(q *veripb.Question) {
		if most, is := q.Limits[c.Objective]; is {
			q.Limits[c.Objective] = most + 1
		}
		for k := range q.Jobs {
			if !c.Objective.Shape().Counts() && q.Jobs[k].Role != "may" {
				q.Jobs[k].By++
			}
		}
	})
	var opb, pbp bytes.Buffer
	w, err := outline.Write(t.Context(), js, strings.NewReader(proof), nil, &opb, &pbp)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Unsaid) > 0 {
		return &said{opb.String(), honest.pbp}
	}
	return &said{opb.String(), pbp.String()}
}

// allowing is the same with one constraint, drawn at random, less by some or gone, so that there is a solution; nil if none is found.
func (s *said) allowing(t *testing.T, rng *rand.Rand) *said {
	t.Helper()
	lines := strings.SplitAfter(s.opb, "\n")
	for range 8 {
		k := rng.IntN(len(lines) - 1)
		head, least, is := strings.Cut(lines[k], ">= ")
		if !is {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSuffix(least, " ;\n"), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		was := lines[k]
		lines[k] = head + ">= " + strconv.FormatInt(n-1-rng.Int64N(3), 10) + " ;\n"
		if opb := strings.Join(lines, ""); hasSolution(t, opb) {
			return &said{opb, s.pbp}
		}
		lines[k] = was
	}
	return nil
}

// VeriPB refuses each falsified proof: of a claim one better than the truth, which exhaustive search tells, said with all that belongs to it;
// of that with a line altered; and of constraints one of which allows more, where gini finds a solution.
func TestFalsified(t *testing.T) {
	by, refused := checker(t), map[string]int{}
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 12, 600)) {
		js, rng := draw(seed), rand.New(rand.NewPCG(seed, 1))
		_, proof, v := proofOf(t, js, seed%3 == 0)
		if v == nil {
			continue
		}
		for _, c := range v.Claims {
			s, not := say(t, js, proof, c.Question)
			if len(not) > 0 {
				continue
			}
			lies := map[string]*said{"of a constraint that allows more": s.allowing(t, rng)}
			if tight(t, js, proof, v, &c) {
				lie := oneMore(t, js, proof, &c, s)
				if !hasSolution(t, lie.opb) {
					t.Errorf("seed %d: exhaustive search finds a plan with %s, and there is no solution", seed, secondopinion.Claimed(&c))
				}
				lies["of one better than the truth"] = lie
				lies["of one better than the truth, with a line altered"] = lie.altered(rng)
			}
			for what, lie := range lies {
				if lie == nil {
					continue
				}
				refused[what]++
				if ok, _ := lie.accepts(t, by); ok {
					t.Errorf("seed %d: accepted is a proof %s\n%s\n%s", seed, what, lie.opb, lie.pbp)
				}
			}
		}
	}
	t.Logf("refused are proofs %v", refused)
	if len(refused) < 3 {
		t.Errorf("none of a kind: %v", refused)
	}
}
