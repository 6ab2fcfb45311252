package workload

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"downbeat/model"
)

// RealTime is the real-time community's generator of sporadic task systems on
// Penn's platform. A stream is a periodic MapReduce job: its utilisation is a
// share of a total drawn by UUniFast, its period T log-uniform, its deadline
// constrained (at most T). The set holds each stream's jobs that are released
// within the horizon. Times are in ticks of no given length.
//
// A stream of utilisation u runs u·T ticks a period on a slave of speed 1,
// MapShare of it in its maps, the rest in its reduces, equal tasks in each
// stage, times rounded to ticks. Periods and numbers of tasks that leave a job
// too long for its period even alone, with every input remote, are drawn again.
// So the platform rules out no single job, but long ones in short periods are
// rarer than the plain generator makes them.
//
// # Hyperperiods
//
// With a Hyperperiod, periods are drawn among its divisors (Goossens and Macq 2001
// bound it likewise) and the set holds all jobs that are released in one of it, the
// streams' first ones together at tick 0. As deadlines are at most periods, a plan in
// which all are met ends with the hyperperiod, of which the heartbeat interval is a
// divisor: repeated, it is a timetable that meets all deadlines for ever. So check's yes
// is a proof that these streams can be scheduled, and its no that nothing can schedule
// them, sporadic ones of the same figures neither, as those may be released like this.
//
// A yes says nothing of other offsets or of sporadic releases. That the synchronous
// release is the worst one (the critical instant of Liu and Layland) is true of
// independent preemptive tasks on one processor; these are not preempted, run on
// several cores and wait for heartbeats. That a policy met all deadlines holds for
// worst-case times alone: where tasks end early it can miss some (Graham's anomalies).
type RealTime struct {
	// Utilisation is the total over the streams as a share of all cores; no
	// stream has more than Limit cores' worth.
	Utilisation, Limit float64
	// Streams is their number, Period the range of T in ticks.
	Streams int
	Period  Range
	// Hyperperiod is a multiple of all periods, see above; 0: periods are what they are.
	Hyperperiod model.Time
	// Horizon ends the releases; 0 is the hyperperiod, or the longest period that may be
	// drawn.
	Horizon model.Time
	// Offsets releases each stream first at a random time within its period;
	// without it all start at 0.
	Offsets bool
	// Deadline places the deadline between what the job needs alone (0) and its
	// period (1); drawn per stream.
	Deadline Span
	// Maps and Reduces are numbers of tasks per job, drawn per stream.
	Maps, Reduces Range
	MapShare      float64

	// Slaves have Cores and Slots. Their execution times are in the proportion of
	// factors drawn between 1 and 1+Uneven; their mean speed is 1.
	Slaves, Cores, Slots int
	Uneven               float64
	// Local and Remote are transfers of a map's input on and off its Replicas
	// (0: remote everywhere), Shuffle that of a reduce's input, in ticks.
	Local, Remote, Shuffle model.Time
	Replicas               int
	Platform
	Kinds
}

// NewRealTime is small enough for the exact solver to decide most sets: about
// ten hard jobs of thirty tasks on four slaves of one core and two slots.
func NewRealTime() *RealTime {
	return &RealTime{
		Utilisation: 0.5, Limit: 1, Streams: 5, Period: Range{60, 120}, Deadline: Span{0.25, 1},
		Maps: Range{1, 3}, Reduces: Range{1, 1}, MapShare: 0.7,
		Slaves: 4, Cores: 1, Slots: 2, Local: 1, Remote: 3, Shuffle: 2, Replicas: 2,
		Platform: Platform{Heartbeat: 3, Fetch: model.FetchExclusive, Stagger: true},
		Kinds:    Kinds{Hard: 1, Weight: Range{1, 3}},
	}
}

// NewPeriodic is a periodic task set of real-time scheduling over one hyperperiod: four
// streams of one task each, deadlines at the ends of periods, on two slaves of one core
// that are asked at every tick.
func NewPeriodic() *RealTime {
	return &RealTime{
		Utilisation: 0.8, Limit: 1, Streams: 4, Period: Range{10, 60}, Hyperperiod: 120, Deadline: Span{1, 1},
		Maps: Range{1, 1}, Reduces: Range{0, 0}, MapShare: 1,
		Slaves: 2, Cores: 1, Slots: 1,
		Platform: Platform{Heartbeat: 1, Fetch: model.FetchExclusive},
		Kinds:    Kinds{Hard: 1, Weight: Range{1, 3}},
	}
}

