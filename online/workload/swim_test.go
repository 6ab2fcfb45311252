package workload

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/model/files/trace"
)

func TestSWIMTimes(t *testing.T) {
	w := NewSWIM()
	js := w.jobSet(0, class("s", w.Slaves, splitSlots(6, 4, 2)))
	js.Jobs = []model.Job{{Name: "j", Stages: w.stages(js, trace.SwimShape{Maps: 2, Reduces: 3, Input: 128, Shuffle: 100, Output: 55}, 1, 0)}}
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
		in, err := trace.NewInput(t.Context(), name, f)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := trace.ReadSwim(in)
		f.Close()
		if err != nil || len(lines) != jobs {
			t.Errorf("%s: %d jobs, want %d (%v)", name, len(lines), jobs, err)
			continue
		}
		js, err := NewSWIM().FromTrace(lines, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(js.Jobs) != 50 || js.Jobs[0].Name != "job0" || js.Jobs[49].Release != model.Time(lines[49].Submit-lines[0].Submit) {
			t.Errorf("%s: %d jobs from %s, the last at %d", name, len(js.Jobs), js.Jobs[0].Name, js.Jobs[len(js.Jobs)-1].Release)
		}
	}
}
