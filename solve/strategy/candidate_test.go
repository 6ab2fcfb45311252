package strategy

import (
	"slices"
	"testing"
	"time"

	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/event"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
)

// The least tight ones have more turns: of the lightest, or of all where turns are
// given widely.
func TestTurnsOfCandidates(t *testing.T) {
	tight, loose, heavy := &candidate{weight: 3, tightness: 0.99}, &candidate{weight: 3, tightness: 0.6}, &candidate{weight: 4, tightness: 0.3}
	w := candidates{tight, heavy, loose}
	turns := func(widely bool, n int) (out []*candidate) {
		for _, at := range w {
			at.effort, at.light = 1, 0
		}
		for range n {
			at := w.next(widely)
			if widely {
				at.effort++
			} else {
				at.light++
			}
			out = append(out, at)
		}
		return out
	}
	if got, want := turns(false, 5), []*candidate{loose, tight, loose, tight, loose}; !slices.Equal(got, want) {
		t.Errorf("turns %v", got)
	}
	if got, want := turns(true, 6), []*candidate{heavy, loose, heavy, tight, loose, heavy}; !slices.Equal(got, want) {
		t.Errorf("wide turns %v", got)
	}
	if (candidates{}).next(false) != nil {
		t.Error("one of none")
	}
}

// A turn in which a candidate is to be refuted only costs half of what one does in which a
// plan is sought too, and either kind gets dearer with its own turns; a fresh one costs the
// same in both.
func TestCostsOfTurns(t *testing.T) {
	for _, c := range []struct{ effort, light, turn, want int }{
		{0, 0, freshTurn, 1},
		{0, 0, lightTurn, 1},
		{1, 0, lightTurn, 6},
		{1, 2, lightTurn, 60},
		{1, 2, wideTurn, 12},
		{3, 0, lightTurn, 6},
		{3, 0, wideTurn, 120},
		{9, 9, lightTurn, 220},
		{9, 9, wideTurn, 440},
	} {
		at := &candidate{effort: c.effort, light: c.light}
		if got := at.cost(c.turn); got != c.want {
			t.Errorf("effort %d, light %d: turn %d costs %d, not %d", c.effort, c.light, c.turn, got, c.want)
		}
	}
}

// One worker at a time asks about a candidate: who refutes it may do so first, while another is to ask, and both have one search.
func TestOneAsksAtATime(t *testing.T) {
	js, _, err := gen.Family("misses-40", 2)
	if err != nil {
		t.Fatal(err)
	}
	w := &portfolio.Work{Incumbent: incumbent.New(js, []model.Objective{model.Misses}, nil, nil, time.Time{})}
	FirstPlan(t.Context(), w.Incumbent, 1)
	if w.Best() == nil {
		t.Fatal("no plan")
	}
	c := PrepareMaster(w)
	var soft []model.JobID // with all of them let go there is a plan
	for i := range js.Jobs {
		if js.Jobs[i].Kind == model.Soft {
			soft = append(soft, model.JobID(i))
		}
	}
	at := Candidate(soft, int64(len(soft)))
	ask := func() (answered bool, calls int64) {
		ctx, counter := event.Counting(t.Context())
		answered = c.look(ctx, at, &examination{})
		return answered, counter.Counts().Calls
	}
	at.looking.Lock()
	if answered, calls := ask(); answered || calls > 0 {
		t.Errorf("beside another worker: answered %t, %d calls", answered, calls)
	}
	at.looking.Unlock()
	for range 2 { // who has asked is no longer in the way
		if _, calls := ask(); calls == 0 {
			t.Error("alone: no calls")
		}
	}
}
