package propagate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"downbeat/solve/lcg/core"
	"downbeat/solve/lcg/propagate"
)

// boxes bound the variables of a task.
type boxes struct {
	places                           []propagate.Place
	start, fetch, finish, completion propagate.Span
}

func drawBoxes(rng *rand.Rand) boxes {
	var b boxes
	for k := range 1 + rng.IntN(3) {
		beat, transfer := rng.Int32N(3), rng.Int32N(3)
		first := beat + rng.Int32N(3)
		b.places = append(b.places, propagate.Place{
			Slave: int32(k), WCET: 1 + rng.Int32N(4), Transfer: transfer,
			FirstFetch: first, LastStart: first + transfer + rng.Int32N(8), Tied: rng.IntN(2) == 0,
			FirstBeat: beat, Beat: 1 + rng.Int32N(4),
		})
	}
	box := func(most int32) propagate.Span {
		lo := rng.Int32N(most)
		return propagate.Span{Lo: lo, Hi: lo + rng.Int32N(8)}
	}
	b.start, b.fetch, b.finish, b.completion = box(9), box(6), box(12), box(8)
	return b
}

// placed reports whether a task can run at p with a start, fetch, finish and
// completion of the stage before.
func placed(p *propagate.Place, start, fetch, finish, completion int32) bool {
	beat := p.FirstBeat
	for beat < completion {
		beat += p.Beat
	}
	return p.FirstFetch <= fetch && start <= p.LastStart && start >= p.FirstFetch+p.Transfer &&
		fetch+p.Transfer <= start && (!p.Tied || fetch+p.Transfer == start) &&
		finish == start+p.WCET && fetch >= beat
}

// exists tries all values.
func (b *boxes) exists() bool {
	for k := range b.places {
		for start := b.start.Lo; start <= b.start.Hi; start++ {
			for fetch := b.fetch.Lo; fetch <= b.fetch.Hi; fetch++ {
				finish := start + b.places[k].WCET
				inside := b.finish.Lo <= finish && finish <= b.finish.Hi
				if inside && placed(&b.places[k], start, fetch, finish, b.completion.Lo) {
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
	newInt := func(span propagate.Span) core.View { return s.NewInt(span.Lo, span.Hi) }
	task := propagate.Task{
		Places: b.places, On: s.NewBool(),
		Start: newInt(b.start), Fetch: newInt(b.fetch), Finish: newInt(b.finish), Completions: []core.View{newInt(b.completion)},
	}
	some := []core.Lit{task.On.Not()}
	for k := range task.Places {
		task.Places[k].X = s.NewBool()
		s.AddClause(task.Places[k].X.Not(), task.On)
		some = append(some, task.Places[k].X)
	}
	s.AddClause(some...)
	propagate.PostTask(s, &task)
	s.AddClause(task.On)
	if s.Search(context.Background(), func() bool { return false }) != core.Satisfiable {
		return false, nil
	}
	start, fetch, finish, completion := s.Lower(task.Start), s.Lower(task.Fetch), s.Lower(task.Finish), s.Lower(task.Completions[0])
	for k := range task.Places {
		if p := &task.Places[k]; s.IsTrue(p.X) && !placed(p, start, fetch, finish, completion) {
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
