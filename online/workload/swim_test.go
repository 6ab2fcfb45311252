package workload

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"downbeat/model"
)

func TestReadTrace(t *testing.T) {
	jobs, err := ReadTrace(strings.NewReader("job0\t49\t49\t740773\t2339561\t627471\r\n\njob1\t101\t52\t1\t0\t3\tinput/1\n"), "t.tsv")
	if err != nil || len(jobs) != 2 {
		t.Fatalf("%v, %v", jobs, err)
	}
	if jobs[0] != (TraceJob{"job0", 49, 740773, 2339561, 627471}) || jobs[1] != (TraceJob{"job1", 101, 1, 0, 3}) {
		t.Errorf("%v", jobs)
	}
}

func TestReadTraceFaults(t *testing.T) {
	const good = "a\t5\t5\t1\t2\t3\n"
	for text, want := range map[string]string{
		"":                              "t.tsv:1:1: the trace holds no job",
		"\n \n":                         "t.tsv:3:1: the trace holds no job",
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
		_, err := ReadTrace(strings.NewReader(text), "t.tsv")
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q:\n%v\nwant %s", text, err, want)
		}
		var fault *TraceFault
		if !errors.As(err, &fault) || fault.File != "t.tsv" {
			t.Errorf("%q: %v is no TraceFault", text, err)
		}
	}
	_, err := ReadTrace(strings.NewReader(strings.Repeat("x\n", 100)), "t.tsv")
	if n := strings.Count(err.Error(), "\n") + 1; n != 20 {
		t.Errorf("%d faults are listed, want 20", n)
	}
	if _, err := ReadTrace(strings.NewReader(strings.Repeat("x", 2<<20)), "t.tsv"); err == nil || !strings.Contains(err.Error(), "t.tsv: after line 0") {
		t.Errorf("an endless line: %v", err)
	}
}

// The rules, worked by hand at a scale of 1.
func TestSWIMShapes(t *testing.T) {
	w := NewSWIM()
	w.Source = w.Slaves
	const mb = 1_000_000
	for _, c := range []struct {
		job  TraceJob
		want swimShape
	}{
		{TraceJob{Input: 0}, swimShape{maps: 1}},
		{TraceJob{Input: 128 * mb, Output: 7 * mb}, swimShape{maps: 1, input: 128}},
		{TraceJob{Input: 129 * mb, Shuffle: 100 * mb, Output: 20 * mb}, swimShape{maps: 2, reduces: 1, input: 64.5, shuffle: 100, output: 20}},
		{TraceJob{Input: 1, Shuffle: 300 * mb, Output: 340 * mb}, swimShape{maps: 1, reduces: 3, input: 1e-6, shuffle: 100, output: 340. / 3}},
		// 4000 MB would be 16 reduces, more than the 15 slaves: a fifth of them.
		{TraceJob{Input: 1, Shuffle: 3000 * mb, Output: 1000 * mb}, swimShape{maps: 1, reduces: 3, input: 1e-6, shuffle: 1000, output: 1000. / 3}},
		// 400 maps are shrunk to 200, and everything else by half.
		{TraceJob{Input: 400 * 128 * mb, Shuffle: 412 * mb, Output: 100 * mb}, swimShape{maps: 200, reduces: 1, input: 128, shuffle: 206, output: 50}},
	} {
		got := w.shape(c.job)
		close := func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }
		if got.maps != c.want.maps || got.reduces != c.want.reduces || !close(got.input, c.want.input) ||
			!close(got.shuffle, c.want.shuffle) || !close(got.output, c.want.output) {
			t.Errorf("%+v:\ngot  %+v\nwant %+v", c.job, got, c.want)
		}
	}
	w.Source, w.Slaves = 24, 24
	if got := w.shape(TraceJob{Input: 1, Shuffle: 25 * 256 * mb}); got.reduces != 4 {
		t.Errorf("25 reduces' worth on 24 slaves: %d, want a fifth of the slaves, rounded down", got.reduces)
	}
	if got := w.shape(TraceJob{Input: 1, Shuffle: 24 * 256 * mb}); got.reduces != 24 {
		t.Errorf("24 reduces' worth on 24 slaves: %d", got.reduces)
	}
	w.Source, w.Slaves = 600, 15 // a fortieth
	if got := w.shape(TraceJob{Input: 40 * 300 * mb}); got.maps != 3 || got.input != 100 {
		t.Errorf("scaled: %+v", got)
	}
}

