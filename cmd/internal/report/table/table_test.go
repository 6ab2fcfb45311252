package table

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestPrintable(t *testing.T) {
	if got := Printable("a\x1b[2Jb\nc\u202e"); got != "a\ufffd[2Jb\ufffdc\ufffd" {
		t.Errorf("%q", got)
	}
	for text, want := range map[string]int{"": 0, "abc": 3, "é": 1, "e\u0301": 1, "作业": 4} {
		if got := DisplayWidth(text); got != want {
			t.Errorf("displayWidth(%q) = %d, want %d", text, got, want)
		}
	}
	for _, test := range []struct {
		text string
		n    int
		want string
	}{{"abcdef", 6, "abcdef"}, {"abcdef", 5, "abcd…"}, {"作业作业", 6, "作业…"}} {
		if got := Truncate(test.text, test.n); got != test.want {
			t.Errorf("truncate(%q, %d) = %q, want %q", test.text, test.n, got, test.want)
		}
	}
}

// On a terminal no line of an answer is wider than the screen, but for the words of sentences,
// which terminals break between.
func TestTablesFit(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 7))
		columns := 1 + rng.IntN(8)
		tab := Table{Align: strings.Repeat("<", columns)}
		word := func() string { return strings.Repeat("x", rng.IntN(20)) + "é"[:2*rng.IntN(2)] }
		for range 1 + rng.IntN(5) {
			row := make([]any, columns)
			for i := range row {
				row[i] = word()
			}
			tab.Add(row...)
		}
		if rng.IntN(2) == 0 {
			for i := range tab.Rows[0] {
				tab.Rows[0][i].Style = Faint
			}
		}
		words := 0
		if tab.Wrap = rng.IntN(2) == 0; tab.Wrap {
			for i := range tab.Rows {
				last := &tab.Rows[i][columns-1]
				for range min(i, 1) * rng.IntN(9) {
					last.Text += " " + word()
				}
				words += strings.Count(last.Text, "x")
			}
		}
		var b bytes.Buffer
		width := 40 + rng.IntN(60)
		tab.Write(&b, Page{Width: width, Fit: true})
		if got := strings.Count(b.String(), "x"); columns == 1 && got < words {
			t.Errorf("seed %d: %d letters of %d are left:\n%s", seed, got, words, &b)
		}
		for line := range strings.Lines(b.String()) {
			if n := DisplayWidth(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("seed %d: %d columns on a page of %d:\n%s", seed, n, width, &b)
			}
		}
	}
}
