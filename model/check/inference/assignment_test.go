package inference

import (
	"testing"

	"downbeat/model"
)

// Of tasks that differ in nothing from one about which cases are, those lose the groups of earlier cases that the same groups may do, and no
// others: neither those that fewer or more groups are left to, nor those that are settled, nor those that take longer.
func TestCasesOfEqualTasks(t *testing.T) {
	const asked, equal, fewer, settledOne, longer = 0, 1, 2, 3, 4
	lengths := []model.Time{3, 3, 3, 3, 4}
	s := &assigning{state: &state{}, tasks: make([]int32, len(lengths))}
	k := coreKind{cores: 1}
	for _, l := range lengths {
		k.length, k.by = append(k.length, l), append(k.by, 10)
	}
	s.kinds = []coreKind{k}
	left := []group{
		{coreKind: &s.kinds[0], cores: 1, may: []bool{true, true, true, false, true}},
		{coreKind: &s.kinds[0], cores: 1, may: []bool{true, true, false, false, true}},
		{coreKind: &s.kinds[0], cores: 1, may: []bool{true, true, true, true, true}},
	}
	first, err := s.first(left, asked)
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range [][3]bool{asked: {true, false, false}, equal: {true, true, true}, fewer: {true, false, true}, settledOne: {false, false, true}, longer: {true, true, true}} {
		for g := range first {
			if first[g].may[n] != want[g] {
				t.Errorf("the first case: group %d may do task %d: %t", g, n, first[g].may[n])
			}
		}
	}
	if _, err := s.next(); err != nil {
		t.Fatal(err)
	}
	last, err := s.next()
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range [][3]bool{asked: {false, false, true}, equal: {false, false, true}, fewer: {true, false, true}, settledOne: {false, false, true}, longer: {true, true, true}} {
		for g := range last {
			if last[g].may[n] != want[g] {
				t.Errorf("the last case: group %d may do task %d: %t", g, n, last[g].may[n])
			}
		}
	}
}
