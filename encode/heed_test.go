package encode

import (
	"context"
	"errors"
	"math"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model/gen"
)

// Building a large formula ends soon after its context, wherever it stands.
func TestBuildHeedsItsContext(t *testing.T) {
	js, _, err := gen.Family("misses-medium", 1)
	if err != nil {
		t.Fatal(err)
	}
	q := ask(js, "misses", newRand(1))
	whole, err := Build(t.Context(), q, math.MaxInt64)
	if err != nil {
		t.Fatal(err)
	}
	const polls = 3
	cut, err := Build(testkit.After(t.Context(), polls), q, math.MaxInt64)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if made := cut.Clauses(); made > (polls+1)<<13 || made >= whole.Clauses() {
		t.Errorf("%d clauses after %d polls, of %d", made, polls, whole.Clauses())
	}
}
