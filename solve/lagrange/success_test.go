package lagrange

import "testing"

// Probes that hardly ever refute are passed over, but for one in fifty; those that often
// do are made. What came of a probe before, and what was learnt since, are
// circumstances of their own.
func TestRates(t *testing.T) {
	var sr successRates
	p := probe{steps: 100}
	fresh := sr.of(p, 0.1, -10)
	made := 0
	for range 100 {
		fresh.note(false)
		if fresh.worth() {
			made++
		}
	}
	if made != 2 {
		t.Errorf("%d of 100 hopeless probes are made", made)
	}
	for range 50 {
		fresh.note(true)
	}
	if !fresh.worth() {
		t.Error("probes that refute are passed over")
	}
	if better := sr.of(p, 0.6, -10); better == fresh || better.worth() {
		t.Error("a better score changes nothing")
	}
	sr.note(p, fresh, false, -5, -10)
	again := sr.of(p, 0.1, -10)
	if again == fresh || again.worth() {
		t.Error("that it was made before changes nothing")
	}
	sr.fixings = 5
	if sr.of(p, 0.1, -10) == again {
		t.Error("what was learnt since changes nothing")
	}
}

// A hopeful rate has more probes made that came to nothing (TestRates: 2), and then is as others are.
func TestHopeful(t *testing.T) {
	r, made := hopefulRate(), 0
	for range 100 {
		if r.worth() {
			made++
		}
		r.note(false)
	}
	if made <= 2 || made > 10 {
		t.Errorf("%d of 100 hopeless probes are made", made)
	}
	if r = hopefulRate(); !r.worth() {
		t.Error("the first probe is not made")
	}
}
