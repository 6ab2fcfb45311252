package inference

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
)

// watched is a context that is asked whether it is done, counts how often, and keeps the
// most memory that was in use then. It is done after so many times, if that is not 0.
type watched struct {
	context.Context
	times, last int
	peak        uint64
}

func (w *watched) Err() error {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	w.peak = max(w.peak, m.HeapAlloc)
	if w.times++; w.last > 0 && w.times > w.last {
		return context.Canceled
	}
	return w.Context.Err()
}

// long is a job set with times so long that nothing can be kept for each, on some slaves.
func long(t *testing.T, slaves int, deadline model.Time) *model.JobSet {
	js := &model.JobSet{Heartbeat: 1}
	for s := range slaves {
		js.Slaves = append(js.Slaves, model.Slave{Name: strconv.Itoa(s), Cores: 1, Slots: 1})
	}
	var tasks []model.Group
	for n := range model.Time(4) {
		tasks = append(tasks, model.Group{Count: 2, Profile: model.NewProfile(model.ConstRow(slaves, 10+n), model.ConstRow(slaves, 0))})
	}
	js.Jobs = []model.Job{{Name: "a", Kind: model.Hard, Deadline: deadline, Stages: []model.Stage{{Groups: tasks}}}}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// numberedLines numbers so many of a form, from 1 on.
func numberedLines(n int, form string) string {
	var b strings.Builder
	for k := range n {
		fmt.Fprintf(&b, form, k+1)
	}
	return b.String()
}

// hostile are steps of a question about such a set that ask for much, and the fault at which
// they end.
func hostile(slaves int, by model.Time) map[string][2]string {
	everywhere := ""
	for s := range slaves {
		everywhere += fmt.Sprintf(" 0.%d.0.%d.1 2.%d.0.%d.1", s, by, s, by)
	}
	bounds := ""
	for n := range 3000 {
		bounds += fmt.Sprintf(" s0>%d", 6_000-n)
	}
	passes := ""
	for n := range 1 << 10 {
		passes += fmt.Sprintf(" job.%d.0.1", n)
	}
	short := "the clause does not follow: jobs may pay no more"
	return map[string][2]string{
		"prices at all times":  {fmt.Sprintf("m 1%s\nc 2 prices 1 :\n", everywhere), short},
		"many lines of prices": {numberedLines(500, "m %d 0.0.0.1000000000000.1 2.0.0.1000000000000.1\n"), "cut off"},
		"clauses, all deleted": {numberedLines(3000, "c %[1]d task 0 : s0<=5 s0>5\nd %[1]d\n"), "cut off"},
		"literals":             {"c 1 task 0 :" + strings.Repeat(" s0<=5 s0>5", 3000) + "\n", "cut off"},
		"bounds":               {"c 1 task 0 :" + bounds + "\n", "the clause does not follow"},
		"passes":               {numberedLines(200, "m %d"+passes+"\n"), "cut off"},
		"counted":              {"m 1 job.0.0.1" + strings.Repeat(" once.0.0", 20_000) + "\nc 2 sequence 1 :\n", "the clause does not follow"},
		"hints":                {"c 1 task 0 :" + strings.Repeat(" s0<=5", 1000) + " s0>5\nn 2 : s0<=5 :" + strings.Repeat(" 1", 1000) + "\n", "the nogood does not follow"},
	}
}

// asked is a proof of such steps, without its end.
func (p *proven) asked(by model.Time, steps string) string {
	proof := p.whole(fmt.Sprintf("tick 1\nquestion 1\nmust 0 %d\n%s", by, steps))
	return proof[:strings.LastIndex(proof, "end")]
}

// TestMemoryIsBounded: small files that ask for much do not take much memory: some lists by
// time, of at most mostTicks, and what grows with tasks, slaves and bytes read.
func TestMemoryIsBounded(t *testing.T) {
	testkit.UsualMemory(t)
	const slaves, fixed = 2, 64 << 20
	for _, by := range []model.Time{model.Time(testkit.Sets(1_000, mostTicks-1)), latest} {
		p := proven{js: long(t, slaves, min(by, model.MaxTime))}
		for name, steps := range hostile(slaves, by) {
			proof := p.asked(by, steps[0])
			var before runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			ctx := &watched{Context: t.Context()}
			if _, err := CheckFile(ctx, p.js, strings.NewReader(proof)); err == nil || !strings.Contains(err.Error(), steps[1]) {
				t.Errorf("by %d, %s: %v", by, name, err)
			}
			if used, most := ctx.peak-min(ctx.peak, before.HeapAlloc), uint64(fixed+50*len(proof)); used > most {
				t.Errorf("by %d, %s: %d MB for a file of %d bytes", by, name, used>>20, len(proof))
			}
		}
	}
}

// TestBombs: a gzip file of some kilobytes that is long to read, and questions without end, take no memory.
func TestBombs(t *testing.T) {
	testkit.UsualMemory(t)
	const most = 16 << 20
	p := proven{js: long(t, 2, 1000)}
	hopeless := ""
	for n := range 3000 {
		hopeless += fmt.Sprintf("question %d\nmust 0 0\nc 1 misses :\nrefuted %d 1\n", n+1, n+1)
	}
	head, _, _ := strings.Cut(p.asked(1000, ""), "question")
	for name, text := range map[string]io.Reader{
		"comments":  io.LimitReader(repeated("# "+strings.Repeat("-", 4000)+"\n"), 32<<20),
		"questions": strings.NewReader(hopeless),
	} {
		var small bytes.Buffer
		w := gzip.NewWriter(&small)
		if _, err := io.Copy(w, io.MultiReader(strings.NewReader(head), text)); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		bomb, err := gzip.NewReader(&small)
		if err != nil {
			t.Fatal(err)
		}
		var before runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		ctx := &watched{Context: t.Context()}
		if _, err := CheckFile(ctx, p.js, bomb); err == nil || !strings.Contains(err.Error(), "cut off") {
			t.Errorf("%s: %v", name, err)
		}
		if used := ctx.peak - min(ctx.peak, before.HeapAlloc); used > most {
			t.Errorf("%s: %d MB", name, used>>20)
		}
	}
}

// repeated is a text again and again.
type repeated string

func (r repeated) Read(to []byte) (int, error) {
	n := copy(to, r)
	for n < len(to) {
		n += copy(to[n:], to[:n])
	}
	return n, nil
}

// TestClausesCostWhatTheySay: literals that are there many times, or that weaker ones include,
// are kept once, and a hint does not go through them again.
func TestClausesCostWhatTheySay(t *testing.T) {
	testkit.UsualMemory(t)
	const times, clauses, hints, most = 100_000, 50, 100_000, 40 << 20
	p := proven{js: long(t, 2, 1000)}
	var lines []io.Reader
	add := func(text string) { lines = append(lines, strings.NewReader(text)) }
	add(strings.TrimSuffix(p.asked(1000, "\n"), "\n"))
	literals := strings.Repeat(" s0<=5 s0<=4 -x0.1 s1>7 s1>8", times/5)
	for n := range clauses {
		add(fmt.Sprintf("c %d task 0 :", n+1))
		add(literals)
		add(" s0>5\n")
	}
	add("n 1000 : s0<=5 x0.1 s1>7 :" + strings.Repeat(" 1", hints) + "\n")
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	ctx := &watched{Context: t.Context()}
	if _, err := CheckFile(ctx, p.js, io.MultiReader(lines...)); err == nil || !strings.Contains(err.Error(), "the nogood does not follow") {
		t.Errorf("%v", err)
	}
	if used := ctx.peak - min(ctx.peak, before.HeapAlloc); used > most {
		t.Errorf("%d MB for %d clauses of %d literals that are equal", used>>20, clauses, times)
	}
	if looked := ctx.times * 1024; looked > 2*(clauses*times+4*hints) {
		t.Errorf("%d steps for %d literals and %d hints", looked, clauses*times, hints)
	}
}

// TestMergedLiterals: what is left of literals is true, or false, where all of them are.
func TestMergedLiterals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		st := &state{checker: &checker{}}
		for range 1 + rng.IntN(8) {
			st.clause = append(st.clause, literal{rng.IntN(2) == 0, rng.Int32N(3), model.Time(rng.IntN(4))})
		}
		whole := slices.Clone(st.clause)
		st.merge()
		if len(st.clause) > 6 {
			t.Errorf("%v of %v", st.clause, whole)
		}
		for n := range 6 * 6 * 6 {
			at := []model.Time{model.Time(n % 6), model.Time(n / 6 % 6), model.Time(n / 36)}
			holds := func(l literal) bool { return at[l.n] > l.v == l.above }
			if slices.ContainsFunc(whole, holds) != slices.ContainsFunc(st.clause, holds) {
				t.Fatalf("%v is left of %v", st.clause, whole)
			}
		}
	}
}

