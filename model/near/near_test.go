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
