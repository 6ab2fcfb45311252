package horizon_test

import (
	"fmt"
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/jobfile"
	"downbeat/online"
	"downbeat/online/horizon"
)

func load(t *testing.T, text string) *model.JobSet {
	t.Helper()
	js, err := jobfile.Load("test", []byte("version: 1\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// script is a planner that answers by hand, and writes down what it was asked.
type script struct {
	t     *testing.T
	plans []string
	asked []string
}

// plan answers with the next of the plans: by task, the slave, the heartbeat and the start.
func (s *script) plan(js *model.JobSet, from model.Schedule, constructions int, _ uint64) model.Schedule {
	s.asked = append(s.asked, describe(js, from, constructions))
	if len(s.plans) == 0 {
		s.t.Fatalf("asked once more:\n%s", strings.Join(s.asked, "\n"))
	}
	text := s.plans[0]
	if s.plans = s.plans[1:]; text == "" {
		return nil
	}
	out := model.NewSchedule(len(js.Tasks))
	for t, at := range strings.Fields(text) {
		p := &out[t]
		if _, err := fmt.Sscanf(at, "%d:%d:%d", &p.Slave, &p.Beat, &p.Start); err != nil {
			s.t.Fatal(err)
		}
		p.Fetch = p.Start - js.Tasks[t].Transfer(p.Slave)
	}
	if err := check.Schedule(js, out, true).Err(); err != nil {
		s.t.Errorf("a plan by hand is not valid for what is known: %v\n%s", err, s.asked[len(s.asked)-1])
	}
	return out
}

// describe writes down a known set: when slaves begin and what of them is reserved, then the
// tasks, where they may run for how long, and where the last plan has them.
func describe(js *model.JobSet, from model.Schedule, constructions int) string {
	var b strings.Builder
	for s := range js.Slaves {
		slave := &js.Slaves[s]
		fmt.Fprintf(&b, "%s from %d", slave.Name, slave.FirstBeat)
		for _, k := range slave.Reservations {
			fmt.Fprintf(&b, ", %d %s [%d,%d)", k.Units, k.Resource, k.Start, k.End)
		}
		b.WriteString("; ")
	}
	for t := range js.Tasks {
		fmt.Fprintf(&b, "%s", js.TaskName(model.TaskID(t)))
		for s := range model.SlaveID(len(js.Slaves)) {
			if w := js.Tasks[t].WCET(s); w > 0 {
				fmt.Fprintf(&b, " %d on %s", w, js.Slaves[s].Name)
			}
		}
		if at := from[t]; at.Slave != model.NoSlave {
			fmt.Fprintf(&b, " (was %s at %d)", js.Slaves[at.Slave].Name, at.Start)
		}
		b.WriteString("; ")
	}
	fmt.Fprintf(&b, "%d constructions", constructions)
	return b.String()
}

func play(t *testing.T, js *model.JobSet, p online.Policy) (*online.Outcome, string) {
	t.Helper()
	out, err := online.Play(t.Context(), js, p, online.Options{Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range js.Tasks {
		at := out.Schedule[i]
		fmt.Fprintf(&b, "%s on %s [%d,%d); ", js.TaskName(model.TaskID(i)), js.Slaves[at.Slave].Name, at.Start, out.Ends[i])
	}
	return out, strings.TrimSuffix(b.String(), "; ")
}

const two = `
cluster: {heartbeat: 1, slaves: [{name: s}, {name: t}]}
objective: [misses]
jobs:
  - {name: a, hard: false, deadline: 12, map: {tasks: 1, wcet: {s: 4, t: 4}}, reduce: {tasks: 1, wcet: {s: 2}}}
  - {name: b, release: 2, hard: false, deadline: 3, map: {tasks: 1, wcet: {t: 3}}}`

// Two slaves, one core each. At 0 only a is known: the plan puts its map on s at 0 and
// its reduce, which s alone can run, on s at 4. At 2 b arrives, and a decision is due once
// more: s is held until 4, which the stand-in (a/map/1 on the slave of its own, 2 ticks
// from 2) says to the reduce. b starts on t at once, ends at 5 and is in time.
func TestByHand(t *testing.T) {
	s := &script{t: t, plans: []string{"0:0:0 0:4:4", "2:0:2 0:2:4 1:0:2", "0:0:4 2:0:4"}}
	p := horizon.New(horizon.Params{Plan: s.plan, Constructions: 7, Placements: 10})
	_, got := play(t, load(t, two), p)
	if want := "a/map/1 on s [0,4); a/reduce/1 on s [4,6); b/map/1 on t [2,5)"; got != want {
		t.Errorf("ran %s\nwant %s", got, want)
	}
	want := []string{
		// Two tasks: 10 placements are 5 constructions.
		"s from 0; t from 0; (held) from 0; a/map/1 4 on s 4 on t; a/reduce/1 2 on s; 5 constructions",
		"s from 2, 1 core [0,4), 1 map slot [0,4); t from 2; (held) from 2; " +
			"a/map/1 2 on (held) (was (held) at 2); a/reduce/1 2 on s (was s at 4); b/map/1 3 on t; 3 constructions",
		"s from 4; t from 4, 1 core [0,5), 1 map slot [0,5); (held) from 4; " +
			"a/reduce/1 2 on s (was s at 4); b/map/1 1 on (held) (was (held) at 4); 5 constructions",
	}
	s.plans = nil
	for i := range max(len(want), len(s.asked)) {
		switch {
		case i >= len(s.asked):
			t.Errorf("decision %d did not come", i)
		case i >= len(want):
			t.Errorf("decision %d: %s", i, s.asked[i])
		case s.asked[i] != want[i]:
			t.Errorf("decision %d: %s\nwant %s", i, s.asked[i], want[i])
		}
	}
	if all, byEDF := p.Decisions(); all != 3 || byEDF != 0 {
		t.Errorf("%d decisions, %d by EDF; want 3 and 0", all, byEDF)
	}
}

// With room for a single placement the planner cannot be asked as long as two tasks wait:
// EDF hands out a/map/1 at 0 and, at 2, b/map/1, which is more urgent. At 4 the reduce waits
// beside the stand-in for b: two tasks again.
func TestEDFWhereTheWorkIsSpent(t *testing.T) {
	s := &script{t: t}
	p := horizon.New(horizon.Params{Plan: s.plan, Constructions: 100, Placements: 1})
	_, got := play(t, load(t, two), p)
	if want := "a/map/1 on s [0,4); a/reduce/1 on s [4,6); b/map/1 on t [2,5)"; got != want {
		t.Errorf("ran %s\nwant %s", got, want)
	}
	if all, byEDF := p.Decisions(); all != 3 || byEDF != 3 {
		t.Errorf("%d decisions, %d by EDF; want all of 3", all, byEDF)
	}
}

// A slot stays free where the plan wants it so: the map, 9 ticks on s and 2 on t, waits for
// t, which has its first heartbeat at 5. FIFO would have s run it at 0.
func TestSlotsStayFree(t *testing.T) {
	s := &script{t: t, plans: []string{"1:0:5"}}
	js := load(t, `
cluster: {heartbeat: 10, slaves: [{name: s}, {name: t, first_heartbeat: 5}]}
objective: [makespan]
jobs: [{name: a, map: {tasks: 1, wcet: {s: 9, t: 2}}}]`)
	_, got := play(t, js, horizon.New(horizon.Params{Plan: s.plan, Constructions: 1, Placements: 9}))
	if want := "a/map/1 on t [5,7)"; got != want {
		t.Errorf("ran %s\nwant %s", got, want)
	}
}

// Of both maps history tells that half take up to 2 of 10 ticks, the least 2 and the most 10. At median
// times a is planned to take 2. It takes 10; at 3, where b arrives, it has run for 3 ticks. 56 % have
// ended by then (50 + 50·(3−2)/8 = 56.25), so that half of the rest ends by 78 %: 2 + 8·28/50 = 6.48 ticks,
// 7, of which 4 are left.
func TestMedianTimes(t *testing.T) {
	s := &script{t: t, plans: []string{"0:0:0", "2:0:3 0:7:10", "0:0:10"}}
	p := horizon.New(horizon.Params{Plan: s.plan, Constructions: 1, Placements: 10, Times: horizon.Median})
	play(t, load(t, `
cluster: {heartbeat: 1, slaves: [{name: s}, {name: t}]}
objective: [misses]
jobs:
  - {name: a, hard: false, deadline: 12, stages: [{name: map, tasks: 1, wcet: {s: 10}, durations: {p50: 2}}]}
  - {name: b, release: 3, hard: false, deadline: 30, stages: [{name: map, tasks: 1, wcet: {s: 10}, durations: {p50: 2}}]}`), p)
	want := []string{
		"s from 0; t from 0; (held) from 0; a/map/1 2 on s; 1 constructions",
		"s from 3, 1 core [0,7), 1 map slot [0,7); t from 3; (held) from 3; a/map/1 4 on (held) (was (held) at 3); b/map/1 2 on s; 1 constructions",
	}
	for i := range want {
		if i >= len(s.asked) || s.asked[i] != want[i] {
			t.Errorf("decision %d: %v\nwant %s", i, s.asked, want[i])
		}
	}
}

// A plan is made for declared, for median times and for each of two draws, and each is followed in both
// draws. The planner plans a, then b, at declared times, and b, then a, at all others: in each draw b is
// in time only if it goes first, as a takes 7 ticks or more.
func TestTheBestOnTheAverage(t *testing.T) {
	asked := map[int]int{}
	planner := func(js *model.JobSet, from model.Schedule, constructions int, _ uint64) model.Schedule {
		asked[constructions]++
		if constructions == 0 {
			return from
		}
		out, now := model.NewSchedule(len(js.Tasks)), js.Slaves[0].FirstBeat
		for t := range js.Tasks {
			if asked[constructions] > 1 {
				t = len(js.Tasks) - 1 - t
			}
			out[t] = model.Placement{Slave: 0, Beat: now, Fetch: now, Start: now}
			now += js.Tasks[t].WCET(0)
		}
		return out
	}
	p := horizon.New(horizon.Params{Plan: planner, Constructions: 3, Placements: 100, Times: horizon.Distribution, Scenarios: 2})
	out, err := online.Play(t.Context(), load(t, `
cluster: {heartbeat: 1, slaves: [{name: s}]}
objective: [misses]
jobs:
  - {name: a, hard: false, deadline: 90, stages: [{name: map, tasks: 1, wcet: 10, durations: {p0: 7}}]}
  - {name: b, hard: false, deadline: 6, stages: [{name: map, tasks: 1, wcet: 5, durations: {p0: 4}}]}`), p, online.Options{Durations: online.History{}})
	if err != nil {
		t.Fatal(err)
	}
	if out.Schedule[1].Start != 0 {
		t.Errorf("b starts at %d, and is in time only at 0", out.Schedule[1].Start)
	}
	if asked[3] < 4 || asked[0] < 8 {
		t.Errorf("at the first decision alone 4 plans are made, and each is followed in 2 draws; asked %v", asked)
	}
}
