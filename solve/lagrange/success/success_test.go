package success_test

import (
	"testing"

	"downbeat/solve/lagrange/success"
)

// Probes that hardly ever refute are passed over, but for one in fifty; those that often
// do are made. What came of a probe before, and what was learnt since, are
// circumstances of their own.
func TestRates(t *testing.T) {
	var sr success.Rates
	p := success.Probe{Steps: 100}
	fresh := sr.Of(p, 0.1, -10)
	made := 0
	for range 100 {
		fresh.Note(false)
		if fresh.Worth() {
			made++
		}
	}
	if made != 2 {
		t.Errorf("%d of 100 hopeless probes are made", made)
	}
	for range 50 {
		fresh.Note(true)
	}
	if !fresh.Worth() {
		t.Error("probes that refute are passed over")
	}
	if better := sr.Of(p, 0.6, -10); better == fresh || better.Worth() {
		t.Error("a better score changes nothing")
	}
	sr.Note(p, -5, -10)
	again := sr.Of(p, 0.1, -10)
	if again == fresh || again.Worth() {
		t.Error("that it was made before changes nothing")
	}
	sr.Fixings = 5
	if sr.Of(p, 0.1, -10) == again {
		t.Error("what was learnt since changes nothing")
	}
}

// A hopeful rate has more probes made that came to nothing (TestRates: 2), and then is as others are.
func TestHopeful(t *testing.T) {
	r, made := success.Hopeful(), 0
	for range 100 {
		if r.Worth() {
			made++
		}
		r.Note(false)
	}
	if made <= 2 || made > 10 {
		t.Errorf("%d of 100 hopeless probes are made", made)
	}
	if r = success.Hopeful(); !r.Worth() {
		t.Error("the first probe is not made")
	}
}
