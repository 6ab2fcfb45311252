package reproduce

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"downbeat/cmd/internal/chart"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/query"
	"downbeat/solve/exact"
	"downbeat/solve/lcg"
)

// searchLimit bounds one answer of gini.
const searchLimit = 5 * time.Second

var (
	orderSizes  = []int{10, 20, 30, 40, 60, 80}
	orderTraits = []string{"tight", "squeezed"}
	orderNames  = []string{"none", "edf", "llf"}
)

// orderSeeds is the number of job sets of each size.
const orderSeeds = 5

// gecode is what the solver of the paper's implementation was measured to settle within
// 60 s on sets of the shapes of docs/cliff.md (Gecode 6.2, default or EDF annotation),
// by the range of tasks. The paper itself has no figures.
var gecode = []struct {
	tasks   string
	x       float64
	settled float64
	text    string
}{
	{"6–12", 9, 1, "all, 0.1–1.3 s"},
	{"15–30, feasible and tight", 22, 0.4, "2 of 5"},
	{"15–30, infeasible", 22, 0.3, "1 or 2 of 5"},
	{"100–150, feasible and tight", 125, 0, "none"},
}

// answer is what gini said of a set.
type answer struct {
	Settled bool
	Seconds float64
}

// ask puts the question whether a set has a plan to gini alone: no heuristics, no bounds
// but those that lay the formula out.
func ask(ctx context.Context, js *model.JobSet, order string) (answer, error) {
	began := time.Now()
	ctx, stop := context.WithTimeout(ctx, searchLimit)
	defer stop()
	enc, err := exact.Formula(ctx, query.Within(js, false, nil), &exact.Options{Engine: exact.Gini})
	if err != nil {
		return answer{false, time.Since(began).Seconds()}, nil // too large, or no time left
	}
	solver := exact.NewSolver(enc, 0)
	var a lcg.Answer
	if order == "none" {
		a = solver.Solve(ctx, nil)
	} else {
		a = solver.GuidedSolve(ctx, []string{order}, nil)
	}
	return answer{a != lcg.Unknown, time.Since(began).Seconds()}, nil
}

// orderKey is sets of a trait and a size, and the order in which they are searched.
type orderKey struct {
	trait, order string
	size         int
}

// orderAnswers is what gini said of the same sets in each order, seed by seed.
type orderAnswers struct {
	sizes []int
	seeds int
	at    map[orderKey][]answer
}

func askInOrders(ctx context.Context, o Options) (*orderAnswers, error) {
	s := &orderAnswers{sizes: orderSizes[:o.Few(len(orderSizes), 2)], seeds: min(orderSeeds, o.Seeds), at: map[orderKey][]answer{}}
	var keys []orderKey
	for _, trait := range orderTraits {
		for _, size := range s.sizes {
			for _, order := range orderNames {
				keys = append(keys, orderKey{trait, order, size})
			}
		}
	}
	flat, err := Collect(ctx, o, "orders", len(keys)*s.seeds, func(ctx context.Context, i int) (answer, error) {
		k := keys[i/s.seeds]
		js, _, err := gen.Family(fmt.Sprintf("%s-%d", k.trait, k.size), uint64(i%s.seeds+1))
		if err != nil {
			return answer{}, err
		}
		a, err := ask(ctx, js, k.order)
		if err == nil {
			err = ctx.Err()
		}
		return a, err
	})
	if err != nil {
		return nil, err
	}
	for i, a := range flat {
		k := keys[i/s.seeds]
		s.at[k] = append(s.at[k], a)
	}
	return s, nil
}

// share is how many sets were settled, and the mean time in seconds.
func (s *orderAnswers) share(k orderKey) (settled int, mean float64) {
	for _, a := range s.at[k] {
		if a.Settled {
			settled++
		}
		mean += a.Seconds / float64(s.seeds)
	}
	return settled, mean
}

