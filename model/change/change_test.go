package change_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
)

const nightly = `version: 1
time_unit: 1m
origin: 2026-11-21T22:00:00Z
cluster:
  heartbeat: 1
  pools: {db: 2, licence: [{from: 0, amount: 1}, {from: 23:00, amount: 4}]}
  slaves:
    - {name: big, count: 3, cores: 2, resources: {memory: 8}, down: {big-3: [[10, 20]]}}
    - {name: small, cores: 1, map_slots: 1, reduce_slots: 1}
jobs:
  - name: etl
    deadline: 90
    hard: true
    map: {tasks: 4, wcet: {big: 10, small: 15}, transfer: {local: 1, remote: 5}, data: [big-1]}
  - {name: tick, deadline: 20, repeat: {every: 30m, times: 3}, map: {tasks: 1, wcet: 5}}
  - {name: report, after: [etl], map: {tasks: 1, wcet: 7, resources: {memory: 4}}}
`

func load(t *testing.T) *model.JobSet {
	t.Helper()
	js, err := jobfile.Load("nightly.yaml", []byte(nightly))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// TestChanges: what each flag does, what it says, and that its own text says it again.
func TestChanges(t *testing.T) {
	for _, c := range []struct {
		kind     change.Kind
		text     string
		sentence string
		holds    func(js *model.JobSet) bool
	}{
		{change.Without, "big-2", "without big-2", func(js *model.JobSet) bool { return !js.Slaves[1].Up(model.Interval{Start: 0, End: 1}) }},
		{change.Without, "big-2@22:15", "without big-2 from 22:15 on", func(js *model.JobSet) bool {
			return js.Slaves[1].Up(model.Interval{Start: 0, End: 15}) && !js.Slaves[1].Up(model.Interval{Start: 15, End: 16})
		}},
		{change.Without, "big@1h", "without big from 23:00 on", func(js *model.JobSet) bool { return js.Slaves[2].UpUntil(30) == 60 }},
		{change.Pool, "licence=3", "3 of pool licence", func(js *model.JobSet) bool { return js.Shared()[1].Most() == 3 && js.Shared()[1].Last() == 3 }},
		{change.Count, "big=1", "1 × big", func(js *model.JobSet) bool {
			return len(js.Slaves) == 2 && js.Tasks[0].Transfer(0) == 1 && js.Tasks[0].WCET(1) == 15
		}},
		{change.Count, "big=5", "5 × big", func(js *model.JobSet) bool {
			p := &js.Tasks[0]
			return len(js.Slaves) == 6 && js.Slaves[4].Name == "big-5" && js.Slaves[4].Down == nil && p.Transfer(0) == 1 && p.Transfer(4) == 5 && p.WCET(4) == 10 && p.WCET(5) == 15
		}},
		{change.Deadline, "etl=2h", "etl due 2h after its release", func(js *model.JobSet) bool { return js.Jobs[0].Deadline == 120 }},
		{change.Deadline, "etl=23:50", "etl due 1h50m after its release", func(js *model.JobSet) bool { return js.Jobs[0].Deadline == 110 }},
		{change.Deadline, "tick=15", "tick due 15m after its release", func(js *model.JobSet) bool { return js.Jobs[3].Deadline == 15 }},
		{change.Drop, "etl", "without job etl", func(js *model.JobSet) bool { return len(js.Jobs) == 4 && js.Jobs[3].After == nil }},
		{change.Drop, "tick", "without job tick", func(js *model.JobSet) bool { return len(js.Jobs) == 2 && js.Jobs[1].After[0] == 0 }},
		{change.Soften, "etl", "the deadline of etl soft", func(js *model.JobSet) bool { return js.Jobs[0].Kind == model.Soft }},
		{change.Margin, "10", "all times 10 % longer", func(js *model.JobSet) bool {
			return js.Tasks[0].WCET(0) == 11 && js.Tasks[0].Transfer(0) == 2 && js.Tasks[4].WCET(0) == 6
		}},
		{change.Margin, "etl=50%", "the times of etl 50 % longer", func(js *model.JobSet) bool { return js.Tasks[0].WCET(0) == 15 && js.Tasks[4].WCET(0) == 5 }},
	} {
		js := load(t)
		digest := js.Digest()
		got, err := change.Parse(c.kind, c.text, js)
		if err != nil {
			t.Errorf("%s %s: %v", c.kind, c.text, err)
			continue
		}
		out, err := change.Apply(js, []change.Change{got})
		if err != nil || !c.holds(out) {
			t.Errorf("%s %s: not done, %v", c.kind, c.text, err)
		}
		if change.Sentence(js, got) != c.sentence {
			t.Errorf("%s %s: %q", c.kind, c.text, change.Sentence(js, got))
		}
		if again, err := change.Parse(c.kind, change.Flag(got), js); err != nil || again != got {
			t.Errorf("%s %s: read again as %+v, %v", c.kind, change.Flag(got), again, err)
		}
		if js.Digest() != digest {
			t.Errorf("%s %s changes the set that it is about", c.kind, c.text)
		}
	}
}

// TestOtherChanges: those that no flag makes.
func TestOtherChanges(t *testing.T) {
	js := load(t)
	for _, c := range []struct {
		change.Change
		holds func(js *model.JobSet) bool
	}{
		{change.Change{Kind: change.Cores, Name: "big", N: 1}, func(js *model.JobSet) bool { return js.Slaves[0].Cores == 3 && js.Slaves[2].Cores == 3 }},
		{change.Change{Kind: change.Slots, Name: "small", N: 2}, func(js *model.JobSet) bool { return js.Slaves[3].MapSlots == 3 && js.Slaves[3].ReduceSlots == 3 }},
		{change.Change{Kind: change.Units, Name: "big-1", Resource: "memory", N: 4}, func(js *model.JobSet) bool { return js.Slaves[0].Offers(0) == 12 && js.Slaves[1].Offers(0) == 8 }},
		{change.Change{Kind: change.Stay, Name: "big-3", At: 10}, func(js *model.JobSet) bool { return len(js.Slaves[2].Down) == 0 }},
		{change.Change{Kind: change.Release, Name: "tick-2", At: 25}, func(js *model.JobSet) bool { return js.Jobs[2].Release == 25 && js.Jobs[2].Due() == 50 }},
		{change.Change{Kind: change.Fetch, Name: "etl", N: 50}, func(js *model.JobSet) bool { return js.Tasks[0].Transfer(1) == 3 && js.Tasks[0].WCET(0) == 10 }},
	} {
		out, err := change.Apply(js, []change.Change{c.Change})
		if err != nil || !c.holds(out) {
			t.Errorf("%s: not done, %v", change.Sentence(js, c.Change), err)
		}
	}
}

// TestNewSlaves: new slaves of a class run as long as the file says of the class, or of the
// one slave that the class is, and have nothing that it says of a member.
func TestNewSlaves(t *testing.T) {
	const text = `version: 1
cluster: {heartbeat: 1, slaves: [{name: a}, {name: b, count: 2}, {name: c, count: 2}]}
jobs:
  - {name: one, map: {tasks: 1, wcet: {a: 5, b: 6, default: 9}, transfer: {local: 1, remote: 7}, data: [a, b-1, b-2]}}
  - {name: two, map: {tasks: 1, wcet: {a: 5, b-1: 6, b-2: 8}, transfer: {a: 2, b-1: 3, b-2: 4, c: 5}}}
  - {name: three, map: {tasks: 1, wcet: {a: 5, b-1: 6}}}
  - {name: four, map: {tasks: 1, wcet: {b: 9, b-1: 6, b-2: 7, c: 3, c-1: 4}}}
`
	js, err := jobfile.Load("new.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for class, want := range map[string][4][2]model.Time{
		"a": {{5, 1}, {5, 2}, {5, 0}, {0, 0}},
		"b": {{6, 7}, {0, 0}, {0, 0}, {9, 0}},
		"c": {{9, 7}, {0, 5}, {0, 0}, {3, 0}},
	} {
		out, err := change.Apply(js, []change.Change{{Kind: change.Count, Name: class, N: 4}})
		if err != nil {
			t.Fatal(err)
		}
		s := model.SlaveID(slices.IndexFunc(out.Slaves, func(s model.Slave) bool { return s.Name == class+"-4" }))
		for k := range want {
			if got := [2]model.Time{out.Tasks[k].WCET(s), out.Tasks[k].Transfer(s)}; got != want[k] {
				t.Errorf("%s-4 takes %v for job %s, want %v", class, got, out.Jobs[k].Name, want[k])
			}
		}
	}
}

// TestMoreWhereThereIsTooLittle: with more of a slave, tasks run there for which it had too
// little, in the time that the file gives, after any other change too; where the file does
// not say how, or says that they may not, they stay barred.
func TestMoreWhereThereIsTooLittle(t *testing.T) {
	const text = `version: 1
cluster:
  heartbeat: 1
  slaves:
    - {name: big, count: 2, cores: 2, resources: {memory: 8}}
    - {name: small, map_slots: 1, reduce_slots: 0, resources: {memory: 2}}
    - {name: other, resources: {memory: 1}}
jobs:
  - {name: a, deadline: 30, stages: [{name: s, tasks: 2, cores: 2, resources: {memory: 4}, wcet: {big: 5, small: 7, other: 9}, transfer: {big: 1, small: 2}}]}
  - {name: b, deadline: 30, stages: [{name: s, tasks: 1, slot: reduce, wcet: 3, slaves: [big-1, small]}]}
`
	js, err := jobfile.Load("small.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := jobfile.Write(&again, js); err != nil {
		t.Fatal(err)
	}
	written, err := jobfile.Load("again.yaml", again.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	const small, other = 2, 3
	more := []change.Change{
		{Kind: change.Margin, N: 100}, {Kind: change.Count, Name: "big", N: 1}, {Kind: change.Cores, Name: "small", N: 1},
		{Kind: change.Units, Name: "small", Resource: "memory", N: 2}, {Kind: change.Slots, Name: "small", N: 1},
		{Kind: change.Cores, Name: "other", N: 1}, {Kind: change.Units, Name: "other", Resource: "memory", N: 3},
	}
	for what, js := range map[string]*model.JobSet{"as read": js, "written and read again": written} {
		if a, b := &js.Tasks[0], &js.Tasks[2]; a.Eligible(small) || a.Eligible(other) || b.Eligible(small) {
			t.Errorf("%s: tasks run where there is too little", what)
		}
		out, err := change.Apply(js, more)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		a, b := &out.Tasks[0], &out.Tasks[2]
		if a.WCET(small-1) != 14 || a.Transfer(small-1) != 4 || b.WCET(small-1) != 6 {
			t.Errorf("%s: with more of small, %d and %d ticks there", what, a.WCET(small-1), b.WCET(small-1))
		}
		if a.Eligible(other-1) || b.Eligible(other-1) {
			t.Errorf("%s: tasks run where the file does not say how, or that they may not", what)
		}
	}
}

func TestFaults(t *testing.T) {
	js := load(t)
	for _, c := range []struct {
		kind change.Kind
		text string
		want string
	}{
		{change.Without, "bg-1", "did you mean big-1?"},
		{change.Without, "big-1@25:00", "is not a time; write +1d 01:00"},
		{change.Without, "big-1@22.30", "is not a time; write 22:30"},
		{change.Without, "big-1@soon", "is not a time; write ticks, a duration"},
		{change.Deadline, "etl=1h30", "is not a time; write 1h30m"},
		{change.Count, "big", "write CLASS=N, like big=2"},
		{change.Pool, "licnce=3", `"licnce" is no pool; did you mean licence?`},
		{change.Pool, "db", "write NAME=N"},
		{change.Pool, "db=-1", "is not a whole number from 0"},
		{change.Count, "big=0", "is not a whole number from 1"},
		{change.Count, "big-1=2", "one machine of class big"},
		{change.Deadline, "etl=0", "from 1 to 1000000000 ticks"},
		{change.Deadline, "report=30", "has no deadline to change"},
		{change.Deadline, "etl=21:00s", "is not a time"},
		{change.Drop, "elt", "did you mean etl?"},
		{change.Soften, "tick-1", "is not hard"},
		{change.Margin, "-5", "is not a whole number"},
	} {
		_, err := change.Parse(c.kind, c.text, js)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "--"+string(c.kind)) {
			t.Errorf("%s %s: %v, not about %q", c.kind, c.text, err, c.want)
		}
	}
	if _, err := change.Apply(js, []change.Change{{Kind: "paint"}}); err == nil {
		t.Error("an unknown change is made")
	}
	// Plans may name any number.
	for _, kind := range []change.Kind{change.Margin, change.Fetch, change.Cores, change.Slots, change.Count} {
		for _, n := range []int64{math.MinInt64, -1 - int64(model.MaxTime), 1 + int64(model.MaxTime), math.MaxInt64} {
			name := "etl"
			if kind != change.Margin && kind != change.Fetch {
				name = "big"
			}
			if _, err := change.Apply(js, []change.Change{{Kind: kind, Name: name, N: n}}); err == nil {
				t.Errorf("%s by %d is made", kind, n)
			}
		}
	}
}

// TestChangesLeaveTheRest: a change that is taken back, or changes nothing, gives the set
// that it was made to.
func TestChangesLeaveTheRest(t *testing.T) {
	for seed := range uint64(60) {
		js := gen.TodayTiny(seed)
		s := &js.Slaves[0]
		for _, changes := range [][]change.Change{
			{{Kind: change.Margin}},
			{{Kind: change.Cores, Name: s.Name, N: 1}, {Kind: change.Cores, Name: s.Name, N: -1}},
			{{Kind: change.Release, Name: js.Jobs[0].Name, At: js.Jobs[0].Release}},
		} {
			out, err := change.Apply(js, changes)
			if err != nil || out.Digest() != js.Digest() {
				t.Errorf("seed %d, %v: another set, %v", seed, changes, err)
			}
		}
	}
}

// TestCountIsTheFileWithThatCount: a class of which a flag says the count is the class as the
// file would have it with that count, whatever is said of members and of the class, and
// whichever slaves are gone, or have more of something, by other changes.
func TestCountIsTheFileWithThatCount(t *testing.T) {
	for seed := range testkit.Sets[uint64](600, 5000) {
		rng := rand.New(rand.NewPCG(seed, 33))
		some := func(of ...string) string { return of[rng.IntN(len(of))] }
		down := some("", ", down: [[3, 5]]", ", down: {s: [[3, 5]]}", ", down: {s-1: [[4, 6]]}", ", down: {s: [[3, never]], s-1: [[4, 6]]}")
		wcet := some("4", "{s: 4, t: 3}", "{s-1: 5, t: 3}", "{default: 2, s-1: 5}", "{s: 6, s-1: 5, default: 2}", "{s-1: 7, s: 1}")
		transfer := some("", ", transfer: 2", ", transfer: {default: 1, s-1: 2}", ", transfer: {local: 0, remote: 3}, data: [s]", ", transfer: {local: 0, remote: 3}, data: [s-1, t]", ", slaves: [s, t], transfer: 1")
		file := func(count int) string {
			return fmt.Sprintf("version: 1\ncluster: {heartbeat: 2, slaves: [{name: s, count: %d, cores: 2, resources: {disk: 3}%s}, {name: t}]}\njobs:\n  - {name: a, hard: true, deadline: 40, map: {tasks: 2, wcet: %s%s}}\n  - {name: b, map: {tasks: 1, wcet: 9}}\n", count, down, wcet, transfer)
		}
		from, to := 1+rng.IntN(3), 1+rng.IntN(4)
		others := []change.Change{{Kind: change.Margin, N: 50}}
		if rng.IntN(2) == 0 {
			others = append(others, change.Change{Kind: change.Without, Name: some("s", "s-1", "t"), At: 7})
		}
		for range rng.IntN(3) {
			kind := []change.Kind{change.Cores, change.Slots, change.Units}[rng.IntN(3)]
			others = append(others, change.Change{Kind: kind, Name: some("s", "s-1", "t"), Resource: "disk", N: 1})
		}
		of := func(count int, changes ...change.Change) (*model.JobSet, error) {
			js, err := jobfile.Load("set.yaml", []byte(file(count)))
			if err != nil {
				return nil, err
			}
			return change.Apply(js, changes)
		}
		want, err := of(to, others...)
		if err != nil {
			continue // such a file cannot be
		}
		for _, changes := range [][]change.Change{
			append([]change.Change{{Kind: change.Count, Name: "s", N: int64(to)}}, others...),
			append(slices.Clone(others), change.Change{Kind: change.Count, Name: "s", N: int64(to)}),
		} {
			got, err := of(from, changes...)
			if err != nil || got.Digest() != want.Digest() {
				t.Fatalf("seed %d: %d slaves by %v are not those of the file (%v)\n%s", seed, to, changes, err, file(from))
			}
		}
	}
}

// Counts that follow each other are one change: a stage whose tasks are apart has room after both,
// and none after the first alone.
func TestCountsTogether(t *testing.T) {
	js, err := jobfile.Load("apart.yaml", []byte(`version: 1
cluster: {heartbeat: 1, slaves: [{name: a, count: 2}, {name: b}]}
jobs: [{name: j, stages: [{name: s, apart: true, tasks: 2, wcet: 1}]}]
`))
	if err != nil {
		t.Fatal(err)
	}
	none, two := change.Change{Kind: change.Count, Name: "a"}, change.Change{Kind: change.Count, Name: "b", N: 2}
	if set, err := change.Apply(js, []change.Change{none, two}); err != nil || len(set.Slaves) != 2 || len(set.Changes) != 2 {
		t.Errorf("%v, %v", set, err)
	}
	if _, err := change.Apply(js, []change.Change{none}); err == nil {
		t.Error("two tasks are apart on one slave")
	}
	drop := change.Change{Kind: change.Drop, Name: "j"}
	if _, err := change.Apply(js, []change.Change{none, drop}); err == nil {
		t.Error("what counts leave no room for is told of before other changes")
	}
}

// A slave by its own name is a class from the first count on: what the file says of it goes for those
// that a second count adds, too.
func TestCountTwice(t *testing.T) {
	js, err := jobfile.Load("lone.yaml", []byte(`version: 1
cluster: {heartbeat: 1, slaves: [{name: a, first_heartbeat: [1], down: [[5, 7]]}, {name: b}]}
jobs: [{name: j, map: {tasks: 2, wcet: {a: 3}, transfer: {local: 1, remote: 2}, data: [a]}}]
`))
	if err != nil {
		t.Fatal(err)
	}
	to := func(n int64) change.Change { return change.Change{Kind: change.Count, Name: "a", N: n} }
	once, err := change.Apply(js, []change.Change{to(4)})
	if err != nil {
		t.Fatal(err)
	}
	twice, err := change.Apply(js, []change.Change{to(2), to(4)})
	if err != nil || twice.Digest() != once.Digest() {
		t.Errorf("%v, %+v, and at once %+v", err, twice.Slaves, once.Slaves)
	}
	if task := &twice.Tasks[0]; task.WCET(3) != 3 || task.Transfer(3) != 1 {
		t.Errorf("%d and %d on a-4", task.WCET(3), task.Transfer(3))
	}
}

// Tasks that are alike on the slaves that there are may differ on more: of a class of one, its member
// holds the input of the second.
func TestCountOfAlike(t *testing.T) {
	const text = `version: 1
cluster: {heartbeat: 1, slaves: [{name: a, count: %d}]}
jobs:
  - {name: j, stages: [{name: s, tasks: [{wcet: 4}, {wcet: 4, transfer: {local: 0, remote: 1}, data: [a-1]}]}]}
`
	var sets [2]*model.JobSet
	for k, count := range []int{1, 3} {
		js, err := jobfile.Load("alike.yaml", fmt.Appendf(nil, text, count))
		if err != nil {
			t.Fatal(err)
		}
		sets[k] = js
	}
	grown, err := change.Apply(sets[0], []change.Change{{Kind: change.Count, Name: "a", N: 3}})
	if err != nil || grown.Digest() != sets[1].Digest() {
		t.Errorf("%v: %d to fetch on a-2, the file says %d", err, grown.Tasks[1].Transfer(1), sets[1].Tasks[1].Transfer(1))
	}
}

// TestChangesTogether: changes that are made together come to what they do one after the other, or to the same fault.
func TestChangesTogether(t *testing.T) {
	faults, made := 0, 0
	for seed := range testkit.Sets[uint64](300, 3000) {
		js := gen.TodayTiny(seed)
		rng := rand.New(rand.NewPCG(seed, 44))
		var changes []change.Change
		for range 2 + rng.IntN(6) {
			job := &js.Jobs[rng.IntN(len(js.Jobs))]
			kinds := []change.Kind{change.Deadline, change.Release, change.Soften, change.Margin, change.Fetch, change.Margin, change.Fetch, change.Cores}
			c := change.Change{Kind: kinds[rng.IntN(len(kinds))], Name: job.Name, N: int64(rng.IntN(60))}
			switch c.Kind {
			case change.Cores:
				c.Name = js.Slaves[0].Name
			case change.Deadline, change.Release:
				c.At, c.N = model.Time(rng.IntN(40)), 0
			case change.Margin:
				c.Name = []string{c.Name, ""}[rng.IntN(2)]
			case change.Soften:
				c.N = 0
			}
			if job.Series != "" && rng.IntN(2) == 0 && c.Kind != change.Cores {
				c.Name = job.Series
			}
			if rng.IntN(40) == 0 {
				c.Name += "x"
			}
			changes = append(changes, c)
		}
		want, fault := js, error(nil)
		for k := range changes {
			if want, fault = change.Apply(want, changes[k:k+1]); fault != nil {
				break
			}
		}
		got, err := change.Apply(js, changes)
		switch {
		case (err == nil) != (fault == nil) || err != nil && err.Error() != fault.Error():
			t.Fatalf("seed %d, %v: %v, and one after the other %v", seed, changes, err, fault)
		case err != nil:
			faults++
			continue
		}
		made++
		if got.Digest() != want.Digest() || !slices.Equal(got.Changes, want.Changes) {
			t.Fatalf("seed %d, %v: another set", seed, changes)
		}
	}
	if faults == 0 || made == 0 {
		t.Errorf("%d faults, %d sets", faults, made)
	}
}
