package certify

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/proof"
)

// TestDeliver: a proof that does not follow is refused and nonetheless written, one that is
// interrupted is written whole and not certified, and what cannot be written is told.
func TestDeliver(t *testing.T) {
	js := gen.Tiny(1)
	wrong := &proof.Refutation{Question: []string{"must 0 1000000"}, Steps: []byte("n 1 : :\n"), Last: 1}
	c := &Certificate{JS: js, Unit: 1, Claims: []Claim{{inference.Claim{Objective: model.Makespan, Least: 1}, wrong}}}
	var text bytes.Buffer
	if err := c.Deliver(t.Context(), &text, true); err != nil {
		t.Fatal(err)
	}
	if c.Proof.Refused == nil || c.Certified() || int64(text.Len()) != c.Proof.Bytes {
		t.Errorf("a wrong proof is delivered as %+v", c.Proof)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var again bytes.Buffer
	if err := c.Deliver(ctx, &again, true); err != nil {
		t.Fatal(err)
	}
	if c.Proof.Refused != nil || c.Certified() || !bytes.Equal(text.Bytes(), again.Bytes()) {
		t.Errorf("an interrupted one is delivered as %+v", c.Proof)
	}
	if err := c.Deliver(t.Context(), full{}, true); !errors.Is(err, errFull) || c.Proof.Refused != nil {
		t.Errorf("to a full disk: %v, %+v", err, c.Proof)
	}
	if none := (&Certificate{JS: js, Unit: 1}); none.Deliver(t.Context(), full{}, true) != nil || none.Proof != nil {
		t.Error("a proof of nothing is written")
	}
}

var errFull = errors.New("no space left")

// full is a disk that is.
type full struct{}

// Write implements io.Writer.
func (full) Write([]byte) (int, error) { return 0, errFull }
