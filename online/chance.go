package online

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"downbeat/model"
)

// Durations draws what share of its worst-case execution time an attempt takes
// in fact. Transfers take what is declared.
type Durations interface {
	// Factor is in (0, 1].
	Factor(rng *rand.Rand) float64
	// String is the form that ParseDurations reads.
	String() string
}

// length is the execution time of an attempt at t, at least one tick, fractions
// rounded up. It hangs on seed, task and attempt (from 0), so that every policy
// meets the same.
func (o *Options) length(t model.TaskID, attempt int32, wcet model.Time) model.Time {
	if o.Durations == nil {
		return wcet
	}
	rng := rand.New(rand.NewPCG(o.Seed, uint64(attempt)<<32|uint64(t)))
	f := o.Durations.Factor(rng)
	return min(wcet, max(1, model.Time(math.Ceil(f*float64(wcet)))))
}

// Uniform draws evenly between Lo and Hi, 0 < Lo ≤ Hi ≤ 1.
type Uniform struct{ Lo, Hi float64 }

// Factor implements Durations.
func (u Uniform) Factor(rng *rand.Rand) float64 { return u.Lo + (u.Hi-u.Lo)*rng.Float64() }

// String implements Durations.
func (u Uniform) String() string { return fmt.Sprintf("uniform:%g,%g", u.Lo, u.Hi) }

// Normal draws from a normal distribution cut to (0, 1].
type Normal struct{ Mean, SD float64 }

// Factor implements Durations.
func (n Normal) Factor(rng *rand.Rand) float64 {
	return cut(func() float64 { return n.Mean + n.SD*rng.NormFloat64() })
}

// String implements Durations.
func (n Normal) String() string { return fmt.Sprintf("normal:%g,%g", n.Mean, n.SD) }

// Lognormal draws e^(Mu + Sigma·Z), Z standard normal, cut to (0, 1].
type Lognormal struct{ Mu, Sigma float64 }

// Factor implements Durations.
func (l Lognormal) Factor(rng *rand.Rand) float64 {
	return cut(func() float64 { return math.Exp(l.Mu + l.Sigma*rng.NormFloat64()) })
}

// String implements Durations.
func (l Lognormal) String() string { return fmt.Sprintf("lognormal:%g,%g", l.Mu, l.Sigma) }

// Stragglers take all of their worst case with probability Share, others Usual.
type Stragglers struct{ Share, Usual float64 }

// Factor implements Durations.
func (s Stragglers) Factor(rng *rand.Rand) float64 {
	if rng.Float64() < s.Share {
		return 1
	}
	return s.Usual
}

// String implements Durations.
func (s Stragglers) String() string { return fmt.Sprintf("stragglers:%g,%g", s.Share, s.Usual) }

// cut draws until the value lies in (0, 1]; a distribution that hardly ever
// does is taken at 1.
func cut(draw func() float64) float64 {
	for range 1000 {
		if f := draw(); f > 0 && f <= 1 {
			return f
		}
	}
	return 1
}

// ParseDurations reads "worst" (nil), "uniform:LO,HI", "normal:MEAN,SD",
// "lognormal:MU,SIGMA" or "stragglers:SHARE,USUAL".
func ParseDurations(text string) (Durations, error) {
	if text == "" || text == "worst" {
		return nil, nil
	}
	kind, list, _ := strings.Cut(text, ":")
	var a, b float64
	first, second, ok := strings.Cut(list, ",")
	a, errA := strconv.ParseFloat(first, 64)
	b, errB := strconv.ParseFloat(second, 64)
	share := func(v float64) bool { return v > 0 && v <= 1 }
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	if ok && errA == nil && errB == nil && finite(a) && finite(b) {
		switch {
		case kind == "uniform" && share(a) && share(b) && a <= b:
			return Uniform{a, b}, nil
		case kind == "normal" && share(a) && b >= 0:
			return Normal{a, b}, nil
		case kind == "lognormal" && b >= 0:
			return Lognormal{a, b}, nil
		case kind == "stragglers" && a >= 0 && a <= 1 && share(b):
			return Stragglers{a, b}, nil
		}
	}
	return nil, fmt.Errorf("%q is no distribution of durations: write worst, uniform:LO,HI, normal:MEAN,SD, "+
		"lognormal:MU,SIGMA or stragglers:SHARE,USUAL, as factors of the worst case in (0, 1], e.g. uniform:0.5,1", text)
}

