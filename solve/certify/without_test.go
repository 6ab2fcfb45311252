package certify

import "testing"

// Steps name the slaves of the larger set, wherever one is named.
func TestRenumbered(t *testing.T) {
	of := renumbering{0, 2, 5} // slaves 1, 3 and 4 are gone
	for line, want := range map[string]string{
		"c 1 cap 1 0 4 : -x7.1 s1>2":      "c 1 cap 2 0 4 : -x7.2 s1>2",
		"c 2 push 1 2 0 4 5 : x1.2 e1<=2": "c 2 push 1 5 0 4 5 : x1.5 e1<=2",
		"c 3 first 1 1 2 : u1<=2 -x1.2":   "c 3 first 1 2 5 : u2<=2 -x1.5",
		"c 4 used 1 2 : u2>1":             "c 4 used 1 5 : u5>1",
		"n 5 : u2>1 f2<=1 : 1 2":          "n 5 : u5>1 f2<=1 : 1 2",
		"m 6 0.2.0.4.1 misses.2":          "m 6 0.5.0.4.1 misses.2",
		"d 1 2":                           "d 1 2",
	} {
		if got := string(of.step([]byte(line + "\n"))); got != want+"\n" {
			t.Errorf("%q becomes %q, not %q", line, got, want)
		}
	}
}
