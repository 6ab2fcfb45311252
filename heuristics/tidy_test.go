package heuristics

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
)

func TestTidyLeavesNothingToMove(t *testing.T) {
	moved := 0
	for seed := range testkit.Sets[uint64](5, 40) {
		rng := rand.New(rand.NewPCG(seed, 4))
		js := randomSet(t, rng)
		s := loosen(js, construct(js, Rules()[rng.IntN(len(Rules()))], goals[rng.IntN(len(goals))], seed), rng)
		if err := fault(js, s); err != nil {
			t.Fatalf("seed %d: the schedule to tidy is not valid: %v", seed, err)
		}
		tidied := Tidy(t.Context(), js, s)
		if !slices.Equal(s, tidied) {
			moved++
		}
		if err := fault(js, tidied); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for id := range s {
			if s[id].Slave != tidied[id].Slave {
				t.Fatalf("seed %d: task %d changed its slave", seed, id)
			}
			if js.Finish(model.TaskID(id), tidied[id]) > js.Finish(model.TaskID(id), s[id]) {
				t.Fatalf("seed %d: task %d finishes later than before", seed, id)
			}
		}
		if err := isTidy(js, tidied); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if again := Tidy(t.Context(), js, tidied); !slices.Equal(again, tidied) {
			t.Fatalf("seed %d: tidying twice differs from once", seed)
		}
	}
	if moved < testkit.Sets(3, 30) {
		t.Fatalf("only %d schedules needed tidying", moved)
	}
}

// TestTidyIsCutShort: what is left when the work ends is valid, and no task is later.
func TestTidyIsCutShort(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	cut := 0
	for seed := range testkit.Sets[uint64](40, 400) {
		rng := rand.New(rand.NewPCG(seed, 16))
		js := randomSet(t, rng)
		s := loosen(js, construct(js, Rules()[rng.IntN(len(Rules()))], nil, seed), rng)
		whole := Tidy(ctx, js, s)
		part := tidy(ctx, js, s, rng.IntN(4*len(js.Tasks)))
		if !slices.Equal(whole, Tidy(t.Context(), js, s)) {
			t.Fatalf("seed %d: a small set is not tidied whole", seed)
		}
		if err := fault(js, part); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for id := range s {
			if js.Finish(model.TaskID(id), part[id]) > js.Finish(model.TaskID(id), s[id]) {
				t.Fatalf("seed %d: task %d finishes later than before", seed, id)
			}
		}
		if !slices.Equal(part, whole) && !slices.Equal(part, s) {
			cut++
		}
	}
	if cut < 5 {
		t.Fatalf("only %d were cut short on the way", cut)
	}
}

// loosen delays tasks at random where the schedule stays valid.
func loosen(js *model.JobSet, s model.Schedule, rng *rand.Rand) model.Schedule {
	for range 4 * len(s) {
		id := rng.IntN(len(s))
		old := s[id]
		s[id].Beat += model.Time(rng.IntN(5) - 2)
		s[id].Fetch += model.Time(rng.IntN(10) - 2)
		s[id].Start += model.Time(rng.IntN(10))
		if taskFault(js, s, model.TaskID(id)) != nil {
			s[id] = old
		}
	}
	return s
}

// isTidy tries every other beat, fetch and start of every single task.
func isTidy(js *model.JobSet, s model.Schedule) error {
	try := slices.Clone(s)
	for id := range s {
		now := s[id]
		for start := model.Time(0); start <= now.Start; start++ {
			for beat := model.Time(0); js.BeatTime(now.Slave, beat) <= start; beat++ {
				if start == now.Start && beat <= now.Beat {
					continue
				}
				for fetch := js.BeatTime(now.Slave, beat); fetch <= start; fetch++ {
					try[id] = model.Placement{Slave: now.Slave, Beat: beat, Fetch: fetch, Start: start}
					if taskFault(js, try, model.TaskID(id)) == nil {
						return fmt.Errorf("%s can move from %+v to %+v", js.TaskName(model.TaskID(id)), now, try[id])
					}
				}
			}
		}
		try[id] = now
	}
	return nil
}
