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

// A list is shortened to whole entries, and says how many it leaves out.
func TestFewer(t *testing.T) {
	for n, want := range map[int]string{
		40: "etl, ads, billing, +2 more", 26: "etl, ads, billing, +2 more", 25: "etl, ads, +3 more", 17: "etl, ads, +3 more", 16: "etl, +4 more", 12: "etl, +4 more",
		11: "etl, …", 6: "etl, …", 5: "etl,…", 3: "et…",
	} {
		if got := Fewer("etl, ads, billing, +2 more", n); got != want {
			t.Errorf("in %d columns %q, want %q", n, got, want)
		}
	}
	if got := Fewer("one-long-name", 8); got != "one-lon…" {
		t.Error(got)
	}
}

// Where a table does not fit, its texts become shorter, then columns hang below their rows,
// those of text first; figures stay in line.
func TestTableBecomesNarrow(t *testing.T) {
	for width, want := range map[int]string{
		80: `job         after                            finish  slaves
etl         -                                 22:10  fast-1 ×3
dashboards  ingest-erp, ingest-crm, +5 more   23:15  fast-1 ×3, slow ×4
`,
		60: `job         after                finish  slaves
etl         -                     22:10  fast-1 ×3
dashboards  ingest-erp, +6 more   23:15  fast-1 ×3, slow ×4
`,
		40: `job         after                finish
etl         -                     22:10
  slaves fast-1 ×3
dashboards  ingest-erp, +6 more   23:15
  slaves fast-1 ×3, slow ×4
`,
		24: `job         finish
etl          22:10
  slaves fast-1 ×3
dashboards   23:15
  after ingest-erp, …
  slaves fast-1 ×3, …
`,
		14: `job
etl
  finish 22:10
  slaves fast…
dashboards
  after inges…
  finish 23:15
  slaves fast…
`,
	} {
		tab := Table{Align: "<,>,"}
		tab.Add(Head("job"), Head("after"), Head("finish"), Head("slaves"))
		tab.Add("etl", "-", "22:10", "fast-1 ×3")
		tab.Add("dashboards", "ingest-erp, ingest-crm, ingest-pos, +4 more", "23:15", "fast-1 ×3, slow ×4")
		var b bytes.Buffer
		tab.Write(&b, Page{Width: width, Fit: true})
		if b.String() != want {
			t.Errorf("in %d columns\n%s, want\n%s", width, &b, want)
		}
	}
}