// Faults lets every slave fail and come back, at exponential times.
type Faults struct {
	// MTBF > 0 is the mean time between coming back and failing, MTTR > 0 the
	// mean time away, both in ticks.
	MTBF, MTTR float64
}

// faultStream draws one slave's failures.
type faultStream struct{ rng *rand.Rand }

// after is an exponential time with the given mean, at least one tick.
func (f faultStream) after(mean float64) model.Time {
	return max(1, model.Time(math.Ceil(mean*f.rng.ExpFloat64())))
}

// faultStream is the one of slave i.
func (o *Options) faultStream(i int) faultStream {
	return faultStream{rand.New(rand.NewPCG(o.Seed, 1<<63|uint64(i)))}
}

func (e *engine) startFaults() {
	e.faults = make([]faultStream, len(e.slaves))
	for i := range e.slaves {
		e.faults[i] = e.opts.faultStream(i)
		e.push(e.faults[i].after(e.opts.Faults.MTBF), slaveFails, i)
	}
}

// Failure is a time that a slave was away without notice.
type Failure struct {
	Slave model.SlaveID
	model.Interval
}

// Attempt is a run of a task that came to nothing.
type Attempt struct {
	Task model.TaskID
	model.Placement
	// End is when the slave failed.
	End model.Time
}

func (e *engine) fail(id model.SlaveID) error {
	s := &e.slaves[id]
	s.failed = true
	back := e.now + e.faults[id].after(e.opts.Faults.MTTR)
	e.push(back, slaveReturns, int(id))
	e.failures = append(e.failures, Failure{id, model.Interval{Start: e.now, End: back}})
	gone := s.held
	for _, h := range gone {
		s.free[h.pool]++
		e.lost = append(e.lost, Attempt{h.task, e.placed[h.task], e.now})
		e.placed[h.task] = model.Placement{Slave: model.NoSlave}
		e.attempts[h.task]++
		e.running--
	}
	s.held, s.promise = nil, nil
	s.fetchFree, s.lastStart = e.now, e.now
	clear(s.coreFree)
	e.markIdle(id)
	for _, h := range gone {
		j := &e.jobs[e.js.Tasks[h.task].Job]
		j.nRunning--
		j.add(e.js, h.task)
		e.readyJob(j)
		started := h.start
		if started >= e.now {
			started = model.Never
		}
		e.watch(Lost, j, h.task, id, started)
	}
	if len(gone) > 0 || e.asks == OnChange {
		e.wakeAll()
	}
	return e.hopeless(gone)
}

// maxAttempts bounds how often a task may be lost.
const maxAttempts = 1000

// ErrHopeless is in the error of a run in which slaves fail so often that a
// task was lost 1000 times.
var ErrHopeless = errors.New("slaves fail too often for tasks as long as this")

// hopeless is the error of a task that failures will hardly ever let finish.
func (e *engine) hopeless(gone []held) error {
	for _, h := range gone {
		if e.attempts[h.task] == maxAttempts {
			return fmt.Errorf("%s has been lost %d times: %w", e.js.TaskName(h.task), maxAttempts, ErrHopeless)
		}
	}
	return nil
}

func (e *engine) recover(id model.SlaveID) {
	e.slaves[id].failed = false
	e.push(e.now+e.faults[id].after(e.opts.Faults.MTBF), slaveFails, int(id))
	e.markIdle(id)
	if e.asks == OnChange {
		e.wakeAll()
	} else {
		e.wake(id, e.now)
	}
}
