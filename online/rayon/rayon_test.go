package rayon

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
	"downbeat/online"
)

func words(blocks []Block) string {
	var parts []string
	for _, b := range blocks {
		parts = append(parts, fmt.Sprintf("%d in [%d,%d)", b.Slots, b.Start, b.End))
	}
	return strings.Join(parts, ", ")
}

func within(start, end model.Time) model.Interval { return model.Interval{Start: start, End: end} }

// Two slots, jobs of two tasks of 4 ticks that are due at 9. GREE puts both tasks of the
// first job last, [5,9), the second job's before them, [1,5), and has no room for a third:
// one tick is left; early, [0,4) and [4,8). LowCost gives each of its parts, single tasks here,
// the window with the least load, of equals the nearest to where it begins, so that no
// more than one slot is reserved at a time for one job, where GREE needs two.
func TestAgendaByHand(t *testing.T) {
	for _, early := range []bool{false, true} {
		greedy, spread := []string{"2 in [5,9)", "2 in [1,5)", ""}, "1 in [5,9), 1 in [1,5)"
		if early {
			greedy, spread = []string{"2 in [0,4)", "2 in [4,8)", ""}, "1 in [0,4), 1 in [4,8)"
		}
		a := NewAgenda(2)
		for i, want := range greedy {
			if blocks, ok := a.Greedy(2, 4, within(0, 9), early); words(blocks) != want || ok != (want != "") {
				t.Errorf("GREE, early %v, job %d: %s, want %s", early, i+1, words(blocks), want)
			}
		}
		a = NewAgenda(2)
		for i := range 2 {
			if blocks, _ := a.LowCost(2, 4, within(0, 9), early); words(blocks) != spread || a.Peak() != i+1 {
				t.Errorf("LowCost, early %v, job %d: %s, at most %d at a time", early, i+1, words(blocks), a.Peak())
			}
		}
		if blocks, ok := a.LowCost(1, 4, within(0, 9), early); ok {
			t.Errorf("LowCost, early %v, third job: %s, and there is no room", early, words(blocks))
		}
	}
}

// GREE goes around what is reserved: three tasks of 4 ticks, due at 12, one of two slots
// taken in [6,8). One goes into [8,12) beside another; for the last ends are tried before
// what is full, and early, starts after it.
func TestGREEGoesAround(t *testing.T) {
	for _, early := range []bool{false, true} {
		a := NewAgenda(2)
		a.Reserve(within(6, 8), 2)
		want := "2 in [8,12), 1 in [2,6)"
		if early {
			want = "2 in [0,4), 1 in [8,12)"
		}
		if blocks, ok := a.Greedy(3, 4, within(0, 12), early); !ok || words(blocks) != want {
			t.Errorf("early %v: %s, want %s", early, words(blocks), want)
		}
	}
}

// 100 tasks in five windows: a window would have 20 of them, so that two are reserved at a
// time (max(1, max(1, 100/5)/10)), and all windows get the same. In 50 windows each would have
// two, and one is reserved at a time.
func TestLowCostIsEven(t *testing.T) {
	for _, windows := range []int{5, 50} {
		a := NewAgenda(200)
		blocks, ok := a.LowCost(100, 3, within(10, 10+model.Time(3*windows)), false)
		if !ok || len(blocks) != windows || a.Peak() != 100/windows {
			t.Errorf("%d windows: in %d, at most %d at a time", windows, len(blocks), a.Peak())
		}
	}
	// Two at a time until what is left: 7 slots are taken in the last window, so that the
	// others have 22, 22, 22, 20 and it the rest.
	a := NewAgenda(200)
	a.Reserve(within(22, 25), 7)
	if blocks, _ := a.LowCost(100, 3, within(10, 25), false); a.Load(within(10, 25)) != 3*107 || a.Peak() != 22 {
		t.Errorf("beside 7: %s", words(blocks))
	}
}

