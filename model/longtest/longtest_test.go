package longtest

import "testing"

func TestSets(t *testing.T) {
	for value, want := range map[string]int{"": 3, "1": 10} {
		t.Setenv("DOWNBEAT_LONG", value)
		if got := Sets(3, 10); got != want {
			t.Errorf("DOWNBEAT_LONG=%q: %d, want %d", value, got, want)
		}
	}
}