// TestLongLine: a line that is longer than any is told so, wherever it stands.
func TestLongLine(t *testing.T) {
	p := proven{js: long(t, 2, 1000)}
	endless := strings.NewReader(strings.Repeat("s0<=5 ", MaxLine/6+1))
	whole := "a line of more than 64 MiB, which no proof needs"
	if _, err := CheckFile(t.Context(), p.js, io.MultiReader(strings.NewReader(p.asked(1000, "c 1 task 0 : ")), endless)); err == nil || !strings.HasSuffix(err.Error(), whole) {
		t.Errorf("%v", err)
	}
}

// TestStopsWithinAStep: the checker ends with its context in the middle of a step, too, that
// goes through many times, bounds or clauses.
func TestStopsWithinAStep(t *testing.T) {
	const slaves, by = 20, 20_000
	p := proven{js: long(t, slaves, by)}
	steps := hostile(slaves, by)
	for _, name := range []string{"prices at all times", "bounds", "hints"} {
		ctx := &watched{Context: t.Context(), last: 2}
		if _, err := CheckFile(ctx, p.js, strings.NewReader(p.asked(by, steps[name][0]))); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if ctx.times > 100 {
			t.Errorf("%s: asked %d times more", name, ctx.times-ctx.last)
		}
	}
}

// TestAsksBetweenTasks: where slaves are away often, so that what is left to one task takes long
// to find, the checker asks its context before each.
func TestAsksBetweenTasks(t *testing.T) {
	const slaves, absences, tasks, by = 2, 600, 40, 20_000
	js := &model.JobSet{Heartbeat: 1, Slaves: make([]model.Slave, slaves)}
	for s := range js.Slaves {
		js.Slaves[s] = model.Slave{Name: strconv.Itoa(s), Cores: 1, Slots: 1}
		for n := range model.Time(absences) {
			js.Slaves[s].Down = append(js.Slaves[s].Down, model.Interval{Start: 20*n + 10, End: 20*n + 11})
		}
	}
	equal := model.Group{Count: tasks, Profile: model.NewProfile(model.ConstRow(slaves, 9), model.ConstRow(slaves, 0))}
	js.Jobs = []model.Job{{Name: "a", Kind: model.Hard, Deadline: by, Stages: []model.Stage{{Groups: []model.Group{equal}}}}}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	p := proven{js: js}
	for _, steps := range []string{"c 1 job 0 :\n", "c 1 first 0 0 1 : -x0.1\n", "m 1\nc 2 prices 1 :\n"} {
		ctx := &watched{Context: t.Context()}
		if _, err := CheckFile(ctx, js, strings.NewReader(p.asked(by, steps))); err == nil {
			t.Errorf("%q: proves something", steps)
		}
		if ctx.times < 3*tasks {
			t.Errorf("%q: asked %d times", steps, ctx.times)
		}
	}
}

// TestStopsAmongWords: the checker ends with its context among comments, literals and prices,
// however many there are.
func TestStopsAmongWords(t *testing.T) {
	p := proven{js: long(t, 2, 1000)}
	for name, text := range map[string]string{
		"comments": strings.Repeat("#\n", 10_000),
		"literals": "c 1 task 0 :" + strings.Repeat(" s0<=5", 10_000),
		"prices":   "m 1" + strings.Repeat(" misses.1", 10_000),
	} {
		ctx := &watched{Context: t.Context(), last: 1}
		if _, err := CheckFile(ctx, p.js, strings.NewReader(p.asked(1000, text+"\n"))); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, after %d times", name, err, ctx.times)
		}
	}
}
