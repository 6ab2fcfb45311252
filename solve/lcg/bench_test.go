package lcg_test

import (
	"os"
	"testing"

	"github.com/irifrance/gini"

	"downbeat/encode"
	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
	"downbeat/model/query"
	"downbeat/solve/exact"
	"downbeat/solve/lcg"
)

// BenchmarkEngines asks both engines the same: refutations, and plans that
// exist. "lcg" is this package, once with its refutation written as steps, "gini" the
// formula of package encode.
func BenchmarkEngines(b *testing.B) {
	for _, c := range []struct {
		family string
		seed   uint64
		limits map[model.Objective]int64
	}{
		{"squeezed-40", 1, nil},
		{"tight-medium", 2, nil},
		{"tight-medium-laid", 1, nil},
		{"tardiness-60", 1, map[model.Objective]int64{model.Tardiness: 10}},
	} {
		js, _, err := gen.Family(c.family, c.seed)
		if err != nil {
			b.Fatal(err)
		}
		bothEngines(b, js, c.limits)
	}
	src, err := os.ReadFile("../../../shared/bench/external/jsp-la02.yaml")
	if err != nil {
		b.Skip("the job shops of ../shared are not here")
	}
	js, err := jobfile.Load("jsp-la02", src)
	if err != nil {
		b.Fatal(err)
	}
	bothEngines(b, js, map[model.Objective]int64{model.Makespan: 654})
}

func bothEngines(b *testing.B, js *model.JobSet, limits map[model.Objective]int64) {
	q := query.Within(js, false, limits)
	for name, opt := range map[string]lcg.Options{"/lcg": {}, "/lcg-recorded": {Record: true}} {
		b.Run(js.Name+name, func(b *testing.B) {
			for b.Loop() {
				s, err := lcg.New(b.Context(), q, opt)
				if err != nil {
					b.Fatal(err)
				}
				if a, _ := s.Run(b.Context(), nil); a == lcg.Unknown {
					b.Fatal(a)
				}
				s.Refutation()
			}
		})
	}
	b.Run(js.Name+"/gini", func(b *testing.B) {
		for b.Loop() {
			e, err := encode.Build(b.Context(), q, exact.DefaultMaxClauses)
			if err != nil {
				b.Fatal(err)
			}
			g := gini.NewVc(e.Vars()+1, int(e.Clauses())+1)
			e.Feed(g)
			g.Solve()
		}
	})
}
