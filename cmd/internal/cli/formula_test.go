package cli

import (
	"strings"
	"testing"

	"downbeat/model/gen"
)

// TestTooManyPairs: where tasks and slaves are so many that what comes before clauses would
// take more memory than the formula may, nothing is begun.
func TestTooManyPairs(t *testing.T) {
	js := gen.Scale(1000, 1) // on ten slaves
	r := &request{Format: dIMACS, MaxClauses: 1200}
	if _, err := r.Build(t.Context(), js); err == nil || !strings.Contains(err.Error(), "--max-clauses allows more, from 1") {
		t.Errorf("%v", err)
	}
	r.MaxClauses = 1300
	if _, err := r.Build(t.Context(), js); err == nil || !strings.Contains(err.Error(), "the formula would have at least") {
		t.Errorf("%v", err)
	}
}
