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

// Two slots, jobs of two tasks of 4 ticks that are due at 9. GREE puts both tasks of the
// first job last, [5,9), the second job's before them, [1,5), and has no room for a third:
// one tick is left. LowCost gives each of its parts, single tasks here, the window with the
// least load, the first of equals: [1,5), then [5,9), so that no more than one slot is
// reserved at a time for one job, where GREE needs two.
func TestAgendaByHand(t *testing.T) {
	a := NewAgenda(2)
	for i, want := range []string{"2 in [5,9)", "2 in [1,5)", ""} {
		if blocks, ok := a.Latest(2, 4, 0, 9); words(blocks) != want || ok != (want != "") {
			t.Errorf("GREE, job %d: %s, want %s", i+1, words(blocks), want)
		}
	}
	a = NewAgenda(2)
	if blocks, _ := a.Cheapest(2, 4, 0, 9); words(blocks) != "1 in [1,5), 1 in [5,9)" || a.Peak() != 1 {
		t.Errorf("LowCost: %s, at most %d at a time", words(blocks), a.Peak())
	}
	if blocks, _ := a.Cheapest(2, 4, 0, 9); words(blocks) != "1 in [1,5), 1 in [5,9)" {
		t.Errorf("LowCost, second job: %s", words(blocks))
	}
	if blocks, ok := a.Cheapest(1, 4, 0, 9); ok {
		t.Errorf("LowCost, third job: %s, and there is no room", words(blocks))
	}
}

// GREE goes around what is reserved: three tasks of 4 ticks, due at 12, one of two slots
// taken in [6,8). One goes into [8,12) beside another; for the last ends are tried before
// what is full.
func TestGREEGoesAround(t *testing.T) {
	a := NewAgenda(2)
	a.Reserve(model.Interval{Start: 6, End: 8}, 2)
	if blocks, ok := a.Latest(3, 4, 0, 12); !ok || words(blocks) != "2 in [8,12), 1 in [2,6)" {
		t.Errorf("%s", words(blocks))
	}
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
			place := a.Latest
			if rapid.Bool().Draw(t, "lowcost") {
				place = a.Cheapest
			}
			blocks, ok := place(n, d, start, due)
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
func TestByHand(t *testing.T) {
	js, err := jobfile.Load("test", []byte(three))
	if err != nil {
		t.Fatal(err)
	}
	out, err := online.Play(context.Background(), js, New(Params{}), online.Options{Trace: true})
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
	want := "a: reserved from 5 to 12, b: reserved from 1 to 5, c: no room for all of it until 8, d: no deadline, " +
		"b/map/1 at 0, b/map/2 at 0, a/map/1 at 3, a/map/2 at 3, a/reduce/1 at 6, d/map/1 at 6"
	if got := strings.Join(parts, ", "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// Jobs without a deadline are never rejected, and at the end of a run nothing is reserved
// after the last job has ended but what was reserved for absences.
func TestAgendasAreEmptyAtTheEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		js := gen.Small(rapid.Uint64Range(0, 100_000).Draw(t, "seed"), 24)
		p := New(Params{LowCost: rapid.Bool().Draw(t, "lowcost")}).(*policy)
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
