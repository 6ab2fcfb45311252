package lcg_test

import (
	"fmt"
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

// BenchmarkExchange asks the same question by searches that exchange clauses after every 256
// conflicts, on one thread: conflicts/op are those of all of them. Were it all the same who learns
// what, they would be as many as those of one.
func BenchmarkExchange(b *testing.B) {
	js, _, err := gen.Family("tardiness-60", 1)
	if err != nil {
		b.Fatal(err)
	}
	exchange(b, js, query.Limits{model.Tardiness: 3})
	src, err := os.ReadFile("../../../shared/bench/external/jsp-ft10.yaml")
	if err != nil {
		b.Skip("the job shops of ../shared are not here")
	}
	if js, err = jobfile.Load("jsp-ft10", src); err != nil {
		b.Fatal(err)
	}
	exchange(b, js, query.Limits{model.Makespan: 929})
}

func exchange(b *testing.B, js *model.JobSet, limits query.Limits) {
	q := query.Within(js, false, limits)
	for _, n := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprintf("%s/%d", js.Name, n), func(b *testing.B) {
			conflicts, seed := int64(0), uint64(0)
			for b.Loop() {
				x := exact.NewExchange(n, true)
				var searches []*exact.Search
				for k := range n {
					seed++
					s, err := exact.Join(b.Context(), q, &exact.Options{Exchange: x, Worker: k}, seed, nil)
					if err != nil {
						b.Fatal(err)
					}
					searches = append(searches, s)
				}
				for a := lcg.Unknown; a == lcg.Unknown; x.Epoch() {
					for _, s := range searches {
						if a == lcg.Unknown {
							a, _ = s.Run(b.Context(), after(1))
						}
					}
				}
				for _, s := range searches {
					conflicts += s.Conflicts()
				}
			}
			b.ReportMetric(float64(conflicts)/float64(b.N), "conflicts/op")
		})
	}
}
