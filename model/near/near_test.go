package near

import (
	"strings"
	"testing"
)

func TestWord(t *testing.T) {
	known := []string{"plan", "check", "validate", "version", "time-limit", "edf", "llf"}
	for word, want := range map[string]string{
		"plna": "plan", "pla": "plan", "PLAN": "plan", "chekc": "check", "valid": "validate", "vers": "version",
		"timelimit": "time-limit", "efd": "edf", "x": "", "simulate": "", "v": "", "": "",
		strings.Repeat("x", 2*maxWord): "",
	} {
		if got := Word(word, known); got != want {
			t.Errorf("Word(%q) = %q, want %q", word, got, want)
		}
	}
	if got := Word("rtm", []string{"rtmr1", "rtmr2"}); got != "" {
		t.Errorf("a beginning of two words meant %q", got)
	}
}

func TestHint(t *testing.T) {
	many := strings.Fields("a b c d e f g h i j k l m n o p q")
	for _, c := range []struct {
		word  string
		known []string
		want  string
	}{
		{"EDF", []string{"edf", "llf"}, `, did you mean "edf"?`},
		{"fifo", []string{"edf", "llf"}, "; there are: edf, llf"},
		{"fifo", many, "; there are: a, b, c, d, e and 12 more"},
		{"fifo", many[:16], "; there are: a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p"},
	} {
		if got := Hint(c.word, c.known); got != c.want {
			t.Errorf("Hint(%q) = %q, want %q", c.word, got, c.want)
		}
	}
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "ab", 1}, {"ab", "abc", 1},
		{"abc", "acb", 1}, {"kitten", "sitting", 3}, {"é", "e", 1}, {"", "abc", 3},
	} {
		if got := edits(c.a, c.b, 9); got != c.want {
			t.Errorf("edits(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
	if got := edits("abcdef", "uvwxyz", 3); got < 3 {
		t.Errorf("%d edits, the limit is 3", got)
	}
}
