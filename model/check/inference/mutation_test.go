package inference_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/internal/testkit/secondopinion"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
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
	if seed%3 == 0 {
		return gen.Coupled(js, seed, false)
	}
	return js
}

// asked is what is claimed of a tiny set: that the last of some objectives, the others being at their
// optimum, is at least some value, or where there are none that the set is infeasible.
type asked struct {
	js     *model.JobSet
	goal   []model.Objective
	values []int64 // the optimum, by exhaustive search
}

// ask draws what can be claimed of a tiny set; false if nothing is to be proved.
func ask(t *testing.T, js *model.JobSet, rng *rand.Rand) (asked, bool) {
	goal := []model.Objective{model.Objective(rng.IntN(4)), model.Objective(rng.IntN(4))}
	if goal[0] == goal[1] || rng.IntN(2) == 0 {
		goal = []model.Objective{model.Objective(rng.IntN(5))}
	}
	a := asked{js, goal, optimum(t, js, goal)}
	if a.values == nil {
		a.goal = nil
		return a, true
	}
	return a, a.values[len(a.values)-1] > 0
}

// optimum is what exhaustive search finds of a set; nil if it is infeasible.
func optimum(t *testing.T, js *model.JobSet, goal []model.Objective) []int64 {
	best, err := oracle.SolveFor(js, goal, slices.Contains(goal, model.HardMisses))
	if err != nil {
		t.Fatal(err)
	}
	return best.Values
}

// question asks for a plan that is better by one than the claim says, if more is added to that.
func (a *asked) question(more int64) query.Question {
	limits := query.Limits{}
	for k, o := range a.goal {
		if limits[o] = a.values[k]; k == len(a.goal)-1 {
			limits[o] += more - 1
		}
	}
	return query.Within(a.js, slices.Contains(a.goal, model.HardMisses), limits)
}

// file is a proof file about a set, which has a section with a question and its refutation, and the claim.
func (a *asked) file(js *model.JobSet, section string, more int64) sample {
	claim := "claim infeasible 1"
	if last := len(a.goal) - 1; last >= 0 {
		claim = fmt.Sprintf("claim %s >= %d", a.goal[last], a.values[last]+more)
		if last > 0 {
			claim += fmt.Sprintf(" given %s <= %d", a.goal[0], a.values[0])
		}
		claim += " by 1"
	}
	return sample{JS: js, Text: secondopinion.Numbered(fmt.Sprintf("downbeat proof 1\ndigest %s\ntick 1\n%s%s\nend 0\n", js.Digest(), section, claim))}
}

// prove is a proof about a tiny job set, drawn by a seed: that an objective, or the second of
// two, cannot be below its optimum, which exhaustive search finds, or that the set is
// infeasible.
func prove(t *testing.T, seed uint64) (sample, bool) {
	rng := rand.New(rand.NewPCG(seed, 5))
	a, some := ask(t, tiny(seed), rng)
	if !some {
		return sample{}, false
	}
	section := refutation(a.question(0), rng, nil)
	return a.file(a.js, section, 0), section != ""
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
	samples := proofs(t, 1, secondopinion.Count(8, 200))
	for i, said := range second(t, samples) {
		if first := samples[i].First(t); !strings.HasPrefix(first, "proved") || said != first {
			t.Errorf("%s, but by the second checker %s\n%s", first, said, samples[i].Text)
		}
	}
}

// Proofs with something altered at random are refused, or are as valid. DOWNBEAT_PROOFS asks for
// more of them.
func TestAlteredProofs(t *testing.T) {
	var base []sample
	for n := range secondopinion.Count(4, 60) {
		base = append(base, proofs(t, uint64(100000+7*n), 1)...)
	}
	secondopinion.Altered(t, "testdata/check_proof.py", base)
}

// leaving is a set of which slaves go for good, and a file that leaves some jobs out and claims something.
func leaving(seed uint64) (sample, bool) {
	rng := rand.New(rand.NewPCG(seed, 8))
	js := *tiny(seed)
	js.Slaves, js.Tasks = slices.Clone(js.Slaves), nil
	for s := range js.Slaves {
		if rng.IntN(3) > 0 {
			js.Slaves[s].Down = []model.Interval{{Start: model.Time(rng.IntN(6)), End: model.Never}}
		}
	}
	if js.Assemble() != nil {
		return sample{}, false
	}
	text := fmt.Sprintf("downbeat proof 1\ndigest %s\ntick 1\n", js.Digest())
	if rng.IntN(4) > 0 {
		text += "left-out"
		for i := range js.Jobs {
			if rng.IntN(2) == 0 {
				text += fmt.Sprint(" ", i)
			}
		}
		text += "\n"
	}
	text += "question 1\n"
	for i := range js.Jobs {
		if rng.IntN(3) > 0 {
			text += fmt.Sprintf("%s %d %d\n", []string{"must", "must", "may", "later"}[rng.IntN(4)], i, rng.IntN(4)*rng.IntN(30))
		}
	}
	text += "c 1 misses :\nrefuted 1 1\n"
	for range 2 {
		text += []string{"claim infeasible 1\n", "claim hard-misses >= 1 by 1\n", "claim makespan >= 2 by 1\n", "claim tardiness >= 1 given misses <= 1 by 1\n"}[rng.IntN(4)]
	}
	return sample{JS: &js, Text: secondopinion.Numbered(text + "end 0\n")}, true
}

