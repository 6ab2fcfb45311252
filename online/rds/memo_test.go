package rds

import "testing"

// TestMemo: the same question gets the same answer without anybody's work, and questions
// that differ in nothing but where a list ends are two.
func TestMemo(t *testing.T) {
	var m memo[int]
	work := 0
	ask := func(lists ...[]float64) int {
		m.ask()
		for _, l := range lists {
			m.add(l...)
		}
		return m.answer(func() int { work++; return work })
	}
	first := ask([]float64{1, 2}, []float64{3})
	if again := ask([]float64{1, 2}, []float64{3}); again != first || work != 1 {
		t.Errorf("%d, then %d after %d answers were found", first, again, work)
	}
	if other := ask([]float64{1}, []float64{2, 3}); other == first {
		t.Errorf("another question got the answer %d too", other)
	}
	for i := range 2 * memoSize {
		ask([]float64{float64(i)})
	}
	if n := len(m.answers); n > memoSize {
		t.Errorf("%d answers are kept", n)
	}
}
