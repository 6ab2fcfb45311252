package capacity

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve"
	"downbeat/solve/event"
	"downbeat/solve/whatif"
)

// sideBySide are numbers of workers that tests compare.
var sideBySide = []int{1, 2, 3, 8}

// ends are the ends of edges, without the proofs, of which there may be several.
func ends(edges ...whatif.Edge) string {
	var out []int64
	for _, e := range edges {
		out = append(out, e.Fits, e.Fails)
	}
	return fmt.Sprint(out)
}

// everything asks all questions about a set, and gives the answers that others have to give as
// well, and all that was answered.
func everything(t *testing.T, js *model.JobSet, in func(question string) Pieces, opt solve.Options) (settled, all string) {
	t.Helper()
	if in == nil {
		in = func(string) Pieces { return nil }
	}
	slack, err := Slack(t.Context(), js, nil, in("slack"), opt)
	if err != nil {
		t.Fatal(err)
	}
	edges := []whatif.Edge{slack.All}
	for _, j := range slack.Jobs {
		edges = append(edges, j.Edges[:]...)
	}
	lost, err := SingleFailures(t.Context(), js, 0, in("failures"), opt)
	if err != nil {
		t.Fatal(err)
	}
	var losses, plans []string
	for i := range lost {
		losses = append(losses, lost[i].Status.String())
		plans = append(plans, fmt.Sprint(lost[i].Plan, lost[i].Proof, lost[i].Jobs))
	}
	classes := classesOf(js)
	frontier := &FrontierAnswer{}
	if len(classes) > 1 {
		a, err := NewClass(js, classes[0])
		if err != nil {
			t.Fatal(err)
		}
		b, err := NewClass(js, classes[1])
		if err != nil {
			t.Fatal(err)
		}
		if frontier, err = Frontier(t.Context(), js, a, b, nil, in("frontier"), opt); err != nil {
			t.Fatal(err)
		}
	}
	settled = fmt.Sprint(slack.Status, ends(edges...), losses, ends(frontier.Columns...))
	return settled, fmt.Sprint(settled, edges, plans, frontier.Columns, slack.Notes, frontier.Notes)
}

// TestSideBySide: however many workers there are, what is settled is the same; with a budget
// so is all that is said, from run to run.
func TestSideBySide(t *testing.T) {
	open := 0
	for seed := range testkit.Sets[uint64](12, 100) {
		js := tiny(seed)
		var want string
		for _, n := range sideBySide {
			got, _ := everything(t, js, nil, solve.Options{Seed: seed, Workers: n})
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("seed %d, %d workers: %s\none: %s", seed, n, got, want)
			}
		}
		for _, n := range sideBySide {
			opt := solve.Options{Seed: seed, Workers: n, Budget: 1 + int64(seed*seed)}
			settled, first := everything(t, js, nil, opt)
			if _, again := everything(t, js, nil, opt); again != first {
				t.Errorf("seed %d, %d workers, budget %d:\n%s\nand then\n%s", seed, n, opt.Budget, first, again)
			}
			if settled != want {
				open++
			}
		}
	}
	if open == 0 {
		t.Error("no budget ended a search")
	}
}

// The loss of a slave has the answer of a single worker, plan and proof, on any number.
func TestLossesAreThoseOfOneWorker(t *testing.T) {
	for seed := range testkit.Sets[uint64](20, 100) {
		js, want := tiny(seed), ""
		for _, n := range sideBySide {
			lost, err := SingleFailures(t.Context(), js, 0, nil, solve.Options{Seed: seed, Budget: 50, Workers: n})
			got := fmt.Sprintf("%+v", lost)
			if want == "" {
				want = got
			}
			if err != nil || got != want {
				t.Fatalf("seed %d, %d workers: %v, %s\none: %s", seed, n, err, got, want)
			}
		}
	}
}

// The end of the context ends all that goes on side by side, and events are told one at a time.
func TestSideBySideEnds(t *testing.T) {
	js := tiny(4)
	for _, n := range sideBySide {
		for polls := range 6 {
			ctx, stop := context.WithCancel(t.Context())
			telling, told := atomic.Int32{}, 0
			opt := solve.Options{Workers: n, Events: func(event.Event) {
				if telling.Add(1) > 1 {
					t.Error("two events at a time")
				}
				if told++; told > 5*polls {
					stop()
				}
				telling.Add(-1)
			}}
			r, err := Slack(ctx, js, nil, nil, opt)
			if err != nil {
				t.Errorf("%d workers: %v", n, err)
			}
			if r.Status == model.Feasible && slices.ContainsFunc(r.Jobs, func(j JobSlack) bool { return j.Edges[Release].Fits < 0 }) {
				t.Errorf("%d workers: %+v", n, r)
			}
			stop()
		}
	}
}

// memo keeps pieces of a question as JSON.
type memo struct {
	names  []string
	held   map[string][]byte
	wanted func(place int) bool
	worked int
}

func (m *memo) List(names []string) int {
	m.names = append(m.names, names...)
	return len(m.names) - len(names)
}

func (m *memo) Wanted(place int) bool { return m.wanted(place) }

func (m *memo) Find(name string, into any) (bool, error) {
	text, known := m.held[name]
	if !known {
		return false, nil
	}
	return true, json.Unmarshal(text, into)
}

func (m *memo) Add(name string, value any) (err error) {
	m.worked++
	m.held[name], err = json.Marshal(value)
	return err
}