func (w *RealTime) params() []param {
	own := []param{
		{name: "utilisation", help: "total utilisation of the streams as a share of all cores", value: real{&w.Utilisation, 0.001, 10}},
		{name: "limit", help: "largest utilisation of a stream, in cores", value: real{&w.Limit, 0.001, 1000}},
		{name: "streams", help: "number of periodic jobs", value: whole[int]{&w.Streams, 1, 1000}},
		{name: "period", help: "range of periods in ticks, log-uniform", value: rangeValue{&w.Period, 1, 1_000_000}},
		{name: "hyperperiod", help: "in ticks: periods divide it and all jobs of one are drawn, from 0: a yes of check is a timetable to repeat, a no holds for any scheduler, other offsets are not covered; 0: none", value: whole[model.Time]{&w.Hyperperiod, 0, 100_000_000}},
		{name: "horizon", help: "time before which jobs are released, in ticks; 0: the hyperperiod, or the longest period", value: whole[model.Time]{&w.Horizon, 0, 100_000_000}},
		{name: "offsets", help: "streams start at random times within their periods, not all at 0", value: yesNo{&w.Offsets}},
		{name: "deadline", help: "deadlines between the time needed alone (0) and the period (1)", value: spanValue{&w.Deadline, 0, 1}},
		{name: "maps", help: "maps per job", value: rangeValue{&w.Maps, 1, 10_000}},
		{name: "reduces", help: "reduces per job; 0 is a job of maps only", value: rangeValue{&w.Reduces, 0, 10_000}},
		{name: "mapshare", help: "share of a job's execution that its maps have", value: real{&w.MapShare, 0.01, 1}},
		{name: "slaves", help: "number of slaves", value: whole[int]{&w.Slaves, 1, 10_000}},
		{name: "cores", help: "cores per slave", value: whole[int]{&w.Cores, 1, 1000}},
		{name: "slots", help: "slots per slave, for maps and reduces alike", value: whole[int]{&w.Slots, 1, 1000}},
		{name: "uneven", help: "slaves' execution times are in the proportion of factors drawn from 1 to 1+uneven; their mean speed is 1", value: real{&w.Uneven, 0, 100}},
		{name: "local", help: "transfer of a map's input on a slave that holds it, in ticks", value: whole[model.Time]{&w.Local, 0, 1_000_000}},
		{name: "remote", help: "transfer of a map's input elsewhere, in ticks", value: whole[model.Time]{&w.Remote, 0, 1_000_000}},
		{name: "shuffle", help: "transfer of a reduce's input in ticks", value: whole[model.Time]{&w.Shuffle, 0, 1_000_000}},
		{name: "replicas", help: "slaves that hold a map's input; 0: none does", value: whole[int]{&w.Replicas, 0, 1000}},
	}
	return append(append(own, w.Platform.params()...), w.Kinds.params()...)
}

// total is the sum of the streams' utilisations, in cores.
func (w *RealTime) total() float64 { return w.Utilisation * float64(w.Slaves*w.Cores) }

func (w *RealTime) check() error {
	if most := w.Limit * float64(w.Streams); w.total() > most {
		return fmt.Errorf("utilisation=%g of %d cores is %g, but %d streams of at most %g make only %g: want more streams or a higher limit",
			w.Utilisation, w.Slaves*w.Cores, w.total(), w.Streams, w.Limit, most)
	}
	if w.Local > w.Remote {
		return fmt.Errorf("local=%d is above remote=%d", w.Local, w.Remote)
	}
	if err := w.checkHyperperiod(); err != nil {
		return err
	}
	return checkReplicas(w.Replicas, w.Slaves)
}

