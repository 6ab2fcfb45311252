package solve

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/irifrance/gini"
	"github.com/irifrance/gini/z"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/minizinc"
	"downbeat/model/query"
	"downbeat/solve/lcg"
)

// TestPlanAgreesWithSecondEncoding holds Plan against a second encoding of the
// model, written from C0–C10 alone and with nothing but them: every task placed,
// a ladder over all ticks for each of A, R, S and F, and a count in every tick.
// It must have a plan at the optimum, valid and of those values, and none with
// any one objective a tick better while those before are kept; a set said to
// be infeasible must have none at all. DOWNBEAT_SECOND sets how many random
// sets of 8–14 tasks are tried, DOWNBEAT_SECOND_SEED the first seed.
func TestPlanAgreesWithSecondEncoding(t *testing.T) {
	sets, first := envInt(t, "DOWNBEAT_SECOND", testkit.Sets(15, 100)), envInt(t, "DOWNBEAT_SECOND_SEED", 0)
	perQuestion := 2 * time.Second
	if os.Getenv("DOWNBEAT_SECOND") != "" {
		perQuestion = 20 * time.Second
	}
	statuses, proofs := map[model.Status]int{}, map[model.Proof]int{}
	settled, refuted := 0, 0
	for seed := first; seed < first+sets; seed++ {
		js := smallSet(seed)
		ours, err := Plan(context.Background(), js, Options{Seed: uint64(seed), TimeLimit: 60 * time.Second})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		n, decided, err := seconded(js, ours, perQuestion)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		refuted += n
		if !decided {
			t.Logf("seed %d: unsettled (%s)", seed, ours.Status)
			continue
		}
		settled++
		statuses[ours.Status]++
		proofs[ours.Proof]++
		if _, err := formulasAgree(js, js.Goal(), answerOf(ours)); err != nil {
			t.Errorf("seed %d, formulas alone: %v", seed, err)
		}
	}
	t.Logf("%d of %d sets settled by both: %v, proofs %v; %d questions refuted", settled, sets, statuses, proofs, refuted)
	if 2*settled < sets || refuted == 0 {
		t.Errorf("only %d of %d sets were settled, %d questions refuted", settled, sets, refuted)
	}
}

// answerOf is an answer that has been confirmed, as formulasAgree wants it:
// Plan seldom needs its formulas for sets of this size, so they are asked on
// their own as well.
func answerOf(r *Result) oracle.Answer {
	out := oracle.Answer{Status: r.Status}
	for _, o := range r.Objectives {
		out.Values = append(out.Values, o.Value)
	}
	return out
}

// seconded puts to the second encoding all questions that decide whether ours
// is the right answer. decided is false if one of them was not answered in
// time, or if ours claims nothing; refuted counts the questions answered by no.
func seconded(js *model.JobSet, ours *Result, perQuestion time.Duration) (refuted int, decided bool, err error) {
	if ours.Status == model.Infeasible {
		a, plan := second(js, query.Limits{}, noLaterThan(js, query.Limits{}), perQuestion)
		switch a {
		case lcg.Satisfiable:
			return 0, true, fmt.Errorf("said to be infeasible, but: %w", offer(js, plan, query.Limits{}))
		case lcg.Unsatisfiable:
			return 1, true, nil
		}
		return 0, false, nil
	}
	if ours.Schedule == nil || ours.Status == model.Feasible && len(ours.Objectives) > 0 {
		return 0, false, nil
	}
	goal, at := js.Goal(), query.Limits{}
	for p, o := range goal {
		best := ours.Objectives[p].Value
		if best > 0 {
			at[o] = best - 1
			a, plan := second(js, at, noLaterThan(js, at), perQuestion)
			if a == lcg.Satisfiable {
				return refuted, true, fmt.Errorf("%s said to be %d at least, but: %w", o, best, offer(js, plan, at))
			}
			if a == lcg.Unknown {
				return refuted, false, nil
			}
			refuted++
		}
		at[o] = best
	}
	// The plan at hand ends at its makespan, so that far is far enough to look.
	a, plan := second(js, at, slices.Max(js.Finishes(ours.Schedule)), perQuestion)
	switch a {
	case lcg.Satisfiable:
		err = flaw(js, plan, at)
	case lcg.Unsatisfiable:
		err = fmt.Errorf("no plan within %v, but Plan has one: %v", at, ours.Schedule)
	}
	return refuted, a != lcg.Unknown, err
}

// offer is the error that the second encoding has a plan where there should be
// none. It tells who is wrong: Plan if the plan holds, else the encoding.
func offer(js *model.JobSet, plan model.Schedule, at query.Limits) error {
	if err := flaw(js, plan, at); err != nil {
		return fmt.Errorf("a wrong plan within %v: %w: %v", at, err, plan)
	}
	return fmt.Errorf("a valid plan within %v: %v", at, plan)
}

