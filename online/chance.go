package online

import (
	"math"
	"math/rand/v2"
	"slices"

	"downbeat/model"
)

// Options of a run. The zero value is worst-case times without failures.
type Options struct {
	// Seed of durations and failures; the same seed gives every policy the same.
	Seed uint64
	// Durations draws how long tasks take in fact; nil: all of their worst case.
	Durations Durations
	// Faults lets slaves fail; nil: they do not.
	Faults *Faults
	// Surprise keeps the absences that the job set declares from the policy: it is
	// handed slaves without them, and what a slave holds when it goes is lost, as with
	// failures. Otherwise a task is refused that could still be there at an absence
	// ([Offer.Fits]), which gives every policy foresight of them.
	Surprise bool
	// Known is the job set with the absences that policies know of, where these are not all;
	// the others come as with Surprise. Once a slave has gone for good that is known too. nil:
	// all or, with Surprise, none.
	Known *model.JobSet
	// Trace records decisions, see Outcome.Trace.
	Trace bool
}

// Durations draws what share of its worst-case execution time an attempt takes
// in fact; more than 1 where it overruns. Transfers take what is declared.
type Durations interface {
	// Factor is above 0 and at most Most.
	Factor(rng *rand.Rand) float64
	// Most is the largest factor that there can be.
	Most() float64
	// String is the form that durations.Parse reads.
	String() string
}

// overruns reports whether attempts may take longer than declared.
func (o *Options) overruns() bool { return o.Durations != nil && o.Durations.Most() > 1 }

// length is the execution time of an attempt at t, at least one tick, fractions
// rounded up. It depends on seed, task and attempt (from 0), so that every policy
// meets the same.
func (o *Options) length(t model.TaskID, attempt int32, wcet model.Time) model.Time {
	if o.Durations == nil {
		return wcet
	}
	rng := rand.New(rand.NewPCG(o.Seed, uint64(attempt)<<32|uint64(t)))
	ticks := func(f float64) model.Time { return max(1, model.Time(math.Ceil(f*float64(wcet)))) }
	return min(ticks(o.Durations.Factor(rng)), ticks(o.Durations.Most()))
}

// lengthOf is the execution time of an attempt at a task, where durations are those of the job set
// (model.JobSet.Durations).
func (o *Options) lengthOf(durations []*model.GroupDurations, t model.TaskID, attempt int32, wcet model.Time) model.Time {
	if h, ok := o.Durations.(History); ok && durations != nil && durations[t] != nil {
		return h.length(o, durations[t], t, attempt, wcet)
	}
	return o.length(t, attempt, wcet)
}

// Realised is the job set in which each task is declared to take what its first attempt takes in a
// run of js with these options: what a perfect predictor would know.
func (o *Options) Realised(js *model.JobSet) (*model.JobSet, error) {
	out, durations := *js, js.Durations()
	out.Tasks, out.Jobs = nil, slices.Clone(js.Jobs)
	same := func(transfer model.Time) model.Time { return transfer }
	for i := range out.Jobs {
		stages := slices.Clone(js.Jobs[i].Stages)
		for k := range stages {
			st := &stages[k]
			st.Groups = nil
			for t := st.First; t < st.End; t++ {
				length := func(wcet model.Time) model.Time {
					if wcet == 0 {
						return 0 // barred
					}
					return o.lengthOf(durations, t, 0, wcet)
				}
				st.Groups = append(st.Groups, model.Group{Count: 1, Profile: model.NewMapper(length, same).Profile(js.Tasks[t].Profile)})
			}
		}
		out.Jobs[i].Stages = stages
	}
	return &out, out.Assemble()
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