func TestSWIMTimes(t *testing.T) {
	w := NewSWIM()
	js := w.jobSet(0, class("s", w.Slaves, splitSlots(6, 4, 2)))
	js.Jobs = []model.Job{{Name: "j", Stages: w.stages(js, swimShape{maps: 2, reduces: 3, input: 128, shuffle: 100, output: 55}, 1, 0)}}
	js, err := finish(js)
	if err != nil {
		t.Fatal(err)
	}
	// 2 + 128/10, 128/100 and 128/40 seconds; 2 + 155/20 and 100/40.
	local := 0
	for s := range model.SlaveID(15) {
		switch m := &js.Tasks[0]; {
		case m.WCET(s) != 15 || js.Tasks[2].WCET(s) != 10 || js.Tasks[2].Transfer(s) != 3:
			t.Errorf("slave %d: map %d, reduce %d after %d", s, m.WCET(s), js.Tasks[2].WCET(s), js.Tasks[2].Transfer(s))
		case m.Transfer(s) == 2:
			local++
		case m.Transfer(s) != 4:
			t.Errorf("slave %d: transfer %d", s, m.Transfer(s))
		}
	}
	if local != 3 {
		t.Errorf("%d replicas", local)
	}
}

func TestSWIMStream(t *testing.T) {
	file := traceFile(t)
	js := generate(t, parse(t, "swim:file="+file+",speedup=2,start=1,jobs=9"), 1)
	if len(js.Jobs) != 3 || js.Jobs[0].Name != "b" || js.Jobs[1].Release != 0 || js.Jobs[2].Release != 44 {
		t.Errorf("jobs %+v", js.Jobs)
	}
	for i := range js.Jobs {
		need := float64(alone(js, model.JobID(i)))
		if d := float64(js.Jobs[i].Deadline); d < 1.5*need-1 || d > 3*need+1 {
			t.Errorf("%s is due after %g and needs %g alone", js.Jobs[i].Name, d, need)
		}
	}
	starts := map[string]bool{}
	for seed := range uint64(50) {
		starts[generate(t, parse(t, "swim:file="+file+",anywhere=yes,jobs=2"), seed).Jobs[0].Name] = true
	}
	if len(starts) != 3 || starts["d"] {
		t.Errorf("pairs start with %v, want a, b and c", starts)
	}
	if _, err := parse(t, "swim:start=4,file="+file).JobSet(); err == nil || !strings.Contains(err.Error(), "start=4, but the trace has only 4 jobs") {
		t.Errorf("beyond the end: %v", err)
	}
	if _, err := parse(t, "swim:file="+file+".gone").JobSet(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// Facebook's traces, where they are at hand.
func TestFacebookTraces(t *testing.T) {
	folder := filepath.Join("..", "..", "..", "shared", "data", "swim")
	if _, err := os.Stat(folder); err != nil {
		t.Skip("the folder ../shared/data/swim is not there")
	}
	for name, jobs := range map[string]int{
		"FB-2009_samples_24_times_1hr_0.tsv":             5894,
		"FB-2009_samples_24_times_1hr_1.tsv":             6638,
		"FB-2010_samples_24_times_1hr_0.tsv":             24442,
		"FB-2009_samples_24_times_1hr_0_first50jobs.tsv": 50,
	} {
		path := filepath.Join(folder, name)
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		trace, err := ReadTrace(f, name)
		f.Close()
		if err != nil || len(trace) != jobs {
			t.Errorf("%s: %d jobs, want %d (%v)", name, len(trace), jobs, err)
			continue
		}
		js, err := NewSWIM().FromTrace(trace, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(js.Jobs) != 50 || js.Jobs[0].Name != "job0" || js.Jobs[49].Release != model.Time(trace[49].Submit-trace[0].Submit) {
			t.Errorf("%s: %d jobs from %s, the last at %d", name, len(js.Jobs), js.Jobs[0].Name, js.Jobs[len(js.Jobs)-1].Release)
		}
	}
}
