package certify

import "testing"

// Questions and steps name the jobs, stages, tasks and slaves of the larger set, wherever one
// is named.
func TestRenumbered(t *testing.T) {
	// Slaves 1, 3 and 4 are gone, and jobs 0 and 2 of one stage of two tasks each.
	of := numbering{'s': {0, 2, 5}, 'j': {1, 3}, 'g': {1, 3}, 't': {2, 3, 6, 7}}
	for line, want := range map[string]string{
		"c 1 cap 1 0 4 : -x3.1 s1>2":      "c 1 cap 2 0 4 : -x7.2 s3>2",
		"c 2 push 1 2 0 4 5 : x1.2 e1<=2": "c 2 push 3 5 0 4 5 : x3.5 e3<=2",
		"c 3 first 1 1 2 : u1<=2 -x1.2":   "c 3 first 3 2 5 : u2<=6 -x3.5",
		"c 4 used 1 2 : u2>1":             "c 4 used 3 5 : u5>3",
		"c 5 order 0 2 : r0<=2 g1>1":      "c 5 order 2 6 : r2<=2 g3>1",
		"c 6 stage 1 : g0<=1":             "c 6 stage 3 : g1<=1",
		"c 7 job 1 : e0>1":                "c 7 job 3 : e1>1",
		"c 8 task 1 :":                    "c 8 task 3 :",
		"c 9 energy 1 0 2 3 : x0.0":       "c 9 energy 2 0 2 3 : x2.0",
		"c 9 misses : e1>1":               "c 9 misses : e3>1",
		"c 9 disjunctive 1 0 1 : -b0.1":   "c 9 disjunctive 2 0 3 : -b2.3",
		"n 5 : b3.0 -b1.2 : 1":            "n 5 : b7.2 -b3.6 : 1",
		"n 5 : u2>1 f2<=1 : 1 2":          "n 5 : u5>3 f6<=1 : 1 2",
		"m 6 0.2.0.4.1 misses.2":          "m 6 0.5.0.4.1 misses.2",
		"d 1 2":                           "d 1 2",
	} {
		if got := string(of.step([]byte(line + "\n"))); got != want+"\n" {
			t.Errorf("%q becomes %q, not %q", line, got, want)
		}
	}
	for line, want := range map[string]string{"must 1 2": "must 3 2", "may 0 1": "may 1 1", "later 0 1": "later 1 1", "misses 1": "misses 1"} {
		if got := of.question(line); got != want {
			t.Errorf("%q becomes %q, not %q", line, got, want)
		}
	}
}
