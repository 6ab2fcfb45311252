package lns

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/jobfile"
)

// sharedGoals are values that a search must reach on the open job sets, with a
// budget in constructions. Where Chuffed proved the value (chuffed.csv there),
// or the source published an optimum, it is that value.
var sharedGoals = []struct {
	set           string
	most          []int64
	constructions int
}{
	{"tiny-11", []int64{0, 2}, 100},
	{"tiny-12", []int64{0, 3}, 100},
	{"tiny-13", []int64{0, 1}, 100},
	{"tight-11", []int64{0}, 1000},
	{"tight-12", []int64{0}, 10000},
	{"tight-13", []int64{0}, 1000},
	{"tight-medium-11", []int64{0}, 500},
	{"tight-medium-12", []int64{0}, 500},
	{"tight-medium-13", []int64{0}, 500},
	{"misses-11", []int64{0, 4}, 100},
	{"misses-12", []int64{0, 6}, 100},
	{"misses-13", []int64{0, 4}, 100},
	{"misses-medium-11", []int64{0, 3}, 500},
	{"misses-medium-12", []int64{0, 7}, 500},
	{"misses-medium-13", []int64{0, 6}, 500},
	{"tardiness-11", []int64{0, 12}, 4000},
	{"tardiness-12", []int64{0, 7}, 30000},
	{"tardiness-13", []int64{0, 8}, 500},
	{"large-11", []int64{0, 11}, 100},
	{"external/fjsp-kacem1", []int64{0, 11}, 1000},
	{"external/fjsp-mk01", []int64{0, 40}, 2000},
	{"external/jsp-ft06", []int64{0, 55}, 1000},
	{"external/jsp-ft10", []int64{0, 1050}, 2000},
	{"external/jsp-la01", []int64{0, 670}, 2000},
	{"external/jsp-la02", []int64{0, 720}, 4000},
	{"external/jsp-la05", []int64{0, 593}, 1000},
	{"external/lmax-shopalg-a", []int64{0, 6}, 1000},
	{"external/pcmax-u_1_0010_05_3", []int64{0, 125}, 1000},
	{"external/sumu-wt40-001", []int64{0, 3}, 1000},
}

// sharedSet loads one of the open job sets and its goal: none for the families
// that only ask for a plan without a late hard job.
func sharedSet(tb testing.TB, name string) (*model.JobSet, []model.Objective) {
	path := filepath.Join("..", "..", "..", "shared", "bench", filepath.FromSlash(name)+".yaml")
	src, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		tb.Skipf("the open job sets are not there: %s", path)
	}
	if err != nil {
		tb.Fatal(err)
	}
	js, err := jobfile.Load(path, src)
	if err != nil {
		tb.Fatal(err)
	}
	if strings.HasPrefix(name, "tight") {
		return js, nil
	}
	return js, js.Goal()
}

func TestSearchReachesKnownValues(t *testing.T) {
	for _, c := range sharedGoals {
		t.Run(c.set, func(t *testing.T) {
			js, goal := sharedSet(t, c.set)
			s, values := Search(context.Background(), js, Options{
				Objectives: goal, Seed: 1, Constructions: c.constructions, Target: c.most,
			})
			if slices.Compare(values, c.most) > 0 {
				t.Errorf("reaches %v, expected %v", values, c.most)
			}
			if err := check.Schedule(js, s, true).Err(); err != nil {
				t.Error(err)
			}
			tidied := heuristics.Tidy(t.Context(), js, s)
			if err := check.Schedule(js, tidied, true).Err(); err != nil {
				t.Errorf("tidied: %v", err)
			}
			if after := valuesOf(js, tidied, goal); slices.Compare(after, values) > 0 {
				t.Errorf("tidying raises %v to %v", values, after)
			}
		})
	}
}