// flaw says what is wrong with a plan of the second encoding; nil if it is
// valid and within its limits.
func flaw(js *model.JobSet, plan model.Schedule, lim query.Limits) error {
	if err := check.Schedule(js, plan, false).Err(); err != nil {
		return err
	}
	finishes := js.Finishes(plan)
	for o, v := range lim {
		if got := js.Value(o, finishes); got > v {
			return fmt.Errorf("%s is %d, above %d", o, got, v)
		}
	}
	return nil
}

// noLaterThan is a time by which some plan within the limits ends if there is
// any plan within them. Horizon is one, since no limit and no deadline minds a
// job that finishes earlier. The other times are those that the limits and
// hard deadlines themselves forbid to pass.
func noLaterThan(js *model.JobSet, lim query.Limits) model.Time {
	latest := model.Time(0)
	for i := range js.Jobs {
		job := &js.Jobs[i]
		last := model.Never
		if job.Kind == model.Hard {
			last = job.Due()
		}
		if job.Kind == model.Soft {
			if v, ok := lim[model.Tardiness]; ok {
				last = min(last, job.Due()+model.Time(v))
			}
			if v, ok := lim[model.WeightedTardiness]; ok {
				last = min(last, job.Due()+model.Time(v/job.Weight))
			}
			if v, ok := lim[model.Misses]; ok && v < job.Weight {
				last = min(last, job.Due())
			}
		}
		latest = max(latest, last)
	}
	latest = min(latest, minizinc.Horizon(js))
	if v, ok := lim[model.Makespan]; ok {
		latest = min(latest, model.Time(v))
	}
	return latest
}

// second looks for a plan within the limits that ends at end or earlier. Every
// question gets a solver of its own.
func second(js *model.JobSet, lim query.Limits, end model.Time, perQuestion time.Duration) (lcg.Answer, model.Schedule) {
	f := newFormula(js, end)
	f.timing()
	f.occupation()
	f.precedence()
	f.fifo()
	f.objectives(lim)
	if f.refuted {
		return lcg.Unsatisfiable, nil
	}
	switch f.g.Try(perQuestion) { // once: the deadline that it sets stays
	case 1:
		return lcg.Satisfiable, f.plan()
	case -1:
		return lcg.Unsatisfiable, nil
	}
	return lcg.Unknown, nil
}

// formula is the second encoding of one question.
type formula struct {
	js      *model.JobSet
	end     model.Time
	g       *gini.Gini
	yes, no z.Lit
	// refuted is set if a clause came out empty.
	refuted bool
	// on[task][slave] says where a task is placed; no where it is barred (C0).
	on [][]z.Lit
	// The four times of every task.
	assigned, fetch, start, finish []ladder
}

// ladder is a time from 0 to end: at says that it is t, upTo that it is t or less.
type ladder struct {
	at, upTo []z.Lit
	yes, no  z.Lit
}

// by is the literal for "at t or earlier", for any t.
func (l *ladder) by(t model.Time) z.Lit {
	switch {
	case t < 0:
		return l.no
	case int(t) >= len(l.upTo):
		return l.yes
	}
	return l.upTo[t]
}

func newFormula(js *model.JobSet, end model.Time) *formula {
	f := &formula{js: js, end: end, g: gini.New()}
	f.yes = f.g.Lit()
	f.no = f.yes.Not()
	f.g.Add(f.yes)
	f.g.Add(z.LitNull)
	for t := range js.Tasks {
		var on []z.Lit
		for s := range js.Slaves {
			on = append(on, f.no)
			if js.Tasks[t].Eligible(model.SlaveID(s)) {
				on[s] = f.g.Lit()
			}
		}
		f.clause(on...)
		f.atMost(on, 1)
		f.on = append(f.on, on)
		for _, times := range []*[]ladder{&f.assigned, &f.fetch, &f.start, &f.finish} {
			*times = append(*times, f.ladder())
		}
	}
	return f
}

func (f *formula) clause(ms ...z.Lit) {
	if slices.Contains(ms, f.yes) {
		return
	}
	empty := true
	for _, m := range ms {
		if m != f.no {
			f.g.Add(m)
			empty = false
		}
	}
	if f.refuted = f.refuted || empty; !empty {
		f.g.Add(z.LitNull)
	}
}