// checkHyperperiod finds hyperperiods of which a plan does not repeat.
func (w *RealTime) checkHyperperiod() error {
	h := w.Hyperperiod
	switch {
	case h == 0:
		return nil
	case w.Offsets || w.Horizon > 0:
		return fmt.Errorf("hyperperiod=%d has all streams start at 0 and ends the releases: want offsets=no and horizon=0", h)
	case h%w.Heartbeat != 0:
		return fmt.Errorf("hyperperiod=%d is no multiple of heartbeat=%d", h, w.Heartbeat)
	case len(w.divisors()) == 0:
		return fmt.Errorf("hyperperiod=%d has no divisor in period=%d..%d", h, w.Period.Lo, w.Period.Hi)
	}
	return nil
}

// divisors lists those of the hyperperiod that can be periods.
func (w *RealTime) divisors() []model.Time {
	var out []model.Time
	for d := model.Time(w.Period.Lo); d <= min(model.Time(w.Period.Hi), w.Hyperperiod); d++ {
		if w.Hyperperiod%d == 0 {
			out = append(out, d)
		}
	}
	return out
}

// Assumptions says how the generator departs from that for sporadic tasks.
func (w *RealTime) Assumptions() []string {
	periods := fmt.Sprintf("Periods are log-uniform in %d..%d", w.Period.Lo, w.Period.Hi)
	set := fmt.Sprintf("The set is the start of the periodic system: releases before %d, the streams' first jobs at %s.", w.horizon(), map[bool]string{false: "0", true: "random offsets"}[w.Offsets])
	if w.Hyperperiod > 0 {
		periods = fmt.Sprintf("Periods are uniform over the divisors of %d in %d..%d", w.Hyperperiod, w.Period.Lo, w.Period.Hi)
		set = fmt.Sprintf("The set is one hyperperiod of %d ticks, all streams released at 0: a plan that meets all deadlines repeats for ever, a proof that there is none holds for any scheduler; neither other offsets nor sporadic releases are covered.", w.Hyperperiod)
	}
	return []string{
		fmt.Sprintf("Utilisation counts execution on cores of speed 1, the mean, only; transfers (%d, %d, %d ticks), heartbeats (every %d) and slots come on top, so sets below 1 can be infeasible.", w.Local, w.Remote, w.Shuffle, w.Heartbeat),
		"Times are rounded to ticks, at least 1 a task; the utilisation of a set differs from the asked one by that.",
		periods + "; a job whose parts do not fit its period alone, with every input remote, has period and task counts drawn again.",
		set,
		fmt.Sprintf("Each job's map inputs are on %d slaves drawn uniformly, anew for each job of a stream.", w.Replicas),
	}
}

func (w *RealTime) horizon() model.Time {
	return cmp.Or(w.Horizon, w.Hyperperiod, model.Time(w.Period.Hi))
}

// Utilisations are the streams' shares that Generate uses, in cores: uniform
// over all vectors of the asked sum within the limit. UUniFast-Discard draws
// them, or, where it would discard nearly all, RandFixedSum, which has the same
// distribution.
func (w *RealTime) Utilisations(seed uint64) ([]float64, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	rng := stream(seed, "utilisation", 0)
	const tries = 1000
	if shares := UUniFastDiscard(rng, w.Streams, w.total(), w.Limit, tries); shares != nil {
		return shares, nil
	}
	return RandFixedSum(rng, w.Streams, w.total(), w.Limit), nil
}

// periodic is one stream.
type periodic struct {
	utilisation               float64
	period, offset, deadline  model.Time
	maps, reduces             int
	mapTime, reduceTime, need model.Time
}

// Generate draws the set of the seed.
func (w *RealTime) Generate(seed uint64) (*model.JobSet, error) {
	shares, err := w.Utilisations(seed)
	if err != nil {
		return nil, err
	}
	js := w.jobSet(0, class("s", w.Slaves, model.Slave{Cores: w.Cores, Slots: w.Slots}))
	factors := w.factors(seed)
	input := blocks{holders: w.Slaves, replicas: w.Replicas, local: w.Local, remote: w.Remote}
	for i, u := range shares {
		p, err := w.drawStream(js, factors, u, seed, i)
		if err != nil {
			return nil, err
		}
		for k := range int((w.horizon() - p.offset + p.period - 1) / p.period) {
			series := fmt.Sprintf("s%d", i+1)
			job := model.Job{Name: fmt.Sprintf("%s-%d", series, k+1), Series: series, Instance: k + 1, Release: p.offset + model.Time(k)*p.period}
			// A stream has far fewer than 2^20 jobs that anyone waits for.
			job.Stages = w.stages(js, p, factors, input, seed, i<<20+k)
			w.due(&job, p.deadline, seed, i)
			js.Jobs = append(js.Jobs, job)
		}
	}
	slices.SortStableFunc(js.Jobs, func(a, b model.Job) int { return cmp.Compare(a.Release, b.Release) })
	return finish(js)
}

