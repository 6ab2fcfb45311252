package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"downbeat/cmd/internal/journal"
	"downbeat/cmd/internal/schedulers"
	"downbeat/internal/testkit/schematest"
	"downbeat/model"
	"downbeat/online"
	"downbeat/online/durations"
)

// cellsConfig has no clock limit, so that every cell is the same on any machine.
func cellsConfig(names ...string) *Config {
	return &Config{Policies: names, New: schedulers.New, SolverSeed: 1, Workers: 1, Budget: 20, Program: "test"}
}

// tiny is a request for tiny sets.
func tiny(seeds string, names ...string) Asked {
	return Asked{Workloads: []string{"tiny"}, Seeds: seeds, Policies: names}
}

// do works on what is asked, with a journal if path is not empty, and stops after so many job
// sets if stop is not 0.
func do(t *testing.T, path string, asked Asked, stop int) (*Config, []Set, []*Record) {
	t.Helper()
	c := cellsConfig(asked.Policies...)
	sets, err := asked.Sets()
	if err != nil {
		t.Fatal(err)
	}
	if asked.Shard != "" {
		shard, err := journal.ParseShard(asked.Shard)
		if err != nil {
			t.Fatal(err)
		}
		sets = journal.Part(shard, sets)
	}
	var keep Keeper
	var store *CellStore
	if path != "" {
		if store, err = OpenCells(path, c.Conditions(), asked); err != nil {
			t.Fatal(err)
		}
		keep = store
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	records, err := Run(ctx, c, sets, keep, func(p Progress) {
		if p.Done == stop {
			cancel()
		}
	})
	if err := errors.Join(err, store.Close()); err != nil {
		t.Fatal(err)
	}
	return c, sets, records
}

// texts are the files of cells.
func texts(t *testing.T, c *Config, sets []Set, records []*Record) string {
	t.Helper()
	var b bytes.Buffer
	if err := errors.Join(c.WriteCSV(&b, records, false), c.WriteJSON(&b, sets, records, false)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// merged is the result of journals, and its files.
func merged(t *testing.T, paths ...string) (*cellResult, string) {
	t.Helper()
	s, err := ReadCells(paths)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Result(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r, texts(t, r.Config, r.Sets, r.Records)
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// Shards of a sweep, one of them stopped and torn and gone on with, merge to the files of one
// process, in any order, put together by cat as well, and written as one journal.
func TestShardsMerge(t *testing.T) {
	asked := Asked{
		Workloads: []string{"realtime:streams=2,slaves=2,period=20..40", "tiny"}, Seeds: "7,1-5,30", Policies: []string{"edf", "fifo", "penn-random-first"},
	}
	c, sets, records := do(t, "", asked, 0)
	want := texts(t, c, sets, records)
	dir := t.TempDir()
	var paths []string
	for i := range 3 {
		part, path := asked, filepath.Join(dir, fmt.Sprint("shard-", i+1))
		part.Shard = fmt.Sprintf("%d/3", i+1)
		paths = append(paths, path)
		if i == 1 {
			do(t, path, part, 2)
			src := read(t, path)
			if err := os.WriteFile(path, src[:len(src)-50], 0o666); err != nil {
				t.Fatal(err)
			}
			r, _ := merged(t, paths...)
			gone := 0
			for _, rec := range r.Records {
				if rec == nil {
					gone++
				}
			}
			// The third shard has four sets and was not begun; the second lost one line at least.
			if len(r.Missing) != 3 || r.Missing[0] != fmt.Sprintf("%d of 14 job sets are missing", gone) || gone < 5 ||
				r.Missing[1] != fmt.Sprintf("shard 2/3: %d of 5, the first is %s", gone-4, firstGone(r, 1)) ||
				r.Missing[2] != "shard 3/3: 4 of 4, the first is "+sets[2].ID {
				t.Errorf("missing are %q", r.Missing)
			}
		}
		do(t, path, part, 0)
	}
	one := filepath.Join(dir, "one")
	rng := rand.New(rand.NewPCG(1, 1))
	for range 4 {
		rng.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
		r, got := merged(t, paths...)
		if got != want || r.Missing != nil {
			t.Fatalf("%v merge to other files; missing %q", paths, r.Missing)
		}
		s, err := ReadCells(paths)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := s.Write(&b); err != nil {
			t.Fatal(err)
		}
		if before, err := os.ReadFile(one); err == nil && !bytes.Equal(before, b.Bytes()) {
			t.Error("the one journal depends on the order")
		}
		if err := os.WriteFile(one, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, got := merged(t, one); got != want {
		t.Error("the one journal holds something else")
	}
	if _, got := merged(t, paths[0], one, paths[1], paths[1]); got != want {
		t.Error("what is there twice shows")
	}
	if err := os.WriteFile(one, slices.Concat(read(t, paths[2]), read(t, paths[0]), read(t, paths[1])), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, got := merged(t, one); got != want {
		t.Error("cat does not put journals together")
	}
}

// firstGone is the first set of a third that is not there.
func firstGone(r *cellResult, third int) string {
	for i := third; i < len(r.Sets); i += 3 {
		if r.Records[i] == nil {
			return r.Sets[i].ID
		}
	}
	return ""
}

// A journal grows by seeds, levels and policies; nothing is done twice, and all of it is as if
// it had been asked for at once.
func TestJournalsGrow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	sweep := func(levels, seeds string, names ...string) Asked {
		return Asked{Workloads: []string{"realtime:streams=2,slaves=2,period=20..40"}, Sweep: "utilisation=" + levels, Seeds: seeds, Policies: names}
	}
	do(t, path, sweep("0.2,0.8", "1-2", "edf"), 0)
	do(t, path, sweep("0.2,0.8", "1-4", "edf"), 0)
	do(t, path, sweep("0.2,0.5,0.8", "1-4", "edf"), 0)
	r, _ := merged(t, path)
	if r.Missing != nil || len(r.Sets) != 12 {
		t.Fatalf("%d sets, missing %q", len(r.Sets), r.Missing)
	}
	do(t, path, sweep("0.2,0.5,0.8", "1-4", "edf", "llf"), 5)
	r, _ = merged(t, path)
	if len(r.Missing) < 2 || !strings.HasSuffix(r.Missing[1], "job sets lack runs of llf and count as missing") {
		t.Errorf("missing are %q", r.Missing)
	}
	all := sweep("0.2,0.5,0.8", "1-4", "edf", "llf")
	c, sets, records := do(t, path, all, 0)
	again, _, fresh := do(t, "", all, 0)
	want := texts(t, again, sets, fresh)
	if texts(t, c, sets, records) != want {
		t.Error("what grew is not as if at once")
	}
	r, got := merged(t, path)
	if got != want || r.Missing != nil {
		t.Errorf("the report of what grew is not as if at once; missing %q", r.Missing)
	}
	before := read(t, path)
	do(t, path, all, 0)
	if !bytes.Equal(before, read(t, path)) {
		t.Error("a journal that has it all was added to")
	}
	seen := map[string]bool{}
	for line := range bytes.Lines(before) {
		if seen[string(line)] {
			t.Errorf("twice: %s", line)
		}
		seen[string(line)] = true
	}
	s, err := ReadCells([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	llf, err := s.Result([]string{"llf"})
	if err != nil || len(llf.Records[0].Cells) != 1 || llf.Records[0].Cells[0].Policy != "llf" {
		t.Errorf("the report of llf: %v", err)
	}
	var mismatch *journal.Mismatch
	if _, err := s.Result([]string{"fifo"}); !errors.As(err, &mismatch) {
		t.Errorf("got %v", err)
	}
}

// A journal of another bench is refused, whatever the difference, and left as it was; so are
// two that do not go together.
func TestJournalOfAnotherBench(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	asked := tiny("1-3", "edf")
	do(t, path, asked, 0)
	src := read(t, path)
	for part, change := range map[string]func(*Config){
		"version of the program": func(c *Config) { c.Program = "other" },
		"durations":              func(c *Config) { c.Durations = durations.Uniform{Lo: 0.5, Hi: 1} },
		"faults":                 func(c *Config) { c.Faults = &online.Faults{MTBF: 9, MTTR: 1} },
		"use of the optimum":     func(c *Config) { c.NoOptimum = true },
		"objectives":             func(c *Config) { c.Objectives = []model.Objective{model.Makespan} },
		"time limit":             func(c *Config) { c.Budget, c.TimeLimit = 0, time.Second },
		"budget":                 func(c *Config) { c.Budget = 21 },
		"ceiling of memory":      func(c *Config) { c.Memory = 1 << 30 },
		"solver's seed":          func(c *Config) { c.SolverSeed = 2 },
	} {
		c := cellsConfig("edf")
		change(c)
		_, err := OpenCells(path, c.Conditions(), asked)
		var mismatch *journal.Mismatch
		if !errors.As(err, &mismatch) || !strings.Contains(err.Error(), "it differs in the "+part) {
			t.Errorf("%s: %v", part, err)
		}
		if !bytes.Equal(read(t, path), src) {
			t.Fatalf("%s: the journal was changed", part)
		}
		other := filepath.Join(t.TempDir(), "other")
		s, err := OpenCells(other, c.Conditions(), asked)
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
		if _, err := ReadCells([]string{path, other}); !errors.As(err, &mismatch) || !strings.HasPrefix(err.Error(), other+":1: ") {
			t.Errorf("%s: read together: %v", part, err)
		}
		if back, err := configOf(ptr(c.Conditions())); err != nil || back.Conditions().Differs(c.Conditions()) != "" {
			t.Errorf("%s: conditions do not come back: %v", part, err)
		}
	}
}

// A journal is not gone on with, nor put together with others, once what its workloads draw from has changed; one that
// was written before that was kept is, and knows it from then on.
func TestChangedSources(t *testing.T) {
	folder := t.TempDir()
	ask := func(shard, digest string) Asked {
		a := tiny("1-4", "edf")
		if a.Shard = shard; digest != "" {
			a.Sources = map[string]string{"other": "sha256:0", "waves": digest}
		}
		return a
	}
	made := func(name, shard, digest string) string {
		path := filepath.Join(folder, name)
		do(t, path, ask(shard, digest), 0)
		return path
	}
	old, first, second, changed := made("old", "", ""), made("first", "1/2", "sha256:1"), made("second", "2/2", "sha256:1"), made("changed", "2/2", "sha256:2")
	refused := func(err error, text string) {
		t.Helper()
		var mismatch *journal.Mismatch
		if !errors.As(err, &mismatch) || !strings.Contains(err.Error(), text) {
			t.Errorf("not %q: %v", text, err)
		}
	}
	conditions := cellsConfig("edf").Conditions()
	src := read(t, first)
	_, err := OpenCells(first, conditions, ask("1/2", "sha256:2"))
	refused(err, "the journal is of another bench: waves has changed since")
	if !bytes.Equal(read(t, first), src) {
		t.Error("the journal was changed")
	}
	_, err = ReadCells([]string{first, changed})
	refused(err, changed+":2: this journal and those before it are of different benches: waves was changed in between")
	merged(t, first, second)
	merged(t, old, first)
	made("old", "", "sha256:1")
	_, err = OpenCells(old, conditions, ask("", "sha256:2"))
	refused(err, "waves has changed since")
	s, err := ReadCells([]string{old, second})
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	if err := s.Write(&all); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(all.String(), `"waves":"sha256:1"`); n != 1 {
		t.Errorf("what the sets depend on stands %d times in the journal of all", n)
	}
}

func ptr[T any](v T) *T { return &v }

// A file that is no journal is refused and left alone; a torn end is cut off, wherever it is
// torn; damage elsewhere is told with its place.
func TestJournalFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	asked := tiny("1-3", "edf")
	do(t, path, asked, 0)
	src := read(t, path)
	lines := bytes.SplitAfter(src, []byte("\n"))
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	line := func(v any) []byte {
		text, err := journal.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	const altered = ":3: the line was cut off or altered"
	for _, f := range []struct {
		name, fault string // no fault: it can be gone on with
		src         []byte
		held        int
	}{
		{"as it was", "", src, 3},
		{"empty", "", nil, 0},
		{"header torn", "", lines[0][:20], 0},
		{"header without its newline", "", bytes.TrimSuffix(lines[0], []byte("\n")), 0},
		{"last line torn", "", src[:len(src)-5], 2},
		{"last newline missing", "", src[:len(src)-1], 2},
		{"garbage at the end", "", append(bytes.Clone(src), 0, 0, 0), 3},
		{"a line taken out", "", join(lines[0], lines[1], lines[2], lines[4]), 2},
		{"a line altered", altered, bytes.Replace(src, []byte(`tiny:seed=1"`), []byte(`tiny:seed=9"`), 1), 0},
		{"a line cut off", altered, join(lines[0], lines[1], lines[2][:30], []byte("\n"), lines[3]), 0},
		{"two lines run together", altered, join(lines[0], lines[1], lines[2][:30], lines[3]), 0},
		{"a shopping list", ": the file is no journal", []byte("milk\n"), 0},
		{"a shopping list of one line", ": the file is no journal", []byte("milk"), 0},
		{"another JSON file", ": the file is no journal", []byte("{\"version\": 1}\n"), 0},
		{"another journal", `:1: the journal is of "cooking"`, line(header{Journal: "cooking", Version: 2}), 0},
		{"of another version", `:1: the journal is of "downbeat bench", version 1`, line(header{Journal: journalName, Version: 1}), 0},
		{"a line of no kind", ":6: this is no line", join(src, line(map[string]int{"a": 1})), 0},
		{"a line of another type", ":6: json: cannot", join(src, line(map[string]int{"set": 1})), 0},
		{"runs that differ", ":6: job set tiny:seed=1 has two runs", join(src, line(altering(t, lines[2]))), 0},
	} {
		if err := os.WriteFile(path, f.src, 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := OpenCells(path, cellsConfig().Conditions(), asked)
		if f.fault != "" {
			if err == nil || !strings.HasPrefix(err.Error(), path+f.fault) || !bytes.Equal(read(t, path), f.src) {
				t.Errorf("%s: %v, or the file was changed", f.name, err)
			}
			continue
		}
		if err != nil || s.Len() != f.held {
			t.Errorf("%s: %v, wanted %d records", f.name, err, f.held)
			continue
		}
		s.Close()
		do(t, path, asked, 0)
		if r, _ := merged(t, path); r.Missing != nil {
			t.Errorf("%s: missing after going on: %q", f.name, r.Missing)
		}
	}
	if _, err := ReadCells([]string{filepath.Join(t.TempDir(), "none")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	for _, path := range []string{t.TempDir(), os.DevNull} {
		if _, err := ReadCells([]string{path}); err == nil || !strings.HasSuffix(err.Error(), "a journal is a regular file") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// altering is the record of a line with another result.
func altering(t *testing.T, line []byte) *Record {
	s := newStore()
	if err := s.line(line); err != nil {
		t.Fatal(err)
	}
	rec := s.Find("tiny:seed=1")
	rec.Cells[0].Makespan++
	return rec
}

// Files may be asked for with other seeds, and stand before workloads.
func TestFilesAsked(t *testing.T) {
	p, err := plan([]Asked{
		{Workloads: []string{"tiny"}, Seeds: "1", Policies: []string{"edf"}},
		{Files: []string{"b.yaml", "a.yaml"}, Seeds: "4", Policies: []string{"fifo"}},
		{Files: []string{"b.yaml"}, Seeds: "2-3", Policies: []string{"edf"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range p.sets {
		got = append(got, fmt.Sprint(s.ID, s.Seeds))
	}
	if fmt.Sprint(got, p.policies) != "[b.yaml[2 3 4] a.yaml[4] tiny:seed=1[1]] [fifo edf]" {
		t.Errorf("planned are %v, policies %v", got, p.policies)
	}
	for _, bad := range []Asked{{Seeds: "x"}, {Seeds: "1", Sweep: "x"}, {Seeds: "1", Workloads: []string{"gone"}}} {
		if _, err := plan([]Asked{bad}); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}

// Levels that are no numbers keep their order, those that are ascend.
func TestOrderOfWhatGrew(t *testing.T) {
	ids := func(asked ...Asked) (out []string) {
		p, err := plan(asked)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range p.sets {
			out = append(out, strings.TrimPrefix(s.ID, "realtime:"))
		}
		return out
	}
	of := func(sweep, seeds string) Asked {
		return Asked{Workloads: []string{"realtime"}, Sweep: sweep, Seeds: seeds, Policies: []string{"edf"}}
	}
	if got := fmt.Sprint(ids(of("deadline=0.5..1,1..1", "1"), of("deadline=0.5..1,1..1", "2-3"))); got !=
		"[deadline=0.5..1,seed=1 deadline=0.5..1,seed=2 deadline=0.5..1,seed=3 deadline=1..1,seed=1 deadline=1..1,seed=2 deadline=1..1,seed=3]" {
		t.Errorf("order is %s", got)
	}
	if got := fmt.Sprint(ids(of("streams=10,9", "2"), of("streams=11", "1"))); got != "[streams=9,seed=2 streams=10,seed=2 streams=11,seed=1]" {
		t.Errorf("order is %s", got)
	}
	if got := fmt.Sprint(ids(of("streams=10,9", "2,1"))); got != "[streams=10,seed=2 streams=10,seed=1 streams=9,seed=2 streams=9,seed=1]" {
		t.Errorf("one request is not in its order: %s", got)
	}
}

// Two answers of the solver are put together from the best of both, in any order; what
// contradicts is told.
func TestMerge(t *testing.T) {
	best := func(objective string, value, bound int64) Best {
		return Best{Objective: objective, Value: value, Bound: bound}
	}
	rec := func(answer string, limit bool, best ...Best) *Record {
		return &Record{Set: "s", Answer: answer, Limit: limit, Best: best, Seconds: float64(len(best))}
	}
	for _, c := range []struct {
		a, b, want *Record
		fault      string
	}{
		{a: rec("feasible", true, best("misses", 4, 1)), b: rec("feasible", true, best("misses", 5, 2)),
			want: &Record{Set: "s", Answer: "feasible", Limit: true, Best: []Best{best("misses", 4, 2)}, Seconds: 1}},
		{a: rec("unknown", true), b: rec("feasible", false, best("misses", 5, 5)),
			want: &Record{Set: "s", Answer: "feasible", Best: []Best{best("misses", 5, 5)}}},
		{a: rec("unknown", true), b: rec("infeasible", false), want: rec("infeasible", false)},
		{a: rec("", false), b: rec("infeasible", false), want: rec("infeasible", false)},
		{a: rec("feasible", true, best("makespan", 3, 3)), b: rec("feasible", true, best("misses", 1, 1)),
			want: &Record{Set: "s", Answer: "feasible", Limit: true, Best: []Best{best("misses", 1, 1), best("makespan", 3, 3)}, Seconds: 1}},
		{a: rec("feasible", false), b: rec("infeasible", false), fault: "the hard deadlines were proved infeasible, and a plan found"},
		{a: rec("feasible", true, best("misses", 4, 4)), b: rec("feasible", true, best("misses", 5, 5)), fault: "a plan with misses 4 was found, and a bound of 5 proved"},
		{a: rec("perhaps", false), b: rec("feasible", false), fault: "perhaps"},
		{a: &Record{Set: "s", Digest: "1"}, b: &Record{Set: "s", Digest: "2"}, fault: "two job sets have the name s"},
	} {
		for range 2 {
			got := new(*c.a)
			err := merge(got, c.b)
			if c.fault != "" {
				if err == nil || !strings.Contains(err.Error(), c.fault) {
					t.Errorf("%+v and %+v: %v", c.a, c.b, err)
				}
			} else if err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("%+v and %+v make %+v, %v", c.a, c.b, got, err)
			}
			c.a, c.b = c.b, c.a
		}
	}
}

// The schema takes every line that is written, of every kind, and no line that is none.
func TestSchema(t *testing.T) {
	schema := schematest.Compile(t, JournalSchema(), "")
	valid := func(line []byte) error { return schema.Validate(schematest.Value(t, line)) }
	dir := t.TempDir()
	asked := Asked{Workloads: []string{"realtime:streams=2", "tiny"}, Seeds: "1-12", Policies: []string{"fifo", "rtmr"}, Shard: "1/2"}
	path := filepath.Join(dir, "a")
	do(t, path, asked, 0)
	other := filepath.Join(dir, "b")
	strange := cellsConfig()
	strange.Faults, strange.Memory, strange.Objectives = &online.Faults{MTBF: 9, MTTR: 1}, 1<<30, []model.Objective{model.Misses, model.Makespan}
	s, err := OpenCells(other, strange.Conditions(), Asked{Files: []string{"a.yaml"}, Sweep: "utilisation=1,2", Seeds: "1", Policies: []string{"edf"}})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	lines := 0
	for line := range bytes.Lines(slices.Concat(read(t, path), read(t, other))) {
		lines++
		if err := valid(line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		for _, slip := range [][2]string{{`"set":`, `"sett":`}, {`"asked":`, `"ask":`}, {`"version":2`, `"version":3`}, {`"policies":[`, `"policies":[1,`}, {`"crc32c":"`, `"crc32c":"x`}} {
			if changed := bytes.Replace(line, []byte(slip[0]), []byte(slip[1]), 1); !bytes.Equal(changed, line) && valid(changed) == nil {
				t.Errorf("the schema takes %s", changed)
			}
		}
	}
	if lines != 12+4 {
		t.Errorf("%d lines", lines)
	}
}