func (f *formula) ladder() ladder {
	l := ladder{yes: f.yes, no: f.no}
	for range f.end {
		l.upTo = append(l.upTo, f.g.Lit())
	}
	l.upTo = append(l.upTo, f.yes)
	for t := range f.end + 1 {
		at, now, before := f.g.Lit(), l.by(t), l.by(t-1)
		l.at = append(l.at, at)
		f.clause(before.Not(), now)
		f.clause(at.Not(), now)
		f.clause(at.Not(), before.Not())
		f.clause(at, now.Not(), before)
	}
	return l
}

// atMost lets no more than k of the literals be true: pair by pair if k = 1,
// else by a counter whose reached[n] says that n+1 of those so far are true.
func (f *formula) atMost(ms []z.Lit, k int) {
	if k == 1 {
		for i, m := range ms {
			for _, n := range ms[:i] {
				f.clause(m.Not(), n.Not())
			}
		}
		return
	}
	reached := make([]z.Lit, k)
	for i := range reached {
		reached[i] = f.no
	}
	for _, m := range ms {
		if k == 0 {
			f.clause(m.Not())
			continue
		}
		f.clause(m.Not(), reached[k-1].Not())
		next := make([]z.Lit, k)
		for n := range next {
			next[n] = f.g.Lit()
			f.clause(reached[n].Not(), next[n])
			if n == 0 {
				f.clause(m.Not(), next[n])
			} else {
				f.clause(m.Not(), reached[n-1].Not(), next[n])
			}
		}
		reached = next
	}
}

// timing is C1, C2 and C3, and that hand-outs happen at heartbeats.
func (f *formula) timing() {
	for t := range f.js.Tasks {
		task := &f.js.Tasks[t]
		for x := range f.end + 1 {
			f.clause(f.fetch[t].by(x).Not(), f.assigned[t].by(x)) // A ≤ R
		}
		f.clause(f.assigned[t].by(f.js.Jobs[task.Job].Release - 1).Not()) // A ≥ o
		for s := range f.js.Slaves {
			id, on := model.SlaveID(s), f.on[t][s]
			for x := range f.end + 1 {
				run := f.start[t].by(x - task.WCET(id))
				f.clause(on.Not(), run.Not(), f.finish[t].by(x)) // F ≤ S + E
				f.clause(on.Not(), run, f.finish[t].by(x).Not()) // F ≥ S + E
				f.clause(on.Not(), f.start[t].by(x).Not(), f.fetch[t].by(x-task.Transfer(id)))
				if !f.beats(id, x) {
					f.clause(on.Not(), f.assigned[t].at[x].Not())
				}
			}
		}
	}
}

// beats reports whether slave s has a heartbeat at x.
func (f *formula) beats(s model.SlaveID, x model.Time) bool {
	first := f.js.Slaves[s].FirstBeat
	return x >= first && (x-first)%f.js.Heartbeat == 0 && !f.away(s, x)
}

func (f *formula) away(s model.SlaveID, x model.Time) bool {
	return slices.ContainsFunc(f.js.Slaves[s].Down, func(d model.Interval) bool { return d.Start <= x && x < d.End })
}

// occupation is C4, C5, C6, C9 and the absences: in every tick, on every slave,
// it counts the cores that run tasks, the slots of each pool and the units of each
// resource that are held, and the fetches.
func (f *formula) occupation() {
	for s := range f.js.Slaves {
		slave := &f.js.Slaves[s]
		for x := range f.end {
			var run, fetch []z.Lit
			hold, units := make([][]z.Lit, slave.Pools()), make([][]z.Lit, len(f.js.Named))
			for t := range f.js.Tasks {
				task, on := &f.js.Tasks[t], f.on[t][s]
				if on == f.no {
					continue
				}
				p, done := slave.Pool(task.Slot), f.finish[t].by(x)
				fetched := f.fetch[t].by(x - task.Transfer(model.SlaveID(s)))
				running, held := f.between(on, f.start[t].by(x), done), f.between(on, f.assigned[t].by(x), done)
				run = append(run, slices.Repeat([]z.Lit{running}, int(task.Cores()))...)
				hold[p] = append(hold[p], held)
				for k := range units {
					units[k] = append(units[k], slices.Repeat([]z.Lit{held}, int(task.Units(k)))...)
				}
				fetch = append(fetch, f.between(on, f.fetch[t].by(x), fetched))
			}
			f.atMost(run, slave.Cores)
			for p := range hold {
				f.atMost(hold[p], slave.PoolSize(p))
			}
			for k := range units {
				f.atMost(units[k], int(slave.Offers(k)))
			}
			if f.js.Fetch == model.FetchExclusive {
				f.atMost(fetch, 1)
			}
			if f.away(model.SlaveID(s), x) {
				f.atMost(slices.Concat(run, fetch, slices.Concat(hold...)), 0)
			}
		}
	}
}

