package lns

import (
	"context"
	"slices"
	"testing"

	"downbeat/model"
)

// BenchmarkSearch does the same work in every run and ends with the same values,
// which must not be worse than those that tests ask for.
func BenchmarkSearch(b *testing.B) {
	for _, c := range sharedGoals {
		if c.constructions < 2000 {
			continue
		}
		b.Run("set="+c.set, func(b *testing.B) {
			js, goal := sharedSet(b, c.set)
			placed := int64(0)
			for b.Loop() {
				s := newSearch(context.Background(), js, Options{Objectives: goal, Seed: 1, Constructions: c.constructions})
				s.run()
				if slices.Compare(s.values, c.most) > 0 || !s.incumbent.Complete() {
					b.Fatalf("values %v, no worse than %v expected", s.values, c.most)
				}
				placed += s.board.Placed
			}
			reportWork(b, placed, js)
		})
	}
}

// BenchmarkSqueak measures all rules and squeaky wheel on a set that neither closes.
func BenchmarkSqueak(b *testing.B) {
	js, goal := sharedSet(b, "misses-medium-12")
	placed := int64(0)
	for b.Loop() {
		s := newSearch(context.Background(), js, Options{Objectives: goal, Seed: 1})
		s.rules()
		s.squeak()
		if s.values[0] != 0 || s.values[1] > 7 {
			b.Fatalf("values %v, no worse than [0 7] expected", s.values)
		}
		placed += s.board.Placed
	}
	reportWork(b, placed, js)
}

// reportWork counts constructions as Options does: by placements, so that
// a search that ends early reports no more than it did.
func reportWork(b *testing.B, placed int64, js *model.JobSet) {
	b.ReportMetric(float64(placed)/float64(len(js.Tasks))/b.Elapsed().Seconds(), "constructions/s")
}