// writeOrders is the question of §4.2: do EDF and LLF orders help a solver?
func writeOrders(ctx context.Context, d *document, o Options) error {
	s, err := askInOrders(ctx, o)
	if err != nil {
		return err
	}
	d.Heading(2, "Search orders (§4.2)")
	d.Para("The paper orders the search by earliest deadline or least laxity, and asks whether that helps a solver (it had Gecode, and no figures yet). Here gini is asked alone whether a set has a plan: no list scheduling, no bounds, no other engine. With an order it is first guided by dives that place tasks in that order on the slave where they end first, with none it goes by its own activities. %d sets a size, %s each, wall-clock on a machine with other work: factors below 2 say nothing.", s.seeds, searchLimit)
	for _, trait := range orderTraits {
		d.Heading(3, map[string]string{"tight": "Sets that have a plan (tight)", "squeezed": "Sets of which nobody knows (squeezed)"}[trait])
		s.table(d, trait)
		s.figures(d, trait)
		for _, order := range orderNames[1:] {
			s.claim(d, trait, order)
		}
	}
	var rows [][]string
	for _, g := range gecode {
		rows = append(rows, []string{g.tasks, g.text})
	}
	d.Para("Gecode, measured on sets of these shapes with a direct model of C0 to C8, 60 s each:")
	d.Table([]string{"tasks", "settled by Gecode"}, rows)
	return nil
}

func (s *orderAnswers) table(d *document, trait string) {
	var rows [][]string
	for _, size := range s.sizes {
		row := []string{fmt.Sprint(size)}
		for _, order := range orderNames {
			n, mean := s.share(orderKey{trait, order, size})
			row = append(row, fmt.Sprintf("%d of %d", n, s.seeds), fmt.Sprintf("%.2g", mean))
		}
		rows = append(rows, row)
	}
	d.Table([]string{"tasks", "no order", "s", "edf", "s", "llf", "s"}, rows)
}

func (s *orderAnswers) figures(d *document, trait string) {
	settled := &chart.Chart{Title: "Settled by gini alone: " + trait, XLabel: "tasks", YLabel: "% of the sets", FromZero: true, YMax: 105}
	seconds := &chart.Chart{Title: "Time of gini alone: " + trait, XLabel: "tasks", YLabel: "s, mean", FromZero: true}
	for _, order := range orderNames {
		a, b := chart.Series{Name: order}, chart.Series{Name: order}
		for _, size := range s.sizes {
			n, mean := s.share(orderKey{trait, order, size})
			a.X, a.Y = append(a.X, float64(size)), append(a.Y, 100*float64(n)/float64(s.seeds))
			b.X, b.Y = append(b.X, float64(size)), append(b.Y, mean)
		}
		settled.Series, seconds.Series = append(settled.Series, a), append(seconds.Series, b)
	}
	marks := chart.Series{Name: "Gecode, 60 s", Marks: true}
	for _, g := range gecode {
		if g.x <= float64(s.sizes[len(s.sizes)-1]) {
			marks.X, marks.Y = append(marks.X, g.x), append(marks.Y, 100*g.settled)
		}
	}
	settled.Series = append(settled.Series, marks)
	d.Figure("orders-"+trait, "share of sets settled by gini alone with each order", settled)
	d.Figure("orders-time-"+trait, "mean time of gini alone with each order, the limit where it gave none", seconds)
}

// claim compares an order with none, set by set.
func (s *orderAnswers) claim(d *document, trait, order string) {
	var with, plain sample
	won, lost, open := 0, 0, 0
	for _, size := range s.sizes {
		for i, a := range s.at[orderKey{trait, order, size}] {
			b := s.at[orderKey{trait, "none", size}][i]
			with, plain = append(with, math.Log(a.Seconds)), append(plain, math.Log(b.Seconds))
			switch {
			case a.Settled && !b.Settled:
				won++
			case b.Settled && !a.Settled:
				lost++
			case !a.Settled:
				open++
			}
		}
	}
	ratio := math.Exp(with.Mean().Value - plain.Mean().Value)
	d.Claim(claim{
		Where: "§4.2", Text: fmt.Sprintf("an %s order speeds the solver up", strings.ToUpper(order)), Setting: trait + " sets, gini alone",
		Published: "asked, not measured",
		Ours:      fmt.Sprintf("%d sets more settled, %d fewer, %d by neither; %.2g times the time", won, lost, open, ratio),
		Verdict:   larger(plain, with),
		Reason: map[string]string{
			"tight":    "A guided dive is a list schedule with propagation: where a plan exists it can be the plan, or near one.",
			"squeezed": "Where there is no plan an order finds nothing, and its dives are time lost; where there is one it helps as above.",
		}[trait],
	})
}