// TestLeftOut: both checkers let the same jobs be left out, and claims be of the same plans.
func TestLeftOut(t *testing.T) {
	var samples []sample
	proved := 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 150, 3_000)) {
		if s, some := leaving(seed); some {
			samples = append(samples, s)
			if strings.HasPrefix(s.First(t), "proved") {
				proved++
			}
		}
	}
	secondopinion.Agree(t, "testdata/check_proof.py", samples)
	t.Logf("%d files, %d of them prove something", len(samples), proved)
}

// odd are numbers, and what is none, at the limits of what a proof may say.
var odd = strings.Split("0 1 -1 -0 00 01 +1 1.0 1e3 0x1 _1 1_0 ١ 1099511627776 1099511627777 -1099511627776 -1099511627777 "+
	"288230376151711743 288230376151711744 1152921504606846976 1152921504606846977 9223372036854775807 9223372036854775808 18446744073709551616", " ")

var numeral = regexp.MustCompile(`-?[0-9]+`)

// spoiled is a proof with something in it that may be no number, field or line.
func spoiled(text string, rng *rand.Rand) string {
	lines := strings.SplitAfter(text, "\n")
	at := rng.IntN(len(lines) - 1)
	line := lines[at]
	switch rng.IntN(8) {
	case 0, 1, 2:
		if found := numeral.FindAllStringIndex(line, -1); found != nil {
			m := found[rng.IntN(len(found))]
			lines[at] = line[:m[0]] + odd[rng.IntN(len(odd))] + line[m[1]:]
		}
	case 3, 4:
		byte := []string{"", " ", ":", " :", "\t", "\r", "\n", "#", ".", "-", "\x00", "\xff", "é"}[rng.IntN(13)]
		k := rng.IntN(len(line))
		lines[at] = line[:k] + byte + line[k+rng.IntN(2):]
	case 5:
		lines[at] = []string{"#\n", "# \xff\n", "\n", " \n", "without 0\n", "left-out\n", "left-out 0\n", "tick 1\n", "without\n"}[rng.IntN(9)] + line
	case 6:
		lines[at] = line + []string{line, "d 1\n", "end 1\n", "m 5000\n", "refuted 1 1\n"}[rng.IntN(5)]
	case 7:
		return strings.TrimSuffix(text, "\n") + []string{"", "\r\n", "\n\n", "\n#\n", " \n", "\x00"}[rng.IntN(6)]
	}
	out := strings.Join(lines, "")
	if rng.IntN(4) > 0 {
		out = secondopinion.Numbered(out)
	}
	return out
}

// TestSpoiledFiles: what is not in order in a file is so for both checkers, in the same line.
func TestSpoiledFiles(t *testing.T) {
	var samples []sample
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 6, 200)) {
		rng := rand.New(rand.NewPCG(seed, 7))
		js, files := inference.RandomSteps(t, seed, 20)
		if proof, some := prove(t, seed); some && len(proof.Text) < 10_000 {
			js, files = proof.JS, append(files[:0], proof.Text)
		}
		for n := 0; len(files) > 0 && n < 12; n++ {
			samples = append(samples, sample{JS: js, Text: spoiled(files[rng.IntN(len(files))], rng)})
		}
	}
	secondopinion.Agree(t, "testdata/check_proof.py", samples)
	t.Logf("%d spoiled files", len(samples))
}

// TestStepByStep: random steps are in order for both checkers, or for none.
func TestStepByStep(t *testing.T) {
	var samples []sample
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 6, 300)) {
		js, files := inference.RandomSteps(t, seed, 40)
		for _, text := range files {
			samples = append(samples, sample{JS: js, Text: text})
		}
	}
	secondopinion.Agree(t, "testdata/check_proof.py", samples)
	t.Logf("%d steps in which files end", len(samples))
}
