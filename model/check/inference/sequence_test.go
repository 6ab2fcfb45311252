package inference_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/internal/testkit/secondopinion"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/query"
)

// turns is a tiny set in which most slaves run one task at a time, with whatever else a set may have, and jobs that are late by a
// little, or are just in time each by itself.
func turns(seed uint64, of model.Objective) *model.JobSet {
	k := gen.TinyKnobs()
	if seed%2 == 0 {
		k = gen.TodayKnobs()
	}
	k.Tasks, k.Slaves, k.WCET, k.Transfer = gen.Range{Lo: 2, Hi: 4}, gen.Range{Lo: 1, Hi: 2}, gen.Range{Lo: 1, Hi: 3}, gen.Range{Lo: 0, Hi: 1}
	k.Tightness, k.FIFO = gen.Range{Lo: 30, Hi: 110}, 0
	js, _ := gen.Random(k, seed)
	for s := range js.Slaves {
		if js.Slaves[s].Cores = 1 + int(seed%7/5); seed%3 == 0 {
			js.Slaves[s].SplitSlots, js.Slaves[s].Slots = false, 1
		}
	}
	for i := range js.Jobs {
		job := &js.Jobs[i]
		if job.Kind == model.BestEffort || seed%5 > 0 {
			if job.Kind = model.Soft; of.Shape().Counts() {
				job.Deadline = 2 + model.Time((seed+uint64(3*i))%5)
			} else {
				job.Deadline = max(1, job.Deadline/2)
			}
		}
		for n := range job.Stages {
			for g := range job.Stages[n].Groups {
				needs := job.Stages[n].Groups[g].Profile.Needs()
				needs.Cores = 1
				job.Stages[n].Groups[g].Profile = job.Stages[n].Groups[g].Profile.Needing(needs)
			}
		}
	}
	if js.Assemble() != nil {
		return nil
	}
	return js
}

// rewarded is a refutation by rewards, counted jobs and splits that are drawn.
func rewarded(q query.Question, of model.Objective, rng *rand.Rand) string {
	unit := 1 + rng.IntN(4)
	line, counted := fmt.Sprintf("m 1 %s.%d", of.InProofs(), unit), map[int]bool{}
	passes, splits, open := 1+rng.IntN(3), rng.IntN(3), 0
	if splits > 0 {
		passes += 2*splits + rng.IntN(2)
	}
	for n := range passes {
		if open > 0 && (n == passes-1 || rng.IntN(2) == 0) {
			line += fmt.Sprintf(" else.%d", n)
			open--
		}
		if splits > 0 && rng.IntN(3) > 0 {
			if i := rng.IntN(len(q.Role)); q.Role[i] != query.Out {
				line += fmt.Sprintf(" split.%d.%d.%d", n, i, rng.IntN(8))
				splits, open = splits-1, open+1
			}
		}
		for i := range q.Role {
			if q.Role[i] == query.Out {
				continue
			}
			if rng.IntN(4) > 0 {
				most := 12 * unit
				if of.Shape().Counts() && rng.IntN(4) > 0 {
					most = unit * int(q.JS.Jobs[i].Weight)
				}
				reward := 1 + rng.IntN(most)
				if of.Shape().Counts() && rng.IntN(2) == 0 {
					reward = most // as much as it pays let go
				}
				line += fmt.Sprintf(" job.%d.%d.%d", n, i, reward)
			}
			if !counted[i] && rng.IntN(2) == 0 {
				counted[i] = true
				line += fmt.Sprintf(" once.%d.%d", n, i)
			}
		}
	}
	return strings.Join(q.Lines(), "\n") + "\n" + line + "\nc 2 sequence 1 :\nrefuted 1 2\n"
}

// Whatever the rewards, walks refute no question that has a plan; and some that have none, by both checkers.
func TestDrawnSequences(t *testing.T) {
	refuted, kinds := 0, map[string]int{}
	var samples []sample
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 300, 3000)) {
		rng := rand.New(rand.NewPCG(seed, 3))
		of := []model.Objective{model.WeightedTardiness, model.Misses}[rng.IntN(2)]
		js := turns(seed, of)
		if js == nil {
			continue
		}
		best, err := oracle.SolveFor(js, []model.Objective{of}, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, less := range []int64{0, 1, 1, 2} {
			least := best.Values
			if best.Status == model.Infeasible || least[0] < less {
				continue
			}
			q := query.Within(js, false, query.Limits{of: least[0] - less})
			s := sample{JS: js, Text: secondopinion.Numbered(fmt.Sprintf("downbeat proof 1\ndigest %s\ntick 1\nquestion 1\n%sclaim %s >= %d by 1\nend 0\n",
				js.Digest(), rewarded(q, of, rng), of, least[0]-less+1))}
			switch first := s.First(t); {
			case !strings.HasPrefix(first, "proved"):
			case less == 0:
				t.Fatalf("seed %d: %s, and there is a plan with %d\n%s", seed, first, least[0], s.Text)
			default:
				refuted++
				for kind, is := range map[string]bool{
					"beats": js.Heartbeat > 1, "late jobs": of == model.Misses, "late jobs in parts": of == model.Misses && strings.Contains(s.Text, " split."), "slaves": len(js.Slaves) > 1, "parts": strings.Contains(s.Text, " split."), "parts on slaves": strings.Contains(s.Text, " split.") && len(js.Slaves) > 1,
				} {
					if is {
						kinds[kind]++
					}
				}
			}
			if less == 1 && len(samples) < secondopinion.Count(40, 1000) {
				samples = append(samples, s)
			}
		}
	}
	t.Logf("%d questions refuted, %v", refuted, kinds)
	if refuted < 10 || kinds["beats"] < 5 || kinds["slaves"] < 5 || kinds["parts"] < 5 || kinds["late jobs"] < 3 {
		t.Errorf("%d questions refuted, %v", refuted, kinds)
	}
	for i, said := range second(t, samples) {
		if first := samples[i].First(t); strings.HasPrefix(first, "proved") != strings.HasPrefix(said, "proved") {
			t.Errorf("%s, but by the second checker %s\n%s", first, said, samples[i].Text)
		}
	}
}
