package rtmr

import (
	"slices"
	"testing"

	"downbeat/model"
	"downbeat/online"
)

// The admission rule of Deadline Constraint with four map slots and two reduce
// slots; all tasks take 10.
//
//	J at 0, due at 40: s_r^max 30. In 30 a slot does three maps, so five maps need
//	                   n_m^min = 2. Four are free, as are two reduce slots at 30:
//	                   yes. J holds two map slots until 30.
//	K at 5, due at 35: s_r^max 25, two maps a slot, six maps need 3; two are free: no.
//	L at 5, due at 40: s_r^max 30, two maps a slot, two maps need 1. But at 30 J
//	                   takes both reduce slots: no.
//	N at 5, due at 12: s_r^max 2 is over: no.
func TestDeadlineAdmissionByHand(t *testing.T) {
	js := onSlave(slave(4, 2),
		job("J", 0, 40, 5, 10, 2, 10),
		job("K", 5, 35, 6, 10, 1, 10),
		job("L", 5, 40, 2, 10, 1, 10),
		job("N", 5, 12, 1, 10, 1, 10),
	)
	out := run(t, js, DeadlineConstraint(DeadlineOptions{NoBeat: true}), online.Options{Trace: true})
	checkLines(t, admissions(out),
		"J yes: on 2 map slots, reduces by 30",
		"K no: needs 3 map slots now, 2 are free",
		"L no: needs 1 reduce slots at 30, 0 are free",
		"N no: the stages before 2 take longer on any number of slots",
	)
	if out.Finishes[0] != 40 {
		t.Errorf("J ends at %d, want 40: three rounds of maps on two slots, then the reduces", out.Finishes[0])
	}
	// With h = 1 in the estimates tasks take 11: s_r^max 29, two maps a slot.
	out = run(t, js, DeadlineConstraint(DeadlineOptions{}), online.Options{Trace: true})
	if got, want := admissions(out)[0], "J yes: on 3 map slots, reduces by 29"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The paper's point: the test looks at s_r^max only. J as above. N arrives at 5,
// due at 35: s_r^max 25, one map slot for its two maps, and at 25 both reduce
// slots are free, since J's reduces come at 30: accepted. N's reduces hold both
// slots from 25 to 35, so that J's, ready at 30, end at 45 instead of 40.
func TestDeadlineAcceptsWhatItMisses(t *testing.T) {
	js := onSlave(slave(4, 2), job("J", 0, 40, 5, 10, 2, 10), job("N", 5, 35, 2, 10, 2, 10))
	out := run(t, js, DeadlineConstraint(DeadlineOptions{NoBeat: true}), online.Options{})
	if want := []model.Time{45, 35}; len(out.Rejected) > 0 || !slices.Equal(out.Finishes, want) {
		t.Errorf("finishes %v, rejected %v, want %v and none", out.Finishes, out.Rejected, want)
	}
	if m := online.Measure(out); m.Accepted != 2 || m.Successful != 1 {
		t.Errorf("%d of %d accepted jobs in time, want 1 of 2", m.Successful, m.Accepted)
	}
	// RTMR sees it: N's reduces would end at 50.
	out = run(t, js, New(Options{NoBeat: true}), online.Options{})
	if !slices.Equal(out.Rejected, []model.JobID{1}) || out.Finishes[0] > 40 {
		t.Errorf("RTMR rejects %v and J ends at %d, want N rejected and J in time", out.Rejected, out.Finishes[0])
	}
}

// Counting only reduces that run, L above is accepted too: at 5 none does.
func TestRunningReducesOnly(t *testing.T) {
	js := onSlave(slave(4, 2), job("J", 0, 40, 5, 10, 2, 10), job("L", 5, 40, 2, 10, 1, 10), job("M", 32, 50, 1, 5, 1, 10))
	out := run(t, js, DeadlineConstraint(DeadlineOptions{NoBeat: true, RunningOnly: true}), online.Options{Trace: true})
	checkLines(t, admissions(out),
		"J yes: on 2 map slots, reduces by 30",
		"L yes: on 1 map slots, reduces by 30",
		// L's reduce runs since 25 and ends at 35, J's one since 30 at 40, its
		// other waits for 35.
		"M yes: on 1 map slots, reduces by 40",
	)
}
