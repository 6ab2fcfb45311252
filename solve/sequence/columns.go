package sequence

import (
	"math"
	"slices"

	"downbeat/solve/simplex"
)

// columns are walks of which so much is taken that each job runs once, or more, and each line has as many as there are such
// lines, for the least price: the linear programme whose dual has the rewards at which the cheapest walks cost most (Dantzig and
// Wolfe, 1960). Where a walk stands for several lines subgradients have each job many times or never: of 40 jobs on five slaves 2,000 steps of
// theirs come as near as 60 of these.
type columns struct {
	*Problem
	// in has a row for each job, and behind them one for each kind of line.
	in *simplex.Programme[column]
	// pool are the walks that were found, in this part and in others.
	pool []walk
	// missing is what a job costs that is on no walk.
	missing []float64
	// steps are those since the programme was begun. Of them failed in succession came to no walk that the programme takes, as rewards were
	// not yet those that it asks for.
	steps, failed int
	// cells counts those of tables that were looked at.
	cells   int
	entries []simplex.Entry
}

// walk is one of a kind of line, with what its jobs pay.
type walk struct {
	line int
	runs []run
	cost float64
}

// column is a walk of the pool, or stands in for a row that comes to too little, or takes away from one that comes to too much.
type column struct {
	kind kind
	of   int
}

type kind uint8

const (
	aWalk kind = iota
	short
	spare
)

const (
	// mostColumns bounds the jobs for which there is a programme. A step takes the square of their number, which is what walks take then.
	mostColumns = 400
	// stays is the part of the best rewards that stays in those that walks are asked for next (Wentges, 1997).
	stays = 0.8
	// near is the part of what is missing to a refutation at the most that may be left open, as rewards are: then what is left is split.
	// With a 20th one set of ten took ten times as many parts, and with half another.
	near = 0.1
	// stepsOfColumns bounds the steps, for each job: mostly there are one to three. pivotsOfColumns are those after a step.
	stepsOfColumns, pivotsOfColumns = 50, 50
	// cheaper is the part of the price of all by which a walk has to make it cheaper.
	cheaper = 1e-6
	// cellsPerLink is how many cells take as long as a link of walks.
	cellsPerLink = 8
)

// begin begins anew at rewards, with walks that pass.
func (c *columns) begin(rewards []int64, passes func(w *walk) bool) {
	c.steps, c.failed = 0, 0
	c.pool = slices.DeleteFunc(c.pool, func(w walk) bool { return !passes(&w) })
	n, sum := len(c.Problem.Jobs), 0.0
	c.in, c.missing = simplex.New[column](n+len(c.lines)), make([]float64, n+len(c.lines))
	for _, r := range rewards {
		sum += float64(r)
	}
	for row := range c.missing {
		need := 1.0
		if c.missing[row] = sum; row < n {
			c.missing[row] = float64(2*rewards[row]) + sum/float64(n)
		} else {
			need = float64(c.lines[row-n].count)
		}
		c.in.Begin(row, column{short, row}, 1, c.missing[row], need)
	}
	c.in.Price()
}

// ask has the rewards to ask for next, where some are the best so far.
func (c *columns) ask(best []int64) []float64 {
	at, stay := make([]float64, len(best)), c.stay()
	for k, r := range best {
		at[k] = float64(r)
		if c.steps > 0 {
			at[k] = min(mostPrice, max(1, float64(stay*at[k])+float64((1-stay)*c.in.Prices[k])))
		}
	}
	return at
}

// stay is the part of the best rewards that stays: the less, the more often no walk was found.
func (c *columns) stay() float64 { return max(0, 1-float64(float64(c.failed+1)*(1-stays))) }

// move takes the cheapest walks into account, of each kind of line one. total is the most that walks come to, and enough what they are to. It
// returns false if it was the last step.
func (c *columns) move(walks []walk, total, enough float64) bool {
	c.steps++
	some := false
	for k := range walks {
		if c.steps == 1 || c.gain(&walks[k]) > c.least() {
			c.pool = append(c.pool, walks[k])
			some = true
		}
	}
	switch {
	case some:
		c.failed = 0
	case c.stay() > 0 && total < c.in.Cost()-1:
		c.failed++
		return true
	case !c.lack() || !c.dearer():
		return false
	}
	if !c.optimise() || c.steps > stepsOfColumns*len(c.Problem.Jobs) {
		return false
	}
	cost := c.in.Cost()
	return cost > enough || c.lack() || cost-total > near*(enough-cost)
}

// least is what a column has to gain.
func (c *columns) least() float64 { return cheaper * (1 + math.Abs(c.in.Cost())) }

// gain is what a walk is worth above its cost.
func (c *columns) gain(w *walk) float64 {
	gain := c.in.Prices[len(c.Problem.Jobs)+w.line] - w.cost
	for _, r := range w.runs {
		gain += c.in.Prices[r.job]
	}
	return gain
}

// lack reports whether some row comes to too little still.
func (c *columns) lack() bool {
	for k, of := range c.in.Basis {
		if of.kind == short && c.in.Amounts[k] > cheaper {
			return true
		}
	}
	return false
}

// dearer has what is missing cost more; false if it costs as much as it may.
func (c *columns) dearer() bool {
	c.failed = 0
	if slices.Min(c.missing) >= mostPrice {
		return false
	}
	for row := range c.missing {
		c.missing[row] = min(mostPrice, 4*c.missing[row])
	}
	for k, of := range c.in.Basis {
		if of.kind == short {
			c.in.Charge(k, c.missing[of.of])
		}
	}
	c.in.Price()
	return true
}

// optimise goes on with the walks of the pool until none makes it cheaper. It fails for want of precision, or of time.
func (c *columns) optimise() bool {
	rows := len(c.missing)
	for range pivotsOfColumns * rows {
		next, most, cost := column{kind: aWalk, of: -1}, c.least(), 0.0
		for k := range c.pool {
			if gain := c.gain(&c.pool[k]); gain > most {
				next, most, cost = column{aWalk, k}, gain, c.pool[k].cost
			}
			c.cells += len(c.pool[k].runs)
		}
		for row, price := range c.in.Prices {
			if row < len(c.Problem.Jobs) && -price > most {
				next, most, cost = column{spare, row}, -price, 0
			}
			if gain := price - c.missing[row]; gain > most {
				next, most, cost = column{short, row}, gain, c.missing[row]
			}
		}
		if next.of < 0 {
			return true
		}
		c.cells += 2 * rows * rows
		if !c.in.Enter(next, cost, c.comesTo(next)) {
			return false
		}
		c.in.Price()
	}
	return false
}

// comesTo is what a column comes to by row.
func (c *columns) comesTo(of column) []simplex.Entry {
	c.entries = c.entries[:0]
	switch of.kind {
	case short:
		return append(c.entries, simplex.Entry{Row: of.of, Value: 1})
	case spare:
		return append(c.entries, simplex.Entry{Row: of.of, Value: -1})
	}
	w := &c.pool[of.of]
	for _, r := range w.runs {
		c.entries = append(c.entries, simplex.Entry{Row: int(r.job), Value: 1})
	}
	return append(c.entries, simplex.Entry{Row: len(c.Problem.Jobs) + w.line, Value: 1})
}

// used yields the runs of the walks that are taken, with how much is taken of each.
func (c *columns) used(yield func(l *line, r run, amount float64)) {
	for k, of := range c.in.Basis {
		if of.kind != aWalk {
			continue
		}
		w := &c.pool[of.of]
		for _, r := range w.runs {
			yield(c.lines[w.line], r, c.in.Amounts[k])
		}
	}
}
