package trace

import (
	"errors"
	"strings"
	"testing"
)

func readAll(t *testing.T, text string) ([]SwimJob, error) {
	in, err := NewInput(t.Context(), "t.tsv", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return ReadSwim(in)
}

func TestReadAll(t *testing.T) {
	jobs, err := readAll(t, "job0\t49\t49\t740773\t2339561\t627471\r\n\njob1\t101\t52\t1\t0\t3\tinput/1\n")
	if err != nil || len(jobs) != 2 {
		t.Fatalf("%v, %v", jobs, err)
	}
	if jobs[0] != (SwimJob{"job0", 49, 740773, 2339561, 627471}) || jobs[1] != (SwimJob{"job1", 101, 1, 0, 3}) {
		t.Errorf("%v", jobs)
	}
}

func TestFaultsOfTraces(t *testing.T) {
	const good = "a\t5\t5\t1\t2\t3\n"
	for text, want := range map[string]string{
		"":                              "t.tsv:1:1: the file holds no job",
		"\n \n":                         "t.tsv:2:1: the file holds no job",
		"a\t1\t1\t2\t3":                 "t.tsv:1:10: the output size is missing: want 6 columns with tabs between, here are 5",
		"a b c":                         "t.tsv:1:6: the submit time is missing",
		good + "b\t5\t0\t1\t2\t3\tp\tq": "t.tsv:2:1: 8 columns: want 6, or one more for a path",
		good + "é\tx\t0\t1\t2\t3":       `t.tsv:2:3: the submit time is "x": want a whole number ≥ 0`,
		good + "b\t7\t2\t-1\t2\t3":      `t.tsv:2:7: the input size is "-1"`,
		good + "b\t7\t2\t1\t2.0\t3":     `t.tsv:2:9: the shuffle size is "2.0"`,
		good + "b\t7\t2\t1\t2\t9999999999999999999": `t.tsv:2:11: the output size is "9999999999999999999"`,
		good + "b\t4\t-1\t1\t2\t3":                  `t.tsv:2:5: the gap to the submit before is "-1"`,
		good + "b\t4\t1\t1\t2\t3":                   "t.tsv:2:3: submitted at 4, before the job of the line above (5)",
		good + "b\t8\t2\t1\t2\t3":                   "t.tsv:2:5: the gap is 2, but the submit times differ by 3",
		good + "b\t8\t4\t1\t2\t3":                   "t.tsv:2:5: the gap is 4, but the submit times differ by 3",
		good + "\na\t8\t3\t1\t2\t3":                 `t.tsv:3:1: job "a" stands in line 1 already`,
		"\t8\t3\t1\t2\t3":                           "t.tsv:1:1: the job has no id",
	} {
		_, err := readAll(t, text)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q:\n%v\nwant %s", text, err, want)
		}
		var fault *Fault
		if !errors.As(err, &fault) || fault.File != "t.tsv" {
			t.Errorf("%q: %v is no fault", text, err)
		}
	}
	_, err := readAll(t, strings.Repeat("x\n", 100))
	if n := strings.Count(err.Error(), "t.tsv:"); n != 20 {
		t.Errorf("%d faults are listed, want 20", n)
	}
}

// The rules, worked by hand at a scale of 1.
func TestShapes(t *testing.T) {
	w := NewSwimRules()
	w.Source = w.Slaves
	const mb = 1_000_000
	for _, c := range []struct {
		job  SwimJob
		want SwimShape
	}{
		{SwimJob{Input: 0}, SwimShape{Maps: 1}},
		{SwimJob{Input: 128 * mb, Output: 7 * mb}, SwimShape{Maps: 1, Input: 128}},
		{SwimJob{Input: 129 * mb, Shuffle: 100 * mb, Output: 20 * mb}, SwimShape{Maps: 2, Reduces: 1, Input: 64.5, Shuffle: 100, Output: 20}},
		{SwimJob{Input: 1, Shuffle: 300 * mb, Output: 340 * mb}, SwimShape{Maps: 1, Reduces: 3, Input: 1e-6, Shuffle: 100, Output: 340. / 3}},
		// 4000 MB would be 16 reduces, more than the 15 slaves: a fifth of them.
		{SwimJob{Input: 1, Shuffle: 3000 * mb, Output: 1000 * mb}, SwimShape{Maps: 1, Reduces: 3, Input: 1e-6, Shuffle: 1000, Output: 1000. / 3}},
		// 400 maps are shrunk to 200, and everything else by half.
		{SwimJob{Input: 400 * 128 * mb, Shuffle: 412 * mb, Output: 100 * mb}, SwimShape{Maps: 200, Reduces: 1, Input: 128, Shuffle: 206, Output: 50}},
	} {
		got := w.Shape(c.job)
		close := func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }
		if got.Maps != c.want.Maps || got.Reduces != c.want.Reduces || !close(got.Input, c.want.Input) ||
			!close(got.Shuffle, c.want.Shuffle) || !close(got.Output, c.want.Output) {
			t.Errorf("%+v:\ngot  %+v\nwant %+v", c.job, got, c.want)
		}
	}
	w.Source, w.Slaves = 24, 24
	if got := w.Shape(SwimJob{Input: 1, Shuffle: 25 * 256 * mb}); got.Reduces != 4 {
		t.Errorf("25 reduces' worth on 24 slaves: %d, want a fifth of the slaves, rounded down", got.Reduces)
	}
	if got := w.Shape(SwimJob{Input: 1, Shuffle: 24 * 256 * mb}); got.Reduces != 24 {
		t.Errorf("24 reduces' worth on 24 slaves: %d", got.Reduces)
	}
	w.Source, w.Slaves = 600, 15 // a fortieth
	if got := w.Shape(SwimJob{Input: 40 * 300 * mb}); got.Maps != 3 || got.Input != 100 {
		t.Errorf("scaled: %+v", got)
	}
}