// TestPiecesArePutTogether: three processes that share the pieces come to what one comes to, and
// what is known is not worked on again; with enough work that is what one process comes to that does
// not ask in pieces; and the losses of slaves are its to the last word, whatever the budget.
func TestPiecesArePutTogether(t *testing.T) {
	open, shared := 0, 0
	for seed := range testkit.Sets[uint64](10, 150) {
		js := tiny(seed)
		settled, _ := everything(t, js, nil, solve.Options{Seed: seed, Workers: 1})
		for _, budget := range []int64{10 + int64(seed), 300, 1_000_000} {
			opt := solve.Options{Seed: seed, Budget: budget, Workers: 1 + int(seed%3)}
			run := func(held map[string]*memo, wanted func(int) bool) (string, string, int) {
				for _, m := range held {
					m.names, m.wanted, m.worked = nil, wanted, 0
				}
				got, all := everything(t, js, func(question string) Pieces {
					if held[question] == nil {
						held[question] = &memo{held: map[string][]byte{}, wanted: wanted}
					}
					return held[question]
				}, opt)
				worked := 0
				for _, m := range held {
					worked += m.worked
				}
				return got, all, worked
			}
			every := func(int) bool { return true }
			one := map[string]*memo{}
			got, want, n := run(one, every)
			if got != settled {
				if open++; budget == 1_000_000 {
					t.Errorf("seed %d: in pieces %s\nat once %s", seed, got, settled)
				}
			}
			joined := map[string]*memo{}
			for shard := range 3 {
				_, _, worked := run(joined, func(place int) bool { return place%3 == shard })
				shared += worked
			}
			if _, all, worked := run(joined, func(int) bool { return false }); all != want || worked > 0 {
				t.Errorf("seed %d, budget %d: three processes come to\n%s\none to\n%s", seed, budget, all, want)
			}
			if _, all, worked := run(one, every); all != want || worked > 0 {
				t.Errorf("seed %d, budget %d: gone on with, %d of %d pieces are worked on", seed, budget, worked, n)
			}
			lost, err := SingleFailures(t.Context(), js, 0, nil, opt)
			if err != nil {
				t.Fatal(err)
			}
			again, err := SingleFailures(t.Context(), js, 0, joined["failures"], opt)
			if diff := cmp.Diff(lost, again); err != nil || diff != "" {
				t.Errorf("seed %d, budget %d: %v, losses in pieces differ (-at once +in pieces):\n%s", seed, budget, err, diff)
			}
		}
	}
	if open == 0 || shared == 0 {
		t.Errorf("%d were left open, %d pieces were shared", open, shared)
	}
}

// What was ended from outside is not kept, nor what cannot be a piece taken.
func TestPiecesAreWhole(t *testing.T) {
	js := tiny(4)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	m := &memo{held: map[string][]byte{}, wanted: func(int) bool { return true }}
	if _, err := Slack(ctx, js, nil, m, solve.Options{Budget: 1000}); err != nil || m.worked > 0 {
		t.Errorf("%v, %d pieces of an ended search are kept", err, m.worked)
	}
	for _, bad := range []string{`{"status":"perhaps","proof":"none"}`, `{"status":"feasible","proof":"none"}`, `{"status":"feasible","proof":"witness","plan":[[99,0,0,0]]}`, `7`} {
		m := &memo{held: map[string][]byte{}, wanted: func(int) bool { return false }}
		for i := range js.Slaves {
			m.held[js.Slaves[i].Name] = []byte(bad)
		}
		if out, err := SingleFailures(t.Context(), js, 0, m, solve.Options{Budget: 100}); err == nil {
			t.Errorf("%s is taken: %+v", bad, out)
		}
	}
}

// TestShares: what is quick comes first; then a loss that is not answered has the next one given twice as much, to a quarter of what is left.
func TestShares(t *testing.T) {
	s := &shares{until: time.Now().Add(100 * time.Second), quick: true}
	within := func(what string, of time.Duration, losses, side int) time.Duration {
		t.Helper()
		got := s.next(losses, side)
		if got > of || got < of*3/4 {
			t.Errorf("%s: %v, not about %v", what, got, of)
		}
		return got
	}
	given := within("quick", 250*time.Millisecond, 100, 1)
	within("quick, side by side", time.Second, 100, 4)
	s.learn(given, given, false)
	s.quick = false
	given = within("even", time.Second, 100, 1)
	for _, want := range []time.Duration{2, 4, 8, 16, 25, 25} {
		s.learn(given, given, false)
		given = within("grown", want*time.Second, 100, 1)
	}
	s.learn(given, 3*time.Second, true)
	within("answered", 6*time.Second, 100, 1)
	within("the last", 100*time.Second, 1, 1)
}

// TestLossesByMending: the plan of the whole set is mended for each loss, which takes far less than one search.
func TestLossesByMending(t *testing.T) {
	js := gen.Scale(300, 1)
	for i := range js.Jobs {
		js.Jobs[i].Deadline *= 4
	}
	var searches atomic.Int32
	all, err := SingleFailures(t.Context(), js, 0, nil, solve.Options{Workers: 1, Seed: 1, Events: func(e event.Event) {
		if e.Kind == event.Verdict {
			searches.Add(1)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if all[i].Status != model.Feasible {
			t.Errorf("slave %d: %s", i, all[i].Status)
		}
	}
	if n := searches.Load(); n != 1 {
		t.Errorf("%d searches for %d losses", n, len(all))
	}
}