// LowCost by its definition: each part into the window with the least load, by trying all.
func TestLowCostTriesAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.IntRange(1, 30).Draw(t, "capacity")
		a, plain := NewAgenda(capacity), make([]int, 100)
		for range rapid.IntRange(0, 5).Draw(t, "reserved") {
			at := model.Time(rapid.IntRange(0, 90).Draw(t, "at"))
			k := rapid.IntRange(0, a.Room(within(at, at+9))).Draw(t, "slots")
			a.Reserve(within(at, at+9), k)
			for x := at; x < at+9; x++ {
				plain[x] += k
			}
		}
		n, d, early := rapid.IntRange(1, 150).Draw(t, "tasks"), rapid.IntRange(1, 9).Draw(t, "length"), rapid.Bool().Draw(t, "early")
		start := rapid.IntRange(0, 40).Draw(t, "start")
		end := start + rapid.IntRange(0, 59).Draw(t, "window")
		var starts []int // in order of preference
		for k := range (end - start) / d {
			at := end - (k+1)*d
			if early {
				at = start + k*d
			}
			starts = append(starts, at)
		}
		left := n
		for len(starts) > 0 && left > 0 {
			best, least, room := -1, 0, 0
			for _, at := range starts {
				load, most := 0, 0
				for x := at; x < at+d; x++ {
					load, most = load+plain[x], max(most, plain[x])
				}
				if most < capacity && (best < 0 || load < least) {
					best, least, room = at, load, capacity-most
				}
			}
			if best < 0 {
				break
			}
			k := min(max(1, max(1, n/len(starts))/10), left, room)
			left -= k
			for x := best; x < best+d; x++ {
				plain[x] += k
			}
		}
		if _, ok := a.LowCost(n, model.Time(d), within(model.Time(start), model.Time(end)), early); ok != (left == 0) {
			t.Fatalf("accepted %v, with %d of %d left", ok, left, n)
		}
		if left > 0 {
			return
		}
		for x, used := range plain {
			if at := model.Time(x); int(a.Load(within(at, at+1))) != used {
				t.Fatalf("at %d: %d reserved, want %d", x, a.Load(within(at, at+1)), used)
			}
		}
	})
}

// Whatever is reserved and given back: an agenda never holds more than there is, blocks lie
// within their time, add up to what was asked, and a refusal leaves no trace.
func TestAgendaKeepsItsCapacity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.IntRange(1, 6).Draw(t, "capacity")
		a := NewAgenda(capacity)
		var used [80]int
		for range rapid.IntRange(1, 12).Draw(t, "jobs") {
			n, d := rapid.IntRange(1, 15).Draw(t, "tasks"), model.Time(rapid.IntRange(1, 12).Draw(t, "length"))
			start := model.Time(rapid.IntRange(0, 40).Draw(t, "start"))
			due := start + model.Time(rapid.IntRange(0, 39).Draw(t, "window"))
			place := a.Greedy
			if rapid.Bool().Draw(t, "lowcost") {
				place = a.LowCost
			}
			blocks, ok := place(n, d, within(start, due), rapid.Bool().Draw(t, "early"))
			sum := 0
			for _, b := range blocks {
				if b.Len() != d || b.Start < start || b.End > due || b.Slots < 1 {
					t.Fatalf("%d tasks of %d in [%d,%d): %v", n, d, start, due, b)
				}
				sum += b.Slots
				for x := b.Start; x < b.End; x++ {
					used[x] += b.Slots
				}
			}
			if ok != (sum == n) || !ok && sum != 0 {
				t.Fatalf("%d tasks asked for, %d reserved, accepted %v", n, sum, ok)
			}
			for x := range used {
				at := model.Interval{Start: model.Time(x), End: model.Time(x + 1)}
				if used[x] > capacity || int(a.Load(at)) != used[x] || a.Room(at) != capacity-used[x] {
					t.Fatalf("at %d: %d of %d reserved, the agenda has %d and room for %d", x, used[x], capacity, a.Load(at), a.Room(at))
				}
			}
		}
	})
}

