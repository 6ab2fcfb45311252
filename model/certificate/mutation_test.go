package certificate_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/model/certificate"
	"downbeat/model/certificate/certificatetest"
	"downbeat/model/gen"
	"downbeat/model/longtest"
	"downbeat/model/oracle"
	"downbeat/model/query"
)

// tiny is a job set with times so short that a prover which looks at all of them is done
// soon.
func tiny(seed uint64) *model.JobSet {
	k := gen.TinyKnobs()
	if seed%2 == 0 {
		k = gen.TodayKnobs()
	}
	k.Tasks, k.Slaves, k.WCET, k.Transfer = gen.Range{Lo: 2, Hi: 4}, gen.Range{Lo: 1, Hi: 2}, gen.Range{Lo: 1, Hi: 3}, gen.Range{Lo: 0, Hi: 2}
	k.Tightness, k.FIFO = gen.Range{Lo: 60, Hi: 130}, 0
	js, _ := gen.Random(k, seed)
	return js
}

// prove is a proof about a tiny job set, drawn by a seed: that an objective, or the second of
// two, cannot be below its optimum, which exhaustive search finds, or that the set is
// infeasible.
func prove(t *testing.T, seed uint64) (sample, bool) {
	js, rng := tiny(seed), rand.New(rand.NewPCG(seed, 5))
	goal := []model.Objective{model.Objective(rng.IntN(4)), model.Objective(rng.IntN(4))}
	if goal[0] == goal[1] || rng.IntN(2) == 0 {
		goal = []model.Objective{model.Objective(rng.IntN(5))}
	}
	relaxed := goal[0] == model.HardMisses
	best, err := oracle.SolveFor(js, goal, relaxed)
	if err != nil {
		t.Fatal(err)
	}
	limits, claim, last := query.Limits{}, "claim infeasible", len(goal)-1
	switch {
	case best.Status == model.Infeasible:
	case best.Values[last] == 0:
		return sample{}, false
	default:
		claim = fmt.Sprintf("claim %s >= %d", goal[last], best.Values[last])
		limits[goal[last]] = best.Values[last] - 1
		if last > 0 {
			limits[goal[0]] = best.Values[0]
			claim += fmt.Sprintf(" given %s <= %d", goal[0], best.Values[0])
		}
		claim += " by"
	}
	section := refutation(query.Within(js, relaxed, limits), rng)
	if section == "" {
		return sample{}, false
	}
	return sample{JS: js, Text: numbered(fmt.Sprintf("downbeat proof 1\ndigest %s\ntick 1\n%s%s 1\nend 0\n", js.Digest(), section, claim))}, true
}

// proofs draws so many proofs from a seed on.
func proofs(t *testing.T, seed uint64, n int) []sample {
	var out []sample
	for ; len(out) < n; seed++ {
		if s, some := prove(t, seed); some {
			out = append(out, s)
		}
	}
	return out
}

// Plain proofs of what exhaustive search has found are accepted, by both checkers.
func TestProofsByExhaustion(t *testing.T) {
	samples := proofs(t, 1, longtest.Sets(20, 2000))
	for i, said := range second(t, samples) {
		if first := samples[i].First(t); !strings.HasPrefix(first, "proved") || said != first {
			t.Errorf("%s, but by the second checker %s\n%s", first, said, samples[i].Text)
		}
	}
}

// Proofs with something altered at random are refused, or it is seen that they are as valid:
// what they claim is true, and the second checker finds that each step follows. What one of
// them refuses the other does as well.
func TestAlteredProofs(t *testing.T) {
	const each = 50
	refused, harmless := 0, 0
	for n := range longtest.Sets(4, 2000) {
		base := proofs(t, uint64(100000+7*n), 1)[0]
		rng := rand.New(rand.NewPCG(uint64(n), 9))
		var doubtful []sample
		var first []string
		for k := range each {
			altered := sample{JS: base.JS, Text: alter(base.Text, rng)}
			said := altered.First(t)
			switch accepted := strings.HasPrefix(said, "proved"); {
			case accepted && altered.Text != base.Text:
				harmless++
				holds(t, &altered)
			case !accepted && k%10 != 0:
				refused++
				continue
			case !accepted:
				refused++
			}
			doubtful, first = append(doubtful, altered), append(first, said)
		}
		for i, said := range second(t, doubtful) {
			if strings.HasPrefix(first[i], "proved") != strings.HasPrefix(said, "proved") {
				t.Errorf("seed %d: %s, but by the second checker %s\n%s", n, first[i], said, doubtful[i].Text)
			}
		}
	}
	t.Logf("%d altered proofs refused, %d as valid as before", refused, harmless)
	if refused < 2*harmless || harmless == 0 {
		t.Errorf("%d altered proofs refused, %d accepted", refused, harmless)
	}
}

