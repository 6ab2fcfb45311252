package words

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The glossary is in the order of the alphabet, and each of its forms can be found.
func TestAll(t *testing.T) {
	if !slices.IsSortedFunc(All(), func(a, b Word) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) }) {
		t.Error("the words are in no order")
	}
	for _, w := range All() {
		if _, err := regexp.Compile(w.told); err != nil {
			t.Errorf("%s: %v", w.Name, err)
		}
	}
}

// A text is followed by its words that may be new, each once, whatever their form.
func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		"a plan, and 3 jobs in it":                                                                  "",
		"optimal (misses 1 = bound 1, proved by dual prices)":                                       "words: bound, dual prices, misses (downbeat help words)\n",
		"they need 280 core-ticks in [5, 65); of core-ticks 2":                                      "words: [5, 65), core-minute (downbeat help words)\n",
		"a heartbeat, the beats":                                                                    "words: beat, heartbeat (downbeat help words)\n",
		"rebound, SATURDAY, misses-2":                                                               "words: misses (downbeat help words)\n",
		"weighted-tardiness, fetch lines and prices on 3 groups of machines":                        "words: dual prices, fetch line, group of machines, tardiness\n  (downbeat help words)\n",
		"Pools until 12, 3 of pool db; cap of etl; a gang; tasks that are apart; the ejection pool": "words: apart, cap, gang, pool (downbeat help words)\n",
	} {
		if got := Line(text, 60); got != want {
			t.Errorf("%s: %q, not %q", text, got, want)
		}
	}
	if long := Line("bound, branching, dual prices, energy, makespan, misses, tardiness", 20); len(strings.Split(long, "\n")) < 5 {
		t.Errorf("too wide:\n%s", long)
	}
	if got := In(strings.Repeat("no news here. ", scanned) + "energy"); got != nil {
		t.Errorf("%v were found behind all that is looked at", got)
	}
}

// Each name is that of one word, which has it as its own or tells of it.
func TestNamed(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range Names() {
		w := Named(name)
		if w == nil || seen[name] || !strings.Contains(w.Name+w.Meaning, name) {
			t.Errorf("%q names %v", name, w)
		}
		seen[name] = true
	}
	for _, name := range []string{"bound", "heartbeat", "[5, 65)", "dual prices", "weighted-tardiness", "hard-total-tardiness", "left-out"} {
		if !seen[name] {
			t.Errorf("there is no %q", name)
		}
	}
	if w := Named("boud"); w != nil {
		t.Errorf("boud is %v", w)
	}
}