const three = `version: 1
cluster: {heartbeat: 1, slaves: [{name: s, cores: 2, slots: 2}]}
jobs:
  - {name: a, hard: true, deadline: 12, map: {tasks: 2, wcet: 3}, reduce: {tasks: 1, wcet: 2}}
  - {name: b, hard: true, deadline: 8, map: {tasks: 2, wcet: 3}}
  - {name: c, hard: true, deadline: 8, map: {tasks: 1, wcet: 3}}
  - {name: d, map: {tasks: 1, wcet: 2}}`

// A task of 3 ticks is reserved for 4, its heartbeat with it, a reduce of 2 for 3. GREE
// reserves a's reduce in [9,12) and its maps in [5,9), both slots; b's maps, due at 8, before
// what is full: [1,5). c would have to end by 8 too, and one tick is left before [1,5):
// rejected. d has no deadline. At 0 nothing is owed, and what is spare goes by deadline: b's
// maps run in [0,3). At 3 a's maps are not owed either, and start all the same.
//
// Early a has [0,4) and [4,7), and beside its reduce there is room until 8 for one task: b needs
// two and is rejected, c has it.
func TestByHand(t *testing.T) {
	for params, want := range map[Params]string{
		{}: "a: reserved from 5 to 12, b: reserved from 1 to 5, c: no room for all of it until 8, d: no deadline, " +
			"b/map/1 at 0, b/map/2 at 0, a/map/1 at 3, a/map/2 at 3, a/reduce/1 at 6, d/map/1 at 6",
		{Early: true}: "a: reserved from 0 to 7, b: no room for all of it until 8, c: reserved from 4 to 8, d: no deadline, " +
			"a/map/1 at 0, a/map/2 at 0, c/map/1 at 3, a/reduce/1 at 3, d/map/1 at 5",
	} {
		if got := playThree(t, params); got != want {
			t.Errorf("%+v: %s\nwant %s", params, got, want)
		}
	}
}

func playThree(t *testing.T, params Params) string {
	t.Helper()
	js, err := jobfile.Load("test", []byte(three))
	if err != nil {
		t.Fatal(err)
	}
	out, err := online.Play(context.Background(), js, New(params), online.Options{Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, d := range out.Trace {
		if d.Task < 0 {
			parts = append(parts, fmt.Sprintf("%s: %s", js.Jobs[d.Job].Name, d.Why))
		} else {
			parts = append(parts, fmt.Sprintf("%s at %d", js.TaskName(d.Task), out.Schedule[d.Task].Start))
		}
	}
	return strings.Join(parts, ", ")
}

// Jobs without a deadline are never rejected, and at the end of a run nothing is reserved
// after the last job has ended but what was reserved for absences.
func TestAgendasAreEmptyAtTheEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		js := gen.Small(rapid.Uint64Range(0, 100_000).Draw(t, "seed"), 24)
		p := New(Params{LowCost: rapid.Bool().Draw(t, "lowcost"), Early: rapid.Bool().Draw(t, "early")}).(*policy)
		out, err := online.Play(context.Background(), js, p, online.Options{})
		if err != nil {
			t.Fatal(err)
		}
		end := model.Time(0)
		for i, f := range out.Finishes {
			if f == model.Never && js.Jobs[i].Kind == model.BestEffort {
				t.Errorf("job %s has no deadline and was rejected", js.Jobs[i].Name)
			}
			if f < model.Never {
				end = max(end, f)
			}
		}
		for s := range js.Slaves {
			for k := range js.Slaves[s].Pools() {
				for _, down := range js.Slaves[s].Down {
					p.agendas[k].Reserve(down, -js.Slaves[s].PoolSize(k))
				}
			}
		}
		for k, a := range p.agendas {
			if load := a.Load(model.Interval{Start: end, End: model.MaxTime}); load != 0 {
				t.Errorf("agenda %d has %d left after the end at %d", k, load, end)
			}
		}
	})
}