// factors are the slaves' execution times as multiples of those on a slave of
// speed 1. Their speeds, the inverses, have the mean 1, so that a utilisation
// is a share of what the cluster can do whatever Uneven is.
func (w *RealTime) factors(seed uint64) []float64 {
	factors := make([]float64, w.Slaves)
	speed := 0.0
	for s := range factors {
		factors[s] = 1 + w.Uneven*stream(seed, "speed", s).Float64()
		speed += 1 / factors[s] / float64(w.Slaves)
	}
	for s := range factors {
		factors[s] *= speed
	}
	return factors
}

// drawStream draws a stream of utilisation u that fits its period alone.
func (w *RealTime) drawStream(js *model.JobSet, factors []float64, u float64, seed uint64, i int) (periodic, error) {
	const tries = 1000
	rng := stream(seed, "stream", i)
	for range tries {
		p := periodic{utilisation: u, period: w.drawPeriod(rng), maps: w.Maps.draw(rng), reduces: w.Reduces.draw(rng)}
		work, mapShare := u*float64(p.period), w.MapShare
		if p.reduces == 0 {
			mapShare = 1
		} else {
			p.reduceTime = ticks(work*(1-mapShare)/float64(p.reduces), 1)
		}
		p.mapTime = ticks(work*mapShare/float64(p.maps), 1)
		p.need = w.needsAlone(js, p, factors)
		if p.need > p.period {
			continue
		}
		part := w.Deadline.draw(stream(seed, "deadline", i))
		p.deadline = p.need + ticks(part*float64(p.period-p.need), 0)
		if w.Offsets {
			// Always below the horizon, so that each stream has a job.
			p.offset = model.Time(stream(seed, "offset", i).Float64() * float64(min(p.period, w.horizon())))
		}
		return p, nil
	}
	return periodic{}, fmt.Errorf("stream %d of utilisation %.3g fits none of %d periods drawn from %d..%d even alone: want longer periods, more tasks per job, a lower limit or less uneven slaves",
		i+1, u, tries, w.Period.Lo, w.Period.Hi)
}

// drawPeriod is log-uniform, or any divisor of the hyperperiod.
func (w *RealTime) drawPeriod(rng *rand.Rand) model.Time {
	if w.Hyperperiod > 0 {
		all := w.divisors()
		return all[rng.IntN(len(all))]
	}
	return ticks(float64(w.Period.Lo)*math.Pow(float64(w.Period.Hi)/float64(w.Period.Lo), rng.Float64()), 1)
}

// needsAlone is the run time of one of the stream's jobs on the cluster to
// itself, from a release at 0, with every input remote, and a heartbeat interval
// on top: a later release can wait longer for the first heartbeat.
func (w *RealTime) needsAlone(js *model.JobSet, p periodic, factors []float64) model.Time {
	one := *js
	one.Jobs = []model.Job{{Name: "alone", Stages: w.stages(js, p, factors, blocks{remote: w.Remote}, 0, 0)}}
	one.Tasks = nil
	if err := one.Assemble(); err != nil {
		panic("workload: " + err.Error()) // stages are valid by construction
	}
	return alone(&one, 0) + w.Heartbeat
}

func (w *RealTime) stages(js *model.JobSet, p periodic, factors []float64, input blocks, seed uint64, item int) []model.Stage {
	stages := []model.Stage{input.mapStage(js, p.maps, scaledRow(p.mapTime, factors), seed, item)}
	if p.reduces > 0 {
		stages = append(stages, reduceStage(js, p.reduces, scaledRow(p.reduceTime, factors), w.Shuffle))
	}
	return stages
}
