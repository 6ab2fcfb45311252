package model_test

import (
	"slices"
	"testing"

	"downbeat/model"
)

func TestOrder(t *testing.T) {
	for _, c := range []struct {
		before [][]int32
		order  []int32
		cycle  []int32
	}{
		{[][]int32{nil, {0}, {1}}, []int32{0, 1, 2}, nil},
		{[][]int32{{2}, nil, {1}}, []int32{1, 2, 0}, nil},
		{[][]int32{{3, 2}, nil, nil, {2}}, []int32{2, 3, 0, 1}, nil},
		{[][]int32{{1}, {2}, {1}}, nil, []int32{2, 1}},
		{[][]int32{{0}}, nil, []int32{0}},
		{nil, []int32{}, nil},
	} {
		before := func(i int32) []int32 { return c.before[i] }
		if got := model.Topological(len(c.before), before); !slices.Equal(got, c.order) || (got == nil) != (c.order == nil) {
			t.Errorf("%v: in the order %v, not %v", c.before, got, c.order)
		}
		if got := model.FindCycle(len(c.before), before); !slices.Equal(got, c.cycle) {
			t.Errorf("%v: the cycle %v, not %v", c.before, got, c.cycle)
		}
	}
}
