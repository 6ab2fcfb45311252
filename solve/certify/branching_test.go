package certify

import (
	"bytes"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/exact"
)

// boxes splits when soft jobs end, from and last, until their lateness is settled, and has all
// that is left searched.
func boxes(js *model.JobSet, most int64, from, last []model.Time) *proof.Branching {
	left := most
	for i := range js.Jobs {
		left -= js.Jobs[i].Weight * int64(from[i]-js.Jobs[i].Due())
	}
	series := inference.Series(js)
	for i := range js.Jobs {
		job := &js.Jobs[i]
		if job.Kind != model.Soft || left < job.Weight || last[i] == from[i] {
			continue
		}
		early, late := slices.Clone(last), slices.Clone(from)
		early[i], late[i] = from[i], from[i]+1
		stages := series.Jobs[i].Stages
		return &proof.Branching{
			Split: proof.Split{Kind: proof.StageEndsBy, Task: stages[len(stages)-1].First, At: from[i]},
			Holds: boxes(js, most, from, early), Fails: boxes(js, most, late, last),
		}
	}
	return &proof.Branching{Searched: true}
}

// TestSearchedLeaves: leaves that a search has closed are refutations of their own, one for all
// those whose jobs end no later, and the checker agrees with the whole.
func TestSearchedLeaves(t *testing.T) {
	said, leaves, used := 0, 0, 0
	for seed := range testkit.Sets[uint64](150, 3000) {
		js := gen.TodayTiny(seed)
		js.FIFO = false
		best, err := oracle.SolveFor(js, []model.Objective{model.WeightedTardiness}, false)
		if err != nil {
			t.Fatal(err)
		}
		if best.Status != model.Optimal || best.Values[0] == 0 || best.Values[0] > 12 {
			continue
		}
		most := best.Values[0] - 1
		due, last := make([]model.Time, len(js.Jobs)), make([]model.Time, len(js.Jobs))
		for i := range due {
			due[i] = js.Jobs[i].Due()
			last[i] = due[i] + model.Time(most)
		}
		q := query.Within(js, false, query.Limits{model.WeightedTardiness: most})
		tree := boxes(js, most, due, last)
		by := byBranching(t.Context(), js, q, tree, func(q query.Question) *proof.Refutation {
			s, err := exact.New(t.Context(), q, &exact.Options{Record: true}, seed, nil)
			if err != nil {
				t.Fatal(err)
			}
			s.Run(t.Context(), nil)
			return s.Refutation()
		})
		if by == nil {
			t.Errorf("seed %d: a tree of %d leaves is not said", seed, tree.Leaves())
			continue
		}
		said, leaves, used = said+1, leaves+tree.Leaves(), used+len(by.Uses)
		claim := Claim{inference.Claim{Objective: model.WeightedTardiness, Least: most + 1}, by}
		var text bytes.Buffer
		if err := (&Certificate{JS: js, Unit: 1, Claims: []Claim{claim}}).Write(&text); err != nil {
			t.Fatal(err)
		}
		if _, err := inference.CheckFile(t.Context(), js, &text); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	t.Logf("%d trees of %d leaves by %d searches", said, leaves, used)
	if said == 0 || used <= said || used >= leaves {
		t.Errorf("%d trees of %d leaves by %d searches", said, leaves, used)
	}
}
