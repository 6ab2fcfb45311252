package options

import (
	"testing"

	"downbeat/model/gen"
)

// TestPainting: time is kept back for each bitmap of a large set, and for nothing else.
func TestPainting(t *testing.T) {
	large, small := gen.Scale(400, 1), gen.Tiny(1)
	files := PlanFiles{Outputs: []string{"a.json"}, Gantts: []string{"a.png", "a.svg", "b.png", "a.html"}}
	if got := files.Painting(large); got != 2*painting {
		t.Errorf("%v for two bitmaps", got)
	}
	if got := files.Painting(small); got != 0 {
		t.Errorf("%v for small bitmaps", got)
	}
}