// between is a literal that is true if something on a slave has begun and is
// not over.
func (f *formula) between(on, begun, over z.Lit) z.Lit {
	m := f.g.Lit()
	f.clause(on.Not(), begun.Not(), over, m)
	return m
}

// precedence is C7 and C10, for every pair of tasks.
func (f *formula) precedence() {
	for before := range f.js.Tasks {
		for after := range f.js.Tasks {
			b, a := &f.js.Tasks[before], &f.js.Tasks[after]
			job := &f.js.Jobs[a.Job]
			stages := b.Job == a.Job && slices.Contains(job.Stages[a.Stage].After, b.Stage)
			if !stages && !slices.Contains(job.After, b.Job) {
				continue
			}
			for x := range f.end + 1 {
				f.clause(f.assigned[after].by(x).Not(), f.finish[before].by(x))
			}
		}
	}
}

// fifo keeps starts in the order of heartbeats, for every pair of tasks on
// every slave.
func (f *formula) fifo() {
	if !f.js.FIFO {
		return
	}
	for i := range f.js.Tasks {
		for j := range f.js.Tasks {
			if i == j {
				continue
			}
			ordered := f.g.Lit() // both on one slave, i handed out before j
			for x := range f.end + 1 {
				for s := range f.js.Slaves {
					f.clause(f.on[i][s].Not(), f.on[j][s].Not(), f.assigned[i].by(x).Not(), f.assigned[j].by(x), ordered)
				}
				f.clause(ordered.Not(), f.start[j].by(x).Not(), f.start[i].by(x))
			}
		}
	}
}

// objectives is C8 and the limits.
func (f *formula) objectives(lim query.Limits) {
	var misses, lateness []cost
	for i := range f.js.Jobs {
		job := &f.js.Jobs[i]
		late := f.late(job)
		if job.Kind == model.Hard {
			f.clause(late(1).Not())
		}
		if job.Kind == model.Soft {
			misses = append(misses, cost{{late(1), job.Weight}})
			var ticks cost
			for d := int64(1); job.Due()+model.Time(d) <= f.end; d++ {
				ticks = append(ticks, charge{late(d), job.Weight * d})
			}
			lateness = append(lateness, ticks)
			if v, ok := lim[model.Tardiness]; ok {
				f.clause(late(v + 1).Not())
			}
		}
	}
	if v, ok := lim[model.Misses]; ok {
		f.sumAtMost(misses, v)
	}
	if v, ok := lim[model.WeightedTardiness]; ok {
		f.sumAtMost(lateness, v)
	}
	if v, ok := lim[model.Makespan]; ok {
		for t := range f.js.Tasks {
			f.clause(f.finish[t].by(model.Time(v)))
		}
	}
}

// late makes literals that are true if the job, which has a deadline, finishes
// d ≥ 1 ticks late or more.
func (f *formula) late(job *model.Job) func(d int64) z.Lit {
	return func(d int64) z.Lit {
		m := f.g.Lit()
		for t := job.First; t < job.End; t++ {
			f.clause(f.finish[t].by(job.Due()+model.Time(d)-1), m)
		}
		return m
	}
}

// cost says that a cost is at least amount if lit is true.
type charge struct {
	lit    z.Lit
	amount int64
}

type cost []charge

// sumAtMost lets the costs add up to no more than limit; least[v] says that
// those so far come to v at least.
func (f *formula) sumAtMost(costs []cost, limit int64) {
	least := make([]z.Lit, limit+1)
	for v := range least {
		least[v] = f.no
	}
	least[0] = f.yes
	for _, c := range costs {
		next := make([]z.Lit, limit+1)
		for v := range next {
			next[v] = f.g.Lit()
			f.clause(least[v].Not(), next[v])
		}
		for _, p := range c {
			for v, reached := range least {
				if sum := int64(v) + p.amount; sum <= limit {
					f.clause(reached.Not(), p.lit.Not(), next[sum])
				} else {
					f.clause(reached.Not(), p.lit.Not())
				}
			}
		}
		least = next
	}
}

// plan reads the plan off a model.
func (f *formula) plan() model.Schedule {
	when := func(l ladder) model.Time { return model.Time(slices.IndexFunc(l.at, f.g.Value)) }
	plan := model.NewSchedule(len(f.js.Tasks))
	for t := range plan {
		s := slices.IndexFunc(f.on[t], f.g.Value)
		plan[t] = model.Placement{
			Slave: model.SlaveID(s),
			Beat:  (when(f.assigned[t]) - f.js.Slaves[s].FirstBeat) / f.js.Heartbeat,
			Fetch: when(f.fetch[t]),
			Start: when(f.start[t]),
		}
	}
	return plan
}
