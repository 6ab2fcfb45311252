package scene

import (
	"slices"
	"testing"
)

func TestJobColorsDiffer(t *testing.T) {
	var seen []string
	for i := range 3 * len(JobColors) {
		c := Hex(JobColor(i))
		if slices.Contains(seen, c) {
			t.Errorf("color %d, %s, comes twice", i, c)
		}
		seen = append(seen, c)
	}
}
