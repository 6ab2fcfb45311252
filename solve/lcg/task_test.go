package lcg

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"downbeat/solve/lcg/core"
)

// boxes bound the variables of a task.
type boxes struct {
	places                           []place
	start, fetch, finish, completion span
}

func drawBoxes(rng *rand.Rand) boxes {
	var b boxes
	for k := range 1 + rng.IntN(3) {
		beat, transfer := rng.Int32N(3), rng.Int32N(3)
		first := beat + rng.Int32N(3)
		b.places = append(b.places, place{
			slave: int32(k), wcet: 1 + rng.Int32N(4), transfer: transfer,
			firstFetch: first, lastStart: first + transfer + rng.Int32N(8), tied: rng.IntN(2) == 0,
			firstBeat: beat, beat: 1 + rng.Int32N(4),
		})
	}
	box := func(most int32) span {
		lo := rng.Int32N(most)
		return span{lo: lo, hi: lo + rng.Int32N(8)}
	}
	b.start, b.fetch, b.finish, b.completion = box(9), box(6), box(12), box(8)
	return b
}

// placed reports whether a task can run at p with a start, fetch, finish and
// completion of the stage before.
func placed(p *place, start, fetch, finish, completion int32) bool {
	beat := p.firstBeat
	for beat < completion {
		beat += p.beat
	}
	return p.firstFetch <= fetch && start <= p.lastStart && start >= p.firstFetch+p.transfer &&
		fetch+p.transfer <= start && (!p.tied || fetch+p.transfer == start) &&
		finish == start+p.wcet && fetch >= beat
}

// exists tries all values.
func (b *boxes) exists() bool {
	for k := range b.places {
		for start := b.start.lo; start <= b.start.hi; start++ {
			for fetch := b.fetch.lo; fetch <= b.fetch.hi; fetch++ {
				finish := start + b.places[k].wcet
				inside := b.finish.lo <= finish && finish <= b.finish.hi
				if inside && placed(&b.places[k], start, fetch, finish, b.completion.lo) {
					return true
				}
			}
		}
	}
	return false
}

// ask puts the question to a solver; wrong says what is, if anything, with its answer.
func (b *boxes) ask(seed uint64) (satisfiable bool, wrong error) {
	s := core.New(seed)
	s.Check = true
	newInt := func(span span) core.View { return s.NewInt(span.lo, span.hi) }
	task := taskVars{
		places: b.places, on: s.NewBool(),
		start: newInt(b.start), fetch: newInt(b.fetch), finish: newInt(b.finish), completions: []core.View{newInt(b.completion)},
	}
	some := []core.Lit{task.on.Not()}
	for k := range task.places {
		task.places[k].x = s.NewBool()
		s.AddClause(task.places[k].x.Not(), task.on)
		some = append(some, task.places[k].x)
	}
	s.AddClause(some...)
	postTask(s, &task)
	s.AddClause(task.on)
	if s.Search(context.Background(), func() bool { return false }) != core.Satisfiable {
		return false, nil
	}
	start, fetch, finish, completion := s.Lower(task.start), s.Lower(task.fetch), s.Lower(task.finish), s.Lower(task.completions[0])
	for k := range task.places {
		if p := &task.places[k]; s.IsTrue(p.x) && !placed(p, start, fetch, finish, completion) {
			return true, fmt.Errorf("S %d, R %d, F %d after %d on slave %d", start, fetch, finish, completion, k)
		}
	}
	return true, nil
}

// TestTasksAgreeWithExhaustiveSearch: a task is placed exactly where some place
// allows values within its boxes.
func TestTasksAgreeWithExhaustiveSearch(t *testing.T) {
	answers := map[bool]int{}
	for seed := range uint64(2000) {
		b := drawBoxes(rand.New(rand.NewPCG(seed, 13)))
		want := b.exists()
		got, wrong := b.ask(seed)
		if got != want || wrong != nil {
			t.Fatalf("seed %d, %+v: satisfiable %v, exhaustive search says %v; %v", seed, b, got, want, wrong)
		}
		answers[got]++
	}
	if answers[true] < 300 || answers[false] < 300 {
		t.Errorf("answers %v are one-sided", answers)
	}
}
