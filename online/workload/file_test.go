package workload

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"downbeat/model"
)

const examples = "../../examples/workloads/"

// What the files of built-in workloads that draw nothing say is the same to the digest.
func TestFilesOfSetsWithoutDraws(t *testing.T) {
	for _, name := range []string{"rds-case", "rds-overload"} {
		own, built := setOf(t, examples+name+".yaml", 3), setOf(t, name, 3)
		if own.Digest() != built.Digest() {
			t.Errorf("%s: the file's set is another one", name)
		}
	}
}

func setOf(t *testing.T, spec string, seed uint64) *model.JobSet {
	t.Helper()
	w, err := Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	js, err := w.Generate(seed)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// figuresOfSet are what two workloads are compared by.
func figuresOfSet(js *model.JobSet) map[string]float64 {
	out := map[string]float64{"jobs": float64(len(js.Jobs)), "tasks": float64(len(js.Tasks)), "slaves": float64(len(js.Slaves))}
	for i := range js.Jobs {
		j := &js.Jobs[i]
		n := float64(len(js.Jobs))
		out["deadline"] += float64(j.Deadline) / n
		out["release"] += float64(j.Release) / n
		out[j.Kind.String()]++
		for s := range j.Stages {
			st := &j.Stages[s]
			out["stages"]++
			out["tasks of "+st.Name] += float64(st.End - st.First)
			out["one-task "+st.Name] += map[bool]float64{true: 1}[st.End-st.First == 1]
		}
	}
	for i := range js.Tasks {
		task := &js.Tasks[i]
		local, least := 0, model.Never
		for s := range js.Slaves {
			least = min(least, task.Transfer(model.SlaveID(s)))
		}
		for s := range js.Slaves {
			if task.Transfer(model.SlaveID(s)) == least {
				local++
			}
		}
		out["wcet"] += float64(task.WCET(0))
		out["transfer"] += float64(task.Transfer(0))
		out["holders"] += float64(local)
	}
	for s := range js.Slaves {
		out["first heartbeats"] += float64(js.Slaves[s].FirstBeat)
	}
	return out
}

// The files of built-in workloads draw from the same distributions: all means agree to within four standard
// errors of their difference. Of what is not drawn that is none at all.
func TestFilesOfBuiltIns(t *testing.T) {
	for name, seeds := range map[string]int{"ec2": 2, "maxweight": 20, "rtmr1": 8, "rtmr2": 5} {
		var own, built []map[string]float64
		for seed := range uint64(seeds) {
			own = append(own, figuresOfSet(setOf(t, examples+name+".yaml", seed)))
			built = append(built, figuresOfSet(setOf(t, name, seed)))
		}
		for figure := range built[0] {
			a, va := meanOf(own, figure)
			b, vb := meanOf(built, figure)
			if tolerance := 4*math.Sqrt((va+vb)/float64(seeds)) + 1e-9*math.Abs(b); math.Abs(a-b) > tolerance {
				t.Errorf("%s: %s is %.4g by the file, %.4g built in, ± %.3g", name, figure, a, b, tolerance)
			}
		}
	}
}

func meanOf(sets []map[string]float64, figure string) (mean, variance float64) {
	for _, s := range sets {
		mean += s[figure] / float64(len(sets))
	}
	for _, s := range sets {
		variance += (s[figure] - mean) * (s[figure] - mean) / float64(max(1, len(sets)-1))
	}
	return mean, variance
}

const small = `workload: for a test
version: 1
time_unit: 1s
cluster: {heartbeat: 1, slaves: [{name: s, count: 4, cores: 2}]}
arrivals: {count: 400, gaps: 10}
jobs:
  - name: j
    deadline: {factor: 2}
    hard: 0.25   # the share
    map: {tasks: 3, wcet: FIGURE}
`

func own(t *testing.T, text string) *File {
	t.Helper()
	w, err := readFile("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.check(); err != nil {
		t.Fatal(err)
	}
	return w
}

// The mean and the least and greatest of what is drawn are those of the distribution.
func TestDistributions(t *testing.T) {
	csv := filepath.Join(t.TempDir(), "times.csv")
	if err := os.WriteFile(csv, []byte("\ufeffseconds,task\r\n3,a\r\n5,b\r\n13,c\r\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		figure      string
		mean        float64
		least, most model.Time
	}{
		{"7", 7, 7, 7},
		{"'3..9'", 6, 3, 9},
		{"'3s..9s'", 6, 3, 9},
		{"{exponential: {mean: 400}}", 400, 1, model.MaxTime},
		{"{exponential: {mean: 400, least: 100, most: 500}}", 500 - 400/(math.E-1), 100, 500},
		{"{normal: {mean: 100, sd: 20}}", 100, 1, 200},
		{"{lognormal: {median: 50, sigma: 0.5}}", 50 * math.Exp(0.125), 1, 1000},
		{"{loguniform: {low: 10, high: 1000}}", 990 / math.Log(100), 10, 1000},
		{"{pareto: {scale: 30, shape: 3}}", 45, 30, model.MaxTime},
		{"{weibull: {scale: 60, shape: 2}}", 60 * math.Gamma(1.5), 1, 1000},
		{"{geometric: {mean: 8}}", 8, 1, 200},
		{"{values: [2, 4, 12s]}", 6, 2, 12},
		{fmt.Sprintf("{csv: {file: %q, column: seconds}}", csv), 7, 3, 13},
	} {
		js, err := own(t, strings.ReplaceAll(small, "FIGURE", c.figure)).Generate(5)
		if err != nil {
			t.Fatal(err)
		}
		var sum, squares float64
		n := float64(len(js.Tasks))
		least, most := model.MaxTime, model.Time(0)
		for i := range js.Tasks {
			x := js.Tasks[i].WCET(0)
			sum, squares = sum+float64(x), squares+float64(x)*float64(x)
			least, most = min(least, x), max(most, x)
		}
		error := math.Sqrt(max(0, squares/n-(sum/n)*(sum/n))/n)*4 + 0.05 // rounding to ticks
		if math.Abs(sum/n-c.mean) > error || least < c.least || most > c.most || n != 1200 {
			t.Errorf("%s: mean %.2f ± %.2f, from %d to %d, %g tasks", c.figure, sum/n, error, least, most, n)
		}
	}
}

// Jobs are hard by their share, and due when they are to be.
func TestKindsAndDeadlines(t *testing.T) {
	js, err := own(t, strings.ReplaceAll(small, "FIGURE", "5")).Generate(1)
	if err != nil {
		t.Fatal(err)
	}
	hard := 0
	for i := range js.Jobs {
		j := &js.Jobs[i]
		if j.Deadline != 10 || j.Release != model.Time(10*i) || j.Name != fmt.Sprintf("j-%d", i+1) {
			t.Fatalf("job %+v", j)
		}
		if j.Kind == model.Hard {
			hard++
		}
	}
	if hard < 66 || hard > 134 {
		t.Errorf("%d of 400 jobs are hard", hard)
	}
}

// A figure that is changed leaves all other draws as they were, and those of the jobs before where there are more.
func TestDrawsKeep(t *testing.T) {
	path := examples + "mixed.yaml"
	js := setOf(t, path, 9)
	more := setOf(t, path+":arrivals.count=40", 9)
	slow := setOf(t, path+":jobs.small.map.wcet.lognormal.median=30", 9)
	if len(more.Jobs) != 40 || len(slow.Tasks) != len(js.Tasks) {
		t.Fatalf("%d jobs, %d tasks for %d", len(more.Jobs), len(slow.Tasks), len(js.Tasks))
	}
	for i := range js.Jobs {
		a, b, c := &js.Jobs[i], &more.Jobs[i], &slow.Jobs[i]
		if a.Name != b.Name || a.Release != b.Release || a.Deadline != b.Deadline || a.Kind != b.Kind || a.Release != c.Release || a.Weight != c.Weight {
			t.Errorf("job %d: %+v, %+v, %+v", i, a, b, c)
		}
	}
	if setOf(t, path, 9).Digest() != js.Digest() || setOf(t, path, 10).Digest() == js.Digest() {
		t.Error("the seed does not fix the set")
	}
}

// As many jobs arrive over the day as the rates say.
func TestRatesOverTime(t *testing.T) {
	counts := map[int]int{}
	for seed := range uint64(20) {
		js := setOf(t, examples+"day.yaml:arrivals.batch=1", seed)
		for i := range js.Jobs {
			switch of := js.Jobs[i].Release % (24 * 60); {
			case of < 12*60:
				counts[0]++
			case of < 16*60:
				counts[1]++
			default:
				counts[2]++
			}
		}
	}
	for part, want := range []float64{20 * 2 * 12, 20 * 2 * 4 * 4, 20 * 2 * 8 * 0.25} {
		if got := float64(counts[part]); math.Abs(got-want) > 4*math.Sqrt(want) {
			t.Errorf("part %d of the day: %g jobs, want %g", part, got, want)
		}
	}
}

// Shapes are what they are called.
func TestShapes(t *testing.T) {
	for shape, want := range map[string][][]int32{
		"shape: chain, length: 3":              {{}, {0}, {1}},
		"shape: fork-join, width: 2":           {{}, {0}, {0}, {1, 2}},
		"shape: layered, layers: 2, width: 2":  nil,
		"shape: layered, layers: 30, width: 4": nil,
	} {
		text := strings.ReplaceAll(strings.Replace(small, "400", "4", 1), "map: {tasks: 3, wcet: FIGURE}", "stages: {"+shape+", tasks: 1..2, wcet: 1..9}")
		js, err := own(t, text).Generate(2)
		if err != nil {
			t.Fatal(err)
		}
		for i, st := range js.Jobs[0].Stages {
			switch {
			case want != nil && !slices.Equal(st.After, want[i]):
				t.Errorf("%s: stage %d waits for %v", shape, i, st.After)
			case want == nil && strings.Contains(shape, "width: 4") && (len(st.After) == 0) != (i < 4):
				t.Errorf("%s: stage %d waits for %v", shape, i, st.After)
			}
		}
	}
}

// Given times, and kinds that are dealt: each as often as its share.
func TestDealt(t *testing.T) {
	text := strings.Replace(small, "{count: 400, gaps: 10}", "{at: [0, 0, 5, 1m, 2m, 3m], kinds: dealt}", 1)
	text = strings.ReplaceAll(text, "FIGURE", "5") + "  - {name: k, share: 2, map: {tasks: 1, wcet: 3}}\n"
	js, err := own(t, text).Generate(4)
	if err != nil {
		t.Fatal(err)
	}
	ks := 0
	for i := range js.Jobs {
		ks += strings.Count(js.Jobs[i].Name, "k-")
	}
	if ks != 4 || len(js.Jobs) != 6 || js.Jobs[5].Release != 180 {
		t.Errorf("%d of kind k, %d jobs, the last at %d", ks, len(js.Jobs), js.Jobs[5].Release)
	}
}

// Whatever is wrong is told at its place, or in the words of the text that says it.
func TestFaultsOfFiles(t *testing.T) {
	src, err := os.ReadFile(examples + "mixed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "w.yaml")
	for _, c := range []struct{ from, to, params, want string }{
		{"arrivals:", "arrival:", "", `9:1: unknown field "arrival" in the workload; did you mean arrivals?`},
		{"lognormal", "lognormale", "", `20:14: wcet is drawn from "lognormale", which is no distribution; did you mean lognormal?`},
		{"sigma: 0.5", "sgima: 0.5", "", `20:38: unknown field "sgima" in lognormal of wcet; did you mean sigma?`},
		{"8..15", "15..8", "", "23:33: wcet is the range 15..8; write the smaller end first: 8..15"},
		{"replicas: 3", "replicas: 30", "", "22:24: replicas is 30, more than 20"},
		{"share: 8", "shaer: 8", "", `14:5: unknown field "shaer" in a job; did you mean share?`},
		{"share: 8", "share: -1", "", "14:12: share is -1; write a number of at least 0"},
		{"{mean: 4}", "{mean: 0}", "", "19:33: mean is 0; write a number of at least 1"},
		{"layered", "layred", "", `27:21: shape is "layred"; did you mean layered?`},
		{"layers: 2..4, ", "", "", `27:13: stages of job "graph" has no layers; add layers: 2..4`},
		{"edges: 0.3", "edges: 3", "", "27:64: edges is 3; write a probability, from 0 to 1"},
		{"layered", "chain", "", "27:28: the shape chain has no layers; it has length"},
		{"hard: 0.5", "hard: 1.5", "", "16:11: hard is 1.5; write the share of jobs that are hard"},
		{"factor: 1.5", "factr: 1.5", "", `15:16: unknown field "factr" in deadline; did you mean factor?`},
		{"count: 30", "count: many", "", "10:10: count is many, not a plain whole number"},
		{"  count: 30\n", "", "", "10:3: arrivals never end; add count: 40"},
		{"count: 30", "until: 10000h", "", "more than 100000 jobs arrive"},
		{"rate: 3", "rate: 0", "", "11:19: by these rates no job arrives"},
		{"rate: 3", "rate: [{from: 5, rate: 1}]", "", "11:27: a rate holds from 5; write from: 0 for the first"},
		{"slow: 10..40", "slwo: 10..40", "", `wcet names "slwo", which is neither a slave nor a class; did you mean slow?`},
		{"tasks: 1..6", "tasks: 1..6, on: 3", "", `27:82: unknown field "on" in stages of job "graph"`},
		{"workload: ", "# ", "", "2:1: the file does not say that it is a workload"},
		{"{replicas: 3}", "{replicas: 3, on: [fats]}", "", `22:32: on names "fats", which is neither a slave nor a class; did you mean fast?`},
		{"8..15", "{csv: {file: none.csv, column: x}}", "", "none.csv: no such file or directory"},
		{"", "", ":arrivals.count=1000000000", "arrivals.count=1000000000: count is 1000000000, more than 100000"},
		{"", "", ":jobs.graph.stages.tasks=2000000", "jobs.graph.stages.tasks=2000000: the job set has more than 1000000 tasks up to here"},
		{"", "", ":jobs.small.map.wcet.lognormal.median=1e18", "20:13: of 10000 draws of wcet none is at most 60; write"},
		{"most: 60", "least: 1e9", "", "20:13: of 10000 draws of wcet none is at least 1e+09; write"},
		{"most: 60", "least: 1e9, most: 1e10", "", "20:13: of 10000 draws of wcet none is from 1e+09 to 1e+10; write"},
		{"", "", ":jobs.small.map.wcet.lognormal.median=abc", `median is the text "abc"; write a number of ticks`},
		{"", "", ":jobs.small.map.wcet.lognormal.medain=3", `did you mean "jobs.small.map.wcet.lognormal.median"?`},
	} {
		if err := os.WriteFile(path, []byte(strings.Replace(string(src), c.from, c.to, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		w, err := Parse(path + c.params)
		if err == nil {
			_, err = w.Generate(1)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s%s:\n%v\nwant %s", c.to, c.from, c.params, err, c.want)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := parse(t, examples+"mixed.yaml").GenerateContext(ctx, 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its context: %v", err)
	}
	for _, spec := range []string{"none.yaml", "./none", "./"} {
		if _, err := Parse(spec); err == nil || !strings.HasPrefix(err.Error(), spec+": ") {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

// Every plain value can be set from outside, by the names that lead to it, and its remark tells of it.
func TestParametersOfFiles(t *testing.T) {
	e, err := Explain(examples + "mixed.yaml:cluster.slaves.fast.count=7")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Parameter{}
	for _, p := range e.Parameters {
		got[p.Name] = p
	}
	if p := got["cluster.slaves.fast.count"]; p.Value != "7" {
		t.Errorf("%+v", p)
	}
	if p := got["jobs.small.hard"]; p.Help != "share of hard jobs" {
		t.Errorf("%+v", p)
	}
	if e.Help != "small and large MapReduce jobs on 20 machines, half of them hard" {
		t.Errorf("help %q", e.Help)
	}
	if js := setOf(t, examples+"mixed.yaml:cluster.slaves.fast.count=7", 1); len(js.Slaves) != 17 {
		t.Errorf("%d slaves", len(js.Slaves))
	}
}

// Texts of workloads gain and lose parameters, whatever they are.
func TestWithAndWithout(t *testing.T) {
	for _, name := range []string{"tiny", "rtmr1:gap=3", "a/b.yaml", "b.yaml:x.y=3..4", "dir/w"} {
		with := With(name, "seed", "7")
		if !strings.HasSuffix(with, "seed=7") || Without(with, "seed") != name {
			t.Errorf("%s: %s, %s", name, with, Without(with, "seed"))
		}
	}
	if path, is := IsFile("swim:file=x.json"); is {
		t.Errorf("swim is the file %s", path)
	}
}

// docs/workloads.md has each distribution with its figures, and each shape with its own, and shows a file that is there.
func TestPageOfWorkloads(t *testing.T) {
	src, err := os.ReadFile("../../docs/workloads.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(src)
	for _, f := range families {
		row, _, _ := strings.Cut(page[max(0, strings.Index(page, "`{"+f.name+": ")):], "\n")
		for _, p := range f.params {
			if !strings.Contains(row, p.name+": ") {
				t.Errorf("the page does not show %s of %s", p.name, f.name)
			}
		}
	}
	for _, shape := range shapeNames {
		row, _, _ := strings.Cut(page[max(0, strings.Index(page, "{shape: "+shape+",")):], "\n")
		for _, p := range shapeFields[shape] {
			if !strings.Contains(row, p+": ") {
				t.Errorf("the page does not show %s of %s", p, shape)
			}
		}
	}
	shown, err := os.ReadFile(examples + "mixed.yaml")
	if err != nil || !strings.Contains(page, string(shown)) {
		t.Errorf("the page does not show mixed.yaml as it is (%v)", err)
	}
}