// holds checks what a proof claims by exhaustive search.
func holds(t *testing.T, s *sample) {
	v, err := certificate.Check(t.Context(), s.JS, strings.NewReader(s.Text))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range v.Claims {
		var goal []model.Objective
		for _, l := range c.Given {
			goal = append(goal, l.Objective)
		}
		if !c.Infeasible {
			goal = append(goal, c.Objective)
		}
		best, err := oracle.SolveFor(s.JS, goal, slices.Contains(goal, model.HardMisses))
		if err != nil {
			t.Fatal(err)
		}
		within := best.Status != model.Infeasible
		for k, l := range c.Given {
			within = within && best.Values[k] <= l.Most
		}
		if within && (c.Infeasible || best.Values[len(goal)-1] < c.Least) {
			t.Errorf("claimed: %s, but there is a plan with %v\n%s", certificatetest.Claimed(&c), best.Values, s.Text)
		}
	}
}

var (
	digits   = regexp.MustCompile(`\d+`)
	ruleName = regexp.MustCompile(`^c \d+ ([a-z-]+)`)
	rules    = []string{"task", "stage", "job", "cap", "push", "energy", "misses", "hard-misses", "weighted", "order", "first", "used", "cut", "prices"}
)

// alter changes one thing in a proof, behind its head.
func alter(text string, rng *rand.Rand) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	const head = 4
	at := head + rng.IntN(len(lines)-1-head)
	line := lines[at]
	switch rng.IntN(9) {
	case 0:
		lines = slices.Delete(lines, at, at+1)
	case 1:
		other := head + rng.IntN(len(lines)-1-head)
		lines[at], lines[other] = lines[other], line
	case 2:
		if m := ruleName.FindStringSubmatchIndex(line); m != nil {
			lines[at] = line[:m[2]] + rules[rng.IntN(len(rules))] + line[m[3]:]
		}
	case 3:
		words := strings.Split(line, " ")
		k := 1 + rng.IntN(len(words)-1)
		lines[at] = strings.Join(slices.Delete(words, k, k+1), " ")
	case 4:
		words := strings.Split(lines[head+rng.IntN(len(lines)-1-head)], " ")
		lines[at] = line + " " + words[len(words)-1]
	case 5:
		lines[at] = turned(line, rng)
	default:
		if found := digits.FindAllStringIndex(line, -1); found != nil {
			m := found[rng.IntN(len(found))]
			n, _ := strconv.Atoi(line[m[0]:m[1]])
			n = max(0, []int{n - 1, n + 1, n + 2, rng.IntN(12)}[rng.IntN(4)])
			lines[at] = line[:m[0]] + strconv.Itoa(n) + line[m[1]:]
		}
	}
	return numbered(strings.Join(lines, "\n") + "\n")
}

// turned has one literal of a line say the contrary.
func turned(line string, rng *rand.Rand) string {
	words := strings.Split(line, " ")
	k := rng.IntN(len(words))
	switch word := words[k]; {
	case strings.HasPrefix(word, "-x"):
		words[k] = word[1:]
	case strings.HasPrefix(word, "x"):
		words[k] = "-" + word
	case strings.Contains(word, "<="):
		words[k] = strings.Replace(word, "<=", ">", 1)
	case strings.Contains(word, ">"):
		words[k] = strings.Replace(word, ">", "<=", 1)
	}
	return strings.Join(words, " ")
}
